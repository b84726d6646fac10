// Parameters: numbers with names, and expressions of other parameters, written in any order. The components of
// hardpoints are among them: P.x, P.y, P.z (io/reader.c lists them), and the name P alone is the vector.
//
// An expression that needs a parameter which is not read yet is left, and read again once that one is: the ones that
// wait make a stack, so that chains may be as long as they like. Names are found by their hash, so that reading is
// linear in what is written.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "expressions/scanner.h"
#include "model/blueprint.h"

typedef enum ParameterState { UNREAD, READING, READ } ParameterState;

typedef struct ParameterScope {
  MbsBlueprint *blueprint;
  const char *owner;      // of the expression being read
  ParameterState *state;  // NULL: all are read
  int wanted;             // what the expression waits for; -1: nothing
} ParameterScope;

// ---- names ----
int mbs_parameters_find(const MbsBlueprint *blueprint, const char *name) {
  return mbs_name_table_find(&blueprint->parameter_names, name);
}

int mbs_hardpoint_find(const MbsBlueprint *blueprint, const char *name, int component) {
  char parameter[MBS_EXPRESSION_NAME_LIMIT + 8];
  int length = snprintf(parameter, sizeof parameter, "%s.%c", name, "xyz"[component]);
  return length < (int)sizeof parameter ? mbs_parameters_find(blueprint, parameter) : -1;
}

static MbsStatus list_names(MbsContext *context, MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->parameters.count; ++i) {
    if (i < blueprint->clock || i >= blueprint->variable_first) {  // the others are hidden
      const char *name = blueprint->parameters.items[i].name;
      MBS_TRY(mbs_name_table_add(context, blueprint->arena, &blueprint->parameter_names, name, i));
    }
  }
  return MBS_OK;
}

// ---- expressions of parameters ----
static MbsStatus resolve(void *user, MbsContext *context, MbsPlace place, const char *name, MbsExpression *value) {
  ParameterScope *scope = user;
  const MbsBlueprint *blueprint = scope->blueprint;
  int found = mbs_parameters_find(blueprint, name);
  if (found >= 0 && scope->state && scope->state[found] == READING) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "parameter \"%s\" depends on itself", name);
  }
  if (found >= 0 && scope->state && scope->state[found] == UNREAD) {
    scope->wanted = found;
    return MBS_ERROR_INPUT;  // no message: the expression is read again
  }
  if (found >= 0) {
    *value = (MbsExpression){.size = 1, .node = {blueprint->parameters.items[found].node}};
    return MBS_OK;
  }
  if (mbs_hardpoint_find(blueprint, name, 0) >= 0) {
    MbsExpression vector = {.size = blueprint->dimension};
    for (int k = 0; k < vector.size; ++k) {
      const MbsParameter *component = &blueprint->parameters.items[mbs_hardpoint_find(blueprint, name, k)];
      MBS_TRY(resolve(user, context, place, component->name, value));
      vector.node[k] = value->node[0];
    }
    *value = vector;
    return MBS_OK;
  }
  if (mbs_user_coordinate_find(blueprint, name) >= 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, place,
                    "%s: coordinate \"%s\" cannot be used here: it moves; only parameters do not", scope->owner, name);
  }
  if (mbs_state_find(blueprint, name) >= 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, place,
                    "%s: state \"%s\" cannot be used here: it moves; only parameters do not", scope->owner, name);
  }
  if (strcmp(name, "t") == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, place,
                    "%s: time cannot be used here: it is no parameter; force laws and objectives may use it",
                    scope->owner);
  }
  if (mbs_unit_find(blueprint->graph, name, value)) {
    return MBS_OK;
  }
  const char *nearest = NULL;
  for (int i = 0; i < blueprint->clock; ++i) {
    mbs_name_nearest(name, blueprint->parameters.items[i].name, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: no parameter \"%s\"%s%s%s", scope->owner, name,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static bool has_no_function(const char *function) {
  (void)function;
  return false;
}

static MbsStatus refuse_call(void *user, MbsContext *context, MbsPlace place, const char *function, int argument_count,
                             const char *const *arguments, MbsExpression *value) {
  const ParameterScope *scope = user;
  const char *nearest = NULL;
  (void)argument_count;
  (void)arguments;
  (void)value;
  mbs_formula_nearest(scope->blueprint, function, &nearest);
  mbs_table_nearest(scope->blueprint, function, &nearest);
  mbs_function_nearest(function, &nearest);
  return mbs_fail(context, MBS_ERROR_INPUT, place,
                  "%s: no function \"%s\"%s%s%s; only parameters can be used here, not what moves", scope->owner,
                  function, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static MbsStatus parse(MbsContext *context, ParameterScope *scope, MbsText text, int size, MbsExpression *value) {
  MbsScope names = {.user = scope,
                    .owner = scope->owner,
                    .resolve = resolve,
                    .call = refuse_call,
                    .has_function = has_no_function,
                    .words = &mbs_blueprint_words,
                    .model = scope->blueprint};
  return mbs_expression_parse_sized(context, scope->blueprint->graph, text, &names, size, value);
}

MbsStatus mbs_parameters_parse(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                               MbsNode *node) {
  ParameterScope scope = {.blueprint = blueprint, .owner = owner, .wanted = -1};
  MbsExpression value;
  MBS_TRY(parse(context, &scope, text, 1, &value));
  *node = value.node[0];
  return MBS_OK;
}

MbsStatus mbs_parameters_parse_vector(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                                      MbsExpression *vector) {
  ParameterScope scope = {.blueprint = blueprint, .owner = owner, .wanted = -1};
  return parse(context, &scope, text, blueprint->dimension, vector);
}

// ---- reading them ----
// a number is an input of the graph, whatever its value; an expression of others stays one
static MbsStatus finish(MbsContext *context, MbsBlueprint *blueprint, int index, MbsNode read) {
  MbsParameter *parameter = &blueprint->parameters.items[index];
  const MbsGraphNode *node = mbs_graph_node(blueprint->graph, read);
  parameter->is_derived = node->operation != MBS_OP_CONSTANT;
  if (parameter->is_derived) {
    parameter->node = read;
    return MBS_OK;
  }
  parameter->nominal = node->value;
  parameter->node = mbs_graph_input(blueprint->graph, index);
  if (!isfinite(parameter->nominal)) {
    return mbs_fail(context, MBS_ERROR_INPUT, parameter->text.place,
                    "parameter \"%s\": \"%s\" is not a finite number (a division by zero or a domain error)",
                    parameter->name, parameter->text.text);
  }
  return MBS_OK;
}

// the last of the stack, or what it waits for onto the stack
static MbsStatus read_last(MbsContext *context, MbsBlueprint *blueprint, ParameterState *state, int *stack,
                           int *depth) {
  int index = stack[*depth - 1];
  const MbsParameter *parameter = &blueprint->parameters.items[index];
  const char *owner = mbs_arena_print(blueprint->arena, "parameter \"%s\"", parameter->name);
  ParameterScope scope = {
      .blueprint = blueprint, .owner = owner ? owner : parameter->name, .state = state, .wanted = -1};
  MbsExpression value;
  state[index] = READING;
  MbsStatus status = parse(context, &scope, parameter->text, 1, &value);
  if (scope.wanted >= 0) {
    stack[(*depth)++] = scope.wanted;
    return MBS_OK;
  }
  MBS_TRY(status);
  state[index] = READ;
  *depth -= 1;
  return finish(context, blueprint, index, value.node[0]);
}

// Parameters that no model names: what is added to the time in every expression, whose derivative is the partial one by
// time; the size of a step, on which no expression depends, but steps do; and the velocities that events set; behind
// the variables of the model, and its inputs, those of objectives.
static MbsStatus add_hidden(MbsContext *context, MbsBlueprint *blueprint) {
  static const char *const names[] = {"(time)", "(step)", "(velocity)"};
  const MbsValue *variables = mbs_record_value(&blueprint->model->root, MBS_MODEL_VARIABLES);
  const MbsValue *inputs = mbs_record_value(&blueprint->model->root, MBS_MODEL_INPUTS);
  int targets = 2 + mbs_events_count_jumps(blueprint->model), own = targets + variables->count;
  int named = own + inputs->count, count = named + mbs_objectives_count_variables(blueprint->model);
  blueprint->clock = blueprint->parameters.count;
  blueprint->target_first = blueprint->clock + 2;
  blueprint->variable_first = blueprint->clock + targets;
  blueprint->variable_count = count - targets;
  blueprint->input_first = variables->count;
  blueprint->input_count = inputs->count;
  for (int i = 0; i < count; ++i) {
    const char *name = i < targets ? names[i < 2 ? i : 2]
                       : i < own   ? variables->records[i - targets].name.text
                       : i < named ? inputs->records[i - own].name.text
                                   : "(objective)";
    int index = blueprint->parameters.count;
    MbsNode node = mbs_graph_input(blueprint->graph, index);
    MBS_APPEND(context, blueprint->arena, &blueprint->signals,
               (MbsSignal){.kind = MBS_SIGNAL_PARAMETER, .index = index});
    MBS_APPEND(context, blueprint->arena, &blueprint->parameters, (MbsParameter){.name = name, .node = node});
  }
  return MBS_OK;
}

// the value at the start of a variable or an input
static MbsStatus read_variable(MbsContext *context, MbsBlueprint *blueprint, const char *word, const MbsRecord *record,
                               int variable) {
  const char *owner = mbs_arena_print(blueprint->arena, "%s \"%s\"", word, record->name.text);
  MbsNode *initial = &blueprint->variable_initial[variable];
  int index = blueprint->variable_first + variable, count;
  const int *inputs;
  owner = owner ? owner : record->name.text;
  for (int k = 0; k < index; ++k) {
    if (strcmp(blueprint->parameters.items[k].name, record->name.text) == 0) {
      return mbs_fail(context, MBS_ERROR_INPUT, record->name.place, "%s has the name of a %s", owner,
                      k < blueprint->clock ? "parameter" : "variable");
    }
  }
  MBS_TRY(mbs_parameters_parse(context, blueprint, owner, record->values[0].texts[0], initial));
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, *initial, &count, &inputs));
  if (count > 0 && inputs[count - 1] >= blueprint->clock) {
    return mbs_fail(context, MBS_ERROR_INPUT, record->values[0].texts[0].place,
                    "%s: its value at the start may depend on parameters, not on variables or inputs", owner);
  }
  double *nominal = &blueprint->parameters.items[index].nominal;
  MBS_TRY(mbs_blueprint_nominal(context, blueprint, 1, initial, nominal));
  return isfinite(*nominal) ? MBS_OK
                            : mbs_fail(context, MBS_ERROR_INPUT, record->values[0].texts[0].place,
                                       "%s: \"%s\" is not a finite number (a division by zero or a domain error)",
                                       owner, record->values[0].texts[0].text);
}

static MbsStatus read_variables(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsRecord *root = &blueprint->model->root;
  const MbsValue *variables = mbs_record_value(root, MBS_MODEL_VARIABLES);
  const MbsValue *inputs = mbs_record_value(root, MBS_MODEL_INPUTS);
  MBS_TAKE(context, blueprint->arena, blueprint->variable_initial, blueprint->variable_count);
  for (int i = 0; i < variables->count; ++i) {
    MBS_TRY(read_variable(context, blueprint, "variable", &variables->records[i], i));
  }
  for (int i = 0; i < inputs->count; ++i) {
    MBS_TRY(read_variable(context, blueprint, "input", &inputs->records[i], blueprint->input_first + i));
  }
  mbs_objectives_begin_variables(blueprint, blueprint->input_first + blueprint->input_count);
  blueprint->nominal.count = 0;  // to be evaluated again, with these
  return MBS_OK;
}

MbsStatus mbs_parameters_read(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *written = mbs_record_value(&blueprint->model->root, MBS_MODEL_PARAMETERS);
  for (int i = 0; i < written->count; ++i) {
    const MbsRecord *record = &written->records[i];
    MBS_APPEND(context, blueprint->arena, &blueprint->signals, (MbsSignal){.kind = MBS_SIGNAL_PARAMETER, .index = i});
    MBS_APPEND(context, blueprint->arena, &blueprint->parameters,
               (MbsParameter){.name = record->name.text, .text = record->values[0].texts[0]});
  }
  MBS_TRY(add_hidden(context, blueprint));
  MBS_TRY(list_names(context, blueprint));
  ParameterState *state;
  int *stack;
  MBS_TAKE(context, blueprint->arena, state, written->count);
  MBS_TAKE(context, blueprint->arena, stack, written->count);
  for (int i = 0; i < written->count; ++i) {
    stack[0] = i;
    for (int depth = state[i] == READ ? 0 : 1; depth > 0;) {
      MBS_TRY(read_last(context, blueprint, state, stack, &depth));
    }
  }
  MBS_TRY(read_variables(context, blueprint));
  MBS_TRY(mbs_switches_read(context, blueprint));
  // derived ones count among the properties: they must be finite, whether they are used or not
  for (int i = 0; i < written->count; ++i) {
    const MbsParameter *parameter = &blueprint->parameters.items[i];
    if (parameter->is_derived) {
      const char *name = mbs_arena_print(blueprint->arena, "parameter \"%s\"", parameter->name);
      MBS_APPEND(
          context, blueprint->arena, &blueprint->properties,
          (MbsProperty){.name = name ? name : parameter->name, .text = parameter->text, .node = parameter->node});
    }
  }
  return MBS_OK;
}
