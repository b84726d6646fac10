// Revolute joint: two bodies share a point. In the plane that is all.
#include "model/joint.h"

enum { ENDS };

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  const MbsValue *ends = mbs_record_value(joint, ENDS);
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, ends, &a, &b));
  return mbs_blueprint_join_points(context, blueprint, joint, a, b);
}

static const MbsField fields[] = {
    [ENDS] = {"revolute", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "the point on each body that they share"},
};

const MbsJointType mbs_joint_revolute = {
    .record = {"revolute", "two bodies turn about a common point", MBS_COUNT(fields), fields},
    .connect = connect,
};
