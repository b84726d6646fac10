// Signals as inputs of the expression graph.
#include <stdint.h>

#include "model/blueprint.h"

static const double two_pi = 6.283185307179586476925286766559;

// ---- signals by what they are: a table of their numbers, plus 1, at the place of their hash or behind it ----
static bool is_same(const MbsSignal *a, const MbsSignal *b) {
  return a->kind == b->kind && a->index == b->index && a->component == b->component;
}

static int *find_slot(const MbsBlueprint *blueprint, const MbsSignal *signal) {
  uint64_t hash = ((uint64_t)signal->index * 4 + (uint64_t)signal->component) * 16 + (uint64_t)signal->kind;
  hash *= 0x9E3779B97F4A7C15U;  // Fibonacci hashing: 2^64 over the golden ratio
  int mask = blueprint->signal_slot_count - 1;
  for (int slot = (int)(hash >> 40) & mask;; slot = (slot + 1) & mask) {
    int *found = &blueprint->signal_slots[slot];
    if (*found == 0 || is_same(&blueprint->signals.items[*found - 1], signal)) {
      return found;
    }
  }
}

// ---- forms, likewise ----
static int *find_form_slot(const MbsBlueprint *blueprint, const MbsForm *form) {
  uint64_t hash = (uint64_t)form->count;
  for (int i = 0; i < form->count; ++i) {
    const MbsFormTerm *term = &form->terms[i];
    const int parts[] = {term->entity, term->body, term->a, term->b};
    for (int k = 0; k < MBS_COUNT(parts); ++k) {
      hash = (hash ^ (uint64_t)parts[k]) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32;
    }
  }
  int mask = blueprint->form_slot_count - 1;
  for (int slot = (int)(hash >> 20) & mask;; slot = (slot + 1) & mask) {
    int *found = &blueprint->form_slots[slot];
    if (*found == 0 || mbs_form_is_same(form, &blueprint->signal_forms.items[*found - 1])) {
      return found;
    }
  }
}

static void index_forms(MbsBlueprint *blueprint) {
  for (int slot = 0; slot < blueprint->form_slot_count; ++slot) {
    blueprint->form_slots[slot] = 0;
  }
  for (int i = 0; i < blueprint->signal_forms.count && blueprint->form_slot_count > 0; ++i) {
    *find_form_slot(blueprint, &blueprint->signal_forms.items[i]) = 1 + i;
  }
}

static MbsStatus grow_form_slots(MbsContext *context, MbsBlueprint *blueprint) {
  if (2 * (blueprint->signal_forms.count + 1) <= blueprint->form_slot_count) {
    return MBS_OK;
  }
  int count = blueprint->form_slot_count > 0 ? 2 * blueprint->form_slot_count : 64;
  MBS_TAKE(context, blueprint->arena, blueprint->form_slots, count);
  blueprint->form_slot_count = count;
  index_forms(blueprint);
  return MBS_OK;
}

// the number of a form among those of signals, which may be a new one
static MbsStatus number_of_form(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *form, int *index) {
  MBS_TRY(grow_form_slots(context, blueprint));
  int *slot = find_form_slot(blueprint, form);
  *index = *slot > 0 ? *slot - 1 : blueprint->signal_forms.count;
  if (*slot == 0) {
    MBS_APPEND(context, blueprint->arena, &blueprint->signal_forms, *form);
    *slot = blueprint->signal_forms.count;
  }
  return MBS_OK;
}

void mbs_signals_index(MbsBlueprint *blueprint) {
  index_forms(blueprint);
  if (blueprint->signal_slot_count == 0) {
    return;  // nothing has been looked for yet: the first table takes all there are
  }
  for (int slot = 0; slot < blueprint->signal_slot_count; ++slot) {
    blueprint->signal_slots[slot] = 0;
  }
  for (int i = 0; i < blueprint->signals.count; ++i) {
    *find_slot(blueprint, &blueprint->signals.items[i]) = 1 + i;
  }
}

// a table at most half full, with all signals there are
static MbsStatus grow_slots(MbsContext *context, MbsBlueprint *blueprint) {
  if (2 * (blueprint->signals.count + 1) <= blueprint->signal_slot_count) {
    return MBS_OK;
  }
  int count = blueprint->signal_slot_count > 0 ? blueprint->signal_slot_count : 64;
  while (2 * (blueprint->signals.count + 1) > count) {
    count *= 2;
  }
  MBS_TAKE(context, blueprint->arena, blueprint->signal_slots, count);
  blueprint->signal_slot_count = count;
  mbs_signals_index(blueprint);
  return MBS_OK;
}

MbsStatus mbs_signal_add(MbsContext *context, MbsBlueprint *blueprint, MbsSignal signal, MbsNode *node) {
  MBS_TRY(grow_slots(context, blueprint));
  int *slot = find_slot(blueprint, &signal);
  if (*slot > 0) {
    *node = mbs_graph_input(blueprint->graph, *slot - 1);
    return MBS_OK;
  }
  *node = mbs_graph_input(blueprint->graph, blueprint->signals.count);
  *slot = 1 + blueprint->signals.count;
  if (signal.kind == MBS_SIGNAL_TIME) {
    blueprint->time_input = blueprint->signals.count;
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->signals, signal);
  return MBS_OK;
}

MbsStatus mbs_signal_time(MbsContext *context, MbsBlueprint *blueprint, MbsNode *node) {
  MBS_TRY(mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_TIME}, node));
  *node = mbs_graph_add(blueprint->graph, *node, blueprint->parameters.items[blueprint->clock].node);
  return MBS_OK;
}

MbsStatus mbs_signal_argument(MbsContext *context, MbsBlueprint *blueprint, int index, int *input) {
  MbsNode node;
  MBS_TRY(mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_ARGUMENT, .index = index}, &node));
  *input = mbs_graph_node(blueprint->graph, node)->index;
  return MBS_OK;
}

static bool moves(const MbsBlueprint *blueprint, const MbsEntity *entity) {
  for (int k = 0; k < blueprint->dimension && blueprint->time_input >= 0; ++k) {
    if (mbs_graph_depends_on(blueprint->graph, entity->value[k], blueprint->time_input)) {
      return true;
    }
  }
  return false;
}

// A form of the ground alone is an expression of parameters: (a I + b J) e, summed. One of a body that stands on fixed
// entities never changes either, but what acts along it acts on the body: it is part of what its joints carry.
static bool fold_fixed_form(MbsBlueprint *blueprint, const MbsForm *form, MbsSignalKind kind, MbsExpression *value) {
  MbsGraph *graph = blueprint->graph;
  value->size = blueprint->dimension;
  for (int k = 0; k < 3; ++k) {
    value->node[k] = mbs_graph_constant(graph, 0);
  }
  for (int i = 0; i < form->count; ++i) {
    const MbsEntity *entity = &blueprint->entities.items[form->terms[i].entity];
    if (!entity->is_fixed || form->terms[i].body > MBS_GROUND || moves(blueprint, entity)) {
      return false;
    }
    for (int k = 0; k < blueprint->dimension && kind == MBS_SIGNAL_POSITION; ++k) {
      MbsNode part = mbs_graph_multiply(graph, form->terms[i].a, entity->value[k]);
      if (blueprint->dimension == 2) {
        MbsNode turned = k == 0 ? mbs_graph_negate(graph, entity->value[1]) : entity->value[0];
        part = mbs_graph_add(graph, part, mbs_graph_multiply(graph, form->terms[i].b, turned));
      }
      value->node[k] = mbs_graph_add(graph, value->node[k], part);
    }
  }
  return true;
}

MbsStatus mbs_signal_of_form(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *form, MbsSignalKind kind,
                             MbsExpression *value) {
  if (fold_fixed_form(blueprint, form, kind, value)) {
    return MBS_OK;
  }
  int index;
  MBS_TRY(number_of_form(context, blueprint, form, &index));
  bool is_scalar = form->count == 1 && blueprint->entities.items[form->terms[0].entity].kind == MBS_ENTITY_SCALAR;
  value->size = is_scalar ? 1 : blueprint->dimension;
  for (int k = value->size; k < 3; ++k) {
    value->node[k] = mbs_graph_constant(blueprint->graph, 0);
  }
  for (int k = 0; k < value->size; ++k) {
    MbsSignal signal = {.kind = kind, .index = index, .component = k};
    MBS_TRY(mbs_signal_add(context, blueprint, signal, &value->node[k]));
  }
  return MBS_OK;
}

// does a number change in time, or with parameters only?
static MbsStatus find_motion(MbsContext *context, const MbsBlueprint *blueprint, MbsNode node, bool *is_moving) {
  int count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, node, &count, &inputs));
  *is_moving = false;
  for (int i = 0; i < count; ++i) {
    *is_moving |= blueprint->signals.items[inputs[i]].kind != MBS_SIGNAL_PARAMETER;
  }
  return MBS_OK;
}

// What does not move makes no turns: the ground's angle, from which that of a joint with it is measured, is 0.
MbsStatus mbs_signal_turning(MbsContext *context, MbsBlueprint *blueprint, MbsNode y, MbsNode x, MbsNode *angle) {
  MbsGraph *graph = blueprint->graph;
  MbsNode principal = mbs_graph_apply(graph, MBS_OP_ATAN2, y, x);
  int turn = 0;
  bool is_moving;
  MBS_TRY(find_motion(context, blueprint, principal, &is_moving));
  if (!is_moving) {
    *angle = principal;
    return MBS_OK;
  }
  while (turn < blueprint->turns.count && blueprint->turns.items[turn] != principal) {
    ++turn;
  }
  if (turn == blueprint->turns.count) {
    MBS_APPEND(context, blueprint->arena, &blueprint->turns, principal);
  }
  MbsNode count;
  MBS_TRY(mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_TURN, .index = turn}, &count));
  *angle = mbs_graph_add(graph, principal, mbs_graph_multiply(graph, mbs_graph_constant(graph, two_pi), count));
  return MBS_OK;
}

MbsStatus mbs_signal_angle(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *direction, MbsNode *angle) {
  MbsExpression u;
  MBS_TRY(mbs_signal_of_form(context, blueprint, direction, MBS_SIGNAL_POSITION, &u));
  return mbs_signal_turning(context, blueprint, u.node[1], u.node[0], angle);
}

MbsStatus mbs_signal_level(MbsContext *context, const MbsBlueprint *blueprint, MbsNode node, int *level) {
  int count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, node, &count, &inputs));
  *level = 0;
  for (int i = 0; i < count; ++i) {
    int own = 0;
    switch (blueprint->signals.items[inputs[i]].kind) {
      case MBS_SIGNAL_PARAMETER:
      case MBS_SIGNAL_TIME:
      case MBS_SIGNAL_POSITION:
      case MBS_SIGNAL_TABLE:
      case MBS_SIGNAL_TURN: break;
      case MBS_SIGNAL_VELOCITY: own = 1; break;
      case MBS_SIGNAL_ACCELERATION: own = 2; break;
      case MBS_SIGNAL_MULTIPLIER:
      case MBS_SIGNAL_BODY_FORCE:
      case MBS_SIGNAL_OBJECTIVE:
      case MBS_SIGNAL_ARGUMENT: own = 3; break;
    }
    *level = own > *level ? own : *level;
  }
  return MBS_OK;
}

// D(node) = sum over its inputs of d node/d input times the input's own rate
MbsStatus mbs_signal_rate(MbsContext *context, MbsBlueprint *blueprint, MbsNode node, MbsNode *rate) {
  MbsGraph *g = blueprint->graph;
  int count;
  const int *inputs;
  *rate = mbs_graph_constant(g, 0);
  MBS_TRY(mbs_graph_inputs_of(context, g, node, &count, &inputs));
  for (int i = 0; i < count; ++i) {
    MbsSignal signal = blueprint->signals.items[inputs[i]];
    MbsNode slope = mbs_graph_derivative(g, node, inputs[i]);
    if (signal.kind == MBS_SIGNAL_TIME) {
      *rate = mbs_graph_add(g, *rate, slope);
    } else if (signal.kind == MBS_SIGNAL_POSITION || signal.kind == MBS_SIGNAL_VELOCITY) {
      MbsSignalKind next = signal.kind == MBS_SIGNAL_POSITION ? MBS_SIGNAL_VELOCITY : MBS_SIGNAL_ACCELERATION;
      MbsForm form = blueprint->signal_forms.items[signal.index];
      MbsExpression changed;
      MBS_TRY(mbs_signal_of_form(context, blueprint, &form, next, &changed));
      *rate = mbs_graph_add(g, *rate, mbs_graph_multiply(g, slope, changed.node[signal.component]));
    }
  }
  return MBS_OK;
}
