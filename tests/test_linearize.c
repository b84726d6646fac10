// Linearisation: eigenvalues and their derivatives by closed forms (chain of springs, double pendulum, pendulum on a
// cart, filter behind an oscillator), repeated and defective ones, frequency responses, the benchmark of the bicycle,
// both coordinates; derivatives of eigenvalues and shapes against differences of the model run anew; that eigenvalues
// tell how a small motion goes; and what is refused.
#include <complex.h>
#include <mbsens/linearize.h>
#include <mbsens/simulator.h>

#include "support.h"

static MbsContext *context;
static const char *const kinds[] = {"natural", "relative"};
enum { NATURAL, RELATIVE, KINDS };

static MbsRequest request_of(const MbsModel *model, const char *kind) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  return request;
}

// with derivatives by one parameter; NULL: by all
static MbsLinearization *linearize_at(const MbsModel *model, const char *kind, double time, const char *parameter) {
  MbsRequest request = request_of(model, kind);
  MbsLinearizeDef def = mbs_default_linearize_def();
  MbsLinearization *linear;
  def.time = time;
  request.parameter_count = parameter ? 1 : 0;
  request.parameters = parameter ? &parameter : NULL;
  ENSURE_OK(context, mbs_linearize(context, model, &request, &def, &linear));
  return linear;
}

static MbsLinearization *linearize(const MbsModel *model, const char *kind) {
  return linearize_at(model, kind, 0, NULL);
}

static int parameter_of(const MbsLinearization *linear, const char *name) {
  for (int i = 0; i < linear->parameter_count; ++i) {
    if (strcmp(linear->parameters[i], name) == 0) {
      return i;
    }
  }
  (void)fprintf(stderr, "no parameter %s\n", name);
  exit(1);
}

// the one nearest to a number
static const MbsEigenmode *mode_near(const MbsLinearization *linear, double re, double im) {
  const MbsEigenmode *nearest = NULL;
  for (int k = 0; k < linear->mode_count; ++k) {
    const MbsEigenmode *mode = &linear->mode[k];
    bool is_nearer =
        !nearest || hypot(mode->real - re, mode->imag - im) < hypot(nearest->real - re, nearest->imag - im);
    nearest = is_nearer ? mode : nearest;
  }
  ENSURE(nearest);
  return nearest;
}

// undamped: i w, and its derivative by a parameter
static void ensure_frequency(const MbsLinearization *linear, double w, const char *parameter, double slope) {
  const MbsEigenmode *mode = mode_near(linear, 0, w);
  const double *gradient = mode->gradient + 2 * parameter_of(linear, parameter);
  ENSURE_NEAR(mode->real, 0, 1e-11 * w);
  ENSURE_NEAR(mode->imag, w, 1e-11 * w);
  ENSURE_NEAR(mode->frequency, w / (2 * acos(-1.0)), 1e-11 * w);
  ENSURE_NEAR(gradient[0], 0, 1e-10 * fabs(slope) + 1e-12);
  ENSURE_NEAR(gradient[1], slope, 1e-10 * fabs(slope) + 1e-12);
}

// ---- closed forms ----
// four equal masses between two walls: w_j = 2 sqrt(k/m) sin(j pi / 10)
static void test_chain(const char *kind) {
  static const char text[] =
      "mbsens: 1\nname: chain\nparameters: {k: 300, m: 1.7}\n"
      "ground: {points: {O: [0, 0], E: [5, 0]}}\n"
      "bodies:\n"
      "  a: {mass: m, points: {A: [0, 0]}, position: [1, 0]}\n"
      "  b: {mass: m, points: {B: [0, 0]}, position: [2, 0]}\n"
      "  c: {mass: m, points: {C: [0, 0]}, position: [3, 0]}\n"
      "  d: {mass: m, points: {D: [0, 0]}, position: [4, 0]}\n"
      "joints:\n"
      "  - {point_on_line: [ground.O, a.A], axis: [1, 0]}\n"
      "  - {point_on_line: [ground.O, b.B], axis: [1, 0]}\n"
      "  - {point_on_line: [ground.O, c.C], axis: [1, 0]}\n"
      "  - {point_on_line: [ground.O, d.D], axis: [1, 0]}\n"
      "forces:\n"
      "  - {spring: [ground.O, a.A], stiffness: k, length: 1}\n"
      "  - {spring: [a.A, b.B], stiffness: k, length: 1}\n"
      "  - {spring: [b.B, c.C], stiffness: k, length: 1}\n"
      "  - {spring: [c.C, d.D], stiffness: k, length: 1}\n"
      "  - {spring: [d.D, ground.E], stiffness: k, length: 1}\n"
      "simulation: {end: 1, step: 0.01}\n";
  MbsModel *model = read_text(context, "chain", text);
  MbsLinearization *linear = linearize(model, kind);
  const double pi = acos(-1.0), k = 300, m = 1.7;
  ENSURE(linear->size == 8 && linear->warning_count == 0);
  for (int j = 1; j <= 4; ++j) {
    double w = 2 * sqrt(k / m) * sin(j * pi / 10);
    ensure_frequency(linear, w, "k", w / (2 * k));
    ensure_frequency(linear, w, "m", -w / (2 * m));
    const MbsEigenmode *mode = mode_near(linear, 0, w);
    double total = 0;
    for (int i = 1; i <= 4; ++i) {  // x_i = sin(i j pi / 5)
      total += pow(sin(i * j * pi / 5), 2);
    }
    for (int i = 1; i <= 4; ++i) {
      ENSURE_NEAR(mode->participation[i - 1], pow(sin(i * j * pi / 5), 2) / total, 1e-10);
      ENSURE_NEAR(mode->motion[4 * (i - 1)] / mode->motion[0], sin(i * j * pi / 5) / sin(j * pi / 5), 1e-9);
    }
  }
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

// two equal masses on two equal rods: w^2 = (2 -+ sqrt 2) g / L
static void test_double_pendulum(const char *kind) {
  static const char text[] =
      "mbsens: 1\nname: double pendulum\ngravity: [0, -g]\nparameters: {g: 9.81, L: 0.8, m: 2}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  a: {mass: m, com: [0, -L], inertia: 0, points: {O: [0, 0], P: [0, -L]}}\n"
      "  b: {mass: m, com: [0, -L], inertia: 0, points: {P: [0, 0], Q: [0, -L]}}\n"
      "joints: [{revolute: [ground.O, a.O]}, {revolute: [a.P, b.P]}]\n"
      "simulation: {end: 1, step: 0.01}\n";
  MbsModel *model = read_text(context, "double pendulum", text);
  MbsLinearization *linear = linearize(model, kind);
  for (int sign = -1; sign <= 1; sign += 2) {
    double w = sqrt((2 + sign * sqrt(2)) * 9.81 / 0.8);
    ensure_frequency(linear, w, "g", w / (2 * 9.81));
    ensure_frequency(linear, w, "L", -w / (2 * 0.8));
    ensure_frequency(linear, w, "m", 0);
  }
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

// A cantilever of links without mass, with torsional springs between them and a mass at the end of each: with t_i the
// angles, w^2 sum_j m L^2 (N - max(i, j)) t_j = k (t_i - t_(i-1)) - k (t_(i+1) - t_i), which all shapes and frequencies
// must meet; and w is as sqrt(k / m) / L.
static void test_beam(const char *kind) {
  enum { LINKS = 6 };
  char text[4096];
  int at = snprintf(text, sizeof text,
                    "mbsens: 1\nname: beam\nparameters: {k: 50, m: 0.4, L: 0.3}\nground: {points: {P0: [0, 0]}}\n"
                    "bodies:\n");
  for (int i = 1; i <= LINKS; ++i) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "  b%d: {mass: m, com: [L, 0], inertia: 0, points: {P%d: [0, 0], P%d: [L, 0]}}\n", i, i - 1, i);
  }
  for (int part = 0; part < 2; ++part) {
    at += snprintf(text + at, sizeof text - (size_t)at, part == 0 ? "joints:\n" : "forces:\n");
    for (int i = 1; i <= LINKS; ++i) {
      char before[10] = "ground";
      if (i > 1) {
        (void)snprintf(before, sizeof before, "b%d", i - 1);
      }
      at += part == 0 ? snprintf(text + at, sizeof text - (size_t)at, "  - {revolute: [%s.P%d, b%d.P%d]}\n", before,
                                 i - 1, i, i - 1)
                      : snprintf(text + at, sizeof text - (size_t)at,
                                 "  - {torsional_spring: [%s, b%d], stiffness: k}\n", before, i);
    }
  }
  MbsModel *model = read_text(context, "beam", text);
  MbsLinearization *linear = linearize(model, kind);
  int place[LINKS + 1] = {0}, modes = 0;
  for (int k = 0; k < linear->point_count; ++k) {  // ends of links
    for (int i = 1; i <= LINKS; ++i) {
      char name[32];
      (void)snprintf(name, sizeof name, "b%d.P%d", i, i);
      place[i] = strcmp(linear->points[k], name) == 0 || strcmp(linear->points[k], name + 3) == 0 ? k : place[i];
    }
  }
  for (int k = 0; k < linear->mode_count; ++k) {
    const MbsEigenmode *mode = &linear->mode[k];
    double t[LINKS + 2] = {0}, y = 0, largest = 0;
    if (mode->imag <= 0) {
      continue;
    }
    for (int i = 1; i <= LINKS; ++i) {
      double end = mode->motion[4 * place[i] + 2];
      t[i] = (end - y) / 0.3;
      y = end;
    }
    t[LINKS + 1] = t[LINKS];  // no moment at the end
    for (int i = 1; i <= LINKS; ++i) {
      double inertia = 0, moment = 50 * (2 * t[i] - t[i - 1] - t[i + 1]);
      for (int j = 1; j <= LINKS; ++j) {
        inertia += 0.4 * 0.3 * 0.3 * (LINKS + 1 - (i > j ? i : j)) * t[j];
      }
      largest = fmax(largest, fabs(moment));
      ENSURE_NEAR(mode->imag * mode->imag * inertia, moment, 1e-10 * 50 * 4);
    }
    ENSURE(largest > 1);
    ensure_frequency(linear, mode->imag, "k", mode->imag / (2 * 50));
    ensure_frequency(linear, mode->imag, "m", -mode->imag / (2 * 0.4));
    ensure_frequency(linear, mode->imag, "L", -mode->imag / 0.3);
    modes += 1;
  }
  ENSURE(modes == LINKS);
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

// A pendulum on a cart: w^2 = (1 + m/M) g / L, and the cart's free motion, 0 twice with one shape. With the end of the
// spring far away, the matrix has no exact zero.
static void test_cart(const char *kind) {
  static const char text[] =
      "mbsens: 1\nname: cart\ngravity: [0, -g]\nparameters: {g: 9.81, L: 0.8, m: 2, M: 3}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  cart: {mass: M, inertia: 1, points: {C: [0, 0]}}\n"
      "  bob: {mass: m, com: [0, -L], inertia: 0, points: {C: [0, 0], Q: [0, -L]}}\n"
      "joints: [{prismatic: [ground.O, cart.C], axis: [1, 0]}, {revolute: [cart.C, bob.C]}]\n"
      "simulation: {end: 1, step: 0.01}\n";
  MbsModel *model = read_text(context, "cart", text);
  MbsLinearization *linear = linearize(model, kind);
  double w = sqrt((1 + 2.0 / 3) * 9.81 / 0.8);
  ensure_frequency(linear, w, "L", -w / (2 * 0.8));
  ensure_frequency(linear, w, "M", -(9.81 / 0.8) * (2.0 / 9) / (2 * w));
  ensure_frequency(linear, w, "m", (9.81 / 0.8) / 3 / (2 * w));
  for (int k = 0; k < 2; ++k) {
    ENSURE_NEAR(hypot(linear->mode[k].real, linear->mode[k].imag), 0, 1e-6);
    ENSURE(linear->mode[k].is_defective && !linear->mode[k].gradient);
  }
  ENSURE(linear->warning_count == 1);
  ENSURE_CONTAINS(linear->warnings[0], "2 eigenvalues are defective");
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

// Two equal pendulums: repeated, with two shapes. Where one becomes longer one branch moves, and one stays.
static void test_repeated(const char *kind) {
  static const char text[] =
      "mbsens: 1\nname: pair\ngravity: [0, -9.81]\nparameters: {L1: 1, L2: 1}\n"
      "ground: {points: {O: [0, 0], P: [3, 0]}}\n"
      "bodies:\n"
      "  a: {mass: 1, com: [0, -L1], inertia: 0, points: {O: [0, 0], A: [0, -L1]}}\n"
      "  b: {mass: 1, com: [0, -L2], inertia: 0, points: {P: [0, 0], B: [0, -L2]}, position: [3, 0]}\n"
      "joints: [{revolute: [ground.O, a.O]}, {revolute: [ground.P, b.P]}]\n"
      "simulation: {end: 1, step: 0.01}\n";
  MbsModel *model = read_text(context, "pair", text);
  MbsLinearization *linear = linearize(model, kind);
  double w = sqrt(9.81), slope = -w / 2;
  for (int p = 0; p < 2; ++p) {
    double sum = 0, product = 0;
    int count = 0;
    for (int k = 0; k < 4; ++k) {
      const MbsEigenmode *mode = &linear->mode[k];
      ENSURE(mode->repeated == 2 && !mode->is_defective && mode->gradient && !mode->shape_gradient);
      if (mode->imag > 0) {
        ENSURE_NEAR(mode->imag, w, 1e-12);
        product = count++ == 0 ? mode->gradient[2 * p + 1] : product * mode->gradient[2 * p + 1];
        sum += mode->gradient[2 * p + 1];
      }
    }
    ENSURE(count == 2);
    ENSURE_NEAR(sum, slope, 1e-10);
    ENSURE_NEAR(product, 0, 1e-10);
  }
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

// m x'' + c x' + k x = F, T y' = x - y: eigenvalues, G of x and of y by the input F, of x by the parameter k
static void test_filter(const char *kind) {
  static const char text[] =
      "mbsens: 1\nname: filter\nparameters: {k: 40, c: 0.6, m: 1.5, T: 0.3}\ninputs: {F: 0}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies: {a: {mass: m, points: {A: [0, 0]}, position: [1, 0]}}\n"
      "joints: [{point_on_line: [ground.O, a.A], axis: [1, 0], name: rail}]\n"
      "states: {y: {rate: (r(A).x - 1 - y)/T, initial: 0}}\n"
      "forces:\n"
      "  - {spring: [ground.O, a.A], stiffness: k, damping: c, length: 1}\n"
      "  - {point_force: a.A, value: [F, 0]}\n"
      "outputs: {x: r(A).x, filtered: 3*y}\n"
      "simulation: {end: 1, step: 0.01}\n";
  MbsModel *model = read_text(context, "filter", text);
  MbsLinearization *linear = linearize(model, kind);
  const double k = 40, c = 0.6, m = 1.5, T = 0.3;
  double _Complex root = csqrt(c * c / (4 * m * m) - k / m), w = -c / (2 * m) + root;
  const MbsEigenmode *mode = mode_near(linear, creal(w), cimag(w)), *slow = mode_near(linear, -1 / T, 0);
  ENSURE(linear->size == 3 && linear->state_count == 1 && linear->input_count == 1 && linear->output_count == 2);
  ENSURE_TEXT(linear->states[2], "y");
  ENSURE_TEXT(linear->inputs[0], "F");
  ENSURE_NEAR(mode->real, creal(w), 1e-12);
  ENSURE_NEAR(mode->imag, cimag(w), 1e-11);
  ENSURE_NEAR(mode->damping, c / (2 * sqrt(k * m)), 1e-12);
  double _Complex by_c = -(w / m) / (2 * w + c / m);  // w^2 + c/m w + k/m = 0
  ENSURE_NEAR(mode->gradient[2 * parameter_of(linear, "c")], creal(by_c), 1e-11);
  ENSURE_NEAR(mode->gradient[2 * parameter_of(linear, "c") + 1], cimag(by_c), 1e-11);
  ENSURE_NEAR(slow->real, -1 / T, 1e-12);
  ENSURE_NEAR(slow->gradient[2 * parameter_of(linear, "T")], 1 / (T * T), 1e-10);
  const double frequencies[] = {0, 2, 5.1, 40};
  double response[4 * 2 * 2];
  ENSURE_OK(context, mbs_linearization_response(context, linear, 4, frequencies, response));
  for (int i = 0; i < 4; ++i) {
    double _Complex s = 0;
    ((double *)&s)[1] = frequencies[i];
    double _Complex G = 1 / (m * s * s + c * s + k), filtered = 3 * G / (T * s + 1);
    ENSURE_NEAR(response[4 * i], creal(G), 1e-12);
    ENSURE_NEAR(response[4 * i + 1], cimag(G), 1e-12);
    ENSURE_NEAR(response[4 * i + 2], creal(filtered), 1e-12);
    ENSURE_NEAR(response[4 * i + 3], cimag(filtered), 1e-12);
  }
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

// ---- the bicycle (Meijaard et al. 2007) ----
// det(M s^2 + v C1 s + g K0 + v^2 K2) by the formulas of the paper's appendix, whose z points down.
static double _Complex bicycle(double _Complex s, double v, double w, double c) {
  const double g = 9.81, tilt = acos(-1.0) / 10, rR = 0.3, mR = 2, IRxx = 0.0603, IRyy = 0.12;
  const double xB = 0.3, zB = -0.9, mB = 85, IBxx = 9.2, IBzz = 2.8, IBxz = 2.4;
  const double xH = 0.9, zH = -0.7, mH = 4, IHxx = 0.05892, IHzz = 0.00708, IHxz = -0.00756;
  const double rF = 0.35, mF = 3, IFxx = 0.1405, IFyy = 0.28, sn = sin(tilt), cs = cos(tilt);
  double mT = mR + mB + mH + mF, xT = (xB * mB + xH * mH + w * mF) / mT;
  double zT = (-rR * mR + zB * mB + zH * mH - rF * mF) / mT;
  double ITxx = IRxx + IBxx + IHxx + IFxx + mR * rR * rR + mB * zB * zB + mH * zH * zH + mF * rF * rF;
  double ITxz = IBxz + IHxz - mB * xB * zB - mH * xH * zH + mF * w * rF;
  double ITzz = IRxx + IBzz + IHzz + IFxx + mB * xB * xB + mH * xH * xH + mF * w * w;
  double mA = mH + mF, xA = (xH * mH + w * mF) / mA, zA = (zH * mH - rF * mF) / mA;
  double IAxx = IHxx + IFxx + mH * pow(zH - zA, 2) + mF * pow(rF + zA, 2);
  double IAxz = IHxz - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA);
  double IAzz = IHzz + IFxx + mH * pow(xH - xA, 2) + mF * pow(w - xA, 2);
  double uA = (xA - w - c) * cs - zA * sn;
  double IAll = mA * uA * uA + IAxx * sn * sn + 2 * IAxz * sn * cs + IAzz * cs * cs;
  double IAlx = -mA * uA * zA + IAxx * sn + IAxz * cs, IAlz = mA * uA * xA + IAxz * sn + IAzz * cs;
  double mu = c / w * cs, SR = IRyy / rR, SF = IFyy / rF, ST = SR + SF, SA = mA * uA + mu * mT * xT;
  double Mpd = IAlx + mu * ITxz, Mdd = IAll + 2 * mu * IAlz + mu * mu * ITzz;
  double Cpd = mu * ST + SF * cs + ITxz / w * cs - mu * mT * zT, Cdp = -(mu * ST + SF * cs);
  double Cdd = IAlz / w * cs + mu * (SA + ITzz / w * cs);
  double Kpd = (ST - mT * zT) / w * cs, Kdd = (SA + SF * sn) / w * cs;
  double _Complex pp = ITxx * s * s + g * mT * zT, pd = Mpd * s * s + v * Cpd * s - g * SA + v * v * Kpd;
  double _Complex dp = Mpd * s * s + v * Cdp * s - g * SA;
  double _Complex dd = Mdd * s * s + v * Cdd * s - g * SA * sn + v * v * Kdd;
  return pp * dd - pd * dp;
}

// ds/dp = -(dD/dp) / (dD/ds) of D(s, p) = 0
static double _Complex bicycle_slope(double _Complex s, double v, double w, double c, const double by[3]) {
  const double h = 1e-5;
  double _Complex up = bicycle(s, v + h * by[0], w + h * by[1], c + h * by[2]);
  double _Complex down = bicycle(s, v - h * by[0], w - h * by[1], c - h * by[2]);
  return -(up - down) / (bicycle(s + h, v, w, c) - bicycle(s - h, v, w, c));
}

static void test_bicycle(const char *kind) {
  MbsModel *model = read_model(context, "models/bicycle.yaml");
  const double known[][2] = {{-0.775341882195845, 4.46486771378823}, {-0.322866429004087, 0}, {-14.0783896927982, 0}};
  const struct {
    const char *name;
    double by[3];
  } parameters[] = {{"v", {1, 0, 0}}, {"w", {0, 1, 0}}, {"c", {0, 0, 1}}};
  for (int p = 0; p < 3; ++p) {
    MbsLinearization *linear = linearize_at(model, kind, 0, parameters[p].name);
    ENSURE(linear->is_moving && !linear->is_automatic);
    for (int i = 0; i < 3; ++i) {
      const MbsEigenmode *mode = mode_near(linear, known[i][0], known[i][1]);
      double _Complex s = mode->real;
      ((double *)&s)[1] = mode->imag;
      double _Complex slope = bicycle_slope(s, 5, 1.02, 0.08, parameters[p].by);
      ENSURE_NEAR(mode->real, known[i][0], 1e-11);
      ENSURE_NEAR(mode->imag, known[i][1], 1e-11);
      ENSURE_NEAR(mode->gradient[0], creal(slope), 1e-6 * cabs(slope));
      ENSURE_NEAR(mode->gradient[1], cimag(slope), 1e-6 * cabs(slope));
    }
    mbs_linearization_destroy(linear);
  }
  mbs_model_destroy(model);
}

// Published: the speeds at which weave becomes stable, and at which capsize becomes unstable. Where a cubic with values
// and slopes of the real part on either side is zero.
static void test_critical_speed(const char *kind, bool is_weave, double low, double high, double published,
                                double tolerance) {
  MbsModel *model = read_model(context, "models/bicycle.yaml");
  const double speeds[] = {low, high};
  double value[2], slope[2];
  for (int i = 0; i < 2; ++i) {
    char speed[40];
    (void)snprintf(speed, sizeof speed, "%.17g", speeds[i]);
    ENSURE_OK(context, mbs_model_set(context, model, "v", speed));
    MbsLinearization *linear = linearize_at(model, kind, 0, "v");
    const MbsEigenmode *mode = is_weave ? mode_near(linear, 0, 3.43) : NULL;
    for (int k = 0; k < linear->mode_count && !is_weave; ++k) {  // the slowest motion that is not free
      mode = mode || linear->mode[k].is_defective ? mode : &linear->mode[k];
    }
    ENSURE(mode && mode->gradient && fabs(mode->real) < 0.1);
    value[i] = mode->real;
    slope[i] = mode->gradient[0] * (high - low);
    mbs_linearization_destroy(linear);
  }
  double from = 0, to = 1;
  ENSURE(value[0] * value[1] < 0);
  for (int i = 0; i < 60; ++i) {
    double s = (from + to) / 2, r = 1 - s;
    double f = r * r * ((1 + 2 * s) * value[0] + s * slope[0]) + s * s * ((1 + 2 * r) * value[1] - r * slope[1]);
    *(f * value[0] > 0 ? &from : &to) = s;
  }
  ENSURE_NEAR(low + from * (high - low), published, tolerance);
  mbs_model_destroy(model);
}

// Near that speed capsize is slow, and its shape nearly that of the free motions: it has a derivative all the same, as
// long as it is farther from these than rounding reaches, and what rounding makes of them has none.
static void test_slow_capsize(const char *kind) {
  MbsModel *model = read_model(context, "models/bicycle.yaml");
  const char *const speeds[] = {"6.04", "6.039", "6.041"};
  double value[3], slope = 0;
  for (int i = 0; i < 3; ++i) {
    ENSURE_OK(context, mbs_model_set(context, model, "v", speeds[i]));
    MbsLinearization *linear = linearize_at(model, kind, 0, "v");
    const MbsEigenmode *capsize = mode_near(linear, 2.6e-3, 0);
    ENSURE(!capsize->is_defective && capsize->repeated == 1 && capsize->gradient);
    for (int k = 0; k < linear->mode_count; ++k) {
      ENSURE(linear->mode[k].is_defective == (hypot(linear->mode[k].real, linear->mode[k].imag) < 1e-5));
    }
    value[i] = capsize->real;
    slope = i == 0 ? capsize->gradient[0] : slope;
    mbs_linearization_destroy(linear);
  }
  ENSURE_NEAR(slope, (value[2] - value[1]) / 2e-3, 1e-5 * fabs(slope));
  mbs_model_destroy(model);
}

// ---- the file again, with another number ----
static void ensure_slopes(const char *path, const char *kind, double time, const char *parameter, double tolerance) {
  MbsModel *model = read_model(context, path);
  MbsLinearization *linear = linearize_at(model, kind, time, parameter), *side[2];
  int p = parameter_of(linear, parameter), n = linear->size, compared = 0;
  double value = linear->parameter_values[p], step = 1e-4 * (value == 0 ? 1 : fabs(value));
  for (int s = 0; s < 2; ++s) {
    char number[40];
    (void)snprintf(number, sizeof number, "%.17g", value + (s == 0 ? -step : step));
    ENSURE_OK(context, mbs_model_set(context, model, parameter, number));
    side[s] = linearize_at(model, kind, time, parameter);
    ENSURE(side[s]->size == n);
    for (int i = 0; i < n; ++i) {
      ENSURE_TEXT(side[s]->states[i], linear->states[i]);
    }
  }
  double largest = 0, off = 0;
  for (int i = 0; i < n * n; ++i) {
    double slope = (side[1]->A[i] - side[0]->A[i]) / (2 * step),
           own = linear->A_gradient[(size_t)p * (size_t)(n * n) + (size_t)i];
    largest = fmax(largest, fabs(slope));
    off = fmax(off, fabs(slope - own));
  }
  ENSURE(largest > 0);
  ENSURE_NEAR(off, 0, tolerance * largest);
  for (int k = 0; k < n; ++k) {
    const MbsEigenmode *mode = &linear->mode[k];
    if (!mode->gradient || mode->repeated > 1 || mode->frequency < 1e-3) {
      continue;
    }
    const MbsEigenmode *low = mode_near(side[0], mode->real, mode->imag),
                       *high = mode_near(side[1], mode->real, mode->imag);
    double size = hypot(mode->real, mode->imag) / fmax(fabs(value), 1);
    ENSURE_NEAR(mode->gradient[2 * p], (high->real - low->real) / (2 * step), tolerance * size * 10);
    ENSURE_NEAR(mode->gradient[2 * p + 1], (high->imag - low->imag) / (2 * step), tolerance * size * 10);
    for (int i = 0; i < 2 * n; ++i) {
      double slope = (high->shape[i] - low->shape[i]) / (2 * step);
      double own = mode->shape_gradient[2 * p * n + i];
      ENSURE_NEAR(own, slope, 1e-4 * (fabs(slope) + largest / 10 + 1));
    }
    compared += 1;
  }
  ENSURE(compared > 0);
  for (int s = 0; s < 2; ++s) {
    mbs_linearization_destroy(side[s]);
  }
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

// ---- a small motion ----
// The five-bar that rests (Ls1, Ls2 of P2, to all digits by virtual work): pushed by little, its motion is that of the
// modes. x(t) = exp(A t) x(0) for the deviation of the coordinates, by the series.
static void test_small_motion(void) {
  const double push = 1e-5, end = 0.4;
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  ENSURE_OK(context, mbs_model_set(context, model, "Ls1", "2.4319235744575836"));
  ENSURE_OK(context, mbs_model_set(context, model, "Ls2", "1.8448688868053882"));
  MbsRequest request = request_of(model, "natural");
  MbsLinearizeDef def = mbs_default_linearize_def();
  MbsLinearization *linear;
  (void)snprintf(request.settings.independent, sizeof request.settings.independent, "r(P2).x,r(P2).y");
  ENSURE_OK(context, mbs_linearize(context, model, &request, &def, &linear));
  int n = linear->size, d = linear->position_count;
  ENSURE(n == 4 && d == 2 && linear->warning_count == 0);
  MbsSimulator *simulator;
  request.method = MBS_METHOD_NONE;
  request.settings.end = end;
  request.settings.step = 1e-4;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  int count = mbs_simulator_coordinate_count(simulator);
  double q0[16], v0[16] = {0}, q[16], x[4], term[4], next[4];
  ENSURE(count <= 16);
  ENSURE_OK(context, mbs_simulator_state(context, simulator, count, q0, NULL, NULL));
  int index[2] = {-1, -1};
  const char *const *names = mbs_simulator_coordinate_names(simulator);
  for (int i = 0; i < d; ++i) {
    for (int k = 0; k < count; ++k) {
      index[i] = strcmp(names[k], i == 0 ? "P2.x" : "P2.y") == 0 ? k : index[i];
    }
    ENSURE(index[i] >= 0);
  }
  // pushed in the direction of the second coordinate, the others following
  memcpy(q, q0, sizeof q);
  ENSURE(linear->mode[0].motion);
  v0[index[1]] = push;
  if (mbs_simulator_set_state(context, simulator, count, q, v0, true) != MBS_OK) {
    (void)fprintf(stderr, "%s\n", mbs_context_message(context));
    exit(1);
  }
  double v[16];
  ENSURE_OK(context, mbs_simulator_state(context, simulator, count, q, v, NULL));
  for (int i = 0; i < d; ++i) {
    x[i] = q[index[i]] - q0[index[i]];
    x[d + i] = v[index[i]];
  }
  while (!mbs_simulator_is_over(simulator)) {
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
  }
  ENSURE_OK(context, mbs_simulator_state(context, simulator, count, q, v, NULL));
  memcpy(term, x, sizeof x);
  for (int k = 1; k < 80; ++k) {  // exp(A t) x
    for (int i = 0; i < n; ++i) {
      next[i] = 0;
      for (int j = 0; j < n; ++j) {
        next[i] += linear->A[i * n + j] * term[j] * end / k;
      }
    }
    memcpy(term, next, sizeof term);
    for (int i = 0; i < n; ++i) {
      x[i] += term[i];
    }
  }
  for (int i = 0; i < d; ++i) {
    double size = fmax(fabs(x[d]), fabs(x[d + 1]));
    ENSURE(size > 1e-7);
    ENSURE_NEAR(v[index[i]], x[d + i],
                1e-4 * size);  // what is left is of second order in the push and in the step
  }
  mbs_simulator_destroy(simulator);
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

// ---- what is refused, and told ----
static void test_refusals(void) {
  MbsModel *model = read_model(context, "models/pendulum.yaml");
  MbsRequest request = request_of(model, "natural");
  MbsLinearizeDef def = mbs_default_linearize_def();
  MbsLinearization *linear;
  const char *const unknown[] = {"mm"}, *const twice[] = {"m", "m"};
  def.input_count = 1;
  def.inputs = unknown;
  ENSURE(mbs_linearize(context, model, &request, &def, &linear) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "no parameter \"mm\"");
  def.input_count = 2;
  def.inputs = twice;
  ENSURE(mbs_linearize(context, model, &request, &def, &linear) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "named twice");
  def = mbs_default_linearize_def();
  def.time = -1;
  ENSURE(mbs_linearize(context, model, &request, &def, &linear) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "the start, or later");
  ENSURE(mbs_linearize(context, model, &request, NULL, &linear) == MBS_ERROR_INPUT && !linear);
  linear = linearize(model, "natural");
  ENSURE(linear->warning_count == 1);  // it starts on its way down
  ENSURE_CONTAINS(linear->warnings[0], "no equilibrium");
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);

  static const char undamped[] =
      "mbsens: 1\nname: undamped\nparameters: {k: 4}\ninputs: {F: 0}\n"
      "coordinates: {x: {inertia: 1}}\nforces: [{coordinate_force: x, value: F - k*x}]\noutputs: {y: x}\n"
      "simulation: {end: 1, step: 0.01}\n";
  model = read_text(context, "undamped", undamped);
  const double at[] = {2};
  double response[2];
  linear = linearize(model, "natural");
  ENSURE(mbs_linearization_response(context, linear, 1, at, response) == MBS_ERROR_NUMERICAL);
  ENSURE_CONTAINS(mbs_context_message(context), "no response at 2 rad/s");
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);

  static const char driven[] =
      "mbsens: 1\nname: driven\ncoordinates: {x: {inertia: 1}}\njoints: [{driver: x, value: t}]\n"
      "simulation: {end: 1, step: 0.01}\n";
  model = read_text(context, "driven", driven);
  request = request_of(model, "natural");
  def = mbs_default_linearize_def();
  ENSURE(mbs_linearize(context, model, &request, &def, &linear) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "no degree of freedom");
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  for (int k = 0; k < KINDS; ++k) {
    test_chain(kinds[k]);
    test_double_pendulum(kinds[k]);
    test_beam(kinds[k]);
    test_cart(kinds[k]);
    test_repeated(kinds[k]);
    test_filter(kinds[k]);
    test_bicycle(kinds[k]);
    test_critical_speed(kinds[k], true, 4.28, 4.3, 4.29238253634111, 1e-8);
    test_slow_capsize(kinds[k]);
    test_critical_speed(kinds[k], false, 5.99, 6.06, 6.02426201538837, 1e-6);
    ensure_slopes("models/bicycle.yaml", kinds[k], 0, "w", 1e-6);
    ensure_slopes("models/bicycle.yaml", kinds[k], 0, "c", 1e-6);
    ensure_slopes("models/five_bar.yaml", kinds[k], 0.5, "LA1", 1e-6);
  }
  ensure_slopes("models/governor.yaml", "relative", 0.2, "La", 1e-5);
  test_small_motion();
  test_refusals();
  mbs_context_destroy(context);
  return 0;
}
