// Elimination of a small sparse matrix as a program: pivots, fill and the places of all operands are found once, for
// the values of a first matrix, and further matrices of the same pattern run through lists of positions.
//
// Pivots are Markowitz's: of the entries that are not small in their column, the one whose row and column have the
// fewest others, off the diagonal too. On [T B'; B 0], whose multipliers have nothing on the diagonal, that is an
// entry of B as often as one of T: constraints of a body are used up within it. AMD and COLAMD, which know entries of
// the diagonal or none, fill in twice as much on a vehicle, at six times the operations.
//
// What is exactly zero on the diagonal of the first matrix is no entry: in the pattern it is there for a relaxation
// (-epsilon), and would cost most of what the order saves. A matrix that has something there is refused.
#ifndef MBS_ELIMINATION_H
#define MBS_ELIMINATION_H

#include <stdbool.h>

#include "algebra/scalar.h"

typedef struct MbsElimination MbsElimination;

// Compressed columns. NULL: the matrix is singular, too large, takes more than `most` products, or memory is out, which
// `is_out` tells. Has memory of its own; it begins without factors.
MbsElimination *mbs_elimination_create(int size, const int *column_start, const int *row, const mbs_scalar *values,
                                       double most, bool *is_out);
void mbs_elimination_destroy(MbsElimination *elimination);  // NULL is fine

// May a matrix of these values be factored?
bool mbs_elimination_accepts(const MbsElimination *elimination, const mbs_scalar *values);
// False: a pivot is zero or not finite.
bool mbs_elimination_factor(MbsElimination *elimination, const mbs_scalar *values);
// min |pivot| / max |pivot|, rows counted in the largest entries they had at the beginning.
double mbs_elimination_quality(const MbsElimination *elimination);
// Over all columns the least of the largest entry before over the largest of U.
double mbs_elimination_growth(const MbsElimination *elimination, const mbs_scalar *values);
// Estimate of the condition number in the 1-norm, of the matrix that was factored last; some solutions' work.
double mbs_elimination_condition(MbsElimination *elimination, const mbs_scalar *values);
// In place, `count` right-hand sides one after another.
void mbs_elimination_solve(MbsElimination *elimination, int count, mbs_scalar *b);
void mbs_elimination_solve_transposed(MbsElimination *elimination, int count, mbs_scalar *b);

#endif
