// Knife edge (a blade, a skate, a wheel that cannot slip sideways): a point of the second body moves, as seen from the
// first body, along an edge of the second body only. With d = r2 - r1, E_k the axes of the first body, u the edge:
//     s . (d' - sum_k (d.E_k) E_k') = 0        nonholonomic: on velocities only
// where s is the sideways direction, in the plane J u, in space n x u for a normal n of the first body. In space the
// row leaves the point free along n: planar or point_on_plane hold it to a surface.
#include "expressions/vector.h"
#include "model/joint.h"
#include "model/rotation.h"

enum { ENDS, EDGE, NORMAL };

static const MbsField fields[] = {
    [ENDS] = {"knife_edge", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "any point of the body it moves on, and the point of the second body that does not move "
                         "sideways"},
    [EDGE] = {"edge", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true, .is_required = true,
              .summary = "direction of the edge in the axes of the second body (any length but zero)"},
    [NORMAL] = {"normal", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO,
                .summary =
                    "in space: normal of the surface in the axes of the first body; sideways is normal to it and "
                    "to the edge"},
};

static const double least_sine = 1e-3;

// sideways = J u in the plane, n x u in space
static MbsStatus find_sideways(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int first,
                               int second, MbsNode sideways[3]) {
  MbsGraph *g = blueprint->graph;
  MbsDirection edge, normal;
  MbsForm form;
  MbsExpression u, n;
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, EDGE, EDGE, second, &edge));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &edge, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &u));
  if (blueprint->dimension == 2) {
    sideways[0] = mbs_graph_negate(g, u.node[1]);
    sideways[1] = u.node[0];
    return MBS_OK;
  }
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, NORMAL, NORMAL, first, &normal));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &normal, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &n));
  for (int k = 0; k < 3; ++k) {
    sideways[k] = mbs_node_cross(g, n.node, u.node, k);
  }
  return mbs_joint_add_condition(context, blueprint, joint, sideways, least_sine,
                                 "the edge stands along the normal, so that no direction is sideways");
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsForm d;
  MbsNode sideways[3];
  MbsExpression velocity;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  MBS_TRY(find_sideways(context, blueprint, joint, a.body, b.body, sideways));
  MBS_TRY(mbs_joint_distance_form(context, blueprint, a, b, &d));
  MBS_TRY(mbs_rotation_seen(context, blueprint, a.body, &d, &velocity));
  return mbs_joint_add_velocity_row(context, blueprint, joint, "not sideways",
                                    mbs_node_dot(blueprint->graph, velocity.size, sideways, velocity.node));
}

const MbsJointType mbs_joint_knife_edge = {
    .record = {"knife_edge", "a point of one body moves on another along an edge only, not sideways", MBS_COUNT(fields),
               fields},
    .rows = rows,
};
