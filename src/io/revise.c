// Other values in a model file that a user has written: the bytes of each value are replaced where they stand, all else
// stays as it is. Then the new text is read, and must have these values.
#include <mbsens/build.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "io/reader.h"

typedef struct Change {
  const char *name, *value;
  size_t from, length;  // bytes that it takes the place of
  bool is_quoted;       // these stand between quotes
} Change;

typedef struct Revision {
  MbsContext *context;
  MbsArena *arena;
  const char *path;
  const char *text;
  size_t size;
  int count;
  Change *changes;
} Revision;

// the byte at a line and column, both from 1, columns in characters; `size`: there is none
static size_t find_place(const Revision *revision, MbsPlace place) {
  size_t at = 0;
  for (int line = 1; line < place.line && at < revision->size; ++at) {
    line += revision->text[at] == '\n';
  }
  for (int column = 1; column < place.column && at < revision->size; ++column) {
    do {
      ++at;
    } while (at < revision->size && ((unsigned char)revision->text[at] & 0xc0) == 0x80);
  }
  return at;
}

static MbsStatus find_change(const Revision *revision, const MbsModel *asked, Change *change) {
  const MbsValue *parameters = mbs_record_value(&asked->root, MBS_MODEL_PARAMETERS);
  const MbsRecord *record = NULL;
  const char *nearest = NULL;
  for (int i = 0; i < parameters->count && !record; ++i) {
    record = strcmp(parameters->records[i].name.text, change->name) == 0 ? &parameters->records[i] : NULL;
    mbs_name_nearest(change->name, parameters->records[i].name.text, &nearest);
  }
  if (!record) {
    return mbs_fail(revision->context, MBS_ERROR_INPUT, mbs_nowhere, "no parameter \"%s\" in %s%s%s%s", change->name,
                    revision->path, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  }
  MbsText text = record->values[MBS_PARAMETER_VALUE].texts[0];
  if (text.place.line < 1 || strcmp(text.place.file, revision->path) != 0) {
    return mbs_fail(
        revision->context, MBS_ERROR_NOT_OFFERED, text.place,
        "parameter \"%s\" has its value from another place than %s, of which alone a copy is made: move it there",
        change->name, revision->path);
  }
  change->from = find_place(revision, text.place);
  change->length = strlen(text.text);
  if (change->length == 0 || change->from + change->length > revision->size ||
      strncmp(revision->text + change->from, text.text, change->length) != 0) {
    return mbs_fail(
        revision->context, MBS_ERROR_NOT_OFFERED, text.place,
        "parameter \"%s\": its value \"%s\" is not written there by itself, so no other can take its place: "
        "write it as a number",
        change->name, text.text);
  }
  char before = change->from > 0 ? revision->text[change->from - 1] : '\0';
  change->is_quoted = before == '"' || before == '\'';
  return MBS_OK;
}

static int by_place(const void *a, const void *b) {
  const Change *first = a, *second = b;
  return first->from < second->from ? -1 : first->from > second->from;
}

static MbsStatus find_changes(const Revision *revision, const MbsModel *model) {
  const MbsModel *asked;
  const char **names;
  int count = revision->count;
  MBS_TAKE(revision->context, revision->arena, names, count);
  for (int i = 0; i < count; ++i) {
    names[i] = revision->changes[i].name;
  }
  const char *const *opened = names;
  MBS_TRY(mbs_model_ask(revision->context, revision->arena, model, &count, &opened, &asked));
  for (int i = 0; i < revision->count; ++i) {
    MBS_TRY(find_change(revision, asked, &revision->changes[i]));
  }
  qsort(revision->changes, (size_t)revision->count, sizeof *revision->changes, by_place);
  for (int i = 1; i < revision->count; ++i) {
    const Change *one = &revision->changes[i - 1], *other = &revision->changes[i];
    if (one->from + one->length > other->from) {
      return mbs_fail(
          revision->context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
          "parameters \"%s\" and \"%s\" have one value in %s, so no others can take its place: write them as "
          "numbers of their own",
          one->name, other->name, revision->path);
    }
  }
  return MBS_OK;
}

// a plain scalar, as it may stand in a list or mapping of one line
static bool is_plain(const char *value) {
  return value[strcspn(value, ",:#[]{}\"'&*!|>%@`\n")] == '\0' && value[0] != ' ';
}

static char *write_changes(const Revision *revision) {
  char *written = NULL;
  size_t length, done = 0;
  FILE *out = open_memstream(&written, &length);
  if (!out) {
    return NULL;
  }
  for (int i = 0; i < revision->count; ++i) {
    const Change *change = &revision->changes[i];
    (void)fwrite(revision->text + done, 1, change->from - done, out);
    bool needs_quotes = !change->is_quoted && !is_plain(change->value);
    (void)fprintf(out, "%s%s%s", needs_quotes ? "\"" : "", change->value, needs_quotes ? "\"" : "");
    done = change->from + change->length;
  }
  (void)fwrite(revision->text + done, 1, revision->size - done, out);
  bool is_broken = ferror(out) != 0;
  if (fclose(out) != 0 || is_broken) {
    free(written);
    return NULL;
  }
  return written;
}

// The new text, read: has each parameter the text that was meant?
static MbsStatus check(const Revision *revision, const char *written) {
  MbsModel *model;
  MBS_TRY(mbs_model_read_text(revision->context, written, strlen(written), revision->path, &model));
  const MbsModel *asked;
  MbsStatus status = MBS_OK;
  for (int i = 0; i < revision->count && status == MBS_OK; ++i) {
    int count = 1;
    const char *const *names = &revision->changes[i].name;
    status = mbs_model_ask(revision->context, revision->arena, model, &count, &names, &asked);
    const MbsValue *parameters = mbs_record_value(&asked->root, MBS_MODEL_PARAMETERS);
    for (int k = 0; k < parameters->count && status == MBS_OK; ++k) {
      const MbsRecord *record = &parameters->records[k];
      if (strcmp(record->name.text, revision->changes[i].name) == 0 &&
          strcmp(record->values[MBS_PARAMETER_VALUE].texts[0].text, revision->changes[i].value) != 0) {
        status = mbs_fail(revision->context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                          "parameter \"%s\": \"%s\" cannot take the place of its value in %s",
                          revision->changes[i].name, revision->changes[i].value, revision->path);
      }
    }
  }
  mbs_model_destroy(model);
  return status;
}

static MbsStatus revise(const Revision *revision, const MbsModel *model, char **written) {
  MBS_TRY(find_changes(revision, model));
  *written = write_changes(revision);
  return *written ? check(revision, *written)
                  : mbs_fail(revision->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

MbsStatus mbs_model_revise(MbsContext *context, const char *path, int count, const char *const *names,
                           const char *const *values, char **text) {
  MBS_CALL_BEGIN(context, "mbs_model_revise", {"path", path}, {"text", text});
  *text = NULL;
  char *read = NULL, *written = NULL;
  MbsModel *model = NULL;
  MbsArena *arena = mbs_arena_create_for(context);
  Revision revision = {.context = context, .arena = arena, .path = path, .count = count};
  revision.changes = arena ? mbs_arena_take(arena, (size_t)count, sizeof *revision.changes) : NULL;
  MbsStatus status = revision.changes ? MBS_OK : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  for (int i = 0; i < count && status == MBS_OK; ++i) {
    revision.changes[i] = (Change){.name = names[i], .value = values[i]};
  }
  status = status == MBS_OK ? mbs_reader_read_bytes(context, path, &read, &revision.size) : status;
  revision.text = read;
  status = status == MBS_OK ? mbs_model_read_text(context, read, revision.size, path, &model) : status;
  status = status == MBS_OK ? revise(&revision, model, &written) : status;
  mbs_model_destroy(model);
  mbs_arena_destroy(arena);
  free(read);
  if (status != MBS_OK) {
    free(written);
    return status;
  }
  *text = written;
  return MBS_OK;
}
