// Statistics of a sweep as tables, as JSON and in the file of results.
#include <math.h>
#include <stdlib.h>

#include "cli/json.h"
#include "cli/memory.h"
#include "cli/table.h"
#include "statistics.h"

static void add(CliTable *table, void (*put)(CliTable *table, double number), double number) {
  if (isnan(number)) {
    cli_table_blank(table);
  } else {
    put(table, number);
  }
}

// ---- tables ----
static void print_summary(const CliStatistics *statistics, const CliSweep *sweep) {
  // the points of other plans are not independent, and their mean is better than this says
  bool has_error = sweep->plan.kind == MBS_PLAN_RANDOM;
  static const char *const columns[] = {"objective", "mean",   "deviation", "minimum",
                                        "5 %",       "median", "95 %",      "maximum"};
  CliTable *table = cli_table_create(has_error ? 9 : 8);
  for (int c = 0; c < 8; ++c) {
    cli_table_text(table, columns[c]);
    if (c == 1 && has_error) {
      cli_table_text(table, "+-");
    }
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    const CliObjectiveStatistics *objective = &statistics->objectives[o];
    cli_table_text(table, sweep->objectives[o]);
    cli_table_number(table, objective->moments.mean);
    if (has_error) {
      add(table, cli_table_error, objective->deviation / sqrt((double)objective->moments.count));
    }
    add(table, cli_table_number, objective->deviation);
    cli_table_number(table, objective->moments.minimum);
    cli_table_number(table, objective->quantiles[0]);
    cli_table_number(table, objective->quantiles[2]);
    cli_table_number(table, objective->quantiles[4]);
    cli_table_number(table, objective->moments.maximum);
  }
  cli_table_print(table, stdout);
}

static void print_propagation(const CliStatistics *statistics, const CliSweep *sweep) {
  CliTable *table = cli_table_create(3 + sweep->plan.dimension);
  (void)printf("from the gradient at the mean of the parameters, to first order; parts of the variance by parameter\n");
  cli_table_text(table, "objective");
  cli_table_text(table, "there");
  cli_table_text(table, "deviation");
  for (int k = 0; k < sweep->plan.dimension; ++k) {
    cli_table_text(table, sweep->varied[k]);
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    const CliObjectiveStatistics *objective = &statistics->objectives[o];
    cli_table_text(table, sweep->objectives[o]);
    cli_table_number(table, objective->at_mean);
    cli_table_number(table, objective->propagated);
    for (int k = 0; k < sweep->plan.dimension; ++k) {
      cli_table_short(table, objective->parts[k]);
    }
  }
  cli_table_print(table, stdout);
}

static void print_correlation(const CliStatistics *statistics, const CliSweep *sweep) {
  CliTable *table = cli_table_create(1 + sweep->plan.dimension + sweep->objective_count);
  cli_table_text(table, "correlation");
  for (int k = 0; k < sweep->plan.dimension; ++k) {
    cli_table_text(table, sweep->varied[k]);
  }
  for (int p = 0; p < sweep->objective_count; ++p) {
    cli_table_text(table, sweep->objectives[p]);
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    cli_table_text(table, sweep->objectives[o]);
    for (int k = 0; k < sweep->plan.dimension; ++k) {
      add(table, cli_table_short, statistics->objectives[o].correlation[k]);
    }
    for (int p = 0; p < sweep->objective_count; ++p) {
      add(table, cli_table_short, statistics->objectives[o].between[p]);
    }
  }
  cli_table_print(table, stdout);
}

static void print_indices(const CliStatistics *statistics, const CliSweep *sweep) {
  static const char *const columns[] = {"objective", "parameter", "first", "+-", "total", "+-"};
  CliTable *table = cli_table_create(6);
  (void)printf("Sobol's indices: part of the variance by one parameter alone, and with others\n");
  for (int c = 0; c < 6; ++c) {
    cli_table_text(table, columns[c]);
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    for (int k = 0; k < sweep->plan.dimension; ++k) {
      const MbsSobolIndex *index = &statistics->objectives[o].indices[k];
      cli_table_text(table, sweep->objectives[o]);
      cli_table_text(table, sweep->varied[k]);
      add(table, cli_table_short, index->first);
      add(table, cli_table_error, index->first_error);
      add(table, cli_table_short, index->total);
      add(table, cli_table_error, index->total_error);
    }
  }
  cli_table_print(table, stdout);
}

void cli_statistics_print(const CliStatistics *statistics, const CliSweep *sweep) {
  print_summary(statistics, sweep);
  if (statistics->has_propagation) {
    print_propagation(statistics, sweep);
  }
  if (statistics->has_indices) {
    print_indices(statistics, sweep);
  } else if (statistics->is_random) {
    print_correlation(statistics, sweep);
  }
}

// ---- JSON ----
static void put_numbers(CliJson *json, const char *key, int count, const char **names, const double *numbers) {
  cli_json_map(json, key, count, names, numbers);
}

static void put_indices(CliJson *json, const CliSweep *sweep, const MbsSobolIndex *indices) {
  cli_json_open_object(json, "sobol");
  for (int k = 0; k < sweep->plan.dimension; ++k) {
    cli_json_open_object(json, sweep->varied[k]);
    cli_json_number(json, "first", indices[k].first);
    cli_json_number(json, "first_error", indices[k].first_error);
    cli_json_number(json, "total", indices[k].total);
    cli_json_number(json, "total_error", indices[k].total_error);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_objective(CliJson *json, const CliStatistics *statistics, const CliSweep *sweep, int o) {
  const CliObjectiveStatistics *objective = &statistics->objectives[o];
  cli_json_open_object(json, sweep->objectives[o]);
  cli_json_integer(json, "count", (long)objective->moments.count);
  cli_json_number(json, "mean", objective->moments.mean);
  cli_json_number(json, "variance", mbs_moments_variance(&objective->moments));
  cli_json_number(json, "deviation", objective->deviation);
  cli_json_number(json, "minimum", objective->moments.minimum);
  cli_json_number(json, "maximum", objective->moments.maximum);
  cli_json_open_object(json, "quantiles");
  for (int q = 0; q < CLI_QUANTILES; ++q) {
    char level[16];
    (void)snprintf(level, sizeof level, "%g", cli_quantile_levels[q]);
    cli_json_number(json, level, objective->quantiles[q]);
  }
  cli_json_close(json);
  if (statistics->is_random) {
    put_numbers(json, "correlation", sweep->plan.dimension, sweep->varied, objective->correlation);
    put_numbers(json, "objective_correlation", sweep->objective_count, sweep->objectives, objective->between);
  }
  if (statistics->has_propagation) {
    cli_json_open_object(json, "first_order");
    cli_json_number(json, "at_mean", objective->at_mean);
    cli_json_number(json, "deviation", objective->propagated);
    put_numbers(json, "parts", sweep->plan.dimension, sweep->varied, objective->parts);
    cli_json_close(json);
  }
  if (objective->indices) {
    put_indices(json, sweep, objective->indices);
  }
  cli_json_close(json);
}

void cli_statistics_put(const CliStatistics *statistics, const CliSweep *sweep, CliJson *json) {
  cli_json_open_object(json, "statistics");
  for (int o = 0; o < sweep->objective_count; ++o) {
    put_objective(json, statistics, sweep, o);
  }
  cli_json_close(json);
}

// ---- HDF5 ----
// objectives x columns, each number taken from its objective
static void write_array(CliHdf5 *hdf5, const CliStatistics *statistics, const char *path, size_t columns,
                        double (*number)(const CliObjectiveStatistics *objective, size_t column)) {
  size_t dimensions[] = {(size_t)statistics->objective_count, columns};
  double *numbers = cli_memory_take(dimensions[0] * columns, sizeof *numbers);
  for (size_t i = 0; i < dimensions[0] * columns; ++i) {
    numbers[i] = number(&statistics->objectives[i / columns], i % columns);
  }
  cli_hdf5_array(hdf5, path, 2, dimensions, numbers);
  free(numbers);
}

static double correlation(const CliObjectiveStatistics *o, size_t k) { return o->correlation[k]; }
static double between(const CliObjectiveStatistics *o, size_t k) { return o->between[k]; }
static double part(const CliObjectiveStatistics *o, size_t k) { return o->parts[k]; }
static double quantile(const CliObjectiveStatistics *o, size_t k) { return o->quantiles[k]; }
static double first(const CliObjectiveStatistics *o, size_t k) { return o->indices[k].first; }
static double first_error(const CliObjectiveStatistics *o, size_t k) { return o->indices[k].first_error; }
static double total(const CliObjectiveStatistics *o, size_t k) { return o->indices[k].total; }
static double total_error(const CliObjectiveStatistics *o, size_t k) { return o->indices[k].total_error; }
static double summary(const CliObjectiveStatistics *o, size_t k) {
  const double numbers[] = {o->moments.mean, o->deviation, o->moments.minimum, o->moments.maximum};
  return numbers[k];
}
static double first_order(const CliObjectiveStatistics *o, size_t k) { return k == 0 ? o->at_mean : o->propagated; }

void cli_statistics_write(const CliStatistics *statistics, const CliSweep *sweep, CliHdf5 *hdf5) {
  static const char *const columns[] = {"mean", "deviation", "minimum", "maximum"};
  static const char *const there[] = {"at_mean", "deviation"};
  const size_t levels = CLI_QUANTILES, varied = (size_t)sweep->plan.dimension;
  cli_hdf5_group(hdf5, "/statistics");
  cli_hdf5_texts(hdf5, "/statistics/column", 4, columns);
  write_array(hdf5, statistics, "/statistics/summary", 4, summary);
  cli_hdf5_array(hdf5, "/statistics/level", 1, &levels, cli_quantile_levels);
  write_array(hdf5, statistics, "/statistics/quantile", levels, quantile);
  if (statistics->is_random) {
    write_array(hdf5, statistics, "/statistics/correlation", varied, correlation);
    write_array(hdf5, statistics, "/statistics/objective_correlation", (size_t)sweep->objective_count, between);
  }
  if (statistics->has_propagation) {
    cli_hdf5_group(hdf5, "/first_order");
    cli_hdf5_texts(hdf5, "/first_order/column", 2, there);
    write_array(hdf5, statistics, "/first_order/summary", 2, first_order);
    write_array(hdf5, statistics, "/first_order/part", varied, part);
  }
  if (statistics->has_indices) {
    cli_hdf5_group(hdf5, "/sobol");
    write_array(hdf5, statistics, "/sobol/first", varied, first);
    write_array(hdf5, statistics, "/sobol/first_error", varied, first_error);
    write_array(hdf5, statistics, "/sobol/total", varied, total);
    write_array(hdf5, statistics, "/sobol/total_error", varied, total_error);
  }
}
