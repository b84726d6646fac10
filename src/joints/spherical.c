// Spherical joint: two bodies share a point.
#include "model/joint.h"

enum { ENDS };

static const MbsField fields[] = {
    [ENDS] = {"spherical", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "the point on each body that they share"},
};

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  return mbs_blueprint_join_points(context, blueprint, joint, a, b);
}

const MbsJointType mbs_joint_spherical = {
    .record = {"spherical", "two bodies turn freely about a common point", MBS_COUNT(fields), fields},
    .only_dimension = 3,
    .connect = connect,
};
