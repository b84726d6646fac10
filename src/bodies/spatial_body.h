// A spatial rigid body, thin rod or point mass on its basis entities.
#ifndef MBS_SPATIAL_BODY_H
#define MBS_SPATIAL_BODY_H

#include "bodies/basis.h"

// Form of a local point or direction. Of a rod only what lies on its line has one; `owner` names what asks for it.
MbsStatus mbs_spatial_body_place(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis,
                                 const MbsNode local[3], bool is_point, MbsForm *form);
// Mass matrix and weight. Refuses an inertia tensor that no body can have.
MbsStatus mbs_spatial_body_add_mass(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis);

#endif
