// Coordinates of the model's own: numbers that move, with an inertia and nothing else. T = 1/2 J q'^2, no weight; what
// they mean is up to the expressions that name them: constraints, drivers, forces, objectives. Where a constraint
// determines one, J may be zero.
//
// Each is an entity of one component. A form on it has as many components as any other, of which only the first means
// something: signals name no other, so that the others, which read the coordinates behind it, reach nothing
// (terms/system.c).
#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"

static const MbsValue *written(const MbsBlueprint *blueprint) {
  return mbs_record_value(&blueprint->model->root, MBS_MODEL_COORDINATES);
}

int mbs_user_coordinate_find(const MbsBlueprint *blueprint, const char *name) {
  const MbsValue *records = written(blueprint);
  for (int i = 0; i < records->count; ++i) {
    if (strcmp(records->records[i].name.text, name) == 0) {
      return i;
    }
  }
  return -1;
}

void mbs_user_coordinate_nearest(const MbsBlueprint *blueprint, const char *name, const char **nearest) {
  const MbsValue *records = written(blueprint);
  for (int i = 0; i < records->count; ++i) {
    mbs_name_nearest(name, records->records[i].name.text, nearest);
  }
}

// a bare name in an expression is a coordinate or a parameter, not both
static MbsStatus refuse_parameter(MbsContext *context, const MbsBlueprint *blueprint, MbsText name) {
  if (mbs_parameters_find(blueprint, name.text) >= 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, name.place,
                    "coordinate \"%s\" has the name of a parameter, so an expression could mean either: rename one",
                    name.text);
  }
  return MBS_OK;
}

MbsStatus mbs_user_coordinates_read(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *records = written(blueprint);
  const MbsField *fields = mbs_model_type.fields[MBS_MODEL_COORDINATES].record->fields;
  for (int i = 0; i < records->count; ++i) {
    const MbsRecord *record = &records->records[i];
    MbsUserCoordinate coordinate = {.name = record->name.text, .entity = -1};
    const char *owner = mbs_arena_print(blueprint->arena, "coordinate \"%s\"", coordinate.name);
    owner = owner ? owner : coordinate.name;
    MBS_TRY(refuse_parameter(context, blueprint, record->name));
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[MBS_COORDINATE_INERTIA],
                                 mbs_record_text(record, MBS_COORDINATE_INERTIA), &coordinate.inertia));
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[MBS_COORDINATE_GUESS],
                                 mbs_record_text(record, MBS_COORDINATE_GUESS), &coordinate.guess));
    MBS_APPEND(context, blueprint->arena, &blueprint->user_coordinates, coordinate);
  }
  return MBS_OK;
}

static MbsStatus add_mass(MbsContext *context, MbsBlueprint *blueprint, const MbsUserCoordinate *coordinate) {
  int *entity;
  MbsNode *a, *zero;
  MBS_TAKE(context, blueprint->arena, entity, 1);
  MBS_TAKE(context, blueprint->arena, a, 1);
  MBS_TAKE(context, blueprint->arena, zero, 1);
  *entity = coordinate->entity;
  *a = coordinate->inertia;
  *zero = mbs_graph_constant(blueprint->graph, 0);
  MBS_APPEND(
      context, blueprint->arena, &blueprint->masses,
      (MbsMassSpec){
          .body = MBS_NOBODY, .is_scalar = true, .count = 1, .entities = entity, .a = a, .b = zero, .weight = zero});
  return MBS_OK;
}

MbsStatus mbs_user_coordinates_add(MbsContext *context, MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->user_coordinates.count; ++i) {
    MbsUserCoordinate *coordinate = &blueprint->user_coordinates.items[i];
    MbsEntity entity = {.name = coordinate->name, .kind = MBS_ENTITY_SCALAR};
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 1, &coordinate->guess, entity.guess));
    coordinate->entity = blueprint->entities.count;
    MBS_APPEND(context, blueprint->arena, &blueprint->entities, entity);
    if (!mbs_graph_is_constant(blueprint->graph, coordinate->inertia, 0)) {
      MBS_TRY(add_mass(context, blueprint, coordinate));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_user_coordinate_signal(MbsContext *context, MbsBlueprint *blueprint, int index, MbsSignalKind kind,
                                     MbsNode *node) {
  MbsForm form;
  MbsExpression value;
  MBS_TRY(mbs_form_of_entity(context, blueprint, blueprint->user_coordinates.items[index].entity, MBS_NOBODY, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, kind, &value));
  *node = value.node[0];
  return MBS_OK;
}
