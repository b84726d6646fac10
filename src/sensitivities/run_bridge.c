// mbs_run: one method, from a request to a result. Double only: it calls the complex twin.
#include <mbsens/mbsens.h>

#include <math.h>
#include <stdint.h>

#include "sensitivities/anew.h"
#include "sensitivities/request.h"
#include "sensitivities/selection.h"
#include "sensitivities/series.h"
#include "sensitivities/shaken_run.h"
#include "sensitivities/twin.h"
#include "sensitivities/warnings.h"
#include "simulation/simulation.h"

// The public result and what it stands on.
typedef struct Run {
  MbsResult result;
  MbsArena *arena;
  MbsSelection selection;
  bool *wanted;          // by objective of the model: chosen
  double *gradient;      // of the chosen objectives and parameters
  const double *shaken;  // values of all parameters; NULL: the model's own
} Run;

MbsStatus mbs_request_default(MbsContext *context, const MbsModel *model, MbsRequest *request) {
  MBS_CALL_BEGIN(context, "mbs_request_default", {"model", model}, {"request", request});
  MbsArena *arena = mbs_arena_create_for(context);
  *request = (MbsRequest){.method = MBS_METHOD_DIRECT};
  MbsStatus status = arena ? mbs_settings_read(context, arena, model, &request->settings)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(arena);
  return mbs_call_end(context, status);
}

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
static void keep_values(Run *run, const MbsTwinResult *from) {
  double *values = (double *)run->result.values;
  for (int i = 0; i < run->selection.objective_count; ++i) {
    values[i] = from->values[run->selection.objectives[i]];
  }
  run->result.settings = from->settings;
  run->result.held_count = from->held_count;
  run->result.held = from->held;
  run->result.least_determined = from->least_determined;
  run->result.final_time = from->final_time;
  run->result.point_count = from->point_count;
  run->result.points = from->points;
  run->result.coordinate_count = from->coordinate_count;
  run->result.coordinates = from->coordinates;
  run->result.multiplier_count = from->multiplier_count;
  run->result.multiplier_names = from->multiplier_names;
  run->result.multipliers = from->multipliers;
  run->result.reaction_count = from->reaction_count;
  run->result.reactions = from->reactions;
  run->result.jump_count = from->jump_count;
  run->result.jumps = from->jumps;
  run->result.kink_count = from->kink_count;
  run->result.kinks = from->kinks;
  run->result.unsmooth_count = from->unsmooth_count;
  run->result.unsmooth = from->unsmooth;
  run->result.statistics = from->statistics;
}

// the adjoint's gradient with respect to the start, of the chosen objectives
static MbsStatus keep_start(MbsContext *context, Run *run, const MbsTwinResult *from) {
  size_t size = 2 * (size_t)from->state_count;
  double *at_start;
  MBS_TAKE(context, run->arena, at_start, (size_t)run->selection.objective_count * size);
  for (int i = 0; i < run->selection.objective_count; ++i) {
    for (size_t k = 0; k < size; ++k) {
      at_start[(size_t)i * size + k] = from->at_start[(size_t)run->selection.objectives[i] * size + k];
    }
  }
  run->result.state_count = from->state_count;
  run->result.state_names = from->state_names;
  run->result.at_start = at_start;
  return MBS_OK;
}

// simulation alone, direct differentiation, or an adjoint
static MbsStatus run_direct(MbsContext *context, const MbsModel *model, const MbsRequest *request, Run *run) {
  const MbsSelection *selection = &run->selection;
  bool with_columns = request->method != MBS_METHOD_NONE;
  MbsTwinRequest twin = {
      .settings = request->settings,
      .column_count = with_columns ? selection->parameter_count : 0,
      .columns = selection->parameters,
      .source = with_columns ? mbs_source_table(request->settings.derivatives) : NULL,
      .is_adjoint = request->method == MBS_METHOD_ADJOINT || request->method == MBS_METHOD_ADJOINT_CONTINUOUS,
      .is_continuous = request->method == MBS_METHOD_ADJOINT_CONTINUOUS,
      .wanted = run->wanted,
      .memory = request->memory,
      .parameters = run->shaken,
      .perturbed = -1,
      .recorder = request->recorder,
      .with_reactions = request->method == MBS_METHOD_NONE};
  MbsTwinResult outcome;
  MBS_TRY(mbs_twin_run(context, run->arena, model, &twin, &outcome));
  keep_values(run, &outcome);
  for (int i = 0; i < selection->objective_count && with_columns; ++i) {
    for (int k = 0; k < selection->parameter_count; ++k) {
      run->gradient[i * selection->parameter_count + k] =
          outcome.gradient[selection->objectives[i] * selection->parameter_count + k];
    }
  }
  return outcome.state_count > 0 ? keep_start(context, run, &outcome) : MBS_OK;
}

// d/dp of every objective and, when series are recorded, of every row
static MbsStatus complex_column(MbsContext *context, const MbsModel *model, const MbsTwinRequest *base, int parameter,
                                Run *run, MbsSeries *series, MbsTwinResult *outcome) {
  MbsTwinRequest twin = *base;
  MbsRecorder recorder = mbs_series_recorder(series);
  twin.perturbed = parameter;
  twin.recorder = series ? &recorder : NULL;
  return mbs_complex_run(context, run->arena, model, &twin, outcome);
}

static MbsStatus difference_column(MbsContext *context, const MbsModel *model, const MbsTwinRequest *base,
                                   const MbsRequest *request, int parameter, Run *run, const MbsTwinResult *nominal,
                                   const MbsSeries *nominal_series, MbsSeries *series, MbsTwinResult *outcome) {
  double value = run->selection.nominal[parameter];
  bool is_central = request->difference == MBS_DIFFERENCE_CENTRAL;
  // balance truncation (h^2 or h) against rounding
  double relative = request->difference_step > 0 ? request->difference_step : is_central ? 6e-6 : 1.5e-8;
  double h = relative * (fabs(value) > 0 ? fabs(value) : 1);
  MbsTwinResult sides[2] = {*nominal, *nominal};  // up, down
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
    MBS_TRY(mbs_anew_run(context, run->arena, model, &twin, parameter, value + (side == 0 ? h : -h), &sides[side]));
  }
  double span = is_central ? 2 * h : h;
  *outcome = sides[0];
  MBS_TAKE(context, run->arena, outcome->values, outcome->objective_count);
  for (int i = 0; i < outcome->objective_count; ++i) {
    outcome->values[i] = (sides[0].values[i] - sides[1].values[i]) / span;
  }
  outcome->statistics.iterations = 0;
  for (int side = 0; side < 2; ++side) {
    if (sides[side].values != nominal->values) {
      outcome->statistics.iterations += sides[side].statistics.iterations;
      outcome->statistics.seconds_sensitivity += sides[side].statistics.seconds_dynamics;
    }
  }
  return series ? mbs_series_difference(context, &side_series[0], &side_series[1], span, series) : MBS_OK;
}

// a nominal run, then one or two further runs per parameter
static MbsStatus run_perturbed(MbsContext *context, const MbsModel *model, const MbsRequest *request, Run *run) {
  const MbsSelection *selection = &run->selection;
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
  MbsTwinRequest base = {
      .settings = request->settings, .wanted = run->wanted, .parameters = run->shaken, .perturbed = -1};
  MbsTwinRequest nominal_request = base;
  MbsRecorder recorder = mbs_series_recorder(series);
  nominal_request.recorder = series ? &recorder : NULL;
  MbsTwinResult nominal, outcome;
  MbsStatus status = mbs_twin_run(context, run->arena, model, &nominal_request, &nominal);
  if (status == MBS_OK) {
    keep_values(run, &nominal);
    base.settings = nominal.settings;  // the automatic penalty factor must not move with the parameters,
    base.followed = &nominal.path;     // nor what the run decides on the way
  }
  for (int k = 0; k < count && status == MBS_OK; ++k) {
    MbsSeries *own = series ? &series[1 + k] : NULL;
    if (own) {
      own->arena = run->arena;
    }
    share.run = 1 + k;
    status = is_complex ? complex_column(context, model, &base, selection->parameters[k], run, own, &outcome)
                        : difference_column(context, model, &base, request, selection->parameters[k], run, &nominal,
                                            series, own, &outcome);
    for (int i = 0; i < selection->objective_count && status == MBS_OK; ++i) {
      run->gradient[i * count + k] = outcome.values[selection->objectives[i]];
    }
    if (status == MBS_OK) {
      run->result.statistics.iterations += outcome.statistics.iterations;
      run->result.statistics.seconds_sensitivity +=
          is_complex ? outcome.statistics.seconds_dynamics : outcome.statistics.seconds_sensitivity;
    }
  }
  context->keep_going = share.keep_going;
  context->user = share.user;
  if (status == MBS_OK && series) {
    status = mbs_series_replay(context, run->arena, count, series, selection->parameter_names, request->recorder);
  }
  return status;
}

// every parameter up or down by 1e-15 of itself; which way, the bits of a generator say
static MbsStatus shake_parameters(MbsContext *context, Run *run, int shake) {
  const MbsSelection *selection = &run->selection;
  uint64_t bits = (uint64_t)shake;
  double *values;
  MBS_TAKE(context, run->arena, values, selection->model_parameter_count);
  for (int i = 0; i < selection->model_parameter_count; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    values[i] = selection->nominal[i] * (1 + (bits >> 63 ? 1e-15 : -1e-15));
  }
  run->shaken = values;
  return MBS_OK;
}

static MbsStatus prepare(MbsContext *context, const MbsModel *model, const MbsRequest *request, int shake, Run *run) {
  MbsSelection *selection = &run->selection;
  MBS_TRY(mbs_selection_create(context, run->arena, model, request, selection));
  MBS_TAKE(context, run->arena, run->wanted, selection->model_objective_count);
  for (int i = 0; i < selection->objective_count; ++i) {
    run->wanted[selection->objectives[i]] = true;
  }
  if (shake > 0) {
    MBS_TRY(shake_parameters(context, run, shake));
  }
  MbsText name = mbs_record_text(&model->root, MBS_MODEL_NAME);
  double *values;
  MBS_TAKE(context, run->arena, values, selection->objective_count);
  MBS_TAKE(context, run->arena, run->gradient, selection->objective_count * selection->parameter_count);
  run->result = (MbsResult){.model = mbs_arena_copy_text(run->arena, name.text),
                            .dimension = model->dimension,
                            .parameter_count = selection->parameter_count,
                            .parameters = selection->parameter_names,
                            .parameter_values = selection->parameter_values,
                            .objective_count = selection->objective_count,
                            .objectives = selection->objective_names,
                            .values = values,
                            .gradient = request->method == MBS_METHOD_NONE ? NULL : run->gradient};
  if (request->method != MBS_METHOD_NONE && selection->objective_count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s has no objectives to differentiate", model->file);
  }
  if (request->method != MBS_METHOD_NONE && selection->parameter_count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s has no parameters to differentiate with respect to",
                    model->file);
  }
  return MBS_OK;
}

// ---- redundancy ----
static MbsStatus start_with_columns(MbsContext *context, MbsSimulation *simulation, Run *run) {
  MBS_TRY(mbs_simulation_start(context, simulation));
  MbsOpposition worst = mbs_initial_oppose(simulation->initial, &simulation->state, &simulation->violation.jacobian,
                                           simulation->columns.X, simulation->columns.V);
  if (worst.off > 0) {
    run->result.opposed_constraint =
        mbs_arena_copy_text(run->arena, simulation->system->blueprint->rows.items[worst.constraint].name);
    run->result.opposing_parameter = run->selection.parameter_names[worst.column];
  }
  return MBS_OK;
}

// Whatever the method: at a start of its own, which takes no longer than a step or two.
static MbsStatus look_at_redundancy(MbsContext *context, const MbsModel *model, Run *run) {
  MbsSimulation *simulation;
  if (!run->result.gradient || run->result.statistics.redundant == 0) {
    return MBS_OK;
  }
  MBS_TRY(mbs_simulation_create(context, model, &run->result.settings, run->selection.parameter_count,
                                run->selection.parameters, run->shaken, &simulation));
  MbsStatus status = start_with_columns(context, simulation, run);
  mbs_simulation_destroy(simulation);
  return status;
}

MbsStatus mbs_run_shaken(MbsContext *context, const MbsModel *model, const MbsRequest *request, int shake,
                         MbsResult **result) {
  MbsArena *arena = mbs_arena_create_for(context);
  Run *run = arena ? mbs_arena_take(arena, 1, sizeof *run) : NULL;
  *result = NULL;
  if (!run) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  run->arena = arena;
  MbsStatus status = prepare(context, model, request, shake, run);
  if (status == MBS_OK) {
    bool is_perturbed = request->method == MBS_METHOD_COMPLEX_STEP || request->method == MBS_METHOD_FINITE_DIFFERENCE;
    status = (is_perturbed ? run_perturbed : run_direct)(context, model, request, run);
  }
  if (status == MBS_OK) {
    status = look_at_redundancy(context, model, run);
  }
  if (status == MBS_OK) {
    status = mbs_warnings_collect(context, arena, &run->result);
  }
  status = mbs_call_end(context, status);
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  *result = &run->result;
  return MBS_OK;
}

MbsStatus mbs_run(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsResult **result) {
  MBS_CALL_BEGIN(context, "mbs_run", {"model", model}, {"request", request}, {"result", result});
  *result = NULL;
  MBS_TRY(mbs_request_check(context, request));
  return mbs_run_shaken(context, model, request, 0, result);
}

void mbs_result_destroy(MbsResult *result) {
  if (result) {
    mbs_arena_destroy(((Run *)(void *)result)->arena);  // the result is the first member of its run
  }
}
