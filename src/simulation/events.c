// See events.h. Locating is in event_search.c.
#include "simulation/events.h"

#include <math.h>

#include "simulation/event_search.h"
#include "simulation/simulation.h"
#include "terms/derivative_source.h"

// ---- set-up ----
MbsStatus mbs_events_create(MbsContext *context, MbsSimulation *simulation, bool is_swept) {
  MbsSystem *system = simulation->system;
  const MbsBlueprint *blueprint = system->blueprint;
  MbsEvents *events = &simulation->events;
  bool has_redundancy = simulation->initial->set.redundant_count > 0;
  *events = (MbsEvents){.count = blueprint->events.count};
  if (events->count > 0 && simulation->settings.is_kinematic) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, blueprint->events.items[0].text.place,
                    "event \"%s\": events are not offered in kinematics, where motions are prescribed",
                    blueprint->events.items[0].name);
  }
  MBS_TAKE(context, system->arena, events->items, events->count);
  MBS_TAKE(context, system->arena, events->t_columns, system->column_count);
  for (int i = 0; i < events->count; ++i) {
    const MbsEventSpec *spec = &blueprint->events.items[i];
    MbsEvent *event = &events->items[i];
    event->spec = spec;
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->text.place, spec->guard, &event->guard));
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->text.place, spec->rate, &event->rate));
    if (spec->jump_count > 0) {
      MBS_TRY(mbs_impulse_create(context, system, spec, simulation->formulation.projection_relaxation, has_redundancy,
                                 is_swept, &event->impulse));
    }
  }
  if (events->count > 0) {
    MBS_TAKE(context, system->arena, events->before, mbs_event_search_size(simulation));
  }
  return MBS_OK;
}

void mbs_events_destroy(MbsEvents *events) {
  for (int i = 0; i < events->count && events->items; ++i) {
    mbs_impulse_destroy(events->items[i].impulse);
  }
}

// ---- sides ----
// where a guard is that is zero here: where its rate takes it
static void leave_zero(const MbsSimulation *simulation, MbsEvent *event) {
  event->slope = mbs_re(mbs_function_value(simulation->system, &event->rate, &simulation->state));
  event->side = event->slope > 0 ? 1 : event->slope < 0 ? -1 : 0;
  event->is_at_zero = true;
}

void mbs_events_place(MbsSimulation *simulation) {
  MbsEvents *events = &simulation->events;
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    event->value = mbs_re(mbs_function_value(simulation->system, &event->guard, &simulation->state));
    event->side = event->value > 0 ? 1 : event->value < 0 ? -1 : 0;
    event->is_at_zero = false;
    event->fastest = 0;
    if (event->side == 0) {
      leave_zero(simulation, event);
    }
  }
}

void mbs_events_start(MbsSimulation *simulation) {
  MbsEvents *events = &simulation->events;
  events->is_over = events->is_moved = false;
  events->record_count = events->since_grid = 0;
  events->trials = 0;
  events->step = (MbsStep){0};
  mbs_events_place(simulation);
  for (int k = 0; k < simulation->system->column_count; ++k) {
    events->t_columns[k] = 0;
  }
}

// At the end of a step that is accepted. Where it ends with an event, another one that is awaited has not passed zero
// but for rounding: if it happens at the same time, that is found in the next piece.
static void accept(MbsSimulation *simulation, const MbsStep *step) {
  MbsEvents *events = &simulation->events;
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    event->value = mbs_re(mbs_function_value(simulation->system, &event->guard, &simulation->state));
    event->is_at_zero = event->is_at_zero && step->is_flow;
    bool is_next = step->event > 0 && mbs_event_is_awaited(event);
    if (step->event != 1 + i && !event->is_at_zero && !is_next) {
      event->side = event->value > 0 ? 1 : event->value < 0 ? -1 : event->side;
    }
  }
}

// ---- a step ----
void mbs_events_flow(MbsSimulation *simulation, const MbsStep *step) {
  MbsState *state = &simulation->state;
  for (int i = 0; i < simulation->system->n; ++i) {
    state->q[i] += step->h * state->v[i];
    state->v[i] += step->h * state->a[i];
  }
  state->t = step->t;
  mbs_state_place_fixed(simulation->system, state);
  mbs_signal_bank_accept(simulation->system, state, false);
}

void mbs_events_flow_columns(MbsSimulation *simulation, const MbsStep *step) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  const MbsColumns *columns = &simulation->columns;
  int own = system->step_column * system->nq;
  mbs_columns_begin_step(system, columns, NULL);
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = k * system->nq; i < k * system->nq + system->n; ++i) {
      columns->X[i] += step->h * columns->V[i];
      columns->V[i] += step->h * columns->A[i];
    }
  }
  for (int i = 0; i < system->n; ++i) {
    columns->X[own + i] = state->v[i] - step->h * state->a[i];
    columns->V[own + i] = state->a[i];
  }
  mbs_system_fixed_columns(system, state->t, columns->X, columns->V, columns->A);
}

static MbsStatus record(MbsContext *context, MbsSimulation *simulation, int event) {
  MbsEvents *events = &simulation->events;
  int columns = simulation->system->asked_count;
  MBS_GROW(context, simulation->arena, events->records, events->record_count, events->record_capacity);
  int objectives = simulation->objectives.count;
  if (events->record_count == events->gradient_capacity) {
    int capacity = events->gradient_capacity > 0 ? 2 * events->gradient_capacity : 16;
    mbs_scalar *gradients, *began;
    MBS_TAKE(context, simulation->arena, gradients, (size_t)capacity * (size_t)columns);
    MBS_TAKE(context, simulation->arena, began, (size_t)capacity * (size_t)objectives);
    (void)mbs_put(gradients, events->record_count * columns, events->gradients);
    (void)mbs_put(began, events->record_count * objectives, events->began);
    events->gradients = gradients;
    events->began = began;
    events->gradient_capacity = capacity;
  }
  (void)mbs_put(events->began + events->record_count * objectives, objectives, simulation->objectives.g);
  events->records[events->record_count++] = (MbsEventRecord){.event = event, .t = simulation->state.t};
  return MBS_OK;
}

MbsStatus mbs_events_step(MbsContext *context, MbsSimulation *simulation, MbsStep *step) {
  enum { MOST = 1000 };  // between two planned times
  MbsEvents *events = &simulation->events;
  MBS_TRY(mbs_event_search(context, simulation, step));
  accept(simulation, step);
  events->step = *step;
  events->since_grid = step->event > 0 ? events->since_grid + 1 : 0;
  if (step->event == 0) {
    return MBS_OK;
  }
  MbsEvent *event = &events->items[step->event - 1];
  double rate = fabs(mbs_re(mbs_function_value(simulation->system, &event->rate, &simulation->state)));  // real
  event->fastest = rate > event->fastest ? rate : event->fastest;
  if (events->since_grid > MOST) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, event->spec->text.place,
                    "events never settle: %d happened between two steps, the last \"%s\" at t = %.10g; where impacts "
                    "come ever faster let one of them end the run, or hold what comes to rest",
                    MOST, event->spec->name, mbs_re(simulation->state.t));
  }
  return record(context, simulation, step->event - 1);
}

// ---- columns ----
// list: columns of `size` numbers each; those of the step by itself to all others
static void shift_list(const MbsSimulation *simulation, int size, const mbs_scalar *by_h, const mbs_scalar *by_t,
                       mbs_scalar *list) {
  const MbsSystem *system = simulation->system;
  const mbs_scalar *of_h = list + system->step_column * size, *of_t = list + system->time_column * size;
  for (int k = 0; k < system->asked_count && size > 0 && list; ++k) {
    for (int i = 0; i < size; ++i) {
      list[k * size + i] += (by_h ? by_h[k] : 0) * of_h[i] + (by_t ? by_t[k] : 0) * of_t[i];
    }
  }
}

// what the step's size and its time do to everything; NULL: they stay
static void shift(MbsSimulation *simulation, const mbs_scalar *by_h, const mbs_scalar *by_t) {
  const MbsSystem *system = simulation->system;
  const MbsColumns *columns = &simulation->columns;
  mbs_scalar *const coordinates[] = {columns->X, columns->V, columns->A,
                                     simulation->stepper->type->carried_columns(simulation->stepper)};
  mbs_scalar *const multipliers[] = {columns->L, columns->S, columns->K, columns->T};
  for (int l = 0; l < 4; ++l) {
    shift_list(simulation, system->nq, by_h, by_t, coordinates[l]);
    shift_list(simulation, system->m, by_h, by_t, multipliers[l]);
  }
  for (int i = 0; i < simulation->objectives.count; ++i) {
    shift_list(simulation, 1, by_h, by_t, simulation->objectives.gradient + i * system->column_count);
    shift_list(simulation, 1, by_h, by_t, simulation->objectives.g_column + i * system->carried_count);
  }
}

// of the event's time, where the size of the step changes by -t_a' as yet
static MbsStatus find_time(MbsContext *context, const MbsSimulation *simulation, const MbsEvent *event,
                           mbs_scalar *gradient) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  (void)mbs_function_evaluate(system, &event->guard, state, NULL);
  mbs_scalar of_h =
      mbs_function_derivative(system, &event->guard, state, system->step_column, &simulation->columns, NULL);
  mbs_scalar rate =
      of_h + mbs_function_derivative(system, &event->guard, state, system->time_column, &simulation->columns, NULL);
  for (int k = 0; k < system->asked_count; ++k) {
    mbs_scalar change = mbs_function_derivative(system, &event->guard, state, k, &simulation->columns, NULL);
    gradient[k] = -(change - of_h * simulation->events.t_columns[k]) / rate;
    if (!mbs_is_finite(gradient[k])) {
      return mbs_fail(context, MBS_ERROR_NUMERICAL, event->spec->text.place,
                      "event \"%s\" at t = %.10g: its guard touches zero without passing it, so that its time has no "
                      "derivative",
                      event->spec->name, mbs_re(state->t));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_events_move_columns(MbsContext *context, MbsSimulation *simulation, const MbsStep *step) {
  const MbsSystem *system = simulation->system;
  MbsEvents *events = &simulation->events;
  mbs_scalar *t_columns = events->t_columns;
  if (step->event > 0) {
    mbs_scalar *gradient = events->gradients + (events->record_count - 1) * system->asked_count;
    MBS_TRY(find_time(context, simulation, &events->items[step->event - 1], gradient));
    for (int k = 0; k < system->asked_count; ++k) {  // t_b' - t_a', for a moment
      t_columns[k] = gradient[k] - t_columns[k];
    }
    shift(simulation, t_columns, gradient);
    (void)mbs_put(t_columns, system->asked_count, gradient);
  } else if (events->is_moved) {
    for (int k = 0; k < system->asked_count; ++k) {
      t_columns[k] = -t_columns[k];
    }
    shift(simulation, t_columns, NULL);
  }
  for (int k = 0; k < system->asked_count && step->event == 0; ++k) {
    t_columns[k] = 0;
  }
  return MBS_OK;
}

// ---- what happens ----
bool mbs_events_is_pending(const MbsSimulation *simulation) {
  const MbsEvents *events = &simulation->events;
  if (!mbs_step_restarts(&events->step)) {
    return false;
  }
  const MbsEventSpec *spec = events->step.event > 0 ? events->items[events->step.event - 1].spec : NULL;
  return !(spec && spec->is_last && spec->jump_count == 0);
}

MbsStatus mbs_events_restart(MbsContext *context, MbsSimulation *simulation, const MbsStep *step) {
  MbsStepper *stepper = simulation->stepper;
  MbsState *state = &simulation->state;
  MbsEvent *event = step->event > 0 ? &simulation->events.items[step->event - 1] : NULL;
  if (event && event->impulse) {
    MBS_TRY(mbs_impulse_apply(context, event->impulse, state));
  }
  MBS_TRY(stepper->type->start(context, stepper, simulation->followed, state));
  mbs_signal_bank_evaluate(simulation->system, state);
  return MBS_OK;
}

// before: of the state before, for the impulse
static MbsStatus restart_columns(MbsContext *context, MbsSimulation *simulation, const MbsEvent *event) {
  const MbsStep start = {0};
  if (event && event->impulse) {
    mbs_impulse_derivative(event->impulse, &simulation->columns);
  }
  return simulation->stepper->type->derivative(context, simulation->stepper, &start, &simulation->state,
                                               &simulation->columns);
}

static void take_columns(MbsSimulation *simulation, const MbsEvent *event) {
  const MbsSystem *system = simulation->system;
  const MbsColumns *columns = &simulation->columns;
  mbs_columns_begin_step(system, columns, NULL);
  mbs_system_fixed_columns(system, simulation->state.t, columns->X, columns->V, columns->A);
  if (event && event->impulse) {
    mbs_signal_bank_take_columns(system, &simulation->state, columns);
    mbs_impulse_take_columns(event->impulse, &simulation->state, columns);
  }
}

static double kinetic_energy(const MbsSimulation *simulation) {
  MbsEnergy energy;
  mbs_terms_energy(simulation->system, &simulation->state, &energy);
  return mbs_re(energy.kinetic);
}

// a rate that has become zero: what was hit does not come off again
static MbsStatus check_rate(MbsContext *context, const MbsSimulation *simulation, const MbsEvent *event) {
  const double rounding = 1e-9;
  return !event->impulse || fabs(event->slope) > rounding * event->fastest  // real
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_NUMERICAL, event->spec->text.place,
                        "event \"%s\" at t = %.10g: afterwards its guard has a rate of %.3g and stays at zero, so that "
                        "what follows is not determined; let the event end the run (stop: yes)",
                        event->spec->name, mbs_re(simulation->state.t), event->slope);
}

MbsStatus mbs_events_happen(MbsContext *context, MbsSimulation *simulation) {
  MbsEvents *events = &simulation->events;
  const MbsColumns *columns = simulation->has_columns ? &simulation->columns : NULL;
  const MbsStep step = events->step;
  MbsEvent *event = step.event > 0 ? &events->items[step.event - 1] : NULL;
  double energy = kinetic_energy(simulation);
  if (columns) {
    take_columns(simulation, event);
  }
  MBS_TRY(mbs_events_restart(context, simulation, &step));
  double lost = energy - kinetic_energy(simulation);
  mbs_simulation_jump_energy(simulation, lost);
  mbs_guards_jump(&simulation->guards, &simulation->state);
  mbs_system_take_derivatives(simulation->system, columns != NULL);
  if (columns) {
    MBS_TRY(restart_columns(context, simulation, event));
  }
  mbs_objectives_advance(&simulation->objectives, &simulation->state, columns, 0);
  if (columns && event) {
    shift(simulation, NULL, events->t_columns);
  }
  mbs_system_take_derivatives(simulation->system, false);
  events->step = (MbsStep){0};
  events->is_moved = event != NULL;
  if (event) {
    events->records[events->record_count - 1].energy_lost = lost;
    events->is_over = event->spec->is_last;
    leave_zero(simulation, event);
    return events->is_over ? MBS_OK : check_rate(context, simulation, event);
  }
  return MBS_OK;
}
