// Kinematics against closed forms: a slider-crank with its drive torque, a gear and a rack, arms that are driven in
// part or stand; angles that start beyond half a turn; and gradients against the complex step.
#include "support.h"

static MbsContext *context;

// ---- histories ----
typedef struct Series {
  int columns, rows;
  char names[64][64];
  double values[4000][64];
} Series;

static MbsStatus begin(void *user, int count, const char *const *names) {
  Series *series = user;
  ENSURE(count <= 64);
  series->columns = count;
  for (int i = 0; i < count; ++i) {
    (void)snprintf(series->names[i], sizeof series->names[i], "%s", names[i]);
  }
  return MBS_OK;
}

static MbsStatus row(void *user, const double *values) {
  Series *series = user;
  ENSURE(series->rows < 4000);
  memcpy(series->values[series->rows++], values, (size_t)series->columns * sizeof *values);
  return MBS_OK;
}

static double at(const Series *series, int step, const char *name) {
  for (int i = 0; i < series->columns; ++i) {
    if (strcmp(series->names[i], name) == 0) {
      return series->values[step][i];
    }
  }
  (void)fprintf(stderr, "no column %s\n", name);
  exit(1);
}

static Series series;

static MbsResult *run(MbsModel *model, MbsMethod method, bool is_recorded) {
  MbsRequest request;
  MbsResult *result;
  MbsRecorder recorder = {.user = &series, .begin = begin, .row = row};
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.is_kinematic = true;
  request.method = method;
  request.recorder = is_recorded ? &recorder : NULL;
  series.rows = 0;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

// ---- slider-crank ----
static const double Lc = 0.3, Lr = 0.9, m = 1, amp = 0.4, w = 7, ms = 2, g = 9.81, Ic = 0.01, Ir = 0.05;

static double crank_angle(double t) { return 0.5 + w * t + amp * sin(2 * t); }

// rod's angle below the horizontal: Lc sin(theta) = Lr sin(beta)
static double slider_at(double t) {
  double s = Lc * sin(crank_angle(t));
  return Lc * cos(crank_angle(t)) + sqrt(Lr * Lr - s * s);
}

// derivatives by central differences of the closed form: h = 1e-4 leaves about 1e-8 (second: 1e-7) of truncation and
// rounding, relative to values of the order of 1 to 100
static double rate(double (*f)(double), double t) { return (f(t + 1e-4) - f(t - 1e-4)) / 2e-4; }
static double second_rate(double (*f)(double), double t) { return (f(t + 1e-4) - 2 * f(t) + f(t - 1e-4)) / 1e-8; }

static double height_of_rod(double t) { return Lc * sin(crank_angle(t)) / 2; }
static double rod_x(double t) { return (Lc * cos(crank_angle(t)) + slider_at(t)) / 2; }
static double rod_angle(double t) { return -asin(Lc * sin(crank_angle(t)) / Lr); }

static double energy(double t) {
  double omega = rate(crank_angle, t), vx = rate(rod_x, t), vy = rate(height_of_rod, t);
  double spin = rate(rod_angle, t), v = rate(slider_at, t);
  double kinetic =
      (Ic + m * Lc * Lc / 4) * omega * omega / 2 + m * (vx * vx + vy * vy) / 2 + Ir * spin * spin / 2 + ms * v * v / 2;
  return kinetic + m * g * (Lc * sin(crank_angle(t)) / 2 + height_of_rod(t));
}

static void check_slider_crank(void) {
  MbsModel *model = read_model(context, "models/driven_slider_crank.yaml");
  MbsResult *result = run(model, MBS_METHOD_NONE, true);
  for (int i = 0; i < series.rows; ++i) {
    double t = at(&series, i, "t");
    // positions come from Newton to 1e-13
    ENSURE_NEAR(at(&series, i, "Q.x"), slider_at(t), 1e-12);
    ENSURE_NEAR(at(&series, i, "P.y"), Lc * sin(crank_angle(t)), 1e-12);
    ENSURE_NEAR(at(&series, i, "Q.x'"), rate(slider_at, t), 1e-6);
    ENSURE_NEAR(at(&series, i, "Q.x''"), second_rate(slider_at, t), 1e-4);
    // the drive's power is what the energy gains: -lambda theta' = E'
    double torque = -at(&series, i, "lambda(joint motor: follows its trajectory)");
    ENSURE_NEAR(torque * rate(crank_angle, t), rate(energy, t), 1e-3);  // two differences in a row
  }
  ENSURE(series.rows == 401);
  ENSURE_NEAR(result->values[2], crank_angle(2), 1e-11);  // over more than two turns
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- gear and rack ----
static void check_gear_and_rack(void) {
  static const char text[] =
      "mbsens: 1\n"
      "parameters: {ratio: -2.5, off: 0.2, R: 0.15, lead: 0.3}\n"
      "ground: {points: {A: [0, 0], B: [1, 0], C: [0, 1]}}\n"
      "bodies:\n"
      "  one: {mass: 1, com: [0, 0], inertia: 0.1, points: {A: [0, 0]}}\n"
      "  two: {mass: 1, com: [0, 0], inertia: 0.2, points: {B: [0, 0]}, angle: 0.2}\n"
      "  bar: {mass: 1, com: [0, 0], inertia: 0.1, points: {N: [0, 0]}, position: [0.3, 1]}\n"
      "joints:\n"
      "  - {revolute: [ground.A, one.A], name: first}\n"
      "  - {revolute: [ground.B, two.B], name: second}\n"
      "  - {prismatic: [ground.C, bar.N], axis: [1, 0], name: rail}\n"
      "  - {gear: [first, second], ratio: ratio, offset: off}\n"
      "  - {rack: [second, rail], radius: R, offset: lead}\n"
      "  - {driver: angle(first), value: 3*t^2}\n"
      "objectives:\n"
      "  turned: {final: angle(second)}\n"
      "  gone: {final: slide(rail)}\n"
      "  place: {final: r(N).x}\n"
      "simulation: {end: 3, step: 0.01}\n";
  MbsModel *model = read_text(context, "gear", text);
  MbsResult *result = run(model, MBS_METHOD_DIRECT, false);
  double first = 27, second = -2.5 * first + 0.2, slide = 0.15 * second + 0.3;
  const double values[] = {second, slide, slide};
  // by ratio, off, R, lead
  const double gradient[] = {first, 1, 0, 0, 0.15 * first, 0.15, second, 1, 0.15 * first, 0.15, second, 1};
  for (int i = 0; i < 3; ++i) {
    ENSURE_NEAR(result->values[i], values[i], 1e-11);
    for (int k = 0; k < 4; ++k) {
      ENSURE_NEAR(result->gradient[4 * i + k], gradient[4 * i + k], 1e-10);
    }
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- universal joint ----
static void check_universal_joint(void) {
  MbsModel *model = read_model(context, "models/universal_shaft.yaml");
  MbsResult *result = run(model, MBS_METHOD_DIRECT, false);
  const double beta = 0.6, speed = 12, theta = speed;  // after 1 s
  double sb = sin(beta), st = sin(theta), below = 1 - sb * sb * st * st;
  ENSURE_NEAR(result->values[0], speed * cos(beta) / below, 1e-10);
  // d/dbeta of w cos(beta) / (1 - sin(beta)^2 sin(theta)^2)
  double slope = speed * (-sb / below + 2 * cos(beta) * cos(beta) * sb * st * st / (below * below));
  ENSURE(strcmp(result->parameters[0], "beta") == 0);
  ENSURE_NEAR(result->gradient[0], slope, 1e-9);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// ---- gradients ----
static void ensure_gradients(MbsModel *model) {
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_FINITE_DIFFERENCE};
  MbsResult *reference = run(model, MBS_METHOD_COMPLEX_STEP, false);
  for (int method = 0; method < (int)(sizeof methods / sizeof *methods); ++method) {
    MbsResult *result = run(model, methods[method], false);
    // no run amplifies rounding here; differences leave the roots of it
    double tolerance = methods[method] == MBS_METHOD_FINITE_DIFFERENCE ? 1e-6 : 1e-10;
    for (int i = 0; i < result->objective_count; ++i) {
      const double *tried = result->gradient + i * result->parameter_count;
      const double *wanted = reference->gradient + i * result->parameter_count;
      double largest = largest_of(result->parameter_count, wanted);
      ENSURE(largest > 0);
      for (int k = 0; k < result->parameter_count; ++k) {
        ENSURE_NEAR(tried[k], wanted[k], tolerance * largest);
      }
    }
    mbs_result_destroy(result);
  }
  mbs_result_destroy(reference);
}

static void check_gradients(const char *path) {
  MbsModel *model = read_model(context, path);
  ensure_gradients(model);
  mbs_model_destroy(model);
}

// ---- partly driven ----
// Two arms in a row, of which the first is driven and the second moves on as it starts. Both start beyond half a turn.
// The multipliers are minus the torques of inverse dynamics, for the absolute angles a and b (here b'' = 0):
//   Ta = (I1 + m1 c1^2 + m2 L^2) a'' + m2 L c2 (cos(a - b) b'' + sin(a - b) b'^2) + (m1 c1 + m2 L) g cos a
//   Tb = (I2 + m2 c2^2) b'' + m2 L c2 (cos(a - b) a'' - sin(a - b) a'^2) + m2 c2 g cos b
#define ARMS                                                                                    \
  "mbsens: 1\n"                                                                                 \
  "gravity: [0, -9.81]\n"                                                                       \
  "parameters: {L: 0.8, m2: 1.5, speed: 2, w: 9, u: 0.5}\n"                                     \
  "ground: {points: {O: [0, 0]}}\n"                                                             \
  "bodies:\n"                                                                                   \
  "  one: {mass: 2, com: [0.3, 0], inertia: 0.2, points: {O: [0, 0], P: [L, 0]}, angle: 0.5}\n" \
  "  two: {mass: m2, com: [0.4, 0], inertia: 0.1, points: {P: [0, 0], Q: [1, 0]}, angle: 2}\n"  \
  "joints:\n"                                                                                   \
  "  - {revolute: [ground.O, one.O]}\n"                                                         \
  "  - {revolute: [one.P, two.P]}\n"

#define MOTOR "  - {driver: angle(one), value: 7 + speed*t + 0.3*sin(3*t), name: motor}\n"
#define OBJECTIVES                                                                    \
  "objectives: {turned: {final: angle(two)}, effort: {integral: lambda(motor)^2}, \n" \
  "  reach: {integral: r(Q).x + v(Q).y}, pull: {final: a(Q).y}}\n"                    \
  "simulation: {end: 3, step: 0.05}\n"

static void check_arms(void) {
  MbsModel *model =
      read_text(context, "arms",
                ARMS MOTOR OBJECTIVES "initial: {independent: [{coordinate: angle(two), value: w, velocity: u}]}\n");
  MbsResult *result = run(model, MBS_METHOD_NONE, true);
  for (int i = 0; i < series.rows; ++i) {
    double t = at(&series, i, "t"), L = 0.8, m1 = 2, m2 = 1.5, c1 = 0.3, c2 = 0.4, I1 = 0.2;
    double a = 7 + 2 * t + 0.3 * sin(3 * t), ad = 2 + 0.9 * cos(3 * t), add = -2.7 * sin(3 * t), b = 9 + 0.5 * t;
    double Ta =
        (I1 + m1 * c1 * c1 + m2 * L * L) * add + m2 * L * c2 * sin(a - b) * 0.25 + (m1 * c1 + m2 * L) * g * cos(a);
    double Tb = m2 * L * c2 * (cos(a - b) * add - sin(a - b) * ad * ad) + m2 * c2 * g * cos(b);
    ENSURE_NEAR(at(&series, i, "Q.x"), L * cos(a) + cos(b), 1e-12);
    ENSURE_NEAR(at(&series, i, "Q.y'"), L * cos(a) * ad + cos(b) * 0.5, 1e-11);
    ENSURE_NEAR(-at(&series, i, "lambda(joint motor: follows its trajectory)"), Ta, 1e-10);
    ENSURE_NEAR(-at(&series, i, "lambda(coordinate angle(two): follows its trajectory)"), Tb, 1e-10);
  }
  ENSURE_NEAR(result->values[0], 10.5, 1e-11);
  mbs_result_destroy(result);
  result = run(model, MBS_METHOD_DIRECT, false);
  const double turned[] = {0, 0, 0, 1, 3};  // by L, m2, speed, w, u
  for (int k = 0; k < 5; ++k) {
    ENSURE_NEAR(result->gradient[k], turned[k], 1e-11);
  }
  mbs_result_destroy(result);
  ensure_gradients(model);
  mbs_model_destroy(model);
}

// Nothing is driven: the arms stand as placed, and what holds their angles carries the weight: by virtual work, the
// torque is the slope of the potential energy V along the angle.
static void check_standing(void) {
  MbsModel *model = read_text(context, "standing", ARMS "simulation: {end: 0.2, step: 0.1}\n");
  MbsResult *result = run(model, MBS_METHOD_NONE, true);
  double L = 0.8, V_Py = 2 * g * 0.3 / L + 1.5 * g * 0.6, V_Qy = 1.5 * g * 0.4;  // of y of P and Q
  double x = at(&series, 2, "P.x"), y = at(&series, 2, "P.y"), X = at(&series, 2, "Q.x") - x;
  double Y = at(&series, 2, "Q.y") - y;
  ENSURE_NEAR(x, L * cos(0.5), 1e-12);
  ENSURE_NEAR(Y, sin(2), 1e-12);
  double lambda[2] = {0};
  int held = 0;
  static const char *const names[] = {"coordinate one: angle: stays where it is",
                                      "coordinate two: angle: stays where it is"};
  for (int i = 0; i < result->multiplier_count; ++i) {
    for (int k = 0; k < 2; ++k) {
      if (strcmp(names[k], result->multiplier_names[i]) == 0) {
        lambda[k] = result->multipliers[i];
        held += 1;
      }
    }
  }
  ENSURE(held == 2);
  // turning the first arm shifts the second
  ENSURE_NEAR(lambda[0] + (V_Py + V_Qy) * x, 0, 1e-11);
  ENSURE_NEAR(lambda[1] + V_Qy * X, 0, 1e-11);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// the gear model, with wheels that have turned already at the start, and the second placed anywhere
static void check_turned_gear(void) {
  static const char text[] =
      "mbsens: 1\n"
      "parameters: {start: 20}\n"
      "ground: {points: {A: [0, 0], B: [1, 0]}}\n"
      "bodies:\n"
      "  one: {mass: 1, com: [0, 0], inertia: 0.1, points: {A: [0, 0]}}\n"
      "  two: {mass: 1, com: [0, 0], inertia: 0.2, points: {B: [0, 0]}, angle: 0.2}\n"
      "joints:\n"
      "  - {revolute: [ground.A, one.A], name: first}\n"
      "  - {revolute: [ground.B, two.B], name: second}\n"
      "  - {gear: [first, second], ratio: -2.5}\n"
      "initial: {independent: [{coordinate: angle(first), value: start, velocity: 1}]}\n"
      "objectives: {turned: {final: angle(second)}, first: {final: angle(first)}}\n"
      "simulation: {end: 1, step: 0.1}\n";
  MbsModel *model = read_text(context, "gear", text);
  MbsResult *result = run(model, MBS_METHOD_DIRECT, false);
  ENSURE_NEAR(result->values[0], -2.5 * 21, 1e-11);
  ENSURE_NEAR(result->values[1], 21, 1e-11);
  ENSURE_NEAR(result->gradient[0], -2.5, 1e-11);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void refuse(const char *text, const char *part) {
  MbsModel *model = read_text(context, "refused", text);
  MbsRequest request;
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.is_kinematic = true;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), part);
  mbs_model_destroy(model);
}

static void check_refusals(void) {
  refuse(ARMS MOTOR OBJECTIVES
         "initial: {independent: [{coordinate: angle(two), value: w}, {coordinate: angle(one), value: 7}]}\n",
         "too many independent coordinates: 2 given, the model has 1 degree of freedom");
  refuse(ARMS MOTOR OBJECTIVES "initial: {independent: [{coordinate: angle(one), value: 7}]}\n",
         "does not add a freedom");
  refuse(ARMS MOTOR "  - {driver: r(P).x, value: 0.1, name: second}\n" OBJECTIVES, "is not free");
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_slider_crank();
  check_gear_and_rack();
  check_universal_joint();
  check_gradients("models/driven_slider_crank.yaml");
  check_gradients("models/universal_shaft.yaml");
  check_arms();
  check_standing();
  check_turned_gear();
  check_refusals();
  mbs_context_destroy(context);
  return 0;
}
