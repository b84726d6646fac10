// The public benchmark problems against their digits (see docs/validation.md for finer steps), and closed forms of the
// elements that have no other: bushing, force along a coordinate, constraint by expression.
#include "support.h"

static MbsContext *context;

static MbsResult *run(MbsModel *model, const char *formulation, double step, MbsMethod method) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  if (formulation) {
    (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  }
  request.settings.step = step;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

static double value_of(const MbsResult *result, const char *objective) {
  for (int i = 0; i < result->objective_count; ++i) {
    if (strcmp(result->objectives[i], objective) == 0) {
      return result->values[i];
    }
  }
  (void)fprintf(stderr, "no objective %s\n", objective);
  exit(1);
}

static double derivative_of(const MbsResult *result, int objective, const char *parameter) {
  for (int k = 0; k < result->parameter_count; ++k) {
    if (strcmp(result->parameters[k], parameter) == 0) {
      return result->gradient[objective * result->parameter_count + k];
    }
  }
  (void)fprintf(stderr, "no parameter %s\n", parameter);
  exit(1);
}

// IDAS slider-crank: G and its derivatives, computed independently to 12 digits; the rule's error at 1e-3 is about 4e-8
static void check_slider_crank(void) {
  const char *const formulations[] = {"index1", "penalty"};
  for (int f = 0; f < 2; ++f) {
    MbsModel *model = read_model(context, "models/slider_crank.yaml");
    MbsResult *result = run(model, formulations[f], 1e-3, MBS_METHOD_DIRECT);
    ENSURE_NEAR(result->values[0], 3.3366067994828, 1e-6);
    ENSURE_NEAR(derivative_of(result, 0, "k"), 0.333448106128, 1e-6);
    ENSURE_NEAR(derivative_of(result, 0, "c"), -0.363754033971, 1e-6);
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
}

// Andrews' squeezer at t = 0.03: the published digits, relative; the rule's error at 5e-6 is 5.9e-5 in gamma
static void check_andrews(void) {
  const struct {
    const char *name;
    double value;
  } published[] = {{"beta", 15.81077119629904},   {"theta", -15.75637105984298}, {"gamma", .04082224013073101},
                   {"phi", -.5347301163226948},   {"delta", .5244099658805304},  {"omega", .5347301163226948},
                   {"epsilon", 1.048080741042263}};
  MbsModel *model = read_model(context, "models/andrews.yaml");
  MbsResult *result = run(model, "index1", 5e-6, MBS_METHOD_NONE);
  for (size_t i = 0; i < sizeof published / sizeof *published; ++i) {
    ENSURE_NEAR(value_of(result, published[i].name) / published[i].value, 1, 1e-4);
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// N four-bar through its singular positions: error 5e-5 at h = 1e-3, falling with h^2
static void check_four_bar(void) {
  MbsModel *model = read_model(context, "models/n_four_bar.yaml");
  double error[2];
  for (int i = 0; i < 2; ++i) {
    MbsResult *result = run(model, NULL, i ? 1e-3 : 2e-3, MBS_METHOD_NONE);
    const double *r = NULL;
    for (int p = 0; p < result->point_count; ++p) {
      double y = result->points[p].position[1] - .94451853817860;
      double x = result->points[p].position[0] - .32845811154081;
      r = fabs(x) < 0.1 && fabs(y) < 0.1 ? result->points[p].position : r;
    }
    ENSURE(r);
    error[i] = hypot(r[0] - .32845811154081, r[1] - .94451853817860);
    mbs_result_destroy(result);
  }
  ENSURE_NEAR(error[1], 0, 1e-4);
  ENSURE_NEAR(error[0] / error[1], 4, 1);
  mbs_model_destroy(model);
}

// A body on a bushing vibrates along and about each axis on its own: x = x0 cos(w t), w^2 = k/m or kr/I. The rule's
// error is (w h)^2 w t / 12.
static void check_bushing(void) {
  static const char text[] =
      "mbsens: 1\ndimension: 3\n"
      "parameters: {kx: 40, ky: 90, kz: 60, rx: 2, ry: 3, rz: 4}\n"
      "ground: {points: {O: [0, 0, 0]}}\n"
      "bodies:\n"
      "  block: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.12, 0.15], points: {O: [0, 0, 0], X: [1, 0, 0], Y: [0, 1, "
      "0]}}\n"
      "forces:\n"
      "  - {bushing: [ground.O, block.O], stiffness: [kx, ky, kz], turning_stiffness: [rx, ry, rz]}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(block.O).x, value: 0.1}\n"
      "    - {coordinate: r(block.O).y, value: 0.2}\n"
      "    - {coordinate: r(block.O).z, value: -0.1}\n"
      "    - {coordinate: r(X).y - r(block.O).y, value: 0.001}\n"
      "    - {coordinate: r(X).z - r(block.O).z, value: 0}\n"
      "    - {coordinate: r(Y).z - r(block.O).z, value: 0}\n"
      "objectives:\n"
      "  x: {final: r(block.O).x}\n  y: {final: r(block.O).y}\n  z: {final: r(block.O).z}\n"
      "  turn: {final: r(X).y - r(block.O).y}\n"
      "simulation: {end: 1, step: 0.0005}\n";
  MbsModel *model = read_text(context, "bushing", text);
  MbsResult *result = run(model, "index1", 5e-4, MBS_METHOD_DIRECT);
  ENSURE_NEAR(result->values[0], 0.1 * cos(sqrt(40. / 2)), 1e-6);
  ENSURE_NEAR(result->values[1], 0.2 * cos(sqrt(90. / 2)), 1e-5);
  ENSURE_NEAR(result->values[2], -0.1 * cos(sqrt(60. / 2)), 1e-6);
  ENSURE_NEAR(result->values[3], 0.001 * cos(sqrt(4 / 0.15)), 1e-8);
  // dx/dk = -x0 sin(w) / (2 w m)
  ENSURE_NEAR(derivative_of(result, 0, "kx"), -0.1 * sin(sqrt(20)) / (2 * sqrt(20) * 2), 1e-7);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// A bead on the parabola y = x^2/2, by a constraint, with a force along its x: its energy is T + m g y - F x.
// A bead on the straight line x = y (by expression) slides with g/2 and, pushed by F along x, with (g - F/m)/2.
static void check_expressions(void) {
  static const char text[] =
      "mbsens: 1\ngravity: [0, -10]\nparameters: {F: 3, m: 2, s: 1}\n"
      "bodies:\n"
      "  ball: {mass: m, points: {P: [0, 0]}, position: [1, 0.5]}\n"
      "  bead: {mass: m, points: {B: [0, 0]}}\n"
      "joints:\n"
      "  - constraint: r(P).y - r(P).x^2/2\n"
      "  - constraint: r(B).y - s*r(B).x\n"
      "forces:\n"
      "  - {coordinate_force: r(P).x, value: F}\n"
      "  - {coordinate_force: r(B).x, value: -F}\n"
      "initial: {independent: [{coordinate: r(P).x, value: 1}, {coordinate: r(B).x, value: 0}]}\n"
      "objectives:\n"
      "  energy: {final: \"m*dot(v(P), v(P))/2 + m*10*r(P).y - F*r(P).x\"}\n"
      "  way: {final: r(B).x}\n"
      "simulation: {end: 1, step: 0.001}\n";
  MbsModel *model = read_text(context, "beads", text);
  MbsResult *result = run(model, "index1", 1e-3, MBS_METHOD_DIRECT);
  ENSURE_NEAR(result->values[0], 2 * 10 * 0.5 - 3, 1e-4);
  // m (1 + s^2) x'' = -F - s m g; exact under a constant force
  ENSURE_NEAR(result->values[1], (-3 - 2 * 10.) / (2 * 2) / 2, 1e-9);
  ENSURE_NEAR(derivative_of(result, 1, "F"), -1 / 4. / 2, 1e-9);
  ENSURE_NEAR(derivative_of(result, 1, "s"), (-10 / 2. + 2 * (3 + 20.) / (2 * 4)) / 2, 1e-9);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_slider_crank();
  check_andrews();
  check_four_bar();
  check_bushing();
  check_expressions();
  mbs_context_destroy(context);
  return 0;
}
