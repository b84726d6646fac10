// Directions fixed in a body: unit vectors, with names or without, and perpendiculars that follow when parameters turn
// them.
#include <math.h>
#include <string.h>

#include "base/names.h"
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

void mbs_direction_frame(MbsGraph *g, const MbsDirection *u, const MbsDirection *side, MbsDirection axes[3],
                         MbsNode *square) {
  axes[0] = *u;
  mbs_direction_cross(g, u, side, &axes[2]);
  *square = mbs_node_dot(g, 3, axes[2].local, axes[2].local);
  normalise(g, axes[2].local);
  mbs_direction_cross(g, &axes[2], u, &axes[1]);
}

// ---- vectors with names ----
MbsStatus mbs_direction_read_vectors(MbsContext *context, MbsBlueprint *blueprint, const MbsValue *vectors,
                                     MbsBlueprintBody *body) {
  static const MbsField direction = {.name = "direction", .kind = MBS_FIELD_VECTOR, .check = MBS_CHECK_NOT_ZERO};
  if (vectors->count > 0 && body->kind == MBS_BODY_POINT_MASS) {
    return mbs_fail(context, MBS_ERROR_INPUT, vectors->place,
                    "body \"%s\" has no inertia, so it is a point mass, which has no orientation and no vectors",
                    body->name);
  }
  MBS_TAKE(context, blueprint->arena, body->vectors, vectors->count);
  for (int i = 0; i < vectors->count; ++i) {
    const MbsRecord *record = &vectors->records[i];
    MbsBlueprintVector *vector = &body->vectors[body->vector_count++];
    vector->name = record->name.text;
    const char *owner = mbs_arena_print(blueprint->arena, "vector \"%s.%s\"", body->name, vector->name);
    MBS_TRY(mbs_blueprint_vector(context, blueprint, owner ? owner : vector->name, &direction, &record->values[0],
                                 vector->local));
    normalise(blueprint->graph, vector->local);
  }
  return MBS_OK;
}

static MbsStatus find_on_body(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, int index,
                              MbsText name, const MbsBlueprintVector **vector) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  const char *nearest = NULL;
  for (int i = 0; i < body->vector_count; ++i) {
    if (strcmp(body->vectors[i].name, name.text) == 0) {
      *vector = &body->vectors[i];
      return MBS_OK;
    }
    mbs_name_nearest(name.text, body->vectors[i].name, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: no vector \"%s\" on body \"%s\"%s%s%s", owner, name.text,
                  body->name, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

MbsStatus mbs_direction_find(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                             MbsDirection *direction) {
  const char *dot = strchr(name.text, '.');
  if (!dot) {
    return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: \"%s\" is no vector; write body.vector", owner,
                    name.text);
  }
  const MbsBlueprintVector *vector;
  char *body_name = mbs_arena_copy_text(blueprint->arena, name.text);
  if (!body_name) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  body_name[dot - name.text] = '\0';
  MbsText body = {.text = body_name, .place = name.place}, own = {.text = dot + 1, .place = name.place};
  MBS_TRY(mbs_blueprint_find_body(context, blueprint, owner, body, &direction->body));
  MBS_TRY(find_on_body(context, blueprint, owner, direction->body, own, &vector));
  memcpy(direction->local, vector->local, sizeof direction->local);
  return MBS_OK;
}

// ---- fields ----
// u or -u
bool mbs_direction_is_name(const char *text) { return mbs_name_is_identifier(text + (text[0] == '-' ? 1 : 0)); }

static MbsStatus read_name(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text, int named_on,
                           MbsNode local[3]) {
  bool is_opposite = text.text[0] == '-';
  MbsText name = {.text = text.text + (is_opposite ? 1 : 0), .place = text.place};
  const MbsBlueprintVector *vector;
  MBS_TRY(find_on_body(context, blueprint, owner, named_on, name, &vector));
  for (int k = 0; k < 3; ++k) {
    local[k] = is_opposite ? mbs_graph_negate(blueprint->graph, vector->local[k]) : vector->local[k];
  }
  return MBS_OK;
}

MbsStatus mbs_direction_read(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                             const MbsValue *value, int named_on, int body, MbsDirection *direction) {
  MBS_CHECK(context, field->kind == MBS_FIELD_DIRECTION);
  direction->body = body;
  if (value->count == 1 && mbs_direction_is_name(value->texts[0].text)) {
    return read_name(context, blueprint, owner, value->texts[0], named_on, direction->local);
  }
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
