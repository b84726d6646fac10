// A point of the second body stays in a plane of the first: dot(n, r2 - r1) = offset.
#include "model/joint.h"

enum { ENDS, NORMAL, OFFSET };

static const MbsField fields[] = {
    [ENDS] = {"point_on_plane", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the plane on the first body, and the point of the second body that stays in it"},
    [NORMAL] = {"normal", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
                .summary = "normal of the plane in the axes of the first body (any length but zero)"},
    [OFFSET] = {"offset", MBS_FIELD_NUMBER, .default_text = "0", .unit = "m",
                .summary = "distance from the plane, along the normal"},
};

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsDirection n;
  MbsNode offset;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, a));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, NORMAL, NORMAL, a.body, &n));
  MBS_TRY(mbs_blueprint_number(context, blueprint, mbs_joint_name(blueprint, joint), &fields[OFFSET],
                               mbs_record_text(joint, OFFSET), &offset));
  return mbs_joint_add_plane_row(context, blueprint, joint, "in the plane", a, b, &n, offset);
}

const MbsJointType mbs_joint_point_on_plane = {
    .record = {"point_on_plane", "a point of one body stays in a plane of another", MBS_COUNT(fields), fields},
    .only_dimension = 3,
    .rows = rows,
};
