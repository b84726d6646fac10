#include "run.h"

#include "base/context.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/stop.h"

static const double pause_alone = 0.05, pause_with_ranks = 0.002;  // s, until the main thread looks again
static const double ahead = 0.2;                                   // s of work that wait for a crew

// tasks in, as many as the crew does soon; others may want the rest
static void give(const CliJob *job, const CliJournal *journal, CliCrew *crew, int thread_count, double rate,
                 uint64_t *next) {
  uint64_t wanted = 2 * (uint64_t)thread_count + (uint64_t)(ahead * rate), waiting = cli_crew_waiting(crew);
  uint64_t room = cli_crew_room(crew);
  for (; *next < job->total && waiting < wanted && room > 0; ++*next) {
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

int cli_job_run(const CliJob *job, CliJournal *journal, CliRanks *ranks, int thread_count, CliJobTimes *times) {
  MbsContext *context = job->session->context;
  CliProgress *progress = &job->session->progress;
  double start = cli_seconds();
  uint64_t next = 0, taken = 0;
  int exit_status = 0;
  *times = (CliJobTimes){.found = journal->done};
  cli_progress_begin(progress, context, job->name, job->session->options->is_quiet);
  progress->total = (double)job->total;
  progress->from = (double)journal->done / progress->total;
  progress->unit = job->rate;
  CliCrew *crew = cli_crew_create(job, thread_count);
  while (!exit_status && (journal->done < job->total || ranks->working > 0)) {
    bool did = false;
    double elapsed = cli_seconds() - start;
    give(job, journal, crew, thread_count, elapsed > 0 ? (double)taken / elapsed : 0, &next);
    exit_status = cli_ranks_serve(ranks, journal, &next, &did);
    exit_status = exit_status ? exit_status : take(journal, crew, &taken);
    MbsStatus status = cli_crew_status(crew, context);
    if (!exit_status && status != MBS_OK) {
      exit_status = cli_fail_library(context, status);
    }
    times->is_stopped = !context->keep_going(context->user, (double)journal->done / (double)job->total);
    if (times->is_stopped || exit_status) {
      break;
    }
    if (!did && journal->done < job->total) {
      cli_crew_wait(crew, ranks->count > 1 ? pause_with_ranks : pause_alone);
    }
  }
  cli_progress_end(progress, context);
  cli_crew_destroy(crew);
  times->elapsed = cli_seconds() - start;
  times->computed = journal->done - times->found;
  int flushed = cli_journal_flush(journal, true);
  return exit_status ? exit_status : flushed;
}
