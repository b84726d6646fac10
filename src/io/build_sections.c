// Models by calls: what is not an entry with fields (mbsens/build.h).
#include <math.h>
#include <mbsens/build.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/builder.h"

// ---- the model ----

MbsStatus mbs_model_create(MbsContext *context, const char *name, int dimension, MbsModel **model) {
  MBS_CALL_BEGIN(context, "mbs_model_create", {"name", name}, {"model", model});
  *model = NULL;
  MbsArena *arena = mbs_arena_create_for(context);
  MbsModel *made = arena ? mbs_arena_take(arena, 1, sizeof *made) : NULL;
  const char *file = made ? mbs_arena_copy_text(arena, name) : NULL;
  if (!file) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  made->arena = arena;
  made->file = file;
  // mbsens: 1, name: ..., dimension: ...
  MbsReader reader = {.context = context, .arena = arena, .file = file, .dimension = dimension};
  const char *texts[][2] = {{mbs_model_type.fields[MBS_MODEL_VERSION].name, "1"},
                            {mbs_model_type.fields[MBS_MODEL_NAME].name, name},
                            {mbs_model_type.fields[MBS_MODEL_DIMENSION].name, mbs_number(made, dimension)}};
  MbsYaml *root;
  MbsStatus status = mbs_builder_new_node(&reader, MBS_YAML_MAPPING, NULL, &root);
  for (int i = 0; status == MBS_OK && i < MBS_COUNT(texts); ++i) {
    MbsYaml *pair;
    status = mbs_builder_new_scalar(&reader, texts[i][0], texts[i][1], &pair);
    if (status == MBS_OK) {
      mbs_builder_append(root, pair);
    }
  }
  status = status == MBS_OK ? mbs_reader_read_root(&reader, root, mbs_nowhere, made) : status;
  status = mbs_call_end(context, status);
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  mbs_arena_tell(arena, NULL);  // the model may outlive the context
  *model = made;
  return MBS_OK;
}

const char *mbs_number(MbsModel *model, double number) {
  if (!model || !isfinite(number)) {
    return "";  // which is no expression
  }
  char written[40], text[40];
  int precision = 15;
  do {
    (void)snprintf(written, sizeof written, "%.*g", precision, number);
  } while (strtod(written, NULL) != number && ++precision <= 17);
  // the decimal point of the expressions, whatever (perhaps in several bytes) the program's locale has
  char *to = text;
  for (const char *c = written; *c; ++c) {
    if (strchr("0123456789e+-", *c)) {
      *to++ = *c;
    } else if (to == text || to[-1] != '.') {
      *to++ = '.';
    }
  }
  *to = '\0';
  const char *kept = mbs_arena_copy_text(model->arena, text);
  model->is_memory_out = model->is_memory_out || !kept;
  return kept ? kept : "";
}

// ---- its sections ----

// One entry `name: [x, y, z]` of a map of vectors.
static MbsStatus add_vector(MbsReader *reader, const MbsWhere *where, const MbsRecordType *type,
                            const MbsRecord *record, int field, const char *name, const char *x, const char *y,
                            const char *z) {
  MbsYaml *map, *vector;
  const char *texts[] = {x, y, z};
  MbsWhere here = {.outer = where, .word = type->fields[field].name};
  MBS_TRY(mbs_builder_new_node(reader, MBS_YAML_MAPPING, type->fields[field].name, &map));
  MBS_TRY(mbs_builder_new_value(reader, &here, name, MBS_FIELD_VECTOR, 3, texts, &vector));
  mbs_builder_append(map, vector);
  return mbs_builder_add(reader, where, &type->fields[field], map, mbs_builder_change(record, field));
}

static const MbsRecordType *type_of_section(int section) { return mbs_model_type.fields[section].record; }

// The same in a section that is a record, such as ground.
static MbsStatus add_section_vector(MbsContext *context, MbsModel *model, const char *call, int section, int field,
                                    const char *name, const char *x, const char *y, const char *z) {
  MBS_TRY(mbs_builder_start(context, call, model));
  MBS_TRY(mbs_builder_need(context, call, "name", name));
  MbsReader reader = mbs_builder_reader(context, model);
  MbsWhere where = {.word = mbs_model_type.fields[section].name};
  return add_vector(&reader, &where, type_of_section(section), mbs_record_child(&model->root, section), field, name, x,
                    y, z);
}

// One entry `name: text` of a map, a section of the model.
static MbsStatus add_entry(MbsContext *context, MbsModel *model, const char *call, int section, MbsFieldKind kind,
                           const char *name, const char *text) {
  MBS_TRY(mbs_builder_start(context, call, model));
  MBS_TRY(mbs_builder_need(context, call, "name", name));
  MbsReader reader = mbs_builder_reader(context, model);
  const MbsField *field = &mbs_model_type.fields[section];
  MbsYaml *map, *pair;
  MBS_TRY(mbs_builder_new_node(&reader, MBS_YAML_MAPPING, field->name, &map));
  MBS_TRY(mbs_builder_new_value(&reader, NULL, name, kind, 1, &text, &pair));
  mbs_builder_append(map, pair);
  return mbs_builder_add(&reader, NULL, field, map, mbs_builder_change(&model->root, section));
}

MbsStatus mbs_model_add_parameter(MbsContext *context, MbsModel *model, const char *name, const char *value) {
  return add_entry(context, model, "mbs_model_add_parameter", MBS_MODEL_PARAMETERS, MBS_FIELD_NUMBER, name, value);
}

// fields of a parameter from `first` on; NULL: as it was
static MbsStatus set_fields(MbsContext *context, MbsModel *model, const char *call, const char *parameter, int first,
                            int count, const char *const *texts) {
  MBS_TRY(mbs_builder_start(context, call, model));
  MBS_TRY(mbs_builder_need(context, call, "parameter", parameter));
  MbsReader reader = mbs_builder_reader(context, model);
  const MbsRecord *record = mbs_builder_find(mbs_record_value(&model->root, MBS_MODEL_PARAMETERS), parameter);
  if (!record) {
    return mbs_reader_fail(&reader, NULL, mbs_nowhere,
                           "there is no parameter \"%.60s\" yet; mbs_model_add_parameter comes first", parameter);
  }
  const MbsRecordType *type = type_of_section(MBS_MODEL_PARAMETERS);
  MbsWhere where = {.word = type->name, .name = record->name.text};
  for (int k = 0; k < count; ++k) {
    const MbsField *field = &type->fields[first + k];
    MbsValue fresh = {.is_given = false};
    MbsYaml *node;
    if (texts[k]) {
      MBS_TRY(mbs_builder_new_scalar(&reader, field->name, texts[k], &node));
      MBS_TRY(mbs_reader_read_value(&reader, &where, field, node, &fresh));
      *mbs_builder_change(record, first + k) = fresh;
    }
  }
  return MBS_OK;
}

MbsStatus mbs_model_set_range(MbsContext *context, MbsModel *model, const char *parameter, const char *lower,
                              const char *upper, const char *scale) {
  const char *texts[] = {lower, upper, scale};
  return set_fields(context, model, "mbs_model_set_range", parameter, MBS_PARAMETER_LOWER, MBS_COUNT(texts), texts);
}

MbsStatus mbs_model_set_distribution(MbsContext *context, MbsModel *model, const char *parameter,
                                     const char *distribution) {
  return set_fields(context, model, "mbs_model_set_distribution", parameter, MBS_PARAMETER_DISTRIBUTION, 1,
                    &distribution);
}

MbsStatus mbs_model_add_function(MbsContext *context, MbsModel *model, const char *name, const char *body) {
  return add_entry(context, model, "mbs_model_add_function", MBS_MODEL_FUNCTIONS, MBS_FIELD_SIGNAL, name, body);
}

MbsStatus mbs_model_add_hardpoint(MbsContext *context, MbsModel *model, const char *name, const char *x, const char *y,
                                  const char *z) {
  const char *call = "mbs_model_add_hardpoint";
  MBS_TRY(mbs_builder_start(context, call, model));
  MBS_TRY(mbs_builder_need(context, call, "name", name));
  MbsReader reader = mbs_builder_reader(context, model);
  MbsValue *parameters = mbs_builder_change(&model->root, MBS_MODEL_PARAMETERS);
  if (mbs_builder_find(parameters, name)) {
    return mbs_reader_fail(&reader, NULL, mbs_nowhere, "hardpoint \"%.60s\" has the name of a parameter: rename one",
                           name);
  }
  MBS_TRY(add_vector(&reader, NULL, &mbs_model_type, &model->root, MBS_MODEL_HARDPOINTS, name, x, y, z));
  // and its components, as the reader lists them
  const MbsValue *hardpoints = mbs_record_value(&model->root, MBS_MODEL_HARDPOINTS);
  MbsRecord components[3];
  MBS_TRY(mbs_reader_split_hardpoint(&reader, &hardpoints->records[hardpoints->count - 1], components));
  for (int k = 0; k < model->dimension; ++k) {
    int capacity = parameters->capacity > parameters->count ? parameters->capacity : parameters->count;
    MbsRecord *records = (MbsRecord *)parameters->records;
    MBS_GROW(context, model->arena, records, parameters->count, capacity);
    records[parameters->count++] = components[k];
    parameters->records = records;
    parameters->capacity = capacity;
    parameters->is_given = true;
  }
  return MBS_OK;
}

MbsStatus mbs_model_add_variable(MbsContext *context, MbsModel *model, const char *name, const char *value) {
  return add_entry(context, model, "mbs_model_add_variable", MBS_MODEL_VARIABLES, MBS_FIELD_NUMBER, name, value);
}

MbsStatus mbs_model_add_input(MbsContext *context, MbsModel *model, const char *name, const char *value) {
  return add_entry(context, model, "mbs_model_add_input", MBS_MODEL_INPUTS, MBS_FIELD_NUMBER, name, value);
}

MbsStatus mbs_model_set_at_event(MbsContext *context, MbsModel *model, const char *event, const char *variable,
                                 const char *value) {
  const char *call = "mbs_model_set_at_event";
  MBS_TRY(mbs_builder_start(context, call, model));
  MBS_TRY(mbs_builder_need(context, call, "event", event));
  MBS_TRY(mbs_builder_need(context, call, "variable", variable));
  MbsReader reader = mbs_builder_reader(context, model);
  const MbsRecord *record = mbs_builder_find(mbs_record_value(&model->root, MBS_MODEL_EVENTS), event);
  if (!record) {
    return mbs_reader_fail(&reader, NULL, mbs_nowhere,
                           "variable \"%.60s\": there is no event \"%.60s\" yet; mbs_model_add_event comes first",
                           variable, event);
  }
  const MbsRecordType *type = type_of_section(MBS_MODEL_EVENTS);
  const MbsField *field = &type->fields[MBS_EVENT_SET];
  MbsWhere where = {.word = type->name, .name = record->name.text};
  MbsYaml *map, *pair;
  MBS_TRY(mbs_builder_new_node(&reader, MBS_YAML_MAPPING, field->name, &map));
  MBS_TRY(mbs_builder_new_value(&reader, &where, variable, MBS_FIELD_SIGNAL, 1, &value, &pair));
  mbs_builder_append(map, pair);
  return mbs_builder_add(&reader, &where, field, map, mbs_builder_change(record, MBS_EVENT_SET));
}

MbsStatus mbs_model_set_inactive(MbsContext *context, MbsModel *model, const char *joints) {
  MBS_TRY(mbs_builder_start(context, "mbs_model_set_inactive", model));
  MBS_TRY(mbs_builder_need(context, "mbs_model_set_inactive", "joints", joints));
  MbsReader reader = mbs_builder_reader(context, model);
  const MbsField *field = &type_of_section(MBS_MODEL_INITIAL)->fields[MBS_INITIAL_INACTIVE];
  MbsValue fresh = {.is_given = false};
  MbsYaml *names;
  MBS_TRY(mbs_builder_new_value(&reader, NULL, field->name, field->kind, 1, &joints, &names));
  MBS_TRY(mbs_reader_read_value(&reader, NULL, field, names, &fresh));
  *mbs_builder_change(mbs_record_child(&model->root, MBS_MODEL_INITIAL), MBS_INITIAL_INACTIVE) = fresh;
  return MBS_OK;
}

MbsStatus mbs_model_set_gravity(MbsContext *context, MbsModel *model, const char *x, const char *y, const char *z) {
  MBS_TRY(mbs_builder_start(context, "mbs_model_set_gravity", model));
  MbsReader reader = mbs_builder_reader(context, model);
  const MbsField *field = &mbs_model_type.fields[MBS_MODEL_GRAVITY];
  const char *texts[] = {x, y, z};
  MbsValue fresh = {.is_given = false};
  MbsYaml *vector;
  MBS_TRY(mbs_builder_new_value(&reader, NULL, field->name, field->kind, 3, texts, &vector));
  MBS_TRY(mbs_reader_read_value(&reader, NULL, field, vector, &fresh));
  *mbs_builder_change(&model->root, MBS_MODEL_GRAVITY) = fresh;
  return MBS_OK;
}

MbsStatus mbs_model_add_ground_point(MbsContext *context, MbsModel *model, const char *name, const char *x,
                                     const char *y, const char *z) {
  return add_section_vector(context, model, "mbs_model_add_ground_point", MBS_MODEL_GROUND, MBS_GROUND_POINTS, name, x,
                            y, z);
}

MbsStatus mbs_model_add_ground_vector(MbsContext *context, MbsModel *model, const char *name, const char *x,
                                      const char *y, const char *z) {
  return add_section_vector(context, model, "mbs_model_add_ground_vector", MBS_MODEL_GROUND, MBS_GROUND_VECTORS, name,
                            x, y, z);
}

MbsStatus mbs_model_add_initial_point(MbsContext *context, MbsModel *model, const char *point, const char *x,
                                      const char *y, const char *z) {
  return add_section_vector(context, model, "mbs_model_add_initial_point", MBS_MODEL_INITIAL, MBS_INITIAL_POINTS, point,
                            x, y, z);
}

// One entry of a map of vectors of a body: a point, or a vector.
static MbsStatus add_body_vector(MbsContext *context, MbsModel *model, const char *call, int field, const char *what,
                                 const char *body, const char *name, const char *x, const char *y, const char *z) {
  MBS_TRY(mbs_builder_start(context, call, model));
  MBS_TRY(mbs_builder_need(context, call, "body", body));
  MBS_TRY(mbs_builder_need(context, call, "name", name));
  MbsReader reader = mbs_builder_reader(context, model);
  const MbsRecord *record = mbs_builder_find(mbs_record_value(&model->root, MBS_MODEL_BODIES), body);
  if (!record) {
    bool is_ground = strcmp(body, "ground") == 0;
    return mbs_reader_fail(&reader, NULL, mbs_nowhere, "%s \"%.60s\": there is no body \"%.60s\" yet; %s%s%s", what,
                           name, body, is_ground ? "mbs_model_add_ground_" : "mbs_model_add_body comes first",
                           is_ground ? what : "", is_ground ? " adds those of the ground" : "");
  }
  const MbsRecordType *type = type_of_section(MBS_MODEL_BODIES);
  MbsWhere where = {.word = type->name, .name = record->name.text};
  return add_vector(&reader, &where, type, record, field, name, x, y, z);
}

MbsStatus mbs_model_add_point(MbsContext *context, MbsModel *model, const char *body, const char *name, const char *x,
                              const char *y, const char *z) {
  return add_body_vector(context, model, "mbs_model_add_point", MBS_BODY_POINTS, "point", body, name, x, y, z);
}

MbsStatus mbs_model_add_vector(MbsContext *context, MbsModel *model, const char *body, const char *name, const char *x,
                               const char *y, const char *z) {
  return add_body_vector(context, model, "mbs_model_add_vector", MBS_BODY_VECTORS, "vector", body, name, x, y, z);
}

// One key of a section that is a record; the rest of the section stays.
static MbsStatus set_key(MbsContext *context, MbsModel *model, const char *call, int section, const char *key,
                         const char *value) {
  MBS_TRY(mbs_builder_start(context, call, model));
  MBS_TRY(mbs_builder_need(context, call, "key", key));
  MBS_TRY(mbs_builder_need(context, call, "value", value));
  MbsReader reader = mbs_builder_reader(context, model);
  const MbsRecordType *type = type_of_section(section);
  MbsYaml *mapping, *pair;
  const MbsValue *values;
  MbsWhere where = {.word = type->name};
  MBS_TRY(mbs_builder_new_node(&reader, MBS_YAML_MAPPING, NULL, &mapping));
  MBS_TRY(mbs_builder_new_scalar(&reader, key, value, &pair));
  mbs_builder_append(mapping, pair);
  // a section with this key alone; the rest of the model's section stays
  MBS_TRY(mbs_reader_read_record(&reader, &where, type, mapping, NULL, mbs_nowhere, &values));
  for (int i = 0; i < type->field_count; ++i) {
    if (values[i].is_given) {
      *mbs_builder_change(mbs_record_child(&model->root, section), i) = values[i];
    }
  }
  return MBS_OK;
}

MbsStatus mbs_model_set_simulation(MbsContext *context, MbsModel *model, const char *key, const char *value) {
  return set_key(context, model, "mbs_model_set_simulation", MBS_MODEL_SIMULATION, key, value);
}

MbsStatus mbs_model_set_optimization(MbsContext *context, MbsModel *model, const char *key, const char *value) {
  return set_key(context, model, "mbs_model_set_optimization", MBS_MODEL_OPTIMIZATION, key, value);
}

MbsStatus mbs_model_set_equilibrium(MbsContext *context, MbsModel *model, const char *key, const char *value) {
  return set_key(context, model, "mbs_model_set_equilibrium", MBS_MODEL_EQUILIBRIUM, key, value);
}

MbsStatus mbs_model_set_initial(MbsContext *context, MbsModel *model, const char *key, const char *value) {
  return set_key(context, model, "mbs_model_set_initial", MBS_MODEL_INITIAL, key, value);
}

MbsStatus mbs_model_set_identification(MbsContext *context, MbsModel *model, const char *key, const char *value) {
  return set_key(context, model, "mbs_model_set_identification", MBS_MODEL_IDENTIFICATION, key, value);
}
