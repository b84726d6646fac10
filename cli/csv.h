// Time histories, and tables like them, as comma-separated values.
//
// A value that is no finite number at that time (an objective that is undefined on the way) is an empty field.
#ifndef MBS_CLI_CSV_H
#define MBS_CLI_CSV_H

#include <mbsens/mbsens.h>

#include "output_file.h"

typedef struct CliCsv {
  CliOutputFile *output;  // NULL: nothing is written
  int column_count;
  char **names;  // of the columns
  char **units;  // likewise; NULL: none
  long row_count;
  long empty_count;   // values that were no finite numbers,
  int empty_column;   // and the first of them
  double empty_time;  // s
  MbsRecorder recorder;
} CliCsv;

// Rows given to `recorder` go to an open file. The recorder points to `csv`, which must not move.
void cli_csv_begin(CliCsv *csv, CliOutputFile *output);
// Before the file is finished: is anything in it? Returns 0, or the exit status after a sentence on standard error.
int cli_csv_check(const CliCsv *csv);
// When it has its name: a sentence about values that stayed empty.
void cli_csv_tell_empty(const CliCsv *csv);
// Also for a zeroed CliCsv.
void cli_csv_free(CliCsv *csv);

#endif
