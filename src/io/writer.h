// Text that grows, for rewrite.c.
#ifndef MBS_WRITER_H
#define MBS_WRITER_H

#include <string.h>

#include "expressions/parse.h"
#include "io/assembly.h"

// An expression that grows while it is rewritten.
typedef struct Writer {
  MbsExpansion *x;
  MbsPlace place;  // of the expression
  char *text;
  int length, capacity;
} Writer;

static inline MbsStatus put_some(Writer *writer, const char *text, int length) {
  MbsContext *context = writer->x->reader->context;
  if (writer->length + length > MBS_EXPRESSION_LENGTH_LIMIT) {
    return mbs_fail(context, MBS_ERROR_INPUT, writer->place,
                    "this expression has more than %d characters once the parameters of the template are put in",
                    MBS_EXPRESSION_LENGTH_LIMIT);
  }
  if (writer->length + length + 1 > writer->capacity) {
    int capacity = 2 * (writer->length + length) + 64;
    char *grown;
    MBS_TAKE(context, writer->x->reader->arena, grown, capacity);
    if (writer->length > 0) {
      memcpy(grown, writer->text, (size_t)writer->length);
    }
    writer->text = grown;
    writer->capacity = capacity;
  }
  memcpy(writer->text + writer->length, text, (size_t)length);
  writer->length += length;
  writer->text[writer->length] = '\0';
  return MBS_OK;
}

static inline MbsStatus put(Writer *writer, const char *text) { return put_some(writer, text, (int)strlen(text)); }

static inline MbsStatus put_between(Writer *writer, const char *before, const char *text, const char *after) {
  MBS_TRY(put(writer, before));
  MBS_TRY(put(writer, text));
  return put(writer, after);
}

#endif
