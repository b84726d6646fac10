// To be loaded into the command before all else (LD_PRELOAD): its n-th request for memory fails, or the n-th and all
// after it. Environment: MBS_FAIL_AT=n, MBS_FAIL_REST=1. Descriptor 7 is told: "failed", or "libfyaml" where that
// library had asked.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// glibc's own names for the allocator it would have used
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long left = -2;  // requests until one fails; -1: none does; -2: not asked yet
static bool is_rest_failing, has_failed;

static void tell(void) {
  enum { MOST_FRAMES = 16 };
  void *frames[MOST_FRAMES];
  const char *word = "failed\n";
  int count = backtrace(frames, MOST_FRAMES);
  for (int i = 0; i < count; ++i) {
    Dl_info library;
    if (dladdr(frames[i], &library) && library.dli_fname && strstr(library.dli_fname, "libfyaml")) {
      word = "libfyaml\n";
    }
  }
  if (write(7, word, strlen(word)) < 0) {
    // nobody wants to know
  }
}

// What other libraries ask for before main, libgfortran of LAPACK among them, is not ours to survive.
static bool is_main_running;

typedef int Main(int, char **, char **);
typedef int StartMain(Main *main, int count, char **arguments, Main *init, void (*fini)(void), void (*rtld_fini)(void),
                      void *stack_end);
StartMain __libc_start_main;

int __libc_start_main(Main *main, int count, char **arguments, Main *init, void (*fini)(void), void (*rtld_fini)(void),
                      void *stack_end) {
  StartMain *start;
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  is_main_running = true;
  return start(main, count, arguments, init, fini, rtld_fini, stack_end);
}

static bool fails(void) {
  if (!is_main_running) {
    return false;
  }
  if (left == -2) {
    const char *at = getenv("MBS_FAIL_AT");
    left = -1;
    void *frame;
    (void)backtrace(&frame, 1);  // takes memory the first time
    is_rest_failing = getenv("MBS_FAIL_REST") != NULL;
    left = at ? atol(at) : -1;
  }
  if (left < 0 || (left > 0 && --left > 0)) {
    return false;
  }
  bool does = is_rest_failing || !has_failed;
  if (!has_failed) {
    has_failed = true;
    left = -1;
    tell();
    left = 0;
  }
  errno = does ? ENOMEM : errno;
  return does;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }

void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }

void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = fails() ? NULL : __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
