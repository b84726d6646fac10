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
//
// Of an impact with friction b is found by its law (impact_law.h) from the masses that impulses along w meet. With
// W = w_q Mc^-1 w_q', where Mc^-1 is what masses and constraints leave of M^-1, and u the rates of w before,
//     w_q v+ + w_t = u - W P,   so that reaching b takes   P(b) = K (u - b),   K = W^-1
// and P is a multiplier of the projection, with derivative and transpose as v+ has them. So the projection is done for
// b = 0, (z, 0) and (0, z) first, with z a fixed number of the size of the rates:
//     r = K u = P(0),    K = (P(0) - P(z, 0), P(0) - P(0, z)) / z,    b = law(K, r, e, mu)
// Where the event also changes what constraints ask for, u are the rates after that and before the impact.
#ifndef MBS_IMPULSE_H
#define MBS_IMPULSE_H

#include "integrators/projection.h"
#include "simulation/impact_law.h"
#include "terms/terms.h"

typedef struct MbsImpulse {
  const MbsEventSpec *event;
  MbsSystem *motion;  // whose states are before and after
  MbsSystem *system;  // with the rows of the event; coordinates and first columns are the motion's
  MbsProjector *projector;
  MbsFunction *given;      // of the motion: b; of an impact with friction: e, mu
  MbsState before, after;  // of `system`
  MbsColumns columns;      // of `system`
  mbs_scalar *slopes;      // jumps x columns of the motion: of what is given, then b'
  mbs_scalar *values;      // jumps: what is given
  mbs_scalar *targets;     // jumps: b
  MbsImpactRates impact;   // with friction: b by its inputs
  double unit;             // z
  mbs_scalar *probed;      // with friction: of K and r, inputs x columns of the motion
  mbs_scalar *rest;        // rows of `system`: what is left of them
  mbs_scalar *held;        // rows of the motion: what was left of them before the event
  MbsStateBar bar;         // of `system`
  mbs_scalar *gradient;    // its columns
} MbsImpulse;

// epsilon: of the projection; has_redundancy: of the motion's constraints; is_swept: there will be transposes.
MbsStatus mbs_impulse_create(MbsContext *context, MbsSystem *motion, const MbsEventSpec *event, double epsilon,
                             bool has_redundancy, bool is_swept, MbsImpulse **impulse);
void mbs_impulse_destroy(MbsImpulse *impulse);

// Before variables get their new values: b (or e, mu) at the state, whose signals are evaluated (asserted).
void mbs_impulse_take_given(MbsImpulse *impulse, const MbsState *state);
// The state's v. Says which velocity cannot be reached, and which constraint is off, if one is. drift: how far
// constraints have been off on the way.
MbsStatus mbs_impulse_apply(MbsContext *context, MbsImpulse *impulse, double drift, MbsState *state);
// Before it: the derivatives of what is given at the state before, whose columns were taken (signal_bank.h).
void mbs_impulse_take_columns(MbsImpulse *impulse, const MbsState *state, const MbsColumns *columns);
// After it: V from that of v- to that of v+, for all columns of the motion.
void mbs_impulse_derivative(MbsImpulse *impulse, const MbsColumns *columns);
// After it: from what v+ has received, in bar->v, to q and v-, and to `gradient` (columns of the motion, with new
// values of variables); and what is given has received to `given`. Then from there, with old values of variables and
// at the state before, whose signals are evaluated.
void mbs_impulse_transposed(MbsImpulse *impulse, const MbsStateBar *bar, mbs_scalar *gradient, mbs_scalar *given);
void mbs_impulse_given_transposed(MbsImpulse *impulse, const MbsState *before, const mbs_scalar *given,
                                  const MbsStateBar *bar);

#endif
