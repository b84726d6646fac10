#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/memory.h"
#include "cli/outcome.h"

enum { MOST_FAILURES = 1000 };  // with their sentences

// One sample after another, with room for one.
typedef struct Reader {
  const CliSweep *sweep;
  CliJournal *journal;
  CliSample sample;
  double *numbers;  // that it was computed with
} Reader;

static Reader begin(const CliSweep *sweep, CliJournal *journal) {
  Reader reader = {.sweep = sweep, .journal = journal};
  reader.sample.numbers = cli_memory_take(sweep->job.width, sizeof(double));
  reader.numbers = cli_memory_take((size_t)sweep->plan.dimension, sizeof(double));
  return reader;
}

static int read_sample(Reader *reader, uint64_t index) {
  reader->sample.index = index;
  cli_sweep_numbers(reader->sweep, index, reader->numbers);
  return cli_journal_read(reader->journal, &reader->sample);
}

static void end(Reader *reader) {
  free(reader->sample.numbers);
  free(reader->numbers);
}

// ---- comma-separated values ----
static int write_csv(Reader *reader, CliOutputFile *output) {
  const CliSweep *sweep = reader->sweep;
  int varied = sweep->plan.dimension, columns = 1 + varied + (int)sweep->job.width, exit_status = 0;
  const char **names = cli_memory_take((size_t)columns, sizeof *names);
  double *row = cli_memory_take((size_t)columns, sizeof *row);
  int at = 1 + varied + sweep->objective_count;
  names[0] = "sample";
  for (int k = 0; k < varied; ++k) {
    names[1 + k] = sweep->varied[k];
  }
  for (int i = 0; i < sweep->objective_count; ++i) {
    names[1 + varied + i] = sweep->objectives[i];
    for (int k = 0; k < sweep->wrt_count; ++k) {
      names[at] = mbs_arena_print(sweep->arena, "d(%s)/d(%s)", sweep->objectives[i], sweep->wrt[k]);
      names[at] = names[at] ? names[at] : "";
      ++at;
    }
  }
  CliCsv csv;
  cli_csv_begin(&csv, output);
  MbsStatus status = csv.recorder.begin(&csv, columns, names);
  for (uint64_t i = 0; i < sweep->plan.count && status == MBS_OK && !exit_status; ++i) {
    exit_status = read_sample(reader, i);
    row[0] = (double)i + 1;
    memcpy(row + 1, reader->numbers, (size_t)varied * sizeof *row);
    memcpy(row + 1 + varied, reader->sample.numbers, sweep->job.width * sizeof *row);
    status = csv.recorder.row(&csv, row);
  }
  cli_csv_free(&csv);
  free(row);
  free(names);
  return exit_status ? exit_status : status == MBS_OK ? 0 : cli_output_fail(output);
}

// ---- HDF5 ----
typedef struct Series {
  CliHdf5Series varied, values, gradient, failed;
} Series;

static void put_names(CliHdf5 *hdf5, const CliSweep *sweep) {
  cli_hdf5_group(hdf5, "/varied");
  cli_hdf5_texts(hdf5, "/varied/name", sweep->plan.dimension, sweep->varied);
  cli_hdf5_texts(hdf5, "/varied/distribution", sweep->plan.dimension, sweep->texts);
  cli_hdf5_group(hdf5, "/objectives");
  cli_hdf5_texts(hdf5, "/objectives/name", sweep->objective_count, sweep->objectives);
  if (sweep->has_gradient) {
    cli_hdf5_group(hdf5, "/parameters");
    cli_hdf5_texts(hdf5, "/parameters/name", sweep->wrt_count, sweep->wrt);
  }
}

static Series begin_series(CliHdf5 *hdf5, const CliSweep *sweep) {
  Series series = {0};
  const size_t varied = (size_t)sweep->plan.dimension;
  const size_t gradient[] = {(size_t)sweep->objective_count, (size_t)sweep->wrt_count};
  cli_hdf5_series_begin(&series.varied, hdf5, "/varied/value", 1, &varied);
  cli_hdf5_series_begin(&series.values, hdf5, "/objectives/value", 1, gradient);
  cli_hdf5_series_begin(&series.failed, hdf5, "/failed", 0, NULL);
  if (sweep->has_gradient) {
    cli_hdf5_series_begin(&series.gradient, hdf5, "/objectives/gradient", 2, gradient);
  }
  return series;
}

static void put_row(CliHdf5Series *series, const double *numbers) {
  memcpy(cli_hdf5_series_row(series), numbers, series->width * sizeof *numbers);
  cli_hdf5_series_next(series);
}

static int write_samples(Reader *reader, CliHdf5 *hdf5, char **messages, double *failures) {
  const CliSweep *sweep = reader->sweep;
  Series series = begin_series(hdf5, sweep);
  int exit_status = 0, failure_count = 0;
  for (uint64_t i = 0; i < sweep->plan.count && !exit_status; ++i) {
    exit_status = read_sample(reader, i);
    const CliSample *sample = &reader->sample;
    double failed = sample->status != MBS_OK;
    put_row(&series.varied, reader->numbers);
    put_row(&series.values, sample->numbers);
    put_row(&series.failed, &failed);
    if (sweep->has_gradient) {
      put_row(&series.gradient, sample->numbers + sweep->objective_count);
    }
    if (failed != 0 && failure_count < MOST_FAILURES) {
      failures[failure_count] = (double)i + 1;
      messages[failure_count++] = cli_memory_copy_text(sample->message, strlen(sample->message));
    }
  }
  cli_hdf5_series_end(&series.varied);
  cli_hdf5_series_end(&series.values);
  cli_hdf5_series_end(&series.failed);
  cli_hdf5_series_end(&series.gradient);
  return exit_status;
}

static void put_failures(CliHdf5 *hdf5, char **messages, const double *failures) {
  size_t count = 0;
  while (count < MOST_FAILURES && messages[count]) {
    ++count;
  }
  cli_hdf5_group(hdf5, "/failures");
  cli_hdf5_array(hdf5, "/failures/sample", 1, &count, failures);
  cli_hdf5_texts(hdf5, "/failures/message", (int)count, (const char *const *)messages);
}

static void put_attributes(CliHdf5 *hdf5, const CliSweep *sweep, const CliJournal *journal) {
  const MbsSettings *settings = &sweep->request.settings;
  const MbsPlan *plan = &sweep->plan;
  cli_hdf5_attribute_text(hdf5, "/", "plan", mbs_plan_names[plan->kind]);
  cli_hdf5_attribute(hdf5, "/", "samples", (double)plan->count);
  cli_hdf5_attribute(hdf5, "/", "failed", (double)journal->failed);
  if (mbs_plan_is_random(plan)) {
    cli_hdf5_attribute(hdf5, "/", "seed", (double)plan->seed);
    cli_hdf5_attribute(hdf5, "/", "points", (double)plan->points);
  }
  cli_hdf5_attribute_text(hdf5, "/", "formulation", settings->formulation);
  cli_hdf5_attribute_text(hdf5, "/", "coordinates", settings->coordinates);
  cli_hdf5_attribute_text(hdf5, "/", "integrator", settings->integrator);
  cli_hdf5_attribute_text(hdf5, "/", "method", cli_method_name(sweep->request.method));
  cli_hdf5_attribute(hdf5, "/", "step", settings->step);
  cli_hdf5_attribute(hdf5, "/", "end", settings->end);
}

static int write_hdf5(Reader *reader, const CliStatistics *statistics, CliOutputFile *output) {
  const CliSweep *sweep = reader->sweep;
  const CliSession *session = sweep->job.session;
  char **messages = cli_memory_take(MOST_FAILURES, sizeof *messages);
  double *failures = cli_memory_take(MOST_FAILURES, sizeof *failures);
  CliHdf5 hdf5;
  cli_hdf5_begin(&hdf5, output);
  put_names(&hdf5, sweep);
  int exit_status = write_samples(reader, &hdf5, messages, failures);
  put_failures(&hdf5, messages, failures);
  cli_statistics_write(statistics, sweep, &hdf5);
  cli_results_put_origin(&hdf5, session->context, session->model, session->options);
  put_attributes(&hdf5, sweep, reader->journal);
  cli_hdf5_end(&hdf5);
  for (int i = 0; i < MOST_FAILURES; ++i) {
    free(messages[i]);
  }
  free(messages);
  free(failures);
  return exit_status;
}

int cli_sweep_write(const CliSweep *sweep, CliJournal *journal, const CliStatistics *statistics,
                    CliOutputFile *output) {
  Reader reader = begin(sweep, journal);
  int exit_status =
      cli_path_ends_in(output->path, ".h5") ? write_hdf5(&reader, statistics, output) : write_csv(&reader, output);
  end(&reader);
  return exit_status ? exit_status : cli_output_finish(output);
}
