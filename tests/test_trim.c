// Trim: parameters and inputs that an equilibrium is solved for. What cannot be fooled: closed forms with their
// derivatives, the model run anew with the numbers that were found and nothing to solve for, direct method against
// adjoint, complex step and differences, natural against relative coordinates.
#include <complex.h>
#include <mbsens/build.h>
#include <mbsens/elements.h>
#include <mbsens/equilibrium.h>
#include <mbsens/simulator.h>

#include "support.h"

static MbsContext *context;

static const char *const coordinates[] = {"natural", "relative"};
static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP,
                                    MBS_METHOD_FINITE_DIFFERENCE};

static MbsRequest request_of(const MbsModel *model, MbsMethod method, const char *in) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", in);
  return request;
}

static MbsResult *find(const MbsModel *model, MbsMethod method, const char *in) {
  MbsRequest request = request_of(model, method, in);
  MbsResult *result;
  ENSURE_OK(context, mbs_equilibrium(context, model, &request, &result));
  return result;
}

static int objective_of(const MbsResult *result, const char *name) {
  for (int i = 0; i < result->objective_count; ++i) {
    if (strcmp(result->objectives[i], name) == 0) {
      return i;
    }
  }
  ENSURE(!name);
  return -1;
}

// all numbers of two results; `least`: differences of derivatives below it do not count
static void ensure_same(const MbsResult *a, const MbsResult *b, double tolerance, double least) {
  ENSURE(a->objective_count == b->objective_count && a->parameter_count == b->parameter_count);
  for (int i = 0; i < a->objective_count; ++i) {
    ENSURE_NEAR(a->values[i], b->values[i], tolerance * (1e-3 + fabs(b->values[i])));
    double largest = largest_of(b->parameter_count, b->gradient + i * b->parameter_count);
    for (int k = 0; k < a->parameter_count; ++k) {
      double expected = b->gradient[i * b->parameter_count + k];
      ENSURE_NEAR(a->gradient[i * b->parameter_count + k], expected,
                  tolerance * (fabs(expected) + 1e-3 * largest) + least);
    }
  }
}

// ---- a boom on a spring: which length has it at the angle that is wanted, and which load has the hinge carry so much?
static const char boom[] =
    "mbsens: 1\ngravity: [0, -g]\n"
    "parameters: {g: 9.81, m: 12, L: 2, k: 800, phi: 0.5, F: 30, h: 1.5, l0: 0.6}\n"
    "ground: {points: {O: [0, 0], W: [0, h]}}\n"
    "bodies: {boom: {mass: m, com: [L/2, 0], inertia: 4, points: {O: [0, 0], T: [L, 0], M: [0.8*L, 0]}}}\n"
    "joints: [{revolute: [ground.O, boom.O], name: hinge}]\n"
    "forces:\n  - {spring: [ground.W, boom.M], stiffness: k, length: l0}\n"
    "  - {point_force: boom.T, value: [0, -F]}\n"
    "initial: {independent: [{coordinate: angle(boom), value: 0.1}]}\n";

typedef double complex (*Form)(const double complex *p);  // of parameters in the order of the file
// with d from W to M the spring carries (m g / 2 + F) d / (0.8 h), and is so much longer than l0
static double complex span(const double complex *p) {
  return csqrt(p[6] * p[6] + 0.64 * p[2] * p[2] - 1.6 * p[6] * p[2] * csin(p[4]));
}
static double complex pull(const double complex *p) { return (p[1] * p[0] / 2 + p[5]) * span(p) / (0.8 * p[6]); }
static double complex length(const double complex *p) { return span(p) - pull(p) / p[3]; }
// the hinge carries fy = m g + F - (m g / 2 + F)(h - 0.8 L sin(phi)) / (0.8 h) upwards
static double complex load(const double complex *p) {
  double complex s = (p[6] - 0.8 * p[2] * csin(p[4])) / (0.8 * p[6]), weight = p[1] * p[0];
  return (100 - weight + weight * s / 2) / (1 - s);
}
static double complex length_for_load(const double complex *p) {
  double complex q[8];
  for (int i = 0; i < 8; ++i) {
    q[i] = p[i];
  }
  q[5] = load(p);
  return length(q);
}

static void ensure_form(const MbsResult *result, const char *name, Form form) {
  static const char *const names[] = {"g", "m", "L", "k", "phi", "F", "h", "l0"};
  double complex p[8] = {9.81, 12, 2, 800, 0.5, 30, 1.5, 0.6};
  int o = objective_of(result, name);
  ENSURE_NEAR(result->values[o], creal(form(p)), 1e-11 * (1 + fabs(creal(form(p)))));
  for (int k = 0; k < result->parameter_count; ++k) {
    for (int i = 0; i < 8; ++i) {
      if (strcmp(result->parameters[k], names[i]) == 0) {
        double before = creal(p[i]);
        p[i] += 1e-30 * (double complex)I;
        double expected = cimag(form(p)) / 1e-30;
        p[i] = before;
        double tolerance = result->request->method == MBS_METHOD_FINITE_DIFFERENCE ? 1e-6 : 1e-11;
        ENSURE_NEAR(result->gradient[o * result->parameter_count + k], expected, tolerance * (1 + fabs(expected)));
      }
    }
  }
}

static void test_boom(void) {
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "%sequilibrium: {solve: [l0], conditions: [{expression: angle(boom), value: phi}]}\n"
                 "objectives: {pull: {equilibrium: \"k*(distance(ground.W, boom.M) - l0)\"}}\n",
                 boom);
  MbsModel *model = read_text(context, "boom", text);
  for (int c = 0; c < 2; ++c) {
    for (int m = 0; m < 4; ++m) {
      MbsResult *result = find(model, methods[m], coordinates[c]);
      ENSURE(result->parameter_count == 7 && result->objective_count == 2 && result->equilibrium->solved_count == 1);
      ENSURE_TEXT(result->equilibrium->solved[0], "l0");
      ENSURE_NEAR(result->equilibrium->solved_values[0], result->values[1], 0);
      ensure_form(result, "l0", length);
      ensure_form(result, "pull", pull);
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// a reaction is wanted besides: two unknowns, and a multiplier in a condition
static void test_reaction(void) {
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "%sequilibrium:\n  solve: [l0, F]\n  conditions:\n"
                 "    - {expression: angle(boom), value: phi}\n    - {expression: force(hinge).y, value: 100}\n",
                 boom);
  MbsModel *model = read_text(context, "reaction", text);
  for (int c = 0; c < 2; ++c) {
    for (int m = 0; m < 4; ++m) {
      MbsResult *result = find(model, methods[m], coordinates[c]);
      ENSURE(result->parameter_count == 6);
      ENSURE(result->reaction_count == 0 || fabs(fabs(result->reactions[0].force[1]) - 100) < 1e-9);
      ensure_form(result, "F", load);
      ensure_form(result, "l0", length_for_load);
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// the unknown moves the ground, and what is held depends on it; a mass that nothing holds sideways is on the way
static void test_ground(void) {
  MbsModel *model = read_text(
      context, "ground",
      "mbsens: 1\ngravity: [0, -g]\nparameters: {g: 9.81, m: 3, k: 500, l: 0.4, y: 1, w: 0.2}\n"
      "ground: {points: {O: [2*w, w]}}\nbodies: {a: {mass: m, points: {A: [0, 0]}}}\n"
      "forces: [{spring: [ground.O, a.A], stiffness: k, length: l}]\n"
      "initial: {independent: [{coordinate: r(A).x, value: 2*w}, {coordinate: r(A).y, value: 0}]}\n"
      "equilibrium: {hold: [{coordinate: r(A).x}], solve: [w], conditions: [{expression: r(A).y, value: y}]}\n"
      "objectives: {x: {equilibrium: r(A).x}, bend: {equilibrium: r(A).x*r(O).y}}\n");
  for (int c = 0; c < 2; ++c) {
    for (int m = 0; m < 4; ++m) {
      MbsResult *result = find(model, methods[m], coordinates[c]);
      double w = 1 + 0.4 + 3 * 9.81 / 500, tolerance = methods[m] == MBS_METHOD_FINITE_DIFFERENCE ? 1e-6 : 1e-11;
      const double slopes[] = {3. / 500, 9.81 / 500, -3 * 9.81 / 250000, 1, 1};  // of w by g, m, k, l, y
      ENSURE(result->parameter_count == 5);
      ENSURE_NEAR(result->values[0], 2 * w, 1e-11);
      for (int k = 0; k < 5; ++k) {
        ENSURE_NEAR(result->gradient[k], 2 * slopes[k], tolerance);
        ENSURE_NEAR(result->gradient[5 + k], 4 * w * slopes[k], 10 * tolerance);
        ENSURE_NEAR(result->gradient[10 + k], slopes[k], tolerance);
      }
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// ---- a steady turn: inputs; and runs that start there ----
// text with `to` in the place of `from`, which is there
static void replace(char *text, size_t room, const char *from, const char *to) {
  char *at = strstr(text, from);
  ENSURE(at && strlen(text) + strlen(to) < room);
  memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
  memcpy(at, to, strlen(to));
}

// The numbers that were found, steering, drive and attitude, and nothing to solve for: the radius is found.
static void test_turn_anew(const double *found) {
  char text[6000], inputs[80], attitude[80];
  FILE *file = fopen("tests/models/steady_turn.yaml", "r");
  ENSURE(file);
  text[fread(text, 1, 4000, file)] = '\0';
  (void)fclose(file);
  (void)snprintf(inputs, sizeof inputs, "inputs: {steer: %.17g, drive: %.17g}", found[0], found[1]);
  (void)snprintf(attitude, sizeof attitude, "value: pi/2 + %.4g}", found[2]);
  replace(text, sizeof text, "inputs: {steer: 0.02, drive: 0}", inputs);
  replace(text, sizeof text, "value: pi/2}", attitude);
  replace(text, sizeof text, "  solve: [steer, drive]\n", "");
  char *conditions = strstr(text, "  conditions:"), *objectives = strstr(text, "objectives:");
  ENSURE(conditions && objectives);
  memmove(conditions, objectives, strlen(objectives) + 1);
  MbsModel *model = read_text(context, "anew", text);
  MbsResult *result = find(model, MBS_METHOD_NONE, "natural");
  ENSURE(result->equilibrium->solved_count == 0);
  for (int p = 0; p < result->point_count; ++p) {
    if (strcmp(result->points[p].name, "G") == 0) {
      ENSURE_NEAR(hypot(result->points[p].position[0], result->points[p].position[1]), 50, 1e-7);
    }
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void test_turn(void) {
  MbsModel *model = read_model(context, "tests/models/steady_turn.yaml");
  double found[3] = {0};
  for (int c = 0; c < 2; ++c) {
    MbsResult *direct = find(model, MBS_METHOD_DIRECT, coordinates[c]);
    ENSURE(direct->equilibrium->is_stable && direct->equilibrium->solved_count == 2);
    for (int m = 1; m < 4; ++m) {
      MbsResult *other = find(model, methods[m], coordinates[c]);
      ensure_same(other, direct, m == 3 ? 1e-3 : 1e-9, 0);
      mbs_result_destroy(other);
    }
    for (int i = 0; i < 2; ++i) {
      double value = direct->equilibrium->solved_values[i];
      ENSURE_NEAR(value, c > 0 ? found[i] : value, 1e-9 * fabs(value));
      found[i] = value;
    }
    found[2] = direct->values[objective_of(direct, "attitude")];
    // m v^2 / R towards the centre: from side forces; drive balances drag and what steering brakes
    ENSURE(found[0] > 0.05 && found[0] < 0.1 && found[1] > 0.8 * 15 * 15);
    mbs_result_destroy(direct);
  }
  mbs_model_destroy(model);
  test_turn_anew(found);
}

// Runs that start in trim go on with what was found, and their derivatives know how that moves.
static void test_runs(void) {
  static const char *const formulations[] = {"ali3p", "index1", "matrix-r"};
  MbsModel *turn = read_model(context, "tests/models/steady_turn.yaml");
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "%sequilibrium: {solve: [l0], conditions: [{expression: angle(boom), value: phi}]}\n"
                 "objectives: {swing: {integral: (angle(boom) - phi)^2}, last: {final: r(T).y}, work: {value: "
                 "swing*l0 + start}, start: {equilibrium: l0^2}}\n"
                 "simulation: {end: 0.3, step: 0.01}\n",
                 boom);
  char *initial = strstr(text, "initial: {independent: [{coordinate: angle(boom), value: 0.1}]}");
  char moving[2200];
  (void)snprintf(moving, sizeof moving,
                 "%.*sinitial: {equilibrium: yes, independent: [{coordinate: angle(boom), value: 0.1, "
                 "velocity: F/30}]}%s",
                 (int)(initial - text), text,
                 initial + strlen("initial: {independent: [{coordinate: angle(boom), value: 0.1}]}"));
  MbsModel *swing = read_text(context, "swing", moving);
  const MbsModel *const models[] = {turn, swing};
  for (int i = 0; i < 2; ++i) {
    for (int c = 0; c < 2; ++c) {
      for (int f = 0; f < 3; ++f) {
        MbsResult *results[3];
        for (int m = 0; m < 3; ++m) {
          MbsRequest request = request_of(models[i], methods[m], coordinates[c]);
          (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulations[f]);
          ENSURE_OK(context, mbs_run(context, models[i], &request, &results[m]));
        }
        ensure_same(results[0], results[2], 1e-8, 1e-9);
        ensure_same(results[1], results[2], 1e-8, 1e-9);
        ENSURE(fabs(results[0]->gradient[0]) > 1e-6);
        for (int m = 0; m < 3; ++m) {
          mbs_result_destroy(results[m]);
        }
      }
    }
  }
  mbs_model_destroy(turn);
  mbs_model_destroy(swing);
}

// ---- a suspension at its design height, by calls; a second run of a simulator; a sweep ----
static void test_suspension(void) {
  MbsModel *model = read_model(context, "models/steered_wishbone.yaml");
  MbsTrimConditionDef condition = mbs_default_trim_condition_def();
  condition.expression = "r(W).z";
  condition.value = "rt";
  ENSURE_OK(context, mbs_model_set_equilibrium(context, model, "solve", "l0"));
  ENSURE_OK(context, mbs_model_add_trim_condition(context, model, &condition));
  double heights[2];
  for (int c = 0; c < 2; ++c) {
    MbsResult *direct = find(model, MBS_METHOD_DIRECT, coordinates[c]);
    MbsResult *adjoint = find(model, MBS_METHOD_ADJOINT, coordinates[c]);
    MbsResult *complex_step = find(model, MBS_METHOD_COMPLEX_STEP, coordinates[c]);
    ensure_same(direct, complex_step, 1e-8, 0);
    ensure_same(adjoint, complex_step, 1e-8, 0);
    ENSURE(largest_of(direct->parameter_count, direct->gradient) > 0.1);
    heights[c] = direct->values[objective_of(direct, "l0")];
    mbs_result_destroy(direct);
    mbs_result_destroy(adjoint);
    mbs_result_destroy(complex_step);
  }
  ENSURE_NEAR(heights[1], heights[0], 1e-11);
  MbsModel *plain = read_model(context, "models/steered_wishbone.yaml");
  char number[40];
  (void)snprintf(number, sizeof number, "%.17g", heights[0]);
  ENSURE_OK(context, mbs_model_set(context, plain, "l0", number));
  MbsResult *result = find(plain, MBS_METHOD_NONE, "natural");
  for (int p = 0; p < result->point_count; ++p) {
    if (strcmp(result->points[p].name, "W") == 0) {
      ENSURE_NEAR(result->points[p].position[2], 0.3, 1e-11);
    }
  }
  mbs_result_destroy(result);
  mbs_model_destroy(plain);
  mbs_model_destroy(model);
}

static void test_again_and_along(void) {
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "%sequilibrium: {solve: [l0], conditions: [{expression: angle(boom), value: phi}]}\n", boom);
  MbsModel *model = read_text(context, "boom", text);
  MbsRequest request = request_of(model, MBS_METHOD_DIRECT, "natural");
  MbsSimulator *simulator;
  request.settings.is_equilibrium = true;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  double values[2];
  for (int i = 0; i < 2; ++i) {  // the same bits again, though something else was found in between
    ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "F", 30));
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    values[i] = mbs_simulator_values(simulator)[0];
    ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "F", 90));
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    double complex p[8] = {9.81, 12, 2, 800, 0.5, 90, 1.5, 0.6};
    ENSURE_NEAR(mbs_simulator_values(simulator)[0], creal(length(p)), 1e-11);
  }
  ENSURE(memcmp(&values[0], &values[1], sizeof values[0]) == 0);
  mbs_simulator_destroy(simulator);
  const double loads[] = {30, 60, 200, 10};
  const MbsEquilibriumSweepDef def = {.parameter = "F", .count = 4, .values = loads};
  MbsEquilibriumSweep *sweep;
  ENSURE_OK(context, mbs_equilibrium_sweep(context, model, &request, &def, &sweep));
  for (int i = 0; i < 4; ++i) {
    double complex p[8] = {9.81, 12, 2, 800, 0.5, loads[i], 1.5, 0.6};
    ENSURE_NEAR(sweep->points[i]->values[0], creal(length(p)), 1e-11);
  }
  mbs_equilibrium_sweep_destroy(sweep);
  mbs_model_destroy(model);
}

// ---- mistakes ----
static void ensure_failure(const char *section, MbsStatus expected, const char *message) {
  char text[3000];
  (void)snprintf(text, sizeof text, "%s%s", boom, section);
  MbsModel *model = read_text(context, "mistake", text);
  MbsRequest request = request_of(model, MBS_METHOD_DIRECT, "natural");
  MbsResult *result = NULL;
  MbsStatus status = mbs_equilibrium(context, model, &request, &result);
  ENSURE_CONTAINS(mbs_context_message(context), message);
  ENSURE(status == expected && !result);
  mbs_model_destroy(model);
}

static void test_mistakes(void) {
  ensure_failure("equilibrium: {solve: [l0, F], conditions: [{expression: angle(boom)}]}\n", MBS_ERROR_INPUT,
                 "2 unknowns in solve and 1 condition: give as many");
  ensure_failure("equilibrium: {solve: [l0]}\n", MBS_ERROR_INPUT, "1 unknown in solve and 0 conditions");
  ensure_failure("equilibrium: {conditions: [{expression: angle(boom)}]}\n", MBS_ERROR_INPUT, "0 unknowns in solve");
  ensure_failure("equilibrium: {solve: [l00], conditions: [{expression: angle(boom)}]}\n", MBS_ERROR_INPUT,
                 "no parameter or input \"l00\"; did you mean \"l0\"?");
  ensure_failure("equilibrium: {solve: [l0, l0], conditions: [{expression: angle(boom)}, {expression: F}]}\n",
                 MBS_ERROR_INPUT, "\"l0\" is named twice");
  ensure_failure("equilibrium: {solve: [l0], conditions: [{expression: angle(bom)}]}\n", MBS_ERROR_INPUT,
                 "condition \"angle(bom)\": ");
  ensure_failure("inputs: {u: 2*l0}\nequilibrium: {solve: [l0], conditions: [{expression: angle(boom)}]}\n",
                 MBS_ERROR_NOT_OFFERED, "\"u\" at the start depends on \"l0\"");
  ensure_failure("equilibrium: {solve: [l0], conditions: [{expression: g - 9}]}\n", MBS_ERROR_NUMERICAL,
                 "condition \"g - 9\" does not depend on anything");
  ensure_failure(
      "equilibrium: {solve: [l0, F], conditions: [{expression: angle(boom)}, {expression: 2*angle(boom)}]}\n",
      MBS_ERROR_NUMERICAL, "says what another one says");
  ensure_failure("equilibrium: {solve: [phi], conditions: [{expression: angle(boom), value: 0.3}]}\n",
                 MBS_ERROR_NUMERICAL, "nothing tells what \"phi\" is");
  ensure_failure("equilibrium: {solve: [l0], conditions: [{expression: r(T).y, value: 3}]}\n", MBS_ERROR_NUMERICAL,
                 "condition \"r(T).y\" is off by");
  char text[3000];
  (void)snprintf(text, sizeof text, "%sequilibrium: {solve: [l0], conditions: [{expression: angle(boom)}]}\n", boom);
  MbsModel *model = read_text(context, "mistake", text);
  MbsRequest request = request_of(model, MBS_METHOD_DIRECT, "natural");
  MbsResult *result = NULL;
  const char *const asked[] = {"l0"};
  request.parameters = asked;
  request.parameter_count = 1;
  ENSURE(mbs_equilibrium(context, model, &request, &result) == MBS_ERROR_INPUT && !result);
  ENSURE_CONTAINS(mbs_context_message(context), "parameter \"l0\" is solved for");
  // a run that does not start in equilibrium solves for nothing: l0 is a parameter like others
  request = request_of(model, MBS_METHOD_NONE, "natural");
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(!result->equilibrium);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  test_boom();
  test_reaction();
  test_ground();
  test_turn();
  test_runs();
  test_suspension();
  test_again_and_along();
  test_mistakes();
  mbs_context_destroy(context);
  return 0;
}
