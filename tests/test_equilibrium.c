// Equilibrium and steady motion. What cannot be fooled: closed forms with their derivatives, natural against relative
// coordinates, the model run anew with another number, a run that stays where it starts, a run that leaves an
// equilibrium which is said to be unstable.
#include <complex.h>
#include <mbsens/equilibrium.h>

#include "support.h"

static MbsContext *context;

static const char *const coordinates[] = {"natural", "relative"};
static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
enum { COORDINATES = 2, METHODS = 3, MOST_PARAMETERS = 8 };

static MbsResult *find(const MbsModel *model, const char *in, MbsMethod method) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", in);
  ENSURE_OK(context, mbs_equilibrium(context, model, &request, &result));
  ENSURE(result->is_complete && result->equilibrium);
  return result;
}

// ---- closed forms: a function of the parameters in the order of the file, for each objective ----
static const double complex imaginary_unit = (double complex)I;
typedef double complex (*Form)(const double complex *p);

typedef struct Case {
  const char *name, *text;
  int count;
  Form forms[4];
  bool is_stable;
  const char *held;  // the only coordinate that nothing determines, or NULL
} Case;

// masses on springs, one below the other: the spring above mass i carries all from i on
static double complex chain_1(const double complex *p) { return -p[1] - 3 * p[0] * p[3] / p[2]; }
static double complex chain_3(const double complex *p) { return -3 * p[1] - 6 * p[0] * p[3] / p[2]; }
static double complex chain_force(const double complex *p) { return 3 * p[0] * p[3]; }
// a slider on a spring, pulled by F; a pendulum on it, pushed by P at its end
static double complex slider_x(const double complex *p) { return (p[0] + p[1]) / p[2]; }
static double complex slider_angle(const double complex *p) { return catan(p[1] * 0.5 / (p[3] * 0.3 * 9.81)); }
// two rods, pushed by P at the end
static double complex upper_angle(const double complex *p) { return catan(p[0] / ((p[1] / 2 + p[2]) * p[3])); }
static double complex lower_angle(const double complex *p) { return catan(p[0] / (p[2] / 2 * p[3])); }
// an arm that turns with a shaft: cos = g / (w^2 L) for a body whose inertia about its centre is the same every way
static double complex governor_angle(const double complex *p) { return cacos(p[0] / (p[1] * p[1] * p[2])); }
// two carts, the second on a spring to the first, on an incline; nothing says where they are but a wall's spring
static double complex carts_gap(const double complex *p) { return p[0] - p[1] / p[2]; }
// a state at rest: its rate vanishes; and it drives a spring
static double complex state_value(const double complex *p) { return p[1] / p[0]; }
static double complex state_place(const double complex *p) { return p[2] * p[1] / p[0]; }
// controllers: an integrator takes what the spring of a suspension lacks at height y, behind a filter of second order;
// a pendulum that stands on a cart is balanced by both their places, and leans against a push; filters that look on
static double complex suspended_place(const double complex *p) { return p[3]; }
static double complex suspended_sum(const double complex *p) { return (p[1] * (0.6 - p[3]) - 9.81 * p[0]) / p[2]; }
static double complex leaning_angle(const double complex *p) { return catan(p[1] / (9.81 * p[2])); }
static double complex leaning_place(const double complex *p) { return p[0] + (p[4] * leaning_angle(p) - p[1]) / p[3]; }
// an oil pressure, in Pa, and the valve that keeps it up against a leak; an integrator that is wound up far beyond what
// its actuator gives
static double complex pressure(const double complex *p) { return 9.81e-6 * p[0] / p[1]; }
static double complex valve(const double complex *p) {
  return 1e4 * p[2] * (9.81 * p[0] / p[1]) / (p[3] * (2e7 - 9.81 * p[0] / p[1]));
}
static double complex wound_up(const double complex *p) { return p[0] / p[1] * catanh((p[2] * p[3] + 98.1) / p[0]); }
static double complex filtered_place(const double complex *p) { return 0.5 + p[0] / p[1]; }

#define SPATIAL_ARM                                                                                                 \
  "mbsens: 1\ndimension: 3\ngravity: [0, 0, -g]\nparameters: {g: 9.81, w: %s, L: 0.4}\n"                            \
  "ground: {points: {O: [0, 0, 0]}}\n"                                                                              \
  "bodies:\n  shaft: {mass: 1, inertia: [1, 1, 1], points: {O: [0, 0, 0]}}\n"                                       \
  "  arm: {mass: 2, com: [0, 0, -L], inertia: [0.01, 0.01, 0.01], points: {O: [0, 0, 0], B: [0, 0, -L]}}\n"         \
  "joints:\n  - {revolute: [ground.O, shaft.O], name: bearing, axis: [0, 0, 1]}\n"                                  \
  "  - {revolute: [shaft.O, arm.O], name: hinge, axis: [0, 1, 0]}\n"                                                \
  "equilibrium: {steady: yes}\n"                                                                                    \
  "initial: {independent: [{coordinate: angle(bearing), value: 0, velocity: w}, {coordinate: angle(hinge), value: " \
  "-0.6}]}\n"                                                                                                       \
  "objectives: {angle: {equilibrium: -angle(hinge)}}\n"

static const Case cases[] = {
    {"springs in a chain",
     "mbsens: 1\ngravity: [0, -g]\nparameters: {m: 0.7, l: 0.5, k: 40, g: 9.81}\nground: {points: {O: [0, 0]}}\n"
     "bodies: {a: {mass: m, points: {A: [0, 0]}}, b: {mass: m, points: {B: [0, 0]}}, c: {mass: m, points: {C: [0, "
     "0]}}}\n"
     "forces:\n  - {spring: [ground.O, a.A], stiffness: k, length: l}\n"
     "  - {spring: [a.A, b.B], stiffness: k, length: l}\n  - {spring: [b.B, c.C], stiffness: k, length: l}\n"
     "initial: {points: {A: [0.1, -0.6], B: [0.2, -1.2], C: [0.1, -2]}}\n"
     "objectives: {y1: {equilibrium: r(A).y}, y3: {equilibrium: r(C).y}, pull: {equilibrium: k*(norm(r(A)) - l)}}\n",
     3,
     {chain_1, chain_3, chain_force},
     true,
     NULL},
    {"a pendulum on a slider",
     "mbsens: 1\ngravity: [0, -9.81]\nparameters: {F: 3, P: 2, k: 50, m: 1.5}\nground: {points: {O: [0, 0]}}\n"
     "bodies:\n  slider: {mass: 2, inertia: 1, points: {S: [0, 0]}}\n"
     "  bar: {mass: m, com: [0, -0.3], inertia: 0.05, points: {S: [0, 0], T: [0, -0.5]}}\n"
     "joints:\n  - {prismatic: [ground.O, slider.S], name: rail, axis: [1, 0]}\n"
     "  - {revolute: [slider.S, bar.S], name: pin}\n"
     "forces:\n  - {coordinate_force: slide(rail), value: F - k*value}\n  - {point_force: bar.T, value: [P, 0]}\n"
     "initial: {independent: [{coordinate: slide(rail), value: 0.3}, {coordinate: angle(bar), value: -0.4}]}\n"
     "objectives: {x: {equilibrium: r(S).x}, angle: {equilibrium: angle(bar)}}\n",
     2,
     {slider_x, slider_angle},
     true,
     NULL},
    {"two rods",
     "mbsens: 1\ngravity: [0, -g]\nparameters: {P: 4, m1: 1.2, m2: 0.8, g: 9.81}\nground: {points: {O: [0, 0]}}\n"
     "bodies:\n  upper: {mass: m1, com: [0.35, 0], inertia: 0.05, points: {O: [0, 0], A: [0.7, 0]}, angle: -1.2}\n"
     "  lower: {mass: m2, com: [0.25, 0], inertia: 0.02, points: {A: [0, 0], B: [0.5, 0]}, angle: -0.9}\n"
     "joints: [{revolute: [ground.O, upper.O]}, {revolute: [upper.A, lower.A]}]\n"
     "forces: [{point_force: lower.B, value: [P, 0]}]\n"
     "objectives: {a: {equilibrium: angle(upper) + pi/2}, b: {equilibrium: angle(lower) + pi/2}}\n",
     2,
     {upper_angle, lower_angle},
     true,
     NULL},
    {"an arm that turns steadily", "", 1, {governor_angle}, true, "angle(bearing)"},
    {"two carts that nothing holds",
     "mbsens: 1\nparameters: {l: 0.8, F: 3, k: 25}\nground: {points: {O: [0, 0]}}\n"
     "bodies: {a: {mass: 2, inertia: 1, points: {A: [0, 0]}}, b: {mass: 1, inertia: 1, points: {B: [0, 0]}, position: "
     "[0.9, 0]}}\n"
     "joints: [{prismatic: [ground.O, a.A], name: ra, axis: [1, 0]}, {prismatic: [ground.O, b.B], name: rb, axis: [1, "
     "0]}]\n"
     "forces: [{spring: [a.A, b.B], stiffness: k, length: l}, {point_force: a.A, value: [F, 0]}, {point_force: b.B, "
     "value: [-F, 0]}]\n"
     "objectives: {gap: {equilibrium: r(B).x - r(A).x}}\n",
     1,
     {carts_gap},
     true,
     "a: x"},
    {"a state of first order",
     "mbsens: 1\nparameters: {a: 3, b: 5, c: 0.2, k: 7}\nground: {points: {O: [0, 0]}}\n"
     "bodies: {cart: {mass: 2, inertia: 1, points: {A: [0, 0]}}}\n"
     "joints: [{prismatic: [ground.O, cart.A], name: rail, axis: [1, 0]}]\n"
     "states: {s: {rate: b - a*s - 2*v(A).x, initial: 0.4}}\n"
     "forces: [{coordinate_force: slide(rail), value: k*(c*s - value) - rate}]\n"
     "objectives: {s: {equilibrium: s}, x: {equilibrium: r(A).x}}\n",
     2,
     {state_value, state_place},
     true,
     NULL},
    {"filters in a loop with an integrator",
     "mbsens: 1\ngravity: [0, -9.81]\nparameters: {m: 400, k: 20000, ki: 20000, y: 0.5, w: 2*pi*20}\n"
     "ground: {points: {O: [0, 0]}}\nbodies: {b: {mass: m, inertia: 10, points: {P: [0, 0]}}}\n"
     "joints: [{prismatic: [ground.O, b.P], name: guide, axis: [0, 1]}]\n"
     "states: {low: {rate: w*slope}, slope: {rate: w*(r(P).y - y - low - sqrt(2)*slope)}, sum: {rate: low}}\n"
     "forces: [{spring: [ground.O, b.P], stiffness: k, length: 0.6, damping: 1500}, {coordinate_force: slide(guide), "
     "value: -5000*low - ki*sum}]\n"
     "initial: {independent: [{coordinate: r(P).y, value: 0.9}]}\n"
     "objectives: {y: {equilibrium: r(P).y}, sum: {equilibrium: sum}}\n",
     2,
     {suspended_place, suspended_sum},
     true,
     NULL},
    {"a pendulum that a controller balances",
     "mbsens: 1\ngravity: [0, -9.81]\nparameters: {x: 0.5, P: 0.2, m: 0.3, kx: 3.211, ka: 41.53}\n"
     "ground: {points: {O: [0, 0]}}\nbodies:\n  cart: {mass: 1, inertia: 1, points: {S: [0, 0]}}\n"
     "  bar: {mass: m, com: [0, 0.6], inertia: 1e-6, points: {S: [0, 0], T: [0, 0.6]}}\n"
     "joints: [{prismatic: [ground.O, cart.S], name: rail, axis: [1, 0]}, {revolute: [cart.S, bar.S], name: pin}]\n"
     "states: {angle_seen: {rate: 200*(angle(bar) - angle_seen)}}\n"
     "forces: [{coordinate_force: slide(rail), value: kx*(value - x) + 4.878*rate - ka*angle_seen - 9.527*omega(bar)}, "
     "{point_force: bar.T, value: [P, 0]}]\n"
     "initial: {independent: [{coordinate: slide(rail), value: 0}, {coordinate: angle(bar), value: 0.3}]}\n"
     "objectives: {angle: {equilibrium: angle(bar)}, place: {equilibrium: r(S).x}}\n",
     2,
     {leaning_angle, leaning_place},
     true,
     NULL},
    {"a pressure beside positions",
     "mbsens: 1\ngravity: [0, -9.81]\nparameters: {m: 300, A: 1e-3, leak: 1e-13, Kv: 2e-11}\n"
     "ground: {points: {O: [0, 0]}}\nbodies: {b: {mass: m, inertia: 10, points: {P: [0, 0]}}}\n"
     "joints: [{prismatic: [ground.O, b.P], name: guide, axis: [0, 1]}]\n"
     "states: {p: {rate: 1e12*(Kv*valve*(2e7 - p) - leak*p - A*v(P).y), initial: 1e6}, valve: {rate: 100*(0.05*(0.4 - "
     "r(P).y) + 0.01*sum - valve)}, sum: {rate: 0.4 - r(P).y}}\n"
     "forces: [{coordinate_force: slide(guide), value: A*p - 2000*rate}]\n"
     "initial: {independent: [{coordinate: slide(guide), value: 0.1}]}\n"
     "objectives: {p: {equilibrium: p*1e-6}, valve: {equilibrium: valve*1e4}}\n",
     2,
     {pressure, valve},
     true,
     NULL},
    {"an integrator that is wound up",
     "mbsens: 1\ngravity: [0, -9.81]\nparameters: {F: 300, ki: 100, k: 500, y: 0.3}\nground: {points: {O: [0, 0]}}\n"
     "bodies: {b: {mass: 10, inertia: 1, points: {P: [0, 0]}}}\n"
     "joints: [{prismatic: [ground.O, b.P], name: guide, axis: [0, 1]}]\n"
     "states: {sum: {rate: y - r(P).y, initial: 50}}\n"
     "forces: [{coordinate_force: slide(guide), value: F*tanh(ki*sum/F) - k*value - 30*rate}]\n"
     "objectives: {sum: {equilibrium: sum}}\n",
     1,
     {wound_up},
     true,
     NULL},
    {"filters that look on",
     "mbsens: 1\nparameters: {F: 3, k: 50, v: 400, w: 15}\nground: {points: {O: [0, 0]}}\n"
     "bodies: {cart: {mass: 2, inertia: 1, points: {A: [0, 0]}}}\n"
     "joints: [{prismatic: [ground.O, cart.A], name: rail, axis: [1, 0]}]\n"
     "states: {a: {rate: v*b}, b: {rate: v*(r(A).x - a - 1.4*b)}, c: {rate: w*d}, d: {rate: w*(a - c - d/0.91)}, "
     "e: {rate: 3*w*(0.5*(c + 1) - e)}}\n"
     "forces: [{coordinate_force: slide(rail), value: F - rate}, {coordinate_force: slide(rail), value: -k*value}]\n"
     "initial: {independent: [{coordinate: slide(rail), value: 0.9}]}\n"
     "objectives: {e: {equilibrium: 2*e - 0.5}}\n",
     1,
     {filtered_place},
     true,
     NULL},
};

static void ensure_case(const Case *c, const char *in, MbsMethod method) {
  char text[2048];
  (void)snprintf(text, sizeof text, SPATIAL_ARM, "7");
  MbsModel *model = read_text(context, c->name, c->text[0] ? c->text : text);
  MbsResult *result = find(model, in, method);
  int count = result->parameter_count;
  ENSURE(result->objective_count == c->count && count <= MOST_PARAMETERS);
  ENSURE(result->equilibrium->residual < 1e-12);
  ENSURE(method == MBS_METHOD_COMPLEX_STEP || result->equilibrium->order > 0);
  ENSURE(result->equilibrium->is_stable == c->is_stable);
  ENSURE(result->equilibrium->held_count == (c->held != NULL));
  if (c->held) {
    ENSURE_TEXT(result->equilibrium->held[0], c->held);
  }
  for (int i = 0; i < c->count; ++i) {
    double complex p[MOST_PARAMETERS];
    double largest = 0;
    for (int k = 0; k < count; ++k) {
      p[k] = result->parameter_values[k];
    }
    ENSURE_NEAR(result->values[i], creal(c->forms[i](p)), 1e-11);
    for (int k = 0; k < count; ++k) {
      p[k] += 1e-30 * imaginary_unit;
      double expected = cimag(c->forms[i](p)) / 1e-30;
      p[k] = creal(p[k]);
      ENSURE_NEAR(result->gradient[i * count + k], expected, 1e-10 * (1 + fabs(expected)));
      largest = fmax(largest, fabs(expected));
    }
    ENSURE(largest > 1e-3);  // something to compare
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// Terms that cancel within one law leave rounding that is no force: 1e-9 N of 30 kN.
static void test_cancelling(void) {
  for (int c = 0; c < COORDINATES; ++c) {
    MbsModel *model = read_text(
        context, "stiff law",
        "mbsens: 1\nparameters: {F: 3e4, k: 1e7}\nground: {points: {O: [0, 0]}}\n"
        "bodies: {cart: {mass: 2, inertia: 1, points: {A: [0, 0]}}}\n"
        "joints: [{prismatic: [ground.O, cart.A], name: rail, axis: [1, 0]}]\n"
        "forces: [{coordinate_force: slide(rail), value: F - k*value - rate}]\n"
        "initial: {independent: [{coordinate: slide(rail), value: 0.9}]}\nobjectives: {x: {equilibrium: r(A).x}}\n");
    MbsResult *result = find(model, coordinates[c], MBS_METHOD_DIRECT);
    ENSURE_NEAR(result->values[0], 3e-3, 1e-15);
    ENSURE_NEAR(result->gradient[0], 1e-7, 1e-19);
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
}

static void test_closed_forms(void) {
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int c = 0; c < COORDINATES; ++c) {
      for (int m = 0; m < METHODS; ++m) {
        ensure_case(&cases[i], coordinates[c], methods[m]);
      }
    }
  }
}

// A cantilever of ten links with torsional springs, loaded at its end. With t_i the angles,
//     k (t_i - t_(i-1)) = -(P L sum_(j>=i) cos t_j + ...): solved here by Newton's method on the last angle, by
//     shooting from the root, where t_1 is unknown, to the end, where no moment is left.
enum { LINKS = 10 };
static double complex shoot(double complex k, double complex P, double L, double complex first, double complex *angle) {
  // moments from the root: M_1 = k t_1, M_(i+1) = M_i + P L cos t_i, t_(i+1) = t_i + M_(i+1) / k; none is left: M_11 =
  // 0
  double complex t = first, M = k * first;
  angle[0] = t;
  for (int i = 1; i <= LINKS; ++i) {
    M += P * L * ccos(t);
    if (i < LINKS) {
      t += M / k;
      angle[i] = t;
    }
  }
  return M;
}

static double complex beam_tip(double complex k, double complex P, double L) {
  double complex angle[LINKS], first = -creal(P) * L * LINKS / creal(k);
  for (int iteration = 0; iteration < 60; ++iteration) {
    double complex e = shoot(k, P, L, first, angle);
    const double d = 1e-6;
    double complex slope = (shoot(k, P, L, first + d, angle) - shoot(k, P, L, first - d, angle)) / (2 * d);
    first -= e / slope;
  }
  (void)shoot(k, P, L, first, angle);
  double complex y = 0;
  for (int i = 0; i < LINKS; ++i) {
    y += L * csin(angle[i]);
  }
  return y;
}

static void test_beam(void) {
  char text[8192];
  size_t used = (size_t)snprintf(text, sizeof text,
                                 "mbsens: 1\nparameters: {k: 30, P: 4}\nground: {points: {P0: [0, 0]}}\nbodies:\n");
  for (int i = 1; i <= LINKS; ++i) {
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "  b%d: {mass: 0.1, com: [0.05, 0], inertia: 1e-4, points: {P%d: [0, 0], P%d: [0.1, 0]}, "
                             "position: [%g, 0]}\n",
                             i, i - 1, i, 0.1 * (i - 1));
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n  - {revolute: [ground.P0, b1.P0], name: j1}\n");
  for (int i = 2; i <= LINKS; ++i) {
    used += (size_t)snprintf(text + used, sizeof text - used, "  - {revolute: [b%d.P%d, b%d.P%d], name: j%d}\n", i - 1,
                             i - 1, i, i - 1, i);
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "forces:\n  - {point_force: b%d.P%d, value: [0, -P]}\n",
                           LINKS, LINKS);
  for (int i = 1; i <= LINKS; ++i) {
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "  - {coordinate_force: angle(j%d), value: -k*value}\n", i);
  }
  (void)snprintf(text + used, sizeof text - used, "objectives: {tip: {equilibrium: r(P%d).y}}\n", LINKS);
  MbsModel *model = read_text(context, "beam", text);
  const double k = 30, P = 4, tip = creal(beam_tip(k, P, 0.1));
  ENSURE(tip < -0.3);  // bent far
  for (int c = 0; c < COORDINATES; ++c) {
    for (int m = 0; m < METHODS; ++m) {
      MbsResult *result = find(model, coordinates[c], methods[m]);
      ENSURE_NEAR(result->values[0], tip, 1e-10);
      ENSURE_NEAR(result->gradient[0], cimag(beam_tip(k + 1e-30 * imaginary_unit, P, 0.1)) / 1e-30, 1e-10);
      ENSURE_NEAR(result->gradient[1], cimag(beam_tip(k, P + 1e-30 * imaginary_unit, 0.1)) / 1e-30, 1e-10);
      ENSURE(result->equilibrium->is_stable || methods[m] == MBS_METHOD_COMPLEX_STEP);
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// ---- shipped models: every position, multiplier and state, by every parameter ----
typedef struct Rows {
  int count, width;
  char names[8192][96];
  double values[8192];
} Rows;

static MbsStatus begin(void *user, int count, const char *const *names) {
  Rows *rows = user;
  ENSURE(count <= 8192);
  rows->count = count;
  for (int i = 0; i < count; ++i) {
    (void)snprintf(rows->names[i], sizeof rows->names[i], "%s", names[i]);
  }
  return MBS_OK;
}

static MbsStatus row(void *user, const double *values) {
  Rows *rows = user;
  memcpy(rows->values, values, (size_t)rows->count * sizeof *values);
  return MBS_OK;
}

// by some of the parameters, which are named after a result
static MbsStatus record(const MbsModel *model, const MbsResult *known, const char *in, MbsMethod method, Rows *rows) {
  enum { SOME = 6 };
  const char *names[SOME];
  MbsRecorder recorder = {.user = rows, .begin = begin, .row = row};
  MbsRequest request;
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  request.recorder = &recorder;
  int step = known->parameter_count / SOME + 1;
  for (int i = 0; i < known->parameter_count; i += step) {
    names[request.parameter_count++] = known->parameters[i];
  }
  request.parameters = names;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", in);
  (void)snprintf(request.settings.columns, sizeof request.settings.columns, "all");
  MbsStatus status = mbs_equilibrium(context, model, &request, &result);
  mbs_result_destroy(result);
  return status;
}

// accelerations vanish, and their derivatives are rounding
static bool is_acceleration(const char *name) { return strstr(name, "''") != NULL; }

static void ensure_rows(const char *path, const Rows *direct, const Rows *complex_step) {
  ENSURE(direct->count == complex_step->count);
  double largest = 0;
  int parameters = 0;
  for (int i = 1; i < direct->count; ++i) {
    parameters += strncmp(direct->names[i], "d(", 2) == 0;
    largest = fmax(largest, is_acceleration(direct->names[i]) ? 0 : fabs(direct->values[i]));
  }
  for (int i = 1; i < direct->count; ++i) {
    double a = direct->values[i], b = complex_step->values[i], size = fmax(fabs(b), 1e-6 * largest);
    bool is_close = fabs(a - b) <= 1e-8 * size + 1e-11 * (1 + largest);  // some are sums that cancel
    if (!is_close && !is_acceleration(direct->names[i])) {
      (void)fprintf(stderr, "%s: %s is %.17g, and by the complex step %.17g\n", path, direct->names[i], a, b);
      exit(1);
    }
  }
  ENSURE(parameters > 0 && largest > 0);
}

// those that have no equilibrium at rest, and why
static const struct {
  const char *name, *message;
} without[] = {
    {"bouncing_ball", "r(P).y"},             // falls
    {"clutch", "angle("},                    // a motor turns it
    {"flying_rotor", "angle(axle)"},         // a motor turns it
    {"geneva", "angle(crank)"},              // a motor turns it
    {"governor", "angle(bearing)"},          // a motor turns it: a steady motion, below
    {"rimless_wheel", "singular position"},  // falls over, to where its coordinate goes back: a dead centre
    {"rod_drop", "r(G).y"},                  // falls
    {"rolling_coin_incline", "slope"},       // rolls down its slope
    {"string_pendulum", "r(ball.P).y"},      // the string does not act yet, and it falls
    {"two_point_mass", "r(B).y"},            // a force drives it on
};

static void visit(const char *path, void *user) {
  static Rows direct, complex_step;
  int *balanced = user;
  MbsModel *model = read_model(context, path);
  const char *name = strrchr(path, '/') + 1, *expected = NULL;
  for (size_t i = 0; i < sizeof without / sizeof without[0]; ++i) {
    size_t length = strlen(without[i].name);
    expected = strncmp(name, without[i].name, length) == 0 && name[length] == '.' ? without[i].message : expected;
  }
  // it hangs where all its hinges are special: the joints' own coordinates lose their digits there
  int most = strstr(path, "bricard") || strstr(path, "rimless") ? 1 : COORDINATES;  // and a leg that stands is found
  for (int c = 0; c < most; ++c) {
    MbsRequest request;
    MbsResult *result = NULL;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    request.method = MBS_METHOD_NONE;
    (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates[c]);
    MbsStatus status = mbs_equilibrium(context, model, &request, &result);
    if (expected) {
      ENSURE(status == MBS_ERROR_NUMERICAL && !result);
      ENSURE_CONTAINS(mbs_context_message(context), expected);
      ENSURE_CONTAINS(mbs_context_message(context), "equilibrium");
      continue;
    }
    ENSURE_OK(context, status);
    ENSURE_OK(context, record(model, result, coordinates[c], MBS_METHOD_DIRECT, &direct));
    ENSURE_OK(context, record(model, result, coordinates[c], MBS_METHOD_COMPLEX_STEP, &complex_step));
    ensure_rows(path, &direct, &complex_step);
    mbs_result_destroy(result);
    *balanced += 1;
  }
  mbs_model_destroy(model);
}

static void test_shipped_models(void) {
  int balanced = 0;
  for_each_file("models/*.yaml", visit, &balanced);
  ENSURE(balanced >= 2 * 20);
}

// ---- P2's balanced five-bar rests where it starts ----
static void test_five_bar(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  ENSURE_OK(context, mbs_model_set(context, model, "Ls1", "2.43192"));
  ENSURE_OK(context, mbs_model_set(context, model, "Ls2", "1.84487"));
  MbsRequest request;
  MbsResult *result, *moved;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  request.settings.end = request.settings.step = 1e-6;
  ENSURE_OK(context, mbs_run(context, model, &request, &moved));
  result = find(model, "natural", MBS_METHOD_NONE);
  for (int i = 0; i < result->point_count; ++i) {
    for (int k = 0; k < 2; ++k) {
      ENSURE_NEAR(result->points[i].position[k], moved->points[i].position[k], 1e-4);
    }
  }
  mbs_result_destroy(result);
  mbs_result_destroy(moved);
  mbs_model_destroy(model);
}

// ---- a run that starts in equilibrium ----
#define SWING                                                                                                         \
  "mbsens: 1\ngravity: [0, -g]\nparameters: {g: 9.81, m: 2, d: 0.5, k: 30, p: 0.3}\n"                                 \
  "ground: {points: {O: [0, 0], W: [2, 0.3]}}\n"                                                                      \
  "bodies: {bar: {mass: m, com: [d, 0], inertia: 0.1, points: {O: [0, 0], tip: [1, 0]}}, box: {mass: 1, inertia: 1, " \
  "points: {B: [0, 0]}, position: [1.5, 0]}}\n"                                                                       \
  "joints: [{revolute: [ground.O, bar.O], name: pin}, {prismatic: [ground.O, box.B], name: rail, axis: [1, 0]}]\n"    \
  "forces:\n  - {spring: [bar.tip, box.B], stiffness: k, damping: 0.2, length: 0.4}\n"                                \
  "  - {spring: [box.B, ground.W], stiffness: 2*k, damping: 0.1, length: 0.5}\n"                                      \
  "initial: {equilibrium: yes, independent: [{coordinate: angle(bar), value: -1, velocity: %s}, {coordinate: "        \
  "slide(rail), value: 1.2}]}\n"                                                                                      \
  "objectives: {rest: {equilibrium: angle(bar)}, end: {final: r(B).x}, work: {integral: omega(bar)^2}, pin: {final: " \
  "force(pin).x}}\nsimulation: {end: 0.3, step: 0.005}\n"

static MbsResult *swing(const char *velocity, const char *formulation, const char *in, MbsMethod method) {
  char text[2048];
  (void)snprintf(text, sizeof text, SWING, velocity);
  MbsModel *model = read_text(context, "swing", text);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", in);
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  mbs_model_destroy(model);
  return result;
}

static void test_start(void) {
  static const char *const formulations[] = {"ali3p", "index1", "matrix-r", "penalty", "index3"};
  for (int f = 0; f < 5; ++f) {
    for (int c = 0; c < COORDINATES; ++c) {
      MbsResult *results[METHODS];
      for (int m = 0; m < METHODS; ++m) {
        results[m] = swing("p", formulations[f], coordinates[c], methods[m]);
      }
      MbsResult *anew = swing("p", formulations[f], coordinates[c], MBS_METHOD_FINITE_DIFFERENCE);
      for (int i = 0; i < anew->objective_count * anew->parameter_count; ++i) {
        double expected = results[2]->gradient[i];
        ENSURE_NEAR(results[0]->gradient[i], expected, 1e-9 * (1 + fabs(expected)));
        ENSURE_NEAR(results[1]->gradient[i], expected, 1e-9 * (1 + fabs(expected)));
        if (strcmp(formulations[f], "index3") != 0) {  // whose accelerations are no better than Newton's tolerance
          ENSURE_NEAR(anew->gradient[i], expected, 1e-5 * (1 + fabs(expected)));
        }
      }
      for (int m = 0; m < METHODS; ++m) {
        mbs_result_destroy(results[m]);
      }
      mbs_result_destroy(anew);
    }
  }
  MbsResult *result = swing("0", "ali3p", "natural", MBS_METHOD_NONE);  // stays where it is
  ENSURE(fabs(result->values[2]) < 1e-20);
  mbs_result_destroy(result);
}

// ---- stable or not: the linearised motion, and what a run does ----
static void test_stability(void) {
  char text[2048];
  // below sqrt(g/L) = 4.95 rad/s the arm hangs, and above that hanging is unstable
  static const struct {
    const char *speed, *start;
    double angle;
    bool is_stable;
  } arms[] = {{"4.9", "-0.6", 0, true}, {"5.0", "0", 0, false}, {"5.0", "-0.6", 0.195246, true}};
  for (int i = 0; i < 3; ++i) {
    (void)snprintf(text, sizeof text, SPATIAL_ARM, arms[i].speed);
    char *start = strstr(text, "-0.6");
    memcpy(start, "    ", 4);
    memcpy(start, arms[i].start, strlen(arms[i].start));
    MbsModel *model = read_text(context, "arm", text);
    MbsResult *result = find(model, "natural", MBS_METHOD_DIRECT);
    ENSURE_NEAR(result->values[0], arms[i].angle, 1e-4);
    ENSURE(result->equilibrium->order == 3 && result->equilibrium->is_steady);
    ENSURE(result->equilibrium->is_stable == arms[i].is_stable);
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
}

// frequency of a pendulum with a damped hinge, in closed form
static void test_eigenvalues(void) {
  MbsModel *model = read_text(context, "pendulum",
                              "mbsens: 1\ngravity: [0, -9.81]\nparameters: {c: 0.3}\nground: {points: {O: [0, 0]}}\n"
                              "bodies: {bar: {mass: 2, com: [0.5, 0], inertia: 0.1, points: {O: [0, 0]}, angle: -1}}\n"
                              "joints: [{revolute: [ground.O, bar.O], name: pin}]\n"
                              "forces: [{coordinate_force: angle(pin), value: -c*rate}]\n");
  for (int c = 0; c < COORDINATES; ++c) {
    MbsResult *result = find(model, coordinates[c], MBS_METHOD_NONE);
    const double J = 0.1 + 2 * 0.25, real = -0.3 / (2 * J), imaginary = sqrt(9.81 / J - real * real);
    ENSURE(result->equilibrium->order == 2 && result->equilibrium->is_stable);
    ENSURE_NEAR(result->equilibrium->real[0], real, 1e-12);
    ENSURE_NEAR(fabs(result->equilibrium->imaginary[0]), imaginary, 1e-11);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// ---- what is held ----
static void test_hold(void) {
  // a plank on two springs that push up alone: it may slide
  static const char plank[] =
      "mbsens: 1\ngravity: [0, -g]\nparameters: {g: 9.81, m: 3, c: 0.1, x0: 0.4}\nground: {points: {O: [0, 0]}}\n"
      "bodies: {plank: {mass: m, com: [c, 0], inertia: 1, points: {L: [-1, 0], R: [1, 0], P: [0, 0]}, position: [0.2, "
      "0.1]}}\n"
      "forces: [{point_force: plank.L, value: [0, -200*r(L).y]}, {point_force: plank.R, value: [0, -200*r(R).y]}]\n"
      "%s"
      "objectives: {x: {equilibrium: r(P).x}, y: {equilibrium: r(P).y}}\n";
  char text[2048];
  (void)snprintf(text, sizeof text, plank,
                 "initial: {independent: [{coordinate: r(L).x, value: x0}]}\nequilibrium: {hold: [{coordinate: "
                 "r(L).x}]}\n");
  MbsModel *model = read_text(context, "plank", text);
  for (int c = 0; c < COORDINATES; ++c) {
    for (int m = 0; m < METHODS; ++m) {
      MbsResult *result = find(model, coordinates[c], methods[m]);
      double angle = atan2(result->points[1].position[1] - result->points[0].position[1],
                           result->points[1].position[0] - result->points[0].position[0]);
      ENSURE(result->equilibrium->held_count == 1);
      ENSURE_TEXT(result->equilibrium->held[0], "r(L).x");
      ENSURE_NEAR(result->values[0], 0.4 + cos(angle), 1e-12);
      ENSURE_NEAR(result->gradient[3], 1, 1e-12);  // by x0
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
  // where nobody says, it stays where it is placed
  (void)snprintf(text, sizeof text, plank, "");
  model = read_text(context, "plank", text);
  MbsResult *result = find(model, "natural", MBS_METHOD_DIRECT);
  ENSURE(result->equilibrium->held_count == 1 && result->equilibrium->is_stable);
  ENSURE_TEXT(result->equilibrium->held[0], "plank: x");
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- what is refused ----
static void ensure_refused(const char *text, MbsStatus status, const char *message) {
  MbsModel *model = read_text(context, "bad", text);
  MbsRequest request;
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  MbsStatus got = mbs_equilibrium(context, model, &request, &result);
  ENSURE(got == status && !result);
  ENSURE_CONTAINS(mbs_context_message(context), message);
  mbs_model_destroy(model);
}

static void test_refusals(void) {
  static const char body[] =
      "mbsens: 1\ngravity: [0, -9.81]\nparameters: {m: 1}\nground: {points: {O: [0, 0]}}\n"
      "bodies: {bar: {mass: m, com: [0.5, 0], inertia: 1, points: {O: [0, 0], T: [1, 0]}, angle: -0.5}}\n";
  char text[1024];
  ensure_refused(body, MBS_ERROR_NUMERICAL, "\"bar: y\" goes on moving, and a force of -9.81 along it is left");
  (void)snprintf(
      text, sizeof text,
      "%sjoints: [{revolute: [ground.O, bar.O], name: pin}]\nequilibrium: {hold: [{coordinate: angle(bar)}]}\n", body);
  ensure_refused(text, MBS_ERROR_NUMERICAL, "\"angle(bar)\" is held, and that takes a force of 4.30");
  (void)snprintf(text, sizeof text,
                 "%sjoints: [{revolute: [ground.O, bar.O], name: pin}]\nequilibrium: {hold: [{coordinate: r(Z).x}]}\n",
                 body);
  ensure_refused(text, MBS_ERROR_INPUT, "Z");
  // a scissor that folds until its bars lie in one line: the table's supports meet there, and it could tip
  ensure_refused(
      "mbsens: 1\ngravity: [0, -9.81]\nparameters: {m: 15}\nground: {points: {O: [0, 0]}}\nbodies:\n"
      "  a: {mass: m, com: [1, 0], inertia: 5, points: {A: [0, 0], M: [1, 0], B: [2, 0]}}\n"
      "  b: {mass: m, com: [1, 0], inertia: 5, points: {A: [0, 0], M: [1, 0], B: [2, 0]}}\n"
      "  top: {mass: 80, com: [0.95, 0.1], inertia: 5, points: {P: [0, 0], Q: [2, 0]}}\n"
      "joints:\n  - revolute: [ground.O, a.A]\n  - revolute: [a.M, b.M]\n"
      "  - {point_on_line: [ground.O, b.A], axis: [1, 0]}\n  - revolute: [top.P, b.B]\n"
      "  - {point_on_line: [top.P, a.B], axis: [1, 0]}\n"
      "initial:\n  points: {a.B: [1.95, 0.42], b.B: [0, 0.42], top.Q: [2, 0.42]}\n"
      "  independent: [{coordinate: angle(a), value: 0.2}]\n",
      MBS_ERROR_NUMERICAL, "equilibrium: the search ends at a singular position");
  (void)snprintf(text, sizeof text,
                 "%sjoints: [{revolute: [ground.O, bar.O], name: pin}]\nobjectives: {e: {integral: omega(bar)}}\n",
                 body);
  MbsModel *model = read_text(context, "bad", text);
  MbsRequest request;
  MbsResult *result = NULL;
  const char *const names[] = {"e"};
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.objectives = names;
  request.objective_count = 1;
  ENSURE(mbs_equilibrium(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "objective \"e\" is of a run");
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_closed_forms();
  test_cancelling();
  test_beam();
  test_shipped_models();
  test_five_bar();
  test_start();
  test_stability();
  test_eigenvalues();
  test_hold();
  test_refusals();
  mbs_context_destroy(context);
  return 0;
}
