// Columns of numbers with names and units, in memory: rows that a recorder gets, or a file of comma-separated values.
#ifndef MBS_CLI_DATA_H
#define MBS_CLI_DATA_H

#include <mbsens/mbsens.h>
#include <stdbool.h>

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
  struct CliThinning *thinning;  // NULL: all rows are kept
  MbsRecorder recorder;          // rows that it gets become those of the data, which must not move
} CliData;

void cli_data_begin(CliData *data);
// The same, of runs of any length: at most so many numbers are kept (and at least 200 rows). thin.c
typedef enum CliThin {
  CLI_THIN_CURVES,  // of what is left out the smallest and the largest value of each column stay, so that no spike is
                    // lost; derivatives at events are no points of a curve: NaN
  CLI_THIN_ROWS     // every second, fourth, ... row stays as it is, and the last
} CliThin;
void cli_data_begin_thin(CliData *data, CliThin how, size_t most_numbers);
// After the run: the last row. `has_ended`: an event did that.
void cli_data_end_thin(CliData *data, bool has_ended);
// Values as mbsens and others write them (RFC 4180): a line of names, each with its unit in brackets or without, then
// rows. Returns 0, or the exit status after a sentence on standard error. To be freed in both cases.
int cli_data_read(CliData *data, const char *path);
// Results as HDF5 (docs/results.md): the time, the columns of all groups, derivatives d(column)/d(parameter). Returns
// likewise.
int cli_data_read_results(CliData *data, const char *path);
// -1: there is none.
int cli_data_find(const CliData *data, const char *name);
// Of an output its one column, load, or the first of several: load.x.
int cli_data_find_output(const CliData *data, const char *name);
void cli_data_free(CliData *data);
// For thin.c: a row at the end, and the memory of what it keeps.
void cli_data_add_row(CliData *data, const double *values);
void cli_thinning_free(struct CliThinning *thinning);

#endif
