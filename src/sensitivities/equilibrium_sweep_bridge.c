// An equilibrium followed along a parameter p. Double only.
//
// Each search begins at the equilibrium before. It is on the same branch if it is near: as far away as the secant of
// the last step foretells, with some room for bends, or so near that it does not matter. Else the way in p is halved;
// so a kink (a stop that is met) is passed in small steps, and at a limit point, where dz/dp grows beyond all bounds,
//     |dz| ~ sqrt(|p_c - p|),
// steps become smaller and smaller, until p is p_c to all digits that count.
#include <math.h>
#include <mbsens/equilibrium.h>
#include <mbsens/simulator.h>

#include "kinematics/equilibrium.h"
#include "sensitivities/owned_result.h"
#include "sensitivities/series.h"
#include "sensitivities/session.h"
#include "sensitivities/simulator.h"

static const double bend = 3, hardly = 1e-3;          // in sizes of the mechanism
static const double shortest = 1e-10, steeper = 1e3;  // of the whole way in p; than at first

typedef struct Sweep {
  MbsEquilibriumSweep result;  // first: mbs_equilibrium_sweep_destroy is given this
  MbsArena *arena;
  MbsSimulator *simulator;
  const MbsEquilibriumSweepDef *def;
  MbsSeries series;
  bool is_recorded;
  double *values;
  MbsResult **points;
  double at;              // p of the equilibrium from which the next search begins
  double step;            // of p, that is tried next: its size
  double rate, gentle;    // |dz/dp| of the last step, and the least so far; 0: not known
  double moved;           // by the last search
  double length;          // of the whole way in p
  const char *complaint;  // why the last step was not taken
} Sweep;

// ---- progress ----
typedef struct Share {
  bool (*keep_going)(void *user, double fraction);
  void *user;
  const Sweep *sweep;
} Share;

static bool keep_sharing(void *user, double fraction) {
  const Share *share = user;
  (void)fraction;
  return share->keep_going(share->user, (double)share->sweep->result.count / share->sweep->def->count);
}

// ---- one equilibrium ----
static MbsInitial *initial_of(const Sweep *sweep) {
  return mbs_simulator_session(sweep->simulator)->simulation->initial;
}

// is_there: found, and near enough to the last one
static MbsStatus try_value(MbsContext *context, Sweep *sweep, double value, bool *is_there) {
  MbsStatus status = mbs_simulator_set_parameter(context, sweep->simulator, sweep->def->parameter, value);
  long rows = sweep->series.row_count;
  status = status == MBS_OK ? mbs_simulator_run(context, sweep->simulator) : status;
  *is_there = status == MBS_OK;
  bool is_first = !initial_of(sweep)->equilibrium->has_last;
  if (status != MBS_OK) {
    sweep->series.row_count = rows;
    bool may_be_shorter = !is_first && (status == MBS_ERROR_INPUT || status == MBS_ERROR_NUMERICAL);
    if (may_be_shorter) {
      sweep->complaint = mbs_arena_copy_text(sweep->arena, mbs_context_message(context));
      context->status = MBS_OK;
    }
    return may_be_shorter ? MBS_OK : status;
  }
  sweep->moved = initial_of(sweep)->equilibrium->moved;
  double foretold = bend * sweep->rate * fabs(value - sweep->at);
  if (!is_first && sweep->moved > fmax(hardly, foretold)) {
    sweep->complaint = NULL;  // it was found, on another branch
    *is_there = false;
  }
  return MBS_OK;
}

static void accept(Sweep *sweep, double value) {
  double way = fabs(value - sweep->at);
  if (way > 0 && initial_of(sweep)->equilibrium->has_last) {
    sweep->rate = sweep->moved / way;
    bool is_gentle = !(sweep->gentle > 0) || sweep->rate < sweep->gentle;
    sweep->gentle = is_gentle && sweep->rate > 0 ? sweep->rate : sweep->gentle;
  }
  mbs_equilibrium_go_on(initial_of(sweep));
  sweep->at = value;
}

// ---- the way ----
static MbsStatus say_end(MbsContext *context, Sweep *sweep) {
  const char *name = sweep->def->parameter;
  bool turns = sweep->rate > steeper * sweep->gentle;
  sweep->result.is_limit = turns;
  sweep->result.last = sweep->at;
  if (turns) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                    "the equilibrium has a limit point at %s = %.8g: this branch turns back there, and beyond it there "
                    "is no equilibrium near",
                    name, sweep->at);
  }
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere, "the equilibrium cannot be followed beyond %s = %.8g: %s",
                  name, sweep->at, sweep->complaint ? sweep->complaint : "it jumps there");
}

// from sweep->at to the value, in as many steps as that takes
static MbsStatus go_to(MbsContext *context, Sweep *sweep, double target) {
  double end = fabs(target - sweep->at), step = fmin(end, sweep->step);
  bool is_over = false;
  while (!is_over) {
    bool is_there;
    double left = fabs(target - sweep->at);
    step = step > 0.75 * left ? left : step;
    bool is_last = step >= left;
    double value = is_last ? target : sweep->at + copysign(step, target - sweep->at);
    long rows = sweep->series.row_count;
    MBS_TRY(try_value(context, sweep, value, &is_there));
    if (context->keep_going && !context->keep_going(context->user, 0)) {
      return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped at %s = %.6g", sweep->def->parameter,
                      sweep->at);
    }
    if (is_there) {
      accept(sweep, value);
      is_over = is_last;
      sweep->step = 2 * step;
      step *= 2;
    }
    if (!is_there || !is_last) {
      sweep->series.row_count = rows;  // no point that was asked for
    }
    if (!is_there) {
      step /= 2;
      if (!(step > shortest * sweep->length)) {
        return say_end(context, sweep);
      }
    }
  }
  return MBS_OK;
}

static MbsStatus take_point(MbsContext *context, Sweep *sweep, double value) {
  int index = sweep->result.count;
  sweep->values[index] = value;
  if (sweep->is_recorded) {
    sweep->series.rows[(size_t)index * (size_t)sweep->series.column_count] = value;
  }
  MBS_TRY(mbs_simulator_result(context, sweep->simulator, &sweep->points[index]));
  sweep->result.count += 1;
  return MBS_OK;
}

static MbsStatus follow(MbsContext *context, Sweep *sweep) {
  const MbsEquilibriumSweepDef *def = sweep->def;
  bool is_there;
  for (int i = 1; i < def->count; ++i) {
    sweep->length += fabs(def->values[i] - def->values[i - 1]);
  }
  sweep->at = def->values[0];
  sweep->step = HUGE_VAL;
  MBS_TRY(try_value(context, sweep, def->values[0], &is_there));
  accept(sweep, def->values[0]);
  MBS_TRY(take_point(context, sweep, def->values[0]));
  for (int i = 1; i < def->count; ++i) {
    MBS_TRY(go_to(context, sweep, def->values[i]));
    MBS_TRY(take_point(context, sweep, def->values[i]));
  }
  return MBS_OK;
}

// ---- the whole ----
static MbsStatus check(MbsContext *context, const MbsRequest *request, const MbsEquilibriumSweepDef *def) {
  if (!def->parameter || def->count < 1 || !def->values) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "a sweep needs a parameter and one value or more, got %d",
                    def->count);
  }
  for (int i = 0; i < def->count; ++i) {
    if (!isfinite(def->values[i])) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "value %d of \"%s\" is not a finite number", i + 1,
                      def->parameter);
    }
  }
  bool is_offered = request->method == MBS_METHOD_NONE || request->method == MBS_METHOD_DIRECT ||
                    request->method == MBS_METHOD_ADJOINT;
  return is_offered ? MBS_OK
                    : mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                               "along a parameter this method is not offered: take direct or adjoint, and compare at "
                               "one of the values");
}

static MbsStatus replay(Sweep *sweep, const MbsRecorder *recorder) {
  const MbsSeries *series = &sweep->series;
  if (!sweep->is_recorded || series->column_count == 0) {
    return MBS_OK;
  }
  series->names[0] = sweep->result.parameter;
  series->units[0] = "";
  series->descriptions[0] = "the parameter along which the equilibrium is followed";
  series->groups[0] = "parameter";
  MBS_TRY(mbs_recorder_begin(recorder, series->column_count, series->names, series->units, series->descriptions,
                             series->groups));
  for (int i = 0; i < sweep->result.count; ++i) {
    MBS_TRY(recorder->row(recorder->user, series->rows + (size_t)i * (size_t)series->column_count));
  }
  return MBS_OK;
}

static MbsStatus run(MbsContext *context, const MbsModel *model, const MbsRequest *request, Sweep *sweep) {
  MbsRequest alone = *request;
  MbsRecorder recorder = mbs_series_recorder(&sweep->series);
  Share share = {.keep_going = context->keep_going, .user = context->user, .sweep = sweep};
  alone.settings.is_equilibrium = true;
  alone.recorder = request->recorder ? &recorder : NULL;
  sweep->is_recorded = request->recorder != NULL;
  sweep->series.arena = sweep->arena;
  MBS_TAKE(context, sweep->arena, sweep->values, sweep->def->count);
  MBS_TAKE(context, sweep->arena, sweep->points, sweep->def->count);
  sweep->result.values = sweep->values;
  sweep->result.points = (const MbsResult *const *)sweep->points;
  sweep->result.parameter = mbs_arena_copy_text(sweep->arena, sweep->def->parameter);
  MBS_TRY(mbs_simulator_create(context, model, &alone, &sweep->simulator));
  if (share.keep_going) {
    context->keep_going = keep_sharing;
    context->user = &share;
  }
  MbsStatus status = follow(context, sweep);
  context->keep_going = share.keep_going;
  context->user = share.user;
  sweep->result.is_complete = status == MBS_OK;
  if (status == MBS_ERROR_NUMERICAL && sweep->result.count > 0) {
    sweep->result.message = mbs_arena_copy_text(sweep->arena, mbs_context_message(context));
  }
  bool is_given = status == MBS_OK || sweep->result.message;
  MbsStatus replayed = is_given && request->recorder ? replay(sweep, request->recorder) : MBS_OK;
  return replayed == MBS_OK ? status : replayed;
}

MbsStatus mbs_equilibrium_sweep(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                const MbsEquilibriumSweepDef *def, MbsEquilibriumSweep **result) {
  MBS_CALL_BEGIN(context, "mbs_equilibrium_sweep", {"model", model}, {"request", request}, {"def", def},
                 {"sweep", result});
  *result = NULL;
  MBS_TRY(check(context, request, def));
  MbsArena *arena = mbs_arena_create_for(context);
  Sweep *sweep = arena ? mbs_arena_take(arena, 1, sizeof *sweep) : NULL;
  if (!sweep) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  sweep->arena = arena;
  sweep->def = def;
  MbsStatus status = mbs_call_end(context, run(context, model, request, sweep));
  mbs_simulator_destroy(sweep->simulator);
  sweep->simulator = NULL;
  mbs_arena_tell(arena, NULL);
  if (status != MBS_OK && !sweep->result.message) {
    mbs_equilibrium_sweep_destroy(&sweep->result);
    return status;
  }
  *result = &sweep->result;
  return status;
}

void mbs_equilibrium_sweep_destroy(MbsEquilibriumSweep *sweep) {
  if (sweep) {
    Sweep *own = (Sweep *)(void *)sweep;
    for (int i = 0; i < sweep->count; ++i) {
      mbs_result_destroy(own->points[i]);
    }
    mbs_arena_destroy(own->arena);
  }
}
