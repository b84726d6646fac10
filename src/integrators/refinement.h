// Solutions of S z = b, S = [T B'; B 0], and of its transpose, by factors of S or of the relaxed [T B'; B -epsilon]:
//     z = z_0 + z_1 + ...,   S_epsilon z_0 = b,   S_epsilon z_{k+1} = -(0, epsilon lambda part of z_k)
// where b and z may be several blocks (v, lambda) one after another, as the stages of a method that are solved for
// together have them. Each shrinks by a factor of the size of epsilon over B T^-1 B': one or two suffice where epsilon
// is small. Redundant rows are no obstacle; what they leave open of lambda stays in the range of B. Where no row is
// redundant S itself is factored, one solution instead of two or three, but near positions where rows become dependent.
#ifndef MBS_REFINEMENT_H
#define MBS_REFINEMENT_H

#include "algebra/sparse_solver.h"
#include "terms/terms.h"

typedef struct MbsRefinement {
  const MbsSystem *system;
  MbsSparseSolver *solver;
  int blocks;           // of n + m unknowns each, in a right-hand side
  double *epsilon;      // m: relaxation of each row
  int *diagonal;        // blocks x m: its place in the matrix
  bool is_relaxed;      // the factors are those of S_epsilon
  double best_quality;  // of the factors of S so far
  mbs_scalar *change;   // blocks x (n + m) x columns
} MbsRefinement;

// pattern: of the matrix that the solver factors.
MbsStatus mbs_refinement_create(MbsContext *context, const MbsSystem *system, int blocks, const MbsPattern *pattern,
                                MbsSparseSolver *solver, MbsRefinement *refinement);

// Factors S, of which `values` are the entries; or S_epsilon where S is singular or nearly so. False: that is, too.
bool mbs_refinement_factor(MbsRefinement *refinement, mbs_scalar *values);

// In place, for `count` right-hand sides one after another: b becomes z.
void mbs_refine(const MbsRefinement *refinement, int count, mbs_scalar *b);
void mbs_refine_transposed(const MbsRefinement *refinement, mbs_scalar *b);

#endif
