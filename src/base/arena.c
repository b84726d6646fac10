#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Chunk {
  struct Chunk *next;
  size_t used, size;
  size_t touched;  // what follows is zero since it was got
  alignas(max_align_t) unsigned char bytes[];
} Chunk;

struct MbsArena {
  Chunk *chunks;        // newest first
  bool is_cleared;      // there may be room in any of them, not in the newest alone
  MbsContext *context;  // told when memory runs out; NULL: nobody is
};

// Bytes of the first chunk; each further one is twice as large. 0: a chunk for every request, so that tests can let
// each of them fail.
#ifndef MBS_ARENA_CHUNK
#define MBS_ARENA_CHUNK 16384
#endif

// Chunks from this size on are got as zeros, which the system gives without touching them: the trajectory of an adjoint
// may have room for many more steps than are made. Smaller ones are cleared where they are taken from.
enum { LARGE = 1 << 20 };

MbsArena *mbs_arena_create(void) { return calloc(1, sizeof(MbsArena)); }

void mbs_arena_tell(MbsArena *arena, MbsContext *context) { arena->context = context; }

void mbs_arena_is_out(MbsArena *arena) {
  if (arena->context) {
    arena->context->is_memory_out = true;
  }
}

MbsArena *mbs_arena_create_for(MbsContext *context) {
  MbsArena *arena = mbs_arena_create();
  if (arena) {
    arena->context = context;
  } else {
    context->is_memory_out = true;
  }
  return arena;
}

void mbs_arena_destroy(MbsArena *arena) {
  if (!arena) {
    return;
  }
  for (Chunk *chunk = arena->chunks; chunk;) {
    Chunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  free(arena);
}

void mbs_arena_clear(MbsArena *arena) {
  arena->is_cleared = true;
  for (Chunk *chunk = arena->chunks; chunk; chunk = chunk->next) {
    chunk->used = 0;
  }
}

void *mbs_arena_take(MbsArena *arena, size_t count, size_t size) {
  size_t alignment = alignof(max_align_t);
  if (size != 0 && count > (SIZE_MAX / 4) / size) {
    mbs_arena_is_out(arena);
    return NULL;
  }
  size_t bytes = (count * size + alignment - 1) / alignment * alignment;
  bytes = bytes ? bytes : alignment;
  Chunk *chunk = arena->chunks;
  while (arena->is_cleared && chunk && chunk->size - chunk->used < bytes) {
    chunk = chunk->next;
  }
  if (!chunk || chunk->size - chunk->used < bytes) {
    size_t room = MBS_ARENA_CHUNK > 0 && arena->chunks ? 2 * arena->chunks->size : (size_t)MBS_ARENA_CHUNK;
    room = room < bytes ? bytes : room;
    chunk = room < LARGE ? malloc(sizeof(Chunk) + room) : calloc(1, sizeof(Chunk) + room);
    if (!chunk) {
      mbs_arena_is_out(arena);
      return NULL;
    }
    chunk->size = room;
    chunk->used = 0;
    chunk->touched = room < LARGE ? room : 0;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
  }
  void *place = chunk->bytes + chunk->used;
  if (chunk->used < chunk->touched) {
    memset(place, 0, chunk->touched - chunk->used < bytes ? chunk->touched - chunk->used : bytes);
  }
  chunk->used += bytes;
  chunk->touched = chunk->touched < chunk->used ? chunk->used : chunk->touched;
  return place;
}

char *mbs_arena_copy_text(MbsArena *arena, const char *text) {
  if (!text) {
    return NULL;
  }
  size_t length = strlen(text);
  char *copy = mbs_arena_take(arena, length + 1, 1);
  if (copy) {
    memcpy(copy, text, length);
  }
  return copy;
}

char *mbs_arena_print(MbsArena *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : mbs_arena_take(arena, (size_t)length + 1, 1);
  if (text) {
    va_start(arguments, format);
    (void)vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
  }
  return text;
}

void *mbs_arena_grow(MbsArena *arena, void *items, int count, int *capacity, size_t size) {
  if (count < *capacity) {
    return items;
  }
  int room = *capacity ? 2 * *capacity : 8;
  void *grown = mbs_arena_take(arena, (size_t)room, size);
  if (grown) {
    if (count > 0) {
      memcpy(grown, items, (size_t)count * size);
    }
    *capacity = room;
  }
  return grown;
}
