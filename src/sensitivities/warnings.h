// What the user should know about a run that went well: sentences beside the figures.
#ifndef MBS_WARNINGS_H
#define MBS_WARNINGS_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "base/context.h"
#include "model/settings.h"

// Fills in the warnings of a result whose statistics and settings are known; they live in the arena.
MbsStatus mbs_warnings_collect(MbsContext *context, MbsArena *arena, MbsResult *result);

#endif
