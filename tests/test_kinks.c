// Kinks of forces and integrands are where steps end, with integrators above the second order (model/branch.c): an
// oscillator that meets a bump stop, piece by piece in closed form; kinks of all kinds by every method. Points of
// tables (model/table_pieces.c): the order of the methods across them, of gradients too; what jumps at points of lines,
// with any integrator; pieces whose ends are only touched.
#include "event_runs.h"
#include "model/field.h"

// x'' = -k x, and beyond u a stop of the stiffness K; from 0 with v until T, when it has left the stop again
static double meets_stop(double k, double K, double u, double v, double T) {
  double w = sqrt(k), fast = sqrt(k + K), hit = asin(w * u / v) / w, speed = sqrt(v * v - k * u * u);
  double phase = atan2(u * k / (k + K) * fast, speed), back = hit + (acos(-1) - 2 * phase) / fast;
  ENSURE(T > back && T < back + 0.5);
  return u * cos(w * (T - back)) - speed / w * sin(w * (T - back));
}

static MbsModel *read_stop(const char *forces) {
  char text[1000];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\nparameters: {k: 4, K: 400, u: 0.21, v: 1.3}\n"
                 "tables: {bump: {x: [-1, 0.3, 1.3], y: [k, -0.3*k, -1.3*k - K], outside: linear}}\n"
                 "coordinates: {x: {inertia: 1}}\nforces: [%s]\n"
                 "initial: {independent: [{coordinate: x, value: 0, velocity: v}]}\n"
                 "objectives: {x: {final: x}}\nsimulation: {end: 0.5}\n",
                 forces);
  return read_text(context, "stop", text);
}

// by an element; by a table of lines whose argument is scaled, so that its point is at u
static const char *const stops[] = {
    "{stop: x, upper: u, stiffness: K, exponent: 1}, {coordinate_force: x, value: -k*value}",
    "{coordinate_force: x, value: u/0.3*bump(0.3*x/u)}"};

static void test_stop(const char *forces, const char *integrator, double step, double bound) {
  const double k = 4, K = 400, u = 0.21, v = 1.3, T = 0.5, d = 1e-5;
  MbsModel *model = read_stop(forces);
  MbsRequest request = request_of(model, "index1", "natural");
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  request.settings.step = step;
  MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
  const double slopes[] = {(meets_stop(k + d, K, u, v, T) - meets_stop(k - d, K, u, v, T)) / (2 * d),
                           (meets_stop(k, K + d, u, v, T) - meets_stop(k, K - d, u, v, T)) / (2 * d),
                           (meets_stop(k, K, u + d, v, T) - meets_stop(k, K, u - d, v, T)) / (2 * d),
                           (meets_stop(k, K, u, v + d, T) - meets_stop(k, K, u, v - d, T)) / (2 * d)};
  double off = fabs(result->values[0] - meets_stop(k, K, u, v, T)), slope_off = 0;
  for (int i = 0; i < 4; ++i) {
    slope_off = fmax(slope_off, fabs(result->gradient[i] - slopes[i]));
  }
  (void)printf("%s, h = %g: off by %.1e, gradient by %.1e\n", integrator, step, off, slope_off);
  ENSURE(off < bound && slope_off < fmax(100 * bound, 1e-7));  // differences are good to 1e-8
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// Drag with |v|, the larger of two, friction with a corner, an integrand with a corner
static void test_methods(void) {
  MbsModel *model = read_text(context, "kinks",
                              "mbsens: 1\nparameters: {k: 40, c: 0.2, v: 1.3, p: 0.05}\n"
                              "coordinates: {x: {inertia: 1}}\n"
                              "forces:\n  - {coordinate_force: x, value: -k*value - c*rate*abs(rate)}\n"
                              "  - {coordinate_force: x, value: \"-max(0, 300*(x - p)) + min(0.1, x + p)\"}\n"
                              "  - {stop: x, lower: -0.1, stiffness: 900, exponent: 2, damping: 0.3}\n"
                              "states: {y: {rate: abs(x - p) - y}}\n"
                              "initial: {independent: [{coordinate: x, value: 0.01, velocity: v}]}\n"
                              "objectives: {x: {final: x}, y: {final: y}, i: {integral: \"abs(x + p) + max(x, p)\"}}\n"
                              "simulation: {end: 1}\n");
  MbsRequest request = request_of(model, "index1", "natural");
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "dormand-prince-8");
  request.settings.step = 0.02;
  ENSURE(compare_methods(model, &request, "kinks") == 0);  // they are no events that somebody asked for
  MbsResult *coarse = run_with(model, &request, MBS_METHOD_DIRECT);
  request.settings.step = 0.01;
  MbsResult *fine = run_with(model, &request, MBS_METHOD_DIRECT);
  ENSURE(coarse->warning_count == 0 && coarse->statistics.steps > 50 + 10);
  double off = distance(1, 3, coarse->values, fine->values),
         slope_off = distance(3, 4, coarse->gradient, fine->gradient);
  (void)printf("kinks, steps of 0.02 and 0.01: %.1e apart, gradients %.1e\n", off, slope_off);
  ENSURE(off < 1e-8 && slope_off < 1e-7);
  mbs_result_destroy(coarse);
  mbs_result_destroy(fine);
  mbs_model_destroy(model);
}

// ---- tables ----
// A curve of the position, one of time, a periodic one and a map, of one kind; beyond their ends, some of which are
// only touched: sin() comes to 1 and turns.
static MbsModel *read_tables(const char *kind, const char *outside) {
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\nparameters: {v: 1.3, s: 1, w: 3}\ntables:\n"
                 "  f: {x: [-1, -0.2, 0, 0.2, 1], y: [-9, -4, 0.5, 3, 7], kind: %s, outside: %s}\n"
                 "  g: {x: [-1, -0.2, 0.1, 0.5, 1], y: [-2, 0, 0.7, 2], kind: %s, outside: %s,\n"
                 "      z: [[-9, -6, -8, -3], [-4, -2, -3, 1], [0.5, 1, 0, 2], [3, 5, 6, 4], [7, 8, 8, 9]]}\n"
                 "  p: {x: [0, 0.3, 0.5], y: [1, 2, 0], periodic: 0.8, kind: %s}\n"
                 "coordinates: {x: {inertia: 1}}\n"
                 "forces: [{coordinate_force: x, value: \"-f(s*value) - g(value, rate) + p(t) + 0.1*f(sin(w*t))\"}]\n"
                 "initial: {independent: [{coordinate: x, value: 0.05, velocity: v}]}\n"
                 "objectives: {x: {final: x}, i: {integral: p(x + t)^2}}\n"
                 "simulation: {end: 1.23, formulation: index1}\n",
                 kind, outside, kind, outside, kind);
  return read_text(context, "tables", text);
}

// the largest errors of values and of derivatives, against other results
static void find_errors(const MbsResult *result, const MbsResult *reference, double errors[2]) {
  int rows = result->objective_count, count = result->parameter_count;
  errors[0] = errors[1] = 0;
  for (int i = 0; i < rows * (1 + count); ++i) {
    bool is_value = i < rows;
    double off = is_value ? result->values[i] - reference->values[i]
                          : result->gradient[i - rows] - reference->gradient[i - rows];
    errors[!is_value] = fmax(errors[!is_value], fabs(off));
  }
}

static void test_table_order(const char *kind, const char *outside) {
  static const char *const names[] = {"v", "s", "w", "f.y", "g.z", "p.y"};
  static const struct {
    const char *integrator;
    double step, least;  // ratio of errors of the step and of a quarter: 4^p, but for where in their steps points are
  } cases[] = {{"dormand-prince-5", 0.04, 300}, {"dormand-prince-8", 0.04, 10000}};
  const double rounding = 1e-12;
  MbsModel *model = read_tables(kind, outside);
  MbsRequest request = request_of(model, "index1", "natural");
  request.parameters = names;
  request.parameter_count = 6;
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "dormand-prince-8");
  request.settings.step = 0.005;
  MbsResult *reference = run_with(model, &request, MBS_METHOD_ADJOINT);
  for (int c = 0; c < 2; ++c) {
    double errors[2][2];
    (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", cases[c].integrator);
    for (int i = 0; i < 2; ++i) {
      request.settings.step = i == 0 ? cases[c].step : cases[c].step / 4;
      MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
      find_errors(result, reference, errors[i]);
      mbs_result_destroy(result);
    }
    for (int k = 0; k < 2; ++k) {
      (void)printf("%s, %s, %s: %.1e, %.1e, ratio %.0f\n", kind, outside, cases[c].integrator, errors[0][k],
                   errors[1][k], errors[0][k] / errors[1][k]);
      ENSURE(errors[1][k] < errors[0][k] / cases[c].least + rounding && errors[1][k] < 1e-6);
    }
  }
  request.settings.step = 0.05;
  ENSURE(compare_methods(model, &request, kind) == 0);
  // steps of second order, which hold nothing: the table is the same one
  double plain[2];
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "trapezoidal");
  request.settings.step = 5e-4;
  MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
  find_errors(result, reference, plain);
  (void)printf("%s, %s, trapezoidal: %.1e, %.1e\n", kind, outside, plain[0], plain[1]);
  ENSURE(plain[0] < 1e-5 && plain[1] < 1e-2);  // a derivative by an argument that bends sees it at some steps
  mbs_result_destroy(result);
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

// ---- runs to an accuracy ----
// Steps of second order, extrapolated: they end at kinks, or no power of h would describe what these do. Several at the
// same time (z is at a kink whenever x is), and the ends of step5 in a driver; against order 8.
static void test_extrapolated(const char *formulation, const char *law) {
  char text[1000];
  (void)snprintf(
      text, sizeof text,
      "mbsens: 1\nparameters: {v: 1.3, k: 30, T: 0.31, A: 0.2}\n"
      "tables: {f: {x: [-1, -0.1, 0.05, 0.15, 1], y: [-30, -2, 0.5, 3, 20], kind: akima, outside: linear}}\n"
      "coordinates: {x: {inertia: 1}, y: {inertia: 1}, z: {inertia: 2}}\njoints: [{driver: z, value: A*step5(t/T)}]\n"
      "forces: [{coordinate_force: x, value: \"%s\"}, {coordinate_force: y, value: \"-k*y - abs(x - z) - f(y)\"}]\n"
      "initial: {independent: [{coordinate: x, value: 0.01, velocity: v}, {coordinate: y, value: 0.01, velocity: v}]}\n"
      "objectives: {x: {final: x}, y: {integral: y^2}, i: {integral: abs(x)}}\nsimulation: {end: 1, step: 0.01}\n",
      law);
  MbsModel *model = read_text(context, "extrapolated", text);
  MbsRequest request = request_of(model, "index1", "natural");
  request.settings.step = 0.002;
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "dormand-prince-8");
  MbsResult *reference = run_with(model, &request, MBS_METHOD_DIRECT);
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "trapezoidal");
  request.settings.accuracy = 1e-7;
  request.settings.step = 0.01;
  MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
  (void)printf("%s: %d runs, %ld steps, %.1e told\n", formulation, result->accuracy.runs, result->accuracy.last_steps,
               result->accuracy.reached);
  ENSURE(result->accuracy.last_steps < 10000);
  for (int i = 0; i < 3; ++i) {
    ENSURE_NEAR(result->values[i], reference->values[i], result->value_errors[i] + 1e-10);
    for (int k = 0; k < result->parameter_count; ++k) {
      int at = i * result->parameter_count + k;
      ENSURE_NEAR(result->gradient[at], reference->gradient[at], result->gradient_errors[at] + 1e-9);
    }
  }
  mbs_result_destroy(result);
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

// ---- any integrator ----
// The same motion by two texts, values and gradients, by direct, adjoint and complex step.
static void ensure_same(const char *kind, const char *one, const char *other, double bound) {
  MbsResult *results[2];
  for (int i = 0; i < 2; ++i) {
    char text[2000];
    (void)snprintf(
        text, sizeof text,
        "mbsens: 1\nparameters: {v: 1.3, y: 0.7, w: 3, T: 0.8}\n"
        "tables: {f: {x: [-1, 0, 0.5, 2], y: [0, 0.2, y, 1], outside: linear},\n"
        "         u: {x: [0, 0.25, 1], y: [v, y], kind: step}}\ncoordinates: {x: {inertia: 1}, z: {inertia: 2}}\n"
        "%s\ninitial: {independent: [{coordinate: x, value: -0.05, velocity: v}]}\n"
        "objectives: {x: {final: x}, z: {final: z}, i: {integral: rate(z)^2}}\nsimulation: {end: 1, step: 0.01}\n",
        i == 0 ? one : other);
    MbsModel *model = read_text(context, "same", text);
    MbsRequest request = request_of(model, "ali3p", kind);
    (void)compare_methods(model, &request, text);
    results[i] = run_with(model, &request, MBS_METHOD_DIRECT);
    mbs_model_destroy(model);
  }
  double errors[2];
  find_errors(results[0], results[1], errors);
  (void)printf("same: %.1e, gradients %.1e\n", errors[0], errors[1]);
  ENSURE(results[0]->event_count == results[1]->event_count && results[0]->event_count > 0);
  ENSURE(fmax(errors[0], errors[1]) < bound);
  mbs_result_destroy(results[0]);
  mbs_result_destroy(results[1]);
}

// The slope of lines in a force jumps; a line that prescribes a motion has velocities that jump; and a table of steps
// may end where the run does.
static void test_jumps_of_tables(void) {
  static const char with_z[] = "{coordinate_force: z, value: -z}";
  char one[300], other[400];
  (void)snprintf(one, sizeof one, "forces: [{coordinate_force: x, value: \"d(f, x) - x\"}, %s]", with_z);
  (void)snprintf(
      other, sizeof other,
      "forces: [{coordinate_force: x, value: \"if(x < 0, 0.2, if(x < 0.5, 2*(y - 0.2), (1 - y)/1.5)) - x\"}, %s]",
      with_z);
  ensure_same("natural", one, other, 1e-12);
  ensure_same(
      "relative", "joints: [{driver: z, value: f(t/T)}]\nforces: [{coordinate_force: x, value: u(t)}]",
      "joints: [{driver: z, value: \"piecewise(t/T, 0.2 + 2*(y - 0.2)*(t/T), 0.5, y + (1 - y)/1.5*(t/T - 0.5))\"}]\n"
      "forces: [{coordinate_force: x, value: \"if(t < 0.25, v, y)\"}]",
      1e-12);
}

// A point of a table of lines exactly at the end of a step is told, where it moves.
static void test_told(const char *argument, double step, int count) {
  char text[500];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\nparameters: {v: 1}\ntables: {f: {x: [-1, 0.5, 2], y: [0, 0, 1], outside: linear}}\n"
                 "coordinates: {x: {inertia: 1}}\n"
                 "initial: {independent: [{coordinate: x, value: 0, velocity: v}]}\n"
                 "objectives: {o: {integral: f(%s)}}\nsimulation: {end: 1}\n",
                 argument);
  MbsModel *model = read_text(context, "told", text);
  MbsRequest request = request_of(model, "index1", "natural");
  request.settings.step = step;
  MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
  ENSURE(result->kink_count == count && result->jump_count == 0);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// x'' = floor(sin 3t): 0 to pi/3, -1 to the end, whatever the step, which the guards come to touch at 1 and -1.
static void test_touch(double step) {
  MbsModel *model = read_text(context, "touch",
                              "mbsens: 1\ncoordinates: {x: {inertia: 1}}\n"
                              "forces: [{coordinate_force: x, value: floor(sin(3*t))}]\n"
                              "objectives: {x: {final: x}}\nsimulation: {end: 2}\n");
  MbsRequest request = request_of(model, "index1", "natural");
  request.settings.step = step;
  MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
  double T = 2 - acos(-1) / 3;
  ENSURE_NEAR(result->values[0], -T * T / 2, 1e-7);  // an instant on the other side is 1e-9 long, or so
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// An equilibrium k d = g that a spring finds, which begins softly at d = 0 and is whole from d = w on: the search
// passes both bends, which runs hold, and begins where they held nothing.
static void test_equilibrium(const char *integrator) {
  MbsModel *model = read_text(context, "seat",
                              "mbsens: 1\nparameters: {k: 400, w: 0.005}\n"
                              "coordinates: {z: {inertia: 0.3}}\n"
                              "forces: [{coordinate_force: z, value: 2.94 - k*z*step5(z/w)}]\n"
                              "initial: {equilibrium: yes, independent: [{coordinate: z, value: 0.001}]}\n"
                              "objectives: {z: {final: z}}\nsimulation: {end: 0.1, step: 0.01}\n");
  MbsRequest request = request_of(model, "index1", "natural");
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
  ENSURE_NEAR(result->values[0], 2.94 / 400, 1e-9);
  ENSURE_NEAR(result->gradient[0], -2.94 / (400.0 * 400), 1e-10);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// A damper by table rests at the point between its pieces, with an acceleration that is rounding: it stays in its piece
// until something moves it. v = F/c (1 - exp(-c (t - T)/m)).
static void test_rest_at_point(const char *integrator, const char *residue) {
  char text[500];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\nparameters: {F: 3, T: 0.2}\ncoordinates: {x: {inertia: 2}}\n"
                 "tables: {damper: {x: [-1, 0, 1], y: [-8, 0, 5], outside: linear}}\n"
                 "forces: [{coordinate_force: x, value: -damper(rate) + F*step(t - T) + (%s)}]\n"
                 "objectives: {v: {final: rate(x)}}\nsimulation: {end: 1, step: 0.05}\n",
                 residue);
  MbsModel *model = read_text(context, "damper", text);
  MbsRequest request = request_of(model, "index1", "natural");
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  (void)compare_methods(model, &request, integrator);
  MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
  double decay = exp(-5 * 0.8 / 2);
  ENSURE_NEAR(value(result, "v"), 3.0 / 5 * (1 - decay), 1e-8);
  ENSURE_NEAR(slope(result, "v", "F"), (1 - decay) / 5, 1e-8);
  ENSURE_NEAR(slope(result, "v", "T"), -3.0 / 2 * decay, 1e-7);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  static const char *const kinds[] = {"linear", "akima", "monotone", "spline"};
  context = mbs_context_create();
  for (int i = 0; i < MBS_COUNT(stops); ++i) {
    test_stop(stops[i], "dormand-prince-5", 0.01, 1e-7);
    test_stop(stops[i], "dormand-prince-8", 0.02, 1e-10);
  }
  test_methods();
  test_equilibrium("trapezoidal");
  test_equilibrium("dormand-prince-5");
  test_rest_at_point("dormand-prince-5", "0.3 - 3*0.1");
  test_rest_at_point("dormand-prince-5", "3*0.1 - 0.3");
  test_rest_at_point("radau-5", "0.3 - 3*0.1");
  for (int i = 0; i < MBS_COUNT(kinds); ++i) {
    test_table_order(kinds[i], i % 2 == 0 ? "hold" : "linear");
  }
  test_jumps_of_tables();
  test_told("x", 0.1, 1);
  test_told("x", 0.03, 0);
  test_told("t", 0.1, 0);
  test_extrapolated("index1", "-k*x - abs(x - z) - f(x)");
  test_extrapolated("ali3p", "-k*x - max(3*x, f(2*x))");
  for (int i = 0; i < 20; ++i) {
    test_touch(0.0005 + 0.00017 * i);
  }
  mbs_context_destroy(context);
  return 0;
}
