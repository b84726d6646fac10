// Ending early: ctrl-C, SIGTERM, SIGHUP, or memory that is out. Whenever it happens, nothing is left behind.
#ifndef MBS_CLI_STOP_H
#define MBS_CLI_STOP_H

#include <stdbool.h>

// From now on these signals end the program: a run that reports its progress at its next report, anything else
// (reading, assembling, a run that has not reported for a second) at once; so does a second signal. The exit status is
// that of MBS_ERROR_INTERRUPTED. A file-size limit becomes an error of writing like others.
void cli_stop_catch_signals(void);

// For runs that report: has a signal come? From the first call on signals wait for the next one, until
// cli_stop_expect_no_reports.
bool cli_stop_is_asked(void);
void cli_stop_expect_no_reports(void);

// What an early end has to remove: `path` stays the caller's and must live until NULL is given.
void cli_stop_remove(const char *path);
// Signals wait between the two: what happens there happens wholly or not at all.
void cli_stop_hold(void);
void cli_stop_release(void);

// Removes it and ends the program with this status; what was printed and has not gone out yet is dropped.
_Noreturn void cli_stop_now(int exit_status);

#endif
