// Second derivatives: a closed form, symmetry (which nothing in the computation knows of), differences of gradients, in
// all formulations and both coordinates, explicit methods, through impacts; products with directions; what is refused.
#include <mbsens/hessian.h>

#include "support.h"

static MbsContext *context;

static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *kind, const char *integrator) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  request.settings.tolerance = 1e-12;
  request.method = MBS_METHOD_ADJOINT;
  return request;
}

static MbsHessian *hessian_of(const MbsModel *model, const MbsRequest *request) {
  MbsHessian *hessian;
  ENSURE_OK(context, mbs_hessian(context, model, request, 0, NULL, &hessian));
  return hessian;
}

static double second(const MbsHessian *hessian, int objective, int p, int q) {
  return hessian->products[(objective * hessian->direction_count + p) * hessian->parameter_count + q];
}

static double largest_second(const MbsHessian *hessian, int objective) {
  double largest = 0;
  for (int p = 0; p < hessian->parameter_count; ++p) {
    largest = fmax(largest, fabs(second(hessian, objective, p, p)));
  }
  return largest;
}

// x'' = -k/m x, x(0) = 1: x(T) = cos(w T), w = sqrt(k/m)
static void test_closed_form(void) {
  static const char text[] =
      "mbsens: 1\nname: oscillator\nparameters: {k: 7, m: 2}\ncoordinates: {x: {inertia: m}}\n"
      "initial: {independent: [{coordinate: x, value: 1, velocity: 0}]}\n"
      "forces: [{coordinate_force: x, value: -k*x}]\nobjectives: {x: {final: x}}\n"
      "simulation: {end: 1.3, step: 0.02, formulation: index1}\n";
  const double k = 7, m = 2, T = 1.3, w = sqrt(k / m), c = cos(w * T), s = sin(w * T);
  MbsModel *model = read_text(context, "oscillator", text);
  MbsRequest request = request_of(model, "index1", "natural", "dormand-prince-8");
  MbsHessian *hessian = hessian_of(model, &request);
  // x = cos(u), u = w T: x_ab = -sin(u) u_ab - cos(u) u_a u_b
  const double u[] = {w * T / (2 * k), -w * T / (2 * m)};
  const double uu[] = {-w * T / (4 * k * k), -w * T / (4 * k * m), 3 * w * T / (4 * m * m)};
  ENSURE_NEAR(hessian->values[0], c, 1e-12);
  for (int p = 0; p < 2; ++p) {
    ENSURE_NEAR(hessian->gradient[p], -s * u[p], 1e-11);
    for (int q = 0; q < 2; ++q) {
      ENSURE_NEAR(second(hessian, 0, p, q), -s * uu[p + q] - c * u[p] * u[q], 1e-10);
    }
  }
  mbs_hessian_destroy(hessian);
  mbs_model_destroy(model);
}

// step: of the differences, relative; tolerance: of what is left of these, relative to the largest
static void test_differences(const char *path, const char *formulation, const char *kind, const char *integrator,
                             double end, double step, double tolerance) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation, kind, integrator);
  request.settings.end = end;
  MbsHessian *hessian = hessian_of(model, &request);
  int count = hessian->parameter_count;
  for (int o = 0; o < hessian->objective_count; ++o) {
    double largest = largest_second(hessian, o);
    ENSURE(largest > 0);
    for (int p = 0; p < count; ++p) {
      for (int q = 0; q < p; ++q) {
        ENSURE_NEAR(second(hessian, o, p, q), second(hessian, o, q, p), 1e-8 * largest);
      }
    }
  }
  double value = hessian->parameter_values[0], h = step * fabs(value);
  MbsResult *side[2];
  for (int s = 0; s < 2; ++s) {
    char number[40];
    (void)snprintf(number, sizeof number, "%.17g", value + (s == 0 ? -h : h));
    ENSURE_OK(context, mbs_model_set(context, model, hessian->parameters[0], number));
    ENSURE_OK(context, mbs_run(context, model, &request, &side[s]));
  }
  for (int o = 0; o < hessian->objective_count; ++o) {
    double largest = largest_second(hessian, o);
    for (int q = 0; q < count; ++q) {
      double slope = (side[1]->gradient[o * count + q] - side[0]->gradient[o * count + q]) / (2 * h);
      ENSURE_NEAR(second(hessian, o, 0, q), slope, tolerance * (largest + fabs(slope)));
    }
  }
  for (int s = 0; s < 2; ++s) {
    mbs_result_destroy(side[s]);
  }
  mbs_hessian_destroy(hessian);
  mbs_model_destroy(model);
}

static void test_products(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural", "trapezoidal");
  request.settings.end = 0.5;
  MbsHessian *hessian = hessian_of(model, &request), *products;
  const double directions[] = {0.3, -1, 0, 2, 0.7, 1, 1, 1, 1, 1};
  ENSURE_OK(context, mbs_hessian(context, model, &request, 2, directions, &products));
  for (int o = 0; o < hessian->objective_count; ++o) {
    for (int d = 0; d < 2; ++d) {
      for (int q = 0; q < 5; ++q) {
        double sum = 0;
        for (int p = 0; p < 5; ++p) {
          sum += directions[5 * d + p] * second(hessian, o, p, q);
        }
        ENSURE_NEAR(products->products[(o * 2 + d) * 5 + q], sum, 1e-9 * largest_second(hessian, o));
      }
    }
  }
  const double bad[] = {1, 2, (double)NAN, 0, 0};
  MbsHessian *refused;
  ENSURE(mbs_hessian(context, model, &request, 1, bad, &refused) == MBS_ERROR_INPUT && !refused);
  ENSURE_CONTAINS(mbs_context_message(context), "direction 1: its component 3");
  ENSURE(mbs_hessian(context, model, &request, 1, NULL, &refused) == MBS_ERROR_INPUT);
  mbs_hessian_destroy(products);
  mbs_hessian_destroy(hessian);
  mbs_model_destroy(model);
}

int main(void) {
  static const char *const formulations[] = {"index1", "penalty", "ali1", "ali3p", "matrix-r"};
  static const char *const kinds[] = {"natural", "relative"};
  context = mbs_context_create();
  ENSURE(context);
  test_closed_form();
  test_products();
  for (int f = 0; f < 5; ++f) {
    for (int k = 0; k < 2; ++k) {
      test_differences("models/five_bar.yaml", formulations[f], kinds[k], "trapezoidal", 0.5, 1e-5, 1e-6);
      test_differences("models/five_bar_impact.yaml", formulations[f], kinds[k], "trapezoidal", 0.5, 1e-6, 1e-5);
    }
  }
  test_differences("models/five_bar.yaml", "index3", "natural", "generalised-alpha", 0.5, 1e-5, 1e-6);
  test_differences("models/five_bar_impact.yaml", "index1", "relative", "dormand-prince-5", 2, 1e-6,
                   1e-4);  // two impacts
  mbs_context_destroy(context);
  return 0;
}
