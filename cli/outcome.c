#include "outcome.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cli_exit_status(MbsStatus status) {
  static const int exit_statuses[] = {
#define EXIT_STATUS(name, text, exit_status) [MBS_##name] = (exit_status),
      MBS_STATUS_LIST(EXIT_STATUS)
#undef EXIT_STATUS
  };
  return exit_statuses[status];
}

int cli_fail(MbsStatus status, const char *format, ...) {
  (void)fputs("mbsens: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  (void)vfprintf(stderr, format, arguments);
  va_end(arguments);
  (void)fputc('\n', stderr);
  return cli_exit_status(status);
}

// "file:line:column: error: ...": two numbers between colons before the first ": error: "
static bool has_place(const char *message) {
  const char *c = strstr(message, ": error: ");
  for (int number = 0; c && number < 2; ++number) {
    const char *end = c;
    while (c > message && isdigit((unsigned char)c[-1])) {
      --c;
    }
    if (c == end || c == message || c[-1] != ':') {
      return false;
    }
    --c;
  }
  return c && c > message;
}

static int tell(MbsStatus status, const char *message) {
  if (has_place(message)) {
    (void)fprintf(stderr, "%s\n", message);
    return cli_exit_status(status);
  }
  static const char *const meanings[] = {
#define MEANING(name, text, exit_status) [MBS_##name] = (text),
      MBS_STATUS_LIST(MEANING)
#undef MEANING
  };
  return cli_fail(status, "%s", message[0] ? message : meanings[status]);
}

int cli_fail_library(const MbsContext *context, MbsStatus status) {
  int count = status == MBS_ERROR_INPUT ? mbs_context_error_count(context) : 1;
  for (int i = 0; i < count - 1; ++i) {
    (void)tell(status, mbs_context_error(context, i));
  }
  return tell(status, count > 1 ? mbs_context_error(context, count - 1) : mbs_context_message(context));
}

// a pipe that nobody reads any more
static bool reader_has_left(void) {
  struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&output, 1, 0) > 0 && (output.revents & POLLERR);
}

// what could not be written has been told once: the rest goes nowhere
static void drop_output(void) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)fflush(stdout);
  }
  if (nowhere >= 0 && nowhere != STDOUT_FILENO) {
    (void)close(nowhere);
  }
  clearerr(stdout);
}

int cli_finish_output(int exit_status) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) {
    return exit_status;
  }
  // a reader that has seen enough (mbsens list | head -1) knows why: no noise
  if (errno == EPIPE || (errno == 0 && reader_has_left())) {
    drop_output();
    return exit_status ? exit_status : cli_exit_status(MBS_ERROR_FILE);
  }
  int status = cli_fail(MBS_ERROR_FILE, "cannot write to standard output: %s",
                        errno ? strerror(errno) : "an earlier write failed");
  drop_output();
  return exit_status ? exit_status : status;
}
