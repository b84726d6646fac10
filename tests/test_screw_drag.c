// Closed forms. A nut of mass m and inertia I on a vertical screw of pitch p: s'' = -g m/(m + I k^2), k = 2 pi/p. A
// ball that falls from rest through the air: v = V tanh(g t/V), V^2 = 2 m g/(rho c A), and what V does to it. Both
// kinds of coordinates; a mirrored nut turns the other way; a drag of no velocity is none, with derivatives.
#include "support.h"

static MbsContext *context;

static const char nut[] =
    "mbsens: 1\ndimension: 3\ngravity: [0, 0, -g]\nparameters: {g: 9.8, m: 2, I: 0.3, p: 0.8, h: 0.1}\n"
    "templates:\n  press:\n    ground: {points: {G: [0, 0, 0]}}\n    bodies:\n"
    "      nut: {mass: m, inertia: [0.2, 0.25, I], points: {A: [0, 0, 0], B: [0.1, 0, 0]}}\n    joints:\n"
    "      - {screw: [ground.G, nut.A], axis: [0, 0, 2], pitch: p, offset: h, name: thread}\n    objectives:\n"
    "      s: {final: r(nut.A).z}\n      turn: {final: angle(thread)}\n"
    "assemblies:\n  - {template: press, name: right}\n  - {template: press, name: left, at: [3, 0, 0], mirror: x}\n"
    "objectives: {w: {final: omega(right.nut).z}, u: {final: omega(left.nut).z}}\nsimulation: {end: 1, step: 0.01}\n";

static const char ball[] =
    "mbsens: 1\ngravity: [0, -g]\nparameters: {g: 9.8, m: 0.3, c: 0.9, A: 0.2, W: 0}\n"
    "bodies: {ball: {mass: m, points: {C: [0, 0]}}}\n"
    "forces: [{air_drag: ball.C, coefficient: c, area: A, density: 1.3, wind: [W, 0]}]\n"
    "objectives: {v: {final: v(C).y}, x: {final: r(C).x}}\nsimulation: {end: 0.7, step: 0.01}\n";

// the same as a law: |v| has no derivative at rest, where it begins, |v| v has
static const char by_law[] =
    "mbsens: 1\ngravity: [0, -g]\nparameters: {g: 9.8, m: 0.3, c: 0.9, A: 0.2, W: 0, c0: 0}\n"
    "bodies: {ball: {mass: m, points: {C: [0, 0]}}}\n"
    "forces: [{point_force: ball.C, value: \"-(c0 + 1.3/2*c*A*norm(v(C) - [W, 0]))*(v(C) - [W, 0])\"}]\n"
    "objectives: {v: {final: v(C).y}, x: {final: r(C).x}}\nsimulation: {end: 0.7, step: 0.01}\n";

static MbsResult *run(MbsModel *model, const char *kind, MbsMethod method) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  request.method = method;
  request.settings.accuracy = 1e-9;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

static void check_nut(const char *kind, MbsMethod method) {
  enum { S, TURN, LEFT_S, LEFT_TURN, W, U };
  MbsModel *model = read_text(context, "nut", nut);
  MbsResult *result = run(model, kind, method);
  const double pi = 3.14159265358979323846, k = 2 * pi / 0.8, mass = 2 + 0.3 * k * k, s = -0.5 * 9.8 * 2 / mass;
  ENSURE(result->objective_count == 6 && fabs(s) > 0.1);
  int own[6] = {-1, -1, -1, -1, -1, -1};
  static const char *const names[] = {"right_s", "right_turn", "left_s", "left_turn", "w", "u"};
  for (int i = 0; i < 6; ++i) {
    for (int k0 = 0; k0 < 6; ++k0) {
      own[i] = strcmp(result->objectives[k0], names[i]) == 0 ? k0 : own[i];
    }
  }
  ENSURE_NEAR(result->values[own[S]], 0.1 + s, 1e-9);
  ENSURE_NEAR(result->values[own[LEFT_S]], result->values[own[S]], 1e-12);
  ENSURE_NEAR(result->values[own[TURN]], k * s, 1e-8);
  ENSURE_NEAR(result->values[own[LEFT_TURN]], result->values[own[TURN]], 1e-11);  // in the template's frame
  ENSURE_NEAR(result->values[own[W]], 2 * k * s, 1e-8);
  ENSURE_NEAR(result->values[own[U]], -2 * k * s, 1e-8);
  // ds/dp: k^2 falls as p^-2
  int p = -1;
  for (int i = 0; i < result->parameter_count; ++i) {
    p = strcmp(result->parameters[i], "p") == 0 ? i : p;
  }
  double slope = s / mass * 0.3 * 2 * k * k / 0.8;
  ENSURE_NEAR(result->gradient[own[S] * result->parameter_count + p], slope, 1e-8);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void check_ball(const char *text, const char *kind, MbsMethod method) {
  enum { G, M, C, A, WIND };
  MbsModel *model = read_text(context, "ball", text);
  MbsResult *result = run(model, kind, method);
  const double t = 0.7, V = sqrt(2 * 0.3 * 9.8 / (1.3 * 0.9 * 0.2)), q = 9.8 * t / V;
  ENSURE_NEAR(result->values[0], -V * tanh(q), 1e-8);
  ENSURE_NEAR(result->values[1], 0, 1e-15);
  // dv/dc = dv/dV dV/dc, dV/dc = -V/(2 c)
  double of_speed = -tanh(q) + q / (cosh(q) * cosh(q));
  ENSURE(fabs(of_speed) > 0.01);
  ENSURE_NEAR(result->gradient[C], of_speed * -V / (2 * 0.9), 1e-8);
  ENSURE_NEAR(result->gradient[M], of_speed * V / (2 * 0.3), 1e-8);
  ENSURE(result->gradient[result->parameter_count + WIND] > 0.01);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// all methods, of the same steps; and a norm alone has no derivative still
static void check_rest(void) {
  const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  MbsModel *model = read_text(context, "law", by_law);
  double gradient[12];
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  for (int i = 0; i < MBS_COUNT(methods); ++i) {
    request.method = methods[i];
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    ENSURE(result->parameter_count == 6 && result->objective_count == 2);
    for (int k = 0; k < 12; ++k) {
      gradient[k] = i == 0 ? result->gradient[k] : gradient[k];
      ENSURE_NEAR(result->gradient[k], gradient[k], 1e-11);
    }
    mbs_result_destroy(result);
  }
  ENSURE(fabs(gradient[5]) > 0.1);  // by c0, of what is linear
  mbs_model_destroy(model);
  model =
      read_text(context, "alone",
                "mbsens: 1\ngravity: [0, -9.8]\nparameters: {c: 1}\nbodies: {ball: {mass: 1, points: {C: [0, 0]}}}\n"
                "forces: [{point_force: ball.C, value: [\"c*norm(v(C))\", 0]}]\n"
                "objectives: {x: {final: r(C).x}}\nsimulation: {end: 0.1, step: 0.01}\n");
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  check_nut("natural", MBS_METHOD_DIRECT);
  check_nut("relative", MBS_METHOD_ADJOINT);
  for (int i = 0; i < 2; ++i) {
    check_ball(i == 0 ? ball : by_law, "natural", MBS_METHOD_DIRECT);
    check_ball(i == 0 ? ball : by_law, "relative", MBS_METHOD_ADJOINT);
  }
  check_rest();
  mbs_context_destroy(context);
  return 0;
}
