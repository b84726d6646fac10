// The joints that meet at a shared point, as a tree of bodies.
//
// The joints at a shared point (or direction) connect its bodies like the edges of a tree. Cutting one of them leaves
// two sides, and what it transmits is what the shared point does to one side in all: a point shared by three bodies has
// a definite answer. We count the side away from the ground (or from the first body, where the ground takes no part),
// so that sums are shared by the joints along the tree. A joint that closes a loop in one point or direction is
// redundant there: the joints written before it carry everything, it carries nothing.
#include "model/joint_tree.h"

// ---- the index ----
static MbsStatus make_lists(MbsContext *context, MbsArena *arena, int key_count, int item_count, MbsItemLists *lists) {
  MBS_TAKE(context, arena, lists->first, key_count);
  MBS_TAKE(context, arena, lists->next, item_count);
  for (int i = 0; i < key_count; ++i) {
    lists->first[i] = -1;
  }
  return MBS_OK;
}

// items are put from the last to the first
static void put(MbsItemLists *lists, int key, int item) {
  lists->next[item] = lists->first[key];
  lists->first[key] = item;
}

int mbs_joint_index(const MbsBlueprint *blueprint, const MbsRecord *joint) {
  return (int)(joint - mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS)->records);
}

MbsStatus mbs_reaction_index_create(MbsContext *context, MbsBlueprint *blueprint) {
  MbsArena *arena = blueprint->arena;
  MbsReactionIndex *index;
  int points = blueprint->point_pairs.count, edges = points + blueprint->direction_pairs.count;
  int joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS)->count;
  MBS_TAKE(context, arena, index, 1);
  MBS_TAKE(context, arena, index->edges, edges);
  MBS_TAKE(context, arena, index->trees, blueprint->shared_count);
  MBS_TAKE(context, arena, index->member_of_body, blueprint->bodies.count);
  MBS_TAKE(context, arena, index->root_of_member, blueprint->bodies.count);
  MBS_TRY(make_lists(context, arena, joints, edges, &index->edges_of_joint));
  MBS_TRY(make_lists(context, arena, blueprint->shared_count, edges, &index->edges_of_shared));
  MBS_TRY(make_lists(context, arena, joints, blueprint->rows.count, &index->rows_of_joint));
  MBS_TRY(make_lists(context, arena, blueprint->shared_count, blueprint->rows.count, &index->rows_of_shared));
  for (int i = edges - 1; i >= 0; --i) {
    const MbsPointPair *point = i < points ? &blueprint->point_pairs.items[i] : NULL;
    const MbsDirectionPair *direction = i < points ? NULL : &blueprint->direction_pairs.items[i - points];
    MbsJointEdge *edge = &index->edges[i];
    edge->shared = (int)((point ? point->shared : direction->shared) - blueprint->shared);
    edge->bodies[0] = point ? point->a.body : direction->a.body;
    edge->bodies[1] = point ? point->b.body : direction->b.body;
    put(&index->edges_of_joint, mbs_joint_index(blueprint, point ? point->joint : direction->joint), i);
    put(&index->edges_of_shared, edge->shared, i);
  }
  for (int i = blueprint->rows.count - 1; i >= 0; --i) {
    const MbsRowSpec *row = &blueprint->rows.items[i];
    if (row->shared) {
      put(&index->rows_of_shared, (int)(row->shared - blueprint->shared), i);
    } else if (row->joint) {
      put(&index->rows_of_joint, mbs_joint_index(blueprint, row->joint), i);
    }
  }
  blueprint->reactions = index;
  return MBS_OK;
}

// ---- the tree of joints at a shared point or direction ----
static int find_member(const MbsReactionIndex *index, const MbsJointTree *tree, int body) {
  int m = index->member_of_body[body];  // of this tree, or left over from another
  return m < tree->count && tree->members[m].body == body ? m : -1;
}

static int add_member(MbsReactionIndex *index, MbsJointTree *tree, int body) {
  int m = find_member(index, tree, body);
  if (m < 0) {
    m = tree->count++;
    tree->members[m] = (MbsTreeMember){.body = body, .parent = -1, .edge = -1};
    index->member_of_body[body] = m;
  }
  return m;
}

static int root_of(int *roots, int m) {
  while (roots[m] != m) {
    m = roots[m] = roots[roots[m]];
  }
  return m;
}

// which edges make the tree: in the order of the file, those that connect what was apart
static void choose_edges(MbsReactionIndex *index, const MbsJointTree *all, int shared) {
  int *roots = index->root_of_member;
  for (int m = 0; m < all->count; ++m) {
    roots[m] = m;
  }
  for (int e = index->edges_of_shared.first[shared]; e >= 0; e = index->edges_of_shared.next[e]) {
    MbsJointEdge *edge = &index->edges[e];
    int a = root_of(roots, find_member(index, all, edge->bodies[0]));
    int b = root_of(roots, find_member(index, all, edge->bodies[1]));
    edge->is_tree = a != b;
    roots[b] = a;
  }
}

static MbsStatus make_tree(MbsContext *context, MbsBlueprint *blueprint, int shared, MbsJointTree *tree) {
  MbsReactionIndex *index = blueprint->reactions;
  const MbsItemLists *edges = &index->edges_of_shared;
  MbsJointTree all = {.count = 0};
  int count = 1;
  for (int e = edges->first[shared]; e >= 0; e = edges->next[e]) {
    ++count;
  }
  MBS_TAKE(context, blueprint->arena, all.members, count);
  MBS_TAKE(context, blueprint->arena, tree->members, count);
  int root = -1;
  for (int e = edges->first[shared]; e >= 0; e = edges->next[e]) {
    for (int side = 0; side < 2; ++side) {
      int body = index->edges[e].bodies[side];
      (void)add_member(index, &all, body);
      root = root < 0 || body == MBS_GROUND ? body : root;
    }
  }
  choose_edges(index, &all, shared);
  (void)add_member(index, tree, root);
  for (int before = 0; before < tree->count && tree->count < all.count;) {
    before = tree->count;
    for (int e = edges->first[shared]; e >= 0; e = edges->next[e]) {
      const MbsJointEdge *edge = &index->edges[e];
      int ends[2] = {find_member(index, tree, edge->bodies[0]), find_member(index, tree, edge->bodies[1])};
      if (edge->is_tree && (ends[0] < 0) != (ends[1] < 0)) {
        int new = ends[0] < 0 ? 0 : 1;
        MbsTreeMember *member = &tree->members[add_member(index, tree, edge->bodies[new])];
        member->parent = ends[1 - new];
        member->edge = e;
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_joint_tree_find(MbsContext *context, MbsBlueprint *blueprint, int shared, MbsJointTree **tree) {
  *tree = &blueprint->reactions->trees[shared];
  return (*tree)->members ? MBS_OK : make_tree(context, blueprint, shared, *tree);
}
