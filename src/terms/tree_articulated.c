// The matrix of an open tree, as numbers of each node: no constraints, and forces on single bodies or between a body
// and the one that carries it (or the ground). Then the equations of a step are solved along the tree
// (algebra/tree_solver.h) in time linear in the number of bodies.
//
// K of each body is that of tree_inertia.c; forces that depend on the motion add, between bodies i and k,
//     X_i' (f_x X_k + f_v X_k') for eta and X_i' f_v X_k for eta',       X: what twists do to the entities.
#include "algebra/tree_solver.h"
#include "terms/elements.h"
#include "terms/tree.h"

enum { MOST = 12 };  // coordinates of a body's entities

// ---- set-up ----
// the node of the body that carries a node's, or -1
static int carrier_of(const MbsTree *tree, int node) {
  int at = tree->nodes[node].parent;
  while (at >= 0 && tree->nodes[at].body_count == 0) {
    at = tree->nodes[at].parent;
  }
  return at;
}

// Do entries couple a body with itself and its carrier alone? partner: by node, of those between two that are coupled.
static bool find_couples(const MbsTree *tree, int *partner, bool *has_couples) {
  const MbsSystem *inner = tree->inner;
  const MbsPattern *pattern = &inner->mode.pattern;
  *has_couples = false;
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    int end = node->body_first + node->body_count * inner->dimension, carrier = carrier_of(tree, i);
    for (int c = node->body_first; c < end; ++c) {
      for (int k = pattern->column_start[c]; k < pattern->column_start[c + 1]; ++k) {
        int other = tree->node_at[pattern->row[k]];
        if (other == i || carrier_of(tree, other) == i) {
          continue;
        }
        if (other != carrier) {
          return false;
        }
        *has_couples = true;
        for (int at = i; at != carrier; at = tree->nodes[at].parent) {
          partner[at] = carrier;
        }
      }
    }
  }
  return true;
}

MbsStatus mbs_tree_create_articulated(MbsContext *context, MbsTree *tree, MbsSystem *system, bool *is_articulated) {
  MbsTreeShape *shape;
  int *parent, *unknown, *start, *partner;
  bool has_couples;
  MBS_TAKE(context, system->arena, partner, tree->node_count);
  *is_articulated = tree->inner->m == 0 && tree->coordinate_count == tree->joint_count && tree->joint_count > 0;
  for (int i = 0; i < tree->node_count; ++i) {
    partner[i] = -1;
    *is_articulated = *is_articulated && tree->nodes[i].count <= 1;
  }
  *is_articulated = *is_articulated && find_couples(tree, partner, &has_couples);
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
                          .unknown = unknown,
                          .partner = has_couples ? partner : NULL};
  system->mode.pattern = (MbsPattern){.tree = shape,
                                      .size = system->n,
                                      .entry_count = mbs_tree_shape_numbers(shape),
                                      .column_start = start,
                                      .row = NULL};
  tree->shape = shape;
  MBS_TAKE(context, system->arena, tree->slope_x, inner->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, tree->slope_v, inner->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, tree->is_pushed, tree->node_count);
  for (int f = 0; f < inner->mode.force_count; ++f) {
    const MbsForceElement *force = inner->mode.forces[f];
    for (int p = 0; p < force->port_count; ++p) {
      for (int t = 0; t < force->ports[p].count; ++t) {
        int at = force->ports[p].first[t];
        if (at < inner->n) {
          tree->is_pushed[tree->node_at[at]] = true;
        }
      }
    }
  }
  return MBS_OK;
}

// ---- forces ----
// y (of the row's body) += slope of the forces times a motion of the column's entities
static void add_slopes(const MbsPattern *pattern, const mbs_scalar *slope, const MbsTreeNode *row,
                       const MbsTreeNode *column, int d, const mbs_scalar *motion, mbs_scalar *y) {
  int end = row->body_first + d * row->body_count;
  for (int c = 0; c < d * column->body_count; ++c) {
    for (int k = pattern->column_start[column->body_first + c]; k < pattern->column_start[column->body_first + c + 1];
         ++k) {
      if (pattern->row[k] >= row->body_first && pattern->row[k] < end) {
        y[pattern->row[k] - row->body_first] += slope[k] * motion[c];
      }
    }
  }
}

// what the motion of one body does to the wrench of another (or the same) by forces, twist by twist
MBS_KERNEL void add_forces(const MbsTree *tree, const MbsTreeNode *row, const MbsTreeNode *column, mbs_scalar *K,
                           int d) {
  const MbsPattern *pattern = &tree->inner->mode.pattern;
  int twist = mbs_twist_size(d);
  const mbs_scalar *x = tree->x.q + column->body_first, *v = tree->x.v + column->body_first;
  for (int t = 0; t < twist; ++t) {
    mbs_scalar unit[MBS_LONGEST_TWIST] = {0}, X[MOST] = {0}, rate[MOST] = {0};
    mbs_scalar y[2][MOST] = {{0}}, w[2][MBS_LONGEST_TWIST] = {{0}};
    unit[t] = 1;
    for (int e = 0; e < column->body_count; ++e) {
      mbs_twist_move(d, e == 0, unit, x + d * e, X + d * e);
      mbs_cross_add(d, 1, unit + d, v + d * e, rate + d * e);
    }
    add_slopes(pattern, tree->slope_x, row, column, d, X, y[0]);
    add_slopes(pattern, tree->slope_v, row, column, d, rate, y[0]);
    add_slopes(pattern, tree->slope_v, row, column, d, X, y[1]);
    for (int level = 0; level < 2; ++level) {
      for (int e = 0; e < row->body_count; ++e) {
        mbs_twist_move_transposed(d, e == 0, tree->x.q + row->body_first + d * e, y[level] + d * e, w[level]);
      }
      for (int i = 0; i < twist; ++i) {
        K[3 * twist * i + twist * level + t] += w[level][i];
      }
    }
  }
}

MBS_KERNEL void add_couples(const MbsTree *tree, int index, mbs_scalar *values, int d) {
  const MbsTreeShape *shape = tree->shape;
  const MbsTreeNode *node = &tree->nodes[index];
  int twist = mbs_twist_size(d);
  mbs_scalar *L = mbs_tree_shape_couple(shape, values, index, 0), *M = mbs_tree_shape_couple(shape, values, index, 1);
  for (int k = 0; k < 9 * twist * twist; ++k) {
    L[k] = 0;  // and M, N behind it
  }
  if (node->body_count > 0 && shape->partner[index] >= 0) {
    const MbsTreeNode *carrier = &tree->nodes[shape->partner[index]];
    add_forces(tree, node, carrier, L, d);
    add_forces(tree, carrier, node, M, d);
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
    if (has_forces && tree->is_pushed[i]) {
      add_forces(tree, node, node, K, d);
    }
    if (has_forces && shape->partner) {
      add_couples(tree, i, values, d);
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
