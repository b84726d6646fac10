// Prismatic joint: the second body slides along a line of the first without turning.
// The line passes through the first body's point along u = axis / |axis|; the second body's point is on it:
//     dot(n, r2 - r1) = 0 for the normals n of u in the first body,
// and its own axis2 stays parallel to u (same sense), which is left to the coordinates. In space it must not turn about
// the line either: with a reference direction g on each body, dot(u x g1, g2) = 0.
#include "model/joint.h"

enum { ENDS, AXIS, AXIS2, REFERENCE, REFERENCE2 };

static const MbsField fields[] = {
    [ENDS] = {"prismatic", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the line on the first body, and the point of the second body that slides on it"},
    [AXIS] = {"axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
              .summary = "direction of the line in the axes of the first body (any length but zero)"},
    [AXIS2] = {"axis2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true,
               .summary = "the same direction in the axes of the second body (default: the numbers of axis)"},
    [REFERENCE] = {"reference", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO,
                   .summary =
                       "in space: a direction of the first body, not along the axis, that stays in one plane with "
                       "the axis and reference2 (default: one normal to the axis, with the same numbers on both)"},
    [REFERENCE2] = {"reference2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true,
                    .summary =
                        "in space: the corresponding direction of the second body (default: the numbers of reference)"},
};

// the directions g that must not turn against each other; u: the line, on the first body
static MbsStatus find_references(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int second,
                                 const MbsDirection *u, MbsDirection *g1, MbsDirection *g2) {
  if (mbs_record_value(joint, REFERENCE)->count > 0) {
    MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, REFERENCE, REFERENCE, u->body, g1));
    return mbs_joint_direction(context, blueprint, joint, fields, REFERENCE2, REFERENCE, second, g2);
  }
  if (mbs_record_value(joint, AXIS2)->count > 0) {
    return mbs_fail(
        context, MBS_ERROR_INPUT, joint->name.place,
        "%s: with axis2 the bodies' axes differ, so \"reference\" and \"reference2\" are needed to say how the "
        "second body stands about the line",
        mbs_joint_name(blueprint, joint));
  }
  MbsDirection normals[2];
  MBS_TRY(mbs_direction_normals(context, blueprint, u, normals));
  *g1 = *g2 = normals[0];
  g2->body = second;
  return MBS_OK;
}

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_join_axes(context, blueprint, joint, fields, AXIS, AXIS2, a, b));
  if (blueprint->dimension == 3) {
    MbsDirection u1, u2, g1, g2, n1, n2;
    MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, a.body, &u1));
    MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS2, AXIS, b.body, &u2));
    MBS_TRY(find_references(context, blueprint, joint, b.body, &u1, &g1, &g2));
    mbs_direction_cross(blueprint->graph, &u1, &g1, &n1);
    mbs_direction_cross(blueprint->graph, &u2, &g2, &n2);
    MBS_TRY(mbs_blueprint_add_sense(context, blueprint, joint, n1, n2));
  }
  return MBS_OK;
}

// no turning about the line
static MbsStatus add_reference_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int second,
                                   const MbsDirection *u) {
  MbsDirection g1, g2, normal;
  MBS_TRY(find_references(context, blueprint, joint, second, u, &g1, &g2));
  mbs_direction_cross(blueprint->graph, u, &g1, &normal);
  return mbs_joint_add_normal_row(context, blueprint, joint, "does not turn", &normal, &g2);
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsDirection u;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, a.body, &u));
  MBS_TRY(mbs_joint_add_line_rows(context, blueprint, joint, a, b, &u));
  return blueprint->dimension == 3 ? add_reference_row(context, blueprint, joint, b.body, &u) : MBS_OK;
}

static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  bool is_planar = blueprint->dimension == 2;
  motion->count = 1;
  motion->motions[0].kind = MBS_MOTION_SLIDE;
  motion->motions[0].axis = is_planar ? 0 : 2;
  if (is_planar) {
    return mbs_frames_about_axes(context, blueprint, joint, fields, AXIS, AXIS2, a, b, 0, motion);
  }
  MbsDirection u1, u2, g1, g2;
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, a.body, &u1));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS2, AXIS, b.body, &u2));
  MBS_TRY(find_references(context, blueprint, joint, b.body, &u1, &g1, &g2));
  motion->on[0] = mbs_frame_along(blueprint, a, &u1, &g1);
  motion->on[1] = mbs_frame_along(blueprint, b, &u2, &g2);
  return MBS_OK;
}

const MbsJointType mbs_joint_prismatic = {
    .record = {"prismatic", "one body slides along a line of another without turning", MBS_COUNT(fields), fields},
    .connect = connect,
    .rows = rows,
    .motion = motion,
};
