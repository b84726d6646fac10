// See accuracy.h. Double only.
#include "sensitivities/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sensitivities/extrapolation.h"
#include "sensitivities/session.h"
#include "sensitivities/simulator.h"

static const double coarsest = 16, finest = 64;  // steps, against that of the settings,
static const double enough = 20000;              // but so many may be in any case
enum { FEWEST = 4, PATIENCE = 3 };
static const double of_newton = 1e-3, tightest = 1e-13;

typedef struct Levels {
  MbsArena *arena;
  MbsSimulator *simulator;
  MbsSession *session;
  double accuracy;
  double end;
  long first, last;     // steps of the coarsest and of the finest level that may be
  long steps;           // of the present level
  long used_first;      // of the coarsest that counts
  int parameter_count;  // 0: values alone
  double *size;         // 1 + parameters: of each
  double *numbers;      // likewise, room
  int group_count;      // objectives
  MbsExtrapolation *groups;
  int event_count;  // records of events, hidden ones too
  int *events;      // which
  MbsExtrapolation *times;
  MbsStops stops;
  double *stop_times;
  long *stop_steps;
  int *stop_records;    // the record of each
  double reached;       // of objectives
  double best;          // the smallest of that so far,
  int since;            // and for how many levels there was none half as large
  MbsStatistics total;  // of all levels
} Levels;

// ---- set-up ----
static MbsStatus create_groups(MbsContext *context, Levels *levels) {
  int count = 1 + levels->parameter_count;
  MBS_TAKE(context, levels->arena, levels->groups, levels->group_count);
  for (int i = 0; i < levels->group_count; ++i) {
    MBS_TRY(mbs_extrapolation_create(context, levels->arena, count, levels->size, &levels->groups[i]));
  }
  return MBS_OK;
}

static MbsStatus create(MbsContext *context, const MbsModel *model, const MbsRequest *request, Levels *levels) {
  MbsRequest own = *request;
  own.recorder = NULL;
  own.settings.tolerance = fmin(own.settings.tolerance, fmax(of_newton * own.settings.accuracy, tightest));
  levels->reached = HUGE_VAL;
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
  levels->first = lround(steps / coarsest);
  levels->first = levels->first > FEWEST ? levels->first : FEWEST;
  levels->last = steps * finest > enough ? (long)(steps * finest * 1.01) : (long)enough;
  levels->accuracy = settings->accuracy;
  return create_groups(context, levels);
}

// ---- events ----
static const MbsEvents *events_of(const Levels *levels) { return &levels->session->simulation->events; }

// are they those of the level before, in the same order?
static bool has_same_events(const Levels *levels) {
  const MbsEvents *events = events_of(levels);
  bool is_same = events->record_count == levels->event_count;
  for (int i = 0; i < levels->event_count && is_same; ++i) {
    is_same = events->records[i].event == levels->events[i];
  }
  return is_same;
}

// those of this level, and which of their times divide the plans of the levels to come
static MbsStatus take_events(MbsContext *context, Levels *levels) {
  const double apart = 1e-6;  // of the time in all
  const MbsEvents *events = events_of(levels);
  int count = events->record_count;
  levels->event_count = count;
  MBS_TAKE(context, levels->arena, levels->events, count);
  MBS_TAKE(context, levels->arena, levels->times, count);
  MBS_TAKE(context, levels->arena, levels->stop_records, count);
  MBS_TAKE(context, levels->arena, levels->stop_times, count);
  MBS_TAKE(context, levels->arena, levels->stop_steps, count + 1);
  double end = levels->end, before = 0;
  levels->stops = (MbsStops){.times = levels->stop_times, .steps = levels->stop_steps};
  for (int i = 0; i < count; ++i) {
    double t = events->records[i].t;
    levels->events[i] = events->records[i].event;
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
static void divide(Levels *levels) {
  const MbsEvents *events = events_of(levels);
  double h = levels->end / (double)levels->steps / 2, before = 0;
  for (int i = 0; i <= levels->stops.count && levels->stops.count > 0; ++i) {
    double t = i == levels->stops.count ? levels->end : events->records[levels->stop_records[i]].t;
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
static void forget(Levels *levels) {
  const MbsSimulation *simulation = levels->session->simulation;
  bool is_split = levels->event_count > 0 || simulation->events.end > 0;
  int order = simulation->stepper->order, gap = is_split ? 1 : simulation->stepper->gap;
  for (int i = 0; i < levels->group_count; ++i) {
    mbs_extrapolation_forget(&levels->groups[i], order, gap);
  }
  for (int i = 0; i < levels->event_count; ++i) {
    mbs_extrapolation_forget(&levels->times[i], order, gap);
  }
  levels->best = HUGE_VAL;
  levels->since = 0;
}

static void add_numbers(Levels *levels) {
  const MbsSimulation *simulation = levels->session->simulation;
  const MbsObjectives *objectives = &simulation->objectives;
  const MbsEvents *events = &simulation->events;
  int count = levels->parameter_count;
  bool has_time_gradients = simulation->has_columns && count > 0;
  levels->reached = 0;
  for (int i = 0; i < levels->group_count; ++i) {
    int o = levels->session->objectives[i];
    levels->numbers[0] = objectives->value[o];
    for (int k = 0; k < count; ++k) {
      levels->numbers[1 + k] = objectives->gradient[o * objectives->stride + k];
    }
    mbs_extrapolation_add(&levels->groups[i], objectives->size[o], levels->numbers);
    levels->reached = fmax(levels->reached, levels->groups[i].reached);
  }
  for (int i = 0; i < levels->event_count; ++i) {
    levels->numbers[0] = events->records[i].t;
    for (int k = 0; k < count; ++k) {
      levels->numbers[1 + k] = has_time_gradients ? events->gradients[i * count + k] : 0;
    }
    mbs_extrapolation_add(&levels->times[i], events->records[i].t, levels->numbers);
  }
  levels->since = levels->reached < levels->best / 2 ? 0 : levels->since + 1;
  levels->best = fmin(levels->best, levels->reached);
}

// matrix-r changes its independent coordinates where a step happens to end: what that does to the error, from the power
// after the first on, is no power of h
static void limit_columns(Levels *levels) {
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

static void add_statistics(Levels *levels) {
  const MbsStatistics *own = &levels->session->simulation->statistics;
  levels->total.steps += own->steps;
  levels->total.iterations += own->iterations;
  levels->total.tried_steps += own->tried_steps;
  levels->total.seconds_dynamics += own->seconds_dynamics;
  levels->total.seconds_sensitivity += own->seconds_sensitivity;
}

static MbsStatus run_level(MbsContext *context, Levels *levels) {
  double step = levels->end / (double)levels->steps;
  MBS_TRY(mbs_session_set_step(context, levels->session, step, levels->stops.count > 0 ? &levels->stops : NULL));
  MbsStatus status = mbs_simulator_run_all(context, levels->simulator);
  add_statistics(levels);
  return status;
}

static bool is_final(const Levels *levels) { return 2 * levels->steps > levels->last; }

// until the accuracy is reached, or cannot be
static MbsStatus run_levels(MbsContext *context, Levels *levels) {
  forget(levels);
  for (levels->steps = levels->first;; levels->steps *= 2) {
    MbsStatus status = run_level(context, levels);
    bool has_failed = status == MBS_ERROR_NUMERICAL;
    if ((status != MBS_OK && !has_failed) || (has_failed && is_final(levels))) {
      return status;
    }
    if (has_failed) {
      context->status = MBS_OK;
      levels->event_count = levels->stops.count = 0;
      forget(levels);
      continue;
    }
    if (!has_same_events(levels)) {  // this one finds their times
      MBS_TRY(take_events(context, levels));
      forget(levels);
      if (is_final(levels)) {
        return MBS_OK;
      }
    } else {
      levels->used_first = levels->groups[0].level_count > 0 ? levels->used_first : levels->steps;
      limit_columns(levels);
      add_numbers(levels);
      bool is_stuck = levels->since >= PATIENCE && levels->steps > levels->first * (long)coarsest;
      if (levels->reached <= levels->accuracy || is_final(levels) || is_stuck) {
        return MBS_OK;
      }
    }
    divide(levels);
  }
}

// ---- what comes out ----
// the worst number of all objectives, in words
static MbsStatus fail_short(MbsContext *context, const Levels *levels) {
  const MbsExtrapolation *worst = &levels->groups[0];
  for (int i = 1; i < levels->group_count; ++i) {
    worst = levels->groups[i].reached > worst->reached ? &levels->groups[i] : worst;
  }
  const char *objective = mbs_simulator_objective_names(levels->simulator)[worst - levels->groups];
  if (!isfinite(worst->reached)) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                    "accuracy %.3g is not reached: no three runs with steps down to %.3g s can be compared, for they "
                    "fail, or other events happen in each; give a smaller step to begin with",
                    levels->accuracy, levels->end / (double)levels->steps);
  }
  char what[300] = "";
  if (worst->worst > 0) {
    (void)snprintf(what, sizeof what, "the derivative with respect to \"%s\" of ",
                   mbs_simulator_parameter_names(levels->simulator)[worst->worst - 1]);
  }
  bool is_stuck = levels->since >= PATIENCE;
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                  "accuracy %.3g is not reached, but %.2g: that of %sobjective \"%s\", with steps down to %.3g s; %s",
                  levels->accuracy, worst->reached, what, objective, levels->end / (double)levels->steps,
                  is_stuck ? "smaller ones do not help, for rounding is as large, or the motion is not smooth"
                           : "give a smaller step to begin with, or ask for less");
}

static void put_numbers(const MbsExtrapolation *from, int count, double *value, double *error, double *gradient,
                        double *gradient_error) {
  bool is_known = isfinite(from->reached);
  if (is_known) {
    *value = from->value[0];
  }
  *error = is_known ? from->error[0] : HUGE_VAL;
  for (int k = 0; k < count; ++k) {
    gradient[k] = is_known ? from->value[1 + k] : gradient[k];
    gradient_error[k] = is_known ? from->error[1 + k] : HUGE_VAL;
  }
}

static MbsStatus give_objectives(MbsContext *context, const Levels *levels, MbsResult *result) {
  int count = levels->parameter_count;
  size_t all = (size_t)levels->group_count * (size_t)count;
  double *values, *errors, *gradient, *gradient_errors;
  MBS_TAKE(context, levels->arena, values, levels->group_count);
  MBS_TAKE(context, levels->arena, errors, levels->group_count);
  MBS_TAKE(context, levels->arena, gradient, all);
  MBS_TAKE(context, levels->arena, gradient_errors, all);
  for (size_t i = 0; i < all && result->gradient; ++i) {
    gradient[i] = result->gradient[i];
  }
  for (int i = 0; i < levels->group_count; ++i) {
    values[i] = result->values[i];
    put_numbers(&levels->groups[i], count, &values[i], &errors[i], gradient + i * count, gradient_errors + i * count);
  }
  result->values = values;
  result->value_errors = errors;
  result->gradient = count > 0 ? gradient : NULL;
  result->gradient_errors = count > 0 ? gradient_errors : NULL;
  return MBS_OK;
}

// of events of the model, which not all records are
static MbsStatus give_times(MbsContext *context, const Levels *levels, MbsResult *result) {
  const MbsEvents *events = events_of(levels);
  int next = 0;
  MbsEventResult *given;
  MBS_TAKE(context, levels->arena, given, result->event_count);
  for (int i = 0; i < levels->event_count; ++i) {
    const MbsEventSpec *spec = events->items[levels->events[i]].spec;
    if (spec->is_end || spec->is_hidden) {
      continue;
    }
    MbsEventResult *event = &given[next];
    int count = result->events[next].gradient ? levels->parameter_count : 0;
    double *gradient, *error;
    MBS_TAKE(context, levels->arena, gradient, count);
    MBS_TAKE(context, levels->arena, error, count);
    *event = result->events[next++];
    for (int k = 0; k < count; ++k) {
      gradient[k] = event->gradient[k];
    }
    put_numbers(&levels->times[i], count, &event->time, &event->time_error, gradient, error);
    event->gradient = count > 0 ? gradient : NULL;
    event->gradient_error = count > 0 ? error : NULL;
  }
  result->events = given;
  return MBS_OK;
}

static MbsStatus give(MbsContext *context, const Levels *levels, MbsResult *result) {
  MBS_TRY(mbs_simulator_give(context, levels->arena, levels->simulator, result));
  result->statistics.steps = levels->total.steps;
  result->statistics.iterations = levels->total.iterations;
  result->statistics.tried_steps = levels->total.tried_steps;
  result->statistics.seconds_dynamics = levels->total.seconds_dynamics;
  result->statistics.seconds_sensitivity = levels->total.seconds_sensitivity;
  result->accuracy = (MbsAccuracy){.asked = levels->accuracy,
                                   .reached = levels->reached,
                                   .runs = levels->groups[0].level_count,
                                   .first_steps = levels->used_first,
                                   .last_steps = levels->steps};
  if (!result->is_complete) {  // the finest level failed: nothing was extrapolated
    result->accuracy.reached = HUGE_VAL;
    return MBS_OK;
  }
  MBS_TRY(give_objectives(context, levels, result));
  return give_times(context, levels, result);
}

// the finest level once more, for its rows
static MbsStatus record(MbsContext *context, const MbsModel *model, const MbsRequest *request, const Levels *levels) {
  MbsRequest own = *request;
  MbsSimulator *simulator;
  own.settings = levels->session->simulation->settings;
  MBS_TRY(mbs_simulator_create_with(context, model, &own, NULL, &simulator));
  const MbsStops *stops = levels->stops.count > 0 ? &levels->stops : NULL;
  MbsStatus status = mbs_session_set_step(context, mbs_simulator_session(simulator), own.settings.step, stops);
  status = status == MBS_OK ? mbs_simulator_run_all(context, simulator) : status;
  mbs_simulator_destroy(simulator);
  return status;
}

// The result of a formulation; short of the accuracy it is there, but not complete.
static MbsStatus reach(MbsContext *context, const MbsModel *model, const MbsRequest *request, Levels *levels,
                       MbsResult *result) {
  MbsStatus status = create(context, model, request, levels);
  if (status == MBS_OK) {
    status = run_levels(context, levels);
  }
  bool is_given = status == MBS_OK || (levels->simulator && mbs_simulator_is_cut_short(levels->simulator));
  if (is_given) {
    MbsStatus given = give(context, levels, result);
    status = status == MBS_OK ? given : status;
  }
  if (status == MBS_OK && !(levels->reached <= levels->accuracy)) {
    status = fail_short(context, levels);
    result->is_complete = false;
    result->error = mbs_arena_copy_text(levels->arena, mbs_context_message(context));
  }
  return status;
}

// ---- what is left open ----
static MbsStatus check(MbsContext *context, const MbsModel *model, const MbsRequest *request) {
  static const char *const others[] = {[MBS_METHOD_ADJOINT_CONTINUOUS] = "adjoint-continuous",
                                       [MBS_METHOD_COMPLEX_STEP] = "complex-step",
                                       [MBS_METHOD_FINITE_DIFFERENCE] = "finite-difference"};
  int method = (int)request->method;
  if (method > MBS_METHOD_ADJOINT) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "an accuracy is not offered with method %s: use direct or adjoint, or accuracy 0",
                    method < MBS_COUNT(others) ? others[method] : "cvodes or idas, which have tolerances of their own");
  }
  if (request->settings.step_tolerance > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "an accuracy is not offered with steps that find their own size (step_tolerance): it takes runs of "
                    "equal steps");
  }
  if (request->settings.sample > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "rows at multiples of an interval (sample) are not offered with an accuracy, which chooses the "
                    "steps: rows are those of the finest run; use every");
  }
  if (mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES)->count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "an accuracy is that of objectives, and %s has none: add what matters to its section objectives",
                    model->file);
  }
  return MBS_OK;
}

// The formulation that reaches an accuracy with the least work: the error of ali1 has even powers of h alone, it lets
// constraints be redundant, and a step costs two thirds of one of ali3p (docs/accuracy.md). Where it does not reach it,
// ali3p may: motions that drivers prescribe with kinks in their accelerations are met by positions, not by
// accelerations that are integrated; and what is for ali3p alone (projections, their multipliers) is refused by ali1.
static const char *const choices[] = {"ali1", MBS_DEFAULT_FORMULATION};

static bool is_of_model(MbsStatus status) {
  return status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_INPUT || status == MBS_ERROR_NOT_OFFERED;
}

MbsStatus mbs_accuracy_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                           MbsResult *result) {
  Levels levels[MBS_COUNT(choices)] = {{.arena = arena}, {.arena = arena}};
  MbsRequest own = *request;
  bool is_kinematic = request->settings.is_kinematic;
  bool is_open = strcmp(own.settings.formulation, "auto") == 0 && !is_kinematic;
  int best = 0;
  MBS_TRY(check(context, model, request));
  if (is_open) {
    (void)snprintf(own.settings.formulation, MBS_NAME_LENGTH, "%s", choices[0]);
  }
  MbsStatus status = reach(context, model, &own, &levels[0], result);
  if (is_open && is_of_model(status)) {
    MbsResult other = {.is_complete = false};
    context->error_count = 0;
    (void)snprintf(own.settings.formulation, MBS_NAME_LENGTH, "%s", choices[1]);
    MbsStatus again = reach(context, model, &own, &levels[1], &other);
    bool is_better = !is_of_model(again) || !result->error || other.accuracy.reached < result->accuracy.reached;
    if (is_better) {
      best = 1;
      *result = other;
      status = again;
    } else {  // what was told of the first
      status = mbs_fail(context, status, mbs_nowhere, "%s", result->error);
    }
  }
  bool has_rows = request->recorder && (status == MBS_OK || result->error);
  if (has_rows) {
    MbsStatus recorded = record(context, model, request, &levels[best]);
    status = status == MBS_OK || recorded == MBS_ERROR_FILE ? recorded : status;
  }
  result->accuracy.has_chosen_formulation = is_open;
  result->accuracy.has_chosen_integrator = strcmp(request->settings.integrator, "auto") == 0 && !is_kinematic;
  for (int i = 0; i < MBS_COUNT(levels); ++i) {
    mbs_simulator_destroy(levels[i].simulator);
  }
  return status;
}
