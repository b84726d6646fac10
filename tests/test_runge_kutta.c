// Explicit Runge-Kutta methods: their coefficients against all conditions of order (rooted trees), the order that runs
// show against closed forms and much finer runs, of values and of gradients, through events too; what they tend to
// against what the trapezoidal rule tends to; and all methods of sensitivities against each other. Derivatives by the
// size and the time of a step are in test_step_shift.c, memory in test_allocations.c, bad input in tests/cli.
//
// Seen to fail with a planted error, one at a time:
//   integrators/dormand_prince_8.c      the tenth digit of a coefficient
//   integrators/dormand_prince_5.c      a weight; a weight of the error
//   integrators/explicit.c              d_ij without one term; stage times with c_i of the stage before
//   integrators/explicit_derivative.c   0.99 h a_ij A_j;  0.99 c_i h V_0
//   integrators/explicit_transposed.c   0.99 h^2 d_ij q_i b;  fixed coordinates of stages left out
//   integrators/explicit_stepper.c      v of the beginning not taken from the row
//   simulation/objectives.c             points left out of the value; 0.99 of their columns
//   simulation/energy_balance.c         points left out
//   simulation/step_control.c           every step accepted; velocities without weight
//   simulation/checkpoint.c             the size of the next step not restored
//   sensitivities/adjoint.c             0.99 of points
#include <math.h>

#include "formulations/formulation.h"
#include "integrator_runs.h"
#include "integrators/pair.h"

// ---- conditions of order ----
// A rooted tree of order p is a root with trees of smaller order on it. Its condition is sum_i b_i Phi_i = 1 / gamma:
// Phi_i(root alone) = 1, Phi_i(tree) = product over its branches of sum_j a_ij Phi_j(branch), gamma = p times the
// product of theirs. (Hairer, Norsett, Wanner, section II.2)
enum { MOST_ORDER = 8, MOST_TREES = 400 };

typedef struct Tree {
  int order;
  double gamma;
  double phi[MBS_MOST_BETWEEN];  // of stages, the end of the step and further stages
} Tree;

static Tree trees[MOST_TREES];
static int tree_count;

static double a_of(const MbsPair *pair, int i, int j) {
  int end = pair->stage_count;
  return i < end ? pair->a[i][j] : i == end ? pair->b[j] : pair->further[i - end - 1][j];
}

// all trees with `left` nodes still to be hung on, as branches numbered `first` or later, so that each comes once
static void grow(const MbsPair *pair, Tree tree, int left, int first) {
  if (left == 0) {
    tree.gamma *= tree.order;
    ENSURE(tree_count < MOST_TREES);
    trees[tree_count++] = tree;
    return;
  }
  for (int b = first; b < tree_count && trees[b].order <= left; ++b) {
    Tree larger = tree;
    larger.gamma *= trees[b].gamma;
    for (int i = 0; i <= pair->stage_count + pair->further_count; ++i) {
      double sum = 0;
      for (int j = 0; j < i; ++j) {
        sum += a_of(pair, i, j) * trees[b].phi[j];
      }
      larger.phi[i] *= sum;
    }
    grow(pair, larger, left - trees[b].order, b);
  }
}

// the largest error of a condition up to this order, of weights that sum up to 1 or (of an error) to 0
static double worst_condition(const MbsPair *pair, const double *weights, int order, bool is_error) {
  double worst = 0;
  for (int t = 0; t < tree_count && trees[t].order <= order; ++t) {
    double sum = 0;
    for (int i = 0; i < pair->stage_count + (is_error ? 1 : 0); ++i) {
      sum += weights[i] * trees[t].phi[i];
    }
    worst = fmax(worst, fabs(sum - (is_error ? 0 : 1 / trees[t].gamma)));
  }
  return worst;
}

static void check_coefficients(const MbsPair *pair, int estimate) {
  static const int counts[] = {1, 1, 2, 4, 9, 20, 48, 115};
  const double rounding = 1e-14;  // coefficients up to 50 cancel
  int first = 0;
  tree_count = 0;
  for (int order = 1; order <= MOST_ORDER; ++order) {
    Tree root = {.order = order, .gamma = 1};
    for (int i = 0; i < MBS_MOST_BETWEEN; ++i) {
      root.phi[i] = 1;
    }
    // branches have smaller orders, all of which are there
    grow(pair, root, order - 1, 0);
    ENSURE(tree_count - first == counts[order - 1]);
    first = tree_count;
  }
  for (int i = 0; i < pair->stage_count; ++i) {
    double sum = 0;
    for (int j = 0; j < pair->stage_count; ++j) {
      sum += pair->a[i][j];
      ENSURE(j < i || !(fabs(pair->a[i][j]) > 0));
    }
    ENSURE_NEAR(sum, pair->c[i], rounding);
  }
  for (int k = 0; k < pair->order; ++k) {
    double sum = 0;
    for (int i = 0; i < pair->stage_count; ++i) {
      sum += pair->b[i] * pow(pair->c[i], k);
    }
    ENSURE_NEAR(sum, 1.0 / (k + 1), rounding);
  }
  double held = worst_condition(pair, pair->b, pair->order, false);
  double error = worst_condition(pair, pair->error, estimate, true);
  // the second estimate, where there is one, is of order 3
  bool has_low = fabs(pair->low[0]) > 0;
  ENSURE(!has_low || worst_condition(pair, pair->low, 3, true) < rounding);
  ENSURE(!has_low || worst_condition(pair, pair->low, 4, true) > 1e-6);
  (void)printf("%s: conditions of order %d to %.1e, of its estimate %d to %.1e\n", pair->name, pair->order, held,
               estimate, error);
  ENSURE(held < rounding && error < rounding);
  // and no more than that: the order is what it is said to be
  ENSURE(pair->order == MOST_ORDER || worst_condition(pair, pair->b, pair->order + 1, false) > 1e-6);
  ENSURE(worst_condition(pair, pair->error, estimate + 1, true) > 1e-6);
}

// Between the ends of a step, of the trees that are there: sum_i w_i(theta) Phi_i = theta^p / gamma, up to an order and
// no further; at the end w = b.
static void check_weights(const MbsPair *pair) {
  const double rounding = 2e-13;  // coefficients up to 400 cancel
  static const double thetas[] = {0.1, 0.37, 0.8, 1};
  for (int n = 0; n < MBS_COUNT(thetas); ++n) {
    double theta = thetas[n], weights[MBS_MOST_BETWEEN], worst = 0, next = 0;
    mbs_pair_weights(pair, theta, weights);
    for (int t = 0; t < tree_count && trees[t].order <= pair->dense_order + 1; ++t) {
      double sum = 0;
      for (int i = 0; i <= pair->stage_count + pair->further_count; ++i) {
        sum += weights[i] * trees[t].phi[i];
      }
      double *largest = trees[t].order <= pair->dense_order ? &worst : &next;
      *largest = fmax(*largest, fabs(sum - pow(theta, trees[t].order) / trees[t].gamma));
    }
    (void)printf("%s, at %.2f of a step: order %d to %.1e\n", pair->name, theta, pair->dense_order, worst);
    ENSURE(worst < rounding);
    ENSURE(next > 1e-8 || n == MBS_COUNT(thetas) - 1);
    for (int i = 0; i <= pair->stage_count && n == MBS_COUNT(thetas) - 1; ++i) {
      ENSURE_NEAR(weights[i], i < pair->stage_count ? pair->b[i] : 0, 1e-15);
    }
  }
}

// ---- orders of runs ----
// x' = -k x and a mass on a spring, driven: x, v, and integrals of both, by k
static const char *const scalar_text =
    "mbsens: 1\n"
    "parameters: {k: 0.7, K: 4, u: 0.3}\n"
    "coordinates:\n"
    "  s: {inertia: 1}\n"
    "states:\n"
    "  x: {rate: -k*x, initial: 2}\n"
    "forces:\n"
    "  - {coordinate_force: s, value: -K*value}\n"
    "initial: {independent: [{coordinate: s, value: 1, velocity: u}]}\n"
    "objectives:\n"
    "  x: {final: x}\n"
    "  area: {integral: x}\n"
    "  square: {integral: s^2*t}\n"
    "simulation: {end: 2, step: 0.1, formulation: index1}\n";

// values, then the derivatives of x and area by k, and of square by u
static void scalar_solution(double *expected) {
  const double k = 0.7, w = 2, u = 0.3, end = 2;
  expected[0] = 2 * exp(-k * end);
  expected[1] = 2 * (1 - exp(-k * end)) / k;
  expected[3] = -end * expected[0];
  expected[4] = -expected[1] / k + 2 * end * exp(-k * end) / k;
  // s = cos wt + u/w sin wt:  s^2 = (1 + b^2)/2 + (1 - b^2)/2 cos 2wt + b sin 2wt, b = u/w, integrated with t
  double b = u / w, z = 2 * w, c = cos(z * end), d = sin(z * end);
  double of_1 = end * end / 2, of_cos = end * d / z + (c - 1) / (z * z), of_sin = -end * c / z + d / (z * z);
  expected[2] = (1 + b * b) / 2 * of_1 + (1 - b * b) / 2 * of_cos + b * of_sin;
  expected[5] = (b * (of_1 - of_cos) + of_sin) / w;
}

static void check_scalar(const char *integrator, int order, double step, MbsMethod method) {
  MbsModel *model = read_text(context, "scalar problems", scalar_text);
  double expected[6], errors[2][6];
  scalar_solution(expected);
  for (int pass = 0; pass < 2; ++pass) {
    MbsRequest request = integrator_request(model, integrator, "index1", "natural");
    request.settings.step = pass == 0 ? step : step / 2;
    MbsResult *result = run_with(model, &request, method);
    const double found[] = {value(result, "x"),      value(result, "area"),      value(result, "square"),
                            slope(result, "x", "k"), slope(result, "area", "k"), slope(result, "square", "u")};
    for (int i = 0; i < 6; ++i) {
      errors[pass][i] = fabs(found[i] - expected[i]);
    }
    mbs_result_destroy(result);
  }
  for (int i = 0; i < 6; ++i) {
    double seen = log2(errors[0][i] / errors[1][i]);
    (void)printf("  %s, number %d: %.1e, order %.2f\n", integrator, i, errors[1][i], seen);
    ENSURE(errors[0][i] > 1e-12);  // above rounding, else the order means nothing
    ENSURE(seen > order - 0.5 && seen < order + 1.6);
  }
  mbs_model_destroy(model);
}

// what a run is off by: values and derivatives of psi1, psi2, psi3, each relative to the largest of its objective
static double off_by(const MbsResult *result, const MbsResult *reference, bool of_gradient) {
  double worst = 0;
  for (int i = 0; i < result->objective_count && !of_gradient; ++i) {
    worst = fmax(worst, fabs(result->values[i] / reference->values[i] - 1));
  }
  return of_gradient ? distance(result->objective_count, result->parameter_count, result->gradient, reference->gradient)
                     : worst;
}

// "derived" figures of docs/validation.md, which were not computed with mbsens
static void compare_with_figures(const MbsResult *result, double bound) {
  static const double values[] = {0.726877461313, 7.34228779279, 304.920693206};
  static const double slopes[3][5] = {{-4.228810855, 3.211604103, 0.3186566756, 0.4423506782, 3.35980992},
                                      {-15.45206907, 50.30878485, 0.9701235491, 0.7456023208, -27.35923995},
                                      {221.6400682, 2436.607348, -32.49752271, -85.65671851, -2546.590203}};
  static const char *const names[] = {"psi1", "psi2", "psi3"};
  static const char *const parameters[] = {"Ls1", "Ls2", "mA1", "xG", "LA1"};
  for (int i = 0; i < 3; ++i) {
    ENSURE_NEAR(value(result, names[i]), values[i], bound * fabs(values[i]));
    for (int k = 0; k < 5; ++k) {
      ENSURE_NEAR(slope(result, names[i], parameters[k]), slopes[i][k], 3e-9 * fabs(slopes[i][4]));
    }
  }
}

static void check_order(const MbsModel *model, const MbsRequest *base, const MbsResult *reference,
                        const char *integrator, int order, int steps) {
  MbsRequest request = *base;
  double errors[2][2];
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  for (int pass = 0; pass < 2; ++pass) {
    request.settings.step = 5.0 / (pass == 0 ? steps : 2 * steps);
    MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
    errors[pass][0] = off_by(result, reference, false);
    errors[pass][1] = off_by(result, reference, true);
    ENSURE_NEAR(result->statistics.energy_drift, 0, 1e-4);
    mbs_result_destroy(result);
  }
  double of_values = log2(errors[0][0] / errors[1][0]), of_gradients = log2(errors[0][1] / errors[1][1]);
  (void)printf("five-bar, %s, %s, %s: %.1e and %.1e, orders %.2f and %.2f\n", integrator, request.settings.formulation,
               request.settings.coordinates, errors[1][0], errors[1][1], of_values, of_gradients);
  ENSURE(of_values > order - 0.5 && of_gradients > order - 0.5);
}

// Steps of their own size: errors of values and gradients fall with the tolerance, and so does the size of steps, as
// its root of the order; some are rejected on the way.
static void check_tolerances(const MbsModel *model, const MbsRequest *base, const MbsResult *reference,
                             const char *integrator, int order) {
  static const double tolerances[] = {1e-4, 1e-6, 1e-8};
  MbsRequest request = *base;
  long steps[3], rejected = 0;
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  request.settings.step = 0.01;
  for (int t = 0; t < 3; ++t) {
    request.settings.step_tolerance = tolerances[t];
    MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
    steps[t] = result->statistics.steps;
    rejected += result->statistics.tried_steps;
    double of_values = off_by(result, reference, false), of_gradient = off_by(result, reference, true);
    (void)printf("  to %.0e: %ld steps, off by %.1e and %.1e\n", tolerances[t], steps[t], of_values, of_gradient);
    ENSURE(of_values < 100 * tolerances[t] && of_gradient < 100 * tolerances[t]);
    ENSURE(of_gradient > 1e-3 * tolerances[t]);  // and is not much better than asked for
    mbs_result_destroy(result);
  }
  ENSURE(rejected > 0);
  double growth = log((double)steps[2] / (double)steps[1]) / log(100);
  ENSURE(growth > 0.7 / order && growth < 1.4 / order);
}

static void check_five_bar(const char *formulation, const char *kind) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsRequest request = integrator_request(model, "dormand-prince-8", formulation, kind);
  request.settings.step = 5.0 / 300;
  MbsResult *reference = run_with(model, &request, MBS_METHOD_ADJOINT);
  // all digits that the figures have; the penalty formulation gives way by 1 / alpha
  compare_with_figures(reference, strcmp(formulation, "penalty") == 0 ? 1e-9 : 3e-11);
  check_order(model, &request, reference, "dormand-prince-5", 5, 120);
  check_order(model, &request, reference, "dormand-prince-8", 8, 60);
  check_tolerances(model, &request, reference, "dormand-prince-5", 5);
  check_tolerances(model, &request, reference, "dormand-prince-8", 8);
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

// Two runs by the trapezoidal rule, extrapolated: what h^4 leaves is below a bound, and order 8 is there.
static void check_limit(const char *path, double step, double end, const char *formulation, double bound) {
  MbsModel *model = read_model(context, path);
  MbsResult *results[3];
  for (int pass = 0; pass < 3; ++pass) {
    MbsRequest request =
        integrator_request(model, pass < 2 ? "trapezoidal" : "dormand-prince-8", formulation, "natural");
    request.settings.step = pass == 1 ? step / 2 : step;
    request.settings.end = end;
    results[pass] = run_with(model, &request, MBS_METHOD_DIRECT);
  }
  int rows = results[0]->objective_count, count = results[0]->parameter_count;
  double worst[2] = {0, 0};
  for (int i = 0; i < rows; ++i) {
    double largest = largest_of(count, results[2]->gradient + i * count);
    for (int k = 0; k < count; ++k) {
      double coarse = results[0]->gradient[i * count + k], fine = results[1]->gradient[i * count + k];
      double found = results[2]->gradient[i * count + k], limit = fine + (fine - coarse) / 3;
      worst[0] = fmax(worst[0], fabs(found - limit) / largest);
      worst[1] = fmax(worst[1], fabs(found - fine) / largest);
    }
  }
  (void)printf("%s, %s: %.1e from the limit of the trapezoidal rule, which itself is %.1e from it\n", path, formulation,
               worst[0], worst[1]);
  ENSURE(worst[0] < bound && worst[0] < worst[1] / 20);
  for (int pass = 0; pass < 3; ++pass) {
    mbs_result_destroy(results[pass]);
  }
  mbs_model_destroy(model);
}

// ---- events ----
// The bouncing ball is a polynomial of second degree, which these methods integrate without error: test_events.c has
// it.
static void check_impacts(const char *kind) {
  MbsModel *model = read_model(context, "models/five_bar_impact.yaml");
  MbsRequest request = integrator_request(model, "dormand-prince-8", "index1", kind);
  double worst[3];
  request.settings.step = 0.02;
  compare_impacts(model, &request, worst);
  ENSURE(worst[0] < 1e-8 && worst[1] < 1e-8 && worst[2] < 1e-7);  // the digits of the figures
  mbs_model_destroy(model);
}

// What a damper takes and a force gives is integrated as well as the motion: energy is balanced to its error. (By the
// trapezoidal rule of these steps the work would be off by some 1e-2.)
static void check_energy(void) {
  MbsModel *model = read_model(context, "tests/models/runge_kutta_times.yaml");
  MbsRequest request = integrator_request(model, "dormand-prince-8", "index1", "natural");
  request.settings.step = 0.1;
  MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
  (void)printf("energy drifts by %.1e\n", result->statistics.energy_drift);
  ENSURE(result->statistics.energy_drift < 1e-5);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- the same again ----
static void repeat(const char *integrator, const char *formulation, double tolerance) {
  MbsModel *model = read_model(context, "models/five_bar_impact.yaml");
  MbsRequest request = integrator_request(model, integrator, formulation, "natural");
  request.settings.step = 0.02;
  request.settings.step_tolerance = tolerance;
  // with an event before and one behind
  check_repeats(model, &request, strcmp(formulation, "matrix-r") == 0 ? 1.3e5 : 6e4, 25, 45, 1e-11);
  mbs_model_destroy(model);
}

// ---- what cannot be ----
// s'' = 1/(1 - t)^2 has no end at t = 1, and no step gets past it
static void check_collapse(const char *integrator) {
  MbsModel *model = read_text(context, "no end",
                              "mbsens: 1\n"
                              "parameters: {c: 1}\n"
                              "coordinates: {s: {inertia: 1}}\n"
                              "forces: [{coordinate_force: s, value: c/(1 - t)^2}]\n"
                              "objectives: {s: {final: s}}\n"
                              "simulation: {end: 2, step: 0.1, formulation: index1}\n");
  MbsRequest request = integrator_request(model, integrator, "index1", "natural");
  MbsResult *result = NULL;
  request.settings.step_tolerance = 1e-6;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
  const char *message = mbs_context_message(context);
  (void)printf("%s\n", message);
  ENSURE(strstr(message, "the step size collapses at t = 1") || strstr(message, "the step size collapses at t = 0.99"));
  ENSURE(strstr(message, "of \"s\" asks") && strstr(message, "step tolerance"));
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_coefficients(&mbs_dormand_prince_5, 4);
  check_weights(&mbs_dormand_prince_5);
  check_coefficients(&mbs_dormand_prince_8, 5);
  check_weights(&mbs_dormand_prince_8);
  check_scalar("dormand-prince-5", 5, 0.2, MBS_METHOD_DIRECT);
  check_scalar("dormand-prince-5", 5, 0.2, MBS_METHOD_ADJOINT);
  check_scalar("dormand-prince-8", 8, 0.5, MBS_METHOD_DIRECT);
  check_scalar("dormand-prince-8", 8, 0.5, MBS_METHOD_ADJOINT);
  static const char *const formulations[] = {"index1", "penalty", "ali1"};
  for (int f = 0; f < 3; ++f) {
    for (int c = 0; c < 2; ++c) {
      check_five_bar(formulations[f], coordinates[c]);
    }
  }
  check_energy();
  repeat("dormand-prince-5", "index1", 0);
  repeat("dormand-prince-8", "index1", 1e-7);
  repeat("dormand-prince-8", "matrix-r", 0);
  repeat("dormand-prince-5", "matrix-r", 1e-6);
  check_collapse("dormand-prince-5");
  check_collapse("dormand-prince-8");
  check_limit("models/rssr.yaml", 2e-3, 0.2, "index1", 1e-6);
  for (int c = 0; c < 2; ++c) {
    check_impacts(coordinates[c]);
  }
  // a spatial loop, an open tree, drivers, a ground that moves, states of first order, redundant constraints, rolling;
  // then events: impacts, switches, variables, an end that is a parameter, joints that come and go, extrema
  static const MethodCase models[] = {{"models/rssr.yaml", 0.02, false, false, false},
                                      {"models/six_axis_arm.yaml", 0.002, false, false, false},
                                      {"tests/models/run_chain.yaml", 0.05, false, true, false},
                                      {"models/driven_slider_crank.yaml", 0.1, false, false, false},
                                      {"models/shaken_pendulum.yaml", 0.1, false, false, false},
                                      {"tests/models/five_bar_moving.yaml", 0.05, false, false, false},
                                      {"tests/models/element_states_plane.yaml", 0.1, false, false, false},
                                      {"models/snakeboard.yaml", 0.1, false, false, false},
                                      {"models/bouncing_ball.yaml", 0, true, false, false},
                                      {"models/switching_damper.yaml", 0, true, false, false},
                                      {"tests/models/event_variables.yaml", 0, true, false, false},
                                      {"tests/models/end_parameter.yaml", 0, true, false, false},
                                      {"models/string_pendulum.yaml", 0, true, false, false},
                                      {"tests/models/runge_kutta_times.yaml", 1, false, false, false},
                                      {"tests/models/runge_kutta_catch.yaml", 0, true, true, true},
                                      {"tests/models/objectives_oscillator.yaml", 0, true, false, false},
                                      {"tests/models/jump_force_zone.yaml", 0, true, false, false}};
  for (int m = 0; m < MBS_COUNT(models); ++m) {
    for (int c = 0; c < (models[m].is_natural ? 1 : 2); ++c) {
      MbsModel *model = read_model(context, models[m].path);
      MbsRequest request = integrator_request(model, (m + c) % 2 ? "dormand-prince-5" : "dormand-prince-8",
                                              models[m].has_redundancy ? "ali1" : formulations[m % 3], coordinates[c]);
      request.settings.step_tolerance = m % 2 == c ? 1e-5 : 0;  // steps of their own size, or all alike
      compare_on(&models[m], model, &request, models[m].end > 0 ? 12 : 60);
      mbs_model_destroy(model);
    }
  }
  mbs_context_destroy(context);
  return 0;
}
