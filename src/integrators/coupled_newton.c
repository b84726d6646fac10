// Newton's iteration on all stages of a step together. See coupled.h, and newton.c for what it does where: the same
// here.
#include <math.h>

#include "integrators/coupled.h"

enum { PATIENCE = 15 };
static const double least_part = 1e-3;

#ifdef MBS_COMPLEX
enum { FURTHER_ITERATIONS = 2 };
static const double fast = 0;
#else
enum { FURTHER_ITERATIONS = 0 };
static const double fast = 0.05;
#endif

// q and v of all stages, by their accelerations
static void place(MbsCoupled *coupled, mbs_scalar h) {
  int n = coupled->implicit.formulation->system->n;
  for (int i = 0; i <= coupled->end; ++i) {
    const MbsState *at = mbs_coupled_at(coupled, i);
    mbs_scalar ahead = coupled->method->c[i] * h;
    for (int k = 0; k < n; ++k) {
      mbs_scalar q = 0, v = 0;
      for (int j = 0; j <= coupled->end; ++j) {
        mbs_scalar a = mbs_coupled_at(coupled, j)->a[k];
        q += coupled->position[i][j] * a;
        v += coupled->method->a[i][j] * a;
      }
      at->q[k] = coupled->begin_q[k] + (ahead * coupled->begin_v[k] + h * h * q);
      at->v[k] = coupled->begin_v[k] + h * v;
    }
  }
}

// J, of which e has these weights; the last block is that of the first stage
static void assemble(MbsCoupled *coupled, mbs_scalar h, const MbsWeights *weights, bool is_exact) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  const MbsPattern *own = &system->mode.factored;
  for (int i = coupled->end; i >= 0; --i) {
    const MbsState *at = mbs_coupled_at(coupled, i);
    mbs_signal_bank_try(system, at);
    for (int j = coupled->end; j >= 0; --j) {
      mbs_scalar c0 = h * h * coupled->position[i][j], c1 = h * coupled->method->a[i][j];
      mbs_terms_factorable(system, is_exact, at, weights, c0, c1, i == j ? 1 : 0, coupled->block);
      for (int k = 0; k < own->entry_count; ++k) {
        coupled->values[coupled->map[i][j][k]] = coupled->block[k];
      }
    }
  }
}

static MbsStatus singular(MbsContext *context, MbsCoupled *coupled) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  for (int i = 0; i < coupled->end; ++i) {
    if (mbs_terms_find_bad_force(system, mbs_coupled_at(coupled, i))) {
      return mbs_newton_singular(context, system, mbs_coupled_at(coupled, i), true);
    }
  }
  return mbs_newton_singular(context, system, mbs_coupled_at(coupled, coupled->end), true);
}

static MbsStatus factor(MbsContext *context, MbsCoupled *coupled, mbs_scalar h, bool is_exact) {
  MbsWeights weights = mbs_coupled_weights(coupled, h);
  double relaxation = coupled->implicit.formulation->relaxation;
  weights.epsilon = mbs_re(weights.epsilon) > 0 ? weights.epsilon : relaxation;
  weights.n_epsilon = mbs_re(weights.n_epsilon) > 0 ? weights.n_epsilon : relaxation;
  assemble(coupled, h, &weights, is_exact);
  return mbs_sparse_solver_factor(coupled->solver, coupled->values) ? MBS_OK : singular(context, coupled);
}

MbsStatus mbs_coupled_factor(MbsContext *context, MbsCoupled *coupled, mbs_scalar h) {
  const MbsImplicit *implicit = &coupled->implicit;
  const MbsWeights weights = mbs_coupled_weights(coupled, h);
  mbs_newton_set_relaxation(implicit->formulation, &weights, coupled->refinement.epsilon);
  if (implicit->has_redundancy) {
    coupled->refinement.is_relaxed = implicit->formulation->relaxation > 0;
    return factor(context, coupled, h, true);
  }
  assemble(coupled, h, &weights, true);
  return mbs_refinement_factor(&coupled->refinement, coupled->values) ? MBS_OK : singular(context, coupled);
}

// u -= a part of the correction
static void move(MbsCoupled *coupled, mbs_scalar h, double part) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  int n = system->n, size = n + system->m;
  for (int i = 0; i <= coupled->end; ++i) {
    const MbsState *at = mbs_coupled_at(coupled, i);
    const mbs_scalar *change = coupled->correction + i * size;
    for (int k = 0; k < n; ++k) {
      at->a[k] -= part * change[k];
    }
    for (int k = 0; k < system->m; ++k) {
      at->lambda[k] -= part * change[n + k];
    }
  }
  place(coupled, h);
}

static void correct(MbsCoupled *coupled, mbs_scalar h) {
  int size = coupled->implicit.formulation->system->n + coupled->implicit.formulation->system->m;
  (void)mbs_put(coupled->correction, (coupled->end + 1) * size, coupled->r);
  mbs_sparse_solver_solve(coupled->solver, 1, coupled->correction);
  move(coupled, h, 1);
}

// of all stages; returns that of which most is left
static int measure(MbsCoupled *coupled, mbs_scalar h, const MbsWeights *weights, double rest, MbsNewtonLeft *left) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  int worst = 0, size = system->n + system->m;
  for (int i = 0; i <= coupled->end; ++i) {
    left[i] = mbs_newton_measure(system, mbs_coupled_at(coupled, i), weights, h, rest, coupled->implicit.tolerance,
                                 coupled->r + i * size);
    bool is_worse = left[i].largest > left[worst].largest || isnan(left[i].largest);
    worst = is_worse && !isnan(left[worst].largest) ? i : worst;
  }
  return worst;
}

static bool is_rounding(MbsCoupled *coupled, const MbsWeights *weights, const MbsNewtonLeft *left) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  bool is_all = true;
  for (int i = 0; i <= coupled->end && is_all; ++i) {
    const mbs_scalar *r = coupled->r + i * (system->n + system->m);
    is_all =
        left[i].largest <= coupled->implicit.tolerance ||
        mbs_newton_is_rounding(system, mbs_coupled_at(coupled, i), weights, &left[i], coupled->implicit.tolerance, r);
  }
  return is_all;
}

MbsStatus mbs_coupled_solve(MbsContext *context, MbsCoupled *coupled, mbs_scalar h) {
  MbsImplicit *implicit = &coupled->implicit;
  const MbsSystem *system = implicit->formulation->system;
  const MbsWeights weights = mbs_coupled_weights(coupled, h);
  MbsNewtonLeft left[MBS_MOST_COUPLED];
  double residual = 0, best = HUGE_VAL, before = 0, rest = 0, taken = 1;
  int least = -1, further = FURTHER_ITERATIONS;
  place(coupled, h);
  for (int iteration = 0; iteration < MBS_MOST_ITERATIONS; ++iteration) {
    int worst = measure(coupled, h, &weights, rest, left);
    residual = left[worst].largest;
    if (residual < best) {
      best = residual;
      least = left[worst].part[1] > implicit->tolerance ? left[worst].worst : -1;
    }
    if (!isfinite(residual)) {
      return mbs_newton_not_finite(context, system, mbs_coupled_at(coupled, worst), true);
    }
    bool is_solved = residual <= implicit->tolerance ||
                     (iteration > 1 && !(residual < fast * before) && is_rounding(coupled, &weights, left));
    if (is_solved && iteration > 0 && further-- <= 0) {
      correct(coupled, h);
      return MBS_OK;
    }
    if (iteration >= PATIENCE && !(residual < (1 - 0.1 * taken) * before) && taken > least_part) {
      taken /= 2;
      move(coupled, h, -taken);
      continue;
    }
    taken = 1;
    if (iteration == 0 || !(residual < fast * before)) {
      MBS_TRY(factor(context, coupled, h, !implicit->is_approximate));
      rest = mbs_newton_rest(system, &weights, coupled->block);
    }
    correct(coupled, h);
    before = residual;
    implicit->base.iterations += 1;
  }
  return mbs_newton_fails(context, system, least, mbs_re(mbs_coupled_at(coupled, coupled->end)->t), residual,
                          implicit->tolerance);
}
