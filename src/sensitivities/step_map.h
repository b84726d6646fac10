// Steps from a state that a caller gives, along a way that he gives: what stands behind mbsens/step.h, in the scalar of
// the build. In the complex twin the same way is perturbed along a direction.
#ifndef MBS_STEP_MAP_H
#define MBS_STEP_MAP_H

#include "sensitivities/twin.h"

struct MbsSession;

// A way of so many steps, in plain numbers. NULL in place of q: from the model's start; of inputs: as they are there.
typedef struct MbsWay {
  double t;
  long steps;
  const double *q, *v;   // n each
  const double *inputs;  // steps x inputs
} MbsWay;

// Who looks at the session at the start of a way (row 0, before inputs are set) and after each step and what follows
// from it at once. A run that an event ends has its last state in all rows that are left, so that row i is what a way
// of i steps ends with.
typedef struct MbsWayRows {
  void (*take)(void *user, struct MbsSession *session, long row);  // NULL: nobody
  void *user;
} MbsWayRows;

// The session's state after the way, with what was recorded of it for an adjoint. direction (its q, v and inputs; NULL:
// zeros): of the complex step, or of the column `seed` of direct differentiation (-1: there is none).
MbsStatus mbs_way_walk(MbsContext *context, struct MbsSession *session, const MbsWay *way, const MbsWay *direction,
                       int seed, MbsWayRows rows);

// The twin's: q, v and a (n each) after the way, or their derivatives along a direction of the way and of all
// parameters. parameters: values of all.
MbsStatus mbs_twin_way(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                       const double *parameters, const double *parameter_direction, const MbsWay *way,
                       const MbsWay *direction, int count, double *q, double *v, double *a);
MbsStatus mbs_complex_way(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                          const double *parameters, const double *parameter_direction, const MbsWay *way,
                          const MbsWay *direction, int count, double *q, double *v, double *a);

#endif
