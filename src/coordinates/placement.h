// Where the model puts its bodies: `position`, `angle` and `rotation` of a body, and initial.points.
//
// Each body gets a pose, a function of the parameters (nodes of the graph), which in general does not meet the
// constraints. It says two things: where the assembly starts, in plain numbers; and what coordinates of the start that
// have no value of their own are held at (placed_value.c, kinematics/start.h), which is differentiated.
#ifndef MBS_PLACEMENT_H
#define MBS_PLACEMENT_H

#include "coordinates/pose.h"
#include "model/blueprint.h"

typedef struct MbsPlacedPose {
  MbsNode x[3], R[3][3];  // as MbsPose
} MbsPlacedPose;

typedef struct MbsPlacement {
  MbsPlacedPose *poses;  // by body
  MbsPose *nominal;      // the same as numbers, turned to the sense of the joints' axes: see joint_sense.c
  MbsPose *assembled;    // where kinematics/start.h found the model assembled; NULL: it did not, or has not tried
  double least_rest;     // of the gradients of independent coordinates there, beside what holds the bodies; at most 1
  const char *least_determined;  // which coordinate has it; NULL: none is given
} MbsPlacement;

// blueprint->placement, once joints have connected the bodies. Known to begin with: the ground, initial.points, and
// bodies with a position; then bodies with as many known points as it takes, then with fewer, then the rest where their
// origin is the global one.
MbsStatus mbs_placement_find(MbsContext *context, MbsBlueprint *blueprint);
// Fills `guess` of every free entity of the bodies, and of the joints' coordinates of a tree, from poses by body.
MbsStatus mbs_placement_guess(MbsContext *context, MbsBlueprint *blueprint, const MbsPose *poses);
// The same of a compiled model, for other poses than those that it starts from.
MbsStatus mbs_placement_follow(MbsContext *context, MbsArena *scratch, MbsBlueprint *blueprint, const MbsPose *poses);

// ---- joint_sense.c ----
// Turns bodies about a quarter turn or more off what a joint with an axis demands: it would close the wrong way round.
MbsStatus mbs_sense_align(MbsContext *context, MbsBlueprint *blueprint, MbsPose *poses);
// The joint whose axes point against each other there, or NULL.
MbsStatus mbs_sense_check(MbsContext *context, MbsArena *scratch, MbsBlueprint *blueprint, const MbsPose *poses,
                          const MbsRecord **joint);

// ---- placed_value.c ----
// An expression of positions, with every body where it is placed; angles are principal values.
MbsStatus mbs_placed_value(MbsContext *context, MbsBlueprint *blueprint, MbsNode expression, MbsNode *value);

// What may be held as it is placed: of a body the place of its origin (of a rod, of a point mass: of its first point)
// and how it is turned; and coordinates of the model's own.
typedef struct MbsPlacedCoordinate {
  int body;   // MBS_NOBODY: a coordinate of the model's own
  int index;  // 0, 1, 2: place; 3, 4, 5: turning (in the plane 3); or which coordinate
} MbsPlacedCoordinate;
enum { MBS_PLACED_TURNING = 3 };
// How many coordinates of its place, and how many of its turning a body has.
int mbs_placed_turning_count(const MbsBlueprint *blueprint, int body);
// Adds one to the independent coordinates of the start: as it is placed, at rest.
MbsStatus mbs_placed_hold(MbsContext *context, MbsBlueprint *blueprint, MbsPlacedCoordinate coordinate);

#endif
