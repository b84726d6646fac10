// How the command ends: sentences on standard error and exit statuses.
#ifndef MBS_CLI_OUTCOME_H
#define MBS_CLI_OUTCOME_H

#include <mbsens/mbsens.h>

// The exit status that status.h gives to a status.
int cli_exit_status(MbsStatus status);

// Prints "mbsens: <sentence>" on standard error and returns the exit status of `status`.
int cli_fail(MbsStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for a failed call of the library. A message that names its place (file:line:column: error: ...)
// is printed as it stands, so that editors can jump there.
int cli_fail_library(const MbsContext *context, MbsStatus status);

// Makes sure that everything printed so far has arrived. Returns `exit_status`, or a failure if it has not, which is
// told once.
int cli_finish_output(int exit_status);

#endif
