// See extrapolation.h. Double only.
#include "sensitivities/extrapolation.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double rounding = 1000 * DBL_EPSILON;  // that many steps add up
static const double safety = 3, as_expected = 2, most = 16, least = 8, much = 10, of_group = 0.1, small = 1e-3;

MbsStatus mbs_extrapolation_create(MbsContext *context, MbsArena *arena, int count, const double *size,
                                   MbsExtrapolation *extrapolation) {
  *extrapolation = (MbsExtrapolation){.count = count, .size = size, .reached = HUGE_VAL};
  MBS_TAKE(context, arena, extrapolation->levels, (size_t)MBS_MOST_LEVELS * (size_t)count);
  MBS_TAKE(context, arena, extrapolation->value, 3 * (size_t)count);
  MBS_TAKE(context, arena, extrapolation->tried, 3 * (size_t)count);
  extrapolation->error = extrapolation->value + count;
  extrapolation->scale = extrapolation->value + 2 * (size_t)count;
  return MBS_OK;
}

void mbs_extrapolation_forget(MbsExtrapolation *extrapolation, int order, int gap) {
  extrapolation->order = order;
  extrapolation->gap = gap;
  extrapolation->column_count = MBS_MOST_COLUMNS;
  extrapolation->level_count = 0;
  extrapolation->reached = HUGE_VAL;
  extrapolation->largest = 0;
}

// ---- the table ----
static double power(const MbsExtrapolation *x, int column) { return ldexp(1, x->order + column * x->gap); }

// the last three rows of a column, the last one first
static void find_rows(const MbsExtrapolation *x, int number, int column, double rows[3]) {
  double table[MBS_MOST_COLUMNS + 3];
  int first = x->level_count - column - 3;
  for (int i = 0; i < column + 3; ++i) {
    table[i] = x->levels[(first + i) * x->count + number];
  }
  for (int j = 0; j < column; ++j) {
    for (int i = column + 2; i > j; --i) {
      table[i] += (table[i] - table[i - 1]) / (power(x, j) - 1);
    }
  }
  for (int i = 0; i < 3; ++i) {
    rows[i] = table[column + 2 - i];
  }
}

// ---- the estimate ----
// what all numbers of the group are small against
static double measure(const MbsExtrapolation *x, int column) {
  double rows[3], m = x->largest;
  for (int i = 1; i < x->count; ++i) {
    find_rows(x, i, column, rows);
    m = fmax(m, fabs(rows[0]) * x->size[i]);
  }
  return m;
}

static double over(double difference, double scale) { return difference > 0 ? difference / scale : 0; }

// d: of a number; before: its difference before that, or a part of the group's
static double error_of(double ratio, double factor, double d, double before) {
  if (ratio > as_expected * factor) {
    return safety * fmax(d, before / factor);
  }
  return ratio >= factor / as_expected ? safety * d / (fmin(factor, most) - 1) : safety * fmax(d, before / least);
}

// Of the last row of a column: values, errors and scales, `count` each; returns the largest error, in scales.
static double estimate(const MbsExtrapolation *x, int column, double *numbers, int *worst) {
  double m = measure(x, column), factor = power(x, column), last = 0, before = 0, reached = 0;
  double *value = numbers, *error = numbers + x->count, *scale = numbers + 2 * x->count, rows[3];
  for (int i = 0; i < x->count; ++i) {
    find_rows(x, i, column, rows);
    value[i] = rows[0];
    scale[i] = fmax(fabs(rows[0]), i == 0 ? small * m : small * m / x->size[i]);
    last = fmax(last, over(fabs(rows[0] - rows[1]), scale[i]));
    before = fmax(before, over(fabs(rows[1] - rows[2]), scale[i]));
  }
  double ratio = last > 0 ? before / last : factor;
  *worst = 0;
  for (int i = 0; i < x->count; ++i) {
    find_rows(x, i, column, rows);
    double own = fabs(rows[1] - rows[2]), of_all = of_group * before * scale[i];
    double d = fmax(fmax(fabs(rows[0] - rows[1]), own / factor), of_group * last * scale[i]);
    error[i] = fmax(error_of(ratio, factor, d, fmax(own, of_all)), rounding * scale[i]);
    double relative = over(error[i], scale[i]);
    *worst = relative > reached ? i : *worst;
    reached = fmax(reached, relative);
  }
  return reached;
}

// The best column of the table; with `x` as it is.
static double choose(const MbsExtrapolation *x, int *column) {
  double best = HUGE_VAL;
  int worst;
  for (int j = 0; j < x->column_count && j + 3 <= x->level_count; ++j) {
    double reached = estimate(x, j, x->tried, &worst);
    *column = reached < best ? j : *column;
    best = fmin(best, reached);
  }
  return best;
}

// What is not smooth enough, or is of first order by itself (multipliers of a step at position level), shows by its
// convergence: then the powers are all from the first on.
static double choose_powers(MbsExtrapolation *x, int *column) {
  int order = x->order, gap = x->gap, other = 0;
  double best = choose(x, column);
  x->order = x->gap = 1;
  double first = choose(x, &other);
  if (first < best / much) {
    *column = other;
    return first;
  }
  x->order = order;
  x->gap = gap;
  return best;
}

void mbs_extrapolation_add(MbsExtrapolation *x, double largest, const double *numbers) {
  const double worse = 4;  // what was found before cannot be better than the last row by more
  int column = 0, order = x->order, gap = x->gap;
  memcpy(x->levels + x->level_count * x->count, numbers, (size_t)x->count * sizeof *numbers);
  x->level_count += 1;
  x->largest = fmax(x->largest, largest);
  double best = choose_powers(x, &column);
  if (best < worse * x->reached) {
    x->column = column;
    x->reached = estimate(x, column, x->value, &x->worst);
  } else if (isfinite(best)) {
    double more = best / (worse * x->reached);
    for (int i = 0; i < x->count; ++i) {
      x->error[i] *= more;
    }
    x->reached *= more;
  }
  x->order = order;
  x->gap = gap;
}
