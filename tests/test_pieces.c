// Pieces of steps around an event in index3, which are projected (integrators/implicit.h): derivatives by the time of
// an event that is anywhere within a step, also next to its ends, against the limit h -> 0 that index1 has; they are of
// second order, and direct method, adjoint and complex step agree. With steps like any other they were of first order,
// and wrong by 1 % where a piece is 1e-4 of a step, by a factor of 70 at 1e-6.
#include "support.h"

enum { OBJECTIVES = 3, KINDS = 2, THETAS = 11 };
static const double sizes[OBJECTIVES] = {1, 25, 25};  // of the derivatives, roughly

static MbsContext *context;

// by T, of the five-bar that is hit at T
static void differentiate(double T, const char *formulation, const char *coordinates, MbsMethod method, double step,
                          double *by_T) {
  static const char *const parameters[] = {"T"}, *const objectives[] = {"y", "vy", "za"};
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\n"
                 "include: models/five_bar.yaml\n"
                 "parameters: {T: %.17g}\n"
                 "events:\n"
                 "  hit:\n"
                 "    when: t - T\n"
                 "    velocities:\n"
                 "      - {coordinate: r(P2).x, velocity: v(P2).x}\n"
                 "      - {coordinate: r(P2).y, velocity: -v(P2).y}\n"
                 "objectives: {y: {final: r(P2).y}, vy: {final: v(P2).y}, za: {integral: a(P2).y}}\n",
                 T);
  MbsModel *model = read_text(context, "pieces.yaml", text);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  request.settings.step = step;
  request.settings.end = 0.4;
  request.method = method;
  request.parameter_count = 1;
  request.parameters = parameters;
  request.objective_count = OBJECTIVES;
  request.objectives = objectives;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(result->event_count == 1 && result->objective_count == OBJECTIVES);
  for (int i = 0; i < OBJECTIVES; ++i) {
    by_T[i] = result->gradient[i];
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static double distance(const double *a, const double *b) {
  double largest = 0;
  for (int i = 0; i < OBJECTIVES; ++i) {
    largest = fmax(largest, fabs(a[i] - b[i]) / sizes[i]);
  }
  return largest;
}

static void find_limit(double T, const char *coordinates, double *limit) {
  double coarse[OBJECTIVES];
  differentiate(T, "index1", coordinates, MBS_METHOD_DIRECT, 4e-4, coarse);
  differentiate(T, "index1", coordinates, MBS_METHOD_DIRECT, 2e-4, limit);
  for (int i = 0; i < OBJECTIVES; ++i) {
    limit[i] += (limit[i] - coarse[i]) / 3;
  }
}

int main(void) {
  static const double thetas[THETAS] = {0, 1e-8, 1e-6, 1e-4, 0.01, 0.3, 0.7, 0.99, 1 - 1e-4, 1 - 1e-6, 1 - 1e-8};
  static const char *const coordinates[KINDS] = {"natural", "relative"};
  const double h = 1e-3;
  double worst = 0, apart[2] = {0}, least = HUGE_VAL;
  context = mbs_context_create();
  ENSURE(context);
  for (int c = 0; c < KINDS; ++c) {
    for (int i = 0; i < THETAS; ++i) {
      double limit[OBJECTIVES], direct[OBJECTIVES], adjoint[OBJECTIVES], complex_step[OBJECTIVES];
      double T = 0.2 + thetas[i] * h;
      find_limit(T, coordinates[c], limit);
      differentiate(T, "index3", coordinates[c], MBS_METHOD_DIRECT, h, direct);
      differentiate(T, "index3", coordinates[c], MBS_METHOD_ADJOINT, h, adjoint);
      differentiate(T, "index3", coordinates[c], MBS_METHOD_COMPLEX_STEP, h, complex_step);
      worst = fmax(worst, distance(direct, limit));
      apart[0] = fmax(apart[0], distance(adjoint, direct));
      apart[1] = fmax(apart[1], distance(complex_step, direct));
    }
    for (int i = 0; i < THETAS; ++i) {  // and the same fractions of a step four times as large
      double limit[OBJECTIVES], fine[OBJECTIVES], coarse[OBJECTIVES];
      find_limit(0.2 + thetas[i] * h, coordinates[c], limit);
      differentiate(0.2 + thetas[i] * h, "index3", coordinates[c], MBS_METHOD_DIRECT, h, fine);
      double near = distance(fine, limit);
      find_limit(0.2 + thetas[i] * 4 * h, coordinates[c], limit);
      differentiate(0.2 + thetas[i] * 4 * h, "index3", coordinates[c], MBS_METHOD_DIRECT, 4 * h, coarse);
      least = fmin(least, log2(distance(coarse, limit) / near) / 2);
    }
  }
  (void)printf("worst %.1e, adjoint %.1e, complex step %.1e, order %.2f at least\n", worst, apart[0], apart[1], least);
  ENSURE(worst < 2e-5);
  ENSURE(apart[0] < 1e-8 && apart[1] < 1e-8);
  ENSURE(least > 1.8);
  mbs_context_destroy(context);
  return 0;
}
