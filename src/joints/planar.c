// Planar joint: a point of the second body stays in a plane of the first, and both keep its normal in common.
//     dot(n, r2 - r1) = 0, n1 parallel n2
#include "model/joint.h"

enum { ENDS, NORMAL, NORMAL2 };

static const MbsField fields[] = {
    [ENDS] = {"planar", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the plane on the first body, and the point of the second body that stays in it"},
    [NORMAL] = {"normal", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
                .summary = "normal of the plane in the axes of the first body (any length but zero)"},
    [NORMAL2] = {"normal2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true,
                 .summary = "the same direction in the axes of the second body (default: the numbers of normal)"},
};

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  return mbs_joint_join_axes(context, blueprint, joint, fields, NORMAL, NORMAL2, a, b);
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsDirection n;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, NORMAL, NORMAL, a.body, &n));
  return mbs_joint_add_plane_row(context, blueprint, joint, "in the plane", a, b, &n,
                                 mbs_graph_constant(blueprint->graph, 0));
}

static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  motion->count = 3;
  motion->motions[0].kind = MBS_MOTION_SLIDE;
  motion->motions[1].kind = MBS_MOTION_SLIDE;
  motion->motions[1].axis = 1;
  motion->motions[2].kind = MBS_MOTION_TURN;
  motion->motions[2].axis = 2;
  return mbs_frames_about_axes(context, blueprint, joint, fields, NORMAL, NORMAL2, a, b, 2, motion);
}

const MbsJointType mbs_joint_planar = {
    .record = {"planar", "one body moves in a plane of another", MBS_COUNT(fields), fields},
    .only_dimension = 3,
    .connect = connect,
    .rows = rows,
    .motion = motion,
};
