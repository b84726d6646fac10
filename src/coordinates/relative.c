// See relative.h.
#include "coordinates/relative.h"

#include "bodies/planar_body.h"
#include "bodies/spatial_body.h"
#include "coordinates/natural_storage.h"
#include "coordinates/tree_choice.h"

// ---- bodies ----
static MbsStatus add_body_entity(MbsContext *context, MbsBlueprint *blueprint, const MbsBlueprintBody *body,
                                 const char *suffix, MbsBasis *basis, int axis) {
  int k = basis->count++;
  const char *name = mbs_arena_print(blueprint->arena, "%s.%s", body->name, suffix);
  basis->kind[k] = axis < 0 ? MBS_ENTITY_POINT : MBS_ENTITY_VECTOR;
  for (int i = 0; i < 3; ++i) {
    basis->local[k][i] = mbs_graph_constant(blueprint->graph, i == axis ? 1 : 0);
  }
  return mbs_natural_add_entity(context, blueprint, (MbsEntity){.name = name ? name : suffix, .kind = basis->kind[k]},
                                &basis->entity[k]);
}

// its origin and its axes; of a planar body one axis, of a point mass none
static MbsStatus add_body(MbsContext *context, MbsBlueprint *blueprint, int index) {
  static const char *const axes[] = {"u", "v", "w"};
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  MbsNatural *natural = blueprint->coordinates;
  MbsBasis *basis = &natural->bases[index];
  int wanted = body->kind == MBS_BODY_POINT_MASS ? 0 : blueprint->dimension == 2 ? 1 : 3;
  if (body->kind == MBS_BODY_ROD) {
    return mbs_fail(
        context, MBS_ERROR_NOT_OFFERED, body->record->name.place,
        "body \"%s\" is a thin rod, which relative coordinates do not offer yet; give it an inertia tensor, "
        "or use natural coordinates",
        body->name);
  }
  MBS_TRY(add_body_entity(context, blueprint, body, "origin", basis, -1));
  for (int axis = 0; axis < wanted; ++axis) {
    MBS_TRY(add_body_entity(context, blueprint, body, axes[axis], basis, axis));
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

static void set_frame(MbsTreeNodeSpec *node, const MbsFrame *frame) {
  for (int i = 0; i < 3; ++i) {
    node->origin[i] = frame->origin[i];
    for (int k = 0; k < 3; ++k) {
      node->axes[i][k] = frame->axes[i][k];
    }
  }
}

// the body's frame seen from `frame`, which is fixed in it: axes transposed, origin -axes' origin
static void set_inverse(MbsGraph *g, int d, MbsTreeNodeSpec *node, const MbsFrame *frame) {
  for (int i = 0; i < 3; ++i) {
    MbsNode along = mbs_graph_constant(g, 0);
    for (int k = 0; k < 3; ++k) {
      node->axes[i][k] = frame->axes[k][i];
      along = k < d ? mbs_graph_add(g, along, mbs_graph_multiply(g, frame->axes[i][k], frame->origin[k])) : along;
    }
    node->origin[i] = mbs_graph_negate(g, along);
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

// its four coordinates are scalars too, so that their unit length is a row like others: p.p = 1
static MbsStatus add_ball(MbsContext *context, MbsBlueprint *blueprint, const MbsTreeBranch *branch,
                          MbsTreeNodeSpec *node) {
  MbsGraph *g = blueprint->graph;
  MbsNode sum = mbs_graph_constant(g, -1);
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
  }
  const MbsBlueprintBody *body = &blueprint->bodies.items[branch->body];
  const char *name = mbs_arena_print(blueprint->arena, "body %s: Euler parameters of unit length", body->name);
  MBS_APPEND(context, blueprint->arena, &blueprint->rows,
             (MbsRowSpec){.kind = MBS_ROW_EXPRESSION,
                          .name = name ? name : body->name,
                          .owner = body->name,
                          .place = body->record->name.place,
                          .body = branch->body,
                          .expression = sum});
  return MBS_OK;
}

static MbsStatus add_nodes(MbsContext *context, MbsBlueprint *blueprint, const MbsTreeBranch *branch,
                           int *node_of_body) {
  const MbsJointMotion *motion = &branch->motion;
  const MbsNatural *natural = blueprint->coordinates;
  MbsFrame unit = motion->on[0];
  int total = 0, used = 0, parent = branch->parent == MBS_GROUND ? -1 : node_of_body[branch->parent];
  for (int i = 0; i < motion->count; ++i) {
    total += coordinate_count(motion->motions[i].kind);
  }
  for (int i = 0; i < 3; ++i) {
    unit.origin[i] = mbs_graph_constant(blueprint->graph, 0);
    for (int k = 0; k < 3; ++k) {
      unit.axes[i][k] = mbs_graph_constant(blueprint->graph, i == k ? 1 : 0);
    }
  }
  for (int i = 0; i < motion->count || (i == 0 && motion->count == 0); ++i) {
    MbsTreeNodeSpec node = {.parent = parent, .body = MBS_NOBODY, .joint = branch->joint};
    set_frame(&node, i == 0 ? &motion->on[0] : &unit);
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
  set_inverse(blueprint->graph, blueprint->dimension, &last, &motion->on[1]);
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
    MbsForm reference;
    if (is_cut(blueprint, pair->joint, is_in_tree)) {
      MBS_TRY(mbs_form_of_point(context, blueprint, pair->a, &reference));
      MBS_TRY(mbs_natural_add_point_rows(context, blueprint, pair, pair->b, &reference));
    }
  }
  for (int i = 0; i < blueprint->direction_pairs.count; ++i) {
    const MbsDirectionPair *pair = &blueprint->direction_pairs.items[i];
    MbsForm u;
    if (is_cut(blueprint, pair->joint, is_in_tree)) {
      bool is_ground_second = pair->b.body == MBS_GROUND;
      MBS_TRY(mbs_form_of_direction(context, blueprint, is_ground_second ? &pair->b : &pair->a, &u));
      MBS_TRY(
          mbs_natural_add_parallel_rows(context, blueprint, pair->joint, &u, is_ground_second ? &pair->a : &pair->b));
    }
  }
  return MBS_OK;
}

static MbsStatus place_point(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, MbsForm *form) {
  return mbs_natural_place(context, blueprint, point.body,
                           blueprint->bodies.items[point.body].points[point.point].local, true, form);
}

MbsStatus mbs_relative_choose(MbsContext *context, MbsBlueprint *blueprint, const char *tree, const char *cut,
                              bool **is_in_tree) {
  MbsNatural *natural;
  MbsTreeChoice choice;
  int *node_of_body;
  MBS_TAKE(context, blueprint->arena, natural, 1);
  MBS_TAKE(context, blueprint->arena, natural->bases, blueprint->bodies.count);
  MBS_TAKE(context, blueprint->arena, node_of_body, blueprint->bodies.count);
  blueprint->coordinates = natural;
  blueprint->place = mbs_natural_place;
  blueprint->place_point = place_point;
  MBS_TRY(mbs_tree_choose(context, blueprint, tree, cut, &choice));
  *is_in_tree = choice.is_in_tree;
  for (int i = 0; i < choice.count; ++i) {
    MBS_TRY(add_body(context, blueprint, choice.branches[i].body));
  }
  for (int i = 0; i < choice.count; ++i) {
    MBS_TRY(add_nodes(context, blueprint, &choice.branches[i], node_of_body));
  }
  return close_loops(context, blueprint, choice.is_in_tree);
}
