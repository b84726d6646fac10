// Implicit Runge-Kutta methods (Radau IIA): what their coefficients must hold, the order that runs show for each
// formulation and each level (positions, velocities, accelerations, multipliers; at the end and integrated), against
// runs of an explicit method of order 8; constraints at rounding; steps that find their own size; a stiff model where
// explicit methods explode; and direct = adjoint = complex step for formulations, coordinates, events, redundant and
// nonholonomic constraints, states, drivers and ground that moves. Derivatives by the size and the time of a step:
// test_step_shift.c. Memory: test_allocations.c. Bad input: tests/cli/radau.sh.
//
// Seen to fail with a planted error, one at a time:
//   integrators/collocation.c         the seventh digit of a coefficient
//   integrators/coupled_finish.c      velocities not projected
//   integrators/coupled_derivative.c  0.99 h^2 d_ij A_j;  2 h d_ij a_j without the 2
//   integrators/coupled_transposed.c  0.99 c_i h q_i b;  fixed coordinates of stages, or their times, left out
//   integrators/coupled_stepper.c     the size of the last step not restored
// and before they were right: accelerations projected instead of solved for (order 2.8 with relative coordinates), the
// stage's multipliers overwritten by the state's, errors of steps with Phi = 0 for Phidot = 0 (index3 collapses).
#include <math.h>

#include "integrator_runs.h"
#include "integrators/collocation.h"

// ---- coefficients ----
// B(2 s - 1), C(s) and D(s - 1), by which the order is 2 s - 1 (Hairer and Wanner, theorem IV.5.1); one more of B does
// not hold. Last stage: the end. gamma: an eigenvalue, or of the modulus of those there are.
static void check_coefficients(const MbsCollocation *method) {
  const double rounding = 1e-15;
  int s = method->stage_count;
  const double *b = method->a[s - 1], *c = method->c;
  ENSURE(method->order == 2 * s - 1);
  ENSURE_NEAR(c[s - 1], 1, 0);
  for (int k = 1; k <= 2 * s; ++k) {
    double sum = 0;
    for (int i = 0; i < s; ++i) {
      sum += b[i] * pow(c[i], k - 1);
    }
    ENSURE((fabs(sum - 1.0 / k) < rounding) == (k < 2 * s));
  }
  for (int i = 0; i < s; ++i) {
    for (int k = 1; k <= s; ++k) {
      double row = 0, column = 0;
      for (int j = 0; j < s; ++j) {
        row += method->a[i][j] * pow(c[j], k - 1);
        column += b[j] * pow(c[j], k - 1) * method->a[j][i];
      }
      ENSURE_NEAR(row, pow(c[i], k) / k, rounding);
      ENSURE(k == s || fabs(column - b[i] * (1 - pow(c[i], k)) / k) < rounding);
    }
  }
  const double(*a)[MBS_MOST_COUPLED] = method->a;
  double g = method->gamma;
  if (s == 2) {
    ENSURE_NEAR(g * g, a[0][0] * a[1][1] - a[0][1] * a[1][0], rounding);
  } else {
    double determinant = (a[0][0] - g) * ((a[1][1] - g) * (a[2][2] - g) - a[1][2] * a[2][1]) -
                         a[0][1] * (a[1][0] * (a[2][2] - g) - a[1][2] * a[2][0]) +
                         a[0][2] * (a[1][0] * a[2][1] - (a[1][1] - g) * a[2][0]);
    ENSURE_NEAR(determinant, 0, rounding);
  }
}

// ---- orders ----
// By level: error of the finest run must be above rounding, the order what theory says (docs/integrators.md).
typedef struct Order {
  const char *objective;
  double full, index3;  // the order less 2 s - 1, and the order of index3 less s
} Order;

static void check_orders(const char *integrator, const char *formulation, const char *kind, int stages, int coarse) {
  static const Order orders[] = {{"position", 0, 1},      {"velocity", 0, 0},  {"acceleration", 0, -1},
                                 {"reaction", 0, -1},     {"positions", 0, 1}, {"velocities", 0, 1},
                                 {"accelerations", 0, 0}, {"reactions", 0, 0}};
  MbsModel *model = read_model(context, "tests/models/radau_orders.yaml");
  MbsRequest request = integrator_request(model, "dormand-prince-8", "index1", "natural");
  bool is_index3 = strcmp(formulation, "index3") == 0;
  request.settings.step = 0.004;
  MbsResult *reference = run_with(model, &request, MBS_METHOD_ADJOINT), *results[2];
  for (int pass = 0; pass < 2; ++pass) {
    request = integrator_request(model, integrator, formulation, kind);
    request.settings.step = request.settings.end / (pass == 0 ? coarse : 2 * coarse);
    results[pass] = run_with(model, &request, pass == 0 ? MBS_METHOD_DIRECT : MBS_METHOD_ADJOINT);
    ENSURE(is_index3 || strcmp(formulation, "ali3p") != 0 || results[pass]->statistics.residual_velocity < 1e-13);
    ENSURE(strcmp(formulation, "index1") == 0 || results[pass]->statistics.residual_position < 1e-13);
  }
  int count = reference->parameter_count;
  for (int i = 0; i < MBS_COUNT(orders); ++i) {
    double errors[2][2];
    for (int pass = 0; pass < 2; ++pass) {
      double was = value(reference, orders[i].objective);
      errors[pass][0] = fabs(value(results[pass], orders[i].objective) / was - 1);
      for (int o = 0; o < reference->objective_count; ++o) {
        if (strcmp(reference->objectives[o], orders[i].objective) == 0) {
          errors[pass][1] = distance(1, count, results[pass]->gradient + o * count, reference->gradient + o * count);
        }
      }
    }
    // theory: at index 3, s stages have 2 s - 1 in positions, s in velocities, s - 1 in multipliers
    double order = !is_index3                   ? 2 * stages - 1
                   : i == 0 || i == 4 || i == 5 ? 2 * stages - 1
                                                : stages + (orders[i].index3 < 0 ? -1 : 0);
    double seen[2] = {log2(errors[0][0] / errors[1][0]), log2(errors[0][1] / errors[1][1])};
    (void)printf("%s, %s, %s: %-14s %.1e, order %.2f; gradient %.1e, order %.2f\n", integrator, formulation, kind,
                 orders[i].objective, errors[1][0], seen[0], errors[1][1], seen[1]);
    ENSURE(errors[1][0] > 1e-12 && errors[1][1] > 1e-12);
    ENSURE(seen[0] > order - 0.4 && seen[1] > order - 0.4);
    bool is_lower = is_index3 && order < 2 * stages - 1;  // what was said to be lower is
    ENSURE(!is_lower || (seen[0] < order + 0.5 && seen[1] < order + 0.5));
  }
  for (int pass = 0; pass < 2; ++pass) {
    mbs_result_destroy(results[pass]);
  }
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

// Other models, whose objectives have integrals of accelerations and reactions: against half the step of the same.
static void check_order_of(const char *path, const char *integrator, const char *formulation, double end, int steps,
                           double order) {
  MbsModel *model = read_model(context, path);
  MbsResult *results[3];
  for (int pass = 0; pass < 3; ++pass) {
    MbsRequest request = integrator_request(model, integrator, formulation, "natural");
    request.settings.end = end;
    request.settings.step = end / (steps << pass);
    results[pass] = run_with(model, &request, MBS_METHOD_ADJOINT);
  }
  int rows = results[0]->objective_count, count = results[0]->parameter_count;
  double coarse = distance(rows, count, results[0]->gradient, results[1]->gradient);
  double fine = distance(rows, count, results[1]->gradient, results[2]->gradient);
  (void)printf("%s, %s, %s: gradients change by %.1e and %.1e, order %.2f\n", path, integrator, formulation, coarse,
               fine, log2(coarse / fine));
  ENSURE(fine > 1e-12 && log2(coarse / fine) > order - 0.5);
  for (int pass = 0; pass < 3; ++pass) {
    mbs_result_destroy(results[pass]);
  }
  mbs_model_destroy(model);
}

// ---- stiffness ----
// s'' + c s' + K s = what makes s = A cos t of it, whatever K and c. A step is 1e4 times what explicit methods bear.
static void check_stiff(const char *integrator, double bound) {
  MbsModel *model = read_text(context, "stiff spring",
                              "mbsens: 1\n"
                              "parameters: {A: 0.8, K: 1e12, c: 1e4}\n"
                              "coordinates: {s: {inertia: 1}}\n"
                              "forces: [{coordinate_force: s, value: \"K*(A*cos(t) - value) - c*(rate + A*sin(t)) - "
                              "A*cos(t)\"}]\n"
                              "initial: {independent: [{coordinate: s, value: A, velocity: 0}]}\n"
                              "objectives: {s: {final: s}, square: {integral: s^2}}\n"
                              "simulation: {end: 2, step: 0.05, formulation: index1}\n");
  MbsRequest request = integrator_request(model, integrator, "index1", "natural");
  for (int pass = 0; pass < 2; ++pass) {
    request.settings.step_tolerance = pass == 0 ? 0 : 1e-6;
    MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
    double most = pass == 0 ? bound : 1e-5, s = 0.8 * cos(2), square = 0.64 * (1 + sin(4) / 4);
    (void)printf("stiff spring, %s: off by %.1e and %.1e in %ld steps\n", integrator, value(result, "s") - s,
                 value(result, "square") - square, result->statistics.steps);
    ENSURE_NEAR(value(result, "s"), s, most);
    ENSURE_NEAR(value(result, "square"), square, most);
    ENSURE_NEAR(slope(result, "s", "A"), cos(2), most);
    ENSURE_NEAR(slope(result, "square", "A"), 1.6 * (1 + sin(4) / 4), 2 * most);
    ENSURE(result->statistics.steps < 2000);  // explicit methods need more than 2e6
    mbs_result_destroy(result);
  }
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "dormand-prince-8");
  request.settings.step_tolerance = 0;
  MbsResult *result = NULL;
  MbsStatus status = mbs_run(context, model, &request, &result);
  ENSURE(status == MBS_ERROR_NUMERICAL || !(fabs(value(result, "s")) < 1e3));
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// Bushings of 1e7 N/m: explicit methods need 250 steps at least.
static void check_bushings(const char *formulation, double bound) {
  MbsModel *model = read_model(context, "models/bushed_wishbone.yaml");
  static const char *const parameters[] = {"k", "c", "Bz"}, *const objectives[] = {"travel", "toe"};
  MbsRequest request = integrator_request(model, "dormand-prince-8", "index1", "natural");
  request.parameters = parameters;
  request.parameter_count = MBS_COUNT(parameters);
  request.objectives = objectives;
  request.objective_count = MBS_COUNT(objectives);
  request.settings.end = 0.2;
  request.settings.step = 5e-4;
  MbsResult *reference = run_with(model, &request, MBS_METHOD_ADJOINT);
  request = integrator_request(model, "radau-5", formulation, "natural");
  request.parameters = parameters;
  request.parameter_count = MBS_COUNT(parameters);
  request.objectives = objectives;
  request.objective_count = MBS_COUNT(objectives);
  request.settings.end = 0.2;
  for (int pass = 0; pass < 2; ++pass) {
    request.settings.step = 0.01;
    request.settings.step_tolerance = pass == 0 ? 0 : 1e-4;
    MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
    double off = distance(result->objective_count, result->parameter_count, result->gradient, reference->gradient);
    (void)printf("bushings, %s: %ld steps, gradients off by %.1e\n", formulation, result->statistics.steps, off);
    ENSURE(off < bound && result->statistics.steps < 160);
    mbs_result_destroy(result);
  }
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

// ---- steps of their own size ----
// Errors of values and gradients fall with the tolerance, and so does the size of steps, as its root of the order.
static void check_tolerances(const char *integrator, const char *formulation, int order) {
  static const double tolerances[] = {1e-3, 1e-5, 1e-7};
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsRequest request = integrator_request(model, "dormand-prince-8", "index1", "natural");
  request.settings.step = 0.02;
  MbsResult *reference = run_with(model, &request, MBS_METHOD_ADJOINT);
  request = integrator_request(model, integrator, formulation, "natural");
  request.settings.step = 0.01;
  long steps[3], rejected = 0;
  for (int t = 0; t < (order > 3 ? 3 : 2); ++t) {
    request.settings.step_tolerance = tolerances[t];
    MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
    steps[t] = result->statistics.steps;
    rejected += result->statistics.tried_steps;
    double off = distance(result->objective_count, result->parameter_count, result->gradient, reference->gradient);
    (void)printf("%s, %s to %.0e: %ld steps, gradients off by %.1e\n", integrator, formulation, tolerances[t], steps[t],
                 off);
    ENSURE(off < 100 * tolerances[t] && off > 1e-3 * tolerances[t]);
    mbs_result_destroy(result);
  }
  ENSURE(rejected > 0);
  double growth = log((double)steps[1] / (double)steps[0]) / log(100);
  ENSURE(growth > 0.7 / order && growth < 1.4 / order);
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

// s'' = 1/(1 - t)^2 has no end at t = 1, and no step gets past it
static void check_collapse(void) {
  MbsModel *model = read_text(context, "no end",
                              "mbsens: 1\n"
                              "parameters: {c: 1}\n"
                              "coordinates: {s: {inertia: 1}}\n"
                              "forces: [{coordinate_force: s, value: c/(1 - t)^2}]\n"
                              "objectives: {s: {final: s}}\n"
                              "simulation: {end: 2, step: 0.1, formulation: index1}\n");
  MbsRequest request = integrator_request(model, "radau-5", "index1", "natural");
  MbsResult *result = NULL;
  request.settings.step_tolerance = 1e-6;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
  ENSURE(strstr(mbs_context_message(context), "the step size collapses at t = "));
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- the same again ----
static void repeat(const char *path, const char *formulation, double tolerance) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = integrator_request(model, "radau-5", formulation, "natural");
  request.settings.step = 0.02;
  request.settings.end = 1.2;
  request.settings.step_tolerance = tolerance;
  check_repeats(model, &request, 2.5e4, 12, 40, 1e-10);
  mbs_model_destroy(model);
}

// ---- events ----
// the figures of docs/validation.md, by steps that end at impacts
static void check_impacts(const char *formulation) {
  MbsModel *model = read_model(context, "models/five_bar_impact.yaml");
  MbsRequest request = integrator_request(model, "radau-5", formulation, "natural");
  double worst[3];
  request.settings.step = 0.01;
  compare_impacts(model, &request, worst);
  ENSURE(worst[0] < 1e-7 && worst[2] < (strcmp(formulation, "index3") == 0 ? 1e-4 : 1e-6));
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_coefficients(&mbs_radau_3);
  check_coefficients(&mbs_radau_5);
  for (int c = 0; c < 2; ++c) {
    check_orders("radau-5", "index1", coordinates[c], 3, 32);
    check_orders("radau-5", "ali3p", coordinates[c], 3, 32);
    check_orders("radau-5", "index3", coordinates[c], 3, 64);
  }
  check_orders("radau-3", "ali3p", "natural", 2, 128);
  check_orders("radau-3", "index1", "natural", 2, 128);
  check_order_of("models/rssr.yaml", "radau-5", "ali3p", 0.1, 10, 5);
  check_order_of("models/rssr.yaml", "radau-5", "penalty", 0.1, 10, 5);
  check_order_of("models/snakeboard.yaml", "radau-5", "ali3p", 1, 10, 5);
  check_order_of("models/rolling_disc.yaml", "radau-5", "index1", 0.2, 10, 5);
  check_stiff("radau-5", 1e-9);
  check_stiff("radau-3", 1e-5);
  check_bushings("ali3p", 1e-4);
  check_bushings("index3", 1e-4);
  check_tolerances("radau-5", "index1", 5);
  check_tolerances("radau-5", "ali3p", 5);
  check_tolerances("radau-5", "index3", 5);
  check_tolerances("radau-3", "ali3p", 3);
  check_collapse();
  repeat("models/five_bar_impact.yaml", "index3", 0);
  repeat("models/five_bar_impact.yaml", "ali3p", 1e-6);
  repeat("tests/models/adjoint_redundant.yaml", "ali1", 0);
  check_impacts("index1");
  check_impacts("ali3p");
  check_impacts("index3");
  // a spatial loop, an open tree, bushings, drivers, a ground that moves, states of first order, rolling; redundant
  // constraints; then events: impacts, switches, variables, an end that is a parameter, joints that come and go,
  // extrema
  static const MethodCase models[] = {{"models/rssr.yaml", 0.02, false, false, false},
                                      {"models/six_axis_arm.yaml", 0.002, false, false, false},
                                      {"models/bushed_wishbone.yaml", 0.02, false, false, false},
                                      {"tests/models/run_chain.yaml", 0.05, false, true, false},
                                      {"models/driven_slider_crank.yaml", 0.1, false, false, false},
                                      {"models/shaken_pendulum.yaml", 0.1, false, false, false},
                                      {"tests/models/five_bar_moving.yaml", 0.05, false, false, false},
                                      {"tests/models/element_states_plane.yaml", 0.1, false, false, false},
                                      {"models/snakeboard.yaml", 0.1, false, false, false},
                                      {"tests/models/adjoint_redundant.yaml", 0.3, false, true, true},
                                      {"models/bouncing_ball.yaml", 0, true, false, false},
                                      {"models/switching_damper.yaml", 0, true, false, false},
                                      {"tests/models/event_variables.yaml", 0, true, false, false},
                                      {"tests/models/end_parameter.yaml", 0, true, false, false},
                                      {"models/string_pendulum.yaml", 0, true, false, false},
                                      {"tests/models/runge_kutta_times.yaml", 1, false, false, false},
                                      {"tests/models/runge_kutta_catch.yaml", 0, true, true, true},
                                      {"tests/models/objectives_oscillator.yaml", 0, true, false, false},
                                      {"tests/models/jump_force_zone.yaml", 0, true, false, false}};
  static const char *const formulations[] = {"ali3p", "index3", "index1", "penalty", "ali1"};
  for (int m = 0; m < MBS_COUNT(models); ++m) {
    for (int f = 0; f < MBS_COUNT(formulations); ++f) {
      // guards and extrema of forces and accelerations, which index3 does not offer
      bool has_forces = strstr(models[m].path, "string") || strstr(models[m].path, "oscillator");
      bool is_refused = f == 1 ? models[m].has_redundancy || has_forces : f == 2 && models[m].has_redundancy;
      const char *kind = coordinates[models[m].is_natural ? 0 : (m + f) % 2];
      double tolerance = (m + f) % 3 == 0 ? 1e-4 : 0;  // steps of their own size, or all alike
      if (!is_refused && (f == m / 2 % 2 || f == 2 + m % 3)) {
        MbsModel *model = read_model(context, models[m].path);
        MbsRequest request = integrator_request(model, m % 4 == 3 ? "radau-3" : "radau-5", formulations[f], kind);
        request.settings.step_tolerance = tolerance;
        compare_on(&models[m], model, &request, models[m].end > 0 ? 8 : 40);
        mbs_model_destroy(model);
      }
    }
  }
  mbs_context_destroy(context);
  return 0;
}
