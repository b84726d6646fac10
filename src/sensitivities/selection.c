#include "sensitivities/selection.h"

#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"
#include "model/trim.h"

// The search begins at *index: names mostly come in the model's order, and may be a thousand.
static MbsStatus find(MbsContext *context, const MbsModel *model, const char *what, const MbsValue *known,
                      const char *name, int *index) {
  const char *nearest = NULL;
  for (int k = 0; k < known->count; ++k) {
    int i = (*index + k) % known->count;
    if (strcmp(known->records[i].name.text, name) == 0) {
      *index = i;
      return MBS_OK;
    }
  }
  for (int i = 0; i < known->count; ++i) {
    mbs_name_nearest(name, known->records[i].name.text, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no %s \"%s\" in %s%s%s%s", what, name, model->file,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// hardpoints: all of their components; hardpoints.P or P: those of P
static bool is_in_group(const MbsModel *model, const char *group, const char *parameter) {
  static const char section[] = "hardpoints";
  const MbsValue *hardpoints = mbs_record_value(&model->root, MBS_MODEL_HARDPOINTS);
  size_t length = sizeof section - 1;
  bool is_all = strcmp(group, section) == 0;
  const char *name = strncmp(group, section, length) == 0 && group[length] == '.' ? group + length + 1 : group;
  for (int i = 0; i < hardpoints->count; ++i) {
    const char *known = hardpoints->records[i].name.text;
    size_t known_length = strlen(known);
    if ((is_all || strcmp(known, name) == 0) && strncmp(parameter, known, known_length) == 0 &&
        parameter[known_length] == '.') {
      return true;
    }
  }
  return false;
}

// Parameters by the names of groups, each by the names of its members. Derived ones are not among them.
static MbsStatus open_groups(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsBlueprint *blueprint,
                             MbsRequest *request) {
  const MbsValue *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  const char **names = NULL;
  int count = 0, capacity = 0;
  if (request->parameter_count == 0 || mbs_record_value(&model->root, MBS_MODEL_HARDPOINTS)->count == 0) {
    return MBS_OK;
  }
  for (int i = 0; i < request->parameter_count; ++i) {
    const char *left = request->parameters[i];
    int before = count;
    for (int k = 0; k < parameters->count; ++k) {
      const char *parameter = parameters->records[k].name.text;
      bool is_member = is_in_group(model, request->parameters[i], parameter);
      left = is_member ? parameter : left;
      if (is_member && !blueprint->parameters.items[k].is_derived) {
        MBS_GROW(context, arena, names, count, capacity);
        names[count++] = parameter;
      }
    }
    if (count == before) {  // a name of its own, or a group that has derived ones alone: one of them says so
      MBS_GROW(context, arena, names, count, capacity);
      names[count++] = left;
    }
  }
  request->parameters = names;
  request->parameter_count = count;
  return MBS_OK;
}

// indices of the chosen names; all of them where `names` is NULL
static MbsStatus choose(MbsContext *context, MbsArena *arena, const MbsModel *model, const char *what,
                        const MbsValue *known, int count, const char *const *names, int *chosen_count, int **chosen) {
  int total = names ? count : known->count;
  bool *is_taken;
  MBS_TAKE(context, arena, *chosen, total);
  MBS_TAKE(context, arena, is_taken, known->count);
  int index = -1;
  for (int i = 0; i < total; ++i) {
    index += 1;
    if (names) {
      index = index < known->count ? index : 0;
      MBS_TRY(find(context, model, what, known, names[i], &index));
    }
    if (is_taken[index]) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s \"%s\" is named twice", what,
                      known->records[index].name.text);
    }
    is_taken[index] = true;
    (*chosen)[i] = index;
  }
  *chosen_count = total;
  return MBS_OK;
}

// Objectives of the equilibrium, or those of a run (which has the others too, where it starts there): of those that
// nobody named, the ones that there are; and none else may be named.
static MbsStatus choose_kind(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                             const MbsValue *objectives, MbsSelection *selection) {
  const MbsRecord *initial = mbs_record_child(&model->root, MBS_MODEL_INITIAL);
  bool starts_there = initial && strcmp(mbs_record_text(initial, MBS_INITIAL_EQUILIBRIUM).text, "yes") == 0;
  int count = 0;
  for (int i = 0; i < selection->objective_count; ++i) {
    const MbsRecord *record = &objectives->records[selection->objectives[i]];
    bool is_static = mbs_record_value(record, MBS_OBJECTIVE_EQUILIBRIUM)->is_given;
    bool is_of_modes = mbs_record_value(record, MBS_OBJECTIVE_EIGENVALUE)->is_given;
    if (is_of_modes ? true
        : is_static ? starts_there || request->settings.is_equilibrium
                    : !request->settings.is_equilibrium) {
      selection->objectives[count++] = selection->objectives[i];
    } else if (request->objectives) {
      return mbs_fail(context, MBS_ERROR_INPUT, record->name.place,
                      is_static
                          ? "objective \"%s\" is of the equilibrium, and this run does not start there: use mbsens "
                            "equilibrium, or start there (initial: equilibrium: yes)"
                          : "objective \"%s\" is of a run, and an equilibrium is none: give it as {equilibrium: ...}",
                      record->name.text);
    }
  }
  selection->objective_count = count;
  return MBS_OK;
}

MbsStatus mbs_selection_create(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *asked,
                               MbsSelection *selection) {
  const MbsValue *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  const MbsValue *objectives = mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES);
  MbsBlueprint *blueprint;
  int candidates;
  int *chosen;
  *selection = (MbsSelection){.model_parameter_count = parameters->count, .model_objective_count = objectives->count};
  MBS_TRY(mbs_blueprint_create(context, arena, model, &blueprint));
  MbsRequest opened = *asked, *request = &opened;
  MBS_TRY(open_groups(context, arena, model, blueprint, request));
  MBS_TRY(choose(context, arena, model, "parameter", parameters, request->parameter_count, request->parameters,
                 &candidates, &chosen));
  MBS_TAKE(context, arena, selection->nominal, parameters->count);
  MBS_TAKE(context, arena, selection->parameters, candidates);
  MBS_TAKE(context, arena, selection->parameter_names, candidates);
  MBS_TAKE(context, arena, selection->parameter_values, candidates);
  for (int i = 0; i < parameters->count; ++i) {
    selection->nominal[i] = blueprint->parameters.items[i].nominal;
  }
  for (int i = 0; i < candidates; ++i) {
    const MbsParameter *parameter = &blueprint->parameters.items[chosen[i]];
    if (parameter->is_derived) {
      if (request->parameters) {
        return mbs_fail(context, MBS_ERROR_INPUT, parameter->text.place,
                        "parameter \"%s\" is an expression of others, \"%s\": differentiate with respect to those",
                        parameter->name, parameter->text.text);
      }
      continue;
    }
    if (mbs_trim_is_active(model, request->settings.is_equilibrium) && mbs_trim_solves(model, parameter->name)) {
      if (request->parameters) {
        return mbs_fail(context, MBS_ERROR_INPUT, parameter->text.place,
                        "parameter \"%s\" is solved for (equilibrium: solve): nothing depends on the value it is given",
                        parameter->name);
      }
      continue;
    }
    int k = selection->parameter_count++;
    selection->parameters[k] = chosen[i];
    selection->parameter_names[k] = mbs_arena_copy_text(arena, parameter->name);
    selection->parameter_values[k] = parameter->nominal;
  }
  MBS_TRY(choose(context, arena, model, "objective", objectives, request->objective_count, request->objectives,
                 &selection->objective_count, &selection->objectives));
  MBS_TRY(choose_kind(context, model, request, objectives, selection));
  MBS_TAKE(context, arena, selection->objective_names, selection->objective_count);
  for (int i = 0; i < selection->objective_count; ++i) {
    selection->objective_names[i] = mbs_arena_copy_text(arena, objectives->records[selection->objectives[i]].name.text);
  }
  return MBS_OK;
}
