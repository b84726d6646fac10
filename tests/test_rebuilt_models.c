// Every model of the repository, read from its file and built again by calls, is the same tree.
#include <mbsens/build.h>

#include "same_tree.h"
#include "support.h"

static MbsContext *context;

enum { MOST_TEXTS = 64, MOST_FIELDS = 24 };

static void texts_of(const MbsValue *value, const char **texts) {
  ENSURE(value->count <= MOST_TEXTS);
  for (int i = 0; i < MOST_TEXTS; ++i) {
    texts[i] = i < value->count ? value->texts[i].text : NULL;
  }
}

// the fields made of texts; names such as "spring 2" were made, not given; owner: the entry whose list it is in
static void add_entry(MbsModel *to, const char *section, const char *owner, const char *type_name,
                      const MbsRecordType *type, const MbsRecord *record) {
  const char *texts[MOST_FIELDS][MOST_TEXTS];
  MbsFieldTexts fields[MOST_FIELDS];
  int count = 0;
  for (int i = 0; i < type->field_count; ++i) {
    if (mbs_reader_is_text_kind(type->fields[i].kind) && record->values[i].is_given) {
      texts_of(&record->values[i], texts[count]);
      fields[count] = (MbsFieldTexts){.key = type->fields[i].name, .room = MOST_TEXTS, .texts = texts[count]};
      ENSURE(++count < MOST_FIELDS);
    }
  }
  const char *name = owner ? owner : strchr(record->name.text, ' ') ? NULL : record->name.text;
  ENSURE_OK(context, mbs_model_add_element(context, to, section, type_name, name, count, fields));
}

static void add_section(MbsModel *to, const char *path, const char *owner, const MbsField *field,
                        const MbsValue *value) {
  for (int i = 0; i < value->count; ++i) {
    const MbsRecordType *type = type_of(field, &value->records[i]);
    add_entry(to, path, owner, field->record ? NULL : type->name, type, &value->records[i]);
    // the lists that it has, such as the velocities of an event
    for (int k = 0; k < type->field_count; ++k) {
      if (type->fields[k].kind == MBS_FIELD_RECORD_LIST) {
        char inner[80];
        (void)snprintf(inner, sizeof inner, "%s.%s", path, type->fields[k].name);
        add_section(to, inner, value->records[i].name.text, &type->fields[k], &value->records[i].values[k]);
      }
    }
  }
}

typedef MbsStatus (*SetKey)(MbsContext *context, MbsModel *model, const char *key, const char *value);

// a section of settings with lists among them
static void add_settings(MbsModel *to, const MbsRecord *root, int which, SetKey set) {
  const MbsRecord *section = mbs_record_child(root, which);
  const MbsRecordType *type = mbs_model_type.fields[which].record;
  for (int i = 0; i < type->field_count; ++i) {
    const MbsValue *value = &section->values[i];
    char path[80], list[4000] = "";
    if (type->fields[i].kind == MBS_FIELD_RECORD_LIST) {
      (void)snprintf(path, sizeof path, "%s.%s", mbs_model_type.fields[which].name, type->fields[i].name);
      add_section(to, path, NULL, &type->fields[i], value);
    } else if (value->is_given && type->fields[i].kind == MBS_FIELD_NUMBER_MAP) {
      ENSURE(value->count == 1);  // weights are for files
      ENSURE_OK(context, set(context, to, type->fields[i].name, value->records[0].name.text));
    } else if (value->is_given) {
      for (int k = 0; k < value->count; ++k) {
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? "," : "", value->texts[k].text);
      }
      ENSURE_OK(context, set(context, to, type->fields[i].name, list));
    }
  }
}

// later sections first: the order of calls is free
static MbsModel *build_again(const MbsModel *from) {
  MbsModel *to;
  const char *xyz[MOST_TEXTS];
  const MbsRecord *root = &from->root;
  ENSURE_OK(context, mbs_model_create(context, mbs_record_text(root, MBS_MODEL_NAME).text, from->dimension, &to));
  const MbsRecord *simulation = mbs_record_child(root, MBS_MODEL_SIMULATION);
  const MbsRecordType *settings = mbs_model_type.fields[MBS_MODEL_SIMULATION].record;
  for (int i = 0; i < settings->field_count; ++i) {
    if (simulation->values[i].is_given) {
      ENSURE_OK(context,
                mbs_model_set_simulation(context, to, settings->fields[i].name, mbs_record_text(simulation, i).text));
    }
  }
  const MbsRecord *initial = mbs_record_child(root, MBS_MODEL_INITIAL);
  const MbsField *independent = &mbs_model_type.fields[MBS_MODEL_INITIAL].record->fields[MBS_INITIAL_INDEPENDENT];
  add_section(to, "initial.independent", NULL, independent, mbs_record_value(initial, MBS_INITIAL_INDEPENDENT));
  const MbsValue *points = mbs_record_value(initial, MBS_INITIAL_POINTS);
  for (int i = 0; i < points->count; ++i) {
    texts_of(&points->records[i].values[0], xyz);
    ENSURE_OK(context, mbs_model_add_initial_point(context, to, points->records[i].name.text, xyz[0], xyz[1], xyz[2]));
  }
  for (int i = mbs_model_type.field_count - 1; i >= 0; --i) {
    const MbsField *field = &mbs_model_type.fields[i];
    bool is_map = field->kind == MBS_FIELD_RECORD_MAP && i != MBS_MODEL_PARAMETERS;
    if (is_map || field->kind == MBS_FIELD_RECORD_LIST || field->kind == MBS_FIELD_JOINT_LIST ||
        field->kind == MBS_FIELD_FORCE_LIST) {
      add_section(to, field->name, NULL, field, mbs_record_value(root, i));
    }
  }
  const MbsValue *bodies = mbs_record_value(root, MBS_MODEL_BODIES);
  for (int i = 0; i < bodies->count; ++i) {
    const MbsValue *vectors = mbs_record_value(&bodies->records[i], MBS_BODY_VECTORS);
    for (int k = 0; k < vectors->count; ++k) {
      texts_of(&vectors->records[k].values[0], xyz);
      ENSURE_OK(context, mbs_model_add_vector(context, to, bodies->records[i].name.text, vectors->records[k].name.text,
                                              xyz[0], xyz[1], xyz[2]));
    }
    points = mbs_record_value(&bodies->records[i], MBS_BODY_POINTS);
    for (int k = 0; k < points->count; ++k) {
      texts_of(&points->records[k].values[0], xyz);
      ENSURE_OK(context, mbs_model_add_point(context, to, bodies->records[i].name.text, points->records[k].name.text,
                                             xyz[0], xyz[1], xyz[2]));
    }
  }
  points = mbs_record_value(mbs_record_child(root, MBS_MODEL_GROUND), MBS_GROUND_POINTS);
  for (int i = 0; i < points->count; ++i) {
    texts_of(&points->records[i].values[0], xyz);
    ENSURE_OK(context, mbs_model_add_ground_point(context, to, points->records[i].name.text, xyz[0], xyz[1], xyz[2]));
  }
  const MbsValue *vectors = mbs_record_value(mbs_record_child(root, MBS_MODEL_GROUND), MBS_GROUND_VECTORS);
  for (int i = 0; i < vectors->count; ++i) {
    texts_of(&vectors->records[i].values[0], xyz);
    ENSURE_OK(context, mbs_model_add_ground_vector(context, to, vectors->records[i].name.text, xyz[0], xyz[1], xyz[2]));
  }
  const MbsValue *variables = mbs_record_value(root, MBS_MODEL_VARIABLES);
  for (int i = 0; i < variables->count; ++i) {
    ENSURE_OK(context, mbs_model_add_variable(context, to, variables->records[i].name.text,
                                              variables->records[i].values[0].texts[0].text));
  }
  const MbsValue *inputs = mbs_record_value(root, MBS_MODEL_INPUTS);
  for (int i = 0; i < inputs->count; ++i) {
    ENSURE_OK(context, mbs_model_add_input(context, to, inputs->records[i].name.text,
                                           inputs->records[i].values[0].texts[0].text));
  }
  const MbsValue *inactive = mbs_record_value(mbs_record_child(root, MBS_MODEL_INITIAL), MBS_INITIAL_INACTIVE);
  if (inactive->count > 0) {
    ENSURE_OK(context, mbs_model_set_inactive(context, to, inactive->texts[0].text));
  }
  const MbsValue *events = mbs_record_value(root, MBS_MODEL_EVENTS);
  for (int i = 0; i < events->count; ++i) {
    const MbsValue *set = mbs_record_value(&events->records[i], MBS_EVENT_SET);
    for (int k = 0; k < set->count; ++k) {
      ENSURE_OK(context, mbs_model_set_at_event(context, to, events->records[i].name.text, set->records[k].name.text,
                                                set->records[k].values[0].texts[0].text));
    }
  }
  const MbsValue *parameters = mbs_record_value(root, MBS_MODEL_PARAMETERS);
  for (int i = 0; i < parameters->count; ++i) {
    if (strchr(parameters->records[i].name.text, '.')) {
      continue;  // of a hardpoint
    }
    ENSURE_OK(context, mbs_model_add_parameter(context, to, parameters->records[i].name.text,
                                               parameters->records[i].values[0].texts[0].text));
    ENSURE_OK(context, mbs_model_set_range(context, to, parameters->records[i].name.text,
                                           mbs_record_text(&parameters->records[i], MBS_PARAMETER_LOWER).text,
                                           mbs_record_text(&parameters->records[i], MBS_PARAMETER_UPPER).text,
                                           mbs_record_text(&parameters->records[i], MBS_PARAMETER_SCALE).text));
    ENSURE_OK(context,
              mbs_model_set_distribution(context, to, parameters->records[i].name.text,
                                         mbs_record_text(&parameters->records[i], MBS_PARAMETER_DISTRIBUTION).text));
  }
  add_settings(to, root, MBS_MODEL_OPTIMIZATION, mbs_model_set_optimization);
  add_settings(to, root, MBS_MODEL_IDENTIFICATION, mbs_model_set_identification);
  add_settings(to, root, MBS_MODEL_EQUILIBRIUM, mbs_model_set_equilibrium);
  MbsText equilibrium = mbs_record_text(initial, MBS_INITIAL_EQUILIBRIUM);
  if (mbs_record_value(initial, MBS_INITIAL_EQUILIBRIUM)->is_given) {
    ENSURE_OK(context, mbs_model_set_initial(context, to, "equilibrium", equilibrium.text));
  }
  const MbsValue *hardpoints = mbs_record_value(root, MBS_MODEL_HARDPOINTS);
  for (int i = 0; i < hardpoints->count; ++i) {
    texts_of(&hardpoints->records[i].values[0], xyz);
    ENSURE_OK(context, mbs_model_add_hardpoint(context, to, hardpoints->records[i].name.text, xyz[0], xyz[1], xyz[2]));
  }
  const MbsValue *functions = mbs_record_value(root, MBS_MODEL_FUNCTIONS);
  for (int i = 0; i < functions->count; ++i) {
    ENSURE_OK(context, mbs_model_add_function(context, to, functions->records[i].name.text,
                                              functions->records[i].values[0].texts[0].text));
  }
  if (mbs_record_value(root, MBS_MODEL_GRAVITY)->is_given) {
    texts_of(mbs_record_value(root, MBS_MODEL_GRAVITY), xyz);
    ENSURE_OK(context, mbs_model_set_gravity(context, to, xyz[0], xyz[1], xyz[2]));
  }
  return to;
}

// The call takes the names of several joints in one text.
static void join_inactive(MbsModel *model) {
  static char names[256];
  static MbsText joined = {.text = names};
  MbsValue *inactive =
      (MbsValue *)mbs_record_value(mbs_record_child(&model->root, MBS_MODEL_INITIAL), MBS_INITIAL_INACTIVE);
  names[0] = '\0';
  for (int i = 0; i < inactive->count; ++i) {
    size_t used = strlen(names);
    ENSURE(used + strlen(inactive->texts[i].text) + 3 < sizeof names);
    (void)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", inactive->texts[i].text);
  }
  if (inactive->count > 1) {
    inactive->count = 1;
    inactive->texts = &joined;
  }
}

static void test_rebuilt(const char *path, void *user) {
  (void)user;
  MbsModel *read = read_model(context, path);
  join_inactive(read);
  MbsModel *built = build_again(read);
  // a file may leave out name and dimension; calls always give them
  for (int field = MBS_MODEL_NAME; field <= MBS_MODEL_DIMENSION; ++field) {
    ((MbsValue *)&read->root.values[field])->is_given = true;
  }
  ENSURE(built->dimension == read->dimension);
  ENSURE(is_same_record(path, &mbs_model_type, &read->root, &built->root));
  mbs_model_destroy(built);
  mbs_model_destroy(read);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  ENSURE(for_each_file("models/*.yaml", test_rebuilt, NULL) >= 3);
  ENSURE(for_each_file("tests/models/*.yaml", test_rebuilt, NULL) >= 20);
  mbs_context_destroy(context);
  return 0;
}
