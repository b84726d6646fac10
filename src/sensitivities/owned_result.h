// The public result, with the memory it lives in.
#ifndef MBS_OWNED_RESULT_H
#define MBS_OWNED_RESULT_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "model/settings.h"
#include "sensitivities/selection.h"

typedef struct MbsOwnedResult {
  MbsResult result;  // first: mbs_result_destroy is given this
  MbsArena *arena;
} MbsOwnedResult;

MbsStatus mbs_owned_result_create(MbsContext *context, MbsOwnedResult **owned);
// The end of a public call: warnings, and the result handed out; or nothing, where the status says so and
// the result is not one of a run that failed on the way.
MbsStatus mbs_owned_result_finish(MbsContext *context, MbsStatus status, MbsOwnedResult *owned, MbsResult **result);

// Names of the model, its chosen parameters with their values, and its chosen objectives; and what was asked for, with
// the settings of the result.
MbsStatus mbs_result_describe(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *asked,
                              const MbsSelection *selection, MbsResult *result);
// Is there something to differentiate?
MbsStatus mbs_selection_check(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                              const MbsSelection *selection);

#endif
