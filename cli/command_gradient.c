// mbsens gradient: values of the objectives and their derivatives, if wanted beside those of a second method.
#include <math.h>
#include <mbsens/hessian.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "memory.h"
#include "ranked.h"
#include "report.h"
#include "session.h"
#include "table.h"

enum { MOST_COLUMNS = 4 };  // objectives side by side that fit into 100 columns

// quantity: an objective, or behind those the time of an event
static double entry(const MbsResult *result, int quantity, int parameter) {
  return quantity < result->objective_count ? result->gradient[quantity * result->parameter_count + parameter]
                                            : result->events[quantity - result->objective_count].gradient[parameter];
}

static bool has_times(const MbsResult *result) { return result->event_count > 0 && result->events[0].gradient; }

// |a - b| over their size, but not below a millionth of the quantity's largest derivative: one that is zero by
// symmetry has only rounding to show. 0 / 0 = 0.
static double relative_difference(const MbsResult *result, const MbsResult *other, int quantity, int parameter) {
  double a = entry(result, quantity, parameter), b = entry(other, quantity, parameter);
  double largest = 0;
  for (int j = 0; j < result->parameter_count; ++j) {
    largest = fmax(largest, fabs(entry(other, quantity, j)));
  }
  double size = fmax(fmax(fabs(a), fabs(b)), 1e-6 * largest);
  return a == b ? 0 : fabs(a - b) / size;
}

double cli_largest_difference(const MbsResult *result, const MbsResult *other) {
  // of the events' times too, where both methods give those
  bool with_times = has_times(result) && has_times(other);
  double largest = result->event_count == other->event_count ? 0 : HUGE_VAL;
  int count = result->objective_count + (with_times && !(largest > 0) ? result->event_count : 0);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < result->parameter_count; ++j) {
      double difference = relative_difference(result, other, i, j);
      // a NaN must not be lost
      largest = difference <= largest ? largest : difference;
    }
  }
  return largest;
}

// rows: parameters; columns: objectives first .. first + count - 1
static void print_gradient(const MbsResult *result, int first, int count) {
  const double *errors = result->gradient_errors;
  CliTable *table = cli_table_create(1 + (errors ? 2 : 1) * count);
  cli_table_text(table, "gradient");
  for (int i = first; i < first + count; ++i) {
    cli_table_text(table, result->objectives[i]);
    if (errors) {
      cli_table_text(table, "error");
    }
  }
  for (int j = 0; j < result->parameter_count; ++j) {
    cli_table_text(table, result->parameters[j]);
    for (int i = first; i < first + count; ++i) {
      cli_table_number(table, entry(result, i, j));
      if (errors) {
        cli_table_error(table, errors[i * result->parameter_count + j]);
      }
    }
  }
  cli_table_print(table, stdout);
}

static void print_gradients(const MbsResult *result) {
  int count = result->objective_count;
  int columns = count <= MOST_COLUMNS ? count : 1;
  for (int first = 0; first < count; first += columns) {
    print_gradient(result, first, columns);
  }
}

// of the start: positions in the first half of a row of at_start, velocities in the second
static void print_initial_state(const MbsResult *result) {
  for (int i = 0; i < result->objective_count; ++i) {
    const double *at_start = result->at_start + 2 * (size_t)i * (size_t)result->state_count;
    CliTable *table = cli_table_create(3);
    cli_table_text(table, result->objectives[i]);
    cli_table_text(table, "initial position");
    cli_table_text(table, "initial velocity");
    for (int k = 0; k < result->state_count; ++k) {
      cli_table_text(table, result->state_names[k]);
      cli_table_number(table, at_start[k]);
      cli_table_number(table, at_start[result->state_count + k]);
    }
    cli_table_print(table, stdout);
  }
}

static void put_initial_state(CliJson *json, const MbsResult *result) {
  static const char *const levels[] = {"position", "velocity"};
  cli_json_open_object(json, "initial_state");
  for (int i = 0; i < result->objective_count; ++i) {
    const double *at_start = result->at_start + 2 * (size_t)i * (size_t)result->state_count;
    cli_json_open_object(json, result->objectives[i]);
    for (int level = 0; level < 2; ++level) {
      cli_json_open_object(json, levels[level]);
      for (int k = 0; k < result->state_count; ++k) {
        cli_json_number(json, result->state_names[k], at_start[level * result->state_count + k]);
      }
      cli_json_close(json);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void print_comparison(const MbsResult *result, MbsMethod method, const MbsResult *other, MbsMethod compared) {
  for (int i = 0; i < result->objective_count; ++i) {
    CliTable *table = cli_table_create(4);
    cli_table_text(table, result->objectives[i]);
    cli_table_text(table, cli_method_name(method));
    cli_table_text(table, cli_method_name(compared));
    cli_table_text(table, "relative difference");
    for (int j = 0; j < result->parameter_count; ++j) {
      cli_table_text(table, result->parameters[j]);
      cli_table_number(table, entry(result, i, j));
      cli_table_number(table, entry(other, i, j));
      cli_table_error(table, relative_difference(result, other, i, j));
    }
    cli_table_print(table, stdout);
  }
}

// (p / psi) dpsi/dp, ranked, each objective with an order of its own
static void print_relative(const MbsResult *result) {
  CliRanked *list = cli_memory_take((size_t)result->parameter_count + 1, sizeof *list);
  for (int i = 0; i < result->objective_count; ++i) {
    char title[200];
    const char *name = result->objectives[i];
    bool is_relative = cli_ranked_is_relative(result, i);
    int count = cli_ranked_list(result, i, list);
    (void)snprintf(title, sizeof title, is_relative ? "(p / %s) d%s/dp" : "p d%s/dp (%s is 0)", name, name);
    CliTable *table = cli_table_create(2);
    cli_table_text(table, "relative sensitivity");
    cli_table_text(table, title);
    for (int k = 0; k < count; ++k) {
      cli_table_text(table, list[k].name);
      cli_table_number(table, list[k].value);
    }
    cli_table_print(table, stdout);
  }
  free(list);
}

// "relative_sensitivities": {"psi1": [{"parameter": "k", "value": 0.2}]}: in the order of their size
static void put_relative(CliJson *json, const MbsResult *result) {
  CliRanked *list = cli_memory_take((size_t)result->parameter_count + 1, sizeof *list);
  cli_json_open_object(json, "relative_sensitivities");
  for (int i = 0; i < result->objective_count; ++i) {
    int count = cli_ranked_list(result, i, list);
    cli_json_open_array(json, result->objectives[i]);
    for (int k = 0; k < count; ++k) {
      cli_json_open_object(json, NULL);
      cli_json_text(json, "parameter", list[k].name);
      cli_json_number(json, "value", list[k].value);
      cli_json_close(json);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
  free(list);
}

static double second(const MbsHessian *hessian, int objective, int p, int q) {
  return hessian->products[(objective * hessian->direction_count + p) * hessian->parameter_count + q];
}

// a table for each objective, so many columns side by side
static void print_hessian(const MbsHessian *hessian) {
  int count = hessian->parameter_count;
  for (int i = 0; i < hessian->objective_count; ++i) {
    for (int first = 0; first < count; first += MOST_COLUMNS) {
      int last = first + MOST_COLUMNS < count ? first + MOST_COLUMNS : count;
      char title[100];
      (void)snprintf(title, sizeof title, "d2 %s", hessian->objectives[i]);
      CliTable *table = cli_table_create(1 + last - first);
      cli_table_text(table, title);
      for (int q = first; q < last; ++q) {
        cli_table_text(table, hessian->parameters[q]);
      }
      for (int p = 0; p < count; ++p) {
        cli_table_text(table, hessian->parameters[p]);
        for (int q = first; q < last; ++q) {
          cli_table_number(table, second(hessian, i, p, q));
        }
      }
      cli_table_print(table, stdout);
    }
  }
}

// "hessian": {"psi1": {"p": {"q": ...}}}
static void put_hessian(CliJson *json, const MbsHessian *hessian) {
  cli_json_open_object(json, "hessian");
  for (int i = 0; i < hessian->objective_count; ++i) {
    cli_json_open_object(json, hessian->objectives[i]);
    for (int p = 0; p < hessian->parameter_count; ++p) {
      cli_json_open_object(json, hessian->parameters[p]);
      for (int q = 0; q < hessian->parameter_count; ++q) {
        cli_json_number(json, hessian->parameters[q], second(hessian, i, p, q));
      }
      cli_json_close(json);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static int find_hessian(CliSession *session, MbsHessian **hessian) {
  cli_progress_begin(&session->progress, session->context, "second derivatives", session->options->is_quiet);
  MbsStatus status = mbs_hessian(session->context, session->model, session->request, 0, NULL, hessian);
  cli_progress_end(&session->progress, session->context);
  return status == MBS_OK ? 0 : cli_session_fail(session, status);
}

void cli_print_gradients(const MbsResult *result, MbsMethod method, const MbsResult *other, MbsMethod compared) {
  if (other) {
    print_comparison(result, method, other, compared);
  } else if (result->gradient) {
    print_gradients(result);
  }
}

static void print_words(const CliSession *session, const MbsResult *result, const MbsResult *other,
                        const MbsHessian *hessian) {
  const CliOptions *options = session->options;
  if (!options->is_quiet) {
    cli_report_header(stdout, result, options->asked->method);
    cli_report_events(stdout, result);
    cli_report_values(stdout, result);
  }
  cli_print_gradients(result, options->asked->method, other, options->compared);
  if (options->is_relative && result->gradient) {
    print_relative(result);
  }
  if (hessian) {
    print_hessian(hessian);
  }
  if (options->wants_initial_state && result->is_complete) {
    print_initial_state(result);
  }
  if (options->is_quiet) {
    return;
  }
  if (other) {
    (void)printf("largest relative difference between %s and %s: %.1e\n", cli_method_name(options->asked->method),
                 cli_method_name(options->compared), cli_largest_difference(result, other));
    (void)printf("%s: %.3g s altogether; %s: %.3g s\n", cli_method_name(options->asked->method),
                 result->statistics.seconds_dynamics + result->statistics.seconds_sensitivity,
                 cli_method_name(options->compared),
                 other->statistics.seconds_dynamics + other->statistics.seconds_sensitivity);
  }
  cli_report_statistics(stdout, result);
  for (int i = 0; hessian && i < hessian->warning_count; ++i) {
    (void)printf("warning: %s\n", hessian->warnings[i]);
  }
  cli_session_report_histories(stdout, session);
}

static void print_json(const CliOptions *options, const MbsResult *result, const MbsResult *other,
                       const MbsHessian *hessian) {
  CliJson json = cli_json_begin(stdout);
  cli_report_json(&json, result, options->asked->method);
  if (result->at_start && result->is_complete) {
    put_initial_state(&json, result);
  }
  if (options->is_relative && result->gradient) {
    put_relative(&json, result);
  }
  if (hessian) {
    put_hessian(&json, hessian);
  }
  if (other) {
    cli_json_open_object(&json, "comparison");
    cli_json_text(&json, "method", cli_method_name(options->compared));
    cli_report_json_objectives(&json, "objectives", other);
    cli_report_json_events(&json, other);
    cli_json_number(&json, "max_relative_difference", cli_largest_difference(result, other));
    cli_json_close(&json);
  }
  MbsResult all = *result;
  int count = result->warning_count + (hessian ? hessian->warning_count : 0);
  const char **warnings = cli_memory_take((size_t)count, sizeof *warnings);
  for (int i = 0; i < count; ++i) {
    warnings[i] = i < result->warning_count ? result->warnings[i] : hessian->warnings[i - result->warning_count];
  }
  all.warning_count = count;
  all.warnings = warnings;
  cli_report_json_statistics(&json, &all);
  cli_json_end(&json);
  free(warnings);
}

int cli_run_gradient(const CliOptions *options) {
  CliSession session;
  MbsResult *result = NULL;
  MbsResult *other = NULL;
  MbsHessian *hessian = NULL;
  int exit_status = cli_session_open(&session, options), failure = 0;
  if (!exit_status) {
    failure = cli_session_run(&session, options->asked->method, "gradient", true, &result);
  }
  if (failure && !result) {
    exit_status = failure;
  }
  if (!exit_status && !failure && options->has_comparison) {
    exit_status = cli_session_run(&session, options->compared, "comparison", false, &other);
  }
  if (!exit_status && !failure && options->wants_hessian) {
    exit_status = find_hessian(&session, &hessian);
  }
  if (!exit_status) {
    exit_status = cli_session_finish(&session);
  }
  if (!exit_status && options->is_json) {
    print_json(options, result, other, hessian);
  } else if (!exit_status) {
    print_words(&session, result, other, hessian);
  }
  if (!exit_status) {
    exit_status = cli_session_commit(&session);
  }
  mbs_result_destroy(result);
  mbs_result_destroy(other);
  mbs_hessian_destroy(hessian);
  cli_session_close(&session);
  return failure ? failure : exit_status;
}
