// See extrapolation.h. Double only.
#include "sensitivities/extrapolation.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double unshaken = 1000 * DBL_EPSILON, rounding = 100 * DBL_EPSILON;
static const double safety = 3, as_expected = 2, most = 64, least = 8, part = 16, much = 10, of_group = 0.1;
static const double small = 1e-3;

enum { ROWS = 4 };

MbsStatus mbs_extrapolation_create(MbsContext *context, MbsArena *arena, int count, const double *size,
                                   MbsExtrapolation *extrapolation) {
  *extrapolation = (MbsExtrapolation){.count = count, .size = size, .reached = HUGE_VAL};
  MBS_TAKE(context, arena, extrapolation->levels, (size_t)MBS_MOST_LEVELS * (size_t)count);
  MBS_TAKE(context, arena, extrapolation->value, 3 * (size_t)count);
  MBS_TAKE(context, arena, extrapolation->tried, 3 * (size_t)count);
  MBS_TAKE(context, arena, extrapolation->moved, MBS_SHAKEN_LEVELS * (size_t)count);
  extrapolation->error = extrapolation->value + count;
  extrapolation->scale = extrapolation->value + 2 * (size_t)count;
  return MBS_OK;
}

void mbs_extrapolation_forget(MbsExtrapolation *extrapolation, int order, int gap) {
  extrapolation->order = order;
  extrapolation->gap = gap;
  extrapolation->column_count = MBS_MOST_COLUMNS;
  extrapolation->level_count = extrapolation->shaken_count = 0;
  extrapolation->reached = HUGE_VAL;
  extrapolation->largest = 0;
}

// ---- the table ----
// the last rows of a column, the last one first: four where there are so many, else three
static int find_rows(const MbsExtrapolation *x, int number, int column, double rows[ROWS]) {
  double table[MBS_MOST_COLUMNS + ROWS];
  int count = x->level_count - column < ROWS ? x->level_count - column : ROWS;
  int first = x->level_count - column - count;
  for (int i = 0; i < column + count; ++i) {
    table[i] = x->levels[(first + i) * x->count + number];
  }
  for (int j = 0; j < column; ++j) {
    for (int i = column + count - 1; i > j; --i) {
      table[i] = mbs_extrapolate_once(x->order + j * x->gap, table[i - 1], table[i]);
    }
  }
  for (int i = 0; i < count; ++i) {
    rows[i] = table[column + count - 1 - i];
  }
  return count;
}

// ---- what rounding does ----
static double over(double difference, double scale) { return difference > 0 ? difference / scale : 0; }

static double moved_by(const MbsExtrapolation *x, int number) {
  int count = x->shaken_count < MBS_SHAKEN_LEVELS ? x->shaken_count : MBS_SHAKEN_LEVELS;
  double moved = 0;
  for (int i = 0; i < count; ++i) {
    moved = fmax(moved, x->moved[i * x->count + number]);
  }
  return moved;
}

static double largest_move(const MbsExtrapolation *x, const double *scale) {
  double largest = 0;
  for (int i = 0; i < x->count; ++i) {
    largest = fmax(largest, over(moved_by(x, i), scale[i]));
  }
  return largest;
}

static double least_error(const MbsExtrapolation *x, int number, double of_all, double scale) {
  double moved = safety * fmax(moved_by(x, number), of_group * of_all * scale);
  return fmax(moved, (of_all > 0 ? rounding : unshaken) * scale);
}

// ---- the estimate ----
static double scale_of(const MbsExtrapolation *x, int number, double value, double measure) {
  return fmax(fabs(value), number == 0 ? small * measure : small * measure / x->size[number]);
}

// what all numbers of the group are small against
static double measure_of(const MbsExtrapolation *x, int column) {
  double rows[ROWS], m = x->largest;
  for (int i = 1; i < x->count; ++i) {
    find_rows(x, i, column, rows);
    m = fmax(m, fabs(rows[0]) * x->size[i]);
  }
  return m;
}

// The largest differences of a group, in scales: D[k], D[k-1] and, where there are four rows, D[k-2].
typedef struct Fall {
  double last, before, first;
  double factor;  // that is expected of them
  bool has_first;
} Fall;

static bool is_luck(const Fall *fall) {
  return fall->has_first && fall->first < fmax(1, fall->factor / part) * fall->before;
}

// d: of a number; before: its difference before that, or a part of the group's
static double error_of(const Fall *fall, double d, double before) {
  double ratio = fall->last > 0 ? fall->before / fall->last : fall->factor, factor = fall->factor;
  if (ratio < factor / as_expected || is_luck(fall)) {
    return safety * fmax(d, before / least);
  }
  return ratio > as_expected * factor ? safety * fmax(d, before / factor) : safety * d / (fmin(factor, most) - 1);
}

// Of the last row of a column: values, errors and scales, `count` each; returns the largest error, in scales.
static double estimate(const MbsExtrapolation *x, int column, double *numbers, int *worst) {
  double m = measure_of(x, column), reached = 0, rows[ROWS];
  double *value = numbers, *error = numbers + x->count, *scale = numbers + 2 * x->count;
  Fall fall = {.factor = ldexp(1, x->order + column * x->gap)};
  for (int i = 0; i < x->count; ++i) {
    fall.has_first = find_rows(x, i, column, rows) == ROWS;
    value[i] = rows[0];
    scale[i] = scale_of(x, i, rows[0], m);
    fall.last = fmax(fall.last, over(fabs(rows[0] - rows[1]), scale[i]));
    fall.before = fmax(fall.before, over(fabs(rows[1] - rows[2]), scale[i]));
    fall.first = fall.has_first ? fmax(fall.first, over(fabs(rows[2] - rows[3]), scale[i])) : 0;
  }
  double moved = largest_move(x, scale);
  *worst = 0;
  for (int i = 0; i < x->count; ++i) {
    find_rows(x, i, column, rows);
    double own = fabs(rows[1] - rows[2]), of_all = of_group * fall.before * scale[i];
    double d = fmax(fmax(fabs(rows[0] - rows[1]), own / fall.factor), of_group * fall.last * scale[i]);
    error[i] = fmax(error_of(&fall, d, fmax(own, of_all)), least_error(x, i, moved, scale[i]));
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
  x->largest = largest;
  double best = choose_powers(x, &column);
  x->worse = best < worse * x->reached || !isfinite(best) ? 0 : best / (worse * x->reached);
  if (best < worse * x->reached) {
    x->column = column;
    x->reached = estimate(x, column, x->value, &x->worst);
  }
  x->order = order;
  x->gap = gap;
}

void mbs_extrapolation_hold_against(MbsExtrapolation *x) {
  for (int i = 0; i < x->count && x->worse > 1; ++i) {
    x->error[i] *= x->worse;
  }
  x->reached *= x->worse > 1 ? x->worse : 1;
}

void mbs_extrapolation_find_reached(MbsExtrapolation *x) {
  double largest = 0;
  for (int i = 0; i < x->count && isfinite(x->reached); ++i) {
    double relative = over(x->error[i], x->scale[i]);
    x->worst = relative > largest ? i : x->worst;
    largest = fmax(largest, relative);
  }
  x->reached = isfinite(x->reached) ? largest : x->reached;
}

double mbs_extrapolation_shake(MbsExtrapolation *x, const double *numbers) {
  const double *level = x->levels + (x->level_count - 1) * x->count;
  double *moved = x->moved + x->shaken_count % MBS_SHAKEN_LEVELS * x->count, m = x->largest, largest = 0;
  for (int i = 0; i < x->count; ++i) {
    moved[i] = fabs(numbers[i] - level[i]);
    m = i > 0 ? fmax(m, fabs(level[i]) * x->size[i]) : m;
  }
  x->shaken_count += 1;
  for (int i = 0; i < x->count; ++i) {
    largest = fmax(largest, over(moved[i], scale_of(x, i, level[i], m)));
  }
  x->last_moved = largest;
  return largest;
}
