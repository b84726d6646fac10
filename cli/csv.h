// Time histories as comma-separated values. They are written to a file beside the target, which takes the target's
// name when it is complete: the target appears whole or not at all, and an older one stays until then.
#ifndef MBS_CLI_CSV_H
#define MBS_CLI_CSV_H

#include <mbsens/mbsens.h>
#include <stdio.h>

typedef struct CliCsv {
  const char *path;  // of the target
  char *partial;     // path of the file being written; NULL: there is none
  FILE *file;
  int column_count;
  long row_count;
  int error;  // errno of the first write that failed; 0: none
  MbsRecorder recorder;
} CliCsv;

// Starts the file, so that what cannot be written is known before the run. Returns 0 or the exit status after a
// sentence on standard error. The recorder points to `csv`, which must not move.
int cli_csv_open(CliCsv *csv, const char *path);
// The sentence for a run that ended because of a failed write.
int cli_csv_fail(const CliCsv *csv);
// Completes the file and gives it its name. Returns as cli_csv_open does.
int cli_csv_commit(CliCsv *csv);
// Removes what is not committed and frees. Also after cli_csv_commit, and for a zeroed CliCsv.
void cli_csv_close(CliCsv *csv);

#endif
