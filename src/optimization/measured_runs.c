// Residuals r = (y(t; p) - measured) / sigma and their derivatives y_p / sigma, from one run of the model with the
// direct method for each experiment. Values at the times of the data: row_sample.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "optimization/identification.h"
#include "optimization/row_sample.h"

static const double covered = 0.9;  // of a run, by its data: less is told

// ---- rows ----
// the names of a history are known before its first run
static MbsStatus begin(void *user, int column_count, const char *const *names) {
  MbsMeasuredRun *run = user;
  (void)names;
  run->series.column_count = column_count;
  return MBS_OK;
}

static MbsStatus row(void *user, const double *values) {
  MbsMeasuredRun *run = user;
  return mbs_series_recorder(&run->series).row(&run->series, values);
}

// ---- set-up ----
static bool is_asked_for(const MbsIdentify *identify, int run, int measurement) {
  const char *output = identify->def->experiments[run].measurements[measurement].output;
  for (int e = 0; e <= run; ++e) {
    const MbsExperiment *experiment = &identify->def->experiments[e];
    for (int k = 0; k < (e < run ? experiment->measurement_count : measurement); ++k) {
      if (strcmp(experiment->measurements[k].output, output) == 0) {
        return true;
      }
    }
  }
  return false;
}

// every output once, between commas
static MbsStatus list_columns(MbsIdentify *identify, char *list, size_t room) {
  size_t used = 0;
  for (int e = 0; e < identify->def->experiment_count; ++e) {
    const MbsExperiment *experiment = &identify->def->experiments[e];
    for (int k = 0; k < experiment->measurement_count; ++k) {
      const char *output = experiment->measurements[k].output;
      if (is_asked_for(identify, e, k)) {
        continue;
      }
      size_t length = strlen(output) + (used > 0);
      if (used + length + 1 > room) {
        return mbs_fail(identify->context, MBS_ERROR_INPUT, mbs_nowhere,
                        "the names of what was measured take more than %zu letters", room);
      }
      (void)snprintf(list + used, room - used, "%s%s", used > 0 ? "," : "", output);
      used += length;
    }
  }
  return MBS_OK;
}

static MbsStatus find_column(const MbsIdentify *identify, const MbsMeasuredRun *run, const MbsMeasurement *measurement,
                             int *column) {
  const MbsHistory *history = &run->session->history;
  const char *output = measurement->output;
  for (int i = 0; i < history->quantity_count; ++i) {
    if (mbs_column_is_meant(output, strlen(output), history->quantities[i].name)) {
      *column = 1 + i;
      return MBS_OK;
    }
  }
  return mbs_fail(identify->context, MBS_ERROR_INPUT, mbs_nowhere,
                  "%s: column \"%s\" is one number, and output \"%s\" is several: say which, such as %s.x",
                  run->experiment->name, measurement->column, output, output);
}

static MbsStatus find_parameter(const MbsIdentify *identify, const MbsExperiment *experiment, const char *name,
                                const MbsBlueprint *blueprint, int *index) {
  const char *nearest = NULL;
  *index = mbs_parameters_find(blueprint, name);
  bool is_number = *index >= 0 && *index < blueprint->clock && !blueprint->parameters.items[*index].is_derived;
  for (int i = 0; i < blueprint->clock && !is_number; ++i) {
    mbs_name_nearest(name, blueprint->parameters.items[i].name, &nearest);
  }
  for (int k = 0; k < identify->parameter_count && is_number; ++k) {
    if (identify->selection.parameters[k] == *index) {
      return mbs_fail(identify->context, MBS_ERROR_INPUT, mbs_nowhere,
                      "%s: parameter \"%s\" is to be found, and cannot be set for one experiment", experiment->name,
                      name);
    }
  }
  return is_number ? MBS_OK
                   : mbs_fail(identify->context, MBS_ERROR_INPUT, mbs_nowhere,
                              "%s: no parameter \"%s\" that is a number in %s%s%s%s", experiment->name, name,
                              identify->model->file, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                              nearest ? "\"?" : "");
}

static MbsStatus create_run(MbsIdentify *identify, int index, const MbsSettings *settings) {
  const MbsExperiment *experiment = &identify->def->experiments[index];
  const MbsSelection *selection = &identify->selection;
  MbsContext *context = identify->context;
  MbsArena *arena = identify->arena;
  MbsMeasuredRun *run = &identify->runs[index];
  *run = (MbsMeasuredRun){.experiment = experiment, .series = {.arena = arena}};
  run->recorder = (MbsRecorder){.user = run, .begin = begin, .row = row};
  MBS_TAKE(context, arena, run->all, selection->model_parameter_count);
  MBS_TAKE(context, arena, run->columns, experiment->measurement_count);
  MBS_TAKE(context, arena, run->fits, experiment->measurement_count);
  memcpy(run->all, selection->nominal, (size_t)selection->model_parameter_count * sizeof *run->all);
  const MbsTwinRequest twin = {.settings = *settings,
                               .column_count = selection->parameter_count,
                               .columns = selection->parameters,
                               .source = mbs_source_table(settings->derivatives),
                               .objective_count = 0,
                               .objectives = selection->objectives,
                               .memory = identify->request.memory,
                               .parameters = run->all,
                               .perturbed = -1,
                               .recorder = &run->recorder};
  MBS_TRY(mbs_session_create(context, identify->model, &twin, &run->session));
  for (int k = 0; k < experiment->measurement_count; ++k) {
    MBS_TRY(find_column(identify, run, &experiment->measurements[k], &run->columns[k]));
  }
  for (int k = 0; k < experiment->set_count; ++k) {
    int at;
    MBS_TRY(find_parameter(identify, experiment, experiment->set[k], run->session->simulation->system->blueprint, &at));
    run->all[at] = experiment->set_values[k];
  }
  return MBS_OK;
}

// the fit of an output, a new one if there is none yet
static MbsStatus find_fit(MbsIdentify *identify, const MbsMeasuredRun *run, int k) {
  const MbsMeasurement *measurement = &run->experiment->measurements[k];
  const MbsHistory *history = &run->session->history;
  const char *output = history->names[run->columns[k]];
  for (int f = 0; f < identify->fit_count; ++f) {
    MbsOutputFit *fit = &identify->fits[f];
    bool is_same = measurement->sigma > 0 ? fit->sigma == measurement->sigma : fit->is_estimated;  // real
    if (fit->output && strcmp(fit->output, output) == 0 && is_same) {
      run->fits[k] = f;
      return MBS_OK;
    }
  }
  const char *unit = history->units[run->columns[k]];
  run->fits[k] = identify->fit_count;
  identify->fits[identify->fit_count++] =
      (MbsOutputFit){.output = mbs_arena_copy_text(identify->arena, output),
                     .unit = unit ? mbs_arena_copy_text(identify->arena, unit) : NULL,
                     .sigma = measurement->sigma,
                     .is_estimated = !(measurement->sigma > 0)};
  return identify->fits[run->fits[k]].output
             ? MBS_OK
             : mbs_fail(identify->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// how much the measurements of a fit vary: of those that do not, their size
static void find_spread(const MbsIdentify *identify, int f) {
  MbsOutputFit *fit = &identify->fits[f];
  double sum = 0, squares = 0, largest = 0;
  for (int pass = 0; pass < 2; ++pass) {
    double mean = pass == 1 && fit->count > 0 ? sum / (double)fit->count : 0;
    fit->count = 0;
    for (int e = 0; e < identify->run_count; ++e) {
      const MbsMeasuredRun *run = &identify->runs[e];
      for (int k = 0; k < run->experiment->measurement_count; ++k) {
        for (long i = 0; run->fits[k] == f && i < run->experiment->row_count; ++i) {
          double value = run->experiment->measurements[k].values[i];
          if (!isnan(value)) {
            fit->count += 1;
            sum += pass == 0 ? value : 0;
            squares += pass == 1 ? (value - mean) * (value - mean) : 0;
            largest = fmax(largest, fabs(value));
          }
        }
      }
    }
  }
  double spread = fit->count > 1 ? sqrt(squares / (double)(fit->count - 1)) : 0;
  fit->spread = spread > 1e-6 * largest ? spread : largest > 0 ? largest : 1;
  fit->sigma = fit->is_estimated ? fit->spread : fit->sigma;
}

static MbsStatus list_residuals(MbsIdentify *identify) {
  long count = 0;
  for (int f = 0; f < identify->fit_count; ++f) {
    find_spread(identify, f);
    count += identify->fits[f].count;
  }
  MBS_TAKE(identify->context, identify->arena, identify->fit_of, count + 1);
  for (int e = 0; e < identify->run_count; ++e) {
    const MbsMeasuredRun *run = &identify->runs[e];
    for (long i = 0; i < run->experiment->row_count; ++i) {
      for (int k = 0; k < run->experiment->measurement_count; ++k) {
        if (!isnan(run->experiment->measurements[k].values[i])) {
          identify->fit_of[identify->residual_count++] = run->fits[k];
        }
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_measured_runs_create(MbsIdentify *identify) {
  MbsSettings settings = identify->request.settings;
  int measurements = 0;
  settings.columns[0] = '\0';
  settings.every = 0;
  settings.has_no_outputs = false;
  MBS_TRY(list_columns(identify, settings.columns, sizeof settings.columns));
  MBS_TAKE(identify->context, identify->arena, identify->runs, identify->def->experiment_count);
  identify->run_count = 0;
  for (int e = 0; e < identify->def->experiment_count; ++e) {
    identify->run_count += 1;  // to be destroyed, whatever comes
    MBS_TRY(create_run(identify, e, &settings));
    measurements += identify->def->experiments[e].measurement_count;
  }
  identify->keeps_paths = identify->runs[0].session->simulation->settings.step_tolerance > 0;
  MBS_TAKE(identify->context, identify->arena, identify->fits, measurements);
  for (int e = 0; e < identify->run_count; ++e) {
    for (int k = 0; k < identify->runs[e].experiment->measurement_count; ++k) {
      MBS_TRY(find_fit(identify, &identify->runs[e], k));
    }
  }
  return list_residuals(identify);
}

void mbs_measured_runs_destroy(MbsIdentify *identify) {
  for (int e = 0; e < identify->run_count; ++e) {
    mbs_session_destroy(identify->runs[e].session);
    mbs_arena_destroy(identify->runs[e].path_arena);
  }
  identify->run_count = 0;
}

// ---- a run ----
static double end_of(const MbsMeasuredRun *run) {
  return run->series.rows[(run->series.row_count - 1) * run->series.column_count];
}

MbsStatus mbs_measured_runs_compare_ends(MbsIdentify *identify) {
  for (int e = 0; e < identify->run_count; ++e) {
    const MbsMeasuredRun *run = &identify->runs[e];
    const MbsExperiment *experiment = run->experiment;
    double last = experiment->times[experiment->row_count - 1], end = end_of(run);
    if (last < covered * end) {
      MBS_TRY(mbs_identify_warn(identify,
                                "%s ends at t = %.10g, and the run at %.10g: nothing behind is compared; an end of "
                                "%.10g gives the same in less time",
                                experiment->name, last, end, last));
    }
  }
  return MBS_OK;
}

static MbsStatus no_value(const MbsIdentify *identify, const MbsMeasuredRun *run, double t) {
  const MbsSimulation *simulation = run->session->simulation;
  double end = end_of(run);
  MbsStatus status = identify->is_first ? MBS_ERROR_INPUT : MBS_ERROR_NUMERICAL;
  if (t < 0 || t > end) {
    return mbs_fail(identify->context, status, mbs_nowhere,
                    "%s: t = %.10g is not within the run, which goes from 0 to %.10g%s", run->experiment->name, t, end,
                    simulation->events.is_over ? ", where an event ends it" : "; a later end makes it longer");
  }
  return mbs_fail(identify->context, status, mbs_nowhere,
                  "%s: t = %.10g is between two events without the end of a step between them; take a smaller step",
                  run->experiment->name, t);
}

// the residuals of one experiment, from number `first` on; returns that behind them in *next
static MbsStatus take_residuals(MbsIdentify *identify, const MbsMeasuredRun *run, long first, double *r, double *J,
                                long *next) {
  const MbsSeries *series = &run->series;
  const MbsExperiment *experiment = run->experiment;
  const MbsSession *session = run->session;
  int quantities = session->history.quantity_count, width = series->column_count;
  bool ends_in_event = session->simulation->events.is_over;
  long near = 0;
  *next = first;
  for (long i = 0; i < experiment->row_count; ++i) {
    near = mbs_row_find(series->row_count, series->rows, width, experiment->times[i], near);
    const MbsRowSample sample =
        mbs_row_sample(series->row_count, series->rows, width, ends_in_event, experiment->times[i], near);
    if (sample.count == 0) {
      return no_value(identify, run, experiment->times[i]);
    }
    for (int k = 0; k < experiment->measurement_count; ++k) {
      double measured = experiment->measurements[k].values[i], value = 0, rough = 0;
      MbsOutputFit *fit = &identify->fits[run->fits[k]];
      if (isnan(measured)) {
        continue;
      }
      for (int s = 0; s < sample.count; ++s) {
        double there = series->rows[sample.rows[s] * width + run->columns[k]];
        value += sample.weights[s] * there;
        rough += sample.rough[s] * there;
      }
      r[*next] = (value - measured) / fit->sigma;
      fit->rough = fmax(fit->rough, fabs(value - rough));
      for (int p = 0; p < identify->parameter_count; ++p) {
        double slope = 0;
        for (int s = 0; s < sample.count; ++s) {
          slope += sample.weights[s] * series->rows[sample.rows[s] * width + run->columns[k] + (1 + p) * quantities];
        }
        J[p * identify->residual_count + *next] = slope / fit->sigma;
      }
      *next += 1;
    }
  }
  return MBS_OK;
}

MbsStatus mbs_measured_runs_evaluate(void *user, MbsContext *context, const double *x, double *r, double *J) {
  MbsIdentify *identify = user;
  long next = 0;
  for (int f = 0; f < identify->fit_count; ++f) {
    identify->fits[f].rough = 0;
  }
  for (int e = 0; e < identify->run_count; ++e) {
    MbsMeasuredRun *run = &identify->runs[e];
    MbsSimulation *simulation = run->session->simulation;
    for (int k = 0; k < identify->parameter_count; ++k) {
      run->all[identify->selection.parameters[k]] = x[k];
    }
    mbs_simulation_tell(simulation, context);
    mbs_simulation_set_parameters(simulation, run->all);
    MBS_TRY(mbs_simulation_check_parameters(context, simulation));
    run->series.row_count = 0;
    MBS_TRY(mbs_session_run(context, run->session));
    MBS_TRY(take_residuals(identify, run, next, r, J, &next));
  }
  MBS_CHECK(context, next == identify->residual_count);
  for (long i = 0; i < next; ++i) {
    if (!isfinite(r[i])) {
      return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere, "output \"%s\" is not a finite number on the way",
                      identify->fits[identify->fit_of[i]].output);
    }
  }
  return MBS_OK;
}

// ---- paths ----
MbsStatus mbs_measured_runs_keep_paths(MbsIdentify *identify) {
  for (int e = 0; e < identify->run_count; ++e) {
    MbsMeasuredRun *run = &identify->runs[e];
    run->path_arena = mbs_arena_create_for(identify->context);
    if (!run->path_arena) {
      return mbs_fail(identify->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    MBS_TRY(mbs_session_path(identify->context, run->path_arena, run->session, &run->path));
    MBS_TRY(mbs_session_follow(identify->context, run->session, &run->path));
  }
  return MBS_OK;
}

MbsStatus mbs_measured_runs_free_paths(MbsIdentify *identify) {
  for (int e = 0; e < identify->run_count; ++e) {
    MbsMeasuredRun *run = &identify->runs[e];
    if (run->path_arena) {
      MBS_TRY(mbs_session_follow(identify->context, run->session, NULL));
      mbs_arena_destroy(run->path_arena);
      run->path_arena = NULL;
    }
  }
  return MBS_OK;
}
