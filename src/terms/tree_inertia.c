// How the wrench of a body changes with its motion: a matrix K of 3 twists. With mass dm at x, changes (eta, eta',
// eta'') of its motion, eta = (lin, omega), change its wrench (F, N) = (integral a dm, integral x x a dm) - Q by
//     eta''  [m, -h x; h x, tr S - S]                   h = integral x dm,  S = integral x x' dm: the spatial inertia
//     eta'   [0, -2 p x; 0, 2 (tr Z - Z')]              p = integral v dm,  Z = integral x v' dm
//     eta    [0, -F x; -F x, -N x]  of the inertia: it turns with the body
//            [0, 0; -F x, Y - tr Y], Y = sum of x f', of forces f that stay as they are while their points move
// all integrals are sums over the entities x_i with the mass matrix, integral x y' dm = sum x_i (M y)_i'.
#include "terms/elements.h"
#include "terms/tree.h"

enum { MOST = 4 };  // entities

typedef struct Inertia {
  mbs_scalar m, h[3], S[3][3];
} Inertia;

typedef struct Motion {
  mbs_scalar p[3], Z[3][3];
  mbs_scalar F[3], N[3];             // of the inertia
  mbs_scalar rest_F[3], rest[3][3];  // of the other forces, and their Y
} Motion;

// its body's, if that takes part in the terms now (mbs_system_isolate)
static const MbsMass *mass_of(const MbsTree *tree, const MbsTreeNode *node) {
  const MbsSystem *inner = tree->inner;
  bool takes_part = node->mass >= inner->masses && node->mass < inner->masses + inner->mass_count;
  return takes_part ? node->mass : NULL;
}

// (M y)_i
MBS_KERNEL void mass_times_of(const MbsMass *mass, int count, const mbs_scalar *y, mbs_scalar My[MOST][3], int d) {
  const mbs_scalar *ab = mass->block.value;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < d; ++k) {
      My[i][k] = 0;
    }
    for (int j = 0; j < count; ++j) {
      mbs_turn_add(d, d == 2, ab[2 * (i * count + j)], ab[2 * (i * count + j) + 1], y + d * j, My[i]);
    }
  }
}

MBS_KERNEL void mass_times(const MbsMass *mass, const mbs_scalar *y, mbs_scalar My[MOST][3], int d) {
  if (d == 3 && mass->count == MOST) {  // loops of known length for what is usual
    mass_times_of(mass, MOST, y, My, 3);
  } else {
    mass_times_of(mass, mass->count, y, My, d);
  }
}

MBS_KERNEL void add_outer(const mbs_scalar *x, const mbs_scalar *y, mbs_scalar sum[3][3], int d) {
  for (int i = 0; i < d; ++i) {
    for (int k = 0; k < d; ++k) {
      sum[i][k] += x[i] * y[k];
    }
  }
}

// h and S, of which only one half is computed
MBS_KERNEL void add_inertia(const MbsMass *mass, const mbs_scalar *x, Inertia *all, int d) {
  mbs_scalar Mx[MOST][3] = {{0}};
  mass_times(mass, x, Mx, d);
  all->m = mass->block.value[0];
  for (int i = 0; i < d; ++i) {
    all->h[i] = Mx[0][i];
    for (int k = i; k < d; ++k) {
      mbs_scalar sum = 0;
      for (int e = 0; e < mass->count; ++e) {
        sum += x[d * e + i] * Mx[e][k];
      }
      all->S[i][k] = all->S[k][i] = sum;
    }
  }
}

MBS_KERNEL void add_motion(const MbsTree *tree, const MbsTreeNode *node, Motion *all, int d) {
  const MbsMass *mass = mass_of(tree, node);
  const mbs_scalar *x = tree->local + node->body_first, *f = tree->f + node->body_first;
  mbs_scalar Mv[MOST][3] = {{0}}, Ma[MOST][3] = {{0}};
  if (mass) {
    mass_times(mass, tree->x.v + node->body_first, Mv, d);
    mass_times(mass, tree->x.a + node->body_first, Ma, d);
    for (int k = 0; k < d; ++k) {
      all->p[k] = Mv[0][k];
      all->F[k] = Ma[0][k];
    }
  }
  for (int i = 0; i < node->body_count; ++i) {
    mbs_scalar rest[3];
    add_outer(x + d * i, Mv[i], all->Z, d);
    mbs_moment_add(d, x + d * i, Ma[i], all->N);
    for (int k = 0; k < d; ++k) {
      rest[k] = f[d * i + k] - Ma[i][k];
      all->rest_F[k] += i == 0 ? rest[k] : 0;
    }
    add_outer(x + d * i, rest, all->rest, d);
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

// motion NULL: eta'' alone
MBS_KERNEL void put_space(const Inertia *inertia, const Motion *motion, mbs_scalar *K) {
  int stride = 18, last = motion ? 12 : 0;
  mbs_scalar trace = inertia->S[0][0] + inertia->S[1][1] + inertia->S[2][2];
  add_cross(inertia->h, -1, 0, last + 3, K, stride);
  add_cross(inertia->h, 1, 3, last, K, stride);
  for (int i = 0; i < 3; ++i) {
    K[i * stride + last + i] += inertia->m;
    K[(3 + i) * stride + last + 3 + i] += trace;
    for (int k = 0; k < 3; ++k) {
      K[(3 + i) * stride + last + 3 + k] -= inertia->S[i][k];
    }
  }
  if (!motion) {
    return;
  }
  mbs_scalar trace_Z = motion->Z[0][0] + motion->Z[1][1] + motion->Z[2][2];
  mbs_scalar trace_Y = motion->rest[0][0] + motion->rest[1][1] + motion->rest[2][2];
  add_cross(motion->p, -2, 0, 6 + 3, K, stride);
  add_cross(motion->F, -1, 0, 3, K, stride);
  add_cross(motion->F, -1, 3, 0, K, stride);
  add_cross(motion->N, -1, 3, 3, K, stride);
  add_cross(motion->rest_F, -1, 3, 0, K, stride);
  for (int i = 0; i < 3; ++i) {
    K[(3 + i) * stride + 9 + i] += 2 * trace_Z;
    K[(3 + i) * stride + 3 + i] -= trace_Y;
    for (int k = 0; k < 3; ++k) {
      K[(3 + i) * stride + 9 + k] -= 2 * motion->Z[k][i];
      K[(3 + i) * stride + 3 + k] += motion->rest[i][k];
    }
  }
}

// motion NULL: eta'' alone
MBS_KERNEL void put_plane(const Inertia *inertia, const Motion *motion, mbs_scalar *K) {
  int stride = 9, last = motion ? 6 : 0;
  K[last] += inertia->m;
  K[stride + last + 1] += inertia->m;
  K[last + 2] -= inertia->h[1];
  K[2 * stride + last] -= inertia->h[1];
  K[stride + last + 2] += inertia->h[0];
  K[2 * stride + last + 1] += inertia->h[0];
  K[2 * stride + last + 2] += inertia->S[0][0] + inertia->S[1][1];
  if (!motion) {
    return;
  }
  K[3 + 2] -= 2 * motion->p[1];
  K[stride + 3 + 2] += 2 * motion->p[0];
  K[2 * stride + 3 + 2] += 2 * (motion->Z[0][0] + motion->Z[1][1]);
  K[2] -= motion->F[1];
  K[stride + 2] += motion->F[0];
  K[2 * stride] += motion->F[1] + motion->rest_F[1];
  K[2 * stride + 1] -= motion->F[0] + motion->rest_F[0];
  K[2 * stride + 2] -= (motion->rest[0][0] + motion->rest[1][1]);
}

MBS_KERNEL void body_matrix(const MbsTree *tree, const MbsTreeNode *node, bool is_full, mbs_scalar *K, int d) {
  Inertia inertia = {.m = 0};
  Motion motion;
  if (mass_of(tree, node)) {
    add_inertia(node->mass, tree->local + node->body_first, &inertia, d);
  }
  if (is_full) {
    motion = (Motion){.p = {0}};
    add_motion(tree, node, &motion, d);
  }
  if (d == 2) {
    put_plane(&inertia, is_full ? &motion : NULL, K);
  } else {
    put_space(&inertia, is_full ? &motion : NULL, K);
  }
}

void mbs_tree_body_matrix(const MbsTree *tree, int index, bool is_full, mbs_scalar *K) {
  const MbsTreeNode *node = &tree->nodes[index];
  if (tree->inner->dimension == 2) {
    body_matrix(tree, node, is_full, K, 2);
  } else if (is_full) {
    body_matrix(tree, node, true, K, 3);
  } else {
    body_matrix(tree, node, false, K, 3);
  }
}
