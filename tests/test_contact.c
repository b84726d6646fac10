// Contact, stops and friction (forces/contact.c, stop.c, friction.c) against closed forms and integrations of their
// own; in every formulation and both coordinates where it counts. Derivatives are in test_all_elements, action and
// reaction in test_rigid_motion, the mistakes users make in tests/bad/contact_*.yaml, stop_*.yaml and friction_*.yaml.
#include "event_runs.h"

static const char *const formulations[] = {"index1", "penalty", "ali1", "index3", "ali3p", "matrix-r"};
enum { FORMULATIONS = 6, KINDS = 2 };
static const double pi = 3.14159265358979323846;

static double run_for(const MbsModel *model, const char *formulation, const char *kind, const char *objective) {
  MbsRequest request = request_of(model, formulation, kind);
  MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
  double found = value(result, objective);
  mbs_result_destroy(result);
  return found;
}

// ---- Hunt and Crossley ----
// v - ln(1 + c v)/c = -v' - ln(1 - c v')/c, by bisection
static double leaving_velocity(double c, double v) {
  double left = v - log(1 + c * v) / c, low = 0, high = fmin(v, 1 / c) * (1 - 1e-15);
  for (int i = 0; i < 200; ++i) {
    double middle = (low + high) / 2;
    *(-middle - log(1 - c * middle) / c < left ? &low : &high) = middle;
  }
  return (low + high) / 2;
}

// A ball meets the ground without weight: how fast it leaves does not depend on stiffness or exponent.
static void check_restitution(void) {
  static const struct {
    double c, v, k, n;
  } cases[] = {{0.3, 2, 1e5, 1.5}, {0.3, 2, 4e4, 1.2}, {1.5, 0.8, 1e5, 1.5}, {4, 1, 5e7, 2}};
  for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
    for (int dimension = 2; dimension <= 3; ++dimension) {
      char text[1024];
      (void)snprintf(
          text, sizeof text,
          "mbsens: 1\n"
          "dimension: %d\n"
          "ground: {points: {O: [%s0.2, 0]}}\n"
          "bodies:\n"
          "  ball: {mass: 1.7, inertia: %s, points: {C: [%s0, 0]}, position: [%s0, 0.11]}\n"
          "forces: [{contact: [ground.O, ball.C], normal: [%s0, 2], radius: 0.1, stiffness: %g, exponent: %g, "
          "damping: %g}]\n"
          "initial: {independent: [{coordinate: r(C).%s, velocity: -%g}]}\n"
          "objectives: {v: {final: v(C).%s}, x: {final: v(C).x}}\n"
          "simulation: {end: 0.06, step: 1e-5}\n",
          dimension, dimension == 3 ? "0, " : "", dimension == 3 ? "[0.1, 0.1, 0.1]" : "0.1",
          dimension == 3 ? "0, " : "", dimension == 3 ? "0, " : "", dimension == 3 ? "0, " : "", cases[i].k, cases[i].n,
          cases[i].c, dimension == 3 ? "z" : "y", cases[i].v, dimension == 3 ? "z" : "y");
      MbsModel *model = read_text(context, "ball", text);
      double expected = leaving_velocity(cases[i].c, cases[i].v), found = run_for(model, "ali3p", "natural", "v");
      (void)printf("restitution %d: %.9f, expected %.9f\n", i, found, expected);
      ENSURE_NEAR(found, expected, 1e-6);
      ENSURE_NEAR(run_for(model, "ali3p", "natural", "x"), 0, 1e-12);
      mbs_model_destroy(model);
    }
  }
}

// ---- a ball that slides, and then rolls ----
// Its angular momentum about a point of the ground is constant: v = 5/7 v0 (in the plane, a disc: 2/3) whatever
// friction is; its depth is what carries its weight.
static void check_rolling(void) {
  for (int dimension = 2; dimension <= 3; ++dimension) {
    for (int c = 0; c < KINDS; ++c) {
      bool is_space = dimension == 3;
      char text[1400];
      (void)snprintf(
          text, sizeof text,
          "mbsens: 1\n"
          "dimension: %d\n"
          "gravity: [0, %s-9.81]\n"
          "ground: {points: {O: [0, %s0]}}\n"
          "bodies:\n"
          "  ball: {mass: 2, inertia: %s, points: {C: [0, %s0]}, position: [0, %s0.2 - d]}\n"
          "forces: [{contact: [ground.O, ball.C], normal: [0, %s1], radius: 0.2, stiffness: 1e5, damping: 2, "
          "mu_dynamic: 0.3, mu_static: 0.4, stiction_velocity: 0.02}]\n"
          "parameters: {d: (2*9.81/1e5)^(2/3)}\n"
          "initial: {independent: [{coordinate: r(C).x, velocity: 3}%s]}\n"
          "objectives:\n"
          "  v: {final: \"norm(v(C))\"}\n"
          "  spin: {final: \"%s\"}\n"
          "  depth: {final: 0.2 - r(C).%s}\n"
          "simulation: {end: 1.5, step: 1e-3}\n",
          dimension, is_space ? "0, " : "", is_space ? "0, " : "", is_space ? "[0.032, 0.032, 0.032]" : "0.04",
          is_space ? "0, " : "", is_space ? "0, " : "", is_space ? "0, " : "",
          is_space ? ", {coordinate: r(C).y, velocity: 1.5}" : "", is_space ? "norm(omega(ball))" : "-omega(ball)",
          is_space ? "z" : "y");
      MbsModel *model = read_text(context, "rolling ball", text);
      double expected = is_space ? 5.0 / 7 * sqrt(9 + 2.25) : 2.0;
      ENSURE_NEAR(run_for(model, "ali3p", coordinates[c], "v"), expected, 2e-3);
      ENSURE_NEAR(run_for(model, "ali3p", coordinates[c], "spin"), expected / 0.2, 2e-2);
      ENSURE_NEAR(run_for(model, "ali3p", coordinates[c], "depth"), pow(2 * 9.81 / 1e5, 2.0 / 3), 1e-7);
      mbs_model_destroy(model);
    }
  }
}

// ---- a stop ----
// A slider goes to and fro between two stops: all its energy is there after them, and the deepest is where
// 1/2 m v^2 = k d^(n+1)/(n+1).
static void check_stops(void) {
  MbsModel *model = read_text(context, "slot",
                              "mbsens: 1\n"
                              "parameters: {k: 8e3, n: 2, v0: 1.3, up: 0.2, lo: -0.1}\n"
                              "ground: {points: {O: [0, 0]}}\n"
                              "bodies: {slider: {mass: 3, inertia: 1, points: {C: [0, 0]}}}\n"
                              "joints: [{name: rail, prismatic: [ground.O, slider.C], axis: [1, 0]}]\n"
                              "forces: [{stop: slide(rail), lower: lo, upper: up, stiffness: k, exponent: n}]\n"
                              "initial: {independent: [{coordinate: slide(rail), velocity: v0}]}\n"
                              "events: {turn: {when: v(C).x, direction: falling, stop: yes}}\n"
                              "objectives: {x: {final: r(C).x}}\n"
                              "simulation: {end: 2, step: 1e-3}\n");
  double depth = pow(3 * 3 * 1.3 * 1.3 / 2 / 8e3, 1.0 / 3);
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      MbsRequest request = request_of(model, formulations[f], coordinates[c]);
      MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
      ENSURE_NEAR(value(result, "x"), 0.2 + depth, 1e-5);
      ENSURE(result->statistics.energy_drift < 1e-4);
      mbs_result_destroy(result);
      (void)compare_methods(model, &request, "slot");
    }
  }
  mbs_model_destroy(model);
}

// ---- stick and slip ----
// A block on a belt that moves with V, held by a spring: m x'' = N mu(V - x') - k x. The velocity-based law by the
// classical Runge-Kutta method; and, where the stiction velocity is small, the period of Coulomb's friction: with A =
// (mu_s - mu_d) N, w = sqrt(k/m) it sticks for 2 A/(k V) and slips for 2 (pi - atan(A w/(k V)))/w.
static double friction_law(double v, double vs) {
  double s = v / vs, hill = s * s / 4 + 0.75;
  return 0.3 * tanh(4 * s) + (0.5 - 0.3) * s / (hill * hill);
}

static MbsModel *belt(double vs, double end, double step) {
  char text[1400];
  (void)snprintf(
      text, sizeof text,
      "mbsens: 1\n"
      "parameters: {V: 0.2, k: 400, N: 60, m: 2.5, vs: %g}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies: {block: {mass: m, inertia: 1, points: {C: [0, 0]}}}\n"
      "coordinates: {belt: {inertia: 1}}\n"
      "joints:\n"
      "  - {name: rail, prismatic: [ground.O, block.C], axis: [1, 0]}\n"
      "  - {name: motor, driver: belt, value: V*t}\n"
      "forces:\n"
      "  - {friction: slide(rail) - belt, normal: N, mu_dynamic: 0.3, mu_static: 0.5, stiction_velocity: vs}\n"
      "  - {coordinate_force: slide(rail), value: -k*value}\n"
      "initial: {independent: [{coordinate: slide(rail), value: 0, velocity: V}]}\n"
      "variables: {n: 0, first: 0, last: 0}\n"
      "events:\n"
      "  turn: {when: v(C).x, direction: falling, set: {n: n + 1, first: \"if(n < 0.5, t, first)\", last: t}}\n"
      "objectives: {x: {final: r(C).x}, v: {final: v(C).x}, n: {final: n}, first: {final: first}, "
      "last: {final: last}}\n"
      "simulation: {end: %g, step: %g}\n",
      vs, end, step);
  return read_text(context, "belt", text);
}

static void check_stick_slip(void) {
  const double V = 0.2, k = 400, N = 60, m = 2.5, vs = 0.02, end = 1.2;
  double y[2] = {0, V}, h = end / 200000;
  for (int i = 0; i < 200000; ++i) {
    double rate[4][2], z[2];
    for (int s = 0; s < 4; ++s) {
      double by = s == 0 ? 0 : s < 3 ? h / 2 : h;
      for (int j = 0; j < 2; ++j) {
        z[j] = y[j] + (s == 0 ? 0 : by * rate[s - 1][j]);
      }
      rate[s][0] = z[1];
      rate[s][1] = (N * friction_law(V - z[1], vs) - k * z[0]) / m;
    }
    for (int j = 0; j < 2; ++j) {
      y[j] += h / 6 * (rate[0][j] + 2 * rate[1][j] + 2 * rate[2][j] + rate[3][j]);
    }
  }
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      double error[2];
      for (int i = 0; i < 2; ++i) {
        MbsModel *model = belt(vs, end, i == 0 ? 4e-4 : 2e-4);
        MbsRequest request = request_of(model, formulations[f], coordinates[c]);
        MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
        ENSURE_NEAR(value(result, "x"), y[0], 1e-5);
        error[i] = value(result, "v") - y[1];
        mbs_result_destroy(result);
        mbs_model_destroy(model);
      }
      (void)printf("stick-slip, %s, %s: errors %.1e %.1e\n", formulations[f], coordinates[c], error[0], error[1]);
      ENSURE_NEAR(error[1], 0, 1e-4);
      ENSURE(fabs(error[0] / error[1] - 4) < 0.5);
    }
  }
  double A = 0.2 * N, w = sqrt(k / m), period = 2 * A / (k * V) + 2 * (pi - atan(A * w / (k * V))) / w, off[2];
  for (int i = 0; i < 2; ++i) {
    MbsModel *model = belt(i == 0 ? 4e-3 : 1e-3, 6, 2e-4);
    MbsRequest request = request_of(model, "ali3p", "relative");
    MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
    double periods = value(result, "n") - 1, found = (value(result, "last") - value(result, "first")) / periods;
    (void)printf("stick-slip: period %.5f, of Coulomb's friction %.5f, %g periods\n", found, period, periods);
    off[i] = fabs(found / period - 1);
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
  ENSURE(off[1] < 0.015 && off[1] < 0.5 * off[0]);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_restitution();
  check_rolling();
  check_stops();
  check_stick_slip();
  mbs_context_destroy(context);
  return 0;
}
