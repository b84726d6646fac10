// See events.h. Sides of guards are in event_sides.c, locating in event_search.c, variables and branches in
// event_variables.c, derivatives in event_columns.c.
#include "simulation/events.h"

#include <math.h>

#include "simulation/event_search.h"
#include "simulation/simulation.h"
#include "terms/derivative_source.h"

// ---- set-up ----
static MbsStatus create_variables(MbsContext *context, MbsSimulation *simulation) {
  MbsSystem *system = simulation->system;
  const MbsBlueprint *blueprint = system->blueprint;
  MbsEvents *events = &simulation->events;
  events->hidden_count = mbs_system_hidden_count(system);
  events->variable_count = blueprint->variable_count;
  MBS_TAKE(context, system->arena, events->hidden, events->hidden_count);
  MBS_TAKE(context, system->arena, events->initial, events->variable_count);
  events->moving_count = events->variable_count;
  MBS_TAKE(context, system->arena, events->moving_column, events->variable_count + blueprint->trim.unknowns.count);
  for (int i = 0; i < events->variable_count; ++i) {
    events->moving_column[i] = system->column_of_parameter[blueprint->variable_first + i];
  }
  for (int i = 0; i < blueprint->trim.unknowns.count; ++i) {
    int parameter = blueprint->trim.unknowns.items[i].parameter;
    if (parameter < blueprint->clock) {
      events->moving_column[events->moving_count++] = system->column_of_parameter[parameter];
    }
  }
  MBS_TAKE(context, system->arena, events->variable_columns, events->moving_count * system->asked_count);
  for (int i = 0; i < events->variable_count; ++i) {
    MBS_TRY(mbs_function_create(context, system, blueprint->parameters.items[blueprint->variable_first + i].name,
                                mbs_nowhere, blueprint->variable_initial[i], &events->initial[i]));
  }
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    MBS_TAKE(context, system->arena, event->assigned, event->spec->assignment_count);
    MBS_TAKE(context, system->arena, event->slopes, event->spec->assignment_count * system->column_count);
    for (int k = 0; k < event->spec->assignment_count; ++k) {
      MBS_TRY(mbs_function_create(context, system, event->spec->name, event->spec->text.place,
                                  event->spec->assignments[k].value, &event->assigned[k]));
    }
  }
  return MBS_OK;
}

// Of a step that keeps positions alone accelerations and multipliers depend on its size: they do not tell a time.
static MbsStatus check_guard(MbsContext *context, const MbsSimulation *simulation, const MbsEventSpec *spec) {
  const MbsFormulationType *type = simulation->formulation.type;
  bool is_told = spec->rate != MBS_NODE_NONE || !type->is_position_level || type->has_projections;
  return is_told ? MBS_OK
                 : mbs_fail(context, MBS_ERROR_NOT_OFFERED, spec->text.place,
                            "event \"%s\": guards of accelerations, multipliers or reactions are not offered in "
                            "formulation %s, whose steps determine them by their size; use another one",
                            spec->name, type->name);
}

MbsStatus mbs_events_create(MbsContext *context, MbsSimulation *simulation) {
  MbsSystem *system = simulation->system;
  const MbsBlueprint *blueprint = system->blueprint;
  MbsEvents *events = &simulation->events;
  *events = (MbsEvents){.count = blueprint->events.count};
  const MbsEventSpec *first = NULL;
  for (int i = events->count - 1; i >= 0; --i) {
    const MbsEventSpec *spec = &blueprint->events.items[i];
    first = spec->is_end || spec->is_given ? first : spec;
  }
  if (first && simulation->settings.is_kinematic) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, first->text.place,
                    "%s \"%s\": events%s are not offered in kinematics, where motions are prescribed",
                    first->is_hidden ? "objective" : "event", first->name,
                    first->is_hidden ? ", and so values at a time," : "");
  }
  MBS_TAKE(context, system->arena, events->items, events->count);
  MBS_TAKE(context, system->arena, events->t_columns, system->column_count);
  for (int i = 0; i < events->count; ++i) {
    const MbsEventSpec *spec = &blueprint->events.items[i];
    MbsEvent *event = &events->items[i];
    event->spec = spec;
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->text.place, spec->guard, &event->guard));
    if (spec->rate != MBS_NODE_NONE) {
      MBS_TRY(mbs_function_create(context, system, spec->name, spec->text.place, spec->rate, &event->rate));
    }
    MbsNode argument = spec->branch > 0 ? blueprint->branches.items[spec->branch - 1].argument : MBS_NODE_NONE;
    event->is_counted = spec->branch > 0 && mbs_table_is_counter(blueprint, argument);
    if (event->is_counted) {
      MBS_TRY(mbs_function_create(context, system, spec->name, spec->text.place, argument, &event->number));
    }
    if (spec->is_end) {
      events->end = 1 + i;
      MBS_TRY(mbs_function_create(context, system, spec->name, spec->text.place, spec->end, &events->end_time));
    }
    events->given = spec->is_given ? 1 + i : events->given;
    events->do_branches_prescribe |= spec->branch > 0 && spec->changes_constraints;
  }
  return create_variables(context, simulation);
}

MbsStatus mbs_events_prepare(MbsContext *context, MbsSimulation *simulation, bool is_swept) {
  MbsSystem *system = simulation->system;
  MbsEvents *events = &simulation->events;
  const MbsFormulation *formulation = &simulation->formulation, *other = formulation->other;
  bool has_redundancy = simulation->initial->set.redundant_count > 0 || other;
  double relaxation = formulation->projection_relaxation;
  if (other && other->projection_relaxation > relaxation) {  // a new joint may bring redundant constraints
    relaxation = other->projection_relaxation;
  }
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    MBS_TRY(check_guard(context, simulation, event->spec));
    if (event->spec->jump_count > 0 || event->spec->changes_constraints) {
      MBS_TRY(mbs_impulse_create(context, system, event->spec, relaxation, has_redundancy, is_swept, &event->impulse));
    }
  }
  if (events->count > 0 || simulation->settings.step_tolerance > 0) {
    MBS_TAKE(context, system->arena, events->before, mbs_event_search_size(simulation));
  }
  return MBS_OK;
}

void mbs_events_destroy(MbsEvents *events) {
  for (int i = 0; i < events->count && events->items; ++i) {
    mbs_impulse_destroy(events->items[i].impulse);
  }
}

// ---- the run ----
void mbs_events_start(MbsSimulation *simulation) {
  MbsEvents *events = &simulation->events;
  events->is_over = events->is_moved = false;
  events->chained = 0;
  events->record_count = events->since_grid = events->setting_count = 0;
  events->trials = 0;
  events->step = (MbsStep){0};
  mbs_events_place(simulation);
  for (int k = 0; k < simulation->system->column_count; ++k) {
    events->t_columns[k] = 0;
  }
}

// At the end of a step that is accepted. Where it ends with an event, or is no step, another one that is awaited has
// not passed zero but for rounding: if it happens at the same time, that is found in the next piece.
static void accept(MbsSimulation *simulation, const MbsStep *step) {
  MbsEvents *events = &simulation->events;
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    double before = event->value;
    event->value = mbs_re(mbs_event_guard(simulation, event));
    event->is_at_zero = event->is_at_zero && step->is_flow;
    event->is_near = fabs(event->value) < 2 * fabs(event->value - before);  // real
    if (!step->is_flow) {
      event->trend = (event->value - before) / mbs_re(step->h);
      event->since = fmax(event->since, fabs(event->trend));  // real
    }
    if (event->is_near && !event->is_at_zero) {
      event->slope = mbs_event_rate(simulation, event);
    }
    event->largest = fmax(event->largest, fabs(event->value));  // real
    bool is_next = mbs_step_restarts(step) && mbs_event_is_awaited(event);
    if (step->event != 1 + i && !event->is_at_zero && !is_next) {
      event->side = event->value > 0 ? 1 : event->value < 0 ? -1 : event->side;
    }
  }
}

// Most steps of a control of many pieces: guards that are linear in time, and none of them zero anywhere near. Nothing
// is looked for then, and what `accept` would find is known.
static bool is_uneventful(const MbsSimulation *simulation, const MbsStep *step) {
  const MbsEvents *events = &simulation->events;
  bool is = step->event == 0 && !step->is_flow && !step->is_chained && !simulation->dense.is_wanted &&
            !mbs_simulation_is_controlled(simulation) && events->end == 0;
  for (int i = 0; i < events->count && is; ++i) {
    const MbsEvent *event = &events->items[i];
    is = mbs_event_is_far(simulation, event, step) && !event->is_at_zero && event->value * event->side > 0;
  }
  return is;
}

static void pass_by(MbsSimulation *simulation, const MbsStep *step) {
  MbsEvents *events = &simulation->events;
  double t = mbs_re(step->t);
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    double pace = event->pace < 0 ? -event->pace : event->pace;
    event->value = -event->pace * (event->due - t);
    event->trend = event->pace;
    event->is_near = event->is_tried = false;
    event->since = pace > event->since ? pace : event->since;
    double size = event->value < 0 ? -event->value : event->value;
    event->largest = size > event->largest ? size : event->largest;
  }
  events->step = *step;
  events->chained = events->since_grid = 0;
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

static MbsStatus record(MbsContext *context, MbsSimulation *simulation, int event) {
  MbsEvents *events = &simulation->events;
  int columns = simulation->system->asked_count;
  MBS_GROW(context, simulation->arena, events->records, events->record_count, events->record_capacity);
  int objectives = simulation->objectives.count;
  if (events->record_count == events->gradient_capacity) {
    int capacity = events->gradient_capacity > 0 ? 2 * events->gradient_capacity : 16;
    mbs_scalar *gradients, *began, *hiddens;
    MBS_TAKE(context, simulation->arena, gradients, (size_t)capacity * (size_t)columns);
    MBS_TAKE(context, simulation->arena, began, (size_t)capacity * (size_t)objectives);
    MBS_TAKE(context, simulation->arena, hiddens, (size_t)capacity * (size_t)events->hidden_count);
    (void)mbs_put(hiddens, events->record_count * events->hidden_count, events->hiddens);
    events->hiddens = hiddens;
    (void)mbs_put(gradients, events->record_count * columns, events->gradients);
    (void)mbs_put(began, events->record_count * objectives, events->began);
    events->gradients = gradients;
    events->began = began;
    events->gradient_capacity = capacity;
  }
  mbs_events_read_hidden(simulation, events->hiddens + events->record_count * events->hidden_count);
  (void)mbs_put(events->began + events->record_count * objectives, objectives, simulation->objectives.g);
  events->records[events->record_count++] = (MbsEventRecord){.event = event, .t = simulation->state.t};
  return MBS_OK;
}

MbsStatus mbs_events_step(MbsContext *context, MbsSimulation *simulation, MbsStep *step) {
  enum { MOST = 1000 };  // between two planned times
  MbsEvents *events = &simulation->events;
  if (is_uneventful(simulation, step)) {
    MBS_TRY(mbs_simulation_repeat_step(context, simulation, step));
    pass_by(simulation, step);
    return MBS_OK;
  }
  if (step->is_chained) {
    mbs_events_flow(simulation, step);
    mbs_events_forget_values(events);
  } else {
    MBS_TRY(mbs_event_search(context, simulation, step));
  }
  bool is_plan = simulation->followed == &simulation->plan;
  if (is_plan && step->event == 0 && simulation->planned + 1 == simulation->plan.step_count &&
      mbs_simulation_meets_plan(simulation, step)) {
    step->event = events->end;
  }
  accept(simulation, step);
  events->step = *step;
  events->chained = 0;
  events->since_grid = step->event > 0 && !step->is_planned ? events->since_grid + 1 : 0;
  if (step->event == 0) {
    return MBS_OK;
  }
  MbsEvent *event = &events->items[step->event - 1];
  double rate = fabs(mbs_event_rate(simulation, event));  // real
  event->fastest = fmax(event->fastest, rate);            // real
  if (events->since_grid > MOST) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, event->spec->text.place,
                    "events never settle: %d happened between two steps, the last \"%s\" at t = %.10g; where impacts "
                    "come ever faster let one of them end the run, or hold what comes to rest",
                    MOST, event->spec->name, mbs_re(simulation->state.t));
  }
  MBS_TRY(record(context, simulation, step->event - 1));
  const double hardly = 1e-3;
  MbsEventRecord *now = &events->records[events->record_count - 1];
  now->is_grazing = !step->is_chained && rate < hardly * event->since;
  const MbsEventRecord *last = now - 1;  // that somebody but an objective has made
  while (last > events->records && events->items[last->event].spec->is_hidden) {
    --last;
  }
  if (last >= events->records && step->is_flow && !step->is_chained && !event->spec->is_hidden) {
    const MbsEventSpec *spec = events->items[last->event].spec;
    double apart = mbs_re(now->t - last->t) / simulation->settings.step;
    now->is_together = apart < MBS_SHORTEST_STEP && !spec->is_hidden && mbs_event_changes_state(event->spec) &&
                       mbs_event_changes_state(spec);
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
  return !(spec && spec->is_last && !mbs_event_changes_state(spec));
}

MbsStatus mbs_events_restart(MbsContext *context, MbsSimulation *simulation, const MbsStep *step) {
  MbsStepper *stepper = simulation->stepper;
  MbsState *state = &simulation->state;
  int branches = simulation->system->blueprint->branches.count;
  MbsEvent *event = step->event > 0 ? &simulation->events.items[step->event - 1] : NULL;
  if (event) {
    mbs_events_find_hidden(simulation, event, step);
    if (event->impulse) {
      mbs_impulse_take_given(event->impulse, state);
    }
    mbs_system_set_hidden(simulation->system, simulation->events.hidden);
    bool is_settled = !simulation->events.do_branches_prescribe || event->spec->assignment_count == 0;
    for (int round = 0; !is_settled && round <= branches; ++round) {  // before velocities follow
      is_settled = !mbs_events_settle_once(simulation, event, MBS_KNOWN_POSITIONS);
    }
    if (event->impulse) {
      MbsStatus status = mbs_impulse_apply(context, event->impulse, simulation->statistics.residual_position, state);
      if (status != MBS_OK) {
        return mbs_simulation_diagnose(context, simulation, status);
      }
    }
  }
  stepper->do_forces_jump = event && !mbs_event_changes_state(event->spec);
  stepper->is_even = step->is_planned;
  for (int round = 0; round <= branches + 2; ++round) {
    MbsStatus status = stepper->type->start(context, stepper, simulation->followed, state);
    stepper->do_forces_jump = stepper->is_even = round < 0;
    MBS_TRY(status);
    mbs_signal_bank_evaluate(simulation->system, state);
    if (!event || branches == 0 || !mbs_events_settle_once(simulation, event, MBS_KNOWN_ACCELERATIONS)) {
      return MBS_OK;
    }
  }
  return mbs_events_never_settle(context, simulation);
}

MbsStatus mbs_events_happen(MbsContext *context, MbsSimulation *simulation) {
  MbsEvents *events = &simulation->events;
  const MbsColumns *columns = simulation->has_columns ? &simulation->columns : NULL;
  const MbsStep step = events->step;
  MbsEvent *event = step.event > 0 ? &events->items[step.event - 1] : NULL;
  mbs_signal_bank_evaluate(simulation->system, &simulation->state);
  if (event) {
    MBS_TRY(mbs_event_check_flight(context, simulation, event, &step));
    event->happened = mbs_re(simulation->state.t);
  }
  if (columns) {
    mbs_system_use_step_columns(simulation->system, true);
    mbs_events_take_columns(simulation, event);
  }
  MbsStatus status = mbs_events_restart(context, simulation, &step);
  if (status != MBS_OK) {
    return mbs_simulation_diagnose(context, simulation, status);
  }
  double lost = mbs_simulation_jump_energy(simulation);
  mbs_guards_jump(&simulation->guards, &simulation->state);
  if (event && event->spec->switch_count > 0) {  // other constraints: other gradients, another condition number
    mbs_violation_jump(simulation);
    simulation->watched_quality = simulation->condition_start = 0;
  }
  mbs_system_take_derivatives(simulation->system, columns != NULL);
  if (columns) {
    MBS_TRY(mbs_events_restart_columns(context, simulation, event));
  }
  mbs_objectives_restart(&simulation->objectives, &simulation->state, columns);
  if (columns) {
    mbs_events_shift(simulation, NULL, event ? events->t_columns : NULL);
    mbs_system_use_step_columns(simulation->system, false);
  }
  mbs_system_take_derivatives(simulation->system, false);
  MBS_TRY(mbs_peaks_begin_stretch(context, simulation));
  events->step = (MbsStep){0};
  events->is_moved = event != NULL;
  if (!event) {
    return MBS_OK;
  }
  events->records[events->record_count - 1].energy_lost = lost;
  events->records[events->record_count - 1].is_at_edge = event->impulse && event->impulse->impact.is_at_edge;
  events->is_over = event->spec->is_last;
  mbs_events_find_sides(simulation, event);
  return events->is_over ? MBS_OK : mbs_event_check_leaving(context, simulation, event);
}
