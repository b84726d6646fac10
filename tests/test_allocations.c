// 1,000 steps with sensitivities, the adjoint's way there and back, and second runs of a simulator allocate nothing and
// free nothing, KLU included: malloc and its kin are replaced by ones that count, for every library in the process.
#include "counted_memory.h"

#include <math.h>
#include <mbsens/simulator.h>
#include <mbsens/step.h>
#include <mbsens/terms.h>

#include "sensitivities/adjoint_continuous.h"
#include "sensitivities/twin.h"
#include "simulation/simulation.h"
#include "support.h"

#ifndef MEMORY_IS_NOT_COUNTED

// The first steps belong to the set-up: there projections are factored for the first time, and pivots chosen anew where
// the matrix of a step is scaled otherwise than that of the start.
enum { FIRST = 20, STEPS = FIRST + 1000, MOST_COLUMNS = 64 };

static const char *integrator = "auto";

// all parameters of the model as columns; returns how many
static int prepare(MbsContext *context, const MbsModel *model, const char *formulation, bool is_projection_tangent,
                   MbsSettings *settings, int *columns) {
  MbsArena *arena = mbs_arena_create();
  ENSURE_OK(context, mbs_settings_read(context, arena, model, settings));
  (void)snprintf(settings->formulation, sizeof settings->formulation, "%s", formulation);
  (void)snprintf(settings->integrator, sizeof settings->integrator, "%s", integrator);
  settings->is_projection_tangent = is_projection_tangent;
  settings->step = 0.002;
  settings->end = STEPS * settings->step;
  int count = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS)->count;
  ENSURE(count > 0 && count <= MOST_COLUMNS);
  for (int k = 0; k < count; ++k) {
    columns[k] = k;
  }
  mbs_arena_destroy(arena);
  return count;
}

static void must(MbsContext *context, const char *path, MbsStatus status) {
  if (status != MBS_OK) {
    (void)fprintf(stderr, "%s: %s\n", path, mbs_context_message(context));
    exit(1);
  }
}

static void ensure_none(const char *path, const char *formulation, const char *what, long set_up) {
  long took = memory.taken, gave = memory.freed;
  ENSURE(set_up > 10);  // setting up cannot do without memory
  (void)printf("%s, %s, %s: %ld allocations at set-up, %ld (and %ld frees) in %d steps\n", path, formulation, what,
               set_up, took, gave, STEPS - FIRST);
  ENSURE(took == 0);
  ENSURE(gave == 0);
}

static void check(MbsContext *context, const char *path, const char *formulation, bool is_projection_tangent,
                  MbsDerivatives derivatives) {
  MbsModel *model = read_model(context, path);
  const MbsSourceTable *source = mbs_source_table(derivatives);
  struct MbsPerturbedTerms *terms = NULL;
  MbsSettings settings;
  MbsSimulation *simulation;
  int columns[MOST_COLUMNS], count = prepare(context, model, formulation, is_projection_tangent, &settings, columns);
  memory.taken = memory.freed = 0;
  ENSURE_OK(context, mbs_simulation_create(context, model, &settings, count, columns, NULL, &simulation));
  if (source) {
    ENSURE_OK(context, source->create(context, model, &settings, NULL, &terms));
    ENSURE_OK(context, mbs_system_give_source(context, simulation->system, &source->functions, terms));
  }
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  ENSURE(simulation->has_columns);
  long set_up = 0;
  for (int i = 0; i < STEPS; ++i) {
    if (i == FIRST) {
      set_up = memory.taken;
      memory.taken = memory.freed = 0;
    }
    must(context, path, mbs_simulation_step(context, simulation));
    mbs_outputs_evaluate(simulation, NULL);
  }
  ensure_none(path, formulation,
              source                  ? "derivatives from elsewhere, direct"
              : is_projection_tangent ? "tangent projection matrix, direct"
                                      : "direct",
              set_up);
  ENSURE(simulation->path.step_count == STEPS);
  mbs_simulation_destroy(simulation);
  if (source) {
    source->destroy(terms);
  }
  ENSURE(memory.freed > 0);
  mbs_model_destroy(model);
}

// in several pieces, so that steps are repeated too
static void check_sweep(MbsContext *context, const char *path, const char *formulation, bool is_projection_tangent,
                        bool is_continuous) {
  MbsModel *model = read_model(context, path);
  MbsSettings settings;
  MbsSimulation *simulation;
  MbsSweep *sweep;
  int columns[MOST_COLUMNS], count = prepare(context, model, formulation, is_projection_tangent, &settings, columns);
  memory.taken = memory.freed = 0;
  ENSURE_OK(context, mbs_simulation_create_for_sweep(context, model, &settings, count, columns, NULL, &simulation));
  double row = (double)(simulation->stepper->row_size + 4) * (double)sizeof(double);
  ENSURE_OK(context, mbs_sweep_create(context, simulation, 300 * row, &sweep));
  const int first = 0;
  if (is_continuous) {
    ENSURE_OK(context, mbs_continuous_create(context, sweep, 1, &first));
  }
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  ENSURE(!simulation->has_columns && sweep->trajectory->snapshot_capacity > 1);
  must(context, path, mbs_trajectory_record(context, sweep->trajectory));
  long set_up = 0;
  for (int i = 0; i < STEPS; ++i) {
    if (i == FIRST) {
      set_up = memory.taken;
      memory.taken = memory.freed = 0;
    }
    must(context, path, mbs_simulation_step(context, simulation));
    must(context, path, mbs_trajectory_record(context, sweep->trajectory));
  }
  must(context, path, mbs_sweep_run(context, sweep));
  ensure_none(path, formulation,
              is_continuous           ? "continuous adjoint"
              : is_projection_tangent ? "tangent projection matrix, adjoint"
                                      : "adjoint",
              set_up);
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
}

// A second run of a simulator, and one with other numbers: from the start to the gradient. Where matrix-r chooses its
// coordinates itself, other numbers may ask for others.
static void check_second_run(MbsContext *context, const char *path, const char *formulation, const char *coordinates,
                             MbsMethod method) {
  MbsModel *model = read_model(context, path);
  MbsSimulator *simulator;
  MbsRequest request;
  double values[MOST_COLUMNS];
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  request.method = method;
  request.settings.end = fmin(request.settings.end, 100 * request.settings.step);
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  int count = mbs_simulator_parameter_count(simulator);
  ENSURE(count <= MOST_COLUMNS);
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  memory.taken = memory.freed = 0;
  // where a run has events, a few numbers for each of them would fit into the room that an arena has to spare: often
  for (int again = 0; again < (strstr(path, "event_impacts.yaml") ? 200 : 1); ++again) {
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
  }
  if (memory.taken > 0 || memory.freed > 0) {
    (void)printf("%s, %s, %s, method %d: %ld taken, %ld freed\n", path, formulation, coordinates, method, memory.taken,
                 memory.freed);
  }
  ENSURE(memory.taken == 0 && memory.freed == 0);
  for (int i = 0; i < count; ++i) {
    values[i] = mbs_simulator_parameters(simulator)[i] * (1 + 1e-4 * sin(i));
  }
  ENSURE_OK(context, mbs_simulator_set_parameters(context, simulator, count, values));
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  // other coordinates for matrix-r, or other pivots where joints come and go
  bool is_chosen = (strcmp(formulation, "matrix-r") == 0 && strcmp(path, "models/rssr.yaml") == 0) ||
                   strcmp(path, "models/geneva.yaml") == 0;
  if ((memory.taken > 0 || memory.freed > 0) && !is_chosen) {
    (void)printf("%s, %s, %s, method %d, other numbers: %ld taken, %ld freed\n", path, formulation, coordinates, method,
                 memory.taken, memory.freed);
  }
  ENSURE((memory.taken == 0 && memory.freed == 0) || is_chosen);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// All vectors, products and matrices of the terms at a second state and at further ones; and steps as a function,
// there, along directions and back, a second time.
static void check_terms(MbsContext *context, const char *path, const char *coordinates) {
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsTerms *terms;
  MbsStepMap *map;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  ENSURE_OK(context, mbs_terms_create(context, model, &request, &terms));
  int n = mbs_terms_width(terms, MBS_BY_POSITIONS);
  double *q = zeros(n), *v = zeros(n), *u = zeros(5000), *y = zeros(5000), *values = zeros(200000), t;
  for (int round = 0; round < 4; ++round) {
    ENSURE_OK(context, mbs_terms_state(context, terms, &t, n, q, v));
    ENSURE_OK(context, mbs_terms_set_state(context, terms, t + 0.01, n, q, v));
    for (int of = 0; of <= MBS_TERMS_GAMMA; ++of) {
      ENSURE_OK(context,
                mbs_terms_vector(context, terms, (MbsTermsVector)of, mbs_terms_size(terms, (MbsTermsVector)of), y));
      for (int k = 0; k <= MBS_BY_INDEPENDENT_VELOCITIES && of <= MBS_TERMS_INDEPENDENT_ACCELERATIONS; ++k) {
        MbsTermsVector vector = (MbsTermsVector)of;
        MbsTermsArgument by = (MbsTermsArgument)k;
        MbsTermsPattern pattern;
        if (vector == MBS_TERMS_POINT || (vector >= MBS_TERMS_POSITIONS && by <= MBS_BY_MULTIPLIERS)) {
          continue;
        }
        int rows = mbs_terms_size(terms, vector), columns = mbs_terms_width(terms, by);
        ENSURE_OK(context, mbs_terms_product(context, terms, vector, by, columns, u, rows, y));
        ENSURE_OK(context, mbs_terms_product_transposed(context, terms, vector, by, rows, u, columns, y));
        ENSURE_OK(context, mbs_terms_pattern(context, terms, vector, by, &pattern));
        ENSURE(pattern.entries <= 200000);
        ENSURE_OK(context, mbs_terms_matrix(context, terms, vector, by, pattern.entries, values));
      }
    }
    ENSURE_OK(context, mbs_terms_reactions(context, terms, 6 * mbs_terms_reaction_count(terms), y));
    if (round > 0) {
      ENSURE(memory.taken == 0 && memory.freed == 0);
    }
    memory.taken = memory.freed = 0;
  }
  mbs_terms_destroy(terms);
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  ENSURE_OK(context, mbs_step_map_run(context, map, 0, 0, NULL, NULL, 3, NULL));
  ENSURE_OK(context, mbs_step_map_state(context, map, &t, n, q, v, NULL));
  const MbsStepArguments arguments = {.position = q, .velocity = v, .parameters = u};
  const MbsStepResults results = {.position = y};
  for (int round = 0; round < 3; ++round) {
    memory.taken = memory.freed = 0;
    ENSURE_OK(context, mbs_step_map_run(context, map, t, n, q, v, 3, NULL));
    ENSURE_OK(context, mbs_step_map_jvp(context, map, &arguments, &results));
    ENSURE_OK(context, mbs_step_map_vjp(context, map, &results, &(MbsStepArguments){.parameters = u}));
  }
  ENSURE(memory.taken == 0 && memory.freed == 0);
  mbs_step_map_destroy(map);
  free(q);
  free(v);
  free(u);
  free(y);
  free(values);
  mbs_model_destroy(model);
}

int main(void) {
  // the counters count: what the library takes, and what the C library takes for it (a stream has a buffer)
  memory.taken = memory.freed = 0;
  MbsContext *context = mbs_context_create();
  ENSURE(context);
  ENSURE(memory.taken > 0);
  memory.taken = memory.freed = 0;
  FILE *file = fopen("models/five_bar.yaml", "r");
  ENSURE(file);
  ENSURE(memory.taken > 0 && memory.freed == 0);
  (void)fclose(file);
  ENSURE(memory.freed > 0);
  static const char *const formulations[] = {"index1", "penalty", "ali1", "ali3p", "index3"};
  static const char *const models[] = {"models/five_bar.yaml", "models/slider_spring.yaml", "models/slider_crank.yaml",
                                       "tests/models/run_reactions.yaml"};  // with reactions in its objectives
  for (int i = 0; i < MBS_COUNT(formulations); ++i) {
    // KLU chooses pivots anew once or twice in the springs' long run with a position-level step, and takes memory then
    bool is_position_level = i > 2;
    for (int k = 0; k < MBS_COUNT(models); k += is_position_level ? 2 : 1) {
      check(context, models[k], formulations[i], false, MBS_DERIVATIVES_ANALYTICAL);
      check_sweep(context, models[k], formulations[i], false, false);
    }
  }
  for (int k = 0; k < MBS_COUNT(models); k += 2) {
    check(context, models[k], "ali3p", true, MBS_DERIVATIVES_ANALYTICAL);
    check_sweep(context, models[k], "ali3p", true, false);
    check_sweep(context, models[k], "penalty", false, true);
  }
  integrator = "dormand-prince-8";
  check(context, models[0], "index1", false, MBS_DERIVATIVES_ANALYTICAL);
  check_sweep(context, models[0], "index1", false, false);
  check(context, models[0], "matrix-r", false, MBS_DERIVATIVES_ANALYTICAL);
  check_sweep(context, models[0], "matrix-r", false, false);
  integrator = "dormand-prince-5";
  check(context, models[2], "penalty", false, MBS_DERIVATIVES_ANALYTICAL);
  check_sweep(context, models[1], "ali1", false, false);
  check(context, models[0], "index1", false, MBS_DERIVATIVES_AUTOMATIC);
  integrator = "radau-5";
  check(context, models[0], "index1", false, MBS_DERIVATIVES_ANALYTICAL);
  check(context, models[0], "ali3p", false, MBS_DERIVATIVES_ANALYTICAL);
  check_sweep(context, models[0], "ali3p", false, false);
  check_sweep(context, models[2], "penalty", false, false);
  check(context, models[0], "index3", false, MBS_DERIVATIVES_AUTOMATIC);
  integrator = "auto";
  check(context, "models/five_bar.yaml", "index1", false, MBS_DERIVATIVES_AUTOMATIC);
  check(context, "models/slider_crank.yaml", "ali3p", false, MBS_DERIVATIVES_NUMERICAL);
  check(context, "tests/models/run_reactions.yaml", "penalty", false, MBS_DERIVATIVES_AUTOMATIC);
  check(context, "tests/models/outputs_space.yaml", "ali3p", false, MBS_DERIVATIVES_ANALYTICAL);
  static const char *const all[] = {"index1", "penalty", "ali1", "ali3p", "index3", "matrix-r"};
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    for (int method = MBS_METHOD_NONE; method <= MBS_METHOD_ADJOINT; ++method) {
      check_second_run(context, "models/five_bar.yaml", all[i], "natural", (MbsMethod)method);
      check_second_run(context, "models/six_axis_arm.yaml", all[i], "relative", (MbsMethod)method);
      check_second_run(context, "models/rssr.yaml", all[i], "natural", (MbsMethod)method);
      check_second_run(context, "tests/models/event_impacts.yaml", all[i], "natural", (MbsMethod)method);
      check_second_run(context, "tests/models/event_impacts_space.yaml", all[i], "relative", (MbsMethod)method);
      check_second_run(context, "tests/models/friction_loop.yaml", all[i], "relative", (MbsMethod)method);
      check_second_run(context, "models/geneva.yaml", all[i], method % 2 ? "natural" : "relative", (MbsMethod)method);
    }
  }
  check_terms(context, "models/five_bar.yaml", "natural");
  check_terms(context, "models/rssr.yaml", "relative");
  check_terms(context, "models/six_axis_arm.yaml", "relative");
  check_second_run(context, "models/bricard.yaml", "ali3p", "natural", MBS_METHOD_DIRECT);
  check_second_run(context, "models/double_wishbone.yaml", "ali3p", "relative", MBS_METHOD_ADJOINT);
  mbs_context_destroy(context);
  return 0;
}

#endif
