// One search by NLopt, behind one function: no other file knows of that library.
//
// Its quirks, and who takes care of them: it has no iterations to look at (search.c counts designs that became better),
// no multipliers (optimality.c), evaluates the same point again for the gradient (the caller keeps the last one), ends
// L-BFGS with "failure" where the line search can no further, which at an optimum is the rule, steps on from numbers
// that are none, and of a minimum at zero tests changes relative to it (search.c has a test of the gradient).
#ifndef MBS_NLOPT_SEARCH_H
#define MBS_NLOPT_SEARCH_H

#include <stdbool.h>

#include "model/design.h"

// Scaled: f, its gradient, rows of constraints c <= 0 or = 0 and their gradients, rows x n. NULL where there are none.
typedef struct MbsScaledValues {
  double f;
  const double *slope, *rows, *row_slopes;
} MbsScaledValues;

typedef struct MbsNloptSearch {
  MbsAlgorithm algorithm;
  int n, row_count;
  const bool *is_equality;      // of each row
  const double *lower, *upper;  // of z
  double tolerance;             // of a step: of the value, and of z
  const double *tolerances;     // row_count: how far rows may be off
  double first_step;            // of z, of cobyla
  // false: end the search
  bool (*evaluate)(void *user, const double *z, MbsScaledValues *values);
  void *user;
} MbsNloptSearch;

typedef enum MbsNloptEnd {
  MBS_NLOPT_CONVERGED,  // by its own tests
  MBS_NLOPT_STUCK,      // it could no further: rounding, or a failure of its own
  MBS_NLOPT_STOPPED,    // by evaluate
  MBS_NLOPT_OUT_OF_MEMORY,
  MBS_NLOPT_REFUSED  // it does not take the problem
} MbsNloptEnd;

// From z on, which is the last point then.
MbsNloptEnd mbs_nlopt_search(const MbsNloptSearch *search, double *z);

#endif
