// The end of an explicit step onto its constraints. From q* and v*, where the method leads,
//     q_0 = q*,   q_k+1 = q_k + u_k,   M u_k + Abar' sigma_k = 0,   Abar u_k - epsilon sigma_k = -Phi      all at q_k
//     M (v - v*) + Abar' sigma = 0,    Abar v + bbar = 0                              at the last q: projection.h
// with Abar holonomic and nonholonomic rows, the latter with Phi = 0: what they do not allow is no way back. That is
// Newton's iteration for the nearest position, measured by the mass: of the drift d that a step leaves, which is an
// error of the method, 1 + p, each iteration leaves d^2 (of redundant rows, epsilon d). The order stays what it is,
// since M is regular and the distance to the constraints is of that order, too.
//
// There are as many iterations as settings say, and these are differentiated: with x' on all that moves, at fixed u and
// sigma,
//     S (u', sigma') = -(M' u + (Abar' sigma)', (Abar u + Phi)'),     q_k+1' = q_k' + u'
// Phi and Abar u together are the rows' levels 0 and 1 at v = u, less level 1 at v = 0 (its Phi_t). The transpose: with
// (mu, nu) = S^-1 (q_k+1 b, 0), q_k b = q_k+1 b - d/dq_k (mu.(M u + Abar' sigma) + nu.(Abar u + Phi)).
#include "integrators/explicit.h"

static const MbsWeights with_rates = {.k0 = 1, .k1 = 1, .n1 = 1}, minus_rates = {.k1 = -1, .n1 = -1};

MbsStatus mbs_explicit_create_projection(MbsContext *context, MbsExplicit *explicit, int iterations) {
  const MbsImplicit *implicit = &explicit->implicit;
  const MbsSystem *system = implicit->formulation->system;
  MbsEndProjection *own = &explicit->projection;
  double epsilon = implicit->formulation->projection_relaxation;
  if (iterations <= 0 || system->m == 0) {
    return MBS_OK;
  }
  MBS_TAKE(context, system->arena, own->positions, iterations);
  MBS_TAKE(context, system->arena, own->places, iterations);
  for (int k = 0; k < iterations; ++k) {
    MBS_TRY(mbs_state_create(context, system, &own->places[k]));
    MBS_TRY(mbs_projector_create(context, system, epsilon, iterations, false, implicit->has_room, &own->positions[k]));
    own->count = k + 1;
  }
  MBS_TRY(mbs_state_create(context, system, &own->again));
  return mbs_projector_create(context, system, epsilon, iterations, false, implicit->has_room, &own->velocity);
}

void mbs_explicit_destroy_projection(MbsExplicit *explicit) {
  for (int k = 0; k < explicit->projection.count; ++k) {
    mbs_projector_destroy(explicit->projection.positions[k]);
  }
  mbs_projector_destroy(explicit->projection.velocity);
}

MbsSparseSolver *mbs_explicit_projection_solver(const MbsExplicit *explicit, int index) {
  const MbsEndProjection *own = &explicit->projection;
  return own->count == 0 || index < 0 || index > own->count ? NULL
         : index == own->count                              ? own->velocity->solver
                                                            : own->positions[index]->solver;
}

static MbsProjectionRecord *record_of(MbsProjector *projector) { return &projector->records[MBS_PROJECT_VELOCITY]; }

static MbsStatus factor(MbsContext *context, const MbsExplicit *explicit, MbsProjector *projector,
                        const MbsState *state) {
  projector->epsilon = explicit->implicit.formulation->projection_relaxation;  // which joints act may have changed
  return mbs_projector_factor(context, projector, state, &explicit->implicit.rule, 0);
}

// one iteration: u and sigma at `at`
static MbsStatus approach(MbsContext *context, const MbsExplicit *explicit, MbsProjector *projector,
                          const MbsState *at) {
  const MbsSystem *system = projector->system;
  const MbsProjectionRecord *record = record_of(projector);
  MBS_TRY(factor(context, explicit, projector, at));
  mbs_terms_constraints(system, at, projector->r + system->n, NULL, NULL);
  for (int i = 0; i < system->n; ++i) {
    projector->r[i] = 0;
  }
  for (int i = 0; i < system->m; ++i) {
    bool has_position = !system->mode.rows[i].is_nonholonomic;
    projector->r[system->n + i] = has_position ? -projector->r[system->n + i] : 0;
  }
  mbs_sparse_solver_solve(projector->solver, 1, projector->r);
  (void)mbs_put(record->u, system->n, projector->r);
  (void)mbs_put(record->sigma, system->m, projector->r + system->n);
  return MBS_OK;
}

MbsStatus mbs_explicit_project(MbsContext *context, MbsExplicit *explicit, MbsState *state) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  MbsEndProjection *own = &explicit->projection;
  for (int k = 0; k < own->count; ++k) {
    MbsState *at = &own->places[k];
    at->t = state->t;
    (void)mbs_put(at->q, system->nq, state->q);
    (void)mbs_put(at->v, system->nq, state->v);
    MBS_TRY(approach(context, explicit, own->positions[k], at));
    for (int i = 0; i < system->n; ++i) {
      state->q[i] += record_of(own->positions[k])->u[i];
    }
  }
  if (own->count > 0) {
    MBS_TRY(factor(context, explicit, own->velocity, state));
    mbs_project_velocity(own->velocity, state);
  }
  return MBS_OK;
}

MbsStatus mbs_explicit_recall_projection(MbsContext *context, MbsExplicit *explicit, const MbsStep *step,
                                         const MbsState *state) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  MbsState *again = &explicit->projection.again;
  if (explicit->projection.count == 0) {
    return MBS_OK;
  }
  mbs_state_copy(system, state, again);  // fixed coordinates
  mbs_explicit_place(explicit, step, explicit->end, again);
  return mbs_explicit_project(context, explicit, again);
}

// ---- derivative ----
static void approach_columns(MbsProjector *projector, const MbsState *place, const MbsColumns *columns) {
  const MbsSystem *system = projector->system;
  const MbsProjectionRecord *record = record_of(projector);
  const MbsColumns X = {.X = columns->X};
  int size = system->n + system->m;
  MbsState at = *place, rest = *place;
  at.v = record->u;
  at.lambda = record->sigma;
  rest.v = rest.lambda = system->zeros;
  for (int i = 0; i < size * system->column_count; ++i) {
    projector->R[i] = 0;
  }
  mbs_signal_bank_try(system, &at);
  mbs_terms_derivative_of(system, &at, &with_rates, MBS_PART_ROWS, &X, projector->R);
  mbs_signal_bank_try(system, &rest);
  mbs_terms_derivative_of(system, &rest, &minus_rates, MBS_PART_ROWS, &X, projector->R);
  mbs_terms_tangent_slopes(system, place, 0, 0, record->u, &X, projector->R);
  mbs_sparse_solver_solve(projector->solver, system->column_count, projector->R);
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = 0; i < system->n; ++i) {
      columns->X[k * system->nq + i] -= projector->R[k * size + i];
    }
  }
}

void mbs_explicit_project_derivative(MbsExplicit *explicit, const MbsState *state, const MbsColumns *columns) {
  const MbsEndProjection *own = &explicit->projection;
  for (int k = 0; k < own->count; ++k) {
    approach_columns(own->positions[k], &own->places[k], columns);
  }
  if (own->count > 0) {
    mbs_signal_bank_try(explicit->implicit.formulation->system, state);
    mbs_projector_take_columns(own->velocity, columns);
    mbs_project_velocity_derivative(own->velocity, state, columns);
  }
}

// ---- transpose ----
static void approach_transposed(MbsProjector *projector, const MbsState *place, const MbsStateBar *bar) {
  const MbsSystem *system = projector->system;
  const MbsProjectionRecord *record = record_of(projector);
  mbs_scalar *r = projector->r;
  MbsState at = *place, rest = *place;
  at.v = record->u;
  at.lambda = record->sigma;
  rest.v = rest.lambda = system->zeros;
  for (int i = 0; i < system->n + system->m; ++i) {
    r[i] = i < system->n ? -bar->q[i] : 0;
  }
  mbs_sparse_solver_solve_transposed(projector->solver, 1, r);
  MbsStateBar rows = *bar;
  rows.v = rows.a = projector->unused_nq;
  rows.lambda = projector->unused_m;
  mbs_signal_bank_visit(system, &at);
  mbs_terms_transposed(system, &at, &with_rates, MBS_PART_ROWS, r, r + system->n, &rows);
  mbs_signal_bank_visit(system, &rest);
  mbs_terms_transposed(system, &rest, &minus_rates, MBS_PART_ROWS, system->zeros, r + system->n, &rows);
  mbs_terms_tangent_transposed(system, place, 0, 0, record->u, r, &rows);
}

void mbs_explicit_project_transposed(MbsExplicit *explicit, const MbsState *state, const MbsStateBar *bar) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  const MbsEndProjection *own = &explicit->projection;
  if (own->count == 0) {
    return;
  }
  for (int i = 0; i < system->m; ++i) {
    bar->sigma[i] = 0;  // the state has none: it is zero
  }
  mbs_signal_bank_visit(system, state);
  mbs_project_velocity_transposed(own->velocity, state, bar);
  for (int k = own->count - 1; k >= 0; --k) {
    approach_transposed(own->positions[k], &own->places[k], bar);
  }
}
