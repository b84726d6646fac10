// Relative (joint) coordinates: what each joint of a tree of bodies lets its body do against the one before.
//
// Each body has a frame of its own, a point and its axes: the entities of the blueprint, on which points, directions,
// forces and signals stand as they do in natural coordinates. But these entities are no coordinates: they follow from
// the joints' coordinates z along the tree (tree/tree.h). Joints of the tree leave no constraints; those that are cut
// leave the rows they would have between bodies that share nothing.
#ifndef MBS_RELATIVE_H
#define MBS_RELATIVE_H

#include "model/blueprint.h"

// After the joints have connected the bodies: chooses the tree, makes entities, masses, tree nodes and the rows of cut
// joints. tree, cut: see tree_choice.h; NULL: every body is free. is_in_tree: by joint of the model.
MbsStatus mbs_relative_choose(MbsContext *context, MbsBlueprint *blueprint, const char *tree, const char *cut,
                              bool **is_in_tree);
// After the placement: where the joints' coordinates start, from the poses of the bodies; or (not is_start) where they
// are with other poses, once the model is compiled.
MbsStatus mbs_relative_guess(MbsContext *context, MbsArena *scratch, MbsBlueprint *blueprint, bool is_start);

#endif
