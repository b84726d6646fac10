// Small vectors of graph nodes.
#ifndef MBS_VECTOR_H
#define MBS_VECTOR_H

#include "expressions/graph.h"

// sum + a b
static inline MbsNode mbs_node_multiply_add(MbsGraph *graph, MbsNode a, MbsNode b, MbsNode sum) {
  return mbs_graph_add(graph, sum, mbs_graph_multiply(graph, a, b));
}

// a.b, `size` components
static inline MbsNode mbs_node_dot(MbsGraph *graph, int size, const MbsNode *a, const MbsNode *b) {
  MbsNode sum = mbs_graph_constant(graph, 0);
  for (int k = 0; k < size; ++k) {
    sum = mbs_node_multiply_add(graph, a[k], b[k], sum);
  }
  return sum;
}

// |a|
static inline MbsNode mbs_node_norm(MbsGraph *graph, int size, const MbsNode *a) {
  return mbs_graph_apply(graph, MBS_OP_SQRT, mbs_node_dot(graph, size, a, a), MBS_NODE_NONE);
}

// component k of a x b in space
static inline MbsNode mbs_node_cross(MbsGraph *graph, const MbsNode *a, const MbsNode *b, int k) {
  int i = (k + 1) % 3, j = (k + 2) % 3;
  return mbs_graph_subtract(graph, mbs_graph_multiply(graph, a[i], b[j]), mbs_graph_multiply(graph, a[j], b[i]));
}

// the same of vectors of 3, and of vectors of 2 the number a x b, which is component 2
static inline MbsNode mbs_node_vector_product(MbsGraph *graph, int size, const MbsNode *a, const MbsNode *b, int k) {
  return mbs_node_cross(graph, a, b, size == 3 ? k : 2);
}

#endif
