// Drag of the air on a point, against its velocity w = v - wind through it:
//     F = -1/2 density coefficient area |w| w,      |w| = sqrt(w.w + e^2), e = 1e-9 m/s
// e takes nothing from F that could be seen, and gives |w| w the derivative that it has at rest, zero, where that of
// sqrt(w.w) alone is none.
#include "expressions/vector.h"
#include "model/force.h"

enum { POINT, COEFFICIENT, AREA, DENSITY, WIND };

static const MbsField fields[] = {
    [POINT] = {"air_drag", MBS_FIELD_POINT, .is_required = true, .summary = "the point it acts on"},
    [COEFFICIENT] = {"coefficient", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .is_required = true,
                     .summary = "drag coefficient"},
    [AREA] = {"area", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .is_required = true, .unit = "m2",
              .summary = "the area that the coefficient is for"},
    [DENSITY] = {"density", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "1.2", .unit = "kg/m3",
                 .summary = "of the air"},
    [WIND] = {"wind", MBS_FIELD_SIGNAL_VECTOR, .unit = "m/s",
              .summary = "velocity of the air: expressions of t, positions and parameters (default: none)"},
};

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  static const int factors[] = {COEFFICIENT, AREA, DENSITY};
  const double e = 1e-9;
  MbsGraph *g = blueprint->graph;
  const char *owner;
  MbsForceSpec spec;
  MbsExpression w, wind;
  MbsNode *expressions, k = mbs_graph_constant(g, -0.5);
  int d = blueprint->dimension;
  MBS_TRY(mbs_force_on_points(context, blueprint, record, mbs_record_value(record, POINT), &owner, &spec));
  for (int i = 0; i < MBS_COUNT(factors); ++i) {
    MbsNode factor;
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[factors[i]], mbs_record_text(record, factors[i]),
                                 &factor));
    k = mbs_graph_multiply(g, k, factor);
  }
  MBS_TRY(mbs_signal_of_form(context, blueprint, &spec.ports[0], MBS_SIGNAL_VELOCITY, &w));
  if (mbs_record_value(record, WIND)->is_given) {
    MBS_TRY(mbs_force_read_vector(context, blueprint, owner, mbs_record_value(record, WIND), d, &wind));
    for (int i = 0; i < d; ++i) {
      w.node[i] = mbs_graph_subtract(g, w.node[i], wind.node[i]);
    }
  }
  MbsNode square = mbs_graph_add(g, mbs_node_dot(g, d, w.node, w.node), mbs_graph_constant(g, e * e));
  k = mbs_graph_multiply(g, k, mbs_graph_apply(g, MBS_OP_SQRT, square, MBS_NODE_NONE));
  MBS_TAKE(context, blueprint->arena, expressions, d);
  for (int i = 0; i < d; ++i) {
    expressions[i] = mbs_graph_multiply(g, k, w.node[i]);
  }
  spec.expressions = expressions;
  MBS_APPEND(context, blueprint->arena, &blueprint->forces, spec);
  return MBS_OK;
}

const MbsForceType mbs_force_air_drag = {
    .record = {"air_drag", "drag of the air on a point, against its velocity", MBS_COUNT(fields), fields},
    .build = build,
};
