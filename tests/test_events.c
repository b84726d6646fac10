// Events: guards located to rounding and their times differentiated, against closed forms; what happens there, against
// the equations of impulse and momentum written by hand. All methods and formulations against each other are in
// test_event_methods.c, where guards begin and what cannot be in test_event_guards.c, the five-bar linkage that hits
// the ground in test_five_bar_impact.c, events in templates in test_template_events.c and test_mirrors.c, steps undone
// across events in test_simulator.c, memory in test_allocations.c.
#include <complex.h>

#include "event_runs.h"
#include "formulations/formulation.h"

// ---- a bouncing ball ----
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

static void check_ball(const MbsModel *model, double step, MbsMethod method, const char *formulation,
                       const char *integrator) {
  static const double numbers[NUMBERS] = {9.81, 0.8, 1, 0.3};
  double complex out[IMPACTS + 4];
  MbsRequest request = request_of(model, formulation, "natural");
  request.settings.step = step;
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
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
      check_ball(model, steps[s], methods[m], "index1", "auto");
      check_ball(model, steps[s], methods[m], "index1", "dormand-prince-5");
      check_ball(model, steps[s], methods[m], "index1", "dormand-prince-8");
    }
  }
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    check_ball(model, 0.02, MBS_METHOD_DIRECT, mbs_formulation_types[f]->name, "auto");
    check_ball(model, 0.02, MBS_METHOD_ADJOINT, mbs_formulation_types[f]->name, "auto");
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

// ---- at the same time ----
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

// ---- events that end the run ----
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

// ---- an impact in a closed loop ----
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

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_ball();
  test_together();
  test_stop();
  test_loop();
  mbs_context_destroy(context);
  return 0;
}
