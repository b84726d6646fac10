// Guards of events: on which side they begin, at the start and at a state from outside; what cannot be is told with
// time and names.
#include <mbsens/simulator.h>

#include "event_runs.h"

// ---- where guards begin ----
#define BALL(numbers, events_, end)                                                                      \
  "mbsens: 1\nname: ball\nparameters: {" numbers                                                         \
  "}\ngravity: [0, -9.81]\n"                                                                             \
  "bodies: {ball: {mass: 1, points: {P: [0, 0]}}}\nevents: {" events_                                    \
  "}\n"                                                                                                  \
  "initial: {independent: [{coordinate: r(P).x, value: 0, velocity: 1}, {coordinate: r(P).y, value: y0," \
  " velocity: v0}]}\n"                                                                                   \
  "objectives: {y: {final: r(P).y}}\nsimulation: {end: " end ", step: 0.01}\n"

static void ensure_times(const char *text, int count, const double *times) {
  MbsModel *model = read_text(context, "ball.yaml", text);
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
  ENSURE(result->event_count == count);
  for (int i = 0; i < count; ++i) {
    ENSURE_NEAR(result->events[i].time, times[i], 1e-11);
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void test_start(void) {
  const double flight = 2 * 3 / 9.81, second = flight * 1.5;
  // thrown up from the floor: zero at the start is above, so it comes back
  ensure_times(BALL("y0: 0, v0: 3, e: 0.5", "floor: {when: r(P).y, direction: falling, restitution: e}", "0.95"), 2,
               (const double[]){flight, second});
  // thrown down from there: it is below, and rises never
  ensure_times(BALL("y0: 0, v0: -3, e: 0.5", "floor: {when: r(P).y, direction: falling, restitution: e}", "0.95"), 0,
               NULL);
  // at rest there: on no side until it has left zero; the event at the top is told from both sides
  ensure_times(BALL("y0: 0, v0: 0", "floor: {when: r(P).y}", "0.5"), 0, NULL);
  ensure_times(BALL("y0: 0, v0: 3", "floor: {when: r(P).y - 0.2}", "0.6"), 2,
               (const double[]){(3 - sqrt(9 - 2 * 9.81 * 0.2)) / 9.81, (3 + sqrt(9 - 2 * 9.81 * 0.2)) / 9.81});
  ensure_times(BALL("y0: 0, v0: 3", "floor: {when: r(P).y - 0.2, direction: rising}", "0.6"), 1,
               (const double[]){(3 - sqrt(9 - 2 * 9.81 * 0.2)) / 9.81});
  // exactly at a planned time, and at the end
  ensure_times(BALL("y0: 0, v0: 3", "now: {when: t - 0.25}", "0.6"), 1, (const double[]){0.25});
  ensure_times(BALL("y0: 0, v0: 3", "now: {when: t - 0.6}", "0.6"), 1, (const double[]){0.6});
  // three at once that change nothing: each happens once
  ensure_times(BALL("y0: 0, v0: 3", "a: {when: t - 0.25}, b: {when: 0.25 - t}, c: {when: 2*t - 0.5}", "0.6"), 3,
               (const double[]){0.25, 0.25, 0.25});
  ensure_times(BALL("y0: 0, v0: 3", "a: {when: t - 0.2512}, b: {when: 0.2512 - t}, c: {when: 2*t - 0.5024}", "0.6"), 3,
               (const double[]){0.2512, 0.2512, 0.2512});
}

// ---- a state from outside ----
// A ball that is put below the floor has not passed it; put back above, it falls on it.
static void test_placed(void) {
  MbsModel *model = read_model(context, "tests/models/event_ball.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsSimulator *simulator;
  MbsResult *result;
  request.method = MBS_METHOD_NONE;
  request.settings.end = 0.6;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  const double below[] = {0, -0.5}, above[] = {0, 0.2}, velocity[] = {0.3, -1};
  for (int step = 1; !mbs_simulator_is_over(simulator); ++step) {
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
    if (step == 5 || step == 30) {
      ENSURE_OK(context, mbs_simulator_set_state(context, simulator, 2, step == 5 ? below : above, velocity, false));
    }
    if (step == 30) {
      ENSURE_OK(context, mbs_simulator_finish(context, simulator));
      ENSURE_OK(context, mbs_simulator_result(context, simulator, &result));
      ENSURE(result->event_count == 0);
      mbs_result_destroy(result);
    }
  }
  ENSURE_OK(context, mbs_simulator_finish(context, simulator));
  ENSURE_OK(context, mbs_simulator_result(context, simulator, &result));
  ENSURE(result->event_count == 1);
  ENSURE_NEAR(result->events[0].time, 0.3 + (sqrt(1 + 2 * 9.81 * 0.2) - 1) / 9.81, 1e-11);
  mbs_result_destroy(result);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// ---- what cannot be ----
static void ensure_refused(const char *text, MbsStatus status, const char *part, MbsMethod method) {
  MbsModel *model = read_text(context, "ball.yaml", text);
  MbsRequest request;
  MbsResult *result = NULL;
  MbsStatus given = mbs_request_default(context, model, &request);
  if (given == MBS_OK) {
    request.method = method;
    given = mbs_run(context, model, &request, &result);
  }
  if (given != status) {
    (void)fprintf(stderr, "status %d, expected %d (%s): %s\n", given, status, part, mbs_context_message(context));
    exit(1);
  }
  ENSURE(given == MBS_ERROR_NUMERICAL || result == NULL);
  ENSURE_CONTAINS(mbs_context_message(context), part);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void test_refused(void) {
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: v(P).y, restitution: 0.5}", "1"), MBS_ERROR_INPUT,
                 "event \"a\": a restitution needs a guard that is a gap", MBS_METHOD_NONE);
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: y0 - 3}", "1"), MBS_ERROR_INPUT, "never changes", MBS_METHOD_NONE);
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y, velocities: [{coordinate: t, velocity: 0}]}", "1"),
                 MBS_ERROR_INPUT, "does not move with the position", MBS_METHOD_NONE);
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y, restitution: -1}", "1"), MBS_ERROR_INPUT,
                 "restitution must not be negative", MBS_METHOD_NONE);
  // rates that contradict each other: the second
  ensure_refused(BALL("y0: 1, v0: 0",
                      "a: {when: r(P).y, velocities: [{coordinate: r(P).y, velocity: 1},"
                      " {coordinate: 2*r(P).y, velocity: 3}]}",
                      "1"),
                 MBS_ERROR_NUMERICAL, "event \"a\" at t = 0.45152", MBS_METHOD_NONE);
  // it stays where it is
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y, direction: falling, restitution: 0}", "1"),
                 MBS_ERROR_NUMERICAL, "event \"a\" at t = 0.4515", MBS_METHOD_NONE);
  // ever faster: at rest at 3 t1 = 1.3546
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y, direction: falling, restitution: 0.5}", "2"),
                 MBS_ERROR_NUMERICAL, "\"a\" at t = 1.354", MBS_METHOD_NONE);
  // methods
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y}", "1"), MBS_ERROR_NOT_OFFERED, "adjoint-continuous",
                 MBS_METHOD_ADJOINT_CONTINUOUS);
  MbsModel *model = read_model(context, "models/five_bar_impact.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsResult *result;
  request.settings.is_kinematic = true;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NOT_OFFERED);
  ENSURE_CONTAINS(mbs_context_message(context), "event \"ground\": events are not offered in kinematics");
  mbs_model_destroy(model);
}

// What comes to rest after ever smaller hops is told, and at the same time everywhere: by rounding the last ones are
// hits of what moves away, which a restitution would turn round and drive through the stop.
#define ELBOW                                                                                                     \
  "mbsens: 1\ngravity: [0, -9.81]\nparameters: {e: 0.5, L: 0.7, a: 0.3}\nground: {points: {O: [0, 0]}}\n"         \
  "bodies: {arm: {mass: 1.3, inertia: 0.02, com: [L/2, 0], points: {O: [0, 0], P: [L, 0]}},"                      \
  " hand: {mass: 1.3, inertia: 0.02, com: [L/2, 0], points: {P: [0, 0], Q: [L, 0]}}}\n"                           \
  "joints: [{revolute: [ground.O, arm.O], name: shoulder}, {revolute: [arm.P, hand.P], name: elbow}]\n"           \
  "forces: [{spring: [ground.O, arm.P], stiffness: 1, damping: 1, length: 0.3},"                                  \
  " {coordinate_force: angle(elbow), value: -8}]\n"                                                               \
  "events: {stop: {when: angle(elbow) + a, direction: falling, restitution: e}}\n"                                \
  "initial: {independent: [{coordinate: angle(shoulder), value: 0.1}, {coordinate: angle(elbow), value: 0.7}]}\n" \
  "objectives: {angle: {final: angle(elbow)}}\nsimulation: {end: 1, step: 0.001}\n"
// a dumb-bell that lands flat
#define DUMBBELL                                                                              \
  "mbsens: 1\ngravity: [0, -9.81]\nparameters: {e: 0.5}\n"                                    \
  "bodies: {bar: {mass: 1, inertia: 0.6, com: [0.5, 0], points: {A: [0, 0], B: [1, 0]}}}\n"   \
  "events: {left: {when: r(A).y, direction: falling, restitution: e},"                        \
  " right: {when: r(B).y, direction: falling, restitution: e}}\n"                             \
  "initial: {independent: [{coordinate: r(A).x, value: 0}, {coordinate: r(A).y, value: 0.3}," \
  " {coordinate: r(B).y, value: 0.3}]}\n"                                                     \
  "objectives: {y: {final: r(A).y}}\nsimulation: {end: 1, step: 0.001}\n"

static void test_rest(void) {
  static const struct {
    const char *text, *event, *coordinates, *formulation, *integrator;
    double at;
  } runs[] = {
      {ELBOW, "stop", "natural", "index1", "dormand-prince-5", 0.303671},
      {ELBOW, "stop", "natural", "penalty", "trapezoidal", 0.303671},
      {ELBOW, "stop", "natural", "matrix-r", "generalised-alpha", 0.303671},
      {ELBOW, "stop", "relative", "index3", "radau-5", 0.303671},
      {DUMBBELL, "right", "natural", "ali3p", "trapezoidal", 0.436862},
      {DUMBBELL, "right", "relative", "ali3p", "trapezoidal", 0.436862},
  };
  for (int i = 0; i < (int)(sizeof runs / sizeof runs[0]); ++i) {
    MbsModel *model = read_text(context, "rest.yaml", runs[i].text);
    MbsRequest request = request_of(model, runs[i].formulation, runs[i].coordinates);
    MbsResult *result;
    char part[64];
    (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", runs[i].integrator);
    (void)snprintf(part, sizeof part, "event \"%s\" at t = 0.", runs[i].event);
    request.method = MBS_METHOD_NONE;
    ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
    ENSURE_CONTAINS(mbs_context_message(context), part);
    ENSURE_CONTAINS(mbs_context_message(context), "it comes to rest");
    ENSURE(result->event_count > 5);
    ENSURE_NEAR(result->events[result->event_count - 1].time, runs[i].at, 1e-4);
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
}

// Flights much shorter than a step, just before it rests: a run that follows finds their times all the same.
static void test_short_flights(void) {
  static const char text[] =
      BALL("y0: 1, v0: 0, e: 0.5", "a: {when: r(P).y, direction: falling, restitution: e}", "1.35451");
  MbsModel *model = read_text(context, "ball.yaml", text);
  MbsRequest request = request_of(model, "ali3p", "natural");
  request.settings.step = 0.3;
  ENSURE(compare_methods(model, &request, "short flights") == 14);
  mbs_model_destroy(model);
}

// constraints that a rate contradicts: a pendulum's length
static void test_contradiction(void) {
  ensure_refused(
      "mbsens: 1\nname: pendulum\nparameters: {L: 1}\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
      "bodies: {ball: {mass: 1, points: {P: [0, 0]}}}\njoints: [{distance: [ground.O, ball.P], length: L}]\n"
      "events: {out: {when: r(P).x, velocities: [{coordinate: r(P).y, velocity: 1}]}}\n"
      "initial: {points: {P: [0.7, -0.7]}, independent: [{coordinate: r(P).x, value: 0.5}]}\n"
      "objectives: {y: {final: r(P).x}}\nsimulation: {end: 2, step: 0.01}\n",
      MBS_ERROR_NUMERICAL, "the rate of \"r(P).y\" cannot become 1", MBS_METHOD_DIRECT);
}

// Two branches that switch at exactly the same time, each with a time of its own: v = sum F_i (1 - T_i)/m. Beside each
// other, one after the other (T2 a little later), and where a step ends.
static void test_together(void) {
  static const char *const laws[] = {
      "F1*step(t - T1) + F2*step(t - T2)", "F1*floor(t*0.5/T1 + 0.5) + F2*floor(t*0.5/T2 + 0.5)",
      "F1*floor(1.5 - t*0.5/T1)*-1 + F2*floor(t*0.5/T2 + 0.5) + F1", "one(t/T1) + two(t/T2)"};
  static const double times[][2] = {{0.5037, 0.5037}, {0.5037, 0.5038}, {0.51, 0.51}};
  for (int l = 0; l < (int)(sizeof laws / sizeof laws[0]); ++l) {
    for (int k = 0; k < (int)(sizeof times / sizeof times[0]); ++k) {
      char text[1024];
      double T1 = times[k][0], T2 = times[k][1];
      (void)snprintf(
          text, sizeof text,
          "mbsens: 1\n"
          "parameters: {T1: %.17g, T2: %.17g, F1: 3, F2: 5}\n"
          "tables: {one: {x: [0, 1, 3], y: [0, F1, 0], kind: step}, two: {x: [0, 1, 3], y: [0, F2, 0], kind: "
          "step}}\n"
          "coordinates: {x: {inertia: 2}}\n"
          "forces: [{coordinate_force: x, value: \"%s\"}]\n"
          "objectives: {v: {final: rate(x)}, x: {final: x}}\n"
          "simulation: {end: 1}\n",
          T1, T2, laws[l]);
      MbsModel *model = read_text(context, "together", text);
      MbsRequest request = request_of(model, "ali3p", "natural");
      ENSURE(compare_methods(model, &request, laws[l]) == 2);
      MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
      ENSURE_NEAR(value(result, "v"), (3 * (1 - T1) + 5 * (1 - T2)) / 2, 1e-12);
      ENSURE_NEAR(slope(result, "v", "T1"), -1.5, 1e-11);
      ENSURE_NEAR(slope(result, "v", "T2"), -2.5, 1e-11);
      ENSURE_NEAR(slope(result, "x", "T1"), -1.5 * (1 - T1), 1e-11);
      ENSURE_NEAR(slope(result, "x", "T2"), -2.5 * (1 - T2), 1e-11);
      mbs_result_destroy(result);
      mbs_model_destroy(model);
    }
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_start();
  test_placed();
  test_refused();
  test_contradiction();
  test_rest();
  test_short_flights();
  test_together();
  mbs_context_destroy(context);
  return 0;
}
