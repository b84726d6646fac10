// A planar rigid body or point mass on its basis entities.
#ifndef MBS_PLANAR_BODY_H
#define MBS_PLANAR_BODY_H

#include "model/blueprint.h"

// The entities a body stands on: a point (point mass), two points, or a point and a unit vector.
typedef struct MbsBasis {
  int count;
  int entity[2];
  MbsEntityKind kind[2];
  MbsNode local[2][3];  // of each entity, in body axes
} MbsBasis;

// Form of a local point or direction.
MbsStatus mbs_planar_body_place(MbsContext *context, MbsBlueprint *blueprint, const MbsBasis *basis,
                                const MbsNode local[3], bool is_point, MbsForm *form);
// Mass matrix and weight.
MbsStatus mbs_planar_body_add_mass(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis);
// The constant distance of a two-point basis. (The length of a vector is its entity's own row.)
MbsStatus mbs_planar_body_add_rows(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis);

#endif
