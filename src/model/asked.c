// What a request names: arrays of parameters, and ordinates of tables, which become parameters when they are asked for.
//
//   u           all of u[1], u[2], ... where the model has such an array
//   f.y[3]      the third ordinate of table f (of a map f.z[3], counted row by row): a new parameter of that name,
//               whose value is what the table says, and which stands there in its place
//   f.y  f.z    all of them
//
// The model with these parameters is another one that shares the rest, so that nobody else has to know.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/model.h"

typedef struct Asked {
  MbsContext *context;
  MbsArena *arena;
  MbsModel *model;
  MbsValue *sections;   // of the model, our own once they change
  MbsRecord *tables;    // likewise
  int count, capacity;  // names
  const char **names;
  int made, made_capacity;
  MbsRecord *parameters;  // those that are new
} Asked;

// f.y or f.z, and what is behind it
static const MbsRecord *find_table(const MbsModel *model, const char *name, int *field, const char **behind) {
  const MbsValue *tables = mbs_record_value(&model->root, MBS_MODEL_TABLES);
  for (int i = 0; i < tables->count; ++i) {
    const MbsRecord *record = &tables->records[i];
    size_t length = strlen(record->name.text);
    bool is_map = mbs_record_value(record, MBS_TABLE_Z)->count > 0;
    if (strncmp(name, record->name.text, length) == 0 && name[length] == '.' &&
        name[length + 1] == (is_map ? 'z' : 'y')) {
      *field = is_map ? MBS_TABLE_Z : MBS_TABLE_Y;
      *behind = name + length + 2;
      return record;
    }
  }
  return NULL;
}

// of [3]: 3; 0: it is none
static int number_in_brackets(const char *text) {
  char *end;
  long number = text[0] == '[' && text[1] >= '0' && text[1] <= '9' ? strtol(text + 1, &end, 10) : 0;
  return number > 0 && number < 1000000000 && end[0] == ']' && end[1] == '\0' ? (int)number : 0;
}

static bool is_parameter(const MbsModel *model, const char *name) {
  const MbsValue *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  for (int i = 0; i < parameters->count; ++i) {
    if (strcmp(parameters->records[i].name.text, name) == 0) {
      return true;
    }
  }
  return false;
}

static MbsStatus take_name(Asked *asked, const char *name) {
  MBS_GROW(asked->context, asked->arena, asked->names, asked->count, asked->capacity);
  asked->names[asked->count++] = name;
  return MBS_OK;
}

// the elements of an array, in their order; none: it is no array
static MbsStatus take_array(Asked *asked, const char *name, bool *is_array) {
  const MbsValue *parameters = mbs_record_value(&asked->model->root, MBS_MODEL_PARAMETERS);
  size_t length = strlen(name);
  *is_array = false;
  for (int i = 0; i < parameters->count; ++i) {
    const char *other = parameters->records[i].name.text;
    if (strncmp(other, name, length) == 0 && number_in_brackets(other + length) > 0) {
      MBS_TRY(take_name(asked, other));
      *is_array = true;
    }
  }
  return MBS_OK;
}

// the text of an ordinate is a value of its own that may change
static MbsStatus own_table(Asked *asked, const MbsRecord *record, int field, MbsText **texts) {
  const MbsValue *tables = mbs_record_value(&asked->model->root, MBS_MODEL_TABLES);
  int index = (int)(record - tables->records),
      field_count = mbs_model_type.fields[MBS_MODEL_TABLES].record->field_count;
  if (!asked->tables) {
    MBS_TAKE(asked->context, asked->arena, asked->tables, tables->count);
    MBS_TAKE(asked->context, asked->arena, asked->sections, mbs_model_type.field_count);
    memcpy(asked->tables, tables->records, (size_t)tables->count * sizeof *asked->tables);
    memcpy(asked->sections, asked->model->root.values, (size_t)mbs_model_type.field_count * sizeof *asked->sections);
    asked->sections[MBS_MODEL_TABLES].records = asked->tables;
  }
  MbsRecord *own = &asked->tables[index];
  if (own->values == record->values) {
    MbsValue *values;
    MbsText *copied;
    int count = record->values[field].count;
    MBS_TAKE(asked->context, asked->arena, values, field_count);
    MBS_TAKE(asked->context, asked->arena, copied, count);
    memcpy(values, record->values, (size_t)field_count * sizeof *values);
    memcpy(copied, record->values[field].texts, (size_t)count * sizeof *copied);
    values[field].texts = copied;
    own->values = values;
  }
  *texts = (MbsText *)own->values[field].texts;
  return MBS_OK;
}

static MbsStatus take_ordinate(Asked *asked, const MbsRecord *record, int field, int k) {
  const char *name = mbs_arena_print(asked->arena, "%s.%c[%d]", record->name.text, field == MBS_TABLE_Y ? 'y' : 'z', k);
  MbsValue *value;
  MbsText *text, *texts = NULL;
  if (!name) {
    return mbs_fail(asked->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MBS_TRY(take_name(asked, name));
  if (is_parameter(asked->model, name)) {
    return MBS_OK;  // asked for before
  }
  for (int i = 0; i < asked->made; ++i) {
    if (strcmp(asked->parameters[i].name.text, name) == 0) {
      return MBS_OK;
    }
  }
  MBS_TRY(own_table(asked, record, field, &texts));
  MBS_TAKE(asked->context, asked->arena, value, MBS_PARAMETER_FIELD_COUNT);
  MBS_TAKE(asked->context, asked->arena, text, 1);
  *text = texts[k - 1];
  *value = (MbsValue){.is_given = true, .place = text->place, .count = 1, .texts = text};
  texts[k - 1].text = name;
  MBS_GROW(asked->context, asked->arena, asked->parameters, asked->made, asked->made_capacity);
  asked->parameters[asked->made++] = (MbsRecord){.name = {.text = name, .place = text->place}, .values = value};
  return MBS_OK;
}

static MbsStatus take_ordinates(Asked *asked, const MbsRecord *record, int field, const char *behind) {
  const MbsValue *ordinates = mbs_record_value(record, field);
  int number = number_in_brackets(behind), count = ordinates->count;
  char axis = field == MBS_TABLE_Y ? 'y' : 'z';
  if (count == 1 && mbs_name_is_identifier(ordinates->texts[0].text)) {
    return mbs_fail(asked->context, MBS_ERROR_INPUT, mbs_nowhere,
                    "the ordinates of table \"%s\" are the array \"%s\": ask for %s%s", record->name.text,
                    ordinates->texts[0].text, ordinates->texts[0].text, behind);
  }
  if (number > count) {
    return mbs_fail(asked->context, MBS_ERROR_INPUT, mbs_nowhere, "table \"%s\" has no %c[%d]: it has %d ordinates",
                    record->name.text, axis, number, count);
  }
  for (int k = number > 0 ? number : 1; k <= (number > 0 ? number : count); ++k) {
    MBS_TRY(take_ordinate(asked, record, field, k));
  }
  return MBS_OK;
}

static MbsStatus take(Asked *asked, const char *name) {
  int field;
  const char *behind;
  bool is_array;
  if (is_parameter(asked->model, name)) {
    return take_name(asked, name);
  }
  MBS_TRY(take_array(asked, name, &is_array));
  const MbsRecord *table = find_table(asked->model, name, &field, &behind);
  if (!is_array && table && (behind[0] == '\0' || number_in_brackets(behind) > 0)) {
    return take_ordinates(asked, table, field, behind);
  }
  return is_array ? MBS_OK : take_name(asked, name);  // whoever looks for it says that there is none
}

MbsStatus mbs_model_ask(MbsContext *context, MbsArena *arena, const MbsModel *model, int *count,
                        const char *const **names, const MbsModel **asked_model) {
  MbsModel *copy;
  *asked_model = model;
  if (!*names) {
    return MBS_OK;
  }
  MBS_TAKE(context, arena, copy, 1);
  *copy = *model;
  Asked asked = {.context = context, .arena = arena, .model = copy};
  for (int i = 0; i < *count; ++i) {
    MBS_TRY(take(&asked, (*names)[i]));
  }
  *count = asked.count;
  *names = asked.count > 0 ? asked.names : *names;
  if (asked.made == 0) {
    return MBS_OK;
  }
  const MbsValue *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  MbsRecord *all;
  MBS_TAKE(context, arena, all, parameters->count + asked.made);
  if (parameters->count > 0) {
    memcpy(all, parameters->records, (size_t)parameters->count * sizeof *all);
  }
  memcpy(all + parameters->count, asked.parameters, (size_t)asked.made * sizeof *all);
  asked.sections[MBS_MODEL_PARAMETERS].records = all;
  asked.sections[MBS_MODEL_PARAMETERS].count += asked.made;
  copy->root.values = asked.sections;
  *asked_model = copy;
  return MBS_OK;
}

MbsText *mbs_model_find_ordinate(const MbsModel *model, const char *name) {
  int field;
  const char *behind;
  const MbsRecord *table = find_table(model, name, &field, &behind);
  int number = table ? number_in_brackets(behind) : 0;
  bool is_there = number > 0 && number <= table->values[field].count;
  return is_there ? (MbsText *)&table->values[field].texts[number - 1] : NULL;
}
