// A region of memory that grows in chunks and is given back whole. Everything a model or a run needs
// is taken from one at set-up, so nothing is allocated (or freed) while stepping.
#ifndef MBS_ARENA_H
#define MBS_ARENA_H

#include <stddef.h>

#include "base/context.h"

typedef struct MbsArena MbsArena;

MbsArena *mbs_arena_create(void);  // NULL: out of memory
void mbs_arena_destroy(MbsArena *arena);

// From now on the context is told where memory runs out (NULL: nobody is). Of texts that have a substitute, and of
// memory that a library takes (mbs_arena_is_out), nobody else would hear.
void mbs_arena_tell(MbsArena *arena, MbsContext *context);
void mbs_arena_is_out(MbsArena *arena);
// The same at once; NULL, and the context told: out of memory.
MbsArena *mbs_arena_create_for(MbsContext *context);

// All of it is free again, for the same amount without asking the system for more.
void mbs_arena_clear(MbsArena *arena);

// `size` zeroed bytes, aligned for any type; NULL: out of memory.
void *mbs_arena_take(MbsArena *arena, size_t count, size_t size);
// NULL: out of memory, now or when the text was made (text NULL)
char *mbs_arena_copy_text(MbsArena *arena, const char *text);
// printf into the arena; NULL: out of memory.
char *mbs_arena_print(MbsArena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Room for `needed` items in a growing array: returns `items`, or a copy with doubled capacity.
void *mbs_arena_grow(MbsArena *arena, void *items, int count, int *capacity, size_t size);

// pointer = count zeroed items, or return MBS_ERROR_MEMORY from the calling function
#define MBS_TAKE(context, arena, pointer, count)                                  \
  do {                                                                            \
    (pointer) = mbs_arena_take((arena), (size_t)(count), sizeof *(pointer));      \
    if (!(pointer)) {                                                             \
      return mbs_fail((context), MBS_ERROR_MEMORY, mbs_nowhere, "out of memory"); \
    }                                                                             \
  } while (0)

// makes room for one more item in a growing array, or returns MBS_ERROR_MEMORY and leaves the array as it was
#define MBS_GROW(context, arena, items, count, capacity)                                    \
  do {                                                                                      \
    void *grown_ = mbs_arena_grow((arena), (items), (count), &(capacity), sizeof *(items)); \
    if (!grown_) {                                                                          \
      return mbs_fail((context), MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");           \
    }                                                                                       \
    (items) = grown_;                                                                       \
  } while (0)

#endif
