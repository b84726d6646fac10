// mbsens sweep: a model with many sets of numbers; sweep/sweep.h has the plan, the threads, the journal and the file.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "json.h"
#include "memory.h"
#include "outcome.h"
#include "sweep/results.h"
#include "sweep/run.h"
#include "table.h"

enum { MOST_SHOWN = 50, MOST_FAILURES_TOLD = 10 };  // samples in a table, without -o; sentences
enum { PATH_ROOM = 4096 };

static int thread_count_of(const CliOptions *options, const CliRanks *ranks) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  long usual = ranks->count > 1 || cores < 1 ? 1 : cores;
  return (int)(options->threads > 0 ? options->threads : usual);
}

// ---- what is printed ----
static void tell_failures(CliJournal *journal, const CliSweep *sweep, CliSample *sample) {
  int told = 0;
  for (uint64_t i = 0; i < sweep->job.total && journal->failed > 0 && told < MOST_FAILURES_TOLD; ++i) {
    sample->index = i;
    if (cli_journal_read(journal, sample) == 0 && sample->status != MBS_OK) {
      ++told;
      (void)fprintf(stderr, "mbsens: %s %llu failed: %s\n", i < sweep->plan.count ? "sample" : "the mean, number",
                    (unsigned long long)i + 1, sample->message);
    }
  }
  if (journal->failed > MOST_FAILURES_TOLD) {
    (void)fprintf(stderr, "mbsens: %llu samples failed in all\n", (unsigned long long)journal->failed);
  }
}

static void print_samples(const CliSweep *sweep, CliJournal *journal, CliSample *sample) {
  int varied = sweep->plan.dimension;
  CliTable *table = cli_table_create(1 + varied + (int)sweep->job.width);
  double *numbers = cli_memory_take((size_t)varied, sizeof *numbers);
  char name[200];
  cli_table_text(table, "sample");
  for (int k = 0; k < varied; ++k) {
    cli_table_text(table, sweep->varied[k]);
  }
  for (int i = 0; i < sweep->objective_count; ++i) {
    cli_table_text(table, sweep->objectives[i]);
  }
  for (int i = 0; i < sweep->objective_count * sweep->wrt_count; ++i) {
    (void)snprintf(name, sizeof name, "d(%s)/d(%s)", sweep->objectives[i / sweep->wrt_count],
                   sweep->wrt[i % sweep->wrt_count]);
    cli_table_text(table, name);
  }
  for (uint64_t i = 0; i < sweep->plan.count; ++i) {
    sample->index = i;
    cli_sweep_numbers(sweep, i, numbers);
    if (cli_journal_read(journal, sample) != 0) {
      break;
    }
    cli_table_integer(table, (long)i + 1);
    for (int k = 0; k < varied; ++k) {
      cli_table_number(table, numbers[k]);
    }
    for (size_t k = 0; k < sweep->job.width; ++k) {
      if (sample->status == MBS_OK) {
        cli_table_number(table, sample->numbers[k]);
      } else {
        cli_table_blank(table);
      }
    }
  }
  free(numbers);
  cli_table_print(table, stdout);
}

static void print_words(const CliSweep *sweep, CliJournal *journal, const CliStatistics *statistics,
                        const CliJobTimes *times, CliSample *sample) {
  const CliOptions *options = sweep->job.session->options;
  const MbsPlan *plan = &sweep->plan;
  if (!options->is_quiet) {
    (void)printf("%s: %llu samples, plan %s", mbs_record_text(&sweep->model->root, MBS_MODEL_NAME).text,
                 (unsigned long long)plan->count, mbs_plan_names[plan->kind]);
    if (mbs_plan_is_random(plan)) {
      (void)printf(", seed %llu", (unsigned long long)plan->seed);
    }
    (void)printf("; %llu failed\n\n", (unsigned long long)journal->failed);
  }
  if (!options->output && plan->count <= MOST_SHOWN) {
    print_samples(sweep, journal, sample);
  }
  cli_statistics_print(statistics, sweep);
  if (!options->is_quiet) {
    (void)printf("%llu runs in %.3g s", (unsigned long long)times->computed, times->elapsed);
    if (times->found > 0) {
      (void)printf(", and %llu were there already", (unsigned long long)times->found);
    }
    (void)printf("\n");
    if (options->output) {
      (void)printf("results: %s\n", sweep->job.session->output.path);
    }
  }
}

static void put_samples(CliJson *json, const CliSweep *sweep, CliJournal *journal, CliSample *sample) {
  double *numbers = cli_memory_take((size_t)sweep->plan.dimension, sizeof *numbers);
  cli_json_open_array(json, "samples");
  for (uint64_t i = 0; i < sweep->plan.count; ++i) {
    sample->index = i;
    cli_sweep_numbers(sweep, i, numbers);
    if (cli_journal_read(journal, sample) != 0) {
      break;
    }
    cli_json_open_object(json, NULL);
    cli_json_map(json, "parameters", sweep->plan.dimension, sweep->varied, numbers);
    cli_json_open_object(json, "objectives");
    for (int o = 0; o < sweep->objective_count; ++o) {
      const double *gradient = sample->numbers + sweep->objective_count + o * sweep->wrt_count;
      cli_json_open_object(json, sweep->objectives[o]);
      cli_json_number(json, "value", sample->numbers[o]);
      if (sweep->has_gradient) {
        cli_json_map(json, "gradient", sweep->wrt_count, sweep->wrt, gradient);
      }
      cli_json_close(json);
    }
    cli_json_close(json);
    if (sample->status != MBS_OK) {
      cli_json_text(json, "failure", sample->message);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
  free(numbers);
}

static void print_json(const CliSweep *sweep, CliJournal *journal, const CliStatistics *statistics,
                       const CliJobTimes *times, CliSample *sample) {
  const MbsPlan *plan = &sweep->plan;
  CliJson json = cli_json_begin(stdout);
  cli_json_text(&json, "model", mbs_record_text(&sweep->model->root, MBS_MODEL_NAME).text);
  cli_json_text(&json, "plan", mbs_plan_names[plan->kind]);
  cli_json_integer(&json, "count", (long)plan->count);
  if (mbs_plan_is_random(plan)) {
    cli_json_integer(&json, "seed", (long)plan->seed);
  }
  cli_json_integer(&json, "failed", (long)journal->failed);
  if (!sweep->job.session->options->output) {
    put_samples(&json, sweep, journal, sample);
  }
  cli_statistics_put(statistics, sweep, &json);
  cli_json_integer(&json, "computed", (long)times->computed);
  cli_json_number(&json, "seconds", times->elapsed);
  cli_json_end(&json);
}

// ---- the work ----
// what cannot be written is known before the first run; the file itself is written when all is there
static int check_output(const char *path) {
  CliOutputFile output;
  int exit_status = cli_output_open(&output, path);
  cli_output_close(&output);
  return exit_status;
}

static int open_journal(CliJournal *journal, const CliSweep *sweep) {
  const CliOptions *options = sweep->job.session->options;
  const char *path = options->output ? mbs_arena_print(sweep->arena, "%s.journal", options->output) : NULL;
  int exit_status = options->output ? check_output(options->output) : 0;
  if (!exit_status && options->output && !path) {
    cli_memory_is_out();
  }
  exit_status = exit_status ? exit_status : cli_journal_open(journal, &sweep->job, path);
  if (!exit_status && journal->done + journal->dropped > 0 && !options->is_quiet) {
    (void)fprintf(stderr, "mbsens: %s has %llu of %llu samples: going on\n", journal->path,
                  (unsigned long long)journal->done, (unsigned long long)sweep->job.total);
  }
  return exit_status;
}

static int finish(CliSweep *sweep, CliJournal *journal, const CliJobTimes *times) {
  CliSession *session = sweep->job.session;
  const CliOptions *options = session->options;
  CliSample sample = {.numbers = cli_memory_take(sweep->job.width, sizeof(double))};
  CliStatistics statistics;
  int exit_status = cli_statistics_find(&statistics, sweep, journal);
  if (!exit_status && options->output) {
    exit_status = cli_output_open(&session->output, options->output);
    exit_status = exit_status ? exit_status : cli_sweep_write(sweep, journal, &statistics, &session->output);
  }
  if (!exit_status) {
    tell_failures(journal, sweep, &sample);
    if (options->is_json) {
      print_json(sweep, journal, &statistics, times, &sample);
    } else {
      print_words(sweep, journal, &statistics, times, &sample);
    }
    exit_status = cli_session_commit(session);
  }
  cli_statistics_free(&statistics);
  free(sample.numbers);
  if (!exit_status && options->output) {
    cli_journal_remove(journal);
  }
  return exit_status;
}

static int stopped(const CliJournal *journal) {
  char where[PATH_ROOM] = "nothing written";
  if (journal->path) {
    (void)snprintf(where, sizeof where, "which are in %s: the same command goes on", journal->path);
  }
  return cli_fail(MBS_ERROR_INTERRUPTED, "stopped after %llu of %llu samples, %s", (unsigned long long)journal->done,
                  (unsigned long long)journal->total, where);
}

static int sweep_as_first(CliSweep *sweep, CliRanks *ranks) {
  CliJournal journal = {.file = -1};
  CliJobTimes times;
  int exit_status = open_journal(&journal, sweep);
  exit_status = exit_status ? exit_status
                            : cli_job_run(&sweep->job, &journal, ranks,
                                          thread_count_of(sweep->job.session->options, ranks), &times);
  exit_status = !exit_status && times.is_stopped ? stopped(&journal) : exit_status;
  if (!exit_status && journal.failed == sweep->job.total) {
    CliSample sample = {.numbers = cli_memory_take(sweep->job.width, sizeof(double))};
    exit_status = cli_journal_read(&journal, &sample);
    exit_status =
        exit_status ? exit_status : cli_fail(MBS_ERROR_NUMERICAL, "every sample failed, the first: %s", sample.message);
    free(sample.numbers);
    cli_journal_remove(&journal);
  }
  exit_status = exit_status ? exit_status : finish(sweep, &journal, &times);
  cli_journal_close(&journal);
  if (exit_status && ranks->count > 1) {
    (void)cli_finish_output(exit_status);
    cli_ranks_abort(ranks, exit_status);
  }
  return exit_status;
}

int cli_run_sweep(const CliOptions *options) {
  CliSession session = {0};
  CliSweep sweep = {0};
  CliRanks ranks;
  int exit_status = cli_ranks_begin(&ranks);
  if (!exit_status) {
    exit_status = cli_session_open(&session, options);
    exit_status = exit_status ? exit_status : cli_sweep_open(&sweep, &session);
    exit_status = cli_ranks_agree(&ranks, exit_status, sweep.job.signature);
  }
  if (!exit_status && ranks.rank == 0) {
    exit_status = sweep_as_first(&sweep, &ranks);
  } else if (!exit_status) {
    exit_status = cli_ranks_work(&ranks, &sweep.job, thread_count_of(options, &ranks));
  }
  if (session.context) {
    cli_sweep_close(&sweep);
    cli_session_close(&session);
  }
  cli_ranks_end(&ranks);
  return exit_status;
}
