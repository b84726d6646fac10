// A force on a point, in global axes, given by expressions of time, signals and parameters.
#include "model/force.h"

enum { POINT, VALUE };

static const MbsField fields[] = {
    [POINT] = {"point_force", MBS_FIELD_POINT, .is_required = true, .summary = "the point it acts on"},
    [VALUE] = {"value", MBS_FIELD_SIGNAL_VECTOR, .is_required = true, .unit = "N",
               .summary = "the force in global axes: expressions of t, signals and parameters"},
};

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsForceSpec spec;
  const char *owner;
  MBS_TRY(mbs_force_on_points(context, blueprint, record, mbs_record_value(record, POINT), &owner, &spec));
  unsigned use = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME;
  const MbsValue *value = mbs_record_value(record, VALUE);
  MbsExpression whole = {.size = blueprint->dimension};
  if (value->count == 1) {
    MBS_TRY(mbs_signal_parse(context, blueprint, owner, value->texts[0], blueprint->dimension, use, 0, NULL, &whole));
  } else {
    for (int k = 0; k < value->count; ++k) {
      MbsExpression component;
      MBS_TRY(mbs_signal_parse(context, blueprint, owner, value->texts[k], 1, use, 0, NULL, &component));
      whole.node[k] = component.node[0];
    }
  }
  MbsNode *expressions;
  MBS_TAKE(context, blueprint->arena, expressions, blueprint->dimension);
  for (int k = 0; k < blueprint->dimension; ++k) {
    expressions[k] = whole.node[k];
  }
  spec.expressions = expressions;
  MBS_APPEND(context, blueprint->arena, &blueprint->forces, spec);
  return MBS_OK;
}

const MbsForceType mbs_force_point_force = {
    .record = {"point_force", "a force on a point by expressions, in global axes", MBS_COUNT(fields), fields},
    .build = build,
};
