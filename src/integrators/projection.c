// Solving the projections. See projection.h.
#include "integrators/projection.h"

#include <math.h>
#include <string.h>

MbsStatus mbs_projector_create(MbsContext *context, const MbsSystem *system, double epsilon, int wanted,
                               bool is_tangent, bool has_redundancy, MbsProjector **result) {
  MbsProjector *projector;
  int size = system->n + system->m;
  MBS_TAKE(context, system->arena, projector, 1);
  *projector = (MbsProjector){.system = system,
                              .epsilon = epsilon,
                              .wanted = wanted,
                              .is_tangent = is_tangent,
                              .has_redundancy = has_redundancy};
  MBS_TAKE(context, system->arena, projector->matrix, system->mode.factored.entry_count + 1);
  MBS_TAKE(context, system->arena, projector->r, size);
  MBS_TAKE(context, system->arena, projector->R, (size_t)size * (size_t)system->carried_count);
  MBS_TAKE(context, system->arena, projector->sigma_rho, (size_t)system->m * (size_t)system->carried_count);
  MBS_TAKE(context, system->arena, projector->work_nq, system->nq);
  MBS_TAKE(context, system->arena, projector->moving, system->nq);
  MBS_TAKE(context, system->arena, projector->unused_nq, system->nq);
  MBS_TAKE(context, system->arena, projector->unused_m, system->m);
  MBS_TAKE(context, system->arena, projector->known, system->nq + 1);
  for (int k = 0; k < MBS_PROJECTION_KINDS; ++k) {
    MBS_TAKE(context, system->arena, projector->records[k].u, MBS_MOST_PROJECTIONS * system->nq);
    MBS_TAKE(context, system->arena, projector->records[k].sigma, MBS_MOST_PROJECTIONS * system->m);
  }
  if (is_tangent) {
    MBS_TAKE(context, system->arena, projector->bar_at, system->nq);
    MBS_TAKE(context, system->arena, projector->columns_at.V, (size_t)system->nq * (size_t)system->column_count);
    MBS_TRY(mbs_terms_prepare_tangent_slopes(context, system));
  }
  for (int i = 0; i < MBS_COUNT(projector->of_size) && is_tangent && system->step_column >= 0; ++i) {
    MBS_TAKE(context, system->arena, projector->of_size[i], i < 2 ? system->nq : size);
  }
  *result = projector;
  MBS_TRY(mbs_sparse_solver_create(context, system->arena, &system->mode.factored, &projector->solver));
  if (has_redundancy) {
    mbs_sparse_solver_demand_digits(projector->solver);  // the multipliers lose them otherwise
  }
  return mbs_refinement_create(context, system, 1, &system->mode.factored, projector->solver, &projector->refinement);
}

void mbs_projector_destroy(MbsProjector *projector) {
  if (projector) {
    mbs_sparse_solver_destroy(projector->solver);
  }
}

static void assemble(MbsProjector *projector, const MbsState *state, const MbsRule *rule, mbs_scalar h,
                     double epsilon) {
  bool has_tangent = projector->is_tangent && mbs_is_step(h);
  const MbsRuleStep none = {0}, k = has_tangent ? mbs_rule_step(rule, h) : none;
  const MbsRuleStep k_h = has_tangent ? mbs_rule_slope(rule, h) : none;
  projector->at = *state;
  projector->c0 = k.c0;
  projector->c1 = k.c1;
  projector->c0_h = k_h.c0;
  projector->c1_h = k_h.c1;
  for (int i = 0; i < projector->system->m; ++i) {
    projector->refinement.epsilon[i] = mbs_row_rests(&projector->system->mode.rows[i]) ? 0 : projector->epsilon;
  }
  mbs_terms_projection_matrix(projector->system, state, projector->c0, projector->c1, epsilon, projector->matrix);
}

static MbsStatus check(MbsContext *context, bool is_factored, const MbsState *state) {
  return is_factored ? MBS_OK
                     : mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere, "the projections are singular at t = %.10g",
                                mbs_re(state->t));
}

MbsStatus mbs_projector_factor(MbsContext *context, MbsProjector *projector, const MbsState *state, const MbsRule *rule,
                               mbs_scalar h) {
  // Iterations that are to converge have S without epsilon for their limit, which that gives at once where no row is
  // redundant.
  bool is_limit = projector->wanted <= 0 && !projector->has_redundancy;
  projector->epoch = 0;
  assemble(projector, state, rule, h, is_limit ? 0 : projector->epsilon);
  projector->refinement.is_relaxed = !is_limit;
  MBS_TRY(check(context,
                is_limit ? mbs_refinement_factor(&projector->refinement, projector->matrix)
                         : mbs_sparse_solver_factor(projector->solver, projector->matrix),
                state));
  bool is_mass = mbs_is_zero(projector->c0) && mbs_is_zero(projector->c1);
  projector->epoch = is_mass ? projector->system->work->epoch : 0;
  memcpy(projector->known, state->q, (size_t)projector->system->nq * sizeof *state->q);
  projector->known[projector->system->nq] = state->t;
  return MBS_OK;
}

bool mbs_projector_is_at(const MbsProjector *projector, const MbsState *state) {
  size_t nq = (size_t)projector->system->nq;
  return projector->epoch > 0 && projector->epoch == projector->system->work->epoch &&
         memcmp(projector->known + nq, &state->t, sizeof state->t) == 0 &&
         memcmp(projector->known, state->q, nq * sizeof *state->q) == 0;
}

// M has no part in it: natural coordinates have a constant one, and others no P of (18)
const mbs_scalar *mbs_projector_by_size(const MbsProjector *projector, const mbs_scalar *u) {
  const MbsWeights none = {0};
  mbs_scalar *X = projector->of_size[0], *V = projector->of_size[1], *product = projector->of_size[2];
  if (!X || !mbs_system_has_step_column(projector->system) || mbs_is_zero(projector->c1_h)) {
    return NULL;
  }
  for (int k = 0; k < projector->system->nq; ++k) {
    X[k] = projector->c0_h * u[k];
    V[k] = projector->c1_h * u[k];
  }
  mbs_terms_derivative_along(projector->system, &projector->at, &none, MBS_PART_BALANCE, X, V, NULL, product);
  return product;
}

// the largest change of sigma in iteration i
static double change_of(const MbsProjector *projector, const MbsProjectionRecord *record, int i) {
  int m = projector->system->m;
  const mbs_scalar *now = record->sigma + i * m, *before = i > 0 ? now - m : projector->system->zeros;
  double largest = 0;
  for (int k = 0; k < m; ++k) {
    double change = mbs_re(mbs_abs(now[k] - before[k]));
    largest = change > largest ? change : largest;
  }
  return largest;
}

// p: n, or NULL for zero; s: m
static void iterate(MbsProjector *projector, MbsProjectionRecord *record, int wanted, const mbs_scalar *p,
                    const mbs_scalar *s) {
  const MbsSystem *system = projector->system;
  bool is_relaxed = projector->refinement.is_relaxed;
  int n = system->n, m = system->m, most = !is_relaxed ? 1 : wanted > 0 ? wanted : MBS_MOST_PROJECTIONS;
  double first = 0, before = 0;
  record->is_limit = false;
  for (record->count = 0; record->count < most;) {
    int i = record->count++;
    mbs_scalar *u = record->u + i * system->nq, *sigma = record->sigma + i * m;
    const mbs_scalar *previous = i > 0 ? sigma - m : system->zeros;
    for (int k = 0; k < n; ++k) {
      projector->r[k] = p ? p[k] : 0;
    }
    for (int k = 0; k < m; ++k) {
      projector->r[n + k] = -s[k] - projector->epsilon * previous[k];
    }
    mbs_sparse_solver_solve(projector->solver, 1, projector->r);
    for (int k = 0; k < system->nq; ++k) {
      u[k] = k < n ? projector->r[k] : 0;
    }
    for (int k = 0; k < m; ++k) {
      sigma[k] = projector->r[n + k];
    }
    if (!is_relaxed) {
      record->is_limit = wanted <= 0;
      break;
    }
    // changes shrink by a constant factor: stop before one that would be rounding; and where they shrink no more, which
    // is the rest by which redundant rows contradict each other
    double change = change_of(projector, record, i);
    first = i > 0 ? first : change;
    bool is_last = change * change <= 1e-15 * before * first, is_stuck = i > 1 && change > 0.5 * before;
    if (wanted <= 0 && (!(change > 0) || (i > 0 && (is_last || is_stuck)))) {
      record->is_limit = !projector->has_redundancy && !(i > 0 && is_stuck && change > 0);
      break;
    }
    before = change;
  }
}

static void take_over(const MbsSystem *system, const MbsProjectionRecord *record, mbs_scalar *value,
                      mbs_scalar *multipliers) {
  const mbs_scalar *u = record->u + (record->count - 1) * system->nq;
  const mbs_scalar *sigma = record->sigma + (record->count - 1) * system->m;
  for (int k = 0; k < system->n; ++k) {
    value[k] += u[k];
  }
  for (int k = 0; k < system->m; ++k) {
    multipliers[k] = sigma[k];
  }
}

void mbs_project_velocity(MbsProjector *projector, MbsState *state) {
  MbsProjectionRecord *record = &projector->records[MBS_PROJECT_VELOCITY];
  mbs_scalar *s = state->sigma;  // room for the rest, then for the result
  mbs_terms_constraints(projector->system, state, NULL, s, NULL);
  iterate(projector, record, projector->wanted, NULL, s);
  take_over(projector->system, record, state->v, state->sigma);
}

void mbs_project_acceleration(MbsProjector *projector, MbsState *state) {
  MbsProjectionRecord *record = &projector->records[MBS_PROJECT_ACCELERATION];
  mbs_scalar *s = state->kappa;
  mbs_terms_constraints(projector->system, state, NULL, NULL, s);
  iterate(projector, record, projector->wanted, NULL, s);
  take_over(projector->system, record, state->a, state->kappa);
}

bool mbs_projector_is_at_limits(const MbsProjector *projector) {
  return projector->records[MBS_PROJECT_VELOCITY].is_limit && projector->records[MBS_PROJECT_ACCELERATION].is_limit;
}

static void recall(const MbsSystem *system, MbsProjectionRecord *record, const mbs_scalar *value,
                   const mbs_scalar *start, const mbs_scalar *multipliers) {
  record->count = 1;
  record->is_limit = true;
  for (int k = 0; k < system->nq; ++k) {
    record->u[k] = k < system->n ? value[k] - start[k] : 0;
  }
  for (int k = 0; k < system->m; ++k) {
    record->sigma[k] = multipliers[k];
  }
}

MbsStatus mbs_projector_recall(MbsContext *context, MbsProjector *projector, const MbsState *stage, const MbsRule *rule,
                               mbs_scalar h, const MbsState *state) {
  projector->epoch = 0;
  if (projector->is_tangent) {  // the balance that finds the reactions' multipliers iterates with epsilon
    MBS_TRY(mbs_projector_factor(context, projector, stage, rule, h));
  } else {
    assemble(projector, stage, rule, h, 0);
    MBS_TRY(check(context, mbs_refinement_factor(&projector->refinement, projector->matrix), stage));
  }
  recall(projector->system, &projector->records[MBS_PROJECT_VELOCITY], state->v, stage->v, state->sigma);
  recall(projector->system, &projector->records[MBS_PROJECT_ACCELERATION], state->a, stage->a, state->kappa);
  return MBS_OK;
}

// Where redundant rows have drifted their dependence is not exact, and the iteration would go on for ever with the
// small rest: a fixed number is a function of the state all the same.
void mbs_project_balance(MbsProjector *projector, MbsProjectionKind kind, const MbsState *state,
                         mbs_scalar *multipliers) {
  enum { ITERATIONS = 5 };
  const MbsSystem *system = projector->system;
  MbsProjectionRecord *record = &projector->records[kind];
  mbs_scalar *p = projector->work_nq;
  mbs_terms_forces(system, state, MBS_PART_BALANCE, p);
  for (int k = 0; k < system->n; ++k) {
    p[k] = -p[k];
  }
  iterate(projector, record, ITERATIONS, p, system->zeros);
  for (int k = 0; k < system->m; ++k) {
    multipliers[k] = record->sigma[(record->count - 1) * system->m + k];
  }
}
