// Objectives that look at the run on its way: maxima and minima, means, violations, values at times and events,
// settling. Against closed forms, with the order of the scheme; derivatives by direct, adjoint and complex step in
// every formulation and both coordinates; ties; mistakes are in tests/bad/objective_*.yaml.
#include "event_runs.h"
#include "model/field.h"

static const char *const formulations[] = {"ali3p", "penalty", "index1", "ali1", "index3", "matrix-r"};

// ---- closed forms: x'' = -c x' - k x ----
typedef struct Oscillator {
  double k, c, x0, v0;
} Oscillator;

// x and its rate at a time
static double motion(const Oscillator *o, double t, double *rate) {
  double d = o->c / 2, w = sqrt(o->k - d * d), A = o->x0, B = (o->v0 + d * o->x0) / w, E = exp(-d * t);
  double x = E * (A * cos(w * t) + B * sin(w * t));
  *rate = -d * x + E * w * (-A * sin(w * t) + B * cos(w * t));
  return x;
}

typedef double (*Quantity)(const Oscillator *o, double t);

static double position(const Oscillator *o, double t) {
  double v;
  return motion(o, t, &v);
}

static double velocity(const Oscillator *o, double t) {
  double v;
  (void)motion(o, t, &v);
  return v;
}

static double acceleration(const Oscillator *o, double t) {
  double v, x = motion(o, t, &v);
  return -o->c * v - o->k * x;
}

static double jerk(const Oscillator *o, double t) { return -o->c * acceleration(o, t) - o->k * velocity(o, t); }

static double outside(const Oscillator *o, double t) {
  double x = position(o, t);
  return x * x - 0.2 * 0.2;
}

// the n-th time after `from` at which f passes zero falling (sign 1) or rising (-1), by bisection
static double crossing(const Oscillator *o, Quantity f, int sign, double from, int n) {
  const double h = 1e-3;
  for (double t = from;; t += h) {
    ENSURE(t < 100);
    if (sign * f(o, t) > 0 && sign * f(o, t + h) <= 0 && --n == 0) {
      double a = t, b = t + h;
      for (int i = 0; i < 80; ++i) {
        double m = (a + b) / 2;
        *(sign * f(o, m) > 0 ? &a : &b) = m;
      }
      return a;
    }
  }
}

// the integral of a function of x by Simpson's rule, much finer than the steps
static double integral(const Oscillator *o, double end, double power, bool is_violation) {
  const int n = 20000;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    double x = position(o, end * i / n), above = fmax(0, x - 0.3), below = fmax(0, -0.2 - x);
    double g = is_violation ? above * above + below * below : pow(fabs(x), power);
    sum += g * (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2);
  }
  return sum * end / n / 3;
}

enum { QUANTITIES = 14 };
static const char *const names[QUANTITIES] = {"peak", "low",      "fast",   "mean",  "norm",  "over",    "then",
                                              "acc",  "crossing", "second", "speed", "after", "settled", "both"};

static void expect(const Oscillator *o, double T, double end, double *expected) {
  double high = crossing(o, velocity, 1, 0, 1), deep = crossing(o, velocity, -1, 0, 1);
  double first = crossing(o, position, 1, 0, 1), second = crossing(o, position, 1, 0, 2);
  double last = 0;
  for (int n = 1; n < 20; ++n) {  // the last time that it comes into the band
    double t = crossing(o, outside, 1, 0, n);
    last = t;
    if (position(o, crossing(o, velocity, 1, t, 1)) < 0.2 && position(o, crossing(o, velocity, -1, t, 1)) > -0.2) {
      break;
    }
  }
  ENSURE(last < end);
  double values[QUANTITIES] = {position(o, high),
                               position(o, deep),
                               velocity(o, crossing(o, acceleration, 1, high, 1)),
                               sqrt(integral(o, end, 2, false) / end),
                               pow(integral(o, end, 10, false) / end, 0.1),
                               integral(o, end, 0, true),
                               position(o, T) * velocity(o, T),
                               acceleration(o, 2 * T),
                               first,
                               second,
                               velocity(o, second),
                               velocity(o, second) + second,
                               last,
                               position(o, high) * position(o, high) + position(o, deep)};
  memcpy(expected, values, sizeof values);
  ENSURE(fabs(jerk(o, crossing(o, acceleration, 1, high, 1))) > 0.1);  // a true maximum
}

// Values and gradients come to the closed ones with the second order of the step.
static void check_closed_forms(void) {
  MbsModel *model = read_model(context, "tests/models/objectives_oscillator.yaml");
  const Oscillator o = {.k = 4, .c = 0.4, .x0 = 0.7, .v0 = 0.2};
  double expected[QUANTITIES], slopes[QUANTITIES], worst[2] = {0, 0}, worst_slope[2] = {0, 0};
  expect(&o, 1.303, 6, expected);
  double d = 1e-5;  // of central differences of closed forms: to 1e-9
  double up[QUANTITIES], down[QUANTITIES];
  expect(&(Oscillator){.k = 4 + d, .c = 0.4, .x0 = 0.7, .v0 = 0.2}, 1.303, 6, up);
  expect(&(Oscillator){.k = 4 - d, .c = 0.4, .x0 = 0.7, .v0 = 0.2}, 1.303, 6, down);
  for (int refined = 0; refined < 2; ++refined) {
    MbsRequest request = request_of(model, "ali3p", "natural");
    request.settings.step = refined ? 0.005 : 0.01;
    MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
    for (int i = 0; i < QUANTITIES; ++i) {
      double off = fabs(value(result, names[i]) - expected[i]);
      slopes[i] = (up[i] - down[i]) / (2 * d);
      double slope_off = fabs(slope(result, names[i], "k") - slopes[i]);
      worst[refined] = fmax(worst[refined], off);
      worst_slope[refined] = fmax(worst_slope[refined], slope_off);
      ENSURE_NEAR(value(result, names[i]), expected[i], refined ? 1e-4 : 4e-4);
      ENSURE_NEAR(slope(result, names[i], "k"), slopes[i], refined ? 5e-4 : 2e-3);
    }
    ENSURE(result->event_count == 2 && result->tie_count == 0);  // those of the model alone
    mbs_result_destroy(result);
  }
  (void)printf("oscillator: off by %.1e, %.1e with half the step; gradients by %.1e, %.1e\n", worst[0], worst[1],
               worst_slope[0], worst_slope[1]);
  ENSURE(worst[0] / worst[1] > 3.5 && worst[0] / worst[1] < 4.5);
  ENSURE(worst_slope[0] / worst_slope[1] > 3 && worst_slope[0] / worst_slope[1] < 6);  // where events split steps
  mbs_model_destroy(model);
}

// Between steps, of accelerations too. Errors of values fall by four; those of gradients are as small, but depend on
// where within a step the extremum is.
static void check_extrema(void) {
  enum { EXTREMA = 4 };
  const double d = 1e-5, steps[] = {0.04, 0.02};
  MbsModel *model = read_text(context, "extrema",
                              "mbsens: 1\nparameters: {k: 4}\ncoordinates: {x: {inertia: 1}}\n"
                              "forces: [{coordinate_force: x, value: -k*value - 0.4*rate(x)}]\n"
                              "initial: {independent: [{coordinate: x, value: 0.1, velocity: -1.5}]}\n"
                              "objectives: {high: {maximum: x}, low: {minimum: x}, fast: {maximum: rate(x)},\n"
                              "             hard: {maximum: acceleration(x)}}\n");
  double expected[3][EXTREMA], off[2][EXTREMA];
  for (int i = 0; i < 3; ++i) {
    const Oscillator o = {.k = 4 + (i - 1) * d, .c = 0.4, .x0 = 0.1, .v0 = -1.5};
    expected[i][0] = position(&o, crossing(&o, velocity, 1, 0, 1));
    expected[i][1] = position(&o, crossing(&o, velocity, -1, 0, 1));
    expected[i][2] = velocity(&o, crossing(&o, acceleration, 1, 0, 1));
    expected[i][3] = acceleration(&o, crossing(&o, jerk, 1, 0, 1));
  }
  for (int refined = 0; refined < 2; ++refined) {
    MbsRequest request = request_of(model, "index1", "natural");
    request.settings.end = 6;
    request.settings.step = steps[refined];
    MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
    for (int i = 0; i < EXTREMA; ++i) {
      double slope_off = result->gradient[i] - (expected[2][i] - expected[0][i]) / (2 * d);
      off[refined][i] = result->values[i] - expected[1][i];
      (void)printf("extremum %d: off by %.1e, gradient by %.1e\n", i + 1, off[refined][i], slope_off);
      ENSURE_NEAR(slope_off, 0, 0.2 * steps[refined] * steps[refined]);
    }
    mbs_result_destroy(result);
  }
  for (int i = 0; i < EXTREMA; ++i) {
    ENSURE(off[0][i] / off[1][i] > 3.8 && off[0][i] / off[1][i] < 4.2);
  }
  mbs_model_destroy(model);
}

// A ball of exact parabolas is highest within the step that begins where it hit the floor, at a time that moves.
static void check_apex(const char *formulation, const char *kind) {
  const double e = 0.3, h = 1;
  MbsModel *model = read_text(context, "apex",
                              "mbsens: 1\nparameters: {g: 10, e: 0.3, h: 1}\ngravity: [0, -g]\n"
                              "bodies: {ball: {mass: 1, points: {C: [0, 0]}, position: [0, h]}}\nvariables: {n: 0}\n"
                              "events: {floor: {when: r(C).y, direction: falling, restitution: e, set: {n: n + 1}}}\n"
                              "objectives: {apex: {maximum: n*r(C).y}, early: {maximum: n*(r(C).y - t)}}\n"
                              "simulation: {end: 0.8, step: 0.2}\n");
  MbsRequest request = request_of(model, formulation, kind);
  ENSURE(compare_methods(model, &request, "apex") == 3);
  MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
  ENSURE_NEAR(value(result, "apex"), e * e * h, 1e-14);
  ENSURE_NEAR(slope(result, "apex", "g"), 0, 1e-12);
  ENSURE_NEAR(slope(result, "apex", "e"), 2 * e * h, 1e-12);
  ENSURE_NEAR(slope(result, "apex", "h"), e * e, 1e-12);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// Where motions are prescribed extrema are exact, whatever the step.
static void check_prescribed(MbsMethod method) {
  MbsModel *model = read_text(context, "prescribed",
                              "mbsens: 1\nparameters: {A: 0.3, w: 2}\ncoordinates: {x: {inertia: 1}}\n"
                              "joints: [{driver: x, value: A*sin(w*t), name: motor}]\n"
                              "objectives: {hard: {maximum: acceleration(x)}, push: {minimum: lambda(motor)},\n"
                              "             fast: {minimum: rate(x)}}\nsimulation: {end: 4, step: 0.1}\n");
  const double A = 0.3, w = 2;
  MbsRequest request = request_of(model, "index1", "natural");
  request.settings.is_kinematic = true;
  MbsResult *result = run_with(model, &request, method);
  ENSURE_NEAR(value(result, "hard"), A * w * w, 1e-13);
  ENSURE_NEAR(slope(result, "hard", "A"), w * w, 1e-12);
  ENSURE_NEAR(slope(result, "hard", "w"), 2 * A * w, 1e-7);
  ENSURE_NEAR(fabs(value(result, "push")), A * w * w, 1e-13);
  ENSURE_NEAR(fabs(slope(result, "push", "w")), 2 * A * w, 1e-7);
  ENSURE_NEAR(value(result, "fast"), -A * w, 1e-13);
  ENSURE_NEAR(slope(result, "fast", "w"), -A, 1e-7);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// A ball of exact parabolas: velocities jump, so that their extrema are on either side of an impact.
static void check_ball(const char *kind) {
  MbsModel *model = read_model(context, "tests/models/objectives_ball.yaml");
  MbsRequest request = request_of(model, "ali3p", kind);
  double g = 10, e = 0.8, h = 1, v = sqrt(2 * g * h);
  MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
  ENSURE_NEAR(value(result, "down"), -v, 1e-12);
  ENSURE_NEAR(slope(result, "down", "h"), -g / v, 1e-12);
  ENSURE_NEAR(value(result, "up"), e * v, 1e-12);
  ENSURE_NEAR(slope(result, "up", "e"), v, 1e-11);
  ENSURE_NEAR(value(result, "low"), e * h, 1e-12);  // at the floor
  ENSURE_NEAR(slope(result, "low", "h"), e, 1e-11);
  ENSURE_NEAR(value(result, "high"), h, 1e-12);  // where it starts
  ENSURE_NEAR(slope(result, "high", "h"), 1, 1e-12);
  ENSURE_NEAR(value(result, "second"), e * e * v, 1e-11);
  ENSURE_NEAR(slope(result, "second", "g"), e * e * h / v, 1e-11);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// a model without its extrema of accelerations and reactions
static MbsModel *read_motions(const char *path) {
  static char text[8192];
  char line[256];
  FILE *file = fopen(path, "r");
  ENSURE(file);
  text[0] = '\0';
  while (fgets(line, sizeof line, file)) {
    bool is_rate = strstr(line, "imum: acceleration(") || strstr(line, "imum: norm(a") ||
                   strstr(line, "imum: force(") || strstr(line, "imum: norm(force(");
    ENSURE(strlen(text) + strlen(line) < sizeof text);
    strcat(text, is_rate ? "" : line);
  }
  (void)fclose(file);
  return read_text(context, path, text);
}

// direct = adjoint = complex step
static void compare(const char *path, const char *formulation, const char *kind, double most) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation, kind);
  bool has_accelerations = strstr(path, "ball") == NULL;
  if (strcmp(formulation, "index3") == 0 && has_accelerations) {  // whose extrema it does not offer
    MbsResult *none;
    ENSURE(mbs_run(context, model, &request, &none) == MBS_ERROR_NOT_OFFERED);
    ENSURE_CONTAINS(mbs_context_message(context),
                    "extrema of accelerations, multipliers or reactions are not offered in formulation index3");
    mbs_model_destroy(model);
    model = read_motions(path);
  }
  MbsResult *direct = run_with(model, &request, MBS_METHOD_DIRECT);
  MbsResult *adjoint = run_with(model, &request, MBS_METHOD_ADJOINT);
  MbsResult *complex = run_with(model, &request, MBS_METHOD_COMPLEX_STEP);
  int rows = direct->objective_count, count = direct->parameter_count, moving = 0;
  for (int i = 0; i < rows * count; ++i) {
    moving += fabs(complex->gradient[i]) > 1e-6;
  }
  double there = distance(rows, count, direct->gradient, complex->gradient);
  double back = distance(rows, count, adjoint->gradient, complex->gradient);
  (void)printf("%s, %s, %s: %d derivatives that are not zero; direct to %.1e, adjoint to %.1e\n", path, formulation,
               kind, moving, there, back);
  ENSURE(moving > rows / 2);
  ENSURE(there < most && back < most);
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_result_destroy(complex);
  mbs_model_destroy(model);
}

// Reactions of joints that carry the tree are forces of bodies, not multipliers, and of a step's size with index3 too.
static void check_reactions_of_tree(void) {
  MbsModel *model = read_text(context, "pendulum",
                              "mbsens: 1\ngravity: [0, -9.81]\nparameters: {L: 1}\nground: {points: {O: [0, 0]}}\n"
                              "bodies: {bar: {mass: 1, com: [L/2, 0], inertia: 0.1, points: {O: [0, 0], B: [L, 0]}}}\n"
                              "joints: [{name: pin, revolute: [ground.O, bar.O]}]\n"
                              "objectives: {load: {maximum: norm(force(pin))}}\nsimulation: {end: 0.5, step: 0.01}\n");
  MbsRequest request = request_of(model, "index3", "relative");
  MbsResult *none;
  ENSURE(mbs_run(context, model, &request, &none) == MBS_ERROR_NOT_OFFERED);
  ENSURE_CONTAINS(mbs_context_message(context), "extrema of accelerations, multipliers or reactions");
  mbs_result_destroy(none);
  mbs_model_destroy(model);
}

static MbsResult *run_text(const char *text, MbsMethod method) {
  MbsModel *model = read_text(context, "looked at", text);
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  MbsResult *result = run_with(model, &request, method);
  mbs_model_destroy(model);
  return result;
}

#define OSCILLATOR                                                            \
  "mbsens: 1\nparameters: {k: 4}\ncoordinates: {x: {inertia: 1, guess: 1}}\n" \
  "forces: [{coordinate_force: x, value: -k*value}]\nsimulation: {end: 4, step: 0.01}\n"

// Reached twice: all maxima of an undamped oscillator are one. The start counts, and so does the end.
static void check_ties(void) {
  MbsResult *result = run_text(OSCILLATOR "objectives: {far: {maximum: x}, near: {minimum: x}}\n", MBS_METHOD_DIRECT);
  ENSURE(result->tie_count == 1);
  ENSURE_TEXT(result->ties[0].objective, "far");
  ENSURE_NEAR(result->ties[0].time[0], 0, 0);
  ENSURE_NEAR(result->ties[0].time[1], acos(-1), 1e-3);
  ENSURE(result->warning_count == 1);
  ENSURE_CONTAINS(result->warnings[0], "objective \"far\" is the same, to rounding, at t = 0 and at t = 3.14");
  ENSURE_NEAR(value(result, "near"), -1, 1e-12);
  mbs_result_destroy(result);
  // a function of time alone, whose largest value is at the end
  result = run_text(OSCILLATOR "objectives: {late: {maximum: k*t}, early: {minimum: k + t^2}}\n", MBS_METHOD_ADJOINT);
  ENSURE_NEAR(value(result, "late"), 16, 1e-12);
  ENSURE_NEAR(slope(result, "late", "k"), 4, 1e-12);
  ENSURE_NEAR(slope(result, "early", "k"), 1, 1e-12);
  ENSURE(result->tie_count == 0);
  mbs_result_destroy(result);
}

// What is not reached, and what never comes to rest.
static void check_ends(void) {
  static const char *const cases[][2] = {
      {"a: {at: x, time: 5}", "objective \"a\": its time is not reached, for the run ends at t = 4"},
      {"a: {event_time: down, number: 4}",
       "objective \"a\": event \"down\" number 4 has not happened when the run ends"},
      {"a: {at: x, event: down, number: 3, side: after}",
       "event \"down\" number 3 and what is after it has not happened"}};
  for (int i = 0; i < MBS_COUNT(cases); ++i) {
    char text[600];
    MbsRequest request;
    MbsResult *result;
    (void)snprintf(text, sizeof text, OSCILLATOR "events: {down: {when: x, direction: falling}}\nobjectives: {%s}\n",
                   cases[i][0]);
    MbsModel *model = read_text(context, "looked at", text);
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
    ENSURE_CONTAINS(mbs_context_message(context), cases[i][1]);
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
  MbsResult *result =
      run_text(OSCILLATOR "objectives: {s: {settling: x, band: 0.5}, q: {settling: x, band: 2}}\n", MBS_METHOD_DIRECT);
  ENSURE_NEAR(value(result, "q"), 0, 0);  // never outside
  ENSURE_NEAR(value(result, "s"), acos(-1) + acos(0.5) / 2, 1e-3);
  ENSURE_NEAR(slope(result, "s", "k"), -value(result, "s") / 8, 1e-3);  // t ~ 1/sqrt(k)
  mbs_result_destroy(result);
  // an event that stops the run: the time of the last mean moves with it
  result = run_text(OSCILLATOR
                    "events: {down: {when: x, direction: falling, stop: yes}}\n"
                    "objectives: {r: {rms: x}, T: {event_time: down}, v: {at: rate(x), event: down}}\n",
                    MBS_METHOD_ADJOINT);
  ENSURE_NEAR(value(result, "T"), acos(-1) / 4, 1e-4);
  ENSURE_NEAR(slope(result, "T", "k"), -acos(-1) / 32, 1e-4);
  ENSURE_NEAR(value(result, "r"), sqrt(0.5), 1e-4);
  ENSURE_NEAR(slope(result, "r", "k"), 0, 1e-4);
  ENSURE_NEAR(value(result, "v"), -2, 1e-3);
  ENSURE(result->has_ended && result->event_count == 1);
  mbs_result_destroy(result);
}

int main(void) {
  context = mbs_context_create();
  check_closed_forms();
  check_extrema();
  check_ties();
  check_reactions_of_tree();
  check_ends();
  check_prescribed(MBS_METHOD_DIRECT);
  check_prescribed(MBS_METHOD_ADJOINT);
  check_prescribed(MBS_METHOD_COMPLEX_STEP);
  for (int c = 0; c < MBS_COUNT(coordinates); ++c) {
    check_ball(coordinates[c]);
    for (int i = 0; i < MBS_COUNT(formulations); ++i) {
      check_apex(formulations[i], coordinates[c]);
      compare("tests/models/objectives_five_bar.yaml", formulations[i], coordinates[c], 1e-8);
      compare("tests/models/objectives_ball.yaml", formulations[i], coordinates[c], 1e-9);
      compare("tests/models/objectives_oscillator.yaml", formulations[i], coordinates[c], 1e-9);
    }
  }
  mbs_context_destroy(context);
  return 0;
}
