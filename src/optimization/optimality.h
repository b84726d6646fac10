// First-order optimality of a design, from exact gradients alone: multipliers of constraints and bounds by least
// squares, and what is left of the gradient. It knows nothing of the search that led there.
//
//     minimise |g + sum_j lambda_j a_j + nu|   lambda_j >= 0 of inequalities at their limits, any of equalities; nu
//     pushes
//                                              parameters off bounds that they are at
// g, a_j: gradients of f and c_j by z = x / scale.
#ifndef MBS_OPTIMALITY_H
#define MBS_OPTIMALITY_H

#include "optimization/design_problem.h"

enum { MBS_NEAR_LIMIT = 10 };  // tolerances of constraints, within which one is at its limit

typedef struct MbsOptimality {
  double residual;      // the largest entry of what is left; NaN: not known
  double *multipliers;  // lambda, of every row
  double *bounds;       // nu, of every parameter
  bool *is_active;      // of every row: it is at its limit
  // between the lines
  double *slopes;    // rows a_j, and behind them g
  double *left;      // g + sum lambda a
  double *basis;     // of the passive rows
  double *triangle;  // their entries in it
  double *solution;
  bool *is_free, *is_passive;
} MbsOptimality;

MbsStatus mbs_optimality_create(MbsContext *context, const MbsDesignProblem *problem, MbsOptimality *optimality);
// Of a point with a gradient. A row is at its limit if it is not further from it than `near`, in its scale.
void mbs_optimality_find(const MbsDesignProblem *problem, const MbsDesignPoint *point, double near,
                         MbsOptimality *optimality);

#endif
