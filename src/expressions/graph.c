// Making nodes: hash-consing and folding.
//
// A node is made after its operands, so the order of indices is a topological order, and everything
// that walks a graph can do so in a loop: an expression may be thousands of operations deep, the stack
// of the machine is not.
#include "expressions/graph.h"

#include <string.h>

#include "expressions/graph_storage.h"
#include "expressions/operation.h"

enum {
  FIRST_CAPACITY = 64,
  // x^n by products loses about n / 2 roundings; pow() loses one
  LARGEST_INTEGER_EXPONENT = 64
};

MbsStatus mbs_graph_create(MbsContext *context, MbsArena *arena, MbsGraph **graph) {
  MbsGraph *made;
  MBS_TAKE(context, arena, made, 1);
  made->arena = arena;
  MBS_TAKE(context, arena, made->broken, 1);
  MbsNode zero = mbs_graph_constant(made, 0);
  MBS_TRY(mbs_graph_status(context, made));
  MBS_CHECK(context, zero == MBS_GRAPH_ZERO);
  *graph = made;
  return MBS_OK;
}

MbsStatus mbs_graph_status(MbsContext *context, const MbsGraph *graph) {
  if (graph->broken->condition) {
    return mbs_fail_broken(context, *graph->broken);
  }
  switch (graph->trouble) {
    case MBS_GRAPH_FINE: return MBS_OK;
    case MBS_GRAPH_NO_MEMORY: return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    case MBS_GRAPH_NO_SECOND_SLOPE:
      return mbs_fail(
          context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
          "a function of the program's (mbs_model_set_function) stands where its second derivatives are "
          "needed, which it has not: it is offered in forces, rates of states, objectives and outputs, not in "
          "constraints, drivers, coordinates of forces, guards and d()");
    case MBS_GRAPH_TOO_LARGE: break;
  }
  return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                  "the expressions of the model and their derivatives need more than %d operations or %d "
                  "derivatives: simplify them",
                  MBS_GRAPH_NODE_LIMIT, MBS_GRAPH_DERIVATIVE_LIMIT);
}

const MbsGraphNode *mbs_graph_node(const MbsGraph *graph, MbsNode node) {
  bool is_good = node >= 0 && node < graph->count;
  if (!is_good) {
    mbs_broken_keep(graph->broken, MBS_BROKEN("node >= 0 && node < graph->count"));
  }
  return &graph->nodes[is_good ? node : MBS_GRAPH_ZERO];
}

int mbs_graph_count(const MbsGraph *graph) { return graph->count; }

bool mbs_graph_is_constant(const MbsGraph *graph, MbsNode node, double value) {
  const MbsGraphNode *n = mbs_graph_node(graph, node);
  return n->operation == MBS_OP_CONSTANT && n->value == value;
}

// ---- hash-consing ----

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t hash_of(const MbsGraphNode *node) {
  uint64_t hash = mbs_hash(((uint64_t)node->operation << 32) ^ (uint32_t)node->index);
  hash = mbs_hash(hash ^ ((uint64_t)(uint32_t)node->operand[0] << 32) ^ (uint32_t)node->operand[1]);
  if (node->operand[2] != MBS_NODE_NONE) {
    hash = mbs_hash(hash ^ (uint32_t)node->operand[2]);
  }
  return mbs_hash(hash ^ bits_of(node->value));
}

// values are compared as bits: a NaN is equal to itself
static bool is_same(const MbsGraphNode *a, const MbsGraphNode *b) {
  return a->operation == b->operation && a->operand[0] == b->operand[0] && a->operand[1] == b->operand[1] &&
         a->operand[2] == b->operand[2] && a->index == b->index && bits_of(a->value) == bits_of(b->value);
}

// the slot that holds a node like this one, or the empty slot where it belongs
static MbsNode *slot_of(const MbsGraph *graph, const MbsGraphNode *node) {
  size_t mask = graph->slot_count - 1;
  size_t slot = (size_t)hash_of(node) & mask;
  while (graph->slots[slot] != 0 && !is_same(&graph->nodes[graph->slots[slot] - 1], node)) {
    slot = (slot + 1) & mask;
  }
  return &graph->slots[slot];
}

// room for one more node and its slot
static bool make_room(MbsGraph *graph) {
  if (graph->count < graph->capacity) {
    return true;
  }
  int capacity = graph->capacity ? 2 * graph->capacity : FIRST_CAPACITY;
  MbsGraphNode *nodes = mbs_arena_take(graph->arena, (size_t)capacity, sizeof *nodes);
  const MbsInputSet **sets = mbs_arena_take(graph->arena, (size_t)capacity, sizeof *sets);
  MbsNode *slots = mbs_arena_take(graph->arena, 2 * (size_t)capacity, sizeof *slots);
  if (!nodes || !sets || !slots) {
    return false;
  }
  if (graph->count > 0) {
    memcpy(nodes, graph->nodes, (size_t)graph->count * sizeof *nodes);
    memcpy(sets, graph->sets, (size_t)graph->count * sizeof *sets);
  }
  graph->capacity = capacity;
  graph->nodes = nodes;
  graph->sets = sets;
  graph->slots = slots;
  graph->slot_count = 2 * (size_t)capacity;
  for (MbsNode node = 0; node < graph->count; ++node) {
    *slot_of(graph, &nodes[node]) = node + 1;
  }
  return true;
}

// the node like this one: the one there is, or a new one
static MbsNode intern(MbsGraph *graph, MbsGraphNode node) {
  if (graph->trouble != MBS_GRAPH_FINE) {
    return MBS_GRAPH_ZERO;
  }
  if (!make_room(graph)) {
    return mbs_graph_give_up(graph, MBS_GRAPH_NO_MEMORY);
  }
  MbsNode *slot = slot_of(graph, &node);
  if (*slot != 0) {
    return *slot - 1;
  }
  if (graph->count >= MBS_GRAPH_NODE_LIMIT) {
    return mbs_graph_give_up(graph, MBS_GRAPH_TOO_LARGE);
  }
  graph->nodes[graph->count] = node;
  *slot = ++graph->count;
  return graph->count - 1;
}

static MbsNode operation_node(MbsGraph *graph, MbsOperation operation, int exponent, MbsNode a, MbsNode b) {
  bool is_commutative = operation == MBS_OP_ADD || operation == MBS_OP_MULTIPLY || operation == MBS_OP_MINIMUM ||
                        operation == MBS_OP_MAXIMUM;
  bool is_swapped = is_commutative && b < a;
  return intern(graph, (MbsGraphNode){.operation = operation,
                                      .operand = {is_swapped ? b : a, is_swapped ? a : b, MBS_NODE_NONE},
                                      .index = exponent});
}

MbsNode mbs_graph_constant(MbsGraph *graph, double value) {
  // one zero and one NaN
  double canonical = value == 0 ? 0 : isnan(value) ? (double)NAN : value;
  return intern(graph, (MbsGraphNode){.operation = MBS_OP_CONSTANT,
                                      .operand = {MBS_NODE_NONE, MBS_NODE_NONE, MBS_NODE_NONE},
                                      .value = canonical});
}

MbsNode mbs_graph_input(MbsGraph *graph, int input) {
  if (input < 0) {
    mbs_broken_keep(graph->broken, MBS_BROKEN("input >= 0"));
    return MBS_GRAPH_ZERO;
  }
  return mbs_graph_input_with(graph, input, MBS_NODE_NONE);
}

MbsNode mbs_graph_input_with(MbsGraph *graph, int input, MbsNode others) {
  return intern(
      graph,
      (MbsGraphNode){.operation = MBS_OP_INPUT, .operand = {others, MBS_NODE_NONE, MBS_NODE_NONE}, .index = input});
}

MbsNode mbs_graph_table_node(MbsGraph *graph, int index, MbsNode x, MbsNode y, MbsNode delta) {
  return intern(graph, (MbsGraphNode){.operation = MBS_OP_TABLE, .operand = {x, y, delta}, .index = index});
}

MbsNode mbs_graph_list(MbsGraph *graph, MbsNode first, MbsNode rest) {
  return intern(graph, (MbsGraphNode){.operation = MBS_OP_LIST, .operand = {first, rest, MBS_NODE_NONE}});
}

MbsNode mbs_graph_external_at(MbsGraph *graph, int index, MbsNode list) {
  return intern(
      graph,
      (MbsGraphNode){.operation = MBS_OP_EXTERNAL, .operand = {list, MBS_NODE_NONE, MBS_NODE_NONE}, .index = index});
}

// ---- folding ----
// Every rule below is exact in floating point but for what a non-finite value would do (x - x = 0,
// x / x = 1, 0 x = 0). Constants are folded first, so that a non-finite constant is met by arithmetic,
// not by those rules: 0 * (1/0) is NaN, and the caller sees it.

static bool is_constant(const MbsGraph *graph, MbsNode node) {
  return mbs_graph_node(graph, node)->operation == MBS_OP_CONSTANT;
}

static bool is_negated(const MbsGraph *graph, MbsNode node) {
  return mbs_graph_node(graph, node)->operation == MBS_OP_NEGATE;
}

static double value_of(const MbsGraph *graph, MbsNode node) { return graph->nodes[node].value; }

static MbsNode operand_of(const MbsGraph *graph, MbsNode node, int k) { return graph->nodes[node].operand[k]; }

static bool are_constant(const MbsGraph *graph, MbsNode a, MbsNode b) {
  return is_constant(graph, a) && (b == MBS_NODE_NONE || is_constant(graph, b));
}

MbsNode mbs_graph_add(MbsGraph *graph, MbsNode a, MbsNode b) {
  if (are_constant(graph, a, b)) {
    return mbs_graph_constant(graph, value_of(graph, a) + value_of(graph, b));
  }
  if (a == MBS_GRAPH_ZERO || b == MBS_GRAPH_ZERO) {
    return a == MBS_GRAPH_ZERO ? b : a;
  }
  if (a == b) {
    return mbs_graph_multiply(graph, mbs_graph_constant(graph, 2), a);
  }
  // a + (-b) = a - b
  if (is_negated(graph, b)) {
    return mbs_graph_subtract(graph, a, operand_of(graph, b, 0));
  }
  if (is_negated(graph, a)) {
    return mbs_graph_subtract(graph, b, operand_of(graph, a, 0));
  }
  MbsNode whole = mbs_selection_sum(graph, a, b);
  return whole != MBS_NODE_NONE ? whole : operation_node(graph, MBS_OP_ADD, 0, a, b);
}

MbsNode mbs_graph_subtract(MbsGraph *graph, MbsNode a, MbsNode b) {
  if (are_constant(graph, a, b)) {
    return mbs_graph_constant(graph, value_of(graph, a) - value_of(graph, b));
  }
  if (a == b) {
    return MBS_GRAPH_ZERO;
  }
  if (b == MBS_GRAPH_ZERO) {
    return a;
  }
  if (a == MBS_GRAPH_ZERO) {
    return mbs_graph_negate(graph, b);
  }
  // a - (-b) = a + b
  if (is_negated(graph, b)) {
    return mbs_graph_add(graph, a, operand_of(graph, b, 0));
  }
  return operation_node(graph, MBS_OP_SUBTRACT, 0, a, b);
}

MbsNode mbs_graph_multiply(MbsGraph *graph, MbsNode a, MbsNode b) {
  if (are_constant(graph, a, b)) {
    return mbs_graph_constant(graph, value_of(graph, a) * value_of(graph, b));
  }
  for (int k = 0; k < 2; ++k) {
    MbsNode factor = k == 0 ? a : b;
    MbsNode other = k == 0 ? b : a;
    if (factor == MBS_GRAPH_ZERO) {
      return MBS_GRAPH_ZERO;
    }
    if (mbs_graph_is_constant(graph, factor, 1)) {
      return other;
    }
    if (mbs_graph_is_constant(graph, factor, -1)) {
      return mbs_graph_negate(graph, other);
    }
    // signs go outside, where they meet other signs: (-a) b = -(a b)
    if (is_negated(graph, factor)) {
      return mbs_graph_negate(graph, mbs_graph_multiply(graph, operand_of(graph, factor, 0), other));
    }
  }
  return operation_node(graph, MBS_OP_MULTIPLY, 0, a, b);
}

MbsNode mbs_graph_divide(MbsGraph *graph, MbsNode a, MbsNode b) {
  if (are_constant(graph, a, b)) {
    return mbs_graph_constant(graph, value_of(graph, a) / value_of(graph, b));
  }
  // a constant divisor of zero stays: x / 0 must come out infinite
  if (a == b) {
    return mbs_graph_constant(graph, 1);
  }
  if (a == MBS_GRAPH_ZERO) {
    return MBS_GRAPH_ZERO;
  }
  if (mbs_graph_is_constant(graph, b, 1)) {
    return a;
  }
  if (mbs_graph_is_constant(graph, b, -1)) {
    return mbs_graph_negate(graph, a);
  }
  if (is_negated(graph, a)) {
    return mbs_graph_negate(graph, mbs_graph_divide(graph, operand_of(graph, a, 0), b));
  }
  if (is_negated(graph, b)) {
    return mbs_graph_negate(graph, mbs_graph_divide(graph, a, operand_of(graph, b, 0)));
  }
  return operation_node(graph, MBS_OP_DIVIDE, 0, a, b);
}

MbsNode mbs_graph_negate(MbsGraph *graph, MbsNode a) {
  if (is_constant(graph, a)) {
    return mbs_graph_constant(graph, -value_of(graph, a));
  }
  if (is_negated(graph, a)) {
    return operand_of(graph, a, 0);
  }
  // -(a - b) = b - a
  if (graph->nodes[a].operation == MBS_OP_SUBTRACT) {
    return mbs_graph_subtract(graph, operand_of(graph, a, 1), operand_of(graph, a, 0));
  }
  return operation_node(graph, MBS_OP_NEGATE, 0, a, MBS_NODE_NONE);
}

MbsNode mbs_graph_power_integer(MbsGraph *graph, MbsNode a, int exponent) {
  if (exponent < -LARGEST_INTEGER_EXPONENT || exponent > LARGEST_INTEGER_EXPONENT) {
    return mbs_graph_power(graph, a, mbs_graph_constant(graph, exponent));
  }
  if (is_constant(graph, a)) {
    double base = exponent < 0 ? 1 / value_of(graph, a) : value_of(graph, a);
    double power = mbs_re(mbs_power_integer(base, exponent < 0 ? -exponent : exponent));
    return mbs_graph_constant(graph, isfinite(value_of(graph, a)) || exponent != 0 ? power : (double)NAN);
  }
  if (exponent == 0) {
    return mbs_graph_constant(graph, 1);
  }
  return exponent == 1 ? a : operation_node(graph, MBS_OP_POWER_INTEGER, exponent, a, MBS_NODE_NONE);
}

MbsNode mbs_graph_power(MbsGraph *graph, MbsNode a, MbsNode b) {
  if (is_constant(graph, b)) {
    double exponent = value_of(graph, b);
    bool is_small = exponent >= -LARGEST_INTEGER_EXPONENT && exponent <= LARGEST_INTEGER_EXPONENT;
    if (is_small && exponent == (double)(int)exponent) {
      return mbs_graph_power_integer(graph, a, (int)exponent);
    }
    if (exponent == 0.5) {
      return mbs_graph_apply(graph, MBS_OP_SQRT, a, MBS_NODE_NONE);
    }
    if (is_constant(graph, a)) {
      return mbs_graph_constant(graph, mbs_re(mbs_power(value_of(graph, a), exponent)));
    }
  }
  return operation_node(graph, MBS_OP_POWER, 0, a, b);
}

MbsNode mbs_graph_apply(MbsGraph *graph, MbsOperation operation, MbsNode a, MbsNode b) {
  int operand_count = mbs_operand_count(operation);
  bool is_good = operand_count > 0 && operation != MBS_OP_POWER_INTEGER && operation != MBS_OP_TABLE && a >= 0 &&
                 a < graph->count && (operand_count == 1 ? b == MBS_NODE_NONE : b >= 0 && b < graph->count);
  if (!is_good) {
    mbs_broken_keep(graph->broken, MBS_BROKEN("an operation with the operands it takes"));
    return MBS_GRAPH_ZERO;
  }
  switch (operation) {
    case MBS_OP_ADD: return mbs_graph_add(graph, a, b);
    case MBS_OP_SUBTRACT: return mbs_graph_subtract(graph, a, b);
    case MBS_OP_MULTIPLY: return mbs_graph_multiply(graph, a, b);
    case MBS_OP_DIVIDE: return mbs_graph_divide(graph, a, b);
    case MBS_OP_NEGATE: return mbs_graph_negate(graph, a);
    case MBS_OP_POWER: return mbs_graph_power(graph, a, b);
    case MBS_OP_WHERE:
    case MBS_OP_UNLESS: {
      MbsNode folded = mbs_selection_fold(graph, &operation, &a, b);
      return folded != MBS_NODE_NONE ? folded : operation_node(graph, operation, 0, a, b);
    }
    case MBS_OP_NOEVENT: {
      MbsOperation inside = mbs_graph_node(graph, a)->operation;
      bool is_plain = inside == MBS_OP_INPUT || inside == MBS_OP_CONSTANT || inside == MBS_OP_NOEVENT;
      return is_plain ? a : operation_node(graph, operation, 0, a, b);
    }
    default: break;
  }
  if (are_constant(graph, a, b)) {
    double second = b == MBS_NODE_NONE ? 0 : value_of(graph, b);
    return mbs_graph_constant(graph, mbs_re(mbs_operation_value(operation, 0, value_of(graph, a), second)));
  }
  if (a == b && (operation == MBS_OP_MINIMUM || operation == MBS_OP_MAXIMUM)) {
    return a;
  }
  return operation_node(graph, operation, 0, a, b);
}
