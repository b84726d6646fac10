// A body is placed by its known points: one moves it there, a second turns it by the shortest way, a third turns it
// about the line of the first two. What it then knows places its neighbours. Which points these are is decided at the
// nominal values of the parameters; the poses are functions of all of them.
//
// Unit vectors a to b by the shortest way, with w = a x b, c = a.b:  S = I + w~ + w~ w~ / (1 + c)
// About a unit vector u, cosine c, sine s:                           S = c I + s u~ + (1 - c) u u'
#include "coordinates/placement.h"

#include "coordinates/natural.h"
#include "coordinates/relative.h"
#include "expressions/vector.h"

typedef struct Finding {
  MbsContext *context;
  MbsBlueprint *blueprint;
  MbsGraph *g;
  MbsPlacedPose *poses;  // by body
  bool *is_placed;       // by body
  MbsNode (*group)[3];   // by group of points
  bool *is_group_known, *is_group_given;
  int *together;         // by group: the one it is placed with
  int *first, *members;  // by group, and one more: where its bodies begin among the members
  int *known_count;      // by body: how many of its points are known
  MbsStatus status;
} Finding;

enum { MOST_POINTS = 3 };

typedef struct Known {
  int count;
  MbsNode local[MOST_POINTS][3], global[MOST_POINTS][3];
} Known;

// ---- vectors and rotations of nodes ----
static double nominal(Finding *f, MbsNode node) {
  double value = 0;
  f->status = f->status == MBS_OK ? mbs_blueprint_nominal(f->context, f->blueprint, 1, &node, &value) : f->status;
  return value;
}

static void subtract(Finding *f, const MbsNode a[3], const MbsNode b[3], MbsNode c[3]) {
  for (int k = 0; k < 3; ++k) {
    c[k] = mbs_graph_subtract(f->g, a[k], b[k]);
  }
}

static void normalise(Finding *f, MbsNode a[3]) {
  MbsNode length = mbs_node_norm(f->g, 3, a);
  for (int k = 0; k < 3; ++k) {
    a[k] = mbs_graph_divide(f->g, a[k], length);
  }
}

static void turn(Finding *f, MbsNode R[3][3], const MbsNode v[3], MbsNode w[3]) {
  for (int i = 0; i < 3; ++i) {
    w[i] = mbs_node_dot(f->g, 3, R[i], v);
  }
}

// R = S R
static void apply(Finding *f, MbsNode S[3][3], MbsNode R[3][3]) {
  for (int j = 0; j < 3; ++j) {
    MbsNode column[3] = {R[0][j], R[1][j], R[2][j]}, turned[3];
    turn(f, S, column, turned);
    for (int i = 0; i < 3; ++i) {
      R[i][j] = turned[i];
    }
  }
}

// S = a I + b u~ + c u u'
static void combine(Finding *f, MbsNode a, MbsNode b, MbsNode c, const MbsNode u[3], MbsNode S[3][3]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      S[i][j] = mbs_graph_multiply(f->g, c, mbs_graph_multiply(f->g, u[i], u[j]));
      if (i == j) {
        S[i][j] = mbs_graph_add(f->g, S[i][j], a);
      } else {
        MbsNode part = mbs_graph_multiply(f->g, b, u[3 - i - j]);
        S[i][j] = (j == (i + 2) % 3 ? mbs_graph_add : mbs_graph_subtract)(f->g, S[i][j], part);
      }
    }
  }
}

static void rotate_about(Finding *f, const MbsNode u[3], MbsNode cosine, MbsNode sine, MbsNode R[3][3]) {
  MbsNode S[3][3];
  combine(f, cosine, sine, mbs_graph_subtract(f->g, mbs_graph_constant(f->g, 1), cosine), u, S);
  apply(f, S, R);
}

// the axis of the plane
static void set_up(Finding *f, MbsNode up[3]) {
  for (int k = 0; k < 3; ++k) {
    up[k] = mbs_graph_constant(f->g, k == 2 ? 1 : 0);
  }
}

// a half turn to begin with where a and b are opposite: any normal will do, the plane's first
static void half_turn(Finding *f, MbsNode a[3], MbsNode R[3][3]) {
  bool is_upright = fabs(nominal(f, a[2])) > 1 - 1e-6;  // real
  MbsNode axis[3], S[3][3], turned[3], minus = mbs_graph_constant(f->g, -1);
  for (int k = 0; k < 3; ++k) {
    axis[k] = mbs_graph_constant(f->g, k == (is_upright ? 1 : 2) ? 1 : 0);
  }
  combine(f, minus, mbs_graph_constant(f->g, 0), mbs_graph_constant(f->g, 2), axis, S);
  apply(f, S, R);
  turn(f, S, a, turned);
  for (int k = 0; k < 3; ++k) {
    a[k] = turned[k];
  }
}

// unit vector a to unit vector b by the shortest way
static void rotate_to(Finding *f, MbsNode a[3], const MbsNode b[3], MbsNode R[3][3]) {
  MbsGraph *g = f->g;
  MbsNode one = mbs_graph_constant(g, 1), w[3], S[3][3];
  if (f->blueprint->dimension == 3 && nominal(f, mbs_node_dot(g, 3, a, b)) < -1 + 1e-14) {
    half_turn(f, a, R);
  }
  MbsNode c = mbs_node_dot(g, 3, a, b);
  for (int k = 0; k < 3; ++k) {
    w[k] = mbs_node_cross(g, a, b, k);
  }
  if (f->blueprint->dimension == 2) {
    MbsNode up[3];
    set_up(f, up);
    rotate_about(f, up, c, w[2], R);
    return;
  }
  // w~ w~ = w w' - w.w I, and w.w / (1 + c) = 1 - c
  combine(f, c, one, mbs_graph_divide(g, one, mbs_graph_add(g, one, c)), w, S);
  apply(f, S, R);
}

// ---- bodies by their points ----
// Points that joints bring together, those among them that an event removes later.
static MbsStatus bring_together(Finding *f) {
  const MbsBlueprint *blueprint = f->blueprint;
  MBS_TAKE(f->context, blueprint->arena, f->together, blueprint->group_count);
  for (int g = 0; g < blueprint->group_count; ++g) {
    f->together[g] = g;
  }
  for (int i = 0; i < blueprint->switched_points.count; ++i) {
    const MbsPointPair *pair = &blueprint->switched_points.items[i];
    int kept = f->together[blueprint->bodies.items[pair->a.body].points[pair->a.point].group];
    int merged = f->together[blueprint->bodies.items[pair->b.body].points[pair->b.point].group];
    for (int g = 0; g < blueprint->group_count && mbs_switch_acts_at_start(blueprint, pair->joint); ++g) {
      f->together[g] = f->together[g] == merged ? kept : f->together[g];
    }
  }
  return MBS_OK;
}

static MbsStatus list_members(Finding *f) {
  const MbsBlueprint *blueprint = f->blueprint;
  int total = 0;
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    total += blueprint->bodies.items[b].point_count;
  }
  MBS_TAKE(f->context, blueprint->arena, f->first, blueprint->group_count + 2);
  MBS_TAKE(f->context, blueprint->arena, f->members, total);
  MBS_TAKE(f->context, blueprint->arena, f->known_count, blueprint->bodies.count);
  int *next = f->first + 1;  // becomes the end of each group, which is where the next one begins
  for (int pass = 0; pass < 2; ++pass) {
    for (int b = 0; b < blueprint->bodies.count; ++b) {
      const MbsBlueprintBody *body = &blueprint->bodies.items[b];
      for (int p = 0; p < body->point_count; ++p) {
        int group = f->together[body->points[p].group];
        if (pass == 0) {
          next[group + 1] += 1;
        } else {
          f->members[next[group]++] = b;
        }
      }
    }
    for (int group = 0; group < blueprint->group_count && pass == 0; ++group) {
      next[group + 1] += next[group];
    }
  }
  return MBS_OK;
}

static void know_group(Finding *f, int group) {
  for (int i = f->first[group]; i < f->first[group + 1] && !f->is_group_known[group]; ++i) {
    f->known_count[f->members[i]] += 1;
  }
  f->is_group_known[group] = true;
}

static void learn_points(Finding *f, int index) {
  const MbsBlueprintBody *body = &f->blueprint->bodies.items[index];
  MbsPlacedPose *pose = &f->poses[index];
  f->is_placed[index] = true;
  for (int p = 0; p < body->point_count; ++p) {
    int group = f->together[body->points[p].group];
    MbsNode arm[3];
    if (!f->is_group_known[group]) {
      know_group(f, group);
      turn(f, pose->R, body->points[p].local, arm);
      for (int k = 0; k < 3; ++k) {
        f->group[group][k] = mbs_graph_add(f->g, pose->x[k], arm[k]);
      }
    }
  }
}

static double length_of(Finding *f, const MbsNode a[3]) { return nominal(f, mbs_node_norm(f->g, 3, a)); }

static void local_difference(Finding *f, const MbsNode a[3], const MbsNode b[3], double d[3]) {
  for (int k = 0; k < 3; ++k) {
    d[k] = nominal(f, a[k]) - nominal(f, b[k]);
  }
}

// does the local point add to those that are known: not the same, not on one line with two
static bool is_new(Finding *f, const Known *known, const MbsNode local[3]) {
  double d[3], e[3], normal[3];
  if (known->count == 0) {
    return true;
  }
  local_difference(f, local, known->local[0], d);
  if (known->count == 1) {
    return mbs_vector_length(d) > 0;
  }
  local_difference(f, known->local[1], known->local[0], e);
  mbs_vector_cross(d, e, normal);
  return mbs_vector_length(normal) > 1e-6 * mbs_vector_length(d) * mbs_vector_length(e);
}

static void take_point(Known *known, const MbsNode local[3], const MbsNode global[3]) {
  for (int k = 0; k < 3; ++k) {
    known->local[known->count][k] = local[k];
    known->global[known->count][k] = global[k];
  }
  known->count += 1;
}

// adds points of the body that are known, or that are given by the user
static void find_points(Finding *f, int index, const bool *is_group_good, Known *known) {
  const MbsBlueprintBody *body = &f->blueprint->bodies.items[index];
  for (int p = 0; p < body->point_count && known->count < f->blueprint->dimension; ++p) {
    int group = f->together[body->points[p].group];
    if (is_group_good[group] && is_new(f, known, body->points[p].local)) {
      take_point(known, body->points[p].local, f->group[group]);
    }
  }
}

// turns the pose so that local point i, seen from point 0, points to its global place; about the line 0-1 for i = 2
static void align(Finding *f, const Known *known, int i, MbsNode R[3][3]) {
  MbsGraph *g = f->g;
  MbsNode local[3], is[3], wanted[3];
  subtract(f, known->local[i], known->local[0], local);
  subtract(f, known->global[i], known->global[0], wanted);
  turn(f, R, local, is);
  if (i == 2) {
    MbsNode line[3];
    subtract(f, known->global[1], known->global[0], line);
    if (!(length_of(f, line) > 0)) {
      return;
    }
    normalise(f, line);
    MbsNode is_along = mbs_node_dot(g, 3, is, line), wanted_along = mbs_node_dot(g, 3, wanted, line), normal[3];
    for (int k = 0; k < 3; ++k) {
      is[k] = mbs_graph_subtract(g, is[k], mbs_graph_multiply(g, is_along, line[k]));
      wanted[k] = mbs_graph_subtract(g, wanted[k], mbs_graph_multiply(g, wanted_along, line[k]));
    }
    if (!(length_of(f, wanted) > 1e-9 * length_of(f, is))) {
      return;
    }
    normalise(f, is);
    normalise(f, wanted);
    for (int k = 0; k < 3; ++k) {
      normal[k] = mbs_node_cross(g, is, wanted, k);
    }
    rotate_about(f, line, mbs_node_dot(g, 3, is, wanted), mbs_node_dot(g, 3, normal, line), R);
    return;
  }
  if (length_of(f, wanted) > 0) {
    normalise(f, is);
    normalise(f, wanted);
    rotate_to(f, is, wanted, R);
  }
}

static void place_by(Finding *f, int index, const Known *known) {
  MbsPlacedPose *pose = &f->poses[index];
  for (int i = 1; i < known->count; ++i) {
    align(f, known, i, pose->R);
  }
  if (known->count > 0) {
    MbsNode arm[3];
    turn(f, pose->R, known->local[0], arm);
    subtract(f, known->global[0], arm, pose->x);
  }
  learn_points(f, index);
}

static bool try_to_place(Finding *f, int index, int wanted) {
  Known known = {.count = 0};
  if (f->known_count[index] < wanted) {
    return false;
  }
  find_points(f, index, f->is_group_known, &known);
  if (known.count < wanted) {
    return false;
  }
  place_by(f, index, &known);
  return true;
}

// ---- what the model says ----
static MbsStatus read_points(Finding *f) {
  MbsBlueprint *blueprint = f->blueprint;
  const MbsRecord *initial = mbs_record_child(&blueprint->model->root, MBS_MODEL_INITIAL);
  const MbsValue *points = mbs_record_value(initial, MBS_INITIAL_POINTS);
  const MbsField *field = &mbs_model_type.fields[MBS_MODEL_INITIAL].record->fields[MBS_INITIAL_POINTS];
  for (int i = 0; i < points->count; ++i) {
    const MbsRecord *record = &points->records[i];
    MbsPointReference point;
    MBS_TRY(mbs_blueprint_find_point(f->context, blueprint, "initial points", record->name, &point));
    int group = f->together[blueprint->bodies.items[point.body].points[point.point].group];
    MBS_TRY(mbs_blueprint_vector(f->context, blueprint, "initial", field, &record->values[0], f->group[group]));
    know_group(f, group);
    f->is_group_given[group] = true;
  }
  return mbs_blueprint_check_properties(f->context, blueprint);
}

static MbsStatus read_rotation(Finding *f, const char *owner, const MbsField *field, const MbsValue *value,
                               MbsNode R[3][3]) {
  MbsGraph *g = f->g;
  MbsNode given[3], axis[3];
  MBS_TRY(mbs_blueprint_vector(f->context, f->blueprint, owner, field, value, given));
  MBS_TRY(mbs_blueprint_check_properties(f->context, f->blueprint));
  MbsNode angle = f->blueprint->dimension == 2 ? given[0] : mbs_node_norm(g, 3, given);
  if (f->blueprint->dimension == 2) {
    set_up(f, axis);
  } else if (nominal(f, angle) > 0) {
    for (int k = 0; k < 3; ++k) {
      axis[k] = mbs_graph_divide(g, given[k], angle);
    }
  } else {  // exp(v~) = I + v~ + ..., right to the first derivative
    MbsNode S[3][3];
    combine(f, mbs_graph_constant(g, 1), mbs_graph_constant(g, 1), mbs_graph_constant(g, 0), given, S);
    apply(f, S, R);
    return MBS_OK;
  }
  rotate_about(f, axis, mbs_graph_apply(g, MBS_OP_COS, angle, MBS_NODE_NONE),
               mbs_graph_apply(g, MBS_OP_SIN, angle, MBS_NODE_NONE), R);
  return MBS_OK;
}

// A body with a position is there. How it is turned the user says by its angle, or by where points of it are; else not
// at all.
static MbsStatus read_pose(Finding *f, int index) {
  MbsBlueprint *blueprint = f->blueprint;
  const MbsField *fields = mbs_model_type.fields[MBS_MODEL_BODIES].record->fields;
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  bool is_planar = blueprint->dimension == 2;
  int field = is_planar ? MBS_BODY_ANGLE : MBS_BODY_ROTATION;
  int other = is_planar ? MBS_BODY_ROTATION : MBS_BODY_ANGLE;
  const char *owner = mbs_arena_print(blueprint->arena, "body \"%s\"", body->name);
  owner = owner ? owner : body->name;
  if (mbs_record_value(body->record, other)->is_given) {
    return mbs_fail(f->context, MBS_ERROR_INPUT, mbs_record_value(body->record, other)->place,
                    "%s: \"%s\" is for models of dimension %d; use \"%s\"", owner, fields[other].name,
                    is_planar ? 3 : 2, fields[field].name);
  }
  const MbsValue *rotation = mbs_record_value(body->record, field);
  const MbsValue *position = mbs_record_value(body->record, MBS_BODY_POSITION);
  if (rotation->count > 0) {
    MBS_TRY(read_rotation(f, owner, &fields[field], rotation, f->poses[index].R));
  }
  if (position->count > 0) {
    Known known = {.count = 0};
    MbsNode origin[3], zero[3];
    MBS_TRY(mbs_blueprint_vector(f->context, blueprint, owner, &fields[MBS_BODY_POSITION], position, origin));
    MBS_TRY(mbs_blueprint_check_properties(f->context, blueprint));
    for (int k = 0; k < 3; ++k) {
      zero[k] = mbs_graph_constant(f->g, 0);
    }
    take_point(&known, zero, origin);
    if (!rotation->is_given) {
      find_points(f, index, f->is_group_given, &known);
    }
    place_by(f, index, &known);
  }
  return f->status;
}

// ---- all bodies ----
static MbsStatus find(Finding *f) {
  MbsBlueprint *blueprint = f->blueprint;
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    for (int i = 0; i < 3; ++i) {
      f->poses[b].x[i] = mbs_graph_constant(f->g, 0);
      for (int k = 0; k < 3; ++k) {
        f->poses[b].R[i][k] = mbs_graph_constant(f->g, i == k ? 1 : 0);
      }
    }
  }
  learn_points(f, MBS_GROUND);
  MBS_TRY(read_points(f));
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    MBS_TRY(read_pose(f, b));
  }
  for (int wanted = blueprint->dimension; wanted >= 0;) {
    bool is_any_placed = false;
    for (int b = 1; b < blueprint->bodies.count && !is_any_placed; ++b) {
      is_any_placed = !f->is_placed[b] && try_to_place(f, b, wanted);
    }
    // what one body taught may place another by more points
    wanted = is_any_placed ? blueprint->dimension : wanted - 1;
  }
  return f->status;
}

static MbsStatus find_nominal(MbsContext *context, MbsBlueprint *blueprint, const MbsPlacement *placement) {
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    const MbsPlacedPose *pose = &placement->poses[b];
    MbsPose *numbers = &placement->nominal[b];
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, pose->x, numbers->x));
    for (int i = 0; i < 3; ++i) {
      MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, pose->R[i], numbers->R[i]));
    }
  }
  return mbs_sense_align(context, blueprint, placement->nominal);
}

MbsStatus mbs_placement_find(MbsContext *context, MbsBlueprint *blueprint) {
  Finding f = {.context = context, .blueprint = blueprint, .g = blueprint->graph};
  MbsPlacement *placement;
  MBS_TAKE(context, blueprint->arena, placement, 1);
  MBS_TAKE(context, blueprint->arena, placement->poses, blueprint->bodies.count);
  MBS_TAKE(context, blueprint->arena, placement->nominal, blueprint->bodies.count);
  MBS_TAKE(context, blueprint->arena, f.is_placed, blueprint->bodies.count);
  MBS_TAKE(context, blueprint->arena, f.group, blueprint->group_count);
  MBS_TAKE(context, blueprint->arena, f.is_group_known, blueprint->group_count);
  MBS_TAKE(context, blueprint->arena, f.is_group_given, blueprint->group_count);
  f.poses = placement->poses;
  MBS_TRY(bring_together(&f));
  MBS_TRY(list_members(&f));
  MBS_TRY(find(&f));
  placement->least_rest = 1;
  blueprint->placement = placement;
  return find_nominal(context, blueprint, placement);
}

// ---- guesses ----
static MbsStatus place_entities(MbsContext *context, MbsBlueprint *blueprint, const MbsPose *poses) {
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    const MbsBasis *basis = mbs_natural_basis(blueprint, b);
    for (int k = 0; k < basis->count; ++k) {
      double local[3];
      MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, basis->local[k], local));
      (basis->kind[k] == MBS_ENTITY_POINT ? mbs_pose_point : mbs_pose_turn)(
          &poses[b], local, blueprint->entities.items[basis->entity[k]].guess);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_placement_guess(MbsContext *context, MbsBlueprint *blueprint, const MbsPose *poses) {
  MBS_TRY(place_entities(context, blueprint, poses));
  return blueprint->tree.count > 0 ? mbs_relative_guess(context, blueprint->arena, blueprint, true) : MBS_OK;
}

MbsStatus mbs_placement_follow(MbsContext *context, MbsArena *scratch, MbsBlueprint *blueprint, const MbsPose *poses) {
  MBS_TRY(place_entities(context, blueprint, poses));
  return blueprint->tree.count > 0 ? mbs_relative_guess(context, scratch, blueprint, false) : MBS_OK;
}
