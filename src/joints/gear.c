// A gear couples the angles of two joints: angle(second) = ratio angle(first) + offset.
#include "model/joint.h"

enum { JOINTS, RATIO, OFFSET };

static const MbsField fields[] = {
    [JOINTS] = {"gear", MBS_FIELD_JOINT_PAIR, .is_required = true, .summary = "two revolute joints, by name"},
    [RATIO] = {"ratio", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
               .summary = "turns of the second joint per turn of the first (negative: opposite sense)"},
    [OFFSET] = {"offset", MBS_FIELD_NUMBER, .mirror = MBS_MIRROR_ANGULAR, .default_text = "0", .unit = "rad",
                .summary = "angle of the second joint where the first has none"},
};

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsNode first, second;
  MBS_TRY(mbs_joint_coordinate(context, blueprint, joint, mbs_record_value(joint, JOINTS)->texts[0], "angle", &first));
  MBS_TRY(mbs_joint_coordinate(context, blueprint, joint, mbs_record_value(joint, JOINTS)->texts[1], "angle", &second));
  return mbs_joint_add_coupling(context, blueprint, joint, fields, RATIO, OFFSET, first, second);
}

const MbsJointType mbs_joint_gear = {
    .record = {"gear", "couples the angles of two joints", MBS_COUNT(fields), fields},
    .rows = rows,
};
