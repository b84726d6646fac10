#include "session.h"

#include <string.h>

#include "base/context.h"
#include "memory.h"
#include "outcome.h"
#include "report.h"

// the same texts once more, on the settings of the file
static MbsStatus apply_options(MbsContext *context, const CliOptions *options, MbsRequest *request) {
  for (int i = 0; i < mbs_settings_count; ++i) {
    if (options->given[i]) {
      MBS_TRY(
          mbs_setting_parse(context, &mbs_settings[i], mbs_settings[i].name, mbs_nowhere, options->given[i], request));
    }
  }
  request->settings.is_kinematic = options->is_kinematic;
  request->settings.is_equilibrium = options->is_equilibrium;
  request->has_own_coordinates = cli_options_given(options, "coordinates") != NULL;
  return MBS_OK;
}

int cli_session_open(CliSession *session, const CliOptions *options) {
  *session = (CliSession){.options = options, .context = mbs_context_create()};
  if (!session->context) {
    cli_memory_is_out();
  }
  const char *text = options->model_text;
  MbsStatus status = text ? mbs_model_read_text(session->context, text, strlen(text), options->operand, &session->model)
                          : mbs_model_read_file(session->context, options->operand, &session->model);
  for (int i = 0; status == MBS_OK && i < options->assignment_count; ++i) {
    const CliAssignment *assignment = &options->assignments[i];
    status = mbs_model_set(session->context, session->model, assignment->name, assignment->value);
  }
  if (status == MBS_OK) {
    status = mbs_request_create(session->context, session->model, &session->request);
  }
  if (status == MBS_OK) {
    status = apply_options(session->context, options, session->request);
  }
  return status == MBS_OK ? 0 : cli_fail_library(session->context, status);
}

void cli_session_close(CliSession *session) {
  cli_csv_free(&session->csv);
  cli_results_free(&session->results);
  cli_output_close(&session->output);
  mbs_request_destroy(session->request);
  mbs_model_destroy(session->model);
  mbs_context_destroy(session->context);
  *session = (CliSession){0};
}

int cli_session_fail(const CliSession *session, MbsStatus status) {
  if (status == MBS_ERROR_INTERRUPTED) {
    return cli_fail(status, "stopped at %.0f %% of the %s, nothing written", 100 * session->progress.fraction,
                    session->progress.label);
  }
  return session->output.error ? cli_output_fail(&session->output) : cli_fail_library(session->context, status);
}

// behind the sentence that says what failed
static void tell_incomplete(CliSession *session, const MbsResult *result, MbsMethod method) {
  if (session->output.partial) {
    cli_output_call_incomplete(&session->output);
  }
  if (cli_report_is_short(result)) {
    (void)fprintf(stderr, "mbsens: results are as accurate as they became, with estimates of their errors\n");
    return;
  }
  (void)fprintf(stderr, "mbsens: incomplete: results are those at t = %.10g of %.10g s%s", result->final_time,
                result->request->settings.end,
                method == MBS_METHOD_NONE ? ""
                : result->gradient        ? ", and gradients as if the run ended there"
                                          : ", without gradients");
  (void)fprintf(stderr, "%s%s\n", session->output.partial ? "; histories up to there: " : "",
                session->output.partial ? session->output.path : "");
}

// everything there is goes to HDF5, unless columns are chosen
int cli_session_record(CliSession *session, MbsRequest *request) {
  int exit_status = cli_output_open(&session->output, session->options->output);
  if (exit_status) {
    return exit_status;
  }
  if (!cli_path_ends_in(session->options->output, ".h5")) {
    cli_csv_begin(&session->csv, &session->output);
    request->recorder = &session->csv.recorder;
    return 0;
  }
  if (!request->settings.columns[0]) {
    (void)snprintf(request->settings.columns, sizeof request->settings.columns, "all,points,reactions");
  }
  cli_results_begin(&session->results, &session->output, request->method);
  request->recorder = &session->results.recorder;
  return 0;
}

int cli_session_run(CliSession *session, MbsMethod method, const char *label, bool is_recorded, MbsResult **result) {
  MbsRequest request = *session->request;
  request.method = method;
  request.settings.has_no_outputs = method != MBS_METHOD_NONE && !(is_recorded && session->options->output);
  *result = NULL;
  if (is_recorded && session->options->output) {
    int exit_status = cli_session_record(session, &request);
    if (exit_status) {
      return exit_status;
    }
  }
  cli_progress_begin(&session->progress, session->context, label, session->options->is_quiet);
  MbsStatus status = mbs_run(session->context, session->model, &request, result);
  cli_progress_end(&session->progress, session->context);
  int exit_status = status == MBS_OK ? 0 : cli_session_fail(session, status);
  if (*result && session->results.hdf5.output && is_recorded) {
    cli_results_end(&session->results, session->context, session->model, session->options, *result);
  }
  if (*result && !(*result)->is_complete) {
    tell_incomplete(session, *result, method);
  }
  return exit_status;
}

void cli_session_report_histories(FILE *out, const CliSession *session) {
  const CliCsv *csv = &session->csv;
  const CliResults *results = &session->results;
  if (csv->output || results->row_count > 0) {
    (void)fprintf(out, "histories: %s, %ld rows of %d columns\n", session->output.path,
                  csv->output ? csv->row_count : results->row_count,
                  csv->output ? csv->column_count : results->column_count);
  }
}

int cli_session_finish(CliSession *session) {
  if (!session->output.partial) {
    return 0;
  }
  int exit_status = session->csv.output ? cli_csv_check(&session->csv) : 0;
  return exit_status ? exit_status : cli_output_finish(&session->output);
}

int cli_session_commit(CliSession *session) {
  if (!session->output.partial) {
    return 0;
  }
  int exit_status = cli_finish_output(0);
  exit_status = exit_status ? exit_status : cli_output_commit(&session->output);
  if (!exit_status && session->csv.output) {
    cli_csv_tell_empty(&session->csv);
  }
  return exit_status;
}
