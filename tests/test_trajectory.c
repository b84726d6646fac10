// Trajectories of steps (mbsens/step.h) and weights on all of their rows: row i is to the bit what a run of i steps
// ends with; the products are each other's transpose on every shipped model, in every formulation and through events;
// rows against the complex step of ways that end there, in the twin; an integral by the trapezoidal rule is a sum over
// rows, so its gradient, from mbs_run, is a product with rows; a bouncing ball and a run that ends by an event in
// closed form; inputs; the way back in pieces; and what is asked wrongly.
#include "sensitivities/step_map.h"
#include "step_ways.h"

static MbsContext *context;

typedef struct Case {
  const char *path, *formulation, *coordinates, *integrator;
  int steps;
} Case;

static void tell(const Case *c) {
  (void)fprintf(stderr, "%s, %s, %s, %s\n", c->path, c->formulation, c->coordinates, c->integrator);
}

// ---- rows ----
// Does a run of i steps end with row i?
static void check_rows(const Case *c, MbsStepMap *map, const MbsWay *way, const double *times, const Room *rows) {
  int n = rows->n;
  double *q = zeros(n), *v = zeros(n), *a = zeros(n), *outputs = zeros(rows->outputs), t;
  for (int i = 1; i <= c->steps; i = i < c->steps && 2 * i > c->steps ? c->steps : 2 * i) {
    ENSURE_OK(context, mbs_step_map_run(context, map, way->t, n, way->q, way->v, i, way->inputs));
    ENSURE_OK(context, mbs_step_map_state(context, map, &t, n, q, v, a));
    ENSURE_OK(context, mbs_step_map_outputs(context, map, rows->outputs, outputs));
    const double *const expected[] = {q, v, a, outputs};
    const double *const found[] = {rows->y.position, rows->y.velocity, rows->y.acceleration, rows->y.outputs};
    const int counts[] = {n, n, n, rows->outputs};
    for (int level = 0; level < 4; ++level) {
      for (int k = 0; k < counts[level]; ++k) {
        double difference = fabs(found[level][i * counts[level] + k] - expected[level][k]);
        if (!(difference <= 1e-13 * fmax(largest_of(counts[level], expected[level]), 1e-300))) {
          tell(c);
          (void)fprintf(stderr, "row %d, level %d, number %d: %.17g, a run of its own has %.17g\n", i, level, k,
                        found[level][i * counts[level] + k], expected[level][k]);
          exit(1);
        }
      }
    }
    ENSURE_NEAR(times[i], t, 1e-12);
  }
  free(q);
  free(v);
  free(a);
  free(outputs);
}

// ---- products ----
// w.(F' u) = u.(F'' w), with weights on everything; relative to the sizes that are summed
static void check_transpose(const Case *c, MbsStepMap *map, const MbsStepArguments *direction, uint64_t *seed,
                            double most) {
  int steps = c->steps, rows = steps + 1, objectives = mbs_step_map_objective_count(map);
  Room forward = room_of(map, steps, rows), back = room_of(map, steps, rows);
  int n = forward.n, inputs = steps * mbs_step_map_input_count(map);
  const MbsStepResults bar = {scattered(seed, rows * n), scattered(seed, rows * n), scattered(seed, rows * n),
                              scattered(seed, rows * forward.outputs), scattered(seed, objectives)};
  const MbsStepArguments wanted = {direction->position ? back.x.position : NULL,
                                   direction->velocity ? back.x.velocity : NULL,
                                   direction->inputs ? back.x.inputs : NULL, back.x.parameters};
  ENSURE_OK(context, mbs_step_map_trajectory_jvp(context, map, direction, &forward.y));
  ENSURE_OK(context, mbs_step_map_trajectory_vjp(context, map, &bar, &wanted));
  const struct {
    int count;
    const double *a, *b;
    double sign;
  } terms[] = {{rows * n, bar.position, forward.y.position, 1},
               {rows * n, bar.velocity, forward.y.velocity, 1},
               {rows * n, bar.acceleration, forward.y.acceleration, 1},
               {rows * forward.outputs, bar.outputs, forward.y.outputs, 1},
               {objectives, bar.objectives, forward.y.objectives, 1},
               {n, direction->position, back.x.position, -1},
               {n, direction->velocity, back.x.velocity, -1},
               {inputs, direction->inputs, back.x.inputs, -1},
               {forward.p, direction->parameters, back.x.parameters, -1}};
  double sum = 0, size = 0;
  for (size_t i = 0; i < sizeof terms / sizeof *terms; ++i) {
    for (int k = 0; k < terms[i].count && terms[i].a; ++k) {
      sum += terms[i].sign * terms[i].a[k] * terms[i].b[k];
      size += fabs(terms[i].a[k] * terms[i].b[k]);
    }
  }
  (void)printf("%-36s %-8s %-9s %.1e\n", c->path, c->formulation, c->coordinates, fabs(sum) / size);
  if (!(fabs(sum) <= most * size)) {
    tell(c);
    (void)fprintf(stderr, "products differ by %.3g of %.3g\n", sum, size);
    exit(1);
  }
  double *const all[] = {bar.position, bar.velocity, bar.acceleration, bar.outputs, bar.objectives};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
  free_room(&forward);
  free_room(&back);
}

// Row i against the complex step of a way of i steps.
static void check_complex(const Case *c, const MbsModel *model, const MbsRequest *request, MbsStepMap *map,
                          const MbsWay *way, const MbsStepArguments *direction, double most) {
  Room rows = room_of(map, c->steps, c->steps + 1), twin = room_of(map, c->steps, 1);
  int n = rows.n;
  double *by_parameter = zeros(1000);
  for (int i = 0; i < rows.p && direction->parameters; ++i) {
    by_parameter[index_of(model, mbs_step_map_parameter_names(map)[i])] = direction->parameters[i];
  }
  const MbsWay along = {.q = direction->position, .v = direction->velocity, .inputs = direction->inputs};
  ENSURE_OK(context, mbs_step_map_trajectory_jvp(context, map, direction, &rows.y));
  for (int i = 1; i <= c->steps; i += c->steps > 4 ? c->steps / 3 : 1) {
    MbsWay part = *way;
    part.steps = i;
    ENSURE_OK(context, mbs_complex_way(context, model, &request->settings, NULL, by_parameter, &part, &along, n,
                                       twin.y.position, twin.y.velocity, twin.y.acceleration));
    const double *const expected[] = {twin.y.position, twin.y.velocity, twin.y.acceleration};
    const double *const found[] = {rows.y.position, rows.y.velocity, rows.y.acceleration};
    for (int level = 0; level < 3; ++level) {
      double size = largest_of(n, expected[level]);
      for (int k = 0; k < n; ++k) {
        if (!(fabs(found[level][i * n + k] - expected[level][k]) <= most * size)) {
          tell(c);
          (void)fprintf(stderr, "row %d, level %d, number %d: %.15g, complex step %.15g (size %.3g)\n", i, level, k,
                        found[level][i * n + k], expected[level][k], size);
          exit(1);
        }
      }
    }
  }
  free(by_parameter);
  free_room(&rows);
  free_room(&twin);
}

// From the model's start, by parameters.
static void check_shipped_in(const char *path, const char *coordinates, double most) {
  const Case c = {path, "ali3p", coordinates, "trapezoidal", 4};
  MbsModel *model = read_moving_model(context, path);
  MbsRequest request = request_of(context, model, c.formulation, coordinates, c.integrator);
  MbsStepMap *map;
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  uint64_t seed = 5;
  Room rows = room_of(map, c.steps, c.steps + 1);
  double times[5];
  const MbsWay way = {.steps = c.steps};
  ENSURE_OK(context, mbs_step_map_trajectory(context, map, 0, 0, NULL, NULL, c.steps, NULL, times, &rows.y));
  check_rows(&c, map, &way, times, &rows);
  MbsStepArguments direction = {.parameters = scattered(&seed, rows.p)};
  for (int i = 0; i < rows.p; ++i) {
    double value = fabs(mbs_step_map_parameters(map)[i]);
    direction.parameters[i] *= value > 0 ? value : 1;
  }
  if (rows.p > 0) {
    check_transpose(&c, map, &direction, &seed, most);
  }
  free(direction.parameters);
  free_room(&rows);
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
}

static void check_shipped(const char *path, void *user) {
  (void)user;
  if (strcmp(path, "models/switching_damper.yaml") == 0) {
    return;  // at rest where its law jumps: rounding decides when, so that gradients of its first steps are not known
  }
  // accelerations are differences of forces of stiff bushings: docs/validation.md
  bool is_stiff = strcmp(path, "models/bushed_wishbone.yaml") == 0;
  check_shipped_in(path, "natural", 1e-12);
  check_shipped_in(path, "relative", is_stiff ? 1e-10 : 1e-12);
}

// ---- events on the way ----
// Outputs that are added to a model file, and objectives that it has with the same values at the end: rows are compared
// with the complex step of runs that end there.
typedef struct EventCase {
  const char *path, *outputs, *objectives[2];
  int output_count, steps, rows[2];
} EventCase;

static char *text_with(const char *path, const char *more) {
  FILE *file = fopen(path, "r");
  ENSURE(file);
  char *text = calloc(1, 20000);
  ENSURE(text);
  size_t length = fread(text, 1, 15000, file);
  ENSURE(length > 0 && length < 15000);
  (void)fclose(file);
  (void)snprintf(text + length, 5000, "\n%s\n", more);
  return text;
}

static void check_end(const EventCase *e, const MbsModel *model, const MbsRequest *request, MbsStepMap *map, int row,
                      const double *outputs) {
  MbsRequest anew = *request;
  MbsResult *result;
  anew.method = MBS_METHOD_COMPLEX_STEP;
  anew.settings.end = row * request->settings.step;
  anew.objective_count = e->output_count;
  anew.objectives = (const char **)e->objectives;
  ENSURE_OK(context, mbs_run(context, model, &anew, &result));
  int p = mbs_step_map_parameter_count(map), count = e->output_count;
  double *bar = zeros((e->steps + 1) * count), *received = zeros(p);
  for (int k = 0; k < count; ++k) {
    memset(bar, 0, (size_t)((e->steps + 1) * count) * sizeof *bar);
    bar[row * count + k] = 1;
    ENSURE_OK(context, mbs_step_map_trajectory_vjp(context, map, &(MbsStepResults){.outputs = bar},
                                                   &(MbsStepArguments){.parameters = received}));
    const double *expected = result->gradient + k * p;
    ENSURE_NEAR(outputs[row * count + k], result->values[k], 1e-11 * fmax(1, fabs(result->values[k])));
    for (int i = 0; i < p; ++i) {
      if (!(fabs(received[i] - expected[i]) <= 1e-9 * fmax(fabs(expected[i]), 1e-3 * largest_of(p, expected)))) {
        (void)fprintf(stderr, "%s, %s, %s: row %d, %s by %s: %.15g, complex step %.15g\n", e->path,
                      request->settings.formulation, request->settings.coordinates, row, e->objectives[k],
                      mbs_step_map_parameter_names(map)[i], received[i], expected[i]);
        exit(1);
      }
    }
  }
  free(bar);
  free(received);
  mbs_result_destroy(result);
}

// false: this formulation does not run the model
static bool check_events(const EventCase *e, const char *formulation, const char *coordinates) {
  const Case c = {e->path, formulation, coordinates, "auto", e->steps};
  char *text = text_with(e->path, e->outputs);
  MbsModel *model = read_text(context, e->path, text);
  MbsRequest request = request_of(context, model, formulation, coordinates, "auto");
  MbsStepMap *map;
  free(text);
  request.parameter_count = 0;
  request.parameters = NULL;
  if (mbs_step_map_create(context, model, &request, &map) != MBS_OK) {
    ENSURE(strstr(mbs_context_message(context), "not offered"));
    mbs_model_destroy(model);
    return false;
  }
  uint64_t seed = 5;
  Room rows = room_of(map, e->steps, e->steps + 1);
  double *times = zeros(e->steps + 1);
  const MbsWay way = {.steps = e->steps};
  ENSURE(rows.outputs == e->output_count);
  bool runs = mbs_step_map_trajectory(context, map, 0, 0, NULL, NULL, e->steps, NULL, times, &rows.y) == MBS_OK;
  if (runs) {
    check_rows(&c, map, &way, times, &rows);
    ENSURE_OK(context, mbs_step_map_trajectory(context, map, 0, 0, NULL, NULL, e->steps, NULL, times, &rows.y));
    MbsStepArguments direction = {.parameters = scattered(&seed, rows.p)};
    // index3 finds accelerations from positions, to rounding over h^2
    double h = request.settings.step, noise = strcmp(formulation, "index3") == 0 ? 2.2e-16 / (h * h) : 0;
    check_transpose(&c, map, &direction, &seed, fmax(1e-12, noise));
    free(direction.parameters);
    for (int i = 0; i < 2; ++i) {
      check_end(e, model, &request, map, e->rows[i], rows.y.outputs);
    }
  }
  free(times);
  free_room(&rows);
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
  return runs;
}

static void check_all_events(void) {
  static const EventCase cases[] = {
      {"models/bouncing_ball.yaml", "outputs: {px: r(P).x, py: r(P).y}", {"range", "height"}, 2, 500, {300, 500}},
      {"models/string_pendulum.yaml", "outputs: {px: r(ball.P).x, py: r(ball.P).y}", {"x", "y"}, 2, 300, {60, 280}},
      {"models/five_bar_impact.yaml", "outputs: {py: r(P2).y, pv: v(P2).y}", {"y2", "vy2"}, 2, 340, {311, 339}},
      {"models/clutch.yaml", "outputs: {turning: omega(wheel)}", {"wheel"}, 1, 300, {150, 290}}};
  static const char *const formulations[] = {"ali3p", "index1", "penalty", "ali1", "index3", "matrix-r"};
  int ran = 0;
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < 8; ++i) {
      ran += check_events(&cases[i / 2], formulations[k], i % 2 ? "relative" : "natural");
    }
  }
  (void)printf("%d runs through events\n", ran);
  ENSURE(ran >= 40);
}

// ---- from a state, with inputs ----
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
    "events: {low: {when: r(Q).y + 0.2, direction: falling, set: {n: n + 1}}}\n"
    "variables: {n: 0}\n"
    "objectives: {effort: {integral: \"(k*u)^2 + omega(bar)^2\"}, reach: {final: r(Q).x}}\n"
    "outputs: {tip: r(Q), turning: omega(tip), push: a(Q).x + n}\n"
    "simulation: {end: 1, step: 0.01}\n";

static void check_inputs(const char *formulation, const char *coordinates, const char *integrator, double most) {
  enum { STEPS = 9 };
  const Case c = {"steered", formulation, coordinates, integrator, STEPS};
  MbsModel *model = read_text(context, "steered", steered);
  MbsRequest request = request_of(context, model, formulation, coordinates, integrator);
  MbsStepMap *map;
  request.objectives = NULL;
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  int n = mbs_step_map_coordinate_count(map);
  double t, *q = zeros(n), *v = zeros(n), times[STEPS + 1];
  uint64_t seed = 11;
  ENSURE(find_state(context, model, &request, &t, n, q, v));
  const MbsWay way = {.t = t, .steps = STEPS, .q = q, .v = v, .inputs = scattered(&seed, 2 * STEPS)};
  Room rows = room_of(map, STEPS, STEPS + 1);
  ENSURE_OK(context, mbs_step_map_trajectory(context, map, t, n, q, v, STEPS, way.inputs, times, &rows.y));
  check_rows(&c, map, &way, times, &rows);
  ENSURE(memcmp(rows.y.position, q, (size_t)n * sizeof *q) == 0);
  MbsStepArguments direction = {scattered(&seed, n), scattered(&seed, n), scattered(&seed, 2 * STEPS),
                                scattered(&seed, rows.p)};
  ENSURE_OK(context, mbs_step_map_run(context, map, t, n, q, v, STEPS, way.inputs));
  check_transpose(&c, map, &direction, &seed, 1e-12);
  check_complex(&c, model, &request, map, &way, &direction, most);
  double *const all[] = {direction.position, direction.velocity, direction.inputs, direction.parameters, q, v};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
  free((void *)way.inputs);
  free_room(&rows);
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
}

// ---- an integral is a sum of rows ----
// psi = sum of h g_i, the ends half; g = |r|^2 of the outputs: d psi = sum of 2 h r_i dr_i
static void check_integral(double memory) {
  static const char text[] =
      "mbsens: 1\n"
      "name: pendulum\n"
      "gravity: [0, -g]\n"
      "parameters: {g: 9.81, m: 2, d: 0.5, I: 0.1, phi0: 0.3}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies: {bar: {mass: m, com: [d, 0], inertia: I, points: {O: [0, 0], tip: [1, 0]}}}\n"
      "joints: [{revolute: [ground.O, bar.O]}]\n"
      "initial: {points: {tip: [0.3, -0.95]}, independent: [{coordinate: angle(bar), value: phi0 - pi/2}]}\n"
      "outputs: {place: r(tip), pull: a(tip).y}\n"
      "objectives: {swing: {integral: \"dot(r(tip), r(tip)) + 0.1*r(tip).x^3 + a(tip).y^2\"}}\n"
      "simulation: {end: 2, step: 0.01}\n";
  enum { STEPS = 200, OUTPUTS = 3 };
  MbsModel *model = read_text(context, "pendulum", text);
  MbsRequest request;
  MbsResult *result;
  MbsStepMap *map;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_DIRECT;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  request.memory = memory;
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  ENSURE(mbs_step_map_output_count(map) == OUTPUTS);
  double *rows = zeros((STEPS + 1) * OUTPUTS), psi = 0, sum = 0, h = 0.01;
  ENSURE_OK(context, mbs_step_map_trajectory(context, map, 0, 0, NULL, NULL, STEPS, NULL, NULL,
                                             &(MbsStepResults){.outputs = rows, .objectives = &psi}));
  ENSURE_NEAR(psi, result->values[0], 1e-14 * psi);
  for (int i = 0; i <= STEPS; ++i) {
    double *r = rows + i * OUTPUTS, weight = i == 0 || i == STEPS ? h / 2 : h;
    sum += weight * (r[0] * r[0] + r[1] * r[1] + 0.1 * r[0] * r[0] * r[0] + r[2] * r[2]);
    r[0] = weight * (2 * r[0] + 0.3 * r[0] * r[0]);
    r[1] = weight * 2 * r[1];
    r[2] = weight * 2 * r[2];
  }
  ENSURE_NEAR(sum, psi, 1e-13 * psi);
  for (int again = 0; again < 2; ++again) {
    double received[5], start[5];
    ENSURE_OK(context, mbs_step_map_trajectory_vjp(context, map, &(MbsStepResults){.outputs = rows},
                                                   &(MbsStepArguments){.parameters = received}));
    for (int k = 0; k < 5; ++k) {
      ENSURE_NEAR(received[k], result->gradient[k], 1e-12 * fabs(result->gradient[k]));
    }
    // the first row alone: of the start, dx = cos(phi0) dphi0
    const double one[(STEPS + 1) * OUTPUTS] = {1};
    ENSURE_OK(context, mbs_step_map_trajectory_vjp(context, map, &(MbsStepResults){.outputs = (double *)one},
                                                   &(MbsStepArguments){.parameters = start}));
    ENSURE_NEAR(start[4], cos(0.3), 1e-12);
    ENSURE_NEAR(start[1], 0, 1e-12);
  }
  free(rows);
  mbs_result_destroy(result);
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
}

// ---- a ball in closed form ----
// From rest at a height y it falls for T = sqrt(2 y / g), bounces with s = e g T, and the run ends where it has risen
// to z, u = (s - sqrt(s^2 - 2 g z)) / g later: rows after that stay there (and a kick where a step ends is before the
// row of that step), and their times too.
static void check_ball(const char *formulation) {
  static const char text[] =
      "mbsens: 1\n"
      "name: ball\n"
      "gravity: [0, -g]\n"
      "parameters: {g: 10, e: 0.8, y: 0.5, w: 3}\n"
      "bodies: {ball: {mass: 1, points: {P: [0, 0]}, position: [0, y]}}\n"
      "initial: {points: {P: [0, y]}}\n"
      "events:\n"
      "  floor: {when: r(P).y, direction: falling, restitution: e}\n"
      "  kick: {when: t - 0.2, velocities: [{coordinate: r(P).x, velocity: w}]}\n"
      "  over: {when: r(P).y - 0.2, direction: rising, stop: yes}\n"
      "outputs: {height: r(P).y, speed: v(P).y, time: t, drift: v(P).x}\n"
      "simulation: {end: 1, step: 0.01}\n";
  enum { STEPS = 60, OUTPUTS = 4, KICK = 20 };
  MbsModel *model = read_text(context, "ball", text);
  MbsRequest request = request_of(context, model, formulation, "natural", "auto");
  MbsStepMap *map;
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  double rows[(STEPS + 1) * OUTPUTS], times[STEPS + 1], bar[(STEPS + 1) * OUTPUTS], received[4];
  const double g = 10, e = 0.8, y = 0.5, z = 0.2, T = sqrt(2 * y / g), s = e * g * T, root = sqrt(s * s - 2 * g * z),
               last = (s - root) / g;
  const double T_y = T / (2 * y), s_y = e * g * T_y, last_y = (s_y - s * s_y / root) / g;  // by y
  ENSURE_OK(context, mbs_step_map_trajectory(context, map, 0, 0, NULL, NULL, STEPS, NULL, times,
                                             &(MbsStepResults){.outputs = rows}));
  for (int i = 0; i <= STEPS; ++i) {
    double t = 0.01 * i, u = t - T;
    bool is_over = t > T + last;
    const double falling[] = {y - g * t * t / 2, -g * t, t}, flying[] = {s * u - g * u * u / 2, s - g * u, t},
                 at_end[] = {z, root, T + last};
    const double falling_y[] = {1, 0, 0}, flying_y[] = {s_y * u - s * T_y + g * u * T_y, s_y + g * T_y, 0},
                 at_end_y[] = {0, s * s_y / root, T_y + last_y};
    const double *values = is_over ? at_end : t > T ? flying : falling;
    const double *slopes = is_over ? at_end_y : t > T ? flying_y : falling_y;
    ENSURE_NEAR(times[i], values[2], 1e-10);
    for (int k = 0; k < 3; ++k) {
      ENSURE_NEAR(rows[i * OUTPUTS + k], values[k], 1e-10);
      memset(bar, 0, sizeof bar);
      bar[i * OUTPUTS + k] = 1;
      ENSURE_OK(context, mbs_step_map_trajectory_vjp(context, map, &(MbsStepResults){.outputs = bar},
                                                     &(MbsStepArguments){.parameters = received}));
      ENSURE_NEAR(received[2], slopes[k], 1e-9);
    }
    ENSURE_NEAR(rows[i * OUTPUTS + 3], i < KICK ? 0 : 3, 1e-12);
    memset(bar, 0, sizeof bar);
    bar[i * OUTPUTS + 3] = 1;
    ENSURE_OK(context, mbs_step_map_trajectory_vjp(context, map, &(MbsStepResults){.outputs = bar},
                                                   &(MbsStepArguments){.parameters = received}));
    ENSURE_NEAR(received[3], i < KICK ? 0 : 1, 1e-12);
  }
  // all rows of the end at once receive as many times as much
  memset(bar, 0, sizeof bar);
  for (int i = 50; i <= STEPS; ++i) {
    bar[i * OUTPUTS + 1] = 1;
  }
  ENSURE_OK(context, mbs_step_map_trajectory_vjp(context, map, &(MbsStepResults){.outputs = bar},
                                                 &(MbsStepArguments){.parameters = received}));
  ENSURE_NEAR(received[2], 11 * s * s_y / root, 1e-9);
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
  ENSURE_OK(context, mbs_step_map_create(context, model, &request, &map));
  Room room = room_of(map, 2, 3);
  const MbsStepArguments nothing = {.position = NULL};
  const MbsStepResults none = {.position = NULL}, bad = {.velocity = room.y.velocity};
  ENSURE_REFUSED(mbs_step_map_trajectory_vjp(context, map, &none, &nothing), MBS_ERROR_INPUT, "mbs_step_map_run first");
  ENSURE_REFUSED(mbs_step_map_trajectory_jvp(context, map, &nothing, &none), MBS_ERROR_INPUT, "mbs_step_map_run first");
  ENSURE_REFUSED(mbs_step_map_trajectory(context, map, 0, 0, NULL, NULL, 2, NULL, NULL, NULL), MBS_ERROR_INPUT,
                 "rows is NULL");
  ENSURE_REFUSED(mbs_step_map_trajectory(context, map, 0, 0, NULL, NULL, 0, NULL, NULL, &none), MBS_ERROR_INPUT,
                 "at least one step");
  ENSURE_OK(context, mbs_step_map_trajectory(context, map, 0, 0, NULL, NULL, 2, NULL, NULL, &none));
  room.y.velocity[3 * room.n - 1] = (double)NAN;  // of the last row
  ENSURE_REFUSED(mbs_step_map_trajectory_vjp(context, map, &bad, &nothing), MBS_ERROR_INPUT, "must be finite");
  ENSURE_OK(context, mbs_step_map_vjp(context, map, &bad, &nothing));  // one row alone is looked at
  ENSURE_OK(context, mbs_step_map_trajectory_vjp(context, map, &none, &nothing));
  free_room(&room);
  mbs_step_map_destroy(map);
  mbs_model_destroy(model);
}

int main(int argc, char **argv) {
  context = mbs_context_create();
  ENSURE(context);
  if (argc > 1) {
    check_shipped(argv[1], NULL);
    return 0;
  }
  check_integral(0);
  check_integral(20000);  // in pieces, walked again for each way back
  check_ball("ali3p");
  check_ball("index1");
  check_ball("matrix-r");
  check_inputs("ali3p", "natural", "trapezoidal", 1e-8);
  check_inputs("ali3p", "relative", "trapezoidal", 1e-8);
  check_inputs("index3", "natural", "generalised-alpha", 1e-8);
  check_inputs("penalty", "natural", "trapezoidal", 1e-8);
  check_inputs("ali1", "relative", "newmark", 1e-8);
  check_inputs("matrix-r", "natural", "trapezoidal", 1e-8);
  check_inputs("index1", "relative", "dormand-prince-5", 1e-8);
  check_inputs("index1", "natural", "radau-5", 1e-8);
  (void)for_each_file("models/*.yaml", check_shipped, NULL);
  check_all_events();
  check_refusals();
  mbs_context_destroy(context);
  return 0;
}
