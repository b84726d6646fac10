// The path of a run: what was decided on the way, as plain numbers. A run that follows the record of another decides
// nothing itself, so that a complex step or a difference walks the very same path as the run it belongs to. (Times and
// steps are those of the settings; only matrix-r decides anything.)
#ifndef MBS_REPLAY_H
#define MBS_REPLAY_H

#include "kinematics/initial.h"

typedef struct MbsReplay {
  int n, m;                  // coordinates and constraints: a run that follows must have as many
  int set_count;             // of independent coordinates; 0: nothing was decided
  const MbsSetChoice *sets;  // in the order they were chosen
  long step_count;
  const int *set_of_step;  // step_count + 1, the first is of no use
} MbsReplay;

#endif
