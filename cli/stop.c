#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "outcome.h"

// The only mutable globals of the command: a signal handler can reach nothing else.
static volatile sig_atomic_t is_asked = 0, has_reports = 0;
static const char *volatile leftover = NULL;

enum { PATIENCE = 1 };  // s, until a run must have reported

void cli_stop_now(int exit_status) {
  if (leftover) {
    (void)unlink(leftover);
  }
  _exit(exit_status);
}

// Only what a handler may do: write, unlink, alarm, _exit.
static void stop(int signal_number) {
  int kept = errno;
  if (!is_asked && has_reports && signal_number != SIGALRM) {
    is_asked = 1;
    (void)alarm(PATIENCE);
    errno = kept;
    return;
  }
  static const char sentence[] = "mbsens: stopped, nothing written\n";
  if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) {
    // nobody to tell
  }
  cli_stop_now(cli_exit_status(MBS_ERROR_INTERRUPTED));
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

static void fill(sigset_t *set) {
  (void)sigemptyset(set);
  for (int i = 0; i < SIGNAL_COUNT; ++i) {
    (void)sigaddset(set, signals[i]);
  }
}

void cli_stop_catch_signals(void) {
  struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
  fill(&action.sa_mask);
  for (int i = 0; i < SIGNAL_COUNT; ++i) {
    struct sigaction inherited;
    // who started us with the signal ignored (nohup, a shell's background job) wants it ignored
    if (sigaction(signals[i], NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN) {
      (void)sigaction(signals[i], &action, NULL);
    }
  }
  (void)signal(SIGXFSZ, SIG_IGN);
}

bool cli_stop_is_asked(void) {
  has_reports = 1;
  return is_asked;
}

void cli_stop_expect_no_reports(void) {
  has_reports = 0;
  (void)alarm(0);
}

void cli_stop_remove(const char *path) { leftover = path; }

void cli_stop_hold(void) {
  sigset_t set;
  fill(&set);
  (void)sigprocmask(SIG_BLOCK, &set, NULL);
}

void cli_stop_release(void) {
  sigset_t set;
  fill(&set);
  (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}
