// Values and gradients by a third party: SUNDIALS (CVODES, IDAS) integrates the equations of motion and their forward
// or adjoint sensitivity equations, with its own steps, orders and error control. What it is given comes from the
// terms: right-hand sides, Jacobians, sensitivity and adjoint right-hand sides, quadratures; no differences anywhere.
// The start and its derivatives are those of every other run.
//
// An optional component: without it (sundials_absent_bridge.c) a run fails and says what to install.
#ifndef MBS_SUNDIALS_H
#define MBS_SUNDIALS_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "base/context.h"
#include "model/settings.h"

// Is it a method of SUNDIALS?
static inline bool mbs_sundials_is_method(MbsMethod method) {
  return method >= MBS_METHOD_CVODES_FORWARD && method <= MBS_METHOD_IDAS_ADJOINT;
}

// The result of a request with one of its methods, in the arena. model: as the request asks for it (mbs_model_ask).
MbsStatus mbs_sundials_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                           MbsResult *result);

#endif
