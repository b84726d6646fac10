// The transposed product is the transpose: u'(r_x X + r_v V + r_a A + r_lambda L + r_rho) computed both ways, at
// random states of every shipped model, for every column.
#include "ensure.h"
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

static void check_model(const char *path) {
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
  double largest_term[5] = {0};
  for (int i = 0; i < 20; ++i) {
    check(simulation, &weights, largest_term);
  }
  for (int i = 0; i < 5; ++i) {
    ENSURE(largest_term[i] > 1e-3);  // every part has been exercised
  }
  mbs_simulation_destroy(simulation);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
}

int main(void) {
  check_model("models/five_bar.yaml");
  check_model("models/slider_spring.yaml");
  check_model("models/pendulum.yaml");
  return 0;
}
