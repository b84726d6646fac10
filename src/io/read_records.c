// Records, maps and lists, by the field tables. A few rules are not in the tables and stand here: which
// names are taken, and that an objective is exactly one thing.
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "expressions/parse.h"
#include "io/assembly.h"
#include "model/blueprint.h"
#include "model/force.h"
#include "model/joint.h"

static MbsStatus default_record(const MbsReader *reader, const MbsRecordType *type, MbsPlace place,
                                const MbsValue **values);

static bool is_root_field(const MbsField *field, int index) { return field == &mbs_model_type.fields[index]; }

// Fails unless the node is a list or mapping; a section whose entries are all commented out is nothing.
static MbsStatus expect_section(const MbsReader *reader, const MbsWhere *where, const MbsYaml *node, MbsYamlKind kind) {
  const char *expected = kind == MBS_YAML_LIST ? "a list" : "a mapping of names";
  if (node->kind == MBS_YAML_NOTHING) {
    return mbs_reader_fail(reader, where, node->place, "expected %s, found nothing; write %s or leave the key out",
                           expected, kind == MBS_YAML_LIST ? "[]" : "{}");
  }
  return mbs_reader_expect(reader, where, node, kind, expected);
}

// ---- maps: name: value ----

const char *const mbs_reader_law_words[] = {"length", "displacement", "angle", "rate", "value", NULL};

static bool has_meaning(const char *name) {
  for (const char *const *word = mbs_reader_law_words; *word; ++word) {
    if (strcmp(*word, name) == 0) {
      return true;
    }
  }
  return mbs_expression_is_reserved(name);
}

// the element of an array, u[3]
static bool is_element(const char *name) {
  char array[256];
  size_t length = strcspn(name, "["), digits = name[length] == '[' ? strspn(name + length + 1, "0123456789") : 0;
  if (length >= sizeof array || digits == 0 || strcmp(name + length + 1 + digits, "]") != 0) {
    return false;
  }
  (void)snprintf(array, sizeof array, "%.*s", (int)length, name);
  return mbs_name_is_identifier(array) && !mbs_expression_is_reserved(array);
}

static MbsStatus check_name(const MbsReader *reader, const MbsWhere *where, const MbsField *field, MbsText key) {
  const MbsField *initial_points = &mbs_model_type.fields[MBS_MODEL_INITIAL].record->fields[MBS_INITIAL_POINTS];
  if (field == initial_points && (reader->is_template || mbs_reader_is_point_name(key.text))) {
    return MBS_OK;  // these name points that are there already, so body.point is good too
  }
  if (reader->is_template && field == &mbs_model_type.fields[MBS_MODEL_EVENTS].record->fields[MBS_EVENT_SET]) {
    return MBS_OK;  // and these variables: cell(i-1).n
  }
  if (is_root_field(field, MBS_MODEL_FUNCTIONS)) {
    MbsFormula formula;
    const char *trouble;
    return mbs_formula_read_key(reader->arena, key.text, &formula, &trouble)
               ? MBS_OK
               : mbs_reader_fail(reader, where, key.place, "\"%.60s\": %s", key.text, trouble);
  }
  if (is_root_field(field, MBS_MODEL_PARAMETERS) && key.place.line == 0 && is_element(key.text)) {
    return MBS_OK;  // u[3], by a call: in files arrays are lists
  }
  if (!mbs_name_is_identifier(key.text)) {
    bool is_torn = strpbrk(key.text, "()") || strspn(key.text, "0123456789.") == strlen(key.text);  // {a: f(b, 1)}
    return mbs_reader_fail(reader, where, key.place,
                           "\"%.60s\" is not a name; a name has letters, digits and _ and starts with a letter or _%s",
                           key.text, is_torn ? "; put an expression that contains commas in quotes" : "");
  }
  if (is_root_field(field, MBS_MODEL_PARAMETERS) && mbs_expression_is_reserved(key.text)) {
    return mbs_reader_fail(reader, where, key.place,
                           "\"%.60s\" has a meaning in expressions and cannot name a parameter", key.text);
  }
  if (is_root_field(field, MBS_MODEL_HARDPOINTS) && has_meaning(key.text)) {
    return mbs_reader_fail(reader, where, key.place,
                           "\"%.60s\" has a meaning in expressions and cannot name a hardpoint", key.text);
  }
  bool is_input = is_root_field(field, MBS_MODEL_INPUTS);
  if ((is_input || is_root_field(field, MBS_MODEL_VARIABLES)) && mbs_expression_is_reserved(key.text)) {
    return mbs_reader_fail(reader, where, key.place, "\"%.60s\" has a meaning in expressions and cannot name %s",
                           key.text, is_input ? "an input" : "a variable");
  }
  if (is_root_field(field, MBS_MODEL_TABLES) &&
      (mbs_expression_is_reserved(key.text) || mbs_signal_has_function(key.text))) {
    return mbs_reader_fail(reader, where, key.place, "\"%.60s\" has a meaning in expressions and cannot name a table",
                           key.text);
  }
  if (is_root_field(field, MBS_MODEL_COORDINATES) && has_meaning(key.text)) {
    return mbs_reader_fail(reader, where, key.place,
                           "\"%.60s\" has a meaning in expressions and cannot name a coordinate", key.text);
  }
  if (is_root_field(field, MBS_MODEL_STATES) && mbs_expression_is_reserved(key.text)) {
    return mbs_reader_fail(reader, where, key.place, "\"%.60s\" has a meaning in expressions and cannot name a state",
                           key.text);
  }
  if (is_root_field(field, MBS_MODEL_BODIES) && strcmp(key.text, "ground") == 0) {
    return mbs_reader_fail(reader, where, key.place,
                           "a body cannot be called ground; fixed points belong in the section ground");
  }
  return MBS_OK;
}

// An objective is one of these, with what may, or must (a bit each), go with it.
static const struct {
  int main;
  unsigned may;
  unsigned needs_one_of;
} objective_forms[] = {
    {MBS_OBJECTIVE_INTEGRAL, 0, 0},
    {MBS_OBJECTIVE_FINAL, 0, 0},
    {MBS_OBJECTIVE_VALUE, 0, 0},
    {MBS_OBJECTIVE_RMS, 0, 0},
    {MBS_OBJECTIVE_PNORM, 1U << MBS_OBJECTIVE_P, 0},
    {MBS_OBJECTIVE_VIOLATION, 1U << MBS_OBJECTIVE_ABOVE | 1U << MBS_OBJECTIVE_BELOW,
     1U << MBS_OBJECTIVE_ABOVE | 1U << MBS_OBJECTIVE_BELOW},
    {MBS_OBJECTIVE_MAXIMUM, 0, 0},
    {MBS_OBJECTIVE_MINIMUM, 0, 0},
    {MBS_OBJECTIVE_AT,
     1U << MBS_OBJECTIVE_TIME | 1U << MBS_OBJECTIVE_EVENT | 1U << MBS_OBJECTIVE_NUMBER | 1U << MBS_OBJECTIVE_SIDE,
     1U << MBS_OBJECTIVE_TIME | 1U << MBS_OBJECTIVE_EVENT},
    {MBS_OBJECTIVE_EVENT_TIME, 1U << MBS_OBJECTIVE_NUMBER, 0},
    {MBS_OBJECTIVE_SETTLING, 1U << MBS_OBJECTIVE_TARGET | 1U << MBS_OBJECTIVE_BAND, 1U << MBS_OBJECTIVE_BAND},
    {MBS_OBJECTIVE_EQUILIBRIUM, 0, 0},
    {MBS_OBJECTIVE_EIGENVALUE, 1U << MBS_OBJECTIVE_MODE, 0},
};

int mbs_reader_objective_kind(int i) { return i < MBS_COUNT(objective_forms) ? objective_forms[i].main : -1; }

static MbsStatus check_objective(const MbsReader *reader, const MbsWhere *where, const MbsRecordType *type,
                                 MbsPlace place, const MbsValue *values) {
  int given = 0, form = 0;
  char known[256] = "", needed[64] = "";
  for (int i = 0; i < MBS_COUNT(objective_forms); ++i) {
    bool is_given = values[objective_forms[i].main].is_given;
    given += is_given;
    form = is_given ? i : form;
    mbs_reader_append_name(known, sizeof known, type->fields[objective_forms[i].main].name);
  }
  if (given != 1) {
    return mbs_reader_fail(reader, where, place, "needs exactly one of %s; found %d", known, given);
  }
  const char *name = type->fields[objective_forms[form].main].name;
  bool has_needed = objective_forms[form].needs_one_of == 0;
  for (int i = 0; i < type->field_count; ++i) {
    unsigned bit = 1U << i;
    if (values[i].is_given && i != objective_forms[form].main && !(objective_forms[form].may & bit)) {
      return mbs_reader_fail(reader, where, values[i].place, "\"%s\" does not go with \"%s\"", type->fields[i].name,
                             name);
    }
    has_needed = has_needed || (values[i].is_given && (objective_forms[form].needs_one_of & bit));
    if (objective_forms[form].needs_one_of & bit) {
      mbs_reader_append_name(needed, sizeof needed, type->fields[i].name);
    }
  }
  if (!has_needed) {
    return mbs_reader_fail(reader, where, place, "\"%s\" needs one of %s beside it", name, needed);
  }
  if (objective_forms[form].main == MBS_OBJECTIVE_AT && values[MBS_OBJECTIVE_TIME].is_given) {
    const int extras[] = {MBS_OBJECTIVE_EVENT, MBS_OBJECTIVE_NUMBER, MBS_OBJECTIVE_SIDE};
    for (int i = 0; i < MBS_COUNT(extras); ++i) {
      if (values[extras[i]].is_given) {
        return mbs_reader_fail(reader, where, values[extras[i]].place, "\"%s\" is of an event, and \"time\" is given",
                               type->fields[extras[i]].name);
      }
    }
  }
  return MBS_OK;
}

// The value of an entry of a NUMBER_MAP, SIGNAL_MAP or VECTOR_MAP, a record with one value; or of a parameter.
static MbsStatus read_simple(const MbsReader *reader, const MbsWhere *where, const MbsField *field, const MbsYaml *pair,
                             MbsRecord *record) {
  MbsWhere entry = {.outer = where, .word = pair->key.text};
  MbsField element = {.name = pair->key.text,
                      .kind = field->kind == MBS_FIELD_VECTOR_MAP   ? MBS_FIELD_VECTOR
                              : field->kind == MBS_FIELD_SIGNAL_MAP ? MBS_FIELD_SIGNAL
                                                                    : MBS_FIELD_NUMBER};
  MbsValue *value;
  // a parameter may have a range too
  MBS_TAKE(reader->context, reader->arena, value, MBS_PARAMETER_FIELD_COUNT);
  value->is_given = true;
  value->place = pair->key.place;
  record->values = value;
  if (reader->is_template && pair->kind == MBS_YAML_NOTHING) {
    return MBS_OK;  // a parameter that every assembly must give
  }
  return mbs_reader_read_texts(reader, &entry, &element, pair, value);
}

static MbsStatus read_entry(const MbsReader *reader, const MbsWhere *where, const MbsField *field, const MbsYaml *pair,
                            MbsRecord *record) {
  MBS_TRY(check_name(reader, where, field, pair->key));
  record->name = pair->key;
  bool is_number = is_root_field(field, MBS_MODEL_PARAMETERS) && pair->kind != MBS_YAML_MAPPING;
  if (field->kind == MBS_FIELD_RECORD_MAP && !is_number) {
    MbsWhere entry = {.outer = where->outer, .word = field->record->name, .name = pair->key.text};
    MbsYaml value = *pair, mapping = {.kind = MBS_YAML_MAPPING, .place = pair->place, .first = &value, .count = 1};
    bool is_short = field->is_short && pair->kind != MBS_YAML_MAPPING;  // x: 1 for x: {value: 1}
    value.key.text = field->record->fields[0].name;
    value.next = NULL;
    MBS_TRY(mbs_reader_read_record(reader, &entry, field->record, is_short ? &mapping : pair, NULL, pair->key.place,
                                   &record->values));
    if (is_root_field(field, MBS_MODEL_TABLES)) {
      MBS_TRY(mbs_csv_fill(reader, &entry, record));
    }
    if (is_root_field(field, MBS_MODEL_OBJECTIVES)) {
      MBS_TRY(check_objective(reader, &entry, field->record, pair->key.place, record->values));
    }
    return MBS_OK;
  }
  return read_simple(reader, where, field, pair, record);
}

// the list of an array; NULL: it is none
static const MbsYaml *list_of(const MbsField *field, const MbsYaml *pair) {
  const MbsYaml *value =
      pair->kind == MBS_YAML_MAPPING && field->record ? mbs_yaml_find(pair, field->record->fields[0].name) : pair;
  return is_root_field(field, MBS_MODEL_PARAMETERS) && value && value->kind == MBS_YAML_LIST ? value : NULL;
}

// u: {value: [a, b], lower: 0, upper: [1, ~]}: what is said of one element, which may be nothing (~) in a list
static MbsStatus read_bounded(const MbsReader *reader, const MbsField *field, const MbsYaml *pair, int length,
                              int number, MbsRecord *record) {
  MbsWhere entry = {.word = field->record->name, .name = record->name.text};
  MbsYaml mapping = *pair, *copies;
  int count = 0;
  MBS_TAKE(reader->context, reader->arena, copies, pair->count);
  for (const MbsYaml *child = pair->first; child; child = child->next) {
    const MbsYaml *item = child->kind == MBS_YAML_LIST ? child->first : child;
    if (child->kind == MBS_YAML_LIST && child->count != length) {
      return mbs_reader_fail(reader, &entry, child->place, "%s: expected %d numbers, as there are values, got %d",
                             child->key.text, length, child->count);
    }
    for (int i = 1; i < number && item != child; ++i) {
      item = item->next;
    }
    if (item == child || item->kind != MBS_YAML_NOTHING ||
        strcmp(child->key.text, field->record->fields[0].name) == 0) {
      copies[count] = *item;
      copies[count].key = child->key;
      copies[count].next = NULL;
      if (count > 0) {
        copies[count - 1].next = &copies[count];
      }
      count += 1;
    }
  }
  mapping.first = copies;
  mapping.count = count;
  return mbs_reader_read_record(reader, &entry, field->record, &mapping, NULL, pair->key.place, &record->values);
}

// u: [a, b, c] under parameters: the entries u[1], u[2], u[3]
static MbsStatus read_array(const MbsReader *reader, const MbsWhere *where, const MbsField *field, const MbsYaml *pair,
                            MbsValue *value, MbsRecord *records) {
  int number = 0;
  const MbsYaml *list = list_of(field, pair);
  MBS_TRY(check_name(reader, where, field, pair->key));
  if (list->count == 0) {
    return mbs_reader_fail(reader, where, list->place, "array \"%.60s\" is empty: it needs a number at least",
                           pair->key.text);
  }
  for (const MbsYaml *item = list->first; item; item = item->next) {
    MbsRecord *record = &records[value->count++];
    MbsYaml entry = *item;
    entry.key =
        (MbsText){.text = mbs_arena_print(reader->arena, "%s[%d]", pair->key.text, ++number), .place = pair->key.place};
    if (!entry.key.text) {
      return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    record->name = entry.key;
    MBS_TRY(list == pair ? read_simple(reader, where, field, &entry, record)
                         : read_bounded(reader, field, pair, list->count, number, record));
  }
  return MBS_OK;
}

// a name alone, for {name: 1}
static MbsStatus read_name(const MbsReader *reader, const MbsField *field, const MbsYaml *node, MbsValue *value) {
  MbsRecord *record;
  MbsYaml entry = {
      .kind = MBS_YAML_SCALAR, .key = {.text = node->text, .place = node->place}, .text = "1", .place = node->place};
  MBS_TAKE(reader->context, reader->arena, record, 1);
  record->name = entry.key;
  value->records = record;
  value->count = 1;
  return read_simple(reader, NULL, field, &entry, record);
}

static MbsStatus read_map(const MbsReader *reader, const MbsWhere *where, const MbsField *field, const MbsYaml *node,
                          MbsValue *value) {
  if (field->kind == MBS_FIELD_NUMBER_MAP && field->is_short && node->kind == MBS_YAML_SCALAR) {
    return read_name(reader, field, node, value);
  }
  MBS_TRY(expect_section(reader, where, node, MBS_YAML_MAPPING));
  MbsRecord *records;
  int before = reader->context->error_count, count = 0;
  for (const MbsYaml *pair = node->first; pair; pair = pair->next) {
    count += list_of(field, pair) ? list_of(field, pair)->count : 1;
  }
  MBS_TAKE(reader->context, reader->arena, records, count);
  for (const MbsYaml *pair = node->first; pair; pair = pair->next) {
    MBS_TRY(mbs_error_keep(reader->context, list_of(field, pair)
                                                ? read_array(reader, where, field, pair, value, records)
                                                : read_entry(reader, where, field, pair, &records[value->count++])));
  }
  value->records = records;
  return mbs_errors_tell(reader->context, before);
}

// ---- lists of records and of elements ----

static MbsStatus read_record_list(const MbsReader *reader, const MbsWhere *where, const MbsField *field,
                                  const MbsYaml *node, MbsValue *value) {
  MBS_TRY(expect_section(reader, where, node, MBS_YAML_LIST));
  MbsRecord *records;
  int before = reader->context->error_count;
  MBS_TAKE(reader->context, reader->arena, records, node->count);
  for (const MbsYaml *item = node->first; item; item = item->next) {
    MbsRecord *record = &records[value->count++];
    record->name.text =
        mbs_arena_print(reader->arena, "%s %d", field->record->name, reader->list_offset + value->count);
    record->name.place = item->place;
    if (!record->name.text) {
      return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    MbsWhere entry = {.outer = where->outer, .word = record->name.text};
    MBS_TRY(mbs_error_keep(reader->context, mbs_reader_read_record(reader, &entry, field->record, item, NULL,
                                                                   item->place, &record->values)));
  }
  value->records = records;
  return mbs_errors_tell(reader->context, before);
}

// The joints or the forces, whose types come from the registry.
typedef struct Family {
  const char *word;
  bool is_joint;
} Family;

static const MbsRecordType *family_type(const Family *family, int index) {
  if (family->is_joint) {
    return mbs_joint_types[index] ? &mbs_joint_types[index]->record : NULL;
  }
  return mbs_force_types[index] ? &mbs_force_types[index]->record : NULL;
}

static int find_type(const Family *family, const char *name) {
  for (int i = 0; family_type(family, i); ++i) {
    if (strcmp(family_type(family, i)->name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static MbsStatus fail_without_type(const MbsReader *reader, const MbsWhere *where, const Family *family,
                                   const MbsYaml *item) {
  char known[512] = "";
  for (int i = 0; family_type(family, i); ++i) {
    mbs_reader_append_name(known, sizeof known, family_type(family, i)->name);
  }
  for (const MbsYaml *pair = item->first; pair; pair = pair->next) {
    const char *nearest = NULL;
    for (int i = 0; family_type(family, i); ++i) {
      mbs_name_nearest(pair->key.text, family_type(family, i)->name, &nearest);
    }
    if (nearest) {
      return mbs_reader_fail(reader, where, pair->key.place, "no %s type \"%.60s\"; did you mean \"%s\"? Known: %s",
                             family->word, pair->key.text, nearest, known);
    }
  }
  return mbs_reader_fail(reader, where, item->first ? item->first->key.place : item->place,
                         "no key names the type of this %s; known: %s", family->word, known);
}

static MbsStatus read_element(const MbsReader *reader, const MbsWhere *where, const Family *family, const MbsYaml *item,
                              int position, MbsRecord *record) {
  MBS_TRY(mbs_reader_expect(reader, where, item, MBS_YAML_MAPPING, "a mapping such as {<type>: ..., <key>: ...}"));
  const MbsYaml *type_pair = NULL;
  const MbsYaml *name = mbs_yaml_find(item, "name");
  for (const MbsYaml *pair = item->first; pair; pair = pair->next) {
    int type = find_type(family, pair->key.text);
    if (type >= 0 && type_pair) {
      return mbs_reader_fail(reader, where, pair->key.place,
                             "a %s has one type, found both %s and %s; write two elements, each after its own -",
                             family->word, type_pair->key.text, pair->key.text);
    }
    if (type >= 0) {
      type_pair = pair;
      record->type = type;
    }
  }
  if (!type_pair) {
    return fail_without_type(reader, where, family, item);
  }
  const MbsRecordType *type = family_type(family, record->type);
  if (name) {
    MbsWhere here = {.outer = where, .word = "name"};
    MBS_TRY(mbs_reader_expect(reader, &here, name, MBS_YAML_SCALAR, "a name"));
    record->name = (MbsText){.text = name->text, .place = name->place};
    MBS_TRY(check_name(reader, &here, NULL, record->name));
  } else {
    record->name.text = mbs_arena_print(reader->arena, "%s %d", type->name, position);
    record->name.place = type_pair->key.place;
    if (!record->name.text) {
      return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
  }
  MbsWhere here = {.outer = NULL, .word = family->word, .name = record->name.text};
  return mbs_reader_read_record(reader, &here, type, item, "name", type_pair->key.place, &record->values);
}

static MbsStatus refuse_same_names(const MbsReader *reader, const Family *family, const MbsRecord *records, int count) {
  MbsText *names;
  MBS_TAKE(reader->context, reader->arena, names, count);
  for (int i = 0; i < count; ++i) {
    names[i] = records[i].name;
  }
  const MbsText *twice = mbs_yaml_find_duplicate(names, count);
  if (twice) {
    return mbs_reader_fail(reader, NULL, twice[1].place, "a second %s is called \"%.60s\"; the first is at %d:%d",
                           family->word, twice[1].text, twice[0].place.line, twice[0].place.column);
  }
  return MBS_OK;
}

static MbsStatus read_elements(const MbsReader *reader, const MbsWhere *where, const MbsField *field,
                               const MbsYaml *node, MbsValue *value) {
  Family family = {.word = field->kind == MBS_FIELD_JOINT_LIST ? "joint" : "force",
                   .is_joint = field->kind == MBS_FIELD_JOINT_LIST};
  MBS_TRY(expect_section(reader, where, node, MBS_YAML_LIST));
  MbsRecord *records;
  MBS_TAKE(reader->context, reader->arena, records, node->count);
  int before = reader->context->error_count;
  for (const MbsYaml *item = node->first; item; item = item->next) {
    MbsRecord *record = &records[value->count++];
    MBS_TRY(mbs_error_keep(reader->context,
                           read_element(reader, where, &family, item, reader->list_offset + value->count, record)));
  }
  MBS_TRY(mbs_errors_tell(reader->context, before));
  value->records = records;
  return refuse_same_names(reader, &family, records, value->count);
}

// ---- records ----

MbsStatus mbs_reader_read_value(const MbsReader *reader, const MbsWhere *where, const MbsField *field,
                                const MbsYaml *pair, MbsValue *value) {
  MbsWhere here = {.outer = where, .word = field->name};
  value->is_given = true;
  value->place = pair->key.place;
  switch (field->kind) {
    case MBS_FIELD_RECORD: {
      MbsRecord *record;
      MBS_TAKE(reader->context, reader->arena, record, 1);
      record->name = pair->key;
      value->records = record;
      value->count = 1;
      return mbs_reader_read_record(reader, &here, field->record, pair, NULL, pair->key.place, &record->values);
    }
    case MBS_FIELD_NUMBER_MAP:
    case MBS_FIELD_SIGNAL_MAP:
    case MBS_FIELD_VECTOR_MAP:
    case MBS_FIELD_RECORD_MAP: return read_map(reader, &here, field, pair, value);
    case MBS_FIELD_RECORD_LIST: return read_record_list(reader, &here, field, pair, value);
    case MBS_FIELD_JOINT_LIST:
    case MBS_FIELD_FORCE_LIST: return read_elements(reader, &here, field, pair, value);
    default: return mbs_reader_read_texts(reader, &here, field, pair, value);
  }
}

// What a field holds that the file leaves out. A record counts as given with all its defaults, unless
// one of its fields is required.
static MbsStatus default_value(const MbsReader *reader, const MbsField *field, MbsPlace place, MbsValue *value) {
  value->place = place;
  if (mbs_reader_is_text_kind(field->kind)) {
    return mbs_reader_default_texts(reader, field, value);
  }
  if (field->kind != MBS_FIELD_RECORD) {
    return MBS_OK;
  }
  for (int i = 0; i < field->record->field_count; ++i) {
    if (field->record->fields[i].is_required) {
      return MBS_OK;
    }
  }
  MbsRecord *record;
  MBS_TAKE(reader->context, reader->arena, record, 1);
  record->name = (MbsText){.text = field->name, .place = place};
  value->records = record;
  value->count = 1;
  return default_record(reader, field->record, place, &record->values);
}

static MbsStatus default_record(const MbsReader *reader, const MbsRecordType *type, MbsPlace place,
                                const MbsValue **values) {
  MbsValue *filled;
  MBS_TAKE(reader->context, reader->arena, filled, type->field_count);
  *values = filled;
  for (int i = 0; i < type->field_count; ++i) {
    MBS_TRY(default_value(reader, &type->fields[i], place, &filled[i]));
  }
  return MBS_OK;
}

static MbsStatus fail_unknown_key(const MbsReader *reader, const MbsWhere *where, const MbsRecordType *type,
                                  const char *extra_key, MbsText key) {
  char known[512] = "";
  const char *nearest = NULL;
  for (int i = 0; i < type->field_count; ++i) {
    mbs_reader_append_name(known, sizeof known, type->fields[i].name);
    mbs_name_nearest(key.text, type->fields[i].name, &nearest);
  }
  for (int i = 0; type == &mbs_model_type && i < mbs_file_type.field_count; ++i) {
    mbs_reader_append_name(known, sizeof known, mbs_file_type.fields[i].name);
    mbs_name_nearest(key.text, mbs_file_type.fields[i].name, &nearest);
  }
  if (extra_key) {
    mbs_reader_append_name(known, sizeof known, extra_key);
    mbs_name_nearest(key.text, extra_key, &nearest);
  }
  // {value: atan2(1, 2)} and {mass:1} are not the keys that were meant
  const char *hint = strpbrk(key.text, "()") ? "put an expression that contains commas in quotes"
                     : strchr(key.text, ':') ? "put a space after the colon"
                                             : NULL;
  if (hint) {
    return mbs_reader_fail(reader, where, key.place, "unknown key \"%.60s\"; %s", key.text, hint);
  }
  if (nearest) {
    return mbs_reader_fail(reader, where, key.place, "unknown key \"%.60s\"; did you mean \"%s\"?", key.text, nearest);
  }
  return mbs_reader_fail(reader, where, key.place, "unknown key \"%.60s\"; known: %s", key.text, known);
}

MbsStatus mbs_reader_read_record(const MbsReader *reader, const MbsWhere *where, const MbsRecordType *type,
                                 const MbsYaml *mapping, const char *extra_key, MbsPlace place,
                                 const MbsValue **values) {
  MBS_TRY(mbs_reader_expect(reader, where, mapping, MBS_YAML_MAPPING, "a mapping"));
  MbsContext *context = reader->context;
  int before = context->error_count;
  MbsValue *read;
  MBS_TAKE(context, reader->arena, read, type->field_count);
  *values = read;
  for (const MbsYaml *pair = mapping->first; pair; pair = pair->next) {
    int field = 0;
    while (field < type->field_count && strcmp(type->fields[field].name, pair->key.text) != 0) {
      ++field;
    }
    if (field < type->field_count) {
      MBS_TRY(mbs_error_keep(context, mbs_reader_read_value(reader, where, &type->fields[field], pair, &read[field])));
    } else if (!extra_key || strcmp(extra_key, pair->key.text) != 0) {
      MBS_TRY(mbs_error_keep(context, fail_unknown_key(reader, where, type, extra_key, pair->key)));
    }
  }
  MBS_TRY(mbs_errors_tell(context, before));  // a key that is missing may be one that was misspelt
  for (int i = 0; i < type->field_count; ++i) {
    const MbsField *field = &type->fields[i];
    if (!read[i].is_given && field->is_required) {
      return mbs_reader_fail(reader, where, place, "missing key \"%s\": %s", field->name, field->summary);
    }
    if (!read[i].is_given) {
      MBS_TRY(default_value(reader, field, place, &read[i]));
    }
  }
  return MBS_OK;
}
