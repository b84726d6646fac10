#include "study.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formulations/formulation.h"
#include "memory.h"
#include "model/registry.h"
#include "outcome.h"
#include "progress.h"

enum { ROUGH = 1000 };  // runs: more are surely a mistake

// ---- what is varied ----
static char *copy(const char *text) { return cli_memory_copy_text(text, strlen(text)); }

static void add_value(CliAxis *axis, const char *text, size_t length) {
  axis->values = cli_memory_resize(axis->values, (size_t)axis->count + 1, sizeof *axis->values);
  axis->values[axis->count++] = cli_memory_copy_text(text, length);
}

static bool is_setting(const CliAxis *axis, const char *name) { return strcmp(axis->setting->name, name) == 0; }

// "all" of what has a list
static bool add_all(CliAxis *axis) {
  static const char *const coordinates[] = {"natural", "relative", NULL}, *const methods[] = {"direct", "adjoint",
                                                                                              NULL};
  if (is_setting(axis, "formulation")) {
    for (int i = 0; mbs_formulation_types[i]; ++i) {
      add_value(axis, mbs_formulation_types[i]->name, strlen(mbs_formulation_types[i]->name));
    }
  }
  const char *const *names = is_setting(axis, "coordinates") ? coordinates
                             : is_setting(axis, "method")    ? methods
                                                             : axis->setting->choices;
  for (int i = 0; names && names[i] && axis->setting->setting->type != MBS_SETTING_FLAG; ++i) {
    add_value(axis, names[i], strlen(names[i]));
  }
  return axis->count > 0;
}

// values between commas, or between semicolons where one has commas
static int read_axis(CliStudy *study, CliSession *session, const char *given, const char *text) {
  char name[64];
  (void)snprintf(name, sizeof name, "%s", given);
  for (char *c = name; *c; ++c) {
    *c = *c == '-' ? '_' : *c;
  }
  // as the options call them
  const char *called = strcmp(name, "wrt") == 0 ? "parameters" : strcmp(name, "objective") == 0 ? "objectives" : name;
  const MbsField *setting = mbs_setting_find(session->context, called);
  if (!setting) {
    return cli_fail(MBS_ERROR_INPUT, "--vary %s: %s", given, mbs_context_message(session->context));
  }
  if (setting->setting->type == MBS_SETTING_NAMES || strcmp(called, "columns") == 0) {
    return cli_fail(MBS_ERROR_INPUT, "--vary %s: is the same in all runs; say --objective and --wrt", given);
  }
  for (int i = 0; i < study->axis_count; ++i) {
    if (study->axes[i].setting == setting) {
      return cli_fail(MBS_ERROR_INPUT, "--vary %s: is given twice; give all its values at once", given);
    }
  }
  CliAxis *axis = &study->axes[study->axis_count++];
  axis->setting = setting;
  if (strcmp(text, "all") == 0) {
    return add_all(axis) ? 0 : cli_fail(MBS_ERROR_INPUT, "--vary %s=all: has no list of all values; give some", given);
  }
  const char *separators = strchr(text, ';') ? ";" : ",";
  for (const char *c = text; *c;) {
    size_t length = strcspn(c, separators), bare = length;
    while (bare > 0 && isspace((unsigned char)c[bare - 1])) {
      --bare;
    }
    if (bare == 0) {
      return cli_fail(MBS_ERROR_INPUT, "--vary %s=%s: has an empty value", given, text);
    }
    add_value(axis, c, bare);
    c += length + (c[length] != '\0');
    c += strspn(c, " ");
  }
  // mistakes in values are told before the first run
  for (int i = 0; i < axis->count; ++i) {
    if (mbs_setting_parse(session->context, setting, given, mbs_nowhere, axis->values[i], session->request) != MBS_OK) {
      return cli_fail(MBS_ERROR_INPUT, "--vary %s", mbs_context_message(session->context));
    }
  }
  return 0;
}

// without --vary: every formulation in both coordinates, with the step, a half and a quarter of it
static int read_default(CliStudy *study, CliSession *session) {
  char steps[100];
  double step = session->request->settings.step;
  (void)snprintf(steps, sizeof steps, "%.15g,%.15g,%.15g", step, step / 2, step / 4);
  int status = read_axis(study, session, "formulation", "all");
  status = status ? status : read_axis(study, session, "coordinates", "all");
  return status ? status : read_axis(study, session, "step", steps);
}

// ---- the reference ----
static int find_name(int count, char **names, const char *text, size_t length) {
  for (int i = 0; i < count; ++i) {
    if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
      return i;
    }
  }
  return -1;
}

// psi1 or d(psi1)/d(Ls1): where its reference goes; NULL: there is no such number
static double *place_of(CliStudy *study, const char *name, size_t length) {
  int objective = find_name(study->objective_count, study->objectives, name, length);
  if (objective >= 0) {
    return &study->reference_values[objective];
  }
  for (int i = 0; i < study->objective_count; ++i) {
    for (int k = 0; k < study->parameter_count; ++k) {
      char whole[400];
      int size = snprintf(whole, sizeof whole, "d(%s)/d(%s)", study->objectives[i], study->parameters[k]);
      if ((size_t)size == length && strncmp(whole, name, length) == 0) {
        return &study->reference_gradient[i * study->parameter_count + k];
      }
    }
  }
  return NULL;
}

// "psi1=0.7269,d(psi1)/d(Ls1)=-4.229", once the names are known from a run
static int read_numbers(CliStudy *study, const char *text) {
  for (const char *c = text; *c;) {
    size_t length = strcspn(c, ","), name = strcspn(c, "=");
    char *end;
    double value = name < length ? strtod(c + name + 1, &end) : (double)NAN;
    if (name >= length || end != c + length || !isfinite(value)) {
      return cli_fail(MBS_ERROR_INPUT, "--reference: must be finest, an accuracy, or NAME=NUMBER,..., got \"%s\"",
                      text);
    }
    double *place = place_of(study, c, name);
    if (!place) {
      return cli_fail(MBS_ERROR_INPUT,
                      "--reference: no objective \"%.*s\" in this study; derivatives are called d(psi)/d(p)", (int)name,
                      c);
    }
    *place = value;
    c += length + (c[length] == ',');
  }
  return 0;
}

static int read_reference(CliStudy *study, CliSession *session) {
  const char *text = session->options->reference;
  char *end;
  if (!text || strcmp(text, "finest") == 0) {
    return 0;
  }
  study->accuracy = strtod(text, &end);
  if (*end == '\0') {
    study->reference = CLI_REFERENCE_ACCURACY;
    return study->accuracy > 0 && study->accuracy < 1
               ? 0
               : cli_fail(MBS_ERROR_INPUT, "--reference: an accuracy must be between 0 and 1, got \"%s\"", text);
  }
  study->reference = CLI_REFERENCE_NUMBERS;
  return strchr(text, '=') ? 0
                           : cli_fail(MBS_ERROR_INPUT,
                                      "--reference: must be finest, an accuracy, or NAME=NUMBER,..., got \"%s\"", text);
}

int cli_study_read(CliStudy *study, CliSession *session) {
  const CliOptions *options = session->options;
  *study = (CliStudy){.axes = cli_memory_take((size_t)options->variation_count + 3, sizeof *study->axes)};
  int exit_status = 0;
  for (int i = 0; i < options->variation_count && !exit_status; ++i) {
    exit_status = read_axis(study, session, options->variations[i].name, options->variations[i].value);
  }
  if (!exit_status && options->variation_count == 0) {
    exit_status = read_default(study, session);
  }
  exit_status = exit_status ? exit_status : read_reference(study, session);
  double runs = 1;
  for (int i = 0; i < study->axis_count; ++i) {
    runs *= study->axes[i].count;
  }
  if (!exit_status && runs > ROUGH) {
    exit_status = cli_fail(MBS_ERROR_INPUT, "--vary: makes %.0f runs, more than %d; vary less at a time", runs, ROUGH);
  }
  study->run_count = exit_status ? 0 : (int)runs;
  study->runs = cli_memory_take((size_t)study->run_count + 1, sizeof *study->runs);
  return exit_status;
}

// ---- runs ----
static double *copy_numbers(size_t count, const double *numbers) {
  double *copied = cli_memory_take(count, sizeof *copied);
  memcpy(copied, numbers, count * sizeof *copied);
  return copied;
}

static double *no_numbers(size_t count) {
  double *numbers = cli_memory_take(count, sizeof *numbers);
  for (size_t i = 0; i < count; ++i) {
    numbers[i] = (double)NAN;
  }
  return numbers;
}

// the first result tells names and counts, which are those of all
static void learn(CliStudy *study, const MbsResult *result) {
  if (study->model) {
    return;
  }
  study->model = copy(result->model);
  study->objective_count = result->objective_count;
  study->parameter_count = result->parameter_count;
  study->objectives = cli_memory_take((size_t)result->objective_count, sizeof *study->objectives);
  study->parameters = cli_memory_take((size_t)result->parameter_count, sizeof *study->parameters);
  for (int i = 0; i < result->objective_count; ++i) {
    study->objectives[i] = copy(result->objectives[i]);
  }
  for (int i = 0; i < result->parameter_count; ++i) {
    study->parameters[i] = copy(result->parameters[i]);
  }
  study->reference_values = no_numbers((size_t)result->objective_count);
  study->reference_gradient = no_numbers((size_t)(result->objective_count * result->parameter_count));
}

static void keep(const CliStudy *study, CliStudyRun *run, const MbsResult *result, double seconds) {
  size_t objectives = (size_t)study->objective_count, parameters = (size_t)study->parameter_count;
  bool is_first = !run->values;
  run->seconds = is_first || seconds < run->seconds ? seconds : run->seconds;
  if (is_first) {
    run->values = copy_numbers(objectives, result->values);
    run->gradient = result->gradient ? copy_numbers(objectives * parameters, result->gradient) : NULL;
    run->value_errors = no_numbers(objectives);
    run->value_orders = no_numbers(objectives);
    run->gradient_errors = no_numbers(objectives);
    run->gradient_orders = no_numbers(objectives);
    run->step = result->request->settings.step;
    run->steps = result->statistics.steps;
    run->iterations = result->statistics.iterations;
  }
}

// Returns 0 also where the run fails: its sentence is kept.
static int run_once(CliStudy *study, CliSession *session, CliStudyRun *run, const char *label, int part, int parts) {
  MbsRequest request = *session->request;
  MbsResult *result = NULL;
  request.settings.has_no_outputs = true;
  cli_progress_begin_part(&session->progress, session->context, label, session->options->is_quiet, part, parts);
  double start = cli_processor_seconds();
  MbsStatus status = mbs_run(session->context, session->model, &request, &result);
  double seconds = cli_processor_seconds() - start;
  cli_progress_end(&session->progress, session->context);
  if (status == MBS_ERROR_INTERRUPTED || status == MBS_ERROR_MEMORY) {
    mbs_result_destroy(result);
    return cli_session_fail(session, status);
  }
  if (status != MBS_OK) {
    run->status = status;
    run->failure = copy(mbs_context_message(session->context));
  } else {
    learn(study, result);
    keep(study, run, result, seconds);
  }
  mbs_result_destroy(result);
  return 0;
}

static int run_accurately(CliStudy *study, CliSession *session) {
  CliStudyRun run = {0};
  MbsRequest kept = *session->request;
  session->request->settings.accuracy = study->accuracy;
  session->request->method = MBS_METHOD_DIRECT;
  int exit_status = run_once(study, session, &run, "reference", 0, 1);
  *session->request = kept;
  if (!exit_status && run.failure) {
    exit_status = cli_fail(MBS_ERROR_NUMERICAL, "--reference: %s", run.failure);
  }
  if (!exit_status) {
    memcpy(study->reference_values, run.values, (size_t)study->objective_count * sizeof(double));
    memcpy(study->reference_gradient, run.gradient,
           (size_t)(study->objective_count * study->parameter_count) * sizeof(double));
  }
  free(run.failure);
  double *const arrays[] = {run.values,       run.gradient,        run.value_errors,
                            run.value_orders, run.gradient_errors, run.gradient_orders};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
    free(arrays[i]);
  }
  return exit_status;
}

// The settings of a run: the last axis varies fastest.
static int choose(const CliStudy *study, CliSession *session, int index, CliStudyRun *run) {
  run->choice = cli_memory_take((size_t)study->axis_count, sizeof *run->choice);
  run->reference = -1;
  for (int i = study->axis_count - 1; i >= 0; --i) {
    const CliAxis *axis = &study->axes[i];
    run->choice[i] = index % axis->count;
    index /= axis->count;
    MbsStatus status = mbs_setting_parse(session->context, axis->setting, axis->setting->name, mbs_nowhere,
                                         axis->values[run->choice[i]], session->request);
    if (status != MBS_OK) {
      return cli_fail_library(session->context, status);
    }
  }
  return 0;
}

int cli_study_run(CliStudy *study, CliSession *session) {
  int exit_status = 0, good = 0;
  if (study->reference == CLI_REFERENCE_ACCURACY) {
    exit_status = run_accurately(study, session);
  }
  for (int i = 0; i < study->run_count && !exit_status; ++i) {
    char label[60];
    CliStudyRun *run = &study->runs[i];
    (void)snprintf(label, sizeof label, "run %d of %d", i + 1, study->run_count);
    exit_status = choose(study, session, i, run);
    for (long k = 0; k < session->options->repeat && !exit_status && !run->failure; ++k) {
      exit_status = run_once(study, session, run, label, i, study->run_count);
    }
    good += !exit_status && !run->failure;
  }
  if (!exit_status && good == 0) {
    return cli_fail(study->runs[0].status, "none of the %d runs succeeds: %s", study->run_count,
                    study->runs[0].failure);
  }
  if (!exit_status && study->reference == CLI_REFERENCE_NUMBERS) {
    exit_status = read_numbers(study, session->options->reference);
  }
  return exit_status;
}

// ---- errors and orders ----
// the same settings but for the step
static bool is_same_but_step(const CliStudy *study, const CliStudyRun *a, const CliStudyRun *b) {
  for (int i = 0; i < study->axis_count; ++i) {
    if (a->choice[i] != b->choice[i] && !is_setting(&study->axes[i], "step")) {
      return false;
    }
  }
  return true;
}

static double value_error(double value, double reference) {
  return fabs(value - reference) / (reference == 0 ? 1 : fabs(reference));
}

static double gradient_error(int count, const double *gradient, const double *reference) {
  double error = (double)NAN, size = 0;
  for (int k = 0; k < count; ++k) {
    if (!isnan(reference[k])) {
      double off = fabs(gradient[k] - reference[k]);
      error = isnan(error) || off > error ? off : error;
      size = fmax(size, fabs(reference[k]));
    }
  }
  return size > 0 ? error / size : error;
}

// of the run with the smallest step that went well; -1: it is the only one
static int find_finest(const CliStudy *study, const CliStudyRun *run) {
  int finest = -1;
  for (int i = 0; i < study->run_count; ++i) {
    const CliStudyRun *other = &study->runs[i];
    if (other->values && is_same_but_step(study, run, other) &&
        (finest < 0 || other->step < study->runs[finest].step)) {
      finest = i;
    }
  }
  return finest;
}

static void find_errors(const CliStudy *study, CliStudyRun *run) {
  const double *values = study->reference_values, *gradient = study->reference_gradient;
  if (study->reference == CLI_REFERENCE_FINEST) {
    run->reference = find_finest(study, run);
    const CliStudyRun *finest = &study->runs[run->reference];
    if (finest == run) {
      return;  // it is its own reference
    }
    values = finest->values;
    gradient = finest->gradient;
  }
  for (int i = 0; i < study->objective_count; ++i) {
    run->value_errors[i] = value_error(run->values[i], values[i]);
    if (run->gradient && gradient) {
      int first = i * study->parameter_count;
      run->gradient_errors[i] = gradient_error(study->parameter_count, run->gradient + first, gradient + first);
    }
  }
}

// e1 / e2 = (h1^p - h3^p) / (h2^p - h3^p), by bisection: the right side grows with p; h3 = 0: against a true value
static double find_order(double e1, double e2, double h1, double h2, double h3) {
  const double rounding = 1e-12;
  double low = 0.05, high = 20;
  if (!(e1 > rounding && e2 > rounding && h1 > h2 && h2 > h3)) {
    return (double)NAN;
  }
  if (h3 <= 0) {
    return log(e1 / e2) / log(h1 / h2);
  }
#define EXCESS(p) ((pow(h1, p) - pow(h3, p)) / (pow(h2, p) - pow(h3, p)) - e1 / e2)
  if (EXCESS(low) > 0 || EXCESS(high) < 0) {
    return (double)NAN;
  }
  for (int i = 0; i < 60; ++i) {
    double middle = (low + high) / 2;
    *(EXCESS(middle) > 0 ? &high : &low) = middle;
  }
#undef EXCESS
  return (low + high) / 2;
}

// against the run with the next larger step
static void find_orders(const CliStudy *study, CliStudyRun *run) {
  const CliStudyRun *coarser = NULL;
  for (int i = 0; i < study->run_count; ++i) {
    const CliStudyRun *other = &study->runs[i];
    if (other->values && is_same_but_step(study, run, other) && other->step > run->step &&
        (!coarser || other->step < coarser->step)) {
      coarser = other;
    }
  }
  double h3 = run->reference >= 0 ? study->runs[run->reference].step : 0;
  for (int i = 0; coarser && i < study->objective_count; ++i) {
    run->value_orders[i] = find_order(coarser->value_errors[i], run->value_errors[i], coarser->step, run->step, h3);
    run->gradient_orders[i] =
        find_order(coarser->gradient_errors[i], run->gradient_errors[i], coarser->step, run->step, h3);
  }
}

void cli_study_judge(CliStudy *study) {
  for (int i = 0; i < study->run_count; ++i) {
    if (study->runs[i].values) {
      find_errors(study, &study->runs[i]);
    }
  }
  for (int i = 0; i < study->run_count; ++i) {
    if (study->runs[i].values) {
      find_orders(study, &study->runs[i]);
    }
  }
}

static void free_list(int count, char **texts) {
  for (int i = 0; i < count && texts; ++i) {
    free(texts[i]);
  }
  free(texts);
}

void cli_study_free(CliStudy *study) {
  for (int i = 0; i < study->axis_count; ++i) {
    free_list(study->axes[i].count, study->axes[i].values);
  }
  for (int i = 0; i < study->run_count; ++i) {
    CliStudyRun *run = &study->runs[i];
    double *const arrays[] = {run->values,       run->gradient,        run->value_errors,
                              run->value_orders, run->gradient_errors, run->gradient_orders};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
      free(arrays[k]);
    }
    free(run->failure);
    free(run->choice);
  }
  free(study->axes);
  free(study->runs);
  free_list(study->objective_count, study->objectives);
  free_list(study->parameter_count, study->parameters);
  free(study->reference_values);
  free(study->reference_gradient);
  free(study->model);
  *study = (CliStudy){0};
}
