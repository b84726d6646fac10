// A kinematic problem K x = b: constraints, completed by independent coordinates to as many rows as there are
// coordinates.
//     positions     K = [Phi_q; w_q]
//     velocities    K = [Phi_q; A; w_q of those whose rates are independent]
// Where redundant constraints take part K has more rows than columns; then x is the least-squares solution, P3 (17),
// and of the y in K' y = c the smallest is meant. Both come from
//     [ alpha I  K ] [ y ]   [ b ]
//     [ K'       0 ] [ x ] = [ c ]
// which is (K'K) x = K' b without the squared condition, sparse, and one factorisation; solutions are refined once.
#ifndef MBS_PROBLEM_H
#define MBS_PROBLEM_H

#include "algebra/sparse_solver.h"
#include "terms/terms.h"

struct MbsIndependentSet;

// Where entries of K come from, and where they stand in the values of the matrix that is factored.
typedef struct MbsEntry {
  int below, right;    // of a constraint: Phi_q and Phi_q' in the system's matrix
  int column;          // of an independent coordinate's: the coordinate
  int at, transposed;  // of K, and of K' (the bin, where K is square)
} MbsEntry;

typedef struct MbsProblem {
  int row_count;        // n, or more
  int *rows;            // row_count: constraint k, or m + independent k
  const int *row_of;    // 1 + row of the problem, by constraint; 0: not in it
  bool is_overcounted;  // more rows than columns
  int constraint_entry_count;
  MbsEntry *constraint_entries;
  const int *own_start;  // by row, 1 + row_count: entries of independent coordinates
  MbsEntry *own_entries;
  MbsUnfolded *unfolded;  // of a deep tree, instead of these entries: K has further unknowns; else NULL
  MbsPattern pattern;
  MbsSparseSolver *solver;
  mbs_scalar *values;  // of the matrix, and the bin
  mbs_scalar *work;    // row_count + n, twice
} MbsProblem;

// The matrix of a problem whose rows are chosen.
MbsStatus mbs_problem_create(MbsContext *context, const struct MbsIndependentSet *set, MbsProblem *problem);
void mbs_problem_destroy(MbsProblem *problem);

// K at the state, factored; false: its reciprocal condition is not above the least quality. `tangent`: the system's
// matrix of any weights at this state, whose Phi_q' is taken; NULL: Phi_q is evaluated. Where
// independent coordinates are functions of signals, these are evaluated at the state (asserted).
bool mbs_problem_factor(const struct MbsIndependentSet *set, const MbsProblem *problem, const MbsState *state,
                        const mbs_scalar *tangent, double least_quality);

// b (row_count) to x (its first n), or c (its first n) to y (row_count), in place, for `count` of them one after
// another with row_count between them.
void mbs_problem_solve(const MbsProblem *problem, int count, mbs_scalar *b);
void mbs_problem_solve_transposed(const MbsProblem *problem, int count, mbs_scalar *c);

#endif
