// How the wrench of a body changes with its motion: a matrix K of 3 twists. In the terms of tree_inertia.c, changes
// (eta, eta', eta'') of its motion, eta = (lin, omega), change its wrench by
//     eta''  I
//     eta'   [0, -2 p x; 0, 2 (tr Z - Z')]              Z = integral x v' dm = h V_lin' + rows omega x S_i
//     eta    [0, -F x; -F x, -N x]  of the inertia: it turns with the body
//            [0, 0; -F x, Y - tr Y], Y = sum of x f', of forces f that stay as they are while their points move
#include "tree/tree_inertia.h"

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
  mbs_tree_momentum(inertia, V, motion->p, d);
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
      f[k] = (has_forces ? on[d * e + k] : 0) - (mass ? mbs_tree_weight(mass->block.value, count, e, d)[k] : 0);
      motion->rest_F[k] += e == 0 ? f[k] : 0;
    }
    add_outer(mbs_tree_entity(H, e, d), f, motion->Y, d);
  }
}

// K += scale a x, from a row and a column on
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
  const MbsMass *mass = mbs_tree_mass_of(tree, index);
  int count = tree->nodes[index].body_count;
  const mbs_scalar *H = mbs_tree_frame_of(tree, index, d), *W = tree->inertia_W + index * mbs_twist_size(d);
  Motion motion = {.p = {0}};
  if (mass) {
    find_momentum(&tree->inertia[index], tree->V + index * mbs_twist_size(d), &motion, d);
  }
  for (int k = 0; k < mbs_twist_size(d); ++k) {
    *(k < d ? &motion.F[k] : &motion.N[k - d]) = W[k];
  }
  if (d == 3 && count == MBS_MOST_ENTITIES) {
    find_rest(tree, index, H, mass, MBS_MOST_ENTITIES, &motion, 3);
  } else {
    find_rest(tree, index, H, mass, count, &motion, d);
  }
  if (d == 2) {
    add_motion_in_plane(&motion, K);
  } else {
    add_motion_in_space(&motion, K);
  }
}

MBS_KERNEL void body_matrix(const MbsTree *tree, int index, bool is_full, mbs_scalar *K, int d) {
  int twist = mbs_twist_size(d);
  if (mbs_tree_mass_of(tree, index)) {
    put_inertia(&tree->inertia[index], false, K + (is_full ? 2 * twist : 0), 3 * twist, d);
  }
  if (is_full) {
    add_motion(tree, index, K, d);
  }
}

void mbs_tree_body_matrix(const MbsTree *tree, int index, bool is_full, mbs_scalar *K) {
  MBS_ASSERT(is_full ? tree->known_parts == MBS_PART_ALL : tree->has_inertia);
  if (tree->inner->dimension == 2) {
    body_matrix(tree, index, is_full, K, 2);
  } else if (is_full) {
    body_matrix(tree, index, true, K, 3);
  } else {
    body_matrix(tree, index, false, K, 3);
  }
}

MBS_KERNEL void put_mass(const MbsTree *tree, int index, mbs_scalar scale, bool is_first, mbs_scalar *K, int d) {
  const MbsTreeInertia *of = &tree->inertia[index];
  MbsTreeInertia scaled = {.m = 0};
  if (mbs_tree_mass_of(tree, index)) {
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

void mbs_tree_put_mass(const MbsTree *tree, int index, mbs_scalar scale, bool is_first, mbs_scalar *K) {
  MBS_ASSERT(tree->has_inertia);
  if (tree->inner->dimension == 2) {
    put_mass(tree, index, scale, is_first, K, 2);
  } else if (is_first) {
    put_mass(tree, index, scale, true, K, 3);
  } else {
    put_mass(tree, index, scale, false, K, 3);
  }
}
