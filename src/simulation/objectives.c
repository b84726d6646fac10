#include "simulation/simulation.h"

#include <math.h>

MbsStatus mbs_objectives_create(MbsContext *context, MbsSystem *system, MbsObjectives *objectives) {
  const MbsBlueprint *blueprint = system->blueprint;
  int count = blueprint->objectives.count;
  *objectives = (MbsObjectives){.system = system, .count = count, .stride = system->column_count};
  objectives->listed_count = mbs_record_value(&blueprint->model->root, MBS_MODEL_OBJECTIVES)->count;
  MBS_TAKE(context, system->arena, objectives->items, count);
  MBS_TAKE(context, system->arena, objectives->value, count);
  MBS_TAKE(context, system->arena, objectives->size, count);
  MBS_TAKE(context, system->arena, objectives->g, count);
  MBS_TAKE(context, system->arena, objectives->gradient, count * objectives->stride);
  MBS_TAKE(context, system->arena, objectives->g_column, count * system->carried_count);
  for (int i = 0; i < count; ++i) {
    const MbsObjectiveSpec *spec = &blueprint->objectives.items[i];
    objectives->items[i].kind = spec->kind;
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->expression,
                                &objectives->items[i].function));
  }
  mbs_objectives_choose(objectives, NULL);
  return MBS_OK;
}

void mbs_objectives_choose(MbsObjectives *objectives, const bool *wanted) {
  for (int i = 0; i < objectives->count; ++i) {
    bool is_wanted = i < objectives->listed_count && (!wanted || wanted[i]);
    objectives->items[i].is_wanted = is_wanted;
    objectives->items[i].is_needed = is_wanted && objectives->items[i].kind != MBS_OBJECTIVE_IS_EIGENVALUE;
  }
  objectives->has_integrals = false;
  for (int i = 0; i < objectives->count; ++i) {
    const MbsTape *tape = objectives->items[i].function.tape;
    for (int s = 0; s < tape->input_count && objectives->items[i].is_wanted; ++s) {
      const MbsSignal *signal = &objectives->system->blueprint->signals.items[tape->inputs[s]];
      if (signal->kind == MBS_SIGNAL_OBJECTIVE) {
        objectives->items[signal->index].is_needed = true;
      }
    }
  }
  for (int i = 0; i < objectives->count; ++i) {
    const MbsObjective *objective = &objectives->items[i];
    objectives->has_integrals |= objective->is_needed && objective->kind == MBS_OBJECTIVE_IS_INTEGRAL;
  }
}

void mbs_objectives_forget(MbsObjectives *objectives) {
  objectives->has_begun = false;
  for (int i = 0; i < objectives->count; ++i) {
    objectives->value[i] = objectives->g[i] = 0;
    objectives->size[i] = 0;
    if (objectives->items[i].kind == MBS_OBJECTIVE_IS_EIGENVALUE) {
      objectives->value[i] = (double)NAN;  // which this run does not know
    }
  }
  for (int i = 0; i < objectives->count * objectives->stride; ++i) {
    objectives->gradient[i] = 0;
  }
  for (int i = 0; i < objectives->count * objectives->system->carried_count; ++i) {
    objectives->g_column[i] = 0;
  }
}

static bool is_integral(const MbsObjectives *objectives, int i) {
  return objectives->items[i].is_needed && objectives->items[i].kind == MBS_OBJECTIVE_IS_INTEGRAL;
}

// ---- integrals: h times a sum over the points of a step, which adds up in g ----
// At a state whose signals are evaluated, and with columns differentiated: sum = begun * sum + weight * g, and its
// columns. Columns of a step by itself have begun anew; that of its size is there at the time of the point, which is
// `ahead` of the end by that part of the step.
static void add_point(MbsObjectives *objectives, int i, const MbsPoint *point, bool with_columns) {
  const MbsSystem *system = objectives->system;
  const MbsFunction *function = &objectives->items[i].function;
  mbs_scalar *sum = objectives->g_column + i * system->carried_count;
  objectives->g[i] += point->weight * mbs_function_evaluate(system, function, point->state, NULL);
  for (int k = 0; k < system->column_count && with_columns; ++k) {
    mbs_scalar change = mbs_function_derivative(system, function, point->state, k, &point->columns, NULL);
    if (k == system->step_column && point->ahead > 0) {
      change -= point->ahead *
                mbs_function_derivative(system, function, point->state, system->time_column, &point->columns, NULL);
    }
    sum[k] += point->weight * change;
  }
}

static void begin_step(MbsObjectives *objectives, int i, double weight, bool with_columns) {
  const MbsSystem *system = objectives->system;
  mbs_scalar *gradient = objectives->gradient + i * objectives->stride;
  mbs_scalar *sum = objectives->g_column + i * system->carried_count;
  objectives->g[i] *= weight;
  for (int k = 0; k < system->column_count && with_columns; ++k) {
    bool is_own = k >= system->asked_count || k == system->time_column || k == system->step_column;
    gradient[k] = is_own ? 0 : gradient[k];  // of this step by itself
    sum[k] = is_own ? 0 : weight * sum[k];
  }
}

static void add_points(MbsObjectives *objectives, const MbsStepper *stepper, const MbsStep *step, bool with_columns) {
  const double begin = mbs_step_ends(stepper, step)[0];
  for (int i = 0; i < objectives->count; ++i) {
    if (is_integral(objectives, i)) {
      begin_step(objectives, i, begin, with_columns);
    }
  }
  for (int p = 0; p < mbs_step_points(stepper, step); ++p) {
    const MbsPoint point = stepper->type->point(stepper, p);
    mbs_signal_bank_visit(objectives->system, point.state);
    if (with_columns) {
      mbs_signal_bank_differentiate(objectives->system, point.state, &point.columns);
    }
    for (int i = 0; i < objectives->count; ++i) {
      if (is_integral(objectives, i)) {
        add_point(objectives, i, &point, with_columns);
      }
    }
  }
}

// ---- at a state ----
// Integrals, values at the end. weight: of this end of a step, of size h.
static void advance_item(MbsObjectives *objectives, int i, const MbsState *state, const MbsColumns *columns,
                         double weight, mbs_scalar h) {
  const MbsSystem *system = objectives->system;
  const MbsFunction *function = &objectives->items[i].function;
  int count = columns ? system->column_count : 0;
  mbs_scalar g = mbs_function_evaluate(system, function, state, NULL), sum = objectives->g[i] + weight * g;
  objectives->value[i] = is_integral(objectives, i) ? objectives->value[i] + h * sum : g;
  objectives->g[i] = g;
  double magnitude = mbs_re(mbs_abs(objectives->value[i]));
  objectives->size[i] = magnitude > objectives->size[i] ? magnitude : objectives->size[i];
  mbs_scalar *gradient = objectives->gradient + i * objectives->stride;
  mbs_scalar *g_column = objectives->g_column + i * system->carried_count;
  for (int k = 0; k < count; ++k) {
    mbs_scalar change = mbs_function_derivative(system, function, state, k, columns, NULL);
    mbs_scalar own = k == system->step_column ? sum : 0;
    gradient[k] = is_integral(objectives, i) ? gradient[k] + own + h * (g_column[k] + weight * change) : change;
    g_column[k] = change;
  }
}

// An extremum that was on the way stays: it does not move with a step, nor with variables that have moved since.
static void keep_peak(const MbsObjectives *objectives, int i, bool with_columns) {
  const MbsPeak *peak = mbs_peaks_find(objectives->peaks, i);
  if (mbs_peak_is_beaten(peak, objectives->g[i])) {
    return;
  }
  objectives->value[i] = peak->value;
  mbs_scalar *gradient = objectives->gradient + i * objectives->stride;
  for (int k = 0; k < objectives->system->column_count && with_columns; ++k) {
    gradient[k] = k < objectives->system->asked_count ? peak->gradient[k] : 0;
  }
}

// expressions of other objectives, by the chain rule
static void advance_value(MbsObjectives *objectives, int i, const MbsState *state, bool with_columns) {
  const MbsSystem *system = objectives->system;
  const MbsFunction *function = &objectives->items[i].function;
  objectives->value[i] = mbs_function_evaluate(system, function, state, objectives->value);
  for (int k = 0; k < system->column_count && with_columns; ++k) {
    mbs_scalar sum = 0;
    for (int s = 0; s < function->tape->input_count; ++s) {
      const MbsSignal *signal = &system->blueprint->signals.items[function->tape->inputs[s]];
      bool is_used = mbs_re(mbs_abs(function->outputs[1 + s])) > 0;  // what max() does not take may have no derivative
      if (signal->kind == MBS_SIGNAL_OBJECTIVE && is_used) {
        sum += function->outputs[1 + s] * objectives->gradient[signal->index * objectives->stride + k];
      } else if (is_used) {
        sum += function->outputs[1 + s] * mbs_input_column(system, function->tape, signal, s, k);
      }
    }
    objectives->gradient[i * objectives->stride + k] = sum;
  }
}

static void advance(MbsObjectives *objectives, const MbsState *state, const MbsColumns *columns, double weight,
                    mbs_scalar h) {
  if (columns) {  // signals too: what differentiated the step may have left them at another state
    mbs_signal_bank_evaluate(objectives->system, state);
    mbs_signal_bank_differentiate(objectives->system, state, columns);
  }
  for (int i = 0; i < objectives->count; ++i) {
    MbsObjectiveKind kind = objectives->items[i].kind;
    bool is_past = kind == MBS_OBJECTIVE_IS_EQUILIBRIUM && objectives->has_begun;
    if (objectives->items[i].is_needed && kind != MBS_OBJECTIVE_IS_VALUE && !is_past) {
      advance_item(objectives, i, state, columns, weight, h);
    }
    for (int k = objectives->system->asked_count; k < objectives->system->column_count && columns && is_past; ++k) {
      objectives->gradient[i * objectives->stride + k] = 0;  // this step by itself does nothing to it
    }
    if (objectives->items[i].is_needed && kind == MBS_OBJECTIVE_IS_EXTREMUM) {
      keep_peak(objectives, i, columns != NULL);
    }
  }
  for (int i = 0; i < objectives->count; ++i) {
    if (objectives->items[i].is_needed && objectives->items[i].kind == MBS_OBJECTIVE_IS_VALUE) {
      advance_value(objectives, i, state, columns != NULL);
    }
  }
  objectives->has_begun = true;
}

void mbs_objectives_restart(MbsObjectives *objectives, const MbsState *state, const MbsColumns *columns) {
  for (int i = 0; i < objectives->count; ++i) {
    if (is_integral(objectives, i)) {
      begin_step(objectives, i, 0, columns != NULL);
    }
  }
  advance(objectives, state, columns, 0, 0);
}

void mbs_objectives_advance(MbsObjectives *objectives, const MbsStepper *stepper, const MbsStep *step,
                            const MbsState *state, const MbsColumns *columns) {
  if (objectives->has_integrals) {
    add_points(objectives, stepper, step, columns != NULL);
  }
  if (objectives->has_integrals && mbs_step_points(stepper, step) > 0) {
    mbs_signal_bank_visit(objectives->system, state);
  }
  advance(objectives, state, columns, mbs_step_ends(stepper, step)[1], step->h);
}

void mbs_objectives_take_sums(MbsObjectives *objectives, const MbsState *state, const MbsColumns *columns,
                              mbs_scalar h) {
  if (!columns) {
    mbs_signal_bank_evaluate(objectives->system, state);
  }
  advance(objectives, state, columns, 0, h);
}

void mbs_objectives_chain(MbsObjectives *objectives, const MbsState *state) {
  for (int i = 0; i < objectives->count; ++i) {
    if (objectives->items[i].is_needed && objectives->items[i].kind == MBS_OBJECTIVE_IS_VALUE) {
      advance_value(objectives, i, state, true);
    }
  }
}

MbsStatus mbs_objectives_check(MbsContext *context, const MbsObjectives *objectives, double t) {
  for (int i = 0; i < objectives->count; ++i) {
    // an expression of others may well be infinite on the way (a mean over no time)
    bool is_final_only = objectives->items[i].kind != MBS_OBJECTIVE_IS_INTEGRAL;
    if (objectives->items[i].is_needed && !is_final_only && !mbs_is_finite(objectives->value[i])) {
      return mbs_fail(context, MBS_ERROR_NUMERICAL, objectives->items[i].function.place,
                      "objective \"%s\" is not a finite number at t = %.10g (a division by zero or a domain error)",
                      objectives->items[i].function.name, t);
    }
  }
  return MBS_OK;
}
