// Columns of numbers with names and units, in memory: rows that a recorder gets, or a file of comma-separated values.
#ifndef MBS_CLI_DATA_H
#define MBS_CLI_DATA_H

#include <mbsens/mbsens.h>

typedef struct CliColumn {
  char *name;
  char *unit;      // NULL: none
  double *values;  // NaN: an empty field, or a text
  char **texts;    // as written, where some field is no number; else NULL
} CliColumn;

typedef struct CliData {
  int column_count;
  CliColumn *columns;
  long row_count, room;
  MbsRecorder recorder;  // rows that it gets become those of the data, which must not move
} CliData;

void cli_data_begin(CliData *data);
// Values as mbsens and others write them (RFC 4180): a line of names, each with its unit in brackets or without, then
// rows. Returns 0, or the exit status after a sentence on standard error. To be freed in both cases.
int cli_data_read(CliData *data, const char *path);
// -1: there is none.
int cli_data_find(const CliData *data, const char *name);
void cli_data_free(CliData *data);

#endif
