// A driver: a coordinate (any function of positions) follows a function of time and parameters.
//     Phi = w(q) - f(t)
// Where f has a kink velocities follow by an impulse; where it jumps nothing can follow (model/branch.c).
// Its multiplier is (minus) the force or torque that the drive needs, in the units that do work with w.
#include "model/joint.h"

enum { COORDINATE, VALUE };

static const MbsField fields[] = {
    [COORDINATE] = {"driver", MBS_FIELD_SIGNAL, .is_required = true,
                    .summary = "the coordinate: angle(crank), distance(A, B), slide(guide), r(P).x, ..."},
    [VALUE] = {"value", MBS_FIELD_SIGNAL, .is_required = true,
               .summary = "its value over time: an expression of t and parameters"},
};

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  const char *owner = mbs_joint_name(blueprint, joint);
  MbsExpression w, trajectory;
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(joint, COORDINATE), 1,
                           MBS_USE_POSITION | MBS_USE_PRESCRIBING, 0, NULL, &w));
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(joint, VALUE), 1,
                           MBS_USE_TIME | MBS_USE_PRESCRIBING, 0, NULL, &trajectory));
  MbsNode phi = mbs_graph_subtract(blueprint->graph, w.node[0], trajectory.node[0]);
  return mbs_joint_add_expression_row(context, blueprint, joint, "follows its trajectory", phi, true);
}

const MbsJointType mbs_joint_driver = {
    .record = {"driver", "a coordinate follows a function of time and parameters", MBS_COUNT(fields), fields},
    .rows = rows,
};
