// Evaluation of tables: see table.h.
#include "expressions/table.h"

// Beyond the ends by so much of the whole range is rounding: times add up.
static const double rounding = 1e-12;

// Of one axis: an interval, and the weights of the values and of the slopes at its two ends.
typedef struct AxisWeights {
  int interval;
  mbs_scalar value[2], slope[2];
  bool is_left;  // outside, where that is no place for the table
  double turns;  // whole periods that were taken off
} AxisWeights;

// The interval i with x_i <= at < x_(i+1), of `pieces`; the first before all of them, the last behind. The one at which
// the search begins and its neighbours come first.
static int locate(const double *x, int pieces, double at, int last) {
  for (int i = last > 0 ? last - 1 : 0; i <= last + 1 && i < pieces; ++i) {
    bool is_behind = i == 0 || at >= x[i], is_before = i == pieces - 1 || at < x[i + 1];
    if (is_behind && is_before) {
      return i;
    }
  }
  int low = 0, high = pieces;  // x_low <= at or low = 0, at < x_high or high = pieces
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    *(at >= x[middle] ? &low : &high) = middle;
  }
  return low;
}

static void set_cubic(int order, mbs_scalar u, double h, AxisWeights *w) {
  double per_h = 1 / h;
  switch (order) {
    case 0:
      w->value[1] = u * u * (3 - 2 * u);
      w->value[0] = 1 - w->value[1];
      w->slope[0] = h * u * (1 - u) * (1 - u);
      w->slope[1] = h * u * u * (u - 1);
      break;
    case 1:
      w->value[1] = 6 * u * (1 - u) * per_h;
      w->value[0] = -w->value[1];
      w->slope[0] = (1 - u) * (1 - 3 * u);
      w->slope[1] = u * (3 * u - 2);
      break;
    case 2:
      w->value[1] = (6 - 12 * u) * per_h * per_h;
      w->value[0] = -w->value[1];
      w->slope[0] = (6 * u - 4) * per_h;
      w->slope[1] = (6 * u - 2) * per_h;
      break;
    default:
      w->value[1] = -12 * per_h * per_h * per_h;
      w->value[0] = -w->value[1];
      w->slope[0] = w->slope[1] = 6 * per_h * per_h;
      break;
  }
}

static void set_linear(int order, mbs_scalar u, double h, AxisWeights *w) {
  w->value[1] = order == 0 ? u : 1 / h;
  w->value[0] = order == 0 ? 1 - u : -1 / h;
}

// beyond the end `side` (0, 1) by x: the value there, and the slope times x
static void set_outside(const MbsTable *table, int order, int side, mbs_scalar x, AxisWeights *w) {
  bool is_continued = table->outside == MBS_OUTSIDE_LINEAR;
  w->value[side] = order == 0 ? 1 : 0;
  w->slope[side] = !is_continued || order > 1 ? 0 : order == 1 ? 1 : x;
}

static void find_weights(const MbsTable *table, int axis_index, int order, mbs_scalar x, int *last, AxisWeights *w) {
  const MbsAxis *axis = &table->axis[axis_index];
  int intervals = axis->count - 1;
  double first = axis->x[0], end = axis->x[intervals];
  *w = (AxisWeights){.interval = 0};
  if (axis->period > 0) {
    w->turns = floor((mbs_re(x) - first) / axis->period);  // real
    x -= w->turns * axis->period;
  }
  double at = mbs_re(x), hair = rounding * (end - first);
  w->interval = *last = locate(axis->x, intervals, at, *last);
  bool is_below = axis->period == 0 && at < first - hair, is_above = axis->period == 0 && at > end + hair;
  double h = axis->x[w->interval + 1] - axis->x[w->interval];
  mbs_scalar u = (x - axis->x[w->interval]) / h;
  w->is_left = (is_below || is_above) && table->outside == MBS_OUTSIDE_ERROR;
  if ((is_below || is_above) && !(table->form == MBS_TABLE_LINEAR && table->outside == MBS_OUTSIDE_LINEAR)) {
    set_outside(table, order, is_above, x - (is_above ? end : first), w);
  } else if (table->form == MBS_TABLE_LINEAR) {
    set_linear(order, u, h, w);
  } else {
    set_cubic(order, u, h, w);
  }
}

// The piece of a table of steps; *is_left: there is none.
static int find_piece(const MbsLookup *lookup, double at, int *last, bool *is_left) {
  const MbsTable *table = lookup->table;
  const MbsAxis *axis = &table->axis[0];
  int pieces = table->piece_count, piece;
  bool is_below, is_above;
  if (lookup->order[1] == MBS_TABLE_BY_NUMBER) {
    at = axis->period > 0 ? at - pieces * floor(at / pieces) : at;  // real
    is_below = at < 0;
    is_above = at >= pieces && axis->count > pieces;
    piece = at < 0 ? 0 : at >= pieces ? pieces - 1 : (int)at;
  } else {
    double first = axis->x[0], end = axis->x[axis->count - 1], hair = rounding * (end - first);
    at -= axis->period > 0 ? axis->period * floor((at - first) / axis->period) : 0;  // real
    is_below = axis->period == 0 && at < first - hair;
    is_above = axis->period == 0 && at > end + hair && axis->count > pieces;
    piece = *last = locate(axis->x, pieces, at, *last);
  }
  *is_left = (is_below || is_above) && table->outside == MBS_OUTSIDE_ERROR;
  return piece;
}

static void leave(const MbsLookup *lookup, mbs_scalar x, mbs_scalar y, MbsSpread *spread) {
  MbsTable *table = lookup->table;
  const MbsAxis *axis = &table->axis[0];
  bool is_by_number = table->form == MBS_TABLE_STEP && lookup->order[1] == MBS_TABLE_BY_NUMBER;
  if (!table->is_left) {
    table->is_left = true;
    table->left_at[0] = !is_by_number ? mbs_re(x) : axis->x[mbs_re(x) < 0 ? 0 : axis->count - 1];
    table->left_at[1] = mbs_re(y);
  }
  *spread = (MbsSpread){.count = 1, .number = {0}, .weight = {(double)NAN}};
}

void mbs_table_spread(MbsLookup *lookup, mbs_scalar x, mbs_scalar y, MbsSpread *spread) {
  MbsTable *table = lookup->table;
  bool is_cubic = table->form == MBS_TABLE_CUBIC;
  spread->count = 0;
  if (table->form == MBS_TABLE_STEP) {
    bool is_left;
    int piece = find_piece(lookup, mbs_re(x), &lookup->last[0], &is_left);
    spread->count = 1;
    spread->number[0] = piece;
    spread->weight[0] = isnan(mbs_re(x)) ? (double)NAN : 1;
    if (is_left) {
      leave(lookup, x, y, spread);
    }
    return;
  }
  AxisWeights w[2];
  find_weights(table, 0, lookup->order[0], x, &lookup->last[0], &w[0]);
  bool is_left = w[0].is_left;
  if (table->axis_count == 1) {
    for (int k = 0; k < 2 * (1 + is_cubic); ++k) {
      spread->number[k] = (k / 2) * table->axis[0].count + w[0].interval + k % 2;
      spread->weight[k] = k < 2 ? w[0].value[k] : w[0].slope[k - 2];
    }
    spread->count = 2 * (1 + is_cubic);
  } else {
    int columns = table->axis[1].count, all = table->axis[0].count * columns;
    find_weights(table, 1, lookup->order[1], y, &lookup->last[1], &w[1]);
    is_left = is_left || w[1].is_left;
    for (int level = 0; level < (is_cubic ? 4 : 1); ++level) {  // z, z_x, z_y, z_xy
      const mbs_scalar *of_x = level & 1 ? w[0].slope : w[0].value, *of_y = level & 2 ? w[1].slope : w[1].value;
      for (int k = 0; k < 4; ++k) {
        spread->number[spread->count] = level * all + (w[0].interval + k / 2) * columns + w[1].interval + k % 2;
        spread->weight[spread->count++] = of_x[k / 2] * of_y[k % 2];
      }
    }
  }
  if (is_left) {
    leave(lookup, x, y, spread);
  }
}

// what periods have added
static mbs_scalar rise_of(const MbsLookup *lookup, mbs_scalar x) {
  const MbsTable *table = lookup->table;
  const MbsAxis *axis = &table->axis[0];
  if (table->rise > 0 && table->form == MBS_TABLE_STEP) {
    return table->rise * floor(mbs_re(x) / table->piece_count);  // real
  }
  return lookup->order[0] == 0 && table->rise > 0
             ? table->rise * floor((mbs_re(x) - axis->x[0]) / axis->period)  // real
             : 0;
}

// A curve without a period in the interval where it was looked up last, from what is at the two ends: what nearly all
// look-ups of a run are. false: it is another case.
static inline bool is_in_place(const MbsLookup *lookup, double at) {
  const MbsTable *table = lookup->table;
  const double *x = table->axis[0].x + lookup->last[0];
  return table->is_plain_curve && at >= x[0] && at < x[1];
}

static inline mbs_scalar value_in_place(const MbsLookup *lookup, mbs_scalar x, mbs_scalar y0, mbs_scalar y1,
                                        mbs_scalar s0, mbs_scalar s1) {
  const double *points = lookup->table->axis[0].x + lookup->last[0];
  double h = points[1] - points[0];
  mbs_scalar u = (x - points[0]) / h, rise = y1 - y0;
  if (lookup->table->form == MBS_TABLE_LINEAR) {
    return lookup->order[0] == 0 ? y0 + u * rise : rise / h;
  }
  // y0 + u (h s0 + u (b + u c))
  mbs_scalar a = h * s0, c = h * (s0 + s1) - 2 * rise, b = rise - a - c;
  switch (lookup->order[0]) {
    case 0: return y0 + u * (a + u * (b + u * c));
    case 1: return (a + u * (2 * b + u * 3 * c)) / h;
    case 2: return (2 * b + u * 6 * c) / (h * h);
    default: return 6 * c / (h * h * h);
  }
}

// A piece of a table of steps by its number, where it has just that many: what controls are made of.
static inline bool is_own_piece(const MbsLookup *lookup, double number) {
  const MbsTable *table = lookup->table;
  return table->form == MBS_TABLE_STEP && lookup->order[1] == MBS_TABLE_BY_NUMBER && table->axis[0].period == 0 &&
         !(table->rise > 0) && number >= 0 && number < table->piece_count;
}

mbs_scalar mbs_table_value(MbsLookup *lookup, mbs_scalar x, mbs_scalar y) {
  if (is_own_piece(lookup, mbs_re(x))) {
    return lookup->table->numbers[(int)mbs_re(x)];
  }
  if (is_in_place(lookup, mbs_re(x))) {
    int slopes = lookup->table->form == MBS_TABLE_CUBIC ? lookup->table->axis[0].count : 0;
    const mbs_scalar *n = lookup->table->numbers + lookup->last[0];
    return value_in_place(lookup, x, n[0], n[1], n[slopes], n[slopes + 1]);
  }
  MbsSpread spread;
  mbs_scalar sum = rise_of(lookup, x);
  mbs_table_spread(lookup, x, y, &spread);
  if (is_in_place(lookup, mbs_re(x))) {  // to the same bits wherever it was before
    return mbs_table_value(lookup, x, y);
  }
  for (int k = 0; k < spread.count; ++k) {
    sum += spread.weight[k] * lookup->table->numbers[spread.number[k]];
  }
  return sum;
}

mbs_scalar mbs_table_value_plain(MbsLookup *lookup, mbs_scalar x, mbs_scalar y) {
  MbsSpread spread;
  mbs_scalar sum = rise_of(lookup, x);
  mbs_table_spread(lookup, x, y, &spread);
  for (int k = 0; k < spread.count; ++k) {
    sum += spread.weight[k] * lookup->table->real[spread.number[k]];
  }
  return sum;
}

double mbs_table_value_of(MbsLookup *lookup, double x, double y, const double *by_node) {
  MbsSpread spread;
  double sum = mbs_re(rise_of(lookup, x));
  mbs_table_spread(lookup, x, y, &spread);
  for (int k = 0; k < spread.count; ++k) {
    sum += mbs_re(spread.weight[k]) * by_node[lookup->table->nodes[spread.number[k]]];
  }
  return sum;
}
