// Rows of a run of any length in bounded memory: see data.h.
//
// What is kept is full after some number of rows, and is then thinned to a half, again and again, so that each kept
// row, or pair of rows, stands for `stride` rows of the run, a power of two:
//   rows     one of them, as it is;
//   curves   of each column its smallest and its largest value there, in the order in which they came. The time of the
//            pair is that of its first and its last row.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "data.h"

typedef struct CliThinning {
  CliThin how;
  size_t most_numbers;
  long most, stride, filled;  // rows kept at most; rows of the run for each, and how many of those have come
  bool has_held;
  double *held;            // of curves the last row, until it is known whether the next one has the same time
  double *first, *second;  // of curves what becomes the next pair
  double *last;            // of rows the one that came last
  bool is_last_kept;
} CliThinning;

void cli_thinning_free(CliThinning *thinning) {
  if (thinning) {
    free(thinning->held);
    free(thinning->first);
    free(thinning->second);
    free(thinning->last);
    free(thinning);
  }
}

static void settle(CliData *data) {
  CliThinning *thinning = data->thinning;
  size_t width = (size_t)data->column_count;
  long most = (long)(thinning->most_numbers / width);
  most = most < 200 ? 200 : most > 4000 ? 4000 : most;
  thinning->most = most - most % 4;
  thinning->stride = 1;
  thinning->held = cli_memory_take(width, sizeof(double));
  thinning->first = cli_memory_take(width, sizeof(double));
  thinning->second = cli_memory_take(width, sizeof(double));
  thinning->last = cli_memory_take(width, sizeof(double));
}

static void keep_every_second(CliData *data) {
  for (int j = 0; j < data->column_count; ++j) {
    double *values = data->columns[j].values;
    for (long i = 0; 2 * i < data->row_count; ++i) {
      values[i] = values[2 * i];
    }
  }
  data->row_count = (data->row_count + 1) / 2;
}

static bool is_less(double a, double b) { return a < b || (isnan(b) && !isnan(a)); }
static bool is_more(double a, double b) { return a > b || (isnan(b) && !isnan(a)); }

// the smallest and the largest of `count` values, in the order in which they are there
static void extremes(int count, const double *values, double *first, double *second) {
  int least = 0, most = 0;
  for (int k = 1; k < count; ++k) {
    least = is_less(values[k], values[least]) ? k : least;
    most = is_more(values[k], values[most]) ? k : most;
  }
  *first = values[least < most ? least : most];
  *second = values[least < most ? most : least];
}

// two pairs become one
static void join_pairs(CliData *data) {
  for (int j = 0; j < data->column_count; ++j) {
    double *values = data->columns[j].values;
    for (long i = 0; 4 * i < data->row_count; ++i) {
      double first = values[4 * i], second = values[4 * i + 3];
      if (j > 0) {
        extremes(4, values + 4 * i, &first, &second);
      }
      values[2 * i] = first;
      values[2 * i + 1] = second;
    }
  }
  data->row_count /= 2;
}

static void add_to_pair(CliData *data, const double *row) {
  CliThinning *thinning = data->thinning;
  size_t width = (size_t)data->column_count;
  if (thinning->filled == 0) {
    memcpy(thinning->first, row, width * sizeof *row);
    memcpy(thinning->second, row, width * sizeof *row);
  } else {
    for (size_t j = 0; j < width; ++j) {
      const double values[3] = {thinning->first[j], thinning->second[j], row[j]};
      double first = values[0], second = values[2];
      if (j > 0) {
        extremes(3, values, &first, &second);
      }
      thinning->first[j] = first;
      thinning->second[j] = second;
    }
  }
  if (++thinning->filled == thinning->stride) {
    cli_data_add_row(data, thinning->first);
    cli_data_add_row(data, thinning->second);
    thinning->filled = 0;
  }
}

// a row of a curve, of which everything is known
static void commit(CliData *data, const double *row) {
  CliThinning *thinning = data->thinning;
  if (data->row_count == thinning->most && thinning->filled == 0) {
    if (thinning->stride > 1) {
      join_pairs(data);
    }
    thinning->stride *= 2;  // at first each pair of rows is one already
    if (data->row_count == thinning->most) {
      join_pairs(data);
      thinning->stride *= 2;
    }
  }
  if (thinning->stride == 1) {
    cli_data_add_row(data, row);
  } else {
    add_to_pair(data, row);
  }
}

static void blank_derivatives(const CliData *data, double *row) {
  for (int j = 1; j < data->column_count; ++j) {
    row[j] = strncmp(data->columns[j].name, "d(", 2) == 0 ? (double)NAN : row[j];
  }
}

static void add_to_curves(CliData *data, const double *row) {
  CliThinning *thinning = data->thinning;
  size_t width = (size_t)data->column_count;
  bool is_same_time = false;
  if (thinning->has_held) {
    is_same_time = !(row[0] > thinning->held[0]);
    if (is_same_time) {
      blank_derivatives(data, thinning->held);
    }
    commit(data, thinning->held);
  }
  memcpy(thinning->held, row, width * sizeof *row);
  thinning->has_held = true;
  if (is_same_time) {
    blank_derivatives(data, thinning->held);
  }
}

static void add_to_rows(CliData *data, const double *row) {
  CliThinning *thinning = data->thinning;
  if (data->row_count == thinning->most) {
    keep_every_second(data);
    thinning->stride *= 2;
  }
  thinning->is_last_kept = thinning->filled % thinning->stride == 0;
  if (thinning->is_last_kept) {
    cli_data_add_row(data, row);
  }
  memcpy(thinning->last, row, (size_t)data->column_count * sizeof *row);
  ++thinning->filled;
}

static MbsStatus thin_row(void *user, const double *row) {
  CliData *data = user;
  if (!data->thinning->held) {
    settle(data);
  }
  if (data->thinning->how == CLI_THIN_CURVES) {
    add_to_curves(data, row);
  } else {
    add_to_rows(data, row);
  }
  return MBS_OK;
}

void cli_data_begin_thin(CliData *data, CliThin how, size_t most_numbers) {
  cli_data_begin(data);
  data->thinning = cli_memory_take(1, sizeof *data->thinning);
  data->thinning->how = how;
  data->thinning->most_numbers = most_numbers;
  data->recorder.row = thin_row;
}

void cli_data_end_thin(CliData *data, bool has_ended) {
  CliThinning *thinning = data->thinning;
  if (!thinning || !thinning->held) {
    return;
  }
  if (thinning->how == CLI_THIN_ROWS) {
    if (!thinning->is_last_kept) {
      cli_data_add_row(data, thinning->last);
    }
    return;
  }
  if (has_ended) {
    blank_derivatives(data, thinning->held);
  }
  commit(data, thinning->held);
  if (thinning->filled > 0) {
    cli_data_add_row(data, thinning->first);
    cli_data_add_row(data, thinning->second);
    thinning->filled = 0;
  }
}
