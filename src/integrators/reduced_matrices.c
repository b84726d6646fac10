// The matrices of a step of independent coordinates: K, Kv, and Newton's J. See reduced.h.
#include <math.h>

#include "algebra/dense.h"
#include "integrators/reduced.h"

static const MbsWeights level_weights[] = {{.k0 = 1}, {.k1 = 1, .n1 = 1}, {.k2 = 1, .n2 = 1}};

MbsStatus mbs_reduced_singular(MbsContext *context, const MbsSystem *system, const MbsState *state) {
  bool is_finite = true;  // or else every force is not, too
  for (int i = 0; i < system->n; ++i) {
    is_finite = is_finite && mbs_is_finite(state->q[i]) && mbs_is_finite(state->v[i]);
  }
  if (is_finite && mbs_terms_find_bad_force(system, state)) {
    return mbs_newton_not_finite(context, system, state, true);
  }
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                  "matrix-r: the independent coordinates do not determine the motion at t = %.10g, near a singular "
                  "position; choose other independent coordinates or a smaller step, or use formulation ali3p",
                  mbs_re(state->t));
}

static double raised(double largest, int count, const mbs_scalar *x) {
  for (int i = 0; i < count; ++i) {
    double magnitude = mbs_re(mbs_abs(x[i]));
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

// How fast another coordinate moves for an independent one. It grows without bounds where a set loses the motion. (The
// pivots of K would tell it too, but depend on their history.)
double mbs_reduced_growth(const MbsReduced *reduced, const MbsIndependentSet *set) {
  const MbsProblem *const problems[] = {&set->position, set->velocity};
  double largest = 0;
  for (int p = 0; p < (problems[0] == problems[1] ? 1 : 2); ++p) {
    for (int i = 0; i < set->count; ++i) {
      int row = p == 0 ? mbs_reduced_row(set, i) : set->rate_row[i];
      if (row < 0) {
        continue;
      }
      for (int r = 0; r < problems[p]->row_count; ++r) {
        reduced->rhs[r] = r == row ? 1 : 0;
      }
      mbs_problem_solve(problems[p], 1, reduced->rhs);
      largest = raised(largest, reduced->system->n, reduced->rhs);
    }
  }
  return largest;
}

const MbsStateBar *mbs_reduced_gradient(const MbsReduced *reduced, const MbsIndependentSet *set, int i, int level,
                                        const MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsFunction *function = mbs_reduced_function(set, i, level);
  const MbsStateBar *bar = &reduced->scratch;
  mbs_clear(system->nq, bar->q);
  mbs_clear(system->nq, bar->v);
  mbs_clear(system->nq, bar->a);
  (void)mbs_function_evaluate(system, function, state, NULL);
  mbs_function_transposed(system, function, state, 1, &(MbsStateBar){.q = bar->q, .v = bar->v, .a = bar->a});
  return bar;
}

void mbs_reduced_find_own(const MbsReduced *reduced, const MbsState *state) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int n = reduced->system->n;
  for (int i = 0; i < reduced->count && !set->is_automatic; ++i) {
    const MbsStateBar *bar = mbs_reduced_gradient(reduced, set, i, 2, state);
    const mbs_scalar *const from[] = {bar->q, bar->v, bar->a};
    for (int level = 0; level < 3; ++level) {
      for (int k = 0; k < n; ++k) {
        reduced->own[level][i * n + k] = from[level][k];
      }
    }
  }
}

mbs_scalar mbs_reduced_along(const MbsReduced *reduced, int i, int level, const mbs_scalar *X, const mbs_scalar *V,
                             const mbs_scalar *A) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int n = reduced->system->n;
  if (set->is_automatic) {
    return (level == 1 ? V : A)[set->automatic[i]];
  }
  const mbs_scalar *own[] = {reduced->own[0] + i * n, reduced->own[1] + i * n, reduced->own[2] + i * n};
  return level == 1 ? mbs_dot(n, own[1], X) / 2 + mbs_dot(n, own[2], V)
                    : mbs_dot(n, own[0], X) + mbs_dot(n, own[1], V) + mbs_dot(n, own[2], A);
}

static void keep_direction(const MbsSystem *system, const mbs_scalar *from, mbs_scalar *to) {
  for (int i = 0; i < system->nq; ++i) {
    to[i] = i < system->n ? from[i] : 0;
  }
}

// V or A of independent coordinate j: Kv y = -(E of the level along X, V) + own in its row
static void solve_direction(const MbsReduced *reduced, const MbsIndependentSet *set, const MbsState *state, int level,
                            int j, mbs_scalar own, const mbs_scalar *X, const mbs_scalar *V, mbs_scalar *result) {
  const MbsSystem *system = reduced->system;
  const mbs_scalar *none = system->zeros;
  mbs_terms_derivative_along(system, state, &level_weights[level], MBS_PART_ROWS, X, V, NULL, reduced->r);
  for (int r = 0; r < set->velocity->row_count; ++r) {
    int row = set->velocity->rows[r], i = row - system->m;
    reduced->rhs[r] =
        i < 0 ? -reduced->r[system->n + row] : (i == j ? own : 0) - mbs_reduced_along(reduced, i, level, X, V, none);
  }
  mbs_problem_solve(set->velocity, 1, reduced->rhs);
  keep_direction(system, reduced->rhs, result);
}

static bool factor_exactly(MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsWeights none = {0};
  int d = reduced->count;
  mbs_reduced_find_own(reduced, state);
  for (int j = 0; j < d; ++j) {
    mbs_scalar *X = reduced->X + j * system->nq, *V = reduced->V + j * system->nq, *A = reduced->A + j * system->nq;
    for (int r = 0; r < set->position.row_count; ++r) {
      reduced->rhs[r] = r == mbs_reduced_row(set, j) ? k->c0 : 0;
    }
    mbs_problem_solve(&set->position, 1, reduced->rhs);
    keep_direction(system, reduced->rhs, X);
    solve_direction(reduced, set, state, 1, j, k->c1, X, system->zeros, V);
    solve_direction(reduced, set, state, 2, j, 1, X, V, A);
    mbs_terms_derivative_along(system, state, &none, MBS_PART_ALL, X, V, A, reduced->r);
    mbs_problem_solve_transposed(set->velocity, 1, reduced->r);
    for (int i = 0; i < d; ++i) {
      reduced->J[i * d + j] = set->rate_row[i] >= 0 ? reduced->r[set->rate_row[i]]
                                                    : mbs_reduced_along(reduced, i, 2, X, V, A) - (i == j ? 1 : 0);
    }
  }
  return mbs_dense_factor(d, reduced->J, reduced->pivot);
}

// The same with V = c1 R and with T = M + c1 f_v + c0 f_q for M where the curvature of the constraints adds to A:
//     A = R - Kv^-1 (c0 (E2)_q + c1 (E2)_v) R,   J = R' T A
// up to the order of h^2, from one assembled matrix [T Phi_q'; c0 (E2)_q + c1 (E2)_v + Phi_q, 0].
static bool factor_quickly(MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsProblem *problem = &set->position;
  const MbsPattern *pattern = &system->mode.pattern;
  const mbs_scalar *T = reduced->tangent;
  int d = reduced->count, rows = problem->row_count, n = system->n;
  mbs_scalar *R = reduced->X, *rhs = reduced->several;
  mbs_clear(d * rows, rhs);
  for (int j = 0; j < d; ++j) {
    rhs[j * rows + mbs_reduced_row(set, j)] = 1;
  }
  mbs_problem_solve(problem, d, rhs);
  reduced->present_growth = 0;
  for (int j = 0; j < d; ++j) {
    mbs_scalar *direction = R + j * n, *e = reduced->r;
    mbs_clear(n + system->m, e);
    for (int i = 0; i < n; ++i) {
      direction[i] = rhs[j * rows + i];
    }
    reduced->present_growth = raised(reduced->present_growth, n, direction);
    for (int column = 0; column < n; ++column) {
      for (int at = pattern->column_start[column]; at < pattern->column_start[column + 1]; ++at) {
        e[pattern->row[at]] += pattern->row[at] < n ? 0 : T[at] * direction[column];
      }
    }
    for (int r = 0; r < rows; ++r) {
      int row = problem->rows[r];
      rhs[j * rows + r] = row < system->m ? e[n + row] : 0;
    }
  }
  for (int i = 0; i < d && !set->is_automatic; ++i) {  // c0 (w'')_q + c1 (w'')_v
    const MbsStateBar *bar = mbs_reduced_gradient(reduced, set, i, 2, state);
    for (int j = 0; j < d; ++j) {
      mbs_scalar sum = 0;
      for (int at = 0; at < n; ++at) {
        sum += (k->c0 * bar->q[at] + k->c1 * bar->v[at]) * R[j * n + at];
      }
      rhs[j * rows + mbs_reduced_row(set, i)] = sum;
    }
  }
  mbs_problem_solve(problem, d, rhs);
  for (int j = 0; j < d; ++j) {
    mbs_scalar *product = reduced->r;
    mbs_clear(n + system->m, product);
    for (int column = 0; column < n; ++column) {
      mbs_scalar A = R[j * n + column] - rhs[j * rows + column];
      for (int at = pattern->column_start[column]; at < pattern->column_start[column + 1]; ++at) {
        product[pattern->row[at]] += T[at] * A;  // those of the constraints are of no use
      }
    }
    for (int i = 0; i < d; ++i) {
      mbs_scalar sum = 0;
      for (int row = 0; row < n; ++row) {
        sum += R[i * n + row] * product[row];
      }
      reduced->J[i * d + j] = sum;
    }
  }
  return mbs_dense_factor(d, reduced->J, reduced->pivot);
}

MbsStatus mbs_reduced_factor(MbsContext *context, MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state,
                             bool quickly) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  bool is_quick = quickly && set->velocity == &set->position && mbs_system_has_tangent(reduced->system), is_regular;
  if (is_quick) {
    mbs_terms_tangent(reduced->system, state, &level_weights[2], k->c0, k->c1, 1, reduced->tangent);
    is_regular = mbs_independent_set_factor(set, state, reduced->tangent) && factor_quickly(reduced, k, state);
  } else if (mbs_reduced_is_assembled(reduced)) {
    mbs_reduced_assemble(reduced, state);
    is_regular = mbs_independent_set_factor(set, state, reduced->by[1]) && mbs_reduced_factor_assembled(reduced, k);
    reduced->present_growth = -1;
  } else {
    is_regular = mbs_independent_set_factor(set, state, NULL) && factor_exactly(reduced, k, state);
    reduced->present_growth = -1;  // not known
  }
  return is_regular ? MBS_OK : mbs_reduced_singular(context, reduced->system, state);
}
