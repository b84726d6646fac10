// A planar rigid body or point mass on its basis entities.
#ifndef MBS_PLANAR_BODY_H
#define MBS_PLANAR_BODY_H

#include "bodies/basis.h"

// Form of a local point or direction.
MbsStatus mbs_planar_body_place(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis,
                                const MbsNode local[3], bool is_point, MbsForm *form);
// Mass matrix and weight.
MbsStatus mbs_planar_body_add_mass(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis);

#endif
