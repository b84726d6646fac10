// Newmark's rule in acceleration form (theory: the unknown is the acceleration, not the position, so
// that small steps lose no digits):
//     q = qh + beta h^2 a,   qh = q_n + h v_n + h^2 (1/2 - beta) a_n
//     v = vh + gamma h a,    vh = v_n + h (1 - gamma) a_n
//     r(t, q, v, a, lambda) = 0
// beta = 1/4, gamma = 1/2 is the trapezoidal rule.
#ifndef MBS_NEWMARK_H
#define MBS_NEWMARK_H

#include "algebra/sparse_solver.h"
#include "formulations/formulation.h"

typedef struct MbsNewmark {
  const MbsFormulation *formulation;
  double beta, gamma;
  double tolerance;
  long iterations;  // so far
  MbsSparseSolver *solver;
  mbs_scalar *tangent;      // values of the assembled matrix
  mbs_scalar *r;            // n + m
  mbs_scalar *R;            // (n + m) x columns
  mbs_scalar *previous[2];  // n + m each: accelerations and multipliers one and two steps ago
  int previous_count;       // how many of them there are
} MbsNewmark;

MbsStatus mbs_newmark_create(MbsContext *context, const MbsFormulation *formulation, const MbsSettings *settings,
                             MbsNewmark *newmark);
void mbs_newmark_destroy(MbsNewmark *newmark);

// Solves r = 0 for a and lambda with q and v given: the start.
MbsStatus mbs_newmark_start(MbsContext *context, MbsNewmark *newmark, MbsState *state);
// One step of size h, to the time in the state. On failure the state is not usable.
MbsStatus mbs_newmark_step(MbsContext *context, MbsNewmark *newmark, double h, MbsState *state);

// The derivatives of what start and step computed, with respect to the system's columns: exact, since
// they differentiate the discrete equations. X, V, A: nq per column, L: m per column. start takes X and
// V and gives A and L; step takes those of the old state and gives those of the new.
MbsStatus mbs_newmark_start_derivative(MbsContext *context, MbsNewmark *newmark, const MbsState *state,
                                       const mbs_scalar *X, const mbs_scalar *V, mbs_scalar *A, mbs_scalar *L);
MbsStatus mbs_newmark_step_derivative(MbsContext *context, MbsNewmark *newmark, double h, const MbsState *state,
                                      mbs_scalar *X, mbs_scalar *V, mbs_scalar *A, mbs_scalar *L);

#endif
