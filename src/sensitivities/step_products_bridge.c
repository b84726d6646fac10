// Products of the derivative of steps, of the public header: forward by sessions with columns, backward by the adjoint
// of the session that made the steps. Double only.
#include <math.h>
#include <string.h>

#include "sensitivities/step_storage.h"

static void clear(size_t count, double *numbers) { memset(numbers, 0, count * sizeof *numbers); }

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
      MBS_TRY(
          mbs_step_map_create_session(context, map, false, 1, map->columns + selection->parameter_count, &map->seeded));
    }
    MBS_TRY(walk(context, map, map->seeded, &along, 0, change->outputs));
    add_column(map->seeded, map, 0, 1, change);
  }
  if (direction->parameters && selection->parameter_count > 0) {
    if (!map->by_parameters) {
      MBS_TRY(mbs_step_map_create_session(context, map, false, selection->parameter_count, selection->parameters,
                                          &map->by_parameters));
    }
    MBS_TRY(walk(context, map, map->by_parameters, NULL, -1, change->outputs));
    for (int k = 0; k < selection->parameter_count; ++k) {
      add_column(map->by_parameters, map, k, direction->parameters[k], change);
    }
  }
  return MBS_OK;
}

// Is what came out a number everywhere? sqrt(), norm() and powers have no derivative at zero.
static MbsStatus check_numbers(MbsContext *context, int arrays, double *const *numbers, const size_t *counts) {
  for (int i = 0; i < arrays; ++i) {
    for (size_t k = 0; k < counts[i] && numbers[i]; ++k) {
      if (!isfinite(numbers[i][k])) {
        return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                        "the derivative of these steps, or of an output or objective, is not a finite number (sqrt, "
                        "norm and powers have none at zero)");
      }
    }
  }
  return MBS_OK;
}

// what the run did not depend on
static MbsStatus check_arguments(MbsContext *context, const MbsStepMap *map, const MbsStepArguments *arguments) {
  if (!map->way.q && (arguments->position || arguments->velocity)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "the run began at the model's start, which no positions and velocities were given for: pass NULL");
  }
  if (!map->way.inputs && arguments->inputs) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the run was given no inputs: pass NULL");
  }
  return MBS_OK;
}

MbsStatus mbs_step_map_jvp(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                           const MbsStepResults *change) {
  MBS_CALL_BEGIN(context, "mbs_step_map_jvp", {"map", map}, {"direction", direction}, {"change", change});
  size_t inputs = map->way.inputs ? (size_t)map->way.steps * (size_t)map->inputs : 0;
  MBS_TRY(mbs_step_map_need_run(context, map));
  MBS_TRY(check_arguments(context, map, direction));
  MBS_TRY(mbs_step_map_check_finite(context, "direction's positions", (size_t)map->n, direction->position));
  MBS_TRY(mbs_step_map_check_finite(context, "direction's velocities", (size_t)map->n, direction->velocity));
  MBS_TRY(mbs_step_map_check_finite(context, "direction's inputs", inputs, direction->inputs));
  MBS_TRY(mbs_step_map_check_finite(context, "direction's parameters", (size_t)map->selection.parameter_count,
                                    direction->parameters));
  double *const all[] = {change->position, change->velocity, change->acceleration, change->outputs, change->objectives};
  const size_t n = (size_t)map->n, counts[] = {n, n, n, (size_t)map->outputs, (size_t)map->selection.objective_count};
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    if (all[i]) {
      clear(counts[i], all[i]);
    }
  }
  mbs_arena_tell(map->arena, context);
  MBS_TRY(mbs_call_end(context, push(context, map, direction, change)));
  return check_numbers(context, MBS_COUNT(all), all, counts);
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
  bool is_lost = map->has_swept && session->simulation->path.step_count > session->sweep->trajectory->row_capacity;
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
  MBS_TRY(mbs_step_map_need_run(context, map));
  MBS_TRY(check_arguments(context, map, received));
  MBS_TRY(mbs_step_map_check_finite(context, "positions' bar", n, bar->position));
  MBS_TRY(mbs_step_map_check_finite(context, "velocities' bar", n, bar->velocity));
  MBS_TRY(mbs_step_map_check_finite(context, "accelerations' bar", n, bar->acceleration));
  MBS_TRY(mbs_step_map_check_finite(context, "outputs' bar", (size_t)map->outputs, bar->outputs));
  MBS_TRY(
      mbs_step_map_check_finite(context, "objectives' bar", (size_t)map->selection.objective_count, bar->objectives));
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
  MBS_TRY(status);
  return check_numbers(context, MBS_COUNT(all), all, counts);
}
