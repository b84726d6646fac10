// The exact derivative of the iterations of projection.c: with x' and so on the columns of what they start from,
//     P u' + Abar' sigma_i' = p' - P' u - (Abar' sigma_i)' at fixed sigma_i,     P' with x', v*' and h' where P is (18)
//     Abar u' - epsilon sigma_i' = -(rest)' at fixed u - epsilon sigma_{i-1}'
// by the same factors for every iteration and column. Of a limit the last iteration alone counts, with epsilon = 0.
#include "integrators/projection.h"

typedef struct Step {
  MbsState at;         // where the rows are differentiated: with u_i, sigma_i
  MbsWeights weights;  // which level of the rows is the rest
  MbsColumns columns;  // of what u starts from
} Step;

void mbs_projector_take_columns(MbsProjector *projector, const MbsColumns *columns) {
  const MbsSystem *system = projector->system;
  projector->columns_at.X = columns->X;
  for (int i = 0; i < system->nq * system->column_count && projector->is_tangent; ++i) {
    projector->columns_at.V[i] = columns->V[i];
  }
}

static void clear(MbsProjector *projector) {
  const MbsSystem *system = projector->system;
  for (int i = 0; i < (system->n + system->m) * system->column_count; ++i) {
    projector->R[i] = 0;
  }
}

// R (the rows' part) = minus the derivative of iteration i at fixed u_i, sigma_i; then solved: u' and sigma_i' in R
static void solve(MbsProjector *projector, const MbsProjectionRecord *record, int i) {
  const MbsSystem *system = projector->system;
  int n = system->n, m = system->m, size = n + m;
  mbs_terms_tangent_slopes(system, &projector->at, projector->c0, projector->c1, record->u + i * system->nq,
                           &projector->columns_at, projector->R);
  const mbs_scalar *by_size = mbs_projector_by_size(projector, record->u + i * system->nq);
  for (int j = 0; j < n && by_size; ++j) {
    projector->R[system->step_column * size + j] += by_size[j];
  }
  for (int k = 0; k < system->column_count; ++k) {
    mbs_scalar *column = projector->R + k * size;
    for (int j = 0; j < size; ++j) {
      column[j] = -column[j];
    }
    for (int j = 0; j < m && i > 0 && !record->is_limit; ++j) {
      column[n + j] -= projector->epsilon * projector->sigma_rho[k * m + j];
    }
  }
  if (record->is_limit) {
    mbs_refine(&projector->refinement, system->column_count, projector->R);
    return;
  }
  mbs_sparse_solver_solve(projector->solver, system->column_count, projector->R);
  for (int k = 0; k < system->column_count; ++k) {
    for (int j = 0; j < m; ++j) {
      projector->sigma_rho[k * m + j] = projector->R[k * size + n + j];
    }
  }
}

// all iterations of one projection: value += u', multipliers = sigma'
static void differentiate(MbsProjector *projector, const MbsProjectionRecord *record, Step *step, mbs_scalar *moving,
                          const mbs_scalar *start, mbs_scalar *value, mbs_scalar *multipliers) {
  const MbsSystem *system = projector->system;
  for (int i = record->is_limit ? record->count - 1 : 0; i < record->count; ++i) {
    const mbs_scalar *u = record->u + i * system->nq;
    for (int k = 0; k < system->nq; ++k) {
      moving[k] = start[k] + u[k];
    }
    step->at.lambda = record->sigma + i * system->m;
    clear(projector);
    mbs_terms_derivative_of(system, &step->at, &step->weights, MBS_PART_ROWS, &step->columns, projector->R);
    solve(projector, record, i);
  }
  for (int k = 0; k < system->column_count; ++k) {
    const mbs_scalar *column = projector->R + k * (system->n + system->m);
    for (int j = 0; j < system->n; ++j) {
      value[k * system->nq + j] += column[j];
    }
    for (int j = 0; j < system->m; ++j) {
      multipliers[k * system->m + j] = column[system->n + j];
    }
  }
}

// what a projection started from: the result less the last u
static const mbs_scalar *start_of(const MbsProjector *projector, const MbsProjectionRecord *record,
                                  const mbs_scalar *value, mbs_scalar *start) {
  const MbsSystem *system = projector->system;
  const mbs_scalar *u = record->u + (record->count - 1) * system->nq;
  for (int k = 0; k < system->nq; ++k) {
    start[k] = value[k] - u[k];
  }
  return start;
}

void mbs_project_velocity_derivative(MbsProjector *projector, const MbsState *state, const MbsColumns *columns) {
  const MbsProjectionRecord *record = &projector->records[MBS_PROJECT_VELOCITY];
  Step step = {.at = *state, .weights = {.k1 = 1, .n1 = 1}, .columns = {.X = columns->X, .V = columns->V}};
  step.at.v = projector->moving;
  differentiate(projector, record, &step, projector->moving, start_of(projector, record, state->v, projector->work_nq),
                columns->V, columns->S);
}

void mbs_project_acceleration_derivative(MbsProjector *projector, const MbsState *state, const MbsColumns *columns) {
  const MbsProjectionRecord *record = &projector->records[MBS_PROJECT_ACCELERATION];
  Step step = {
      .at = *state, .weights = {.k2 = 1, .n2 = 1}, .columns = {.X = columns->X, .V = columns->V, .A = columns->A}};
  step.at.a = projector->moving;
  differentiate(projector, record, &step, projector->moving, start_of(projector, record, state->a, projector->work_nq),
                columns->A, columns->K);
}

// Here p moves, and the rest is Abar u alone: the velocity level at v = u less that at v = 0
void mbs_project_balance_derivative(MbsProjector *projector, MbsProjectionKind kind, const MbsState *state,
                                    const MbsColumns *columns, mbs_scalar *multipliers) {
  const MbsSystem *system = projector->system;
  const MbsProjectionRecord *record = &projector->records[kind];
  const MbsWeights velocity = {.k1 = 1, .n1 = 1}, minus_velocity = {.k1 = -1, .n1 = -1};
  const MbsColumns X = {.X = columns->X};
  for (int i = 0; i < record->count; ++i) {
    MbsState at = *state, rest = *state;
    at.v = record->u + i * system->nq;
    at.lambda = record->sigma + i * system->m;
    rest.v = rest.lambda = system->zeros;
    clear(projector);
    mbs_terms_derivative_of(system, state, &velocity, MBS_PART_BALANCE, columns, projector->R);
    mbs_terms_derivative_of(system, &at, &velocity, MBS_PART_ROWS, &X, projector->R);
    mbs_terms_derivative_of(system, &rest, &minus_velocity, MBS_PART_ROWS, &X, projector->R);
    solve(projector, record, i);
  }
  for (int i = 0; i < system->m * system->column_count; ++i) {
    multipliers[i] = projector->sigma_rho[i];
  }
}
