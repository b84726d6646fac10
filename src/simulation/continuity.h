// What is not defined at a state, or has no derivative there, though every number of it is finite.
//
// A spring whose points meet has no direction; norm(x), distance(), abs(x), sqrt(x) and x^p have no derivative at x =
// 0. Exactly at zero that is a division by zero, and found as such. But a mechanism comes to such a place only up to
// rounding, and there x / |x| is a direction made of rounding errors: finite, and another one in other coordinates.
// What tells is a state s shaken by less than anybody can mean,
//     s+- = s +- e S,      e = 1e-12, S: what the numbers of s are counted in, with a sign and a factor of their own
// A continuous function f changes by the order of e. One that is not changes by as much as there is of it:
//     |f(s+) - f(s-)|, |f(s+) - f(s)| > 1e-3 max |f|      (at s, s+-, and s +- 1e-2 S, where f has its usual size)
// f is the force of each element, the gradient of each constraint that is an expression and of each independent
// coordinate: these must be defined at the start. And the derivatives of objectives with respect to all that moves: a
// final one has a gradient if they are defined at the end; an integral may have a kink now and then, which is a step's
// share of it, but not at the first step and at the last (an integrand that stays at its kink).
// Functions that jump are not looked at here: the guards watch them (guards.h).
#ifndef MBS_CONTINUITY_H
#define MBS_CONTINUITY_H

#include "terms/terms.h"

struct MbsSimulation;

enum { MBS_CONTINUITY_STATES = 5 };  // s, s+, s-, and the two far from it

// A vector of numbers that are looked at together.
typedef struct MbsContinuityItem {
  int index;         // of the force, constraint, independent coordinate or objective
  int start, count;  // in the values
  // of an objective: how often, where it was looked at, it had no derivative; and how often no value
  int without_derivative, without_value;
} MbsContinuityItem;

typedef struct MbsContinuityList {
  int count;
  MbsContinuityItem *items;
} MbsContinuityList;

typedef struct MbsContinuity {
  MbsState state[MBS_CONTINUITY_STATES];
  MbsContinuityList forces, constraints, independents, objectives;
  double *values[MBS_CONTINUITY_STATES];
  double *unit;  // by value
  double mass;   // of all bodies
} MbsContinuity;

MbsStatus mbs_continuity_create(MbsContext *context, struct MbsSimulation *simulation);
// With the positions and velocities of the start: is all that must be defined there? Else the message says what is not.
MbsStatus mbs_continuity_check_start(MbsContext *context, struct MbsSimulation *simulation);
// After each step; looks at objectives at the first and the last. Allocates nothing.
void mbs_continuity_watch(struct MbsSimulation *simulation);
// After the run: does this objective (an item of theirs) lack a gradient, or even a value?
bool mbs_continuity_lacks(const struct MbsSimulation *simulation, const MbsContinuityItem *objective, bool is_value);

#endif
