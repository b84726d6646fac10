// The transpose of a step of independent coordinates. With p0 ... p3 the adjoint variables of E0 ... E3 (reduced.h) and
// a b behind what the new state has received,
//     lambda:  Phi_q p3 = lambdab                        so  p3 = K^-1 (lambdab; 0) + R pi
//     a:       K' p2 = ab - M p3
//     v:       K' p1 = vb - (E2)_v' p2 - f_v' p3
//     q:       K' p0 = qb - (E1)_q' p1 - (E2)_q' p2 - f_q' p3
//     s:       c0 p0 + c1 p1 + p2 + sb = 0 in the rows of w   so  J' pi = that sum for pi = 0
// (sb: what s itself has received, nothing in a step).
// Then the hats of z and z' receive p0 and p1 of the rows of w, and every coefficient -p.E_c.
#include "integrators/reduced.h"

static const MbsWeights levels[] = {{.k0 = 1}, {.k1 = 1}, {.k2 = 1}};

static const MbsFunction *function_of(const MbsInitial *set, int i, int level) {
  const MbsIndependent *independent = &set->independents[i];
  const MbsFunction *const functions[] = {&independent->w, &independent->rate, &independent->second};
  return functions[level];
}

// adds -p.E_level: the rows of K at one level, transposed; what its own unknown receives is K' p and does not count
static void subtract_level(MbsReduced *reduced, int level, const MbsState *state, const MbsStateBar *bar) {
  const MbsSystem *system = reduced->system;
  const MbsInitial *set = reduced->sets[reduced->current];
  mbs_scalar *nu = reduced->levels;
  for (int k = 0; k < system->m; ++k) {
    int row = set->position.row_of[k];
    nu[k] = row > 0 ? -reduced->p[level][row - 1] : 0;
  }
  mbs_terms_transposed(system, state, &levels[level], MBS_PART_ROWS, system->zeros, nu, bar);
  for (int i = 0; i < reduced->count && !set->is_automatic; ++i) {
    const MbsFunction *function = function_of(set, i, level);
    const MbsStateBar known = {
        .q = bar->q, .v = bar->v, .a = bar->a, .coefficients = bar->coefficients, .parameters = bar->parameters};
    (void)mbs_function_evaluate(system, function, state, NULL);
    mbs_function_transposed(system, function, state, -reduced->p[level][mbs_reduced_row(reduced, i)], &known);
  }
}

static void solve_transposed(const MbsReduced *reduced, const mbs_scalar *b, mbs_scalar *p) {
  for (int i = 0; i < reduced->system->n; ++i) {
    p[i] = b[i];
  }
  mbs_sparse_solver_solve_transposed(reduced->sets[reduced->current]->position.solver, 1, p);
}

// p2, p1, p0 for the p3 at hand. q, v, a of `work` hold what the state has received, and lose what the equations take;
// the fixed coordinates' keep what is theirs.
static void chain(MbsReduced *reduced, const MbsState *state, const MbsStateBar *work) {
  const MbsSystem *system = reduced->system;
  const MbsWeights none = {0};
  for (int i = 0; i < system->n; ++i) {
    reduced->y[i] = -reduced->p[3][i];
  }
  mbs_terms_transposed(system, state, &none, MBS_PART_ALL, reduced->y, system->zeros, work);
  solve_transposed(reduced, work->a, reduced->p[2]);
  subtract_level(reduced, 2, state, work);
  solve_transposed(reduced, work->v, reduced->p[1]);
  subtract_level(reduced, 1, state, work);
  solve_transposed(reduced, work->q, reduced->p[0]);
  subtract_level(reduced, 0, state, work);
}

MbsStatus mbs_reduced_prepare_instant(MbsContext *context, MbsReduced *reduced, int set, double c0, double c1,
                                      const MbsState *state) {
  const MbsRuleStep k = {.c0 = c0, .c1 = c1};
  reduced->current = set;
  return mbs_reduced_factor(context, reduced, &k, state);
}

MbsStatus mbs_reduced_prepare_transposed(MbsContext *context, MbsReduced *reduced, double h, long step,
                                         const MbsState *state) {
  const MbsRuleStep k = mbs_rule_step(&reduced->stepper->rule, h);
  return mbs_reduced_prepare_instant(context, reduced, reduced->set_of_step[step], k.c0, k.c1, state);
}

void mbs_reduced_handle_hats(const MbsReduced *reduced, int index, const MbsState *state, const MbsStateBar *bar,
                             mbs_scalar *hats) {
  const MbsInitial *set = reduced->sets[index];
  mbs_scalar *const unknown[] = {bar->q, bar->v, bar->a};
  for (int level = 0; level < 3; ++level) {
    for (int i = 0; i < reduced->count; ++i) {
      mbs_scalar *hat = &hats[level * reduced->count + i];
      if (set->is_automatic) {
        unknown[level][set->automatic[i]] += *hat;
      } else {
        (void)mbs_function_evaluate(reduced->system, function_of(set, i, level), state, NULL);
        mbs_function_transposed(reduced->system, function_of(set, i, level), state, *hat, bar);
      }
      *hat = 0;
    }
  }
}

void mbs_reduced_instant_transposed(MbsReduced *reduced, double c0, double c1, const MbsState *state,
                                    const MbsStateBar *bar, const mbs_scalar *s, mbs_scalar *z, mbs_scalar *rate) {
  const MbsSystem *system = reduced->system;
  const MbsInitial *set = reduced->sets[reduced->current];
  int n = system->n, d = reduced->count;
  for (int i = 0; i < system->m; ++i) {
    bar->lambda[i] += bar->total[i];
    bar->total[i] = 0;
  }
  if (reduced->stepper->has_redundancy) {
    mbs_project_balance_transposed(reduced->stepper->projector, MBS_PROJECT_BALANCE, state, bar->lambda, bar);
  }
  // p3 with pi = 0
  for (int r = 0; r < n; ++r) {
    int row = set->position.rows[r];
    reduced->p[3][r] = row < system->m ? bar->lambda[row] : 0;
  }
  mbs_sparse_solver_solve(set->position.solver, 1, reduced->p[3]);
  for (int i = 0; i < system->m; ++i) {
    bar->lambda[i] = 0;
  }
  MbsStateBar tried = reduced->scratch;
  for (int i = 0; i < system->nq; ++i) {
    tried.q[i] = bar->q[i];
    tried.v[i] = bar->v[i];
    tried.a[i] = bar->a[i];
  }
  chain(reduced, state, &tried);
  for (int i = 0; i < d; ++i) {
    int r = mbs_reduced_row(reduced, i);
    reduced->rho[i] = c0 * reduced->p[0][r] + c1 * reduced->p[1][r] + reduced->p[2][r] + (s ? s[i] : 0);
  }
  mbs_reduced_solve(reduced, true, reduced->rho);
  for (int r = 0; r < n; ++r) {
    reduced->rhs[r] = 0;
  }
  for (int i = 0; i < d; ++i) {
    reduced->rhs[mbs_reduced_row(reduced, i)] = reduced->rho[i];
  }
  mbs_sparse_solver_solve(set->position.solver, 1, reduced->rhs);
  for (int i = 0; i < n; ++i) {
    reduced->p[3][i] += reduced->rhs[i];
  }
  MbsStateBar known = *bar;
  known.lambda = reduced->scratch.lambda;
  chain(reduced, state, &known);
  for (int i = 0; i < d; ++i) {
    z[i] = reduced->p[0][mbs_reduced_row(reduced, i)];
    rate[i] = reduced->p[1][mbs_reduced_row(reduced, i)];
  }
  for (int i = 0; i < n; ++i) {
    bar->q[i] = bar->v[i] = bar->a[i] = 0;
  }
}

void mbs_reduced_step_transposed(MbsReduced *reduced, double h, const MbsState *state, const MbsStateBar *bar,
                                 mbs_scalar *hats) {
  const MbsRuleStep k = mbs_rule_step(&reduced->stepper->rule, h);
  int d = reduced->count;
  mbs_reduced_instant_transposed(reduced, k.c0, k.c1, state, bar, NULL, hats, hats + d);
  for (int i = 0; i < d; ++i) {
    mbs_scalar z = hats[i], rate = hats[d + i];
    hats[d + i] = k.h * z + rate;
    hats[2 * d + i] = k.qw * z + k.vw * rate;
  }
}
