// Plain checks for the tests: a failed one prints its place and the numbers and ends the test with 1.
#ifndef MBS_ENSURE_H
#define MBS_ENSURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENSURE(condition)                                                                  \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      (void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)

// |value - expected| <= tolerance (absolute); NaN fails
#define ENSURE_NEAR(value, expected, tolerance)                                                                  \
  do {                                                                                                           \
    double value_ = (value), expected_ = (expected), tolerance_ = (tolerance);                                   \
    if (!(fabs(value_ - expected_) <= tolerance_)) {                                                             \
      (void)fprintf(stderr, "%s:%d: %s = %.17g, expected %.17g within %.3g (off by %.3g)\n", __FILE__, __LINE__, \
                    #value, value_, expected_, tolerance_, value_ - expected_);                                  \
      exit(1);                                                                                                   \
    }                                                                                                            \
  } while (0)

#define ENSURE_TEXT(value, expected)                                                              \
  do {                                                                                            \
    const char *value_ = (value), *expected_ = (expected);                                        \
    if (!value_ || strcmp(value_, expected_) != 0) {                                              \
      (void)fprintf(stderr, "%s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, #value, \
                    value_ ? value_ : "(null)", expected_);                                       \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

// `text` contains `part`
#define ENSURE_CONTAINS(text, part)                                                            \
  do {                                                                                         \
    const char *text_ = (text), *part_ = (part);                                               \
    if (!strstr(text_, part_)) {                                                               \
      (void)fprintf(stderr, "%s:%d: no \"%s\" in \"%s\"\n", __FILE__, __LINE__, part_, text_); \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)

#endif
