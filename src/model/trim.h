// Trim: what an equilibrium is solved for besides positions (section equilibrium: solve), and the conditions that
// determine it.
#ifndef MBS_TRIM_H
#define MBS_TRIM_H

#include "model/blueprint.h"

// Does the model start in equilibrium, or is nothing else asked for? Else its section equilibrium does not count.
bool mbs_trim_is_active(const MbsModel *model, bool is_equilibrium);
// Is this parameter or input solved for, where that counts?
bool mbs_trim_solves(const MbsModel *model, const char *name);

// Into blueprint->trim; after forces and objectives.
MbsStatus mbs_trim_read(MbsContext *context, MbsBlueprint *blueprint);

// What is solved for is an objective, too: the model with {equilibrium: NAME} of each under its name, unless it has one
// of that name. In the arena, sharing the rest.
MbsStatus mbs_trim_add_objectives(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsModel **result);

#endif
