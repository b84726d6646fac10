// Open chains of N links in space, hinges about three axes in turn, in relative coordinates: what one evaluation of the
// accelerations costs per link, a step of the simulation, and the adjoint gradient of a run.
//
//   benchmark_open_chain [--markdown]         all tables
//   benchmark_open_chain --evaluate N COUNT   that many evaluations of a chain of N links, and nothing else: for
//                                             counting instructions
//
// One evaluation: from given positions and velocities, the residual at zero acceleration, the matrix, its factors along
// the tree and the solution. Times are the least of many repeats.
#define _DEFAULT_SOURCE  // syscall
#include "measure.h"

#include <stdlib.h>

#include "algebra/sparse_solver.h"
#include "integrators/implicit.h"
#include "simulation/simulation.h"

enum { MOST_TEXT = 400000, CASES = 4, COLUMNS = 6 };
static const int links[CASES] = {10, 40, 160, 640};
static const double seconds_for_case = 4;

typedef struct Case {
  double acceleration, step, adjoint;  // microseconds per link
} Case;

static void must(MbsContext *context, MbsStatus status) {
  if (status != MBS_OK) {
    fprintf(stderr, "%s\n", mbs_context_message(context));
    exit(3);
  }
}

static MbsModel *chain(MbsContext *context, int count) {
  static char text[MOST_TEXT];
  static const char *const axes[] = {"0, 1, 0", "0, 0, 1", "0.6, 0.8, 0"};
  size_t used = 0;
#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
  PUT("mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nparameters: {L: 0.3, m: 1, J: 0.02}\n"
      "ground: {points: {O: [0, 0, 0]}}\nbodies:\n");
  for (int i = 0; i < count; ++i) {
    PUT("  b%d: {mass: m, com: [L/2, 0.01, 0.02], inertia: [J/4, J, 1.1*J], points: {A: [0, 0, 0], B: [L, 0, 0]}}\n",
        i);
  }
  PUT("joints:\n  - {revolute: [ground.O, b0.A], axis: [0, 1, 0]}\n");
  for (int i = 1; i < count; ++i) {
    PUT("  - {revolute: [b%d.B, b%d.A], axis: [%s]}\n", i - 1, i, axes[i % 3]);
  }
  PUT("objectives: {path: {integral: \"dot(v(b%d.B), v(b%d.B))\"}}\n", count - 1, count - 1);
  PUT("simulation: {end: 0.1, step: 0.001, coordinates: relative}\n");
#undef PUT
  MbsModel *model;
  must(context, mbs_model_read_text(context, text, used, "chain.yaml", &model));
  return model;
}

static void evaluate_once(MbsContext *context, MbsSimulation *simulation) {
  const MbsSystem *system = simulation->system;
  MbsImplicit *stepper = (MbsImplicit *)simulation->stepper;
  MbsState *state = &simulation->state;
  const MbsWeights weights = mbs_formulation_weights(&simulation->formulation, 0, 0);
  for (int i = 0; i < system->n; ++i) {
    state->a[i] = 0;
    state->v[i] *= 1 + 1e-12;  // so that nothing is remembered
    state->q[i] += 1e-12;
  }
  mbs_terms_residual(system, state, &weights, stepper->r, NULL);
  must(context, mbs_newton_factor_exact(context, stepper, state, 0, 0));
  mbs_sparse_solver_solve(stepper->at->solver, 1, stepper->r);
  for (int i = 0; i < system->n; ++i) {
    state->a[i] = -stepper->r[i];
  }
}

static MbsSimulation *moving_chain(MbsContext *context, const MbsModel *model) {
  MbsSimulation *simulation;
  MbsRequest request;
  must(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "index1");
  must(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
  must(context, mbs_simulation_start(context, simulation));
  for (int i = 0; i < simulation->system->n; ++i) {
    simulation->state.v[i] = 0.1 * (i % 5 - 2);
  }
  return simulation;
}

static void measure_acceleration(MbsContext *context, const MbsModel *model, int count, Case *which) {
  MbsSimulation *simulation = moving_chain(context, model);
  int evaluations = 20000 / count;
  for (double began = measure_now(); measure_now() - began < seconds_for_case / 3;) {
    double start = measure_now();
    for (int k = 0; k < evaluations; ++k) {
      evaluate_once(context, simulation);
    }
    measure_keep_least(&which->acceleration, (measure_now() - start) * 1e6 / evaluations / count);
  }
  mbs_simulation_destroy(simulation);
}

static void measure_run(MbsContext *context, const MbsModel *model, int count, Case *which) {
  MbsRequest request;
  must(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "index1");
  request.method = MBS_METHOD_ADJOINT;
  for (double began = measure_now(); measure_now() - began < 2 * seconds_for_case / 3;) {
    MbsResult *result;
    must(context, mbs_run(context, model, &request, &result));
    double scale = 1e6 / (double)result->statistics.steps / count;
    measure_keep_least(&which->step, result->statistics.seconds_dynamics * scale);
    measure_keep_least(&which->adjoint, result->statistics.seconds_sensitivity * scale);
    mbs_result_destroy(result);
  }
}

int main(int argc, char **argv) {
  static const int widths[COLUMNS] = {6, 16, 16, 16, 16, 20};
  static const char *const heads[COLUMNS] = {"links",          "acceleration",      "per link",
                                             "step, per link", "adjoint, per link", "adjoint, ms per run"};
  bool is_markdown = argc > 1 && strcmp(argv[1], "--markdown") == 0;
  if (argc > 1 && strcmp(argv[1], "--has-counter") == 0) {
    return 0;  // none is needed
  }
  MbsContext *context = mbs_context_create();
  if (argc == 4 && strcmp(argv[1], "--evaluate") == 0 && context) {
    MbsSimulation *simulation = moving_chain(context, chain(context, atoi(argv[2])));
    for (int k = 0; k < atoi(argv[3]); ++k) {
      evaluate_once(context, simulation);
    }
    return 0;
  }
  MeasureTable table = {.is_markdown = is_markdown, .column_count = COLUMNS, .widths = widths};
  measure_title(&table,
                "Open chains, relative coordinates, microseconds: one evaluation of all accelerations; a step of "
                "index1; what the adjoint gradient adds to a step (100 steps, 3 parameters)",
                heads);
  for (int i = 0; i < CASES && context; ++i) {
    Case which = {.step = 0};
    char cells[COLUMNS][MEASURE_CELL];
    const char *row[COLUMNS];
    MbsModel *model = chain(context, links[i]);
    measure_acceleration(context, model, links[i], &which);
    measure_run(context, model, links[i], &which);
    mbs_model_destroy(model);
    measure_put(cells, 0, "%.0f", links[i]);
    measure_put(cells, 1, "%.1f", which.acceleration * links[i]);
    measure_put(cells, 2, "%.3f", which.acceleration);
    measure_put(cells, 3, "%.3f", which.step);
    measure_put(cells, 4, "%.3f", which.adjoint);
    measure_put(cells, 5, "%.2f", which.adjoint * links[i] * 100 * 1e-3);
    for (int k = 0; k < COLUMNS; ++k) {
      row[k] = cells[k];
    }
    measure_row(&table, row);
  }
  mbs_context_destroy(context);
  return context ? 0 : 3;
}
