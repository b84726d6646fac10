// Steps as a function, of the public header: one session that keeps what a way back needs, and, once somebody asks for
// directions, sessions with columns. Double only.
//
// Directions of the state and of inputs need one column, that of a parameter that nothing depends on. What the state at
// the end receives stands in for an objective without a value. Both are added to a copy of the model.
#include <math.h>
#include <mbsens/step.h>
#include <string.h>

#include "sensitivities/request.h"
#include "sensitivities/selection.h"
#include "sensitivities/session.h"
#include "sensitivities/step_map.h"

struct MbsStepMap {
  MbsArena *arena;
  const MbsModel *model;     // as it is asked for
  const MbsModel *extended;  // with a parameter and an objective more, the last ones
  MbsRequest request;
  MbsSelection selection;
  double *all, *tried;  // values of all parameters and of the one more
  int *columns;         // the parameters, and the one more
  const char **output_names, **input_names;
  int n, inputs, outputs;
  MbsSession *back;                    // with an adjoint
  MbsSession *seeded, *by_parameters;  // with one column, or those of the parameters; NULL: not yet
  MbsWay way;                          // the last one, in memory of the map:
  double *q, *v, *way_inputs;
  size_t input_capacity;
  bool has_run;
  bool has_swept;  // and its trajectory may not be there any more
};

static void clear(size_t count, double *numbers) { memset(numbers, 0, count * sizeof *numbers); }

// ---- set-up ----
static MbsValue *copy_values(MbsArena *arena, int count, const MbsValue *from) {
  MbsValue *values = mbs_arena_take(arena, (size_t)count, sizeof *values);
  if (values) {
    memcpy(values, from, (size_t)count * sizeof *values);
  }
  return values;
}

// one record more in a section
static MbsStatus append(MbsContext *context, MbsArena *arena, const MbsRecord *record, MbsValue *section) {
  MbsRecord *records;
  MBS_TAKE(context, arena, records, section->count + 1);
  if (section->count > 0) {
    memcpy(records, section->records, (size_t)section->count * sizeof *records);
  }
  records[section->count++] = *record;
  section->records = records;
  section->is_given = true;
  return MBS_OK;
}

// A parameter that nothing depends on and an objective without a value, whose names no model can have.
static MbsStatus extend(MbsContext *context, MbsStepMap *map) {
  static const MbsText zero = {.text = "0"};
  MbsModel *copy;
  MbsValue *sections, *parameter, *objective;
  int fields = mbs_model_type.fields[MBS_MODEL_OBJECTIVES].record->field_count;
  MBS_TAKE(context, map->arena, copy, 1);
  MBS_TAKE(context, map->arena, parameter, 1);
  MBS_TAKE(context, map->arena, objective, fields);
  *copy = *map->model;
  sections = copy_values(map->arena, mbs_model_type.field_count, copy->root.values);
  if (!sections) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  copy->root.values = sections;
  *parameter = (MbsValue){.is_given = true, .count = 1, .texts = &zero};
  objective[MBS_OBJECTIVE_FINAL] = *parameter;
  const MbsRecord more[] = {{.name = {.text = "(direction)"}, .values = parameter},
                            {.name = {.text = "(end)"}, .values = objective}};
  MBS_TRY(append(context, map->arena, &more[0], &sections[MBS_MODEL_PARAMETERS]));
  MBS_TRY(append(context, map->arena, &more[1], &sections[MBS_MODEL_OBJECTIVES]));
  map->extended = copy;
  return MBS_OK;
}

static MbsStatus check_settings(MbsContext *context, const MbsSettings *settings) {
  const char *what = settings->is_kinematic         ? "in kinematics, where positions are prescribed"
                     : settings->step_tolerance > 0 ? "with a step tolerance, where steps find their own size"
                     : settings->accuracy > 0       ? "with an accuracy, which takes several runs"
                                                    : NULL;
  return !what ? MBS_OK
               : mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere, "steps as a function are not offered %s", what);
}

// seed objective of the extended model
static int seed_objective(const MbsStepMap *map) { return map->selection.model_objective_count; }

static MbsStatus create_session(MbsContext *context, const MbsStepMap *map, bool is_adjoint, int column_count,
                                const int *columns, MbsSession **session) {
  const MbsSelection *selection = &map->selection;
  int *objectives, count = selection->objective_count;
  MBS_TAKE(context, map->arena, objectives, count + 1);
  for (int i = 0; i < count; ++i) {
    objectives[i] = selection->objectives[i];
  }
  objectives[count] = seed_objective(map);
  const MbsTwinRequest request = {.settings = map->request.settings,
                                  .column_count = column_count,
                                  .columns = columns,
                                  .source = mbs_source_table(map->request.settings.derivatives),
                                  .is_adjoint = is_adjoint,
                                  .objective_count = is_adjoint ? count + 1 : count,
                                  .objectives = objectives,
                                  .memory = map->request.memory,
                                  .parameters = map->all,
                                  .perturbed = -1};
  return mbs_session_create(context, map->extended, &request, session);
}

static MbsStatus create_names(MbsContext *context, MbsStepMap *map) {
  const MbsSimulation *simulation = map->back->simulation;
  const MbsBlueprint *blueprint = simulation->system->blueprint;
  const MbsParameter *inputs = blueprint->parameters.items + blueprint->variable_first + blueprint->input_first;
  map->n = simulation->system->n;
  map->inputs = blueprint->input_count;
  map->outputs = simulation->outputs.count;
  MBS_TAKE(context, map->arena, map->output_names, map->outputs);
  MBS_TAKE(context, map->arena, map->input_names, map->inputs);
  for (int i = 0; i < map->outputs; ++i) {
    map->output_names[i] = simulation->outputs.items[i].function.name;
  }
  for (int i = 0; i < map->inputs; ++i) {
    map->input_names[i] = inputs[i].name;
  }
  return MBS_OK;
}

static MbsStatus create(MbsContext *context, MbsStepMap *map) {
  MbsSelection *selection = &map->selection;
  MbsRequest asked = map->request;
  MBS_TRY(mbs_model_ask(context, map->arena, map->model, &asked.parameter_count, &asked.parameters, &map->model));
  MBS_TRY(mbs_selection_create(context, map->arena, map->model, &asked, selection));
  MBS_TRY(extend(context, map));
  int count = selection->model_parameter_count;
  MBS_TAKE(context, map->arena, map->all, count + 1);
  MBS_TAKE(context, map->arena, map->tried, count + 1);
  for (int i = 0; i < count; ++i) {
    map->tried[i] = map->all[i] = selection->nominal[i];
  }
  // inputs have columns of their own where there is one at all
  MBS_TAKE(context, map->arena, map->columns, selection->parameter_count + 1);
  memcpy(map->columns, selection->parameters, (size_t)selection->parameter_count * sizeof *map->columns);
  map->columns[selection->parameter_count] = count;
  MBS_TRY(create_session(context, map, true, selection->parameter_count + 1, map->columns, &map->back));
  map->back->sweep->seed.objective = seed_objective(map);
  MBS_TRY(create_names(context, map));
  MBS_TAKE(context, map->arena, map->q, map->n);
  MBS_TAKE(context, map->arena, map->v, map->n);
  return MBS_OK;
}

MbsStatus mbs_step_map_create(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                              MbsStepMap **result) {
  MBS_CALL_BEGIN(context, "mbs_step_map_create", {"model", model}, {"request", request}, {"map", result});
  *result = NULL;
  MBS_TRY(mbs_request_check(context, request));
  MBS_TRY(check_settings(context, &request->settings));
  MbsArena *arena = mbs_arena_create_for(context);
  MbsStepMap *map = arena ? mbs_arena_take(arena, 1, sizeof *map) : NULL;
  if (!map) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  map->arena = arena;
  map->model = model;
  map->request = *request;
  map->request.settings.end_in_model = 0;  // the end is a number of steps
  map->request.recorder = NULL;
  MbsStatus status = mbs_call_end(context, create(context, map));
  if (status != MBS_OK) {
    mbs_step_map_destroy(map);
    return status;
  }
  *result = map;
  return MBS_OK;
}

void mbs_step_map_destroy(MbsStepMap *map) {
  if (map) {
    mbs_session_destroy(map->back);
    mbs_session_destroy(map->seeded);
    mbs_session_destroy(map->by_parameters);
    mbs_arena_destroy(map->arena);
  }
}

// ---- sizes and names ----
int mbs_step_map_coordinate_count(const MbsStepMap *map) { return map ? map->n : 0; }
int mbs_step_map_parameter_count(const MbsStepMap *map) { return map ? map->selection.parameter_count : 0; }
int mbs_step_map_input_count(const MbsStepMap *map) { return map ? map->inputs : 0; }
int mbs_step_map_output_count(const MbsStepMap *map) { return map ? map->outputs : 0; }
int mbs_step_map_objective_count(const MbsStepMap *map) { return map ? map->selection.objective_count : 0; }

const char *const *mbs_step_map_coordinate_names(const MbsStepMap *map) {
  return map ? map->back->simulation->system->coordinate_names : NULL;
}

const char *const *mbs_step_map_parameter_names(const MbsStepMap *map) {
  return map ? map->selection.parameter_names : NULL;
}

const char *const *mbs_step_map_input_names(const MbsStepMap *map) { return map ? map->input_names : NULL; }
const char *const *mbs_step_map_output_names(const MbsStepMap *map) { return map ? map->output_names : NULL; }

const char *const *mbs_step_map_objective_names(const MbsStepMap *map) {
  return map ? map->selection.objective_names : NULL;
}

const double *mbs_step_map_parameters(const MbsStepMap *map) { return map ? map->selection.parameter_values : NULL; }

// ---- the function ----
static MbsStatus check_count(MbsContext *context, const char *what, int count, int expected) {
  return count == expected
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                        "the map has %d %s, and %d numbers are given or have room", expected, what, count);
}

static MbsStatus check_finite(MbsContext *context, const char *what, size_t count, const double *numbers) {
  for (size_t i = 0; i < count && numbers; ++i) {
    if (!isfinite(numbers[i])) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "number %zu of the %s must be finite, got %g", i + 1, what,
                      numbers[i]);
    }
  }
  return MBS_OK;
}

static MbsStatus need_run(MbsContext *context, const MbsStepMap *map) {
  return map->has_run ? MBS_OK
                      : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                                 "the map has not been run since it was made or its parameters were set, or the run "
                                 "failed: call mbs_step_map_run first");
}

static void use_parameters(const MbsStepMap *map, const double *values) {
  MbsSession *const sessions[] = {map->back, map->seeded, map->by_parameters};
  for (int i = 0; i < MBS_COUNT(sessions); ++i) {
    if (sessions[i]) {
      mbs_simulation_set_parameters(sessions[i]->simulation, values);
    }
  }
}

MbsStatus mbs_step_map_set_parameters(MbsContext *context, MbsStepMap *map, int count, const double *values) {
  MBS_CALL_BEGIN(context, "mbs_step_map_set_parameters", {"map", map}, {"values", values});
  MbsSelection *selection = &map->selection;
  MBS_TRY(check_count(context, "parameters", count, selection->parameter_count));
  MBS_TRY(check_finite(context, "parameters", (size_t)count, values));
  for (int i = 0; i < count; ++i) {
    map->tried[selection->parameters[i]] = values[i];
  }
  mbs_simulation_tell(map->back->simulation, context);
  use_parameters(map, map->tried);
  size_t bytes = (size_t)(selection->model_parameter_count + 1) * sizeof *map->all;
  MbsStatus status = mbs_call_end(context, mbs_simulation_check_parameters(context, map->back->simulation));
  if (status != MBS_OK) {
    use_parameters(map, map->all);
    memcpy(map->tried, map->all, bytes);
    return status;
  }
  memcpy(map->all, map->tried, bytes);
  memcpy(selection->parameter_values, values, (size_t)count * sizeof *values);
  map->has_run = false;
  return MBS_OK;
}

static MbsStatus keep_way(MbsContext *context, MbsStepMap *map, double t, const double *position,
                          const double *velocity, int steps, const double *inputs) {
  size_t count = (size_t)steps * (size_t)map->inputs;
  if (count > map->input_capacity) {
    mbs_arena_tell(map->arena, context);
    MBS_TAKE(context, map->arena, map->way_inputs, 2 * count);
    map->input_capacity = 2 * count;
  }
  map->way = (MbsWay){.t = t, .steps = steps};
  if (position) {
    memcpy(map->q, position, (size_t)map->n * sizeof *position);
    memcpy(map->v, velocity, (size_t)map->n * sizeof *velocity);
    map->way.q = map->q;
    map->way.v = map->v;
  }
  if (inputs && count > 0) {
    memcpy(map->way_inputs, inputs, count * sizeof *inputs);
    map->way.inputs = map->way_inputs;
  }
  return MBS_OK;
}

MbsStatus mbs_step_map_run(MbsContext *context, MbsStepMap *map, double t, int count, const double *position,
                           const double *velocity, int steps, const double *inputs) {
  MBS_CALL_BEGIN(context, "mbs_step_map_run", {"map", map});
  if (!position != !velocity) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "positions and velocities are given together, or neither for the start of the model");
  }
  if (position) {
    MBS_TRY(check_count(context, "coordinates", count, map->n));
    MBS_TRY(check_finite(context, "positions", (size_t)count, position));
    MBS_TRY(check_finite(context, "velocities", (size_t)count, velocity));
    MBS_TRY(check_finite(context, "time", 1, &t));
  }
  if (steps < 1) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "at least one step must be made, got %d", steps);
  }
  MBS_TRY(check_finite(context, "inputs", (size_t)steps * (size_t)map->inputs, inputs));
  map->has_run = map->has_swept = false;
  MBS_TRY(keep_way(context, map, t, position, velocity, steps, inputs));
  MBS_TRY(mbs_call_end(context, mbs_way_walk(context, map->back, &map->way, NULL, -1)));
  map->has_run = true;
  return MBS_OK;
}

MbsStatus mbs_step_map_state(MbsContext *context, const MbsStepMap *map, double *t, int count, double *position,
                             double *velocity, double *acceleration) {
  MBS_CALL_BEGIN(context, "mbs_step_map_state", {"map", map});
  MBS_TRY(need_run(context, map));
  MBS_TRY(check_count(context, "coordinates", count, map->n));
  const MbsState *state = &map->back->simulation->state;
  double *const to[] = {position, velocity, acceleration};
  const double *const from[] = {state->q, state->v, state->a};
  for (int level = 0; level < MBS_COUNT(to); ++level) {
    if (to[level]) {
      memcpy(to[level], from[level], (size_t)count * sizeof *from[level]);
    }
  }
  if (t) {
    *t = state->t;
  }
  return MBS_OK;
}

MbsStatus mbs_step_map_outputs(MbsContext *context, MbsStepMap *map, int count, double *values) {
  MBS_CALL_BEGIN(context, "mbs_step_map_outputs", {"map", map}, {"values", values});
  MbsSimulation *simulation = map->back->simulation;
  MBS_TRY(need_run(context, map));
  MBS_TRY(check_count(context, "outputs", count, map->outputs));
  mbs_outputs_evaluate(simulation, NULL);
  memcpy(values, simulation->outputs.value, (size_t)count * sizeof *values);
  return check_finite(context, "outputs, which", (size_t)count, values);
}

MbsStatus mbs_step_map_values(MbsContext *context, MbsStepMap *map, int count, double *values) {
  MBS_CALL_BEGIN(context, "mbs_step_map_values", {"map", map}, {"values", values});
  MBS_TRY(need_run(context, map));
  MBS_TRY(check_count(context, "objectives", count, map->selection.objective_count));
  MBS_TRY(mbs_session_check_objectives(context, map->back));
  for (int i = 0; i < count; ++i) {
    values[i] = map->back->simulation->objectives.value[map->selection.objectives[i]];
  }
  return MBS_OK;
}

// ---- its derivative ----
// Adds to the results what column k of a session that walked the way says, times a number.
static void add_column(MbsSession *session, const MbsStepMap *map, int k, double scale, const MbsStepResults *change) {
  MbsSimulation *simulation = session->simulation;
  const MbsSystem *system = simulation->system;
  const double *const columns[] = {simulation->columns.X, simulation->columns.V, simulation->columns.A};
  double *const to[] = {change->position, change->velocity, change->acceleration};
  for (int level = 0; level < MBS_COUNT(to); ++level) {
    for (int i = 0; i < map->n && to[level]; ++i) {
      to[level][i] += scale * columns[level][k * system->nq + i];
    }
  }
  for (int i = 0; i < map->outputs && change->outputs; ++i) {
    change->outputs[i] += scale * simulation->outputs.slope[i * system->asked_count + k];
  }
  for (int i = 0; i < map->selection.objective_count && change->objectives; ++i) {
    const MbsObjectives *objectives = &simulation->objectives;
    change->objectives[i] += scale * objectives->gradient[map->selection.objectives[i] * objectives->stride + k];
  }
}

static MbsStatus walk(MbsContext *context, const MbsStepMap *map, MbsSession *session, const MbsWay *direction,
                      int seed, bool with_outputs) {
  MBS_TRY(mbs_way_walk(context, session, &map->way, direction, seed));
  if (with_outputs) {
    mbs_outputs_evaluate(session->simulation, NULL);
  }
  return MBS_OK;
}

static MbsStatus push(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                      const MbsStepResults *change) {
  const MbsSelection *selection = &map->selection;
  bool has_state =
      (map->way.q && (direction->position || direction->velocity)) || (map->way.inputs && direction->inputs);
  if (has_state) {
    const MbsWay along = {.q = map->way.q ? direction->position : NULL,
                          .v = map->way.q ? direction->velocity : NULL,
                          .inputs = map->way.inputs ? direction->inputs : NULL};
    if (!map->seeded) {
      MBS_TRY(create_session(context, map, false, 1, map->columns + selection->parameter_count, &map->seeded));
    }
    MBS_TRY(walk(context, map, map->seeded, &along, 0, change->outputs));
    add_column(map->seeded, map, 0, 1, change);
  }
  if (direction->parameters && selection->parameter_count > 0) {
    if (!map->by_parameters) {
      MBS_TRY(
          create_session(context, map, false, selection->parameter_count, selection->parameters, &map->by_parameters));
    }
    MBS_TRY(walk(context, map, map->by_parameters, NULL, -1, change->outputs));
    for (int k = 0; k < selection->parameter_count; ++k) {
      add_column(map->by_parameters, map, k, direction->parameters[k], change);
    }
  }
  return MBS_OK;
}

static void clear_results(const MbsStepMap *map, const MbsStepResults *results) {
  double *const all[] = {results->position, results->velocity, results->acceleration, results->outputs,
                         results->objectives};
  const int counts[] = {map->n, map->n, map->n, map->outputs, map->selection.objective_count};
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    if (all[i]) {
      clear((size_t)counts[i], all[i]);
    }
  }
}

MbsStatus mbs_step_map_jvp(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                           const MbsStepResults *change) {
  MBS_CALL_BEGIN(context, "mbs_step_map_jvp", {"map", map}, {"direction", direction}, {"change", change});
  size_t inputs = map->way.inputs ? (size_t)map->way.steps * (size_t)map->inputs : 0;
  MBS_TRY(need_run(context, map));
  MBS_TRY(check_finite(context, "direction's positions", (size_t)map->n, direction->position));
  MBS_TRY(check_finite(context, "direction's velocities", (size_t)map->n, direction->velocity));
  MBS_TRY(check_finite(context, "direction's inputs", inputs, direction->inputs));
  MBS_TRY(
      check_finite(context, "direction's parameters", (size_t)map->selection.parameter_count, direction->parameters));
  clear_results(map, change);
  mbs_arena_tell(map->arena, context);
  return mbs_call_end(context, push(context, map, direction, change));
}

// what one objective of the sweep gives, times a number
static void add_received(const MbsStepMap *map, int objective, double scale, const MbsStepArguments *received) {
  const MbsSimulation *simulation = map->back->simulation;
  const MbsSweep *sweep = map->back->sweep;
  const MbsObjectives *objectives = &simulation->objectives;
  size_t n = (size_t)map->n, inputs = (size_t)simulation->events.setting_count * (size_t)map->inputs,
         o = (size_t)objective;
  for (size_t i = 0; i < n && map->way.q; ++i) {
    if (received->position) {
      received->position[i] += scale * sweep->at_start[2 * n * o + i];
    }
    if (received->velocity) {
      received->velocity[i] += scale * sweep->at_start[2 * n * o + n + i];
    }
  }
  for (size_t i = 0; i < inputs && received->inputs && map->way.inputs; ++i) {
    received->inputs[i] += scale * sweep->of_settings[o * inputs + i];
  }
  for (int k = 0; k < map->selection.parameter_count && received->parameters; ++k) {
    received->parameters[k] += scale * objectives->gradient[objective * objectives->stride + k];
  }
}

static MbsStatus pull(MbsContext *context, MbsStepMap *map, const MbsStepResults *bar,
                      const MbsStepArguments *received) {
  MbsSession *session = map->back;
  MbsSweepSeed *seed = &session->sweep->seed;
  bool is_lost = map->has_swept && session->sweep->trajectory->first_row > 1;
  if (is_lost) {  // the way back has used up what it was to be walked again from
    MBS_TRY(mbs_way_walk(context, session, &map->way, NULL, -1));
  }
  if (bar->objectives) {
    MBS_TRY(mbs_session_check_objectives(context, session));
  }
  seed->q = bar->position;
  seed->v = bar->velocity;
  seed->a = bar->acceleration;
  seed->outputs = bar->outputs;
  mbs_sweep_begin(session->sweep);
  MbsStatus status = mbs_session_sweep(context, session);
  *seed = (MbsSweepSeed){.objective = seed->objective};
  map->has_swept = true;
  MBS_TRY(status);
  add_received(map, seed->objective, 1, received);
  for (int i = 0; i < map->selection.objective_count && bar->objectives; ++i) {
    add_received(map, map->selection.objectives[i], bar->objectives[i], received);
  }
  return MBS_OK;
}

MbsStatus mbs_step_map_vjp(MbsContext *context, MbsStepMap *map, const MbsStepResults *bar,
                           const MbsStepArguments *received) {
  MBS_CALL_BEGIN(context, "mbs_step_map_vjp", {"map", map}, {"bar", bar}, {"received", received});
  size_t n = (size_t)map->n, inputs = (size_t)map->way.steps * (size_t)map->inputs;
  MBS_TRY(need_run(context, map));
  MBS_TRY(check_finite(context, "positions' bar", n, bar->position));
  MBS_TRY(check_finite(context, "velocities' bar", n, bar->velocity));
  MBS_TRY(check_finite(context, "accelerations' bar", n, bar->acceleration));
  MBS_TRY(check_finite(context, "outputs' bar", (size_t)map->outputs, bar->outputs));
  MBS_TRY(check_finite(context, "objectives' bar", (size_t)map->selection.objective_count, bar->objectives));
  double *const all[] = {received->position, received->velocity, received->inputs, received->parameters};
  const size_t counts[] = {n, n, inputs, (size_t)map->selection.parameter_count};
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    if (all[i]) {
      clear(counts[i], all[i]);
    }
  }
  mbs_simulation_tell(map->back->simulation, context);
  MbsStatus status = mbs_call_end(context, pull(context, map, bar, received));
  map->has_run = status == MBS_OK;
  return status;
}
