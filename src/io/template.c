// What a file may hold besides the sections of a model: the tables, and the shape of templates.
#include <string.h>

#include "base/names.h"
#include "expressions/parse.h"
#include "io/assembly.h"

// ---- tables ----

static const MbsField assembly_fields[] = {
    [MBS_ASSEMBLY_TEMPLATE] = {"template", MBS_FIELD_TEXT, .is_required = true, .summary = "the template, by name"},
    [MBS_ASSEMBLY_NAME] = {"name", MBS_FIELD_TEXT, .is_required = true,
                           .summary = "its name: the body link of assembly left is left.link, also called left_link"},
    [MBS_ASSEMBLY_WITH] = {"with", MBS_FIELD_NUMBER_MAP,
                           .summary =
                               "values of the template's parameters: expressions, or names of bodies and points"},
    [MBS_ASSEMBLY_AT] = {"at", MBS_FIELD_VECTOR, .default_text = "0", .unit = "m",
                         .summary = "where the template's origin is"},
    [MBS_ASSEMBLY_MIRROR] = {"mirror", MBS_FIELD_CHOICE, .choices = (const char *const[]){"x", "y", "z", NULL},
                             .summary = "the coordinate that changes sign"},
    [MBS_ASSEMBLY_REPEAT] = {"repeat", MBS_FIELD_NUMBER,
                             .summary = "how many, called name(1), name(2), ...; i is the number inside"},
    [MBS_ASSEMBLY_FIRST] = {"first", MBS_FIELD_NUMBER, .default_text = "1", .summary = "number of the first of them"},
};
const MbsRecordType mbs_assembly_type = {"assembly", "a template, placed once or many times",
                                         MBS_COUNT(assembly_fields), assembly_fields};

static const MbsField template_fields[] = {
    [MBS_TEMPLATE_PARAMETERS] = {"parameters", MBS_FIELD_NUMBER_MAP,
                                 .summary = "its own parameters with their defaults; one without must be given"},
    [MBS_TEMPLATE_ASSEMBLIES] = {"assemblies", MBS_FIELD_RECORD_LIST, .record = &mbs_assembly_type,
                                 .summary = "templates placed in this one"},
};
static const MbsRecordType template_type = {"template",
                                            "a part of a model: also the sections tables, functions, ground, bodies, "
                                            "coordinates, states, joints, forces, variables, inputs, events, "
                                            "initial, objectives, outputs, validity and shapes, as there",
                                            MBS_COUNT(template_fields), template_fields};

const int mbs_template_sections[MBS_TEMPLATE_SECTION_COUNT] = {
    MBS_MODEL_TABLES,      MBS_MODEL_FUNCTIONS, MBS_MODEL_GROUND,   MBS_MODEL_BODIES,
    MBS_MODEL_COORDINATES, MBS_MODEL_STATES,    MBS_MODEL_JOINTS,   MBS_MODEL_FORCES,
    MBS_MODEL_VARIABLES,   MBS_MODEL_INPUTS,    MBS_MODEL_EVENTS,   MBS_MODEL_INITIAL,
    MBS_MODEL_OBJECTIVES,  MBS_MODEL_OUTPUTS,   MBS_MODEL_VALIDITY, MBS_MODEL_SHAPES};

static const MbsField file_fields[] = {
    [MBS_FILE_INCLUDE] = {"include", MBS_FIELD_TEXT,
                          .summary =
                              "a file or a list of files, relative to this one, whose sections are joined to it"},
    [MBS_FILE_CONSTANTS] = {"constants", MBS_FIELD_NUMBER_MAP,
                            .summary = "named numbers that are fixed, such as how often a template is repeated"},
    [MBS_FILE_TEMPLATES] = {"templates", MBS_FIELD_RECORD_MAP, .record = &template_type,
                            .summary = "parts of models, by name, for assemblies"},
    [MBS_FILE_ASSEMBLIES] = {"assemblies", MBS_FIELD_RECORD_LIST, .record = &mbs_assembly_type,
                             .summary = "templates, placed once or many times"},
};
const MbsRecordType mbs_file_type = {"file", "what a file may hold besides: parts of models, used many times",
                                     MBS_COUNT(file_fields), file_fields};

// ---- shape ----

MbsStatus mbs_template_check_name(const MbsReader *reader, const MbsWhere *where, MbsText key) {
  if (!mbs_name_is_identifier(key.text) || mbs_expression_is_reserved(key.text) || strcmp(key.text, "i") == 0) {
    return mbs_reader_fail(reader, where, key.place, "\"%.60s\" cannot be the name of a number here: %s", key.text,
                           strcmp(key.text, "i") == 0 ? "it is the number of a repeated instance"
                           : mbs_name_is_identifier(key.text)
                               ? "it has a meaning in expressions"
                               : "a name has letters, digits and _ and starts with a letter or _");
  }
  return MBS_OK;
}

static const struct {
  int section;
  const char *word;
} number_sections[] = {{MBS_MODEL_COORDINATES, "coordinate"},
                       {MBS_MODEL_STATES, "state"},
                       {MBS_MODEL_VARIABLES, "variable"},
                       {MBS_MODEL_INPUTS, "input"},
                       {MBS_MODEL_HARDPOINTS, "hardpoint"}};

MbsStatus mbs_template_refuse_number(const MbsReader *reader, const MbsWhere *where, const MbsYaml *sections,
                                     MbsText name) {
  for (int i = 0; i < MBS_COUNT(number_sections); ++i) {
    const MbsYaml *numbers = mbs_yaml_find(sections, mbs_model_type.fields[number_sections[i].section].name);
    const MbsYaml *number = numbers && numbers->kind == MBS_YAML_MAPPING ? mbs_yaml_find(numbers, name.text) : NULL;
    if (number) {
      return mbs_reader_fail(reader, where, name.place, "\"%.60s\" is a %s too, at %d:%d", name.text,
                             number_sections[i].word, number->key.place.line, number->key.place.column);
    }
  }
  return MBS_OK;
}

// the names of its coordinates and variables
static MbsStatus check_numbers(const MbsReader *reader, const MbsWhere *where, const MbsField *field,
                               const MbsValue *value) {
  bool is_number = false;
  for (int i = 0; i < MBS_COUNT(number_sections); ++i) {
    is_number |= field == &mbs_model_type.fields[number_sections[i].section];
  }
  for (int i = 0; is_number && i < value->count; ++i) {
    MBS_TRY(mbs_template_check_name(reader, where, value->records[i].name));
  }
  return MBS_OK;
}

MbsStatus mbs_template_check(const MbsReader *reader, const MbsYaml *template) {
  MbsReader own = *reader;
  MbsWhere where = {.word = "template", .name = template->key.text};
  char known[256] = "";
  own.is_template = true;
  if (!mbs_name_is_identifier(template->key.text)) {
    return mbs_reader_fail(reader, NULL, template->key.place,
                           "\"%.60s\" is not a name; a name has letters, digits and _ and starts with a letter or _",
                           template->key.text);
  }
  MBS_TRY(mbs_reader_expect(reader, &where, template, MBS_YAML_MAPPING, "a mapping"));
  for (const MbsYaml *pair = template->first; pair; pair = pair->next) {
    const MbsField *field = NULL;
    const char *nearest = NULL;
    known[0] = '\0';
    for (int i = 0; i < MBS_COUNT(template_fields) + MBS_TEMPLATE_SECTION_COUNT; ++i) {
      const MbsField *one = i < MBS_COUNT(template_fields)
                                ? &template_fields[i]
                                : &mbs_model_type.fields[mbs_template_sections[i - MBS_COUNT(template_fields)]];
      field = strcmp(one->name, pair->key.text) == 0 ? one : field;
      mbs_reader_append_name(known, sizeof known, one->name);
      mbs_name_nearest(pair->key.text, one->name, &nearest);
    }
    if (!field) {
      return mbs_reader_fail(reader, &where, pair->key.place, "unknown key \"%.60s\"%s%s%s%s", pair->key.text,
                             nearest ? "; did you mean \"" : "; known: ", nearest ? nearest : known,
                             nearest ? "\"" : "", nearest ? "?" : "");
    }
    MbsValue value = {.is_given = false};
    MBS_TRY(mbs_reader_read_value(&own, &where, field, pair, &value));
    for (int i = 0; field == &template_fields[MBS_TEMPLATE_PARAMETERS] && i < value.count; ++i) {
      MBS_TRY(mbs_template_check_name(reader, &where, value.records[i].name));
      MBS_TRY(mbs_template_refuse_number(reader, &where, template, value.records[i].name));
    }
    MBS_TRY(check_numbers(reader, &where, field, &value));
  }
  return MBS_OK;
}
