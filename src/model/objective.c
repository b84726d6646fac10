// Objectives as they are written, and what the engine knows: integrals, values at the start and at the end, and
// expressions of other objectives. All others are made of these.
//
//   rms        sqrt(I/T)              I = integral of x^2, T = t at the end
//   pnorm      (I/T)^(1/p)            I = integral of (x^2)^(p/2)
//   violation  integral of max(0, x - above)^2 + max(0, below - x)^2
// The rest looks at the run on its way, by a variable w that an event sets (event.c). It has the derivatives of a
// variable: of the state at the event, and of its time.
//   at         time T: w = x where t - T passes zero. An event: a second variable n counts it, and w = x at the number
//              wanted; after it: by an event that follows from it, where n passes that number
//   event_time the same with x = t
//   settling   w = t where band^2 - (x - target)^2 rises through zero; at the end w, or t if x is outside there
// And extrema, which are looked for between steps (simulation/peaks.h).
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"

enum {
  ANYTHING = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_ACCELERATION | MBS_USE_TIME | MBS_USE_MULTIPLIERS,
  MOTION = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME
};

static const MbsValue *written_objectives(const MbsModel *model) {
  return mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES);
}

static bool is_given(const MbsRecord *record, int field) { return mbs_record_value(record, field)->is_given; }

static bool is_extremum(const MbsRecord *record) {
  return is_given(record, MBS_OBJECTIVE_MAXIMUM) || is_given(record, MBS_OBJECTIVE_MINIMUM);
}

// those that have two parts: an integral and the time
static bool has_parts(const MbsRecord *record) {
  return is_given(record, MBS_OBJECTIVE_RMS) || is_given(record, MBS_OBJECTIVE_PNORM);
}

// ---- variables ----
static int count_variables(const MbsRecord *record) {
  bool is_of_event = is_given(record, MBS_OBJECTIVE_EVENT) || is_given(record, MBS_OBJECTIVE_EVENT_TIME);
  bool is_watched = is_given(record, MBS_OBJECTIVE_AT) || is_given(record, MBS_OBJECTIVE_SETTLING);
  return is_of_event ? 2 : is_watched;
}

int mbs_objectives_count_variables(const MbsModel *model) {
  const MbsValue *written = written_objectives(model);
  int count = 0;
  for (int i = 0; i < written->count; ++i) {
    count += count_variables(&written->records[i]);
  }
  return count;
}

void mbs_objectives_begin_variables(MbsBlueprint *blueprint, int first) {
  for (int i = first; i < blueprint->variable_count; ++i) {
    blueprint->variable_initial[i] = mbs_graph_constant(blueprint->graph, 0);
  }
}

static MbsNode variable_node(const MbsBlueprint *blueprint, int variable) {
  return blueprint->parameters.items[blueprint->variable_first + variable].node;
}

// ---- the list ----
static MbsObjectiveKind kind_of(const MbsRecord *record) {
  return is_given(record, MBS_OBJECTIVE_INTEGRAL) || is_given(record, MBS_OBJECTIVE_VIOLATION)
             ? MBS_OBJECTIVE_IS_INTEGRAL
         : is_extremum(record)                                        ? MBS_OBJECTIVE_IS_EXTREMUM
         : is_given(record, MBS_OBJECTIVE_EQUILIBRIUM)                ? MBS_OBJECTIVE_IS_EQUILIBRIUM
         : is_given(record, MBS_OBJECTIVE_EIGENVALUE)                 ? MBS_OBJECTIVE_IS_EIGENVALUE
         : is_given(record, MBS_OBJECTIVE_VALUE) || has_parts(record) ? MBS_OBJECTIVE_IS_VALUE
                                                                      : MBS_OBJECTIVE_IS_FINAL;
}

MbsStatus mbs_blueprint_list_objectives(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *written = written_objectives(blueprint->model);
  int part = written->count, variable = blueprint->input_first + blueprint->input_count;
  for (int i = 0; i < written->count; ++i) {
    const MbsRecord *record = &written->records[i];
    MBS_APPEND(context, blueprint->arena, &blueprint->objectives,
               (MbsObjectiveSpec){.name = record->name.text,
                                  .place = record->name.place,
                                  .kind = kind_of(record),
                                  .expression = MBS_NODE_NONE,
                                  .sign = is_given(record, MBS_OBJECTIVE_MAXIMUM) ? 1 : -1,
                                  .part = part,
                                  .watch = {.variable = variable, .guard = MBS_NODE_NONE}});
    part += has_parts(record) ? 2 : 0;
    variable += count_variables(record);
  }
  for (int i = 0; i < written->count; ++i) {
    const MbsRecord *record = &written->records[i];
    for (int k = 0; k < 2 && has_parts(record); ++k) {
      MBS_APPEND(context, blueprint->arena, &blueprint->objectives,
                 (MbsObjectiveSpec){.name = record->name.text,
                                    .place = record->name.place,
                                    .kind = k == 0 ? MBS_OBJECTIVE_IS_INTEGRAL : MBS_OBJECTIVE_IS_FINAL,
                                    .expression = MBS_NODE_NONE});
    }
  }
  return MBS_OK;
}

// ---- one of them ----
typedef struct Reading {
  MbsContext *context;
  MbsBlueprint *blueprint;
  MbsObjectiveSpec *objective;
  const MbsRecord *record;
  const char *owner;
} Reading;

static MbsStatus parse(const Reading *reading, int field, unsigned use, MbsNode *node) {
  MbsExpression value;
  MBS_TRY(mbs_signal_parse(reading->context, reading->blueprint, reading->owner,
                           mbs_record_text(reading->record, field), 1, use, 0, NULL, &value));
  *node = value.node[0];
  return MBS_OK;
}

static MbsStatus read_number(const Reading *reading, int field, MbsNode *node) {
  const MbsField *fields = mbs_model_type.fields[MBS_MODEL_OBJECTIVES].record->fields;
  return mbs_blueprint_number(reading->context, reading->blueprint, reading->owner, &fields[field],
                              mbs_record_text(reading->record, field), node);
}

// part k as an input of the expression that it is part of
static MbsStatus use_part(const Reading *reading, int k, MbsNode expression, MbsNode *node) {
  int index = reading->objective->part + k;
  reading->blueprint->objectives.items[index].expression = expression;
  return mbs_signal_add(reading->context, reading->blueprint, (MbsSignal){.kind = MBS_SIGNAL_OBJECTIVE, .index = index},
                        node);
}

static MbsStatus read_mean(const Reading *reading, MbsNode *result) {
  MbsGraph *graph = reading->blueprint->graph;
  bool is_rms = is_given(reading->record, MBS_OBJECTIVE_RMS);
  MbsNode x, t, p = mbs_graph_constant(graph, 2), integral, time;
  MBS_TRY(parse(reading, is_rms ? MBS_OBJECTIVE_RMS : MBS_OBJECTIVE_PNORM, ANYTHING, &x));
  if (!is_rms) {
    MBS_TRY(read_number(reading, MBS_OBJECTIVE_P, &p));
  }
  MbsNode half = mbs_graph_divide(graph, p, mbs_graph_constant(graph, 2));
  MBS_TRY(mbs_signal_time(reading->context, reading->blueprint, &t));
  MBS_TRY(use_part(reading, 0, mbs_graph_power(graph, mbs_graph_power_integer(graph, x, 2), half), &integral));
  MBS_TRY(use_part(reading, 1, t, &time));
  *result = mbs_graph_power(graph, mbs_graph_divide(graph, integral, time),
                            mbs_graph_divide(graph, mbs_graph_constant(graph, 1), p));
  return MBS_OK;
}

// max(0, a - b)^2
static MbsNode excess(MbsGraph *graph, MbsNode a, MbsNode b) {
  MbsNode beyond =
      mbs_graph_apply(graph, MBS_OP_MAXIMUM, mbs_graph_constant(graph, 0), mbs_graph_subtract(graph, a, b));
  return mbs_graph_power_integer(graph, beyond, 2);
}

static MbsStatus read_violation(const Reading *reading, MbsNode *result) {
  MbsGraph *graph = reading->blueprint->graph;
  MbsNode x, limit;
  MBS_TRY(parse(reading, MBS_OBJECTIVE_VIOLATION, ANYTHING, &x));
  *result = mbs_graph_constant(graph, 0);
  if (is_given(reading->record, MBS_OBJECTIVE_ABOVE)) {
    MBS_TRY(parse(reading, MBS_OBJECTIVE_ABOVE, ANYTHING, &limit));
    *result = excess(graph, x, limit);
  }
  if (is_given(reading->record, MBS_OBJECTIVE_BELOW)) {
    MBS_TRY(parse(reading, MBS_OBJECTIVE_BELOW, ANYTHING, &limit));
    *result = mbs_graph_add(graph, *result, excess(graph, limit, x));
  }
  return MBS_OK;
}

static MbsStatus read_settling(const Reading *reading, MbsNode *result) {
  MbsBlueprint *blueprint = reading->blueprint;
  MbsGraph *graph = blueprint->graph;
  MbsWatchSpec *watch = &reading->objective->watch;
  MbsNode w = variable_node(blueprint, watch->variable), x, target, band, t;
  MBS_TRY(parse(reading, MBS_OBJECTIVE_SETTLING, MOTION, &x));
  MBS_TRY(read_number(reading, MBS_OBJECTIVE_TARGET, &target));
  MBS_TRY(read_number(reading, MBS_OBJECTIVE_BAND, &band));
  MBS_TRY(mbs_signal_time(reading->context, blueprint, &t));
  MbsNode off = mbs_graph_power_integer(graph, mbs_graph_subtract(graph, x, target), 2);
  MbsNode inside = mbs_graph_subtract(graph, mbs_graph_power_integer(graph, band, 2), off);
  watch->is_there = true;
  watch->guard = inside;
  watch->direction = 1;
  watch->text = mbs_record_text(reading->record, MBS_OBJECTIVE_SETTLING);
  watch->value = t;
  *result = mbs_graph_select(graph, mbs_graph_apply(graph, MBS_OP_STEP, inside, MBS_NODE_NONE), w, t);
  return MBS_OK;
}

// a value at a time or an event, or the time of an event
static MbsStatus read_moment(const Reading *reading, MbsNode *result) {
  MbsBlueprint *blueprint = reading->blueprint;
  MbsGraph *graph = blueprint->graph;
  MbsWatchSpec *watch = &reading->objective->watch;
  bool is_time = is_given(reading->record, MBS_OBJECTIVE_EVENT_TIME);
  MbsNode t, T;
  MBS_TRY(mbs_signal_time(reading->context, blueprint, &t));
  watch->value = t;
  if (!is_time) {
    bool keeps_jumps = blueprint->keeps_jumps;
    blueprint->keeps_jumps = true;  // what it does on the way does not count
    MbsStatus status = parse(reading, MBS_OBJECTIVE_AT, ANYTHING | MBS_USE_BALANCED, &watch->value);
    blueprint->keeps_jumps = keeps_jumps;
    MBS_TRY(status);
  }
  watch->is_there = true;
  watch->needed = 1;
  *result = variable_node(blueprint, watch->variable);
  if (is_given(reading->record, MBS_OBJECTIVE_TIME)) {
    MBS_TRY(read_number(reading, MBS_OBJECTIVE_TIME, &T));
    watch->guard = mbs_graph_subtract(graph, t, T);
    watch->direction = 1;
    watch->text = mbs_record_text(reading->record, MBS_OBJECTIVE_AT);
    return MBS_OK;
  }
  MbsText number = mbs_record_text(reading->record, MBS_OBJECTIVE_NUMBER);
  watch->text = mbs_record_text(reading->record, is_time ? MBS_OBJECTIVE_EVENT_TIME : MBS_OBJECTIVE_EVENT);
  watch->is_after = strcmp(mbs_record_text(reading->record, MBS_OBJECTIVE_SIDE).text, "after") == 0;
  watch->number = (int)strtol(number.text, NULL, 10);
  return watch->number > 0
             ? MBS_OK
             : mbs_fail(reading->context, MBS_ERROR_INPUT, number.place,
                        "%s: number: the first event has the number 1, got %s", reading->owner, number.text);
}

static MbsStatus read_expression(const Reading *reading, MbsNode *result) {
  MbsBlueprint *blueprint = reading->blueprint;
  const MbsRecord *record = reading->record;
  if (is_given(record, MBS_OBJECTIVE_INTEGRAL)) {
    blueprint->kinks = blueprint->law_kinks;
    MbsStatus status = parse(reading, MBS_OBJECTIVE_INTEGRAL, ANYTHING, result);
    blueprint->kinks = MBS_KINKS_NONE;
    return status;
  }
  if (is_given(record, MBS_OBJECTIVE_EIGENVALUE)) {
    *result = mbs_graph_constant(blueprint->graph, 0);  // which nobody looks at
    return MBS_OK;
  }
  if (is_given(record, MBS_OBJECTIVE_VALUE)) {
    return parse(reading, MBS_OBJECTIVE_VALUE, MBS_USE_OBJECTIVES, result);
  }
  if (is_given(record, MBS_OBJECTIVE_FINAL) || is_given(record, MBS_OBJECTIVE_EQUILIBRIUM)) {
    int field = is_given(record, MBS_OBJECTIVE_FINAL) ? MBS_OBJECTIVE_FINAL : MBS_OBJECTIVE_EQUILIBRIUM;
    int jump_count = blueprint->jumps.count;
    bool keeps_jumps = blueprint->keeps_jumps;
    blueprint->keeps_jumps = true;  // what it does on the way does not count
    MbsStatus status = parse(reading, field, ANYTHING, result);
    blueprint->keeps_jumps = keeps_jumps;
    blueprint->jumps.count = status == MBS_OK ? jump_count : blueprint->jumps.count;
    return status;
  }
  if (is_extremum(record)) {
    bool is_maximum = is_given(record, MBS_OBJECTIVE_MAXIMUM);
    return parse(reading, is_maximum ? MBS_OBJECTIVE_MAXIMUM : MBS_OBJECTIVE_MINIMUM, ANYTHING | MBS_USE_BALANCED,
                 result);
  }
  return has_parts(record)                           ? read_mean(reading, result)
         : is_given(record, MBS_OBJECTIVE_VIOLATION) ? read_violation(reading, result)
         : is_given(record, MBS_OBJECTIVE_SETTLING)  ? read_settling(reading, result)
                                                     : read_moment(reading, result);
}

// one expression; *wanted: the objective it waits for, or -1
static MbsStatus read_objective(MbsContext *context, MbsBlueprint *blueprint, int index, int *wanted) {
  MbsObjectiveSpec *objective = &blueprint->objectives.items[index];
  const char *owner = mbs_arena_print(blueprint->arena, "objective \"%s\"", objective->name);
  const Reading reading = {.context = context,
                           .blueprint = blueprint,
                           .objective = objective,
                           .record = &written_objectives(blueprint->model)->records[index],
                           .owner = owner ? owner : objective->name};
  MbsNode expression = MBS_NODE_NONE;
  objective->is_being_read = true;
  blueprint->wanted_objective = -1;
  MbsStatus status = read_expression(&reading, &expression);
  *wanted = blueprint->wanted_objective;
  if (*wanted >= 0) {
    return MBS_OK;
  }
  objective->is_being_read = false;
  MBS_TRY(status);
  objective->expression = expression;
  return mbs_graph_status(context, blueprint->graph);
}

// like parameters: what waits for others makes a stack
MbsStatus mbs_blueprint_read_objective(MbsContext *context, MbsBlueprint *blueprint, int index) {
  int *stack = NULL, waiting = 0, wanted;
  bool is_part = index >= mbs_record_value(&blueprint->model->root, MBS_MODEL_OBJECTIVES)->count;
  if (is_part || blueprint->objectives.items[index].expression != MBS_NODE_NONE) {
    return MBS_OK;
  }
  for (;;) {
    MbsStatus status = read_objective(context, blueprint, index, &wanted);
    if (status != MBS_OK) {  // others may be read all the same
      for (int i = 0; i < waiting; ++i) {
        blueprint->objectives.items[stack[i]].is_being_read = false;
      }
      return status;
    }
    if (wanted < 0 && waiting == 0) {
      return MBS_OK;
    }
    if (!stack) {
      MBS_TAKE(context, blueprint->arena, stack, blueprint->objectives.count);
    }
    if (wanted >= 0) {
      stack[waiting++] = index;
    }
    index = wanted >= 0 ? wanted : stack[--waiting];
  }
}

// ---- what sets their variables ----
static MbsStatus find_event(MbsContext *context, const MbsBlueprint *blueprint, const MbsObjectiveSpec *objective,
                            int *event) {
  const char *nearest = NULL;
  for (int i = 0; i < blueprint->events.count; ++i) {
    if (!blueprint->events.items[i].is_hidden &&
        strcmp(blueprint->events.items[i].name, objective->watch.text.text) == 0) {
      *event = i;
      return MBS_OK;
    }
    if (!blueprint->events.items[i].is_hidden) {
      mbs_name_nearest(objective->watch.text.text, blueprint->events.items[i].name, &nearest);
    }
  }
  return mbs_fail(context, MBS_ERROR_INPUT, objective->watch.text.place, "objective \"%s\": no event \"%s\"%s%s%s",
                  objective->name, objective->watch.text.text, nearest ? "; did you mean \"" : "",
                  nearest ? nearest : "", nearest ? "\"?" : "");
}

static MbsStatus assign(MbsContext *context, MbsBlueprint *blueprint, int index, int variable, MbsNode value) {
  MbsEventSpec *event = &blueprint->events.items[index];
  MbsAssignment *assignments;
  MBS_TAKE(context, blueprint->arena, assignments, event->assignment_count + 1);
  for (int i = 0; i < event->assignment_count; ++i) {
    assignments[i] = event->assignments[i];
  }
  assignments[event->assignment_count++] = (MbsAssignment){.variable = variable, .value = value};
  event->assignments = assignments;
  return MBS_OK;
}

static MbsStatus add_event(MbsContext *context, MbsBlueprint *blueprint, int objective) {
  MbsObjectiveSpec *spec = &blueprint->objectives.items[objective];
  MbsEventSpec event = {.name = spec->name,
                        .text = spec->watch.text,
                        .guard = spec->watch.guard,
                        .direction = spec->watch.direction,
                        .is_hidden = true,
                        .objective = objective};
  MBS_TRY(mbs_event_find_rate(context, blueprint, &event));
  spec->watch.event = blueprint->events.count;
  MBS_APPEND(context, blueprint->arena, &blueprint->events, event);
  return assign(context, blueprint, spec->watch.event, spec->watch.variable, spec->watch.value);
}

// by an event of the model: n counts it
static MbsStatus watch_event(MbsContext *context, MbsBlueprint *blueprint, int objective) {
  MbsGraph *graph = blueprint->graph;
  MbsWatchSpec *watch = &blueprint->objectives.items[objective].watch;
  MbsNode w = variable_node(blueprint, watch->variable), n = variable_node(blueprint, watch->variable + 1);
  MbsNode one = mbs_graph_constant(graph, 1), counted = mbs_graph_add(graph, n, one);
  int event = 0;
  MBS_TRY(find_event(context, blueprint, &blueprint->objectives.items[objective], &event));
  MBS_TRY(assign(context, blueprint, event, watch->variable + 1, counted));
  if (watch->is_after) {
    watch->guard = mbs_graph_subtract(graph, n, mbs_graph_constant(graph, watch->number - 0.5));
    watch->direction = 1;
    return add_event(context, blueprint, objective);
  }
  // 1 where n + 1 is the number
  MbsNode from = mbs_graph_subtract(graph, counted, mbs_graph_constant(graph, watch->number - 0.5));
  MbsNode is_number =
      mbs_graph_multiply(graph, mbs_graph_apply(graph, MBS_OP_STEP, from, MBS_NODE_NONE),
                         mbs_graph_apply(graph, MBS_OP_STEP, mbs_graph_subtract(graph, one, from), MBS_NODE_NONE));
  watch->event = event;
  watch->needed = watch->number;
  return assign(context, blueprint, event, watch->variable, mbs_graph_select(graph, is_number, watch->value, w));
}

MbsStatus mbs_objectives_watch(MbsContext *context, MbsBlueprint *blueprint) {
  int before = context->error_count;
  for (int i = 0; i < blueprint->objectives.count; ++i) {
    const MbsWatchSpec *watch = &blueprint->objectives.items[i].watch;
    if (watch->is_there) {
      MBS_TRY(
          mbs_error_keep(context, (watch->guard == MBS_NODE_NONE ? watch_event : add_event)(context, blueprint, i)));
    }
  }
  MBS_TRY(mbs_errors_tell(context, before));
  return mbs_graph_status(context, blueprint->graph);
}
