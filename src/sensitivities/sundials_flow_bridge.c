// See sundials_flow.h.
#include "sensitivities/sundials_flow.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Nothing is wrong where SUNDIALS tries another step.
static int outcome(MbsFlow *flow, MbsStatus status) {
  if (status == MBS_ERROR_NUMERICAL) {
    (void)snprintf(flow->trouble, sizeof flow->trouble, "%.255s", mbs_context_message(flow->context));
    flow->context->status = MBS_OK;
    return 1;
  }
  return status == MBS_OK ? 0 : -1;
}

// matrix-r: the independent coordinates
static const MbsIndependentSet *set_of(const MbsFlow *flow) { return flow->reduced->sets[0]; }

MbsStatus mbs_flow_create(MbsContext *context, MbsSession *session, MbsFlow *flow) {
  MbsSimulation *simulation = session->simulation;
  MbsSystem *system = simulation->system;
  MbsStepper *stepper = simulation->stepper;
  bool is_reduced = simulation->formulation.type->is_reduced;
  *flow = (MbsFlow){.context = context,
                    .session = session,
                    .simulation = simulation,
                    .system = system,
                    .end = (double)INFINITY,
                    .reduced = is_reduced ? (MbsReduced *)stepper : NULL,
                    .count = stepper->type->backward->count(stepper),
                    .column_count = system->column_count};
  if (is_reduced) {  // the set of the start, whatever there was before
    int set = flow->reduced->next;
    flow->sets = (MbsPath){.set_count = 1, .sets = &stepper->sets[set]};
    MBS_CHECK(context, set == 0);
  }
  size_t n = (size_t)system->n, m = (size_t)system->m, count = (size_t)flow->count;
  size_t columns = (size_t)system->carried_count;
  MBS_TAKE(context, system->arena, flow->at, 2 * count);
  MBS_TAKE(context, system->arena, flow->s, count);
  MBS_TAKE(context, system->arena, flow->by_x, n);
  MBS_TAKE(context, system->arena, flow->by_rate, n);
  MBS_TAKE(context, system->arena, flow->rhs, n + m + count);
  MBS_TAKE(context, system->arena, flow->levels, m);
  MBS_TAKE(context, system->arena, flow->R, (n + m) * columns);
  MBS_TAKE(context, system->arena, flow->unit, system->nq);
  MBS_TAKE(context, system->arena, flow->start, 2 * count);
  if (is_reduced) {
    mbs_signal_bank_evaluate(system, &simulation->state);
  }
  for (int i = 0; i < flow->count; ++i) {
    const MbsState *state = &simulation->state;
    flow->start[i] = is_reduced ? mbs_reduced_level(set_of(flow), i, 0, state) : state->q[i];
    flow->start[flow->count + i] = is_reduced ? mbs_reduced_level(set_of(flow), i, 1, state) : state->v[i];
  }
  return mbs_bar_create(context, system, &flow->bar);
}

// ---- matrix-r: q and v of z and z' ----
// Newton's step of one level (0: positions, 1: velocities): K dy = what is left of its rows. Returns its size.
static double correct(MbsFlow *flow, int level, const double *given) {
  const MbsSystem *system = flow->system;
  MbsState *state = &flow->simulation->state;
  const MbsIndependentSet *set = set_of(flow);
  const MbsProblem *problem = level == 0 ? &set->position : set->velocity;
  mbs_terms_constraints(system, state, level == 0 ? flow->levels : NULL, level == 1 ? flow->levels : NULL, NULL);
  for (int r = 0; r < problem->row_count; ++r) {
    int row = problem->rows[r], i = row - system->m;
    flow->rhs[r] = i < 0 ? flow->levels[row] : mbs_reduced_level(set, i, level, state) - given[i];
  }
  mbs_problem_solve(problem, 1, flow->rhs);
  double largest = 0, *unknown = level == 0 ? state->q : state->v;
  for (int i = 0; i < system->n; ++i) {
    unknown[i] -= flow->rhs[i];
    largest = fabs(flow->rhs[i]) <= largest ? largest : fabs(flow->rhs[i]);  // NaN too
  }
  return largest;
}

// Newton's iteration from where the state is; z moves little from one evaluation to the next.
static bool lift(MbsFlow *flow, const double *y) {
  enum { MOST = 20 };
  MbsState *state = &flow->simulation->state;
  double left = (double)INFINITY, before;
  int iteration = 0;
  do {
    mbs_signal_bank_follow(flow->system, state);
    if (!mbs_independent_set_factor(set_of(flow), state, NULL)) {
      return false;
    }
    before = left;
    left = correct(flow, 0, y);
    iteration += 1;
  } while (iteration < MOST && left > 64 * DBL_EPSILON * mbs_state_size(flow->system, state) &&
           !(left < 1e-10 && left > before / 2));
  if (!(left < 1e-8)) {
    return false;
  }
  for (int i = 0; i < 2; ++i) {  // linear: the second time is for rounding
    mbs_signal_bank_evaluate(flow->system, state);
    if (i == 0 && !mbs_independent_set_factor(set_of(flow), state, NULL)) {
      return false;
    }
    (void)correct(flow, 1, y + flow->count);
  }
  return true;
}

// X of Z, or V of Z': K X = -(rows' at X = 0), and of w's rows Z less the same
static void lift_columns(MbsFlow *flow, int level, double *const *S) {
  static const MbsWeights weights[] = {{.k0 = 1}, {.k1 = 1, .n1 = 1}};
  const MbsSystem *system = flow->system;
  const MbsState *state = &flow->simulation->state;
  const MbsIndependentSet *set = set_of(flow);
  const MbsProblem *problem = level == 0 ? &set->position : set->velocity;
  const MbsColumns known = {
      .X = flow->simulation->columns.X, .V = flow->simulation->columns.V, .A = flow->simulation->columns.A};
  double *unknown = level == 0 ? known.X : known.V;
  int size = system->n + system->m;
  memset(flow->R, 0, (size_t)(size * flow->column_count) * sizeof *flow->R);
  for (int k = 0; k < flow->column_count; ++k) {
    memset(unknown + k * system->nq, 0, (size_t)system->n * sizeof *unknown);
  }
  mbs_terms_derivative_of(system, state, &weights[level], MBS_PART_ROWS, &known, flow->R);
  mbs_signal_bank_evaluate(system, state);
  mbs_signal_bank_take_columns(system, state, &known);
  for (int i = 0; i < set->count && !set->is_automatic; ++i) {
    (void)mbs_function_evaluate(system, mbs_reduced_function(set, i, level), state, NULL);
  }
  for (int k = 0; k < flow->column_count; ++k) {
    for (int r = 0; r < problem->row_count; ++r) {
      int row = problem->rows[r], i = row - system->m;
      double own = i < 0 || set->is_automatic
                       ? 0
                       : mbs_function_derivative(system, mbs_reduced_function(set, i, level), state, k, &known, NULL);
      flow->rhs[r] = i < 0 ? -flow->R[k * size + system->n + row] : S[k][level * flow->count + i] - own;
    }
    mbs_problem_solve(problem, 1, flow->rhs);
    memcpy(unknown + k * system->nq, flow->rhs, (size_t)system->n * sizeof *unknown);
  }
}

// ---- the equations ----
void mbs_flow_take_start(const MbsFlow *flow, double *y) {
  memcpy(y, flow->start, 2 * (size_t)flow->count * sizeof *y);
}

// level 0, 1, 2: of x, x', x''
static double column_of(const MbsFlow *flow, int level, int i, int column) {
  const MbsColumns *columns = &flow->simulation->columns;
  const double *const at[] = {columns->X, columns->V, columns->A};
  if (!flow->reduced || set_of(flow)->is_automatic) {
    int coordinate = flow->reduced ? set_of(flow)->automatic[i] : i;
    return at[level][column * flow->system->nq + coordinate];
  }
  const MbsFunction *function = mbs_reduced_function(set_of(flow), i, level);
  (void)mbs_function_evaluate(flow->system, function, &flow->simulation->state, NULL);
  return mbs_function_derivative(flow->system, function, &flow->simulation->state, column, columns, NULL);
}

void mbs_flow_take_column(const MbsFlow *flow, int column, double *y) {
  mbs_signal_bank_evaluate(flow->system, &flow->simulation->state);
  mbs_signal_bank_take_columns(flow->system, &flow->simulation->state, &flow->simulation->columns);
  for (int i = 0; i < flow->count; ++i) {
    y[i] = column_of(flow, 0, i, column);
    y[flow->count + i] = column_of(flow, 1, i, column);
  }
}

static MbsStatus place(MbsFlow *flow, double t, const double *y) {
  MbsState *state = &flow->simulation->state;
  MbsStepper *stepper = flow->simulation->stepper;
  mbs_flow_return_to_end(flow, t);
  state->t = t;
  mbs_state_place_fixed(flow->system, state);
  for (int i = 0; i < flow->count && !flow->reduced; ++i) {
    state->q[i] = y[i];
    state->v[i] = y[flow->count + i];
  }
  if (flow->reduced && !lift(flow, y)) {
    return mbs_fail(flow->context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                    "the independent coordinates of the start do not determine the motion at t = %.10g", t);
  }
  MBS_TRY(
      stepper->type->start(flow->context, stepper, flow->reduced ? &flow->sets : flow->simulation->followed, state));
  mbs_signal_bank_accept(flow->system, state, false);
  mbs_signal_bank_evaluate(flow->system, state);
  return MBS_OK;
}

MbsStatus mbs_flow_keep_end(MbsFlow *flow, double t) {
  flow->end = t;
  return mbs_simulation_save(flow->context, flow->simulation, &flow->last);
}

void mbs_flow_return_to_end(MbsFlow *flow, double t) {
  if (t == flow->end && flow->simulation->state.t != t) {
    mbs_simulation_restore(flow->simulation, &flow->last);
  }
}

int mbs_flow_place(MbsFlow *flow, double t, const double *y) {
  size_t bytes = 2 * (size_t)flow->count * sizeof *y;
  if (flow->is_placed && t == flow->time && memcmp(flow->at, y, bytes) == 0) {
    return 0;
  }
  flow->is_placed = flow->is_factored = false;
  int failed = outcome(flow, place(flow, t, y));
  if (!failed) {
    flow->is_placed = true;
    flow->time = t;
    memcpy(flow->at, y, bytes);
  }
  return failed;
}

void mbs_flow_rate(const MbsFlow *flow, double *rate) {
  for (int i = 0; i < flow->count; ++i) {
    rate[i] = flow->at[flow->count + i];
    rate[flow->count + i] =
        flow->reduced ? mbs_reduced_level(set_of(flow), i, 2, &flow->simulation->state) : flow->simulation->state.a[i];
  }
}

int mbs_flow_columns(MbsFlow *flow, double *const *S) {
  const MbsSystem *system = flow->system;
  const MbsState *state = &flow->simulation->state;
  const MbsColumns *columns = &flow->simulation->columns;
  MbsStepper *stepper = flow->simulation->stepper;
  const MbsStep instant = {0};
  mbs_system_fixed_columns(system, state->t, columns->X, columns->V, columns->A);
  if (flow->reduced) {
    mbs_signal_bank_evaluate(system, state);
    if (!mbs_independent_set_factor(set_of(flow), state, NULL)) {
      return 1;
    }
    lift_columns(flow, 0, S);
    lift_columns(flow, 1, S);
  }
  for (int k = 0; k < flow->column_count && !flow->reduced; ++k) {
    memcpy(columns->X + k * system->nq, S[k], (size_t)flow->count * sizeof **S);
    memcpy(columns->V + k * system->nq, S[k] + flow->count, (size_t)flow->count * sizeof **S);
  }
  flow->is_factored = false;
  int failed = outcome(flow, stepper->type->derivative(flow->context, stepper, &instant, state, columns));
  if (!failed) {
    mbs_signal_bank_evaluate(system, state);
    mbs_signal_bank_differentiate(system, state, columns);
  }
  return failed;
}

void mbs_flow_column_rate(const MbsFlow *flow, int column, double *rate) {
  for (int i = 0; i < flow->count; ++i) {
    rate[i] = column_of(flow, 1, i, column);
    rate[flow->count + i] = column_of(flow, 2, i, column);
  }
}

int mbs_flow_transposed(MbsFlow *flow, const double *l, int objective, double *by_parameter) {
  const MbsSystem *system = flow->system;
  const MbsState *state = &flow->simulation->state;
  MbsStepper *stepper = flow->simulation->stepper;
  if (!flow->is_factored) {
    mbs_signal_bank_evaluate(system, state);
    int failed = outcome(flow, stepper->type->backward->factor(flow->context, stepper, 0, 0, 0, state));
    if (failed) {
      return failed;
    }
    flow->is_factored = true;
  }
  mbs_bar_clear(system, &flow->bar);
  for (int i = 0; i < flow->count; ++i) {
    flow->s[i] = l ? l[i] : 0;
  }
  if (objective >= 0) {
    const MbsFunction *function = &flow->simulation->objectives.items[objective].function;
    mbs_signal_bank_evaluate(system, state);
    (void)mbs_function_evaluate(system, function, state, NULL);
    mbs_function_transposed(system, function, state, 1, &flow->bar);
  }
  stepper->type->backward->solve(stepper, 0, 0, state, &flow->bar, flow->s, flow->by_x, flow->by_rate);
  if (by_parameter) {
    memset(by_parameter, 0, (size_t)flow->column_count * sizeof *by_parameter);
    mbs_system_fixed_transposed(system, state->t, &flow->bar, by_parameter);
    mbs_system_chain(system, flow->bar.coefficients, flow->bar.parameters, by_parameter);
  }
  return 0;
}

int mbs_flow_jacobian(MbsFlow *flow, bool is_adjoint, double *const *columns) {
  int n = flow->count;
  double sign = is_adjoint ? -1 : 1;
  memset(flow->unit, 0, (size_t)flow->system->nq * sizeof *flow->unit);
  for (int j = 0; j < 2 * n; ++j) {
    memset(columns[j], 0, 2 * (size_t)n * sizeof **columns);
  }
  for (int i = 0; i < n; ++i) {
    *(is_adjoint ? &columns[i][n + i] : &columns[n + i][i]) = sign;
    flow->unit[i] = 1;
    int failed = mbs_flow_transposed(flow, flow->unit, -1, NULL);
    flow->unit[i] = 0;
    if (failed) {
      return failed;
    }
    for (int j = 0; j < n; ++j) {
      *(is_adjoint ? &columns[n + i][j] : &columns[j][n + i]) = sign * flow->by_x[j];
      *(is_adjoint ? &columns[n + i][n + j] : &columns[n + j][n + i]) = sign * flow->by_rate[j];
    }
  }
  return 0;
}
