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
