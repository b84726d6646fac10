// Natural (fully Cartesian) coordinates: points and unit vectors, shared by the bodies that joints
// connect, so that many joints need no equations at all.
#ifndef MBS_NATURAL_H
#define MBS_NATURAL_H

#include "bodies/basis.h"
#include "model/blueprint.h"

// After the joints have connected the bodies: chooses entities, adds masses, rigid-body and coincidence rows, and
// fills in how points and directions are placed.
MbsStatus mbs_natural_choose(MbsContext *context, MbsBlueprint *blueprint);

// The entities body `body` (1 ... ) stands on.
const MbsBasis *mbs_natural_basis(const MbsBlueprint *blueprint, int body);

#endif
