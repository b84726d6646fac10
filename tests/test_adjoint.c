// The discrete adjoint where whole runs (test_whole_runs: every model, every formulation) do not look: the gradient
// with respect to the initial state, trajectories kept in pieces, settings of ali3p, Newmark and generalised-alpha,
// several objectives in one sweep, and derivatives of the adjoint itself (Hessians).
//
// Seen to fail with a planted error, one at a time:
//   integrators/implicit_transposed.c     h in v_n b;  ww of w;  the sign of lambda's right-hand side;  spread_total
//   integrators/projection_transposed.c  epsilon in sigma_{i-1};  the mass matrix's coefficients;  minus_velocity
//   kinematics/initial.c                 the velocity problem left out;  the sign of what a given value receives
//   sensitivities/adjoint.c              angles' last values not restored;  a segment's first step;  the last step's
//                                        weight in integrals;  expressions of objectives left out of the start's
#include "formulations/formulation.h"
#include "sensitivities/adjoint.h"
#include "sensitivities/selection.h"
#include "sensitivities/twin.h"
#include "support.h"

static MbsContext *context;

static MbsRequest request_of(const MbsModel *model, const char *formulation) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  if (formulation) {
    (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  }
  return request;
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request, MbsMethod method) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = method;
  ENSURE_OK(context, mbs_run(context, model, &own, &result));
  return result;
}

// each number relative to itself, but not below `floor` times the largest of its row: what is zero in truth has only
// rounding to show
static double distance(int rows, int columns, const double *tried, const double *reference, double floor) {
  double worst = 0;
  for (int i = 0; i < rows; ++i) {
    double largest = largest_of(columns, reference + i * columns);
    for (int k = i * columns; k < (i + 1) * columns; ++k) {
      double size = fmax(fabs(reference[k]), floor * largest), off = fabs(tried[k] - reference[k]);
      double error = size > 0 ? off / size : off;
      worst = error <= worst ? worst : error;  // a NaN is not lost
    }
  }
  return worst;
}

static void ensure_same_gradient(const char *what, const MbsResult *tried, const MbsResult *reference, double most) {
  int objectives = reference->objective_count, parameters = reference->parameter_count;
  double off = distance(objectives, parameters, tried->gradient, reference->gradient, 1e-5);
  (void)printf("  %-60s %.1e\n", what, off);
  ENSURE(largest_of(objectives * parameters, reference->gradient) > 0);
  if (!(off <= most)) {
    (void)fprintf(stderr, "%s: off by %.3g, %.3g is allowed\n", what, off, most);
    exit(1);
  }
}

// ---- the gradient with respect to the initial state ----
static double at_start(const MbsResult *result, const char *objective, int level, const char *coordinate) {
  for (int i = 0; i < result->objective_count; ++i) {
    for (int k = 0; k < result->state_count; ++k) {
      if (strcmp(result->objectives[i], objective) == 0 && strcmp(result->state_names[k], coordinate) == 0) {
        return result->at_start[(2 * i + level) * result->state_count + k];
      }
    }
  }
  (void)fprintf(stderr, "no %s or no %s\n", objective, coordinate);
  exit(1);
}

// A point mass that flies: x(T) = x0 + u T, y(T) = y0 + w T - g T^2 / 2, and with the trapezoidal rule, which is exact
// for what is linear in time, the integrals of x and y' too.
static void check_flight(void) {
  static const char text[] =
      "mbsens: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {m: 2, x0: 0.3, u: 1.5, y0: -0.2, w: 4}\n"
      "bodies:\n"
      "  ball: {mass: m, points: {P: [0, 0]}, position: [0.3, -0.2]}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(P).x, value: x0, velocity: u}\n"
      "    - {coordinate: r(P).y, value: y0, velocity: w}\n"
      "objectives:\n"
      "  x: {final: r(P).x}\n"
      "  y: {final: r(P).y}\n"
      "  place: {integral: r(P).x}\n"
      "  climb: {integral: v(P).y}\n"
      "  mixed: {value: x*climb + m}\n"
      "  twice: {value: mixed + 2*y}\n"
      "simulation: {end: 0.7, step: 0.03}\n";  // the last step is shorter
  const double T = 0.7, x0 = 0.3, u = 1.5, w = 4, g = 9.81;
  MbsModel *model = read_text(context, "flight.yaml", text);
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    MbsRequest request = request_of(model, mbs_formulation_types[f]->name);
    MbsResult *result = run(model, &request, MBS_METHOD_ADJOINT);
    double x = x0 + u * T, climb = w * T - g * T * T / 2;
    const struct {
      const char *objective;
      double position[2], velocity[2];
    } expected[] = {{"x", {1, 0}, {T, 0}},
                    {"y", {0, 1}, {0, T}},
                    {"place", {T, 0}, {T * T / 2, 0}},
                    {"climb", {0, 0}, {0, T}},
                    {"mixed", {climb, 0}, {climb * T, x * T}},
                    {"twice", {climb, 2}, {climb * T, x * T + 2 * T}}};
    ENSURE(result->state_count == 2);
    for (int i = 0; i < MBS_COUNT(expected); ++i) {
      for (int k = 0; k < 2; ++k) {
        const char *coordinate = k == 0 ? "P.x" : "P.y";
        ENSURE_NEAR(at_start(result, expected[i].objective, 0, coordinate), expected[i].position[k], 1e-11);
        ENSURE_NEAR(at_start(result, expected[i].objective, 1, coordinate), expected[i].velocity[k], 1e-11);
      }
    }
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// Nothing is constrained, and the parameters are the initial values themselves: the complex step through them.
static void check_free_bodies(void) {
  static const char text[] =
      "mbsens: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {x1: 0.5, y1: 0.1, x2: 1.4, y2: -0.3, u1: 0.4, w1: -1, u2: 0.7, w2: 2}\n"
      "ground: {points: {O: [0, 0.8]}}\n"
      "bodies:\n"
      "  first: {mass: 1.2, points: {P: [0, 0]}, position: [0.5, 0.1]}\n"
      "  second: {mass: 0.7, points: {Q: [0, 0]}, position: [1.4, -0.3]}\n"
      "forces:\n"
      "  - {spring: [ground.O, first.P], stiffness: 30, damping: 0.5, length: 0.6}\n"
      "  - {spring: [first.P, second.Q], law: \"40*(length - 0.9)^3 + 0.8*rate*length\"}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(P).x, value: x1, velocity: u1}\n"
      "    - {coordinate: r(P).y, value: y1, velocity: w1}\n"
      "    - {coordinate: r(Q).x, value: x2, velocity: u2}\n"
      "    - {coordinate: r(Q).y, value: y2, velocity: w2}\n"
      "objectives:\n"
      "  heat: {integral: \"dot(v(P) - v(Q), v(P) - v(Q))\"}\n"
      "  shake: {integral: \"a(P).x^2 + a(Q).y\"}\n"
      "  end: {final: \"distance(P, Q)*v(Q).x + a(P).y\"}\n"
      "  mixed: {value: heat*end^2}\n"
      "simulation: {end: 1, step: 0.01}\n";
  static const char *const names[] = {"P.x", "P.y", "Q.x", "Q.y"};
  MbsModel *model = read_text(context, "free.yaml", text);
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    MbsRequest request = request_of(model, mbs_formulation_types[f]->name);
    MbsResult *result = run(model, &request, MBS_METHOD_ADJOINT);
    MbsResult *reference = run(model, &request, MBS_METHOD_COMPLEX_STEP);
    for (int i = 0; i < reference->objective_count; ++i) {
      for (int k = 0; k < 8; ++k) {
        double expected = reference->gradient[i * 8 + k];
        ENSURE(fabs(expected) > 1e-3);
        ENSURE_NEAR(at_start(result, reference->objectives[i], k / 4, names[k % 4]), expected, 1e-10 * fabs(expected));
      }
    }
    mbs_result_destroy(result);
    mbs_result_destroy(reference);
  }
  mbs_model_destroy(model);
}

// A parameter that enters by the start alone: its derivative is that of the state times the gradient with respect to
// the state, constraints or not.
static void check_chain_rule(const char *path, const char *formulation, const char *parameter) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation);
  MbsSelection selection;
  MbsSimulation *simulation;
  MbsArena *arena = mbs_arena_create();
  request.parameter_count = 1;
  request.parameters = &parameter;
  ENSURE_OK(context, mbs_selection_create(context, arena, model, &request, &selection));
  ENSURE_OK(context,
            mbs_simulation_create(context, model, &request.settings, 1, selection.parameters, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  MbsResult *result = run(model, &request, MBS_METHOD_ADJOINT);
  int n = simulation->system->n;
  ENSURE(result->state_count == n);
  for (int i = 0; i < result->objective_count; ++i) {
    double sum = 0, size = 0;
    for (int k = 0; k < n; ++k) {
      double position = result->at_start[2 * i * n + k] * simulation->columns.X[k];
      double velocity = result->at_start[(2 * i + 1) * n + k] * simulation->columns.V[k];
      sum += position + velocity;
      size = fmax(size, fmax(fabs(position), fabs(velocity)));
    }
    ENSURE(size > 0);
    ENSURE_NEAR(sum, result->gradient[i], 1e-10 * size);
  }
  mbs_result_destroy(result);
  mbs_simulation_destroy(simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

// ---- trajectories in pieces ----
typedef struct Swept {
  MbsSimulation *simulation;
  MbsSweep *sweep;
  int objectives, columns;
} Swept;

// the whole run; length > 0: with as many rows in the ring, and snapshots as far apart; bytes > 0: as if the number of
// steps were not known, in as many bytes
static Swept sweep_in_segments(const MbsModel *model, const MbsSettings *settings, long length, double bytes) {
  MbsRequest request = {.settings = *settings};
  MbsSelection selection;
  Swept swept;
  MbsArena *arena = mbs_arena_create();
  ENSURE_OK(context, mbs_selection_create(context, arena, model, &request, &selection));
  ENSURE_OK(context, mbs_simulation_create_for_sweep(context, model, settings, selection.parameter_count,
                                                     selection.parameters, NULL, &swept.simulation));
  ENSURE_OK(context, mbs_sweep_create(context, swept.simulation, 0, &swept.sweep));
  MbsTrajectory *trajectory = swept.sweep->trajectory;
  if (length > 0) {
    long count = (swept.simulation->plan.step_count + length - 1) / length;
    MbsArena *own = swept.simulation->arena;
    trajectory->row_capacity = trajectory->most_rows = trajectory->spacing = length;
    trajectory->snapshot_capacity = count - 1;
    trajectory->rows = mbs_arena_take(own, (size_t)length * (size_t)trajectory->row_size, sizeof(mbs_scalar));
    trajectory->snapshots = mbs_arena_take(own, (size_t)count * (size_t)trajectory->snapshot_size, sizeof(mbs_scalar));
    trajectory->snapshot_step = mbs_arena_take(own, (size_t)count, sizeof(long));
  }
  if (bytes > 0) {
    ENSURE_OK(context, mbs_trajectory_create(context, swept.simulation, 0, bytes, &swept.sweep->trajectory));
  }
  ENSURE_OK(context, mbs_simulation_start(context, swept.simulation));
  ENSURE_OK(context, mbs_trajectory_record(context, swept.sweep->trajectory));
  while (!mbs_simulation_is_over(swept.simulation)) {
    ENSURE_OK(context, mbs_simulation_step(context, swept.simulation));
    ENSURE_OK(context, mbs_trajectory_record(context, swept.sweep->trajectory));
  }
  MbsSweep *sweep = swept.sweep;
  ENSURE_OK(context, mbs_sweep_run(context, sweep));
  swept.objectives = swept.simulation->objectives.count;
  swept.columns = selection.parameter_count;
  mbs_arena_destroy(arena);
  return swept;
}

// 1e-12 is rounding: a step that is repeated may be factored with other pivots
static void check_segments(const char *path, const char *formulation, double spectral_radius, bool is_kinematic) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation);
  request.settings.is_kinematic = is_kinematic;
  request.settings.end = 40.3 * request.settings.step;  // 41 steps, the last is shorter
  if (spectral_radius >= 0) {
    (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "generalised-alpha");
    request.settings.spectral_radius = spectral_radius;
  }
  Swept whole = sweep_in_segments(model, &request.settings, 0, 0);
  ENSURE(whole.simulation->statistics.segments == 1);
  ENSURE(largest_of(whole.objectives * whole.columns, whole.simulation->objectives.gradient) > 0);
  // the least that serves 41 steps: 2 sqrt(41 row snapshot) and the row of the start; then with the spacing doubled
  // less often, and at last with all rows in the ring
  double row = 8 * whole.sweep->trajectory->row_size, snapshot = 8 * whole.sweep->trajectory->snapshot_size;
  const double bytes[] = {2 * (row + snapshot * 9), 2 * fmax(row * 10, snapshot * 16), 2 * fmax(row * 50, snapshot)};
  static const long lengths[] = {1, 2, 7, 40, 41, 1000};
  double worst = 0;
  for (int i = 0; i < MBS_COUNT(lengths) + MBS_COUNT(bytes); ++i) {
    bool is_known = i < MBS_COUNT(lengths);
    double given = is_known ? 0 : bytes[i - MBS_COUNT(lengths)];
    Swept pieces = sweep_in_segments(model, &request.settings, is_known ? lengths[i] : 0, given);
    const MbsTrajectory *trajectory = pieces.sweep->trajectory;
    if (!is_known) {
      double room = row * (double)(trajectory->row_capacity + 1) + snapshot * (double)trajectory->snapshot_capacity;
      ENSURE(room <= given);
      ENSURE(i < MBS_COUNT(lengths) + MBS_COUNT(bytes) - 1 ? trajectory->spacing > 1 : true);
    }
    worst = fmax(worst, distance(whole.objectives, whole.columns, pieces.simulation->objectives.gradient,
                                 whole.simulation->objectives.gradient, 1e-5));
    worst = fmax(worst, distance(whole.objectives, 2 * whole.simulation->system->n, pieces.sweep->at_start,
                                 whole.sweep->at_start, 1e-5));
    mbs_simulation_destroy(pieces.simulation);
  }
  (void)printf("  %s, %s%s: in pieces %.1e\n", path, is_kinematic ? "kinematics" : formulation,
               spectral_radius >= 0 ? ", generalised-alpha" : "", worst);
  ENSURE(worst <= 1e-12);
  mbs_simulation_destroy(whole.simulation);
  mbs_model_destroy(model);
}

static void check_memory(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsRequest request = request_of(model, "ali3p");
  MbsResult *whole = run(model, &request, MBS_METHOD_ADJOINT);
  double all = whole->statistics.trajectory_bytes, least = all;
  ENSURE(whole->statistics.segments == 1 && all > 0);
  // bounds from above to below what is possible; 500 steps
  static const double fractions[] = {1, 0.9, 0.5, 0.25, 0.2};
  long before = 0;
  for (int i = 0; i < MBS_COUNT(fractions); ++i) {
    request.memory = floor(fractions[i] * all);
    MbsResult *pieces = run(model, &request, MBS_METHOD_ADJOINT);
    least = pieces->statistics.trajectory_bytes;
    ENSURE(least <= request.memory);
    ENSURE(pieces->statistics.segments > before);
    before = pieces->statistics.segments;
    ensure_same_gradient("five-bar, bounded memory", pieces, whole, 1e-12);
    mbs_result_destroy(pieces);
  }
  MbsResult *none = NULL;
  request.method = MBS_METHOD_ADJOINT;
  request.memory = 1000;
  ENSURE(mbs_run(context, model, &request, &none) == MBS_ERROR_INPUT && !none);
  ENSURE_CONTAINS(mbs_context_message(context), "cannot keep 500 steps in 1000 bytes: it needs at least ");
  // what the message asks for is enough
  double asked = 0;
  ENSURE(sscanf(strstr(mbs_context_message(context), "at least "), "at least %lf", &asked) == 1);
  request.memory = asked;
  MbsResult *scant = run(model, &request, MBS_METHOD_ADJOINT);
  ENSURE(scant->statistics.trajectory_bytes <= asked && scant->statistics.segments > 5);
  mbs_result_destroy(scant);
  request.memory = asked - 1;
  ENSURE(mbs_run(context, model, &request, &none) == MBS_ERROR_INPUT && !none);
  request.memory = -1;
  ENSURE(mbs_run(context, model, &request, &none) == MBS_ERROR_INPUT && !none);
  mbs_result_destroy(whole);
  mbs_model_destroy(model);
}

// ---- settings ----
typedef struct Setting {
  const char *path, *formulation, *integrator;
  double end, step, penalty;
  int projections;
  bool is_nonholonomic_projected, is_approximate, is_tangent;  // the last: of the projection matrix
  double beta, gamma, spectral_radius;
} Setting;

static void check_setting(const Setting *setting) {
  MbsModel *model = read_model(context, setting->path);
  MbsRequest request = request_of(model, setting->formulation);
  MbsSettings *settings = &request.settings;
  if (setting->integrator) {
    (void)snprintf(settings->integrator, sizeof settings->integrator, "%s", setting->integrator);
  }
  settings->end = setting->end > 0 ? setting->end : settings->end;
  settings->step = setting->step > 0 ? setting->step : settings->step;
  settings->penalty = setting->penalty > 0 ? setting->penalty : settings->penalty;
  settings->projections = setting->projections;
  settings->is_nonholonomic_projected = setting->is_nonholonomic_projected;
  settings->is_tangent_approximate = setting->is_approximate;
  settings->is_projection_tangent = setting->is_tangent;
  settings->beta = setting->beta;
  settings->gamma = setting->gamma;
  settings->spectral_radius =
      setting->integrator && strstr(setting->integrator, "alpha") ? setting->spectral_radius : -1;
  char what[200];
  (void)snprintf(what, sizeof what, "%s, %s, %s, projections %d%s", setting->path, setting->formulation,
                 setting->integrator ? setting->integrator : "auto", setting->projections,
                 setting->is_nonholonomic_projected ? ", projected"
                 : setting->is_tangent              ? ", tangent matrix"
                                                    : "");
  (void)printf("%s\n", what);
  MbsResult *direct = run(model, &request, MBS_METHOD_DIRECT), *adjoint = run(model, &request, MBS_METHOD_ADJOINT);
  MbsResult *reference = run(model, &request, MBS_METHOD_COMPLEX_STEP);
  ensure_same_gradient("adjoint against direct", adjoint, direct, 1e-8);
  ensure_same_gradient("adjoint against complex step", adjoint, reference, 1e-7);
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

static void check_settings(void) {
  static const char projections[] = "tests/models/adjoint_projections.yaml", bricard[] = "models/bricard.yaml";
  static const char knife[] = "models/two_point_mass.yaml", disc[] = "models/rolling_disc.yaml";
  static const char reactions[] = "tests/models/run_reactions.yaml", shaken[] = "models/shaken_pendulum.yaml";
  static const char wishbone[] = "models/double_wishbone.yaml";
  static const char flat[] = "models/n_four_bar.yaml";
  static const char redundant[] = "tests/models/adjoint_redundant.yaml";
  static const Setting all[] = {
      {projections, "ali3p", NULL, .end = 1},
      {projections, "ali3p", NULL, .projections = 1},
      {projections, "ali3p", NULL, .projections = 2},
      {projections, "ali3p", NULL, .penalty = 30},  // many iterations to their limits
      {projections, "ali3p", NULL, .penalty = 30, .is_tangent = true},
      {projections, "ali3p", NULL, .is_approximate = true},
      {projections, "ali3p", NULL, .is_tangent = true},
      {projections, "ali3p", "generalised-alpha", .spectral_radius = 0.9, .is_tangent = true, .projections = 2},
      {projections, "ali3p", "newmark", .gamma = 0.7, .beta = 0.36},
      {projections, "ali3p", "generalised-alpha", .spectral_radius = 0.6},
      {shaken, "ali3p", NULL, .projections = -1},
      {shaken, "ali3p", "generalised-alpha", .spectral_radius = 0.3, .projections = -1},
      {shaken, "index3", "newmark", .gamma = 0.8, .beta = 0.43},
      {shaken, "index3", "generalised-alpha", .spectral_radius = 0},
      {shaken, "index1", "generalised-alpha", .spectral_radius = 0.9},
      {reactions, "ali3p", NULL, .end = 0.3, .projections = 1},
      {reactions, "ali3p", NULL, .end = 0.3, .is_tangent = true},
      {wishbone, "ali3p", NULL, .end = 0.3, .is_tangent = true},
      {reactions, "penalty", "generalised-alpha", .end = 0.3, .spectral_radius = 0.7},
      {knife, "ali3p", NULL, .is_nonholonomic_projected = true},
      {knife, "ali3p", NULL, .projections = 1},
      {disc, "ali3p", NULL, .end = 0.5, .is_nonholonomic_projected = true},
      {disc, "index3", "generalised-alpha", .end = 0.5, .spectral_radius = 0.8},
      {bricard, "ali3p", NULL, .end = 0.3, .projections = 2},
      {bricard, "penalty", NULL, .end = 2},  // stretched on the way: redundant rows need sound pivots
      {flat, "ali3p", NULL, .end = 3},       // through positions where rows become dependent
      {flat, "ali1", NULL, .end = 3},
      {bricard, "ali1", "generalised-alpha", .end = 0.3, .spectral_radius = 0.8},
      {redundant, "ali3p", NULL, .end = 1},
      {redundant, "ali3p", NULL, .is_tangent = true},
      {redundant, "ali1", NULL, .end = 1},
      {redundant, "penalty", NULL, .end = 1},
      {redundant, "matrix-r", NULL, .end = 1},
      {redundant, "ali1", "dormand-prince-5", .end = 0.3},
      {redundant, "penalty", "dormand-prince-8", .end = 0.3},
      {reactions, "ali1", "dormand-prince-5", .end = 0.3},
      {bricard, "ali1", "dormand-prince-8", .end = 0.3},
      {disc, "penalty", "dormand-prince-5", .end = 0.2},
  };
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    check_setting(&all[i]);
  }
}

// Kinematics: drivers, in part and altogether; the start's transpose at every time.
static void check_kinematics(const char *path) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, NULL);
  request.settings.is_kinematic = true;
  request.settings.end = fmin(request.settings.end, 1);
  (void)printf("%s, kinematics\n", path);
  MbsResult *direct = run(model, &request, MBS_METHOD_DIRECT), *adjoint = run(model, &request, MBS_METHOD_ADJOINT);
  ensure_same_gradient("adjoint against direct", adjoint, direct, 1e-8);
  ENSURE(adjoint->state_count == 0 && !adjoint->at_start);  // there is no state that is handed on
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_model_destroy(model);
}

// ---- several objectives ----
// Each has its own numbers all the way, so that it does not matter which others go along: not a bit.
static void check_each_alone(const char *path, const char *formulation) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation);
  request.settings.end = fmin(request.settings.end, 0.5);
  MbsResult *together = run(model, &request, MBS_METHOD_ADJOINT);
  ENSURE(together->objective_count > 2);
  for (int i = 0; i < together->objective_count; ++i) {
    MbsRequest single = request;
    single.objective_count = 1;
    single.objectives = &together->objectives[i];
    MbsResult *alone = run(model, &single, MBS_METHOD_ADJOINT);
    for (int k = 0; k < together->parameter_count; ++k) {
      double expected = together->gradient[i * together->parameter_count + k];
      ENSURE_NEAR(alone->gradient[k], expected, 0);
    }
    for (int k = 0; k < 2 * together->state_count; ++k) {
      ENSURE_NEAR(alone->at_start[k], together->at_start[2 * i * together->state_count + k], 0);
    }
    mbs_result_destroy(alone);
  }
  mbs_result_destroy(together);
  mbs_model_destroy(model);
}

// ---- derivatives of the adjoint ----
static const double *gradient_at(const MbsModel *model, const MbsTwinRequest *request, MbsArena *arena) {
  MbsResult result;
  bool is_complex = request->perturbed >= 0;
  ENSURE_OK(context, (is_complex ? mbs_complex_run : mbs_twin_run)(context, arena, model, request, &result, NULL));
  return result.gradient;
}

// The complex twin over the sweep gives a column of every objective's Hessian: symmetric to rounding, and what central
// differences of gradients give (step 1e-5 of a parameter: truncation 1e-10 of it, the gradients' rounding over 1e-5).
static void check_hessian(const char *path, const char *formulation) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation);
  MbsSelection selection;
  MbsArena *arena = mbs_arena_create();
  request.settings.end = fmin(request.settings.end, 1);
  ENSURE_OK(context, mbs_selection_create(context, arena, model, &request, &selection));
  int count = selection.parameter_count, objectives = selection.model_objective_count;
  MbsTwinRequest base = {.settings = request.settings,
                         .column_count = count,
                         .columns = selection.parameters,
                         .is_adjoint = true,
                         .perturbed = -1};
  double *H = zeros(objectives * count * count), *D = zeros(objectives * count * count);
  double *values = zeros(selection.model_parameter_count);
  for (int p = 0; p < count; ++p) {
    MbsTwinRequest complex_step = base;
    complex_step.perturbed = selection.parameters[p];
    const double *exact = gradient_at(model, &complex_step, arena);
    memcpy(values, selection.nominal, (size_t)selection.model_parameter_count * sizeof *values);
    double h = 1e-5 * fmax(fabs(selection.parameter_values[p]), 0.1);
    MbsTwinRequest moved = base;
    moved.parameters = values;
    values[selection.parameters[p]] += h;
    const double *up = gradient_at(model, &moved, arena);
    values[selection.parameters[p]] -= 2 * h;
    const double *down = gradient_at(model, &moved, arena);
    for (int o = 0; o < objectives; ++o) {
      for (int q = 0; q < count; ++q) {
        H[(o * count + p) * count + q] = exact[o * count + q];
        D[(o * count + p) * count + q] = (up[o * count + q] - down[o * count + q]) / (2 * h);
      }
    }
  }
  double asymmetry = 0, off = 0;
  for (int o = 0; o < objectives; ++o) {
    const double *own = H + o * count * count;
    double largest = largest_of(count * count, own);
    ENSURE(largest > 0);
    for (int p = 0; p < count; ++p) {
      for (int q = 0; q < count; ++q) {
        double size = fmax(fmax(fabs(own[p * count + q]), fabs(own[q * count + p])), 1e-3 * largest);
        asymmetry = fmax(asymmetry, fabs(own[p * count + q] - own[q * count + p]) / size);
        off = fmax(off, fabs(D[(o * count + p) * count + q] - own[p * count + q]) / size);
      }
    }
  }
  (void)printf("  %s, %s: Hessians unsymmetric by %.1e, central differences off by %.1e\n", path, formulation,
               asymmetry, off);
  ENSURE(asymmetry <= 1e-9);
  ENSURE(off <= 1e-4);
  free(H);
  free(D);
  free(values);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_flight();
  check_free_bodies();
  static const char chain[] = "tests/models/run_chain.yaml", turns[] = "tests/models/run_turns.yaml";
  static const char crank[] = "models/driven_slider_crank.yaml";
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    const char *name = mbs_formulation_types[f]->name;
    check_chain_rule(chain, name, "phi1");
    check_chain_rule(chain, name, "w2");
    check_segments(turns, name, -1, false);
    check_segments(chain, name, -1, false);
    check_segments("models/shaken_pendulum.yaml", name, -1, false);
    check_each_alone("tests/models/run_reactions.yaml", name);
    if (!mbs_formulation_types[f]->is_reduced) {
      check_segments(chain, name, 0.7, false);
    }
    if (mbs_formulation_types[f]->allows_redundancy) {
      check_segments("models/bricard.yaml", name, -1, false);
    }
    check_hessian("models/five_bar.yaml", name);
  }
  check_segments("models/rolling_disc.yaml", "ali3p", -1, false);
  check_segments(crank, NULL, -1, true);
  check_segments("models/five_bar.yaml", NULL, -1, true);  // driven in no part
  check_memory();
  check_settings();
  check_kinematics(crank);
  check_kinematics("models/universal_shaft.yaml");
  check_kinematics(chain);
  check_hessian("tests/models/run_turns.yaml", "index1");
  mbs_context_destroy(context);
  return 0;
}
