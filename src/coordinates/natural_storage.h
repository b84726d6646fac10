// What natural.c, natural_bases.c and relative.c share.
#ifndef MBS_NATURAL_STORAGE_H
#define MBS_NATURAL_STORAGE_H

#include "bodies/basis.h"

// directions that joints make coincide
typedef struct MbsDirectionClass {
  int entity;  // -1: none
  int member_count;
  MbsDirection *members;
  const MbsRecord *joint;
} MbsDirectionClass;

typedef struct MbsNatural {
  MbsBasis *bases;    // by body
  int *group_entity;  // by point group; -1: none
  int *group_bodies;  // how many bodies share the group
  bool *is_group_fixed;
  int class_count;
  MbsDirectionClass *classes;
} MbsNatural;

// ---- natural.c ----
MbsStatus mbs_natural_add_entity(MbsContext *context, MbsBlueprint *blueprint, MbsEntity entity, int *index);
// The entity of a point's group, made where there is none yet.
MbsStatus mbs_natural_group_entity(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, int *entity);
// A fixed entity for a point or direction of the ground.
MbsStatus mbs_natural_ground_entity(MbsContext *context, MbsBlueprint *blueprint, const MbsNode local[3], bool is_point,
                                    int *entity);
// The form of a local point or direction of a body on its basis.
MbsStatus mbs_natural_place(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsNode local[3],
                            bool is_point, MbsForm *form);
// Rows for points and directions that a joint joins and that are not shared; and for all of joints that events add or
// remove.
MbsStatus mbs_natural_close_points(MbsContext *context, MbsBlueprint *blueprint, const MbsPointPair *pair);
MbsStatus mbs_natural_close_directions(MbsContext *context, MbsBlueprint *blueprint, const MbsDirectionPair *pair);
MbsStatus mbs_natural_close_switched(MbsContext *context, MbsBlueprint *blueprint);
// The direction that a body brings into a class, or NULL.
const MbsDirection *mbs_natural_class_member(const MbsDirectionClass *class, int body);

// ---- natural_bases.c ----
MbsStatus mbs_natural_choose_bases(MbsContext *context, MbsBlueprint *blueprint);

#endif
