// The derivative of a step by its size h and by its time t, the other and the old state as they are: in the direct
// method (columns of a step by itself, then handed on), in the adjoint (what each step's time and size receive), and by
// the complex twin, which has a complex step there. Of every objective of a run, for a step on the way and for the
// last.
//
// Seen to fail with a planted error, one at a time:
//   integrators/rule.c               qw of the slope;  c1 of the slope
//   integrators/implicit_transposed.c  c0 a* left out
//   integrators/reduced_derivative.c   c1 s left out
//   integrators/projection.c         c0_h or c1_h of P_h left out (1.4e-2 in adjoint_projections)
//   integrators/projection_derivative.c, projection_transposed.c   P_h u left out (4e-6 to 3e-2)
//   simulation/objectives.c          (g0 + g1) / 2 left out
//   model/signals.c                  the clock left out of t
//   integrators/coupled_derivative.c   2 h d_ij a_j without the 2;  the column of time left out
//   integrators/coupled_transposed.c   note_time left out of stages;  0.99 of by_v
#include <math.h>

#include "sensitivities/adjoint.h"
#include "sensitivities/selection.h"
#include "sensitivities/twin.h"
#include "simulation/simulation.h"
#include "support.h"

static MbsContext *context;
enum { STEPS = 12, MOST_OBJECTIVES = 16, MOST_COLUMNS = 80 };

typedef struct Case {
  const char *path, *formulation, *coordinates, *integrator;
  bool is_kinematic;
  const char *independent;  // of matrix-r; NULL: as the model has it
  int tangent;              // with the tangent matrix of P0 (18): so many, -1: until they converge; 0: none such
  int projections;          // of the end of an explicit step
} Case;

static MbsSettings settings_of(const MbsModel *model, const Case *which) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  MbsSettings *settings = &request.settings;
  (void)snprintf(settings->formulation, sizeof settings->formulation, "%s", which->formulation);
  (void)snprintf(settings->coordinates, sizeof settings->coordinates, "%s", which->coordinates);
  (void)snprintf(settings->integrator, sizeof settings->integrator, "%s", which->integrator);
  settings->is_kinematic = which->is_kinematic;
  if (which->tangent != 0) {
    settings->is_projection_tangent = true;
    settings->projections = which->tangent > 0 ? which->tangent : 0;
  }
  settings->projections = which->projections > 0 ? which->projections : settings->projections;
  if (which->independent) {
    (void)snprintf(settings->independent, sizeof settings->independent, "%s", which->independent);
  }
  settings->end = STEPS * settings->step;
  return *settings;
}

// one parameter, then the time and the size of a step
static int list_columns(const MbsModel *model, int *columns) {
  int count = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS)->count;
  ENSURE(count > 0);
  columns[0] = 0;
  columns[1] = count;
  columns[2] = count + 1;
  return 3;
}

// shift: of a step, added to the first column by the columns of the step by itself
static void walk(MbsSimulation *simulation, MbsTrajectory *trajectory, MbsShift shift) {
  const double by_h[3] = {shift.h}, by_t[3] = {shift.t};
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  if (trajectory) {
    ENSURE_OK(context, mbs_trajectory_record(context, trajectory));
  }
  while (!mbs_simulation_is_over(simulation)) {
    ENSURE_OK(context, mbs_simulation_step(context, simulation));
    if (simulation->path.step_count == shift.number) {
      mbs_events_shift(simulation, by_h, by_t);
    }
    if (trajectory) {
      ENSURE_OK(context, mbs_trajectory_record(context, trajectory));
    }
  }
}

// d(objectives) by the shift: what it adds to the column of the parameter
static void direct(const MbsModel *model, const MbsSettings *settings, MbsShift shift, double *slopes) {
  int columns[3], count = list_columns(model, columns);
  for (int pass = 0; pass < 2; ++pass) {
    MbsSimulation *simulation;
    ENSURE_OK(context, mbs_simulation_create(context, model, settings, count, columns, NULL, &simulation));
    walk(simulation, NULL, pass == 0 ? shift : (MbsShift){0});
    for (int i = 0; i < simulation->objectives.count; ++i) {
      double slope = simulation->objectives.gradient[i * count];
      slopes[i] = pass == 0 ? slope : slopes[i] - slope;
    }
    mbs_simulation_destroy(simulation);
  }
}

static int by_complex_step(const MbsModel *model, const MbsSettings *settings, MbsShift shift, double *slopes) {
  MbsArena *arena = mbs_arena_create();
  MbsResult result;
  MbsTwinRequest request = {.settings = *settings, .perturbed = -1, .shift = shift};
  ENSURE_OK(context, mbs_complex_run(context, arena, model, &request, &result, NULL));
  ENSURE(result.objective_count <= MOST_OBJECTIVES);
  for (int i = 0; i < result.objective_count; ++i) {
    slopes[i] = result.values[i];
  }
  int count = result.objective_count;
  mbs_arena_destroy(arena);
  return count;
}

static void check(const Case *which) {
  static const long numbers[] = {1, 5, STEPS};
  MbsModel *model = read_model(context, which->path);
  MbsSettings settings = settings_of(model, which);
  MbsSimulation *swept;
  MbsSweep *sweep;
  int columns[3], count = list_columns(model, columns);
  ENSURE_OK(context, mbs_simulation_create_for_sweep(context, model, &settings, count, columns, NULL, &swept));
  ENSURE_OK(context, mbs_sweep_create(context, swept, 0, &sweep));
  walk(swept, sweep->trajectory, (MbsShift){0});
  ENSURE_OK(context, mbs_sweep_run(context, sweep));
  ENSURE(sweep->of_steps);
  double worst = 0, largest[2] = {0, 0};
  for (int n = 0; n < MBS_COUNT(numbers); ++n) {
    for (int by_time = 0; by_time < 2; ++by_time) {
      const MbsShift shift = {.number = numbers[n], .h = by_time ? 0 : 1, .t = by_time ? 1 : 0};
      double reference[MOST_OBJECTIVES], tried[MOST_OBJECTIVES], size = 0;
      int objectives = by_complex_step(model, &settings, shift, reference);
      direct(model, &settings, shift, tried);
      for (int i = 0; i < objectives; ++i) {
        size = fmax(fabs(reference[i]), 1e-3 * fmax(fabs(swept->objectives.value[i]), 1e-3) / settings.step);
        largest[by_time] = fmax(largest[by_time], fabs(reference[i]));
        worst = fmax(worst, fabs(tried[i] - reference[i]) / size);
      }
      for (int o = 0; o < sweep->objective_count; ++o) {
        int i = sweep->objectives[o];
        double received = sweep->of_steps[2 * (shift.number * sweep->objective_count + o) + (by_time ? 0 : 1)];
        size = fmax(fabs(reference[i]), 1e-3 * fmax(fabs(swept->objectives.value[i]), 1e-3) / settings.step);
        worst = fmax(worst, fabs(received - reference[i]) / size);
      }
    }
  }
  (void)printf("%s, %s, %s, %s%s: %.1e (by h up to %.2g, by t up to %.2g)\n", which->path,
               which->is_kinematic ? "kinematics" : which->formulation, which->coordinates, which->integrator,
               which->tangent ? ", tangent" : "", worst, largest[0], largest[1]);
  ENSURE(worst < 1e-7);
  ENSURE(largest[0] > 0 || which->is_kinematic);
  mbs_simulation_destroy(swept);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  static const char *const formulations[] = {"index1", "penalty", "ali1", "ali3p", "index3", "matrix-r"};
  static const char *const coordinates[] = {"natural", "relative"};
  static const char *const models[] = {"models/five_bar.yaml", "models/shaken_pendulum.yaml",
                                       "models/driven_slider_crank.yaml", "models/snakeboard.yaml"};
  for (int f = 0; f < MBS_COUNT(formulations); ++f) {
    for (int c = 0; c < 2; ++c) {
      for (int m = 0; m < MBS_COUNT(models); ++m) {
        check(&(Case){models[m], formulations[f], coordinates[c], f == 4 ? "generalised-alpha" : "trapezoidal", false,
                      NULL, 0, 0});
      }
      check(&(Case){models[1], formulations[f], coordinates[c], "generalised-alpha", false, NULL, 0, 0});
    }
  }
  // stages have times of their own
  for (int f = 0; f < MBS_COUNT(formulations); ++f) {
    for (int c = 0; c < 2; ++c) {
      for (int m = 0; m < MBS_COUNT(models) && f != 3 && f != 4; ++m) {  // not at position level
        check(&(Case){models[m], formulations[f], coordinates[c], m % 2 ? "dormand-prince-8" : "dormand-prince-5",
                      false, NULL, 0, 0});
      }
    }
  }
  for (int m = 0; m < MBS_COUNT(models); ++m) {
    for (int c = 0; c < 2; ++c) {
      check(&(Case){.path = models[m],
                    .formulation = formulations[(m + c) % 3],
                    .coordinates = coordinates[c],
                    .integrator = "dormand-prince-5",
                    .projections = 1 + c});
    }
  }
  check(&(Case){"tests/models/runge_kutta_times.yaml", "index1", "natural", "dormand-prince-8", false, NULL, 0, 0});
  for (int f = 0; f < 5; ++f) {
    // of drivers multipliers of the stages of index3 answer with 1 / h^2, which cancels in integrals, with its digits
    for (int m = 0; m < (f == 4 ? 2 : MBS_COUNT(models)); ++m) {
      const char *integrator = f % 2 ? "radau-3" : "radau-5";
      check(&(Case){models[m], formulations[f], coordinates[(m + f) % 2], integrator, false, NULL, 0, 0});
    }
  }
  check(&(Case){"tests/models/runge_kutta_times.yaml", "ali3p", "natural", "radau-5", false, NULL, 0, 0});
  check(&(Case){"tests/models/adjoint_redundant.yaml", "ali3p", "natural", "radau-5", false, NULL, 0, 0});
  check(&(Case){"tests/models/adjoint_redundant.yaml", "ali1", "natural", "radau-5", false, NULL, 0, 0});
  check(&(Case){"tests/models/adjoint_redundant.yaml", "penalty", "natural", "dormand-prince-5", false, NULL, 0, 0});
  check(&(Case){"tests/models/adjoint_redundant.yaml", "ali1", "natural", "dormand-prince-8", false, NULL, 0, 0});
  for (int c = 0; c < 2; ++c) {
    check(&(Case){models[2], "ali3p", coordinates[c], "trapezoidal", true, NULL, 0, 0});
    // coordinates that move with the ground, whose place before the step is that of its old time
    const char *moving = "distance(S, P), distance(S, Q)";
    check(&(Case){models[1], "matrix-r", coordinates[c], "trapezoidal", false, moving, 0, 0});
    check(&(Case){models[1], "matrix-r", coordinates[c], "generalised-alpha", false, moving, 0, 0});
    check(&(Case){models[1], "matrix-r", coordinates[c], "dormand-prince-5", false, moving, 0, 0});
  }
  // P moves with the size, too: springs, dampers, laws by expression; reactions; the last has a redundant constraint
  static const char *const forced[] = {"models/five_bar.yaml", "tests/models/adjoint_projections.yaml",
                                       "models/slider_spring.yaml", "tests/models/adjoint_redundant.yaml"};
  for (int m = 0; m < MBS_COUNT(forced); ++m) {
    check(&(Case){forced[m], "ali3p", "natural", "trapezoidal", false, NULL, -1, 0});
    check(&(Case){forced[m], "ali3p", "natural", "trapezoidal", false, NULL, 1, 0});
    check(&(Case){forced[m], "ali3p", "natural", "generalised-alpha", false, NULL, -1, 0});
  }
  mbs_context_destroy(context);
  return 0;
}
