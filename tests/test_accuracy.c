// Runs to an accuracy: orders that extrapolation reaches on the five-bar, in all formulations and coordinates;
// agreement of these among each other within the errors they estimate; closed forms (falling through a fluid, bouncing,
// a pendulum down to its bottom, by elliptic integrals; a law with kinks); direct method and adjoint; what is chosen,
// refused, and not reached.
#include <mbsens/simulator.h>

#include "support.h"

static MbsContext *context;

static const char *const formulations[] = {"penalty", "index1", "ali1", "matrix-r", "ali3p", "index3"};
static const char *const coordinates[] = {"natural", "relative"};
enum { FORMULATIONS = 6, EVEN = 4, KINDS = 2 };

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
  ENSURE(result->is_complete);
  return result;
}

// a value, or a derivative
static double number(const MbsResult *result, int objective, int parameter) {
  return parameter < 0 ? result->values[objective] : result->gradient[objective * result->parameter_count + parameter];
}

static double error_of(const MbsResult *result, int objective, int parameter) {
  return parameter < 0 ? result->value_errors[objective]
                       : result->gradient_errors[objective * result->parameter_count + parameter];
}

// ---- orders ----
// One column of the table, from four runs: what is left of it falls with the next power. Plain runs, and our own
// extrapolation, so that neither exponents nor estimates are the library's.
static void check_order(const MbsModel *model, int formulation, const char *kind) {
  enum { LEVELS = 4 };
  const char *const wanted[] = {"Ls1", "Ls2"};
  MbsResult *results[LEVELS];
  MbsRequest request = request_of(model, formulations[formulation], kind, MBS_METHOD_DIRECT);
  request.parameter_count = 2;
  request.parameters = wanted;
  request.settings.tolerance = 1e-13;
  request.settings.end = 1;
  for (int k = 0; k < LEVELS; ++k) {
    request.settings.step = 1.0 / (60 << k);
    results[k] = run(model, &request);
  }
  double largest[2] = {0, 0};
  for (int i = 0; i < results[0]->objective_count; ++i) {
    for (int p = -1; p < 2; ++p) {
      double once[LEVELS], twice[LEVELS];
      for (int k = 1; k < LEVELS; ++k) {
        once[k] = (4 * number(results[k], i, p) - number(results[k - 1], i, p)) / 3;
      }
      for (int k = 2; k < LEVELS; ++k) {  // h^3, which a rule that is the same backwards does not have
        twice[k] = formulation < EVEN ? once[k] : (8 * once[k] - once[k - 1]) / 7;
      }
      double scale = fabs(number(results[LEVELS - 1], i, p));
      largest[0] = fmax(largest[0], fabs(twice[3] - twice[2]) / scale);
      largest[1] = fmax(largest[1], fabs(number(results[3], i, p) - number(results[2], i, p)) / scale);
      if (formulation < EVEN) {  // and h^4 is there: two differences of order 4
        double ratio = fabs(once[2] - once[1]) / fabs(once[3] - once[2]);
        ENSURE(ratio > 11 && ratio < 23);
      }
    }
  }
  ENSURE(largest[0] < 3e-6 && largest[0] < largest[1] / 50);
  for (int k = 0; k < LEVELS; ++k) {
    mbs_result_destroy(results[k]);
  }
}

static void check_orders(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      check_order(model, f, coordinates[c]);
    }
  }
  mbs_model_destroy(model);
}

// ---- agreement ----
static void check_agreement(const MbsResult *a, const MbsResult *b) {
  for (int i = 0; i < a->objective_count; ++i) {
    for (int p = -1; p < a->parameter_count; ++p) {
      ENSURE_NEAR(number(a, i, p), number(b, i, p), error_of(a, i, p) + error_of(b, i, p));
    }
  }
}

// All formulations but penalty, whose factor is part of its equations, have one solution.
static void check_formulations(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsRequest request = request_of(model, "index1", "relative", MBS_METHOD_ADJOINT);
  request.settings.accuracy = 1e-10;
  request.settings.end = 1;
  MbsResult *reference = run(model, &request);
  ENSURE(reference->accuracy.reached <= 1e-10 && reference->accuracy.asked == 1e-10);
  for (int f = 1; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      request = request_of(model, formulations[f], coordinates[c], f % 2 ? MBS_METHOD_DIRECT : MBS_METHOD_ADJOINT);
      request.settings.accuracy = 1e-6;
      request.settings.end = 1;
      MbsResult *result = run(model, &request);
      ENSURE(result->accuracy.reached <= 1e-6 && !result->accuracy.has_chosen_formulation);
      ENSURE(result->accuracy.has_chosen_integrator && result->accuracy.runs >= 3);
      ENSURE_TEXT(result->request->settings.formulation, formulations[f]);
      check_agreement(result, reference);
      mbs_result_destroy(result);
    }
  }
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

// the same levels, the same numbers; and an adjoint whose trajectory is kept in pieces, and grows with the levels
static void check_methods(const char *path) {
  MbsModel *model = read_model(context, path);
  MbsResult *results[3];
  for (int m = 0; m < 3; ++m) {
    MbsRequest request = request_of(model, "auto", "natural", m == 0 ? MBS_METHOD_DIRECT : MBS_METHOD_ADJOINT);
    request.settings.accuracy = 1e-6;
    request.memory = m == 2 ? 60e3 : 0;
    results[m] = run(model, &request);
  }
  ENSURE(results[2]->statistics.segments > 1 && results[1]->statistics.segments == 1);
  for (int m = 1; m < 3; ++m) {
    ENSURE(results[m]->accuracy.last_steps == results[0]->accuracy.last_steps);
    for (int i = 0; i < results[0]->objective_count; ++i) {
      for (int p = -1; p < results[0]->parameter_count; ++p) {
        double size = fabs(number(results[0], i, p));
        ENSURE_NEAR(number(results[m], i, p), number(results[0], i, p), 1e-10 * (size + 1e-3));
      }
    }
    mbs_result_destroy(results[m]);
  }
  mbs_result_destroy(results[0]);
  mbs_model_destroy(model);
}

// ---- closed forms ----
// Off by no more than the error says, and the error is what was asked for. Estimates hold for 95 of a hundred numbers;
// twice of them for all here.
static void check_number(double value, double error, double exact, double accuracy) {
  ENSURE_NEAR(value, exact, 2 * error);
  ENSURE(error <= accuracy * fmax(fabs(exact), 1));
}

// the end is a parameter, and a ball bounces on the way
static void check_fall(const char *formulation, const char *kind) {
  enum { FALLEN, SPEED, SWING, RATE, HEIGHT, SQUARED, T = 0 };
  const double m = 1.5, c = 2, g = 9.81, tau = m / c, end = 1, accuracy = 1e-7;
  const double v = -g * tau * (1 - exp(-end / tau)), a = -g * exp(-end / tau);
  MbsModel *model = read_model(context, "tests/models/end_parameter.yaml");
  MbsRequest request = request_of(model, formulation, kind, MBS_METHOD_DIRECT);
  request.settings.accuracy = accuracy;
  MbsResult *result = run(model, &request);
  check_number(result->values[SPEED], error_of(result, SPEED, -1), v, accuracy);
  check_number(result->values[FALLEN], error_of(result, FALLEN, -1), -g * tau * (end - tau * (1 - exp(-end / tau))),
               accuracy);
  check_number(number(result, SPEED, T), error_of(result, SPEED, T), 2 * a, accuracy);
  check_number(number(result, FALLEN, T), error_of(result, FALLEN, T), 2 * v, accuracy);
  check_number(number(result, SQUARED, T), error_of(result, SQUARED, T), 4 * v * a, accuracy);
  check_number(number(result, HEIGHT, T), error_of(result, HEIGHT, T),
               2 * (0.7 * sqrt(2 * g) - g * (end - sqrt(2 / g))), accuracy);
  ENSURE(result->event_count == 1);
  check_number(result->events[0].time, result->events[0].time_error, sqrt(2 / g), accuracy);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// K(k) and dK/dk = (E - (1 - k^2) K) / (k (1 - k^2)), by the arithmetic-geometric mean
static double complete_integral(double k, double *slope) {
  double a = 1, b = sqrt(1 - k * k), sum = k * k / 2;
  for (int i = 0; i < 8; ++i) {
    double mean = (a + b) / 2, c = (a - b) / 2;
    b = sqrt(a * b);
    a = mean;
    sum += ldexp(c * c, i);
  }
  double K = acos(-1.0) / (2 * a), E = K * (1 - sum);
  *slope = (E - (1 - k * k) * K) / (k * (1 - k * k));
  return K;
}

// An event that comes wherever it likes within a step: that of the time before divides the next run.
static void check_pendulum(const char *formulation, const char *kind, double accuracy) {
  enum { ACROSS, FAST, L = 0, A0, G };
  const double l = 0.7, a0 = 2.4, g = 9.81, k = sin(a0 / 2);
  double slope, t = complete_integral(k, &slope) * sqrt(l / g), v = -sqrt(2 * g * l * (1 - cos(a0)));
  MbsModel *model = read_model(context, "tests/models/accurate_pendulum.yaml");
  MbsRequest request = request_of(model, formulation, kind, MBS_METHOD_DIRECT);
  request.settings.accuracy = accuracy;
  MbsResult *result = run(model, &request);
  ENSURE(result->event_count == 1);
  const MbsEventResult *event = &result->events[0];
  check_number(event->time, event->time_error, t, accuracy);
  check_number(event->gradient[L], event->gradient_error[L], t / (2 * l), accuracy);
  check_number(event->gradient[G], event->gradient_error[G], -t / (2 * g), accuracy);
  check_number(event->gradient[A0], event->gradient_error[A0], slope * cos(a0 / 2) / 2 * sqrt(l / g), accuracy);
  check_number(result->values[FAST], error_of(result, FAST, -1), v, accuracy);
  check_number(number(result, FAST, L), error_of(result, FAST, L), v / (2 * l), accuracy);
  check_number(number(result, FAST, A0), error_of(result, FAST, A0), g * l * sin(a0) / v, accuracy);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- what cannot be reached ----
// v' = c |sin(w t)|: with noevent() the kinks are wherever they are within steps, and no power of h describes what they
// do
static MbsModel *read_kinks(const char *bends) {
  char text[400];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\n"
                 "name: kinks\n"
                 "parameters: {c: 2}\n"
                 "bodies: {b: {mass: 1, points: {P: [0, 0]}}}\n"
                 "forces: [{point_force: b.P, value: ['c*%s', 0]}]\n"
                 "objectives: {v: {final: v(P).x}}\n"
                 "simulation: {end: 1, step: 0.01}\n",
                 bends);
  return read_text(context, "kinks", text);
}

static void check_kinks(void) {
  MbsModel *model = read_kinks("noevent(abs(sin(7.3*t)))");
  MbsRequest request = request_of(model, "index1", "natural", MBS_METHOD_DIRECT);
  MbsResult *result;
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "trapezoidal");
  double exact = 2 * (2 * 2 + (1 - cos(7.3 - 2 * acos(-1.0)))) / 7.3;  // two arcs of 2 / w, and a part of the third
  request.settings.accuracy = 1e-4;
  result = run(model, &request);
  check_number(result->values[0], result->value_errors[0], exact, 1e-4);
  check_number(result->gradient[0], result->gradient_errors[0], exact / 2, 1e-4);
  mbs_result_destroy(result);
  request.settings.accuracy = 1e-12;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
  ENSURE_CONTAINS(mbs_context_message(context), "accuracy 1e-12 is not reached, but ");
  ENSURE_CONTAINS(mbs_context_message(context), "objective \"v\"");
  ENSURE(result && !result->is_complete && result->error && result->accuracy.reached > 1e-12);
  ENSURE(isfinite(result->accuracy.reached));
  ENSURE_NEAR(result->values[0], exact, result->value_errors[0]);
  ENSURE_NEAR(result->gradient[0], exact / 2, result->gradient_errors[0]);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  model = read_kinks("abs(sin(7.3*t))");  // steps end there
  for (int i = 0; i < 2; ++i) {
    (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "%s", i == 0 ? "trapezoidal" : "auto");
    request.settings.accuracy = 1e-11;
    result = run(model, &request);
    ENSURE_TEXT(result->request->settings.integrator, i == 0 ? "trapezoidal" : "dormand-prince-8");
    check_number(result->values[0], result->value_errors[0], exact, 1e-11);
    check_number(result->gradient[0], result->gradient_errors[0], exact / 2, 1e-11);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// A pendulum that begins a hair from its upper end: all levels share the last digit of where, and magnify it.
static void check_magnified(double hair, const char *integrator) {
  enum { L = 0, A0, G };
  const double l = 0.7, g = 9.81, a0 = acos(-1.0) - hair, below = 1.2246467991473532e-16;  // pi - its double
  const double k = sin((acos(-1.0) - a0 + below) / 2);                                     // the other modulus
  double a = 1, b = k;
  for (int i = 0; i < 12; ++i) {
    double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  double t = acos(-1.0) / (2 * a) * sqrt(l / g);
  char text[800];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\nname: balanced\ngravity: [0, -g]\nparameters: {L: %g, a0: %.17g, g: %g}\n"
                 "ground: {points: {O: [0, 0]}}\n"
                 "bodies: {bob: {mass: 2, points: {P: ['L*sin(a0)', '-L*cos(a0)']}}}\n"
                 "joints: [{distance: [ground.O, bob.P], length: L}]\n"
                 "initial: {independent: [{coordinate: r(P).x, value: L*sin(a0)}]}\n"
                 "events: {bottom: {when: r(P).x, direction: falling}}\n"
                 "objectives: {across: {at: v(P).x, event: bottom}}\nsimulation: {end: %.17g, step: 0.02}\n",
                 l, a0, g, t + 0.1);
  MbsModel *model = read_text(context, "balanced", text);
  MbsRequest request = request_of(model, "ali1", "natural", MBS_METHOD_DIRECT);
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "%s", integrator);
  const char *const wanted[] = {"L"};
  request.parameter_count = 1;
  request.parameters = wanted;
  request.settings.accuracy = 1e-7;
  MbsResult *result = run(model, &request);
  const MbsEventResult *event = &result->events[0];
  ENSURE(result->event_count == 1);
  ENSURE_NEAR(event->time, t, 2 * event->time_error);
  ENSURE_NEAR(event->gradient[L], t / (2 * l), 2 * event->gradient_error[L]);
  ENSURE(event->time_error > 4.4e-16 / hair * sqrt(l / g));  // what the last digit of a0 does
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- choices, and what is refused ----
static const char *refusal(const MbsModel *model, const MbsRequest *request, MbsStatus expected) {
  MbsResult *result;
  MbsStatus status = mbs_run(context, model, request, &result);
  ENSURE(status == expected && !result);
  return mbs_context_message(context);
}

static void check_choice(void) {
  MbsModel *model = read_model(context, "models/pendulum.yaml");
  MbsRequest request = request_of(model, "auto", "natural", MBS_METHOD_NONE);
  request.settings.accuracy = 1e-6;
  MbsResult *result = run(model, &request);
  ENSURE_TEXT(result->request->settings.formulation, "ali1");
  ENSURE_TEXT(result->request->settings.integrator, "dormand-prince-8");
  ENSURE(result->accuracy.has_chosen_formulation && result->value_errors && !result->gradient_errors);
  mbs_result_destroy(result);
  // what is for ali3p alone
  request.settings.is_projection_tangent = true;
  result = run(model, &request);
  ENSURE_TEXT(result->request->settings.formulation, "ali3p");
  mbs_result_destroy(result);
  // without an accuracy nothing is chosen, nor estimated
  request = request_of(model, "auto", "natural", MBS_METHOD_DIRECT);
  result = run(model, &request);
  ENSURE_TEXT(result->request->settings.formulation, "ali3p");
  ENSURE(!result->value_errors && !result->gradient_errors && result->accuracy.asked == 0);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// Redundant constraints: `ali1` and `penalty` hold them by springs, whose limit is another one. The first is not chosen
// then, and where they are given their errors count: against matrix-r, which holds constraints exactly.
static void check_springs(void) {
  static const char *const given[] = {"ali1", "penalty"};
  MbsModel *model = read_model(context, "tests/models/catch_fixed.yaml");
  MbsRequest request = request_of(model, "auto", "natural", MBS_METHOD_DIRECT);
  request.settings.accuracy = 1e-9;
  MbsResult *exact = run(model, &request);
  ENSURE_TEXT(exact->request->settings.formulation, "matrix-r");
  for (int f = 0; f < MBS_COUNT(given); ++f) {
    MbsResult *result;
    int far = 0;
    (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", given[f]);
    ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL && result && !result->is_complete);
    ENSURE(strstr(mbs_context_message(context), "give way"));
    for (int i = 0; i < result->objective_count; ++i) {
      for (int k = -1; k < result->parameter_count; ++k) {
        double off = fabs(number(result, i, k) - number(exact, i, k)), told = error_of(result, i, k);
        ENSURE(off <= told + error_of(exact, i, k));
        far += off > 1e-3 * told;
      }
    }
    ENSURE(far > result->parameter_count);  // nor is it told to be anything
    mbs_result_destroy(result);
  }
  mbs_result_destroy(exact);
  mbs_model_destroy(model);
}

// Newton's iteration is as exact as the accuracy needs, whatever the settings say: a thousandth of it.
static void check_tolerance(void) {
  static const double tolerances[] = {0.3, 1e-9};
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsResult *results[2];
  for (int i = 0; i < 2; ++i) {
    MbsRequest request = request_of(model, "index1", "natural", MBS_METHOD_NONE);
    (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "trapezoidal");
    request.settings.accuracy = 1e-6;
    request.settings.end = 1;
    request.settings.tolerance = tolerances[i];
    results[i] = run(model, &request);
  }
  ENSURE(results[0]->statistics.iterations == results[1]->statistics.iterations);
  ENSURE_NEAR(results[0]->values[0], results[1]->values[0], 0);
  mbs_result_destroy(results[0]);
  mbs_result_destroy(results[1]);
  mbs_model_destroy(model);
}

static void check_refusals(void) {
  MbsModel *model = read_model(context, "models/pendulum.yaml");
  MbsRequest request = request_of(model, "auto", "natural", MBS_METHOD_DIRECT);
  static const double bad[] = {1e-13, 1, -1e-3, (double)NAN};
  for (int i = 0; i < 3; ++i) {
    request.settings.accuracy = bad[i];
    ENSURE_CONTAINS(refusal(model, &request, MBS_ERROR_INPUT), "accuracy must be below 1 and not below 1e-12");
  }
  request.settings.accuracy = bad[3];
  ENSURE_CONTAINS(refusal(model, &request, MBS_ERROR_INPUT), "accuracy must be");
  request.settings.accuracy = 1e-6;
  static const struct {
    MbsMethod method;
    const char *name;
  } methods[] = {{MBS_METHOD_ADJOINT_CONTINUOUS, "adjoint-continuous"},
                 {MBS_METHOD_COMPLEX_STEP, "complex-step"},
                 {MBS_METHOD_FINITE_DIFFERENCE, "finite-difference"}};
  for (int i = 0; i < 3; ++i) {
    request.method = methods[i].method;
    const char *message = refusal(model, &request, MBS_ERROR_NOT_OFFERED);
    ENSURE_CONTAINS(message, "an accuracy is not offered with method");
    ENSURE_CONTAINS(message, methods[i].name);
  }
  MbsSimulator *simulator;
  request.method = MBS_METHOD_DIRECT;
  ENSURE(mbs_simulator_create(context, model, &request, &simulator) == MBS_ERROR_NOT_OFFERED && !simulator);
  ENSURE_CONTAINS(mbs_context_message(context), "a simulator is not offered with an accuracy");
  request.settings.step_tolerance = 1e-6;
  ENSURE_CONTAINS(refusal(model, &request, MBS_ERROR_NOT_OFFERED), "step_tolerance");
  request.settings.step_tolerance = 0;
  request.settings.sample = 0.1;
  ENSURE_CONTAINS(refusal(model, &request, MBS_ERROR_NOT_OFFERED), "sample");
  mbs_model_destroy(model);
  model = read_text(context, "bare",
                    "mbsens: 1\nname: bare\nbodies: {b: {mass: 1, points: {P: [0, 0]}}}\n"
                    "simulation: {end: 1, accuracy: 1e-6}\n");
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE(request.settings.accuracy == 1e-6);
  request.method = MBS_METHOD_NONE;
  ENSURE_CONTAINS(refusal(model, &request, MBS_ERROR_INPUT), "bare has none");
  mbs_model_destroy(model);
}

// ---- histories ----
typedef struct Rows {
  long count;
  double last;
} Rows;

static MbsStatus begin_rows(void *user, int count, const char *const *names) {
  (void)count;
  (void)names;
  ((Rows *)user)->count = 0;
  return MBS_OK;
}

static MbsStatus take_row(void *user, const double *values) {
  ((Rows *)user)->count += 1;
  ((Rows *)user)->last = values[0];
  return MBS_OK;
}

static void check_rows(void) {
  MbsModel *model = read_model(context, "models/pendulum.yaml");
  Rows rows = {0};
  const MbsRecorder recorder = {.user = &rows, .begin = begin_rows, .row = take_row};
  MbsRequest request = request_of(model, "auto", "natural", MBS_METHOD_DIRECT);
  request.settings.accuracy = 1e-4;
  request.recorder = &recorder;
  MbsResult *result = run(model, &request);
  ENSURE(rows.count == result->accuracy.last_steps + 1);
  ENSURE_NEAR(rows.last, result->request->settings.end, 0);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// positions of kinematics are exact at each time, and integrals are not
static void check_kinematics(void) {
  MbsModel *model = read_model(context, "models/driven_slider_crank.yaml");
  MbsRequest request = request_of(model, "auto", "natural", MBS_METHOD_DIRECT);
  enum { TORQUE, X, TURN, END };
  request.settings.is_kinematic = true;
  request.settings.accuracy = 1e-9;
  MbsResult *result = run(model, &request);
  request.settings.accuracy = 0;
  request.settings.step = 1e-4;
  MbsResult *fine = run(model, &request);
  ENSURE_NEAR(result->values[END], fine->values[END], 1e-13);
  ENSURE(result->value_errors[END] < 1e-12);
  ENSURE(fabs(fine->values[TORQUE]) > 1);
  ENSURE_NEAR(result->values[TORQUE], fine->values[TORQUE], 1e-5);
  ENSURE(!result->accuracy.has_chosen_formulation && !result->accuracy.has_chosen_integrator);
  mbs_result_destroy(result);
  mbs_result_destroy(fine);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  check_orders();
  check_formulations();
  check_methods("models/five_bar.yaml");
  check_fall("ali1", "natural");
  check_fall("ali3p", "relative");
  check_pendulum("ali1", "natural", 1e-8);
  check_pendulum("index1", "relative", 1e-8);
  check_pendulum("matrix-r", "natural", 1e-5);  // changes its coordinates on the way
  check_pendulum("ali3p", "natural", 1e-7);
  check_kinks();
  check_magnified(1e-6, "dormand-prince-8");
  check_magnified(1e-6, "trapezoidal");
  check_magnified(1e-8, "dormand-prince-8");
  check_choice();
  check_springs();
  check_tolerance();
  check_refusals();
  check_rows();
  check_kinematics();
  mbs_context_destroy(context);
  return 0;
}
