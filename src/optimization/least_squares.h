// Nonlinear least squares between bounds: the smallest |r(x)|^2, l <= x <= u, from residuals and their exact
// derivatives.
#ifndef MBS_LEAST_SQUARES_H
#define MBS_LEAST_SQUARES_H

#include "base/arena.h"

typedef struct MbsLeastSquares {
  int parameter_count;
  long residual_count;
  const double *lower, *upper;  // -HUGE_VAL, HUGE_VAL: none
  const double *scale;          // what a large change of a parameter is
  double tolerance;             // how far from the minimum it may end, in radii of the region of confidence
  double rounding;              // |r| below this is rounding
  int iterations;               // at most
  // r: residuals; J: their derivatives, parameter by parameter. What fails numerically, or finds the parameters without
  // meaning, is a step that is not taken; any other failure ends the search.
  MbsStatus (*evaluate)(void *user, MbsContext *context, const double *x, double *r, double *J);
  // After each iteration; false: it ends there. May be NULL.
  bool (*report)(void *user, int iteration, const double *x, double value, bool is_accepted);
  void *user;
} MbsLeastSquares;

typedef enum MbsLeastSquaresEnd {
  MBS_LEAST_SQUARES_FOUND,   // nothing nearby is smaller
  MBS_LEAST_SQUARES_EXACT,   // what is left is rounding
  MBS_LEAST_SQUARES_STUCK,   // derivatives say that it falls, but it does not, however short the step
  MBS_LEAST_SQUARES_FAILED,  // the same, and the model fails there
  MBS_LEAST_SQUARES_ENOUGH,  // as many iterations as are allowed
  MBS_LEAST_SQUARES_STOPPED  // by report, or a run was interrupted
} MbsLeastSquaresEnd;

typedef struct MbsLeastSquaresResult {
  MbsLeastSquaresEnd end;
  double value;  // |r|^2
  double *r, *J;
  int iterations, evaluations, failures;
} MbsLeastSquaresResult;

// From x, which must lie between the bounds, to the best that was found. A failure there, at the start, is one of the
// whole.
MbsStatus mbs_least_squares(MbsContext *context, MbsArena *arena, const MbsLeastSquares *problem, double *x,
                            MbsLeastSquaresResult *result);

// R of [J r] = Q [R b; 0 rest]: columns of R are n long, one after the other, upper triangular; b has n numbers.
// J and r stay.
MbsStatus mbs_least_squares_triangle(MbsContext *context, MbsArena *arena, long residual_count, int n, const double *J,
                                     const double *r, double *R, double *b);

#endif
