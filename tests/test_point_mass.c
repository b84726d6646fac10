// A point mass is at its point, wherever that is in its own axes: natural and relative coordinates, in the plane and in
// space, give one answer, and where there is a closed form or a model without the point mass, that one.
#include "support.h"

static MbsResult *run(MbsContext *context, MbsModel *model, const char *coordinates, MbsMethod method) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  request.method = method;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

// matrix-r with the same independent coordinates solves the same equations in all coordinates: rounding, which grows
// with the derivatives' size; 1e-9 leaves it some digits
static void ensure_same(const MbsResult *a, const MbsResult *b) {
  ENSURE(a->objective_count == b->objective_count && a->parameter_count == b->parameter_count);
  for (int i = 0; i < a->objective_count; ++i) {
    ENSURE_NEAR(a->values[i], b->values[i], 1e-9 * (1 + fabs(b->values[i])));
    for (int k = 0; a->gradient && b->gradient && k < a->parameter_count; ++k) {
      double x = a->gradient[i * a->parameter_count + k], y = b->gradient[i * b->parameter_count + k];
      ENSURE_NEAR(x, y, 1e-8 * (1 + fabs(y)));
    }
  }
}

static int index_of(const MbsResult *result, const char *parameter) {
  int k = 0;
  while (k < result->parameter_count && strcmp(result->parameters[k], parameter) != 0) {
    ++k;
  }
  ENSURE(k < result->parameter_count);
  return k;
}

static double derivative(const MbsResult *result, int objective, const char *parameter) {
  return result->gradient[objective * result->parameter_count + index_of(result, parameter)];
}

// natural against relative, direct against adjoint and complex step
static MbsResult *compare(MbsContext *context, MbsModel *model) {
  MbsResult *natural = run(context, model, "natural", MBS_METHOD_DIRECT);
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  for (int i = 0; i < 3; ++i) {
    MbsResult *relative = run(context, model, "relative", methods[i]);
    ensure_same(relative, natural);
    mbs_result_destroy(relative);
  }
  return natural;
}

// the pendulum as one body: mass M + m, its centre, J + M l^2/4 + m l^2 - (M + m) s^2 about it
static const char one_body[] =
    "mbsens: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 1.3, M: 0.8, J: 0.9, l: 1.1, c: 0.2, w0: 0.5, s: (M*l/2 + m*l)/(M + m)}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  arm: {mass: M + m, com: [s, 0], inertia: J + M*l^2/4 + m*l^2 - (M + m)*s^2, points: {O: [0, 0], B: [l, 0]}}\n"
    "joints: [{revolute: [ground.O, arm.O]}]\n"
    "forces: [{torque: arm, value: -c*omega(arm)}]\n"
    "initial: {independent: [{coordinate: angle(arm), value: 0.1, velocity: w0}]}\n"
    "objectives: {height: {final: r(arm.B).y}, spin: {final: omega(arm)}, swept: {integral: omega(arm)^2}}\n"
    "simulation: {end: 0.5, step: 0.01, formulation: matrix-r, tolerance: 1e-12}\n";

static void test_plane(MbsContext *context) {
  static const char *const shared[] = {"m", "M", "J", "l", "c", "w0"};
  MbsModel *model = read_model(context, "tests/models/offset_point_mass.yaml");
  MbsModel *other = read_text(context, "one body", one_body);
  MbsResult *result = compare(context, model), *expected = run(context, other, "natural", MBS_METHOD_DIRECT);
  for (int i = 0; i < 3; ++i) {
    ENSURE_NEAR(result->values[i], expected->values[i], 1e-9);
    for (int k = 0; k < 6; ++k) {
      double wanted = derivative(expected, i, shared[k]);
      ENSURE(fabs(wanted) > 1e-3);
      ENSURE_NEAR(derivative(result, i, shared[k]), wanted, 1e-8);
    }
    // where the point is in the axes that a point mass has not changes nothing
    ENSURE(derivative(result, i, "ox") == 0 && derivative(result, i, "oy") == 0);
  }
  mbs_result_destroy(result);
  mbs_result_destroy(expected);
  mbs_model_destroy(model);
  mbs_model_destroy(other);
}

static void test_space(MbsContext *context) {
  MbsModel *model = read_model(context, "tests/models/offset_point_mass_space.yaml");
  MbsResult *result = compare(context, model);
  // the thrown one: h - g t^2 / 2, which the trapezoidal rule integrates exactly
  double t = result->request->settings.end;
  ENSURE_NEAR(result->values[0], 5 - 9.81 * t * t / 2, 1e-9);
  ENSURE_NEAR(derivative(result, 0, "h"), 1, 1e-9);
  ENSURE_NEAR(derivative(result, 0, "o"), 0, 1e-12);
  ENSURE(fabs(derivative(result, 1, "n")) > 1e-4 && fabs(derivative(result, 1, "k")) > 1e-4);
  ENSURE_NEAR(derivative(result, 1, "q"), 0, 1e-12);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// nothing holds it and nothing says where it is: it stays at its point of the placed body
static void test_free(MbsContext *context) {
  MbsModel *model = read_text(context, "free",
                              "mbsens: 1\n"
                              "dimension: 3\n"
                              "parameters: {o: 1}\n"
                              "bodies: {ball: {mass: 1, position: [3, 2, 1], points: {B: [0, o, 0]}}}\n"
                              "objectives: {y: {final: r(ball.B).y}, z: {final: r(ball.B).z}}\n"
                              "simulation: {end: 0.1}\n");
  static const char *const coordinates[] = {"natural", "relative"};
  for (int i = 0; i < 2; ++i) {
    MbsResult *result = run(context, model, coordinates[i], MBS_METHOD_NONE);
    ENSURE_NEAR(result->values[0], 3, 1e-12);
    ENSURE_NEAR(result->values[1], 1, 1e-12);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

int main(void) {
  MbsContext *context = mbs_context_create();
  ENSURE(context);
  test_plane(context);
  test_space(context);
  test_free(context);
  mbs_context_destroy(context);
  return 0;
}
