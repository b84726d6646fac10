// The matrix of an open tree, as numbers of each node: no constraints, and forces that act on one body each (or between
// a body and the ground). Then the equations of a step are solved along the tree (algebra/tree_solver.h) in time linear
// in the number of bodies.
//
// For a body with mass dm at x, changes (eta, eta', eta'') of its motion, eta = (lin, omega), change its wrench
// (F, N) = (integral a dm, integral x x a dm) - Q by
//     eta''  [m, -h x; h x, tr S - S]                   h = integral x dm,  S = integral x x' dm: the spatial inertia
//     eta'   [0, -2 p x; 0, 2 (tr Z - Z')]              p = integral v dm,  Z = integral x v' dm
//     eta    [0, -F x; -F x, -N x]  of the inertia: it turns with the body
//            [0, 0; -F x, Y - tr Y], Y = sum of x f', of forces f that stay as they are while their points move
//            and X' (f_x X + f_v X'), for eta' X' f_v X, of forces that depend on the motion;
// all integrals are sums over the entities x_i with the mass matrix, integral x y' dm = sum x_i (M y)_i'.
#include "algebra/tree_solver.h"
#include "terms/elements.h"
#include "terms/tree.h"

// ---- set-up ----
static bool is_open(const MbsTree *tree) {
  const MbsSystem *inner = tree->inner;
  const MbsPattern *pattern = &inner->mode.pattern;
  bool is = inner->m == 0 && tree->coordinate_count == tree->joint_count && tree->joint_count > 0;
  for (int i = 0; i < tree->node_count && is; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    int end = node->body_first + node->body_count * inner->dimension;
    is = node->count <= 1;
    for (int k = node->body_count > 0 ? pattern->column_start[node->body_first] : 0;
         node->body_count > 0 && k < pattern->column_start[end] && is; ++k) {
      is = pattern->row[k] >= node->body_first && pattern->row[k] < end;
    }
  }
  return is;
}

MbsStatus mbs_tree_create_articulated(MbsContext *context, MbsTree *tree, MbsSystem *system, bool *is_articulated) {
  MbsTreeShape *shape;
  int *parent, *unknown, *start;
  *is_articulated = is_open(tree);
  if (!*is_articulated) {
    return MBS_OK;
  }
  const MbsSystem *inner = tree->inner;
  MBS_TAKE(context, system->arena, shape, 1);
  MBS_TAKE(context, system->arena, parent, tree->node_count);
  MBS_TAKE(context, system->arena, unknown, tree->node_count);
  MBS_TAKE(context, system->arena, start, system->n + 1);
  for (int i = 0; i < tree->node_count; ++i) {
    parent[i] = tree->nodes[i].parent;
    unknown[i] = tree->nodes[i].count > 0 ? tree->nodes[i].first : -1;
  }
  *shape = (MbsTreeShape){.twist = mbs_twist_size(inner->dimension),
                          .node_count = tree->node_count,
                          .unknown_count = tree->joint_count,
                          .parent = parent,
                          .unknown = unknown};
  system->mode.pattern = (MbsPattern){.tree = shape,
                                      .size = system->n,
                                      .entry_count = mbs_tree_shape_numbers(shape),
                                      .column_start = start,
                                      .row = NULL};
  tree->shape = shape;
  for (int i = 0; i < inner->mass_count; ++i) {
    for (int k = 0; k < tree->node_count; ++k) {
      if (tree->nodes[k].body_count > 0 && inner->masses[i].first[0] == tree->nodes[k].body_first) {
        tree->nodes[k].mass = &inner->masses[i];
      }
    }
  }
  MBS_TAKE(context, system->arena, tree->slope_x, inner->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, tree->slope_v, inner->mode.pattern.entry_count + 1);
  return MBS_OK;
}

// ---- one body ----
enum { MOST = 4 };  // entities

typedef struct Moments {
  mbs_scalar m, h[3], p[3], S[3][3], Z[3][3];
  mbs_scalar F[3], N[3];             // of the inertia
  mbs_scalar rest_F[3], rest[3][3];  // of the other forces, and their Y
} Moments;

// (M y)_i
MBS_KERNEL void mass_times(const MbsMass *mass, const mbs_scalar *y, mbs_scalar My[MOST][3], int d) {
  int count = mass->count;
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

MBS_KERNEL void add_outer(const mbs_scalar *x, const mbs_scalar *y, mbs_scalar sum[3][3], int d) {
  for (int i = 0; i < d; ++i) {
    for (int k = 0; k < d; ++k) {
      sum[i][k] += x[i] * y[k];
    }
  }
}

MBS_KERNEL Moments moments_of(const MbsTree *tree, const MbsTreeNode *node, bool is_full, int d) {
  Moments all = {.m = 0};
  const MbsMass *mass = node->mass;
  const mbs_scalar *x = tree->x.q + node->body_first, *f = tree->f + node->body_first;
  mbs_scalar Mx[MOST][3] = {{0}}, Mv[MOST][3] = {{0}}, Ma[MOST][3] = {{0}};
  if (mass) {
    mass_times(mass, x, Mx, d);
    all.m = mass->block.value[0];
    for (int k = 0; k < d; ++k) {
      all.h[k] = Mx[0][k];
    }
    for (int i = 0; i < mass->count; ++i) {
      add_outer(x + d * i, Mx[i], all.S, d);
    }
  }
  if (mass && is_full) {
    mass_times(mass, tree->x.v + node->body_first, Mv, d);
    mass_times(mass, tree->x.a + node->body_first, Ma, d);
    for (int k = 0; k < d; ++k) {
      all.p[k] = Mv[0][k];
      all.F[k] = Ma[0][k];
    }
    for (int i = 0; i < mass->count; ++i) {
      add_outer(x + d * i, Mv[i], all.Z, d);
      mbs_moment_add(d, x + d * i, Ma[i], all.N);
    }
  }
  for (int i = 0; i < node->body_count && is_full; ++i) {
    mbs_scalar rest[3];
    for (int k = 0; k < d; ++k) {
      rest[k] = f[d * i + k] - Ma[i][k];
      all.rest_F[k] += i == 0 ? rest[k] : 0;
    }
    add_outer(x + d * i, rest, all.rest, d);
  }
  return all;
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

static void put_space(const Moments *all, bool is_full, mbs_scalar *K) {
  int stride = 18, last = is_full ? 12 : 0;
  mbs_scalar trace = all->S[0][0] + all->S[1][1] + all->S[2][2];
  add_cross(all->h, -1, 0, last + 3, K, stride);
  add_cross(all->h, 1, 3, last, K, stride);
  for (int i = 0; i < 3; ++i) {
    K[i * stride + last + i] += all->m;
    K[(3 + i) * stride + last + 3 + i] += trace;
    for (int k = 0; k < 3; ++k) {
      K[(3 + i) * stride + last + 3 + k] -= all->S[i][k];
    }
  }
  if (!is_full) {
    return;
  }
  mbs_scalar trace_Z = all->Z[0][0] + all->Z[1][1] + all->Z[2][2];
  mbs_scalar trace_Y = all->rest[0][0] + all->rest[1][1] + all->rest[2][2];
  add_cross(all->p, -2, 0, 6 + 3, K, stride);
  add_cross(all->F, -1, 0, 3, K, stride);
  add_cross(all->F, -1, 3, 0, K, stride);
  add_cross(all->N, -1, 3, 3, K, stride);
  add_cross(all->rest_F, -1, 3, 0, K, stride);
  for (int i = 0; i < 3; ++i) {
    K[(3 + i) * stride + 9 + i] += 2 * trace_Z;
    K[(3 + i) * stride + 3 + i] -= trace_Y;
    for (int k = 0; k < 3; ++k) {
      K[(3 + i) * stride + 9 + k] -= 2 * all->Z[k][i];
      K[(3 + i) * stride + 3 + k] += all->rest[i][k];
    }
  }
}

static void put_plane(const Moments *all, bool is_full, mbs_scalar *K) {
  int stride = 9, last = is_full ? 6 : 0;
  K[last] = K[stride + last + 1] = all->m;
  K[last + 2] = K[2 * stride + last] = -all->h[1];
  K[stride + last + 2] = K[2 * stride + last + 1] = all->h[0];
  K[2 * stride + last + 2] = all->S[0][0] + all->S[1][1];
  if (!is_full) {
    return;
  }
  K[3 + 2] = -2 * all->p[1];
  K[stride + 3 + 2] = 2 * all->p[0];
  K[2 * stride + 3 + 2] = 2 * (all->Z[0][0] + all->Z[1][1]);
  K[2] = -all->F[1];
  K[stride + 2] = all->F[0];
  K[2 * stride] = all->F[1] + all->rest_F[1];
  K[2 * stride + 1] = -all->F[0] - all->rest_F[0];
  K[2 * stride + 2] = -(all->rest[0][0] + all->rest[1][1]);
}

// y += slope of the forces times a motion of the body's entities; is there any?
static bool add_slopes(const MbsPattern *pattern, const mbs_scalar *slope, const MbsTreeNode *node, int size,
                       const mbs_scalar *motion, mbs_scalar *y) {
  bool is_any = false;
  for (int c = 0; c < size; ++c) {
    for (int k = pattern->column_start[node->body_first + c]; k < pattern->column_start[node->body_first + c + 1];
         ++k) {
      is_any |= mbs_re(mbs_abs(slope[k])) > 0;
      y[pattern->row[k] - node->body_first] += slope[k] * motion[c];
    }
  }
  return is_any;
}

// forces that depend on the motion, twist by twist
MBS_KERNEL void add_forces(const MbsTree *tree, const MbsTreeNode *node, mbs_scalar *K, int d) {
  const MbsPattern *pattern = &tree->inner->mode.pattern;
  int size = d * node->body_count, twist = mbs_twist_size(d);
  const mbs_scalar *x = tree->x.q + node->body_first, *v = tree->x.v + node->body_first;
  for (int t = 0; t < twist; ++t) {
    mbs_scalar unit[MBS_LONGEST_TWIST] = {0}, X[3 * MOST] = {0}, rate[3 * MOST] = {0};
    mbs_scalar y[2][3 * MOST] = {{0}}, w[2][MBS_LONGEST_TWIST] = {{0}};
    unit[t] = 1;
    for (int e = 0; e < node->body_count; ++e) {
      mbs_twist_move(d, e == 0, unit, x + d * e, X + d * e);
      mbs_cross_add(d, 1, unit + d, v + d * e, rate + d * e);
    }
    bool is_any = add_slopes(pattern, tree->slope_x, node, size, X, y[0]);
    is_any |= add_slopes(pattern, tree->slope_v, node, size, rate, y[0]);
    is_any |= add_slopes(pattern, tree->slope_v, node, size, X, y[1]);
    if (!is_any && t > 0) {
      continue;
    }
    for (int level = 0; level < 2; ++level) {
      for (int e = 0; e < node->body_count; ++e) {
        mbs_twist_move_transposed(d, e == 0, x + d * e, y[level] + d * e, w[level]);
      }
      for (int i = 0; i < twist; ++i) {
        K[3 * twist * i + twist * level + t] += w[level][i];
      }
    }
  }
}

// ---- all of it ----
MBS_KERNEL void fill(const MbsTree *tree, double c0, double c1, double c2, bool is_full, mbs_scalar *values, int d) {
  const MbsTreeShape *shape = tree->shape;
  int twist = mbs_twist_size(d);
  bool has_forces = is_full && tree->inner->mode.force_count > 0;
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    mbs_scalar *K = mbs_tree_shape_K(shape, values, i);
    for (int k = 0; k < 3 * twist * twist; ++k) {
      K[k] = 0;
    }
    if (node->body_count > 0) {
      Moments all = moments_of(tree, node, is_full, d);
      (d == 2 ? put_plane : put_space)(&all, is_full, K);
      if (has_forces) {
        add_forces(tree, node, K, d);
      }
    }
    if (node->count > 0) {
      mbs_scalar *b = mbs_tree_shape_b(shape, values, node->first), *C = b + twist, *g = b + 4 * twist;
      const mbs_scalar *of[3] = {tree->b[0] + node->first * twist, tree->b[1] + node->first * twist,
                                 tree->b[2] + node->first * twist};
      for (int k = 0; k < twist; ++k) {
        b[k] = of[0][k];
        C[k] = is_full ? c0 * of[0][k] : c2 * of[0][k];
        C[twist + k] = is_full ? c1 * of[0][k] + c0 * of[1][k] : 0;
        C[2 * twist + k] = is_full ? c2 * of[0][k] + 2 * c1 * of[1][k] + c0 * of[2][k] : 0;
        g[k] = 0;
      }
      if (is_full) {
        mbs_bracket_transposed(d, 1, of[0], tree->W + i * twist, g);
      }
    }
  }
}

void mbs_tree_articulate(const MbsSystem *system, const MbsState *state, double c0, double c1, double c2,
                         mbs_scalar *values) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  const MbsWeights none = {0};
  bool is_full = c0 < 0 || c0 > 0 || c1 < 0 || c1 > 0;
  const MbsState *x = mbs_tree_follow(tree, state, is_full);
  values[0] = is_full ? 3 : 1;
  if (is_full) {
    mbs_terms_forces(inner, x, MBS_PART_ALL, tree->f);
    mbs_tree_gather(tree, tree->f, tree->W);
  }
  if (is_full && inner->mode.force_count > 0) {
    mbs_terms_tangent(inner, x, &none, 1, 0, 0, tree->slope_x);
    mbs_terms_tangent(inner, x, &none, 0, 1, 0, tree->slope_v);
  }
  if (inner->dimension == 2) {
    fill(tree, c0, c1, c2, is_full, values, 2);
  } else {
    fill(tree, c0, c1, c2, is_full, values, 3);
  }
}
