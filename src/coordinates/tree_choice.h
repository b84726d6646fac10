// Which joints carry the tree of bodies, and which are cut and closed by constraints.
#ifndef MBS_TREE_CHOICE_H
#define MBS_TREE_CHOICE_H

#include "model/joint.h"

typedef struct MbsTreeBranch {
  int body, parent;        // bodies
  const MbsRecord *joint;  // that connects them; NULL: none does, the body floats against the ground
  MbsJointMotion motion;   // of the body against the parent
} MbsTreeBranch;

typedef struct MbsTreeChoice {
  int count;
  MbsTreeBranch *branches;  // one for each body but the ground; parents first, each subtree together
  bool *is_in_tree;         // by joint of the model
} MbsTreeChoice;

// tree, cut: joints between commas that shall, or shall not, be in the tree; "": as seems best. Branches become short,
// and of the joints that could be cut those that leave few equations to close are. tree NULL: no joint is in it.
MbsStatus mbs_tree_choose(MbsContext *context, MbsBlueprint *blueprint, const char *tree, const char *cut,
                          MbsTreeChoice *choice);

#endif
