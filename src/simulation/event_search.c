// Where, within a step, a guard first passes zero.
//
// The guard is a function of the length of the step, g(tau): each value is a step that is tried, from what was saved
// before it. A root between two values of different sign is enclosed by inverse quadratic interpolation, safeguarded by
// bisection (Chandrupatla 1997), until the guard is zero by rounding: by that of tau, or by its own, where
// interpolation changes tau by little more than that and makes the guard no smaller. A guard that has just happened is
// zero at tau = 0 too: there the root of g(tau) / tau is looked for, which begins with the guard's rate.
//
// A guard may also come to zero and turn back within a step. Where it is near enough for that, by how much it changed
// in the steps before, its rates at both ends tell: if it went towards zero and comes away from it, the step is tried
// up to where the cubic through values and rates turns, if that is beyond zero or nearly so.
//
// Where pieces of a step are made in another way than steps (stepper.h) a step is made so as soon as something happens
// in it; should nothing happen then, it stays as it is, whole.
//
// Guards of time alone need no step: where they pass zero is found by the clock, before anything is tried, by the same
// search, and the step goes to the first such time. Where that is the end of a planned step but for rounding, as of a
// control whose pieces are some steps each, it is that end, and nothing is left of the step (is_planned).
//
// A run that follows the path of another one knows which event happens, and about when. There Newton's iteration finds
// the root in the scalar of the build, so that a perturbed run has a perturbed time: with a slope from a difference of
// two tried steps, which is good to some digits, each iteration gains these. Where it is not, as of flights shorter
// than that difference, the last iteration tells the slope: of imaginary parts, which are linear in each other,
// exactly. The root may lie outside the step, for the grid does not move with the event.
#include "simulation/event_search.h"

#include <float.h>
#include <math.h>

#include "simulation/simulation.h"

static const double together = 1e-12;  // of the step: events that happen at the same time
static const double on_grid = 1e-10;   // of the step: an event at a planned time

// ---- what a step changes ----
static void save(const MbsSimulation *simulation) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  const MbsSignalBank *bank = &system->signals;
  mbs_scalar *to = mbs_put(simulation->events.before, bank->turn_count, bank->turns);
  for (int i = 0; i < bank->turn_count; ++i) {
    *to++ = bank->previous[i];
  }
  *to++ = state->t;
  to = mbs_put(to, mbs_state_number_count(system), state->q);
  simulation->stepper->type->save(simulation->stepper, to);
}

static void restore(MbsSimulation *simulation) {
  const MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  const MbsSignalBank *bank = &system->signals;
  const mbs_scalar *from = mbs_take(simulation->events.before, bank->turn_count, bank->turns);
  for (int i = 0; i < bank->turn_count; ++i) {
    bank->previous[i] = mbs_re(*from++);
  }
  state->t = *from++;
  from = mbs_take(from, mbs_state_number_count(system), state->q);
  simulation->stepper->type->restore(simulation->stepper, from, state);
}

size_t mbs_event_search_size(const MbsSimulation *simulation) {
  const MbsSystem *system = simulation->system;
  return (size_t)(2 * system->signals.turn_count + 1 + mbs_state_number_count(system) +
                  simulation->stepper->type->save_size(simulation->stepper));
}

// ---- tried steps ----
typedef struct Search {
  MbsContext *context;
  MbsSimulation *simulation;
  MbsStep planned;   // the whole step
  MbsStep tried;     // the last one, where the state is
  mbs_scalar begin;  // the time where it begins
  bool has_tried;
  bool is_clock;  // steps are tried by the clock alone: of guards of time
} Search;

// Is its guard known by the clock? (One on no side is looked at where a step leads.)
static bool is_by_clock(const MbsEvent *event) { return event->spec->is_timed && event->side != 0; }

bool mbs_event_is_far(const MbsSimulation *simulation, const MbsEvent *event, const MbsStep *planned) {
  double hair = on_grid * simulation->settings.step, end = mbs_re(planned->t), begin = end - mbs_re(planned->h);
  return event->spec->is_uniform && event->side != 0 && !(event->due > begin - hair && event->due < end + 2 * hair);
}

static bool is_looked_for(const Search *search, const MbsEvent *event) {
  return !mbs_event_is_far(search->simulation, event, &search->planned) && mbs_event_is_awaited(event) &&
         (!search->is_clock || is_by_clock(event));
}

static MbsStatus try_step(Search *search, mbs_scalar tau, bool is_flow) {
  MbsSimulation *simulation = search->simulation;
  MbsStep step = search->planned;
  bool is_whole = !(mbs_re(tau) < mbs_re(step.h) || mbs_re(tau) > mbs_re(step.h)) &&
                  !(mbs_im(tau) < mbs_im(step.h) || mbs_im(tau) > mbs_im(step.h));
  if (search->has_tried) {
    restore(simulation);
    simulation->events.trials += 1;
  }
  search->has_tried = !search->is_clock;
  simulation->control.is_differentiated = false;
  mbs_events_forget_values(&simulation->events);
  step.h = tau;
  step.t = is_whole ? step.t : search->begin + tau;
  step.is_flow = is_flow;
  if (search->is_clock) {
    simulation->state.t = step.t;
  } else if (is_flow) {
    mbs_events_flow(simulation, &step);
  } else {
    MBS_TRY(mbs_simulation_repeat_step(search->context, simulation, &step));
  }
  search->tried = step;
  return MBS_OK;
}

static mbs_scalar guard_of(const Search *search, MbsEvent *event) { return mbs_event_guard(search->simulation, event); }

// ---- a root ----
static double value_of(const MbsEvent *event, double tau, double g) { return event->is_at_zero ? g / tau : g; }

// of a guard that has passed zero within the last tried step; the state comes to be there
static MbsStatus enclose(Search *search, MbsEvent *event) {
  enum { MOST = 200 };
  const double few = 1e3;
  double end = mbs_re(search->tried.h), b = 0, a = end;
  double fb = event->is_at_zero ? event->slope : event->value,
         fa = value_of(event, end, mbs_re(guard_of(search, event)));
  double whole = mbs_re(search->simulation->settings.step), span = fabs(fa - fb);  // real
  if (!(fb * event->side > 0)) {                                                   // passed already, by rounding
    return try_step(search, 0, true);
  }
  if (fa * event->side > 0) {  // together with another one, and not yet passed by rounding
    return MBS_OK;
  }
  double t = fa / (fa - fb), c = b, fc = fb;
  bool is_smooth = true;
  double rounding = 2 * DBL_EPSILON * fmax(end, fabs(mbs_re(search->tried.t)));  // real
  for (int i = 0; i < MOST && !(fabs(fa) <= 2 * DBL_EPSILON * span); ++i) {      // real
    double x = a + t * (b - a), change = fabs(x - a);                            // real
    MBS_TRY(try_step(search, x, x < MBS_SHORTEST_STEP * whole));
    double fx = value_of(event, x, mbs_re(guard_of(search, event)));
    if (x <= 0 || search->tried.is_flow) {
      return MBS_OK;  // as near to the beginning as can be told
    }
    bool is_rounding = is_smooth && change <= few * rounding && fabs(fx) > fabs(fa) / 2;  // real
    if ((fx > 0) == (fa > 0)) {
      c = a;
      fc = fa;
    } else {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = x;
    fa = fx;
    double least = rounding / fabs(b - a) / 4;  // real
    if (change <= rounding || least > 0.25 || is_rounding) {
      return MBS_OK;
    }
    double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    is_smooth = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    t = is_smooth ? fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb) : 0.5;
    t = !isfinite(t) ? 0.5 : t < least ? least : t > 1 - least ? 1 - least : t;
  }
  return MBS_OK;
}

// ---- which one ----
static int side_of(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }

bool mbs_event_is_awaited(const MbsEvent *event) {
  return event->is_armed && !event->is_held && event->side != 0 && !event->spec->is_end &&
         (event->spec->direction == 0 || event->spec->direction == -event->side);
}

// At the tried step's end: has guard i passed zero before, or (if it comes first in the model) just now?
static bool precedes(const Search *search, int i, int found) {
  MbsEvent *event = &search->simulation->events.items[i];
  if (i == found || !is_looked_for(search, event)) {
    return false;
  }
  double g = mbs_re(guard_of(search, event)), change = fabs(g - event->value);  // real
  // one that has just happened is at zero until a step leads away from there, and has to come back
  if (event->is_at_zero) {
    return !search->tried.is_flow && g * event->side < 0;
  }
  bool has_passed = side_of(g) != event->side, is_near = fabs(g) <= together * change;  // real
  return found < 0 ? has_passed : is_near ? i < found : has_passed;
}

// where guard i may have passed zero, as a fraction of the tried step
static double guess(const Search *search, int i) {
  MbsEvent *event = &search->simulation->events.items[i];
  double g = mbs_re(guard_of(search, event)), end = mbs_re(search->tried.h);
  double first = event->is_at_zero ? event->slope : event->value, last = value_of(event, end, g);
  return first * event->side > 0 ? first / (first - last) : 0;
}

// A branch whose guard was at zero, with no rate, and has left it for another side than the branch is on: it switches
// where the step begins.
static int find_leaving(const Search *search) {
  const MbsEvents *events = &search->simulation->events;
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    if (event->side == 0 && event->spec->branch > 0) {
      int side = side_of(mbs_re(guard_of(search, event)));
      if (side != 0 && mbs_events_does_switch(search->simulation, event, side)) {
        return i;
      }
    }
  }
  return -1;
}

// ---- turning back ----
// Where, as a fraction of the tried step, the guard may have been beyond zero though it is not at either end; 0:
// nowhere.
static double find_turn(const Search *search, MbsEvent *event) {
  const double nearly = 0.02;
  if (!event->is_near || event->spec->rate == MBS_NODE_NONE || !is_looked_for(search, event) || event->is_at_zero) {
    return 0;
  }
  double h = mbs_re(search->tried.h), side = event->side, g0 = side * event->value, m0 = side * event->slope * h;
  double g1 = side * mbs_re(guard_of(search, event));
  if (!(g0 > 0) || !(g1 > 0) || !(m0 < 0)) {
    return 0;
  }
  double m1 = side * h * mbs_event_rate(search->simulation, event);
  // p'(x) = a x^2 + b x + m0, which rises through zero at its upper root if a > 0, at the lower one of a parabola that
  // opens downwards
  double a = 6 * (g0 - g1) + 3 * (m0 + m1), b = -6 * (g0 - g1) - 4 * m0 - 2 * m1;
  double root = sqrt(fmax(b * b - 4 * a * m0, 0));  // real
  double x = b + root > 0 || b + root < 0 ? -2 * m0 / (b + root) : 0;
  if (!(m1 > 0) || !(x > 0 && x < 1)) {
    return 0;
  }
  double least = g0 * (1 + 2 * x) * (1 - x) * (1 - x) + m0 * x * (1 - x) * (1 - x) + g1 * x * x * (3 - 2 * x) -
                 m1 * x * x * (1 - x);
  return least < nearly * fmin(g0, g1) ? x : 0;  // real
}

// If a guard was beyond zero within the step, the step ends there: `found` says which.
static MbsStatus look_between(Search *search, int *found) {
  const MbsEvents *events = &search->simulation->events;
  double first = 1;
  for (int i = 0; i < events->count; ++i) {
    double x = find_turn(search, &events->items[i]);
    first = x > 0 && x < first ? x : first;
  }
  if (!(first < 1)) {
    return MBS_OK;
  }
  const mbs_scalar whole = search->tried.h;
  MBS_TRY(try_step(search, first * whole, false));
  for (int i = 0; i < events->count; ++i) {
    if (precedes(search, i, -1)) {
      *found = i;
      return MBS_OK;
    }
  }
  return try_step(search, whole, false);
}

// among those that are looked for, in the tried step, at whose end `found` happens (or nothing, if it is negative)
static MbsStatus find_first(Search *search, int *found) {
  const MbsEvents *events = &search->simulation->events;
  int leaving = search->is_clock ? -1 : find_leaving(search);
  if (leaving >= 0) {
    *found = leaving;
    search->planned.side = side_of(mbs_re(guard_of(search, &events->items[*found])));
    search->planned.is_chained = true;
    return try_step(search, 0, true);
  }
  for (int round = 0; round <= 2 * events->count; ++round) {
    int first = -1;
    for (int i = 0; i < events->count; ++i) {
      if (precedes(search, i, *found) && (first < 0 || guess(search, i) < guess(search, first))) {
        first = i;
      }
    }
    if (first < 0 && round == 0 && !search->tried.is_flow) {
      MBS_TRY(look_between(search, &first));
    }
    if (first < 0) {
      return MBS_OK;
    }
    *found = first;
    MBS_TRY(enclose(search, &events->items[first]));
  }
  return MBS_OK;
}

// ---- by the clock ----
// The first event of time alone within the planned step: it is planned to end there.
static MbsStatus look_at_clock(Search *search, int *found) {
  MbsSimulation *simulation = search->simulation;
  const MbsEvents *events = &simulation->events;
  const mbs_scalar whole = search->planned.h, end = search->planned.t;
  double step = simulation->settings.step, hair = on_grid * step;
  bool is_last = simulation->planned + 1 == simulation->plan.step_count, has_timed = false;
  for (int i = 0; i < events->count; ++i) {
    has_timed = has_timed || (is_by_clock(&events->items[i]) && is_looked_for(search, &events->items[i]));
  }
  if (!has_timed) {
    return MBS_OK;
  }
  search->is_clock = true;
  if (!is_last) {
    search->planned.h += hair;
    search->planned.t += hair;
  }
  MBS_TRY(try_step(search, search->planned.h, false));
  MBS_TRY(find_first(search, found));
  search->is_clock = false;
  mbs_scalar tau = *found >= 0 ? search->tried.h : whole;
  bool is_whole = fabs(mbs_re(tau - whole)) <= hair;  // real
  search->planned.h = is_whole ? whole : tau;
  search->planned.t = is_whole ? end : search->begin + tau;
  search->planned.is_flow = *found >= 0 && mbs_re(search->planned.h) < MBS_SHORTEST_STEP * step;
  search->planned.is_planned = *found >= 0 && is_whole && !is_last && !(mbs_simulation_is_controlled(simulation));
  simulation->state.t = search->begin;
  mbs_events_forget_values(events);
  return MBS_OK;
}

// ---- following another run ----
static MbsStatus has_changed(const Search *search, const MbsEvent *event, bool is_new) {
  bool is_kept = search->simulation->is_path_kept;
  return mbs_fail(search->context, MBS_ERROR_NUMERICAL, event->spec->text.place,
                  "with %s parameters event \"%s\" %s at t = %.10g: the sequence of events changes, so that %s",
                  is_kept ? "these" : "slightly different", event->spec->name,
                  is_new ? "happens as well" : "does not happen", mbs_re(search->simulation->state.t),
                  is_kept
                      ? "the path that is kept leads nowhere; call mbs_simulator_keep_path with false to find another"
                      : "no difference can be taken");
}

// The slope of g by its last change, of what is more than rounding, where the one so far brought it hardly nearer to 0.
static double improve(double slope, double change, double before, double after, double rounding) {
  const double slow = 0.1, least = 1e-4;
  bool is_slow = fabs(after) > slow * fabs(before) && fabs(change) > rounding;  // real
  bool is_told = fabs(after - before) > least * fabs(slope * change);           // real
  return is_slow && is_told ? (after - before) / change : slope;
}

// (An event at a planned time that is there but for rounding stays there.)
static MbsStatus follow(Search *search, MbsEvent *event) {
  enum { MOST = 30 };
  const double digits = 1e-9;
  double whole = search->simulation->settings.step, apart = 1e-3 * whole;
  bool is_flow = search->planned.is_flow, is_there = false;
  mbs_scalar tau = search->planned.h;
  search->is_clock = event->spec->is_timed;
  MBS_TRY(try_step(search, tau + apart, is_flow));
  mbs_scalar g = guard_of(search, event);
  MBS_TRY(try_step(search, tau, is_flow));
  double slope = mbs_re(g - guard_of(search, event)) / apart, imaginary_slope = slope;  // real
  g = guard_of(search, event);
  for (int i = 0; i < MOST && !is_there; ++i) {
    double real = -mbs_re(g) / slope, imaginary = -mbs_im(g) / imaginary_slope;  // real
    if (search->planned.is_planned && fabs(real) <= on_grid * whole) {           // real
      real = 0;
    }
    is_there = fabs(real) <= 2 * DBL_EPSILON * whole && fabs(imaginary) <= 2 * DBL_EPSILON * fabs(mbs_im(tau));  // real
    if (!(fabs(real) < 10 * whole)) {                                                                            // real
      break;
    }
    if (!is_there) {
      mbs_scalar before = g;
      tau += mbs_complex(real, imaginary);
      MBS_TRY(try_step(search, tau, is_flow));
      g = guard_of(search, event);
      slope = improve(slope, real, mbs_re(before), mbs_re(g), digits * whole);
      imaginary_slope =
          improve(imaginary_slope, imaginary, mbs_im(before), mbs_im(g), digits * fabs(mbs_im(tau)));  // real
    }
  }
  // rounding may keep it from coming any nearer
  bool is_near = fabs(mbs_re(g)) <= digits * fabs(slope) * whole;  // real
  if (!is_there && !is_near) {
    return has_changed(search, event, false);
  }
  bool was_clock = search->is_clock;
  search->is_clock = false;
  return was_clock ? try_step(search, tau, is_flow) : MBS_OK;
}

// Has a guard passed zero though the run that is followed has no such event any more? (One that it has later happens
// earlier here, and is looked for from there.)
static MbsStatus look_for_new(const Search *search) {
  const double rounding = 1e-9;
  const MbsSimulation *simulation = search->simulation;
  const MbsPath *path = simulation->followed;
  for (int i = 0; i < simulation->events.count; ++i) {
    MbsEvent *event = &simulation->events.items[i];
    double g = mbs_re(guard_of(search, event));
    bool is_expected = event->is_at_zero || !mbs_event_is_awaited(event) || side_of(g) == event->side ||
                       !(fabs(g) > rounding * event->largest);  // real
    for (int s = path->stretch_count - 1; s >= 0 && path->stretches[s].last >= search->planned.number && !is_expected;
         --s) {
      is_expected = path->stretches[s].event == 1 + i;
    }
    if (!is_expected) {
      return has_changed(search, event, true);
    }
  }
  return MBS_OK;
}

// The whole step; where steps find their own size, until it is accepted.
static MbsStatus try_whole(Search *search) {
  MbsSimulation *simulation = search->simulation;
  bool is_accepted = false;
  if (!mbs_simulation_is_controlled(simulation) || search->planned.is_flow) {
    return try_step(search, search->planned.h, search->planned.is_flow);
  }
  while (!is_accepted) {
    MbsStatus status = try_step(search, search->planned.h, false);
    MBS_TRY(mbs_control_judge(search->context, simulation, search->begin, status, &search->planned, &is_accepted));
  }
  return MBS_OK;
}

// Does something happen within the tried step?
static bool is_eventful(const Search *search) {
  const MbsEvents *events = &search->simulation->events;
  bool is = find_leaving(search) >= 0;
  for (int i = 0; i < events->count && !is; ++i) {
    is = precedes(search, i, -1) || find_turn(search, &events->items[i]) > 0;
  }
  return is;
}

// May more than one step be tried?
static bool may_repeat(const MbsSimulation *simulation) {
  const MbsEvents *events = &simulation->events;
  bool may = mbs_simulation_is_controlled(simulation);
  for (int i = 0; i < events->count && !may; ++i) {
    const MbsEvent *event = &events->items[i];
    may = !is_by_clock(event) && !event->spec->is_end && !event->spec->is_given;
  }
  return may;
}

static MbsStatus search_step(MbsContext *context, MbsSimulation *simulation, MbsStep *step) {
  Search search = {.context = context, .simulation = simulation, .planned = *step, .begin = simulation->state.t};
  const MbsEvents *events = &simulation->events;
  bool is_followed = simulation->followed != &simulation->plan, is_plain = !mbs_simulation_is_controlled(simulation);
  int found = -1;
  for (int i = 0; i < events->count && is_plain; ++i) {
    const MbsEvent *event = &events->items[i];
    is_plain = event->spec->is_end || event->spec->is_given || mbs_event_is_far(simulation, event, step);
  }
  if (is_plain && step->event == 0) {
    mbs_events_forget_values(events);
    return step->is_flow ? try_step(&search, step->h, true) : mbs_simulation_repeat_step(context, simulation, step);
  }
  if (is_followed && step->event > 0) {
    found = step->event - 1;
    save(simulation);
    MBS_TRY(follow(&search, &events->items[found]));
  } else {
    if (!is_followed && !step->is_flow) {
      MBS_TRY(look_at_clock(&search, &found));
    }
    if (may_repeat(simulation)) {
      save(simulation);
    }
    bool may_project = !is_followed && !step->is_flow && !step->is_projected && simulation->stepper->projects_pieces;
    search.planned.is_projected = step->is_projected || (may_project && found >= 0);
    double wanted = mbs_re(search.planned.h);
    MBS_TRY(try_whole(&search));
    found = mbs_re(search.planned.h) < wanted ? -1 : found;
    if (may_project && !search.planned.is_projected && is_eventful(&search)) {
      search.planned.is_projected = true;
      MBS_TRY(try_step(&search, step->h, false));
    }
    if (!step->is_flow && (is_followed || may_repeat(simulation))) {  // else the clock has told
      MBS_TRY(is_followed ? look_for_new(&search) : find_first(&search, &found));
    }
  }
  *step = search.tried;
  step->is_planned = step->is_planned && found >= 0 && !(mbs_re(step->h) < mbs_re(search.planned.h));
  step->event = 1 + found;
  if (found >= 0 && !is_followed && !step->is_chained) {
    step->side = -events->items[found].side;
  }
  return MBS_OK;
}

// Rows within a step that ends at a time which moves (dense_output.h): it ends at the last one of them instead.
MbsStatus mbs_event_search(MbsContext *context, MbsSimulation *simulation, MbsStep *step) {
  const MbsStep asked = *step;
  const MbsStepControl control = simulation->control;
  bool is_plan = simulation->followed == &simulation->plan;
  mbs_scalar begin = simulation->state.t;
  MBS_TRY(search_step(context, simulation, step));
  bool is_end = simulation->events.end > 0 && simulation->planned + 1 == simulation->plan.step_count &&
                mbs_simulation_meets_plan(simulation, step);
  double row = simulation->dense.is_wanted ? mbs_dense_last_before(simulation, mbs_re(step->t)) : 0;
  if (!is_plan || !simulation->dense.is_wanted || !(step->event > 0 || is_end) ||
      !(row > mbs_re(begin) + 1e-6 * simulation->dense.interval)) {
    return MBS_OK;
  }
  restore(simulation);
  simulation->control = control;
  mbs_events_forget_values(&simulation->events);
  *step = asked;
  step->t = row;
  step->h = row - begin;
  return search_step(context, simulation, step);
}
