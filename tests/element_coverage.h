// For test_all_elements: is everything there that ought to be compared? Every registered type has a model, every field
// of a type, and of what they are made of (ground, bodies, coordinates), is given in one, every number of a model is
// made of parameters.
#ifndef MBS_ELEMENT_COVERAGE_H
#define MBS_ELEMENT_COVERAGE_H

#include "model/force.h"
#include "model/joint.h"
#include "support.h"

// ---- the registries ----
typedef struct Search {
  MbsContext *context;
  int section;  // of the model: joints or forces
  int type;     // index in the registry
  int found;    // elements of that type
  bool *is_given;
} Search;

static void look_for_type(const char *path, void *user) {
  Search *search = user;
  MbsModel *model = read_model(search->context, path);
  const MbsValue *elements = mbs_record_value(&model->root, search->section);
  for (int i = 0; i < elements->count; ++i) {
    const MbsRecord *record = &elements->records[i];
    if (record->type == search->type) {
      const MbsRecordType *type = search->section == MBS_MODEL_JOINTS ? &mbs_joint_types[search->type]->record
                                                                      : &mbs_force_types[search->type]->record;
      search->found += 1;
      for (int f = 0; f < type->field_count; ++f) {
        search->is_given[f] |= mbs_record_value(record, f)->is_given;
      }
    }
  }
  mbs_model_destroy(model);
}

static void check_type(MbsContext *context, const char *family, int section, int index, const MbsRecordType *type) {
  char pattern[128];
  bool is_given[64] = {false};
  Search search = {.context = context, .section = section, .type = index, .is_given = is_given};
  ENSURE(type->field_count <= MBS_COUNT(is_given));
  (void)snprintf(pattern, sizeof pattern, "tests/models/element_%s_*.yaml", type->name);
  (void)for_each_file(pattern, look_for_type, &search);
  if (search.found == 0) {
    (void)fprintf(stderr, "no test model for %s %s: write %s\n", family, type->name, pattern);
    exit(1);
  }
  for (int f = 0; f < type->field_count; ++f) {
    if (!is_given[f]) {
      (void)fprintf(stderr, "%s %s: no test model gives its field %s\n", family, type->name, type->fields[f].name);
      exit(1);
    }
  }
}

// ---- the sections they stand on ----
static void look_for_fields(const char *path, void *user) {
  Search *search = user;
  MbsModel *model = read_model(search->context, path);
  const MbsValue *records = mbs_record_value(&model->root, search->section);
  for (int i = 0; i < records->count; ++i) {
    for (int f = 0; f < mbs_model_type.fields[search->section].record->field_count; ++f) {
      search->is_given[f] |= mbs_record_value(&records->records[i], f)->is_given;
    }
  }
  mbs_model_destroy(model);
}

static void check_section(MbsContext *context, int section) {
  const MbsRecordType *type = mbs_model_type.fields[section].record;
  bool is_given[64] = {false};
  Search search = {.context = context, .section = section, .is_given = is_given};
  ENSURE(type->field_count <= MBS_COUNT(is_given));
  (void)for_each_file("tests/models/element_*.yaml", look_for_fields, &search);
  for (int f = 0; f < type->field_count; ++f) {
    if (!is_given[f]) {
      (void)fprintf(stderr, "%s: no test model gives its field %s\n", type->name, type->fields[f].name);
      exit(1);
    }
  }
}

// every type has a model, every field of a type is given in one
static void every_type_has_models(MbsContext *context) {
  check_section(context, MBS_MODEL_GROUND);
  check_section(context, MBS_MODEL_BODIES);
  check_section(context, MBS_MODEL_COORDINATES);
  for (int i = 0; mbs_joint_types[i]; ++i) {
    check_type(context, "joint", MBS_MODEL_JOINTS, i, &mbs_joint_types[i]->record);
  }
  for (int i = 0; mbs_force_types[i]; ++i) {
    check_type(context, "force", MBS_MODEL_FORCES, i, &mbs_force_types[i]->record);
  }
}

// ---- the numbers of a model ----
static bool is_constant(const MbsGraph *graph, MbsNode node) {
  return mbs_graph_node(graph, node)->operation == MBS_OP_CONSTANT;
}

// where to start looking for the position, where the one point of a point mass is in its own axes, velocities that are
// not written, and gravity where there are no bodies: no derivative
static bool may_be_constant(const MbsBlueprint *blueprint, const char *name) {
  static const char *const guesses[] = {"position", "angle", "rotation"};
  char part[128];
  const char *field = strrchr(name, ':');
  bool may_be = field && (strcmp(field, ": points") == 0 || strcmp(field, ": guess") == 0);
  may_be |= blueprint->bodies.count == 1 && strcmp(name, "model: gravity") == 0;
  for (int i = 0; i < blueprint->independents.count && !may_be; ++i) {
    const MbsIndependentSpec *independent = &blueprint->independents.items[i];
    (void)snprintf(part, sizeof part, "independent coordinate \"%s\": velocity", independent->name);
    may_be = !independent->has_velocity && strcmp(name, part) == 0;
  }
  for (int b = 1; b < blueprint->bodies.count && !may_be; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    for (int i = 0; i < MBS_COUNT(guesses) && !may_be; ++i) {
      (void)snprintf(part, sizeof part, "body \"%s\": %s", body->name, guesses[i]);
      may_be = strcmp(name, part) == 0;
    }
    if (body->kind == MBS_BODY_POINT_MASS && !may_be) {
      (void)snprintf(part, sizeof part, "point \"%s.", body->name);
      may_be = strncmp(name, part, strlen(part)) == 0;
      (void)snprintf(part, sizeof part, "body \"%s\": com", body->name);
      may_be |= strcmp(name, part) == 0;
    }
  }
  return may_be;
}

static void every_number_is_a_parameter(const char *path, const MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->properties.count; ++i) {
    const MbsProperty *property = &blueprint->properties.items[i];
    if (is_constant(blueprint->graph, property->node) && !may_be_constant(blueprint, property->name)) {
      (void)fprintf(stderr, "%s: %s is the constant %s: make it a parameter, or it goes untested\n", path,
                    property->name, property->text.text);
      exit(1);
    }
  }
}

#endif
