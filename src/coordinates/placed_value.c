// What expressions are where bodies are placed, and coordinates that are held there.
//
// A position is a linear form, sum of (a I + b J) e. Each of its terms belongs to a body, and e is where that body's
// pose x, R has it: x + R s for a point, R s for a vector. So an expression of positions becomes one of the parameters,
// the same in all coordinates, though bodies that share a point may have it in different places before they are
// assembled.
//
// Held are, of a body, the place r of a point, w = r_k, and how it is turned against its pose R_p: in the plane
// w = sin(angle - placed angle), in space the axial part of R_p' R,
//     w_k = 1/2 sum over axes j of p_k . (p_j x e_j),     p, e: axes placed and as they are;
// of a thin rod the components of a vector along it.
#include "coordinates/natural_storage.h"
#include "coordinates/placement.h"
#include "expressions/vector.h"

// ---- positions where bodies are placed ----
// x + R local, or R local
static void place(const MbsBlueprint *blueprint, int body, const MbsNode local[3], bool is_point, MbsNode r[3]) {
  const MbsPlacedPose *pose = &blueprint->placement->poses[body];
  for (int i = 0; i < 3; ++i) {
    r[i] = mbs_node_dot(blueprint->graph, 3, pose->R[i], local);
    r[i] = is_point ? mbs_graph_add(blueprint->graph, pose->x[i], r[i]) : r[i];
  }
}

// where the entity is on a body that stands on it; false: it does not
static bool find_local(const MbsBlueprint *blueprint, int body, int entity, MbsNode local[3]) {
  const MbsNatural *natural = blueprint->coordinates;
  const MbsBasis *basis = &natural->bases[body];
  const MbsBlueprintBody *owner = &blueprint->bodies.items[body];
  const MbsNode *found = NULL;
  for (int k = 0; k < basis->count && !found; ++k) {
    found = basis->entity[k] == entity ? basis->local[k] : NULL;
  }
  for (int p = 0; p < owner->point_count && natural->group_entity && !found; ++p) {
    found = natural->group_entity[owner->points[p].group] == entity ? owner->points[p].local : NULL;
  }
  for (int k = 0; k < 3 && found; ++k) {
    local[k] = found[k];
  }
  return found;
}

static MbsStatus place_entity(MbsContext *context, MbsBlueprint *blueprint, const MbsFormTerm *term, MbsNode r[3]) {
  const MbsEntity *entity = &blueprint->entities.items[term->entity];
  MbsNode local[3], zero = mbs_graph_constant(blueprint->graph, 0);
  r[0] = r[1] = r[2] = zero;
  if (term->body > MBS_GROUND && find_local(blueprint, term->body, term->entity, local)) {
    place(blueprint, term->body, local, entity->kind == MBS_ENTITY_POINT, r);  // though it may be the ground's, too
    return MBS_OK;
  }
  if (entity->is_fixed) {
    bool has_time = blueprint->time_input >= 0;
    MbsNode time = has_time ? mbs_graph_input(blueprint->graph, blueprint->time_input) : MBS_NODE_NONE;
    const MbsSubstitution at_start = {.count = has_time, .from = &time, .to = &zero};
    for (int k = 0; k < blueprint->dimension; ++k) {
      MBS_TRY(mbs_graph_substitute(context, blueprint->graph, entity->value[k], &at_start, &r[k]));
    }
    return MBS_OK;
  }
  for (int i = 0; i < blueprint->user_coordinates.count; ++i) {
    if (blueprint->user_coordinates.items[i].entity == term->entity) {
      r[0] = blueprint->user_coordinates.items[i].guess;
      return MBS_OK;
    }
  }
  int body = 1;
  while (body < blueprint->bodies.count && !find_local(blueprint, body, term->entity, local)) {
    ++body;
  }
  if (body < blueprint->bodies.count) {
    place(blueprint, body, local, entity->kind == MBS_ENTITY_POINT, r);
  }
  return MBS_OK;
}

static MbsStatus place_form(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *form, int component,
                            MbsNode *sum) {
  MbsGraph *g = blueprint->graph;
  *sum = mbs_graph_constant(g, 0);
  for (int i = 0; i < form->count; ++i) {
    MbsNode e[3];
    MBS_TRY(place_entity(context, blueprint, &form->terms[i], e));
    *sum = mbs_node_multiply_add(g, form->terms[i].a, e[component], *sum);
    if (blueprint->dimension == 2) {
      MbsNode turned = component == 0 ? mbs_graph_negate(g, e[1]) : e[0];
      *sum = mbs_node_multiply_add(g, form->terms[i].b, turned, *sum);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_placed_value(MbsContext *context, MbsBlueprint *blueprint, MbsNode expression, MbsNode *value) {
  int count;
  const int *inputs;
  MbsNode *from, *to;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, expression, &count, &inputs));
  MBS_TAKE(context, blueprint->arena, from, count);
  MBS_TAKE(context, blueprint->arena, to, count);
  for (int i = 0; i < count; ++i) {
    from[i] = mbs_graph_input(blueprint->graph, inputs[i]);
    MbsSignal signal = blueprint->signals.items[inputs[i]];
    if (signal.kind == MBS_SIGNAL_POSITION) {
      MbsForm form = blueprint->signal_forms.items[signal.index];
      MBS_TRY(place_form(context, blueprint, &form, signal.component, &to[i]));
    } else {
      to[i] = signal.kind == MBS_SIGNAL_PARAMETER ? from[i] : mbs_graph_constant(blueprint->graph, 0);
    }
  }
  const MbsSubstitution substitution = {.count = count, .from = from, .to = to};
  return mbs_graph_substitute(context, blueprint->graph, expression, &substitution, value);
}

// ---- coordinates that are held ----
int mbs_placed_turning_count(const MbsBlueprint *blueprint, int body) {
  return blueprint->bodies.items[body].kind == MBS_BODY_POINT_MASS ? 0 : blueprint->dimension == 2 ? 1 : 3;
}

static MbsStatus point_signal(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsNode local[3],
                              MbsExpression *r) {
  MbsForm form;
  MBS_TRY(blueprint->place(context, blueprint, body, local, true, &form));
  return mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, r);
}

// the point whose place is held
static const MbsNode *held_point(const MbsBlueprint *blueprint, int index, const MbsNode zero[3]) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  bool has_origin = body->kind == MBS_BODY_RIGID;
  return has_origin ? zero : body->point_count > 0 ? body->points[0].local : body->com;
}

static MbsStatus hold_place(MbsContext *context, MbsBlueprint *blueprint, int body, int k, MbsIndependentSpec *spec) {
  MbsNode zero = mbs_graph_constant(blueprint->graph, 0), zeros[3] = {zero, zero, zero};
  const MbsNode *local = held_point(blueprint, body, zeros);
  MbsExpression r;
  MbsNode placed[3];
  MBS_TRY(point_signal(context, blueprint, body, local, &r));
  place(blueprint, body, local, true, placed);
  spec->coordinate = r.node[k];
  spec->value = placed[k];
  return MBS_OK;
}

// a vector along a thin rod: from its first point to the one farthest from it, or to its centre of mass
static MbsStatus hold_rod(MbsContext *context, MbsBlueprint *blueprint, int index, int k, MbsIndependentSpec *spec) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  MbsNode zero = mbs_graph_constant(blueprint->graph, 0), zeros[3] = {zero, zero, zero};
  const MbsNode *from = held_point(blueprint, index, zeros), *to = body->com;
  double longest = -1;
  for (int p = 0; p <= body->point_count; ++p) {
    const MbsNode *local = p < body->point_count ? body->points[p].local : body->com;
    double a[3], b[3], d[3];
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, from, a));
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, local, b));
    for (int i = 0; i < 3; ++i) {
      d[i] = b[i] - a[i];
    }
    if (mbs_vector_length(d) > longest) {
      longest = mbs_vector_length(d);
      to = local;
    }
  }
  MbsExpression r[2];
  MbsNode placed[2][3];
  MBS_TRY(point_signal(context, blueprint, index, from, &r[0]));
  MBS_TRY(point_signal(context, blueprint, index, to, &r[1]));
  place(blueprint, index, from, true, placed[0]);
  place(blueprint, index, to, true, placed[1]);
  spec->coordinate = mbs_graph_subtract(blueprint->graph, r[1].node[k], r[0].node[k]);
  spec->value = mbs_graph_subtract(blueprint->graph, placed[1][k], placed[0][k]);
  return MBS_OK;
}

static MbsStatus hold_turning(MbsContext *context, MbsBlueprint *blueprint, int body, int k, MbsIndependentSpec *spec) {
  MbsGraph *g = blueprint->graph;
  const MbsPlacedPose *pose = &blueprint->placement->poses[body];
  int d = blueprint->dimension;
  MbsNode sum = mbs_graph_constant(g, 0);
  for (int j = 0; j < (d == 2 ? 1 : 3); ++j) {
    MbsDirection axis = mbs_direction_axis(g, body, j);
    MbsForm form;
    MbsExpression e;
    MBS_TRY(mbs_form_of_direction(context, blueprint, &axis, &form));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &e));
    const MbsNode p[3] = {pose->R[0][j], pose->R[1][j], pose->R[2][j]};
    for (int i = 0; i < 3; ++i) {
      MbsNode along = d == 2 ? mbs_graph_constant(g, i == 2 ? 1 : 0) : pose->R[i][k];
      sum = mbs_node_multiply_add(g, along, mbs_node_cross(g, p, e.node, i), sum);
    }
  }
  spec->coordinate = d == 2 ? sum : mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), sum);
  spec->value = mbs_graph_constant(g, 0);
  return MBS_OK;
}

MbsStatus mbs_placed_hold(MbsContext *context, MbsBlueprint *blueprint, MbsPlacedCoordinate coordinate) {
  static const char *const parts[] = {"x", "y", "z", "turn about x", "turn about y", "turn about z"};
  MbsIndependentSpec spec = {.is_chosen = true, .velocity = mbs_graph_constant(blueprint->graph, 0)};
  if (coordinate.body == MBS_NOBODY) {
    const MbsUserCoordinate *own = &blueprint->user_coordinates.items[coordinate.index];
    spec.name = own->name;
    spec.value = own->guess;
    MBS_TRY(mbs_user_coordinate_signal(context, blueprint, coordinate.index, MBS_SIGNAL_POSITION, &spec.coordinate));
  } else {
    const MbsBlueprintBody *body = &blueprint->bodies.items[coordinate.body];
    int turning = coordinate.index - MBS_PLACED_TURNING;
    bool is_angle = turning >= 0 && blueprint->dimension == 2;
    spec.name = mbs_arena_print(blueprint->arena, "%s: %s", body->name, is_angle ? "angle" : parts[coordinate.index]);
    spec.name = spec.name ? spec.name : body->name;
    spec.place = body->record->name.place;
    MBS_TRY(turning < 0 ? hold_place(context, blueprint, coordinate.body, coordinate.index, &spec)
            : body->kind == MBS_BODY_ROD && blueprint->dimension == 3
                ? hold_rod(context, blueprint, coordinate.body, turning, &spec)
                : hold_turning(context, blueprint, coordinate.body, turning, &spec));
  }
  MBS_TRY(mbs_signal_rate(context, blueprint, spec.coordinate, &spec.rate));
  MBS_TRY(mbs_signal_rate(context, blueprint, spec.rate, &spec.second));
  MBS_APPEND(context, blueprint->arena, &blueprint->independents, spec);
  return mbs_graph_status(context, blueprint->graph);
}
