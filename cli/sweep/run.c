#include "run.h"

#include <time.h>

#include "base/context.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/stop.h"

static const double pause_alone = 0.05, pause_with_ranks = 0.002;  // s, until the main thread looks again
static const double ahead = 0.2;                                   // s of work that wait for a crew

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// tasks in, as many as the crew does soon; others may want the rest
static void give(const CliSweep *sweep, const CliJournal *journal, CliCrew *crew, int thread_count, double rate,
                 uint64_t *next) {
  uint64_t wanted = 2 * (uint64_t)thread_count + (uint64_t)(ahead * rate), waiting = cli_crew_waiting(crew);
  uint64_t room = cli_crew_room(crew);
  for (; *next < sweep->total && waiting < wanted && room > 0; ++*next) {
    if (!cli_journal_has(journal, *next)) {
      cli_crew_give(crew, *next);
      ++waiting;
      --room;
    }
  }
}

static int take(CliJournal *journal, CliCrew *crew, uint64_t *taken) {
  int exit_status = 0;
  for (CliSample *sample; !exit_status && (sample = cli_crew_take(crew)); ++*taken) {
    exit_status = cli_journal_add(journal, sample);
    cli_crew_give_back(crew, sample);
  }
  return exit_status ? exit_status : cli_journal_flush(journal, false);
}

static int stopped(const CliSweep *sweep, const CliJournal *journal) {
  if (!journal->path) {
    return cli_fail(MBS_ERROR_INTERRUPTED, "stopped after %llu of %llu samples, nothing written",
                    (unsigned long long)journal->done, (unsigned long long)sweep->total);
  }
  return cli_fail(MBS_ERROR_INTERRUPTED,
                  "stopped after %llu of %llu samples, which are in %s: the same command goes on",
                  (unsigned long long)journal->done, (unsigned long long)sweep->total, journal->path);
}

int cli_sweep_run(const CliSweep *sweep, CliJournal *journal, CliRanks *ranks, int thread_count, CliSweepTimes *times) {
  MbsContext *context = sweep->session->context;
  CliProgress *progress = &sweep->session->progress;
  double start = now();
  uint64_t next = 0, taken = 0;
  int exit_status = 0;
  *times = (CliSweepTimes){.found = journal->done};
  cli_progress_begin(progress, context, "sweep", sweep->session->options->is_quiet);
  progress->total = (double)sweep->total;
  progress->from = (double)journal->done / progress->total;
  progress->unit = "runs";
  CliCrew *crew = cli_crew_create(sweep, thread_count);
  bool is_stopped = false;
  while (!exit_status && (journal->done < sweep->total || ranks->working > 0)) {
    bool did = false;
    double elapsed = now() - start;
    give(sweep, journal, crew, thread_count, elapsed > 0 ? (double)taken / elapsed : 0, &next);
    exit_status = cli_ranks_serve(ranks, journal, &next, &did);
    exit_status = exit_status ? exit_status : take(journal, crew, &taken);
    MbsStatus status = cli_crew_status(crew, context);
    if (!exit_status && status != MBS_OK) {
      exit_status = cli_fail_library(context, status);
    }
    is_stopped = !context->keep_going(context->user, (double)journal->done / (double)sweep->total);
    if (is_stopped || exit_status) {
      break;
    }
    if (!did && journal->done < sweep->total) {
      cli_crew_wait(crew, ranks->count > 1 ? pause_with_ranks : pause_alone);
    }
  }
  cli_progress_end(progress, context);
  cli_crew_destroy(crew);
  times->elapsed = now() - start;
  times->computed = journal->done - times->found;
  int flushed = cli_journal_flush(journal, true);
  exit_status = exit_status ? exit_status : flushed;
  return exit_status ? exit_status : is_stopped ? stopped(sweep, journal) : 0;
}
