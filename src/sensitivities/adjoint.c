// See adjoint.h.
#include "sensitivities/adjoint.h"

#include <math.h>

#include "kinematics/equilibrium.h"
#include "sensitivities/adjoint_continuous.h"
#include "sensitivities/adjoint_events.h"
#include "terms/derivative_source.h"

// ---- set-up ----
static MbsStatus create_bars(MbsContext *context, MbsSweep *sweep) {
  const MbsSystem *system = sweep->simulation->system;
  MbsArena *arena = system->arena;
  int count = sweep->objective_count;
  MBS_TAKE(context, arena, sweep->bars, count);
  MBS_TAKE(context, arena, sweep->carry, count);
  MBS_TAKE(context, arena, sweep->gradient, count);
  MBS_TAKE(context, arena, sweep->peaks, count);
  MBS_TRY(mbs_bar_create(context, system, &sweep->aside.bar));
  MBS_TAKE(context, arena, sweep->aside.carry, sweep->simulation->stepper->carry_size);
  MBS_TAKE(context, arena, sweep->aside.gradient, system->column_count);
  sweep->aside.bar.gradient = sweep->aside.gradient;
  MBS_TAKE(context, arena, sweep->at_start, (size_t)sweep->simulation->objectives.count * 2 * (size_t)system->n);
  for (int o = 0; o < count; ++o) {
    MBS_TRY(mbs_bar_create(context, system, &sweep->bars[o]));
    MBS_TAKE(context, arena, sweep->carry[o], sweep->simulation->stepper->carry_size);
    MBS_TAKE(context, arena, sweep->gradient[o], system->column_count);
    sweep->bars[o].gradient = sweep->gradient[o];
  }
  return MBS_OK;
}

static MbsStatus make_of_steps(MbsContext *context, MbsSweep *sweep) {
  const MbsSystem *system = sweep->simulation->system;
  size_t steps = (size_t)sweep->simulation->followed->step_count + 1;
  if (!sweep->events && system->time_column >= 0 && system->step_column >= 0) {
    MBS_TAKE(context, system->arena, sweep->of_steps, 2 * steps * (size_t)sweep->objective_count);
  }
  return MBS_OK;
}

// 0: not known before
static long known_step_count(const MbsSimulation *simulation) {
  bool is_known = simulation->events.count == 0 && !mbs_simulation_is_controlled(simulation);
  return is_known ? simulation->followed->step_count : 0;
}

MbsStatus mbs_sweep_create(MbsContext *context, MbsSimulation *simulation, double memory, MbsSweep **result) {
  const MbsSystem *system = simulation->system;
  MbsSweep *sweep;
  MBS_TAKE(context, system->arena, sweep, 1);
  MBS_TAKE(context, system->arena, sweep->objectives, simulation->objectives.count);
  sweep->simulation = simulation;
  sweep->seed.objective = -1;
  for (int i = 0; i < simulation->objectives.count; ++i) {
    const MbsObjective *objective = &simulation->objectives.items[i];
    if (objective->is_needed && objective->kind != MBS_OBJECTIVE_IS_VALUE) {
      sweep->objectives[sweep->objective_count++] = i;
    }
  }
  MBS_TRY(create_bars(context, sweep));
  bool has_events = simulation->events.count > 0;
  MBS_TRY(mbs_trajectory_create(context, simulation, known_step_count(simulation), memory, &sweep->trajectory));
  if (has_events) {
    MBS_TRY(mbs_sweep_events_create(context, sweep, &sweep->events));
  }
  *result = sweep;
  return make_of_steps(context, sweep);
}

MbsStatus mbs_sweep_resize(MbsContext *context, MbsSweep *sweep, double memory) {
  if (sweep->events) {  // it grows as it goes
    return MBS_OK;
  }
  MBS_TRY(mbs_trajectory_resize(context, sweep->trajectory, known_step_count(sweep->simulation), memory));
  return make_of_steps(context, sweep);
}

static void clear(int count, mbs_scalar *numbers) {
  for (int i = 0; i < count; ++i) {
    numbers[i] = 0;
  }
}

void mbs_sweep_begin(MbsSweep *sweep) {
  const MbsSystem *system = sweep->simulation->system;
  for (int o = 0; o < sweep->objective_count; ++o) {
    mbs_bar_clear(system, &sweep->bars[o]);
    clear(sweep->simulation->stepper->carry_size, sweep->carry[o]);
    clear(system->column_count, sweep->gradient[o]);
  }
  clear(sweep->simulation->objectives.count * 2 * system->n, sweep->at_start);
  for (long step = 0; step <= sweep->simulation->followed->step_count && sweep->of_steps; ++step) {
    clear(2 * sweep->objective_count, sweep->of_steps + 2 * step * sweep->objective_count);
  }
  if (sweep->events) {
    mbs_sweep_events_begin(sweep);
  }
  if (sweep->continuous) {
    mbs_continuous_begin(sweep);
  }
}

void mbs_sweep_clear_aside(const MbsSweep *sweep) {
  mbs_bar_clear(sweep->simulation->system, &sweep->aside.bar);
  clear(sweep->simulation->stepper->carry_size, sweep->aside.carry);
  clear(sweep->simulation->system->column_count, sweep->aside.gradient);
}

void mbs_sweep_add_aside(const MbsSweep *sweep, int objective, mbs_scalar scale) {
  const MbsSystem *system = sweep->simulation->system;
  const MbsStateBar *bar = &sweep->bars[objective], *own = &sweep->aside.bar;
  mbs_scalar *const to[] = {bar->q,
                            bar->v,
                            bar->a,
                            bar->lambda,
                            bar->sigma,
                            bar->kappa,
                            bar->total,
                            bar->coefficients,
                            bar->parameters,
                            sweep->carry[objective],
                            sweep->gradient[objective]};
  const mbs_scalar *const from[] = {own->q,
                                    own->v,
                                    own->a,
                                    own->lambda,
                                    own->sigma,
                                    own->kappa,
                                    own->total,
                                    own->coefficients,
                                    own->parameters,
                                    sweep->aside.carry,
                                    sweep->aside.gradient};
  const int counts[] = {system->nq,
                        system->nq,
                        system->nq,
                        system->m,
                        system->m,
                        system->m,
                        system->m,
                        system->coefficients.nodes.count,
                        system->blueprint->parameters.count,
                        sweep->simulation->stepper->carry_size,
                        system->column_count};
  for (int l = 0; l < MBS_COUNT(to); ++l) {
    for (int i = 0; i < counts[l]; ++i) {
      to[l][i] += scale * from[l][i];
    }
  }
}

// ---- the sweep ----
static void add_seed_row(const MbsSweep *sweep, long row, const MbsStateBar *bar) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsSweepSeed *seed = &sweep->seed;
  int n = simulation->system->n, outputs = simulation->outputs.count;
  const double *const rows[] = {seed->q, seed->v, seed->a};
  mbs_scalar *const to[] = {bar->q, bar->v, bar->a};
  for (int level = 0; level < MBS_COUNT(rows); ++level) {
    for (int i = 0; i < n && rows[level]; ++i) {
      to[level][i] += rows[level][row * n + i];
    }
  }
  for (int i = 0; i < outputs && seed->outputs; ++i) {
    const MbsFunction *function = &simulation->outputs.items[i].function;
    double weight = seed->outputs[row * outputs + i];
    if (weight != 0) {  // what nobody asks for need not have a derivative
      (void)mbs_function_evaluate(simulation->system, function, &simulation->state, NULL);
      mbs_function_transposed(simulation->system, function, &simulation->state, weight, bar);
    }
  }
}

void mbs_sweep_add_seed(const MbsSweep *sweep, const MbsStep *step) {
  const MbsSweepSeed *seed = &sweep->seed;
  long first = 0, end = seed->row_count;
  while (first < end) {  // the first row of this step or a later one
    long middle = first + (end - first) / 2;
    if (seed->steps[middle] < step->number) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    for (long row = first; sweep->objectives[o] == seed->objective && row < seed->row_count; ++row) {
      if (seed->steps[row] != step->number) {
        break;
      }
      add_seed_row(sweep, row, &sweep->bars[o]);
    }
  }
}

void mbs_sweep_add_function(MbsSweep *sweep, int objective, mbs_scalar scale) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsFunction *function = &simulation->objectives.items[sweep->objectives[objective]].function;
  (void)mbs_function_evaluate(simulation->system, function, &simulation->state, NULL);
  mbs_function_transposed(simulation->system, function, &simulation->state, scale, &sweep->bars[objective]);
}

static mbs_scalar *of_step(const MbsSweep *sweep, long number, int objective) {
  return sweep->of_steps + 2 * (number * sweep->objective_count + objective);
}

// the integrand gives its weights to the sizes of the steps before and after
static void add_step_sizes(MbsSweep *sweep, int o, const MbsStep *step, const MbsStep *next) {
  const MbsFunction *function = &sweep->simulation->objectives.items[sweep->objectives[o]].function;
  mbs_scalar g = mbs_function_value(sweep->simulation->system, function, &sweep->simulation->state);
  of_step(sweep, step->number, o)[1] += mbs_step_ends(sweep->simulation->stepper, step)[1] * g;
  if (next) {
    of_step(sweep, next->number, o)[1] += mbs_step_ends(sweep->simulation->stepper, next)[0] * g;
  }
}

// what the time and the size of steps have received so far, `scale` times to those of one step
static void note_step(const MbsSweep *sweep, long number, double scale) {
  const MbsSystem *system = sweep->simulation->system;
  for (int o = 0; o < sweep->objective_count && sweep->of_steps; ++o) {
    const mbs_scalar *parameters = sweep->bars[o].parameters + system->blueprint->clock;
    of_step(sweep, number, o)[0] += scale * (parameters[0] + sweep->gradient[o][system->time_column]);
    of_step(sweep, number, o)[1] += scale * parameters[1];
  }
}

mbs_scalar mbs_sweep_weight(const MbsSweep *sweep, const MbsStep *step, const MbsStep *next) {
  const MbsStepper *stepper = sweep->simulation->stepper;
  return mbs_step_ends(stepper, step)[1] * step->h + (next ? mbs_step_ends(stepper, next)[0] * next->h : 0);
}

// What the time of a point receives is that of the step's end, and of its size -ahead times as much.
void mbs_sweep_add_points(MbsSweep *sweep, const MbsStep *step) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  const MbsStepper *stepper = simulation->stepper;
  if (mbs_step_points(stepper, step) == 0 || !simulation->objectives.has_integrals) {
    return;
  }
  for (int p = 0; p < mbs_step_points(stepper, step); ++p) {
    const MbsPoint point = stepper->type->point(stepper, p);
    mbs_signal_bank_visit(system, point.state);
    for (int o = 0; o < sweep->objective_count; ++o) {
      const MbsObjective *objective = &simulation->objectives.items[sweep->objectives[o]];
      if (objective->kind == MBS_OBJECTIVE_IS_INTEGRAL) {
        const MbsStateBar bar = stepper->type->point_bar(stepper, p, &sweep->bars[o], sweep->carry[o]);
        mbs_scalar *of_step = bar.parameters + system->blueprint->clock, before = of_step[0];
        mbs_scalar g = mbs_function_evaluate(system, &objective->function, point.state, NULL);
        mbs_function_transposed(system, &objective->function, point.state, point.weight * step->h, &bar);
        of_step[1] += point.weight * g - point.ahead * (of_step[0] - before);
      }
    }
  }
  mbs_signal_bank_visit(system, &simulation->state);
}

// next: the step after it, or NULL
static void add_objectives(MbsSweep *sweep, const MbsStep *step, const MbsStep *next) {
  const MbsSimulation *simulation = sweep->simulation;
  mbs_scalar weight = mbs_sweep_weight(sweep, step, next);
  mbs_sweep_add_seed(sweep, step);
  for (int o = 0; o < sweep->objective_count; ++o) {
    const MbsObjective *objective = &simulation->objectives.items[sweep->objectives[o]];
    bool is_integral = objective->kind == MBS_OBJECTIVE_IS_INTEGRAL;
    if (is_integral || mbs_sweep_takes_value(sweep, o, step, !next)) {
      mbs_sweep_add_function(sweep, o, is_integral ? weight : 1);
    }
    if (is_integral && sweep->of_steps) {
      add_step_sizes(sweep, o, step, next);
    }
  }
}

// Does the start solve for parameters?
static bool is_trimmed(const MbsSimulation *simulation) {
  const MbsEquilibrium *equilibrium = simulation->initial->equilibrium;
  return equilibrium && equilibrium->is_found && equilibrium->solved_count > 0;
}

MbsStatus mbs_sweep_start(MbsContext *context, MbsSweep *sweep) {
  MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  for (int o = 0; o < sweep->objective_count; ++o) {
    for (int i = 0; i < system->n; ++i) {
      mbs_scalar *at_start = sweep->at_start + (size_t)sweep->objectives[o] * 2 * (size_t)system->n;
      at_start[i] = sweep->bars[o].q[i];
      at_start[system->n + i] = sweep->bars[o].v[i];
    }
  }
  bool is_given = simulation->given.is_given;  // which depends on nothing
  if (is_trimmed(simulation)) {
    MBS_TRY(mbs_equilibrium_derivative(context, simulation->initial, simulation->initial->columns.X));
    mbs_signal_bank_evaluate(system, &simulation->state);
    mbs_signal_bank_take_columns(system, &simulation->state, &simulation->initial->columns);
    mbs_events_find_moving(simulation, &simulation->initial->columns);
  }
  MBS_TRY(is_given ? MBS_OK : mbs_initial_factor(context, simulation->initial, &simulation->state));
  for (int o = 0; o < sweep->objective_count; ++o) {
    if (!is_given) {
      mbs_initial_transposed(simulation->initial, &simulation->state, &sweep->bars[o]);
    }
    mbs_system_fixed_transposed(system, simulation->state.t, &sweep->bars[o], sweep->gradient[o]);
  }
  return MBS_OK;
}

static MbsStatus sweep_step(MbsContext *context, MbsSweep *sweep, const MbsStep *step, const MbsStep *next) {
  MbsSimulation *simulation = sweep->simulation;
  MbsStepper *stepper = simulation->stepper;
  add_objectives(sweep, step, next);
  mbs_sweep_add_points(sweep, step);
  MBS_TRY(stepper->type->prepare(context, stepper, step, &simulation->state));
  for (int o = 0; o < sweep->objective_count; ++o) {
    stepper->type->transposed(stepper, step, next, &simulation->state, &sweep->bars[o], sweep->carry[o]);
    if (step->number > 0) {
      mbs_system_fixed_transposed(simulation->system, simulation->state.t, &sweep->bars[o], sweep->gradient[o]);
    }
  }
  return step->number == 0 ? mbs_sweep_start(context, sweep) : MBS_OK;
}

// a list of `size` numbers for each objective: of expressions of other objectives, from those of the others
static void chain_list(const MbsSweep *sweep, size_t size, mbs_scalar *list) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsObjectives *objectives = &simulation->objectives;
  for (int i = 0; i < objectives->count; ++i) {
    const MbsFunction *function = &objectives->items[i].function;
    for (int s = 0; s < function->tape->input_count && objectives->items[i].is_wanted &&
                    objectives->items[i].kind == MBS_OBJECTIVE_IS_VALUE;
         ++s) {
      const MbsSignal *signal = &simulation->system->blueprint->signals.items[function->tape->inputs[s]];
      const mbs_scalar *of = list + (size_t)signal->index * size;
      bool is_used = mbs_re(mbs_abs(function->outputs[1 + s])) > 0;
      for (size_t k = 0; k < size && signal->kind == MBS_SIGNAL_OBJECTIVE && is_used; ++k) {
        list[(size_t)i * size + k] += function->outputs[1 + s] * of[k];
      }
    }
  }
}

// What parameters that were solved for do to expressions of other objectives that name them: the start has handed on
// what they do to those others.
static void chain_solved(MbsSimulation *simulation, bool is_after) {
  const MbsEquilibrium *equilibrium = simulation->initial->equilibrium;
  const MbsObjectives *objectives = &simulation->objectives;
  const MbsEvents *events = &simulation->events;
  int asked = simulation->system->asked_count;
  for (int o = 0; o < objectives->count; ++o) {
    mbs_scalar *gradient = objectives->gradient + o * objectives->stride;
    bool is_value = objectives->items[o].kind == MBS_OBJECTIVE_IS_VALUE;
    for (int d = 0; d < events->moving_count; ++d) {
      int own = -1;
      for (int j = 0; j < equilibrium->solved_count; ++j) {
        own = equilibrium->solved_column[j] == events->moving_column[d] ? equilibrium->solved_column[j] : own;
      }
      for (int k = 0; k < asked && own >= 0 && is_value && is_after; ++k) {
        gradient[k] += gradient[own] * events->variable_columns[d * asked + k];
      }
      if (own >= 0 && !is_after) {
        gradient[own] = 0;
      }
    }
  }
}

static MbsStatus report(MbsContext *context, const MbsSimulation *simulation, long step) {
  enum { STEPS_PER_REPORT = 256 };
  double left = (double)step / (double)simulation->path.step_count;
  if (context->keep_going && step % STEPS_PER_REPORT == 0 && !context->keep_going(context->user, 1 - left / 2)) {
    return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped on the way back at t = %.6g",
                    mbs_re(simulation->state.t));
  }
  return MBS_OK;
}

void mbs_sweep_chain(const MbsSweep *sweep, int objective, mbs_scalar *gradient) {
  const MbsSystem *system = sweep->simulation->system;
  for (int k = 0; k < system->column_count; ++k) {
    gradient[k] = sweep->gradient[objective][k];
  }
  mbs_system_chain(system, sweep->bars[objective].coefficients, sweep->bars[objective].parameters, gradient);
}

// one step backwards, with derivatives from the source where one is given
static MbsStatus visit(MbsContext *context, MbsSweep *sweep, const MbsStep *step, const MbsStep *next) {
  MbsSystem *system = sweep->simulation->system;
  MBS_TRY(mbs_trajectory_recall(context, sweep->trajectory, step));
  mbs_system_take_derivatives(system, true);
  note_step(sweep, step->number, -1);
  MBS_TRY((sweep->continuous ? mbs_continuous_step
           : sweep->events   ? mbs_sweep_events_step
                             : sweep_step)(context, sweep, step, next));
  note_step(sweep, step->number, 1);
  mbs_system_take_derivatives(system, false);
  return MBS_OK;
}

MbsStatus mbs_sweep_run(MbsContext *context, MbsSweep *sweep) {
  MbsSimulation *simulation = sweep->simulation;
  MbsSystem *system = simulation->system;
  double began = mbs_simulation_now();
  const long last = simulation->path.step_count;
  MBS_TRY(sweep->events ? mbs_sweep_events_prepare(context, sweep) : MBS_OK);
  mbs_sweep_find_peaks(sweep);
  MbsStep next = {0}, step = mbs_path_step(&simulation->path, last), before;
  for (long number = last; number >= 0; --number, next = step, step = before) {
    before = mbs_path_step(&simulation->path, number > 0 ? number - 1 : 0);
    if (sweep->events) {
      mbs_sweep_events_enter(sweep, &before, &step);
    }
    MBS_TRY(mbs_sweep_visit_peaks(context, sweep, &step));
    MBS_TRY(visit(context, sweep, &step, number < last ? &next : NULL));
    MBS_TRY(report(context, simulation, number));
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    mbs_sweep_chain(sweep, o, simulation->objectives.gradient + sweep->objectives[o] * simulation->objectives.stride);
  }
  mbs_system_take_derivatives(system, true);
  if (is_trimmed(simulation)) {
    chain_solved(simulation, false);
  }
  mbs_objectives_chain(&simulation->objectives, &simulation->state);
  if (is_trimmed(simulation)) {
    chain_solved(simulation, true);
  }
  mbs_system_take_derivatives(system, false);
  chain_list(sweep, 2 * (size_t)system->n, sweep->at_start);
  chain_list(sweep, (size_t)simulation->events.setting_count * (size_t)system->blueprint->input_count,
             sweep->of_settings);
  simulation->statistics.seconds_sensitivity += mbs_simulation_now() - began;
  return MBS_OK;
}
