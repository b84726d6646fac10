// The matrix of an open tree, as numbers of each node: no constraints, and forces on single bodies or between a body
// and the one that carries it (or the ground). Then the equations of a step are solved along the tree
// (algebra/tree_solver.h) in time linear in the number of bodies.
//
// K of each body is that of tree_body_matrix.c; forces F(y, y') that depend on the motion add, between nodes i and k,
//     -Y_i' (F_y Y_k + F_y' Y_k') for eta and -Y_i' F_y' Y_k for eta',      Y: what unit twists do to y (tree_ends.h).
#include "algebra/tree_solver.h"
#include "tree/tree_ends.h"

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

static MbsStatus create_shape(MbsContext *context, MbsTree *tree, MbsArena *arena, MbsTreeShape *shape) {
  int *parent, *unknown, *moving;
  *shape = (MbsTreeShape){.twist = mbs_twist_size(tree->inner->dimension), .unknown_count = tree->joint_count};
  MBS_TRY(mbs_tree_number_moving(context, tree, &moving, &shape->node_count));
  MBS_TAKE(context, arena, parent, shape->node_count);
  MBS_TAKE(context, arena, unknown, shape->node_count);
  for (int i = 0; i < tree->node_count; ++i) {
    if (tree->nodes[i].count > 0) {
      parent[moving[i]] = tree->nodes[i].parent < 0 ? -1 : moving[tree->nodes[i].parent];
      unknown[moving[i]] = tree->nodes[i].first;
    }
  }
  shape->parent = parent;
  shape->unknown = unknown;
  tree->shape_node = moving;
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

static MbsStatus create_ends(MbsContext *context, MbsTree *tree) {
  const MbsSystem *inner = tree->inner;
  int most = 0;
  MBS_TAKE(context, inner->arena, tree->force_ends, inner->mode.force_count);
  for (int f = 0; f < inner->mode.force_count; ++f) {
    MBS_TRY(
        mbs_tree_ends_create(context, tree, tree->shape_node, &tree->elements->forces[f], &tree->force_ends[f], &most));
  }
  MBS_TAKE(context, inner->arena, tree->end_motions, 9 * mbs_twist_size(inner->dimension) * most);
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
  MBS_TRY(create_ends(context, tree));
  return mark_pushed(context, tree, system->arena);
}

// ---- forces ----
// Where the motion of node `column` changes the wrench on node `row`: one of them is the other's partner, or both are
// one.
static mbs_scalar *block_of(const MbsTreeShape *shape, mbs_scalar *values, int row, int column) {
  if (row == column) {
    return mbs_tree_shape_K(shape, values, row);
  }
  return row > column ? mbs_tree_shape_couple(shape, values, row, 0) : mbs_tree_shape_couple(shape, values, column, 1);
}

// the product of one motion, of argument end `from`, to the column of all ports' blocks
MBS_KERNEL void add_product(const MbsTree *tree, const MbsTreeEnds *ends, int from, int column, mbs_scalar *values,
                            int d) {
  int twist = mbs_twist_size(d);
  for (int p = 0; p < ends->count; ++p) {
    const MbsTreeEnd *port = &ends->ends[p];
    const mbs_scalar *F = tree->elements->product + d * port->form;
    mbs_scalar *block = port->is_port ? block_of(tree->shape, values, port->node, ends->ends[from].node) : NULL;
    for (int i = 0; i < twist && block; ++i) {
      const mbs_scalar *Y = mbs_tree_end_motion(tree, tree->end_motions, p, 0, i);
      for (int k = 0; k < d; ++k) {
        block[3 * twist * i + column] += Y[k] * F[k];
      }
    }
  }
}

MBS_KERNEL void add_force(const MbsTree *tree, const MbsForceElement *force, const MbsTreeEnds *ends,
                          mbs_scalar *values, int d) {
  int twist = mbs_twist_size(d);
  mbs_force_element_evaluate(tree->inner, force, &tree->x);
  mbs_tree_move_ends(tree, ends, 2, tree->end_motions);
  for (int e = 0; e < ends->count; ++e) {
    int form = ends->ends[e].form - ends->element->argument_form;
    for (int t = 0; t < twist && ends->ends[e].is_argument; ++t) {
      const mbs_scalar *Y = mbs_tree_end_motion(tree, tree->end_motions, e, 0, t);
      const mbs_scalar *rate = mbs_tree_end_motion(tree, tree->end_motions, e, 1, t);
      mbs_tree_force_product(tree, force, form, 1, Y, 1, rate, tree->elements->product);
      add_product(tree, ends, e, t, values, d);
      mbs_tree_force_product(tree, force, form, 0, Y, 1, Y, tree->elements->product);
      add_product(tree, ends, e, twist + t, values, d);
    }
  }
}

// ---- all of it ----
MBS_KERNEL void fill_unknown(const MbsTree *tree, int index, mbs_scalar c0, mbs_scalar c1, mbs_scalar c2,
                             mbs_scalar *values, int d) {
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

MBS_KERNEL void fill(const MbsTree *tree, mbs_scalar c0, mbs_scalar c1, mbs_scalar c2, mbs_scalar *values, int d) {
  const MbsTreeShape *shape = tree->shape;
  int twist = mbs_twist_size(d), numbers = 3 * twist * twist;
  if (shape->partner) {
    mbs_clear(3 * numbers * shape->node_count, mbs_tree_shape_couple(shape, values, 0, 0));
  }
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    int at = tree->shape_node[i];
    mbs_scalar *K = at < 0 ? NULL : mbs_tree_shape_K(shape, values, at);
    if (node->count > 0) {
      mbs_clear(numbers, K);
      fill_unknown(tree, i, c0, c1, c2, values, d);
    }
    if (node->body_count == 0 || at < 0) {
      continue;
    }
    mbs_tree_body_matrix(tree, i, true, K);
  }
  for (int f = 0; f < tree->inner->mode.force_count; ++f) {
    MbsForceElement *const *force = &tree->inner->mode.forces[f];
    add_force(tree, *force, &tree->force_ends[force - tree->elements->first_force], values, d);
  }
}

// the mass matrix times c2
MBS_KERNEL void fill_mass(const MbsTree *tree, mbs_scalar c2, mbs_scalar *values, int d) {
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

void mbs_tree_articulate(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1, mbs_scalar c2,
                         mbs_scalar *values) {
  MbsTree *tree = system->tree;
  bool is_full = mbs_has_tangent_of_forces(c0, c1);
  values[0] = is_full ? 3 : 1;
  if (!is_full) {
    mbs_tree_follow_twists(tree, state, false);
    mbs_tree_find_inertia(tree);
    MBS_IN_DIMENSION(tree->inner->dimension, fill_mass, tree, c2, values);
    return;
  }
  mbs_tree_follow_terms(tree, state, true);
  mbs_tree_balance(tree, MBS_PART_ALL);
  MBS_IN_DIMENSION(tree->inner->dimension, fill, tree, c0, c1, c2, values);
}
