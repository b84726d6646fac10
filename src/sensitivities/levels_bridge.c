// See levels.h. Double only.
#include "sensitivities/levels.h"

#include <math.h>

static const double coarsest = 16, coarsest_of_high_order = 64, finest = 64;  // steps, against that of the settings,
static const double enough = 20000;                                           // but so many may be in any case
static const double of_newton = 1e-3, tightest = 1e-13, that_matters = 1e-5, of_worse = 0.03;
enum { FEWEST = 4, PATIENCE = 3, HIGH_ORDER = 5, SHAKEN = 2 };

// ---- set-up ----
static MbsStatus create_groups(MbsContext *context, MbsLevels *levels) {
  int count = 1 + levels->parameter_count;
  MBS_TAKE(context, levels->arena, levels->groups, levels->group_count);
  for (int i = 0; i < levels->group_count; ++i) {
    MBS_TRY(mbs_extrapolation_create(context, levels->arena, count, levels->size, &levels->groups[i]));
  }
  return MBS_OK;
}

static void forget(MbsLevels *levels) {
  const MbsSimulation *simulation = levels->session->simulation;
  bool is_split = levels->event_count > 0 || simulation->events.end > 0;
  int order = simulation->stepper->order, gap = is_split ? 1 : simulation->stepper->gap;
  for (int i = 0; i < levels->group_count; ++i) {
    mbs_extrapolation_forget(&levels->groups[i], order, gap);
  }
  for (int i = 0; i < levels->event_count; ++i) {
    mbs_extrapolation_forget(&levels->times[i], order, gap);
  }
  levels->best = levels->reached = HUGE_VAL;
  levels->moved = 0;
  levels->since = 0;
}

MbsStatus mbs_levels_create(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                            MbsLevels *levels) {
  MbsRequest own = *request;
  *levels = (MbsLevels){.arena = arena, .reached = HUGE_VAL};
  own.recorder = NULL;
  own.settings.tolerance = fmin(own.settings.tolerance, fmax(of_newton * own.settings.accuracy, tightest));
  MBS_TRY(mbs_simulator_create_with(context, model, &own, NULL, &levels->simulator));
  levels->session = mbs_simulator_session(levels->simulator);
  const MbsSettings *settings = &levels->session->simulation->settings;
  const double *values = mbs_simulator_parameters(levels->simulator);
  levels->group_count = mbs_simulator_objective_count(levels->simulator);
  levels->parameter_count = request->method == MBS_METHOD_NONE ? 0 : mbs_simulator_parameter_count(levels->simulator);
  MBS_TAKE(context, levels->arena, levels->size, 1 + levels->parameter_count);
  MBS_TAKE(context, levels->arena, levels->numbers, 1 + levels->parameter_count);
  for (int i = 0; i < levels->parameter_count; ++i) {
    levels->size[1 + i] = fabs(values[i]) > 0 ? fabs(values[i]) : 1;
  }
  double steps = settings->end / settings->step;
  levels->end = settings->end;
  bool is_high = levels->session->simulation->stepper->order >= HIGH_ORDER;
  levels->first = lround(steps / (is_high ? coarsest_of_high_order : coarsest));
  levels->first = levels->first > FEWEST ? levels->first : FEWEST;
  levels->last = steps * finest > enough ? (long)(steps * finest * 1.01) : (long)enough;
  levels->accuracy = settings->accuracy;
  MBS_TRY(create_groups(context, levels));
  forget(levels);
  return MBS_OK;
}

// ---- events ----
static const MbsEventRecord *record_of(const MbsLevels *levels, int i) {
  return &mbs_levels_events(levels)->records[levels->order[i]];
}

// May they come the other way round as well? Of kinks, which only end steps, the order does not count; and
// where several laws bend at the same time (the cylinders of an engine, each by its own angle) rounding decides on it.
static bool may_swap(const MbsLevels *levels, const MbsEventRecord *first, const MbsEventRecord *second) {
  const double rounding = 1e-9;
  const MbsEvent *items = mbs_levels_events(levels)->items;
  const MbsEventSpec *one = items[first->event].spec, *other = items[second->event].spec;
  bool are_kinks = one->is_hidden && one->branch > 0 && other->is_hidden && other->branch > 0;
  return are_kinks && fabs(second->t - first->t) <= rounding * levels->end;
}

// Records of the run that was made, those at the same time in the order of the model where theirs does not count.
static MbsStatus sort_records(MbsContext *context, MbsLevels *levels) {
  const MbsEvents *events = mbs_levels_events(levels);
  if (events->record_count > levels->order_capacity) {
    levels->order_capacity = 2 * events->record_count;
    MBS_TAKE(context, levels->arena, levels->order, levels->order_capacity);
  }
  for (int i = 0; i < events->record_count; ++i) {
    int at = i;
    for (; at > 0; --at) {
      const MbsEventRecord *before = record_of(levels, at - 1);
      if (!(events->records[i].event < before->event) || !may_swap(levels, before, &events->records[i])) {
        break;
      }
      levels->order[at] = levels->order[at - 1];
    }
    levels->order[at] = i;
  }
  return MBS_OK;
}

// are they those of the level before, in the same order?
static bool has_same_events(const MbsLevels *levels) {
  bool is_same = mbs_levels_events(levels)->record_count == levels->event_count;
  for (int i = 0; i < levels->event_count && is_same; ++i) {
    is_same = record_of(levels, i)->event == levels->events[i];
  }
  return is_same;
}

// those of this level, and which of their times divide the plans of the levels to come
static MbsStatus take_events(MbsContext *context, MbsLevels *levels) {
  const double apart = 1e-6;  // of the time in all
  const MbsEvents *events = mbs_levels_events(levels);
  int count = events->record_count;
  levels->event_count = count;
  MBS_TAKE(context, levels->arena, levels->events, count);
  MBS_TAKE(context, levels->arena, levels->event_times, count);
  MBS_TAKE(context, levels->arena, levels->times, count);
  MBS_TAKE(context, levels->arena, levels->stop_records, count);
  MBS_TAKE(context, levels->arena, levels->stop_times, count);
  MBS_TAKE(context, levels->arena, levels->stop_steps, count + 1);
  double end = levels->end, before = 0;
  levels->stops = (MbsStops){.times = levels->stop_times, .steps = levels->stop_steps};
  for (int i = 0; i < count; ++i) {
    double t = record_of(levels, i)->t;
    levels->events[i] = record_of(levels, i)->event;
    levels->event_times[i] = t;
    MBS_TRY(
        mbs_extrapolation_create(context, levels->arena, 1 + levels->parameter_count, levels->size, &levels->times[i]));
    if (t - before > apart * end && end - t > apart * end) {
      levels->stop_records[levels->stops.count] = i;
      levels->stop_steps[levels->stops.count++] = 0;
      before = t;
    }
  }
  levels->stop_steps[levels->stops.count] = 0;
  return MBS_OK;
}

// the plan of the next level: twice the steps between the times of the events of this one
static void divide(MbsLevels *levels) {
  double h = levels->end / (double)levels->steps / 2, before = 0;
  for (int i = 0; i <= levels->stops.count && levels->stops.count > 0; ++i) {
    double t = i == levels->stops.count ? levels->end : levels->event_times[levels->stop_records[i]];
    long *steps = &levels->stop_steps[i];
    long equal = lround((t - before) / h);
    *steps = *steps > 0 ? 2 * *steps : equal > 2 ? equal : 2;
    before = t;
    if (i < levels->stops.count) {
      levels->stop_times[i] = t;
    }
  }
}

// ---- levels ----
// numbers of the run that was made: a value with its derivatives
static const double *numbers_of_objective(MbsLevels *levels, int objective) {
  const MbsObjectives *objectives = &levels->session->simulation->objectives;
  levels->numbers[0] = objectives->value[objective];
  for (int k = 0; k < levels->parameter_count; ++k) {
    levels->numbers[1 + k] = objectives->gradient[objective * objectives->stride + k];
  }
  return levels->numbers;
}

static const double *numbers_of_event(MbsLevels *levels, int event) {
  const MbsSimulation *simulation = levels->session->simulation;
  int count = levels->parameter_count;
  bool has_gradients = simulation->has_columns && count > 0;
  levels->numbers[0] = record_of(levels, event)->t;
  for (int k = 0; k < count; ++k) {
    levels->numbers[1 + k] = has_gradients ? simulation->events.gradients[levels->order[event] * count + k] : 0;
  }
  return levels->numbers;
}

static void add_numbers(MbsLevels *levels) {
  const double *largest = levels->session->simulation->objectives.size;
  for (int i = 0; i < levels->group_count; ++i) {
    int o = levels->session->objectives[i];
    mbs_extrapolation_add(&levels->groups[i], largest[o], numbers_of_objective(levels, o));
  }
  for (int i = 0; i < levels->event_count; ++i) {
    levels->event_times[i] = record_of(levels, i)->t;
    mbs_extrapolation_add(&levels->times[i], levels->event_times[i], numbers_of_event(levels, i));
  }
}

// matrix-r changes its independent coordinates where a step happens to end: what that does to the error, from the power
// after the first on, is no power of h
static void limit_columns(MbsLevels *levels) {
  enum { REGULAR = 2 };
  if (levels->session->simulation->stepper->set_count <= 1) {
    return;
  }
  for (int i = 0; i < levels->group_count; ++i) {
    levels->groups[i].column_count = REGULAR;
  }
  for (int i = 0; i < levels->event_count; ++i) {
    levels->times[i].column_count = REGULAR;
  }
}

static void add_statistics(MbsLevels *levels) {
  const MbsStatistics *own = &levels->session->simulation->statistics;
  levels->total.steps += own->steps;
  levels->total.iterations += own->iterations;
  levels->total.tried_steps += own->tried_steps;
  levels->total.seconds_dynamics += own->seconds_dynamics;
  levels->total.seconds_sensitivity += own->seconds_sensitivity;
}

static MbsStatus run_level(MbsContext *context, MbsLevels *levels) {
  double step = levels->end / (double)levels->steps;
  MBS_TRY(mbs_session_set_step(context, levels->session, step, levels->stops.count > 0 ? &levels->stops : NULL));
  MbsStatus status = mbs_simulator_run_all(context, levels->simulator);
  add_statistics(levels);
  MbsStatus sorted = sort_records(context, levels);
  return status == MBS_OK ? sorted : status;
}

static bool is_final(const MbsLevels *levels) { return 2 * levels->steps > levels->last; }

bool mbs_levels_is_stuck(const MbsLevels *levels) {
  return levels->is_rounded || (levels->since >= PATIENCE && levels->steps > levels->first * (long)coarsest);
}

long mbs_levels_next(const MbsLevels *levels) { return levels->steps > 0 ? 2 * levels->steps : levels->first; }

// ---- shaking ----
static void add_shaken(MbsLevels *levels) {
  for (int i = 0; i < levels->group_count; ++i) {
    const double *numbers = numbers_of_objective(levels, levels->session->objectives[i]);
    levels->moved = fmax(levels->moved, mbs_extrapolation_shake(&levels->groups[i], numbers));
  }
  for (int i = 0; i < levels->event_count; ++i) {
    (void)mbs_extrapolation_shake(&levels->times[i], numbers_of_event(levels, i));
  }
}

// The same level with parameters shaken; the next ones have them as they are. What fails then, or has other events,
// tells nothing.
static MbsStatus shake(MbsContext *context, MbsLevels *levels) {
  MbsStatus status = mbs_simulator_shake(context, levels->simulator, levels->groups[0].level_count);
  status = status == MBS_OK ? mbs_simulator_run_all(context, levels->simulator) : status;
  add_statistics(levels);
  MBS_TRY(sort_records(context, levels));
  if (status == MBS_OK && has_same_events(levels)) {
    add_shaken(levels);
  }
  bool has_failed = status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_INPUT;
  if (has_failed) {
    context->status = MBS_OK;
    context->error_count = 0;
  }
  status = has_failed ? MBS_OK : status;
  return status == MBS_OK ? mbs_simulator_shake(context, levels->simulator, 0) : status;
}

static bool is_shaking_due(const MbsLevels *levels) {
  return levels->groups[0].level_count <= SHAKEN || levels->moved >= that_matters * levels->accuracy;
}

// ---- one level after the other ----
// The level before is the best there is: it runs once more, for its states.
static MbsStatus fall_back(MbsContext *context, MbsLevels *levels) {
  for (int i = 0; i <= levels->stops.count && levels->stops.count > 0; ++i) {
    levels->stop_steps[i] /= 2;
  }
  levels->steps /= 2;
  levels->is_over = true;
  context->status = MBS_OK;
  return run_level(context, levels);
}

static bool is_any_worse(const MbsLevels *levels) {
  bool is_worse = false;
  for (int i = 0; i < levels->group_count; ++i) {
    is_worse = is_worse || levels->groups[i].worse > 0;
  }
  return is_worse;
}

// is it by rounding, as far as shaking tells, that a group got worse?
static bool is_by_rounding(const MbsExtrapolation *x) {
  return x->worse > 0 && x->last_moved > of_worse * x->worse * x->reached;
}

// the group that is least accurate
static const MbsExtrapolation *find_worst(const MbsLevels *levels) {
  const MbsExtrapolation *worst = &levels->groups[0];
  for (int i = 1; i < levels->group_count; ++i) {
    worst = levels->groups[i].reached > worst->reached ? &levels->groups[i] : worst;
  }
  return worst;
}

static void judge(MbsLevels *levels) {
  levels->reached = find_worst(levels)->reached;
  levels->since = levels->reached < levels->best / 2 ? 0 : levels->since + 1;
  levels->best = fmin(levels->best, levels->reached);
  levels->is_over = levels->reached <= levels->accuracy || is_final(levels) || mbs_levels_is_stuck(levels);
}

static void hold_against(MbsLevels *levels) {
  for (int i = 0; i < levels->group_count; ++i) {
    if (!is_by_rounding(&levels->groups[i])) {
      mbs_extrapolation_hold_against(&levels->groups[i]);
    }
  }
  for (int i = 0; i < levels->event_count; ++i) {
    mbs_extrapolation_hold_against(&levels->times[i]);
  }
}

// With events that the level before had: a level that counts. Where the least accurate objective gets worse by
// rounding, which shaking tells, it ends: finer levels are worse still.
static MbsStatus use_level(MbsContext *context, MbsLevels *levels) {
  levels->used_first = levels->groups[0].level_count > 0 ? levels->used_first : levels->steps;
  limit_columns(levels);
  add_numbers(levels);
  bool is_worse = is_any_worse(levels);
  if (is_worse) {
    for (int i = 0; i < levels->group_count; ++i) {
      levels->groups[i].last_moved = 0;
    }
    MBS_TRY(shake(context, levels));
    levels->is_rounded = is_by_rounding(find_worst(levels));
    if (levels->is_rounded) {
      levels->reached = find_worst(levels)->reached;
      return fall_back(context, levels);
    }
  }
  hold_against(levels);
  judge(levels);
  return levels->is_over || is_worse || !is_shaking_due(levels) ? MBS_OK : shake(context, levels);
}

// its events are others: it finds their times
static MbsStatus begin_anew(MbsContext *context, MbsLevels *levels) {
  MBS_TRY(take_events(context, levels));
  forget(levels);
  levels->is_over = is_final(levels);
  return MBS_OK;
}

MbsStatus mbs_levels_advance(MbsContext *context, MbsLevels *levels) {
  if (levels->steps > 0) {
    divide(levels);
  }
  levels->steps = mbs_levels_next(levels);
  MbsStatus status = run_level(context, levels);
  bool has_failed = status == MBS_ERROR_NUMERICAL;
  if (has_failed && isfinite(levels->reached)) {
    return fall_back(context, levels);
  }
  if (has_failed && !is_final(levels)) {
    context->status = MBS_OK;
    levels->event_count = levels->stops.count = 0;
    forget(levels);
    return MBS_OK;
  }
  levels->is_over = status != MBS_OK;
  MBS_TRY(status);
  return has_same_events(levels) ? use_level(context, levels) : begin_anew(context, levels);
}

// ---- constraints that give way ----
static void find_reached(MbsLevels *levels) {
  for (int i = 0; i < levels->group_count; ++i) {
    mbs_extrapolation_find_reached(&levels->groups[i]);
  }
  levels->reached = find_worst(levels)->reached;
}

bool mbs_levels_gives_way(const MbsLevels *levels) {
  return mbs_formulation_gives_way(&levels->session->simulation->formulation);
}

static void add_difference(MbsLevels *levels, MbsLevels *stiffer) {
  const double safety = 3;
  for (int i = 0; i < levels->group_count; ++i) {
    MbsExtrapolation *group = &levels->groups[i];
    const double *own = numbers_of_objective(levels, levels->session->objectives[i]);
    const double *theirs = numbers_of_objective(stiffer, stiffer->session->objectives[i]);
    for (int k = 0; k < group->count; ++k) {
      group->error[k] += safety * fabs(own[k] - theirs[k]);
    }
  }
  bool was_reached = levels->reached <= levels->accuracy;
  find_reached(levels);
  levels->is_short_by_give = was_reached && !(levels->reached <= levels->accuracy);
}

MbsStatus mbs_levels_add_give(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                              MbsLevels *levels) {
  MbsRequest own = *request;
  MbsLevels stiffer;
  own.settings = levels->session->simulation->settings;
  own.settings.penalty *= 2;
  own.settings.other_penalty *= 2;
  MbsStatus status = mbs_levels_create(context, levels->arena, model, &own, &stiffer);
  if (status == MBS_OK) {
    stiffer.steps = levels->steps;
    stiffer.stops = levels->stops;
    status = run_level(context, &stiffer);
  }
  if (status == MBS_OK) {
    add_difference(levels, &stiffer);
  }
  mbs_simulator_destroy(stiffer.simulator);
  return status;
}
