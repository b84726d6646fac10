// Products with a norm where it is zero: |v| has no derivative at v = 0, but |v| v has one, which is zero.
//
// If a and b vanish at one place, where a is continuous and b has slopes that are bounded (or the other way round),
// then a b = o(distance), and its derivative is zero there, whatever that of a is. The rules make it a' b = (0/0) 0. So
// a product of a norm a (or a power of one) with what depends on the same inputs becomes
//     where(some of v and b is not 0, a b),      a = |v|
// which is a b, but 0 with all derivatives where both are 0; and powers a^k, k > 1, likewise. (It is the real parts
// that count: a complex step from rest leaves it.) Where a norm alone vanishes its derivative is no number still, and
// whoever needs it says so. Factors and divisors stay outside, of a sum each term is one by itself:
//     k (c + a)/m b = k (c b + where(.., a b))/m
#include "expressions/functions.h"
#include "expressions/graph_storage.h"

enum { MOST_LOOKED_AT = 64 };  // nodes of a product, so that long ones cost nothing

static bool is_square_sum(const MbsGraph *graph, MbsNode node, int *left) {
  const MbsGraphNode *n = mbs_graph_node(graph, node);
  bool is_sum = n->operation == MBS_OP_ADD && --*left > 0;
  return is_sum ? is_square_sum(graph, n->operand[0], left) && is_square_sum(graph, n->operand[1], left)
                : (n->operation == MBS_OP_POWER_INTEGER && n->index == 2) ||
                      (n->operation == MBS_OP_MULTIPLY && n->operand[0] == n->operand[1]);
}

// v.v of a norm, or of a power of one; or MBS_NODE_NONE
static MbsNode squares_of(const MbsGraph *graph, MbsNode node) {
  const MbsGraphNode *n = mbs_graph_node(graph, node);
  int left = MOST_LOOKED_AT;
  if (n->operation == MBS_OP_SQRT) {
    return is_square_sum(graph, n->operand[0], &left) ? n->operand[0] : MBS_NODE_NONE;
  }
  return n->operation == MBS_OP_POWER ? squares_of(graph, n->operand[0]) : MBS_NODE_NONE;
}

static bool is_norm(const MbsGraph *graph, MbsNode node) { return squares_of(graph, node) != MBS_NODE_NONE; }

// how many members of v are not 0
static MbsNode count_of(MbsGraph *graph, MbsNode squares) {
  const MbsGraphNode n = *mbs_graph_node(graph, squares);
  return n.operation == MBS_OP_ADD ? mbs_graph_add(graph, count_of(graph, n.operand[0]), count_of(graph, n.operand[1]))
                                   : mbs_graph_apply(graph, MBS_OP_WHERE, n.operand[0], mbs_graph_constant(graph, 1));
}

static bool do_meet(MbsGraph *graph, MbsNode a, MbsNode b) {
  const MbsInputSet *x = mbs_input_set_of(graph, a), *y = mbs_input_set_of(graph, b);
  for (int i = 0, k = 0; i < x->word_count && k < y->word_count;) {
    if (x->words[i].index == y->words[k].index && (x->words[i].bits & y->words[k].bits)) {
      return true;
    }
    bool is_x = x->words[i].index <= y->words[k].index;
    k += x->words[i].index >= y->words[k].index;
    i += is_x;
  }
  return false;
}

// Has it a norm, as a factor or in a sum, that depends on what b depends on?
static bool has_norm(MbsGraph *graph, MbsNode node, MbsNode b, int *left) {
  const MbsGraphNode n = *mbs_graph_node(graph, node);
  if (--*left < 0) {
    return false;
  }
  switch (n.operation) {
    case MBS_OP_ADD:
    case MBS_OP_SUBTRACT:
    case MBS_OP_MULTIPLY: return has_norm(graph, n.operand[0], b, left) || has_norm(graph, n.operand[1], b, left);
    case MBS_OP_DIVIDE:
    case MBS_OP_NEGATE: return has_norm(graph, n.operand[0], b, left);
    default: return is_norm(graph, node) && do_meet(graph, node, b);
  }
}

static bool has(MbsGraph *graph, MbsNode node, MbsNode b) {
  int left = MOST_LOOKED_AT;
  return has_norm(graph, node, b, &left);
}

static MbsNode product(MbsGraph *graph, MbsNode a, MbsNode b) {
  if (!has(graph, a, b)) {
    return mbs_graph_multiply(graph, a, b);
  }
  const MbsGraphNode n = *mbs_graph_node(graph, a);
  MbsNode x = n.operand[0], y = n.operand[1];
  switch (n.operation) {
    case MBS_OP_ADD: return mbs_graph_add(graph, product(graph, x, b), product(graph, y, b));
    case MBS_OP_SUBTRACT: return mbs_graph_subtract(graph, product(graph, x, b), product(graph, y, b));
    case MBS_OP_NEGATE: return mbs_graph_negate(graph, product(graph, x, b));
    case MBS_OP_DIVIDE: return mbs_graph_divide(graph, product(graph, x, b), y);
    case MBS_OP_MULTIPLY:
      return has(graph, y, b) ? mbs_graph_multiply(graph, x, product(graph, y, b))
                              : mbs_graph_multiply(graph, y, product(graph, x, b));
    default: break;
  }
  MbsNode is_b = mbs_graph_apply(graph, MBS_OP_WHERE, b, mbs_graph_constant(graph, 1));
  MbsNode count = mbs_graph_add(graph, count_of(graph, squares_of(graph, a)), is_b);
  return mbs_graph_apply(graph, MBS_OP_WHERE, count, mbs_graph_multiply(graph, a, b));
}

MbsNode mbs_rest_product(MbsGraph *graph, MbsNode a, MbsNode b) {
  return has(graph, a, b) ? product(graph, a, b) : product(graph, b, a);
}

MbsNode mbs_rest_power(MbsGraph *graph, MbsNode a, MbsNode exponent) {
  const MbsGraphNode *n = mbs_graph_node(graph, exponent);
  MbsNode power = mbs_graph_power(graph, a, exponent);
  bool is_flat = n->operation == MBS_OP_CONSTANT && n->value > 1 && is_norm(graph, a);
  return is_flat ? mbs_graph_apply(graph, MBS_OP_WHERE, count_of(graph, squares_of(graph, a)), power) : power;
}
