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
// A point that a joint joins coincides with `reference`; a direction that it joins is parallel to u.
MbsStatus mbs_natural_add_point_rows(MbsContext *context, MbsBlueprint *blueprint, const MbsPointPair *pair,
                                     MbsPointReference member, const MbsForm *reference);
MbsStatus mbs_natural_add_parallel_rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                        const MbsForm *u, const MbsDirection *member);
// The direction that a body brings into a class, or NULL.
const MbsDirection *mbs_natural_class_member(const MbsDirectionClass *class, int body);

// ---- natural_bases.c ----
MbsStatus mbs_natural_choose_bases(MbsContext *context, MbsBlueprint *blueprint);

#endif
