// From the coordinates to frames, twists and bodies. See tree.h.
#include <math.h>
#include <string.h>

#include "terms/elements.h"
#include "tree/tree_ball.h"

// axis k of a frame
MBS_KERNEL void axis_of(int d, const mbs_scalar *frame, int k, mbs_scalar *axis) {
  if (d == 2) {
    axis[0] = k == 0 ? frame[0] : -frame[1];
    axis[1] = k == 0 ? frame[1] : frame[0];
    return;
  }
  for (int i = 0; i < 3; ++i) {
    axis[i] = frame[3 * k + i];
  }
}

// ---- frames ----
// P = H F: axes turned (unless they are the same) and origin shifted by the numbers of a node's frame
MBS_KERNEL void stand(int d, bool is_shifted, const mbs_scalar *H, const mbs_scalar *F, mbs_scalar *restrict P) {
  if (d == 2) {
    P[0] = H[0] * F[0] - H[1] * F[1];
    P[1] = H[1] * F[0] + H[0] * F[1];
    P[2] = H[2] + H[0] * F[2] - H[1] * F[3];
    P[3] = H[3] + H[1] * F[2] + H[0] * F[3];
    return;
  }
  for (int k = 0; k < 9 && is_shifted; ++k) {
    P[k] = H[k];
  }
  for (int j = 0; j < 3 && !is_shifted; ++j) {
    for (int i = 0; i < 3; ++i) {
      P[3 * j + i] = H[i] * F[3 * j] + H[3 + i] * F[3 * j + 1] + H[6 + i] * F[3 * j + 2];
    }
  }
  for (int i = 0; i < 3; ++i) {
    P[9 + i] = H[9 + i] + H[i] * F[9] + H[3 + i] * F[10] + H[6 + i] * F[11];
  }
}

MBS_KERNEL void move(int d, const MbsTreeNode *node, const mbs_scalar *z, const mbs_scalar *P, mbs_scalar *restrict H) {
  if (d == 3 && node->kind == MBS_MOTION_BALL) {
    mbs_tree_move_ball(P, z + node->first, H);
    return;
  }
  for (int i = 0; i < mbs_frame_size(d); ++i) {
    H[i] = P[i];
  }
  if (node->kind == MBS_MOTION_SLIDE) {
    mbs_scalar axis[3];
    axis_of(d, P, node->axis, axis);
    for (int i = 0; i < d; ++i) {
      H[mbs_frame_size(d) - d + i] += z[node->first] * axis[i];
    }
  } else if (node->kind == MBS_MOTION_TURN) {
    mbs_scalar c = mbs_cos(z[node->first]), s = mbs_sin(z[node->first]);
    if (d == 2) {
      H[0] = c * P[0] - s * P[1];
      H[1] = s * P[0] + c * P[1];
      return;
    }
    int j = node->axis == 2 ? 0 : node->axis + 1, k = node->axis == 0 ? 2 : node->axis - 1;
    for (int i = 0; i < 3; ++i) {
      H[3 * j + i] = c * P[3 * j + i] + s * P[3 * k + i];
      H[3 * k + i] = c * P[3 * k + i] - s * P[3 * j + i];
    }
  }
}

// ---- twists ----
// b of a turn or a slide
MBS_KERNEL void axis_twist(int d, const MbsTreeNode *node, const mbs_scalar *P, mbs_scalar *b) {
  mbs_scalar axis[3] = {1};
  mbs_clear(mbs_twist_size(d), b);
  if (node->kind == MBS_MOTION_SLIDE) {
    axis_of(d, P, node->axis, b);
    return;
  }
  if (d == 3) {
    axis_of(d, P, node->axis, axis);
  }
  for (int i = d; i < mbs_twist_size(d); ++i) {
    b[i] = axis[i - d];
  }
  mbs_cross_add(d, -1, b + d, mbs_frame_origin(d, P), b);
}

// Here and below results are made in arrays of their own and stored at once: the compiler keeps such in registers.
// b of a node's coordinates
MBS_KERNEL void find_axes(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const mbs_scalar *P = tree->P + index * mbs_frame_size(d), *p = tree->at.q + node->first;
  mbs_scalar *to = tree->b[0] + node->first * mbs_twist_size(d), b[MBS_LONGEST_TWIST];
  if (d == 3 && node->kind == MBS_MOTION_BALL) {
    mbs_scalar e[3], N = mbs_dot(4, p, p);
    for (int k = 0; k < node->count; ++k) {
      mbs_tree_ball_column(p, k, e);
      for (int i = 0; i < 3; ++i) {
        e[i] /= N;
      }
      mbs_tree_ball_twist(P, e, to + 6 * k);
    }
  } else if (node->count > 0) {
    axis_twist(d, node, P, b);
    mbs_twist_copy(d, b, to);
  }
}

// b' of a node's coordinates, V of the node before being known
MBS_KERNEL void find_rates(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  const mbs_scalar *V_p = mbs_tree_of_parent(tree, node, tree->V, d);
  for (int k = node->first; k < node->first + node->count; ++k) {
    mbs_scalar rate[MBS_LONGEST_TWIST] = {0};
    if (d == 3 && node->kind == MBS_MOTION_BALL) {
      mbs_scalar s[3][3];
      mbs_tree_ball_rates(&tree->at, node, k - node->first, s);
      mbs_tree_ball_twist(tree->P + index * mbs_frame_size(d), s[1], rate);
    }
    mbs_bracket_add(d, 1, V_p, tree->b[0] + k * size, rate);
    mbs_twist_copy(d, rate, tree->b[1] + k * size);
  }
}

MBS_KERNEL void add_velocity(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  mbs_scalar V[MBS_LONGEST_TWIST];
  mbs_twist_copy(d, mbs_tree_of_parent(tree, node, tree->V, d), V);
  mbs_tree_add_axes(tree, node, 0, 1, tree->at.v, V, d);
  mbs_twist_copy(d, V, tree->V + index * mbs_twist_size(d));
}

MBS_KERNEL void add_acceleration(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  mbs_scalar A[MBS_LONGEST_TWIST];
  mbs_twist_copy(d, mbs_tree_of_parent(tree, node, tree->A, d), A);
  for (int k = node->first; k < node->first + node->count; ++k) {
    mbs_twist_add(d, tree->at.a[k], tree->b[0] + k * size, A);
    mbs_twist_add(d, tree->at.v[k], tree->b[1] + k * size, A);
  }
  mbs_twist_copy(d, A, tree->A + index * size);
}

// b'' = [A_p, b] + [V_p, b'], and of a ball the rates of its own axes
MBS_KERNEL void add_second_rates(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  const mbs_scalar *P = tree->P + index * mbs_frame_size(d);
  const mbs_scalar *V_p = mbs_tree_of_parent(tree, node, tree->V, d), *A_p = mbs_tree_of_parent(tree, node, tree->A, d);
  for (int k = 0; k < node->count; ++k) {
    const mbs_scalar *b = tree->b[0] + (node->first + k) * size, *rate = tree->b[1] + (node->first + k) * size;
    mbs_scalar *second = tree->b[2] + (node->first + k) * size;
    mbs_clear(size, second);
    if (d == 3 && node->kind == MBS_MOTION_BALL) {
      mbs_scalar s[3][3], own[6];
      mbs_tree_ball_rates(&tree->at, node, k, s);
      mbs_tree_ball_twist(P, s[2], second);
      mbs_tree_ball_twist(P, s[1], own);
      mbs_bracket_add(3, 1, V_p, own, second);
    }
    mbs_bracket_add(d, 1, A_p, b, second);
    mbs_bracket_add(d, 1, V_p, rate, second);
  }
}

// ---- bodies ----
MBS_KERNEL void place_body(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const mbs_scalar *H = tree->H + index * mbs_frame_size(d);
  for (int e = 0; e < node->body_count; ++e) {
    int first = node->body_first + e * d;
    mbs_scalar *q = tree->local + first;
    if (e == 0) {
      for (int i = 0; i < d; ++i) {
        q[i] = mbs_frame_origin(d, H)[i];
      }
    } else {
      axis_of(d, H, e - 1, q);
    }
    for (int i = 0; i < d; ++i) {
      tree->x.q[first + i] = q[i] + (e == 0 ? tree->near[d * index + i] : 0);
    }
  }
}

MBS_KERNEL void move_body(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  for (int e = 0; e < node->body_count; ++e) {
    int first = node->body_first + e * d;
    mbs_scalar *v = tree->x.v + first;
    mbs_clear(d, v);
    mbs_twist_move(d, e == 0, tree->V + index * mbs_twist_size(d), tree->local + first, v);
  }
}

MBS_KERNEL void accelerate_body(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  for (int e = 0; e < node->body_count; ++e) {
    int first = node->body_first + e * d;
    mbs_scalar *a = tree->x.a + first;
    mbs_clear(d, a);
    mbs_twist_move(d, e == 0, tree->A + index * size, tree->local + first, a);
    mbs_cross_add(d, 1, tree->V + index * size + d, tree->x.v + first, a);
  }
}

// all bodies from a level on: positions (0), velocities (1), accelerations (2)
MBS_KERNEL void follow_bodies(const MbsTree *tree, int level, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    if (level == 0) {
      place_body(tree, i, d);
    }
    if (level <= 1) {
      move_body(tree, i, d);
    }
    accelerate_body(tree, i, d);
  }
}

// ---- all nodes ----
// P, H and b
MBS_KERNEL void place_node(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_frame_size(d);
  mbs_scalar ground[12] = {1, 0, 0, 0, d == 3, 0, 0, 0, d == 3}, *P = tree->P + index * size;
  for (int k = 0; k < d && node->parent < 0; ++k) {
    ground[size - d + k] = -tree->near[d * index + k];
  }
  const mbs_scalar *H = node->parent < 0 ? ground : tree->H + node->parent * size;
  if (node->has_frame) {
    stand(d, node->is_shifted, H, node->frame.value, P);
  } else {
    for (int k = 0; k < size; ++k) {
      P[k] = H[k];
    }
  }
  move(d, node, tree->at.q, P, tree->H + index * size);
  find_axes(tree, index, d);
}

// positions (level 0), velocities (1) and accelerations (2) from `level` on
MBS_KERNEL void follow(const MbsTree *tree, int level, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    if (level == 0) {
      place_node(tree, i, d);
    }
    if (level <= 1) {
      find_rates(tree, i, d);
      add_velocity(tree, i, d);
    }
    add_acceleration(tree, i, d);
  }
}

// the same, V and A by the recursion about centres, which takes the bodies along
MBS_KERNEL void follow_about_centres(const MbsTree *tree, int level, int d) {
  for (int i = 0; i < tree->node_count && level == 0; ++i) {
    place_node(tree, i, d);
    place_body(tree, i, d);
  }
  if (level == 0) {
    mbs_tree_follow_centres(tree, 0);
  }
  if (level <= 1) {
    mbs_tree_follow_centres(tree, 1);
    for (int i = 0; i < tree->node_count; ++i) {
      find_rates(tree, i, d);
    }
  }
  mbs_tree_follow_centres(tree, 2);
}

static double distance(const MbsTree *tree, int a, int b) {
  int d = tree->inner->dimension, size = mbs_frame_size(d);
  double square = 0;
  for (int k = size - d; k < size; ++k) {
    double ahead = mbs_re(tree->H[a * size + k]) - (b < 0 ? 0 : mbs_re(tree->H[b * size + k]));
    square += ahead * ahead;
  }
  return sqrt(square);  // real
}

// the radius of gyration about its frame's origin: the mass matrix of origin and axes has their second moments
static double radius(const MbsMass *mass) {
  const mbs_scalar *ab = mass->block.value;
  double sum = 0, m = mbs_re(ab[0]);
  for (int e = 1; e < mass->count; ++e) {
    sum += mbs_re(ab[2 * (e * mass->count + e)]);
  }
  return m > 0 && sum > 0 ? sqrt(sum / m) : 0;  // real
}

// By coordinate: how much larger than the forces on single bodies the sums that it balances may be. That is the sum of
// the bodies' distances, each of at least the longest step from one frame to the next, or the largest body where frames
// are at one place; that length is returned.
static double measure(MbsTree *tree) {
  double step = 0;
  for (int i = 0; i < tree->node_count; ++i) {
    double ahead = tree->nodes[i].parent >= 0 ? distance(tree, i, tree->nodes[i].parent) : 0;
    double own = tree->nodes[i].mass ? radius(tree->nodes[i].mass) : 0;
    step = ahead > step ? ahead : step;
    step = own > step ? own : step;
  }
  step = step > 0 ? step : 1;
  for (int k = 0; k < tree->coordinate_count; ++k) {
    double sum = k < tree->joint_count ? 0 : 1;
    int node = k < tree->joint_count ? tree->node_of[k] : 0;
    for (int i = node; i < tree->nodes[node].end && k < tree->joint_count; ++i) {
      double arm = tree->nodes[node].kind == MBS_MOTION_SLIDE ? 1 : distance(tree, i, node);
      sum += tree->nodes[i].body_count == 0 ? 0 : arm > step ? arm : step;
    }
    tree->lever[k] = sum > 0 ? sum : 1;
  }
  tree->is_measured = true;
  return step;
}

// The point of each branch: where it stands on the ground. If one is far away, compared with the longest step from one
// frame to the next, then rows take the positions they subtract apart: into `local` and `base`.
static void come_near(MbsTree *tree, double step) {
  int d = tree->inner->dimension, size = mbs_frame_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    int parent = tree->nodes[i].parent;
    for (int k = 0; k < d; ++k) {
      tree->near[d * i + k] =
          parent < 0 ? mbs_re(tree->H[i * size + size - d + k]) : mbs_re(tree->near[d * parent + k]);
      if (tree->nodes[i].body_count > 0) {
        tree->base[tree->nodes[i].body_first + k] = tree->near[d * i + k];
      }
      if (mbs_re(mbs_abs(tree->near[d * i + k])) > 8 * step) {
        tree->x.local = tree->local;
        tree->x.base = tree->base;
      }
    }
  }
  tree->is_known = false;
}

// the lowest level that is not what it was: 0, 1, 2, or 3 where nothing has changed
static int changed_level(const MbsTree *tree, const MbsState *state) {
  const mbs_scalar *const now[] = {state->q, state->v, state->a}, *const then[] = {tree->at.q, tree->at.v, tree->at.a};
  size_t bytes = sizeof(mbs_scalar) * (size_t)(tree->coordinate_count + tree->inner->nq - tree->inner->n);
  int level = tree->is_known ? 0 : -1;
  while (level >= 0 && level < 3 && memcmp(now[level], then[level], bytes) == 0) {
    ++level;
  }
  return level < 0 ? 0 : level;
}

// what is given, and what of it `inner` has as it is
static void copy_level(const MbsTree *tree, const mbs_scalar *from, mbs_scalar *at, mbs_scalar *x) {
  const MbsSystem *inner = tree->inner;
  int n = tree->coordinate_count, fixed = inner->nq - inner->n;
  memcpy(at, from, sizeof(mbs_scalar) * (size_t)(n + fixed));
  for (int i = 0; i < n && tree->has_scalars; ++i) {
    if (tree->scalar[i] >= 0) {
      x[tree->scalar[i]] = from[i];
    }
  }
  for (int i = 0; i < fixed; ++i) {
    x[inner->n + i] = from[n + i];
  }
}

// q = local + base also for what stands on no branch: the model's own coordinates, and the ground
static void split(const MbsTree *tree) {
  const MbsSystem *inner = tree->inner;
  for (int k = 0; k < tree->coordinate_count && tree->has_scalars; ++k) {
    if (tree->scalar[k] >= 0) {
      tree->local[tree->scalar[k]] = tree->x.q[tree->scalar[k]];
    }
  }
  for (int i = inner->n; i < inner->nq; ++i) {
    tree->base[i] = tree->x.q[i];
  }
}

static void follow_level(MbsTree *tree, const MbsState *state, int level) {
  const mbs_scalar *const from[] = {state->q, state->v, state->a};
  mbs_scalar *const at[] = {tree->at.q, tree->at.v, tree->at.a}, *const x[] = {tree->x.q, tree->x.v, tree->x.a};
  for (int i = level; i < 3; ++i) {
    copy_level(tree, from[i], at[i], x[i]);
  }
  if (level == 0 && tree->x.local) {
    split(tree);
  }
  if (tree->is_about_centres) {
    MBS_IN_DIMENSION(tree->inner->dimension, follow_about_centres, tree, level);
  } else {
    MBS_IN_DIMENSION(tree->inner->dimension, follow, tree, level);
  }
  tree->is_known = true;
  tree->has_slopes = false;
  tree->has_inertia &= level > 0;
  tree->body_levels = tree->is_about_centres ? 3 : level < tree->body_levels ? level : tree->body_levels;
}

void mbs_tree_add_slopes(MbsTree *tree) {
  for (int i = 0; i < tree->node_count && !tree->has_slopes; ++i) {
    MBS_IN_DIMENSION(tree->inner->dimension, add_second_rates, tree, i);
  }
  tree->has_slopes = true;
}

void mbs_tree_follow_twists(MbsTree *tree, const MbsState *state, bool with_slopes) {
  int level = changed_level(tree, state);
  if (level < 3 || memcmp(&tree->at.t, &state->t, sizeof state->t) != 0) {
    tree->known_parts = 0;
  }
  tree->at.t = tree->x.t = state->t;
  if (level < 3) {
    follow_level(tree, state, level);
  }
  if (!tree->is_measured) {
    come_near(tree, measure(tree));
    mbs_tree_follow_twists(tree, state, with_slopes);
    return;
  }
  if (with_slopes) {
    mbs_tree_add_slopes(tree);
  }
  tree->x.lambda = state->lambda;
  tree->x.sigma = state->sigma;
  tree->x.kappa = state->kappa;
  tree->x.total = state->total;
}

void mbs_tree_follow_places(MbsTree *tree, const MbsState *state) {
  if (changed_level(tree, state) == 0) {
    mbs_tree_follow_twists(tree, state, false);
  }
}

const MbsState *mbs_tree_follow(MbsTree *tree, const MbsState *state, bool with_slopes) {
  mbs_tree_follow_twists(tree, state, with_slopes);
  if (tree->body_levels < 3) {
    MBS_IN_DIMENSION(tree->inner->dimension, follow_bodies, tree, tree->body_levels);
  }
  tree->body_levels = 3;
  return &tree->x;
}

void mbs_tree_follow_terms(MbsTree *tree, const MbsState *state, bool with_slopes) {
  if (mbs_tree_is_bare(tree)) {
    mbs_tree_follow_twists(tree, state, with_slopes);
  } else {
    (void)mbs_tree_follow(tree, state, with_slopes);
  }
}
