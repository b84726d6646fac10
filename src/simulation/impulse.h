// The impulse of an event that sets velocities: v+ from the state before, with derivative and transpose.
//
//     M (v+ - v-) + Phi_q' L + w_q' P = 0,   Phi_q v+ + Phi_t = 0,   w_q v+ + w_t = b(t, q, v-)        model/event.c
//
// is the velocity projection of v- (integrators/projection.h, P = M) in a system that has the rows w' - b = 0 beside
// those of the motion, b being parameters of it. So
//     v+ = F(t, q, v-, b; rho),   v+' = F_q q' + F_v v-' + F_rho + F_b b',   b' = b_q q' + b_v v-' + b_rho
// (Variables that the event sets have their new values in F, their old ones in b: an event may also change what
// constraints ask for, and then v+ is what they allow.) The first three by the projection's derivative, whose columns
// are those of the motion and then one for each b.
#ifndef MBS_IMPULSE_H
#define MBS_IMPULSE_H

#include "integrators/projection.h"
#include "terms/terms.h"

typedef struct MbsImpulse {
  const MbsEventSpec *event;
  MbsSystem *motion;  // whose states are before and after
  MbsSystem *system;  // with the rows of the event; coordinates and first columns are the motion's
  MbsProjector *projector;
  MbsFunction *targets;    // of the motion: b
  MbsState before, after;  // of `system`
  MbsColumns columns;      // of `system`
  mbs_scalar *slopes;      // jumps x columns of the motion: b'
  mbs_scalar *values;      // jumps: b
  mbs_scalar *rest;        // rows of `system`: what is left of them
  MbsStateBar bar;         // of `system`
  mbs_scalar *gradient;    // its columns
} MbsImpulse;

// epsilon: of the projection; has_redundancy: of the motion's constraints; is_swept: there will be transposes.
MbsStatus mbs_impulse_create(MbsContext *context, MbsSystem *motion, const MbsEventSpec *event, double epsilon,
                             bool has_redundancy, bool is_swept, MbsImpulse **impulse);
void mbs_impulse_destroy(MbsImpulse *impulse);

// Before variables get their new values: b at the state, whose signals are evaluated (asserted).
void mbs_impulse_take_targets(MbsImpulse *impulse, const MbsState *state);
// The state's v. Says which velocity cannot be reached, and which constraint is off, if one is.
MbsStatus mbs_impulse_apply(MbsContext *context, MbsImpulse *impulse, MbsState *state);
// Before it: the derivatives of the targets at the state before, whose columns were taken (signal_bank.h).
void mbs_impulse_take_columns(MbsImpulse *impulse, const MbsState *state, const MbsColumns *columns);
// After it: V from that of v- to that of v+, for all columns of the motion.
void mbs_impulse_derivative(MbsImpulse *impulse, const MbsColumns *columns);
// After it: from what v+ has received, in bar->v, to q and v-, and to `gradient` (columns of the motion, with new
// values of variables); and what targets have received to `targets`. Then from there, with old values of variables and
// at the state before, whose signals are evaluated.
void mbs_impulse_transposed(MbsImpulse *impulse, const MbsStateBar *bar, mbs_scalar *gradient, mbs_scalar *targets);
void mbs_impulse_targets_transposed(MbsImpulse *impulse, const MbsState *before, const mbs_scalar *targets,
                                    const MbsStateBar *bar);

#endif
