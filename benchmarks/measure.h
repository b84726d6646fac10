// What benchmarks share: a clock, the machine's instruction counter where it offers one, tables.
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sensitivities/request.h"
#endif

static inline double measure_now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// time of the processor for this process, which other processes take less part in
static inline double measure_processor(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline void measure_keep_least(double *least, double value) {
  if (!(*least > 0) || value < *least) {
    *least = value;
  }
}

// ---- instructions of this process outside the kernel; virtual machines often do not offer them ----
// file descriptor of the counter, or -1
static inline int measure_counter_open(void) {
#ifdef __linux__
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
#else
  return -1;
#endif
}

static inline double measure_counter_read(int counter) {
#ifdef __linux__
  uint64_t count = 0;
  if (counter >= 0 && read(counter, &count, sizeof count) == (ssize_t)sizeof count) {
    return (double)count;
  }
#endif
  (void)counter;
  return 0;
}

// ---- tables: aligned text, or Markdown ----
typedef struct MeasureTable {
  bool is_markdown;
  int column_count;
  const int *widths;  // negative: to the left
} MeasureTable;

static inline void measure_row(const MeasureTable *table, const char *const *cells) {
  for (int i = 0; i < table->column_count; ++i) {
    printf("%s%*s", table->is_markdown ? "| " : "  ", table->widths[i], cells[i]);
    printf("%s", table->is_markdown ? " " : "");
  }
  printf("%s\n", table->is_markdown ? "|" : "");
}

static inline void measure_title(const MeasureTable *table, const char *title, const char *const *heads) {
  printf("\n%s%s\n\n", title, table->is_markdown ? ":" : "");
  measure_row(table, heads);
  for (int i = 0; i < table->column_count && table->is_markdown; ++i) {
    printf("%s", table->widths[i] < 0 ? "|---" : "|---:");
  }
  printf("%s", table->is_markdown ? "|\n" : "");
}

enum { MEASURE_CELL = 48 };
// writes a number into cell `i` of a row
static inline void measure_put(char (*cells)[MEASURE_CELL], int i, const char *format, double value) {
  (void)snprintf(cells[i], MEASURE_CELL, format, value);
}

#endif
