// Cylindrical joint: the second body turns about and slides along a line of the first.
// The common direction is handed to the coordinates; the second body's point is on the line: dot(n, r2 - r1) = 0 for
// two normals n of the line in the first body.
#include "model/joint.h"

enum { ENDS, AXIS, AXIS2 };

static const MbsField fields[] = {
    [ENDS] = {"cylindrical", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the line on the first body, and the point of the second body that stays on it"},
    [AXIS] = {"axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
              .summary = "direction of the line in the axes of the first body (any length but zero)"},
    [AXIS2] = {"axis2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true,
               .summary = "the same direction in the axes of the second body (default: the numbers of axis)"},
};

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  return mbs_joint_join_axes(context, blueprint, joint, fields, AXIS, AXIS2, a, b);
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsDirection u;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, a.body, &u));
  return mbs_joint_add_line_rows(context, blueprint, joint, a, b, &u);
}

static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  motion->count = 2;
  motion->motions[0].kind = MBS_MOTION_SLIDE;
  motion->motions[0].axis = 2;
  motion->motions[1].kind = MBS_MOTION_TURN;
  motion->motions[1].axis = 2;
  return mbs_frames_about_axes(context, blueprint, joint, fields, AXIS, AXIS2, a, b, 2, motion);
}

const MbsJointType mbs_joint_cylindrical = {
    .record = {"cylindrical", "one body turns about and slides along a line of another", MBS_COUNT(fields), fields},
    .only_dimension = 3,
    .connect = connect,
    .rows = rows,
    .motion = motion,
};
