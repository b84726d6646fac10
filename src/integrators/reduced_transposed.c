// The transpose of a step of independent coordinates. With p0 ... p5 the adjoint variables of E0 ... E5 (reduced.h) and
// a b behind what the new state has received,
//     g:       K' p5 = gb
//     lambda:  [Phi_q; A] p3 = lambdab                   so  p3 = Kv^-1 (lambdab; 0) + R pi
//     a:       Kv' p2 = ab - M p3 - (E4)_a' p4
//     v:       Kv' p1 = vb - (E2)_v' p2 - f_v' p3 - (E4)_v' p4 - (E5)_v' p5
//     q:       K' p0 = qb - (E1)_q' p1 - (E2)_q' p2 - f_q' p3 - (E4)_q' p4 - (E5)_q' p5
//     s:       c0 p0 + c1 p1 + p2 + sb = 0 (I),  c0 p0 + p4 + sb = 0 (F), in the rows of w;  in a step sb = cw p5
// the last of which, for pi = 0 and p4 = 0, is J' (pi, p4). Then the hats of z, z' and u receive p0, p1 and p5 of the
// rows of w, and every coefficient -p.E_c.
#include "algebra/dense.h"
#include "integrators/reduced.h"

static const MbsWeights levels[] = {{.k0 = 1}, {.k1 = 1, .n1 = 1}, {.k2 = 1, .n2 = 1}};

void mbs_reduced_subtract_own(const MbsReduced *reduced, int i, int level, mbs_scalar p, const MbsState *state,
                              const MbsStateBar *bar) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsFunction *function = mbs_reduced_function(set, i, level);
  const MbsStateBar known = {
      .q = bar->q, .v = bar->v, .a = bar->a, .coefficients = bar->coefficients, .parameters = bar->parameters};
  mbs_function_transposed(reduced->system, function, state, -p, &known);
}

static void evaluate_own(const MbsReduced *reduced, int i, int level, const MbsState *state) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  (void)mbs_function_evaluate(reduced->system, mbs_reduced_function(set, i, level), state, NULL);
}

void mbs_reduced_subtract_level(MbsReduced *reduced, const MbsProblem *problem, int level, const mbs_scalar *p,
                                const MbsState *state, const MbsStateBar *bar) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  mbs_scalar *nu = reduced->levels;
  for (int k = 0; k < system->m; ++k) {
    int row = problem->row_of[k];
    nu[k] = row > 0 ? -p[row - 1] : 0;
  }
  mbs_terms_transposed(system, state, &levels[level], MBS_PART_ROWS, system->zeros, nu, bar);
  for (int r = 0; r < problem->row_count && !set->is_automatic; ++r) {
    int i = problem->rows[r] - system->m;
    if (i >= 0) {
      evaluate_own(reduced, i, level, state);
      mbs_reduced_subtract_own(reduced, i, level, p[r], state, bar);
    }
  }
}

void mbs_reduced_solve_transposed(const MbsReduced *reduced, const MbsProblem *problem, const mbs_scalar *b,
                                  mbs_scalar *p) {
  for (int i = 0; i < reduced->system->n; ++i) {
    p[i] = b[i];
  }
  mbs_problem_solve_transposed(problem, 1, p);
}

// p2, p1, p0 for the p3 and p4 at hand. q, v, a of `work` hold what the state has received, and lose what the equations
// take; the fixed coordinates' keep what is theirs.
static void chain(MbsReduced *reduced, const MbsState *state, const MbsStateBar *work) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsWeights none = {0};
  mbs_scalar **p = reduced->p;
  for (int i = 0; i < system->n; ++i) {
    reduced->y[i] = -p[3][i];
  }
  mbs_terms_transposed(system, state, &none, MBS_PART_ALL, reduced->y, system->zeros, work);
  for (int i = 0; i < reduced->count; ++i) {
    if (set->rate_row[i] < 0) {
      if (set->is_automatic) {
        work->a[set->automatic[i]] -= p[4][i];
      } else {
        evaluate_own(reduced, i, 2, state);
        mbs_reduced_subtract_own(reduced, i, 2, p[4][i], state, work);
      }
    }
  }
  mbs_reduced_solve_transposed(reduced, set->velocity, work->a, p[2]);
  mbs_reduced_subtract_level(reduced, set->velocity, 2, p[2], state, work);
  mbs_reduced_solve_transposed(reduced, set->velocity, work->v, p[1]);
  mbs_reduced_subtract_level(reduced, set->velocity, 1, p[1], state, work);
  mbs_reduced_solve_transposed(reduced, &set->position, work->q, p[0]);
  mbs_reduced_subtract_level(reduced, &set->position, 0, p[0], state, work);
}

// p5, and what E5 gives to q and v; g's fixed coordinates are the state's
static void transpose_auxiliary(MbsReduced *reduced, const MbsState *state, const MbsStateBar *bar, mbs_scalar *of_g) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsState at_g = mbs_reduced_auxiliary(reduced, state, reduced->implicit->w);
  MbsStateBar known = *bar;
  known.a = of_g;
  known.lambda = reduced->scratch.lambda;
  mbs_reduced_solve_transposed(reduced, &set->position, of_g, reduced->p[5]);
  if (!set->is_automatic) {
    mbs_signal_bank_evaluate(system, &at_g);
  }
  mbs_reduced_subtract_level(reduced, &set->position, 2, reduced->p[5], &at_g, &known);
  if (!set->is_automatic) {
    mbs_signal_bank_evaluate(system, state);
  }
  for (int i = 0; i < system->nq; ++i) {
    bar->a[i] += i < system->n ? 0 : of_g[i];
    of_g[i] = 0;
  }
}

MbsStatus mbs_reduced_prepare_instant(MbsContext *context, MbsReduced *reduced, int set, mbs_scalar c0, mbs_scalar c1,
                                      const MbsState *state) {
  const MbsRuleStep k = {.c0 = c0, .c1 = c1};
  mbs_reduced_use(reduced, set);
  if (!mbs_reduced_is_assembled(reduced)) {
    return mbs_reduced_factor(context, reduced, &k, state, false);
  }
  mbs_reduced_assemble(reduced, state);
  bool is_regular = mbs_independent_set_factor(reduced->sets[set], state, reduced->by[1]) &&
                    mbs_reduced_factor_transposed(reduced, c0, c1);
  for (int i = 0; i < reduced->count && !reduced->sets[set]->is_automatic; ++i) {
    evaluate_own(reduced, i, 1, state);  // w and w'' are, for the matrices
  }
  return is_regular ? MBS_OK : mbs_reduced_singular(context, reduced->system, state);
}

MbsStatus mbs_reduced_prepare_transposed(MbsContext *context, MbsReduced *reduced, const MbsStep *step,
                                         const MbsState *state) {
  const MbsRuleStep k = mbs_rule_step(&reduced->implicit->rule, step->h);
  return mbs_reduced_prepare_instant(context, reduced, step->set, k.c0, k.c1, state);
}

void mbs_reduced_handle_hats(const MbsReduced *reduced, int index, bool is_prepared, const MbsState *state,
                             const MbsStateBar *bar, mbs_scalar *hats) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[index];
  bool is_evaluated =
      is_prepared && index == reduced->current && mbs_reduced_is_assembled(reduced) && !reduced->implicit->w;
  MbsStateBar of_g = *bar;
  of_g.a = mbs_reduced_bar_of_g(reduced, hats);
  for (int level = 0; level < (reduced->implicit->w ? 4 : 3); ++level) {
    const MbsStateBar *to = level < 3 ? bar : &of_g;
    const MbsState at = level < 3 ? *state : mbs_reduced_auxiliary(reduced, state, reduced->implicit->w);
    mbs_scalar *const unknown[] = {to->q, to->v, to->a, to->a};
    if (level == 3 && !set->is_automatic) {
      mbs_signal_bank_evaluate(system, &at);
    }
    for (int i = 0; i < set->count; ++i) {
      mbs_scalar *hat = &hats[level * set->count + i];
      if (set->is_automatic) {
        unknown[level][set->automatic[i]] += *hat;
      } else {
        const MbsFunction *function = mbs_reduced_function(set, i, level < 3 ? level : 2);
        if (!is_evaluated) {
          (void)mbs_function_evaluate(system, function, &at, NULL);
        }
        mbs_function_transposed(system, function, &at, *hat, to);
      }
      *hat = 0;
    }
    if (level == 3 && !set->is_automatic) {
      mbs_signal_bank_evaluate(system, state);
    }
    for (int i = system->n; i < system->nq && level == 3; ++i) {  // a moving ground has one acceleration
      bar->a[i] += of_g.a[i];
      of_g.a[i] = 0;
    }
  }
}

mbs_scalar mbs_reduced_of_s(const MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1, mbs_scalar *const p[3],
                            const mbs_scalar *p4, int i) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int rate_row = set->rate_row[i];
  mbs_scalar own = rate_row >= 0 ? c1 * p[1][rate_row] + p[2][rate_row] : p4[i];
  return c0 * p[0][mbs_reduced_row(set, i)] + own;
}

// p3 and p4, from those with (pi, p4) = 0 and what the state has received
static void find_momenta(MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1, const mbs_scalar *s, const MbsState *state,
                         const MbsStateBar *bar) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int n = system->n, d = reduced->count;
  const MbsStateBar tried = reduced->scratch;
  for (int i = 0; i < system->nq; ++i) {
    tried.q[i] = bar->q[i];
    tried.v[i] = bar->v[i];
    tried.a[i] = bar->a[i];
  }
  chain(reduced, state, &tried);
  for (int i = 0; i < d; ++i) {
    reduced->rho[i] = mbs_reduced_of_s(reduced, c0, c1, reduced->p, reduced->p[4], i) + (s ? s[i] : 0);
  }
  mbs_dense_solve_transposed(d, reduced->J, reduced->pivot, reduced->rho);
  for (int r = 0; r < set->velocity->row_count; ++r) {
    int i = set->velocity->rows[r] - system->m;
    reduced->rhs[r] = i >= 0 ? reduced->rho[i] : 0;
  }
  mbs_problem_solve(set->velocity, 1, reduced->rhs);
  for (int i = 0; i < n; ++i) {
    reduced->p[3][i] += reduced->rhs[i];
  }
  for (int i = 0; i < d; ++i) {
    reduced->p[4][i] = set->rate_row[i] < 0 ? reduced->rho[i] : 0;
  }
}

void mbs_reduced_instant_transposed(MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1, const MbsState *state,
                                    const MbsStateBar *bar, const mbs_scalar *s, mbs_scalar *z, mbs_scalar *rate) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int n = system->n, d = reduced->count;
  for (int i = 0; i < system->m; ++i) {
    bar->lambda[i] += bar->total[i];
    bar->total[i] = 0;
  }
  if (reduced->implicit->has_redundancy) {
    mbs_project_balance_transposed(reduced->implicit->at->projector, MBS_PROJECT_BALANCE, state, bar->lambda, bar);
  }
  // p3 and p4 with pi = 0
  for (int r = 0; r < set->velocity->row_count; ++r) {
    int row = set->velocity->rows[r];
    reduced->p[3][r] = row < system->m ? bar->lambda[row] : 0;
  }
  if (mbs_has_entries(system->m, bar->lambda)) {
    mbs_problem_solve(set->velocity, 1, reduced->p[3]);
  }
  mbs_clear(d, reduced->p[4]);
  mbs_clear(system->m, bar->lambda);
  MbsStateBar known = *bar;
  known.lambda = reduced->scratch.lambda;
  if (mbs_reduced_is_assembled(reduced)) {
    mbs_reduced_find_variables(reduced, c0, c1, s, bar);
    mbs_reduced_subtract_equations(reduced, state, &known);
  } else {
    find_momenta(reduced, c0, c1, s, state, bar);
    chain(reduced, state, &known);
  }
  for (int i = 0; i < d; ++i) {
    z[i] = reduced->p[0][mbs_reduced_row(set, i)];
    rate[i] = set->rate_row[i] >= 0 ? reduced->p[1][set->rate_row[i]] : 0;
  }
  mbs_clear(n, bar->q);
  mbs_clear(n, bar->v);
  mbs_clear(n, bar->a);
}

// what the size of the step receives from the hats
static void transpose_step_size(const MbsReduced *reduced, mbs_scalar h, const mbs_scalar *hats,
                                const MbsStateBar *bar) {
  const MbsRuleStep k = mbs_rule_slope(&reduced->implicit->rule, h);
  mbs_scalar *const *b = reduced->before, *of_h = &bar->parameters[reduced->system->blueprint->clock + 1];
  for (int i = 0; i < reduced->count; ++i) {
    *of_h += hats[i] * (k.h * b[0][i] + k.qa * b[1][i] + k.qw * b[2][i] + k.c0 * b[3][i]);
    *of_h += hats[reduced->count + i] * (k.va * b[1][i] + k.vw * b[2][i] + k.c1 * b[3][i]);
  }
}

void mbs_reduced_step_transposed(MbsReduced *reduced, mbs_scalar h, const MbsState *state, const MbsStateBar *bar,
                                 mbs_scalar *hats) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsRuleStep k = mbs_rule_step(&reduced->implicit->rule, h);
  bool has_auxiliary = reduced->implicit->w != NULL;
  int d = reduced->count;
  mbs_scalar *u = reduced->uh, *s = reduced->s;  // what these receive
  if (has_auxiliary) {
    transpose_auxiliary(reduced, state, bar, mbs_reduced_bar_of_g(reduced, hats));
  }
  for (int i = 0; i < d; ++i) {
    u[i] = has_auxiliary ? reduced->p[5][mbs_reduced_row(set, i)] : 0;
    s[i] = k.cw * u[i];
  }
  mbs_reduced_instant_transposed(reduced, k.c0, k.c1, state, bar, s, hats, hats + d);
  if (mbs_system_has_step_column(reduced->system)) {
    transpose_step_size(reduced, h, hats, bar);
  }
  for (int i = 0; i < d; ++i) {
    mbs_scalar z = hats[i], rate = hats[d + i], auxiliary = k.qw * z + k.vw * rate + k.ww * u[i];
    hats[d + i] = k.h * z + rate;
    hats[2 * d + i] = k.qa * z + k.va * rate + k.wa * u[i] + (has_auxiliary ? 0 : auxiliary);
    hats[3 * d + i] = has_auxiliary ? auxiliary : 0;
  }
}
