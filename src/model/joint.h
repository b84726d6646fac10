// What a joint is: a field table and two functions, one file per type in joints/.
#ifndef MBS_JOINT_H
#define MBS_JOINT_H

#include "model/blueprint.h"
#include "model/registry.h"

// What a joint lets the second body do, seen from the first: motions one after the other between a frame fixed in each.
typedef struct MbsFrame {
  int body;
  MbsNode origin[3], axes[3][3];  // in body axes; axes[k]: unit vectors, right-handed; in the plane the first two
} MbsFrame;

enum { MBS_MOST_MOTIONS = 4 };

typedef struct MbsJointMotion {
  MbsFrame on[2];
  int count;
  struct {
    MbsMotionKind kind;
    int axis;  // of the frame as it stands after the motions before
  } motions[MBS_MOST_MOTIONS];
} MbsJointMotion;

// Described without coordinates, in two steps:
// connect says which points and directions of the two bodies coincide: coordinates share them where
//   they can and write rows where they cannot;
// rows adds the constraints that remain, on points and directions.
typedef struct MbsJointType {
  MbsRecordType record;  // field 0 names what is joined
  int only_dimension;    // 2 or 3 where it makes sense in the plane or in space alone; 0: both
  MbsStatus (*connect)(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint);  // may be NULL
  MbsStatus (*rows)(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint);     // may be NULL
  // motion says the same for relative coordinates, which need no rows then. NULL: it is always closed by rows.
  MbsStatus (*motion)(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion);
} MbsJointType;

// ---- frames for motions (frame.c) ----
// The body's own axes, at a point.
MbsFrame mbs_frame_of_point(MbsBlueprint *blueprint, MbsPointReference point);
// At a point, with axis 0, 1 or 2 along u (in the plane: axis 0).
MbsStatus mbs_frame_about(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, const MbsDirection *u,
                          int axis, MbsFrame *frame);
// At a point, with axis 2 along u and g in the half plane of axes 0 and 2 on the side of axis 0; space only.
MbsFrame mbs_frame_along(MbsBlueprint *blueprint, MbsPointReference point, const MbsDirection *u,
                         const MbsDirection *g);
// Both frames of a joint about the directions of two fields, which are `axis` of its motions; these are known before,
// and are turned where the frames have the direction as another axis.
MbsStatus mbs_frames_about_axes(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                const MbsField *fields, int field, int second_field, MbsPointReference a,
                                MbsPointReference b, int axis, MbsJointMotion *motion);

// ---- what joints share (joint.c) ----
// joint "pivot", for messages
const char *mbs_joint_name(const MbsBlueprint *blueprint, const MbsRecord *joint);
// The two points a joint names; they must be on different bodies.
MbsStatus mbs_joint_ends(MbsContext *context, const MbsBlueprint *blueprint, const MbsRecord *joint,
                         const MbsValue *ends, MbsPointReference *a, MbsPointReference *b);
// Refuses point masses, which have no orientation.
MbsStatus mbs_joint_needs_rigid(MbsContext *context, const MbsBlueprint *blueprint, const MbsRecord *joint,
                                MbsPointReference a, MbsPointReference b);
// A direction of a body: a field, or (where that is absent) another field's numbers.
MbsStatus mbs_joint_direction(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                              const MbsField *fields, int field, int otherwise, int body, MbsDirection *direction);
// The two bodies have a direction in common: `field` on the first, `second_field` (default: the same numbers) on the
// second. For connect; both must be rigid.
MbsStatus mbs_joint_join_axes(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                              const MbsField *fields, int field, int second_field, MbsPointReference a,
                              MbsPointReference b);
// The point b lies on the line through point a along u (a direction of a's body): dot(n, r_b - r_a) = 0 for its
// normals.
MbsStatus mbs_joint_add_line_rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                  MbsPointReference a, MbsPointReference b, const MbsDirection *u);
// r_b - r_a
MbsStatus mbs_joint_distance_form(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference a,
                                  MbsPointReference b, MbsForm *d);
// dot(n, r_b - r_a) = c
MbsStatus mbs_joint_add_plane_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                  const char *what, MbsPointReference a, MbsPointReference b, const MbsDirection *n,
                                  MbsNode c);
// dot(u, w) = 0
MbsStatus mbs_joint_add_normal_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                   const char *what, const MbsDirection *u, const MbsDirection *w);
// The axis that a joint's field "axis" gives on the first body; false where it has none.
bool mbs_joint_axis(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int body, MbsDirection *axis);
// In space: the axis that a joint type's fields "axis" and "axis2" give on each body; false where it has none (or, for
// a universal joint, where they are different axes).
bool mbs_joint_axes(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                    const MbsPointReference ends[2], MbsDirection axes[2]);
// Phi = an expression of positions, time and parameters
MbsStatus mbs_joint_add_expression_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                       const char *what, MbsNode phi, bool is_driver);
// A v + b = 0: an expression of positions, velocities, time and parameters, linear in velocities
MbsStatus mbs_joint_add_velocity_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                     const char *what, MbsNode row);
// A vector that must not become shorter than `least` where the joint is to work; `broken` says what it means if it
// does.
MbsStatus mbs_joint_add_condition(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                  const MbsNode *vector, double least, const char *broken);
// "angle" or "slide" of another joint, by name.
MbsStatus mbs_joint_coordinate(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsText name,
                               const char *what, MbsNode *coordinate);
// second = ratio first + offset, with the two numbers in fields of the joint
MbsStatus mbs_joint_add_coupling(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                 const MbsField *fields, int ratio_field, int offset_field, MbsNode first,
                                 MbsNode second);
// Phi = dot(A, B) - c
MbsStatus mbs_joint_add_dot_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, const char *what,
                                const MbsForm *A, const MbsForm *B, MbsNode c);

#endif
