// Expressions as one shared graph.
//
// Every expression of a model (parameters, properties, force laws, objectives) becomes nodes of one
// directed acyclic graph. Nodes are hash-consed (the same operation on the same operands is the same
// node) and folded (constants, x - x = 0, x / x = 1, 0 * x = 0, 1 * x = x, ...), so that shared
// subexpressions are computed once and structural zeros and ones show. Differentiation is symbolic
// and makes further nodes, so derivatives of any order exist. Numbers in the graph are double; only
// the tape (tape.h) evaluates in the scalar of the build.
#ifndef MBS_GRAPH_H
#define MBS_GRAPH_H

#include <stdbool.h>

#include "base/arena.h"

typedef int MbsNode;  // index of a node; MBS_NODE_NONE: no node
#define MBS_NODE_NONE (-1)

// operation, number of operands
#define MBS_OPERATION_LIST(X)                                                        \
  X(CONSTANT, 0)                                                                     \
  X(INPUT, 0)                                                                        \
  X(ADD, 2)                                                                          \
  X(SUBTRACT, 2)                                                                     \
  X(MULTIPLY, 2)                                                                     \
  X(DIVIDE, 2)                                                                       \
  X(NEGATE, 1)                                                                       \
  X(POWER_INTEGER, 1) /* exponent in `index` */                                      \
  X(POWER, 2)         /* base > 0 */                                                 \
  X(SQRT, 1)                                                                         \
  X(EXP, 1)                                                                          \
  X(LOG, 1)                                                                          \
  X(SIN, 1)                                                                          \
  X(COS, 1)                                                                          \
  X(TAN, 1)                                                                          \
  X(ASIN, 1)                                                                         \
  X(ACOS, 1)                                                                         \
  X(ATAN, 1)                                                                         \
  X(SINH, 1)                                                                         \
  X(COSH, 1)                                                                         \
  X(TANH, 1)                                                                         \
  X(ATAN2, 2)                                                                        \
  X(ABS, 1)                                                                          \
  X(SIGN, 1)                                                                         \
  X(MINIMUM, 2)                                                                      \
  X(MAXIMUM, 2)                                                                      \
  X(STEP, 1)     /* 1 where x >= 0, else 0; derivative 0 */                          \
  X(STEP5, 1)    /* 0 below 0, 1 above 1, 10x^3 - 15x^4 + 6x^5 between */            \
  X(FLOOR, 1)    /* the largest whole number <= x; derivative 0 */                   \
  X(SIDE, 1)     /* step(x) between pieces that meet where x is 0 */                 \
  X(WHERE, 2)    /* b where a is not 0, else 0, whatever b is there */               \
  X(UNLESS, 2)   /* b where a is 0, else 0, whatever b is there */                   \
  X(NOEVENT, 1)  /* x; what jumps inside is no event */                              \
  X(LIST, 2)     /* arguments of a program's function: a, then the list b or none */ \
  X(TABLE, 3)    /* a table at (a, b), plus c: see table.h */                        \
  X(EXTERNAL, 1) /* a program's function of the list a: see external.h */

typedef enum MbsOperation {
#define MBS_OPERATION_ENUM(name, operands) MBS_OP_##name,
  MBS_OPERATION_LIST(MBS_OPERATION_ENUM)
#undef MBS_OPERATION_ENUM
} MbsOperation;

enum { MBS_MOST_OPERANDS = 3 };

typedef struct MbsGraphNode {
  MbsOperation operation;
  MbsNode operand[MBS_MOST_OPERANDS];  // MBS_NODE_NONE where there is none
  int index;                           // input number, integer exponent, a table with orders (table.h), or a
                                       // function of a program with what is meant of it (external.h)
  double value;                        // of a constant
} MbsGraphNode;

typedef struct MbsGraph MbsGraph;

// The graph lives in the arena. Node making never fails visibly: when memory or the limit on nodes
// (2 million) runs out the graph remembers it, returns the node 0 (constant zero) and
// mbs_graph_status tells; check it once after a batch.
MbsStatus mbs_graph_create(MbsContext *context, MbsArena *arena, MbsGraph **graph);
MbsStatus mbs_graph_status(MbsContext *context, const MbsGraph *graph);

MbsNode mbs_graph_constant(MbsGraph *graph, double value);
MbsNode mbs_graph_input(MbsGraph *graph, int input);
// one operand: b = MBS_NODE_NONE
MbsNode mbs_graph_apply(MbsGraph *graph, MbsOperation operation, MbsNode a, MbsNode b);
MbsNode mbs_graph_add(MbsGraph *graph, MbsNode a, MbsNode b);
MbsNode mbs_graph_subtract(MbsGraph *graph, MbsNode a, MbsNode b);
MbsNode mbs_graph_multiply(MbsGraph *graph, MbsNode a, MbsNode b);
MbsNode mbs_graph_divide(MbsGraph *graph, MbsNode a, MbsNode b);
MbsNode mbs_graph_negate(MbsGraph *graph, MbsNode a);
MbsNode mbs_graph_power_integer(MbsGraph *graph, MbsNode a, int exponent);
// a^b: integer constant exponents become POWER_INTEGER, 0.5 becomes SQRT
MbsNode mbs_graph_power(MbsGraph *graph, MbsNode a, MbsNode b);

// a where c is not 0, else b; the one that is not taken may be anything, and so may its derivatives
MbsNode mbs_graph_select(MbsGraph *graph, MbsNode c, MbsNode a, MbsNode b);

const MbsGraphNode *mbs_graph_node(const MbsGraph *graph, MbsNode node);
int mbs_graph_count(const MbsGraph *graph);
bool mbs_graph_is_constant(const MbsGraph *graph, MbsNode node, double value);

// Does the value of `node` depend on `input`? Costs time linear in the subgraph at most once per call.
bool mbs_graph_depends_on(MbsGraph *graph, MbsNode node, int input);
// All nodes that these are made of, themselves included, ascending; good until the graph is used again.
MbsStatus mbs_graph_nodes_of(MbsContext *context, MbsGraph *graph, int count, const MbsNode *nodes, int *found_count,
                             const MbsNode **found);
// By node: which of the nodes it is that mbs_graph_nodes_of found last.
const int *mbs_graph_numbers(const MbsGraph *graph);
// Does this operation jump for some values of its operands?
bool mbs_operation_jumps(MbsOperation operation);
// Has it kinks, where its derivative jumps: abs, min, max, and what piecewise is made of?
bool mbs_operation_bends(MbsOperation operation);
// Which kinks count as jumps do: none; where slopes jump, as velocities do of what prescribes a motion; and where
// higher derivatives do, as of step5 and of the pieces of a spline, as well: where a method of higher order would lose
// its order.
typedef enum MbsKinks { MBS_KINKS_NONE, MBS_KINKS_OF_SLOPES, MBS_KINKS_ALL } MbsKinks;
// Those of them that jump, ascending; not those that they have inside noevent() alone. Good until the graph is used
// again.
MbsStatus mbs_graph_jumps_of(MbsContext *context, MbsGraph *graph, int count, const MbsNode *nodes, MbsKinks kinks,
                             int *found_count, const MbsNode **found);
// All inputs `node` depends on, ascending, in the arena of the graph.
MbsStatus mbs_graph_inputs_of(MbsContext *context, MbsGraph *graph, MbsNode node, int *count, const int **inputs);

// How `node` depends on the inputs that are variable (by input), as it is written: 0 not at all, 1 linearly, 2
// otherwise.
MbsStatus mbs_graph_degree(MbsContext *context, const MbsGraph *graph, MbsNode node, const bool *is_variable,
                           int *degree);

// `node` with other nodes in the place of some that it is made of (inputs, say, or what jumps).
typedef struct MbsSubstitution {
  int count;
  const MbsNode *from, *to;
  bool spares_noevent;  // what is inside noevent() stays as it is
} MbsSubstitution;
MbsStatus mbs_graph_substitute(MbsContext *context, MbsGraph *graph, MbsNode node, const MbsSubstitution *substitution,
                               MbsNode *result);

// d node / d input, as a node (constant 0 where there is no dependence). Memoised.
MbsNode mbs_graph_derivative(MbsGraph *graph, MbsNode node, int input);
// slopes (outputs x inputs) = all derivatives of some nodes by some inputs (ascending): the same numbers but for
// rounding, together in far fewer nodes. jacobian.c
MbsStatus mbs_graph_jacobian(MbsContext *context, MbsGraph *graph, int output_count, const MbsNode *outputs,
                             int input_count, const int *inputs, MbsNode *slopes);

#endif
