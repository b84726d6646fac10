// The state and the forces that belong to the unknowns of an equilibrium, with their derivatives. See equilibrium.h.
#include "kinematics/equilibrium.h"

#include <math.h>

static const MbsWeights no_rows = {.k0 = 0}, rates = {.k1 = 1, .n1 = 1}, accelerations = {.k2 = 1, .n2 = 1};

static void clear(size_t count, mbs_scalar *numbers) {
  for (size_t i = 0; i < count; ++i) {
    numbers[i] = 0;
  }
}

static void put(mbs_scalar *to, int count, const mbs_scalar *from) {
  for (int i = 0; i < count; ++i) {
    to[i] = from[i];
  }
}

// ---- the state ----
static mbs_scalar given(const MbsSystem *system, int coefficient) {
  return system->coefficients.outputs[system->independents.index[coefficient]];
}

static void put_given(const MbsSystem *system) {
  for (int i = 0; i < system->independents.count; ++i) {
    system->independents.value[i] = given(system, i);
  }
}

void mbs_equilibrium_take_guess(const MbsInitial *initial) {
  for (int j = 0; j < initial->equilibrium->solved_count; ++j) {
    initial->equilibrium->guess[j] = initial->set.system->parameters[initial->equilibrium->solved[j]];
  }
}

void mbs_equilibrium_forget(MbsInitial *initial, bool is_first) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  equilibrium->is_found = false;
  if (is_first) {
    put(equilibrium->z + equilibrium->count, equilibrium->solved_count,
        equilibrium->has_last ? equilibrium->last_z + equilibrium->count : equilibrium->guess);
    mbs_equilibrium_put_solved(initial);
    put_given(initial->set.system);
  }
}

void mbs_equilibrium_go_on(const MbsInitial *initial) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  put(equilibrium->last_q, initial->set.system->n, equilibrium->state.q);
  put(equilibrium->last_z, equilibrium->unknown_count, equilibrium->z);
  for (int i = 0; i < equilibrium->count; ++i) {
    equilibrium->was_free[i] = equilibrium->is_free[i];
  }
  equilibrium->has_last = true;
}

bool mbs_equilibrium_recall(const MbsInitial *initial, MbsState *state) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  if (equilibrium->has_last) {
    put(state->q, initial->set.system->n, equilibrium->last_q);
  }
  return equilibrium->has_last;
}

// positions and rates of independent coordinates, and parameters
static void put_unknowns(MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  mbs_equilibrium_put_solved(initial);
  for (int i = 0; i < equilibrium->count; ++i) {
    bool is_state = initial->set.independents[i].is_state;
    system->independents.value[2 * i] = is_state ? given(system, 2 * i) : equilibrium->z[i];
    system->independents.value[2 * i + 1] = is_state                 ? equilibrium->z[i]
                                            : equilibrium->is_steady ? given(system, 2 * i + 1)
                                                                     : 0;
  }
}

// Phi_q a = -(..), A a = -(..), w'' = 0
static void solve_acceleration(MbsInitial *initial, const MbsState *state) {
  const MbsSystem *system = initial->set.system;
  const MbsProblem *problem = initial->set.velocity;
  for (int i = 0; i < system->n; ++i) {
    state->a[i] = 0;
  }
  mbs_terms_constraints(system, state, NULL, NULL, initial->levels);
  mbs_signal_bank_evaluate(system, state);
  for (int r = 0; r < system->n; ++r) {
    int row = problem->rows[r];
    initial->rhs[r] = row < system->m ? -initial->levels[row]
                                      : -mbs_function_evaluate(
                                            system, &initial->set.independents[row - system->m].second, state, NULL);
  }
  mbs_problem_solve(problem, 1, initial->rhs);
  for (int i = 0; i < system->n; ++i) {
    state->a[i] = initial->rhs[i];
  }
}

static MbsStatus place(MbsContext *context, MbsInitial *initial, const MbsState *state) {
  MbsState own = *state;
  MBS_TRY(mbs_initial_solve_position(context, initial, &own, false));
  MBS_TRY(mbs_initial_factor(context, initial, state));
  MBS_TRY(mbs_initial_solve_velocity(context, initial, &own, false));
  solve_acceleration(initial, state);
  mbs_signal_bank_evaluate(initial->set.system, state);
  return MBS_OK;
}

// ---- forces ----
// f (n or more) becomes Kv^-T f: multipliers' part, and by independent coordinate the rest
void mbs_equilibrium_reduce(const MbsInitial *initial, mbs_scalar *f, mbs_scalar *force) {
  const MbsSystem *system = initial->set.system;
  const MbsProblem *problem = initial->set.velocity;
  mbs_problem_solve_transposed(problem, 1, f);
  for (int i = 0; i < initial->set.count; ++i) {
    force[i] = 0;
  }
  for (int r = 0; r < system->n; ++r) {
    if (problem->rows[r] >= system->m) {
      force[problem->rows[r] - system->m] = f[r];
    }
  }
}

static void evaluate_forces(MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  const MbsProblem *problem = initial->set.velocity;
  const MbsState *state = &equilibrium->state;
  mbs_terms_forces(system, state, MBS_PART_BALANCE, initial->set.gradient);
  put(initial->rhs, system->n, initial->set.gradient);
  mbs_equilibrium_reduce(initial, initial->rhs, equilibrium->force);
  for (int k = 0; k < system->m; ++k) {
    state->lambda[k] = problem->row_of[k] > 0 ? -initial->rhs[problem->row_of[k] - 1] : 0;
    state->total[k] = state->lambda[k];
  }
}

// ---- derivatives by the unknowns ----
static mbs_scalar *column(const MbsInitial *initial, mbs_scalar *columns, int j) {  // of nq
  return columns + (size_t)j * (size_t)initial->set.system->nq;
}

static mbs_scalar product(int count, const mbs_scalar *a, const mbs_scalar *b) {
  mbs_scalar sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// a unit of each unknown in the rows of a problem; rates: of those that are rates, else of positions
static void put_units(MbsInitial *initial, const MbsProblem *problem, bool is_rate) {
  const MbsSystem *system = initial->set.system;
  for (int i = 0; i < system->n * initial->set.count; ++i) {
    initial->equilibrium->work[i] = 0;
  }
  for (int r = 0; r < system->n; ++r) {
    int i = problem->rows[r] - system->m;
    if (i >= 0 && initial->set.independents[i].is_state == is_rate) {
      initial->equilibrium->work[i * system->n + r] = 1;
    }
  }
}

static void take_solutions(const MbsInitial *initial, const MbsProblem *problem, mbs_scalar *columns) {
  const MbsSystem *system = initial->set.system;
  mbs_problem_solve(problem, initial->set.count, initial->equilibrium->work);
  for (int j = 0; j < initial->set.count; ++j) {
    put(column(initial, columns, j), system->n, initial->equilibrium->work + j * system->n);
  }
}

// what rows of the velocity problem change by along X, and along X and V at the level of accelerations
static void subtract_changes(MbsInitial *initial, MbsLevel level, mbs_scalar *X, mbs_scalar *speeds) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  const MbsProblem *problem = initial->set.velocity;
  const MbsState *state = &equilibrium->state;
  bool is_second = level == MBS_OF_ACCELERATION;
  for (int j = 0; j < initial->set.count; ++j) {
    const mbs_scalar *V = is_second ? column(initial, speeds, j) : system->zeros;
    mbs_terms_derivative_along(system, state, is_second ? &accelerations : &rates, MBS_PART_ROWS, column(initial, X, j),
                               V, NULL, initial->R);
    for (int r = 0; r < system->n; ++r) {
      if (problem->rows[r] < system->m) {
        equilibrium->work[j * system->n + r] -= initial->R[system->n + problem->rows[r]];
      }
    }
  }
  for (int r = 0; r < system->n; ++r) {
    int i = problem->rows[r] - system->m;
    if (i < 0) {
      continue;
    }
    const MbsFunction *function = is_second ? &initial->set.independents[i].second : &initial->set.independents[i].rate;
    for (int k = 0; k < system->nq; ++k) {
      equilibrium->slope_q[k] = equilibrium->slope_v[k] = 0;
    }
    (void)mbs_function_evaluate(system, function, state, NULL);
    mbs_function_transposed(system, function, state, 1,
                            &(MbsStateBar){.q = equilibrium->slope_q, .v = equilibrium->slope_v});
    for (int j = 0; j < initial->set.count; ++j) {
      mbs_scalar change = product(system->n, equilibrium->slope_q, column(initial, X, j));
      if (is_second) {
        change += product(system->n, equilibrium->slope_v, column(initial, speeds, j));
      }
      equilibrium->work[j * system->n + r] -= change;
    }
  }
}

static void find_columns(MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsIndependentSet *set = &initial->set;
  put_units(initial, &set->position, false);
  take_solutions(initial, &set->position, equilibrium->X);
  put_units(initial, set->velocity, true);
  subtract_changes(initial, MBS_OF_VELOCITY, equilibrium->X, NULL);
  take_solutions(initial, set->velocity, equilibrium->V);
  clear((size_t)set->system->n * (size_t)set->count, equilibrium->work);
  subtract_changes(initial, MBS_OF_ACCELERATION, equilibrium->X, equilibrium->V);
  take_solutions(initial, set->velocity, equilibrium->A);
}

// J = R' (f_q X + f_v V + f_a A); and X' M X, of unknowns that are rates V' M V
static void find_slopes(MbsInitial *initial) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  const MbsState *state = &equilibrium->state;
  int count = equilibrium->count, stride = equilibrium->unknown_count;
  find_columns(initial);
  for (int j = 0; j < count; ++j) {
    mbs_scalar *moved = column(initial, initial->set.independents[j].is_state ? equilibrium->V : equilibrium->X, j);
    mbs_terms_derivative_along(system, state, &no_rows, MBS_PART_ALL, column(initial, equilibrium->X, j),
                               column(initial, equilibrium->V, j), column(initial, equilibrium->A, j), initial->R);
    mbs_equilibrium_reduce(initial, initial->R, equilibrium->step);
    for (int i = 0; i < count; ++i) {
      equilibrium->J[i * stride + j] = equilibrium->step[i];
    }
    for (int k = 0; k < system->m && equilibrium->solved_count > 0; ++k) {
      int row = initial->set.velocity->row_of[k];
      equilibrium->L[(size_t)j * (size_t)system->m + (size_t)k] = row > 0 ? -initial->R[row - 1] : 0;
    }
    mbs_terms_derivative_along(system, state, &no_rows, MBS_PART_BALANCE, system->zeros, system->zeros, moved,
                               initial->R);
    equilibrium->mass[j] = mbs_re(product(system->n, moved, initial->R));
  }
  if (equilibrium->solved_count > 0) {
    mbs_equilibrium_find_solved_slopes(initial);
  }
}

MbsStatus mbs_equilibrium_evaluate(MbsContext *context, MbsInitial *initial, bool with_slopes) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  put_unknowns(initial);
  MbsStatus status = place(context, initial, &equilibrium->state);
  put_given(initial->set.system);
  equilibrium->has_slopes = false;
  if (status == MBS_OK && equilibrium->follow_bends) {
    equilibrium->follow_bends(equilibrium->user, &equilibrium->state);
  }
  if (status == MBS_OK) {
    evaluate_forces(initial);
    mbs_equilibrium_evaluate_conditions(initial);
    if (with_slopes) {
      find_slopes(initial);
      equilibrium->has_slopes = true;
    }
  }
  return status;
}

// ---- those that are solved for ----
bool mbs_equilibrium_factor(MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  int count = equilibrium->free_count;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      equilibrium->factor[i * count + j] =
          equilibrium->J[equilibrium->rows[i] * equilibrium->unknown_count + equilibrium->free[j]];
    }
  }
  return mbs_dense_factor(count, equilibrium->factor, equilibrium->pivot);
}

// ---- the linearised motion ----
// dF along columns, of which each may be NULL: row i of it to `change`
static void differentiate(MbsInitial *initial, const mbs_scalar *X, const mbs_scalar *V, const mbs_scalar *A) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  mbs_terms_derivative_along(initial->set.system, &equilibrium->state, &no_rows, MBS_PART_ALL, X, V, A, initial->R);
  mbs_equilibrium_reduce(initial, initial->R, equilibrium->step);
}

// rate_q X + rate_v V of an independent coordinate
static double rate_along(const MbsInitial *initial, int i, const mbs_scalar *X, const mbs_scalar *V) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  const MbsFunction *rate = &initial->set.independents[i].rate;
  clear((size_t)system->nq, equilibrium->slope_q);
  clear((size_t)system->nq, equilibrium->slope_v);
  (void)mbs_function_evaluate(system, rate, &equilibrium->state, NULL);
  mbs_function_transposed(system, rate, &equilibrium->state, 1,
                          &(MbsStateBar){.q = equilibrium->slope_q, .v = equilibrium->slope_v});
  return mbs_re(product(system->n, equilibrium->slope_q, X) + product(system->n, equilibrium->slope_v, V));
}

typedef struct Motion {
  int position_count, rate_count;
  int *positions, *rates;  // which independent coordinates
  mbs_scalar *V, *A;       // count columns of nq: by each independent rate
  double *mass;            // rate_count squared: dF by independent accelerations
} Motion;

// positions that some force depends on, and rates that are independent
static void list(const MbsInitial *initial, Motion *motion) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  for (int j = 0; j < equilibrium->count; ++j) {
    double largest = 0, own = 0;
    for (int i = 0; i < equilibrium->count * equilibrium->count; ++i) {
      int row = i / equilibrium->count, k = i % equilibrium->count;
      double size = fabs(mbs_re(equilibrium->J[row * equilibrium->unknown_count + k]));  // real
      largest = fmax(largest, size);                                                     // real
      own = k == j ? fmax(own, size) : own;                                              // real
    }
    if (!initial->set.independents[j].is_state && (equilibrium->is_free[j] || own > 1e-9 * largest)) {
      motion->positions[motion->position_count++] = j;
    }
    if (initial->set.rate_row[j] >= 0) {
      motion->rates[motion->rate_count++] = j;
    }
  }
}

// by independent rates and accelerations
static void find_rates(MbsInitial *initial, const Motion *motion, mbs_scalar *zeros) {
  const MbsIndependentSet *set = &initial->set;
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = set->system;
  clear((size_t)system->n * (size_t)set->count, equilibrium->work);
  for (int r = 0; r < system->n; ++r) {
    if (set->velocity->rows[r] >= system->m) {
      equilibrium->work[(set->velocity->rows[r] - system->m) * system->n + r] = 1;
    }
  }
  take_solutions(initial, set->velocity, motion->V);
  clear((size_t)system->n * (size_t)set->count, equilibrium->work);
  subtract_changes(initial, MBS_OF_ACCELERATION, zeros, motion->V);
  take_solutions(initial, set->velocity, motion->A);
}

// row r of the equations of motion, M u' = -(J z + C u), by column k of the state
static void put_column(const MbsInitial *initial, const Motion *motion, int k, double *B) {
  for (int r = 0; r < motion->rate_count; ++r) {
    B[r * (motion->position_count + motion->rate_count) + k] = -mbs_re(initial->equilibrium->step[motion->rates[r]]);
  }
}

// B = M^-1 B by Gauss: M is that of the masses, positive definite in what moves
static bool divide_by_mass(const Motion *motion, int width, double *B) {
  int n = motion->rate_count;
  double *M = motion->mass;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      pivot = fabs(M[i * n + k]) > fabs(M[pivot * n + k]) ? i : pivot;  // real
    }
    for (int j = 0; j < n && pivot != k; ++j) {
      double held = M[k * n + j];
      M[k * n + j] = M[pivot * n + j];
      M[pivot * n + j] = held;
    }
    for (int j = 0; j < width && pivot != k; ++j) {
      double held = B[k * width + j];
      B[k * width + j] = B[pivot * width + j];
      B[pivot * width + j] = held;
    }
    if (!(fabs(M[k * n + k]) > 0)) {  // real
      return false;
    }
    for (int i = 0; i < n; ++i) {
      double factor = i == k ? 0 : M[i * n + k] / M[k * n + k];
      for (int j = k; j < n && i != k; ++j) {
        M[i * n + j] -= factor * M[k * n + j];
      }
      for (int j = 0; j < width && i != k; ++j) {
        B[i * width + j] -= factor * B[k * width + j];
      }
    }
  }
  for (int i = 0; i < n * width; ++i) {
    B[i] /= M[(i / width) * n + i / width];
  }
  return true;
}

MbsStatus mbs_equilibrium_linearise(MbsContext *context, MbsInitial *initial, MbsArena *arena, int *order,
                                    double **matrix) {
  const MbsSystem *system = initial->set.system;
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  int d = equilibrium->count;
  size_t size = (size_t)system->nq * (size_t)d;
  Motion motion = {.rate_count = 0};
  mbs_scalar *zeros;
  MBS_TAKE(context, arena, motion.positions, d);
  MBS_TAKE(context, arena, motion.rates, d);
  MBS_TAKE(context, arena, motion.V, size);
  MBS_TAKE(context, arena, motion.A, size);
  MBS_TAKE(context, arena, zeros, size);
  MBS_TAKE(context, arena, motion.mass, d * d);
  MBS_TAKE(context, arena, *matrix, 4 * d * d);
  MBS_TRY(mbs_initial_factor(context, initial, &equilibrium->state));
  list(initial, &motion);
  find_rates(initial, &motion, zeros);
  int positions = motion.position_count, rate_count = motion.rate_count, width = positions + rate_count;
  double *B = *matrix + positions * width;
  for (int k = 0; k < width; ++k) {
    int j = k < positions ? motion.positions[k] : motion.rates[k - positions];
    const mbs_scalar *X = k < positions ? column(initial, equilibrium->X, j) : zeros;
    const mbs_scalar *V = column(initial, k < positions ? equilibrium->V : motion.V, j);
    differentiate(initial, X, V, column(initial, k < positions ? equilibrium->A : motion.A, j));
    put_column(initial, &motion, k, B);
    for (int i = 0; i < positions; ++i) {
      (*matrix)[i * width + k] = rate_along(initial, motion.positions[i], X, V);
    }
  }
  for (int k = 0; k < rate_count; ++k) {  // accelerations of unit size are what velocities of unit size are
    differentiate(initial, zeros, zeros, column(initial, motion.V, motion.rates[k]));
    for (int r = 0; r < rate_count; ++r) {
      motion.mass[r * rate_count + k] = mbs_re(equilibrium->step[motion.rates[r]]);
    }
  }
  *order = divide_by_mass(&motion, width, B) ? width : 0;
  return MBS_OK;
}

// ---- derivatives by the parameters ----

// F_rho of a column, in initial->R, and C_rho, to z' and u'. What is solved for moves with nothing by itself.
static void solve_for_slopes(const MbsInitial *initial, int k) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  int count = equilibrium->count, solved = equilibrium->solved_count;
  mbs_scalar *slopes = equilibrium->slopes + k * count, *of_solved = equilibrium->solved_slopes + k * solved;
  mbs_scalar *f = initial->R + (size_t)k * (size_t)(system->n + system->m);
  clear((size_t)count, slopes);
  clear((size_t)solved, of_solved);
  for (int j = 0; j < solved; ++j) {
    if (equilibrium->solved_column[j] == k) {
      return;
    }
  }
  mbs_equilibrium_reduce(initial, f, equilibrium->trial);
  mbs_equilibrium_condition_slopes(initial, k, f, equilibrium->trial + count);
  for (int i = 0; i < equilibrium->free_count; ++i) {
    equilibrium->step[i] = -equilibrium->trial[equilibrium->rows[i]];
  }
  mbs_dense_solve(equilibrium->free_count, equilibrium->factor, equilibrium->pivot, equilibrium->step);
  for (int j = 0; j < equilibrium->free_count; ++j) {
    int unknown = equilibrium->free[j];
    *(unknown < count ? &slopes[unknown] : &of_solved[unknown - count]) = equilibrium->step[j];
  }
}

void mbs_equilibrium_find_columns(MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  const MbsState *state = &equilibrium->state;
  const MbsColumns *own = &equilibrium->columns;
  size_t nq = (size_t)system->nq, columns = (size_t)system->column_count;
  clear(nq * columns, own->X);
  clear(nq * columns, own->V);
  clear(nq * columns, own->A);
  mbs_system_fixed_columns(system, state->t, own->X, own->V, own->A);
  for (int level = 0; level < 3; ++level) {
    mbs_initial_solve_columns(initial, state, MBS_START_AT_UNKNOWNS, (MbsLevel)level, own);
  }
  clear((size_t)(system->n + system->m) * columns, initial->R);
  mbs_terms_derivative(system, state, &no_rows, system->column_count, true, own->X, own->V, own->A, NULL, initial->R);
}

// u is what it is for X: what it does comes on top of that (event_columns.c)
MbsStatus mbs_equilibrium_derivative(MbsContext *context, MbsInitial *initial, mbs_scalar *X) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  MBS_TRY(mbs_initial_factor(context, initial, &equilibrium->state));
  mbs_equilibrium_find_columns(initial);
  for (int k = 0; k < system->column_count; ++k) {
    mbs_scalar *x = column(initial, X, k);
    solve_for_slopes(initial, k);
    put(x, system->nq, column(initial, equilibrium->columns.X, k));
    for (int j = 0; j < equilibrium->count; ++j) {
      for (int i = 0; i < system->n; ++i) {
        x[i] += equilibrium->slopes[k * equilibrium->count + j] * column(initial, equilibrium->X, j)[i];
      }
    }
  }
  return MBS_OK;
}

// ---- the transpose ----
// own += scale * a gradient of a condition
static void add_gradient(const MbsSystem *system, const MbsStateBar *gradient, mbs_scalar scale, MbsStateBar *own) {
  const mbs_scalar *const from[] = {gradient->q,         gradient->v,     gradient->a,
                                    gradient->lambda,    gradient->total, gradient->coefficients,
                                    gradient->parameters};
  mbs_scalar *const to[] = {own->q, own->v, own->a, own->lambda, own->lambda, own->coefficients, own->parameters};
  const int counts[] = {system->nq,
                        system->nq,
                        system->nq,
                        system->m,
                        system->m,
                        system->coefficients.nodes.count,
                        system->blueprint->parameters.count};
  for (int l = 0; l < MBS_COUNT(to); ++l) {
    for (int i = 0; i < counts[l]; ++i) {
      to[l][i] += scale * from[l][i];
    }
  }
}

// y = J^-T of what the unknowns receive, and then -y' (F_rho, C_rho): what F depends on receives -R y
static void transpose_forces(MbsInitial *initial, const MbsStateBar *bar, MbsStateBar *own) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsIndependentSet *set = &initial->set;
  const MbsSystem *system = set->system;
  for (int j = 0; j < equilibrium->free_count; ++j) {
    int unknown = equilibrium->free[j];
    equilibrium->step[j] =
        equilibrium->z_bar[unknown] +
        (unknown < equilibrium->count ? product(system->n, bar->q, column(initial, equilibrium->X, unknown)) : 0);
  }
  mbs_dense_solve_transposed(equilibrium->free_count, equilibrium->factor, equilibrium->pivot, equilibrium->step);
  clear((size_t)equilibrium->unknown_count, equilibrium->trial);
  for (int i = 0; i < equilibrium->free_count; ++i) {
    equilibrium->trial[equilibrium->rows[i]] = -equilibrium->step[i];
  }
  for (int i = 0; i < equilibrium->solved_count; ++i) {
    add_gradient(system, &equilibrium->gradients[i], equilibrium->trial[equilibrium->count + i], own);
  }
  for (int r = 0; r < system->n; ++r) {
    int i = set->velocity->rows[r] - system->m;
    initial->rhs[r] = i >= 0 ? equilibrium->trial[i] : -own->lambda[set->velocity->rows[r]];
  }
  clear((size_t)system->m, own->lambda);
  mbs_problem_solve(set->velocity, 1, initial->rhs);
}

void mbs_equilibrium_transposed(MbsInitial *initial, const MbsState *start, const MbsStateBar *bar) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  const MbsState *state = &equilibrium->state;
  MbsStateBar own = equilibrium->bar;
  clear((size_t)equilibrium->unknown_count, equilibrium->z_bar);
  mbs_signal_bank_evaluate(system, start);
  mbs_initial_transpose(initial, start, MBS_START_FROM_EQUILIBRIUM, MBS_OF_VELOCITY, bar);
  mbs_equilibrium_collect_solved(initial, bar);
  mbs_bar_clear(system, &own);
  own.coefficients = bar->coefficients;
  own.parameters = bar->parameters;
  own.gradient = bar->gradient;
  transpose_forces(initial, bar, &own);
  mbs_signal_bank_evaluate(system, state);
  mbs_terms_transposed(system, state, &no_rows, MBS_PART_ALL, initial->rhs, system->zeros, &own);
  mbs_initial_transpose(initial, state, MBS_START_AT_UNKNOWNS, MBS_OF_ACCELERATION, &own);
  mbs_initial_transpose(initial, state, MBS_START_AT_UNKNOWNS, MBS_OF_VELOCITY, &own);
  for (int i = 0; i < system->nq; ++i) {
    own.q[i] += bar->q[i];
    bar->q[i] = 0;
  }
  mbs_initial_transpose(initial, state, MBS_START_AT_UNKNOWNS, MBS_OF_POSITION, &own);
  for (int i = system->n; i < system->nq; ++i) {  // of coordinates that are fixed, or move as the model says
    bar->q[i] += own.q[i];
    bar->v[i] += own.v[i];
    bar->a[i] += own.a[i];
  }
  mbs_signal_bank_evaluate(system, start);
}

// ---- memory ----
static MbsStatus create_columns(MbsContext *context, MbsInitial *initial, MbsEquilibrium *equilibrium) {
  MbsSystem *system = initial->set.system;
  size_t unknowns = (size_t)equilibrium->unknown_count, nq = (size_t)system->nq, columns = (size_t)system->column_count;
  mbs_scalar **const by_unknown[] = {&equilibrium->X, &equilibrium->V, &equilibrium->A};
  mbs_scalar **const by_column[] = {&equilibrium->columns.X, &equilibrium->columns.V, &equilibrium->columns.A};
  bool is_carried = system->carried_count > 0 || initial->columns.X;
  for (int i = 0; i < 3; ++i) {
    MBS_TAKE(context, system->arena, *by_unknown[i], nq * unknowns);
    MBS_TAKE(context, system->arena, *by_column[i], is_carried ? nq * columns : 0);
  }
  MBS_TAKE(context, system->arena, equilibrium->slopes, is_carried ? (size_t)equilibrium->count * columns : 0);
  return MBS_OK;
}

MbsStatus mbs_equilibrium_create(MbsContext *context, MbsInitial *initial, bool is_steady, bool is_alone) {
  MbsSystem *system = initial->set.system;
  MbsEquilibrium *equilibrium;
  MBS_TAKE(context, system->arena, equilibrium, 1);
  initial->equilibrium = equilibrium;
  equilibrium->is_steady = is_steady;
  equilibrium->is_alone = is_alone;
  equilibrium->count = initial->set.count;
  equilibrium->solved_count = system->blueprint->trim.unknowns.count;
  equilibrium->unknown_count = equilibrium->count + equilibrium->solved_count;
  size_t d = (size_t)equilibrium->unknown_count, n = (size_t)system->n;
  mbs_scalar **const lists[] = {&equilibrium->z,     &equilibrium->first, &equilibrium->force,  &equilibrium->step,
                                &equilibrium->trial, &equilibrium->z_bar, &equilibrium->last_z, &equilibrium->kept_z};
  for (int i = 0; i < MBS_COUNT(lists); ++i) {
    MBS_TAKE(context, system->arena, *lists[i], d);
  }
  MBS_TAKE(context, system->arena, equilibrium->J, d * d);
  MBS_TAKE(context, system->arena, equilibrium->factor, d * d);
  MBS_TAKE(context, system->arena, equilibrium->matrix, 4 * d * d);
  MBS_TAKE(context, system->arena, equilibrium->right, 4 * d);
  MBS_TAKE(context, system->arena, equilibrium->mass, d);
  MBS_TAKE(context, system->arena, equilibrium->size, d);
  MBS_TAKE(context, system->arena, equilibrium->order, 2 * d);
  MBS_TAKE(context, system->arena, equilibrium->is_free, d);
  MBS_TAKE(context, system->arena, equilibrium->is_taken, d);
  MBS_TAKE(context, system->arena, equilibrium->free, d);
  MBS_TAKE(context, system->arena, equilibrium->rows, d);
  MBS_TAKE(context, system->arena, equilibrium->pivot, d);
  MBS_TAKE(context, system->arena, equilibrium->work, d * n);
  MBS_TAKE(context, system->arena, equilibrium->kept, system->nq);
  MBS_TAKE(context, system->arena, equilibrium->kept_angles, system->signals.turn_count);
  MBS_TAKE(context, system->arena, equilibrium->last_q, n);
  MBS_TAKE(context, system->arena, equilibrium->was_free, d);
  MBS_TAKE(context, system->arena, equilibrium->is_given, d);
  for (int i = 0; i < equilibrium->count; ++i) {
    equilibrium->is_given[i] = initial->set.independents[i].is_held;
  }
  MBS_TAKE(context, system->arena, equilibrium->slope_q, system->nq);
  MBS_TAKE(context, system->arena, equilibrium->slope_v, system->nq);
  MBS_TRY(mbs_state_create(context, system, &equilibrium->state));
  MBS_TRY(mbs_bar_create(context, system, &equilibrium->bar));
  MBS_TRY(create_columns(context, initial, equilibrium));
  return mbs_equilibrium_trim_create(context, initial);
}
