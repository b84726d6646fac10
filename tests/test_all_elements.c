// Every registered joint and force, every number of its model a parameter, at random states: every derivative of
// f, Phi, Phidot, Phiddot, of P u with the tangent projection matrix P, and of the objectives' integrands against the
// complex step (P u, whose second derivatives take long, at every fifth state).
//
//   test_all_elements [STATES]     STATES of each model; if not given 100, fewer where a model has many columns, not
//                                  below 10: branches (signs, turns) show in some, a wrong formula in the first
//
// The models are tests/models/element_<type>_<variant>.yaml. A type without one fails the test, so does a field of a
// type that no model gives, and a number in a model that is not made of parameters: nothing new goes untested.
//
// The tolerance 4e-12 is relative to the largest entry of the same block (f, or Phi, ...) of the same column at the
// same state. An entry is a sum of terms of about that size: where they cancel, its rounding (1e-16 times the terms)
// stays, so an entry cannot be asked to be right relative to itself. Where a whole column cancels, the scale is a
// hundredth of the largest column; for objectives, each a single number made of quotients, the largest column. The
// largest error seen is printed.
//
// Seen to fail with a planted error, one at a time (a sign, where nothing else is said):
//   forces/spring.c         c/l w in F_y;  -k in F_c;  C in F_v;  in `second` each term of S_d, G_y, G_v and G_c
//   terms/row_evaluate.c    turn in the Hessian;  lambda dB in f';  dc in Phi'
//   terms/force_evaluate.c  b' in the scattered block;  F_z left out of the columns
//   terms/force_second.c    the direction of velocities left out
//   terms/mass.c            b in the scattered mass matrix
// An error that the value shares (a wrong mass, a wrong axis) is not seen here: test_joints_closed_form is for those.
#include "element_coverage.h"
#include "sensitivities/twin.h"
#include "simulation/simulation.h"
#include "support.h"

static int wanted_states;  // 0: by the size of the model
static const double tolerance = 4e-12;

static MbsContext *context;
static double worst;  // relative error seen

// One model, compiled, assembled, and what is compared.
typedef struct Subject {
  const char *path;
  MbsModel *model;
  MbsSettings settings;
  MbsSimulation *simulation;
  MbsSystem *system;
  int n, nq, m, objectives;
  int column_count, *columns;  // independent parameters
  double *seen;                // largest reference of each column
  double *u;                   // nq, the fixed ones zero: of P u
  double *tangent_rows;        // d(P u)/dq, then d(P u)/dv: n x nq each
  MbsProbe *real, *twin;
  MbsState start;
} Subject;

// One column: f, Phi, Phidot, Phiddot, P u and the objectives' integrands, one after the other.
enum { F, PHI, PHIDOT, PHIDDOT, PU, G, BLOCKS };
static const char *const block_names[] = {"f", "Phi", "Phidot", "Phiddot", "P u", "objective integrand"};

static int block_size(const Subject *s, int block) {
  return block == F || block == PU ? s->n : block == G ? s->objectives : s->m;
}
static int block_start(const Subject *s, int block) {
  return (block > F ? s->n + (block < PU ? block - 1 : 3) * s->m : 0) + (block > PU ? s->n : 0);
}
static int column_size(const Subject *s) { return 2 * s->n + 3 * s->m + s->objectives; }

typedef void Evaluate(MbsProbe *probe, const MbsProbeState *state, MbsProbeKind kind, int index, double *f, double *Phi,
                      double *Phidot, double *Phiddot, double *Pu, double *g);

static void probe_column(const Subject *s, Evaluate *evaluate, MbsProbe *probe, const MbsProbeState *at,
                         MbsProbeKind kind, int index, double *column) {
  evaluate(probe, at, kind, index, column + block_start(s, F), column + block_start(s, PHI),
           column + block_start(s, PHIDOT), column + block_start(s, PHIDDOT), column + block_start(s, PU),
           column + block_start(s, G));
}

// returns the largest reference; the scale of the error is that, but not below `floor`
static double compare(const char *path, const char *what, const char *column, int count, const double *value,
                      const double *reference, double floor, double limit) {
  double own = largest_of(count, reference), scale = fmax(own, floor);
  for (int i = 0; i < count; ++i) {
    double error = fabs(value[i] - reference[i]);
    if (scale > 0) {
      worst = fmax(worst, error / scale);
    }
    if (!(error <= limit * scale)) {
      (void)fprintf(stderr, "%s: d(%s %d)/d(%s) = %.17g, complex step %.17g, largest of its column %.3g: error %.3g\n",
                    path, what, i + 1, column, value[i], reference[i], scale, error / scale);
      exit(1);
    }
  }
  return own;
}

// ---- one state ----
// all columns of a table (parameters, or components of q, v, ...), block by block
static void compare_columns(const Subject *s, int count, const char *const *names, const double *values,
                            const double *references, double *seen) {
  for (int b = 0; b < BLOCKS; ++b) {
    int size = block_size(s, b), start = block_start(s, b);
    double largest = 0;
    for (int k = 0; k < count; ++k) {
      largest = fmax(largest, largest_of(size, references + k * column_size(s) + start));
    }
    for (int k = 0; k < count; ++k) {
      int at = k * column_size(s) + start;
      double own = compare(s->path, block_names[b], names[k], size, values + at, references + at,
                           (b == G ? 1 : 1e-2) * largest, tolerance);
      if (seen) {
        seen[k] = fmax(seen[k], own);
      }
    }
  }
}

static const MbsWeights level_weights[] = {{.k0 = 1}, {.k1 = 1, .n1 = 1}, {.k2 = 1, .n2 = 1}};

// The parameter columns: fixed coordinates move along, free ones stay.
static void check_parameters(Subject *s, const MbsState *state, const MbsProbeState *at) {
  int nq = s->nq, size = s->n + s->m, count = s->column_count;
  double *Xs = zeros(nq * count), *Zs = zeros(nq * count), *Rs = zeros(size * count);
  double *values = zeros(column_size(s) * count), *references = zeros(column_size(s) * count);
  const char **names = calloc((size_t)count, sizeof *names);
  for (int k = 0; k < count; ++k) {
    const double *slope = mbs_block_slope(&s->system->fixed, k);
    for (int i = s->n; i < nq && slope; ++i) {
      Xs[k * nq + i] = slope[i - s->n];
    }
  }
  for (int level = 0; level < 3; ++level) {
    memset(Rs, 0, (size_t)(size * count) * sizeof *Rs);
    mbs_terms_derivative(s->system, state, &level_weights[level], count, true, Xs, Zs, Zs, NULL, Rs);
    for (int k = 0; k < count; ++k) {
      double *column = values + k * column_size(s);
      memcpy(column, Rs + k * size, (size_t)s->n * sizeof *Rs);
      memcpy(column + block_start(s, PHI + level), Rs + k * size + s->n, (size_t)s->m * sizeof *Rs);
    }
  }
  memset(Rs, 0, (size_t)(size * count) * sizeof *Rs);
  if (at->u) {
    mbs_terms_tangent_slopes(s->system, state, at->c0, at->c1, at->u, &(MbsColumns){.X = Xs, .V = Zs}, Rs);
  }
  for (int k = 0; k < count; ++k) {
    memcpy(values + k * column_size(s) + block_start(s, PU), Rs + k * size, (size_t)s->n * sizeof *Rs);
  }
  mbs_signal_bank_evaluate(s->system, state);
  mbs_signal_bank_differentiate(s->system, state, &(MbsColumns){.X = Xs});
  for (int k = 0; k < count; ++k) {
    names[k] = s->system->blueprint->parameters.items[s->columns[k]].name;
    probe_column(s, mbs_complex_probe_evaluate, s->twin, at, MBS_PROBE_PARAMETER, s->columns[k],
                 references + k * column_size(s));
  }
  for (int i = 0; i < s->objectives; ++i) {
    const MbsObjective *objective = &s->simulation->objectives.items[i];
    if (objective->kind != MBS_OBJECTIVE_IS_VALUE) {
      (void)mbs_function_evaluate(s->system, &objective->function, state, NULL);
    }
    for (int k = 0; k < count && objective->kind != MBS_OBJECTIVE_IS_VALUE; ++k) {
      values[k * column_size(s) + block_start(s, G) + i] =
          mbs_function_derivative(s->system, &objective->function, state, k, &(MbsColumns){.X = Xs}, NULL);
    }
  }
  compare_columns(s, count, names, values, references, s->seen);
  free(Xs);
  free(Zs);
  free(Rs);
  free(values);
  free(references);
  free((void *)names);
}

// d(P u)/dq and d(P u)/dv, row by row: the transposed product with each unit vector
static void find_tangent_rows(Subject *s, const MbsState *state, const MbsProbeState *at) {
  double *mu = zeros(s->n), *coefficients = zeros(s->system->coefficients.nodes.count);
  double *parameters = zeros(s->system->blueprint->parameters.count);
  memset(s->tangent_rows, 0, (size_t)(2 * s->n * s->nq) * sizeof *s->tangent_rows);
  for (int row = 0; row < s->n && at->u; ++row) {
    double *q = s->tangent_rows + row * s->nq, *v = q + s->n * s->nq;
    const MbsStateBar bar = {.q = q, .v = v, .coefficients = coefficients, .parameters = parameters};
    mu[row] = 1;
    mbs_terms_tangent_transposed(s->system, state, at->c0, at->c1, at->u, mu, &bar);
    mu[row] = 0;
  }
  free(mu);
  free(coefficients);
  free(parameters);
}

// one of d/dq, d/dv, d/da, d/dlambda, d/dtotal, component by component
static void check_directions(Subject *s, const MbsState *state, const MbsProbeState *at, MbsProbeKind kind) {
  int count = kind == MBS_PROBE_MULTIPLIER || kind == MBS_PROBE_TOTAL ? s->m : s->n;
  int offset = kind == MBS_PROBE_TOTAL ? 3 * s->nq + s->m : ((int)kind - (int)MBS_PROBE_POSITION) * s->nq;
  double *gradients = zeros(3 * s->nq + 2 * s->m), *unit = zeros(s->nq + s->m), *Zs = zeros(s->nq);
  double *Rs = zeros(s->n + s->m);
  double *values = zeros(column_size(s) * count), *references = zeros(column_size(s) * count);
  char text[64][16];
  const char *names[64];
  ENSURE(count <= MBS_COUNT(names));
  for (int i = 0; i < count; ++i) {
    double *column = values + i * column_size(s);
    (void)snprintf(text[i], sizeof text[i], "%c %d", "??qvalt"[kind], i + 1);
    names[i] = text[i];
    unit[i] = 1;
    for (int level = 0; level < 3; ++level) {
      memset(Rs, 0, (size_t)(s->n + s->m) * sizeof *Rs);
      mbs_terms_derivative(s->system, state, &level_weights[level], 1, false, kind == MBS_PROBE_POSITION ? unit : Zs,
                           kind == MBS_PROBE_VELOCITY ? unit : Zs, kind == MBS_PROBE_ACCELERATION ? unit : NULL,
                           kind == MBS_PROBE_MULTIPLIER ? unit : NULL, Rs);
      memcpy(column, Rs, (size_t)s->n * sizeof *Rs);
      memcpy(column + block_start(s, PHI + level), Rs + s->n, (size_t)s->m * sizeof *Rs);
    }
    unit[i] = 0;
    probe_column(s, mbs_complex_probe_evaluate, s->twin, at, kind, i, references + i * column_size(s));
  }
  for (int i = 0; i < s->n && (kind == MBS_PROBE_POSITION || kind == MBS_PROBE_VELOCITY); ++i) {
    const double *rows = s->tangent_rows + (kind == MBS_PROBE_VELOCITY ? s->n * s->nq : 0);
    for (int row = 0; row < s->n; ++row) {
      values[i * column_size(s) + block_start(s, PU) + row] = rows[row * s->nq + i];
    }
  }
  mbs_signal_bank_evaluate(s->system, state);
  for (int o = 0; o < s->objectives; ++o) {
    const MbsObjective *objective = &s->simulation->objectives.items[o];
    if (objective->kind != MBS_OBJECTIVE_IS_VALUE) {
      memset(gradients, 0, (size_t)(3 * s->nq + 2 * s->m) * sizeof *gradients);
      (void)mbs_function_evaluate(s->system, &objective->function, state, NULL);
      const MbsStateBar bar = {.q = gradients,
                               .v = gradients + s->nq,
                               .a = gradients + 2 * s->nq,
                               .lambda = gradients + 3 * s->nq,
                               .total = gradients + 3 * s->nq + s->m};
      mbs_function_transposed(s->system, &objective->function, state, 1, &bar);
    }
    for (int i = 0; i < count && objective->kind != MBS_OBJECTIVE_IS_VALUE; ++i) {
      values[i * column_size(s) + block_start(s, G) + o] = gradients[offset + i];
    }
  }
  compare_columns(s, count, names, values, references, NULL);
  free(gradients);
  free(unit);
  free(Zs);
  free(Rs);
  free(values);
  free(references);
}

// the assembled matrix times a vector against the product form
static void check_tangent(Subject *s, const MbsState *state, uint64_t *seed) {
  const MbsPattern *pattern = &s->system->mode.pattern;
  int n = s->n, m = s->m, nq = s->nq;
  double c[3], *u = zeros(n + m), *product = zeros(n + m), *R = zeros(n + m), *parts = zeros(3 * nq);
  double *values = zeros(pattern->entry_count + 1);
  MbsWeights w = {.k0 = random_number(seed),
                  .k1 = random_number(seed),
                  .k2 = random_number(seed),
                  .epsilon = random_number(seed),
                  .n1 = random_number(seed),
                  .n2 = random_number(seed),
                  .n_epsilon = random_number(seed)};
  for (int i = 0; i < 3; ++i) {
    c[i] = random_number(seed);
  }
  for (int i = 0; i < n + m; ++i) {
    u[i] = random_number(seed);
    for (int level = 0; level < 3 && i < n; ++level) {
      parts[level * nq + i] = c[level] * u[i];
    }
  }
  mbs_terms_tangent(s->system, state, &w, c[0], c[1], c[2], values);
  for (int column = 0; column < pattern->size; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      product[pattern->row[k]] += values[k] * u[column];
    }
  }
  mbs_terms_derivative(s->system, state, &w, 1, false, parts, parts + nq, parts + 2 * nq, u + n, R);
  (void)compare(s->path, "assembled tangent times u: f", "u", n, product, R, 0, tolerance);
  (void)compare(s->path, "assembled tangent times u: e", "u", m, product + n, R + n, 0, tolerance);
  free(u);
  free(product);
  free(R);
  free(parts);
  free(values);
}

// The probe is the terms: both scalars give the same numbers as mbs_terms_residual. The same operations in the same
// order but for complex products, whose real parts may be rounded otherwise: 1e-14 is some tens of roundings.
static void check_values(Subject *s, const MbsState *state, const MbsProbeState *at) {
  double *real = zeros(column_size(s)), *twin = zeros(column_size(s)), *r = zeros(s->n + s->m), *e = zeros(s->m);
  probe_column(s, mbs_twin_probe_evaluate, s->real, at, MBS_PROBE_VALUE, 0, real);
  probe_column(s, mbs_complex_probe_evaluate, s->twin, at, MBS_PROBE_VALUE, 0, twin);
  for (int b = 0; b < BLOCKS; ++b) {
    int start = block_start(s, b);
    (void)compare(s->path, block_names[b], "nothing: a value", block_size(s, b), real + start, twin + start, 1, 1e-14);
  }
  const MbsWeights weights = {
      .k0 = 0.5, .k1 = -0.25, .k2 = 2, .epsilon = 0.125, .n1 = -0.25, .n2 = 2, .n_epsilon = 0.125};
  mbs_terms_residual(s->system, state, &weights, r, NULL);
  for (int i = 0; i < s->m; ++i) {
    e[i] = 0.5 * real[block_start(s, PHI) + i] - 0.25 * real[block_start(s, PHIDOT) + i] +
           2 * real[block_start(s, PHIDDOT) + i] - 0.125 * state->lambda[i];
  }
  (void)compare(s->path, "f", "nothing: a value", s->n, r, real, 1, 1e-14);
  (void)compare(s->path, "e", "nothing: a value", s->m, r + s->n, e, 1, 1e-14);
  free(real);
  free(twin);
  free(r);
  free(e);
}

static int state_count(const Subject *s) {
  enum { LEAST = 10, MOST = 100, ALL_COLUMNS = 1500 };
  int fitting = ALL_COLUMNS / (s->column_count + 3 * s->n + 2 * s->m);
  return wanted_states > 0 ? wanted_states : fitting < LEAST ? LEAST : fitting > MOST ? MOST : fitting;
}

static void check_states(Subject *s) {
  MbsState *state = &s->simulation->state;
  uint64_t seed = 20240607, total_seed = 7;
  for (int k = 0; k < state_count(s); ++k) {
    // anywhere around the assembled position, off the constraints too
    state->t = 1 + random_number(&seed);
    for (int i = 0; i < s->n; ++i) {
      state->q[i] = s->start.q[i] + 0.2 * random_number(&seed);
      state->v[i] = 2 * random_number(&seed);
      state->a[i] = 5 * random_number(&seed);
    }
    for (int i = 0; i < s->m; ++i) {
      state->lambda[i] = 5 * random_number(&seed);
      state->total[i] = 5 * random_number(&total_seed);
    }
    for (int i = 0; i < s->n; ++i) {
      s->u[i] = random_number(&seed);
    }
    MbsProbeState at = {.t = state->t,
                        .q = state->q,
                        .v = state->v,
                        .a = state->a,
                        .lambda = state->lambda,
                        .total = state->total,
                        .c0 = 0.3,
                        .c1 = 0.7,
                        .u = k % 5 == 0 ? s->u : NULL};
    check_values(s, state, &at);
    check_parameters(s, state, &at);
    find_tangent_rows(s, state, &at);
    for (MbsProbeKind kind = MBS_PROBE_POSITION; kind <= MBS_PROBE_TOTAL; ++kind) {
      check_directions(s, state, &at, kind);
    }
    check_tangent(s, state, &seed);
  }
}

// ---- the start: initial values and velocities enter here and nowhere else ----
typedef struct FirstRow {
  int count;
  double *values;
  bool is_taken;
} FirstRow;

static MbsStatus begin_row(void *user, int column_count, const char *const *names) {
  FirstRow *row = user;
  (void)names;
  row->count = column_count;
  row->values = zeros(column_count);
  return MBS_OK;
}

static MbsStatus take_row(void *user, const double *values) {
  FirstRow *row = user;
  if (!row->is_taken) {
    memcpy(row->values, values, (size_t)row->count * sizeof(double));
    row->is_taken = true;
  }
  return MBS_OK;
}

// the complex run's derivatives at the start: q', v', a', lambda', then objectives
static double *complex_start(Subject *s, int parameter) {
  FirstRow row = {.count = 0};
  MbsRecorder recorder = {.user = &row, .begin = begin_row, .row = take_row};
  MbsTwinRequest request = {.settings = s->settings, .perturbed = parameter, .recorder = &recorder};
  request.settings.end = request.settings.step;  // one step: only its start is of interest
  MbsArena *arena = mbs_arena_create();
  MbsResult result;
  ENSURE_OK(context, mbs_complex_run(context, arena, s->model, &request, &result, NULL));
  // histories leave out the positions of states, which mean nothing and stay as they are
  int states = s->n - s->system->first_state, positions = 1 + s->n - states, total = row.count + states;
  double *all = zeros(total);
  ENSURE(total == 1 + 3 * s->n + s->m + s->objectives);
  memcpy(all, row.values, (size_t)positions * sizeof *all);
  memcpy(all + positions + states, row.values + positions, (size_t)(row.count - positions) * sizeof *all);
  free(row.values);
  mbs_arena_destroy(arena);
  return all;
}

// Columns of the start against the complex run. 1e-10: the position problem stops at a residual of 1e-13 times its
// size and each derivative passes two or three linear systems with the condition of a mechanism (10 to 1000). A
// column that is zero by symmetry (velocities when the ground is shifted) has only rounding to show, so the scale is
// not below a thousandth of the largest column.
static void check_start(Subject *s) {
  static const char *const names[] = {"start q", "start v", "start a", "start lambda"};
  const double limit = 1e-10;
  const MbsColumns *columns = &s->simulation->columns;
  double largest[4] = {0}, before = worst;
  double **rows = calloc((size_t)s->column_count, sizeof *rows);
  for (int k = 0; k < s->column_count; ++k) {
    rows[k] = complex_start(s, s->columns[k]);
    for (int b = 0; b < 4; ++b) {
      largest[b] = fmax(largest[b], largest_of(b < 3 ? s->n : s->m, rows[k] + 1 + b * s->n));
    }
  }
  for (int k = 0; k < s->column_count; ++k) {
    const char *name = s->system->blueprint->parameters.items[s->columns[k]].name;
    const double *values[] = {columns->X + k * s->nq, columns->V + k * s->nq, columns->A + k * s->nq,
                              columns->L + k * s->m};
    for (int b = 0; b < 4; ++b) {
      double scale = compare(s->path, names[b], name, b < 3 ? s->n : s->m, values[b], rows[k] + 1 + b * s->n,
                             1e-3 * largest[b], limit);
      s->seen[k] = fmax(s->seen[k], scale);
    }
    free(rows[k]);
  }
  free(rows);
  worst = before;  // the figure that is printed is of the states
}

// Parameters that rightly move nothing at all; each is required to.
static const struct {
  const char *path, *parameter;
} without_effect[] = {
    // the block cannot turn: where its centre of mass is, and its inertia, do not matter
    {"tests/models/element_prismatic_ground.yaml", "cx1"},
    {"tests/models/element_prismatic_ground.yaml", "cy1"},
    {"tests/models/element_prismatic_ground.yaml", "I1"},
};

static void check_effects(const Subject *s) {
  for (int k = 0; k < s->column_count; ++k) {
    const char *name = s->system->blueprint->parameters.items[k].name;
    bool is_exception = false;
    for (int i = 0; i < MBS_COUNT(without_effect); ++i) {
      is_exception |= strcmp(without_effect[i].path, s->path) == 0 && strcmp(without_effect[i].parameter, name) == 0;
    }
    bool has_effect = s->seen[k] > 1e-6;  // not rounding
    if (has_effect == is_exception) {
      (void)fprintf(stderr, "%s: parameter %s: %s\n", s->path, name,
                    is_exception ? "has an effect, which the list of exceptions denies"
                                 : "every reference is zero: nothing was compared");
      exit(1);
    }
  }
}

// ---- one model ----
static void check_model(const char *path, void *user) {
  (void)user;
  Subject s = {.path = path, .model = read_model(context, path)};
  MbsArena *arena = mbs_arena_create();
  ENSURE_OK(context, mbs_settings_read(context, arena, s.model, &s.settings));
  int count = mbs_record_value(&s.model->root, MBS_MODEL_PARAMETERS)->count;
  s.columns = calloc((size_t)count, sizeof *s.columns);
  s.column_count = count;
  for (int i = 0; i < count; ++i) {
    s.columns[i] = i;
  }
  ENSURE_OK(context, mbs_simulation_create(context, s.model, &s.settings, count, s.columns, NULL, &s.simulation));
  s.system = s.simulation->system;
  s.n = s.system->n;
  s.nq = s.system->nq;
  s.m = s.system->m;
  s.objectives = s.simulation->objectives.count;
  s.seen = zeros(count);
  s.u = zeros(s.nq);
  s.tangent_rows = zeros(2 * s.n * s.nq);
  ENSURE_OK(context, mbs_terms_prepare_tangent_slopes(context, s.system));
  for (int i = 0; i < count; ++i) {
    ENSURE(!s.system->blueprint->parameters.items[i].is_derived);  // a plain number each
  }
  every_number_is_a_parameter(path, s.system->blueprint);
  ENSURE_OK(context, mbs_simulation_start(context, s.simulation));
  ENSURE_OK(context, mbs_state_create(context, s.system, &s.start));
  mbs_state_copy(s.system, &s.simulation->state, &s.start);
  ENSURE_OK(context, mbs_twin_probe_create(context, s.model, &s.real));
  ENSURE_OK(context, mbs_complex_probe_create(context, s.model, &s.twin));
  check_start(&s);
  check_states(&s);
  check_effects(&s);
  (void)printf("%-50s %2d coordinates, %2d constraints, %2d parameters, %3d states\n", path, s.n, s.m, count,
               state_count(&s));
  mbs_twin_probe_destroy(s.real);
  mbs_complex_probe_destroy(s.twin);
  mbs_simulation_destroy(s.simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(s.model);
  free(s.columns);
  free(s.seen);
  free(s.u);
  free(s.tangent_rows);
}

int main(int argc, char **argv) {
  wanted_states = argc > 1 ? atoi(argv[1]) : 0;
  context = mbs_context_create();
  ENSURE(context);
  every_type_has_models(context);
  int models = for_each_file("tests/models/element_*.yaml", check_model, NULL);
  ENSURE(models > 0);
  (void)printf("%d models: largest relative error %.2g\n", models, worst);
  mbs_context_destroy(context);
  return 0;
}
