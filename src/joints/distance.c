// Distance joint: two points keep their distance, as if tied by a massless rod.
//     Phi = dot(d, d) - L^2,  d = r2 - r1
#include "model/joint.h"

enum { ENDS, LENGTH };

static const MbsField fields[] = {
    [ENDS] = {"distance", MBS_FIELD_POINT_PAIR, .is_required = true, .summary = "the two points"},
    [LENGTH] = {"length", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .is_required = true, .unit = "m",
                .summary = "their distance"},
};

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MbsForm d;
  MbsNode length;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  if (mbs_blueprint_is_same_point(blueprint, a, b)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(joint, ENDS)->texts[1].place,
                    "%s: a joint makes both its points one, so they have no distance",
                    mbs_joint_name(blueprint, joint));
  }
  MBS_TRY(mbs_blueprint_number(context, blueprint, mbs_joint_name(blueprint, joint), &fields[LENGTH],
                               mbs_record_text(joint, LENGTH), &length));
  MBS_TRY(mbs_joint_distance_form(context, blueprint, a, b, &d));
  return mbs_joint_add_dot_row(context, blueprint, joint, "length", &d, &d,
                               mbs_graph_multiply(blueprint->graph, length, length));
}

const MbsJointType mbs_joint_distance = {
    .record = {"distance", "two points keep their distance, as if tied by a massless rod", MBS_COUNT(fields), fields},
    .rows = rows,
};
