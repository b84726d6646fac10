// The five-bar linkage of models/five_bar.yaml: what a step costs, dynamics and sensitivities apart.
//
//   benchmark_five_bar [--markdown] [--instructions FILE]    all tables
//   benchmark_five_bar --cases                               a line per case: FORMULATION STEP COLUMNS
//   benchmark_five_bar --run FORMULATION STEP COLUMNS STEPS  that many steps of one case, and nothing else
//
// Times are the processor's, the least of many repeats of a whole run of 5 s, the cases taking turns, so that a busy
// machine slows all of them or none. Instructions come from the machine's counter or, where it has none, from FILE
// (lines "FORMULATION STEP COLUMNS INSTRUCTIONS-PER-STEP"): scripts/bench makes it with valgrind, from the
// difference of two --run that differ in STEPS only. Columns are parameters: Ls1; Ls1, Ls2; all five.
#define _DEFAULT_SOURCE  // syscall
#include "measure.h"

#include <math.h>
#include <stdlib.h>

#include "simulation/simulation.h"

#define MODEL "models/five_bar.yaml"
static const double seconds_for_steps = 16;    // altogether, over all cases
static const double seconds_for_methods = 20;  // likewise
static const char *const parameters[] = {"Ls1", "Ls2", "mA1", "xG", "LA1"};

static const char *const formulations[] = {"index1", "penalty"};
static const double steps[] = {1e-2, 1e-3};
static const int columns[] = {0, 1, 2, 5};
enum { FORMULATIONS = 2, STEPS = 2, COLUMNS = 4, CASES = FORMULATIONS * STEPS * COLUMNS };

typedef struct Case {
  const char *formulation;
  double step;
  int column_count;
  double seconds;       // per step
  double iterations;    // per step
  double instructions;  // per step; 0: not known
} Case;

typedef struct Setup {
  double read, compile[2], start[2];  // without and with 5 columns
} Setup;

// Everything here must succeed: a benchmark of a failure means nothing.
static void must(MbsContext *context, MbsStatus status) {
  if (status != MBS_OK) {
    fprintf(stderr, "benchmark_five_bar: %s\n", mbs_context_message(context));
    exit(3);
  }
}

static void list_cases(Case *cases) {
  for (int i = 0; i < CASES; ++i) {
    cases[i] = (Case){.formulation = formulations[i / (STEPS * COLUMNS)],
                      .step = steps[i / COLUMNS % STEPS],
                      .column_count = columns[i % COLUMNS]};
  }
}

static MbsSimulation *create(MbsContext *context, const MbsModel *model, const Case *which) {
  static const int first_five[] = {0, 1, 2, 3, 4};
  MbsRequest request;
  MbsSimulation *simulation;
  must(context, mbs_request_default(context, model, &request));
  request.settings.step = which->step;
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", which->formulation);
  must(context,
       mbs_simulation_create(context, model, &request.settings, which->column_count, first_five, NULL, &simulation));
  return simulation;
}

static void take_steps(MbsContext *context, MbsSimulation *simulation, long count) {
  while (simulation->path.step_count < count) {
    must(context, mbs_simulation_step(context, simulation));
  }
}

// ---- steps ----
static void measure_case(MbsContext *context, const MbsModel *model, int counter, Case *which) {
  MbsSimulation *simulation = create(context, model, which);
  must(context, mbs_simulation_start(context, simulation));
  double count = measure_counter_read(counter);
  double began = measure_processor();
  take_steps(context, simulation, simulation->plan.step_count);
  double ended = measure_processor();
  count = measure_counter_read(counter) - count;
  double taken = (double)simulation->plan.step_count;
  measure_keep_least(&which->seconds, (ended - began) / taken);
  which->iterations = (double)simulation->statistics.iterations / taken;
  if (counter >= 0) {
    measure_keep_least(&which->instructions, count / taken);
  }
  mbs_simulation_destroy(simulation);
}

static int measure_cases(MbsContext *context, const MbsModel *model, int counter, Case *cases) {
  double began = measure_now();
  int repeats = 0;
  while (measure_now() - began < seconds_for_steps || repeats < 5) {
    for (int i = 0; i < CASES; ++i) {
      measure_case(context, model, counter, &cases[i]);
    }
    ++repeats;
  }
  return repeats;
}

static void read_instructions(const char *path, Case *cases) {
  FILE *file = fopen(path, "r");
  char formulation[32];
  double step, instructions;
  int column_count;
  while (file && fscanf(file, "%31s %lf %d %lf", formulation, &step, &column_count, &instructions) == 4) {
    for (int i = 0; i < CASES; ++i) {
      // the step was printed and read again
      if (strcmp(cases[i].formulation, formulation) == 0 && fabs(cases[i].step - step) < 1e-12 &&
          cases[i].column_count == column_count) {
        cases[i].instructions = instructions;
      }
    }
  }
  if (file) {
    (void)fclose(file);
  }
}

static void print_steps(bool is_markdown, const Case *cases) {
  static const int widths[] = {-11, 6, 10, 8, 8, 8, 8, 6, 6, 6};
  static const char *const heads[] = {"formulation", "h, s",  "iterations", "dynamics", "n = 1",
                                      "n = 2",       "n = 5", "r(1)",       "r(2)",     "r(5)"};
  MeasureTable table = {is_markdown, MBS_COUNT(widths), widths};
  measure_title(&table,
                "Microseconds per step: dynamics alone; what sensitivities to n parameters add; "
                "r(n) = (gradient of n)/(simulation)",
                heads);
  for (int i = 0; i < CASES; i += COLUMNS) {
    const Case *group = &cases[i];
    char text[10][MEASURE_CELL];
    (void)snprintf(text[0], MEASURE_CELL, "%s", group->formulation);
    measure_put(text, 1, "%g", group->step);
    measure_put(text, 2, "%.2f", group->iterations);
    measure_put(text, 3, "%.2f", 1e6 * group->seconds);
    for (int k = 1; k < COLUMNS; ++k) {
      measure_put(text, 3 + k, "%.2f", 1e6 * (group[k].seconds - group->seconds));
      measure_put(text, 6 + k, "%.2f", group[k].seconds / group->seconds);
    }
    const char *row[10];
    for (int k = 0; k < 10; ++k) {
      row[k] = text[k];
    }
    measure_row(&table, row);
  }
}

static void print_instructions(bool is_markdown, const char *source, const Case *cases) {
  static const int widths[] = {-11, 6, 10, 8, 8, 8};
  static const char *const heads[] = {"formulation", "h, s", "dynamics", "n = 1", "n = 2", "n = 5"};
  MeasureTable table = {is_markdown, MBS_COUNT(widths), widths};
  char title[160];
  (void)snprintf(title, sizeof title, "Instructions per step: dynamics alone; what sensitivities add (from %s)",
                 source);
  measure_title(&table, title, heads);
  for (int i = 0; i < CASES; i += COLUMNS) {
    const Case *group = &cases[i];
    char text[6][MEASURE_CELL];
    (void)snprintf(text[0], MEASURE_CELL, "%s", group->formulation);
    measure_put(text, 1, "%g", group->step);
    measure_put(text, 2, "%.0f", group->instructions);
    for (int k = 1; k < COLUMNS; ++k) {
      measure_put(text, 2 + k, "%.0f", group[k].instructions - group->instructions);
    }
    const char *row[6];
    for (int k = 0; k < 6; ++k) {
      row[k] = text[k];
    }
    measure_row(&table, row);
  }
}

// ---- set-up ----
static void measure_setup(MbsContext *context, const MbsModel *model, Setup *setup) {
  for (int repeat = 0; repeat < 200; ++repeat) {
    double began = measure_processor();
    MbsModel *again;
    must(context, mbs_model_read_file(context, MODEL, &again));
    measure_keep_least(&setup->read, measure_processor() - began);
    mbs_model_destroy(again);
    for (int with = 0; with < 2; ++with) {
      Case which = {.formulation = "index1", .step = 1e-2, .column_count = with ? 5 : 0};
      began = measure_processor();
      MbsSimulation *simulation = create(context, model, &which);
      double compiled = measure_processor();
      must(context, mbs_simulation_start(context, simulation));
      measure_keep_least(&setup->compile[with], compiled - began);
      measure_keep_least(&setup->start[with], measure_processor() - compiled);
      mbs_simulation_destroy(simulation);
    }
  }
}

static void print_setup(bool is_markdown, const Setup *setup) {
  static const int widths[] = {-32, 12, 12};
  static const char *const heads[] = {"job", "simulation", "5 parameters"};
  MeasureTable table = {is_markdown, MBS_COUNT(widths), widths};
  measure_title(&table, "Milliseconds before the first step, index1", heads);
  const struct {
    const char *job;
    double seconds[2];
  } lines[] = {{"read the model file", {setup->read, setup->read}},
               {"compile the model", {setup->compile[0], setup->compile[1]}},
               {"assemble the start", {setup->start[0], setup->start[1]}}};
  for (int i = 0; i < MBS_COUNT(lines); ++i) {
    char text[2][MEASURE_CELL];
    measure_put(text, 0, "%.3f", 1e3 * lines[i].seconds[0]);
    measure_put(text, 1, "%.3f", 1e3 * lines[i].seconds[1]);
    measure_row(&table, (const char *[]){lines[i].job, text[0], text[1]});
  }
}

// ---- methods: whole calls of mbs_run, compiling the model included ----
enum { METHODS = 5, MOST_GRADIENT = 64 };
typedef struct Method {
  const char *name;
  MbsMethod method;
  MbsDifference difference;
  double seconds[2];  // by step
  double error[2];    // largest relative difference from direct
  int gradient_count;
  double gradient[MOST_GRADIENT];
} Method;

static void measure_method(MbsContext *context, const MbsModel *model, int at, const Method *direct, Method *which) {
  MbsRequest request;
  MbsResult *result;
  must(context, mbs_request_default(context, model, &request));
  request.settings.step = steps[at];
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "index1");
  request.method = which->method;
  request.difference = which->difference;
  request.parameter_count = MBS_COUNT(parameters);
  request.parameters = parameters;
  double began = measure_processor();
  must(context, mbs_run(context, model, &request, &result));
  measure_keep_least(&which->seconds[at], measure_processor() - began);
  which->gradient_count = result->gradient ? result->objective_count * result->parameter_count : 0;
  which->error[at] = 0;
  for (int i = 0; i < which->gradient_count && i < MOST_GRADIENT; ++i) {
    which->gradient[i] = result->gradient[i];
    double error = fabs(which->gradient[i] - direct->gradient[i]) / fabs(direct->gradient[i]);
    which->error[at] = error > which->error[at] ? error : which->error[at];
  }
  mbs_result_destroy(result);
}

static void measure_methods(MbsContext *context, const MbsModel *model, Method *methods) {
  for (int at = 0; at < STEPS; ++at) {
    double began = measure_now();
    for (int repeat = 0; repeat < 5 || measure_now() - began < seconds_for_methods / STEPS; ++repeat) {
      for (int i = 0; i < METHODS; ++i) {
        measure_method(context, model, at, &methods[1], &methods[i]);
      }
    }
  }
}

static void print_methods(bool is_markdown, const Method *methods) {
  static const int widths[] = {-20, 9, 6, 10, 9, 6, 10};
  static const char *const heads[] = {"method", "h = 0.01", "ratio", "difference", "h = 0.001", "ratio", "difference"};
  MeasureTable table = {is_markdown, MBS_COUNT(widths), widths};
  measure_title(&table,
                "Milliseconds for the gradient of 3 objectives with respect to 5 parameters, index1, 5 s, a whole call "
                "with compiling; ratio to simulating; largest relative difference from direct",
                heads);
  for (int i = 0; i < METHODS; ++i) {
    char text[6][MEASURE_CELL];
    for (int at = 0; at < STEPS; ++at) {
      measure_put(text, 3 * at, "%.2f", 1e3 * methods[i].seconds[at]);
      measure_put(text, 3 * at + 1, "%.2f", methods[i].seconds[at] / methods[0].seconds[at]);
      measure_put(text, 3 * at + 2, i < 2 ? "" : "%.1e", methods[i].error[at]);
    }
    measure_row(&table, (const char *[]){methods[i].name, text[0], text[1], text[2], text[3], text[4], text[5]});
  }
}

static void print_all(MbsContext *context, const MbsModel *model, bool is_markdown, const char *file) {
  static Case cases[CASES];
  static Setup setup;
  static Method methods[METHODS] = {
      {.name = "simulation", .method = MBS_METHOD_NONE},
      {.name = "direct", .method = MBS_METHOD_DIRECT},
      {.name = "complex step", .method = MBS_METHOD_COMPLEX_STEP},
      {.name = "central differences", .method = MBS_METHOD_FINITE_DIFFERENCE, .difference = MBS_DIFFERENCE_CENTRAL},
      {.name = "forward differences", .method = MBS_METHOD_FINITE_DIFFERENCE, .difference = MBS_DIFFERENCE_FORWARD},
  };
  int counter = measure_counter_open();
  list_cases(cases);
  int repeats = measure_cases(context, model, counter, cases);
  measure_setup(context, model, &setup);
  measure_methods(context, model, methods);
  if (file) {
    read_instructions(file, cases);
  }
#ifdef __clang__
  const char *compiler = "";  // its version begins with its name
#else
  const char *compiler = "gcc ";
#endif
  printf("%s%s; each time the least of %d repeats\n", compiler, __VERSION__, repeats);
  print_steps(is_markdown, cases);
  if (cases[0].instructions > 0) {
    print_instructions(is_markdown, file ? "valgrind" : "the machine's counter", cases);
  }
  print_methods(is_markdown, methods);
  print_setup(is_markdown, &setup);
}

int main(int argc, char **argv) {
  Case cases[CASES];
  bool is_markdown = false;
  const char *file = NULL;
  list_cases(cases);
  MbsContext *context = mbs_context_create();
  MbsModel *model;
  if (!context) {
    return 3;
  }
  must(context, mbs_model_read_file(context, MODEL, &model));
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--markdown") == 0) {
      is_markdown = true;
    } else if (strcmp(argv[i], "--instructions") == 0 && i + 1 < argc) {
      file = argv[++i];
    } else if (strcmp(argv[i], "--has-counter") == 0) {
      return measure_counter_open() >= 0 ? 0 : 1;
    } else if (strcmp(argv[i], "--cases") == 0) {
      for (int k = 0; k < CASES; ++k) {
        printf("%s %g %d\n", cases[k].formulation, cases[k].step, cases[k].column_count);
      }
      return 0;
    } else if (strcmp(argv[i], "--run") == 0 && i + 4 < argc) {
      Case which = {.formulation = argv[i + 1], .step = atof(argv[i + 2]), .column_count = atoi(argv[i + 3])};
      MbsSimulation *simulation = create(context, model, &which);
      must(context, mbs_simulation_start(context, simulation));
      take_steps(context, simulation, atol(argv[i + 4]));
      mbs_simulation_destroy(simulation);
      return 0;
    } else {
      fprintf(stderr, "benchmark_five_bar: what is \"%s\"?\n", argv[i]);
      return 2;
    }
  }
  print_all(context, model, is_markdown, file);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return 0;
}
