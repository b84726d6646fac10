// The matrix in the tree's coordinates: what bodies contribute by sums along the tree, the rest column by column.
//
// A step's change s of the accelerations changes motions by twists C_j s_j for all that stands on coordinate j,
//     C_j = (c0 b_j;  c1 b_j + c0 b_j';  c2 b_j + 2 c1 b_j' + c0 b_j'')                 of eta, eta', eta''
// With K_i (tree_inertia.c), summed over all that stands on node i, a coordinate i and one j before it have
//     T_ij = b_i.K_i C_j + [C_j, b_i].W_i,     T_ji = b_j.K_i C_i
// which is the composite-body algorithm with three twists, and geometry, instead of one.
//
// Rows, and forces that depend on the motion, are few beside the masses. With y_j = b_j.x the motion of the bodies that
// coordinate j makes, and y_j', y_j'' its rates, from three light matrices of `inner` (no masses of bodies)
//     T1 = c0 r_x + c1 r_v + c2 r_a,   T2 = c0 r_v + 2 c1 r_a,   T3 = c0 r_a
//     column j += J' (T1 y_j + T2 y_j' + T3 y_j'')                  J' gathers along the tree
#include "terms/elements.h"
#include "terms/tree.h"

// What the light matrices do to one column of the result.
typedef struct ColumnPlan {
  int column_count;  // of `inner`: those of the bodies that stand on it, and that have light entries; or a multiplier's
  const int *columns;
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

// Two coordinates, one of which stands on the other or on the same node.
typedef struct Pair {
  int before;
  int row, column;  // positions of (own, before) and (before, own)
} Pair;

typedef struct MbsTreeTangent {
  int *pair_start;  // by coordinate of a joint
  Pair *pairs;
  mbs_scalar *K, *C;                 // by node; by coordinate
  const int *light_start;            // by column of `inner`
  const int *light_row, *light_map;  // of each entry: its row, its position in `inner`'s pattern
  ColumnPlan *columns;               // n + m
  const int *node_of_inner;          // by free coordinate of `inner`: its body's node, or -1
  const int *z_of_inner;             // by free coordinate of `inner`: the tree's coordinate it is, or -1
  mbs_scalar *T[3];                  // light matrices of `inner`, with their bins
  mbs_scalar *y[3];                  // of `inner`: n each
  mbs_scalar *w;                     // n + m of `inner`
  mbs_scalar *dW;                    // by node
} MbsTreeTangent;

// ---- light entries ----
static MbsStatus list_light_entries(MbsContext *context, const MbsTree *tree, MbsTreeTangent *tangent) {
  const MbsSystem *inner = tree->inner;
  const MbsMode *mode = &inner->mode;
  MbsPatternBuilder *builder;
  MbsPattern light;
  int *map;
  MBS_TRY(mbs_pattern_begin(context, inner->arena, inner->n + inner->m, &builder));
  for (int i = inner->first_scalar; i < inner->n; ++i) {
    MBS_TRY(mbs_pattern_add(context, builder, i, i));
  }
  for (int i = 0; i < mode->row_count; ++i) {
    MBS_TRY(mbs_row_add_pattern(context, inner, &mode->rows[i], builder));
  }
  for (int i = 0; i < mode->force_count; ++i) {
    MBS_TRY(mbs_force_element_add_pattern(context, inner, mode->forces[i], builder));
  }
  MBS_TRY(mbs_pattern_finish(context, builder, &light));
  MBS_TAKE(context, inner->arena, map, light.entry_count);
  for (int c = 0; c < light.size; ++c) {
    for (int k = light.column_start[c]; k < light.column_start[c + 1]; ++k) {
      map[k] = mbs_pattern_position(&mode->pattern, light.row[k], c);
    }
  }
  tangent->light_start = light.column_start;
  tangent->light_row = light.row;
  tangent->light_map = map;
  return MBS_OK;
}

// ---- plans ----
typedef struct Reach {
  bool *is_node, *is_row, *is_scalar, *is_column;
} Reach;

static void reach_column(const MbsTree *tree, const MbsTreeTangent *tangent, int column, Reach *reach) {
  const MbsSystem *inner = tree->inner;
  for (int k = tangent->light_start[column]; k < tangent->light_start[column + 1]; ++k) {
    int row = tangent->light_row[k];
    if (row >= inner->n) {
      reach->is_row[row - inner->n] = true;
    } else if (tangent->z_of_inner[row] >= 0) {
      reach->is_scalar[tangent->z_of_inner[row]] = true;
    }
    for (int i = row < inner->n ? tangent->node_of_inner[row] : -1; i >= 0; i = tree->nodes[i].parent) {
      reach->is_node[i] = true;
    }
  }
  reach->is_column[column] = tangent->light_start[column] < tangent->light_start[column + 1];
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
  plan->scalar = column < system->n ? tree->scalar[column] : -1;
  if (column >= system->n) {
    reach_column(tree, tangent, inner->n + column - system->n, reach);
  } else if (column < tree->joint_count) {
    int node = tree->node_of[column];
    for (int i = node; i < tree->nodes[node].end; ++i) {
      const MbsTreeNode *on = &tree->nodes[i];
      for (int k = 0; k < on->body_count * inner->dimension; ++k) {
        reach_column(tree, tangent, on->body_first + k, reach);
      }
    }
  }
  MBS_TRY(list(context, tree, inner->n + inner->m, reach->is_column, false, &plan->column_count, &plan->columns));
  if (plan->scalar >= 0) {
    reach_column(tree, tangent, plan->scalar, reach);
    reach->is_column[plan->scalar] = false;
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

// ---- paths ----
// each coordinate with those of its own node (itself too) and of the nodes before
static MbsStatus list_pairs(MbsContext *context, const MbsTree *tree, MbsTreeTangent *tangent) {
  int count = 0;
  MBS_TAKE(context, tree->inner->arena, tangent->pair_start, tree->joint_count + 1);
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) {
      MBS_TAKE(context, tree->inner->arena, tangent->pairs, count);
      count = 0;
    }
    for (int k = 0; k < tree->joint_count; ++k) {
      for (int i = tree->node_of[k]; i >= 0; i = tree->nodes[i].parent) {
        for (int j = tree->nodes[i].first; j < tree->nodes[i].first + tree->nodes[i].count; ++j) {
          if (pass == 1) {
            tangent->pairs[count].before = j;
          }
          ++count;
        }
      }
      tangent->pair_start[k + 1] = count;
    }
  }
  return MBS_OK;
}

static MbsStatus add_pair_pattern(MbsContext *context, const MbsTree *tree, const MbsTreeTangent *tangent,
                                  MbsPatternBuilder *builder) {
  for (int k = 0; k < tree->joint_count; ++k) {
    for (int p = tangent->pair_start[k]; p < tangent->pair_start[k + 1]; ++p) {
      MBS_TRY(mbs_pattern_add(context, builder, k, tangent->pairs[p].before));
      MBS_TRY(mbs_pattern_add(context, builder, tangent->pairs[p].before, k));
    }
  }
  return MBS_OK;
}

static void map_pairs(const MbsTree *tree, const MbsPattern *pattern, const MbsTreeTangent *tangent) {
  for (int k = 0; k < tree->joint_count; ++k) {
    for (int p = tangent->pair_start[k]; p < tangent->pair_start[k + 1]; ++p) {
      Pair *pair = &tangent->pairs[p];
      pair->row = mbs_pattern_position(pattern, k, pair->before);
      pair->column = mbs_pattern_position(pattern, pair->before, k);
    }
  }
}

// ---- set-up ----
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

static MbsStatus create_workspace(MbsContext *context, const MbsTree *tree, MbsTreeTangent *tangent) {
  const MbsSystem *inner = tree->inner;
  size_t twist = (size_t)mbs_twist_size(inner->dimension), nodes = (size_t)tree->node_count;
  for (int i = 0; i < 3; ++i) {
    MBS_TAKE(context, inner->arena, tangent->T[i], inner->mode.pattern.entry_count + 1);
    MBS_TAKE(context, inner->arena, tangent->y[i], inner->n);
  }
  MBS_TAKE(context, inner->arena, tangent->w, inner->n + inner->m);
  MBS_TAKE(context, inner->arena, tangent->dW, twist * nodes);
  MBS_TAKE(context, inner->arena, tangent->K, 3 * twist * twist * nodes);
  MBS_TAKE(context, inner->arena, tangent->C, 3 * twist * (size_t)tree->joint_count);
  return MBS_OK;
}

MbsStatus mbs_tree_create_tangent(MbsContext *context, MbsTree *tree, MbsSystem *system) {
  const MbsSystem *inner = tree->inner;
  MbsTreeTangent *tangent;
  MbsPatternBuilder *builder;
  Reach reach;
  int size = system->n + system->m;
  bool is_articulated;
  MBS_TAKE(context, system->arena, tangent, 1);
  tree->tangent = tangent;
  MBS_TRY(number_inner(context, tree, tangent));
  MBS_TRY(mbs_tree_create_articulated(context, tree, system, &is_articulated));
  if (is_articulated) {
    return MBS_OK;
  }
  MBS_TRY(list_light_entries(context, tree, tangent));
  MBS_TRY(list_pairs(context, tree, tangent));
  MBS_TAKE(context, system->arena, tangent->columns, size);
  MBS_TAKE(context, system->arena, reach.is_node, tree->node_count);
  MBS_TAKE(context, system->arena, reach.is_row, inner->m);
  MBS_TAKE(context, system->arena, reach.is_scalar, tree->coordinate_count);
  MBS_TAKE(context, system->arena, reach.is_column, inner->n + inner->m);
  MBS_TRY(mbs_pattern_begin(context, system->arena, size, &builder));
  MBS_TRY(add_pair_pattern(context, tree, tangent, builder));
  for (int j = 0; j < size; ++j) {
    MBS_TRY(plan_column(context, tree, system, tangent, j, &reach, &tangent->columns[j]));
    MBS_TRY(add_pattern(context, tree, system->n, j, &tangent->columns[j], builder));
  }
  MBS_TRY(mbs_pattern_finish(context, builder, &system->mode.pattern));
  map_pairs(tree, &system->mode.pattern, tangent);
  for (int j = 0; j < size; ++j) {
    MBS_TRY(map_column(context, tree, system, j, &tangent->columns[j]));
  }
  return create_workspace(context, tree, tangent);
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

// ---- bodies ----
// size: of the state, 3 twists or (at the start and in projections) 1
MBS_KERNEL void add_pairs(const MbsTree *tree, int k, double c0, mbs_scalar *values, int twist, int size, int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  int index = tree->node_of[k];
  const MbsTreeNode *node = &tree->nodes[index];
  const mbs_scalar *K = tangent->K + 3 * twist * twist * index, *b = tree->b[0] + twist * k;
  const mbs_scalar *C = tangent->C + 3 * twist * k, *W = tree->W + twist * index;
  mbs_scalar c[MBS_LONGEST_TWIST], h[3 * MBS_LONGEST_TWIST] = {0};
  if (size > twist) {
    mbs_bracket_transposed(d, 1, b, W, h);
  }
  for (int i = 0; i < twist; ++i) {
    mbs_scalar sum = 0;
    for (int l = 0; l < size; ++l) {
      sum += K[3 * twist * i + l] * C[l];
      h[l] += K[3 * twist * i + l] * b[i];
    }
    c[i] = sum;
  }
  for (int p = tangent->pair_start[k]; p < tangent->pair_start[k + 1]; ++p) {
    const Pair *pair = &tangent->pairs[p];
    values[pair->column] += mbs_twist_dot(d, tree->b[0] + twist * pair->before, c);
    if (pair->before < node->first) {
      mbs_scalar sum = 0;
      for (int l = 0; l < size; ++l) {
        sum += h[l] * tangent->C[3 * twist * pair->before + l];
      }
      values[pair->row] += sum;
    } else if (d == 3 && size > twist && node->kind == MBS_MOTION_BALL) {
      mbs_scalar turned[6];
      mbs_tree_ball_slope(tree, index, pair->before - node->first, k - node->first, turned);
      values[pair->column] += c0 * mbs_twist_dot(3, turned, W);
    }
  }
}

MBS_KERNEL void add_bodies(const MbsTree *tree, double c0, double c1, double c2, bool is_full, mbs_scalar *values,
                           int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  int twist = mbs_twist_size(d), numbers = 3 * twist * twist;
  for (int i = 0; i < numbers * tree->node_count; ++i) {
    tangent->K[i] = 0;
  }
  for (int i = 0; i < tree->node_count; ++i) {
    if (tree->nodes[i].body_count > 0) {
      mbs_tree_body_matrix(tree, i, is_full, tangent->K + numbers * i);
    }
  }
  for (int i = tree->node_count - 1; i >= 0; --i) {
    mbs_scalar *to = tangent->K + numbers * tree->nodes[i].parent;
    for (int k = 0; k < numbers && tree->nodes[i].parent >= 0; ++k) {
      to[k] += tangent->K[numbers * i + k];
    }
  }
  for (int j = 0; j < tree->joint_count; ++j) {
    mbs_scalar *C = tangent->C + 3 * twist * j;
    const mbs_scalar *b[3] = {tree->b[0] + twist * j, tree->b[1] + twist * j, tree->b[2] + twist * j};
    for (int k = 0; k < twist; ++k) {
      C[k] = is_full ? c0 * b[0][k] : c2 * b[0][k];
      C[twist + k] = is_full ? c1 * b[0][k] + c0 * b[1][k] : 0;
      C[2 * twist + k] = is_full ? c2 * b[0][k] + 2 * c1 * b[1][k] + c0 * b[2][k] : 0;
    }
  }
  for (int j = 0; j < tree->joint_count; ++j) {
    if (is_full) {
      add_pairs(tree, j, c0, values, twist, 3 * twist, d);
    } else {
      add_pairs(tree, j, c0, values, twist, twist, d);
    }
  }
}

// ---- the rest, by columns ----
// y, y', y'' of the bodies that stand on a coordinate
MBS_KERNEL void move_bodies(const MbsTree *tree, int column, int levels, int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  int size = mbs_twist_size(d), node = tree->node_of[column];
  const mbs_scalar *b[3] = {tree->b[0] + column * size, tree->b[1] + column * size, tree->b[2] + column * size};
  for (int i = node; i < tree->nodes[node].end; ++i) {
    const MbsTreeNode *on = &tree->nodes[i];
    for (int e = 0; e < on->body_count; ++e) {
      int first = on->body_first + e * d;
      const mbs_scalar *q = tree->local + first, *v = tree->x.v + first, *a = tree->x.a + first;
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

// w += T y for a column of `inner`
static void multiply(const MbsTreeTangent *tangent, int column, int level, mbs_scalar y) {
  for (int k = tangent->light_start[column]; k < tangent->light_start[column + 1]; ++k) {
    tangent->w[tangent->light_row[k]] += tangent->T[level][tangent->light_map[k]] * y;
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

// w of the bodies to the nodes that carry them, and to the entries of their coordinates
MBS_KERNEL void gather_column(const MbsTree *tree, const ColumnPlan *plan, mbs_scalar *values, int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  int size = mbs_twist_size(d), used = 0;
  for (int i = 0; i < plan->node_count; ++i) {
    mbs_scalar *dW = tangent->dW + plan->nodes[i] * size;
    for (int k = 0; k < size; ++k) {
      dW[k] = 0;
    }
  }
  for (int i = 0; i < plan->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[plan->nodes[i]];
    mbs_scalar *dW = tangent->dW + plan->nodes[i] * size;
    for (int e = 0; e < node->body_count; ++e) {
      int first = node->body_first + e * d;
      mbs_twist_move_transposed(d, e == 0, tree->local + first, tangent->w + first, dW);
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      values[plan->node_map[used++]] += mbs_twist_dot(d, tree->b[0] + k * size, dW);
    }
    if (node->parent >= 0) {
      mbs_twist_add(d, 1, dW, tangent->dW + node->parent * size);
    }
  }
}

MBS_KERNEL void add_column(const MbsTree *tree, int column, int levels, int n, mbs_scalar *values, int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  const ColumnPlan *plan = &tangent->columns[column];
  if (plan->column_count == 0 && plan->scalar < 0) {
    return;
  }
  clear_reached(tree, plan);
  if (column >= n) {
    multiply(tangent, plan->columns[0], 0, 1);
  } else {
    if (column < tree->joint_count && plan->column_count > 0) {
      move_bodies(tree, column, levels, d);
    }
    if (plan->scalar >= 0) {
      multiply(tangent, plan->scalar, 0, 1);
    }
    for (int i = 0; i < plan->column_count; ++i) {
      for (int level = 0; level < levels; ++level) {
        multiply(tangent, plan->columns[i], level, tangent->y[level][plan->columns[i]]);
      }
    }
  }
  gather_column(tree, plan, values, d);
  for (int i = 0; i < plan->row_count; ++i) {
    values[plan->row_map[i]] += tangent->w[tree->inner->n + plan->rows[i]];
  }
  for (int i = 0; i < plan->scalar_count; ++i) {
    values[plan->scalar_map[i]] += tangent->w[tree->scalar[plan->scalars[i]]];
  }
}

MBS_KERNEL void add_all(const MbsTree *tree, int n, double c0, double c1, double c2, bool is_exact, mbs_scalar *values,
                        int d) {
  add_bodies(tree, c0, c1, c2, is_exact, values, d);
  for (int j = 0; j < n + tree->inner->m; ++j) {
    add_column(tree, j, is_exact ? 3 : 1, n, values, d);
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
  const MbsState *x = mbs_tree_follow(tree, state, is_exact);
  for (int i = 0; i <= system->mode.pattern.entry_count; ++i) {
    values[i] = 0;
  }
  mbs_terms_light_matrix(inner, (int)kind, x, weights, c0, c1, c2, T[0]);
  if (is_exact) {
    mbs_terms_light_matrix(inner, MBS_TREE_TANGENT, x, weights, 0, c0, 2 * c1, T[1]);
    mbs_terms_light_matrix(inner, MBS_TREE_TANGENT, x, weights, 0, 0, c0, T[2]);
    mbs_terms_forces(inner, x, MBS_PART_ALL, tree->f);
    mbs_tree_gather(tree, tree->f, tree->W);
  }
  if (inner->dimension == 2) {
    add_all(tree, system->n, c0, c1, c2, is_exact, values, 2);
  } else {
    add_all(tree, system->n, c0, c1, c2, is_exact, values, 3);
  }
}
