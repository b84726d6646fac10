#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "sampling/quantile.h"

const double cli_quantile_levels[CLI_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

enum { MOST_BYTES = 1 << 28 };  // of columns at a time

// Columns of some objectives, from `first` on, and what is summed over the samples.
typedef struct Pass {
  const CliSweep *sweep;
  CliJournal *journal;
  int first, count;
  double *columns;  // by objective: all samples, NaN where one failed
  MbsPairMoments *with_varied, *between;
} Pass;

// of a plan for Sobol's indices the samples a and b; the others repeat them
static bool counts(const MbsPlan *plan, uint64_t index) {
  return plan->kind != MBS_PLAN_SALTELLI || index % ((uint64_t)plan->dimension + 2) < 2;
}

static void add_sample(Pass *pass, CliStatistics *statistics, const double *varied, const CliSample *sample) {
  const CliSweep *sweep = pass->sweep;
  int dimension = sweep->plan.dimension, objectives = sweep->objective_count;
  for (int o = pass->first; o < pass->first + pass->count; ++o) {
    double y = sample->numbers[o];
    mbs_moments_add(&statistics->objectives[o].moments, y);
    for (int k = 0; k < dimension && statistics->is_random; ++k) {
      mbs_pair_moments_add(&pass->with_varied[(o - pass->first) * dimension + k], varied[k], y);
    }
    for (int p = 0; p < objectives && statistics->is_random; ++p) {
      mbs_pair_moments_add(&pass->between[(o - pass->first) * objectives + p], sample->numbers[p], y);
    }
  }
}

static int read_samples(Pass *pass, CliStatistics *statistics, CliSample *sample, double *varied) {
  const CliSweep *sweep = pass->sweep;
  uint64_t count = sweep->plan.count;
  int exit_status = 0;
  for (uint64_t i = 0; i < count && !exit_status; ++i) {
    sample->index = i;
    exit_status = cli_journal_read(pass->journal, sample);
    for (int o = 0; o < pass->count; ++o) {
      pass->columns[(uint64_t)o * count + i] = sample->numbers[pass->first + o];
    }
    if (!exit_status && sample->status == MBS_OK && counts(&sweep->plan, i)) {
      cli_sweep_numbers(sweep, i, varied);
      add_sample(pass, statistics, varied, sample);
    }
  }
  return exit_status;
}

// the column is sorted, and what does not count is gone from it
static void find_quantiles(const CliSweep *sweep, double *column, double *quantiles) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < sweep->plan.count; ++i) {
    if (!isnan(column[i]) && counts(&sweep->plan, i)) {
      column[count++] = column[i];
    }
  }
  mbs_sort(count, column);
  for (int q = 0; q < CLI_QUANTILES; ++q) {
    quantiles[q] = mbs_sorted_quantile(count, column, cli_quantile_levels[q]);
  }
}

static void finish_objective(Pass *pass, CliObjectiveStatistics *objective, int o) {
  const CliSweep *sweep = pass->sweep;
  const MbsPlan *plan = &sweep->plan;
  double *column = pass->columns + (uint64_t)o * plan->count;
  objective->deviation = sqrt(mbs_moments_variance(&objective->moments));
  for (int k = 0; k < plan->dimension; ++k) {
    objective->correlation[k] = mbs_correlation(&pass->with_varied[o * plan->dimension + k]);
  }
  for (int p = 0; p < sweep->objective_count; ++p) {
    objective->between[p] = mbs_correlation(&pass->between[o * sweep->objective_count + p]);
  }
  if (objective->indices) {
    mbs_sobol_indices(plan->points, plan->dimension, column, objective->indices);
  }
  find_quantiles(sweep, column, objective->quantiles);
}

static int find_some(CliStatistics *statistics, const CliSweep *sweep, CliJournal *journal, int first, int count) {
  size_t dimension = (size_t)sweep->plan.dimension, objectives = (size_t)sweep->objective_count, some = (size_t)count;
  Pass pass = {.sweep = sweep, .journal = journal, .first = first, .count = count};
  pass.columns = cli_memory_take(some * sweep->plan.count, sizeof *pass.columns);
  pass.with_varied = cli_memory_take(some * dimension, sizeof *pass.with_varied);
  pass.between = cli_memory_take(some * objectives, sizeof *pass.between);
  CliSample sample = {.numbers = cli_memory_take(sweep->job.width, sizeof(double))};
  double *varied = cli_memory_take(dimension, sizeof *varied);
  int exit_status = read_samples(&pass, statistics, &sample, varied);
  for (int o = 0; o < count && !exit_status; ++o) {
    finish_objective(&pass, &statistics->objectives[first + o], o);
  }
  free(varied);
  free(sample.numbers);
  free(pass.columns);
  free(pass.with_varied);
  free(pass.between);
  return exit_status;
}

// ---- from the gradient at the mean ----
static void propagate_objective(const CliSweep *sweep, const double *gradient, CliObjectiveStatistics *objective) {
  double sum = 0;
  for (int k = 0; k < sweep->plan.dimension; ++k) {
    double variance = mbs_distribution_variance(&sweep->plan.distributions[k]);
    objective->parts[k] = 0;
    for (int i = 0; i < sweep->wrt_count; ++i) {
      if (strcmp(sweep->varied[k], sweep->wrt[i]) == 0) {
        objective->parts[k] = gradient[i] * gradient[i] * variance;
      }
    }
    sum += objective->parts[k];
  }
  for (int k = 0; k < sweep->plan.dimension; ++k) {
    objective->parts[k] = sum > 0 ? objective->parts[k] / sum : 0;
  }
  objective->propagated = sqrt(sum);
}

static int propagate(CliStatistics *statistics, const CliSweep *sweep, CliJournal *journal) {
  CliSample sample = {.index = sweep->plan.count, .numbers = cli_memory_take(sweep->job.width, sizeof(double))};
  int exit_status = cli_journal_read(journal, &sample);
  statistics->has_propagation = !exit_status && sample.status == MBS_OK;
  for (int o = 0; o < sweep->objective_count && statistics->has_propagation; ++o) {
    statistics->objectives[o].at_mean = sample.numbers[o];
    propagate_objective(sweep, sample.numbers + sweep->objective_count + o * sweep->wrt_count,
                        &statistics->objectives[o]);
  }
  free(sample.numbers);
  return exit_status;
}

int cli_statistics_find(CliStatistics *statistics, const CliSweep *sweep, CliJournal *journal) {
  size_t dimension = (size_t)sweep->plan.dimension, objectives = (size_t)sweep->objective_count;
  *statistics = (CliStatistics){.objective_count = sweep->objective_count,
                                .is_random = mbs_plan_is_random(&sweep->plan),
                                .has_indices = sweep->plan.kind == MBS_PLAN_SALTELLI};
  statistics->objectives = cli_memory_take(objectives, sizeof *statistics->objectives);
  for (size_t o = 0; o < objectives; ++o) {
    CliObjectiveStatistics *objective = &statistics->objectives[o];
    objective->correlation = cli_memory_take(dimension, sizeof *objective->correlation);
    objective->between = cli_memory_take(objectives, sizeof *objective->between);
    objective->parts = cli_memory_take(dimension, sizeof *objective->parts);
    objective->indices = statistics->has_indices ? cli_memory_take(dimension, sizeof *objective->indices) : NULL;
  }
  uint64_t bytes = sweep->plan.count * sizeof(double);
  int most = bytes < MOST_BYTES ? (int)(MOST_BYTES / bytes) : 1, exit_status = 0;
  for (int first = 0; first < sweep->objective_count && !exit_status; first += most) {
    int left = sweep->objective_count - first;
    exit_status = find_some(statistics, sweep, journal, first, left < most ? left : most);
  }
  return exit_status || !sweep->has_mean ? exit_status : propagate(statistics, sweep, journal);
}

void cli_statistics_free(CliStatistics *statistics) {
  for (int o = 0; statistics->objectives && o < statistics->objective_count; ++o) {
    CliObjectiveStatistics *objective = &statistics->objectives[o];
    free(objective->correlation);
    free(objective->between);
    free(objective->parts);
    free(objective->indices);
  }
  free(statistics->objectives);
  *statistics = (CliStatistics){0};
}
