// What is not defined along the way is named: a force, in every formulation; an objective, but only one that was asked
// for. So is what is not defined up to rounding, where every number is finite, and a gradient with respect to a
// parameter whose other values contradict a redundant constraint. And what is well defined is not called singular: two
// suspensions whose pivots are poor and whose condition is not.
#include "support.h"

static MbsContext *context;
static const char *const formulations[] = {"index1", "ali1", "penalty", "index3", "ali3p", "matrix-r"};
static const char *const both[] = {"natural", "relative"};
enum { FORMULATIONS = 6 };

static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *coordinates) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", formulation);
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  return request;
}

static const char pendulum[] =
    "mbsens: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 1, F: 1}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies: {b: {mass: 1, com: [L/2, 0], inertia: 0.1, points: {O: [0, 0], P: [L, 0]}}}\n"
    "joints: [{revolute: [ground.O, b.O]}]\n"
    "forces: [{point_force: b.P, value: [%s, 0], name: wind}]\n"
    "initial: {independent: [{coordinate: angle(b), value: 0}]}\n"
    "objectives:\n"
    "  good: {integral: r(P).x}\n"
    "  last: {final: r(P).y}\n"
    "  both: {value: good + last}\n"
    "  on_the_way: {integral: sqrt(0.25 - t)}\n"
    "  at_the_end: {final: log(-t)}\n"
    "  of_it: {value: 2*on_the_way}\n"
    "simulation: {end: 0.5, step: 0.01}\n";

static MbsModel *pendulum_under(const char *force) {
  char text[2000];
  (void)snprintf(text, sizeof text, pendulum, force);
  return read_text(context, "pendulum", text);
}

// ---- forces ----
static void test_forces(void) {
  const char *const forces[] = {"F*sqrt(0.105 - t)", "F/(r(b.P).x - r(b.P).x)", "F*log(0.2 + r(b.P).y)"};
  for (int i = 0; i < 3; ++i) {
    MbsModel *model = pendulum_under(forces[i]);
    const char *const asked[] = {"good"};
    for (int f = 0; f < FORMULATIONS; ++f) {
      for (int c = 0; c < 2; ++c) {
        MbsRequest request = request_of(model, formulations[f], both[c]);
        MbsResult *result;
        request.method = MBS_METHOD_NONE;
        request.objectives = asked;
        request.objective_count = 1;
        ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
        ENSURE_CONTAINS(mbs_context_message(context),
                        "force \"wind\" or its derivative is not a finite number at t = ");
        mbs_result_destroy(result);
      }
    }
    mbs_model_destroy(model);
  }
}

// ---- objectives ----
static void test_objectives(void) {
  const MbsMethod methods[] = {MBS_METHOD_NONE, MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP,
                               MBS_METHOD_FINITE_DIFFERENCE};
  const char *const fine[] = {"both", "good", "last"};
  const char *const undefined[] = {"on_the_way", "at_the_end", "of_it"};
  MbsModel *model = pendulum_under("F");
  for (int i = 0; i < 5; ++i) {
    for (int c = 0; c < 2; ++c) {
      MbsRequest request = request_of(model, "ali3p", both[c]);
      MbsResult *result;
      request.method = methods[i];
      request.objectives = fine;
      request.objective_count = 3;
      ENSURE_OK(context, mbs_run(context, model, &request, &result));
      // their expression needs the other two
      ENSURE_NEAR(result->values[0], result->values[1] + result->values[2], 1e-15);
      ENSURE(result->values[1] > 0.1 && result->values[2] < -0.1);
      for (int k = 0; k < result->parameter_count && result->gradient; ++k) {
        const double *by = result->gradient + k;
        ENSURE(fabs(by[0]) > 1e-3);
        ENSURE_NEAR(by[0], by[result->parameter_count] + by[2 * result->parameter_count], 1e-7);
      }
      mbs_result_destroy(result);
      for (int u = 0; u < 3; ++u) {
        request.objectives = &undefined[u];
        request.objective_count = 1;
        ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
        ENSURE_CONTAINS(mbs_context_message(context), "is not a finite number");
        ENSURE_CONTAINS(mbs_context_message(context), u == 1 ? "at_the_end" : "on_the_way");
        mbs_result_destroy(result);
      }
    }
  }
  mbs_model_destroy(model);
}

// ---- up to rounding ----
// A bar that turns about O, on which a block slides; E is off the bar's end P by e, the block off O by s. And a mass
// that falls.
static const char slider[] =
    "mbsens: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 0.7, a: 0.6, k: 20, s: %s, e: %s}\n"
    "ground: {points: {O: [0, 0], E: [L*cos(a) + e, L*sin(a)]}}\n"
    "bodies:\n"
    "  b: {mass: 1, com: [L/2, 0], inertia: 0.1, points: {O: [0, 0], P: [L, 0]}, angle: a}\n"
    "  c: {mass: 1, inertia: 0.1, points: {C: [0, 0]}, position: [0.2, 0.2], angle: a}\n"
    "  f: {mass: 1, points: {F: [0, 0]}, position: [1, 1]}\n"
    "joints:\n"
    "  - {revolute: [ground.O, b.O]}\n"
    "  - {prismatic: [b.O, c.C], axis: [1, 0], name: guide}\n"
    "%s\n"
    "initial: {independent: [{coordinate: angle(b), value: a}, {coordinate: %s, value: s}]}\n"
    "objectives: {psi: {%s}}\n"
    "simulation: {end: 0.01, step: 0.001}\n";

typedef struct Case {
  const char *s, *e, *force, *coordinate, *objective;
  const char *error, *warning;  // NULL: none; of the gradient
  const char *simulating;       // the warning of the run alone
} Case;

static void ensure_warning(const MbsResult *result, const char *warning) {
  if (!warning) {
    ENSURE(result->warning_count == 0);
    return;
  }
  bool is_found = false;
  for (int i = 0; i < result->warning_count; ++i) {
    is_found = is_found || strstr(result->warnings[i], warning) != NULL;
  }
  ENSURE(is_found);
}

static void test_rounding(void) {
  static const char spring[] = "forces: [{spring: [b.P, ground.E], stiffness: k, length: 0.2, name: S}]";
  static const char none[] = "";
  static const char plain[] = "final: \"r(C).y\"", lost[] = "objective \"psi\" has no gradient";
  static const char uncertain[] = "objective \"psi\" has no certain value";
  static const char distance[] = "\"distance(b.O, C)\"", slide[] = "slide(guide)";
  static const char no_force[] = "force \"S\" is not defined at the start";
  const Case cases[] = {
      // a spring whose points meet has no direction, unless it has no length either
      {"0.2", "1e-15", spring, slide, plain, no_force, NULL, NULL},
      {"0.2", "1e-6", spring, slide, plain, NULL, NULL, NULL},
      {"0.2", "1e-15", "forces: [{spring: [b.P, ground.E], stiffness: k, length: 0, name: S}]", slide, plain, NULL,
       NULL, NULL},
      {"0.2", "1e-15", "forces: [{spring: [b.P, ground.E], law: k + length, name: S}]", slide, plain, no_force, NULL,
       NULL},
      // a distance does not say which way to go from zero
      {"1e-15", "0.1", none, distance, plain,
       "independent coordinate \"distance(b.O, C)\" has no derivative at the start", NULL, NULL},
      {"1e-15", "0.1", none, slide, plain, NULL, NULL, NULL},
      {"1e-3", "0.1", none, distance, plain, NULL, NULL, NULL},
      // a value, but no gradient; not even a value
      {"0.2", "0", none, slide, "final: \"norm([v(F).x + 1e-16, r(F).x - 1])\"", NULL, lost, NULL},
      {"0.2", "0", none, slide, "final: abs(v(F).x + 1e-16)", NULL, lost, NULL},
      {"0.2", "0", none, slide, "integral: abs(v(F).x + 1e-16)", NULL, lost, NULL},
      {"0.2", "0", none, slide, "final: (v(F).x^2 + 1e-34)^0.05", NULL, uncertain, uncertain},
      // a kink at the start alone, and one that is far
      {"0.2", "0", none, slide, "integral: \"abs(r(C).y - 0.2*sin(0.6) - 1e-15)\"", NULL, NULL, NULL},
      {"0.2", "0", none, slide, "final: \"abs(r(C).y)*norm(r(P))\"", NULL, NULL, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const Case *c = &cases[i];
    char text[2000];
    (void)snprintf(text, sizeof text, slider, c->s, c->e, c->force, c->coordinate, c->objective);
    MbsModel *model = read_text(context, "slider", text);
    for (int k = 0; k < 4; ++k) {
      MbsRequest request = request_of(model, "ali3p", both[k % 2]);
      MbsResult *result;
      request.method = k < 2 ? MBS_METHOD_NONE : MBS_METHOD_DIRECT;
      MbsStatus status = mbs_run(context, model, &request, &result);
      if (c->error) {
        ENSURE(status == MBS_ERROR_INPUT);
        ENSURE_CONTAINS(mbs_context_message(context), c->error);
        continue;
      }
      ENSURE_OK(context, status);
      ensure_warning(result, k < 2 ? c->simulating : c->warning);
      mbs_result_destroy(result);
    }
    mbs_model_destroy(model);
  }
}

// Three parallel cranks carry a coupler. If one is longer than the others they do not move at all.
static void test_opposition(void) {
  static const char parallelogram[] =
      "mbsens: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {L: 1, M: 1, m: 2, a: 1.1}\n"
      "ground: {points: {A: [0, 0], B: [1, 0], C: [2, 0]}}\n"
      "bodies:\n"
      "  u: {mass: m, com: [0.5, 0], inertia: 0.1, points: {A: [0, 0], D: [L, 0]}, angle: a}\n"
      "  v: {mass: m, com: [0.5, 0], inertia: 0.1, points: {B: [0, 0], E: [M, 0]}, position: [1, 0], angle: a}\n"
      "  w: {mass: m, com: [0.5, 0], inertia: 0.1, points: {C: [0, 0], F: [L, 0]}, position: [2, 0], angle: a}\n"
      "  c: {mass: 1, com: [1, 0.1], inertia: 0.1, points: {D: [0, 0], E: [1, 0], F: [2, 0]}, position: [0.45, 0.89]}\n"
      "joints:\n"
      "  - {revolute: [ground.A, u.A]}\n"
      "  - {revolute: [ground.B, v.B]}\n"
      "  - {revolute: [ground.C, w.C]}\n"
      "  - {revolute: [u.D, c.D]}\n"
      "  - {revolute: [v.E, c.E]}\n"
      "  - {revolute: [w.F, c.F]}\n"
      "initial: {independent: [{coordinate: angle(u), value: a}]}\n"
      "objectives: {y: {final: r(c.D).y}}\n"
      "simulation: {end: 0.01, step: 0.001, formulation: ali3p}\n";
  const char *const fine[] = {"m", "a"}, *const contradicting[] = {"m", "M"};
  const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  MbsModel *model = read_text(context, "parallelogram", parallelogram);
  for (int i = 0; i < 6; ++i) {
    MbsRequest request = request_of(model, "ali3p", both[i % 2]);
    MbsResult *result;
    request.method = methods[i / 2];
    request.parameters = fine;
    request.parameter_count = 2;
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    ENSURE(result->statistics.redundant == 1);
    ensure_warning(result, NULL);
    mbs_result_destroy(result);
    request.parameters = contradicting;
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    ensure_warning(result, "is redundant at this value of \"M\" only");
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// ---- dead centres ----
// A slider-crank whose slider is at x = 2 L cos(a): by x the crank's angle is a = acos(x / (2 L)), and
//     da/dL = x / (2 L^2 sin(a)),
// to e / a^2 of itself. Of the slider's gradient about a is left beside those of the constraints.
static void test_dead_centre(void) {
  static const char text[] =
      "mbsens: 1\n"
      "parameters: {L: 0.5, x: 1}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  crank: {mass: 1, com: [L/2, 0], inertia: 0.1, points: {O: [0, 0], A: [L, 0]}, angle: 0.01}\n"
      "  rod: {mass: 1, com: [L/2, 0], inertia: 0.1, points: {A: [0, 0], B: [L, 0]}, position: [0.5, 0], angle: "
      "-0.01}\n"
      "joints:\n"
      "  - {revolute: [ground.O, crank.O]}\n"
      "  - {revolute: [crank.A, rod.A]}\n"
      "  - {point_on_line: [ground.O, rod.B], axis: [1, 0]}\n"
      "initial: {independent: [{coordinate: r(B).x, value: x}]}\n"
      "objectives: {a: {final: angle(crank)}}\n"
      "simulation: {end: 1.0e-9, step: 1.0e-9}\n";
  const double angles[] = {0.3, 1e-2, 1e-3, 3e-5};
  for (int i = 0; i < 4; ++i) {
    double a = angles[i], x = 1 - 2 * sin(a / 2) * sin(a / 2);
    MbsModel *model = read_text(context, "dead centre", text);
    char value[64];
    (void)snprintf(value, sizeof value, "%.17g", x);
    ENSURE_OK(context, mbs_model_set(context, model, "x", value));
    for (int c = 0; c < 2; ++c) {
      const char *const by[] = {"L"};
      MbsRequest request = request_of(model, "ali3p", both[c]);
      MbsResult *result;
      request.parameters = by;
      request.parameter_count = 1;
      ENSURE_OK(context, mbs_run(context, model, &request, &result));
      ensure_warning(result, i < 3 ? NULL : "near a dead centre: constraints hold independent coordinate \"r(B).x\"");
      ENSURE(result->statistics.start_rest < 3 * a && result->statistics.start_rest > a);
      // the value of x is rounded too
      ENSURE_NEAR(result->gradient[0] / (x / (0.5 * sin(a))), 1, 1e-9 + 1e-15 / (a * a));
      mbs_result_destroy(result);
    }
    mbs_model_destroy(model);
  }
}

// ---- positions that are not singular ----
// the complex twin, which chooses its pivots in each step, starts where the real run does
static void test_vehicle(void) {
  MbsModel *model = read_model(context, "tests/models/case_vehicle_at_rest.yaml");
  const char *const objectives[] = {"z", "rod_fl"}, *const parameters[] = {"kf", "Rf"};
  MbsResult *results[2];
  for (int i = 0; i < 2; ++i) {
    MbsRequest request = request_of(model, "ali3p", "natural");
    request.settings.end = 0.05;
    request.method = i == 0 ? MBS_METHOD_DIRECT : MBS_METHOD_COMPLEX_STEP;
    request.objectives = objectives;
    request.parameters = parameters;
    request.objective_count = request.parameter_count = 2;
    ENSURE_OK(context, mbs_run(context, model, &request, &results[i]));
  }
  for (int k = 0; k < 4; ++k) {
    ENSURE(fabs(results[0]->gradient[k]) > 0);
    ENSURE_NEAR(results[1]->gradient[k] / results[0]->gradient[k], 1, 1e-10);
  }
  mbs_result_destroy(results[0]);
  mbs_result_destroy(results[1]);
  mbs_model_destroy(model);
}

// through positions whose condition is 830 and whose pivots are 2e-7 of each other: as in relative coordinates
static void test_travel(void) {
  MbsModel *model = read_model(context, "tests/models/case_bump_travel.yaml");
  MbsResult *results[2];
  for (int c = 0; c < 2; ++c) {
    MbsRequest request = request_of(model, "index1", both[c]);
    request.settings.is_kinematic = true;
    request.method = MBS_METHOD_NONE;
    ENSURE_OK(context, mbs_run(context, model, &request, &results[c]));
  }
  for (int i = 0; i < results[0]->objective_count; ++i) {
    ENSURE(fabs(results[0]->values[i]) > 0);
    ENSURE_NEAR(results[1]->values[i] / results[0]->values[i], 1, 1e-9);
  }
  mbs_result_destroy(results[0]);
  mbs_result_destroy(results[1]);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  test_forces();
  test_objectives();
  test_rounding();
  test_opposition();
  test_dead_centre();
  test_vehicle();
  test_travel();
  mbs_context_destroy(context);
  return 0;
}
