// Least squares with the rows A of a sparse matrix, by one sparse factorisation of
//
//     [ I   A'   ] [ x ]   [ b ]
//     [ A  -mu I ] [ y ] = [ c ].
//
// mu = 0, c = 0:  x is the part of b that no row of A sees, (I - A' (A A')^-1 A) b; the rows must be independent
// mu > 0, b = 0:  x = (A' A + mu I)^-1 A' c, Levenberg and Marquardt's step; any rows
// Sparse even where A A' or A' A is not, and without their squared condition. Rows of about the same length serve best.
#ifndef MBS_SADDLE_H
#define MBS_SADDLE_H

#include <stdbool.h>

#include "algebra/scalar.h"
#include "algebra/sparse_rows.h"
#include "base/arena.h"

typedef struct MbsSaddle MbsSaddle;

// For the pattern of `rows`, which must live as long as the arena.
MbsStatus mbs_saddle_create(MbsContext *context, MbsArena *arena, const MbsSparseRows *rows, MbsSaddle **saddle);
void mbs_saddle_destroy(MbsSaddle *saddle);  // memory of the solver; NULL is fine

// For the present values of the rows. False: singular.
bool mbs_saddle_factor(MbsSaddle *saddle, double mu);
// b (columns) to x, with c = 0; b may be x.
void mbs_saddle_project(MbsSaddle *saddle, const double *b, double *x);
// c (rows) to x, with b = 0.
void mbs_saddle_least_squares(MbsSaddle *saddle, const double *c, double *x);

#endif
