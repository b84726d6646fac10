// A point of the second body stays in a plane of the first: dot(n, r2 - r1) = offset.
#include "expressions/vector.h"
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

// the frame of the first body stands in the plane
static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MbsDirection n;
  MbsNode offset;
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, NORMAL, NORMAL, a.body, &n));
  MBS_TRY(mbs_blueprint_number(context, blueprint, mbs_joint_name(blueprint, joint), &fields[OFFSET],
                               mbs_record_text(joint, OFFSET), &offset));
  motion->count = 3;
  motion->motions[0].kind = MBS_MOTION_SLIDE;
  motion->motions[1].kind = MBS_MOTION_SLIDE;
  motion->motions[1].axis = 1;
  motion->motions[2].kind = MBS_MOTION_BALL;
  motion->on[1] = mbs_frame_of_point(blueprint, b);
  MBS_TRY(mbs_frame_about(context, blueprint, a, &n, 2, &motion->on[0]));
  for (int k = 0; k < 3; ++k) {
    motion->on[0].origin[k] = mbs_node_multiply_add(blueprint->graph, offset, n.local[k], motion->on[0].origin[k]);
  }
  return MBS_OK;
}

const MbsJointType mbs_joint_point_on_plane = {
    .record = {"point_on_plane", "a point of one body stays in a plane of another", MBS_COUNT(fields), fields},
    .only_dimension = 3,
    .rows = rows,
    .motion = motion,
};
