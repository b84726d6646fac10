// Reactions for output. Their expressions are made only when somebody asks, with a second system to evaluate them in,
// so that a run pays nothing for them.
#include "model/reaction.h"
#include "simulation/simulation.h"

enum { NUMBERS = 6 };  // of a joint: force, torque

// force x y z, torque x y z of each joint between points; in the plane force x y and torque z
static MbsStatus make_expressions(MbsContext *context, MbsBlueprint *blueprint, MbsReactions *reactions,
                                  MbsNode *nodes) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  MbsNode zero = mbs_graph_constant(blueprint->graph, 0);
  for (int i = 0; i < joints->count; ++i) {
    const MbsRecord *joint = &joints->records[i];
    if (!mbs_reaction_exists(joint)) {
      continue;
    }
    MbsExpression force, torque;
    MBS_TRY(mbs_reaction_of_joint(context, blueprint, joint, &force, &torque));
    MbsNode *own = nodes + NUMBERS * reactions->count;
    for (int k = 0; k < 3; ++k) {
      own[k] = k < force.size ? force.node[k] : zero;
      own[3 + k] = torque.size == 3 ? torque.node[k] : k == 2 ? torque.node[0] : zero;
    }
    reactions->joints[reactions->count++] = joint->name.text;
  }
  return MBS_OK;
}

// the state of the run in the second system, which may know more fixed entities
static MbsStatus follow(MbsContext *context, const MbsSimulation *simulation, MbsSystem *system, MbsState *state) {
  const MbsState *from = &simulation->state;
  MBS_TRY(mbs_state_create(context, system, state));
  state->t = from->t;
  for (int i = 0; i < system->n; ++i) {
    state->q[i] = from->q[i];
    state->v[i] = from->v[i];
    state->a[i] = from->a[i];
  }
  for (int i = 0; i < system->m; ++i) {
    state->total[i] = from->total[i];
  }
  mbs_state_place_fixed(system, state);
  for (int i = 0; i < simulation->system->signals.turn_count; ++i) {
    system->signals.turns[i] = simulation->system->signals.turns[i];
  }
  mbs_signal_bank_evaluate(system, state);
  return MBS_OK;
}

MbsStatus mbs_simulation_reactions(MbsContext *context, const MbsSimulation *simulation, MbsReactions *reactions) {
  MbsArena *arena = simulation->arena;
  MbsBlueprint *blueprint = simulation->system->blueprint;
  int joint_count = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS)->count;
  MbsNode *nodes;
  MbsSystem *system;
  MbsState state;
  MbsTape *tape;
  mbs_scalar *inputs;
  *reactions = (MbsReactions){.count = 0};
  MBS_TAKE(context, arena, reactions->joints, joint_count);
  MBS_TAKE(context, arena, nodes, NUMBERS * joint_count);
  MBS_TRY(make_expressions(context, blueprint, reactions, nodes));
  MBS_TAKE(context, arena, reactions->values, NUMBERS * reactions->count);
  MBS_TRY(mbs_system_create(context, arena, blueprint, 0, NULL, false, NULL, &system));
  mbs_system_follow_parameters(simulation->system, system);
  MBS_TRY(follow(context, simulation, system, &state));
  MBS_TRY(mbs_tape_create(context, arena, blueprint->graph, NUMBERS * reactions->count, nodes, &tape));
  MBS_TAKE(context, arena, inputs, tape->input_count);
  mbs_signal_bank_inputs(system, &state, tape, NULL, inputs);
  mbs_tape_evaluate(tape, inputs, reactions->values);
  return MBS_OK;
}
