// Events on the way back of the discrete adjoint. See adjoint_events.c.
#ifndef MBS_SENSITIVITIES_ADJOINT_EVENTS_H
#define MBS_SENSITIVITIES_ADJOINT_EVENTS_H

#include "sensitivities/adjoint.h"

typedef struct MbsSweepEvents {
  bool is_piece;         // the step in hand ends or begins with an event, so that its size moves with the parameters
  mbs_scalar *of_size;   // by objective: what the size of the piece that was visited last receives, but for the
                         // integrand where it began
  mbs_scalar *of_time;   // by objective: what the time of the event in hand has received
  mbs_scalar *at_end;    // by objective: half of its integrand at the end of a step whose size moves
  mbs_scalar *targets;   // objectives x velocities that events set: what they have received
  mbs_scalar *assigned;  // objectives x variables: what those that an event sets have received
  int record;            // of the event that was passed last; -1: none yet
  int setting;           // of inputs, that was passed last
} MbsSweepEvents;

MbsStatus mbs_sweep_events_create(MbsContext *context, const MbsSweep *sweep, MbsSweepEvents **events);
void mbs_sweep_events_begin(MbsSweep *sweep);
// Before the way back: room for what inputs receive each time that they are set.
MbsStatus mbs_sweep_events_prepare(MbsContext *context, MbsSweep *sweep);
// Before the state after a step is recalled: variables and branches as they were before its event. before: the step
// before it.
void mbs_sweep_events_enter(MbsSweep *sweep, const MbsStep *before, const MbsStep *step);
// The same again, if that has changed: after a start anew at the end of that step.
void mbs_sweep_events_return(MbsSweep *sweep, const MbsStep *step);
// One step backwards, with what happens at its end; next: the step after it, or NULL.
MbsStatus mbs_sweep_events_step(MbsContext *context, MbsSweep *sweep, const MbsStep *step, const MbsStep *next);

#endif
