// Eigenvalues of dense matrices and solutions with complex ones, by LAPACK; plain doubles, in the double build alone.
// Matrices by rows.
#ifndef MBS_EIGENVALUES_H
#define MBS_EIGENVALUES_H

#include <complex.h>

#include "base/arena.h"

// A x = w x, y^H A = w y^H, |x| = |y| = 1. values: n; left, right: n x n, vector k in row k; both may be NULL. In
// ascending order of |w|, of a pair that with the positive imaginary part first.
MbsStatus mbs_eigenvalues(MbsContext *context, MbsArena *scratch, int n, const double *A, double _Complex *values,
                          double _Complex *left, double _Complex *right);
// Those of a complex matrix, in no order.
MbsStatus mbs_complex_eigenvalues(MbsContext *context, MbsArena *scratch, int n, const double _Complex *A,
                                  double _Complex *values);
// Solves A x = b in place for `count` right-hand sides, b[i * count + k]; is_singular: a pivot vanished, and b is of no
// use.
MbsStatus mbs_complex_solve(MbsContext *context, MbsArena *scratch, int n, const double _Complex *A, int count,
                            double _Complex *b, bool *is_singular);

#endif
