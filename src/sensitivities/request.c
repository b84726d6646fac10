#include "sensitivities/request.h"

#include <math.h>

static MbsStatus check_choice(MbsContext *context, const char *what, int value, int last, const char *words) {
  return value >= 0 && value <= last
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the %s must be one of %s, got %d of the enumeration",
                        what, words, value);
}

// zero or positive and finite; zero has a meaning of its own
static MbsStatus check_number(MbsContext *context, const char *what, double value, const char *zero) {
  return isfinite(value) && value >= 0 ? MBS_OK
                                       : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                                                  "the %s must be positive, or 0 for %s, got %.10g", what, zero, value);
}

static MbsStatus check_names(MbsContext *context, const char *what, int count, const char *const *names) {
  if (count < 0 || (count > 0 && !names)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%d %ss are asked for%s", count, what,
                    count < 0 ? "" : ", and the list of their names is NULL");
  }
  for (int i = 0; i < count; ++i) {
    if (!names[i]) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the name of %s %d of %d is NULL", what, i + 1, count);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_request_check(MbsContext *context, const MbsRequest *request) {
  MBS_TRY(check_choice(context, "method", (int)request->method, MBS_METHOD_IDAS_ADJOINT,
                       "none, direct, adjoint, adjoint-continuous, complex-step, finite-difference, cvodes-forward, "
                       "cvodes-adjoint, idas-forward or idas-adjoint"));
  MBS_TRY(check_choice(context, "difference", (int)request->difference, MBS_DIFFERENCE_BACKWARD,
                       "central, forward or backward"));
  MBS_TRY(check_number(context, "difference step", request->difference_step, "automatic"));
  MBS_TRY(check_number(context, "tolerance of SUNDIALS", request->sundials_tolerance, "1e-10"));
  MBS_TRY(check_number(context, "memory", request->memory, "as much as it takes"));
  MBS_TRY(check_names(context, "objective", request->objective_count, request->objectives));
  MBS_TRY(check_names(context, "parameter", request->parameter_count, request->parameters));
  if (request->recorder && (!request->recorder->begin || !request->recorder->row)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the recorder has no function \"%s\": it is NULL",
                    request->recorder->begin ? "row" : "begin");
  }
  return MBS_OK;
}
