// Products with columns in the tree's coordinates. See tree.h; the bodies' inertia and weight: tree_inertia.c.
#include <string.h>

#include "terms/elements.h"
#include "tree/tree.h"

MBS_KERNEL int frame_size(int d) { return d == 2 ? 4 : 12; }

// ---- out: from columns of z to those of the bodies ----
// gamma: the twist of the frame P = H F that a change of its numbers makes, from a' = H F': omega = 1/2 sum a x a'
MBS_KERNEL void frame_twist(int d, const mbs_scalar *H, const mbs_scalar *P, const mbs_scalar *slope,
                            mbs_scalar *gamma) {
  mbs_scalar lin[3] = {0};
  if (d == 2) {
    mbs_scalar c = H[0] * slope[0] - H[1] * slope[1], s = H[1] * slope[0] + H[0] * slope[1];
    gamma[2] = P[0] * s - P[1] * c;
    lin[0] = H[0] * slope[2] - H[1] * slope[3];
    lin[1] = H[1] * slope[2] + H[0] * slope[3];
  } else {
    gamma[3] = gamma[4] = gamma[5] = 0;
    for (int j = 0; j < 4; ++j) {
      mbs_scalar a[3];
      for (int i = 0; i < 3; ++i) {
        a[i] = H[i] * slope[3 * j] + H[3 + i] * slope[3 * j + 1] + H[6 + i] * slope[3 * j + 2];
        lin[i] = a[i];
      }
      if (j < 3) {
        mbs_cross_add(3, 0.5, P + 3 * j, a, gamma + 3);
      }
    }
  }
  for (int i = 0; i < d; ++i) {
    gamma[i] = lin[i];
  }
  mbs_cross_add(d, -1, gamma + d, P + frame_size(d) - d, gamma);
}

// eta, eta', eta'' where the node stands: its parent's, and the change of its frame
MBS_KERNEL void stand_columns(const MbsTree *tree, int index, int column, int d) {
  const mbs_scalar ground[12] = {1, 0, 0, 0, d == 3, 0, 0, 0, d == 3};
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  for (int level = 0; level < 3; ++level) {
    for (int k = 0; k < size; ++k) {
      tree->eta[level][index * size + k] = node->parent < 0 ? 0 : tree->eta[level][node->parent * size + k];
    }
  }
  const mbs_scalar *slope = node->has_frame && column >= 0 ? mbs_block_slope(&node->frame, column) : NULL;
  if (!slope) {
    return;
  }
  const mbs_scalar *zeros = tree->inner->zeros;
  const mbs_scalar *V_p = node->parent < 0 ? zeros : tree->V + node->parent * size;
  const mbs_scalar *A_p = node->parent < 0 ? zeros : tree->A + node->parent * size;
  mbs_scalar gamma[3][MBS_LONGEST_TWIST] = {{0}};
  frame_twist(d, node->parent < 0 ? ground : tree->H + node->parent * frame_size(d), tree->P + index * frame_size(d),
              slope, gamma[0]);
  mbs_bracket_add(d, 1, V_p, gamma[0], gamma[1]);
  mbs_bracket_add(d, 1, A_p, gamma[0], gamma[2]);
  mbs_bracket_add(d, 1, V_p, gamma[1], gamma[2]);
  for (int level = 0; level < 3; ++level) {
    mbs_twist_add(d, 1, gamma[level], tree->eta[level] + index * size);
  }
}

// then what its own coordinates add; V and A may be NULL
MBS_KERNEL void move_columns(const MbsTree *tree, int index, const mbs_scalar *X, const mbs_scalar *V,
                             const mbs_scalar *A, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  mbs_scalar *eta[3] = {tree->eta[0] + index * size, tree->eta[1] + index * size, tree->eta[2] + index * size};
  for (int k = node->first; k < node->first + node->count; ++k) {
    const mbs_scalar *b[3] = {tree->b[0] + k * size, tree->b[1] + k * size, tree->b[2] + k * size};
    mbs_twist_add(d, X[k], b[0], eta[0]);
    mbs_twist_add(d, X[k], b[1], eta[1]);
    mbs_twist_add(d, X[k], b[2], eta[2]);
    if (V) {
      mbs_twist_add(d, V[k], b[0], eta[1]);
      mbs_twist_add(d, 2 * V[k], b[1], eta[2]);
    }
    if (A) {
      mbs_twist_add(d, A[k], b[0], eta[2]);
    }
  }
}

// x' = eta.x, v' = eta'.x + eta.v, a' = eta''.x + 2 eta'.v + eta.a
MBS_KERNEL void body_columns(const MbsTree *tree, int index, mbs_scalar *X, mbs_scalar *V, mbs_scalar *A, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  const mbs_scalar *eta[3] = {tree->eta[0] + index * size, tree->eta[1] + index * size, tree->eta[2] + index * size};
  for (int e = 0; e < node->body_count; ++e) {
    int first = node->body_first + e * d;
    const mbs_scalar *q = tree->local + first, *v = tree->x.v + first, *a = tree->x.a + first;
    for (int k = first; k < first + d; ++k) {
      X[k] = V[k] = A[k] = 0;
    }
    mbs_twist_move(d, e == 0, eta[0], q, X + first);
    mbs_twist_move(d, e == 0, eta[1], q, V + first);
    mbs_twist_move(d, e == 0, eta[2], q, A + first);
    mbs_cross_add(d, 1, eta[0] + d, v, V + first);
    mbs_cross_add(d, 2, eta[1] + d, v, A + first);
    mbs_cross_add(d, 1, eta[0] + d, a, A + first);
  }
}

// tree->own keeps eta_P; is_whole: all bodies are wanted, not only those on which forces act
MBS_KERNEL void out(const MbsTree *tree, bool is_whole, const MbsDirectionColumn *direction,
                    const MbsDirectionColumn *to, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    stand_columns(tree, i, direction->column, d);
    for (int k = i * size; k < (i + 1) * size; ++k) {
      tree->own[k] = tree->eta[0][k];
    }
    move_columns(tree, i, direction->X, direction->V, direction->A, d);
    if (is_whole || mbs_tree_has_forces(tree, i)) {
      body_columns(tree, i, (mbs_scalar *)to->X, (mbs_scalar *)to->V, (mbs_scalar *)to->A, d);
    }
  }
}

// where the twists of column k begin
static size_t column_at(const MbsTree *tree, int k) {
  return (size_t)k * (size_t)(tree->node_count * mbs_twist_size(tree->inner->dimension));
}

// the column of `inner` that a direction of the tree makes, number k of the workspace
static MbsDirectionColumn inner_column(const MbsSystem *system, bool is_whole, const MbsDirectionColumn *direction,
                                       int k) {
  const MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  mbs_scalar *X = tree->columns.X + (size_t)k * (size_t)inner->nq, *V = tree->columns.V + (size_t)k * (size_t)inner->nq;
  mbs_scalar *A = tree->columns.A + (size_t)k * (size_t)inner->nq;
  const MbsDirectionColumn made = {.column = direction->column, .X = X, .V = V, .A = A, .L = direction->L};
  system->tree->own = tree->owns + column_at(tree, k);
  if (inner->dimension == 2) {
    out(tree, is_whole, direction, &made, 2);
  } else {
    out(tree, is_whole, direction, &made, 3);
  }
  for (int i = 0; i < system->nq; ++i) {
    int at = i < system->n ? tree->scalar[i] : inner->n + i - system->n;
    if (at >= 0) {
      X[at] = direction->X[i];
      V[at] = direction->V ? direction->V[i] : 0;
      A[at] = direction->A ? direction->A[i] : 0;
    }
  }
  return made;
}

static MbsDirectionColumn column_of(const MbsSystem *system, const MbsColumns *columns, int k) {
  return (MbsDirectionColumn){.column = k,
                              .X = columns->X ? columns->X + (size_t)k * (size_t)system->nq : system->zeros,
                              .V = columns->V ? columns->V + (size_t)k * (size_t)system->nq : NULL,
                              .A = columns->A ? columns->A + (size_t)k * (size_t)system->nq : NULL};
}

MbsColumns mbs_tree_columns(const MbsSystem *system, const MbsState *state, const MbsColumns *columns) {
  MbsTree *tree = system->tree;
  (void)mbs_tree_follow(tree, state, true);
  for (int k = 0; k < system->column_count; ++k) {
    const MbsDirectionColumn direction = column_of(system, columns, k);
    (void)inner_column(system, true, &direction, k);
  }
  tree->columns.L = columns->L;
  tree->columns.S = columns->S;
  tree->columns.K = columns->K;
  tree->columns.T = columns->T;
  return tree->columns;
}

// ---- in: from the bodies' f' to that of z ----
// dW: the derivative of the wrenches, from that of inertia and weight (or NULL, where f has them too and acts on all
// bodies), from f' and the change of the places where f acts
MBS_KERNEL void gather_slopes(const MbsTree *tree, const mbs_scalar *body_dW, const mbs_scalar *f,
                              const mbs_scalar *slope, const mbs_scalar *X, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count * size; ++i) {
    tree->dW[i] = body_dW ? body_dW[i] : 0;
  }
  for (int i = tree->node_count - 1; i >= 0; --i) {
    const MbsTreeNode *node = &tree->nodes[i];
    for (int e = 0; e < node->body_count && (!body_dW || mbs_tree_has_forces(tree, i)); ++e) {
      int first = node->body_first + e * d;
      mbs_twist_move_transposed(d, e == 0, tree->local + first, slope + first, tree->dW + i * size);
      mbs_moment_add(d, X + first, f + first, tree->dW + i * size + d);
    }
    if (node->parent >= 0) {
      mbs_twist_add(d, 1, tree->dW + i * size, tree->dW + node->parent * size);
    }
  }
}

// b_k' = [eta_P, b_k], and of a ball what its own parameters add
MBS_KERNEL void axis_slope(const MbsTree *tree, int index, int k, const mbs_scalar *X, mbs_scalar *slope, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  for (int i = 0; i < size; ++i) {
    slope[i] = 0;
  }
  mbs_bracket_add(d, 1, tree->own + index * size, tree->b[0] + k * size, slope);
  for (int l = 0; l < node->count && d == 3 && node->kind == MBS_MOTION_BALL; ++l) {
    mbs_scalar t[6];
    mbs_tree_ball_slope(tree, index, k - node->first, l, t);
    mbs_twist_add(3, X[node->first + l], t, slope);
  }
}

// r += for the direction that `out` was last called for
MBS_KERNEL void in(const MbsTree *tree, const mbs_scalar *body_dW, const mbs_scalar *f_slope, const mbs_scalar *inner_X,
                   const mbs_scalar *X, mbs_scalar *r, int d) {
  const mbs_scalar *W = tree->W;
  int size = mbs_twist_size(d);
  gather_slopes(tree, body_dW, tree->f, f_slope, inner_X, d);
  for (int k = 0; k < tree->coordinate_count; ++k) {
    r[k] += tree->scalar[k] >= 0 ? f_slope[tree->scalar[k]] : 0;
    if (k < tree->joint_count) {
      int node = tree->node_of[k];
      mbs_scalar slope[MBS_LONGEST_TWIST];
      axis_slope(tree, node, k, X, slope, d);
      r[k] +=
          mbs_twist_dot(d, tree->b[0] + k * size, tree->dW + node * size) + mbs_twist_dot(d, slope, W + node * size);
    }
  }
}

// in tree->body_dW, of column k
static void find_body_slopes(const MbsTree *tree, MbsParts parts, int column, int k) {
  mbs_scalar *dW = tree->body_dW + column_at(tree, k);
  if (parts & MBS_PART_BALANCE) {
    mbs_tree_body_slopes(tree, column, dW);
  } else {
    memset(dW, 0, sizeof *dW * column_at(tree, 1));
  }
}

void mbs_tree_derivative(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                         int count, const MbsDirectionColumn *directions, mbs_scalar *R) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  int size = inner->n + inner->m;
  mbs_tree_follow_terms(tree, state, true);
  mbs_tree_balance(tree, parts);
  for (int k = 0; k < count; ++k) {
    tree->directions[k] = inner_column(system, false, &directions[k], k);
    find_body_slopes(tree, parts, directions[k].column, k);
  }
  if (!mbs_tree_is_bare(tree)) {
    memset(tree->R, 0, sizeof *tree->R * (size_t)size * (size_t)count);
    mbs_natural_light_columns(inner, &tree->x, weights, parts, count, tree->directions, tree->R);
  }
  for (int k = 0; k < count; ++k) {
    const mbs_scalar *slope = tree->R + k * size, *X = tree->columns.X + (size_t)k * (size_t)inner->nq;
    const mbs_scalar *dW = tree->body_dW + column_at(tree, k);
    mbs_scalar *r = R + k * (system->n + system->m);
    tree->own = tree->owns + column_at(tree, k);
    if (inner->dimension == 2) {
      in(tree, dW, slope, X, directions[k].X, r, 2);
    } else {
      in(tree, dW, slope, X, directions[k].X, r, 3);
    }
    for (int i = 0; i < inner->m; ++i) {
      r[system->n + i] += slope[inner->n + i];
    }
  }
}

// ---- M u ----
void mbs_tree_mass_product(const MbsTree *tree, const mbs_scalar *y, mbs_scalar *f) {
  const MbsSystem *inner = tree->inner;
  const MbsDirectionColumn direction = {.column = -1, .X = inner->zeros, .V = inner->zeros, .A = y};
  for (int i = 0; i < inner->nq; ++i) {
    f[i] = 0;
  }
  for (int i = 0; i < inner->mass_count; ++i) {
    mbs_mass_derivative(inner, &inner->masses[i], &tree->x, &direction, f);
  }
}

// y' of y = xi.x for the direction that `out` was last called for: xi' from the axes' change, xi of the change of x
MBS_KERNEL void spread_slopes(const MbsTree *tree, const mbs_scalar *u, const mbs_scalar *xi, const mbs_scalar *X,
                              const mbs_scalar *inner_X, mbs_scalar *y, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    mbs_scalar *slope = tree->dW + i * size;  // free until `in`
    for (int k = 0; k < size; ++k) {
      slope[k] = node->parent < 0 ? 0 : tree->dW[node->parent * size + k];
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      mbs_scalar b[MBS_LONGEST_TWIST];
      axis_slope(tree, i, k, X, b, d);
      mbs_twist_add(d, u[k], b, slope);
    }
    for (int e = 0; e < node->body_count; ++e) {
      int first = node->body_first + e * d;
      for (int k = first; k < first + d; ++k) {
        y[k] = 0;
      }
      mbs_twist_move(d, e == 0, slope, tree->local + first, y + first);
      mbs_cross_add(d, 1, xi + i * size + d, inner_X + first, y + first);
    }
  }
}

// (M u)' = J'' M J u + J' (M' J u + M J' u): y = J u
void mbs_tree_mass_slopes(const MbsSystem *system, const MbsState *state, const MbsCombination *c, const mbs_scalar *u,
                          const MbsColumns *columns, mbs_scalar *R) {
  (void)c;  // P is M: settings refuse the other one
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  mbs_scalar *y = tree->y[0], *slope = tree->y[1], *f_slope = tree->y[2], *xi = tree->bar[0];
  (void)mbs_tree_follow(tree, state, true);
  mbs_tree_spread(tree, u, xi, y);
  tree->known_parts = 0;
  mbs_tree_mass_product(tree, y, tree->f);
  mbs_tree_gather(tree, tree->f, tree->W);
  for (int j = 0; j < system->column_count; ++j) {
    const MbsDirectionColumn direction = column_of(system, columns, j);
    const MbsDirectionColumn moved = inner_column(system, true, &direction, j);
    if (inner->dimension == 2) {
      spread_slopes(tree, u, xi, direction.X, moved.X, slope, 2);
    } else {
      spread_slopes(tree, u, xi, direction.X, moved.X, slope, 3);
    }
    for (int k = 0; k < system->n; ++k) {
      if (tree->scalar[k] >= 0) {
        slope[tree->scalar[k]] = 0;
      }
    }
    mbs_tree_mass_product(tree, slope, f_slope);
    for (int i = 0; i < inner->mass_count; ++i) {
      mbs_mass_slope_product(inner, &inner->masses[i], j, y, f_slope);
    }
    mbs_scalar *r = R + j * (system->n + system->m);
    if (inner->dimension == 2) {
      in(tree, NULL, f_slope, moved.X, direction.X, r, 2);
    } else {
      in(tree, NULL, f_slope, moved.X, direction.X, r, 3);
    }
  }
}
