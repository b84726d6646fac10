// See third_party.h.
#include "sensitivities/third_party.h"

#include <math.h>
#include <stdio.h>

#include "sensitivities/shaken_run.h"
#include "sensitivities/sundials.h"

enum { TOLERANCES = 2 };
static const double looser = 30;
static const double default_tolerance = 1e-10, own_accuracy = 1e-8;

// entry `at` of objectives x (1 + parameters): the value, then the derivatives
static double number_of(const MbsResult *result, int at) {
  int objective = at / (1 + result->parameter_count), parameter = at % (1 + result->parameter_count) - 1;
  return parameter < 0 ? result->values[objective] : result->gradient[objective * result->parameter_count + parameter];
}

static double scale_of(const MbsResult *result, int at) {
  int count = result->parameter_count, objective = at / (1 + count);
  bool is_value = at % (1 + count) == 0;
  double scale = 0;
  for (int k = 0; k < count; ++k) {
    double slope = result->gradient[objective * count + k];
    double part = is_value ? 1e-3 * fabs(slope * result->parameter_values[k]) : 1e-5 * fabs(slope);
    scale = part > scale ? part : scale;
  }
  double parameter = is_value ? 0 : fabs(result->parameter_values[at % (1 + count) - 1]);
  return parameter > 0 ? fmax(scale, 1e-4 * fabs(result->values[objective]) / parameter) : scale;
}

// theirs, and what it may be off
static MbsStatus take_theirs(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                             int *count, MbsThirdPartyEntry **entries) {
  MbsResult *theirs[TOLERANCES] = {NULL};
  MbsStatus status = MBS_OK;
  MbsRequest run = *request;
  double tolerance = request->sundials_tolerance > 0 ? request->sundials_tolerance : default_tolerance;
  for (int i = 0; i < TOLERANCES && status == MBS_OK; ++i) {
    run.sundials_tolerance = tolerance * (i == 0 ? 1 : looser);
    status = mbs_run_shaken(context, model, &run, 0, &theirs[i]);
  }
  *count = status == MBS_OK ? theirs[0]->objective_count * (1 + theirs[0]->parameter_count) : 0;
  *entries = mbs_arena_take(arena, (size_t)*count, sizeof **entries);
  if (status == MBS_OK && !*entries) {
    status = mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  for (int at = 0; at < *count && status == MBS_OK; ++at) {
    MbsThirdPartyEntry *entry = &(*entries)[at];
    *entry = (MbsThirdPartyEntry){.objective = at / (1 + theirs[0]->parameter_count),
                                  .parameter = at % (1 + theirs[0]->parameter_count) - 1,
                                  .value = number_of(theirs[0], at),
                                  .scale = scale_of(theirs[0], at)};
    entry->error = fabs(entry->value - number_of(theirs[1], at));
  }
  for (int i = 0; i < TOLERANCES; ++i) {
    mbs_result_destroy(theirs[i]);
  }
  return status;
}

static double error_of(const MbsResult *result, int at) {
  int objective = at / (1 + result->parameter_count), parameter = at % (1 + result->parameter_count) - 1;
  return parameter < 0 ? result->value_errors[objective]
                       : result->gradient_errors[objective * result->parameter_count + parameter];
}

// ours, also short of the accuracy, which its errors tell
static MbsStatus take_own(MbsContext *context, const MbsModel *model, const MbsRequest *request, int count,
                          MbsThirdPartyEntry *entries) {
  MbsResult *result = NULL;
  MbsRequest run = *request;
  run.method = MBS_METHOD_DIRECT;
  run.settings.accuracy = own_accuracy;
  MbsStatus status = mbs_run_within(context, model, &run, 0, &result);
  if (status == MBS_ERROR_NUMERICAL && result && result->value_errors) {
    context->status = status = MBS_OK;
  }
  for (int at = 0; at < count && status == MBS_OK; ++at) {
    entries[at].own = number_of(result, at);
    entries[at].own_error = error_of(result, at);
  }
  mbs_result_destroy(result);
  return status;
}

MbsStatus mbs_third_party_compare(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                  const MbsRequest *request, MbsMethod method, int *count,
                                  MbsThirdPartyEntry **entries) {
  MbsRequest run = *request;
  run.recorder = NULL;
  run.method = method;
  run.settings.derivatives = MBS_DERIVATIVES_ANALYTICAL;
  (void)snprintf(run.settings.integrator, sizeof run.settings.integrator, "auto");
  run.settings.step_tolerance = 0;
  run.settings.is_column_controlled = false;
  MBS_TRY(take_theirs(context, arena, model, &run, count, entries));
  return take_own(context, model, &run, *count, *entries);
}
