// Steps as a function (mbsens/step.h): what it gives is what a simulator gives; its derivative by state, inputs and
// parameters against the complex step of the whole way, in the twin; both products to 1e-12; through events and inputs
// against differences; whole runs from the model's start against mbs_run; and what is asked wrongly.
#include <mbsens/terms.h>

#include "sensitivities/step_map.h"
#include "step_ways.h"

static MbsContext *context;

// ---- one model ----
typedef struct Case {
  const char *path, *formulation, *coordinates, *integrator;
  int steps;
} Case;

static void compare(const Case *c, const char *what, int count, const double *tried, const double *expected,
                    double size, double most) {
  for (int i = 0; i < count; ++i) {
    if (!(fabs(tried[i] - expected[i]) <= most * size)) {
      (void)fprintf(stderr, "%s, %s, %s, %s: %s, number %d: %.15g, expected %.15g (size %.3g)\n", c->path,
                    c->formulation, c->coordinates, c->integrator, what, i, tried[i], expected[i], size);
      exit(1);
    }
  }
}

static double largest_of_results(const Room *r) {
  return fmax(largest_of(r->n, r->y.position),
              fmax(largest_of(r->n, r->y.velocity), largest_of(r->n, r->y.acceleration)));
}

// position, velocity and acceleration at the end, along a direction, against the twin's
static void check_direction(const Case *c, const MbsModel *model, const MbsRequest *request, MbsStepMap *map,
                            const MbsWay *way, const MbsStepArguments *one, const char *what, double most) {
  Room room = room_of(map, c->steps, 1), twin = room_of(map, c->steps, 1);
  const MbsWay along = {.q = one->position, .v = one->velocity, .inputs = one->inputs};
  double *by_parameter = zeros(1000);
  for (int i = 0; i < room.p && one->parameters; ++i) {
    by_parameter[index_of(model, mbs_step_map_parameter_names(map)[i])] = one->parameters[i];
  }
  ENSURE_OK(context, mbs_step_map_jvp(context, map, one, &room.y));
  ENSURE_OK(context, mbs_complex_way(context, model, &request->settings, NULL, one->parameters ? by_parameter : NULL,
                                     way, &along, room.n, twin.y.position, twin.y.velocity, twin.y.acceleration));
  double h = request->settings.step, size = fmax(largest_of_results(&twin), 1);  // as directions are
  // what is off in accelerations is off by h times as much in velocities
  compare(c, what, room.n, room.y.acceleration, twin.y.acceleration, size, most);
  compare(c, what, room.n, room.y.velocity, twin.y.velocity, fmax(largest_of(room.n, twin.y.velocity), h * size), most);
  compare(c, what, room.n, room.y.position, twin.y.position, fmax(largest_of(room.n, twin.y.position), h * h * size),
          most);
  free(by_parameter);
  free_room(&room);
  free_room(&twin);
}

// w.(F' u) = u.(F'' w), of everything there is
static void check_both(const Case *c, MbsStepMap *map, const MbsStepArguments *direction, double most, uint64_t *seed) {
  Room forward = room_of(map, c->steps, 1), back = room_of(map, c->steps, 1);
  int n = forward.n, inputs = c->steps * mbs_step_map_input_count(map);
  const MbsStepResults bar = {scattered(seed, n), scattered(seed, n), scattered(seed, n),
                              scattered(seed, forward.outputs), scattered(seed, mbs_step_map_objective_count(map))};
  ENSURE_OK(context, mbs_step_map_jvp(context, map, direction, &forward.y));
  const MbsStepArguments wanted = {back.x.position, back.x.velocity, direction->inputs ? back.x.inputs : NULL,
                                   back.x.parameters};
  ENSURE_OK(context, mbs_step_map_vjp(context, map, &bar, &wanted));
  const struct {
    int count;
    const double *a, *b;
  } there[] = {{n, bar.position, forward.y.position},
               {n, bar.velocity, forward.y.velocity},
               {n, bar.acceleration, forward.y.acceleration},
               {forward.outputs, bar.outputs, forward.y.outputs},
               {mbs_step_map_objective_count(map), bar.objectives, forward.y.objectives}},
    here[] = {{n, direction->position, back.x.position},
              {n, direction->velocity, back.x.velocity},
              {inputs, direction->inputs, back.x.inputs},
              {forward.p, direction->parameters, back.x.parameters}};
  double sum = 0, size = 0, expected = 0;
  for (size_t i = 0; i < sizeof there / sizeof *there; ++i) {
    expected += dot(there[i].count, there[i].a, there[i].b);
    for (int k = 0; k < there[i].count; ++k) {
      size += fabs(there[i].a[k] * there[i].b[k]);
    }
  }
  for (size_t i = 0; i < sizeof here / sizeof *here; ++i) {
    sum += here[i].a ? dot(here[i].count, here[i].a, here[i].b) : 0;
  }
  for (size_t i = 0; i < sizeof here / sizeof *here; ++i) {
    for (int k = 0; k < here[i].count && here[i].a; ++k) {
      size += fabs(here[i].a[k] * here[i].b[k]);
    }
  }
  compare(c, "both products", 1, &sum, &expected, size, most);
  double *again = zeros(n);  // the way back once more, to the bit
  const MbsStepArguments second = {.position = again};
  ENSURE_OK(context, mbs_step_map_vjp(context, map, &bar, &second));
  ENSURE(memcmp(again, back.x.position, (size_t)n * sizeof *again) == 0);
  free(again);
  double *const all[] = {bar.position, bar.velocity, bar.acceleration, bar.outputs, bar.objectives};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
  free_room(&forward);
  free_room(&back);
}

// q' = R y' and v' = S y' + R u', by the terms
static void find_tangent(const MbsModel *model, const MbsRequest *request, const MbsWay *way, int n,
                         const MbsStepArguments *direction, const MbsStepArguments *along) {
  MbsTerms *terms;
  double *more = zeros(n);
  ENSURE_OK(context, mbs_terms_create(context, model, request, &terms));
  ENSURE_OK(context, mbs_terms_set_state(context, terms, way->t, n, way->q, way->v));
  ENSURE_OK(context, mbs_terms_choose_independent(context, terms));
  int y = mbs_terms_width(terms, MBS_BY_INDEPENDENT_POSITIONS),
      u = mbs_terms_width(terms, MBS_BY_INDEPENDENT_VELOCITIES);
  ENSURE_OK(context, mbs_terms_product(context, terms, MBS_TERMS_POSITIONS, MBS_BY_INDEPENDENT_POSITIONS, y,
                                       direction->position, n, along->position));
  ENSURE_OK(context, mbs_terms_product(context, terms, MBS_TERMS_VELOCITIES, MBS_BY_INDEPENDENT_POSITIONS, y,
                                       direction->position, n, along->velocity));
  ENSURE_OK(context, mbs_terms_product(context, terms, MBS_TERMS_VELOCITIES, MBS_BY_INDEPENDENT_VELOCITIES, u,
                                       direction->velocity, n, more));
  for (int i = 0; i < n; ++i) {
    along->velocity[i] += more[i];
  }
  free(more);
  mbs_terms_destroy(terms);
}

static void check_case(const Case *c, double most) {
  MbsModel *model = read_model(context, c->path);
  MbsRequest request = request_of(context, model, c->formulation, c->coordinates, c->integrator);
  MbsStepMap *map;
  if (mbs_step_map_create(context, model, &request, &map) != MBS_OK) {
    ENSURE(strlen(mbs_context_message(context)) > 10);  // refused: models that the formulation cannot run
    mbs_model_destroy(model);
    return;
  }
  int n = mbs_step_map_coordinate_count(map), p = mbs_step_map_parameter_count(map);
  double t, *q = zeros(n), *v = zeros(n);
  uint64_t seed = 3;
  if (!find_state(context, model, &request, &t, n, q, v) ||
      mbs_step_map_run(context, map, t, n, q, v, c->steps, NULL) != MBS_OK) {
    free(q);
    free(v);
    mbs_step_map_destroy(map);
    mbs_model_destroy(model);
    return;
  }
  const MbsWay way = {.t = t, .steps = c->steps, .q = q, .v = v};
  MbsStepArguments direction = {scattered(&seed, n), scattered(&seed, n), NULL, scattered(&seed, p)};
  for (int i = 0; i < p; ++i) {
    double value = fabs(mbs_step_map_parameters(map)[i]);
    direction.parameters[i] *= value > 0 ? value : 1;
  }
  if (most > 0) {
    const MbsStepArguments by_parameters = {.parameters = direction.parameters},
                           by_state = {.position = direction.position, .velocity = direction.velocity};
    MbsStepArguments along = {zeros(n), zeros(n), NULL, NULL};
    find_tangent(model, &request, &way, n, &direction, &along);
    check_direction(c, model, &request, map, &way, &along, "along the constraints", most);
    // off them multipliers of the size of 1/h^2 answer, which Newton's iteration finds less well
    check_direction(c, model, &request, map, &way, &by_state, "by positions and velocities", 300 * most);
    check_direction(c, model, &request, map, &way, &by_parameters, "by parameters", 100 * most);
    along.parameters = direction.parameters;
    check_both(c, map, &along, 1e-10, &seed);  // what 1 / c0 makes of the last bits: 3e-11 of the chain of two loops
    free(along.position);
    free(along.velocity);
  }
  check_both(c, map, &direction, 1e-9, &seed);  // off the constraints: 1.6e-10 of Andrews' mechanism
  (void)printf("%s, %s, %s, %s\n", c->path, c->formulation, c->coordinates, c->integrator);
  free(direction.position);
  free(direction.velocity);
  free(direction.parameters);
  free(q);
  free(v);
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
}

static void check_shipped(const char *path, void *user) {
  (void)user;
  static const char *const coordinates[] = {"natural", "relative"};
  for (int i = 0; i < 2; ++i) {
    const Case c = {path, "ali3p", coordinates[i], "trapezoidal", 1};
    check_case(&c, 1e-10);
  }
}

// ---- inputs, events, whole runs ----
static const char steered[] =
    "mbsens: 1\n"
    "name: steered\n"
    "gravity: [0, -9.81]\n"
    "inputs: {u: 0, w: 0}\n"
    "parameters: {k: 3, L: 1}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  bar: {mass: 2, com: [0.4*L, 0.1], inertia: 0.1, points: {O: [0, 0], P: [L, 0]}}\n"
    "  tip: {mass: 1, com: [0.3, 0], inertia: 0.05, points: {P: [0, 0], Q: [0.6, 0]}}\n"
    "joints: [{revolute: [ground.O, bar.O], name: base}, {revolute: [bar.P, tip.P], name: elbow}]\n"
    "forces:\n"
    "  - {torque: bar, value: k*u}\n"
    "  - {torque: tip, value: w - 0.1*omega(tip)}\n"
    "initial: {independent: [{coordinate: angle(bar), value: 0.3}, {coordinate: angle(tip), value: -0.5}]}\n"
    "objectives: {effort: {integral: \"(k*u)^2 + omega(bar)^2\"}, reach: {final: r(Q).x}}\n"
    "outputs: {tip: r(Q), turning: omega(tip)}\n"
    "simulation: {end: 1, step: 0.01}\n";

static void check_inputs(const char *formulation, const char *coordinates, const char *integrator) {
  enum { STEPS = 4 };
  const Case c = {"steered", formulation, coordinates, integrator, STEPS};
  MbsModel *model = read_text(context, "steered", steered);
  MbsRequest request = request_of(context, model, formulation, coordinates, integrator);
  MbsStepMap *map;
  request.objectives = NULL;
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  int n = mbs_step_map_coordinate_count(map);
  ENSURE(mbs_step_map_input_count(map) == 2 && mbs_step_map_output_count(map) == 3 &&
         mbs_step_map_objective_count(map) == 2);
  double t, *q = zeros(n), *v = zeros(n);
  uint64_t seed = 11;
  double *inputs = scattered(&seed, 2 * STEPS);
  ENSURE(find_state(context, model, &request, &t, n, q, v));
  ENSURE_OK(context, mbs_step_map_run(context, map, t, n, q, v, STEPS, inputs));
  MbsStepArguments direction = {scattered(&seed, n), scattered(&seed, n), scattered(&seed, 2 * STEPS),
                                scattered(&seed, 2)};
  const MbsWay way = {.t = t, .steps = STEPS, .q = q, .v = v, .inputs = inputs};
  const MbsStepArguments by_inputs = {.inputs = direction.inputs};
  check_direction(&c, model, &request, map, &way, &by_inputs, "by inputs", 1e-10);
  check_both(&c, map, &direction, 1e-11, &seed);
  // objectives and outputs by the last input, against differences
  double change[5], found[5], received[2 * STEPS], at[2];
  const MbsStepArguments last = {.inputs = direction.inputs};
  const MbsStepResults results = {.outputs = change, .objectives = change + 3};
  memset(direction.inputs, 0, 2 * STEPS * sizeof *direction.inputs);
  direction.inputs[2 * STEPS - 2] = 1;
  ENSURE_OK(context, mbs_step_map_jvp(context, map, &last, &results));
  for (int side = 0; side < 2; ++side) {
    double values[5], e = side ? 1e-4 : -1e-4;
    inputs[2 * STEPS - 2] += e;
    ENSURE_OK(context, mbs_step_map_run(context, map, t, n, q, v, STEPS, inputs));
    ENSURE_OK(context, mbs_step_map_outputs(context, map, 3, values));
    ENSURE_OK(context, mbs_step_map_values(context, map, 2, values + 3));
    inputs[2 * STEPS - 2] -= e;
    for (int i = 0; i < 5; ++i) {
      found[i] = side ? (values[i] - found[i]) / 2e-4 : values[i];
    }
  }
  for (int i = 0; i < 5; ++i) {
    ENSURE_NEAR(change[i], found[i], 1e-7);
  }
  ENSURE(fabs(change[2]) > 1e-4 && fabs(change[3]) > 1e-4);
  // of the objectives, the transpose
  double ones[2] = {1, 0};
  const MbsStepResults bar = {.objectives = ones};
  const MbsStepArguments to = {.inputs = received};
  ENSURE_OK(context, mbs_step_map_run(context, map, t, n, q, v, STEPS, inputs));
  ENSURE_OK(context, mbs_step_map_vjp(context, map, &bar, &to));
  ENSURE_NEAR(received[2 * STEPS - 2], change[3], 1e-10);
  ENSURE_OK(context, mbs_step_map_values(context, map, 2, at));
  ENSURE(at[0] > 0);
  free(direction.position);
  free(direction.velocity);
  free(direction.inputs);
  free(direction.parameters);
  free(q);
  free(v);
  free(inputs);
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
}

// From the start of the model it is mbs_run: values to the bit, gradients by both products.
static void check_whole_run(const char *path, const char *formulation, double memory) {
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsResult *result;
  MbsStepMap *map;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", formulation);
  request.settings.end = 30 * request.settings.step;
  request.memory = memory;
  request.method = MBS_METHOD_ADJOINT;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  ENSURE_OK(context, mbs_step_map_run(context, map, 0, 0, NULL, NULL, 30, NULL));
  int objectives = mbs_step_map_objective_count(map), p = mbs_step_map_parameter_count(map);
  ENSURE(objectives == result->objective_count && p == result->parameter_count);
  double *values = zeros(objectives), *w = zeros(objectives), *received = zeros(p), *u = zeros(p),
         *change = zeros(objectives);
  ENSURE_OK(context, mbs_step_map_values(context, map, objectives, values));
  for (int o = 0; o < objectives; ++o) {
    ENSURE_NEAR(values[o], result->values[o], 1e-13 * fabs(result->values[o]));
  }
  for (int o = 0; o < objectives; ++o) {
    const MbsStepResults bar = {.objectives = w};
    const MbsStepArguments to = {.parameters = received};
    memset(w, 0, (size_t)objectives * sizeof *w);
    w[o] = 1;
    ENSURE_OK(context, mbs_step_map_vjp(context, map, &bar, &to));
    double size = largest_of(p, result->gradient + o * p);
    for (int k = 0; k < p; ++k) {
      ENSURE_NEAR(received[k], result->gradient[o * p + k], 1e-11 * size);
      const MbsStepArguments one = {.parameters = u};
      const MbsStepResults along = {.objectives = change};
      if (k == p - 1) {
        u[k] = 2;
        ENSURE_OK(context, mbs_step_map_jvp(context, map, &one, &along));
        ENSURE_NEAR(change[o], 2 * result->gradient[o * p + k], 1e-9 * size);
      }
    }
  }
  free(values);
  free(w);
  free(received);
  free(u);
  free(change);
  mbs_result_destroy(result);
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
}

// A ball that hits the ground within the step: y1 = e (h g/... the closed form: from y > 0 with v < 0 it falls for
// tau, y + v tau - g tau^2 / 2 = 0, bounces with -e times its velocity there, and flies on.
static void check_impact(void) {
  static const char text[] =
      "mbsens: 1\n"
      "name: ball\n"
      "gravity: [0, -g]\n"
      "parameters: {g: 10, e: 0.8}\n"
      "bodies: {ball: {mass: 1, points: {P: [0, 0]}, position: [0, 1]}}\n"
      "events: {floor: {when: r(P).y, direction: falling, restitution: e}}\n"
      "simulation: {end: 1, step: 0.01}\n";
  MbsModel *model = read_text(context, "ball", text);
  MbsRequest request = request_of(context, model, "ali3p", "natural", "trapezoidal");
  MbsStepMap *map;
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  const double g = 10, e = 0.8, h = 0.01, q[] = {0, 0.02}, v[] = {1, -3};
  double tau = (v[1] + sqrt(v[1] * v[1] + 2 * g * q[1])) / g, hit = v[1] - g * tau, q1[2], v1[2];
  ENSURE(tau > 0 && tau < h);
  ENSURE_OK(context, mbs_step_map_run(context, map, 0.5, 2, q, v, 1, NULL));
  ENSURE_OK(context, mbs_step_map_state(context, map, NULL, 2, q1, v1, NULL));
  double left = h - tau;
  ENSURE_NEAR(v1[1], -e * hit - g * left, 1e-12);
  ENSURE_NEAR(q1[1], -e * hit * left - g * left * left / 2, 1e-12);
  // hit^2 = v^2 + 2 g y: hit_y = g / hit, hit_v = v / hit; tau = (v - hit) / g
  double hit_y = g / hit, tau_y = -hit_y / g, dq[] = {0, 1}, change[2], rate[2];
  const MbsStepArguments by_height = {.position = dq};
  const MbsStepResults results = {.position = change, .velocity = rate};
  ENSURE_OK(context, mbs_step_map_jvp(context, map, &by_height, &results));
  ENSURE_NEAR(rate[1], -e * hit_y + g * tau_y, 1e-10);
  ENSURE_NEAR(change[1], -e * hit_y * left + e * hit * tau_y + g * left * tau_y, 1e-10);
  double w[] = {0, 1}, received[2], by[2];
  const MbsStepResults bar = {.velocity = w};
  const MbsStepArguments to = {.position = received, .parameters = by};
  ENSURE_OK(context, mbs_step_map_vjp(context, map, &bar, &to));
  ENSURE_NEAR(received[1], rate[1], 1e-10);
  ENSURE_NEAR(by[1], -hit, 1e-10);  // restitution
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
}

// ---- what is asked wrongly ----
#define ENSURE_REFUSED(call, expected, words)                                                             \
  do {                                                                                                    \
    ENSURE((call) == (expected));                                                                         \
    if (!strstr(mbs_context_message(context), words)) {                                                   \
      (void)fprintf(stderr, "%s:%d: message \"%s\"\n", __FILE__, __LINE__, mbs_context_message(context)); \
      exit(1);                                                                                            \
    }                                                                                                     \
  } while (0)

static void check_refusals(void) {
  MbsModel *model = read_text(context, "steered", steered);
  MbsRequest request = request_of(context, model, "ali3p", "natural", "trapezoidal");
  MbsStepMap *map = NULL;
  double q[16] = {3, -2, 1}, v[16] = {0}, nan[16] = {(double)NAN};
  const MbsStepArguments nothing = {.position = NULL};
  const MbsStepResults none = {.position = NULL}, bad = {.position = nan};
  request.settings.is_kinematic = true;
  ENSURE_REFUSED(mbs_step_map_create(context, model, &request, &map), MBS_ERROR_NOT_OFFERED, "kinematics");
  request.settings.is_kinematic = false;
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  int n = mbs_step_map_coordinate_count(map);
  ENSURE_REFUSED(mbs_step_map_vjp(context, map, &none, &nothing), MBS_ERROR_INPUT, "call mbs_step_map_run first");
  ENSURE_REFUSED(mbs_step_map_run(context, map, 0, n, q, NULL, 1, NULL), MBS_ERROR_INPUT, "together");
  ENSURE_REFUSED(mbs_step_map_run(context, map, 0, n + 1, q, v, 1, NULL), MBS_ERROR_INPUT, "coordinates");
  ENSURE_REFUSED(mbs_step_map_run(context, map, 0, n, nan, v, 1, NULL), MBS_ERROR_INPUT, "must be finite");
  ENSURE_REFUSED(mbs_step_map_run(context, map, 0, 0, NULL, NULL, 0, NULL), MBS_ERROR_INPUT, "at least one step");
  ENSURE_REFUSED(mbs_step_map_run(context, map, 0, n, q, v, 1, NULL), MBS_ERROR_INPUT, "does not meet its constraints");
  ENSURE_OK(context, mbs_step_map_run(context, map, 0, 0, NULL, NULL, 1, NULL));
  ENSURE_REFUSED(mbs_step_map_vjp(context, map, &bad, &nothing), MBS_ERROR_INPUT, "must be finite");
  const MbsStepArguments of_state = {.position = q}, of_inputs = {.inputs = q};
  ENSURE_REFUSED(mbs_step_map_vjp(context, map, &none, &of_state), MBS_ERROR_INPUT, "the model's start");
  ENSURE_REFUSED(mbs_step_map_jvp(context, map, &of_inputs, &none), MBS_ERROR_INPUT, "given no inputs");
  ENSURE_REFUSED(mbs_step_map_vjp(context, map, NULL, &nothing), MBS_ERROR_INPUT, "is NULL");
  ENSURE_OK(context, mbs_step_map_vjp(context, map, &none, &nothing));
  ENSURE_REFUSED(mbs_step_map_set_parameters(context, map, 1, q), MBS_ERROR_INPUT, "parameters");
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
  mbs_step_map_destroy(NULL);
  ENSURE(mbs_step_map_coordinate_count(NULL) == 0);
}

int main(int argc, char **argv) {
  context = mbs_context_create();
  ENSURE(context);
  if (argc > 1) {
    check_shipped(argv[1], NULL);
    return 0;
  }
  (void)for_each_file("models/*.yaml", check_shipped, NULL);
  // the vehicles that the others in their folder are made of
  ENSURE(for_each_file("models/vehicles/iltis.yaml", check_shipped, NULL) == 1);
  ENSURE(for_each_file("models/vehicles/box_truck.yaml", check_shipped, NULL) == 1);
  ENSURE(for_each_file("models/vehicles/buggy_step.yaml", check_shipped, NULL) == 1);
  static const struct {
    const char *formulation, *integrator;
  } methods[] = {{"index1", "trapezoidal"},       {"penalty", "trapezoidal"},  {"ali1", "newmark"},
                 {"index3", "generalised-alpha"}, {"matrix-r", "trapezoidal"}, {"index1", "dormand-prince-5"}};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    static const char *const paths[] = {"models/five_bar.yaml", "models/rssr.yaml", "models/quarter_car.yaml"};
    for (int m = 0; m < 3; ++m) {
      for (int i = 0; i < 2; ++i) {
        const Case c = {paths[m], methods[k].formulation, i ? "relative" : "natural", methods[k].integrator, 3};
        check_case(&c, 1e-10);
      }
    }
  }
  static const struct {
    const char *formulation, *coordinates, *integrator;
  } steered_by[] = {{"ali3p", "natural", "trapezoidal"},
                    {"index3", "natural", "generalised-alpha"},
                    {"matrix-r", "natural", "trapezoidal"},
                    {"index1", "relative", "dormand-prince-5"}};
  for (size_t k = 0; k < sizeof steered_by / sizeof *steered_by; ++k) {
    check_inputs(steered_by[k].formulation, steered_by[k].coordinates, steered_by[k].integrator);
  }
  check_whole_run("models/five_bar.yaml", "ali3p", 0);
  check_whole_run("models/five_bar.yaml", "index1", 5200);  // in pieces, walked again for each way back
  check_whole_run("models/rssr.yaml", "matrix-r", 0);
  check_whole_run("models/bouncing_ball.yaml", "ali3p", 0);
  check_impact();
  check_refusals();
  mbs_context_destroy(context);
  return 0;
}
