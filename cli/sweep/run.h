// Computes what the journal of a sweep does not have yet, with a crew, and crews of other processes.
#ifndef MBS_CLI_SWEEP_RUN_H
#define MBS_CLI_SWEEP_RUN_H

#include "journal.h"
#include "ranks.h"

typedef struct CliSweepTimes {
  double elapsed;     // s, of computing
  uint64_t computed;  // samples now,
  uint64_t found;     // and those that the journal had
} CliSweepTimes;

// Returns 0, or the exit status after a sentence on standard error; what is done is in the journal in both cases.
int cli_sweep_run(const CliSweep *sweep, CliJournal *journal, CliRanks *ranks, int thread_count, CliSweepTimes *times);

#endif
