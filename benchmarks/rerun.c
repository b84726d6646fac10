// What a simulator saves: set-up, a first run and runs with other numbers apart, for a gradient by the direct method.
//
//   benchmark_rerun [--markdown]
//
// Set-up: mbs_simulator_create. First run, then runs with all parameters moved (mbs_simulator_set_parameters and
// mbs_simulator_run), against the same starts and steps inside, without a simulator around them: what is left over is
// what the simulator costs. Times are the processor's, the least of many repeats, taking turns.
#define _DEFAULT_SOURCE  // syscall
#include <math.h>
#include <mbsens/simulator.h>
#include <stdlib.h>

#include "measure.h"
#include "sensitivities/selection.h"
#include "simulation/simulation.h"

typedef struct Case {
  const char *path, *formulation, *coordinates;
  double end;                          // s
  double set_up, first, again, steps;  // s
} Case;

static Case cases[] = {
    {.path = "models/five_bar.yaml", .formulation = "ali3p", .coordinates = "natural", .end = 5},
    {.path = "models/five_bar.yaml", .formulation = "index1", .coordinates = "natural", .end = 5},
    {.path = "models/six_axis_arm.yaml", .formulation = "index1", .coordinates = "relative", .end = 1},
    {.path = "models/double_wishbone.yaml", .formulation = "ali3p", .coordinates = "natural", .end = 1}};

static void must(MbsContext *context, MbsStatus status) {
  if (status != MBS_OK) {
    fprintf(stderr, "benchmark_rerun: %s\n", mbs_context_message(context));
    exit(3);
  }
}

static MbsRequest request_of(MbsContext *context, const MbsModel *model, const Case *which) {
  MbsRequest request;
  must(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", which->formulation);
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", which->coordinates);
  request.settings.end = which->end;
  return request;
}

// all parameters up or down by a ten-thousandth
static void move(MbsContext *context, MbsSimulator *simulator, const double *nominal, double *values, int repeat) {
  int count = mbs_simulator_parameter_count(simulator);
  for (int i = 0; i < count; ++i) {
    values[i] = nominal[i] * (1 + 1e-4 * sin(repeat + i));
  }
  must(context, mbs_simulator_set_parameters(context, simulator, count, values));
}

static void measure(MbsContext *context, Case *which) {
  enum { REPEATS = 15 };
  MbsModel *model;
  MbsSimulator *simulator;
  MbsSimulation *simulation;
  MbsSelection selection;
  MbsArena *arena = mbs_arena_create();
  must(context, mbs_model_read_file(context, which->path, &model));
  MbsRequest request = request_of(context, model, which);
  must(context, mbs_selection_create(context, arena, model, &request, &selection));
  must(context, mbs_simulation_create(context, model, &request.settings, selection.parameter_count,
                                      selection.parameters, NULL, &simulation));
  double *values = calloc((size_t)selection.parameter_count + 1, sizeof *values);
  for (int repeat = 0; repeat < REPEATS && values; ++repeat) {
    double began = measure_processor();
    must(context, mbs_simulator_create(context, model, &request, &simulator));
    measure_keep_least(&which->set_up, measure_processor() - began);
    began = measure_processor();
    must(context, mbs_simulator_run(context, simulator));
    measure_keep_least(&which->first, measure_processor() - began);
    began = measure_processor();
    move(context, simulator, selection.parameter_values, values, repeat);
    must(context, mbs_simulator_run(context, simulator));
    measure_keep_least(&which->again, measure_processor() - began);
    began = measure_processor();
    must(context, mbs_simulation_start(context, simulation));
    while (!mbs_simulation_is_over(simulation)) {
      must(context, mbs_simulation_step(context, simulation));
    }
    measure_keep_least(&which->steps, measure_processor() - began);
    mbs_simulator_destroy(simulator);
  }
  free(values);
  mbs_simulation_destroy(simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

int main(int argc, char **argv) {
  static const int widths[] = {-28, -11, -11, 8, 8, 8, 8, 8};
  static const char *const heads[] = {"model",     "formulation", "coordinates", "set-up",
                                      "first run", "again",       "steps",       "over, %"};
  bool is_markdown = false;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--has-counter") == 0) {
      return 0;  // it counts no instructions
    }
    is_markdown = is_markdown || strcmp(argv[i], "--markdown") == 0;
  }
  MbsContext *context = mbs_context_create();
  if (!context) {
    return 3;
  }
  MeasureTable table = {is_markdown, MBS_COUNT(widths), widths};
  measure_title(
      &table,
      "Milliseconds of a simulator, gradient by all parameters: set-up, first run, run with other numbers; its "
      "start and steps alone; what is over",
      heads);
  for (int i = 0; i < MBS_COUNT(cases); ++i) {
    char text[8][MEASURE_CELL];
    const char *row[8];
    measure(context, &cases[i]);
    (void)snprintf(text[0], MEASURE_CELL, "%s", cases[i].path + strlen("models/"));
    (void)snprintf(text[1], MEASURE_CELL, "%s", cases[i].formulation);
    (void)snprintf(text[2], MEASURE_CELL, "%s", cases[i].coordinates);
    const double times[] = {cases[i].set_up, cases[i].first, cases[i].again, cases[i].steps};
    for (int k = 0; k < 4; ++k) {
      measure_put(text, 3 + k, "%.3f", 1e3 * times[k]);
    }
    measure_put(text, 7, "%.1f", 100 * (cases[i].again / cases[i].steps - 1));
    for (int k = 0; k < 8; ++k) {
      row[k] = text[k];
    }
    measure_row(&table, row);
  }
  mbs_context_destroy(context);
  return 0;
}
