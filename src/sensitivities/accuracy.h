// Runs to an accuracy: the same model and method with steps that are halved from run to run (levels.h), extrapolated
// (extrapolation.h) until the estimated error of every value and every derivative is below what is asked for; else a
// numerical failure, with the best results so far. Formulation and integrator, where they are `auto`: the first of
// several that reaches it, or comes nearest.
#ifndef MBS_ACCURACY_H
#define MBS_ACCURACY_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "base/context.h"
#include "model/settings.h"

// A run of the request's method in the arena, as mbs_run makes it. Not complete (MBS_ERROR_NUMERICAL): the accuracy is
// not reached, or the finest level failed.
MbsStatus mbs_accuracy_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                           MbsResult *result);

#endif
