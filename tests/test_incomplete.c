// Runs that fail on the way: what they give is what the same run gives if it is told to end before (values, gradient,
// state, rows of the histories), it is marked, and no method gives a gradient that it does not have. A run that fails
// at the start gives nothing.
#include <mbsens/simulator.h>

#include "support.h"

static MbsContext *context;

static const char *const formulations[] = {"penalty", "index1", "ali1", "index3", "ali3p", "matrix-r"};
static const char *const coordinates[] = {"natural", "relative"};
enum { FORMULATIONS = 6, KINDS = 2 };

// a pendulum in a wind that has no value after t = 0.105
static const char *const pendulum =
    "mbsens: 1\ngravity: [0, -9.81]\nparameters: {m: 1.5, k: 2}\nground: {points: {O: [0, 0]}}\n"
    "bodies: {bar: {mass: m, com: [0.5, 0], inertia: 0.2, points: {O: [0, 0], P: [1, 0]}}}\n"
    "joints: [{revolute: [ground.O, bar.O]}]\n"
    "forces: [{point_force: bar.P, value: [k*sqrt(0.105 - t), 0], name: wind}]\n"
    "initial: {independent: [{coordinate: angle(bar), value: 0.3, velocity: 2}]}\n"
    "objectives: {x: {final: r(P).x}, w: {integral: v(P).y^2}, both: {value: x*w}}\n"
    "simulation: {end: 0.5, step: 0.01}\n";

// ---- rows ----
typedef struct Rows {
  int columns, count;
  double last[64];
} Rows;

static MbsStatus begin(void *user, int column_count, const char *const *names) {
  Rows *rows = user;
  (void)names;
  ENSURE(column_count <= 64);
  *rows = (Rows){.columns = column_count};
  return MBS_OK;
}

static MbsStatus take(void *user, const double *values) {
  Rows *rows = user;
  rows->count += 1;
  memcpy(rows->last, values, (size_t)rows->columns * sizeof *values);
  return MBS_OK;
}

static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *kind, MbsMethod method) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  request.method = method;
  return request;
}

static void ensure_same(const MbsResult *cut, const MbsResult *whole) {
  const double rounding = 1e-11;  // the steps of index3 are shared out to another end
  ENSURE(!cut->is_complete && cut->error && whole->is_complete && !whole->error);
  ENSURE_NEAR(cut->final_time, 0.1, 1e-15);
  ENSURE(cut->statistics.steps == 10 && whole->statistics.steps == 10);
  ENSURE(cut->objective_count == 3 && cut->event_count == 0);
  for (int i = 0; i < 3; ++i) {
    ENSURE(fabs(whole->values[i]) > 1e-3);
    ENSURE_NEAR(cut->values[i], whole->values[i], rounding);
  }
  for (int i = 0; i < 6 && cut->gradient; ++i) {
    ENSURE(fabs(whole->gradient[i]) > 1e-6);
    ENSURE_NEAR(cut->gradient[i], whole->gradient[i], 1e-9);
  }
  for (int i = 0; i < cut->point_count; ++i) {
    for (int k = 0; k < 2; ++k) {
      ENSURE_NEAR(cut->points[i].position[k], whole->points[i].position[k], rounding);
      ENSURE_NEAR(cut->points[i].velocity[k], whole->points[i].velocity[k], 1e-9);
      ENSURE_NEAR(cut->points[i].acceleration[k], whole->points[i].acceleration[k], 1e-6);
    }
  }
  for (int i = 0; i < cut->multiplier_count; ++i) {
    ENSURE_NEAR(cut->multipliers[i], whole->multipliers[i], 1e-6);
  }
  for (int i = 0; i < cut->reaction_count; ++i) {
    ENSURE_NEAR(cut->reactions[i].force[0], whole->reactions[i].force[0], 1e-6);
  }
}

static void check_method(const MbsModel *model, MbsRequest request) {
  Rows rows[2];
  MbsRecorder recorders[2];
  MbsResult *results[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    recorders[i] = (MbsRecorder){.user = &rows[i], .begin = begin, .row = take};
    request.recorder = &recorders[i];
    request.settings.end = i == 0 ? 0.5 : 0.1;
    MbsStatus status = mbs_run(context, model, &request, &results[i]);
    ENSURE(status == (i == 0 ? MBS_ERROR_NUMERICAL : MBS_OK));
  }
  ensure_same(results[0], results[1]);
  ENSURE_CONTAINS(results[0]->error, "force \"wind\"");
  ENSURE((results[0]->gradient != NULL) == (request.method == MBS_METHOD_DIRECT));
  // those of several runs, and of the way back, have states alone
  bool is_whole = request.method <= MBS_METHOD_ADJOINT;
  ENSURE(rows[0].count == 11 && rows[1].count == 11);
  ENSURE(is_whole ? rows[0].columns == rows[1].columns : rows[0].columns < rows[1].columns);
  for (int k = 0; k < rows[0].columns; ++k) {
    ENSURE_NEAR(rows[0].last[k], rows[1].last[k], 1e-6);
  }
  mbs_result_destroy(results[0]);
  mbs_result_destroy(results[1]);
}

static void check_methods(void) {
  static const MbsMethod methods[] = {MBS_METHOD_NONE, MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP,
                                      MBS_METHOD_FINITE_DIFFERENCE};
  MbsModel *model = read_text(context, "pendulum.yaml", pendulum);
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
        check_method(model, request_of(model, formulations[f], coordinates[c], methods[i]));
      }
    }
  }
  check_method(model, request_of(model, "matrix-r", "natural", MBS_METHOD_ADJOINT_CONTINUOUS));
  mbs_model_destroy(model);
}

// ---- events ----
// A ball comes to rest after infinitely many impacts, at u/g (1 + e)/(1 - e). Those it has had are told, with the
// derivatives of their times: T = u/g + 2 u/g (e + ... + e^(k-1)), and the state before the one that failed.
static void check_events(void) {
  static const char *const ball =
      "mbsens: 1\ngravity: [0, -9.81]\nparameters: {e: 0.5, y0: 0.5}\n"
      "bodies: {ball: {mass: 1, points: {P: [0, y0]}}}\n"
      "events: {floor: {when: r(P).y, direction: falling, restitution: e}}\n"
      "objectives: {y: {final: r(P).y}, vy: {final: v(P).y}}\nsimulation: {end: 2, step: 0.01}\n";
  MbsModel *model = read_text(context, "ball.yaml", ball);
  MbsRequest request = request_of(model, "ali3p", "natural", MBS_METHOD_DIRECT);
  MbsResult *result = NULL;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
  ENSURE(result && !result->is_complete && result->event_count > 10 && !result->has_ended);
  double fall = sqrt(2 * 0.5 / 9.81), time = fall, rebound = 2 * fall, by_e = 0;
  for (int k = 0; k < result->event_count; ++k) {
    ENSURE_NEAR(result->events[k].time, time, 1e-9);
    ENSURE_NEAR(result->events[k].gradient[0], by_e, 1e-7);
    ENSURE_NEAR(result->events[k].energy_lost, 0.75 * 9.81 * 0.5 * pow(0.25, k), 1e-9);
    ENSURE(result->events[k].energy_lost > 0);
    by_e += 2 * fall * (k + 1) * pow(0.5, k);
    rebound *= 0.5;
    time += rebound;
  }
  ENSURE_NEAR(result->final_time, time, 1e-9);  // where the next one failed
  ENSURE_NEAR(result->values[0], 0, 1e-12);
  ENSURE(result->values[1] < 0 && result->values[1] == result->points[0].velocity[1]);  // before it, not after
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- what there was to show is brought back from an event that failed half-way ----
static void check_contradiction(void) {
  // the floor sets a variable and asks for a rate that the rod does not allow: the variable is as before
  static const char *const rod =
      "mbsens: 1\ngravity: [0, -9.81]\nparameters: {L: 1}\nground: {points: {O: [0, 0]}}\n"
      "bodies: {bar: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {O: [0, 0], P: [L, 0], C: [L/2, 0]}}}\n"
      "joints: [{revolute: [ground.O, bar.O]}]\nvariables: {n: 3}\n"
      "forces: [{point_force: bar.C, value: [n, 0]}]\n"
      "events: {low: {when: r(P).y + 0.3, set: {n: n + 1}, velocities: [{coordinate: r(P).x^2 + r(P).y^2, velocity: "
      "1}]}}\n"
      "objectives: {n: {final: n}, y: {final: r(P).y}, vy: {final: v(P).y}}\nsimulation: {end: 2, step: 0.01}\n";
  MbsModel *model = read_text(context, "rod.yaml", rod);
  for (int f = 0; f < FORMULATIONS; ++f) {
    MbsRequest request = request_of(model, formulations[f], "natural", MBS_METHOD_ADJOINT);
    MbsResult *result = NULL;
    ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
    ENSURE(result && !result->is_complete && !result->gradient && result->event_count == 0);
    ENSURE_CONTAINS(result->error, "event \"low\"");
    ENSURE_NEAR(result->values[0], 3, 0);
    ENSURE_NEAR(result->values[1], -0.3, 1e-12);
    // energy: (J + m/4) w^2 / 2 = m g y / 2 + n (x - 1) / 2, at the trapezoidal rule's order
    double w2 = 2 * (9.81 * 0.15 + 1.5 * (sqrt(1 - 0.09) - 1)) / (0.1 + 0.25);
    ENSURE_NEAR(result->values[2], -sqrt(w2 * (1 - 0.09)), 2e-3);
    ENSURE_NEAR(result->points[0].velocity[1], result->values[2], 1e-12);
    mbs_result_destroy(result);
    // the joint's force m a - n, with the n from before
    request.method = MBS_METHOD_NONE;
    ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
    ENSURE_NEAR(result->reactions[0].force[0], result->points[0].acceleration[0] / 2 - 3, 1e-3);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// ---- simulators ----
static void check_simulator(void) {
  MbsModel *model = read_text(context, "pendulum.yaml", pendulum);
  MbsRequest request = request_of(model, "ali3p", "relative", MBS_METHOD_DIRECT);
  MbsSimulator *simulator;
  MbsSaved *saved = NULL;
  MbsResult *result = NULL, *again = NULL;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE(mbs_simulator_run(context, simulator) == MBS_ERROR_NUMERICAL);
  ENSURE_NEAR(mbs_simulator_time(simulator), 0.1, 1e-15);
  ENSURE(!mbs_simulator_gradient(simulator));
  ENSURE_OK(context, mbs_simulator_result(context, simulator, &result));
  ENSURE(!result->is_complete && result->gradient);
  ENSURE_CONTAINS(result->error, "wind");
  ENSURE(mbs_simulator_step(context, simulator) == MBS_ERROR_INPUT);
  // step by step, back before the failure, and there again
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  MbsStatus status = MBS_OK;
  for (int i = 0; i < 20 && status == MBS_OK; ++i) {
    if (i == 7) {
      ENSURE_OK(context, mbs_simulator_save(context, simulator, &saved));
    }
    status = mbs_simulator_step(context, simulator);
  }
  ENSURE(status == MBS_ERROR_NUMERICAL);
  ENSURE_OK(context, mbs_simulator_restore(context, simulator, saved));
  ENSURE_NEAR(mbs_simulator_time(simulator), 0.07, 1e-15);
  ENSURE_OK(context, mbs_simulator_result(context, simulator, &again));
  ENSURE(again->is_complete && !again->error);
  mbs_result_destroy(again);
  for (status = MBS_OK; status == MBS_OK; status = mbs_simulator_step(context, simulator)) {
  }
  ENSURE_OK(context, mbs_simulator_result(context, simulator, &again));
  ENSURE(!again->is_complete);
  for (int i = 0; i < 6; ++i) {
    ENSURE(again->gradient[i] == result->gradient[i]);
  }
  mbs_result_destroy(again);
  mbs_result_destroy(result);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

static void check_start(void) {
  MbsModel *model = read_model(context, "tests/bad/singular_start.yaml");
  MbsRequest request = request_of(model, "index1", "natural", MBS_METHOD_NONE);
  MbsResult *result = NULL;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
  ENSURE(!result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_methods();
  check_events();
  check_contradiction();
  check_simulator();
  check_start();
  mbs_context_destroy(context);
  return 0;
}
