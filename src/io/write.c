// A model as the text of a model file, from the field tables that the reader uses: what was given is written, defaults
// are not, and reading the text again gives the same records. Templates, assemblies, constants and included files are
// written as what they became.
#include <ctype.h>
#include <mbsens/build.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"
#include "model/force.h"
#include "model/joint.h"

enum { INDENT = 2 };

typedef struct Lines {
  FILE *out;
  bool is_begun;  // the dash of a list stands there already
} Lines;

static void write_record(Lines *lines, int indent, const MbsRecordType *type, const MbsRecord *record);

// ---- scalars ----

// Texts of these characters mean themselves wherever they stand in YAML; all others are quoted.
static bool is_plain(const char *text) {
  static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-*/^() ";
  size_t length = strlen(text);
  bool begins = length > 0 && (isalnum((unsigned char)text[0]) || strchr("_.(+", text[0]) ||
                               (text[0] == '-' && length > 1 && isalnum((unsigned char)text[1])));
  return begins && text[length - 1] != ' ' && strspn(text, safe) == length;
}

static void write_scalar(FILE *out, const char *text) {
  if (is_plain(text)) {
    (void)fputs(text, out);
    return;
  }
  (void)fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
    if (*c == '"' || *c == '\\') {
      (void)fprintf(out, "\\%c", *c);
    } else if (*c < 0x20 || *c == 0x7f) {
      (void)fprintf(out, "\\x%02x", *c);
    } else {
      (void)fputc(*c, out);
    }
  }
  (void)fputc('"', out);
}

static void write_key(Lines *lines, int indent, const char *key) {
  (void)fprintf(lines->out, "%*s", lines->is_begun ? 0 : indent, "");
  lines->is_begun = false;
  write_scalar(lines->out, key);
  (void)fputc(':', lines->out);
}

// ` text` or ` [text, text]`, and the end of the line
static void write_texts(FILE *out, const MbsValue *value) {
  (void)fputs(value->count == 1 ? " " : " [", out);
  for (int i = 0; i < value->count; ++i) {
    (void)fputs(i > 0 ? ", " : "", out);
    write_scalar(out, value->texts[i].text);
  }
  (void)fputs(value->count == 1 ? "\n" : "]\n", out);
}

// ---- maps of numbers and vectors ----

// The next element of an array u[1], u[2], ...; NULL: there are no more.
static const MbsRecord *find_element(const MbsValue *map, const char *first, int number) {
  char name[256];
  (void)snprintf(name, sizeof name, "%.*s[%d]", (int)strcspn(first, "["), first, number);
  for (int i = 0; i < map->count; ++i) {
    if (strcmp(map->records[i].name.text, name) == 0) {
      return &map->records[i];
    }
  }
  return NULL;
}

// One field of all elements, as a list; nothing is ~ there.
static void write_list(FILE *out, const MbsValue *map, const char *first, int field) {
  const MbsRecord *element;
  for (int number = 1; (element = find_element(map, first, number)) != NULL; ++number) {
    MbsText text = mbs_record_text(element, field);
    (void)fputs(number > 1 ? ", " : " [", out);
    if (text.text) {
      write_scalar(out, text.text);
    } else {
      (void)fputc('~', out);
    }
  }
  (void)fputs("]\n", out);
}

// The list that elements of an array are in a file, at the place of the first one; with their ranges, where they have
// any.
static void write_array(Lines *lines, int indent, const MbsField *parameters, const MbsValue *map, const char *first) {
  char name[256];
  bool is_given[MBS_PARAMETER_FIELD_COUNT] = {true}, has_some = false;
  const MbsRecord *element;
  for (int number = 1; (element = find_element(map, first, number)) != NULL; ++number) {
    for (int k = MBS_PARAMETER_LOWER; k < MBS_PARAMETER_FIELD_COUNT; ++k) {
      is_given[k] = is_given[k] || element->values[k].is_given;
      has_some = has_some || is_given[k];
    }
  }
  (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(first, "["), first);
  write_key(lines, indent, name);
  if (!has_some) {
    write_list(lines->out, map, first, MBS_PARAMETER_VALUE);
    return;
  }
  (void)fputc('\n', lines->out);
  for (int k = 0; k < MBS_PARAMETER_FIELD_COUNT; ++k) {
    if (is_given[k]) {
      write_key(lines, indent + INDENT, parameters->record->fields[k].name);
      write_list(lines->out, map, first, k);
    }
  }
}

static bool has_range(const MbsField *field, const MbsRecord *record) {
  bool has_some = false;
  for (int k = 1; field->record && k < field->record->field_count; ++k) {
    has_some = has_some || record->values[k].is_given;
  }
  return has_some;
}

static void write_map(Lines *lines, int indent, const MbsField *field, const MbsValue *map) {
  for (int i = 0; i < map->count; ++i) {
    const char *name = map->records[i].name.text;
    const char *rest = name + (field == &mbs_model_type.fields[MBS_MODEL_PARAMETERS] ? strcspn(name, ".[") : 0);
    if (rest == name || *rest == '\0') {
      write_key(lines, indent, name);
      if (has_range(field, &map->records[i])) {
        (void)fputc('\n', lines->out);
        write_record(lines, indent + INDENT, field->record, &map->records[i]);
      } else {
        write_texts(lines->out, &map->records[i].values[0]);
      }
    } else if (strcmp(rest, "[1]") == 0) {
      write_array(lines, indent, field, map, name);
    }  // other elements stand there, and the components of a hardpoint, P.x, with it
  }
}

// ---- records ----

// An entry of a list: the first line begins with a dash.
static void write_entry(Lines *lines, int indent, const MbsField *field, const MbsRecord *record) {
  bool is_joint = field->kind == MBS_FIELD_JOINT_LIST, is_force = field->kind == MBS_FIELD_FORCE_LIST;
  const MbsRecordType *type = is_joint   ? &mbs_joint_types[record->type]->record
                              : is_force ? &mbs_force_types[record->type]->record
                                         : field->record;
  (void)fprintf(lines->out, "%*s- ", indent, "");
  lines->is_begun = true;
  write_record(lines, indent + INDENT, type, record);
  if ((is_joint || is_force) && !strchr(record->name.text, ' ')) {  // "spring 2" is no name that was given
    write_key(lines, indent + INDENT, "name");
    (void)fprintf(lines->out, " %s\n", record->name.text);
  }
}

static bool has_content(const MbsRecordType *type, const MbsRecord *record) {
  bool has_some = false;
  for (int i = 0; i < type->field_count && !has_some; ++i) {
    const MbsValue *value = &record->values[i];
    bool is_record = type->fields[i].kind == MBS_FIELD_RECORD && value->count > 0;
    has_some =
        is_record ? has_content(type->fields[i].record, &value->records[0]) : value->is_given && value->count > 0;
  }
  return has_some;
}

static void write_field(Lines *lines, int indent, const MbsField *field, const MbsValue *value) {
  write_key(lines, indent, field->name);
  if (mbs_reader_is_text_kind(field->kind)) {
    write_texts(lines->out, value);
    return;
  }
  (void)fputc('\n', lines->out);
  switch (field->kind) {
    case MBS_FIELD_RECORD: write_record(lines, indent + INDENT, field->record, &value->records[0]); break;
    case MBS_FIELD_NUMBER_MAP:
    case MBS_FIELD_SIGNAL_MAP:
    case MBS_FIELD_VECTOR_MAP: write_map(lines, indent + INDENT, field, value); break;
    case MBS_FIELD_RECORD_MAP:
      if (field == &mbs_model_type.fields[MBS_MODEL_PARAMETERS]) {
        write_map(lines, indent + INDENT, field, value);
        break;
      }
      for (int i = 0; i < value->count; ++i) {
        write_key(lines, indent + INDENT, value->records[i].name.text);
        bool has_some = has_content(field->record, &value->records[i]);
        (void)fputs(has_some ? "\n" : " {}\n", lines->out);
        write_record(lines, indent + 2 * INDENT, field->record, &value->records[i]);
      }
      break;
    default:
      for (int i = 0; i < value->count; ++i) {
        write_entry(lines, indent + INDENT, field, &value->records[i]);
      }
  }
}

static void write_record(Lines *lines, int indent, const MbsRecordType *type, const MbsRecord *record) {
  for (int i = 0; i < type->field_count; ++i) {
    const MbsField *field = &type->fields[i];
    const MbsValue *value = &record->values[i];
    bool is_record = field->kind == MBS_FIELD_RECORD && value->count > 0;
    if (is_record ? has_content(field->record, &value->records[0]) : value->is_given && value->count > 0) {
      write_field(lines, indent, field, value);
    }
  }
}

// ---- the model ----

MbsStatus mbs_model_write(MbsContext *context, const MbsModel *model, char **text) {
  MBS_CALL_BEGIN(context, "mbs_model_write", {"model", model}, {"text", text});
  *text = NULL;
  char *written = NULL;
  size_t length;
  FILE *out = open_memstream(&written, &length);
  if (out) {
    write_record(&(Lines){.out = out}, 0, &mbs_model_type, &model->root);
  }
  bool is_broken = !out || ferror(out);
  is_broken = (out && fclose(out) != 0) || is_broken;
  if (is_broken) {
    free(written);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  *text = written;
  return MBS_OK;
}

void mbs_text_destroy(char *text) { free(text); }
