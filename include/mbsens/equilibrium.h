// Equilibrium and steady motion: where all forces balance, with exact derivatives of what is there.
//
//   MbsRequest *request;
//   mbs_request_create(context, model, &request);
//   mbs_equilibrium(context, model, request, &result);       objectives {equilibrium: ...}, method of the request
//   result->equilibrium->is_stable, result->values, result->gradient, result->points, result->reactions, ...
//
// A simulator (simulator.h) of a request with the setting equilibrium: yes finds one after another: set parameters,
// run. In the model: sections equilibrium and initial (docs/equilibrium.md).
#ifndef MBSENS_EQUILIBRIUM_H
#define MBSENS_EQUILIBRIUM_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct MbsEquilibriumResult {
  bool is_steady;   // the rates of the start's independent coordinates are constant; else zero
  double residual;  // of the worst force that is left, over the size of those that cancel in it
  int iterations;
  int held_count;  // coordinates that nothing determines, or that the model holds: as they are at the start
  const char *const *held;
  int solved_count;  // parameters and inputs that were solved for (trim), and the values found
  const char *const *solved;
  const double *solved_values;
  int order;             // of the linearised motion x' = matrix x about it: independent positions that forces depend
  const double *matrix;  // on, rates, states of first order; by rows. 0: of a start that is used by a run
  bool is_stable;        // none of its eigenvalues has a positive real part, or there is nothing that could move
  const double *real, *imaginary;  // those, 1/s: order numbers each
} MbsEquilibriumResult;

// mbs_run with the setting equilibrium: yes. Methods none, direct, adjoint, complex-step, finite-difference.
MbsStatus mbs_equilibrium(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsResult **result);

// ---- along a parameter ----
// The equilibrium followed while one number of the model changes: a load, or what a driver holds. Each search begins at
// the one before; where that leads elsewhere the way is divided, so that it is one branch, stable or not. It ends early
// where that branch does: at a limit point, where it turns back, or where it cannot be followed.
typedef struct MbsEquilibriumSweepDef {
  const char *parameter;  // a number of the model file
  int count;
  const double *values;  // in any order: one is followed after the other
} MbsEquilibriumSweepDef;

typedef struct MbsEquilibriumSweep {
  const char *parameter;
  int count;             // of points that were found: all, if it is complete
  const double *values;  // of the parameter there
  const MbsResult *const *points;
  bool is_complete;
  bool is_limit;        // it ended at a limit point,
  double last;          // near this value: equilibria were found up to here
  const char *message;  // why it ended; NULL: it is complete
} MbsEquilibriumSweep;

// Methods none, direct and adjoint. A recorder receives a row of each point, with the parameter in the place of the
// time. Where the sweep ends early the status is MBS_ERROR_NUMERICAL, and what was found before is given all the same.
MbsStatus mbs_equilibrium_sweep(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                const MbsEquilibriumSweepDef *def, MbsEquilibriumSweep **sweep);
void mbs_equilibrium_sweep_destroy(MbsEquilibriumSweep *sweep);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
