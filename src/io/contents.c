// What a model has, for callers that do not know it: names, and the values of parameters.
#include <mbsens/build.h>

#include "model/blueprint.h"

typedef struct OwnedContents {
  MbsContents contents;  // first: mbs_contents_destroy is given this
  MbsArena *arena;
} OwnedContents;

static MbsStatus copy_names(MbsContext *context, MbsArena *arena, const MbsModel *model, int section, int *count,
                            const char *const **to) {
  const MbsValue *value = mbs_record_value(&model->root, section);
  const char **names;
  *count = value->count;
  MBS_TAKE(context, arena, names, value->count);
  for (int i = 0; i < value->count; ++i) {
    names[i] = mbs_arena_copy_text(arena, value->records[i].name.text);
  }
  *to = names;
  return MBS_OK;
}

static MbsStatus fill_parameters(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsContents *contents) {
  MbsBlueprint *blueprint;
  double *values;
  bool *is_derived;
  MBS_TRY(mbs_blueprint_create(context, arena, model, &blueprint));
  MBS_TAKE(context, arena, values, contents->parameter_count);
  MBS_TAKE(context, arena, is_derived, contents->parameter_count);
  for (int i = 0; i < contents->parameter_count; ++i) {
    const MbsParameter *parameter = &blueprint->parameters.items[i];
    is_derived[i] = parameter->is_derived;
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 1, &parameter->node, &values[i]));
  }
  contents->parameter_values = values;
  contents->is_derived = is_derived;
  return MBS_OK;
}

static MbsStatus fill(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsContents *contents) {
  contents->name = mbs_arena_copy_text(arena, mbs_record_text(&model->root, MBS_MODEL_NAME).text);
  contents->dimension = model->dimension;
  const struct {
    int section;
    int *count;
    const char *const **names;
  } sections[] = {{MBS_MODEL_PARAMETERS, &contents->parameter_count, &contents->parameters},
                  {MBS_MODEL_OBJECTIVES, &contents->objective_count, &contents->objectives},
                  {MBS_MODEL_INPUTS, &contents->input_count, &contents->inputs},
                  {MBS_MODEL_OUTPUTS, &contents->output_count, &contents->outputs},
                  {MBS_MODEL_BODIES, &contents->body_count, &contents->bodies},
                  {MBS_MODEL_JOINTS, &contents->joint_count, &contents->joints},
                  {MBS_MODEL_FORCES, &contents->force_count, &contents->forces},
                  {MBS_MODEL_EVENTS, &contents->event_count, &contents->events}};
  for (int i = 0; i < MBS_COUNT(sections); ++i) {
    MBS_TRY(copy_names(context, arena, model, sections[i].section, sections[i].count, sections[i].names));
  }
  return fill_parameters(context, arena, model, contents);
}

MbsStatus mbs_contents_create(MbsContext *context, const MbsModel *model, MbsContents **contents) {
  MBS_CALL_BEGIN(context, "mbs_contents_create", {"model", model}, {"contents", contents});
  *contents = NULL;
  MbsArena *arena = mbs_arena_create_for(context);
  OwnedContents *owned = arena ? mbs_arena_take(arena, 1, sizeof *owned) : NULL;
  MbsStatus status = owned ? fill(context, arena, model, &owned->contents)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  status = mbs_call_end(context, status);
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  owned->arena = arena;
  mbs_arena_tell(arena, NULL);
  *contents = &owned->contents;
  return MBS_OK;
}

void mbs_contents_destroy(MbsContents *contents) {
  if (contents) {
    mbs_arena_destroy(((OwnedContents *)(void *)contents)->arena);
  }
}
