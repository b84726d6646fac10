// A file that appears whole or not at all, whatever is in it. It is written beside its target, whose name it takes when
// it is complete; an older file stays until then. Of an older one the new one takes the mode, and owner and group where
// it may; a symbolic link stays, and what it points to is written.
//
//   open, write to `file`, finish, (print,) commit;   close in any case
//
// A library that opens files by their names writes to `partial`; it is there, empty, and may be opened for truncation
// while nothing goes to `file`.
#ifndef MBS_CLI_OUTPUT_FILE_H
#define MBS_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct CliOutputFile {
  const char *path;  // as given; NULL: no file has been opened
  char *target;      // where that leads: no symbolic link
  char *incomplete;  // the name it gets instead where the run failed; NULL: it did not
  char *partial;     // path of the file being written; NULL: there is none
  FILE *file;
  int error;  // errno of the first write that failed; 0: none
} CliOutputFile;

// Starts the file, so that what cannot be written is known before the run. Returns 0 or the exit status after a
// sentence on standard error; to be closed also then.
int cli_output_open(CliOutputFile *output, const char *path);
// Has writing failed? To be asked from time to time, with errno 0 before it is written to.
bool cli_output_has_failed(CliOutputFile *output);
// The sentence for a run that ended because of a failed write. Returns the exit status.
int cli_output_fail(const CliOutputFile *output);
// Completes the file: from now on there is no reason why it should not get its name. Returns as cli_output_open does.
int cli_output_finish(CliOutputFile *output);
// The run failed on the way: what was written up to there is good, but NAME.csv is a whole one or none. It gets the
// name NAME.incomplete.csv, and an older NAME.csv stays.
void cli_output_call_incomplete(CliOutputFile *output);
// Gives it its name. Returns likewise. Signals stay held then: all is done, and nobody should be told otherwise.
int cli_output_commit(CliOutputFile *output);
// Removes what is not committed and frees. Also after cli_output_commit, and for a zeroed CliOutputFile.
void cli_output_close(CliOutputFile *output);

#endif
