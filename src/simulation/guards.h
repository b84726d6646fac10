// The guards of a run: arguments of functions that jump (model/jump.c), watched from step to step.
//
// A guard g is on a side, g < 0 or g >= 0 (of sign(g), which has a value of its own at zero: g > 0; of floor(g) between
// two whole numbers, n <= g < n + 1). Where an accepted
// step ends on the other side of a guard, the expression may have jumped. Whether it did, and when, is found between
// the two states: with all inputs (time, signals) taken as linear in between, the place where the guard passes zero (of
// floor: the first whole number) is enclosed to the last bit, and the expression evaluated on either side of it. So
// step(t - T) jumps at T exactly, and x*step(x), which is continuous, does not jump at all.
//
// A guard that is exactly zero at the start is on no side until it leaves zero: the side it goes to first counts as the
// one it started on, so that step(t) and friction at rest, sign(v) from v = 0, have not jumped. Later, zero is on the
// side where the function's value belongs, step(0) = 1: a jump at exactly a step's time is seen by that step. What
// passes zero twice within a step is not seen.
//
// Kinks. Where a guard is exactly zero at the end of a step, by rounding, and moves with state or parameters, the value
// there has two one-sided derivatives, of which a gradient has one and a difference of runs the mean, or the other. It
// is one if the second difference of the values along the last step, f(1+e) - 2 f(1) + f(1-e), falls with e: with its
// square they are smooth, and if it stays they jump, which is said anyway. Nothing is said of the start, where guards
// are often zero with all parameters.
//
// Events (located inside the step, with their derivatives) are to stand on this list.
#ifndef MBS_GUARDS_H
#define MBS_GUARDS_H

#include "terms/terms.h"

typedef struct MbsGuard {
  const MbsGuardSpec *spec;
  double side;   // at the last accepted state: -1, 1, of floor the whole number below; NaN: none yet
  double value;  // there
} MbsGuard;

// One expression with its guards.
typedef struct MbsJumpWatch {
  const MbsJumpSpec *spec;
  MbsGuard *guards;
  MbsTape *guard_tape;  // the guards alone, once per step
  mbs_scalar *guard_inputs;
  MbsTape *tape;                       // the guards, then the values
  mbs_scalar *before, *now, *between;  // its inputs at the last accepted state and at this one; and in between
  mbs_scalar *outputs, *other;         // on either side of a jump
  mbs_scalar *bend[2];                 // second differences
  long moved_count, fixed_count;       // jumps that move with state or parameters, and at fixed times
  double moved_time, fixed_time;       // the first of each
  long kink_count;                     // kinks exactly at the end of a step
  double kink_time;
} MbsJumpWatch;

typedef struct MbsGuards {
  const MbsSystem *system;
  int count;
  MbsJumpWatch *watches;
} MbsGuards;

MbsStatus mbs_guards_create(MbsContext *context, MbsSystem *system, MbsGuards *guards);
// At the start, and at every accepted state; signals are evaluated there (asserted). t_before: of the one before.
// Neither allocates.
void mbs_guards_start(const MbsGuards *guards, const MbsState *state);
// After an event: what was passed there was not on the way.
void mbs_guards_jump(const MbsGuards *guards, const MbsState *state);
void mbs_guards_accept(const MbsGuards *guards, const MbsState *state, double t_before);

#endif
