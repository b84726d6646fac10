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

// What a force along rates acts on: the forms whose velocities the rates depend on.
typedef struct Ports {
  int count;
  MbsForm *forms;
  int *signal_form, *bodies;
  MbsNode *sums;  // dimension each
} Ports;

// room for a port for every velocity that the rates depend on
static MbsStatus make_room(MbsContext *context, MbsBlueprint *blueprint, int count, const MbsForceAlong *along,
                           Ports *ports) {
  int most = 0;
  for (int i = 0; i < count; ++i) {
    int input_count;
    const int *inputs;
    MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, along[i].rate, &input_count, &inputs));
    most += input_count;
  }
  MBS_TAKE(context, blueprint->arena, ports->forms, most);
  MBS_TAKE(context, blueprint->arena, ports->signal_form, most);
  MBS_TAKE(context, blueprint->arena, ports->bodies, most);
  MBS_TAKE(context, blueprint->arena, ports->sums, most * blueprint->dimension);
  return MBS_OK;
}

// the sums of the port of a form, which is a new one if there is none yet
static MbsNode *sums_of(MbsBlueprint *blueprint, int form, Ports *ports) {
  int p = 0, d = blueprint->dimension;
  while (p < ports->count && ports->signal_form[p] != form) {
    p += 1;
  }
  if (p == ports->count) {
    ports->count += 1;
    ports->signal_form[p] = form;
    ports->forms[p] = blueprint->signal_forms.items[form];
    ports->bodies[p] = MBS_NOBODY;  // a form may belong to several bodies
    for (int k = 0; k < d; ++k) {
      ports->sums[p * d + k] = mbs_graph_constant(blueprint->graph, 0);
    }
  }
  return &ports->sums[p * d];
}

MbsStatus mbs_force_add_along(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *force, int count,
                              const MbsForceAlong *along, MbsNode potential) {
  MbsGraph *g = blueprint->graph;
  Ports ports = {0};
  MBS_TRY(make_room(context, blueprint, count, along, &ports));
  for (int i = 0; i < count; ++i) {
    int input_count;
    const int *inputs;
    MBS_TRY(mbs_graph_inputs_of(context, g, along[i].rate, &input_count, &inputs));
    for (int k = 0; k < input_count; ++k) {
      MbsSignal signal = blueprint->signals.items[inputs[k]];
      if (signal.kind == MBS_SIGNAL_VELOCITY) {
        MbsNode *sum = sums_of(blueprint, signal.index, &ports) + signal.component;
        MbsNode part = mbs_graph_multiply(g, along[i].value, mbs_graph_derivative(g, along[i].rate, inputs[k]));
        *sum = mbs_graph_add(g, *sum, part);
      }
    }
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->forces,
             (MbsForceSpec){.name = mbs_force_name(blueprint, force),
                            .place = force->name.place,
                            .port_count = ports.count,
                            .ports = ports.forms,
                            .port_body = ports.bodies,
                            .expressions = ports.sums,
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
