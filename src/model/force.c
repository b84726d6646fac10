#include "model/force.h"

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
  for (int i = 0; i < points->count; ++i) {
    MbsPointReference point;
    MBS_TRY(mbs_blueprint_find_point(context, blueprint, *owner, points->texts[i], &point));
    MBS_TRY(mbs_form_of_point(context, blueprint, point, &ports[i]));
    bodies[i] = point.body;
    if (i > 0 && bodies[i] == bodies[0]) {
      return mbs_fail(context, MBS_ERROR_INPUT, points->texts[i].place, "%s: both points are on body \"%s\"", *owner,
                      blueprint->bodies.items[bodies[i]].name);
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
