// Runs a model given as text and compares its objectives with a closed solution.
//
// The scheme is of second order: with steps h and h/2 the errors are to be in the ratio 4 (within 0.05: what the h^4
// term leaves at these steps) and the second below a stated bound, which is some C h^2 with C of the motion's size.
// What the trapezoidal rule integrates exactly (constant accelerations, constant reactions) has the bound 0 and is
// asked to 1e-11: rounding over the steps. Both formulations run; the penalty formulation pulls the drift back and so
// has another C: it is to be in the same region.
#ifndef MBS_CLOSED_FORM_H
#define MBS_CLOSED_FORM_H

#include "support.h"

static MbsContext *context;

enum { MOST = 4 };  // objectives

static inline void run(const char *text, const char *formulation, double step, int count, double *values) {
  MbsModel *model = read_text(context, "closed form", text);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  request.settings.step = step;
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(result->objective_count == count);
  memcpy(values, result->values, (size_t)count * sizeof *values);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// order two towards the expected values, and the bound at the smaller step; 0: exact but for rounding
static inline void ensure_closed_form(const char *name, const char *text, double step, int count,
                                      const double *expected, const double *bound) {
  const double exact = 1e-11;
  double coarse[MOST], fine[MOST], penalty[MOST];
  run(text, "index1", step, count, coarse);
  run(text, "index1", step / 2, count, fine);
  run(text, "penalty", step / 2, count, penalty);
  for (int i = 0; i < count; ++i) {
    double error = fine[i] - expected[i], before = coarse[i] - expected[i];
    (void)printf("%-22s %d: %.12g, error %.2e, ratio %.3f; penalty %.2e\n", name, i + 1, expected[i], error,
                 before / error, penalty[i] - expected[i]);
    if (bound[i] > 0) {
      ENSURE_NEAR(error, 0, bound[i]);
      ENSURE_NEAR(before / error, 4, 0.05);
      ENSURE(fabs(error) > 1e-9);  // a ratio of roundings would say nothing
    } else {
      ENSURE_NEAR(error, 0, exact * (1 + fabs(expected[i])));
      ENSURE_NEAR(before, 0, exact * (1 + fabs(expected[i])));
    }
    ENSURE_NEAR(penalty[i], expected[i], fmax(20 * bound[i], 1e-4));
  }
}

// y' = f(y) by the classical rule of order four with 20,000 steps: error below 1e-12
typedef void Rate(const double *constants, const double *y, double *rate);

static inline void integrate(Rate *rate, const double *constants, int n, double end, double *y) {
  enum { STEPS = 20000, SIZE = 3 };
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double h = end / STEPS;
  for (int i = 0; i < STEPS; ++i) {
    double k[SIZE] = {0}, sum[SIZE] = {0}, z[SIZE];
    for (int stage = 0; stage < 4; ++stage) {
      for (int j = 0; j < n; ++j) {
        z[j] = y[j] + at[stage] * h * k[j];
      }
      rate(constants, z, k);
      for (int j = 0; j < n; ++j) {
        sum[j] += weight[stage] * k[j] / 6;
      }
    }
    for (int j = 0; j < n; ++j) {
      y[j] += h * sum[j];
    }
  }
}

#endif
