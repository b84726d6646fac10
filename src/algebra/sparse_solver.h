// Sparse LU by SuiteSparse KLU: analyse once, factor again with the same pivots, solve many.
#ifndef MBS_SPARSE_SOLVER_H
#define MBS_SPARSE_SOLVER_H

#include "algebra/pattern.h"
#include "algebra/scalar.h"

typedef struct MbsSparseSolver MbsSparseSolver;

MbsStatus mbs_sparse_solver_create(MbsContext *context, MbsArena *arena, const MbsPattern *pattern,
                                   MbsSparseSolver **solver);
void mbs_sparse_solver_destroy(MbsSparseSolver *solver);  // KLU's own memory; NULL is fine

// Factors the matrix. The pivot order of the first time is kept while it stays sound (its reciprocal
// condition estimate within 1e-4 of that of the last full factorisation, or its reciprocal pivot growth
// above 1e-6); otherwise pivots are chosen anew, for which KLU allocates. False: the matrix is singular (or not finite)
// to working precision, or memory is out, which the arena's context is told.
bool mbs_sparse_solver_factor(MbsSparseSolver *solver, mbs_scalar *values);

// From now on pivots are kept only while they lose next to nothing (1e-2 and 1e-3 above): for matrices whose solutions
// are not iterated upon. And the order of elimination is AMD's, which costs fewer digits where rows are redundant.
// Before the first factors.
void mbs_sparse_solver_demand_digits(MbsSparseSolver *solver);

// The same with pivots chosen anew.
bool mbs_sparse_solver_factor_anew(MbsSparseSolver *solver, mbs_scalar *values);

// Which of the choices of pivots made so far is in use, from 0; and back to one of them, for factors to come: what is
// then factored again, in the same order, has the same factors to the last bit (if there were not more than 16
// choices).
int mbs_sparse_solver_pivots(const MbsSparseSolver *solver);
void mbs_sparse_solver_use_pivots(MbsSparseSolver *solver, int choice);

// As a new one, for a matrix that is not the first of the choices; with that one the choices are met again. So what a
// run computes depends on its own matrices alone, and not on those of runs before it.
void mbs_sparse_solver_forget(MbsSparseSolver *solver);

// In place, for `count` right-hand sides stored one after another. A x = b, or A' x = b.
void mbs_sparse_solver_solve(MbsSparseSolver *solver, int count, mbs_scalar *b);
void mbs_sparse_solver_solve_transposed(MbsSparseSolver *solver, int count, mbs_scalar *b);

// Estimate of min |u_ii| / max |u_ii| of the last factorisation.
double mbs_sparse_solver_quality(const MbsSparseSolver *solver);

// Estimate of the condition number in the 1-norm, for the matrix of the last factorisation; some solves' work.
double mbs_sparse_solver_condition(MbsSparseSolver *solver, mbs_scalar *values);

#endif
