#include "sensitivities/series.h"

#include <string.h>

MbsStatus mbs_recorder_begin(const MbsRecorder *recorder, int column_count, const char *const *names,
                             const char *const *units, const char *const *descriptions, const char *const *groups) {
  if (recorder->describe) {
    MBS_TRY(recorder->describe(recorder->user, column_count, units, descriptions));
  }
  if (recorder->group) {
    MBS_TRY(recorder->group(recorder->user, column_count, groups));
  }
  return recorder->begin(recorder->user, column_count, names);
}

// NULL: out of memory
static const char **copy_texts(MbsArena *arena, int count, const char *const *texts) {
  const char **copies = mbs_arena_take(arena, (size_t)count, sizeof *copies);
  for (int i = 0; i < count && copies; ++i) {
    copies[i] = texts[i] ? mbs_arena_copy_text(arena, texts[i]) : NULL;
  }
  return copies;
}

static MbsStatus describe(void *user, int column_count, const char *const *units, const char *const *descriptions) {
  MbsSeries *series = user;
  series->units = copy_texts(series->arena, column_count, units);
  series->descriptions = copy_texts(series->arena, column_count, descriptions);
  return series->units && series->descriptions ? MBS_OK : MBS_ERROR_MEMORY;
}

static MbsStatus group(void *user, int column_count, const char *const *groups) {
  MbsSeries *series = user;
  series->groups = copy_texts(series->arena, column_count, groups);
  return series->groups ? MBS_OK : MBS_ERROR_MEMORY;
}

static MbsStatus begin(void *user, int column_count, const char *const *names) {
  MbsSeries *series = user;
  series->column_count = column_count;
  series->names = copy_texts(series->arena, column_count, names);
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

MbsRecorder mbs_series_recorder(MbsSeries *series) {
  return (MbsRecorder){.user = series, .describe = describe, .begin = begin, .row = row, .group = group};
}

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
  const char **names, **units, **descriptions, **groups;
  double *values;
  MBS_TAKE(context, arena, names, total);
  MBS_TAKE(context, arena, units, total);
  MBS_TAKE(context, arena, descriptions, total);
  MBS_TAKE(context, arena, groups, total);
  MBS_TAKE(context, arena, values, total);
  memcpy(units, series[0].units, (size_t)(1 + quantities) * sizeof *units);
  memcpy(descriptions, series[0].descriptions, (size_t)(1 + quantities) * sizeof *descriptions);
  memcpy(groups, series[0].groups, (size_t)(1 + quantities) * sizeof *groups);
  names[0] = series[0].names[0];
  for (int k = 0; k <= count; ++k) {
    for (int i = 0; i < quantities; ++i) {
      const char *quantity = series[0].names[1 + i];
      const char *name = k == 0 ? quantity : mbs_arena_print(arena, "d(%s)/d(%s)", quantity, parameter_names[k - 1]);
      names[1 + k * quantities + i] = name ? name : quantity;
    }
  }
  MBS_TRY(mbs_recorder_begin(recorder, total, names, units, descriptions, groups));
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
