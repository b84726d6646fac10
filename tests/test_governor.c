// Watt's governor hunts. The shipped one, with a torque that falls with the height of its collar: how steep may that
// be? The steady motion is a trim (the torque at rest and the height that go with a speed), the limit is where an
// eigenvalue comes to have no real part, found by Newton's method with its exact derivative, and runs on both sides of
// it decay and grow as fast as the eigenvalue says.
#include <mbsens/build.h>
#include <mbsens/elements.h>
#include <mbsens/equilibrium.h>
#include <mbsens/simulator.h>

#include "support.h"

static MbsContext *context;

static MbsModel *build(void) {
  MbsModel *model = read_model(context, "models/governor.yaml");
  MbsTorqueDef torque = mbs_default_torque_def();
  MbsTrimConditionDef angle = mbs_default_trim_condition_def(), height = angle;
  MbsObjectiveDef hunting = mbs_default_objective_def();
  torque.body = "shaft";
  torque.value[0] = torque.value[1] = "0";
  torque.value[2] = "-gain*(slide(guide) - h)";
  angle.expression = "angle(bearing)";
  height.expression = "slide(guide) - h";
  hunting.name = "hunting";
  hunting.eigenvalue = "real";
  hunting.mode = "3";
  ENSURE_OK(context, mbs_model_add_parameter(context, model, "gain", "70"));
  ENSURE_OK(context, mbs_model_add_parameter(context, model, "h", "0"));
  ENSURE_OK(context, mbs_model_add_torque(context, model, &torque));
  ENSURE_OK(context, mbs_model_set_equilibrium(context, model, "steady", "yes"));
  ENSURE_OK(context, mbs_model_set_equilibrium(context, model, "solve", "T0, h"));
  ENSURE_OK(context, mbs_model_add_trim_condition(context, model, &angle));
  ENSURE_OK(context, mbs_model_add_trim_condition(context, model, &height));
  ENSURE_OK(context, mbs_model_set_initial(context, model, "equilibrium", "yes"));
  ENSURE_OK(context, mbs_model_add_objective(context, model, &hunting));
  return model;
}

static MbsRequest request_of(const MbsModel *model, MbsMethod method) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "relative");
  request.method = method;
  return request;
}

// the gain at which the eigenvalue's real part vanishes, and how that grows with the gain there
static double find_limit(const MbsModel *model, double *slope) {
  static const char *const objectives[] = {"hunting"}, *const parameters[] = {"gain"};
  MbsRequest request = request_of(model, MBS_METHOD_DIRECT);
  MbsSimulator *simulator;
  double gain = 70, real = 1;
  request.settings.is_equilibrium = true;
  request.objectives = objectives;
  request.parameters = parameters;
  request.objective_count = request.parameter_count = 1;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  for (int i = 0; i < 8 && fabs(real) > 1e-12; ++i) {
    ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "gain", gain));
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    real = mbs_simulator_values(simulator)[0];
    *slope = mbs_simulator_gradient(simulator)[0];
    gain -= real / *slope;
  }
  ENSURE_NEAR(real, 0, 1e-11);
  mbs_simulator_destroy(simulator);
  return gain;
}

// How fast a small motion of the arms grows, 1/s: its peaks from 2 to 4 s against those from 6 to 8 s.
static double grow(const MbsModel *model, double gain) {
  const double push = 1e-4, h = 0.005;
  MbsRequest request = request_of(model, MBS_METHOD_NONE);
  MbsSimulator *simulator;
  double q[32], v[32], peak[2] = {0}, time[2] = {0};
  request.settings.end = 8;
  request.settings.step = h;
  request.settings.tolerance = 1e-13;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "gain", gain));
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  int count = mbs_simulator_coordinate_count(simulator), hinge = -1;
  for (int i = 0; i < count; ++i) {
    hinge = strstr(mbs_simulator_coordinate_names(simulator)[i], "hinge1") ? i : hinge;
  }
  ENSURE(count <= 32 && hinge >= 0);
  ENSURE_OK(context, mbs_simulator_state(context, simulator, count, q, v, NULL));
  v[hinge] += push;
  ENSURE_OK(context, mbs_simulator_set_state(context, simulator, count, q, v, true));
  while (!mbs_simulator_is_over(simulator)) {
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
    ENSURE_OK(context, mbs_simulator_state(context, simulator, count, NULL, v, NULL));
    double t = mbs_simulator_time(simulator);
    int window = t > 2 && t < 4 ? 0 : t > 6 ? 1 : -1;
    if (window >= 0 && fabs(v[hinge]) > peak[window]) {
      peak[window] = fabs(v[hinge]);
      time[window] = t;
    }
  }
  mbs_simulator_destroy(simulator);
  ENSURE(peak[0] > 0.01 * push && peak[1] < 1e3 * push);
  return log(peak[1] / peak[0]) / (time[1] - time[0]);
}

int main(void) {
  double slope = 0;
  context = mbs_context_create();
  MbsModel *model = build();
  double limit = find_limit(model, &slope);
  ENSURE(limit > 50 && limit < 100 && slope > 0.005);
  for (int side = -1; side <= 1; side += 2) {
    double off = side * 10, foretold = slope * off, found = grow(model, limit + off);
    ENSURE(side * found > 0.05);
    ENSURE_NEAR(found, foretold, 0.1 * fabs(foretold));
    (void)printf("gain %.6g %+g: %.4g 1/s, foretold about %.4g\n", limit, off, found, foretold);
  }
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return 0;
}
