#include "io/schema.h"

#include <stdlib.h>
#include <string.h>

#include "expressions/parse.h"
#include "io/assembly.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/model.h"

// ---- JSON ----

typedef struct Json {
  FILE *out;
  int depth;
  bool has_members;  // so far, the object or array that is open; one that held another has
  int inline_from;   // from this depth on everything stands on one line; 0: nowhere
} Json;

static void new_item(Json *j) {
  bool is_inline = j->inline_from && j->depth >= j->inline_from;
  if (j->has_members) {
    (void)fputs(is_inline ? ", " : ",", j->out);
  }
  j->has_members = true;
  if (j->depth > 0 && !is_inline) {
    (void)fprintf(j->out, "\n%*s", 2 * j->depth, "");
  }
}

static void text(Json *j, const char *value) {
  (void)fputc('"', j->out);
  for (const char *c = value; *c; ++c) {
    if (*c == '"' || *c == '\\') {
      (void)fputc('\\', j->out);
    }
    (void)fputc(*c, j->out);
  }
  (void)fputc('"', j->out);
}

static void key(Json *j, const char *name) {
  new_item(j);
  text(j, name);
  (void)fputs(": ", j->out);
}

static void begin(Json *j, char bracket) {
  (void)fputc(bracket, j->out);
  ++j->depth;
  j->has_members = false;
}

// Like begin, on one line until its end.
static void begin_inline(Json *j, char bracket) {
  begin(j, bracket);
  j->inline_from = j->inline_from ? j->inline_from : j->depth;
}

static void end(Json *j, char bracket) {
  bool is_inline = j->inline_from && j->depth >= j->inline_from;
  if (j->inline_from == j->depth) {
    j->inline_from = 0;
  }
  --j->depth;
  if (!is_inline && j->has_members) {
    (void)fprintf(j->out, "\n%*s", 2 * j->depth, "");
  }
  (void)fputc(bracket, j->out);
  j->has_members = true;
}

static void text_member(Json *j, const char *name, const char *value) {
  key(j, name);
  text(j, value);
}

static void raw_member(Json *j, const char *name, const char *json) {
  key(j, name);
  (void)fputs(json, j->out);
}

// ---- fields ----

static const char name_pattern[] = "^[A-Za-z_][A-Za-z0-9_]*$";
// body.point, or into assemblies: left.body.point, cell(i - 1).body.point
static const char path_pattern[] = "^[A-Za-z_][A-Za-z0-9_]*([(][^()]+[)])?([.][A-Za-z_][A-Za-z0-9_]*([(][^()]+[)])?)*$";

// f(x, y)
static const char function_pattern[] = "^ *[A-Za-z_][A-Za-z0-9_]* *[(][A-Za-z0-9_, ]*[)] *$";

static void write_record(Json *j, const MbsRecordType *type, bool is_element);
static void write_kind(Json *j, const MbsField *field);

static bool is_root_field(const MbsField *field, int index) { return field == &mbs_model_type.fields[index]; }

static bool is_of_parameter(const MbsField *field) {
  const MbsField *fields = mbs_model_type.fields[MBS_MODEL_PARAMETERS].record->fields;
  return field >= fields && field < fields + MBS_PARAMETER_FIELD_COUNT;
}

static bool is_json_number(const char *value) {
  char *end;
  (void)strtod(value, &end);
  // strtod also takes inf, nan, hexadecimal and leading dots, which JSON does not
  return end != value && *end == '\0' && strspn(value, "-0123456789.eE") == strlen(value) && value[0] != '.';
}

static void write_literal(Json *j, const MbsField *field) {
  bool is_number = field->kind != MBS_FIELD_TEXT && field->kind != MBS_FIELD_CHOICE;
  if (is_number && is_json_number(field->default_text)) {
    (void)fputs(field->default_text, j->out);
  } else {
    text(j, field->default_text);
  }
}

static void write_default(Json *j, const MbsField *field) {
  // the zeros of a vector depend on the dimension, so its default stays unsaid
  if (!field->default_text || field->kind == MBS_FIELD_VECTOR || field->kind == MBS_FIELD_SIGNAL_VECTOR) {
    return;
  }
  key(j, "default");
  write_literal(j, field);
}

static void write_description(Json *j, const MbsField *field) {
  char description[512];
  (void)snprintf(description, sizeof description, "%s%s%s%s", field->summary, field->unit ? " (" : "",
                 field->unit ? field->unit : "", field->unit ? ")" : "");
  text_member(j, "description", description);
}

static void write_range(Json *j, const MbsSetting *setting) {
  char number[32];
  double ignored;
  bool is_zero_good = mbs_setting_is_word(setting, "0", &ignored);  // besides the range
  (void)snprintf(number, sizeof number, "%.10g", is_zero_good ? 0 : setting->least);
  raw_member(j, setting->is_least_excluded ? "exclusiveMinimum" : "minimum", number);
  if (setting->most > 0) {
    (void)snprintf(number, sizeof number, "%.10g", setting->most);
    raw_member(j, setting->is_most_excluded ? "exclusiveMaximum" : "maximum", number);
  }
}

// The bound a literal number must keep; an expression is checked when the model is compiled.
static void write_bound(Json *j, const MbsField *field) {
  if (field->kind == MBS_FIELD_NUMBER && field->setting && field->setting->range) {
    write_range(j, field->setting);
  } else if (field->kind == MBS_FIELD_NUMBER && field->check == MBS_CHECK_POSITIVE) {
    raw_member(j, "exclusiveMinimum", "0");
  } else if (field->kind == MBS_FIELD_NUMBER && field->check == MBS_CHECK_NOT_NEGATIVE) {
    raw_member(j, "minimum", "0");
  }
}

static void write_choices(Json *j, const MbsField *field) {
  key(j, "enum");
  begin_inline(j, '[');
  for (const char *const *choice = field->choices; *choice; ++choice) {
    new_item(j);
    text(j, *choice);
  }
  end(j, ']');
}

static void write_element(Json *j, const MbsRecordType *type) {
  new_item(j);
  begin(j, '{');
  text_member(j, "title", type->name);
  text_member(j, "description", type->summary);
  write_record(j, type, true);
  end(j, '}');
}

static void write_elements(Json *j, bool is_joint) {
  text_member(j, "type", "array");
  key(j, "items");
  begin(j, '{');
  key(j, "oneOf");
  begin(j, '[');
  for (int i = 0; is_joint && mbs_joint_types[i]; ++i) {
    write_element(j, &mbs_joint_types[i]->record);
  }
  for (int i = 0; !is_joint && mbs_force_types[i]; ++i) {
    write_element(j, &mbs_force_types[i]->record);
  }
  end(j, ']');
  end(j, '}');
}

// The words of expressions, which no parameter may be called, and those of force laws, which no coordinate may.
static void write_reserved(Json *j, bool with_law_words) {
  static const char *const words[] = {"t", "pi", "inf", "nan"};
  begin_inline(j, '{');
  key(j, "enum");
  begin_inline(j, '[');
  for (int i = 0; i < MBS_COUNT(words); ++i) {
    if (mbs_expression_is_reserved(words[i])) {
      new_item(j);
      text(j, words[i]);
    }
  }
  for (const char *const *word = mbs_reader_law_words; *word && with_law_words; ++word) {
    new_item(j);
    text(j, *word);
  }
  for (const MbsFunctionHelp *help = mbs_function_help; help->name; ++help) {
    new_item(j);
    text(j, help->name);
  }
  end(j, ']');
  end(j, '}');
}

static void write_names(Json *j, const MbsField *field) {
  key(j, "propertyNames");
  begin_inline(j, '{');
  bool is_of_points = field == &mbs_model_type.fields[MBS_MODEL_INITIAL].record->fields[MBS_INITIAL_POINTS];
  text_member(j, "pattern",
              is_of_points                                ? path_pattern
              : is_root_field(field, MBS_MODEL_FUNCTIONS) ? function_pattern
                                                          : name_pattern);
  if (is_root_field(field, MBS_MODEL_BODIES)) {
    raw_member(j, "not", "{\"const\": \"ground\"}");
  } else if (is_root_field(field, MBS_MODEL_PARAMETERS) || is_root_field(field, MBS_MODEL_COORDINATES) ||
             is_root_field(field, MBS_MODEL_HARDPOINTS) || field == &mbs_file_type.fields[MBS_FILE_CONSTANTS]) {
    key(j, "not");
    write_reserved(j, is_root_field(field, MBS_MODEL_COORDINATES) || is_root_field(field, MBS_MODEL_HARDPOINTS));
  }
  end(j, '}');
}

static void write_map(Json *j, const MbsField *field) {
  text_member(j, "type", "object");
  write_names(j, field);
  key(j, "additionalProperties");
  if (is_root_field(field, MBS_MODEL_PARAMETERS)) {
    (void)fputs(
        "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
        "\"#/$defs/number\"}}, ",
        j->out);
    begin(j, '{');
    text_member(j, "description", field->record->summary);
    write_record(j, field->record, false);
    end(j, '}');
    (void)fputs("]}", j->out);
    return;
  }
  if (field->kind != MBS_FIELD_RECORD_MAP) {
    (void)fprintf(j->out, "{\"$ref\": \"#/$defs/%s\"}", field->kind == MBS_FIELD_VECTOR_MAP ? "vector" : "number");
    return;
  }
  begin(j, '{');
  if (field->is_short) {  // the first field alone, or all of them
    key(j, "anyOf");
    begin(j, '[');
    new_item(j);
    begin_inline(j, '{');
    write_kind(j, &field->record->fields[0]);
    end(j, '}');
    new_item(j);
    begin(j, '{');
  }
  text_member(j, "description", field->record->summary);
  if (is_root_field(field, MBS_MODEL_OBJECTIVES)) {
    key(j, "oneOf");
    begin_inline(j, '[');
    for (int i = 0; mbs_reader_objective_kind(i) >= 0; ++i) {
      new_item(j);
      begin_inline(j, '{');
      key(j, "required");
      (void)fprintf(j->out, "[\"%s\"]", field->record->fields[mbs_reader_objective_kind(i)].name);
      end(j, '}');
    }
    end(j, ']');
  }
  write_record(j, field->record, false);
  if (field->is_short) {
    end(j, '}');
    end(j, ']');
  }
  end(j, '}');
}

static void write_reference(Json *j, const char *definition) {
  key(j, "$ref");
  (void)fprintf(j->out, "\"#/$defs/%s\"", definition);
}

// A file, or several; joints, or a text with their names.
static void write_texts(Json *j) {
  raw_member(j, "anyOf", "[{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": \"string\"}}]");
}

// A number, or several.
static void write_numbers(Json *j) {
  raw_member(j, "anyOf",
             "[{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
             "\"#/$defs/number\"}}]");
}

// A template: parameters that may lack a value, some sections of the model, assemblies.
static void write_templates(Json *j, const MbsField *field) {
  const MbsRecordType *type = field->record;
  text_member(j, "type", "object");
  write_names(j, field);
  key(j, "additionalProperties");
  begin(j, '{');
  text_member(j, "description", type->summary);
  text_member(j, "type", "object");
  raw_member(j, "additionalProperties", "false");
  key(j, "properties");
  begin(j, '{');
  key(j, type->fields[MBS_TEMPLATE_PARAMETERS].name);
  begin_inline(j, '{');
  text_member(j, "description", type->fields[MBS_TEMPLATE_PARAMETERS].summary);
  text_member(j, "type", "object");
  raw_member(j, "additionalProperties", "{\"type\": [\"number\", \"string\", \"null\"]}");
  end(j, '}');
  for (int i = 0; i < MBS_TEMPLATE_SECTION_COUNT; ++i) {
    const char *section = mbs_model_type.fields[mbs_template_sections[i]].name;
    key(j, section);
    (void)fprintf(j->out, "{\"$ref\": \"#/properties/%s\"}", section);
  }
  const char *assemblies = type->fields[MBS_TEMPLATE_ASSEMBLIES].name;
  key(j, assemblies);
  (void)fprintf(j->out, "{\"$ref\": \"#/properties/%s\"}", assemblies);
  end(j, '}');
  end(j, '}');
}

static void write_kind(Json *j, const MbsField *field) {
  if (field == &mbs_file_type.fields[MBS_FILE_INCLUDE]) {
    write_texts(j);
    return;
  }
  if (field == &mbs_file_type.fields[MBS_FILE_TEMPLATES]) {
    write_templates(j, field);
    return;
  }
  switch (field->kind) {
    case MBS_FIELD_INTEGER:
      if (is_root_field(field, MBS_MODEL_VERSION) || is_root_field(field, MBS_MODEL_DIMENSION)) {
        raw_member(j, "enum", is_root_field(field, MBS_MODEL_VERSION) ? "[1]" : "[2, 3]");
      } else {
        text_member(j, "type", "integer");
      }
      break;
    case MBS_FIELD_TEXT: raw_member(j, "type", "[\"string\", \"number\", \"boolean\"]"); break;
    case MBS_FIELD_CHOICE: write_choices(j, field); break;
    case MBS_FIELD_NUMBER:
      if (is_of_parameter(field)) {  // an array has lists
        raw_member(j, "anyOf",
                   "[{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"items\": {\"type\": [\"number\", "
                   "\"string\", \"null\"]}}]");
        break;
      }
      write_reference(j, "number");
      break;
    case MBS_FIELD_SIGNAL: write_reference(j, "number"); break;
    case MBS_FIELD_VECTOR: write_reference(j, "vector"); break;
    case MBS_FIELD_DIRECTION: write_reference(j, "direction"); break;
    case MBS_FIELD_INERTIA: write_reference(j, "inertia"); break;
    case MBS_FIELD_BODY: write_reference(j, "body"); break;
    case MBS_FIELD_TURNING:
    case MBS_FIELD_TORQUE:
    case MBS_FIELD_SIGNAL_VECTOR:
      raw_member(j, "anyOf", "[{\"$ref\": \"#/$defs/vector\"}, {\"$ref\": \"#/$defs/number\"}]");
      break;
    case MBS_FIELD_NUMBER_LIST: write_numbers(j); break;
    case MBS_FIELD_NUMBER_ROWS:
      raw_member(j, "anyOf",
                 "[{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"items\": {\"type\": \"array\", "
                 "\"items\": {\"$ref\": \"#/$defs/number\"}}}]");
      break;
    case MBS_FIELD_POINT: write_reference(j, "point"); break;
    case MBS_FIELD_POINT_PAIR: write_reference(j, "points"); break;
    case MBS_FIELD_POINT_NAMES:
    case MBS_FIELD_JOINT_NAMES: write_texts(j); break;
    case MBS_FIELD_JOINT_PAIR:
    case MBS_FIELD_BODY_PAIR: write_reference(j, "bodies"); break;
    case MBS_FIELD_RECORD: write_record(j, field->record, false); break;
    case MBS_FIELD_NUMBER_MAP:
      if (field->is_short) {  // a name, or names with numbers
        raw_member(j, "anyOf",
                   "[{\"type\": \"string\", \"minLength\": 1}, {\"type\": \"object\", \"additionalProperties\": "
                   "{\"$ref\": \"#/$defs/number\"}}]");
        break;
      }
      write_map(j, field);
      break;
    case MBS_FIELD_SIGNAL_MAP:
    case MBS_FIELD_VECTOR_MAP:
    case MBS_FIELD_RECORD_MAP: write_map(j, field); break;
    case MBS_FIELD_RECORD_LIST:
      text_member(j, "type", "array");
      key(j, "items");
      begin(j, '{');
      text_member(j, "description", field->record->summary);
      write_record(j, field->record, false);
      end(j, '}');
      break;
    case MBS_FIELD_JOINT_LIST:
    case MBS_FIELD_FORCE_LIST: write_elements(j, field->kind == MBS_FIELD_JOINT_LIST); break;
  }
}

static void write_field(Json *j, const MbsField *field) {
  key(j, field->name);
  if (field->kind < MBS_FIELD_RECORD) {
    begin_inline(j, '{');
  } else {
    begin(j, '{');
  }
  write_description(j, field);
  write_kind(j, field);
  write_bound(j, field);
  write_default(j, field);
  end(j, '}');
}

// The members that make an object of this type out of a schema that is already open.
static void write_record(Json *j, const MbsRecordType *type, bool is_element) {
  text_member(j, "type", "object");
  int required = 0;
  for (int i = 0; i < type->field_count; ++i) {
    required += type->fields[i].is_required || (is_element && i == 0);
  }
  if (required > 0) {
    key(j, "required");
    begin_inline(j, '[');
    for (int i = 0; i < type->field_count; ++i) {
      if (type->fields[i].is_required || (is_element && i == 0)) {
        new_item(j);
        text(j, type->fields[i].name);
      }
    }
    end(j, ']');
  }
  raw_member(j, "additionalProperties", "false");
  key(j, "properties");
  begin(j, '{');
  for (int i = 0; i < type->field_count; ++i) {
    write_field(j, &type->fields[i]);
  }
  for (int i = 0; type == &mbs_model_type && i < mbs_file_type.field_count; ++i) {
    write_field(j, &mbs_file_type.fields[i]);
  }
  if (is_element) {
    raw_member(j, "name",
               "{\"description\": \"its name in messages, results and expressions\", \"$ref\": \"#/$defs/name\"}");
  }
  end(j, '}');
}

static void write_definitions(Json *j) {
  key(j, "$defs");
  begin(j, '{');
  raw_member(j, "number",
             "{\"description\": \"a number or an expression\", \"type\": [\"number\", \"string\"], \"minLength\": 1}");
  raw_member(j, "vector",
             "{\"description\": \"x, y and, in space, z, or one expression whose value is a vector\", \"anyOf\": "
             "[{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 3, \"items\": {\"$ref\": \"#/$defs/number\"}}, "
             "{\"type\": \"string\", \"pattern\": \"[A-Za-z_]\"}]}");
  raw_member(
      j, "direction",
      "{\"description\": \"x, y and, in space, z, the name of a vector of the body, -name for the opposite, or an "
      "expression whose value is a vector\", \"$ref\": \"#/$defs/vector\"}");
  raw_member(j, "inertia",
             "{\"description\": \"a number, or in space xx, yy, zz and perhaps xy, xz, yz\", \"anyOf\": "
             "[{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": 3, \"maxItems\": 6, "
             "\"items\": {\"$ref\": \"#/$defs/number\"}}]}");
  key(j, "name");
  begin_inline(j, '{');
  text_member(j, "type", "string");
  text_member(j, "pattern", name_pattern);
  end(j, '}');
  key(j, "body");
  begin_inline(j, '{');
  text_member(j, "description", "a body, or one of an assembly: left.body, cell(1).body");
  text_member(j, "type", "string");
  text_member(j, "pattern", path_pattern);
  end(j, '}');
  key(j, "point");
  begin_inline(j, '{');
  text_member(j, "description", "body.point, ground.point or a point's name; left.body.point in an assembly");
  text_member(j, "type", "string");
  text_member(j, "pattern", path_pattern);
  end(j, '}');
  raw_member(j, "points",
             "{\"description\": \"two points\", \"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, "
             "\"items\": {\"$ref\": \"#/$defs/point\"}}");
  raw_member(j, "bodies",
             "{\"description\": \"two bodies, one of which may be ground\", \"type\": \"array\", \"minItems\": 2, "
             "\"maxItems\": 2, \"items\": {\"$ref\": \"#/$defs/body\"}}");
  end(j, '}');
}

void mbs_schema_write(FILE *out) {
  Json j = {.out = out};
  begin(&j, '{');
  text_member(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
  text_member(&j, "title", "mbsens model");
  text_member(&j, "description", mbs_model_type.summary);
  write_record(&j, &mbs_model_type, false);
  write_definitions(&j);
  end(&j, '}');
  (void)fputc('\n', out);
}
