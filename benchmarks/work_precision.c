// Work and precision: what the gradient of the five-bar's psi1 by the natural lengths of both springs costs, over its
// error. All in one run: our integrators from the model file through a simulator (set-up apart), Dormand and Prince's
// method of order 8 on equations written by hand, and, where SUNDIALS is there, CVODES and IDAS on these (peers/).
//
//   benchmark_work_precision [--markdown] [--svg FILE]
//   benchmark_work_precision --run CONTENDER SETTING REPEATS      for valgrind, which counts the instructions
//
// Error: the largest of both derivatives' errors over the larger derivative. Time: the processor's, the least of many
// repeats, the cases taking turns. Instructions: by valgrind, the difference of two repeats and one; "-" without it.
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE  // syscall
#include <math.h>
#include <mbsens/simulator.h>
#include <stdlib.h>

#include "measure.h"
#include "peers/peers.h"

enum { MOST_SETTINGS = 6 };

typedef struct Contender {
  const char *name, *what, *unit;  // unit: of the settings
  // ours
  const char *formulation, *integrator;
  MbsMethod method;
  // a peer's, of a hand-written system (or of one that it knows)
  const HandSystem *system;
  long (*by_steps)(const HandSystem *system, long steps, double *gradient);
  long (*by_tolerance)(const HandSystem *system, double tolerance, double *gradient);
  double settings[MOST_SETTINGS];
} Contender;

#ifdef MBS_WITH_SUNDIALS
static long idas(const HandSystem *system, double tolerance, double *gradient) {
  (void)system;
  return peer_idas_forward(tolerance, gradient);
}
#endif

// Further integrators and methods are one more line each.
static const Contender contenders[] = {
    {.name = "trapezoidal",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "trapezoidal",
     .method = MBS_METHOD_DIRECT,
     .settings = {125, 250, 500, 1000, 4000}},
    {.name = "dormand-prince-5",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-5",
     .method = MBS_METHOD_DIRECT,
     .settings = {64, 128, 256, 512, 1024}},
    {.name = "dormand-prince-8",
     .what = "ours, index1, direct",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-8",
     .method = MBS_METHOD_DIRECT,
     .settings = {24, 32, 48, 64, 96, 128}},
    {.name = "dormand-prince-8 adjoint",
     .what = "ours, index1, adjoint",
     .unit = "steps",
     .formulation = "index1",
     .integrator = "dormand-prince-8",
     .method = MBS_METHOD_ADJOINT,
     .settings = {24, 32, 48, 64, 96, 128}},
    {.name = "order 8 by hand",
     .what = "two freedoms by hand, forward",
     .unit = "steps",
     .system = &hand_two,
     .by_steps = peer_order_8,
     .settings = {24, 32, 48, 64, 96, 128}},
#ifdef MBS_WITH_SUNDIALS
    {.name = "CVODES two",
     .what = "two freedoms by hand, forward",
     .unit = "tolerance",
     .system = &hand_two,
     .by_tolerance = peer_cvodes_forward,
     .settings = {1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12}},
    {.name = "CVODES two adjoint",
     .what = "two freedoms by hand, adjoint",
     .unit = "tolerance",
     .system = &hand_two,
     .by_tolerance = peer_cvodes_adjoint,
     .settings = {1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12}},
    {.name = "CVODES penalty",
     .what = "penalty by hand, forward",
     .unit = "tolerance",
     .system = &hand_penalty,
     .by_tolerance = peer_cvodes_forward,
     .settings = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}},
    {.name = "CVODES penalty adjoint",
     .what = "penalty by hand, adjoint",
     .unit = "tolerance",
     .system = &hand_penalty,
     .by_tolerance = peer_cvodes_adjoint,
     .settings = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}},
    {.name = "IDAS",
     .what = "index 1 by hand, forward",
     .unit = "tolerance",
     .by_tolerance = idas,
     .settings = {1e-5, 1e-6, 1e-7, 1e-8, 1e-10}},
#endif
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

// One contender with one setting, ready to run.
typedef struct Case {
  const Contender *contender;
  int index;  // of the setting
  MbsSimulator *simulator;
  double gradient[2];
  long steps;
  double seconds, instructions, error;
} Case;

static MbsContext *context;
static MbsModel *model;

static void must(MbsStatus status) {
  if (status != MBS_OK) {
    fprintf(stderr, "benchmark_work_precision: %s\n", mbs_context_message(context));
    exit(3);
  }
}

static double setting_of(const Case *which) { return which->contender->settings[which->index]; }

static void prepare(Case *which) {
  static const char *const parameters[] = {"Ls1", "Ls2"}, *const objectives[] = {"psi1"};
  const Contender *contender = which->contender;
  if (!contender->formulation) {
    return;
  }
  MbsRequest request;
  must(mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", contender->formulation);
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "%s", contender->integrator);
  request.settings.step = request.settings.end / setting_of(which);
  request.settings.has_no_outputs = true;
  request.method = contender->method;
  request.parameter_count = 2;
  request.parameters = parameters;
  request.objective_count = 1;
  request.objectives = objectives;
  must(mbs_simulator_create(context, model, &request, &which->simulator));
}

static void run(Case *which) {
  const Contender *contender = which->contender;
  if (contender->by_steps) {
    which->steps = contender->by_steps(contender->system, (long)setting_of(which), which->gradient);
  } else if (contender->by_tolerance) {
    which->steps = contender->by_tolerance(contender->system, setting_of(which), which->gradient);
  } else {
    must(mbs_simulator_run(context, which->simulator));
    which->steps = (long)setting_of(which);
    memcpy(which->gradient, mbs_simulator_gradient(which->simulator), sizeof which->gradient);
  }
}

static double error_of(const Case *which) {
  double worst = 0, largest = 0;
  for (int k = 0; k < 2; ++k) {
    worst = fmax(worst, fabs(which->gradient[k] - hand_reference[k]));
    largest = fmax(largest, fabs(hand_reference[k]));
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
static void print_tables(bool is_markdown, int count, const Case *cases) {
  static const int widths[] = {-24, -30, 16, 8, 9, 9, 14};
  static const char *const heads[] = {"contender", "equations", "setting", "steps", "error", "ms", "M instructions"};
  const MeasureTable table = {.is_markdown = is_markdown, .column_count = 7, .widths = widths};
  measure_title(&table,
                "The five-bar's gradient of psi1 by two parameters, 5 s: cost of one run without set-up over its error",
                heads);
  for (int i = 0; i < count; ++i) {
    char cells[7][MEASURE_CELL];
    const char *row[7];
    const Case *which = &cases[i];
    (void)snprintf(cells[0], MEASURE_CELL, "%s", which->contender->name);
    (void)snprintf(cells[1], MEASURE_CELL, "%s", which->contender->what);
    (void)snprintf(cells[2], MEASURE_CELL, "%g %s", setting_of(which), which->contender->unit);
    (void)snprintf(cells[3], MEASURE_CELL, "%ld", which->steps);
    measure_put(cells, 4, "%.1e", which->error);
    measure_put(cells, 5, "%.3f", 1e3 * which->seconds);
    measure_put(cells, 6, which->instructions > 0 ? "%.2f" : "-", 1e-6 * which->instructions);
    for (int j = 0; j < 7; ++j) {
      row[j] = cells[j];
    }
    measure_row(&table, row);
  }
}

// Two panels, logarithmic both ways: error upwards, time or instructions to the right.
static const char *const colours[] = {"#7f7f7f", "#2ca02c", "#1f77b4", "#17becf", "#d62728",
                                      "#ff7f0e", "#e0a030", "#9467bd", "#c5b0d5", "#8c564b"};
enum { LEFT = 60, WIDTH = 340, TOP = 30, HEIGHT = 330, BETWEEN = 420 };
static const double decades = 3.5;

static double at_error(double error) { return TOP + HEIGHT * (-2 - log10(fmax(error, 1e-12))) / 10; }
static double at_cost(double cost, double least) { return LEFT + WIDTH * (log10(cost) - least) / decades; }

static void draw_panel(FILE *out, int panel, int count, const Case *cases) {
  double least = panel == 0 ? -1.5 : -0.5;  // 0.03 to 100 ms; 0.3 to 1,000 M
  int x = panel * BETWEEN;
  fprintf(out,
          "<g transform=\"translate(%d,0)\">\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
          "stroke=\"#444\"/>\n",
          x, LEFT, TOP, WIDTH, HEIGHT);
  for (int e = -2; e >= -12; e -= 2) {
    double y = at_error(pow(10, e));
    fprintf(out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
            "text-anchor=\"end\">1e%d</text>\n",
            LEFT, LEFT + WIDTH, y, y, LEFT - 6, y + 4, e);
  }
  for (int e = (int)ceil(least); e <= least + decades; ++e) {
    double at = at_cost(pow(10, e), least);
    fprintf(out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" "
            "text-anchor=\"middle\">%g</text>\n",
            at, at, TOP, TOP + HEIGHT, at, TOP + HEIGHT + 16, pow(10, e));
  }
  fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + WIDTH / 2, TOP + HEIGHT + 34,
          panel == 0 ? "milliseconds of a run" : "million instructions of a run");
  for (int c = 0; c < CONTENDERS; ++c) {
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"", colours[c % 10],
            strstr(contenders[c].name, "adjoint") ? " stroke-dasharray=\"5,3\"" : "");
    for (int i = 0; i < count; ++i) {
      double cost = panel == 0 ? 1e3 * cases[i].seconds : 1e-6 * cases[i].instructions;
      if (cases[i].contender == &contenders[c] && cost > 0) {
        fprintf(out, "%.1f,%.1f ", at_cost(cost, least), at_error(cases[i].error));
      }
    }
    fprintf(out, "\"/>\n");
    for (int i = 0; i < count; ++i) {
      double cost = panel == 0 ? 1e3 * cases[i].seconds : 1e-6 * cases[i].instructions;
      if (cases[i].contender == &contenders[c] && cost > 0) {
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n", at_cost(cost, least),
                at_error(cases[i].error), colours[c % 10]);
      }
    }
  }
  fprintf(out, "</g>\n");
}

static void draw(const char *path, int count, const Case *cases) {
  FILE *out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "benchmark_work_precision: cannot write %s\n", path);
    exit(3);
  }
  int rows = (CONTENDERS + 2) / 3, height = TOP + HEIGHT + 50 + 18 * rows;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"840\" height=\"%d\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n",
          height);
  fprintf(out,
          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"18\">error of the gradient of "
          "psi1 by Ls1, Ls2</text>\n",
          LEFT);
  draw_panel(out, 0, count, cases);
  draw_panel(out, 1, count, cases);
  for (int c = 0; c < CONTENDERS; ++c) {
    int x = LEFT + c % 3 * 260, y = TOP + HEIGHT + 56 + c / 3 * 18;
    fprintf(out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"%s/><text x=\"%d\" "
            "y=\"%d\">%s</text>\n",
            x, x + 26, y - 4, y - 4, colours[c % 10],
            strstr(contenders[c].name, "adjoint") ? " stroke-dasharray=\"5,3\"" : "", x + 32, y, contenders[c].name);
  }
  fprintf(out, "</svg>\n");
  (void)fclose(out);
}

static int run_one(char **arguments) {
  Case which = {.contender = &contenders[atoi(arguments[0]) % CONTENDERS], .index = atoi(arguments[1]) % MOST_SETTINGS};
  prepare(&which);
  for (int i = 0; i < atoi(arguments[2]); ++i) {
    run(&which);
  }
  mbs_simulator_destroy(which.simulator);
  return 0;
}

static int run_all(const char *program, bool is_markdown, const char *svg) {
  enum { REPEATS = 20, LEAST_REPEATS = 3 };
  static Case cases[CONTENDERS * MOST_SETTINGS];
  bool has_valgrind = system("command -v valgrind >/dev/null 2>&1") == 0;
  int count = 0;
  for (int c = 0; c < CONTENDERS; ++c) {
    for (int s = 0; s < MOST_SETTINGS && contenders[c].settings[s] > 0; ++s) {
      cases[count++] = (Case){.contender = &contenders[c], .index = s};
    }
  }
  for (int i = 0; i < count; ++i) {
    prepare(&cases[i]);
  }
  double began = measure_processor();
  for (int repeat = 0; repeat < REPEATS && (repeat < LEAST_REPEATS || measure_processor() - began < 10); ++repeat) {
    for (int i = 0; i < count; ++i) {
      double start = measure_processor();
      run(&cases[i]);
      measure_keep_least(&cases[i].seconds, measure_processor() - start);
    }
  }
  for (int i = 0; i < count; ++i) {
    cases[i].error = error_of(&cases[i]);
    if (cases[i].steps < 0) {
      fprintf(stderr, "benchmark_work_precision: %s fails with %g\n", cases[i].contender->name, setting_of(&cases[i]));
      exit(3);
    }
    if (has_valgrind) {
      cases[i].instructions = count_instructions(program, &cases[i], 2) - count_instructions(program, &cases[i], 1);
    }
    mbs_simulator_destroy(cases[i].simulator);
  }
  const char *sundials = mbs_sundials_version();
  printf(
      "gcc %s, -O2; SUNDIALS %s (Debian): Adams and fixed points, IDAS with dense matrices, absolute tolerance a "
      "hundredth, sensitivities and psi under error control\n",
      __VERSION__, sundials ? sundials : "not built in");
  print_tables(is_markdown, count, cases);
  if (svg) {
    draw(svg, count, cases);
  }
  return 0;
}

int main(int argument_count, char **arguments) {
  bool is_markdown = false;
  const char *svg = NULL;
  int status = 0;
  context = mbs_context_create();
  must(mbs_model_read_file(context, "models/five_bar.yaml", &model));
  for (int i = 1; i < argument_count; ++i) {
    is_markdown = is_markdown || strcmp(arguments[i], "--markdown") == 0;
    svg = strcmp(arguments[i], "--svg") == 0 && i + 1 < argument_count ? arguments[i + 1] : svg;
  }
  if (argument_count == 2 && strcmp(arguments[1], "--has-counter") == 0) {
    status = 0;  // scripts/bench: nothing to count for it
  } else if (argument_count == 5 && strcmp(arguments[1], "--run") == 0) {
    status = run_one(arguments + 2);
  } else {
    status = run_all(arguments[0], is_markdown, svg);
  }
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return status;
}
