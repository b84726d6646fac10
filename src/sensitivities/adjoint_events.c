// The way back through events: the transpose of simulation/events.c (theory: section 7, adjoint).
//
// A step from t_a to t_b, with sb what the state at its end has received (b behind a symbol: derivative of the final
// number with respect to it), gives back
//     hb = F_h' sb + w_a y_a + w_b y_b,     tb = F_t' sb + h w_b y_t       y: the integrand, w: weights of the ends
// (stepper.h; what points between the ends give is among F_h' sb and F_t' sb).
// Of an event at t_b = t_e the step after it has given -hb(after), and what happens there gives
//     sb- = J_s' sb+,     t_e b = -hb(after) + J_t' sb+
// where J is the impulse, if there is one, and the start anew (hb(after) = 0 where the event ends the run). Then t_e
// solves g(s_b, t_e) = 0, so that with
//     gamma = g_s (F_h + F_t) + g_t,      m = -(t_e b + hb + tb) / gamma
// the guard's gradient receives m: sb += m g_s, and parameters likewise. By linearity the transpose of the step is
// applied to sb and to g_s apart: the second gives gamma as it passes, and m is known only afterwards.
// What is left to do at t_a is -hb, if t_a is an event's. An event that follows from the one before it has that one's
// time, and hands on to it.
//
// Variables and branches have the values of the time that is passed: before the event those before it. What a variable
// has received since, by expressions and by coefficients, the function f that it was set to hands back: to the state
// before, to parameters, and to variables as they were. At the start its initial value does. What an input has received
// since it was set is the derivative by the number that the caller gave.
#include "sensitivities/adjoint_events.h"

#include "kinematics/equilibrium.h"
#include "terms/derivative_source.h"

MbsStatus mbs_sweep_events_create(MbsContext *context, const MbsSweep *sweep, MbsSweepEvents **result) {
  const MbsSystem *system = sweep->simulation->system;
  MbsSweepEvents *events;
  MBS_TAKE(context, system->arena, events, 1);
  MBS_TAKE(context, system->arena, events->of_size, sweep->objective_count);
  MBS_TAKE(context, system->arena, events->of_time, sweep->objective_count);
  MBS_TAKE(context, system->arena, events->at_end, sweep->objective_count);
  MBS_TAKE(context, system->arena, events->targets, sweep->objective_count * system->blueprint->target_count);
  MBS_TAKE(context, system->arena, events->assigned, sweep->objective_count * sweep->simulation->events.variable_count);
  *result = events;
  return MBS_OK;
}

static void clear(int count, mbs_scalar *numbers) {
  for (int i = 0; i < count; ++i) {
    numbers[i] = 0;
  }
}

void mbs_sweep_events_begin(MbsSweep *sweep) {
  clear(sweep->objective_count, sweep->events->of_size);
  sweep->events->record = -1;
}

MbsStatus mbs_sweep_events_prepare(MbsContext *context, MbsSweep *sweep) {
  const MbsSimulation *simulation = sweep->simulation;
  size_t settings = (size_t)simulation->events.setting_count * (size_t)simulation->system->blueprint->input_count;
  size_t count = (size_t)simulation->objectives.count * settings;
  if (count > sweep->settings_capacity) {
    MBS_TAKE(context, simulation->arena, sweep->of_settings, 2 * count);
    sweep->settings_capacity = 2 * count;
  }
  clear((int)count, sweep->of_settings);
  sweep->events->setting = simulation->events.setting_count;
  return MBS_OK;
}

// ---- what times and sizes have received ----
// takes it away
static mbs_scalar take(mbs_scalar *number) {
  mbs_scalar taken = *number;
  *number = 0;
  return taken;
}

static mbs_scalar take_time(const MbsSystem *system, const MbsStateBar *bar, mbs_scalar *gradient) {
  return take(&bar->parameters[system->blueprint->clock]) + take(&gradient[system->time_column]);
}

static mbs_scalar take_size(const MbsSystem *system, const MbsStateBar *bar) {
  return take(&bar->parameters[system->blueprint->clock + 1]);
}

// ---- variables ----
// what coefficients have received goes to the columns, at the values of variables that they have now
static void fold(MbsSweep *sweep, int o) {
  const MbsSystem *system = sweep->simulation->system;
  const MbsStateBar *bar = &sweep->bars[o];
  mbs_system_chain(system, bar->coefficients, bar->parameters, sweep->gradient[o]);
  clear(system->coefficients.nodes.count, bar->coefficients);
  clear(system->blueprint->parameters.count, bar->parameters);
}

static mbs_scalar take_variable(const MbsSweep *sweep, int o, int variable) {
  const MbsSystem *system = sweep->simulation->system;
  return take(&sweep->gradient[o][system->column_of_parameter[system->blueprint->variable_first + variable]]);
}

// what inputs have received since they were set
static void note_setting(MbsSweep *sweep, const mbs_scalar *received, int o) {
  const MbsSimulation *simulation = sweep->simulation;
  int inputs = simulation->system->blueprint->input_count;
  int row = sweep->objectives[o] * simulation->events.setting_count + sweep->events->setting;
  (void)mbs_put(sweep->of_settings + row * inputs, inputs, received);
}

static void hand_back(MbsSweep *sweep, int o, const MbsFunction *function, mbs_scalar received) {
  const MbsSimulation *simulation = sweep->simulation;
  (void)mbs_function_evaluate(simulation->system, function, &simulation->state, NULL);
  mbs_function_transposed(simulation->system, function, &simulation->state, received, &sweep->bars[o]);
}

void mbs_sweep_events_enter(MbsSweep *sweep, const MbsStep *before, const MbsStep *step) {
  const MbsEvents *events = &sweep->simulation->events;
  sweep->events->is_piece = mbs_step_restarts(step) || mbs_step_restarts(before);
  if (step->event > 0) {
    sweep->events->record = (sweep->events->record < 0 ? events->record_count : sweep->events->record) - 1;
    mbs_sweep_events_return(sweep, step);
  }
}

void mbs_sweep_events_return(MbsSweep *sweep, const MbsStep *step) {
  const MbsEvents *events = &sweep->simulation->events;
  if (step->event > 0) {
    mbs_system_set_hidden(sweep->simulation->system, events->hiddens + sweep->events->record * events->hidden_count);
  }
}

static const MbsObjective *objective_of(const MbsSweep *sweep, int o) {
  return &sweep->simulation->objectives.items[sweep->objectives[o]];
}

// the integrand at the present state; 0: no integral
static mbs_scalar integrand(const MbsSweep *sweep, int o) {
  const MbsSimulation *simulation = sweep->simulation;
  return objective_of(sweep, o)->kind == MBS_OBJECTIVE_IS_INTEGRAL
             ? mbs_function_value(simulation->system, &objective_of(sweep, o)->function, &simulation->state)
             : 0;
}

// weight of the beginning (0) or the end (1) of a step
static double weight_of(const MbsSweep *sweep, const MbsStep *step, int end) {
  return mbs_step_ends(sweep->simulation->stepper, step)[end];
}

// at the present state: `weight` of integrands, and values that are taken at the end of this step
static void add_objectives(MbsSweep *sweep, mbs_scalar weight, const MbsStep *step, bool is_end) {
  for (int o = 0; o < sweep->objective_count; ++o) {
    bool is_integral = objective_of(sweep, o)->kind == MBS_OBJECTIVE_IS_INTEGRAL;
    if (is_integral || mbs_sweep_takes_value(sweep, o, step, is_end)) {
      mbs_sweep_add_function(sweep, o, is_integral ? weight : 1);
    }
  }
}

// ---- what happens at the end of a step ----
// the start anew: from all that the state after it has received to q and v
static MbsStatus transpose_start(MbsContext *context, MbsSweep *sweep, const MbsStep *next) {
  MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  MbsStepper *stepper = simulation->stepper;
  const MbsStep start = {0};
  MBS_TRY(stepper->type->prepare(context, stepper, &start, &simulation->state));
  for (int o = 0; o < sweep->objective_count; ++o) {
    const MbsStateBar *bar = &sweep->bars[o];
    stepper->type->transposed(stepper, &start, next && !next->is_flow ? next : NULL, &simulation->state, bar,
                              sweep->carry[o]);
    clear(stepper->carry_size, sweep->carry[o]);
    clear(system->m, bar->sigma);  // zero after a start
    clear(system->m, bar->kappa);
    mbs_system_fixed_transposed(system, simulation->state.t, bar, sweep->gradient[o]);
  }
  return MBS_OK;
}

static MbsStatus transpose_event(MbsContext *context, MbsSweep *sweep, const MbsStep *step, const MbsStep *next) {
  MbsSimulation *simulation = sweep->simulation;
  MbsSystem *system = simulation->system;
  MbsImpulse *impulse = step->event > 0 ? simulation->events.items[step->event - 1].impulse : NULL;
  const MbsEventSpec *spec = step->event > 0 ? simulation->events.items[step->event - 1].spec : NULL;
  const MbsStep after = {.number = -1};  // of no step's end, but that of the run
  mbs_system_take_derivatives(system, false);
  MBS_TRY(mbs_events_restart(context, simulation, step));
  mbs_system_take_derivatives(system, true);
  for (int o = 0; o < sweep->objective_count; ++o) {
    sweep->events->of_time[o] =
        next ? -(sweep->events->of_size[o] + weight_of(sweep, next, 0) * integrand(sweep, o)) : 0;
  }
  add_objectives(sweep, next ? weight_of(sweep, next, 0) * next->h : 0, &after, !next);
  mbs_sweep_add_seed(sweep, step);
  MBS_TRY(transpose_start(context, sweep, next));
  sweep->events->setting -= spec && spec->is_given;
  for (int o = 0; o < sweep->objective_count && spec; ++o) {
    if (impulse) {
      mbs_impulse_transposed(impulse, &sweep->bars[o], sweep->gradient[o],
                             sweep->events->targets + o * system->blueprint->target_count);
      mbs_system_fixed_transposed(system, simulation->state.t, &sweep->bars[o], sweep->gradient[o]);
    }
    for (int i = 0; i < spec->assignment_count; ++i) {
      if (i == 0) {
        fold(sweep, o);
      }
      sweep->events->assigned[o * simulation->events.variable_count + i] =
          take_variable(sweep, o, spec->assignments[i].variable);
    }
    if (spec->is_given) {
      note_setting(sweep, sweep->events->assigned + o * simulation->events.variable_count, o);
    }
  }
  mbs_system_take_derivatives(system, false);
  if (spec) {
    mbs_system_set_hidden(system, simulation->events.hiddens + sweep->events->record * simulation->events.hidden_count);
  }
  MBS_TRY(mbs_trajectory_recall(context, sweep->trajectory, step));
  mbs_system_take_derivatives(system, true);
  for (int o = 0; o < sweep->objective_count; ++o) {
    for (int i = 0; spec && i < spec->assignment_count; ++i) {
      hand_back(sweep, o, &simulation->events.items[step->event - 1].assigned[i],
                sweep->events->assigned[o * simulation->events.variable_count + i]);
    }
    if (impulse) {
      mbs_impulse_given_transposed(impulse, &simulation->state,
                                   sweep->events->targets + o * system->blueprint->target_count, &sweep->bars[o]);
      mbs_system_fixed_transposed(system, simulation->state.t, &sweep->bars[o], sweep->gradient[o]);
    }
    sweep->events->of_time[o] += take_time(system, &sweep->bars[o], sweep->gradient[o]);
  }
  return MBS_OK;
}

// ---- the step ----
static void transpose_flow(const MbsSimulation *simulation, const MbsStep *step, const MbsStateBar *bar) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  mbs_scalar *of_size = &bar->parameters[system->blueprint->clock + 1];
  for (int i = 0; i < system->n; ++i) {
    *of_size += bar->q[i] * (state->v[i] - step->h * state->a[i]) + bar->v[i] * state->a[i];
    bar->a[i] += step->h * bar->v[i];
    bar->v[i] += step->h * bar->q[i];
  }
}

static void transpose_step(const MbsSweep *sweep, const MbsStep *step, const MbsStep *next, const MbsStateBar *bar,
                           mbs_scalar *carry, mbs_scalar *gradient) {
  MbsSimulation *simulation = sweep->simulation;
  MbsStepper *stepper = simulation->stepper;
  if (step->is_flow) {
    transpose_flow(simulation, step, bar);
  } else {
    stepper->type->transposed(stepper, step, next, &simulation->state, bar, carry);
  }
  if (step->number > 0) {
    mbs_system_fixed_transposed(simulation->system, simulation->state.t, bar, gradient);
  }
}

// Before the step's transpose (which must be prepared): the guard's gradient takes the same way; returns gamma, with
// what the size of the step receives in of_size.
static mbs_scalar transpose_guard(const MbsSweep *sweep, const MbsStep *step, mbs_scalar *of_size) {
  MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  const MbsSweepAside *aside = &sweep->aside;
  const MbsFunction *guard = &simulation->events.items[step->event - 1].guard;
  mbs_sweep_clear_aside(sweep);
  mbs_signal_bank_visit(system, &simulation->state);  // preparing the step may have left signals at one of its stages
  (void)mbs_function_evaluate(system, guard, &simulation->state, NULL);
  mbs_function_transposed(system, guard, &simulation->state, 1, &aside->bar);
  transpose_step(sweep, step, NULL, &aside->bar, aside->carry, aside->gradient);
  *of_size = take_size(system, &aside->bar);
  return *of_size + take_time(system, &aside->bar, aside->gradient);
}

// Is a variable an input that the equilibrium of the start was solved for?
static bool is_solved_for(const MbsSimulation *simulation, int variable) {
  const MbsEquilibrium *equilibrium = simulation->initial->equilibrium;
  bool is = false;
  for (int j = 0; equilibrium && equilibrium->is_found && j < equilibrium->solved_count; ++j) {
    is = is || equilibrium->solved[j] == simulation->system->blueprint->variable_first + variable;
  }
  return is;
}

MbsStatus mbs_sweep_events_step(MbsContext *context, MbsSweep *sweep, const MbsStep *step, const MbsStep *next) {
  MbsSimulation *simulation = sweep->simulation;
  MbsSystem *system = simulation->system;
  MbsSweepEvents *events = sweep->events;
  const MbsEventSpec *spec = step->event > 0 ? simulation->events.items[step->event - 1].spec : NULL;
  bool is_changed = mbs_step_restarts(step) && !(spec && spec->is_last && !mbs_event_changes_state(spec));
  mbs_scalar guard_size = 0, gamma = 1;
  clear(sweep->objective_count, events->of_time);
  if (is_changed) {
    MBS_TRY(transpose_event(context, sweep, step, next));
  }
  add_objectives(sweep, mbs_sweep_weight(sweep, step, is_changed ? NULL : next), step, !next && !is_changed);
  if (!is_changed) {
    mbs_sweep_add_seed(sweep, step);
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    bool is_needed = step->number > 0 && events->is_piece;
    events->at_end[o] = is_needed ? weight_of(sweep, step, 1) * integrand(sweep, o) : 0;
  }
  mbs_sweep_add_points(sweep, step);
  mbs_system_use_step_columns(system, events->is_piece);
  if (!step->is_flow) {
    MBS_TRY(simulation->stepper->type->prepare(context, simulation->stepper, step, &simulation->state));
  }
  bool is_solved = spec && !step->is_chained;
  if (is_solved) {
    gamma = transpose_guard(sweep, step, &guard_size);
    mbs_signal_bank_evaluate(system, &simulation->state);
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    transpose_step(sweep, step, is_changed || (next && next->is_flow) ? NULL : next, &sweep->bars[o], sweep->carry[o],
                   sweep->gradient[o]);
    mbs_scalar of_time = events->of_time[o] + take_time(system, &sweep->bars[o], sweep->gradient[o]);
    events->of_size[o] = take_size(system, &sweep->bars[o]) + events->at_end[o];
    if (step->is_chained) {
      events->of_size[o] = -of_time - events->at_end[o];  // its size is zero, whatever its time
    } else if (is_solved) {
      bool is_integral = objective_of(sweep, o)->kind == MBS_OBJECTIVE_IS_INTEGRAL;
      mbs_scalar began = simulation->events.began[events->record * simulation->objectives.count + sweep->objectives[o]];
      mbs_scalar of_begin = is_integral ? weight_of(sweep, step, 0) * began : 0;
      mbs_scalar m = -(of_time + events->of_size[o] + of_begin) / gamma;
      mbs_sweep_add_aside(sweep, o, m);
      events->of_size[o] += m * guard_size;
    }
  }
  mbs_system_use_step_columns(system, true);
  if (step->number > 0) {
    return MBS_OK;
  }
  MBS_TRY(mbs_sweep_start(context, sweep));
  for (int o = 0; o < sweep->objective_count && simulation->events.variable_count > 0; ++o) {
    fold(sweep, o);
    for (int i = 0; i < simulation->events.variable_count; ++i) {
      mbs_scalar received = take_variable(sweep, o, i);
      if (!is_solved_for(simulation, i)) {  // else the start has handed it on
        hand_back(sweep, o, &simulation->events.initial[i], received);
      }
    }
  }
  return MBS_OK;
}
