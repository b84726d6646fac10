// Coordinates of the model's own and vectors with names, against closed solutions; what becomes of them in templates,
// in results and in models by calls. Their derivatives are in test_all_elements (tests/models/element_coordinates_*,
// element_vectors_*), the mistakes users make in tests/bad/coordinate_*.yaml and vector_*.yaml.
#include <mbsens/build.h>

#include "closed_form.h"
#include "simulation/simulation.h"

#define START "mbsens: 1\n"
static const double pi = 3.14159265358979323846;

// ---- closed solutions ----
// Two equal masses between walls, coupled by a third spring: both modes, x = A/2 (cos w1 t +- cos w2 t).
static void check_two_masses(void) {
  double w1 = sqrt(8 / 2.0), w2 = sqrt((8 + 2 * 5) / 2.0), t = 1.7, A = 0.3;
  double expected[] = {A / 2 * (cos(w1 * t) + cos(w2 * t)), A / 2 * (cos(w1 * t) - cos(w2 * t)),
                       -A / 2 * (w1 * sin(w1 * t) - w2 * sin(w2 * t)),
                       -A / 2 * (w1 * w1 * cos(w1 * t) + w2 * w2 * cos(w2 * t))};
  double bound[] = {1e-5, 1e-5, 3e-5, 1e-4};
  ensure_closed_form("two masses",
                     START
                     "coordinates: {x: {inertia: 2, guess: 0.3}, y: {inertia: 2}}\n"
                     "forces:\n"
                     "  - {coordinate_force: x, value: -8*value}\n"
                     "  - {coordinate_force: y, value: -8*value}\n"
                     "  - {coordinate_force: y - x, value: -5*value}\n"
                     "objectives: {x: {final: x}, y: {final: y}, v: {final: rate(y)}, a: {final: acceleration(x)}}\n"
                     "simulation: {end: 1.7}\n",
                     0.004, 4, expected, bound);
}

// theta'' = -g/L sin(theta) and theta'
static void pendulum_rate(const double *c, const double *y, double *rate) {
  rate[0] = y[1];
  rate[1] = -c[0] * sin(y[0]);
}

// A mathematical pendulum of large amplitude in x, y and theta. theta has no inertia: constraints determine it.
static void check_pendulum(void) {
  double a = 9.81 / 0.7, y[] = {1.2, 0.4, 0}, bound[] = {1e-4, 1e-3};
  integrate(pendulum_rate, &a, 2, 1.5, y);
  ensure_closed_form("pendulum",
                     START
                     "coordinates:\n"
                     "  x: {inertia: 3, guess: 0.65}\n"
                     "  theta: {guess: 1.2}\n"
                     "  y: {inertia: 3, guess: -0.25}\n"
                     "joints: [{constraint: x - 0.7*sin(theta)}, {constraint: y + 0.7*cos(theta)}]\n"
                     "forces: [{coordinate_force: y, value: -3*9.81}]\n"
                     "initial: {independent: [{coordinate: theta, value: 1.2, velocity: 0.4}]}\n"
                     "objectives: {theta: {final: theta}, omega: {final: rate(theta)}}\n"
                     "simulation: {end: 1.5}\n",
                     0.002, 2, y, bound);
}

// A bar on a torsional spring that acts on a coordinate without inertia, which follows the bar's angle: J theta'' =
// -k theta. In the plane and in space, beside the bar's own coordinates.
static void check_followed_angle(void) {
  double w = sqrt(6 / (0.1 + 2 * 0.25)), t = 1.3, expected[] = {0.5 * cos(w * t), -0.5 * w * sin(w * t)};
  double bound[] = {1e-5, 3e-5};
  ensure_closed_form(
      "followed angle, plane",
      START
      "ground: {points: {O: [0.2, -0.1]}}\n"
      "bodies: {bar: {mass: 2, com: [0.5, 0], inertia: 0.1, points: {O: [0, 0], P: [1, 0]}, angle: 0.5}}\n"
      "coordinates: {theta: {guess: 0.5}}\n"
      "joints:\n"
      "  - {revolute: [ground.O, bar.O]}\n"
      "  - {constraint: sin(theta)*(r(P).x - 0.2) - cos(theta)*(r(P).y + 0.1)}\n"
      "forces: [{coordinate_force: theta, value: -6*value}]\n"
      "initial: {independent: [{coordinate: theta, value: 0.5}]}\n"
      "objectives: {theta: {final: theta}, omega: {final: omega(bar)}}\n"
      "simulation: {end: 1.3}\n",
      0.002, 2, expected, bound);
  ensure_closed_form(
      "followed angle, space",
      START
      "dimension: 3\n"
      "ground: {points: {O: [0, 0, 0]}, vectors: {down: [0, 0, -2]}}\n"
      "bodies:\n"
      "  bar: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], points: {O: [0, 0, 0], P: [1, 0, 0]},\n"
      "        rotation: [0, 0, 0.5]}\n"
      "coordinates: {theta: {guess: 0.5}}\n"
      "joints:\n"
      "  - {revolute: [ground.O, bar.O], axis: -down, name: hinge}\n"
      "  - {constraint: theta - angle(hinge)}\n"
      "forces: [{coordinate_force: theta, value: -6*value}]\n"
      "initial: {independent: [{coordinate: theta, value: 0.5}]}\n"
      "objectives: {theta: {final: theta}, omega: {final: omega(bar).z}}\n"
      "simulation: {end: 1.3}\n",
      0.002, 2, expected, bound);
}

// x = A sin(w t) takes the force J x'', which the multiplier is the negative of; y swings freely.
static void check_driven(void) {
  double w = 2.5, t = 0.9, expected[] = {0.4 * sin(w * t), 0.4 * w * w * sin(w * t), 0.1 * cos(w * t)};
  double bound[] = {3e-5, 0, 3e-5};  // index1 holds the drive at the level of accelerations
  ensure_closed_form("driven coordinate",
                     START
                     "coordinates: {x: {inertia: 1}, y: {inertia: 3, guess: 0.1}}\n"
                     "joints: [{driver: x, value: 0.4*sin(2.5*t), name: drive}]\n"
                     "forces: [{coordinate_force: y, value: -3*2.5^2*value}]\n"
                     "objectives: {x: {final: x}, force: {final: lambda(drive)}, y: {final: y}}\n"
                     "simulation: {end: 0.9}\n",
                     0.01, 3, expected, bound);
}

// A blade with its mass at the edge runs in a circle: x = v/w sin(w t), y = v/w (1 - cos(w t)).
static void check_blade(void) {
  double v = 2, w = 1.5, t = 1.1, bound[] = {1e-4, 1e-4, 0};
  double expected[] = {v / w * sin(w * t), v / w * (1 - cos(w * t)), w * t};
  ensure_closed_form("blade",
                     START
                     "coordinates: {x: {inertia: 3}, y: {inertia: 3}, theta: {inertia: 0.2}}\n"
                     "joints: [{velocity_constraint: rate(x)*sin(theta) - rate(y)*cos(theta)}]\n"
                     "initial:\n"
                     "  independent:\n"
                     "    - {coordinate: x, value: 0, velocity: 2}\n"
                     "    - {coordinate: y, value: 0}\n"
                     "    - {coordinate: theta, value: 0, velocity: 1.5}\n"
                     "objectives: {x: {final: x}, y: {final: y}, theta: {final: theta}}\n"
                     "simulation: {end: 1.1}\n",
                     0.005, 3, expected, bound);
}

// A force of constant size along a vector of a body that spins freely at w: v = F/(m w) (sin, 1 - cos), turned by the
// vector's angle in the body.
static void check_follower(void) {
  double w = 3, t = 0.8, v = 5 / (2 * w), c = 0.6, s = 0.8;
  double along = v * sin(w * t), across = v * (1 - cos(w * t));
  double expected[] = {c * along - s * across, s * along + c * across}, bound[] = {1e-4, 1e-4};
  ensure_closed_form("follower, plane",
                     START
                     "bodies: {disc: {mass: 2, inertia: 0.3, points: {C: [0, 0]}, vectors: {u: [3, 4]}}}\n"
                     "forces: [{point_force: disc.C, value: 5*direction(disc.u)}]\n"
                     "initial:\n"
                     "  independent:\n"
                     "    - {coordinate: r(C).x, value: 0}\n"
                     "    - {coordinate: r(C).y, value: 0}\n"
                     "    - {coordinate: angle(disc), value: 0, velocity: 3}\n"
                     "objectives: {vx: {final: v(C).x}, vy: {final: v(C).y}}\n"
                     "simulation: {end: 0.8}\n",
                     0.004, 2, expected, bound);
  ensure_closed_form("follower, space",
                     START
                     "dimension: 3\n"
                     "ground: {points: {O: [0, 0, 0]}, vectors: {plane: [0, 0, -1]}}\n"
                     "bodies:\n"
                     "  disc: {mass: 2, inertia: [0.3, 0.3, 0.3], points: {C: [0, 0, 0]},\n"
                     "         vectors: {u: [3, 4, 0], down: [0, 0, -2]}}\n"
                     "joints: [{planar: [ground.O, disc.C], normal: -plane, normal2: -down}]\n"
                     "forces: [{point_force: disc.C, value: 5*direction(disc.u)}]\n"
                     "initial:\n"
                     "  independent:\n"
                     "    - {coordinate: r(C).x, value: 0}\n"
                     "    - {coordinate: r(C).y, value: 0}\n"
                     "    - {coordinate: \"dot(direction(disc.u), [-0.8, 0.6, 0])\", value: 0, velocity: 3}\n"
                     "objectives: {vx: {final: v(C).x}, vy: {final: v(C).y}}\n"
                     "simulation: {end: 0.8}\n",
                     0.004, 2, expected, bound);
}

// ---- templates ----
// A chain of N masses between walls in its first mode: x_i = sin(pi i/(N + 1)) cos(w t), w = 2 sqrt(k/m) sin(pi/(2 N +
// 2)). Each link names the coordinate of the one before it.
static void check_chain(void) {
  double w = 2 * sqrt(50 / 0.5) * sin(pi / 10), t = 0.6, bound[] = {1e-3, 1e-3, 1e-3};
  double expected[] = {sin(pi / 5) * cos(w * t), sin(3 * pi / 5) * cos(w * t), -sin(2 * pi / 5) * w * sin(w * t)};
  ensure_closed_form(
      "chain",
      START
      "constants: {N: 4}\n"
      "parameters: {m: 0.5, k: 50}\n"
      "templates:\n"
      "  mass:\n"
      "    parameters: {amplitude: sin(pi*i/(N + 1))}\n"
      "    coordinates: {x: {inertia: m, guess: amplitude}}\n"
      "    initial: {independent: [{coordinate: x, value: amplitude}]}\n"
      "  link:\n"
      "    forces: [{coordinate_force: coordinate(cell(i).x) - coordinate(cell(i - 1).x), value: -k*value}]\n"
      "assemblies:\n"
      "  - {template: mass, name: cell, repeat: N}\n"
      "  - {template: link, name: link, first: 2, repeat: N - 1}\n"
      "forces:\n"
      "  - {coordinate_force: cell_1_x, value: -k*value}\n"
      "  - {coordinate_force: coordinate(cell(N).x), value: -k*value}\n"
      "objectives:\n"
      "  first: {final: cell_1_x}\n"
      "  third: {final: coordinate(cell(3).x)}\n"
      "  speed: {final: rate(cell(2).x)}\n"
      "simulation: {end: 0.6}\n",
      0.002, 3, expected, bound);
}

static const MbsRecord *find(const MbsModel *model, int section, const char *name) {
  const MbsValue *records = mbs_record_value(&model->root, section);
  for (int i = 0; i < records->count; ++i) {
    if (strcmp(records->records[i].name.text, name) == 0) {
      return &records->records[i];
    }
  }
  (void)fprintf(stderr, "no \"%s\"\n", name);
  exit(1);
}

// names of coordinates and vectors in templates, one in the other, and under mirrors
static void check_names(void) {
  MbsModel *model =
      read_text(context, "names",
                START
                "parameters: {k: 2}\n"
                "coordinates: {z: {inertia: 1}, y: {inertia: 1}}\n"
                "ground: {points: {O: [0, 0]}, vectors: {e: [1, 0]}}\n"
                "templates:\n"
                "  outer:\n"
                "    parameters: {f: 3}\n"
                "    coordinates: {x: {inertia: f}, w: {inertia: 1}}\n"
                "    objectives: {x: {final: x + z + f}, s: {value: x + k}, y: {final: x}, two: {value: y + 1}}\n"
                "    assemblies: [{template: inner, name: in, with: {load: x}}]\n"
                "  inner:\n"
                "    parameters: {load: , w: 7}\n"
                "    coordinates: {x: {inertia: 2}}\n"
                "    ground: {points: {P: [0, 1]}, vectors: {u: [1, 2], v: [3, 4]}}\n"
                "    bodies: {b: {mass: 1, inertia: 1, points: {P: [0, 0]}, vectors: {u: [1, 0]}}}\n"
                "    joints:\n"
                "      - {prismatic: [ground.P, b.P], axis: -u, axis2: u, name: first}\n"
                "      - {prismatic: [b.P, ground.O], axis: u, axis2: e, name: second}\n"
                "    objectives:\n"
                "      o: {final: x + load + w + z + rate(x)*acceleration(load)}\n"
                "      d: {final: \"dot(direction(b.u), direction(ground.v))\"}\n"
                "assemblies:\n"
                "  - {template: outer, name: a}\n"
                "  - {template: outer, name: m, mirror: x}\n"
                "objectives:\n"
                "  all: {final: a.x + a_x + rate(a.in.x) + z + direction(a.in.b.u).x + direction(a.in.ground.u).y}\n");
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_COORDINATES, "a_x"), MBS_COORDINATE_INERTIA).text, "3");
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_COORDINATES, "a_in_x"), MBS_COORDINATE_INERTIA).text, "2");
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_OBJECTIVES, "a_x"), MBS_OBJECTIVE_FINAL).text, "a_x + z + 3");
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_OBJECTIVES, "a_s"), MBS_OBJECTIVE_VALUE).text, "a_x + k");
  // what the template has itself goes before what is around it
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_OBJECTIVES, "a_two"), MBS_OBJECTIVE_VALUE).text, "a_y + 1");
  // the inner x is its own, the outer one came in by a parameter, which also hides the outer w
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_OBJECTIVES, "a_in_o"), MBS_OBJECTIVE_FINAL).text,
              "a_in_x + a_x + 7 + z + rate(a_in_x)*acceleration(a_x)");
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_OBJECTIVES, "a_in_d"), MBS_OBJECTIVE_FINAL).text,
              "dot(direction(a_in_b.u), direction(ground.a_in_v))");
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_OBJECTIVES, "all"), MBS_OBJECTIVE_FINAL).text,
              "a_x + a_x + rate(a_in_x) + z + direction(a_in_b.u).x + direction(ground.a_in_u).y");
  // a coordinate is the template's own, whatever the mirror; vectors are mirrored as everything in space
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_OBJECTIVES, "m_in_o"), MBS_OBJECTIVE_FINAL).text,
              "m_in_x + m_x + 7 + z + rate(m_in_x)*acceleration(m_x)");
  ENSURE_TEXT(mbs_record_text(find(model, MBS_MODEL_OBJECTIVES, "m_in_d"), MBS_OBJECTIVE_FINAL).text,
              "dot([-direction(m_in_b.u).x, direction(m_in_b.u).y], [-direction(ground.m_in_v).x, "
              "direction(ground.m_in_v).y])");
  const MbsRecord *ground = mbs_record_child(&model->root, MBS_MODEL_GROUND);
  const MbsValue *vectors = mbs_record_value(ground, MBS_GROUND_VECTORS);
  ENSURE(vectors->count == 5);
  ENSURE_TEXT(vectors->records[3].name.text, "m_in_u");
  ENSURE_TEXT(vectors->records[3].values[0].texts[0].text, "-(1)");
  // names of vectors: of the ground that of the assembly, or the model's; of a body as they are
  const MbsRecord *first = find(model, MBS_MODEL_JOINTS, "a_in_first"),
                  *second = find(model, MBS_MODEL_JOINTS, "a_in_second");
  ENSURE_TEXT(mbs_record_text(first, 1).text, "-a_in_u");
  ENSURE_TEXT(mbs_record_text(first, 2).text, "u");
  ENSURE_TEXT(mbs_record_text(second, 1).text, "u");
  ENSURE_TEXT(mbs_record_text(second, 2).text, "e");
  mbs_model_destroy(model);
}

// ---- results ----
static MbsStatus take_names(void *user, int count, const char *const *names) {
  char *line = user;
  for (int i = 0; i < count; ++i) {
    (void)strcat(strcat(line, names[i]), " ");
  }
  return MBS_OK;
}

static MbsStatus ignore_row(void *user, const double *values) {
  (void)user;
  (void)values;
  return MBS_OK;
}

// Values at the end, names of histories: a coordinate that has the name of an objective is told apart.
static void check_results(void) {
  MbsModel *model = read_text(context, "results",
                              START
                              "dimension: 3\n"
                              "coordinates: {x: {inertia: 2, guess: 1}, y: {inertia: 1}}\n"
                              "forces: [{coordinate_force: x, value: 6}, {coordinate_force: y, value: -2}]\n"
                              "objectives: {y: {final: y}}\n"
                              "simulation: {end: 1, step: 0.5}\n");
  char names[256] = "";
  MbsRecorder recorder = {.user = names, .begin = take_names, .row = ignore_row};
  MbsRequest request;
  MbsResult *result;
  MbsCheck *check;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  request.recorder = &recorder;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE_TEXT(names, "t x coordinate(y) x' coordinate(y)' x'' coordinate(y)'' y ");
  ENSURE(result->point_count == 0 && result->coordinate_count == 2);
  ENSURE_TEXT(result->coordinates[0].name, "x");
  ENSURE_NEAR(result->coordinates[0].value, 2.5, 1e-14);
  ENSURE_NEAR(result->coordinates[0].rate, 3, 1e-14);
  ENSURE_NEAR(result->coordinates[0].acceleration, 3, 1e-14);
  ENSURE_TEXT(result->coordinates[1].name, "y");
  ENSURE_NEAR(result->coordinates[1].value, -1, 1e-14);
  // E = 1/2 2 3^2 + 1/2 1 2^2, all of it the forces' work
  ENSURE_NEAR(result->statistics.energy_drift, 0, 1e-14);
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  ENSURE(check->bodies == 0 && check->coordinates == 2 && check->degrees_of_freedom == 2);
  ENSURE(check->is_independent_automatic && check->independent_count == 2);
  ENSURE_NEAR(check->position[0], 1, 0);
  mbs_check_destroy(check);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// Coordinates that nothing couples have no entries in common, and behind the last one there is room for what forms
// read.
static void check_sparsity(void) {
  for (int dimension = 2; dimension <= 3; ++dimension) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   START
                   "dimension: %d\n"
                   "coordinates: {x: {inertia: 2}, y: {inertia: 1}, z: {inertia: 4}}\n"
                   "joints: [{constraint: z}]\n"
                   "forces: [{coordinate_force: x, value: -value}, {coordinate_force: y, value: -value*rate(x)}]\n"
                   "initial: {independent: [{coordinate: x}, {coordinate: y}]}\n",
                   dimension);
    MbsModel *model = read_text(context, "sparsity", text);
    MbsRequest request;
    MbsSimulation *simulation;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
    const MbsSystem *system = simulation->system;
    ENSURE(system->n == 3 && system->first_scalar == 0 && system->nq == 3 + dimension - 1);
    // the diagonal of 3 + 1, y with x, and z with its multiplier twice
    ENSURE(system->mode.pattern.entry_count == 4 + 1 + 2);
    mbs_simulation_destroy(simulation);
    mbs_model_destroy(model);
  }
}

// ---- by calls ----
static void check_calls(void) {
  MbsModel *model;
  MbsRequest request;
  MbsResult *result = NULL;
  ENSURE_OK(context, mbs_model_create(context, "calls", 2, &model));
  MbsCoordinateDef x = mbs_default_coordinate_def();
  x.name = "x";
  x.inertia = "2*k";
  x.guess = "1";
  ENSURE_OK(context, mbs_model_add_coordinate(context, model, &x));
  ENSURE_OK(context, mbs_model_add_parameter(context, model, "k", "3"));
  MbsCoordinateForceDef force = mbs_default_coordinate_force_def();
  force.expression = "x";
  force.value = "12*k";
  ENSURE_OK(context, mbs_model_add_coordinate_force(context, model, &force));
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE_NEAR(result->coordinates[0].value, 1 + 3, 1e-13);
  mbs_result_destroy(result);
  // a vector as an axis: one text is a name
  MbsBodyDef block = mbs_default_body_def();
  block.name = "block";
  block.mass = "2";
  block.inertia[0] = "1";
  ENSURE_OK(context, mbs_model_add_body(context, model, &block));
  ENSURE_OK(context, mbs_model_add_point(context, model, "block", "C", "0", "0", NULL));
  ENSURE_OK(context, mbs_model_add_vector(context, model, "block", "nose", "2", "0", NULL));
  ENSURE_OK(context, mbs_model_add_ground_point(context, model, "O", "0", "0", NULL));
  ENSURE_OK(context, mbs_model_add_ground_vector(context, model, "rail", "3", "0", NULL));
  MbsPrismaticJointDef guide = mbs_default_prismatic_joint_def();
  guide.ends[0] = "ground.O", guide.ends[1] = "block.C";
  guide.axis[0] = "rail";
  guide.axis2[0] = "nose";
  ENSURE_OK(context, mbs_model_add_prismatic_joint(context, model, &guide));
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(result->point_count == 1 && result->coordinate_count == 1);
  mbs_result_destroy(result);
  // mistakes
  ENSURE(mbs_model_add_vector(context, model, "blok", "n", "1", "0", NULL) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context),
                  "vector \"n\": there is no body \"blok\" yet; mbs_model_add_body comes first");
  ENSURE(mbs_model_add_vector(context, model, "ground", "n", "1", "0", NULL) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "mbs_model_add_ground_vector adds those of the ground");
  ENSURE(mbs_model_add_ground_vector(context, model, "rail", "1", "0", NULL) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "ground: vectors: \"rail\" is there already");
  x.name = "k";
  ENSURE_OK(context, mbs_model_add_coordinate(context, model, &x));  // told when the model is used
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "coordinate \"k\" has the name of a parameter");
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_two_masses();
  check_pendulum();
  check_followed_angle();
  check_driven();
  check_blade();
  check_follower();
  check_chain();
  check_names();
  check_results();
  check_sparsity();
  check_calls();
  mbs_context_destroy(context);
  return 0;
}
