// Models by calls: entries with fields (mbsens/build.h), by the field tables.
#include <mbsens/build.h>
#include <string.h>

#include "base/names.h"
#include "io/builder.h"
#include "model/force.h"
#include "model/joint.h"

// A section by its path: "bodies", "initial.independent"; "events.velocities" is a list in every event.
typedef struct Section {
  const MbsField *field;
  const MbsField *map;     // of the entries that each have this section; NULL: there is one section
  const MbsRecord *owner;  // NULL: an entry of the map
  int index;               // of the field in the owner
} Section;

static bool is_listed(const MbsField *field) {
  return field->kind == MBS_FIELD_RECORD_LIST || field->kind == MBS_FIELD_JOINT_LIST ||
         field->kind == MBS_FIELD_FORCE_LIST;
}

static bool find_section(const MbsModel *model, const char *path, Section *section) {
  const MbsRecordType *type = &mbs_model_type;
  const MbsRecord *owner = &model->root;
  const MbsField *map = NULL;
  for (const char *word = path;;) {
    size_t length = strcspn(word, ".");
    int index = 0;
    while (index < type->field_count &&
           !(strlen(type->fields[index].name) == length && strncmp(type->fields[index].name, word, length) == 0)) {
      ++index;
    }
    if (index == type->field_count) {
      return false;
    }
    const MbsField *field = &type->fields[index];
    if (word[length] == '\0') {
      *section = (Section){.field = field, .map = map, .owner = owner, .index = index};
      return is_listed(field) || (field->kind == MBS_FIELD_RECORD_MAP && !map);
    }
    bool is_map = field->kind == MBS_FIELD_RECORD_MAP && owner == &model->root;
    type = field->record;
    map = is_map ? field : map;
    owner = field->kind == MBS_FIELD_RECORD && owner ? mbs_record_child(owner, index) : NULL;
    if (!type || (!owner && !is_map)) {
      return false;
    }
    word += length + 1;
  }
}

// The i-th type of a registry; NULL: there are no more.
static const MbsRecordType *listed_type(MbsFieldKind list, int i) {
  if (list == MBS_FIELD_JOINT_LIST) {
    return mbs_joint_types[i] ? &mbs_joint_types[i]->record : NULL;
  }
  return mbs_force_types[i] ? &mbs_force_types[i]->record : NULL;
}

static const MbsRecordType *find_type(MbsFieldKind list, const char *name) {
  const MbsRecordType *type;
  for (int i = 0; (type = listed_type(list, i)) != NULL && strcmp(type->name, name) != 0; ++i) {
  }
  return type;
}

static MbsStatus fail_unknown_type(const MbsReader *reader, const MbsField *section, const char *name) {
  char known[512] = "";
  const char *nearest = NULL;
  for (int i = 0; listed_type(section->kind, i); ++i) {
    mbs_name_nearest(name, listed_type(section->kind, i)->name, &nearest);
    mbs_reader_append_name(known, sizeof known, listed_type(section->kind, i)->name);
  }
  MbsWhere where = {.word = section->name};
  return mbs_reader_fail(reader, &where, mbs_nowhere, "no type \"%.60s\"%s%s%s known: %s", name,
                         nearest ? "; did you mean \"" : ";", nearest ? nearest : "", nearest ? "\"?" : "", known);
}

static MbsFieldKind kind_of(const MbsRecordType *type, const char *key) {
  for (int i = 0; i < type->field_count; ++i) {
    if (strcmp(type->fields[i].name, key) == 0) {
      return type->fields[i].kind;
    }
  }
  return MBS_FIELD_TEXT;  // the reader will refuse the key
}

// {key: texts, ...} with the fields that are given. An element goes by the key of its type, given or not.
static MbsStatus fill_entry(const MbsReader *reader, const MbsWhere *where, const MbsRecordType *type,
                            const char *type_key, int count, const MbsFieldTexts *fields, MbsYaml *entry) {
  MbsYaml *pair;
  for (int i = 0; i < count; ++i) {
    MBS_TRY(mbs_builder_need(reader->context, where->word, "key of a field", fields[i].key));
    if (mbs_yaml_find(entry, fields[i].key)) {
      return mbs_reader_fail(reader, where, mbs_nowhere, "the field \"%.60s\" is given twice", fields[i].key);
    }
    MBS_TRY(mbs_builder_new_value(reader, where, fields[i].key, kind_of(type, fields[i].key), fields[i].room,
                                  fields[i].texts, &pair));
    if (pair->kind != MBS_YAML_NOTHING) {
      mbs_builder_append(entry, pair);
    }
  }
  if (type_key && !mbs_yaml_find(entry, type_key)) {
    MBS_TRY(mbs_builder_new_node(reader, MBS_YAML_NOTHING, type_key, &pair));
    mbs_builder_append(entry, pair);
  }
  return MBS_OK;
}

// Of a list that every entry of a map has: that of the entry of this name.
static MbsStatus find_owner(const MbsReader *reader, const MbsModel *model, const char *name, Section *section) {
  const MbsRecordType *type = section->map->record;
  MbsWhere where = {.word = section->field->record->name};
  if (!name) {
    return mbs_reader_fail(reader, &where, mbs_nowhere, "needs the name of its %s, and it is NULL", type->name);
  }
  section->owner = mbs_builder_find(mbs_record_value(&model->root, (int)(section->map - mbs_model_type.fields)), name);
  return section->owner ? MBS_OK
                        : mbs_reader_fail(reader, &where, mbs_nowhere,
                                          "there is no %s \"%.60s\" yet; mbs_model_add_%s comes first", type->name,
                                          name, type->name);
}

MbsStatus mbs_model_add_element(MbsContext *context, MbsModel *model, const char *section, const char *type,
                                const char *name, int field_count, const MbsFieldTexts *fields) {
  MBS_TRY(mbs_builder_start(context, "mbs_model_add_element", model));
  MBS_TRY(mbs_builder_need(context, "mbs_model_add_element", "section", section));
  MbsReader reader = mbs_builder_reader(context, model);
  Section place;
  if (!find_section(model, section, &place)) {
    return mbs_reader_fail(&reader, NULL, mbs_nowhere, "\"%.60s\" is no section that entries are added to", section);
  }
  const MbsField *field = place.field;
  const MbsRecordType *record = field->record;
  bool is_map = field->kind == MBS_FIELD_RECORD_MAP, is_typed = !record, is_owned = place.map != NULL;
  if (is_typed) {
    MBS_TRY(mbs_builder_need(context, section, "type", type));
    record = find_type(field->kind, type);
    if (!record) {
      return fail_unknown_type(&reader, field, type);
    }
  }
  MbsWhere where = {.word = record->name, .name = name};
  if (!fields) {
    return mbs_reader_fail(&reader, &where, mbs_nowhere, "the definition is NULL");
  }
  if (field_count < 0) {
    return mbs_reader_fail(&reader, &where, mbs_nowhere, "the number of fields is %d", field_count);
  }
  if (is_map && !name) {
    return mbs_reader_fail(&reader, &where, mbs_nowhere, "needs a name, and it is NULL");
  }
  if (name && !is_map && !is_typed && !is_owned) {
    return mbs_reader_fail(&reader, &where, mbs_nowhere, "takes no name");
  }
  MBS_TRY(is_owned ? find_owner(&reader, model, name, &place) : MBS_OK);
  // {name: {fields}} or [{fields}]
  MbsYaml *whole, *entry;
  MBS_TRY(mbs_builder_new_node(&reader, is_map ? MBS_YAML_MAPPING : MBS_YAML_LIST, field->name, &whole));
  MBS_TRY(mbs_builder_new_node(&reader, MBS_YAML_MAPPING, is_map ? name : NULL, &entry));
  mbs_builder_append(whole, entry);
  MBS_TRY(fill_entry(&reader, &where, record, is_typed ? type : NULL, field_count, fields, entry));
  if (is_typed && name) {
    MbsYaml *called;
    MBS_TRY(mbs_builder_new_scalar(&reader, "name", name, &called));
    mbs_builder_append(entry, called);
  }
  MbsWhere owner = {.word = is_owned ? place.map->record->name : NULL, .name = name};
  return mbs_builder_add(&reader, is_owned ? &owner : NULL, field, whole, mbs_builder_change(place.owner, place.index));
}
