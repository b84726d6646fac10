// The public simulator: what it gives is to the bit what mbs_run gives; with other numbers it gives what a model with
// these numbers gives; steps, state in and out, save and restore; and whatever is asked wrongly is an error with a
// sentence, after which the simulator is as good as before.
#include <math.h>
#include <mbsens/simulator.h>
#include <string.h>

#include "support.h"

static MbsContext *context;

static MbsRequest request_of(const MbsModel *model, const char *formulation, MbsMethod method) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", formulation);
  request.settings.end = fmin(request.settings.end, 50 * request.settings.step);
  return request;
}

static void ensure_bits(int count, const double *tried, const double *expected) {
  ENSURE(tried && expected && memcmp(tried, expected, (size_t)count * sizeof(double)) == 0);
}

static void ensure_same(const MbsSimulator *simulator, const MbsResult *expected) {
  int objectives = expected->objective_count, parameters = expected->parameter_count;
  ENSURE(mbs_simulator_objective_count(simulator) == objectives);
  ENSURE(mbs_simulator_parameter_count(simulator) == parameters);
  ensure_bits(objectives, mbs_simulator_values(simulator), expected->values);
  if (expected->gradient) {
    ensure_bits(objectives * parameters, mbs_simulator_gradient(simulator), expected->gradient);
  } else {
    ENSURE(!mbs_simulator_gradient(simulator));
  }
}

// once, again, step by step, undone in between, and after other numbers once more: the same bits
static void check_runs(const char *path, const char *formulation, MbsMethod method, double memory) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation, method);
  MbsResult *expected, *result;
  MbsSimulator *simulator;
  MbsSaved *saved = NULL;
  request.memory = memory;
  ENSURE_OK(context, mbs_run(context, model, &request, &expected));
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  for (int i = 0; i < 2; ++i) {
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    ensure_same(simulator, expected);
  }
  ENSURE_OK(context, mbs_simulator_result(context, simulator, &result));
  ENSURE(result->point_count == expected->point_count && result->warning_count == expected->warning_count);
  ENSURE_TEXT(result->parameters[0], expected->parameters[0]);
  ENSURE_NEAR(result->points[0].position[0], expected->points[0].position[0], 0);
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  for (int step = 0; !mbs_simulator_is_over(simulator); ++step) {
    if (step % 7 == 0) {
      ENSURE_OK(context, mbs_simulator_save(context, simulator, &saved));
      for (int ahead = 0; ahead < 20 && !mbs_simulator_is_over(simulator); ++ahead) {
        ENSURE_OK(context, mbs_simulator_step(context, simulator));
      }
      ENSURE_OK(context, mbs_simulator_restore(context, simulator, saved));
    }
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
    ENSURE(mbs_simulator_step_size(simulator) > 0);
  }
  ENSURE_NEAR(mbs_simulator_time(simulator), request.settings.end, 0);
  ENSURE_OK(context, mbs_simulator_finish(context, simulator));
  if (memory > 0) {  // steps that are walked again meet other pivots
    for (int i = 0; i < expected->objective_count * expected->parameter_count; ++i) {
      ENSURE_NEAR(mbs_simulator_gradient(simulator)[i], expected->gradient[i],
                  1e-12 * fabs(expected->gradient[i]) + 1e-12);
    }
  } else {
    ensure_same(simulator, expected);
  }
  mbs_result_destroy(result);
  mbs_result_destroy(expected);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// other numbers: what a model with these numbers gives, but for what is decided at the numbers of the model file (an
// automatic penalty, where Newton's iteration begins); and back again to the same bits
static void check_numbers(const char *path, const char *formulation, MbsMethod method, double most) {
  MbsModel *model = read_model(context, path), *other = read_model(context, path);
  MbsRequest request = request_of(model, formulation, method);
  MbsResult *first, *moved;
  MbsSimulator *simulator;
  ENSURE_OK(context, mbs_run(context, model, &request, &first));
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  int count = mbs_simulator_parameter_count(simulator);
  double *values = calloc((size_t)count, sizeof *values), *before = calloc((size_t)count, sizeof *before);
  ENSURE(values && before);
  for (int i = 0; i < count; ++i) {
    char text[64];
    before[i] = mbs_simulator_parameters(simulator)[i];
    values[i] = before[i] * (1 + 0.01 * sin(1.0 + i));
    (void)snprintf(text, sizeof text, "%.17g", values[i]);
    ENSURE_OK(context, mbs_model_set(context, other, mbs_simulator_parameter_names(simulator)[i], text));
  }
  ENSURE_OK(context, mbs_run(context, other, &request, &moved));
  ENSURE_OK(context, mbs_simulator_set_parameters(context, simulator, count, values));
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  double worst = 0;
  for (int i = 0; i < moved->objective_count; ++i) {
    double largest = 0;
    ENSURE_NEAR(mbs_simulator_values(simulator)[i], moved->values[i], most * fabs(moved->values[i]));
    ENSURE(fabs(moved->values[i] - first->values[i]) > 10 * most * fabs(moved->values[i]));
    for (int k = 0; k < count; ++k) {
      largest = fmax(largest, fabs(moved->gradient[i * count + k]));
    }
    for (int k = 0; k < count; ++k) {
      double off = fabs(mbs_simulator_gradient(simulator)[i * count + k] - moved->gradient[i * count + k]);
      worst = fmax(worst, off / largest);
    }
  }
  (void)printf("%s, %s: other numbers to %.1e\n", path, formulation, worst);
  ENSURE(worst < most);
  // one by one, by name
  for (int i = 0; i < count; ++i) {
    ENSURE_OK(context,
              mbs_simulator_set_parameter(context, simulator, mbs_simulator_parameter_names(simulator)[i], before[i]));
  }
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  ensure_same(simulator, first);
  free(values);
  free(before);
  mbs_result_destroy(first);
  mbs_result_destroy(moved);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
  mbs_model_destroy(other);
}

// every shipped model, all parameters moved by a thousandth: gradients as those of a model with these numbers
static void check_numbers_of(const char *path, const char *coordinates) {
  MbsModel *model = read_model(context, path), *other = read_model(context, path);
  MbsRequest request = request_of(model, "ali3p", MBS_METHOD_DIRECT);
  MbsResult *anew;
  MbsSimulator *simulator;
  request.settings.end = 10 * request.settings.step;
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  int count = mbs_simulator_parameter_count(simulator);
  double *values = calloc((size_t)count, sizeof *values), worst = 0;
  ENSURE(values);
  for (int i = 0; i < count; ++i) {
    char text[64];
    values[i] = mbs_simulator_parameters(simulator)[i] * (1 + 1e-3 * sin(1.0 + i));
    (void)snprintf(text, sizeof text, "%.17g", values[i]);
    ENSURE_OK(context, mbs_model_set(context, other, mbs_simulator_parameter_names(simulator)[i], text));
  }
  ENSURE_OK(context, mbs_simulator_set_parameters(context, simulator, count, values));
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  ENSURE_OK(context, mbs_run(context, other, &request, &anew));
  for (int i = 0; i < anew->objective_count; ++i) {
    const double *held = mbs_simulator_gradient(simulator) + i * count, *expected = anew->gradient + i * count;
    double largest = 0;
    for (int k = 0; k < count; ++k) {
      largest = fmax(largest, fabs(expected[k] * values[k]));
    }
    for (int k = 0; k < count; ++k) {
      worst = fmax(worst, fabs((held[k] - expected[k]) * values[k]) / fmax(largest, 1e-300));
    }
  }
  (void)printf("%s, %s: other numbers to %.1e\n", path, coordinates, worst);
  ENSURE(worst < 1e-9);
  free(values);
  mbs_result_destroy(anew);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
  mbs_model_destroy(other);
}

// ---- state in and out ----
// A run from the middle of another, whose state is handed over: to the error of a start in the middle (accelerations
// from the equations, no extrapolation), which the tolerance of Newton's iteration bounds.
static void check_state(const char *path, const char *formulation) {
  enum { MOST = 200 };
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation, MBS_METHOD_NONE);
  MbsSimulator *one, *two;
  double q[MOST], v[MOST], a[MOST], q2[MOST], v2[MOST];
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &one));
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &two));
  int n = mbs_simulator_coordinate_count(one);
  ENSURE(n > 0 && n <= MOST && mbs_simulator_coordinate_names(one)[n - 1]);
  ENSURE_OK(context, mbs_simulator_start(context, one));
  ENSURE_OK(context, mbs_simulator_start(context, two));
  for (int i = 0; i < 10; ++i) {
    ENSURE_OK(context, mbs_simulator_step(context, one));
    ENSURE_OK(context, mbs_simulator_step(context, two));
  }
  ENSURE_OK(context, mbs_simulator_state(context, one, n, q, v, a));
  // velocities doubled: the constraints of this model have no drivers, so that is a velocity, too
  for (int i = 0; i < n; ++i) {
    v[i] *= 2;
  }
  ENSURE_OK(context, mbs_simulator_set_state(context, one, n, q, v, false));
  // a position that is off: refused with what is off, and as before; or projected, with the independent ones kept
  for (int i = 0; i < n; ++i) {
    q2[i] = q[i] * (1 + 1e-2 * sin(3.0 * i));
    v2[i] = v[i] * (1 + 1e-2 * cos(3.0 * i));
  }
  ENSURE(mbs_simulator_set_state(context, two, n, q2, v2, false) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "does not meet its constraints");
  double same[MOST];
  ENSURE_OK(context, mbs_simulator_state(context, two, n, same, NULL, NULL));
  ensure_bits(n, same, q);
  ENSURE_OK(context, mbs_simulator_set_state(context, two, n, q2, v2, true));
  ENSURE_OK(context, mbs_simulator_state(context, two, n, q2, v2, a));
  for (int i = 0; i < n; ++i) {
    ENSURE_NEAR(q2[i], q[i], 0.1 * (1 + fabs(q[i])));
    ENSURE_NEAR(v2[i], v[i], 0.1 * (1 + fabs(v[i])));
  }
  ENSURE_OK(context, mbs_simulator_set_state(context, one, n, q2, v2, false));  // it meets them now
  while (!mbs_simulator_is_over(one)) {
    ENSURE_OK(context, mbs_simulator_step(context, one));
    ENSURE_OK(context, mbs_simulator_step(context, two));
  }
  ENSURE_OK(context, mbs_simulator_state(context, one, n, q, v, NULL));
  ENSURE_OK(context, mbs_simulator_state(context, two, n, q2, v2, NULL));
  for (int i = 0; i < n; ++i) {
    ENSURE_NEAR(q2[i], q[i], 1e-7 * (1 + fabs(q[i])));
    ENSURE_NEAR(v2[i], v[i], 1e-6 * (1 + fabs(v[i])));
  }
  mbs_simulator_destroy(one);
  mbs_simulator_destroy(two);
  mbs_model_destroy(model);
}

// ---- bad input ----
static void check_bad_input(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsRequest request = request_of(model, "ali3p", MBS_METHOD_ADJOINT);
  MbsSimulator *simulator = NULL, *other = NULL;
  MbsResult *expected, *none;
  MbsSaved *saved = NULL;
  double numbers[64] = {0};
  ENSURE_OK(context, mbs_run(context, model, &request, &expected));
  ENSURE(mbs_simulator_create(context, NULL, &request, &simulator) == MBS_ERROR_INPUT && !simulator);
  ENSURE(mbs_simulator_create(context, model, NULL, &simulator) == MBS_ERROR_INPUT);
  request.method = MBS_METHOD_COMPLEX_STEP;
  ENSURE(mbs_simulator_create(context, model, &request, &simulator) == MBS_ERROR_NOT_OFFERED && !simulator);
  ENSURE_CONTAINS(mbs_context_message(context), "several runs");
  request.method = MBS_METHOD_ADJOINT;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &other));
  int count = mbs_simulator_parameter_count(simulator), n = mbs_simulator_coordinate_count(simulator);
  // out of order
  ENSURE(mbs_simulator_step(context, simulator) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "mbs_simulator_start");
  ENSURE(mbs_simulator_finish(context, simulator) == MBS_ERROR_INPUT);
  ENSURE(mbs_simulator_save(context, simulator, &saved) == MBS_ERROR_INPUT && !saved);
  ENSURE(mbs_simulator_result(context, simulator, &none) == MBS_ERROR_INPUT && !none);
  ENSURE(mbs_simulator_state(context, simulator, n, numbers, NULL, NULL) == MBS_ERROR_INPUT);
  ENSURE(!mbs_simulator_gradient(simulator));
  // sizes and numbers
  memcpy(numbers, mbs_simulator_parameters(simulator), (size_t)count * sizeof *numbers);
  ENSURE(mbs_simulator_set_parameters(context, simulator, count - 1, numbers) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "the simulator has 5 parameters, and 4 numbers are given");
  numbers[2] = (double)NAN;
  ENSURE(mbs_simulator_set_parameters(context, simulator, count, numbers) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "parameter \"mA1\" must be a finite number, got nan");
  numbers[2] = -1;  // a mass
  ENSURE(mbs_simulator_set_parameters(context, simulator, count, numbers) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "mass must not be negative, got -1");
  ENSURE(mbs_simulator_set_parameters(context, simulator, count, NULL) == MBS_ERROR_INPUT);
  ENSURE(mbs_simulator_set_parameter(context, simulator, "mA2", 1) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "did you mean \"mA1\"?");
  ENSURE(mbs_simulator_set_parameter(context, simulator, "(time)", 1) == MBS_ERROR_INPUT);  // it is hidden
  ENSURE(!strstr(mbs_context_message(context), "did you mean \"("));
  ENSURE(mbs_simulator_set_parameter(context, simulator, "LA1", 0) == MBS_ERROR_INPUT);
  // a length out of reach: the start fails, and what follows needs a start
  ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "LA1", 100));
  ENSURE(mbs_simulator_start(context, simulator) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "cannot be assembled");
  ENSURE(mbs_simulator_step(context, simulator) == MBS_ERROR_INPUT);
  // and all is good again
  ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "LA1", expected->parameter_values[4]));
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  ensure_same(simulator, expected);
  // after an adjoint
  ENSURE(mbs_simulator_step(context, simulator) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "adjoint has come back");
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  ENSURE(mbs_simulator_finish(context, simulator) == MBS_ERROR_INPUT);
  ENSURE_OK(context, mbs_simulator_save(context, simulator, &saved));
  ENSURE_OK(context, mbs_simulator_step(context, simulator));
  ENSURE(mbs_simulator_set_state(context, simulator, n, numbers, numbers, true) == MBS_ERROR_NOT_OFFERED);
  // what belongs elsewhere
  ENSURE_OK(context, mbs_simulator_start(context, other));
  ENSURE(mbs_simulator_restore(context, other, saved) == MBS_ERROR_INPUT);
  ENSURE(mbs_simulator_save(context, other, &saved) == MBS_ERROR_INPUT);
  ENSURE(mbs_simulator_restore(context, simulator, NULL) == MBS_ERROR_INPUT);
  ENSURE_OK(context, mbs_simulator_restore(context, simulator, saved));
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  ENSURE(mbs_simulator_restore(context, simulator, saved) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "a run before this one");
  ensure_same(simulator, expected);
  // beyond the end
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  while (!mbs_simulator_is_over(simulator)) {
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
  }
  ENSURE(mbs_simulator_step(context, simulator) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "at its end");
  mbs_simulator_destroy(NULL);
  mbs_result_destroy(expected);
  mbs_simulator_destroy(simulator);
  mbs_simulator_destroy(other);
  mbs_model_destroy(model);
}

// a state with NaN, of the wrong size, before the start
static void check_bad_states(void) {
  MbsModel *model = read_model(context, "models/pendulum.yaml");
  MbsRequest request = request_of(model, "ali3p", MBS_METHOD_NONE);
  MbsSimulator *simulator;
  double q[16], v[16];
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  int n = mbs_simulator_coordinate_count(simulator);
  ENSURE(mbs_simulator_set_state(context, simulator, n, q, v, false) == MBS_ERROR_INPUT);
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  ENSURE_OK(context, mbs_simulator_state(context, simulator, n, q, v, NULL));
  ENSURE(mbs_simulator_set_state(context, simulator, n + 1, q, v, false) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "coordinates, and");
  v[0] = (double)INFINITY;
  ENSURE(mbs_simulator_set_state(context, simulator, n, q, v, true) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "must be a finite number, got inf");
  ENSURE_OK(context, mbs_simulator_step(context, simulator));
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// Two wheels across the board keep the same velocity at zero, so that the start fails; with other numbers it
// does not.
static void check_singular_start(void) {
  static const char board[] =
      "mbsens: 1\n"
      "parameters: {s: pi/2, l: 0.4}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  board: {mass: 6, inertia: 0.5, points: {C: [0, 0], F: [l, 0], B: [-l, 0]}}\n"
      "  front: {mass: 0.3, inertia: 0.01, points: {F: [0, 0]}, position: [0.4, 0], angle: 1.5}\n"
      "  back: {mass: 0.3, inertia: 0.01, points: {B: [0, 0]}, position: [-0.4, 0], angle: -1.5}\n"
      "joints:\n"
      "  - {revolute: [board.F, front.F], name: fork}\n"
      "  - {revolute: [board.B, back.B], name: tail}\n"
      "  - {knife_edge: [ground.O, front.F], edge: [1, 0]}\n"
      "  - {knife_edge: [ground.O, back.B], edge: [1, 0]}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(C).x, value: 0, velocity: 0.1}\n"
      "    - {coordinate: r(C).y, value: 0}\n"
      "    - {coordinate: angle(board), value: 0}\n"
      "    - {coordinate: angle(fork), value: s, velocity: 0}\n"
      "    - {coordinate: angle(tail), value: -s, velocity: 0}\n"
      "objectives: {y: {final: r(C).y}, heading: {final: angle(board)}}\n"
      "simulation: {end: 0.1, step: 0.01}\n";
  MbsModel *model = read_text(context, "board.yaml", board);
  MbsRequest request = request_of(model, "ali3p", MBS_METHOD_DIRECT);
  MbsSimulator *simulator;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  for (int i = 0; i < 2; ++i) {
    ENSURE(mbs_simulator_run(context, simulator) == MBS_ERROR_NUMERICAL);
    ENSURE_CONTAINS(mbs_context_message(context), "the start is a singular position");
  }
  ENSURE_OK(context, mbs_simulator_set_parameter(context, simulator, "s", 0.3));
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  // the board turns about the point where the wheels' axes meet, l cot(s) beside its middle
  ENSURE_NEAR(mbs_simulator_values(simulator)[1], 0.1 * 0.1 * tan(0.3) / 0.4, 1e-5);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// two parameters of every model are hidden, in messages too
static void check_hidden(void) {
  MbsModel *model = read_text(context, "hidden.yaml",
                              "mbsens: 1\nparameters: {k: 2*time}\n"
                              "bodies: {b: {mass: k, inertia: stepp, points: {P: [0, 0]}}}\n");
  MbsRequest request;
  MbsSimulator *simulator;
  ENSURE(mbs_request_default(context, model, &request) == MBS_OK);
  ENSURE(mbs_simulator_create(context, model, &request, &simulator) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "no parameter \"time\"");
  ENSURE(!strstr(mbs_context_message(context), "did you mean"));
  mbs_model_destroy(model);
}

// a context for each call; the one that created the simulator is gone
static void check_contexts(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsRequest request = request_of(model, "matrix-r", MBS_METHOD_ADJOINT);
  MbsContext *first = mbs_context_create();
  MbsSimulator *simulator;
  MbsSaved *saved = NULL;
  ENSURE_OK(first, mbs_simulator_create(first, model, &request, &simulator));
  mbs_context_destroy(first);
  for (int i = 0; i < 2; ++i) {
    MbsContext *own = mbs_context_create();
    ENSURE_OK(own, mbs_simulator_set_parameter(own, simulator, "mA1", 1 + 0.1 * i));
    ENSURE_OK(own, mbs_simulator_run(own, simulator));
    ENSURE_OK(own, mbs_simulator_start(own, simulator));
    ENSURE_OK(own, mbs_simulator_save(own, simulator, &saved));
    mbs_context_destroy(own);
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
  }
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  static const char *const formulations[] = {"ali3p", "index1", "index3", "matrix-r", "penalty", "ali1"};
  for (int f = 0; f < 6; ++f) {
    check_runs("models/five_bar.yaml", formulations[f], MBS_METHOD_DIRECT, 0);
    check_runs("models/five_bar.yaml", formulations[f], MBS_METHOD_ADJOINT, 0);
    check_runs("models/flying_rotor.yaml", formulations[f], MBS_METHOD_ADJOINT, 0);
    check_runs("models/rssr.yaml", formulations[f], MBS_METHOD_NONE, 0);
    check_runs("tests/models/event_impacts.yaml", formulations[f], MBS_METHOD_DIRECT, 0);
    check_runs("tests/models/event_impacts.yaml", formulations[f], MBS_METHOD_ADJOINT, 0);
    check_runs("tests/models/event_impacts_space.yaml", formulations[f], MBS_METHOD_DIRECT, 0);
    check_runs("models/geneva.yaml", formulations[f], MBS_METHOD_DIRECT, 0);  // joints that come and go
    check_runs("models/geneva.yaml", formulations[f], MBS_METHOD_ADJOINT, 0);
    check_numbers("models/geneva.yaml", formulations[f], MBS_METHOD_DIRECT, 1e-6);
    check_numbers("models/five_bar.yaml", formulations[f], MBS_METHOD_DIRECT, 1e-6);
    check_numbers("models/five_bar.yaml", formulations[f], MBS_METHOD_ADJOINT, 1e-6);
  }
  check_runs("models/five_bar.yaml", "ali3p", MBS_METHOD_ADJOINT, 12000);  // walked twice
  check_runs("models/five_bar.yaml", "matrix-r", MBS_METHOD_ADJOINT, 9000);
  check_runs("models/five_bar.yaml", "penalty", MBS_METHOD_ADJOINT_CONTINUOUS, 0);
  check_runs("models/governor.yaml", "matrix-r", MBS_METHOD_DIRECT, 0);
  check_numbers("models/rssr.yaml", "ali3p", MBS_METHOD_DIRECT, 1e-6);
  static const char *const models[] = {"models/andrews.yaml",          "models/bricard.yaml",
                                       "models/double_wishbone.yaml",  "models/driven_slider_crank.yaml",
                                       "models/flying_rotor.yaml",     "models/governor.yaml",
                                       "models/n_four_bar.yaml",       "models/n_four_bar_40.yaml",
                                       "models/pendulum.yaml",         "models/rolling_coin_incline.yaml",
                                       "models/rolling_disc.yaml",     "models/rssr.yaml",
                                       "models/shaken_pendulum.yaml",  "models/six_axis_arm.yaml",
                                       "models/slider_crank.yaml",     "models/slider_spring.yaml",
                                       "models/snakeboard.yaml",       "models/spatial_slider_crank.yaml",
                                       "models/steered_wishbone.yaml", "models/stewart_platform.yaml",
                                       "models/two_point_mass.yaml",   "models/universal_shaft.yaml"};
  for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
    check_numbers_of(models[m], "natural");
    check_numbers_of(models[m], "relative");
  }
  check_state("models/five_bar.yaml", "ali3p");
  check_state("models/five_bar.yaml", "matrix-r");
  check_state("models/five_bar.yaml", "index1");
  check_contexts();
  check_hidden();
  check_singular_start();
  check_bad_input();
  check_bad_states();
  mbs_context_destroy(context);
  return 0;
}
