// See relative.h.
#include "coordinates/relative.h"

#include "bodies/planar_body.h"
#include "bodies/spatial_body.h"
#include "coordinates/natural_storage.h"
#include "coordinates/tree_choice.h"
#include "expressions/vector.h"

// ---- bodies ----
// the body's own axes; of a point mass at its point, where it is, since without orientation it has no other; of a thin
// rod a frame at its first point whose first axis is the rod
static MbsStatus find_frame(MbsContext *context, MbsBlueprint *blueprint, int index, MbsFrame *frame) {
  MbsGraph *g = blueprint->graph;
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  *frame = (MbsFrame){.body = index};
  for (int i = 0; i < 3; ++i) {
    frame->origin[i] = mbs_graph_constant(g, 0);
    for (int k = 0; k < 3; ++k) {
      frame->axes[i][k] = mbs_graph_constant(g, i == k ? 1 : 0);
    }
  }
  if (body->kind == MBS_BODY_POINT_MASS) {
    for (int k = 0; k < 3; ++k) {
      frame->origin[k] = body->points[0].local[k];
    }
  }
  if (body->kind != MBS_BODY_ROD || body->point_count == 0) {
    return MBS_OK;
  }
  MbsDirection along = {.body = index};
  double length = 0;
  for (int p = 1; p <= body->point_count && !(length > 0); ++p) {
    const MbsNode *to = p < body->point_count ? body->points[p].local : body->com;
    for (int k = 0; k < 3; ++k) {
      along.local[k] = mbs_graph_subtract(g, to[k], body->points[0].local[k]);
    }
    MbsNode norm = mbs_node_norm(g, 3, along.local);
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 1, &norm, &length));
    for (int k = 0; k < 3; ++k) {
      along.local[k] = mbs_graph_divide(g, along.local[k], norm);
    }
  }
  if (!(length > 0)) {
    return MBS_OK;  // the mass will be refused
  }
  return mbs_frame_about(context, blueprint, (MbsPointReference){.body = index, .point = 0}, &along, 0, frame);
}

static MbsStatus add_body_entity(MbsContext *context, MbsBlueprint *blueprint, const MbsBlueprintBody *body,
                                 const char *suffix, const MbsNode local[3], MbsEntityKind kind, MbsBasis *basis) {
  int k = basis->count++;
  const char *name = mbs_arena_print(blueprint->arena, "%s.%s", body->name, suffix);
  basis->kind[k] = kind;
  for (int i = 0; i < 3; ++i) {
    basis->local[k][i] = local[i];
  }
  return mbs_natural_add_entity(context, blueprint, (MbsEntity){.name = name ? name : suffix, .kind = kind},
                                &basis->entity[k]);
}

// its origin and its axes; of a planar body and of a rod one axis, of a point mass none
static MbsStatus add_body(MbsContext *context, MbsBlueprint *blueprint, int index, const MbsFrame *frame) {
  static const char *const axes[] = {"u", "v", "w"};
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  MbsNatural *natural = blueprint->coordinates;
  MbsBasis *basis = &natural->bases[index];
  bool has_one_axis = blueprint->dimension == 2 || body->kind == MBS_BODY_ROD;
  int wanted = body->kind == MBS_BODY_POINT_MASS ? 0 : has_one_axis ? 1 : 3;
  MBS_TRY(add_body_entity(context, blueprint, body, "origin", frame->origin, MBS_ENTITY_POINT, basis));
  for (int axis = 0; axis < wanted; ++axis) {
    MBS_TRY(add_body_entity(context, blueprint, body, axes[axis], frame->axes[axis], MBS_ENTITY_VECTOR, basis));
  }
  return blueprint->dimension == 2 ? mbs_planar_body_add_mass(context, blueprint, index, basis)
                                   : mbs_spatial_body_add_mass(context, blueprint, index, basis);
}

// ---- nodes ----
static bool is_identity(const MbsBlueprint *blueprint, const MbsTreeNodeSpec *node) {
  bool is = true;
  for (int i = 0; i < blueprint->dimension; ++i) {
    is &= mbs_graph_is_constant(blueprint->graph, node->origin[i], 0);
    for (int k = 0; k < blueprint->dimension; ++k) {
      is &= mbs_graph_is_constant(blueprint->graph, node->axes[i][k], i == k ? 1 : 0);
    }
  }
  return is;
}

// `frame` seen from another one in the same body: axes' axes, axes' (origin - its origin)
static void set_frame(MbsGraph *g, int d, const MbsFrame *from, const MbsFrame *frame, MbsTreeNodeSpec *node) {
  MbsNode ahead[3];
  for (int k = 0; k < 3; ++k) {
    ahead[k] = mbs_graph_subtract(g, frame->origin[k], from->origin[k]);
  }
  for (int i = 0; i < 3; ++i) {
    node->origin[i] = mbs_node_dot(g, d, from->axes[i], ahead);
    for (int j = 0; j < 3; ++j) {
      node->axes[j][i] = mbs_node_dot(g, d, from->axes[i], frame->axes[j]);
    }
  }
}

// "elbow", or "elbow.1" where the joint has several coordinates
static const char *coordinate_name(const MbsBlueprint *blueprint, const MbsTreeBranch *branch, int index, int count) {
  const char *owner = branch->joint ? branch->joint->name.text : blueprint->bodies.items[branch->body].name;
  const char *name = count == 1 ? owner : mbs_arena_print(blueprint->arena, "%s.%d", owner, 1 + index);
  return name ? name : owner;
}

static int coordinate_count(MbsMotionKind kind) {
  return kind == MBS_MOTION_NONE ? 0 : kind == MBS_MOTION_BALL ? MBS_MOST_COORDINATES_OF_MOTION : 1;
}

static MbsStatus add_ball_row(MbsContext *context, MbsBlueprint *blueprint, int index, const char *what, MbsNode row) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  const char *name = mbs_arena_print(blueprint->arena, "body %s: %s", body->name, what);
  MBS_APPEND(context, blueprint->arena, &blueprint->rows,
             (MbsRowSpec){.kind = MBS_ROW_EXPRESSION,
                          .name = name ? name : body->name,
                          .owner = "",  // not the body's rigidity: no multiplier to ask for
                          .place = body->record->name.place,
                          .body = index,
                          .expression = row});
  return MBS_OK;
}

// Its four coordinates are scalars too, so that their unit length is a row like others: p.p = 1. How a thin rod stands
// about itself, its axis 0, is nothing: p1 = 0 settles it, well until it has turned round altogether.
static MbsStatus add_ball(MbsContext *context, MbsBlueprint *blueprint, const MbsTreeBranch *branch,
                          MbsTreeNodeSpec *node) {
  MbsGraph *g = blueprint->graph;
  MbsNode sum = mbs_graph_constant(g, -1), spin = MBS_NODE_NONE;
  for (int k = 0; k < MBS_MOST_COORDINATES_OF_MOTION; ++k) {
    int entity;
    MbsForm form;
    MbsExpression p;
    MBS_TRY(mbs_natural_add_entity(context, blueprint, (MbsEntity){.name = node->name[k], .kind = MBS_ENTITY_SCALAR},
                                   &entity));
    node->entity = k == 0 ? entity : node->entity;
    MBS_TRY(mbs_form_of_entity(context, blueprint, entity, MBS_NOBODY, &form));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &p));
    sum = mbs_graph_add(g, sum, mbs_graph_power_integer(g, p.node[0], 2));
    spin = k == 1 ? p.node[0] : spin;
  }
  MBS_TRY(add_ball_row(context, blueprint, branch->body, "Euler parameters of unit length", sum));
  return blueprint->bodies.items[branch->body].kind == MBS_BODY_ROD
             ? add_ball_row(context, blueprint, branch->body, "does not turn about itself", spin)
             : MBS_OK;
}

// frames: by body
static MbsStatus add_nodes(MbsContext *context, MbsBlueprint *blueprint, const MbsTreeBranch *branch,
                           const MbsFrame *frames, int *node_of_body) {
  MbsGraph *g = blueprint->graph;
  const MbsJointMotion *motion = &branch->motion;
  const MbsNatural *natural = blueprint->coordinates;
  MbsFrame second = motion->on[1];
  bool is_rod_on_ball = blueprint->bodies.items[branch->body].kind == MBS_BODY_ROD && motion->count > 0 &&
                        motion->motions[motion->count - 1].kind == MBS_MOTION_BALL;
  int total = 0, used = 0, parent = branch->parent == MBS_GROUND ? -1 : node_of_body[branch->parent];
  for (int i = 0; i < motion->count; ++i) {
    total += coordinate_count(motion->motions[i].kind);
  }
  for (int i = 0; i < 9 && is_rod_on_ball; ++i) {  // a ball turns its frame, whose axis 0 is the rod
    second.axes[i / 3][i % 3] = frames[branch->body].axes[i / 3][i % 3];
  }
  for (int i = 0; i < motion->count || (i == 0 && motion->count == 0); ++i) {
    MbsTreeNodeSpec node = {.parent = parent, .body = MBS_NOBODY, .joint = branch->joint};
    set_frame(g, blueprint->dimension, &frames[i == 0 ? branch->parent : MBS_GROUND],
              i == 0 ? &motion->on[0] : &frames[MBS_GROUND], &node);  // but for the first: as the one before
    if (i < motion->count) {
      node.kind = motion->motions[i].kind;
      node.axis = motion->motions[i].axis;
    }
    for (int k = 0; k < coordinate_count(node.kind); ++k) {
      node.name[k] = coordinate_name(blueprint, branch, used++, total);
    }
    if (node.kind == MBS_MOTION_BALL) {
      MBS_TRY(add_ball(context, blueprint, branch, &node));
    }
    parent = blueprint->tree.count;
    MBS_APPEND(context, blueprint->arena, &blueprint->tree, node);
  }
  MbsTreeNodeSpec last = {.parent = parent, .body = MBS_NOBODY, .joint = branch->joint};
  set_frame(g, blueprint->dimension, &second, &frames[branch->body], &last);
  bool is_ball = blueprint->tree.items[parent].kind == MBS_MOTION_BALL;
  if (is_ball || !is_identity(blueprint, &last)) {
    MBS_APPEND(context, blueprint->arena, &blueprint->tree, last);
  }
  node_of_body[branch->body] = blueprint->tree.count - 1;
  MbsTreeNodeSpec *made = &blueprint->tree.items[blueprint->tree.count - 1];
  made->body = branch->body;
  made->entity = natural->bases[branch->body].entity[0];
  return MBS_OK;
}

// ---- cut joints ----
static bool is_cut(const MbsBlueprint *blueprint, const MbsRecord *joint, const bool *is_in_tree) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  return !is_in_tree[joint - joints->records];
}

static MbsStatus close_loops(MbsContext *context, MbsBlueprint *blueprint, const bool *is_in_tree) {
  for (int i = 0; i < blueprint->point_pairs.count; ++i) {
    const MbsPointPair *pair = &blueprint->point_pairs.items[i];
    if (is_cut(blueprint, pair->joint, is_in_tree)) {
      MBS_TRY(mbs_natural_close_points(context, blueprint, pair));
    }
  }
  for (int i = 0; i < blueprint->direction_pairs.count; ++i) {
    const MbsDirectionPair *pair = &blueprint->direction_pairs.items[i];
    if (is_cut(blueprint, pair->joint, is_in_tree)) {
      MBS_TRY(mbs_natural_close_directions(context, blueprint, pair));
    }
  }
  return mbs_natural_close_switched(context, blueprint);
}

static MbsStatus place_point(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, MbsForm *form) {
  return mbs_natural_place(context, blueprint, point.body,
                           blueprint->bodies.items[point.body].points[point.point].local, true, form);
}

MbsStatus mbs_relative_choose(MbsContext *context, MbsBlueprint *blueprint, const char *tree, const char *cut,
                              bool **is_in_tree) {
  MbsNatural *natural;
  MbsTreeChoice choice;
  MbsFrame *frames;
  int *node_of_body;
  MBS_TAKE(context, blueprint->arena, frames, blueprint->bodies.count);
  MBS_TAKE(context, blueprint->arena, natural, 1);
  MBS_TAKE(context, blueprint->arena, natural->bases, blueprint->bodies.count);
  MBS_TAKE(context, blueprint->arena, node_of_body, blueprint->bodies.count);
  blueprint->coordinates = natural;
  blueprint->place = mbs_natural_place;
  blueprint->place_point = place_point;
  MBS_TRY(mbs_tree_choose(context, blueprint, tree, cut, &choice));
  *is_in_tree = choice.is_in_tree;
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    MBS_TRY(find_frame(context, blueprint, b, &frames[b]));
  }
  for (int i = 0; i < choice.count; ++i) {
    int body = choice.branches[i].body;
    MBS_TRY(add_body(context, blueprint, body, &frames[body]));
  }
  for (int i = 0; i < choice.count; ++i) {
    MBS_TRY(add_nodes(context, blueprint, &choice.branches[i], frames, node_of_body));
  }
  return close_loops(context, blueprint, choice.is_in_tree);
}
