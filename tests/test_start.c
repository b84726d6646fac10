// The start as a function of the parameters: where bodies are placed moves it, and one definition serves both
// coordinates. What cannot be fooled: the text is written again with another number, read, compiled and assembled anew;
// values of natural against relative coordinates; closed forms; the sense of bodies and joints.
#include "support.h"

static MbsContext *context;

enum { MOST_OBJECTIVES = 8 };

typedef struct Outcome {
  int count, held_count;
  double values[MOST_OBJECTIVES], gradient[MOST_OBJECTIVES];
  char held[512];
} Outcome;

// p stands for the parameter's value in the text
static MbsStatus run(const char *text, double p, const char *coordinates, MbsMethod method, Outcome *outcome) {
  char written[4096];
  ENSURE(snprintf(written, sizeof written, text, p) < (int)sizeof written);
  MbsModel *model = read_text(context, "start", written);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  request.settings.end = request.settings.step = 1e-3;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  MbsStatus status = mbs_run(context, model, &request, &result);
  if (status == MBS_OK) {
    outcome->count = result->objective_count;
    ENSURE(outcome->count > 0 && outcome->count <= MOST_OBJECTIVES);
    outcome->held_count = result->held_count;
    outcome->held[0] = '\0';
    for (int i = 0; i < result->held_count; ++i) {
      size_t used = strlen(outcome->held);
      (void)snprintf(outcome->held + used, sizeof outcome->held - used, "%s%s", i ? ", " : "", result->held[i]);
    }
    for (int i = 0; i < outcome->count; ++i) {
      outcome->values[i] = result->values[i];
      outcome->gradient[i] = result->gradient ? result->gradient[i * result->parameter_count] : 0;
    }
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  return status;
}

static void ensure_run(const char *text, double p, const char *coordinates, MbsMethod method, Outcome *outcome) {
  ENSURE_OK(context, run(text, p, coordinates, method, outcome));
}

typedef struct Case {
  const char *name, *text, *held;
  double p;
} Case;

// ---- every way to place something ----
#define PENDULUM                                                                                \
  "mbsens: 1\ngravity: [0, -9.81]\nparameters: {p: %.17g}\nground: {points: {O: [0.1, 0.2]}}\n" \
  "joints: [{revolute: [ground.O, bar.O], name: hinge}]\n"

static const Case cases[] = {
    // the bar hangs on O, whose place and whose distance to the origin of the bar the placement does not meet
    {"angle",
     PENDULUM "bodies: {bar: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {O: [0.05, 0], T: [0.7, 0.1]}, angle: p,\n"
              "               position: [0.2, 0]}}\n"
              "objectives: {x: {final: r(T).x}, angle: {final: angle(bar)}}\n",
     "bar: angle", -0.7},
    {"length",
     PENDULUM "bodies: {bar: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {O: [0, 0], T: [p, 0]}, angle: -0.5}}\n"
              "objectives: {x: {final: r(T).x}, angle: {final: angle(bar)}}\n",
     "bar: angle", 0.9},
    {"a point that the user places turns the body",
     PENDULUM "bodies: {bar: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {O: [0, 0], T: [0.8, 0.3]}}}\n"
              "initial: {points: {T: [0.6, p]}}\n"
              "objectives: {x: {final: r(T).x}, angle: {final: angle(bar)}}\n",
     "bar: angle", -0.5},
    {"position and a point",
     PENDULUM
     "bodies: {bar: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {O: [0, 0], T: [0.8, 0.3]}, position: [p, 0.1]}}\n"
     "initial: {points: {T: [0.6, 0.9]}}\n"
     "objectives: {x: {final: r(T).x}, angle: {final: angle(bar)}}\n",
     "bar: angle", 0.2},
    {"without value",
     PENDULUM
     "bodies: {bar: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {O: [0.2, 0.1], T: [0.8, 0.3]}, angle: p}}\n"
     "initial: {independent: [{coordinate: r(T).x + 2*angle(hinge), velocity: 0.3}]}\n"
     "objectives: {x: {final: r(T).x}, w: {final: r(T).x + 2*angle(hinge)}}\n",
     "", 0.4},
    {"own coordinate",
     "mbsens: 1\nparameters: {p: %.17g}\n"
     "coordinates: {q: {inertia: 1, guess: 0.1}, s: {inertia: 2, guess: sin(p)}}\n"
     "joints: [{constraint: s - 2*q}]\n"
     "objectives: {q: {final: q}, s: {final: s}}\n",
     "s", 0.6},
    // of two freedoms one is given; the rest is held, though no length fits the placement
    {"in part",
     "mbsens: 1\ngravity: [0, -9.81]\nparameters: {p: %.17g}\n"
     "ground: {points: {A: [0, 0], B: [1.1, 0]}}\n"
     "bodies:\n"
     "  one: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {A: [0, 0], P: [0.6 + 0.1*p, 0]}, angle: 1.1 + p}\n"
     "  two: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {P: [0, 0], Q: [0.8, 0]}, angle: 0.3*p}\n"
     "  three: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {Q: [0, 0], R: [0.7, 0]}, angle: -0.2 - p}\n"
     "  four: {mass: 1, com: [0.3, 0], inertia: 0.1, points: {B: [0, 0], R: [0.8 - p, 0]}, angle: 1.4}\n"
     "joints: [{revolute: [ground.A, one.A]}, {revolute: [one.P, two.P]}, {revolute: [two.Q, three.Q]},\n"
     "         {revolute: [three.R, four.R]}, {revolute: [four.B, ground.B]}]\n"
     "initial: {independent: [{coordinate: angle(two), value: 0.4, velocity: 0.1}]}\n"
     "objectives: {x: {final: r(P).x}, y: {final: r(Q).y}, z: {final: angle(four)}}\n",
     "one: angle", 0.05},
    // space: rotation vectors, points, thin rods, point masses
    {"space",
     "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nparameters: {p: %.17g}\n"
     "ground: {points: {O: [0, 0, 0], E: [1.4, 0.3, p]}}\n"
     "bodies:\n"
     "  box: {mass: 2, com: [0.1, 0, 0], inertia: [1, 2, 2.5], rotation: [0.3, p, -0.2],\n"
     "        points: {O: [0, 0, 0], A: [0.5, 0.1 - p, 0.2], B: [0.1, 0.4, 0]}}\n"
     "  rod: {mass: 1, com: [0.5, 0, 0], inertia: 0.2, points: {A: [0, 0, 0], C: [1 + p, 0, 0]}}\n"
     "  free: {mass: 1, com: [0, 0.1, 0], inertia: [1, 1, 1.2], position: [p, 1, 0.5], rotation: [0, 0, p],\n"
     "         points: {F: [0.3, p, 0]}}\n"
     "  ball: {mass: 1, points: {M: [0, 0, 0]}, position: [0.2, p, 0.3*p]}\n"
     "joints: [{revolute: [ground.O, box.O], axis: [0.1, 0.2, 1], axis2: [0.15, 0.1, 0.9]},\n"
     "         {spherical: [box.A, rod.A]}]\n"
     "initial: {points: {rod.C: [1.2, 0.5 + p, 0.6]}}\n"
     "objectives: {A: {final: r(box.A).y}, C: {final: r(C).x}, Cz: {final: r(C).z}, F: {final: r(F).x + r(F).z},\n"
     "             M: {final: r(M).y}}\n",
     NULL, 0.15},
    {"three points in space",
     "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nparameters: {p: %.17g}\n"
     "bodies: {box: {mass: 2, com: [0.1, 0, 0], inertia: [1, 2, 2.5],\n"
     "               points: {A: [0.5, 0.1 - p, 0.2], B: [0.1, 0.4, 0], C: [0, 0, 0.7]}}}\n"
     "initial: {points: {A: [0.1, p, 0.3], B: [0.7, 0.2, 0.1 - p], C: [0.4, 0.9, 0.8]}}\n"
     "objectives: {A: {final: r(A).y}, B: {final: r(B).x}, C: {final: r(C).z + r(C).x}}\n",
     NULL, 0.15},
    {"no rotation that is a parameter",
     "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nparameters: {p: %.17g}\n"
     "bodies: {box: {mass: 2, inertia: [1, 2, 2.5], rotation: [p, 2*p, -p], points: {A: [0.5, 0.1, 0.2]}}}\n"
     "objectives: {x: {final: r(A).x}, y: {final: r(A).y}, z: {final: r(A).z}}\n",
     NULL, 0},
};

// direct, adjoint and complex step against the text written again, in both coordinates
static void check_gradient(const Case *c) {
  const double h = 1e-4, p = c->p;
  Outcome natural, relative, at, sides[4];
  (void)printf("%s\n", c->name);
  ensure_run(c->text, p, "natural", MBS_METHOD_NONE, &natural);
  ensure_run(c->text, p, "relative", MBS_METHOD_NONE, &relative);
  if (c->held && strcmp(natural.held, c->held) != 0) {
    (void)fprintf(stderr, "%s: holds %s\n", c->name, natural.held);
    exit(1);
  }
  ENSURE(strcmp(natural.held, relative.held) == 0);
  const double steps[] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; ++k) {
    ensure_run(c->text, p + steps[k] * h, "natural", MBS_METHOD_NONE, &sides[k]);
  }
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  static const char *const coordinates[] = {"natural", "relative"};
  for (int i = 0; i < natural.count; ++i) {
    // one step of 1e-3: the two differ by its error
    ENSURE_NEAR(relative.values[i], natural.values[i], 1e-7);
  }
  for (int run_index = 0; run_index < 6; ++run_index) {
    ensure_run(c->text, p, coordinates[run_index / 3], methods[run_index % 3], &at);
    for (int i = 0; i < at.count; ++i) {
      double anew =
          (sides[0].values[i] - 8 * sides[1].values[i] + 8 * sides[2].values[i] - sides[3].values[i]) / 12 / h;
      // fourth-order differences: rounding of 1e-15 over 1e-4, and the coordinates' own step error
      if (!(fabs(at.gradient[i] - anew) < 1e-6 * (1 + fabs(anew)))) {
        (void)fprintf(stderr, "%s, %s, method %d, objective %d: %.12g, run anew %.12g\n", c->name,
                      coordinates[run_index / 3], (int)methods[run_index % 3], i, at.gradient[i], anew);
        exit(1);
      }
    }
  }
  double largest = 0;
  for (int i = 0; i < at.count; ++i) {
    largest = fmax(largest, fabs(at.gradient[i]));
  }
  ENSURE(largest > 0.01);  // something moves
}

// ---- closed form: a bar that is placed off its hinge by its angle is turned about it, and starts at rest ----
static void check_closed_form(void) {
  Outcome at;
  double p = -0.7;
  ensure_run(cases[0].text, p, "natural", MBS_METHOD_DIRECT, &at);
  // T is (0.65, 0.1) from O in the bar's axes
  ENSURE_NEAR(at.values[0], 0.1 + 0.65 * cos(p) - 0.1 * sin(p), 1e-4);
  ENSURE_NEAR(at.gradient[0], -0.65 * sin(p) - 0.1 * cos(p), 1e-4);
  ENSURE_NEAR(at.values[1], p, 1e-4);
  ENSURE_NEAR(at.gradient[1], 1, 1e-4);
}

// ---- the sense of bodies and joints ----
#define SPACE                                                                                                     \
  "mbsens: 1\ndimension: 3\nparameters: {p: %.17g}\nground: {points: {O: [0, 0, 0]}}\n"                           \
  "objectives: {det: {final: \"dot(r(E) - r(b.O), cross(r(F) - r(b.O), r(G) - r(b.O)))\"}, x: {final: r(E).x},\n" \
  "             y: {final: r(F).y}, z: {final: r(G).z}}\n"
#define BODY                                                       \
  "bodies: {b: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1], \n" \
  "             points: {O: [0, 0, 0], E: [1, 0, 0], F: [0, 1, 0], G: [0, 0, 1]}"

typedef struct Sense {
  const char *text;
  double x, y, z;
} Sense;

static const Sense senses[] = {
    // placed nearly upside down
    {SPACE BODY ", rotation: [3, 0, 0]}}\njoints: [{revolute: [ground.O, b.O], axis: [0, 0, 1], name: h}]\n"
                "initial: {independent: [{coordinate: angle(h), value: p}]}\n",
     0.9553364891256060, 0.9553364891256060, 1},
    // an axis that points the other way: a half turn about some normal of it, and then the angle
    {SPACE BODY "}}\njoints: [{revolute: [ground.O, b.O], axis: [0, 0, 1], axis2: [0, 0, -1]}]\n"
                "initial: {independent: [{coordinate: r(E).y, value: p}]}\n",
     -0.9539392014169457, 0.9539392014169457, -1},
    {SPACE BODY ", rotation: [0, 3, 0]}}\njoints: [{prismatic: [ground.O, b.O], axis: [0, 0, 1]}]\n"
                "initial: {independent: [{coordinate: r(b.O).z, value: p}]}\n",
     1, 1, 1.3},
    // turned about the line of the guide
    {SPACE BODY ", rotation: [0, 0, 3]}}\njoints: [{prismatic: [ground.O, b.O], axis: [0, 0, 1]}]\n"
                "initial: {independent: [{coordinate: r(b.O).z, value: p}]}\n",
     1, 1, 1.3},
    {SPACE BODY ", rotation: [3, 0, 0]}}\njoints: [{fixed: [ground.O, b.O]}]\n", 1, 1, 1},
    {SPACE BODY ", rotation: [0, 2, 2]}}\njoints: [{fixed: [ground.O, b.O]}]\n", 1, 1, 1},
    {SPACE BODY ", rotation: [2.5, 0.3, 0]}}\njoints: [{cylindrical: [ground.O, b.O], axis: [0, 0, 1], name: c}]\n"
                "initial: {independent: [{coordinate: angle(c), value: p}, {coordinate: slide(c), value: 0}]}\n",
     0.9553364891256060, 0.9553364891256060, 1},
};

static void check_senses(void) {
  static const char *const coordinates[] = {"natural", "relative"};
  for (int i = 0; i < (int)(sizeof senses / sizeof *senses); ++i) {
    for (int k = 0; k < 2; ++k) {
      Outcome at;
      ensure_run(senses[i].text, 0.3, coordinates[k], MBS_METHOD_NONE, &at);
      const double wanted[] = {1, senses[i].x, senses[i].y, senses[i].z};
      for (int o = 0; o < 4; ++o) {
        if (!(fabs(at.values[o] - wanted[o]) < 1e-4)) {
          (void)fprintf(stderr, "sense %d, %s: objective %d is %.10g, not %.10g\n", i, coordinates[k], o, at.values[o],
                        wanted[o]);
          exit(1);
        }
      }
    }
  }
}

// in the plane: a slider placed the wrong way round
static void check_plane(void) {
  static const char *const coordinates[] = {"natural", "relative"};
  for (int k = 0; k < 2; ++k) {
    Outcome at;
    ensure_run(
        "mbsens: 1\nparameters: {p: %.17g}\nground: {points: {O: [0, 0]}}\n"
        "bodies: {b: {mass: 1, inertia: 1, points: {O: [0, 0], E: [1, 0]}, angle: 2.9}}\n"
        "joints: [{prismatic: [ground.O, b.O], axis: [1, 0]}]\n"
        "initial: {independent: [{coordinate: r(b.O).x, value: p}]}\n"
        "objectives: {x: {final: r(E).x}}\n",
        0.3, coordinates[k], MBS_METHOD_NONE, &at);
    ENSURE_NEAR(at.values[0], 1.3, 1e-12);
  }
}

// bodies and points placed, which contradict each other: both coordinates find the same
static void check_contradiction(void) {
  static const char text[] =
      "mbsens: 1\nparameters: {p: %.17g}\ngravity: [0, -9.81]\nground: {points: {O: [0, 0], D: [0.3, 0]}}\n"
      "bodies:\n"
      "  a: {mass: 1, com: [0.05, 0], inertia: 0.001, points: {O: [0, 0], B: [0.1, 0]}, position: [0, 0]}\n"
      "  b: {mass: 1, com: [0.12, 0], inertia: 0.005, points: {B: [0, 0], C: [0.25, 0]}, position: [0, 0.1]}\n"
      "  c: {mass: 1, com: [0.1, 0], inertia: 0.003, points: {C: [0, 0], D: [0.2, 0]}, position: [0.25, 0.2]}\n"
      "joints: [{revolute: [ground.O, a.O]}, {revolute: [a.B, b.B]}, {revolute: [b.C, c.C]},\n"
      "         {revolute: [c.D, ground.D]}]\n"
      "initial: {points: {B: [0.05, 0.09], C: [0.28, 0.2]}, independent: [{coordinate: angle(a), value: p}]}\n"
      "objectives: {x: {final: r(C).x}, y: {final: r(C).y}}\n";
  Outcome natural, relative;
  ensure_run(text, 1, "natural", MBS_METHOD_NONE, &natural);
  ensure_run(text, 1, "relative", MBS_METHOD_NONE, &relative);
  for (int i = 0; i < 2; ++i) {
    ENSURE_NEAR(natural.values[i], relative.values[i], 1e-7);
  }
  ENSURE(natural.values[1] > 0.1);  // the elbow is where the points are
}

// ---- far from where bodies are placed ----
// Two free bodies whose common point is placed apart: halfway they would meet, but the first is held where it is
// placed. Sizes: their points are 1/2 from their centres.
static void check_far(double apart, bool is_far) {
  static const char *const both[] = {"natural", "relative"};
  for (int c = 0; c < 2; ++c) {
    char text[1000];
    (void)snprintf(text, sizeof text,
                   "mbsens: 1\n"
                   "bodies:\n"
                   "  a: {mass: 1, com: [0, 0], inertia: 1, points: {A: [0.5, 0]}, position: [0, 0], angle: 0}\n"
                   "  b: {mass: 1, com: [0, 0], inertia: 1, points: {B: [-0.5, 0]}, position: [%.17g, 0], angle: 0}\n"
                   "joints: [{revolute: [a.A, b.B]}]\n"
                   "simulation: {end: 0.001, step: 0.001}\n",
                   1 + apart);
    MbsModel *model = read_text(context, "apart", text);
    MbsRequest request;
    MbsResult *result;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    request.method = MBS_METHOD_NONE;
    (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", both[c]);
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    (void)printf("%g apart, %s: moved by %g\n", apart, both[c], result->statistics.start_moved);
    ENSURE_NEAR(result->statistics.start_moved, apart / 2 / 0.5, 1e-6);
    ENSURE(result->warning_count == is_far);
    ENSURE(!is_far || strstr(result->warnings[0], "the start is far from where the bodies are placed"));
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
}

int main(void) {
  context = mbs_context_create();
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
    check_gradient(&cases[i]);
  }
  check_closed_form();
  check_senses();
  check_plane();
  check_contradiction();
  check_far(0, false);
  check_far(0.2, false);
  check_far(0.6, true);
  check_far(3, true);
  mbs_context_destroy(context);
  return 0;
}
