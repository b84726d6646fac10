// What a joint is: a field table and two functions, one file per type in joints/.
#ifndef MBS_JOINT_H
#define MBS_JOINT_H

#include "model/blueprint.h"
#include "model/registry.h"

// Described without coordinates, in two steps:
// connect says which points and directions of the two bodies coincide: coordinates share them where
//   they can and write rows where they cannot;
// rows adds the constraints that remain, on points and directions.
typedef struct MbsJointType {
  MbsRecordType record;  // field 0 names what is joined
  MbsStatus (*connect)(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint);  // may be NULL
  MbsStatus (*rows)(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint);     // may be NULL
} MbsJointType;

// ---- what joints share (joint.c) ----
// The two points a joint names; they must be on different bodies.
MbsStatus mbs_joint_ends(MbsContext *context, const MbsBlueprint *blueprint, const MbsRecord *joint,
                         const MbsValue *ends, MbsPointReference *a, MbsPointReference *b);
// Refuses point masses, which have no orientation.
MbsStatus mbs_joint_needs_rigid(MbsContext *context, const MbsBlueprint *blueprint, const MbsRecord *joint,
                                MbsPointReference a, MbsPointReference b);
// Phi = dot(A, B) - c
MbsStatus mbs_joint_add_dot_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, const char *what,
                                const MbsForm *A, const MbsForm *B, MbsNode c);

#endif
