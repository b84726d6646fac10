#include "model/force.h"

#include "model/rotation.h"

const char *mbs_force_name(const MbsBlueprint *blueprint, const MbsRecord *force) {
  const char *name = mbs_arena_print(blueprint->arena, "force \"%s\"", force->name.text);
  return name ? name : force->name.text;
}

MbsStatus mbs_force_on_points(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *force,
                              const MbsValue *points, const char **owner, MbsForceSpec *spec) {
  MbsForm *ports;
  int *bodies;
  MBS_TAKE(context, blueprint->arena, ports, points->count);
  MBS_TAKE(context, blueprint->arena, bodies, points->count);
  *owner = mbs_force_name(blueprint, force);
  MbsPointReference first = {0};
  for (int i = 0; i < points->count; ++i) {
    MbsPointReference point;
    MBS_TRY(mbs_blueprint_find_point(context, blueprint, *owner, points->texts[i], &point));
    MBS_TRY(mbs_form_of_point(context, blueprint, point, &ports[i]));
    bodies[i] = point.body;
    if (i > 0 && bodies[i] == bodies[0]) {
      return mbs_fail(context, MBS_ERROR_INPUT, points->texts[i].place, "%s: both points are on body \"%s\"", *owner,
                      blueprint->bodies.items[bodies[i]].name);
    }
    first = i == 0 ? point : first;
    if (i > 0 && mbs_blueprint_is_same_point(blueprint, first, point)) {
      return mbs_fail(context, MBS_ERROR_INPUT, points->texts[i].place,
                      "%s: a joint makes both its points one, so it has no length", *owner);
    }
  }
  *spec = (MbsForceSpec){.name = *owner,
                         .place = force->name.place,
                         .port_count = points->count,
                         .ports = ports,
                         .port_body = bodies,
                         .energy = MBS_NODE_NONE};
  return MBS_OK;
}

MbsStatus mbs_force_add_torques(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *force, int count,
                                const int *bodies, const MbsExpression *const *torques, MbsNode potential) {
  int axes = blueprint->dimension == 2 ? 1 : MBS_TORQUE_PORTS;
  MbsForm *ports;
  int *port_body;
  MbsNode *expressions;
  MBS_TAKE(context, blueprint->arena, ports, count * axes);
  MBS_TAKE(context, blueprint->arena, port_body, count * axes);
  MBS_TAKE(context, blueprint->arena, expressions, count * axes * blueprint->dimension);
  for (int i = 0; i < count; ++i) {
    MBS_TRY(mbs_rotation_torque(context, blueprint, bodies[i], torques[i], ports + i * axes,
                                expressions + i * axes * blueprint->dimension));
    for (int k = 0; k < axes; ++k) {
      port_body[i * axes + k] = bodies[i];
    }
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->forces,
             (MbsForceSpec){.name = mbs_force_name(blueprint, force),
                            .place = force->name.place,
                            .port_count = count * axes,
                            .ports = ports,
                            .port_body = port_body,
                            .expressions = expressions,
                            .energy = potential});
  return MBS_OK;
}

// the forms whose velocities the rates depend on
static MbsStatus list_ports(MbsContext *context, MbsBlueprint *blueprint, int count, const MbsForceAlong *along,
                            int *port_count, int **form_of_port) {
  MBS_TAKE(context, blueprint->arena, *form_of_port, blueprint->signal_forms.count);
  *port_count = 0;
  for (int i = 0; i < count; ++i) {
    int input_count;
    const int *inputs;
    MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, along[i].rate, &input_count, &inputs));
    for (int k = 0; k < input_count; ++k) {
      MbsSignal signal = blueprint->signals.items[inputs[k]];
      bool is_new = signal.kind == MBS_SIGNAL_VELOCITY;
      for (int p = 0; p < *port_count && is_new; ++p) {
        is_new = (*form_of_port)[p] != signal.index;
      }
      if (is_new) {
        (*form_of_port)[(*port_count)++] = signal.index;
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_force_add_along(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *force, int count,
                              const MbsForceAlong *along, MbsNode potential) {
  MbsGraph *g = blueprint->graph;
  int port_count = 0, d = blueprint->dimension, *form_of_port, *bodies;
  MbsForm *ports;
  MbsNode *expressions;
  MBS_TRY(list_ports(context, blueprint, count, along, &port_count, &form_of_port));
  MBS_TAKE(context, blueprint->arena, ports, port_count);
  MBS_TAKE(context, blueprint->arena, bodies, port_count);
  MBS_TAKE(context, blueprint->arena, expressions, port_count * d);
  for (int p = 0; p < port_count; ++p) {
    ports[p] = blueprint->signal_forms.items[form_of_port[p]];
    bodies[p] = MBS_NOBODY;  // a form may belong to several bodies
    for (int k = 0; k < d; ++k) {
      expressions[p * d + k] = mbs_graph_constant(g, 0);
    }
  }
  for (int input = 0, signals = blueprint->signals.count; input < signals; ++input) {
    MbsSignal signal = blueprint->signals.items[input];
    for (int p = 0; p < port_count && signal.kind == MBS_SIGNAL_VELOCITY; ++p) {
      for (int i = 0; i < count && form_of_port[p] == signal.index; ++i) {
        MbsNode *sum = &expressions[p * d + signal.component];
        MbsNode part = mbs_graph_multiply(g, along[i].value, mbs_graph_derivative(g, along[i].rate, input));
        *sum = mbs_graph_add(g, *sum, part);
      }
    }
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->forces,
             (MbsForceSpec){.name = mbs_force_name(blueprint, force),
                            .place = force->name.place,
                            .port_count = port_count,
                            .ports = ports,
                            .port_body = bodies,
                            .expressions = expressions,
                            .energy = potential});
  return mbs_graph_status(context, g);
}

MbsStatus mbs_force_read_coordinate(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                                    MbsNode *value, MbsNode *rate) {
  MbsExpression w;
  int count;
  const int *inputs;
  bool moves = false;
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, text, 1, MBS_USE_POSITION | MBS_USE_TIME | MBS_USE_PRESCRIBING, 0,
                           NULL, &w));
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, w.node[0], &count, &inputs));
  for (int i = 0; i < count; ++i) {
    moves |= blueprint->signals.items[inputs[i]].kind == MBS_SIGNAL_POSITION;
  }
  if (!moves) {
    return mbs_fail(context, MBS_ERROR_INPUT, text.place, "%s: \"%s\" does not depend on any position", owner,
                    text.text);
  }
  *value = w.node[0];
  return mbs_signal_rate(context, blueprint, *value, rate);
}

// ---- contact and friction ----
static MbsNode apply(MbsGraph *g, MbsOperation operation, MbsNode x) {
  return mbs_graph_apply(g, operation, x, MBS_NODE_NONE);
}

// x where d is above 0, else 0, whatever x is there
static MbsNode where_above(MbsGraph *g, MbsNode d, MbsNode x) {
  MbsNode is_below = apply(g, MBS_OP_SIDE, mbs_graph_negate(g, d));
  return mbs_graph_apply(g, MBS_OP_UNLESS, is_below, x);
}

MbsOneSided mbs_force_one_sided(MbsGraph *g, MbsNode d, MbsNode rate, MbsNode stiffness, MbsNode exponent,
                                MbsNode damping) {
  MbsNode one = mbs_graph_constant(g, 1), more = mbs_graph_add(g, exponent, one);
  MbsNode elastic = mbs_graph_multiply(g, stiffness, mbs_graph_power(g, d, exponent));
  MbsNode factor = mbs_graph_add(g, one, mbs_graph_multiply(g, damping, rate));
  factor = mbs_graph_apply(g, MBS_OP_MAXIMUM, mbs_graph_constant(g, 0), factor);
  MbsNode stored = mbs_graph_divide(g, mbs_graph_multiply(g, stiffness, mbs_graph_power(g, d, more)), more);
  return (MbsOneSided){.force = where_above(g, d, mbs_graph_multiply(g, elastic, factor)),
                       .energy = where_above(g, d, stored)};
}

MbsNode mbs_force_friction_coefficient(MbsGraph *g, MbsNode speed, const MbsFrictionLaw *law) {
  MbsNode s = mbs_graph_divide(g, speed, law->stiction_velocity);
  MbsNode sliding = apply(g, MBS_OP_TANH, mbs_graph_multiply(g, mbs_graph_constant(g, 4), s));
  MbsNode square = mbs_graph_multiply(g, mbs_graph_constant(g, 0.25), mbs_graph_power_integer(g, s, 2));
  MbsNode hill = mbs_graph_power_integer(g, mbs_graph_add(g, square, mbs_graph_constant(g, 0.75)), 2);
  MbsNode excess = mbs_graph_subtract(g, law->fixed, law->sliding);
  return mbs_graph_add(g, mbs_graph_multiply(g, law->sliding, sliding),
                       mbs_graph_multiply(g, excess, mbs_graph_divide(g, s, hill)));
}

MbsStatus mbs_force_read_friction(MbsContext *context, MbsBlueprint *blueprint, const char *owner,
                                  const MbsRecord *record, const MbsField *fields, const int at[3],
                                  MbsFrictionLaw *law) {
  MbsNode *const numbers[] = {&law->sliding, &law->fixed, &law->stiction_velocity};
  for (int i = 0; i < 3; ++i) {
    MbsText text = mbs_record_text(record, at[i]);
    if (!text.text) {  // the one at rest is that of sliding
      *numbers[i] = law->sliding;
      continue;
    }
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[at[i]], text, numbers[i]));
  }
  return MBS_OK;
}

MbsStatus mbs_force_read_vector(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsValue *value,
                                int size, MbsExpression *vector) {
  const unsigned use = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME;
  if (value->count == 1) {
    return mbs_signal_parse(context, blueprint, owner, value->texts[0], size, use, 0, NULL, vector);
  }
  vector->size = size;
  for (int k = 0; k < size; ++k) {
    MbsExpression component;
    MBS_TRY(mbs_signal_parse(context, blueprint, owner, value->texts[k], 1, use, 0, NULL, &component));
    vector->node[k] = component.node[0];
  }
  return MBS_OK;
}

MbsStatus mbs_force_needs_rigid(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                                int body) {
  if (blueprint->bodies.items[body].kind == MBS_BODY_RIGID) {
    return MBS_OK;
  }
  return mbs_fail(context, MBS_ERROR_INPUT, name.place,
                  "%s: body \"%s\" has no orientation (it is a point mass or a thin rod)", owner,
                  blueprint->bodies.items[body].name);
}
