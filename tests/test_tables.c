// Curves and maps: their values and derivatives against what they are defined by, worked out here; the same mechanics
// by table and by formula; ordinates and arrays as parameters, by every method; files. Derivatives of every kind at
// random states are in tests/models/element_*_tables.yaml (test_all_elements), mistakes in tests/bad/table_*.yaml.
#include "support.h"

static MbsContext *context;

static MbsResult *run(MbsModel *model, MbsMethod method, int count, const char *const *names) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  request.parameter_count = count;
  request.parameters = names;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(result->is_complete);
  return result;
}

static void ensure_near(const char *what, double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) {
    (void)fprintf(stderr, "%s: %.17g, expected %.17g\n", what, value, expected);
    exit(1);
  }
}

// ---- values ----
// The table `text` at x, by an argument that moves: q stays where it starts. slopes: of order 0, 1, 2.
static void evaluate(const char *table, double x, int orders, double *values) {
  static const char *const calls[] = {"f(q)", "d(f, q)", "d(d(f), q)"};
  char text[4096], objectives[512] = "";
  for (int k = 0; k < orders; ++k) {
    size_t used = strlen(objectives);
    (void)snprintf(objectives + used, sizeof objectives - used, "  o%d: {final: \"%s\"}\n", k, calls[k]);
  }
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\ncoordinates: {q: {inertia: 1}}\nparameters: {p: %.17g, one: 1}\n"
                 "initial: {independent: [{coordinate: q, value: p}]}\ntables:\n  f: %s\nobjectives:\n%s"
                 "simulation: {end: 0.01, step: 0.01}\n",
                 x, table, objectives);
  MbsModel *model = read_text(context, "table.yaml", text);
  MbsResult *result = run(model, MBS_METHOD_NONE, 0, NULL);
  for (int k = 0; k < orders; ++k) {
    values[k] = result->values[k];
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static double cubic(double x) { return ((x - 2) * x + 0.5) * x + 1; }

// A spline whose third derivative is continuous next to its ends is the cubic that its points are of.
static void test_spline_of_cubic(void) {
  const double points[] = {-1, -0.4, 0.3, 0.5, 1.6, 2};
  char table[512] = "", y[256] = "";
  uint64_t seed = 1;
  for (int i = 0; i < 6; ++i) {
    size_t used = strlen(y);
    (void)snprintf(y + used, sizeof y - used, "%s\"one*%.17g\"", i ? ", " : "", cubic(points[i]));
  }
  (void)snprintf(table, sizeof table, "{x: [-1, -0.4, 0.3, 0.5, 1.6, 2], y: [%s], kind: spline}", y);
  for (int i = 0; i < 20; ++i) {
    double x = 0.5 + 1.5 * random_number(&seed), values[3];
    evaluate(table, x, 3, values);
    ensure_near("spline", values[0], cubic(x), 1e-13);
    ensure_near("spline: first derivative", values[1], (3 * x - 4) * x + 0.5, 1e-12);
    ensure_near("spline: second derivative", values[2], 6 * x - 4, 1e-11);
  }
}

// Second derivatives of a periodic spline go on around, at the end and at each point; and it repeats.
static void test_periodic_spline(void) {
  static const char table[] = "{x: [0, 1, 2.5, 3, 4.2], y: [one, 3, -1, 0.5, 2], kind: spline, periodic: 5}";
  const double points[] = {0, 1, 2.5, 3, 4.2, 5}, y[] = {1, 3, -1, 0.5, 2, 1}, e = 1e-9;
  for (int i = 0; i < 6; ++i) {
    double left[3], right[3], again[3];
    evaluate(table, points[i] - e, 3, left);
    evaluate(table, points[i] + e, 3, right);
    evaluate(table, points[i] + e - 15, 3, again);
    ensure_near("periodic: value", left[0], y[i], 1e-7);
    for (int k = 0; k < 3; ++k) {
      ensure_near("periodic: goes on", left[k], right[k], 1e-6);  // third derivatives times 2e-9
      ensure_near("periodic: repeats", again[k], right[k], 1e-6);
    }
  }
}

// from the definition, at the points of a curve; what is beyond the ends is in m[0], m[1] and behind
static double akima_slope(int i, const double *x, const double *y, int n) {
  double m[16];
  for (int k = 0; k + 1 < n; ++k) {
    m[2 + k] = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
  }
  m[1] = 2 * m[2] - m[3];
  m[0] = 2 * m[1] - m[2];
  m[n + 1] = 2 * m[n] - m[n - 1];
  m[n + 2] = 2 * m[n + 1] - m[n];
  double w1 = fabs(m[i + 3] - m[i + 2]), w2 = fabs(m[i + 1] - m[i]);
  return w1 + w2 > 0 ? (w1 * m[i + 1] + w2 * m[i + 2]) / (w1 + w2) : (m[i + 1] + m[i + 2]) / 2;
}

static double hermite(double u, double h, double y0, double y1, double s0, double s1) {
  double a = y0, b = h * s0, c = 3 * (y1 - y0) - h * (2 * s0 + s1), d = 2 * (y0 - y1) + h * (s0 + s1);
  return a + u * (b + u * (c + u * d));
}

static void test_akima(void) {
  const double x[] = {-2, -1, 0.5, 1, 2, 3.5, 4}, y[] = {0.3, 1.2, 0.4, 0.9, 1.4, 2.15, 0};  // three secants in line
  static const char table[] =
      "{x: [-2, -1, 0.5, 1, 2, 3.5, 4], y: [0.3, 1.2, 0.4*one, 0.9, 1.4, 2.15, 0], kind: akima}";
  for (int i = 0; i < 6; ++i) {
    for (double u = 0.1; u < 1; u += 0.4) {
      double h = x[i + 1] - x[i], value;
      evaluate(table, x[i] + u * h, 1, &value);
      ensure_near("akima", value, hermite(u, h, y[i], y[i + 1], akima_slope(i, x, y, 7), akima_slope(i + 1, x, y, 7)),
                  1e-13);
    }
  }
}

// It is nowhere beyond its neighbours, is level at extrema, and has the harmonic mean of secants in between.
static void test_monotone(void) {
  const double x[] = {0, 1, 2, 4, 5}, y[] = {0, 1, 4, 4.5, 2};
  static const char table[] = "{x: [0, 1, 2, 4, 5], y: [0, 1, 4, 4.5*one, 2], kind: monotone}";
  double value[2];
  for (int i = 0; i < 4; ++i) {
    for (double u = 0.05; u < 1; u += 0.15) {
      evaluate(table, x[i] + u * (x[i + 1] - x[i]), 1, value);
      ENSURE(value[0] >= fmin(y[i], y[i + 1]) && value[0] <= fmax(y[i], y[i + 1]));
    }
  }
  evaluate(table, 1, 2, value);  // secants 1 and 3, equal steps: 2 * 1 * 3 / (1 + 3)
  ensure_near("monotone: slope", value[1], 1.5, 1e-13);
  evaluate(table, 4, 2, value);  // secants 1/4 and -5/2
  ensure_near("monotone: extremum", value[1], 0, 1e-13);
}

static void test_pieces(void) {
  static const struct {
    const char *table;
    double x, value, slope;
  } cases[] = {
      {"{x: [0, 1, 3], y: [1, 2, -2]}", 0.25, 1.25, 1},
      {"{x: [0, 1, 3], y: [1, 2, -2*one]}", 2, 0, -2},
      {"{x: [0, 1, 3], y: [1, 2, -2]}", 3, -2, -2},
      {"{x: [0, 1, 3], y: [1, 2, -2*one], outside: hold}", 5, -2, 0},
      {"{x: [0, 1, 3], y: [1, 2, -2], outside: hold}", -5, 1, 0},
      {"{x: [0, 1, 3], y: [1, 2, -2*one], outside: linear}", 5, -6, -2},
      {"{x: [0, 1, 3], y: [1, 2, -2], outside: linear}", -1, 0, 1},
      {"{x: [0, 1, 2, 3], y: [0, 1, 8, 27*one], kind: spline, outside: linear}", 4, 54, 27},
      {"{x: [0, 1, 2, 3], y: [0, 1, 8, 27*one], kind: spline, outside: hold}", 4, 27, 0},
      {"{x: [0, 1, 3], y: [1, 2, -2], periodic: 4}", 3.5, -0.5, 3},
      {"{x: [0, 1, 3], y: [1, 2, -2*one], periodic: 4}", -0.5, -0.5, 3},
      {"{x: [0, 1, 3, 4], y: [1, 2, -2, 1], periodic: 4}", 3.5, -0.5, 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    double values[2];
    evaluate(cases[i].table, cases[i].x, 2, values);
    ensure_near(cases[i].table, values[0], cases[i].value, 1e-12);
    ensure_near(cases[i].table, values[1], cases[i].slope, 1e-11);
  }
  static const struct {
    const char *table;
    double x, value;
  } steps[] = {
      {"{x: [0, 1, 3], y: [5, 6, 7], kind: step}", 0, 5},
      {"{x: [0, 1, 3], y: [5, 6*one, 7], kind: step}", 1, 6},
      {"{x: [0, 1, 3], y: [5, 6, 7], kind: step}", 2.99, 6},
      {"{x: [0, 1, 3], y: [5, 6, 7*one], kind: step}", 30, 7},
      {"{x: [0, 1, 3], y: [5, 6], kind: step, outside: hold}", 30, 6},
      {"{x: [0, 1, 3], y: [5, 6, 7], kind: step, outside: hold}", -1.5, 5},
      {"{x: [0, 1, 3], y: [5, 6, 7], kind: step, periodic: 4}", -0.5, 7},
      {"{x: [0, 1, 3], y: [5, 6*one, 7], kind: step, periodic: 4}", 9.5, 6},
      {"{x: [0], y: [5], kind: step}", 0.5, 5},
  };
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
    double value;
    evaluate(steps[i].table, steps[i].x, 1, &value);
    ensure_near(steps[i].table, value, steps[i].value, 0);
  }
}

// z = x^3 y^2 - x y^3 + 1 is itself by splines along both axes; lines are bilinear; and so where nothing moves.
static void test_maps(void) {
  const double x[] = {-1, 0, 0.7, 1.5}, y[] = {0, 0.4, 1, 2};
  char rows[2048] = "", text[8192];
  for (int i = 0; i < 16; ++i) {
    double a = x[i / 4], b = y[i % 4];
    size_t used = strlen(rows);
    (void)snprintf(rows + used, sizeof rows - used, "%s\"one*%.17g\"",
                   i == 0       ? "["
                   : i % 4 == 0 ? "], ["
                                : ", ",
                   a * a * a * b * b - a * b * b * b + 1);
  }
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\ncoordinates: {q: {inertia: 1}}\nparameters: {p: 0.45, r: 1.3, one: 1}\n"
                 "initial: {independent: [{coordinate: q, value: p}]}\ntables:\n"
                 "  f: {x: [-1, 0, 0.7, 1.5], y: [0, 0.4, 1, 2], z: [%s]], kind: spline}\n"
                 "  g: {x: [0, 1], y: [0, 2], z: [[1, 2], [3, \"7*one\"]]}\n"
                 "objectives:\n  a: {final: \"f(q, r)\"}\n  b: {final: \"f(p, q + 0.85)\"}\n  c: {value: \"f(p, r)\"}\n"
                 "  d: {final: \"d(f, 1, q, r)\"}\n  e: {final: \"d(f, 2, q, r)\"}\n"
                 "  g: {final: \"d(d(f, 1), 2, q, r)\"}\n  h: {final: \"g(q, r)\"}\n  i: {value: \"g(p, r)\"}\n"
                 "  j: {value: \"f(0.45, 1.3)\"}\nsimulation: {end: 0.01, step: 0.01}\n",
                 rows);
  const double a = 0.45, b = 1.3, z = a * a * a * b * b - a * b * b * b + 1;
  const double bilinear = (1 - a) * ((1 - b / 2) * 1 + b / 2 * 2) + a * ((1 - b / 2) * 3 + b / 2 * 7);
  const double expected[] = {z,
                             z,
                             z,
                             3 * a * a * b * b - b * b * b,
                             2 * a * a * a * b - 3 * a * b * b,
                             6 * a * a * b - 3 * b * b,
                             bilinear,
                             bilinear,
                             z};
  MbsModel *model = read_text(context, "map.yaml", text);
  MbsResult *result = run(model, MBS_METHOD_NONE, 0, NULL);
  for (int i = 0; i < 9; ++i) {
    ensure_near(result->objectives[i], result->values[i], expected[i], 1e-12);
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- mechanics ----
// A spring of which the law is a table, one of which it is the same line, and one by its stiffness.
static void test_spring(void) {
  static const char *const laws[] = {"law: f(length)", "law: k*(length - 0.6)", "stiffness: k, length: 0.6"};
  double values[3][2], gradients[3][3];
  for (int i = 0; i < 3; ++i) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "mbsens: 1\ngravity: [0, -9.81]\nparameters: {k: 30, m: 1.2, L: 0.8}\n"
                   "ground: {points: {O: [0, 0], W: [1, 0.5]}}\n"
                   "bodies: {bar: {mass: m, inertia: 0.1, com: [L/2, 0], points: {O: [0, 0], P: [L, 0]}}}\n"
                   "joints: [{revolute: [ground.O, bar.O]}]\nforces: [{spring: [ground.W, bar.P], %s}]\n"
                   "tables: {f: {x: [0, 0.5, 1.1, 3], y: [-0.6*k, -0.1*k, 0.5*k, 2.4*k], kind: akima}}\n"
                   "objectives: {a: {integral: r(P).x^2}, b: {final: omega(bar)}}\nsimulation: {end: 1, step: 0.01}\n",
                   laws[i]);
    MbsModel *model = read_text(context, "spring.yaml", text);
    MbsResult *result = run(model, MBS_METHOD_ADJOINT, 0, NULL);
    memcpy(values[i], result->values, sizeof values[i]);
    memcpy(gradients[i], result->gradient, sizeof gradients[i]);
    mbs_result_destroy(result);
    mbs_model_destroy(model);
    for (int k = 0; k < 3; ++k) {
      ensure_near(laws[i], gradients[i][k], gradients[0][k], 1e-10);
    }
    ensure_near(laws[i], values[i][0], values[0][0], 1e-11);
    ensure_near(laws[i], values[i][1], values[0][1], 1e-10);
  }
}

// Six formulations, both coordinates, direct and adjoint against the complex step, and the model run anew.
static void ensure_verified(const char *path, int count, const char *const *names, int least) {
  MbsModel *model = read_model(context, path);
  MbsVerification *verification;
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.parameters = names;
  request.parameter_count = count;
  ENSURE_OK(context, mbs_verify(context, model, &request, &verification));
  for (int i = 0; i < verification->row_count; ++i) {
    const MbsVerifyRow *row = &verification->rows[i];  // all of them have a part in the integral
    ENSURE(strcmp(row->objective, "J") != 0 || row->reference > 0 || row->reference < 0);
  }
  ENSURE(verification->pass && verification->row_count >= least);
  mbs_verification_destroy(verification);
  mbs_model_destroy(model);
}

static void test_methods(void) {
  static const char *const names[] = {"c[1]", "c[2]", "c[3]", "a", "k", "m", "spr.y[4]", "gas.y[2]", "tq.z[7]"};
  static const char *const steps[] = {"c[2]", "c[3]", "w", "a", "m", "held.y[1]", "around.y", "drag.y[2]"};
  ensure_verified("tests/models/tables.yaml", 9, names, 400);
  ensure_verified("tests/models/tables_step.yaml", 8, steps, 400);
  MbsModel *model = read_model(context, "tests/models/tables.yaml");
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  // an ordinate that is an expression of parameters is none
  static const char *const derived[] = {"spr.y[3]"};
  request.parameters = derived;
  request.parameter_count = 1;
  request.method = MBS_METHOD_DIRECT;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE(strstr(mbs_context_message(context), "parameter \"spr.y[3]\" is an expression of others"));
  // the tangent as the metric of ali3p's projections has second derivatives of the tables
  static const MbsMethod methods[] = {MBS_METHOD_COMPLEX_STEP, MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT};
  double reference[64];
  request.parameters = names;
  request.parameter_count = 9;
  request.settings.is_projection_tangent = true;
  for (int i = 0; i < 3; ++i) {
    request.method = methods[i];
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    ENSURE(result->parameter_count == 9);
    for (int k = 0; k < result->objective_count * result->parameter_count; ++k) {
      reference[k] = i == 0 ? result->gradient[k] : reference[k];
      ensure_near("tangent", result->gradient[k], reference[k], 1e-10 * (1 + fabs(reference[k])));
    }
    mbs_result_destroy(result);
  }
  // derivatives of elements by the complex step and by differences, term by term
  for (int source = 0; source < 2; ++source) {
    request.settings.derivatives = source == 0 ? MBS_DERIVATIVES_AUTOMATIC : MBS_DERIVATIVES_NUMERICAL;
    for (int i = 1; i < 3; ++i) {
      request.method = methods[i];
      ENSURE_OK(context, mbs_run(context, model, &request, &result));
      for (int k = 0; k < result->objective_count * result->parameter_count; ++k) {
        ensure_near("sources", result->gradient[k], reference[k],
                    (source == 0 ? 1e-10 : 1e-5) * (1 + fabs(reference[k])));
      }
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// ---- controls ----
enum { PIECES = 400 };

static MbsModel *read_control(const char *kind, double length) {
  static char text[40000];
  int used = snprintf(text, sizeof text,
                      "mbsens: 1\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\nbodies:\n"
                      "  cart: {mass: 2, inertia: 0.1, points: {C: [0, 0], D: [1, 0]}}\n"
                      "  pole: {mass: 1, inertia: 0.08, com: [0.5, 0], points: {C: [0, 0], E: [1, 0]}}\n"
                      "joints: [{prismatic: [ground.O, cart.C], axis: [1, 0]}, {revolute: [cart.C, pole.C]}]\n"
                      "forces: [{point_force: cart.C, value: [\"f(t)\", 0]}]\ninitial: {points: {pole.E: [0.1, 1]}}\n"
                      "objectives: {J: {integral: r(E).x^2}, K: {final: r(C).x}}\n"
                      "simulation: {end: %g, step: 0.005}\nparameters: {u: [",
                      length);
  for (int i = 0; i < PIECES; ++i) {
    used += snprintf(text + used, sizeof text - (size_t)used, "%s%.6f", i ? ", " : "", sin(0.1 * i) + 0.3 * cos(i));
  }
  used +=
      snprintf(text + used, sizeof text - (size_t)used, "]}\ntables: {f: {y: u, kind: %s, outside: hold, x: [", kind);
  for (int i = 0; i < PIECES; ++i) {
    used += snprintf(text + used, sizeof text - (size_t)used, "%s%.6f", i ? ", " : "", i * length / PIECES);
  }
  (void)snprintf(text + used, sizeof text - (size_t)used, "]}}\n");
  return read_text(context, "control.yaml", text);
}

// The gradient by all pieces in one adjoint, against the direct method, and against differences for some.
static void test_control(const char *kind) {
  static const char *const all[] = {"u"}, *const some[] = {"u[1]", "u[2]", "u[77]", "u[251]", "u[399]"};
  static const int places[] = {0, 1, 76, 250, 398};
  MbsModel *model = read_control(kind, 2);
  MbsResult *adjoint = run(model, MBS_METHOD_ADJOINT, 1, all), *direct = run(model, MBS_METHOD_DIRECT, 1, all);
  MbsResult *differences = run(model, MBS_METHOD_FINITE_DIFFERENCE, 5, some);
  ENSURE(adjoint->parameter_count == PIECES && direct->parameter_count == PIECES);
  ENSURE_TEXT(adjoint->parameters[250], "u[251]");
  // jumps lie on the grid: no step is tried in vain, and none is divided
  ENSURE(direct->statistics.steps == PIECES && direct->statistics.tried_steps == 0);
  double largest = largest_of(PIECES, direct->gradient);
  for (int k = 0; k < 2 * PIECES; ++k) {
    ensure_near(kind, adjoint->gradient[k], direct->gradient[k], 1e-11 * largest);
    ENSURE(direct->gradient[k] > 0 || direct->gradient[k] < 0);
  }
  for (int o = 0; o < 2; ++o) {
    for (int k = 0; k < 5; ++k) {
      ensure_near("differences", direct->gradient[o * PIECES + places[k]], differences->gradient[o * 5 + k],
                  1e-6 * largest);
    }
  }
  mbs_result_destroy(adjoint);
  mbs_result_destroy(direct);
  mbs_result_destroy(differences);
  mbs_model_destroy(model);
}

// Predictions go on across jumps of a control: no more iterations than with a control without jumps, but three or four
// to start anew after each, where factors are new, too.
static void test_iterations(void) {
  MbsModel *models[] = {read_control("linear", 20), read_control("step", 20)};
  long iterations[2];
  for (int i = 0; i < 2; ++i) {
    MbsResult *result = run(models[i], MBS_METHOD_NONE, 0, NULL);
    iterations[i] = result->statistics.iterations;
    mbs_result_destroy(result);
    mbs_model_destroy(models[i]);
  }
  ENSURE(iterations[1] > iterations[0] && iterations[1] - iterations[0] < 4 * PIECES);
}

// ---- names ----
static void test_names(void) {
  static const char *const names[] = {"u", "f.y[2]", "p"};
  MbsModel *model =
      read_text(context, "names.yaml",
                "mbsens: 1\ncoordinates: {q: {inertia: 1}}\nparameters: {u: [2, 3], p: 5, w: \"2*u[2]\"}\n"
                "tables: {f: {x: [0, 1], y: [10, 20], outside: linear}}\n"
                "objectives: {a: {value: \"u[1]*p + w + f(0.25)\"}}\nsimulation: {end: 0.1, step: 0.1}\n");
  MbsResult *result = run(model, MBS_METHOD_DIRECT, 3, names);
  static const char *const expected[] = {"u[1]", "u[2]", "f.y[2]", "p"};
  const double gradient[] = {5, 2, 0.25, 2};
  ENSURE(result->parameter_count == 4);
  for (int k = 0; k < 4; ++k) {
    ENSURE_TEXT(result->parameters[k], expected[k]);
    ensure_near(expected[k], result->gradient[k], gradient[k], 1e-14);
  }
  mbs_result_destroy(result);
  result = run(model, MBS_METHOD_DIRECT, 0, NULL);  // all parameters: no ordinates among them
  ENSURE(result->parameter_count == 3);
  mbs_result_destroy(result);
  ENSURE_OK(context, mbs_model_set(context, model, "u[2]", "4"));
  ENSURE_OK(context, mbs_model_set(context, model, "f.y[1]", "14"));
  result = run(model, MBS_METHOD_NONE, 0, NULL);
  ensure_near("set", result->values[0], 10 + 8 + 15.5, 1e-13);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- files ----
static void test_files(void) {
  static const struct {
    const char *table, *message;
  } cases[] = {
      {"{file: nothing.csv, x: 1, y: 2}",
       "tests/models/made.yaml:3:20: error: table \"f\": cannot open tests/models/nothing.csv"},
      {"{file: table_gap.csv, x: 1, y: 2}",
       "tests/models/table_gap.csv:3:4: error: table \"f\": column 2, which is y, has a gap"},
      {"{file: table_text.csv, x: angle, y: force}",
       "tests/models/table_text.csv:4:6: error: table \"f\": expected a number, found \"n/a\""},
      {"{file: table_text.csv, x: angle, y: forse}",
       "tests/models/made.yaml:3:49: error: table \"f\": y: tests/models/table_text.csv has no column \"forse\"; did "
       "you "
       "mean \"force\"?; it has 2: angle, force"},
      {"{file: table_gap.csv, x: 1, y: 3}", "table \"f\": y: tests/models/table_gap.csv has no column \"3\"; it has 2"},
      {"{file: table_wide.csv, x: 1, y: 2}",
       "tests/models/table_wide.csv:4:5: error: table \"f\": this line has 3 numbers, the first one has 2 columns"},
      {"{file: table_order.csv, x: 1, y: 2}",
       "tests/models/table_order.csv:3:1: error: table \"f\": the points x must increase: 0.5 comes after 1"},
      {"{file: table_order.csv, x: 1, y: 2, z: 2}",
       "a map needs a line for each x and each y: there is none for x = 0, y = 2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[512];
    MbsModel *model = NULL;
    MbsCheck *check = NULL;
    MbsRequest request;
    (void)snprintf(text, sizeof text, "mbsens: 1\ncoordinates: {q: {inertia: 1}}\ntables: {f: %s}\n", cases[i].table);
    MbsStatus status = mbs_model_read_text(context, text, strlen(text), "tests/models/made.yaml", &model);
    if (status == MBS_OK) {
      ENSURE_OK(context, mbs_request_default(context, model, &request));
      status = mbs_check(context, model, &request, &check);
    }
    ENSURE(status == MBS_ERROR_INPUT);
    if (!strstr(mbs_context_message(context), cases[i].message)) {
      (void)fprintf(stderr, "%s: %s\n", cases[i].table, mbs_context_message(context));
      exit(1);
    }
    mbs_check_destroy(check);
    mbs_model_destroy(model);
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_spline_of_cubic();
  test_periodic_spline();
  test_akima();
  test_monotone();
  test_pieces();
  test_maps();
  test_spring();
  test_names();
  test_files();
  test_control("linear");
  test_control("step");
  test_iterations();
  test_control("spline");
  test_methods();
  mbs_context_destroy(context);
  return 0;
}
