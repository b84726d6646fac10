// Prismatic joint: the second body slides along a line of the first without turning.
// The line passes through the first body's point along u = axis / |axis|; the second body's point is
// on it, and its own axis2 stays parallel to u (same sense). With d = r2 - r1 the remaining row is
//     dot(J u, d) = 0.
// The common direction is handed to the coordinates, which share it or write dot(J u1, u2) = 0.
#include "model/joint.h"

enum { ENDS, AXIS, AXIS2 };

static const MbsField fields[] = {
    [ENDS] = {"prismatic", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the line on the first body, and the point of the second body that slides on it"},
    [AXIS] = {"axis", MBS_FIELD_VECTOR, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
              .summary = "direction of the line in the axes of the first body (any length but zero)"},
    [AXIS2] = {"axis2", MBS_FIELD_VECTOR, .check = MBS_CHECK_NOT_ZERO,
               .summary = "the same direction in the axes of the second body (default: the numbers of axis)"},
};

static MbsStatus read_axis(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int field, int body,
                           MbsDirection *direction) {
  MbsGraph *g = blueprint->graph;
  const MbsValue *axis = mbs_record_value(joint, field);
  if (axis->count == 0) {
    axis = mbs_record_value(joint, AXIS);
  }
  MbsNode n[3];
  MBS_TRY(mbs_blueprint_vector(context, blueprint, joint->name.text, &fields[field], axis, n));
  MbsNode square = mbs_graph_constant(g, 0);
  for (int k = 0; k < 3; ++k) {
    square = mbs_graph_add(g, square, mbs_graph_multiply(g, n[k], n[k]));
  }
  MbsNode length = mbs_graph_apply(g, MBS_OP_SQRT, square, MBS_NODE_NONE);
  direction->body = body;
  for (int k = 0; k < 3; ++k) {
    direction->local[k] = mbs_graph_divide(g, n[k], length);
  }
  return MBS_OK;
}

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsDirection u1, u2;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  MBS_TRY(read_axis(context, blueprint, joint, AXIS, a.body, &u1));
  MBS_TRY(read_axis(context, blueprint, joint, AXIS2, b.body, &u2));
  MBS_TRY(mbs_blueprint_check_properties(context, blueprint));
  return mbs_blueprint_join_directions(context, blueprint, joint, u1, u2);
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsDirection u;
  MbsForm r1, r2, d, axis, normal;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(read_axis(context, blueprint, joint, AXIS, a.body, &u));
  MBS_TRY(mbs_form_of_point(context, blueprint, a, &r1));
  MBS_TRY(mbs_form_of_point(context, blueprint, b, &r2));
  MBS_TRY(mbs_form_subtract(context, blueprint, &r2, &r1, &d));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &u, &axis));
  MBS_TRY(mbs_form_turn(context, blueprint, &axis, &normal));
  return mbs_joint_add_dot_row(context, blueprint, joint, "on the line", &normal, &d,
                               mbs_graph_constant(blueprint->graph, 0));
}

const MbsJointType mbs_joint_prismatic = {
    .record = {"prismatic", "one body slides along a line of another without turning", MBS_COUNT(fields), fields},
    .connect = connect,
    .rows = rows,
};
