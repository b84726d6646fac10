// The joint whose coordinates are Euler parameters p: R(p) and omega = 2 E(p) p' / p.p in the frame it stands on, for p
// of any length; with s_k = 2 E_k / p.p its axes are b_k = Ad(P) (0, s_k), which turn with p itself. See tree.h.
#ifndef MBS_TREE_BALL_H
#define MBS_TREE_BALL_H

#include "tree/tree.h"

// t = Ad(P) of a rotation about the origin of P with the angular velocity s in its axes.
void mbs_tree_ball_twist(const mbs_scalar *P, const mbs_scalar s[3], mbs_scalar *t);
// e = 2 E_k(p): what a change of p_k alone adds to the angular velocity, times p.p.
void mbs_tree_ball_column(const mbs_scalar *p, int k, mbs_scalar e[3]);
// H = P R(p)
void mbs_tree_move_ball(const mbs_scalar *P, const mbs_scalar *p, mbs_scalar *H);
// s_k, s_k', s_k''
void mbs_tree_ball_rates(const MbsState *at, const MbsTreeNode *node, int k, mbs_scalar s[3][3]);
// s' (in the axes of P) = how the sum of u_k s_k changes with p as X; u, X: 4.
void mbs_tree_ball_slope(const mbs_scalar *p, const mbs_scalar *u, const mbs_scalar *X, mbs_scalar slope[3]);
// moment: t.W = s.moment for t = Ad(P) (0, s).
void mbs_tree_ball_moment(const mbs_scalar *P, const mbs_scalar *W, mbs_scalar moment[3]);
// The derivative of b_k of a ball with respect to its parameter l, times a wrench.
mbs_scalar mbs_tree_ball_work(const MbsTree *tree, int index, int k, int l, const mbs_scalar *W);

#endif
