// See results.h. A row of a recorder is
//   t, numbers of all groups (base_count - 1), then their derivatives, parameter by parameter,
// and goes apart into the series of each group: its numbers, [row, column], and their derivatives, [row, column,
// parameter]. With the continuous adjoint there are derivatives of the objectives alone.
#include "results.h"

#include <mbsens/build.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "model/settings.h"

static const char *const group_names[CLI_RESULT_GROUPS] = {"outputs",     "coordinates", "velocities", "accelerations",
                                                           "multipliers", "objectives",  "points",     "frames",
                                                           "reactions",   "residuals"};

// ---- rows ----
static MbsStatus state_of(const CliResults *results) { return results->hdf5.output->error ? MBS_ERROR_FILE : MBS_OK; }

static char **copy_texts(int count, const char *const *texts) {
  char **copies = cli_memory_take((size_t)count, sizeof *copies);
  for (int i = 0; i < count; ++i) {
    copies[i] = texts[i] ? cli_memory_copy_text(texts[i], strlen(texts[i])) : NULL;
  }
  return copies;
}

static void free_texts(int count, char **texts) {
  for (int i = 0; i < count && texts; ++i) {
    free(texts[i]);
  }
  free(texts);
}

static MbsStatus keep_units(void *user, int column_count, const char *const *units, const char *const *descriptions) {
  CliResults *results = user;
  results->column_count = column_count;
  results->units = copy_texts(column_count, units);
  results->descriptions = copy_texts(column_count, descriptions);
  return MBS_OK;
}

static MbsStatus keep_groups(void *user, int column_count, const char *const *groups) {
  CliResults *results = user;
  results->kinds = copy_texts(column_count, groups);
  while (results->base_count < column_count && groups[results->base_count]) {
    ++results->base_count;
  }
  return MBS_OK;
}

static bool is_continuous(const CliResults *results) { return results->method == MBS_METHOD_ADJOINT_CONTINUOUS; }

static bool has_derivatives(const CliResults *results, const CliResultGroup *group) {
  return results->parameter_count > 0 && (!is_continuous(results) || strcmp(group->name, "objectives") == 0);
}

// names, units and descriptions of the columns of a group
static void put_texts(CliResults *results, const CliResultGroup *group, const char *what, const char *const *all) {
  const char **texts = cli_memory_take((size_t)group->count, sizeof *texts);
  char path[80];
  for (int i = 0; i < group->count; ++i) {
    texts[i] = all[group->columns[i]];
  }
  (void)snprintf(path, sizeof path, "/%s/%s", group->name, what);
  cli_hdf5_texts(&results->hdf5, path, group->count, texts);
  free(texts);
}

static void begin_group(CliResults *results, CliResultGroup *group, const char *const *names) {
  char path[80];
  const size_t sizes[2] = {(size_t)group->count, (size_t)results->parameter_count};
  (void)snprintf(path, sizeof path, "/%s", group->name);
  cli_hdf5_group(&results->hdf5, path);
  put_texts(results, group, "name", names);
  put_texts(results, group, "unit", (const char *const *)results->units);
  put_texts(results, group, "description", (const char *const *)results->descriptions);
  (void)snprintf(path, sizeof path, "/%s/value", group->name);
  cli_hdf5_series_begin(&group->values, &results->hdf5, path, 1, sizes);
  if (has_derivatives(results, group)) {
    (void)snprintf(path, sizeof path, "/%s/derivative", group->name);
    cli_hdf5_series_begin(&group->derivatives, &results->hdf5, path, 2, sizes);
  }
}

static MbsStatus begin(void *user, int column_count, const char *const *names) {
  CliResults *results = user;
  results->column_count = column_count;
  int base = results->base_count - 1, objectives = 0;
  for (int i = 0; i < CLI_RESULT_GROUPS; ++i) {
    CliResultGroup *group = &results->groups[i];
    group->name = group_names[i];
    group->columns = cli_memory_take((size_t)results->base_count, sizeof *group->columns);
    for (int j = 1; j <= base; ++j) {
      if (strcmp(results->kinds[j], group->name) == 0) {
        group->columns[group->count++] = j;
      }
    }
    objectives = strcmp(group->name, "objectives") == 0 ? group->count : objectives;
  }
  int differentiated = is_continuous(results) ? objectives : base;
  results->parameter_count = differentiated > 0 ? (column_count - 1 - base) / differentiated : 0;
  cli_hdf5_series_begin(&results->time, &results->hdf5, "/time", 0, NULL);
  bool is_along = strcmp(results->kinds[0], "parameter") == 0;  // an equilibrium along a parameter has no time
  cli_hdf5_attribute_text(&results->hdf5, "/time", is_along ? "parameter" : "unit", is_along ? names[0] : "s");
  for (int i = 0; i < CLI_RESULT_GROUPS; ++i) {
    if (results->groups[i].count > 0) {
      begin_group(results, &results->groups[i], names);
    }
  }
  return state_of(results);
}

static void add_derivatives(const CliResults *results, CliResultGroup *group, const double *row) {
  int parameters = results->parameter_count, stride = results->base_count - 1;
  double *to = cli_hdf5_series_row(&group->derivatives);
  for (int i = 0; i < group->count; ++i) {
    // those of the continuous adjoint are of the objectives alone, in their order
    int place = is_continuous(results) ? i : group->columns[i] - 1;
    int block = is_continuous(results) ? group->count : stride;
    for (int k = 0; k < parameters; ++k) {
      to[i * parameters + k] = row[results->base_count + k * block + place];
    }
  }
  cli_hdf5_series_next(&group->derivatives);
}

static MbsStatus add_row(void *user, const double *row) {
  CliResults *results = user;
  *cli_hdf5_series_row(&results->time) = row[0];
  cli_hdf5_series_next(&results->time);
  for (int i = 0; i < CLI_RESULT_GROUPS; ++i) {
    CliResultGroup *group = &results->groups[i];
    if (group->count > 0) {
      double *to = cli_hdf5_series_row(&group->values);
      for (int j = 0; j < group->count; ++j) {
        to[j] = row[group->columns[j]];
      }
      cli_hdf5_series_next(&group->values);
      if (has_derivatives(results, group)) {
        add_derivatives(results, group, row);
      }
    }
  }
  ++results->row_count;
  return state_of(results);
}

void cli_results_begin(CliResults *results, CliOutputFile *output, MbsMethod method) {
  *results = (CliResults){.method = method};
  cli_hdf5_begin(&results->hdf5, output);
  results->recorder =
      (MbsRecorder){.user = results, .describe = keep_units, .begin = begin, .row = add_row, .group = keep_groups};
}

// ---- at the end ----
// the text of the file, if it can be read again
static char *read_text(const char *path) {
  struct stat entry;
  FILE *file = stat(path, &entry) == 0 && S_ISREG(entry.st_mode) ? fopen(path, "r") : NULL;
  if (!file) {
    return NULL;
  }
  size_t size = (size_t)entry.st_size;
  char *text = cli_memory_take(size + 1, 1);
  text[fread(text, 1, size, file)] = '\0';
  (void)fclose(file);
  return text;
}

void cli_results_put_origin(CliHdf5 *hdf5, MbsContext *context, const MbsModel *model, const CliOptions *options) {
  cli_hdf5_attribute(hdf5, "/", "layout", 1);
  cli_hdf5_attribute_text(hdf5, "/", "mbsens", mbs_version());
  cli_hdf5_attribute_text(hdf5, "/", "command", options->command);
  cli_hdf5_group(hdf5, "/model");
  cli_hdf5_attribute_text(hdf5, "/model", "file", options->operand);
  char *text = read_text(options->operand), *whole = NULL;
  if (text) {
    cli_hdf5_text(hdf5, "/model/text", text);
  }
  if (mbs_model_write(context, model, &whole) == MBS_OK) {
    cli_hdf5_text(hdf5, "/model/whole", whole);
  }
  const char **set = cli_memory_take((size_t)options->assignment_count, sizeof *set);
  char **owned = cli_memory_take((size_t)options->assignment_count, sizeof *owned);
  for (int i = 0; i < options->assignment_count; ++i) {
    const CliAssignment *assignment = &options->assignments[i];
    size_t room = strlen(assignment->name) + strlen(assignment->value) + 2;
    owned[i] = cli_memory_take(room, 1);
    (void)snprintf(owned[i], room, "%s=%s", assignment->name, assignment->value);
    set[i] = owned[i];
  }
  cli_hdf5_texts(hdf5, "/model/set", options->assignment_count, set);
  free_texts(options->assignment_count, owned);
  free(set);
  free(text);
  free(whole);
}

static void put_settings(CliHdf5 *hdf5, const MbsResult *result, MbsMethod method) {
  const MbsSettings *settings = &result->request->settings;
  const MbsStatistics *statistics = &result->statistics;
  cli_hdf5_attribute_text(hdf5, "/", "model", result->model);
  cli_hdf5_attribute_text(hdf5, "/", "coordinates", settings->coordinates);
  if (!settings->is_kinematic && !settings->is_equilibrium) {
    cli_hdf5_attribute_text(hdf5, "/", "formulation", settings->formulation);
    cli_hdf5_attribute_text(hdf5, "/", "integrator", settings->integrator);
  }
  cli_hdf5_attribute_text(hdf5, "/", "method", cli_method_name(method));
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"step", settings->step},
                 {"end", settings->end},
                 {"complete", result->is_complete},
                 {"final_time", result->final_time},
                 {"steps", (double)statistics->steps},
                 {"iterations", (double)statistics->iterations},
                 {"residual_position", statistics->residual_position},
                 {"residual_velocity", statistics->residual_velocity},
                 {"residual_acceleration", statistics->residual_acceleration},
                 {"energy_drift", statistics->energy_drift},
                 {"seconds_dynamics", statistics->seconds_dynamics},
                 {"seconds_sensitivity", statistics->seconds_sensitivity}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    cli_hdf5_attribute(hdf5, "/", numbers[i].name, numbers[i].value);
  }
  if (result->error) {
    cli_hdf5_attribute_text(hdf5, "/", "error", result->error);
  }
  cli_hdf5_texts(hdf5, "/warnings", result->warning_count, result->warnings);
}

static void put_final(CliHdf5 *hdf5, const MbsResult *result) {
  const size_t sizes[2] = {(size_t)result->objective_count, (size_t)result->parameter_count};
  cli_hdf5_group(hdf5, "/parameters");
  cli_hdf5_texts(hdf5, "/parameters/name", result->parameter_count, result->parameters);
  cli_hdf5_array(hdf5, "/parameters/value", 1, &sizes[1], result->parameter_values);
  cli_hdf5_group(hdf5, "/final");
  cli_hdf5_texts(hdf5, "/final/objective", result->objective_count, result->objectives);
  const struct {
    const char *path;
    int dimension_count;
    const double *values;
  } arrays[] = {{"/final/value", 1, result->values},
                {"/final/value_error", 1, result->value_errors},
                {"/final/gradient", 2, result->gradient},
                {"/final/gradient_error", 2, result->gradient_errors}};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
    if (arrays[i].values) {
      cli_hdf5_array(hdf5, arrays[i].path, arrays[i].dimension_count, sizes, arrays[i].values);
    }
  }
}

static void put_events(CliHdf5 *hdf5, const MbsResult *result) {
  const size_t sizes[2] = {(size_t)result->event_count, (size_t)result->parameter_count};
  size_t count = sizes[0], width = sizes[1];
  bool has_gradients = count > 0 && result->events[0].gradient;
  const char **names = cli_memory_take(count, sizeof *names);
  double *numbers = cli_memory_take(2 * count, sizeof *numbers);
  double *gradients = cli_memory_take(count * width, sizeof *gradients);
  for (size_t i = 0; i < count; ++i) {
    names[i] = result->events[i].name;
    numbers[i] = result->events[i].time;
    numbers[count + i] = result->events[i].energy_lost;
    if (has_gradients && width > 0) {
      memcpy(gradients + i * width, result->events[i].gradient, width * sizeof *gradients);
    }
  }
  cli_hdf5_group(hdf5, "/events");
  cli_hdf5_texts(hdf5, "/events/name", result->event_count, names);
  cli_hdf5_array(hdf5, "/events/time", 1, sizes, numbers);
  cli_hdf5_array(hdf5, "/events/energy_lost", 1, sizes, numbers + count);
  if (has_gradients) {
    cli_hdf5_array(hdf5, "/events/gradient", 2, sizes, gradients);
  }
  free(names);
  free(numbers);
  free(gradients);
}

void cli_results_end(CliResults *results, MbsContext *context, const MbsModel *model, const CliOptions *options,
                     const MbsResult *result) {
  CliHdf5 *hdf5 = &results->hdf5;
  cli_hdf5_series_end(&results->time);
  for (int i = 0; i < CLI_RESULT_GROUPS; ++i) {
    cli_hdf5_series_end(&results->groups[i].values);
    cli_hdf5_series_end(&results->groups[i].derivatives);
  }
  cli_results_put_origin(hdf5, context, model, options);
  put_settings(hdf5, result, results->method);
  put_final(hdf5, result);
  put_events(hdf5, result);
  cli_hdf5_end(hdf5);
}

void cli_results_free(CliResults *results) {
  cli_hdf5_series_end(&results->time);
  for (int i = 0; i < CLI_RESULT_GROUPS; ++i) {
    cli_hdf5_series_end(&results->groups[i].values);
    cli_hdf5_series_end(&results->groups[i].derivatives);
    free(results->groups[i].columns);
  }
  cli_hdf5_end(&results->hdf5);
  free_texts(results->column_count, results->kinds);
  free_texts(results->column_count, results->units);
  free_texts(results->column_count, results->descriptions);
  *results = (CliResults){0};
}
