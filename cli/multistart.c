#include "multistart.h"

#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/context.h"
#include "memory.h"
#include "outcome.h"
#include "sweep/run.h"

// ---- a worker ----
typedef struct Searcher {
  const CliMultistart *many;
  MbsArena *arena;
  MbsStarts starts;
  MbsStartEnd end;
} Searcher;

static MbsStatus create(MbsContext *context, const void *user, void **worker) {
  const CliMultistart *many = user;
  const CliSession *session = many->job.session;
  Searcher *searcher = cli_memory_take(1, sizeof *searcher);
  *worker = searcher;
  searcher->many = many;
  searcher->arena = mbs_arena_create_for(context);
  if (!searcher->arena) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MBS_TRY(
      mbs_starts_create(context, searcher->arena, session->model, session->request, &many->options, &searcher->starts));
  return mbs_starts_end_create(context, &searcher->starts, &searcher->end);
}

static void destroy(void *worker) {
  Searcher *searcher = worker;
  if (searcher) {
    mbs_starts_destroy(&searcher->starts);
    mbs_arena_destroy(searcher->arena);
    free(searcher);
  }
}

static MbsStatus compute(MbsContext *context, void *worker, CliSample *sample) {
  Searcher *searcher = worker;
  MbsStatus status = mbs_starts_search(context, &searcher->starts, (int)sample->index, &searcher->end);
  if (status == MBS_OK && searcher->end.end == MBS_SEARCH_INTERRUPTED) {
    return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped");  // half of a search is none
  }
  if (status != MBS_OK) {
    return cli_sample_fail(context, &searcher->many->job, status, sample);
  }
  mbs_starts_pack(&searcher->starts, &searcher->end, sample->numbers);
  sample->message[0] = '\0';
  sample->status = MBS_OK;
  return MBS_OK;
}

// ---- all of them ----
static MbsStatus sign(CliMultistart *many) {
  const MbsDesignProblem *problem = &many->starts.problem;
  uint64_t sum, problem_sum = mbs_journal_signature(problem);
  MBS_TRY(cli_job_sign(many->job.session, &problem->request, &sum));
  many->job.signature = mbs_checksum(sum, &problem_sum, sizeof problem_sum);
  return MBS_OK;
}

int cli_multistart_open(CliMultistart *many, CliSession *session, const MbsOptimizeOptions *options) {
  MbsContext *context = session->context;
  *many =
      (CliMultistart){.options = {.is_maximized = options->is_maximized, .is_method_fixed = options->is_method_fixed},
                      .arena = mbs_arena_create_for(context),
                      .journal = {.file = -1}};
  if (!many->arena) {
    cli_memory_is_out();
  }
  MbsStatus status =
      mbs_starts_create(context, many->arena, session->model, session->request, &many->options, &many->starts);
  if (status != MBS_OK) {
    return cli_fail_library(context, status);
  }
  many->job = (CliJob){.session = session,
                       .name = "search",
                       .parts = "starts",
                       .rate = "starts",
                       .total = (uint64_t)many->starts.problem.design.starts,
                       .width = mbs_starts_width(&many->starts),
                       .user = many,
                       .create = create,
                       .destroy = destroy,
                       .compute = compute};
  if (many->job.total == 1) {
    return cli_fail(
        MBS_ERROR_NOT_OFFERED,
        "several threads or processes search from several starts: give --starts, and the parameters bounds");
  }
  status = sign(many);
  return status == MBS_OK ? 0 : cli_fail_library(context, status);
}

int cli_multistart_run(CliMultistart *many, CliRanks *ranks, int thread_count, const char *state) {
  CliJobTimes times;
  const CliOptions *options = many->job.session->options;
  many->sample.numbers = cli_memory_take(many->job.width, sizeof(double));
  int exit_status = cli_journal_open(&many->journal, &many->job, state);
  if (!exit_status && many->journal.done > 0 && !options->is_quiet) {
    (void)fprintf(stderr, "mbsens: %s has %llu of %llu starts: going on\n", state,
                  (unsigned long long)many->journal.done, (unsigned long long)many->job.total);
  }
  return exit_status ? exit_status : cli_job_run(&many->job, &many->journal, ranks, thread_count, &times);
}

MbsStatus cli_multistart_find(MbsContext *context, void *user, int start, const double **row) {
  CliMultistart *many = user;
  many->sample.index = (uint64_t)start;
  if (!cli_journal_has(&many->journal, many->sample.index)) {
    return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped");
  }
  if (cli_journal_read(&many->journal, &many->sample) != 0) {
    return mbs_fail(context, MBS_ERROR_FILE, mbs_nowhere, "cannot read what was computed");
  }
  *row = many->sample.numbers;
  MbsStatus status = (MbsStatus)many->sample.status;
  return status == MBS_OK ? MBS_OK : mbs_fail(context, status, mbs_nowhere, "%s", many->sample.message);
}

void cli_multistart_close(CliMultistart *many) {
  cli_journal_close(&many->journal);
  mbs_starts_destroy(&many->starts);
  mbs_arena_destroy(many->arena);
  free(many->sample.numbers);
}
