// The recursion with the centre of mass as each body's reference point (P3's RTdyn0, theory section 5): V = (g',
// omega), V' = (g'', omega'), and wrenches about g. For a node on its parent p, o the origin of its frame P (fixed in
// the parent) moved along by a slide, u the axis,
//     omega_i = omega_p + u z',                 omega_i' = omega_p' + u z'' + omega_p x u z'              of a turn
//     o' = g_p' + omega_p x (o - g_p)  [+ u z'],     o'' = g_p'' + omega_p' x (o - g_p) + omega_p x (omega_p x (o -
//     g_p))
//                                                                       [+ u z'' + 2 omega_p x u z']      of a slide
//     g_i' = o' + omega_i x (g_i - o),          g_i'' = o'' + omega_i' x (g_i - o) + omega_i x (omega_i x (g_i - o))
// so that b = (u x (g_i - o), u) or (u, 0). A ball is a turn with omega = sum w_k z_k', w_k' = omega_p x w_k + its own
// rate. f_k = b_k.W_i with W_p += (F_i, N_i + (g_i - g_p) x F_i). Nodes without a body have o for g.
//
// The same numbers as with the global origin (tree_motion.c) but for rounding, which does not grow with the distance
// from there. Derivatives use twists at the origin, which follow from these.
#include "terms/elements.h"
#include "tree/tree.h"

MBS_KERNEL int turn_size(int d) { return d == 2 ? 1 : 3; }

// y += omega x (omega x r)
MBS_KERNEL void add_centripetal(int d, const mbs_scalar *omega, const mbs_scalar *r, mbs_scalar *y) {
  mbs_scalar once[3] = {0};
  mbs_cross_add(d, 1, omega, r, once);
  mbs_cross_add(d, 1, omega, once, y);
}

// where the node's reference point is: (M x)_0 / m of its body, or its frame's origin
MBS_KERNEL void find_centre(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const MbsMass *mass = node->mass;
  mbs_scalar *g = tree->centre.g + d * index;
  for (int k = 0; k < d; ++k) {
    g[k] = mass ? 0 : mbs_frame_origin(d, mbs_tree_frame_of(tree, index, d))[k];
  }
  for (int j = 0; mass && j < mass->count; ++j) {
    const mbs_scalar *ab = mass->block.value;
    mbs_turn_add(d, d == 2, ab[2 * j] / ab[0], ab[2 * j + 1] / ab[0], tree->local + mass->first[j], g);
  }
}

// the axis of a slide, or the angular velocity of coordinate k: both are part of its twist at the origin
MBS_KERNEL const mbs_scalar *axis_of(const MbsTree *tree, const MbsTreeNode *node, int k, int d) {
  return tree->b[0] + k * mbs_twist_size(d) + (node->kind == MBS_MOTION_SLIDE ? 0 : d);
}

MBS_KERNEL void move_node(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const MbsTreeCentre *c = &tree->centre;
  const mbs_scalar *zeros = tree->inner->zeros, *o = mbs_frame_origin(d, mbs_tree_frame_of(tree, index, d));
  int p = node->parent, w = turn_size(d);
  const mbs_scalar *g_p = p < 0 ? zeros : c->g + d * p, *rate_p = p < 0 ? zeros : c->rate + d * p;
  const mbs_scalar *omega_p = p < 0 ? zeros : c->omega + w * p, *g = c->g + d * index;
  mbs_scalar *rate = c->rate + d * index, *omega = c->omega + w * index, ahead[3], arm[3];
  for (int k = 0; k < d; ++k) {
    rate[k] = rate_p[k];
    ahead[k] = o[k] - g_p[k];
    arm[k] = g[k] - o[k];
  }
  for (int k = 0; k < w; ++k) {
    omega[k] = omega_p[k];
  }
  mbs_cross_add(d, 1, omega_p, ahead, rate);
  for (int k = node->first; k < node->first + node->count; ++k) {
    const mbs_scalar *axis = axis_of(tree, node, k, d);
    bool is_slide = node->kind == MBS_MOTION_SLIDE;
    for (int i = 0; i < (is_slide ? d : w); ++i) {
      *(is_slide ? &rate[i] : &omega[i]) += axis[i] * tree->at.v[k];
    }
  }
  mbs_cross_add(d, 1, omega, arm, rate);
  mbs_scalar *V = tree->V + index * mbs_twist_size(d);  // the same at the origin
  for (int k = 0; k < mbs_twist_size(d); ++k) {
    V[k] = k < d ? rate[k] : omega[k - d];
  }
  mbs_cross_add(d, -1, omega, g, V);
}

MBS_KERNEL void accelerate_node(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const MbsTreeCentre *c = &tree->centre;
  const mbs_scalar *zeros = tree->inner->zeros, *o = mbs_frame_origin(d, mbs_tree_frame_of(tree, index, d));
  int p = node->parent, w = turn_size(d), size = mbs_twist_size(d);
  const mbs_scalar *g_p = p < 0 ? zeros : c->g + d * p, *second_p = p < 0 ? zeros : c->second + d * p;
  const mbs_scalar *omega_p = p < 0 ? zeros : c->omega + w * p, *alpha_p = p < 0 ? zeros : c->alpha + w * p;
  const mbs_scalar *omega = c->omega + w * index, *g = c->g + d * index;
  mbs_scalar *second = c->second + d * index, *alpha = c->alpha + w * index, ahead[3], arm[3];
  for (int k = 0; k < d; ++k) {
    second[k] = second_p[k];
    ahead[k] = o[k] - g_p[k];
    arm[k] = g[k] - o[k];
  }
  for (int k = 0; k < w; ++k) {
    alpha[k] = alpha_p[k];
  }
  mbs_cross_add(d, 1, alpha_p, ahead, second);
  add_centripetal(d, omega_p, ahead, second);
  for (int k = node->first; k < node->first + node->count; ++k) {
    const mbs_scalar *axis = axis_of(tree, node, k, d);
    if (node->kind == MBS_MOTION_SLIDE) {
      for (int i = 0; i < d; ++i) {
        second[i] += axis[i] * tree->at.a[k];
      }
      mbs_cross_add(d, 2 * tree->at.v[k], omega_p, axis, second);
      continue;
    }
    for (int i = 0; i < w; ++i) {  // b' of a ball has its own rate in it, and that of all turns omega_p x u
      alpha[i] += axis[i] * tree->at.a[k] + tree->b[1][k * size + d + i] * tree->at.v[k];
    }
  }
  mbs_cross_add(d, 1, alpha, arm, second);
  add_centripetal(d, omega, arm, second);
  mbs_scalar *A = tree->A + index * size;  // lin = (g' - omega x g)'
  for (int k = 0; k < size; ++k) {
    A[k] = k < d ? second[k] : alpha[k - d];
  }
  mbs_cross_add(d, -1, alpha, g, A);
  mbs_cross_add(d, -1, omega, c->rate + d * index, A);
}

MBS_KERNEL void move_bodies(const MbsTree *tree, int index, int level, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const MbsTreeCentre *c = &tree->centre;
  const mbs_scalar *omega = c->omega + turn_size(d) * index, *alpha = c->alpha + turn_size(d) * index;
  for (int e = 0; e < node->body_count; ++e) {
    int first = node->body_first + e * d;
    mbs_scalar arm[3], *y = (level == 1 ? tree->x.v : tree->x.a) + first;
    for (int k = 0; k < d; ++k) {
      arm[k] = tree->local[first + k] - (e == 0 ? c->g[d * index + k] : 0);
      y[k] = e > 0 ? 0 : (level == 1 ? c->rate : c->second)[d * index + k];
    }
    mbs_cross_add(d, 1, level == 1 ? omega : alpha, arm, y);
    if (level == 2) {
      add_centripetal(d, omega, arm, y);
    }
  }
}

MBS_KERNEL void follow(const MbsTree *tree, int level, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    if (level == 0) {
      find_centre(tree, i, d);
    } else if (level == 1) {
      move_node(tree, i, d);
      move_bodies(tree, i, 1, d);
    } else {
      accelerate_node(tree, i, d);
      move_bodies(tree, i, 2, d);
    }
  }
}

void mbs_tree_follow_centres(const MbsTree *tree, int level) {
  MBS_IN_DIMENSION(tree->inner->dimension, follow, tree, level);
}

// ---- forces ----
// W about the centres; f_k = b_k.W
MBS_KERNEL void project(const MbsTree *tree, const mbs_scalar *f, mbs_scalar *f_z, int d) {
  const mbs_scalar *all_g = tree->centre.g;
  int size = mbs_twist_size(d);
  mbs_scalar *W = tree->W;
  mbs_clear(size * tree->node_count, W);
  for (int i = tree->node_count - 1; i >= 0; --i) {
    const MbsTreeNode *node = &tree->nodes[i];
    const mbs_scalar *g = all_g + d * i;
    for (int e = 0; e < node->body_count; ++e) {
      int first = node->body_first + e * d;
      mbs_scalar arm[3];
      for (int k = 0; k < d; ++k) {
        arm[k] = tree->local[first + k] - (e == 0 ? g[k] : 0);
      }
      mbs_twist_move_transposed(d, e == 0, arm, f + first, W + i * size);
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      const mbs_scalar *axis = axis_of(tree, node, k, d), *o = mbs_frame_origin(d, mbs_tree_frame_of(tree, i, d));
      mbs_scalar b[MBS_LONGEST_TWIST] = {0}, arm[3];
      bool is_slide = node->kind == MBS_MOTION_SLIDE;
      for (int l = 0; l < d; ++l) {
        arm[l] = g[l] - o[l];
        b[l] = is_slide ? axis[l] : 0;
      }
      for (int l = d; l < size && !is_slide; ++l) {
        b[l] = axis[l - d];
      }
      if (!is_slide) {
        mbs_cross_add(d, 1, axis, arm, b);
      }
      f_z[k] = mbs_twist_dot(d, b, W + i * size);
    }
    if (node->parent >= 0) {
      mbs_scalar arm[3], *to = W + node->parent * size;
      for (int k = 0; k < d; ++k) {
        arm[k] = g[k] - all_g[d * node->parent + k];
      }
      mbs_twist_add(d, 1, W + i * size, to);
      mbs_moment_add(d, arm, W + i * size, to + d);
    }
  }
}

void mbs_tree_project_centres(const MbsTree *tree, const mbs_scalar *f, mbs_scalar *f_z) {
  MBS_IN_DIMENSION(tree->inner->dimension, project, tree, f, f_z);
  for (int k = 0; k < tree->coordinate_count; ++k) {
    f_z[k] = (k < tree->joint_count ? f_z[k] : 0) + (tree->scalar[k] >= 0 ? f[tree->scalar[k]] : 0);
  }
}

MbsStatus mbs_system_refer_to_mass_centres(MbsContext *context, MbsSystem *system) {
  MbsTree *tree = system->tree;
  if (!tree) {
    return MBS_OK;  // a model without bodies
  }
  size_t d = (size_t)system->dimension, nodes = (size_t)tree->node_count, w = d == 2 ? 1 : 3;
  MbsTreeCentre *c = &tree->centre;
  MBS_TAKE(context, system->arena, c->g, d * nodes);
  MBS_TAKE(context, system->arena, c->rate, d * nodes);
  MBS_TAKE(context, system->arena, c->second, d * nodes);
  MBS_TAKE(context, system->arena, c->omega, w * nodes);
  MBS_TAKE(context, system->arena, c->alpha, w * nodes);
  tree->is_about_centres = true;
  tree->is_known = false;
  return MBS_OK;
}
