// Searches whose optimum is known: closed forms with their multipliers, the five-bar of P2, and that a limit moved by a
// little moves the optimum by its multiplier. Designs that cannot be simulated, several starts, searches that are
// stopped and go on, what is refused.
#include <mbsens/build.h>
#include <mbsens/optimize.h>
#include <stdio.h>
#include <unistd.h>

#include "support.h"

static MbsContext *context;

// Functions of parameters alone: a body that nothing looks at.
#define NOTHING_MOVES "bodies: {b: {mass: 1, points: {P: [0, 0]}}}\nsimulation: {end: 0.01, step: 0.01}\n"

// Hock and Schittkowski, problem 71
static const char product[] =
    "mbsens: 1\nname: product\nparameters:\n"
    "  x1: {value: 1, lower: 1, upper: 5}\n  x2: {value: 5, lower: 1, upper: 5}\n"
    "  x3: {value: 5, lower: 1, upper: 5}\n  x4: {value: 1, lower: 1, upper: 5}\n  least: 25\n" NOTHING_MOVES
    "objectives:\n  f: {value: x1*x4*(x1 + x2 + x3) + x3}\n  p: {value: x1*x2*x3*x4}\n"
    "  s: {value: x1^2 + x2^2 + x3^2 + x4^2}\n"
    "optimization:\n  minimize: f\n  constraints:\n    - {objective: p, above: least}\n    - {objective: s, equals: "
    "40}\n";

static const char valley[] =
    "mbsens: 1\nname: valley\nparameters: {a: -1.2, b: 1, idle: 3}\n" NOTHING_MOVES
    "objectives:\n  f: {value: 100*(b - a^2)^2 + (1 - a)^2}\n"
    "  barrier: {value: -log(2.5 - a^2 - b^2) + 30*a}\n  fixed: {value: 7}\n  low: {value: log(a)}\n";

static MbsOptimum *optimize(const MbsModel *model, const MbsRequest *request, const MbsOptimizeOptions *options) {
  MbsOptimum *optimum;
  ENSURE_OK(context, mbs_optimize(context, model, request, options, &optimum));
  return optimum;
}

static MbsRequest *request_of(const MbsModel *model, const char *objectives, const char *parameters) {
  MbsRequest *request;
  ENSURE_OK(context, mbs_request_create(context, model, &request));
  if (objectives) {
    ENSURE_OK(context, mbs_request_set(context, request, "objectives", objectives));
  }
  if (parameters) {
    ENSURE_OK(context, mbs_request_set(context, request, "parameters", parameters));
  }
  return request;
}

// Published: f = 17.0140173 at (1, 4.7429996, 3.8211503, 1.3794082), multipliers 0.5522937 and 0.1614686.
static void test_known_optimum(void) {
  static const char *const algorithms[] = {"auto", "slsqp", "cobyla"};
  const double expected[] = {1, 4.7429996, 3.8211503, 1.3794082};
  for (int k = 0; k < 3; ++k) {
    double tolerance = k == 2 ? 3e-3 : 1e-6;
    MbsModel *model = read_text(context, "product", product);
    ENSURE_OK(context, mbs_model_set_optimization(context, model, "algorithm", algorithms[k]));
    MbsRequest *request = request_of(model, NULL, NULL);
    MbsOptimum *optimum = optimize(model, request, NULL);
    ENSURE(optimum->success && optimum->parameter_count == 4 && optimum->constraint_count == 2);
    ENSURE_NEAR(optimum->value, 17.0140173, k == 2 ? 1e-4 : 1e-6);
    for (int i = 0; i < 4; ++i) {
      ENSURE_NEAR(optimum->parameters[i].value, expected[i], tolerance);
    }
    ENSURE_NEAR(optimum->constraints[0].multiplier, 0.5522937, tolerance);
    ENSURE_NEAR(optimum->constraints[1].multiplier, -0.1614686, tolerance);
    ENSURE_NEAR(optimum->parameters[0].multiplier, 1.0878712, 3 * tolerance);
    ENSURE(optimum->parameters[1].multiplier == 0 && optimum->optimality < (k == 2 ? 1e-2 : 1e-6));
    mbs_optimum_destroy(optimum);
    mbs_request_destroy(request);
    mbs_model_destroy(model);
  }
}

// The optimum with other limits and bounds: its slope is the multiplier, which no search knows of.
static void test_multipliers_are_slopes(void) {
  const double step = 1e-3;
  double value[2][2], multiplier[2] = {0, 0};
  for (int which = 0; which < 2; ++which) {
    for (int side = 0; side < 2; ++side) {
      MbsModel *model = read_text(context, "product", product);
      char text[32];
      (void)snprintf(text, sizeof text, "%.6f", (which == 0 ? 25 : 1) + (side ? step : -step));
      ENSURE_OK(context, which == 0 ? mbs_model_set(context, model, "least", text)
                                    : mbs_model_set_range(context, model, "x1", text, NULL, NULL));
      ENSURE_OK(context, mbs_model_set(context, model, "x1", "1.5"));
      MbsRequest *request = request_of(model, NULL, NULL);
      MbsOptimum *optimum = optimize(model, request, NULL);
      ENSURE(optimum->success);
      value[which][side] = optimum->value;
      multiplier[which] += (which == 0 ? optimum->constraints[0].multiplier : optimum->parameters[0].multiplier) / 2;
      mbs_optimum_destroy(optimum);
      mbs_request_destroy(request);
      mbs_model_destroy(model);
    }
    ENSURE_NEAR((value[which][1] - value[which][0]) / (2 * step), multiplier[which], 1e-5);
  }
}

// P2: below 1e-10 in 8 evaluations at most, by both methods.
static void test_five_bar(void) {
  static const char *const methods[] = {"direct", "adjoint"};
  for (int k = 0; k < 2; ++k) {
    MbsModel *model = read_model(context, "models/five_bar.yaml");
    MbsRequest *request = request_of(model, "psi1", "Ls1,Ls2");
    ENSURE_OK(context, mbs_request_set(context, request, "end", "1"));
    ENSURE_OK(context, mbs_request_set(context, request, "method", methods[k]));
    MbsOptimum *optimum = optimize(model, request, &(MbsOptimizeOptions){.is_method_fixed = true});
    ENSURE(optimum->success && optimum->evaluations <= 8 && optimum->value < 1e-10);
    ENSURE_TEXT(optimum->method, methods[k]);
    ENSURE_TEXT(optimum->algorithm, "lbfgs");
    ENSURE_NEAR(optimum->start_value, 0.1144577967, 1e-8);
    ENSURE_NEAR(optimum->parameters[0].value, 2.43192, 5e-6);
    ENSURE_NEAR(optimum->parameters[1].value, 1.84487, 5e-6);
    mbs_optimum_destroy(optimum);
    mbs_request_destroy(request);
    mbs_model_destroy(model);
  }
}

// All algorithms get to the bottom of a barrier: steps beyond it are rejected, told, and not the end. There b = 0 and
// 30 = -2 a / (2.5 - a^2), so a = (1 - sqrt(1 + 2250)) / 30.
typedef struct Told {
  int rejected, better, most;
  double last;
  bool has_constraints;  // the value may become worse where these are kept better
} Told;

static bool tell(void *user, const MbsIterate *iterate) {
  Told *told = user;
  if (iterate->failure) {
    ENSURE_CONTAINS(iterate->failure, "barrier");
    told->rejected += 1;
  } else {
    ENSURE(iterate->value <= told->last || told->has_constraints);
    told->last = iterate->value;
    told->better += 1;
  }
  return told->most == 0 || told->better < told->most;
}

static void test_rejected_steps(void) {
  static const char *const algorithms[] = {"lbfgs", "slsqp", "mma"};
  const double a = (1 - sqrt(2251.0)) / 30;
  for (int k = 0; k < 3; ++k) {
    MbsModel *model = read_text(context, "valley", valley);
    ENSURE_OK(context, mbs_model_set(context, model, "a", "0"));
    ENSURE_OK(context, mbs_model_set(context, model, "b", "0.5"));
    ENSURE_OK(context, mbs_model_set_optimization(context, model, "algorithm", algorithms[k]));
    MbsRequest *request = request_of(model, "barrier", "a,b");
    Told told = {.last = HUGE_VAL};
    MbsOptimum *optimum = optimize(model, request, &(MbsOptimizeOptions){.on_iterate = tell, .user = &told});
    ENSURE(optimum->success && optimum->failures > 0 && told.rejected == optimum->failures);
    ENSURE(told.better == optimum->iterations + 1);
    ENSURE_NEAR(optimum->parameters[0].value, a, 3e-6);
    ENSURE_NEAR(optimum->parameters[1].value, 0, 3e-5);
    mbs_optimum_destroy(optimum);
    mbs_request_destroy(request);
    mbs_model_destroy(model);
  }
}

// Stopped after some iterations: the best so far. With a state, the same call again ends where one that was never
// stopped ends, in as many evaluations, to the bit; a line that was cut is computed again.
static void test_state(void) {
  char path[] = "/tmp/mbsens_state_XXXXXX";
  int descriptor = mkstemp(path);
  ENSURE(descriptor >= 0 && close(descriptor) == 0);
  MbsModel *model = read_text(context, "valley", valley);
  MbsRequest *request = request_of(model, "f", "a,b");
  MbsOptimum *whole = optimize(model, request, NULL);
  ENSURE(whole->success);
  ENSURE_NEAR(whole->parameters[0].value, 1, 1e-5);
  for (int most = 3; most < 25; most += 7) {
    Told told = {.last = HUGE_VAL, .most = most};
    MbsOptimum *part =
        optimize(model, request, &(MbsOptimizeOptions){.state = path, .on_iterate = tell, .user = &told});
    ENSURE(part->is_interrupted && !part->success && part->iterations == most - 1);
    ENSURE(part->value == told.last && part->value > whole->value);
    mbs_optimum_destroy(part);
    FILE *file = fopen(path, "a");  // what a kill leaves
    ENSURE(file && fputs("0 1 0x1.8p+0 0x1.3", file) >= 0 && fclose(file) == 0);
  }
  MbsOptimum *resumed = optimize(model, request, &(MbsOptimizeOptions){.state = path});
  ENSURE(resumed->success && resumed->evaluations == whole->evaluations && resumed->value == whole->value);
  ENSURE(resumed->parameters[0].value == whole->parameters[0].value);
  mbs_optimum_destroy(resumed);
  mbs_optimum_destroy(whole);
  // another problem, and another model with the same problem
  MbsOptimum *none;
  MbsOptimizeOptions options = {.state = path};
  ENSURE_OK(context, mbs_request_set(context, request, "step", "0.005"));
  ENSURE(mbs_optimize(context, model, request, &options, &none) == MBS_ERROR_INPUT && !none);
  ENSURE_CONTAINS(mbs_context_message(context), "is the state of another problem");
  ENSURE_OK(context, mbs_request_set(context, request, "step", "0.01"));
  char other[sizeof valley];
  (void)snprintf(other, sizeof other, "%s", valley);
  *strstr(other, "100*(b") = '2';
  MbsModel *changed = read_text(context, "valley", other);
  ENSURE(mbs_optimize(context, changed, request, &options, &none) == MBS_ERROR_INPUT && !none);
  ENSURE_CONTAINS(mbs_context_message(context), "is the state of another model");
  FILE *file = fopen(path, "w");
  ENSURE(file && fputs("a letter", file) >= 0 && fclose(file) == 0);
  ENSURE(mbs_optimize(context, model, request, &options, &none) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "is no state of mbsens optimize");
  (void)unlink(path);
  mbs_model_destroy(changed);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

// Of two valleys the deeper one is found from elsewhere; the same seed gives the same bits.
static void test_starts(void) {
  static const char text[] =
      "mbsens: 1\nname: two\nparameters: {a: {value: 0.9, lower: -2, upper: 2}}\n" NOTHING_MOVES
      "objectives: {f: {value: (a^2 - 1)^2 + 0.3*a}}\noptimization: {minimize: f, starts: 6, seed: 3}\n";
  MbsModel *model = read_text(context, "two", text);
  MbsRequest *request = request_of(model, NULL, NULL);
  MbsOptimum *optimum = optimize(model, request, NULL), *again = optimize(model, request, NULL);
  ENSURE(optimum->success && optimum->starts == 6 && optimum->value < -0.3);
  // 4 a (a^2 - 1) + 0.3 = 0
  double a = optimum->parameters[0].value;
  ENSURE(a < -1);
  ENSURE_NEAR(4 * a * (a * a - 1) + 0.3, 0, 1e-6);
  ENSURE(again->parameters[0].value == a && again->evaluations == optimum->evaluations);
  mbs_optimum_destroy(optimum);
  mbs_optimum_destroy(again);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

// Steps that find their own size, and sets of coordinates: the search sees smooth functions all the same.
static void test_paths(void) {
  static const char *const settings[][2] = {{"formulation", "matrix-r"}, {"step_tolerance", "1e-3"}};
  for (int k = 0; k < 2; ++k) {
    MbsModel *model = read_model(context, "models/five_bar.yaml");
    MbsRequest *request = request_of(model, "psi2", "Ls1,Ls2");
    ENSURE_OK(context, mbs_request_set(context, request, "end", "1"));
    if (k == 1) {
      ENSURE_OK(context, mbs_request_set(context, request, "formulation", "index1"));
      ENSURE_OK(context, mbs_request_set(context, request, "integrator", "dormand-prince-5"));
    }
    ENSURE_OK(context, mbs_request_set(context, request, settings[k][0], settings[k][1]));
    MbsOptimum *optimum = optimize(model, request, NULL);
    // psi2 is an integral of a square, which vanishes where nothing moves
    ENSURE(optimum->success && optimum->value < 1e-12 && optimum->optimality < 1e-7);
    ENSURE_NEAR(optimum->parameters[0].value, 2.43192, 1e-5);
    mbs_optimum_destroy(optimum);
    mbs_request_destroy(request);
    mbs_model_destroy(model);
  }
}

// ---- models/designs ----
static MbsOptimum *optimize_with(const char *path, const char *parameter, double value, bool is_kinematic,
                                 const MbsOptimizeOptions *options) {
  char text[32];
  MbsModel *model = read_model(context, path);
  (void)snprintf(text, sizeof text, "%.9g", value);
  ENSURE_OK(context, mbs_model_set(context, model, parameter, text));
  MbsRequest *request = request_of(model, NULL, NULL);
  ENSURE_OK(context, mbs_request_set(context, request, "method", "adjoint"));
  request->settings.is_kinematic = is_kinematic;
  MbsOptimum *optimum = optimize(model, request, options);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
  return optimum;
}

// Without drag: x = u T, and with the speed v = sqrt(w^2 + 2 g h) at the floor, which it reaches at (w + v)/g, and
// rising with e v from there on, the ball falls through Y after (e v + sqrt((e v)^2 - 2 g Y))/g. The least u^2 + w^2 by
// the golden section.
static double throw(double w, double *T, double *u) {
  const double g = 9.81, h = 1.5, e = 0.8, X = 4, Y = 0.6, m = 0.4;
  double v = sqrt(w * w + 2 * g * h);
  *T = (w + v) / g + (e * v + sqrt(e * e * v * v - 2 * g * Y)) / g;
  *u = X / *T;
  return m * (*u * *u + w * w) / 2;
}

static void test_impact(void) {
  const MbsOptimizeOptions fixed = {.is_method_fixed = true};
  MbsOptimum *optimum = optimize_with("models/designs/bounce_into_basket.yaml", "c", 0, false, &fixed);
  double lower = 0, upper = 2, T, u;
  while (upper - lower > 1e-9) {
    double a = upper - 0.6180339887498949 * (upper - lower), b = lower + 0.6180339887498949 * (upper - lower);
    bool is_left = throw(a, &T, &u) < throw(b, &T, &u);
    lower = is_left ? lower : a;
    upper = is_left ? b : upper;
  }
  ENSURE(optimum->success);
  ENSURE_NEAR(optimum->value, throw(lower, &T, &u), 1e-7);
  ENSURE_NEAR(optimum->parameters[0].value, u, 1e-5);
  ENSURE_NEAR(optimum->parameters[1].value, lower, 1e-5);
  ENSURE_NEAR(optimum->parameters[2].value, T, 1e-5);
  mbs_optimum_destroy(optimum);
  // with drag; stopped on the way and gone on with, to the same bits: the path of events is found again
  char path[] = "/tmp/mbsens_state_XXXXXX";
  int descriptor = mkstemp(path);
  ENSURE(descriptor >= 0 && close(descriptor) == 0);
  MbsOptimum *whole = optimize_with("models/designs/bounce_into_basket.yaml", "c", 0.02, false, &fixed);
  for (int most = 2; most < 8; most += 2) {
    Told told = {.last = HUGE_VAL, .most = most, .has_constraints = true};
    MbsOptimum *part =
        optimize_with("models/designs/bounce_into_basket.yaml", "c", 0.02, false,
                      &(MbsOptimizeOptions){.is_method_fixed = true, .state = path, .on_iterate = tell, .user = &told});
    ENSURE(part->is_interrupted);
    mbs_optimum_destroy(part);
  }
  MbsOptimum *resumed = optimize_with("models/designs/bounce_into_basket.yaml", "c", 0.02, false,
                                      &(MbsOptimizeOptions){.is_method_fixed = true, .state = path});
  ENSURE(whole->success && resumed->success && resumed->evaluations == whole->evaluations);
  for (int i = 0; i < 3; ++i) {
    ENSURE(resumed->parameters[i].value == whole->parameters[i].value);
  }
  (void)unlink(path);
  mbs_optimum_destroy(whole);
  mbs_optimum_destroy(resumed);
}

// Optimised again with another limit: the slope is that of the multipliers (Simpson's rule).
static void ensure_slope(const char *path, const char *parameter, double limit, double step, bool is_kinematic,
                         int constraint, double tolerance) {
  double value[3], multiplier[3];
  for (int k = 0; k < 3; ++k) {
    MbsOptimum *optimum = optimize_with(path, parameter, limit + (k - 1) * step, is_kinematic,
                                        &(MbsOptimizeOptions){.is_method_fixed = true});
    ENSURE(optimum->success && optimum->constraints[constraint].is_active);
    value[k] = optimum->value;
    multiplier[k] = optimum->constraints[constraint].multiplier;
    mbs_optimum_destroy(optimum);
  }
  double mean = (multiplier[0] + 4 * multiplier[1] + multiplier[2]) / 6;
  ENSURE(fabs(mean) > 0);
  ENSURE_NEAR((value[2] - value[0]) / (2 * step) / mean, 1, tolerance);
}

static void test_limits(void) {
  ensure_slope("models/designs/bump_steer.yaml", "lean", 2, 0.1, true, 0, 1e-4);
  // 100 parameters, for all t
  ensure_slope("models/designs/crane_control.yaml", "most", 0.06, 5e-4, false, 4, 1e-3);
}

// larger, target, weights, warnings
static void test_words(void) {
  MbsModel *model = read_text(context, "valley", valley);
  MbsRequest *request = request_of(model, "f,fixed", "a,b,idle");
  MbsOptimum *optimum = optimize(model, request, NULL);
  ENSURE_NEAR(optimum->value, 7, 1e-9);
  ENSURE(optimum->warning_count == 2);
  ENSURE_CONTAINS(optimum->warnings[0], "\"idle\" changes none of the objectives");
  ENSURE_CONTAINS(optimum->warnings[1], "\"fixed\" depends on no parameter");
  mbs_optimum_destroy(optimum);
  ENSURE_OK(context, mbs_model_set_optimization(context, model, "target", "1"));
  ENSURE_OK(context, mbs_request_set(context, request, "objectives", "f"));
  optimum = optimize(model, request, NULL);
  ENSURE(optimum->success && optimum->value <= 1 && optimum->value > 1e-3);
  ENSURE_CONTAINS(optimum->message, "target");
  mbs_optimum_destroy(optimum);
  ENSURE_OK(context, mbs_model_set_optimization(context, model, "target", "1e9"));
  ENSURE_OK(context, mbs_model_set_optimization(context, model, "evaluations", "5"));
  optimum = optimize(model, request, &(MbsOptimizeOptions){.is_maximized = true});
  ENSURE(!optimum->success && optimum->is_maximized && optimum->value > optimum->start_value);
  ENSURE_CONTAINS(optimum->message, "5 evaluations were not enough");
  mbs_optimum_destroy(optimum);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
  // nothing keeps both
  static const char text[] = "mbsens: 1\nname: torn\nparameters: {a: {value: 0.5, lower: -2, upper: 2}}\n" NOTHING_MOVES
                             "objectives: {f: {value: a}, g: {value: a^2 + 1}}\n"
                             "optimization: {minimize: f, constraints: [{objective: g, below: 0.5}]}\n";
  model = read_text(context, "torn", text);
  request = request_of(model, NULL, NULL);
  optimum = optimize(model, request, NULL);
  ENSURE(!optimum->success);
  ENSURE_CONTAINS(optimum->message, "\"g\" is 1, and is to stay below 0.5");
  mbs_optimum_destroy(optimum);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

static void refuse(const char *text, const char *key, const char *value, const char *sentence) {
  MbsModel *model = read_text(context, "refused", text);
  MbsOptimum *none;
  if (key) {
    ENSURE_OK(context, mbs_model_set_optimization(context, model, key, value));
  }
  MbsRequest *request = request_of(model, NULL, NULL);
  ENSURE(mbs_optimize(context, model, request, NULL, &none) != MBS_OK && !none);
  ENSURE_CONTAINS(mbs_context_message(context), sentence);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

static void test_refused(void) {
  refuse(product, "algorithm", "lbfgs", "lbfgs takes no constraints");
  refuse(product, "algorithm", "mma", "mma takes no equality constraints");
  refuse(valley, NULL, NULL, "says nothing to minimise or maximise: write optimization: {minimize: f}");
  refuse(valley, "minimize", "low", "objective \"low\"");  // the start itself cannot be simulated
  static const char open[] = "mbsens: 1\nname: open\nparameters: {a: {value: 1, lower: 0}}\n" NOTHING_MOVES
                             "objectives: {f: {value: a^2}}\noptimization: {minimize: f, starts: 2}\n";
  refuse(open, NULL, NULL, "parameter \"a\" has no upper bound: 2 starts");
}

// Values in a file of a user's: nothing else changes.
static void test_revised(void) {
  static const char before[] =
      "mbsens: 1\n# \xc3\xbc first\nparameters: {k: 100,  m: \"2*k\", u: {value: [1, 2 ,3]}} # end\n"
      "bodies: {b: {mass: k, points: {P: [0, 0]}}}\n";
  static const char after[] =
      "mbsens: 1\n# \xc3\xbc first\nparameters: {k: 99.5,  m: \"3*k\", u: {value: [1, -4e-3 ,3]}} # end\n"
      "bodies: {b: {mass: k, points: {P: [0, 0]}}}\n";
  static const char *const names[] = {"u[2]", "k", "m", "none"}, *const values[] = {"-4e-3", "99.5", "3*k", "1"};
  char path[] = "/tmp/mbsens_model_XXXXXX", *text;
  int descriptor = mkstemp(path);
  FILE *file = fdopen(descriptor, "w");
  ENSURE(file && fputs(before, file) >= 0 && fclose(file) == 0);
  ENSURE_OK(context, mbs_model_revise(context, path, 3, names, values, &text));
  ENSURE_TEXT(text, after);
  mbs_text_destroy(text);
  ENSURE(mbs_model_revise(context, path, 4, names, values, &text) == MBS_ERROR_INPUT && !text);
  ENSURE_CONTAINS(mbs_context_message(context), "no parameter \"none\"");
  (void)unlink(path);
}

int main(void) {
  context = mbs_context_create();
  test_known_optimum();
  test_multipliers_are_slopes();
  test_five_bar();
  test_rejected_steps();
  test_state();
  test_starts();
  test_paths();
  test_impact();
  test_limits();
  test_words();
  test_refused();
  test_revised();
  mbs_context_destroy(context);
  return 0;
}
