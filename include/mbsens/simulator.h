// A simulator: a model compiled once, then run, or stepped, any number of times with other numbers. mbs_run is one run
// of one of these.
//
//   mbs_simulator_create(context, model, request, &simulator);       settings, method, objectives, parameters
//   mbs_simulator_run(context, simulator);
//   mbs_simulator_gradient(simulator)[objective * parameter_count + parameter]
//   mbs_simulator_set_parameters(context, simulator, count, values);  no text, nothing is compiled again
//   mbs_simulator_run(context, simulator);                            takes no memory
//
// or step by step: start, step, step, ..., with the state in between, saved and restored. Whatever fails, the simulator
// stays good: a start, a run or a restore begins anew. One thread at a time.
#ifndef MBSENS_SIMULATOR_H
#define MBSENS_SIMULATOR_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct MbsSimulator MbsSimulator;
typedef struct MbsSaved MbsSaved;

// Methods none, direct, adjoint and adjoint-continuous; the others are several runs of a model (mbs_run). A recorder of
// the request receives the rows of every run and step. The model must outlive the simulator.
MbsStatus mbs_simulator_create(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                               MbsSimulator **simulator);
void mbs_simulator_destroy(MbsSimulator *simulator);

// ---- numbers in ----
// The request's parameters in its order, or all that are numbers in the model file: expressions of them follow.
int mbs_simulator_parameter_count(const MbsSimulator *simulator);
const char *const *mbs_simulator_parameter_names(const MbsSimulator *simulator);
const double *mbs_simulator_parameters(const MbsSimulator *simulator);
// For the next start or run. What compiling decided at the values of the model file stays as it is: coordinates, which
// constraints are redundant, what is held at the start, an automatic penalty. Values with which that has no meaning (a
// length that becomes zero, points of a body that come into line) are refused by the start: create a simulator of a
// model with these numbers then.
MbsStatus mbs_simulator_set_parameters(MbsContext *context, MbsSimulator *simulator, int count, const double *values);
// Any parameter of the model that is a number there, by name.
MbsStatus mbs_simulator_set_parameter(MbsContext *context, MbsSimulator *simulator, const char *name, double value);

// The next run is like the first one of a simulator: its bits depend on its numbers alone, not on the runs before,
// whose pivots it would go on with where they are sound. It takes memory for its own.
void mbs_simulator_renew(MbsSimulator *simulator);

// ---- whole runs ----
MbsStatus mbs_simulator_run(MbsContext *context, MbsSimulator *simulator);
// After a run, or after finish: of the request's objectives; gradient: objectives x parameters, NULL with method none.
int mbs_simulator_objective_count(const MbsSimulator *simulator);
const char *const *mbs_simulator_objective_names(const MbsSimulator *simulator);
const double *mbs_simulator_values(const MbsSimulator *simulator);
const double *mbs_simulator_gradient(const MbsSimulator *simulator);
// All that mbs_run gives back, with warnings; it lives by itself. Also after a run, step or finish that failed
// numerically on the way: what there was before, marked as not complete.
MbsStatus mbs_simulator_result(MbsContext *context, MbsSimulator *simulator, MbsResult **result);

// After a run whose steps found their own size (settings.step_tolerance), that chose independent coordinates (matrix-r)
// or met events: runs and starts to come repeat its steps, their sizes, coordinates, the sequence of events (each at
// its own time) and where extrema are, whatever the parameters. So values are smooth functions of these, which a line
// search needs, and gradients those of these functions. What was kept before is given up. A run in which that sequence
// is another fails numerically. is_kept false: steps are found anew. Not with adjoint-continuous, nor after inputs were
// set.
MbsStatus mbs_simulator_keep_path(MbsContext *context, MbsSimulator *simulator, bool is_kept);

// ---- step by step ----
MbsStatus mbs_simulator_start(MbsContext *context, MbsSimulator *simulator);
// One step; not beyond the end of the settings.
MbsStatus mbs_simulator_step(MbsContext *context, MbsSimulator *simulator);
bool mbs_simulator_is_over(const MbsSimulator *simulator);
// The present time (after a failure that of the last state before it), and the size of the step that led there (0 at
// the start).
double mbs_simulator_time(const MbsSimulator *simulator);
double mbs_simulator_step_size(const MbsSimulator *simulator);
// Values and gradients, as if the run ended here. After an adjoint no step can follow, only a start.
MbsStatus mbs_simulator_finish(MbsContext *context, MbsSimulator *simulator);

// The coordinates, their number and names as `mbsens check` lists them.
int mbs_simulator_coordinate_count(const MbsSimulator *simulator);
const char *const *mbs_simulator_coordinate_names(const MbsSimulator *simulator);
// Positions, velocities and accelerations into arrays of `count` numbers each; any may be NULL.
MbsStatus mbs_simulator_state(MbsContext *context, const MbsSimulator *simulator, int count, double *position,
                              double *velocity, double *acceleration);
// The model's outputs, and after them what setting columns asks for: a vector is several numbers, load.x, load.y, ...
// None with setting outputs no.
int mbs_simulator_output_count(const MbsSimulator *simulator);
const char *const *mbs_simulator_output_names(const MbsSimulator *simulator);
// All of them at the present state; slopes, of method direct alone: by the parameters, outputs x parameters; or NULL.
MbsStatus mbs_simulator_outputs(MbsContext *context, MbsSimulator *simulator, int count, double *values,
                                double *slopes);
// One of them, by name.
MbsStatus mbs_simulator_output(MbsContext *context, MbsSimulator *simulator, const char *name, double *value);
// Goes on from another state, at the present time. It must meet the constraints to 1e-3 of the mechanism's size and
// velocities (the message says which is off, and by how much); is_projected: instead the independent coordinates of the
// start and their rates are taken from it, and all others follow. Method none only.
MbsStatus mbs_simulator_set_state(MbsContext *context, MbsSimulator *simulator, int count, const double *position,
                                  const double *velocity, bool is_projected);

// Inputs of the model (section inputs), in its order: numbers that hold from one setting to the next, or to the end.
// Before the first one they have the values of the model. A setting counts at the present time, after a start or a
// step: accelerations start anew there, and a row of histories and a step of no length (which mbs_simulator_step_size
// tells) are added.
int mbs_simulator_input_count(const MbsSimulator *simulator);
const char *const *mbs_simulator_input_names(const MbsSimulator *simulator);
MbsStatus mbs_simulator_set_inputs(MbsContext *context, MbsSimulator *simulator, int count, const double *values);
// How often they have been set since the start; and once an adjoint has come back, derivatives of objectives by every
// one of these numbers: [(objective * setting_count + setting) * input_count + input]. NULL: there are none.
int mbs_simulator_setting_count(const MbsSimulator *simulator);
const double *mbs_simulator_input_gradient(const MbsSimulator *simulator);

// Everything that a step changes; steps from there lead to the same bits. *saved NULL: a new place, which the simulator
// owns; else that one is written over. Not after the finish of an adjoint.
MbsStatus mbs_simulator_save(MbsContext *context, MbsSimulator *simulator, MbsSaved **saved);
// Of the same parameter values, in the same run.
MbsStatus mbs_simulator_restore(MbsContext *context, MbsSimulator *simulator, const MbsSaved *saved);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
