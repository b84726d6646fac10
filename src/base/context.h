// Where errors are told and long work reports its progress. One context per thread of work.
#ifndef MBS_CONTEXT_H
#define MBS_CONTEXT_H

#include <mbsens/status.h>
#include <stdbool.h>
#include <stddef.h>

// A place in a model file. line 0: the thing was not read from a file.
typedef struct MbsPlace {
  const char *file;
  int line, column;
} MbsPlace;

// An expression or name as written, and where. text NULL: absent.
typedef struct MbsText {
  const char *text;
  MbsPlace place;
} MbsText;

enum { MBS_MESSAGE_SIZE = 2048, MBS_MOST_ERRORS = 10 };

typedef struct MbsContext {
  MbsStatus status;
  bool is_memory_out;  // since the public call began: whatever else failed, failed for that
  char message[MBS_MESSAGE_SIZE];
  int error_count;  // of errors in the input that did not stop the call at once, since it began
  char errors[MBS_MOST_ERRORS][MBS_MESSAGE_SIZE];
  char *value;  // that was asked for last, as text (mbs_request_get)
  size_t value_room;
  // Called now and then in long runs with the fraction done; false stops the run. May be NULL.
  bool (*keep_going)(void *user, double fraction);
  void *user;
} MbsContext;

// One for what is only tried: without clearing all the room for messages that nobody reads.
static inline void mbs_context_begin(MbsContext *context) {
  context->status = MBS_OK;
  context->is_memory_out = false;
  context->message[0] = '\0';
  context->error_count = 0;
  context->value = NULL;
  context->value_room = 0;
  context->keep_going = NULL;
  context->user = NULL;
}

// Writes "file:line:column: error: <message>" (or just the message when the place has no line) into
// the context and returns `status`.
MbsStatus mbs_fail(MbsContext *context, MbsStatus status, MbsPlace place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Adds to the message of an error that was told just now.
void mbs_fail_append(MbsContext *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const MbsPlace mbs_nowhere;

// Records that do not depend on each other are all looked at, so that several errors are told at once:
//     int before = context->error_count;
//     for each of them: MBS_TRY(mbs_error_keep(context, read(...)));
//     MBS_TRY(mbs_errors_tell(context, before));
// keep: an error in the input is kept, and the next record's turn comes; unless there are enough, or it is another kind
// of error. tell: that there were any since `before`; the message is that of the very first.
MbsStatus mbs_error_keep(MbsContext *context, MbsStatus status);
MbsStatus mbs_errors_tell(MbsContext *context, int before);

// ---- public calls ----
// A pointer that a call needs, and what the header calls it.
typedef struct MbsNeeded {
  const char *name;
  const void *pointer;
} MbsNeeded;

// The beginning of a public call: refuses NULL (of the context too, where nothing can be said). `needed` ends with a
// name that is NULL. Inside the library nobody makes public calls but the ones that do nothing else: a second beginning
// would forget what the first one was told of memory.
MbsStatus mbs_call_begin(MbsContext *context, const char *call, const MbsNeeded *needed);
#define MBS_CALL_BEGIN(context, call, ...) \
  MBS_TRY(mbs_call_begin((context), (call), (const MbsNeeded[]){__VA_ARGS__, {NULL, NULL}}))

// The end of one: a call that went on without memory it had asked for has failed.
MbsStatus mbs_call_end(MbsContext *context, MbsStatus status);

#define MBS_TRY(call)           \
  do {                          \
    MbsStatus status_ = (call); \
    if (status_ != MBS_OK) {    \
      return status_;           \
    }                           \
  } while (0)

// What must hold whatever the data: where it does not, mbsens is broken, which is an error like others
// (MBS_ERROR_INTERNAL) with the place in the sources. In functions that return a status.
#define MBS_CHECK(context, condition)                            \
  do {                                                           \
    if (!(condition)) {                                          \
      return mbs_fail_broken((context), MBS_BROKEN(#condition)); \
    }                                                            \
  } while (0)

// Functions without a context keep the first broken condition where somebody with one will look for it.
typedef struct MbsBroken {
  const char *condition, *file;  // condition NULL: nothing is broken
  int line;
} MbsBroken;

#define MBS_BROKEN(text) ((MbsBroken){.condition = (text), .file = __FILE__, .line = __LINE__})

static inline void mbs_broken_keep(MbsBroken *first, MbsBroken broken) { *first = first->condition ? *first : broken; }

MbsStatus mbs_fail_broken(MbsContext *context, MbsBroken broken);

#endif
