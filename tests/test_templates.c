// Includes, templates and assemblies: what they become, that a mirrored model moves as the mirror image of the model
// (for every element type and every shipped model), and the N four-bar against its reference digits.
//
// The mistakes users make are in tests/bad/template_*.yaml, for test_reader and test_bad_models.
#include <unistd.h>

#include "io/assembly.h"
#include "model/force.h"
#include "model/joint.h"
#include "support.h"

static MbsContext *context;

// ---- what becomes of a model ----

static const MbsRecord *find(const MbsValue *records, const char *name) {
  for (int i = 0; i < records->count; ++i) {
    if (strcmp(records->records[i].name.text, name) == 0) {
      return &records->records[i];
    }
  }
  (void)fprintf(stderr, "no \"%s\" among %d records\n", name, records->count);
  exit(1);
}

static const MbsValue *section(const MbsModel *model, int field) { return mbs_record_value(&model->root, field); }

static void test_expansion(void) {
  MbsModel *model = read_model(context, "tests/models/template_arms.yaml");
  // the including file's number takes the place of the included one
  const MbsValue *parameters = section(model, MBS_MODEL_PARAMETERS);
  ENSURE(parameters->count == 3);
  ENSURE_TEXT(find(parameters, "k")->values[0].texts[0].text, "50");
  ENSURE_TEXT(find(parameters, "stray")->values[0].texts[0].text, "7");
  ENSURE_TEXT(find(parameters, "stray")->name.place.file, "tests/models/parts/arm.yaml");
  // parameters go in as expressions, through two templates, and stay functions of the model's
  const MbsValue *bodies = section(model, MBS_MODEL_BODIES);
  ENSURE(bodies->count == 5);
  const MbsRecord *right = find(bodies, "right_bone_link"), *left = find(bodies, "left_bone_link");
  ENSURE_TEXT(mbs_record_text(right, MBS_BODY_MASS).text, "2*len");
  ENSURE_TEXT(mbs_record_text(left, MBS_BODY_MASS).text, "3");
  ENSURE_TEXT(mbs_record_text(right, MBS_BODY_COM).text, "len/2");
  ENSURE_TEXT(mbs_record_text(left, MBS_BODY_COM).text, "-((len/2 + 0.1)/2)");
  ENSURE_TEXT(mbs_record_value(left, MBS_BODY_COM)->texts[1].text, "0");
  // the place is that of the template's own text
  MbsPlace place = mbs_record_text(left, MBS_BODY_MASS).place;
  ENSURE_TEXT(place.file, "tests/models/parts/rod.yaml");
  ENSURE(place.line == 7 && place.column == 20);
  ENSURE_TEXT(mbs_record_text(find(bodies, "cell_3_link"), MBS_BODY_INERTIA).text, "1*(0.1 + 0.05*3)^2/12");
  // names: a parameter that stands for a point, a default that does, and elements without a name
  const MbsValue *joints = section(model, MBS_MODEL_JOINTS);
  ENSURE(joints->count == 5);
  ENSURE_TEXT(find(joints, "right_pivot")->values[0].texts[0].text, "ground.O");
  ENSURE_TEXT(find(joints, "left_pivot")->values[0].texts[0].text, "right_bone_link.B");
  ENSURE_TEXT(find(joints, "pin_3_revolute_1")->values[0].texts[0].text, "cell_2_link.B");
  ENSURE_TEXT(find(joints, "pin_3_revolute_1")->values[0].texts[1].text, "cell_3_link.A");
  ENSURE_TEXT(find(section(model, MBS_MODEL_FORCES), "left_pull")->values[0].texts[1].text, "ground.left_E");
  // placed and mirrored points, references as keys
  const MbsValue *ground = mbs_record_value(mbs_record_child(&model->root, MBS_MODEL_GROUND), MBS_GROUND_POINTS);
  ENSURE(ground->count == 3);
  ENSURE_TEXT(find(ground, "left_E")->values[0].texts[0].text, "(len)");
  ENSURE_TEXT(find(ground, "left_E")->values[0].texts[1].text, "-2*(len/2 + 0.1)");
  const MbsRecord *initial = mbs_record_child(&model->root, MBS_MODEL_INITIAL);
  ENSURE_TEXT(find(mbs_record_value(initial, MBS_INITIAL_POINTS), "left_bone_link.B")->values[0].texts[0].text,
              "(len) - (len/2 + 0.1)");
  ENSURE(mbs_record_value(initial, MBS_INITIAL_INDEPENDENT)->count == 5);
  // objectives, in the frame of the template
  const MbsValue *objectives = section(model, MBS_MODEL_OBJECTIVES);
  ENSURE(objectives->count == 5);
  ENSURE_TEXT(mbs_record_text(find(objectives, "right_tip"), MBS_OBJECTIVE_FINAL).text, "r(right_bone_link.B).x");
  ENSURE_TEXT(mbs_record_text(find(objectives, "left_tip"), MBS_OBJECTIVE_FINAL).text,
              "[-(r(left_bone_link.B).x - ((len))), r(left_bone_link.B).y].x");
  ENSURE_TEXT(mbs_record_text(find(objectives, "left_twice"), MBS_OBJECTIVE_VALUE).text, "2*left_tip");
  ENSURE_TEXT(mbs_record_text(find(objectives, "end"), MBS_OBJECTIVE_FINAL).text, "r(cell_3_link.B).y");
  mbs_model_destroy(model);
}

// ---- texts ----

#define START "mbsens: 1\n"

// The first text of the objective `o` of a model with this in it.
static void ensure_text(const char *text, const char *name, const char *expected) {
  MbsModel *model = read_text(context, "m.yaml", text);
  const MbsRecord *objective = find(section(model, MBS_MODEL_OBJECTIVES), name);
  ENSURE_TEXT(mbs_record_text(objective, MBS_OBJECTIVE_VALUE).text, expected);
  mbs_model_destroy(model);
}

static void test_texts(void) {
  // constants are numbers; names after a dot, functions and what is not a constant stay
  ensure_text(START "constants: {x: 2, y: -x^2}\nobjectives: {o: {value: \"x*q + y.x + [x, y].x - y\"}}\n", "o",
              "2*q + (-4).x + [2, (-4)].x - (-4)");
  // a name of a force law is not a parameter of the template, though it is called so
  MbsModel *model = read_text(
      context, "m.yaml",
      START
      "templates:\n  t: {parameters: {length: 3, k: 1 + 1}, forces: [{spring: [A.P, B.P], law: k*(length - 1)},"
      " {spring: [A.P, B.P], stiffness: k, length: length}]}\n"
      "assemblies: [{template: t, name: a}]\n");
  const MbsValue *forces = section(model, MBS_MODEL_FORCES);
  const MbsRecordType *spring = &mbs_force_types[forces->records[0].type]->record;
  for (int i = 0; i < spring->field_count; ++i) {
    if (strcmp(spring->fields[i].name, "law") == 0) {
      ENSURE_TEXT(mbs_record_text(&forces->records[0], i).text, "(1 + 1)*(length - 1)");
    } else if (strcmp(spring->fields[i].name, "length") == 0) {
      ENSURE_TEXT(mbs_record_text(&forces->records[1], i).text, "3");
    }
  }
  mbs_model_destroy(model);
  // i is that of the innermost repetition; an outer one is handed in by a parameter
  ensure_text(START
              "templates:\n"
              "  in: {parameters: {row: }, objectives: {o: {value: 10*row + i}}}\n"
              "  out: {assemblies: [{template: in, name: b, repeat: 2, with: {row: k}}], parameters: {k: }}\n"
              "assemblies: [{template: out, name: a, repeat: 3, first: -1, with: {k: i}}]\n",
              "a_minus_1_b_2_o", "10*(-1) + 2");
  // two mirrors make a half turn, and a shift in a mirrored frame is mirrored
  ensure_text(
      START
      "templates:\n"
      "  in: {objectives: {o: {value: \"r(B.P).x + angle(B) + v(B.P).y + angle(B.P, C.P) + distance(B.P, C.P)\"}}}\n"
      "  out: {assemblies: [{template: in, name: b, mirror: y, at: [2, 0]}]}\n"
      "assemblies: [{template: out, name: a, mirror: x, at: [1, p]}]\n",
      "a_b_o",
      "[-(r(B.P).x - ((1) - (2))), -(r(B.P).y - ((p)))].x + (angle(B)) + [-v(B.P).x, -v(B.P).y].y + "
      "(angle(C.P, B.P)) + distance(B.P, C.P)");
}

// ---- includes ----

static void write_file(const char *folder, const char *name, const char *text) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  ENSURE(file != NULL);
  (void)fputs(text, file);
  ENSURE(fclose(file) == 0);
}

static void ensure_refused(const char *path, const char *part) {
  MbsModel *model;
  ENSURE(mbs_model_read_file(context, path, &model) == MBS_ERROR_INPUT);
  ENSURE(model == NULL);
  ENSURE_CONTAINS(mbs_context_message(context), part);
}

static void test_includes(void) {
  char folder[] = "/tmp/test_templates_XXXXXX", path[512];
  ENSURE(mkdtemp(folder) != NULL);
  (void)snprintf(path, sizeof path, "%s/m.yaml", folder);
  // a cycle over two files is told where it closes
  write_file(folder, "m.yaml", "mbsens: 1\ninclude: a.yaml\n");
  write_file(folder, "a.yaml", "mbsens: 1\ninclude: [b.yaml]\n");
  write_file(folder, "b.yaml", "mbsens: 1\nname: b\ninclude: [./a.yaml]\n");
  ensure_refused(path, "/b.yaml:3:11: error: include: ");
  ensure_refused(path, "includes itself");
  // the same file over two ways is read once, and single values, maps and lists are joined
  write_file(folder, "b.yaml", "mbsens: 1\nparameters: {p: 1, q: 2}\nforces: [{spring: [A.P, B.P], length: 1}]\n");
  write_file(folder, "m.yaml",
             "mbsens: 1\ninclude: [a.yaml, b.yaml]\nparameters: {q: 3}\nforces: [{spring: [A.P, B.P], length: 2}]\n"
             "simulation: {end: 4}\n");
  write_file(folder, "a.yaml", "mbsens: 1\ninclude: b.yaml\nname: from a\nsimulation: {end: 3, step: 0.5}\n");
  MbsModel *model = read_model(context, path);
  ENSURE_TEXT(mbs_record_text(&model->root, MBS_MODEL_NAME).text, "from a");
  ENSURE(section(model, MBS_MODEL_PARAMETERS)->count == 2);
  ENSURE_TEXT(find(section(model, MBS_MODEL_PARAMETERS), "q")->values[0].texts[0].text, "3");
  ENSURE(section(model, MBS_MODEL_FORCES)->count == 2);
  ENSURE_CONTAINS(section(model, MBS_MODEL_FORCES)->records[0].values[0].place.file, "/b.yaml");
  const MbsRecord *simulation = mbs_record_child(&model->root, MBS_MODEL_SIMULATION);
  ENSURE_TEXT(mbs_record_text(simulation, MBS_SIMULATION_END).text, "4");
  ENSURE_TEXT(mbs_record_text(simulation, MBS_SIMULATION_STEP).text, "0.5");
  mbs_model_destroy(model);
  // two files side by side do not say the same thing twice
  write_file(folder, "a.yaml", "mbsens: 1\nparameters: {p: 5}\n");
  ensure_refused(path, "/b.yaml:2:14: error: \"p\" is also at ");
  // mistakes of an included file are told in it
  write_file(folder, "a.yaml", "mbsens: 1\nbodies: {A: {mas: 1}}\n");
  ensure_refused(path, "/a.yaml:2:14: error: body \"A\": unknown key \"mas\"; did you mean \"mass\"?");
  write_file(folder, "a.yaml", "mbsens: 2\n");
  ensure_refused(path, "/a.yaml:1:9: error: format version 2 is not known");
  static const char *const names[] = {"a.yaml", "b.yaml", "m.yaml"};
  for (int i = 0; i < MBS_COUNT(names); ++i) {
    (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    ENSURE(unlink(path) == 0);
  }
  ENSURE(rmdir(folder) == 0);
}

// ---- documentation ----

// The example of docs/model-file.md is a model, and does what is said there.
static void test_documented_example(void) {
  static char page[64 * 1024];
  FILE *file = fopen("docs/model-file.md", "rb");
  ENSURE(file != NULL);
  size_t length = fread(page, 1, sizeof page - 1, file);
  (void)fclose(file);
  page[length] = '\0';
  char *example = strstr(page, "## Templates");
  ENSURE(example != NULL);
  example = strstr(example, "mbsens: 1");
  *strstr(example, "```") = '\0';
  MbsModel *model = read_text(context, "model-file.md", example);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  bool is_there = false;
  for (int i = 0; i < result->objective_count; ++i) {
    if (strcmp(result->objectives[i], "both") == 0) {
      is_there = true;
      ENSURE_NEAR(result->values[i], 0, 1e-12);  // rounding of a number of 0.6
    } else if (strcmp(result->objectives[i], "left_reach") == 0) {
      ENSURE(result->values[i] > 0.1);
    }
  }
  ENSURE(is_there);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- limits ----

static void ensure_text_refused(const char *text, const char *part) {
  MbsModel *model;
  ENSURE(mbs_model_read_text(context, text, strlen(text), "m.yaml", &model) == MBS_ERROR_INPUT);
  ENSURE(strncmp(mbs_context_message(context), "m.yaml:", 7) == 0);
  ENSURE_CONTAINS(mbs_context_message(context), part);
}

static void test_limits(void) {
  ensure_text_refused(START
                      "templates: {t: {assemblies: [{template: t, name: a}]}}\nassemblies: [{template: t, name: a}]\n",
                      "deeper than 8 levels");
  ensure_text_refused(START "templates: {t: {}}\nassemblies: [{template: t, name: a, repeat: 2001}]\n",
                      "more than 2000 assemblies");
  // 45^3 instances are never made
  ensure_text_refused(START
                      "templates: {t: {}, u: {assemblies: [{template: t, name: a, repeat: 45}]},"
                      " v: {assemblies: [{template: u, name: a, repeat: 45}]}}\n"
                      "assemblies: [{template: v, name: a, repeat: 45}]\n",
                      "more than 2000 assemblies");
  // parameters that double each other
  char text[8192] = START "templates: {t: {parameters: {a0: q + 1", *end = text + strlen(text);
  for (int i = 1; i < 30; ++i) {
    end += snprintf(end, 64, ", a%d: a%d*a%d", i, i - 1, i - 1);
  }
  (void)snprintf(end, 200, "}, objectives: {o: {value: a29}}}}\nassemblies: [{template: t, name: x}]\n");
  ensure_text_refused(text, "more than 10000 characters");
  // parentheses in parentheses
  char deep[4096] = START "objectives: {o: {final: \"";
  for (int i = 0; i < 200; ++i) {
    strcat(deep, "r(a(");
  }
  for (int i = 0; i < 200; ++i) {
    strcat(deep, "))");
  }
  strcat(deep, "\"}}\nconstants: {N: 1}\n");
  ensure_text_refused(deep, "deeper than 32");
}

// ---- mirror images ----

// Angles, torques and what is proportional to one of them change sign, and nothing else does. The units tell them:
// this finds a new field that was not thought about.
static void check_flags(const MbsRecordType *type) {
  static const char *const odd[] = {"rad", "N m", "m/rad"};
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
    ENSURE_OK(context, mbs_check(context, models[i], &request.settings, &checks[i]));
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
  int models, objectives, refused, other_starts;
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
  (void)for_each_file("tests/models/template_*.yaml", check_mirror, &mirrors);
  (void)for_each_file("models/*.yaml", check_mirror, &mirrors);
  (void)printf("%d mirror images, %d objectives, the worst off by %.1e; %d refused, %d start otherwise\n",
               mirrors.models, mirrors.objectives, mirrors.worst, mirrors.refused, mirrors.other_starts);
  ENSURE(mirrors.models > 100);
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

// ---- the N four-bar ----

// Errors of position and velocity of B(0) at 10 s, through the singular positions: at h = 1e-3 some 1e-3, falling as
// h^2.
static void test_four_bar(void) {
  static const double reference[] = {.32845811154081, .94451853817860, 1.4230514702069, -.4948688454870};
  MbsModel *model = read_model(context, "models/n_four_bar.yaml");
  MbsRequest request;
  double errors[2];
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  for (int run_number = 0; run_number < 2; ++run_number) {
    MbsResult *result;
    request.settings.step = run_number == 0 ? 2e-3 : 1e-3;
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    ENSURE(result->objective_count == 4);
    errors[run_number] = 0;
    for (int i = 0; i < 4; ++i) {
      errors[run_number] = fmax(errors[run_number], fabs(result->values[i] - reference[i]));
    }
    mbs_result_destroy(result);
  }
  (void)printf("N = 2: largest error %.2e, with half the step %.2e\n", errors[0], errors[1]);
  ENSURE(errors[1] < 1.5e-3);
  ENSURE_NEAR(errors[0] / errors[1], 4, 0.2);
  mbs_model_destroy(model);

  MbsCheck *check;
  model = read_model(context, "models/n_four_bar_40.yaml");
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request.settings, &check));
  ENSURE(check->bodies == 81 && check->coordinates == 82 && check->constraints == 81);
  ENSURE(check->degrees_of_freedom == 1);
  mbs_check_destroy(check);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context != NULL);
  test_expansion();
  test_texts();
  test_includes();
  test_documented_example();
  test_limits();
  test_flags();
  test_mirrors();
  test_four_bar();
  mbs_context_destroy(context);
  return 0;
}
