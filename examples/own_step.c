// A step of one's own: Runge and Kutta's method of order 4 on the accelerations that the terms give at any state,
// compared with the library's run of the same model. Usage: own_step MODEL
#include <math.h>
#include <mbsens/simulator.h>
#include <mbsens/terms.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 400 };  // coordinates

#define TRY(call)              \
  do {                         \
    MbsStatus status = (call); \
    if (status != MBS_OK) {    \
      return status;           \
    }                          \
  } while (0)

// (q, v)' = (v, a(t, q, v))
static MbsStatus rate(MbsContext *context, MbsTerms *terms, int n, double t, const double *x, double *slope) {
  for (int i = 0; i < n; ++i) {
    slope[i] = x[n + i];
  }
  TRY(mbs_terms_set_state(context, terms, t, n, x, x + n));
  return mbs_terms_vector(context, terms, MBS_TERMS_ACCELERATIONS, n, slope + n);
}

static MbsStatus step(MbsContext *context, MbsTerms *terms, int n, double t, double h, double *x) {
  static const double ahead[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static double k[4][2 * MOST], at[2 * MOST];
  for (int s = 0; s < 4; ++s) {
    for (int i = 0; i < 2 * n; ++i) {
      at[i] = x[i] + (s > 0 ? ahead[s] * h * k[s - 1][i] : 0);
    }
    TRY(rate(context, terms, n, t + ahead[s] * h, at, k[s]));
  }
  for (int i = 0; i < 2 * n; ++i) {
    x[i] += h * (weight[0] * k[0][i] + weight[1] * k[1][i] + weight[2] * k[2][i] + weight[3] * k[3][i]);
  }
  return MBS_OK;
}

static MbsStatus compare(MbsContext *context, const MbsModel *model) {
  const double h = 1e-3;
  enum { STEPS = 200 };
  static double x[2 * MOST], q[MOST];
  MbsRequest *request;
  MbsTerms *terms;
  MbsSimulator *simulator;
  TRY(mbs_request_create(context, model, &request));
  TRY(mbs_request_set(context, request, "method", "none"));
  TRY(mbs_request_set_number(context, request, "step", h));
  TRY(mbs_request_set_number(context, request, "end", STEPS * h));
  TRY(mbs_terms_create(context, model, request, &terms));
  int n = mbs_terms_width(terms, MBS_BY_POSITIONS);
  TRY(mbs_terms_state(context, terms, NULL, n, x, x + n));
  for (int i = 0; i < STEPS; ++i) {
    TRY(step(context, terms, n, i * h, h, x));
  }
  TRY(mbs_simulator_create(context, model, request, &simulator));
  TRY(mbs_simulator_run(context, simulator));
  TRY(mbs_simulator_state(context, simulator, n, q, NULL, NULL));
  double off = 0;
  for (int i = 0; i < n; ++i) {
    (void)printf("%-8s %16.10f %16.10f\n", mbs_terms_coordinate_names(terms)[i], x[i], q[i]);
    off = fmax(off, fabs(x[i] - q[i]));
  }
  (void)printf("largest difference after %d steps: %.1e\n", STEPS, off);
  mbs_terms_destroy(terms);
  mbs_simulator_destroy(simulator);
  mbs_request_destroy(request);
  return off < 1e-4 ? MBS_OK : MBS_ERROR_NUMERICAL;
}

int main(int argc, char **argv) {
  MbsContext *context = mbs_context_create();
  MbsModel *model = NULL;
  MbsStatus status = mbs_model_read_file(context, argc > 1 ? argv[1] : "models/five_bar.yaml", &model);
  status = status == MBS_OK ? compare(context, model) : status;
  if (status != MBS_OK) {
    (void)fprintf(stderr, "%s\n", mbs_context_message(context));
  }
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return status == MBS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
