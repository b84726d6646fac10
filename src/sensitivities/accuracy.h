// Runs to an accuracy: the same model and method with steps that are halved from run to run (levels), extrapolated
// (extrapolation.h) until the estimated error of every value and every derivative is below what is asked for.
//
// - Where it begins: with 16 times the step of the settings. A level that fails, or whose events are others than those
//   of the one before, does not count, nor do those before it.
// - Where it ends: at a 64th of that step (or, if that is later, at 20000 steps), or where three further levels have
// not halved the largest error. That is a
//   numerical failure, with the best results so far.
// - Newton's tolerance is a thousandth of the accuracy, if that is less than the settings'.
// - Events: the first level with a sequence of events finds their times, and is none itself; those after it have equal
//   steps between the times of the level before (simulation/plan.c). Then the error has all powers of h from its order
//   on, even ones and odd ones: the time of an event is not a constant, but steps are.
// - Formulation `auto`: that of `choices` which reaches it first, or comes nearest.
#ifndef MBS_ACCURACY_H
#define MBS_ACCURACY_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "base/context.h"

// A run of the request's method in the arena, as mbs_run makes it. Not complete (MBS_ERROR_NUMERICAL): the accuracy is
// not reached, or the finest level failed.
MbsStatus mbs_accuracy_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                           MbsResult *result);

#endif
