// How an expression depends on some of its inputs, as it is written: not at all (0), linearly (1), otherwise (2).
//
//   sums            the larger degree
//   products        the sum of the degrees; quotients likewise, but the denominator must have degree 0
//   selections      the degree of what is selected, if that of the condition is 0
//   other functions degree 0 of their arguments gives 0, anything else 2 (also where, as for step(x), the derivative
//                   is zero)
#include "expressions/graph_storage.h"

enum { OTHERWISE = 2 };

static int at_most_otherwise(int degree) { return degree > OTHERWISE ? OTHERWISE : degree; }

static int degree_of(const MbsGraphNode *node, const bool *is_variable, const unsigned char *degrees) {
  int a = node->operand[0] == MBS_NODE_NONE ? 0 : degrees[node->operand[0]];
  int b = node->operand[1] == MBS_NODE_NONE ? 0 : degrees[node->operand[1]];
  switch (node->operation) {
    case MBS_OP_CONSTANT: return 0;
    case MBS_OP_INPUT: return is_variable[node->index] ? 1 : 0;  // a delta is none
    case MBS_OP_ADD:
    case MBS_OP_SUBTRACT:
    case MBS_OP_NEGATE: return a > b ? a : b;
    case MBS_OP_MULTIPLY: return at_most_otherwise(a + b);
    case MBS_OP_DIVIDE: return b == 0 ? a : OTHERWISE;
    case MBS_OP_WHERE:
    case MBS_OP_UNLESS: return a == 0 ? b : OTHERWISE;
    case MBS_OP_NOEVENT: return a;
    default: return a == 0 && b == 0 ? 0 : OTHERWISE;
  }
}

MbsStatus mbs_graph_degree(MbsContext *context, const MbsGraph *graph, MbsNode node, const bool *is_variable,
                           int *degree) {
  MBS_CHECK(context, node >= 0 && node < graph->count);
  MbsArena *scratch = mbs_arena_create_for(context);
  unsigned char *degrees = scratch ? mbs_arena_take(scratch, (size_t)node + 1, sizeof *degrees) : NULL;
  if (degrees) {
    for (MbsNode k = 0; k <= node; ++k) {  // operands have smaller numbers
      degrees[k] = (unsigned char)degree_of(&graph->nodes[k], is_variable, degrees);
    }
    *degree = degrees[node];
  }
  mbs_arena_destroy(scratch);
  return degrees ? MBS_OK : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}
