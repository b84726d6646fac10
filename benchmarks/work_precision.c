// Work and precision: what a gradient costs, over its error, of three mechanisms. All in one run: our integrators from
// the model file through a simulator (set-up apart), with steps of one size; runs to an accuracy (mbs_run, set-up
// included); CVODES and IDAS on our terms (likewise), where SUNDIALS is there. Of the five-bar also what others do with
// equations written by hand for it (peers/): Dormand and Prince's method of order 8, CVODES, IDAS; and MuJoCo, where
// that is there.
//
//   benchmark_work_precision [--markdown] [--svg FOLDER] [--only PROBLEM]
//   benchmark_work_precision --run CONTENDER SETTING REPEATS      for valgrind, which counts the instructions
//
// Error: the largest of all derivatives' errors over the largest derivative, each times its parameter. Time: the
// processor's, the least of many repeats, the cases taking turns. Instructions: by valgrind, the difference of two
// repeats and one; "-" without it. Constraints: the worst residual of positions on the way; of MuJoCo the gap, in m.
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE  // syscall
#include <math.h>
#include <mbsens/simulator.h>
#include <stdlib.h>

#include "measure.h"
#include "peers/peers.h"
#include "peers/plot.h"

enum { MOST_SETTINGS = 6, MOST_PARAMETERS = 4 };

typedef enum ProblemName { FIVE_BAR, ANDREWS, WISHBONE, PROBLEMS } ProblemName;

typedef struct Problem {
  const char *name, *title, *file, *objective;
  int parameter_count;
  const char *parameters[MOST_PARAMETERS];
} Problem;

static const Problem problems[PROBLEMS] = {
    {.name = "five_bar",
     .title = "The five-bar's gradient of psi1 by two parameters, 5 s",
     .file = "models/five_bar.yaml",
     .objective = "psi1",
     .parameter_count = 2,
     .parameters = {"Ls1", "Ls2"}},
    {.name = "andrews",
     .title = "The gradient of the angle beta of Andrews' mechanism by four parameters, 0.03 s",
     .file = "models/andrews.yaml",
     .objective = "beta",
     .parameter_count = 4,
     .parameters = {"c0", "l0", "mom", "m1"}},
    {.name = "double_wishbone",
     .title = "The gradient of the comfort of the double wishbone by four parameters, 0.6 s",
     .file = "models/double_wishbone.yaml",
     .objective = "comfort",
     .parameter_count = 4,
     .parameters = {"k", "c", "mw", "bump"}}};

typedef struct Contender {
  ProblemName problem;
  const char *name, *what, *unit;  // unit: of the settings
  // ours; or SUNDIALS on our terms, by the method
  const char *formulation, *integrator;
  MbsMethod method;
  bool is_to_accuracy;
  // a peer's, of a hand-written system (or of one that it knows)
  const HandSystem *system;
  long (*by_steps)(const HandSystem *system, long steps, double *gradient);
  long (*by_tolerance)(const HandSystem *system, double tolerance, double *gradient);
  long (*with_gap)(long steps, double *gradient, double *gap);
  double settings[MOST_SETTINGS];
} Contender;

#ifdef MBS_WITH_SUNDIALS
static long idas(const HandSystem *system, double tolerance, double *gradient) {
  (void)system;
  return peer_idas_forward(tolerance, gradient);
}
#endif

// Further integrators and methods are one more line each. What is not offered here (an integrator that this version
// does not have, a method without SUNDIALS) is left out.
static const Contender contenders[] = {
    {.problem = FIVE_BAR,
     .name = "trapezoidal",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "trapezoidal",
     .method = MBS_METHOD_DIRECT,
     .settings = {125, 250, 500, 1000, 4000}},
    {.problem = FIVE_BAR,
     .name = "dormand-prince-5",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-5",
     .method = MBS_METHOD_DIRECT,
     .settings = {64, 128, 256, 512, 1024}},
    {.problem = FIVE_BAR,
     .name = "dormand-prince-8",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-8",
     .method = MBS_METHOD_DIRECT,
     .settings = {24, 32, 48, 64, 96, 128}},
    {.problem = FIVE_BAR,
     .name = "dormand-prince-8 adjoint",
     .what = "ours, index1, adjoint",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-8",
     .method = MBS_METHOD_ADJOINT,
     .settings = {24, 32, 48, 64, 96, 128}},
    {.problem = FIVE_BAR,
     .name = "radau-5",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "radau-5",
     .method = MBS_METHOD_DIRECT,
     .settings = {48, 96, 192, 384, 768}},
    {.problem = FIVE_BAR,
     .name = "to an accuracy",
     .what = "ours, chosen, direct",
     .unit = "asked",
     .formulation = "auto",
     .integrator = "auto",
     .method = MBS_METHOD_DIRECT,
     .is_to_accuracy = true,
     .settings = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}},
    {.problem = FIVE_BAR,
     .name = "order 8 by hand",
     .what = "two freedoms by hand, forward",
     .unit = "steps",
     .system = &hand_two,
     .by_steps = peer_order_8,
     .settings = {24, 32, 48, 64, 96, 128}},
#ifdef MBS_WITH_SUNDIALS
    {.problem = FIVE_BAR,
     .name = "CVODES two",
     .what = "two freedoms by hand, forward",
     .unit = "tolerance",
     .system = &hand_two,
     .by_tolerance = peer_cvodes_forward,
     .settings = {1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12}},
    {.problem = FIVE_BAR,
     .name = "CVODES two adjoint",
     .what = "two freedoms by hand, adjoint",
     .unit = "tolerance",
     .system = &hand_two,
     .by_tolerance = peer_cvodes_adjoint,
     .settings = {1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12}},
    {.problem = FIVE_BAR,
     .name = "CVODES penalty",
     .what = "penalty by hand, forward",
     .unit = "tolerance",
     .system = &hand_penalty,
     .by_tolerance = peer_cvodes_forward,
     .settings = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}},
    {.problem = FIVE_BAR,
     .name = "CVODES penalty adjoint",
     .what = "penalty by hand, adjoint",
     .unit = "tolerance",
     .system = &hand_penalty,
     .by_tolerance = peer_cvodes_adjoint,
     .settings = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}},
    {.problem = FIVE_BAR,
     .name = "IDAS",
     .what = "index 1 by hand, forward",
     .unit = "tolerance",
     .by_tolerance = idas,
     .settings = {1e-5, 1e-6, 1e-7, 1e-8, 1e-10}},
#endif
#ifdef MBS_WITH_MUJOCO
    {.problem = FIVE_BAR,
     .name = "MuJoCo",
     .what = "hinges, soft constraint, central differences",
     .unit = "steps",
     .with_gap = peer_mujoco,
     .settings = {500, 1000, 2000, 4000, 16000}},
#endif
    {.problem = ANDREWS,
     .name = "trapezoidal",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "trapezoidal",
     .method = MBS_METHOD_DIRECT,
     .settings = {1500, 3000, 6000, 12000}},
    {.problem = ANDREWS,
     .name = "dormand-prince-5",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-5",
     .method = MBS_METHOD_DIRECT,
     .settings = {256, 512, 1024, 2048}},
    {.problem = ANDREWS,
     .name = "dormand-prince-8",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-8",
     .method = MBS_METHOD_DIRECT,
     .settings = {128, 192, 256, 384, 512, 768}},
    {.problem = ANDREWS,
     .name = "dormand-prince-8 adjoint",
     .what = "ours, index1, adjoint",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-8",
     .method = MBS_METHOD_ADJOINT,
     .settings = {128, 192, 256, 384, 512, 768}},
    {.problem = ANDREWS,
     .name = "radau-5",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "radau-5",
     .method = MBS_METHOD_DIRECT,
     .settings = {192, 384, 768, 1536}},
    {.problem = ANDREWS,
     .name = "to an accuracy",
     .what = "ours, chosen, direct",
     .unit = "asked",
     .formulation = "auto",
     .integrator = "auto",
     .method = MBS_METHOD_DIRECT,
     .is_to_accuracy = true,
     .settings = {1e-2, 1e-4, 1e-6, 1e-8}},
    {.problem = ANDREWS,
     .name = "CVODES, our terms",
     .what = "matrix-r, forward",
     .unit = "tolerance",
     .formulation = "matrix-r",
     .integrator = "auto",
     .method = MBS_METHOD_CVODES_FORWARD,
     .settings = {1e-5, 1e-7, 1e-9}},
    {.problem = ANDREWS,
     .name = "CVODES adjoint, our terms",
     .what = "matrix-r, adjoint",
     .unit = "tolerance",
     .formulation = "matrix-r",
     .integrator = "auto",
     .method = MBS_METHOD_CVODES_ADJOINT,
     .settings = {1e-5, 1e-7, 1e-9}},
    {.problem = ANDREWS,
     .name = "IDAS, our terms",
     .what = "index1, forward",
     .unit = "tolerance",
     .formulation = "index1",
     .integrator = "auto",
     .method = MBS_METHOD_IDAS_FORWARD,
     .settings = {1e-5, 1e-7, 1e-9}},
    {.problem = WISHBONE,
     .name = "trapezoidal",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "trapezoidal",
     .method = MBS_METHOD_DIRECT,
     .settings = {60, 120, 240, 480, 960, 1920}},
    {.problem = WISHBONE,
     .name = "ali3p",
     .what = "ours, ali3p, direct",
     .unit = "steps",
     .formulation = "ali3p",
     .integrator = "trapezoidal",
     .method = MBS_METHOD_DIRECT,
     .settings = {60, 120, 240, 480, 960}},
    {.problem = WISHBONE,
     .name = "dormand-prince-8",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-8",
     .method = MBS_METHOD_DIRECT,
     .settings = {240, 480, 960, 1920}},
    {.problem = WISHBONE,
     .name = "dormand-prince-8 adjoint",
     .what = "ours, index1, adjoint",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-8",
     .method = MBS_METHOD_ADJOINT,
     .settings = {240, 480, 960}},
    {.problem = WISHBONE,
     .name = "radau-5",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "radau-5",
     .method = MBS_METHOD_DIRECT,
     .settings = {30, 60, 120, 240, 480}},
    {.problem = WISHBONE,
     .name = "to an accuracy",
     .what = "ours, chosen, direct",
     .unit = "asked",
     .formulation = "auto",
     .integrator = "auto",
     .method = MBS_METHOD_DIRECT,
     .is_to_accuracy = true,
     .settings = {1e-2, 1e-3, 1e-4, 1e-6}},
    {.problem = WISHBONE,
     .name = "CVODES, our terms",
     .what = "matrix-r, forward",
     .unit = "tolerance",
     .formulation = "matrix-r",
     .integrator = "auto",
     .method = MBS_METHOD_CVODES_FORWARD,
     .settings = {1e-5, 1e-7}},
    {.problem = WISHBONE,
     .name = "IDAS, our terms",
     .what = "index1, forward",
     .unit = "tolerance",
     .formulation = "index1",
     .integrator = "auto",
     .method = MBS_METHOD_IDAS_FORWARD,
     .settings = {1e-5, 1e-7}},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

// One contender with one setting, ready to run.
typedef struct Case {
  const Contender *contender;
  int index;                // of the setting
  MbsSimulator *simulator;  // of runs with steps of one size
  MbsRequest request;       // of others
  double gradient[MOST_PARAMETERS];
  long steps;
  double gap;  // of constraints; 0: not known
  double seconds, instructions, error;
} Case;

static MbsContext *context;
static MbsModel *models[PROBLEMS];
static double references[PROBLEMS][MOST_PARAMETERS], sizes[PROBLEMS][MOST_PARAMETERS];

static void must(MbsStatus status) {
  if (status != MBS_OK) {
    fprintf(stderr, "benchmark_work_precision: %s\n", mbs_context_message(context));
    exit(3);
  }
}

static double setting_of(const Case *which) { return which->contender->settings[which->index]; }
static const Problem *problem_of(const Case *which) { return &problems[which->contender->problem]; }

static void need_model(ProblemName problem) {
  if (!models[problem]) {
    must(mbs_model_read_file(context, problems[problem].file, &models[problem]));
  }
}

static MbsRequest request_of(ProblemName name, const char *formulation, const char *integrator) {
  const Problem *problem = &problems[name];
  MbsRequest request;
  must(mbs_request_default(context, models[name], &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", formulation);
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "%s", integrator);
  request.settings.has_no_outputs = true;
  request.parameter_count = problem->parameter_count;
  request.parameters = problem->parameters;
  request.objective_count = 1;
  request.objectives = &problem->objective;
  return request;
}

// false: not offered, or it fails
static bool prepare(Case *which) {
  const Contender *contender = which->contender;
  need_model(contender->problem);
  if (!contender->formulation) {
    return true;
  }
  MbsRequest *request = &which->request;
  *request = request_of(contender->problem, contender->formulation, contender->integrator);
  request->method = contender->method;
  if (contender->is_to_accuracy) {
    request->settings.accuracy = setting_of(which);
  } else if (contender->method >= MBS_METHOD_CVODES_FORWARD) {
    request->sundials_tolerance = setting_of(which);
  } else {
    request->settings.step = request->settings.end / setting_of(which);
    return mbs_simulator_create(context, models[contender->problem], request, &which->simulator) == MBS_OK;
  }
  return true;
}

static bool run_simulator(Case *which) {
  if (mbs_simulator_run(context, which->simulator) != MBS_OK) {
    return false;
  }
  which->steps = (long)setting_of(which);
  memcpy(which->gradient, mbs_simulator_gradient(which->simulator),
         (size_t)problem_of(which)->parameter_count * sizeof *which->gradient);
  return true;
}

static bool run_whole(Case *which) {
  MbsResult *result;
  MbsStatus status = mbs_run(context, models[which->contender->problem], &which->request, &result);
  if (status == MBS_OK) {
    which->steps = which->contender->is_to_accuracy ? result->accuracy.last_steps : result->statistics.steps;
    which->gap = result->statistics.residual_position;
    memcpy(which->gradient, result->gradient, (size_t)result->parameter_count * sizeof *which->gradient);
  }
  mbs_result_destroy(result);
  return status == MBS_OK;
}

static bool run(Case *which) {
  const Contender *contender = which->contender;
  if (contender->formulation) {
    return which->simulator ? run_simulator(which) : run_whole(which);
  }
  if (contender->with_gap) {
    which->steps = contender->with_gap((long)setting_of(which), which->gradient, &which->gap);
  } else {
    which->steps = contender->by_steps
                       ? contender->by_steps(contender->system, (long)setting_of(which), which->gradient)
                       : contender->by_tolerance(contender->system, setting_of(which), which->gradient);
  }
  return which->steps >= 0;
}

// what is left of constraints: a run of its own, for a simulator does not tell it while it is measured
static void find_gap(Case *which) {
  MbsResult *result;
  if (which->simulator && mbs_simulator_result(context, which->simulator, &result) == MBS_OK) {
    which->gap = result->statistics.residual_position;
    mbs_result_destroy(result);
  }
}

// Of the five-bar what three programs agree on; else order 8 in relative coordinates, to an accuracy.
static void find_reference(ProblemName name) {
  need_model(name);
  MbsRequest request = request_of(name, "index1", "dormand-prince-8");
  MbsResult *result;
  request.method = MBS_METHOD_DIRECT;
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "relative");
  request.settings.accuracy = name == WISHBONE ? 1e-7 : 1e-10;
  must(mbs_run(context, models[name], &request, &result));
  for (int k = 0; k < result->parameter_count; ++k) {
    references[name][k] = name == FIVE_BAR ? hand_reference[k] : result->gradient[k];
    sizes[name][k] = fabs(result->parameter_values[k]);
  }
  mbs_result_destroy(result);
}

static double error_of(const Case *which) {
  const double *reference = references[which->contender->problem], *size = sizes[which->contender->problem];
  double worst = 0, largest = 0;
  for (int k = 0; k < problem_of(which)->parameter_count; ++k) {
    worst = fmax(worst, size[k] * fabs(which->gradient[k] - reference[k]));
    largest = fmax(largest, size[k] * fabs(reference[k]));
  }
  return worst / largest;
}

// ---- instructions ----
static double count_instructions(const char *program, const Case *which, int repeats) {
  char line[1024];
  (void)snprintf(line, sizeof line,
                 "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null '%s' --run %d %d %d 2>&1 | "
                 "awk '/I +refs:/ {gsub(\",\", \"\", $NF); print $NF}'",
                 program, (int)(which->contender - contenders), which->index, repeats);
  FILE *pipe = popen(line, "r");
  double count = 0;
  bool is_there = pipe && fscanf(pipe, "%lf", &count) == 1;
  if (pipe) {
    (void)pclose(pipe);
  }
  return is_there ? count : 0;
}

// ---- what came out ----
static void print_table(bool is_markdown, const Problem *problem, int count, const Case *cases) {
  static const int widths[] = {-25, -32, 16, 8, 9, 11, 9, 14};
  static const char *const heads[] = {"contender", "equations",   "setting", "steps",
                                      "error",     "constraints", "ms",      "M instructions"};
  enum { COLUMNS = sizeof heads / sizeof heads[0] };
  const MeasureTable table = {.is_markdown = is_markdown, .column_count = COLUMNS, .widths = widths};
  char title[200];
  (void)snprintf(title, sizeof title, "%s: cost of one run over its error", problem->title);
  measure_title(&table, title, heads);
  for (int i = 0; i < count; ++i) {
    char cells[COLUMNS][MEASURE_CELL];
    const char *row[COLUMNS];
    const Case *which = &cases[i];
    (void)snprintf(cells[0], MEASURE_CELL, "%s", which->contender->name);
    (void)snprintf(cells[1], MEASURE_CELL, "%s", which->contender->what);
    (void)snprintf(cells[2], MEASURE_CELL, "%g %s", setting_of(which), which->contender->unit);
    (void)snprintf(cells[3], MEASURE_CELL, "%ld", which->steps);
    measure_put(cells, 4, "%.1e", which->error);
    measure_put(cells, 5, which->gap > 0 ? "%.0e" : "-", which->gap);
    measure_put(cells, 6, "%.3f", 1e3 * which->seconds);
    measure_put(cells, 7, which->instructions > 0 ? "%.2f" : "-", 1e-6 * which->instructions);
    for (int j = 0; j < COLUMNS; ++j) {
      row[j] = cells[j];
    }
    measure_row(&table, row);
  }
}

static void draw(const char *folder, const Problem *problem, int count, const Case *cases) {
  PlotPoint points[CONTENDERS * MOST_SETTINGS];
  const char *names[CONTENDERS];
  int lines = 0;
  for (int i = 0; i < count; ++i) {
    bool is_new = i == 0 || cases[i].contender != cases[i - 1].contender;
    lines += is_new;
    names[lines - 1] = cases[i].contender->name;
    points[i] = (PlotPoint){
        .line = lines - 1, .error = cases[i].error, .cost = {1e3 * cases[i].seconds, 1e-6 * cases[i].instructions}};
  }
  const Plot plot = {.title = problem->title,
                     .axes = {"milliseconds of a run", "million instructions of a run"},
                     .line_count = lines,
                     .names = names,
                     .count = count,
                     .points = points};
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/work_precision_%s.svg", folder, problem->name);
  if (!plot_write(path, &plot)) {
    fprintf(stderr, "benchmark_work_precision: cannot write %s\n", path);
    exit(3);
  }
}

// ---- all of a problem ----
// those that run: the first run warms up, and tells
static int gather(ProblemName name, Case *cases) {
  int count = 0;
  for (int c = 0; c < CONTENDERS; ++c) {
    for (int s = 0; s < MOST_SETTINGS && contenders[c].problem == name && contenders[c].settings[s] > 0; ++s) {
      Case *which = &cases[count];
      *which = (Case){.contender = &contenders[c], .index = s};
      if (prepare(which) && run(which)) {
        find_gap(which);
        ++count;
      } else {
        fprintf(stderr, "benchmark_work_precision: %s, %s, %g %s: left out (%s)\n", problems[name].name,
                contenders[c].name, setting_of(which), contenders[c].unit, mbs_context_message(context));
        mbs_simulator_destroy(which->simulator);
      }
    }
  }
  return count;
}

static void measure_all(const char *program, bool is_markdown, const char *folder, ProblemName name) {
  enum { REPEATS = 20, LEAST_REPEATS = 3 };
  static Case cases[CONTENDERS * MOST_SETTINGS];
  bool has_valgrind = system("command -v valgrind >/dev/null 2>&1") == 0;
  find_reference(name);
  int count = gather(name, cases);
  double began = measure_processor();
  for (int repeat = 0; repeat < REPEATS && (repeat < LEAST_REPEATS || measure_processor() - began < 10); ++repeat) {
    for (int i = 0; i < count; ++i) {
      double start = measure_processor();
      (void)run(&cases[i]);
      measure_keep_least(&cases[i].seconds, measure_processor() - start);
    }
  }
  for (int i = 0; i < count; ++i) {
    cases[i].error = error_of(&cases[i]);
    if (has_valgrind) {
      cases[i].instructions = count_instructions(program, &cases[i], 2) - count_instructions(program, &cases[i], 1);
    }
    mbs_simulator_destroy(cases[i].simulator);
  }
  print_table(is_markdown, &problems[name], count, cases);
  if (folder) {
    draw(folder, &problems[name], count, cases);
  }
}

static int run_one(char **arguments) {
  Case which = {.contender = &contenders[atoi(arguments[0]) % CONTENDERS], .index = atoi(arguments[1]) % MOST_SETTINGS};
  bool is_good = prepare(&which);
  for (int i = 0; i < atoi(arguments[2]) && is_good; ++i) {
    is_good = run(&which);
  }
  mbs_simulator_destroy(which.simulator);
  return is_good ? 0 : 3;
}

int main(int argument_count, char **arguments) {
  bool is_markdown = false;
  const char *folder = NULL, *only = NULL;
  int status = 0;
  context = mbs_context_create();
  for (int i = 1; i < argument_count; ++i) {
    is_markdown = is_markdown || strcmp(arguments[i], "--markdown") == 0;
    folder = strcmp(arguments[i], "--svg") == 0 && i + 1 < argument_count ? arguments[i + 1] : folder;
    only = strcmp(arguments[i], "--only") == 0 && i + 1 < argument_count ? arguments[i + 1] : only;
  }
  if (argument_count == 2 && strcmp(arguments[1], "--has-counter") == 0) {
    status = 0;  // scripts/bench: nothing to count for it
  } else if (argument_count == 5 && strcmp(arguments[1], "--run") == 0) {
    status = run_one(arguments + 2);
  } else {
    const char *sundials = mbs_sundials_version(), *mujoco = "not built in";
#ifdef MBS_WITH_MUJOCO
    mujoco = peer_mujoco_version();
#endif
    printf(
        "gcc %s, -O2; SUNDIALS %s (Debian): by hand Adams and fixed points, IDAS with dense matrices, absolute "
        "tolerance "
        "a hundredth, sensitivities and psi under error control; MuJoCo %s (Debian): RK4, Newton, impedance 0.9999, "
        "differences of 1e-5\n",
        __VERSION__, sundials ? sundials : "not built in", mujoco);
    for (int p = 0; p < PROBLEMS; ++p) {
      if (!only || strcmp(only, problems[p].name) == 0) {
        measure_all(arguments[0], is_markdown, folder, (ProblemName)p);
      }
    }
  }
  for (int p = 0; p < PROBLEMS; ++p) {
    mbs_model_destroy(models[p]);
  }
  mbs_context_destroy(context);
  return status;
}
