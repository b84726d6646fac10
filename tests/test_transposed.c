// The transposed product is the transpose: u'(r_x X + r_v V + r_a A + r_lambda L + r_rho) computed both ways, at
// random states of shipped models, for every column. The same for the integrands of objectives, reactions among them.
#include "ensure.h"
#include "sensitivities/request.h"
#include "sensitivities/selection.h"
#include "simulation/simulation.h"

static unsigned long long seed = 42;

static double uniform(void) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(seed >> 11) / (double)(1ULL << 53) * 2 - 1;
}

static double *numbers(int count, double scale) {
  double *made = malloc(((size_t)count + 1) * sizeof *made);
  for (int i = 0; i < count; ++i) {
    made[i] = scale * uniform();
  }
  return made;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void check(MbsSimulation *simulation, const MbsWeights *weights, double *largest_term) {
  const MbsSystem *system = simulation->system;
  int n = system->n, nq = system->nq, m = system->m, columns = system->column_count;
  MbsState *state = &simulation->state;
  for (int i = 0; i < n; ++i) {
    state->q[i] += 0.1 * uniform();
    state->v[i] = uniform();
    state->a[i] = uniform();
  }
  for (int i = 0; i < m; ++i) {
    state->lambda[i] = uniform();
  }
  double *X = numbers(nq * columns, 1), *V = numbers(nq * columns, 1), *A = numbers(nq * columns, 1);
  double *L = numbers(m * columns, 1), *mu = numbers(n, 1), *nu = numbers(m, 1);
  double *R = numbers((n + m) * columns, 0);
  mbs_terms_derivative(system, state, weights, columns, true, X, V, A, L, R);

  double *q = numbers(nq, 0), *v = numbers(nq, 0), *a = numbers(nq, 0), *lambda = numbers(m, 0);
  double *coefficients = numbers(system->coefficients.nodes.count, 0);
  double *parameters = numbers(system->blueprint->parameters.count, 0);
  double *gradient = numbers(columns, 0);
  const MbsStateBar bar = {
      .q = q, .v = v, .a = a, .lambda = lambda, .coefficients = coefficients, .parameters = parameters};
  mbs_terms_transposed(system, state, weights, MBS_PART_ALL, mu, nu, &bar);
  mbs_system_chain(system, coefficients, parameters, gradient);
  for (int k = 0; k < columns; ++k) {
    double forward = dot(n, mu, R + k * (n + m)) + dot(m, nu, R + k * (n + m) + n);
    double parts[] = {dot(nq, q, X + k * nq), dot(nq, v, V + k * nq), dot(nq, a, A + k * nq), dot(m, lambda, L + k * m),
                      gradient[k]};
    double backward = 0, size = 0;
    for (int i = 0; i < 5; ++i) {
      backward += parts[i];
      size = fmax(size, fabs(parts[i]));
      largest_term[i] = fmax(largest_term[i], fabs(parts[i]));
    }
    // the same products summed in another order: rounding of the largest part
    ENSURE_NEAR(backward, forward, 1e-12 * fmax(size, 1));
  }
  double *all[] = {X, V, A, L, mu, nu, R, q, v, a, lambda, coefficients, parameters, gradient};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
}

// mu'(P u)' for every column, forward and backward, with P of the tangent projections
static void check_tangent_slopes(const MbsSimulation *simulation, double *largest_term) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  int n = system->n, nq = system->nq, columns = system->column_count;
  const double c0 = 0.6, c1 = 1.7;
  double *X = numbers(nq * columns, 1), *V = numbers(nq * columns, 1), *mu = numbers(n, 1), *u = numbers(nq, 1);
  double *R = numbers((n + system->m) * columns, 0);
  double *q = numbers(nq, 0), *v = numbers(nq, 0), *coefficients = numbers(system->coefficients.nodes.count, 0);
  double *parameters = numbers(system->blueprint->parameters.count, 0), *gradient = numbers(columns, 0);
  for (int i = n; i < nq; ++i) {
    u[i] = 0;
  }
  mbs_terms_tangent_slopes(system, state, c0, c1, u, &(MbsColumns){.X = X, .V = V}, R);
  const MbsStateBar bar = {.q = q, .v = v, .coefficients = coefficients, .parameters = parameters};
  mbs_terms_tangent_transposed(system, state, c0, c1, u, mu, &bar);
  mbs_system_chain(system, coefficients, parameters, gradient);
  for (int k = 0; k < columns; ++k) {
    double forward = dot(n, mu, R + k * (n + system->m)), size = 0;
    double parts[] = {dot(nq, q, X + k * nq), dot(nq, v, V + k * nq), gradient[k]};
    for (int i = 0; i < 3; ++i) {
      size = fmax(size, fabs(parts[i]));
      largest_term[i] = fmax(largest_term[i], fabs(parts[i]));
    }
    ENSURE_NEAR(parts[0] + parts[1] + parts[2], forward, 1e-12 * fmax(size, 1));
  }
  double *all[] = {X, V, mu, u, R, q, v, coefficients, parameters, gradient};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
}

// g' for every column, forward and backward; part 3 of the largest terms are the multipliers of reactions
static void check_functions(MbsSimulation *simulation, double *largest_term) {
  const MbsSystem *system = simulation->system;
  int nq = system->nq, m = system->m, columns = system->column_count;
  MbsState *state = &simulation->state;
  for (int i = 0; i < m; ++i) {
    state->total[i] = uniform();
  }
  mbs_signal_bank_evaluate(system, state);
  double *X = numbers(nq * columns, 1), *V = numbers(nq * columns, 1), *A = numbers(nq * columns, 1);
  double *L = numbers(m * columns, 1), *T = numbers(m * columns, 1);
  const MbsColumns direction = {.X = X, .V = V, .A = A, .L = L, .T = T};
  mbs_signal_bank_differentiate(system, state, &direction);
  for (int o = 0; o < simulation->objectives.count; ++o) {
    const MbsFunction *function = &simulation->objectives.items[o].function;
    double *q = numbers(nq, 0), *v = numbers(nq, 0), *a = numbers(nq, 0), *lambda = numbers(m, 0);
    double *total = numbers(m, 0), *coefficients = numbers(system->coefficients.nodes.count, 0);
    double *parameters = numbers(system->blueprint->parameters.count, 0), *gradient = numbers(columns, 0);
    const MbsStateBar bar = {.q = q,
                             .v = v,
                             .a = a,
                             .lambda = lambda,
                             .total = total,
                             .coefficients = coefficients,
                             .parameters = parameters};
    if (simulation->objectives.items[o].kind != MBS_OBJECTIVE_IS_VALUE) {
      (void)mbs_function_evaluate(system, function, state, NULL);
      mbs_function_transposed(system, function, state, 1, &bar);
      mbs_system_chain(system, coefficients, parameters, gradient);
      for (int k = 0; k < columns; ++k) {
        double forward = mbs_function_derivative(system, function, state, k, &direction, NULL);
        double parts[] = {dot(nq, q, X + k * nq), dot(nq, v, V + k * nq), dot(nq, a, A + k * nq),
                          dot(m, total, T + k * m), gradient[k]};
        double backward = dot(m, lambda, L + k * m), size = fabs(backward);
        for (int i = 0; i < 5; ++i) {
          backward += parts[i];
          size = fmax(size, fabs(parts[i]));
          largest_term[i] = fmax(largest_term[i], fabs(parts[i]));
        }
        ENSURE_NEAR(backward, forward, 1e-12 * fmax(size, 1));
      }
    }
    double *all[] = {q, v, a, lambda, total, coefficients, parameters, gradient};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
      free(all[i]);
    }
  }
  double *all[] = {X, V, A, L, T};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
}

static double largest_slope[3];  // parts of (P u)' of q, v and parameters, in all models

static void check_model(const char *path, bool with_reactions) {
  MbsContext *context = mbs_context_create();
  MbsModel *model;
  MbsRequest request;
  MbsSelection selection;
  MbsSimulation *simulation;
  MbsArena *arena = mbs_arena_create();
  ENSURE(mbs_model_read_file(context, path, &model) == MBS_OK);
  ENSURE(mbs_request_default(context, model, &request) == MBS_OK);
  ENSURE(mbs_selection_create(context, arena, model, &request, &selection) == MBS_OK);
  ENSURE(mbs_simulation_create(context, model, &request.settings, selection.parameter_count, selection.parameters, NULL,
                               &simulation) == MBS_OK);
  ENSURE(mbs_simulation_start(context, simulation) == MBS_OK);
  const MbsWeights weights = {.k0 = 0.7, .k1 = 1.3, .k2 = 0.9, .epsilon = 0.4, .n1 = 0.6, .n2 = 1.1, .n_epsilon = 0.3};
  double largest_term[5] = {0}, largest_part[5] = {0};
  ENSURE(mbs_terms_prepare_tangent_slopes(context, simulation->system) == MBS_OK);
  for (int i = 0; i < 20; ++i) {
    check(simulation, &weights, largest_term);
    check_functions(simulation, largest_part);
    check_tangent_slopes(simulation, largest_slope);
  }
  for (int i = 0; i < 5; ++i) {
    ENSURE(largest_term[i] > 1e-3);  // every part has been exercised
    ENSURE(largest_part[i] > 1e-3 || !with_reactions);
  }
  mbs_simulation_destroy(simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
}

int main(void) {
  check_model("models/five_bar.yaml", false);
  check_model("models/slider_spring.yaml", false);
  check_model("models/pendulum.yaml", false);
  check_model("models/rolling_disc.yaml", false);
  check_model("tests/models/element_velocity_constraint_plane.yaml", false);
  check_model("tests/models/run_reactions.yaml", true);
  check_model("tests/models/run_reactions_space.yaml", true);
  check_model("models/slider_crank.yaml", false);
  check_model("tests/models/element_coordinates_alone.yaml", false);
  check_model("tests/models/element_coordinates_plane.yaml", false);
  check_model("tests/models/element_coordinates_space.yaml", false);
  check_model("tests/models/element_coordinates_velocity.yaml", false);
  check_model("tests/models/element_vectors_plane.yaml", false);
  check_model("tests/models/element_vectors_space.yaml", false);
  for (int i = 0; i < 3; ++i) {
    ENSURE(largest_slope[i] > 1);
  }
  return 0;
}
