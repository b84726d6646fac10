// Open chains and chains of loops here and in other engines, at errors that can be compared: what is off at the end,
// what is left of constraints, and what the steps cost.
//
//   benchmark_chains [--markdown] [--long]     --long: 160 bodies or loops, too
//
// Open chain: N links in space from the ground, straight along x at rest; each 0.3 m long, 1 kg, centre of mass
// (0.15, 0.01, 0.02), inertia about it diag(0.005, 0.02, 0.022), hinges about y, z and (0.6, 0.8, 0) in turn; gravity
// -9.81 along z. Chain of loops: models/n_four_bar.yaml. Runs of 0.2 s; the error is the distance of the last point
// (of B_0) from where our method of order 8 brings it with steps of 1e-4 s, which MuJoCo and Simbody confirm as their
// steps shrink. Times are the processor's for all steps, without set-up, the least of three.
//
// MuJoCo: classical Runge-Kutta steps, soft constraints (peers/mujoco_chains.c); Simbody: Runge-Kutta-Merson under
// error control, exact constraints (peers/simbody_chains.cpp). Each where it is installed, and said where it is not.
#define _DEFAULT_SOURCE  // syscall
#include <math.h>
#include <mbsens/simulator.h>
#include <stdlib.h>

#include "chain_model.h"
#include "measure.h"
#include "peers/chains.h"

enum { COLUMNS = 7, REPEATS = 3 };
static const double end = 0.2;

typedef struct Ours {
  const char *coordinates, *formulation, *integrator;
  double step;
} Ours;

static void must(MbsContext *context, MbsStatus status) {
  if (status != MBS_OK) {
    fprintf(stderr, "benchmark_chains: %s\n", mbs_context_message(context));
    exit(3);
  }
}

// ---- the models ----
static MbsModel *model_of(MbsContext *context, ChainKind kind, int count) {
  MbsModel *model;
  size_t size = 2000 + 300 * (size_t)count;
  char *text = calloc(size, 1);
  size_t used = kind == CHAIN_OPEN ? chain_write_open(count, text, size) : chain_write_loops(count, text, size);
  must(context, mbs_model_read_text(context, text, used, "chain.yaml", &model));
  free(text);
  return model;
}

static void run_ours(MbsContext *context, const MbsModel *model, ChainKind kind, const Ours *ours, ChainRun *run) {
  MbsRequest request;
  MbsSimulator *simulator;
  MbsResult *result;
  must(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", ours->coordinates);
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", ours->formulation);
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "%s", ours->integrator);
  request.settings.step = ours->step;
  request.settings.end = end;
  request.method = MBS_METHOD_NONE;
  *run = (ChainRun){.steps = lround(end / ours->step)};
  must(context, mbs_simulator_create(context, model, &request, &simulator));
  must(context, mbs_simulator_start(context, simulator));
  double began = measure_processor();
  while (!mbs_simulator_is_over(simulator)) {
    must(context, mbs_simulator_step(context, simulator));
  }
  run->seconds = measure_processor() - began;
  must(context, mbs_simulator_finish(context, simulator));
  must(context, mbs_simulator_result(context, simulator, &result));
  for (int k = 0; k < (kind == CHAIN_OPEN ? 3 : 2); ++k) {
    run->position[k] = mbs_simulator_values(simulator)[k];
  }
  run->gap = result->statistics.residual_position;
  mbs_result_destroy(result);
  mbs_simulator_destroy(simulator);
}

// ---- tables ----
typedef struct Row {
  const char *engine, *method;
  double setting;
  ChainRun run;
} Row;

static void print_row(const MeasureTable *table, int count, const Row *row, const double *reference, bool has_gap) {
  char cells[COLUMNS][MEASURE_CELL];
  const char *texts[COLUMNS];
  double error = 0;
  for (int k = 0; k < 3; ++k) {
    error = hypot(error, row->run.position[k] - reference[k]);
  }
  measure_put(cells, 0, "%.0f", count);
  (void)snprintf(cells[1], MEASURE_CELL, "%s", row->engine);
  (void)snprintf(cells[2], MEASURE_CELL, "%s %.0e", row->method, row->setting);
  measure_put(cells, 3, "%.2f", 1e6 * row->run.seconds / (double)row->run.steps);
  measure_put(cells, 4, "%.3f", 1e3 * row->run.seconds);
  measure_put(cells, 5, "%.1e", error);
  (void)snprintf(cells[6], MEASURE_CELL, "-");
  if (has_gap) {
    measure_put(cells, 6, "%.1e", row->run.gap);
  }
  for (int k = 0; k < COLUMNS; ++k) {
    texts[k] = cells[k];
  }
  measure_row(table, texts);
}

static void keep_least(int repeat, const ChainRun *run, ChainRun *least) {
  if (repeat == 0 || run->seconds < least->seconds) {
    *least = *run;
  }
}

static void print_ours(MbsContext *context, const MeasureTable *table, ChainKind kind, int count, const MbsModel *model,
                       const Ours *ours, const double *reference) {
  char method[MEASURE_CELL];
  (void)snprintf(method, sizeof method, "%s, %s, %s", ours->coordinates, ours->formulation, ours->integrator);
  Row row = {.engine = "here", .method = method, .setting = ours->step};
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    ChainRun run;
    run_ours(context, model, kind, ours, &run);
    keep_least(repeat, &run, &row.run);
  }
  print_row(table, count, &row, reference, kind == CHAIN_LOOPS);
}

typedef bool (*Peer)(ChainKind kind, int count, double setting, double end, ChainRun *run);

static void print_peer(const MeasureTable *table, ChainKind kind, int count, const char *engine, const char *method,
                       Peer peer, double setting, const double *reference) {
  Row row = {.engine = engine, .method = method, .setting = setting};
  bool is_done = true;
  for (int repeat = 0; repeat < REPEATS && is_done; ++repeat) {
    ChainRun run;
    is_done = peer(kind, count, setting, end, &run);
    if (is_done) {
      keep_least(repeat, &run, &row.run);
    }
  }
  if (is_done) {
    print_row(table, count, &row, reference, kind == CHAIN_LOOPS);
  }
}

static void compare(MbsContext *context, const MeasureTable *table, ChainKind kind, int count) {
  static const Ours open[] = {{"relative", "index1", "dormand-prince-5", 2e-2},
                              {"relative", "index1", "dormand-prince-5", 5e-3},
                              {"relative", "index1", "dormand-prince-8", 4e-3},
                              {"relative", "index1", "trapezoidal", 1e-3}};
  static const Ours loops[] = {{"natural", "index1", "dormand-prince-5", 2e-2},
                               {"natural", "index1", "dormand-prince-5", 5e-3},
                               {"natural", "index1", "trapezoidal", 1e-3},
                               {"natural", "ali3p", "trapezoidal", 1e-3},
                               {"relative", "index1", "trapezoidal", 1e-3}};
  const Ours best = kind == CHAIN_OPEN ? (Ours){"relative", "index1", "dormand-prince-8", 1e-4}
                                       : (Ours){"natural", "index1", "dormand-prince-8", 1e-4};
  MbsModel *model = model_of(context, kind, count);
  ChainRun reference;
  run_ours(context, model, kind, &best, &reference);
  for (int i = 0; i < (kind == CHAIN_OPEN ? 4 : 5); ++i) {
    print_ours(context, table, kind, count, model, kind == CHAIN_OPEN ? &open[i] : &loops[i], reference.position);
  }
  mbs_model_destroy(model);
#ifdef MBS_WITH_MUJOCO
  static const double steps[] = {5e-3, 1e-3};
  for (int i = 0; i < 2; ++i) {
    print_peer(table, kind, count, "MuJoCo", "Runge-Kutta 4", chain_mujoco, steps[i], reference.position);
  }
#endif
#ifdef MBS_WITH_SIMBODY
  static const double accuracies[] = {1e-4, 1e-7};
  for (int i = 0; i < 2; ++i) {
    print_peer(table, kind, count, "Simbody", "Merson, accuracy", chain_simbody, accuracies[i], reference.position);
  }
#endif
#if !defined MBS_WITH_MUJOCO && !defined MBS_WITH_SIMBODY
  (void)print_peer;
#endif
}

static const char *mujoco(void) {
#ifdef MBS_WITH_MUJOCO
  return chain_mujoco_version();
#else
  return "not installed";
#endif
}

static const char *simbody(void) {
#ifdef MBS_WITH_SIMBODY
  return chain_simbody_version();
#else
  return "not installed";
#endif
}

int main(int argc, char **argv) {
  static const int widths[COLUMNS] = {4, -8, -44, 12, 9, 9, 9};
  static const char *const heads[COLUMNS] = {"N", "engine", "method", "us per step", "ms", "error, m", "gap, m"};
  static const char *const titles[] = {"Open chains of N links", "Chains of N loops"};
  static const int counts[] = {10, 40, 160};
  bool is_markdown = false, is_long = false;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--has-counter") == 0) {
      return 0;  // it counts no instructions
    }
    is_markdown = is_markdown || strcmp(argv[i], "--markdown") == 0;
    is_long = is_long || strcmp(argv[i], "--long") == 0;
  }
  MbsContext *context = mbs_context_create();
  MeasureTable table = {.is_markdown = is_markdown, .column_count = COLUMNS, .widths = widths};
  for (int kind = CHAIN_OPEN; kind <= CHAIN_LOOPS && context; ++kind) {
    char title[200];
    (void)snprintf(title, sizeof title, "%s, %g s, time of the processor for the steps alone; MuJoCo: %s, Simbody: %s",
                   titles[kind], end, mujoco(), simbody());
    measure_title(&table, title, heads);
    for (int i = 0; i < (is_long ? 3 : 2); ++i) {
      compare(context, &table, (ChainKind)kind, counts[i]);
    }
  }
  mbs_context_destroy(context);
  return context ? 0 : 3;
}
