// Processes of one job, started by mpirun: MPI, an optional component. Every process reads the model by itself; rank
// 0 hands out samples, as they are asked for, and has the journal; results are the same bits whoever computed them.
// ranks_absent.c stands for ranks.c where MPI is not built in.
//
// Only the main thread calls MPI.
#ifndef MBS_CLI_RANKS_H
#define MBS_CLI_RANKS_H

#include "crew.h"
#include "journal.h"

typedef struct CliRanks {
  int rank, count;       // 0 and 1: no other processes
  bool has_begun;        // MPI
  int standard_error;    // of another rank, until all agree
  int working;           // rank 0: others that are not told yet that all is done
  unsigned char *bytes;  // of messages
  size_t room;
} CliRanks;

// "3.1"; NULL: not built in.
const char *cli_mpi_version(void);

// Is this one of several processes of mpirun? Without MPI built in that is refused, with the exit status returned. To
// be ended in any case.
int cli_ranks_begin(CliRanks *ranks);
void cli_ranks_end(CliRanks *ranks);
// All have come here: with which exit status, and which signature of the job. Returns 0 if all agree, else an exit
// status, after a sentence of rank 0.
int cli_ranks_agree(CliRanks *ranks, int exit_status, uint64_t signature);
// Ends all processes at once.
_Noreturn void cli_ranks_abort(const CliRanks *ranks, int exit_status);

// Rank 0: takes what others have computed, and gives them more, from `next` on; also tells them that all is done, when
// it is. Returns 0, or the exit status after a sentence on standard error. `did`: was there anything?
int cli_ranks_serve(CliRanks *ranks, CliJournal *journal, uint64_t *next, bool *did);
// Other ranks: work until rank 0 says that all is done.
int cli_ranks_work(CliRanks *ranks, const CliJob *job, int thread_count);

#endif
