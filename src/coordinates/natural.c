// Natural coordinates: which points and vectors become coordinates.
//
// 1. Joints put points into groups and directions into classes (revolute: one group; prismatic: one
//    class; fixed: both).
// 2. Each body picks its basis by rank, not by count (natural_bases.c).
// 3. What is in a basis is an entity, once per group or class; the ground's are fixed.
// 4. A body whose point or direction was joined but is not in its basis gets rows: the joint's point
//    coincides (2 rows), the directions are parallel (1 row). A free vector has its length row once.
//    Two bodies on the same two points keep both their length rows: the lengths may be different
//    parameters.
#include "coordinates/natural.h"

#include "bodies/planar_body.h"
#include "bodies/spatial_body.h"
#include "coordinates/natural_storage.h"
#include "model/joint.h"

const MbsBasis *mbs_natural_basis(const MbsBlueprint *blueprint, int body) {
  const MbsNatural *natural = blueprint->coordinates;
  return &natural->bases[body];
}

// ---- entities ----
MbsStatus mbs_natural_add_entity(MbsContext *context, MbsBlueprint *blueprint, MbsEntity entity, int *index) {
  *index = blueprint->entities.count;
  MBS_APPEND(context, blueprint->arena, &blueprint->entities, entity);
  return MBS_OK;
}

MbsStatus mbs_natural_group_entity(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, int *entity) {
  MbsNatural *natural = blueprint->coordinates;
  int group = blueprint->bodies.items[point.body].points[point.point].group;
  if (natural->group_entity[group] < 0) {
    MbsEntity made = {.name = mbs_blueprint_short_name(blueprint, point),
                      .kind = MBS_ENTITY_POINT,
                      .is_fixed = natural->is_group_fixed[group]};
    const MbsBlueprintBody *ground = &blueprint->bodies.items[MBS_GROUND];
    for (int p = 0; p < ground->point_count; ++p) {
      for (int k = 0; k < 3 && ground->points[p].group == group; ++k) {
        made.value[k] = ground->points[p].local[k];
      }
    }
    MBS_TRY(mbs_natural_add_entity(context, blueprint, made, &natural->group_entity[group]));
  }
  *entity = natural->group_entity[group];
  return MBS_OK;
}

// a point or direction of the ground that is not joined to anything
MbsStatus mbs_natural_ground_entity(MbsContext *context, MbsBlueprint *blueprint, const MbsNode local[3], bool is_point,
                                    int *entity) {
  MbsEntityKind kind = is_point ? MBS_ENTITY_POINT : MBS_ENTITY_VECTOR;
  for (int i = 0; i < blueprint->entities.count; ++i) {
    const MbsEntity *known = &blueprint->entities.items[i];
    if (known->is_fixed && known->kind == kind && known->value[0] == local[0] && known->value[1] == local[1] &&
        known->value[2] == local[2]) {
      *entity = i;
      return MBS_OK;
    }
  }
  return mbs_natural_add_entity(context, blueprint,
                                (MbsEntity){.name = is_point ? "ground point" : "ground direction",
                                            .kind = kind,
                                            .is_fixed = true,
                                            .value = {local[0], local[1], local[2]}},
                                entity);
}

// ---- the forms that coordinates owe to everyone else ----
MbsStatus mbs_natural_place(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsNode local[3],
                            bool is_point, MbsForm *form) {
  if (body == MBS_GROUND) {
    int entity;
    MBS_TRY(mbs_natural_ground_entity(context, blueprint, local, is_point, &entity));
    return mbs_form_of_entity(context, blueprint, entity, MBS_GROUND, form);
  }
  const MbsBasis *basis = mbs_natural_basis(blueprint, body);
  return blueprint->dimension == 2 ? mbs_planar_body_place(context, blueprint, body, basis, local, is_point, form)
                                   : mbs_spatial_body_place(context, blueprint, body, basis, local, is_point, form);
}

static MbsStatus place_point(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, MbsForm *form) {
  const MbsNatural *natural = blueprint->coordinates;
  const MbsBlueprintPoint *named = &blueprint->bodies.items[point.body].points[point.point];
  if (natural->group_entity[named->group] >= 0) {
    return mbs_form_of_entity(context, blueprint, natural->group_entity[named->group], point.body, form);
  }
  return mbs_natural_place(context, blueprint, point.body, named->local, true, form);
}

// ---- groups and classes ----
static MbsStatus survey_groups(MbsContext *context, MbsBlueprint *blueprint, MbsNatural *natural) {
  MBS_TAKE(context, blueprint->arena, natural->group_entity, blueprint->group_count);
  MBS_TAKE(context, blueprint->arena, natural->group_bodies, blueprint->group_count);
  MBS_TAKE(context, blueprint->arena, natural->is_group_fixed, blueprint->group_count);
  for (int g = 0; g < blueprint->group_count; ++g) {
    natural->group_entity[g] = -1;
  }
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    for (int p = 0; p < body->point_count; ++p) {
      natural->group_bodies[body->points[p].group] += 1;
      natural->is_group_fixed[body->points[p].group] |= b == MBS_GROUND;
    }
  }
  return MBS_OK;
}

static bool is_same_direction(const MbsDirection *a, const MbsDirection *b) {
  return a->body == b->body && a->local[0] == b->local[0] && a->local[1] == b->local[1] && a->local[2] == b->local[2];
}

static int class_of(const MbsNatural *natural, const MbsDirection *direction) {
  for (int c = 0; c < natural->class_count; ++c) {
    for (int i = 0; i < natural->classes[c].member_count; ++i) {
      if (is_same_direction(&natural->classes[c].members[i], direction)) {
        return c;
      }
    }
  }
  return -1;
}

// merges the pairs that joints made into classes
static MbsStatus survey_directions(MbsContext *context, MbsBlueprint *blueprint, MbsNatural *natural) {
  int pairs = blueprint->direction_pairs.count;
  MBS_TAKE(context, blueprint->arena, natural->classes, pairs);
  for (int i = 0; i < pairs; ++i) {
    const MbsDirectionPair *pair = &blueprint->direction_pairs.items[i];
    int a = class_of(natural, &pair->a);
    int b = class_of(natural, &pair->b);
    int kept = a >= 0 ? a : b;
    if (kept < 0) {
      kept = natural->class_count++;
      MbsDirectionClass *made = &natural->classes[kept];
      made->joint = pair->joint;
      made->entity = -1;
      MBS_TAKE(context, blueprint->arena, made->members, 2 * pairs);
    }
    MbsDirectionClass *class = &natural->classes[kept];
    if (a < 0) {
      class->members[class->member_count++] = pair->a;
    }
    if (b < 0) {
      class->members[class->member_count++] = pair->b;
    } else if (a >= 0 && a != b) {
      MbsDirectionClass *other = &natural->classes[b];
      for (int k = 0; k < other->member_count; ++k) {
        class->members[class->member_count++] = other->members[k];
      }
      other->member_count = 0;
    }
  }
  return MBS_OK;
}

const MbsDirection *mbs_natural_class_member(const MbsDirectionClass *class, int body) {
  for (int i = 0; i < class->member_count; ++i) {
    if (class->members[i].body == body) {
      return &class->members[i];
    }
  }
  return NULL;
}

// tells the pairs what they are part of
static MbsStatus list_shared(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsNatural *natural = blueprint->coordinates;
  int groups = blueprint->group_count;
  MBS_TAKE(context, blueprint->arena, blueprint->shared, groups + natural->class_count);
  blueprint->shared_count = groups + natural->class_count;
  for (int i = 0; i < blueprint->shared_count; ++i) {
    bool is_point = i < groups;
    int entity = is_point ? natural->group_entity[i] : natural->classes[i - groups].entity;
    blueprint->shared[i] = (MbsShared){.kind = is_point ? MBS_ENTITY_POINT : MBS_ENTITY_VECTOR, .entity = entity};
  }
  for (int i = 0; i < blueprint->point_pairs.count; ++i) {
    MbsPointPair *pair = &blueprint->point_pairs.items[i];
    pair->shared = &blueprint->shared[blueprint->bodies.items[pair->a.body].points[pair->a.point].group];
  }
  for (int i = 0; i < blueprint->direction_pairs.count; ++i) {
    MbsDirectionPair *pair = &blueprint->direction_pairs.items[i];
    pair->shared = &blueprint->shared[groups + class_of(natural, &pair->a)];
  }
  return MBS_OK;
}

// ---- rows that joints leave to the coordinates ----
static bool is_in_basis(const MbsBlueprint *blueprint, int body, int entity) {
  const MbsBasis *basis = mbs_natural_basis(blueprint, body);
  for (int i = 0; i < basis->count; ++i) {
    if (basis->entity[i] == entity) {
      return true;
    }
  }
  return false;
}

static MbsStatus add_point_rows(MbsContext *context, MbsBlueprint *blueprint, const MbsPointPair *pair,
                                MbsPointReference member, const MbsForm *reference) {
  const char *axes[] = {"x", "y", "z"};
  const MbsBlueprintPoint *point = &blueprint->bodies.items[member.body].points[member.point];
  MbsForm own, difference;
  MBS_TRY(mbs_natural_place(context, blueprint, member.body, point->local, true, &own));
  MBS_TRY(mbs_form_subtract(context, blueprint, &own, reference, &difference));
  for (int k = 0; k < blueprint->dimension; ++k) {
    const char *name = mbs_arena_print(blueprint->arena, "joint %s: %s.%s stays in place, %s", pair->joint->name.text,
                                       blueprint->bodies.items[member.body].name, point->name, axes[k]);
    MBS_APPEND(context, blueprint->arena, &blueprint->rows,
               (MbsRowSpec){.kind = MBS_ROW_COINCIDE,
                            .name = name ? name : point->name,
                            .owner = pair->joint->name.text,
                            .place = pair->joint->name.place,
                            .body = MBS_NOBODY,
                            .joint = pair->joint,
                            .shared = pair->shared,
                            .A = difference,
                            .component = k,
                            .c = mbs_graph_constant(blueprint->graph, 0)});
  }
  return MBS_OK;
}

// every member of a group coincides with its entity, or with the group's first member
static MbsStatus add_group_rows(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsNatural *natural = blueprint->coordinates;
  int *first;  // the end of a pair that stands for a group without entity: 1 + 2 pair + end
  MBS_TAKE(context, blueprint->arena, first, blueprint->group_count);
  for (int i = 0; i < blueprint->point_pairs.count; ++i) {
    const MbsPointPair *pair = &blueprint->point_pairs.items[i];
    int group = blueprint->bodies.items[pair->a.body].points[pair->a.point].group;
    const MbsPointReference ends[2] = {pair->a, pair->b};
    int entity = natural->group_entity[group];
    for (int e = 0; e < 2; ++e) {
      int body = ends[e].body;
      MbsBlueprintPoint *point = &blueprint->bodies.items[body].points[ends[e].point];
      if (point->is_placed || (entity >= 0 && (body == MBS_GROUND || is_in_basis(blueprint, body, entity)))) {
        continue;
      }
      point->is_placed = true;
      if (entity < 0 && first[group] == 0) {
        first[group] = 1 + i * 2 + e;
        continue;
      }
      MbsForm reference;
      if (entity >= 0) {
        MBS_TRY(mbs_form_of_entity(context, blueprint, entity, MBS_NOBODY, &reference));
      } else {
        const MbsPointPair *of = &blueprint->point_pairs.items[(first[group] - 1) / 2];
        MBS_TRY(place_point(context, blueprint, (first[group] - 1) % 2 ? of->b : of->a, &reference));
      }
      MBS_TRY(add_point_rows(context, blueprint, pair, ends[e], &reference));
    }
  }
  return MBS_OK;
}

// dot(u, n) = 0 for the normals n of w, in the member's body
static MbsStatus add_parallel_rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                   const MbsForm *u, const MbsDirection *member) {
  MbsNode zero = mbs_graph_constant(blueprint->graph, 0);
  MbsForm normal;
  if (blueprint->dimension == 2) {
    MbsForm w;
    MBS_TRY(mbs_form_of_direction(context, blueprint, member, &w));
    MBS_TRY(mbs_form_turn(context, blueprint, u, &normal));
    return mbs_joint_add_dot_row(context, blueprint, joint, "does not turn", &normal, &w, zero);
  }
  MbsDirection normals[2];
  MBS_TRY(mbs_direction_normals(context, blueprint, member, normals));
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_form_of_direction(context, blueprint, &normals[i], &normal));
    MBS_TRY(mbs_joint_add_dot_row(context, blueprint, joint, i ? "axes parallel, 2" : "axes parallel, 1", u, &normal,
                                  zero));
  }
  return MBS_OK;
}

static MbsStatus add_class_rows(MbsContext *context, MbsBlueprint *blueprint, const MbsDirectionClass *class,
                                const MbsShared *shared) {
  MbsForm u;
  int first = -1, rows = blueprint->rows.count;
  if (class->member_count == 0) {
    return MBS_OK;
  }
  if (class->entity >= 0) {
    MBS_TRY(mbs_form_of_entity(context, blueprint, class->entity, MBS_NOBODY, &u));
  } else {
    const MbsDirection *fixed = mbs_natural_class_member(class, MBS_GROUND);
    const MbsDirection *chosen = fixed ? fixed : &class->members[0];
    first = (int)(chosen - class->members);
    MBS_TRY(mbs_form_of_direction(context, blueprint, chosen, &u));
  }
  for (int i = 0; i < class->member_count; ++i) {
    const MbsDirection *member = &class->members[i];
    bool is_entity =
        class->entity >= 0 && (member->body == MBS_GROUND || is_in_basis(blueprint, member->body, class->entity));
    if (!is_entity && i != first) {
      MBS_TRY(add_parallel_rows(context, blueprint, class->joint, &u, member));
    }
  }
  for (; rows < blueprint->rows.count; ++rows) {
    blueprint->rows.items[rows].shared = shared;
  }
  return MBS_OK;
}

static MbsStatus add_unit_rows(MbsContext *context, MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->entities.count; ++i) {
    const MbsEntity *entity = &blueprint->entities.items[i];
    if (entity->is_fixed || entity->kind == MBS_ENTITY_POINT) {
      continue;
    }
    MbsForm u;
    MBS_TRY(mbs_form_of_entity(context, blueprint, i, MBS_NOBODY, &u));
    const char *name = mbs_arena_print(blueprint->arena, "vector %s: unit length", entity->name);
    MBS_APPEND(context, blueprint->arena, &blueprint->rows,
               (MbsRowSpec){.kind = MBS_ROW_DOT,
                            .name = name ? name : entity->name,
                            .owner = entity->name,
                            .body = MBS_NOBODY,
                            .A = u,
                            .B = u,
                            .c = mbs_graph_constant(blueprint->graph, 1)});
  }
  return MBS_OK;
}

MbsStatus mbs_natural_close_points(MbsContext *context, MbsBlueprint *blueprint, const MbsPointPair *pair) {
  MbsForm reference;
  MBS_TRY(mbs_form_of_point(context, blueprint, pair->a, &reference));
  return add_point_rows(context, blueprint, pair, pair->b, &reference);
}

MbsStatus mbs_natural_close_directions(MbsContext *context, MbsBlueprint *blueprint, const MbsDirectionPair *pair) {
  bool is_ground_second = pair->b.body == MBS_GROUND;
  MbsForm u;
  MBS_TRY(mbs_form_of_direction(context, blueprint, is_ground_second ? &pair->b : &pair->a, &u));
  return add_parallel_rows(context, blueprint, pair->joint, &u, is_ground_second ? &pair->a : &pair->b);
}

MbsStatus mbs_natural_close_switched(MbsContext *context, MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->switched_points.count; ++i) {
    MBS_TRY(mbs_natural_close_points(context, blueprint, &blueprint->switched_points.items[i]));
  }
  for (int i = 0; i < blueprint->switched_directions.count; ++i) {
    MBS_TRY(mbs_natural_close_directions(context, blueprint, &blueprint->switched_directions.items[i]));
  }
  return MBS_OK;
}

MbsStatus mbs_natural_choose(MbsContext *context, MbsBlueprint *blueprint) {
  MbsNatural *natural;
  MBS_TAKE(context, blueprint->arena, natural, 1);
  MBS_TAKE(context, blueprint->arena, natural->bases, blueprint->bodies.count);
  blueprint->coordinates = natural;
  blueprint->place = mbs_natural_place;
  blueprint->place_point = place_point;
  MBS_TRY(survey_groups(context, blueprint, natural));
  MBS_TRY(survey_directions(context, blueprint, natural));
  MBS_TRY(mbs_natural_choose_bases(context, blueprint));
  MBS_TRY(list_shared(context, blueprint));
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    MBS_TRY((blueprint->dimension == 2 ? mbs_planar_body_add_mass : mbs_spatial_body_add_mass)(context, blueprint, b,
                                                                                               &natural->bases[b]));
    MBS_TRY(mbs_basis_add_rows(context, blueprint, b, &natural->bases[b]));
  }
  MBS_TRY(add_unit_rows(context, blueprint));
  MBS_TRY(add_group_rows(context, blueprint));
  for (int c = 0; c < natural->class_count; ++c) {
    const MbsShared *shared = &blueprint->shared[blueprint->group_count + c];
    MBS_TRY(add_class_rows(context, blueprint, &natural->classes[c], shared));
  }
  return mbs_natural_close_switched(context, blueprint);
}
