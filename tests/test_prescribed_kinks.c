// What is prescribed may have kinks: velocities follow by an impulse, and its time is differentiated. A crank that is
// driven suddenly, against its equation of motion written by hand and integrated here; a bead on a bent wire, against
// its closed form; velocities that are prescribed and jump; starts exactly at a kink; all ways to write the same; in
// all formulations and both coordinates, direct method, adjoint and complex step. Positions that jump are refused.
#include <complex.h>

#include "support.h"

static MbsContext *context;

static const char *const formulations[] = {"penalty", "index1", "ali1", "index3", "ali3p", "matrix-r"};
static const char *const coordinates[] = {"natural", "relative"};
enum { FORMULATIONS = 6, KINDS = 2, MOST_TEXT = 4000 };

static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *kind, MbsMethod method) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  request.method = method;
  return request;
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request, MbsMethod method) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = method;
  ENSURE_OK(context, mbs_run(context, model, &own, &result));
  return result;
}

// a model file with the text `from` in it replaced
static MbsModel *read_with(const char *path, const char *from, const char *to) {
  static char text[MOST_TEXT], written[2 * MOST_TEXT];
  FILE *file = fopen(path, "rb");
  ENSURE(file);
  size_t length = fread(text, 1, sizeof text - 1, file);
  (void)fclose(file);
  text[length] = '\0';
  char *at = strstr(text, from);
  ENSURE(at);
  (void)snprintf(written, sizeof written, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return read_text(context, "replaced.yaml", written);
}

static void compare(const MbsResult *a, const MbsResult *b, double tolerance) {
  ENSURE(a->event_count == b->event_count);
  for (int i = 0; i < a->objective_count; ++i) {
    double largest = largest_of(a->parameter_count, b->gradient + i * a->parameter_count);
    ENSURE_NEAR(a->values[i], b->values[i], 1e-12);
    for (int k = 0; k < a->parameter_count; ++k) {
      int at = i * a->parameter_count + k;
      ENSURE_NEAR(a->gradient[at], b->gradient[at], tolerance * (1 + largest));
    }
  }
}

// direct, adjoint and complex step; returns the direct one
static MbsResult *run_methods(const MbsModel *model, const MbsRequest *request) {
  MbsResult *direct = run(model, request, MBS_METHOD_DIRECT);
  MbsResult *adjoint = run(model, request, MBS_METHOD_ADJOINT);
  MbsResult *reference = run(model, request, MBS_METHOD_COMPLEX_STEP);
  compare(direct, reference, 1e-11);
  compare(adjoint, reference, 1e-11);
  for (int i = 0; i < direct->event_count; ++i) {
    for (int k = 0; k < direct->parameter_count; ++k) {
      ENSURE_NEAR(direct->events[i].gradient[k], reference->events[i].gradient[k], 1e-11);
    }
  }
  mbs_result_destroy(reference);
  mbs_result_destroy(adjoint);
  return direct;
}

// ---- a crank that is driven suddenly ----
enum { T0, W, CRANK_MASS, M, L, NUMBERS, RATE = 0, ANGLE, AREA, OBJECTIVES };

// phi'' = K sin(w tau - phi), K = M L/2 R w^2 / inertia, from the rate that angular momentum about the elbow gives;
// classical Runge-Kutta, in complex numbers
static void swing(const double complex *p, double end, double complex *out) {
  enum { STEPS = 4000 };
  const double R = 0.4;
  double complex inertia = 0.2 + p[M] * p[L] * p[L] / 4, K = p[M] * p[L] / 2 * R * p[W] * p[W] / inertia;
  double complex phi = 0.5, rate = -p[M] * p[L] / 2 * cos(0.5) * R * p[W] / inertia, h = (end - p[T0]) / STEPS;
  double complex area = p[T0] * (R + p[L] * cos(0.5));
  for (int i = 0; i < STEPS; ++i) {
    double complex k[4], l[4], g[4];
    for (int s = 0; s < 4; ++s) {
      double part = s == 0 ? 0 : s < 3 ? 0.5 : 1;
      double complex x = phi + (s > 0 ? part * h * k[s - 1] : 0), v = rate + (s > 0 ? part * h * l[s - 1] : 0);
      double complex turned = p[W] * h * (i + part);
      k[s] = v;
      l[s] = K * csin(turned - x);
      g[s] = R * ccos(turned) + p[L] * ccos(x);
    }
    phi += h * (k[0] + 2 * k[1] + 2 * k[2] + k[3]) / 6;
    rate += h * (l[0] + 2 * l[1] + 2 * l[2] + l[3]) / 6;
    area += h * (g[0] + 2 * g[1] + 2 * g[2] + g[3]) / 6;
  }
  out[RATE] = rate;
  out[ANGLE] = phi;
  out[AREA] = area;
}

static void reference_of(double values[OBJECTIVES], double gradient[OBJECTIVES * NUMBERS]) {
  const double numbers[NUMBERS] = {0.303, 2, 1, 3, 0.7}, tiny = 1e-30;
  for (int k = 0; k < NUMBERS; ++k) {
    double complex p[NUMBERS], out[OBJECTIVES];
    for (int i = 0; i < NUMBERS; ++i) {
      p[i] = numbers[i] + (i == k ? tiny : 0) * (double complex)I;
    }
    swing(p, 0.6, out);
    for (int i = 0; i < OBJECTIVES; ++i) {
      values[i] = creal(out[i]);
      gradient[i * NUMBERS + k] = cimag(out[i]) / tiny;
    }
  }
}

static double off_by(const MbsResult *result) {
  double values[OBJECTIVES], gradient[OBJECTIVES * NUMBERS], worst = 0;
  reference_of(values, gradient);
  ENSURE(fabs(gradient[RATE * NUMBERS + T0]) > 1 && fabs(gradient[ANGLE * NUMBERS + W]) > 0.1);
  for (int i = 0; i < OBJECTIVES; ++i) {
    worst = fmax(worst, fabs(result->values[i] - values[i]));
    for (int k = 0; k < NUMBERS; ++k) {
      worst = fmax(worst, fabs(result->gradient[i * NUMBERS + k] - gradient[i * NUMBERS + k]));
    }
  }
  return worst;
}

static void check_crank(void) {
  MbsModel *model = read_model(context, "tests/models/kink_driver.yaml");
  // the rate may also be prescribed as such
  MbsModel *by_rate = read_with("tests/models/kink_driver.yaml", "driver: angle(crank), value: \"w*max(t - t0, 0)\"",
                                "velocity_constraint: \"omega(crank) - w*step(t - t0)\"");
  const double inertia = 0.2 + 3 * 0.49 / 4, omega = -3 * 0.35 * cos(0.5) * 0.4 * 2 / inertia;
  // of both bodies, which were at rest
  double vx = -0.35 * sin(0.5) * omega, vy = 0.8 + 0.35 * cos(0.5) * omega;
  double gained = (0.05 + 0.04) * 4 / 2 + 0.2 * omega * omega / 2 + 3 * (vx * vx + vy * vy) / 2;
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int c = 0; c < KINDS; ++c) {
      for (int kind = 0; kind < 2; ++kind) {
        const MbsModel *own = kind == 0 ? model : by_rate;
        MbsRequest request = request_of(own, formulations[f], coordinates[c], MBS_METHOD_DIRECT);
        MbsResult *coarse = run_methods(own, &request);
        request.settings.step = 0.0025;
        MbsResult *fine = run(own, &request, MBS_METHOD_DIRECT);
        // errors of order h^2: 16 times smaller, but for the part that depends on where in its step the kink is
        ENSURE(off_by(coarse) < 20e-4 && off_by(fine) < 20e-4 / 16);
        ENSURE(coarse->warning_count == 0 && coarse->event_count == 1);
        ENSURE_TEXT(coarse->events[0].name, "joint \"motor\"");
        ENSURE_NEAR(coarse->events[0].time, 0.303, 1e-15);
        ENSURE_NEAR(coarse->events[0].gradient[T0], 1, 1e-14);
        ENSURE_NEAR(coarse->events[0].energy_lost, -gained, 1e-8);
        mbs_result_destroy(fine);
        mbs_result_destroy(coarse);
      }
    }
  }
  mbs_model_destroy(by_rate);
  mbs_model_destroy(model);
}

// ---- the same, written otherwise ----
static void check_spellings(void) {
  static const char *const driver = "w*max(t - t0, 0)";
  static const char *const others[] = {"w*(t - t0)*step(t - t0)",         "if(t < t0, 0, w*(t - t0))",
                                       "w*(abs(t - t0) + t - t0)/2",      "-w*min(t0 - t, 0)",
                                       "piecewise(t, 0, t0, w*(t - t0))", "w*max(max(t, t0) - t0, -1)",
                                       "w*(t - t0)*(1 + sign(t - t0))/2"};
  MbsModel *model = read_model(context, "tests/models/kink_driver.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural", MBS_METHOD_DIRECT);
  MbsResult *expected = run(model, &request, MBS_METHOD_DIRECT);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    MbsModel *other = read_with("tests/models/kink_driver.yaml", driver, others[i]);
    MbsResult *direct = run_methods(other, &request);
    for (int k = 0; k < OBJECTIVES * NUMBERS; ++k) {
      ENSURE_NEAR(direct->gradient[k], expected->gradient[k], 1e-11);
    }
    mbs_result_destroy(direct);
    mbs_model_destroy(other);
  }
  mbs_result_destroy(expected);
  mbs_model_destroy(model);
}

// ---- a start at the kink, and one that a variable moves to where the motion is ----
static void check_starts(void) {
  static const char *const driver = "w*max(t - t0, 0)";
  static const char *const others[] = {"w*max(t, 0)", "w*max(0, t)", "w*abs(t)", "w*abs(-t)", "w*t*step(t)"};
  MbsModel *model = read_with("tests/models/kink_driver.yaml", driver, "w*t");
  MbsRequest request = request_of(model, "ali3p", "natural", MBS_METHOD_DIRECT);
  MbsResult *expected = run(model, &request, MBS_METHOD_DIRECT);
  ENSURE(fabs(expected->gradient[RATE * NUMBERS + W]) > 0.5);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    MbsModel *other = read_with("tests/models/kink_driver.yaml", driver, others[i]);
    MbsResult *direct = run_methods(other, &request);
    ENSURE(direct->event_count == 0);
    for (int k = 0; k < OBJECTIVES * NUMBERS; ++k) {
      ENSURE_NEAR(direct->gradient[k], expected->gradient[k], 1e-12);
    }
    mbs_result_destroy(direct);
    mbs_model_destroy(other);
  }
  mbs_result_destroy(expected);
  mbs_model_destroy(model);
  // an event sets when it begins: at once
  MbsModel *late = read_with("tests/models/kink_driver.yaml", "w*max(t - t0, 0)\", name: motor}\n",
                             "w*max(t - began, 0)\", name: motor}\n"
                             "variables: {began: 9}\nevents: {go: {when: t - t0, set: {began: t}}}\n");
  model = read_model(context, "tests/models/kink_driver.yaml");
  expected = run(model, &request, MBS_METHOD_DIRECT);
  MbsResult *direct = run_methods(late, &request);
  ENSURE(direct->event_count == 2 && direct->events[1].time == direct->events[0].time);
  for (int k = 0; k < OBJECTIVES * NUMBERS; ++k) {
    ENSURE_NEAR(direct->gradient[k], expected->gradient[k], 1e-11);
  }
  mbs_result_destroy(direct);
  mbs_result_destroy(expected);
  mbs_model_destroy(model);
  mbs_model_destroy(late);
}

// ---- a bead on a bent wire ----
static void check_wire(void) {
  const double X = 0.613, k = 0.7, v = 1.3, c = 1 / (1 + k * k), gone = v - X;
  const double by[] = {1 - c, -2 * k * c * c * gone, c, 0}, rate_by[] = {0, -2 * k * c * c * v, c, 0};
  MbsModel *model = read_model(context, "tests/models/kink_wire.yaml");
  for (int f = 0; f < FORMULATIONS; ++f) {
    for (int kind = 0; kind < KINDS; ++kind) {
      MbsRequest request = request_of(model, formulations[f], coordinates[kind], MBS_METHOD_DIRECT);
      MbsResult *result = run_methods(model, &request);
      ENSURE(result->event_count == 1);
      ENSURE_NEAR(result->events[0].time, X / v, 1e-13);
      ENSURE_NEAR(result->events[0].energy_lost, (1 - c) * v * v, 1e-9);  // m = 2
      ENSURE_NEAR(result->values[0], X + c * gone, 1e-9);
      ENSURE_NEAR(result->values[1], c * v, 1e-9);
      for (int i = 0; i < 4; ++i) {
        ENSURE_NEAR(result->gradient[i], by[i], 1e-9);
        ENSURE_NEAR(result->gradient[4 + i], rate_by[i], 1e-9);
      }
      mbs_result_destroy(result);
    }
  }
  // it starts beyond the bend, or in it, going either way
  static const struct {
    const char *X, *v;
    double rise;
  } starts[] = {{"-0.2", "1.3", 0.7}, {"0", "1.3", 0.7}, {"0", "-1.3", 0}};
  for (int i = 0; i < 3; ++i) {
    ENSURE_OK(context, mbs_model_set(context, model, "X", starts[i].X));
    ENSURE_OK(context, mbs_model_set(context, model, "v", starts[i].v));
    MbsRequest request = request_of(model, "ali3p", "natural", MBS_METHOD_NONE);
    MbsResult *result = run(model, &request, MBS_METHOD_NONE);
    ENSURE(result->event_count == 0);
    ENSURE_NEAR(result->points[0].velocity[0], atof(starts[i].v), 1e-12);
    ENSURE_NEAR(result->points[0].velocity[1], starts[i].rise * 1.3, 1e-12);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// ---- positions that jump ----
static void refuse(const char *course, double time, const char *by) {
  MbsModel *model = read_with("tests/models/kink_driver.yaml", "w*max(t - t0, 0)", course);
  char part[200];
  for (int c = 0; c < KINDS; ++c) {
    MbsRequest request = request_of(model, "index1", coordinates[c], MBS_METHOD_DIRECT);
    MbsResult *result = NULL;
    ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
    (void)snprintf(part, sizeof part,
                   "replaced.yaml:15:36: error: joint \"motor\" at t = %.10g: the position that driver \"motor\" "
                   "prescribes jumps by %s, ",
                   time, by);
    ENSURE_CONTAINS(mbs_context_message(context), part);
    ENSURE(result && !result->is_complete);
    ENSURE_NEAR(result->final_time, time, 1e-12);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// ---- kinematics: velocities simply follow ----
static void check_kinematics(void) {
  MbsModel *model = read_text(context, "crank.yaml",
                              "mbsens: 1\nparameters: {t0: 0.303, w: 2}\nground: {points: {O: [0, 0]}}\n"
                              "bodies: {b: {mass: 1, com: [0.2, 0], inertia: 0.1, points: {O: [0, 0], P: [0.4, 0]}}}\n"
                              "joints:\n  - {revolute: [ground.O, b.O]}\n"
                              "  - {driver: angle(b), value: \"w*max(t - t0, 0)\"}\n"
                              "objectives: {angle: {final: angle(b)}, rate: {final: omega(b)}}\n"
                              "simulation: {end: 0.6, step: 0.01}\n");
  for (int c = 0; c < KINDS; ++c) {
    MbsRequest request = request_of(model, "ali3p", coordinates[c], MBS_METHOD_DIRECT);
    request.settings.is_kinematic = true;
    MbsResult *result = run_methods(model, &request);
    ENSURE_NEAR(result->values[0], 2 * 0.297, 1e-12);
    ENSURE_NEAR(result->values[1], 2, 1e-12);
    ENSURE_NEAR(result->gradient[0], -2, 1e-12);
    ENSURE_NEAR(result->gradient[1], 0.297, 1e-12);
    ENSURE(result->event_count == 0);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_crank();
  check_spellings();
  check_starts();
  check_wire();
  check_kinematics();
  refuse("0.3*step(t - t0)", 0.303, "0.3");
  refuse("w*mod(t, t0)", 0.303, "0.606");
  refuse("if(t > t0, 1e-6, 0)", 0.303, "1e-06");
  refuse("w*max(t - t0, 0) + 0.1*floor(t/0.45)", 0.45, "0.1");
  mbs_context_destroy(context);
  return 0;
}
