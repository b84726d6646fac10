#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"

static const double shown_after = 1;       // s: short runs stay silent
static const double shown_interval = 0.1;  // s
enum { LINE_WIDTH = 70 };

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void show(CliProgress *progress, double time) {
  double elapsed = time - progress->start;
  char line[LINE_WIDTH + 1];
  if (progress->fraction > 0) {
    double remaining = elapsed * (1 - progress->fraction) / progress->fraction;
    (void)snprintf(line, sizeof line, "%s: %.0f %%, %.0f s left", progress->label, 100 * progress->fraction, remaining);
  } else {
    (void)snprintf(line, sizeof line, "%s: %.0f s", progress->label, elapsed);
  }
  (void)fprintf(stderr, "\r%-*s", LINE_WIDTH, line);
  (void)fflush(stderr);
  progress->is_shown = true;
  progress->last_shown = time;
}

static bool keep_going(void *user, double fraction) {
  CliProgress *progress = user;
  progress->fraction = fraction;
  if (cli_stop_is_asked()) {
    return false;
  }
  if (progress->is_wanted) {
    double time = now();
    if (time - progress->start >= shown_after && time - progress->last_shown >= shown_interval) {
      show(progress, time);
    }
  }
  return true;
}

void cli_progress_begin(CliProgress *progress, MbsContext *context, const char *label, bool is_quiet) {
  double time = now();
  *progress =
      (CliProgress){.label = label, .start = time, .last_shown = time, .is_wanted = !is_quiet && isatty(STDERR_FILENO)};
  mbs_context_on_progress(context, keep_going, progress);
}

void cli_progress_end(CliProgress *progress, MbsContext *context) {
  cli_stop_expect_no_reports();
  mbs_context_on_progress(context, NULL, NULL);
  if (progress->is_shown) {
    (void)fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
    (void)fflush(stderr);
    progress->is_shown = false;
  }
}
