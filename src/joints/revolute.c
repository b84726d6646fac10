// Revolute joint: two bodies share a point and, in space, an axis through it.
#include "model/joint.h"

enum { ENDS, AXIS, AXIS2 };

static const MbsField fields[] = {
    [ENDS] = {"revolute", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "the point on each body that they share"},
    [AXIS] = {"axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO,
              .summary = "in space: direction of the axis in the axes of the first body (any length but zero)"},
    [AXIS2] = {"axis2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true,
               .summary = "the same direction in the axes of the second body (default: the numbers of axis)"},
};

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_blueprint_join_points(context, blueprint, joint, a, b));
  return blueprint->dimension == 2 ? MBS_OK : mbs_joint_join_axes(context, blueprint, joint, fields, AXIS, AXIS2, a, b);
}

static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  motion->count = 1;
  motion->motions[0].kind = MBS_MOTION_TURN;
  motion->motions[0].axis = 2;
  if (blueprint->dimension == 3) {
    return mbs_frames_about_axes(context, blueprint, joint, fields, AXIS, AXIS2, a, b, 2, motion);
  }
  motion->on[0] = mbs_frame_of_point(blueprint, a);
  motion->on[1] = mbs_frame_of_point(blueprint, b);
  return MBS_OK;
}

const MbsJointType mbs_joint_revolute = {
    .record = {"revolute", "two bodies turn about a common point, in space about a common axis", MBS_COUNT(fields),
               fields},
    .connect = connect,
    .motion = motion,
};
