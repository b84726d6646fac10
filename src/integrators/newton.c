// Newton's iteration, economically: the unknowns come extrapolated from the last three steps, the tangent is factored
// at that prediction, and further iterations keep the factors while they converge fast. The equations that are solved
// do not depend on any of this.
//
// It is solved where the residual has come down to the tolerance, relative to what it is made of; or, once an iteration
// does not bring it down any more, to what rounding leaves: a stiff spring far from the origin is k (|r2 - r1| - l),
// and the rounding of r alone is worth k |r| eps of force, however small the force.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "integrators/implicit.h"

// Where a law bends sharply (friction that comes to rest, a stop that is met) the iteration may go to and fro between
// two sides of the bend for ever. So, after more iterations than others need, half of a correction that did not help
// is taken back, until the residual comes down.
enum { PATIENCE = 15 };
static const double least_part = 1e-3;

// The complex twin factors anew in each iteration and iterates on: once the real part is solved, each further
// full iteration makes the imaginary part (the derivative) exact.
#ifdef MBS_COMPLEX
enum { FURTHER_ITERATIONS = 3 };
static const double fast = 0;
#else
enum { FURTHER_ITERATIONS = 0 };
static const double fast = 0.05;  // an iteration that shrinks the residual more than this keeps the factors
#endif

double mbs_newton_rest(const MbsSystem *system, const MbsWeights *weights, const mbs_scalar *values) {
  double mass, longest;
  mbs_terms_factorable_sizes(system, values, &mass, &longest);
  return mass > 0 && !(mbs_re(weights->epsilon) > 0) ? 1e-3 * longest / mass : 0;
}

// Its rate counts against itself, and against what changes the state over the step by as much as it is.
double mbs_newton_states_left(const MbsSystem *system, const MbsState *state, mbs_scalar c1, const mbs_scalar *r,
                              double tolerance) {
  double largest = 0, step = mbs_re(mbs_abs(c1));
  for (int i = system->first_state; i < system->n; ++i) {
    double magnitude = mbs_re(mbs_abs(r[i])), rate = mbs_re(mbs_abs(state->a[i]));
    double size = step > 0 ? fmax(rate, mbs_re(mbs_abs(state->v[i])) / step) : rate;  // real
    double left = size > 0 ? magnitude / size : magnitude;
    if (left > tolerance && magnitude <= MBS_ROUNDINGS * DBL_EPSILON * mbs_terms_rate_cancelling(system, state, i)) {
      left = 0;
    }
    largest = left <= largest ? largest : left;  // NaN too
  }
  return largest;
}

MbsNewtonLeft mbs_newton_measure(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                 mbs_scalar c1, double rest, double tolerance, mbs_scalar *r) {
  MbsNewtonLeft left = {.worst = -1};
  double largest[2] = {0, 0}, *scale = left.scale, *part = left.part;
  mbs_terms_residual(system, state, weights, r, scale);
  scale[1] = fmax(scale[1], rest * scale[0]);  // real
  left.states = mbs_newton_states_left(system, state, c1, r, tolerance);
  for (int i = 0; i < system->n + system->m; ++i) {
    double magnitude = mbs_re(mbs_abs(r[i]));
    int p = i < system->n ? 0 : 1;
    if (!mbs_system_is_state(system, i) && !(magnitude <= largest[p])) {  // NaN too
      largest[p] = magnitude;
      left.worst = p == 1 ? i - system->n : left.worst;
    }
  }
  part[0] = scale[0] > 0 ? largest[0] / scale[0] : largest[0];
  part[1] = scale[1] > 0 ? largest[1] / scale[1] : largest[1];
  left.largest = part[0] > part[1] || isnan(part[0]) ? part[0] : part[1];
  left.largest = left.states > left.largest || isnan(left.states) ? left.states : left.largest;
  left.largest = isfinite(scale[0]) && isfinite(scale[1]) ? left.largest : HUGE_VAL;  // nothing is small against that
  return left;
}

bool mbs_newton_is_rounding(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                            const MbsNewtonLeft *left, double tolerance, const mbs_scalar *r) {
  double sizes[2];
  if (!(left->states <= tolerance)) {
    return false;
  }
  mbs_terms_cancelling(system, state, weights, r, sizes);
  for (int p = 0; p < 2; ++p) {
    double rounding = MBS_ROUNDINGS * DBL_EPSILON * fmax(sizes[p], left->scale[p]);  // real
    if (!(left->part[p] <= tolerance) && !(left->part[p] * left->scale[p] <= rounding)) {
      return false;
    }
  }
  return true;
}

MbsStatus mbs_newton_not_finite(MbsContext *context, const MbsSystem *system, const MbsState *state, bool is_step) {
  const char *advice = is_step ? "; the motion may be unstable: try a smaller step" : "";
  const char *name = mbs_terms_find_bad_force(system, state);
  if (!name) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                    "the residual is not a finite number at t = %.10g: numbers overflow%s", mbs_re(state->t), advice);
  }
  return mbs_terms_say_bad_force(context, system, state, name, advice);
}

MbsPlace mbs_newton_suspect(const MbsSystem *system, int constraint, size_t size, char *text) {
  const MbsRowSpec *row = constraint < 0 ? NULL : &system->blueprint->rows.items[constraint];
  text[0] = '\0';
  if (!row || !row->is_driver) {
    return mbs_nowhere;
  }
  (void)snprintf(text, size, "driver \"%s\", which holds least, may ask for what cannot be; else ", row->owner);
  return row->place;
}

void mbs_newton_set_relaxation(const MbsFormulation *formulation, const MbsWeights *weights, double *epsilon) {
  const MbsSystem *system = formulation->system;
  for (int row = 0; row < system->m; ++row) {
    double own = mbs_re(system->mode.rows[row].is_nonholonomic ? weights->n_epsilon : weights->epsilon);
    bool is_exact = own > 0 || mbs_row_rests(&system->mode.rows[row]);
    epsilon[row] = is_exact ? 0 : formulation->relaxation;
  }
}

MbsStatus mbs_newton_singular(MbsContext *context, const MbsSystem *system, const MbsState *state, bool is_step) {
  if (mbs_terms_find_bad_force(system, state)) {
    return mbs_newton_not_finite(context, system, state, is_step);
  }
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere, "the equations are singular at t = %.10g",
                  mbs_re(state->t));
}

// r's weights, but relaxed where these are not
static MbsWeights relaxed(const MbsImplicit *implicit, MbsWeights weights) {
  double relaxation = implicit->formulation->relaxation;
  weights.epsilon = mbs_re(weights.epsilon) > 0 ? weights.epsilon : relaxation;
  weights.n_epsilon = mbs_re(weights.n_epsilon) > 0 ? weights.n_epsilon : relaxation;
  return weights;
}

// Assembles a matrix for these weights, which is relaxed where constraints are redundant.
static void assemble(const MbsImplicit *implicit, bool is_exact, const MbsState *state, const MbsWeights *weights,
                     mbs_scalar c0, mbs_scalar c1, MbsRefinement *refinement, mbs_scalar *values) {
  const MbsWeights own = implicit->has_redundancy ? relaxed(implicit, *weights) : *weights;
  mbs_newton_set_relaxation(implicit->formulation, weights, refinement->epsilon);
  mbs_terms_factorable(implicit->formulation->system, is_exact, state, &own, c0, c1, 1, values);
}

// And factors it; where constraints are nearly redundant that relaxes it, too.
static bool factor_assembled(const MbsImplicit *implicit, MbsRefinement *refinement, mbs_scalar *values) {
  if (implicit->has_redundancy) {
    refinement->is_relaxed = implicit->formulation->relaxation > 0;
    return mbs_sparse_solver_factor(refinement->solver, values);
  }
  return mbs_refinement_factor(refinement, values);
}

// Newton's matrix.
static MbsStatus factor(MbsContext *context, MbsImplicit *implicit, const MbsState *state, const MbsWeights *weights,
                        mbs_scalar c0, mbs_scalar c1) {
  const MbsSystem *system = implicit->formulation->system;
  MbsInstant *at = implicit->at;
  assemble(implicit, !implicit->is_approximate, state, weights, c0, c1, &at->iteration, at->tangent);
  mbs_kept_factors_take(at, c0, c1);  // a tree uses its values up
  if (!factor_assembled(implicit, &at->iteration, at->tangent)) {
    return mbs_newton_singular(context, system, state, mbs_re(c0) > 0);
  }
  if (at->iteration.is_relaxed) {
    mbs_kept_factors_take(at, c0, c1);
  }
  return MBS_OK;
}

MbsStatus mbs_newton_factor_weighted(MbsContext *context, MbsImplicit *implicit, const MbsState *state,
                                     const MbsWeights *weights, mbs_scalar c0, mbs_scalar c1) {
  const MbsSystem *system = implicit->formulation->system;
  MbsInstant *at = implicit->at;
  at->kept.is_at_hand = at->kept.is_at_hand && at->exact != at->solver;
  assemble(implicit, true, state, weights, c0, c1, &at->refinement, at->exact_tangent);
  bool is_factored = factor_assembled(implicit, &at->refinement, at->exact_tangent);
  return is_factored ? MBS_OK : mbs_newton_singular(context, system, state, mbs_re(c0) > 0);
}

MbsStatus mbs_newton_factor_exact(MbsContext *context, MbsImplicit *implicit, const MbsState *state, mbs_scalar c0,
                                  mbs_scalar c1) {
  const MbsWeights weights = mbs_formulation_weights(implicit->formulation, c0, c1);
  return mbs_newton_factor_weighted(context, implicit, state, &weights, c0, c1);
}

MbsStatus mbs_newton_fails(MbsContext *context, const MbsSystem *system, int constraint, double t, double residual,
                           double tolerance) {
  char where[256];
  MbsPlace place = mbs_newton_suspect(system, constraint, sizeof where, where);
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, place,
      "Newton's iteration does not converge at t = %.10g: scaled residual %.3g after %d iterations, wanted %.3g; %s"
      "try a smaller step or a larger tolerance, and make force laws that jump (sign, step) smooth",
      t, residual, MBS_MOST_ITERATIONS, tolerance, where);
}

// u -= a part of the correction; q and v follow
static void move(const MbsImplicit *implicit, mbs_scalar c0, mbs_scalar c1, double part, MbsState *state) {
  const MbsSystem *system = implicit->formulation->system;
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar change = part * implicit->correction[i];
    state->a[i] -= change;
    state->v[i] -= c1 * change;
    state->q[i] -= c0 * change;
  }
  for (int i = 0; i < system->m; ++i) {
    state->lambda[i] -= part * implicit->correction[system->n + i];
  }
}

// u -= r solved
static void correct(const MbsImplicit *implicit, mbs_scalar c0, mbs_scalar c1, MbsState *state) {
  int size = implicit->formulation->system->n + implicit->formulation->system->m;
  for (int i = 0; i < size; ++i) {
    implicit->correction[i] = implicit->r[i];
  }
  mbs_sparse_solver_solve(implicit->at->solver, 1, implicit->correction);
  move(implicit, c0, c1, 1, state);
}

MbsStatus mbs_newton_solve(MbsContext *context, MbsImplicit *implicit, mbs_scalar c0, mbs_scalar c1, MbsState *state) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsWeights weights = mbs_formulation_weights(implicit->formulation, c0, c1);
  double residual = 0, best = HUGE_VAL, before = 0, rest = 0;
  int least = -1;
  int further = FURTHER_ITERATIONS;
  double taken = 1;  // of the last correction, that was taken
  MbsKeptFactors *kept = &implicit->at->kept;
  MbsFactors factors = mbs_kept_factors_begin(implicit->at, c0, c1);
  if (factors == MBS_FACTORS_OLD) {
    rest = kept->rest;
  }
  for (int iteration = 0; iteration < MBS_MOST_ITERATIONS; ++iteration) {
    const MbsNewtonLeft left = mbs_newton_measure(system, state, &weights, c1, rest, implicit->tolerance, implicit->r);
    bool is_old = factors == MBS_FACTORS_OLD && iteration > 0;  // what brought it here
    residual = left.largest;
    if (residual < best) {  // where most holds, what does not is what keeps the others from it
      best = residual;
      least = left.part[1] > implicit->tolerance ? left.worst : -1;
    }
    if (!isfinite(residual) && !is_old) {
      return mbs_newton_not_finite(context, system, state, mbs_re(c0) > 0);
    }
    if (is_old) {
      factors = mbs_kept_factors_judge(kept, iteration, before, residual, implicit->tolerance);
      if (factors == MBS_FACTORS_NONE && !(residual < before)) {  // what they spoiled is no place to go on from
        move(implicit, c0, c1, -1, state);
        continue;
      }
    }
    bool is_slow = !(residual < fast * before);
    bool is_solved = factors == MBS_FACTORS_LAST;
    if (factors == MBS_FACTORS_NEW) {
      is_solved = residual <= implicit->tolerance ||
                  (iteration > 1 && is_slow &&
                   mbs_newton_is_rounding(system, state, &weights, &left, implicit->tolerance, implicit->r));
    }
    if (is_solved && further-- <= 0) {
      // the factors at hand are a little old but good: they remove most of what is left
      correct(implicit, c0, c1, state);
      return MBS_OK;
    }
    if (iteration >= PATIENCE && !(residual < (1 - 0.1 * taken) * before) && taken > least_part) {
      taken /= 2;
      move(implicit, c0, c1, -taken, state);
      continue;
    }
    taken = 1;
    if (factors == MBS_FACTORS_NONE || (factors == MBS_FACTORS_NEW && is_slow)) {
      MBS_TRY(factor(context, implicit, state, &weights, c0, c1));
      factors = MBS_FACTORS_NEW;
      kept->rest = rest = mbs_newton_rest(system, &weights, implicit->at->tangent);
    }
    correct(implicit, c0, c1, state);
    before = residual;
    implicit->base.iterations += 1;
  }
  return mbs_newton_fails(context, system, least, mbs_re(state->t), residual, implicit->tolerance);
}
