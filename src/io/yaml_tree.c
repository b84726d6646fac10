// Builds the tree from libfyaml's events rather than from its documents: events show anchors, aliases
// and second documents before anything is expanded, carry a place for every node, and let the limits
// stop the parser at once.
#include "io/yaml_tree.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Level {
  MbsYaml *node;  // the list or mapping being filled
  MbsYaml *last;  // its newest item
  MbsText key;    // of the value to come; text NULL: none read yet
} Level;

typedef struct Builder {
  MbsContext *context;
  MbsArena *arena;
  const char *text, *file;
  MbsYaml *root;
  int node_count, document_count;
  int depth;
  Level levels[MBS_YAML_DEEPEST];
} Builder;

// ---- characters ----

// The code point at `s` in valid UTF-8 and its length in bytes; length 0: not UTF-8.
static unsigned decode(const unsigned char *s, size_t room, size_t *length) {
  static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};  // by length: shorter spellings are not valid
  size_t n = s[0] < 0x80 ? 1 : s[0] >> 5 == 0x6 ? 2 : s[0] >> 4 == 0xe ? 3 : s[0] >> 3 == 0x1e ? 4 : 0;
  *length = 0;
  if (n == 0 || n > room) {
    return 0;
  }
  unsigned code = n == 1 ? s[0] : s[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; ++i) {
    if (s[i] >> 6 != 0x2) {
      return 0;
    }
    code = code << 6 | (s[i] & 0x3fu);
  }
  if (code < smallest[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    return 0;
  }
  *length = n;
  return code;
}

// The characters YAML calls printable: libfyaml stops at some of the others without a word.
static bool is_printable(unsigned code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code < 0x7f) || code == 0x85 ||
         (code >= 0xa0 && code != 0xfffe && code != 0xffff);
}

static MbsStatus check_characters(MbsContext *context, const char *text, size_t length, const char *file) {
  MbsPlace place = {.file = file, .line = 1, .column = 1};
  for (size_t i = 0; i < length;) {
    size_t n;
    unsigned code = decode((const unsigned char *)text + i, length - i, &n);
    if (n == 0) {
      return mbs_fail(context, MBS_ERROR_INPUT, place, "not UTF-8 text (byte 0x%02x); save the file as UTF-8",
                      (unsigned)(unsigned char)text[i]);
    }
    if (!is_printable(code)) {
      return mbs_fail(context, MBS_ERROR_INPUT, place, "control character U+%04X in the text; remove it", code);
    }
    i += n;
    if (code == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  return MBS_OK;
}

// ---- nodes ----

static MbsPlace token_place(const Builder *b, struct fy_token *token) {
  const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
  return (MbsPlace){.file = b->file, .line = mark ? mark->line + 1 : 0, .column = mark ? mark->column + 1 : 0};
}

static MbsStatus refuse_decoration(Builder *b, struct fy_token *anchor, struct fy_token *tag) {
  if (anchor) {
    MbsPlace place = token_place(b, anchor);
    --place.column;  // of the &, which the token leaves out
    return mbs_fail(b->context, MBS_ERROR_INPUT, place,
                    "anchors (&) are not supported in model files; name the number under parameters instead");
  }
  if (tag) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, token_place(b, tag),
                    "tags (!) are not supported in model files; quote the text if it starts with !");
  }
  return MBS_OK;
}

// A new node where the innermost list or mapping expects its next value, or the root.
static MbsStatus add_node(Builder *b, MbsYamlKind kind, MbsPlace place, MbsYaml **node) {
  Level *level = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;
  if (level && level->node->kind == MBS_YAML_MAPPING && !level->key.text) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, place.line > 0 ? place : level->node->place,
                    "a key must be a name, found %s",
                    kind == MBS_YAML_NOTHING ? "nothing"
                    : kind == MBS_YAML_LIST  ? "a list"
                                             : "a mapping");
  }
  if (++b->node_count > MBS_YAML_MOST_NODES) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, place, "more than %d values in one file", MBS_YAML_MOST_NODES);
  }
  MBS_TAKE(b->context, b->arena, *node, 1);
  (*node)->kind = kind;
  (*node)->place = place;
  if (!level) {
    b->root = *node;
    return MBS_OK;
  }
  if (place.line == 0) {
    // what is not written stands at its key, or at the list it is missing from
    (*node)->place = level->key.text ? level->key.place : level->node->place;
  }
  (*node)->key = level->key;
  level->key.text = NULL;
  *(level->last ? &level->last->next : &level->node->first) = *node;
  level->last = *node;
  ++level->node->count;
  return MBS_OK;
}

static MbsStatus open_level(Builder *b, MbsYamlKind kind, struct fy_token *token, struct fy_token *anchor,
                            struct fy_token *tag) {
  MBS_TRY(refuse_decoration(b, anchor, tag));
  MbsPlace place = token_place(b, token);
  if (b->depth == MBS_YAML_DEEPEST) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, place, "lists and mappings are nested deeper than %d levels",
                    MBS_YAML_DEEPEST);
  }
  MbsYaml *node;
  MBS_TRY(add_node(b, kind, place, &node));
  b->levels[b->depth++] = (Level){.node = node};
  return MBS_OK;
}

static MbsStatus refuse_duplicates(Builder *b, const MbsYaml *mapping) {
  MbsText *keys;
  MBS_TAKE(b->context, b->arena, keys, mapping->count);
  int count = 0;
  for (const MbsYaml *pair = mapping->first; pair; pair = pair->next) {
    keys[count++] = pair->key;
  }
  const MbsText *twice = mbs_yaml_find_duplicate(keys, count);
  if (twice) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, twice[1].place,
                    "key \"%.80s\" stands twice in the same mapping, first at %d:%d", twice[1].text,
                    twice[0].place.line, twice[0].place.column);
  }
  return MBS_OK;
}

static MbsStatus close_level(Builder *b) {
  MBS_CHECK(b->context, b->depth > 0 && b->levels[b->depth - 1].node);
  const MbsYaml *node = b->levels[--b->depth].node;
  return node->kind == MBS_YAML_MAPPING ? refuse_duplicates(b, node) : MBS_OK;
}

static bool is_nothing(const char *text, size_t length) {
  static const char *const words[] = {"", "~", "null", "Null", "NULL"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
      return true;
    }
  }
  return false;
}

static MbsStatus add_scalar(Builder *b, const struct fy_event_scalar_data *scalar) {
  MBS_TRY(refuse_decoration(b, scalar->anchor, scalar->tag));
  MbsPlace place = token_place(b, scalar->value);
  size_t length = 0;
  const char *text = scalar->value ? fy_token_get_text(scalar->value, &length) : "";
  if (!text) {
    return mbs_fail(b->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  enum fy_scalar_style style = fy_token_scalar_style(scalar->value);
  MbsYaml *node;
  if (style == FYSS_PLAIN && is_nothing(text, length)) {
    return add_node(b, MBS_YAML_NOTHING, place, &node);
  }
  if (style == FYSS_LITERAL || style == FYSS_FOLDED) {
    // the token of a block begins with its line; the last line break is the block's, not the text's
    for (const char *c = b->text + fy_token_start_mark(scalar->value)->input_pos; *c == ' '; ++c) {
      ++place.column;
    }
    for (; length > 0 && text[length - 1] == '\n'; --length) {
    }
  }
  for (size_t i = 0; i < length; ++i) {
    if ((unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t') {
      return mbs_fail(b->context, MBS_ERROR_INPUT, place, "control character U+%04X in a text; remove the escape",
                      (unsigned)text[i]);
    }
  }
  char *copy;
  MBS_TAKE(b->context, b->arena, copy, length + 1);
  memcpy(copy, text, length);
  Level *level = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;
  if (level && level->node->kind == MBS_YAML_MAPPING && !level->key.text) {
    if (style == FYSS_PLAIN && strcmp(copy, "<<") == 0) {
      return mbs_fail(b->context, MBS_ERROR_INPUT, place, "merge keys (<<) are not supported in model files");
    }
    level->key = (MbsText){.text = copy, .place = place};
    return MBS_OK;
  }
  MBS_TRY(add_node(b, MBS_YAML_SCALAR, place, &node));
  node->text = copy;
  return MBS_OK;
}

// The token an event begins with; NULL: it is not written.
static struct fy_token *event_token(const struct fy_event *event) {
  switch (event->type) {
    case FYET_DOCUMENT_START: return event->document_start.document_start;
    case FYET_MAPPING_START: return event->mapping_start.mapping_start;
    case FYET_SEQUENCE_START: return event->sequence_start.sequence_start;
    case FYET_SCALAR: return event->scalar.value;
    default: return NULL;
  }
}

static MbsStatus take_event(Builder *b, const struct fy_event *event) {
  b->document_count += event->type == FYET_DOCUMENT_START;
  if (b->document_count > 1) {
    MbsPlace place = token_place(b, event_token(event));
    if (event->type == FYET_DOCUMENT_START && place.line == 0) {
      return MBS_OK;  // it has no ---: its content will show the place
    }
    return mbs_fail(b->context, MBS_ERROR_INPUT, place.line > 0 ? place : (MbsPlace){b->file, 1, 1},
                    "a second document begins here; a model file holds one");
  }
  switch (event->type) {
    case FYET_MAPPING_START:
      return open_level(b, MBS_YAML_MAPPING, event->mapping_start.mapping_start, event->mapping_start.anchor,
                        event->mapping_start.tag);
    case FYET_SEQUENCE_START:
      return open_level(b, MBS_YAML_LIST, event->sequence_start.sequence_start, event->sequence_start.anchor,
                        event->sequence_start.tag);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return close_level(b);
    case FYET_SCALAR: return add_scalar(b, &event->scalar);
    case FYET_ALIAS: {
      MbsPlace place = token_place(b, event->alias.anchor);
      --place.column;  // of the *, which the token leaves out
      return mbs_fail(b->context, MBS_ERROR_INPUT, place,
                      "aliases (*) are not supported in model files; quote an expression that starts with *");
    }
    default: return MBS_OK;
  }
}

// ---- the parser ----

static void keep_quiet(struct fy_diag *diag, void *user, const char *text, size_t length) {
  (void)diag;
  (void)user;
  (void)text;
  (void)length;
}

// libfyaml does not tell want of memory from other failures, nor always that it failed; the C library does
static bool is_memory_out(void) { return errno == ENOMEM; }

// The line with a tab in front of its text, among this one and those next to it, where the parser may have lost its
// way; 0: none.
static int tabbed_line(const Builder *b, int line) {
  int at = 1;
  bool is_front = true;
  for (const char *c = b->text; *c && at <= line + 1; ++c) {
    if (*c == '\t' && is_front && at >= line - 1) {
      return at;
    }
    is_front = *c == '\n' || (is_front && strchr(" \t-", *c));
    at += *c == '\n';
  }
  return 0;
}

static MbsStatus tell_syntax_error(const Builder *b, struct fy_diag *diag) {
  void *iterator = NULL;
  const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &iterator);
  MbsPlace place = {.file = b->file, .line = 1, .column = 1};
  if (error && error->line > 0) {
    place.line = error->line;
    place.column = error->column > 0 ? error->column : 1;
  }
  char hint[80] = "an expression with , : # [ ] { or } in it needs quotes";
  int tabbed = tabbed_line(b, place.line);
  if (tabbed > 0) {
    (void)snprintf(hint, sizeof hint, "line %d begins with a tab: indent with spaces", tabbed);
  }
  return mbs_fail(b->context, MBS_ERROR_INPUT, place, "not valid YAML: %s (%s)",
                  error ? error->msg : "the parser stopped", hint);
}

static MbsStatus take_events(Builder *b, struct fy_parser *parser, struct fy_diag *diag) {
  bool is_complete = false;
  for (struct fy_event *event = fy_parser_parse(parser); event; event = fy_parser_parse(parser)) {
    is_complete = event->type == FYET_STREAM_END;
    MbsStatus status = is_memory_out() ? MBS_OK : take_event(b, event);
    fy_parser_event_free(parser, event);
    MBS_TRY(status);
  }
  if (is_memory_out()) {
    return mbs_fail(b->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  if (!is_complete || fy_parser_get_stream_error(parser)) {
    return tell_syntax_error(b, diag);
  }
  if (!b->root || b->root->kind == MBS_YAML_NOTHING) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, (MbsPlace){.file = b->file, .line = 1, .column = 1},
                    "the file is empty; a model starts with \"mbsens: 1\"");
  }
  return MBS_OK;
}

MbsStatus mbs_yaml_parse(MbsContext *context, MbsArena *arena, const char *text, size_t length, const char *file,
                         const MbsYaml **root) {
  if (length > MBS_YAML_LARGEST_FILE) {
    return mbs_fail(context, MBS_ERROR_INPUT, (MbsPlace){.file = file, .line = 1, .column = 1},
                    "larger than %d MiB, the limit for a model file", MBS_YAML_LARGEST_FILE / 1024 / 1024);
  }
  MBS_TRY(check_characters(context, text, length, file));
  // libfyaml wants text that outlives it and, for block scalars above, ends
  char *copy;
  MBS_TAKE(context, arena, copy, length + 1);
  memcpy(copy, text, length);
  Builder b = {.context = context, .arena = arena, .text = copy, .file = file};

  struct fy_diag_cfg quiet;
  errno = 0;
  fy_diag_cfg_default(&quiet);
  quiet.fp = NULL;
  quiet.output_fn = keep_quiet;
  quiet.colorize = false;
  struct fy_diag *diag = fy_diag_create(&quiet);
  struct fy_parser *parser = NULL;
  if (diag) {
    fy_diag_set_collect_errors(diag, true);
    // JSON may be indented anyhow; depth is limited here
    parser = fy_parser_create(&(struct fy_parse_cfg){
        .flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DISABLE_DEPTH_LIMIT | FYPCF_SLOPPY_FLOW_INDENTATION,
        .diag = diag,
    });
  }
  MbsStatus status = parser && fy_parser_set_string(parser, copy, length) == 0
                         ? take_events(&b, parser, diag)
                         : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  fy_parser_destroy(parser);
  fy_diag_destroy(diag);
  *root = b.root;
  return status;
}

static int compare_texts(const void *a, const void *b) {
  const MbsText *x = a, *y = b;
  int order = strcmp(x->text, y->text);
  order = order ? order : (x->place.line > y->place.line) - (x->place.line < y->place.line);
  return order ? order : (x->place.column > y->place.column) - (x->place.column < y->place.column);
}

const MbsText *mbs_yaml_find_duplicate(MbsText *texts, int count) {
  qsort(texts, (size_t)count, sizeof *texts, compare_texts);
  for (int i = 1; i < count; ++i) {
    if (strcmp(texts[i - 1].text, texts[i].text) == 0) {
      return &texts[i - 1];
    }
  }
  return NULL;
}

const MbsYaml *mbs_yaml_find(const MbsYaml *mapping, const char *key) {
  for (const MbsYaml *pair = mapping->first; pair; pair = pair->next) {
    if (strcmp(pair->key.text, key) == 0) {
      return pair;
    }
  }
  return NULL;
}
