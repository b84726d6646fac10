// Relative coordinates: terms in the coordinates z of a tree of joints, by recursion (P3 section 2, theory section 5).
//
// The bodies' frames x (a point and axes each, the entities of the blueprint) make a system of their own, `inner`,
// whose terms know nothing of the tree. Here x, v, a follow from z along the tree, and forces go back along it. With
// twists at a fixed point (tree/twist.h; P3's RTdyn1, B = I; for each branch from the ground a point near it, since
// moments about one far away lose digits), for a node i that stands on its parent p with the
// twists b_k of its coordinates, fixed in the parent's side of the joint,
//
//     V_i = V_p + sum b_k z_k',   A_i = A_p + sum (b_k z_k'' + b_k' z_k'),     b_k' = [V_p, b_k]               P3 (1)
//     v = V.x,  a = A.x + V.v                                             what twists do to points and vectors
//     f_k = b_k.W_i,   W_i = wrench of the body's f + the sum of the children's W                 no R^v is formed
//
// Derivatives. A change of z (and of the parameters) moves frames by twists eta, which add up along the tree just so:
//
//     eta_i = eta_p + gamma_i + sum b_k z_k'            gamma: of the frame that the node stands on, parameters alone
//     x' = eta.x,   v' = (eta.x)',   a' = (eta.x)''     with eta', eta'' from b', b'' and the columns of z', z''
//     f_k' = b_k.W_i' + [eta_P, b_k].W_i                eta_P = eta_p + gamma_i: what carries the axis along
//
// so columns cost one pass out and one pass in around those of `inner`; and the transpose is the same passes in
// reverse. The Euler parameters p of a ball are coordinates whose axes turn with p itself: omega = 2 E(p) p' / p.p in
// the frame it stands on, which holds for p of any length; p.p = 1 is a row of `inner`.
#ifndef MBS_TREE_H
#define MBS_TREE_H

#include "terms/terms.h"
#include "tree/twist.h"

typedef struct MbsTreeNode {
  int parent;  // -1: the ground
  int end;     // nodes from this one to end - 1 stand on it
  MbsMotionKind kind;
  int axis;
  int first, count;            // coordinates
  bool has_frame;              // it does not just stand on the parent's own frame
  bool is_shifted;             // but its axes are the parent's
  bool is_changing;            // some of its numbers depends on parameters
  MbsBlock frame;              // axes (columns) and origin; in the plane the first axis and origin
  const MbsMass *mass;         // of its body, or NULL
  int body_first, body_count;  // coordinates of its body's entities in `inner`, and how many entities: 0: none
} MbsTreeNode;

// A body's inertia about the fixed point near its branch: integrals over its mass. tree_inertia.c
typedef struct MbsTreeInertia {
  mbs_scalar m, h[3];         // of 1 and x
  mbs_scalar S[3][3], trace;  // of x x', and x.x: in the plane that alone
} MbsTreeInertia;

// Reference points, and how they move: tree_mass_centre.c. By node.
typedef struct MbsTreeCentre {
  mbs_scalar *g, *rate, *second;
  mbs_scalar *omega, *alpha;
} MbsTreeCentre;

typedef struct MbsTree {
  MbsSystem *inner;
  int node_count;
  MbsTreeNode *nodes;
  const int *scalar;                  // by coordinate: the one of `inner` that is the same, or -1
  bool has_scalars;                   // some coordinate is one of them
  const int *node_at;                 // by coordinate of `inner`: the node of its body, or -1
  const int *coordinate_at;           // by coordinate of `inner`: the tree's that is the same, or -1
  const int *node_of;                 // by coordinate of the tree: its node
  int joint_count, coordinate_count;  // coordinates of joints; with the model's own, which follow them
  const char **names;                 // of coordinates
  double *guess;                      // of coordinates
  double *lever;                      // by coordinate: see measure in tree_motion.c
  bool is_measured;

  // at a state
  MbsState at;        // where: t, q, v, a
  bool is_known;      // P, H, V, A, b, b' belong to it
  bool has_slopes;    // b'' too
  bool has_inertia;   // inertia too
  int body_levels;    // positions (1), velocities (2), accelerations (3) of the bodies in x too
  MbsState x;         // of `inner`
  mbs_scalar *local;  // q of `inner`, positions seen from the fixed point near the branch: all twists refer to that
  mbs_scalar *near;   // by node: that point
  mbs_scalar *base;   // by coordinate of `inner`: q - local
  mbs_scalar *P, *H;  // frames: where nodes stand, and after they have moved; axes and origin each
  mbs_scalar *V, *A;  // by node: twists
  mbs_scalar *b[3];   // by coordinate of a joint: b, b', b''
  mbs_scalar *f;      // forces on `inner`, n + m: of all but the bodies' inertia and weight
  mbs_scalar *W;      // by node: wrench of all that stands on it, with inertia and weight
  int known_parts;    // MbsParts that f and W are of now, with these multipliers; 0: of others, or not of the state
  mbs_scalar *known_lambda;  // m
  MbsTreeInertia *inertia;   // by node
  mbs_scalar *inertia_W;     // by node: wrench of its body's inertia alone

  bool is_about_centres;  // values by the recursion about centres of mass
  MbsTreeCentre centre;

  // workspace
  mbs_scalar *eta[3];                     // by node: eta, eta', eta'' of one column
  mbs_scalar *dW;                         // by node
  mbs_scalar *body_dW;                    // by node, of each column: that of its body's inertia and weight
  mbs_scalar *owns, *own;                 // by node: eta_P of each column; of the one at hand
  mbs_scalar *bar[3];                     // by node: of eta, eta', eta''
  mbs_scalar *bar_P;                      // by node: of eta_P
  MbsColumns columns;                     // of `inner`: X, V, A
  struct MbsDirectionColumn *directions;  // the same, one by one
  mbs_scalar *R;                          // of `inner`: (n + m) x columns
  MbsStateBar x_bar;                      // of `inner`: q, v, a
  mbs_scalar *y[3];                       // of `inner`, nq each
  struct MbsTreeTangent *tangent;
  struct MbsTreeElements *elements;
  struct MbsTreeExpanded *expanded;  // of a deep tree with loops; else NULL
  const struct MbsTreeShape *shape;  // of an open tree, whose matrix is that of tree_solver.h; else NULL
  const int *shape_node;             // by node: that of the shape which it moves with, or -1
  bool *is_pushed;                   // of an open tree, by node: forces act on its body
  struct MbsTreeEnds *force_ends;    // of an open tree, by force
  mbs_scalar *end_motions;           // and their workspace
} MbsTree;

// The frame H of a node.
MBS_KERNEL const mbs_scalar *mbs_tree_frame_of(const MbsTree *tree, int index, int d) {
  return tree->H + index * mbs_frame_size(d);
}

// The frame that a node stands on: its parent's, or that of the ground (its axes; the origin does not count here).
MBS_KERNEL const mbs_scalar *mbs_tree_frame_before(const MbsTree *tree, const MbsTreeNode *node, int d) {
  return node->parent < 0 ? mbs_frame_of_ground[d - 2] : mbs_tree_frame_of(tree, node->parent, d);
}

// Of an array of twists by node, that of a node's parent.
MBS_KERNEL const mbs_scalar *mbs_tree_of_parent(const MbsTree *tree, const MbsTreeNode *node, const mbs_scalar *twists,
                                                int d) {
  return node->parent < 0 ? tree->inner->zeros : twists + node->parent * mbs_twist_size(d);
}

// y += scale sum of u_k b_k (level 0), b_k' (1) or b_k'' (2) over a node's coordinates
MBS_KERNEL void mbs_tree_add_axes(const MbsTree *tree, const MbsTreeNode *node, int level, double scale,
                                  const mbs_scalar *u, mbs_scalar *y, int d) {
  for (int k = node->first; k < node->first + node->count; ++k) {
    mbs_twist_add(d, scale * u[k], tree->b[level] + k * mbs_twist_size(d), y);
  }
}

// W (by node) += those of all that stands on each node
MBS_KERNEL void mbs_tree_add_to_parents(const MbsTree *tree, mbs_scalar *W, int d) {
  int size = mbs_twist_size(d);
  for (int i = tree->node_count - 1; i >= 0; --i) {
    if (tree->nodes[i].parent >= 0) {
      mbs_twist_add(d, 1, W + i * size, W + tree->nodes[i].parent * size);
    }
  }
}

// Nodes and their coefficients, before those are finished.
MbsStatus mbs_tree_create(MbsContext *context, MbsSystem *inner, MbsTree **tree);
// The system in the tree's coordinates, after they are.
MbsStatus mbs_tree_wrap(MbsContext *context, MbsTree *tree, MbsSystem **system);
// The pattern of the matrix in the tree's coordinates, and where its entries come from.
MbsStatus mbs_tree_create_tangent(MbsContext *context, MbsTree *tree, MbsSystem *system);

// Entries of the table.
MbsStatus mbs_tree_widen(MbsContext *context, MbsSystem *system, int columns);
MbsStatus mbs_tree_add_form_pattern(MbsContext *context, const MbsSystem *system, const MbsLinearForm *form, int row,
                                    MbsPatternBuilder *builder);

// ---- tree_inertia.c ----
// The inertia of all bodies where they are now, unless it is known.
void mbs_tree_find_inertia(MbsTree *tree);
// That, W and inertia_W of each body alone: inertia and weight. scale, unless NULL: raised to the largest part of them.
void mbs_tree_find_wrenches(MbsTree *tree, double *scale);
// Of inertia and weight, after mbs_tree_balance with them (asserted). dW (by node) = how their wrenches change with
// tree->eta and with a column of parameters (or -1); tree->bar += the transpose, for S = sum of xi.W.
void mbs_tree_body_slopes(const MbsTree *tree, int column, mbs_scalar *dW);
void mbs_tree_bodies_transposed(const MbsTree *tree, const mbs_scalar *xi);

// ---- tree_body_matrix.c ----
// K += that of a node's body (twist x 3 twist); is_full: for eta, eta', eta'', after mbs_tree_balance; else for eta''
// alone, in the first twist, after mbs_tree_find_inertia. (asserted)
void mbs_tree_body_matrix(const MbsTree *tree, int index, bool is_full, mbs_scalar *K);
// K (twist x twist) = or += scale times the inertia of a node's body, zero where there is none
void mbs_tree_put_mass(const MbsTree *tree, int index, mbs_scalar scale, bool is_first, mbs_scalar *K);

// An open tree on which nothing acts but its weight. Then twists are all that the terms need, and f is not used.
static inline bool mbs_tree_is_bare(const MbsTree *tree) {
  return tree->is_pushed && tree->inner->mode.force_count == 0;
}

// May something act on a node's body beside inertia and weight?
static inline bool mbs_tree_has_forces(const MbsTree *tree, int index) {
  return !tree->is_pushed || (tree->inner->mode.force_count > 0 && tree->is_pushed[index]);
}

// ---- tree_articulated.c ----
// The matrix of an open tree, whose equations are solved along it; is_articulated: it is one.
MbsStatus mbs_tree_create_articulated(MbsContext *context, MbsTree *tree, MbsSystem *system, bool *is_articulated);
void mbs_tree_articulate(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1, mbs_scalar c2,
                         mbs_scalar *values);

// ---- tree_motion.c ----
// Brings frames and twists (and b'' where wanted) to a state of the tree.
void mbs_tree_follow_twists(MbsTree *tree, const MbsState *state, bool with_slopes);
// b'' too, of the state that was followed last, if they are not there yet
void mbs_tree_add_slopes(MbsTree *tree);
// The same with x, v, a of `inner`; gives back `inner`'s state.
const MbsState *mbs_tree_follow(MbsTree *tree, const MbsState *state, bool with_slopes);
// The one of these that mbs_tree_balance asks for.
void mbs_tree_follow_terms(MbsTree *tree, const MbsState *state, bool with_slopes);
// Frames and b alone: the place of a state, whatever twists belong to.
void mbs_tree_follow_places(MbsTree *tree, const MbsState *state);

// ---- tree_forces.c ----
// f and W of some parts at the state that was followed, if they are not there already.
void mbs_tree_balance(MbsTree *tree, MbsParts parts);
// f of the coordinates from that of `inner` and the wrenches.
void mbs_tree_project(const MbsTree *tree, const mbs_scalar *f, const mbs_scalar *W, mbs_scalar *f_z);
// y (nq of `inner`) = what the twists of u (coordinates) do to the bodies; the twists by node into xi.
void mbs_tree_spread(const MbsTree *tree, const mbs_scalar *u, mbs_scalar *xi, mbs_scalar *y);

// ---- tree_mass_centre.c ----
// Of all nodes and bodies, after those of the level before: reference points (0), V and b' known, velocities (1), A and
// accelerations (2).
void mbs_tree_follow_centres(const MbsTree *tree, int level);
// f of the coordinates from the forces on the bodies.
void mbs_tree_project_centres(const MbsTree *tree, const mbs_scalar *f, mbs_scalar *f_z);

// ---- the terms (terms.h) in the tree's coordinates: entries of the table, which tree_terms.c has ----
extern const MbsTermsTable mbs_tree_terms;
void mbs_tree_cancelling(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, const mbs_scalar *r,
                         double sizes[2]);
void mbs_tree_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                       double scale[2]);
void mbs_tree_forces(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f);
// e_v of the constraints alone.
void mbs_tree_jacobian(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                       const MbsCombination *c, mbs_scalar *values);
void mbs_tree_assemble(const MbsSystem *system, MbsMatrixKind kind, const MbsState *state, const MbsWeights *weights,
                       const MbsCombination *c, mbs_scalar *values);
void mbs_tree_derivative(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                         int count, const struct MbsDirectionColumn *directions, mbs_scalar *R);
void mbs_tree_mass_slopes(const MbsSystem *system, const MbsState *state, const MbsCombination *c, const mbs_scalar *u,
                          const MbsColumns *columns, mbs_scalar *R);
void mbs_tree_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                         const mbs_scalar *mu, const mbs_scalar *const nu[3], const MbsStateBar *bar);
void mbs_tree_mass_transposed(const MbsSystem *system, const MbsState *state, const MbsCombination *c,
                              const mbs_scalar *u, const mbs_scalar *mu, const MbsStateBar *bar);
MbsColumns mbs_tree_columns(const MbsSystem *system, const MbsState *state, const MbsColumns *columns);
MbsStateBar mbs_tree_begin_bar(const MbsSystem *system, const MbsStateBar *bar);
void mbs_tree_end_bar(const MbsSystem *system, const MbsStateBar *bar);

#endif
