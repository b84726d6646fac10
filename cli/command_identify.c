// mbsens identify: parameters from measurements (mbsens/identify.h), with what is known of them then.
#include <math.h>
#include <mbsens/identify.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "command.h"
#include "improved_model.h"
#include "json.h"
#include "memory.h"
#include "outcome.h"
#include "session.h"
#include "stop.h"
#include "table.h"

enum { MOST_CORRELATED = 12 };  // parameters: more make no table to be read

typedef struct Identifying {
  CliSession session;
  char label[100];  // of the progress
  int output_count;
  char **outputs, **columns;
  double *sigmas;
  double confidence;  // 0: that of the section
  MbsMeasured *measured;
  MbsIdentification *found;
} Identifying;

// ---- options ----
static bool read_number(const char *option, const char *text, size_t length, double *number) {
  char *copy = cli_memory_copy_text(text, length), *end;
  *number = strtod(copy, &end);
  bool is_good = end != copy && *end == '\0' && isfinite(*number) && *number > 0;
  if (!is_good) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must be a positive number, got \"%s\"", option, copy);
  }
  free(copy);
  return is_good;
}

// "A,B=COLUMN"
static void read_outputs(Identifying *own, const char *text) {
  for (size_t length; (length = mbs_name_next(&text)) > 0; text += length) {
    const char *equals = memchr(text, '=', length);
    size_t name = equals ? (size_t)(equals - text) : length, at = (size_t)own->output_count++;
    own->outputs = cli_memory_resize(own->outputs, at + 1, sizeof *own->outputs);
    own->columns = cli_memory_resize(own->columns, at + 1, sizeof *own->columns);
    own->outputs[at] = cli_memory_copy_text(text, name);
    own->columns[at] = equals ? cli_memory_copy_text(equals + 1, length - name - 1) : NULL;
  }
}

// "X", or "A=X,B=Y" of outputs that are listed
static bool read_sigmas(Identifying *own, const char *text) {
  const char *rest = text;
  if (!strchr(text, '=')) {
    double sigma;
    bool is_good = read_number("--sigma", text, strlen(text), &sigma);
    for (int i = 0; i < own->output_count && is_good; ++i) {
      own->sigmas[i] = sigma;
    }
    return is_good;
  }
  for (size_t length; (length = mbs_name_next(&rest)) > 0; rest += length) {
    const char *equals = memchr(rest, '=', length);
    size_t name = equals ? (size_t)(equals - rest) : length;
    int at = -1;
    for (int i = 0; i < own->output_count; ++i) {
      at = strlen(own->outputs[i]) == name && strncmp(own->outputs[i], rest, name) == 0 ? i : at;
    }
    if (!equals || at < 0) {
      (void)cli_fail(MBS_ERROR_INPUT, "--sigma: \"%.*s\" is no OUTPUT=NUMBER of an output that was measured",
                     (int)length, rest);
      return false;
    }
    if (!read_number("--sigma", equals + 1, length - name - 1, &own->sigmas[at])) {
      return false;
    }
  }
  return true;
}

static int read_files(Identifying *own) {
  const CliOptions *options = own->session.options;
  const MbsMeasuredOptions asked = {.file_count = options->data_count,
                                    .files = options->data,
                                    .output_count = own->output_count,
                                    .outputs = (const char *const *)own->outputs,
                                    .columns = (const char *const *)own->columns,
                                    .sigmas = own->sigmas};
  mbs_measured_destroy(own->measured);
  own->measured = NULL;
  MbsStatus status =
      mbs_measured_read(own->session.context, own->session.model, own->session.request, &asked, &own->measured);
  return status == MBS_OK ? 0 : cli_fail_library(own->session.context, status);
}

// Standard deviations by output need to know which there are: files are read once more then.
static int read_data(Identifying *own) {
  const CliOptions *options = own->session.options;
  if (options->confidence &&
      (!read_number("--confidence", options->confidence, strlen(options->confidence), &own->confidence))) {
    return cli_exit_status(MBS_ERROR_INPUT);
  }
  if (own->confidence >= 1) {
    return cli_fail(MBS_ERROR_INPUT, "--confidence: must be below 1, got \"%s\"", options->confidence);
  }
  if (options->measured) {
    read_outputs(own, options->measured);
  }
  int exit_status = read_files(own);
  if (exit_status || !options->sigma) {
    return exit_status;
  }
  for (int e = 0; e < own->measured->experiment_count && own->output_count == 0; ++e) {
    const MbsExperiment *experiment = &own->measured->experiments[e];
    for (int k = 0; k < experiment->measurement_count && e == 0; ++k) {
      const MbsMeasurement *measurement = &experiment->measurements[k];
      size_t at = (size_t)k;
      own->outputs = cli_memory_resize(own->outputs, at + 1, sizeof *own->outputs);
      own->columns = cli_memory_resize(own->columns, at + 1, sizeof *own->columns);
      own->outputs[at] = cli_memory_copy_text(measurement->output, strlen(measurement->output));
      own->columns[at] = cli_memory_copy_text(measurement->column, strlen(measurement->column));
    }
    own->output_count = experiment->measurement_count;
  }
  own->sigmas = cli_memory_take((size_t)own->output_count + 1, sizeof *own->sigmas);
  return read_sigmas(own, options->sigma) ? read_files(own) : cli_exit_status(MBS_ERROR_INPUT);
}

// ---- the search ----
static bool report(void *user, const MbsIdentifyStep *step) {
  Identifying *own = user;
  (void)snprintf(own->label, sizeof own->label, "iteration %d, sum of squares %.6g", step->iteration + 1, step->value);
  if (own->session.options->is_json) {
    CliJson json = cli_json_begin_line(stdout);
    cli_json_integer(&json, "iteration", step->iteration);
    cli_json_integer(&json, "evaluations", step->evaluations);
    cli_json_number(&json, "value", step->value);
    cli_json_boolean(&json, "accepted", step->is_accepted);
    cli_json_map(&json, "parameters", step->parameter_count, step->parameters, step->parameter_values);
    cli_json_end(&json);
    (void)fflush(stdout);
  }
  return !cli_stop_is_asked();
}

static int search(Identifying *own) {
  CliSession *session = &own->session;
  MbsStatus status = MBS_OK;
  if (!cli_options_given(session->options, "parameters")) {
    status = mbs_request_set_names(session->context, session->request, "parameters", own->measured->parameter_count,
                                   own->measured->parameters);
  }
  int exit_status = status == MBS_OK ? cli_improved_model_open(session) : cli_fail_library(session->context, status);
  if (exit_status) {
    return exit_status;
  }
  MbsIdentifyDef def = mbs_default_identify_def();
  def.experiment_count = own->measured->experiment_count;
  def.experiments = own->measured->experiments;
  def.confidence = own->confidence > 0 ? own->confidence : own->measured->confidence;
  def.iterations = own->measured->iterations;
  def.tolerance = own->measured->tolerance;
  def.report = report;
  def.user = own;
  (void)snprintf(own->label, sizeof own->label, "identify");
  cli_progress_begin(&session->progress, session->context, own->label, session->options->is_quiet);
  session->progress.is_open = true;
  status = mbs_identify(session->context, session->model, session->request, &def, &own->found);
  cli_progress_end(&session->progress, session->context);
  return status == MBS_OK ? 0 : cli_session_fail(session, status);
}

// ---- in words ----
static void print_parameters(const MbsIdentification *found) {
  char lower[40], upper[40];
  (void)snprintf(lower, sizeof lower, "lower %g %%", 100 * found->confidence);
  (void)snprintf(upper, sizeof upper, "upper %g %%", 100 * found->confidence);
  const char *const header[] = {"parameter", "start", "value", "standard error", lower, upper};
  CliTable *table = cli_table_create(6);
  for (int j = 0; j < 6; ++j) {
    cli_table_text(table, header[j]);
  }
  for (int i = 0; i < found->parameter_count; ++i) {
    bool is_known = isfinite(found->standard_errors[i]);
    cli_table_text(table, found->parameters[i]);
    cli_table_number(table, found->start_values[i]);
    cli_table_number(table, found->parameter_values[i]);
    if (is_known) {
      cli_table_error(table, found->standard_errors[i]);
      cli_table_number(table, found->lower[i]);
      cli_table_number(table, found->upper[i]);
    } else {
      cli_table_word(table, found->is_at_bound[i] ? "at its bound" : "not known");
      cli_table_blank(table);
      cli_table_blank(table);
    }
  }
  cli_table_print(table, stdout);
}

static void print_fits(const MbsIdentification *found) {
  const char *const header[] = {"output", "unit", "measurements", "sigma", "rms left"};
  CliTable *table = cli_table_create(5);
  for (int j = 0; j < 5; ++j) {
    cli_table_text(table, header[j]);
  }
  for (int i = 0; i < found->fit_count; ++i) {
    const MbsFit *fit = &found->fits[i];
    char sigma[60];
    (void)snprintf(sigma, sizeof sigma, "%.4g %s", fit->sigma, fit->is_estimated ? "estimated" : "given");
    cli_table_text(table, fit->output);
    cli_table_text(table, fit->unit ? fit->unit : "");
    cli_table_integer(table, fit->count);
    cli_table_text(table, sigma);
    cli_table_short(table, fit->rms);
  }
  cli_table_print(table, stdout);
}

static void print_correlation(const MbsIdentification *found) {
  int n = found->parameter_count;
  if (n < 2 || n > MOST_CORRELATED) {
    return;
  }
  CliTable *table = cli_table_create(1 + n);
  cli_table_text(table, "correlation");
  for (int k = 0; k < n; ++k) {
    cli_table_text(table, found->parameters[k]);
  }
  for (int j = 0; j < n; ++j) {
    cli_table_text(table, found->parameters[j]);
    for (int k = 0; k < n; ++k) {
      double value = found->correlation[j * n + k];
      if (isfinite(value)) {
        cli_table_short(table, value);
      } else {
        cli_table_blank(table);
      }
    }
  }
  cli_table_print(table, stdout);
}

static void print_words(const Identifying *own) {
  const MbsIdentification *found = own->found;
  bool is_quiet = own->session.options->is_quiet;
  if (!is_quiet) {
    (void)printf("%s: %d parameters from %ld measurements, %d iterations, %d runs%s\n%s\n\n", found->model,
                 found->parameter_count, found->measurement_count, found->iterations, found->evaluations,
                 found->failures > 0 ? ", some of which failed" : "", found->message);
  }
  print_parameters(found);
  print_fits(found);
  if (is_quiet) {
    return;
  }
  print_correlation(found);
  (void)printf("sum of squares over sigma^2: %.6g, for %ld measurements and %d parameters\n", found->value,
               found->measurement_count, found->parameter_count);
  if (isfinite(found->chance)) {
    (void)printf("as large or larger by chance: %.2g\n", found->chance);
  }
  for (int i = 0; i < found->undetermined_count; ++i) {
    (void)printf("note: %s\n", found->undetermined[i].sentence);
  }
  for (int i = 0; i < found->warning_count; ++i) {
    (void)printf("warning: %s\n", found->warnings[i]);
  }
  for (int i = 0; i < own->measured->unused_count; ++i) {
    (void)printf("%s%s%s", i == 0 ? "columns not used: " : ", ", own->measured->unused[i],
                 i == own->measured->unused_count - 1 ? "\n" : "");
  }
  (void)fputs("as options:", stdout);
  for (int i = 0; i < found->parameter_count; ++i) {
    cli_improved_model_print_option(stdout, found->parameters[i], found->parameter_values[i]);
  }
  (void)fputc('\n', stdout);
  if (own->session.options->output) {
    (void)printf("model with these values: %s\n", own->session.options->output);
  }
}

// ---- JSON ----
static void put_matrix(CliJson *json, const char *key, const MbsIdentification *found, const double *matrix) {
  int n = found->parameter_count;
  cli_json_open_object(json, key);
  for (int j = 0; j < n; ++j) {
    cli_json_open_object(json, found->parameters[j]);
    for (int k = 0; k < n; ++k) {
      cli_json_number(json, found->parameters[k], matrix[j * n + k]);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_numbers(CliJson *json, const char *key, const MbsIdentification *found, const double *numbers) {
  cli_json_map(json, key, found->parameter_count, found->parameters, numbers);
}

static void put_fits(CliJson *json, const MbsIdentification *found) {
  cli_json_open_array(json, "outputs");
  for (int i = 0; i < found->fit_count; ++i) {
    const MbsFit *fit = &found->fits[i];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "output", fit->output);
    cli_json_integer(json, "measurements", fit->count);
    cli_json_number(json, "sigma", fit->sigma);
    cli_json_boolean(json, "estimated", fit->is_estimated);
    cli_json_number(json, "rms", fit->rms);
    cli_json_number(json, "interpolation", fit->rough);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_undetermined(CliJson *json, const MbsIdentification *found) {
  cli_json_open_array(json, "undetermined");
  for (int i = 0; i < found->undetermined_count; ++i) {
    cli_json_open_object(json, NULL);
    cli_json_number(json, "condition", found->undetermined[i].condition);
    put_numbers(json, "direction", found, found->undetermined[i].directions);
    cli_json_text(json, "message", found->undetermined[i].sentence);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void print_json(const Identifying *own) {
  const MbsIdentification *found = own->found;
  CliJson json = cli_json_begin_line(stdout);
  cli_json_boolean(&json, "success", found->is_found);
  cli_json_text(&json, "message", found->message);
  cli_json_text(&json, "model", found->model);
  put_numbers(&json, "parameters", found, found->parameter_values);
  cli_json_number(&json, "value", found->value);
  cli_json_integer(&json, "iterations", found->iterations);
  cli_json_integer(&json, "evaluations", found->evaluations);
  cli_json_integer(&json, "failures", found->failures);
  cli_json_integer(&json, "measurements", found->measurement_count);
  cli_json_number(&json, "confidence", found->confidence);
  cli_json_number(&json, "degrees_of_freedom", found->freedom);
  cli_json_open_object(&json, "intervals");
  for (int i = 0; i < found->parameter_count; ++i) {
    cli_json_open_array(&json, found->parameters[i]);
    cli_json_number(&json, NULL, found->lower[i]);
    cli_json_number(&json, NULL, found->upper[i]);
    cli_json_close(&json);
  }
  cli_json_close(&json);
  put_numbers(&json, "standard_errors", found, found->standard_errors);
  put_matrix(&json, "covariance", found, found->covariance);
  put_matrix(&json, "correlation", found, found->correlation);
  cli_json_number(&json, "condition", found->condition);
  cli_json_number(&json, "chance", found->chance);
  put_fits(&json, found);
  put_undetermined(&json, found);
  cli_json_texts(&json, "unused", own->measured->unused_count, own->measured->unused);
  cli_json_texts(&json, "warnings", found->warning_count, found->warnings);
  cli_json_end(&json);
}

// ---- all of it ----
static void free_own(Identifying *own) {
  for (int i = 0; i < own->output_count; ++i) {
    free(own->outputs[i]);
    free(own->columns[i]);
  }
  free(own->outputs);
  free(own->columns);
  free(own->sigmas);
  mbs_identification_destroy(own->found);
  mbs_measured_destroy(own->measured);
  cli_session_close(&own->session);
}

int cli_run_identify(const CliOptions *options) {
  Identifying own = {.output_count = 0};
  int exit_status = cli_session_open(&own.session, options);
  exit_status = exit_status ? exit_status : read_data(&own);
  exit_status = exit_status ? exit_status : search(&own);
  if (!exit_status) {
    exit_status = cli_improved_model_write(&own.session, own.found->parameter_count, own.found->parameters,
                                           own.found->parameter_values);
  }
  if (!exit_status && options->is_json) {
    print_json(&own);
  } else if (!exit_status) {
    print_words(&own);
  }
  if (!exit_status) {
    exit_status = cli_session_commit(&own.session);
  }
  if (!exit_status && !own.found->is_found) {  // the best there was is printed
    exit_status = cli_fail(cli_stop_is_asked() ? MBS_ERROR_INTERRUPTED : MBS_ERROR_NUMERICAL, "%s", own.found->message);
  }
  free_own(&own);
  return exit_status;
}
