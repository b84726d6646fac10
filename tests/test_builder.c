// Models by calls are the models of files: the five-bar linkage of examples/build_five_bar.c has the same bits, the
// generated calls are those of the field tables, every mistake in a call is told (and test_rebuilt_models.c).
#include <locale.h>
#include <mbsens/build.h>

#include "io/header.h"
#include "same_tree.h"
#include "support.h"

// the example itself, whose main becomes a function
int example_main(void);
#define main example_main
#include "../examples/build_five_bar.c"
#undef main

static MbsContext *context;

// ---- the same bits ----

static MbsResult *run(const MbsModel *model, const char *formulation, MbsMethod method) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  request.method = method;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

static void ensure_same_bits(int count, const double *a, const double *b) {
  for (int i = 0; i < count; ++i) {
    ENSURE(isfinite(a[i]));
    ENSURE(memcmp(&a[i], &b[i], sizeof a[i]) == 0);
  }
}

static void test_five_bar(void) {
  MbsModel *read = read_model(context, "models/five_bar.yaml"), *built;
  ENSURE_OK(context, mbs_model_create(context, "five-bar linkage", 2, &built));
  ENSURE_OK(context, build(context, built));
  ENSURE(is_same_record("five-bar", &mbs_model_type, &read->root, &built->root));
  const char *formulations[] = {"index1", "penalty"};
  const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_COMPLEX_STEP};
  for (int f = 0; f < 2; ++f) {
    for (int m = 0; m < 2; ++m) {
      MbsResult *a = run(read, formulations[f], methods[m]), *b = run(built, formulations[f], methods[m]);
      ENSURE(a->objective_count == 3 && a->parameter_count == 5);
      ENSURE(b->objective_count == 3 && b->parameter_count == 5);
      ensure_same_bits(3, a->values, b->values);
      ensure_same_bits(15, a->gradient, b->gradient);
      ENSURE(a->point_count > 0 && a->point_count == b->point_count);
      for (int i = 0; i < a->point_count; ++i) {
        ENSURE_TEXT(b->points[i].name, a->points[i].name);
        ensure_same_bits(3, a->points[i].position, b->points[i].position);
      }
      ENSURE(largest_of(15, a->gradient) > 1);  // not the same zeros
      mbs_result_destroy(a);
      mbs_result_destroy(b);
    }
  }
  // two bits of difference in one number would be seen
  MbsResult *a = run(read, "index1", MBS_METHOD_NONE);
  ENSURE_OK(context, mbs_model_set(context, built, "mA1", "1.0000000000000004"));
  MbsResult *b = run(built, "index1", MBS_METHOD_NONE);
  ENSURE(memcmp(a->values, b->values, 3 * sizeof *a->values) != 0);
  mbs_result_destroy(a);
  mbs_result_destroy(b);
  mbs_model_destroy(read);
  mbs_model_destroy(built);
}

// ---- numbers ----

static void test_numbers(void) {
  MbsModel *model;
  ENSURE_OK(context, mbs_model_create(context, "numbers", 2, &model));
  ENSURE_TEXT(mbs_number(model, 1.5), "1.5");
  ENSURE_TEXT(mbs_number(model, 0.1), "0.1");
  ENSURE_TEXT(mbs_number(model, -9.81), "-9.81");
  ENSURE_TEXT(mbs_number(model, 1.0 / 3), "0.3333333333333333");
  ENSURE_TEXT(mbs_number(model, 1e300), "1e+300");
  ENSURE_TEXT(mbs_number(model, 2), "2");
  uint64_t seed = 7;
  for (int i = 0; i < 1000; ++i) {
    double number = random_number(&seed) * pow(10, 300 * random_number(&seed));
    ENSURE(strtod(mbs_number(model, number), NULL) == number);
  }
  ENSURE_TEXT(mbs_number(model, (double)NAN), "");
  ENSURE_TEXT(mbs_number(model, -(double)INFINITY), "");
  ENSURE_TEXT(mbs_number(NULL, 1), "");
  ENSURE(mbs_model_add_parameter(context, model, "p", mbs_number(model, (double)NAN)) == MBS_ERROR_INPUT);
  ENSURE_TEXT(mbs_context_message(context), "parameters: p: expected a number or expression, found nothing");
  mbs_model_destroy(model);
}

// ---- the generated calls ----

// the first text of a field of the last entry of a section
static const char *last_text(const MbsModel *model, int section, const char *key, int index) {
  const MbsValue *value = mbs_record_value(&model->root, section);
  const MbsRecord *record = &value->records[value->count - 1];
  const MbsRecordType *type = type_of(&mbs_model_type.fields[section], record);
  for (int i = 0; i < type->field_count; ++i) {
    if (strcmp(type->fields[i].name, key) == 0) {
      return record->values[i].count > index ? record->values[i].texts[index].text : NULL;
    }
  }
  return NULL;
}

static void test_generated(void) {
  char *header, *file;
  size_t length;
  FILE *out = open_memstream(&header, &length);
  ENSURE(out);
  mbs_header_write(out);
  ENSURE(fclose(out) == 0);
  FILE *in = fopen("include/mbsens/elements.h", "rb");
  ENSURE(in);
  file = calloc(length + 2, 1);
  ENSURE(file);
  ENSURE(fread(file, 1, length + 1, in) == length);  // else: make generated
  (void)fclose(in);
  ENSURE(memcmp(file, header, length) == 0);
  // every text of every type is there
  for (int i = 0; mbs_joint_types[i]; ++i) {
    char call[128];
    (void)snprintf(call, sizeof call, "mbs_model_add_%s_joint(", mbs_joint_types[i]->record.name);
    ENSURE_CONTAINS(header, call);
    for (int k = 0; k < mbs_joint_types[i]->record.field_count; ++k) {
      ENSURE(mbs_reader_is_text_kind(mbs_joint_types[i]->record.fields[k].kind));
    }
  }
  for (int i = 0; mbs_force_types[i]; ++i) {
    char call[128];
    (void)snprintf(call, sizeof call, "mbs_model_add_%s(", mbs_force_types[i]->record.name);
    ENSURE_CONTAINS(header, call);
    for (int k = 0; k < mbs_force_types[i]->record.field_count; ++k) {
      ENSURE(mbs_reader_is_text_kind(mbs_force_types[i]->record.fields[k].kind));
    }
  }
  free(header);
  free(file);

  MbsModel *model;
  ENSURE_OK(context, mbs_model_create(context, "space", 3, &model));
  MbsBodyDef body = mbs_default_body_def();
  body.name = "b";
  const char *tensor[] = {"1", "2", "3", "0.1", "0.2", "0.3"};
  memcpy(body.inertia, tensor, sizeof tensor);
  ENSURE_OK(context, mbs_model_add_body(context, model, &body));
  ENSURE_TEXT(last_text(model, MBS_MODEL_BODIES, "inertia", 5), "0.3");
  ENSURE_TEXT(last_text(model, MBS_MODEL_BODIES, "com", 2), "0");  // the default, for each component
  ENSURE(last_text(model, MBS_MODEL_BODIES, "position", 0) == NULL);
  MbsRevoluteJointDef revolute = mbs_default_revolute_joint_def();
  revolute.name = "pivot";
  revolute.ends[0] = "ground.O", revolute.ends[1] = "b.O";
  revolute.axis[0] = "1", revolute.axis[1] = "2", revolute.axis[2] = "a3";
  ENSURE_OK(context, mbs_model_add_revolute_joint(context, model, &revolute));
  ENSURE_TEXT(last_text(model, MBS_MODEL_JOINTS, "revolute", 1), "b.O");
  ENSURE_TEXT(last_text(model, MBS_MODEL_JOINTS, "axis", 2), "a3");
  MbsTorqueDef torque = mbs_default_torque_def();
  torque.body = "b";
  torque.value[0] = "omega(b)";  // one expression for the vector
  ENSURE_OK(context, mbs_model_add_torque(context, model, &torque));
  ENSURE(last_text(model, MBS_MODEL_FORCES, "value", 1) == NULL);
  torque.value[1] = "0", torque.value[2] = "sin(t)";
  ENSURE_OK(context, mbs_model_add_torque(context, model, &torque));
  ENSURE_TEXT(last_text(model, MBS_MODEL_FORCES, "value", 2), "sin(t)");
  ENSURE_TEXT(mbs_record_value(&model->root, MBS_MODEL_FORCES)->records[1].name.text, "torque 2");
  // the list of an entry: the entry's name says which
  MbsEventDef event = mbs_default_event_def();
  MbsEventVelocityDef velocity = mbs_default_event_velocity_def();
  event.name = "first", event.when = "r(b.O).z";
  ENSURE_OK(context, mbs_model_add_event(context, model, &event));
  event.name = "second", event.direction = "rising";
  ENSURE_OK(context, mbs_model_add_event(context, model, &event));
  for (int i = 0; i < 3; ++i) {
    velocity.event = i == 1 ? "first" : "second";
    velocity.coordinate = "r(b.O).x", velocity.velocity = mbs_number(model, i);
    ENSURE_OK(context, mbs_model_add_event_velocity(context, model, &velocity));
  }
  const MbsValue *events = mbs_record_value(&model->root, MBS_MODEL_EVENTS);
  const MbsValue *of_first = mbs_record_value(&events->records[0], MBS_EVENT_VELOCITIES);
  const MbsValue *of_second = mbs_record_value(&events->records[1], MBS_EVENT_VELOCITIES);
  ENSURE(events->count == 2 && of_first->count == 1 && of_second->count == 2);
  ENSURE_TEXT(mbs_record_text(&of_first->records[0], MBS_JUMP_VELOCITY).text, "1");
  ENSURE_TEXT(mbs_record_text(&of_second->records[1], MBS_JUMP_VELOCITY).text, "2");
  mbs_model_destroy(model);
}

// ---- mistakes ----

#define ENSURE_REFUSED(call, part)                         \
  do {                                                     \
    ENSURE((call) == MBS_ERROR_INPUT);                     \
    ENSURE_CONTAINS(mbs_context_message(context), (part)); \
  } while (0)

static void test_mistakes(void) {
  MbsModel *model = NULL;
  ENSURE_REFUSED(mbs_model_create(context, NULL, 2, &model), "mbs_model_create: the name is NULL");
  ENSURE_REFUSED(mbs_model_create(context, "four", 4, &model), "dimension must be 2 or 3, got 4");
  ENSURE(model == NULL);
  ENSURE_OK(context, mbs_model_create(context, "five-bar linkage", 2, &model));
  ENSURE_OK(context, build(context, model));
  MbsModel *untouched = read_model(context, "models/five_bar.yaml");

  // NULL
  ENSURE(mbs_model_add_parameter(NULL, model, "p", "1") == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_model_add_parameter(context, NULL, "p", "1"), "mbs_model_add_parameter: the model is NULL");
  ENSURE_REFUSED(mbs_model_add_parameter(context, model, NULL, "1"), "the name is NULL");
  ENSURE_REFUSED(mbs_model_add_parameter(context, model, "p", NULL),
                 "parameters: p: expected a number or expression, found nothing");
  ENSURE_REFUSED(mbs_model_add_spring(context, model, NULL), "spring: the definition is NULL");
  ENSURE_REFUSED(mbs_model_add_body(context, model, NULL), "body: the definition is NULL");
  ENSURE_REFUSED(mbs_model_add_point(context, model, NULL, "P", "0", "0", NULL), "the body is NULL");
  ENSURE_REFUSED(mbs_model_add_point(context, model, "A1", NULL, "0", "0", NULL), "the name is NULL");
  ENSURE_REFUSED(mbs_model_add_point(context, model, "A1", "P9", NULL, NULL, NULL),
                 "body \"A1\": points: P9: expected a list of 2 numbers, found nothing");
  ENSURE_REFUSED(mbs_model_set_simulation(context, model, "end", NULL), "the value is NULL");
  ENSURE_REFUSED(mbs_model_set_simulation(context, model, NULL, "1"), "the key is NULL");
  ENSURE_REFUSED(mbs_model_add_element(context, model, NULL, NULL, NULL, 0, NULL), "the section is NULL");

  // shapes
  ENSURE_REFUSED(mbs_model_add_ground_point(context, model, "C", "0", NULL, NULL),
                 "ground: points: C: expected 2 numbers, got 1");
  ENSURE_REFUSED(mbs_model_add_ground_point(context, model, "C", "0", "0", "0"), "expected 2 numbers, got 3");
  ENSURE_REFUSED(mbs_model_add_ground_point(context, model, "C", NULL, "0", NULL),
                 "ground: points: C: number 1 is NULL, though a later one is given");
  ENSURE_REFUSED(mbs_model_set_gravity(context, model, "0", NULL, NULL), "gravity: expected 2 numbers, got 1");
  MbsSpringDef spring = mbs_default_spring_def();
  ENSURE_REFUSED(mbs_model_add_spring(context, model, &spring),
                 "force \"spring 3\": spring: expected a list of 2 points, found nothing");
  spring.ends[0] = "A1.P1";
  ENSURE_REFUSED(mbs_model_add_spring(context, model, &spring), "spring: expected 2 points, got 1");
  spring.ends[1] = "two words";
  ENSURE_REFUSED(mbs_model_add_spring(context, model, &spring), "expected a point such as body.point");
  MbsPointForceDef push = mbs_default_point_force_def();
  push.point = "A1.P1";
  ENSURE_REFUSED(mbs_model_add_point_force(context, model, &push),
                 "force \"point_force 3\": missing key \"value\": the force: expressions of t, signals and parameters");
  MbsIndependentCoordinateDef start = mbs_default_independent_coordinate_def();
  ENSURE_REFUSED(mbs_model_add_independent_coordinate(context, model, &start),
                 "independent coordinate 3: missing key \"coordinate\"");
  MbsObjectiveDef objective = mbs_default_objective_def();
  objective.name = "psi4";
  ENSURE_REFUSED(mbs_model_add_objective(context, model, &objective),
                 "objective \"psi4\": needs exactly one of integral, final, value, rms, pnorm, violation, maximum, "
                 "minimum, at, event_time, settling, equilibrium, eigenvalue; found 0");

  MbsEventVelocityDef velocity = mbs_default_event_velocity_def();
  ENSURE_REFUSED(mbs_model_add_event_velocity(context, model, NULL), "velocity: the definition is NULL");
  ENSURE_REFUSED(mbs_model_add_event_velocity(context, model, &velocity), "needs the name of its event");
  velocity.event = "impact";
  ENSURE_REFUSED(mbs_model_add_event_velocity(context, model, &velocity),
                 "there is no event \"impact\" yet; mbs_model_add_event comes first");

  // names
  objective.value = "1";
  objective.name = NULL;
  ENSURE_REFUSED(mbs_model_add_objective(context, model, &objective), "objective: needs a name");
  objective.name = "psi1";
  ENSURE_REFUSED(mbs_model_add_objective(context, model, &objective), "objectives: \"psi1\" is there already");
  ENSURE_REFUSED(mbs_model_add_parameter(context, model, "2p", "1"), "parameters: \"2p\" is not a name");
  ENSURE_REFUSED(mbs_model_add_parameter(context, model, "", "1"), "is not a name");
  ENSURE_REFUSED(mbs_model_add_parameter(context, model, "sqrt", "1"), "cannot name a parameter");
  ENSURE_REFUSED(mbs_model_add_parameter(context, model, "mA1", "1"), "parameters: \"mA1\" is there already");
  MbsBodyDef body = mbs_default_body_def();
  body.name = "ground";
  ENSURE_REFUSED(mbs_model_add_body(context, model, &body), "a body cannot be called ground");
  body.name = "L12";
  ENSURE_REFUSED(mbs_model_add_body(context, model, &body), "bodies: \"L12\" is there already");
  ENSURE_REFUSED(mbs_model_add_point(context, model, "A1", "P1", "0", "0", NULL),
                 "body \"A1\": points: \"P1\" is there already");
  ENSURE_REFUSED(mbs_model_add_point(context, model, "A9", "P1", "0", "0", NULL), "there is no body \"A9\" yet");
  ENSURE_REFUSED(mbs_model_add_point(context, model, "ground", "P1", "0", "0", NULL), "mbs_model_add_ground_point");
  spring.name = "not a name";
  ENSURE_REFUSED(mbs_model_add_spring(context, model, &spring), "\"not a name\" is not a name");

  // types, keys, sections
  const char *texts[] = {"A1.P1", "ground.B"};
  MbsFieldTexts fields[] = {{"spring", 2, texts}, {"stifness", 1, texts}, {"spring", 2, texts}};
  ENSURE_REFUSED(mbs_model_add_element(context, model, "forces", "sprng", NULL, 1, fields),
                 "forces: no type \"sprng\"; did you mean \"spring\"? known: ");
  ENSURE_REFUSED(mbs_model_add_element(context, model, "joints", "zzz", NULL, 1, fields),
                 "joints: no type \"zzz\"; known");
  ENSURE_REFUSED(mbs_model_add_element(context, model, "forces", NULL, NULL, 1, fields), "forces: the type is NULL");
  ENSURE_REFUSED(mbs_model_add_element(context, model, "forces", "spring", NULL, 2, fields),
                 "unknown key \"stifness\"; did you mean \"stiffness\"?");
  fields[1].key = "damping";
  ENSURE_REFUSED(mbs_model_add_element(context, model, "forces", "spring", NULL, 3, fields),
                 "the field \"spring\" is given twice");
  fields[1].key = NULL;
  ENSURE_REFUSED(mbs_model_add_element(context, model, "forces", "spring", NULL, 2, fields), "key of a field is NULL");
  const char *nowhere[] = {"wheels", "gravity", "initial", "ground.points", "initial.", "initial.x", "gravity.x", ""};
  for (int i = 0; i < MBS_COUNT(nowhere); ++i) {
    ENSURE_REFUSED(mbs_model_add_element(context, model, nowhere[i], NULL, NULL, 1, fields),
                   "is no section that entries are added to");
  }
  ENSURE_REFUSED(mbs_model_add_element(context, model, "initial.independent", NULL, "w", 0, fields), "takes no name");
  ENSURE_REFUSED(mbs_model_set_simulation(context, model, "setp", "1"),
                 "simulation: unknown key \"setp\"; did you mean \"step\"?");
  ENSURE_REFUSED(mbs_model_set_simulation(context, model, "baumgarte", "maybe"), "unknown choice");

  // after all this, the model is what it was
  ENSURE(is_same_record("mistakes", &mbs_model_type, &untouched->root, &model->root));

  // what only the whole model shows is told by its element, without a place
  MbsRequest request;
  MbsResult *result = NULL;
  spring = mbs_default_spring_def();
  spring.name = "late";
  spring.ends[0] = "A1.P7", spring.ends[1] = "ground.B";
  spring.length = "1";
  ENSURE_OK(context, mbs_model_add_spring(context, model, &spring));
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_REFUSED(mbs_run(context, model, &request, &result), "\"late\"");
  ENSURE(strstr(mbs_context_message(context), "error:") == NULL);
  ENSURE(result == NULL);
  mbs_model_destroy(untouched);
  mbs_model_destroy(model);
}

// ---- a model read from a file goes on by calls; lists grow ----

static void test_growth(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  char name[16];
  for (int i = 0; i < 100; ++i) {
    MbsObjectiveDef objective = mbs_default_objective_def();
    (void)snprintf(name, sizeof name, "more%d", i);
    objective.name = name;
    objective.final = "r(P2).x";
    ENSURE_OK(context, mbs_model_add_objective(context, model, &objective));
  }
  ENSURE_OK(context, mbs_model_set_simulation(context, model, "end", "0.05"));
  ENSURE_OK(context, mbs_model_set_simulation(context, model, "end", "0.1"));
  MbsResult *result = run(model, "index1", MBS_METHOD_DIRECT);
  ENSURE(result->objective_count == 103);
  ENSURE_TEXT(result->objectives[0], "psi1");
  ENSURE_TEXT(result->objectives[102], "more99");
  ENSURE_NEAR(result->final_time, 0.1, 1e-15);  // ten steps of 0.01: rounding only
  ensure_same_bits(1, &result->values[3], &result->values[102]);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_five_bar();
  ENSURE(example_main() == 0);
  test_numbers();
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {  // where it is installed
    test_five_bar();
    MbsModel *model = read_model(context, "models/five_bar.yaml");
    ENSURE_TEXT(mbs_number(model, 1.5), "1.5");
    mbs_model_destroy(model);
    (void)setlocale(LC_NUMERIC, "C");
  }
  test_generated();
  test_mistakes();
  test_growth();
  mbs_context_destroy(context);
  return 0;
}
