// The order of a tape's instructions. See tape_order.c.
#ifndef MBS_TAPE_ORDER_H
#define MBS_TAPE_ORDER_H

#include "expressions/graph.h"

// What a tape does for a node: x^2 is the product mbs_power_integer makes, without its loop.
static inline MbsOperation mbs_tape_operation(const MbsGraphNode *node) {
  return node->operation == MBS_OP_POWER_INTEGER && node->index == 2 ? MBS_OP_MULTIPLY : node->operation;
}

// order (in the arena) = numbers of the nodes (ascending, closed under operands) that are neither inputs nor constants.
MbsStatus mbs_tape_order(MbsContext *context, MbsArena *arena, const MbsGraph *graph, int count, const MbsNode *nodes,
                         int **order);

#endif
