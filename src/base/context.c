#include "base/context.h"

#include <mbsens/mbsens.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const MbsPlace mbs_nowhere = {.file = NULL, .line = 0, .column = 0};

MbsStatus mbs_fail(MbsContext *context, MbsStatus status, MbsPlace place, const char *format, ...) {
  if (context->is_memory_out && status != MBS_ERROR_INTERRUPTED) {
    (void)snprintf(context->message, sizeof context->message, "out of memory");
    return context->status = MBS_ERROR_MEMORY;
  }
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

void mbs_fail_append(MbsContext *context, const char *format, ...) {
  size_t used = strlen(context->message);
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(context->message + used, sizeof context->message - used, format, arguments);
  va_end(arguments);
}

MbsStatus mbs_error_keep(MbsContext *context, MbsStatus status) {
  if (status != MBS_ERROR_INPUT) {
    context->error_count = status == MBS_OK ? context->error_count : 0;
    return status;
  }
  bool is_known = false;  // kept already by a loop inside
  for (int i = 0; i < context->error_count; ++i) {
    is_known |= strcmp(context->errors[i], context->message) == 0;
  }
  if (!is_known) {
    memcpy(context->errors[context->error_count++], context->message, sizeof context->message);
  }
  return context->error_count < MBS_MOST_ERRORS ? MBS_OK : mbs_errors_tell(context, 0);
}

MbsStatus mbs_errors_tell(MbsContext *context, int before) {
  if (context->error_count <= before) {
    return MBS_OK;
  }
  memcpy(context->message, context->errors[0], sizeof context->message);
  return context->status = MBS_ERROR_INPUT;
}

MbsStatus mbs_call_begin(MbsContext *context, const char *call, const MbsNeeded *needed) {
  if (!context) {
    return MBS_ERROR_INPUT;  // and nowhere to say why
  }
  context->is_memory_out = false;
  context->error_count = 0;
  for (; needed->name; ++needed) {
    if (!needed->pointer) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: the %s is NULL", call, needed->name);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_call_end(MbsContext *context, MbsStatus status) {
  if (status == MBS_OK && context->is_memory_out) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  return status;
}

MbsContext *mbs_context_create(void) { return calloc(1, sizeof(MbsContext)); }

void mbs_context_destroy(MbsContext *context) {
  if (context) {
    free(context->value);
  }
  free(context);
}

const char *mbs_context_message(const MbsContext *context) {
  return context ? context->message : "the context is NULL";
}

int mbs_context_error_count(const MbsContext *context) {
  return !context || context->status != MBS_ERROR_INPUT || context->error_count == 0 ? 1 : context->error_count;
}

const char *mbs_context_error(const MbsContext *context, int index) {
  int count = mbs_context_error_count(context);
  return index < 0 || index >= count ? "" : count == 1 ? mbs_context_message(context) : context->errors[index];
}

void mbs_context_on_progress(MbsContext *context, bool (*keep_going)(void *user, double fraction), void *user) {
  if (context) {
    context->keep_going = keep_going;
    context->user = user;
  }
}

MbsStatus mbs_fail_broken(MbsContext *context, MbsBroken broken) {
  const char *source = strstr(broken.file, "src/");  // not the folder it was built in
  return mbs_fail(context, MBS_ERROR_INTERNAL, mbs_nowhere,
                  "mbsens is broken (%s:%d: %s does not hold): please report this, with the model",
                  source ? source : broken.file, broken.line, broken.condition);
}
