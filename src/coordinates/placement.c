#include "coordinates/placement.h"

#include <math.h>

#include "coordinates/natural.h"

typedef struct Pose {
  bool is_known;
  double x, y, angle;
} Pose;

typedef struct Placement {
  Pose *poses;    // by body
  double *group;  // 2 per point group
  bool *is_group_known;
  double **local;  // by body: 2 per point, nominal
} Placement;

// what may the body be placed by: two points first, one point next, nothing at last
enum { BY_TWO_POINTS, BY_ONE_POINT, BY_NOTHING };

static void learn_points(const MbsBlueprint *blueprint, Placement *placement, int index) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  const Pose *pose = &placement->poses[index];
  double c = cos(pose->angle), s = sin(pose->angle);  // real
  for (int p = 0; p < body->point_count; ++p) {
    int group = body->points[p].group;
    if (!placement->is_group_known[group]) {
      const double *local = &placement->local[index][2 * p];
      placement->group[2 * group] = pose->x + c * local[0] - s * local[1];
      placement->group[2 * group + 1] = pose->y + s * local[0] + c * local[1];
      placement->is_group_known[group] = true;
    }
  }
}

static bool try_to_place(const MbsBlueprint *blueprint, Placement *placement, int index, int by) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  Pose *pose = &placement->poses[index];
  const double *known[2], *local[2];
  int count = 0;
  for (int p = 0; p < body->point_count && count < 2; ++p) {
    const double *here = &placement->local[index][2 * p];
    bool is_new = count == 0 || hypot(here[0] - local[0][0], here[1] - local[0][1]) > 0;  // real
    if (placement->is_group_known[body->points[p].group] && is_new) {
      known[count] = &placement->group[2 * body->points[p].group];
      local[count++] = here;
    }
  }
  if ((by == BY_TWO_POINTS && count < 2) || (by == BY_ONE_POINT && count < 1)) {
    return false;
  }
  if (by == BY_TWO_POINTS) {
    pose->angle = atan2(known[1][1] - known[0][1], known[1][0] - known[0][0]) -  // real
                  atan2(local[1][1] - local[0][1], local[1][0] - local[0][0]);   // real
  }
  if (by != BY_NOTHING) {
    double c = cos(pose->angle), s = sin(pose->angle);  // real
    pose->x = known[0][0] - (c * local[0][0] - s * local[0][1]);
    pose->y = known[0][1] - (s * local[0][0] + c * local[0][1]);
  }
  pose->is_known = true;
  learn_points(blueprint, placement, index);
  return true;
}

// numbers of a NUMBER or VECTOR field at the nominal parameters
static MbsStatus read_numbers(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                              const MbsValue *value, double *numbers) {
  MbsNode nodes[3];
  MBS_TRY(mbs_blueprint_vector(context, blueprint, owner, field, value, nodes));
  MBS_TRY(mbs_blueprint_check_properties(context, blueprint));
  return mbs_blueprint_nominal(context, blueprint, value->count, nodes, numbers);
}

static MbsStatus read_given(MbsContext *context, MbsBlueprint *blueprint, Placement *placement) {
  const MbsRecord *initial = mbs_record_child(&blueprint->model->root, MBS_MODEL_INITIAL);
  const MbsValue *points = mbs_record_value(initial, MBS_INITIAL_POINTS);
  const MbsField *field = &mbs_model_type.fields[MBS_MODEL_INITIAL].record->fields[MBS_INITIAL_POINTS];
  for (int i = 0; i < points->count; ++i) {
    const MbsRecord *record = &points->records[i];
    MbsPointReference point;
    double position[3];
    MBS_TRY(mbs_blueprint_find_point(context, blueprint, "initial points", record->name, &point));
    MBS_TRY(read_numbers(context, blueprint, record->name.text, field, &record->values[0], position));
    int group = blueprint->bodies.items[point.body].points[point.point].group;
    placement->group[2 * group] = position[0];
    placement->group[2 * group + 1] = position[1];
    placement->is_group_known[group] = true;
  }
  const MbsField *fields = mbs_model_type.fields[MBS_MODEL_BODIES].record->fields;
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    const MbsValue *position = mbs_record_value(body->record, MBS_BODY_POSITION);
    const MbsValue *angle = mbs_record_value(body->record, MBS_BODY_ANGLE);
    double given[3];
    if (angle->count > 0) {
      MBS_TRY(read_numbers(context, blueprint, body->name, &fields[MBS_BODY_ANGLE], angle, &placement->poses[b].angle));
    }
    if (position->count > 0) {
      MBS_TRY(read_numbers(context, blueprint, body->name, &fields[MBS_BODY_POSITION], position, given));
      placement->poses[b].x = given[0];
      placement->poses[b].y = given[1];
      placement->poses[b].is_known = true;
      learn_points(blueprint, placement, b);
    }
  }
  return MBS_OK;
}

static MbsStatus read_locals(MbsContext *context, MbsBlueprint *blueprint, Placement *placement) {
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    MbsNode *nodes;
    MBS_TAKE(context, blueprint->arena, nodes, 2 * body->point_count);
    MBS_TAKE(context, blueprint->arena, placement->local[b], 2 * body->point_count);
    for (int p = 0; p < body->point_count; ++p) {
      nodes[2 * p] = body->points[p].local[0];
      nodes[2 * p + 1] = body->points[p].local[1];
    }
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 2 * body->point_count, nodes, placement->local[b]));
  }
  return MBS_OK;
}

// entities of a body's basis from its pose, or from the group where that is known better
static MbsStatus guess_entities(MbsContext *context, MbsBlueprint *blueprint, const Placement *placement, int index) {
  const MbsBasis *basis = mbs_natural_basis(blueprint, index);
  const Pose *pose = &placement->poses[index];
  double c = cos(pose->angle), s = sin(pose->angle);  // real
  for (int k = 0; k < basis->count; ++k) {
    MbsEntity *entity = &blueprint->entities.items[basis->entity[k]];
    double local[2];
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 2, basis->local[k], local));
    bool is_point = basis->kind[k] == MBS_ENTITY_POINT;
    entity->guess[0] = (is_point ? pose->x : 0) + c * local[0] - s * local[1];
    entity->guess[1] = (is_point ? pose->y : 0) + s * local[0] + c * local[1];
  }
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  for (int p = 0; p < body->point_count; ++p) {
    MbsForm form;
    MBS_TRY(mbs_form_of_point(context, blueprint, (MbsPointReference){.body = index, .point = p}, &form));
    if (form.count == 1 && placement->is_group_known[body->points[p].group] &&
        mbs_graph_is_constant(blueprint->graph, form.terms[0].a, 1)) {
      MbsEntity *entity = &blueprint->entities.items[form.terms[0].entity];
      entity->guess[0] = placement->group[2 * body->points[p].group];
      entity->guess[1] = placement->group[2 * body->points[p].group + 1];
    }
  }
  return MBS_OK;
}

MbsStatus mbs_placement_guess(MbsContext *context, MbsBlueprint *blueprint) {
  Placement placement;
  MBS_TAKE(context, blueprint->arena, placement.poses, blueprint->bodies.count);
  MBS_TAKE(context, blueprint->arena, placement.group, 2 * blueprint->group_count);
  MBS_TAKE(context, blueprint->arena, placement.is_group_known, blueprint->group_count);
  MBS_TAKE(context, blueprint->arena, placement.local, blueprint->bodies.count);
  MBS_TRY(read_locals(context, blueprint, &placement));
  placement.poses[MBS_GROUND].is_known = true;
  learn_points(blueprint, &placement, MBS_GROUND);
  MBS_TRY(read_given(context, blueprint, &placement));
  for (int by = BY_TWO_POINTS; by <= BY_NOTHING;) {
    bool is_any_placed = false;
    for (int b = 1; b < blueprint->bodies.count && !(is_any_placed && by != BY_TWO_POINTS); ++b) {
      if (!placement.poses[b].is_known && try_to_place(blueprint, &placement, b, by)) {
        is_any_placed = true;
      }
    }
    // what one body taught may place another by something better
    by = is_any_placed ? BY_TWO_POINTS : by + 1;
  }
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    MBS_TRY(guess_entities(context, blueprint, &placement, b));
  }
  return MBS_OK;
}
