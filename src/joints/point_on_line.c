// A point of the second body stays on a line of the first: dot(n, r2 - r1) = 0 for the normals n of the line.
#include "model/joint.h"

enum { ENDS, AXIS };

static const MbsField fields[] = {
    [ENDS] = {"point_on_line", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the line on the first body, and the point of the second body that stays on it"},
    [AXIS] = {"axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
              .summary = "direction of the line in the axes of the first body (any length but zero)"},
};

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsDirection u;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, a));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, a.body, &u));
  return mbs_joint_add_line_rows(context, blueprint, joint, a, b, &u);
}

static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MbsDirection u;
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, a.body, &u));
  bool is_planar = blueprint->dimension == 2;
  int line = is_planar ? 0 : 2;
  motion->count = 2;
  motion->motions[0].kind = MBS_MOTION_SLIDE;
  motion->motions[0].axis = line;
  motion->motions[1].kind = is_planar ? MBS_MOTION_TURN : MBS_MOTION_BALL;
  motion->motions[1].axis = 2;
  motion->on[1] = mbs_frame_of_point(blueprint, b);
  return mbs_frame_about(context, blueprint, a, &u, line, &motion->on[0]);
}

const MbsJointType mbs_joint_point_on_line = {
    .record = {"point_on_line", "a point of one body stays on a line of another", MBS_COUNT(fields), fields},
    .rows = rows,
    .motion = motion,
};
