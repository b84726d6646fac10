// Values made of texts: their shape is checked here, what they mean when the model is compiled.
#include "io/reader.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"

// ---- messages ----

static void describe(const MbsWhere *where, char *text, size_t size) {
  if (!where) {
    text[0] = '\0';
    return;
  }
  describe(where->outer, text, size);
  size_t used = strlen(text);
  if (where->name) {
    (void)snprintf(text + used, size - used, "%.60s \"%.60s\": ", where->word, where->name);
  } else {
    (void)snprintf(text + used, size - used, "%.60s: ", where->word);
  }
}

MbsStatus mbs_reader_fail(const MbsReader *reader, const MbsWhere *where, MbsPlace place, const char *format, ...) {
  char owner[512];
  describe(where, owner, sizeof owner);
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return mbs_fail(reader->context, MBS_ERROR_INPUT, place, "%s%s", owner, message);
}

// What stands at a node, in words; `room` holds 80 characters.
static const char *found(const MbsYaml *node, char *room) {
  switch (node->kind) {
    case MBS_YAML_LIST: return "a list";
    case MBS_YAML_MAPPING: return "a mapping";
    case MBS_YAML_SCALAR:
      if (node->text[0] != '\0') {
        (void)snprintf(room, 80, "\"%.60s\"", node->text);
        return room;
      }
      return "nothing";
    case MBS_YAML_NOTHING: break;
  }
  return "nothing";
}

MbsStatus mbs_reader_expect(const MbsReader *reader, const MbsWhere *where, const MbsYaml *node, MbsYamlKind kind,
                            const char *expected) {
  if (node->kind == kind && !(kind == MBS_YAML_SCALAR && node->text[0] == '\0')) {
    return MBS_OK;
  }
  char room[80];
  return mbs_reader_fail(reader, where, node->place, "expected %s, found %s", expected, found(node, room));
}

void mbs_reader_append_name(char *list, size_t size, const char *name) {
  size_t used = strlen(list);
  (void)snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

// ---- one scalar ----

static MbsStatus check_integer(const MbsReader *reader, const MbsWhere *where, MbsText text) {
  char *end;
  errno = 0;
  long number = strtol(text.text, &end, 10);
  if (errno != 0 || end == text.text || *end != '\0' || number < INT_MIN || number > INT_MAX) {
    return mbs_reader_fail(reader, where, text.place, "expected a whole number, found \"%.60s\"", text.text);
  }
  return MBS_OK;
}

static MbsStatus check_choice(const MbsReader *reader, const MbsWhere *where, const MbsField *field, MbsText text) {
  char known[256] = "";
  const char *nearest = NULL;
  for (const char *const *choice = field->choices; *choice; ++choice) {
    if (strcmp(*choice, text.text) == 0) {
      return MBS_OK;
    }
    mbs_name_nearest(text.text, *choice, &nearest);
    mbs_reader_append_name(known, sizeof known, *choice);
  }
  return mbs_reader_fail(reader, where, text.place, "unknown choice \"%.60s\"; known: %s%s%s%s", text.text, known,
                         nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

bool mbs_reader_is_point_name(const char *name) {
  const char *dot = strchr(name, '.');
  if (!dot) {
    return mbs_name_is_identifier(name);
  }
  char body[256];
  size_t length = (size_t)(dot - name);
  if (length >= sizeof body) {
    return false;
  }
  memcpy(body, name, length);
  body[length] = '\0';
  return mbs_name_is_identifier(body) && mbs_name_is_identifier(dot + 1);
}

// Shape only: whether a name exists is known when the model is compiled.
static MbsStatus check_text(const MbsReader *reader, const MbsWhere *where, const MbsField *field, MbsText text) {
  bool is_name = field->kind != MBS_FIELD_INTEGER && field->kind != MBS_FIELD_CHOICE;
  if (reader->is_template && is_name) {
    return MBS_OK;  // cell(i-1).link.B: checked once it is a name of the model
  }
  switch (field->kind) {
    case MBS_FIELD_INTEGER: return check_integer(reader, where, text);
    case MBS_FIELD_CHOICE: return check_choice(reader, where, field, text);
    case MBS_FIELD_POINT:
    case MBS_FIELD_POINT_PAIR:
    case MBS_FIELD_POINT_NAMES:
      if (!mbs_reader_is_point_name(text.text)) {
        return mbs_reader_fail(reader, where, text.place,
                               "expected a point such as body.point or a point's name, found \"%.60s\"", text.text);
      }
      return MBS_OK;
    case MBS_FIELD_JOINT_PAIR:
      if (!mbs_name_is_identifier(text.text)) {
        return mbs_reader_fail(reader, where, text.place, "expected the name of a joint, found \"%.60s\"", text.text);
      }
      return MBS_OK;
    case MBS_FIELD_BODY:
    case MBS_FIELD_BODY_PAIR:
      if (!mbs_name_is_identifier(text.text)) {
        return mbs_reader_fail(reader, where, text.place, "expected the name of a body or ground, found \"%.60s\"",
                               text.text);
      }
      return MBS_OK;
    default: return MBS_OK;
  }
}

bool mbs_reader_is_number(const char *text) { return strspn(text, "+-.0123456789eE") == strlen(text); }

// u or -u, or one expression, instead of the numbers of a direction
static MbsStatus check_direction(const MbsReader *reader, const MbsWhere *where, const MbsYaml *node) {
  if (mbs_reader_is_number(node->text) && !mbs_direction_is_name(node->text)) {
    return mbs_reader_fail(reader, where, node->place,
                           "expected a list of %d numbers, the name of a vector of the body or an expression whose "
                           "value is a vector, found \"%.60s\"",
                           reader->dimension, node->text);
  }
  return MBS_OK;
}

// ---- one field ----

// What a field wants, in words, and how many texts that is.
static int expected_texts(const MbsReader *reader, const MbsField *field, char *words, size_t size) {
  int count = 1;
  const char *what = "";
  switch (field->kind) {
    case MBS_FIELD_INTEGER: what = "a whole number"; break;
    case MBS_FIELD_TEXT: what = "a text"; break;
    case MBS_FIELD_CHOICE: what = "a word"; break;
    case MBS_FIELD_NUMBER:
    case MBS_FIELD_SIGNAL: what = "a number or expression"; break;
    case MBS_FIELD_POINT:
    case MBS_FIELD_POINT_NAMES: what = "a point such as body.point"; break;
    case MBS_FIELD_BODY: what = "a body"; break;
    case MBS_FIELD_TURNING:
    case MBS_FIELD_TORQUE:
      count = reader->dimension == 2 ? 1 : 3;
      what = count == 1 ? "a number or expression" : "numbers";
      break;
    case MBS_FIELD_VECTOR:
    case MBS_FIELD_DIRECTION:
    case MBS_FIELD_SIGNAL_VECTOR:
      count = reader->dimension;
      what = "numbers";
      break;
    case MBS_FIELD_INERTIA: what = "a moment of inertia, or in space a list of 3 or 6"; break;
    case MBS_FIELD_POINT_PAIR:
      count = 2;
      what = "points";
      break;
    case MBS_FIELD_JOINT_PAIR:
      count = 2;
      what = "joints";
      break;
    case MBS_FIELD_JOINT_NAMES: what = "joints"; break;
    case MBS_FIELD_BODY_PAIR:
      count = 2;
      what = "bodies";
      break;
    case MBS_FIELD_NUMBER_LIST: what = "a list of numbers, or a name"; break;
    case MBS_FIELD_NUMBER_ROWS: what = "a list of lists of numbers, or a name"; break;
    default: break;
  }
  if (count == 1) {
    (void)snprintf(words, size, "%s", what);
  } else {
    (void)snprintf(words, size, "%d %s", count, what);
  }
  return count;
}

// [atan2(1, 2), 0] is three texts to YAML; an open parenthesis gives it away.
static bool is_torn(const MbsYaml *list) {
  for (const MbsYaml *item = list->first; item; item = item->next) {
    int open = 0;
    for (const char *c = item->text ? item->text : ""; *c; ++c) {
      open += (*c == '(') - (*c == ')');
    }
    if (open != 0) {
      return true;
    }
  }
  return false;
}

bool mbs_reader_may_be_one(MbsFieldKind kind) {
  return kind == MBS_FIELD_SIGNAL_VECTOR || kind == MBS_FIELD_TORQUE || kind == MBS_FIELD_VECTOR;
}

static bool is_expression(const MbsField *field, const MbsYaml *node) {
  return node->kind == MBS_YAML_SCALAR && !(field->kind == MBS_FIELD_VECTOR && mbs_reader_is_number(node->text));
}

// One text with commas between numbers or names (of rows: semicolons between these), as calls give lists; commas inside
// parentheses separate arguments.
static MbsStatus split_text(const MbsReader *reader, const MbsWhere *where, const MbsYaml *node, bool has_rows,
                            MbsValue *value) {
  int depth = 0, most = 1, rows = 1;
  for (const char *c = node->text; *c; ++c) {
    most += *c == ',' || *c == ';';
  }
  MbsText *texts;
  MBS_TAKE(reader->context, reader->arena, texts, most);
  const char *begin = node->text;
  for (const char *c = node->text;; ++c) {
    depth += (*c == '(') - (*c == ')');
    if (*c == '\0' || (depth == 0 && (*c == ',' || (has_rows && *c == ';')))) {
      MbsPlace place = node->place;
      const char *end = c;
      begin += strspn(begin, " ");  // names among them have none
      while (end > begin && end[-1] == ' ') {
        --end;
      }
      place.column += place.line > 0 ? (int)(begin - node->text) : 0;
      texts[value->count].text = mbs_arena_print(reader->arena, "%.*s", (int)(end - begin), begin);
      texts[value->count++].place = place;
      if (!texts[value->count - 1].text) {
        return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
      }
      rows += *c == ';';
      begin = c + 1;
    }
    if (*c == '\0') {
      break;
    }
  }
  value->texts = texts;
  return value->count % rows == 0
             ? MBS_OK
             : mbs_reader_fail(reader, where, node->place, "expected rows of one length, found %d numbers in %d rows",
                               value->count, rows);
}

// lists of one length, row by row; or all numbers in one list, as calls give them
static MbsStatus read_rows(const MbsReader *reader, const MbsWhere *where, const MbsYaml *node, MbsValue *value) {
  MbsText *texts;
  bool is_flat = node->first && node->first->kind == MBS_YAML_SCALAR;
  size_t columns = is_flat ? 1 : node->first ? (size_t)node->first->count : 0;
  MBS_TAKE(reader->context, reader->arena, texts, (size_t)node->count * columns);
  for (const MbsYaml *item = is_flat ? node->first : NULL; item; item = item->next) {
    MBS_TRY(mbs_reader_expect(reader, where, item, MBS_YAML_SCALAR, "a number or expression"));
    texts[value->count++] = (MbsText){.text = item->text, .place = item->place};
  }
  value->texts = texts;
  if (is_flat) {
    return MBS_OK;
  }
  for (const MbsYaml *row = node->first; row; row = row->next) {
    MBS_TRY(mbs_reader_expect(reader, where, row, MBS_YAML_LIST, "a list of numbers"));
    if ((size_t)row->count != columns || columns == 0) {
      return mbs_reader_fail(reader, where, row->place, "expected lists of one length: this one has %d numbers%s",
                             row->count, columns == 0 ? "" : ", unlike the first");
    }
    for (const MbsYaml *item = row->first; item; item = item->next) {
      MBS_TRY(mbs_reader_expect(reader, where, item, MBS_YAML_SCALAR, "a number or expression"));
      texts[value->count++] = (MbsText){.text = item->text, .place = item->place};
    }
  }
  return MBS_OK;
}

MbsStatus mbs_reader_read_texts(const MbsReader *reader, const MbsWhere *where, const MbsField *field,
                                const MbsYaml *node, MbsValue *value) {
  char words[64];
  MBS_CHECK(reader->context, mbs_reader_is_text_kind(field->kind));
  int count = expected_texts(reader, field, words, sizeof words);
  const MbsYaml *first = node;
  bool is_tensor = field->kind == MBS_FIELD_INERTIA && reader->dimension == 3 && node->kind == MBS_YAML_LIST;
  bool is_open =
      node->kind == MBS_YAML_LIST && (field->kind == MBS_FIELD_JOINT_NAMES || field->kind == MBS_FIELD_POINT_NAMES ||
                                      field->kind == MBS_FIELD_NUMBER_LIST);
  if (field->kind == MBS_FIELD_NUMBER_ROWS && node->kind == MBS_YAML_LIST) {
    return read_rows(reader, where, node, value);
  }
  bool is_split = field->kind == MBS_FIELD_NUMBER_LIST || field->kind == MBS_FIELD_NUMBER_ROWS ||
                  (field->kind == MBS_FIELD_POINT_NAMES && !reader->is_template);
  if (is_split && node->kind == MBS_YAML_SCALAR && strpbrk(node->text, ",;")) {
    return split_text(reader, where, node, field->kind == MBS_FIELD_NUMBER_ROWS, value);
  }
  if (is_open || (is_tensor && (node->count == 3 || node->count == 6))) {
    count = node->count;
    first = node->first;
  } else if (count == 1 || (mbs_reader_may_be_one(field->kind) && is_expression(field, node))) {
    count = 1;
    MBS_TRY(mbs_reader_expect(reader, where, node, MBS_YAML_SCALAR, words));
  } else if (field->kind == MBS_FIELD_DIRECTION && node->kind == MBS_YAML_SCALAR && node->text[0] != '\0') {
    count = 1;
    MBS_TRY(check_direction(reader, where, node));
  } else {
    char list_words[80];
    (void)snprintf(list_words, sizeof list_words, "a list of %s", words);
    MBS_TRY(mbs_reader_expect(reader, where, node, MBS_YAML_LIST, list_words));
    if (node->count != count) {
      return mbs_reader_fail(reader, where, node->place, "expected %s, got %d%s", words, node->count,
                             is_torn(node) ? "; put an expression that contains commas in quotes" : "");
    }
    first = node->first;
  }
  MbsText *texts;
  MBS_TAKE(reader->context, reader->arena, texts, count);
  bool is_of_points = field->kind == MBS_FIELD_POINT_PAIR || field->kind == MBS_FIELD_POINT_NAMES;
  const char *item_words = is_of_points                           ? "a point such as body.point"
                           : field->kind == MBS_FIELD_BODY_PAIR   ? "the name of a body or ground"
                           : field->kind == MBS_FIELD_JOINT_NAMES ? "the name of a joint"
                                                                  : "a number or expression";
  const MbsYaml *item = first;
  for (int i = 0; i < count; ++i, item = item->next) {
    MBS_TRY(mbs_reader_expect(reader, where, item, MBS_YAML_SCALAR, item_words));
    texts[i] = (MbsText){.text = item->text, .place = item->place};
    MBS_TRY(check_text(reader, where, field, texts[i]));
  }
  value->count = count;
  value->texts = texts;
  return MBS_OK;
}

MbsStatus mbs_reader_default_texts(const MbsReader *reader, const MbsField *field, MbsValue *value) {
  if (!field->default_text) {
    return MBS_OK;
  }
  char words[64];
  MBS_CHECK(reader->context, mbs_reader_is_text_kind(field->kind));
  value->count = expected_texts(reader, field, words, sizeof words);
  MbsText *texts;
  MBS_TAKE(reader->context, reader->arena, texts, value->count);
  for (int i = 0; i < value->count; ++i) {
    texts[i] = (MbsText){.text = field->default_text, .place = {.file = reader->file, .line = 0, .column = 0}};
  }
  value->texts = texts;
  return MBS_OK;
}
