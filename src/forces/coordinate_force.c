// A force along a coordinate: with w any function of positions, the generalised force is F dw/dq, so that F does the
// work F dw. A torque along angle(J), a force along distance(P, Q) or slide(J), or a load on a coordinate of the
// model's own.
#include "model/force.h"

enum { COORDINATE, VALUE };

static const MbsField fields[] = {
    [COORDINATE] =
        {"coordinate_force", MBS_FIELD_SIGNAL, .is_required = true,
         .summary =
             "the coordinate it acts along: an expression of positions such as angle(J), distance(P, Q), or x of the "
             "model's own"},
    [VALUE] = {"value", MBS_FIELD_SIGNAL, .is_required = true,
               .summary = "the force that does work along it: an expression of its value and rate, t, signals and "
                          "parameters, such as -k*(value - x0) - c*rate"},
};

// the forms whose positions w depends on
static MbsStatus list_ports(MbsContext *context, MbsBlueprint *blueprint, MbsNode w, int *count, const int **inputs,
                            int **form_of_port, int *port_count) {
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, w, count, inputs));
  MBS_TAKE(context, blueprint->arena, *form_of_port, *count);
  *port_count = 0;
  for (int i = 0; i < *count; ++i) {
    MbsSignal signal = blueprint->signals.items[(*inputs)[i]];
    bool is_new = signal.kind == MBS_SIGNAL_POSITION;
    for (int p = 0; p < *port_count && is_new; ++p) {
      is_new = (*form_of_port)[p] != signal.index;
    }
    if (is_new) {
      (*form_of_port)[(*port_count)++] = signal.index;
    }
  }
  return MBS_OK;
}

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsGraph *g = blueprint->graph;
  const char *owner = mbs_force_name(blueprint, record);
  const unsigned use = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME;
  MbsExpression w, value;
  MbsNode rate;
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, COORDINATE), 1, MBS_USE_POSITION, 0, NULL,
                           &w));
  MBS_TRY(mbs_signal_rate(context, blueprint, w.node[0], &rate));
  MbsLocalName locals[] = {{"value", w.node[0]}, {"rate", rate}};
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, VALUE), 1, use, MBS_COUNT(locals), locals,
                           &value));
  int count = 0, port_count = 0, d = blueprint->dimension;
  const int *inputs;
  int *form_of_port, *bodies;
  MBS_TRY(list_ports(context, blueprint, w.node[0], &count, &inputs, &form_of_port, &port_count));
  if (port_count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_text(record, COORDINATE).place,
                    "%s: \"%s\" does not depend on any position", owner, mbs_record_text(record, COORDINATE).text);
  }
  MbsForm *ports;
  MbsNode *expressions;
  MBS_TAKE(context, blueprint->arena, ports, port_count);
  MBS_TAKE(context, blueprint->arena, bodies, port_count);
  MBS_TAKE(context, blueprint->arena, expressions, port_count * d);
  for (int p = 0; p < port_count; ++p) {
    ports[p] = blueprint->signal_forms.items[form_of_port[p]];
    bodies[p] = -1;  // a form may belong to several bodies
    for (int k = 0; k < d; ++k) {
      expressions[p * d + k] = mbs_graph_constant(g, 0);
    }
    for (int i = 0; i < count; ++i) {
      MbsSignal signal = blueprint->signals.items[inputs[i]];
      if (signal.kind == MBS_SIGNAL_POSITION && signal.index == form_of_port[p]) {
        expressions[p * d + signal.component] =
            mbs_graph_multiply(g, value.node[0], mbs_graph_derivative(g, w.node[0], inputs[i]));
      }
    }
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->forces,
             (MbsForceSpec){.name = owner,
                            .place = record->name.place,
                            .port_count = port_count,
                            .ports = ports,
                            .port_body = bodies,
                            .expressions = expressions,
                            .energy = MBS_NODE_NONE});
  return MBS_OK;
}

const MbsForceType mbs_force_coordinate_force = {
    .record = {"coordinate_force", "a force along any coordinate: an angle, a distance, a slide, ...",
               MBS_COUNT(fields), fields},
    .build = build,
};
