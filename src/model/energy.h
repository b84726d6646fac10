// Energy, power, momentum and centre of mass as expressions: see energy.c for the formulas.
#ifndef MBS_ENERGY_H
#define MBS_ENERGY_H

#include "model/blueprint.h"

// Of a body; MBS_NOBODY: of the whole model. Energies of the whole model count its own coordinates, too.
MbsStatus mbs_energy_kinetic(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode *energy);
// of its weight
MbsStatus mbs_energy_of_weight(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode *energy);
MbsStatus mbs_energy_momentum(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression *momentum);
// about the global origin: a number in the plane
MbsStatus mbs_energy_angular_momentum(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression *momentum);
// of `count` bodies; 0: of all
MbsStatus mbs_energy_mass_centre(MbsContext *context, MbsBlueprint *blueprint, int count, const int *bodies,
                                 MbsExpression *centre);
// What a force stores, MBS_NODE_NONE where it has no potential; and all of its power on what it acts on.
MbsStatus mbs_energy_of_force(MbsContext *context, MbsBlueprint *blueprint, const MbsForceSpec *force,
                              MbsNode *potential, MbsNode *power);

#endif
