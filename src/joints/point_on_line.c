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

const MbsJointType mbs_joint_point_on_line = {
    .record = {"point_on_line", "a point of one body stays on a line of another", MBS_COUNT(fields), fields},
    .rows = rows,
};
