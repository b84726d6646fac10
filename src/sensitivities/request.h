// What a program asks for: refused where it makes no sense, whoever built it.
#ifndef MBS_REQUEST_H
#define MBS_REQUEST_H

#include <mbsens/mbsens.h>

#include "base/context.h"

// Enumerations in range, numbers that are numbers, names that are there; settings are checked where they are used
// (mbs_settings_complete).
MbsStatus mbs_request_check(MbsContext *context, const MbsRequest *request);

#endif
