// Where the motion starts, one definition for all coordinates.
//
// The start is a function of the parameters: the constraints hold, independent coordinates of the user's have their
// values, and what these leave free is held as it is placed (coordinates/placement.h). Both the position nearby where
// the assembly begins and the choice of what is held are found on the loose model: every body free, every joint a
// constraint. So natural and relative coordinates begin at one place, hold the same, and bodies are right-handed.
#ifndef MBS_START_H
#define MBS_START_H

#include "coordinates/placement.h"
#include "terms/terms.h"

// Completes the independent coordinates of a compiled blueprint, and moves its guesses to where the model assembles.
// The choice is made at the nominal values of the parameters and kept for all others: body by body in the order of the
// file, how it is turned (which its joints can always do), then its place; coordinates of the model's own last; each if
// it adds a freedom, of a body the best first.
MbsStatus mbs_start_complete(MbsContext *context, const MbsModel *model, MbsBlueprint *blueprint);

// At an assembled state: is a body its own mirror image, or a joint closed the wrong way round? moved: how far bodies
// are from where the loose model was assembled, in sizes of the largest, or in radians; infinite, if it was not.
MbsStatus mbs_start_check(MbsContext *context, MbsArena *scratch, const MbsSystem *system, const MbsState *state,
                          double *moved);

// The poses of all bodies at a state, in whatever coordinates. poses.c
MbsStatus mbs_poses_of(MbsContext *context, const MbsSystem *system, const MbsState *state, MbsPose *poses);
// And how they change: R' and x'.
MbsStatus mbs_pose_rates_of(MbsContext *context, const MbsSystem *system, const MbsState *state, MbsPose *rates);

#endif
