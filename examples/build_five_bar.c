// The five-bar linkage of models/five_bar.yaml, built by calls instead of a file, and its exact gradient. The
// numbers have the same bits as those of the file: tests/test_builder.c includes this file and compares.
#include <mbsens/build.h>
#include <stdio.h>

#define TRY(call)               \
  do {                          \
    MbsStatus status_ = (call); \
    if (status_ != MBS_OK) {    \
      return status_;           \
    }                           \
  } while (0)

// A bar with a joint at each end, its centre of mass and its length along its x axis.
static MbsStatus add_bar(MbsContext *context, MbsModel *model, const char *name, const char *mass, const char *com,
                         const char *inertia, const char *start, const char *end, const char *length) {
  MbsBodyDef bar = mbs_default_body_def();
  bar.name = name;
  bar.mass = mass;
  bar.com[0] = com, bar.com[1] = "0";
  bar.inertia[0] = inertia;
  TRY(mbs_model_add_body(context, model, &bar));
  TRY(mbs_model_add_point(context, model, name, start, "0", "0", NULL));
  return mbs_model_add_point(context, model, name, end, length, "0", NULL);
}

static MbsStatus add_pin(MbsContext *context, MbsModel *model, const char *a, const char *b) {
  MbsRevoluteJointDef pin = mbs_default_revolute_joint_def();
  pin.ends[0] = a, pin.ends[1] = b;
  return mbs_model_add_revolute_joint(context, model, &pin);
}

static MbsStatus add_spring(MbsContext *context, MbsModel *model, const char *point, double stiffness,
                            const char *length) {
  MbsSpringDef spring = mbs_default_spring_def();
  spring.ends[0] = point, spring.ends[1] = "ground.B";
  spring.stiffness = mbs_number(model, stiffness);  // a number of the program
  spring.length = length;                           // an expression of the model's parameters
  return mbs_model_add_spring(context, model, &spring);
}

static MbsStatus add_start(MbsContext *context, MbsModel *model, const char *coordinate, const char *value) {
  MbsIndependentCoordinateDef start = mbs_default_independent_coordinate_def();
  start.coordinate = coordinate;
  start.value = value;
  return mbs_model_add_independent_coordinate(context, model, &start);
}

static MbsStatus add_integral(MbsContext *context, MbsModel *model, const char *name, const char *integral) {
  MbsObjectiveDef objective = mbs_default_objective_def();
  objective.name = name;
  objective.integral = integral;
  return mbs_model_add_objective(context, model, &objective);
}

static MbsStatus build(MbsContext *context, MbsModel *model) {
  TRY(mbs_model_set_gravity(context, model, "0", mbs_number(model, -9.81), NULL));

  TRY(mbs_model_add_parameter(context, model, "Ls1", "sqrt(5)"));
  TRY(mbs_model_add_parameter(context, model, "Ls2", "sqrt(4.25)"));
  TRY(mbs_model_add_parameter(context, model, "mA1", "1"));
  TRY(mbs_model_add_parameter(context, model, "xG", "sqrt(2)/2"));
  TRY(mbs_model_add_parameter(context, model, "LA1", "sqrt(2)"));

  TRY(mbs_model_add_ground_point(context, model, "A", "-0.5", "0", NULL));
  TRY(mbs_model_add_ground_point(context, model, "B", "0.5", "0", NULL));
  TRY(add_bar(context, model, "A1", "mA1", "xG", "1/6", "A", "P1", "LA1"));
  TRY(add_bar(context, model, "L12", "1.5", "sqrt(3.25)/2", "1.5*3.25/12", "P1", "P2", "sqrt(3.25)"));
  TRY(add_bar(context, model, "L23", "1.5", "sqrt(3.25)/2", "1.5*3.25/12", "P2", "P3", "sqrt(3.25)"));
  TRY(add_bar(context, model, "L3B", "1", "sqrt(2)/2", "1/6", "P3", "B", "sqrt(2)"));

  TRY(add_pin(context, model, "ground.A", "A1.A"));
  TRY(add_pin(context, model, "A1.P1", "L12.P1"));
  TRY(add_pin(context, model, "L12.P2", "L23.P2"));
  TRY(add_pin(context, model, "L23.P3", "L3B.P3"));
  TRY(add_pin(context, model, "L3B.B", "ground.B"));
  TRY(add_spring(context, model, "A1.P1", 100, "Ls1"));
  TRY(add_spring(context, model, "L12.P2", 100, "Ls2"));

  TRY(mbs_model_add_initial_point(context, model, "P1", "-1.5", "-1", NULL));
  TRY(mbs_model_add_initial_point(context, model, "P2", "0", "-2", NULL));
  TRY(mbs_model_add_initial_point(context, model, "P3", "1.5", "-1", NULL));
  TRY(add_start(context, model, "angle(A1)", "atan2(-1, -1)"));
  TRY(add_start(context, model, "angle(L12)", "atan2(-1, 1.5)"));

  TRY(add_integral(context, model, "psi1", "dot(r(P2) - [0, -2], r(P2) - [0, -2])"));
  TRY(add_integral(context, model, "psi2", "dot(v(P2), v(P2))"));
  TRY(add_integral(context, model, "psi3", "dot(a(P2), a(P2))"));
  TRY(mbs_model_set_simulation(context, model, "end", "5"));
  return mbs_model_set_simulation(context, model, "step", "0.01");
}

static MbsStatus print_gradient(MbsContext *context, const MbsModel *model) {
  MbsRequest *request;
  MbsResult *result;
  TRY(mbs_request_create(context, model, &request));
  MbsStatus status = mbs_run(context, model, request, &result);
  mbs_request_destroy(request);
  TRY(status);
  for (int i = 0; i < result->objective_count; ++i) {
    printf("%s = %.10g\n", result->objectives[i], result->values[i]);
    for (int j = 0; j < result->parameter_count; ++j) {
      printf("  d/d %-12s % .10g\n", result->parameters[j], result->gradient[i * result->parameter_count + j]);
    }
  }
  mbs_result_destroy(result);
  return MBS_OK;
}

int main(void) {
  MbsModel *model = NULL;
  MbsContext *context = mbs_context_create();
  if (!context) {
    return 1;
  }
  MbsStatus status = mbs_model_create(context, "five-bar linkage", 2, &model);
  status = status == MBS_OK ? build(context, model) : status;
  status = status == MBS_OK ? print_gradient(context, model) : status;
  if (status != MBS_OK) {
    fprintf(stderr, "%s\n", mbs_context_message(context));
  }
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return status == MBS_OK ? 0 : 1;
}
