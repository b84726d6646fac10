#include "session.h"

#include <string.h>

#include "memory.h"
#include "outcome.h"
#include "report.h"

static void override_number(CliNumber number, double *setting) {
  if (number.is_given) {
    *setting = number.value;
  }
}

// the flag says whether the word is the one that was given
static void override_flag(const char *given, const char *word, bool *flag) {
  *flag = given ? strcmp(given, word) == 0 : *flag;
}

// `topic` of mbsens list has the names
static int override_name(const char *option, const char *topic, const char *name, char *setting) {
  if (!name) {
    return 0;
  }
  // the library knows which names there are, but none is that long
  if (strlen(name) >= MBS_NAME_LENGTH) {
    return cli_fail(MBS_ERROR_INPUT, "%s: unknown name \"%s\"; see mbsens list %s", option, name, topic);
  }
  memcpy(setting, name, strlen(name) + 1);
  return 0;
}

static int apply_options(const CliOptions *options, MbsRequest *request) {
  MbsSettings *settings = &request->settings;
  override_number(options->step, &settings->step);
  override_number(options->end, &settings->end);
  settings->end_in_model = options->end.is_given ? 0 : settings->end_in_model;
  override_number(options->accuracy, &settings->accuracy);
  override_number(options->tolerance, &settings->tolerance);
  override_number(options->step_tolerance, &settings->step_tolerance);
  override_number(options->penalty, &settings->penalty);
  override_number(options->xi, &settings->xi);
  override_number(options->omega, &settings->omega);
  override_number(options->beta, &settings->beta);
  override_number(options->gamma, &settings->gamma);
  override_number(options->spectral_radius, &settings->spectral_radius);
  settings->projections = options->projections.is_given ? (int)options->projections.value : settings->projections;
  override_flag(options->projection_matrix, "tangent", &settings->is_projection_tangent);
  override_flag(options->reference_point, "mass-centre", &settings->is_about_mass_centres);
  override_flag(options->nonholonomic, "projected", &settings->is_nonholonomic_projected);
  override_flag(options->tangent, "approximate", &settings->is_tangent_approximate);
  settings->derivatives = options->has_derivatives ? options->derivatives : settings->derivatives;
  settings->is_stabilised = settings->is_stabilised || options->is_stabilised;
  settings->is_kinematic = options->is_kinematic;
  settings->every = options->every.is_given ? (long)options->every.value : settings->every;
  override_number(options->sample, &settings->sample);
  request->difference = options->difference;
  override_number(options->difference_step, &request->difference_step);
  request->has_sundials = options->has_sundials;
  override_number(options->sundials_tolerance, &request->sundials_tolerance);
  override_number(options->memory, &request->memory);
  if (options->objectives.names) {
    request->objective_count = options->objectives.count;
    request->objectives = options->objectives.names;
  }
  if (options->parameters.names) {
    request->parameter_count = options->parameters.count;
    request->parameters = options->parameters.names;
  }
  request->has_own_coordinates = options->coordinates != NULL;
  const struct {
    const char *option, *text;
    char *target;
    size_t size;
  } lists[] = {{"--independent", options->independent, settings->independent, sizeof settings->independent},
               {"--tree", options->tree, settings->tree, sizeof settings->tree},
               {"--cut", options->cut, settings->cut, sizeof settings->cut},
               {"--columns", options->columns, settings->columns, sizeof settings->columns}};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
    if (lists[i].text && strlen(lists[i].text) >= lists[i].size) {
      return cli_fail(MBS_ERROR_INPUT, "%s: the list is longer than %d letters", lists[i].option,
                      (int)lists[i].size - 1);
    }
    if (lists[i].text) {
      memcpy(lists[i].target, lists[i].text, strlen(lists[i].text) + 1);
    }
  }
  int exit_status = override_name("--formulation", "formulations", options->formulation, settings->formulation);
  if (!exit_status) {
    exit_status = override_name("--coordinates", "coordinates", options->coordinates, settings->coordinates);
  }
  if (!exit_status) {
    exit_status = override_name("--integrator", "integrators", options->integrator, settings->integrator);
  }
  return exit_status;
}

int cli_session_open(CliSession *session, const CliOptions *options) {
  *session = (CliSession){.options = options, .context = mbs_context_create()};
  if (!session->context) {
    cli_memory_is_out();
  }
  MbsStatus status = mbs_model_read_file(session->context, options->operand, &session->model);
  for (int i = 0; status == MBS_OK && i < options->assignment_count; ++i) {
    const CliAssignment *assignment = &options->assignments[i];
    status = mbs_model_set(session->context, session->model, assignment->name, assignment->value);
  }
  if (status == MBS_OK) {
    status = mbs_request_default(session->context, session->model, &session->request);
  }
  return status == MBS_OK ? apply_options(options, &session->request) : cli_fail_library(session->context, status);
}

void cli_session_close(CliSession *session) {
  cli_csv_close(&session->csv);
  mbs_model_destroy(session->model);
  mbs_context_destroy(session->context);
  *session = (CliSession){0};
}

int cli_session_fail(const CliSession *session, MbsStatus status) {
  if (status == MBS_ERROR_INTERRUPTED) {
    return cli_fail(status, "stopped at %.0f %% of the %s, nothing written", 100 * session->progress.fraction,
                    session->progress.label);
  }
  return session->csv.error ? cli_csv_fail(&session->csv) : cli_fail_library(session->context, status);
}

// behind the sentence that says what failed
static void tell_incomplete(CliSession *session, const MbsResult *result, MbsMethod method) {
  if (session->csv.partial) {
    cli_csv_call_incomplete(&session->csv);
  }
  if (cli_report_is_short(result)) {
    (void)fprintf(stderr, "mbsens: results are as accurate as they became, with estimates of their errors\n");
    return;
  }
  (void)fprintf(stderr, "mbsens: incomplete: results are those at t = %.10g of %.10g s%s", result->final_time,
                result->settings.end,
                method == MBS_METHOD_NONE ? ""
                : result->gradient        ? ", and gradients as if the run ended there"
                                          : ", without gradients");
  (void)fprintf(stderr, "%s%s\n", session->csv.partial ? "; histories up to there: " : "",
                session->csv.partial ? session->csv.path : "");
}

int cli_session_run(CliSession *session, MbsMethod method, const char *label, bool is_recorded, MbsResult **result) {
  MbsRequest request = session->request;
  request.method = method;
  request.settings.has_no_outputs = method != MBS_METHOD_NONE && !(is_recorded && session->options->output);
  *result = NULL;
  if (is_recorded && session->options->output) {
    int exit_status = cli_csv_open(&session->csv, session->options->output);
    if (exit_status) {
      return exit_status;
    }
    request.recorder = &session->csv.recorder;
  }
  cli_progress_begin(&session->progress, session->context, label, session->options->is_quiet);
  MbsStatus status = mbs_run(session->context, session->model, &request, result);
  cli_progress_end(&session->progress, session->context);
  int exit_status = status == MBS_OK ? 0 : cli_session_fail(session, status);
  if (*result && !(*result)->is_complete) {
    tell_incomplete(session, *result, method);
  }
  return exit_status;
}

int cli_session_finish(CliSession *session) { return session->csv.partial ? cli_csv_finish(&session->csv) : 0; }

int cli_session_commit(CliSession *session) {
  if (!session->csv.partial) {
    return 0;
  }
  int exit_status = cli_finish_output(0);
  return exit_status ? exit_status : cli_csv_commit(&session->csv);
}
