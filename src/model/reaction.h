// Reactions of joints as expressions: see reaction.c for the formulas.
#ifndef MBS_REACTION_H
#define MBS_REACTION_H

#include "model/blueprint.h"

// Does this joint have a force and a torque? Those between two points have; drivers, gears and constraints by
// expression have a multiplier, which does work along their own coordinate.
bool mbs_reaction_exists(const MbsRecord *joint);

// The force that a joint exerts on its second body, in global axes, and the torque about the joint's point on that
// body: a number in the plane, a vector in space. Either may be NULL. Rows and coordinates must be complete.
MbsStatus mbs_reaction_of_joint(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                MbsExpression *force, MbsExpression *torque);

#endif
