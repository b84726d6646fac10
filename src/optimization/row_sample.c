#include "optimization/row_sample.h"

#include <math.h>

typedef struct Rows {
  long count;
  const double *times;
  int stride;
  bool ends_in_event;
} Rows;

static double time_of(const Rows *rows, long i) { return rows->times[i * rows->stride]; }

// does it stand at an event?
static bool is_event(const Rows *rows, long i) {
  bool is_double = (i > 0 && !(time_of(rows, i - 1) < time_of(rows, i))) ||
                   (i + 1 < rows->count && !(time_of(rows, i) < time_of(rows, i + 1)));
  return is_double || (rows->ends_in_event && i == rows->count - 1);
}

// of the polynomial through these rows, at t: Lagrange's weights
static void weigh(const Rows *rows, int count, const long *at, double t, double *weights) {
  for (int i = 0; i < count; ++i) {
    weights[i] = 1;
    for (int j = 0; j < count; ++j) {
      double x = time_of(rows, at[j]);
      weights[i] *= j == i ? 1 : (t - x) / (time_of(rows, at[i]) - x);
    }
  }
}

long mbs_row_find(long count, const double *times, int stride, double t, long near) {
  while (near + 1 < count && times[(near + 1) * stride] <= t) {
    ++near;
  }
  return near;
}

MbsRowSample mbs_row_sample(long count, const double *times, int stride, bool ends_in_event, double t, long near) {
  const Rows rows = {count, times, stride, ends_in_event};
  MbsRowSample sample = {.count = 0};
  double slack = 1e-9 * fabs(time_of(&rows, count - 1));
  if (t < time_of(&rows, 0) - slack || t > time_of(&rows, count - 1) + slack) {
    return sample;
  }
  long before = mbs_row_find(count, times, stride, t, near), left = before, right = before + 1;
  for (long i = before; i <= before + 1 && i < count; ++i) {
    if (!is_event(&rows, i) && fabs(t - time_of(&rows, i)) <= slack) {
      return (MbsRowSample){.count = 1, .rows = {i}, .weights = {1}, .rough = {1}};
    }
  }
  if (is_event(&rows, before) && !(time_of(&rows, before) < t)) {  // the time of an event is still before it
    while (left >= 0 && is_event(&rows, left)) {
      --left;
    }
    right = left + 1;
  }
  // the nearest first, up to the events around
  while (sample.count < MBS_ROW_SAMPLE_MOST) {
    bool has_left = left >= 0 && !is_event(&rows, left), has_right = right < count && !is_event(&rows, right);
    if (!has_left && !has_right) {
      break;
    }
    bool takes_left = has_left && (!has_right || t - time_of(&rows, left) <= time_of(&rows, right) - t);
    sample.rows[sample.count++] = takes_left ? left-- : right++;
  }
  weigh(&rows, sample.count, sample.rows, t, sample.weights);
  weigh(&rows,
        sample.count > 3   ? sample.count - 2
        : sample.count > 1 ? sample.count - 1
                           : sample.count,
        sample.rows, t, sample.rough);
  return sample;
}
