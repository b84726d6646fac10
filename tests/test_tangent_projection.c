// ALI3-P with the tangent projection matrix P = M - c1 Q_v - c0 Q_x, P0 (18): its derivative is in every gradient, in
// the limit it is the mass matrix's, and the multipliers of reactions balance the forces.
//
// Seen to fail with a planted error, one at a time:
//   integrators/projection_derivative.c   c0 = c1 = 0 in P' u;  V of the projected velocity for that of v*
//   integrators/projection_transposed.c   bar_at not handed on;  of_P.q left out
//   integrators/implicit.c                 lambda + kappa for total (the last test)
#include "simulation/simulation.h"
#include "support.h"

static MbsContext *context;

// stiff and damped, with a law and a torque by expressions; objectives on every kind of multiplier, on reactions and
// accelerations
static const char stiff[] =
    "mbsens: 1\n"
    "name: stiff\n"
    "gravity: [0.3, -9.81]\n"
    "parameters: {m: 1.3, c: 0.4, J: 0.2, k: 900, d: 14, L: 0.6, b: 40, s: 3, px: 1.1, gx: 1.4, phi: 0.4, w: 1.5,\n"
    "  n: 0.7, a: 0.5, kt: 25, e: 0.5}\n"
    "ground: {points: {O: [0, 0], A: [a, 0], S: [gx, 0.8]}}\n"
    "bodies:\n"
    "  arm: {mass: m, com: [c, 0.05], inertia: J, points: {O: [0, 0], A: [0, 0.6], P: [px, 0.1]}, angle: 0.4}\n"
    "  rocker: {mass: n, com: [0.1, 0.3], inertia: 0.1, points: {A: [0, 0], Q: [0, 0.6]}, angle: 0.4}\n"
    "  bar: {mass: 0.4, com: [0.3, 0], inertia: 0.05, points: {A: [0, 0], Q: [a, 0]},\n"
    "        position: [-0.23, 0.55]}\n"
    "  bob: {mass: 0.5, inertia: 0.02, points: {P: [-0.4, 0], E: [0.3, 0.1]}, position: [1.2, 0.4]}\n"
    "joints:\n"
    "  - {revolute: [ground.O, arm.O], name: base}\n"
    "  - {revolute: [ground.A, rocker.A]}\n"
    "  - {revolute: [arm.A, bar.A]}\n"
    "  - {revolute: [rocker.Q, bar.Q], name: twin}\n"
    "  - {revolute: [arm.P, bob.P], name: elbow}\n"
    "forces:\n"
    "  - {spring: [arm.P, ground.S], stiffness: k, damping: d, length: L}\n"
    "  - {spring: [bob.E, ground.S], law: 'b*(length - L)^3 + s*rate*abs(rate)'}\n"
    "  - {torsional_spring: [arm, bob], stiffness: kt, damping: e}\n"
    "initial:\n"
    "  independent:\n"
    "    - {coordinate: angle(arm), value: phi, velocity: w}\n"
    "    - {coordinate: angle(bob), value: 0.2, velocity: -w}\n"
    "objectives:\n"
    "  path: {integral: 'dot(r(E), r(E)) + v(E).x*a(E).y'}\n"
    "  multipliers: {integral: 'lambda(arm)^2'}\n"
    "  velocity: {integral: 'sigma(arm)^2*1e6'}\n"
    "  acceleration: {integral: 'kappa(arm)^2'}\n"
    "  bearing: {integral: 'dot(force(base), force(base))'}\n"
    "  pin: {final: 'force(elbow).x + norm(force(twin))'}\n"
    "simulation: {end: 0.4, step: 0.01, formulation: ali3p}\n";

static MbsResult *run(const MbsModel *model, const MbsRequest *request, MbsMethod method, bool is_tangent) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = method;
  own.settings.is_projection_tangent = is_tangent;
  ENSURE_OK(context, mbs_run(context, model, &own, &result));
  return result;
}

// largest difference, relative to the entry or a hundred-thousandth of its objective's largest
static double distance(const MbsResult *tried, const MbsResult *reference) {
  double worst = 0;
  int count = reference->parameter_count;
  for (int i = 0; i < reference->objective_count; ++i) {
    double largest = largest_of(count, reference->gradient + i * count);
    ENSURE(largest > 0);
    for (int k = i * count; k < (i + 1) * count; ++k) {
      double size = fmax(fabs(reference->gradient[k]), 1e-5 * largest);
      double error = fabs(tried->gradient[k] - reference->gradient[k]) / size;
      worst = error > worst || isnan(error) ? error : worst;
    }
  }
  return worst;
}

// direct and adjoint against the complex step, and all of them against the mass matrix
static void check_gradients(const MbsModel *model, const char *name, const MbsRequest *request, double limit,
                            double least_effect) {
  MbsResult *reference = run(model, request, MBS_METHOD_COMPLEX_STEP, true);
  MbsResult *direct = run(model, request, MBS_METHOD_DIRECT, true);
  MbsResult *adjoint = run(model, request, MBS_METHOD_ADJOINT, true);
  MbsResult *mass = run(model, request, MBS_METHOD_DIRECT, false);
  double errors[] = {distance(direct, reference), distance(adjoint, reference)}, effect = distance(mass, reference);
  (void)printf("%-40s direct %.1e, adjoint %.1e, mass matrix %.1e\n", name, errors[0], errors[1], effect);
  ENSURE_NEAR(errors[0], 0, limit);
  ENSURE_NEAR(errors[1], 0, limit);
  ENSURE(effect > least_effect);  // the choice of the matrix shows, so its derivative is in there
  ENSURE_NEAR(direct->statistics.residual_velocity, 0, 1e-10);
  ENSURE_NEAR(direct->statistics.residual_acceleration, 0, 1e-9);
  mbs_result_destroy(reference);
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_result_destroy(mass);
}

static MbsRequest request_of(const MbsModel *model) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "ali3p");
  request.settings.end = fmin(request.settings.end, 0.4);
  request.settings.step = fmin(request.settings.step, 1e-2);
  return request;
}

static void check_model(const char *path, void *user) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model);
  const double *least_effect = user;
  // multipliers of a step that keeps Phi = 0 itself are Newton's error over h^2: see test_whole_runs
  check_gradients(model, path, &request, strstr(path, "bricard") ? 1e-6 : 1e-7, *least_effect);
  mbs_model_destroy(model);
}

// with projections that stop early, and with another rule
static void check_variants(void) {
  MbsModel *model = read_text(context, "stiff", stiff);
  MbsRequest request = request_of(model);
  check_gradients(model, "stiff", &request, 1e-7, 1e-3);
  request.settings.projections = 1;
  MbsResult *reference = run(model, &request, MBS_METHOD_COMPLEX_STEP, true);
  MbsResult *direct = run(model, &request, MBS_METHOD_DIRECT, true);
  ENSURE_NEAR(distance(direct, reference), 0, 1e-7);
  mbs_result_destroy(reference);
  mbs_result_destroy(direct);
  request.settings.projections = 0;
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "generalised-alpha");
  request.settings.spectral_radius = 0.6;
  check_gradients(model, "stiff, generalised-alpha", &request, 1e-7, 1e-3);
  mbs_model_destroy(model);
}

// Both matrices have one limit: what they do differently falls with h^2 where forces are damped, and with h^3 where
// they are not, P - M being of order h or h^2. Largest entry, relative to its objective's largest, at two steps.
static void check_order(const char *path, double expected) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model);
  double difference[3];
  for (int i = 0; i < 3; ++i) {
    request.settings.step = 0.01 / (1 << i);
    MbsResult *tangent = run(model, &request, MBS_METHOD_DIRECT, true);
    MbsResult *mass = run(model, &request, MBS_METHOD_DIRECT, false);
    int count = mass->parameter_count;
    difference[i] = 0;
    for (int k = 0; k < mass->objective_count * count; ++k) {
      double size = largest_of(count, mass->gradient + k / count * count);
      difference[i] = fmax(difference[i], fabs(tangent->gradient[k] - mass->gradient[k]) / size);
    }
    mbs_result_destroy(tangent);
    mbs_result_destroy(mass);
  }
  (void)printf("%s: difference to the mass matrix %.2e %.2e %.2e when the step is halved\n", path, difference[0],
               difference[1], difference[2]);
  ENSURE(difference[2] > 1e-9);
  ENSURE_NEAR(difference[0] / difference[1], expected, expected / 4);
  ENSURE_NEAR(difference[1] / difference[2], expected, expected / 4);
  mbs_model_destroy(model);
}

// largest entry of M a - Q + Abar' multipliers
static double rest_of_balance(const MbsSimulation *simulation, mbs_scalar *multipliers) {
  double *f = zeros(simulation->system->nq);
  MbsState state = simulation->state;
  state.lambda = multipliers;
  mbs_terms_forces(simulation->system, &state, MBS_PART_ALL, f);
  double rest = largest_of(simulation->system->n, f);
  free(f);
  return rest;
}

// The multipliers of reactions balance the forces at the state that is printed better than lambda + kappa, and what is
// left falls with h^3.
static void check_balance(void) {
  MbsModel *model = read_text(context, "stiff", stiff);
  double rest[2];
  for (int i = 0; i < 2; ++i) {
    MbsRequest request = request_of(model);
    MbsSimulation *simulation;
    request.settings.is_projection_tangent = true;
    request.settings.step = 0.01 / (1 << i);
    ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
    ENSURE_OK(context, mbs_simulation_start(context, simulation));
    while (!mbs_simulation_is_over(simulation)) {
      ENSURE_OK(context, mbs_simulation_step(context, simulation));
    }
    const MbsState *state = &simulation->state;
    double *sum = zeros(simulation->system->m);
    for (int k = 0; k < simulation->system->m; ++k) {
      sum[k] = state->lambda[k] + state->kappa[k];
    }
    rest[i] = rest_of_balance(simulation, state->total);
    (void)printf("rest of the balance at h = %g: %.2e, with lambda + kappa %.2e\n", request.settings.step, rest[i],
                 rest_of_balance(simulation, sum));
    ENSURE(rest[i] < 0.8 * rest_of_balance(simulation, sum));
    free(sum);
    mbs_simulation_destroy(simulation);
  }
  ENSURE_NEAR(rest[0] / rest[1], 8, 2);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  double least_effect = 1e-7, none = -1;
  ENSURE(for_each_file("tests/models/run_*.yaml", check_model, &none) > 3);
  check_model("tests/models/element_bushing_space.yaml", &least_effect);
  check_model("tests/models/element_spring_space_law.yaml", &least_effect);
  check_model("tests/models/element_torsional_spring_space_law.yaml", &least_effect);
  check_model("models/five_bar.yaml", &least_effect);
  check_model("models/slider_spring.yaml", &least_effect);
  check_model("models/double_wishbone.yaml", &least_effect);
  check_model("models/bricard.yaml", &none);
  check_model("models/snakeboard.yaml", &none);
  check_variants();
  check_order("models/five_bar.yaml", 8);
  check_order("models/slider_spring.yaml", 4);
  check_balance();
  mbs_context_destroy(context);
  return 0;
}
