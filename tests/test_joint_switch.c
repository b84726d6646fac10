// Joints that come and go. Every kind of joint, in the plane and in space:
//   - as rows of its own that always act (an event that never happens), against the model as it is;
//   - removed on the way: natural against relative coordinates, direct method and adjoint against the complex step.
// What no method of ours knows: momentum where joints are added, free flight where they are removed, the angle at which
// a string goes slack, and the same model run anew with other numbers (verify).
//
// Seen to fail: rows that rest and still act (in any of residual, tangent, products, transpose and the tree's
// matrices); redundancy of one set of joints taken for that of another; a guard held at zero that fires again; sets of
// matrix-r kept where other joints act; half of an integrand taken after the way back has moved on.
#include <mbsens/build.h>
#include <mbsens/elements.h>

#include "formulations/formulation.h"
#include "model/model.h"
#include "support.h"

static MbsContext *context;

static const char *const coordinates[] = {"natural", "relative"};

static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *kind, MbsMethod method) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  request.method = method;
  return request;
}

// NULL where that is not offered, where constraints are redundant, where an objective names a multiplier that other
// coordinates do not have, or a point that is one only while a joint acts, and where nothing determines a coordinate
static MbsResult *try_run(const MbsModel *model, const MbsRequest *request) {
  MbsResult *result = NULL;
  MbsStatus status = mbs_run(context, model, request, &result);
  if (status == MBS_OK) {
    return result;
  }
  static const char *const expected[] = {"redundant there", "has a multiplier of its own", "the last multiplier of",
                                         "is ambiguous", "a coordinate without inertia may move freely"};
  bool is_expected = status == MBS_ERROR_NOT_OFFERED;
  for (int i = 0; i < MBS_COUNT(expected); ++i) {
    is_expected = is_expected || strstr(mbs_context_message(context), expected[i]);
  }
  if (!is_expected) {
    (void)fprintf(stderr, "%s, %s: %s\n", request->settings.formulation, request->settings.coordinates,
                  mbs_context_message(context));
  }
  ENSURE(is_expected);
  mbs_result_destroy(result);
  return NULL;
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request) {
  MbsResult *result = try_run(model, request);
  ENSURE(result);
  return result;
}

// of gradients, by objective against its largest derivative, or its value
static double difference(const MbsResult *result, const MbsResult *reference) {
  double worst = 0;
  for (int o = 0; o < reference->objective_count; ++o) {
    const double *known = reference->gradient + o * reference->parameter_count;
    double size = fmax(largest_of(reference->parameter_count, known), fabs(reference->values[o]));
    for (int k = 0; k < reference->parameter_count; ++k) {
      worst = fmax(worst, fabs(result->gradient[o * reference->parameter_count + k] - known[k]) / size);
    }
  }
  return worst;
}

// of values, but for loads: multipliers are numbers of the coordinates
static double difference_of_values(const MbsResult *result, const MbsResult *reference) {
  double worst = 0;
  for (int o = 0; o < reference->objective_count; ++o) {
    if (strcmp(reference->objectives[o], "load") == 0) {
      continue;
    }
    double size = fmax(fabs(reference->values[o]), 1e-2);
    worst = fmax(worst, fabs(result->values[o] - reference->values[o]) / size);
  }
  return worst;
}

// few: some of the parameters, once
static void check_methods(const MbsModel *model, const char *what, const char *formulation, const char *kind,
                          double tolerance, bool is_few) {
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_ADJOINT};
  enum { FEW = 3 };
  static int turn;
  const char *names[FEW];
  MbsRequest request = request_of(model, formulation, kind, MBS_METHOD_COMPLEX_STEP);
  const MbsValue *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  for (int k = 0; k < FEW && is_few; ++k) {
    names[k] = parameters->records[(turn++ * 7) % parameters->count].name.text;
  }
  request.settings.step *= is_few ? 1 : 2;
  if (is_few && parameters->count > 7 * FEW) {
    request.parameter_count = FEW;
    request.parameters = names;
  }
  MbsResult *reference = try_run(model, &request);
  for (int m = 0; reference && m < (is_few ? 2 : 3); ++m) {
    request.method = methods[m];
    request.memory = m == 2 ? 40e3 : 0;  // steps are walked again, across events
    MbsResult *result = run(model, &request);
    double worst = difference(result, reference);
    if (!(worst < tolerance)) {
      (void)fprintf(stderr, "%s, %s, %s, method %d: %.1e\n", what, formulation, kind, m, worst);
    }
    ENSURE(worst < tolerance && result->event_count == reference->event_count);
    mbs_result_destroy(result);
  }
  mbs_result_destroy(reference);
}

// ---- every kind of joint ----
// The file with an event behind it that removes the joint (NULL: none). norm() of a force that vanishes has no
// derivative: its component instead.
static char *with_event(const char *path, const char *joint, double time) {
  FILE *file = fopen(path, "r");
  ENSURE(file);
  enum { SIZE = 20000 };
  char *text = calloc(SIZE, 1);
  ENSURE(text);
  size_t length = fread(text, 1, SIZE - 200, file);
  (void)fclose(file);
  ENSURE(length < SIZE - 200);
  for (char *norm = strstr(text, "norm(force("); norm; norm = strstr(norm, "norm(force(")) {
    char *close = strstr(norm, "))");
    ENSURE(close);
    (void)memmove(norm, norm + 5, (size_t)(close + 1 - norm - 5));
    (void)memcpy(close - 4, ".x   ", 5);
    close[1] = ' ';
  }
  if (joint) {
    (void)snprintf(text + length, SIZE - length, "\nevents: {off: {when: t - %g, remove: [%s]}}\n", time, joint);
  }
  return text;
}

static int joints_seen, runs_compared;

static void check_joint(const char *path, const char *joint) {
  // never
  char *text = with_event(path, joint, 7), *text_alone = with_event(path, NULL, 0);
  MbsModel *plain = read_text(context, path, text_alone), *model = read_text(context, path, text);
  for (int c = 0; c < 2; ++c) {
    MbsRequest request = request_of(plain, "matrix-r", coordinates[c], MBS_METHOD_NONE);
    // coordinates that share less have another truncation error: with a quarter of the step a sixteenth
    double off[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
      MbsResult *reference = try_run(plain, &request), *result = try_run(model, &request);
      if (reference && result) {
        off[k] = difference_of_values(result, reference);
        runs_compared += 1;
      }
      mbs_result_destroy(result);
      mbs_result_destroy(reference);
      request.settings.step /= 4;
    }
    if (!(off[1] < 1e-6 || off[1] < off[0] / 8)) {
      (void)fprintf(stderr, "%s, %s, %s: %.1e, %.1e\n", path, joint, coordinates[c], off[0], off[1]);
    }
    ENSURE(off[1] < 1e-6 || off[1] < off[0] / 8);
  }
  mbs_model_destroy(model);
  mbs_model_destroy(plain);
  free(text_alone);
  free(text);
  // on the way
  text = with_event(path, joint, 0.0537);
  model = read_text(context, path, text);
  static const char *const formulations[] = {"ali3p", "matrix-r", "penalty", "ali3p"};
  for (int c = 0; c < 2; ++c) {  // one of each three in turn, another one in other coordinates
    check_methods(model, joint, formulations[joints_seen % 3 + c], coordinates[c], 1e-7, true);
  }
  joints_seen += 1;
  mbs_model_destroy(model);
  free(text);
}

static void check_file(const char *path, void *user) {
  (void)user;
  MbsModel *model = read_model(context, path);
  const MbsValue *joints = mbs_record_value(&model->root, MBS_MODEL_JOINTS);
  for (int i = 0; i < joints->count; ++i) {
    (void)printf("%s: %s\n", path, joints->records[i].name.text);
    check_joint(path, joints->records[i].name.text);
  }
  mbs_model_destroy(model);
}

// ---- models ----
static void check_model(const char *path) {
  MbsModel *model = read_model(context, path);
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    for (int c = 0; c < 2; ++c) {
      // what index3 has for accelerations is rounding over h^2
      bool is_rough = strcmp(mbs_formulation_types[f]->name, "index3") == 0;
      check_methods(model, path, mbs_formulation_types[f]->name, coordinates[c], is_rough ? 1e-5 : 1e-8, false);
    }
  }
  mbs_model_destroy(model);
}

static const MbsEventResult *find_event(const MbsResult *result, const char *name) {
  for (int i = 0; i < result->event_count; ++i) {
    if (strcmp(result->events[i].name, name) == 0) {
      return &result->events[i];
    }
  }
  ENSURE(false);
  return NULL;
}

static double objective(const MbsResult *result, const char *name) {
  for (int o = 0; o < result->objective_count; ++o) {
    if (strcmp(result->objectives[o], name) == 0) {
      return result->values[o];
    }
  }
  ENSURE(false);
  return 0;
}

// Two pendulums on one axis, of moments of inertia J and K: where one catches the other their angular momentum stays,
// and 1/2 J K/(J + K) (u - w)^2 is lost. By a joint of one equation, and by one of three, two of them redundant.
static void check_catch(void) {
  static const char *const latches[] = {"constraint: angle(arm) - angle(bob)", "fixed: [arm.B, bob.D]",
                                        "revolute: [arm.B, bob.D]"};
  for (int l = 0; l < MBS_COUNT(latches); ++l) {
    char text[2000];
    (void)snprintf(text, sizeof text,
                   "mbsens: 1\n"
                   "gravity: [0, -9.81]\n"
                   "parameters: {m: 1.2, M: 2, w: -2}\n"
                   "ground: {points: {O: [0, 0], C: [0, 0]}}\n"
                   "bodies:\n"
                   "  arm: {mass: m, com: [0.5, 0], inertia: 0.1, points: {A: [0, 0], B: [1, 0]}}\n"
                   "  bob: {mass: M, com: [1, 0], inertia: 0.01, points: {C: [0, 0], D: [1, 0]}}\n"
                   "joints:\n"
                   "  - {revolute: [ground.O, arm.A]}\n"
                   "  - {revolute: [ground.C, bob.C]}\n"
                   "  - {%s, name: latch}\n"
                   "variables: {u: 0, v: 0}\n"
                   "initial:\n"
                   "  inactive: latch\n"
                   "  independent:\n"
                   "    - {coordinate: angle(arm), value: 0.3, velocity: w}\n"
                   "    - {coordinate: angle(bob), value: -1.4}\n"
                   "events:\n"
                   "  catch: {when: angle(arm) - angle(bob), direction: falling, add: [latch],\n"
                   "          set: {u: omega(arm), v: omega(bob)}, stop: yes}\n"
                   "objectives: {u: {final: u}, v: {final: v}, w: {final: omega(arm)}, z: {final: omega(bob)}}\n"
                   "simulation: {end: 1, step: 0.005}\n",
                   latches[l]);
    MbsModel *model = read_text(context, "catch", text);
    for (int f = 0; mbs_formulation_types[f]; ++f) {
      for (int c = 0; c < 2; ++c) {
        MbsRequest request = request_of(model, mbs_formulation_types[f]->name, coordinates[c], MBS_METHOD_NONE);
        MbsResult *result = try_run(model, &request);
        ENSURE(result || (l > 0 && !mbs_formulation_types[f]->allows_redundancy));
        if (result) {
          const double J = 0.1 + 1.2 * 0.25, K = 0.01 + 2;
          double u = objective(result, "u"), v = objective(result, "v"), w = (J * u + K * v) / (J + K);
          // drift turns bodies into slightly other ones
          bool is_exact = c == 1 || mbs_formulation_types[f]->has_projections || mbs_formulation_types[f]->is_reduced;
          double most = is_exact ? 1e-9 : 1e-3;
          ENSURE_NEAR(objective(result, "w"), w, most);
          ENSURE_NEAR(objective(result, "z"), w, most);
          ENSURE_NEAR(result->events[0].energy_lost, J * K / (J + K) * (u - v) * (u - v) / 2, 10 * most);
        }
        mbs_result_destroy(result);
      }
    }
    mbs_model_destroy(model);
  }
}

// Where the string is taut v^2 = v0^2 - 2 g (y - y0), and it goes slack where v^2 = g y: y = (v0^2 + 2 g y0)/(3 g).
static void check_string(void) {
  const double g = 9.81, L = 1, m = 2, t1 = 0.05135113559295;
  double x = 0.1 + 6 * t1, y = -0.9 - g * t1 * t1 / 2, vy = -g * t1;
  double along = (6 * x + vy * y) / L, across = (6 * y - vy * x) / L;  // before and after, across stays
  MbsModel *model = read_model(context, "models/string_pendulum.yaml");
  for (int c = 0; c < 2; ++c) {
    double off[2];
    for (int k = 0; k < 2; ++k) {
      MbsRequest request = request_of(model, "matrix-r", coordinates[c], MBS_METHOD_NONE);
      request.settings.step /= 1 + k;
      MbsResult *result = run(model, &request);
      const MbsEventResult *taut = find_event(result, "taut"), *slack = find_event(result, "slack");
      ENSURE_NEAR(taut->time, t1, 1e-12);
      ENSURE_NEAR(taut->energy_lost, m * along * along / 2, 1e-9);
      request.settings.end = slack->time;
      mbs_result_destroy(result);
      result = run(model, &request);
      off[k] = fabs(objective(result, "y") - (across * across + 2 * g * y) / (3 * g));
      mbs_result_destroy(result);
    }
    ENSURE(off[0] < 1e-3 && off[1] < off[0] / 3);
  }
  mbs_model_destroy(model);
}

// A rod that turns about its end and lets go: its centre flies along a parabola, and it turns on.
static void check_release(void) {
  static const char *const text =
      "mbsens: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {w: 3, T: 0.4037}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies: {rod: {mass: 2, inertia: 0.3, points: {O: [-0.5, 0], C: [0, 0]}}}\n"
      "joints: [{revolute: [ground.O, rod.O], name: pin}]\n"
      "initial: {independent: [{coordinate: angle(rod), value: 0.2, velocity: w}]}\n"
      "variables: {x: 0, y: 0, vx: 0, vy: 0, phi: 0, omega: 0}\n"
      "events:\n"
      "  off: {when: t - T, remove: pin, set: {x: r(C).x, y: r(C).y, vx: v(C).x, vy: v(C).y, phi: angle(rod),\n"
      "        omega: omega(rod)}}\n"
      "objectives:\n"
      "  x: {final: r(C).x - x - vx*(1 - T)}\n"
      "  y: {final: r(C).y - y - vy*(1 - T) + 9.81*(1 - T)^2/2}\n"
      "  phi: {final: angle(rod) - phi - omega*(1 - T)}\n"
      "  force: {final: \"dot(force(pin), force(pin))\"}\n"
      "simulation: {end: 1, step: 0.01}\n";
  MbsModel *model = read_text(context, "release", text);
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    // in natural coordinates turning is not exact
    MbsRequest request = request_of(model, mbs_formulation_types[f]->name, "relative", MBS_METHOD_DIRECT);
    MbsResult *result = run(model, &request);
    bool is_rough = strcmp(mbs_formulation_types[f]->name, "index3") == 0;  // generalised-alpha starts anew
    for (int o = 0; o < 4; ++o) {
      ENSURE_NEAR(result->values[o], 0, is_rough ? 1e-9 : 1e-12);
      for (int k = 0; k < 2; ++k) {
        ENSURE_NEAR(result->gradient[o * 2 + k], 0, is_rough ? 1e-8 : 1e-11);
      }
    }
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// A skate that drops its edge: what it has across is lost, what it has along stays.
static void check_edge(void) {
  static const char *const text =
      "mbsens: 1\n"
      "parameters: {a: 0.7, u: 2, v: -1}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies: {skate: {mass: 2, inertia: 0.3, angle: a, points: {P: [0, 0]}}}\n"
      "joints: [{knife_edge: [ground.O, skate.P], edge: [1, 0], name: edge}]\n"
      "initial:\n"
      "  inactive: [edge]\n"
      "  independent:\n"
      "    - {coordinate: r(P).x, value: 0, velocity: u}\n"
      "    - {coordinate: r(P).y, value: 0, velocity: v}\n"
      "    - {coordinate: angle(skate), value: a}\n"
      "events: {drop: {when: t - 0.5, add: [edge]}}\n"
      "objectives: {x: {final: r(P).x}, y: {final: r(P).y}}\n"
      "simulation: {end: 1, step: 0.01}\n";
  MbsModel *model = read_text(context, "skate", text);
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    for (int c = 0; c < 2; ++c) {
      MbsRequest request = request_of(model, mbs_formulation_types[f]->name, coordinates[c], MBS_METHOD_DIRECT);
      MbsResult *result = run(model, &request);
      double along = 2 * cos(0.7) - sin(0.7);
      ENSURE_NEAR(result->values[0], 0.5 * 2 + 0.5 * along * cos(0.7), 1e-9);
      ENSURE_NEAR(result->values[1], -0.5 + 0.5 * along * sin(0.7), 1e-9);
      ENSURE_NEAR(result->gradient[1], 0.5 + 0.5 * cos(0.7) * cos(0.7), 1e-8);  // dx/du
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// An event whose joint acts already does not happen again, nor does one whose guard a joint keeps at zero: a ball hits
// the floor three times and then stays there, though its gap is zero from then on, to rounding or drift.
static void check_waiting(void) {
  static const char *const text =
      "mbsens: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {e: 0.5, h: 1}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  ball: {mass: 1, points: {P: [0, 0]}}\n"
      "  bar: {mass: 1, com: [0.5, 0.1], inertia: 0.1, points: {O: [0, 0], Q: [1, 0]}}\n"
      "joints:\n"
      "  - {revolute: [ground.O, bar.O]}\n"
      "  - {point_on_line: [bar.O, ball.P], axis: [1, 0], name: floor}\n"
      "  - {constraint: angle(bar), name: level}\n"
      "  - {driver: r(ball.P).x - h, value: 0.1*t - 0.1*t1, name: motor}\n"
      "variables: {n: 0, t1: 0}\n"
      "initial:\n"
      "  inactive: [floor, motor]\n"
      "  independent:\n"
      "    - {coordinate: r(P).y, value: h}\n"
      "    - {coordinate: r(P).x, value: h}\n"
      "events:\n"
      "  hit: {when: r(P).y, direction: falling, restitution: e, set: {n: n + 1}}\n"
      "  stay: {when: n - 2.5, add: [floor]}\n"
      "  start: {when: \"sin(20*t) + 0.9\", direction: rising, add: [motor], set: {t1: t}}\n"
      "objectives: {y: {final: r(P).y}, x: {final: r(P).x}, n: {final: n}, t: {final: t1}}\n"
      "simulation: {end: 3, step: 0.01}\n";
  MbsModel *model = read_text(context, "waiting", text);
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    for (int c = 0; c < 2; ++c) {
      MbsRequest request = request_of(model, mbs_formulation_types[f]->name, coordinates[c], MBS_METHOD_DIRECT);
      MbsResult *result = run(model, &request);
      ENSURE(result->event_count == 5);
      ENSURE_NEAR(find_event(result, "stay")->time, sqrt(2 / 9.81) * (1 + 2 * (0.5 + 0.25)), 1e-6);
      ENSURE_NEAR(objective(result, "n"), 3, 0);
      ENSURE_NEAR(objective(result, "y"), 0, 1e-4);
      ENSURE_NEAR(objective(result, "x"), 1 + 0.1 * (3 - objective(result, "t")), 1e-6);
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// A long chain hung up at both ends that breaks at one: in relative coordinates its matrix is an expanded one.
static void check_chain(void) {
  enum { BARS = 64, SIZE = 12000 };
  static char text[SIZE];
  int used = snprintf(text, SIZE,
                      "mbsens: 1\ngravity: [0, -9.81]\nparameters: {L: 0.5, m: 1, w: 1}\n"
                      "ground: {points: {A: [0, 0], B: [%d*L*cos(0.3), 0]}}\nbodies:\n",
                      BARS);
  for (int i = 0; i < BARS; ++i) {
    used += snprintf(text + used, (size_t)(SIZE - used),
                     "  b%d: {mass: m, com: [L/2, 0], inertia: m*L^2/12, angle: %s, points: {P: [0, 0], Q: [L, 0]}}\n",
                     i, i < BARS / 2 ? "-0.3" : "0.3");
  }
  used += snprintf(text + used, (size_t)(SIZE - used), "joints:\n  - {revolute: [ground.A, b0.P]}\n");
  for (int i = 1; i < BARS; ++i) {
    used += snprintf(text + used, (size_t)(SIZE - used), "  - {revolute: [b%d.Q, b%d.P]}\n", i - 1, i);
  }
  (void)snprintf(text + used, (size_t)(SIZE - used),
                 "  - {revolute: [b%d.Q, ground.B], name: hook}\n"
                 "events: {breaks: {when: t - 0.052*w, remove: hook}}\n"
                 "objectives: {y: {final: r(b%d.Q).y}, s: {integral: \"v(b%d.Q).x^2\"}}\n"
                 "simulation: {end: 0.1, step: 0.01}\n",
                 BARS - 1, BARS - 1, BARS / 2);
  MbsModel *model = read_text(context, "chain", text);
  MbsRequest request = request_of(model, "matrix-r", "natural", MBS_METHOD_NONE);
  request.settings.step = 0.002;
  MbsResult *natural = run(model, &request);
  request = request_of(model, "ali3p", "relative", MBS_METHOD_NONE);
  request.settings.step = 0.002;
  MbsResult *relative = run(model, &request);
  ENSURE(difference_of_values(relative, natural) < 1e-3);
  mbs_result_destroy(natural);
  mbs_result_destroy(relative);
  static const char *const formulations[] = {"index1", "ali3p", "matrix-r", "penalty"};
  for (int f = 0; f < MBS_COUNT(formulations); ++f) {
    check_methods(model, "chain", formulations[f], "relative", 1e-7, true);
  }
  mbs_model_destroy(model);
}

// ---- by calls ----
static void check_calls(void) {
  MbsModel *model;
  MbsEventDef event = mbs_default_event_def();
  MbsDistanceJointDef string = mbs_default_distance_joint_def();
  ENSURE_OK(context, mbs_model_create(context, "string", 2, &model));
  MbsBodyDef ball = mbs_default_body_def();
  ball.name = "ball", ball.mass = "2";
  ball.position[0] = "0.2", ball.position[1] = "0";
  ENSURE_OK(context, mbs_model_add_body(context, model, &ball));
  ENSURE_OK(context, mbs_model_add_point(context, model, "ball", "P", "0", "0", NULL));
  ENSURE_OK(context, mbs_model_add_ground_point(context, model, "O", "0", "0", NULL));
  ENSURE_OK(context, mbs_model_set_gravity(context, model, "0", "-10", NULL));
  string.name = "string", string.ends[0] = "ground.O", string.ends[1] = "ball.P", string.length = "1";
  ENSURE_OK(context, mbs_model_add_distance_joint(context, model, &string));
  event.name = "taut", event.when = "distance(O, ball.P) - 1", event.direction = "rising", event.add = "string";
  ENSURE_OK(context, mbs_model_add_event(context, model, &event));
  ENSURE_OK(context, mbs_model_set_inactive(context, model, "string"));
  MbsRequest request = request_of(model, "index1", "natural", MBS_METHOD_NONE);
  MbsResult *result = run(model, &request);
  ENSURE(result->event_count == 1);
  ENSURE_NEAR(result->events[0].time, sqrt(2 * sqrt(1 - 0.04) / 10), 1e-9);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_catch();
  check_string();
  check_release();
  check_edge();
  check_waiting();
  check_chain();
  check_calls();
  static const char *const models[] = {"models/string_pendulum.yaml", "models/clutch.yaml", "models/geneva.yaml",
                                       "tests/models/catch_fixed.yaml"};
  for (int i = 0; i < MBS_COUNT(models); ++i) {
    check_model(models[i]);
  }
  ENSURE(for_a_share_of_files("tests/models/element_*.yaml", check_file, NULL) > 60 / share_of_models());
  (void)printf("%d joints, %d runs compared\n", joints_seen, runs_compared);
  ENSURE(joints_seen > 100 / share_of_models() && runs_compared > 300 / share_of_models());
  mbs_context_destroy(context);
  return 0;
}
