// Where curves come from: runs of models, and files of comma-separated values. Each gives rows with the columns that
// are asked for, which words of --y mean:
//
//   of a model: a column or group of columns of histories, *; d(X)/d(p); any other expression, which becomes an output
//   of a file: the name of a column, *
#ifndef MBS_CLI_SOURCE_H
#define MBS_CLI_SOURCE_H

#include "../options.h"
#include "data.h"
#include "words.h"

typedef struct CliMoment {
  double time;
  char *name;
} CliMoment;

typedef struct CliSeries {
  int word;    // that means it
  int column;  // of the data
  char *label;
} CliSeries;

typedef struct CliRun {
  char *label;  // tells it from the others: a value, the name of a file; "": there are none of that source
  const char *operand;
  CliData data;
  int x;         // column of the horizontal axis,
  char *x_name;  // and its name
  int series_count;
  CliSeries *series;
  int moment_count;
  CliMoment *moments;  // events
} CliRun;

typedef struct CliRuns {
  int count;
  CliRun *items;
} CliRuns;

// What is asked for. Words that are not given are chosen by the first source.
typedef struct CliAsked {
  const CliOptions *options;
  CliWords words;
  const char *x;  // NULL: time, or the first column
  // of a report
  size_t most_numbers;     // that are kept of a run, which is thinned; 0: all
  bool wants_derivatives;  // of every word that is none, by all parameters, where there are not too many:
  bool has_too_many;       // there were
  const char *instead;     // a word where there is none, or too many, to choose; NULL: that is an error
  MbsResult **result;      // what the last run gave, for the caller to destroy; NULL: not wanted
} CliAsked;

// Adds the runs of an operand. Return 0, or the exit status after a sentence on standard error.
int cli_source_read_model(CliAsked *asked, const char *operand, CliRuns *runs);
int cli_source_read_file(CliAsked *asked, const char *operand, CliRuns *runs);

// ---- for these two ----
// The columns of a run move with it: a recorder's data must stay where it is.
CliRun *cli_runs_add(CliRuns *runs, const char *operand, const char *label);
void cli_run_add_series(CliRun *run, int word, int column, const char *label);
void cli_runs_free(CliRuns *runs);
// Derivatives at events are no points of a curve over time; `has_ended`: the last row is one.
void cli_run_blank_at_events(CliRun *run, bool has_ended);
// Words for columns: a panel for each unit, and one for each column without a unit while there are few.
void cli_words_add_by_unit(CliWords *words, int count, const CliColumn *const *columns);

#endif
