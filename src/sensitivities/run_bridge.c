// mbs_run: one method, from a request to a result. Double only: it calls the complex twin.
#include <mbsens/equilibrium.h>
#include <mbsens/mbsens.h>

#include <math.h>
#include <stdint.h>

#include "model/trim.h"
#include "sensitivities/accuracy.h"
#include "sensitivities/anew.h"
#include "sensitivities/eigenvalue_objectives.h"
#include "sensitivities/owned_result.h"
#include "sensitivities/request.h"
#include "sensitivities/selection.h"
#include "sensitivities/series.h"
#include "sensitivities/session.h"
#include "sensitivities/shaken_run.h"
#include "sensitivities/simulator.h"
#include "sensitivities/sundials.h"
#include "sensitivities/twin.h"
#include "simulation/simulation.h"

// Several runs that make one result.
typedef struct Run {
  const MbsModel *model;
  const MbsRequest *request;
  MbsArena *arena;  // of the result
  MbsSelection selection;
  const double *shaken;  // values of all parameters; NULL: the model's own
  MbsResult result;
  double *gradient;  // of the chosen objectives and parameters
} Run;

// ---- progress over several runs ----
typedef struct Share {
  bool (*keep_going)(void *user, double fraction);
  void *user;
  int run, run_count;
} Share;

static bool keep_sharing(void *user, double fraction) {
  const Share *share = user;
  return share->keep_going(share->user, (share->run + fraction) / share->run_count);
}

// ---- methods ----
// d/dp of every objective and, when series are recorded, of every row
static MbsStatus complex_column(MbsContext *context, const Run *run, const MbsTwinRequest *base, int parameter,
                                MbsSeries *series, MbsResult *outcome) {
  MbsTwinRequest twin = *base;
  MbsRecorder recorder = mbs_series_recorder(series);
  twin.perturbed = parameter;
  twin.recorder = series ? &recorder : NULL;
  return mbs_complex_run(context, run->arena, run->model, &twin, outcome, NULL);
}

// times of events: (up - down) / span; both runs follow the nominal one through the same events
static MbsStatus difference_times(MbsContext *context, MbsArena *arena, const MbsResult sides[2], double span,
                                  MbsResult *outcome) {
  MbsEventResult *events;
  MBS_CHECK(context, sides[0].event_count == sides[1].event_count);
  MBS_TAKE(context, arena, events, sides[0].event_count);
  for (int i = 0; i < sides[0].event_count; ++i) {
    events[i] = sides[0].events[i];
    events[i].time = (sides[0].events[i].time - sides[1].events[i].time) / span;
  }
  outcome->events = events;
  return MBS_OK;
}

static MbsStatus difference_column(MbsContext *context, const Run *run, const MbsTwinRequest *base, int parameter,
                                   const MbsSeries *nominal_series, MbsSeries *series, MbsResult *outcome) {
  const MbsRequest *request = run->request;
  const MbsResult *nominal = &run->result;
  double value = run->selection.nominal[parameter];
  bool is_central = request->difference == MBS_DIFFERENCE_CENTRAL;
  // balance truncation (h^2 or h) against rounding
  double relative = request->difference_step > 0 ? request->difference_step : is_central ? 6e-6 : 1.5e-8;
  double h = relative * (fabs(value) > 0 ? fabs(value) : 1);
  MbsResult sides[2] = {*nominal, *nominal};  // up, down
  MbsSeries side_series[2] = {{0}};
  for (int side = 0; side < 2; ++side) {
    bool is_skipped = request->difference == (side == 0 ? MBS_DIFFERENCE_BACKWARD : MBS_DIFFERENCE_FORWARD);
    if (is_skipped) {
      if (series) {
        side_series[side] = *nominal_series;
      }
      continue;
    }
    MbsTwinRequest twin = *base;
    MbsRecorder recorder = mbs_series_recorder(&side_series[side]);
    side_series[side].arena = run->arena;
    twin.recorder = series ? &recorder : NULL;
    MBS_TRY(
        mbs_anew_run(context, run->arena, run->model, &twin, parameter, value + (side == 0 ? h : -h), &sides[side]));
  }
  double span = is_central ? 2 * h : h;
  double *values;
  *outcome = sides[0];
  MBS_TAKE(context, run->arena, values, outcome->objective_count);
  for (int i = 0; i < outcome->objective_count; ++i) {
    values[i] = (sides[0].values[i] - sides[1].values[i]) / span;
  }
  outcome->values = values;
  MBS_TRY(difference_times(context, run->arena, sides, span, outcome));
  outcome->statistics.iterations = 0;
  for (int side = 0; side < 2; ++side) {
    if (sides[side].values != nominal->values) {
      outcome->statistics.iterations += sides[side].statistics.iterations;
      outcome->statistics.seconds_sensitivity += sides[side].statistics.seconds_dynamics;
    }
  }
  return series ? mbs_series_difference(context, &side_series[0], &side_series[1], span, series) : MBS_OK;
}

// room for the gradients of the events' times in the result of the nominal run: events x parameters
static MbsStatus create_time_gradients(MbsContext *context, Run *run, int parameter_count, double **gradients) {
  MbsEventResult *events;
  int count = run->result.event_count;
  MBS_TAKE(context, run->arena, events, count);
  MBS_TAKE(context, run->arena, *gradients, (size_t)count * (size_t)parameter_count);
  for (int i = 0; i < count; ++i) {
    events[i] = run->result.events[i];
    events[i].gradient = *gradients + i * parameter_count;
  }
  run->result.events = events;
  return MBS_OK;
}

// of one run with parameter k perturbed: d/dp of objectives and of the events' times
static MbsStatus take_column(MbsContext *context, const Run *run, const MbsResult *outcome, int k, double *times) {
  int count = run->selection.parameter_count;
  for (int i = 0; i < run->selection.objective_count; ++i) {
    run->gradient[i * count + k] = outcome->values[i];
  }
  MBS_CHECK(context, outcome->event_count == run->result.event_count);
  for (int i = 0; i < outcome->event_count; ++i) {
    times[i * count + k] = outcome->events[i].time;
  }
  return MBS_OK;
}

// one of the runs failed: what the nominal one gave, to its end or until it failed, without derivatives
static void give_nominal(MbsContext *context, Run *run) {
  MbsResult *result = &run->result;
  bool has_started = result->is_complete || result->error;
  MbsEventResult *events = mbs_arena_take(run->arena, (size_t)result->event_count, sizeof *events);
  if (!has_started || !events) {
    return;
  }
  for (int i = 0; i < result->event_count; ++i) {
    events[i] = result->events[i];
    events[i].gradient = NULL;
  }
  result->events = events;
  result->gradient = NULL;
  result->is_complete = false;
  result->error = mbs_arena_copy_text(run->arena, mbs_context_message(context));
}

// Where errors of sensitivities count for the sizes of steps, the direct method finds them, and others follow its path.
static bool needs_direct_path(const MbsRequest *request) {
  return request->settings.is_column_controlled && request->method != MBS_METHOD_NONE &&
         request->method != MBS_METHOD_DIRECT;
}

static MbsStatus find_direct_path(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                  const MbsRequest *request, const double *values, MbsPath *path) {
  MbsSimulator *simulator;
  MbsRequest direct = *request;
  direct.method = MBS_METHOD_DIRECT;
  direct.recorder = NULL;
  MBS_TRY(mbs_simulator_create_with(context, model, &direct, values, &simulator));
  MbsStatus status = mbs_simulator_run_all(context, simulator);
  if (status == MBS_OK) {
    status = mbs_session_path(context, arena, mbs_simulator_session(simulator), path);
  }
  mbs_simulator_destroy(simulator);
  return status;
}

// a nominal run, then one or two further runs per parameter
static MbsStatus run_perturbed(MbsContext *context, Run *run) {
  const MbsSelection *selection = &run->selection;
  const MbsRequest *request = run->request;
  int count = selection->parameter_count;
  bool is_complex = request->method == MBS_METHOD_COMPLEX_STEP;
  Share share = {.keep_going = context->keep_going, .user = context->user, .run_count = count + 1};
  if (share.keep_going) {
    context->keep_going = keep_sharing;
    context->user = &share;
  }
  MbsSeries *series = NULL;  // nominal, then one per parameter
  if (request->recorder) {
    MBS_TAKE(context, run->arena, series, count + 1);
    series[0].arena = run->arena;
  }
  MbsTwinRequest base = {.settings = request->settings,
                         .objective_count = selection->objective_count,
                         .objectives = selection->objectives,
                         .parameters = run->shaken,
                         .perturbed = -1};
  MbsTwinRequest nominal_request = base;
  nominal_request.column_count = count;
  nominal_request.columns = selection->parameters;
  nominal_request.is_start_alone = true;
  MbsRecorder recorder = mbs_series_recorder(series);
  nominal_request.recorder = series ? &recorder : NULL;
  MbsResult outcome;
  MbsPath path, direct;
  if (needs_direct_path(request)) {
    MBS_TRY(find_direct_path(context, run->arena, run->model, request, run->shaken, &direct));
    nominal_request.followed = &direct;
  }
  MbsStatus status = mbs_twin_run(context, run->arena, run->model, &nominal_request, &run->result, &path);
  if (status == MBS_OK) {
    base.settings = run->result.request->settings;  // the automatic penalty factor must not move with the parameters,
    base.followed = &path;                          // nor what the run decides on the way
  }
  double *times = NULL;
  MbsEigenObjectives eigen = {0};
  if (status == MBS_OK) {
    status = mbs_eigen_create(context, run->arena, run->model, &request->settings, selection->objective_count,
                              selection->objectives, &eigen);
  }
  if (status == MBS_OK) {
    status = mbs_eigen_values(context, &eigen, run->shaken, (double *)run->result.values);
  }
  if (status == MBS_OK) {
    status = create_time_gradients(context, run, count, &times);
  }
  long iterations = status == MBS_OK ? run->result.statistics.iterations : 0;
  double seconds = status == MBS_OK ? run->result.statistics.seconds_sensitivity : 0;
  for (int k = 0; k < count && status == MBS_OK; ++k) {
    MbsSeries *own = series ? &series[1 + k] : NULL;
    if (own) {
      own->arena = run->arena;
    }
    share.run = 1 + k;
    status = is_complex ? complex_column(context, run, &base, selection->parameters[k], own, &outcome)
                        : difference_column(context, run, &base, selection->parameters[k], series, own, &outcome);
    status = status == MBS_OK ? take_column(context, run, &outcome, k, times) : status;
    if (status == MBS_OK) {
      iterations += outcome.statistics.iterations;
      seconds += is_complex ? outcome.statistics.seconds_dynamics : outcome.statistics.seconds_sensitivity;
    }
  }
  if (status == MBS_OK && is_complex) {
    status = mbs_eigen_gradient(context, &eigen, run->shaken, count, selection->parameters, run->gradient);
  }
  run->result.statistics.iterations = iterations;
  run->result.statistics.seconds_sensitivity = seconds;
  run->result.gradient = run->gradient;
  context->keep_going = share.keep_going;
  context->user = share.user;
  if (status == MBS_ERROR_NUMERICAL) {
    give_nominal(context, run);
  }
  bool has_rows = status == MBS_OK || run->result.error;
  if (has_rows && series) {
    int columns = status == MBS_OK ? count : 0;
    MbsStatus given =
        mbs_series_replay(context, run->arena, columns, series, selection->parameter_names, request->recorder);
    status = given == MBS_OK ? status : given;
  }
  return status;
}

static MbsStatus run_several(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                             const double *values, MbsResult *result) {
  Run run = {.model = model, .request = request, .arena = arena, .shaken = values};
  MBS_TRY(mbs_selection_create(context, arena, model, request, &run.selection));
  MBS_TRY(mbs_selection_check(context, model, request, &run.selection));
  MBS_TAKE(context, arena, run.gradient, run.selection.objective_count * run.selection.parameter_count);
  MbsStatus status = run_perturbed(context, &run);
  if (status != MBS_OK && !run.result.error) {
    return status;
  }
  *result = run.result;
  MBS_TRY(mbs_result_describe(context, arena, model, request, &run.selection, result));
  return status;
}

// one run of a simulator
static MbsStatus run_once(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                          const double *values, MbsResult *result) {
  MbsSimulator *simulator;
  MbsPath path;
  bool is_led = needs_direct_path(request);
  if (is_led) {
    MBS_TRY(find_direct_path(context, arena, model, request, values, &path));
  }
  MBS_TRY(mbs_simulator_create_with(context, model, request, values, &simulator));
  MbsStatus status = is_led ? mbs_session_follow(context, mbs_simulator_session(simulator), &path) : MBS_OK;
  if (status == MBS_OK) {
    status = mbs_simulator_run_all(context, simulator);
  }
  if (status == MBS_OK || mbs_simulator_is_cut_short(simulator)) {
    MbsStatus given = mbs_simulator_give(context, arena, simulator, result);
    status = status == MBS_OK ? given : status;
  }
  mbs_simulator_destroy(simulator);
  return status;
}

void mbs_shake(int shake, int count, const double *values, double *shaken) {
  const double size = shake == 0 ? 0 : 1e-15;
  uint64_t bits = (uint64_t)shake;
  for (int i = 0; i < count; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    shaken[i] = values[i] * (1 + (bits >> 63 ? size : -size));
  }
}

static MbsStatus shake_parameters(MbsContext *context, MbsArena *arena, const MbsModel *model, int shake,
                                  double **values) {
  MbsSelection all;
  const MbsRequest any = {.method = MBS_METHOD_NONE};
  MBS_TRY(mbs_selection_create(context, arena, model, &any, &all));
  MBS_TAKE(context, arena, *values, all.model_parameter_count);
  mbs_shake(shake, all.model_parameter_count, all.nominal, *values);
  return MBS_OK;
}

MbsStatus mbs_run_within(MbsContext *context, const MbsModel *model, const MbsRequest *request, int shake,
                         MbsResult **result) {
  bool is_perturbed = request->method == MBS_METHOD_COMPLEX_STEP || request->method == MBS_METHOD_FINITE_DIFFERENCE;
  double *values = NULL;
  MbsOwnedResult *owned;
  MbsRequest asked = *request;
  *result = NULL;
  MBS_TRY(mbs_owned_result_create(context, &owned));
  MbsStatus status = mbs_model_ask(context, owned->arena, model, &asked.parameter_count, &asked.parameters, &model);
  if (status == MBS_OK && request->settings.is_equilibrium) {
    status = mbs_trim_add_objectives(context, owned->arena, model, &model);
  }
  if (status == MBS_OK && shake > 0) {
    status = shake_parameters(context, owned->arena, model, shake, &values);
  }
  if (status == MBS_OK && asked.settings.accuracy > 0) {
    status = mbs_accuracy_run(context, owned->arena, model, &asked, &owned->result);
  } else if (status == MBS_OK) {
    status =
        mbs_sundials_is_method(request->method)
            ? mbs_sundials_run(context, owned->arena, model, &asked, &owned->result)
            : (is_perturbed ? run_several : run_once)(context, owned->arena, model, &asked, values, &owned->result);
  }
  return mbs_owned_result_finish(context, status, owned, result);
}

MbsStatus mbs_run_shaken(MbsContext *context, const MbsModel *model, const MbsRequest *request, int shake,
                         MbsResult **result) {
  MbsStatus status = mbs_run_within(context, model, request, shake, result);
  if (status != MBS_OK) {
    mbs_result_destroy(*result);
    *result = NULL;
  }
  return status;
}

MbsStatus mbs_equilibrium(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsResult **result) {
  MBS_CALL_BEGIN(context, "mbs_equilibrium", {"model", model}, {"request", request}, {"result", result});
  MbsRequest alone = *request;
  alone.settings.is_equilibrium = true;
  return mbs_run(context, model, &alone, result);
}

MbsStatus mbs_run(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsResult **result) {
  MBS_CALL_BEGIN(context, "mbs_run", {"model", model}, {"request", request}, {"result", result});
  *result = NULL;
  MBS_TRY(mbs_request_check(context, request));
  return mbs_run_within(context, model, request, 0, result);
}
