// malloc and its kin by ones that count, for every library in the process: for one file of a test, before all else.
// MEMORY_FAILS, if defined before, names a function that says of each request whether it fails. With the sanitizers'
// own allocator, or without glibc's, MEMORY_IS_NOT_COUNTED is defined instead, and the test is what says so.
#ifndef COUNTED_MEMORY_H
#define COUNTED_MEMORY_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define MEMORY_IS_NOT_COUNTED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__) && !defined(__linux__)
#define MEMORY_IS_NOT_COUNTED
#endif

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef MEMORY_IS_NOT_COUNTED

int main(void) {
  (void)printf("skipped: the sanitizer has an allocator of its own\n");
  return 0;
}

#else

#ifdef MEMORY_FAILS
static bool MEMORY_FAILS(void);
#else
#define MEMORY_FAILS() false
#endif

// glibc's own names for the allocator it would have used
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static struct {
  long taken, freed;  // requests that were met; blocks given back
  long live;          // blocks taken and not given back
  double bytes;       // that were asked for, given back or not
} memory;

static void *counted(void *block, size_t size) {
  memory.taken += block != NULL;
  memory.live += block != NULL;
  memory.bytes += (double)size;
  return block;
}

void *malloc(size_t size) { return MEMORY_FAILS() ? NULL : counted(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) {
  return MEMORY_FAILS() ? NULL : counted(__libc_calloc(count, size), count * size);
}

void *realloc(void *old, size_t size) {
  if (MEMORY_FAILS()) {
    return NULL;
  }
  void *block = counted(__libc_realloc(old, size), size);
  memory.live -= old != NULL && (block != NULL || size == 0);
  return block;
}

void *aligned_alloc(size_t alignment, size_t size) {
  return MEMORY_FAILS() ? NULL : counted(__libc_memalign(alignment, size), size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = MEMORY_FAILS() ? NULL : counted(__libc_memalign(alignment, size), size);
  return *block ? 0 : ENOMEM;
}

void free(void *block) {
  memory.freed += block != NULL;
  memory.live -= block != NULL;
  __libc_free(block);
}

#endif
#endif
