// The derivative of a step of independent coordinates (P3 (37)-(61)): E0 ... E3 of reduced.h, differentiated, with the
// factors of K and J for everything. First as if s did not change, then
//     s' = -J^-1 R' (f_q q' + f_v v' + M a' + f_rho),   q' += X s',  v' += V s',  a' += A s'.
#include "integrators/reduced.h"

// derivative of w, w' or w'' of coordinate i for a column
static mbs_scalar column_of(const MbsInitial *set, int i, int level, const MbsState *state, int column,
                            const MbsColumns *columns) {
  const MbsSystem *system = set->system;
  if (set->is_automatic) {
    const mbs_scalar *const at[] = {columns->X, columns->V, columns->A};
    return at[level][column * system->nq + set->automatic[i]];
  }
  const MbsIndependent *independent = &set->independents[i];
  const MbsFunction *const functions[] = {&independent->w, &independent->rate, &independent->second};
  return mbs_function_derivative(system, functions[level], state, column, columns, NULL);
}

// of w, w', w'' of the state before the step
static void observe(MbsReduced *reduced, const MbsColumns *columns) {
  const MbsInitial *set = reduced->sets[reduced->current];
  mbs_signal_bank_evaluate(reduced->system, &reduced->old);
  mbs_signal_bank_take_columns(reduced->system, &reduced->old, columns);
  for (int level = 0; level < 3; ++level) {
    for (int i = 0; i < reduced->count; ++i) {
      (void)mbs_reduced_level(set, i, level, &reduced->old);
      for (int k = 0; k < reduced->system->column_count; ++k) {
        reduced->Z[level][k * reduced->count + i] = column_of(set, i, level, &reduced->old, k, columns);
      }
    }
  }
}

// the columns of q, v or a at fixed s: K y' = -(rows' at y' = 0), and of w's rows what the hats give
static void solve_level(MbsReduced *reduced, int level, const MbsState *state, const MbsColumns *columns) {
  const MbsSystem *system = reduced->system;
  const MbsInitial *set = reduced->sets[reduced->current];
  const MbsWeights weights = {.k0 = level == 0 ? 1 : 0, .k1 = level == 1 ? 1 : 0, .k2 = level == 2 ? 1 : 0};
  int n = system->n, size = n + system->m;
  mbs_scalar *const unknown[] = {columns->X, columns->V, columns->A};
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = 0; i < n; ++i) {
      unknown[level][k * system->nq + i] = 0;
    }
  }
  for (int i = 0; i < size * system->column_count; ++i) {
    reduced->R[i] = 0;
  }
  const MbsColumns known = {.X = columns->X, .V = columns->V, .A = columns->A};
  mbs_terms_derivative_of(system, state, &weights, MBS_PART_ROWS, &known, reduced->R);
  mbs_signal_bank_take_columns(system, state, &known);
  for (int i = 0; i < reduced->count; ++i) {
    (void)mbs_reduced_level(set, i, level, state);
    for (int k = 0; k < system->column_count; ++k) {
      reduced->S[k * reduced->count + i] = column_of(set, i, level, state, k, columns);
    }
  }
  for (int k = 0; k < system->column_count; ++k) {
    for (int r = 0; r < n; ++r) {
      int row = set->position.rows[r], i = row - system->m;
      mbs_scalar hat = row < system->m || level == 2 ? 0 : reduced->Z[level][k * reduced->count + i];
      reduced->rhs[r] = row < system->m ? -reduced->R[k * size + n + row] : hat - reduced->S[k * reduced->count + i];
    }
    mbs_sparse_solver_solve(set->position.solver, 1, reduced->rhs);
    for (int i = 0; i < n; ++i) {
      unknown[level][k * system->nq + i] = reduced->rhs[i];
    }
  }
}

// K^-T (f_q q' + f_v v' + M a' + f_rho + Phi_q' lambda') by column, in the first n of each column of R
static void balance_columns(MbsReduced *reduced, const MbsState *state, const MbsColumns *columns) {
  const MbsSystem *system = reduced->system;
  const MbsWeights none = {0};
  const MbsColumns known = {.X = columns->X, .V = columns->V, .A = columns->A};
  int size = system->n + system->m;
  for (int i = 0; i < size * system->column_count; ++i) {
    reduced->R[i] = 0;
  }
  mbs_terms_derivative_of(system, state, &none, MBS_PART_ALL, &known, reduced->R);
  for (int k = 0; k < system->column_count; ++k) {
    mbs_sparse_solver_solve_transposed(reduced->sets[reduced->current]->position.solver, 1, reduced->R + k * size);
  }
}

MbsStatus mbs_reduced_step_derivative(MbsContext *context, MbsReduced *reduced, double h, const MbsState *state,
                                      const MbsColumns *columns) {
  const MbsSystem *system = reduced->system;
  const MbsInitial *set = reduced->sets[reduced->current];
  const MbsRuleStep rule = mbs_rule_step(&reduced->stepper->rule, h);
  int d = reduced->count, size = system->n + system->m, count = system->column_count;
  observe(reduced, columns);
  MBS_TRY(mbs_reduced_factor(context, reduced, &rule, state));
  for (int i = 0; i < d * count; ++i) {  // the hats' columns in place of those of the old levels
    mbs_scalar rate = reduced->Z[1][i], second = reduced->Z[2][i];
    reduced->Z[0][i] += h * rate + rule.qw * second;
    reduced->Z[1][i] = rate + rule.vw * second;
  }
  mbs_system_fixed_columns(system, state->t, columns->X, columns->V, columns->A);
  for (int level = 0; level < 3; ++level) {
    solve_level(reduced, level, state, columns);
  }
  balance_columns(reduced, state, columns);
  for (int k = 0; k < count; ++k) {
    mbs_scalar *change = reduced->rho;
    for (int i = 0; i < d; ++i) {
      change[i] = -reduced->R[k * size + mbs_reduced_row(reduced, i)];
    }
    mbs_reduced_solve(reduced, false, change);
    for (int j = 0; j < d; ++j) {
      for (int i = 0; i < system->n; ++i) {
        columns->X[k * system->nq + i] += reduced->X[j * system->nq + i] * change[j];
        columns->V[k * system->nq + i] += reduced->V[j * system->nq + i] * change[j];
        columns->A[k * system->nq + i] += reduced->A[j * system->nq + i] * change[j];
      }
    }
  }
  balance_columns(reduced, state, columns);
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < system->m; ++i) {
      int row = set->position.row_of[i];
      columns->L[k * system->m + i] = row > 0 ? -reduced->R[k * size + row - 1] : 0;
      columns->S[k * system->m + i] = columns->K[k * system->m + i] = 0;
    }
  }
  if (reduced->stepper->has_redundancy) {
    mbs_project_balance_derivative(reduced->stepper->projector, MBS_PROJECT_BALANCE, state, columns, columns->L);
  }
  for (int i = 0; i < system->m * count; ++i) {
    columns->T[i] = columns->L[i];
  }
  return MBS_OK;
}
