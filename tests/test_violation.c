// Constraints that are off: against the mechanism's size and speeds, whatever its units and its place; the warning and
// the error. And what else a run says about itself: the balance of energy, and the steps to an end that is no multiple.
#include "support.h"

static MbsContext *context;
static const char *const formulations[] = {"index1", "ali1", "penalty", "index3", "ali3p", "matrix-r"};
static const char *const both[] = {"natural", "relative"};
enum { FORMULATIONS = 6 };

static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *coordinates) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", formulation);
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  return request;
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request) {
  MbsResult *result;
  ENSURE_OK(context, mbs_run(context, model, request, &result));
  return result;
}

// ---- a rope that is to become shorter than nothing ----
static void test_crane(void) {
  MbsModel *model = read_model(context, "tests/models/case_tower_crane.yaml");
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_model_set(context, model, "L1", "-5"));
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < 2; ++c) {
      MbsRequest request = request_of(model, formulations[f], both[c]);
      ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
      // 30 - 35 step5(t / 10) is negative from t = 7.13 on
      const char *time = strstr(mbs_context_message(context), "t = ");
      ENSURE_CONTAINS(mbs_context_message(context), "driver \"hoist\"");
      ENSURE(time && atof(time + 4) > 7 && atof(time + 4) < 10);
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// ---- the heavy top ----
static void test_top(void) {
  // steady precession, W = 3 / s: the centre of mass on a circle, and its weight
  const double W = 1.6939274201851058 / 0.5646424733950353, side = 0.8 * W * W * 0.15 * 0.5646424733950353;
  MbsModel *model = read_model(context, "tests/models/case_heavy_top.yaml");
  MbsRequest request = request_of(model, "index1", "natural");
  MbsResult *result = run(model, &request);
  ENSURE(result->warning_count == 1);
  ENSURE_CONTAINS(result->warnings[0], "constraint \"body t: angle of t.v and t.w\" drifts");
  ENSURE_CONTAINS(result->warnings[0], "at t = 2");
  ENSURE(result->statistics.worst_position.off > 5e-3 && result->statistics.worst_position.off < 0.1);
  mbs_result_destroy(result);
  for (int c = 0; c < 2; ++c) {
    request = request_of(model, "ali3p", both[c]);
    result = run(model, &request);
    ENSURE(result->warning_count == 0 && !(result->statistics.worst_position.off > 0));
    ENSURE_NEAR(result->values[1], hypot(side, 0.8 * 9.81), 2e-3);  // 149 rad/s in steps of 1e-3: (w h)^2 / 12 is 2e-3
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// ---- units and place ----
// A pendulum with drift, in metres, in millimetres and far away: the same motion, the same share of its size.
static const char pendulum[] =
    "mbsens: 1\n"
    "gravity: [0, -9.81*u]\n"
    "parameters: {u: 1, y: 0}\n"
    "ground: {points: {O: [0, y]}}\n"
    "bodies: {b: {mass: 1, points: {P: [0, 0]}}}\n"
    "joints: [{distance: [ground.O, b.P], length: u}]\n"
    "initial: {points: {P: [u, y]}, independent: [{coordinate: r(P).y, value: y}]}\n"
    "objectives: {x: {integral: r(P).x}}\n"
    "simulation: {end: 5, step: 0.05, formulation: index1}\n";

static MbsResult *run_pendulum(const char *u, const char *y, const MbsRecorder *recorder) {
  MbsModel *model = read_text(context, "pendulum", pendulum);
  ENSURE_OK(context, mbs_model_set(context, model, "u", u));
  ENSURE_OK(context, mbs_model_set(context, model, "y", y));
  MbsRequest request = request_of(model, "index1", "natural");
  request.recorder = recorder;
  MbsResult *result = run(model, &request);
  mbs_model_destroy(model);
  return result;
}

static void test_units(void) {
  MbsResult *metres = run_pendulum("1", "0", NULL);
  const char *const others[][2] = {{"1000", "0"}, {"0.001", "0"}, {"1", "1000"}};
  double p = metres->statistics.worst_position.off, v = metres->statistics.worst_velocity.off;
  // |Phi| / |Phi_q| = (d^2 - 1) / (2 d) of a pendulum whose point and pivot are 1 apart: size 1, d from the residual
  double square = 1 + metres->statistics.residual_position;
  ENSURE(metres->statistics.residual_position > 1e-3);
  ENSURE_NEAR(p, (square - 1) / (2 * sqrt(square)), 0.05 * p);
  ENSURE(p > 1e-3 && v > 1e-3 && metres->warning_count == 1);
  for (int i = 0; i < 3; ++i) {
    MbsResult *result = run_pendulum(others[i][0], others[i][1], NULL);
    ENSURE_NEAR(result->statistics.worst_position.off, p, 1e-6 * p);
    ENSURE_NEAR(result->statistics.worst_velocity.off, v, 1e-6 * v);
    mbs_result_destroy(result);
  }
  mbs_result_destroy(metres);
}

// ---- energy ----
typedef struct Balance {
  double E0, V0, worst, largest;
  bool has_begun;
} Balance;

static MbsStatus begin(void *user, int count, const char *const *names) {
  (void)user;
  ENSURE(count >= 5 && strcmp(names[2], "P.y") == 0 && strcmp(names[3], "P.x'") == 0);
  return MBS_OK;
}

static MbsStatus row(void *user, const double *values) {
  Balance *balance = user;
  double T = (values[3] * values[3] + values[4] * values[4]) / 2, V = 9.81 * values[2];
  if (!balance->has_begun) {
    *balance = (Balance){.E0 = T + V, .V0 = V, .has_begun = true};
  }
  balance->worst = fmax(balance->worst, fabs(T + V - balance->E0));
  balance->largest = fmax(balance->largest, fmax(T, fabs(V - balance->V0)));
  return MBS_OK;
}

static void test_energy(void) {
  Balance balance = {0};
  MbsRecorder recorder = {.user = &balance, .begin = begin, .row = row};
  MbsResult *result = run_pendulum("1", "0", &recorder);  // T0 + V0 = 0
  double drift = result->statistics.energy_drift;
  ENSURE(drift > 1e-6 && drift < 0.1);
  ENSURE_NEAR(drift, balance.worst / balance.largest, 1e-12);
  mbs_result_destroy(result);
  result = run_pendulum("1", "1000", NULL);  // heights may be counted from anywhere
  ENSURE_NEAR(result->statistics.energy_drift, drift, 1e-9);
  mbs_result_destroy(result);
}

// ---- the last steps of index3 ----
static MbsResult *run_five_bar(const MbsModel *model, double end, MbsMethod method, double memory) {
  MbsRequest request = request_of(model, "index3", "natural");
  request.settings.end = end;
  request.method = method;
  request.memory = memory;
  return run(model, &request);
}

static void test_last_steps(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  const double ends[] = {5.000001, 5.003, 5.0049, 5.0051, 5.0099};
  MbsResult *whole = run_five_bar(model, 5, MBS_METHOD_DIRECT, 0);
  ENSURE(whole->statistics.steps == 500);
  for (int i = 0; i < 5; ++i) {
    MbsResult *direct = run_five_bar(model, ends[i], MBS_METHOD_DIRECT, 0);
    MbsResult *adjoint = run_five_bar(model, ends[i], MBS_METHOD_ADJOINT, 1e5);  // in segments
    MbsResult *complex = run_five_bar(model, ends[i], MBS_METHOD_COMPLEX_STEP, 0);
    ENSURE(direct->statistics.steps == (ends[i] < 5.005 ? 500 : 501));
    ENSURE(adjoint->statistics.segments > 1);
    ENSURE_NEAR(direct->final_time, ends[i], 0);
    ENSURE(direct->statistics.residual_acceleration < 1.2 * whole->statistics.residual_acceleration);
    // |d psi/dt| = |g| <= 25 over the path
    ENSURE_NEAR(direct->values[0], whole->values[0], 25 * (ends[i] - 5));
    for (int k = 0; k < direct->parameter_count * direct->objective_count; ++k) {
      double close = 1e-9 * (1 + fabs(complex->gradient[k]));
      ENSURE_NEAR(direct->gradient[k], complex->gradient[k], close);
      ENSURE_NEAR(adjoint->gradient[k], complex->gradient[k], close);
    }
    mbs_result_destroy(direct);
    mbs_result_destroy(adjoint);
    mbs_result_destroy(complex);
  }
  mbs_result_destroy(whole);
  mbs_model_destroy(model);
}

// a step longer than the run: one step, to the end
static void test_long_step(void) {
  MbsModel *model = read_text(context, "pendulum", pendulum);
  for (int f = 0; f < FORMULATIONS; ++f) {
    MbsRequest request = request_of(model, formulations[f], "natural");
    request.settings.end = 0.05;
    request.settings.step = 3;
    MbsResult *result = run(model, &request);
    ENSURE(result->statistics.steps == 1);
    ENSURE_NEAR(result->request->settings.step, 0.05, 0);
    ENSURE_NEAR(result->final_time, 0.05, 0);
    ENSURE_NEAR(result->points[0].position[1], -9.81 * 0.05 * 0.05 / 2, 2e-3);  // one step: of the order h^2
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  test_crane();
  test_top();
  test_units();
  test_energy();
  test_last_steps();
  test_long_step();
  mbs_context_destroy(context);
  return 0;
}
