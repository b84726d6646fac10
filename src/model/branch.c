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
// masses (changes_constraints); where Phi itself has jumped, the run stops. So are the points of tables of lines, whose
// branch is the number of the piece (table_pieces.c); and wherever a slope d(f, x) of such a table is added up.
//
// Methods above the second order would lose it at kinks of forces and integrands, and of higher derivatives too: there
// all kinks are branches, the points of all tables among them, and
//     step5(x) = if(b, if(c, 1, 10x^3 - 15x^4 + 6x^5), 0),    b and c branches of step(x) and step(x - 1)
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
    MbsBranchSpec *known = &blueprint->branches.items[i];
    if (known->operation == branch.operation && known->argument == branch.argument) {
      known->breaks = branch.breaks < known->breaks ? branch.breaks : known->breaks;
      *replacement = blueprint->parameters.items[known->parameter].node;
      return MBS_OK;
    }
  }
  return add_branch(context, blueprint, owner, text, branch, replacement);
}

// a table as the polynomial of the pieces that its arguments are in
static MbsStatus hold_table(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                            const MbsGraphNode *whole, const MbsSubstitution *done, MbsNode *replacement) {
  MbsGraph *graph = blueprint->graph;
  const MbsLookup lookup = mbs_table_lookup(graph, whole->index);
  int index = mbs_graph_table_of(whole);
  MbsNode at[2] = {MBS_NODE_NONE, MBS_NODE_NONE}, piece[2] = {MBS_NODE_NONE, MBS_NODE_NONE};
  for (int k = 0; k < lookup.table->axis_count; ++k) {
    int order = lookup.order[0] + lookup.order[1], smooth = lookup.table->form == MBS_TABLE_LINEAR ? 0 : 1;
    MbsBreak breaks = order > smooth ? MBS_BREAK_JUMPS : order == smooth ? MBS_BREAK_BENDS : MBS_BREAK_CURVES;
    MbsBranchSpec branch = {.operation = MBS_OP_FLOOR, .breaks = breaks};
    MBS_TRY(mbs_graph_substitute(context, graph, whole->operand[k], done, &at[k]));
    MBS_TRY(mbs_table_number(context, blueprint, index, k, at[k], &branch.argument));
    if (branch.argument != MBS_NODE_NONE) {
      MBS_TRY(find_branch(context, blueprint, owner, text, branch, &piece[k]));
    }
  }
  if (piece[0] != MBS_NODE_NONE || piece[1] != MBS_NODE_NONE) {
    *replacement = mbs_table_hold(blueprint, index, lookup.order, at, piece);
  }
  return mbs_graph_status(context, graph);
}

// 0 below 0, x^3 (10 - 15 x + 6 x^2), 1 above 1
static MbsStatus hold_step5(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                            const MbsGraphNode *whole, const MbsSubstitution *done, MbsNode *replacement) {
  MbsGraph *graph = blueprint->graph;
  MbsNode x, has_begun, is_over, one = mbs_graph_constant(graph, 1);
  MBS_TRY(mbs_graph_substitute(context, graph, whole->operand[0], done, &x));
  MbsBranchSpec begin = {.operation = MBS_OP_STEP, .argument = x, .breaks = MBS_BREAK_CURVES};
  MbsBranchSpec end = begin;
  end.argument = mbs_graph_subtract(graph, x, one);
  MBS_TRY(find_branch(context, blueprint, owner, text, begin, &has_begun));
  MBS_TRY(find_branch(context, blueprint, owner, text, end, &is_over));
  if (has_begun == MBS_NODE_NONE || is_over == MBS_NODE_NONE) {
    return MBS_OK;
  }
  MbsNode inner = mbs_graph_multiply(graph, mbs_graph_constant(graph, 6), x);
  inner = mbs_graph_multiply(graph, x, mbs_graph_subtract(graph, inner, mbs_graph_constant(graph, 15)));
  inner = mbs_graph_add(graph, inner, mbs_graph_constant(graph, 10));
  MbsNode between = mbs_graph_multiply(graph, mbs_graph_power_integer(graph, x, 3), inner);
  *replacement =
      mbs_graph_select(graph, has_begun, mbs_graph_select(graph, is_over, one, between), mbs_graph_constant(graph, 0));
  return mbs_graph_status(context, graph);
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
    return hold_table(context, blueprint, owner, text, &whole, done, replacement);
  }
  if (whole.operation == MBS_OP_STEP5) {
    return hold_step5(context, blueprint, owner, text, &whole, done, replacement);
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
                          .breaks = mbs_operation_bends(whole.operation) ? MBS_BREAK_BENDS : MBS_BREAK_JUMPS,
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
