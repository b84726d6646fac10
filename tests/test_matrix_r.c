// matrix-r beyond whole runs (test_whole_runs: every model, direct = adjoint = complex step): changes of the
// independent coordinates on the way, and the record by which another run walks the same path; generalised-alpha;
// nonholonomic constraints, where some rates follow; redundant constraints, by least squares.
//
// Seen to fail with a planted error, one at a time:
//   integrators/reduced.c            the record of another run not followed
//   kinematics/initial_rows.c        a set without its coordinates
//   integrators/reduced_newton.c     qa in the hats
//   integrators/reduced_derivative.c cw s' left out of u'
//   integrators/reduced_transposed.c cw p5 left out of what s receives;  u's hat left out;  p4 left out
//   simulation/objectives.c          signals left where the step's derivative was taken
//   algebra/sparse_solver.c          pivots of K kept until ten digits are left (the governor, at t = 3.81)
#include "integrators/reduced.h"
#include "sensitivities/twin.h"
#include "simulation/simulation.h"
#include "support.h"

static MbsContext *context;

// turns over and over: neither x nor y of its tips serves for long, and no coordinate is given
static const char *tumbling =
    "mbsens: 1\n"
    "name: tumbling double pendulum\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 1.5, L: 0.8, I: 0.1, w: 9}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  upper: {mass: m, com: [0.4, 0.02], inertia: I, points: {O: [0, 0], P: [L, 0]}}\n"
    "  lower: {mass: 0.7, com: [0.3, 0.1], inertia: 0.05, points: {P: [0, 0], Q: [0.6, 0]}}\n"
    "joints:\n"
    "  - revolute: [ground.O, upper.O]\n"
    "  - revolute: [upper.P, lower.P]\n"
    "forces:\n"
    "  - {torque: upper, value: w*exp(-t)}\n"
    "objectives:\n"
    "  end: {final: r(Q).x + 0.3*v(Q).y}\n"
    "  way: {integral: \"dot(a(Q), a(Q))\"}\n"
    "simulation: {end: 1.5, step: 0.005, formulation: matrix-r}\n";

static MbsRequest request_of(const MbsModel *model) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  return request;
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request, MbsMethod method) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = method;
  ENSURE_OK(context, mbs_run(context, model, &own, &result));
  return result;
}

static void ensure_same_gradient(const char *what, const MbsResult *tried, const MbsResult *reference, double most) {
  double worst = 0;
  for (int i = 0; i < reference->objective_count; ++i) {
    const double *at = reference->gradient + i * reference->parameter_count;
    double largest = largest_of(reference->parameter_count, at);
    ENSURE(largest > 0);
    for (int k = 0; k < reference->parameter_count; ++k) {
      double off =
          fabs(tried->gradient[i * reference->parameter_count + k] - at[k]) / fmax(fabs(at[k]), 1e-5 * largest);
      worst = off <= worst ? worst : off;
    }
  }
  (void)printf("  %-60s %.1e\n", what, worst);
  if (!(worst <= most)) {
    (void)fprintf(stderr, "%s: off by %.3g, %.3g is allowed\n", what, worst, most);
    exit(1);
  }
}

// direct = adjoint (whole, and in pieces that are walked again) = complex step; and differences nearby
static void check_gradients(const char *name, const MbsModel *model, const MbsRequest *request, double differences) {
  (void)printf("%s\n", name);
  MbsRequest pieces = *request;
  MbsResult *direct = run(model, request, MBS_METHOD_DIRECT), *adjoint = run(model, request, MBS_METHOD_ADJOINT);
  pieces.memory = adjoint->statistics.trajectory_bytes * 0.85;
  MbsResult *again = run(model, &pieces, MBS_METHOD_ADJOINT);
  MbsResult *reference = run(model, request, MBS_METHOD_COMPLEX_STEP);
  ENSURE(adjoint->statistics.segments == 1 && again->statistics.segments > 1);
  ensure_same_gradient("direct against complex step", direct, reference, 1e-8);
  ensure_same_gradient("adjoint against complex step", adjoint, reference, 1e-8);
  ensure_same_gradient("adjoint in pieces against complex step", again, reference, 1e-8);
  if (differences > 0) {
    MbsResult *difference = run(model, request, MBS_METHOD_FINITE_DIFFERENCE);
    ensure_same_gradient("differences against complex step", difference, reference, differences);
    mbs_result_destroy(difference);
  }
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_result_destroy(again);
  mbs_result_destroy(reference);
}

// ---- the record ----
static MbsResult twin_run(MbsArena *arena, const MbsModel *model, const MbsPath *followed, int perturbed,
                          MbsPath *path) {
  MbsRequest request = request_of(model);
  MbsTwinRequest twin = {.settings = request.settings, .perturbed = perturbed, .followed = followed};
  MbsResult result;
  ENSURE_OK(context, (perturbed < 0 ? mbs_twin_run : mbs_complex_run)(context, arena, model, &twin, &result, path));
  return result;
}

static void ensure_same_path(const MbsPath *a, const MbsPath *b) {
  ENSURE(a->set_count == b->set_count && a->step_count == b->step_count);
  for (int s = 0; s < a->set_count; ++s) {
    ENSURE(a->sets[s].count == b->sets[s].count);
    for (int i = 0; i < a->sets[s].count; ++i) {
      ENSURE(a->sets[s].coordinates[i] == b->sets[s].coordinates[i]);
    }
  }
  for (long step = 1; step <= a->step_count; ++step) {
    const MbsStep one = mbs_path_step(a, step), other = mbs_path_step(b, step);
    ENSURE(one.set == other.set && !(one.t < other.t || one.t > other.t) && !(one.h < other.h || one.h > other.h));
  }
}

// A run goes where the record says, also where it would have decided otherwise: with each change two steps later the
// results differ by what another discretisation of two steps gives, and the complex step follows.
static void check_record(void) {
  MbsModel *model = read_text(context, "tumbling.yaml", tumbling);
  MbsArena *arena = mbs_arena_create();
  ENSURE(arena);
  MbsPath whole, paths[3], *path = &whole;
  MbsResult nominal = twin_run(arena, model, NULL, -1, path);
  MbsPath other = {.n = path->n, .m = path->m, .set_count = path->set_count, .sets = path->sets};
  int changes = 0;
  ENSURE(path->set_count > 1);
  for (long step = 1; step <= path->step_count; ++step) {
    int set = mbs_path_step(path, step > 2 ? step - 2 : 1).set;
    ENSURE_OK(context, mbs_path_add_planned(context, arena, &other, path, step, &(MbsStep){.set = set}));
    changes += step > 1 && mbs_path_step(path, step).set != mbs_path_step(path, step - 1).set;
  }
  (void)printf("tumbling: %d sets, %d changes\n", path->set_count, changes);
  ENSURE(changes >= 3);
  MbsResult same = twin_run(arena, model, path, -1, &paths[0]), moved = twin_run(arena, model, &other, -1, &paths[1]);
  (void)twin_run(arena, model, &other, 0, &paths[2]);
  ensure_same_path(&paths[0], path);
  ensure_same_path(&paths[1], &other);
  ensure_same_path(&paths[2], &other);
  for (int i = 0; i < nominal.objective_count; ++i) {
    double size = fabs(nominal.values[i]), off = fabs(moved.values[i] - nominal.values[i]);
    ENSURE_NEAR(same.values[i], nominal.values[i], 1e-10 * size);
    ENSURE(off > 1e-9 * size && off < 1e-2 * size);
  }
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

// ---- rules ----
static MbsRequest matrix_r(const MbsModel *model, double end, double spectral_radius) {
  MbsRequest request = request_of(model);
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "matrix-r");
  request.settings.end = end > 0 ? end : request.settings.end;
  if (spectral_radius >= 0) {
    (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "generalised-alpha");
    request.settings.spectral_radius = spectral_radius;
  }
  return request;
}

static void check_changes(void) {
  MbsModel *model = read_text(context, "tumbling.yaml", tumbling);
  MbsRequest plain = matrix_r(model, 0, -1), damped = matrix_r(model, 0, 0.6);
  check_gradients("changes of the independent coordinates", model, &plain, 1e-5);
  check_gradients("the same with generalised-alpha", model, &damped, 1e-5);
  mbs_model_destroy(model);
}

// angles and points of the user's, ground that moves, nonholonomic constraints with rates that follow, redundancy
static void check_models(void) {
  static const struct {
    const char *path, *independent;
    double end, spectral_radius;
  } all[] = {
      {"models/five_bar.yaml", "", 1, 0.7},
      {"models/five_bar.yaml", "r(P2).x, r(P2).y", 1, -1},
      {"models/five_bar.yaml", "r(P2).x, r(P2).y", 1, 0.2},
      {"models/shaken_pendulum.yaml", "", 0, 0.5},
      {"models/shaken_pendulum.yaml", "", 0, 0},
      {"models/rolling_disc.yaml", "", 1, 0.8},
      {"models/snakeboard.yaml", "", 1, 0.4},
      {"tests/models/element_rolling_space_moving.yaml", "", 0.1, 0.7},
      {"tests/models/adjoint_redundant.yaml", "", 0.5, 0.7},
      {"models/bricard.yaml", "", 0.1, 0.8},
  };
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    MbsModel *model = read_model(context, all[i].path);
    MbsRequest request = matrix_r(model, all[i].end, all[i].spectral_radius);
    char name[200];
    (void)snprintf(request.settings.independent, sizeof request.settings.independent, "%s", all[i].independent);
    (void)snprintf(name, sizeof name, "%s %s %g", all[i].path, all[i].independent, all[i].spectral_radius);
    check_gradients(name, model, &request, 0);
    mbs_model_destroy(model);
  }
}

// the largest difference of the values from those of another run, each relative to its size
static double off(const MbsResult *tried, const MbsResult *reference) {
  double worst = 0;
  for (int i = 0; i < reference->objective_count; ++i) {
    worst = fmax(worst, fabs(tried->values[i] - reference->values[i]) / (1e-3 + fabs(reference->values[i])));
  }
  return worst;
}

// Values of runs with h, h/2, h/4 come together as h^2, and to where ali3p leads with the smallest step.
static void check_order(const char *name, const MbsModel *model, double end, double step, double spectral_radius,
                        double nearby) {
  MbsResult *results[4];
  for (int k = 0; k < 4; ++k) {
    MbsRequest request = matrix_r(model, end, k < 3 ? spectral_radius : -1);
    request.settings.step = step / (k < 3 ? 1 << k : 32);
    if (k == 3) {
      (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "ali3p");
    }
    results[k] = run(model, &request, MBS_METHOD_NONE);
  }
  double far = off(results[0], results[1]), near = off(results[1], results[2]), to_other = off(results[2], results[3]);
  (void)printf("order: %-48s %.1e %.1e, ratio %.2f; from ali3p %.1e\n", name, far, near, far / near, to_other);
  ENSURE(far > 1e-9);  // a ratio of roundings would say nothing
  ENSURE_NEAR(far / near, 4, 0.6);
  ENSURE(to_other < nearby);
  for (int k = 0; k < 4; ++k) {
    mbs_result_destroy(results[k]);
  }
}

static void check_orders(void) {
  MbsModel *model = read_text(context, "tumbling.yaml", tumbling);
  check_order("changes of coordinates", model, 1, 0.002, -1, 1e-3);
  check_order("changes of coordinates, generalised-alpha", model, 1, 0.002, 0.7, 1e-3);
  mbs_model_destroy(model);
  static const struct {
    const char *path;
    double end, step;
  } all[] = {{"models/rolling_disc.yaml", 2, 0.004},
             {"models/snakeboard.yaml", 2, 0.02},
             {"models/two_point_mass.yaml", 5, 0.04},
             {"models/rolling_coin_incline.yaml", 0.5, 0.001}};
  for (int i = 0; i < MBS_COUNT(all); ++i) {
    model = read_model(context, all[i].path);
    check_order(all[i].path, model, all[i].end, all[i].step, -1, 1e-2);
    check_order("  with generalised-alpha", model, all[i].end, all[i].step, 0.7, 1e-2);
    mbs_model_destroy(model);
  }
}

// ---- redundant constraints ----
// All rows take part, or those that are independent at the start: R, and with it the motion, is the same.
static void check_least_squares(const char *path, double end) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = matrix_r(model, end, -1);
  MbsSimulation *simulation;
  ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  const MbsIndependentSet *start = &simulation->initial->set, *set = ((const MbsReduced *)simulation->stepper)->sets[0];
  ENSURE(start->redundant_count > 0 && set->position.is_overcounted && !start->position.is_overcounted);
  ENSURE(set->position.row_count == simulation->system->n + start->redundant_count);
  // the same coordinates with the rows of the start alone
  MbsSetChoice square = mbs_independent_set_choice(set);
  square.row_count = square.rate_row_count = simulation->system->n;
  square.rows = square.rate_rows = start->position.rows;
  MbsPath followed = {.n = simulation->system->n, .m = simulation->system->m, .set_count = 1, .sets = &square};
  MbsStretch stretch = {.last = simulation->plan.step_count, .h = request.settings.step};
  ENSURE_OK(context, mbs_path_add_stretch(context, simulation->arena, &followed, &stretch));
  MbsArena *arena = mbs_arena_create();
  MbsTwinRequest twin = {.settings = request.settings, .perturbed = -1};
  MbsResult all, some;
  MbsPath path_of_all;
  ENSURE_OK(context, mbs_twin_run(context, arena, model, &twin, &all, &path_of_all));
  twin.followed = &followed;
  ENSURE_OK(context, mbs_twin_run(context, arena, model, &twin, &some, NULL));
  double worst = 0;
  for (int i = 0; i < all.objective_count; ++i) {
    worst = fmax(worst, fabs(all.values[i] - some.values[i]) / fmax(fabs(all.values[i]), 1e-6));
  }
  (void)printf("%s: least squares against rows by rank %.1e\n", path, worst);
  ENSURE(path_of_all.set_count == 1 && worst > 0 && worst < 1e-9);
  mbs_arena_destroy(arena);
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
}

// Over four seconds every pivot of K fades at some time.
static void check_pivots(void) {
  const char *objective = "load", *parameter = "Izz";
  MbsModel *model = read_model(context, "models/governor.yaml");
  MbsRequest request = request_of(model);
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "matrix-r");
  request.objective_count = request.parameter_count = 1;
  request.objectives = &objective;
  request.parameters = &parameter;
  (void)printf("governor\n");
  MbsResult *direct = run(model, &request, MBS_METHOD_DIRECT);
  MbsResult *reference = run(model, &request, MBS_METHOD_COMPLEX_STEP);
  ensure_same_gradient("direct against complex step", direct, reference, 1e-7);
  mbs_result_destroy(direct);
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

// A hinge said twice, in relative coordinates: the balance that finds the smallest multipliers differentiates at states
// of its own, and the integrand must not be taken there (found by fuzz_coordinates).
static void check_signals_after_balance(void) {
  static const char text[] =
      "mbsens: 1\n"
      "gravity: [0, -9.81]\n"
      "parameters: {Lc: 0.15, m: 1}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  crank: {mass: m, com: [Lc/2, 0], inertia: 0.01, points: {O: [0, 0], P: [Lc, 0]}}\n"
      "  rod: {mass: m, com: [0.45, 0], inertia: 0.05, points: {P: [0, 0], Q: [0.9, 0]}}\n"
      "  slider: {mass: 2, com: [0, 0], inertia: 0.1, points: {Q: [0, 0]}}\n"
      "joints:\n"
      "  - revolute: [ground.O, crank.O]\n"
      "  - revolute: [crank.P, rod.P]\n"
      "  - revolute: [rod.Q, slider.Q]\n"
      "  - revolute: [rod.Q, slider.Q]\n"
      "  - {prismatic: [ground.O, slider.Q], axis: [1, 0]}\n"
      "  - {driver: angle(crank), value: 0.5 + 7*t}\n"
      "initial: {points: {P: [0.13, 0.07], Q: [1.0, 0]}}\n"
      "objectives: {x: {integral: \"a(Q).x^2\"}}\n"
      "simulation: {end: 0.4, step: 0.01, formulation: matrix-r, coordinates: relative}\n";
  MbsModel *model = read_text(context, "hinge said twice", text);
  const MbsRequest request = request_of(model);
  MbsResult *simulated = run(model, &request, MBS_METHOD_NONE);
  MbsResult *direct = run(model, &request, MBS_METHOD_DIRECT);
  ENSURE_NEAR(direct->values[0], simulated->values[0], 1e-12 * simulated->values[0]);
  check_gradients("hinge said twice", model, &request, 1e-5);
  mbs_result_destroy(simulated);
  mbs_result_destroy(direct);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_record();
  check_changes();
  check_models();
  check_orders();
  check_least_squares("models/bricard.yaml", 0.5);
  check_least_squares("tests/models/adjoint_redundant.yaml", 1);
  check_pivots();
  check_signals_after_balance();
  mbs_context_destroy(context);
  return 0;
}
