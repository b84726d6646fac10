// The matrix in the tree's coordinates, column by column. With y_j = b_j.x the motion of the bodies that coordinate j
// makes, and y_j', y_j'' its rates, a step's change of acceleration moves x by c0 y_j, v by c1 y_j + c0 y_j', a by c2
// y_j + 2 c1 y_j' + c0 y_j''. So from three matrices of `inner`
//     T1 = c0 r_x + c1 r_v + c2 r_a,   T2 = c0 r_v + 2 c1 r_a,   T3 = c0 r_a
//     column j = J' (T1 y_j + T2 y_j' + T3 y_j'') + c0 (change of J')' f
// where J' gathers along the tree, and y_j is zero but for the bodies that stand on j. Entries of the result exist
// where a coordinate carries a body that an entry of `inner` couples with a body on j: along paths, and across through
// loops.
#include "terms/elements.h"
#include "terms/tree.h"

// What one column of the result is made of.
typedef struct ColumnPlan {
  int first, end;  // columns of `inner`: of the bodies that stand on it; or one multiplier's
  int scalar;      // and the one that is the coordinate itself, or -1
  int node_count;  // nodes that carry a body it reaches, from the leaves inwards
  const int *nodes;
  const int *node_map;  // positions of their coordinates' entries, one after the other
  int row_count;        // constraints it reaches
  const int *rows;
  const int *row_map;
  int scalar_count;  // coordinates that are scalars of `inner` and are reached as such
  const int *scalars;
  const int *scalar_map;
} ColumnPlan;

typedef struct MbsTreeTangent {
  ColumnPlan *columns;       // n + m
  const int *node_of_inner;  // by free coordinate of `inner`: its body's node, or -1
  const int *z_of_inner;     // by free coordinate of `inner`: the tree's coordinate it is, or -1
  mbs_scalar *T[3];          // matrices of `inner`, with their bins
  mbs_scalar *y[3];          // of `inner`: n each
  mbs_scalar *w;             // n + m of `inner`
  mbs_scalar *dW;            // by node
} MbsTreeTangent;

// ---- plans ----
typedef struct Reach {
  bool *is_node, *is_row, *is_scalar;
} Reach;

static void reach_column(const MbsTree *tree, const MbsTreeTangent *tangent, int column, Reach *reach) {
  const MbsSystem *inner = tree->inner;
  const MbsPattern *pattern = &inner->mode.pattern;
  for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
    int row = pattern->row[k];
    if (row >= inner->n) {
      reach->is_row[row - inner->n] = true;
    } else if (tangent->z_of_inner[row] >= 0) {
      reach->is_scalar[tangent->z_of_inner[row]] = true;
    }
    for (int i = row < inner->n ? tangent->node_of_inner[row] : -1; i >= 0; i = tree->nodes[i].parent) {
      reach->is_node[i] = true;
    }
  }
}

static MbsStatus list(MbsContext *context, const MbsTree *tree, int size, bool *is_in, bool is_descending, int *count,
                      const int **items) {
  int *found;
  *count = 0;
  for (int i = 0; i < size; ++i) {
    *count += is_in[i];
  }
  MBS_TAKE(context, tree->inner->arena, found, *count);
  for (int i = 0, used = 0; i < size; ++i) {
    int k = is_descending ? size - 1 - i : i;
    if (is_in[k]) {
      found[used++] = k;
    }
    is_in[k] = false;
  }
  *items = found;
  return MBS_OK;
}

static MbsStatus plan_column(MbsContext *context, const MbsTree *tree, const MbsSystem *system,
                             const MbsTreeTangent *tangent, int column, Reach *reach, ColumnPlan *plan) {
  const MbsSystem *inner = tree->inner;
  plan->scalar = -1;
  if (column >= system->n) {
    plan->first = inner->n + column - system->n;
    plan->end = plan->first + 1;
  } else {
    plan->scalar = tree->scalar[column];
    if (column < tree->joint_count) {
      int node = tree->node_of[column], end = tree->nodes[node].end;
      plan->first = plan->end = 0;
      for (int i = node; i < end; ++i) {
        const MbsTreeNode *on = &tree->nodes[i];
        if (on->body_count > 0) {
          plan->first = plan->end == 0 ? on->body_first : plan->first;
          plan->end = on->body_first + on->body_count * inner->dimension;
        }
      }
      for (int i = node; i >= 0; i = tree->nodes[i].parent) {
        reach->is_node[i] = true;
      }
    }
  }
  for (int c = plan->first; c < plan->end; ++c) {
    reach_column(tree, tangent, c, reach);
  }
  if (plan->scalar >= 0) {
    reach_column(tree, tangent, plan->scalar, reach);
  }
  MBS_TRY(list(context, tree, tree->node_count, reach->is_node, true, &plan->node_count, &plan->nodes));
  MBS_TRY(list(context, tree, inner->m, reach->is_row, false, &plan->row_count, &plan->rows));
  return list(context, tree, tree->coordinate_count, reach->is_scalar, false, &plan->scalar_count, &plan->scalars);
}

static MbsStatus add_pattern(MbsContext *context, const MbsTree *tree, int n, int column, const ColumnPlan *plan,
                             MbsPatternBuilder *builder) {
  MBS_TRY(mbs_pattern_add(context, builder, column, column));
  for (int i = 0; i < plan->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[plan->nodes[i]];
    for (int k = node->first; k < node->first + node->count; ++k) {
      MBS_TRY(mbs_pattern_add(context, builder, k, column));
    }
  }
  for (int i = 0; i < plan->row_count; ++i) {
    MBS_TRY(mbs_pattern_add(context, builder, n + plan->rows[i], column));
  }
  for (int i = 0; i < plan->scalar_count; ++i) {
    MBS_TRY(mbs_pattern_add(context, builder, plan->scalars[i], column));
  }
  return MBS_OK;
}

static MbsStatus map_column(MbsContext *context, const MbsTree *tree, const MbsSystem *system, int column,
                            ColumnPlan *plan) {
  const MbsPattern *pattern = &system->mode.pattern;
  int entries = 0, used = 0, *nodes, *rows, *scalars;
  for (int i = 0; i < plan->node_count; ++i) {
    entries += tree->nodes[plan->nodes[i]].count;
  }
  MBS_TAKE(context, system->arena, nodes, entries);
  MBS_TAKE(context, system->arena, rows, plan->row_count);
  MBS_TAKE(context, system->arena, scalars, plan->scalar_count);
  for (int i = 0; i < plan->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[plan->nodes[i]];
    for (int k = node->first; k < node->first + node->count; ++k) {
      nodes[used++] = mbs_pattern_position(pattern, k, column);
    }
  }
  for (int i = 0; i < plan->row_count; ++i) {
    rows[i] = mbs_pattern_position(pattern, system->n + plan->rows[i], column);
  }
  for (int i = 0; i < plan->scalar_count; ++i) {
    scalars[i] = mbs_pattern_position(pattern, plan->scalars[i], column);
  }
  plan->node_map = nodes;
  plan->row_map = rows;
  plan->scalar_map = scalars;
  return MBS_OK;
}

static MbsStatus number_inner(MbsContext *context, const MbsTree *tree, MbsTreeTangent *tangent) {
  const MbsSystem *inner = tree->inner;
  int *node_of, *z_of;
  MBS_TAKE(context, inner->arena, node_of, inner->n);
  MBS_TAKE(context, inner->arena, z_of, inner->n);
  for (int i = 0; i < inner->n; ++i) {
    node_of[i] = z_of[i] = -1;
  }
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    for (int k = 0; k < node->body_count * inner->dimension; ++k) {
      node_of[node->body_first + k] = i;
    }
  }
  for (int k = 0; k < tree->coordinate_count; ++k) {
    if (tree->scalar[k] >= 0) {
      z_of[tree->scalar[k]] = k;
    }
  }
  tangent->node_of_inner = node_of;
  tangent->z_of_inner = z_of;
  return MBS_OK;
}

MbsStatus mbs_tree_create_tangent(MbsContext *context, MbsTree *tree, MbsSystem *system) {
  const MbsSystem *inner = tree->inner;
  MbsTreeTangent *tangent;
  MbsPatternBuilder *builder;
  Reach reach;
  int size = system->n + system->m;
  MBS_TAKE(context, system->arena, tangent, 1);
  tree->tangent = tangent;
  MBS_TRY(number_inner(context, tree, tangent));
  bool is_articulated;
  MBS_TRY(mbs_tree_create_articulated(context, tree, system, &is_articulated));
  if (is_articulated) {
    return MBS_OK;
  }
  MBS_TAKE(context, system->arena, tangent->columns, size);
  MBS_TAKE(context, system->arena, reach.is_node, tree->node_count);
  MBS_TAKE(context, system->arena, reach.is_row, inner->m);
  MBS_TAKE(context, system->arena, reach.is_scalar, tree->coordinate_count);
  MBS_TRY(mbs_pattern_begin(context, system->arena, size, &builder));
  for (int j = 0; j < size; ++j) {
    MBS_TRY(plan_column(context, tree, system, tangent, j, &reach, &tangent->columns[j]));
    MBS_TRY(add_pattern(context, tree, system->n, j, &tangent->columns[j], builder));
  }
  MBS_TRY(mbs_pattern_finish(context, builder, &system->mode.pattern));
  for (int j = 0; j < size; ++j) {
    MBS_TRY(map_column(context, tree, system, j, &tangent->columns[j]));
  }
  for (int i = 0; i < 3; ++i) {
    MBS_TAKE(context, system->arena, tangent->T[i], inner->mode.pattern.entry_count + 1);
    MBS_TAKE(context, system->arena, tangent->y[i], inner->n);
  }
  MBS_TAKE(context, system->arena, tangent->w, inner->n + inner->m);
  MBS_TAKE(context, system->arena, tangent->dW, tree->node_count * mbs_twist_size(inner->dimension));
  return MBS_OK;
}

MbsStatus mbs_tree_add_form_pattern(MbsContext *context, const MbsSystem *system, const MbsLinearForm *form, int row,
                                    MbsPatternBuilder *builder) {
  const MbsTree *tree = system->tree;
  for (int t = 0; t < form->count; ++t) {
    int at = form->first[t];
    if (at >= tree->inner->n) {
      continue;
    }
    if (tree->tangent->z_of_inner[at] >= 0) {
      MBS_TRY(mbs_pattern_add(context, builder, row, tree->tangent->z_of_inner[at]));
    }
    for (int i = tree->tangent->node_of_inner[at]; i >= 0; i = tree->nodes[i].parent) {
      const MbsTreeNode *node = &tree->nodes[i];
      for (int k = node->first; k < node->first + node->count; ++k) {
        MBS_TRY(mbs_pattern_add(context, builder, row, k));
      }
    }
  }
  return MBS_OK;
}

// ---- columns ----
// y, y', y'' of the bodies that stand on a coordinate
MBS_KERNEL void move_bodies(const MbsTree *tree, int column, int levels, int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  int size = mbs_twist_size(d), node = tree->node_of[column];
  const mbs_scalar *b[3] = {tree->b[0] + column * size, tree->b[1] + column * size, tree->b[2] + column * size};
  for (int i = node; i < tree->nodes[node].end; ++i) {
    const MbsTreeNode *on = &tree->nodes[i];
    for (int e = 0; e < on->body_count; ++e) {
      int first = on->body_first + e * d;
      const mbs_scalar *q = tree->x.q + first, *v = tree->x.v + first, *a = tree->x.a + first;
      mbs_scalar *y[3] = {tangent->y[0] + first, tangent->y[1] + first, tangent->y[2] + first};
      for (int level = 0; level < levels; ++level) {
        for (int k = 0; k < d; ++k) {
          y[level][k] = 0;
        }
        mbs_twist_move(d, e == 0, b[level], q, y[level]);
      }
      if (levels == 3) {
        mbs_cross_add(d, 1, b[0] + d, v, y[1]);
        mbs_cross_add(d, 2, b[1] + d, v, y[2]);
        mbs_cross_add(d, 1, b[0] + d, a, y[2]);
      }
    }
  }
}

// w += T y for a range of columns of `inner`
static void multiply(const MbsPattern *pattern, const mbs_scalar *T, int first, int end, const mbs_scalar *y,
                     mbs_scalar *w) {
  for (int c = first; c < end; ++c) {
    for (int k = pattern->column_start[c]; k < pattern->column_start[c + 1]; ++k) {
      w[pattern->row[k]] += T[k] * y[c];
    }
  }
}

static void clear_reached(const MbsTree *tree, const ColumnPlan *plan) {
  const MbsSystem *inner = tree->inner;
  mbs_scalar *w = tree->tangent->w;
  for (int i = 0; i < plan->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[plan->nodes[i]];
    for (int k = 0; k < node->body_count * inner->dimension; ++k) {
      w[node->body_first + k] = 0;
    }
  }
  for (int i = 0; i < plan->row_count; ++i) {
    w[inner->n + plan->rows[i]] = 0;
  }
  for (int i = 0; i < plan->scalar_count; ++i) {
    w[tree->scalar[plan->scalars[i]]] = 0;
  }
}

// w of the bodies to the nodes that carry them, and to the entries of their coordinates. curved: how many times the
// change of J' goes along
MBS_KERNEL void gather_column(const MbsTree *tree, const ColumnPlan *plan, int column, double curved,
                              mbs_scalar *values, int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  int size = mbs_twist_size(d), used = 0, own = column < tree->joint_count ? tree->node_of[column] : -1;
  bool is_curved = own >= 0 && (curved < 0 || curved > 0);
  const mbs_scalar *b = tree->b[0] + column * size;
  for (int i = 0; i < plan->node_count; ++i) {
    mbs_scalar *dW = tangent->dW + plan->nodes[i] * size;
    for (int k = 0; k < size; ++k) {
      dW[k] = 0;
    }
  }
  for (int i = 0; i < plan->node_count; ++i) {
    int index = plan->nodes[i];
    const MbsTreeNode *node = &tree->nodes[index];
    bool is_on = is_curved && index >= own && index < tree->nodes[own].end;
    mbs_scalar *dW = tangent->dW + index * size;
    for (int e = 0; e < node->body_count; ++e) {
      int first = node->body_first + e * d;
      mbs_twist_move_transposed(d, e == 0, tree->x.q + first, tangent->w + first, dW);
      if (is_on) {
        mbs_scalar moved[3];
        for (int k = 0; k < d; ++k) {
          moved[k] = curved * tangent->y[0][first + k];
        }
        mbs_moment_add(d, moved, tree->f + first, dW + d);
      }
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      mbs_scalar entry = mbs_twist_dot(d, tree->b[0] + k * size, dW);
      if (is_on && index != own) {
        mbs_scalar turned[MBS_LONGEST_TWIST] = {0};
        mbs_bracket_add(d, curved, b, tree->b[0] + k * size, turned);
        entry += mbs_twist_dot(d, turned, tree->W + index * size);
      } else if (is_on && d == 3 && node->kind == MBS_MOTION_BALL) {
        mbs_scalar turned[6];
        mbs_tree_ball_slope(tree, index, k - node->first, column - node->first, turned);
        entry += curved * mbs_twist_dot(3, turned, tree->W + index * size);
      }
      values[plan->node_map[used++]] += entry;
    }
    if (node->parent >= 0) {
      mbs_twist_add(d, 1, dW, tangent->dW + node->parent * size);
    }
  }
}

MBS_KERNEL void add_column(const MbsTree *tree, int column, int levels, double curved, int n, mbs_scalar *values,
                           int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  const MbsPattern *pattern = &tree->inner->mode.pattern;
  const ColumnPlan *plan = &tangent->columns[column];
  clear_reached(tree, plan);
  if (column >= n) {
    for (int k = pattern->column_start[plan->first]; k < pattern->column_start[plan->end]; ++k) {
      tangent->w[pattern->row[k]] += tangent->T[0][k];
    }
  } else {
    if (column < tree->joint_count) {
      move_bodies(tree, column, levels, d);
    }
    if (plan->scalar >= 0) {
      tangent->y[0][plan->scalar] = 1;
      multiply(pattern, tangent->T[0], plan->scalar, plan->scalar + 1, tangent->y[0], tangent->w);
    }
    for (int level = 0; level < levels; ++level) {
      multiply(pattern, tangent->T[level], plan->first, plan->end, tangent->y[level], tangent->w);
    }
  }
  gather_column(tree, plan, column, curved, values, d);
  for (int i = 0; i < plan->row_count; ++i) {
    values[plan->row_map[i]] += tangent->w[tree->inner->n + plan->rows[i]];
  }
  for (int i = 0; i < plan->scalar_count; ++i) {
    values[plan->scalar_map[i]] += tangent->w[tree->scalar[plan->scalars[i]]];
  }
}

void mbs_tree_assemble(const MbsSystem *system, MbsTreeMatrix kind, const MbsState *state, const MbsWeights *weights,
                       double c0, double c1, double c2, mbs_scalar *values) {
  MbsTree *tree = system->tree;
  if (tree->shape) {  // whose projection matrix is M, since settings refuse the other one
    mbs_tree_articulate(system, state, c0, c1, c2, values);
    return;
  }
  const MbsSystem *inner = tree->inner;
  mbs_scalar *const *T = tree->tangent->T;
  bool is_exact = kind == MBS_TREE_TANGENT && (c0 < 0 || c0 > 0 || c1 < 0 || c1 > 0);
  int levels = is_exact ? 3 : 1;
  const MbsState *x = mbs_tree_follow(tree, state, is_exact);
  for (int i = 0; i <= system->mode.pattern.entry_count; ++i) {
    values[i] = 0;
  }
  switch (kind) {
    case MBS_TREE_TANGENT: mbs_terms_tangent(inner, x, weights, c0, c1, c2, T[0]); break;
    case MBS_TREE_APPROXIMATE: mbs_terms_approximate_tangent(inner, x, weights, c0, c1, c2, T[0]); break;
    case MBS_TREE_PROJECTION: mbs_terms_projection_matrix(inner, x, c0, c1, weights->epsilon, T[0]); break;
  }
  if (is_exact) {
    mbs_terms_tangent(inner, x, weights, 0, c0, 2 * c1, T[1]);
    mbs_terms_tangent(inner, x, weights, 0, 0, c0, T[2]);
  }
  if (is_exact && (c0 < 0 || c0 > 0)) {
    mbs_terms_forces(inner, x, MBS_PART_ALL, tree->f);
    mbs_tree_gather(tree, tree->f, tree->W);
  }
  for (int j = 0; j < system->n + system->m; ++j) {
    if (inner->dimension == 2) {
      add_column(tree, j, levels, is_exact ? c0 : 0, system->n, values, 2);
    } else {
      add_column(tree, j, levels, is_exact ? c0 : 0, system->n, values, 3);
    }
  }
}
