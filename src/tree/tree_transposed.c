// Products with the transpose in the tree's coordinates: the passes of tree_columns.c in reverse. A b behind a symbol:
// the derivative of the final number S with respect to it. With a wrench-like eta_b of each twist,
//     eta_b   = wrench of (x, x_b) + moments of (v, v_b), (a, a_b)          and those of all that stands on the node
//     eta'_b  = wrench of (x, v_b) + 2 moments of (v, a_b),   eta''_b = wrench of (x, a_b)
//     z_b += b.eta_b + b'.eta'_b + b''.eta''_b,  z'_b += b.eta'_b + 2 b'.eta''_b,  z''_b += b.eta''_b
// and for S = mu.f_z = (xi.x).f with the twists xi of mu, what turns the axes: [eta_P, b mu].W. Inertia and weight of
// the bodies give eta_b, eta'_b, eta''_b at once: tree_inertia.c.
#include <string.h>

#include "tree/tree_ball.h"
#include "tree/tree_inertia.h"

// ---- the numbers of a node's frame ----
// g: of gamma. lin = o' - omega x o with o' = H F_o', omega = 1/2 sum a x a' with a' = H F_a'
MBS_KERNEL void frame_bar(const MbsTree *tree, int index, const mbs_scalar *g, mbs_scalar *coefficients, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  const mbs_scalar *H = mbs_tree_frame_before(tree, node, d);
  const mbs_scalar *P = tree->P + index * mbs_frame_size(d);
  const int *at = node->frame.index;
  mbs_scalar omega[3] = {0};
  mbs_moment_add(d, mbs_frame_origin(d, P), g, omega);
  for (int k = 0; k < mbs_twist_size(d) - d; ++k) {
    omega[k] = g[d + k] - omega[k];
  }
  if (d == 2) {
    mbs_scalar c = -omega[0] * P[1], s = omega[0] * P[0];
    coefficients[at[0]] += H[0] * c + H[1] * s;
    coefficients[at[1]] += H[0] * s - H[1] * c;
    coefficients[at[2]] += H[0] * g[0] + H[1] * g[1];
    coefficients[at[3]] += H[0] * g[1] - H[1] * g[0];
    return;
  }
  for (int j = node->is_shifted ? 3 : 0; j < 4; ++j) {
    mbs_scalar a[3] = {0};
    if (j < 3) {
      mbs_cross_add(3, 0.5, omega, P + 3 * j, a);
    }
    const mbs_scalar *bar = j < 3 ? a : g;
    for (int k = 0; k < 3; ++k) {
      coefficients[at[3 * j + k]] += H[3 * k] * bar[0] + H[3 * k + 1] * bar[1] + H[3 * k + 2] * bar[2];
    }
  }
}

// from eta_P, eta', eta'' to gamma: gamma' = [V_p, gamma], gamma'' = [A_p, gamma] + [V_p, gamma']
MBS_KERNEL void stand_bar(const MbsTree *tree, int index, mbs_scalar *coefficients, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  const mbs_scalar *V_p = mbs_tree_of_parent(tree, node, tree->V, d);
  const mbs_scalar *A_p = mbs_tree_of_parent(tree, node, tree->A, d);
  mbs_scalar g[MBS_LONGEST_TWIST], first[MBS_LONGEST_TWIST];
  mbs_twist_copy(d, tree->bar[0] + index * size, g);
  mbs_twist_copy(d, tree->bar[1] + index * size, first);
  mbs_bracket_transposed(d, -1, V_p, tree->bar[2] + index * size, first);
  mbs_bracket_transposed(d, -1, V_p, first, g);
  mbs_bracket_transposed(d, -1, A_p, tree->bar[2] + index * size, g);
  frame_bar(tree, index, g, coefficients, d);
}

// ---- bodies and coordinates ----
// Has anything been added to the derivatives with respect to a body's coordinates?
MBS_KERNEL bool is_reached(const MbsTree *tree, const MbsTreeNode *node, int d) {
  const MbsStateBar *bar = &tree->x_bar;
  bool is = false;
  for (int k = node->body_first; k < node->body_first + d * node->body_count; ++k) {
    is |= bar->q[k] != 0 || bar->v[k] != 0 || bar->a[k] != 0;
  }
  return is;
}

MBS_KERNEL void body_bar(const MbsTree *tree, int index, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  mbs_scalar *bar[3] = {tree->bar[0] + index * size, tree->bar[1] + index * size, tree->bar[2] + index * size};
  for (int e = 0; e < node->body_count; ++e) {
    int first = node->body_first + e * d;
    const mbs_scalar *q = tree->local + first, *v = tree->x.v + first, *a = tree->x.a + first;
    const mbs_scalar *q_bar = tree->x_bar.q + first, *v_bar = tree->x_bar.v + first, *a_bar = tree->x_bar.a + first;
    mbs_twist_move_transposed(d, e == 0, q, q_bar, bar[0]);
    mbs_moment_add(d, v, v_bar, bar[0] + d);
    mbs_moment_add(d, a, a_bar, bar[0] + d);
    mbs_twist_move_transposed(d, e == 0, q, v_bar, bar[1]);
    mbs_moment_add(d, v, a_bar, bar[1] + d);
    mbs_moment_add(d, v, a_bar, bar[1] + d);
    mbs_twist_move_transposed(d, e == 0, q, a_bar, bar[2]);
  }
}

// if it is wanted
MBS_KERNEL void add_where(mbs_scalar *to, int k, mbs_scalar value) {
  if (to) {
    to[k] += value;
  }
}

MBS_KERNEL void node_bar(const MbsTree *tree, int index, const MbsStateBar *to, int d) {
  const MbsTreeNode *node = &tree->nodes[index];
  int size = mbs_twist_size(d);
  const mbs_scalar *bar[3] = {tree->bar[0] + index * size, tree->bar[1] + index * size, tree->bar[2] + index * size};
  for (int k = node->first; k < node->first + node->count; ++k) {
    const mbs_scalar *b[3] = {tree->b[0] + k * size, tree->b[1] + k * size, tree->b[2] + k * size};
    mbs_scalar q = 0, v = 0, a = 0;
    for (int i = 0; i < size; ++i) {
      q += b[0][i] * bar[0][i] + b[1][i] * bar[1][i] + b[2][i] * bar[2][i];
      v += b[0][i] * bar[1][i] + 2 * b[1][i] * bar[2][i];
      a += b[0][i] * bar[2][i];
    }
    add_where(to->q, k, q);
    add_where(to->v, k, v);
    add_where(to->a, k, a);
  }
}

MBS_KERNEL void in(const MbsTree *tree, const MbsStateBar *to, int d) {
  int size = mbs_twist_size(d);
  for (int i = tree->node_count - 1; i >= 0; --i) {
    const MbsTreeNode *node = &tree->nodes[i];
    if (is_reached(tree, node, d)) {
      body_bar(tree, i, d);
    }
    node_bar(tree, i, to, d);
    mbs_twist_add(d, 1, tree->bar_P + i * size, tree->bar[0] + i * size);
    if (to->coefficients && node->has_frame && node->is_changing) {
      stand_bar(tree, i, to->coefficients, d);
    }
    for (int level = 0; level < 3 && node->parent >= 0; ++level) {
      mbs_twist_add(d, 1, tree->bar[level] + i * size, tree->bar[level] + node->parent * size);
    }
  }
}

MbsStateBar mbs_tree_begin_bar(const MbsSystem *system, const MbsStateBar *bar) {
  const MbsTree *tree = system->tree;
  MbsStateBar inner = *bar;
  inner.q = tree->x_bar.q;
  inner.v = tree->x_bar.v;
  inner.a = tree->x_bar.a;
  size_t points = sizeof *inner.q * (size_t)tree->inner->nq;
  size_t twists = sizeof *inner.q * (size_t)(tree->node_count * mbs_twist_size(tree->inner->dimension));
  memset(inner.q, 0, points);
  memset(inner.v, 0, points);
  memset(inner.a, 0, points);
  for (int level = 0; level < 3; ++level) {
    memset(tree->bar[level], 0, twists);
  }
  memset(tree->bar_P, 0, twists);
  return inner;
}

void mbs_tree_end_bar(const MbsSystem *system, const MbsStateBar *bar) {
  const MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  mbs_tree_add_slopes(system->tree);
  MBS_IN_DIMENSION(inner->dimension, in, tree, bar);
  for (int i = 0; i < system->nq; ++i) {
    int at = i < system->n ? tree->scalar[i] : inner->n + i - system->n;
    if (at >= 0) {
      add_where(bar->q, i, tree->x_bar.q[at]);
      add_where(bar->v, i, tree->x_bar.v[at]);
      add_where(bar->a, i, tree->x_bar.a[at]);
    }
  }
}

// ---- S = (xi.x).f: how it changes with the axes that make xi of u, and with x ----
MBS_KERNEL void axes_bar(const MbsTree *tree, const mbs_scalar *W, const mbs_scalar *u, mbs_scalar *z_bar, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    mbs_scalar own[MBS_LONGEST_TWIST] = {0};
    mbs_tree_add_axes(tree, node, 0, 1, u, own, d);
    for (int l = 0; l < node->count && d == 3 && node->kind == MBS_MOTION_BALL && z_bar; ++l) {
      const mbs_scalar unit[4] = {l == 0, l == 1, l == 2, l == 3};
      mbs_scalar slope[3], moment[3];
      mbs_tree_ball_slope(tree->at.q + node->first, u + node->first, unit, slope);
      mbs_tree_ball_moment(tree->P + 12 * i, W + i * size, moment);
      z_bar[node->first + l] += mbs_dot(3, slope, moment);
    }
    if (node->count > 0) {
      mbs_bracket_transposed(d, 1, own, W + i * size, tree->bar_P + i * size);
    }
  }
}

// f stays as it is while the points it acts on move
MBS_KERNEL void points_bar(const MbsTree *tree, const mbs_scalar *xi, int d) {
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    for (int e = 0; e < node->body_count && mbs_tree_has_forces(tree, i); ++e) {
      int first = node->body_first + e * d;
      mbs_cross_add(d, -1, xi + i * mbs_twist_size(d) + d, tree->f + first, tree->x_bar.q + first);
    }
  }
}

void mbs_tree_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                         const mbs_scalar *mu, const mbs_scalar *const nu[3], const MbsStateBar *bar) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  const MbsState *x = mbs_tree_follow(tree, state, true);
  const MbsStateBar inner_bar = mbs_tree_begin_bar(system, bar);
  mbs_scalar *xi = tree->eta[0], *y = tree->y[0];
  mbs_tree_balance(tree, parts);
  mbs_tree_spread(tree, mu, xi, y);
  if (parts & MBS_PART_BALANCE) {
    mbs_tree_bodies_transposed(tree, xi);
  }
  for (int i = 0; i < inner->mass_count && (parts & MBS_PART_BALANCE); ++i) {
    if (!inner->masses[i].is_scalar) {
      mbs_mass_coefficients_transposed(inner, &inner->masses[i], x, y, bar->coefficients);
    }
  }
  if (!mbs_tree_is_bare(tree)) {
    mbs_natural_light_transposed(inner, x, weights, parts, y, nu, &inner_bar);
  }
  MBS_IN_DIMENSION(inner->dimension, points_bar, tree, xi);
  MBS_IN_DIMENSION(inner->dimension, axes_bar, tree, tree->W, mu, bar->q);
  mbs_tree_end_bar(system, bar);
}

// ---- S = mu.M u = sum of xi_mu.I xi_u, the same with mu and u exchanged ----
// h = I xi of each body, W = the sum of h over all that stands on a node: with the inertia carried along
//     S' = sum of xi_mu'.h_u - [eta, xi_mu].h_u + the same exchanged,     xi' = sum of [eta_P, b] mu
MBS_KERNEL void mass_side(const MbsTree *tree, const mbs_scalar *xi, const mbs_scalar *of, const mbs_scalar *mu,
                          mbs_scalar *W, mbs_scalar *z_bar, int d) {
  int size = mbs_twist_size(d);
  for (int i = 0; i < tree->node_count; ++i) {
    mbs_scalar h[MBS_LONGEST_TWIST] = {0};
    if (mbs_tree_mass_of(tree, i)) {
      mbs_tree_inertia_times(&tree->inertia[i], of + i * size, h, d);
      mbs_bracket_transposed(d, -1, xi + i * size, h, tree->bar[0] + i * size);
    }
    mbs_twist_copy(d, h, W + i * size);
  }
  mbs_tree_add_to_parents(tree, W, d);
  axes_bar(tree, W, mu, z_bar, d);
}

void mbs_tree_mass_transposed(const MbsSystem *system, const MbsState *state, const MbsCombination *c,
                              const mbs_scalar *u, const mbs_scalar *mu, const MbsStateBar *bar) {
  (void)c;  // P is M: settings refuse the other one
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  (void)mbs_tree_follow(tree, state, true);
  mbs_tree_find_inertia(tree);
  (void)mbs_tree_begin_bar(system, bar);
  for (int i = inner->n; i < inner->nq; ++i) {
    tree->y[0][i] = tree->y[1][i] = 0;
  }
  mbs_tree_spread(tree, u, tree->eta[0], tree->y[0]);
  mbs_tree_spread(tree, mu, tree->eta[1], tree->y[1]);
  for (int i = 0; i < inner->mass_count; ++i) {
    mbs_mass_coefficient_adjoint(inner, &inner->masses[i], tree->y[0], tree->y[1], bar->coefficients);
  }
  for (int side = 0; side < 2; ++side) {
    const mbs_scalar *xi = tree->eta[1 - side], *of = tree->eta[side], *by = side == 0 ? mu : u;
    MBS_IN_DIMENSION(inner->dimension, mass_side, tree, xi, of, by, tree->dW, bar->q);
  }
  mbs_tree_end_bar(system, bar);
}
