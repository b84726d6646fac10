// What the fuzzers share: model files as seeds, chance that a seed number repeats, words and lines of a text and their
// replacement, and the telling of a mutant's number by whatever ends the program.
#ifndef MBS_MUTANTS_H
#define MBS_MUTANTS_H

#include <dirent.h>
#include <mbsens/mbsens.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "ensure.h"
#include "sensitivities/request.h"

enum {
  MOST_SEEDS = 1000,
  LONGEST = 48 * 1024  // bytes of a mutant
};

typedef struct Text {
  size_t length;
  char *bytes;
} Text;

static int seed_count;
static Text seeds[MOST_SEEDS];
static char seed_names[MOST_SEEDS][256];  // their files

// ---- seeds ----
static inline void add_seed(const char *path, const char *bytes, size_t length) {
  ENSURE(seed_count < MOST_SEEDS);
  (void)snprintf(seed_names[seed_count], sizeof seed_names[0], "%.255s", path);
  Text *seed = &seeds[seed_count++];
  seed->length = length;
  seed->bytes = malloc(length + 1);
  ENSURE(seed->bytes != NULL);
  memcpy(seed->bytes, bytes, length);
  seed->bytes[length] = '\0';
}

static inline void add_seed_file(const char *path, bool is_page) {
  static char bytes[256 * 1024];
  FILE *file = fopen(path, "rb");
  ENSURE(file != NULL);
  size_t length = fread(bytes, 1, sizeof bytes - 1, file);
  (void)fclose(file);
  bytes[length] = '\0';
  if (!is_page) {
    if (length < LONGEST / 2) {
      add_seed(path, bytes, length);
    }
    return;
  }
  static const char fence[] = "```yaml\n";
  for (const char *at = strstr(bytes, fence); at; at = strstr(at, fence)) {
    at += sizeof fence - 1;
    const char *end = strstr(at, "```");
    ENSURE(end != NULL);
    if (strncmp(at, "mbsens:", 7) == 0) {
      add_seed(path, at, (size_t)(end - at));
    }
  }
}

static inline int compare_names(const void *a, const void *b) { return strcmp(a, b); }

// in the order of the names, whatever the file system's
static inline void add_seed_folder(const char *folder, const char *ending, bool is_page) {
  static char names[MOST_SEEDS][256];
  int count = 0;
  DIR *directory = opendir(folder);
  ENSURE(directory != NULL);
  for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
    size_t length = strlen(entry->d_name);
    if (length > strlen(ending) && strcmp(entry->d_name + length - strlen(ending), ending) == 0) {
      ENSURE(count < MOST_SEEDS);
      (void)snprintf(names[count++], sizeof names[0], "%s", entry->d_name);
    }
  }
  (void)closedir(directory);
  ENSURE(count > 0);
  qsort(names, (size_t)count, sizeof names[0], compare_names);
  for (int i = 0; i < count; ++i) {
    char path[512];
    (void)snprintf(path, sizeof path, "%.200s/%.255s", folder, names[i]);
    add_seed_file(path, is_page);
  }
}

static inline void free_seeds(void) {
  for (int i = 0; i < seed_count; ++i) {
    free(seeds[i].bytes);
  }
}

// ---- chance ----
// SplitMix64
static inline uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

static inline size_t below(uint64_t *state, size_t limit) { return limit ? (size_t)(next_random(state) % limit) : 0; }

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

// ---- words and lines ----
static inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

typedef enum Class { ANY, NUMBER, NAME } Class;

// a word or number of the text at or after a random place
static inline void pick_token(uint64_t *chance, const Text *text, Class class, size_t *from, size_t *to) {
  size_t at = below(chance, text->length);
  while (at > 0 && is_word(text->bytes[at - 1])) {
    --at;
  }
  for (bool is_inside = false; at < text->length; ++at) {
    char c = text->bytes[at];
    if (!is_inside && is_word(c) && (class == ANY || (class == NUMBER) == is_digit(c))) {
      break;
    }
    is_inside = is_word(c);
  }
  *from = *to = at;
  while (*to < text->length && is_word(text->bytes[*to])) {
    ++*to;
  }
}

static inline void pick_line(uint64_t *chance, const Text *text, size_t *from, size_t *to) {
  *from = *to = below(chance, text->length);
  while (*from > 0 && text->bytes[*from - 1] != '\n') {
    --*from;
  }
  while (*to < text->length && text->bytes[*to] != '\n') {
    ++*to;
  }
  *to += *to < text->length;
}

// text[from .. to) becomes `piece`, which may be a part of the text; nothing happens if it would grow too long
static inline void replace(Text *text, size_t from, size_t to, const char *piece, size_t length) {
  static char copy[LONGEST];
  if (length > sizeof copy || text->length - (to - from) + length > LONGEST) {
    return;
  }
  memcpy(copy, piece, length);
  memmove(text->bytes + from + length, text->bytes + to, text->length - to);
  memcpy(text->bytes + from, copy, length);
  text->length = text->length - (to - from) + length;
}

static inline void replace_word(Text *text, size_t from, size_t to, const char *word) {
  replace(text, from, to, word, strlen(word));
}

// ---- the mutant that is being tried ----
static struct {
  const char *program;
  uint64_t seed, number;
} current;

static inline void tell_current(void) {
  char line[256];
  int length = snprintf(line, sizeof line, "\n%s: mutant %llu of seed %llu; see it: %s print %llu %llu\n",
                        current.program, (unsigned long long)current.number, (unsigned long long)current.seed,
                        current.program, (unsigned long long)current.seed, (unsigned long long)current.number);
  (void)!write(STDERR_FILENO, line, (size_t)length);
}

static inline void on_signal(int number) {
  tell_current();
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

// of the sanitizers' runtime; absent in other builds
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

#define HOLDS(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      tell_current();                                                                      \
      (void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)

// what ends the program tells the mutant first
static inline void watch(void) {
  if (__sanitizer_set_death_callback != NULL) {
    __sanitizer_set_death_callback(tell_current);
  } else {
    (void)signal(SIGSEGV, on_signal);
    (void)signal(SIGABRT, on_signal);
  }
  (void)signal(SIGALRM, on_signal);
}

static inline void ensure_message(const MbsContext *context, MbsStatus status) {
  const char *message = mbs_context_message(context);
  HOLDS(status == MBS_ERROR_INPUT || status == MBS_ERROR_NOT_OFFERED || status == MBS_ERROR_NUMERICAL ||
        status == MBS_ERROR_MEMORY);
  HOLDS(strlen(message) > 10);
  for (const char *c = message; *c; ++c) {
    HOLDS((unsigned char)*c >= 0x20);  // one line
  }
}

static inline double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
