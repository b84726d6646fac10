// Kinks of forces and integrands are where steps end, with integrators above the second order (model/branch.c): an
// oscillator that meets a bump stop, piece by piece in closed form; kinks of all kinds by every method.
#include "event_runs.h"

// x'' = -k x, and beyond u a stop of the stiffness K; from 0 with v until T, when it has left the stop again
static double meets_stop(double k, double K, double u, double v, double T) {
  double w = sqrt(k), fast = sqrt(k + K), hit = asin(w * u / v) / w, speed = sqrt(v * v - k * u * u);
  double phase = atan2(u * k / (k + K) * fast, speed), back = hit + (acos(-1) - 2 * phase) / fast;
  ENSURE(T > back && T < back + 0.5);
  return u * cos(w * (T - back)) - speed / w * sin(w * (T - back));
}

static void test_stop(const char *integrator, double step, double bound) {
  const double k = 4, K = 400, u = 0.21, v = 1.3, T = 0.5, d = 1e-5;
  MbsModel *model = read_text(context, "stop",
                              "mbsens: 1\nparameters: {k: 4, K: 400, u: 0.21, v: 1.3}\n"
                              "coordinates: {x: {inertia: 1}}\n"
                              "forces:\n  - {stop: x, upper: u, stiffness: K, exponent: 1}\n"
                              "  - {coordinate_force: x, value: -k*value}\n"
                              "initial: {independent: [{coordinate: x, value: 0, velocity: v}]}\n"
                              "objectives: {x: {final: x}}\nsimulation: {end: 0.5}\n");
  MbsRequest request = request_of(model, "index1", "natural");
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  request.settings.step = step;
  MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
  const double slopes[] = {(meets_stop(k + d, K, u, v, T) - meets_stop(k - d, K, u, v, T)) / (2 * d),
                           (meets_stop(k, K + d, u, v, T) - meets_stop(k, K - d, u, v, T)) / (2 * d),
                           (meets_stop(k, K, u + d, v, T) - meets_stop(k, K, u - d, v, T)) / (2 * d),
                           (meets_stop(k, K, u, v + d, T) - meets_stop(k, K, u, v - d, T)) / (2 * d)};
  double off = fabs(result->values[0] - meets_stop(k, K, u, v, T)), slope_off = 0;
  for (int i = 0; i < 4; ++i) {
    slope_off = fmax(slope_off, fabs(result->gradient[i] - slopes[i]));
  }
  (void)printf("%s, h = %g: off by %.1e, gradient by %.1e\n", integrator, step, off, slope_off);
  ENSURE(off < bound && slope_off < fmax(100 * bound, 1e-7));  // differences are good to 1e-8
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// Drag with |v|, the larger of two, friction with a corner, an integrand with a corner
static void test_methods(void) {
  MbsModel *model = read_text(context, "kinks",
                              "mbsens: 1\nparameters: {k: 40, c: 0.2, v: 1.3, p: 0.05}\n"
                              "coordinates: {x: {inertia: 1}}\n"
                              "forces:\n  - {coordinate_force: x, value: -k*value - c*rate*abs(rate)}\n"
                              "  - {coordinate_force: x, value: \"-max(0, 300*(x - p)) + min(0.1, x + p)\"}\n"
                              "  - {stop: x, lower: -0.1, stiffness: 900, exponent: 2, damping: 0.3}\n"
                              "states: {y: {rate: abs(x - p) - y}}\n"
                              "initial: {independent: [{coordinate: x, value: 0.01, velocity: v}]}\n"
                              "objectives: {x: {final: x}, y: {final: y}, i: {integral: \"abs(x + p) + max(x, p)\"}}\n"
                              "simulation: {end: 1}\n");
  MbsRequest request = request_of(model, "index1", "natural");
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "dormand-prince-8");
  request.settings.step = 0.02;
  ENSURE(compare_methods(model, &request, "kinks") > 10);
  MbsResult *coarse = run_with(model, &request, MBS_METHOD_DIRECT);
  request.settings.step = 0.01;
  MbsResult *fine = run_with(model, &request, MBS_METHOD_DIRECT);
  ENSURE(coarse->warning_count == 0);
  double off = distance(1, 3, coarse->values, fine->values),
         slope_off = distance(3, 4, coarse->gradient, fine->gradient);
  (void)printf("kinks, steps of 0.02 and 0.01: %.1e apart, gradients %.1e\n", off, slope_off);
  ENSURE(off < 1e-8 && slope_off < 1e-7);
  mbs_result_destroy(coarse);
  mbs_result_destroy(fine);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  test_stop("dormand-prince-5", 0.01, 1e-7);
  test_stop("dormand-prince-8", 0.02, 1e-10);
  test_methods();
  mbs_context_destroy(context);
  return 0;
}
