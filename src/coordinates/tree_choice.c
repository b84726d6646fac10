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
} Growth;

static int far_end(const Growth *g, const Edge *edge, int *near) {
  for (int e = 0; e < 2; ++e) {
    if (g->depth[edge->motion.on[e].body] >= 0 && g->depth[edge->motion.on[1 - e].body] < 0) {
      *near = edge->motion.on[e].body;
      return edge->motion.on[1 - e].body;
    }
  }
  return -1;
}

// what comes first: joints the user wants, then few freedoms, then low depth
static bool is_better(const Growth *g, const Edge *a, int near_a, const Edge *b, int near_b) {
  if (a->is_wanted != b->is_wanted) {
    return a->is_wanted;
  }
  return a->freedoms != b->freedoms ? a->freedoms < b->freedoms : g->depth[near_a] < g->depth[near_b];
}

static void grow(Growth *g) {
  for (;;) {
    int best = -1, best_near = 0, best_far = 0;
    for (int i = 0; i < g->edge_count; ++i) {
      int near = 0, far = g->edges[i].can_carry && !g->edges[i].is_cut ? far_end(g, &g->edges[i], &near) : -1;
      if (far >= 0 && (best < 0 || is_better(g, &g->edges[i], near, &g->edges[best], best_near))) {
        best = i;
        best_near = near;
        best_far = far;
      }
    }
    if (best >= 0) {
      g->depth[best_far] = g->depth[best_near] + 1;
      g->edge[best_far] = best;
      g->parent[best_far] = best_near;
      continue;
    }
    int floating = 1;
    while (floating < g->blueprint->bodies.count && g->depth[floating] >= 0) {
      ++floating;
    }
    if (floating == g->blueprint->bodies.count) {
      return;
    }
    g->depth[floating] = 1;
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

static void add_branches(const Growth *g, int parent, MbsTreeChoice *choice) {
  for (int b = 1; b < g->blueprint->bodies.count; ++b) {
    if (g->parent[b] != parent) {
      continue;
    }
    MbsTreeBranch *branch = &choice->branches[choice->count++];
    const Edge *edge = g->edge[b] >= 0 ? &g->edges[g->edge[b]] : NULL;
    *branch = (MbsTreeBranch){.body = b, .parent = parent, .joint = edge ? edge->joint : NULL};
    branch->motion = !edge                               ? floating_motion(g->blueprint, b)
                     : edge->motion.on[0].body == parent ? edge->motion
                                                         : reversed(&edge->motion);
    if (g->blueprint->bodies.items[b].kind != MBS_BODY_RIGID) {
      drop_rotations(g->blueprint->bodies.items[b].kind, &branch->motion);
    }
    if (edge) {
      choice->is_in_tree[g->edge[b]] = true;
    }
    add_branches(g, b, choice);
  }
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
    g.depth[b] = b == MBS_GROUND ? 0 : -1;
    g.edge[b] = -1;
    g.parent[b] = b == MBS_GROUND ? -1 : MBS_GROUND;
  }
  grow(&g);
  add_branches(&g, MBS_GROUND, choice);
  return mbs_graph_status(context, blueprint->graph);
}
