// A run whose parameters are moved at the level of rounding, by 1e-15 of themselves.
// Values and gradients that are well determined move as little; what else they do is due to rounding that the motion
// magnifies, and no two ways to compute them can agree better.
#ifndef MBS_SHAKEN_RUN_H
#define MBS_SHAKEN_RUN_H

#include <mbsens/mbsens.h>

#include "model/settings.h"

// Values moved up or down by 1e-15 of themselves; which way, the bits of a generator say that begins with `shake`. 0:
// as they are.
void mbs_shake(int shake, int count, const double *values, double *shaken);

// mbs_run, called within another public function, with the parameters moved in the way that the number `shake` stands
// for; 0: not moved. After a numerical failure there may be a result, which is not complete.
MbsStatus mbs_run_within(MbsContext *context, const MbsModel *model, const MbsRequest *request, int shake,
                         MbsResult **result);
// The same without such a result.
MbsStatus mbs_run_shaken(MbsContext *context, const MbsModel *model, const MbsRequest *request, int shake,
                         MbsResult **result);

#endif
