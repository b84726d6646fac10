// Which bodies joints and constraints connect, with each other and to the ground, and how freely each group moves.
//
// Two entities are connected where one body stands on both or one constraint contains both; fixed ones are the ground.
// Constraints never reach from one group into another, so the independent ones count group by group:
//     degrees of freedom = coordinates - independent constraints.
// A constraint by expression that sees a single rigid group without it, such as r(P).x - 1, holds it to the ground.
#include "coordinates/natural.h"
#include "simulation/simulation.h"

// sets by union and find; nodes are the entities, then the bodies
typedef struct Groups {
  const MbsBlueprint *blueprint;
  int *parent;
  int *snapshot;      // group of each entity before constraints by expression
  bool *is_grounded;  // by node; that of a group is any of its nodes'
  bool *has_forces;   // by node, likewise
  int *row_entity;    // by constraint: a free entity it contains, or -1
} Groups;

static int find(const Groups *g, int node) {
  while (g->parent[node] != node) {
    g->parent[node] = g->parent[g->parent[node]];
    node = g->parent[node];
  }
  return node;
}

static void unite(const Groups *g, int a, int b) { g->parent[find(g, a)] = find(g, b); }

static int body_node(const Groups *g, int body) { return g->blueprint->entities.count + body; }

// ---- what connects ----
// the free entities of a form are connected with `*first` (-1: none yet), and to the ground if it has fixed ones
static void add_form(const Groups *g, const MbsForm *form, int *first, bool *is_grounded) {
  for (int t = 0; t < form->count; ++t) {
    int entity = form->terms[t].entity;
    if (g->blueprint->entities.items[entity].is_fixed) {
      *is_grounded = true;
    } else {
      *first = *first < 0 ? entity : *first;
      unite(g, entity, *first);
    }
  }
}

static void connect_body(const Groups *g, int body) {
  const MbsBasis *basis = mbs_natural_basis(g->blueprint, body);
  for (int k = 0; k < basis->count; ++k) {
    if (g->blueprint->entities.items[basis->entity[k]].is_fixed) {
      g->is_grounded[body_node(g, body)] = true;
    } else {
      unite(g, body_node(g, body), basis->entity[k]);
    }
  }
}

static void connect_row(const Groups *g, int row) {
  const MbsRowSpec *spec = &g->blueprint->rows.items[row];
  int first = -1;
  bool is_grounded = false;
  add_form(g, &spec->A, &first, &is_grounded);
  add_form(g, &spec->B, &first, &is_grounded);
  g->row_entity[row] = first;
  if (first >= 0) {
    g->is_grounded[first] |= is_grounded;
  }
}

static MbsStatus connect_expression(MbsContext *context, const Groups *g, int row) {
  const MbsBlueprint *blueprint = g->blueprint;
  const int *inputs;
  int count, first = -1;
  bool is_grounded = false, is_single = true;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, blueprint->rows.items[row].expression, &count, &inputs));
  for (int s = 0; s < count; ++s) {
    const MbsSignal *signal = &blueprint->signals.items[inputs[s]];
    if (signal->kind != MBS_SIGNAL_POSITION && signal->kind != MBS_SIGNAL_VELOCITY) {
      continue;
    }
    const MbsForm *form = &blueprint->signal_forms.items[signal->index];
    add_form(g, form, &first, &is_grounded);
    for (int t = 0; t < form->count; ++t) {
      int entity = form->terms[t].entity;
      is_single &= blueprint->entities.items[entity].is_fixed || g->snapshot[entity] == g->snapshot[first];
    }
  }
  g->row_entity[row] = first;
  if (first >= 0) {
    g->is_grounded[first] |= is_grounded || is_single;
  }
  return MBS_OK;
}

// relative coordinates: a joint of the tree connects the body that it carries with the one before
static void connect_tree(const Groups *g) {
  const MbsTreeNodeSpec *nodes = g->blueprint->tree.items;
  for (int i = g->blueprint->tree.count - 1, body = 0; i >= 0; --i) {
    body = nodes[i].body >= 0 ? nodes[i].body : body;
    for (int k = 0; k < MBS_MOST_COORDINATES_OF_MOTION && nodes[i].kind == MBS_MOTION_BALL; ++k) {
      unite(g, nodes[i].entity + k, body_node(g, body));
    }
    int before = nodes[i].parent;
    while (before >= 0 && nodes[before].body < 0) {
      before = nodes[before].parent;
    }
    if (nodes[i].body >= 0 && before >= 0) {
      unite(g, body_node(g, nodes[i].body), body_node(g, nodes[before].body));
    } else if (nodes[i].body >= 0) {
      g->is_grounded[body_node(g, nodes[i].body)] |= nodes[i].joint != NULL;
    }
  }
}

static void connect_forces(const Groups *g) {
  for (int f = 0; f < g->blueprint->forces.count; ++f) {
    const MbsForceSpec *force = &g->blueprint->forces.items[f];
    for (int p = 0; p < force->port_count; ++p) {
      for (int t = 0; t < force->ports[p].count; ++t) {
        g->has_forces[force->ports[p].terms[t].entity] = true;
      }
    }
  }
}

// does the constraint, at the start?
static bool acts(const MbsBlueprint *blueprint, int row) {
  const MbsRowSpec *spec = &blueprint->rows.items[row];
  return !spec->joint || mbs_switch_acts_at_start(blueprint, spec->joint);
}

static MbsStatus connect(MbsContext *context, MbsArena *arena, const MbsBlueprint *blueprint, Groups *g) {
  int entities = blueprint->entities.count, nodes = entities + blueprint->bodies.count;
  g->blueprint = blueprint;
  MBS_TAKE(context, arena, g->parent, nodes);
  MBS_TAKE(context, arena, g->snapshot, entities);
  MBS_TAKE(context, arena, g->is_grounded, nodes);
  MBS_TAKE(context, arena, g->has_forces, nodes);
  MBS_TAKE(context, arena, g->row_entity, blueprint->rows.count);
  for (int i = 0; i < nodes; ++i) {
    g->parent[i] = i;
  }
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    connect_body(g, b);
  }
  connect_tree(g);
  for (int r = 0; r < blueprint->rows.count; ++r) {
    g->row_entity[r] = -1;
    if (blueprint->rows.items[r].kind != MBS_ROW_EXPRESSION && acts(blueprint, r)) {
      connect_row(g, r);
    }
  }
  for (int e = 0; e < entities; ++e) {
    g->snapshot[e] = find(g, e);
  }
  for (int r = 0; r < blueprint->rows.count; ++r) {
    if (blueprint->rows.items[r].kind == MBS_ROW_EXPRESSION && acts(blueprint, r)) {
      MBS_TRY(connect_expression(context, g, r));
    }
  }
  connect_forces(g);
  return MBS_OK;
}

// ---- what comes of it ----
static bool is_own_coordinate(const MbsBlueprint *blueprint, int entity) {
  int own = blueprint->user_coordinates.count - blueprint->state_count;
  return own > 0 && entity >= blueprint->user_coordinates.items[0].entity &&
         entity <= blueprint->user_coordinates.items[own - 1].entity;
}

// group numbers by root, in the order of their first bodies; those of the model's own coordinates alone follow
static MbsStatus number_groups(MbsContext *context, MbsArena *arena, const Groups *g, int **number, int *count) {
  int entities = g->blueprint->entities.count, bodies = g->blueprint->bodies.count;
  MBS_TAKE(context, arena, *number, entities + bodies);
  for (int i = 0; i < entities + bodies; ++i) {
    (*number)[i] = -1;
  }
  for (int b = 1; b < bodies; ++b) {
    int root = find(g, body_node(g, b));
    (*number)[root] = (*number)[root] < 0 ? (*count)++ : (*number)[root];
  }
  for (int e = 0; e < entities; ++e) {
    int root = find(g, e);
    if (is_own_coordinate(g->blueprint, e) && (*number)[root] < 0) {
      (*number)[root] = (*count)++;
    }
  }
  return MBS_OK;
}

// natural coordinates are those of the group's entities
static MbsStatus count_coordinates(MbsContext *context, const Groups *g, const MbsSimulation *simulation,
                                   const int *number, MbsCheckGroup *groups) {
  const MbsSystem *system = simulation->system;
  int *entity_at;  // by coordinate: 1 + the entity whose first one it is, or 0
  MBS_TAKE(context, simulation->arena, entity_at, system->nq);
  for (int e = 0; e < g->blueprint->entities.count; ++e) {
    entity_at[system->entity_first[e]] = 1 + e;
  }
  for (int i = 0, k = -1; i < system->first_state; ++i) {
    k = entity_at[i] ? number[find(g, entity_at[i] - 1)] : k;
    if (k >= 0) {
      groups[k].degrees_of_freedom += 1;
    }
  }
  return MBS_OK;
}

// relative ones are those of the joints that carry the group's bodies, and the model's own
static void count_joint_coordinates(const Groups *g, const int *number, MbsCheckGroup *groups) {
  const MbsBlueprint *blueprint = g->blueprint;
  for (int i = blueprint->tree.count - 1, body = 0; i >= 0; --i) {
    const MbsTreeNodeSpec *node = &blueprint->tree.items[i];
    body = node->body >= 0 ? node->body : body;
    for (int k = 0; k < MBS_MOST_COORDINATES_OF_MOTION; ++k) {
      groups[number[find(g, body_node(g, body))]].degrees_of_freedom += node->name[k] != NULL;
    }
  }
  for (int i = 0; i < blueprint->user_coordinates.count - blueprint->state_count; ++i) {
    groups[number[find(g, blueprint->user_coordinates.items[i].entity)]].degrees_of_freedom += 1;
  }
}

static MbsStatus count_freedoms(MbsContext *context, const Groups *g, const MbsSimulation *simulation,
                                const int *number, MbsCheckGroup *groups) {
  const MbsSystem *system = simulation->system;
  if (g->blueprint->tree.count > 0) {
    count_joint_coordinates(g, number, groups);
  } else {
    MBS_TRY(count_coordinates(context, g, simulation, number, groups));
  }
  for (int e = 0; e < g->blueprint->entities.count; ++e) {
    int k = number[find(g, e)];
    if (k >= 0 && !g->blueprint->entities.items[e].is_fixed) {
      groups[k].is_grounded |= g->is_grounded[e];
      groups[k].has_forces |= g->has_forces[e];
    }
  }
  for (int r = 0; r < system->m; ++r) {
    int k = g->row_entity[r] < 0 ? -1 : number[find(g, g->row_entity[r])];
    if (k >= 0 && !simulation->initial->set.is_redundant[r]) {
      groups[k].degrees_of_freedom -= 1;
    }
  }
  return MBS_OK;
}

// the names of each group's bodies and coordinates: those of one group after those of the other
static MbsStatus list_members(MbsContext *context, MbsArena *arena, const Groups *g, const int *number, int count,
                              MbsCheckGroup *groups) {
  const MbsBlueprint *blueprint = g->blueprint;
  const char **names;
  int *next, used = 0;  // by group: where its next body's name goes, then its next coordinate's
  MBS_TAKE(context, arena, names, blueprint->bodies.count + blueprint->entities.count);
  MBS_TAKE(context, arena, next, 2 * count);
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    int k = number[find(g, body_node(g, b))];
    groups[k].body_count += 1;
    groups[k].is_grounded |= g->is_grounded[body_node(g, b)];
  }
  for (int e = 0; e < blueprint->entities.count; ++e) {
    if (is_own_coordinate(blueprint, e)) {
      groups[number[find(g, e)]].coordinate_count += 1;
    }
  }
  for (int k = 0; k < count; ++k) {
    next[2 * k] = used;
    next[2 * k + 1] = used + groups[k].body_count;
    groups[k].bodies = names + next[2 * k];
    groups[k].coordinates = names + next[2 * k + 1];
    groups[k].is_grounded |= groups[k].body_count == 0;
    used += groups[k].body_count + groups[k].coordinate_count;
  }
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    names[next[2 * number[find(g, body_node(g, b))]]++] = blueprint->bodies.items[b].name;
  }
  for (int e = 0; e < blueprint->entities.count; ++e) {
    if (is_own_coordinate(blueprint, e)) {
      names[next[2 * number[find(g, e)] + 1]++] = blueprint->entities.items[e].name;
    }
  }
  return MBS_OK;
}

MbsStatus mbs_check_find_groups(MbsContext *context, const MbsSimulation *simulation, MbsCheck *check) {
  MbsArena *arena = simulation->arena;
  Groups g;
  int *number, count = 0;
  MbsCheckGroup *groups;
  MBS_TRY(connect(context, arena, simulation->system->blueprint, &g));
  MBS_TRY(number_groups(context, arena, &g, &number, &count));
  MBS_TAKE(context, arena, groups, count);
  MBS_TRY(count_freedoms(context, &g, simulation, number, groups));
  MBS_TRY(list_members(context, arena, &g, number, count, groups));
  check->group_count = count;
  check->groups = groups;
  return MBS_OK;
}
