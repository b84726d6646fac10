// A path that a caller keeps (mbs_simulator_keep_path): values along it are smooth functions of the parameters, to the
// digits that differences can show, where steps that find their own size make them jump; gradients at other parameters
// are those of these functions; the same in independent coordinates, through events, and by the adjoint. Then it is
// given up, and what there was before is there again, to the bit. What cannot be kept says so.
//
// Seen to fail with a planted error, one at a time:
//   sensitivities/session.c            the path not followed
//   sensitivities/adjoint.c            the number of steps known where it is not
#include <mbsens/simulator.h>

#include "event_runs.h"
#include "model/field.h"

typedef struct Case {
  const char *path, *integrator, *formulation;
  MbsMethod method;
  const char *parameter;
  double tolerance;
} Case;

static MbsSimulator *create(const MbsModel *model, const Case *which) {
  static const char *name;
  MbsRequest request = request_of(model, which->formulation, "natural");
  MbsSimulator *simulator;
  name = which->parameter;
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", which->integrator);
  request.settings.step_tolerance = which->tolerance;
  request.settings.step = 0.02;
  request.settings.end = 2;
  request.method = which->method;
  request.parameters = &name;
  request.parameter_count = 1;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  return simulator;
}

static double run_at(MbsSimulator *simulator, double parameter, int objective) {
  ENSURE_OK(context, mbs_simulator_set_parameters(context, simulator, 1, &parameter));
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  return mbs_simulator_values(simulator)[objective];
}

// f' by six points, whose error is of the order of d^6
static double difference(MbsSimulator *simulator, double at, double d, int objective) {
  const double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  double sum = 0;
  for (int i = 1; i <= 3; ++i) {
    sum += weights[i - 1] * (run_at(simulator, at + i * d, objective) - run_at(simulator, at - i * d, objective));
  }
  return sum / d;
}

// what differences and the gradient differ by, relative to it: the largest of all objectives; at a place beside the one
// where the path was found
static double off_by(MbsSimulator *simulator, double at, double d) {
  double worst = 0;
  for (int i = 0; i < mbs_simulator_objective_count(simulator); ++i) {
    double by_difference = difference(simulator, at, d, i);
    (void)run_at(simulator, at, i);
    double gradient = mbs_simulator_gradient(simulator)[i];
    ENSURE(fabs(gradient) > 1e-6);
    worst = fmax(worst, fabs(by_difference / gradient - 1));
  }
  return worst;
}

static void check(const Case *which) {
  MbsModel *model = read_model(context, which->path);
  MbsSimulator *simulator = create(model, which);
  double nominal = mbs_simulator_parameters(simulator)[0], d = 2e-4 * nominal, other = nominal * (1 + 1e-3);
  double before = run_at(simulator, nominal, 0), slope = mbs_simulator_gradient(simulator)[0];
  double anew = off_by(simulator, other, d);
  (void)run_at(simulator, nominal, 0);
  ENSURE_OK(context, mbs_simulator_keep_path(context, simulator, true));
  ENSURE_NEAR(run_at(simulator, nominal, 0), before, 1e-12 * fabs(before));
  double kept = off_by(simulator, other, d);
  (void)printf("%s, %s, %s, %s: off by %.1e along a path that is kept, %.1e else\n", which->path, which->formulation,
               which->integrator, which->method == MBS_METHOD_ADJOINT ? "adjoint" : "direct", kept, anew);
  ENSURE(kept < 1e-8);
  ENSURE(anew > 10 * kept);  // else nothing would have been shown
  // that of a run along it is the same again
  (void)run_at(simulator, nominal, 0);
  ENSURE_OK(context, mbs_simulator_keep_path(context, simulator, true));
  ENSURE(off_by(simulator, other, d) < 1e-8);
  ENSURE_OK(context, mbs_simulator_keep_path(context, simulator, false));
  ENSURE_NEAR(run_at(simulator, nominal, 0), before, 0);
  ENSURE_NEAR(mbs_simulator_gradient(simulator)[0], slope, 0);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// another sequence of events, and calls that have no meaning
static void check_refusals(void) {
  MbsModel *model = read_model(context, "models/five_bar_impact.yaml");
  const Case which = {NULL, "dormand-prince-5", "index1", MBS_METHOD_DIRECT, "Ls1", 1e-6};
  MbsSimulator *simulator = create(model, &which);
  double nominal = mbs_simulator_parameters(simulator)[0], far = 1.3 * nominal;
  ENSURE(mbs_simulator_keep_path(context, simulator, true) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "no run whose path could be kept");
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  ENSURE_OK(context, mbs_simulator_step(context, simulator));
  ENSURE(mbs_simulator_keep_path(context, simulator, true) == MBS_ERROR_INPUT);
  ENSURE(mbs_simulator_keep_path(context, NULL, true) == MBS_ERROR_INPUT);
  (void)run_at(simulator, nominal, 0);
  ENSURE_OK(context, mbs_simulator_keep_path(context, simulator, true));
  ENSURE_OK(context, mbs_simulator_set_parameters(context, simulator, 1, &far));
  ENSURE(mbs_simulator_run(context, simulator) == MBS_ERROR_NUMERICAL);
  (void)printf("%s\n", mbs_context_message(context));
  ENSURE_CONTAINS(mbs_context_message(context), "the path that is kept leads nowhere");
  (void)run_at(simulator, nominal, 0);  // and is good as before
  ENSURE_OK(context, mbs_simulator_keep_path(context, simulator, false));
  (void)run_at(simulator, far, 0);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  const Case cases[] = {
      {"models/five_bar.yaml", "dormand-prince-5", "index1", MBS_METHOD_DIRECT, "Ls1", 1e-4},
      {"models/five_bar.yaml", "dormand-prince-8", "matrix-r", MBS_METHOD_ADJOINT, "LA1", 1e-4},
      {"models/five_bar_impact.yaml", "dormand-prince-5", "matrix-r", MBS_METHOD_DIRECT, "Ls1", 1e-4},
      {"models/five_bar_impact.yaml", "dormand-prince-5", "index1", MBS_METHOD_ADJOINT, "Ls1", 1e-4},
  };
  for (int i = 0; i < MBS_COUNT(cases); ++i) {
    check(&cases[i]);
  }
  check_refusals();
  mbs_context_destroy(context);
  return 0;
}
