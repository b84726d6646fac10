#include "job.h"

#include <math.h>
#include <mbsens/build.h>
#include <stdlib.h>

#include "base/checksum.h"
#include "cli/memory.h"
#include "model/settings.h"

MbsStatus cli_sample_fail(const MbsContext *context, const CliJob *job, MbsStatus status, CliSample *sample) {
  (void)snprintf(sample->message, sizeof sample->message, "%s", mbs_context_message(context));
  sample->status = (uint32_t)status;
  for (size_t i = 0; i < job->width; ++i) {
    sample->numbers[i] = (double)NAN;
  }
  return status == MBS_ERROR_MEMORY || status == MBS_ERROR_INTERRUPTED || status == MBS_ERROR_INTERNAL ? status
                                                                                                       : MBS_OK;
}

MbsStatus cli_job_sign(const CliSession *session, const MbsRequest *request, uint64_t *signature) {
  char *text = NULL, *room = cli_memory_take(MBS_LIST_LENGTH + 1, 1);
  uint64_t sum = mbs_checksum_text(mbs_checksum_text(MBS_CHECKSUM_START, mbs_version()), mbs_declarations());
  MbsStatus status = mbs_model_write(session->context, session->model, &text);
  sum = mbs_checksum_text(sum, text);
  for (int i = 0; i < mbs_settings_count; ++i) {
    bool is_names = mbs_settings[i].setting->type == MBS_SETTING_NAMES;
    if (!is_names && mbs_setting_print(&mbs_settings[i], request, MBS_LIST_LENGTH + 1, room)) {
      sum = mbs_checksum_text(mbs_checksum_text(sum, mbs_settings[i].name), room);
    }
  }
  *signature = sum;
  free(text);
  free(room);
  return status;
}
