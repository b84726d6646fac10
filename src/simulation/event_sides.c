// On which side of zero guards are: at the start, and after an event, whose own guard is at zero and leaves it, or
// rests there.
#include <math.h>

#include "simulation/event_search.h"
#include "simulation/events.h"
#include "simulation/simulation.h"

// ---- sides ----
// A guard that is linear in time is evaluated near its zero alone.
mbs_scalar mbs_event_guard(const MbsSimulation *simulation, MbsEvent *event) {
  const MbsState *state = &simulation->state;
  double ahead = event->due - mbs_re(state->t);
  if (event->spec->is_uniform && fabs(ahead) > 0.01 * simulation->settings.step) {  // real
    return -event->pace * ahead;
  }
  if (!event->is_tried) {
    event->tried = mbs_function_value(simulation->system, &event->guard, state);
    event->is_tried = true;
  }
  MBS_ASSERT(!(mbs_re(mbs_abs(event->tried - mbs_function_value(simulation->system, &event->guard, state))) > 0));
  return event->tried;
}

double mbs_event_rate(const MbsSimulation *simulation, const MbsEvent *event) {
  return event->spec->rate == MBS_NODE_NONE
             ? event->trend
             : mbs_re(mbs_function_value(simulation->system, &event->rate, &simulation->state));
}

// Its guard at the present state, between steps.
static void evaluate(const MbsSimulation *simulation, MbsEvent *event) {
  event->value = mbs_re(mbs_function_value(simulation->system, &event->guard, &simulation->state));
  if (event->spec->is_uniform) {
    event->pace = mbs_event_rate(simulation, event);
    event->due = mbs_re(simulation->state.t) - event->value / event->pace;
  }
}

// does it wait? Where its joints are not all as it would make them
static bool is_armed(const MbsSimulation *simulation, const MbsEventSpec *spec) {
  bool is_other = spec->switch_count == 0;
  for (int k = 0; k < spec->switch_count; ++k) {
    is_other |= (mbs_re(simulation->system->parameters[spec->switches[k].parameter]) > 0.5) != spec->switches[k].acts;
  }
  return is_other;
}

// Where a guard is that is zero here: where its rate takes it. Of a floor, or a piece of a table, whose guards are
// those of the number that holds, where that number has it: if it goes to the other side (it has but touched zero,
// say), its event follows.
static void leave_zero(const MbsSimulation *simulation, MbsEvent *event) {
  event->slope = mbs_event_rate(simulation, event);
  event->side = event->spec->change != 0 ? -event->spec->change : (event->slope > 0) - (event->slope < 0);
  event->is_at_zero = true;
  event->is_near = false;
  event->since = fabs(event->slope);  // real
}

void mbs_events_place(MbsSimulation *simulation) {
  MbsEvents *events = &simulation->events;
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    evaluate(simulation, event);
    double rounding = mbs_event_rounding(simulation, event), size = fabs(event->value);  // real
    event->side = !(size > rounding) ? 0 : event->value > 0 ? 1 : -1;
    event->is_at_zero = event->is_near = event->is_held = false;
    event->is_armed = is_armed(simulation, event->spec);
    event->trend = 0;
    event->fastest = event->since = 0;
    event->happened = -(double)INFINITY;
    event->largest = fmax(size, 1e9 * rounding);  // real
    if (event->side == 0) {
      leave_zero(simulation, event);
    }
  }
}

// ---- after an event ----
static bool removes_joints(const MbsEventSpec *spec) {
  bool does = false;
  for (int i = 0; i < spec->switch_count; ++i) {
    does |= !spec->switches[i].acts;
  }
  return does;
}

// A guard after joints have come or gone. Returns whether that settles where it is: where constraints hold it at zero,
// or where it begins to wait at zero and goes nowhere yet.
static bool wait_anew(const MbsSimulation *simulation, MbsEvent *event, const MbsEvent *fired) {
  const double rounding = 1e-9;
  bool was_waiting = event->is_armed && !event->is_held, is_reaction = event->spec->rate == MBS_NODE_NONE;
  bool was_free = was_waiting || event == fired || (event->is_held && !removes_joints(fired->spec));
  event->is_armed = is_armed(simulation, event->spec);
  event->is_held = false;
  if (is_reaction) {
    if (!was_waiting && event->is_armed && event->spec->direction != 0) {
      event->side = -event->spec->direction;  // if it is beyond zero it follows at once
      event->is_at_zero = false;
    }
    return false;
  }
  double slope = mbs_event_rate(simulation, event);
  bool is_zero = !(fabs(event->value) > rounding * event->largest);                // real
  bool is_still = !(fabs(slope) > rounding * fmax(event->since, event->fastest));  // real
  if (!is_zero || !(is_still || !was_free)) {
    return false;
  }
  event->is_held = is_still && was_free;
  event->side = is_still ? 0 : slope > 0 ? 1 : -1;
  event->slope = slope;
  event->is_at_zero = event->side != 0;
  event->is_near = false;
  return true;
}

// After an event. Its own guard is at zero still, unless it is a floor's, whose other guard is then, or has jumped
// itself. Another one may have been taken to the other side at once: a branch has followed, and an event of the model
// follows next.
void mbs_events_find_sides(MbsSimulation *simulation, MbsEvent *fired) {
  const double rounding = 1e-9;
  MbsEvents *events = &simulation->events;
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    evaluate(simulation, event);
    if (fired->spec->switch_count > 0 && wait_anew(simulation, event, fired)) {
      continue;
    }
    bool is_own = event == fired || (fired->spec->branch > 0 && event->spec->branch == fired->spec->branch);
    if (is_own && !(fabs(event->value) > rounding * event->largest)) {  // real
      leave_zero(simulation, event);
      continue;
    }
    event->is_at_zero = event->is_at_zero && event != fired;
    int side = (event->value > 0) - (event->value < 0);
    event->is_near = true;
    event->slope = event->is_at_zero ? event->slope : mbs_event_rate(simulation, event);
    if (event->is_at_zero || !(fabs(event->value) > rounding * event->largest)) {  // real
      continue;
    }
    bool follows = event != fired && event->spec->branch == 0 && side != event->side && mbs_event_is_awaited(event);
    if (follows && events->chained == 0) {
      events->chained = 1 + i;
    }
    event->side = follows ? event->side : side;
  }
}

// Impacts that come ever faster (restitution e: flights of T, e T, e^2 T ...) end at a time that none of them reaches.
// What rests there would be hit for ever; by rounding it is hit while it comes off, and an impact that turns such a
// rate round drives it through. So it rests as soon as a flight, a parabola of height rate * time / 4, is none but for
// rounding: or if the guard is zero with a rate that leads away from there.
// (What is still fast does not: balls in a row hit each other again at once, without a flight.)
MbsStatus mbs_event_check_flight(MbsContext *context, const MbsSimulation *simulation, const MbsEvent *event,
                                 const MbsStep *step) {
  const double rounding = 1e-9, slow = 1e-2;
  const MbsEventSpec *spec = event->spec;
  if (simulation->followed != &simulation->plan || step->is_chained || spec->jump_count == 0 || spec->is_last ||
      spec->switch_count > 0 || spec->branch > 0 || spec->rate == MBS_NODE_NONE || event->side == 0) {
    return MBS_OK;
  }
  double t = mbs_re(simulation->state.t), approach = -event->side * mbs_event_rate(simulation, event);
  bool is_hop = isfinite(event->happened) && approach < slow * event->fastest &&
                approach * (t - event->happened) / 4 < rounding * event->largest;
  return approach < 0 || is_hop
             ? mbs_fail(
                   context, MBS_ERROR_NUMERICAL, spec->text.place,
                   "event \"%s\" at t = %.10g: it comes to rest: impacts come ever faster, the last flight was none "
                   "but for rounding, and what follows is not determined; add a joint that holds it (add: ...), or "
                   "end the run before (stop: yes)",
                   spec->name, t)
             : MBS_OK;
}

// a rate that has become zero: what was hit does not come off again. Or a branch whose guard comes straight back
MbsStatus mbs_event_check_leaving(MbsContext *context, const MbsSimulation *simulation, const MbsEvent *event) {
  const double rounding = 1e-9;
  if (event->spec->branch > 0 && event->spec->change == 0) {
    double b =
        mbs_re(simulation->system
                   ->parameters[simulation->system->blueprint->branches.items[event->spec->branch - 1].parameter]);
    bool is_above = b > 0;
    return event->side == 0 || is_above == (event->side > 0)
               ? MBS_OK
               : mbs_fail(
                     context, MBS_ERROR_NUMERICAL, event->spec->text.place,
                     "%s sticks at t = %.10g: what jumps there drives its argument back on both sides, as friction "
                     "does that holds something at rest; write noevent(...) around it to take it as it is, or "
                     "smooth it",
                     event->spec->name, mbs_re(simulation->state.t));
  }
  return event->spec->jump_count == 0 || fabs(event->slope) > rounding * event->fastest  // real
             ? MBS_OK
             : mbs_fail(
                   context, MBS_ERROR_NUMERICAL, event->spec->text.place,
                   "event \"%s\" at t = %.10g: afterwards its guard has a rate of %.3g and stays at zero, so that "
                   "what follows is not determined; add a joint that holds it (add: ...), or end the run (stop: yes)",
                   event->spec->name, mbs_re(simulation->state.t), event->slope);
}
