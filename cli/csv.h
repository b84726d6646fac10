// Time histories as comma-separated values. They are written to a file beside the target, which takes the target's
// name when it is complete: the target appears whole or not at all, and an older one stays until then (rows of a run
// that fails on the way get another name). Of an older one the new one takes the mode, and owner and group where it
// may; a symbolic link stays, and what it points to is written.
//
// A value that is no finite number at that time (an objective that is undefined on the way) is an empty field.
#ifndef MBS_CLI_CSV_H
#define MBS_CLI_CSV_H

#include <mbsens/mbsens.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct CliCsv {
  const char *path;  // as given
  char *target;      // where that leads: no symbolic link
  char *incomplete;  // the name it gets instead where the run failed; NULL: it did not
  char *partial;     // path of the file being written; NULL: there is none
  FILE *file;
  int column_count;
  char **names;    // of the columns
  char **units;    // likewise; NULL: none
  bool is_binary;  // not rows, but written by itself
  long row_count;
  long empty_count;   // values that were no finite numbers,
  int empty_column;   // and the first of them
  double empty_time;  // s
  int error;          // errno of the first write that failed; 0: none
  MbsRecorder recorder;
} CliCsv;

// Starts the file, so that what cannot be written is known before the run. Returns 0 or the exit status after a
// sentence on standard error. The recorder points to `csv`, which must not move.
int cli_csv_open(CliCsv *csv, const char *path);
// The sentence for a run that ended because of a failed write.
int cli_csv_fail(const CliCsv *csv);
// Completes the file: from now on there is no reason why it should not get its name. Returns as cli_csv_open does.
int cli_csv_finish(CliCsv *csv);
// The run failed on the way: the rows up to there are good, but FILE.csv is a whole one or none. They get the name
// FILE.incomplete.csv, and an older FILE.csv stays.
void cli_csv_call_incomplete(CliCsv *csv);
// Gives it its name. Returns likewise.
int cli_csv_commit(CliCsv *csv);
// Removes what is not committed and frees. Also after cli_csv_commit, and for a zeroed CliCsv.
void cli_csv_close(CliCsv *csv);

#endif
