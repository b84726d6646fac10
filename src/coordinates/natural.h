// Natural (fully Cartesian) coordinates: points and unit vectors, shared by the bodies that joints
// connect, so that many joints need no equations at all.
#ifndef MBS_NATURAL_H
#define MBS_NATURAL_H

#include "bodies/planar_body.h"
#include "model/blueprint.h"

// Chooses entities and completes the blueprint: masses, constraints, forces, objectives, independents.
MbsStatus mbs_natural_compile(MbsContext *context, MbsBlueprint *blueprint);

// The entities body `body` (1 ... ) stands on.
const MbsBasis *mbs_natural_basis(const MbsBlueprint *blueprint, int body);

#endif
