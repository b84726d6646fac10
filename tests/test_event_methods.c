// Events by all methods: direct method, adjoint and complex step against each other in all formulations and both
// coordinates, with much memory and with little; histories, which have both sides of every event.
#include "event_runs.h"
#include "formulations/formulation.h"

// ---- all methods ----
// The least with which an adjoint runs, to a fifth: most of its steps are then walked again, across events. It does not
// know before how many steps there will be, so too little is told at the start or on the way.
static double least_memory(const MbsModel *model, const MbsRequest *request) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = MBS_METHOD_ADJOINT;
  int tries = 0;
  for (own.memory = 1; mbs_run(context, model, &own, &result) != MBS_OK; own.memory *= 1.2, ++tries) {
    ENSURE_CONTAINS(mbs_context_message(context), "the adjoint cannot keep ");
    mbs_result_destroy(result);
    ENSURE(own.memory < 1e5);
  }
  ENSURE(tries > 10);
  mbs_result_destroy(result);
  return own.memory;
}

static void test_methods(void) {
  static const char *const paths[] = {"tests/models/event_impacts.yaml", "tests/models/event_impacts_space.yaml",
                                      "tests/models/event_loop.yaml"};
  for (int p = 0; p < MBS_COUNT(paths); ++p) {
    MbsModel *model = read_model(context, paths[p]);
    for (int f = 0; mbs_formulation_types[f]; ++f) {
      for (int c = 0; c < MBS_COUNT(coordinates); ++c) {
        MbsRequest request = request_of(model, mbs_formulation_types[f]->name, coordinates[c]);
        ENSURE(compare_methods(model, &request, paths[p]) > 0);
      }
    }
    // other rules, projections and sources of derivatives; steps that are walked again
    MbsRequest base = request_of(model, "ali3p", "natural"), other = base;
    (void)snprintf(other.settings.integrator, sizeof other.settings.integrator, "generalised-alpha");
    other.settings.spectral_radius = 0.7;
    ENSURE(compare_methods(model, &other, "generalised-alpha") > 0);
    other = base;
    other.settings.is_projection_tangent = true;
    ENSURE(compare_methods(model, &other, "projection matrix tangent") > 0);
    other.settings.is_projection_tangent = false;
    other.settings.projections = -1;
    ENSURE(compare_methods(model, &other, "no projections") > 0);
    other = base;
    other.memory = least_memory(model, &base);
    ENSURE(compare_methods(model, &other, "little memory") > 0);
    other = base;
    other.settings.derivatives = MBS_DERIVATIVES_AUTOMATIC;
    ENSURE(compare_methods(model, &other, "derivatives automatic") > 0);
    // differences, term by term: 2.5e-7 at most
    other.settings.derivatives = MBS_DERIVATIVES_NUMERICAL;
    MbsResult *direct = run_with(model, &other, MBS_METHOD_DIRECT);
    MbsResult *adjoint = run_with(model, &other, MBS_METHOD_ADJOINT);
    MbsResult *reference = run_with(model, &base, MBS_METHOD_COMPLEX_STEP);
    int rows = direct->objective_count, count = direct->parameter_count;
    ENSURE(distance(rows, count, direct->gradient, reference->gradient) < 3e-6);
    ENSURE(distance(rows, count, adjoint->gradient, reference->gradient) < 3e-6);
    mbs_result_destroy(direct);
    mbs_result_destroy(adjoint);
    mbs_result_destroy(reference);
    mbs_model_destroy(model);
  }
}

// Integrators with stages: guards, laws and what an event sets read angles, which steps evaluate at their stages.
static void test_stages(void) {
  static const char *const integrators[] = {"radau-3", "radau-5", "dormand-prince-5", "dormand-prince-8"};
  static const char text[] =
      "mbsens: 1\ngravity: [0, -g]\nparameters: {g: 9.81, a0: -0.3, w0: 1.5, n0: 1.2, lev: 0.2, c1: 0.7, c2: 0.1}\n"
      "variables: {n: n0}\nground: {points: {O: [0, 0]}}\n"
      "bodies: {b: {mass: 1, com: [0.3, 0.02], inertia: 0.05, points: {A: [0, 0], B: [0.6, 0]}}}\n"
      "joints: [{revolute: [ground.O, b.A], name: j}]\n"
      "forces: [{coordinate_force: angle(j), value: -n*rate + 9*cos(angle(j))}]\n"
      "events: {knock: {when: angle(j) - lev, set: {n: c1*n + c2*rate(angle(j))}}}\n"
      "initial: {independent: [{coordinate: angle(j), value: a0, velocity: w0}]}\n"
      "objectives: {y: {final: r(B).y}, late: {event_time: knock}, work: {integral: n*omega(b)^2}}\n"
      "simulation: {end: 1, step: 0.05}\n";
  MbsModel *model = read_text(context, "stages", text);
  for (int i = 0; i < MBS_COUNT(integrators); ++i) {
    for (int c = 0; c < MBS_COUNT(coordinates); ++c) {
      MbsRequest request = request_of(model, "index1", coordinates[c]);
      (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrators[i]);
      ENSURE(compare_methods(model, &request, integrators[i]) == 1);
      MbsResult *result = run_with(model, &request, MBS_METHOD_ADJOINT);
      ENSURE_NEAR(result->events[0].time, 0.16254, 1e-3);
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// ---- histories ----
enum { MOST_ROWS = 40, MOST_WIDTH = 800 };
typedef struct Rows {
  int count, width;
  bool is_multiplier[MOST_WIDTH];
  double values[MOST_ROWS][MOST_WIDTH];
} Rows;

static MbsStatus begin_rows(void *user, int column_count, const char *const *names) {
  Rows *rows = user;
  rows->count = 0;
  rows->width = column_count;
  ENSURE(column_count <= MOST_WIDTH);
  for (int c = 0; c < column_count; ++c) {
    rows->is_multiplier[c] = strstr(names[c], "lambda(") != NULL;
  }
  return MBS_OK;
}

static MbsStatus add_row(void *user, const double *values) {
  Rows *rows = user;
  ENSURE(rows->count < MOST_ROWS);
  memcpy(rows->values[rows->count++], values, (size_t)rows->width * sizeof *values);
  return MBS_OK;
}

// Both sides of every event are rows, and columns of derivatives are the same by all methods, at events too, where they
// are those of a state whose time moves.
static void test_histories(void) {
  static const MbsMethod methods[] = {MBS_METHOD_COMPLEX_STEP, MBS_METHOD_FINITE_DIFFERENCE};
  // multipliers of positions at the end of a short piece are known to rounding over h^2
  static const double limits[] = {1e-8, 1e-3}, of_multipliers = 1e-6;
  static Rows expected, tried;
  MbsModel *model = read_model(context, "tests/models/event_impacts.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsRecorder recorder = {.user = &expected, .begin = begin_rows, .row = add_row};
  request.recorder = &recorder;
  MbsResult *direct = run_with(model, &request, MBS_METHOD_DIRECT);
  ENSURE(direct->event_count == 4 && expected.count == 1 + 10 + 2 * 4);
  int pairs = 0;
  for (int r = 1; r < expected.count; ++r) {
    bool is_after = expected.values[r][0] <= expected.values[r - 1][0];
    if (is_after) {
      ENSURE_NEAR(expected.values[r][0], direct->events[pairs].time, 0);
      pairs += 1;
    }
  }
  ENSURE(pairs == 4);
  recorder.user = &tried;
  for (int m = 0; m < MBS_COUNT(methods); ++m) {
    mbs_result_destroy(run_with(model, &request, methods[m]));
    ENSURE(tried.count == expected.count && tried.width == expected.width);
    for (int c = 0; c < tried.width; ++c) {
      double largest = 1;
      for (int r = 0; r < tried.count; ++r) {
        largest = fmax(largest, fabs(expected.values[r][c]));
      }
      double limit = expected.is_multiplier[c] ? fmax(limits[m], of_multipliers) : limits[m];
      for (int r = 0; r < tried.count; ++r) {
        ENSURE_NEAR(tried.values[r][c], expected.values[r][c], limit * largest);
      }
    }
  }
  mbs_result_destroy(direct);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_methods();
  test_stages();
  test_histories();
  mbs_context_destroy(context);
  return 0;
}
