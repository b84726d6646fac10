// Inside signal_scope.c, body_signals.c and joint_signals.c: what an expression may name, and the calls of signals in
// it.
#ifndef MBS_SIGNAL_SCOPE_H
#define MBS_SIGNAL_SCOPE_H

#include "model/blueprint.h"

typedef struct MbsSignalScope {
  MbsBlueprint *blueprint;
  const char *owner;
  unsigned use;
  int local_count;
  const MbsLocalName *locals;
} MbsSignalScope;

struct MbsSignalFunction;

typedef struct MbsSignalCall {
  const struct MbsSignalFunction *function;
  MbsPlace place;
  int count;
  const char *const *names;
  const MbsExpression *of;  // of rate() and acceleration(), instead of names
} MbsSignalCall;

enum { MBS_SIGNAL_MOST_NAMES = 8 };  // in a call

typedef struct MbsSignalFunction {
  const char *name;
  int least, most;   // arguments
  unsigned use;      // what an expression must be allowed to use
  const char *uses;  // the same in words
  MbsStatus (*call)(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call, MbsExpression *value);
} MbsSignalFunction;

// A body that has an orientation.
MbsStatus mbs_signal_find_turning_body(MbsContext *context, MbsSignalScope *scope, MbsText name, int *body);

// ---- orientation, energy, momentum of bodies (body_signals.c) ----
typedef MbsStatus MbsSignalFunctionCall(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                                        MbsExpression *value);
MbsSignalFunctionCall mbs_signal_matrix, mbs_signal_turned, mbs_signal_euler, mbs_signal_kinetic, mbs_signal_momentum,
    mbs_signal_mass_centre, mbs_signal_power, mbs_signal_potential;

// ---- joints (joint_signals.c) ----
int mbs_signal_joint_called(const MbsBlueprint *blueprint, const char *name);  // -1: there is none
MbsStatus mbs_signal_joint_angle(MbsContext *context, MbsSignalScope *scope, MbsPlace place, int index, MbsNode *angle);
MbsSignalFunctionCall mbs_signal_slide, mbs_signal_multiplier, mbs_signal_reaction;

#endif
