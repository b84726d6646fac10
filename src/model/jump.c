// Where expressions jump: the guards that a run watches (simulation/guards.h).
//
// step(x), which comparisons are made of, and sign(x) jump where x passes zero, floor(x) where it passes a whole
// number, atan2(y, x) by a whole turn where y passes zero beside a negative x (the angles of signals count their turns,
// so that theirs do not). abs, min, max and piecewise have kinks, whose derivatives jump. What a derivative misses is
// the part that comes from moving a jump, of anything that is added up along the run: of forces, of the integrands of
// objectives, and of what prescribes a motion, whose rates are added up too: there kinks count as well. A value at the
// end of a run is not added up; an expression of parameters alone does not move.
//
// A kink that moves takes nothing from derivatives, unless it is exactly where a step ends: |x| at x = 0, max(a, b) at
// a = b, piecewise(x, ...) at a breakpoint. So these arguments are guards too. step5(x) has kinks in its second
// derivative, at 0 and 1, where its rates are written with minimum and maximum. A table of lines that no branch holds
// has kinks at its points, its slope jumps there: the guard is the number of the piece (table_pieces.c).
#include "expressions/table.h"
#include "model/blueprint.h"

typedef MBS_LIST(MbsGuardSpec) GuardList;

// value alone, or with the rates of what prescribes a motion
static int levels_of(unsigned use) {
  bool is_prescribed = !(use & (MBS_USE_VELOCITY | MBS_USE_ACCELERATION | MBS_USE_MULTIPLIERS));
  return use & MBS_USE_OBJECTIVES ? 0 : is_prescribed ? 3 : 1;
}

static bool is_turning(const MbsBlueprint *blueprint, MbsNode node) {
  for (int i = 0; i < blueprint->turns.count; ++i) {
    if (blueprint->turns.items[i] == node) {
      return true;
    }
  }
  return false;
}

static bool is_of_lines(const MbsBlueprint *blueprint, const MbsGraphNode *node) {
  const MbsTable *table =
      node->operation == MBS_OP_TABLE ? mbs_table_lookup(blueprint->graph, node->index).table : NULL;
  return table && table->form == MBS_TABLE_LINEAR && !table->is_counter;
}

// a node that jumps or has a kink
static bool is_special(const MbsBlueprint *blueprint, MbsNode node) {
  const MbsGraphNode *n = mbs_graph_node(blueprint->graph, node);
  MbsOperation operation = n->operation;
  return is_of_lines(blueprint, n) || mbs_operation_bends(operation) ||
         (mbs_operation_jumps(operation) && !(operation == MBS_OP_ATAN2 && is_turning(blueprint, node)));
}

MbsStatus mbs_jump_dependence(MbsContext *context, const MbsBlueprint *blueprint, MbsNode node, bool *is_guard,
                              bool *is_fixed) {
  int count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, node, &count, &inputs));
  *is_guard = false;
  *is_fixed = true;
  for (int i = 0; i < count; ++i) {
    MbsSignalKind kind = blueprint->signals.items[inputs[i]].kind;
    *is_guard = *is_guard || kind != MBS_SIGNAL_PARAMETER;
    *is_fixed = *is_fixed && (kind == MBS_SIGNAL_TIME || inputs[i] == blueprint->clock);
  }
  return MBS_OK;
}

static MbsStatus keep_guard(MbsContext *context, MbsBlueprint *blueprint, MbsGuardSpec guard, GuardList *guards) {
  bool is_guard;
  MBS_TRY(mbs_jump_dependence(context, blueprint, guard.argument, &is_guard, &guard.is_fixed));
  if (is_guard && (mbs_operation_jumps(guard.operation) || !guard.is_fixed)) {
    MBS_APPEND(context, blueprint->arena, guards, guard);
  }
  return MBS_OK;
}

// along each of its axes
static MbsStatus add_table_guards(MbsContext *context, MbsBlueprint *blueprint, const MbsGraphNode *node,
                                  GuardList *guards) {
  const MbsLookup lookup = mbs_table_lookup(blueprint->graph, node->index);
  for (int k = 0; k < lookup.table->axis_count; ++k) {
    MbsGuardSpec guard = {.operation = lookup.order[k] > 0 ? MBS_OP_FLOOR : MBS_OP_TABLE};
    MBS_TRY(mbs_table_number(context, blueprint, mbs_graph_table_of(node), k, node->operand[k], &guard.argument));
    MBS_TRY(guard.argument == MBS_NODE_NONE ? MBS_OK : keep_guard(context, blueprint, guard, guards));
  }
  return MBS_OK;
}

static MbsStatus add_guard(MbsContext *context, MbsBlueprint *blueprint, MbsNode special, GuardList *guards) {
  const MbsGraphNode node = *mbs_graph_node(blueprint->graph, special);
  bool is_difference = node.operation == MBS_OP_MINIMUM || node.operation == MBS_OP_MAXIMUM;
  if (node.operation == MBS_OP_TABLE) {
    return add_table_guards(context, blueprint, &node, guards);
  }
  MbsGuardSpec guard = {.argument = node.operand[0], .operation = node.operation};
  if (is_difference) {
    guard.argument = mbs_graph_subtract(blueprint->graph, node.operand[0], node.operand[1]);
    MBS_TRY(mbs_graph_status(context, blueprint->graph));
  }
  return keep_guard(context, blueprint, guard, guards);
}

static MbsStatus find_guards(MbsContext *context, MbsBlueprint *blueprint, MbsJumpSpec *jump) {
  GuardList guards = {0, 0, NULL};
  MBS_LIST(MbsNode) special = {0, 0, NULL};
  int count;
  const MbsNode *nodes;
  MBS_TRY(mbs_graph_nodes_of(context, blueprint->graph, jump->value_count, jump->values, &count, &nodes));
  for (int i = 0; i < count; ++i) {
    if (is_special(blueprint, nodes[i])) {
      MBS_APPEND(context, blueprint->arena, &special, nodes[i]);
    }
  }
  for (int i = 0; i < special.count; ++i) {
    MBS_TRY(add_guard(context, blueprint, special.items[i], &guards));
  }
  jump->guard_count = guards.count;
  jump->guards = guards.items;
  return MBS_OK;
}

// Rates are wanted only where there is a jump or a kink at all: making them makes new signals.
static MbsStatus is_smooth(MbsContext *context, const MbsBlueprint *blueprint, const MbsExpression *value,
                           bool *result) {
  int count;
  const MbsNode *nodes;
  MBS_TRY(mbs_graph_nodes_of(context, blueprint->graph, value->size, value->node, &count, &nodes));
  *result = true;
  for (int i = 0; i < count && *result; ++i) {
    MbsOperation operation = mbs_graph_node(blueprint->graph, nodes[i])->operation;
    *result = operation != MBS_OP_STEP5 && !is_special(blueprint, nodes[i]);
  }
  return MBS_OK;
}

MbsStatus mbs_jumps_find(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text, unsigned use,
                         const MbsExpression *value) {
  int levels = levels_of(use);
  bool is_left_out = levels == 0;
  if (!is_left_out) {
    MBS_TRY(is_smooth(context, blueprint, value, &is_left_out));
  }
  if (is_left_out) {
    return MBS_OK;
  }
  MbsJumpSpec jump = {.owner = owner, .text = text, .value_count = levels * value->size};
  MBS_TAKE(context, blueprint->arena, jump.values, jump.value_count);
  for (int i = 0; i < jump.value_count; ++i) {
    if (i < value->size) {
      jump.values[i] = value->node[i];
    } else {
      MBS_TRY(mbs_signal_rate(context, blueprint, jump.values[i - value->size], &jump.values[i]));
    }
  }
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  MBS_TRY(find_guards(context, blueprint, &jump));
  if (jump.guard_count > 0) {
    MBS_APPEND(context, blueprint->arena, &blueprint->jumps, jump);
  }
  return MBS_OK;
}
