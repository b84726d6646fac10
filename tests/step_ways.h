// What tests of steps as functions share: requests, room for what goes in and comes out, a state to begin with.
#ifndef MBS_STEP_WAYS_H
#define MBS_STEP_WAYS_H

#include <mbsens/simulator.h>
#include <mbsens/step.h>

#include "support.h"

static inline double dot(int count, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static inline double *scattered(uint64_t *seed, int count) {
  double *x = zeros(count);
  for (int i = 0; i < count; ++i) {
    x[i] = random_number(seed);
  }
  return x;
}

static inline MbsRequest request_of(MbsContext *context, const MbsModel *model, const char *formulation,
                                    const char *coordinates, const char *integrator) {
  static const char *const none[1] = {NULL};
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", formulation);
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "%s", integrator);
  request.settings.is_kinematic = false;
  request.settings.step_tolerance = request.settings.accuracy = 0;
  request.settings.tolerance = fmin(request.settings.tolerance, 1e-13);
  request.objective_count = 0;
  request.objectives = none;
  return request;
}

typedef struct Room {
  int n, p, outputs;
  MbsStepArguments x;
  MbsStepResults y;
} Room;

// rows: of positions, velocities, accelerations and outputs
static inline Room room_of(const MbsStepMap *map, int steps, int rows) {
  int n = mbs_step_map_coordinate_count(map), p = mbs_step_map_parameter_count(map);
  return (Room){.n = n,
                .p = p,
                .outputs = mbs_step_map_output_count(map),
                .x = {zeros(n), zeros(n), zeros(steps * mbs_step_map_input_count(map)), zeros(p)},
                .y = {zeros(rows * n), zeros(rows * n), zeros(rows * n), zeros(rows * mbs_step_map_output_count(map)),
                      zeros(mbs_step_map_objective_count(map))}};
}

static inline void free_room(const Room *room) {
  double *const all[] = {room->x.position, room->x.velocity,     room->x.inputs,  room->x.parameters, room->y.position,
                         room->y.velocity, room->y.acceleration, room->y.outputs, room->y.objectives};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
}

// The state to begin with: some steps into the motion. false: this formulation does not run the model.
static inline bool find_state(MbsContext *context, const MbsModel *model, const MbsRequest *request, double *t, int n,
                              double *q, double *v) {
  MbsRequest plain = *request;
  MbsSimulator *simulator;
  plain.method = MBS_METHOD_NONE;
  plain.settings.end = 12 * plain.settings.step;
  if (mbs_simulator_create(context, model, &plain, &simulator) != MBS_OK) {
    return false;
  }
  bool runs = mbs_simulator_start(context, simulator) == MBS_OK;
  for (int i = 0; i < 7 && runs && !mbs_simulator_is_over(simulator); ++i) {
    runs = mbs_simulator_step(context, simulator) == MBS_OK;
  }
  runs = runs && mbs_simulator_coordinate_count(simulator) == n;
  if (runs) {
    ENSURE_OK(context, mbs_simulator_state(context, simulator, n, q, v, NULL));
    *t = mbs_simulator_time(simulator);
  }
  mbs_simulator_destroy(simulator);
  return runs;
}

// among the parameters as the model has them
static inline int index_of(const MbsModel *model, const char *name) {
  const MbsValue *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  int index = 0;
  while (index < parameters->count && strcmp(parameters->records[index].name.text, name) != 0) {
    ++index;
  }
  ENSURE(index < parameters->count);
  return index;
}

#endif
