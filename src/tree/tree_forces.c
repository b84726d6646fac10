// From forces on the bodies back to those of the coordinates. See tree.h.
#include <math.h>
#include <string.h>

#include "terms/elements.h"
#include "tree/tree.h"

// ---- wrenches ----
// W += those of the forces f on the bodies; then each is added to all that carry it
MBS_KERNEL void gather(const MbsTree *tree, const mbs_scalar *f, mbs_scalar *W, int d) {
  int size = mbs_twist_size(d);
  for (int i = tree->node_count - 1; i >= 0; --i) {
    const MbsTreeNode *node = &tree->nodes[i];
    for (int e = 0; e < node->body_count && mbs_tree_has_forces(tree, i); ++e) {
      int first = node->body_first + e * d;
      mbs_twist_move_transposed(d, e == 0, tree->local + first, f + first, W + i * size);
    }
    if (node->parent >= 0) {
      mbs_twist_add(d, 1, W + i * size, W + node->parent * size);
    }
  }
}

// W from f, and from inertia and weight where these belong to the parts; scale: of these, may be NULL
static void add_up(MbsTree *tree, MbsParts parts, double *scale) {
  if (parts & MBS_PART_BALANCE) {
    mbs_tree_find_wrenches(tree, scale);
  } else {
    memset(tree->W, 0, sizeof *tree->W * (size_t)(tree->node_count * mbs_twist_size(tree->inner->dimension)));
  }
  MBS_IN_DIMENSION(tree->inner->dimension, gather, tree, tree->f, tree->W);
  tree->known_parts = (int)parts;
  memcpy(tree->known_lambda, tree->x.lambda, sizeof *tree->known_lambda * (size_t)tree->inner->m);
}

void mbs_tree_balance(MbsTree *tree, MbsParts parts) {
  size_t bytes = sizeof *tree->known_lambda * (size_t)tree->inner->m;
  if (tree->known_parts == (int)parts && memcmp(tree->known_lambda, tree->x.lambda, bytes) == 0) {
    return;
  }
  if (!mbs_tree_is_bare(tree)) {
    mbs_natural_light_forces(tree->inner, &tree->x, parts, tree->f);
  }
  add_up(tree, parts, NULL);
}

MBS_KERNEL void project(const MbsTree *tree, const mbs_scalar *W, mbs_scalar *f_z, int d) {
  int size = mbs_twist_size(d);
  for (int k = 0; k < tree->joint_count; ++k) {
    f_z[k] = mbs_twist_dot(d, tree->b[0] + k * size, W + tree->node_of[k] * size);
  }
}

void mbs_tree_project(const MbsTree *tree, const mbs_scalar *f, const mbs_scalar *W, mbs_scalar *f_z) {
  MBS_IN_DIMENSION(tree->inner->dimension, project, tree, W, f_z);
  for (int k = tree->joint_count; k < tree->coordinate_count; ++k) {
    f_z[k] = 0;
  }
  for (int k = 0; k < tree->coordinate_count && tree->has_scalars; ++k) {
    f_z[k] += tree->scalar[k] >= 0 ? f[tree->scalar[k]] : 0;
  }
}

MBS_KERNEL void spread(const MbsTree *tree, const mbs_scalar *u, mbs_scalar *xi, mbs_scalar *y, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    mbs_scalar *twist = xi + i * size;
    mbs_twist_copy(d, mbs_tree_of_parent(tree, node, xi, d), twist);
    mbs_tree_add_axes(tree, node, 0, 1, u, twist, d);
    for (int e = 0; e < node->body_count; ++e) {
      int first = node->body_first + e * d;
      mbs_clear(d, y + first);
      mbs_twist_move(d, e == 0, twist, tree->local + first, y + first);
    }
  }
}

void mbs_tree_spread(const MbsTree *tree, const mbs_scalar *u, mbs_scalar *xi, mbs_scalar *y) {
  MBS_IN_DIMENSION(tree->inner->dimension, spread, tree, u, xi, y);
  for (int k = 0; k < tree->coordinate_count && tree->has_scalars; ++k) {
    if (tree->scalar[k] >= 0) {
      y[tree->scalar[k]] = u[k];
    }
  }
}

// ---- the residual ----
void mbs_tree_forces(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  mbs_natural_light_forces(inner, mbs_tree_follow(tree, state, false), parts, tree->f);
  add_up(tree, parts, NULL);
  mbs_tree_project(tree, tree->f, tree->W, f);
  for (int i = 0; i < inner->nq - inner->n; ++i) {
    f[system->n + i] = tree->f[inner->n + i];
  }
}

// such that the largest residual over the scale is the largest of each over its own, which is `single` times its lever
static double scale_of(const MbsTree *tree, const mbs_scalar *r, double single) {
  double largest = 0, ratio = 0;
  for (int k = 0; k < tree->coordinate_count; ++k) {
    double magnitude = mbs_re(mbs_abs(r[k])), own = magnitude / tree->lever[k];
    largest = magnitude > largest ? magnitude : largest;
    ratio = own > ratio ? own : ratio;
  }
  return ratio > 0 ? single * (largest / ratio) : single;
}

// Accelerations that vanish are made of parts that cancel: b z'' and b' z'. Their rounding is that of the parts.
static double largest_part(const MbsTree *tree) {
  double largest = 0;
  int size = mbs_twist_size(tree->inner->dimension);
  for (int k = 0; k < tree->joint_count; ++k) {
    for (int i = 0; i < size; ++i) {
      mbs_raise(&largest, tree->b[0][k * size + i] * tree->at.a[k]);
      mbs_raise(&largest, tree->b[1][k * size + i] * tree->at.v[k]);
    }
  }
  return largest;
}

void mbs_tree_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                       double scale[2]) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  mbs_tree_follow_terms(tree, state, false);
  if (scale) {
    scale[0] = scale[1] = 0;
  }
  if (tree->is_about_centres) {
    tree->known_parts = 0;
    mbs_terms_residual(inner, &tree->x, weights, tree->f, scale);
    mbs_tree_project_centres(tree, tree->f, r);
  } else {
    if (!mbs_tree_is_bare(tree)) {
      mbs_natural_light_residual(inner, &tree->x, weights, tree->f, scale);
    }
    add_up(tree, MBS_PART_ALL, scale);
    mbs_tree_project(tree, tree->f, tree->W, r);
  }
  for (int i = 0; i < inner->m; ++i) {
    r[system->n + i] = tree->f[inner->n + i];
  }
  if (scale) {
    scale[0] = scale_of(tree, r, scale[0]);
    scale[1] = inner->m > 0 ? fmax(scale[1], mbs_re(weights->k2) * largest_part(tree)) : 0;  // real
  }
}

void mbs_tree_cancelling(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, const mbs_scalar *r,
                         double sizes[2]) {
  MbsTree *tree = system->tree;
  mbs_terms_cancelling(tree->inner, mbs_tree_follow(tree, state, false), weights, r, sizes);
  sizes[0] = scale_of(tree, r, sizes[0]);
}
