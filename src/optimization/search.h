// The search for a better design from one start: what NLopt needs of the model, the best design so far, the tests that
// end it, and what happens to designs that cannot be simulated.
//
// NLopt works on z = x / scale and on f times a factor that makes its first step, along -g by the length of g, one of
// 2|f|/|g| (which leads to the minimum of a sum of squares that vanishes there), between a hundredth and three tenths
// of the scales. A design that cannot be simulated ends its line search: the search begins again from the best design
// in a box half as large as the step that failed; where it ends at the wall of such a box, in one twice as large.
//
// Runs whose steps or events are found on the way are repeated on the path of the best design
// (mbs_simulator_keep_path), which is found anew at each better one. What NLopt is given is shifted by what that
// changed there, so that it sees a continuous function.
#ifndef MBS_SEARCH_H
#define MBS_SEARCH_H

#include "optimization/design_problem.h"
#include "optimization/journal.h"
#include "optimization/optimality.h"

typedef enum MbsSearchEnd {
  MBS_SEARCH_GOES_ON,
  MBS_SEARCH_CONVERGED,  // first-order optimality
  MBS_SEARCH_SMALL,      // steps change too little
  MBS_SEARCH_STUCK,      // nothing better near, though it is not optimal
  MBS_SEARCH_TARGET,
  MBS_SEARCH_EVALUATIONS,
  MBS_SEARCH_REJECTED,  // a design could not be simulated
  MBS_SEARCH_INTERRUPTED,
  MBS_SEARCH_FAILED  // status says how
} MbsSearchEnd;

typedef struct MbsSearch {
  MbsDesignProblem *problem;
  const MbsOptimizeOptions *options;
  MbsJournal *journal;
  MbsContext *context;
  MbsDesignPoint here, best, begin;
  MbsDesignPoint path;  // where the path was found that a journal's runs kept
  bool has_here, has_best, is_checked, has_path_point;
  bool is_fresh;                      // nothing has been run since the start
  double best_value, best_violation;  // f, not scaled
  MbsOptimality optimality;           // of the best
  double largest_slope;               // of f by z, on the way
  double value_scale;                 // of f, for NLopt
  double value_shift, *row_shift;     // of f and the rows
  double *slope, *rows, *row_slopes;  // for NLopt
  double *x, *z, *lower, *upper, *failed;
  double *tolerances;
  bool *is_equality;
  int start, iterations, failures, most_evaluations;
  char failure[MBS_MESSAGE_SIZE];  // the last one
  MbsSearchEnd end;
  MbsStatus status;
} MbsSearch;

MbsStatus mbs_search_create(MbsContext *context, MbsDesignProblem *problem, const MbsOptimizeOptions *options,
                            MbsJournal *journal, MbsSearch *search);
// From x on: `best`, and why it ended, whatever was searched before. A first design that cannot be simulated is an
// error.
MbsStatus mbs_search_from(MbsContext *context, MbsSearch *search, const double *x);
// After a search without gradients: `best` is this point, with its gradient; and what is left of it is measured by that
// of the first one.
MbsStatus mbs_search_judge(MbsContext *context, MbsSearch *search, const MbsDesignPoint *first,
                           const MbsDesignPoint *point);

#endif
