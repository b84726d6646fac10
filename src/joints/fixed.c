// Fixed joint: two bodies share a point and a direction, so they move as one.
// The second body's x axis stands at `angle` from the first body's.
#include "model/joint.h"

enum { ENDS, ANGLE };

static const MbsField fields[] = {
    [ENDS] = {"fixed", MBS_FIELD_POINT_PAIR, .is_required = true, .summary = "the point on each body that they share"},
    [ANGLE] = {"angle", MBS_FIELD_NUMBER, .default_text = "0", .unit = "rad",
               .summary = "angle of the second body's x axis from the first body's"},
};

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsGraph *g = blueprint->graph;
  MbsPointReference a, b;
  MbsNode angle;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  MBS_TRY(mbs_blueprint_number(context, blueprint, joint->name.text, &fields[ANGLE], mbs_record_text(joint, ANGLE),
                               &angle));
  MBS_TRY(mbs_blueprint_join_points(context, blueprint, joint, a, b));
  MbsNode zero = mbs_graph_constant(g, 0);
  MbsDirection on_a = {.body = a.body,
                       .local = {mbs_graph_apply(g, MBS_OP_COS, angle, MBS_NODE_NONE),
                                 mbs_graph_apply(g, MBS_OP_SIN, angle, MBS_NODE_NONE), zero}};
  MbsDirection on_b = {.body = b.body, .local = {mbs_graph_constant(g, 1), zero, zero}};
  return mbs_blueprint_join_directions(context, blueprint, joint, on_a, on_b);
}

const MbsJointType mbs_joint_fixed = {
    .record = {"fixed", "two bodies move as one", MBS_COUNT(fields), fields},
    .connect = connect,
};
