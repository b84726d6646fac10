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
  int order;             // of the linearised motion x' = matrix x about it: independent positions that forces depend
  const double *matrix;  // on, rates, states of first order; by rows. 0: of a start that is used by a run
  bool is_stable;        // none of its eigenvalues has a positive real part, or there is nothing that could move
  const double *real, *imaginary;  // those, 1/s: order numbers each
} MbsEquilibriumResult;

// mbs_run with the setting equilibrium: yes. Methods none, direct, adjoint, complex-step, finite-difference.
MbsStatus mbs_equilibrium(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsResult **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
