// A design problem in numbers: parameters x between bounds, a value to minimise, rows of constraints, and one run of
// the model for all of them with their gradients.
//
//     minimise  f(x) = s sum_k w_k psi_k(x)        s = 1, or -1 where it is maximised
//     subject to  c_j(x) <= 0 or = 0,              c_j = (psi - below) / scale, (above - psi) / scale or their equality
//                 lower <= x <= upper
//
// psi are objectives of the model, each computed once.
#ifndef MBS_DESIGN_PROBLEM_H
#define MBS_DESIGN_PROBLEM_H

#include <mbsens/optimize.h>
#include <mbsens/simulator.h>

#include "model/design.h"
#include "model/settings.h"

// A row c_j.
typedef struct MbsConstraintRow {
  int limit;      // of the design
  int objective;  // of the problem
  double sign;    // of psi in c_j
  double bound, scale;
  bool is_equality;
} MbsConstraintRow;

// Where the model has been evaluated.
typedef struct MbsDesignPoint {
  double *x;         // n
  double *values;    // of the objectives
  double *gradient;  // objectives x n
  bool has_gradient;
  bool is_path_own;  // the run found its steps, sets and events itself: others may repeat them
  int runs;          // that it took
} MbsDesignPoint;

typedef struct MbsDesignProblem {
  MbsArena *arena;
  const MbsModel *model;
  MbsRequest request;  // of the runs
  MbsDesign design;
  int n;
  const char *const *names;
  const int *indices;  // among the model's parameters
  const MbsDesignVariable *variables;
  double *scale;  // of each parameter: its own, the distance of its bounds, or its size
  int objective_count;
  const char **objectives;
  double *weights;  // s w of each objective, in f
  int row_count;
  MbsConstraintRow *rows;
  MbsAlgorithm algorithm;   // none is auto
  MbsSimulator *simulator;  // NULL: the method is several runs of a model (mbs_run)
  bool keeps_path;  // runs find steps, sets of coordinates or events: those of one are repeated by those near it
  bool has_path;
  int evaluations;  // runs, also those that failed
} MbsDesignProblem;

// From the section and what the request and the options put in its place. Everything is checked but the runs.
MbsStatus mbs_design_problem_create(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                    const MbsRequest *request, const MbsOptimizeOptions *options,
                                    MbsDesignProblem *problem);
void mbs_design_problem_destroy(MbsDesignProblem *problem);
MbsStatus mbs_design_problem_point(MbsContext *context, const MbsDesignProblem *problem, MbsDesignPoint *point);
void mbs_design_problem_copy(const MbsDesignProblem *problem, const MbsDesignPoint *from, MbsDesignPoint *to);

// Values, and the gradient where the method has one, at x of the point. On the path that is kept; where that
// cannot be walked (another sequence of events), on a new one. MBS_ERROR_NUMERICAL and MBS_ERROR_INPUT: a design that
// cannot be simulated.
MbsStatus mbs_design_problem_evaluate(MbsContext *context, MbsDesignProblem *problem, MbsDesignPoint *point);
// The same, with a path found anew, which is kept for evaluations to come.
MbsStatus mbs_design_problem_renew(MbsContext *context, MbsDesignProblem *problem, MbsDesignPoint *point);
// What runs before have left (a path, an order of pivots) is forgotten: those to come depend on their designs alone.
MbsStatus mbs_design_problem_forget(MbsContext *context, MbsDesignProblem *problem);
// The method of runs to come.
MbsStatus mbs_design_problem_use_method(MbsContext *context, MbsDesignProblem *problem, MbsMethod method);
// Scales of constraints whose limit has no size, from the values at the model's own parameters: are they missing?
bool mbs_design_problem_lacks_scales(const MbsDesignProblem *problem);
void mbs_design_problem_scale_rows(MbsDesignProblem *problem, const MbsDesignPoint *point);

// f, c, and their gradients by x
double mbs_design_problem_value(const MbsDesignProblem *problem, const MbsDesignPoint *point);
double mbs_design_problem_row(const MbsDesignProblem *problem, const MbsDesignPoint *point, int row);
double mbs_design_problem_slope(const MbsDesignProblem *problem, const MbsDesignPoint *point, int parameter);
double mbs_design_problem_row_slope(const MbsDesignProblem *problem, const MbsDesignPoint *point, int row,
                                    int parameter);
// By how much the worst row is off: max(0, c), |c| of an equality.
double mbs_design_problem_violation(const MbsDesignProblem *problem, const MbsDesignPoint *point);

#endif
