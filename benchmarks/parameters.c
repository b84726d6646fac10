// What gradients cost when parameters are many: a chain of bars that hangs from the ground with torsional springs
// between its links, all whose numbers are parameters, ten of each link; one objective. And what simulation and adjoint
// gradient cost together in every formulation.
//
//   benchmark_parameters [--markdown]
//
// Times are the processor's, the least of several whole calls of mbs_run, the methods taking turns; what takes longer
// than a second, once.
#define _DEFAULT_SOURCE  // syscall
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "mbsens/mbsens.h"
#include "measure.h"

enum { LINKS = 100, KINDS = 10, PARAMETERS = KINDS * LINKS, MOST_TEXT = 1000 * LINKS };
static const int counts[] = {1, 10, 100, PARAMETERS};
enum { COUNTS = sizeof counts / sizeof counts[0] };
static const double seconds_for_ratios = 30;

static void must(MbsContext *context, MbsStatus status) {
  if (status != MBS_OK) {
    fprintf(stderr, "benchmark_parameters: %s\n", mbs_context_message(context));
    exit(3);
  }
}

// ---- the model ----
typedef struct Text {
  char *letters;
  size_t length;
} Text;

static void add(Text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text->letters + text->length, MOST_TEXT - text->length, format, arguments);
  va_end(arguments);
  text->length += (size_t)length;
}

static void add_owner(Text *text, const char *before, int link) {
  if (link > 0) {
    add(text, "%sbar%d", before, link);
  } else {
    add(text, "%sground", before);
  }
}

// of each link: mass, length, centre of mass, inertia; stiffness, damping and angle of its spring; a force at its end
static const char kinds[] = "mLxyIkcauw";

static MbsModel *build_chain(MbsContext *context) {
  static const double values[] = {1, 0.1, 0.05, 0.002, 0.001, 20, 0.05, 0.01, 0.1, 0.2};
  MbsModel *model;
  Text text = {calloc(MOST_TEXT, 1), 0};
  add(&text, "mbsens: 1\nname: chain\ngravity: [0, -9.81]\nparameters:\n");
  for (int i = 0; i < PARAMETERS; ++i) {
    bool is_length = kinds[i % KINDS] == 'L';  // all the same, since the start is given by points
    double value = values[i % KINDS] * (is_length ? 1 : 1 + 0.01 * (i % 7));
    add(&text, "  %c%d: %g\n", kinds[i % KINDS], 1 + i / KINDS, value);
  }
  add(&text, "ground: {points: {P0: [0, 0]}}\nbodies:\n");
  for (int i = 1; i <= LINKS; ++i) {
    add(&text, "  bar%d: {mass: m%d, com: [x%d, y%d], inertia: I%d, points: {P%d: [0, 0], P%d: [L%d, 0]}}\n", i, i, i,
        i, i, i - 1, i, i);
  }
  add(&text, "joints:\n");
  for (int i = 1; i <= LINKS; ++i) {
    add_owner(&text, "  - revolute: [", i - 1);
    add(&text, ".P%d, bar%d.P%d]\n", i - 1, i, i - 1);
  }
  add(&text, "forces:\n");
  for (int i = 1; i <= LINKS; ++i) {
    add_owner(&text, "  - {torsional_spring: [", i - 1);
    add(&text, ", bar%d], stiffness: k%d, damping: c%d, angle: a%d}\n", i, i, i, i);
    add(&text, "  - {point_force: bar%d.P%d, value: [u%d, w%d]}\n", i, i, i, i);
  }
  add(&text, "initial:\n  points:\n");
  for (int i = 1; i <= LINKS; ++i) {
    add(&text, "    P%d: [%.17g, %.17g]\n", i, 0.1 * i * cos(0.3), -0.1 * i * sin(0.3));
  }
  add(&text, "objectives:\n  tip: {integral: \"dot(r(P%d), r(P%d))\"}\n", LINKS, LINKS);
  add(&text, "simulation: {end: 0.05, step: 0.001}\n");
  must(context, mbs_model_read_text(context, text.letters, text.length, "chain.yaml", &model));
  free(text.letters);
  return model;
}

// ---- one objective and n parameters ----
typedef struct Method {
  const char *name;
  MbsMethod method;
  double seconds[COUNTS];  // by number of parameters
} Method;

static double run(MbsContext *context, const MbsModel *model, const MbsRequest *request) {
  MbsResult *result;
  double began = measure_processor();
  must(context, mbs_run(context, model, request, &result));
  double seconds = measure_processor() - began;
  mbs_result_destroy(result);
  return seconds;
}

static double run_method(MbsContext *context, const MbsModel *model, MbsMethod method, int parameter_count) {
  static char letters[PARAMETERS][16];
  static const char *names[PARAMETERS];
  MbsRequest request;
  for (int i = 0; i < parameter_count; ++i) {
    (void)snprintf(letters[i], sizeof letters[i], "%c%d", kinds[i % KINDS], 1 + i / KINDS);
    names[i] = letters[i];
  }
  must(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "index1");
  request.method = method;
  request.difference = MBS_DIFFERENCE_CENTRAL;
  request.parameter_count = parameter_count;
  request.parameters = names;
  return run(context, model, &request);
}

static void print_methods(bool is_markdown, MbsContext *context, const MbsModel *model) {
  Method methods[] = {{.name = "simulation", .method = MBS_METHOD_NONE},
                      {.name = "adjoint", .method = MBS_METHOD_ADJOINT},
                      {.name = "direct", .method = MBS_METHOD_DIRECT},
                      {.name = "central differences", .method = MBS_METHOD_FINITE_DIFFERENCE}};
  enum { METHODS = sizeof methods / sizeof methods[0], REPEATS = 15 };
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    for (int k = 0; k < COUNTS; ++k) {
      for (int i = 0; i < METHODS; ++i) {
        double *seconds = &methods[i].seconds[k];
        if (repeat == 0 || *seconds < 1) {
          measure_keep_least(seconds, run_method(context, model, methods[i].method, counts[k]));
        }
      }
    }
  }
  static const int widths[] = {-20, 9, 9, 9, 9, 14};
  static const char *const heads[] = {"method", "n = 1", "n = 10", "n = 100", "n = 1000", "per parameter"};
  MeasureTable table = {is_markdown, 6, widths};
  measure_title(&table,
                "Milliseconds for the gradient of one objective of a chain of 100 bars with respect to n parameters, "
                "index1, 50 steps of 0.001 s, a whole call with compiling; what a parameter adds, in simulations",
                heads);
  for (int i = 0; i < METHODS; ++i) {
    char text[5][MEASURE_CELL] = {"", "", "", "", ""};
    for (int k = 0; k < COUNTS; ++k) {
      measure_put(text, k, methods[i].seconds[k] < 1 ? "%.1f" : "%.0f", 1e3 * methods[i].seconds[k]);
    }
    double added = (methods[i].seconds[COUNTS - 1] - methods[i].seconds[1]) / (counts[COUNTS - 1] - counts[1]);
    if (methods[i].method != MBS_METHOD_NONE) {
      measure_put(text, 4, "%.4f", added / methods[0].seconds[0]);
    }
    measure_row(&table, (const char *[]){methods[i].name, text[0], text[1], text[2], text[3], text[4]});
  }
}

// ---- simulation and adjoint gradient, in every formulation ----
enum { SIMULATION, ADJOINT };
typedef struct Pair {
  double seconds[2][2];  // of a simulation or with the gradient; to half of the end, or to the end
} Pair;

// what the steps of the second half cost: neither compiling nor the start
static double steps_of(const Pair *pair, int method) { return pair->seconds[method][1] - pair->seconds[method][0]; }

static void measure_pair(MbsContext *context, const MbsModel *model, const char *formulation, const char *objective,
                         double end, Pair *pair) {
  for (int method = SIMULATION; method <= ADJOINT; ++method) {
    for (int half = 0; half < 2; ++half) {
      MbsRequest request;
      must(context, mbs_request_default(context, model, &request));
      (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
      request.settings.step = 1e-3;
      request.settings.end = half ? end : end / 2;
      request.method = method == ADJOINT ? MBS_METHOD_ADJOINT : MBS_METHOD_NONE;
      request.objective_count = 1;
      request.objectives = &objective;
      measure_keep_least(&pair->seconds[method][half], run(context, model, &request));
    }
  }
}

static void print_ratios(bool is_markdown, MbsContext *context, const MbsModel *chain) {
  static const char *const formulations[] = {"index1", "penalty", "ali1", "index3", "ali3p", "matrix-r"};
  enum { FORMULATIONS = sizeof formulations / sizeof formulations[0] };
  MbsModel *five_bar;
  Pair pairs[2][FORMULATIONS] = {{{{{0}}}}};
  must(context, mbs_model_read_file(context, "models/five_bar.yaml", &five_bar));
  double began = measure_now();
  for (int repeats = 0; repeats < 8 || measure_now() - began < seconds_for_ratios; ++repeats) {
    for (int f = 0; f < FORMULATIONS; ++f) {
      measure_pair(context, five_bar, formulations[f], "psi1", 2, &pairs[0][f]);
      if (strcmp(formulations[f], "matrix-r") != 0) {  // dense in 100 freedoms there
        measure_pair(context, chain, formulations[f], "tip", 0.2, &pairs[1][f]);
      }
    }
  }
  static const int widths[] = {-11, 10, 14, 8, 10, 14, 8};
  static const char *const heads[] = {"formulation", "five-bar",      "with gradient", "ratio",
                                      "chain",       "with gradient", "ratio"};
  MeasureTable table = {is_markdown, 7, widths};
  measure_title(&table,
                "Microseconds per step, h = 0.001: of a simulation; of simulation and adjoint gradient together, one "
                "objective and all 5 or 1000 parameters; their ratio",
                heads);
  for (int f = 0; f < FORMULATIONS; ++f) {
    char text[6][MEASURE_CELL] = {"", "", "", "", "", ""};
    for (int which = 0; which < 2; ++which) {
      const Pair *pair = &pairs[which][f];
      double steps = which ? 100 : 1000;
      if (pair->seconds[0][0] > 0) {
        measure_put(text, 3 * which, "%.2f", 1e6 * steps_of(pair, SIMULATION) / steps);
        measure_put(text, 3 * which + 1, "%.2f", 1e6 * steps_of(pair, ADJOINT) / steps);
        measure_put(text, 3 * which + 2, "%.2f", steps_of(pair, ADJOINT) / steps_of(pair, SIMULATION));
      }
    }
    measure_row(&table, (const char *[]){formulations[f], text[0], text[1], text[2], text[3], text[4], text[5]});
  }
  mbs_model_destroy(five_bar);
}

int main(int argc, char **argv) {
  bool is_markdown = false;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--markdown") == 0) {
      is_markdown = true;
    } else if (strcmp(argv[i], "--has-counter") == 0) {
      return 0;  // this one counts no instructions
    } else {
      fprintf(stderr, "benchmark_parameters: what is \"%s\"?\n", argv[i]);
      return 2;
    }
  }
  MbsContext *context = mbs_context_create();
  if (!context) {
    return 3;
  }
  MbsModel *chain = build_chain(context);
  print_methods(is_markdown, context, chain);
  print_ratios(is_markdown, context, chain);
  mbs_model_destroy(chain);
  mbs_context_destroy(context);
  return 0;
}
