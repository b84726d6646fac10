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

// Do entries couple a body with itself and its carrier alone? partner: by node of the shape, of those between two that
// are coupled.
static bool find_couples(const MbsTree *tree, const MbsTreeShape *shape, int *partner, bool *has_couples) {
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
        int last = tree->shape_node[carrier];
        for (int at = tree->shape_node[i]; at != last && last >= 0; at = shape->parent[at]) {
          partner[at] = last;
          *has_couples = true;
        }
      }
    }
  }
  return true;
}

// a node of the shape for each that moves; the others move with it, and those before the first do not move at all
static MbsStatus create_shape(MbsContext *context, MbsTree *tree, MbsArena *arena, MbsTreeShape *shape) {
  int *parent, *unknown, *shape_node;
  MBS_TAKE(context, arena, parent, tree->node_count);
  MBS_TAKE(context, arena, unknown, tree->node_count);
  MBS_TAKE(context, arena, shape_node, tree->node_count);
  *shape = (MbsTreeShape){.twist = mbs_twist_size(tree->inner->dimension),
                          .unknown_count = tree->joint_count,
                          .parent = parent,
                          .unknown = unknown};
  for (int i = 0; i < tree->node_count; ++i) {
    int before = tree->nodes[i].parent < 0 ? -1 : shape_node[tree->nodes[i].parent];
    shape_node[i] = before;
    if (tree->nodes[i].count > 0) {
      parent[shape->node_count] = before;
      unknown[shape->node_count] = tree->nodes[i].first;
      shape_node[i] = shape->node_count++;
    }
  }
  tree->shape_node = shape_node;
  return MBS_OK;
}

// for each node: do forces act on its body?
static MbsStatus mark_pushed(MbsContext *context, MbsTree *tree, MbsArena *arena) {
  const MbsSystem *inner = tree->inner;
  MBS_TAKE(context, arena, tree->is_pushed, tree->node_count);
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

MbsStatus mbs_tree_create_articulated(MbsContext *context, MbsTree *tree, MbsSystem *system, bool *is_articulated) {
  const MbsSystem *inner = tree->inner;
  MbsTreeShape *shape;
  int *start, *partner;
  bool has_couples;
  *is_articulated = inner->m == 0 && tree->coordinate_count == tree->joint_count && tree->joint_count > 0;
  for (int i = 0; i < tree->node_count; ++i) {
    *is_articulated = *is_articulated && tree->nodes[i].count <= 1;
  }
  if (!*is_articulated) {
    return MBS_OK;
  }
  MBS_TAKE(context, system->arena, shape, 1);
  MBS_TAKE(context, system->arena, start, system->n + 1);
  MBS_TAKE(context, system->arena, partner, tree->node_count);
  MBS_TRY(create_shape(context, tree, system->arena, shape));
  for (int i = 0; i < tree->node_count; ++i) {
    partner[i] = -1;
  }
  *is_articulated = find_couples(tree, shape, partner, &has_couples);
  if (!*is_articulated) {
    return MBS_OK;
  }
  shape->partner = has_couples ? partner : NULL;
  system->mode.pattern = (MbsPattern){.tree = shape,
                                      .size = system->n,
                                      .entry_count = mbs_tree_shape_numbers(shape),
                                      .column_start = start,
                                      .row = NULL};
  tree->shape = shape;
  MBS_TAKE(context, system->arena, tree->slope_x, inner->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, tree->slope_v, inner->mode.pattern.entry_count + 1);
  return mark_pushed(context, tree, system->arena);
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
  const mbs_scalar *x = tree->local + column->body_first, *v = tree->x.v + column->body_first;
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
        mbs_twist_move_transposed(d, e == 0, tree->local + row->body_first + d * e, y[level] + d * e, w[level]);
      }
      for (int i = 0; i < twist; ++i) {
        K[3 * twist * i + twist * level + t] += w[level][i];
      }
    }
  }
}

// forces between a node's body and its carrier; a fixed joint between them makes them one
MBS_KERNEL void add_couples(const MbsTree *tree, int index, mbs_scalar *values, int d) {
  const MbsTreeShape *shape = tree->shape;
  int at = tree->shape_node[index], carrier = carrier_of(tree, index);
  if (carrier < 0 || tree->shape_node[carrier] < 0 || !tree->is_pushed[carrier]) {
    return;
  }
  bool is_one = at == tree->shape_node[carrier];
  mbs_scalar *K = mbs_tree_shape_K(shape, values, at);
  if (!is_one && (!shape->partner || shape->partner[at] < 0)) {
    return;
  }
  const MbsTreeNode *node = &tree->nodes[index], *other = &tree->nodes[carrier];
  add_forces(tree, node, other, is_one ? K : mbs_tree_shape_couple(shape, values, at, 0), d);
  add_forces(tree, other, node, is_one ? K : mbs_tree_shape_couple(shape, values, at, 1), d);
}

// ---- all of it ----
MBS_KERNEL void fill_unknown(const MbsTree *tree, int index, double c0, double c1, double c2, mbs_scalar *values,
                             int d) {
  int twist = mbs_twist_size(d), k0 = tree->nodes[index].first * twist;
  mbs_scalar *restrict b = mbs_tree_shape_b(tree->shape, values, tree->nodes[index].first);
  mbs_scalar *C = b + twist, *g = b + 4 * twist;
  const mbs_scalar *of[3] = {tree->b[0] + k0, tree->b[1] + k0, tree->b[2] + k0};
  for (int k = 0; k < twist; ++k) {
    b[k] = of[0][k];
    C[k] = c0 * of[0][k];
    C[twist + k] = c1 * of[0][k] + c0 * of[1][k];
    C[2 * twist + k] = c2 * of[0][k] + 2 * c1 * of[1][k] + c0 * of[2][k];
    g[k] = 0;
  }
  mbs_bracket_transposed(d, 1, of[0], tree->W + index * twist, g);
}

MBS_KERNEL void clear(int count, mbs_scalar *numbers) {
  for (int k = 0; k < count; ++k) {
    numbers[k] = 0;
  }
}

MBS_KERNEL void fill(const MbsTree *tree, double c0, double c1, double c2, mbs_scalar *values, int d) {
  const MbsTreeShape *shape = tree->shape;
  int twist = mbs_twist_size(d), numbers = 3 * twist * twist;
  if (shape->partner) {
    clear(3 * numbers * shape->node_count, mbs_tree_shape_couple(shape, values, 0, 0));
  }
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    int at = tree->shape_node[i];
    mbs_scalar *K = at < 0 ? NULL : mbs_tree_shape_K(shape, values, at);
    if (node->count > 0) {
      clear(numbers, K);
      fill_unknown(tree, i, c0, c1, c2, values, d);
    }
    if (node->body_count == 0 || at < 0) {
      continue;
    }
    mbs_tree_body_matrix(tree, i, true, K);
    if (mbs_tree_has_forces(tree, i)) {
      add_forces(tree, node, node, K, d);
      add_couples(tree, i, values, d);
    }
  }
}

// the mass matrix times c2
MBS_KERNEL void fill_mass(const MbsTree *tree, double c2, mbs_scalar *values, int d) {
  const MbsTreeShape *shape = tree->shape;
  int twist = mbs_twist_size(d);
  for (int k = 0; k < twist * tree->joint_count; ++k) {
    mbs_tree_shape_b(shape, values, 0)[k] = tree->b[0][k];
  }
  for (int i = 0; i < tree->node_count; ++i) {
    int at = tree->shape_node[i];
    if (at >= 0) {
      mbs_tree_put_mass(tree, i, c2, tree->nodes[i].count > 0, mbs_tree_shape_K(shape, values, at));
    }
  }
}

void mbs_tree_articulate(const MbsSystem *system, const MbsState *state, double c0, double c1, double c2,
                         mbs_scalar *values) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  const MbsWeights none = {0};
  bool is_full = c0 < 0 || c0 > 0 || c1 < 0 || c1 > 0, is_plane = inner->dimension == 2;
  values[0] = is_full ? 3 : 1;
  if (!is_full) {
    mbs_tree_follow_twists(tree, state, false);
    mbs_tree_find_inertia(tree);
    if (is_plane) {
      fill_mass(tree, c2, values, 2);
    } else {
      fill_mass(tree, c2, values, 3);
    }
    return;
  }
  mbs_tree_follow_terms(tree, state, true);
  mbs_tree_balance(tree, MBS_PART_ALL);
  if (!mbs_tree_is_bare(tree)) {
    mbs_terms_tangent(inner, &tree->x, &none, 1, 0, 0, tree->slope_x);
    mbs_terms_tangent(inner, &tree->x, &none, 0, 1, 0, tree->slope_v);
  }
  if (is_plane) {
    fill(tree, c0, c1, c2, values, 2);
  } else {
    fill(tree, c0, c1, c2, values, 3);
  }
}
