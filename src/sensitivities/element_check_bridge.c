// See element_check.h.
#include "sensitivities/element_check.h"

#include <math.h>

// of the residual that is compared: any numbers do that let every level through
static const MbsWeights weights = {
    .k0 = 0.7, .k1 = 1.3, .k2 = 0.9, .epsilon = 0.4, .n1 = 0.6, .n2 = 1.1, .n_epsilon = 0.3};

static double random_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005U + 1442695040888963407U;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static double dot(int count, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void clear(int count, double *x) {
  for (int i = 0; i < count; ++i) {
    x[i] = 0;
  }
}

static MbsStatus create_workspace(MbsContext *context, MbsArena *arena, MbsElementCheck *check) {
  const MbsSystem *system = check->simulation->system;
  int n = system->n, nq = system->nq, m = system->m, columns = system->column_count;
  int parameters = system->blueprint->parameters.count;
  const struct {
    double **array;
    int rows, columns;
  } arrays[] = {{&check->whole.u, n, 1},
                {&check->whole.l, m, 1},
                {&check->whole.s, m, 1},
                {&check->whole.p, parameters, 1},
                {&check->along.l, m, 1},
                {&check->along.s, m, 1},
                {&check->dq, nq, 1},
                {&check->dv, nq, 1},
                {&check->da, nq, 1},
                {&check->fixed.X, nq, columns},
                {&check->fixed.V, nq, columns},
                {&check->fixed.A, nq, columns},
                {&check->fixed.L, m, columns},
                {&check->fixed.T, m, columns},
                {&check->R, n + m, columns},
                {&check->r, n + m, 1},
                {&check->y, n + m, 1},
                {&check->reference, n + m + 1, 1},
                {&check->gradient, columns, 1},
                {&check->along.p, parameters, 1},
                {&check->matrix, system->mode.pattern.entry_count + 1, 1}};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    MBS_TAKE(context, arena, *arrays[i].array, (size_t)arrays[i].rows * (size_t)arrays[i].columns);
  }
  check->along.u = check->whole.u;
  MBS_TRY(mbs_bar_create(context, system, &check->bar));
  return mbs_state_create(context, system, &check->at);
}

MbsStatus mbs_element_check_create(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                   const MbsSimulation *simulation, MbsElementCheck *check) {
  *check = (MbsElementCheck){.simulation = simulation};
  check->element_count = mbs_system_element_count(simulation->system) + simulation->objectives.count;
  MBS_TRY(create_workspace(context, arena, check));
  return mbs_complex_probe_create_for(context, model, &simulation->settings, &check->twin);
}

void mbs_element_check_destroy(MbsElementCheck *check) { mbs_complex_probe_destroy(check->twin); }

// ---- states and directions ----
static void choose_direction(MbsElementCheck *check, uint64_t *seed) {
  const MbsSystem *system = check->simulation->system;
  MbsProbeDirection *whole = &check->whole;
  for (int i = 0; i < 3; ++i) {
    whole->c[i] = 1 + 0.5 * random_number(seed);
  }
  for (int i = 0; i < system->n; ++i) {
    whole->u[i] = random_number(seed);
  }
  for (int i = 0; i < system->m; ++i) {
    whole->l[i] = random_number(seed);
    whole->s[i] = random_number(seed);
  }
  for (int k = 0; k < system->asked_count; ++k) {
    double size = fabs(system->parameters[system->columns[k]]);
    whole->p[system->columns[k]] = (size > 0 ? size : 1) * random_number(seed);
  }
  for (int i = 0; i < system->n + system->m; ++i) {
    check->y[i] = random_number(seed);
  }
}

void mbs_element_check_choose(MbsElementCheck *check, const MbsState *near, uint64_t *seed) {
  const MbsSystem *system = check->simulation->system;
  MbsState *at = &check->at;
  double size = 0.1 * mbs_state_size(system, near);
  at->t = near->t;
  for (int i = 0; i < system->n; ++i) {
    at->q[i] = near->q[i] + size * random_number(seed);
    at->v[i] = near->v[i] + size * random_number(seed);
    at->a[i] = near->a[i] + size * random_number(seed);
  }
  for (int i = 0; i < system->m; ++i) {
    at->lambda[i] = random_number(seed);
    at->total[i] = random_number(seed);
  }
  mbs_state_place_fixed(system, at);
  mbs_signal_bank_follow(system, at);
  mbs_system_fixed_columns(system, at->t, check->fixed.X, check->fixed.V, check->fixed.A);
  choose_direction(check, seed);
  mbs_element_check_take_part(check, MBS_DIRECTION_ALL);
}

// sets the direction here and in the twin
void mbs_element_check_take_part(MbsElementCheck *check, int part) {
  const MbsSystem *system = check->simulation->system;
  const MbsProbeDirection *whole = &check->whole;
  MbsProbeDirection *along = &check->along;
  check->part = part;
  for (int i = 0; i < 3; ++i) {
    along->c[i] = part == MBS_DIRECTION_ALL || part == MBS_DIRECTION_POSITIONS + i ? whole->c[i] : 0;
  }
  for (int i = 0; i < system->m; ++i) {
    along->l[i] = part == MBS_DIRECTION_ALL || part == MBS_DIRECTION_MULTIPLIERS ? whole->l[i] : 0;
    along->s[i] = part == MBS_DIRECTION_ALL || part == MBS_DIRECTION_TOTALS ? whole->s[i] : 0;
  }
  for (int k = 0; k < system->column_count; ++k) {
    int parameter = system->columns[k];
    along->p[parameter] = part == MBS_DIRECTION_ALL || part == MBS_DIRECTION_COLUMN + k ? whole->p[parameter] : 0;
  }
  for (int i = 0; i < system->n; ++i) {
    check->dq[i] = along->c[0] * along->u[i];
    check->dv[i] = along->c[1] * along->u[i];
    check->da[i] = along->c[2] * along->u[i];
  }
  const MbsState *at = &check->at;
  const MbsProbeState from = {.t = at->t, .q = at->q, .v = at->v, .a = at->a, .lambda = at->lambda, .total = at->total};
  const MbsProbeState way = {.q = check->dq, .v = check->dv, .a = check->da, .lambda = along->l, .total = along->s};
  mbs_complex_probe_move(check->twin, &from, &way, along->p);
}

// ---- one element ----
// what is no number is off without bounds
static MbsMismatch off_by(int count, const double *value, const double *reference) {
  MbsMismatch off = {0, 0};
  for (int i = 0; i < count; ++i) {
    bool is_number = isfinite(value[i]);
    off.size = fmax(off.size, fmax(is_number ? fabs(value[i]) : 0, fabs(reference[i])));
    off.error = fmax(off.error, is_number ? fabs(value[i] - reference[i]) : HUGE_VAL);
  }
  return off;
}

static void clear_bars(const MbsElementCheck *check) {
  const MbsSystem *system = check->simulation->system;
  mbs_bar_clear(system, &check->bar);
  clear(system->column_count, check->gradient);
}

// the bars times the direction: of the state, and of the parameters
static double bars_along_state(const MbsElementCheck *check) {
  const MbsSystem *system = check->simulation->system;
  const MbsStateBar *bar = &check->bar;
  return dot(system->n, bar->q, check->dq) + dot(system->n, bar->v, check->dv) + dot(system->n, bar->a, check->da) +
         dot(system->m, bar->lambda, check->along.l) + dot(system->m, bar->total, check->along.s);
}

static double bars_along_parameters(const MbsElementCheck *check) {
  const MbsSystem *system = check->simulation->system;
  double sum = 0;
  mbs_system_fixed_transposed(system, check->at.t, &check->bar, check->gradient);
  mbs_system_chain(system, check->bar.coefficients, check->bar.parameters, check->gradient);
  for (int k = 0; k < system->column_count; ++k) {
    sum += check->gradient[k] * check->along.p[system->columns[k]];
  }
  return sum;
}

// adds r_rho p, the fixed coordinates' motion included
static void add_parameters(const MbsElementCheck *check) {
  const MbsSystem *system = check->simulation->system;
  int size = system->n + system->m;
  clear(size * system->column_count, check->R);
  mbs_terms_derivative(system, &check->at, &weights, system->column_count, true, check->fixed.X, check->fixed.V,
                       check->fixed.A, NULL, check->R);
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = 0; i < size; ++i) {
      check->r[i] += check->R[k * size + i] * check->along.p[system->columns[k]];
    }
  }
}

// r = T (u, l), the parts of the direction with c0, c1 and c2
static void multiply_matrix(const MbsElementCheck *check) {
  const MbsSystem *system = check->simulation->system;
  const MbsPattern *pattern = &system->mode.pattern;
  const MbsProbeDirection *along = &check->along;
  int n = system->n, size = n + system->m;
  bool has_state = fabs(along->c[0]) + fabs(along->c[1]) + fabs(along->c[2]) > 0;
  clear(size, check->r);
  mbs_terms_tangent(system, &check->at, &weights, along->c[0], along->c[1], along->c[2], check->matrix);
  for (int column = 0; column < size; ++column) {
    double by = column >= n ? along->l[column - n] : has_state ? along->u[column] : 0;
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      check->r[pattern->row[k]] += check->matrix[k] * by;
    }
  }
}

static void compare_element(const MbsElementCheck *check, int element, MbsMismatch off[MBS_PRODUCTS]) {
  MbsSystem *system = check->simulation->system;
  const MbsSystemElements all = mbs_system_isolate(system, element);
  int n = system->n, size = n + system->m;
  clear(size, check->r);
  mbs_terms_derivative(system, &check->at, &weights, 1, false, check->dq, check->dv, check->da, check->along.l,
                       check->r);
  add_parameters(check);
  off[MBS_PRODUCT_DIRECT] = off_by(size, check->r, check->reference);
  clear_bars(check);
  mbs_terms_transposed(system, &check->at, &weights, MBS_PART_ALL, check->y, check->y + n, &check->bar);
  double backward = bars_along_state(check) + bars_along_parameters(check);
  double forward = dot(size, check->y, check->reference);
  off[MBS_PRODUCT_ADJOINT] = off_by(1, &backward, &forward);
  // parameters are not the matrix's, and an open tree has none that is multiplied by
  if (check->part < MBS_DIRECTION_COLUMN && mbs_system_has_tangent(system)) {
    multiply_matrix(check);
    add_parameters(check);
    off[MBS_PRODUCT_MATRIX] = off_by(size, check->r, check->reference);
  }
  mbs_system_rejoin(system, &all);
}

// The columns of the objectives: those of the fixed coordinates, and for the first one on top the direction of the
// state, times 0 or 1.
static void set_columns(const MbsElementCheck *check, double times) {
  const MbsSystem *system = check->simulation->system;
  for (int i = 0; i < system->n; ++i) {
    check->fixed.X[i] = times * check->dq[i];
    check->fixed.V[i] = times * check->dv[i];
    check->fixed.A[i] = times * check->da[i];
  }
  for (int i = 0; i < system->m; ++i) {
    check->fixed.L[i] = times * check->along.l[i];
    check->fixed.T[i] = times * check->along.s[i];
  }
  mbs_signal_bank_differentiate(system, &check->at, &check->fixed);
}

static void compare_objective(const MbsElementCheck *check, const MbsFunction *function,
                              MbsMismatch off[MBS_PRODUCTS]) {
  const MbsSystem *system = check->simulation->system;
  mbs_signal_bank_evaluate(system, &check->at);
  (void)mbs_function_evaluate(system, function, &check->at, NULL);
  set_columns(check, 1);
  double direct = mbs_function_derivative(system, function, &check->at, 0, &check->fixed, NULL);
  set_columns(check, 0);
  direct -= mbs_function_derivative(system, function, &check->at, 0, &check->fixed, NULL);
  for (int k = 0; k < system->column_count; ++k) {
    direct += mbs_function_derivative(system, function, &check->at, k, &check->fixed, NULL) *
              check->along.p[system->columns[k]];
  }
  off[MBS_PRODUCT_DIRECT] = off_by(1, &direct, check->reference);
  clear_bars(check);
  mbs_function_transposed(system, function, &check->at, 1, &check->bar);
  double backward = bars_along_state(check) + bars_along_parameters(check);
  off[MBS_PRODUCT_ADJOINT] = off_by(1, &backward, check->reference);
}

void mbs_element_check_compare(const MbsElementCheck *check, int element, MbsMismatch off[MBS_PRODUCTS]) {
  const MbsSimulation *simulation = check->simulation;
  int size = simulation->system->n + simulation->system->m;
  int objective = element - mbs_system_element_count(simulation->system);
  for (int product = 0; product < MBS_PRODUCTS; ++product) {
    off[product] = (MbsMismatch){0, 0};
  }
  if (objective >= 0 && simulation->objectives.items[objective].kind == MBS_OBJECTIVE_IS_VALUE) {
    return;
  }
  double made_of;
  const MbsPlainWeights plain = mbs_weights_plain(&weights);
  mbs_complex_probe_element(check->twin, &plain, element, check->reference, &made_of);
  for (int i = 0; i < (objective >= 0 ? 1 : size); ++i) {
    if (!isfinite(check->reference[i])) {
      return;
    }
  }
  if (objective >= 0) {
    compare_objective(check, &simulation->objectives.items[objective].function, off);
  } else {
    compare_element(check, element, off);
  }
  // forces that cancel, inside a body or along a tree, leave rounding
  for (int product = 0; product < MBS_PRODUCTS; ++product) {
    off[product].size = fmax(off[product].size, 1e-3 * made_of);
  }
}
