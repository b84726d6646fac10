// Results of a run as one HDF5 file: everything that was computed over time, by groups, with its derivatives; what came
// out at the end; the model that it is of and the version that computed it. docs/results.md has the layout.
#ifndef MBS_CLI_RESULTS_H
#define MBS_CLI_RESULTS_H

#include <mbsens/mbsens.h>

#include "hdf5.h"
#include "options.h"

enum { CLI_RESULT_GROUPS = 10 };

// One of the groups of columns.
typedef struct CliResultGroup {
  const char *name;
  int count;     // of its columns,
  int *columns;  // where they are in a row
  CliHdf5Series values, derivatives;
} CliResultGroup;

typedef struct CliResults {
  CliHdf5 hdf5;  // its output is NULL: nothing is written
  MbsMethod method;
  int parameter_count, column_count, base_count;  // columns that are no derivatives, with the time
  CliHdf5Series time;
  CliResultGroup groups[CLI_RESULT_GROUPS];
  char **kinds, **units, **descriptions;  // of columns, until their names come
  long row_count;
  MbsRecorder recorder;
} CliResults;

// Rows given to `recorder` go to an open file. `results` must not move.
void cli_results_begin(CliResults *results, CliOutputFile *output, MbsMethod method);
// What is known when the run is over, and what it was of; the file is complete then.
void cli_results_end(CliResults *results, MbsContext *context, const MbsModel *model, const CliOptions *options,
                     const MbsResult *result);
// Also for zeroed results.
void cli_results_free(CliResults *results);

// What every HDF5 file of the command says of itself: version, command, the model as text, its changes.
void cli_results_put_origin(CliHdf5 *hdf5, MbsContext *context, const MbsModel *model, const CliOptions *options);

#endif
