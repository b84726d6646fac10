#include "equilibrium_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "outcome.h"
#include "report.h"
#include "session.h"
#include "table.h"
#include "values.h"

typedef struct Along {
  char *name;
  int count;
  double *values;
} Along;

// NAME=FROM:TO:COUNT
static int read_along(const char *text, Along *along) {
  enum { MOST = 1000000 };
  CliAssignment assignment = {0};
  double from, to, count;
  char after;
  *along = (Along){0};
  const char *equals = strchr(text, '=');
  bool is_read = equals && equals != text && sscanf(equals + 1, "%lf:%lf:%lf%c", &from, &to, &count, &after) == 3 &&
                 isfinite(from) && isfinite(to) && count >= 1 && count <= MOST && !(count < floor(count)) &&
                 !(count > floor(count));
  if (!is_read || !cli_value_assignment("--along", text, &assignment)) {
    return cli_fail(MBS_ERROR_INPUT, "--along: must be NAME=FROM:TO:COUNT, such as load=0:2000:21, got \"%s\"", text);
  }
  along->name = assignment.name;
  along->count = (int)count;
  along->values = cli_memory_take((size_t)count, sizeof *along->values);
  for (int i = 0; i < along->count; ++i) {
    double part = along->count > 1 ? (double)i / (along->count - 1) : 0;
    along->values[i] = i + 1 == along->count && i > 0 ? to : from + part * (to - from);
  }
  return 0;
}

// ---- words ----
static void print_values(const MbsEquilibriumSweep *sweep, const MbsResult *first) {
  CliTable *table = cli_table_create(first->objective_count + 2);
  cli_table_text(table, sweep->parameter);
  for (int i = 0; i < first->objective_count; ++i) {
    cli_table_text(table, first->objectives[i]);
  }
  cli_table_text(table, "");
  for (int p = 0; p < sweep->count; ++p) {
    cli_table_number(table, sweep->values[p]);
    for (int i = 0; i < first->objective_count; ++i) {
      cli_table_number(table, sweep->points[p]->values[i]);
    }
    cli_table_text(table, cli_stability(sweep->points[p]->equilibrium));
  }
  cli_table_print(table, stdout);
}

static void print_gradients(const MbsEquilibriumSweep *sweep, const MbsResult *first) {
  int parameters = first->parameter_count, columns = first->objective_count * parameters;
  CliTable *table = cli_table_create(columns + 1);
  cli_table_text(table, sweep->parameter);
  for (int i = 0; i < columns; ++i) {
    char name[200];
    (void)snprintf(name, sizeof name, "d(%s)/d(%s)", first->objectives[i / parameters],
                   first->parameters[i % parameters]);
    cli_table_text(table, name);
  }
  for (int p = 0; p < sweep->count; ++p) {
    cli_table_number(table, sweep->values[p]);
    for (int i = 0; i < columns; ++i) {
      cli_table_number(table, sweep->points[p]->gradient[i]);
    }
  }
  cli_table_print(table, stdout);
}

// all parameters at all points are for files
static void print_words(const CliSession *session, const MbsEquilibriumSweep *sweep) {
  const CliOptions *options = session->options;
  const MbsResult *first = sweep->points[0];
  bool are_chosen = cli_options_given(options, "parameters") != NULL;
  bool has_gradients = first->gradient && first->objective_count > 0 && first->parameter_count > 0;
  if (!options->is_quiet) {
    (void)printf("%s: %s along %s, %s coordinates, %s\n\n", first->model,
                 first->equilibrium->is_steady ? "steady motion" : "equilibrium", sweep->parameter,
                 first->request->settings.coordinates, cli_method_name(options->asked->method));
  }
  print_values(sweep, first);
  if (has_gradients && are_chosen) {
    print_gradients(sweep, first);
  } else if (has_gradients && !options->is_quiet) {
    (void)printf("gradients by %d parameters at each point: --json, or choose them with --wrt\n",
                 first->parameter_count);
  }
  if (options->is_quiet) {
    return;
  }
  for (int i = 0; i < first->warning_count; ++i) {
    (void)printf("warning: %s\n", first->warnings[i]);
  }
  cli_session_report_histories(stdout, session);
}

static void print_json(const CliOptions *options, const MbsEquilibriumSweep *sweep) {
  const MbsResult *first = sweep->points[0];
  CliJson json = cli_json_begin(stdout);
  cli_json_text(&json, "model", first->model);
  cli_json_boolean(&json, "success", sweep->is_complete);
  cli_json_text(&json, "coordinates", first->request->settings.coordinates);
  cli_json_text(&json, "method", cli_method_name(options->asked->method));
  cli_json_text(&json, "along", sweep->parameter);
  if (sweep->message) {
    cli_json_text(&json, "message", sweep->message);
    cli_json_boolean(&json, "limit_point", sweep->is_limit);
    cli_json_number(&json, "last", sweep->last);
  }
  cli_json_open_array(&json, "points");
  for (int p = 0; p < sweep->count; ++p) {
    cli_json_open_object(&json, NULL);
    cli_json_number(&json, "value", sweep->values[p]);
    cli_put_equilibrium(&json, sweep->points[p]);
    cli_json_close(&json);
  }
  cli_json_close(&json);
  cli_report_json_statistics(&json, first);
  cli_json_end(&json);
}

// ---- the command ----
static int run(CliSession *session, const Along *along, MbsEquilibriumSweep **sweep) {
  const MbsEquilibriumSweepDef def = {.parameter = along->name, .count = along->count, .values = along->values};
  MbsRequest request = *session->request;
  request.method = session->options->asked->method;
  int exit_status = session->options->output ? cli_session_record(session, &request) : 0;
  if (exit_status) {
    return exit_status;
  }
  cli_progress_begin(&session->progress, session->context, "equilibria", session->options->is_quiet);
  MbsStatus status = mbs_equilibrium_sweep(session->context, session->model, &request, &def, sweep);
  cli_progress_end(&session->progress, session->context);
  exit_status = status == MBS_OK ? 0 : cli_session_fail(session, status);
  if (!*sweep) {
    return exit_status;
  }
  if (session->results.hdf5.output) {
    MbsResult last = *(*sweep)->points[(*sweep)->count - 1];
    last.is_complete = (*sweep)->is_complete;
    last.error = (*sweep)->message;
    cli_results_end(&session->results, session->context, session->model, session->options, &last);
  }
  if (exit_status) {
    if (session->output.partial) {
      cli_output_call_incomplete(&session->output);
    }
    (void)fprintf(stderr, "mbsens: incomplete: %d of %d equilibria%s%s\n", (*sweep)->count, along->count,
                  session->output.partial ? ": " : "", session->output.partial ? session->output.path : "");
  }
  return exit_status;
}

static int refuse(const CliOptions *options) {
  return options->has_comparison ? cli_fail(MBS_ERROR_NOT_OFFERED,
                                            "--compare: is not offered with --along; compare at one of the values, "
                                            "--set NAME=VALUE")
                                 : 0;
}

int cli_run_equilibrium_sweep(const CliOptions *options) {
  Along along;
  CliSession session = {0};
  MbsEquilibriumSweep *sweep = NULL;
  int failure = refuse(options);
  failure = failure ? failure : read_along(options->along, &along);
  if (failure) {
    return failure;
  }
  int exit_status = cli_session_open(&session, options);
  exit_status = exit_status ? exit_status : run(&session, &along, &sweep);
  failure = sweep ? cli_session_finish(&session) : 0;
  if (sweep && !failure) {
    if (options->is_json) {
      print_json(options, sweep);
    } else {
      print_words(&session, sweep);
    }
    failure = cli_session_commit(&session);
  }
  mbs_equilibrium_sweep_destroy(sweep);
  cli_session_close(&session);
  free(along.values);
  free(along.name);
  return failure ? failure : exit_status;
}
