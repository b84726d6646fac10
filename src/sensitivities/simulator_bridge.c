// The simulator of the public header: a session with its numbers by name and by order, and a memory of what may come
// next. Double only.
#include "sensitivities/simulator.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "model/trim.h"
#include "sensitivities/eigenvalue_objectives.h"
#include "sensitivities/owned_result.h"
#include "sensitivities/request.h"
#include "sensitivities/session.h"
#include "sensitivities/shaken_run.h"

typedef enum Stage {
  IDLE,      // nothing has been started, or it failed
  CUT,       // it failed on the way: there is something to show, but no step may follow
  STEPPING,  // started; a step may follow
  DONE       // an adjoint has come back
} Stage;

struct MbsSaved {
  const MbsSimulator *owner;
  long run;
  MbsCheckpoint checkpoint;
};

struct MbsSimulator {
  MbsArena *arena;
  const MbsModel *model;
  MbsRequest request;  // as asked; its names and its recorder may be gone
  MbsMethod method;
  MbsSelection selection;
  double *all, *tried;  // values of all parameters; those to come
  double *values;       // of the chosen objectives
  double *gradient;     // of those by the chosen parameters
  const char **output_names, **input_names;
  double *input_gradient;  // of the chosen objectives by inputs, each time that they were set
  size_t input_capacity;
  bool has_gradient;
  MbsEigenObjectives eigen;
  MbsSession *session;
  MbsArena *path_arena;  // of the path that is kept; NULL: none is
  MbsPath path;
  Stage stage;
  long run;  // counts starts and changes of parameters: what was saved in another is of no use
};

// ---- set-up ----
static bool is_offered(MbsMethod method) {
  return method == MBS_METHOD_NONE || method == MBS_METHOD_DIRECT || method == MBS_METHOD_ADJOINT ||
         method == MBS_METHOD_ADJOINT_CONTINUOUS;
}

static MbsStatus create(MbsContext *context, const MbsRequest *request, const double *values, MbsSimulator *simulator) {
  MbsSelection *selection = &simulator->selection;
  const MbsModel *model = simulator->model;
  MBS_TRY(mbs_selection_create(context, simulator->arena, model, request, selection));
  MBS_TRY(mbs_selection_check(context, model, request, selection));
  bool with_columns = request->method != MBS_METHOD_NONE;
  int columns = with_columns ? selection->parameter_count : 0;
  MBS_TAKE(context, simulator->arena, simulator->all, selection->model_parameter_count);
  MBS_TAKE(context, simulator->arena, simulator->tried, selection->model_parameter_count);
  MBS_TAKE(context, simulator->arena, simulator->values, selection->objective_count);
  MBS_TAKE(context, simulator->arena, simulator->gradient, selection->objective_count * columns);
  for (int i = 0; i < selection->model_parameter_count; ++i) {
    simulator->tried[i] = simulator->all[i] = values ? values[i] : selection->nominal[i];
  }
  const MbsTwinRequest twin = {
      .settings = request->settings,
      .column_count = columns,
      .columns = selection->parameters,
      .source = with_columns ? mbs_source_table(request->settings.derivatives) : NULL,
      .is_adjoint = request->method == MBS_METHOD_ADJOINT || request->method == MBS_METHOD_ADJOINT_CONTINUOUS,
      .is_continuous = request->method == MBS_METHOD_ADJOINT_CONTINUOUS,
      .objective_count = selection->objective_count,
      .objectives = selection->objectives,
      .memory = request->memory,
      .parameters = simulator->all,
      .perturbed = -1,
      .recorder = request->recorder,
      .with_reactions = !with_columns || request->settings.is_equilibrium};
  MBS_TRY(mbs_session_create(context, model, &twin, &simulator->session));
  MBS_TRY(mbs_eigen_create(context, simulator->arena, model, &request->settings, selection->objective_count,
                           selection->objectives, &simulator->eigen));
  const MbsOutputs *outputs = &simulator->session->simulation->outputs;
  MBS_TAKE(context, simulator->arena, simulator->output_names, outputs->count);
  for (int i = 0; i < outputs->count; ++i) {
    simulator->output_names[i] = outputs->items[i].function.name;
  }
  const MbsBlueprint *blueprint = simulator->session->simulation->system->blueprint;
  const MbsParameter *inputs = blueprint->parameters.items + blueprint->variable_first + blueprint->input_first;
  MBS_TAKE(context, simulator->arena, simulator->input_names, blueprint->input_count);
  for (int i = 0; i < blueprint->input_count; ++i) {
    simulator->input_names[i] = inputs[i].name;
  }
  return MBS_OK;
}

MbsStatus mbs_simulator_create_with(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                    const double *values, MbsSimulator **result) {
  MbsArena *arena = mbs_arena_create_for(context);
  MbsSimulator *simulator = arena ? mbs_arena_take(arena, 1, sizeof *simulator) : NULL;
  if (!simulator) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  simulator->arena = arena;
  simulator->request = *request;
  simulator->method = request->method;
  MbsRequest asked = *request;
  MbsStatus status = mbs_model_ask(context, arena, model, &asked.parameter_count, &asked.parameters, &simulator->model);
  if (status == MBS_OK && request->settings.is_equilibrium) {
    status = mbs_trim_add_objectives(context, arena, simulator->model, &simulator->model);
  }
  if (status == MBS_OK) {
    status = create(context, &asked, values, simulator);
  }
  if (status != MBS_OK) {
    mbs_simulator_destroy(simulator);
    return status;
  }
  *result = simulator;
  return MBS_OK;
}

MbsStatus mbs_simulator_create(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                               MbsSimulator **simulator) {
  MBS_CALL_BEGIN(context, "mbs_simulator_create", {"model", model}, {"request", request}, {"simulator", simulator});
  *simulator = NULL;
  MBS_TRY(mbs_request_check(context, request));
  if (!is_offered(request->method)) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "a simulator is not offered with method %s: use mbs_run, or method direct or adjoint",
                    request->method == MBS_METHOD_COMPLEX_STEP ? "complex-step, which takes several runs"
                    : request->method == MBS_METHOD_FINITE_DIFFERENCE
                        ? "finite-difference, which takes several runs"
                        : "cvodes or idas, which have steps of their own");
  }
  if (request->settings.accuracy > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "a simulator is not offered with an accuracy, which takes several runs: use mbs_run, or set it to "
                    "0");
  }
  if (request->settings.is_column_controlled &&
      (request->method == MBS_METHOD_ADJOINT || request->method == MBS_METHOD_ADJOINT_CONTINUOUS)) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "error_control sensitivities is not offered by a simulator with an adjoint, which knows no "
                    "sensitivities on the way: use mbs_run, which finds the steps by the direct method before, or "
                    "method direct");
  }
  MbsStatus status = mbs_call_end(context, mbs_simulator_create_with(context, model, request, NULL, simulator));
  if (status != MBS_OK) {
    mbs_simulator_destroy(*simulator);
    *simulator = NULL;
  }
  return status;
}

void mbs_simulator_destroy(MbsSimulator *simulator) {
  if (simulator) {
    mbs_session_destroy(simulator->session);
    mbs_arena_destroy(simulator->path_arena);
    mbs_arena_destroy(simulator->arena);
  }
}

// ---- numbers in ----
int mbs_simulator_parameter_count(const MbsSimulator *simulator) {
  return simulator ? simulator->selection.parameter_count : 0;
}

const char *const *mbs_simulator_parameter_names(const MbsSimulator *simulator) {
  return simulator ? simulator->selection.parameter_names : NULL;
}

const double *mbs_simulator_parameters(const MbsSimulator *simulator) {
  return simulator ? simulator->selection.parameter_values : NULL;
}

static MbsStatus check_number(MbsContext *context, const char *what, const char *name, double value) {
  return isfinite(value) ? MBS_OK
                         : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s \"%s\" must be a finite number, got %g",
                                    what, name, value);
}

static MbsStatus check_size(MbsContext *context, const char *what, int count, int expected) {
  return count == expected ? MBS_OK
                           : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                                      "the simulator has %d %s, and %d numbers are given", expected, what, count);
}

// The values that are tried, or all as before. What was started goes on no more.
static MbsStatus use_parameters(MbsContext *context, MbsSimulator *simulator) {
  MbsSelection *selection = &simulator->selection;
  MbsSimulation *simulation = simulator->session->simulation;
  size_t bytes = (size_t)selection->model_parameter_count * sizeof(double);
  mbs_simulation_tell(simulation, context);
  mbs_simulation_set_parameters(simulation, simulator->tried);
  MbsStatus status = mbs_simulation_check_parameters(context, simulation);
  if (status != MBS_OK) {
    mbs_simulation_set_parameters(simulation, simulator->all);
    memcpy(simulator->tried, simulator->all, bytes);
    return status;
  }
  memcpy(simulator->all, simulator->tried, bytes);
  for (int i = 0; i < selection->parameter_count; ++i) {
    selection->parameter_values[i] = simulator->all[selection->parameters[i]];
  }
  simulator->stage = IDLE;
  simulator->has_gradient = false;
  simulator->run += 1;
  return MBS_OK;
}

MbsStatus mbs_simulator_set_parameters(MbsContext *context, MbsSimulator *simulator, int count, const double *values) {
  MBS_CALL_BEGIN(context, "mbs_simulator_set_parameters", {"simulator", simulator}, {"values", values});
  const MbsSelection *selection = &simulator->selection;
  MBS_TRY(check_size(context, "parameters", count, selection->parameter_count));
  for (int i = 0; i < count; ++i) {
    MBS_TRY(check_number(context, "parameter", selection->parameter_names[i], values[i]));
  }
  for (int i = 0; i < count; ++i) {
    simulator->tried[selection->parameters[i]] = values[i];
  }
  return mbs_call_end(context, use_parameters(context, simulator));
}

MbsStatus mbs_simulator_shake(MbsContext *context, MbsSimulator *simulator, int shake) {
  const MbsSelection *selection = &simulator->selection;
  mbs_shake(shake, selection->model_parameter_count, selection->nominal, simulator->tried);
  return use_parameters(context, simulator);
}

static MbsStatus try_parameter(MbsContext *context, MbsSimulator *simulator, const char *name, double value) {
  const MbsBlueprint *blueprint = simulator->session->simulation->system->blueprint;
  const char *nearest = NULL;
  int found = -1;
  MBS_TRY(check_number(context, "parameter", name, value));
  for (int i = 0; i < blueprint->clock; ++i) {
    found = strcmp(blueprint->parameters.items[i].name, name) == 0 ? i : found;
    mbs_name_nearest(name, blueprint->parameters.items[i].name, &nearest);
  }
  if (found < 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no parameter \"%s\" in %s%s%s%s", name,
                    simulator->model->file, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                    nearest ? "\"?" : "");
  }
  if (blueprint->parameters.items[found].is_derived) {
    return mbs_fail(context, MBS_ERROR_INPUT, blueprint->parameters.items[found].text.place,
                    "parameter \"%s\" is an expression of others, \"%s\": set those", name,
                    blueprint->parameters.items[found].text.text);
  }
  simulator->tried[found] = value;
  return MBS_OK;
}

MbsStatus mbs_simulator_set_named(MbsContext *context, MbsSimulator *simulator, int count, const char *const *names,
                                  const double *values) {
  size_t bytes = (size_t)simulator->selection.model_parameter_count * sizeof(double);
  for (int i = 0; i < count; ++i) {
    MbsStatus status = try_parameter(context, simulator, names[i], values[i]);
    if (status != MBS_OK) {
      memcpy(simulator->tried, simulator->all, bytes);
      return status;
    }
  }
  return use_parameters(context, simulator);
}

MbsStatus mbs_simulator_set_parameter(MbsContext *context, MbsSimulator *simulator, const char *name, double value) {
  MBS_CALL_BEGIN(context, "mbs_simulator_set_parameter", {"simulator", simulator}, {"name", name});
  return mbs_call_end(context, mbs_simulator_set_named(context, simulator, 1, &name, &value));
}

void mbs_simulator_renew(MbsSimulator *simulator) {
  if (simulator) {
    simulator->session->simulation->is_new = true;
  }
}

// ---- runs and steps ----
static MbsStatus fail(MbsSimulator *simulator, MbsStatus status) {
  simulator->stage = status == MBS_OK ? simulator->stage : simulator->session->is_cut_short ? CUT : IDLE;
  return status;
}

// values, and the gradient where there is one, of the chosen objectives
static void keep(MbsSimulator *simulator) {
  const MbsObjectives *objectives = &simulator->session->simulation->objectives;
  const MbsSelection *selection = &simulator->selection;
  int columns = simulator->method == MBS_METHOD_NONE ? 0 : selection->parameter_count;
  for (int i = 0; i < selection->objective_count; ++i) {
    int o = selection->objectives[i];
    simulator->values[i] = objectives->value[o];
    for (int k = 0; k < columns; ++k) {
      simulator->gradient[i * columns + k] = objectives->gradient[o * objectives->stride + k];
    }
  }
  simulator->has_gradient = columns > 0;
}

// what the run does not know
static MbsStatus fill_eigenvalues(MbsContext *context, MbsSimulator *simulator) {
  MBS_TRY(mbs_eigen_values(context, &simulator->eigen, simulator->all, simulator->values));
  return simulator->has_gradient
             ? mbs_eigen_gradient(context, &simulator->eigen, simulator->all, simulator->selection.parameter_count,
                                  simulator->selection.parameters, simulator->gradient)
             : MBS_OK;
}

static bool is_adjoint(const MbsSimulator *simulator) { return simulator->session->sweep != NULL; }

static size_t setting_size(const MbsSimulator *simulator) {
  return (size_t)mbs_simulator_setting_count(simulator) * (size_t)mbs_simulator_input_count(simulator);
}

static MbsStatus keep_inputs(MbsContext *context, MbsSimulator *simulator) {
  const MbsSelection *selection = &simulator->selection;
  size_t size = setting_size(simulator), count = size * (size_t)selection->objective_count;
  if (count > simulator->input_capacity) {
    MBS_TAKE(context, simulator->arena, simulator->input_gradient, 2 * count);
    simulator->input_capacity = 2 * count;
  }
  for (size_t i = 0; i < count; ++i) {
    size_t o = (size_t)selection->objectives[i / size];
    simulator->input_gradient[i] = simulator->session->sweep->of_settings[o * size + i % size];
  }
  return MBS_OK;
}

MbsStatus mbs_simulator_run_all(MbsContext *context, MbsSimulator *simulator) {
  simulator->run += 1;
  simulator->stage = IDLE;
  simulator->has_gradient = false;
  MBS_TRY(mbs_session_run(context, simulator->session));
  keep(simulator);
  MBS_TRY(fill_eigenvalues(context, simulator));
  simulator->stage = is_adjoint(simulator) ? DONE : STEPPING;
  return MBS_OK;
}

MbsStatus mbs_simulator_run(MbsContext *context, MbsSimulator *simulator) {
  MBS_CALL_BEGIN(context, "mbs_simulator_run", {"simulator", simulator});
  return fail(simulator, mbs_call_end(context, mbs_simulator_run_all(context, simulator)));
}

// The present path is followed by runs to come, in place of the one before. On failure all is as it was.
static MbsStatus keep_path(MbsContext *context, MbsSimulator *simulator) {
  MbsArena *arena = mbs_arena_create_for(context), *old = simulator->path_arena;
  MbsPath path;
  MbsStatus status = arena ? mbs_session_path(context, arena, simulator->session, &path)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  simulator->path_arena = arena;
  simulator->path = path;
  mbs_arena_destroy(old);
  return mbs_session_follow(context, simulator->session, &simulator->path);
}

MbsStatus mbs_simulator_keep_path(MbsContext *context, MbsSimulator *simulator, bool is_kept) {
  MBS_CALL_BEGIN(context, "mbs_simulator_keep_path", {"simulator", simulator});
  const MbsSimulation *simulation = simulator->session->simulation;
  if (is_kept && simulator->session->sweep && simulator->session->sweep->continuous) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "a path is not kept with method adjoint-continuous, whose steps are all of one size");
  }
  if (is_kept && simulation->events.setting_count > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "a path with inputs that were set on the way cannot be kept");
  }
  if (is_kept && !(simulator->stage == DONE || (simulator->stage == STEPPING && mbs_simulation_is_over(simulation)))) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "there is no run whose path could be kept: call mbs_simulator_run first");
  }
  MbsStatus status = is_kept ? keep_path(context, simulator) : mbs_session_follow(context, simulator->session, NULL);
  if (!is_kept) {
    mbs_arena_destroy(simulator->path_arena);
    simulator->path_arena = NULL;
    simulator->stage = IDLE;
  }
  simulator->run += 1;
  return mbs_call_end(context, status);
}

MbsStatus mbs_simulator_start(MbsContext *context, MbsSimulator *simulator) {
  MBS_CALL_BEGIN(context, "mbs_simulator_start", {"simulator", simulator});
  simulator->run += 1;
  simulator->stage = STEPPING;
  simulator->has_gradient = false;
  return fail(simulator, mbs_call_end(context, mbs_session_start(context, simulator->session)));
}

// is there a state, and may steps follow?
static MbsStatus need_steps(MbsContext *context, const MbsSimulator *simulator) {
  return simulator->stage == STEPPING
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                        simulator->stage != DONE ? "the simulator has not been started, or the last call failed: call "
                                                   "mbs_simulator_start first"
                                                 : "the adjoint has come back to the start: call mbs_simulator_start");
}

MbsStatus mbs_simulator_step(MbsContext *context, MbsSimulator *simulator) {
  MBS_CALL_BEGIN(context, "mbs_simulator_step", {"simulator", simulator});
  MBS_TRY(need_steps(context, simulator));
  if (mbs_simulation_is_over(simulator->session->simulation)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the run is at its end, t = %.10g",
                    simulator->session->simulation->state.t);
  }
  return fail(simulator, mbs_call_end(context, mbs_session_step(context, simulator->session)));
}

MbsStatus mbs_simulator_finish(MbsContext *context, MbsSimulator *simulator) {
  MBS_CALL_BEGIN(context, "mbs_simulator_finish", {"simulator", simulator});
  MBS_TRY(need_steps(context, simulator));
  if (is_adjoint(simulator) && simulator->session->simulation->path.step_count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no step has been made that an adjoint could go back");
  }
  MbsStatus status = fail(simulator, mbs_call_end(context, mbs_session_finish(context, simulator->session)));
  if (status == MBS_OK) {
    keep(simulator);
    MBS_TRY(fill_eigenvalues(context, simulator));
    simulator->stage = is_adjoint(simulator) ? DONE : STEPPING;
    status = is_adjoint(simulator) ? keep_inputs(context, simulator) : MBS_OK;
  }
  return status;
}

bool mbs_simulator_is_over(const MbsSimulator *simulator) {
  return !simulator || simulator->stage == DONE || mbs_simulation_is_over(simulator->session->simulation);
}

double mbs_simulator_time(const MbsSimulator *simulator) {
  return simulator ? simulator->session->simulation->state.t : (double)NAN;
}

double mbs_simulator_step_size(const MbsSimulator *simulator) {
  const MbsPath *path = simulator ? &simulator->session->simulation->path : NULL;
  return path ? mbs_path_step(path, path->step_count).h : (double)NAN;
}

// ---- inputs ----
int mbs_simulator_input_count(const MbsSimulator *simulator) {
  return simulator ? simulator->session->simulation->system->blueprint->input_count : 0;
}

const char *const *mbs_simulator_input_names(const MbsSimulator *simulator) {
  return simulator ? simulator->input_names : NULL;
}

int mbs_simulator_setting_count(const MbsSimulator *simulator) {
  return simulator ? simulator->session->simulation->events.setting_count : 0;
}

const double *mbs_simulator_input_gradient(const MbsSimulator *simulator) {
  return simulator && simulator->stage == DONE && setting_size(simulator) > 0 ? simulator->input_gradient : NULL;
}

// what is still to follow at the present time comes first
static MbsStatus set_inputs(MbsContext *context, MbsSimulator *simulator, const double *values) {
  MbsSimulation *simulation = simulator->session->simulation;
  while (simulation->events.chained > 0) {
    MBS_TRY(mbs_session_step(context, simulator->session));
  }
  MBS_TRY(mbs_events_give(context, simulation, values));
  return mbs_session_step(context, simulator->session);
}

MbsStatus mbs_simulator_set_inputs(MbsContext *context, MbsSimulator *simulator, int count, const double *values) {
  MBS_CALL_BEGIN(context, "mbs_simulator_set_inputs", {"simulator", simulator}, {"values", values});
  const MbsSimulation *simulation = simulator->session->simulation;
  MBS_TRY(need_steps(context, simulator));
  MBS_TRY(check_size(context, "inputs", count, mbs_simulator_input_count(simulator)));
  for (int i = 0; i < count; ++i) {
    MBS_TRY(check_number(context, "input", simulator->input_names[i], values[i]));
  }
  if (count == 0 || mbs_simulation_is_over(simulation)) {
    return count == 0 ? MBS_OK
                      : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the run is at its end, t = %.10g",
                                 simulation->state.t);
  }
  if (simulator->path_arena) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "inputs are not set on the way of a run whose path is kept: call mbs_simulator_keep_path with "
                    "false");
  }
  if (simulation->settings.is_kinematic) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "inputs that change on the way are not offered in kinematics, where motions are prescribed");
  }
  return fail(simulator, mbs_call_end(context, set_inputs(context, simulator, values)));
}

// ---- what came out ----
int mbs_simulator_objective_count(const MbsSimulator *simulator) {
  return simulator ? simulator->selection.objective_count : 0;
}

const char *const *mbs_simulator_objective_names(const MbsSimulator *simulator) {
  return simulator ? simulator->selection.objective_names : NULL;
}

const double *mbs_simulator_values(const MbsSimulator *simulator) { return simulator ? simulator->values : NULL; }

const double *mbs_simulator_gradient(const MbsSimulator *simulator) {
  return simulator && simulator->has_gradient ? simulator->gradient : NULL;
}

struct MbsSession *mbs_simulator_session(MbsSimulator *simulator) {
  return simulator->session;
}

bool mbs_simulator_is_cut_short(const MbsSimulator *simulator) { return simulator->session->is_cut_short; }

MbsStatus mbs_simulator_give(MbsContext *context, MbsArena *arena, MbsSimulator *simulator, MbsResult *result) {
  MBS_TRY(mbs_session_result(context, arena, simulator->session, result));
  bool has_gradient = simulator->method != MBS_METHOD_NONE && (result->is_complete || !is_adjoint(simulator));
  result->gradient = has_gradient ? result->gradient : NULL;
  for (int i = 0; i < simulator->eigen.count && result->is_complete; ++i) {
    int o = simulator->eigen.items[i].place, count = simulator->selection.parameter_count;
    ((double *)result->values)[o] = simulator->values[o];
    for (int k = 0; k < count && has_gradient; ++k) {
      ((double *)result->gradient)[o * count + k] = simulator->gradient[o * count + k];
    }
  }
  return mbs_result_describe(context, arena, simulator->model, &simulator->request, &simulator->selection, result);
}

MbsStatus mbs_simulator_result(MbsContext *context, MbsSimulator *simulator, MbsResult **result) {
  MBS_CALL_BEGIN(context, "mbs_simulator_result", {"simulator", simulator}, {"result", result});
  MbsOwnedResult *owned;
  *result = NULL;
  if (simulator->stage == IDLE) {
    return need_steps(context, simulator);
  }
  MBS_TRY(mbs_owned_result_create(context, &owned));
  MbsStatus status = mbs_simulator_give(context, owned->arena, simulator, &owned->result);
  return mbs_owned_result_finish(context, status, owned, result);
}

// ---- state in and out ----
int mbs_simulator_coordinate_count(const MbsSimulator *simulator) {
  return simulator ? simulator->session->simulation->system->n : 0;
}

const char *const *mbs_simulator_coordinate_names(const MbsSimulator *simulator) {
  return simulator ? simulator->session->simulation->system->coordinate_names : NULL;
}

MbsStatus mbs_simulator_state(MbsContext *context, const MbsSimulator *simulator, int count, double *position,
                              double *velocity, double *acceleration) {
  MBS_CALL_BEGIN(context, "mbs_simulator_state", {"simulator", simulator});
  if (simulator->stage == IDLE) {
    return need_steps(context, simulator);
  }
  const MbsState *state = &simulator->session->simulation->state;
  MBS_TRY(check_size(context, "coordinates", count, mbs_simulator_coordinate_count(simulator)));
  double *const to[] = {position, velocity, acceleration};
  const double *const from[] = {state->q, state->v, state->a};
  for (int level = 0; level < MBS_COUNT(to); ++level) {
    for (int i = 0; i < count && to[level]; ++i) {
      to[level][i] = from[level][i];
    }
  }
  return MBS_OK;
}

int mbs_simulator_output_count(const MbsSimulator *simulator) {
  return simulator ? simulator->session->simulation->outputs.count : 0;
}

const char *const *mbs_simulator_output_names(const MbsSimulator *simulator) {
  return simulator ? simulator->output_names : NULL;
}

MbsStatus mbs_simulator_outputs(MbsContext *context, MbsSimulator *simulator, int count, double *values,
                                double *slopes) {
  MBS_CALL_BEGIN(context, "mbs_simulator_outputs", {"simulator", simulator}, {"values", values});
  if (simulator->stage == IDLE) {
    return need_steps(context, simulator);
  }
  MbsSimulation *simulation = simulator->session->simulation;
  const MbsOutputs *outputs = &simulation->outputs;
  MBS_TRY(check_size(context, "outputs", count, outputs->count));
  if (slopes && !simulation->has_columns) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "derivatives of outputs are not offered without method direct: pass NULL, or create the simulator "
                    "with it");
  }
  mbs_outputs_evaluate(simulation, NULL);
  for (int i = 0; i < count; ++i) {
    values[i] = outputs->value[i];
  }
  for (int i = 0; slopes && i < count * simulation->system->asked_count; ++i) {
    slopes[i] = outputs->slope[i];
  }
  return MBS_OK;
}

MbsStatus mbs_simulator_output(MbsContext *context, MbsSimulator *simulator, const char *name, double *value) {
  MBS_CALL_BEGIN(context, "mbs_simulator_output", {"simulator", simulator}, {"name", name}, {"value", value});
  if (simulator->stage == IDLE) {
    return need_steps(context, simulator);
  }
  MbsSimulation *simulation = simulator->session->simulation;
  const char *nearest = NULL;
  for (int i = 0; i < simulation->outputs.count; ++i) {
    if (strcmp(simulator->output_names[i], name) == 0) {
      mbs_outputs_evaluate(simulation, NULL);
      *value = simulation->outputs.value[i];
      return MBS_OK;
    }
    mbs_name_nearest(name, simulator->output_names[i], &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no output \"%s\" in %s%s%s%s", name, simulator->model->file,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

MbsStatus mbs_simulator_set_state(MbsContext *context, MbsSimulator *simulator, int count, const double *position,
                                  const double *velocity, bool is_projected) {
  MBS_CALL_BEGIN(context, "mbs_simulator_set_state", {"simulator", simulator}, {"position", position},
                 {"velocity", velocity});
  MBS_TRY(need_steps(context, simulator));
  MBS_TRY(check_size(context, "coordinates", count, mbs_simulator_coordinate_count(simulator)));
  if (simulator->path_arena) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "a state of the caller's is not offered where a path is kept: call mbs_simulator_keep_path with "
                    "false");
  }
  if (simulator->method != MBS_METHOD_NONE) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "a state of the caller's is not offered where derivatives are carried along, for it has none with "
                    "respect to the parameters: create the simulator with method none");
  }
  for (int i = 0; i < count; ++i) {
    const char *name = mbs_simulator_coordinate_names(simulator)[i];
    MBS_TRY(check_number(context, "the position of", name, position[i]));
    MBS_TRY(check_number(context, "the velocity of", name, velocity[i]));
  }
  mbs_simulation_tell(simulator->session->simulation, context);
  MbsStatus status = mbs_simulation_place(context, simulator->session->simulation, position, velocity, is_projected);
  mbs_session_keep(simulator->session);
  return mbs_call_end(context, status);
}

// ---- back to where it was ----
MbsStatus mbs_simulator_save(MbsContext *context, MbsSimulator *simulator, MbsSaved **saved) {
  MBS_CALL_BEGIN(context, "mbs_simulator_save", {"simulator", simulator}, {"saved", saved});
  MBS_TRY(need_steps(context, simulator));
  if (*saved && (*saved)->owner != simulator) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "what was saved belongs to another simulator");
  }
  mbs_arena_tell(simulator->arena, context);
  mbs_simulation_tell(simulator->session->simulation, context);
  MbsSaved *place = *saved;
  if (!place) {
    MBS_TAKE(context, simulator->arena, place, 1);
    place->owner = simulator;
  }
  MBS_TRY(mbs_call_end(context, mbs_simulation_save(context, simulator->session->simulation, &place->checkpoint)));
  place->run = simulator->run;
  *saved = place;
  return MBS_OK;
}

MbsStatus mbs_simulator_restore(MbsContext *context, MbsSimulator *simulator, const MbsSaved *saved) {
  MBS_CALL_BEGIN(context, "mbs_simulator_restore", {"simulator", simulator}, {"saved", saved});
  if (saved->owner != simulator || saved->run != simulator->run || simulator->stage == DONE) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: save it anew",
                    saved->owner != simulator      ? "what was saved belongs to another simulator"
                    : saved->run != simulator->run ? "what was saved belongs to a run before this one"
                                                   : "the adjoint has come back to the start");
  }
  mbs_simulation_restore(simulator->session->simulation, &saved->checkpoint);
  if (is_adjoint(simulator)) {
    mbs_trajectory_cut(simulator->session->sweep->trajectory, saved->checkpoint.step_count);
  }
  mbs_session_keep(simulator->session);
  simulator->stage = STEPPING;
  simulator->has_gradient = false;
  return MBS_OK;
}
