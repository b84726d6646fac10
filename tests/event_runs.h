// What tests of events share: runs of a model and their results by name.
#ifndef MBS_TEST_EVENT_RUNS_H
#define MBS_TEST_EVENT_RUNS_H

#include "support.h"

static MbsContext *context;

static const char *const coordinates[] = {"natural", "relative"};

static inline MbsResult *run_with(const MbsModel *model, const MbsRequest *request, MbsMethod method) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = method;
  ENSURE_OK(context, mbs_run(context, model, &own, &result));
  return result;
}

static inline MbsRequest request_of(const MbsModel *model, const char *formulation, const char *kind) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  return request;
}

static inline double slope(const MbsResult *result, const char *objective, const char *parameter) {
  for (int i = 0; i < result->objective_count; ++i) {
    for (int k = 0; k < result->parameter_count; ++k) {
      if (strcmp(result->objectives[i], objective) == 0 && strcmp(result->parameters[k], parameter) == 0) {
        return result->gradient[i * result->parameter_count + k];
      }
    }
  }
  (void)fprintf(stderr, "no d(%s)/d(%s)\n", objective, parameter);
  exit(1);
}

static inline double value(const MbsResult *result, const char *objective) {
  for (int i = 0; i < result->objective_count; ++i) {
    if (strcmp(result->objectives[i], objective) == 0) {
      return result->values[i];
    }
  }
  (void)fprintf(stderr, "no %s\n", objective);
  exit(1);
}

// relative to the largest entry of each row of `count`
static inline double distance(int rows, int count, const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < rows; ++i) {
    double largest = largest_of(count, b + i * count);
    for (int k = 0; k < count; ++k) {
      worst = fmax(worst, fabs(a[i * count + k] - b[i * count + k]) / (largest > 0 ? largest : 1));
    }
  }
  return worst;
}

// direct, adjoint and complex step to 1e-8, events included; returns how many events there were
static inline int compare_methods(const MbsModel *model, const MbsRequest *request, const char *what) {
  MbsResult *direct = run_with(model, request, MBS_METHOD_DIRECT);
  MbsResult *adjoint = run_with(model, request, MBS_METHOD_ADJOINT);
  MbsResult *reference = run_with(model, request, MBS_METHOD_COMPLEX_STEP);
  int rows = direct->objective_count, count = direct->parameter_count, events = direct->event_count;
  double worst = fmax(distance(rows, count, direct->gradient, reference->gradient),
                      distance(rows, count, adjoint->gradient, reference->gradient));
  // events of a path that is followed are found anew
  double rounding = request->settings.is_column_controlled ? 1e-12 : 0;
  ENSURE(adjoint->event_count == events && reference->event_count == events);
  for (int i = 0; i < events; ++i) {
    ENSURE_NEAR(reference->events[i].time, direct->events[i].time, rounding);
    worst = fmax(worst, distance(1, count, direct->events[i].gradient, reference->events[i].gradient));
  }
  if (!(worst < 1e-8)) {
    (void)fprintf(stderr, "%s, %s, %s: direct, adjoint and complex step differ by %.3g\n", what,
                  request->settings.formulation, request->settings.coordinates, worst);
    exit(1);
  }
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_result_destroy(reference);
  return events;
}

#endif
