// Searches from several starts at a time (src/optimization/starts.h), by threads and processes, as a job.
#ifndef MBS_CLI_MULTISTART_H
#define MBS_CLI_MULTISTART_H

#include "optimization/starts.h"
#include "session.h"
#include "sweep/journal.h"
#include "sweep/ranks.h"

typedef struct CliMultistart {
  CliJob job;
  MbsArena *arena;
  MbsOptimizeOptions options;
  MbsStarts starts;  // whose problem is that of all
  CliJournal journal;
  CliSample sample;  // that was last read
} CliMultistart;

// All return 0, or the exit status after a sentence on standard error. To be closed in any case.
int cli_multistart_open(CliMultistart *many, CliSession *session, const MbsOptimizeOptions *options);
// Searches from all starts that the journal `state` (NULL: there is none) does not have: rank 0. Also when it is
// stopped, cli_multistart_find has what was found.
int cli_multistart_run(CliMultistart *many, CliRanks *ranks, int thread_count, const char *state);
void cli_multistart_close(CliMultistart *many);
// For MbsKnownStarts.
MbsStatus cli_multistart_find(MbsContext *context, void *many, int start, const double **row);

#endif
