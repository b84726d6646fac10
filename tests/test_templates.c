// Includes, templates and assemblies: what they become, their limits, and the N four-bar against its reference digits.
//
// Events in templates are in test_template_events.c, mirrored assemblies in test_mirrors.c, the mistakes users make in
// tests/bad/template_*.yaml.
#include <unistd.h>

#include "io/assembly.h"
#include "model/force.h"
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
  ensure_text_refused(START "templates: {t: {}}\nassemblies: [{template: t, name: a, repeat: 50001}]\n",
                      "more than 50000 assemblies");
  // 45^3 instances are never made
  ensure_text_refused(START
                      "templates: {t: {}, u: {assemblies: [{template: t, name: a, repeat: 45}]},"
                      " v: {assemblies: [{template: u, name: a, repeat: 45}]}}\n"
                      "assemblies: [{template: v, name: a, repeat: 45}]\n",
                      "more than 50000 assemblies");
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

// ---- the N four-bar ----

// Errors of position and velocity of B(0) at 10 s, through the singular positions: at h = 1e-3 some 1e-4, falling as
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
  ENSURE(errors[1] < 2e-4);
  ENSURE_NEAR(errors[0] / errors[1], 4, 1);
  mbs_model_destroy(model);

  MbsCheck *check;
  model = read_model(context, "models/n_four_bar_40.yaml");
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
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
  test_four_bar();
  mbs_context_destroy(context);
  return 0;
}
