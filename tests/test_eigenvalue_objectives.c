// Eigenvalues as objectives. What cannot be fooled: closed forms with their derivatives, differences of the model run
// anew, a mode that another one overtakes while a parameter changes.
#include <complex.h>
#include <mbsens/equilibrium.h>
#include <mbsens/hessian.h>
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

// ---- a mass on a hardening spring, loaded: its stiffness is that of the equilibrium ----
// of m, c, k, h, F: k x + h x^3 = F, stiffness k + 3 h x^2
static const char hanging[] =
    "mbsens: 1\ngravity: [0, 0]\nparameters: {m: 2, c: 3, k: 40, h: 500, F: 20}\nground: {points: {O: [0, 0]}}\n"
    "bodies: {a: {mass: m, inertia: 1, points: {P: [0, 0]}}}\n"
    "joints: [{name: guide, prismatic: [ground.O, a.P], axis: [1, 0]}]\n"
    "forces:\n  - {coordinate_force: slide(guide), value: F - k*value - h*value^3 - c*rate}\n"
    "initial: {equilibrium: yes}\n"
    "objectives:\n  grow: {eigenvalue: real}\n  turn: {eigenvalue: imag, mode: 2}\n  beat: {eigenvalue: frequency}\n"
    "  loss: {eigenvalue: damping}\n  x: {equilibrium: slide(guide)}\n"
    "simulation: {end: 0.1, step: 0.01}\n";

static void closed(const double complex *p, double complex *to) {
  double complex x = 0.2;
  for (int i = 0; i < 60; ++i) {
    x -= (p[2] * x + p[3] * x * x * x - p[4]) / (p[2] + 3 * p[3] * x * x);
  }
  double complex k = p[2] + 3 * p[3] * x * x, w = csqrt(k / p[0]), d = p[1] / (2 * csqrt(k * p[0]));
  to[0] = -p[1] / (2 * p[0]);
  to[1] = w * csqrt(1 - d * d);
  to[2] = w / (2 * acos(-1.0));
  to[3] = d;
  to[4] = x;
}

static void ensure_closed(const MbsResult *result) {
  double complex p[] = {2, 3, 40, 500, 20}, form[5];
  ENSURE(result->objective_count == 5 && result->parameter_count == 5);
  closed(p, form);
  for (int i = 0; i < 5; ++i) {
    ENSURE_NEAR(result->values[i], creal(form[i]), 1e-11 * fabs(creal(form[i])));
  }
  for (int k = 0; k < 5; ++k) {
    double before = creal(p[k]);
    p[k] += 1e-30 * (double complex)I;
    closed(p, form);
    p[k] = before;
    for (int i = 0; i < 5; ++i) {
      double expected = cimag(form[i]) / 1e-30;
      double tolerance = result->request->method == MBS_METHOD_FINITE_DIFFERENCE ? 1e-6 : 1e-11;
      ENSURE_NEAR(result->gradient[i * 5 + k], expected, tolerance * (1e-1 + fabs(expected)));
    }
  }
}

static void test_closed(void) {
  MbsModel *model = read_text(context, "hanging", hanging);
  for (int c = 0; c < 2; ++c) {
    for (int m = 0; m < 4; ++m) {
      for (int is_run = 0; is_run < 2; ++is_run) {
        MbsRequest request = request_of(model, methods[m], coordinates[c]);
        MbsResult *result;
        ENSURE_OK(context, (is_run ? mbs_run : mbs_equilibrium)(context, model, &request, &result));
        ensure_closed(result);
        mbs_result_destroy(result);
      }
    }
  }
  mbs_model_destroy(model);
}

// ---- two masses: one becomes faster than the other ----
static const char two[] =
    "mbsens: 1\ngravity: [0, 0]\nparameters: {k: 100, kb: 225, c: %s}\nground: {points: {O: [0, 0], Q: [0, 1]}}\n"
    "bodies: {a: {mass: 1, inertia: 1, points: {P: [0, 0]}}, b: {mass: 1, inertia: 1, points: {S: [0, 0]}, position: "
    "[0, 1]}}\n"
    "joints: [{name: ga, prismatic: [ground.O, a.P], axis: [1, 0]}, {name: gb, prismatic: [ground.Q, b.S], axis: [1, "
    "0]}]\n"
    "forces:\n  - {coordinate_force: slide(ga), value: -k*value - c*(value - slide(gb))}\n"
    "  - {coordinate_force: slide(gb), value: -kb*value - c*(value - slide(ga))}\n"
    "objectives: {beat: {eigenvalue: imag, mode: %d}%s}\nsimulation: {end: 0.01, step: 0.01}\n";

static void test_followed(void) {
  char text[2000];
  (void)snprintf(text, sizeof text, two, "0.5", 1, "");
  MbsModel *model = read_text(context, "two", text);
  MbsRequest request = request_of(model, MBS_METHOD_ADJOINT, "natural");
  MbsSimulator *simulator;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  for (double k = 100; k < 401; k += 50) {
    double a = k + 0.5, b = 225.5, middle = (a + b) / 2, apart = sqrt((a - b) * (a - b) / 4 + 0.25);
    double square = middle + (a > b ? apart : -apart);
    ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "k", k));
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    ENSURE_NEAR(mbs_simulator_values(simulator)[0], sqrt(square), 1e-10);
    double slope = 0.5 + (a > b ? 1 : -1) * (a - b) / (4 * apart);  // of its square by k
    ENSURE_NEAR(mbs_simulator_gradient(simulator)[0], slope / (2 * sqrt(square)), 1e-10);
  }
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// ---- what has no derivative, and mistakes ----
static void ensure_failure(const char *text, MbsStatus expected, const char *message) {
  MbsModel *model = read_text(context, "mistake", text);
  MbsRequest request = request_of(model, MBS_METHOD_DIRECT, "natural");
  MbsResult *result = NULL;
  ENSURE(mbs_run(context, model, &request, &result) == expected);
  ENSURE_CONTAINS(mbs_context_message(context), message);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void test_mistakes(void) {
  char text[2000];
  (void)snprintf(text, sizeof text, two, "0", 1, "");
  MbsModel *model = read_text(context, "two", text);
  MbsRequest request = request_of(model, MBS_METHOD_NONE, "natural");
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_model_set(context, model, "kb", "100"));
  ENSURE_OK(context, mbs_run(context, model, &request, &result));  // a value it has
  ENSURE_NEAR(result->values[0], 10, 1e-12);
  mbs_result_destroy(result);
  request.method = MBS_METHOD_DIRECT;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
  ENSURE_CONTAINS(mbs_context_message(context), "is there more than once");
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  ensure_failure(
      "mbsens: 1\nparameters: {m: 1}\nbodies: {a: {mass: m, points: {P: [0, 0]}}}\nobjectives: {o: {eigenvalue: "
      "real}}\n",
      MBS_ERROR_NUMERICAL, "is defective");
  (void)snprintf(text, sizeof text, two, "0.5", 5, "");
  ensure_failure(text, MBS_ERROR_INPUT, "there are 4 modes (mbsens linearize), and number 5 is asked for");
  (void)snprintf(text, sizeof text, two, "0.5", 0, "");
  ensure_failure(text, MBS_ERROR_INPUT, "the first mode has number 1, got 0");
  (void)snprintf(text, sizeof text, two, "0.5", 1, ", twice: {value: 2*beat}");
  ensure_failure(text, MBS_ERROR_NOT_OFFERED, "which expressions of other objectives are not offered with");
  (void)snprintf(text, sizeof text, two, "0.5", 1, "");
  model = read_text(context, "two", text);
  MbsHessian *hessian = NULL;
  request = request_of(model, MBS_METHOD_ADJOINT, "natural");
  ENSURE(mbs_hessian(context, model, &request, 0, NULL, &hessian) == MBS_ERROR_NOT_OFFERED && !hessian);
  ENSURE_CONTAINS(mbs_context_message(context), "second derivatives are not offered");
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  test_closed();
  test_followed();
  test_mistakes();
  mbs_context_destroy(context);
  return 0;
}
