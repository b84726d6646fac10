#include "io/python.h"

#include <stdarg.h>
#include <string.h>

#include "io/definition.h"
#include "io/page.h"
#include "io/reader.h"

enum { LINE_WIDTH = 100, ITEM_ROOM = 160 };

// ---- what becomes of a field ----

// Fields that are not texts: points of a body, what an event sets, the velocities of an event. The adder of the entry
// hands them on to calls of their own (python/mbsens/_build.py).
static bool is_group(const MbsField *field) {
  return field->kind == MBS_FIELD_VECTOR_MAP || field->kind == MBS_FIELD_SIGNAL_MAP ||
         field->kind == MBS_FIELD_RECORD_LIST;
}

static const char *annotation(const MbsField *field) {
  switch (field->kind) {
    case MBS_FIELD_INTEGER: return "int";
    case MBS_FIELD_TEXT:
    case MBS_FIELD_CHOICE:
    case MBS_FIELD_BODY:
    case MBS_FIELD_POINT: return "str";
    case MBS_FIELD_NUMBER:
    case MBS_FIELD_SIGNAL: return "Number";
    case MBS_FIELD_POINT_PAIR:
    case MBS_FIELD_BODY_PAIR:
    case MBS_FIELD_JOINT_PAIR: return "Sequence[str]";
    case MBS_FIELD_POINT_NAMES:
    case MBS_FIELD_JOINT_NAMES: return "str | Sequence[str]";
    case MBS_FIELD_VECTOR_MAP: return "Mapping[str, Numbers]";
    case MBS_FIELD_SIGNAL_MAP: return "Mapping[str, Number]";
    case MBS_FIELD_RECORD_LIST: return "Sequence[Mapping[str, Number]]";
    default: return "Numbers";
  }
}

// ---- text ----

static void put_noun(FILE *out, const MbsDefinition *definition) {
  (void)fprintf(out, "%s%s", definition->owner ? definition->owner : "", definition->owner ? "_" : "");
  for (const char *c = definition->record->name; *c; ++c) {
    (void)fputc(*c == ' ' ? '_' : *c, out);
  }
  (void)fputs(definition->is_joint ? "_joint" : "", out);
}

// Words in lines of LINE_WIDTH, the first one from `column` on.
static void put_words(FILE *out, int column, int indent, const char *text) {
  bool is_first = true;
  for (const char *word = text; *word; is_first = false) {
    int length = (int)strcspn(word, " ");
    if (!is_first && column + 1 + length > LINE_WIDTH) {
      column = fprintf(out, "\n%*s", indent, "") - 1;
    } else if (!is_first) {
      column += fprintf(out, " ");
    }
    column += fprintf(out, "%.*s", length, word);
    word += length;
    word += strspn(word, " ");
  }
  (void)fputc('\n', out);
}

static void put_field_words(FILE *out, const MbsDefinition *definition, int index) {
  const MbsField *field = &definition->record->fields[index];
  char kind[MBS_PAGE_CELL], text[1024];
  mbs_page_describe_kind(field, kind);
  (void)snprintf(text, sizeof text, "%s (%s%s%s%s%s%s): %s", mbs_definition_member(definition, index), kind,
                 field->unit ? ", " : "", field->unit ? field->unit : "", field->is_required ? ", required" : "",
                 field->default_text ? ", default " : "", field->default_text ? field->default_text : "",
                 field->summary);
  (void)fputs("        - ", out);
  put_words(out, 10, 10, text);
}

// ---- one method ----

static bool is_taken(const MbsDefinition *definition, int index, bool is_required) {
  const MbsField *field = &definition->record->fields[index];
  return (mbs_reader_is_text_kind(field->kind) || (is_group(field) && !definition->owner)) &&
         (field->is_required || (definition->is_element && index == 0)) == is_required;
}

// Items with commas between them, in lines of LINE_WIDTH that begin at `indent`.
typedef struct List {
  FILE *out;
  int indent, column;
} List;

static void put_item(List *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_item(List *list, const char *format, ...) {
  char item[ITEM_ROOM];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(item, sizeof item, format, arguments);
  va_end(arguments);
  bool is_first = list->column == 0, is_new_line = is_first || list->column + 2 + length + 1 > LINE_WIDTH;
  (void)fputs(is_first ? "\n" : is_new_line ? ",\n" : ", ", list->out);
  list->column = is_new_line ? fprintf(list->out, "%*s%s", list->indent, "", item)
                             : list->column + 2 + fprintf(list->out, "%s", item);
}

// Arguments one after another: the required ones by place or name, the others by name.
static void put_arguments(FILE *out, const MbsDefinition *definition) {
  const MbsRecordType *type = definition->record;
  List list = {.out = out, .indent = 8};
  put_item(&list, "self");
  if (definition->needs_name) {
    put_item(&list, "name: str");
  }
  if (definition->owner) {
    put_item(&list, "%s: str", definition->owner);
  }
  for (int i = 0; i < type->field_count; ++i) {
    if (is_taken(definition, i, true)) {
      put_item(&list, "%s: %s", mbs_definition_member(definition, i), annotation(&type->fields[i]));
    }
  }
  bool has_star = definition->has_name && !definition->needs_name;
  if (has_star) {
    put_item(&list, "*, name: str | None = None");
  }
  for (int i = 0; i < type->field_count; ++i) {
    if (is_taken(definition, i, false)) {
      put_item(&list, "%s%s: %s | None = None", has_star ? "" : "*, ", mbs_definition_member(definition, i),
               annotation(&type->fields[i]));
      has_star = true;
    }
  }
  (void)fputs(",\n    ) -> None:\n", out);
}

static void put_method(void *user, const MbsDefinition *definition) {
  FILE *out = user;
  const MbsRecordType *type = definition->record;
  (void)fputs("\n    def add_", out);
  put_noun(out, definition);
  (void)fputs("(", out);
  put_arguments(out, definition);
  (void)fputs("        \"\"\"", out);
  char summary[512];
  (void)snprintf(summary, sizeof summary, "%s%s: %s.", type->name, definition->is_joint ? " joint" : "", type->summary);
  put_words(out, 11, 8, summary);
  (void)fputc('\n', out);
  for (int i = 0; i < type->field_count; ++i) {
    if (is_taken(definition, i, true) || is_taken(definition, i, false)) {
      put_field_words(out, definition, i);
    }
  }
  (void)fputs("        \"\"\"\n", out);
  const char *quote = definition->is_element ? "\"" : "";
  (void)fprintf(out, "        self._add_element(\"%s\", %s%s%s, %s, {", definition->section, quote,
                definition->is_element ? type->name : "None", quote,
                definition->has_name ? "name"
                : definition->owner  ? definition->owner
                                     : "None");
  List list = {.out = out, .indent = 12};
  for (int i = 0; i < type->field_count; ++i) {
    if (is_taken(definition, i, true) || is_taken(definition, i, false)) {
      put_item(&list, "\"%s\": %s", type->fields[i].name, mbs_definition_member(definition, i));
    }
  }
  (void)fputs(",\n        })\n", out);
}

void mbs_python_write(FILE *out) {
  (void)fputs(
      "\"\"\"Calls that add the entries of a model.\n\n"
      "Made by `mbsens list python` from the field tables that the reader itself uses: do not edit,\n"
      "`make generated` writes it again.\n"
      "\"\"\"\n\n"
      "from __future__ import annotations\n\n"
      "from typing import Mapping, Sequence, Union\n\n"
      "Number = Union[float, str]  # or an expression of parameters\n"
      "Numbers = Union[Number, Sequence[Number], Sequence[Sequence[Number]]]\n\n\n"
      "class Elements:\n"
      "    \"\"\"Each method stands for an entry of a model file, with its keys: docs/elements.md.\"\"\"\n",
      out);
  mbs_definition_each(put_method, out);
}
