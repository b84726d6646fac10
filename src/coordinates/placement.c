// A body is placed by its known points: one moves it there, a second turns it by the shortest way, a third turns it
// about the line of the first two. What it then knows places its neighbours.
#include "coordinates/placement.h"

#include <math.h>

#include "coordinates/natural.h"

typedef struct Pose {
  bool is_known;
  double x[3];
  double R[3][3];  // body axes to global axes
} Pose;

typedef struct Placement {
  Pose *poses;    // by body
  double *group;  // 3 per point group
  bool *is_group_known;
  double **local;  // by body: 3 per point, nominal
} Placement;

enum { MOST_POINTS = 3 };

// ---- three numbers ----
static void turn(double R[3][3], const double v[3], double w[3]) {
  for (int i = 0; i < 3; ++i) {
    w[i] = R[i][0] * v[0] + R[i][1] * v[1] + R[i][2] * v[2];
  }
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    c[k] = a[i] * b[j] - a[j] * b[i];
  }
}

static double length(const double a[3]) { return sqrt(dot(a, a)); }  // real

// R = exp(angle axis) R, by Rodrigues' formula
static void rotate(double R[3][3], const double axis[3], double angle) {
  double size = length(axis);
  double c = cos(angle), s = sin(angle);  // real
  for (int column = 0; column < 3; ++column) {
    double v[3] = {R[0][column], R[1][column], R[2][column]}, u[3], uv[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = axis[k] / size;
    }
    cross(u, v, uv);
    double along = dot(u, v);
    for (int k = 0; k < 3; ++k) {
      R[k][column] = c * v[k] + s * uv[k] + (1 - c) * along * u[k];
    }
  }
}

// ---- bodies by their points ----
static void learn_points(const MbsBlueprint *blueprint, Placement *placement, int index) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  Pose *pose = &placement->poses[index];
  for (int p = 0; p < body->point_count; ++p) {
    int group = body->points[p].group;
    if (!placement->is_group_known[group]) {
      double arm[3];
      turn(pose->R, &placement->local[index][3 * p], arm);
      for (int k = 0; k < 3; ++k) {
        placement->group[3 * group + k] = pose->x[k] + arm[k];
      }
      placement->is_group_known[group] = true;
    }
  }
}

typedef struct Known {
  int count;
  const double *local[MOST_POINTS], *global[MOST_POINTS];
} Known;

// up to three known points of the body that are not the same and not on one line
static Known known_points(const MbsBlueprint *blueprint, const Placement *placement, int index) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  Known known = {.count = 0};
  for (int p = 0; p < body->point_count && known.count < MOST_POINTS; ++p) {
    const double *local = &placement->local[index][3 * p];
    double d[3], e[3], normal[3];
    for (int k = 0; k < 3; ++k) {
      d[k] = known.count > 0 ? local[k] - known.local[0][k] : 0;
      e[k] = known.count > 1 ? known.local[1][k] - known.local[0][k] : 0;
    }
    cross(d, e, normal);
    bool is_new = known.count == 0 || (known.count == 1 && length(d) > 0) ||
                  (known.count == 2 && length(normal) > 1e-6 * length(d) * length(e));
    if (placement->is_group_known[body->points[p].group] && is_new) {
      known.local[known.count] = local;
      known.global[known.count++] = &placement->group[3 * body->points[p].group];
    }
  }
  return known;
}

// turns the pose so that local point i, seen from point 0, points to its global place; about the line 0-1 for i = 2
static void align(Pose *pose, const Known *known, int i) {
  double local[3], is[3], wanted[3], axis[3], cross_part[3];
  for (int k = 0; k < 3; ++k) {
    local[k] = known->local[i][k] - known->local[0][k];
    wanted[k] = known->global[i][k] - known->global[0][k];
  }
  turn(pose->R, local, is);
  if (i == 2) {
    double line[3];
    for (int k = 0; k < 3; ++k) {
      line[k] = known->global[1][k] - known->global[0][k];
    }
    double square = dot(line, line);
    if (!(square > 0)) {
      return;
    }
    double is_along = dot(is, line) / square, wanted_along = dot(wanted, line) / square;
    for (int k = 0; k < 3; ++k) {
      is[k] -= is_along * line[k];
      wanted[k] -= wanted_along * line[k];
      axis[k] = line[k];
    }
    cross(is, wanted, cross_part);
    double angle = atan2(dot(cross_part, line) / sqrt(square), dot(is, wanted));  // real
    rotate(pose->R, axis, angle);
    return;
  }
  if (!(length(wanted) > 0)) {
    return;
  }
  cross(is, wanted, axis);
  double sine = length(axis) / (length(is) * length(wanted));
  if (sine < 1e-12) {  // straight ahead or straight back: any normal will do, the plane's first
    const double up[3] = {0, 0, 1}, side[3] = {0, 1, 0};
    cross(is, up, axis);
    bool is_planar = length(axis) > 1e-6 * length(is);
    for (int k = 0; k < 3; ++k) {
      axis[k] = is_planar ? up[k] : side[k];
    }
  }
  rotate(pose->R, axis, atan2(sine, dot(is, wanted) / (length(is) * length(wanted))));  // real
}

static bool try_to_place(const MbsBlueprint *blueprint, Placement *placement, int index, int wanted) {
  Known known = known_points(blueprint, placement, index);
  Pose *pose = &placement->poses[index];
  if (known.count < wanted) {
    return false;
  }
  for (int i = 1; i < known.count; ++i) {
    align(pose, &known, i);
  }
  if (known.count > 0) {
    double arm[3];
    turn(pose->R, known.local[0], arm);
    for (int k = 0; k < 3; ++k) {
      pose->x[k] = known.global[0][k] - arm[k];
    }
  }
  pose->is_known = true;
  learn_points(blueprint, placement, index);
  return true;
}

// ---- what the model says ----
// numbers of a NUMBER or VECTOR field at the nominal parameters, zero beyond
static MbsStatus read_numbers(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                              const MbsValue *value, double numbers[3]) {
  MbsNode nodes[3];
  MBS_TRY(mbs_blueprint_vector(context, blueprint, owner, field, value, nodes));
  MBS_TRY(mbs_blueprint_check_properties(context, blueprint));
  return mbs_blueprint_nominal(context, blueprint, 3, nodes, numbers);
}

static MbsStatus read_points(MbsContext *context, MbsBlueprint *blueprint, Placement *placement) {
  const MbsRecord *initial = mbs_record_child(&blueprint->model->root, MBS_MODEL_INITIAL);
  const MbsValue *points = mbs_record_value(initial, MBS_INITIAL_POINTS);
  const MbsField *field = &mbs_model_type.fields[MBS_MODEL_INITIAL].record->fields[MBS_INITIAL_POINTS];
  for (int i = 0; i < points->count; ++i) {
    const MbsRecord *record = &points->records[i];
    MbsPointReference point;
    MBS_TRY(mbs_blueprint_find_point(context, blueprint, "initial points", record->name, &point));
    int group = blueprint->bodies.items[point.body].points[point.point].group;
    MBS_TRY(read_numbers(context, blueprint, "initial", field, &record->values[0], &placement->group[3 * group]));
    placement->is_group_known[group] = true;
  }
  return MBS_OK;
}

static MbsStatus read_pose(MbsContext *context, MbsBlueprint *blueprint, Placement *placement, int index) {
  const MbsField *fields = mbs_model_type.fields[MBS_MODEL_BODIES].record->fields;
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  Pose *pose = &placement->poses[index];
  bool is_planar = blueprint->dimension == 2;
  int field = is_planar ? MBS_BODY_ANGLE : MBS_BODY_ROTATION;
  int other = is_planar ? MBS_BODY_ROTATION : MBS_BODY_ANGLE;
  const char *owner = mbs_arena_print(blueprint->arena, "body \"%s\"", body->name);
  owner = owner ? owner : body->name;
  if (mbs_record_value(body->record, other)->is_given) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(body->record, other)->place,
                    "%s: \"%s\" is for models of dimension %d; use \"%s\"", owner, fields[other].name,
                    is_planar ? 3 : 2, fields[field].name);
  }
  const MbsValue *rotation = mbs_record_value(body->record, field);
  if (rotation->count > 0) {
    double given[3];
    MBS_TRY(read_numbers(context, blueprint, owner, &fields[field], rotation, given));
    double vector[3] = {is_planar ? 0 : given[0], is_planar ? 0 : given[1], is_planar ? given[0] : given[2]};
    double angle = length(vector);
    if (angle > 0) {
      rotate(pose->R, vector, angle);
    }
  }
  const MbsValue *position = mbs_record_value(body->record, MBS_BODY_POSITION);
  if (position->count > 0) {
    MBS_TRY(read_numbers(context, blueprint, owner, &fields[MBS_BODY_POSITION], position, pose->x));
    pose->is_known = true;
    learn_points(blueprint, placement, index);
  }
  return MBS_OK;
}

static MbsStatus read_locals(MbsContext *context, MbsBlueprint *blueprint, Placement *placement) {
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    MbsNode *nodes;
    MBS_TAKE(context, blueprint->arena, nodes, 3 * body->point_count);
    MBS_TAKE(context, blueprint->arena, placement->local[b], 3 * body->point_count);
    for (int i = 0; i < 3 * body->point_count; ++i) {
      nodes[i] = body->points[i / 3].local[i % 3];
    }
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3 * body->point_count, nodes, placement->local[b]));
    for (int k = 0; k < 3; ++k) {
      placement->poses[b].R[k][k] = 1;
    }
  }
  return MBS_OK;
}

// ---- entities ----
// those of a body's basis from its pose, or from the group where that is known better
static MbsStatus guess_entities(MbsContext *context, MbsBlueprint *blueprint, const Placement *placement, int index) {
  const MbsBasis *basis = mbs_natural_basis(blueprint, index);
  Pose *pose = &placement->poses[index];
  for (int k = 0; k < basis->count; ++k) {
    MbsEntity *entity = &blueprint->entities.items[basis->entity[k]];
    double local[3], arm[3];
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, basis->local[k], local));
    turn(pose->R, local, arm);
    for (int i = 0; i < 3; ++i) {
      entity->guess[i] = arm[i] + (basis->kind[k] == MBS_ENTITY_POINT ? pose->x[i] : 0);
    }
  }
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  for (int p = 0; p < body->point_count; ++p) {
    MbsForm form;
    MBS_TRY(mbs_form_of_point(context, blueprint, (MbsPointReference){.body = index, .point = p}, &form));
    if (form.count == 1 && placement->is_group_known[body->points[p].group] &&
        mbs_graph_is_constant(blueprint->graph, form.terms[0].a, 1)) {
      MbsEntity *entity = &blueprint->entities.items[form.terms[0].entity];
      for (int i = 0; i < 3; ++i) {
        entity->guess[i] = placement->group[3 * body->points[p].group + i];
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_placement_guess(MbsContext *context, MbsBlueprint *blueprint) {
  Placement placement;
  MBS_TAKE(context, blueprint->arena, placement.poses, blueprint->bodies.count);
  MBS_TAKE(context, blueprint->arena, placement.group, 3 * blueprint->group_count);
  MBS_TAKE(context, blueprint->arena, placement.is_group_known, blueprint->group_count);
  MBS_TAKE(context, blueprint->arena, placement.local, blueprint->bodies.count);
  MBS_TRY(read_locals(context, blueprint, &placement));
  placement.poses[MBS_GROUND].is_known = true;
  learn_points(blueprint, &placement, MBS_GROUND);
  MBS_TRY(read_points(context, blueprint, &placement));
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    MBS_TRY(read_pose(context, blueprint, &placement, b));
  }
  for (int wanted = blueprint->dimension; wanted >= 0;) {
    bool is_any_placed = false;
    for (int b = 1; b < blueprint->bodies.count && !is_any_placed; ++b) {
      is_any_placed = !placement.poses[b].is_known && try_to_place(blueprint, &placement, b, wanted);
    }
    // what one body taught may place another by more points
    wanted = is_any_placed ? blueprint->dimension : wanted - 1;
  }
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    MBS_TRY(guess_entities(context, blueprint, &placement, b));
  }
  return MBS_OK;
}
