// A deep tree with loops: its matrix with unknowns of the bodies' own.
//
// The matrix T of tree_tangent.c couples each coordinate with all before it: N^2 entries on a chain of N bodies, and
// N^3 operations to factor it. Without loops that is what tree_solver.h avoids. With loops the changes D of the nodes'
// motions and the wrenches W that they pass on become unknowns beside s and lambda,
//     D_i - D_p - sum of C_j s_j over the node's coordinates = 0                                      0 for the ground
//     W_i - sum of W of the children - K_i D_i - sum L_ik D_k - sum U_i lambda = 0
//     b_j.W_i + g_j.D_p + (of a ball: how its axes turn with its own s) = r_j        each coordinate j of node i
//     sum G_i.D_i - epsilon lambda = r                                                                 each constraint
// whose elimination gives T s + ... = r again (K, C, g: tree_solver.h; U, G, L: what constraints and forces do to the
// nodes that they hold, as in tree_element_matrix.c with unit twists for the coordinates). Now entries grow with the
// number of bodies, and a sparse solver finds an order along the chain. It gets the first n + m right-hand sides, the
// others are zero, and returns as many (pattern.h).
//
// D: three twists eta / c0, eta' / c1, eta'' / c2, so that all parts of C are of the size of b.
#ifndef MBS_TREE_EXPANDED_H
#define MBS_TREE_EXPANDED_H

#include "tree/tree_ends.h"

typedef struct MbsTreeExpandedElement {
  MbsTreeEnds ends;
  int diagonal;      // of a row
  int *column;       // of a row, by end: position of the first (end, row)
  const int **row;   // of a row, by end: positions of (row, end), 3 twists or 1
  const int *pairs;  // by port end and argument end: positions of the first row in each of 2 twists (or 1) of columns
} MbsTreeExpandedElement;

typedef struct MbsTreeMovingNode {
  int node, parent;               // parent: among moving nodes, or -1
  const int *own, *of_parent;     // of D: 3 twists each
  const int *wrench, *to_parent;  // of W: 1 twist each
  const int *K;                   // 3 twists: position of the first row
} MbsTreeMovingNode;

typedef struct MbsTreeExpandedCoordinate {
  int node;          // moving
  int C;             // position of the first of 3 twists
  const int *b, *g;  // a twist each; g not of a node on the ground
  const int *own;    // of a ball: positions of its coordinates
} MbsTreeExpandedCoordinate;

typedef struct MbsTreeExpanded {
  int node_count;
  MbsTreeMovingNode *nodes;
  const int *moving;  // by node: the moving one it goes with, or -1
  MbsTreeExpandedCoordinate *coordinates;
  MbsTreeExpandedElement *rows, *forces;
  const int **scalar_maps;
  mbs_scalar *composite;  // by moving node: twist x twist
  mbs_scalar *motion;     // of an element: 3 levels x ends x twist x 3
  mbs_scalar *y;          // by form
  double mass, longest;   // see mbs_terms_factorable_sizes
} MbsTreeExpanded;

// The pattern of mode.factored becomes the one above.
MbsStatus mbs_tree_expanded_create(MbsContext *context, MbsTree *tree, MbsSystem *system);
// order: of all unknowns; the arena is for the work alone. tree_order.c
MbsStatus mbs_tree_expanded_order(MbsContext *context, MbsArena *arena, const MbsTree *tree, const MbsSystem *system,
                                  const MbsTreeExpanded *expanded, int *order);
void mbs_tree_expanded_assemble(const MbsSystem *system, MbsMatrixKind kind, const MbsState *state,
                                const MbsWeights *weights, const MbsCombination *c, mbs_scalar *values);

#endif
