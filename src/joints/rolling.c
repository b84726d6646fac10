// A disc of the second body rolls without slipping on a plane of the first (in the plane: a circle on a line).
// Axle u through the centre C on the second body, radius R; plane through A with normal n on the first; d = r_C - r_A.
// With e_k the axes of the second body, l_k = u.e_k (given numbers), N_k = n.e_k and c = n.u = sum l_k N_k, the lowest
// point of the rim is at C + sum o_k e_k,
//     o_k = -(R/s) (N_k - c l_k),   s = sqrt(1 - c^2), the sine of the angle between axle and normal;
// in the plane o_k = -R N_k. Then
//     n.d - R s = 0                     it touches the plane                                         holonomic
//     t_i.w = 0                         w, the velocity of the rim's lowest point as seen from the plane's body
//                                       (mbs_rotation_seen), vanishes along the plane's directions t_i, nonholonomic
// (n.w = 0 is the rate of the first row). Where s = 0 the disc lies flat and has no lowest point: a condition.
// The multipliers are (minus) the normal force and the components of friction along t_i.
#include "expressions/vector.h"
#include "model/joint.h"
#include "model/rotation.h"

enum { ENDS, NORMAL, AXLE, RADIUS };

static const MbsField fields[] = {
    [ENDS] = {"rolling", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the plane on the first body, and the centre of the disc on the second"},
    [NORMAL] = {"normal", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
                .summary = "normal of the plane in the axes of the first body, to the side where the disc is (any "
                           "length but zero); in the plane: of the line"},
    [AXLE] = {"axle", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true,
              .summary = "in space: direction of the axle in the axes of the second body (any length but zero)"},
    [RADIUS] = {"radius", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .is_required = true, .unit = "m",
                .summary = "radius of the disc"},
};

static const double least_sine = 1e-3;

// the disc touches the plane, in space; lowest: o_k
static MbsStatus touch_plane(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsPointReference a,
                             MbsPointReference b, const MbsExpression *n, MbsNode radius, MbsNode lowest[3]) {
  MbsGraph *g = blueprint->graph;
  MbsDirection axle;
  MbsExpression axes[3], d;
  MbsForm r[2], difference;
  MbsNode N[3];
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXLE, AXLE, b.body, &axle));
  MBS_TRY(mbs_rotation_axes(context, blueprint, b.body, axes));
  for (int k = 0; k < 3; ++k) {
    N[k] = mbs_node_dot(g, 3, n->node, axes[k].node);
  }
  MbsNode c = mbs_node_dot(g, 3, axle.local, N);
  MbsNode square = mbs_graph_subtract(g, mbs_graph_constant(g, 1), mbs_graph_multiply(g, c, c));
  MbsNode s = mbs_graph_apply(g, MBS_OP_SQRT, square, MBS_NODE_NONE);
  MbsNode scale = mbs_graph_negate(g, mbs_graph_divide(g, radius, s));
  for (int k = 0; k < 3; ++k) {
    MbsNode across = mbs_graph_subtract(g, N[k], mbs_graph_multiply(g, c, axle.local[k]));
    lowest[k] = mbs_graph_multiply(g, scale, across);
  }
  MBS_TRY(mbs_joint_add_condition(context, blueprint, joint, s, least_sine,
                                  "the axle is normal to the plane: the disc lies flat and cannot roll"));
  MBS_TRY(mbs_form_of_point(context, blueprint, a, &r[0]));
  MBS_TRY(mbs_form_of_point(context, blueprint, b, &r[1]));
  MBS_TRY(mbs_form_subtract(context, blueprint, &r[1], &r[0], &difference));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &difference, MBS_SIGNAL_POSITION, &d));
  MbsNode height = mbs_node_dot(g, 3, n->node, d.node);
  return mbs_joint_add_expression_row(context, blueprint, joint, "touches the plane",
                                      mbs_graph_subtract(g, height, mbs_graph_multiply(g, radius, s)), false);
}

// the circle touches the line, in the plane
static MbsStatus touch_line(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsPointReference a,
                            MbsPointReference b, const MbsDirection *normal, const MbsExpression *n, MbsNode radius,
                            MbsNode lowest[3]) {
  MbsGraph *g = blueprint->graph;
  MbsExpression axes[3];
  MBS_TRY(mbs_rotation_axes(context, blueprint, b.body, axes));
  for (int k = 0; k < 2; ++k) {
    lowest[k] = mbs_graph_negate(g, mbs_graph_multiply(g, radius, mbs_node_dot(g, 2, n->node, axes[k].node)));
  }
  return mbs_joint_add_plane_row(context, blueprint, joint, "touches the line", a, b, normal, radius);
}

static MbsStatus no_slip(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, const char *what,
                         const MbsDirection *tangent, const MbsExpression *slip) {
  MbsForm form;
  MbsExpression t;
  MBS_TRY(mbs_form_of_direction(context, blueprint, tangent, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &t));
  return mbs_joint_add_velocity_row(context, blueprint, joint, what,
                                    mbs_node_dot(blueprint->graph, t.size, t.node, slip->node));
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsGraph *g = blueprint->graph;
  MbsPointReference a, b;
  MbsDirection normal, tangents[2];
  MbsForm form;
  MbsExpression n, slip;
  MbsNode radius, lowest[3];
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, NORMAL, NORMAL, a.body, &normal));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &normal, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &n));
  MBS_TRY(mbs_blueprint_number(context, blueprint, mbs_joint_name(blueprint, joint), &fields[RADIUS],
                               mbs_record_text(joint, RADIUS), &radius));
  if (blueprint->dimension == 2) {
    MBS_TRY(touch_line(context, blueprint, joint, a, b, &normal, &n, radius, lowest));
    MBS_TRY(mbs_rotation_seen(context, blueprint, a, b, lowest, &slip));
    tangents[0] = (MbsDirection){
        .body = a.body, .local = {mbs_graph_negate(g, normal.local[1]), normal.local[0], mbs_graph_constant(g, 0)}};
    return no_slip(context, blueprint, joint, "no slip", &tangents[0], &slip);
  }
  MBS_TRY(touch_plane(context, blueprint, joint, a, b, &n, radius, lowest));
  MBS_TRY(mbs_rotation_seen(context, blueprint, a, b, lowest, &slip));
  MBS_TRY(mbs_direction_normals(context, blueprint, &normal, tangents));
  MBS_TRY(no_slip(context, blueprint, joint, "no slip, 1", &tangents[0], &slip));
  return no_slip(context, blueprint, joint, "no slip, 2", &tangents[1], &slip);
}

const MbsJointType mbs_joint_rolling = {
    .record = {"rolling", "a disc of one body rolls without slipping on a plane of another", MBS_COUNT(fields), fields},
    .rows = rows,
};
