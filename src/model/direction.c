// Directions fixed in a body: unit vectors, and perpendiculars that follow when parameters turn them.
#include <math.h>

#include "expressions/vector.h"
#include "model/blueprint.h"

static void normalise(MbsGraph *g, MbsNode v[3]) {
  MbsNode length = mbs_node_norm(g, 3, v);
  for (int k = 0; k < 3; ++k) {
    v[k] = mbs_graph_divide(g, v[k], length);
  }
}

void mbs_direction_cross(MbsGraph *g, const MbsDirection *a, const MbsDirection *b, MbsDirection *c) {
  c->body = a->body;
  for (int k = 0; k < 3; ++k) {
    c->local[k] = mbs_node_cross(g, a->local, b->local, k);
  }
}

MbsDirection mbs_direction_axis(MbsGraph *g, int body, int axis) {
  MbsDirection made = {.body = body};
  for (int k = 0; k < 3; ++k) {
    made.local[k] = mbs_graph_constant(g, k == axis ? 1 : 0);
  }
  return made;
}

MbsStatus mbs_direction_read(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                             const MbsValue *value, int body, MbsDirection *direction) {
  direction->body = body;
  MBS_TRY(mbs_blueprint_vector(context, blueprint, owner, field, value, direction->local));
  MBS_TRY(mbs_blueprint_check_properties(context, blueprint));
  normalise(blueprint->graph, direction->local);
  return MBS_OK;
}

MbsStatus mbs_direction_normals(MbsContext *context, MbsBlueprint *blueprint, const MbsDirection *u,
                                MbsDirection normals[2]) {
  MbsGraph *g = blueprint->graph;
  double nominal[3];
  MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, u->local, nominal));
  // the axis least along u gives the best conditioned perpendicular; the choice is frozen
  int least = 0;
  for (int k = 1; k < 3; ++k) {
    least = fabs(nominal[k]) < fabs(nominal[least]) - 1e-12 ? k : least;  // real
  }
  MbsDirection axis = mbs_direction_axis(g, u->body, least);
  mbs_direction_cross(g, u, &axis, &normals[0]);
  normalise(g, normals[0].local);
  mbs_direction_cross(g, u, &normals[0], &normals[1]);
  return MBS_OK;
}
