#include "sensitivities/series.h"

#include <string.h>

static MbsStatus begin(void *user, int column_count, const char *const *names) {
  MbsSeries *series = user;
  series->column_count = column_count;
  series->names = mbs_arena_take(series->arena, (size_t)column_count, sizeof *series->names);
  for (int i = 0; i < column_count && series->names; ++i) {
    series->names[i] = mbs_arena_copy_text(series->arena, names[i]);
  }
  return series->names ? MBS_OK : MBS_ERROR_MEMORY;
}

static MbsStatus row(void *user, const double *values) {
  MbsSeries *series = user;
  size_t width = (size_t)series->column_count;
  if (series->row_count == series->capacity) {
    long capacity = series->capacity ? 2 * series->capacity : 256;
    double *rows = mbs_arena_take(series->arena, (size_t)capacity * width, sizeof *rows);
    if (!rows) {
      return MBS_ERROR_MEMORY;
    }
    if (series->row_count > 0) {
      memcpy(rows, series->rows, (size_t)series->row_count * width * sizeof *rows);
    }
    series->rows = rows;
    series->capacity = capacity;
  }
  memcpy(series->rows + (size_t)series->row_count++ * width, values, width * sizeof *values);
  return MBS_OK;
}

MbsRecorder mbs_series_recorder(MbsSeries *series) { return (MbsRecorder){.user = series, .begin = begin, .row = row}; }

MbsStatus mbs_series_difference(MbsContext *context, const MbsSeries *up, const MbsSeries *down, double span,
                                MbsSeries *difference) {
  MBS_CHECK(context, up->row_count == down->row_count && up->column_count == down->column_count);
  size_t size = (size_t)up->row_count * (size_t)up->column_count;
  *difference = *up;
  MBS_TAKE(context, up->arena, difference->rows, size);
  for (size_t i = 0; i < size; ++i) {
    bool is_time = i % (size_t)up->column_count == 0;
    difference->rows[i] = is_time ? up->rows[i] : (up->rows[i] - down->rows[i]) / span;
  }
  return MBS_OK;
}

MbsStatus mbs_series_replay(MbsContext *context, MbsArena *arena, int count, const MbsSeries *series,
                            const char *const *parameter_names, const MbsRecorder *recorder) {
  int quantities = series[0].column_count - 1;
  int total = 1 + quantities * (1 + count);
  const char **names;
  double *values;
  MBS_TAKE(context, arena, names, total);
  MBS_TAKE(context, arena, values, total);
  names[0] = series[0].names[0];
  for (int k = 0; k <= count; ++k) {
    for (int i = 0; i < quantities; ++i) {
      const char *quantity = series[0].names[1 + i];
      const char *name = k == 0 ? quantity : mbs_arena_print(arena, "d(%s)/d(%s)", quantity, parameter_names[k - 1]);
      names[1 + k * quantities + i] = name ? name : quantity;
    }
  }
  MBS_TRY(recorder->begin(recorder->user, total, names));
  for (long r = 0; r < series[0].row_count; ++r) {
    values[0] = series[0].rows[(size_t)r * (size_t)(quantities + 1)];
    for (int k = 0; k <= count; ++k) {
      const double *from = series[k].rows + (size_t)r * (size_t)(quantities + 1) + 1;
      memcpy(values + 1 + k * quantities, from, (size_t)quantities * sizeof *values);
    }
    MBS_TRY(recorder->row(recorder->user, values));
  }
  return MBS_OK;
}
