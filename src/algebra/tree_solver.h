// Linear equations along a tree, solved in time linear in the number of its nodes: the recursion behind the
// articulated-body algorithm, for matrices without symmetry and for their transposes.
//
// Each node i has at most one unknown s_i, which changes a state D of up to 3 twists by C_i s_i for all that stands on
// the node; changes of state change wrenches, and each unknown has an equation about the wrench of all on its node:
//     D_i = D_p + C_i s_i,      W_i = K_i D_i + sum of W of the children,      b_i.W_i + g_i.D_i = r_i          T s = r
// g acts on the first twist of D alone, and g_i.C_i = 0. Eliminated from the leaves inwards, K_i having received what
// stands on the node:
//     h_i = K_i' b_i + g_i,  c_i = K_i C_i,  d_i = b_i.c_i:     s_i = (r_i - b_i.w_i - h_i.D_p) / d_i
//     K_p += K_i - c_i h_i' / d_i,      w_p += w_i + c_i (r_i - b_i.w_i) / d_i                  w: what r has caused
//
// A node may also be coupled with one before it, its partner a, with no branching and no other couple between them:
//     W_i = K_i D_i + L_i D_a + ...,      W_a = ... + M_i D_i + N_i D_a
// (a force between a body and the one that carries it). L, M and N are taken along the same way, with l = L' b, m = M
// C:
//     s -= l.D_a / d,   L_p += L - c l' / d,   M_p += M - m h' / d,   N_p += N - m l' / d,   x_p += x + m (r - b.w) / d
// until the partner is reached: K_a += K + L + M + N, w_a += w + x.
#ifndef MBS_TREE_SOLVER_H
#define MBS_TREE_SOLVER_H

#include "algebra/scalar.h"
#include "base/arena.h"

// With one twist the matrix is symmetric: K' = K, C = b, g = 0, no couples, and then h = c. That is a mass matrix.
//
// The matrix's numbers, one after the other: how many twists D has (1 or 3); b, C (3 twists), g of each unknown, or b
// alone; K of each node (twist rows of that many twists); L, M, N of each node, where there are couples.
typedef struct MbsTreeShape {
  int twist;  // 3 in the plane, 6 in space
  int node_count, unknown_count;
  const int *parent;   // by node: before it, or -1
  const int *unknown;  // by node, or -1
  const int *partner;  // by node: its own, or that of a node that stands on it; -1: none. NULL: there are no couples
} MbsTreeShape;

static inline int mbs_tree_shape_numbers(const MbsTreeShape *shape) {
  int blocks = shape->partner ? 4 : 1;
  return 1 + 3 * shape->twist * shape->twist * shape->node_count * blocks + 5 * shape->twist * shape->unknown_count;
}

// The first number says which of the two layouts it is.
static inline int mbs_tree_shape_levels(const mbs_scalar *values) { return mbs_re(values[0]) > 1 ? 3 : 1; }

static inline mbs_scalar *mbs_tree_shape_b(const MbsTreeShape *shape, mbs_scalar *values, int unknown) {
  return values + 1 + (mbs_tree_shape_levels(values) == 3 ? 5 : 1) * shape->twist * unknown;
}

static inline mbs_scalar *mbs_tree_shape_K(const MbsTreeShape *shape, mbs_scalar *values, int node) {
  return mbs_tree_shape_b(shape, values, shape->unknown_count) +
         mbs_tree_shape_levels(values) * shape->twist * shape->twist * node;
}

// block 0, 1, 2: L, M, N
static inline mbs_scalar *mbs_tree_shape_couple(const MbsTreeShape *shape, mbs_scalar *values, int node, int block) {
  return mbs_tree_shape_K(shape, values, shape->node_count) + 3 * shape->twist * shape->twist * (3 * node + block);
}

typedef struct MbsTreeSolver MbsTreeSolver;

MbsStatus mbs_tree_solver_create(MbsContext *context, MbsArena *arena, const MbsTreeShape *shape,
                                 MbsTreeSolver **solver);
// False: an unknown moves nothing that resists. Values are used up.
bool mbs_tree_solver_factor(MbsTreeSolver *solver, mbs_scalar *values);
void mbs_tree_solver_solve(MbsTreeSolver *solver, int count, mbs_scalar *b);
void mbs_tree_solver_solve_transposed(MbsTreeSolver *solver, int count, mbs_scalar *b);
// min |d| / max |d|
double mbs_tree_solver_quality(const MbsTreeSolver *solver);

#endif
