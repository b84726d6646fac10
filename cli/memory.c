#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "stop.h"

void cli_memory_is_out(void) { cli_stop_now(cli_fail(MBS_ERROR_MEMORY, "out of memory")); }

void *cli_memory_take(size_t count, size_t size) {
  void *block = calloc(count ? count : 1, size);
  if (!block) {
    cli_memory_is_out();
  }
  return block;
}

void *cli_memory_resize(void *block, size_t count, size_t size) {
  void *resized = count <= SIZE_MAX / size ? realloc(block, count * size) : NULL;
  if (!resized) {
    cli_memory_is_out();
  }
  return resized;
}

char *cli_memory_copy_text(const char *text, size_t length) {
  char *copy = cli_memory_take(length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}
