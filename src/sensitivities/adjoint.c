// See adjoint.h.
#include "sensitivities/adjoint.h"

#include <math.h>

#include "sensitivities/adjoint_continuous.h"
#include "terms/derivative_source.h"

// ---- set-up ----
static MbsStatus create_bars(MbsContext *context, MbsSweep *sweep) {
  const MbsSystem *system = sweep->simulation->system;
  MbsArena *arena = system->arena;
  int count = sweep->objective_count;
  MBS_TAKE(context, arena, sweep->bars, count);
  MBS_TAKE(context, arena, sweep->w, count);
  MBS_TAKE(context, arena, sweep->gradient, count);
  MBS_TAKE(context, arena, sweep->at_start, (size_t)sweep->simulation->objectives.count * 2 * (size_t)system->n);
  for (int o = 0; o < count; ++o) {
    MbsStateBar *bar = &sweep->bars[o];
    mbs_scalar **const coordinates[] = {&bar->q, &bar->v, &bar->a};
    mbs_scalar **const multipliers[] = {&bar->lambda, &bar->sigma, &bar->kappa, &bar->total};
    for (int i = 0; i < MBS_COUNT(coordinates); ++i) {
      MBS_TAKE(context, arena, *coordinates[i], system->nq);
    }
    for (int i = 0; i < MBS_COUNT(multipliers); ++i) {
      MBS_TAKE(context, arena, *multipliers[i], system->m);
    }
    MBS_TAKE(context, arena, bar->coefficients, system->coefficients.nodes.count);
    MBS_TAKE(context, arena, bar->parameters, system->blueprint->parameters.count);
    MBS_TAKE(context, arena, sweep->w[o], mbs_reduced_hat_size(system));
    MBS_TAKE(context, arena, sweep->gradient[o], system->column_count);
  }
  return MBS_OK;
}

// rows of one segment and the state before it, and a snapshot of each segment but the last, which is swept first
static double bytes_needed(const MbsSweep *sweep, double length) {
  double count = ceil((double)sweep->simulation->step_count / length);  // real
  return (double)sizeof(mbs_scalar) * (sweep->row_size * (length + 1) + sweep->snapshot_size * (count - 1));
}

// The longest segments that fit, since all but the last are walked again: all steps in one, or
//     row (L + 1) + snapshot N / L <= memory,   least at L^2 = N snapshot / row
static MbsStatus choose_segments(MbsContext *context, MbsSweep *sweep, double memory) {
  const double unasked = 1e9;
  double steps = (double)sweep->simulation->step_count, scalar = (double)sizeof(mbs_scalar);
  double row = scalar * sweep->row_size, snapshot = scalar * sweep->snapshot_size;
  double bound = memory > 0 ? memory : unasked;
  double thrifty = floor(sqrt(steps * snapshot / row));  // real
  thrifty = thrifty < 1 ? 1 : thrifty > steps ? steps : thrifty;
  double half = (bound - row) / 2, root = half * half - row * snapshot * steps;
  double longest = root >= 0 ? floor((half + sqrt(root)) / row) : 0;  // real
  double length = bytes_needed(sweep, steps) <= bound                          ? steps
                  : longest >= 1 && bytes_needed(sweep, longest) <= bound      ? longest
                  : bytes_needed(sweep, thrifty) <= bytes_needed(sweep, steps) ? thrifty
                                                                               : steps;
  if (!(memory >= 0) || (memory > 0 && bytes_needed(sweep, length) > memory)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "the adjoint cannot keep %ld steps in %.10g bytes: it needs at least %.0f, and %.0f to take every "
                    "step only once",
                    sweep->simulation->step_count, memory, bytes_needed(sweep, length), bytes_needed(sweep, steps));
  }
  sweep->segment_length = (long)length;
  sweep->segment_count = (sweep->simulation->step_count + sweep->segment_length - 1) / sweep->segment_length;
  sweep->simulation->statistics.segments = sweep->segment_count;
  sweep->simulation->statistics.trajectory_bytes = bytes_needed(sweep, length);
  return MBS_OK;
}

MbsStatus mbs_sweep_create(MbsContext *context, MbsSimulation *simulation, double memory, MbsSweep **result) {
  const MbsSystem *system = simulation->system;
  MbsSweep *sweep;
  MBS_TAKE(context, system->arena, sweep, 1);
  MBS_TAKE(context, system->arena, sweep->objectives, simulation->objectives.count);
  sweep->simulation = simulation;
  for (int i = 0; i < simulation->objectives.count; ++i) {
    const MbsObjective *objective = &simulation->objectives.items[i];
    if (objective->is_needed && objective->kind != MBS_OBJECTIVE_IS_VALUE) {
      sweep->objectives[sweep->objective_count++] = i;
    }
  }
  MBS_TRY(create_bars(context, sweep));
  int turns = system->signals.turn_count;
  sweep->has_auxiliary = simulation->reduced && simulation->stepper.w;
  sweep->row_size = (sweep->has_auxiliary ? 4 : 3) * system->n + system->m + 2 * turns;
  if (simulation->stepper.has_projections) {
    sweep->row_size += 1 + 2 * (system->n + system->m);
  }
  sweep->snapshot_size = 4 * system->n + system->m + 2 * (system->n + system->m) + 2 * turns;
  MBS_TRY(choose_segments(context, sweep, memory));
  size_t rows = (size_t)sweep->row_size * (size_t)(sweep->segment_length + 1);
  size_t snapshots = (size_t)(sweep->segment_count - 1);
  MBS_TAKE(context, system->arena, sweep->rows, rows);
  MBS_TAKE(context, system->arena, sweep->snapshots, (size_t)sweep->snapshot_size * snapshots);
  MBS_TAKE(context, system->arena, sweep->previous_counts, snapshots);
  *result = sweep;
  return MBS_OK;
}

// ---- the trajectory ----
static mbs_scalar *put(mbs_scalar *to, int count, const mbs_scalar *from) {
  for (int i = 0; i < count; ++i) {
    to[i] = from[i];
  }
  return to + count;
}

static const mbs_scalar *take(const mbs_scalar *from, int count, mbs_scalar *to) {
  for (int i = 0; i < count; ++i) {
    to[i] = from[i];
  }
  return from + count;
}

// whole turns of each angle, and where it was
static void put_turns(const MbsSystem *system, mbs_scalar *to) {
  const MbsSignalBank *bank = &system->signals;
  to = put(to, bank->turn_count, bank->turns);
  for (int i = 0; i < bank->turn_count; ++i) {
    to[i] = bank->previous[i];
  }
}

static void take_turns(const MbsSystem *system, const mbs_scalar *from) {
  const MbsSignalBank *bank = &system->signals;
  from = take(from, bank->turn_count, bank->turns);
  for (int i = 0; i < bank->turn_count; ++i) {
    bank->previous[i] = mbs_re(from[i]);
  }
}

// what projections gave, and whether it says all about them (MbsStepper, recall)
static mbs_scalar *put_projected(const MbsSimulation *simulation, mbs_scalar *to) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  *to++ = simulation->stepper.is_recallable ? 1 : 0;
  to = put(to, system->n, state->v);
  to = put(to, system->n, state->a);
  to = put(to, system->m, state->sigma);
  return put(to, system->m, state->kappa);
}

static const mbs_scalar *take_projected(MbsSimulation *simulation, const mbs_scalar *from, bool *is_recallable) {
  const MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  *is_recallable = mbs_re(*from) > 0;
  if (!*is_recallable) {
    return from + 1 + 2 * (system->n + system->m);
  }
  from = take(from + 1, system->n, state->v);
  from = take(from, system->n, state->a);
  from = take(from, system->m, state->sigma);
  return take(from, system->m, state->kappa);
}

static void put_row(MbsSweep *sweep, long position) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  const MbsState *stage = &simulation->stepper.stage;
  mbs_scalar *row = sweep->rows + position * sweep->row_size;
  row = put(row, system->n, stage->q);
  row = put(row, system->n, stage->v);
  row = put(row, system->n, stage->a);
  row = put(row, system->m, stage->lambda);
  if (simulation->stepper.has_projections) {
    row = put_projected(simulation, row);
  }
  row = sweep->has_auxiliary ? put(row, system->n, simulation->stepper.w) : row;
  put_turns(system, row);
}

// everything that the next step depends on
static void put_snapshot(MbsSweep *sweep, long segment) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  const MbsStepper *stepper = &simulation->stepper;
  const MbsState *state = &simulation->state;
  mbs_scalar *to = sweep->snapshots + segment * sweep->snapshot_size;
  to = put(to, system->n, state->q);
  to = put(to, system->n, state->v);
  to = put(to, system->n, state->a);
  to = put(to, system->m, state->lambda);
  to = put(to, system->n, stepper->w ? stepper->w : state->a);
  for (int k = 0; k < 2; ++k) {
    to = put(to, system->n + system->m, stepper->previous[k]);
  }
  put_turns(system, to);
  sweep->previous_counts[segment] = stepper->previous_count;
}

static void take_snapshot(MbsSweep *sweep, long segment) {
  MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  MbsStepper *stepper = &simulation->stepper;
  MbsState *state = &simulation->state;
  const mbs_scalar *from = sweep->snapshots + segment * sweep->snapshot_size;
  from = take(from, system->n, state->q);
  from = take(from, system->n, state->v);
  from = take(from, system->n, state->a);
  from = take(from, system->m, state->lambda);
  from = stepper->w ? take(from, system->n, stepper->w) : from + system->n;
  for (int k = 0; k < 2; ++k) {
    from = take(from, system->n + system->m, stepper->previous[k]);
  }
  take_turns(system, from);
  stepper->previous_count = sweep->previous_counts[segment];
}

void mbs_sweep_record(MbsSweep *sweep) {
  long step = sweep->simulation->steps_done, segment = step / sweep->segment_length;
  long position = step - segment * sweep->segment_length;
  if (position == 0 && step > 0) {  // the last of one segment and the first of the next
    put_row(sweep, sweep->segment_length);
  }
  if (segment < sweep->segment_count - 1 && position == 0) {
    put_snapshot(sweep, segment);
  }
  if (position > 0 || step == 0) {
    put_row(sweep, position);
  }
}

// from the state at its beginning, the rows of a segment but the first
static MbsStatus walk_again(MbsContext *context, MbsSweep *sweep, long segment) {
  MbsSimulation *simulation = sweep->simulation;
  long first = segment * sweep->segment_length, last = first + sweep->segment_length;
  last = last > simulation->step_count ? simulation->step_count : last;
  take_snapshot(sweep, segment);
  if (simulation->reduced) {
    simulation->state.t = mbs_simulation_time(simulation, first);
    mbs_state_place_fixed(simulation->system, &simulation->state);
    mbs_reduced_resume(simulation->reduced, &simulation->state, true);
  }
  for (long step = first + 1; step <= last; ++step) {
    MBS_TRY(mbs_simulation_repeat_step(context, simulation, step));
    put_row(sweep, step - first);
  }
  return MBS_OK;
}

// the state at a row, with everything that follows from it
static MbsStatus take_row(MbsContext *context, MbsSweep *sweep, long position, long step) {
  MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  bool is_start = step == 0 || simulation->settings.is_kinematic || simulation->reduced;
  double h = is_start ? 0 : mbs_simulation_step_size(simulation, step);
  state->t = mbs_simulation_time(simulation, step);
  mbs_state_place_fixed(system, state);
  MbsState *stage = mbs_stepper_stage(&simulation->stepper, state, is_start);
  const mbs_scalar *row = sweep->rows + position * sweep->row_size;
  row = take(row, system->n, state->q);
  row = take(row, system->n, stage->v);
  row = take(row, system->n, stage->a);
  row = take(row, system->m, stage->lambda);
  bool is_recallable = false;
  if (simulation->stepper.has_projections) {
    row = take_projected(simulation, row, &is_recallable);
  }
  row = sweep->has_auxiliary ? take(row, system->n, simulation->stepper.w) : row;
  take_turns(system, row);
  for (int i = system->n; i < system->nq; ++i) {
    stage->v[i] = state->v[i];
    stage->a[i] = state->a[i];
  }
  MBS_TRY((is_recallable ? mbs_stepper_recall : mbs_stepper_finish)(context, &simulation->stepper, state, h));
  mbs_signal_bank_evaluate(system, state);
  return MBS_OK;
}

// ---- the sweep ----
void mbs_sweep_add_function(MbsSweep *sweep, int objective, double scale) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsFunction *function = &simulation->objectives.items[sweep->objectives[objective]].function;
  (void)mbs_function_evaluate(simulation->system, function, &simulation->state, NULL);
  mbs_function_transposed(simulation->system, function, &simulation->state, scale, &sweep->bars[objective]);
}

static void add_objectives(MbsSweep *sweep, long step) {
  const MbsSimulation *simulation = sweep->simulation;
  long last = simulation->step_count;
  double before = step > 0 ? mbs_simulation_step_size(simulation, step) : 0;
  double after = step < last ? mbs_simulation_step_size(simulation, step + 1) : 0;
  for (int o = 0; o < sweep->objective_count; ++o) {
    const MbsObjective *objective = &simulation->objectives.items[sweep->objectives[o]];
    bool is_integral = objective->kind == MBS_OBJECTIVE_IS_INTEGRAL;
    if (is_integral || step == last) {
      mbs_sweep_add_function(sweep, o, is_integral ? (before + after) / 2 : 1);
    }
  }
}

MbsStatus mbs_sweep_start(MbsContext *context, MbsSweep *sweep, bool is_first) {
  MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  for (int o = 0; o < sweep->objective_count && is_first; ++o) {
    for (int i = 0; i < system->n; ++i) {
      mbs_scalar *at_start = sweep->at_start + (size_t)sweep->objectives[o] * 2 * (size_t)system->n;
      at_start[i] = sweep->bars[o].q[i];
      at_start[system->n + i] = sweep->bars[o].v[i];
    }
  }
  MBS_TRY(mbs_initial_factor(context, simulation->initial, &simulation->state));
  for (int o = 0; o < sweep->objective_count; ++o) {
    mbs_initial_transposed(simulation->initial, &simulation->state, &sweep->bars[o]);
    mbs_system_fixed_transposed(system, simulation->state.t, &sweep->bars[o], sweep->gradient[o]);
  }
  return MBS_OK;
}

// the acceleration's problem at the start, or at a time of a kinematic run, and those before it
static MbsStatus sweep_start(MbsContext *context, MbsSweep *sweep, bool is_first) {
  MbsSimulation *simulation = sweep->simulation;
  MBS_TRY(mbs_stepper_prepare_transposed(context, &simulation->stepper, 0));
  for (int o = 0; o < sweep->objective_count; ++o) {
    mbs_scalar *w = simulation->reduced ? mbs_reduced_bar_of_g(simulation->reduced, sweep->w[o]) : sweep->w[o];
    mbs_stepper_start_transposed(&simulation->stepper, &simulation->state, &sweep->bars[o], w);
  }
  return mbs_sweep_start(context, sweep, is_first);
}

static MbsStatus sweep_step(MbsContext *context, MbsSweep *sweep, long step) {
  MbsSimulation *simulation = sweep->simulation;
  add_objectives(sweep, step);
  bool is_start = step == 0 || simulation->settings.is_kinematic;
  double h = is_start ? 0 : mbs_simulation_step_size(simulation, step);
  if (!is_start) {
    MBS_TRY(simulation->reduced
                ? mbs_reduced_prepare_transposed(context, simulation->reduced, h, step, &simulation->state)
                : mbs_stepper_prepare_transposed(context, &simulation->stepper, h));
  }
  for (int o = 0; o < sweep->objective_count && simulation->reduced && step < simulation->step_count; ++o) {
    mbs_reduced_handle_hats(simulation->reduced, simulation->reduced->set_of_step[step + 1], !is_start,
                            &simulation->state, &sweep->bars[o], sweep->w[o]);
  }
  if (is_start) {
    return sweep_start(context, sweep, step == 0);
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    if (simulation->reduced) {
      mbs_reduced_step_transposed(simulation->reduced, h, &simulation->state, &sweep->bars[o], sweep->w[o]);
    } else {
      mbs_stepper_step_transposed(&simulation->stepper, h, &simulation->state, &sweep->bars[o], sweep->w[o]);
    }
    mbs_system_fixed_transposed(simulation->system, simulation->state.t, &sweep->bars[o], sweep->gradient[o]);
  }
  return MBS_OK;
}

// of expressions of other objectives, from those of the others
static void chain_start(MbsSweep *sweep) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsObjectives *objectives = &simulation->objectives;
  size_t size = 2 * (size_t)simulation->system->n;
  for (int i = 0; i < objectives->count; ++i) {
    const MbsFunction *function = &objectives->items[i].function;
    for (int s = 0; s < function->tape->input_count && objectives->items[i].is_wanted &&
                    objectives->items[i].kind == MBS_OBJECTIVE_IS_VALUE;
         ++s) {
      const MbsSignal *signal = &simulation->system->blueprint->signals.items[function->tape->inputs[s]];
      const mbs_scalar *of = sweep->at_start + (size_t)signal->index * size;
      for (size_t k = 0; k < size && signal->kind == MBS_SIGNAL_OBJECTIVE; ++k) {
        sweep->at_start[(size_t)i * size + k] += function->outputs[1 + s] * of[k];
      }
    }
  }
}

static MbsStatus report(MbsContext *context, const MbsSimulation *simulation, long step) {
  enum { STEPS_PER_REPORT = 256 };
  double left = (double)step / (double)simulation->step_count;
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
static MbsStatus visit(MbsContext *context, MbsSweep *sweep, long step) {
  MbsSystem *system = sweep->simulation->system;
  mbs_system_take_derivatives(system, true);
  MBS_TRY((sweep->continuous ? mbs_continuous_step : sweep_step)(context, sweep, step));
  mbs_system_take_derivatives(system, false);
  return MBS_OK;
}

MbsStatus mbs_sweep_run(MbsContext *context, MbsSweep *sweep) {
  MbsSimulation *simulation = sweep->simulation;
  MbsSystem *system = simulation->system;
  double began = mbs_simulation_now();
  for (long segment = sweep->segment_count - 1; segment >= 0; --segment) {
    long first = segment * sweep->segment_length, last = first + sweep->segment_length;
    last = last > simulation->step_count ? simulation->step_count : last;
    if (segment < sweep->segment_count - 1) {
      MBS_TRY(walk_again(context, sweep, segment));
    }
    for (long step = last; step > first; --step) {
      MBS_TRY(take_row(context, sweep, step - first, step));
      MBS_TRY(visit(context, sweep, step));
      MBS_TRY(report(context, simulation, step));
    }
  }
  // the start's row is the first of the first segment
  MBS_TRY(take_row(context, sweep, 0, 0));
  MBS_TRY(visit(context, sweep, 0));
  for (int o = 0; o < sweep->objective_count; ++o) {
    mbs_sweep_chain(sweep, o, simulation->objectives.gradient + sweep->objectives[o] * system->column_count);
  }
  mbs_system_take_derivatives(system, true);
  mbs_objectives_chain(&simulation->objectives, &simulation->state);
  mbs_system_take_derivatives(system, false);
  chain_start(sweep);
  simulation->statistics.seconds_sensitivity += mbs_simulation_now() - began;
  return MBS_OK;
}
