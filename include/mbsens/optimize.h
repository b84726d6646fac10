// Better designs: the parameters with which objectives of a model become as small, or as large, as bounds and
// constraints allow (section optimization of the model; docs/optimization.md). The model is compiled once; gradients
// are exact.
//
//   MbsRequest *request;
//   mbs_request_create(context, model, &request);            settings of the runs; objectives, parameters: the
//   section's mbs_optimize(context, model, request, NULL, &optimum); optimum->value, optimum->parameters[i].value,
//   optimum->constraints[j].multiplier, ...
//
// Objectives named in the request are minimised instead of those of the section, parameters named there may change
// instead of its own. Whatever else the section says (algorithm, evaluations, tolerance, target, starts, seed) is
// changed with mbs_model_set_optimization (build.h).
#ifndef MBSENS_OPTIMIZE_H
#define MBSENS_OPTIMIZE_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// Told at the start, whenever a better design is found, and of designs that cannot be simulated.
typedef struct MbsIterate {
  int start;                   // which of the starts, from 0
  int iteration, evaluations;  // in all
  const char *failure;         // why a design could not be simulated: a rejected step, and the rest is the best so far;
                               // NULL: none failed
  int parameter_count;
  const char *const *names;
  const double *parameters;
  double value;       // of what is minimised or maximised
  double violation;   // of the worst constraint, in its scale; 0: all are kept
  double optimality;  // what is left of the gradient, of the largest so far (MbsOptimum); NaN: no gradient
} MbsIterate;

typedef struct MbsOptimizeOptions {  // all zero, or NULL: defaults
  bool is_maximized;                 // of the request's objectives
  bool is_method_fixed;              // gradients by the method of the request; else direct or adjoint, what costs less
  const char *state;  // a file: what has been computed so far, kept after every evaluation. If it is there, the search
                      // goes on from it and ends as if it had never stopped; NULL: none
  bool (*on_iterate)(void *user, const MbsIterate *iterate);  // false: stop; NULL: nobody is told
  void *user;
} MbsOptimizeOptions;

typedef struct MbsOptimumParameter {
  const char *name;
  double start, value;
  double lower, upper;  // -HUGE_VAL, HUGE_VAL: none
  double gradient;      // of the value
  double multiplier;    // how much the value changes with the bound that holds it, per unit; 0: none does
} MbsOptimumParameter;

typedef struct MbsOptimumConstraint {
  const char *objective;
  const char *kind;  // "below", "above" or "equals"
  double limit, start, value;
  double violation;   // of the limit, in the constraint's scale; 0: it is kept
  bool is_active;     // the value is at its limit
  double multiplier;  // how much the optimal value changes with the limit, per unit; 0 where it is not active
} MbsOptimumConstraint;

typedef struct MbsOptimumObjective {
  const char *name;
  double start, value;
  const double *gradient;  // parameter_count; NULL: there is none
} MbsOptimumObjective;

typedef struct MbsOptimum {
  const char *model;
  bool success;         // the search ended at a design where its tests are met and constraints are kept
  const char *message;  // why it ended
  bool is_interrupted;  // by the user: the best so far
  bool is_maximized;
  const char *algorithm;  // "lbfgs", ...
  const char *method;     // of gradients: "direct", "adjoint"; "none"
  double start_value, value;
  double violation;   // of the worst constraint, in its scale
  double optimality;  // largest entry of the gradient that neither bounds nor multipliers of constraints balance, in
                      // scales of parameters, of the largest gradient on the way: 0 at an optimum; NaN: no gradient
  int parameter_count;
  const MbsOptimumParameter *parameters;
  int constraint_count;
  const MbsOptimumConstraint *constraints;
  int objective_count;  // all that were needed
  const MbsOptimumObjective *objectives;
  int iterations;   // designs that were better than all before
  int evaluations;  // runs of the model, also those that failed; not the two that measure what methods cost
  int failures;     // of these
  int starts;
  int warning_count;
  const char *const *warnings;
} MbsOptimum;

// *optimum is yours to destroy. A search that ends without success is no failure of the call; a first design that
// cannot be simulated is. Interrupted (on_iterate, mbs_context_on_progress): MBS_OK with the best so far, if there is
// one.
MbsStatus mbs_optimize(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                       const MbsOptimizeOptions *options, MbsOptimum **optimum);
void mbs_optimum_destroy(MbsOptimum *optimum);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
