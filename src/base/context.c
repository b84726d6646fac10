#include "base/context.h"

#include <mbsens/mbsens.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const MbsPlace mbs_nowhere = {.file = NULL, .line = 0, .column = 0};

MbsStatus mbs_fail(MbsContext *context, MbsStatus status, MbsPlace place, const char *format, ...) {
  int used = 0;
  int size = (int)sizeof context->message;
  if (place.line > 0) {
    used = snprintf(context->message, sizeof context->message, "%s:%d:%d: error: ", place.file ? place.file : "model",
                    place.line, place.column);
    used = used < 0 ? 0 : (used >= size ? size - 1 : used);
  }
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(context->message + used, (size_t)(size - used), format, arguments);
  va_end(arguments);
  // one line, whatever was quoted from the input
  for (char *c = context->message; *c; ++c) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f) {
      *c = ' ';
    }
  }
  context->status = status;
  return status;
}

MbsContext *mbs_context_create(void) { return calloc(1, sizeof(MbsContext)); }

void mbs_context_destroy(MbsContext *context) { free(context); }

const char *mbs_context_message(const MbsContext *context) { return context->message; }

void mbs_context_on_progress(MbsContext *context, bool (*keep_going)(void *user, double fraction), void *user) {
  context->keep_going = keep_going;
  context->user = user;
}

_Noreturn void mbs_assert_failed(const char *condition, const char *file, int line) {
  (void)fprintf(stderr, "%s:%d: mbsens is broken: %s does not hold\n", file, line, condition);
  abort();
}
