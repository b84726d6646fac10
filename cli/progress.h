// Long work: a bar on the terminal that says how far it is, how fast, and how long it will take; and stopping it
// (stop.h).
//
//   sweep: [########------------]  41 %, 212 runs/s, 28 s left
#ifndef MBS_CLI_PROGRESS_H
#define MBS_CLI_PROGRESS_H

#include <mbsens/mbsens.h>
#include <stdbool.h>

typedef struct CliProgress {
  const char *label;         // what is running, in words
  double fraction;           // of the present run, last reported
  int part, parts;           // which of several runs
  double from;               // what had been done before
  double total;              // things in all, for the rate; 0: parts of hundred
  const char *unit;          // what they are
  bool is_open;              // nobody knows when it ends: the time since the start is shown instead
  double start, last_shown;  // s
  bool is_wanted, is_shown;
} CliProgress;

// Of a clock that nobody sets.
double cli_seconds(void);
// Of the processor, in all threads, since the command began.
double cli_processor_seconds(void);

// Watches the runs of a context. The bar is shown on a terminal only, for what takes two seconds or more, and not when
// `is_quiet`.
void cli_progress_begin(CliProgress *progress, MbsContext *context, const char *label, bool is_quiet);
// The same for one run of several, from 0: the bar is that of all of them.
void cli_progress_begin_part(CliProgress *progress, MbsContext *context, const char *label, bool is_quiet, int part,
                             int parts);
// Clears the bar. The fraction stays.
void cli_progress_end(CliProgress *progress, MbsContext *context);

#endif
