// Two models are the same tree of records: types, names, texts, defaults and what was given; places apart.
#ifndef MBS_SAME_TREE_H
#define MBS_SAME_TREE_H

#include "ensure.h"
#include "io/reader.h"
#include "model/force.h"
#include "model/joint.h"

static inline bool is_same_record(const char *path, const MbsRecordType *type, const MbsRecord *a, const MbsRecord *b);

static inline bool differ(const char *path, const char *key, const char *what) {
  (void)fprintf(stderr, "%s: %s: %s differs\n", path, key, what);
  return false;
}

static inline const MbsRecordType *type_of(const MbsField *field, const MbsRecord *record) {
  switch (field->kind) {
    case MBS_FIELD_JOINT_LIST: return &mbs_joint_types[record->type]->record;
    case MBS_FIELD_FORCE_LIST: return &mbs_force_types[record->type]->record;
    default: return field->record;
  }
}

static inline bool is_same_value(const char *path, const MbsField *field, const MbsValue *a, const MbsValue *b) {
  // an empty section that is written out is no different from none
  bool is_empty = a->count == 0 && b->count == 0;
  if (a->count != b->count || (a->is_given != b->is_given && field->kind != MBS_FIELD_RECORD && !is_empty)) {
    return differ(path, field->name, "what is given");
  }
  bool is_text = mbs_reader_is_text_kind(field->kind);
  bool is_map =
      field->kind == MBS_FIELD_NUMBER_MAP || field->kind == MBS_FIELD_SIGNAL_MAP || field->kind == MBS_FIELD_VECTOR_MAP;
  for (int i = 0; i < a->count; ++i) {
    if (is_text) {
      if (strcmp(a->texts[i].text, b->texts[i].text) != 0) {
        return differ(path, field->name, a->texts[i].text);
      }
    } else if (a->records[i].type != b->records[i].type ||
               strcmp(a->records[i].name.text, b->records[i].name.text) != 0) {
      return differ(path, field->name, a->records[i].name.text);
    } else if (is_map) {
      MbsField entry = {.name = a->records[i].name.text, .kind = MBS_FIELD_NUMBER};
      if (!is_same_value(path, &entry, &a->records[i].values[0], &b->records[i].values[0])) {
        return false;
      }
    } else if (!is_same_record(path, type_of(field, &a->records[i]), &a->records[i], &b->records[i])) {
      return false;
    }
  }
  return true;
}

static inline bool is_same_record(const char *path, const MbsRecordType *type, const MbsRecord *a, const MbsRecord *b) {
  for (int i = 0; i < type->field_count; ++i) {
    if (!is_same_value(path, &type->fields[i], &a->values[i], &b->values[i])) {
      return false;
    }
  }
  return true;
}

#endif
