// The order of a tape's instructions: operands first, and instructions of one operation in a row as long as there are
// such whose operands are known; then those of which most are ready. Half of what an instruction costs is to find out
// what to do, which a row does once.
#include "expressions/tape_order.h"

enum { OPERATIONS = MBS_OP_EXTERNAL + 1 };

typedef struct Order {
  int *waiting;           // by node: operands that are not there yet
  int *start, *behind;    // by node: who waits for it
  int *next;              // by node: of those that are ready
  int first[OPERATIONS];  // ready, in the order they became so; -1: none
  int last[OPERATIONS], count[OPERATIONS];
} Order;

static bool is_leaf(const MbsGraphNode *n) { return n->operation == MBS_OP_INPUT || n->operation == MBS_OP_CONSTANT; }

static void get_ready(Order *order, const MbsGraphNode *n, int i) {
  MbsOperation operation = mbs_tape_operation(n);
  *(order->first[operation] < 0 ? &order->first[operation] : &order->next[order->last[operation]]) = i;
  order->last[operation] = i;
  order->next[i] = -1;
  ++order->count[operation];
}

// who waits for whom, in two passes: how many, and who
static MbsStatus list_waiting(MbsContext *context, MbsArena *arena, const MbsGraph *graph, int count,
                              const MbsNode *nodes, Order *order) {
  const int *number = mbs_graph_numbers(graph);
  int *used;
  MBS_TAKE(context, arena, order->waiting, count);
  MBS_TAKE(context, arena, order->start, count + 1);
  MBS_TAKE(context, arena, order->next, count);
  MBS_TAKE(context, arena, order->behind, MBS_MOST_OPERANDS * count);
  MBS_TAKE(context, arena, used, count);
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < count; ++i) {
      const MbsGraphNode *n = mbs_graph_node(graph, nodes[i]);
      for (int k = 0; k < MBS_MOST_OPERANDS && !is_leaf(n); ++k) {
        int operand = n->operand[k] == MBS_NODE_NONE ? -1 : number[n->operand[k]];
        if (operand < 0 || is_leaf(mbs_graph_node(graph, n->operand[k]))) {
          continue;
        }
        if (pass == 0) {
          ++order->start[operand + 1];
          ++order->waiting[i];
        } else {
          order->behind[order->start[operand] + used[operand]++] = i;
        }
      }
    }
    for (int i = 0; i < count && pass == 0; ++i) {
      order->start[i + 1] += order->start[i];
    }
  }
  return MBS_OK;
}

MbsStatus mbs_tape_order(MbsContext *context, MbsArena *arena, const MbsGraph *graph, int count, const MbsNode *nodes,
                         int **result) {
  Order order = {0};
  int *made, made_count = 0, operation = 0;
  MBS_TAKE(context, arena, made, count);
  MBS_TRY(list_waiting(context, arena, graph, count, nodes, &order));
  for (int k = 0; k < OPERATIONS; ++k) {
    order.first[k] = -1;
  }
  for (int i = 0; i < count; ++i) {
    const MbsGraphNode *n = mbs_graph_node(graph, nodes[i]);
    if (!is_leaf(n) && order.waiting[i] == 0) {
      get_ready(&order, n, i);
    }
  }
  for (;;) {
    for (int k = 0, empty = operation; k < OPERATIONS && order.count[empty] == 0; ++k) {
      operation = order.count[k] > order.count[operation] ? k : operation;
    }
    if (order.count[operation] == 0) {
      break;
    }
    int i = order.first[operation];
    order.first[operation] = order.next[i];
    --order.count[operation];
    made[made_count++] = i;
    for (int k = order.start[i]; k < order.start[i + 1]; ++k) {
      int waiting = order.behind[k];
      if (--order.waiting[waiting] == 0) {
        get_ready(&order, mbs_graph_node(graph, nodes[waiting]), waiting);
      }
    }
  }
  *result = made;
  return MBS_OK;
}
