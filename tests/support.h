// What the numerical tests share: reading models, listing model files, random numbers that are the same everywhere.
#ifndef MBS_SUPPORT_H
#define MBS_SUPPORT_H

#include <glob.h>
#include <mbsens/mbsens.h>
#include <stdint.h>

#include "ensure.h"
#include "sensitivities/request.h"

// fails the test with the library's own message
#define ENSURE_OK(context, call)                                                                         \
  do {                                                                                                   \
    if ((call) != MBS_OK) {                                                                              \
      (void)fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, mbs_context_message(context)); \
      exit(1);                                                                                           \
    }                                                                                                    \
  } while (0)

static inline MbsModel *read_model(MbsContext *context, const char *path) {
  MbsModel *model = NULL;
  ENSURE_OK(context, mbs_model_read_file(context, path, &model));
  return model;
}

// The same, and pushed where it rests: models with a parameter `push` have no motion to compare without.
static inline MbsModel *read_moving_model(MbsContext *context, const char *path) {
  MbsModel *model = read_model(context, path);
  (void)mbs_model_set(context, model, "push", "0.1");
  return model;
}

static inline MbsModel *read_text(MbsContext *context, const char *name, const char *text) {
  MbsModel *model = NULL;
  ENSURE_OK(context, mbs_model_read_text(context, text, strlen(text), name, &model));
  return model;
}

// Under the sanitizers, where runs take many times as long, the longest tests look at every N-th of their models alone
// (MBS_SHARE=N, set in CMakePresets.json); 1 elsewhere.
static inline int share_of_models(void) {
  const char *share = getenv("MBS_SHARE");
  int every = share ? atoi(share) : 1;
  return every > 1 ? every : 1;
}

static inline int for_every(int step, const char *pattern, void (*visit)(const char *path, void *user), void *user) {
  glob_t found;
  int count = 0;
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i += (size_t)step) {
      visit(found.gl_pathv[i], user);
      count += 1;
    }
    globfree(&found);
  }
  return count;
}

// Calls `visit` for every file that matches, in order of name; returns how many there were.
static inline int for_each_file(const char *pattern, void (*visit)(const char *path, void *user), void *user) {
  return for_every(1, pattern, visit, user);
}

// The same for every N-th file, N = share_of_models().
static inline int for_a_share_of_files(const char *pattern, void (*visit)(const char *path, void *user), void *user) {
  return for_every(share_of_models(), pattern, visit, user);
}

// uniform in [-1, 1): a 64-bit linear congruential generator (Knuth's constants), upper bits
static inline double random_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005U + 1442695040888963407U;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static inline double *zeros(int count) {
  double *values = calloc((size_t)count + 1, sizeof *values);
  ENSURE(values);
  return values;
}

static inline double largest_of(int count, const double *values) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    largest = fmax(largest, fabs(values[i]));
  }
  return largest;
}

#endif
