// Explicit Runge-Kutta methods with matrix-r, where independent coordinates alone are integrated: orders of values and
// gradients against runs of another formulation, in loops that move at the start, an open chain, and where wheels roll;
// constraints at rounding; direct = adjoint = complex step with drivers, ground that moves, states of first order,
// redundant constraints, events, and through changes of the independent coordinates on the way. Steps undone and walked
// again: test_runge_kutta.c. Derivatives by the size and the time of a step: test_step_shift.c.
//
// Seen to fail with a planted error, one at a time:
//   integrators/explicit_reduced.c             h of r_j; d_ij without h; w'' of the stage before; sets that do not
//   change;
//                                              one Newton iteration alone; stage 0 at the time of the end; V of Z
//   integrators/explicit_reduced_transposed.c  0.99 a_ij u_i b; 0.99 of r_j b; (E1)_q' p1 or w' of stages left out
//   integrators/explicit_stepper.c             signals left at a stage before hats are handled; sets not restored
#include "integrator_runs.h"

// turns over and over: neither x nor y of its tips serves for long, and no coordinate is given
static const char *const tumbling =
    "mbsens: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 1.5, L: 0.8, I: 0.1, w: 9}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  upper: {mass: m, com: [0.4, 0.02], inertia: I, points: {O: [0, 0], P: [L, 0]}}\n"
    "  lower: {mass: 0.7, com: [0.3, 0.1], inertia: 0.05, points: {P: [0, 0], Q: [0.6, 0]}}\n"
    "joints:\n"
    "  - revolute: [ground.O, upper.O]\n"
    "  - revolute: [upper.P, lower.P]\n"
    "forces:\n"
    "  - {torque: upper, value: w*exp(-t)}\n"
    "objectives:\n"
    "  end: {final: r(Q).x + 0.3*v(Q).y}\n"
    "  way: {integral: \"dot(a(Q), a(Q))\"}\n"
    "simulation: {end: 1.5, step: 0.005, formulation: matrix-r}\n";

static MbsRequest reduced_request(const MbsModel *model, const char *integrator, const char *kind, double end) {
  MbsRequest request = integrator_request(model, integrator, "matrix-r", kind);
  request.settings.end = end > 0 ? end : request.settings.end;
  return request;
}

// ---- orders ----
// values and derivatives, each relative to the largest of its kind in its objective
static void find_errors(const MbsResult *result, const MbsResult *reference, double errors[2]) {
  errors[0] = errors[1] = 0;
  for (int i = 0; i < result->objective_count; ++i) {
    errors[0] = fmax(errors[0], fabs(result->values[i] - reference->values[i]) / (1e-3 + fabs(reference->values[i])));
  }
  errors[1] = distance(result->objective_count, result->parameter_count, result->gradient, reference->gradient);
}

static void check_order(const MbsModel *model, const char *what, const char *kind, const MbsResult *reference,
                        double end, int order, int steps) {
  MbsRequest request = reduced_request(model, order == 5 ? "dormand-prince-5" : "dormand-prince-8", kind, end);
  double errors[2][2];
  for (int pass = 0; pass < 2; ++pass) {
    request.settings.step = end / (pass == 0 ? steps : 2 * steps);
    MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
    find_errors(result, reference, errors[pass]);
    ENSURE(result->statistics.residual_position < 1e-13 &&
           result->statistics.residual_velocity <
               1e-12);  // found, not integrated: some roundings of lengths and velocities
    mbs_result_destroy(result);
  }
  double seen[2] = {log2(errors[0][0] / errors[1][0]), log2(errors[0][1] / errors[1][1])};
  (void)printf("%s, %s, order %d: %.1e and %.1e, orders %.2f and %.2f\n", what, kind, order, errors[1][0], errors[1][1],
               seen[0], seen[1]);
  for (int i = 0; i < 2; ++i) {
    ENSURE(errors[1][i] > 1e-13);  // above rounding, else the order means nothing
    ENSURE(seen[i] > order - 0.7 && errors[1][i] < 1e-3);
  }
}

static void check_orders(const char *path, double end, const int steps[2]) {
  bool is_text = path == tumbling;
  MbsModel *model = is_text ? read_text(context, "tumbling", tumbling) : read_model(context, path);
  for (int c = 0; c < 2; ++c) {
    MbsRequest fine = reduced_request(model, "dormand-prince-8", coordinates[c], end);
    (void)snprintf(fine.settings.formulation, sizeof fine.settings.formulation, "index1");
    fine.settings.step = end / (8 * steps[1]);
    MbsResult *reference = run_with(model, &fine, MBS_METHOD_ADJOINT);
    check_order(model, is_text ? "open chain" : path, coordinates[c], reference, end, 5, steps[0]);
    check_order(model, is_text ? "open chain" : path, coordinates[c], reference, end, 8, steps[1]);
    mbs_result_destroy(reference);
  }
  mbs_model_destroy(model);
}

// ---- sets that change on the way ----
static void check_changes(const char *integrator, const char *kind, double tolerance) {
  MbsModel *model = read_text(context, "tumbling", tumbling);
  MbsRequest request = reduced_request(model, integrator, kind, 1.5);
  request.settings.step = 0.02;
  request.settings.step_tolerance = tolerance;
  (void)compare_methods(model, &request, "tumbling");
  MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
  (void)printf("tumbling, %s, %s: %ld steps in %ld sets\n", integrator, kind, result->statistics.steps,
               result->statistics.independent_sets);
  ENSURE((result->statistics.independent_sets > 1) == (strcmp(kind, "natural") == 0));
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_orders("models/five_bar.yaml", 5, (const int[]){80, 30});
  check_orders("models/rssr.yaml", 0.3, (const int[]){20, 8});
  check_orders("models/snakeboard.yaml", 1.5, (const int[]){20, 8});
  check_orders(tumbling, 1.5, (const int[]){150, 50});
  for (int c = 0; c < 2; ++c) {
    check_changes("dormand-prince-5", coordinates[c], 0);
    check_changes("dormand-prince-8", coordinates[c], 1e-6);
  }
  static const MethodCase models[] = {{"models/six_axis_arm.yaml", 0.002, false, false, false},
                                      {"tests/models/run_chain.yaml", 0.05, false, true, false},
                                      {"models/driven_slider_crank.yaml", 0.1, false, false, false},
                                      {"models/shaken_pendulum.yaml", 0.1, false, false, false},
                                      {"tests/models/five_bar_moving.yaml", 0.05, false, false, false},
                                      {"tests/models/element_states_plane.yaml", 0.1, false, false, false},
                                      {"tests/models/adjoint_redundant.yaml", 0.3, false, true, false},
                                      {"models/rolling_disc.yaml", 0.1, false, false, false},
                                      {"models/five_bar_impact.yaml", 2, true, false, false},
                                      {"models/switching_damper.yaml", 1, true, false, false},
                                      {"tests/models/event_variables.yaml", 0, true, false, false},
                                      {"tests/models/end_parameter.yaml", 0, true, false, false},
                                      {"models/string_pendulum.yaml", 0, true, false, false},
                                      {"tests/models/runge_kutta_catch.yaml", 0, true, true, false},
                                      {"tests/models/objectives_oscillator.yaml", 0, true, false, false}};
  for (int m = 0; m < MBS_COUNT(models); ++m) {
    for (int c = 0; c < (models[m].is_natural ? 1 : 2); ++c) {
      MbsModel *model = read_model(context, models[m].path);
      MbsRequest request =
          reduced_request(model, (m + c) % 2 ? "dormand-prince-5" : "dormand-prince-8", coordinates[c], models[m].end);
      request.settings.step_tolerance = m % 2 == c ? 1e-5 : 0;
      compare_on(&models[m], model, &request, models[m].has_events ? 60 : 12);
      mbs_model_destroy(model);
    }
  }
  mbs_context_destroy(context);
  return 0;
}
