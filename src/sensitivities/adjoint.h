// The discrete adjoint: one sweep backwards over the steps gives the gradient of every objective with respect to any
// number of parameters, the exact transpose of direct differentiation.
//
// Forward, each step leaves behind where its equations were solved (q, v*, a*, lambda: the stage) on a trajectory, and
// where it projects what projections gave. The smallest multipliers of redundant constraints, and projections that are
// not at their limit, are computed again on the way back. With a bound on memory only the
// states at the beginning of segments are kept, and each segment but the last is walked again before it is swept: so
// every step is taken at most twice, and memory grows as the root of their number.
// Backwards, the derivatives of each objective with respect to the state are handed from step to step (the steppers'
// transposes), and what coefficients of the model receive adds up in property space; the chain rule to parameters is
// applied once, at the end. The gradient with respect to the state at the start comes with it.
#ifndef MBS_SENSITIVITIES_ADJOINT_H
#define MBS_SENSITIVITIES_ADJOINT_H

#include "simulation/simulation.h"

typedef struct MbsSweep {
  MbsSimulation *simulation;
  int objective_count;    // integrals and values at the end that are wanted
  int *objectives;        // their indices
  MbsStateBar *bars;      // of each
  mbs_scalar **w;         // of each: of the auxiliary accelerations (n); of matrix-r see reduced.h
  mbs_scalar **gradient;  // of each: what goes to columns past the coefficients
  // the trajectory
  bool has_auxiliary;  // matrix-r: rows have the auxiliary accelerations, too
  int row_size, snapshot_size;
  long segment_length, segment_count;  // in steps
  mbs_scalar *rows;                    // of one segment: its steps, and the state before them
  mbs_scalar *snapshots;               // by segment but the last: the state before it
  int *previous_counts;                // likewise: of the stepper
  mbs_scalar *at_start;                // objectives of the model x 2 n: with respect to q and v of the start
  struct MbsContinuous *continuous;    // of the continuous adjoint, which takes the same way back; else NULL
} MbsSweep;

// Of the objectives that are needed (mbs_objectives_choose). memory: bytes for the trajectory; 0: up to 1e9, or as many
// as it takes at least.
MbsStatus mbs_sweep_create(MbsContext *context, MbsSimulation *simulation, double memory, MbsSweep **sweep);
// After the start and after each step.
void mbs_sweep_record(MbsSweep *sweep);
// Fills in the gradient of the simulation's objectives, and the one with respect to the start.
MbsStatus mbs_sweep_run(MbsContext *context, MbsSweep *sweep);

// ---- shared with adjoint_continuous.c ----
// Adds `scale` times the derivative of an objective's function at the present state, by number in the sweep.
void mbs_sweep_add_function(MbsSweep *sweep, int objective, double scale);
// From the derivatives with respect to q and v of the start through the start's own problems; is_first: keeps them.
MbsStatus mbs_sweep_start(MbsContext *context, MbsSweep *sweep, bool is_first);
// gradient (columns): all that an objective's coefficients and parameters have received so far
void mbs_sweep_chain(const MbsSweep *sweep, int objective, mbs_scalar *gradient);

#endif
