// See dense_output.h.
#include "simulation/dense_output.h"

#include <math.h>

#include "integrators/integrator.h"
#include "simulation/simulation.h"
#include "terms/derivative_source.h"

static const double rounding = 1e-6;  // of times, in intervals: as histories count them

bool mbs_dense_is_meant(const MbsSimulation *simulation) {
  const MbsSettings *settings = &simulation->settings;
  const MbsBlueprint *blueprint = simulation->system->blueprint;
  bool has_extrema = false;
  for (int i = 0; i < blueprint->objectives.count; ++i) {
    has_extrema = has_extrema || blueprint->objectives.items[i].kind == MBS_OBJECTIVE_IS_EXTREMUM;
  }
  bool is_on_steps = settings->step_tolerance <= 0 && settings->every > 0;  // rows are where some steps end
  return settings->sample > 0 && !is_on_steps && !has_extrema && !settings->is_kinematic &&
         mbs_integrator_kind(settings) == MBS_INTEGRATOR_EXPLICIT;
}

MbsStatus mbs_dense_create(MbsContext *context, MbsSimulation *simulation) {
  MbsDense *dense = &simulation->dense;
  const MbsSystem *system = simulation->system;
  const MbsObjectives *objectives = &simulation->objectives;
  size_t count = (size_t)objectives->count, carried = (size_t)system->carried_count;
  size_t gradients = count * (size_t)objectives->stride;
  *dense = (MbsDense){.is_wanted = mbs_dense_is_meant(simulation), .interval = simulation->settings.sample};
  if (!dense->is_wanted) {
    return MBS_OK;
  }
  MBS_TRY(mbs_stepper_interpolate(context, &simulation->settings, simulation->stepper));
  MBS_TRY(mbs_state_create(context, system, &dense->state));
  MBS_TRY(mbs_columns_create(context, system, &dense->columns));
  const struct {
    mbs_scalar **array;
    size_t size;
  } arrays[] = {{&dense->value, count},
                {&dense->gradient, gradients},
                {&dense->g, count},
                {&dense->g_column, count * carried},
                {&dense->value_before, count},
                {&dense->gradient_before, gradients},
                {&dense->g_before, count},
                {&dense->g_column_before, count * carried},
                {&dense->G, count * MBS_MOST_RATES},
                {&dense->G_column, count * carried * MBS_MOST_RATES},
                {&dense->turns, 2 * (size_t)system->bodies->signals.turn_count}};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    MBS_TAKE(context, simulation->arena, *arrays[i].array, arrays[i].size);
  }
  return MBS_OK;
}

// ---- around a step ----
static void keep_objectives(const MbsObjectives *objectives, mbs_scalar *value, mbs_scalar *gradient, mbs_scalar *g,
                            mbs_scalar *g_column) {
  (void)mbs_put(value, objectives->count, objectives->value);
  (void)mbs_put(gradient, objectives->count * objectives->stride, objectives->gradient);
  (void)mbs_put(g, objectives->count, objectives->g);
  (void)mbs_put(g_column, objectives->count * objectives->system->carried_count, objectives->g_column);
}

void mbs_dense_before_step(MbsSimulation *simulation) {
  MbsDense *dense = &simulation->dense;
  if (dense->is_wanted) {
    dense->begin = mbs_re(simulation->state.t);
    dense->is_smooth = !simulation->events.is_moved;
    keep_objectives(&simulation->objectives, dense->value_before, dense->gradient_before, dense->g_before,
                    dense->g_column_before);
  }
}

void mbs_dense_after_step(MbsSimulation *simulation, const MbsStep *step) {
  MbsDense *dense = &simulation->dense;
  dense->step = *step;
  dense->is_smooth = dense->is_smooth && !mbs_step_restarts(step);
  dense->is_prepared = false;
}

// ---- times ----
double mbs_dense_first_after(const MbsSimulation *simulation, double t) {
  double interval = simulation->dense.interval;
  return interval * (floor(t / interval + rounding) + 1);  // real
}

double mbs_dense_last_before(const MbsSimulation *simulation, double t) {
  double interval = simulation->dense.interval;
  return interval * (ceil(t / interval - rounding) - 1);  // real
}

bool mbs_dense_next(const MbsSimulation *simulation, double *t) {
  const MbsDense *dense = &simulation->dense;
  double end = mbs_re(simulation->state.t), next = mbs_dense_first_after(simulation, fmax(*t, dense->begin));  // real
  *t = next;
  return dense->is_wanted && dense->is_smooth && next < end - rounding * dense->interval;
}

// ---- a row ----
static bool is_integral(const MbsObjectives *objectives, int i) {
  return objectives->items[i].is_needed && objectives->items[i].kind == MBS_OBJECTIVE_IS_INTEGRAL;
}

// integrands at all rates, and their columns; at the beginning as the run has them
static void find_integrands(MbsSimulation *simulation) {
  MbsDense *dense = &simulation->dense;
  const MbsObjectives *objectives = &simulation->objectives;
  const MbsSystem *system = simulation->system;
  int count = objectives->count, carried = system->carried_count;
  const MbsInterpolation *by = simulation->stepper->type->interpolation;
  for (int i = 0; i < count; ++i) {
    dense->G[i] = dense->g_before[i];
    for (int k = 0; k < carried; ++k) {
      bool is_own = k >= system->asked_count;
      dense->G_column[i * carried + k] = is_own ? 0 : dense->g_column_before[i * carried + k];
    }
  }
  for (int j = 1; j < by->count(simulation->stepper) && objectives->has_integrals; ++j) {
    const MbsPoint point = by->point(simulation->stepper, j);
    mbs_signal_bank_visit(system, point.state);
    if (simulation->has_columns) {
      mbs_signal_bank_differentiate(system, point.state, &point.columns);
    }
    for (int i = 0; i < count; ++i) {
      if (!is_integral(objectives, i)) {
        continue;
      }
      const MbsFunction *function = &objectives->items[i].function;
      dense->G[j * count + i] = mbs_function_evaluate(system, function, point.state, NULL);
      for (int k = 0; k < system->column_count && simulation->has_columns; ++k) {
        dense->G_column[(j * count + i) * carried + k] =
            mbs_function_derivative(system, function, point.state, k, &point.columns, NULL);
      }
    }
  }
}

static MbsStatus prepare(MbsContext *context, MbsSimulation *simulation) {
  MbsDense *dense = &simulation->dense;
  const MbsColumns *columns = simulation->has_columns ? &simulation->columns : NULL;
  MBS_TRY(simulation->stepper->type->interpolation->prepare(context, simulation->stepper, &dense->step,
                                                            &simulation->state, columns));
  find_integrands(simulation);
  dense->is_prepared = true;
  return MBS_OK;
}

// what turns of angles count from
static void swap_turns(const MbsSimulation *simulation, bool is_back) {
  const MbsSignalBank *bank = &simulation->system->bodies->signals;
  mbs_scalar *previous = simulation->dense.turns + bank->turn_count;
  for (int i = 0; i < bank->turn_count; ++i) {
    if (is_back) {
      bank->turns[i] = simulation->dense.turns[i];
      bank->previous[i] = mbs_re(previous[i]);
    } else {
      simulation->dense.turns[i] = bank->turns[i];
      previous[i] = bank->previous[i];
    }
  }
}

static void swap(MbsSimulation *simulation) {
  MbsDense *dense = &simulation->dense;
  const MbsState state = simulation->state;
  const MbsColumns columns = simulation->columns;
  simulation->state = dense->state;
  simulation->columns = dense->columns;
  dense->state = state;
  dense->columns = columns;
}

// objectives at the row, which the state and the columns are already
static void move_objectives(MbsSimulation *simulation, double theta) {
  MbsDense *dense = &simulation->dense;
  MbsObjectives *objectives = &simulation->objectives;
  const MbsColumns *columns = simulation->has_columns ? &simulation->columns : NULL;
  int count = objectives->count, carried = simulation->system->carried_count;
  double weights[MBS_MOST_RATES];
  simulation->stepper->type->interpolation->weights(simulation->stepper, theta, weights);
  keep_objectives(objectives, dense->value, dense->gradient, dense->g, dense->g_column);
  (void)mbs_put(objectives->value, count, dense->value_before);
  (void)mbs_put(objectives->gradient, count * objectives->stride, dense->gradient_before);
  for (int i = 0; i < count; ++i) {
    objectives->g[i] = 0;
    for (int k = 0; k < carried; ++k) {
      objectives->g_column[i * carried + k] = 0;
    }
    for (int k = simulation->system->asked_count; k < objectives->stride; ++k) {
      objectives->gradient[i * objectives->stride + k] = 0;  // of this step by itself
    }
  }
  for (int j = 0; j < simulation->stepper->type->interpolation->count(simulation->stepper); ++j) {
    for (int i = 0; i < count; ++i) {
      objectives->g[i] += is_integral(objectives, i) ? weights[j] * dense->G[j * count + i] : 0;
      for (int k = 0; k < carried && is_integral(objectives, i); ++k) {
        objectives->g_column[i * carried + k] += weights[j] * dense->G_column[(j * count + i) * carried + k];
      }
    }
  }
  mbs_objectives_take_sums(objectives, &simulation->state, columns, dense->step.h);
}

MbsStatus mbs_dense_go(MbsContext *context, MbsSimulation *simulation, double t) {
  MbsDense *dense = &simulation->dense;
  MbsSystem *system = simulation->system;
  const MbsColumns *columns = simulation->has_columns ? &dense->columns : NULL;
  double theta = (t - dense->begin) / (mbs_re(simulation->state.t) - dense->begin);
  mbs_system_take_derivatives(system, simulation->has_columns);
  MbsStatus status = dense->is_prepared ? MBS_OK : prepare(context, simulation);
  status = status == MBS_OK ? simulation->stepper->type->interpolation->find(context, simulation->stepper, &dense->step,
                                                                             theta, &dense->state, columns)
                            : status;
  if (status == MBS_OK) {
    dense->state.t += t - mbs_re(dense->state.t);  // to the last bit what was asked for
    swap_turns(simulation, false);
    swap(simulation);
    mbs_signal_bank_accept(system, &simulation->state, false);
    move_objectives(simulation, theta);
    if (columns && simulation->events.variable_count > 0) {
      mbs_events_shift(simulation, NULL, NULL);
    }
  }
  mbs_system_take_derivatives(system, false);
  return status;
}

void mbs_dense_return(MbsSimulation *simulation) {
  const MbsDense *dense = &simulation->dense;
  const MbsObjectives *objectives = &simulation->objectives;
  swap(simulation);
  swap_turns(simulation, true);
  (void)mbs_put(objectives->value, objectives->count, dense->value);
  (void)mbs_put(objectives->gradient, objectives->count * objectives->stride, dense->gradient);
  (void)mbs_put(objectives->g, objectives->count, dense->g);
  (void)mbs_put(objectives->g_column, objectives->count * objectives->system->carried_count, dense->g_column);
  mbs_signal_bank_evaluate(simulation->system, &simulation->state);
}
