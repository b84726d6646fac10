// From the model as written to a complete blueprint in the coordinates of choice.
#ifndef MBS_COMPILE_H
#define MBS_COMPILE_H

#include "model/blueprint.h"

// Reads the whole model: parameters, bodies, joints, forces, start, objectives.
MbsStatus mbs_compile(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsBlueprint **blueprint);

// Adds to blueprint->chosen the coordinates that `names` lists between commas.
MbsStatus mbs_compile_choose_independents(MbsContext *context, MbsBlueprint *blueprint, const char *names);

#endif
