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

static MbsStatus motion(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsJointMotion *motion) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  motion->count = 1;
  motion->motions[0].kind = MBS_MOTION_BALL;
  motion->on[0] = mbs_frame_of_point(blueprint, a);
  motion->on[1] = mbs_frame_of_point(blueprint, b);
  return MBS_OK;
}

const MbsJointType mbs_joint_spherical = {
    .record = {"spherical", "two bodies turn freely about a common point", MBS_COUNT(fields), fields},
    .only_dimension = 3,
    .connect = connect,
    .motion = motion,
};
