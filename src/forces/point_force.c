// A force on a point by expressions of time, signals and parameters, in global axes or in those of the point's body
// (then it follows the body). With a second point it is a pair: the force on the first, its opposite on the second,
// which make a couple unless they are along the line of the two points.
#include "model/force.h"
#include "model/rotation.h"

enum { POINT, VALUE, AXES, AGAINST };

static const char *const axes_choices[] = {"global", "body", NULL};

static const MbsField fields[] = {
    [POINT] = {"point_force", MBS_FIELD_POINT, .is_required = true, .summary = "the point it acts on"},
    [VALUE] = {"value", MBS_FIELD_SIGNAL_VECTOR, .is_required = true, .unit = "N",
               .summary = "the force: expressions of t, signals and parameters"},
    [AXES] = {"axes", MBS_FIELD_CHOICE, .default_text = "global", .choices = axes_choices,
              .summary = "the axes of its components; with those of the point's body it follows the body"},
    [AGAINST] =
        {"against", MBS_FIELD_POINT,
         .summary = "the point of another body that the opposite force acts on; the two make a couple unless the force "
                    "is along their line"},
};

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsForceSpec spec;
  const char *owner;
  MbsText texts[2] = {mbs_record_text(record, POINT), mbs_record_text(record, AGAINST)};
  MbsValue points = {.count = texts[1].text ? 2 : 1, .texts = texts};
  MbsExpression force;
  int d = blueprint->dimension;
  MBS_TRY(mbs_force_on_points(context, blueprint, record, &points, &owner, &spec));
  MBS_TRY(mbs_force_read_vector(context, blueprint, owner, mbs_record_value(record, VALUE), d, &force));
  if (strcmp(mbs_record_text(record, AXES).text, "body") == 0) {
    MBS_TRY(mbs_force_needs_rigid(context, blueprint, owner, texts[0], spec.port_body[0]));
    MBS_TRY(mbs_rotation_to_global(context, blueprint, spec.port_body[0], &force));
  }
  MbsNode *expressions;
  MBS_TAKE(context, blueprint->arena, expressions, 2 * d);
  for (int k = 0; k < d; ++k) {
    expressions[k] = force.node[k];
    expressions[d + k] = mbs_graph_negate(blueprint->graph, force.node[k]);
  }
  spec.expressions = expressions;
  MBS_APPEND(context, blueprint->arena, &blueprint->forces, spec);
  return MBS_OK;
}

const MbsForceType mbs_force_point_force = {
    .record = {"point_force", "a force on a point, or between two, by expressions", MBS_COUNT(fields), fields},
    .build = build,
};
