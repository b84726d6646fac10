// A constraint on velocities by expression: A v + b = 0 with A and b functions of positions, time and parameters.
// With b it is a driver of a velocity. Whether the row can be integrated to one on positions does not matter here;
// where it can, `constraint` or `driver` on the position leaves no drift.
#include "model/joint.h"

enum { EXPRESSION };

static const MbsField fields[] = {
    [EXPRESSION] = {"velocity_constraint", MBS_FIELD_SIGNAL, .is_required = true,
                    .summary = "an expression, linear in velocities, of v(), omega(), positions, t and parameters that "
                               "is kept at zero"},
};

// must be linear in the velocities, and depend on one
static MbsStatus check_linear(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsNode row) {
  bool *is_velocity;
  int degree;
  MBS_TAKE(context, blueprint->arena, is_velocity, blueprint->signals.count);
  for (int i = 0; i < blueprint->signals.count; ++i) {
    is_velocity[i] = blueprint->signals.items[i].kind == MBS_SIGNAL_VELOCITY;
  }
  MBS_TRY(mbs_graph_degree(context, blueprint->graph, row, is_velocity, &degree));
  if (degree == 1) {
    return MBS_OK;
  }
  return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_text(joint, EXPRESSION).place,
                  degree == 0 ? "%s: the expression does not depend on a velocity; use a \"constraint\" for positions"
                              : "%s: the expression is not linear in velocities; write it as sums of velocities times "
                                "functions of positions, t and parameters",
                  mbs_joint_name(blueprint, joint));
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsExpression row;
  MBS_TRY(mbs_signal_parse(context, blueprint, mbs_joint_name(blueprint, joint), mbs_record_text(joint, EXPRESSION), 1,
                           MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME | MBS_USE_NO_STATES, 0, NULL, &row));
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  MBS_TRY(check_linear(context, blueprint, joint, row.node[0]));
  return mbs_joint_add_velocity_row(context, blueprint, joint, "velocity expression is zero", row.node[0]);
}

const MbsJointType mbs_joint_velocity_constraint = {
    .record = {"velocity_constraint", "an expression, linear in velocities, that is kept at zero", MBS_COUNT(fields),
               fields},
    .rows = rows,
};
