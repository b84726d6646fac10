// The five-bar linkage against the reference figures (high-order integration of the index-1 equations at tight
// tolerance, gradients by the complex step): structure, values, the 15 gradients, the state at the end, and second
// order: the error falls by four when the step is halved.
#include "support.h"

enum { PSI = 3, PARAMETERS = 5 };

static const char *const parameters[PARAMETERS] = {"Ls1", "Ls2", "mA1", "xG", "LA1"};
static const char *const objectives[PSI] = {"psi1", "psi2", "psi3"};
static const double psi[PSI] = {0.726877461313, 7.34228779279, 304.920693206};
static const double gradient[PSI][PARAMETERS] = {
    {-4.228810855, 3.211604103, 0.3186566756, 0.4423506782, 3.35980992},
    {-15.45206907, 50.30878485, 0.9701235491, 0.7456023208, -27.35923995},
    {221.6400682, 2436.607348, -32.49752271, -85.65671851, -2546.590203},
};
static const double r2[2] = {0.384031681698, -2.30378344423}, v2[2] = {-0.912356916221, 1.12995255477};

static MbsContext *context;
static MbsModel *model;

static MbsResult *run(const char *formulation, double step) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  request.settings.step = step;
  request.objective_count = PSI;
  request.objectives = objectives;
  request.parameter_count = PARAMETERS;
  request.parameters = parameters;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

static const MbsPointState *point(const MbsResult *result, const char *name) {
  for (int i = 0; i < result->point_count; ++i) {
    if (strcmp(result->points[i].name, name) == 0) {
      return &result->points[i];
    }
  }
  (void)fprintf(stderr, "no point %s among the results\n", name);
  exit(1);
}

// errors of the values, then of the gradients, then of r2 and v2 at the end
enum { ERRORS = PSI + PSI * PARAMETERS + 4 };

static void errors_of(const MbsResult *result, double *absolute, double *relative) {
  const MbsPointState *P2 = point(result, "P2");
  int at = 0;
  for (int i = 0; i < PSI; ++i) {
    absolute[at] = result->values[i] - psi[i];
    relative[at++] = fabs(psi[i]);
  }
  for (int i = 0; i < PSI; ++i) {
    for (int k = 0; k < PARAMETERS; ++k) {
      absolute[at] = result->gradient[i * PARAMETERS + k] - gradient[i][k];
      relative[at++] = fabs(gradient[i][k]);
    }
  }
  for (int k = 0; k < 2; ++k) {
    absolute[at] = P2->position[k] - r2[k];
    relative[at++] = fabs(r2[k]);
    absolute[at] = P2->velocity[k] - v2[k];
    relative[at++] = fabs(v2[k]);
  }
  for (int i = 0; i < ERRORS; ++i) {
    relative[i] = fabs(absolute[i]) / relative[i];
  }
}

static void check_structure(void) {
  MbsRequest request;
  MbsCheck *check;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  ENSURE(check->bodies == 4);
  ENSURE(check->coordinates == 6);
  ENSURE(check->constraints == 4);
  ENSURE(check->redundant == 0);
  ENSURE(check->degrees_of_freedom == 2);
  mbs_check_destroy(check);
}

// Trapezoidal rule: the error is C h^2 + O(h^4), so halving divides it by 4 but for what the h^4 term leaves; 3.94 to
// 4.04 is seen, 4 within 0.1 asked. Only errors above 1e-6 (relative, at h = 1e-3) are looked at: some figures happen
// to have a small C, and there other things show (the penalty's own distance from the constraints, about 1e-8).
static void check_formulation(const char *formulation) {
  static const double steps[] = {4e-3, 2e-3, 1e-3};
  double absolute[3][ERRORS], relative[3][ERRORS];
  for (int s = 0; s < 3; ++s) {
    MbsResult *result = run(formulation, steps[s]);
    ENSURE(result->statistics.steps == lround(5 / steps[s]));
    errors_of(result, absolute[s], relative[s]);
    mbs_result_destroy(result);
  }
  int ratios = 0;
  double worst = 0, least = HUGE_VAL, most = 0;
  for (int i = 0; i < ERRORS; ++i) {
    // asked for: 5e-4 at h = 1e-3
    ENSURE_NEAR(relative[2][i], 0, 5e-4);
    worst = fmax(worst, relative[2][i]);
    for (int s = 0; s < 2 && relative[2][i] > 1e-6; ++s) {
      double ratio = absolute[s][i] / absolute[s + 1][i];
      ENSURE_NEAR(ratio, 4, 0.1);
      least = fmin(least, ratio);
      most = fmax(most, ratio);
      ratios += 1;
    }
  }
  ENSURE(ratios >= 2 * 16);  // most of the 22 figures were looked at
  (void)printf("%-8s h = 1e-3: largest relative error %.2g; %d error ratios from %.3f to %.3f\n", formulation, worst,
               ratios, least, most);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  model = read_model(context, "models/five_bar.yaml");
  check_structure();
  check_formulation("index1");
  check_formulation("penalty");
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return 0;
}
