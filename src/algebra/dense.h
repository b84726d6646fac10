// A small dense matrix, factored by Gauss with pivots in the column. Rows one after the other.
#ifndef MBS_DENSE_H
#define MBS_DENSE_H

#include "algebra/scalar.h"

// In place; pivot: n. False: singular, or not finite.
bool mbs_dense_factor(int n, mbs_scalar *J, int *pivot);
// b = J^-1 b, and b = J^-T b
void mbs_dense_solve(int n, const mbs_scalar *J, const int *pivot, mbs_scalar *b);
void mbs_dense_solve_transposed(int n, const mbs_scalar *J, const int *pivot, mbs_scalar *b);

#endif
