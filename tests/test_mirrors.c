// A mirrored assembly moves as the mirror image of the model, for every element type and every shipped model.
#include "io/assembly.h"
#include "model/force.h"
#include "model/joint.h"
#include "support.h"

static MbsContext *context;

static const MbsValue *section(const MbsModel *model, int field) { return mbs_record_value(&model->root, field); }

// Angles, torques and what is proportional to one of them change sign, and nothing else does. The units tell them:
// this finds a new field that was not thought about.
static void check_flags(const MbsRecordType *type) {
  static const char *const odd[] = {"rad", "N m", "m/rad", "m/rev"};
  for (int i = 0; i < type->field_count; ++i) {
    const MbsField *field = &type->fields[i];
    bool is_odd = false;
    for (int k = 0; k < MBS_COUNT(odd); ++k) {
      is_odd = is_odd || (field->unit && strcmp(field->unit, odd[k]) == 0);
    }
    if (is_odd != (field->mirror == MBS_MIRROR_ANGULAR)) {
      (void)fprintf(stderr, "%s: %s: is it an angle or torque? Say so with .mirror (field.h)\n", type->name,
                    field->name);
      exit(1);
    }
  }
}

static void test_flags(void) {
  for (int i = 0; mbs_joint_types[i]; ++i) {
    check_flags(&mbs_joint_types[i]->record);
  }
  for (int i = 0; mbs_force_types[i]; ++i) {
    check_flags(&mbs_force_types[i]->record);
  }
  check_flags(mbs_model_type.fields[MBS_MODEL_BODIES].record);
  check_flags(mbs_model_type.fields[MBS_MODEL_GROUND].record);
  check_flags(mbs_model_type.fields[MBS_MODEL_COORDINATES].record);
}

static void emit(FILE *out, const MbsYaml *node) {
  bool is_mapping = node->kind == MBS_YAML_MAPPING;
  if (node->kind == MBS_YAML_SCALAR) {
    (void)fprintf(out, "\"%s\"", node->text);  // no model has quotes or backslashes in a text
    return;
  }
  (void)fputs(is_mapping ? "{" : "[", out);
  for (const MbsYaml *child = node->first; child; child = child->next) {
    if (is_mapping) {
      (void)fprintf(out, "\"%s\": ", child->key.text);
    }
    emit(out, child);
    (void)fputs(child->next ? ", " : "", out);
  }
  (void)fputs(is_mapping ? "}" : "]", out);
}

static bool is_template_section(const char *name) {
  for (int i = 0; i < MBS_TEMPLATE_SECTION_COUNT; ++i) {
    if (strcmp(mbs_model_type.fields[mbs_template_sections[i]].name, name) == 0) {
      return true;
    }
  }
  return false;
}

// The model as a template that is placed once, mirrored, under gravity mirrored alike. NULL: it has templates itself.
static char *mirrored(const MbsYaml *root, int axis) {
  char *text;
  size_t length;
  for (int i = 0; i < mbs_file_type.field_count; ++i) {
    if (mbs_yaml_find(root, mbs_file_type.fields[i].name)) {
      return NULL;
    }
  }
  FILE *out = open_memstream(&text, &length);
  ENSURE(out != NULL);
  (void)fputs("{", out);
  for (const MbsYaml *pair = root->first; pair; pair = pair->next) {
    if (strcmp(pair->key.text, "gravity") == 0) {
      (void)fputs("\"gravity\": [", out);
      int k = 0;
      for (const MbsYaml *item = pair->first; item; item = item->next, ++k) {
        (void)fprintf(out, "%s\"%s(%s)\"", k > 0 ? ", " : "", k == axis ? "-" : "", item->text);
      }
      (void)fputs("], ", out);
    } else if (!is_template_section(pair->key.text)) {
      (void)fprintf(out, "\"%s\": ", pair->key.text);
      emit(out, pair);
      (void)fputs(", ", out);
    }
  }
  (void)fputs("\"templates\": {\"t\": {", out);
  const char *separator = "";
  for (const MbsYaml *pair = root->first; pair; pair = pair->next) {
    if (is_template_section(pair->key.text)) {
      (void)fprintf(out, "%s\"%s\": ", separator, pair->key.text);
      emit(out, pair);
      separator = ", ";
    }
  }
  // where the independent coordinates are chosen automatically, other roundings could choose others: no shift there
  const MbsYaml *initial = mbs_yaml_find(root, "initial"), *dimension = mbs_yaml_find(root, "dimension");
  bool is_shifted = initial && mbs_yaml_find(initial, "independent");
  bool is_spatial = dimension && strcmp(dimension->text, "3") == 0;
  (void)fprintf(out, "}}, \"assemblies\": [{\"template\": \"t\", \"name\": \"m\", \"mirror\": \"%c\"%s}]}", "xyz"[axis],
                !is_shifted  ? ""
                : is_spatial ? ", \"at\": [0.3, -0.7, 0.4]"
                             : ", \"at\": [0.3, -0.7]");
  ENSURE(fclose(out) == 0);
  return text;
}

static MbsResult *run(const MbsModel *model) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.end = fmin(request.settings.end, 10 * request.settings.step);
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

// Do both start alike? Not where the independent coordinates are chosen automatically and rounding breaks ties another
// way.
static bool is_same_start(const MbsModel *model, const MbsModel *image) {
  MbsCheck *checks[2];
  const MbsModel *models[] = {model, image};
  for (int i = 0; i < 2; ++i) {
    MbsRequest request;
    ENSURE_OK(context, mbs_request_default(context, models[i], &request));
    ENSURE_OK(context, mbs_check(context, models[i], &request, &checks[i]));
  }
  ENSURE(checks[0]->coordinates == checks[1]->coordinates && checks[0]->redundant == checks[1]->redundant);
  ENSURE(checks[0]->independent_count == checks[1]->independent_count);
  bool is_same = true;
  for (int i = 0; checks[0]->is_independent_automatic && i < checks[0]->independent_count; ++i) {
    const char *name = checks[1]->independent_names[i];
    is_same = is_same && strcmp(checks[0]->independent_names[i], name + (strncmp(name, "m_", 2) == 0 ? 2 : 0)) == 0;
  }
  mbs_check_destroy(checks[0]);
  mbs_check_destroy(checks[1]);
  return is_same;
}

// Is the objective made of multipliers? Their signs are those of the rows, which a mirror may change.
static bool has_multipliers(const MbsYaml *root, const char *name) {
  const MbsYaml *objective = mbs_yaml_find(mbs_yaml_find(root, "objectives"), name);
  return strstr(objective->first->text, "lambda(") || strcmp(objective->first->key.text, "value") == 0;
}

typedef struct Mirrored {
  int models, objectives, events, refused, other_starts;
  double worst;
  bool has_joint[2][64], has_force[2][64];  // in the plane, in space
} Mirrored;

// Values and gradients of the mirror image are those of the model: a mirrored motion is a motion under mirrored
// gravity. Ten steps amplify the rounding of other expressions for the same numbers to some 1e-13 of the largest entry,
// and 1e-10 is allowed; a wrong sign shows as 1e-6 and more.
static void compare_mirror(const char *path, const MbsYaml *root, int axis, Mirrored *mirrored_so_far) {
  // the redundant constraint of Bricard's linkage is found or not by the rounding of its position: shifted, it may not
  char *text = strcmp(path, "models/bricard.yaml") == 0 ? NULL : mirrored(root, axis);
  if (!text) {
    return;
  }
  MbsModel *image;
  MbsStatus status = mbs_model_read_text(context, text, strlen(text), path, &image);
  if (status == MBS_ERROR_NOT_OFFERED) {
    // angles about axes with other numbers on each body, in space
    ENSURE_CONTAINS(mbs_context_message(context), "axis2");
    mirrored_so_far->refused += 1;
    free(text);
    return;
  }
  ENSURE_OK(context, status);
  MbsModel *model = read_model(context, path);
  if (!is_same_start(model, image)) {
    mirrored_so_far->other_starts += 1;
    mbs_model_destroy(model);
    mbs_model_destroy(image);
    free(text);
    return;
  }
  MbsResult *expected = run(model), *result = run(image);
  ENSURE(result->objective_count == expected->objective_count && result->parameter_count == expected->parameter_count);
  for (int i = 0; i < expected->objective_count; ++i) {
    if (has_multipliers(root, expected->objectives[i])) {
      continue;
    }
    const double *a = expected->gradient + i * expected->parameter_count;
    const double *b = result->gradient + i * expected->parameter_count;
    double largest = largest_of(expected->parameter_count, a);
    double error = fabs(result->values[i] - expected->values[i]) / (1 + fabs(expected->values[i]));
    for (int k = 0; k < expected->parameter_count; ++k) {
      error = fmax(error, fabs(a[k] - b[k]) / (1 + largest));
    }
    if (!(error < 1e-10)) {
      (void)fprintf(stderr, "%s: mirrored in %c: %s is off by %.3g (%.10g, expected %.10g)\n", path, "xyz"[axis],
                    expected -> objectives[i], error, result -> values[i], expected -> values[i]);
      exit(1);
    }
    mirrored_so_far->objectives += 1;
    mirrored_so_far->worst = fmax(mirrored_so_far->worst, error);
  }
  // events happen at the same times, in the same order, under the instance's names
  ENSURE(result->event_count == expected->event_count);
  for (int i = 0; i < expected->event_count; ++i) {
    const MbsEventResult *a = &expected->events[i], *b = &result->events[i];
    bool is_branch = strchr(a->name, '"') != NULL;  // of a force or objective
    ENSURE(is_branch ? strstr(b->name, "\"m_") != NULL
                     : strncmp(b->name, "m_", 2) == 0 && strcmp(b->name + 2, a->name) == 0);
    ENSURE_NEAR(b->time, a->time, 1e-12);
    for (int k = 0; k < expected->parameter_count; ++k) {
      ENSURE_NEAR(b->gradient[k], a->gradient[k], 1e-10 * (1 + largest_of(expected->parameter_count, a->gradient)));
    }
    mirrored_so_far->events += 1;
  }
  mirrored_so_far->models += 1;
  const MbsValue *joints = section(model, MBS_MODEL_JOINTS), *forces = section(model, MBS_MODEL_FORCES);
  for (int i = 0; i < joints->count; ++i) {
    mirrored_so_far->has_joint[model->dimension - 2][joints->records[i].type] = true;
  }
  for (int i = 0; i < forces->count; ++i) {
    mirrored_so_far->has_force[model->dimension - 2][forces->records[i].type] = true;
  }
  mbs_result_destroy(expected);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  mbs_model_destroy(image);
  free(text);
}

static void check_mirror(const char *path, void *user) {
  char text[32 * 1024];
  FILE *file = fopen(path, "rb");
  ENSURE(file != NULL);
  size_t length = fread(text, 1, sizeof text, file);
  ENSURE(length < sizeof text);
  (void)fclose(file);
  MbsArena *arena = mbs_arena_create();
  const MbsYaml *root;
  ENSURE(arena != NULL);
  ENSURE_OK(context, mbs_yaml_parse(context, arena, text, length, path, &root));
  const MbsYaml *dimension = mbs_yaml_find(root, "dimension");
  for (int axis = 0; axis < (dimension && strcmp(dimension->text, "3") == 0 ? 3 : 2); ++axis) {
    compare_mirror(path, root, axis, user);
  }
  mbs_arena_destroy(arena);
}

static void test_mirrors(void) {
  Mirrored mirrors = {.models = 0};
  (void)for_each_file("tests/models/element_*.yaml", check_mirror, &mirrors);
  (void)for_each_file("tests/models/event_*.yaml", check_mirror, &mirrors);
  (void)for_each_file("tests/models/template_*.yaml", check_mirror, &mirrors);
  (void)for_each_file("models/*.yaml", check_mirror, &mirrors);
  (void)printf("%d mirror images, %d objectives, the worst off by %.1e; %d events; %d refused, %d start otherwise\n",
               mirrors.models, mirrors.objectives, mirrors.worst, mirrors.events, mirrors.refused,
               mirrors.other_starts);
  ENSURE(mirrors.models > 100 && mirrors.events >= 10);
  // none of the elements was left out
  int missing = 0;
  for (int spatial = 0; spatial < 2; ++spatial) {
    for (int i = 0; mbs_joint_types[i]; ++i) {
      int only = mbs_joint_types[i]->only_dimension;
      if (!mirrors.has_joint[spatial][i] && (only == 0 || only == 2 + spatial)) {
        missing += 1;
        (void)fprintf(stderr, "no mirror image of joint %s in dimension %d was compared\n",
                      mbs_joint_types[i]->record.name, 2 + spatial);
      }
    }
    for (int i = 0; mbs_force_types[i]; ++i) {
      if (!mirrors.has_force[spatial][i]) {
        missing += 1;
        (void)fprintf(stderr, "no mirror image of force %s in dimension %d was compared\n",
                      mbs_force_types[i]->record.name, 2 + spatial);
      }
    }
  }
  ENSURE(missing == 0);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context != NULL);
  test_flags();
  test_mirrors();
  mbs_context_destroy(context);
  return 0;
}
