// A force along a coordinate: with w any function of positions, the generalised force is F dw/dq, so that F does the
// work F dw. A torque along angle(J), a force along distance(P, Q) or slide(J), or a load on a coordinate of the
// model's own.
#include "model/force.h"

enum { COORDINATE, VALUE };

static const MbsField fields[] = {
    [COORDINATE] = {"coordinate_force", MBS_FIELD_SIGNAL, .is_required = true,
                    .summary = "the coordinate it acts along: an expression of positions and t such as angle(J), "
                               "distance(P, Q), or x of the "
                               "model's own"},
    [VALUE] = {"value", MBS_FIELD_SIGNAL, .is_required = true,
               .summary = "the force that does work along it: an expression of its value and rate, t, signals and "
                          "parameters, such as -k*(value - x0) - c*rate"},
};

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  const char *owner = mbs_force_name(blueprint, record);
  const unsigned use = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME;
  MbsNode w, rate;
  MbsExpression value;
  MBS_TRY(mbs_force_read_coordinate(context, blueprint, owner, mbs_record_text(record, COORDINATE), &w, &rate));
  MbsLocalName locals[] = {{"value", w}, {"rate", rate}};
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, VALUE), 1, use, MBS_COUNT(locals), locals,
                           &value));
  const MbsForceAlong along = {.rate = rate, .value = value.node[0]};
  return mbs_force_add_along(context, blueprint, record, 1, &along, MBS_NODE_NONE);
}

const MbsForceType mbs_force_coordinate_force = {
    .record = {"coordinate_force", "a force along any coordinate: an angle, a distance, a slide, ...",
               MBS_COUNT(fields), fields},
    .build = build,
};
