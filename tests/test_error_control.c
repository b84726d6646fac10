// Errors of sensitivities in the control of step sizes (error_control: sensitivities): where the state rests and its
// derivatives do not, against a closed form, which the state's errors alone miss; direct = adjoint = complex step along
// the path that the direct method finds, through events too; the same steps after a restore; what is not offered.
//
// Seen to fail with a planted error, one at a time:
//   simulation/step_control.c        columns without weight; their largest so far not noted
//   sensitivities/run_bridge.c       the path of the direct method not followed
//   simulation/checkpoint.c          the largest of columns not restored
#include <mbsens/simulator.h>

#include "event_runs.h"
#include "model/field.h"

// s'' = c - K s from rest, c = 0: s = 0, and ds/dc = (1 - cos wt) / K with w = sqrt K; x' = b - x, b = 0, x = 0:
// dx/db = 1 - exp(-t)
static const char *const resting =
    "mbsens: 1\n"
    "parameters: {c: 0, K: 400, b: 0, unused: 3}\n"
    "coordinates: {s: {inertia: 1}}\n"
    "states: {x: {rate: b - x, initial: 0}}\n"
    "forces: [{coordinate_force: s, value: c - K*s}]\n"
    "objectives:\n"
    "  s: {final: s}\n"
    "  x: {final: x}\n"
    "simulation: {end: 3, step: 0.01, formulation: index1, step_tolerance: 1e-7}\n";

static MbsRequest controlled(const MbsModel *model, const char *integrator, bool of_columns) {
  MbsRequest request = request_of(model, "index1", "natural");
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  request.settings.is_column_controlled = of_columns;
  return request;
}

static void check_resting(const char *integrator, MbsMethod method) {
  MbsModel *model = read_text(context, "at rest", resting);
  double by_c = (1 - cos(20.0 * 3)) / 400, by_b = 1 - exp(-3.0), off[2][2];
  long steps[2];
  for (int pass = 0; pass < 2; ++pass) {
    MbsRequest request = controlled(model, integrator, pass > 0);
    MbsResult *result = run_with(model, &request, method);
    off[pass][0] = fabs(slope(result, "s", "c") / by_c - 1);
    off[pass][1] = fabs(slope(result, "x", "b") / by_b - 1);
    ENSURE_NEAR(slope(result, "s", "unused"), 0, 0);
    ENSURE_NEAR(value(result, "s"), 0, 0);
    steps[pass] = result->statistics.steps;
    mbs_result_destroy(result);
  }
  (void)printf("%s: by c and b off by %.1e and %.1e in %ld steps; by the state alone %.1e and %.1e in %ld\n",
               integrator, off[1][0], off[1][1], steps[1], off[0][0], off[0][1], steps[0]);
  ENSURE(off[0][0] > 1e-2);  // the state has no error at all
  ENSURE(off[1][0] < 2e-5 && off[1][1] < 1e-6);
  ENSURE(off[1][0] > 1e-12 && steps[1] > 2 * steps[0]);
  ENSURE(steps[1] < (strstr(integrator, "5") ? 450 : 88));  // what passes zero counts against what it has been
  mbs_model_destroy(model);
}

static void check_methods(const char *path, const char *integrator, const char *formulation, const char *kind) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation, kind);
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  request.settings.step_tolerance = 1e-5;
  request.settings.end = 2;
  request.settings.is_column_controlled = true;
  int events = compare_methods(model, &request, path);
  (void)printf("%s, %s, %s, %s: %d events\n", path, integrator, formulation, kind, events);
  mbs_model_destroy(model);
}

// steps from what was saved lead to the same bits
static void check_restored(void) {
  MbsModel *model = read_model(context, "models/five_bar_impact.yaml");
  MbsRequest request = controlled(model, "dormand-prince-5", true);
  MbsSimulator *simulator;
  MbsSaved *saved = NULL;
  double seen[2][2];
  request.settings.step_tolerance = 1e-6;
  request.method = MBS_METHOD_DIRECT;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  for (int i = 0; i < 20; ++i) {
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
  }
  ENSURE_OK(context, mbs_simulator_save(context, simulator, &saved));
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < 30; ++i) {
      ENSURE_OK(context, mbs_simulator_step(context, simulator));
    }
    seen[pass][0] = mbs_simulator_time(simulator);
    ENSURE_OK(context, mbs_simulator_finish(context, simulator));
    seen[pass][1] = mbs_simulator_gradient(simulator)[0];
    ENSURE_OK(context, mbs_simulator_restore(context, simulator, saved));
  }
  ENSURE_NEAR(seen[1][0], seen[0][0], 0);
  ENSURE_NEAR(seen[1][1], seen[0][1], 0);
  mbs_simulator_destroy(simulator);
  // an adjoint knows no columns on the way
  request.method = MBS_METHOD_ADJOINT;
  ENSURE(mbs_simulator_create(context, model, &request, &simulator) == MBS_ERROR_NOT_OFFERED);
  ENSURE_CONTAINS(mbs_context_message(context),
                  "error_control sensitivities is not offered by a simulator with an adjoint");
  request.settings.step_tolerance = 0;
  request.method = MBS_METHOD_DIRECT;
  ENSURE(mbs_simulator_create(context, model, &request, &simulator) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "give a step_tolerance");
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  for (int m = 0; m < MBS_COUNT(methods); ++m) {
    check_resting("dormand-prince-5", methods[m]);
    check_resting("dormand-prince-8", methods[m]);
  }
  check_methods("models/five_bar.yaml", "dormand-prince-5", "matrix-r", "relative");
  check_methods("models/five_bar_impact.yaml", "dormand-prince-8", "index1", "natural");
  check_methods("models/five_bar_impact.yaml", "dormand-prince-5", "matrix-r", "relative");
  check_restored();
  mbs_context_destroy(context);
  return 0;
}
