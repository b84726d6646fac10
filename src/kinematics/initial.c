// Solving the problems of the start, and their sensitivities. See initial.h.
#include "kinematics/initial.h"

#include <math.h>

#include "kinematics/equilibrium.h"

// reciprocal condition estimates: of a matrix that is of no use; and of a start where two solutions meet, from which
// Newton's iteration ends within the root of its tolerance, not at a singular matrix
static const double singular = 1e-13, nearly_singular = 1e-6;
static const MbsWeights levels_of[] = {
    [MBS_OF_POSITION] = {.k0 = 1}, [MBS_OF_VELOCITY] = {.k1 = 1, .n1 = 1}, [MBS_OF_ACCELERATION] = {.k2 = 1, .n2 = 1}};

static bool factor(const MbsInitial *initial, const MbsProblem *problem, const MbsState *state, double least_quality) {
  mbs_signal_bank_evaluate(initial->set.system, state);
  return mbs_problem_factor(&initial->set, problem, state, NULL, least_quality);
}

// w - w0 of an independent coordinate
static mbs_scalar distance_to_value(const MbsInitial *initial, int index, const MbsState *state) {
  const MbsSystem *system = initial->set.system;
  return mbs_independent_set_value(&initial->set, index, state) - system->independents.value[2 * index];
}

// right-hand side of the position problem; returns the largest component and where it is
static double position_residual(const MbsInitial *initial, const MbsState *state, int *worst) {
  const MbsSystem *system = initial->set.system;
  double largest = 0;
  mbs_terms_constraints(system, state, initial->levels, NULL, NULL);
  mbs_signal_bank_follow(system, state);
  *worst = -1;
  for (int r = 0; r < system->n; ++r) {
    int row = initial->set.position.rows[r];
    mbs_scalar value = row < system->m ? initial->levels[row] : distance_to_value(initial, row - system->m, state);
    initial->rhs[r] = value;
    if (!(mbs_re(mbs_abs(value)) <= largest)) {
      largest = mbs_re(mbs_abs(value));
      *worst = row;
    }
  }
  for (int k = 0; k < system->m; ++k) {  // the redundant ones must hold too
    double magnitude = mbs_re(mbs_abs(initial->levels[k]));
    if (initial->set.is_redundant[k] && !(magnitude <= largest)) {
      largest = magnitude;
      *worst = k;
    }
  }
  return largest;
}

static MbsStatus not_finite(MbsContext *context, const MbsInitial *initial, int worst) {
  const MbsSystem *system = initial->set.system;
  bool is_constraint = worst >= 0 && worst < system->m;
  const MbsIndependent *none = is_constraint ? NULL : &initial->set.independents[worst < 0 ? 0 : worst - system->m];
  const MbsRowSpec *row = is_constraint ? &system->blueprint->rows.items[worst] : NULL;
  return mbs_fail(context, MBS_ERROR_INPUT, row ? row->place : none->place,
                  "the model cannot be assembled: %s \"%s\" is not a finite number; a length or a coordinate is too "
                  "large, or the expression is not defined where the assembly begins",
                  row ? "constraint" : "independent coordinate", row ? row->name : none->name);
}

MbsStatus mbs_initial_check_finite(MbsContext *context, const MbsInitial *initial, const MbsState *state) {
  for (int k = 0; k < initial->set.system->m; ++k) {
    mbs_scalar level[3];
    mbs_terms_constraint(initial->set.system, k, state, level);
    if (!isfinite(mbs_re(mbs_abs(level[0])))) {
      return not_finite(context, initial, k);
    }
  }
  return MBS_OK;
}

static MbsStatus not_assembled(MbsContext *context, const MbsInitial *initial, int worst, double residual) {
  const MbsSystem *system = initial->set.system;
  bool is_constraint = worst >= 0 && worst < system->m;
  if (!isfinite(residual)) {
    return not_finite(context, initial, worst);
  }
  if (is_constraint) {
    const MbsRowSpec *row = &system->blueprint->rows.items[worst];
    return mbs_fail(
        context, MBS_ERROR_INPUT, row->place,
        "the model cannot be assembled: constraint \"%s\" is off by %.3g; check lengths and the independent "
        "coordinates, or place points and bodies nearer to the start (initial points, body position and angle)",
        row->name, residual);
  }
  const MbsIndependent *independent = &initial->set.independents[worst < 0 ? 0 : worst - system->m];
  return mbs_fail(
      context, MBS_ERROR_INPUT, independent->place,
      "the model cannot be assembled: independent coordinate \"%s\" is off its value by %.3g; that value may be out "
      "of reach, or place points and bodies nearer to the start (initial points, body position and angle)",
      independent->name, residual);
}

MbsStatus mbs_initial_contradiction(MbsContext *context, const MbsInitial *initial, const MbsState *state) {
  int worst = -1;
  double largest = -1;
  for (int k = 0; k < initial->set.system->m; ++k) {
    mbs_scalar level[3];
    mbs_terms_constraint(initial->set.system, k, state, level);
    double off = mbs_re(mbs_abs(level[0]));
    worst = off > largest ? k : worst;
    largest = off > largest ? off : largest;
  }
  return not_assembled(context, initial, worst, largest);
}

static MbsStatus singular_start(MbsContext *context, const MbsInitial *initial, const MbsState *state) {
  MbsPlace place = initial->set.count > 0 ? initial->set.independents[0].place : mbs_nowhere;
  if (mbs_re(state->t) > 0) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                    "the position at t = %.10g is singular: constraints and drivers do not determine the motion there",
                    mbs_re(state->t));
  }
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, place,
      "the start is a singular position: constraints and independent coordinates do not determine the motion "
      "there; start elsewhere or choose other independent coordinates");
}

// Where constraints become dependent forces along the independent coordinates may vanish while bodies fall.
static MbsStatus solve_equilibrium(MbsContext *context, MbsInitial *initial, MbsState *state) {
  MBS_TRY(mbs_equilibrium_solve(context, initial, state));
  return factor(initial, &initial->set.position, state, nearly_singular)
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_NUMERICAL,
                        initial->set.count > 0 ? initial->set.independents[0].place : mbs_nowhere,
                        "equilibrium: the search ends at a singular position, where constraints are dependent and do "
                        "not determine the forces; start nearer to another equilibrium, hold a coordinate "
                        "(equilibrium: hold), or choose other independent coordinates");
}

// the step of Newton, in rhs; a wheel makes no whole turns in it: they are counted
static void solve_step(MbsInitial *initial, const MbsState *state, bool is_first) {
  enum { MOST_PASSES = 4 };
  int worst;
  mbs_problem_solve(&initial->set.position, 1, initial->rhs);
  for (int pass = 0; is_first && pass < MOST_PASSES && mbs_turns_take(initial, state, initial->rhs); ++pass) {
    (void)position_residual(initial, state, &worst);
    mbs_problem_solve(&initial->set.position, 1, initial->rhs);
  }
}

// Newton; a step longer than the mechanism is cut
MbsStatus mbs_initial_solve_position(MbsContext *context, MbsInitial *initial, MbsState *state, bool is_first) {
  enum { MOST = 100, FURTHER = 3 };
  const MbsSystem *system = initial->set.system;
  double residual = 0, previous = HUGE_VAL;
  int worst = -1, further = FURTHER;
  for (int iteration = 0; iteration < MOST; ++iteration) {
    // of the present position, not of the guess, which may be far off
    double size = fmax(mbs_state_size(system, state), 1e-3);  // real
    double tolerance = 1e-13 * (size * size > size ? size * size : size);
    if (is_first) {
      mbs_turns_tell(initial, state);
    }
    residual = position_residual(initial, state, &worst);
    // a few iterations beyond the tolerance polish the real part and settle the imaginary one
    if ((residual <= tolerance && further-- <= 0) ||
        (residual <= 100 * tolerance && residual >= previous && further-- <= 0)) {
      return MBS_OK;
    }
    previous = residual;
    if (!isfinite(residual)) {
      break;
    }
    if (!factor(initial, &initial->set.position, state, singular)) {
      return residual <= 1e3 * tolerance ? singular_start(context, initial, state)
                                         : not_assembled(context, initial, worst, residual);
    }
    solve_step(initial, state, is_first);
    double longest = 0;
    for (int i = 0; i < system->n; ++i) {
      double magnitude = mbs_re(mbs_abs(initial->rhs[i]));
      longest = magnitude > longest ? magnitude : longest;
    }
    double cut = longest > 0.5 * size ? 0.5 * size / longest : 1;
    for (int i = 0; i < system->n; ++i) {
      state->q[i] -= cut * initial->rhs[i];
    }
  }
  return not_assembled(context, initial, worst, residual);
}

MbsStatus mbs_initial_solve_velocity(MbsContext *context, MbsInitial *initial, MbsState *state, bool is_first) {
  const MbsSystem *system = initial->set.system;
  const MbsProblem *problem = initial->set.velocity;
  if (problem != &initial->set.position && !factor(initial, problem, state, nearly_singular)) {
    return singular_start(context, initial, state);
  }
  // Phi_q v = -Phi_t and A v = -b, which are -Phidot and -(A v + b) at v = 0
  for (int i = 0; i < system->n; ++i) {
    state->v[i] = 0;
  }
  mbs_terms_constraints(system, state, NULL, initial->levels, NULL);
  mbs_signal_bank_evaluate(system, state);
  for (int r = 0; r < system->n; ++r) {
    int row = problem->rows[r];
    if (row < system->m) {
      initial->rhs[r] = -initial->levels[row];
    } else {  // what a moving ground contributes to w' comes off
      int k = row - system->m;
      mbs_scalar drift = mbs_function_evaluate(system, &initial->set.independents[k].rate, state, NULL);
      initial->rhs[r] = system->independents.value[2 * k + 1] - drift;
    }
  }
  mbs_problem_solve(problem, 1, initial->rhs);
  for (int i = 0; i < system->n; ++i) {
    state->v[i] = initial->rhs[i];
  }
  mbs_signal_bank_accept(system, state, is_first);
  return problem == &initial->set.position ? MBS_OK : mbs_initial_check_velocities(context, initial, state);
}

MbsStatus mbs_initial_solve(MbsContext *context, MbsInitial *initial, MbsState *state, bool is_first) {
  bool is_chosen = initial->set.velocity != NULL;
  bool goes_on = is_first && initial->equilibrium && mbs_equilibrium_recall(initial, state);
  if (is_first && !goes_on) {
    mbs_turns_forget(initial);
  }
  if (initial->equilibrium) {
    mbs_equilibrium_forget(initial, is_first);
    if (is_first && initial->equilibrium->solved_count > 0) {
      mbs_state_place_fixed(initial->set.system, state);
    }
  }
  MBS_TRY(goes_on ? MBS_OK : mbs_initial_solve_position(context, initial, state, is_first));
  if (!goes_on && !factor(initial, &initial->set.position, state, nearly_singular)) {
    return singular_start(context, initial, state);
  }
  MbsStatus status = is_chosen ? MBS_OK : mbs_initial_choose_velocities(context, initial, state);
  if (status == MBS_OK && initial->equilibrium) {
    status = is_first ? solve_equilibrium(context, initial, state) : MBS_OK;
  }
  if (status == MBS_OK) {
    status = mbs_initial_solve_velocity(context, initial, state, is_first);
  }
  if (status != MBS_OK && !is_chosen) {  // rates that a start which fails has chosen need not suit another
    mbs_problem_destroy(initial->set.velocity);
    initial->set.velocity = NULL;
  }
  return status;
}

static const MbsProblem *problem_of(const MbsInitial *initial, MbsLevel level) {
  return level == MBS_OF_POSITION ? &initial->set.position : initial->set.velocity;
}

static const MbsFunction *function_of(const MbsIndependent *independent, MbsLevel level) {
  return level == MBS_OF_POSITION   ? &independent->w
         : level == MBS_OF_VELOCITY ? &independent->rate
                                    : &independent->second;
}

// What an independent coordinate is given at a level: a number of the model (its index among coefficients), or else
// -1: nothing that depends on parameters, but where it is an unknown of an equilibrium.
static int given_coefficient(const MbsInitial *initial, MbsStartPart part, MbsLevel level, int i) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  bool is_state = initial->set.independents[i].is_state, is_given = level != MBS_OF_ACCELERATION;
  if (part == MBS_START_AT_UNKNOWNS) {
    is_given &= level == MBS_OF_POSITION
                    ? is_state || !equilibrium->is_free[i]
                    : (is_state && !equilibrium->is_free[i]) || (!is_state && equilibrium->is_steady);
  } else if (part == MBS_START_FROM_EQUILIBRIUM) {
    is_given &= is_state ? !equilibrium->is_free[i] : !equilibrium->is_alone || equilibrium->is_steady;
  }
  return is_given ? 2 * i + (level == MBS_OF_VELOCITY ? 1 : 0) : -1;
}

// its derivative for column k
static mbs_scalar given_slope(const MbsInitial *initial, MbsStartPart part, MbsLevel level, int i, int k) {
  int coefficient = given_coefficient(initial, part, level, i);
  const mbs_scalar *slope = mbs_block_slope(&initial->set.system->independents, k);
  if (coefficient < 0) {
    bool is_unknown = part == MBS_START_FROM_EQUILIBRIUM && initial->set.independents[i].is_state;
    return is_unknown ? initial->equilibrium->slopes[k * initial->set.count + i] : 0;
  }
  return slope ? slope[coefficient] : 0;
}

// and what receives `bar` of it
static void give_back(const MbsInitial *initial, MbsStartPart part, MbsLevel level, int i, mbs_scalar amount,
                      const MbsStateBar *bar) {
  int coefficient = given_coefficient(initial, part, level, i);
  if (coefficient >= 0) {
    bar->coefficients[initial->set.system->independents.index[coefficient]] += amount;
  } else if (part == MBS_START_FROM_EQUILIBRIUM && initial->set.independents[i].is_state) {
    initial->equilibrium->z_bar[i] += amount;
  }
}

// solves for one of X, V, A: -(levels' of the constraints, functions' derivative minus the slope of the given value)
void mbs_initial_solve_columns(MbsInitial *initial, const MbsState *state, MbsStartPart part, MbsLevel level,
                               const MbsColumns *state_columns) {
  const MbsSystem *system = initial->set.system;
  const MbsProblem *problem = problem_of(initial, level);
  int n = system->n, columns = system->column_count, stride = n + system->m;
  for (int i = 0; i < stride * columns; ++i) {
    initial->R[i] = 0;
  }
  mbs_terms_derivative(system, state, &levels_of[level], columns, true, state_columns->X, state_columns->V,
                       state_columns->A, NULL, initial->R);
  mbs_signal_bank_evaluate(system, state);
  mbs_signal_bank_take_columns(system, state, state_columns);
  for (int r = 0; r < n; ++r) {
    int row = problem->rows[r];
    if (row < system->m) {
      for (int k = 0; k < columns; ++k) {
        initial->rhs[k * n + r] = -initial->R[k * stride + n + row];
      }
      continue;
    }
    const MbsFunction *function = function_of(&initial->set.independents[row - system->m], level);
    (void)mbs_function_evaluate(system, function, state, NULL);
    for (int k = 0; k < columns; ++k) {
      initial->rhs[k * n + r] = given_slope(initial, part, level, row - system->m, k) -
                                mbs_function_derivative(system, function, state, k, state_columns, NULL);
    }
  }
  mbs_problem_solve(problem, columns, initial->rhs);
  mbs_scalar *result = level == MBS_OF_POSITION   ? state_columns->X
                       : level == MBS_OF_VELOCITY ? state_columns->V
                                                  : state_columns->A;
  for (int k = 0; k < columns; ++k) {
    for (int i = 0; i < n; ++i) {
      result[k * system->nq + i] = initial->rhs[k * n + i];
    }
  }
}

MbsStatus mbs_initial_factor(MbsContext *context, MbsInitial *initial, const MbsState *state) {
  bool is_regular =
      factor(initial, &initial->set.position, state, singular) &&
      (initial->set.velocity == &initial->set.position || factor(initial, initial->set.velocity, state, singular));
  return is_regular ? MBS_OK : singular_start(context, initial, state);
}

MbsStatus mbs_initial_derivative(MbsContext *context, MbsInitial *initial, const MbsState *state, mbs_scalar *X,
                                 mbs_scalar *V, mbs_scalar *A) {
  const MbsSystem *system = initial->set.system;
  MBS_TRY(mbs_initial_factor(context, initial, state));
  for (int i = 0; i < system->nq * system->column_count; ++i) {
    X[i] = V[i] = 0;
  }
  mbs_system_fixed_columns(system, state->t, X, V, A);
  const MbsColumns columns = {.X = X, .V = V};
  bool is_equilibrium = initial->equilibrium && initial->equilibrium->is_found;
  if (is_equilibrium) {
    MBS_TRY(mbs_equilibrium_derivative(context, initial, X));
    MBS_TRY(mbs_initial_factor(context, initial, state));
  } else {
    mbs_initial_solve_columns(initial, state, MBS_START_AS_GIVEN, MBS_OF_POSITION, &columns);
  }
  mbs_initial_solve_columns(initial, state, is_equilibrium ? MBS_START_FROM_EQUILIBRIUM : MBS_START_AS_GIVEN,
                            MBS_OF_VELOCITY, &columns);
  return MBS_OK;
}

// rows of one problem, transposed: y = K^-T of what its unknowns receive, then -y goes to what the rows depend on
void mbs_initial_transpose(MbsInitial *initial, const MbsState *state, MbsStartPart part, MbsLevel level,
                           const MbsStateBar *bar) {
  const MbsSystem *system = initial->set.system;
  const MbsProblem *problem = problem_of(initial, level);
  mbs_scalar *const unknowns[] = {bar->q, bar->v, bar->a};
  mbs_scalar *y = initial->rhs, *nu = initial->levels, *unknown = unknowns[level];
  for (int i = 0; i < system->n; ++i) {
    y[i] = -unknown[i];
    unknown[i] = 0;
  }
  mbs_problem_solve_transposed(problem, 1, y);
  for (int k = 0; k < system->m; ++k) {
    nu[k] = problem->row_of[k] > 0 ? y[problem->row_of[k] - 1] : 0;
  }
  // what the unknowns themselves receive is the matrix, which was solved for
  MbsStateBar known = *bar;
  for (int i = 0; i < system->nq; ++i) {
    initial->set.gradient[i] = 0;
  }
  known.a = known.lambda = initial->unused;
  *(level == MBS_OF_POSITION ? &known.q : level == MBS_OF_VELOCITY ? &known.v : &known.a) = initial->set.gradient;
  mbs_terms_transposed(system, state, &levels_of[level], MBS_PART_ROWS, system->zeros, nu, &known);
  known.a = level == MBS_OF_ACCELERATION ? known.a : NULL;
  known.lambda = NULL;
  for (int r = 0; r < system->n; ++r) {
    int index = problem->rows[r] - system->m;
    if (index >= 0) {
      const MbsFunction *function = function_of(&initial->set.independents[index], level);
      (void)mbs_function_evaluate(system, function, state, NULL);
      mbs_function_transposed(system, function, state, y[r], &known);
      give_back(initial, part, level, index, -y[r], bar);
    }
  }
  for (int i = system->n; i < system->nq; ++i) {
    unknown[i] += initial->set.gradient[i];
  }
}

void mbs_initial_transposed(MbsInitial *initial, const MbsState *state, const MbsStateBar *bar) {
  if (initial->equilibrium && initial->equilibrium->is_found) {
    mbs_equilibrium_transposed(initial, state, bar);
    return;
  }
  mbs_initial_transpose(initial, state, MBS_START_AS_GIVEN, MBS_OF_VELOCITY, bar);
  mbs_initial_transpose(initial, state, MBS_START_AS_GIVEN, MBS_OF_POSITION, bar);
}
