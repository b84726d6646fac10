// Which coordinates complete independent rows to a square matrix, well conditioned.
//
// One after the other the coordinate whose unit vector is farthest from the span of the rows and of the coordinates
// chosen before. With P the projection on the space no row sees, that is the largest diagonal entry of P, after which
// P loses the direction of that coordinate: Cholesky's factorisation of P with pivots on the diagonal,
//     c = P e_i / sqrt(P_ii),   P <- P - c c',
// without P: its columns come from the saddle system of the rows, each at the cost of two sparse solves.
#ifndef MBS_COMPLEMENT_H
#define MBS_COMPLEMENT_H

#include "algebra/rank.h"

// `rank` has taken these rows, which are all independent. chosen: columns - rows of them.
MbsStatus mbs_complement_choose(MbsContext *context, const MbsSparseRows *rows, const MbsRank *rank, int *chosen);

#endif
