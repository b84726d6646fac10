// Each body picks its basis by rank, not by count: a point, shared if possible; then, as long as they add enough to
// what is spanned already, shared points, shared directions, (in the plane and for rods) points of its own, and at last
// axes of its own. Six points in one plane or two parallel axes are no frame. "Enough" is measured on the nominal
// values; the choice is then frozen: parameters refresh numbers only.
#include <math.h>

#include "coordinates/natural_storage.h"

static MbsStatus use_point(MbsContext *context, MbsBlueprint *blueprint, int body, int point, MbsBasis *basis) {
  const MbsBlueprintPoint *named = &blueprint->bodies.items[body].points[point];
  int k = basis->count++;
  basis->kind[k] = MBS_ENTITY_POINT;
  for (int i = 0; i < 3; ++i) {
    basis->local[k][i] = named->local[i];
  }
  return mbs_natural_group_entity(context, blueprint, (MbsPointReference){.body = body, .point = point},
                                  &basis->entity[k]);
}

static MbsStatus use_direction(MbsContext *context, MbsBlueprint *blueprint, int body, MbsDirectionClass *class,
                               MbsBasis *basis) {
  int k = basis->count++;
  basis->kind[k] = MBS_ENTITY_VECTOR;
  const MbsDirection *mine = mbs_natural_class_member(class, body);
  for (int i = 0; i < 3; ++i) {
    basis->local[k][i] = mine->local[i];
  }
  if (class->entity < 0) {
    const MbsDirection *fixed = mbs_natural_class_member(class, MBS_GROUND);
    if (fixed) {
      MBS_TRY(mbs_natural_ground_entity(context, blueprint, fixed->local, false, &class->entity));
    } else {
      const char *name = mbs_arena_print(blueprint->arena, "%s.u", class->joint->name.text);
      MBS_TRY(mbs_natural_add_entity(
          context, blueprint, (MbsEntity){.name = name ? name : "u", .kind = MBS_ENTITY_VECTOR}, &class->entity));
    }
  }
  basis->entity[k] = class->entity;
  return MBS_OK;
}

// an entity of this body alone: its centre of mass where it has no point
static MbsStatus use_own_point(MbsContext *context, MbsBlueprint *blueprint, int body, MbsBasis *basis) {
  const MbsBlueprintBody *owner = &blueprint->bodies.items[body];
  int k = basis->count++;
  basis->kind[k] = MBS_ENTITY_POINT;
  for (int i = 0; i < 3; ++i) {
    basis->local[k][i] = owner->com[i];
  }
  const char *name = mbs_arena_print(blueprint->arena, "%s.com", owner->name);
  return mbs_natural_add_entity(context, blueprint, (MbsEntity){.name = name ? name : "com", .kind = MBS_ENTITY_POINT},
                                &basis->entity[k]);
}

// one of its axes
static MbsStatus use_own_axis(MbsContext *context, MbsBlueprint *blueprint, int body, int axis, MbsBasis *basis) {
  static const char *const names[] = {"u", "v", "w"};
  const MbsBlueprintBody *owner = &blueprint->bodies.items[body];
  int k = basis->count++;
  basis->kind[k] = MBS_ENTITY_VECTOR;
  for (int i = 0; i < 3; ++i) {
    basis->local[k][i] = mbs_graph_constant(blueprint->graph, i == axis ? 1 : 0);
  }
  const char *name = mbs_arena_print(blueprint->arena, "%s.%s", owner->name, names[axis]);
  return mbs_natural_add_entity(
      context, blueprint, (MbsEntity){.name = name ? name : "axis", .kind = MBS_ENTITY_VECTOR}, &basis->entity[k]);
}

// What a body may stand on, at the nominal values, and what it stands on already.
typedef struct Candidates {
  int body, first;      // index; its first basis point
  const double *local;  // 3 per point
  double size;          // largest distance of a point from the first
  int found;            // of the orthonormal directions spanned so far
  double spanned[3][3];
} Candidates;

// how much of a vector is not spanned yet
static double rest_of(const Candidates *c, const double v[3], double rest[3]) {
  for (int k = 0; k < 3; ++k) {
    rest[k] = v[k];
  }
  for (int i = 0; i < c->found; ++i) {
    double along = v[0] * c->spanned[i][0] + v[1] * c->spanned[i][1] + v[2] * c->spanned[i][2];
    for (int k = 0; k < 3; ++k) {
      rest[k] -= along * c->spanned[i][k];
    }
  }
  return sqrt(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2]);  // real
}

static void span(Candidates *c, const double v[3]) {
  double rest[3];
  double length = rest_of(c, v, rest);
  for (int k = 0; k < 3; ++k) {
    c->spanned[c->found][k] = rest[k] / length;
  }
  c->found += 1;
}

// the point that adds most, among the shared ones or among all
static int best_point(const MbsBlueprint *blueprint, const Candidates *c, bool shared_only, double *most) {
  const MbsNatural *natural = blueprint->coordinates;
  const MbsBlueprintBody *body = &blueprint->bodies.items[c->body];
  int best = -1;
  *most = 0;
  for (int p = 0; p < body->point_count; ++p) {
    double v[3], rest[3];
    for (int k = 0; k < 3; ++k) {
      v[k] = c->local[3 * p + k] - c->local[3 * c->first + k];
    }
    double length = rest_of(c, v, rest);
    if (length > *most && (!shared_only || natural->group_bodies[body->points[p].group] > 1)) {
      best = p;
      *most = length;
    }
  }
  return best;
}

static MbsStatus add_best_point(MbsContext *context, MbsBlueprint *blueprint, Candidates *c, int point,
                                MbsBasis *basis) {
  double v[3];
  for (int k = 0; k < 3; ++k) {
    v[k] = c->local[3 * point + k] - c->local[3 * c->first + k];
  }
  span(c, v);
  return use_point(context, blueprint, c->body, point, basis);
}

// the direction class that adds most, if that is enough
static MbsStatus try_direction(MbsContext *context, MbsBlueprint *blueprint, Candidates *c, double enough,
                               MbsBasis *basis, bool *is_added) {
  MbsNatural *natural = blueprint->coordinates;
  int best = -1;
  double most = enough, direction[3] = {0};
  for (int i = 0; i < natural->class_count; ++i) {
    const MbsDirection *mine = mbs_natural_class_member(&natural->classes[i], c->body);
    if (mine) {
      double nominal[3], rest[3];
      MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, mine->local, nominal));
      double length = rest_of(c, nominal, rest);
      if (length > most) {
        most = length;
        best = i;
        for (int k = 0; k < 3; ++k) {
          direction[k] = nominal[k];
        }
      }
    }
  }
  *is_added = best >= 0;
  if (best >= 0) {
    span(c, direction);
    return use_direction(context, blueprint, c->body, &natural->classes[best], basis);
  }
  return MBS_OK;
}

// One more entity: a shared point, a shared direction, (in the plane and for rods) a point of its own, an axis.
static MbsStatus extend_basis(MbsContext *context, MbsBlueprint *blueprint, Candidates *c, bool by_own_point,
                              MbsBasis *basis) {
  // less than this share of the body's size, or of a unit vector, would make a bad frame
  const double enough = blueprint->dimension == 2 ? 1e-3 : 0.1;
  double most;
  bool is_added;
  int shared = best_point(blueprint, c, true, &most);
  if (shared >= 0 && most > enough * c->size) {
    return add_best_point(context, blueprint, c, shared, basis);
  }
  MBS_TRY(try_direction(context, blueprint, c, enough, basis, &is_added));
  if (is_added) {
    return MBS_OK;
  }
  int own = best_point(blueprint, c, false, &most);
  if (by_own_point && own >= 0) {
    return add_best_point(context, blueprint, c, own, basis);
  }
  int best = 0;
  double largest = 0;
  for (int axis = 0; axis < blueprint->dimension; ++axis) {
    double v[3] = {axis == 0, axis == 1, axis == 2}, rest[3];
    double length = rest_of(c, v, rest);
    if (length > largest + 1e-9) {
      largest = length;
      best = axis;
    }
  }
  double v[3] = {best == 0, best == 1, best == 2};
  span(c, v);
  return use_own_axis(context, blueprint, c->body, best, basis);
}

static MbsStatus choose_basis(MbsContext *context, MbsBlueprint *blueprint, int index, const double *local) {
  MbsNatural *natural = blueprint->coordinates;
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  MbsBasis *basis = &natural->bases[index];
  Candidates c = {.body = index, .local = local};
  while (c.first < body->point_count && natural->group_bodies[body->points[c.first].group] < 2) {
    ++c.first;
  }
  c.first = c.first < body->point_count ? c.first : 0;
  if (body->point_count > 0) {
    MBS_TRY(use_point(context, blueprint, index, c.first, basis));
  } else {
    MBS_TRY(use_own_point(context, blueprint, index, basis));
  }
  (void)best_point(blueprint, &c, false, &c.size);
  bool is_on_line = blueprint->dimension == 2 || body->kind == MBS_BODY_ROD;
  int wanted = body->kind == MBS_BODY_POINT_MASS ? 1 : is_on_line ? 2 : MBS_BASIS_SIZE;
  while (basis->count < wanted) {
    MBS_TRY(extend_basis(context, blueprint, &c, is_on_line, basis));
  }
  return MBS_OK;
}

MbsStatus mbs_natural_choose_bases(MbsContext *context, MbsBlueprint *blueprint) {
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    MbsNode *nodes;
    double *local;
    MBS_TAKE(context, blueprint->arena, nodes, 3 * body->point_count);
    MBS_TAKE(context, blueprint->arena, local, 3 * body->point_count);
    for (int p = 0; p < body->point_count; ++p) {
      for (int k = 0; k < 3; ++k) {
        nodes[3 * p + k] = body->points[p].local[k];
      }
    }
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3 * body->point_count, nodes, local));
    MBS_TRY(choose_basis(context, blueprint, b, local));
  }
  return MBS_OK;
}
