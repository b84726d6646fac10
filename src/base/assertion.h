// What a programmer must not do, checked in debug builds alone (also those with sanitizers), where the program ends.
// Elsewhere an assertion costs nothing: its condition is not evaluated. What data may cause is an error (context.h).
#ifndef MBS_ASSERTION_H
#define MBS_ASSERTION_H

#ifdef MBS_ASSERTIONS
#include <assert.h>
#define MBS_ASSERT(condition) assert(condition)
#define MBS_DEBUG(statement) statement
#else
#define MBS_ASSERT(condition) ((void)0)
#define MBS_DEBUG(statement) ((void)0)
#endif

#endif
