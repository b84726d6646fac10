// A generic admissible position: where the constraints hold and nothing is special.
//
// Which constraints are redundant can be seen at such a position only. Three parallel cranks of equal length under
// one bar move, because one of the constraints depends on the others wherever they hold; a little beside such a
// position they are independent and seem to leave no freedom. A start drawn in a straight line is the opposite:
// dependent there, independent at every position nearby that is admissible. So: shake, then go back to Phi = 0.
//
// Phi_q may lose rank where Phi = 0, so plain Newton is of no use. Levenberg and Marquardt's step
//     (Phi_q' Phi_q + mu I) dq = -Phi_q' Phi,      mu = |Phi|^2,
// converges quadratically to a nearby zero all the same (Yamashita, Fukushima 2001). mu stays above rounding.
#include <math.h>

#include "algebra/saddle.h"
#include "kinematics/initial.h"

typedef struct Projection {
  const MbsSystem *system;
  MbsJacobian jacobian;
  MbsSaddle *saddle;
  mbs_scalar *levels;  // Phi, m
  double *Phi, *step;  // m; n
} Projection;

static MbsStatus prepare(MbsContext *context, MbsArena *arena, const MbsSystem *system, Projection *p) {
  p->system = system;
  MBS_TAKE(context, arena, p->levels, system->m);
  MBS_TAKE(context, arena, p->Phi, system->m);
  MBS_TAKE(context, arena, p->step, system->n);
  MBS_TRY(mbs_jacobian_create(context, arena, system, &p->jacobian));
  return mbs_saddle_create(context, arena, &p->jacobian.rows, &p->saddle);
}

// Phi at the state; returns its Euclidean norm
static double residual(const Projection *p, const MbsState *state) {
  double square = 0;
  mbs_terms_constraints(p->system, state, p->levels, NULL, NULL);
  for (int k = 0; k < p->system->m; ++k) {
    p->Phi[k] = mbs_re(p->levels[k]);
    square += p->Phi[k] * p->Phi[k];
  }
  return sqrt(square);  // real
}

// mu: rounding in Phi_q' Phi_q is 1e-16 of its longest row's square
static double damping(const Projection *p, double off) {
  const double least = 1e-12;
  double longest = 0;
  for (int k = 0; k < p->system->m; ++k) {
    longest = fmax(longest, mbs_jacobian_length(&p->jacobian, k));  // real
  }
  return fmax(off * off, least * longest * longest);  // real
}

static bool project(Projection *p, MbsState *state) {
  enum { MOST_ITERATIONS = 60 };
  const double close = 1e-11;  // far below the tolerance of rank decisions
  double size = mbs_state_size(p->system, state);
  double off = residual(p, state);
  for (int iteration = 0; iteration < MOST_ITERATIONS; ++iteration) {
    mbs_jacobian_evaluate(&p->jacobian, state);
    if (!isfinite(off) || !mbs_saddle_factor(p->saddle, damping(p, off))) {
      return false;
    }
    mbs_saddle_least_squares(p->saddle, p->Phi, p->step);
    for (int i = 0; i < p->system->n; ++i) {
      state->q[i] -= p->step[i];
    }
    off = residual(p, state);
    if (off <= close * fmax(size * size, size)) {  // real
      return true;
    }
  }
  return false;
}

MbsStatus mbs_initial_project(MbsContext *context, const MbsSystem *system, MbsState *state, bool *is_admissible) {
  Projection p = {.system = system};
  MbsArena *arena = mbs_arena_create_for(context);
  MbsStatus status =
      arena ? prepare(context, arena, system, &p) : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  *is_admissible = status == MBS_OK && project(&p, state);
  mbs_saddle_destroy(p.saddle);
  mbs_arena_destroy(arena);
  return status;
}
