#include <stdlib.h>

#include "cli/outcome.h"
#include "ranks.h"

const char *cli_mpi_version(void) { return NULL; }

// of Open MPI, and of those that follow MPICH
int cli_ranks_begin(CliRanks *ranks) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  *ranks = (CliRanks){.count = 1};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    const char *text = getenv(names[i]);
    long count = text ? strtol(text, NULL, 10) : 1;
    if (count > 1) {
      return cli_fail(
          MBS_ERROR_NOT_OFFERED,
          "mpirun started %ld processes, and this mbsens was built without MPI: each would do the "
          "whole work; build it with MPI (scripts/install-dependencies mpi, cmake -D MBS_MPI=ON build), or use "
          "--threads",
          count);
    }
  }
  return 0;
}

void cli_ranks_end(CliRanks *ranks) { (void)ranks; }

int cli_ranks_agree(CliRanks *ranks, int exit_status, uint64_t signature) {
  (void)ranks;
  (void)signature;
  return exit_status;
}

void cli_ranks_abort(const CliRanks *ranks, int exit_status) {
  (void)ranks;
  exit(exit_status);
}

int cli_ranks_serve(CliRanks *ranks, CliJournal *journal, uint64_t *next, bool *did) {
  (void)ranks;
  (void)journal;
  (void)next;
  *did = false;
  return 0;
}

int cli_ranks_work(CliRanks *ranks, const CliJob *job, int thread_count) {
  (void)ranks;
  (void)job;
  (void)thread_count;
  return 0;
}
