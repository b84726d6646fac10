// A constraint by expression: a function of positions, time and parameters that stays zero.
#include "model/joint.h"

enum { EXPRESSION };

static const MbsField fields[] = {
    [EXPRESSION] = {"constraint", MBS_FIELD_SIGNAL, .is_required = true,
                    .summary = "an expression of positions, angles, t and parameters that is kept at zero"},
};

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsExpression phi;
  MBS_TRY(mbs_signal_parse(context, blueprint, mbs_joint_name(blueprint, joint), mbs_record_text(joint, EXPRESSION), 1,
                           MBS_USE_POSITION | MBS_USE_TIME | MBS_USE_PRESCRIBING, 0, NULL, &phi));
  return mbs_joint_add_expression_row(context, blueprint, joint, "expression is zero", phi.node[0], false);
}

const MbsJointType mbs_joint_constraint = {
    .record = {"constraint", "an expression of positions, time and parameters that is kept at zero", MBS_COUNT(fields),
               fields},
    .rows = rows,
};
