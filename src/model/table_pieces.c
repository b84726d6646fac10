// The pieces of a table, for branches that hold them (branch.c).
//
// Numbers of pieces. Along an axis a table has a companion that counts: L(x) = i at break i, linear between them, so
// that floor(L(x)) is the number of the piece, and an event is where L passes a whole number, like those of floor. What
// the event waits for is x itself, x - x_b = 0 or x - x_(b+1) = 0 (mbs_table_distance), for L has a kink right there.
// Breaks are the points, but for ends beyond which the last piece goes on: there a table of lines continued linearly
// has none. Where a table may not be left, its ends are a little beyond, and behind them it is not defined: a run may
// end right at the end of a table of t.
//
// What holds. Within a piece a table is a polynomial, and with the number b of the piece held by a branch, it is that
// polynomial wherever x is: its Taylor series about the middle m_b of the piece,
//     T(x; b) = sum_k T^(k)(m_b) (x - m_b)^k / k!,     of a map  sum_jk T^(j,k)(m_b, n_c) (x - m_b)^j (y - n_c)^k / j!
//     k!
// which ends with k = 1 (linear) or 3 (cubic), and so is exact. All of it is made of tables as they are: m_b is a table
// of steps looked up by number, T^(k) the derivative of the table, which brings ordinates as parameters along.
#include <math.h>

#include "expressions/table.h"
#include "model/blueprint.h"

typedef struct Breaks {
  int count;
  double *x;           // where pieces end, ascending
  double first, last;  // how far the ones before and behind them reach, to be looked at in the middle
} Breaks;

static bool is_periodic(const MbsAxis *axis) { return axis->period > 0; }

static MbsStatus find_breaks(MbsContext *context, MbsArena *arena, const MbsTable *table, const MbsAxis *axis,
                             Breaks *breaks) {
  const double rounding = 4e-12;  // more than what table.c takes for an end
  double begin = axis->x[0], end = axis->x[axis->count - 1], range = end - begin, hair = rounding * range;
  double beyond = range > 0 ? range : 1 + fabs(begin);  // real
  bool goes_on = table->form == MBS_TABLE_LINEAR && table->outside == MBS_OUTSIDE_LINEAR && !is_periodic(axis);
  bool is_defined = table->outside != MBS_OUTSIDE_ERROR || is_periodic(axis);
  bool has_end = table->form != MBS_TABLE_STEP || axis->count > table->piece_count;
  *breaks = (Breaks){.first = begin - (goes_on ? 0 : beyond), .last = end + (goes_on ? 0 : beyond)};
  MBS_TAKE(context, arena, breaks->x, axis->count);
  for (int i = goes_on; i < axis->count - goes_on; ++i) {
    breaks->x[breaks->count++] = axis->x[i];
  }
  if (!is_defined) {
    breaks->x[0] -= hair;
    breaks->first = begin - 3 * hair;
  }
  if (!is_defined && has_end) {
    breaks->x[breaks->count - 1] += hair;
    breaks->last = end + 3 * hair;
  }
  return MBS_OK;
}

// A table of steps, looked up by number, of a place for each piece.
static MbsTable *fill_places(const MbsTable *counter, const MbsNode *nodes, MbsTable *table) {
  const MbsAxis *axis = &counter->axis[0];
  *table = (MbsTable){.name = counter->name,
                      .place = counter->place,
                      .form = MBS_TABLE_STEP,
                      .outside = MBS_OUTSIDE_HOLD,
                      .axis_count = 1,
                      .axis = {*axis},
                      .piece_count = is_periodic(axis) ? axis->count - 1 : axis->count,
                      .rise = axis->period,
                      .number_count = axis->count,
                      .nodes = nodes};
  return table;
}

// Where there is no period numbers begin with -1, far before the first break, and end with one more, far behind the
// last, so that nothing is passed out there.
static MbsStatus add_counter(MbsContext *context, MbsBlueprint *blueprint, const MbsTable *table, const MbsAxis *axis,
                             const Breaks *breaks, int *index) {
  MbsGraph *graph = blueprint->graph;
  int pad = is_periodic(axis) ? 0 : 1, count = breaks->count + 2 * pad;
  double far = 1e6 * (breaks->last - breaks->first);
  MbsTable *counter, *levels, *middles;
  MbsNode *numbers, *begins, *halves;
  double *x;
  MBS_TAKE(context, blueprint->arena, counter, 1);
  MBS_TAKE(context, blueprint->arena, levels, 1);
  MBS_TAKE(context, blueprint->arena, middles, 1);
  MBS_TAKE(context, blueprint->arena, numbers, count);
  MBS_TAKE(context, blueprint->arena, begins, count);
  MBS_TAKE(context, blueprint->arena, halves, count);
  MBS_TAKE(context, blueprint->arena, x, count);
  for (int i = 0; i < count; ++i) {
    int k = i - pad;  // piece k begins at break k and ends at the next one
    double from = k < 0 ? breaks->first : k < breaks->count ? breaks->x[k] : breaks->last;
    double to = k + 1 < breaks->count ? breaks->x[k + 1] : breaks->last;
    x[i] = k < 0 ? from - far : k < breaks->count ? from : from + far;
    numbers[i] = mbs_graph_constant(graph, k);
    begins[i] = mbs_graph_constant(graph, x[i]);
    halves[i] = mbs_graph_constant(graph, from + (to - from) / 2);
  }
  *counter = (MbsTable){.name = table->name,
                        .place = table->place,
                        .form = MBS_TABLE_LINEAR,
                        .outside = MBS_OUTSIDE_LINEAR,
                        .is_counter = true,
                        .axis_count = 1,
                        .axis = {{.count = count, .x = x, .period = axis->period}},
                        .rise = is_periodic(axis) ? count - 1 : 0,
                        .number_count = count,
                        .nodes = numbers};
  MBS_TRY(mbs_table_finish(context, blueprint, fill_places(counter, begins, levels), &counter->levels));
  MBS_TRY(mbs_table_finish(context, blueprint, fill_places(counter, halves, middles), &counter->middles));
  return mbs_table_finish(context, blueprint, counter, index);
}

MbsStatus mbs_table_number(MbsContext *context, MbsBlueprint *blueprint, int index, int axis, MbsNode x,
                           MbsNode *number) {
  const int order[2] = {0, 0};
  MbsTable *table = mbs_graph_table(blueprint->graph, index);
  *number = MBS_NODE_NONE;
  if (table->counter[axis] == 0) {
    Breaks breaks;
    int counter = -1;
    MBS_TRY(find_breaks(context, blueprint->arena, table, &table->axis[axis], &breaks));
    if (breaks.count > 0) {
      MBS_TRY(add_counter(context, blueprint, table, &table->axis[axis], &breaks, &counter));
    }
    table->counter[axis] = counter >= 0 ? 1 + counter : -1;
  }
  if (table->counter[axis] > 0) {
    *number = mbs_graph_look_up(blueprint->graph, table->counter[axis] - 1, order, x, MBS_NODE_NONE);
  }
  return mbs_graph_status(context, blueprint->graph);
}

bool mbs_table_is_counter(const MbsBlueprint *blueprint, MbsNode node) {
  const MbsGraphNode *n = mbs_graph_node(blueprint->graph, node);
  return n->operation == MBS_OP_TABLE && mbs_table_lookup(blueprint->graph, n->index).table->is_counter;
}

// what a companion of a counter has for a number
static MbsNode look_up_place(MbsGraph *graph, const MbsTable *counter, int places, MbsNode b) {
  const int by_number[2] = {0, MBS_TABLE_BY_NUMBER};
  MbsNode number = counter->rise > 0 ? b : mbs_graph_add(graph, b, mbs_graph_constant(graph, 1));
  return mbs_graph_look_up(graph, places, by_number, number, MBS_NODE_NONE);
}

MbsNode mbs_table_distance(MbsBlueprint *blueprint, MbsNode counter, MbsNode b) {
  MbsGraph *graph = blueprint->graph;
  const MbsGraphNode n = *mbs_graph_node(graph, counter);
  const MbsTable *table = mbs_table_lookup(graph, n.index).table;
  return mbs_graph_subtract(graph, n.operand[0], look_up_place(graph, table, table->levels, b));
}

MbsNode mbs_table_hold(MbsBlueprint *blueprint, int index, const int order[2], const MbsNode at[2],
                       const MbsNode piece[2]) {
  MbsGraph *graph = blueprint->graph;
  const MbsTable *table = mbs_graph_table(graph, index);
  const MbsNode zero = mbs_graph_constant(graph, 0);
  MbsNode middle[2] = {at[0], at[1]}, from_x = zero, from_y = zero, sum = zero;
  for (int k = 0; k < table->axis_count; ++k) {
    if (piece[k] != MBS_NODE_NONE) {
      const MbsTable *counter = mbs_graph_table(graph, table->counter[k] - 1);
      middle[k] = look_up_place(graph, counter, counter->middles, piece[k]);
      *(k == 0 ? &from_x : &from_y) = mbs_graph_subtract(graph, at[k], middle[k]);
    }
  }
  // Horner's scheme, in y for each power of x
  int most_x = from_x == zero ? 0 : MBS_TABLE_ORDERS - 1 - order[0];
  int most_y = from_y == zero ? 0 : MBS_TABLE_ORDERS - 1 - order[1];
  for (int i = most_x; i >= 0; --i) {
    MbsNode inner = zero;
    for (int j = most_y; j >= 0; --j) {
      const int higher[2] = {order[0] + i, order[1] + j};
      MbsNode term = mbs_graph_look_up(graph, index, higher, middle[0], middle[1]);
      MbsNode share = mbs_graph_divide(graph, from_y, mbs_graph_constant(graph, j + 1));
      inner = mbs_graph_add(graph, term, mbs_graph_multiply(graph, share, inner));
    }
    MbsNode share = mbs_graph_divide(graph, from_x, mbs_graph_constant(graph, i + 1));
    sum = mbs_graph_add(graph, inner, mbs_graph_multiply(graph, share, sum));
  }
  return sum;
}
