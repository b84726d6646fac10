// Steps of independent coordinates. See reduced.h.
#include "integrators/reduced.h"

#include <math.h>

enum { MOST_ITERATIONS = 40, MOST_POSITION_ITERATIONS = 50 };
#ifdef MBS_COMPLEX
enum { FURTHER_ITERATIONS = 4 };  // for the imaginary part
#else
enum { FURTHER_ITERATIONS = 0 };
#endif

// ---- independent coordinates ----
mbs_scalar mbs_reduced_level(const MbsInitial *set, int i, int level, const MbsState *state) {
  if (set->is_automatic) {
    const mbs_scalar *const at[] = {state->q, state->v, state->a};
    return at[level][set->automatic[i]];
  }
  const MbsIndependent *independent = &set->independents[i];
  const MbsFunction *const functions[] = {&independent->w, &independent->rate, &independent->second};
  return mbs_function_evaluate(set->system, functions[level], state, NULL);
}

// the derivative of w' or w'' along a direction of q and v
static mbs_scalar along(const MbsReduced *reduced, const MbsInitial *set, int i, int level, const MbsState *state,
                        const mbs_scalar *X, const mbs_scalar *V) {
  const MbsSystem *system = reduced->system;
  if (set->is_automatic) {
    return level == 1 ? V[set->automatic[i]] : 0;
  }
  mbs_scalar sum = 0;
  for (int k = 0; k < system->nq; ++k) {
    reduced->scratch.q[k] = reduced->scratch.v[k] = 0;
  }
  (void)mbs_reduced_level(set, i, level, state);
  const MbsIndependent *independent = &set->independents[i];
  mbs_function_transposed(system, level == 1 ? &independent->rate : &independent->second, state, 1,
                          &(MbsStateBar){.q = reduced->scratch.q, .v = reduced->scratch.v});
  for (int k = 0; k < system->n; ++k) {
    sum += reduced->scratch.q[k] * X[k] + reduced->scratch.v[k] * V[k];
  }
  return sum;
}

// How fast another coordinate moves for an independent one: the largest entry of R. It grows without bounds where a set
// loses the motion. (The pivots of K would tell it too, but depend on their history.) K must be factored.
static double largest_of_r(const MbsReduced *reduced, const MbsInitial *set) {
  const MbsSystem *system = reduced->system;
  double largest = 0;
  for (int j = 0; j < set->count; ++j) {
    for (int r = 0; r < system->n; ++r) {
      set->rhs[r] = r == system->n - set->count + j ? 1 : 0;
    }
    mbs_sparse_solver_solve(set->position.solver, 1, set->rhs);
    for (int i = 0; i < system->n; ++i) {
      double magnitude = fabs(mbs_re(set->rhs[i]));  // real
      largest = magnitude > largest ? magnitude : largest;
    }
  }
  return largest;
}

static bool is_same_choice(const MbsSystem *system, const MbsSetChoice *a, const MbsSetChoice *b) {
  bool is_same = a->is_automatic == b->is_automatic && a->count == b->count;
  for (int i = 0; i < a->count && is_same && a->is_automatic; ++i) {
    is_same = a->coordinates[i] == b->coordinates[i];
  }
  for (int r = 0; r < system->n && is_same; ++r) {
    is_same = a->rows[r] == b->rows[r];
  }
  return is_same;
}

static MbsStatus append_set(MbsContext *context, MbsReduced *reduced, const MbsSetChoice *choice) {
  MbsSystem *system = reduced->system;
  MBS_GROW(context, system->arena, reduced->sets, reduced->set_count, reduced->set_capacity);
  MBS_GROW(context, system->arena, reduced->growth, reduced->set_count, reduced->growth_capacity);
  MBS_TRY(mbs_initial_create_set(context, system, choice, &reduced->sets[reduced->set_count]));
  reduced->set_count += 1;
  return MBS_OK;
}

static MbsStatus no_set(MbsContext *context, const MbsState *state) {
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                  "matrix-r: no independent coordinates determine the motion at t = %.10g, a singular position; use "
                  "ali3p, ali1 or penalty",
                  mbs_re(state->t));
}

// The next set: one that suits the state, which may have been in use before.
static MbsStatus choose_set(MbsContext *context, MbsReduced *reduced, MbsArena *scratch, const MbsState *state,
                            bool is_automatic) {
  MbsSystem *system = reduced->system;
  MbsSetChoice choice;
  int found = 0;
  MBS_TRY(mbs_initial_choose_set(context, scratch, system, state, is_automatic, &choice));
  for (; found < reduced->set_count; ++found) {
    MbsSetChoice known = mbs_initial_choice(reduced->sets[found]);
    if (is_same_choice(system, &choice, &known)) {
      break;
    }
  }
  if (found == reduced->set_count) {
    MBS_TRY(append_set(context, reduced, &choice));
  }
  if (!mbs_initial_factor_position(reduced->sets[found], state)) {
    return no_set(context, state);
  }
  reduced->growth[found] = largest_of_r(reduced, reduced->sets[found]);
  reduced->next = found;
  return MBS_OK;
}

static MbsStatus choose_set_in_scratch(MbsContext *context, MbsReduced *reduced, const MbsState *state,
                                       bool is_automatic) {
  MbsArena *scratch = mbs_arena_create();
  MbsStatus status = scratch ? choose_set(context, reduced, scratch, state, is_automatic)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  return status;
}

// w, w', w'' of the state before the step
static void observe(MbsReduced *reduced) {
  mbs_signal_bank_follow(reduced->system, &reduced->old);
  for (int level = 0; level < 3; ++level) {
    for (int i = 0; i < reduced->count; ++i) {
      reduced->level[level][i] = mbs_reduced_level(reduced->sets[reduced->current], i, level, &reduced->old);
    }
  }
}

MbsStatus mbs_reduced_create(MbsContext *context, MbsSystem *system, MbsStepper *stepper, long steps,
                             MbsReduced **result) {
  MbsReduced *reduced;
  MBS_TAKE(context, system->arena, reduced, 1);
  *result = reduced;
  reduced->system = system;
  reduced->stepper = stepper;
  reduced->step_count = steps;
  MBS_TAKE(context, system->arena, reduced->set_of_step, (size_t)steps + 1);
  if (mbs_initial_is_nonholonomic(system) || stepper->rule.has_auxiliary) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    stepper->rule.has_auxiliary
                        ? "matrix-r is not offered with generalised-alpha yet; use trapezoidal or newmark"
                        : "matrix-r is not offered with nonholonomic constraints yet; use ali3p or index1");
  }
  return MBS_OK;
}

// what depends on the number of independent coordinates
static MbsStatus create_workspace(MbsContext *context, MbsReduced *reduced) {
  const MbsSystem *system = reduced->system;
  MbsArena *arena = system->arena;
  size_t d = (size_t)reduced->count, n = (size_t)system->n, nq = (size_t)system->nq, m = (size_t)system->m;
  size_t columns = (size_t)system->carried_count;
  struct {
    mbs_scalar **array;
    size_t size;
  } arrays[] = {{&reduced->level[0], d},
                {&reduced->level[1], d},
                {&reduced->level[2], d},
                {&reduced->s, d},
                {&reduced->z, d},
                {&reduced->rate, d},
                {&reduced->X, nq * d},
                {&reduced->V, nq * d},
                {&reduced->A, nq * d},
                {&reduced->J, d * d},
                {&reduced->rho, d},
                {&reduced->y, n},
                {&reduced->rhs, n},
                {&reduced->r, n + m},
                {&reduced->levels, m},
                {&reduced->Z[0], d * columns},
                {&reduced->Z[1], d * columns},
                {&reduced->Z[2], d * columns},
                {&reduced->R, (n + m) * columns},
                {&reduced->S, d * columns},
                {&reduced->scratch.q, nq},
                {&reduced->scratch.v, nq},
                {&reduced->scratch.a, nq},
                {&reduced->scratch.lambda, m},
                {&reduced->scratch.coefficients, (size_t)system->coefficients.nodes.count},
                {&reduced->scratch.parameters, (size_t)system->blueprint->parameters.count},
                {&reduced->p[0], n},
                {&reduced->p[1], n},
                {&reduced->p[2], n},
                {&reduced->p[3], n}};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    MBS_TAKE(context, arena, *arrays[i].array, arrays[i].size);
  }
  MBS_TAKE(context, arena, reduced->pivot, reduced->count);
  return MBS_OK;
}

void mbs_reduced_destroy(MbsReduced *reduced) {
  for (int i = 0; reduced && i < reduced->set_count; ++i) {
    mbs_initial_destroy(reduced->sets[i]);
  }
}

static MbsStatus follow(MbsContext *context, MbsReduced *reduced, const MbsReplay *replay) {
  MBS_ASSERT(replay->step_count == reduced->step_count);
  for (int i = 0; i < replay->set_count; ++i) {
    MBS_TRY(append_set(context, reduced, &replay->sets[i]));
  }
  for (long step = 0; step <= replay->step_count; ++step) {
    reduced->set_of_step[step] = replay->set_of_step[step];
  }
  reduced->is_repeated = true;
  return MBS_OK;
}

MbsStatus mbs_reduced_start(MbsContext *context, MbsReduced *reduced, const MbsReplay *replay, const MbsState *state) {
  const MbsBlueprint *blueprint = reduced->system->blueprint;
  bool is_automatic = blueprint->chosen.count + blueprint->independents.count == 0;
  MBS_TRY(replay && replay->set_count > 0 ? follow(context, reduced, replay)
                                          : choose_set_in_scratch(context, reduced, state, is_automatic));
  reduced->count = reduced->sets[0]->count;
  MBS_TRY(create_workspace(context, reduced));
  MBS_TRY(mbs_state_create(context, reduced->system, &reduced->old));
  MBS_TRY(mbs_state_create(context, reduced->system, &reduced->accepted));
  mbs_state_copy(reduced->system, state, &reduced->accepted);
  return MBS_OK;
}

MbsStatus mbs_reduced_record(MbsContext *context, MbsArena *arena, const MbsReduced *reduced, MbsReplay *replay) {
  const MbsSystem *system = reduced->system;
  MbsSetChoice *sets;
  int *set_of_step;
  MBS_TAKE(context, arena, sets, reduced->set_count);
  MBS_TAKE(context, arena, set_of_step, (size_t)reduced->step_count + 1);
  for (int s = 0; s < reduced->set_count; ++s) {
    int *coordinates, *rows;
    bool *is_redundant;
    sets[s] = mbs_initial_choice(reduced->sets[s]);
    MBS_TAKE(context, arena, coordinates, sets[s].count);
    MBS_TAKE(context, arena, rows, system->n);
    MBS_TAKE(context, arena, is_redundant, system->m);
    for (int i = 0; i < sets[s].count && sets[s].is_automatic; ++i) {
      coordinates[i] = sets[s].coordinates[i];
    }
    for (int r = 0; r < system->n; ++r) {
      rows[r] = sets[s].rows[r];
    }
    for (int k = 0; k < system->m; ++k) {
      is_redundant[k] = sets[s].is_redundant[k];
    }
    sets[s].coordinates = coordinates;
    sets[s].rows = rows;
    sets[s].is_redundant = is_redundant;
  }
  for (long step = 0; step <= reduced->step_count; ++step) {
    set_of_step[step] = reduced->set_of_step[step];
  }
  *replay = (MbsReplay){
      .set_count = reduced->set_count, .sets = sets, .step_count = reduced->step_count, .set_of_step = set_of_step};
  return MBS_OK;
}

void mbs_reduced_resume(MbsReduced *reduced, const MbsState *state, bool is_repeated) {
  mbs_state_copy(reduced->system, state, &reduced->accepted);
  reduced->is_repeated = is_repeated;
}

// ---- J ----
// rows of K for one direction: -(constraints' level along it), -(w's) plus `own` for coordinate j
static void solve_direction(const MbsReduced *reduced, const MbsInitial *set, const MbsState *state, int level, int j,
                            double own, const mbs_scalar *X, const mbs_scalar *V, mbs_scalar *result) {
  const MbsSystem *system = reduced->system;
  const MbsWeights weights = {.k1 = level == 1 ? 1 : 0, .k2 = level == 2 ? 1 : 0};
  for (int i = 0; i < system->n + system->m; ++i) {
    reduced->r[i] = 0;
  }
  if (level > 0) {
    mbs_terms_derivative(system, state, &weights, 1, false, X, V, NULL, NULL, reduced->r);
  }
  for (int r = 0; r < system->n; ++r) {
    int row = set->position.rows[r], i = row - system->m;
    reduced->rhs[r] = row < system->m
                          ? -reduced->r[system->n + row]
                          : (i == j ? own : 0) - (level > 0 ? along(reduced, set, i, level, state, X, V) : 0);
  }
  mbs_sparse_solver_solve(set->position.solver, 1, reduced->rhs);
  for (int i = 0; i < system->nq; ++i) {
    result[i] = i < system->n ? reduced->rhs[i] : 0;
  }
}

// Gauss with pivots in the column
static bool factor_dense(int n, mbs_scalar *J, int *pivot) {
  for (int k = 0; k < n; ++k) {
    pivot[k] = k;
    for (int i = k + 1; i < n; ++i) {
      pivot[k] = mbs_re(mbs_abs(J[i * n + k])) > mbs_re(mbs_abs(J[pivot[k] * n + k])) ? i : pivot[k];
    }
    for (int j = 0; j < n && pivot[k] != k; ++j) {
      mbs_scalar held = J[k * n + j];
      J[k * n + j] = J[pivot[k] * n + j];
      J[pivot[k] * n + j] = held;
    }
    if (!(mbs_re(mbs_abs(J[k * n + k])) > 0) || !mbs_is_finite(J[k * n + k])) {
      return false;
    }
    for (int i = k + 1; i < n; ++i) {
      J[i * n + k] /= J[k * n + k];
      for (int j = k + 1; j < n; ++j) {
        J[i * n + j] -= J[i * n + k] * J[k * n + j];
      }
    }
  }
  return true;
}

static void exchange(const int *pivot, int k, mbs_scalar *b) {
  mbs_scalar held = b[k];
  b[k] = b[pivot[k]];
  b[pivot[k]] = held;
}

void mbs_reduced_solve(const MbsReduced *reduced, bool is_transposed, mbs_scalar *b) {
  const int n = reduced->count, *pivot = reduced->pivot;
  const mbs_scalar *J = reduced->J;
  if (is_transposed) {  // U' c = b, L' P x = c
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < k; ++i) {
        b[k] -= J[i * n + k] * b[i];
      }
      b[k] /= J[k * n + k];
    }
    for (int k = n - 1; k >= 0; --k) {
      for (int i = k + 1; i < n; ++i) {
        b[k] -= J[i * n + k] * b[i];
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      exchange(pivot, k, b);
    }
    return;
  }
  for (int k = 0; k < n; ++k) {
    exchange(pivot, k, b);
  }
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k; ++i) {
      b[k] -= J[k * n + i] * b[i];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int i = k + 1; i < n; ++i) {
      b[k] -= J[k * n + i] * b[i];
    }
    b[k] /= J[k * n + k];
  }
}

// from K at the state, which is factored
static bool factor_motion(MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsInitial *set = reduced->sets[reduced->current];
  const MbsWeights none = {0};
  int d = reduced->count;
  for (int j = 0; j < d; ++j) {
    mbs_scalar *X = reduced->X + j * system->nq, *V = reduced->V + j * system->nq, *A = reduced->A + j * system->nq;
    solve_direction(reduced, set, state, 0, j, k->c0, X, system->zeros, X);
    solve_direction(reduced, set, state, 1, j, k->c1, X, system->zeros, V);
    solve_direction(reduced, set, state, 2, j, 1, X, V, A);
    for (int i = 0; i < system->n + system->m; ++i) {
      reduced->r[i] = 0;
    }
    mbs_terms_derivative(system, state, &none, 1, false, X, V, A, NULL, reduced->r);
    mbs_sparse_solver_solve_transposed(set->position.solver, 1, reduced->r);
    for (int i = 0; i < d; ++i) {
      reduced->J[i * d + j] = reduced->r[mbs_reduced_row(reduced, i)];
    }
  }
  return factor_dense(d, reduced->J, reduced->pivot);
}

static MbsStatus singular(MbsContext *context, const MbsState *state) {
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                  "matrix-r: the independent coordinates do not determine the motion at t = %.10g, near a singular "
                  "position; choose others (--independent), a smaller --step, or use ali3p",
                  mbs_re(state->t));
}

MbsStatus mbs_reduced_factor(MbsContext *context, MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state) {
  mbs_signal_bank_evaluate(reduced->system, state);
  return mbs_initial_factor_position(reduced->sets[reduced->current], state) && factor_motion(reduced, k, state)
             ? MBS_OK
             : singular(context, state);
}

// ---- one step ----
// E0: Newton on K
static MbsStatus solve_position(MbsContext *context, MbsReduced *reduced, MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsInitial *set = reduced->sets[reduced->current];
  double size = fmax(mbs_state_size(system, state), 1e-3), before = HUGE_VAL;  // real
  int further = 1 + FURTHER_ITERATIONS;
  for (int iteration = 0; iteration < MOST_POSITION_ITERATIONS; ++iteration) {
    double largest = 0;
    mbs_terms_constraints(system, state, reduced->levels, NULL, NULL);
    mbs_signal_bank_follow(system, state);
    for (int r = 0; r < system->n; ++r) {
      int row = set->position.rows[r];
      reduced->rhs[r] = row < system->m
                            ? reduced->levels[row]
                            : mbs_reduced_level(set, row - system->m, 0, state) - reduced->z[row - system->m];
      double magnitude = mbs_re(mbs_abs(reduced->rhs[r]));
      largest = magnitude > largest || isnan(magnitude) ? magnitude : largest;
    }
    bool is_small =
        largest <= 1e-14 * fmax(size, size * size) || (largest <= 1e-12 * size && largest >= before);  // real
    if (!isfinite(largest) || !mbs_initial_factor_position(set, state)) {
      return singular(context, state);
    }
    before = largest;
    mbs_sparse_solver_solve(set->position.solver, 1, reduced->rhs);
    for (int i = 0; i < system->n; ++i) {
      state->q[i] -= reduced->rhs[i];
    }
    if (is_small && further-- <= 0) {
      return MBS_OK;
    }
  }
  return singular(context, state);
}

// E1 or E2, linear in v or a: what is left at zero, then K
static void solve_level(MbsReduced *reduced, int level, const mbs_scalar *given, MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsInitial *set = reduced->sets[reduced->current];
  mbs_scalar *value = level == 1 ? state->v : state->a;
  for (int i = 0; i < system->n; ++i) {
    value[i] = 0;
  }
  mbs_terms_constraints(system, state, NULL, level == 1 ? reduced->levels : NULL, level == 2 ? reduced->levels : NULL);
  mbs_signal_bank_evaluate(system, state);
  for (int r = 0; r < system->n; ++r) {
    int row = set->position.rows[r], i = row - system->m;
    reduced->rhs[r] = row < system->m ? -reduced->levels[row] : given[i] - mbs_reduced_level(set, i, level, state);
  }
  mbs_sparse_solver_solve(set->position.solver, 1, reduced->rhs);
  for (int i = 0; i < system->n; ++i) {
    value[i] = reduced->rhs[i];
  }
}

// q, v, a and lambda that belong to s; rho, and how large it is against what it is made of
static MbsStatus evaluate(MbsContext *context, MbsReduced *reduced, const MbsRuleStep *k, MbsState *state,
                          double *relative) {
  const MbsSystem *system = reduced->system;
  const MbsInitial *set = reduced->sets[reduced->current];
  const MbsWeights none = {0};
  double scale[2], largest = 0;
  for (int i = 0; i < reduced->count; ++i) {
    reduced->z[i] =
        reduced->level[0][i] + k->h * reduced->level[1][i] + k->qw * reduced->level[2][i] + k->c0 * reduced->s[i];
    reduced->rate[i] = reduced->level[1][i] + k->vw * reduced->level[2][i] + k->c1 * reduced->s[i];
  }
  MBS_TRY(solve_position(context, reduced, state));
  if (!mbs_initial_factor_position(set, state)) {
    return singular(context, state);
  }
  solve_level(reduced, 1, reduced->rate, state);
  solve_level(reduced, 2, reduced->s, state);
  mbs_terms_residual(system, state, &none, reduced->r, scale);
  mbs_sparse_solver_solve_transposed(set->position.solver, 1, reduced->r);
  for (int r = 0; r < system->n; ++r) {
    int row = set->position.rows[r];
    if (row < system->m) {
      state->lambda[row] -= reduced->r[r];
    } else {
      reduced->rho[row - system->m] = reduced->r[r];
      double magnitude = mbs_re(mbs_abs(reduced->r[r]));
      largest = magnitude > largest || isnan(magnitude) ? magnitude : largest;
    }
  }
  *relative = scale[0] > 0 ? largest / scale[0] : largest;
  return MBS_OK;
}

// Chooses another set where this one comes to lose the motion and another does not. What does not help is not tried
// again until it has become worse still.
static MbsStatus choose_next(MbsContext *context, MbsReduced *reduced, const MbsState *state) {
  const double worse = 3, better = 0.7, worse_still = 2;
  int current = reduced->current;
  double growth = largest_of_r(reduced, reduced->sets[current]);
  reduced->next = current;
  if (growth <= worse * reduced->growth[current]) {
    return MBS_OK;
  }
  MBS_TRY(choose_set_in_scratch(context, reduced, state, true));
  if (reduced->growth[reduced->next] > better * growth) {
    reduced->next = current;
    reduced->growth[current] = growth * worse_still / worse;
  }
  return MBS_OK;
}

// s, and with it the new state, by Newton's iteration
static MbsStatus solve(MbsContext *context, MbsReduced *reduced, const MbsRuleStep *k, MbsState *state) {
  const MbsSystem *system = reduced->system;
  double relative = 0, before = 0;
  int further = FURTHER_ITERATIONS;
  observe(reduced);
  for (int i = 0; i < system->n; ++i) {
    const MbsState *old = &reduced->old;
    state->q[i] = old->q[i] + k->h * old->v[i] + k->h * k->h / 2 * old->a[i];
  }
  for (int i = 0; i < reduced->count; ++i) {
    reduced->s[i] = reduced->level[2][i];
  }
  for (int iteration = 0; iteration < MOST_ITERATIONS; ++iteration) {
    MBS_TRY(evaluate(context, reduced, k, state, &relative));
    if (!isfinite(relative)) {
      return singular(context, state);
    }
    bool is_done = relative <= reduced->stepper->tolerance && iteration > 0 && further-- <= 0;
    if (!is_done && (FURTHER_ITERATIONS > 0 || iteration == 0 || !(relative < 0.05 * before))) {
      MBS_TRY(mbs_reduced_factor(context, reduced, k, state));
    }
    mbs_reduced_solve(reduced, false, reduced->rho);
    for (int i = 0; i < reduced->count; ++i) {
      reduced->s[i] -= reduced->rho[i];
    }
    if (is_done) {  // the factors at hand remove most of what is left
      return evaluate(context, reduced, k, state, &relative);
    }
    before = relative;
    reduced->stepper->iterations += 1;
  }
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                  "Newton's iteration does not converge at t = %.10g: scaled residual %.3g after %d iterations, wanted "
                  "%.3g; try a smaller --step or a larger --tolerance",
                  mbs_re(state->t), relative, MOST_ITERATIONS, reduced->stepper->tolerance);
}

MbsStatus mbs_reduced_step(MbsContext *context, MbsReduced *reduced, double h, long step, MbsState *state) {
  const MbsRuleStep k = mbs_rule_step(&reduced->stepper->rule, h);
  reduced->current = reduced->is_repeated ? reduced->set_of_step[step] : reduced->next;
  mbs_state_copy(reduced->system, &reduced->accepted, &reduced->old);
  MbsStatus status = solve(context, reduced, &k, state);
  if (status == MBS_ERROR_NUMERICAL && !reduced->is_repeated) {
    // a set may lose the motion within a step: once more with one that suits where the step begins
    context->status = MBS_OK;
    MBS_TRY(choose_set_in_scratch(context, reduced, &reduced->old, true));
    reduced->current = reduced->next;
    status = solve(context, reduced, &k, state);
  }
  MBS_TRY(status);
  reduced->set_of_step[step] = reduced->current;
  if (!reduced->is_repeated) {
    MBS_TRY(choose_next(context, reduced, state));
  }
  (void)mbs_stepper_stage(reduced->stepper, state, true);
  MBS_TRY(mbs_stepper_finish(context, reduced->stepper, state, 0));
  mbs_state_copy(reduced->system, state, &reduced->accepted);
  return MBS_OK;
}
