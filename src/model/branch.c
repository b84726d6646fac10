// Jumps in expressions become events: the branch that is taken is a number that holds between them.
//
// step(x), sign(x) and floor(x) of what moves, and so all comparisons and if(), are replaced by hidden parameters, the
// branches, wherever something is added up along the run: forces, integrands, guards, what events set, and what
// prescribes a motion. An event
// whose guard is x (of floor, x - b and x - b - 1) switches the branch. So the expression is smooth within every step,
// Newton's iterations and the complex twin included, and the time of the switch is differentiated as that of any event.
// Not a value at the end, kinematics and ground points that move: they are taken as they are, like what is inside
// noevent() (jump.c).
//
// What prescribes a position, Phi(q, t) = 0, is differentiated twice, so that its kinks count as well: there
//     abs(x) = b x,    max(x, y) = if(b, x, y),    b a branch of sign(x) and of step(x - y)
// and piecewise() likewise. At the event velocities become what the constraints then allow, by an impulse through the
// masses (changes_constraints); where Phi itself has jumped, the run stops. For methods above the second order the
// kinks of forces and integrands are replaced likewise, or they would lose their order; but not those of tables of
// lines.
#include "expressions/table.h"
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
                             MbsBranchSpec branch, MbsNode *replacement) {
  bool is_guard, is_fixed;
  *replacement = MBS_NODE_NONE;
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

// what stands for a node that jumps or bends
static MbsStatus replace(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text, MbsNode node,
                         const MbsSubstitution *done, MbsNode *replacement) {
  MbsGraph *graph = blueprint->graph;
  const MbsGraphNode whole = *mbs_graph_node(graph, node);
  bool is_choice = whole.operation == MBS_OP_MINIMUM || whole.operation == MBS_OP_MAXIMUM;
  MbsNode operands[2] = {MBS_NODE_NONE, MBS_NODE_NONE}, b;
  *replacement = MBS_NODE_NONE;
  if (whole.operation == MBS_OP_TABLE) {
    const MbsLookup lookup = mbs_table_lookup(graph, whole.index);
    bool is_slope = lookup.order[0] > 0 || lookup.order[1] > 0;
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, text.place,
                    "%s: in \"%.200s\": %s table \"%s\", of kind linear, which jumps at its points, is not offered "
                    "here: take kind akima, monotone or spline%s",
                    owner, text.text, is_slope ? "the slope of" : "a velocity prescribed by", lookup.table->name,
                    is_slope ? ", or noevent(...)" : "");
  }
  if (!does_branch(whole.operation) && !mbs_operation_bends(whole.operation)) {
    return MBS_OK;
  }
  for (int k = 0; k <= is_choice; ++k) {
    MBS_TRY(mbs_graph_substitute(context, graph, whole.operand[k], done, &operands[k]));
  }
  MbsBranchSpec branch = {.operation = whole.operation == MBS_OP_ABS          ? MBS_OP_SIGN
                                       : mbs_operation_bends(whole.operation) ? MBS_OP_STEP
                                                                              : whole.operation,
                          .argument = is_choice ? mbs_graph_subtract(graph, operands[0], operands[1]) : operands[0]};
  MBS_TRY(find_branch(context, blueprint, owner, text, branch, &b));
  if (b == MBS_NODE_NONE) {
    return MBS_OK;
  }
  *replacement = whole.operation == MBS_OP_ABS       ? mbs_graph_multiply(graph, b, operands[0])
                 : whole.operation == MBS_OP_MAXIMUM ? mbs_graph_select(graph, b, operands[0], operands[1])
                 : whole.operation == MBS_OP_MINIMUM ? mbs_graph_select(graph, b, operands[1], operands[0])
                                                     : b;
  return mbs_graph_status(context, graph);
}

MbsStatus mbs_branches_replace(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                               MbsKinks kinks, MbsExpression *value) {
  int count;
  const MbsNode *found;
  MbsNode *nodes, *from, *to;
  MBS_TRY(mbs_graph_jumps_of(context, blueprint->graph, value->size, value->node, kinks, &count, &found));
  MBS_TAKE(context, blueprint->arena, nodes, count);
  MBS_TAKE(context, blueprint->arena, from, count);
  MBS_TAKE(context, blueprint->arena, to, count);
  for (int i = 0; i < count; ++i) {
    nodes[i] = found[i];
  }
  MbsSubstitution done = {.from = from, .to = to, .spares_noevent = true};
  for (int i = 0; i < count; ++i) {  // ascending: what is inside others comes first
    MbsNode replacement;
    MBS_TRY(replace(context, blueprint, owner, text, nodes[i], &done, &replacement));
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

MbsStatus mbs_branches_of_forces(MbsContext *context, MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->forces.count && blueprint->law_kinks != MBS_KINKS_NONE; ++i) {
    MbsForceSpec *force = &blueprint->forces.items[i];
    MbsText text = {.text = force->name, .place = force->place};
    MbsNode *expressions;
    int count = force->expressions ? force->port_count * blueprint->dimension : 0;
    MBS_TAKE(context, blueprint->arena, expressions, count);
    for (int k = 0; k < count; ++k) {
      MbsExpression value = {.size = 1, .node = {force->expressions[k]}};
      MBS_TRY(mbs_branches_replace(context, blueprint, force->name, text, blueprint->law_kinks, &value));
      expressions[k] = value.node[0];
    }
    force->expressions = count > 0 ? expressions : force->expressions;
  }
  return MBS_OK;
}
