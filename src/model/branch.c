// Jumps in expressions become events: the branch that is taken is a number that holds between them.
//
// step(x), sign(x) and floor(x) of what moves, and so all comparisons and if(), are replaced by hidden parameters, the
// branches, wherever something is added up along the run: forces, integrands, guards and what events set. An event
// whose guard is x (of floor, x - b and x - b - 1) switches the branch. So the expression is smooth within every step,
// Newton's iterations and the complex twin included, and the time of the switch is differentiated as that of any event.
// Not what prescribes a motion, whose jumps nothing can follow, and not a value at the end: they are taken as they are,
// like what is inside noevent() (jump.c).
#include "model/blueprint.h"

static bool does_branch(MbsOperation operation) {
  return operation == MBS_OP_STEP || operation == MBS_OP_SIGN || operation == MBS_OP_FLOOR;
}

static MbsStatus add_branch(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                            MbsBranchSpec branch, MbsNode *replacement) {
  int index = blueprint->parameters.count;
  MBS_APPEND(context, blueprint->arena, &blueprint->parameters, (MbsParameter){.name = "(branch)"});
  MBS_TRY(mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_PARAMETER, .index = index}, replacement));
  blueprint->parameters.items[index].node = *replacement;
  branch.parameter = index;
  branch.name = mbs_arena_print(blueprint->arena, "%s", owner);
  branch.text = text;
  if (!branch.name) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->branches, branch);
  return MBS_OK;
}

// the branch that stands for a node, made if it is new; *replacement stays MBS_NODE_NONE where the node does not move
static MbsStatus find_branch(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                             MbsNode node, const MbsSubstitution *done, MbsNode *replacement) {
  const MbsGraphNode operation = *mbs_graph_node(blueprint->graph, node);
  MbsBranchSpec branch = {.operation = operation.operation};
  bool is_guard, is_fixed;
  *replacement = MBS_NODE_NONE;
  if (!does_branch(operation.operation)) {
    return MBS_OK;
  }
  MBS_TRY(mbs_graph_substitute(context, blueprint->graph, operation.operand[0], done, &branch.argument));
  MBS_TRY(mbs_jump_dependence(context, blueprint, branch.argument, &is_guard, &is_fixed));
  if (!is_guard) {
    return MBS_OK;
  }
  for (int i = 0; i < blueprint->branches.count; ++i) {
    const MbsBranchSpec *known = &blueprint->branches.items[i];
    if (known->operation == branch.operation && known->argument == branch.argument) {
      *replacement = blueprint->parameters.items[known->parameter].node;
      return MBS_OK;
    }
  }
  return add_branch(context, blueprint, owner, text, branch, replacement);
}

MbsStatus mbs_branches_replace(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                               MbsExpression *value) {
  int count;
  const MbsNode *found;
  MbsNode *nodes, *from, *to;
  MBS_TRY(mbs_graph_jumps_of(context, blueprint->graph, value->size, value->node, &count, &found));
  MBS_TAKE(context, blueprint->arena, nodes, count);
  MBS_TAKE(context, blueprint->arena, from, count);
  MBS_TAKE(context, blueprint->arena, to, count);
  for (int i = 0; i < count; ++i) {
    nodes[i] = found[i];
  }
  MbsSubstitution done = {.from = from, .to = to, .spares_noevent = true};
  for (int i = 0; i < count; ++i) {  // ascending: what is inside others comes first
    MbsNode replacement;
    MBS_TRY(find_branch(context, blueprint, owner, text, nodes[i], &done, &replacement));
    if (replacement != MBS_NODE_NONE) {
      from[done.count] = nodes[i];
      to[done.count++] = replacement;
    }
  }
  for (int k = 0; k < value->size && done.count > 0; ++k) {
    MBS_TRY(mbs_graph_substitute(context, blueprint->graph, value->node[k], &done, &value->node[k]));
  }
  return MBS_OK;
}
