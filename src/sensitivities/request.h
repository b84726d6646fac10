// What a program asks for: refused where it makes no sense, whoever built it.
#ifndef MBS_REQUEST_H
#define MBS_REQUEST_H

#include "base/context.h"
#include "model/settings.h"

// Enumerations and numbers in range, names that are there.
MbsStatus mbs_request_check(MbsContext *context, const MbsRequest *request);
// NULL is good.
MbsStatus mbs_recorder_check(MbsContext *context, const MbsRecorder *recorder);

// The settings of the model file, direct method, all objectives, all parameters: for a request of the caller's own,
// without an arena.
MbsStatus mbs_request_default(MbsContext *context, const MbsModel *model, MbsRequest *request);

#endif
