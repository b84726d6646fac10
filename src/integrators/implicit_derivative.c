// The tangent linear model of start and step (theory: section 2). With S = [T Phi_x'; e_a.. 0] at the stage,
//     S (a*', lambda') = -(r_x qh' + r_v vh' + r_rho);   q' = qh' + c0 a*',  v*' = vh' + c1 a*'
// then the projections' derivatives. Where Newton's matrix is relaxed its solution is refined (refinement.h).
#include "integrators/implicit.h"

// A, L from X, V: those of the hats, or at the start given; by factors that are there
static void solve_columns(MbsImplicit *implicit, mbs_scalar c0, mbs_scalar c1, const MbsState *stage,
                          const MbsColumns *columns) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsWeights weights = mbs_formulation_weights(implicit->formulation, c0, c1);
  int size = system->n + system->m;
  for (int i = 0; i < size * system->column_count; ++i) {
    implicit->R[i] = 0;
  }
  // the accelerations of the free coordinates are what is solved for; a moving ground's are given
  bool is_moving = system->moving.count > 0;
  for (int k = 0; k < system->column_count && is_moving; ++k) {
    for (int i = 0; i < system->n; ++i) {
      columns->A[k * system->nq + i] = 0;
    }
  }
  const MbsColumns known = {.X = columns->X, .V = columns->V, .A = is_moving ? columns->A : NULL};
  mbs_terms_derivative_of(system, stage, &weights, MBS_PART_ALL, &known, implicit->R);
  mbs_refine(&implicit->at->refinement, system->column_count, implicit->R);
  for (int k = 0; k < system->column_count; ++k) {
    const mbs_scalar *column = implicit->R + k * size;
    for (int i = 0; i < system->n; ++i) {
      columns->A[k * system->nq + i] = -column[i];
    }
    for (int i = 0; i < system->m; ++i) {
      columns->L[k * system->m + i] = -column[system->n + i];
    }
  }
}

// the same of an instant
static void solve_instant(MbsImplicit *implicit, const MbsState *state, const MbsColumns *columns) {
  solve_columns(implicit, 0, 0, &implicit->at->stage, columns);
  if (implicit->has_redundancy) {
    mbs_project_balance_derivative(implicit->at->projector, MBS_PROJECT_BALANCE, state, columns, columns->L);
  }
}

MbsStatus mbs_implicit_instant_derivative(MbsContext *context, MbsImplicit *implicit, const MbsState *state,
                                          const MbsColumns *columns) {
  if (implicit->formulation->system->source) {  // of matrices, too
    MBS_TRY(mbs_newton_factor_exact(context, implicit, &implicit->at->stage, 0, 0));
  }
  solve_instant(implicit, state, columns);
  return MBS_OK;
}

static void find_total(const MbsImplicit *implicit, bool is_projected, const MbsState *state,
                       const MbsColumns *columns) {
  const MbsSystem *system = implicit->formulation->system;
  if (is_projected && implicit->at->projector->is_tangent) {
    if (implicit->has_reactions) {
      mbs_project_balance_derivative(implicit->at->projector, MBS_PROJECT_TOTAL, state, columns, columns->T);
    }
    return;
  }
  for (int i = 0; i < system->m * system->column_count; ++i) {
    columns->T[i] = columns->L[i] + (is_projected ? columns->K[i] : 0);
  }
}

MbsStatus mbs_implicit_start_derivative(MbsContext *context, MbsImplicit *implicit, const MbsState *state,
                                        const MbsColumns *columns) {
  const MbsSystem *system = implicit->formulation->system;
  MBS_TRY(mbs_newton_factor_exact(context, implicit, &implicit->at->stage, 0, 0));
  solve_instant(implicit, state, columns);
  for (int i = 0; i < system->m * system->column_count; ++i) {
    columns->S[i] = columns->K[i] = 0;
  }
  for (int i = 0; i < system->nq * system->column_count && implicit->W; ++i) {
    implicit->W[i] = columns->A[i];
  }
  find_total(implicit, false, state, columns);
  return MBS_OK;
}

// the rule's hats, in X, V and W
static void predict(const MbsImplicit *implicit, const MbsRuleStep *k, const MbsColumns *columns) {
  const MbsSystem *system = implicit->formulation->system;
  const mbs_scalar *before = mbs_implicit_before(implicit, implicit->W);
  for (int i = 0; i < system->nq * system->column_count; ++i) {
    mbs_scalar v = columns->V[i], a = columns->A[i], w = before ? before[i] : a;
    columns->X[i] += k->h * v + k->qa * a + k->qw * w;
    columns->V[i] = v + k->va * a + k->vw * w;
    if (implicit->W) {
      implicit->W[i] = k->wa * a + k->ww * w;
    }
  }
}

// q and v* = ... with a* as it is, differentiated with respect to h: what the column of the step's size knows
static void differentiate_hats(const MbsImplicit *implicit, mbs_scalar h, const MbsColumns *columns) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsRuleStep k = mbs_rule_slope(mbs_implicit_rule(implicit), h);
  int first = system->step_column * system->nq;
  for (int i = 0; i < system->n && system->step_column >= 0; ++i) {
    mbs_scalar v = implicit->old[0][i], a = implicit->old[1][i], w = implicit->old[2][i],
               now = implicit->at->stage.a[i];
    columns->X[first + i] = k.h * v + k.qa * a + k.qw * w + k.c0 * now;
    columns->V[first + i] = k.va * a + k.vw * w + k.c1 * now;
  }
}

void mbs_implicit_finish_derivative(const MbsImplicit *implicit, const MbsState *state, const MbsColumns *columns) {
  if (mbs_implicit_projects(implicit) || implicit->has_redundancy) {
    mbs_projector_take_columns(implicit->at->projector, columns);
  }
  if (implicit->has_redundancy) {
    mbs_project_balance_derivative(implicit->at->projector, MBS_PROJECT_BALANCE, &implicit->at->stage, columns,
                                   columns->L);
  }
  if (mbs_implicit_projects(implicit)) {
    mbs_project_velocity_derivative(implicit->at->projector, state, columns);
    mbs_project_acceleration_derivative(implicit->at->projector, state, columns);
  }
  find_total(implicit, mbs_implicit_projects(implicit), state, columns);
}

MbsStatus mbs_implicit_step_derivative(MbsContext *context, MbsImplicit *implicit, mbs_scalar h, const MbsState *state,
                                       const MbsColumns *columns) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsRuleStep k = mbs_rule_step(mbs_implicit_rule(implicit), h);
  mbs_columns_begin_step(system, columns, implicit->W);
  predict(implicit, &k, columns);
  differentiate_hats(implicit, h, columns);
  mbs_system_fixed_columns(system, state->t, columns->X, columns->V, columns->A);
  MBS_TRY(mbs_newton_factor_exact(context, implicit, &implicit->at->stage, k.c0, k.c1));
  solve_columns(implicit, k.c0, k.c1, &implicit->at->stage, columns);
  for (int c = 0; c < system->column_count; ++c) {
    for (int i = c * system->nq; i < c * system->nq + system->n; ++i) {
      columns->X[i] += k.c0 * columns->A[i];
      columns->V[i] += k.c1 * columns->A[i];
    }
  }
  mbs_implicit_finish_derivative(implicit, state, columns);
  for (int i = 0; i < system->nq * system->column_count && implicit->W; ++i) {
    implicit->W[i] += k.cw * columns->A[i];
  }
  return MBS_OK;
}
