// Variables and branches of a run: numbers that hold between events. See events.h.
#include <float.h>
#include <math.h>

#include "simulation/event_search.h"
#include "simulation/simulation.h"

void mbs_events_read_hidden(const MbsSimulation *simulation, mbs_scalar *to) {
  const MbsSystem *system = simulation->system;
  (void)mbs_put(to, simulation->events.hidden_count, system->parameters + system->blueprint->variable_first);
}

static mbs_scalar *branch_of(const MbsSimulation *simulation, const MbsEventSpec *spec) {
  const MbsBlueprint *blueprint = simulation->system->blueprint;
  return &simulation->events.hidden[blueprint->branches.items[spec->branch - 1].parameter - blueprint->variable_first];
}

// what a branch is where its guard (of step and sign: its argument; of floor: that less the branch) is g, on that side
static double branch_at(const MbsSimulation *simulation, const MbsEvent *event, double g, int side) {
  const MbsEventSpec *spec = event->spec;
  double b = mbs_re(*branch_of(simulation, spec));
  if (event->is_counted) {  // exactly at the beginning of piece b the number may be less by rounding
    bool is_zero = !(g < 0 || g > 0);
    double number = mbs_re(mbs_function_value(simulation->system, &event->number, &simulation->state));
    return is_zero ? b - (side < 0) : floor(number);  // real
  }
  switch (simulation->system->blueprint->branches.items[spec->branch - 1].operation) {
    case MBS_OP_FLOOR: return floor(g + b) - (side < 0 && !(g < 0 || g > 0));  // real
    case MBS_OP_STEP: return side >= 0;
    default: return side;
  }
}

bool mbs_events_does_switch(const MbsSimulation *simulation, const MbsEvent *event, int side) {
  mbs_events_read_hidden(simulation, simulation->events.hidden);
  double b = branch_at(simulation, event, 0, side), known = mbs_re(*branch_of(simulation, event->spec));
  return event->spec->change == 0 && (b < known || b > known);
}

void mbs_events_begin(MbsSimulation *simulation) {
  MbsEvents *events = &simulation->events;
  int first = simulation->system->blueprint->variable_first;
  for (int i = 0; i < events->hidden_count; ++i) {
    events->hidden[i] = i < events->variable_count
                            ? mbs_function_value(simulation->system, &events->initial[i], &simulation->state)
                            : simulation->system->blueprint->parameters.items[first + i].nominal;
  }
  mbs_system_set_hidden(simulation->system, events->hidden);
}

// A number that is zero is known to rounding, as its inputs x are: eps sum |dg/dx| |x|, positions and velocities to
// that of the largest of the mechanism, from which they are made.
double mbs_event_rounding(const MbsSimulation *simulation, const MbsEvent *event) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  const MbsFunction *guard = &event->guard;
  double sum = 0, largest = mbs_state_size(system, state), fastest = 0;
  if (event->spec->branch == 0 || event->spec->change != 0 || event->is_counted) {
    return 0;
  }
  for (int i = 0; i < system->n; ++i) {
    fastest = fmax(fastest, fabs(mbs_re(state->v[i])));  // real
  }
  (void)mbs_function_evaluate(system, guard, state, NULL);
  for (int k = 0; k < guard->tape->input_count; ++k) {
    MbsSignalKind kind = system->blueprint->signals.items[guard->tape->inputs[k]].kind;
    double least = kind == MBS_SIGNAL_POSITION ? largest : kind == MBS_SIGNAL_VELOCITY ? fastest : 0;
    double size = fmax(fabs(mbs_re(guard->inputs[k])), least);  // real
    sum += fabs(mbs_re(guard->outputs[1 + k])) * size;          // real
  }
  return 4 * DBL_EPSILON * sum;
}

// where the guard is, or goes from zero; of a branch in constraints this decides on velocities: it is on one side
static int side_of(const MbsSimulation *simulation, const MbsEvent *event, double g, bool is_zero, MbsKnown known) {
  bool does_prescribe = event->spec->changes_constraints;
  bool has_rate =
      known == MBS_KNOWN_ACCELERATIONS || (does_prescribe && (known == MBS_KNOWN_VELOCITIES || event->spec->is_timed));
  double slope = is_zero && has_rate ? mbs_event_rate(simulation, event) : 0;
  int side = is_zero ? (slope > 0) - (slope < 0) : (g > 0) - (g < 0);
  return side == 0 && does_prescribe ? 1 : side;
}

// Is a guard of this branch at zero, but for rounding? Then its own event is to happen, at a time that moves in its own
// way, though it is the same now as that of another event. (A floor has two guards: to the numbers below and above.)
static bool is_about_to_switch(const MbsSimulation *simulation, int branch) {
  const double rounding = 1e-9;
  bool is = false;
  for (int i = 0; i < simulation->events.count && !is; ++i) {
    const MbsEvent *event = &simulation->events.items[i];
    if (event->spec->branch == branch) {
      double g = mbs_re(mbs_function_value(simulation->system, &event->guard, &simulation->state));
      is = !(fabs(g) > rounding * event->largest);  // real
    }
  }
  return is;
}

static bool does_jump(const MbsSimulation *simulation, const MbsEventSpec *spec) {
  return simulation->system->blueprint->branches.items[spec->branch - 1].breaks == MBS_BREAK_JUMPS;
}

// Exactly at the end of its piece, and not on the way out of it: both pieces have the point, and it stays where it is.
// (By the number alone it would be in the next one, from where a rate that is rounding brings it back.)
static bool is_at_end(const MbsSimulation *simulation, const MbsEvent *event, MbsKnown known) {
  const MbsEvents *events = &simulation->events;
  bool is = false;
  for (int i = 0; i < events->count && !is; ++i) {
    const MbsEvent *other = &events->items[i];
    if (other->spec->branch == event->spec->branch && other->spec->change > 0) {
      double g = mbs_re(mbs_function_value(simulation->system, &other->guard, &simulation->state));
      is = !(g < 0 || g > 0);
    }
  }
  return is && !(known == MBS_KNOWN_ACCELERATIONS && mbs_event_rate(simulation, event) > 0);
}

// Branches as the present state has them; returns whether one changed. fired: an event that has switched its own; NULL:
// the start, where guards at zero go where their rates take them, if these are known.
bool mbs_events_settle_once(MbsSimulation *simulation, const MbsEvent *fired, MbsKnown known) {
  MbsEvents *events = &simulation->events;
  bool is_changed = false;
  mbs_events_read_hidden(simulation, events->hidden);
  for (int i = 0; i < events->count; ++i) {
    const MbsEvent *event = &events->items[i];
    if (event->spec->branch == 0 || event->spec->change > 0 || (fired && fired->spec->branch == event->spec->branch)) {
      continue;
    }
    if (known == MBS_KNOWN_POSITIONS && !event->spec->changes_constraints) {
      continue;
    }
    if (known == MBS_KNOWN_NOTHING && (event->spec->changes_constraints || does_jump(simulation, event->spec))) {
      continue;
    }
    if (fired && is_about_to_switch(simulation, event->spec->branch)) {
      continue;
    }
    double g = mbs_re(mbs_function_value(simulation->system, &event->guard, &simulation->state));
    bool is_zero = !fired && !(fabs(g) > mbs_event_rounding(simulation, event));  // real
    double b = branch_at(simulation, event, g, side_of(simulation, event, g, is_zero, known));
    double before = mbs_re(*branch_of(simulation, event->spec));
    if (event->is_counted && b > before && is_at_end(simulation, event, known)) {
      b = before;
    }
    if (b < before || b > before) {
      *branch_of(simulation, event->spec) = b;
      is_changed = true;
    }
  }
  if (is_changed) {
    mbs_system_set_hidden(simulation->system, events->hidden);
    mbs_signal_bank_evaluate(simulation->system, &simulation->state);
  }
  return is_changed;
}

void mbs_events_follow_bends(void *user, const MbsState *state) {
  MbsSimulation *simulation = user;
  const MbsState own = simulation->state;
  simulation->state = *state;
  for (int round = 0; round <= simulation->system->blueprint->branches.count; ++round) {
    if (!mbs_events_settle_once(simulation, NULL, MBS_KNOWN_NOTHING)) {
      break;
    }
  }
  simulation->state = own;
}

MbsStatus mbs_events_never_settle(MbsContext *context, const MbsSimulation *simulation) {
  const MbsBranchSpec *branch = &simulation->system->blueprint->branches.items[0];
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, branch->text.place,
      "the branches of what jumps do not settle at t = %.10g, as where friction holds something at rest: %s "
      "and others have no value there; write noevent(...) around what jumps to take it as it is, or smooth it",
      mbs_re(simulation->state.t), branch->name);
}

MbsStatus mbs_events_settle(MbsContext *context, MbsSimulation *simulation, MbsKnown known) {
  MbsStepper *stepper = simulation->stepper;
  int branches = simulation->system->blueprint->branches.count;
  if (branches == 0) {
    return MBS_OK;
  }
  mbs_signal_bank_evaluate(simulation->system, &simulation->state);
  for (int round = 0; round <= branches + 2; ++round) {
    if (!mbs_events_settle_once(simulation, NULL, known)) {
      return MBS_OK;
    }
    if (known == MBS_KNOWN_ACCELERATIONS) {
      MBS_TRY(stepper->type->start(context, stepper, simulation->followed, &simulation->state));
      mbs_signal_bank_evaluate(simulation->system, &simulation->state);
    }
  }
  return mbs_events_never_settle(context, simulation);
}

// ---- inputs ----
MbsStatus mbs_events_give(MbsContext *context, MbsSimulation *simulation, const double *inputs) {
  MbsEvents *events = &simulation->events;
  int count = simulation->system->blueprint->input_count;
  if (events->setting_count == events->setting_capacity) {
    int capacity = events->setting_capacity > 0 ? 2 * events->setting_capacity : 16;
    mbs_scalar *settings;
    long *steps;
    MBS_TAKE(context, simulation->arena, settings, (size_t)capacity * (size_t)count);
    MBS_TAKE(context, simulation->arena, steps, capacity);
    (void)mbs_put(settings, events->setting_count * count, events->settings);
    for (int i = 0; i < events->setting_count; ++i) {
      steps[i] = events->setting_steps[i];
    }
    events->settings = settings;
    events->setting_steps = steps;
    events->setting_capacity = capacity;
  }
  for (int i = 0; i < count; ++i) {
    events->settings[events->setting_count * count + i] = inputs[i];
  }
  events->setting_steps[events->setting_count++] = simulation->path.step_count + 1;
  events->chained = events->given;
  return MBS_OK;
}

// what was given at the end of a step
static const mbs_scalar *setting_of(const MbsSimulation *simulation, const MbsStep *step) {
  const MbsEvents *events = &simulation->events;
  int low = 0, high = events->setting_count - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    bool is_later = events->setting_steps[middle] > step->number;
    low = is_later ? low : middle;
    high = is_later ? middle - 1 : high;
  }
  MBS_ASSERT(events->setting_steps[low] == step->number);
  return events->settings + low * simulation->system->blueprint->input_count;
}

// what the event makes of variables and of its branch, from the state before: in events->hidden
void mbs_events_find_hidden(MbsSimulation *simulation, const MbsEvent *event, const MbsStep *step) {
  MbsEvents *events = &simulation->events;
  mbs_events_read_hidden(simulation, events->hidden);
  for (int k = 0; k < event->spec->assignment_count; ++k) {
    events->hidden[event->spec->assignments[k].variable] =
        mbs_function_value(simulation->system, &event->assigned[k], &simulation->state);
  }
  if (event->spec->is_given) {
    const MbsBlueprint *blueprint = simulation->system->blueprint;
    (void)mbs_put(events->hidden + blueprint->input_first, blueprint->input_count, setting_of(simulation, step));
  }
  for (int k = 0; k < event->spec->switch_count; ++k) {
    const MbsJointSwitch *joint = &event->spec->switches[k];
    events->hidden[joint->parameter - simulation->system->blueprint->variable_first] = joint->acts;
  }
  if (event->spec->branch > 0) {
    mbs_scalar *b = branch_of(simulation, event->spec);
    *b = event->spec->change != 0 ? *b + event->spec->change : branch_at(simulation, event, 0, step->side);
  }
}
