// Steps as a function: from a state, inputs and parameters to the state, outputs and objectives after them, with
// products of its derivative and of the transpose: what shooting, estimators, acados, JAX and PyTorch ask for.
//
//   (q1, v1, y, psi) = F(q, v, u_1 ... u_k; rho)        k steps of equal size from time t, u_i: inputs during step i
//
//   mbs_request_set(context, request, "step", "0.01");
//   mbs_step_map_create(context, model, request, &map);
//   mbs_step_map_run(context, map, t, n, q, v, 1, NULL);                         one step from (t, q, v)
//   mbs_step_map_state(context, map, NULL, n, q1, v1, NULL);
//   mbs_step_map_vjp(context, map, &bar, &received);                             F' times a vector of yours
//   mbs_step_map_jvp(context, map, &seed, &change);                              F times a direction of yours
//
// Every formulation, integrator and both coordinates: derivatives are those of the steps that were computed, through
// events on the way. q and v are taken as they are given (they must meet the constraints to a tenth) and independent of
// everything; accelerations and multipliers are found there. Without q and v the run begins at the model's own start,
// which depends on the parameters. Kinematics and steps that find their own size are refused. One thread at a time.
#ifndef MBSENS_STEP_H
#define MBSENS_STEP_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct MbsStepMap MbsStepMap;

// settings: formulation, coordinates, integrator, step; objectives (each costs a sweep backwards of its own: "none"
// asks for none), parameters, and outputs: those of the model and setting columns. Settings derivatives and memory
// count as in a gradient. Method and end do not matter. The model must outlive the map.
MbsStatus mbs_step_map_create(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsStepMap **map);
void mbs_step_map_destroy(MbsStepMap *map);

// ---- sizes and names ----
int mbs_step_map_coordinate_count(const MbsStepMap *map);
int mbs_step_map_parameter_count(const MbsStepMap *map);
int mbs_step_map_input_count(const MbsStepMap *map);
int mbs_step_map_output_count(const MbsStepMap *map);
int mbs_step_map_objective_count(const MbsStepMap *map);
const char *const *mbs_step_map_coordinate_names(const MbsStepMap *map);
const char *const *mbs_step_map_parameter_names(const MbsStepMap *map);
const char *const *mbs_step_map_input_names(const MbsStepMap *map);
const char *const *mbs_step_map_output_names(const MbsStepMap *map);
const char *const *mbs_step_map_objective_names(const MbsStepMap *map);
const double *mbs_step_map_parameters(const MbsStepMap *map);  // values

// ---- what goes in, and what comes out ----
// What the function depends on, and what it gives: changes of these, or what they receive. Arrays of the sizes above
// (inputs: steps x input count); NULL: zeros that are given, or not wanted.
typedef struct MbsStepArguments {
  double *position, *velocity;  // NULL where the run began at the model's start
  double *inputs;               // NULL where no inputs were given
  double *parameters;
} MbsStepArguments;
typedef struct MbsStepResults {
  double *position, *velocity, *acceleration;
  double *outputs, *objectives;
} MbsStepResults;

// ---- the function ----
MbsStatus mbs_step_map_set_parameters(MbsContext *context, MbsStepMap *map, int count, const double *values);
// q and v NULL: from the model's start, at t = 0, whatever t and count are. inputs: steps x input count, those of each
// step; NULL: they stay as they are at the start of the model. Variables of the model, and which joints act, are those
// of the start too; angles begin at their principal values.
MbsStatus mbs_step_map_run(MbsContext *context, MbsStepMap *map, double t, int count, const double *position,
                           const double *velocity, int steps, const double *inputs);
// After a run: time, positions, velocities and accelerations at its end (any may be NULL); outputs there; objectives as
// if the run began and ended with these steps.
MbsStatus mbs_step_map_state(MbsContext *context, const MbsStepMap *map, double *t, int count, double *position,
                             double *velocity, double *acceleration);
MbsStatus mbs_step_map_outputs(MbsContext *context, MbsStepMap *map, int count, double *values);
MbsStatus mbs_step_map_values(MbsContext *context, MbsStepMap *map, int count, double *values);

// The same, with what there is on the way, in the caller's arrays: steps + 1 rows, the first one at the start, before
// inputs are set, and row i what a run of the first i steps alone would end with (where an event ends the run, that end
// is in all rows that are left). rows->objectives: of the whole run. Any may be NULL, times too.
MbsStatus mbs_step_map_trajectory(MbsContext *context, MbsStepMap *map, double t, int count, const double *position,
                                  const double *velocity, int steps, const double *inputs, double *times,
                                  const MbsStepResults *rows);

// ---- its derivative ----
// How the results change along a direction of the arguments, in the run that was made last. It is walked once more, and
// with parameters, with a column for each of them.
MbsStatus mbs_step_map_jvp(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                           const MbsStepResults *change);
// What the arguments receive of what the results have: the transpose, by one way back whatever the number of parameters
// and inputs.
MbsStatus mbs_step_map_vjp(MbsContext *context, MbsStepMap *map, const MbsStepResults *bar,
                           const MbsStepArguments *received);
// The same two products with all rows of the trajectory in the place of its end: position, velocity, acceleration and
// outputs are (steps + 1) x their sizes. There is still one way back, which each row enters where its step ends: what a
// loss that looks at a whole trajectory needs.
MbsStatus mbs_step_map_trajectory_jvp(MbsContext *context, MbsStepMap *map, const MbsStepArguments *direction,
                                      const MbsStepResults *change);
MbsStatus mbs_step_map_trajectory_vjp(MbsContext *context, MbsStepMap *map, const MbsStepResults *bar,
                                      const MbsStepArguments *received);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
