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
static void follow(const MbsSimulation *simulation, MbsReactions *reactions) {
  MbsSystem *system = reactions->system;
  MbsState *state = &reactions->state;
  const MbsState *from = &simulation->state;
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
  for (int i = 0; i < system->signals.turn_count; ++i) {
    system->signals.turns[i] = simulation->system->signals.turns[i];
  }
  mbs_signal_bank_evaluate(system, state);
}

MbsStatus mbs_reactions_create(MbsContext *context, const MbsSimulation *simulation, MbsReactions *reactions) {
  MbsArena *arena = simulation->arena;
  MbsBlueprint *blueprint = simulation->system->blueprint;
  int joint_count = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS)->count;
  MbsNode *nodes;
  *reactions = (MbsReactions){.count = 0};
  MBS_TAKE(context, arena, reactions->joints, joint_count);
  MBS_TAKE(context, arena, nodes, NUMBERS * joint_count);
  MBS_TRY(make_expressions(context, blueprint, reactions, nodes));
  MBS_TAKE(context, arena, reactions->values, NUMBERS * reactions->count);
  MBS_TRY(mbs_system_create(context, arena, blueprint, 0, NULL, false, NULL, &reactions->system));
  mbs_system_follow_parameters(simulation->system, reactions->system);
  MBS_TRY(mbs_state_create(context, reactions->system, &reactions->state));
  MBS_TRY(mbs_tape_create(context, arena, blueprint->graph, NUMBERS * reactions->count, nodes, &reactions->tape));
  MBS_TAKE(context, arena, reactions->inputs, reactions->tape->input_count);
  return MBS_OK;
}

void mbs_reactions_evaluate(const MbsSimulation *simulation, MbsReactions *reactions) {
  mbs_system_follow_parameters(simulation->system, reactions->system);
  follow(simulation, reactions);
  mbs_signal_bank_inputs(reactions->system, &reactions->state, reactions->tape, NULL, reactions->inputs);
  mbs_tape_evaluate(reactions->tape, reactions->inputs, reactions->values);
}
