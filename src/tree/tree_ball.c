// The joint whose coordinates are Euler parameters. See tree_ball.h.
#include "tree/tree_ball.h"

void mbs_tree_ball_twist(const mbs_scalar *P, const mbs_scalar s[3], mbs_scalar *t) {
  for (int i = 0; i < 3; ++i) {
    t[3 + i] = P[i] * s[0] + P[3 + i] * s[1] + P[6 + i] * s[2];
    t[i] = 0;
  }
  mbs_cross_add(3, -1, t + 3, P + 9, t);
}

void mbs_tree_ball_column(const mbs_scalar *p, int k, mbs_scalar e[3]) {
  for (int i = 0; i < 3; ++i) {
    e[i] = k == 0 ? -2 * p[1 + i] : 0;
  }
  if (k > 0) {
    int i = k % 3, j = (k + 1) % 3;  // pv x e_{k-1}
    e[k - 1] = 2 * p[0];
    e[i] = 2 * p[1 + j];
    e[j] = -2 * p[1 + i];
  }
}

void mbs_system_ball_column(const mbs_scalar *p, int k, mbs_scalar e[3]) { mbs_tree_ball_column(p, k, e); }

// R v = v + 2/p.p (p0 pv x v + pv x (pv x v)) of each axis
void mbs_tree_move_ball(const mbs_scalar *P, const mbs_scalar *p, mbs_scalar *H) {
  mbs_scalar scale = 2 / mbs_dot(4, p, p);
  for (int j = 0; j < 3; ++j) {
    mbs_scalar once[3] = {0}, twice[3] = {0}, e[3] = {j == 0, j == 1, j == 2};
    mbs_cross_add(3, 1, p + 1, e, once);
    mbs_cross_add(3, 1, p + 1, once, twice);
    for (int i = 0; i < 3; ++i) {
      e[i] += scale * (p[0] * once[i] + twice[i]);
    }
    for (int i = 0; i < 3; ++i) {
      H[3 * j + i] = P[i] * e[0] + P[3 + i] * e[1] + P[6 + i] * e[2];
    }
  }
  for (int i = 0; i < 3; ++i) {
    H[9 + i] = P[9 + i];
  }
}

// s = e / N with N = p.p, by the quotient rule
void mbs_tree_ball_rates(const MbsState *at, const MbsTreeNode *node, int k, mbs_scalar s[3][3]) {
  const mbs_scalar *p = at->q + node->first, *v = at->v + node->first, *a = at->a + node->first;
  mbs_scalar N = mbs_dot(4, p, p), N1 = 2 * mbs_dot(4, p, v), N2 = 2 * (mbs_dot(4, v, v) + mbs_dot(4, p, a)), e[3][3];
  mbs_tree_ball_column(p, k, e[0]);
  mbs_tree_ball_column(v, k, e[1]);
  mbs_tree_ball_column(a, k, e[2]);
  for (int i = 0; i < 3; ++i) {
    s[0][i] = e[0][i] / N;
    s[1][i] = (e[1][i] - s[0][i] * N1) / N;
    s[2][i] = (e[2][i] - 2 * s[1][i] * N1 - s[0][i] * N2) / N;
  }
}

// sum of u_k e_k(x) = 2 (x0 u - u0 x + x cross u), of the vector parts
static void add_up(const mbs_scalar *x, const mbs_scalar *u, mbs_scalar e[3]) {
  for (int i = 0; i < 3; ++i) {
    e[i] = 2 * (x[0] * u[1 + i] - u[0] * x[1 + i]);
  }
  mbs_cross_add(3, 2, x + 1, u + 1, e);
}

// s_k = e_k(p)/N is linear in e, which is linear in p: s' = (e(X) - s N')/N, N' = 2 p.X
void mbs_tree_ball_slope(const mbs_scalar *p, const mbs_scalar *u, const mbs_scalar *X, mbs_scalar slope[3]) {
  mbs_scalar N = mbs_dot(4, p, p), change = 2 * mbs_dot(4, p, X) / N, e[3];
  add_up(X, u, slope);
  add_up(p, u, e);
  for (int i = 0; i < 3; ++i) {
    slope[i] = (slope[i] - change * e[i]) / N;
  }
}

// t.W = ang.(M - o x F) for t = (o x ang, ang), ang = P s
void mbs_tree_ball_moment(const mbs_scalar *P, const mbs_scalar *W, mbs_scalar moment[3]) {
  mbs_scalar M[3] = {W[3], W[4], W[5]};
  mbs_cross_add(3, -1, P + 9, W, M);
  for (int k = 0; k < 3; ++k) {
    moment[k] = mbs_dot(3, P + 3 * k, M);
  }
}

mbs_scalar mbs_tree_ball_work(const MbsTree *tree, int index, int k, int l, const mbs_scalar *W) {
  const mbs_scalar u[4] = {k == 0, k == 1, k == 2, k == 3}, X[4] = {l == 0, l == 1, l == 2, l == 3};
  mbs_scalar slope[3], moment[3];
  mbs_tree_ball_slope(tree->at.q + tree->nodes[index].first, u, X, slope);
  mbs_tree_ball_moment(tree->P + 12 * index, W, moment);
  return mbs_dot(3, slope, moment);
}
