// Where a derivative is wrong: every mass, constraint, force and objective by itself, at states along a run.
#ifndef MBS_LOCATE_H
#define MBS_LOCATE_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "model/settings.h"
#include "simulation/simulation.h"

// How many suspects are told.
enum { MBS_MOST_SUSPECTS = 8 };

typedef struct MbsSuspects {
  int count, total;  // told, and in all
  MbsSuspect items[MBS_MOST_SUSPECTS];
} MbsSuspects;

// Adds the elements whose derivatives are off most, with respect to the state and all parameters of the model, the
// worst first; names in the arena. The settings are those of the run whose states are looked at.
MbsStatus mbs_locate(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsSettings *settings,
                     MbsSuspects *suspects);

#endif
