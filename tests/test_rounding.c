// Runs whose residual cannot come down to the tolerance because rounding is larger: a stiff spring, a small mechanism
// far from the origin, small steps of a nonholonomic one. They run in every formulation, and give what a closed form,
// another integration or the same mechanism at the origin gives; gradients agree by all methods.
#include "support.h"

static MbsContext *context;
static const char *const formulations[] = {"index1", "ali1", "penalty", "index3", "ali3p", "matrix-r"};
static const char *const both[] = {"natural", "relative"};
enum { FORMULATIONS = 6 };

static MbsModel *model_with(const char *path, const char *name, double value) {
  MbsModel *model = read_model(context, path);
  char text[64];
  (void)snprintf(text, sizeof text, "%.17g", value);
  if (name) {
    ENSURE_OK(context, mbs_model_set(context, model, name, text));
  }
  return model;
}

static MbsResult *run(const MbsModel *model, const char *formulation, const char *coordinates, MbsMethod method,
                      double step, double end) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", formulation);
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  request.settings.step = step;
  request.settings.end = end;
  request.method = method;
  if (mbs_run(context, model, &request, &result) != MBS_OK) {
    (void)fprintf(stderr, "%s, %s, h = %g: %s\n", formulation, coordinates, step, mbs_context_message(context));
    exit(1);
  }
  return result;
}

// ---- the sleigh ----
// With v along the edge, K = J + m c^2:  v' = c w^2,  K w' = -m c v w,  2E = m v^2 + K w^2 constant, so
//     w = sqrt(2E/K) / cosh(tau),  v = sqrt(2E/m) tanh(tau),  tau' = c sqrt(2E m) / K,
// and the angle turned is K sqrt(2E/K) / (c sqrt(2E m)) times the change of gd(tau) = 2 atan(tanh(tau/2)).
static double turned(double t) {
  const double m = 2, c = 0.25, K = 0.3 + m * c * c, v0 = 0.4, w0 = 1.7;
  double E2 = m * v0 * v0 + K * w0 * w0, rate = c * sqrt(E2 * m) / K, tau = atanh(v0 * sqrt(m / E2));
  return sqrt(E2 / K) / rate * 2 * (atan(tanh((tau + rate * t) / 2)) - atan(tanh(tau / 2)));
}

static void test_sleigh(void) {
  MbsModel *model = read_model(context, "tests/models/case_sleigh.yaml");
  const double steps[] = {1e-3, 1e-4, 1e-5}, ends[] = {4, 1, 0.2};
  for (int i = 0; i < 3; ++i) {
    for (int f = 0; f < FORMULATIONS; ++f) {
      for (int c = 0; c < 2; ++c) {
        MbsResult *result = run(model, formulations[f], both[c], MBS_METHOD_NONE, steps[i], ends[i]);
        // the rules' error is of the order h^2; rounding is added up over 1e4 steps; penalty gives by 1e-8
        ENSURE_NEAR(result->values[0], turned(ends[i]), 2 * steps[i] * steps[i] + 1e-8);
        mbs_result_destroy(result);
      }
    }
  }
  mbs_model_destroy(model);
}

// ---- the stiff spring ----
// a pendulum, for a spring that gives by m g / k alone: theta'' = -g/L cos(theta) from the horizontal, by Runge-Kutta
static double pendulum_height(double end) {
  enum { STEPS = 10000 };
  const double a = 9.81 / 0.2, h = end / STEPS;
  double q = 0, v = 0;
  for (int i = 0; i < STEPS; ++i) {
    double k1 = -a * cos(q), k2 = -a * cos(q + h / 2 * v), k3 = -a * cos(q + h / 2 * v + h * h / 4 * k1);
    double k4 = -a * cos(q + h * v + h * h / 2 * k2);
    q += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return 0.2 * sin(q);
}

static double gradient_by(const MbsModel *model, const char *formulation, const char *coordinates, MbsMethod method,
                          int parameter, int objective, double step, double end) {
  MbsResult *result = run(model, formulation, coordinates, method, step, end);
  double value = result->gradient[objective * result->parameter_count + parameter];
  mbs_result_destroy(result);
  return value;
}

static void test_stiff_spring(void) {
  const double stiffnesses[] = {1e8, 1e9, 1e10};
  double expected = pendulum_height(0.3);
  for (int i = 0; i < 3; ++i) {
    MbsModel *model = model_with("tests/models/case_stiff_spring.yaml", "k", stiffnesses[i]);
    for (int c = 0; c < 2; ++c) {
      for (int f = 0; f < FORMULATIONS; ++f) {
        MbsResult *result = run(model, formulations[f], both[c], MBS_METHOD_NONE, 1e-3, 0.3);
        ENSURE_NEAR(result->values[0], expected, 2e-5);  // (w h)^2 / 12 with w = 7 / s is 4e-6
        mbs_result_destroy(result);
      }
      // what the spring's rounding, 1e-16 k L against m g, leaves of the digits: 2e-9 to 2e-7
      double direct = gradient_by(model, "ali3p", both[c], MBS_METHOD_DIRECT, 0, 0, 1e-3, 0.3);
      double adjoint = gradient_by(model, "ali3p", both[c], MBS_METHOD_ADJOINT, 0, 0, 1e-3, 0.3);
      double complex = gradient_by(model, "ali3p", both[c], MBS_METHOD_COMPLEX_STEP, 0, 0, 1e-3, 0.3);
      ENSURE(fabs(complex) * stiffnesses[i] * stiffnesses[i] > 1);  // d/dk of m g / k
      ENSURE_NEAR(direct / complex, 1, 1e-7);
      ENSURE_NEAR(adjoint / complex, 1, 1e-7);
    }
    mbs_model_destroy(model);
  }
}

// ---- far away ----
static void test_far_away(void) {
  const double near_end = 0.3;
  MbsModel *here = model_with("tests/models/case_far_four_bar.yaml", "X", 0);
  MbsModel *far = model_with("tests/models/case_far_four_bar.yaml", "X", 1e5);
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < 2; ++c) {
      MbsResult *expected = run(here, formulations[f], both[c], MBS_METHOD_DIRECT, 1e-3, near_end);
      for (int i = 0; i < expected->objective_count; ++i) {
        // positions are known to 1e-11 of 0.1, and index3 divides them by h^2
        double close = strcmp(formulations[f], "index3") == 0 ? 1e-5 : 1e-6;
        MbsResult *direct = run(far, formulations[f], both[c], MBS_METHOD_DIRECT, 1e-3, near_end);
        double L = expected->gradient[i * expected->parameter_count + 1], size = fabs(L) + fabs(expected->values[i]);
        ENSURE_NEAR(direct->values[i], expected->values[i], close * 0.1);
        ENSURE_NEAR(direct->gradient[i * direct->parameter_count], 0, close * size);  // by X
        ENSURE_NEAR(direct->gradient[i * direct->parameter_count + 1], L, close * size);
        mbs_result_destroy(direct);
        double adjoint = gradient_by(far, formulations[f], both[c], MBS_METHOD_ADJOINT, 1, i, 1e-3, near_end);
        double complex = gradient_by(far, formulations[f], both[c], MBS_METHOD_COMPLEX_STEP, 1, i, 1e-3, near_end);
        ENSURE_NEAR(adjoint, L, close * size);
        ENSURE_NEAR(complex, L, close * size);
      }
      mbs_result_destroy(expected);
    }
  }
  mbs_model_destroy(here);
  mbs_model_destroy(far);
}

// ---- frames at one place ----
// A block on a turning bar, both with their origins at the bar's pivot: the arms of the forces are the bodies' own
// sizes. With x the place of the block, of mass m, along the bar, which starts level,
//     x'' = x w^2 - g sin(a),      (K + m x^2) w' = -(M c + m x) g cos(a) - 2 m x x' w,
// so that from rest x = 0 and a = 0:   a = -M c g t^2 / (2 K),   x = -g (w'/2) t^4 / 12 + ...
static void test_frames_at_one_place(void) {
  static const char text[] =
      "mbsens: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {s: 0}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  b: {mass: 2, com: [0.3, 0], inertia: 0.1, points: {O: [0, 0]}}\n"
      "  c: {mass: 1, inertia: 0.1, points: {C: [0, 0]}}\n"
      "joints:\n"
      "  - {revolute: [ground.O, b.O], name: J}\n"
      "  - {prismatic: [b.O, c.C], axis: [1, 0], name: guide}\n"
      "initial: {independent: [{coordinate: angle(b), value: 0}, {coordinate: slide(guide), value: s}]}\n"
      "objectives: {a: {final: angle(b)}, x: {final: slide(guide)}}\n"
      "simulation: {end: 0.01, step: 1.0e-4}\n";
  const double starts[] = {0, 1e-15, 1e-12, 1e-9}, t = 0.01, K = 0.2 + 2 * 0.09, turn = -2 * 0.3 * 9.81 / K;
  for (int i = 0; i < 4; ++i) {
    MbsModel *model = read_text(context, "frames at one place", text);
    char value[64];
    (void)snprintf(value, sizeof value, "%.17g", starts[i]);
    ENSURE_OK(context, mbs_model_set(context, model, "s", value));
    for (int f = 0; f < FORMULATIONS; ++f) {
      for (int c = 0; c < 2; ++c) {
        MbsResult *result = run(model, formulations[f], both[c], MBS_METHOD_NONE, 1e-4, t);
        // the next terms of the series are 1e-4 of these; the rules' error is 1e-4 of them, too
        ENSURE_NEAR(result->values[0] / (turn * t * t / 2), 1, 1e-3);
        ENSURE_NEAR((result->values[1] - starts[i]) / (-9.81 * turn / 2 * t * t * t * t / 12), 1, 1e-2);
        mbs_result_destroy(result);
      }
    }
    mbs_model_destroy(model);
  }
}

int main(void) {
  context = mbs_context_create();
  test_sleigh();
  test_stiff_spring();
  test_far_away();
  test_frames_at_one_place();
  mbs_context_destroy(context);
  return 0;
}
