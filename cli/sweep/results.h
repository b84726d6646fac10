// The file of -o: every sample in the order of the plan, values and gradients, and what came out of all of them.
// docs/sweeps.md has the layout.
#ifndef MBS_CLI_SWEEP_RESULTS_H
#define MBS_CLI_SWEEP_RESULTS_H

#include "journal.h"
#include "statistics.h"

// Writes and completes the file that `output` has opened. Returns 0, or the exit status after a sentence.
int cli_sweep_write(const CliSweep *sweep, CliJournal *journal, const CliStatistics *statistics, CliOutputFile *output);

#endif
