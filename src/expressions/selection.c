// Conditions and what they choose.
//
// A condition c is a number: no where it is 0, yes otherwise. What it chooses is a sum of two operations that are 0
// where they are not taken, whatever their operand is there,
//     if(c, a, b) = WHERE(c, a) + UNLESS(c, b)        d if(c, a, b) = WHERE(c, da) + UNLESS(c, db)
// so that sqrt(x) of a negative x that is not taken, and its derivative, do not show. (A product with 0 or 1 would pass
// its NaN on.) Comparisons are the steps of differences: a >= b is step(a - b), a < b is not so, UNLESS(step(a - b),
// 1).
#include <math.h>

#include "expressions/graph_storage.h"

static bool is_one(const MbsGraph *graph, MbsNode node) { return mbs_graph_is_constant(graph, node, 1); }

static bool is_selection(const MbsGraphNode *node) {
  return node->operation == MBS_OP_WHERE || node->operation == MBS_OP_UNLESS;
}

// a number that is 0 or 1
static bool is_truth(const MbsGraph *graph, MbsNode node) {
  const MbsGraphNode *n = mbs_graph_node(graph, node);
  return n->operation == MBS_OP_STEP || (is_selection(n) && is_one(graph, n->operand[1]));
}

MbsNode mbs_selection_fold(MbsGraph *graph, MbsOperation *operation, MbsNode *a, MbsNode b) {
  const MbsGraphNode *condition = mbs_graph_node(graph, *a);
  if (condition->operation == MBS_OP_CONSTANT) {
    bool is_taken = (condition->value == 0) == (*operation == MBS_OP_UNLESS);
    return isnan(condition->value) ? *a : is_taken ? b : MBS_GRAPH_ZERO;  // a NaN shows
  }
  if (b == MBS_GRAPH_ZERO) {
    return MBS_GRAPH_ZERO;
  }
  // of a condition that is another one, or its contrary
  if (is_selection(condition) && is_one(graph, condition->operand[1])) {
    bool is_contrary = condition->operation == MBS_OP_UNLESS;
    *operation = (*operation == MBS_OP_WHERE) != is_contrary ? MBS_OP_WHERE : MBS_OP_UNLESS;
    *a = condition->operand[0];
  }
  bool is_itself = *operation == MBS_OP_WHERE && is_one(graph, b) && is_truth(graph, *a);
  return is_itself ? *a : MBS_NODE_NONE;
}

MbsNode mbs_selection_sum(const MbsGraph *graph, MbsNode a, MbsNode b) {
  const MbsGraphNode *x = mbs_graph_node(graph, a), *y = mbs_graph_node(graph, b);
  for (int k = 0; k < 2; ++k) {
    const MbsGraphNode *unless = k == 0 ? x : y, *other = k == 0 ? y : x;
    MbsNode other_node = k == 0 ? b : a, branch = unless->operand[1];
    bool is_where =
        other->operation == MBS_OP_WHERE && other->operand[0] == unless->operand[0] && other->operand[1] == branch;
    if (unless->operation == MBS_OP_UNLESS &&
        (is_where || (other_node == unless->operand[0] && is_one(graph, branch) && is_truth(graph, other_node)))) {
      return branch;
    }
  }
  return MBS_NODE_NONE;
}

MbsNode mbs_graph_select(MbsGraph *graph, MbsNode c, MbsNode a, MbsNode b) {
  return mbs_graph_add(graph, mbs_graph_apply(graph, MBS_OP_WHERE, c, a), mbs_graph_apply(graph, MBS_OP_UNLESS, c, b));
}
