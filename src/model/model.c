#include "model/model.h"

#include <string.h>

#include "base/names.h"

MbsText mbs_record_text(const MbsRecord *record, int field) {
  const MbsValue *value = &record->values[field];
  return value->count > 0 ? value->texts[0] : (MbsText){.text = NULL, .place = value->place};
}

const MbsRecord *mbs_record_child(const MbsRecord *record, int field) {
  const MbsValue *value = &record->values[field];
  return value->count > 0 ? &value->records[0] : NULL;
}

MbsPlace mbs_model_setting_place(const MbsModel *model, int field, const char *text) {
  MbsText written = mbs_record_text(mbs_record_child(&model->root, MBS_MODEL_SIMULATION), field);
  return written.text && strcmp(written.text, text) == 0 ? written.place : mbs_nowhere;
}

// the tree is constant for everyone else; its owner may replace one text
static MbsStatus replace(MbsContext *context, const MbsModel *model, MbsText *text, const char *value) {
  const char *copy = mbs_arena_copy_text(model->arena, value);
  if (!copy) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  *text = (MbsText){.text = copy, .place = {.file = "set", .line = 1, .column = 1}};
  return MBS_OK;
}

MbsStatus mbs_model_set(MbsContext *context, MbsModel *model, const char *parameter, const char *value) {
  MBS_CALL_BEGIN(context, "mbs_model_set", {"model", model}, {"parameter", parameter}, {"value", value});
  const MbsValue *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  const char *nearest = NULL;
  for (int i = 0; i < parameters->count; ++i) {
    const MbsRecord *record = &parameters->records[i];
    if (strcmp(record->name.text, parameter) == 0) {
      return replace(context, model, (MbsText *)record->values[0].texts, value);
    }
    mbs_name_nearest(parameter, record->name.text, &nearest);
  }
  MbsText *ordinate = mbs_model_find_ordinate(model, parameter);
  if (ordinate) {
    return replace(context, model, ordinate, value);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no parameter \"%s\" in %s%s%s%s", parameter, model->file,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

MbsStatus mbs_model_with_number(MbsContext *context, MbsArena *arena, const MbsModel *model, int parameter,
                                double number, MbsModel **changed) {
  const MbsValue *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  MbsValue *sections, *value;
  MbsRecord *records;
  MbsText *text;
  MBS_TAKE(context, arena, *changed, 1);
  MBS_TAKE(context, arena, sections, mbs_model_type.field_count);
  MBS_TAKE(context, arena, records, parameters->count);
  MBS_TAKE(context, arena, value, MBS_PARAMETER_FIELD_COUNT);
  MBS_TAKE(context, arena, text, 1);
  *text = (MbsText){.text = mbs_arena_print(arena, "%.17g", number),
                    .place = parameters->records[parameter].values[0].texts[0].place};
  if (!text->text) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  memcpy(value, parameters->records[parameter].values, MBS_PARAMETER_FIELD_COUNT * sizeof *value);
  value->texts = text;
  memcpy(records, parameters->records, (size_t)parameters->count * sizeof *records);
  records[parameter].values = value;
  memcpy(sections, model->root.values, (size_t)mbs_model_type.field_count * sizeof *sections);
  sections[MBS_MODEL_PARAMETERS].records = records;
  **changed = *model;
  (*changed)->root.values = sections;
  return MBS_OK;
}

void mbs_model_destroy(MbsModel *model) {
  if (model) {
    mbs_arena_destroy(model->arena);
  }
}
