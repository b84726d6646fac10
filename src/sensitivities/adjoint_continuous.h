// The continuous adjoint of the papers: the adjoint equations of the equations of motion, not of the steps that solve
// them, integrated backwards by the trapezoidal rule on the steps of the forward run. It meets the exact methods to
// the truncation error, h^2; `adjoint` is the exact one. See adjoint_continuous.c.
#ifndef MBS_SENSITIVITIES_ADJOINT_CONTINUOUS_H
#define MBS_SENSITIVITIES_ADJOINT_CONTINUOUS_H

#include "sensitivities/adjoint.h"

typedef struct MbsContinuous {
  mbs_scalar **mu;        // by objective of the sweep: mu of positions, of velocities, then room for as many
  mbs_scalar **rate;      // likewise: -mu'
  mbs_scalar *s, *p, *u;  // what accelerations receive; of positions and of velocities
  mbs_scalar **before;    // by objective: what had been gathered of the gradient before a time; columns
  int running_count;      // objectives with a history of the running gradient
  const int *running_of;  // their indices
  mbs_scalar *running;    // steps + 1 x running_count x columns
  long running_capacity;  // of steps + 1
} MbsContinuous;

// Is it offered for this simulation? Else the message says why, and what is.
MbsStatus mbs_continuous_check(MbsContext *context, const MbsSimulation *simulation);

// Makes a sweep one of the continuous adjoint. `running_of`: objectives whose running gradient is kept at every step.
MbsStatus mbs_continuous_create(MbsContext *context, MbsSweep *sweep, int running_count, const int *running_of);

// Before a run.
void mbs_continuous_begin(MbsSweep *sweep);

// What is to be done at the time after a step, on the way back; the state is there. next: the step after it, or NULL.
MbsStatus mbs_continuous_step(MbsContext *context, MbsSweep *sweep, const MbsStep *step, const MbsStep *next);

#endif
