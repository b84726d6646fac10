// Where errors are told and long work reports its progress. One context per thread of work.
#ifndef MBS_CONTEXT_H
#define MBS_CONTEXT_H

#include <mbsens/status.h>
#include <stdbool.h>

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

typedef struct MbsContext {
  MbsStatus status;
  char message[2048];
  // Called now and then in long runs with the fraction done; false stops the run. May be NULL.
  bool (*keep_going)(void *user, double fraction);
  void *user;
} MbsContext;

// Writes "file:line:column: error: <message>" (or just the message when the place has no line) into
// the context and returns `status`.
MbsStatus mbs_fail(MbsContext *context, MbsStatus status, MbsPlace place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

extern const MbsPlace mbs_nowhere;

#define MBS_TRY(call)           \
  do {                          \
    MbsStatus status_ = (call); \
    if (status_ != MBS_OK) {    \
      return status_;           \
    }                           \
  } while (0)

// Programmer mistakes only, never data.
#define MBS_ASSERT(condition) ((condition) ? (void)0 : mbs_assert_failed(#condition, __FILE__, __LINE__))
_Noreturn void mbs_assert_failed(const char *condition, const char *file, int line);

#endif
