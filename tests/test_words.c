// Functions, constants, units and hardpoints of a model: their values against numbers worked out here, their
// derivatives against the same formula written out in the model, and what templates make of them. The mistakes are in
// tests/bad/function_*.yaml, derivative_*.yaml and hardpoint_*.yaml.
#include "model/model.h"
#include "support.h"

static MbsContext *context;

// the objectives of a model given as text, and (not NULL) their gradient by all parameters
static MbsResult *run(MbsModel *model, MbsMethod method, const char *coordinates) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(result->is_complete);
  return result;
}

static void ensure_values(const char *text, int count, const double *expected) {
  MbsModel *model = read_text(context, "words.yaml", text);
  MbsResult *result = run(model, MBS_METHOD_NONE, "natural");
  ENSURE(result->objective_count == count);
  for (int i = 0; i < count; ++i) {
    // a few operations on numbers of size 1
    if (!(fabs(result->values[i] - expected[i]) <= 1e-14 * (1 + fabs(expected[i])))) {
      (void)fprintf(stderr, "%s: %.17g, expected %.17g\n", result->objectives[i], result->values[i], expected[i]);
      exit(1);
    }
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- functions of parameters, in the places where an expression of parameters stands ----

#define MOVING "coordinates: {q: {inertia: 1}}\nsimulation: {end: 10*ms, step: 0.01}\n"

static void test_values(void) {
  const double x = 0.7, y = -1.3;
  const double pi = 3.14159265358979323846;
  const double expected[] = {
      x * x * x - 2 * y,                                 // f
      (x - 1) * (x - 1) - 2 * x,                         // f of an expression, and of another function's value
      3 * x * x,                                         // d(f, 1, ...)
      -2,                                                // d(f, 2, ...)
      6 * x,                                             // second derivatives
      6 * x,                                             //
      cos(x) - 4 * x * sin(x * x),                       // composition: d/dx (sin x + 2 cos x^2)
      exp(x) * (1 + x),                                  // d of a function that has d in it
      -y / (x * x + y * y),                              // of a built-in one, by its second argument
      5 * 2 - 3,                                         // vectors as arguments and values
      2 * x,                                             // d of a vector
      0,                                                 // no arguments
      3.5,                                               // an argument hides the parameter of its name
      35 * pi / 180 + 0.12 + 100 / 3.6 + 30 * pi + 2e3,  // units
      7,                                                 // a parameter hides the unit of its name
      0.3 + 2 * 1.2,                                     // hardpoints
      -0.4 + 10,                                         //
      6 * x * x * y * y,                                 // mixed
  };
  ensure_values("mbsens: 1\n" MOVING
                "constants: {two: 2, four: two*2}\n"
                "parameters: {x: 0.7, y: -1.3, cm: 7, L: 1.2, p: \"f(x, y)\"}\n"
                "hardpoints: {P: [0.3, -0.4], Q: \"P + [two*L, 10]\"}\n"
                "functions:\n"
                "  f(a, b): a^3 - two*b\n"
                "  square(a): a^2\n"
                "  both(a, b): a^3*b^2*y\n"
                "  g(a): sin(a) + two*cos(square(a))\n"
                "  h(a): d(k, a)\n"
                "  k(a): a*exp(a)\n"
                "  apart(u, v): dot(u, v) - cross(u, v)\n"
                "  curve(s): \"[s^2, s]\"\n"
                "  nought(): 0\n"
                "  over(x): x + 1\n"
                "objectives:\n"
                "  a: {value: p}\n"
                "  b: {value: \"square(x - 1) - f(0, x)*0 - two*x\"}\n"
                "  c: {value: \"d(f, 1, x, y)\"}\n"
                "  d: {value: \"d(f, 2, x, y)\"}\n"
                "  e: {value: \"d(d(f, 1), 1, x, y)\"}\n"
                "  f1: {value: \"d(d(square), x)*3*x\"}\n"
                "  g1: {value: \"d(g, x)\"}\n"
                "  h1: {value: \"h(x)\"}\n"
                "  i: {value: \"d(atan2, 2, y, x)\"}\n"
                "  j: {value: \"apart([1, 2], [1, 4]) - 0*curve(x).x\"}\n"
                "  k1: {value: \"d(curve, x).x\"}\n"
                "  l: {value: nought()}\n"
                "  m: {value: over(2.5)}\n"
                "  n: {value: \"35*deg + 120*mm + 100*kph + 900*rpm + 2*kN\"}\n"
                "  o: {value: cm}\n"
                "  q1: {value: Q.x}\n"
                "  r1: {value: \"(Q).y\"}\n"
                "  s1: {value: \"d(d(both, 1), 2, x, y)\"}\n",
                18, expected);
}

// ---- functions of what moves ----

// A pendulum whose spring and objectives are written with functions, and once more without: the same numbers, bit for
// bit where they are the same nodes, and the same gradients by every method.
static const char with_functions[] =
    "mbsens: 1\n"
    "parameters: {L: 0.8, k: 30, w: 0.4, P: 1}\n"
    "functions:\n"
    "  pull(x, v): k*x + 2*k*x^3 + v/2\n"
    "  road(x): w*sin(x/L)\n"
    "  energy(u): dot(u, u)/2\n"
    "  height(): r(B).y + road(r(B).x)\n"
    "  stop(x, gap): piecewise(x, 0, gap, k*(x - gap))\n"
    "gravity: [0, -9.81]\n"
    "ground: {points: {O: [0, 0], E: [0.9, 0.3]}}\n"
    "bodies: {bar: {mass: 1, com: [L/2, 0], inertia: L^2/12, points: {A: [0, 0], B: [L, 0]}}}\n"
    "joints: [{revolute: [ground.O, bar.A]}]\n"
    "forces: [{spring: [bar.B, ground.E], law: \"pull(length - 0.5, rate) + stop(length - 0.5, 0.1)\"}]\n"
    "initial: {independent: [{coordinate: angle(bar), value: 0.2, velocity: \"d(road, 0.1)\"}]}\n"
    "objectives:\n"
    "  a: {final: height()}\n"
    "  b: {integral: \"energy(v(B)) + d(road, r(B).x)*t\"}\n"
    "simulation: {end: 0.3, step: 0.005}\n";
static const char without_functions[] =
    "mbsens: 1\n"
    "parameters: {L: 0.8, k: 30, w: 0.4, P: 1}\n"
    "gravity: [0, -9.81]\n"
    "ground: {points: {O: [0, 0], E: [0.9, 0.3]}}\n"
    "bodies: {bar: {mass: 1, com: [L/2, 0], inertia: L^2/12, points: {A: [0, 0], B: [L, 0]}}}\n"
    "joints: [{revolute: [ground.O, bar.A]}]\n"
    "forces: [{spring: [bar.B, ground.E], law: \"k*(length - 0.5) + 2*k*(length - 0.5)^3 + rate/2"
    " + piecewise(length - 0.5, 0, 0.1, k*((length - 0.5) - 0.1))\"}]\n"
    "initial: {independent: [{coordinate: angle(bar), value: 0.2, velocity: w*cos(0.1/L)/L}]}\n"
    "objectives:\n"
    "  a: {final: r(B).y + w*sin(r(B).x/L)}\n"
    "  b: {integral: \"dot(v(B), v(B))/2 + w*cos(r(B).x/L)/L*t\"}\n"
    "simulation: {end: 0.3, step: 0.005}\n";

static void test_written_out(void) {
  static const char *const coordinates[] = {"natural", "relative"};
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  MbsModel *model = read_text(context, "functions.yaml", with_functions);
  MbsModel *other = read_text(context, "formulas.yaml", without_functions);
  for (int c = 0; c < 2; ++c) {
    MbsResult *expected = run(other, MBS_METHOD_COMPLEX_STEP, coordinates[c]);
    for (int m = 0; m < 3; ++m) {
      MbsResult *result = run(model, methods[m], coordinates[c]);
      for (int i = 0; i < 2; ++i) {
        ENSURE_NEAR(result->values[i], expected->values[i], 1e-12);  // sums in another order, over 60 steps
        for (int p = 0; p < 3; ++p) {
          double slope = expected->gradient[i * expected->parameter_count + p];
          ENSURE(fabs(slope) > 1e-4);
          ENSURE_NEAR(result->gradient[i * result->parameter_count + p], slope, 1e-10 * (1 + fabs(slope)));
        }
      }
      mbs_result_destroy(result);
    }
    mbs_result_destroy(expected);
  }
  mbs_model_destroy(model);
  mbs_model_destroy(other);
}

// ---- hardpoints ----

// A group of parameters by the name of the hardpoint, of all of them; derived ones are no parameters to differentiate
// by.
static void test_groups(void) {
  static const char *const names[][2] = {{"hardpoints", "k"}, {"hardpoints.P", NULL}, {"P", "S"}, {"S.y", NULL}};
  static const char *const expected[] = {"P.x P.y S.x S.y k ", "P.x P.y ", "P.x P.y S.x S.y ", "S.y "};
  MbsModel *model = read_text(context, "groups.yaml",
                              "mbsens: 1\n" MOVING
                              "parameters: {k: 3}\n"
                              "hardpoints: {P: [1, 2], Q: \"2*P\", S: [k/3 + 0*k, 5]}\n"
                              "objectives: {o: {value: \"dot(Q, Q) + k*S.y\"}}\n");
  ENSURE_OK(context, mbs_model_set(context, model, "S.x", "4"));
  for (int g = 0; g < MBS_COUNT(expected); ++g) {
    MbsRequest request;
    MbsResult *result;
    char found[128] = "";
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    request.parameters = names[g];
    request.parameter_count = names[g][1] ? 2 : 1;
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    for (int i = 0; i < result->parameter_count; ++i) {
      size_t used = strlen(found);
      (void)snprintf(found + used, sizeof found - used, "%s ", result->parameters[i]);
    }
    ENSURE_TEXT(found, expected[g]);
    if (g == 1) {  // 4 P.P by P
      ENSURE_NEAR(result->gradient[0], 8, 1e-13);
      ENSURE_NEAR(result->gradient[1], 16, 1e-13);
    }
    mbs_result_destroy(result);
  }
  const char *derived = "Q";
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.parameters = &derived;
  request.parameter_count = 1;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE(strstr(mbs_context_message(context), "is an expression of others"));
  request.parameter_count = 0;  // none, which is not all
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE(strstr(mbs_context_message(context), "no parameters to differentiate"));
  mbs_model_destroy(model);
}

// The shipped axle: both sides are mirror images while the road is flat, one set of hardpoints moves both, and a
// template may have functions of its own, in its own frame.
static const char sides[] =
    "mbsens: 1\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {m: 2}\n"
    "hardpoints: {A: [0.1, 0.4, 0.3], B: [0.15, 0.9, 0.25], C: [-0.2, 0.45, 0.35]}\n"
    "templates:\n"
    "  side:\n"
    "    parameters: {shift: 0}\n"
    "    functions: {out(s): \"r(arm.B).y + s + m*0\", \"twice(s)\": 2*out(s)}\n"
    "    ground: {points: {A: A}}\n"
    "    bodies: {arm: {mass: m, com: (A + B)/2, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0],\n"
    "                   points: {A: A, B: \"B + [0, shift, 0]\"}}}\n"
    "    joints: [{revolute: [ground.A, arm.A], axis: A - C}]\n"
    "    objectives: {y: {final: twice(0.5)}, slope: {final: \"d(out, t)\"}}\n"
    "assemblies: [{template: side, name: left}, {template: side, name: right, mirror: y}]\n"
    "objectives: {z: {final: r(left.arm.B).z - r(right.arm.B).z}, y: {final: r(left.arm.B).y + r(right.arm.B).y}}\n"
    "simulation: {end: 0.2, step: 0.01}\n";

static void test_sides(void) {
  static const char *const coordinates[] = {"natural", "relative"};
  double first[64];
  MbsModel *model = read_text(context, "sides.yaml", sides);
  for (int c = 0; c < 2; ++c) {
    MbsResult *result = run(model, MBS_METHOD_DIRECT, coordinates[c]);
    int count = result->parameter_count;
    ENSURE(result->objective_count == 6 && count == 10);
    ENSURE_TEXT(result->objectives[0], "z");
    ENSURE_TEXT(result->objectives[2], "left_y");
    ENSURE_TEXT(result->objectives[4], "right_y");
    ENSURE_NEAR(result->values[0], 0, 1e-12);
    ENSURE_NEAR(result->values[1], 0, 1e-12);
    ENSURE_NEAR(result->values[4], result->values[2], 1e-12);  // in the frame of the side
    ENSURE_NEAR(result->values[3], 1, 1e-15);
    ENSURE_NEAR(result->values[5], 1, 1e-15);
    for (int p = 0; p < count; ++p) {
      double left = result->gradient[2 * count + p];
      ENSURE_NEAR(result->gradient[4 * count + p], left, 1e-11);
      if (c == 0) {
        first[p] = left;
      }
      ENSURE_NEAR(left, first[p], 1e-3);  // the two coordinates have other errors of the step, of size h^2
    }
    ENSURE(fabs(first[5]) > 0.1);  // B.y, the reach of the arm
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// Functions in each other, each with brackets of its own: an error, and not a stack that overflows.
static void test_nesting(void) {
  static char text[40000];
  size_t used = (size_t)snprintf(text, sizeof text, "mbsens: 1\n" MOVING "functions:\n  f0(x): x\n");
  for (int i = 1; i <= 40; ++i) {
    used += (size_t)snprintf(
        text + used, sizeof text - used, "  f%d(x): %.*sf%d(x)%.*s\n", i, 150,
        "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
        "((((((((((((((((((((((((((((((((((((((((((((((((((",
        i - 1, 150,
        "))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))"
        "))))))))))))))))))))))))))))))))))))))))))))))))))");
  }
  (void)snprintf(text + used, sizeof text - used, "objectives: {o: {value: f40(1)}}\n");
  MbsModel *model = read_text(context, "nested.yaml", text);
  MbsRequest request;
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE(strstr(mbs_context_message(context), "may be nested at most 200 deep"));
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_values();
  test_written_out();
  test_groups();
  test_sides();
  test_nesting();
  mbs_context_destroy(context);
  return 0;
}
