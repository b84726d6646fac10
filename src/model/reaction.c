// What a joint does to its second body: from the balance of each body that shares points and directions.
//
// Coordinates share what joints make one, so a joint may have no equation and no multiplier of its own. But every term
// of the equations of motion belongs to a body (MbsFormTerm). With the terms of body B alone,
//     R_B(e) = [M a - Q + Phi_x' lambda]_B at entity e                                    signal BODY_FORCE
// is the generalised force that the shared entity e exerts on B: over all bodies these sum to zero. Hence
//     a shared point holds B with the force     R_B(e) - (what the rows of this point that hold B take: s lambda)
//     a shared unit vector u with the torque    u x R_B(u) - sum of lambda X_B x Y over the rows dot(X, Y) = 0 that
//                                               hold B to it, X_B being B's terms of X
// since under a small rotation phi of B a vector moves by phi x u and a form by phi x X_B. (Along u nothing is felt:
// the unit length of u is nobody's row.)
//
// A joint at a shared point (or direction) transmits what that does to the bodies on one side of the joint in all
// (joint_tree.c): a point shared by three bodies has a definite answer.
//
// Rows of the joint itself act at its point c on the second body: with lambda the multiplier of dot(X, Y) = const, the
// force on form X is g = -lambda Y (of a row by expression -lambda Phi_X), and B's terms X_B (s times a point of B, or
// a direction: s = 0) feel
//     force s g,   torque (X_B - s c) x g.
//
// In relative coordinates bodies share nothing. A joint of the tree carries all bodies beyond it: what holds these,
//     force sum R_B(r),   torque sum r_B x R_B(r) + sum u x R_B(u) - c x force     r_B: origin, u: axes of body B,
// is what it transmits. A joint that is cut acts by its rows alone.
//
// lambda are the multipliers that balance the forces at the state (MBS_MULTIPLIER_TOTAL).
#include "model/reaction.h"

#include <math.h>

#include "expressions/vector.h"
#include "model/joint.h"
#include "model/joint_tree.h"

enum { MOST_ENTITIES = 4 };  // at most, in relative coordinates

typedef MbsWrench Wrench;

// ---- what holds one body ----
static MbsStatus total_multiplier(MbsContext *context, MbsBlueprint *blueprint, int row, MbsNode *lambda) {
  MbsSignal signal = {.kind = MBS_SIGNAL_MULTIPLIER, .index = row, .component = MBS_MULTIPLIER_TOTAL};
  return mbs_signal_add(context, blueprint, signal, lambda);
}

static MbsExpression zero_vector(MbsGraph *graph, int size) {
  MbsNode zero = mbs_graph_constant(graph, 0);
  return (MbsExpression){.size = size, .node = {zero, zero, zero}};
}

static int torque_size(const MbsBlueprint *blueprint) { return blueprint->dimension == 2 ? 1 : 3; }

// sum += scale a
static void add_scaled(MbsGraph *graph, MbsNode scale, const MbsExpression *a, MbsExpression *sum) {
  for (int k = 0; k < sum->size; ++k) {
    sum->node[k] = mbs_node_multiply_add(graph, scale, a->node[k], sum->node[k]);
  }
}

// torque += a x b
static void add_product(MbsGraph *graph, const MbsExpression *a, const MbsExpression *b, MbsExpression *torque) {
  for (int k = 0; k < torque->size; ++k) {
    torque->node[k] =
        mbs_graph_add(graph, torque->node[k], mbs_node_vector_product(graph, a->size, a->node, b->node, k));
  }
}

// s: a body's terms of a form are s times one of its points, plus directions, and s is a whole number
static MbsStatus point_weight(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *own, double *weight) {
  MbsGraph *g = blueprint->graph;
  MbsNode sum = mbs_graph_constant(g, 0);
  for (int i = 0; i < own->count; ++i) {
    if (blueprint->entities.items[own->terms[i].entity].kind == MBS_ENTITY_POINT) {
      sum = mbs_graph_add(g, sum, own->terms[i].a);
    }
  }
  const MbsGraphNode *node = mbs_graph_node(g, sum);
  *weight = node->value;
  if (node->operation != MBS_OP_CONSTANT) {
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 1, &sum, weight));
  }
  *weight = round(*weight);  // real
  return MBS_OK;
}

static bool has_part_in(int body, const MbsForm *form) {
  for (int i = 0; i < form->count; ++i) {
    if (form->terms[i].body == body) {
      return true;
    }
  }
  return false;
}

// R_B(e)
static MbsStatus body_force(MbsContext *context, MbsBlueprint *blueprint, int body, int entity, MbsExpression *force) {
  int holding = 0;
  while (holding < blueprint->holdings.count &&
         (blueprint->holdings.items[holding].body != body || blueprint->holdings.items[holding].entity != entity)) {
    ++holding;
  }
  if (holding == blueprint->holdings.count) {
    MBS_APPEND(context, blueprint->arena, &blueprint->holdings, (MbsHolding){.body = body, .entity = entity});
  }
  force->size = blueprint->dimension;
  for (int k = 0; k < blueprint->dimension; ++k) {
    MbsSignal signal = {.kind = MBS_SIGNAL_BODY_FORCE, .index = holding, .component = k};
    MBS_TRY(mbs_signal_add(context, blueprint, signal, &force->node[k]));
  }
  return MBS_OK;
}

// adds R_B(e) - s lambda
static MbsStatus add_point_force(MbsContext *context, MbsBlueprint *blueprint, int shared, int body,
                                 MbsExpression *force) {
  MbsGraph *g = blueprint->graph;
  const MbsItemLists *rows = &blueprint->reactions->rows_of_shared;
  int entity = blueprint->shared[shared].entity;
  if (entity >= 0) {
    MbsExpression R;
    MBS_TRY(body_force(context, blueprint, body, entity, &R));
    add_scaled(g, mbs_graph_constant(g, 1), &R, force);
  }
  for (int i = rows->first[shared]; i >= 0; i = rows->next[i]) {
    const MbsRowSpec row = blueprint->rows.items[i];
    if (has_part_in(body, &row.A)) {
      MbsForm own;
      MbsNode lambda;
      double s;
      MBS_TRY(mbs_form_of_body(context, blueprint, &row.A, body, &own));
      MBS_TRY(point_weight(context, blueprint, &own, &s));
      MBS_TRY(total_multiplier(context, blueprint, i, &lambda));
      MbsNode *component = &force->node[row.component];
      *component = mbs_node_multiply_add(g, mbs_graph_constant(g, -s), lambda, *component);
    }
  }
  return MBS_OK;
}

// Adds what a force g on the form X does to a body, which has part in it. centre NULL: X is a direction.
static MbsStatus add_share(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *X, const MbsExpression *g,
                           int body, const MbsExpression *centre, Wrench *wrench) {
  MbsGraph *graph = blueprint->graph;
  MbsForm own;
  MbsExpression arm;
  MBS_TRY(mbs_form_of_body(context, blueprint, X, body, &own));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &own, MBS_SIGNAL_POSITION, &arm));
  if (centre) {
    double weight;
    MBS_TRY(point_weight(context, blueprint, &own, &weight));
    MbsNode s = mbs_graph_constant(graph, weight);
    add_scaled(graph, s, g, &wrench->force);
    for (int k = 0; k < arm.size; ++k) {
      arm.node[k] = mbs_graph_subtract(graph, arm.node[k], mbs_graph_multiply(graph, s, centre->node[k]));
    }
  }
  add_product(graph, &arm, g, &wrench->torque);
  return MBS_OK;
}

// dot(X, Y) - c: g = -lambda Y on X, -lambda X on Y
static MbsStatus add_dot_row(MbsContext *context, MbsBlueprint *blueprint, int row, int body,
                             const MbsExpression *centre, Wrench *wrench) {
  MbsGraph *graph = blueprint->graph;
  const MbsForm forms[] = {blueprint->rows.items[row].A, blueprint->rows.items[row].B};
  for (int side = 0; side < 2; ++side) {
    if (!has_part_in(body, &forms[side])) {
      continue;
    }
    MbsNode lambda;
    MBS_TRY(total_multiplier(context, blueprint, row, &lambda));
    MbsExpression other, g = zero_vector(graph, blueprint->dimension);
    MBS_TRY(mbs_signal_of_form(context, blueprint, &forms[1 - side], MBS_SIGNAL_POSITION, &other));
    add_scaled(graph, mbs_graph_negate(graph, lambda), &other, &g);
    MBS_TRY(add_share(context, blueprint, &forms[side], &g, body, centre, wrench));
  }
  return MBS_OK;
}

// Phi(y, t): g = -lambda Phi_y on each form y; of a row that is linear in velocities -lambda Phi_y'
static MbsStatus add_expression_row(MbsContext *context, MbsBlueprint *blueprint, int row, int body,
                                    const MbsExpression *centre, Wrench *wrench) {
  MbsGraph *graph = blueprint->graph;
  MbsNode Phi = blueprint->rows.items[row].expression, lambda;
  int count;
  const int *inputs;
  MBS_TRY(total_multiplier(context, blueprint, row, &lambda));
  MBS_TRY(mbs_graph_inputs_of(context, graph, Phi, &count, &inputs));
  MbsSignalKind kind = MBS_SIGNAL_POSITION;
  for (int i = 0; i < count; ++i) {
    kind = blueprint->signals.items[inputs[i]].kind == MBS_SIGNAL_VELOCITY ? MBS_SIGNAL_VELOCITY : kind;
  }
  for (int i = 0; i < count; ++i) {
    MbsSignal signal = blueprint->signals.items[inputs[i]];
    if (signal.kind == kind && has_part_in(body, &blueprint->signal_forms.items[signal.index])) {
      MbsForm form = blueprint->signal_forms.items[signal.index];
      MbsExpression g = zero_vector(graph, blueprint->dimension);
      g.node[signal.component] =
          mbs_graph_negate(graph, mbs_graph_multiply(graph, lambda, mbs_graph_derivative(graph, Phi, inputs[i])));
      MBS_TRY(add_share(context, blueprint, &form, &g, body, centre, wrench));
    }
  }
  return MBS_OK;
}

// adds u x R_B(u) - lambda X_B x Y
static MbsStatus add_direction_torque(MbsContext *context, MbsBlueprint *blueprint, int shared, int body,
                                      MbsExpression *torque) {
  const MbsItemLists *rows = &blueprint->reactions->rows_of_shared;
  int entity = blueprint->shared[shared].entity;
  Wrench wrench = {.torque = *torque};
  if (entity >= 0) {
    MbsForm form;
    MbsExpression u, R;
    MBS_TRY(mbs_form_of_entity(context, blueprint, entity, MBS_NOBODY, &form));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &u));
    MBS_TRY(body_force(context, blueprint, body, entity, &R));
    add_product(blueprint->graph, &u, &R, &wrench.torque);
  }
  for (int i = rows->first[shared]; i >= 0; i = rows->next[i]) {
    MBS_TRY(add_dot_row(context, blueprint, i, body, NULL, &wrench));
  }
  *torque = wrench.torque;
  return MBS_OK;
}

// ---- what one joint transmits ----
// the load of a member: its own and, from the leaves on, that of all beyond it
static MbsStatus load_of(MbsContext *context, MbsBlueprint *blueprint, int shared, MbsJointTree *tree, int member) {
  MbsGraph *g = blueprint->graph;
  bool is_point = blueprint->shared[shared].kind == MBS_ENTITY_POINT;
  int size = is_point ? blueprint->dimension : torque_size(blueprint);
  for (int m = member; m < tree->count; ++m) {
    MbsTreeMember *at = &tree->members[m];
    at->is_beyond = m == member || (at->parent >= member && tree->members[at->parent].is_beyond);
    if (at->is_beyond && !at->is_known) {
      at->load = zero_vector(g, size);
      MBS_TRY((is_point ? add_point_force : add_direction_torque)(context, blueprint, shared, at->body, &at->load));
    }
  }
  for (int m = tree->count - 1; m >= member; --m) {
    MbsTreeMember *at = &tree->members[m];
    MbsTreeMember *parent = m > member ? &tree->members[at->parent] : NULL;
    if (at->is_beyond && parent && !parent->is_known) {
      add_scaled(g, mbs_graph_constant(g, 1), &at->load, &parent->load);
    }
  }
  for (int m = member; m < tree->count; ++m) {
    tree->members[m].is_known |= tree->members[m].is_beyond;
  }
  return MBS_OK;
}

static MbsStatus add_edge(MbsContext *context, MbsBlueprint *blueprint, int e, Wrench *wrench) {
  const MbsJointEdge *edge = &blueprint->reactions->edges[e];
  MbsJointTree *tree;
  MBS_TRY(mbs_joint_tree_find(context, blueprint, edge->shared, &tree));
  int member = 0;
  while (member < tree->count && tree->members[member].edge != e) {
    ++member;
  }
  if (member == tree->count) {
    return MBS_OK;  // it closes a loop
  }
  if (!tree->members[member].is_known) {
    MBS_TRY(load_of(context, blueprint, edge->shared, tree, member));
  }
  bool is_second = tree->members[member].body == edge->bodies[1];
  bool is_point = blueprint->shared[edge->shared].kind == MBS_ENTITY_POINT;
  add_scaled(blueprint->graph, mbs_graph_constant(blueprint->graph, is_second ? 1 : -1), &tree->members[member].load,
             is_point ? &wrench->force : &wrench->torque);
  return MBS_OK;
}

// ---- relative coordinates ----
static MbsStatus entity_position(MbsContext *context, MbsBlueprint *blueprint, int entity, MbsExpression *position) {
  MbsForm form;
  MBS_TRY(mbs_form_of_entity(context, blueprint, entity, MBS_NOBODY, &form));
  return mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, position);
}

// what holds one body, with the torque about the global origin
static MbsStatus add_body_load(MbsContext *context, MbsBlueprint *blueprint, const MbsTreeNodeSpec *node,
                               Wrench *wrench) {
  MbsGraph *g = blueprint->graph;
  bool is_axis = false;
  for (int e = node->entity; e < blueprint->entities.count && e < node->entity + MOST_ENTITIES; ++e) {
    const MbsEntity *entity = &blueprint->entities.items[e];
    if (is_axis && (entity->kind != MBS_ENTITY_VECTOR || entity->is_fixed)) {
      break;
    }
    MbsExpression R, arm;
    MBS_TRY(body_force(context, blueprint, node->body, e, &R));
    MBS_TRY(entity_position(context, blueprint, e, &arm));
    if (!is_axis) {
      add_scaled(g, mbs_graph_constant(g, 1), &R, &wrench->force);
    }
    add_product(g, &arm, &R, &wrench->torque);
    is_axis = true;
  }
  return MBS_OK;
}

// What holds each node and all that stands on it. Each once, since a long chain has many.
static MbsStatus load_nodes(MbsContext *context, MbsBlueprint *blueprint) {
  MbsGraph *g = blueprint->graph;
  MbsWrench *loads;
  MBS_TAKE(context, blueprint->arena, loads, blueprint->tree.count);
  for (int i = 0; i < blueprint->tree.count; ++i) {
    loads[i].force = zero_vector(g, blueprint->dimension);
    loads[i].torque = zero_vector(g, torque_size(blueprint));
  }
  for (int i = blueprint->tree.count - 1; i >= 0; --i) {
    const MbsTreeNodeSpec node = blueprint->tree.items[i];
    if (node.body >= 0) {
      MBS_TRY(add_body_load(context, blueprint, &node, &loads[i]));
    }
    if (node.parent >= 0) {
      add_scaled(g, mbs_graph_constant(g, 1), &loads[i].force, &loads[node.parent].force);
      add_scaled(g, mbs_graph_constant(g, 1), &loads[i].torque, &loads[node.parent].torque);
    }
  }
  blueprint->tree_loads = loads;
  return MBS_OK;
}

// the node of the body that a joint of the tree carries, or -1: the joint is cut
static int carried_node(const MbsBlueprint *blueprint, const MbsRecord *joint) {
  for (int i = 0; i < blueprint->tree.count; ++i) {
    if (blueprint->tree.items[i].joint == joint && blueprint->tree.items[i].body >= 0) {
      return i;
    }
  }
  return -1;
}

static MbsStatus add_coinciding_row(MbsContext *context, MbsBlueprint *blueprint, int row, int body,
                                    const MbsExpression *centre, Wrench *wrench) {
  MbsExpression g = zero_vector(blueprint->graph, blueprint->dimension);
  const MbsRowSpec spec = blueprint->rows.items[row];
  MbsNode lambda;
  if (!has_part_in(body, &spec.A)) {
    return MBS_OK;
  }
  MBS_TRY(total_multiplier(context, blueprint, row, &lambda));
  g.node[spec.component] = mbs_graph_negate(blueprint->graph, lambda);
  return add_share(context, blueprint, &spec.A, &g, body, centre, wrench);
}

// a row of the joint itself
static MbsStatus add_row(MbsContext *context, MbsBlueprint *blueprint, int row, int body, const MbsExpression *centre,
                         Wrench *wrench) {
  MbsRowKind kind = blueprint->rows.items[row].kind;
  return (kind == MBS_ROW_EXPRESSION ? add_expression_row
          : kind == MBS_ROW_COINCIDE ? add_coinciding_row
                                     : add_dot_row)(context, blueprint, row, body, centre, wrench);
}

static MbsStatus add_relative(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int second,
                              const MbsExpression *centre, Wrench *wrench) {
  MbsGraph *g = blueprint->graph;
  int carried = carried_node(blueprint, joint);
  if (carried >= 0 && !blueprint->tree_loads) {
    MBS_TRY(load_nodes(context, blueprint));
  }
  if (carried >= 0) {
    MbsNode sign = mbs_graph_constant(g, blueprint->tree.items[carried].body == second ? 1 : -1);
    const MbsWrench *load = &blueprint->tree_loads[carried];
    MbsExpression opposite = zero_vector(g, blueprint->dimension);
    add_scaled(g, mbs_graph_constant(g, -1), &load->force, &opposite);
    Wrench about = *load;
    add_product(g, centre, &opposite, &about.torque);
    add_scaled(g, sign, &about.force, &wrench->force);
    add_scaled(g, sign, &about.torque, &wrench->torque);
  }
  for (int i = 0; i < blueprint->rows.count; ++i) {
    if (blueprint->rows.items[i].joint == joint) {
      MBS_TRY(add_row(context, blueprint, i, second, centre, wrench));
    }
  }
  return MBS_OK;
}

static MbsStatus add_natural(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int second,
                             const MbsExpression *centre, bool with_force, bool with_torque, Wrench *wrench) {
  if (!blueprint->reactions) {
    MBS_TRY(mbs_reaction_index_create(context, blueprint));
  }
  const MbsReactionIndex *index = blueprint->reactions;
  int j = mbs_joint_index(blueprint, joint);
  for (int e = index->edges_of_joint.first[j]; e >= 0; e = index->edges_of_joint.next[e]) {
    bool is_point = blueprint->shared[index->edges[e].shared].kind == MBS_ENTITY_POINT;
    if (is_point ? with_force : with_torque) {
      MBS_TRY(add_edge(context, blueprint, e, wrench));
    }
  }
  for (int i = index->rows_of_joint.first[j]; i >= 0; i = index->rows_of_joint.next[i]) {
    MBS_TRY(add_row(context, blueprint, i, second, centre, wrench));
  }
  return MBS_OK;
}

bool mbs_reaction_exists(const MbsRecord *joint) {
  return mbs_joint_types[joint->type]->record.fields[0].kind == MBS_FIELD_POINT_PAIR;
}

MbsStatus mbs_reaction_of_joint(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                MbsExpression *force, MbsExpression *torque) {
  MbsPointReference first, second;
  MbsForm form;
  MbsExpression centre;
  Wrench wrench = {.force = zero_vector(blueprint->graph, blueprint->dimension),
                   .torque = zero_vector(blueprint->graph, torque_size(blueprint))};
  MBS_CHECK(context, mbs_reaction_exists(joint));
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, 0), &first, &second));
  MBS_TRY(mbs_form_of_point(context, blueprint, second, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &centre));
  if (blueprint->tree.count > 0) {
    MBS_TRY(add_relative(context, blueprint, joint, second.body, &centre, &wrench));
  } else {
    MBS_TRY(add_natural(context, blueprint, joint, second.body, &centre, force != NULL, torque != NULL, &wrench));
  }
  if (force) {
    *force = wrench.force;
  }
  if (torque) {
    *torque = wrench.torque;
  }
  return mbs_graph_status(context, blueprint->graph);
}
