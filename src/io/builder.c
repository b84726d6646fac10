#include "io/builder.h"

#include <string.h>

// ---- what calls are given ----

MbsStatus mbs_builder_start(MbsContext *context, const char *call, MbsModel *model) {
  MBS_CALL_BEGIN(context, call, {"model", model});
  context->is_memory_out = model->is_memory_out;  // a number could not be written
  model->is_memory_out = false;
  return mbs_call_end(context, MBS_OK);
}

MbsStatus mbs_builder_need(MbsContext *context, const char *call, const char *what, const char *text) {
  return text ? MBS_OK : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: the %s is NULL", call, what);
}

MbsReader mbs_builder_reader(MbsContext *context, const MbsModel *model) {
  return (MbsReader){.context = context, .arena = model->arena, .file = model->file, .dimension = model->dimension};
}

// ---- YAML nodes ----

static MbsStatus copy(const MbsReader *reader, const char *text, const char **result) {
  *result = mbs_arena_copy_text(reader->arena, text);
  return *result ? MBS_OK : mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

MbsStatus mbs_builder_new_node(const MbsReader *reader, MbsYamlKind kind, const char *key, MbsYaml **node) {
  MBS_TAKE(reader->context, reader->arena, *node, 1);
  (*node)->kind = kind;
  return key ? copy(reader, key, &(*node)->key.text) : MBS_OK;
}

MbsStatus mbs_builder_new_scalar(const MbsReader *reader, const char *key, const char *text, MbsYaml **node) {
  MBS_TRY(mbs_builder_new_node(reader, MBS_YAML_SCALAR, key, node));
  return copy(reader, text, &(*node)->text);
}

void mbs_builder_append(MbsYaml *parent, MbsYaml *child) {
  MbsYaml **end = &parent->first;
  while (*end) {
    end = &(*end)->next;
  }
  *end = child;
  parent->count += 1;
}

// Is the value a list, even of one text? The other kinds of several texts may also be one (a vector expression).
static bool is_list(MbsFieldKind kind) { return kind == MBS_FIELD_POINT_PAIR || kind == MBS_FIELD_BODY_PAIR; }

MbsStatus mbs_builder_new_value(const MbsReader *reader, const MbsWhere *where, const char *key, MbsFieldKind kind,
                                int room, const char *const *texts, MbsYaml **node) {
  int count = 0, given = 0;
  for (int i = 0; texts && i < room; ++i) {
    given += texts[i] != NULL;
    count += texts[i] && count == i;
  }
  // a text after a NULL is a mistake, not an absence
  if (given > count) {
    MbsWhere here = {.outer = where, .word = key};
    return mbs_reader_fail(reader, &here, mbs_nowhere, "number %d is NULL, though a later one is given", count + 1);
  }
  if (count == 0) {
    return mbs_builder_new_node(reader, MBS_YAML_NOTHING, key, node);
  }
  if (count == 1 && !is_list(kind) && !(kind == MBS_FIELD_VECTOR && mbs_reader_is_number(texts[0]))) {
    return mbs_builder_new_scalar(reader, key, texts[0], node);
  }
  MBS_TRY(mbs_builder_new_node(reader, MBS_YAML_LIST, key, node));
  for (int i = 0; i < count; ++i) {
    MbsYaml *item;
    MBS_TRY(mbs_builder_new_scalar(reader, NULL, texts[i], &item));
    mbs_builder_append(*node, item);
  }
  return MBS_OK;
}

// ---- records ----

const MbsRecord *mbs_builder_find(const MbsValue *value, const char *name) {
  for (int i = 0; i < value->count; ++i) {
    if (strcmp(value->records[i].name.text, name) == 0) {
      return &value->records[i];
    }
  }
  return NULL;
}

MbsStatus mbs_builder_add(MbsReader *reader, const MbsWhere *where, const MbsField *field, const MbsYaml *node,
                          MbsValue *value) {
  MbsValue fresh = {.is_given = false};
  reader->list_offset = value->count;
  MBS_TRY(mbs_reader_read_value(reader, where, field, node, &fresh));
  MBS_CHECK(reader->context, fresh.count == 1);
  if (mbs_builder_find(value, fresh.records[0].name.text)) {
    MbsWhere here = {.outer = where, .word = field->name};
    return mbs_reader_fail(reader, &here, mbs_nowhere, "\"%.60s\" is there already", fresh.records[0].name.text);
  }
  // what a file brought has no room to spare
  int capacity = value->capacity > value->count ? value->capacity : value->count;
  MbsRecord *records = (MbsRecord *)value->records;
  MBS_GROW(reader->context, reader->arena, records, value->count, capacity);
  records[value->count] = fresh.records[0];
  value->records = records;
  value->capacity = capacity;
  value->count += 1;
  value->is_given = true;
  return MBS_OK;
}
