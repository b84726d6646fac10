// Fixed joint: two bodies share a point and all directions, so they move as one.
// In the plane the second body's x axis stands at `angle` from the first body's. In space x_axis and y_axis say where
// the second body's axes point in the first body: with X, Y normalised, x2 is parallel to X, and dot(X x Y, y2) = 0.
#include "model/joint.h"

enum { ENDS, ANGLE, X_AXIS, Y_AXIS };

static const MbsField fields[] = {
    [ENDS] = {"fixed", MBS_FIELD_POINT_PAIR, .is_required = true, .summary = "the point on each body that they share"},
    [ANGLE] = {"angle", MBS_FIELD_NUMBER, .mirror = MBS_MIRROR_ANGULAR, .default_text = "0", .unit = "rad",
               .summary = "in the plane: angle of the second body's x axis from the first body's"},
    [X_AXIS] = {"x_axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .mirror = MBS_MIRROR_X_AXIS,
                .summary =
                    "in space: the second body's x axis in the axes of the first (default: the first body's own)"},
    [Y_AXIS] = {"y_axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .mirror = MBS_MIRROR_Y_AXIS,
                .summary =
                    "in space: the second body's y axis in the axes of the first (default: the first body's own)"},
};

// the second body's axis (0: x, 1: y) as a direction of the first
static MbsStatus axis_on_first(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int body, int axis,
                               MbsDirection *direction) {
  int field = axis == 0 ? X_AXIS : Y_AXIS;
  if (mbs_record_value(joint, field)->count == 0) {
    *direction = mbs_direction_axis(blueprint->graph, body, axis);
    return MBS_OK;
  }
  return mbs_joint_direction(context, blueprint, joint, fields, field, field, body, direction);
}

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsGraph *g = blueprint->graph;
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  MBS_TRY(mbs_blueprint_join_points(context, blueprint, joint, a, b));
  MbsDirection on_a = {.body = a.body}, on_b = mbs_direction_axis(g, b.body, 0);
  if (blueprint->dimension == 3) {
    MBS_TRY(axis_on_first(context, blueprint, joint, a.body, 0, &on_a));
  } else {
    MbsNode angle;
    MBS_TRY(mbs_blueprint_number(context, blueprint, mbs_joint_name(blueprint, joint), &fields[ANGLE],
                                 mbs_record_text(joint, ANGLE), &angle));
    on_a.local[0] = mbs_graph_apply(g, MBS_OP_COS, angle, MBS_NODE_NONE);
    on_a.local[1] = mbs_graph_apply(g, MBS_OP_SIN, angle, MBS_NODE_NONE);
    on_a.local[2] = mbs_graph_constant(g, 0);
  }
  return mbs_blueprint_join_directions(context, blueprint, joint, on_a, on_b);
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  if (blueprint->dimension == 2) {
    return MBS_OK;
  }
  MbsPointReference a, b;
  MbsDirection X, Y, normal;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(axis_on_first(context, blueprint, joint, a.body, 0, &X));
  MBS_TRY(axis_on_first(context, blueprint, joint, a.body, 1, &Y));
  mbs_direction_cross(blueprint->graph, &X, &Y, &normal);
  MbsDirection y2 = mbs_direction_axis(blueprint->graph, b.body, 1);
  return mbs_joint_add_normal_row(context, blueprint, joint, "does not turn", &normal, &y2);
}

const MbsJointType mbs_joint_fixed = {
    .record = {"fixed", "two bodies move as one", MBS_COUNT(fields), fields},
    .connect = connect,
    .rows = rows,
};
