// Steps as a function, of the public header: one session that keeps what a way back needs, and, once somebody asks for
// directions, sessions with columns. Double only.
//
// Directions of the state and of inputs need one column, that of a parameter that nothing depends on. What the state at
// the end receives stands in for an objective without a value. Both are added to a copy of the model.
#include <math.h>
#include <string.h>

#include "sensitivities/request.h"
#include "sensitivities/step_storage.h"

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
  MBS_TAKE(context, map->arena, parameter, MBS_PARAMETER_FIELD_COUNT);
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

MbsStatus mbs_step_map_create_session(MbsContext *context, const MbsStepMap *map, bool is_adjoint, int column_count,
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
  MBS_TRY(mbs_step_map_create_session(context, map, true, selection->parameter_count + 1, map->columns, &map->back));
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
MbsStatus mbs_step_map_check_count(MbsContext *context, const char *what, int count, int expected) {
  return count == expected
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                        "the map has %d %s, and %d numbers are given or have room", expected, what, count);
}

MbsStatus mbs_step_map_check_finite(MbsContext *context, const char *what, size_t count, const double *numbers) {
  for (size_t i = 0; i < count && numbers; ++i) {
    if (!isfinite(numbers[i])) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "number %zu of the %s must be finite, got %g", i + 1, what,
                      numbers[i]);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_step_map_need_run(MbsContext *context, const MbsStepMap *map) {
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
  MBS_TRY(mbs_step_map_check_count(context, "parameters", count, selection->parameter_count));
  MBS_TRY(mbs_step_map_check_finite(context, "parameters", (size_t)count, values));
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
  if (steps >= map->row_capacity) {
    mbs_arena_tell(map->arena, context);
    MBS_TAKE(context, map->arena, map->row_steps, 2 * (size_t)steps + 1);
    map->row_capacity = 2 * (long)steps + 1;
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

// ---- the way ----
typedef struct Rows {
  MbsStepMap *map;
  double *times;               // NULL: not wanted
  const MbsStepResults *rows;  // NULL: none are
} Rows;

static void put_row(double *rows, long row, int count, const double *values) {
  if (rows) {
    memcpy(rows + row * count, values, (size_t)count * sizeof *values);
  }
}

static void take_row(void *user, MbsSession *session, long row) {
  const Rows *to = user;
  const MbsStepMap *map = to->map;
  MbsSimulation *simulation = session->simulation;
  const MbsState *state = &simulation->state;
  map->row_steps[row] = simulation->path.step_count;
  if (to->times) {
    to->times[row] = state->t;
  }
  if (!to->rows) {
    return;
  }
  put_row(to->rows->position, row, map->n, state->q);
  put_row(to->rows->velocity, row, map->n, state->v);
  put_row(to->rows->acceleration, row, map->n, state->a);
  if (to->rows->outputs && map->outputs > 0) {
    mbs_outputs_evaluate(simulation, NULL);
    put_row(to->rows->outputs, row, map->outputs, simulation->outputs.value);
  }
}

MbsStatus mbs_step_map_walk_back(MbsContext *context, MbsStepMap *map, double *times, const MbsStepResults *rows) {
  Rows to = {.map = map, .times = times, .rows = rows};
  return mbs_way_walk(context, map->back, &map->way, NULL, -1, (MbsWayRows){.take = take_row, .user = &to});
}

static MbsStatus check_way(MbsContext *context, const MbsStepMap *map, double t, int count, const double *position,
                           const double *velocity, int steps, const double *inputs) {
  if (!position != !velocity) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "positions and velocities are given together, or neither for the start of the model");
  }
  if (position) {
    MBS_TRY(mbs_step_map_check_count(context, "coordinates", count, map->n));
    MBS_TRY(mbs_step_map_check_finite(context, "positions", (size_t)count, position));
    MBS_TRY(mbs_step_map_check_finite(context, "velocities", (size_t)count, velocity));
    MBS_TRY(mbs_step_map_check_finite(context, "time", 1, &t));
  }
  if (steps < 1) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "at least one step must be made, got %d", steps);
  }
  return mbs_step_map_check_finite(context, "inputs", (size_t)steps * (size_t)map->inputs, inputs);
}

MbsStatus mbs_step_map_run(MbsContext *context, MbsStepMap *map, double t, int count, const double *position,
                           const double *velocity, int steps, const double *inputs) {
  MBS_CALL_BEGIN(context, "mbs_step_map_run", {"map", map});
  MBS_TRY(check_way(context, map, t, count, position, velocity, steps, inputs));
  map->has_run = map->has_swept = false;
  MBS_TRY(keep_way(context, map, t, position, velocity, steps, inputs));
  MBS_TRY(mbs_call_end(context, mbs_step_map_walk_back(context, map, NULL, NULL)));
  map->has_run = true;
  return MBS_OK;
}

MbsStatus mbs_step_map_trajectory(MbsContext *context, MbsStepMap *map, double t, int count, const double *position,
                                  const double *velocity, int steps, const double *inputs, double *times,
                                  const MbsStepResults *rows) {
  MBS_CALL_BEGIN(context, "mbs_step_map_trajectory", {"map", map}, {"rows", rows});
  MBS_TRY(check_way(context, map, t, count, position, velocity, steps, inputs));
  map->has_run = map->has_swept = false;
  MBS_TRY(keep_way(context, map, t, position, velocity, steps, inputs));
  MBS_TRY(mbs_call_end(context, mbs_step_map_walk_back(context, map, times, rows)));
  map->has_run = true;
  if (rows->outputs) {
    size_t numbers = ((size_t)steps + 1) * (size_t)map->outputs;
    MBS_TRY(mbs_step_map_check_finite(context, "outputs, which", numbers, rows->outputs));
  }
  return rows->objectives ? mbs_step_map_values(context, map, map->selection.objective_count, rows->objectives)
                          : MBS_OK;
}

MbsStatus mbs_step_map_state(MbsContext *context, const MbsStepMap *map, double *t, int count, double *position,
                             double *velocity, double *acceleration) {
  MBS_CALL_BEGIN(context, "mbs_step_map_state", {"map", map});
  MBS_TRY(mbs_step_map_need_run(context, map));
  MBS_TRY(mbs_step_map_check_count(context, "coordinates", count, map->n));
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
  MBS_TRY(mbs_step_map_need_run(context, map));
  MBS_TRY(mbs_step_map_check_count(context, "outputs", count, map->outputs));
  mbs_outputs_evaluate(simulation, NULL);
  memcpy(values, simulation->outputs.value, (size_t)count * sizeof *values);
  return mbs_step_map_check_finite(context, "outputs, which", (size_t)count, values);
}

MbsStatus mbs_step_map_values(MbsContext *context, MbsStepMap *map, int count, double *values) {
  MBS_CALL_BEGIN(context, "mbs_step_map_values", {"map", map}, {"values", values});
  MBS_TRY(mbs_step_map_need_run(context, map));
  MBS_TRY(mbs_step_map_check_count(context, "objectives", count, map->selection.objective_count));
  MBS_TRY(mbs_session_check_objectives(context, map->back));
  for (int i = 0; i < count; ++i) {
    values[i] = map->back->simulation->objectives.value[map->selection.objectives[i]];
  }
  return MBS_OK;
}
