// States of first order (model/first_order.c): a PID-controlled pendulum and the relaxation of a tyre against
// integrations that share nothing with ours, in every formulation and both coordinates; direct = adjoint = complex
// step; a state that nothing depends on changes nothing; one in other units moves the same; kinematics; events that set
// one. What users may not write is in tests/bad/state_*.yaml.
#include "event_runs.h"

static const char *const formulations[] = {"index1", "penalty", "ali1", "index3", "ali3p", "matrix-r"};
enum { FORMULATIONS = 6, KINDS = 2, MOST = 8 };

static void run_at(const MbsModel *model, const char *formulation, const char *kind, double step, double *values) {
  MbsRequest request = request_of(model, formulation, kind);
  request.settings.step = step;
  MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
  ENSURE(result->objective_count <= MOST);
  memcpy(values, result->values, (size_t)result->objective_count * sizeof *values);
  mbs_result_destroy(result);
}

// Order two towards `expected` in every formulation, the error at the smaller step below `bound`; and all derivatives.
static void check_everywhere(const char *name, const char *text, double step, int count, const double *expected,
                             const double *bound) {
  MbsModel *model = read_text(context, name, text);
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      double coarse[MOST], fine[MOST];
      run_at(model, formulations[f], coordinates[c], step, coarse);
      run_at(model, formulations[f], coordinates[c], step / 2, fine);
      for (int i = 0; i < count; ++i) {
        double error = fine[i] - expected[i], ratio = (coarse[i] - expected[i]) / error;
        (void)printf("%s, %s, %s, %d: %.10g, error %.1e, ratio %.2f\n", name, formulations[f], coordinates[c], i + 1,
                     expected[i], error, ratio);
        ENSURE_NEAR(error, 0, bound[i]);
        ENSURE(fabs(error) > 1e-10);  // a ratio of roundings would say nothing
        ENSURE(ratio > 3.2 && ratio < 4.8);
      }
      MbsRequest request = request_of(model, formulations[f], coordinates[c]);
      request.settings.end /= 4;
      (void)compare_methods(model, &request, name);
    }
  }
  mbs_model_destroy(model);
}

// classical Runge-Kutta
typedef void Rate(const double *y, double *rate);
static void integrate(Rate *rate, int n, double end, double *y) {
  enum { STEPS = 20000, SIZE = 6 };
  double h = end / STEPS, k[4][SIZE], z[SIZE];
  ENSURE(n <= SIZE);
  for (int s = 0; s < STEPS; ++s) {
    for (int stage = 0; stage < 4; ++stage) {
      for (int i = 0; i < n; ++i) {
        z[i] = y[i] + (stage == 0 ? 0 : stage < 3 ? h / 2 * k[stage - 1][i] : h * k[2][i]);
      }
      rate(z, k[stage]);
    }
    for (int i = 0; i < n; ++i) {
      y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
  }
}

// ---- a controller ----
// angle, its rate, integral, filtered error, and two integrals
static void pid_rate(const double *y, double *rate) {
  const double L = 0.5, m = 1.2, Kp = 40, Ki = 60, Kd = 6, tau = 0.05, reference = 0.6;
  double e = reference - y[0], torque = Kp * e + Ki * y[2] + Kd * (e - y[3]) / tau;
  rate[0] = y[1];
  rate[1] = (torque - m * 9.81 * L * cos(y[0])) / (4 * m * L * L / 3);
  rate[2] = e;
  rate[3] = (e - y[3]) / tau;
  rate[4] = e * e;
  rate[5] = y[3] * y[3] + y[1] * y[1];
}

static void check_controller(void) {
  double y[] = {-0.2, 0.3, 0.1, 0, 0, 0};
  integrate(pid_rate, 6, 1.5, y);
  const double expected[] = {y[0], y[2], y[4], y[5]}, bound[] = {1e-4, 1e-4, 1e-4, 2e-2};
  check_everywhere("controller",
                   "mbsens: 1\n"
                   "gravity: [0, -9.81]\n"
                   "parameters: {L: 0.5, m: 1.2, Kp: 40, Ki: 60, Kd: 6, tau: 0.05, ref: 0.6, y0: 0.1}\n"
                   "ground: {points: {O: [0, 0]}}\n"
                   "bodies: {arm: {mass: m, com: [L, 0], inertia: m*L^2/3, points: {A: [0, 0], tip: [2*L, 0]}}}\n"
                   "joints: [{name: pivot, revolute: [ground.O, arm.A]}]\n"
                   "states:\n"
                   "  sum: {rate: ref - angle(pivot), initial: y0}\n"
                   "  slow: {rate: (ref - angle(pivot) - slow)/tau}\n"
                   "forces:\n"
                   "  - coordinate_force: angle(pivot)\n"
                   "    value: Kp*(ref - value) + Ki*sum + Kd*(ref - value - slow)/tau\n"
                   "initial: {independent: [{coordinate: angle(arm), value: -0.2, velocity: 0.3}]}\n"
                   "objectives:\n"
                   "  angle: {final: angle(pivot)}\n"
                   "  sum: {final: sum}\n"
                   "  error: {integral: (angle(pivot) - ref)^2}\n"
                   "  slow: {integral: slow^2 + omega(arm)^2}\n"
                   "simulation: {end: 1.5}\n",
                   0.005, 4, expected, bound);
}

// ---- relaxation ----
// A wheel set with a tyre of relaxation length s at speed V: u' = -v - V u/s, lateral force k u; closed form by the
// roots of r^2 + V/s r + k/m = 0, v0 given and u = 0.
static void check_relaxation(void) {
  const double V = 20, s = 0.4, k = 9e4, m = 350, v0 = 0.5, t = 0.3;
  double d = V / s / 2, w = sqrt(k / m), root = sqrt(d * d - w * w), r1 = -d + root, r2 = -d - root;
  // u = c (exp(r1 t) - exp(r2 t)), c (r1 - r2) = -v0;  m v' = k u
  double c = -v0 / (r1 - r2), u = c * (exp(r1 * t) - exp(r2 * t));
  double v = v0 + k / m * c * ((exp(r1 * t) - 1) / r1 - (exp(r2 * t) - 1) / r2);
  const double expected[] = {u, v}, bound[] = {2e-5, 2e-4};
  ENSURE(d > w);
  check_everywhere("relaxation",
                   "mbsens: 1\n"
                   "parameters: {V: 20, s: 0.4, k: 9e4, m: 350, v0: 0.5}\n"
                   "ground: {points: {O: [0, 0]}}\n"
                   "bodies: {axle: {mass: m, inertia: 40, points: {C: [0, 0], D: [0, 1]}}}\n"
                   "joints: [{name: rail, prismatic: [ground.O, axle.C], axis: [0, 1]}]\n"
                   "states: {u: {rate: -v(C).y - V*u/s}}\n"
                   "forces: [{coordinate_force: slide(rail), value: k*u}]\n"
                   "initial: {independent: [{coordinate: slide(rail), velocity: v0}]}\n"
                   "objectives: {u: {final: u}, v: {final: v(C).y}}\n"
                   "simulation: {end: 0.3}\n",
                   0.001, 2, expected, bound);
}

// ---- what must not change ----
// The five-bar with a state that only looks on, of a huge unit: same steps, same penalty, same energy balance.
static void check_onlooker(void) {
  const char *const texts[] = {"mbsens: 1\ninclude: models/five_bar.yaml\n",
                               "mbsens: 1\ninclude: models/five_bar.yaml\n"
                               "states: {p: {rate: 1e9*v(P2).x - 3*p, initial: 2e7}}\n"};
  MbsModel *models[2];
  for (int i = 0; i < 2; ++i) {
    models[i] = read_text(context, "onlooker", texts[i]);
  }
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      MbsResult *results[2];
      for (int i = 0; i < 2; ++i) {
        MbsRequest request = request_of(models[i], formulations[f], coordinates[c]);
        request.settings.end = 1;
        request.settings.step = 0.04;  // so that Newton's iteration has something to do
        results[i] = run_with(models[i], &request, MBS_METHOD_NONE);
      }
      ENSURE(results[1]->first_order_count == 1 && strcmp(results[1]->first_order[0].name, "p") == 0);
      for (int k = 0; k < results[0]->objective_count; ++k) {
        double most = f == 0 || f == 5 ? 1e-12 : 1e-10;  // the others divide by a penalty or h^2
        ENSURE_NEAR(results[1]->values[k], results[0]->values[k], most * (1 + fabs(results[0]->values[k])));
      }
      ENSURE_NEAR(results[1]->request->settings.penalty, results[0]->request->settings.penalty, 0);
      ENSURE_NEAR(results[1]->statistics.energy_drift, results[0]->statistics.energy_drift, 1e-9);
      mbs_result_destroy(results[0]);
      mbs_result_destroy(results[1]);
    }
  }
  mbs_model_destroy(models[0]);
  mbs_model_destroy(models[1]);
}

// A hydraulic cylinder, pressure in Pa or in units of 1e12 Pa: the same motion, however strong the forces are beside
// its rate.
static void check_units(void) {
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      double x[2];
      for (int i = 0; i < 2; ++i) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "mbsens: 1\n"
                       "parameters: {unit: %s}\n"
                       "ground: {points: {O: [0, 0]}}\n"
                       "bodies: {piston: {mass: 20, inertia: 1, points: {C: [0, 0]}}}\n"
                       "joints: [{name: bore, prismatic: [ground.O, piston.C], axis: [1, 0]}]\n"
                       "states:\n"
                       "  p: {rate: 1e6/2e-3*(1e-3 - 3e-3*v(C).x - 2e-14*(p*unit)^2)/unit, initial: 1e5/unit}\n"
                       "  w: {rate: (50*cos(40*t) - 3e5*(w*unit)^3)/unit, initial: 0.3/unit}\n"
                       "forces: [{coordinate_force: slide(bore), value: 3e-3*p*unit - 300 - 900*rate}]\n"
                       "objectives: {x: {final: r(C).x + v(C).x + w*unit}}\n"
                       "simulation: {end: 0.2, tolerance: 1e-7}\n",
                       i == 0 ? "1" : "1e12");
        MbsModel *model = read_text(context, "cylinder", text);
        run_at(model, formulations[f], coordinates[c], 0.01, &x[i]);
        mbs_model_destroy(model);
      }
      (void)printf("cylinder, %s, %s: %.15g %.1e\n", formulations[f], coordinates[c], x[0], x[1] - x[0]);
      ENSURE_NEAR(x[1], x[0], 1e-9 * fabs(x[0]));
    }
  }
}

// At rest the rate is rounding, and so is its residual: the run goes on.
static void check_rest(void) {
  MbsModel *model = read_text(context, "at rest",
                              "mbsens: 1\n"
                              "gravity: [0, -9.81]\n"
                              "ground: {points: {O: [0.3, 0.7]}}\n"
                              "bodies: {arm: {mass: 3, com: [0.7, 0], inertia: 1, points: {A: [0, 0], B: [1.7, 0]}}}\n"
                              "joints: [{name: pivot, revolute: [ground.O, arm.A]}]\n"
                              "states: {e: {rate: 30*(angle(pivot) + pi/2) + 7*(r(B).y + 1)}}\n"
                              "forces: [{coordinate_force: angle(pivot), value: -50*rate - 4*e}]\n"
                              "initial: {independent: [{coordinate: angle(pivot), value: -pi/2}]}\n"
                              "objectives: {e: {final: e}}\n"
                              "simulation: {end: 1}\n");
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      double e;
      run_at(model, formulations[f], coordinates[c], 0.01, &e);
      ENSURE_NEAR(e, 0, 1e-11);
    }
  }
  mbs_model_destroy(model);
}

// ---- kinematics ----
// u' = (w t - u)/T of a driven crank's angle w t, with a big step: the motion as prescribed, u by the trapezoidal rule.
static void check_kinematics(void) {
  MbsModel *model =
      read_text(context, "driven",
                "mbsens: 1\n"
                "gravity: [0, -9.81]\n"
                "parameters: {w: 2, T: 0.3, u0: 0.4}\n"
                "ground: {points: {O: [0, 0]}}\n"
                "bodies: {crank: {mass: 2, com: [0.5, 0], inertia: 0.3, points: {A: [0, 0], B: [1, 0]}}}\n"
                "joints:\n"
                "  - {name: pivot, revolute: [ground.O, crank.A]}\n"
                "  - {name: motor, driver: angle(pivot), value: w*t}\n"
                "states: {u: {rate: (angle(pivot) - u)/T, initial: u0}}\n"
                "objectives:\n"
                "  u: {final: u}\n"
                "  x: {final: r(B).x}\n"
                "  v: {final: v(B).y}\n"
                "  force: {final: force(pivot).x}\n"
                "simulation: {end: 2}\n");
  const double w = 2, T = 0.3, t = 2, u = w * (t - T) + (0.4 + w * T) * exp(-t / T);
  for (int c = 0; c < KINDS; ++c) {
    double error[2];
    for (int i = 0; i < 2; ++i) {
      MbsRequest request = request_of(model, "index1", coordinates[c]);
      request.settings.is_kinematic = true;
      request.settings.step = i == 0 ? 0.05 : 0.025;
      MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
      error[i] = value(result, "u") - u;
      ENSURE_NEAR(value(result, "x"), cos(w * t), 1e-12);
      ENSURE_NEAR(value(result, "v"), w * cos(w * t), 1e-12);
      ENSURE_NEAR(value(result, "force"), -2 * 0.5 * w * w * cos(w * t), 1e-9);
      mbs_result_destroy(result);
      (void)compare_methods(model, &request, "driven");
    }
    ENSURE_NEAR(error[0] / error[1], 4, 0.3);
    ENSURE(fabs(error[1]) < 1e-4);
  }
  mbs_model_destroy(model);
}

// ---- events ----
// A sawtooth: u' = k from `low` to `top`, again and again. Closed form of times, of the way of what it pushes, and of
// their derivatives.
static void check_reset(void) {
  MbsModel *model = read_text(context, "sawtooth",
                              "mbsens: 1\n"
                              "parameters: {k: 1.3, top: 0.8, low: 0.1}\n"
                              "ground: {points: {O: [0, 0]}}\n"
                              "bodies: {slider: {mass: 1, inertia: 1, points: {P: [0, 0]}}}\n"
                              "joints: [{name: rail, prismatic: [ground.O, slider.P], axis: [1, 0]}]\n"
                              "states: {u: {rate: k, initial: 0.2}}\n"
                              "forces: [{coordinate_force: slide(rail), value: u}]\n"
                              "events: {reset: {when: u - top, direction: rising, set: {u: low}}}\n"
                              "objectives: {v: {final: v(P).x}, u: {final: u}}\n"
                              "simulation: {end: 2, step: 0.03}\n");
  const double k = 1.3, top = 0.8, low = 0.1, end = 2;
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      MbsRequest request = request_of(model, formulations[f], coordinates[c]);
      MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
      ENSURE(result->event_count == 3);
      for (int i = 0; i < 3; ++i) {
        ENSURE_NEAR(result->events[i].time, (top - 0.2 + i * (top - low)) / k, 1e-12);
        ENSURE_NEAR(result->events[i].energy_lost, 0, 1e-13);
      }
      double tooth = (top * top - low * low) / (2 * k), last = low + k * end - (top - 0.2) - 2 * (top - low);
      ENSURE_NEAR(value(result, "u"), last, 1e-12);
      double rough = strcmp(formulations[f], "index3") == 0 ? 1e-3 : 1e-11;  // whose rule weighs forces otherwise
      ENSURE_NEAR(value(result, "v"), (top * top - 0.04) / (2 * k) + 2 * tooth + (last * last - low * low) / (2 * k),
                  rough);
      ENSURE_NEAR(slope(result, "u", "top"), -3, 1e-11);
      ENSURE_NEAR(slope(result, "u", "low"), 3, 1e-11);
      ENSURE_NEAR(slope(result, "u", "k"), end, 1e-11);
      ENSURE_NEAR(slope(result, "v", "top"), 3 * top / k - 3 * last / k, 10 * rough);
      mbs_result_destroy(result);
      ENSURE(compare_methods(model, &request, "sawtooth") == 3);
    }
  }
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_controller();
  check_relaxation();
  check_onlooker();
  check_units();
  check_rest();
  check_kinematics();
  check_reset();
  mbs_context_destroy(context);
  return 0;
}
