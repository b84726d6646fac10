// What is not defined along the way is named: a force, in every formulation; an objective, but only one that was asked
// for. And what is well defined is not called singular: two suspensions whose pivots are poor and whose condition is
// not.
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
      }
    }
  }
  mbs_model_destroy(model);
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
  test_vehicle();
  test_travel();
  mbs_context_destroy(context);
  return 0;
}
