// Which joints meet at a shared point or direction, and what would come apart if one of them were cut. For reactions.
#ifndef MBS_JOINT_TREE_H
#define MBS_JOINT_TREE_H

#include "model/blueprint.h"

// items by key, each key's in order: a list that starts with first[key] and goes on with next[item]; -1 ends it
typedef struct MbsItemLists {
  int *first, *next;
} MbsItemLists;

// a joint makes a point or direction of two bodies one
typedef struct MbsJointEdge {
  int shared;
  int bodies[2];
  bool is_tree;  // false: it closes a loop
} MbsJointEdge;

// a body at a shared point or direction, as a node of the tree of joints there
typedef struct MbsTreeMember {
  int body;
  int parent, edge;    // member nearer to the root, and the edge to it; -1: the root
  MbsExpression load;  // what holds this body and those beyond it: a force or a torque
  bool is_known, is_beyond;
} MbsTreeMember;

typedef struct MbsJointTree {
  int count;               // of members, each after its parent
  MbsTreeMember *members;  // NULL: not made yet
} MbsJointTree;

typedef struct MbsReactionIndex {
  MbsJointEdge *edges;
  MbsItemLists edges_of_joint, edges_of_shared, rows_of_joint, rows_of_shared;
  MbsJointTree *trees;                   // by shared
  int *member_of_body, *root_of_member;  // workspace
} MbsReactionIndex;

// The lists of a blueprint whose rows and coordinates are complete: blueprint->reactions.
MbsStatus mbs_reaction_index_create(MbsContext *context, MbsBlueprint *blueprint);
// The tree at a shared point or direction, made when first asked for.
MbsStatus mbs_joint_tree_find(MbsContext *context, MbsBlueprint *blueprint, int shared, MbsJointTree **tree);
int mbs_joint_index(const MbsBlueprint *blueprint, const MbsRecord *joint);

#endif
