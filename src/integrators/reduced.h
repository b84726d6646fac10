// Matrix R: a step of the independent coordinates z = w(q) alone (P3 sections 2.2 and 3.1, in natural coordinates).
//
// With the integrator's hats of z (rule.h: z = zh + c0 s, z' = zh' + c1 s, s = z''), K = [Phi_q; w_q] and the unknowns
// s, a step solves
//     E0   Phi(q) = 0,      w(q) = z            the position problem
//     E1   Phidot = 0,      w' = z'             K v = ...
//     E2   Phiddot = 0,     w'' = s             K a = ...
//     E3   M a + Phi_q' lambda = Q,             K' y = M a - Q: lambda = -y of Phi's rows, R' (M a - Q) = y of w's
// by Newton's iteration on rho(s) = R' (M a - Q), whose matrix has a column for each independent coordinate:
//     J = R' (f_q X + f_v V + M A),  K X = (0; c0 I),  K V = -(E1)_q X + (0; c1 I),  K A = -(E2)_q X - (E2)_v V + (0;
//     I).
// Of redundant constraints only independent ones are in K; multipliers are then the smallest
// (integrators/projection.h).
//
// The state that is handed on is the whole q, v, a: hats are w, w', w'' of it. So the independent set may change
// between steps, and does where K loses quality; derivatives need no special care.
#ifndef MBS_REDUCED_H
#define MBS_REDUCED_H

#include "integrators/replay.h"
#include "integrators/stepper.h"

typedef struct MbsReduced {
  MbsSystem *system;
  MbsStepper *stepper;  // for the rule, the tolerance, the count of iterations, the smallest multipliers
  int count;            // of independent coordinates
  int set_count, set_capacity;
  MbsInitial **sets;          // their choices, with K of each
  double *growth;             // by set: the largest entry of R when it was chosen
  int growth_capacity;        // of that list
  int current, next;          // set of the step that was made, and of the next one
  long step_count;            // of the run
  int *set_of_step;           // by step
  bool is_repeated;           // steps are walked again with their sets, or with those of another run
  MbsState old, accepted;     // before the step that was made, and after it
  mbs_scalar *level[3];       // count: w, w', w'' of the state before the step
  mbs_scalar *s, *z, *rate;   // count
  mbs_scalar *X, *V, *A;      // nq each, by independent coordinate: derivatives with respect to s
  mbs_scalar *J;              // count x count, factored
  int *pivot;                 // of J
  mbs_scalar *rho, *y, *rhs;  // count; n; n
  mbs_scalar *r;              // n + m
  mbs_scalar *levels;         // m
  mbs_scalar *Z[3];           // count x columns: derivatives of `level`
  mbs_scalar *R, *S;          // (n + m) x columns; count x columns
  MbsStateBar scratch;        // for products whose coefficients do not count
  mbs_scalar *p[4];           // n each: adjoint variables of E0 ... E3
} MbsReduced;

// `state` is the assembled start. steps: of the run.
MbsStatus mbs_reduced_create(MbsContext *context, MbsSystem *system, MbsStepper *stepper, long steps,
                             MbsReduced **reduced);
void mbs_reduced_destroy(MbsReduced *reduced);

// After the start: its independent coordinates, chosen at this position; or those of the run whose record is given.
MbsStatus mbs_reduced_start(MbsContext *context, MbsReduced *reduced, const MbsReplay *replay, const MbsState *state);
// What was decided, for another run; in the arena.
MbsStatus mbs_reduced_record(MbsContext *context, MbsArena *arena, const MbsReduced *reduced, MbsReplay *replay);
// One step of size h, the `step`th, to the time in the state.
MbsStatus mbs_reduced_step(MbsContext *context, MbsReduced *reduced, double h, long step, MbsState *state);

// Steps go on from this state; is_repeated: they were walked before, with the sets of then.
void mbs_reduced_resume(MbsReduced *reduced, const MbsState *state, bool is_repeated);

// The derivative of the step (P3 (37)-(61) with K's factors for everything).
MbsStatus mbs_reduced_step_derivative(MbsContext *context, MbsReduced *reduced, double h, const MbsState *state,
                                      const MbsColumns *columns);

// The transpose. `hats`: 3 x count, what the next step's hats received of w, w', w''; handle takes them to the state,
// step_transposed leaves those of this step there (and nothing in q, v, a of `bar`).
void mbs_reduced_handle_hats(const MbsReduced *reduced, int set, const MbsState *state, const MbsStateBar *bar,
                             mbs_scalar *hats);
MbsStatus mbs_reduced_prepare_transposed(MbsContext *context, MbsReduced *reduced, double h, long step,
                                         const MbsState *state);
void mbs_reduced_step_transposed(MbsReduced *reduced, double h, const MbsState *state, const MbsStateBar *bar,
                                 mbs_scalar *hats);

// The same at one instant alone, E0 ... E3 with z = zh + c0 s, z' = zh' + c1 s for these coordinates: from the
// derivatives of a number with respect to the state and to s (NULL: zero) to those with respect to zh and zh'.
MbsStatus mbs_reduced_prepare_instant(MbsContext *context, MbsReduced *reduced, int set, double c0, double c1,
                                      const MbsState *state);
void mbs_reduced_instant_transposed(MbsReduced *reduced, double c0, double c1, const MbsState *state,
                                    const MbsStateBar *bar, const mbs_scalar *s, mbs_scalar *z, mbs_scalar *rate);

// ---- shared by the files of reduced ----
// w, w' or w'' of independent coordinate i; signals must be evaluated at the state
mbs_scalar mbs_reduced_level(const MbsInitial *set, int i, int level, const MbsState *state);
// K at the state and J from it, factored
MbsStatus mbs_reduced_factor(MbsContext *context, MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state);
// b = J^-1 b, or J^-T b
void mbs_reduced_solve(const MbsReduced *reduced, bool is_transposed, mbs_scalar *b);

static inline int mbs_reduced_row(const MbsReduced *reduced, int i) {
  return reduced->system->n - reduced->count + i;  // of w_i in K
}

#endif
