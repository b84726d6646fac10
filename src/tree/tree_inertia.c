// A body in the tree: its inertia, the wrench of that and of its weight, and how these change. With mass dm at x, all
// about the fixed point near the branch,
//     h = integral x dm,  S = integral x x' dm
//     I = [m, -h x; h x, tr S - S]                                           the spatial inertia
//     (p, L) = I V,   (F, N) = (integral a dm, integral x x a dm) = I A + (omega x p, omega x L + V_lin x p)
// and the weights w_i on its entities x_i have the wrench (w_0, sum of x_i x w_i). Integrals are sums over the entities
// with the mass matrix, integral x y' dm = sum x_i (M y)_i'.
//
// Changes (eta, eta', eta'') of its motion change the wrench by K of tree_body_matrix.c. Products with K and K' are
// written out here, with Z xi = h (V_lin.xi) + S (xi x omega) and Z' xi = V_lin (h.xi) + omega x S xi; the moments of
// the weights change by x_i' x w_i.
#include "tree/tree_inertia.h"

// ---- inertia ----
MBS_KERNEL void find_inertias(const MbsTree *tree, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsMass *mass = tree->nodes[i].mass;
    const mbs_scalar *H = mbs_tree_frame_of(tree, i, d);
    if (mass && d == 3 && mass->count == MBS_MOST_ENTITIES) {  // loops of known length for what is usual
      mbs_tree_integrate(mass->block.value, MBS_MOST_ENTITIES, H, &tree->inertia[i], 3);
    } else if (mass) {
      mbs_tree_integrate(mass->block.value, mass->count, H, &tree->inertia[i], d);
    }
  }
}

void mbs_tree_find_inertia(MbsTree *tree) {
  if (tree->has_inertia) {
    return;
  }
  MBS_IN_DIMENSION(tree->inner->dimension, find_inertias, tree);
  tree->has_inertia = true;
}

// ---- wrenches ----
// W = (F, N) of a body's inertia
MBS_KERNEL void inertia_wrench(const MbsTreeInertia *inertia, const mbs_scalar *V, const mbs_scalar *A, mbs_scalar *W,
                               int d) {
  mbs_scalar momentum[MBS_LONGEST_TWIST];
  mbs_tree_inertia_times(inertia, V, momentum, d);
  mbs_tree_inertia_times(inertia, A, W, d);
  mbs_cross_add(d, 1, V + d, momentum, W);
  mbs_moment_add(d, V, momentum, W + d);
  if (d == 3) {
    mbs_cross_add(3, 1, V + 3, momentum + 3, W + 3);
  }
}

// The largest part of the forces on a body: F, the moment about its origin o, and what cancels in these as it spins.
MBS_KERNEL void raise_scale(const MbsTreeInertia *inertia, const mbs_scalar *o, const mbs_scalar *omega,
                            const mbs_scalar *W, double *scale, int d) {
  mbs_scalar moment[3] = {0}, square = 0, spread = inertia->trace;
  mbs_moment_add(d, o, W, moment);
  for (int k = d; k < mbs_twist_size(d); ++k) {
    square += omega[k - d] * omega[k - d];
    mbs_raise(scale, W[k] - moment[k - d]);
  }
  for (int k = 0; k < d; ++k) {
    mbs_raise(scale, W[k]);
    mbs_raise(scale, square * (inertia->h[k] - inertia->m * o[k]));
    spread += o[k] * (inertia->m * o[k] - 2 * inertia->h[k]);
  }
  mbs_raise(scale, square * spread);
}

MBS_KERNEL void add_weight(const mbs_scalar *c, int count, const mbs_scalar *H, mbs_scalar *wrench, double *scale,
                           int d) {
  for (int e = 0; e < count; ++e) {
    const mbs_scalar *w = mbs_tree_weight(c, count, e, d);
    mbs_twist_move_transposed(d, e == 0, mbs_tree_entity(H, e, d), w, wrench);
    for (int k = 0; k < d && scale; ++k) {
      mbs_raise(scale, w[k]);
    }
  }
}

MBS_KERNEL void find_wrenches(const MbsTree *tree, double *scale, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsMass *mass = mbs_tree_mass_of(tree, i);
    const mbs_scalar *H = mbs_tree_frame_of(tree, i, d), *V = tree->V + i * size, *A = tree->A + i * size;
    mbs_scalar *own = tree->inertia_W + i * size, *W = tree->W + i * size;
    mbs_scalar inertia[MBS_LONGEST_TWIST], weight[MBS_LONGEST_TWIST] = {0};  // in registers until all is known
    if (!mass) {
      mbs_clear(size, own);
      mbs_clear(size, W);
      continue;
    }
    inertia_wrench(&tree->inertia[i], V, A, inertia, d);
    if (scale) {
      raise_scale(&tree->inertia[i], mbs_tree_entity(H, 0, d), V + d, inertia, scale, d);
    }
    if (d == 3 && mass->count == MBS_MOST_ENTITIES) {
      add_weight(mass->block.value, MBS_MOST_ENTITIES, H, weight, scale, 3);
    } else {
      add_weight(mass->block.value, mass->count, H, weight, scale, d);
    }
    for (int k = 0; k < size; ++k) {
      own[k] = inertia[k];
      W[k] = inertia[k] - weight[k];
    }
  }
}

void mbs_tree_find_wrenches(MbsTree *tree, double *scale) {
  mbs_tree_find_inertia(tree);
  if (tree->inner->dimension == 2) {
    find_wrenches(tree, scale, 2);
  } else if (scale) {
    find_wrenches(tree, scale, 3);
  } else {
    find_wrenches(tree, NULL, 3);
  }
}

// ---- products with K and its transpose, of inertia and weight ----
MBS_KERNEL void S_times(const MbsTreeInertia *inertia, const mbs_scalar *xi, mbs_scalar *y) {
  for (int i = 0; i < 3; ++i) {
    y[i] = inertia->S[i][0] * xi[0] + inertia->S[i][1] * xi[1] + inertia->S[i][2] * xi[2];
  }
}

// y += 2 (tr Z - Z') xi, or with Z itself
MBS_KERNEL void add_Z_times(const MbsTreeInertia *inertia, const mbs_scalar *V, bool is_transposed,
                            const mbs_scalar *xi, mbs_scalar *y, int d) {
  const mbs_scalar *h = inertia->h, *omega = V + d;
  mbs_scalar trace = 0;
  for (int k = 0; k < d; ++k) {
    trace += h[k] * V[k];
  }
  for (int k = 0; k < mbs_twist_size(d) - d; ++k) {
    y[k] += 2 * trace * xi[k];
  }
  if (d == 2) {
    return;
  }
  const mbs_scalar *along = is_transposed ? V : h, *with = is_transposed ? h : V;
  mbs_scalar turned[3] = {0}, S[3], product = with[0] * xi[0] + with[1] * xi[1] + with[2] * xi[2];
  if (is_transposed) {
    S_times(inertia, xi, S);
    mbs_cross_add(3, 1, omega, S, turned);
  } else {
    S[0] = S[1] = S[2] = 0;
    mbs_cross_add(3, 1, xi, omega, S);
    S_times(inertia, S, turned);
  }
  for (int k = 0; k < 3; ++k) {
    y[k] -= 2 * (along[k] * product + turned[k]);
  }
}

// w = K (eta, eta', eta'')
MBS_KERNEL void body_slope(const MbsTree *tree, int index, const MbsMass *mass, int count, mbs_scalar *w, int d) {
  const MbsTreeInertia *inertia = &tree->inertia[index];
  int at = index * mbs_twist_size(d);
  const mbs_scalar *eta[3] = {tree->eta[0] + at, tree->eta[1] + at, tree->eta[2] + at};
  const mbs_scalar *H = mbs_tree_frame_of(tree, index, d), *V = tree->V + at, *W = tree->inertia_W + at;
  mbs_scalar p[3];
  mbs_tree_momentum(inertia, V, p, d);
  mbs_tree_inertia_times(inertia, eta[2], w, d);
  mbs_cross_add(d, 2, eta[1] + d, p, w);
  add_Z_times(inertia, V, true, eta[1] + d, w + d, d);
  mbs_cross_add(d, 1, eta[0] + d, W, w);
  mbs_moment_add(d, eta[0], W, w + d);
  if (d == 3) {
    mbs_cross_add(3, 1, eta[0] + 3, W + 3, w + 3);
  }
  for (int e = 0; e < count; ++e) {
    mbs_scalar ahead[3] = {0};
    mbs_twist_move(d, e == 0, eta[0], mbs_tree_entity(H, e, d), ahead);
    mbs_moment_add(d, mbs_tree_weight(mass->block.value, count, e, d), ahead, w + d);
  }
}

// w += what the slopes of the mass and the weight add
MBS_KERNEL void add_mass_slope(const MbsTree *tree, int index, const mbs_scalar *slope, int count, mbs_scalar *w,
                               int d) {
  const mbs_scalar *H = mbs_tree_frame_of(tree, index, d);
  MbsTreeInertia inertia;
  mbs_scalar wrench[MBS_LONGEST_TWIST], weight[MBS_LONGEST_TWIST] = {0};
  mbs_tree_integrate(slope, count, H, &inertia, d);
  inertia_wrench(&inertia, tree->V + index * mbs_twist_size(d), tree->A + index * mbs_twist_size(d), wrench, d);
  add_weight(slope, count, H, weight, NULL, d);
  mbs_twist_add(d, 1, wrench, w);
  mbs_twist_add(d, -1, weight, w);
}

MBS_KERNEL void body_slopes(const MbsTree *tree, int column, mbs_scalar *dW, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsMass *mass = mbs_tree_mass_of(tree, i);
    const mbs_scalar *slope = mass && column >= 0 ? mbs_block_slope(&mass->block, column) : NULL;
    mbs_scalar w[MBS_LONGEST_TWIST] = {0};
    if (mass && d == 3 && mass->count == MBS_MOST_ENTITIES) {
      body_slope(tree, i, mass, MBS_MOST_ENTITIES, w, 3);
    } else if (mass) {
      body_slope(tree, i, mass, mass->count, w, d);
    }
    if (slope) {
      add_mass_slope(tree, i, slope, mass->count, w, d);
    }
    mbs_twist_copy(d, w, dW + i * mbs_twist_size(d));
  }
}

void mbs_tree_body_slopes(const MbsTree *tree, int column, mbs_scalar *dW) {
  MBS_ASSERT(tree->known_parts & MBS_PART_BALANCE);
  MBS_IN_DIMENSION(tree->inner->dimension, body_slopes, tree, column, dW);
}

// bar += K' xi
MBS_KERNEL void body_transposed(const MbsTree *tree, int index, const MbsMass *mass, int count, const mbs_scalar *xi,
                                int d) {
  const MbsTreeInertia *inertia = &tree->inertia[index];
  int size = mbs_twist_size(d), at = index * size;
  const mbs_scalar *H = mbs_tree_frame_of(tree, index, d), *V = tree->V + at, *W = tree->inertia_W + at;
  mbs_scalar p[3], bar[3][MBS_LONGEST_TWIST] = {{0}};
  mbs_tree_momentum(inertia, V, p, d);
  mbs_tree_inertia_times(inertia, xi, bar[2], d);
  mbs_moment_add(d, p, xi, bar[1] + d);
  for (int k = d; k < size; ++k) {
    bar[1][k] *= 2;
  }
  add_Z_times(inertia, V, false, xi + d, bar[1] + d, d);
  mbs_cross_add(d, -1, xi + d, W, bar[0]);
  mbs_moment_add(d, W, xi, bar[0] + d);
  if (d == 3) {
    mbs_cross_add(3, -1, xi + 3, W + 3, bar[0] + 3);
  }
  for (int e = 0; e < count; ++e) {
    mbs_scalar turned[3] = {0};
    mbs_cross_add(d, 1, xi + d, mbs_tree_weight(mass->block.value, count, e, d), turned);
    mbs_twist_move_transposed(d, e == 0, mbs_tree_entity(H, e, d), turned, bar[0]);
  }
  for (int level = 0; level < 3; ++level) {
    for (int k = 0; k < size; ++k) {
      tree->bar[level][at + k] += bar[level][k];
    }
  }
}

MBS_KERNEL void bodies_transposed(const MbsTree *tree, const mbs_scalar *xi, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsMass *mass = mbs_tree_mass_of(tree, i);
    const mbs_scalar *own = xi + i * mbs_twist_size(d);
    if (mass && d == 3 && mass->count == MBS_MOST_ENTITIES) {
      body_transposed(tree, i, mass, MBS_MOST_ENTITIES, own, 3);
    } else if (mass) {
      body_transposed(tree, i, mass, mass->count, own, d);
    }
  }
}

void mbs_tree_bodies_transposed(const MbsTree *tree, const mbs_scalar *xi) {
  MBS_ASSERT(tree->known_parts & MBS_PART_BALANCE);
  MBS_IN_DIMENSION(tree->inner->dimension, bodies_transposed, tree, xi);
}
