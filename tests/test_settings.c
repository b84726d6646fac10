// The table of settings through the public calls: what is set can be got, file and calls set the same, defaults are
// those that are told, and what is no good is refused with a sentence and changes nothing. That each one does what it
// says is seen by its figures in tests/cli/options.sh.
#include <math.h>
#include <mbsens/simulator.h>

#include "model/model.h"
#include "support.h"

static MbsContext *context;

static const char text[] =
    "mbsens: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 2, m: 1}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies: {bar: {mass: m, com: [L/2, 0], inertia: 0.1, points: {O: [0, 0], tip: [L, 0]}}}\n"
    "joints: [{revolute: [ground.O, bar.O], name: pin}]\n"
    "objectives: {height: {final: r(tip).y}, speed: {integral: omega(bar)^2}}\n";

static MbsRequest *request_of(const MbsModel *model) {
  MbsRequest *request = NULL;
  ENSURE_OK(context, mbs_request_create(context, model, &request));
  return request;
}

static const char *get(const MbsRequest *request, const char *setting) {
  const char *value = NULL;
  ENSURE_OK(context, mbs_request_get(context, request, setting, &value));
  return value;
}

#define ENSURE_REFUSED(call, part)                         \
  do {                                                     \
    ENSURE((call) == MBS_ERROR_INPUT);                     \
    ENSURE_CONTAINS(mbs_context_message(context), (part)); \
  } while (0)

// of a model that says nothing
static void check_defaults(void) {
  MbsModel *model = read_text(context, "bare", text);
  MbsRequest *request = request_of(model);
  MbsSettingInfo info;
  int in_file = 0;
  ENSURE(mbs_setting_count() > 30);
  for (int i = 0; i < mbs_setting_count(); ++i) {
    ENSURE_OK(context, mbs_setting_info(context, i, &info));
    ENSURE_TEXT(get(request, info.name), info.default_value);
    ENSURE(info.summary[0] && info.type[0]);
    ENSURE((strcmp(info.type, "choice") == 0) == (info.choices != NULL));
    in_file += info.is_in_file;
  }
  ENSURE(in_file == MBS_SIMULATION_COUNT);
  ENSURE_REFUSED(mbs_setting_info(context, mbs_setting_count(), &info), "there are");
  ENSURE_REFUSED(mbs_setting_info(context, -1, &info), "none of index -1");
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

// A value that is not the default. Room: 64.
static const char *another(const MbsSettingInfo *info, char *value) {
  static const struct {
    const char *name, *value;
  } own[] = {{"gamma", "0.75"},         {"beta", "0.4"},
             {"tolerance", "1e-06"},    {"penalty", "10000000"},
             {"projections", "3"},      {"accuracy", "0.001"},
             {"memory", "100000000"},   {"every", "7"},
             {"objectives", "speed"},   {"parameters", "m,L"},
             {"tree", "pin"},           {"cut", "pin"},
             {"formulation", "index1"}, {"coordinates", "relative"},
             {"integrator", "newmark"}, {"independent", "angle(bar)"},
             {"columns", "r(tip)"}};
  (void)snprintf(value, 64, "0.125");
  for (int i = 0; i < MBS_COUNT(own); ++i) {
    if (strcmp(own[i].name, info->name) == 0) {
      (void)snprintf(value, 64, "%s", own[i].value);
    }
  }
  if (info->choices) {
    (void)snprintf(value, 64, "%s", info->choices[strcmp(info->choices[0], info->default_value) == 0 ? 1 : 0]);
  }
  return value;
}

static void check_each(void) {
  MbsModel *model = read_text(context, "each", text);
  MbsRequest *request = request_of(model);
  for (int i = 0; i < mbs_setting_count(); ++i) {
    MbsSettingInfo info;
    char value[64], file[1024];
    ENSURE_OK(context, mbs_setting_info(context, i, &info));
    ENSURE_OK(context, mbs_request_set(context, request, info.name, another(&info, value)));
    ENSURE_TEXT(get(request, info.name), value);
    for (int other = i + 1; other < mbs_setting_count(); ++other) {  // and none of the others
      MbsSettingInfo untouched;
      ENSURE_OK(context, mbs_setting_info(context, other, &untouched));
      ENSURE_TEXT(get(request, untouched.name), untouched.default_value);
    }
    if (info.is_in_file) {
      (void)snprintf(file, sizeof file, "%ssimulation: {%s: %s}\n", text, info.name, value);
      MbsModel *written = read_text(context, "written", file);
      MbsRequest *of_file = request_of(written);
      ENSURE_TEXT(get(of_file, info.name), value);
      mbs_request_destroy(of_file);
      mbs_model_destroy(written);
    }
    for (int k = 0; info.choices && info.choices[k]; ++k) {
      ENSURE_OK(context, mbs_request_set(context, request, info.name, info.choices[k]));
      ENSURE_TEXT(get(request, info.name), info.choices[k]);
    }
    ENSURE_OK(context, mbs_request_set(context, request, info.name, value));
    bool is_number = strstr(info.type, "number") || strcmp(info.type, "bytes") == 0;
    double number = -7;
    if (is_number) {
      char as_text[80];
      ENSURE_OK(context, mbs_request_get_number(context, request, info.name, &number));
      ENSURE_NEAR(number, strtod(value, NULL), 0);
      ENSURE_OK(context, mbs_request_set_number(context, request, info.name, number));
      const double none[] = {(double)NAN, (double)INFINITY, -3};
      for (int k = 0; k < MBS_COUNT(none); ++k) {
        ENSURE_REFUSED(mbs_request_set_number(context, request, info.name, none[k]), info.name);
      }
      (void)snprintf(as_text, sizeof as_text, "%sx", value);
      ENSURE_REFUSED(mbs_request_set(context, request, info.name, as_text), "must be a ");
      ENSURE_REFUSED(mbs_request_set_names(context, request, info.name, 0, NULL), "is no list of names");
    } else {
      ENSURE_REFUSED(mbs_request_get_number(context, request, info.name, &number), "is no number, but \"");
      ENSURE_NEAR(number, -7, 0);
    }
    if (info.choices) {
      ENSURE_REFUSED(mbs_request_set(context, request, info.name, "neither"), info.choices[1]);
    }
    ENSURE_TEXT(get(request, info.name), value);
  }
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

static void check_sentences(void) {
  MbsModel *model = read_text(context, "sentences", text);
  MbsRequest *request = request_of(model);
  double number;
  const char *value;
  ENSURE_REFUSED(mbs_request_set(context, request, "stpe", "1"), "no setting \"stpe\"; did you mean \"step\"?");
  ENSURE_REFUSED(mbs_request_set(context, request, "x", "1"), "no setting \"x\"");
  ENSURE_REFUSED(mbs_request_get(context, request, "methd", &value), "did you mean \"method\"?");
  ENSURE(value == NULL);
  ENSURE_REFUSED(mbs_request_set(context, request, "step", "0"), "step must be positive, got 0");
  ENSURE_REFUSED(mbs_request_set(context, request, "step", ""), "step must be a number such as 0.01 or 1e-3, got \"\"");
  ENSURE_REFUSED(mbs_request_set(context, request, "gamma", "0.4"), "gamma must be from 1/2 to 1");
  ENSURE_REFUSED(mbs_request_set(context, request, "gamma", "0"), "gamma must be from 1/2 to 1");
  ENSURE_REFUSED(mbs_request_set(context, request, "accuracy", "1e-13"), "not below 1e-12");
  ENSURE_REFUSED(mbs_request_set(context, request, "projections", "2.5"), "projections must be none, auto, or 1 to 40");
  ENSURE_REFUSED(mbs_request_set(context, request, "projections", "41"), "projections must be none, auto, or 1 to 40");
  ENSURE_REFUSED(mbs_request_set(context, request, "memory", "0.5k1"), "memory must be a number of bytes");
  ENSURE_REFUSED(mbs_request_set(context, request, "method", "adjiont"), "did you mean adjoint?");
  ENSURE_REFUSED(mbs_request_set(context, request, "parameters", "m,,L"), "parameters: the name 2 of 3 is empty");
  ENSURE_REFUSED(mbs_request_set(context, request, "parameters", "m,L,m"), "\"m\" stands twice");
  ENSURE_REFUSED(mbs_request_get_number(context, request, "penalty", &number), "penalty is no number, but auto");
  ENSURE_OK(context, mbs_request_set(context, request, "accuracy", "0"));
  ENSURE_TEXT(get(request, "accuracy"), "none");
  ENSURE_OK(context, mbs_request_set(context, request, "memory", "1.5M"));
  ENSURE_OK(context, mbs_request_get_number(context, request, "memory", &number));
  ENSURE_NEAR(number, 1.5e6, 0);

  const char *const names[] = {"m", "L"}, *const broken[] = {"m", NULL};
  ENSURE_OK(context, mbs_request_set_names(context, request, "parameters", 2, names));
  ENSURE_TEXT(get(request, "parameters"), "m,L");
  ENSURE_REFUSED(mbs_request_set_names(context, request, "parameters", 2, broken), "the name 2 of 2 is NULL");
  ENSURE_REFUSED(mbs_request_set_names(context, request, "tree", 2, broken), "the name 2 of 2 is NULL");
  ENSURE_REFUSED(mbs_request_set_names(context, request, "parameters", -1, names), "-1 names");
  ENSURE_REFUSED(mbs_request_set_names(context, request, "parameters", 1, NULL), "the list of them is NULL");
  ENSURE_TEXT(get(request, "parameters"), "m,L");
  ENSURE_OK(context, mbs_request_set_names(context, request, "parameters", 0, NULL));
  ENSURE_TEXT(get(request, "parameters"), "");
  ENSURE_OK(context, mbs_request_set_names(context, request, "parameters", 0, names));
  ENSURE_TEXT(get(request, "parameters"), "none");
  ENSURE_OK(context, mbs_request_set(context, request, "parameters", ""));
  ENSURE_TEXT(get(request, "parameters"), "");
  ENSURE_OK(context, mbs_request_set(context, request, "parameters", "none"));
  ENSURE_TEXT(get(request, "parameters"), "none");

  // texts of any length: refused, not cut
  size_t length = 5000;
  char *longest = malloc(length + 1);
  ENSURE(longest);
  memset(longest, 'x', length);
  longest[length] = '\0';
  ENSURE_REFUSED(mbs_request_set(context, request, "tree", longest), "tree: the list is longer than 4095 letters");
  ENSURE_REFUSED(mbs_request_set(context, request, "formulation", longest), "formulation: unknown name \"xxx");
  ENSURE_REFUSED(mbs_request_set(context, request, longest, "1"), "no setting");
  ENSURE_OK(context, mbs_request_set(context, request, "objectives", longest));  // whether it is one, the model knows
  ENSURE_TEXT(get(request, "objectives"), longest);
  free(longest);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request) {
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_run(context, model, request, &result));
  return result;
}

// The same bits as with the struct that the library uses inside; the result tells what was done.
static void check_runs(void) {
  MbsModel *model = read_text(context, "runs", text);
  MbsRequest *request = request_of(model), by_hand;
  ENSURE_OK(context, mbs_request_set(context, request, "formulation", "penalty"));
  ENSURE_OK(context, mbs_request_set_number(context, request, "step", 1.0 / 300));
  ENSURE_OK(context, mbs_request_set(context, request, "method", "adjoint"));
  ENSURE_OK(context, mbs_request_set(context, request, "objectives", "speed"));
  ENSURE_OK(context, mbs_request_set(context, request, "parameters", "m,L"));
  ENSURE_OK(context, mbs_request_default(context, model, &by_hand));
  const char *const objectives[] = {"speed"}, *const parameters[] = {"m", "L"};
  (void)snprintf(by_hand.settings.formulation, MBS_NAME_LENGTH, "penalty");
  by_hand.settings.step = 1.0 / 300;
  by_hand.method = MBS_METHOD_ADJOINT;
  by_hand.objective_count = 1;
  by_hand.objectives = objectives;
  by_hand.parameter_count = 2;
  by_hand.parameters = parameters;
  MbsResult *a = run(model, request), *b = run(model, &by_hand);
  ENSURE(a->objective_count == 1 && a->parameter_count == 2 && b->parameter_count == 2);
  for (int i = 0; i < 2; ++i) {
    ENSURE(a->gradient[i] == b->gradient[i]);
    ENSURE_TEXT(a->parameters[i], parameters[i]);
  }
  ENSURE(fabs(a->gradient[1]) > 0);
  double penalty = 0, step = 0;
  ENSURE_OK(context, mbs_request_get_number(context, a->request, "penalty", &penalty));
  ENSURE_OK(context, mbs_request_get_number(context, a->request, "step", &step));
  ENSURE(penalty > 1 && step == 1.0 / 300);
  ENSURE_TEXT(get(a->request, "method"), "adjoint");
  ENSURE_TEXT(get(a->request, "integrator"), "trapezoidal");
  ENSURE_TEXT(get(a->request, "parameters"), "m,L");
  mbs_request_destroy(request);
  ENSURE_TEXT(get(a->request, "objectives"), "speed");  // the result lives by itself
  mbs_result_destroy(a);
  mbs_result_destroy(b);
  mbs_model_destroy(model);
}

// An end that depends on parameters moves with them, until it is set.
static void check_end(void) {
  char file[1024];
  (void)snprintf(file, sizeof file, "%ssimulation: {end: L/4}\n", text);
  MbsModel *model = read_text(context, "end", file);
  MbsRequest *request = request_of(model);
  ENSURE_TEXT(get(request, "end"), "0.5");
  ENSURE_OK(context, mbs_request_set(context, request, "objectives", "speed"));
  ENSURE_OK(context, mbs_request_set(context, request, "parameters", "L"));
  MbsResult *moving = run(model, request);
  ENSURE_OK(context, mbs_request_set(context, request, "end", "0.5"));
  MbsResult *fixed = run(model, request);
  ENSURE(moving->values[0] == fixed->values[0]);
  ENSURE(fabs(moving->gradient[0] - fixed->gradient[0]) > 0.1 * fabs(fixed->gradient[0]));
  mbs_result_destroy(moving);
  mbs_result_destroy(fixed);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

static int rows;
static MbsStatus begin(void *user, int column_count, const char *const *names) {
  (void)user, (void)names;
  return column_count > 0 ? MBS_OK : MBS_ERROR_INTERNAL;
}
static MbsStatus row(void *user, const double *values) {
  (void)user, (void)values;
  ++rows;
  return MBS_OK;
}

static void check_recorder(void) {
  MbsModel *model = read_text(context, "recorder", text);
  MbsRequest *request = request_of(model);
  const MbsRecorder recorder = {.begin = begin, .row = row}, broken = {.begin = begin};
  ENSURE_REFUSED(mbs_request_record(context, request, &broken), "the recorder has no function \"row\"");
  ENSURE_OK(context, mbs_request_record(context, request, &recorder));
  ENSURE_OK(context, mbs_request_set(context, request, "every", "10"));
  mbs_result_destroy(run(model, request));
  ENSURE(rows == 11);
  ENSURE_OK(context, mbs_request_record(context, request, NULL));
  mbs_result_destroy(run(model, request));
  ENSURE(rows == 11);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_defaults();
  check_each();
  check_sentences();
  check_runs();
  check_end();
  check_recorder();
  mbs_request_destroy(NULL);
  mbs_context_destroy(context);
  (void)printf("test_settings: %d settings set, got and refused\n", mbs_setting_count());
  return 0;
}
