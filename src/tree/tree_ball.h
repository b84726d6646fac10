// The joint whose coordinates are Euler parameters p: R(p) and omega = 2 E(p) p' / p.p in the frame it stands on, for p
// of any length; with s_k = 2 E_k / p.p its axes are b_k = Ad(P) (0, s_k), which turn with p itself. See tree.h, which
// has mbs_tree_ball_slope.
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

#endif
