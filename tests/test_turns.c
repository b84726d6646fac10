// Angles that start after any number of turns: gears, racks, drivers, coordinates of the model's own. Nothing turns in
// these models but what is driven, so an angle at the end is what it is at the start: a closed form, to rounding. Its
// derivatives come from direct differentiation and, through the start anew, from the complex step.
#include "support.h"

static MbsContext *context;

static const char *const both[] = {"natural", "relative"};
static const double angles[] = {0, 1, 1.3, 2, 3.0, 3.5, -3.5, 6.2, 6.4, -9, 30, 1000.25, -12345};

static void ensure_values(const MbsModel *model, const char *coordinates, int count, const double *expected) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  request.method = MBS_METHOD_NONE;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(result->objective_count == count);
  for (int i = 0; i < count; ++i) {
    // an angle of 1e4 has 1e-12 of rounding
    ENSURE_NEAR(result->values[i], expected[i], 1e-11 * fmax(1, fabs(expected[i])));
  }
  mbs_result_destroy(result);
}

// d(objectives)/d(the first parameter)
static void ensure_slopes(const MbsModel *model, const char *coordinates, int count, const double *expected) {
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  for (int m = 0; m < 3; ++m) {
    MbsRequest request;
    MbsResult *result;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
    request.method = methods[m];
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    for (int i = 0; i < count; ++i) {
      ENSURE_NEAR(result->gradient[i * result->parameter_count], expected[i], 1e-9);
    }
    mbs_result_destroy(result);
  }
}

static void set(MbsModel *model, const char *parameter, double value) {
  char text[32];
  (void)snprintf(text, sizeof text, "%.17g", value);
  ENSURE_OK(context, mbs_model_set(context, model, parameter, text));
}

// every angle of the file at every value of phi: `count` objectives, each a factor times phi
static void check_file(const char *path, int count, const double *factors) {
  MbsModel *model = read_model(context, path);
  for (int c = 0; c < 2; ++c) {
    for (int i = 0; i < (int)(sizeof angles / sizeof *angles); ++i) {
      double expected[4];
      for (int k = 0; k < count; ++k) {
        expected[k] = factors[k] * angles[i];
      }
      set(model, "phi", angles[i]);
      ensure_values(model, both[c], count, expected);
      if (fabs(angles[i]) < 50) {
        ensure_slopes(model, both[c], count, factors);
      }
    }
  }
  mbs_model_destroy(model);
}

static void check_text(const char *text, int count, const double *expected) {
  MbsModel *model = read_text(context, "turns", text);
  for (int c = 0; c < 2; ++c) {
    ensure_values(model, both[c], count, expected);
  }
  mbs_model_destroy(model);
}

#define WHEELS                                                                                             \
  "mbsens: 1\n"                                                                                            \
  "ground: {points: {O: [0, 0], Q: [1, 0], R: [2, 0]}}\n"                                                  \
  "bodies:\n"                                                                                              \
  "  a: {mass: 1, inertia: 0.01, points: {O: [0, 0], P: [0.3, 0]}}\n"                                      \
  "  b: {mass: 2, inertia: 0.02, points: {Q: [0, 0]}, position: [1, 0], angle: 0.4}\n"                     \
  "  c: {mass: 2, inertia: 0.02, points: {R: [0, 0]}, position: [2, 0], angle: -2}\n"                      \
  "simulation: {end: 0.01, step: 0.01}\n"                                                                  \
  "objectives: {A: {final: angle(A)}, B: {final: angle(B)}, C: {final: angle(C)}, a: {final: angle(a)}}\n" \
  "joints:\n"                                                                                              \
  "  - {revolute: [ground.O, a.O], name: A}\n"                                                             \
  "  - {revolute: [ground.Q, b.Q], name: B}\n"                                                             \
  "  - {revolute: [ground.R, c.R], name: C}\n"

// a train written against its order, with steep ratios and offsets of many turns
static void check_train(void) {
  check_text(WHEELS
             "  - {gear: [B, C], ratio: -60, offset: 100}\n"
             "  - {gear: [A, B], ratio: 7, offset: -20}\n"
             "initial: {independent: [{coordinate: angle(A), value: 2.1}]}\n",
             4, (double[]){2.1, 7 * 2.1 - 20, -60 * (7 * 2.1 - 20) + 100, 2.1});
  // from the other end
  check_text(WHEELS
             "  - {gear: [B, C], ratio: -60, offset: 100}\n"
             "  - {gear: [A, B], ratio: 7, offset: -20}\n"
             "initial: {independent: [{coordinate: angle(C), value: 2.1}]}\n",
             4, (double[]){((2.1 - 100) / -60 + 20) / 7, (2.1 - 100) / -60, 2.1, ((2.1 - 100) / -60 + 20) / 7});
}

// a driver, and angles that only two equations together determine: a + b = 20, b - a = 7
static void check_pairs(void) {
  check_text(WHEELS
             "  - {driver: angle(C), value: -40}\n"
             "  - {constraint: angle(a) + angle(b) - 20}\n"
             "  - {constraint: angle(b) - angle(a) - 7}\n",
             4, (double[]){6.5, 13.5, -40, 6.5});
  check_text(WHEELS
             "  - {driver: angle(b) - angle(a), value: 50}\n"
             "  - {gear: [B, C], ratio: 0.5}\n"
             "initial: {independent: [{coordinate: angle(a), value: -8}]}\n",
             4, (double[]){-8, 42, 21, -8});
  // the driver comes first, but the angle it counts most like itself is told by another equation alone
  check_text(WHEELS
             "  - {driver: angle(a) - angle(b), value: 50}\n"
             "  - {gear: [B, C], ratio: 0.5}\n"
             "initial: {independent: [{coordinate: angle(a), value: -8}]}\n",
             4, (double[]){-8, -58, -29, -8});
}

// a coordinate of the model's own that counts a wheel's turns, given by itself or by the wheel
static void check_own_coordinate(void) {
  static const char *const starts[] = {"s", "angle(a)"};
  for (int i = 0; i < 2; ++i) {
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s%s%s",
                   WHEELS
                   "  - {constraint: s - 3*angle(A)}\n"
                   "  - {driver: angle(B), value: 0}\n"
                   "  - {driver: angle(C), value: 1}\n"
                   "coordinates: {s: {inertia: 1}}\n"
                   "initial: {independent: [{coordinate: ",
                   starts[i], i == 0 ? ", value: 75" : ", value: 25", "}]}\n");
    check_text(text, 4, (double[]){25, 0, 1, 25});
  }
}

// A crank and rocker whose rocker turns a wheel. The crank starts after four turns; nothing tells the rocker's turns,
// so it starts at its principal value, wherever the guess is, and the wheel follows that. The rocker's angle is a
// closed form of the crank's.
static void check_rocker(void) {
  const double crank = 8 * acos(-1) + 1.1, L1 = 0.3, L2 = 1, L3 = 0.7, D = 1;
  double x = L1 * cos(crank), y = L1 * sin(crank), d = hypot(D - x, y);
  // from the rocker's foot: towards the crank pin, and off that by the angle of the triangle of L3, d, L2
  double rocker = atan2(y, x - D) - acos((L3 * L3 + d * d - L2 * L2) / (2 * L3 * d));
  static const char *const guesses[] = {"1.0", "1.6", "2.4"};
  for (int i = 0; i < 3; ++i) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "mbsens: 1\n"
                   "ground: {points: {O: [0, 0], F: [1, 0], W: [3, 0]}}\n"
                   "bodies:\n"
                   "  crank: {mass: 1, inertia: 0.01, points: {O: [0, 0], P: [0.3, 0]}, angle: 0.9}\n"
                   "  rod: {mass: 1, inertia: 0.01, points: {P: [0, 0], Q: [1, 0]}}\n"
                   "  rocker: {mass: 1, inertia: 0.01, points: {F: [0, 0], Q: [0.7, 0]}, position: [1, 0], angle: %s}\n"
                   "  wheel: {mass: 1, inertia: 0.01, points: {W: [0, 0]}, position: [3, 0]}\n"
                   "joints:\n"
                   "  - {revolute: [ground.O, crank.O]}\n"
                   "  - {revolute: [crank.P, rod.P]}\n"
                   "  - {revolute: [rod.Q, rocker.Q]}\n"
                   "  - {revolute: [ground.F, rocker.F], name: F}\n"
                   "  - {revolute: [ground.W, wheel.W], name: W}\n"
                   "  - {gear: [F, W], ratio: 9.25}\n"
                   "initial: {independent: [{coordinate: angle(crank), value: 8*pi + 1.1}]}\n"
                   "objectives: {crank: {final: angle(crank)}, rocker: {final: angle(rocker)}, W: {final: angle(W)}}\n"
                   "simulation: {end: 1e-6, step: 1e-6}\n",
                   guesses[i]);
    check_text(text, 3, (double[]){crank, rocker, 9.25 * rocker});
  }
}

// The same crank and rocker, started by the angle between rocker and rod after three turns: an angle in a closed loop,
// which no wheel's half turn decides. From guesses that are off, or far off.
static void check_loop(void) {
  const double crank = 1.1, L1 = 0.3, L2 = 1, L3 = 0.7, D = 1;
  double x = L1 * cos(crank), y = L1 * sin(crank), d = hypot(D - x, y);
  double rocker = atan2(y, x - D) - acos((L3 * L3 + d * d - L2 * L2) / (2 * L3 * d));
  double rod = atan2(L3 * sin(rocker) - y, D + L3 * cos(rocker) - x);
  for (int i = -6; i <= 6; ++i) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "mbsens: 1\n"
                   "parameters: {given: %.17g}\n"
                   "ground: {points: {O: [0, 0], F: [1, 0]}}\n"
                   "bodies:\n"
                   "  crank: {mass: 1, inertia: 0.01, points: {O: [0, 0], P: [0.3, 0]}, angle: %g}\n"
                   "  rod: {mass: 1, inertia: 0.01, points: {P: [0, 0], Q: [1, 0]}, angle: %g}\n"
                   "  rocker: {mass: 1, inertia: 0.01, points: {F: [0, 0], Q: [0.7, 0]}, position: [1, 0], angle: %g}\n"
                   "joints:\n"
                   "  - {revolute: [ground.O, crank.O]}\n"
                   "  - {revolute: [crank.P, rod.P]}\n"
                   "  - {revolute: [rod.Q, rocker.Q], name: elbow}\n"
                   "  - {revolute: [ground.F, rocker.F]}\n"
                   "initial: {independent: [{coordinate: angle(elbow), value: given}]}\n"
                   "objectives: {crank: {final: angle(crank)}, elbow: {final: angle(elbow)}}\n"
                   "simulation: {end: 1e-6, step: 1e-6}\n",
                   rocker - rod + 6 * acos(-1), crank + 0.15 * i, rod + 0.05 * i, rocker - 0.08 * i);
    check_text(text, 2, (double[]){crank, rocker - rod + 6 * acos(-1)});
  }
}

int main(void) {
  context = mbs_context_create();
  check_file("tests/models/turns_gear.yaml", 4, (double[]){1, 1, 2.5, 2.5});
  check_file("tests/models/turns_gear_second.yaml", 4, (double[]){0.4, 0.4, 1, 1});
  check_file("tests/models/turns_gear_space.yaml", 2, (double[]){1, 2.5});
  check_file("tests/models/turns_rack.yaml", 3, (double[]){1, 1, 0.1});
  check_train();
  check_pairs();
  check_own_coordinate();
  check_rocker();
  check_loop();
  mbs_context_destroy(context);
  (void)printf("turns at the start are as they must be\n");
  return 0;
}
