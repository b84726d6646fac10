// Rows between the steps of explicit methods (simulation/dense_output.h): the conditions of order of their weights, by
// rooted trees, are in test_runge_kutta.c; here closed forms of a motion, of integrals and of derivatives, the order
// that rows show, direct method against complex step through events, variables, moving ground, redundant and
// nonholonomic constraints, of all columns there are; that the run does not depend on them; angles that turn; what is
// refused.
//
// Seen to fail with a planted error, one at a time:
//   integrators/explicit_dense.c  rates of the beginning left out of columns; times, or fixed coordinates, of another
//   time;
//                                 not projected
//   simulation/dense_output.c     0.9 of integrands of the beginning; their columns twice; turns not counted back;
//   variables
//                                 not added up
//   simulation/event_search.c, simulation.c  steps that end, or begin, at events with rows within
#include <math.h>

#include "integrator_runs.h"

enum { MOST_ROWS = 300 };

typedef struct Rows {
  int count, width;
  char names[2000][100];
  double *numbers;
} Rows;

static MbsStatus begin(void *user, int width, const char *const *names) {
  Rows *rows = user;
  ENSURE(width <= MBS_COUNT(rows->names));
  rows->width = width;
  rows->count = 0;
  for (int i = 0; i < width; ++i) {
    (void)snprintf(rows->names[i], sizeof rows->names[i], "%s", names[i]);
  }
  rows->numbers = realloc(rows->numbers, sizeof(double) * MOST_ROWS * (size_t)width);
  ENSURE(rows->numbers);
  return MBS_OK;
}

static MbsStatus row(void *user, const double *values) {
  Rows *rows = user;
  ENSURE(rows->count < MOST_ROWS);
  memcpy(rows->numbers + rows->count++ * rows->width, values, sizeof(double) * (size_t)rows->width);
  return MBS_OK;
}

static MbsResult *run_rows(const MbsModel *model, const MbsRequest *request, MbsMethod method, Rows *rows) {
  MbsRequest own = *request;
  MbsRecorder recorder = {.user = rows, .begin = begin, .row = row};
  own.recorder = &recorder;
  return run_with(model, &own, method);
}

static const double *column(const Rows *rows, const char *name) {
  for (int i = 0; i < rows->width; ++i) {
    if (strcmp(rows->names[i], name) == 0) {
      return rows->numbers + i;
    }
  }
  (void)fprintf(stderr, "no column %s\n", name);
  exit(1);
}

// ---- closed forms ----
// s'' = -K s, s(0) = 1, s'(0) = u, and theta, which turns at the rate of 5 1/s: its angle has whole turns
static const char *const closed =
    "mbsens: 1\n"
    "parameters: {K: 4, u: 0.3}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies: {wheel: {mass: 1, inertia: 1, com: [0, 0], points: {C: [0, 0], P: [1, 0]}}}\n"
    "joints: [{revolute: [ground.O, wheel.C]}]\n"
    "coordinates: {s: {inertia: 1}}\n"
    "forces: [{coordinate_force: s, value: -K*value}]\n"
    "initial: {independent: [{coordinate: s, value: 1, velocity: u}, {coordinate: angle(wheel), value: 0, velocity: "
    "5}]}\n"
    "outputs: {turn: angle(wheel), pull: K*s}\n"
    "objectives: {place: {final: s}, square: {integral: s^2}, both: {value: place + 2*square}}\n"
    "simulation: {end: 4, step: 0.1, formulation: index1}\n";

static double check_closed(const char *integrator, const char *formulation, double step, double tolerance) {
  static Rows rows;
  MbsModel *model = read_text(context, "closed forms", closed);
  MbsRequest request = integrator_request(model, integrator, formulation, "natural");
  const double K = 4, u = 0.3, w = 2;
  double worst = 0;
  request.settings.step = step;
  request.settings.step_tolerance = tolerance;
  request.settings.sample = 0.0371;
  MbsResult *result = run_rows(model, &request, MBS_METHOD_DIRECT, &rows);
  ENSURE(rows.count == 108);  // 0, 0.0371, ..., 107 times that
  for (int i = 0; i < rows.count; ++i) {
    int at = i * rows.width;
    double t = column(&rows, "t")[at], c = cos(w * t), d = sin(w * t), b = u / w;
    double s = c + b * d,
           square = (1 + b * b) / 2 * t + (1 - b * b) / 4 * sin(2 * w * t) / w + b * (1 - cos(2 * w * t)) / (2 * w);
    double by_K = (-t * d + u * t * c / w - u * d / (w * w)) / (2 * w);
    double by_u = d / w, square_u = (b * t - b * sin(2 * w * t) / (2 * w) + (1 - cos(2 * w * t)) / (2 * w)) / w;
    ENSURE_NEAR(t, 0.0371 * i, 1e-12);
    const double off[] = {column(&rows, "pull")[at] - K * s,
                          column(&rows, "place")[at] - s,
                          column(&rows, "square")[at] - square,
                          column(&rows, "both")[at] - s - 2 * square,
                          column(&rows, "d(pull)/d(K)")[at] - s - K * by_K,
                          column(&rows, "d(place)/d(u)")[at] - by_u,
                          column(&rows, "d(square)/d(u)")[at] - square_u,
                          column(&rows, "d(both)/d(u)")[at] - by_u - 2 * square_u,
                          column(&rows, "turn")[at] - 5 * t};
    for (int k = 0; k < MBS_COUNT(off); ++k) {
      worst = fmax(worst, fabs(off[k]));
    }
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  return worst;
}

static void check_order(const char *integrator, const char *formulation, int order, double step) {
  double coarse = check_closed(integrator, formulation, step, 0);
  double fine = check_closed(integrator, formulation, step / 2, 0);
  double seen = log2(coarse / fine);
  (void)printf("rows, %s, %s: off by %.1e, order %.2f\n", integrator, formulation, fine, seen);
  ENSURE(fine > 1e-12 && seen > order - 0.5);  // no less; the trees say no more
}

// ---- any model ----
static double compare(const Rows *one, const Rows *other) {
  double worst = 0;
  ENSURE(one->count == other->count && one->width == other->width);
  for (int k = 0; k < one->width; ++k) {
    double largest = 0, off = 0;
    for (int i = 0; i < one->count; ++i) {
      largest = fmax(largest, fabs(one->numbers[i * one->width + k]));
      off = fmax(off, fabs(one->numbers[i * one->width + k] - other->numbers[i * one->width + k]));
    }
    worst = fmax(worst, off / fmax(largest, 1e-4));  // what is smaller has roundings of others
  }
  return worst;
}

// Slopes against the complex step, the adjoint's rows (which have none) against those, and the run against one that has
// no rows between steps; constraints as they are at the ends of steps.
static void check_model(const char *path, double end, double interval, const char *integrator, const char *formulation,
                        const char *kind, double tolerance) {
  static Rows direct, perturbed, adjoint;
  MbsModel *model = read_model(context, path);
  MbsRequest request = integrator_request(model, integrator, formulation, kind);
  request.settings.end = end > 0 ? end : request.settings.end;
  request.settings.step_tolerance = tolerance;
  MbsResult *bare = run_with(model, &request, MBS_METHOD_DIRECT);
  request.settings.sample = interval;
  (void)snprintf(request.settings.columns, sizeof request.settings.columns, "all");
  MbsResult *result = run_rows(model, &request, MBS_METHOD_DIRECT, &direct);
  MbsResult *other = run_rows(model, &request, MBS_METHOD_COMPLEX_STEP, &perturbed);
  MbsResult *last = run_rows(model, &request, MBS_METHOD_ADJOINT, &adjoint);
  double worst = compare(&direct, &perturbed);
  (void)printf("%s, %s, %s: %d rows of %d, %ld steps; slopes differ by %.1e\n", path, formulation, kind, direct.count,
               direct.width, result->statistics.steps, worst);
  ENSURE(direct.count > 20 && worst < 1e-8);
  ENSURE(adjoint.count == direct.count);
  ENSURE(direct.count == 1 + (int)floor(result->final_time / interval + 1e-9));
  for (int i = 0; i < adjoint.count; ++i) {
    ENSURE_NEAR(column(&direct, "t")[i * direct.width], i * interval, 1e-9);  // around events, too
    for (int k = 0; k < adjoint.width; ++k) {
      ENSURE_NEAR(adjoint.numbers[i * adjoint.width + k], direct.numbers[i * direct.width + k],
                  1e-9 * fmax(1, fabs(direct.numbers[i * direct.width + k])));
    }
  }
  if (result->event_count == 0) {  // else steps end at the rows around events
    ENSURE(result->statistics.steps == bare->statistics.steps && result->statistics.steps < direct.count);
    ENSURE_NEAR(result->values[0], bare->values[0], 0);
    ENSURE_NEAR(result->gradient[0], bare->gradient[0], 0);
  }
  mbs_result_destroy(bare);
  mbs_result_destroy(result);
  mbs_result_destroy(other);
  mbs_result_destroy(last);
  mbs_model_destroy(model);
}

// Rows of matrix-r, and of projected steps, are on the constraints: the length of a bar of the five-bar.
static void check_constraints(const char *formulation, int projections) {
  static Rows rows;
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsRequest request = integrator_request(model, "dormand-prince-5", formulation, "natural");
  double off = 0;
  request.settings.end = 1;
  request.settings.step = 0.1;
  request.settings.sample = 0.013;
  request.settings.projections = projections;
  (void)snprintf(request.settings.columns, sizeof request.settings.columns, "all");
  MbsResult *result = run_rows(model, &request, MBS_METHOD_NONE, &rows);
  for (int i = 0; i < rows.count; ++i) {
    int at = i * rows.width;
    double x = column(&rows, "P1.x")[at] + 0.5, y = column(&rows, "P1.y")[at];  // from A
    off = fmax(off, fabs(x * x + y * y - 2));
  }
  (void)printf("%s, projections %d: rows are off a length by %.1e\n", formulation, projections, off);
  ENSURE(projections == 0 && strcmp(formulation, "index1") == 0 ? off > 1e-8 : off < 1e-13);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void check_refused(void) {
  static Rows rows;
  MbsModel *model = read_model(context, "models/bouncing_ball.yaml");
  MbsRequest request = integrator_request(model, "dormand-prince-5", "index1", "natural");
  MbsRecorder recorder = {.user = &rows, .begin = begin, .row = row};
  MbsResult *result;
  request.recorder = &recorder;
  request.settings.step = 0.01;
  request.settings.sample = 0.007;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "with equal steps through events, or kinks of laws, rows are where");
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_order("dormand-prince-5", "index1", 4, 0.1);
  check_order("dormand-prince-8", "index1", 7, 0.25);
  check_order("dormand-prince-8", "matrix-r", 7, 0.25);
  ENSURE(check_closed("dormand-prince-8", "ali1", 0.1, 1e-10) < 1e-7);
  check_constraints("index1", 0);
  check_constraints("index1", 2);
  check_constraints("matrix-r", 0);
  check_model("models/five_bar.yaml", 1, 0.013, "dormand-prince-8", "index1", "natural", 1e-6);
  check_model("models/rssr.yaml", 0.1, 0.004, "dormand-prince-8", "index1", "relative", 1e-6);
  check_model("models/snakeboard.yaml", 0.5, 0.02, "dormand-prince-5", "matrix-r", "natural", 1e-5);
  check_model("models/shaken_pendulum.yaml", 0.3, 0.01, "dormand-prince-8", "index1", "relative", 1e-6);
  check_model("tests/models/five_bar_moving.yaml", 0.3, 0.011, "dormand-prince-5", "matrix-r", "natural", 1e-5);
  check_model("tests/models/element_states_plane.yaml", 0.5, 0.02, "dormand-prince-8", "ali1", "natural", 1e-6);
  check_model("tests/models/adjoint_redundant.yaml", 0.3, 0.01, "dormand-prince-5", "ali1", "natural", 1e-5);
  check_model("models/five_bar_impact.yaml", 1.9, 0.03, "dormand-prince-8", "matrix-r", "relative", 1e-6);
  check_model("tests/models/event_variables.yaml", 0, 0.02, "dormand-prince-8", "index1", "natural", 1e-6);
  check_model("tests/models/end_parameter.yaml", 0, 0.017, "dormand-prince-5", "penalty", "relative", 1e-5);
  check_model("models/string_pendulum.yaml", 0, 0.02, "dormand-prince-8", "ali1", "natural", 1e-6);
  check_refused();
  mbs_context_destroy(context);
  return 0;
}
