// Products of the derivative of steps, of the public header: forward by sessions with columns, backward by the adjoint
// of the session that made the steps. Double only.
#include <math.h>
#include <string.h>

#include "sensitivities/step_storage.h"

static void clear(size_t count, double *numbers) { memset(numbers, 0, count * sizeof *numbers); }

// ---- forward ----
// What the columns of a session that walks the way add to the results, times numbers of theirs.
typedef struct Push {
  const MbsStepMap *map;
  const MbsStepResults *change;
  const double *scales;  // of each column; NULL: 1, of one
  int columns;
  bool is_along;  // all rows are wanted, not the last one alone
} Push;

static double scale_of(const Push *push, int column) { return push->scales ? push->scales[column] : 1; }

static void push_row(void *user, MbsSession *session, long row) {
  const Push *push = user;
  const MbsStepMap *map = push->map;
  MbsSimulation *simulation = session->simulation;
  const MbsSystem *system = simulation->system;
  const MbsStepResults *change = push->change;
  const double *const columns[] = {simulation->columns.X, simulation->columns.V, simulation->columns.A};
  double *const to[] = {change->position, change->velocity, change->acceleration};
  if (!push->is_along && row < map->way.steps) {
    return;
  }
  row = push->is_along ? row : 0;
  for (int level = 0; level < MBS_COUNT(to); ++level) {
    for (int k = 0; k < push->columns && to[level]; ++k) {
      for (int i = 0; i < map->n; ++i) {
        to[level][row * map->n + i] += scale_of(push, k) * columns[level][k * system->nq + i];
      }
    }
  }
  if (!change->outputs || map->outputs == 0) {
    return;
  }
  mbs_outputs_evaluate(simulation, NULL);
  for (int i = 0; i < map->outputs; ++i) {
    for (int k = 0; k < push->columns; ++k) {
      change->outputs[row * map->outputs + i] +=
          scale_of(push, k) * simulation->outputs.slope[i * system->asked_count + k];
    }
  }
}

static MbsStatus push_session(MbsContext *context, MbsSession *session, const MbsWay *direction, int seed, Push *push) {
  const MbsSelection *selection = &push->map->selection;
  const MbsObjectives *objectives = &session->simulation->objectives;
  MBS_TRY(
      mbs_way_walk(context, session, &push->map->way, direction, seed, (MbsWayRows){.take = push_row, .user = push}));
  for (int i = 0; i < selection->objective_count && push->change->objectives; ++i) {
    for (int k = 0; k < push->columns; ++k) {
      push->change->objectives[i] +=
          scale_of(push, k) * objectives->gradient[selection->objectives[i] * objectives->stride + k];
    }
  }
  return MBS_OK;
}

static MbsStatus push(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                      const MbsStepResults *change, bool is_along) {
  const MbsSelection *selection = &map->selection;
  Push one = {.map = map, .change = change, .columns = 1, .is_along = is_along}, all = one;
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
    MBS_TRY(push_session(context, map->seeded, &along, 0, &one));
  }
  if (direction->parameters && selection->parameter_count > 0) {
    if (!map->by_parameters) {
      MBS_TRY(mbs_step_map_create_session(context, map, false, selection->parameter_count, selection->parameters,
                                          &map->by_parameters));
    }
    all.scales = direction->parameters;
    all.columns = selection->parameter_count;
    MBS_TRY(push_session(context, map->by_parameters, NULL, -1, &all));
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

// position, velocity, acceleration, outputs and objectives, with the number of rows that the first four have
enum { RESULTS = 5 };
static void count_results(const MbsStepMap *map, bool is_along, size_t counts[RESULTS]) {
  size_t rows = is_along ? (size_t)map->way.steps + 1 : 1, n = rows * (size_t)map->n;
  counts[0] = counts[1] = counts[2] = n;
  counts[3] = rows * (size_t)map->outputs;
  counts[4] = (size_t)map->selection.objective_count;
}

static MbsStatus jvp(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                     const MbsStepResults *change, bool is_along) {
  size_t inputs = map->way.inputs ? (size_t)map->way.steps * (size_t)map->inputs : 0;
  MBS_TRY(mbs_step_map_need_run(context, map));
  MBS_TRY(check_arguments(context, map, direction));
  MBS_TRY(mbs_step_map_check_finite(context, "direction's positions", (size_t)map->n, direction->position));
  MBS_TRY(mbs_step_map_check_finite(context, "direction's velocities", (size_t)map->n, direction->velocity));
  MBS_TRY(mbs_step_map_check_finite(context, "direction's inputs", inputs, direction->inputs));
  MBS_TRY(mbs_step_map_check_finite(context, "direction's parameters", (size_t)map->selection.parameter_count,
                                    direction->parameters));
  double *const all[RESULTS] = {change->position, change->velocity, change->acceleration, change->outputs,
                                change->objectives};
  size_t counts[RESULTS];
  count_results(map, is_along, counts);
  for (int i = 0; i < RESULTS; ++i) {
    if (all[i]) {
      clear(counts[i], all[i]);
    }
  }
  mbs_arena_tell(map->arena, context);
  MBS_TRY(mbs_call_end(context, push(context, map, direction, change, is_along)));
  return check_numbers(context, RESULTS, all, counts);
}

MbsStatus mbs_step_map_jvp(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                           const MbsStepResults *change) {
  MBS_CALL_BEGIN(context, "mbs_step_map_jvp", {"map", map}, {"direction", direction}, {"change", change});
  return jvp(context, map, direction, change, false);
}

MbsStatus mbs_step_map_trajectory_jvp(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                                      const MbsStepResults *change) {
  MBS_CALL_BEGIN(context, "mbs_step_map_trajectory_jvp", {"map", map}, {"direction", direction}, {"change", change});
  return jvp(context, map, direction, change, true);
}

// ---- backward ----
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

static MbsStatus pull(MbsContext *context, MbsStepMap *map, const MbsStepResults *bar, const MbsStepArguments *received,
                      bool is_along) {
  MbsSession *session = map->back;
  MbsSweepSeed *seed = &session->sweep->seed;
  bool is_lost = map->has_swept && session->simulation->path.step_count > session->sweep->trajectory->row_capacity;
  if (is_lost) {  // the way back has used up what it was to be walked again from
    MBS_TRY(mbs_step_map_walk_back(context, map, NULL, NULL));
  }
  if (bar->objectives) {
    MBS_TRY(mbs_session_check_objectives(context, session));
  }
  *seed = (MbsSweepSeed){.objective = seed->objective,
                         .row_count = is_along ? map->way.steps + 1 : 1,
                         .steps = map->row_steps + (is_along ? 0 : map->way.steps),
                         .q = bar->position,
                         .v = bar->velocity,
                         .a = bar->acceleration,
                         .outputs = bar->outputs};
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

static MbsStatus vjp(MbsContext *context, MbsStepMap *map, const MbsStepResults *bar, const MbsStepArguments *received,
                     bool is_along) {
  static const char *const names[RESULTS] = {"positions' bar", "velocities' bar", "accelerations' bar", "outputs' bar",
                                             "objectives' bar"};
  const double *const given[RESULTS] = {bar->position, bar->velocity, bar->acceleration, bar->outputs, bar->objectives};
  size_t results[RESULTS], n = (size_t)map->n, inputs = (size_t)map->way.steps * (size_t)map->inputs;
  MBS_TRY(mbs_step_map_need_run(context, map));
  MBS_TRY(check_arguments(context, map, received));
  count_results(map, is_along, results);
  for (int i = 0; i < RESULTS; ++i) {
    MBS_TRY(mbs_step_map_check_finite(context, names[i], results[i], given[i]));
  }
  double *const all[] = {received->position, received->velocity, received->inputs, received->parameters};
  const size_t counts[] = {n, n, inputs, (size_t)map->selection.parameter_count};
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    if (all[i]) {
      clear(counts[i], all[i]);
    }
  }
  mbs_simulation_tell(map->back->simulation, context);
  MbsStatus status = mbs_call_end(context, pull(context, map, bar, received, is_along));
  map->has_run = status == MBS_OK;
  MBS_TRY(status);
  return check_numbers(context, MBS_COUNT(all), all, counts);
}

MbsStatus mbs_step_map_vjp(MbsContext *context, MbsStepMap *map, const MbsStepResults *bar,
                           const MbsStepArguments *received) {
  MBS_CALL_BEGIN(context, "mbs_step_map_vjp", {"map", map}, {"bar", bar}, {"received", received});
  return vjp(context, map, bar, received, false);
}

MbsStatus mbs_step_map_trajectory_vjp(MbsContext *context, MbsStepMap *map, const MbsStepResults *bar,
                                      const MbsStepArguments *received) {
  MBS_CALL_BEGIN(context, "mbs_step_map_trajectory_vjp", {"map", map}, {"bar", bar}, {"received", received});
  return vjp(context, map, bar, received, true);
}
