// The matrix in the tree's coordinates: what bodies contribute by sums along the tree, the rest column by column.
//
// A step's change s of the accelerations changes motions by twists C_j s_j for all that stands on coordinate j,
//     C_j = (c0 b_j;  c1 b_j + c0 b_j';  c2 b_j + 2 c1 b_j' + c0 b_j'')                 of eta, eta', eta''
// With K_i (tree_inertia.c), summed over all that stands on node i, a coordinate i and one j before it have
//     T_ij = b_i.K_i C_j + [C_j, b_i].W_i,     T_ji = b_j.K_i C_i
// which is the composite-body algorithm with three twists, and geometry, instead of one.
//
// Forces on one body are part of its K: tree_force_matrix.c. The rest is what constraints and the other forces add:
// tree_element_matrix.c.
#include "tree/tree_ball.h"
#include "tree/tree_expanded.h"

// Two coordinates, one of which stands on the other or on the same node.
typedef struct Pair {
  int before;
  int row, column;  // positions of (own, before) and (before, own)
} Pair;

typedef struct MbsTreeTangent {
  int *pair_start;  // by coordinate of a joint
  Pair *pairs;
  mbs_scalar *K, *C;  // by node; by coordinate
} MbsTreeTangent;

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

static MbsStatus place_pairs(const MbsEntries *entries, const MbsTree *tree, const MbsTreeTangent *tangent) {
  for (int k = 0; k < tree->joint_count; ++k) {
    for (int p = tangent->pair_start[k]; p < tangent->pair_start[k + 1]; ++p) {
      Pair *pair = &tangent->pairs[p];
      MBS_TRY(mbs_entry(entries, k, pair->before, &pair->row));
      MBS_TRY(mbs_entry(entries, pair->before, k, &pair->column));
    }
  }
  return MBS_OK;
}

// ---- set-up ----
// For each coordinate: how many entries its column has of the tree alone, those of the nodes before its own, of its own
// and of those that stand on it; `work` is the sum of their squares.
static MbsStatus count_entries(MbsContext *context, const MbsTree *tree, int **lengths, double *work) {
  int *before, *behind;
  MBS_TAKE(context, tree->inner->arena, before, tree->node_count);
  MBS_TAKE(context, tree->inner->arena, behind, tree->node_count);
  MBS_TAKE(context, tree->inner->arena, *lengths, tree->coordinate_count);
  for (int i = 0; i < tree->node_count; ++i) {
    int parent = tree->nodes[i].parent;
    before[i] = tree->nodes[i].count + (parent >= 0 ? before[parent] : 0);
  }
  for (int i = tree->node_count - 1; i >= 0; --i) {
    const MbsTreeNode *node = &tree->nodes[i];
    for (int k = node->first; k < node->first + node->count; ++k) {
      (*lengths)[k] = before[i] + behind[i];
      *work += (double)(*lengths)[k] * (*lengths)[k];
    }
    if (node->parent >= 0) {
      behind[node->parent] += behind[i] + node->count;
    }
  }
  return MBS_OK;
}

// and with rows, until the work exceeds the limit
static MbsStatus count_rows(MbsContext *context, const MbsTree *tree, double limit, int *lengths, double *work) {
  const MbsMode *mode = &tree->inner->mode;
  int *row_of;
  MBS_TAKE(context, tree->inner->arena, row_of, tree->node_count);
  for (int r = 0; r < mode->row_count && *work <= limit; ++r) {
    const MbsTreeElement *row = &tree->elements->rows[r];
    int length = 0;
    for (int p = 0; p < row->part_count; ++p) {
      for (int i = row->parts[p].node; i >= 0 && row_of[i] != r + 1; i = tree->nodes[i].parent) {
        const MbsTreeNode *node = &tree->nodes[i];
        row_of[i] = r + 1;
        length += node->count;
        for (int k = node->first; k < node->first + node->count; ++k) {
          *work += 2 * (double)lengths[k] + 1;  // (l + 1)^2 - l^2
          lengths[k] += 1;
        }
      }
    }
    *work += (double)length * length;
  }
  return MBS_OK;
}

// Do unknowns of the bodies' own (tree_expanded.h) pay? Factoring the matrix of the coordinates takes about the sum of
// squares of its columns' lengths, the other one a number for each body; where they meet was measured.
static MbsStatus is_deep(MbsContext *context, const MbsTree *tree, bool *result) {
  const double for_each_body = tree->inner->dimension == 2 ? 2000 : 7000;
  double work = 0;
  int moving = 0, *lengths;
  for (int i = 0; i < tree->node_count; ++i) {
    moving += tree->nodes[i].count > 0;
  }
  MBS_TRY(count_entries(context, tree, &lengths, &work));
  MBS_TRY(count_rows(context, tree, for_each_body * moving, lengths, &work));
  *result = work > for_each_body * moving;
  return MBS_OK;
}

static MbsStatus place_all(const MbsEntries *entries, const MbsTree *tree, bool is_whole) {
  int diagonal;
  for (int i = 0; i < tree->coordinate_count; ++i) {
    MBS_TRY(mbs_entry(entries, i, i, &diagonal));
  }
  if (is_whole) {
    MBS_TRY(place_pairs(entries, tree, tree->tangent));
  }
  return mbs_tree_elements_place(entries, tree, is_whole);
}

// the matrix, or of a deep tree the constraints' part of it alone
static MbsStatus create_pattern(MbsContext *context, MbsTree *tree, MbsSystem *system, bool is_whole) {
  MbsTreeTangent *tangent = tree->tangent;
  MbsEntries entries = {.context = context, .arena = system->arena, .pattern = &system->mode.pattern};
  size_t twist = (size_t)mbs_twist_size(system->dimension);
  MBS_TRY(mbs_tree_elements_move(context, tree, is_whole));
  if (is_whole) {
    MBS_TRY(list_pairs(context, tree, tangent));
    MBS_TAKE(context, system->arena, tangent->K, 3 * twist * twist * (size_t)tree->node_count);
    MBS_TAKE(context, system->arena, tangent->C, 3 * twist * (size_t)tree->joint_count);
  }
  MBS_TRY(mbs_pattern_begin(context, system->arena, system->n + system->m, &entries.builder));
  MBS_TRY(place_all(&entries, tree, is_whole));
  MBS_TRY(mbs_pattern_finish(context, entries.builder, &system->mode.pattern));
  entries.builder = NULL;
  return place_all(&entries, tree, is_whole);
}

MbsStatus mbs_tree_create_tangent(MbsContext *context, MbsTree *tree, MbsSystem *system) {
  bool is_articulated = false, has_own_unknowns = false, is_plain = system->blueprint->has_plain_matrix;
  MBS_TAKE(context, system->arena, tree->tangent, 1);
  MBS_TRY(mbs_tree_elements_create(context, tree, &tree->elements));
  MBS_TRY(is_plain ? MBS_OK : mbs_tree_create_articulated(context, tree, system, &is_articulated));
  if (is_articulated) {
    system->mode.factored = system->mode.pattern;
    return MBS_OK;
  }
  MBS_TRY(is_plain ? MBS_OK : is_deep(context, tree, &has_own_unknowns));
  MBS_TRY(create_pattern(context, tree, system, !has_own_unknowns));
  system->mode.factored = system->mode.pattern;
  return has_own_unknowns ? mbs_tree_expanded_create(context, tree, system) : MBS_OK;
}

MbsStatus mbs_tree_add_form_pattern(MbsContext *context, const MbsSystem *system, const MbsLinearForm *form, int row,
                                    MbsPatternBuilder *builder) {
  const MbsTree *tree = system->tree;
  for (int t = 0; t < form->count; ++t) {
    int at = form->first[t];
    if (at >= tree->inner->n) {
      continue;
    }
    if (tree->coordinate_at[at] >= 0) {
      MBS_TRY(mbs_pattern_add(context, builder, row, tree->coordinate_at[at]));
    }
    for (int i = tree->node_at[at]; i >= 0; i = tree->nodes[i].parent) {
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
MBS_KERNEL void add_pairs(const MbsTree *tree, int k, mbs_scalar c0, mbs_scalar *values, int twist, int size, int d) {
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
      values[pair->column] += c0 * mbs_tree_ball_work(tree, index, pair->before - node->first, k - node->first, W);
    }
  }
}

MBS_KERNEL void add_bodies(const MbsTree *tree, const MbsCombination *c, bool is_full, mbs_scalar *values, int d) {
  const MbsTreeTangent *tangent = tree->tangent;
  const mbs_scalar c0 = c->c0, c1 = c->c1, c2 = c->c2;
  int twist = mbs_twist_size(d), numbers = 3 * twist * twist;
  mbs_clear(numbers * tree->node_count, tangent->K);
  for (int i = 0; i < tree->node_count; ++i) {
    if (tree->nodes[i].body_count > 0) {
      mbs_tree_body_matrix(tree, i, is_full, tangent->K + numbers * i);
    }
  }
  if (is_full) {
    mbs_tree_add_force_matrices(tree, tangent->K);
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

// ---- all of it ----
void mbs_tree_assemble(const MbsSystem *system, MbsMatrixKind kind, const MbsState *state, const MbsWeights *weights,
                       const MbsCombination *c, mbs_scalar *values) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  bool is_exact = kind == MBS_MATRIX_TANGENT && mbs_has_tangent_of_forces(c->c0, c->c1);
  (void)mbs_tree_follow(tree, state, is_exact);
  mbs_clear(system->mode.pattern.entry_count + 1, values);
  if (is_exact) {
    mbs_tree_balance(tree, MBS_PART_ALL);
  }
  mbs_tree_find_inertia(tree);
  MBS_IN_DIMENSION(inner->dimension, add_bodies, tree, c, is_exact, values);
  mbs_tree_elements_assemble(tree, kind, is_exact, weights, c, values);
}
