// The derivative of a step of independent coordinates (P3 (37)-(61)): E0 ... E5 of reduced.h, differentiated, with the
// factors of K, Kv and J for everything. First as if s did not change, then
//     s' = -J^-1 rho',   rho' = R' (f_q q' + f_v v' + M a' + f_rho) (I),  (w'')' (F),
//     q' += X s',  v' += V s',  a' += A s'
// and last g' of E5.
#include "algebra/dense.h"
#include "integrators/reduced.h"

// derivative of w, w' or w'' of coordinate i for a column; after its function was evaluated
static mbs_scalar column_of(const MbsIndependentSet *set, int i, int level, const MbsState *state, int column,
                            const MbsColumns *columns) {
  const MbsSystem *system = set->system;
  if (set->is_automatic) {
    const mbs_scalar *const at[] = {columns->X, columns->V, columns->A};
    return at[level][column * system->nq + set->automatic[i]];
  }
  return mbs_function_derivative(system, mbs_reduced_function(set, i, level), state, column, columns, NULL);
}

void mbs_reduced_columns_of(const MbsReduced *reduced, int level, const MbsState *state, const MbsColumns *columns,
                            mbs_scalar *Z) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  if (!set->is_automatic) {
    mbs_signal_bank_take_columns(reduced->system, state,
                                 &(MbsColumns){.X = columns->X, .V = columns->V, .A = columns->A});
  }
  for (int i = 0; i < reduced->count; ++i) {
    if (!set->is_automatic) {
      (void)mbs_function_evaluate(reduced->system, mbs_reduced_function(set, i, level), state, NULL);
    }
    for (int k = 0; k < reduced->system->column_count; ++k) {
      Z[k * reduced->count + i] = column_of(set, i, level, state, k, columns);
    }
  }
}

// the columns with G in place of A; the fixed coordinates' are the same
static MbsColumns with_g(const MbsReduced *reduced, const MbsColumns *columns) {
  const MbsSystem *system = reduced->system;
  MbsColumns other = *columns;
  other.A = reduced->implicit->W;
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = system->n; i < system->nq; ++i) {
      other.A[k * system->nq + i] = columns->A[k * system->nq + i];
    }
  }
  return other;
}

// the hats', from w, w', w'' of the state before the step and u
static void differentiate_hats(MbsReduced *reduced, const MbsRuleStep *k, const MbsColumns *columns) {
  mbs_scalar **Z = reduced->Z;
  bool has_auxiliary = reduced->implicit->w != NULL;
  mbs_signal_bank_evaluate(reduced->system, &reduced->old);
  for (int level = 0; level < 3; ++level) {
    mbs_reduced_columns_of(reduced, level, &reduced->old, columns, Z[level]);
  }
  if (has_auxiliary) {
    const MbsState old = mbs_reduced_auxiliary(reduced, &reduced->old, reduced->old_g);
    const MbsColumns of_g = with_g(reduced, columns);
    mbs_signal_bank_evaluate(reduced->system, &old);
    mbs_reduced_columns_of(reduced, 2, &old, &of_g, Z[3]);
  }
  for (int i = 0; i < reduced->count * reduced->system->column_count; ++i) {
    mbs_scalar rate = Z[1][i], second = Z[2][i], u = Z[has_auxiliary ? 3 : 2][i];
    Z[0][i] += k->h * rate + k->qa * second + k->qw * u;
    Z[1][i] = rate + k->va * second + k->vw * u;
    Z[3][i] = k->wa * second + k->ww * u;
  }
}

void mbs_reduced_solve_columns(MbsReduced *reduced, const MbsProblem *problem, int level, const mbs_scalar *hat,
                               const MbsState *state, const MbsColumns *columns) {
  static const MbsWeights weights[] = {{.k0 = 1}, {.k1 = 1, .n1 = 1}, {.k2 = 1, .n2 = 1}};
  const MbsSystem *system = reduced->system;
  int n = system->n, size = n + system->m;
  mbs_scalar *const unknown[] = {columns->X, columns->V, columns->A};
  for (int k = 0; k < system->column_count; ++k) {
    mbs_clear(n, unknown[level] + k * system->nq);
  }
  mbs_clear(size * system->column_count, reduced->R);
  const MbsColumns known = {.X = columns->X, .V = columns->V, .A = columns->A};
  mbs_terms_derivative_of(system, state, &weights[level], MBS_PART_ROWS, &known, reduced->R);
  mbs_reduced_columns_of(reduced, level, state, columns, reduced->S);
  for (int k = 0; k < system->column_count; ++k) {
    for (int r = 0; r < problem->row_count; ++r) {
      int row = problem->rows[r], i = row - system->m, at = k * reduced->count + i;
      reduced->rhs[r] = i < 0 ? -reduced->R[k * size + n + row] : (hat ? hat[at] : 0) - reduced->S[at];
    }
    mbs_problem_solve(problem, 1, reduced->rhs);
    for (int i = 0; i < n; ++i) {
      unknown[level][k * system->nq + i] = reduced->rhs[i];
    }
  }
}

// Kv^-T (f_q q' + f_v v' + M a' + f_rho), in each column of R
static void balance_columns(MbsReduced *reduced, const MbsState *state, const MbsColumns *columns) {
  const MbsSystem *system = reduced->system;
  const MbsWeights none = {0};
  const MbsColumns known = {.X = columns->X, .V = columns->V, .A = columns->A};
  int size = system->n + system->m;
  mbs_clear(size * system->column_count, reduced->R);
  mbs_terms_derivative_of(system, state, &none, MBS_PART_ALL, &known, reduced->R);
  for (int k = 0; k < system->column_count; ++k) {
    mbs_problem_solve_transposed(reduced->sets[reduced->current]->velocity, 1, reduced->R + k * size);
  }
}

// s' of each column, to S, and what follows from it
static void move(MbsReduced *reduced, const MbsState *state, const MbsColumns *columns) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int d = reduced->count, size = system->n + system->m;
  balance_columns(reduced, state, columns);
  mbs_reduced_columns_of(reduced, 2, state, columns, reduced->S);
  for (int k = 0; k < system->column_count; ++k) {
    mbs_scalar *change = reduced->S + k * d;
    for (int i = 0; i < d; ++i) {
      change[i] = -(set->rate_row[i] >= 0 ? reduced->R[k * size + set->rate_row[i]] : change[i]);
    }
    mbs_dense_solve(d, reduced->J, reduced->pivot, change);
    for (int j = 0; j < d; ++j) {
      for (int i = 0; i < system->n; ++i) {
        columns->X[k * system->nq + i] += reduced->X[j * system->nq + i] * change[j];
        columns->V[k * system->nq + i] += reduced->V[j * system->nq + i] * change[j];
        columns->A[k * system->nq + i] += reduced->A[j * system->nq + i] * change[j];
      }
    }
  }
}

static void find_multipliers(MbsReduced *reduced, const MbsState *state, const MbsColumns *columns) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int size = system->n + system->m;
  balance_columns(reduced, state, columns);
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = 0; i < system->m; ++i) {
      int row = set->velocity->row_of[i];
      columns->L[k * system->m + i] = row > 0 ? -reduced->R[k * size + row - 1] : 0;
      columns->S[k * system->m + i] = columns->K[k * system->m + i] = 0;
    }
  }
  if (reduced->implicit->has_redundancy) {
    mbs_project_balance_derivative(reduced->implicit->at->projector, MBS_PROJECT_BALANCE, state, columns, columns->L);
  }
  for (int i = 0; i < system->m * system->column_count; ++i) {
    columns->T[i] = columns->L[i];
  }
}

// the hats in the columns of the step by itself: its time is not that of the old state
static void differentiate_step_size(const MbsReduced *reduced, mbs_scalar h) {
  const MbsSystem *system = reduced->system;
  const MbsRuleStep k = mbs_rule_slope(&reduced->implicit->rule, h);
  mbs_scalar *const *b = reduced->before;
  int d = reduced->count, time = system->time_column * d, step = system->step_column * d;
  for (int i = 0; i < d && system->time_column >= 0; ++i) {
    reduced->Z[0][time + i] = reduced->Z[1][time + i] = reduced->Z[2][time + i] = reduced->Z[3][time + i] = 0;
  }
  for (int i = 0; i < d && system->step_column >= 0; ++i) {
    reduced->Z[0][step + i] = k.h * b[0][i] + k.qa * b[1][i] + k.qw * b[2][i] + k.c0 * b[3][i];
    reduced->Z[1][step + i] = k.va * b[1][i] + k.vw * b[2][i] + k.c1 * b[3][i];
    reduced->Z[2][step + i] = reduced->Z[3][step + i] = 0;
  }
}

MbsStatus mbs_reduced_step_derivative(MbsContext *context, MbsReduced *reduced, mbs_scalar h, const MbsState *state,
                                      const MbsColumns *columns) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsRuleStep rule = mbs_rule_step(&reduced->implicit->rule, h);
  mbs_columns_begin_step(system, columns, reduced->implicit->W);
  differentiate_hats(reduced, &rule, columns);
  differentiate_step_size(reduced, h);
  mbs_signal_bank_evaluate(system, state);
  MBS_TRY(mbs_reduced_factor(context, reduced, &rule, state, false));
  mbs_system_fixed_columns(system, state->t, columns->X, columns->V, columns->A);
  mbs_reduced_solve_columns(reduced, &set->position, 0, reduced->Z[0], state, columns);
  mbs_reduced_solve_columns(reduced, set->velocity, 1, reduced->Z[1], state, columns);
  mbs_reduced_solve_columns(reduced, set->velocity, 2, NULL, state, columns);
  move(reduced, state, columns);
  for (int i = 0; i < reduced->count * system->column_count; ++i) {
    reduced->Z[3][i] += rule.cw * reduced->S[i];
  }
  find_multipliers(reduced, state, columns);
  if (reduced->implicit->w) {
    const MbsState at_g = mbs_reduced_auxiliary(reduced, state, reduced->implicit->w);
    const MbsColumns of_g = with_g(reduced, columns);
    mbs_signal_bank_evaluate(system, &at_g);
    mbs_reduced_solve_columns(reduced, &set->position, 2, reduced->Z[3], &at_g, &of_g);
  }
  return MBS_OK;
}
