// What the terms promise beyond their derivatives: energy and power belong to the forces, and the formulations choose
// the weights they say.
#include "formulations/formulation.h"
#include "simulation/simulation.h"
#include "support.h"

static MbsContext *context;

// a started simulation of a model file
static MbsSimulation *start(const char *path, MbsModel **model) {
  MbsSettings settings;
  MbsSimulation *simulation;
  *model = read_model(context, path);
  MbsArena *arena = mbs_arena_create();
  ENSURE_OK(context, mbs_settings_read(context, arena, *model, &settings));
  mbs_arena_destroy(arena);
  ENSURE_OK(context, mbs_simulation_create(context, *model, &settings, 0, NULL, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  return simulation;
}

static void shake(const MbsSystem *system, MbsState *state, uint64_t *seed) {
  double size = fmin(largest_of(system->nq, state->q), 1);  // of the mechanism: a small one moves less
  state->t = 1 + random_number(seed);
  for (int i = 0; i < system->n; ++i) {
    state->q[i] += 0.1 * size * random_number(seed);
    state->v[i] = size * random_number(seed);
    state->a[i] = 3 * size * random_number(seed);
  }
  for (int i = 0; i < system->m; ++i) {
    state->lambda[i] = 3 * random_number(seed);
  }
  mbs_state_place_fixed(system, state);  // a moving ground is where it is at that time
}

static double energy_at(const MbsSystem *system, const MbsState *state, double *power) {
  MbsEnergy energy;
  mbs_signal_bank_evaluate(system, state);
  mbs_terms_energy(system, state, &energy);
  *power = energy.power;
  return energy.kinetic + energy.potential;
}

// Along any motion E' = v.(M a - Q) + P: with the constraint forces left out (lambda = 0) the first term is v.f. E' by
// a central difference of step 1e-5: error about 1e-10 E''' and rounding 1e-16/1e-5, so 1e-8 of the size.
static void check_power(const MbsSystem *system, MbsState *state, const char *path) {
  const MbsWeights none = {0};
  const double h = 1e-5;
  double *f = zeros(system->n + system->m), power, unused, energy[2], size = 1, expected = 0;
  MbsState moved;
  ENSURE_OK(context, mbs_state_create(context, system, &moved));
  for (int side = 0; side < 2; ++side) {
    double s = side ? h : -h;
    mbs_state_copy(system, state, &moved);
    for (int i = 0; i < system->n; ++i) {
      moved.q[i] += s * state->v[i] + s * s / 2 * state->a[i];
      moved.v[i] += s * state->a[i];
    }
    moved.t += s;
    mbs_state_place_fixed(system, &moved);
    energy[side] = energy_at(system, &moved, &unused);
    size += fabs(energy[side]);
  }
  mbs_state_copy(system, state, &moved);
  memset(moved.lambda, 0, (size_t)system->m * sizeof *moved.lambda);
  memset(moved.total, 0, (size_t)system->m * sizeof *moved.total);
  (void)energy_at(system, &moved, &power);
  mbs_terms_residual(system, &moved, &none, f, NULL);
  for (int i = 0; i < system->first_state; ++i) {  // states have no energy
    expected += f[i] * state->v[i];
    size += fabs(f[i] * state->v[i]);
  }
  expected += power;
  double rate = (energy[1] - energy[0]) / (2 * h);
  if (!(fabs(rate - expected) <= 1e-8 * size)) {
    (void)fprintf(stderr, "%s: dE/dt = %.12g, forces give %.12g (size %.3g)\n", path, rate, expected, size);
    exit(1);
  }
  free(f);
}

static void check_model(const char *path, void *user) {
  (void)user;
  MbsModel *model;
  MbsSimulation *simulation = start(path, &model);
  uint64_t seed = 3;
  for (int k = 0; k < 10; ++k) {
    shake(simulation->system, &simulation->state, &seed);
    check_power(simulation->system, &simulation->state, path);
  }
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
}

// Springs without dampers have a potential that accounts for all they do: no power is left beside it. (With the balance
// above alone, a wrong potential would be made up for by a wrong power.)
static void check_conservative(void) {
  MbsModel *model =
      read_text(context, "conservative",
                "mbsens: 1\n"
                "gravity: [0.3, -9.81]\n"
                "ground: {points: {O: [0, 0], S: [1, 0.5]}}\n"
                "bodies:\n"
                "  bar: {mass: 1, com: [0.5, 0.1], inertia: 0.1, points: {O: [0, 0], P: [1, 0]}}\n"
                "  disc: {mass: 2, com: [0.1, 0], inertia: 0.2, points: {Q: [0, 0.1]}, position: [1, -1]}\n"
                "joints: [{revolute: [ground.O, bar.O]}]\n"
                "forces:\n"
                "  - {spring: [bar.P, ground.S], stiffness: 30, length: 0.4}\n"
                "  - {spring: [bar.P, disc.Q], stiffness: 20, length: 0.7}\n"
                "  - {torsional_spring: [bar, disc], stiffness: 5, angle: 0.3}\n");
  MbsRequest request;
  MbsSimulation *simulation;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  uint64_t seed = 11;
  for (int k = 0; k < 20; ++k) {
    double power;
    shake(simulation->system, &simulation->state, &seed);
    double energy = energy_at(simulation->system, &simulation->state, &power);
    ENSURE_NEAR(power, 0, 1e-13 * (10 + fabs(energy)));  // rounding of products of this size
  }
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
}

// The energy of conservative models is kept to second order, and with dampers and drives the balance
// E - E0 - work is, whose work is a trapezoidal sum: ratio 4 when the step is halved (3 to 5: it is a largest value).
static void check_balance(const char *path, const char *formulation, double most) {
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  double drift[2];
  for (int i = 0; i < 2; ++i) {
    MbsResult *result;
    request.settings.step = i ? 1e-3 : 2e-3;
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    drift[i] = result->statistics.energy_drift;
    mbs_result_destroy(result);
  }
  (void)printf("%s, %s: energy drift %.2e at h = 1e-3, ratio %.2f\n", path, formulation, drift[1], drift[0] / drift[1]);
  ENSURE_NEAR(drift[1], 0, most);
  ENSURE(drift[1] > 0);
  ENSURE_NEAR(drift[0] / drift[1], 4, 1);
  mbs_model_destroy(model);
}

static void check_weights(void) {
  MbsModel *model;
  MbsSimulation *simulation = start("models/pendulum.yaml", &model);
  MbsSettings settings = {.xi = 0.5, .omega = 8, .penalty = 1e6};
  for (int i = 0; mbs_formulation_types[i]; ++i) {
    const char *name = mbs_formulation_types[i]->name;
    for (int stabilised = 0; stabilised < 2; ++stabilised) {
      MbsFormulation formulation;
      settings.is_stabilised = stabilised;
      (void)snprintf(settings.formulation, sizeof settings.formulation, "%s", name);
      ENSURE_OK(context, mbs_formulation_create(context, &settings, simulation->system, &formulation));
      const MbsWeights start = mbs_formulation_weights(&formulation, 0, 0);
      const MbsWeights step = mbs_formulation_weights(&formulation, 0.25, 0.5);
      bool is_penalty = strcmp(name, "penalty") == 0, is_ali1 = strcmp(name, "ali1") == 0;
      bool is_index3 = strcmp(name, "index3") == 0, is_ali3p = strcmp(name, "ali3p") == 0;
      bool is_index1 = strcmp(name, "index1") == 0, is_matrix_r = strcmp(name, "matrix-r") == 0;
      ENSURE(is_penalty || is_ali1 || is_index3 || is_ali3p || is_index1 ||
             is_matrix_r);  // a new one: say here what its weights are
      bool has_terms = is_penalty || is_ali1 || (is_index1 && stabilised);
      ENSURE_NEAR(start.k2, 1, 0);
      ENSURE_NEAR(start.k1, has_terms ? 8 : 0, 0);  // 2 xi omega
      ENSURE_NEAR(start.k0, has_terms ? 64 : 0, 0);
      ENSURE_NEAR(step.k2, is_index3 || is_ali3p ? 0 : 1, 0);
      ENSURE_NEAR(step.k1, has_terms ? 8 : 0, 0);
      ENSURE_NEAR(step.k0, has_terms ? 64 : is_index1 || is_matrix_r ? 0 : 4, 0);  // 1 / c0
      ENSURE_NEAR(start.epsilon, is_penalty ? 1e-6 : 0, 0);
      ENSURE_NEAR(step.epsilon, is_penalty ? 1e-6 : 0, 0);
      ENSURE_NEAR(formulation.relaxation, is_ali1 || is_ali3p || is_matrix_r ? 1e-6 : 0, 0);
      ENSURE(formulation.type->allows_redundancy == (is_penalty || is_ali1 || is_ali3p || is_matrix_r));
    }
  }
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
}

// penalty: lambda is alpha (Phiddot + 2 xi omega Phidot + omega^2 Phi), at the end of a run of the five-bar
static void check_penalty_multipliers(void) {
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsArena *arena = mbs_arena_create();
  MbsSettings settings;
  MbsSimulation *simulation;
  ENSURE_OK(context, mbs_settings_read(context, arena, model, &settings));
  (void)snprintf(settings.formulation, sizeof settings.formulation, "penalty");
  settings.penalty = 1e5;
  ENSURE_OK(context, mbs_simulation_create(context, model, &settings, 0, NULL, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  for (int i = 0; i < 50; ++i) {
    ENSURE_OK(context, mbs_simulation_step(context, simulation));
  }
  for (int i = 0; i < simulation->system->m; ++i) {
    double level[3], lambda = simulation->state.lambda[i];
    mbs_terms_constraint(simulation->system, i, &simulation->state, level);
    double held =
        1e5 * (level[2] + 2 * settings.xi * settings.omega * level[1] + settings.omega * settings.omega * level[0]);
    ENSURE(fabs(lambda) > 0.1);
    ENSURE_NEAR(held, lambda, 1e-6 * fabs(lambda));  // levels of size 1e-4 from terms of size 1: eleven digits left
  }
  mbs_simulation_destroy(simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  ENSURE(for_each_file("tests/models/element_*.yaml", check_model, NULL) > 0);
  ENSURE(for_each_file("models/*.yaml", check_model, NULL) > 0);
  check_conservative();
  check_balance("models/five_bar.yaml", "index1", 1e-4);
  check_balance("models/pendulum.yaml", "index1", 1e-4);
  check_balance("models/slider_spring.yaml", "index1", 1e-4);
  check_balance("tests/models/run_chain.yaml", "index1", 1e-4);
  for (int i = 0; mbs_formulation_types[i]; ++i) {  // the work of what drives the mechanism and shakes the ground
    check_balance("models/driven_slider_crank.yaml", mbs_formulation_types[i]->name, 1e-4);
    check_balance("models/shaken_pendulum.yaml", mbs_formulation_types[i]->name, 1e-3);
  }
  check_weights();
  check_penalty_multipliers();
  mbs_context_destroy(context);
  return 0;
}
