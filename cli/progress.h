// Long runs: a line on the terminal that says how far they are, and stopping them (stop.h).
#ifndef MBS_CLI_PROGRESS_H
#define MBS_CLI_PROGRESS_H

#include <mbsens/mbsens.h>
#include <stdbool.h>

typedef struct CliProgress {
  const char *label;         // what is running, in words
  double fraction;           // last reported
  double start, last_shown;  // s
  bool is_wanted, is_shown;
} CliProgress;

// Watches the runs of a context. The line is shown on a terminal only, and not when `is_quiet`.
void cli_progress_begin(CliProgress *progress, MbsContext *context, const char *label, bool is_quiet);
// Clears the line. The fraction stays.
void cli_progress_end(CliProgress *progress, MbsContext *context);

#endif
