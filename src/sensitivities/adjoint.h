// The discrete adjoint: one sweep backwards over the steps gives the gradient of every objective with respect to any
// number of parameters, the exact transpose of direct differentiation.
//
// Forward, each step leaves a row on a trajectory (trajectory.h), where its equations were solved and what projections
// gave. The smallest multipliers of redundant constraints, and projections that are not at their limit, are computed
// again on the way back.
// Backwards, the derivatives of each objective with respect to the state are handed from step to step (the steppers'
// transposes), and what coefficients of the model receive adds up in property space; the chain rule to parameters is
// applied once, at the end. The gradient with respect to the state at the start comes with it.
#ifndef MBS_SENSITIVITIES_ADJOINT_H
#define MBS_SENSITIVITIES_ADJOINT_H

#include "sensitivities/trajectory.h"

// What goes back beside the run, before it is added to what an objective's state has received.
typedef struct MbsSweepAside {
  MbsStateBar bar;
  mbs_scalar *carry, *gradient;
} MbsSweepAside;

// What states along the run receive of a caller, by way of an objective without a value of its own: rows, each of the
// state after a step and what happens at its end. Arrays that are NULL are zeros.
typedef struct MbsSweepSeed {
  int objective;  // of the simulation; -1: there is none
  long row_count;
  const long *steps;        // of each row the number of its step, ascending
  const double *q, *v, *a;  // rows x n each
  const double *outputs;    // rows x those of the simulation
} MbsSweepSeed;

typedef struct MbsSweep {
  MbsSimulation *simulation;
  int objective_count;         // integrals and values at the end that are wanted
  int *objectives;             // their indices
  MbsStateBar *bars;           // of each
  mbs_scalar **carry;          // of each: see stepper.h
  mbs_scalar **gradient;       // of each: what goes to columns past the coefficients
  const MbsPeakPlace **peaks;  // of each that is an extremum: where it is; NULL: at the end
  MbsSweepAside aside;
  MbsTrajectory *trajectory;
  mbs_scalar *of_steps;  // where the system has columns of a step by itself: steps + 1 x objectives x 2, what the time
                         // and the size of each step receive; else NULL
  mbs_scalar *at_start;  // objectives of the model x 2 n: with respect to q and v of the start
  mbs_scalar *of_settings;  // objectives of the model x times that inputs were set x inputs: what each receives
  size_t settings_capacity;
  MbsSweepSeed seed;
  struct MbsSweepEvents *events;     // of a model that has events, else NULL
  struct MbsContinuous *continuous;  // of the continuous adjoint, which takes the same way back; else NULL
} MbsSweep;

// Of the objectives that are needed (mbs_objectives_choose). memory: bytes for the trajectory; 0: up to 1e9, or as many
// as it takes at least.
MbsStatus mbs_sweep_create(MbsContext *context, MbsSimulation *simulation, double memory, MbsSweep **sweep);
// For runs of another number of steps, which the simulation plans.
MbsStatus mbs_sweep_resize(MbsContext *context, MbsSweep *sweep, double memory);
// Before a run: nothing has been received yet.
void mbs_sweep_begin(MbsSweep *sweep);
// Fills in the gradient of the simulation's objectives, and the one with respect to the start.
MbsStatus mbs_sweep_run(MbsContext *context, MbsSweep *sweep);

// ---- shared with adjoint_events.c ----
// The weight of integrands at the end of a step, which is the beginning of the next one (NULL: none).
mbs_scalar mbs_sweep_weight(const MbsSweep *sweep, const MbsStep *step, const MbsStep *next);
// Adds what integrands at the points of a step that was recalled receive.
void mbs_sweep_add_points(MbsSweep *sweep, const MbsStep *step);

// What a caller's rows of this step give to its state, the present one, after what happens at its end.
void mbs_sweep_add_seed(const MbsSweep *sweep, const MbsStep *step);

// ---- shared with adjoint_events.c and adjoint_peaks.c ----
void mbs_sweep_clear_aside(const MbsSweep *sweep);
void mbs_sweep_add_aside(const MbsSweep *sweep, int objective, mbs_scalar scale);

// ---- adjoint_peaks.c ----
// Before the way back.
void mbs_sweep_find_peaks(MbsSweep *sweep);
// What extrema at the state after this step, or within the next one, give to that state, with events before the way
// back passes that of the step.
MbsStatus mbs_sweep_visit_peaks(MbsContext *context, MbsSweep *sweep, const MbsStep *step);
// Does an objective that is no integral take its value at the end of this step, which may be that of the run?
bool mbs_sweep_takes_value(const MbsSweep *sweep, int objective, const MbsStep *step, bool is_end);

// ---- shared with adjoint_continuous.c ----
// Adds `scale` times the derivative of an objective's function at the present state, by number in the sweep.
void mbs_sweep_add_function(MbsSweep *sweep, int objective, mbs_scalar scale);
// Keeps the derivatives with respect to q and v of the start; then through the start's own problems.
MbsStatus mbs_sweep_start(MbsContext *context, MbsSweep *sweep);
// gradient (columns): all that an objective's coefficients and parameters have received so far
void mbs_sweep_chain(const MbsSweep *sweep, int objective, mbs_scalar *gradient);

#endif
