// Every registered joint and force, every number of its model a parameter, at 100 random states: every derivative of
// f, Phi, Phidot, Phiddot and of the objectives' integrands against the complex step.
//
// The models are tests/models/element_<type>_<variant>.yaml. A type without one fails the test, so does a field of a
// type that no model gives, and a number in a model that is not made of parameters: nothing new goes untested.
//
// The tolerance 1e-12 is relative to the largest entry of the same block (f, or Phi, ...) of the same column at the
// same state. An entry is a sum of terms of about that size: where they cancel, its rounding (some 1e-16 times the
// terms, a few hundred operations deep at most) stays, so an entry cannot be asked to be right relative to itself.
// The largest error seen is printed.
//
// Seen to fail with a planted error, one at a time:
//   forces/spring.c           + c_over_l w_j -> -;  F_c's -k -> k;  energy apart (test_terms has that)
//   terms/row.c               lambda dB -> -lambda dB in mbs_row_derivative;  turn -> -turn in scatter_hessian
//   terms/force_element.c     aa, bb exchanged in scatter_block;  dE_P' F left out of the derivative
//   bodies/planar_body.c      b[2] without its minus (twin and double agree on the value, the tangent is not the mass)
#include "model/force.h"
#include "model/joint.h"
#include "sensitivities/twin.h"
#include "simulation/simulation.h"
#include "support.h"

enum { STATES = 100 };
static const double tolerance = 1e-12;

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
  MbsProbe *real, *twin;
  MbsState start;
} Subject;

// f, Phi, Phidot, Phiddot, g: of one column
typedef struct Block {
  int count;
  double *at;
} Block;
enum { F, PHI, PHIDOT, PHIDDOT, G, BLOCKS };
static const char *const block_names[] = {"f", "Phi", "Phidot", "Phiddot", "objective integrand"};

static void make_blocks(const Subject *s, Block blocks[BLOCKS]) {
  const int counts[BLOCKS] = {s->n, s->m, s->m, s->m, s->objectives};
  for (int b = 0; b < BLOCKS; ++b) {
    blocks[b] = (Block){.count = counts[b], .at = zeros(counts[b])};
  }
}

static void free_blocks(Block blocks[BLOCKS]) {
  for (int b = 0; b < BLOCKS; ++b) {
    free(blocks[b].at);
  }
}

static void clear_blocks(Block blocks[BLOCKS]) {
  for (int b = 0; b < BLOCKS; ++b) {
    memset(blocks[b].at, 0, (size_t)blocks[b].count * sizeof(double));
  }
}

static double compare(const char *path, const char *what, const char *column, int count, const double *value,
                      const double *reference, double limit) {
  double scale = largest_of(count, reference);
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
  return scale;
}

// ---- what is covered ----
static bool is_constant(const MbsGraph *graph, MbsNode node) {
  return mbs_graph_node(graph, node)->operation == MBS_OP_CONSTANT;
}

// where to start looking for the position, and where the one point of a point mass is in its own axes: no derivative
static bool may_be_constant(const MbsBlueprint *blueprint, const char *name) {
  const char *last = strrchr(name, ':');
  bool is_guess = strncmp(name, "initial", 7) == 0 ||
                  (strncmp(name, "body ", 5) == 0 && (strcmp(last, ": position") == 0 || strcmp(last, ": angle") == 0));
  for (int b = 1; b < blueprint->bodies.count && !is_guess; ++b) {
    char start[2][128];
    (void)snprintf(start[0], sizeof start[0], "body \"%s\": com", blueprint->bodies.items[b].name);
    (void)snprintf(start[1], sizeof start[1], "point \"%s.", blueprint->bodies.items[b].name);
    is_guess = blueprint->bodies.items[b].is_point_mass &&
               (strncmp(name, start[0], strlen(start[0])) == 0 || strncmp(name, start[1], strlen(start[1])) == 0);
  }
  return is_guess;
}

static void every_number_is_a_parameter(const Subject *s) {
  const MbsBlueprint *blueprint = s->system->blueprint;
  for (int i = 0; i < blueprint->properties.count; ++i) {
    const MbsProperty *property = &blueprint->properties.items[i];
    if (is_constant(blueprint->graph, property->node) && !may_be_constant(blueprint, property->name)) {
      (void)fprintf(stderr, "%s: %s is the constant %s: make it a parameter, or it goes untested\n", s->path,
                    property->name, property->text.text);
      exit(1);
    }
  }
}

// ---- one state ----
// the parameter columns: fixed coordinates move along, free ones stay
static void check_parameters(Subject *s, const MbsState *state, const MbsProbeState *at, Block value[BLOCKS],
                             Block reference[BLOCKS], double *Xs, double *Zs, double *Rs) {
  int nq = s->nq, size = s->n + s->m;
  for (int k = 0; k < s->column_count; ++k) {
    const double *slope = mbs_block_slope(&s->system->fixed, k);
    for (int i = 0; i < nq; ++i) {
      Xs[k * nq + i] = i >= s->n && slope ? slope[i - s->n] : 0;
    }
  }
  double *levels[3];
  const MbsWeights weights[3] = {{.k0 = 1}, {.k1 = 1}, {.k2 = 1}};
  for (int level = 0; level < 3; ++level) {
    levels[level] = Rs + level * size * s->column_count;
    memset(levels[level], 0, (size_t)(size * s->column_count) * sizeof(double));
    mbs_terms_derivative(s->system, state, &weights[level], s->column_count, true, Xs, Zs, Zs, NULL, levels[level]);
  }
  mbs_signal_bank_evaluate(s->system, state);
  for (int k = 0; k < s->column_count; ++k) {
    const char *name = s->system->blueprint->parameters.items[s->columns[k]].name;
    mbs_complex_probe_evaluate(s->twin, at, MBS_PROBE_PARAMETER, s->columns[k], reference[F].at, reference[PHI].at,
                               reference[PHIDOT].at, reference[PHIDDOT].at, reference[G].at);
    memcpy(value[F].at, levels[0] + k * size, (size_t)s->n * sizeof(double));
    for (int level = 0; level < 3; ++level) {
      memcpy(value[PHI + level].at, levels[level] + k * size + s->n, (size_t)s->m * sizeof(double));
    }
    for (int i = 0; i < s->objectives; ++i) {
      const MbsObjective *objective = &s->simulation->objectives.items[i];
      bool is_value = objective->kind == MBS_OBJECTIVE_IS_VALUE;
      value[G].at[i] = 0;
      if (!is_value) {
        (void)mbs_function_evaluate(s->system, &objective->function, state, NULL);
        value[G].at[i] =
            mbs_function_derivative(s->system, &objective->function, state, k, Xs + k * nq, Zs, Zs, NULL, NULL);
      }
    }
    for (int b = 0; b < BLOCKS; ++b) {
      double scale = compare(s->path, block_names[b], name, value[b].count, value[b].at, reference[b].at, tolerance);
      s->seen[k] = fmax(s->seen[k], scale);
    }
  }
}

// d/dq, d/dv, d/da, d/dlambda, component by component
static void check_directions(Subject *s, const MbsState *state, const MbsProbeState *at, Block value[BLOCKS],
                             Block reference[BLOCKS], double *Zs, double *Rs) {
  static const MbsProbeKind kinds[] = {MBS_PROBE_POSITION, MBS_PROBE_VELOCITY, MBS_PROBE_ACCELERATION,
                                       MBS_PROBE_MULTIPLIER};
  static const char *const names[] = {"q", "v", "a", "lambda"};
  const MbsWeights weights[3] = {{.k0 = 1}, {.k1 = 1}, {.k2 = 1}};
  double *gradients = zeros(s->objectives * (3 * s->nq + s->m));
  double *unit = zeros(s->nq + s->m);
  mbs_signal_bank_evaluate(s->system, state);
  for (int i = 0; i < s->objectives; ++i) {
    const MbsObjective *objective = &s->simulation->objectives.items[i];
    double *g = gradients + i * (3 * s->nq + s->m);
    if (objective->kind != MBS_OBJECTIVE_IS_VALUE) {
      (void)mbs_function_evaluate(s->system, &objective->function, state, NULL);
      mbs_function_gradient(s->system, &objective->function, g, g + s->nq, g + 2 * s->nq, g + 3 * s->nq);
    }
  }
  for (int kind = 0; kind < 4; ++kind) {
    for (int i = 0; i < (kind < 3 ? s->n : s->m); ++i) {
      char name[32];
      (void)snprintf(name, sizeof name, "%s %d", names[kind], i + 1);
      unit[i] = 1;
      clear_blocks(value);
      for (int level = 0; level < 3; ++level) {
        memset(Rs, 0, (size_t)(s->n + s->m) * sizeof(double));
        mbs_terms_derivative(s->system, state, &weights[level], 1, false, kind == 0 ? unit : Zs, kind == 1 ? unit : Zs,
                             kind == 2 ? unit : NULL, kind == 3 ? unit : NULL, Rs);
        memcpy(value[F].at, Rs, (size_t)s->n * sizeof(double));
        memcpy(value[PHI + level].at, Rs + s->n, (size_t)s->m * sizeof(double));
      }
      for (int o = 0; o < s->objectives; ++o) {
        value[G].at[o] = gradients[o * (3 * s->nq + s->m) + kind * s->nq + i];
      }
      mbs_complex_probe_evaluate(s->twin, at, kinds[kind], i, reference[F].at, reference[PHI].at, reference[PHIDOT].at,
                                 reference[PHIDDOT].at, reference[G].at);
      for (int b = 0; b < BLOCKS; ++b) {
        (void)compare(s->path, block_names[b], name, value[b].count, value[b].at, reference[b].at, tolerance);
      }
      unit[i] = 0;
    }
  }
  free(unit);
  free(gradients);
}

// the assembled matrix times a vector against the product form
static void check_tangent(Subject *s, const MbsState *state, uint64_t *seed) {
  const MbsPattern *pattern = &s->system->mode.pattern;
  int n = s->n, m = s->m, nq = s->nq;
  double c[3], *u = zeros(n + m), *product = zeros(n + m), *R = zeros(n + m), *parts = zeros(3 * nq);
  double *values = zeros(pattern->entry_count + 1);
  MbsWeights w = {
      .k0 = random_number(seed), .k1 = random_number(seed), .k2 = random_number(seed), .epsilon = random_number(seed)};
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
  (void)compare(s->path, "assembled tangent times u: f", "u", n, product, R, tolerance);
  (void)compare(s->path, "assembled tangent times u: e", "u", m, product + n, R + n, tolerance);
  free(u);
  free(product);
  free(R);
  free(parts);
  free(values);
}

// the probe is the terms: both scalars give the residual of mbs_terms_residual, to rounding
static void check_values(Subject *s, const MbsState *state, const MbsProbeState *at, Block value[BLOCKS],
                         Block reference[BLOCKS], double *Rs) {
  mbs_twin_probe_evaluate(s->real, at, MBS_PROBE_VALUE, 0, value[F].at, value[PHI].at, value[PHIDOT].at,
                          value[PHIDDOT].at, value[G].at);
  mbs_complex_probe_evaluate(s->twin, at, MBS_PROBE_VALUE, 0, reference[F].at, reference[PHI].at, reference[PHIDOT].at,
                             reference[PHIDDOT].at, reference[G].at);
  for (int b = 0; b < BLOCKS; ++b) {
    (void)compare(s->path, block_names[b], "(value, double and complex)", value[b].count, value[b].at, reference[b].at,
                  1e-14);
  }
  const MbsWeights weights = {.k0 = 0.5, .k1 = -0.25, .k2 = 2, .epsilon = 0.125};
  mbs_terms_residual(s->system, state, &weights, Rs, NULL);
  for (int i = 0; i < s->m; ++i) {
    reference[PHI].at[i] =
        0.5 * value[PHI].at[i] - 0.25 * value[PHIDOT].at[i] + 2 * value[PHIDDOT].at[i] - 0.125 * state->lambda[i];
  }
  (void)compare(s->path, "f", "(value)", s->n, Rs, value[F].at, 1e-14);
  (void)compare(s->path, "e", "(value)", s->m, Rs + s->n, reference[PHI].at, tolerance);
}

static void check_states(Subject *s) {
  Block value[BLOCKS], reference[BLOCKS];
  make_blocks(s, value);
  make_blocks(s, reference);
  double *Xs = zeros(s->nq * s->column_count), *Zs = zeros(s->nq * s->column_count);
  double *Rs = zeros(3 * (s->n + s->m) * (s->column_count + 1));
  MbsState *state = &s->simulation->state;
  uint64_t seed = 20240607;
  for (int k = 0; k < STATES; ++k) {
    // anywhere around the assembled position, off the constraints too
    state->t = 1 + random_number(&seed);
    for (int i = 0; i < s->n; ++i) {
      state->q[i] = s->start.q[i] + 0.2 * random_number(&seed);
      state->v[i] = 2 * random_number(&seed);
      state->a[i] = 5 * random_number(&seed);
    }
    for (int i = 0; i < s->m; ++i) {
      state->lambda[i] = 5 * random_number(&seed);
    }
    MbsProbeState at = {.t = state->t, .q = state->q, .v = state->v, .a = state->a, .lambda = state->lambda};
    check_values(s, state, &at, value, reference, Rs);
    check_parameters(s, state, &at, value, reference, Xs, Zs, Rs);
    check_directions(s, state, &at, value, reference, Zs, Rs);
    check_tangent(s, state, &seed);
  }
  free(Xs);
  free(Zs);
  free(Rs);
  free_blocks(value);
  free_blocks(reference);
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

// q', v', a', lambda' at the start against the complex run. 1e-10: the position problem stops at a residual of 1e-13
// times its size and each derivative passes two or three linear systems with the condition of a mechanism (10 to 1000).
static void check_start(Subject *s) {
  const double limit = 1e-10;
  const MbsColumns *columns = &s->simulation->columns;
  for (int k = 0; k < s->column_count; ++k) {
    const char *name = s->system->blueprint->parameters.items[s->columns[k]].name;
    FirstRow row = {.count = 0};
    MbsRecorder recorder = {.user = &row, .begin = begin_row, .row = take_row};
    MbsTwinRequest request = {.settings = s->settings, .perturbed = s->columns[k], .recorder = &recorder};
    request.settings.end = request.settings.step;  // one step: only its start is of interest
    MbsArena *arena = mbs_arena_create();
    MbsTwinResult result;
    ENSURE_OK(context, mbs_complex_run(context, arena, s->model, &request, &result));
    ENSURE(row.count == 1 + 3 * s->n + s->m + s->objectives);
    const double *at = row.values + 1;
    const double *values[] = {
      columns->X + k * s->nq,
      columns->V + k * s->nq,
      columns->A + k * s->nq,
      columns->L + k * s->m
    };
    static const char *const names[] = {"start q", "start v", "start a", "start lambda"};
    for (int b = 0; b < 4; ++b) {
      int count = b < 3 ? s->n : s->m;
      double before = worst;
      double scale = compare(s->path, names[b], name, count, values[b], at, limit);
      worst = before;  // of the states alone
      s->seen[k] = fmax(s->seen[k], scale);
      at += count;
    }
    free(row.values);
    mbs_arena_destroy(arena);
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
  for (int i = 0; i < count; ++i) {
    ENSURE(!s.system->blueprint->parameters.items[i].is_derived);  // a plain number each
  }
  every_number_is_a_parameter(&s);
  ENSURE_OK(context, mbs_simulation_start(context, s.simulation));
  ENSURE_OK(context, mbs_state_create(context, s.system, &s.start));
  mbs_state_copy(s.system, &s.simulation->state, &s.start);
  ENSURE_OK(context, mbs_twin_probe_create(context, s.model, &s.real));
  ENSURE_OK(context, mbs_complex_probe_create(context, s.model, &s.twin));
  check_start(&s);
  check_states(&s);
  for (int k = 0; k < count; ++k) {
    if (!(s.seen[k] > 0)) {
      (void)fprintf(stderr, "%s: parameter %s: every reference is zero: nothing was compared\n", path,
                    s.system->blueprint->parameters.items[k].name);
      exit(1);
    }
  }
  (void)printf("%-50s %2d coordinates, %2d constraints, %2d parameters\n", path, s.n, s.m, count);
  mbs_twin_probe_destroy(s.real);
  mbs_complex_probe_destroy(s.twin);
  mbs_simulation_destroy(s.simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(s.model);
  free(s.columns);
  free(s.seen);
}

// ---- the registries ----
typedef struct Search {
  int section;  // of the model: joints or forces
  int type;     // index in the registry
  int found;    // elements of that type
  bool *is_given;
} Search;

static void look_for_type(const char *path, void *user) {
  Search *search = user;
  MbsModel *model = read_model(context, path);
  const MbsValue *elements = mbs_record_value(&model->root, search->section);
  for (int i = 0; i < elements->count; ++i) {
    const MbsRecord *record = &elements->records[i];
    if (record->type == search->type) {
      const MbsRecordType *type = search->section == MBS_MODEL_JOINTS ? &mbs_joint_types[search->type]->record
                                                                      : &mbs_force_types[search->type]->record;
      search->found += 1;
      for (int f = 0; f < type->field_count; ++f) {
        search->is_given[f] |= mbs_record_value(record, f)->is_given;
      }
    }
  }
  mbs_model_destroy(model);
}

static void check_type(const char *family, int section, int index, const MbsRecordType *type) {
  char pattern[128];
  bool is_given[64] = {false};
  Search search = {.section = section, .type = index, .is_given = is_given};
  ENSURE(type->field_count <= MBS_COUNT(is_given));
  (void)snprintf(pattern, sizeof pattern, "tests/models/element_%s_*.yaml", type->name);
  (void)for_each_file(pattern, look_for_type, &search);
  if (search.found == 0) {
    (void)fprintf(stderr, "no test model for %s %s: write %s\n", family, type->name, pattern);
    exit(1);
  }
  for (int f = 0; f < type->field_count; ++f) {
    if (!is_given[f]) {
      (void)fprintf(stderr, "%s %s: no test model gives its field %s\n", family, type->name, type->fields[f].name);
      exit(1);
    }
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  for (int i = 0; mbs_joint_types[i]; ++i) {
    check_type("joint", MBS_MODEL_JOINTS, i, &mbs_joint_types[i]->record);
  }
  for (int i = 0; mbs_force_types[i]; ++i) {
    check_type("force", MBS_MODEL_FORCES, i, &mbs_force_types[i]->record);
  }
  int models = for_each_file("tests/models/element_*.yaml", check_model, NULL);
  ENSURE(models > 0);
  (void)printf("%d models at %d states each: largest relative error %.2g\n", models, STATES, worst);
  mbs_context_destroy(context);
  return 0;
}
