// Where the assembly starts: guesses for the entities from the placed bodies and points.
#ifndef MBS_PLACEMENT_H
#define MBS_PLACEMENT_H

#include "model/blueprint.h"

// Fills `guess` of every free entity. Known to begin with: the ground, initial.points, and bodies with
// position or angle; then bodies with two known points, then with one, then the rest at the origin.
MbsStatus mbs_placement_guess(MbsContext *context, MbsBlueprint *blueprint);

#endif
