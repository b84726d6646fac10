// The steps that a run is to make.
//
// Times are multiples of the step, and the end. The last step is what is left, and what is shorter than a billionth of
// a step is rounding. But where a step keeps Phi = 0 and nothing projects velocities and accelerations, these come from
// differences of positions over h and h^2, which a short step, or one much unlike the one before, turns into noise:
// there the number of steps is rounded, and the last ones share what is too much or too little.
//
// Between stops. Where runs are to differ in the size of their steps alone (extrapolation), an event must not lie now
// here, now there within a step: its pieces would have errors of their own, which no power of h describes. So the times
// of events, as a run before found them, divide the time into spans of equal steps each, n of them,
//     a + s, a + 2 s, ..., a + (n - 1) s,      s = (b - a) / n
// and the step that the event is in goes from the last of these to the first of the next span, b + s': it is split
// there into pieces of s and s', but for what the time of the event has moved since.
#include <math.h>

#include "simulation/simulation.h"

enum { SHARING = 20 };

static MbsStatus plan_equal(MbsContext *context, MbsSimulation *simulation) {
  const MbsSettings *settings = &simulation->settings;
  bool is_projected = simulation->formulation.type->has_projections && settings->projections >= 0;
  bool is_shared = simulation->formulation.type->is_position_level && !is_projected && !settings->is_kinematic;
  // steps that find their own size are pieces of a plan of the rows that are asked for
  double step = settings->step_tolerance <= 0                          ? settings->step
                : settings->sample > 0 && !simulation->dense.is_wanted ? settings->sample
                                                                       : settings->end;
  double steps = settings->end / step;
  long count = is_shared ? lround(steps) : (long)ceil(steps * (1 - 1e-9));  // real
  count = count > 1 ? count : 1;
  long shared = !is_shared ? 1 : count < SHARING ? count : SHARING;
  double before = (double)(count - shared) * step;
  const MbsStretch first = {.last = count - shared, .h = step, .set = MBS_UNDECIDED};
  const MbsStretch last = {.last = count,
                           .anchor = count,
                           .t_anchor = settings->end,
                           .h = (settings->end - before) / (double)shared,
                           .set = MBS_UNDECIDED};
  if (first.last > 0) {
    MBS_TRY(mbs_path_add_stretch(context, simulation->arena, &simulation->plan, &first));
  }
  return mbs_path_add_stretch(context, simulation->arena, &simulation->plan, &last);
}

static MbsStatus plan_between(MbsContext *context, MbsSimulation *simulation, const MbsStops *stops) {
  MbsPath *plan = &simulation->plan;
  double begin = 0, before = 0;
  for (int i = 0; i <= stops->count; ++i) {
    bool is_last = i == stops->count;
    double end = is_last ? simulation->settings.end : stops->times[i];
    double h = (end - begin) / (double)stops->steps[i];
    if (i > 0) {  // with the event that divides the spans
      const MbsStretch crossing = {.last = plan->step_count + 1,
                                   .anchor = plan->step_count + 1,
                                   .t_anchor = begin + h,
                                   .h = before + h,
                                   .set = MBS_UNDECIDED};
      MBS_TRY(mbs_path_add_stretch(context, simulation->arena, plan, &crossing));
    }
    long rest = stops->steps[i] - (i > 0) - !is_last;
    const MbsStretch span = {.last = plan->step_count + rest,
                             .anchor = plan->step_count + rest + !is_last,
                             .t_anchor = end,
                             .h = h,
                             .set = MBS_UNDECIDED};
    if (rest > 0) {
      MBS_TRY(mbs_path_add_stretch(context, simulation->arena, plan, &span));
    }
    begin = end;
    before = h;
  }
  return MBS_OK;
}

MbsStatus mbs_simulation_plan_steps(MbsContext *context, MbsSimulation *simulation, double t, long steps) {
  double h = simulation->settings.step;
  const MbsStretch all = {.last = steps, .t_anchor = t, .h = h, .set = MBS_UNDECIDED};
  simulation->settings.end = t + (double)steps * h;
  mbs_path_clear(&simulation->plan);
  return mbs_path_add_stretch(context, simulation->arena, &simulation->plan, &all);
}

MbsStatus mbs_simulation_plan(MbsContext *context, MbsSimulation *simulation) {
  MbsSettings *settings = &simulation->settings;
  if (simulation->events.end > 0) {
    settings->end = settings->end_in_model =
        mbs_re(mbs_function_value(simulation->system, &simulation->events.end_time, &simulation->state));
  }
  mbs_path_clear(&simulation->plan);
  const MbsStops *stops = &simulation->stops;
  return stops->count > 0 ? plan_between(context, simulation, stops) : plan_equal(context, simulation);
}

MbsStatus mbs_simulation_set_step(MbsContext *context, MbsSimulation *simulation, double step, const MbsStops *stops) {
  simulation->settings.step = step;
  simulation->stops = stops ? *stops : (MbsStops){.count = 0};
  return mbs_simulation_plan(context, simulation);
}
