// A spanning tree from the ground outwards. Of the joints that reach a new body the one with the fewest freedoms comes
// first, since it would cost the most equations to close; among equals the one nearest to the ground, so that branches
// are short.
#include "coordinates/tree_choice.h"

#include <string.h>

#include "base/names.h"

typedef struct Edge {
  const MbsRecord *joint;
  MbsJointMotion motion;
  int freedoms;
  bool is_wanted, is_cut;  // by the user
  bool can_carry;
} Edge;

static int freedoms_of(const MbsJointMotion *motion) {
  int sum = 0;
  for (int i = 0; i < motion->count; ++i) {
    sum += motion->motions[i].kind == MBS_MOTION_BALL ? 3 : 1;
  }
  return sum;
}

// ---- what the user said ----
// the joint of a name, or -1
static int find_joint(const MbsValue *joints, const char *name, size_t length, const char **nearest) {
  for (int i = 0; i < joints->count; ++i) {
    const char *known = joints->records[i].name.text;
    if (strncmp(known, name, length) == 0 && known[length] == '\0') {
      return i;
    }
    mbs_name_nearest(name, known, nearest);
  }
  return -1;
}

// where the file has the name
static MbsPlace place_of(const MbsBlueprint *blueprint, int field, const char *name) {
  const MbsValue *list = mbs_record_value(mbs_record_child(&blueprint->model->root, MBS_MODEL_SIMULATION), field);
  for (int i = 0; i < list->count; ++i) {
    if (strstr(list->texts[i].text, name)) {
      return list->texts[i].place;
    }
  }
  return mbs_nowhere;
}

static MbsStatus mark(MbsContext *context, MbsBlueprint *blueprint, bool is_cut, const char *names, Edge *edges) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  const char *list = is_cut ? "cut" : "tree";
  while (*names) {
    names += strspn(names, ", ");
    size_t length = strcspn(names, ","), used = length;
    while (used > 0 && names[used - 1] == ' ') {
      --used;
    }
    if (used > 0) {
      const char *name = mbs_arena_print(blueprint->arena, "%.*s", (int)used, names), *nearest = NULL;
      name = name ? name : "";
      MbsPlace place =
          list[0] == '-' ? mbs_nowhere : place_of(blueprint, is_cut ? MBS_SIMULATION_CUT : MBS_SIMULATION_TREE, name);
      int i = find_joint(joints, name, strlen(name), &nearest);
      if (i < 0) {
        return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: no joint \"%s\"%s%s%s", list, name,
                        nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
      }
      if (!is_cut && !edges[i].can_carry) {
        return mbs_fail(context, MBS_ERROR_INPUT, place,
                        "%s: joint \"%s\" (%s) cannot carry a body of the tree: it is always closed by constraints",
                        list, name, mbs_joint_types[joints->records[i].type]->record.name);
      }
      if (is_cut && edges[i].is_wanted) {
        return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: joint \"%s\" cannot both carry the tree and be cut", list,
                        name);
      }
      *(is_cut ? &edges[i].is_cut : &edges[i].is_wanted) = true;
    }
    names += length;
  }
  return MBS_OK;
}

// ---- sets of bodies that are connected ----
static int find(const int *set, int i) {
  while (set[i] != i) {
    i = set[i];
  }
  return i;
}

// joins the bodies of the wanted joints, or of those that are not cut; a joint whose bodies are connected already
// closes a loop
static MbsStatus refuse_loops(MbsContext *context, MbsBlueprint *blueprint, bool is_cut_list, const Edge *edges,
                              int count) {
  int *set;
  MBS_TAKE(context, blueprint->arena, set, blueprint->bodies.count);
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    set[b] = b;
  }
  for (int i = 0; i < count; ++i) {
    const Edge *edge = &edges[i];
    if (!edge->can_carry || (is_cut_list ? edge->is_cut : !edge->is_wanted)) {
      continue;
    }
    int a = find(set, edge->motion.on[0].body), b = find(set, edge->motion.on[1].body);
    if (a == b) {
      return mbs_fail(context, MBS_ERROR_INPUT, edge->joint->name.place,
                      is_cut_list
                          ? "%s: the list leaves a loop uncut, closed by joint \"%s\"; cut that one or another "
                            "of the loop"
                          : "%s: the joints do not make a tree: joint \"%s\" closes a loop; leave it or another "
                            "of the loop out",
                      is_cut_list ? "cut" : "tree", edge->joint->name.text);
    }
    set[b] = a;
  }
  return MBS_OK;
}

// ---- the tree ----
typedef struct Growth {
  MbsBlueprint *blueprint;
  int edge_count;
  Edge *edges;
  int *depth;  // by body; -1: not reached yet
  int *edge;   // by body: that reaches it; -1: none
  int *parent;
  int *first_of_body, *edges_of_body;  // those that may carry: of each body
  int heap_count;
  int *heap, *queued_depth;
} Growth;

static bool can_grow(const Edge *edge) { return edge->can_carry && !edge->is_cut; }

// which end of an edge the tree has reached, while it has not reached the other; or -1
static int near_end(const Growth *g, const Edge *edge) {
  for (int e = 0; e < 2; ++e) {
    if (g->depth[edge->motion.on[e].body] >= 0 && g->depth[edge->motion.on[1 - e].body] < 0) {
      return e;
    }
  }
  return -1;
}

static int near_depth(const Growth *g, const Edge *edge) {
  const int depths[2] = {g->depth[edge->motion.on[0].body], g->depth[edge->motion.on[1].body]};
  return depths[0] < 0 || (depths[1] >= 0 && depths[1] < depths[0]) ? depths[1] : depths[0];
}

// what comes first: joints the user wants, then few freedoms, then low depth, then the order of the file
static bool is_better(const Growth *g, int a, int b) {
  const Edge *of_a = &g->edges[a], *of_b = &g->edges[b];
  if (of_a->is_wanted != of_b->is_wanted) {
    return of_a->is_wanted;
  }
  if (of_a->freedoms != of_b->freedoms) {
    return of_a->freedoms < of_b->freedoms;
  }
  return g->queued_depth[a] != g->queued_depth[b] ? g->queued_depth[a] < g->queued_depth[b] : a < b;
}

// ---- edges between what is reached and what is not: a heap, the best on top ----
static void queue(Growth *g, int edge) {
  int *heap = g->heap, i = g->heap_count++;
  g->queued_depth[edge] = near_depth(g, &g->edges[edge]);
  for (; i > 0 && is_better(g, edge, heap[(i - 1) / 2]); i = (i - 1) / 2) {
    heap[i] = heap[(i - 1) / 2];
  }
  heap[i] = edge;
}

static int take_best(Growth *g) {
  int *heap = g->heap, best = heap[0], last = heap[--g->heap_count], i = 0;
  for (int child = 1; child < g->heap_count; child = 2 * i + 1) {
    child += child + 1 < g->heap_count && is_better(g, heap[child + 1], heap[child]);
    if (!is_better(g, heap[child], last)) {
      break;
    }
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return best;
}

static void reach(Growth *g, int body, int depth, int edge, int parent) {
  g->depth[body] = depth;
  g->edge[body] = edge;
  g->parent[body] = parent;
  for (int k = g->first_of_body[body]; k < g->first_of_body[body + 1]; ++k) {
    if (near_end(g, &g->edges[g->edges_of_body[k]]) >= 0) {
      queue(g, g->edges_of_body[k]);
    }
  }
}

static MbsStatus list_edges(MbsContext *context, Growth *g) {
  MbsArena *arena = g->blueprint->arena;
  int bodies = g->blueprint->bodies.count, *next;
  MBS_TAKE(context, arena, g->first_of_body, bodies + 1);
  MBS_TAKE(context, arena, g->edges_of_body, 2 * g->edge_count);
  MBS_TAKE(context, arena, g->heap, g->edge_count);
  MBS_TAKE(context, arena, g->queued_depth, g->edge_count);
  MBS_TAKE(context, arena, next, bodies);
  for (int i = 0; i < 2 * g->edge_count; ++i) {
    const Edge *edge = &g->edges[i / 2];
    g->first_of_body[edge->motion.on[i % 2].body + 1] += can_grow(edge);
  }
  for (int b = 0; b < bodies; ++b) {
    next[b] = g->first_of_body[b];
    g->first_of_body[b + 1] += g->first_of_body[b];
  }
  for (int i = 0; i < 2 * g->edge_count; ++i) {
    const Edge *edge = &g->edges[i / 2];
    if (can_grow(edge)) {
      g->edges_of_body[next[edge->motion.on[i % 2].body]++] = i / 2;
    }
  }
  return MBS_OK;
}

static void grow(Growth *g) {
  reach(g, MBS_GROUND, 0, -1, -1);
  for (int floating = 1; floating < g->blueprint->bodies.count;) {
    if (g->heap_count > 0) {
      int best = take_best(g), near = near_end(g, &g->edges[best]);
      if (near >= 0) {  // else another edge was first
        const MbsFrame *on = g->edges[best].motion.on;
        reach(g, on[1 - near].body, g->depth[on[near].body] + 1, best, on[near].body);
      }
    } else if (g->depth[floating] >= 0) {
      ++floating;
    } else {
      reach(g, floating, 1, -1, MBS_GROUND);
    }
  }
}

// a body that nothing of the tree holds: its frame (of a point mass: at its point) slides along the ground's axes and
// turns
static MbsJointMotion floating_motion(MbsBlueprint *blueprint, int body) {
  MbsJointMotion motion = {.count = 0};
  const MbsBlueprintBody *own = &blueprint->bodies.items[body];
  const int bodies[2] = {MBS_GROUND, body};
  for (int e = 0; e < 2; ++e) {
    motion.on[e].body = bodies[e];
    for (int i = 0; i < 3; ++i) {
      bool is_at_point = e == 1 && own->kind == MBS_BODY_POINT_MASS;
      motion.on[e].origin[i] = is_at_point ? own->points[0].local[i] : mbs_graph_constant(blueprint->graph, 0);
      for (int k = 0; k < 3; ++k) {
        motion.on[e].axes[i][k] = mbs_graph_constant(blueprint->graph, i == k ? 1 : 0);
      }
    }
  }
  for (int k = 0; k < blueprint->dimension; ++k) {
    motion.motions[motion.count].axis = k;
    motion.motions[motion.count++].kind = MBS_MOTION_SLIDE;
  }
  motion.motions[motion.count].axis = 2;
  motion.motions[motion.count++].kind = blueprint->dimension == 2 ? MBS_MOTION_TURN : MBS_MOTION_BALL;
  return motion;
}

// what has no orientation does not turn, and what is thin does not turn about itself
static void drop_rotations(MbsBodyKind kind, MbsJointMotion *motion) {
  while (motion->count > 0 && motion->motions[motion->count - 1].kind != MBS_MOTION_SLIDE &&
         (kind == MBS_BODY_POINT_MASS || motion->motions[motion->count - 1].kind == MBS_MOTION_TURN)) {
    motion->count -= 1;
  }
}

// the same seen from the second body
static MbsJointMotion reversed(const MbsJointMotion *motion) {
  MbsJointMotion other = {.on = {motion->on[1], motion->on[0]}, .count = motion->count};
  for (int i = 0; i < motion->count; ++i) {
    other.motions[i] = motion->motions[motion->count - 1 - i];
  }
  return other;
}

static void add_branch(const Growth *g, int b, MbsTreeChoice *choice) {
  MbsTreeBranch *branch = &choice->branches[choice->count++];
  const Edge *edge = g->edge[b] >= 0 ? &g->edges[g->edge[b]] : NULL;
  *branch = (MbsTreeBranch){.body = b, .parent = g->parent[b], .joint = edge ? edge->joint : NULL};
  branch->motion = !edge                                     ? floating_motion(g->blueprint, b)
                   : edge->motion.on[0].body == g->parent[b] ? edge->motion
                                                             : reversed(&edge->motion);
  if (g->blueprint->bodies.items[b].kind != MBS_BODY_RIGID) {
    drop_rotations(g->blueprint->bodies.items[b].kind, &branch->motion);
  }
  if (edge) {
    choice->is_in_tree[g->edge[b]] = true;
  }
}

// each body before those that stand on it, in the order of the file; trees may be deep
static MbsStatus add_branches(MbsContext *context, const Growth *g, MbsTreeChoice *choice) {
  int bodies = g->blueprint->bodies.count, *first_child, *next_sibling;
  MBS_TAKE(context, g->blueprint->arena, first_child, bodies);
  MBS_TAKE(context, g->blueprint->arena, next_sibling, bodies);
  for (int b = bodies - 1; b > 0; --b) {  // 0: none, which is the ground
    next_sibling[b] = first_child[g->parent[b]];
    first_child[g->parent[b]] = b;
  }
  for (int b = first_child[MBS_GROUND]; b > 0;) {
    add_branch(g, b, choice);
    if (first_child[b] > 0) {
      b = first_child[b];
      continue;
    }
    while (b > 0 && next_sibling[b] == 0) {
      b = g->parent[b];
    }
    b = b > 0 ? next_sibling[b] : 0;
  }
  return MBS_OK;
}

// A ground point that moves cannot carry a body: frames are functions of the parameters alone.
static bool is_moving(MbsBlueprint *blueprint, const MbsFrame *frame) {
  bool moves = false;
  for (int k = 0; k < 3 && blueprint->time_input >= 0; ++k) {
    moves |= mbs_graph_depends_on(blueprint->graph, frame->origin[k], blueprint->time_input);
  }
  return moves;
}

// A ball and then a slide along a thin rod: how the rod stands about itself, which is nothing, would not be settled.
static bool is_ball_on_rod(const MbsBlueprint *blueprint, const MbsJointMotion *motion) {
  return motion->count > 1 && motion->motions[motion->count - 1].kind == MBS_MOTION_BALL &&
         blueprint->bodies.items[motion->on[0].body].kind == MBS_BODY_ROD;
}

MbsStatus mbs_tree_choose(MbsContext *context, MbsBlueprint *blueprint, const char *tree, const char *cut,
                          MbsTreeChoice *choice) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  int bodies = blueprint->bodies.count;
  Growth g = {.blueprint = blueprint, .edge_count = joints->count};
  MBS_TAKE(context, blueprint->arena, g.edges, joints->count);
  MBS_TAKE(context, blueprint->arena, g.depth, bodies);
  MBS_TAKE(context, blueprint->arena, g.edge, bodies);
  MBS_TAKE(context, blueprint->arena, g.parent, bodies);
  MBS_TAKE(context, blueprint->arena, choice->branches, bodies);
  MBS_TAKE(context, blueprint->arena, choice->is_in_tree, joints->count);
  choice->count = 0;
  for (int i = 0; i < joints->count; ++i) {
    Edge *edge = &g.edges[i];
    const MbsJointType *type = mbs_joint_types[joints->records[i].type];
    edge->joint = &joints->records[i];
    if (type->motion && tree && mbs_switch_of(blueprint, edge->joint) == 0) {
      MBS_TRY(type->motion(context, blueprint, edge->joint, &edge->motion));
      edge->freedoms = freedoms_of(&edge->motion);
      edge->can_carry = !is_moving(blueprint, &edge->motion.on[0]) && !is_moving(blueprint, &edge->motion.on[1]) &&
                        !is_ball_on_rod(blueprint, &edge->motion);
    }
  }
  if (tree) {
    MBS_TRY(mark(context, blueprint, false, tree, g.edges));
    MBS_TRY(mark(context, blueprint, true, cut, g.edges));
    MBS_TRY(refuse_loops(context, blueprint, false, g.edges, joints->count));
  }
  if (tree && *cut) {
    MBS_TRY(refuse_loops(context, blueprint, true, g.edges, joints->count));
  }
  for (int b = 0; b < bodies; ++b) {
    g.depth[b] = -1;
  }
  MBS_TRY(list_edges(context, &g));
  grow(&g);
  MBS_TRY(add_branches(context, &g, choice));
  return mbs_graph_status(context, blueprint->graph);
}
