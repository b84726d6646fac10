// Symbolic differentiation: d node / d input = sum over operands of (d node / d operand) d operand / d input.
//
// The rules make nodes, so derivatives can be differentiated again, and they use the differentiated
// node itself where it helps (d exp(a) = exp(a) da), so that value and derivative share work. Where an
// operand does not depend on the input its term is left out, not multiplied by zero.
#include "expressions/graph_storage.h"

// ---- memory of derivatives taken ----

static uint64_t key_of(MbsNode node, int input) { return (((uint64_t)(uint32_t)node + 1) << 32) | (uint32_t)input; }

// the entry of this key, or the empty one where it belongs
static MbsDerivativeEntry *entry_of(const MbsGraph *graph, uint64_t key) {
  size_t mask = graph->derivative_slot_count - 1;
  size_t slot = (size_t)mbs_hash(key) & mask;
  while (graph->derivatives[slot].key != 0 && graph->derivatives[slot].key != key) {
    slot = (slot + 1) & mask;
  }
  return &graph->derivatives[slot];
}

static bool is_known(const MbsGraph *graph, MbsNode node, int input, MbsNode *derivative) {
  if (graph->derivative_slot_count == 0) {
    return false;
  }
  const MbsDerivativeEntry *entry = entry_of(graph, key_of(node, input));
  *derivative = entry->derivative;
  return entry->key != 0;
}

static void remember(MbsGraph *graph, MbsNode node, int input, MbsNode derivative) {
  if (graph->derivative_count >= MBS_GRAPH_DERIVATIVE_LIMIT) {
    (void)mbs_graph_give_up(graph, MBS_GRAPH_TOO_LARGE);
    return;
  }
  if (2 * graph->derivative_count >= graph->derivative_slot_count) {
    const MbsDerivativeEntry *old = graph->derivatives;
    size_t old_count = graph->derivative_slot_count;
    size_t grown_count = old_count ? 2 * old_count : 256;
    MbsDerivativeEntry *grown = mbs_arena_take(graph->arena, grown_count, sizeof *grown);
    if (!grown) {
      (void)mbs_graph_give_up(graph, MBS_GRAPH_NO_MEMORY);
      return;
    }
    graph->derivatives = grown;
    graph->derivative_slot_count = grown_count;
    for (size_t slot = 0; slot < old_count; ++slot) {
      if (old[slot].key != 0) {
        *entry_of(graph, old[slot].key) = old[slot];
      }
    }
  }
  uint64_t key = key_of(node, input);
  *entry_of(graph, key) = (MbsDerivativeEntry){.key = key, .derivative = derivative};
  ++graph->derivative_count;
}

// ---- rules ----

static MbsNode number(MbsGraph *graph, double value) { return mbs_graph_constant(graph, value); }

static MbsNode function(MbsGraph *graph, MbsOperation operation, MbsNode a) {
  return mbs_graph_apply(graph, operation, a, MBS_NODE_NONE);
}

static MbsNode square(MbsGraph *graph, MbsNode a) { return mbs_graph_power_integer(graph, a, 2); }

// d a / d input of an operand whose own derivative is known by now
static MbsNode operand_derivative(MbsGraph *graph, MbsNode a, int input) {
  MbsNode derivative = MBS_GRAPH_ZERO;
  if (a != MBS_NODE_NONE && mbs_graph_depends_on(graph, a, input)) {
    (void)is_known(graph, a, input, &derivative);
  }
  return derivative;
}

// sqrt((1 - a)(1 + a)), which does not cancel near 1
static MbsNode circle(MbsGraph *graph, MbsNode a) {
  MbsNode one = number(graph, 1);
  MbsNode product = mbs_graph_multiply(graph, mbs_graph_subtract(graph, one, a), mbs_graph_add(graph, one, a));
  return function(graph, MBS_OP_SQRT, product);
}

// step5' = 30 c^2 (1 - c)^2 with c = x held between 0 and 1, which is 0 outside for every order
static MbsNode step5_slope(MbsGraph *graph, MbsNode x) {
  MbsNode one = number(graph, 1);
  MbsNode c = mbs_graph_apply(graph, MBS_OP_MAXIMUM, x, MBS_GRAPH_ZERO);
  c = mbs_graph_apply(graph, MBS_OP_MINIMUM, c, one);
  MbsNode bell = square(graph, mbs_graph_multiply(graph, c, mbs_graph_subtract(graph, one, c)));
  return mbs_graph_multiply(graph, number(graph, 30), bell);
}

// the derivative of a function of one operand, by that operand
static MbsNode slope(MbsGraph *graph, MbsNode node, const MbsGraphNode *n) {
  MbsNode a = n->operand[0];
  MbsNode one = number(graph, 1);
  switch (n->operation) {
    case MBS_OP_POWER_INTEGER:
      return mbs_graph_multiply(graph, number(graph, n->index), mbs_graph_power_integer(graph, a, n->index - 1));
    case MBS_OP_SQRT: return mbs_graph_divide(graph, number(graph, 0.5), node);
    case MBS_OP_EXP: return node;
    case MBS_OP_LOG: return mbs_graph_divide(graph, one, a);
    case MBS_OP_SIN: return function(graph, MBS_OP_COS, a);
    case MBS_OP_COS: return mbs_graph_negate(graph, function(graph, MBS_OP_SIN, a));
    case MBS_OP_TAN: return mbs_graph_add(graph, one, square(graph, node));
    case MBS_OP_ASIN: return mbs_graph_divide(graph, one, circle(graph, a));
    case MBS_OP_ACOS: return mbs_graph_divide(graph, number(graph, -1), circle(graph, a));
    case MBS_OP_ATAN: return mbs_graph_divide(graph, one, mbs_graph_add(graph, one, square(graph, a)));
    case MBS_OP_SINH: return function(graph, MBS_OP_COSH, a);
    case MBS_OP_COSH: return function(graph, MBS_OP_SINH, a);
    // 1 - tanh^2 would cancel
    case MBS_OP_TANH: return mbs_graph_power_integer(graph, function(graph, MBS_OP_COSH, a), -2);
    case MBS_OP_ABS: return function(graph, MBS_OP_SIGN, a);
    case MBS_OP_STEP5: return step5_slope(graph, a);
    default: return MBS_GRAPH_ZERO;  // sign, step, side, floor
  }
}

// a^b: b a^(b - 1) da + a^b log(a) db
static MbsNode power_derivative(MbsGraph *graph, MbsNode node, MbsNode a, MbsNode da, MbsNode b, MbsNode db) {
  MbsNode sum = MBS_GRAPH_ZERO;
  if (da != MBS_GRAPH_ZERO) {
    MbsNode lower = mbs_graph_power(graph, a, mbs_graph_subtract(graph, b, number(graph, 1)));
    sum = mbs_graph_multiply(graph, mbs_graph_multiply(graph, b, lower), da);
  }
  if (db != MBS_GRAPH_ZERO) {
    MbsNode growth = mbs_graph_multiply(graph, node, function(graph, MBS_OP_LOG, a));
    sum = mbs_graph_add(graph, sum, mbs_graph_multiply(graph, growth, db));
  }
  return sum;
}

// min, max: da where a is taken, else db; `margin` >= 0 says that a is taken
static MbsNode choice_derivative(MbsGraph *graph, MbsNode margin, MbsNode da, MbsNode db) {
  if (da == db) {
    return da;
  }
  MbsNode takes_a = function(graph, MBS_OP_STEP, margin);
  MbsNode takes_b = mbs_graph_subtract(graph, number(graph, 1), takes_a);
  MbsNode from_a = da == MBS_GRAPH_ZERO ? da : mbs_graph_multiply(graph, takes_a, da);
  MbsNode from_b = db == MBS_GRAPH_ZERO ? db : mbs_graph_multiply(graph, takes_b, db);
  return mbs_graph_add(graph, from_a, from_b);
}

// The condition of a derivative: where pieces meet, their derivatives need not.
static MbsNode condition_of(MbsGraph *graph, MbsNode condition) {
  const MbsGraphNode *n = mbs_graph_node(graph, condition);
  return n->operation == MBS_OP_SIDE ? function(graph, MBS_OP_STEP, n->operand[0]) : condition;
}

// T_d(x, y) + delta: T_(d+1) dx, and likewise y, + d delta
static MbsNode table_derivative(MbsGraph *graph, const MbsGraphNode *n, MbsNode dx, MbsNode dy, MbsNode d_delta) {
  const int orders = MBS_TABLE_ORDERS, order[2] = {n->index / orders % orders, n->index % orders};
  MbsNode sum = d_delta;
  for (int k = 0; k < 2; ++k) {
    MbsNode change = k == 0 ? dx : dy;
    if (change != MBS_GRAPH_ZERO) {
      const int higher[2] = {order[0] + (k == 0), order[1] + (k == 1)};
      MbsNode slope_node = mbs_graph_look_up(graph, n->index / (orders * orders), higher, n->operand[0], n->operand[1]);
      sum = mbs_graph_add(graph, sum, mbs_graph_multiply(graph, slope_node, change));
    }
  }
  return sum;
}

// d node, from the derivatives da and db of its operands
static MbsNode rule(MbsGraph *graph, MbsNode node, const MbsGraphNode *n, MbsNode da, MbsNode db) {
  MbsNode a = n->operand[0];
  MbsNode b = n->operand[1];
  bool has_da = da != MBS_GRAPH_ZERO;
  bool has_db = db != MBS_GRAPH_ZERO;
  if (!has_da && !has_db) {
    return MBS_GRAPH_ZERO;
  }
  switch (n->operation) {
    case MBS_OP_ADD: return mbs_graph_add(graph, da, db);
    case MBS_OP_SUBTRACT: return mbs_graph_subtract(graph, da, db);
    case MBS_OP_NEGATE: return mbs_graph_negate(graph, da);
    case MBS_OP_MULTIPLY:
      return mbs_graph_add(graph, has_da ? mbs_graph_multiply(graph, da, b) : da,
                           has_db ? mbs_graph_multiply(graph, a, db) : db);
    case MBS_OP_DIVIDE:  // (da - (a/b) db) / b
      return mbs_graph_divide(graph, mbs_graph_subtract(graph, da, has_db ? mbs_graph_multiply(graph, node, db) : db),
                              b);
    case MBS_OP_POWER: return power_derivative(graph, node, a, da, b, db);
    case MBS_OP_ATAN2: {  // (b da - a db) / (a^2 + b^2), the angle of (b, a)
      MbsNode turn = mbs_graph_subtract(graph, has_da ? mbs_graph_multiply(graph, b, da) : da,
                                        has_db ? mbs_graph_multiply(graph, a, db) : db);
      return mbs_graph_divide(graph, turn, mbs_graph_add(graph, square(graph, a), square(graph, b)));
    }
    case MBS_OP_MINIMUM: return choice_derivative(graph, mbs_graph_subtract(graph, b, a), da, db);
    case MBS_OP_MAXIMUM: return choice_derivative(graph, mbs_graph_subtract(graph, a, b), da, db);
    case MBS_OP_WHERE:
    case MBS_OP_UNLESS: return mbs_graph_apply(graph, n->operation, condition_of(graph, a), db);
    case MBS_OP_NOEVENT: return function(graph, MBS_OP_NOEVENT, da);
    default: return mbs_graph_multiply(graph, slope(graph, node, n), da);
  }
}

MbsNode mbs_graph_partial(MbsGraph *graph, MbsNode node, int k) {
  const MbsGraphNode n = graph->nodes[node];
  MbsNode d[MBS_MOST_OPERANDS] = {MBS_GRAPH_ZERO, MBS_GRAPH_ZERO, MBS_GRAPH_ZERO};
  d[k] = number(graph, 1);
  return n.operation == MBS_OP_TABLE ? table_derivative(graph, &n, d[0], d[1], d[2])
                                     : rule(graph, node, &n, d[0], d[1]);
}

// sum of the slopes by each argument times d argument
static MbsNode external_derivative(MbsGraph *graph, const MbsGraphNode *n, int input) {
  MbsNode sum = MBS_GRAPH_ZERO;
  int k = 0;
  for (MbsNode list = n->operand[0]; list != MBS_NODE_NONE; list = graph->nodes[list].operand[1], ++k) {
    MbsNode change = operand_derivative(graph, graph->nodes[list].operand[0], input);
    if (change != MBS_GRAPH_ZERO) {
      sum = mbs_graph_add(graph, sum, mbs_graph_multiply(graph, mbs_graph_external_slope(graph, n, k), change));
    }
  }
  return sum;
}

// ---- the walk ----

static bool push(MbsGraph *graph, int *depth, MbsNode node) {
  MbsNode *stack = mbs_arena_grow(graph->arena, graph->stack, *depth, &graph->stack_capacity, sizeof *stack);
  if (!stack) {
    (void)mbs_graph_give_up(graph, MBS_GRAPH_NO_MEMORY);
    return false;
  }
  graph->stack = stack;
  graph->stack[(*depth)++] = node;
  return true;
}

MbsNode mbs_graph_derivative(MbsGraph *graph, MbsNode node, int input) {
  MbsNode derivative = MBS_GRAPH_ZERO;
  if (!mbs_graph_depends_on(graph, node, input) || is_known(graph, node, input, &derivative)) {
    return derivative;
  }
  // operands first, on a stack of our own
  int depth = 0;
  (void)push(graph, &depth, node);
  while (depth > 0 && graph->trouble == MBS_GRAPH_FINE) {
    MbsNode top = graph->stack[depth - 1];
    if (is_known(graph, top, input, &derivative)) {
      --depth;
      continue;
    }
    MbsGraphNode n = graph->nodes[top];
    int waiting = depth;
    for (int k = 0; k < MBS_MOST_OPERANDS; ++k) {
      MbsNode operand = n.operand[k];
      bool is_needed = operand != MBS_NODE_NONE && mbs_graph_depends_on(graph, operand, input) &&
                       !is_known(graph, operand, input, &derivative);
      if (is_needed && !push(graph, &depth, operand)) {
        return MBS_GRAPH_ZERO;
      }
    }
    if (depth > waiting) {
      continue;
    }
    MbsNode d[MBS_MOST_OPERANDS];
    for (int k = 0; k < MBS_MOST_OPERANDS; ++k) {
      d[k] = operand_derivative(graph, n.operand[k], input);
    }
    derivative = n.operation == MBS_OP_INPUT      ? number(graph, n.index == input)  // not that of those in its train
                 : n.operation == MBS_OP_TABLE    ? table_derivative(graph, &n, d[0], d[1], d[2])
                 : n.operation == MBS_OP_EXTERNAL ? external_derivative(graph, &n, input)
                 : n.operation == MBS_OP_LIST     ? MBS_GRAPH_ZERO  // its members have theirs
                                                  : rule(graph, top, &n, d[0], d[1]);
    remember(graph, top, input, derivative);
    --depth;
  }
  return graph->trouble == MBS_GRAPH_FINE ? derivative : MBS_GRAPH_ZERO;
}
