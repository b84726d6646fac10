// The transpose of projection_derivative.c, iteration by iteration backwards. Iteration i gave
//     S (u', sigma_i') = (p' - P' u - (Abar' sigma_i)', -(rest)' - epsilon sigma_{i-1}')
// so with (mu, nu) = S^-T (ub, sigmab_i), where ub is there for the last u alone,
//     p receives mu, P and Abar receive -mu, the rest receives -nu, and sigma_{i-1} receives -epsilon nu.
// Of a limit all iterations are at the same u and sigma, so that the sum of their (mu, nu) is handed on at once.
// P of (18) hands on to q, to v* and to the size of the step. Before the velocity projection is transposed v* has no
// place in `bar`, whose v is the projected one: it waits in bar_at.
#include "integrators/projection.h"

// `last_u` (n) may be NULL for zero; negated, since the terms' transposed products take -mu and -nu
static void put_right_hand_side(MbsProjector *projector, const mbs_scalar *last_u, const mbs_scalar *sigma_bar) {
  const MbsSystem *system = projector->system;
  for (int k = 0; k < system->n; ++k) {
    projector->r[k] = last_u ? -last_u[k] : 0;
  }
  for (int k = 0; k < system->m; ++k) {
    projector->r[system->n + k] = -sigma_bar[k];
  }
}

// -(mu, nu) in r
static void solve(MbsProjector *projector, const mbs_scalar *last_u, const mbs_scalar *sigma_bar) {
  put_right_hand_side(projector, last_u, sigma_bar);
  mbs_sparse_solver_solve_transposed(projector->solver, 1, projector->r);
}

// what P depends on, by P u
static void give_to_P(const MbsProjector *projector, const mbs_scalar *u, const MbsStateBar *bar) {
  const MbsStateBar of_P = {
      .q = bar->q, .v = projector->bar_at, .coefficients = bar->coefficients, .parameters = bar->parameters};
  mbs_terms_tangent_transposed(projector->system, &projector->at, projector->c0, projector->c1, u, projector->r, &of_P);
  const mbs_scalar *by_size = mbs_projector_by_size(projector, u);
  for (int k = 0; k < projector->system->n && by_size; ++k) {
    bar->parameters[projector->system->blueprint->clock + 1] += projector->r[k] * by_size[k];
  }
}

// what P depends on, and sigma_{i-1} in place of sigma_i
static void pass_on(const MbsProjector *projector, const MbsProjectionRecord *record, int i, mbs_scalar *sigma_bar,
                    const MbsStateBar *bar) {
  const MbsSystem *system = projector->system;
  give_to_P(projector, record->u + i * system->nq, bar);
  for (int k = 0; k < system->m; ++k) {
    sigma_bar[k] = i > 0 ? projector->epsilon * projector->r[system->n + k] : 0;
  }
}

// the limit: (mu, nu) by the matrix with epsilon = 0, one product with the rows and one with P
static void transpose_limit(MbsProjector *projector, const MbsProjectionRecord *record, MbsState *at,
                            const MbsWeights *weights, const mbs_scalar *value, const mbs_scalar *value_bar,
                            mbs_scalar *sigma_bar, const MbsStateBar *bar) {
  const MbsSystem *system = projector->system;
  int last = record->count - 1;
  for (int k = 0; k < system->nq; ++k) {
    projector->moving[k] = value[k];
  }
  at->lambda = record->sigma + last * system->m;
  put_right_hand_side(projector, value_bar, sigma_bar);
  mbs_refine_transposed(&projector->refinement, projector->r);
  mbs_terms_transposed(system, at, weights, MBS_PART_ROWS, projector->r, projector->r + system->n, bar);
  give_to_P(projector, record->u + last * system->nq, bar);
  for (int k = 0; k < system->m; ++k) {
    sigma_bar[k] = 0;
  }
}

// one projection; `value_bar` is that of v or a in `bar`
static void transpose(MbsProjector *projector, const MbsProjectionRecord *record, MbsState *at,
                      const MbsWeights *weights, const mbs_scalar *value, mbs_scalar *value_bar, mbs_scalar *sigma_bar,
                      const MbsStateBar *bar) {
  const MbsSystem *system = projector->system;
  const mbs_scalar *last = record->u + (record->count - 1) * system->nq;
  if (record->is_limit) {
    transpose_limit(projector, record, at, weights, value, value_bar, sigma_bar, bar);
    return;
  }
  for (int i = record->count - 1; i >= 0; --i) {
    const mbs_scalar *u = record->u + i * system->nq;
    for (int k = 0; k < system->nq; ++k) {
      projector->moving[k] = value[k] - last[k] + u[k];
    }
    at->lambda = record->sigma + i * system->m;
    solve(projector, i == record->count - 1 ? value_bar : NULL, sigma_bar);
    mbs_terms_transposed(system, at, weights, MBS_PART_ROWS, projector->r, projector->r + system->n, bar);
    pass_on(projector, record, i, sigma_bar, bar);
  }
}

void mbs_project_velocity_transposed(MbsProjector *projector, const MbsState *state, const MbsStateBar *bar) {
  const MbsWeights velocity = {.k1 = 1, .n1 = 1};
  MbsState at = *state;
  MbsStateBar rows = *bar;
  at.v = projector->moving;
  rows.a = projector->unused_nq;
  rows.lambda = projector->unused_m;
  transpose(projector, &projector->records[MBS_PROJECT_VELOCITY], &at, &velocity, state->v, bar->v, bar->sigma, &rows);
}

void mbs_project_acceleration_transposed(MbsProjector *projector, const MbsState *state, const MbsStateBar *bar) {
  const MbsWeights acceleration = {.k2 = 1, .n2 = 1};
  MbsState at = *state;
  MbsStateBar rows = *bar;
  at.a = projector->moving;
  rows.lambda = projector->unused_m;
  transpose(projector, &projector->records[MBS_PROJECT_ACCELERATION], &at, &acceleration, state->a, bar->a, bar->kappa,
            &rows);
}

void mbs_projector_give_bar(MbsProjector *projector, const MbsStateBar *bar) {
  for (int i = 0; i < projector->system->nq && projector->is_tangent; ++i) {
    bar->v[i] += projector->bar_at[i];
    projector->bar_at[i] = 0;
  }
}

void mbs_project_balance_transposed(MbsProjector *projector, MbsProjectionKind kind, const MbsState *state,
                                    mbs_scalar *multipliers, const MbsStateBar *bar) {
  const MbsSystem *system = projector->system;
  if (!mbs_has_entries(system->m, multipliers)) {
    return;
  }
  const MbsProjectionRecord *record = &projector->records[kind];
  const MbsWeights velocity = {.k1 = 1, .n1 = 1}, minus_velocity = {.k1 = -1, .n1 = -1};
  MbsStateBar rows = *bar, balance = *bar;
  rows.v = rows.a = projector->unused_nq;
  rows.lambda = balance.lambda = projector->unused_m;
  for (int i = record->count - 1; i >= 0; --i) {
    MbsState at = *state, rest = *state;
    at.v = record->u + i * system->nq;
    at.lambda = record->sigma + i * system->m;
    rest.v = rest.lambda = system->zeros;
    solve(projector, NULL, multipliers);
    const mbs_scalar *mu = projector->r, *nu = projector->r + system->n;
    mbs_terms_transposed(system, state, &velocity, MBS_PART_BALANCE, mu, nu, &balance);
    mbs_terms_transposed(system, &at, &velocity, MBS_PART_ROWS, mu, nu, &rows);
    mbs_terms_transposed(system, &rest, &minus_velocity, MBS_PART_ROWS, system->zeros, nu, &rows);
    pass_on(projector, record, i, multipliers, bar);
  }
}
