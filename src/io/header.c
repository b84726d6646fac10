#include "io/header.h"

#include <ctype.h>
#include <string.h>

#include "io/page.h"
#include "io/reader.h"
#include "model/force.h"
#include "model/joint.h"

enum { LINE_WIDTH = 100, NAME_ROOM = 80, REST_OF_CALL = 67 };

// What one struct and its two functions are made from.
typedef struct Definition {
  const MbsRecordType *record;
  const char *section;  // path: "initial.independent"
  const char *owner;    // what each of these belongs to, by name: "event"; NULL: the model
  bool is_element;      // of a registry: the key of field 0 is the type
  bool is_joint;
  bool has_name, needs_name;
} Definition;

// ---- names ----

// spring, revolute_joint, independent_coordinate, event_velocity; as a type: Spring, RevoluteJoint, EventVelocity
static void put_noun(FILE *out, const Definition *definition, bool is_type) {
  char noun[NAME_ROOM];
  const char *owner = definition->owner ? definition->owner : "";
  (void)snprintf(noun, sizeof noun, "%s%s%s%s", owner, owner[0] ? "_" : "", definition->record->name,
                 definition->is_joint ? "_joint" : "");
  bool is_start = true;
  for (const char *c = noun; *c; ++c) {
    bool is_gap = *c == ' ' || *c == '_';
    if (is_type && !is_gap) {
      (void)fputc(is_start ? toupper((unsigned char)*c) : *c, out);
    } else if (!is_type) {
      (void)fputc(is_gap ? '_' : *c, out);
    }
    is_start = is_gap;
  }
}

// The key of a field, but where that is the type: what it names.
static const char *member_name(const Definition *definition, int field) {
  const MbsField *first = &definition->record->fields[field];
  if (!definition->is_element || field > 0) {
    return first->name;
  }
  switch (first->kind) {
    case MBS_FIELD_POINT_PAIR:
    case MBS_FIELD_BODY_PAIR: return "ends";
    case MBS_FIELD_POINT: return "point";
    case MBS_FIELD_BODY: return "body";
    case MBS_FIELD_SIGNAL: return "expression";
    default: return "subject";
  }
}

// How many texts a field may have.
static int room_of(MbsFieldKind kind) {
  switch (kind) {
    case MBS_FIELD_VECTOR:
    case MBS_FIELD_DIRECTION:
    case MBS_FIELD_SIGNAL_VECTOR:
    case MBS_FIELD_TORQUE: return 3;
    case MBS_FIELD_INERTIA: return 6;
    case MBS_FIELD_POINT_PAIR:
    case MBS_FIELD_BODY_PAIR: return 2;
    default: return 1;
  }
}

// ---- text ----

// A comment in lines of LINE_WIDTH.
static void put_comment(FILE *out, int indent, const char *text) {
  int column = fprintf(out, "%*s//", indent, "");
  for (const char *word = text; *word;) {
    int length = (int)strcspn(word, " ");
    if (column + 1 + length > LINE_WIDTH) {
      (void)fputc('\n', out);
      column = fprintf(out, "%*s//", indent, "");
    }
    column += fprintf(out, " %.*s", length, word);
    word += length;
    word += strspn(word, " ");
  }
  (void)fputc('\n', out);
}

static void put_member(FILE *out, const Definition *definition, int index) {
  const MbsField *field = &definition->record->fields[index];
  char kind[MBS_PAGE_CELL], text[1024];
  mbs_page_describe_kind(field, kind);
  (void)snprintf(text, sizeof text, "%s%s%s%s%s%s: %s", kind, field->unit ? ", " : "", field->unit ? field->unit : "",
                 field->is_required ? ", required" : "", field->default_text ? ", default " : "",
                 field->default_text ? field->default_text : "", field->summary);
  put_comment(out, 2, text);
  (void)fprintf(out, "  const char *%s", member_name(definition, index));
  if (room_of(field->kind) > 1) {
    (void)fprintf(out, "[%d]", room_of(field->kind));
  }
  (void)fputs(";\n", out);
}

static void put_struct(FILE *out, const Definition *definition) {
  put_comment(out, 0, definition->record->summary);
  (void)fputs("typedef struct Mbs", out);
  put_noun(out, definition, true);
  (void)fputs("Def {\n", out);
  if (definition->has_name) {
    put_comment(out, 2, definition->needs_name ? "required" : "may be left out");
    (void)fputs("  const char *name;\n", out);
  }
  if (definition->owner) {
    (void)fprintf(out, "  // required: the %s it belongs to, which is there already\n  const char *%s;\n",
                  definition->owner, definition->owner);
  }
  for (int i = 0; i < definition->record->field_count; ++i) {
    if (mbs_reader_is_text_kind(definition->record->fields[i].kind)) {
      put_member(out, definition, i);
    }
  }
  (void)fputs("} Mbs", out);
  put_noun(out, definition, true);
  (void)fputs("Def;\n\n", out);
}

static void put_default(FILE *out, const Definition *definition) {
  (void)fputs("static inline Mbs", out);
  put_noun(out, definition, true);
  (void)fputs("Def mbs_default_", out);
  put_noun(out, definition, false);
  (void)fputs("_def(void) {\n  Mbs", out);
  put_noun(out, definition, true);
  (void)fputs("Def def = MBS_NOTHING_GIVEN;\n  return def;\n}\n\n", out);
}

static void put_call(FILE *out, const Definition *definition) {
  const MbsRecordType *record = definition->record;
  int count = 0;
  (void)fputs("static inline MbsStatus mbs_model_add_", out);
  put_noun(out, definition, false);
  (void)fputs("(\n    MbsContext *context, MbsModel *model, const Mbs", out);
  put_noun(out, definition, true);
  (void)fputs("Def *def) {\n", out);
  char type[NAME_ROOM] = "NULL";
  if (definition->is_element) {
    (void)snprintf(type, sizeof type, "\"%s\"", record->name);
  }
  (void)fprintf(out,
                "  if (!def) {\n    return mbs_model_add_element(context, model, \"%s\", %s, NULL, 0, NULL);\n  }\n",
                definition->section, type);
  (void)fputs("  const MbsFieldTexts fields[] = {\n", out);
  for (int i = 0; i < record->field_count; ++i) {
    const MbsField *field = &record->fields[i];
    if (mbs_reader_is_text_kind(field->kind)) {
      int room = room_of(field->kind);
      (void)fprintf(out, "      {\"%s\", %d, %sdef->%s},\n", field->name, room, room == 1 ? "&" : "",
                    member_name(definition, i));
      ++count;
    }
  }
  char name[NAME_ROOM];
  (void)snprintf(name, sizeof name, "%s%s", definition->has_name || definition->owner ? "def->" : "NULL",
                 definition->has_name ? "name"
                 : definition->owner  ? definition->owner
                                      : "");
  int length = (int)(strlen(definition->section) + strlen(type) + strlen(name));
  const char *gap = length + REST_OF_CALL <= LINE_WIDTH ? " " : "\n                               ";
  (void)fprintf(out, "  };\n  return mbs_model_add_element(context, model, \"%s\", %s,%s%s, %d, fields);\n}\n\n",
                definition->section, type, gap, name, count);
}

// ---- the tables ----

static void put_definition(FILE *out, const Definition *definition) {
  put_struct(out, definition);
  put_default(out, definition);
  put_call(out, definition);
}

// The lists that every entry of a map has.
static void put_lists(FILE *out, const MbsRecordType *type, const char *path) {
  for (int i = 0; i < type->field_count; ++i) {
    char section[2 * NAME_ROOM];
    (void)snprintf(section, sizeof section, "%s.%s", path, type->fields[i].name);
    if (type->fields[i].kind == MBS_FIELD_RECORD_LIST) {
      put_definition(out, &(Definition){.record = type->fields[i].record, .section = section, .owner = type->name});
    }
  }
}

// The entries of a section of the model and of the sections in it.
static void put_sections(FILE *out, const MbsRecordType *type, const char *path) {
  for (int i = 0; i < type->field_count; ++i) {
    const MbsField *field = &type->fields[i];
    char section[NAME_ROOM];
    (void)snprintf(section, sizeof section, "%s%s%s", path, path[0] ? "." : "", field->name);
    Definition definition = {.record = field->record, .section = section};
    switch (field->kind) {
      case MBS_FIELD_RECORD: put_sections(out, field->record, section); break;
      case MBS_FIELD_RECORD_MAP:
        definition.has_name = definition.needs_name = true;
        put_definition(out, &definition);
        put_lists(out, field->record, section);
        break;
      case MBS_FIELD_RECORD_LIST: put_definition(out, &definition); break;
      case MBS_FIELD_JOINT_LIST:
        definition.is_element = definition.is_joint = definition.has_name = true;
        for (int k = 0; mbs_joint_types[k]; ++k) {
          definition.record = &mbs_joint_types[k]->record;
          put_definition(out, &definition);
        }
        break;
      case MBS_FIELD_FORCE_LIST:
        definition.is_element = definition.has_name = true;
        for (int k = 0; mbs_force_types[k]; ++k) {
          definition.record = &mbs_force_types[k]->record;
          put_definition(out, &definition);
        }
        break;
      default: break;
    }
  }
}

void mbs_header_write(FILE *out) {
  (void)fputs(
      "// What the entries of a model are made of, and the calls that add them: see mbsens/build.h.\n"
      "// Made by `mbsens list header` from the field tables that the reader itself uses: do not edit.\n"
      "// clang-format off\n"
      "#ifndef MBSENS_ELEMENTS_H\n"
      "#define MBSENS_ELEMENTS_H\n\n"
      "#include <mbsens/build.h>\n"
      "#include <stddef.h>\n\n"
      "#ifdef __cplusplus\n"
      "extern \"C\" {\n"
      "#define MBS_NOTHING_GIVEN {}\n"
      "#else\n"
      "#define MBS_NOTHING_GIVEN {0}\n"
      "#endif\n\n",
      out);
  put_sections(out, &mbs_model_type, "");
  (void)fputs(
      "#undef MBS_NOTHING_GIVEN\n"
      "#ifdef __cplusplus\n"
      "}\n"
      "#endif\n"
      "// clang-format on\n"
      "#endif\n",
      out);
}
