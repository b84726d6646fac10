// Curves of a file: see source.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../hdf5.h"
#include "../memory.h"
#include "../outcome.h"
#include "base/names.h"
#include "model/blueprint.h"
#include "source.h"

static int fail_unknown(const CliData *data, const char *operand, const char *option, const char *word) {
  const char *nearest = NULL;
  for (int j = 0; j < data->column_count; ++j) {
    mbs_name_nearest(word, data->columns[j].name, &nearest);
  }
  return cli_fail(MBS_ERROR_INPUT, "%s: no column \"%s\" in %s%s%s%s", option, word, operand,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static int fail_text(const CliData *data, const char *operand, const char *option, int column) {
  return cli_fail(MBS_ERROR_INPUT, "%s: column \"%s\" of %s has texts, which --by can group by", option,
                  data->columns[column].name, operand);
}

// What is worth a first look: numbers that are no rates and no derivatives.
static int choose_words(CliWords *words, const CliData *data, int x, const char *operand) {
  enum { MOST = 24 };
  const CliColumn **columns = cli_memory_take((size_t)data->column_count, sizeof *columns);
  int count = 0;
  for (int j = 0; j < data->column_count; ++j) {
    const CliColumn *column = &data->columns[j];
    size_t length = strlen(column->name);
    bool is_derived = strncmp(column->name, "d(", 2) == 0 || column->name[length - 1] == '\'';
    if (j != x && !column->texts && !is_derived) {
      columns[count++] = column;
    }
  }
  if (count > 0 && count <= MOST) {
    cli_words_add_by_unit(words, count, columns);
  }
  free(columns);
  return count > 0 && count <= MOST
             ? 0
             : cli_fail(MBS_ERROR_INPUT, "%s has %d columns to plot: choose some with --y A,B", operand, count);
}

static int find_words(CliRun *run, const CliWords *words) {
  for (int w = 0; w < words->count; ++w) {
    const char *word = words->items[w].text;
    int found = 0, exact = cli_data_find(&run->data, word);
    for (int j = 0; j < run->data.column_count; ++j) {
      bool is_meant = exact >= 0 ? j == exact : mbs_column_is_meant(word, strlen(word), run->data.columns[j].name);
      if (is_meant && run->data.columns[j].texts) {
        return fail_text(&run->data, run->operand, "--y", j);
      }
      if (is_meant) {
        cli_run_add_series(run, w, j, run->data.columns[j].name);
        ++found;
      }
    }
    if (found == 0) {
      return fail_unknown(&run->data, run->operand, "--y", word);
    }
  }
  return 0;
}

static void set_x(CliRun *run, int x) {
  run->x = x;
  run->x_name = cli_memory_copy_text(run->data.columns[x].name, strlen(run->data.columns[x].name));
}

static void group_name(const CliColumn *column, long row, char *text, size_t room) {
  if (column->texts) {
    (void)snprintf(text, room, "%s", column->texts[row]);
  } else {
    (void)snprintf(text, room, "%s = %.6g", column->name, column->values[row]);
  }
}

// The rows of a file that have the same in column `by` make a run.
static int split(const CliData *data, int by, int x, const CliAsked *asked, const char *operand, CliRuns *runs) {
  bool *is_taken = cli_memory_take((size_t)data->row_count, sizeof *is_taken);
  int failure = 0;
  for (long first = 0; first < data->row_count && !failure; ++first) {
    char name[200];
    if (is_taken[first]) {
      continue;
    }
    group_name(&data->columns[by], first, name, sizeof name);
    CliRun *run = cli_runs_add(runs, operand, name);
    run->data.column_count = data->column_count;
    run->data.columns = cli_memory_take((size_t)data->column_count, sizeof *run->data.columns);
    for (int j = 0; j < data->column_count; ++j) {
      const CliColumn *column = &data->columns[j];
      run->data.columns[j] =
          (CliColumn){.name = cli_memory_copy_text(column->name, strlen(column->name)),
                      .unit = column->unit ? cli_memory_copy_text(column->unit, strlen(column->unit)) : NULL,
                      .values = cli_memory_take((size_t)data->row_count, sizeof(double))};
    }
    for (long i = first; i < data->row_count; ++i) {
      char other[200];
      group_name(&data->columns[by], i, other, sizeof other);
      if (!is_taken[i] && strcmp(name, other) == 0) {
        is_taken[i] = true;
        for (int j = 0; j < data->column_count; ++j) {
          run->data.columns[j].values[run->data.row_count] = data->columns[j].values[i];
        }
        ++run->data.row_count;
      }
    }
    set_x(run, x);
    failure = find_words(run, &asked->words);
  }
  free(is_taken);
  return failure;
}

static int read_columns(CliAsked *asked, const char *operand, const CliData *data, int *x, int *by) {
  const char *by_name = asked->options->by;
  *x = asked->x ? cli_data_find(data, asked->x) : 0;
  *by = by_name ? cli_data_find(data, by_name) : -1;
  if (*x < 0) {
    return fail_unknown(data, operand, "--x", asked->x);
  }
  if (by_name && *by < 0) {
    return fail_unknown(data, operand, "--by", by_name);
  }
  if (data->columns[*x].texts) {
    return fail_text(data, operand, "--x", *x);
  }
  for (int w = 0; w < asked->words.count && *by >= 0; ++w) {  // groups keep no texts to say so
    int j = cli_data_find(data, asked->words.items[w].text);
    if (j >= 0 && data->columns[j].texts) {
      return fail_text(data, operand, "--y", j);
    }
  }
  return asked->words.count > 0 ? 0 : choose_words(&asked->words, data, *x, operand);
}

static void read_events(CliRun *run, const char *path) {
  size_t count = 0, name_count = 0;
  double *times = NULL;
  char **names = NULL;
  int64_t file = cli_hdf5_open(path);
  bool is_good = cli_hdf5_read_array(file, "/events/time", 1, &count, &times) &&
                 cli_hdf5_read_texts(file, "/events/name", &name_count, &names) && count == name_count;
  run->moments = cli_memory_take(is_good ? count : 0, sizeof *run->moments);
  for (size_t i = 0; i < count && is_good; ++i) {
    run->moments[run->moment_count++] = (CliMoment){times[i], cli_memory_copy_text(names[i], strlen(names[i]))};
  }
  free(times);
  cli_hdf5_free_texts(name_count, names);
  cli_hdf5_close(file);
}

int cli_source_read_file(CliAsked *asked, const char *operand, CliRuns *runs) {
  CliData data;
  bool is_hdf5 = cli_path_ends_in(operand, ".h5");
  int x, by, failure = is_hdf5 ? cli_data_read_results(&data, operand) : cli_data_read(&data, operand);
  failure = failure ? failure : read_columns(asked, operand, &data, &x, &by);
  if (!failure && by >= 0) {
    failure = split(&data, by, x, asked, operand, runs);
  } else if (!failure) {
    CliRun *run = cli_runs_add(runs, operand, "");
    run->data = data;
    data = (CliData){0};
    set_x(run, x);
    if (is_hdf5) {
      read_events(run, operand);
    }
    failure = find_words(run, &asked->words);
    double end = is_hdf5 && run->data.row_count > 0 ? run->data.columns[0].values[run->data.row_count - 1] : 0;
    bool has_ended = run->moment_count > 0 && !(run->moments[run->moment_count - 1].time < end);
    if (is_hdf5) {
      cli_run_blank_at_events(run, has_ended);
    }
    return failure;
  }
  cli_data_free(&data);
  return failure;
}
