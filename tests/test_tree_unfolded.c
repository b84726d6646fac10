// The start of deep trees: the matrix of the position problem with unknowns of the bodies' own (tree/tree_unfolded.h).
//
// Its solutions, and those of its transpose, must be those of the matrix of the coordinates: all models whose start has
// a matrix of relative coordinates, a little off their position. Then chains that are deep by themselves: direct =
// adjoint = complex step there, and natural coordinates find the same start and the same motion.
//
// Seen to fail with a planted error: the lever of a vector, b about the ground's origin, a lever with the wrong sign,
// a constraint's slopes in the order of their entries, the gradient not cleared.
#include <math.h>

#include "algebra/sparse_solver.h"
#include "simulation/simulation.h"
#include "support.h"
#include "tree/tree_unfolded.h"

enum { TEXT = 40000 };

typedef struct Tried {
  MbsContext *context;
  const char *path;
  int count;  // of models
  double worst;
} Tried;

// ---- one matrix, two ways ----
static MbsSparseSolver *unfold(Tried *tried, const MbsIndependentSet *set, const MbsState *state) {
  const MbsSystem *system = set->system;
  const MbsProblem *problem = &set->position;
  MbsKinematicRow *rows = malloc((size_t)system->n * sizeof *rows);
  MbsPattern pattern;
  MbsUnfolded *unfolded;
  MbsSparseSolver *solver;
  for (int r = 0; r < system->n; ++r) {
    int index = problem->rows[r] - system->m;
    rows[r] =
        (MbsKinematicRow){.constraint = problem->rows[r], .function = index >= 0 ? &set->independents[index].w : NULL};
  }
  ENSURE_OK(tried->context,
            mbs_tree_unfold(tried->context, system->arena, system, system->n, rows, &pattern, &unfolded));
  ENSURE_OK(tried->context, mbs_sparse_solver_create(tried->context, system->arena, &pattern, &solver));
  double *values = zeros(pattern.entry_count + 1);
  for (int pass = 0; pass < 2; ++pass) {  // a second time: nothing of the first is left
    for (int i = 0; i <= pattern.entry_count; ++i) {
      values[i] = 0;
    }
    mbs_tree_fill_unfolded(system, unfolded, state, values);
  }
  ENSURE(mbs_sparse_solver_factor(solver, values));
  free(values);
  free(rows);
  return solver;
}

static void try_set(Tried *tried, const MbsIndependentSet *set, MbsState *state) {
  const MbsSystem *system = set->system;
  double *x = zeros(system->n), *y = zeros(system->n), worst = 0;
  uint64_t seed = 5;
  for (int i = 0; i < system->n; ++i) {
    state->q[i] += 0.01 * random_number(&seed);
  }
  mbs_signal_bank_follow(system, state);
  if (mbs_problem_factor(set, &set->position, state, NULL, 1e-9)) {
    MbsSparseSolver *solver = unfold(tried, set, state);
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < system->n; ++i) {
        x[i] = y[i] = random_number(&seed);
      }
      (pass == 0 ? mbs_problem_solve : mbs_problem_solve_transposed)(&set->position, 1, x);
      (pass == 0 ? mbs_sparse_solver_solve : mbs_sparse_solver_solve_transposed)(solver, 1, y);
      double scale = largest_of(system->n, x);
      for (int i = 0; i < system->n; ++i) {
        worst = fmax(worst, fabs(x[i] - y[i]) / scale);
      }
    }
    mbs_sparse_solver_destroy(solver);
    tried->count += 1;
  }
  if (!(worst < 1e-9)) {
    (void)fprintf(stderr, "%s: %.1e\n", tried->path, worst);
  }
  tried->worst = fmax(tried->worst, worst);
  free(x);
  free(y);
}

static void try_model(const char *path, void *user) {
  Tried *tried = user;
  MbsModel *model = read_model(tried->context, path);
  MbsSimulation *simulation;
  MbsRequest request;
  ENSURE_OK(tried->context, mbs_request_default(tried->context, model, &request));
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "relative");
  tried->path = path;
  if (mbs_simulation_create(tried->context, model, &request.settings, 0, NULL, NULL, &simulation) == MBS_OK) {
    const MbsIndependentSet *set = &simulation->initial->set;
    if (set->system->tree && set->system->n > 0 && set->position.row_count == set->system->n) {
      try_set(tried, set, &simulation->state);
    }
    mbs_simulation_destroy(simulation);
  }
  mbs_model_destroy(model);
}

// ---- chains ----
static MbsModel *chain(MbsContext *context, int dimension, int count) {
  static const char *const axes[] = {"0, 1, 0", "0, 0, 1", "0.6, 0.8, 0"};
  static char text[TEXT];
  const char *zero = dimension == 3 ? ", 0" : "", *inertia = dimension == 3 ? "[J/4, J, 1.1*J]" : "J";
  size_t used = 0;
#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
  PUT("mbsens: 1\ndimension: %d\ngravity: [0%s, -9.81]\nparameters: {m: 1, J: 0.02, L: 0.3, s: 0.1}\n"
      "ground: {points: {O: [0, 0%s]}}\nbodies:\n",
      dimension, zero, zero);
  for (int i = 0; i < count; ++i) {
    PUT("  b%d: {mass: m, com: [L/2, 0.01%s], inertia: %s, points: {A: [0, 0%s], B: [L, 0%s]}}\n", i, zero, inertia,
        zero, zero);
  }
  PUT("joints:\n");
  for (int i = 0; i < count; ++i) {
    char behind[20] = "ground.O";
    if (i > 0) {
      (void)snprintf(behind, sizeof behind, "b%d.B", i - 1);
    }
    PUT("  - {revolute: [%s, b%d.A]%s%s%s}\n", behind, i, dimension == 3 ? ", axis: [" : "",
        dimension == 3 ? axes[i % 3] : "", dimension == 3 ? "]" : "");
  }
  PUT("initial:\n  points: {b0.B: [L*cos(s), L*sin(s)%s]}\n", zero);
  PUT("objectives: {x: {final: r(b%d.B).x}, path: {integral: \"dot(v(b%d.B), v(b%d.B))\"}}\n", count - 1, count - 1,
      count - 1);
  PUT("simulation: {end: 0.01, step: 0.005, formulation: index1}\n");
#undef PUT
  ENSURE(used < sizeof text);
  return read_text(context, "chain.yaml", text);
}

static MbsResult *run(MbsContext *context, const MbsModel *model, const char *coordinates, MbsMethod method) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  request.method = method;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

static double difference(const MbsResult *a, const MbsResult *b) {
  double worst = 0, scale = 0;
  int count = a->parameter_count * a->objective_count;
  for (int p = 0; p < count; ++p) {
    scale = fmax(scale, fabs(b->gradient[p]));
    worst = fmax(worst, fabs(a->gradient[p] - b->gradient[p]));
  }
  ENSURE(scale > 1e-3);
  return worst / scale;
}

static void hang(MbsContext *context, int dimension, int count, double close) {
  MbsModel *model = chain(context, dimension, count);
  MbsSimulation *simulation;
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "relative");
  ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
  ENSURE(simulation->initial->set.position.unfolded);
  mbs_simulation_destroy(simulation);
  MbsResult *direct = run(context, model, "relative", MBS_METHOD_DIRECT);
  MbsResult *adjoint = run(context, model, "relative", MBS_METHOD_ADJOINT);
  MbsResult *complex_step = run(context, model, "relative", MBS_METHOD_COMPLEX_STEP);
  MbsResult *natural = run(context, model, "natural", MBS_METHOD_DIRECT);
  printf("chain of %d, dimension %d: direct %.1e, adjoint %.1e, natural %.1e\n", count, dimension,
         difference(direct, complex_step), difference(adjoint, complex_step), difference(natural, complex_step));
  ENSURE(difference(direct, complex_step) < 1e-10);
  ENSURE(difference(adjoint, complex_step) < 1e-10);
  ENSURE(difference(natural, complex_step) < close);  // of the integrator
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_result_destroy(complex_step);
  mbs_result_destroy(natural);
  mbs_model_destroy(model);
}

int main(void) {
  Tried tried = {.context = mbs_context_create()};
  ENSURE(tried.context);
  (void)for_each_file("models/*.yaml", try_model, &tried);
  (void)for_each_file("models/vehicles/*.yaml", try_model, &tried);
  (void)for_each_file("tests/models/element_*.yaml", try_model, &tried);
  printf("%d models, at most %.1e\n", tried.count, tried.worst);
  ENSURE(tried.count >= 40);
  ENSURE(tried.worst < 1e-9);
  hang(tried.context, 2, 200, 1e-3);
  hang(tried.context, 3, 200, 1e-3);
  mbs_context_destroy(tried.context);
  return 0;
}
