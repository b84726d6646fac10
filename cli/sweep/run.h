// Computes what the journal of a job does not have yet, with a crew, and crews of other processes.
#ifndef MBS_CLI_JOB_RUN_H
#define MBS_CLI_JOB_RUN_H

#include "journal.h"
#include "ranks.h"

typedef struct CliJobTimes {
  double elapsed;     // s, of computing
  uint64_t computed;  // samples now,
  uint64_t found;     // and those that the journal had
  bool is_stopped;    // by the user: not all are there
} CliJobTimes;

// Returns 0, or the exit status after a sentence on standard error; what is done is in the journal in both cases.
int cli_job_run(const CliJob *job, CliJournal *journal, CliRanks *ranks, int thread_count, CliJobTimes *times);

#endif
