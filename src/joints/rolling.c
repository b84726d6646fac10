// A disc of the second body rolls without slipping on a plane of the first (in the plane: a circle on a line).
//
// Centre C and axle u on the second body, radius R; plane through A with normal n on the first; d = r_C - r_A. With
// c = n.u and s = |n x u|, the sine of the angle between axle and normal, the rim's lowest point is at C + o,
//     o = -(R/s) (n - c u),            so it touches the plane where    n.d - R s = 0,     a holonomic row.
// It does not slip: seen from the first body, its velocity d* + Omega x o vanishes along the plane's directions t_1 and
// t_2 = n x t_1 (along n it is the rate of the row above). Here x* = x' - omega_1 x x and Omega = omega_2 - omega_1;
// with t.(Omega x n) = Omega.(n x t) and Omega x u = u* these are the nonholonomic rows
//     t_1.d* - (R/s) ( Omega.t_2 - c t_1.u*) = 0
//     t_2.d* - (R/s) (-Omega.t_1 - c t_2.u*) = 0
// and in the plane, where o = -R n and t = J n,  t.d* - R Omega = 0. The multipliers are (minus) the normal force and
// the components of friction. Where s = 0 the disc lies flat and has no lowest point: a condition.
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

// what the rows are made of
typedef struct Rolling {
  MbsPointReference a, b;
  MbsDirection normal;
  MbsNode radius;
  MbsForm d;
  MbsExpression d_seen;  // d*
  MbsExpression Omega;   // a number in the plane
} Rolling;

static MbsStatus position_of(MbsContext *context, MbsBlueprint *blueprint, const MbsDirection *direction,
                             MbsExpression *value) {
  MbsForm form;
  MBS_TRY(mbs_form_of_direction(context, blueprint, direction, &form));
  return mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, value);
}

static MbsStatus read(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, Rolling *x) {
  MbsExpression omega;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &x->a, &x->b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, x->a, x->b));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, NORMAL, NORMAL, x->a.body, &x->normal));
  MBS_TRY(mbs_blueprint_number(context, blueprint, mbs_joint_name(blueprint, joint), &fields[RADIUS],
                               mbs_record_text(joint, RADIUS), &x->radius));
  MBS_TRY(mbs_joint_distance_form(context, blueprint, x->a, x->b, &x->d));
  MBS_TRY(mbs_rotation_seen(context, blueprint, x->a.body, &x->d, &x->d_seen));
  MBS_TRY(mbs_rotation_rate(context, blueprint, x->b.body, false, &x->Omega));
  MBS_TRY(mbs_rotation_rate(context, blueprint, x->a.body, false, &omega));
  for (int k = 0; k < omega.size; ++k) {
    x->Omega.node[k] = mbs_graph_subtract(blueprint->graph, x->Omega.node[k], omega.node[k]);
  }
  return MBS_OK;
}

static MbsStatus rows_in_plane(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, const Rolling *x) {
  MbsGraph *g = blueprint->graph;
  MbsDirection tangent = {
      .body = x->a.body,
      .local = {mbs_graph_negate(g, x->normal.local[1]), x->normal.local[0], mbs_graph_constant(g, 0)}};
  MbsExpression t;
  MBS_TRY(position_of(context, blueprint, &tangent, &t));
  MbsNode slip = mbs_graph_subtract(g, mbs_node_dot(g, 2, t.node, x->d_seen.node),
                                    mbs_graph_multiply(g, x->radius, x->Omega.node[0]));
  MBS_TRY(mbs_joint_add_plane_row(context, blueprint, joint, "touches the line", x->a, x->b, &x->normal, x->radius));
  return mbs_joint_add_velocity_row(context, blueprint, joint, "no slip", slip);
}

static MbsStatus rows_in_space(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, const Rolling *x) {
  static const char *const names[] = {"no slip, 1", "no slip, 2"};
  MbsGraph *g = blueprint->graph;
  MbsDirection axle, tangents[2];
  MbsForm axle_form;
  MbsExpression n, u, u_seen, d, t[2];
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXLE, AXLE, x->b.body, &axle));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &axle, &axle_form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &axle_form, MBS_SIGNAL_POSITION, &u));
  MBS_TRY(mbs_rotation_seen(context, blueprint, x->a.body, &axle_form, &u_seen));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &x->d, MBS_SIGNAL_POSITION, &d));
  MBS_TRY(position_of(context, blueprint, &x->normal, &n));
  MBS_TRY(mbs_direction_normals(context, blueprint, &x->normal, tangents));
  MbsNode c = mbs_node_dot(g, 3, n.node, u.node);
  MbsNode across[3], upwards[3];  // n x u; n - c u, in the disc's plane: s long
  for (int k = 0; k < 3; ++k) {
    across[k] = mbs_node_cross(g, n.node, u.node, k);
    upwards[k] = mbs_graph_subtract(g, n.node[k], mbs_graph_multiply(g, c, u.node[k]));
  }
  MbsNode s = mbs_node_norm(g, 3, across);
  MbsNode height = mbs_node_dot(g, 3, n.node, d.node);
  MBS_TRY(mbs_joint_add_condition(context, blueprint, joint, upwards, least_sine,
                                  "the axle is normal to the plane: the disc lies flat and cannot roll"));
  MBS_TRY(mbs_joint_add_expression_row(context, blueprint, joint, "touches the plane",
                                       mbs_graph_subtract(g, height, mbs_graph_multiply(g, x->radius, s)), false));
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(position_of(context, blueprint, &tangents[i], &t[i]));
  }
  MbsNode arm = mbs_graph_divide(g, x->radius, s);
  for (int i = 0; i < 2; ++i) {
    MbsNode turn = mbs_node_dot(g, 3, x->Omega.node, t[1 - i].node);  // Omega.(n x t_i), but for the sign
    turn = i == 0 ? turn : mbs_graph_negate(g, turn);
    MbsNode swing = mbs_graph_multiply(g, c, mbs_node_dot(g, 3, t[i].node, u_seen.node));
    MbsNode slip = mbs_graph_subtract(g, mbs_node_dot(g, 3, t[i].node, x->d_seen.node),
                                      mbs_graph_multiply(g, arm, mbs_graph_subtract(g, turn, swing)));
    MBS_TRY(mbs_joint_add_velocity_row(context, blueprint, joint, names[i], slip));
  }
  return MBS_OK;
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  Rolling x;
  MBS_TRY(read(context, blueprint, joint, &x));
  return blueprint->dimension == 2 ? rows_in_plane(context, blueprint, joint, &x)
                                   : rows_in_space(context, blueprint, joint, &x);
}

const MbsJointType mbs_joint_rolling = {
    .record = {"rolling", "a disc of one body rolls without slipping on a plane of another", MBS_COUNT(fields), fields},
    .rows = rows,
};
