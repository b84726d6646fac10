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

// in the plane: at `angle` from the first body's own
static MbsStatus x_axis_on_first(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int body,
                                 MbsDirection *direction) {
  MbsGraph *g = blueprint->graph;
  MbsNode angle;
  MBS_TRY(mbs_blueprint_number(context, blueprint, mbs_joint_name(blueprint, joint), &fields[ANGLE],
                               mbs_record_text(joint, ANGLE), &angle));
  *direction =
      (MbsDirection){.body = body,
                     .local = {mbs_graph_apply(g, MBS_OP_COS, angle, MBS_NODE_NONE),
                               mbs_graph_apply(g, MBS_OP_SIN, angle, MBS_NODE_NONE), mbs_graph_constant(g, 0)}};
  return MBS_OK;
}

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  MBS_TRY(mbs_blueprint_join_points(context, blueprint, joint, a, b));
  MbsDirection on_a, on_b = mbs_direction_axis(blueprint->graph, b.body, 0);
  MBS_TRY(blueprint->dimension == 3 ? axis_on_first(context, blueprint, joint, a.body, 0, &on_a)
                                    : x_axis_on_first(context, blueprint, joint, a.body, &on_a));
  if (blueprint->dimension == 3) {
    MbsDirection Y, normal;
    MBS_TRY(axis_on_first(context, blueprint, joint, a.body, 1, &Y));
    mbs_direction_cross(blueprint->graph, &on_a, &Y, &normal);
    MbsDirection z2 = mbs_direction_axis(blueprint->graph, b.body, 2);
    MBS_TRY(mbs_blueprint_add_sense(context, blueprint, joint, normal, z2));
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

static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  motion->on[0] = mbs_frame_of_point(blueprint, a);
  motion->on[1] = mbs_frame_of_point(blueprint, b);
  if (blueprint->dimension == 2) {
    MbsDirection x;
    MBS_TRY(x_axis_on_first(context, blueprint, joint, a.body, &x));
    return mbs_frame_about(context, blueprint, a, &x, 0, &motion->on[0]);
  }
  MbsDirection X, Y;  // X stays along the second body's x, Y in the half plane of x and y on the side of y
  MBS_TRY(axis_on_first(context, blueprint, joint, a.body, 0, &X));
  MBS_TRY(axis_on_first(context, blueprint, joint, a.body, 1, &Y));
  MbsFrame along = mbs_frame_along(blueprint, a, &X, &Y);  // its axes are y, z, x of the second body
  for (int k = 0; k < 3; ++k) {
    motion->on[0].axes[0][k] = along.axes[2][k];
    motion->on[0].axes[1][k] = along.axes[0][k];
    motion->on[0].axes[2][k] = along.axes[1][k];
  }
  return MBS_OK;
}

const MbsJointType mbs_joint_fixed = {
    .record = {"fixed", "two bodies move as one", MBS_COUNT(fields), fields},
    .connect = connect,
    .rows = rows,
    .motion = motion,
};
