#include "io/header.h"

#include <ctype.h>
#include <string.h>

#include "io/definition.h"
#include "io/page.h"
#include "io/reader.h"

enum { LINE_WIDTH = 100, NAME_ROOM = 80, REST_OF_CALL = 67 };

// ---- names ----

// spring, revolute_joint, independent_coordinate, event_velocity; as a type: Spring, RevoluteJoint, EventVelocity
static void put_noun(FILE *out, const MbsDefinition *definition, bool is_type) {
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

static void put_member(FILE *out, const MbsDefinition *definition, int index) {
  const MbsField *field = &definition->record->fields[index];
  char kind[MBS_PAGE_CELL], text[1024];
  mbs_page_describe_kind(field, kind);
  (void)snprintf(text, sizeof text, "%s%s%s%s%s%s: %s", kind, field->unit ? ", " : "", field->unit ? field->unit : "",
                 field->is_required ? ", required" : "", field->default_text ? ", default " : "",
                 field->default_text ? field->default_text : "", field->summary);
  put_comment(out, 2, text);
  (void)fprintf(out, "  const char *%s", mbs_definition_member(definition, index));
  if (mbs_definition_room(field->kind) > 1) {
    (void)fprintf(out, "[%d]", mbs_definition_room(field->kind));
  }
  (void)fputs(";\n", out);
}

static void put_struct(FILE *out, const MbsDefinition *definition) {
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

static void put_default(FILE *out, const MbsDefinition *definition) {
  (void)fputs("static inline Mbs", out);
  put_noun(out, definition, true);
  (void)fputs("Def mbs_default_", out);
  put_noun(out, definition, false);
  (void)fputs("_def(void) {\n  Mbs", out);
  put_noun(out, definition, true);
  (void)fputs("Def def = MBS_NOTHING_GIVEN;\n  return def;\n}\n\n", out);
}

static void put_call(FILE *out, const MbsDefinition *definition) {
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
      int room = mbs_definition_room(field->kind);
      (void)fprintf(out, "      {\"%s\", %d, %sdef->%s},\n", field->name, room, room == 1 ? "&" : "",
                    mbs_definition_member(definition, i));
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

// ---- all of them ----

static void put_definition(void *user, const MbsDefinition *definition) {
  FILE *out = user;
  put_struct(out, definition);
  put_default(out, definition);
  put_call(out, definition);
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
  mbs_definition_each(put_definition, out);
  (void)fputs(
      "#undef MBS_NOTHING_GIVEN\n"
      "#ifdef __cplusplus\n"
      "}\n"
      "#endif\n"
      "// clang-format on\n"
      "#endif\n",
      out);
}
