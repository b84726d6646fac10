// Products with columns in the tree's coordinates. See tree.h; the bodies' inertia and weight: tree_inertia.c.
#include <string.h>

#include "tree/tree_ball.h"
#include "tree/tree_inertia.h"

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
  mbs_cross_add(d, -1, gamma + d, mbs_frame_origin(d, P), gamma);
}

// eta, eta', eta'' (or the first of them) where the node stands: its parent's, and the change of its frame
MBS_KERNEL void stand_columns(const MbsTree *tree, int index, int column, int levels, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  for (int level = 0; level < levels; ++level) {
    mbs_twist_copy(d, mbs_tree_of_parent(tree, node, tree->eta[level], d), tree->eta[level] + index * size);
  }
  const mbs_scalar *slope = node->has_frame && column >= 0 ? mbs_block_slope(&node->frame, column) : NULL;
  if (!slope) {
    return;
  }
  const mbs_scalar *V_p = mbs_tree_of_parent(tree, node, tree->V, d);
  const mbs_scalar *A_p = mbs_tree_of_parent(tree, node, tree->A, d);
  mbs_scalar gamma[3][MBS_LONGEST_TWIST] = {{0}};
  frame_twist(d, mbs_tree_frame_before(tree, node, d), tree->P + index * mbs_frame_size(d), slope, gamma[0]);
  if (levels == 3) {
    mbs_bracket_add(d, 1, V_p, gamma[0], gamma[1]);
    mbs_bracket_add(d, 1, A_p, gamma[0], gamma[2]);
    mbs_bracket_add(d, 1, V_p, gamma[1], gamma[2]);
  }
  for (int level = 0; level < levels; ++level) {
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
    stand_columns(tree, i, direction->column, 3, d);
    mbs_twist_copy(d, tree->eta[0] + i * size, tree->own + i * size);
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
  MBS_IN_DIMENSION(inner->dimension, out, tree, is_whole, direction, &made);
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
// dW: the derivative of the wrenches, from that of inertia and weight, from f' and the change of the places where f
// acts
MBS_KERNEL void gather_slopes(const MbsTree *tree, const mbs_scalar *body_dW, const mbs_scalar *f,
                              const mbs_scalar *slope, const mbs_scalar *X, int d) {
  int size = mbs_twist_size(d);
  memcpy(tree->dW, body_dW, sizeof *body_dW * column_at(tree, 1));
  for (int i = tree->node_count - 1; i >= 0; --i) {
    const MbsTreeNode *node = &tree->nodes[i];
    for (int e = 0; e < node->body_count && mbs_tree_has_forces(tree, i); ++e) {
      int first = node->body_first + e * d;
      mbs_twist_move_transposed(d, e == 0, tree->local + first, slope + first, tree->dW + i * size);
      mbs_moment_add(d, X + first, f + first, tree->dW + i * size + d);
    }
    if (node->parent >= 0) {
      mbs_twist_add(d, 1, tree->dW + i * size, tree->dW + node->parent * size);
    }
  }
}

// r += b_k.W' + b_k'.W with W' in tree->dW and b_k' = [eta_P, b_k], and of a ball what its own parameters add
MBS_KERNEL void project_slopes(const MbsTree *tree, const mbs_scalar *W, const mbs_scalar *X, mbs_scalar *r, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    mbs_scalar w[MBS_LONGEST_TWIST];
    if (node->count == 0) {
      continue;
    }
    mbs_twist_copy(d, tree->dW + i * size, w);
    mbs_bracket_transposed(d, -1, tree->own + i * size, W + i * size, w);  // [s, b].W = -[b, s].W
    for (int k = node->first; k < node->first + node->count; ++k) {
      r[k] += mbs_twist_dot(d, tree->b[0] + k * size, w);
    }
    if (d == 3 && node->kind == MBS_MOTION_BALL) {
      mbs_scalar slope[3], moment[3];
      mbs_tree_ball_moment(tree->P + 12 * i, W + 6 * i, moment);
      for (int k = 0; k < 4; ++k) {
        const mbs_scalar unit[4] = {k == 0, k == 1, k == 2, k == 3};
        mbs_tree_ball_slope(tree->at.q + node->first, unit, X + node->first, slope);
        r[node->first + k] += mbs_dot(3, slope, moment);
      }
    }
  }
}

// r += for the direction that `out` was last called for
MBS_KERNEL void in(const MbsTree *tree, const mbs_scalar *body_dW, const mbs_scalar *f_slope, const mbs_scalar *inner_X,
                   const mbs_scalar *X, mbs_scalar *r, int d) {
  gather_slopes(tree, body_dW, tree->f, f_slope, inner_X, d);
  project_slopes(tree, tree->W, X, r, d);
  for (int k = 0; k < tree->coordinate_count && tree->has_scalars; ++k) {
    r[k] += tree->scalar[k] >= 0 ? f_slope[tree->scalar[k]] : 0;
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
    MBS_IN_DIMENSION(inner->dimension, in, tree, dW, slope, X, directions[k].X, r);
    for (int i = 0; i < inner->m; ++i) {
      r[system->n + i] += slope[inner->n + i];
    }
  }
}

// ---- M u ----
// (M u)' with M u = sum of J' I J u: with the twists xi of u, h = I xi of each body and W = the sum of h over all that
// stands on a node,
//     xi' = sum of [eta_P, b] u,     h' = I (xi' - [eta, xi]) - [eta, .]' h + I' xi       (the inertia is carried
//     along) f_k' = b_k.W' + [eta_P, b_k].W
// where I' is by parameters alone. No points are needed, nor velocities.
typedef struct MassProduct {
  const mbs_scalar *u;
  mbs_scalar *xi, *h, *W;  // by node
  mbs_scalar *xi_slope;    // by node: xi'
} MassProduct;

MBS_KERNEL void find_product(const MbsTree *tree, const MassProduct *product, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    mbs_scalar *xi = product->xi + i * size, *h = product->h + i * size;
    mbs_twist_copy(d, mbs_tree_of_parent(tree, node, product->xi, d), xi);
    mbs_tree_add_axes(tree, node, 0, 1, product->u, xi, d);
    mbs_clear(size, h);
    if (mbs_tree_mass_of(tree, i)) {
      mbs_tree_inertia_times(&tree->inertia[i], xi, h, d);
    }
    mbs_twist_copy(d, h, product->W + i * size);
  }
  mbs_tree_add_to_parents(tree, product->W, d);
}

// eta, eta_P and xi' of a node; then h' in tree->dW
MBS_KERNEL void slope_of_node(const MbsTree *tree, const MassProduct *product, int index, int column,
                              const mbs_scalar *X, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const MbsMass *mass = mbs_tree_mass_of(tree, index);
  int size = mbs_twist_size(d), at = index * size;
  const mbs_scalar *xi = product->xi + at, *h = product->h + at,
                   *ab = mass ? mbs_block_slope(&mass->block, column) : NULL;
  mbs_scalar *eta = tree->eta[0] + at, *slope = product->xi_slope + at, *dW = tree->dW + at;
  mbs_scalar own[MBS_LONGEST_TWIST] = {0}, change[MBS_LONGEST_TWIST], w[MBS_LONGEST_TWIST] = {0};
  stand_columns(tree, index, column, 1, d);
  mbs_twist_copy(d, eta, tree->own + at);
  mbs_twist_copy(d, mbs_tree_of_parent(tree, node, product->xi_slope, d), slope);
  mbs_tree_add_axes(tree, node, 0, 1, product->u, own, d);
  mbs_tree_add_axes(tree, node, 0, 1, X, eta, d);
  if (d == 3 && node->kind == MBS_MOTION_BALL && node->count > 0) {
    mbs_scalar s[3], turned[6];
    mbs_tree_ball_slope(tree->at.q + node->first, product->u + node->first, X + node->first, s);
    mbs_tree_ball_twist(tree->P + 12 * index, s, turned);
    mbs_twist_add(3, 1, turned, slope);
  }
  mbs_bracket_add(d, 1, tree->own + at, own, slope);
  if (mass) {
    mbs_twist_copy(d, slope, change);
    mbs_bracket_add(d, -1, eta, xi, change);
    mbs_tree_inertia_times(&tree->inertia[index], change, w, d);
    mbs_bracket_transposed(d, 1, eta, h, w);
  }
  mbs_twist_copy(d, w, dW);
  if (ab) {
    MbsTreeInertia inertia;
    mbs_tree_integrate(ab, mass->count, mbs_tree_frame_of(tree, index, d), &inertia, d);
    mbs_tree_inertia_times(&inertia, xi, w, d);
    mbs_twist_add(d, 1, w, dW);
  }
}

MBS_KERNEL void mass_slopes(const MbsTree *tree, const MassProduct *product, int column, const mbs_scalar *X,
                            mbs_scalar *r, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    slope_of_node(tree, product, i, column, X, d);
  }
  mbs_tree_add_to_parents(tree, tree->dW, d);
  project_slopes(tree, product->W, X, r, d);
}

// of the model's own coordinates, whose masses change with parameters alone
static void scalar_mass_slopes(const MbsTree *tree, const mbs_scalar *u, int column, mbs_scalar *r) {
  const MbsSystem *inner = tree->inner;
  mbs_scalar *y = tree->y[0], *f = tree->y[1];
  memset(f, 0, sizeof *f * (size_t)inner->nq);
  for (int k = 0; k < tree->coordinate_count; ++k) {
    if (tree->scalar[k] >= 0) {
      y[tree->scalar[k]] = u[k];
    }
  }
  for (int i = 0; i < inner->mass_count; ++i) {
    if (inner->masses[i].is_scalar) {
      mbs_mass_slope_product(inner, &inner->masses[i], column, y, f);
    }
  }
  for (int k = 0; k < tree->coordinate_count; ++k) {
    r[k] += tree->scalar[k] >= 0 ? f[tree->scalar[k]] : 0;
  }
}

void mbs_tree_mass_slopes(const MbsSystem *system, const MbsState *state, const MbsCombination *c, const mbs_scalar *u,
                          const MbsColumns *columns, mbs_scalar *R) {
  (void)c;  // P is M: settings refuse the other one
  MbsTree *tree = system->tree;
  const MassProduct product = {
      .u = u, .xi = tree->bar[0], .W = tree->bar[1], .h = tree->bar[2], .xi_slope = tree->bar_P};
  mbs_tree_follow_places(tree, state);
  mbs_tree_find_inertia(tree);
  tree->own = tree->owns;
  MBS_IN_DIMENSION(tree->inner->dimension, find_product, tree, &product);
  for (int j = 0; j < system->column_count; ++j) {
    const MbsDirectionColumn direction = column_of(system, columns, j);
    mbs_scalar *r = R + j * (system->n + system->m);
    MBS_IN_DIMENSION(tree->inner->dimension, mass_slopes, tree, &product, j, direction.X, r);
    if (tree->has_scalars) {
      scalar_mass_slopes(tree, u, j, r);
    }
  }
}
