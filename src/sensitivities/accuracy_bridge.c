// See accuracy.h. Double only.
#include "sensitivities/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sensitivities/levels.h"

// ---- what comes out ----
// the worst number of all objectives, in words
static MbsStatus fail_short(MbsContext *context, const MbsLevels *levels) {
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
  bool is_stuck = mbs_levels_is_stuck(levels);
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                  "accuracy %.3g is not reached, but %.2g: that of %sobjective \"%s\", with steps down to %.3g s; %s",
                  levels->accuracy, worst->reached, what, objective, levels->end / (double)levels->steps,
                  levels->is_short_by_give ? "its constraints give way to their multipliers by that: use formulation "
                                             "matrix-r or ali3p, or a larger penalty"
                  : is_stuck ? "smaller ones do not help, for rounding is as large, or the motion is not smooth"
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

static MbsStatus give_objectives(MbsContext *context, const MbsLevels *levels, MbsResult *result) {
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
static MbsStatus give_times(MbsContext *context, const MbsLevels *levels, MbsResult *result) {
  const MbsEvents *events = mbs_levels_events(levels);
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

static MbsStatus give(MbsContext *context, const MbsLevels *levels, MbsResult *result) {
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
static MbsStatus record(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                        const MbsLevels *levels) {
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

// A result, also short of the accuracy, but then it is not complete.
static MbsStatus give_best(MbsContext *context, const MbsLevels *levels, MbsStatus status, MbsResult *result) {
  bool is_given = levels->simulator && (status == MBS_OK || mbs_simulator_is_cut_short(levels->simulator));
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

// ---- what is refused ----
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

// ---- what is left open ----
// What may be chosen. With order 8 few steps do where the motion is smooth and nothing is stiff, and events cost no
// order; the trapezoidal rule has even powers of h alone, and bears what is stiff. Both with ali1, whose steps cost two
// thirds of those of ali3p, and which lets constraints be redundant. Where they do not get there, ali3p may: motions
// that drivers prescribe with kinks in their accelerations are met by positions, not by accelerations that are
// integrated; and what is for ali3p alone (the tangent projection matrix, multipliers of projections) is refused by
// ali1.
//
// Where constraints are redundant ali1 holds them by springs (mbs_formulation_gives_way), whose limit is another one:
// then it drops out for matrix-r. Radau-5 takes no part: what its first levels do not resolve they all damp away alike,
// and its estimates know nothing of it (docs/accuracy.md).
//
// All that are not the last resort take turns: that one runs its next level whose steps, times their weight, are
// fewest. A step of order 8 costs five of the trapezoidal rule (five-bar, two parameters, instructions), but counts for
// less: it gets there with less work in most models (docs/accuracy.md), and what the other one does in vain is lost.
typedef enum Role { ALWAYS, IF_REDUNDANT, LAST_RESORT } Role;

typedef struct Choice {
  const char *formulation, *integrator;
  double weight;
  Role role;
} Choice;

static const Choice choices[] = {
    {.formulation = "ali1", .integrator = "dormand-prince-8", .weight = 1.7},
    {.formulation = "ali1", .integrator = "auto", .weight = 1},
    {.formulation = "matrix-r", .integrator = "dormand-prince-8", .weight = 1.7, .role = IF_REDUNDANT},
    {.formulation = MBS_DEFAULT_FORMULATION, .integrator = "auto", .weight = 1, .role = LAST_RESORT}};
enum { CHOICES = MBS_COUNT(choices) };

typedef struct Contender {
  MbsLevels levels;
  double weight;
  Role role;
  bool is_over;
  MbsStatus status;
  const char *message;  // of a failure
} Contender;

typedef struct Contest {
  MbsArena *arena;
  bool has_formulation, has_integrator;  // given
  bool is_redundant;                     // as far as seen
  int count;
  Contender contenders[CHOICES];
} Contest;

static bool is_of_model(MbsStatus status) {
  return status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_INPUT || status == MBS_ERROR_NOT_OFFERED;
}

// What fails for the model's sake leaves the field to the others.
static MbsStatus note(MbsContext *context, Contest *contest, Contender *contender, MbsStatus status) {
  contender->status = status;
  contender->is_over = status != MBS_OK || contender->levels.is_over;
  if (!is_of_model(status)) {
    return status;
  }
  contender->message = mbs_arena_copy_text(contest->arena, mbs_context_message(context));
  context->status = MBS_OK;
  context->error_count = 0;
  return MBS_OK;
}

// After a level: a formulation that was chosen drops out where its constraints give way.
static MbsStatus look_at(MbsContext *context, Contest *contest, Contender *contender) {
  const MbsLevels *levels = &contender->levels;
  if (contest->has_formulation || contender->status != MBS_OK || !mbs_levels_gives_way(levels)) {
    return MBS_OK;
  }
  contest->is_redundant = true;
  return note(context, contest, contender,
              mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere, "constraints are redundant"));
}

// Columns go through all stages of an explicit step, and once through one of the trapezoidal rule.
static double weigh(const Choice *choice, const MbsRequest *request, int parameter_count) {
  bool is_by_stages = strstr(choice->integrator, "dormand") && request->method == MBS_METHOD_DIRECT;
  return choice->weight * (is_by_stages ? 1 + 1.5 * parameter_count / (parameter_count + 10) : 1);
}

static MbsStatus enter(MbsContext *context, const MbsModel *model, const MbsRequest *request, const Choice *choice,
                       Contest *contest) {
  MbsRequest own = *request;
  Contender *contender = &contest->contenders[contest->count++];
  *contender = (Contender){.role = choice->role};
  if (!contest->has_formulation && !request->settings.is_kinematic) {
    (void)snprintf(own.settings.formulation, MBS_NAME_LENGTH, "%s", choice->formulation);
  }
  if (!contest->has_integrator) {
    (void)snprintf(own.settings.integrator, MBS_NAME_LENGTH, "%s", choice->integrator);
  }
  MbsStatus status = mbs_levels_create(context, contest->arena, model, &own, &contender->levels);
  contender->weight = weigh(choice, request, contender->levels.parameter_count);
  MBS_TRY(note(context, contest, contender, status));
  return look_at(context, contest, contender);
}

// one for each different pair of formulation and integrator, as far as these are open, and of this role
static MbsStatus enter_all(MbsContext *context, const MbsModel *model, const MbsRequest *request, Contest *contest,
                           bool is_for_redundancy) {
  bool has_formulation = contest->has_formulation, has_integrator = contest->has_integrator;
  for (int i = 0; i < CHOICES; ++i) {
    const Choice *choice = &choices[i];
    bool is_of_formulation = choice->role == LAST_RESORT || choice->role == IF_REDUNDANT;
    bool is_known =
        (has_formulation && is_of_formulation) || (has_integrator && strcmp(choice->integrator, "auto") != 0);
    bool is_only = request->settings.is_kinematic || (has_formulation && has_integrator);
    if ((choice->role == IF_REDUNDANT) == is_for_redundancy && !(is_only ? i < CHOICES - 1 : is_known)) {
      MBS_TRY(enter(context, model, request, choice, contest));
    }
  }
  return MBS_OK;
}

// whose turn it is; NULL: all have given up
static Contender *find_next(Contest *contest, bool is_last_resort) {
  Contender *next = NULL;
  double least = HUGE_VAL;
  for (int i = 0; i < contest->count; ++i) {
    Contender *contender = &contest->contenders[i];
    bool may = !contender->is_over && (contender->role == LAST_RESORT) == is_last_resort;
    double steps = may ? contender->weight * (double)mbs_levels_next(&contender->levels) : HUGE_VAL;
    next = steps < least ? contender : next;
    least = fmin(least, steps);
  }
  return next;
}

// How far it came: to the end of a run; into one, where what failed says why; or it does not fit the model or what is
// given.
static int rank_of(const Contender *contender) {
  return contender->status == MBS_OK ? 2 : contender->status == MBS_ERROR_NUMERICAL ? 1 : 0;
}

// The one that reaches the accuracy, or comes nearest; the last one where none has an estimate.
static MbsStatus compete(MbsContext *context, const MbsModel *model, const MbsRequest *request, Contest *contest,
                         Contender **winner) {
  bool has_all = false;
  *winner = NULL;
  for (;;) {
    if (contest->is_redundant && !has_all) {
      has_all = true;
      MBS_TRY(enter_all(context, model, request, contest, true));
    }
    Contender *next = find_next(contest, false);
    next = next ? next : find_next(contest, true);
    if (!next) {
      break;
    }
    MBS_TRY(note(context, contest, next, mbs_levels_advance(context, &next->levels)));
    MBS_TRY(look_at(context, contest, next));
    if (next->is_over && next->status == MBS_OK && next->levels.reached <= next->levels.accuracy) {
      *winner = next;
      return MBS_OK;
    }
  }
  for (int i = 0; i < contest->count; ++i) {
    Contender *contender = &contest->contenders[i];
    int rank = rank_of(contender), best = *winner ? rank_of(*winner) : -1;
    bool is_better = rank > best || (rank == best && contender->levels.reached <= (*winner)->levels.reached);
    *winner = is_better ? contender : *winner;
  }
  return MBS_OK;
}

static MbsStatus run_contest(MbsContext *context, const MbsModel *model, const MbsRequest *request, Contest *contest,
                             MbsResult *result) {
  Contender *winner;
  MBS_TRY(enter_all(context, model, request, contest, false));
  MBS_TRY(compete(context, model, request, contest, &winner));
  MbsStatus status = winner->status == MBS_OK
                         ? MBS_OK
                         : mbs_fail(context, winner->status, mbs_nowhere, "%s", winner->message ? winner->message : "");
  if (status == MBS_OK && mbs_levels_gives_way(&winner->levels)) {
    MBS_TRY(mbs_levels_add_give(context, model, request, &winner->levels));
  }
  status = give_best(context, &winner->levels, status, result);
  bool has_rows = request->recorder && (status == MBS_OK || result->error);
  if (has_rows) {
    MbsStatus recorded = record(context, model, request, &winner->levels);
    status = status == MBS_OK || recorded == MBS_ERROR_FILE ? recorded : status;
  }
  return status;
}

MbsStatus mbs_accuracy_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                           MbsResult *result) {
  const MbsSettings *asked = &request->settings;
  Contest contest = {.arena = arena,
                     .has_formulation = strcmp(asked->formulation, "auto") != 0,
                     .has_integrator = strcmp(asked->integrator, "auto") != 0};
  MBS_TRY(check(context, model, request));
  MbsStatus status = run_contest(context, model, request, &contest, result);
  result->accuracy.has_chosen_formulation = strcmp(asked->formulation, "auto") == 0 && !asked->is_kinematic;
  result->accuracy.has_chosen_integrator = strcmp(asked->integrator, "auto") == 0 && !asked->is_kinematic;
  for (int i = 0; i < contest.count; ++i) {
    mbs_simulator_destroy(contest.contenders[i].levels.simulator);
  }
  return status;
}
