// The public handle of a request: settings in and out by name. Inside the library it is the plain struct that it holds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "sensitivities/request.h"
#include "simulation/simulation.h"

MbsStatus mbs_request_default(MbsContext *context, const MbsModel *model, MbsRequest *request) {
  MBS_CALL_BEGIN(context, "mbs_request_default", {"model", model}, {"request", request});
  MbsArena *arena = mbs_arena_create_for(context);
  *request = (MbsRequest){.method = MBS_METHOD_DIRECT};
  MbsStatus status = arena ? mbs_settings_read(context, arena, model, &request->settings)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(arena);
  return mbs_call_end(context, status);
}

MbsStatus mbs_request_create(MbsContext *context, const MbsModel *model, MbsRequest **request) {
  MBS_CALL_BEGIN(context, "mbs_request_create", {"model", model}, {"request", request});
  MbsRequest *created = NULL;
  *request = NULL;
  MBS_TRY(mbs_call_end(context, mbs_request_create_empty(context, &created)));
  MbsStatus status = mbs_call_end(context, mbs_settings_read(context, created->arena, model, &created->settings));
  if (status != MBS_OK) {
    mbs_request_destroy(created);
    return status;
  }
  mbs_arena_tell(created->arena, NULL);
  *request = created;
  return MBS_OK;
}

void mbs_request_destroy(MbsRequest *request) {
  if (request) {
    mbs_arena_destroy(request->arena);
  }
}

MbsStatus mbs_request_set(MbsContext *context, MbsRequest *request, const char *setting, const char *value) {
  MBS_CALL_BEGIN(context, "mbs_request_set", {"request", request}, {"setting", setting}, {"value", value});
  const MbsField *field = mbs_setting_find(context, setting);
  return !field ? MBS_ERROR_INPUT : mbs_setting_parse(context, field, setting, mbs_nowhere, value, request);
}

MbsStatus mbs_request_set_number(MbsContext *context, MbsRequest *request, const char *setting, double value) {
  MBS_CALL_BEGIN(context, "mbs_request_set_number", {"request", request}, {"setting", setting});
  const MbsField *field = mbs_setting_find(context, setting);
  char text[32];
  (void)snprintf(text, sizeof text, "%.17g", value);
  return !field ? MBS_ERROR_INPUT : mbs_setting_parse(context, field, setting, mbs_nowhere, text, request);
}

MbsStatus mbs_request_set_names(MbsContext *context, MbsRequest *request, const char *setting, int count,
                                const char *const *names) {
  MBS_CALL_BEGIN(context, "mbs_request_set_names", {"request", request}, {"setting", setting});
  const MbsField *field = mbs_setting_find(context, setting);
  if (!field) {
    return MBS_ERROR_INPUT;
  }
  if (field->setting->type != MBS_SETTING_NAMES && field->setting->type != MBS_SETTING_LIST) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s is no list of names", setting);
  }
  if (count < 0 || (count > 0 && !names)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "mbs_request_set_names: %s: %d names%s", setting, count,
                    count < 0 ? "" : ", and the list of them is NULL");
  }
  return mbs_setting_names(context, field, setting, count, names, request);
}

MbsStatus mbs_request_get(MbsContext *context, const MbsRequest *request, const char *setting, const char **value) {
  MBS_CALL_BEGIN(context, "mbs_request_get", {"request", request}, {"setting", setting}, {"value", value});
  *value = NULL;
  const MbsField *field = mbs_setting_find(context, setting);
  if (!field) {
    return MBS_ERROR_INPUT;
  }
  while (!context->value || !mbs_setting_print(field, request, context->value_room, context->value)) {
    size_t room = context->value_room ? 2 * context->value_room : 256;
    char *larger = realloc(context->value, room);
    if (!larger) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    context->value = larger;
    context->value_room = room;
  }
  *value = context->value;
  return MBS_OK;
}

MbsStatus mbs_request_get_number(MbsContext *context, const MbsRequest *request, const char *setting, double *value) {
  MBS_CALL_BEGIN(context, "mbs_request_get_number", {"request", request}, {"setting", setting}, {"value", value});
  const MbsField *field = mbs_setting_find(context, setting);
  return !field ? MBS_ERROR_INPUT : mbs_setting_number(context, field, request, value);
}

MbsStatus mbs_request_record(MbsContext *context, MbsRequest *request, const MbsRecorder *recorder) {
  MBS_CALL_BEGIN(context, "mbs_request_record", {"request", request});
  MBS_TRY(mbs_recorder_check(context, recorder));
  request->recorder = recorder;
  return MBS_OK;
}

// ---- what there is ----
int mbs_setting_count(void) { return mbs_settings_count; }

MbsStatus mbs_setting_info(MbsContext *context, int index, MbsSettingInfo *info) {
  MBS_CALL_BEGIN(context, "mbs_setting_info", {"info", info});
  if (index < 0 || index >= mbs_settings_count) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "mbs_setting_info: there are %d settings, and none of index %d", mbs_settings_count, index);
  }
  const MbsField *field = &mbs_settings[index];
  *info = (MbsSettingInfo){.name = field->name,
                           .type = mbs_setting_type_name(field),
                           .default_value = field->default_text ? field->default_text : "",
                           .unit = field->unit ? field->unit : "",
                           .choices = field->choices,
                           .is_in_file = index < MBS_SIMULATION_COUNT,
                           .summary = field->summary};
  return MBS_OK;
}
