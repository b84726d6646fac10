// Newton's iteration, economically: the unknowns are extrapolated from the last three steps, the tangent is
// factored at that prediction, and further iterations keep the factors while they converge fast. The equations
// that are solved do not depend on any of this.
#include "integrators/newmark.h"

#include <math.h>

enum { MOST_ITERATIONS = 40 };

// The complex twin factors anew in each iteration and iterates on: once the real part is solved, each further
// full iteration makes the imaginary part (the derivative) exact.
#ifdef MBS_COMPLEX
enum { FURTHER_ITERATIONS = 2 };
static const double fast = 0;
#else
enum { FURTHER_ITERATIONS = 0 };
static const double fast = 0.05;  // an iteration that shrinks the residual more than this keeps the factors
#endif

MbsStatus mbs_newmark_create(MbsContext *context, const MbsFormulation *formulation, const MbsSettings *settings,
                             MbsNewmark *newmark) {
  const MbsSystem *system = formulation->system;
  int size = system->n + system->m;
  *newmark = (MbsNewmark){.formulation = formulation, .beta = 0.25, .gamma = 0.5, .tolerance = settings->tolerance};
  MBS_TAKE(context, system->arena, newmark->tangent, system->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, newmark->r, size);
  MBS_TAKE(context, system->arena, newmark->previous[0], size);
  MBS_TAKE(context, system->arena, newmark->previous[1], size);
  MBS_TAKE(context, system->arena, newmark->R, (size_t)size * (size_t)system->column_count);
  return mbs_sparse_solver_create(context, system->arena, &system->mode.pattern, &newmark->solver);
}

void mbs_newmark_destroy(MbsNewmark *newmark) { mbs_sparse_solver_destroy(newmark->solver); }

// the larger of |f| and |e| against the magnitude of what they are made of
static double scaled_residual(const MbsSystem *system, const mbs_scalar *r, const double scale[2]) {
  double largest[2] = {0, 0};
  for (int i = 0; i < system->n + system->m; ++i) {
    double magnitude = mbs_re(mbs_abs(r[i]));
    int part = i < system->n ? 0 : 1;
    if (!(magnitude <= largest[part])) {  // NaN too
      largest[part] = magnitude;
    }
  }
  double f = scale[0] > 0 ? largest[0] / scale[0] : largest[0];
  double e = scale[1] > 0 ? largest[1] / scale[1] : largest[1];
  return f > e || isnan(f) ? f : e;
}

static MbsStatus not_finite(MbsContext *context, const MbsSystem *system, const MbsState *state, bool is_step) {
  const char *advice = is_step ? "; the motion may be unstable: try a smaller --step" : "";
  const char *name = mbs_terms_find_bad_force(system, state);
  if (!name) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                    "the residual is not a finite number at t = %.10g: numbers overflow%s", mbs_re(state->t), advice);
  }
  MbsPlace place = mbs_nowhere;
  for (int i = 0; i < system->blueprint->forces.count; ++i) {
    const MbsForceSpec *force = &system->blueprint->forces.items[i];
    place = force->name == name ? force->place : place;
  }
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, place,
      "%s or its derivative is not a finite number at t = %.10g: a division by zero, a domain error, an overflow, "
      "a spring whose points meet and which has no direction then, or norm() of zero%s",
      name, mbs_re(state->t), advice);
}

static MbsStatus factor(MbsContext *context, MbsNewmark *newmark, const MbsState *state, double c0, double c1) {
  mbs_formulation_tangent(newmark->formulation, state, c0, c1, 1, newmark->tangent);
  if (!mbs_sparse_solver_factor(newmark->solver, newmark->tangent)) {
    if (mbs_terms_find_bad_force(newmark->formulation->system, state)) {
      return not_finite(context, newmark->formulation->system, state, c0 > 0);
    }
    return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere, "the equations are singular at t = %.10g",
                    mbs_re(state->t));
  }
  return MBS_OK;
}

// u -= r solved; q and v follow
static void correct(MbsNewmark *newmark, double c0, double c1, MbsState *state) {
  const MbsSystem *system = newmark->formulation->system;
  mbs_sparse_solver_solve(newmark->solver, 1, newmark->r);
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar change = newmark->r[i];
    state->a[i] -= change;
    state->v[i] -= c1 * change;
    state->q[i] -= c0 * change;
  }
  for (int i = 0; i < system->m; ++i) {
    state->lambda[i] -= newmark->r[system->n + i];
  }
}

// Newton on the residual; c0 = dq/da, c1 = dv/da
static MbsStatus solve(MbsContext *context, MbsNewmark *newmark, double c0, double c1, MbsState *state) {
  const MbsSystem *system = newmark->formulation->system;
  double residual = 0, before = 0;
  int further = FURTHER_ITERATIONS;
  for (int iteration = 0; iteration < MOST_ITERATIONS; ++iteration) {
    double scale[2];
    mbs_formulation_residual(newmark->formulation, state, newmark->r, scale);
    residual = scaled_residual(system, newmark->r, scale);
    if (!isfinite(residual)) {
      return not_finite(context, system, state, c0 > 0);
    }
    if (residual <= newmark->tolerance && iteration > 0 && further-- <= 0) {
      // the factors at hand are a little old but good: they remove most of what is left
      correct(newmark, c0, c1, state);
      return MBS_OK;
    }
    if (iteration == 0 || !(residual < fast * before)) {
      MBS_TRY(factor(context, newmark, state, c0, c1));
    }
    correct(newmark, c0, c1, state);
    before = residual;
    newmark->iterations += 1;
  }
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, mbs_nowhere,
      "Newton's iteration does not converge at t = %.10g: scaled residual %.3g after %d iterations, wanted %.3g; "
      "try a smaller --step or a larger --tolerance, and make force laws that jump (sign, step) smooth",
      mbs_re(state->t), residual, MOST_ITERATIONS, newmark->tolerance);
}

MbsStatus mbs_newmark_start(MbsContext *context, MbsNewmark *newmark, MbsState *state) {
  newmark->previous_count = 0;
  return solve(context, newmark, 0, 0, state);
}

// u(n+1) by the polynomial through u(n), u(n-1), u(n-2), as far as they exist; remembers u(n)
static void extrapolate(MbsNewmark *newmark, int offset, int count, mbs_scalar *u) {
  mbs_scalar *one = newmark->previous[0] + offset;
  mbs_scalar *two = newmark->previous[1] + offset;
  for (int i = 0; i < count; ++i) {
    mbs_scalar now = u[i];
    if (newmark->previous_count == 1) {
      u[i] = 2 * now - one[i];
    } else if (newmark->previous_count == 2) {
      u[i] = 3 * (now - one[i]) + two[i];
    }
    two[i] = one[i];
    one[i] = now;
  }
}

MbsStatus mbs_newmark_step(MbsContext *context, MbsNewmark *newmark, double h, MbsState *state) {
  const MbsSystem *system = newmark->formulation->system;
  double c0 = newmark->beta * h * h, c1 = newmark->gamma * h;
  double old_q = (0.5 - newmark->beta) * h * h, old_v = (1 - newmark->gamma) * h;
  for (int i = 0; i < system->n; ++i) {
    state->q[i] += h * state->v[i] + old_q * state->a[i];
    state->v[i] += old_v * state->a[i];
  }
  extrapolate(newmark, 0, system->n, state->a);
  extrapolate(newmark, system->n, system->m, state->lambda);
  newmark->previous_count += newmark->previous_count < 2;
  for (int i = 0; i < system->n; ++i) {
    state->q[i] += c0 * state->a[i];
    state->v[i] += c1 * state->a[i];
  }
  return solve(context, newmark, c0, c1, state);
}

// A, L = -T^-1 R with R = r_x X + r_v V + r_rho
static MbsStatus solve_columns(MbsContext *context, MbsNewmark *newmark, double c0, double c1, const MbsState *state,
                               const mbs_scalar *X, const mbs_scalar *V, mbs_scalar *A, mbs_scalar *L) {
  const MbsSystem *system = newmark->formulation->system;
  int size = system->n + system->m;
  for (int i = 0; i < size * system->column_count; ++i) {
    newmark->R[i] = 0;
  }
  // the accelerations of the free coordinates are what is solved for; a moving ground's are given
  bool is_moving = system->moving.count > 0;
  for (int k = 0; k < system->column_count && is_moving; ++k) {
    for (int i = 0; i < system->n; ++i) {
      A[k * system->nq + i] = 0;
    }
  }
  mbs_formulation_derivative(newmark->formulation, state, X, V, is_moving ? A : NULL, newmark->R);
  MBS_TRY(factor(context, newmark, state, c0, c1));
  mbs_sparse_solver_solve(newmark->solver, system->column_count, newmark->R);
  for (int k = 0; k < system->column_count; ++k) {
    const mbs_scalar *column = newmark->R + k * size;
    for (int i = 0; i < system->n; ++i) {
      A[k * system->nq + i] = -column[i];
    }
    for (int i = 0; i < system->m; ++i) {
      L[k * system->m + i] = -column[system->n + i];
    }
  }
  return MBS_OK;
}

MbsStatus mbs_newmark_start_derivative(MbsContext *context, MbsNewmark *newmark, const MbsState *state,
                                       const mbs_scalar *X, const mbs_scalar *V, mbs_scalar *A, mbs_scalar *L) {
  return solve_columns(context, newmark, 0, 0, state, X, V, A, L);
}

MbsStatus mbs_newmark_step_derivative(MbsContext *context, MbsNewmark *newmark, double h, const MbsState *state,
                                      mbs_scalar *X, mbs_scalar *V, mbs_scalar *A, mbs_scalar *L) {
  const MbsSystem *system = newmark->formulation->system;
  double c0 = newmark->beta * h * h, c1 = newmark->gamma * h;
  double old_q = (0.5 - newmark->beta) * h * h, old_v = (1 - newmark->gamma) * h;
  int size = system->nq * system->column_count;
  // xh' = x' + h v' + h^2 (1/2 - beta) a', vh' = v' + h (1 - gamma) a'
  for (int i = 0; i < size; ++i) {
    X[i] += h * V[i] + old_q * A[i];
    V[i] += old_v * A[i];
  }
  mbs_system_fixed_columns(system, state->t, X, V, A);
  MBS_TRY(solve_columns(context, newmark, c0, c1, state, X, V, A, L));
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = k * system->nq; i < k * system->nq + system->n; ++i) {
      X[i] += c0 * A[i];
      V[i] += c1 * A[i];
    }
  }
  return MBS_OK;
}
