// Coefficients: every number the elements use, as functions of the parameters.
//
// Elements refer to graph nodes; equal nodes are one coefficient. One tape gives all values and all
// non-zero derivatives with respect to the chosen parameters ("columns"). An element keeps copies of
// its own coefficients together in a block, and knows which columns its block depends on at all.
#ifndef MBS_COEFFICIENTS_H
#define MBS_COEFFICIENTS_H

#include "expressions/tape.h"
#include "model/blueprint.h"

typedef struct MbsBlock {
  int count;
  const int *index;   // coefficient of each entry
  mbs_scalar *value;  // count
  int active_count;   // columns it depends on
  const int *column;  // active_count, ascending
  mbs_scalar *slope;  // active_count x count: d value / d parameter, where they are given
} MbsBlock;

typedef struct MbsCoefficients {
  MbsArena *arena;
  MbsGraph *graph;
  MBS_LIST(MbsNode) nodes;
  int *index_of_node;  // 1 + coefficient, by graph node
  int known_nodes;
  MBS_LIST(MbsBlock *) blocks;
  MbsTape *tape;
  mbs_scalar *inputs, *outputs;  // of the tape: values first, then derivatives
  int *derivative_start;         // by coefficient: its derivatives among the outputs
  int *derivative_column;
} MbsCoefficients;

// Fills block->index from nodes and remembers the block.
MbsStatus mbs_coefficients_add_block(MbsContext *context, MbsCoefficients *coefficients, int count,
                                     const MbsNode *nodes, MbsBlock *block);
// After the last block. columns[k]: the parameter of column k.
MbsStatus mbs_coefficients_finish(MbsContext *context, MbsCoefficients *coefficients, int column_count,
                                  const int *columns);
// Slopes to all blocks, for products with columns; adjoints do without.
MbsStatus mbs_coefficients_give_slopes(MbsContext *context, MbsCoefficients *coefficients, int column_count);
// All values and slopes at these values of all parameters. Does not allocate.
void mbs_coefficients_refresh(MbsCoefficients *coefficients, const mbs_scalar *parameters);
// Other derivatives than the tape's: of all coefficients by one column, then spread to the blocks.
void mbs_coefficients_set_slopes(MbsCoefficients *coefficients, int column, const double *slopes);
void mbs_coefficients_spread(MbsCoefficients *coefficients);

// Slopes of the block for a column; NULL: it does not depend on it.
static inline const mbs_scalar *mbs_block_slope(const MbsBlock *block, int column) {
  int low = 0, high = block->active_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (block->column[middle] == column) {
      return block->slope + (size_t)middle * (size_t)block->count;
    }
    *(block->column[middle] < column ? &low : &high) = block->column[middle] < column ? middle + 1 : middle;
  }
  return NULL;
}

#endif
