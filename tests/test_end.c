// The end of a run as a parameter (end: T): values are those of a constant end, to the last bit; derivatives by T
// against closed forms, and direct method, adjoint and complex step against each other; kinematics; a simulator that is
// given another T; an end on the command's side, which is a constant; what is refused.
#include <mbsens/simulator.h>

#include "support.h"

static MbsContext *context;

static const char *const formulations[] = {"penalty", "index1", "ali1", "index3", "ali3p", "matrix-r"};
static const char *const coordinates[] = {"natural", "relative"};
enum { FORMULATIONS = 6, KINDS = 2, T = 0 };

static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *kind, MbsMethod method) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  request.method = method;
  return request;
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request) {
  MbsResult *result;
  ENSURE_OK(context, mbs_run(context, model, request, &result));
  return result;
}

static void compare(const MbsResult *a, const MbsResult *b, double tolerance) {
  for (int i = 0; i < a->objective_count; ++i) {
    const double *row = a->gradient + i * a->parameter_count, *other = b->gradient + i * a->parameter_count;
    double largest = largest_of(a->parameter_count, other);
    for (int k = 0; k < a->parameter_count; ++k) {
      ENSURE_NEAR(row[k], other[k], tolerance * (1 + largest));
    }
  }
}

// objectives of end_parameter.yaml
enum { FALLEN, SPEED, SWING, RATE, HEIGHT, SQUARED, LATE };

// T = 0.537: the end is 1, and its derivative by T is 2
static void check_closed_forms(const MbsResult *result, double tolerance) {
  const double m = 1.5, c = 2, g = 9.81, tau = m / c, end = 1;
  const double v = -g * tau * (1 - exp(-end / tau)), a = -g * exp(-end / tau);
  const double *by = result->gradient + T;
  int p = result->parameter_count;
  ENSURE_NEAR(result->values[SPEED], v, tolerance);
  ENSURE_NEAR(by[SPEED * p], 2 * a, tolerance);
  ENSURE_NEAR(by[FALLEN * p], 2 * v, tolerance);
  ENSURE_NEAR(by[SQUARED * p], 2 * 2 * v * a, 20 * tolerance);
  // after the bounce at sqrt(2/g), upwards with e sqrt(2 g)
  ENSURE_NEAR(by[HEIGHT * p], 2 * (0.7 * sqrt(2 * g) - g * (end - sqrt(2 / g))), tolerance);
  ENSURE(fabs(by[RATE * p]) > 1 && fabs(by[SWING * p]) > 1 && fabs(by[LATE * p]) > 1);
}

static void check_methods(void) {
  MbsModel *model = read_model(context, "tests/models/end_parameter.yaml");
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      MbsRequest request = request_of(model, formulations[f], coordinates[c], MBS_METHOD_COMPLEX_STEP);
      ENSURE(request.settings.end == 1 && request.settings.end_in_model == 1);
      MbsResult *reference = run(model, &request);
      request.method = MBS_METHOD_DIRECT;
      MbsResult *direct = run(model, &request);
      request.method = MBS_METHOD_ADJOINT;
      MbsResult *adjoint = run(model, &request);
      compare(direct, reference, 1e-11);
      compare(adjoint, reference, 1e-11);
      check_closed_forms(direct, 2e-3);  // of order h^2, h = 0.01
      ENSURE(direct->event_count == 1 && !direct->has_ended);
      // the same run to a constant end has the same bits, and no derivative by T
      request.method = MBS_METHOD_DIRECT;
      request.settings.end_in_model = 0;
      MbsResult *constant = run(model, &request);
      ENSURE(constant->statistics.steps == direct->statistics.steps);
      for (int i = 0; i < direct->objective_count; ++i) {
        ENSURE(constant->values[i] == direct->values[i]);
        for (int k = 1; k < direct->parameter_count; ++k) {
          int at = i * direct->parameter_count + k;
          ENSURE(constant->gradient[at] == direct->gradient[at]);
        }
        ENSURE(constant->gradient[i * direct->parameter_count] == 0);
      }
      mbs_result_destroy(constant);
      mbs_result_destroy(adjoint);
      mbs_result_destroy(direct);
      mbs_result_destroy(reference);
    }
  }
  // order h^2
  double off[2];
  for (int i = 0; i < 2; ++i) {
    MbsRequest request = request_of(model, "ali3p", "natural", MBS_METHOD_DIRECT);
    request.settings.step = i == 0 ? 0.02 : 0.01;
    MbsResult *result = run(model, &request);
    off[i] = fabs(result->gradient[SPEED * result->parameter_count] + 2 * 9.81 * exp(-4. / 3));
    mbs_result_destroy(result);
  }
  ENSURE_NEAR(off[0] / off[1], 4, 0.1);
  // an end that is given is a constant
  MbsRequest request = request_of(model, "ali3p", "natural", MBS_METHOD_DIRECT);
  request.settings.end = 0.9;
  MbsResult *given = run(model, &request);
  ENSURE(given->final_time == 0.9 && given->gradient[SPEED * given->parameter_count] == 0);
  mbs_result_destroy(given);
  mbs_model_destroy(model);
}

// ---- a simulator with another T: more steps, then fewer; memory is taken once ----
static void check_simulator(void) {
  static const double times[] = {0.537, 0.8, 0.3, 0.537};
  static const MbsMethod methods[] = {MBS_METHOD_NONE, MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT};
  for (int m = 0; m < 3; ++m) {
    MbsModel *model = read_model(context, "tests/models/end_parameter.yaml");
    MbsRequest request = request_of(model, "ali3p", "natural", methods[m]);
    MbsSimulator *simulator;
    ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
    for (int i = 0; i < 4; ++i) {
      char text[40];
      MbsModel *anew = read_model(context, "tests/models/end_parameter.yaml");
      (void)snprintf(text, sizeof text, "%.17g", times[i]);
      ENSURE_OK(context, mbs_model_set(context, anew, "T", text));
      ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "T", times[i]));
      ENSURE_OK(context, mbs_simulator_run(context, simulator));
      ENSURE_NEAR(mbs_simulator_time(simulator), 2 * times[i] - 0.074, 1e-15);
      MbsRequest own = request_of(anew, "ali3p", "natural", methods[m]);
      MbsResult *result = run(anew, &own);
      ENSURE(result->request->settings.end == result->final_time);
      for (int o = 0; o < result->objective_count; ++o) {
        ENSURE_NEAR(mbs_simulator_values(simulator)[o], result->values[o], 1e-13);
        for (int k = 0; k < result->parameter_count && result->gradient; ++k) {
          int at = o * result->parameter_count + k;
          ENSURE_NEAR(mbs_simulator_gradient(simulator)[at], result->gradient[at], 1e-11);
        }
      }
      mbs_result_destroy(result);
      mbs_model_destroy(anew);
    }
    ENSURE(mbs_simulator_set_parameter(context, simulator, "T", 0.03) == MBS_ERROR_INPUT);
    ENSURE_CONTAINS(mbs_context_message(context), "end must be positive");
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    mbs_simulator_destroy(simulator);
    mbs_model_destroy(model);
  }
}

// ---- kinematics ----
static void check_kinematics(void) {
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP,
                                      MBS_METHOD_FINITE_DIFFERENCE};
  const double w = 2, a = 1.5, R = 0.4, end = 0.73, angle = w * end + a * end * end / 2;
  MbsModel *model = read_model(context, "tests/models/end_kinematics.yaml");
  for (int c = 0; c < KINDS; ++c) {
    for (int m = 0; m < 4; ++m) {
      MbsRequest request = request_of(model, "ali3p", coordinates[c], methods[m]);
      request.settings.is_kinematic = true;
      MbsResult *result = run(model, &request);
      double tolerance = methods[m] == MBS_METHOD_FINITE_DIFFERENCE ? 1e-7 : 1e-12;
      ENSURE_NEAR(result->gradient[0], -R * sin(angle) * (w + a * end), tolerance);
      // of the trapezoidal rule, h = 0.01: (y_a + y_b)/2 + h/2 y_b', which is y_b + a h^2/4 here
      ENSURE_NEAR(result->gradient[result->parameter_count], angle + a * 1e-4 / 4, tolerance);
      ENSURE_NEAR(result->gradient[2 * result->parameter_count], 0, tolerance);  // a constant torque
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// ---- the continuous adjoint, which knows no end that moves ----
typedef struct Rows {
  int columns, count;
  double first[64];
} Rows;

static MbsStatus begin(void *user, int column_count, const char *const *names) {
  Rows *rows = user;
  (void)names;
  ENSURE(column_count <= 64);
  *rows = (Rows){.columns = column_count};
  return MBS_OK;
}

static MbsStatus take(void *user, const double *values) {
  Rows *rows = user;
  if (rows->count++ == 3) {
    memcpy(rows->first, values, (size_t)rows->columns * sizeof *values);
  }
  return MBS_OK;
}

static void check_continuous(void) {
  static const char *const parameters[] = {"R", "T"};
  MbsModel *model = read_text(context, "swing.yaml",
                              "mbsens: 1\ngravity: [0, -9.81]\nparameters: {T: 0.73, R: 0.4}\n"
                              "ground: {points: {O: [0, 0]}}\n"
                              "bodies: {bar: {mass: 1, com: [R/2, 0], inertia: 0.1, points: {O: [0, 0], P: [R, 0]}}}\n"
                              "joints: [{revolute: [ground.O, bar.O]}]\n"
                              "objectives: {x: {final: r(P).x}, turned: {integral: angle(bar)}}\n"
                              "simulation: {end: T, step: 0.01}\n");
  MbsRequest request = request_of(model, "matrix-r", "natural", MBS_METHOD_ADJOINT_CONTINUOUS);
  MbsResult *results[2], *none = NULL;
  Rows rows[2];
  request.parameters = parameters;
  request.parameter_count = 1;
  for (int i = 0; i < 2; ++i) {
    const MbsRecorder recorder = {.user = &rows[i], .begin = begin, .row = take};
    request.recorder = &recorder;
    results[i] = run(model, &request);
    request.settings.end_in_model = 0;
  }
  ENSURE(results[0]->gradient[0] == results[1]->gradient[0] && results[0]->gradient[1] == results[1]->gradient[1]);
  ENSURE(rows[0].count == 74 && rows[0].columns == rows[1].columns);
  for (int k = 0; k < rows[0].columns; ++k) {
    ENSURE(rows[0].first[k] == rows[1].first[k]);
  }
  mbs_result_destroy(results[0]);
  mbs_result_destroy(results[1]);
  request.settings.end_in_model = request.settings.end;
  request.recorder = NULL;
  request.parameter_count = 2;
  ENSURE(mbs_run(context, model, &request, &none) == MBS_ERROR_NOT_OFFERED && !none);
  ENSURE_CONTAINS(mbs_context_message(context), "where the end depends on a parameter of the gradient, here \"T\"");
  mbs_model_destroy(model);
}

// ---- what cannot be ----
static void refuse(const char *end, const char *part) {
  char text[500];
  MbsRequest request;
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\nparameters: {T: 1}\nvariables: {n: 1}\nbodies: {b: {mass: 1, points: {P: [0, 0]}}}\n"
                 "events: {e: {when: t - 0.5, set: {n: 2}}}\nsimulation: {end: %s}\n",
                 end);
  MbsModel *model = read_text(context, "end.yaml", text);
  MbsResult *result = NULL;
  MbsStatus status = mbs_request_default(context, model, &request);
  request.method = MBS_METHOD_NONE;
  status = status == MBS_OK ? mbs_run(context, model, &request, &result) : status;
  ENSURE(status == MBS_ERROR_INPUT && !result);
  ENSURE_CONTAINS(mbs_context_message(context), part);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_methods();
  check_simulator();
  check_kinematics();
  check_continuous();
  refuse("T - 2", "end.yaml:6:19: error: simulation: end must be positive, got \"T - 2\" = -1");
  refuse("1/(T - 1)", "is not a finite number");
  refuse("2*S", "no parameter \"S\"");
  refuse("T + t", "time cannot be used here");
  refuse("T + n", "end may depend on parameters, not on variables");
  mbs_context_destroy(context);
  return 0;
}
