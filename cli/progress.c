#include "progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"

static const double shown_after = 1;       // s: what lasts
static const double shortest_shown = 2;    // s or more
static const double shown_interval = 0.1;  // s
enum { BAR = 20, LINE_ROOM = 200 };

static double read_clock(clockid_t id) {
  struct timespec time;
  (void)clock_gettime(id, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double cli_seconds(void) { return read_clock(CLOCK_MONOTONIC); }

double cli_processor_seconds(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

// 1 min 40 s: as exact as anybody wants to know
static void write_time(double seconds, char text[40]) {
  long s = (long)(seconds + 0.5);
  if (s < 60) {
    (void)snprintf(text, 40, "%ld s", s);
  } else if (s < 3600) {
    (void)snprintf(text, 40, "%ld min %ld s", s / 60, s % 60);
  } else {
    (void)snprintf(text, 40, "%ld h %ld min", s / 3600, s % 3600 / 60);
  }
}

static double fraction_of(const CliProgress *progress) {
  return (progress->part + progress->fraction) / progress->parts;
}

static void write_line(const CliProgress *progress, double elapsed, char *line, size_t room) {
  double fraction = fraction_of(progress);
  char bar[BAR + 1], left[40];
  if (progress->is_open || !(fraction > progress->from)) {
    write_time(elapsed, left);
    (void)snprintf(line, room, "%s: %s", progress->label, left);
    return;
  }
  for (int i = 0; i < BAR; ++i) {
    bar[i] = i < (int)(fraction * BAR) ? '#' : '-';
  }
  bar[BAR] = '\0';
  double done = fraction - progress->from;
  write_time(elapsed * (1 - fraction) / done, left);
  (void)snprintf(line, room, "%s: [%s] %3.0f %%, %.3g %s/s, %s left", progress->label, bar, 100 * fraction,
                 done * (progress->total > 0 ? progress->total : 100) / elapsed,
                 progress->total > 0 ? progress->unit : "%", left);
}

// what a line of the terminal holds: one that is longer would break, and not be cleared
static int line_width(void) {
  struct winsize size;
  int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 70;
  return width < LINE_ROOM - 1 ? width : LINE_ROOM - 1;
}

static void show(CliProgress *progress, double time) {
  char line[LINE_ROOM];
  int width = line_width();
  write_line(progress, time - progress->start, line, sizeof line);
  (void)fprintf(stderr, "\r%-*.*s", width, width, line);
  (void)fflush(stderr);
  progress->is_shown = true;
  progress->last_shown = time;
}

// will it last so long that somebody wants to know?
static bool is_long(const CliProgress *progress, double elapsed) {
  double fraction = progress->is_open ? 0 : fraction_of(progress);
  return elapsed >= shortest_shown || (elapsed >= shown_after && fraction > progress->from &&
                                       elapsed * (1 - progress->from) >= shortest_shown * (fraction - progress->from));
}

static bool keep_going(void *user, double fraction) {
  CliProgress *progress = user;
  progress->fraction = fraction;
  if (cli_stop_is_asked()) {
    return false;
  }
  if (progress->is_wanted) {
    double time = cli_seconds();
    if (is_long(progress, time - progress->start) && time - progress->last_shown >= shown_interval) {
      show(progress, time);
    }
  }
  return true;
}

void cli_progress_begin_part(CliProgress *progress, MbsContext *context, const char *label, bool is_quiet, int part,
                             int parts) {
  double time = cli_seconds(), start = part > 0 ? progress->start : time;
  *progress = (CliProgress){.label = label,
                            .part = part,
                            .parts = parts,
                            .start = start,
                            .last_shown = part > 0 ? progress->last_shown : time,
                            .is_wanted = !is_quiet && isatty(STDERR_FILENO)};
  mbs_context_on_progress(context, keep_going, progress);
}

void cli_progress_begin(CliProgress *progress, MbsContext *context, const char *label, bool is_quiet) {
  cli_progress_begin_part(progress, context, label, is_quiet, 0, 1);
}

void cli_progress_end(CliProgress *progress, MbsContext *context) {
  cli_stop_expect_no_reports();
  mbs_context_on_progress(context, NULL, NULL);
  if (progress->is_shown) {
    (void)fprintf(stderr, "\r%*s\r", line_width(), "");
    (void)fflush(stderr);
    progress->is_shown = false;
  }
}
