// See trim.h. As many conditions c = value as unknowns u, which are parameters or inputs:
//     equilibrium: {solve: [u, ...], conditions: [{expression: c, value: 0}, ...]}
#include "model/trim.h"

#include <string.h>

#include "base/names.h"

static const MbsRecord *section_of(const MbsModel *model) {
  return mbs_record_child(&model->root, MBS_MODEL_EQUILIBRIUM);
}

bool mbs_trim_is_active(const MbsModel *model, bool is_equilibrium) {
  const MbsRecord *initial = mbs_record_child(&model->root, MBS_MODEL_INITIAL);
  return is_equilibrium || (initial && strcmp(mbs_record_text(initial, MBS_INITIAL_EQUILIBRIUM).text, "yes") == 0);
}

bool mbs_trim_solves(const MbsModel *model, const char *name) {
  const MbsRecord *section = section_of(model);
  const MbsValue *solve = section ? mbs_record_value(section, MBS_EQUILIBRIUM_SOLVE) : NULL;
  for (int i = 0; solve && i < solve->count; ++i) {
    if (strcmp(solve->texts[i].text, name) == 0) {
      return true;
    }
  }
  return false;
}

// ---- unknowns ----
static MbsStatus unknown_name(MbsContext *context, const MbsBlueprint *blueprint, MbsText name) {
  const char *nearest = NULL;
  for (int i = 0; i < blueprint->clock; ++i) {
    mbs_name_nearest(name.text, blueprint->parameters.items[i].name, &nearest);
  }
  for (int i = 0; i < blueprint->input_count; ++i) {
    int index = blueprint->variable_first + blueprint->input_first + i;
    mbs_name_nearest(name.text, blueprint->parameters.items[index].name, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, name.place, "equilibrium: solve: no parameter or input \"%s\"%s%s%s",
                  name.text, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static MbsStatus read_unknown(MbsContext *context, MbsBlueprint *blueprint, MbsText name) {
  int index = mbs_parameters_find(blueprint, name.text), input = blueprint->variable_first + blueprint->input_first;
  bool is_input = index >= input && index < input + blueprint->input_count;
  if (index < 0 || (index >= blueprint->clock && !is_input)) {
    return unknown_name(context, blueprint, name);
  }
  const MbsParameter *parameter = &blueprint->parameters.items[index];
  if (parameter->is_derived) {
    return mbs_fail(context, MBS_ERROR_INPUT, name.place,
                    "equilibrium: solve: parameter \"%s\" is an expression of others, \"%s\": solve for those",
                    name.text, parameter->text.text);
  }
  for (int i = 0; i < blueprint->trim.unknowns.count; ++i) {
    if (blueprint->trim.unknowns.items[i].parameter == index) {
      return mbs_fail(context, MBS_ERROR_INPUT, name.place, "equilibrium: solve: \"%s\" is named twice", name.text);
    }
  }
  for (int i = 0; i < blueprint->variable_count; ++i) {
    int node = mbs_graph_node(blueprint->graph, parameter->node)->index;
    if (mbs_graph_depends_on(blueprint->graph, blueprint->variable_initial[i], node)) {
      return mbs_fail(
          context, MBS_ERROR_NOT_OFFERED, name.place,
          "equilibrium: solve: the value of \"%s\" at the start depends on \"%s\": solve for \"%s\" itself, "
          "or give it a number",
          blueprint->parameters.items[blueprint->variable_first + i].name, name.text,
          blueprint->parameters.items[blueprint->variable_first + i].name);
    }
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->trim.unknowns,
             (MbsTrimUnknown){.name = name.text, .place = name.place, .parameter = index});
  return MBS_OK;
}

// ---- conditions ----
static MbsStatus read_condition(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  enum { ANYTHING = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_ACCELERATION | MBS_USE_TIME | MBS_USE_MULTIPLIERS };
  const MbsField *fields =
      mbs_model_type.fields[MBS_MODEL_EQUILIBRIUM].record->fields[MBS_EQUILIBRIUM_CONDITIONS].record->fields;
  MbsText text = mbs_record_text(record, MBS_CONDITION_EXPRESSION);
  const char *owner = mbs_arena_print(blueprint->arena, "condition \"%s\"", text.text);
  MbsExpression expression;
  MbsNode value;
  bool keeps_jumps = blueprint->keeps_jumps;
  int jump_count = blueprint->jumps.count;
  owner = owner ? owner : text.text;
  blueprint->keeps_jumps = true;  // what it does on the way does not count
  MbsStatus status = mbs_signal_parse(context, blueprint, owner, text, 1, ANYTHING, 0, NULL, &expression);
  blueprint->keeps_jumps = keeps_jumps;
  MBS_TRY(status);
  blueprint->jumps.count = jump_count;
  MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[MBS_CONDITION_VALUE],
                               mbs_record_text(record, MBS_CONDITION_VALUE), &value));
  MBS_APPEND(context, blueprint->arena, &blueprint->trim.conditions,
             (MbsTrimCondition){.name = text.text,
                                .place = text.place,
                                .residual = mbs_graph_subtract(blueprint->graph, expression.node[0], value)});
  return MBS_OK;
}

MbsStatus mbs_trim_read(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsRecord *section = section_of(blueprint->model);
  if (!section) {
    return MBS_OK;
  }
  const MbsValue *solve = mbs_record_value(section, MBS_EQUILIBRIUM_SOLVE);
  const MbsValue *conditions = mbs_record_value(section, MBS_EQUILIBRIUM_CONDITIONS);
  if (solve->count != conditions->count) {
    return mbs_fail(context, MBS_ERROR_INPUT, solve->count > 0 ? solve->place : conditions->place,
                    "equilibrium: %d unknown%s in solve and %d condition%s: give as many conditions as unknowns",
                    solve->count, solve->count == 1 ? "" : "s", conditions->count, conditions->count == 1 ? "" : "s");
  }
  int before = context->error_count;
  for (int i = 0; i < solve->count; ++i) {
    MBS_TRY(mbs_error_keep(context, read_unknown(context, blueprint, solve->texts[i])));
    MBS_TRY(mbs_error_keep(context, read_condition(context, blueprint, &conditions->records[i])));
  }
  MBS_TRY(mbs_errors_tell(context, before));
  return mbs_graph_status(context, blueprint->graph);
}

// ---- as objectives ----
static MbsStatus make_objective(MbsContext *context, MbsArena *arena, MbsText name, MbsRecord *objective) {
  const MbsRecordType *type = mbs_model_type.fields[MBS_MODEL_OBJECTIVES].record;
  MbsValue *values;
  MbsText *texts;
  MBS_TAKE(context, arena, values, type->field_count);
  MBS_TAKE(context, arena, texts, type->field_count);
  for (int i = 0; i < type->field_count; ++i) {  // what is not given has its default
    texts[i] = (MbsText){.text = type->fields[i].default_text, .place = name.place};
    values[i] = (MbsValue){.place = name.place, .count = texts[i].text ? 1 : 0, .texts = &texts[i]};
  }
  texts[MBS_OBJECTIVE_EQUILIBRIUM] = name;
  values[MBS_OBJECTIVE_EQUILIBRIUM].is_given = true;
  values[MBS_OBJECTIVE_EQUILIBRIUM].count = 1;
  *objective = (MbsRecord){.name = name, .values = values};
  return MBS_OK;
}

static bool has_record(const MbsModel *model, int section, const char *name) {
  const MbsValue *value = mbs_record_value(&model->root, section);
  for (int i = 0; i < value->count; ++i) {
    if (strcmp(value->records[i].name.text, name) == 0) {
      return true;
    }
  }
  return false;
}

MbsStatus mbs_trim_add_objectives(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                  const MbsModel **result) {
  const MbsRecord *section = section_of(model);
  const MbsValue *solve = section ? mbs_record_value(section, MBS_EQUILIBRIUM_SOLVE) : NULL;
  const MbsValue *objectives = mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES);
  MbsModel *copy;
  MbsValue *sections;
  MbsRecord *all;
  *result = model;
  if (!solve || solve->count == 0) {
    return MBS_OK;
  }
  MBS_TAKE(context, arena, copy, 1);
  MBS_TAKE(context, arena, sections, mbs_model_type.field_count);
  MBS_TAKE(context, arena, all, objectives->count + solve->count);
  *copy = *model;
  memcpy(sections, model->root.values, (size_t)mbs_model_type.field_count * sizeof *sections);
  int count = 0;
  for (; count < objectives->count; ++count) {
    all[count] = objectives->records[count];
  }
  for (int i = 0; i < solve->count; ++i) {
    const char *name = solve->texts[i].text;
    bool is_number = has_record(model, MBS_MODEL_PARAMETERS, name) || has_record(model, MBS_MODEL_INPUTS, name);
    bool is_known = false;
    for (int k = 0; k < count && !is_known; ++k) {
      is_known = strcmp(all[k].name.text, name) == 0;
    }
    if (is_number && !is_known) {  // what is none is told by mbs_trim_read
      MBS_TRY(make_objective(context, arena, solve->texts[i], &all[count]));
      count += 1;
    }
  }
  sections[MBS_MODEL_OBJECTIVES].records = all;
  sections[MBS_MODEL_OBJECTIVES].count = count;
  copy->root.values = sections;
  *result = copy;
  return MBS_OK;
}
