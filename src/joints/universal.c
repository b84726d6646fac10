// Universal (Cardan) joint: two bodies share a point, and an axis of one stays normal to an axis of the other:
//     dot(u1, u2) = 0
#include "model/joint.h"

enum { ENDS, AXIS, AXIS2 };

static const MbsField fields[] = {
    [ENDS] = {"universal", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "the point on each body that they share"},
    [AXIS] = {"axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
              .summary = "the arm of the cross on the first body, in its axes (any length but zero)"},
    [AXIS2] = {"axis2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true, .is_required = true,
               .summary = "the arm of the cross on the second body, in its axes: normal to the first"},
};

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  return mbs_blueprint_join_points(context, blueprint, joint, a, b);
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsDirection u1, u2;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, a.body, &u1));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS2, AXIS2, b.body, &u2));
  return mbs_joint_add_normal_row(context, blueprint, joint, "arms of the cross normal", &u1, &u2);
}

// first about the arm of the first body, then about that of the second, which is normal to it
static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MbsDirection u1, u2;
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, a.body, &u1));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS2, AXIS2, b.body, &u2));
  motion->count = 2;
  motion->motions[0].kind = MBS_MOTION_TURN;
  motion->motions[0].axis = 2;
  motion->motions[1].kind = MBS_MOTION_TURN;
  MBS_TRY(mbs_frame_about(context, blueprint, a, &u1, 2, &motion->on[0]));
  return mbs_frame_about(context, blueprint, b, &u2, 0, &motion->on[1]);
}

const MbsJointType mbs_joint_universal = {
    .record = {"universal", "two bodies share a point, and an axis of one stays normal to an axis of the other",
               MBS_COUNT(fields), fields},
    .only_dimension = 3,
    .connect = connect,
    .rows = rows,
    .motion = motion,
};
