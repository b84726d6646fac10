#include "sensitivities/request.h"

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

MbsStatus mbs_recorder_check(MbsContext *context, const MbsRecorder *recorder) {
  return !recorder || (recorder->begin && recorder->row)
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the recorder has no function \"%s\": it is NULL",
                        recorder->begin ? "row" : "begin");
}

MbsStatus mbs_request_check(MbsContext *context, const MbsRequest *request) {
  MBS_TRY(mbs_settings_check(context, request));
  MBS_TRY(check_names(context, "objective", request->objective_count, request->objectives));
  MBS_TRY(check_names(context, "parameter", request->parameter_count, request->parameters));
  return mbs_recorder_check(context, request->recorder);
}
