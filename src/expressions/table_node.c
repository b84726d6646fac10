// Tables in the graph: TABLE nodes with their deltas, and the expression of the pieces where no argument moves.
#include <math.h>

#include "expressions/graph_storage.h"
#include "expressions/table.h"

void mbs_graph_use_tables(MbsGraph *graph, const MbsTableInputs *inputs) { graph->table_inputs = *inputs; }

int mbs_graph_add_table(MbsGraph *graph, MbsTable *table) {
  MbsTable **grown =
      mbs_arena_grow(graph->arena, graph->tables, graph->table_count, &graph->table_capacity, sizeof(MbsTable *));
  if (!grown) {
    (void)mbs_graph_give_up(graph, MBS_GRAPH_NO_MEMORY);
    return -1;
  }
  graph->tables = grown;
  graph->tables[graph->table_count++] = table;
  return graph->table_count - 1;
}

int mbs_graph_table_count(const MbsGraph *graph) { return graph->table_count; }

MbsTable *mbs_graph_table(const MbsGraph *graph, int index) { return graph->tables[index]; }

// ---- which table, and which derivative ----
static int orders_of(const MbsTable *table) {
  return table->form == MBS_TABLE_STEP ? 1 : table->form == MBS_TABLE_LINEAR ? 2 : MBS_TABLE_ORDERS;
}

static int index_of(int table, const int order[2]) {
  return (table * MBS_TABLE_ORDERS + order[0]) * MBS_TABLE_ORDERS + order[1];
}

bool mbs_table_has_order(const MbsLookup *lookup) {
  const MbsTable *table = lookup->table;
  bool is_by_number = table->form == MBS_TABLE_STEP && lookup->order[1] == MBS_TABLE_BY_NUMBER;
  return lookup->order[0] < orders_of(table) && (is_by_number || lookup->order[1] < orders_of(table));
}

int mbs_graph_table_of(const MbsGraphNode *node) { return node->index / (MBS_TABLE_ORDERS * MBS_TABLE_ORDERS); }

MbsLookup mbs_table_lookup(const MbsGraph *graph, int index) {
  return (MbsLookup){.table = graph->tables[index / (MBS_TABLE_ORDERS * MBS_TABLE_ORDERS)],
                     .order = {index / MBS_TABLE_ORDERS % MBS_TABLE_ORDERS, index % MBS_TABLE_ORDERS}};
}

// ---- deltas ----
// The deltas of all orders at one place (x, y), which are new inputs, one after the other.
static bool find_site(MbsGraph *graph, int table, MbsNode x, MbsNode y, int count, MbsTableSite **site) {
  for (int i = 0; i < graph->site_count; ++i) {
    *site = &graph->sites[i];
    if ((*site)->table == table && (*site)->x == x && (*site)->y == y) {
      return true;
    }
  }
  MbsTableSite *grown =
      mbs_arena_grow(graph->arena, graph->sites, graph->site_count, &graph->site_capacity, sizeof *grown);
  if (!grown) {
    return false;
  }
  graph->sites = grown;
  *site = &graph->sites[graph->site_count++];
  **site = (MbsTableSite){.table = table, .x = x, .y = y};
  for (int k = 0; k < count; ++k) {
    int input;
    if (!graph->table_inputs.make(graph->table_inputs.user, &input)) {
      return false;
    }
    (*site)->first = k == 0 ? input : (*site)->first;
  }
  return true;
}

// that of this order, with the following ones in its train
static MbsNode delta_of(MbsGraph *graph, int table, const int order[2], MbsNode x, MbsNode y) {
  const MbsTable *t = graph->tables[table];
  if (!t->is_varying) {
    return MBS_NODE_NONE;
  }
  int orders = orders_of(t), count = t->axis_count == 1 ? orders : orders * orders;
  int wanted = t->axis_count == 1 ? order[0] : order[0] * orders + order[1];
  MbsTableSite *site;
  if (!find_site(graph, table, x, y, count, &site)) {
    (void)mbs_graph_give_up(graph, MBS_GRAPH_NO_MEMORY);
    return MBS_NODE_NONE;
  }
  int first = site->first;
  MbsNode delta = MBS_NODE_NONE;
  for (int k = count - 1; k >= wanted; --k) {
    delta = mbs_graph_input_with(graph, first + k, delta);
  }
  return delta;
}

// ---- the expression of the pieces, of arguments that do not move ----
static MbsNode number(MbsGraph *graph, double value) { return mbs_graph_constant(graph, value); }

static MbsNode add_product(MbsGraph *graph, MbsNode sum, MbsNode a, MbsNode b) {
  return mbs_graph_add(graph, sum, mbs_graph_multiply(graph, a, b));
}

// weights of the values at both ends and of the slopes there
typedef struct WeightNodes {
  MbsNode weight[4];
} WeightNodes;

// scale times the d-th derivative by u of the polynomial with these coefficients
static MbsNode polynomial(MbsGraph *graph, const double c[4], int d, double scale, MbsNode u) {
  MbsNode sum = MBS_GRAPH_ZERO;
  for (int k = 3; k >= d; --k) {
    double factor = scale * c[k];
    for (int m = 0; m < d; ++m) {
      factor *= k - m;
    }
    sum = mbs_graph_add(graph, mbs_graph_multiply(graph, sum, u), number(graph, factor));
  }
  return sum;
}

// of interval i; i = -1 and count - 1: outside
static WeightNodes weigh(MbsGraph *graph, const MbsTable *table, const MbsAxis *axis, int order, int i, MbsNode x) {
  static const double linear[4][4] = {{1, -1}, {0, 1}},
                      cubic[4][4] = {{1, 0, -3, 2}, {0, 0, 3, -2}, {0, 1, -2, 1}, {0, 0, -1, 1}};
  bool is_linear = table->form == MBS_TABLE_LINEAR, is_outside = i < 0 || i == axis->count - 1;
  WeightNodes w;
  for (int k = 0; k < 4; ++k) {
    w.weight[k] = MBS_GRAPH_ZERO;
  }
  if (is_outside && table->outside == MBS_OUTSIDE_ERROR) {
    w.weight[0] = number(graph, (double)NAN);
    return w;
  }
  if (is_outside && !(is_linear && table->outside == MBS_OUTSIDE_LINEAR)) {
    int side = i < 0 ? 0 : 1;
    MbsNode beyond = mbs_graph_subtract(graph, x, number(graph, axis->x[side ? axis->count - 1 : 0]));
    w.weight[side] = number(graph, order == 0);
    if (table->outside == MBS_OUTSIDE_LINEAR) {
      w.weight[2 + side] = order == 0 ? beyond : number(graph, order == 1);
    }
    return w;
  }
  i = i < 0 ? 0 : i == axis->count - 1 ? i - 1 : i;
  double h = axis->x[i + 1] - axis->x[i], scale = pow(h, -order);  // real
  MbsNode u = mbs_graph_divide(graph, mbs_graph_subtract(graph, x, number(graph, axis->x[i])), number(graph, h));
  for (int k = 0; k < 4; ++k) {
    w.weight[k] = polynomial(graph, is_linear ? linear[k] : cubic[k], order, k < 2 ? scale : h * scale, u);
  }
  return w;
}

// the sum of numbers times weights, for interval i of x and (of a map) j of y
static MbsNode cell(MbsGraph *graph, const MbsTable *table, const int order[2], int i, int j, const MbsNode at[2]) {
  MbsNode sum = MBS_GRAPH_ZERO;
  const MbsAxis *axes = table->axis;
  int count = axes[0].count;
  if (table->form == MBS_TABLE_STEP) {
    bool is_outside = i < 0 || (i == table->piece_count && count > table->piece_count);
    int piece = i < 0 ? 0 : i >= table->piece_count ? table->piece_count - 1 : i;
    return is_outside && table->outside == MBS_OUTSIDE_ERROR ? number(graph, (double)NAN) : table->nodes[piece];
  }
  WeightNodes x = weigh(graph, table, &axes[0], order[0], i, at[0]);
  i = i < 0 ? 0 : i > count - 2 ? count - 2 : i;
  int levels = table->form == MBS_TABLE_CUBIC ? 4 : 2;
  if (table->axis_count == 1) {
    for (int k = 0; k < levels; ++k) {
      sum = add_product(graph, sum, x.weight[k], table->nodes[(k / 2) * count + i + k % 2]);
    }
    return sum;
  }
  int columns = axes[1].count;
  WeightNodes y = weigh(graph, table, &axes[1], order[1], j, at[1]);
  j = j < 0 ? 0 : j > columns - 2 ? columns - 2 : j;
  for (int k = 0; k < levels; ++k) {
    for (int m = 0; m < levels; ++m) {
      int level = k / 2 + 2 * (m / 2);
      MbsNode n = table->nodes[(level * count + i + k % 2) * columns + j + m % 2];
      sum = add_product(graph, sum, mbs_graph_multiply(graph, x.weight[k], y.weight[m]), n);
    }
  }
  return sum;
}

// x without whole periods; *turns: these
static MbsNode within(MbsGraph *graph, const MbsAxis *axis, MbsNode x, MbsNode *turns) {
  *turns = MBS_GRAPH_ZERO;
  if (axis->period == 0) {
    return x;
  }
  MbsNode along = mbs_graph_subtract(graph, x, number(graph, axis->x[0]));
  MbsNode share = mbs_graph_divide(graph, along, number(graph, axis->period));
  *turns = mbs_graph_apply(graph, MBS_OP_FLOOR, share, MBS_NODE_NONE);
  return mbs_graph_subtract(graph, x, mbs_graph_multiply(graph, number(graph, axis->period), *turns));
}

// `later` from the beginning of interval i on, else `earlier`; outside begins behind the last point
static MbsNode choose(MbsGraph *graph, const MbsAxis *axis, int i, MbsNode x, MbsNode later, MbsNode earlier) {
  const double rounding = 1e-12;
  double range = rounding * (axis->x[axis->count - 1] - axis->x[0]);
  bool is_end = i == axis->count - 1;
  double from = axis->x[i] + (is_end ? range : i == 0 ? -range : 0);
  MbsNode side = mbs_graph_apply(graph, MBS_OP_STEP, mbs_graph_subtract(graph, x, number(graph, from)), MBS_NODE_NONE);
  return mbs_graph_select(graph, side, later, earlier);
}

static MbsNode expand_row(MbsGraph *graph, const MbsTable *table, const int order[2], int i, const MbsNode at[2]) {
  if (table->axis_count == 1) {
    return cell(graph, table, order, i, 0, at);
  }
  int last = table->axis[1].count - 1;
  MbsNode chosen = cell(graph, table, order, i, last, at);
  for (int j = last; j >= 0; --j) {
    chosen = choose(graph, &table->axis[1], j, at[1], chosen, cell(graph, table, order, i, j - 1, at));
  }
  return chosen;
}

// the piece of a number that does not move
static MbsNode expand_number(MbsGraph *graph, const MbsTable *table, MbsNode n) {
  int pieces = table->piece_count;
  bool has_end = table->axis[0].count > pieces, is_periodic = table->axis[0].period > 0;
  if (is_periodic) {
    MbsNode share = mbs_graph_divide(graph, n, number(graph, pieces));
    MbsNode turns = mbs_graph_apply(graph, MBS_OP_FLOOR, share, MBS_NODE_NONE);
    n = mbs_graph_subtract(graph, n, mbs_graph_multiply(graph, number(graph, pieces), turns));
  }
  bool is_error = table->outside == MBS_OUTSIDE_ERROR && !is_periodic;
  MbsNode none = number(graph, (double)NAN);
  MbsNode chosen = is_error && has_end ? none : table->nodes[pieces - 1];
  for (int i = pieces; i >= 0; --i) {
    MbsNode from = mbs_graph_apply(graph, MBS_OP_STEP, mbs_graph_subtract(graph, n, number(graph, i)), MBS_NODE_NONE);
    MbsNode before = i > 0 ? table->nodes[i - 1] : is_error ? none : table->nodes[0];
    chosen = mbs_graph_select(graph, from, chosen, before);
  }
  return chosen;
}

static MbsNode expand(MbsGraph *graph, const MbsTable *table, const int order[2], MbsNode x, MbsNode y) {
  MbsNode turns, unused, at[2];
  at[0] = within(graph, &table->axis[0], x, &turns);
  at[1] = table->axis_count == 1 ? MBS_NODE_NONE : within(graph, &table->axis[1], y, &unused);
  int last = table->axis[0].count - 1;
  MbsNode chosen = expand_row(graph, table, order, last, at);
  for (int i = last; i >= 0; --i) {
    chosen = choose(graph, &table->axis[0], i, at[0], chosen, expand_row(graph, table, order, i - 1, at));
  }
  return order[0] == 0 ? add_product(graph, chosen, number(graph, table->rise), turns) : chosen;
}

// numbers: the sum of those that count there
static MbsNode expand_at(MbsGraph *graph, MbsLookup lookup, double x, double y) {
  MbsSpread spread;
  MbsNode sum = MBS_GRAPH_ZERO;
  bool was_left = lookup.table->is_left;
  mbs_table_spread(&lookup, x, y, &spread);
  lookup.table->is_left = was_left;  // the NaN is told of by whoever reads the expression
  for (int k = 0; k < spread.count; ++k) {
    sum = add_product(graph, sum, number(graph, mbs_re(spread.weight[k])), lookup.table->nodes[spread.number[k]]);
  }
  return sum;
}

// ---- looking up ----
static bool does_move(MbsGraph *graph, MbsNode node) {
  const MbsInputSet *set = node == MBS_NODE_NONE ? NULL : mbs_input_set_of(graph, node);
  for (int w = 0; set && w < set->word_count; ++w) {
    for (int bit = 0; bit < 64; ++bit) {
      int input = set->words[w].index * 64 + bit;
      if ((set->words[w].bits >> bit & 1U) && graph->table_inputs.moves(graph->table_inputs.user, input)) {
        return true;
      }
    }
  }
  return false;
}

MbsNode mbs_graph_look_up(MbsGraph *graph, int table, const int order[2], MbsNode x, MbsNode y) {
  const MbsTable *t = graph->tables[table];
  bool is_by_number = t->form == MBS_TABLE_STEP && order[1] == MBS_TABLE_BY_NUMBER;
  const MbsLookup wanted = {.table = graph->tables[table], .order = {order[0], order[1]}};
  if (graph->trouble != MBS_GRAPH_FINE || !mbs_table_has_order(&wanted)) {
    return MBS_GRAPH_ZERO;
  }
  if (is_by_number && !does_move(graph, x)) {
    return expand_number(graph, t, x);
  }
  if (!is_by_number && !does_move(graph, x) && !does_move(graph, y)) {
    const MbsGraphNode *a = mbs_graph_node(graph, x), *b = y == MBS_NODE_NONE ? a : mbs_graph_node(graph, y);
    bool is_number = a->operation == MBS_OP_CONSTANT && b->operation == MBS_OP_CONSTANT && t->rise == 0;
    return is_number ? expand_at(graph, mbs_table_lookup(graph, index_of(table, order)), a->value, b->value)
                     : expand(graph, t, order, x, y);
  }
  return mbs_graph_table_node(graph, index_of(table, order), x, y, delta_of(graph, table, order, x, y));
}
