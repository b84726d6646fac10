// What mbs_run does with a simulator (mbsens/simulator.h), inside a public call.
#ifndef MBS_SIMULATOR_H
#define MBS_SIMULATOR_H

#include <mbsens/simulator.h>

#include "base/arena.h"

// values: of all parameters; NULL: the model's own.
MbsStatus mbs_simulator_create_with(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                    const double *values, MbsSimulator **simulator);
MbsStatus mbs_simulator_run_all(MbsContext *context, MbsSimulator *simulator);
// Parameters by name, all at once.
MbsStatus mbs_simulator_set_named(MbsContext *context, MbsSimulator *simulator, int count, const char *const *names,
                                  const double *values);
// Did it fail on the way, so that there is a result which is not complete?
bool mbs_simulator_is_cut_short(const MbsSimulator *simulator);
// Moves all parameters of the model at the level of rounding (shaken_run.h), from its own values; 0: these.
MbsStatus mbs_simulator_shake(MbsContext *context, MbsSimulator *simulator, int shake);
MbsStatus mbs_simulator_give(MbsContext *context, MbsArena *arena, MbsSimulator *simulator, MbsResult *result);

// What it holds.
struct MbsSession *mbs_simulator_session(MbsSimulator *simulator);

#endif
