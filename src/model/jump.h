// Expressions that jump or have kinks. See jump.c.
#ifndef MBS_JUMP_H
#define MBS_JUMP_H

#include "base/context.h"
#include "expressions/graph.h"

// The argument of a function that jumps, or whose derivative does, where it passes zero; of floor: a whole number. Of a
// table: the number of the piece.
typedef struct MbsGuardSpec {
  MbsNode argument;
  MbsOperation operation;  // step, sign, floor or atan2; abs, minimum, maximum, side and table have kinks alone
  bool is_fixed;           // a function of time alone: nothing moves its zeros
} MbsGuardSpec;

// An expression that may jump or have a kink where one of its guards passes zero.
typedef struct MbsJumpSpec {
  const char *owner;  // force "switch"
  MbsText text;
  int value_count;
  MbsNode *values;  // its components, and where it prescribes a motion their first and second rates
  int guard_count;
  const MbsGuardSpec *guards;
} MbsJumpSpec;

#endif
