// A body in the tree: the wrench of its inertia and weight, and how a body's wrench changes with its motion. With mass
// dm at x, all about the fixed point near the branch,
//     h = integral x dm,  S = integral x x' dm                               constant but for the body's position
//     I = [m, -h x; h x, tr S - S]                                           the spatial inertia
//     (p, L) = I V,   (F, N) = (integral a dm, integral x x a dm) = I A + (omega x p, omega x L + V_lin x p)
// and the weights w_i on its entities x_i have the wrench (w_0, sum of x_i x w_i). Integrals are sums over the entities
// with the mass matrix, integral x y' dm = sum x_i (M y)_i'.
//
// Changes (eta, eta', eta'') of its motion, eta = (lin, omega), change its wrench by a matrix K of 3 twists:
//     eta''  I
//     eta'   [0, -2 p x; 0, 2 (tr Z - Z')]              Z = integral x v' dm = h V_lin' + rows omega x S_i
//     eta    [0, -F x; -F x, -N x]  of the inertia: it turns with the body
//            [0, 0; -F x, Y - tr Y], Y = sum of x f', of forces f that stay as they are while their points move
// Products with K and K' of inertia and weight alone are written out, with Z xi = h (V_lin.xi) + S (xi x omega) and
// Z' xi = V_lin (h.xi) + omega x S xi; moments x f change by x' x f.
#include "terms/elements.h"
#include "terms/tree.h"

enum { MOST = 4 };  // entities

MBS_KERNEL int frame_size(int d) { return d == 2 ? 4 : 12; }

// its body's, if that takes part in the terms now (mbs_system_isolate)
static const MbsMass *mass_of(const MbsTree *tree, const MbsTreeNode *node) {
  const MbsSystem *inner = tree->inner;
  bool takes_part = node->mass >= inner->masses && node->mass < inner->masses + inner->mass_count;
  return takes_part ? node->mass : NULL;
}

// entity e of the body whose node's frame is H: its origin, then its axes
MBS_KERNEL const mbs_scalar *entity_of(const mbs_scalar *H, int e, int d) {
  return H + (e == 0 ? frame_size(d) - d : d * (e - 1));
}

// c: of the body's mass, or their slopes
MBS_KERNEL const mbs_scalar *weight_of(const mbs_scalar *c, int count, int e, int d) {
  return c + 2 * count * count + d * e;
}

// ---- inertia ----
MBS_KERNEL void find_inertia(const mbs_scalar *ab, int count, const mbs_scalar *H, MbsTreeInertia *all, int d) {
  mbs_scalar Mx[MOST][3] = {{0}};
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      mbs_turn_add(d, d == 2, ab[2 * (i * count + j)], ab[2 * (i * count + j) + 1], entity_of(H, j, d), Mx[i]);
    }
  }
  all->m = ab[0];
  all->trace = 0;
  for (int i = 0; i < d; ++i) {
    all->h[i] = Mx[0][i];
    for (int k = i; k < (d == 2 ? i + 1 : 3); ++k) {
      mbs_scalar sum = 0;
      for (int e = 0; e < count; ++e) {
        sum += entity_of(H, e, d)[i] * Mx[e][k];
      }
      all->S[i][k] = all->S[k][i] = sum;
    }
    all->trace += all->S[i][i];
  }
}

MBS_KERNEL void find_inertias(const MbsTree *tree, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsMass *mass = tree->nodes[i].mass;
    const mbs_scalar *H = tree->H + i * frame_size(d);
    if (mass && d == 3 && mass->count == MOST) {  // loops of known length for what is usual
      find_inertia(mass->block.value, MOST, H, &tree->inertia[i], 3);
    } else if (mass) {
      find_inertia(mass->block.value, mass->count, H, &tree->inertia[i], d);
    }
  }
}

void mbs_tree_find_inertia(MbsTree *tree) {
  if (tree->has_inertia) {
    return;
  }
  if (tree->inner->dimension == 2) {
    find_inertias(tree, 2);
  } else {
    find_inertias(tree, 3);
  }
  tree->has_inertia = true;
}

// y = I t
MBS_KERNEL void inertia_times(const MbsTreeInertia *inertia, const mbs_scalar *t, mbs_scalar *y, int d) {
  const mbs_scalar *h = inertia->h, (*S)[3] = inertia->S;
  for (int k = 0; k < d; ++k) {
    y[k] = inertia->m * t[k];
  }
  for (int k = d; k < mbs_twist_size(d); ++k) {
    y[k] = inertia->trace * t[k];
  }
  for (int i = 0; i < 3 && d == 3; ++i) {
    y[3 + i] -= S[i][0] * t[3] + S[i][1] * t[4] + S[i][2] * t[5];
  }
  mbs_cross_add(d, 1, t + d, h, y);
  mbs_moment_add(d, h, t, y + d);
}

// p = integral v dm
MBS_KERNEL void find_p(const MbsTreeInertia *inertia, const mbs_scalar *V, mbs_scalar *p, int d) {
  for (int k = 0; k < d; ++k) {
    p[k] = inertia->m * V[k];
  }
  mbs_cross_add(d, 1, V + d, inertia->h, p);
}

// ---- wrenches ----
// W = (F, N) of a body's inertia
MBS_KERNEL void inertia_wrench(const MbsTreeInertia *inertia, const mbs_scalar *V, const mbs_scalar *A, mbs_scalar *W,
                               int d) {
  mbs_scalar momentum[MBS_LONGEST_TWIST];
  inertia_times(inertia, V, momentum, d);
  inertia_times(inertia, A, W, d);
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
    const mbs_scalar *w = weight_of(c, count, e, d);
    mbs_twist_move_transposed(d, e == 0, entity_of(H, e, d), w, wrench);
    for (int k = 0; k < d && scale; ++k) {
      mbs_raise(scale, w[k]);
    }
  }
}

MBS_KERNEL void find_wrenches(const MbsTree *tree, double *scale, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsMass *mass = mass_of(tree, &tree->nodes[i]);
    const mbs_scalar *H = tree->H + i * frame_size(d), *V = tree->V + i * size, *A = tree->A + i * size;
    mbs_scalar *own = tree->inertia_W + i * size, *W = tree->W + i * size;
    mbs_scalar inertia[MBS_LONGEST_TWIST], weight[MBS_LONGEST_TWIST] = {0};  // in registers until all is known
    if (!mass) {
      for (int k = 0; k < size; ++k) {
        own[k] = W[k] = 0;
      }
      continue;
    }
    inertia_wrench(&tree->inertia[i], V, A, inertia, d);
    if (scale) {
      raise_scale(&tree->inertia[i], entity_of(H, 0, d), V + d, inertia, scale, d);
    }
    if (d == 3 && mass->count == MOST) {
      add_weight(mass->block.value, MOST, H, weight, scale, 3);
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

// ---- K ----
// what the matrix needs of the motion beside the inertia
typedef struct Motion {
  mbs_scalar p[3], Z[3][3], trace_Z;  // in the plane of Z the trace alone
  mbs_scalar F[3], N[3];              // of the inertia
  mbs_scalar rest_F[3], Y[3][3];      // of the other forces
} Motion;

MBS_KERNEL void add_outer(const mbs_scalar *x, const mbs_scalar *y, mbs_scalar sum[3][3], int d) {
  for (int i = 0; i < d; ++i) {
    for (int k = 0; k < d; ++k) {
      sum[i][k] += x[i] * y[k];
    }
  }
}

MBS_KERNEL void find_momentum(const MbsTreeInertia *inertia, const mbs_scalar *V, Motion *motion, int d) {
  const mbs_scalar *h = inertia->h;
  find_p(inertia, V, motion->p, d);
  for (int k = 0; k < d; ++k) {
    motion->trace_Z += h[k] * V[k];  // x.(omega x x) = 0
  }
  if (d == 3) {
    add_outer(h, V, motion->Z, 3);
    for (int i = 0; i < 3; ++i) {
      mbs_cross_add(3, 1, V + 3, inertia->S[i], motion->Z[i]);
    }
  }
}

// of the forces in tree->f, and of the weight
MBS_KERNEL void find_rest(const MbsTree *tree, int index, const mbs_scalar *H, const MbsMass *mass, int count,
                          Motion *motion, int d) {
  bool has_forces = mbs_tree_has_forces(tree, index);
  const mbs_scalar *on = tree->f + tree->nodes[index].body_first;
  for (int e = 0; e < count; ++e) {
    mbs_scalar f[3] = {0};
    for (int k = 0; k < d; ++k) {
      f[k] = (has_forces ? on[d * e + k] : 0) - (mass ? weight_of(mass->block.value, count, e, d)[k] : 0);
      motion->rest_F[k] += e == 0 ? f[k] : 0;
    }
    add_outer(entity_of(H, e, d), f, motion->Y, d);
  }
}

// K: rows of 3 twists, columns of eta, eta', eta'' from first[0], first[1], first[2]
MBS_KERNEL void add_cross(const mbs_scalar *a, mbs_scalar scale, int row, int column, mbs_scalar *K, int stride) {
  K[(row + 0) * stride + column + 1] -= scale * a[2];
  K[(row + 0) * stride + column + 2] += scale * a[1];
  K[(row + 1) * stride + column + 0] += scale * a[2];
  K[(row + 1) * stride + column + 2] -= scale * a[0];
  K[(row + 2) * stride + column + 0] -= scale * a[1];
  K[(row + 2) * stride + column + 1] += scale * a[0];
}

// K = or += I, rows of `stride`
MBS_KERNEL void put_inertia(const MbsTreeInertia *inertia, bool is_first, mbs_scalar *restrict K, int stride, int d) {
  int twist = mbs_twist_size(d);
  const mbs_scalar m = inertia->m, *h = inertia->h, t = inertia->trace, (*S)[3] = inertia->S;
  const mbs_scalar plane[3 * 3] = {m, 0, -h[1], 0, m, h[0], -h[1], h[0], t};
  const mbs_scalar space[6 * 6] = {m,     0,     0,     0,           h[2],        -h[1],     //
                                   0,     m,     0,     -h[2],       0,           h[0],      //
                                   0,     0,     m,     h[1],        -h[0],       0,         //
                                   0,     -h[2], h[1],  t - S[0][0], -S[0][1],    -S[0][2],  //
                                   h[2],  0,     -h[0], -S[1][0],    t - S[1][1], -S[1][2],  //
                                   -h[1], h[0],  0,     -S[2][0],    -S[2][1],    t - S[2][2]};
  const mbs_scalar *from = d == 2 ? plane : space;
  for (int i = 0; i < twist; ++i) {
    for (int k = 0; k < twist; ++k) {
      K[i * stride + k] = is_first ? from[i * twist + k] : K[i * stride + k] + from[i * twist + k];
    }
  }
}

MBS_KERNEL void add_motion_in_space(const Motion *motion, mbs_scalar *K) {
  int stride = 18;
  mbs_scalar trace_Y = motion->Y[0][0] + motion->Y[1][1] + motion->Y[2][2];
  add_cross(motion->p, -2, 0, 6 + 3, K, stride);
  add_cross(motion->F, -1, 0, 3, K, stride);
  add_cross(motion->F, -1, 3, 0, K, stride);
  add_cross(motion->N, -1, 3, 3, K, stride);
  add_cross(motion->rest_F, -1, 3, 0, K, stride);
  for (int i = 0; i < 3; ++i) {
    K[(3 + i) * stride + 9 + i] += 2 * motion->trace_Z;
    K[(3 + i) * stride + 3 + i] -= trace_Y;
    for (int k = 0; k < 3; ++k) {
      K[(3 + i) * stride + 9 + k] -= 2 * motion->Z[k][i];
      K[(3 + i) * stride + 3 + k] += motion->Y[i][k];
    }
  }
}

MBS_KERNEL void add_motion_in_plane(const Motion *motion, mbs_scalar *K) {
  int stride = 9;
  K[3 + 2] -= 2 * motion->p[1];
  K[stride + 3 + 2] += 2 * motion->p[0];
  K[2 * stride + 3 + 2] += 2 * motion->trace_Z;
  K[2] -= motion->F[1];
  K[stride + 2] += motion->F[0];
  K[2 * stride] += motion->F[1] + motion->rest_F[1];
  K[2 * stride + 1] -= motion->F[0] + motion->rest_F[0];
  K[2 * stride + 2] -= motion->Y[0][0] + motion->Y[1][1];
}

MBS_KERNEL void add_motion(const MbsTree *tree, int index, mbs_scalar *K, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const MbsMass *mass = mass_of(tree, node);
  const mbs_scalar *H = tree->H + index * frame_size(d), *W = tree->inertia_W + index * mbs_twist_size(d);
  Motion motion = {.p = {0}};
  if (mass) {
    find_momentum(&tree->inertia[index], tree->V + index * mbs_twist_size(d), &motion, d);
  }
  for (int k = 0; k < mbs_twist_size(d); ++k) {
    *(k < d ? &motion.F[k] : &motion.N[k - d]) = W[k];
  }
  if (d == 3 && node->body_count == MOST) {
    find_rest(tree, index, H, mass, MOST, &motion, 3);
  } else {
    find_rest(tree, index, H, mass, node->body_count, &motion, d);
  }
  if (d == 2) {
    add_motion_in_plane(&motion, K);
  } else {
    add_motion_in_space(&motion, K);
  }
}

MBS_KERNEL void body_matrix(const MbsTree *tree, int index, bool is_full, mbs_scalar *K, int d) {
  int twist = mbs_twist_size(d);
  if (mass_of(tree, &tree->nodes[index])) {
    put_inertia(&tree->inertia[index], false, K + (is_full ? 2 * twist : 0), 3 * twist, d);
  }
  if (is_full) {
    add_motion(tree, index, K, d);
  }
}

void mbs_tree_body_matrix(const MbsTree *tree, int index, bool is_full, mbs_scalar *K) {
  if (tree->inner->dimension == 2) {
    body_matrix(tree, index, is_full, K, 2);
  } else if (is_full) {
    body_matrix(tree, index, true, K, 3);
  } else {
    body_matrix(tree, index, false, K, 3);
  }
}

MBS_KERNEL void put_mass(const MbsTree *tree, int index, double scale, bool is_first, mbs_scalar *K, int d) {
  const MbsTreeInertia *of = &tree->inertia[index];
  MbsTreeInertia scaled = {.m = 0};
  if (mass_of(tree, &tree->nodes[index])) {
    scaled.m = scale * of->m;
    scaled.trace = scale * of->trace;
    for (int i = 0; i < d; ++i) {
      scaled.h[i] = scale * of->h[i];
      for (int k = 0; k < 3 && d == 3; ++k) {
        scaled.S[i][k] = scale * of->S[i][k];
      }
    }
  }
  put_inertia(&scaled, is_first, K, mbs_twist_size(d), d);
}

void mbs_tree_put_mass(const MbsTree *tree, int index, double scale, bool is_first, mbs_scalar *K) {
  if (tree->inner->dimension == 2) {
    put_mass(tree, index, scale, is_first, K, 2);
  } else if (is_first) {
    put_mass(tree, index, scale, true, K, 3);
  } else {
    put_mass(tree, index, scale, false, K, 3);
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
  const mbs_scalar *H = tree->H + index * frame_size(d), *V = tree->V + at, *W = tree->inertia_W + at;
  mbs_scalar p[3];
  find_p(inertia, V, p, d);
  inertia_times(inertia, eta[2], w, d);
  mbs_cross_add(d, 2, eta[1] + d, p, w);
  add_Z_times(inertia, V, true, eta[1] + d, w + d, d);
  mbs_cross_add(d, 1, eta[0] + d, W, w);
  mbs_moment_add(d, eta[0], W, w + d);
  if (d == 3) {
    mbs_cross_add(3, 1, eta[0] + 3, W + 3, w + 3);
  }
  for (int e = 0; e < count; ++e) {
    mbs_scalar ahead[3] = {0};
    mbs_twist_move(d, e == 0, eta[0], entity_of(H, e, d), ahead);
    mbs_moment_add(d, weight_of(mass->block.value, count, e, d), ahead, w + d);
  }
}

// w += what the slopes of the mass and the weight add
MBS_KERNEL void add_mass_slope(const MbsTree *tree, int index, const mbs_scalar *slope, int count, mbs_scalar *w,
                               int d) {
  const mbs_scalar *H = tree->H + index * frame_size(d);
  MbsTreeInertia inertia;
  mbs_scalar wrench[MBS_LONGEST_TWIST], weight[MBS_LONGEST_TWIST] = {0};
  find_inertia(slope, count, H, &inertia, d);
  inertia_wrench(&inertia, tree->V + index * mbs_twist_size(d), tree->A + index * mbs_twist_size(d), wrench, d);
  add_weight(slope, count, H, weight, NULL, d);
  mbs_twist_add(d, 1, wrench, w);
  mbs_twist_add(d, -1, weight, w);
}

MBS_KERNEL void body_slopes(const MbsTree *tree, int column, mbs_scalar *dW, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsMass *mass = mass_of(tree, &tree->nodes[i]);
    const mbs_scalar *slope = mass && column >= 0 ? mbs_block_slope(&mass->block, column) : NULL;
    mbs_scalar w[MBS_LONGEST_TWIST] = {0};
    if (mass && d == 3 && mass->count == MOST) {
      body_slope(tree, i, mass, MOST, w, 3);
    } else if (mass) {
      body_slope(tree, i, mass, mass->count, w, d);
    }
    if (slope) {
      add_mass_slope(tree, i, slope, mass->count, w, d);
    }
    for (int k = 0; k < mbs_twist_size(d); ++k) {
      dW[i * mbs_twist_size(d) + k] = w[k];
    }
  }
}

void mbs_tree_body_slopes(const MbsTree *tree, int column, mbs_scalar *dW) {
  if (tree->inner->dimension == 2) {
    body_slopes(tree, column, dW, 2);
  } else {
    body_slopes(tree, column, dW, 3);
  }
}

// bar += K' xi
MBS_KERNEL void body_transposed(const MbsTree *tree, int index, const MbsMass *mass, int count, const mbs_scalar *xi,
                                int d) {
  const MbsTreeInertia *inertia = &tree->inertia[index];
  int size = mbs_twist_size(d), at = index * size;
  const mbs_scalar *H = tree->H + index * frame_size(d), *V = tree->V + at, *W = tree->inertia_W + at;
  mbs_scalar p[3], bar[3][MBS_LONGEST_TWIST] = {{0}};
  find_p(inertia, V, p, d);
  inertia_times(inertia, xi, bar[2], d);
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
    mbs_cross_add(d, 1, xi + d, weight_of(mass->block.value, count, e, d), turned);
    mbs_twist_move_transposed(d, e == 0, entity_of(H, e, d), turned, bar[0]);
  }
  for (int level = 0; level < 3; ++level) {
    for (int k = 0; k < size; ++k) {
      tree->bar[level][at + k] += bar[level][k];
    }
  }
}

MBS_KERNEL void bodies_transposed(const MbsTree *tree, const mbs_scalar *xi, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsMass *mass = mass_of(tree, &tree->nodes[i]);
    const mbs_scalar *own = xi + i * mbs_twist_size(d);
    if (mass && d == 3 && mass->count == MOST) {
      body_transposed(tree, i, mass, MOST, own, 3);
    } else if (mass) {
      body_transposed(tree, i, mass, mass->count, own, d);
    }
  }
}

void mbs_tree_bodies_transposed(const MbsTree *tree, const mbs_scalar *xi) {
  if (tree->inner->dimension == 2) {
    bodies_transposed(tree, xi, 2);
  } else {
    bodies_transposed(tree, xi, 3);
  }
}
