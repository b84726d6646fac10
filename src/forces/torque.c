// A torque on a body by expressions of time, signals and parameters: a number in the plane, a vector in space, in
// global axes or in those of the body (then it follows the body). With a second body, the opposite torque acts on that.
#include "model/force.h"
#include "model/rotation.h"

enum { BODY, VALUE, AXES, AGAINST };

static const char *const axes_choices[] = {"global", "body", NULL};

static const MbsField fields[] = {
    [BODY] = {"torque", MBS_FIELD_BODY, .is_required = true, .summary = "the body it acts on"},
    [VALUE] = {"value", MBS_FIELD_TORQUE, .mirror = MBS_MIRROR_ANGULAR, .is_required = true, .unit = "N m",
               .summary = "the torque, in space a vector: expressions of t, signals and parameters"},
    [AXES] = {"axes", MBS_FIELD_CHOICE, .default_text = "global", .choices = axes_choices,
              .summary = "in space: the axes of its components; with those of the body it follows the body"},
    [AGAINST] = {"against", MBS_FIELD_BODY, .summary = "the body that the opposite torque acts on"},
};

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  const char *owner = mbs_force_name(blueprint, record);
  const int names[] = {BODY, AGAINST};
  int bodies[2], count = mbs_record_text(record, AGAINST).text ? 2 : 1, size = blueprint->dimension == 2 ? 1 : 3;
  for (int i = 0; i < count; ++i) {
    MbsText name = mbs_record_text(record, names[i]);
    MBS_TRY(mbs_blueprint_find_body(context, blueprint, owner, name, &bodies[i]));
    MBS_TRY(mbs_force_needs_rigid(context, blueprint, owner, name, bodies[i]));
  }
  MbsExpression torque, opposite = {.size = size};
  MBS_TRY(mbs_force_read_vector(context, blueprint, owner, mbs_record_value(record, VALUE), size, &torque));
  if (size == 3 && strcmp(mbs_record_text(record, AXES).text, "body") == 0) {
    MBS_TRY(mbs_rotation_to_global(context, blueprint, bodies[0], &torque));
  }
  for (int k = 0; k < size; ++k) {
    opposite.node[k] = mbs_graph_negate(blueprint->graph, torque.node[k]);
  }
  const MbsExpression *torques[] = {&torque, &opposite};
  return mbs_force_add_torques(context, blueprint, record, count, bodies, torques, MBS_NODE_NONE);
}

const MbsForceType mbs_force_torque = {
    .record = {"torque", "a torque on a body, or between two, by expressions", MBS_COUNT(fields), fields},
    .build = build,
};
