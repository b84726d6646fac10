// The matrix K of a kinematic problem (kinematics/problem.h) on a deep tree, with unknowns of the bodies' own.
//
// In relative coordinates a row of K has an entry for each coordinate between a body and the ground: N^2 of
// them on a chain of N bodies, of which each is held. So the twists D by which a change s of the coordinates moves the
// nodes of the tree are unknowns too,
//     g.D + h s = r                        each row: g, wrenches of its gradient on bodies; h, by the model's own s
//     D_i - D_p - sum of b_k s_k = 0       each node that moves, on its parent p          0 for the ground
// D being what a node's own origin o does, so that numbers do not grow with the distance from the ground: all terms of
// a row are of lin + ang x o_i, and D_p comes with a lever o_i - o_p. The elimination leaves K s = r, and of the
// transposed equations K' y = c, with as many entries as bodies. (Newton's matrix does the same: tree_expanded.h.)
#ifndef MBS_TREE_UNFOLDED_H
#define MBS_TREE_UNFOLDED_H

#include "tree/tree.h"

// A point or vector of a body in the gradient of a row; or a coordinate of the model's own.
typedef struct MbsUnfoldedTerm {
  int row, first;  // row of K; coordinate of the bodies, the first of it
  int coordinate;  // -1, or: the model's own, and at[0] is its place
  bool is_point;
  int at[MBS_LONGEST_TWIST];  // places of the wrench
  int from[3];                // of a constraint: its slopes in the bodies' matrix
} MbsUnfoldedTerm;

struct MbsUnfolded {
  const MbsKinematicRow *rows;
  int term_count;
  MbsUnfoldedTerm *terms;  // by row
  int node_count;          // of those that move
  const int *nodes;        // which
  const int *moving;       // by node: its number among these, or that of the one it moves with, or -1
  int *own, *of_parent;    // twist of each: places of D_i and D_p
  int *levers;             // twist x d of each: places of ang_p
  int *axes;               // twist by coordinate of the joints: places of b
  mbs_scalar *tangent;     // of the bodies' matrix
  mbs_scalar *gradient;    // of the bodies' coordinates: zero but for the row at hand
};

// Has K so many entries that it pays?
bool mbs_tree_has_long_rows(const MbsSystem *system, int row_count, const MbsKinematicRow *rows);
// See mbs_system_unfold.
MbsStatus mbs_tree_unfold(MbsContext *context, MbsArena *scratch, const MbsSystem *system, int row_count,
                          const MbsKinematicRow *rows, MbsPattern *pattern, MbsUnfolded **unfolded);
void mbs_tree_fill_unfolded(const MbsSystem *system, const MbsUnfolded *unfolded, const MbsState *state,
                            mbs_scalar *values);

#endif
