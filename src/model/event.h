// Events: what happens where a guard passes zero. See event.c.
#ifndef MBS_EVENT_H
#define MBS_EVENT_H

#include "base/context.h"
#include "expressions/graph.h"
#include "expressions/operation.h"

struct MbsRowSpec;

// What changes where an expression passes from one piece to the next: its value, its slope, or higher derivatives
// alone.
typedef enum MbsBreak { MBS_BREAK_JUMPS, MBS_BREAK_BENDS, MBS_BREAK_CURVES } MbsBreak;

// What an expression that jumps becomes: see branch.c.
typedef struct MbsBranchSpec {
  MbsOperation operation;  // step, sign or floor
  MbsNode argument;
  int parameter;     // the hidden one that has its value
  MbsBreak breaks;   // the worst of what it stands for
  const char *name;  // whose expression it is
  MbsText text;
} MbsBranchSpec;

// A variable that an event sets, to a function of time and of the state before.
typedef struct MbsAssignment {
  int variable;
  MbsNode value;
} MbsAssignment;

// One velocity that an event sets: after it d/dt of a function of the position has a value that follows from the state
// before it. That is a velocity constraint of the impulse, rate - target = 0, whose target is a hidden parameter.
typedef struct MbsVelocityJump {
  const char *name;  // of the coordinate, as written
  MbsNode given;     // the target, a function of time and of the state before; of an impact with friction: e, mu
  int parameter;     // the hidden one
} MbsVelocityJump;

// What the restitution of an impact is the ratio of: see simulation/impact_law.h.
typedef enum MbsImpactLaw { MBS_IMPACT_NEWTON, MBS_IMPACT_POISSON, MBS_IMPACT_ENERGETIC } MbsImpactLaw;

// A joint that acts, or does not act, after an event: see joint_switch.c.
typedef struct MbsJointSwitch {
  int parameter;  // the hidden one that says so
  bool acts;
} MbsJointSwitch;

typedef struct MbsEventSpec {
  const char *name;
  MbsText text;  // of the guard
  MbsNode guard;
  MbsNode rate;    // d/dt of the guard; MBS_NODE_NONE: it depends on accelerations or multipliers
  int direction;   // -1: it passes zero falling, 1: rising, 0: both
  bool is_last;    // the run ends there
  bool is_given;   // inputs are set, by the caller: its first assignments, whose values he gives
  bool is_hidden;  // that, or a kink of what is added up, or an objective's own, which results do not list:
  int objective;   // that one
  bool is_end;     // the end of the settings, where it depends on parameters: it happens at the end of the last step
  MbsNode end;     // then: that time
  int jump_count;  // none: velocities stay as they are
  MbsVelocityJump *jumps;
  bool has_friction;  // an impact of two jumps, gap and slip, whose targets the law finds
  MbsImpactLaw law;
  struct MbsRowSpec *rows;  // of each jump: see above
  int assignment_count;
  MbsAssignment *assignments;
  int switch_count;
  MbsJointSwitch *switches;
  bool changes_constraints;  // some of them depend on what it assigns, or on the branch, or are new
  int branch;                // 1 + the one that it switches; 0: none
  bool is_timed;             // its guard depends on time, parameters and variables alone,
  bool is_uniform;           // and linearly on time
  int change;                // of a floor: by how much
} MbsEventSpec;

// Is the state after it another one than before?
static inline bool mbs_event_changes_state(const MbsEventSpec *event) {
  return event->jump_count > 0 || event->assignment_count > 0 || event->switch_count > 0 || event->changes_constraints;
}

#endif
