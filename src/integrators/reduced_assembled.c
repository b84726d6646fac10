// J of a step of independent coordinates, and the adjoint variables of its transpose, from assembled matrices: every
// product that reduced_matrices.c and reduced_transposed.c take from the elements, one by one, is one with
//     [f_q; (E2)_q],  [f_v; (E2)_v],  [M; Phi_q]       and  (E1)_q = (E2)_v / 2  (holonomic rows; w' and w'' likewise)
// in the pattern of the system. The elements are evaluated once for each matrix, not for each product.
//
// On the way back (reduced_transposed.c) the variables are linear in (pi, p4): with e_j for these, and nothing
// received, they are the columns P_j, whose equation of s is -J' e_j. So J comes with them, and what the state has
// received, p of pi = 0, becomes p + sum P_j (pi, p4)_j.
#include "algebra/dense.h"
#include "integrators/reduced.h"

bool mbs_reduced_is_assembled(const MbsReduced *reduced) {
  return mbs_system_has_tangent(reduced->system) && !reduced->system->source;
}

static bool has_nonholonomic(const MbsIndependentSet *set) { return set->velocity != &set->position; }

void mbs_reduced_assemble(const MbsReduced *reduced, const MbsState *state) {
  static const MbsWeights accelerations = {.k2 = 1, .n2 = 1}, velocities = {.k1 = 1, .n1 = 1};
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  mbs_terms_tangent(system, state, &accelerations, 1, 0, 0, reduced->by[0]);
  mbs_terms_tangent(system, state, &accelerations, 0, 1, 0, reduced->by[1]);
  mbs_terms_tangent(system, state, &accelerations, 0, 0, 1, reduced->by[2]);
  if (has_nonholonomic(set)) {
    mbs_terms_tangent(system, state, &velocities, 1, 0, 0, reduced->rate_by_q);
  }
  mbs_reduced_find_own(reduced, state);
}

// (E1)_q is a multiple of these values
static const mbs_scalar *rate_values(const MbsReduced *reduced, double *times) {
  bool is_apart = has_nonholonomic(reduced->sets[reduced->current]);
  *times = is_apart ? 1 : 0.5;
  return is_apart ? reduced->rate_by_q : reduced->by[1];
}

// ---- J by directions ----
// r (n + m) += times values x
static void add_product(const MbsReduced *reduced, double times, const mbs_scalar *values, const mbs_scalar *x,
                        mbs_scalar *r) {
  const MbsPattern *pattern = &reduced->system->mode.pattern;
  for (int column = 0; column < reduced->system->n; ++column) {
    mbs_scalar factor = times * x[column];
    for (int at = pattern->column_start[column]; at < pattern->column_start[column + 1]; ++at) {
      r[pattern->row[at]] += values[at] * factor;
    }
  }
}

// V or A of independent coordinate j, from (E1)_q X or (E2)_q X + (E2)_v V in r; `by`: of w' or w'' by q and v
static void solve_direction(const MbsReduced *reduced, int j, mbs_scalar own, mbs_scalar times, const mbs_scalar *by_q,
                            const mbs_scalar *by_v, const mbs_scalar *X, const mbs_scalar *V, mbs_scalar *result) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int n = system->n;
  for (int r = 0; r < set->velocity->row_count; ++r) {
    int row = set->velocity->rows[r], i = row - system->m;
    mbs_scalar change = 0;
    if (i >= 0 && !set->is_automatic) {
      change = times * mbs_dot(n, by_q + i * n, X) + (V ? mbs_dot(n, by_v + i * n, V) : 0);
    }
    reduced->rhs[r] = i < 0 ? -reduced->r[n + row] : (i == j ? own : 0) - change;
  }
  mbs_problem_solve(set->velocity, 1, reduced->rhs);
  for (int i = 0; i < system->nq; ++i) {
    result[i] = i < n ? reduced->rhs[i] : 0;
  }
}

bool mbs_reduced_factor_assembled(MbsReduced *reduced, const MbsRuleStep *k) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int d = reduced->count, n = system->n, size = n + system->m;
  double times;
  const mbs_scalar *rate = rate_values(reduced, &times);
  for (int j = 0; j < d; ++j) {
    mbs_scalar *X = reduced->X + j * system->nq, *V = reduced->V + j * system->nq, *A = reduced->A + j * system->nq;
    mbs_scalar *r = reduced->r;
    for (int row = 0; row < set->position.row_count; ++row) {
      reduced->rhs[row] = row == mbs_reduced_row(set, j) ? k->c0 : 0;
    }
    mbs_problem_solve(&set->position, 1, reduced->rhs);
    for (int i = 0; i < system->nq; ++i) {
      X[i] = i < n ? reduced->rhs[i] : 0;
    }
    mbs_clear(size, r);
    add_product(reduced, times, rate, X, r);
    solve_direction(reduced, j, k->c1, 0.5, reduced->own[1], NULL, X, NULL, V);
    mbs_clear(size, r);
    add_product(reduced, 1, reduced->by[0], X, r);
    add_product(reduced, 1, reduced->by[1], V, r);
    solve_direction(reduced, j, 1, 1, reduced->own[0], reduced->own[1], X, V, A);
    add_product(reduced, 1, reduced->by[2], A, r);
    mbs_problem_solve_transposed(set->velocity, 1, r);
    for (int i = 0; i < d; ++i) {
      reduced->J[i * d + j] =
          set->rate_row[i] >= 0 ? r[set->rate_row[i]] : mbs_reduced_along(reduced, i, 2, X, V, A) - (i == j ? 1 : 0);
    }
  }
  return mbs_dense_factor(d, reduced->J, reduced->pivot);
}

// ---- the way back ----
// what one column of a matrix gives, of the rows from `at` up to `end`
static mbs_scalar column_dot(const MbsPattern *pattern, const mbs_scalar *values, int at, int end,
                             const mbs_scalar *x) {
  mbs_scalar sum = 0;
  for (; at < end; ++at) {
    sum += values[at] * x[pattern->row[at]];
  }
  return sum;
}

// x (m): a problem's p, by constraint
static void spread(const MbsReduced *reduced, const MbsProblem *problem, double times, const mbs_scalar *p,
                   mbs_scalar *x) {
  for (int k = 0; k < reduced->system->m; ++k) {
    x[k] = problem->row_of[k] > 0 ? times * p[problem->row_of[k] - 1] : 0;
  }
}

// b -= p w'' by q, v or a, of the coordinates of the user's
static void subtract_rows(const MbsReduced *reduced, int level, const mbs_scalar *p, mbs_scalar *b) {
  int n = reduced->system->n;
  for (int i = 0; i < reduced->count && !reduced->sets[reduced->current]->is_automatic; ++i) {
    const mbs_scalar *row = reduced->own[level] + i * n;
    for (int k = 0; k < n && !mbs_is_zero(p[i]); ++k) {
      b[k] -= p[i] * row[k];
    }
  }
}

// by independent coordinate: what stands for it in the p of velocities (I), and `following` else (F)
static const mbs_scalar *by_coordinate(const MbsReduced *reduced, double times, const mbs_scalar *p,
                                       const mbs_scalar *following) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  for (int i = 0; i < reduced->count; ++i) {
    int row = set->rate_row[i];
    reduced->of_own[i] = row >= 0 ? (p ? times * p[row] : 0) : (following ? following[i] : 0);
  }
  return reduced->of_own;
}

// p0, p1, p2 from p3 and p4; b: what q, v, a have received, which is used up
static void find_variables(const MbsReduced *reduced, const mbs_scalar *p3, const mbs_scalar *p4, const MbsStateBar *b,
                           mbs_scalar *const p[3]) {
  const MbsSystem *system = reduced->system;
  const MbsPattern *pattern = &system->mode.pattern;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const int *start = pattern->column_start, *below = reduced->below;
  int n = system->n;
  mbs_scalar *x = reduced->y, *const *by = reduced->by;
  double times;
  const mbs_scalar *rate = rate_values(reduced, &times), *own;
  for (int i = 0; i < n; ++i) {
    x[i] = p3[i];
  }
  for (int i = 0; i < n; ++i) {
    b->a[i] -= column_dot(pattern, by[2], start[i], below[i], x);
  }
  for (int i = 0; i < reduced->count && set->is_automatic; ++i) {
    b->a[set->automatic[i]] -= set->rate_row[i] < 0 ? p4[i] : 0;
  }
  subtract_rows(reduced, 2, by_coordinate(reduced, 0, NULL, p4), b->a);
  mbs_reduced_solve_transposed(reduced, set->velocity, b->a, p[2]);
  spread(reduced, set->velocity, 1, p[2], x + n);
  for (int i = 0; i < n; ++i) {
    b->v[i] -= column_dot(pattern, by[1], start[i], start[i + 1], x);
    b->q[i] -= column_dot(pattern, by[0], start[i], start[i + 1], x);
  }
  own = by_coordinate(reduced, 1, p[2], p4);
  subtract_rows(reduced, 1, own, b->v);
  subtract_rows(reduced, 0, own, b->q);
  mbs_reduced_solve_transposed(reduced, set->velocity, b->v, p[1]);
  spread(reduced, set->velocity, times, p[1], x + n);
  for (int i = 0; i < n; ++i) {
    b->q[i] -= column_dot(pattern, rate, below[i], start[i + 1], x);
  }
  subtract_rows(reduced, 1, by_coordinate(reduced, 0.5, p[1], NULL), b->q);
  mbs_reduced_solve_transposed(reduced, &set->position, b->q, p[0]);
}

bool mbs_reduced_factor_transposed(MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int d = reduced->count, n = system->n, size = n + system->m, rows = set->velocity->row_count;
  const MbsStateBar *b = &reduced->scratch;
  mbs_clear(d * rows, reduced->several);
  for (int j = 0; j < d; ++j) {
    if (set->rate_row[j] >= 0) {
      reduced->several[j * rows + set->rate_row[j]] = 1;
    }
  }
  mbs_problem_solve(set->velocity, d, reduced->several);
  for (int j = 0; j < d; ++j) {
    mbs_scalar *const P[] = {reduced->P[0] + j * size, reduced->P[1] + j * size, reduced->P[2] + j * size};
    for (int i = 0; i < d; ++i) {
      reduced->p[4][i] = i == j && set->rate_row[i] < 0 ? 1 : 0;
    }
    mbs_clear(n, b->q);
    mbs_clear(n, b->v);
    mbs_clear(n, b->a);
    find_variables(reduced, reduced->several + j * rows, reduced->p[4], b, P);
    for (int i = 0; i < d; ++i) {
      reduced->J[j * d + i] = -mbs_reduced_of_s(reduced, c0, c1, P, reduced->p[4], i);
    }
  }
  return mbs_dense_factor(d, reduced->J, reduced->pivot);
}

// to += sum of columns times their factors
static void combine(int count, int columns, int stride, const mbs_scalar *P, const mbs_scalar *factors,
                    mbs_scalar *to) {
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < count; ++i) {
      to[i] += P[j * stride + i] * factors[j];
    }
  }
}

void mbs_reduced_find_variables(MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1, const mbs_scalar *s,
                                const MbsStateBar *bar) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int d = reduced->count, n = system->n, size = n + system->m, rows = set->velocity->row_count;
  mbs_scalar **p = reduced->p;
  find_variables(reduced, p[3], p[4], bar, p);
  for (int i = 0; i < d; ++i) {
    reduced->rho[i] = mbs_reduced_of_s(reduced, c0, c1, p, p[4], i) + (s ? s[i] : 0);
  }
  mbs_dense_solve_transposed(d, reduced->J, reduced->pivot, reduced->rho);
  combine(set->position.row_count, d, size, reduced->P[0], reduced->rho, p[0]);
  combine(rows, d, size, reduced->P[1], reduced->rho, p[1]);
  combine(rows, d, size, reduced->P[2], reduced->rho, p[2]);
  combine(n, d, rows, reduced->several, reduced->rho, p[3]);
  for (int i = 0; i < d; ++i) {
    p[4][i] = set->rate_row[i] < 0 ? reduced->rho[i] : 0;
  }
}

void mbs_reduced_subtract_equations(MbsReduced *reduced, const MbsState *state, const MbsStateBar *bar) {
  static const MbsWeights all = {.k0 = 1, .k1 = 1, .k2 = 1, .n1 = 1, .n2 = 1};
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsProblem *const problems[] = {&set->position, set->velocity, set->velocity};
  mbs_scalar **p = reduced->p, *const *nu = reduced->nu;
  for (int i = 0; i < system->n; ++i) {
    reduced->y[i] = -p[3][i];
  }
  for (int level = 0; level < 3; ++level) {
    spread(reduced, problems[level], -1, p[level], nu[level]);
  }
  mbs_terms_transposed_levels(system, state, &all, MBS_PART_ALL, reduced->y,
                              (const mbs_scalar *const[]){nu[0], nu[1], nu[2]}, bar);
  for (int i = 0; i < reduced->count && !set->is_automatic; ++i) {
    const mbs_scalar weights[] = {p[0][mbs_reduced_row(set, i)], set->rate_row[i] >= 0 ? p[1][set->rate_row[i]] : 0,
                                  set->rate_row[i] >= 0 ? p[2][set->rate_row[i]] : p[4][i]};
    if (reduced->implicit->w) {  // of which E5 has used w''
      (void)mbs_function_evaluate(system, mbs_reduced_function(set, i, 2), state, NULL);
    }
    for (int level = 0; level < 3; ++level) {
      mbs_reduced_subtract_own(reduced, i, level, weights[level], state, bar);
    }
  }
}
