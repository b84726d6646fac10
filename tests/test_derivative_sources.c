// Derivatives of the terms from the complex step and from differences, element by element, against the written
// formulas: every product of terms.h and of functions at random states of every element, then whole gradients.
//
// Seen to fail with a planted error, one at a time:
//   terms/derivative_products.c  slopes of another state kept; signs of epsilon, or n_epsilon forgotten; the map
//                                transposed; v taken for idle in rows; c0 for c1 in P u
//   terms/derivative_source.c    arguments of forces, coefficients or parameters left out; the coefficients' slopes
//   terms/perturbed_terms.c      time or turns not handed over; an argument not put back
//   terms/moving_ground.c        levels confused;   expressions/tape.c  instructions left out
//   terms/body_force.c           the whole system's elements for the cut ones
//   simulation/, sensitivities/  the source left on in the dynamics, or never switched on in steps or sweeps
#include <mbsens/simulator.h>

#include "sensitivities/selection.h"
#include "sensitivities/twin.h"
#include "simulation/simulation.h"
#include "support.h"

static MbsContext *context;

// ---- products, one after the other ----
enum { MOST_BLOCKS = 64 };

typedef struct Block {
  const char *what;
  int count;
  double *values;
} Block;

typedef struct Collection {
  int count;
  Block blocks[MOST_BLOCKS];
} Collection;

static double *block(Collection *collection, const char *what, int count) {
  ENSURE(collection->count < MOST_BLOCKS);
  Block *made = &collection->blocks[collection->count++];
  *made = (Block){.what = what, .count = count, .values = zeros(count)};
  return made->values;
}

static void release(Collection *collection) {
  for (int i = 0; i < collection->count; ++i) {
    free(collection->blocks[i].values);
  }
}

static double *numbers(uint64_t *seed, int count) {
  double *made = zeros(count);
  for (int i = 0; i < count; ++i) {
    made[i] = random_number(seed);
  }
  return made;
}

// the gradient of a transposed product, as blocks: by q, v, a, lambda, total, columns
static MbsStateBar bar_of(Collection *collection, const MbsSystem *system, const char *what) {
  return (MbsStateBar){.q = block(collection, what, system->nq),
                       .v = block(collection, what, system->nq),
                       .a = block(collection, what, system->nq),
                       .lambda = block(collection, what, system->m),
                       .total = block(collection, what, system->m),
                       .coefficients = zeros(system->coefficients.nodes.count),
                       .parameters = zeros(system->blueprint->parameters.count)};
}

static void chain(Collection *collection, const MbsSystem *system, const char *what, const MbsStateBar *bar) {
  mbs_system_chain(system, bar->coefficients, bar->parameters, block(collection, what, system->column_count));
  free(bar->coefficients);
  free(bar->parameters);
}

static void collect_functions(MbsSimulation *simulation, const MbsColumns *columns, Collection *collection) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  mbs_signal_bank_evaluate(system, state);
  mbs_signal_bank_differentiate(system, state, columns);
  for (int o = 0; o < simulation->objectives.count && o < 4; ++o) {
    const MbsFunction *function = &simulation->objectives.items[o].function;
    if (simulation->objectives.items[o].kind == MBS_OBJECTIVE_IS_VALUE) {
      continue;
    }
    double *forward = block(collection, "objective: columns", system->column_count);
    (void)mbs_function_evaluate(system, function, state, NULL);
    for (int k = 0; k < system->column_count; ++k) {
      forward[k] = mbs_function_derivative(system, function, state, k, columns, NULL);
    }
    MbsStateBar bar = bar_of(collection, system, "objective: transposed");
    mbs_function_transposed(system, function, state, 1, &bar);
    chain(collection, system, "objective: transposed, columns", &bar);
  }
}

static void collect(MbsSimulation *simulation, uint64_t seed, Collection *collection) {
  const MbsWeights weights = {.k0 = 0.7, .k1 = 1.3, .k2 = 0.9, .epsilon = 0.4, .n1 = 0.6, .n2 = 1.1, .n_epsilon = 0.3};
  const MbsWeights lower = {.k0 = 1.2, .n1 = 0.8};
  const double c0 = 0.6, c1 = 1.7;
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  int n = system->n, nq = system->nq, m = system->m, count = system->column_count;
  double *X = numbers(&seed, nq * count), *V = numbers(&seed, nq * count), *A = numbers(&seed, nq * count);
  double *L = numbers(&seed, m * count), *T = numbers(&seed, m * count);
  double *mu = numbers(&seed, n), *nu = numbers(&seed, m), *u = numbers(&seed, nq);
  for (int i = n; i < nq; ++i) {
    u[i] = 0;
  }
  const MbsColumns columns = {.X = X, .V = V, .A = A, .L = L, .T = T}, known = {.X = X, .V = V};
  *collection = (Collection){.count = 0};
  mbs_terms_derivative_of(system, state, &weights, MBS_PART_ALL, &columns,
                          block(collection, "columns", (n + m) * count));
  mbs_terms_derivative_of(system, state, &lower, MBS_PART_ROWS, &known, block(collection, "rows", (n + m) * count));
  mbs_terms_derivative(system, state, &weights, 1, false, X, V, NULL, NULL, block(collection, "direction", n + m));
  double *tangent = block(collection, "tangent", system->mode.pattern.entry_count + 1);
  mbs_terms_tangent(system, state, &weights, c0, c1, 0.9, tangent);
  tangent[system->mode.pattern.entry_count] = 0;  // the bin
  MbsStateBar bar = bar_of(collection, system, "transposed");
  mbs_terms_transposed(system, state, &weights, MBS_PART_ALL, mu, nu, &bar);
  chain(collection, system, "transposed, columns", &bar);
  mbs_terms_tangent_slopes(system, state, c0, c1, u, &known, block(collection, "(P u)'", (n + m) * count));
  bar = bar_of(collection, system, "(P u)' transposed");
  mbs_terms_tangent_transposed(system, state, c0, c1, u, mu, &bar);
  chain(collection, system, "(P u)' transposed, columns", &bar);
  double *fixed[3];
  for (int k = 0; k < 3; ++k) {
    fixed[k] = block(collection, "fixed coordinates", nq * count);
  }
  mbs_system_fixed_columns(system, state->t, fixed[0], fixed[1], fixed[2]);
  collect_functions(simulation, &columns, collection);
  double *all[] = {X, V, A, L, T, mu, nu, u};
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    free(all[i]);
  }
}

// ---- comparing ----
// a source that is wrong: products must show it
static void false_element(struct MbsPerturbedTerms *terms, const MbsElementPoint *point, double *slopes) {
  mbs_twin_terms_element(terms, point, slopes);
  for (int i = 0; i < point->argument_count * (point->coordinate_count + 1); ++i) {
    slopes[i] *= 1.5;
  }
}

static void false_tape(const MbsTape *tape, const double *inputs, int input, double step, double *workspace, int count,
                       double *slopes) {
  mbs_twin_tape_slopes(tape, inputs, input, step, workspace, count, slopes);
  for (int i = 0; i < count; ++i) {
    slopes[i] *= 1.5;
  }
}

typedef struct Source {
  const char *name;
  MbsDerivatives derivatives;
  double least, most;  // relative difference of a block that is not zero
} Source;

// Off by the rounding of a few operations; by that of differences with steps of 6e-6, 1e-16 / 6e-6, times the numbers
// (of size 10 and more) that cancel, or their truncation; by much (of which epsilon, no slope, may be a part).
static const Source automatic = {"automatic", MBS_DERIVATIVES_AUTOMATIC, 0, 1e-12};
static const Source numerical = {"numerical", MBS_DERIVATIVES_NUMERICAL, 0, 3e-7};
static const Source false_one = {"false", MBS_DERIVATIVES_NUMERICAL, 0.01, 1e9};

static double worst_of[3];

static void compare(const char *path, const Source *source, const Collection *tried, const Collection *reference) {
  ENSURE(tried->count == reference->count);
  for (int b = 0; b < reference->count; ++b) {
    const Block *block = &reference->blocks[b];
    double largest = largest_of(block->count, block->values), off = 0;
    for (int i = 0; i < block->count; ++i) {
      double difference = fabs(tried->blocks[b].values[i] - block->values[i]);
      off = difference <= off ? off : difference;  // a NaN is not lost
    }
    off /= largest > 1e-6 ? largest : 1;
    bool is_seen = largest <= 1e-6 || off >= source->least;
    if (!(off <= source->most) || !is_seen) {
      (void)fprintf(stderr, "%s, %s, %s: off by %.3g of %.3g\n", path, source->name, block->what, off, largest);
      exit(1);
    }
    double *worst = &worst_of[source->derivatives];
    *worst = source->least > 0 || off <= *worst ? *worst : off;
  }
}

enum { STATES = 3 };

// a random state, always the same for a seed, at one time: only the numbers tell two of them apart
static void place(MbsSimulation *simulation, uint64_t seed, const double *start) {
  const MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  for (int k = 0; k < system->n; ++k) {
    state->q[k] = start[k] + 0.1 * random_number(&seed);
    state->v[k] = random_number(&seed);
    state->a[k] = random_number(&seed);
  }
  for (int k = 0; k < system->m; ++k) {
    state->lambda[k] = random_number(&seed);
    state->total[k] = random_number(&seed);
  }
  state->t = 0.3;
  mbs_state_place_fixed(system, state);
  mbs_signal_bank_follow(system, state);
}

typedef struct Subject {
  const char *path;
  MbsModel *model;
  MbsSettings settings;
  MbsSimulation *simulation;
  double *start;
  uint64_t seed;
} Subject;

static void check_source(const Subject *subject, const Source *source, const Collection references[STATES]) {
  static const MbsSlopeFunctions false_functions = {false_element, false_tape, mbs_twin_terms_follow};
  const MbsSourceTable *table = mbs_source_table(source->derivatives);
  MbsSystem *system = subject->simulation->system;
  struct MbsPerturbedTerms *terms;
  ENSURE_OK(context, table->create(context, subject->model, &subject->settings, NULL, &terms));
  ENSURE_OK(context,
            mbs_system_give_source(context, system, source->least > 0 ? &false_functions : &table->functions, terms));
  for (int i = 0; i < STATES; ++i) {
    Collection tried;
    place(subject->simulation, subject->seed + (uint64_t)i, subject->start);
    mbs_system_take_derivatives(system, true);
    collect(subject->simulation, subject->seed, &tried);
    mbs_system_take_derivatives(system, false);
    compare(subject->path, source, &tried, &references[i]);
    release(&tried);
  }
  table->destroy(terms);
}

static void check_terms(const char *path, void *user) {
  uint64_t *seed = user;
  MbsArena *arena = mbs_arena_create();
  MbsSelection selection;
  MbsRequest request;
  Collection references[STATES];
  Subject subject = {.path = path, .model = read_model(context, path), .seed = ++*seed};
  ENSURE_OK(context, mbs_request_default(context, subject.model, &request));
  ENSURE_OK(context, mbs_selection_create(context, arena, subject.model, &request, &selection));
  subject.settings = request.settings;
  ENSURE_OK(context, mbs_simulation_create(context, subject.model, &subject.settings, selection.parameter_count,
                                           selection.parameters, NULL, &subject.simulation));
  ENSURE_OK(context, mbs_simulation_start(context, subject.simulation));
  ENSURE_OK(context, mbs_terms_prepare_tangent_slopes(context, subject.simulation->system));
  subject.start = zeros(subject.simulation->system->n);
  memcpy(subject.start, subject.simulation->state.q, (size_t)subject.simulation->system->n * sizeof *subject.start);
  for (int i = 0; i < STATES; ++i) {
    place(subject.simulation, subject.seed + (uint64_t)i, subject.start);
    collect(subject.simulation, subject.seed, &references[i]);
  }
  check_source(&subject, &automatic, references);
  check_source(&subject, &numerical, references);
  check_source(&subject, &false_one, references);
  for (int i = 0; i < STATES; ++i) {
    release(&references[i]);
  }
  free(subject.start);
  mbs_simulation_destroy(subject.simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(subject.model);
}

// ---- whole gradients ----
typedef struct Setting {
  const char *path, *formulation;
  bool is_projection_tangent, is_kinematic;
  bool is_continuous;  // the continuous adjoint, not direct and adjoint
  double memory;
} Setting;

static MbsResult *run(const MbsModel *model, const Setting *setting, MbsMethod method, MbsDerivatives derivatives) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", setting->formulation);
  request.settings.is_projection_tangent = setting->is_projection_tangent;
  request.settings.is_kinematic = setting->is_kinematic;
  request.settings.end = fmin(request.settings.end, 0.3);
  request.settings.derivatives = derivatives;
  request.memory = method == MBS_METHOD_ADJOINT ? setting->memory : 0;
  request.method = method;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(result->request->settings.derivatives == derivatives);
  return result;
}

// of each objective's largest entry
static double distance(const MbsResult *tried, const MbsResult *reference) {
  int columns = reference->parameter_count;
  double worst = 0;
  for (int i = 0; i < reference->objective_count; ++i) {
    double largest = largest_of(columns, reference->gradient + i * columns);
    for (int k = i * columns; k < (i + 1) * columns; ++k) {
      double off = fabs(tried->gradient[k] - reference->gradient[k]) / (largest > 0 ? largest : 1);
      worst = off <= worst ? worst : off;
    }
  }
  return worst;
}

static void check_run(const Setting *setting) {
  static const struct {
    MbsMethod method;
    const char *name;
  } methods[] = {
      {MBS_METHOD_DIRECT, "direct"}, {MBS_METHOD_ADJOINT, "adjoint"}, {MBS_METHOD_ADJOINT_CONTINUOUS, "continuous"}};
  MbsModel *model = read_model(context, setting->path);
  for (int i = setting->is_continuous ? 2 : 0; i < (setting->is_continuous ? 3 : 2); ++i) {
    MbsResult *reference = run(model, setting, methods[i].method, MBS_DERIVATIVES_ANALYTICAL);
    MbsResult *twin = run(model, setting, methods[i].method, MBS_DERIVATIVES_AUTOMATIC);
    MbsResult *differences = run(model, setting, methods[i].method, MBS_DERIVATIVES_NUMERICAL);
    double off[] = {distance(twin, reference), distance(differences, reference)};
    (void)printf("%-40s %-8s %-8s automatic %.1e, numerical %.1e\n", setting->path, setting->formulation,
                 methods[i].name, off[0], off[1]);
    ENSURE(largest_of(reference->objective_count * reference->parameter_count, reference->gradient) > 0);
    ENSURE(off[0] <= 1e-12);
    ENSURE(off[1] <= 1e-7 && off[1] > 0);                   // not the formulas again
    for (int o = 0; o < reference->objective_count; ++o) {  // the motion is the same to the last bit
      ENSURE(twin->values[o] == reference->values[o] && differences->values[o] == reference->values[o]);
    }
    ENSURE(twin->statistics.iterations == reference->statistics.iterations);
    mbs_result_destroy(reference);
    mbs_result_destroy(twin);
    mbs_result_destroy(differences);
  }
  mbs_model_destroy(model);
}

static void check_runs(void) {
  static const Setting all[] = {
      {.path = "models/five_bar.yaml", .formulation = "index1"},
      {.path = "models/five_bar.yaml", .formulation = "matrix-r"},
      {.path = "models/five_bar.yaml", .formulation = "matrix-r", .is_continuous = true},
      {.path = "models/slider_spring.yaml", .formulation = "penalty", .is_continuous = true},
      {.path = "models/rssr.yaml", .formulation = "index1"},
      {.path = "models/rssr.yaml", .formulation = "ali3p"},
      {.path = "models/rssr.yaml", .formulation = "matrix-r"},
      {.path = "models/bricard.yaml", .formulation = "penalty"},
      {.path = "models/n_four_bar.yaml", .formulation = "ali1"},
      {.path = "models/n_four_bar.yaml", .formulation = "ali3p"},
      {.path = "models/slider_spring.yaml", .formulation = "ali3p", .is_projection_tangent = true},
      {.path = "models/slider_crank.yaml", .formulation = "index3"},  // coordinates of the model's own
      {.path = "models/shaken_pendulum.yaml",
       .formulation = "index1",
       .memory = 4000},  // moving ground, in several pieces
      {.path = "models/driven_slider_crank.yaml", .formulation = "index1", .is_kinematic = true},
      {.path = "models/driven_slider_crank.yaml", .formulation = "matrix-r"},
      {.path = "models/rolling_disc.yaml", .formulation = "index1"},  // nonholonomic
      {.path = "models/rolling_disc.yaml", .formulation = "ali3p"},
      {.path = "tests/models/run_reactions.yaml", .formulation = "ali3p"},
      {.path = "tests/models/run_reactions_space.yaml", .formulation = "index1"},
      {.path = "tests/models/run_turns.yaml", .formulation = "index1"},
  };
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    check_run(&all[i]);
  }
}

// ---- how often ----
static long asked;

static void counting_element(struct MbsPerturbedTerms *terms, const MbsElementPoint *point, double *slopes) {
  asked += 1;
  mbs_twin_terms_element(terms, point, slopes);
}

// Every element is perturbed once at the start, where three problems are differentiated, and once in each step, for
// the matrix and for all columns or objectives; Newton's iteration does not ask.
static void check_count(bool is_adjoint) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsSourceTable table = *mbs_source_table(MBS_DERIVATIVES_NUMERICAL);
  MbsArena *arena = mbs_arena_create();
  MbsSimulation *simulation;
  MbsRequest request;
  MbsResult result;
  const int columns[] = {0, 1};
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "index1");  // projections would ask again
  ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
  const MbsSystem *system = simulation->system;
  long elements = system->mass_count + system->mode.row_count + system->mode.force_count;
  table.functions.element = counting_element;
  asked = 0;
  const MbsTwinRequest twin = {.settings = request.settings,
                               .column_count = 2,
                               .columns = columns,
                               .source = &table,
                               .is_adjoint = is_adjoint,
                               .perturbed = -1};
  ENSURE_OK(context, mbs_twin_run(context, arena, model, &twin, &result, NULL));
  ENSURE(result.statistics.steps == 500 && result.objective_count == 3);
  ENSURE(asked > 500 * elements && asked <= 506 * elements);
  mbs_simulation_destroy(simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

// the setting of the model file, and one that is none
static void check_setting(void) {
  static const char text[] =
      "mbsens: 1\nground: {points: {O: [0, 0]}}\nparameters: {m: 2}\n"
      "bodies: {bob: {mass: m, com: [1, 0], inertia: 0.1, points: {O: [0, 0]}}}\njoints: [{revolute: [ground.O, "
      "bob.O]}]\n"
      "gravity: [0, -9.81]\nobjectives: {y: {final: com(bob).y}}\nsimulation: {derivatives: numerical}\n";
  MbsModel *model = read_text(context, "pendulum", text);
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE(request.settings.derivatives == MBS_DERIVATIVES_NUMERICAL);
  MbsResult *none;
  request.settings.derivatives = (MbsDerivatives)3;
  ENSURE(mbs_run(context, model, &request, &none) == MBS_ERROR_INPUT && !none);
  ENSURE_CONTAINS(mbs_context_message(context), "derivatives must be analytical, automatic or numerical");
  mbs_model_destroy(model);
}

// ---- numbers that change: variables and branches at events, and parameters of a simulator ----
static void compare_gradients(int count, const double *tried, const double *reference, double tolerance) {
  double largest = largest_of(count, reference);
  ENSURE(largest > 0.1);
  for (int i = 0; i < count; ++i) {
    ENSURE_NEAR(tried[i], reference[i], tolerance * largest);
  }
}

// what events set and switch, in forces, constraints, coefficients and guards
static void check_hidden(const char *path) {
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT};
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsResult *reference;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.step = 0.01;
  request.settings.end = 0.7;
  request.method = MBS_METHOD_COMPLEX_STEP;
  ENSURE_OK(context, mbs_run(context, model, &request, &reference));
  ENSURE(reference->event_count > 0);
  int count = reference->objective_count * reference->parameter_count;
  for (int m = 0; m < 2; ++m) {
    for (int d = 0; d < 2; ++d) {
      MbsResult *result;
      request.method = methods[m];
      request.settings.derivatives = d == 0 ? MBS_DERIVATIVES_AUTOMATIC : MBS_DERIVATIVES_NUMERICAL;
      ENSURE_OK(context, mbs_run(context, model, &request, &result));
      compare_gradients(count, result->gradient, reference->gradient, d == 0 ? 1e-11 : 1e-7);
      mbs_result_destroy(result);
    }
  }
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

static void check_simulator(void) {
  static const char *const parameters[] = {"Ls1", "LA1"};
  const double others[] = {2.4, 1.3};
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  double expected[6];
  for (int d = 0; d < 3; ++d) {
    static const MbsDerivatives sources[] = {MBS_DERIVATIVES_ANALYTICAL, MBS_DERIVATIVES_AUTOMATIC,
                                             MBS_DERIVATIVES_NUMERICAL};
    MbsRequest request;
    MbsSimulator *simulator;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    request.settings.end = 0.5;
    request.settings.derivatives = sources[d];
    request.parameters = parameters;
    request.parameter_count = 2;
    ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    ENSURE_OK(context, mbs_simulator_set_parameters(context, simulator, 2, others));
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    ENSURE(mbs_simulator_objective_count(simulator) == 3);
    if (d == 0) {
      memcpy(expected, mbs_simulator_gradient(simulator), sizeof expected);
    } else {
      compare_gradients(6, mbs_simulator_gradient(simulator), expected, d == 1 ? 1e-11 : 1e-7);
    }
    mbs_simulator_destroy(simulator);
  }
  mbs_model_destroy(model);
}

int main(void) {
  uint64_t seed = 7;
  context = mbs_context_create();
  ENSURE(context);
  ENSURE(for_each_file("tests/models/element_*.yaml", check_terms, &seed) > 50);
  check_terms("models/five_bar.yaml", &seed);
  check_terms("models/shaken_pendulum.yaml", &seed);
  check_terms("tests/models/run_reactions.yaml", &seed);
  check_terms("tests/models/run_reactions_space.yaml", &seed);
  (void)printf("terms: automatic off by at most %.1e, numerical %.1e\n", worst_of[MBS_DERIVATIVES_AUTOMATIC],
               worst_of[MBS_DERIVATIVES_NUMERICAL]);
  ENSURE(worst_of[MBS_DERIVATIVES_NUMERICAL] > 0);
  check_runs();
  check_count(false);
  check_count(true);
  check_setting();
  check_hidden("tests/models/event_variables.yaml");
  check_hidden("models/rimless_wheel.yaml");
  check_hidden("tests/models/kink_driver.yaml");
  check_hidden("tests/models/kink_wire.yaml");
  check_hidden("tests/models/jump_switched_force.yaml");
  check_hidden("tests/models/jump_force_zone.yaml");
  check_simulator();
  mbs_context_destroy(context);
  return 0;
}
