// The terms of the public header (mbsens/terms.h), on every shipped model in both coordinates, at states that do not
// meet the constraints:
//   products by positions, velocities, accelerations, multipliers, parameters      against the complex step
//   accelerations and multipliers                                                  their derivative, with q', v', rho',
//                                             must leave f and Phiddot at zero in the complex twin, which solves
//                                             nothing
//   both products                                                                  w.(J u) = u.(J' w)
//   matrices                                                                       against products
//   M                                       second differences of the kinetic energy; Phi_q: of a finite motion
// and in the tangent space: finite motions that are brought back to the constraints here.
#include <mbsens/terms.h>

#include "sensitivities/twin.h"
#include "simulation/simulation.h"
#include "support.h"

static MbsContext *context;

typedef struct Case {
  const char *path;
  MbsTerms *terms;
  MbsProbe *probe;
  int n, m, parameters, elements;
  const int *columns;
  double t, *q, *v, *a, *lambda;
  double worst;
} Case;

static double dot(int count, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void scatter(uint64_t *seed, int count, double size, double *x) {
  for (int i = 0; i < count; ++i) {
    x[i] += size * random_number(seed);
  }
}

// within `most` of the largest, or of what it is made of
static void compare(const Case *c, const char *what, int of, int by, int count, const double *tried,
                    const double *expected, double made_of, double most) {
  double size = fmax(fmax(largest_of(count, tried), largest_of(count, expected)), made_of);
  size = fmax(size, 1e-3);  // of numbers that cancel, rounding is left
  for (int i = 0; i < count; ++i) {
    if (!(fabs(tried[i] - expected[i]) <= most * size)) {
      (void)fprintf(stderr, "%s: %s, vector %d by %d, number %d: %.15g, expected %.15g (size %.3g)\n", c->path, what,
                    of, by, i, tried[i], expected[i], size);
      exit(1);
    }
  }
}

// ---- complex step ----
// r' of the whole residual with these weights, along everything at once; returns the size of what it is made of
static double find_reference(const Case *c, const MbsPlainWeights *weights, const MbsProbeState *along,
                             const double *parameters, double *r) {
  const MbsProbeState from = {.t = c->t, .q = c->q, .v = c->v, .a = c->a, .lambda = c->lambda, .total = c->lambda};
  double *one = zeros(c->n + c->m), size, largest = 0;
  mbs_complex_probe_move(c->probe, &from, along, parameters);
  memset(r, 0, (size_t)(c->n + c->m) * sizeof *r);
  for (int e = 0; e < c->elements; ++e) {
    mbs_complex_probe_element(c->probe, weights, e, one, &size);
    for (int i = 0; i < c->n + c->m; ++i) {
      r[i] += one[i];
    }
    largest = fmax(largest, largest_of(c->n + c->m, one));
  }
  free(one);
  return largest;
}

typedef struct Direction {
  double *q, *v, *a, *lambda, *parameters, *rho;
} Direction;

static void check_products(const Case *c, const Direction *d) {
  static const struct {
    MbsTermsVector of;
    MbsPlainWeights weights;
  } vectors[] = {{MBS_TERMS_BALANCE, {.k0 = 0}},
                 {MBS_TERMS_PHI, {.k0 = 1}},
                 {MBS_TERMS_PHIDOT, {.k1 = 1, .n1 = 1}},
                 {MBS_TERMS_PHIDDOT, {.k2 = 1, .n2 = 1}}};
  const double *const parts[] = {d->q, d->v, d->a, d->lambda, d->rho};
  double *r = zeros(c->n + c->m), *y = zeros(c->n + c->m), *none = zeros(c->n + c->m);
  double *no_parameters = zeros(1000);
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
    MbsTermsVector of = vectors[k].of;
    for (int by = MBS_BY_POSITIONS; by <= MBS_BY_PARAMETERS; ++by) {
      const MbsProbeState along = {.q = by == MBS_BY_POSITIONS ? d->q : none,
                                   .v = by == MBS_BY_VELOCITIES ? d->v : none,
                                   .a = by == MBS_BY_ACCELERATIONS ? d->a : none,
                                   .lambda = by == MBS_BY_MULTIPLIERS ? d->lambda : none,
                                   .total = none};
      double made_of =
          find_reference(c, &vectors[k].weights, &along, by == MBS_BY_PARAMETERS ? d->parameters : no_parameters, r);
      int rows = mbs_terms_size(c->terms, of);
      ENSURE_OK(context, mbs_terms_product(context, c->terms, of, (MbsTermsArgument)by,
                                           mbs_terms_width(c->terms, (MbsTermsArgument)by), parts[by], rows, y));
      compare(c, "product and complex step", (int)of, by, rows, y, of == MBS_TERMS_BALANCE ? r : r + c->n, made_of,
              1e-10);
    }
  }
  free(r);
  free(y);
  free(none);
  free(no_parameters);
}

// f and Phiddot stay zero along what the products say of a and lambda: the twin solves nothing. Of redundant
// constraints that is so along the constraints alone.
static void check_along(const Case *c, const double *q, const double *v, const double *rho, const double *parameters) {
  const MbsPlainWeights weights = {.k2 = 1, .n2 = 1};
  static const MbsTermsVector vectors[] = {MBS_TERMS_ACCELERATIONS, MBS_TERMS_MULTIPLIERS};
  int n = c->n, m = c->m;
  double *sum[2] = {zeros(n), zeros(m)}, *part = zeros(n + m), *r = zeros(n + m), *r_rest = zeros(n + m);
  double *none = zeros(1000);
  const struct {
    MbsTermsArgument by;
    const double *u;
  } parts[] = {{MBS_BY_POSITIONS, q}, {MBS_BY_VELOCITIES, v}, {MBS_BY_PARAMETERS, rho}};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 2; ++i) {
      ENSURE_OK(context, mbs_terms_product(context, c->terms, vectors[i], parts[k].by,
                                           mbs_terms_width(c->terms, parts[k].by), parts[k].u, i ? m : n, part));
      for (int row = 0; row < (i ? m : n); ++row) {
        sum[i][row] += part[row];
      }
    }
  }
  const MbsProbeState rest = {.q = q, .v = v, .a = none, .lambda = none, .total = none};
  const MbsProbeState follows = {.q = none, .v = none, .a = sum[0], .lambda = sum[1], .total = none};
  double made_of = find_reference(c, &weights, &rest, parameters, r_rest);
  made_of = fmax(made_of, find_reference(c, &weights, &follows, none, r));
  for (int i = 0; i < n + m; ++i) {
    part[i] = -r[i];
  }
  compare(c, "accelerations by the complex step, f", MBS_TERMS_ACCELERATIONS, 0, n, part, r_rest, made_of, 1e-10);
  compare(c, "accelerations by the complex step, Phiddot", MBS_TERMS_ACCELERATIONS, 0, m, part + n, r_rest + n,
          fmax(largest_of(m, r + n), largest_of(n, sum[0])), 1e-10);  // which cancel in each row
  double *const all[] = {sum[0], sum[1], part, r, r_rest, none};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
}

static void check_motion(Case *c, const Direction *d, bool is_redundant) {
  int n = c->n, y = mbs_terms_width(c->terms, MBS_BY_INDEPENDENT_POSITIONS);
  int u = mbs_terms_width(c->terms, MBS_BY_INDEPENDENT_VELOCITIES);
  double *none = zeros(1000), *q = zeros(n), *v = zeros(n), *more = zeros(n);
  ENSURE_OK(context, mbs_terms_vector(context, c->terms, MBS_TERMS_ACCELERATIONS, n, c->a));
  ENSURE_OK(context, mbs_terms_vector(context, c->terms, MBS_TERMS_MULTIPLIERS, c->m, c->lambda));
  if (is_redundant) {
    ENSURE_OK(context,
              mbs_terms_product(context, c->terms, MBS_TERMS_POSITIONS, MBS_BY_INDEPENDENT_POSITIONS, y, d->a, n, q));
    ENSURE_OK(context,
              mbs_terms_product(context, c->terms, MBS_TERMS_VELOCITIES, MBS_BY_INDEPENDENT_POSITIONS, y, d->a, n, v));
    ENSURE_OK(context, mbs_terms_product(context, c->terms, MBS_TERMS_VELOCITIES, MBS_BY_INDEPENDENT_VELOCITIES, u,
                                         d->v, n, more));
    for (int i = 0; i < n; ++i) {
      v[i] += more[i];
    }
    check_along(c, q, v, none, none);
  } else {
    check_along(c, d->q, none, none, none);
    check_along(c, none, d->v, none, none);
    check_along(c, none, none, d->rho, d->parameters);
  }
  free(none);
  free(q);
  free(v);
  free(more);
}

// ---- both products, and matrices ----
static bool has_derivative(MbsTermsVector of, MbsTermsArgument by) {
  bool is_tangent = of >= MBS_TERMS_POSITIONS && of <= MBS_TERMS_INDEPENDENT_ACCELERATIONS;
  return !(is_tangent && by <= MBS_BY_MULTIPLIERS);
}

static void check_pair(const Case *c, MbsTermsVector of, MbsTermsArgument by, bool with_matrix, uint64_t *seed) {
  int rows = mbs_terms_size(c->terms, of), columns = mbs_terms_width(c->terms, by);
  double *u = zeros(columns), *w = zeros(rows), *Ju = zeros(rows), *Jw = zeros(columns), *back = zeros(rows);
  scatter(seed, columns, 1, u);
  scatter(seed, rows, 1, w);
  ENSURE_OK(context, mbs_terms_product(context, c->terms, of, by, columns, u, rows, Ju));
  ENSURE_OK(context, mbs_terms_product_transposed(context, c->terms, of, by, rows, w, columns, Jw));
  double there = dot(rows, w, Ju), size = 0;
  for (int i = 0; i < rows; ++i) {
    size += fabs(w[i] * Ju[i]);
  }
  for (int k = 0; k < columns; ++k) {
    size = fmax(size, fabs(u[k] * Jw[k]));
  }
  double here = dot(columns, u, Jw);
  if (of == MBS_TERMS_OUTPUTS || of == MBS_TERMS_MULTIPLIERS) {  // made of accelerations that may cancel
    double *a = zeros(c->n);
    ENSURE_OK(context, mbs_terms_product(context, c->terms, MBS_TERMS_ACCELERATIONS, by, columns, u, c->n, a));
    size = fmax(size, 1e-2 * largest_of(c->n, a));
    free(a);
  }
  bool is_nothing = by >= MBS_BY_INDEPENDENT_POSITIONS && (of == MBS_TERMS_PHI || of == MBS_TERMS_PHIDOT);
  size = is_nothing ? 1 : size;  // along the constraints they stay what they are
  compare(c, "both products", (int)of, (int)by, 1, &here, &there, size,
          by >= MBS_BY_INDEPENDENT_POSITIONS ? 1e-10 : 1e-11);
  if (with_matrix) {
    MbsTermsPattern pattern;
    ENSURE_OK(context, mbs_terms_pattern(context, c->terms, of, by, &pattern));
    ENSURE(pattern.rows == rows && pattern.columns == columns);
    double *values = zeros(pattern.entries);
    ENSURE_OK(context, mbs_terms_matrix(context, c->terms, of, by, pattern.entries, values));
    for (int k = 0; k < columns; ++k) {
      for (int e = pattern.column_start[k]; e < pattern.column_start[k + 1]; ++e) {
        ENSURE(pattern.row[e] >= 0 && pattern.row[e] < rows);
        ENSURE(e == pattern.column_start[k] || pattern.row[e] > pattern.row[e - 1]);
        back[pattern.row[e]] += values[e] * u[k];
        size = fmax(size, fabs(values[e] * u[k]));
      }
    }
    compare(c, "matrix and product", (int)of, (int)by, rows, back, Ju, size, 1e-10);
    free(values);
  }
  free(u);
  free(w);
  free(Ju);
  free(Jw);
  free(back);
}

// ---- by their own definitions ----
static double kinetic_at(const Case *c, const double *v) {
  double kinetic;
  ENSURE_OK(context, mbs_terms_set_state(context, c->terms, c->t, c->n, c->q, v));
  ENSURE_OK(context, mbs_terms_energies(context, c->terms, &kinetic, NULL));
  return kinetic;
}

// u' M u = T(v + u) - 2 T(v) + T(v - u), for T is a quadratic polynomial; of states of first order there is none
static void check_mass(const Case *c, const Direction *d, int first_state) {
  double *u = zeros(c->n), *Mu = zeros(c->n), *v = zeros(c->n), T[3];
  memcpy(u, d->v, (size_t)first_state * sizeof *u);
  for (int side = 0; side < 3; ++side) {
    for (int i = 0; i < c->n; ++i) {
      v[i] = c->v[i] + (side - 1) * u[i];
    }
    T[side] = kinetic_at(c, v);
  }
  ENSURE_OK(context, mbs_terms_set_state(context, c->terms, c->t, c->n, c->q, c->v));
  ENSURE_OK(context, mbs_terms_product(context, c->terms, MBS_TERMS_BALANCE, MBS_BY_ACCELERATIONS, c->n, u, c->n, Mu));
  double tried = dot(c->n, u, Mu), expected = T[0] - 2 * T[1] + T[2];
  compare(c, "mass matrix and kinetic energy", MBS_TERMS_BALANCE, MBS_BY_ACCELERATIONS, 1, &tried, &expected,
          fabs(T[0]) + fabs(T[2]), 1e-12);
  free(u);
  free(Mu);
  free(v);
}

// (Phi(q + e u) - Phi(q - e u)) / 2 e, to e^2 Phi_qqq and eps / e
static void check_finite_motion(const Case *c, const Direction *d) {
  const double e = 1e-5;
  int m = c->m;
  double *Phi[2] = {zeros(m), zeros(m)}, *q = zeros(c->n), *Ju = zeros(m), *nonholonomic = zeros(m);
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < c->n; ++i) {
      q[i] = c->q[i] + (side ? e : -e) * d->q[i];
    }
    ENSURE_OK(context, mbs_terms_set_state(context, c->terms, c->t, c->n, q, c->v));
    ENSURE_OK(context, mbs_terms_vector(context, c->terms, MBS_TERMS_PHI, m, Phi[side]));
  }
  ENSURE_OK(context, mbs_terms_set_state(context, c->terms, c->t, c->n, c->q, c->v));
  ENSURE_OK(context, mbs_terms_product(context, c->terms, MBS_TERMS_PHI, MBS_BY_POSITIONS, c->n, d->q, m, Ju));
  for (int i = 0; i < m; ++i) {
    Phi[1][i] = (Phi[1][i] - Phi[0][i]) / (2 * e);
  }
  compare(c, "Phi_q and a finite motion", MBS_TERMS_PHI, MBS_BY_POSITIONS, m, Ju, Phi[1], 1, 1e-7);
  free(Phi[0]);
  free(Phi[1]);
  free(q);
  free(Ju);
  free(nonholonomic);
}

// f = M a + h + Phi_q' lambda - Q and Phiddot = Phi_q a - gamma, from their parts
static void check_parts(const Case *c, uint64_t *seed) {
  int n = c->n, m = c->m;
  double *a = zeros(n), *lambda = zeros(m), *f = zeros(n), *sum = zeros(n), *part = zeros(n + m), *e = zeros(m),
         *rest = zeros(m);
  scatter(seed, n, 2, a);
  scatter(seed, m, 2, lambda);
  ENSURE_OK(context, mbs_terms_set_accelerations(context, c->terms, n, a, m, lambda));
  ENSURE_OK(context, mbs_terms_vector(context, c->terms, MBS_TERMS_BALANCE, n, f));
  ENSURE_OK(context, mbs_terms_vector(context, c->terms, MBS_TERMS_PHIDDOT, m, e));
  double size = largest_of(n, f);
  ENSURE_OK(context, mbs_terms_product(context, c->terms, MBS_TERMS_BALANCE, MBS_BY_ACCELERATIONS, n, a, n, sum));
  const struct {
    MbsTermsVector of;
    double sign;
  } parts[] = {{MBS_TERMS_BIAS, 1}, {MBS_TERMS_CONSTRAINT_FORCES, 1}, {MBS_TERMS_FORCES, -1}};
  for (int k = 0; k < 3; ++k) {
    ENSURE_OK(context, mbs_terms_vector(context, c->terms, parts[k].of, n, part));
    size = fmax(size, largest_of(n, part));
    for (int i = 0; i < n; ++i) {
      sum[i] += parts[k].sign * part[i];
    }
  }
  compare(c, "f and its parts", MBS_TERMS_BALANCE, 0, n, sum, f, size, 1e-12);
  ENSURE_OK(context, mbs_terms_product(context, c->terms, MBS_TERMS_PHI, MBS_BY_POSITIONS, n, a, m, rest));
  ENSURE_OK(context, mbs_terms_product(context, c->terms, MBS_TERMS_PHIDOT, MBS_BY_VELOCITIES, n, a, m, part));
  double *gamma = zeros(m), *none = zeros(n);
  ENSURE_OK(context, mbs_terms_vector(context, c->terms, MBS_TERMS_GAMMA, m, gamma));
  for (int i = 0; i < m; ++i) {
    part[i] -= gamma[i];
  }
  compare(c, "Phiddot and its parts", MBS_TERMS_PHIDDOT, 0, m, part, e, largest_of(m, gamma), 1e-11);
  ENSURE_OK(context, mbs_terms_use_motion(context, c->terms));
  ENSURE_OK(context, mbs_terms_vector(context, c->terms, MBS_TERMS_BALANCE, n, f));
  compare(c, "f of the motion", MBS_TERMS_BALANCE, 0, n, f, none, size + largest_of(n, a), 1e-7);
  free(a);
  free(lambda);
  free(f);
  free(sum);
  free(part);
  free(e);
  free(rest);
  free(gamma);
  free(none);
}

// ---- one model ----
static MbsSettings settings_of(const MbsModel *model, const char *coordinates) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  return request.settings;
}

static bool has_redundancy(const MbsModel *model, const MbsSettings *settings) {
  MbsCheck *check;
  const MbsRequest request = {.settings = *settings};
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  bool has = check->redundant > 0;
  mbs_check_destroy(check);
  return has;
}

static void check_model(const char *path, const char *coordinates) {
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings = settings_of(model, coordinates);
  Case c = {.path = path};
  ENSURE_OK(context, mbs_terms_create(context, model, &request, &c.terms));
  MbsSettings plain = request.settings;
  plain.is_kinematic = false;
  (void)snprintf(plain.formulation, MBS_NAME_LENGTH, "ali3p");
  (void)snprintf(plain.integrator, MBS_NAME_LENGTH, "trapezoidal");
  plain.step_tolerance = plain.accuracy = 0;
  MbsSimulation *simulation;  // for indices
  ENSURE_OK(context, mbs_simulation_create(context, model, &plain, 0, NULL, NULL, &simulation));
  ENSURE_OK(context, mbs_complex_probe_create_for(context, model, &plain, &c.probe));
  const MbsSystem *system = simulation->system;
  c.n = mbs_terms_width(c.terms, MBS_BY_POSITIONS);
  c.m = mbs_terms_width(c.terms, MBS_BY_MULTIPLIERS);
  c.parameters = mbs_terms_width(c.terms, MBS_BY_PARAMETERS);
  c.elements = mbs_system_element_count(system);
  ENSURE(c.n == system->n && c.m == system->m);
  bool is_large = c.n > 120;
  uint64_t seed = 7;
  c.q = zeros(c.n), c.v = zeros(c.n), c.a = zeros(c.n), c.lambda = zeros(c.m);
  ENSURE_OK(context, mbs_terms_state(context, c.terms, &c.t, c.n, c.q, c.v));
  double size = fmin(largest_of(c.n, c.q), 1);
  bool is_redundant = has_redundancy(model, &plain);
  if (!is_redundant) {  // else accelerations are those of states that can be
    c.t = 0.1;
    scatter(&seed, c.n, 0.01 * size, c.q);
    scatter(&seed, c.n, 0.3 * size, c.v);
  }
  scatter(&seed, c.n, 2, c.a);
  scatter(&seed, c.m, 2, c.lambda);
  Direction d = {zeros(c.n), zeros(c.n), zeros(c.n), zeros(c.m), zeros(1000), zeros(c.parameters)};
  scatter(&seed, c.n, 1, d.q);
  scatter(&seed, c.n, 1, d.v);
  scatter(&seed, c.n, 1, d.a);
  scatter(&seed, c.m, 1, d.lambda);
  for (int k = 0; k < c.parameters; ++k) {
    for (int i = 0; i < system->blueprint->clock; ++i) {
      if (strcmp(system->blueprint->parameters.items[i].name, mbs_terms_parameter_names(c.terms)[k]) == 0) {
        double value = fabs(system->parameters[i]);
        d.rho[k] = d.parameters[i] = (value > 0 ? value : 1) * random_number(&seed);
      }
    }
  }
  ENSURE_OK(context, mbs_terms_set_state(context, c.terms, c.t, c.n, c.q, c.v));
  ENSURE_OK(context, mbs_terms_set_accelerations(context, c.terms, c.n, c.a, c.m, c.lambda));
  bool is_same = system->blueprint->switch_count == 0 && system->blueprint->branches.count == 0;
  if (is_same) {  // the twin's joints and branches are as they are at the start
    check_products(&c, &d);
  }
  ENSURE_OK(context, mbs_terms_set_direction(context, c.terms, c.n, d.a));
  for (int of = 0; of <= MBS_TERMS_INDEPENDENT_ACCELERATIONS; ++of) {
    for (int by = 0; by <= MBS_BY_INDEPENDENT_VELOCITIES; ++by) {
      if (of != MBS_TERMS_POINT && has_derivative((MbsTermsVector)of, (MbsTermsArgument)by)) {
        check_pair(&c, (MbsTermsVector)of, (MbsTermsArgument)by, !is_large, &seed);
      }
    }
  }
  if (is_same) {
    check_motion(&c, &d, is_redundant);
  }
  check_mass(&c, &d, system->first_state);
  check_finite_motion(&c, &d);
  check_parts(&c, &seed);
  (void)printf("%s, %s: %d coordinates, %d constraints, %d independent velocities\n", path, coordinates, c.n, c.m,
               mbs_terms_width(c.terms, MBS_BY_INDEPENDENT_VELOCITIES));
  mbs_complex_probe_destroy(c.probe);
  mbs_simulation_destroy(simulation);
  mbs_terms_destroy(c.terms);
  mbs_model_destroy(model);
  double *const all[] = {c.q, c.v, c.a, c.lambda, d.q, d.v, d.a, d.lambda, d.parameters, d.rho};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
}

static void check_both(const char *path, void *user) {
  (void)user;
  check_model(path, "natural");
  check_model(path, "relative");
}

int main(int argc, char **argv) {
  context = mbs_context_create();
  ENSURE(context);
  if (argc > 1) {
    check_both(argv[1], NULL);
  } else {
    ENSURE(for_each_file("models/*.yaml", check_both, NULL) > 30);
    // the vehicles that the others in their folder are made of
    ENSURE(for_each_file("models/vehicles/iltis.yaml", check_both, NULL) == 1);
    ENSURE(for_each_file("models/vehicles/box_truck.yaml", check_both, NULL) == 1);
    ENSURE(for_each_file("models/vehicles/buggy_step.yaml", check_both, NULL) == 1);
  }
  mbs_context_destroy(context);
  return 0;
}
