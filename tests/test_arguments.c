// What programs may hand over by mistake: NULL, enumerations out of range, numbers that are none, texts without an end.
// Every public function refuses it with MBS_ERROR_INPUT and a sentence (those that destroy do nothing), and the same
// objects serve the right call afterwards.
#include <mbsens/build.h>
#include <mbsens/mbsens.h>

#include "support.h"

static MbsContext *context;

#define ENSURE_REFUSED(call, part)                                   \
  do {                                                               \
    MbsStatus status_ = (call);                                      \
    if (status_ != MBS_ERROR_INPUT) {                                \
      (void)fprintf(stderr, "%s: status %d\n", #call, (int)status_); \
    }                                                                \
    ENSURE(status_ == MBS_ERROR_INPUT);                              \
    ENSURE_CONTAINS(mbs_context_message(context), (part));           \
  } while (0)

static void test_context(void) {
  ENSURE(mbs_context_message(NULL) != NULL);
  mbs_context_on_progress(NULL, NULL, NULL);
  mbs_context_destroy(NULL);
  mbs_model_destroy(NULL);
  mbs_result_destroy(NULL);
  mbs_check_destroy(NULL);
  mbs_verification_destroy(NULL);
}

static void test_reading(void) {
  MbsModel *model = NULL;
  static const char text[] = "mbsens: 1\n";
  ENSURE(mbs_model_read_file(NULL, "models/five_bar.yaml", &model) == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_model_read_file(context, NULL, &model), "mbs_model_read_file: the path is NULL");
  ENSURE_REFUSED(mbs_model_read_file(context, "models/five_bar.yaml", NULL), "the model is NULL");
  ENSURE(mbs_model_read_text(NULL, text, sizeof text - 1, "name", &model) == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_model_read_text(context, NULL, 3, "name", &model), "mbs_model_read_text: the text is NULL");
  ENSURE_REFUSED(mbs_model_read_text(context, text, sizeof text - 1, NULL, &model), "the name is NULL");
  ENSURE_REFUSED(mbs_model_read_text(context, text, sizeof text - 1, "name", NULL), "the model is NULL");
  ENSURE(model == NULL);
}

static void test_model_calls(MbsModel *model) {
  MbsModel *other = NULL;
  const MbsFieldTexts fields[] = {{"mass", 1, NULL}};
  const char *one = "1";
  ENSURE(mbs_model_set(NULL, model, "Ls1", "1") == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_model_set(context, NULL, "Ls1", "1"), "mbs_model_set: the model is NULL");
  ENSURE_REFUSED(mbs_model_set(context, model, NULL, "1"), "the parameter is NULL");
  ENSURE_REFUSED(mbs_model_set(context, model, "Ls1", NULL), "the value is NULL");
  ENSURE(mbs_model_create(NULL, "m", 2, &other) == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_model_create(context, NULL, 2, &other), "the name is NULL");
  ENSURE_REFUSED(mbs_model_create(context, "m", 2, NULL), "the model is NULL");
  ENSURE_REFUSED(mbs_model_create(context, "m", -3, &other), "dimension must be 2 or 3");
  ENSURE(mbs_number(NULL, 1) != NULL);
  ENSURE_REFUSED(mbs_model_add_parameter(context, model, "x", mbs_number(model, (double)NAN)), "x");
  const char *const nothing = NULL;
  for (int i = 0; i < 3; ++i) {  // no context, no model, no name
    MbsContext *c = i == 0 ? NULL : context;
    MbsModel *m = i == 1 ? NULL : model;
    const char *name = i == 2 ? NULL : "name", *body = i == 2 ? nothing : "A1";
    ENSURE(mbs_model_add_parameter(c, m, name, "1") == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_ground_point(c, m, name, "0", "0", NULL) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_ground_vector(c, m, name, "0", "1", NULL) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_point(c, m, body, name, "0", "0", NULL) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_vector(c, m, body, name, "0", "1", NULL) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_initial_point(c, m, name, "0", "0", NULL) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_set_simulation(c, m, name, "1") == MBS_ERROR_INPUT);
    ENSURE(mbs_model_set_gravity(c, m, i == 2 ? NULL : "0", "0", NULL) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_element(c, m, i == 2 ? NULL : "bodies", NULL, "b", 1, fields) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_body(c, m, NULL) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_revolute_joint(c, m, NULL) == MBS_ERROR_INPUT);
    ENSURE(mbs_model_add_spring(c, m, NULL) == MBS_ERROR_INPUT);
  }
  ENSURE_REFUSED(mbs_model_add_element(context, model, "bodies", NULL, "b", -1, fields), "the number of fields is -1");
  ENSURE_REFUSED(mbs_model_add_element(context, model, "bodies", NULL, "b", 1, NULL), "NULL");
  const MbsFieldTexts nameless[] = {{NULL, 1, &one}};
  ENSURE_REFUSED(mbs_model_add_element(context, model, "bodies", NULL, "b", 1, nameless), "key of a field is NULL");
}

static void test_null_runs(const MbsModel *model) {
  MbsRequest request;
  MbsResult *result = NULL;
  MbsCheck *check = NULL;
  MbsVerification *verification = NULL;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE(mbs_request_default(NULL, model, &request) == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_request_default(context, NULL, &request), "mbs_request_default: the model is NULL");
  ENSURE_REFUSED(mbs_request_default(context, model, NULL), "the request is NULL");
  ENSURE(mbs_run(NULL, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_run(context, NULL, &request, &result), "mbs_run: the model is NULL");
  ENSURE_REFUSED(mbs_run(context, model, NULL, &result), "the request is NULL");
  ENSURE_REFUSED(mbs_run(context, model, &request, NULL), "the result is NULL");
  ENSURE(mbs_check(NULL, model, &request, &check) == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_check(context, NULL, &request, &check), "mbs_check: the model is NULL");
  ENSURE_REFUSED(mbs_check(context, model, NULL, &check), "the request is NULL");
  ENSURE_REFUSED(mbs_check(context, model, &request, NULL), "the check is NULL");
  ENSURE(mbs_verify(NULL, model, &request, &verification) == MBS_ERROR_INPUT);
  ENSURE_REFUSED(mbs_verify(context, NULL, &request, &verification), "mbs_verify: the model is NULL");
  ENSURE_REFUSED(mbs_verify(context, model, NULL, &verification), "the request is NULL");
  ENSURE_REFUSED(mbs_verify(context, model, &request, NULL), "the verification is NULL");
  ENSURE(!result && !check && !verification);
}

// a request that run and verify refuse alike
static void refuse(const MbsModel *model, const MbsRequest *request, const char *part) {
  MbsResult *result = NULL;
  MbsVerification *verification = NULL;
  ENSURE_REFUSED(mbs_run(context, model, request, &result), part);
  ENSURE_REFUSED(mbs_verify(context, model, request, &verification), part);
  ENSURE(!result && !verification);
}

static void test_requests(const MbsModel *model) {
  MbsRequest good;
  static const char *const names[] = {"psi1", NULL}, *const unknown[] = {"psi99"};
  const double nonsense[] = {-1, (double)NAN, (double)INFINITY};
  ENSURE_OK(context, mbs_request_default(context, model, &good));
  good.settings.end = 0.1;
  MbsRequest request = good;
  for (int i = 0; i < 3; ++i) {
    static const int out[] = {99, -1, MBS_METHOD_IDAS_ADJOINT + 1};
    request = good;
    request.method = (MbsMethod)out[i];
    refuse(model, &request, "method must be none, direct, adjoint");
    request = good;
    request.method = MBS_METHOD_FINITE_DIFFERENCE;
    request.difference = (MbsDifference)out[i];
    refuse(model, &request, "difference must be central, forward or backward, got");
    request = good;
    request.settings.derivatives = (MbsDerivatives)out[i];
    refuse(model, &request, "derivatives must be analytical, automatic or numerical");
    request = good;
    request.sundials_tolerance = nonsense[i];
    refuse(model, &request, "sundials_tolerance must be positive, got");
    request = good;
    request.difference_step = nonsense[i];
    refuse(model, &request, "difference_step must be positive, got");
    request = good;
    request.memory = nonsense[i];
    refuse(model, &request, "memory must be at least one byte, got");
  }
  request = good;
  request.objective_count = -2;
  refuse(model, &request, "-2 objectives are asked for");
  request = good;
  request.parameter_count = -1;
  refuse(model, &request, "-1 parameters are asked for");
  request = good;
  request.objective_count = 2;
  refuse(model, &request, "the list of their names is NULL");
  request.objectives = names;
  refuse(model, &request, "the name of objective 2 of 2 is NULL");
  request.objectives = unknown;
  request.objective_count = 1;
  refuse(model, &request, "no objective \"psi99\"");
  request = good;
  request.parameters = names;
  request.parameter_count = 2;
  refuse(model, &request, "the name of parameter 2 of 2 is NULL");
  request = good;
  const MbsRecorder recorder = {.user = NULL};
  request.recorder = &recorder;
  refuse(model, &request, "the recorder has no function \"begin\"");
  MbsResult *result;
  ENSURE_OK(context, mbs_run(context, model, &good, &result));
  mbs_result_destroy(result);
}

static void test_settings(const MbsModel *model) {
  MbsRequest good;
  ENSURE_OK(context, mbs_request_default(context, model, &good));
  good.settings.end = 0.1;
  const struct {
    size_t offset;
    const char *name;
    bool may_be_negative;
  } numbers[] = {{offsetof(MbsSettings, end), "end", false},
                 {offsetof(MbsSettings, step), "step", false},
                 {offsetof(MbsSettings, tolerance), "tolerance", false},
                 {offsetof(MbsSettings, penalty), "penalty", false},
                 {offsetof(MbsSettings, xi), "xi", false},
                 {offsetof(MbsSettings, omega), "omega", false},
                 {offsetof(MbsSettings, beta), "beta", false},
                 {offsetof(MbsSettings, gamma), "gamma", false},
                 {offsetof(MbsSettings, spectral_radius), "spectral_radius", true}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    const double nonsense[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -0.5};
    for (int k = 0; k < (numbers[i].may_be_negative ? 3 : 4); ++k) {
      MbsRequest request = good;
      MbsCheck *check = NULL;
      memcpy((char *)&request.settings + numbers[i].offset, &nonsense[k], sizeof nonsense[k]);
      refuse(model, &request, numbers[i].name);
      ENSURE_REFUSED(mbs_check(context, model, &request, &check), numbers[i].name);
    }
  }
  const struct {
    size_t offset, size;
    const char *name;
  } texts[] = {{offsetof(MbsSettings, formulation), sizeof good.settings.formulation, "formulation"},
               {offsetof(MbsSettings, coordinates), sizeof good.settings.coordinates, "coordinates"},
               {offsetof(MbsSettings, integrator), sizeof good.settings.integrator, "integrator"},
               {offsetof(MbsSettings, independent), sizeof good.settings.independent, "independent"},
               {offsetof(MbsSettings, tree), sizeof good.settings.tree, "tree"},
               {offsetof(MbsSettings, cut), sizeof good.settings.cut, "cut"}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    MbsRequest request = good;
    MbsCheck *check = NULL;
    memset((char *)&request.settings + texts[i].offset, 'x', texts[i].size);  // without an end
    refuse(model, &request, texts[i].name);
    ENSURE_REFUSED(mbs_check(context, model, &request, &check), "does not end within");
    request = good;
    (void)snprintf((char *)&request.settings + texts[i].offset, texts[i].size, "nonsense");
    MbsResult *result = NULL;
    MbsStatus status = mbs_run(context, model, &request, &result);
    ENSURE((status == MBS_ERROR_INPUT || status == MBS_ERROR_NOT_OFFERED) && !result);
    ENSURE(mbs_context_message(context)[0] != '\0');
  }
  MbsRequest request = good;
  static const int projections[] = {-2, 1000000};
  for (int i = 0; i < 2; ++i) {
    (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "ali3p");
    request.settings.projections = projections[i];
    MbsResult *result = NULL;
    ENSURE_REFUSED(mbs_run(context, model, &request, &result), "projections must be");
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  test_context();
  test_reading();
  test_model_calls(model);
  test_null_runs(model);
  test_requests(model);
  test_settings(model);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return 0;
}
