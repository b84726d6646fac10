// Values and gradients of a third party (sundials.h) beside those of a formulation's own, each with what it may be off.
//
// Ours are exact for the steps they are made of, theirs are near those of the differential equations: they meet as the
// step goes to zero. So ours come from a run to an accuracy (accuracy.h), with the errors that it estimates.
// Theirs is taken with the tolerance that was asked for and with thirty times that; how far they are apart is more than
// the error of the former.
#ifndef MBS_THIRD_PARTY_H
#define MBS_THIRD_PARTY_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "base/context.h"
#include "model/settings.h"

typedef struct MbsThirdPartyEntry {
  int objective, parameter;  // parameter -1: the value itself
  double value, error;       // theirs, and what it may be off
  double own, own_error;     // ours
  // Below which nothing counts: of values, what a thousandth of a parameter changes; of derivatives, 1e-5 of the
  // gradient's largest, and what changes the objective by 1e-4 of itself as the parameter doubles.
  double scale;
} MbsThirdPartyEntry;

// Of every objective, its value and then its derivatives. method: of SUNDIALS, one that the formulation of the request
// is offered with; else MBS_ERROR_NOT_OFFERED.
MbsStatus mbs_third_party_compare(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                  const MbsRequest *request, MbsMethod method, int *count,
                                  MbsThirdPartyEntry **entries);

#endif
