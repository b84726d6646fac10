// Functions of a program's own (mbsens/function.h) in expressions.
//
// In the graph f(x1, ..., xn) is EXTERNAL of a LIST (x1, LIST (x2, ...)), whose index says which function, which of its
// results, and whether the result itself or its slope by an argument. So
//     d f_i = sum over k of f_ik dx_k
// and that is all there is: slopes have no slopes, and a graph in which one would be needed says so (constraints,
// drivers and coordinates of forces differentiate what they are given twice).
//
// On a tape the results and slopes at one place are found by one call, and remembered.
#ifndef MBS_EXTERNAL_H
#define MBS_EXTERNAL_H

#include <mbsens/function.h>

#include "algebra/scalar.h"
#include "expressions/graph.h"

typedef struct MbsExternal {
  const char *name;
  MbsModelFunction function;
} MbsExternal;

static inline bool mbs_external_has_slopes(const MbsExternal *external) {
  return external->function.has_slopes || external->function.evaluate_complex;
}

// What a node means: a result (by < 0), or its slope by an argument.
typedef struct MbsExternalPart {
  const MbsExternal *external;
  int result, by;
} MbsExternalPart;

// The functions that a graph knows, which must outlive it.
void mbs_graph_use_externals(MbsGraph *graph, int count, const MbsExternal *externals);
// NULL: there is none of this name.
const MbsExternal *mbs_graph_find_external(const MbsGraph *graph, const char *name);
MbsExternalPart mbs_graph_external(const MbsGraph *graph, const MbsGraphNode *node);
// One result at the arguments.
MbsNode mbs_graph_call_external(MbsGraph *graph, const MbsExternal *external, int result, int count,
                                const MbsNode *arguments);
// The same result or slope at another LIST.
MbsNode mbs_graph_external_at(MbsGraph *graph, int index, MbsNode list);
MbsNode mbs_graph_list(MbsGraph *graph, MbsNode first, MbsNode rest);
// The slope by argument k of a node that is a result; of a slope the graph gives up.
MbsNode mbs_graph_external_slope(MbsGraph *graph, const MbsGraphNode *node, int k);

// One place on a tape: what was found there last.
typedef struct MbsExternalSite {
  const MbsExternal *external;
  const int *registers;  // of the arguments
  double *arguments, *results, *slopes;
  bool has_results, has_slopes;
} MbsExternalSite;

// A result or slope at a place, whose arguments are in registers r. In complex arithmetic of the first order: slopes
// are real.
mbs_scalar mbs_external_value(MbsExternalSite *site, int result, int by, const mbs_scalar *r);
// The same at plain numbers.
double mbs_external_plain(const MbsExternal *external, int result, int by, const double *arguments);

#endif
