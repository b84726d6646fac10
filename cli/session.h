// What check, simulate, gradient and verify share: the model of the command line, read, with the options applied,
// and runs of it.
#ifndef MBS_CLI_SESSION_H
#define MBS_CLI_SESSION_H

#include <mbsens/mbsens.h>

#include "csv.h"
#include "options.h"
#include "output_file.h"
#include "progress.h"
#include "results.h"

typedef struct CliSession {
  const CliOptions *options;
  MbsContext *context;
  MbsModel *model;
  MbsRequest *request;  // the model file's settings, overridden by the options
  CliProgress progress;
  CliOutputFile output;  // of -o,
  CliCsv csv;            // and what goes to it: rows as text,
  CliResults results;    // or everything as HDF5
} CliSession;

// All functions return 0, or the exit status after a sentence on standard error.

// Close the session also when this fails.
int cli_session_open(CliSession *session, const CliOptions *options);
void cli_session_close(CliSession *session);

// Runs with `method`; `label` says in words what runs. The histories of -o are recorded where `is_recorded`. A run that
// failed on the way gives a result, too, with the exit status and a second sentence that says that it is incomplete.
int cli_session_run(CliSession *session, MbsMethod method, const char *label, bool is_recorded, MbsResult **result);
// The file of -o is begun, and the request records into it.
int cli_session_record(CliSession *session, MbsRequest *request);
// The file of -o, if there is one: completes it, to be done when all runs have succeeded and before printing; and gives
// it its name, after printing: what cannot be printed leaves the old file alone.
int cli_session_finish(CliSession *session);
int cli_session_commit(CliSession *session);

// "histories: ..."; nothing without -o.
void cli_session_report_histories(FILE *out, const CliSession *session);

// The sentence for a failed call of the library during `progress`, also when the user stopped it.
int cli_session_fail(const CliSession *session, MbsStatus status);

#endif
