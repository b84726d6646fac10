// Constraints and forces as the nodes of a tree see them: where they hold a node, how a unit twist of it moves them,
// and what that does to the wrenches on the others. For equations in which nodes have unknowns of their own
// (tree_expanded.h), or are eliminated one by one (tree_articulated.c).
#ifndef MBS_TREE_ENDS_H
#define MBS_TREE_ENDS_H

#include "tree/tree_elements.h"

// One end of an element: a part of a form on a node that moves, or a coordinate of the model's own in a form.
typedef struct MbsTreeEnd {
  int form;
  bool is_port, is_argument;
  int part, node;      // of the element; moving node. Of a scalar: -1
  int at, coordinate;  // of a scalar: where in the block its factor is, and which one it is
} MbsTreeEnd;

typedef struct MbsTreeEnds {
  const MbsTreeElement *element;
  int count;
  MbsTreeEnd *ends;
} MbsTreeEnds;

// Nodes that move; the others move with one of these, and those before the first do not move at all.
MbsStatus mbs_tree_number_moving(MbsContext *context, const MbsTree *tree, int **moving, int *count);
// moving: by node. most: raised to the number of ends.
MbsStatus mbs_tree_ends_create(MbsContext *context, const MbsTree *tree, const int *moving,
                               const MbsTreeElement *element, MbsTreeEnds *ends, int *most);

// Workspace for the motions of so many ends: 9 twists of numbers for each.
static inline mbs_scalar *mbs_tree_end_motion(const MbsTree *tree, mbs_scalar *motions, int end, int level, int t) {
  return motions + 3 * (mbs_twist_size(tree->inner->dimension) * (3 * end + level) + t);
}
static inline int mbs_tree_end_size(const MbsTree *tree, const MbsTreeEnd *end) {
  return end->part < 0 ? 1 : mbs_twist_size(tree->inner->dimension);
}
// How unit twists of its node (or a unit of its coordinate) move each end: by themselves (level 0), by turning its
// velocity (1), its acceleration (2).
void mbs_tree_move_ends(const MbsTree *tree, const MbsTreeEnds *ends, int levels, mbs_scalar *motions);
// product (forms that the force acts on) = -(by_y F_y y + by_v F_v v) for motions y, v of one form it depends on; the
// force was evaluated
void mbs_tree_force_product(const MbsTree *tree, const MbsForceElement *force, int form, mbs_scalar by_y,
                            const mbs_scalar *y, mbs_scalar by_v, const mbs_scalar *v, mbs_scalar *product);

#endif
