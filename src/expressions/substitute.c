// An expression with other expressions in the place of some of its nodes: the others made again from below.
#include "expressions/graph_storage.h"

static MbsNode replacement_of(const MbsSubstitution *substitution, MbsNode node) {
  for (int i = 0; i < substitution->count; ++i) {
    if (substitution->from[i] == node) {
      return substitution->to[i];
    }
  }
  return MBS_NODE_NONE;
}

// the nodes so far are ascending, and operands come before what is made of them
static MbsNode made_of(int count, const MbsNode *nodes, const MbsNode *made, MbsNode node) {
  int low = 0, high = count;
  while (node != MBS_NODE_NONE && low < high) {
    int middle = (low + high) / 2;
    if (nodes[middle] == node) {
      return made[middle];
    }
    *(nodes[middle] < node ? &low : &high) = nodes[middle] < node ? middle + 1 : middle;
  }
  return MBS_NODE_NONE;
}

static MbsStatus substitute(MbsContext *context, MbsArena *scratch, MbsGraph *graph, MbsNode node,
                            const MbsSubstitution *substitution, MbsNode *result) {
  int count;
  MbsNode *nodes, *made;
  MBS_TRY(mbs_graph_walk(context, graph, 1, &node, substitution->spares_noevent, &count));
  MBS_TAKE(context, scratch, nodes, count);
  MBS_TAKE(context, scratch, made, count);
  for (int i = 0; i < count; ++i) {
    nodes[i] = graph->stack[i];  // which new nodes would spoil
  }
  for (int i = 0; i < count; ++i) {
    MbsGraphNode old = *mbs_graph_node(graph, nodes[i]);
    MbsNode a = made_of(i, nodes, made, old.operand[0]), b = made_of(i, nodes, made, old.operand[1]);
    MbsNode replaced = replacement_of(substitution, nodes[i]);
    bool is_spared = old.operation == MBS_OP_NOEVENT && substitution->spares_noevent;
    if (replaced != MBS_NODE_NONE) {
      made[i] = replaced;
    } else if (is_spared || (a == old.operand[0] && b == old.operand[1])) {
      made[i] = nodes[i];
    } else if (old.operation == MBS_OP_POWER_INTEGER) {
      made[i] = mbs_graph_power_integer(graph, a, old.index);
    } else if (old.operation == MBS_OP_TABLE) {  // at another place, with the delta of that place
      int orders = MBS_TABLE_ORDERS, order[2] = {old.index / orders % orders, old.index % orders};
      made[i] = mbs_graph_look_up(graph, old.index / (orders * orders), order, a, b);
    } else if (old.operation == MBS_OP_LIST) {
      made[i] = mbs_graph_list(graph, a, b);
    } else if (old.operation == MBS_OP_EXTERNAL) {
      made[i] = mbs_graph_external_at(graph, old.index, a);
    } else {
      made[i] = mbs_graph_apply(graph, old.operation, a, b);
    }
  }
  *result = made[count - 1];
  return mbs_graph_status(context, graph);
}

MbsStatus mbs_graph_substitute(MbsContext *context, MbsGraph *graph, MbsNode node, const MbsSubstitution *substitution,
                               MbsNode *result) {
  MbsArena *scratch = mbs_arena_create_for(context);
  MbsStatus status = scratch ? substitute(context, scratch, graph, node, substitution, result)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  return status;
}
