// A tree from its blueprint, and the system in its coordinates. See tree.h.
#include "terms/elements.h"
#include "tree/tree.h"

static int coordinates_of(MbsMotionKind kind) {
  return kind == MBS_MOTION_NONE ? 0 : kind == MBS_MOTION_BALL ? MBS_MOST_COORDINATES_OF_MOTION : 1;
}

// ---- nodes ----
static MbsStatus create_frame(MbsContext *context, const MbsTree *tree, const MbsTreeNodeSpec *spec,
                              MbsTreeNode *node) {
  const MbsSystem *inner = tree->inner;
  MbsGraph *g = inner->blueprint->graph;
  int d = inner->dimension, used = 0;
  MbsNode nodes[12];
  for (int j = 0; j < (d == 2 ? 1 : 3); ++j) {
    for (int i = 0; i < d; ++i) {
      node->has_frame |= !mbs_graph_is_constant(g, spec->axes[j][i], i == j ? 1 : 0);
      nodes[used++] = spec->axes[j][i];
    }
  }
  node->is_shifted = !node->has_frame;
  for (int i = 0; i < d; ++i) {
    node->has_frame |= !mbs_graph_is_constant(g, spec->origin[i], 0);
    nodes[used++] = spec->origin[i];
  }
  for (int i = 0; i < used; ++i) {
    node->is_changing |= mbs_graph_node(g, nodes[i])->operation != MBS_OP_CONSTANT;
  }
  return node->has_frame ? mbs_coefficients_add_block(context, &tree->inner->coefficients, used, nodes, &node->frame)
                         : MBS_OK;
}

// entities of a body, one behind the other
static int entity_count(const MbsSystem *inner, int first) {
  int count = 1;
  const MbsBlueprint *blueprint = inner->blueprint;
  while (first + count < blueprint->entities.count && count < (inner->dimension == 2 ? 2 : 4) &&
         blueprint->entities.items[first + count].kind == MBS_ENTITY_VECTOR &&
         !blueprint->entities.items[first + count].is_fixed) {
    ++count;
  }
  return count;
}

MbsStatus mbs_tree_create(MbsContext *context, MbsSystem *inner, MbsTree **result) {
  const MbsBlueprint *blueprint = inner->blueprint;
  MbsTree *tree;
  int *scalar, *node_of, *node_at, *coordinate_at,
      most = MBS_MOST_COORDINATES_OF_MOTION * blueprint->tree.count + blueprint->user_coordinates.count;
  MBS_TAKE(context, inner->arena, tree, 1);
  MBS_TAKE(context, inner->arena, tree->nodes, blueprint->tree.count);
  MBS_TAKE(context, inner->arena, scalar, most);
  MBS_TAKE(context, inner->arena, node_of, most);
  MBS_TAKE(context, inner->arena, node_at, inner->nq);
  MBS_TAKE(context, inner->arena, coordinate_at, inner->nq);
  for (int i = 0; i < inner->nq; ++i) {
    node_at[i] = coordinate_at[i] = -1;
  }
  MBS_TAKE(context, inner->arena, tree->names, most);
  MBS_TAKE(context, inner->arena, tree->guess, most);
  MBS_TAKE(context, inner->arena, tree->lever, most);
  tree->inner = inner;
  tree->node_count = blueprint->tree.count;
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNodeSpec *spec = &blueprint->tree.items[i];
    MbsTreeNode *node = &tree->nodes[i];
    node->parent = spec->parent;
    node->kind = spec->kind;
    node->axis = spec->axis;
    node->first = tree->joint_count;
    node->count = coordinates_of(spec->kind);
    MBS_TRY(create_frame(context, tree, spec, node));
    for (int k = 0; k < node->count; ++k) {
      bool is_ball = spec->kind == MBS_MOTION_BALL;
      scalar[tree->joint_count] = is_ball ? inner->entity_first[spec->entity + k] : -1;
      node_of[tree->joint_count] = i;
      tree->guess[tree->joint_count] = spec->guess[k];
      tree->names[tree->joint_count++] = spec->name[k];
    }
    if (spec->body >= 0) {
      node->body_first = inner->entity_first[spec->entity];
      node->body_count = entity_count(inner, spec->entity);
      for (int k = 0; k < node->body_count * inner->dimension; ++k) {
        node_at[node->body_first + k] = i;
      }
    }
    node->end = i + 1;
  }
  for (int i = tree->node_count - 1; i >= 0; --i) {  // of the last that stands on it
    int parent = tree->nodes[i].parent;
    if (parent >= 0 && tree->nodes[parent].end < tree->nodes[i].end) {
      tree->nodes[parent].end = tree->nodes[i].end;
    }
  }
  for (int i = 0; i < inner->mass_count; ++i) {
    if (!inner->masses[i].is_scalar) {
      MbsTreeNode *node = &tree->nodes[node_at[inner->masses[i].first[0]]];
      MBS_CHECK(context, inner->masses[i].count == node->body_count);
      node->mass = &inner->masses[i];
    }
  }
  tree->coordinate_count = tree->joint_count;
  for (int i = 0; i < blueprint->user_coordinates.count; ++i) {
    const MbsUserCoordinate *own = &blueprint->user_coordinates.items[i];
    scalar[tree->coordinate_count] = inner->entity_first[own->entity];
    tree->guess[tree->coordinate_count] = blueprint->entities.items[own->entity].guess[0];
    tree->names[tree->coordinate_count++] = own->name;
  }
  for (int k = 0; k < tree->coordinate_count; ++k) {
    tree->has_scalars |= scalar[k] >= 0;
  }
  tree->scalar = scalar;
  tree->node_of = node_of;
  tree->node_at = node_at;
  for (int k = 0; k < tree->coordinate_count; ++k) {
    if (scalar[k] >= 0) {
      coordinate_at[scalar[k]] = k;
    }
  }
  tree->coordinate_at = coordinate_at;
  *result = tree;
  return MBS_OK;
}

// ---- the system ----
// the inner system's own, which may have been given slopes
static void copy_blocks(const MbsSystem *inner, MbsSystem *system) {
  system->fixed = inner->fixed;
  system->independents = inner->independents;
  system->point_block = inner->point_block;
  system->signals.block = inner->signals.block;
}

static MbsStatus create_workspace(MbsContext *context, MbsTree *tree) {
  const MbsSystem *inner = tree->inner;
  size_t nodes = (size_t)tree->node_count, twist = (size_t)mbs_twist_size(inner->dimension);
  size_t frame = inner->dimension == 2 ? 4 : 12, joints = (size_t)tree->joint_count;
  size_t nq = (size_t)inner->nq, all = (size_t)(tree->coordinate_count + inner->nq - inner->n);
  struct {
    mbs_scalar **array;
    size_t size;
  } arrays[] = {{&tree->at.q, all},
                {&tree->at.v, all},
                {&tree->at.a, all},
                {&tree->x.q, nq},
                {&tree->local, nq},
                {&tree->near, (size_t)inner->dimension * nodes},
                {&tree->base, nq},
                {&tree->x.v, nq},
                {&tree->x.a, nq},
                {&tree->P, frame * nodes},
                {&tree->H, frame * nodes},
                {&tree->V, twist * nodes},
                {&tree->A, twist * nodes},
                {&tree->b[0], twist * joints},
                {&tree->b[1], twist * joints},
                {&tree->b[2], twist * joints},
                {&tree->f, nq + (size_t)inner->m},
                {&tree->W, twist * nodes},
                {&tree->known_lambda, (size_t)inner->m},
                {&tree->inertia_W, twist * nodes},
                {&tree->eta[0], twist * nodes},
                {&tree->eta[1], twist * nodes},
                {&tree->eta[2], twist * nodes},
                {&tree->dW, twist * nodes},
                {&tree->bar[0], twist * nodes},
                {&tree->bar[1], twist * nodes},
                {&tree->bar[2], twist * nodes},
                {&tree->bar_P, twist * nodes},
                {&tree->x_bar.q, nq},
                {&tree->x_bar.v, nq},
                {&tree->x_bar.a, nq},
                {&tree->y[0], nq},
                {&tree->y[1], nq},
                {&tree->y[2], nq}};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    MBS_TAKE(context, inner->arena, *arrays[i].array, arrays[i].size);
  }
  MBS_TAKE(context, inner->arena, tree->inertia, nodes);
  return MBS_OK;
}

MbsStatus mbs_tree_widen(MbsContext *context, MbsSystem *system, int columns) {
  MbsTree *tree = system->tree;
  MbsSystem *inner = tree->inner;
  MbsColumns *of_bodies = &tree->columns;
  size_t count = (size_t)columns, nq = (size_t)inner->nq, rows = (size_t)(inner->n + inner->m);
  size_t twists = (size_t)mbs_twist_size(inner->dimension) * (size_t)tree->node_count;
  MBS_TRY(inner->terms->widen(context, inner, columns));
  MBS_TAKE(context, inner->arena, tree->directions, columns);
  MBS_TAKE(context, inner->arena, tree->body_dW, twists * count);
  MBS_TAKE(context, inner->arena, tree->owns, twists * count);
  MBS_TAKE(context, inner->arena, of_bodies->X, nq * count);
  MBS_TAKE(context, inner->arena, of_bodies->V, nq * count);
  MBS_TAKE(context, inner->arena, of_bodies->A, nq * count);
  MBS_TAKE(context, inner->arena, tree->R, rows * count);
  tree->own = tree->owns;
  copy_blocks(inner, system);
  return MBS_OK;
}

// Everything that does not depend on the coordinates is the inner system's own; fixed coordinates follow the tree's.
MbsStatus mbs_tree_wrap(MbsContext *context, MbsTree *tree, MbsSystem **result) {
  const MbsSystem *inner = tree->inner;
  MbsSystem *system;
  const char **names;
  MbsUnit *units;
  int *coordinate, fixed = inner->nq - inner->n;
  MBS_TAKE(context, inner->arena, system, 1);
  *system = *inner;
  system->terms = &mbs_tree_terms;
  system->tree = tree;
  system->n = tree->coordinate_count;
  system->nq = system->n + fixed;
  system->first_scalar = tree->joint_count;
  system->first_state = system->n - inner->blueprint->state_count;
  MBS_TAKE(context, inner->arena, names, system->nq);
  for (int i = 0; i < system->nq; ++i) {
    names[i] = i < system->n ? tree->names[i] : inner->coordinate_names[inner->n + i - system->n];
  }
  system->coordinate_names = names;
  MBS_TAKE(context, inner->arena, units, system->n);
  for (int i = 0; i < system->n; ++i) {
    bool is_slide = i < tree->joint_count && tree->nodes[tree->node_of[i]].kind == MBS_MOTION_SLIDE;
    units[i] = is_slide ? MBS_UNIT_LENGTH : i < tree->joint_count ? MBS_UNIT_NUMBER : MBS_UNIT_UNKNOWN;
  }
  system->units = units;
  MBS_TAKE(context, inner->arena, coordinate, inner->moving.count);
  for (int i = 0; i < inner->moving.count; ++i) {
    coordinate[i] = inner->moving.coordinate[i] - inner->n + system->n;
  }
  system->moving.coordinate = coordinate;
  system->entity_first = NULL;
  int longest = system->nq > system->m ? system->nq : system->m;
  MBS_TAKE(context, inner->arena, system->zeros, longest);
  MBS_TRY(create_workspace(context, tree));
  *result = system;
  return mbs_tree_create_tangent(context, tree, system);
}
