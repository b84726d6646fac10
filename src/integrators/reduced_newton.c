// Newton's iteration of a step of independent coordinates. See reduced.h.
//
// Economically: s comes extrapolated; K, Kv and J are factored at the predicted state and kept while they converge
// fast. One evaluation goes once through the equations, with what each leaves corrected by these factors,
//     q -= K^-1 E0,  v -= Kv^-1 E1,  a -= Kv^-1 E2,  lambda, mu -= Kv^-T E3,   and rho is left in the rows of w;
// then s -= J^-1 rho. What is solved in the end does not depend on the factors, and errors of theirs are removed, too.
#include <float.h>
#include <math.h>

#include "algebra/dense.h"
#include "integrators/reduced.h"

enum { MOST_ITERATIONS = 40, MOST_HALVINGS = 6 };

// The complex twin factors anew, and exactly, in each iteration, and iterates on: see newton.c.
#ifdef MBS_COMPLEX
enum { FURTHER_ITERATIONS = 3 };
static const double fast = 0;
static const bool is_quick = false;
#else
enum { FURTHER_ITERATIONS = 0 };
static const double fast = 0.01;  // an iteration that shrinks what is left more than this keeps the factors
static const bool is_quick = true;
#endif

// ---- independent coordinates ----
const MbsFunction *mbs_reduced_function(const MbsIndependentSet *set, int i, int level) {
  const MbsIndependent *independent = &set->independents[i];
  const MbsFunction *const functions[] = {&independent->w, &independent->rate, &independent->second};
  return functions[level];
}

mbs_scalar mbs_reduced_level(const MbsIndependentSet *set, int i, int level, const MbsState *state) {
  if (set->is_automatic) {
    const mbs_scalar *const at[] = {state->q, state->v, state->a};
    return at[level][set->automatic[i]];
  }
  return mbs_function_value(set->system, mbs_reduced_function(set, i, level), state);
}

MbsState mbs_reduced_auxiliary(const MbsReduced *reduced, const MbsState *state, mbs_scalar *g) {
  MbsState with_g = *state;
  for (int i = reduced->system->n; i < reduced->system->nq; ++i) {
    g[i] = state->a[i];
  }
  with_g.a = g;
  return with_g;
}

// w, w', w'' of the state before the step, u, and the hats
static void find_hats(MbsReduced *reduced, const MbsRuleStep *k) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  mbs_scalar **level = reduced->level;
  bool has_auxiliary = reduced->implicit->w != NULL;
  for (int l = 0; l < (has_auxiliary ? 4 : 3); ++l) {
    MbsState state = l < 3 ? reduced->old : mbs_reduced_auxiliary(reduced, &reduced->old, reduced->old_g);
    if (!set->is_automatic && (l == 0 || l == 3)) {
      mbs_signal_bank_follow(reduced->system, &state);
    }
    for (int i = 0; i < reduced->count; ++i) {
      level[l][i] = mbs_reduced_level(set, i, l < 3 ? l : 2, &state);
    }
  }
  for (int i = 0; i < reduced->count; ++i) {
    mbs_scalar u = level[has_auxiliary ? 3 : 2][i];
    reduced->zh[i] = level[0][i] + k->h * level[1][i] + k->qa * level[2][i] + k->qw * u;
    reduced->rateh[i] = level[1][i] + k->va * level[2][i] + k->vw * u;
    reduced->uh[i] = k->wa * level[2][i] + k->ww * u;
  }
}

// ---- one evaluation ----
double mbs_reduced_correct(MbsReduced *reduced, const MbsProblem *problem, int level, const mbs_scalar *hat,
                           mbs_scalar c, const MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  mbs_scalar *const unknowns[] = {state->q, state->v, state->a}, *unknown = unknowns[level];
  mbs_terms_constraints(system, state, level == 0 ? reduced->levels : NULL, level == 1 ? reduced->levels : NULL,
                        level == 2 ? reduced->levels : NULL);
  if (!set->is_automatic) {
    (level == 0 ? mbs_signal_bank_follow : mbs_signal_bank_evaluate)(system, state);
  }
  for (int r = 0; r < problem->row_count; ++r) {
    int row = problem->rows[r], i = row - system->m;
    reduced->rhs[r] =
        i < 0 ? reduced->levels[row] : mbs_reduced_level(set, i, level, state) - (hat ? hat[i] : 0) - c * reduced->s[i];
  }
  mbs_problem_solve(problem, 1, reduced->rhs);
  double largest = 0;
  for (int i = 0; i < system->n; ++i) {
    unknown[i] -= reduced->rhs[i];
    double magnitude = i < system->first_state ? mbs_re(mbs_abs(reduced->rhs[i])) : 0;
    largest = magnitude <= largest ? largest : magnitude;  // NaN too
  }
  return largest;
}

static bool is_state(const MbsIndependentSet *set, int i) {
  return set->is_automatic ? mbs_system_is_state(set->system, set->automatic[i]) : set->independents[i].is_state;
}

static double largest_of(int count, const mbs_scalar *x) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    double magnitude = mbs_re(mbs_abs(x[i]));
    largest = magnitude <= largest ? largest : magnitude;
  }
  return largest;
}

// w'' - s of those whose rates follow, against accelerations and what velocities are in a step
static double leave_following(MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  int n = system->first_state;
  double off = 0, scale = largest_of(n, state->a) + largest_of(n, state->v) / mbs_re(k->h);
  if (!set->is_automatic) {
    mbs_signal_bank_evaluate(system, state);
  }
  for (int i = 0; i < reduced->count; ++i) {
    if (set->rate_row[i] < 0) {
      reduced->rho[i] = mbs_reduced_level(set, i, 2, state) - reduced->s[i];
      double magnitude = mbs_re(mbs_abs(reduced->rho[i]));
      off = magnitude <= off ? off : magnitude;
    }
  }
  return scale > 0 ? off / scale : off;
}

// What one evaluation leaves: rho of the independent rates against what the forces are made of, the rows of F likewise,
// and by how much q, v and a have changed; states of first order by themselves.
typedef struct Left {
  double force, scale, states, following, change[3];
} Left;

// Once through the equations.
static Left evaluate(MbsReduced *reduced, const MbsRuleStep *k, MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsProblem *velocity = set->velocity;
  const MbsWeights none = {0};
  double scale[2], largest = 0;
  Left left = {0};
  left.change[0] = mbs_reduced_correct(reduced, &set->position, 0, reduced->zh, k->c0, state);
  left.change[1] = mbs_reduced_correct(reduced, velocity, 1, reduced->rateh, k->c1, state);
  left.change[2] = mbs_reduced_correct(reduced, velocity, 2, NULL, 1, state);
  mbs_terms_residual(system, state, &none, reduced->r, scale);
  left.states = mbs_newton_states_left(system, state, k->c1, reduced->r, reduced->implicit->tolerance);
  mbs_problem_solve_transposed(velocity, 1, reduced->r);
  for (int r = 0; r < velocity->row_count; ++r) {
    int row = velocity->rows[r];
    if (row < system->m) {
      state->lambda[row] -= reduced->r[r];
    } else {
      reduced->rho[row - system->m] = reduced->r[r];
      double magnitude = is_state(set, row - system->m) ? 0 : mbs_re(mbs_abs(reduced->r[r]));
      largest = magnitude <= largest ? largest : magnitude;
    }
  }
  left.scale = scale[0] > 0 ? scale[0] : 1;
  left.force = largest / left.scale;
  if (velocity != &set->position) {
    left.following = leave_following(reduced, k, state);
  }
  return left;
}

// ---- the step ----
// where the rule leads with the accelerations at hand
static void predict(MbsReduced *reduced, const MbsRuleStep *k, MbsState *state) {
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsState *old = &reduced->old;
  const mbs_scalar *g = reduced->implicit->w ? reduced->old_g : old->a;
  for (int i = 0; i < reduced->system->n; ++i) {
    state->q[i] = old->q[i] + k->h * old->v[i] + k->qa * old->a[i] + k->qw * g[i] + k->c0 * state->a[i];
    state->v[i] = old->v[i] + k->va * old->a[i] + k->vw * g[i] + k->c1 * state->a[i];
  }
  if (!set->is_automatic) {
    mbs_signal_bank_follow(reduced->system, state);
  }
  for (int i = 0; i < reduced->count; ++i) {
    reduced->s[i] = mbs_reduced_level(set, i, 2, state);
  }
}

// E5, linear in g: from the accelerations at hand, in a few passes, since the factors are a little old
static void find_auxiliary(MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state) {
  enum { MOST_PASSES = 8 };
  const MbsSystem *system = reduced->system;
  const MbsIndependentSet *set = reduced->sets[reduced->current];
  const MbsState with_g = mbs_reduced_auxiliary(reduced, state, reduced->implicit->w);
  for (int i = 0; i < system->n; ++i) {
    with_g.a[i] = state->a[i];
  }
  double change = HUGE_VAL;
  for (int pass = 0; pass < MOST_PASSES && change > 1e-14 * largest_of(system->n, with_g.a); ++pass) {
    change = mbs_reduced_correct(reduced, &set->position, 2, reduced->uh, k->cw, &with_g);
  }
  if (!set->is_automatic) {
    mbs_signal_bank_evaluate(system, state);
  }
}

// How far the step is from being solved: 1 is near enough, since one evaluation more removes most of what is left. Of v
// and a fewer digits do: the next correction is smaller by as much as K has changed. What does not move counts against
// a millionth of what the mechanism's size is in a step.
static double distance(const MbsReduced *reduced, const Left *left, double h, double size, const MbsState *state) {
  const double fewer = 1e4, little = 1e-6;
  int n = reduced->system->first_state;
  double v = largest_of(n, state->v) + little * size / h, a = largest_of(n, state->a) + v / h;
  const double *change = left->change;
  double most = fmax(fmax(change[0] / size, change[1] / (fewer * v)), change[2] / (fewer * a));  // real
  most = fmax(most, left->states);                                                               // real
  return fmax(fmax(left->force, left->following), most) / reduced->implicit->tolerance;          // real
}

// Is what is left of the forces rounding (see newton.c)? rho = R' of it.
static bool is_rounding(const MbsReduced *reduced, const Left *left, const MbsState *state) {
  const MbsWeights none = {0};
  double sizes[2], growth = fmax(1, mbs_reduced_growth(reduced, reduced->sets[reduced->current]));  // real
  mbs_terms_cancelling(reduced->system, state, &none, reduced->r, sizes);
  double rounding = MBS_ROUNDINGS * DBL_EPSILON * growth * fmax(sizes[0], left->scale);  // real
  return left->force * left->scale <= rounding;
}

// the constraint that holds least
static int find_worst(const MbsReduced *reduced, const MbsState *state) {
  const mbs_scalar *Phi = reduced->levels;
  int worst = 0;
  mbs_terms_constraints(reduced->system, state, reduced->levels, NULL, NULL);
  for (int k = 1; k < reduced->system->m; ++k) {
    worst = mbs_re(mbs_abs(Phi[k])) > mbs_re(mbs_abs(Phi[worst])) ? k : worst;
  }
  return worst;
}

// Half of the last correction of s is taken back. Forces that saturate (a tyre's, by its slip) have hardly a slope
// where a correction has gone too far, so that the next one goes farther still.
static void go_back(MbsReduced *reduced) {
  for (int i = 0; i < reduced->count; ++i) {
    reduced->change[i] /= 2;
    reduced->s[i] += reduced->change[i];
  }
}

MbsStatus mbs_reduced_solve(MbsContext *context, MbsReduced *reduced, const MbsRuleStep *k, bool is_careful,
                            MbsState *state) {
  double distant = HUGE_VAL, before, force = HUGE_VAL;
  int further = FURTHER_ITERATIONS, halvings = 0;
  bool is_off = false;  // positions do not come to rest
  reduced->is_stuck = false;
  find_hats(reduced, k);
  predict(reduced, k, state);
  double size = fmax(mbs_state_size(reduced->system, state), 1e-3);  // real
  MBS_TRY(mbs_reduced_factor(context, reduced, k, state, is_quick));
  for (int iteration = 0; iteration < MOST_ITERATIONS; ++iteration) {
    before = distant;
    Left left = evaluate(reduced, k, state);
    distant = distance(reduced, &left, fabs(mbs_re(k->h)), size, state);  // real
    is_off = reduced->system->m > 0 && left.change[0] > reduced->implicit->tolerance * size;
    if (!isfinite(left.force + left.following) || !isfinite(left.change[0] + left.change[1] + left.change[2])) {
      return mbs_reduced_singular(context, reduced->system, state);
    }
    if (distant > 1 && iteration > 1 && !(distant < fast * before) && is_rounding(reduced, &left, state)) {
      left.force = 0;
      distant = distance(reduced, &left, fabs(mbs_re(k->h)), size, state);  // real
    }
    if (is_careful && distant > 1 && !(left.force * left.scale < force) && halvings++ < MOST_HALVINGS) {
      go_back(reduced);
      reduced->base.iterations += 1;
      continue;
    }
    force = left.force * left.scale;
    halvings = 0;
    bool is_done = distant <= 1 && iteration > 0 && further-- <= 0;
    mbs_dense_solve(reduced->count, reduced->J, reduced->pivot, reduced->rho);
    for (int i = 0; i < reduced->count; ++i) {
      reduced->change[i] = reduced->rho[i];
      reduced->s[i] -= reduced->change[i];
    }
    if (is_done) {  // the factors at hand remove most of what is left
      (void)evaluate(reduced, k, state);
      if (reduced->implicit->w) {
        find_auxiliary(reduced, k, state);
      }
      return MBS_OK;
    }
    reduced->base.iterations += 1;
    if (!(distant < fast * before)) {
      mbs_signal_bank_evaluate(reduced->system, state);
      MBS_TRY(mbs_reduced_factor(context, reduced, k, state, false));
    }
  }
  distant *= reduced->implicit->tolerance;
  reduced->is_stuck = distant < 1e-12;
  const char *advice =
      reduced->is_stuck ? "rounding is larger than that: use a larger tolerance"
      : distant < 1e-6
          ? "near a singular position rounding is larger than that: use formulation ali3p, or a larger tolerance"
          : "try a smaller step or a larger tolerance";
  char where[256];
  MbsPlace place = mbs_newton_suspect(reduced->system, is_off ? find_worst(reduced, state) : -1, sizeof where, where);
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, place,
      "matrix-r: Newton's iteration does not converge at t = %.10g: scaled residual %.3g after %d iterations, "
      "wanted %.3g; %s%s",
      mbs_re(state->t), distant, MOST_ITERATIONS, reduced->implicit->tolerance, where, advice);
}
