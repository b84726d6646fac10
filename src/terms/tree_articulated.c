// The matrix of an open tree, as numbers of each node: no constraints, and forces that act on one body each (or between
// a body and the ground). Then the equations of a step are solved along the tree (algebra/tree_solver.h) in time linear
// in the number of bodies.
//
// K of each body is that of tree_inertia.c, and of forces that depend on the motion X' (f_x X + f_v X') for eta and X'
// f_v X for eta', X being what twists do to the entities.
#include "algebra/tree_solver.h"
#include "terms/elements.h"
#include "terms/tree.h"

enum { MOST = 12 };  // coordinates of a body's entities

// ---- set-up ----
static bool is_open(const MbsTree *tree) {
  const MbsSystem *inner = tree->inner;
  const MbsPattern *pattern = &inner->mode.pattern;
  bool is = inner->m == 0 && tree->coordinate_count == tree->joint_count && tree->joint_count > 0;
  for (int i = 0; i < tree->node_count && is; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    int end = node->body_first + node->body_count * inner->dimension;
    is = node->count <= 1;
    for (int k = node->body_count > 0 ? pattern->column_start[node->body_first] : 0;
         node->body_count > 0 && k < pattern->column_start[end] && is; ++k) {
      is = pattern->row[k] >= node->body_first && pattern->row[k] < end;
    }
  }
  return is;
}

MbsStatus mbs_tree_create_articulated(MbsContext *context, MbsTree *tree, MbsSystem *system, bool *is_articulated) {
  MbsTreeShape *shape;
  int *parent, *unknown, *start;
  *is_articulated = is_open(tree);
  if (!*is_articulated) {
    return MBS_OK;
  }
  const MbsSystem *inner = tree->inner;
  MBS_TAKE(context, system->arena, shape, 1);
  MBS_TAKE(context, system->arena, parent, tree->node_count);
  MBS_TAKE(context, system->arena, unknown, tree->node_count);
  MBS_TAKE(context, system->arena, start, system->n + 1);
  for (int i = 0; i < tree->node_count; ++i) {
    parent[i] = tree->nodes[i].parent;
    unknown[i] = tree->nodes[i].count > 0 ? tree->nodes[i].first : -1;
  }
  *shape = (MbsTreeShape){.twist = mbs_twist_size(inner->dimension),
                          .node_count = tree->node_count,
                          .unknown_count = tree->joint_count,
                          .parent = parent,
                          .unknown = unknown};
  system->mode.pattern = (MbsPattern){.tree = shape,
                                      .size = system->n,
                                      .entry_count = mbs_tree_shape_numbers(shape),
                                      .column_start = start,
                                      .row = NULL};
  tree->shape = shape;
  MBS_TAKE(context, system->arena, tree->slope_x, inner->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, tree->slope_v, inner->mode.pattern.entry_count + 1);
  return MBS_OK;
}

// y += slope of the forces times a motion of the body's entities; is there any?
static bool add_slopes(const MbsPattern *pattern, const mbs_scalar *slope, const MbsTreeNode *node, int size,
                       const mbs_scalar *motion, mbs_scalar *y) {
  bool is_any = false;
  for (int c = 0; c < size; ++c) {
    for (int k = pattern->column_start[node->body_first + c]; k < pattern->column_start[node->body_first + c + 1];
         ++k) {
      is_any |= mbs_re(mbs_abs(slope[k])) > 0;
      y[pattern->row[k] - node->body_first] += slope[k] * motion[c];
    }
  }
  return is_any;
}

// forces that depend on the motion, twist by twist
MBS_KERNEL void add_forces(const MbsTree *tree, const MbsTreeNode *node, mbs_scalar *K, int d) {
  const MbsPattern *pattern = &tree->inner->mode.pattern;
  int size = d * node->body_count, twist = mbs_twist_size(d);
  const mbs_scalar *x = tree->x.q + node->body_first, *v = tree->x.v + node->body_first;
  for (int t = 0; t < twist; ++t) {
    mbs_scalar unit[MBS_LONGEST_TWIST] = {0}, X[MOST] = {0}, rate[MOST] = {0};
    mbs_scalar y[2][MOST] = {{0}}, w[2][MBS_LONGEST_TWIST] = {{0}};
    unit[t] = 1;
    for (int e = 0; e < node->body_count; ++e) {
      mbs_twist_move(d, e == 0, unit, x + d * e, X + d * e);
      mbs_cross_add(d, 1, unit + d, v + d * e, rate + d * e);
    }
    bool is_any = add_slopes(pattern, tree->slope_x, node, size, X, y[0]);
    is_any |= add_slopes(pattern, tree->slope_v, node, size, rate, y[0]);
    is_any |= add_slopes(pattern, tree->slope_v, node, size, X, y[1]);
    if (!is_any && t > 0) {
      continue;
    }
    for (int level = 0; level < 2; ++level) {
      for (int e = 0; e < node->body_count; ++e) {
        mbs_twist_move_transposed(d, e == 0, x + d * e, y[level] + d * e, w[level]);
      }
      for (int i = 0; i < twist; ++i) {
        K[3 * twist * i + twist * level + t] += w[level][i];
      }
    }
  }
}

// ---- all of it ----
MBS_KERNEL void fill(const MbsTree *tree, double c0, double c1, double c2, bool is_full, mbs_scalar *values, int d) {
  const MbsTreeShape *shape = tree->shape;
  int twist = mbs_twist_size(d);
  bool has_forces = is_full && tree->inner->mode.force_count > 0;
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    mbs_scalar *K = mbs_tree_shape_K(shape, values, i);
    mbs_tree_body_matrix(tree, i, is_full, K);
    if (has_forces && node->body_count > 0) {
      add_forces(tree, node, K, d);
    }
    if (node->count > 0) {
      mbs_scalar *b = mbs_tree_shape_b(shape, values, node->first), *C = b + twist, *g = b + 4 * twist;
      const mbs_scalar *of[3] = {tree->b[0] + node->first * twist, tree->b[1] + node->first * twist,
                                 tree->b[2] + node->first * twist};
      for (int k = 0; k < twist; ++k) {
        b[k] = of[0][k];
        C[k] = is_full ? c0 * of[0][k] : c2 * of[0][k];
        C[twist + k] = is_full ? c1 * of[0][k] + c0 * of[1][k] : 0;
        C[2 * twist + k] = is_full ? c2 * of[0][k] + 2 * c1 * of[1][k] + c0 * of[2][k] : 0;
        g[k] = 0;
      }
      if (is_full) {
        mbs_bracket_transposed(d, 1, of[0], tree->W + i * twist, g);
      }
    }
  }
}

void mbs_tree_articulate(const MbsSystem *system, const MbsState *state, double c0, double c1, double c2,
                         mbs_scalar *values) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  const MbsWeights none = {0};
  bool is_full = c0 < 0 || c0 > 0 || c1 < 0 || c1 > 0;
  const MbsState *x = mbs_tree_follow(tree, state, is_full);
  values[0] = is_full ? 3 : 1;
  if (is_full) {
    mbs_terms_forces(inner, x, MBS_PART_ALL, tree->f);
    mbs_tree_gather(tree, tree->f, tree->W);
  }
  if (is_full && inner->mode.force_count > 0) {
    mbs_terms_tangent(inner, x, &none, 1, 0, 0, tree->slope_x);
    mbs_terms_tangent(inner, x, &none, 0, 1, 0, tree->slope_v);
  }
  if (inner->dimension == 2) {
    fill(tree, c0, c1, c2, is_full, values, 2);
  } else {
    fill(tree, c0, c1, c2, is_full, values, 3);
  }
}
