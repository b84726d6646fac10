// Events as they are written, and what the engine needs to know of them.
//
// An event happens where its guard g(t, q, v) passes zero. It may set velocities: of functions w(q, t) of the position
// the rates after it are given,
//     w_q v+ + w_t = b(t, q, v-)                                                P1 (80)-(81)
// and an impulse along w_q, through masses and constraints, brings them there:
//     M (v+ - v-) + Phi_q' L + w_q' P = 0,    Phi_q v+ + Phi_t = 0                P1 (82)
// Where as many rates are given as there are degrees of freedom that determines v+ whatever M is; where there are
// fewer, the rest moves as an impulse of that direction moves it. An impact is the case w = g, b = -e g': Newton's
// restitution, with the impulse along the normal of the gap g. With friction it is the case w = (g, s), where s' is the
// velocity of slip: then P is the normal and the friction impulse, and b follows from the masses that these meet, by
// the law of the impact (simulation/impact_law.h) with its coefficients e and mu.
//
// The equations in v+ are those of velocity constraints w' - b = 0 with a number b, so that is what they become: rows
// of a system of its own (simulation/impulse.h) that has a hidden parameter for each b.
#include "model/event.h"

#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"

// What a guard may depend on, and what events may set. Of accelerations and multipliers no rate is known.
enum {
  SEEN =
      MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_ACCELERATION | MBS_USE_TIME | MBS_USE_MULTIPLIERS | MBS_USE_BALANCED
};

static const MbsField *event_fields(void) { return mbs_model_type.fields[MBS_MODEL_EVENTS].record->fields; }

static int count_jumps(const MbsModel *model, const MbsRecord *event) {
  const MbsValue *set = mbs_record_value(event, MBS_EVENT_SET);
  int states = 0;
  for (int i = 0; i < set->count; ++i) {
    states += mbs_model_has_state(model, set->records[i].name.text);
  }
  return states + mbs_record_value(event, MBS_EVENT_VELOCITIES)->count +
         (mbs_record_text(event, MBS_EVENT_RESTITUTION).text != NULL) +
         mbs_record_value(event, MBS_EVENT_FRICTION)->count;
}

int mbs_events_count_jumps(const MbsModel *model) {
  const MbsValue *written = mbs_record_value(&model->root, MBS_MODEL_EVENTS);
  int count = 0;
  for (int i = 0; i < written->count; ++i) {
    count += count_jumps(model, &written->records[i]);
  }
  return count;
}

// a function of the position must move with it: linear in velocities, and depend on one
static MbsStatus check_rate(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText text,
                            MbsNode rate) {
  bool *is_velocity;
  int degree;
  MBS_TAKE(context, blueprint->arena, is_velocity, blueprint->signals.count);
  for (int i = 0; i < blueprint->signals.count; ++i) {
    is_velocity[i] = blueprint->signals.items[i].kind == MBS_SIGNAL_VELOCITY;
  }
  MBS_TRY(mbs_graph_degree(context, blueprint->graph, rate, is_velocity, &degree));
  return degree == 1 ? MBS_OK
                     : mbs_fail(context, MBS_ERROR_INPUT, text.place,
                                "%s: \"%s\" does not move with the position, so that no impulse can set its rate",
                                owner, text.text);
}

// w and b (or what it follows from), and the row that they make
static MbsStatus add_jump(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText coordinate,
                          MbsNode rate, MbsNode given, MbsEventSpec *event) {
  MBS_TRY(check_rate(context, blueprint, owner, coordinate, rate));
  int parameter = blueprint->target_first + blueprint->target_count++;
  const char *name = mbs_arena_print(blueprint->arena, "event %s: rate of %s", event->name, coordinate.text);
  event->jumps[event->jump_count] = (MbsVelocityJump){.name = coordinate.text, .given = given, .parameter = parameter};
  event->rows[event->jump_count++] = (MbsRowSpec){
      .kind = MBS_ROW_EXPRESSION,
      .name = name ? name : event->name,
      .owner = event->name,
      .place = coordinate.place,
      .body = MBS_NOBODY,
      .c = mbs_graph_constant(blueprint->graph, 0),
      .expression = mbs_graph_subtract(blueprint->graph, rate, blueprint->parameters.items[parameter].node),
      .is_nonholonomic = true};
  return mbs_graph_status(context, blueprint->graph);
}

static MbsStatus read_velocity(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsRecord *record,
                               MbsEventSpec *event) {
  MbsText coordinate = mbs_record_text(record, MBS_JUMP_COORDINATE);
  MbsExpression w, target;
  MbsNode rate;
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, coordinate, 1, MBS_USE_POSITION | MBS_USE_TIME, 0, NULL, &w));
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, MBS_JUMP_VELOCITY), 1,
                           MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME, 0, NULL, &target));
  MBS_TRY(mbs_signal_rate(context, blueprint, w.node[0], &rate));
  return add_jump(context, blueprint, owner, coordinate, rate, target.node[0], event);
}

// of the guard itself
static MbsStatus read_restitution(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                                  MbsEventSpec *event) {
  MbsGraph *graph = blueprint->graph;
  MbsField field = event_fields()[MBS_EVENT_RESTITUTION];
  MbsNode e;
  field.check = event->law == MBS_IMPACT_NEWTON ? field.check : MBS_CHECK_FRACTION;
  MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &field, text, &e));
  int count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, graph, event->guard, &count, &inputs));
  for (int i = 0; i < count; ++i) {
    if (event->rate == MBS_NODE_NONE || blueprint->signals.items[inputs[i]].kind == MBS_SIGNAL_VELOCITY) {
      return mbs_fail(context, MBS_ERROR_INPUT, text.place,
                      "%s: a restitution needs a guard that is a gap, a function of the position alone", owner);
    }
  }
  MbsNode target = mbs_graph_negate(graph, mbs_graph_multiply(graph, e, event->rate));
  return add_jump(context, blueprint, owner, event->text, event->rate, event->has_friction ? e : target, event);
}

static MbsStatus read_friction(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsRecord *record,
                               MbsEventSpec *event) {
  const MbsField *field = &event_fields()[MBS_EVENT_FRICTION].record->fields[MBS_FRICTION_COEFFICIENT];
  MbsText along = mbs_record_text(record, MBS_FRICTION_ALONG);
  MbsExpression s;
  MbsNode mu, rate;
  MBS_TRY(
      mbs_blueprint_number(context, blueprint, owner, field, mbs_record_text(record, MBS_FRICTION_COEFFICIENT), &mu));
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, along, 1, MBS_USE_POSITION | MBS_USE_TIME, 0, NULL, &s));
  if (s.node[0] == event->guard) {
    return mbs_fail(context, MBS_ERROR_INPUT, along.place,
                    "%s: friction along \"%s\", which is the gap itself: it acts along the slip, across the gap", owner,
                    along.text);
  }
  MBS_TRY(mbs_signal_rate(context, blueprint, s.node[0], &rate));
  return add_jump(context, blueprint, owner, along, rate, mu, event);
}

// an impact, if there is a restitution
static MbsStatus read_impact(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsRecord *record,
                             MbsEventSpec *event) {
  MbsText restitution = mbs_record_text(record, MBS_EVENT_RESTITUTION), law = mbs_record_text(record, MBS_EVENT_LAW);
  const MbsValue *friction = mbs_record_value(record, MBS_EVENT_FRICTION);
  event->law = strcmp(law.text, "poisson") == 0     ? MBS_IMPACT_POISSON
               : strcmp(law.text, "energetic") == 0 ? MBS_IMPACT_ENERGETIC
                                                    : MBS_IMPACT_NEWTON;
  event->has_friction = friction->count > 0;
  if (!restitution.text) {
    bool is_law = mbs_record_value(record, MBS_EVENT_LAW)->is_given;
    return is_law || event->has_friction
               ? mbs_fail(context, MBS_ERROR_INPUT, is_law ? law.place : friction->place,
                          "%s: %s is that of an impact and needs a restitution", owner, is_law ? "law" : "friction")
               : MBS_OK;
  }
  if (friction->count > 1) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, friction->place,
                    "%s: friction in %d directions is not offered: where slip can turn during the impact there is no "
                    "closed form; give the one direction of the plane in which the impact happens",
                    owner, friction->count);
  }
  if (event->has_friction && event->law == MBS_IMPACT_NEWTON) {
    return mbs_fail(context, MBS_ERROR_INPUT, friction->place,
                    "%s: with friction Newton's restitution can create energy: write \"law: poisson\" (ratio of "
                    "impulses) or \"law: energetic\" (ratio of work)",
                    owner);
  }
  if (event->has_friction && event->jump_count > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, friction->place,
                    "%s: friction in an impact that also sets velocities is not offered", owner);
  }
  MBS_TRY(read_restitution(context, blueprint, owner, restitution, event));
  return event->has_friction ? read_friction(context, blueprint, owner, &friction->records[0], event) : MBS_OK;
}

// A state is a velocity, that no constraint holds: nothing else changes with it.
static MbsStatus read_state(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsRecord *record,
                            MbsEventSpec *event) {
  MbsNode state;
  MbsExpression value;
  int index = mbs_state_find(blueprint, record->name.text);
  MBS_TRY(mbs_user_coordinate_signal(context, blueprint, index, MBS_SIGNAL_VELOCITY, &state));
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, record->values[0].texts[0], 1,
                           MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME, 0, NULL, &value));
  return add_jump(context, blueprint, owner, record->name, state, value.node[0], event);
}

static MbsStatus read_assignments(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsValue *set,
                                  MbsEventSpec *event) {
  MBS_TAKE(context, blueprint->arena, event->assignments, set->count);
  for (int i = 0; i < set->count; ++i) {
    MbsText name = set->records[i].name;
    int variable = mbs_parameters_find(blueprint, name.text) - blueprint->variable_first;
    MbsExpression value;
    if (mbs_model_has_state(blueprint->model, name.text)) {
      MBS_TRY(read_state(context, blueprint, owner, &set->records[i], event));
      continue;
    }
    if (variable < 0 || variable >= blueprint->variable_count) {
      const char *nearest = NULL;
      for (int v = 0; v < blueprint->input_first; ++v) {
        mbs_name_nearest(name.text, blueprint->parameters.items[blueprint->variable_first + v].name, &nearest);
      }
      mbs_state_nearest(blueprint, name.text, &nearest);
      return mbs_fail(context, MBS_ERROR_INPUT, name.place,
                      "%s: no variable or state \"%s\"%s%s%s; they are declared in the sections variables and states",
                      owner, name.text, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                      nearest ? "\"?" : "");
    }
    if (variable >= blueprint->input_first && variable < blueprint->input_first + blueprint->input_count) {
      return mbs_fail(context, MBS_ERROR_INPUT, name.place,
                      "%s: \"%s\" is an input, which the caller sets; events set variables and states", owner,
                      name.text);
    }
    for (int k = 0; k < event->assignment_count; ++k) {  // under two names, in a template
      if (event->assignments[k].variable == variable) {
        return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: variable \"%s\" is set twice", owner, name.text);
      }
    }
    MBS_TRY(mbs_signal_parse(context, blueprint, owner, set->records[i].values[0].texts[0], 1, SEEN, 0, NULL, &value));
    event->assignments[event->assignment_count++] = (MbsAssignment){.variable = variable, .value = value.node[0]};
  }
  return MBS_OK;
}

static int input_of(const MbsBlueprint *blueprint, int parameter) {
  return mbs_graph_node(blueprint->graph, blueprint->parameters.items[parameter].node)->index;
}

// Does an expression depend on a hidden parameter: by itself, or by the guards of branches in it? A guard has branches
// before its own alone.
static bool depends_on(const MbsBlueprint *blueprint, MbsNode node, int parameter, int branch_count) {
  bool does = mbs_graph_depends_on(blueprint->graph, node, input_of(blueprint, parameter));
  for (int i = 0; i < branch_count && !does; ++i) {
    const MbsBranchSpec *branch = &blueprint->branches.items[i];
    does = mbs_graph_depends_on(blueprint->graph, node, input_of(blueprint, branch->parameter)) &&
           depends_on(blueprint, branch->argument, parameter, i);
  }
  return does;
}

static bool does_form_depend(const MbsBlueprint *blueprint, const MbsForm *form, int input) {
  MbsGraph *graph = blueprint->graph;
  bool does = false;
  for (int k = 0; k < form->count; ++k) {
    const MbsFormTerm *term = &form->terms[k];
    const MbsEntity *entity = &blueprint->entities.items[term->entity];
    does |= mbs_graph_depends_on(graph, term->a, input) || mbs_graph_depends_on(graph, term->b, input);
    for (int d = 0; d < blueprint->dimension && entity->is_fixed; ++d) {
      does |= mbs_graph_depends_on(graph, entity->value[d], input);
    }
  }
  return does;
}

// do constraints depend on it: by expressions, or by numbers of theirs?
static bool do_constraints_depend_on(const MbsBlueprint *blueprint, int parameter) {
  int input = input_of(blueprint, parameter);
  bool does = false;
  for (int i = 0; i < blueprint->rows.count && !does; ++i) {
    const MbsRowSpec *row = &blueprint->rows.items[i];
    does = row->kind == MBS_ROW_EXPRESSION
               ? depends_on(blueprint, row->expression, parameter, blueprint->branches.count)
               : mbs_graph_depends_on(blueprint->graph, row->c, input) || does_form_depend(blueprint, &row->A, input) ||
                     does_form_depend(blueprint, &row->B, input);
  }
  return does;
}

MbsStatus mbs_event_find_rate(MbsContext *context, MbsBlueprint *blueprint, MbsEventSpec *event) {
  int level;
  MBS_TRY(mbs_signal_level(context, blueprint, event->guard, &level));
  if (level >= 2) {
    event->rate = MBS_NODE_NONE;
    return MBS_OK;
  }
  return mbs_signal_rate(context, blueprint, event->guard, &event->rate);
}

// may events change it, which set variables?
static bool has_variables(const MbsBlueprint *blueprint, MbsNode node) {
  bool has = false;
  for (int i = 0; i < blueprint->variable_count; ++i) {
    has |= mbs_graph_depends_on(blueprint->graph, node, input_of(blueprint, blueprint->variable_first + i));
  }
  return has;
}

static MbsStatus read_event(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  const char *owner = mbs_arena_print(blueprint->arena, "event \"%s\"", record->name.text);
  const char *direction = mbs_record_text(record, MBS_EVENT_DIRECTION).text;
  const MbsValue *velocities = mbs_record_value(record, MBS_EVENT_VELOCITIES);
  MbsEventSpec event = {.name = record->name.text, .text = mbs_record_text(record, MBS_EVENT_WHEN)};
  MbsExpression guard;
  owner = owner ? owner : event.name;
  event.direction = strcmp(direction, "falling") == 0 ? -1 : strcmp(direction, "rising") == 0;
  event.is_last = strcmp(mbs_record_text(record, MBS_EVENT_STOP).text, "yes") == 0;
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, event.text, 1, SEEN, 0, NULL, &guard));
  event.guard = guard.node[0];
  MBS_TRY(mbs_event_find_rate(context, blueprint, &event));
  MBS_TAKE(context, blueprint->arena, event.jumps, count_jumps(blueprint->model, record));
  MBS_TAKE(context, blueprint->arena, event.rows, count_jumps(blueprint->model, record));
  MBS_TRY(read_assignments(context, blueprint, owner, mbs_record_value(record, MBS_EVENT_SET), &event));
  MBS_TRY(mbs_event_read_switches(context, blueprint, record, &event));
  for (int i = 0; i < event.switch_count; ++i) {
    event.changes_constraints |= event.switches[i].acts;
  }
  for (int k = 0; k < event.assignment_count && !event.changes_constraints; ++k) {
    event.changes_constraints =
        do_constraints_depend_on(blueprint, blueprint->variable_first + event.assignments[k].variable);
  }
  for (int i = 0; i < velocities->count; ++i) {
    MBS_TRY(read_velocity(context, blueprint, owner, &velocities->records[i], &event));
  }
  MBS_TRY(read_impact(context, blueprint, owner, record, &event));
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  const MbsGraphNode *rate = event.rate == MBS_NODE_NONE ? NULL : mbs_graph_node(blueprint->graph, event.rate);
  if (rate && rate->operation == MBS_OP_CONSTANT && !(rate->value > 0 || rate->value < 0) &&
      !has_variables(blueprint, event.guard)) {
    return mbs_fail(context, MBS_ERROR_INPUT, event.text.place, "%s: \"%s\" never changes, so that it cannot pass zero",
                    owner, event.text.text);
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->events, event);
  return MBS_OK;
}

// what a branch is switched by
static MbsStatus add_branch_event(MbsContext *context, MbsBlueprint *blueprint, int branch, MbsNode guard,
                                  int direction, int change) {
  const MbsBranchSpec *spec = &blueprint->branches.items[branch];
  MbsEventSpec event = {.name = spec->name,
                        .text = spec->text,
                        .guard = guard,
                        .direction = direction,
                        .branch = 1 + branch,
                        .change = change};
  MBS_TRY(mbs_signal_rate(context, blueprint, guard, &event.rate));
  event.changes_constraints = do_constraints_depend_on(blueprint, spec->parameter);
  event.is_hidden = spec->breaks == MBS_BREAK_CURVES || (spec->breaks == MBS_BREAK_BENDS && !event.changes_constraints);
  MBS_APPEND(context, blueprint->arena, &blueprint->events, event);
  return mbs_graph_status(context, blueprint->graph);
}

static MbsStatus add_branch_events(MbsContext *context, MbsBlueprint *blueprint) {
  MbsGraph *graph = blueprint->graph;
  for (int i = 0; i < blueprint->branches.count; ++i) {
    const MbsBranchSpec branch = blueprint->branches.items[i];
    MbsNode b = blueprint->parameters.items[branch.parameter].node;
    if (branch.operation == MBS_OP_FLOOR && mbs_table_is_counter(blueprint, branch.argument)) {
      MbsNode next = mbs_graph_add(graph, b, mbs_graph_constant(graph, 1));
      MBS_TRY(add_branch_event(context, blueprint, i, mbs_table_distance(blueprint, branch.argument, b), -1, -1));
      MBS_TRY(add_branch_event(context, blueprint, i, mbs_table_distance(blueprint, branch.argument, next), 1, 1));
    } else if (branch.operation == MBS_OP_FLOOR) {
      MbsNode above = mbs_graph_subtract(graph, branch.argument, b);
      MBS_TRY(add_branch_event(context, blueprint, i, above, -1, -1));
      MBS_TRY(add_branch_event(context, blueprint, i, mbs_graph_subtract(graph, above, mbs_graph_constant(graph, 1)), 1,
                               1));
    } else {
      MBS_TRY(add_branch_event(context, blueprint, i, branch.argument, 0, 0));
    }
  }
  return mbs_graph_status(context, graph);
}

// The end of the run, t - T = 0, where T depends on parameters. The last step is planned to end there: it is not looked
// for, but its time moves as that of any event that ends a run.
static MbsStatus add_end(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsRecord *section = mbs_record_child(&blueprint->model->root, MBS_MODEL_SIMULATION);
  const MbsField *field = &mbs_model_type.fields[MBS_MODEL_SIMULATION].record->fields[MBS_SIMULATION_END];
  MbsEventSpec event = {
      .name = "end", .text = mbs_record_text(section, MBS_SIMULATION_END), .is_last = true, .is_end = true};
  MbsNode t;
  int count;
  const int *inputs;
  MBS_TRY(mbs_blueprint_number(context, blueprint, "simulation", field, event.text, &event.end));
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, event.end, &count, &inputs));
  if (count > 0 && inputs[count - 1] >= blueprint->clock) {
    return mbs_fail(context, MBS_ERROR_INPUT, event.text.place,
                    "simulation: end may depend on parameters, not on variables: let an event end the run (stop: yes)");
  }
  MBS_TRY(mbs_signal_time(context, blueprint, &t));
  event.guard = mbs_graph_subtract(blueprint->graph, t, event.end);
  MBS_TRY(mbs_signal_rate(context, blueprint, event.guard, &event.rate));
  MBS_APPEND(context, blueprint->arena, &blueprint->events, event);
  return MBS_OK;
}

// Inputs are variables that an event sets, for which no guard is waited: it happens when the caller says so.
static MbsStatus add_inputs(MbsContext *context, MbsBlueprint *blueprint) {
  MbsGraph *graph = blueprint->graph;
  MbsEventSpec event = {.name = "inputs",
                        .guard = mbs_graph_constant(graph, 1),
                        .rate = mbs_graph_constant(graph, 0),
                        .is_given = true,
                        .is_hidden = true,
                        .assignment_count = blueprint->input_count};
  MBS_TAKE(context, blueprint->arena, event.assignments, blueprint->input_count);
  for (int i = 0; i < blueprint->input_count; ++i) {
    int variable = blueprint->input_first + i;
    event.assignments[i] = (MbsAssignment){.variable = variable, .value = mbs_graph_constant(graph, 0)};
    event.changes_constraints =
        event.changes_constraints || do_constraints_depend_on(blueprint, blueprint->variable_first + variable);
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->events, event);
  return MBS_OK;
}

// does an expression depend on nothing but parameters and, perhaps, time?
static MbsStatus stays(MbsContext *context, const MbsBlueprint *blueprint, MbsNode node, bool with_time, bool *does) {
  int count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, node, &count, &inputs));
  *does = true;
  for (int i = 0; i < count; ++i) {
    MbsSignalKind kind = blueprint->signals.items[inputs[i]].kind;
    bool is_parameter = kind == MBS_SIGNAL_PARAMETER || kind == MBS_SIGNAL_TABLE;
    *does = *does && (is_parameter || (with_time && kind == MBS_SIGNAL_TIME));
  }
  return MBS_OK;
}

static MbsStatus find_timed(MbsContext *context, MbsBlueprint *blueprint) {
  for (int e = 0; e < blueprint->events.count; ++e) {
    MbsEventSpec *event = &blueprint->events.items[e];
    MBS_TRY(stays(context, blueprint, event->guard, true, &event->is_timed));
    if (event->is_timed && event->rate != MBS_NODE_NONE) {
      MBS_TRY(stays(context, blueprint, event->rate, false, &event->is_uniform));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_events_read(MbsContext *context, MbsBlueprint *blueprint, bool has_end) {
  const MbsValue *written = mbs_record_value(&blueprint->model->root, MBS_MODEL_EVENTS);
  int before = context->error_count;
  for (int i = 0; i < written->count; ++i) {
    MBS_TRY(mbs_error_keep(context, read_event(context, blueprint, &written->records[i])));
  }
  MBS_TRY(mbs_errors_tell(context, before));
  MBS_TRY(blueprint->input_count > 0 ? add_inputs(context, blueprint) : MBS_OK);
  MBS_TRY(mbs_objectives_watch(context, blueprint));
  MBS_TRY(add_branch_events(context, blueprint));
  MBS_TRY(has_end ? add_end(context, blueprint) : MBS_OK);
  return find_timed(context, blueprint);
}
