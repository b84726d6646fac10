// A rack and pinion couples a slide to an angle: slide(second) = radius angle(first) + offset.
#include "model/joint.h"

enum { JOINTS, RADIUS, OFFSET };

static const MbsField fields[] = {
    [JOINTS] = {"rack", MBS_FIELD_JOINT_PAIR, .is_required = true,
                .summary = "the pinion's revolute joint and the rack's prismatic joint, by name"},
    [RADIUS] = {"radius", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_ZERO, .mirror = MBS_MIRROR_ANGULAR,
                .is_required = true, .unit = "m/rad",
                .summary = "way of the rack per angle of the pinion (negative: opposite sense)"},
    [OFFSET] = {"offset", MBS_FIELD_NUMBER, .default_text = "0", .unit = "m",
                .summary = "slide of the rack where the pinion's angle is zero"},
};

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsNode angle, slide;
  MBS_TRY(mbs_joint_coordinate(context, blueprint, joint, mbs_record_value(joint, JOINTS)->texts[0], "angle", &angle));
  MBS_TRY(mbs_joint_coordinate(context, blueprint, joint, mbs_record_value(joint, JOINTS)->texts[1], "slide", &slide));
  return mbs_joint_add_coupling(context, blueprint, joint, fields, RADIUS, OFFSET, angle, slide);
}

const MbsJointType mbs_joint_rack = {
    .record = {"rack", "couples the slide of a joint to the angle of another", MBS_COUNT(fields), fields},
    .rows = rows,
};
