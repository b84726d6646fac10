// The inside of a graph, shared by the files that make it: graph.c (nodes), dependence.c (which inputs
// a node depends on), degree.c (how), selection.c (conditions), derivative.c and jacobian.c. Nobody else includes this.
#ifndef MBS_GRAPH_STORAGE_H
#define MBS_GRAPH_STORAGE_H

#include <stddef.h>
#include <stdint.h>

#include "expressions/external.h"
#include "expressions/table.h"

enum {
  MBS_GRAPH_NODE_LIMIT = 2000000,         // nodes
  MBS_GRAPH_DERIVATIVE_LIMIT = 16000000,  // remembered derivatives
  MBS_GRAPH_ZERO = 0                      // the node every graph starts with
};

// The inputs a node depends on, as bits of words, which are listed by ascending index; those without a bit are left
// out, so that a node of a large model which depends on few inputs has a small set.
// Sets are immutable and shared: most nodes have the set of one of their operands.
typedef struct MbsInputWord {
  int index;
  uint64_t bits;
} MbsInputWord;

typedef struct MbsInputSet {
  int word_count;
  MbsInputWord *words;
  int count;          // of inputs, once listed
  const int *inputs;  // ascending; NULL: not listed yet
} MbsInputSet;

// One remembered derivative; key 0: empty.
typedef struct MbsDerivativeEntry {
  uint64_t key;
  MbsNode derivative;
} MbsDerivativeEntry;

// A place where a table is looked up, and the first of its deltas (table.h).
typedef struct MbsTableSite {
  int table;
  MbsNode x, y;
  int first;
} MbsTableSite;

typedef enum MbsGraphTrouble {
  MBS_GRAPH_FINE,
  MBS_GRAPH_NO_MEMORY,
  MBS_GRAPH_TOO_LARGE,
  MBS_GRAPH_NO_SECOND_SLOPE
} MbsGraphTrouble;

// Arrays that grow leave their old copies in the arena, so a pointer to a node stays good: nodes never
// change once made.
struct MbsGraph {
  MbsArena *arena;
  MbsGraphTrouble trouble;
  MbsBroken *broken;  // the first call with a node or input that is none; of graphs that are only read, too
  int count, capacity;
  MbsGraphNode *nodes;
  const MbsInputSet **sets;  // by node; NULL: nobody has asked for it yet
  int set_stack_capacity;    // workspace to find them
  MbsNode *set_stack;
  // open addressing, linear probing, at most half full; a power of two slots holding node + 1, or 0
  size_t slot_count;
  MbsNode *slots;
  // the same, of derivatives already taken
  size_t derivative_count, derivative_slot_count;
  MbsDerivativeEntry *derivatives;
  // workspace of mbs_graph_derivative and mbs_graph_nodes_of
  int stack_capacity;
  MbsNode *stack;
  // by node: the round of mbs_graph_nodes_of that found it
  int round, round_capacity;
  int *found_in;
  int *numbers;     // by node: see mbs_graph_numbers
  uint64_t *marks;  // a bit by node, all clear between calls
  // tables, the places where those that vary are looked up, and what makes their inputs
  int table_count, table_capacity;
  MbsTable **tables;
  int site_count, site_capacity;
  MbsTableSite *sites;
  MbsTableInputs table_inputs;
  // functions of a program
  int external_count;
  const MbsExternal *externals;
};

// Remembers that the graph is of no use any more, and gives the node that stands for it.
static inline MbsNode mbs_graph_give_up(MbsGraph *graph, MbsGraphTrouble trouble) {
  graph->trouble = graph->trouble == MBS_GRAPH_FINE ? trouble : graph->trouble;
  return MBS_GRAPH_ZERO;
}

static inline int mbs_operand_count(MbsOperation operation) {
#define MBS_OPERATION_OPERANDS(name, operands) operands,
  static const int operand_count[] = {MBS_OPERATION_LIST(MBS_OPERATION_OPERANDS)};
#undef MBS_OPERATION_OPERANDS
  return operand_count[operation];
}

// The finalizer of SplitMix64: every bit of the key reaches every bit of the hash.
static inline uint64_t mbs_hash(uint64_t key) {
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9U;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebU;
  return key ^ (key >> 31);
}

// graph.c: an input that has others in its train, a node that has, so that what depends on it depends on them
MbsNode mbs_graph_input_with(MbsGraph *graph, int input, MbsNode others);
// graph.c: delta may be MBS_NODE_NONE
MbsNode mbs_graph_table_node(MbsGraph *graph, int index, MbsNode x, MbsNode y, MbsNode delta);

// derivative.c: d node / d operand k as if operands were independent; not of LIST and EXTERNAL
MbsNode mbs_graph_partial(MbsGraph *graph, MbsNode node, int k);

// dependence.c: of a node; where memory runs out the graph gives up, and the set is empty
const MbsInputSet *mbs_input_set_of(MbsGraph *graph, MbsNode node);

// dependence.c: the nodes that these are made of, ascending, in the stack; those behind NOEVENT on request not
MbsStatus mbs_graph_walk(MbsContext *context, MbsGraph *graph, int count, const MbsNode *nodes, bool spares_noevent,
                         int *found_count);

// selection.c: what WHERE(a, b) or UNLESS(a, b) is without a node of its own; or MBS_NODE_NONE, and then both may have
// changed
MbsNode mbs_selection_fold(MbsGraph *graph, MbsOperation *operation, MbsNode *a, MbsNode b);
// selection.c: x if they are WHERE(c, x), or c that is 0 or 1, and UNLESS(c, x), so that x is their sum; or
// MBS_NODE_NONE
MbsNode mbs_selection_sum(const MbsGraph *graph, MbsNode a, MbsNode b);

#endif
