// The start: position and velocity problems for independent coordinates of every kind, with closed forms for positions,
// velocities and their derivatives; the automatic choice; redundant rows; starts that do not fit. (That the derivatives
// of the start meet the complex step, test_all_elements shows for every model it has.)
#include "simulation/simulation.h"
#include "support.h"

static MbsContext *context;

// Newton stops at 1e-13 and is polished; a few solves with small matrices
static const double tolerance = 1e-12;

typedef struct Start {
  MbsModel *model;
  MbsSimulation *simulation;
  int n, nq;
} Start;

// started, with all parameters as columns
static Start start(const char *text) {
  Start s = {.model = read_text(context, "start", text)};
  MbsSettings settings;
  MbsArena *arena = mbs_arena_create();
  int columns[16], count = mbs_record_value(&s.model->root, MBS_MODEL_PARAMETERS)->count;
  ENSURE(count <= MBS_COUNT(columns));
  for (int k = 0; k < count; ++k) {
    columns[k] = k;
  }
  ENSURE_OK(context, mbs_settings_read(context, arena, s.model, &settings));
  ENSURE_OK(context, mbs_simulation_create(context, s.model, &settings, count, columns, NULL, &s.simulation));
  ENSURE_OK(context, mbs_simulation_start(context, s.simulation));
  s.n = s.simulation->system->n;
  s.nq = s.simulation->system->nq;
  mbs_arena_destroy(arena);
  return s;
}

static void finish(Start *s) {
  mbs_simulation_destroy(s->simulation);
  mbs_model_destroy(s->model);
}

static int coordinate(const Start *s, const char *name) {
  for (int i = 0; i < s->nq; ++i) {
    if (strcmp(s->simulation->system->coordinate_names[i], name) == 0) {
      return i;
    }
  }
  (void)fprintf(stderr, "no coordinate %s\n", name);
  exit(1);
}

// q, v and the columns' derivatives of one coordinate
static void ensure_coordinate(const Start *s, const char *name, double q, double v) {
  int i = coordinate(s, name);
  ENSURE_NEAR(s->simulation->state.q[i], q, tolerance);
  ENSURE_NEAR(s->simulation->state.v[i], v, tolerance);
}

static void ensure_columns(const Start *s, const char *name, int count, const double *dq, const double *dv) {
  int i = coordinate(s, name);
  ENSURE(s->simulation->system->column_count == count);
  for (int k = 0; k < count; ++k) {
    ENSURE_NEAR(s->simulation->columns.X[k * s->nq + i], dq[k], 10 * tolerance);
    ENSURE_NEAR(s->simulation->columns.V[k * s->nq + i], dv[k], 10 * tolerance);
  }
}

#define BAR                                                                                              \
  "mbsens: 1\n"                                                                                          \
  "gravity: [0, -9.81]\n"                                                                                \
  "ground: {points: {O: [0, 0], G: [1.5, 0]}}\n"                                                         \
  "bodies: {bar: {mass: 1, com: [L/2, 0], inertia: 0.1, points: {O: [0, 0], P: [L, 0]}, angle: -0.8}}\n" \
  "joints: [{revolute: [ground.O, bar.O]}]\n"                                                            \
  "objectives: {x: {final: r(P).x}}\n"

// P = L (cos w, sin w): all of it in closed form, with respect to L, the value w and the velocity u
static void check_angle(void) {
  Start s = start(BAR
                  "parameters: {L: 1.25, w: -0.7, u: 0.4}\n"
                  "initial: {independent: [{coordinate: angle(bar), value: w, velocity: u}]}\n");
  double L = 1.25, c = cos(-0.7), d = sin(-0.7), u = 0.4;
  ensure_coordinate(&s, "P.x", L * c, -L * d * u);
  ensure_coordinate(&s, "P.y", L * d, L * c * u);
  ensure_columns(&s, "P.x", 3, (double[]){c, -L * d, 0}, (double[]){-d * u, -L * c * u, -L * d});
  ensure_columns(&s, "P.y", 3, (double[]){d, L * c, 0}, (double[]){c * u, -L * d * u, L * c});
  finish(&s);
}

// an angle given a turn too far is the same position, and keeps its turns
static void check_angle_of_many_turns(void) {
  Start s = start(BAR
                  "parameters: {L: 1.25}\n"
                  "initial: {independent: [{coordinate: angle(bar), value: 4*pi - 0.7, velocity: 0.4}]}\n");
  ensure_coordinate(&s, "P.x", 1.25 * cos(-0.7), 1.25 * sin(0.7) * 0.4);
  const MbsInitial *initial = s.simulation->initial;
  ENSURE_NEAR(mbs_independent_set_value(&initial->set, 0, &s.simulation->state), 4 * acos(-1) - 0.7, tolerance);
  finish(&s);
}

// x given: y = -sqrt(L^2 - x^2), y' = -x x'/y
static void check_point_coordinate(void) {
  Start s = start(BAR
                  "parameters: {L: 1.25, x: 0.75, u: 0.4}\n"
                  "initial: {independent: [{coordinate: r(P).x, value: x, velocity: u}]}\n");
  double L = 1.25, x = 0.75, u = 0.4, y = -1;
  ensure_coordinate(&s, "P.x", x, u);
  ensure_coordinate(&s, "P.y", y, -x * u / y);
  // dy/dL = L/y, dy/dx = -x/y; d(y')/d. = -(dx u + x du)/y + x u/y^2 dy
  ensure_columns(&s, "P.y", 3, (double[]){L / y, -x / y, 0},
                 (double[]){x * u / (y * y) * L / y, -u / y + x * u / (y * y) * -x / y, -x / y});
  ensure_columns(&s, "P.x", 3, (double[]){0, 1, 0}, (double[]){0, 0, 1});
  finish(&s);
}

// the distance s from G = (1.5, 0) given: x = (L^2 + 2.25 - s^2)/3
static void check_distance(void) {
  Start s = start(BAR
                  "parameters: {L: 1.25, s: 1.2, u: 0.3}\n"
                  "initial: {independent: [{coordinate: \"distance(G, P)\", value: s, velocity: u}]}\n");
  double L = 1.25, d = 1.2, u = 0.3, x = (L * L + 2.25 - d * d) / 3, y = -sqrt(L * L - x * x);
  double xu = -2 * d * u / 3;
  ensure_coordinate(&s, "P.x", x, xu);
  ensure_coordinate(&s, "P.y", y, -x * xu / y);
  ensure_columns(&s, "P.x", 3, (double[]){2 * L / 3, -2 * d / 3, 0}, (double[]){0, -2 * u / 3, -2 * d / 3});
  finish(&s);
}

// any function of the position: here r.x + 2 r.y of a point that is not a coordinate
static void check_function(void) {
  Start s = start(
      "mbsens: 1\n"
      "parameters: {w: -0.9, u: 0.5}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies: {bar: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {O: [0, 0], P: [1, 0], T: [0, 0.5]}, angle: "
      "-0.8}}\n"
      "joints: [{revolute: [ground.O, bar.O]}]\n"
      "initial: {independent: [{coordinate: r(T).x + 2*r(T).y, value: w, velocity: u}]}\n");
  // T = (-y, x)/2 with P = (x, y): -y/2 + x = w on the unit circle
  const MbsState *state = &s.simulation->state;
  double x = state->q[coordinate(&s, "P.x")], y = state->q[coordinate(&s, "P.y")];
  double xu = state->v[coordinate(&s, "P.x")], yu = state->v[coordinate(&s, "P.y")];
  ENSURE_NEAR(x * x + y * y, 1, tolerance);
  ENSURE_NEAR(x - y / 2, -0.9, tolerance);
  ENSURE_NEAR(xu - yu / 2, 0.5, tolerance);
  ENSURE_NEAR(x * xu + y * yu, 0, tolerance);
  finish(&s);
}

// without a value: as placed; and with nothing: chosen, as placed, at rest
static void check_as_placed(void) {
  Start s = start(BAR
                  "parameters: {L: 1.25, u: 0.4}\n"
                  "initial: {independent: [{coordinate: angle(bar), velocity: u}]}\n");
  ensure_coordinate(&s, "P.x", 1.25 * cos(-0.8), -1.25 * sin(-0.8) * 0.4);
  ensure_columns(&s, "P.x", 2, (double[]){cos(-0.8), 0}, (double[]){-sin(-0.8) * 0.4, -1.25 * sin(-0.8)});
  finish(&s);
  s = start(BAR "parameters: {L: 1.25}\n");
  const MbsInitial *initial = s.simulation->initial;
  ENSURE(initial->set.count == 1 && strcmp(initial->set.independents[0].name, "bar: angle") == 0);
  ensure_coordinate(&s, "P.x", 1.25 * cos(-0.8), 0);
  ensure_coordinate(&s, "P.y", 1.25 * sin(-0.8), 0);
  ensure_columns(&s, "P.x", 1, (double[]){cos(-0.8)}, (double[]){0});
  ensure_columns(&s, "P.y", 1, (double[]){sin(-0.8)}, (double[]){0});
  finish(&s);
}

static void check_automatic_count(const char *path, void *user) {
  (void)user;
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsCheck *check;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  ENSURE(check->independent_count == check->position_freedoms);
  ENSURE(check->degrees_of_freedom == check->coordinates - check->constraints + check->redundant + check->inactive);
  ENSURE(check->nonholonomic > 0 || check->position_freedoms == check->degrees_of_freedom);
  int freedom = 0, bodies = 0;  // group by group
  for (int k = 0; k < check->group_count; ++k) {
    freedom += check->groups[k].degrees_of_freedom;
    bodies += check->groups[k].body_count;
  }
  ENSURE(freedom == check->degrees_of_freedom && bodies == check->bodies);
  ENSURE_NEAR(check->residual_position, 0, tolerance);
  ENSURE_NEAR(check->residual_velocity, 0, 1e-11);  // of the size of the velocities, up to 10
  if (check->redundant == 0) {                      // else it starts with penalty, which meets them to lambda / alpha
    ENSURE_NEAR(check->residual_acceleration, 0, 1e-10);
  }
  mbs_check_destroy(check);
  mbs_model_destroy(model);
}

// ---- redundancy ----
#define PARALLELOGRAM                                                                                         \
  "mbsens: 1\n"                                                                                               \
  "gravity: [0, -9.81]\n"                                                                                     \
  "ground: {points: {A: [0, 0], B: [1, 0], C: [2, 0]}}\n"                                                     \
  "bodies:\n"                                                                                                 \
  "  one: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {A: [0, 0], P: [1, 0]}, angle: -1}\n"                \
  "  two: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {B: [0, 0], Q: [1, 0]}, angle: -1}\n"                \
  "  three: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {C: [0, 0], R: [LENGTH, 0]}, angle: -1}\n"         \
  "  beam: {mass: 2, com: [1, 0], inertia: 0.7, points: {P: [0, 0], Q: [1, 0], R: [2, 0]}, angle: 0}\n"       \
  "joints: [{revolute: [ground.A, one.A]}, {revolute: [ground.B, two.B]}, {revolute: [ground.C, three.C]},\n" \
  "  {revolute: [one.P, beam.P]}, {revolute: [two.Q, beam.Q]}, {revolute: [three.R, beam.R]}]\n"              \
  "initial: {independent: [{coordinate: angle(one), value: -1, velocity: 0.8}]}\n"                            \
  "objectives: {angle: {final: angle(two)}, speed: {integral: \"omega(three)^2\"}}\n"                         \
  "simulation: {end: 1, step: 0.001, formulation: penalty}\n"

static char *with_length(const char *length) {
  static char text[2048];
  const char *at = strstr(PARALLELOGRAM, "LENGTH");
  (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - PARALLELOGRAM), PARALLELOGRAM, length, at + 6);
  return text;
}

// three parallel cranks on one beam: one constraint too many, which the penalty formulation carries; the motion is that
// of one pendulum: J = 3 (I + m/4) + M, torque -(3 m/2 + M) g cos(theta)
static void check_redundant(void) {
  MbsModel *model = read_text(context, "parallelogram", with_length("1"));
  MbsRequest request;
  MbsCheck *check;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  ENSURE(check->degrees_of_freedom == 1);
  ENSURE(check->redundant == 1);
  mbs_check_destroy(check);
  request.method = MBS_METHOD_NONE;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  double J = 3 * (0.1 + 0.25) + 2, torque = (1.5 + 2) * 9.81, theta = -1, omega = 0.8, h = 1e-5;
  for (int i = 0; i < 100000; ++i) {  // leapfrog with 100,000 steps: second order, error 1e-10
    double half = omega - h / 2 * torque / J * cos(theta);
    theta += h * half;
    omega = half - h / 2 * torque / J * cos(theta);
  }
  ENSURE_NEAR(result->values[0], theta, 2e-4);  // (trapezoidal, h = 1e-3)
  ENSURE(result->statistics.residual_position < 1e-5);
  mbs_result_destroy(result);
  // without the penalty the equations are singular, and the message names the constraint
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "index1");
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NUMERICAL);
  ENSURE_CONTAINS(mbs_context_message(context), "redundant");
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  // the third crank of another length: the row is not redundant then, and nothing can move
  model = read_text(context, "parallelogram", with_length("1.1"));
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "0 degrees of freedom");
  mbs_model_destroy(model);
}

// ---- what is connected ----
typedef struct Group {
  const char *first;
  int bodies, freedom;
  bool is_grounded, has_forces;
} Group;

static void check_groups(void) {
  static const char text[] =
      "mbsens: 1\n"
      "ground: {points: {O: [0, 0], Q: [3, 0]}}\n"
      "coordinates: {s: {inertia: 1}, u: {inertia: 1}}\n"
      "bodies:\n"
      "  alone: {mass: 1, com: [0, 0], inertia: 1, points: {A: [0, 0]}, position: [5, 5]}\n"
      "  hung: {mass: 1, com: [0, 0], inertia: 1, points: {A: [0, 0], B: [1, 0]}, position: [7, 5]}\n"
      "  left: {mass: 1, com: [0, 0], inertia: 1, points: {A: [0, 0], B: [1, 0]}, position: [-5, 0]}\n"
      "  right: {mass: 1, com: [0, 0], inertia: 1, points: {A: [0, 0], B: [1, 0]}, position: [-4, 0], angle: 1}\n"
      "  crank: {mass: 1, com: [0, 0], inertia: 1, points: {O: [0, 0], P: [1, 0]}}\n"
      "  held: {mass: 1, com: [0, 0], inertia: 1, points: {A: [0, 0], B: [1, 0]}, position: [0, 9]}\n"
      "  one: {mass: 1, points: {W: [0, 0]}, position: [2, -2]}\n"
      "  two: {mass: 1, points: {V: [0, 0]}, position: [4, -3]}\n"
      "  near: {mass: 1, points: {E: [0, 0]}, position: [20, 0]}\n"
      "  far: {mass: 1, points: {F: [0, 0]}, position: [24, 3]}\n"
      "joints:\n"
      "  - {constraint: angle(alone) - s, name: turn}\n"
      "  - revolute: [left.B, right.A]\n"
      "  - revolute: [ground.O, crank.O]\n"
      "  - {constraint: r(held.A).y - 9, name: height}\n"
      "  - {constraint: \"distance(W, Q) + distance(V, Q) - 5.398\", name: rope}\n"
      "  - {constraint: \"distance(E, F) - 5\", name: rod}\n"
      "  - {constraint: \"2*distance(E, F) - 10\", name: same}\n"
      "forces: [{spring: [hung.A, ground.Q], stiffness: 1, length: 1}]\n"
      "simulation: {end: 1, step: 0.1, formulation: penalty}\n";
  static const Group expected[] = {
      {"alone", 1, 3, false, false}, {"hung", 1, 3, false, true}, {"left", 2, 4, false, false},
      {"crank", 1, 1, true, false},  {"held", 1, 2, true, false},  // by a constraint that no other body has a part in
      {"one", 2, 3, true, false},                                  // over a pulley on the ground
      {"near", 2, 3, false, false},                                // twice, and not to the ground for that
      {NULL, 0, 1, true, false},
  };
  MbsModel *model = read_text(context, "groups", text);
  MbsRequest request;
  MbsCheck *check;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  ENSURE(check->group_count == MBS_COUNT(expected));
  for (int k = 0; k < check->group_count; ++k) {
    const MbsCheckGroup *group = &check->groups[k];
    ENSURE(!expected[k].first || strcmp(group->bodies[0], expected[k].first) == 0);
    ENSURE(group->body_count == expected[k].bodies);
    ENSURE(group->degrees_of_freedom == expected[k].freedom);
    ENSURE(group->is_grounded == expected[k].is_grounded);
    ENSURE(group->has_forces == expected[k].has_forces);
  }
  // coordinates of the model's own: one counts an angle, the other is by itself
  ENSURE(check->groups[0].coordinate_count == 1 && strcmp(check->groups[0].coordinates[0], "s") == 0);
  ENSURE(check->groups[7].coordinate_count == 1 && strcmp(check->groups[7].coordinates[0], "u") == 0);
  mbs_check_destroy(check);
  mbs_model_destroy(model);
}

// ---- large models ----
// rank and choice of coordinates are sparse: what would take minutes with dense matrices
static MbsCheck *check_large(const char *text) {
  MbsModel *model = read_text(context, "large.yaml", text);
  MbsRequest request;
  MbsCheck *check;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  ENSURE_NEAR(check->residual_position, 0, 1e-10);  // coordinates up to 2000 m
  mbs_model_destroy(model);
  return check;
}

#define CHAIN(JOINTS)                                                                           \
  "mbsens: 1\n"                                                                                 \
  "gravity: [0, -9.81]\n"                                                                       \
  "ground: {points: {O: [0, 0]}}\n"                                                             \
  "templates:\n"                                                                                \
  "  link:\n"                                                                                   \
  "    bodies: {bar: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {A: [0, 0], B: [1, 0]}}}\n" \
  "    initial: {points: {bar.B: [0.9*i + 0.9, 0.22*cos(pi*i)]}}\n"                             \
  "  hinge: {joints: [{revolute: [link(i-1).bar.B, link(i).bar.A]}]}\n"                         \
  "assemblies: [{template: link, name: link, first: 0, repeat: 640},\n"                         \
  "  {template: hinge, name: hinge, repeat: 639}]\n"                                            \
  "joints: [{revolute: [ground.O, link(0).bar.A]}" JOINTS                                       \
  "]\n"                                                                                         \
  "simulation: {end: 1, step: 0.1, formulation: penalty}\n"

static void check_large_models(void) {
  MbsCheck *check = check_large("mbsens: 1\ninclude: models/n_four_bar.yaml\nname: large\nconstants: {N: 640}\n");
  ENSURE(check->coordinates == 1282 && check->constraints == 1281 && check->redundant == 0);
  ENSURE(check->degrees_of_freedom == 1);
  mbs_check_destroy(check);
  // a chain: as many freedoms as links, although a distance is given twice
  check =
      check_large(CHAIN(", {distance: [link(638).bar.A, link(639).bar.B], length: 1.81, name: twice}"
                        ", {distance: [link(638).bar.A, link(639).bar.B], length: 1.81, name: again}"));
  ENSURE(check->degrees_of_freedom == 639 && check->is_independent_automatic && check->redundant == 1);
  for (int i = 0; i < check->constraints; ++i) {
    ENSURE(check->is_redundant[i] == (strstr(check->constraint_names[i], "again") != NULL));
  }
  mbs_check_destroy(check);
}

// ---- starts that do not fit ----
static void refuse(const char *text, MbsStatus status, const char *part) {
  MbsModel *model = read_text(context, "misfit", text);
  MbsRequest request;
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  ENSURE(mbs_run(context, model, &request, &result) == status);
  ENSURE(!result);
  ENSURE_CONTAINS(mbs_context_message(context), part);
  mbs_model_destroy(model);
}

static void check_misfits(void) {
  refuse(BAR "parameters: {L: 1}\ninitial: {independent: [{coordinate: r(P).x, value: 2}]}\n", MBS_ERROR_INPUT,
         "cannot be assembled");
  refuse(BAR "parameters: {L: 1}\ninitial: {independent: [{coordinate: r(P).x}, {coordinate: r(P).y}]}\n",
         MBS_ERROR_INPUT, "too many independent coordinates");
  refuse(BAR "parameters: {L: 1}\ninitial: {independent: [{coordinate: \"distance(O, P)\", value: 1}]}\n",
         MBS_ERROR_INPUT, "does not add a freedom");
  // x has its largest value there: it does not say which way the bar moves
  refuse(BAR "parameters: {L: 1}\ninitial: {independent: [{coordinate: r(P).x, value: 1}]}\n", MBS_ERROR_NUMERICAL,
         "singular position");
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_angle();
  check_angle_of_many_turns();
  check_point_coordinate();
  check_distance();
  check_function();
  check_as_placed();
  ENSURE(for_each_file("models/*.yaml", check_automatic_count, NULL) > 0);
  ENSURE(for_each_file("tests/models/*_*.yaml", check_automatic_count, NULL) > 0);
  check_redundant();
  check_groups();
  check_large_models();
  check_misfits();
  mbs_context_destroy(context);
  return 0;
}
