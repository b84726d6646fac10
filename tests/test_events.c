// Events: guards located to rounding and their times differentiated, against closed forms; what happens there, against
// the equations of impulse and momentum written by hand; direct method, adjoint and complex step against each other in
// all formulations and both coordinates; what cannot be is told with time and names. The five-bar linkage that hits the
// ground is in test_five_bar_impact.c, events in templates in test_templates.c and test_mirrors.c, steps undone across
// events in test_simulator.c, memory in test_allocations.c.
#include <complex.h>
#include <mbsens/simulator.h>

#include "formulations/formulation.h"
#include "support.h"

static MbsContext *context;

static const char *const coordinates[] = {"natural", "relative"};

static MbsResult *run_with(const MbsModel *model, const MbsRequest *request, MbsMethod method) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = method;
  ENSURE_OK(context, mbs_run(context, model, &own, &result));
  return result;
}

static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *kind) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  return request;
}

static double slope(const MbsResult *result, const char *objective, const char *parameter) {
  for (int i = 0; i < result->objective_count; ++i) {
    for (int k = 0; k < result->parameter_count; ++k) {
      if (strcmp(result->objectives[i], objective) == 0 && strcmp(result->parameters[k], parameter) == 0) {
        return result->gradient[i * result->parameter_count + k];
      }
    }
  }
  (void)fprintf(stderr, "no d(%s)/d(%s)\n", objective, parameter);
  exit(1);
}

static double value(const MbsResult *result, const char *objective) {
  for (int i = 0; i < result->objective_count; ++i) {
    if (strcmp(result->objectives[i], objective) == 0) {
      return result->values[i];
    }
  }
  (void)fprintf(stderr, "no %s\n", objective);
  exit(1);
}

// ---- (a) a bouncing ball ----
enum { G, E, HEIGHT, U, NUMBERS, IMPACTS = 10 };

// the times of its impacts, then x, y, vy and the integral of vy at the end; complex, for derivatives
static void bounce(const double complex *p, double end, double complex *out) {
  double complex u = csqrt(2 * p[G] * p[HEIGHT]), t = u / p[G];
  for (int k = 0; k < IMPACTS; ++k) {
    out[k] = t;
    u *= p[E];
    t += 2 * u / p[G];
  }
  double complex since = end - out[IMPACTS - 1];
  ENSURE(creal(since) > 0 && creal(t) > end);  // in flight after ten
  out[IMPACTS] = p[U] * end;
  out[IMPACTS + 1] = u * since - p[G] / 2 * since * since;
  out[IMPACTS + 2] = u - p[G] * since;
  out[IMPACTS + 3] = out[IMPACTS + 1] - p[HEIGHT];  // the integral of the rate, piece by piece
}

static void check_ball(const MbsModel *model, double step, MbsMethod method, const char *formulation) {
  static const double numbers[NUMBERS] = {9.81, 0.8, 1, 0.3};
  double complex out[IMPACTS + 4];
  MbsRequest request = request_of(model, formulation, "natural");
  request.settings.step = step;
  MbsResult *result = run_with(model, &request, method);
  ENSURE(result->event_count == IMPACTS && result->objective_count == 4 && result->parameter_count == NUMBERS);
  ENSURE(!result->has_ended);
  bool has_times = method != MBS_METHOD_ADJOINT;
  ENSURE((result->events[0].gradient != NULL) == has_times);
  // rounding, and the last impact's derivatives are sums over all before: some hundred times larger than a number
  const double rounding = 1e-11;
  for (int k = 0; k < NUMBERS; ++k) {
    double complex p[NUMBERS] = {numbers[0], numbers[1], numbers[2], numbers[3]};
    p[k] += 1e-100 * (double complex)I;
    bounce(p, 3.6, out);
    for (int i = 0; i < IMPACTS + 4; ++i) {
      double expected = cimag(out[i]) / 1e-100;
      if (i >= IMPACTS) {
        ENSURE_NEAR(result->values[i - IMPACTS], creal(out[i]), rounding);
        ENSURE_NEAR(result->gradient[(i - IMPACTS) * NUMBERS + k], expected, rounding * (10 + fabs(expected)));
      } else {
        ENSURE_TEXT(result->events[i].name, "floor");
        ENSURE_NEAR(result->events[i].time, creal(out[i]), rounding);
        if (has_times) {
          ENSURE_NEAR(result->events[i].gradient[k], expected, rounding * (10 + fabs(expected)));
        }
      }
    }
  }
  for (int i = 0; i < IMPACTS; ++i) {  // m/2 u^2 (1 - e^2), u^2 = 2 g height e^(2 i)
    ENSURE_NEAR(result->events[i].energy_lost, 2 * 9.81 * pow(0.8, 2 * i) * (1 - 0.64), 1e-10);
  }
  mbs_result_destroy(result);
}

static void test_ball(void) {
  MbsModel *model = read_model(context, "tests/models/event_ball.yaml");
  static const double steps[] = {0.01, 0.037, 0.5, 3.6};  // the larger ones have several impacts within
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  for (int s = 0; s < MBS_COUNT(steps); ++s) {
    for (int m = 0; m < MBS_COUNT(methods); ++m) {
      check_ball(model, steps[s], methods[m], "index1");
    }
  }
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    check_ball(model, 0.02, MBS_METHOD_DIRECT, mbs_formulation_types[f]->name);
    check_ball(model, 0.02, MBS_METHOD_ADJOINT, mbs_formulation_types[f]->name);
  }
  // differences follow the run through its events; their error is some 1e-9 relative
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsResult *direct = run_with(model, &request, MBS_METHOD_DIRECT);
  MbsResult *differences = run_with(model, &request, MBS_METHOD_FINITE_DIFFERENCE);
  ENSURE(differences->event_count == IMPACTS);
  for (int i = 0; i < IMPACTS; ++i) {
    ENSURE_NEAR(differences->events[i].time, direct->events[i].time, 0);
    for (int k = 0; k < NUMBERS; ++k) {
      ENSURE_NEAR(differences->events[i].gradient[k], direct->events[i].gradient[k], 1e-6);
    }
  }
  mbs_result_destroy(direct);
  mbs_result_destroy(differences);
  mbs_model_destroy(model);
}

// ---- all methods ----
// relative to the largest entry of each row of `count`
static double distance(int rows, int count, const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < rows; ++i) {
    double largest = largest_of(count, b + i * count);
    for (int k = 0; k < count; ++k) {
      worst = fmax(worst, fabs(a[i * count + k] - b[i * count + k]) / (largest > 0 ? largest : 1));
    }
  }
  return worst;
}

// direct, adjoint and complex step to 1e-8, events included; returns how many events there were
static int compare_methods(const MbsModel *model, const MbsRequest *request, const char *what) {
  MbsResult *direct = run_with(model, request, MBS_METHOD_DIRECT);
  MbsResult *adjoint = run_with(model, request, MBS_METHOD_ADJOINT);
  MbsResult *reference = run_with(model, request, MBS_METHOD_COMPLEX_STEP);
  int rows = direct->objective_count, count = direct->parameter_count, events = direct->event_count;
  double worst = fmax(distance(rows, count, direct->gradient, reference->gradient),
                      distance(rows, count, adjoint->gradient, reference->gradient));
  ENSURE(adjoint->event_count == events && reference->event_count == events);
  for (int i = 0; i < events; ++i) {
    ENSURE_NEAR(reference->events[i].time, direct->events[i].time, 0);
    worst = fmax(worst, distance(1, count, direct->events[i].gradient, reference->events[i].gradient));
  }
  if (!(worst < 1e-8)) {
    (void)fprintf(stderr, "%s, %s, %s: direct, adjoint and complex step differ by %.3g\n", what,
                  request->settings.formulation, request->settings.coordinates, worst);
    exit(1);
  }
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_result_destroy(reference);
  return events;
}

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

// ---- histories ----
enum { MOST_ROWS = 40, MOST_WIDTH = 800 };
typedef struct Rows {
  int count, width;
  double values[MOST_ROWS][MOST_WIDTH];
} Rows;

static MbsStatus begin_rows(void *user, int column_count, const char *const *names) {
  Rows *rows = user;
  (void)names;
  rows->count = 0;
  rows->width = column_count;
  ENSURE(column_count <= MOST_WIDTH);
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
  static const double limits[] = {1e-8, 1e-3};
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
      for (int r = 0; r < tried.count; ++r) {
        ENSURE_NEAR(tried.values[r][c], expected.values[r][c], limits[m] * largest);
      }
    }
  }
  mbs_result_destroy(direct);
  mbs_model_destroy(model);
}

// ---- (c) at the same time ----
#define TWO_BALLS(events_)                                                                          \
  "mbsens: 1\nname: two\nparameters: {g: 9.81, e: 0.8, a: 1, b: 1, k: 3}\ngravity: [0, -g]\n"       \
  "bodies: {one: {mass: 1, points: {P: [0, 0]}}, two: {mass: 2, points: {Q: [0, 0]}}}\n" events_    \
  "initial: {independent: [{coordinate: r(P).x, value: 0}, {coordinate: r(P).y, value: a},"         \
  " {coordinate: r(Q).x, value: 1}, {coordinate: r(Q).y, value: b}]}\n"                             \
  "objectives: {y: {final: r(P).y}, z: {final: r(Q).y}, both: {integral: \"t*r(P).y + v(Q).y\"}}\n" \
  "simulation: {end: 1.1, step: 0.01}\n"

static void test_together(void) {
  // free: each has a time of its own, with a derivative of its own
  MbsModel *model = read_text(context, "two.yaml",
                              TWO_BALLS("events: {first: {when: r(P).y, direction: falling, restitution: e},"
                                        " second: {when: r(Q).y, direction: falling, restitution: e}}\n"));
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    MbsRequest request = request_of(model, mbs_formulation_types[f]->name, "natural");
    ENSURE(compare_methods(model, &request, "two balls") == 2);
    MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
    double t = sqrt(2 / 9.81), v = 9.81 * t, since = 1.1 - t;
    ENSURE_TEXT(result->events[0].name, "first");
    ENSURE_TEXT(result->events[1].name, "second");
    for (int i = 0; i < 2; ++i) {
      ENSURE_NEAR(result->events[i].time, t, 1e-12);
      ENSURE_NEAR(result->events[i].gradient[0], -t / 2 / 9.81, 1e-10);       // g
      ENSURE_NEAR(result->events[i].gradient[2], i == 0 ? 1 / v : 0, 1e-10);  // a
      ENSURE_NEAR(result->events[i].gradient[3], i == 1 ? 1 / v : 0, 1e-10);  // b
    }
    // y = e v since - g/2 since^2, with v' = g/v and t' = 1/v by the height
    double by_height = 0.8 * 9.81 / v * since - 0.8 * v / v + 9.81 * since / v;
    ENSURE_NEAR(value(result, "y"), 0.8 * v * since - 9.81 / 2 * since * since, 1e-11);
    ENSURE_NEAR(slope(result, "y", "a"), by_height, 1e-9);
    ENSURE_NEAR(slope(result, "y", "b"), 0, 1e-9);
    ENSURE_NEAR(slope(result, "z", "b"), by_height, 1e-9);
    ENSURE_NEAR(slope(result, "z", "a"), 0, 1e-9);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
  // the order of the model
  model = read_text(context, "two.yaml",
                    TWO_BALLS("events: {second: {when: r(Q).y, direction: falling, restitution: e},"
                              " first: {when: r(P).y, direction: falling, restitution: e}}\n"));
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsResult *result = run_with(model, &request, MBS_METHOD_NONE);
  ENSURE_TEXT(result->events[0].name, "second");
  ENSURE_TEXT(result->events[1].name, "first");
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  // joined by a spring and over a floor that moves: no closed form, but all methods agree
  model = read_text(context, "two.yaml",
                    TWO_BALLS("ground: {points: {F: [0, \"0.05*sin(7*t)\"]}}\n"
                              "forces: [{spring: [one.P, two.Q], stiffness: k, damping: 0.2, length: 0.8}]\n"
                              "events: {first: {when: r(P).y - r(F).y, direction: falling, restitution: e},"
                              " second: {when: r(Q).y - r(F).y, direction: falling, restitution: e}}\n"));
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    request = request_of(model, mbs_formulation_types[f]->name, coordinates[f % 2]);
    ENSURE(compare_methods(model, &request, "two balls and a moving floor") >= 2);
  }
  mbs_model_destroy(model);
}

// ---- (d) events that end the run ----
static void test_stop(void) {
  static const char text[] =
      "mbsens: 1\nname: fall\nparameters: {g: 9.81, H: 1.3, u: 0.7, e: 0.5, T: 2}\ngravity: [0, -g]\n"
      "bodies: {ball: {mass: 1, points: {P: [0, 0]}}}\n"
      "events:\n  floor: {when: r(P).y, direction: falling, restitution: e, stop: yes}\n"
      "  late: {when: t - T, stop: yes}\n"
      "initial: {independent: [{coordinate: r(P).x, value: 0, velocity: u}, {coordinate: r(P).y, value: H}]}\n"
      "objectives: {x: {final: r(P).x}, vy: {final: v(P).y}, when: {final: t}, half: {integral: t},"
      " area: {integral: r(P).x}, fallen: {integral: v(P).y}, both: {value: x*half}}\n"
      "simulation: {end: 3, step: 0.01}\n";
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  const double g = 9.81, H = 1.3, u = 0.7, e = 0.5;
  for (int is_timed = 0; is_timed < 2; ++is_timed) {
    MbsModel *model = read_text(context, "fall.yaml", text);
    double T = is_timed ? 0.1234 : 2;
    ENSURE_OK(context, mbs_model_set(context, model, "T", is_timed ? "0.1234" : "2"));
    double t = is_timed ? T : sqrt(2 * H / g);
    double t_g = is_timed ? 0 : -t / 2 / g, t_H = is_timed ? 0 : t / 2 / H, t_T = is_timed;
    for (int f = 0; mbs_formulation_types[f]; ++f) {
      for (int m = 0; m < MBS_COUNT(methods); ++m) {
        MbsRequest request = request_of(model, mbs_formulation_types[f]->name, coordinates[f % 2]);
        request.settings.step = f == 0 ? 0.01 : 0.3;
        MbsResult *result = run_with(model, &request, methods[m]);
        ENSURE(result->has_ended && result->event_count == 1);
        ENSURE_TEXT(result->events[0].name, is_timed ? "late" : "floor");
        ENSURE_NEAR(result->final_time, t, 1e-12);
        ENSURE_NEAR(value(result, "x"), u * t, 1e-11);
        ENSURE_NEAR(value(result, "vy"), is_timed ? -g * t : e * g * t, 1e-10);
        ENSURE_NEAR(value(result, "half"), t * t / 2, 1e-11);
        ENSURE_NEAR(value(result, "area"), u * t * t / 2, 1e-11);
        ENSURE_NEAR(value(result, "fallen"), -g * t * t / 2, 1e-11);
        const struct {
          const char *name;
          double t;
        } by[] = {{"g", t_g}, {"H", t_H}, {"T", t_T}, {"u", 0}, {"e", 0}};
        for (int k = 0; k < MBS_COUNT(by); ++k) {
          bool is_g = k == 0, is_u = k == 3, is_e = k == 4;
          ENSURE_NEAR(slope(result, "x", by[k].name), u * by[k].t + (is_u ? t : 0), 1e-10);
          ENSURE_NEAR(slope(result, "when", by[k].name), by[k].t, 1e-10);
          ENSURE_NEAR(slope(result, "half", by[k].name), t * by[k].t, 1e-10);
          ENSURE_NEAR(slope(result, "area", by[k].name), u * t * by[k].t + (is_u ? t * t / 2 : 0), 1e-10);
          ENSURE_NEAR(slope(result, "fallen", by[k].name), -g * t * by[k].t - (is_g ? t * t / 2 : 0), 1e-10);
          double factor = is_timed ? -1 : e;
          ENSURE_NEAR(slope(result, "vy", by[k].name),
                      factor * (g * by[k].t + (is_g ? t : 0)) + (is_e && !is_timed ? g * t : 0), 1e-9);
          ENSURE_NEAR(slope(result, "both", by[k].name), 1.5 * u * t * t * by[k].t + (is_u ? t * t * t / 2 : 0), 1e-10);
        }
        mbs_result_destroy(result);
      }
    }
    mbs_model_destroy(model);
  }
}

// ---- (e) an impact in a closed loop ----
// x of A x = b, n up to 5, by elimination
static void solve(int n, double A[5][5], double *b) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k; i < n; ++i) {
      pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
    }
    for (int j = 0; j < n; ++j) {
      double a = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = a;
    }
    double c = b[k];
    b[k] = b[pivot];
    b[pivot] = c;
    for (int i = k + 1; i < n; ++i) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; ++j) {
        A[i][j] -= factor * A[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) {
      b[k] -= A[k][j] * b[j];
    }
    b[k] /= A[k][k];
  }
}

static const MbsPointState *point_of(const MbsResult *result, const char *name) {
  for (int i = 0; i < result->point_count; ++i) {
    if (strstr(result->points[i].name, name)) {
      return &result->points[i];
    }
  }
  (void)fprintf(stderr, "no point %s\n", name);
  exit(1);
}

// Three masses, four rods, one gap: v+ = v- + M^-1 J' L with J v+ = (0, 0, 0, 0, -e J5 v-), from masses and directions.
static void check_loop(const MbsResult *before, const MbsResult *after, double e) {
  static const double masses[] = {1.2, 2.3, 0.7};
  static const char *const names[] = {"P1", "P2", "P3"};
  double r[5][2] = {{-1, 0}, {0}, {0}, {0}, {1, 0}}, v[6], J[5][6] = {{0}}, W[5][5], L[5], energy = 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 2; ++k) {
      r[1 + i][k] = point_of(before, names[i])->position[k];
      v[2 * i + k] = point_of(before, names[i])->velocity[k];
      ENSURE_NEAR(point_of(after, names[i])->position[k], r[1 + i][k], 1e-12);  // positions do not jump
    }
  }
  for (int rod = 0; rod < 4; ++rod) {
    for (int k = 0; k < 2; ++k) {
      double d = r[rod + 1][k] - r[rod][k];
      if (rod > 0) {
        J[rod][2 * (rod - 1) + k] = -d;
      }
      if (rod < 3) {
        J[rod][2 * rod + k] = d;
      }
    }
  }
  J[4][3] = 1;
  for (int i = 0; i < 5; ++i) {
    L[i] = i == 4 ? -(1 + e) * v[3] : 0;
    for (int k = 0; k < 6 && i < 4; ++k) {
      L[i] -= J[i][k] * v[k];
    }
    for (int j = 0; j < 5; ++j) {
      W[i][j] = 0;
      for (int k = 0; k < 6; ++k) {
        W[i][j] += J[i][k] * J[j][k] / masses[k / 2];
      }
    }
  }
  ENSURE(v[3] < -0.5);
  solve(5, W, L);
  for (int k = 0; k < 6; ++k) {
    double expected = v[k];
    for (int i = 0; i < 5; ++i) {
      expected += J[i][k] * L[i] / masses[k / 2];
    }
    ENSURE_NEAR(point_of(after, names[k / 2])->velocity[k % 2], expected, 1e-8);
    energy += masses[k / 2] / 2 * (v[k] * v[k] - expected * expected);
  }
  ENSURE(fabs(point_of(after, "P1")->velocity[0] - v[0]) > 0.1);  // the impulse goes through the rods
  ENSURE_NEAR(after->events[0].energy_lost, energy, 1e-7);
  // none is gained; but where velocities were off their constraints (penalty, ali1), what mends them does some work
  ENSURE(energy > -1e-9 - before->statistics.residual_velocity);
  ENSURE_NEAR(before->events[0].energy_lost, 0, 1e-12);
}

static void test_loop(void) {
  static const char *const restitutions[] = {"0", "0.6", "1"};
  MbsModel *model = read_model(context, "tests/models/event_loop.yaml");
  // the same without the impact: the state before it
  MbsModel *bare = read_text(context, "loop.yaml",
                             "mbsens: 1\ninclude: tests/models/event_loop.yaml\n"
                             "events: {ground: {when: r(P2).y - depth, direction: falling, stop: yes}}\n");
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    for (int c = 0; c < MBS_COUNT(coordinates); ++c) {
      for (int i = 0; i < MBS_COUNT(restitutions); ++i) {
        ENSURE_OK(context, mbs_model_set(context, model, "e", restitutions[i]));
        MbsRequest request = request_of(model, mbs_formulation_types[f]->name, coordinates[c]);
        MbsResult *after = run_with(model, &request, MBS_METHOD_NONE);
        MbsResult *before = run_with(bare, &request, MBS_METHOD_NONE);
        ENSURE(after->event_count == 1 && before->event_count == 1 && after->has_ended);
        ENSURE_NEAR(after->final_time, before->final_time, 0);
        check_loop(before, after, strtod(restitutions[i], NULL));
        mbs_result_destroy(after);
        mbs_result_destroy(before);
      }
    }
  }
  mbs_model_destroy(model);
  mbs_model_destroy(bare);
}

// ---- where guards begin ----
#define BALL(numbers, events_, end)                                                                      \
  "mbsens: 1\nname: ball\nparameters: {" numbers                                                         \
  "}\ngravity: [0, -9.81]\n"                                                                             \
  "bodies: {ball: {mass: 1, points: {P: [0, 0]}}}\nevents: {" events_                                    \
  "}\n"                                                                                                  \
  "initial: {independent: [{coordinate: r(P).x, value: 0, velocity: 1}, {coordinate: r(P).y, value: y0," \
  " velocity: v0}]}\n"                                                                                   \
  "objectives: {y: {final: r(P).y}}\nsimulation: {end: " end ", step: 0.01}\n"

static void ensure_times(const char *text, int count, const double *times) {
  MbsModel *model = read_text(context, "ball.yaml", text);
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsResult *result = run_with(model, &request, MBS_METHOD_DIRECT);
  ENSURE(result->event_count == count);
  for (int i = 0; i < count; ++i) {
    ENSURE_NEAR(result->events[i].time, times[i], 1e-11);
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void test_start(void) {
  const double flight = 2 * 3 / 9.81, second = flight * 1.5;
  // thrown up from the floor: zero at the start is above, so it comes back
  ensure_times(BALL("y0: 0, v0: 3, e: 0.5", "floor: {when: r(P).y, direction: falling, restitution: e}", "0.95"), 2,
               (const double[]){flight, second});
  // thrown down from there: it is below, and rises never
  ensure_times(BALL("y0: 0, v0: -3, e: 0.5", "floor: {when: r(P).y, direction: falling, restitution: e}", "0.95"), 0,
               NULL);
  // at rest there: on no side until it has left zero; the event at the top is told from both sides
  ensure_times(BALL("y0: 0, v0: 0", "floor: {when: r(P).y}", "0.5"), 0, NULL);
  ensure_times(BALL("y0: 0, v0: 3", "floor: {when: r(P).y - 0.2}", "0.6"), 2,
               (const double[]){(3 - sqrt(9 - 2 * 9.81 * 0.2)) / 9.81, (3 + sqrt(9 - 2 * 9.81 * 0.2)) / 9.81});
  ensure_times(BALL("y0: 0, v0: 3", "floor: {when: r(P).y - 0.2, direction: rising}", "0.6"), 1,
               (const double[]){(3 - sqrt(9 - 2 * 9.81 * 0.2)) / 9.81});
  // exactly at a planned time, and at the end
  ensure_times(BALL("y0: 0, v0: 3", "now: {when: t - 0.25}", "0.6"), 1, (const double[]){0.25});
  ensure_times(BALL("y0: 0, v0: 3", "now: {when: t - 0.6}", "0.6"), 1, (const double[]){0.6});
  // three at once that change nothing: each happens once
  ensure_times(BALL("y0: 0, v0: 3", "a: {when: t - 0.25}, b: {when: 0.25 - t}, c: {when: 2*t - 0.5}", "0.6"), 3,
               (const double[]){0.25, 0.25, 0.25});
  ensure_times(BALL("y0: 0, v0: 3", "a: {when: t - 0.2512}, b: {when: 0.2512 - t}, c: {when: 2*t - 0.5024}", "0.6"), 3,
               (const double[]){0.2512, 0.2512, 0.2512});
}

// ---- a state from outside ----
// A ball that is put below the floor has not passed it; put back above, it falls on it.
static void test_placed(void) {
  MbsModel *model = read_model(context, "tests/models/event_ball.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsSimulator *simulator;
  MbsResult *result;
  request.method = MBS_METHOD_NONE;
  request.settings.end = 0.6;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  const double below[] = {0, -0.5}, above[] = {0, 0.2}, velocity[] = {0.3, -1};
  for (int step = 1; !mbs_simulator_is_over(simulator); ++step) {
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
    if (step == 5 || step == 30) {
      ENSURE_OK(context, mbs_simulator_set_state(context, simulator, 2, step == 5 ? below : above, velocity, false));
    }
    if (step == 30) {
      ENSURE_OK(context, mbs_simulator_finish(context, simulator));
      ENSURE_OK(context, mbs_simulator_result(context, simulator, &result));
      ENSURE(result->event_count == 0);
      mbs_result_destroy(result);
    }
  }
  ENSURE_OK(context, mbs_simulator_finish(context, simulator));
  ENSURE_OK(context, mbs_simulator_result(context, simulator, &result));
  ENSURE(result->event_count == 1);
  ENSURE_NEAR(result->events[0].time, 0.3 + (sqrt(1 + 2 * 9.81 * 0.2) - 1) / 9.81, 1e-11);
  mbs_result_destroy(result);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// ---- (h) what cannot be ----
static void ensure_refused(const char *text, MbsStatus status, const char *part, MbsMethod method) {
  MbsModel *model = read_text(context, "ball.yaml", text);
  MbsRequest request;
  MbsResult *result = NULL;
  MbsStatus given = mbs_request_default(context, model, &request);
  if (given == MBS_OK) {
    request.method = method;
    given = mbs_run(context, model, &request, &result);
  }
  if (given != status) {
    (void)fprintf(stderr, "status %d, expected %d (%s): %s\n", given, status, part, mbs_context_message(context));
    exit(1);
  }
  ENSURE(given == MBS_ERROR_NUMERICAL || result == NULL);
  ENSURE_CONTAINS(mbs_context_message(context), part);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void test_refused(void) {
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: v(P).y, restitution: 0.5}", "1"), MBS_ERROR_INPUT,
                 "event \"a\": a restitution needs a guard that is a gap", MBS_METHOD_NONE);
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: y0 - 3}", "1"), MBS_ERROR_INPUT, "never changes", MBS_METHOD_NONE);
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y, velocities: [{coordinate: t, velocity: 0}]}", "1"),
                 MBS_ERROR_INPUT, "does not move with the position", MBS_METHOD_NONE);
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y, restitution: -1}", "1"), MBS_ERROR_INPUT,
                 "restitution must not be negative", MBS_METHOD_NONE);
  // rates that contradict each other: the second
  ensure_refused(BALL("y0: 1, v0: 0",
                      "a: {when: r(P).y, velocities: [{coordinate: r(P).y, velocity: 1},"
                      " {coordinate: 2*r(P).y, velocity: 3}]}",
                      "1"),
                 MBS_ERROR_NUMERICAL, "event \"a\" at t = 0.45152", MBS_METHOD_NONE);
  // it stays where it is
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y, direction: falling, restitution: 0}", "1"),
                 MBS_ERROR_NUMERICAL, "event \"a\" at t = 0.4515", MBS_METHOD_NONE);
  // ever faster: at rest at 3 t1 = 1.3546
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y, direction: falling, restitution: 0.5}", "2"),
                 MBS_ERROR_NUMERICAL, "\"a\" at t = 1.354", MBS_METHOD_NONE);
  // methods
  ensure_refused(BALL("y0: 1, v0: 0", "a: {when: r(P).y}", "1"), MBS_ERROR_NOT_OFFERED, "adjoint-continuous",
                 MBS_METHOD_ADJOINT_CONTINUOUS);
  MbsModel *model = read_model(context, "models/five_bar_impact.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural");
  MbsResult *result;
  request.settings.is_kinematic = true;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NOT_OFFERED);
  ENSURE_CONTAINS(mbs_context_message(context), "event \"ground\": events are not offered in kinematics");
  mbs_model_destroy(model);
}

// constraints that a rate contradicts: a pendulum's length
static void test_contradiction(void) {
  ensure_refused(
      "mbsens: 1\nname: pendulum\nparameters: {L: 1}\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
      "bodies: {ball: {mass: 1, points: {P: [0, 0]}}}\njoints: [{distance: [ground.O, ball.P], length: L}]\n"
      "events: {out: {when: r(P).x, velocities: [{coordinate: r(P).y, velocity: 1}]}}\n"
      "initial: {points: {P: [0.7, -0.7]}, independent: [{coordinate: r(P).x, value: 0.5}]}\n"
      "objectives: {y: {final: r(P).x}}\nsimulation: {end: 2, step: 0.01}\n",
      MBS_ERROR_NUMERICAL, "the rate of \"r(P).y\" cannot become 1", MBS_METHOD_DIRECT);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_ball();
  test_together();
  test_stop();
  test_loop();
  test_methods();
  test_histories();
  test_start();
  test_placed();
  test_refused();
  test_contradiction();
  mbs_context_destroy(context);
  return 0;
}
