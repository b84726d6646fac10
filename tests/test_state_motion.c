// The terms of the public header where the bodies move: finite motions along the constraints against derivatives in the
// tangent space, differences by time and inputs, points, conversion between coordinates, a free body against Euler's
// equations; and what is asked wrongly.
#include <mbsens/simulator.h>
#include <mbsens/terms.h>

#include "algebra/dense.h"
#include "support.h"

static MbsContext *context;

static MbsTerms *create(const char *path, const MbsModel *model, const char *coordinates, const char *columns) {
  MbsRequest request;
  MbsTerms *terms;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  (void)snprintf(request.settings.columns, sizeof request.settings.columns, "%s", columns);
  ENSURE(path);
  ENSURE_OK(context, mbs_terms_create(context, model, &request, &terms));
  return terms;
}

// a full matrix by rows
static double *matrix(MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by) {
  MbsTermsPattern pattern;
  ENSURE_OK(context, mbs_terms_pattern(context, terms, of, by, &pattern));
  double *values = zeros(pattern.entries), *full = zeros(pattern.rows * pattern.columns);
  ENSURE_OK(context, mbs_terms_matrix(context, terms, of, by, pattern.entries, values));
  for (int k = 0; k < pattern.columns; ++k) {
    for (int e = pattern.column_start[k]; e < pattern.column_start[k + 1]; ++e) {
      full[pattern.row[e] * pattern.columns + k] = values[e];
    }
  }
  free(values);
  return full;
}

static double *vector(MbsTerms *terms, MbsTermsVector of) {
  double *values = zeros(mbs_terms_size(terms, of));
  ENSURE_OK(context, mbs_terms_vector(context, terms, of, mbs_terms_size(terms, of), values));
  return values;
}

// ---- finite motions ----
// x nearest to meeting rows x = b, by the normal equations: for Newton's iteration they need not be exact
static void solve_least(int n, int count, const double *rows, const double *b, double *x) {
  double *normal = zeros(n * n);
  int *pivot = calloc((size_t)n + 1, sizeof *pivot);
  ENSURE(pivot);
  memset(x, 0, (size_t)n * sizeof *x);
  for (int r = 0; r < count; ++r) {
    for (int i = 0; i < n; ++i) {
      x[i] += rows[r * n + i] * b[r];
      for (int j = 0; j < n; ++j) {
        normal[i * n + j] += rows[r * n + i] * rows[r * n + j];
      }
    }
  }
  ENSURE(mbs_dense_factor(n, normal, pivot));
  mbs_dense_solve(n, normal, pivot, x);
  free(normal);
  free(pivot);
}

static int coordinate_of(const MbsTerms *terms, const char *name) {
  for (int i = 0; i < mbs_terms_width(terms, MBS_BY_POSITIONS); ++i) {
    if (strcmp(mbs_terms_coordinate_names(terms)[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

// Independent positions and velocities that are plain coordinates are moved by e along y and u and held there; all
// others come back to the constraints by Newton's iteration. Returns independent accelerations there.
static double *move(MbsTerms *terms, double t, const double *q0, const double *v0, double e, const double *y,
                    const double *u) {
  int n = mbs_terms_width(terms, MBS_BY_POSITIONS), m = mbs_terms_width(terms, MBS_BY_MULTIPLIERS);
  int fy = mbs_terms_width(terms, MBS_BY_INDEPENDENT_POSITIONS),
      fu = mbs_terms_width(terms, MBS_BY_INDEPENDENT_VELOCITIES);
  double *q = zeros(n), *v = zeros(n), *dx = zeros(n), *rows = zeros((m + fy) * n), *b = zeros(m + fy);
  memcpy(q, q0, (size_t)n * sizeof *q);
  memcpy(v, v0, (size_t)n * sizeof *v);
  for (int i = 0; i < fy; ++i) {
    q[coordinate_of(terms, mbs_terms_independent_position_names(terms)[i])] += e * y[i];
  }
  for (int i = 0; i < fu; ++i) {
    v[coordinate_of(terms, mbs_terms_independent_velocity_names(terms)[i])] += e * u[i];
  }
  for (int level = 0; level < 2; ++level) {
    for (int iteration = 0; iteration < 6; ++iteration) {
      ENSURE_OK(context, mbs_terms_set_state(context, terms, t, n, q, v));
      double *Phi_q =
          matrix(terms, level ? MBS_TERMS_PHIDOT : MBS_TERMS_PHI, level ? MBS_BY_VELOCITIES : MBS_BY_POSITIONS);
      double *left = vector(terms, level ? MBS_TERMS_PHIDOT : MBS_TERMS_PHI);
      int f = level ? fu : fy;
      memset(rows, 0, (size_t)((m + fy) * n) * sizeof *rows);
      memcpy(rows, Phi_q, (size_t)(m * n) * sizeof *rows);
      for (int i = 0; i < m + f; ++i) {
        b[i] = i < m ? -left[i] : 0;
      }
      for (int i = 0; i < f; ++i) {
        const char *name =
            (level ? mbs_terms_independent_velocity_names(terms) : mbs_terms_independent_position_names(terms))[i];
        rows[(m + i) * n + coordinate_of(terms, name)] = 1;
      }
      solve_least(n, m + f, rows, b, dx);
      for (int i = 0; i < n; ++i) {
        (level ? v : q)[i] += dx[i];
      }
      free(Phi_q);
      free(left);
    }
  }
  ENSURE_OK(context, mbs_terms_set_state(context, terms, t, n, q, v));
  free(q);
  free(v);
  free(dx);
  free(rows);
  free(b);
  return vector(terms, MBS_TERMS_INDEPENDENT_ACCELERATIONS);
}

// Differences of step e are off by e^2 (third derivatives) and eps / e: 1e-6 of what is differentiated
static void check_tangent(const char *path, const char *coordinates) {
  const double e = 2e-5;
  MbsModel *model = read_model(context, path);
  MbsTerms *terms = create(path, model, coordinates, "");
  int n = mbs_terms_width(terms, MBS_BY_POSITIONS), fy = mbs_terms_width(terms, MBS_BY_INDEPENDENT_POSITIONS);
  int fu = mbs_terms_width(terms, MBS_BY_INDEPENDENT_VELOCITIES);
  double t, *q = zeros(n), *v = zeros(n), *y = zeros(fy), *u = zeros(fu), *none = zeros(n);
  uint64_t seed = 5;
  ENSURE_OK(context, mbs_terms_state(context, terms, &t, n, q, v));
  for (int i = 0; i < fy; ++i) {
    y[i] = random_number(&seed);
  }
  for (int i = 0; i < fu; ++i) {
    u[i] = random_number(&seed);
  }
  for (int part = 0; part < 2; ++part) {
    double *ahead = move(terms, t, q, v, e, part ? none : y, part ? u : none);
    double *behind = move(terms, t, q, v, -e, part ? none : y, part ? u : none);
    double *slope = zeros(fu), *at = move(terms, t, q, v, 0, none, none);
    MbsTermsArgument by = part ? MBS_BY_INDEPENDENT_VELOCITIES : MBS_BY_INDEPENDENT_POSITIONS;
    ENSURE_OK(context, mbs_terms_product(context, terms, MBS_TERMS_INDEPENDENT_ACCELERATIONS, by, part ? fu : fy,
                                         part ? u : y, fu, slope));
    double size = largest_of(fu, slope) + 1e-3 * largest_of(fu, at) + 1e-3;
    for (int i = 0; i < fu; ++i) {
      double expected = (ahead[i] - behind[i]) / (2 * e);
      if (!(fabs(slope[i] - expected) < 1e-5 * size)) {
        (void)fprintf(stderr, "%s, %s: %s by independent %s: %.12g, a finite motion says %.12g\n", path, coordinates,
                      mbs_terms_independent_velocity_names(terms)[i], part ? "velocities" : "positions", slope[i],
                      expected);
        exit(1);
      }
    }
    free(ahead);
    free(behind);
    free(slope);
    free(at);
  }
  free(q);
  free(v);
  free(y);
  free(u);
  free(none);
  mbs_terms_destroy(terms);
  mbs_model_destroy(model);
}

// ---- by time, inputs and parameters; points ----
static double *at_number(MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by, int index, double shift) {
  int n = mbs_terms_width(terms, MBS_BY_POSITIONS), count = mbs_terms_width(terms, by);
  double t, *q = zeros(n), *v = zeros(n), *numbers = zeros(count);
  ENSURE_OK(context, mbs_terms_state(context, terms, &t, n, q, v));
  if (by == MBS_BY_INPUTS) {
    numbers[index] = shift;
    ENSURE_OK(context, mbs_terms_set_inputs(context, terms, count, numbers));
  }
  q[0] += by == MBS_BY_POSITIONS ? shift : 0;
  ENSURE_OK(context, mbs_terms_set_state(context, terms, by == MBS_BY_TIME ? t + shift : t, n, q, v));
  double *values = vector(terms, of);
  q[0] -= by == MBS_BY_POSITIONS ? shift : 0;
  if (by == MBS_BY_INPUTS) {
    numbers[index] = 0;
    ENSURE_OK(context, mbs_terms_set_inputs(context, terms, count, numbers));
  }
  ENSURE_OK(context, mbs_terms_set_state(context, terms, t, n, q, v));
  free(q);
  free(v);
  free(numbers);
  return values;
}

static void check_difference(MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by, bool is_some) {
  const double e = 1e-5;
  int rows = mbs_terms_size(terms, of), columns = mbs_terms_width(terms, by);
  double *J = matrix(terms, of, by), *u = zeros(columns), *slope = zeros(rows);
  double *ahead = at_number(terms, of, by, 0, e), *behind = at_number(terms, of, by, 0, -e);
  double size = fmax(largest_of(rows, ahead), 1), found = 0;
  for (int i = 0; i < rows; ++i) {
    ENSURE_NEAR(J[i * columns], (ahead[i] - behind[i]) / (2 * e), 1e-7 * size);
    found = fmax(found, fabs(J[i * columns]));
  }
  ENSURE(!is_some || found > 1e-3);
  free(J);
  free(u);
  free(slope);
  free(ahead);
  free(behind);
}

static void check_time(const char *path, const char *coordinates) {
  MbsModel *model = read_model(context, path);
  MbsTerms *terms = create(path, model, coordinates, "");
  int n = mbs_terms_width(terms, MBS_BY_POSITIONS);
  double *q = zeros(n), *v = zeros(n);
  ENSURE_OK(context, mbs_terms_state(context, terms, NULL, n, q, v));
  ENSURE_OK(context, mbs_terms_set_state(context, terms, 0.3, n, q, v));
  static const MbsTermsVector vectors[] = {MBS_TERMS_PHI, MBS_TERMS_PHIDOT, MBS_TERMS_ACCELERATIONS,
                                           MBS_TERMS_MULTIPLIERS};
  for (int k = 0; k < 4; ++k) {
    check_difference(terms, vectors[k], MBS_BY_TIME, vectors[k] == MBS_TERMS_MULTIPLIERS);
  }
  // Phi_t is what time does to Phi
  double *Phi_t = vector(terms, MBS_TERMS_PHI_T), *by_time = matrix(terms, MBS_TERMS_PHI, MBS_BY_TIME);
  for (int i = 0; i < mbs_terms_size(terms, MBS_TERMS_PHI); ++i) {
    ENSURE_NEAR(Phi_t[i], by_time[i], 1e-12 * (1 + fabs(Phi_t[i])));
  }
  free(Phi_t);
  free(by_time);
  free(q);
  free(v);
  mbs_terms_destroy(terms);
  mbs_model_destroy(model);
}

static const char steered[] =
    "mbsens: 1\n"
    "name: steered\n"
    "inputs: {u: 0, w: 0}\n"
    "parameters: {k: 3}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  bar: {mass: 2, com: [0.4, 0.1], inertia: 0.1, points: {O: [0, 0], P: [1, 0]}}\n"
    "  tip: {mass: 1, com: [0.3, 0], inertia: 0.05, points: {P: [0, 0], Q: [0.6, 0]}}\n"
    "joints: [{revolute: [ground.O, bar.O], name: base}, {revolute: [bar.P, tip.P], name: elbow}]\n"
    "forces:\n"
    "  - {torque: bar, value: k*u}\n"
    "  - {torque: tip, value: w - 0.1*omega(tip)}\n"
    "initial: {independent: [{coordinate: angle(bar), value: 0.3}, {coordinate: angle(tip), value: -0.5}]}\n";

static void check_inputs_and_points(const char *coordinates) {
  MbsModel *model = read_text(context, "steered", steered);
  MbsTerms *terms = create("steered", model, coordinates, "Q, tip.Q''");
  ENSURE(mbs_terms_width(terms, MBS_BY_INPUTS) == 2);
  ENSURE_TEXT(mbs_terms_input_names(terms)[1], "w");
  check_difference(terms, MBS_TERMS_ACCELERATIONS, MBS_BY_INPUTS, true);
  const double Q[] = {0.6, 0};
  ENSURE_OK(context, mbs_terms_set_point(context, terms, "tip", 2, Q));
  double *point = vector(terms, MBS_TERMS_POINT), *outputs = vector(terms, MBS_TERMS_OUTPUTS);
  ENSURE(mbs_terms_size(terms, MBS_TERMS_OUTPUTS) == 4);
  ENSURE_TEXT(mbs_terms_output_names(terms)[0], "Q.x");
  for (int k = 0; k < 2; ++k) {
    ENSURE_NEAR(point[k], outputs[k], 1e-14);
    ENSURE(fabs(point[k]) > 1e-3);
  }
  check_difference(terms, MBS_TERMS_POINT, MBS_BY_POSITIONS, true);
  check_difference(terms, MBS_TERMS_OUTPUTS, MBS_BY_INPUTS, true);
  // the same number by both products, of a point that is none of the model's
  const double other[] = {0.2, -0.4}, w[] = {0.3, -0.7};
  int n = mbs_terms_width(terms, MBS_BY_POSITIONS);
  double *u = zeros(n), Ju[2], *Jw = zeros(n), sum = 0;
  for (int i = 0; i < n; ++i) {
    u[i] = 1 + i;
  }
  ENSURE_OK(context, mbs_terms_set_point(context, terms, "tip", 2, other));
  ENSURE_OK(context, mbs_terms_product(context, terms, MBS_TERMS_POINT, MBS_BY_POSITIONS, n, u, 2, Ju));
  ENSURE_OK(context, mbs_terms_product_transposed(context, terms, MBS_TERMS_POINT, MBS_BY_POSITIONS, 2, w, n, Jw));
  for (int i = 0; i < n; ++i) {
    sum += u[i] * Jw[i];
  }
  ENSURE_NEAR(sum, w[0] * Ju[0] + w[1] * Ju[1], 1e-13);
  // velocities of a point: J v, by a finite motion of the relative coordinates, which have no constraints
  free(u);
  free(Jw);
  free(point);
  free(outputs);
  mbs_terms_destroy(terms);
  mbs_model_destroy(model);
}

// ---- a free body: Euler's equations J omega' = -omega x J omega in its axes, turned to global ones ----
static const char body[] =
    "mbsens: 1\n"
    "name: body\n"
    "dimension: 3\n"
    "ground: {points: {O: [0, 0, 0]}}\n"
    "bodies: {b: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.3, 0.35], points: {O: [0, 0, 0]}, vectors: {x: [1, 0, 0], "
    "y: [0, 1, 0]}, rotation: [0.3, -0.2, 0.5]}}\n"
    "joints: [{spherical: [ground.O, b.O], name: ball}]\n"
    "initial:\n"
    "  independent:\n"
    "    - {coordinate: direction(b.x).y, velocity: 0.7}\n"
    "    - {coordinate: direction(b.x).z, velocity: -0.3}\n"
    "    - {coordinate: direction(b.y).z, velocity: 0.4}\n";

// alpha of omega, both in global axes, with R by Euler parameters
static void turn(const double p[4], const double omega[3], double alpha[3]) {
  const double J[3] = {0.1, 0.3, 0.35};
  double R[3][3], w[3], a[3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      int k = 3 - i - j;
      double sign = i == j ? 0 : (j - i + 3) % 3 == 1 ? -1 : 1;
      R[i][j] = 2 * p[1 + i] * p[1 + j] + (i == j ? 2 * p[0] * p[0] - 1 : sign * 2 * p[0] * p[1 + k]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    w[i] = R[0][i] * omega[0] + R[1][i] * omega[1] + R[2][i] * omega[2];
  }
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    a[i] = (J[j] - J[k]) * w[j] * w[k] / J[i];
  }
  for (int i = 0; i < 3; ++i) {
    alpha[i] = R[i][0] * a[0] + R[i][1] * a[1] + R[i][2] * a[2];
  }
}

static void check_ball(void) {
  MbsModel *model = read_text(context, "body", body);
  MbsTerms *terms = create("body", model, "relative", "");
  ENSURE(mbs_terms_width(terms, MBS_BY_INDEPENDENT_POSITIONS) == 3);
  for (int k = 0; k < 3; ++k) {
    static const char *const names[] = {"ball.rotation.x", "ball.rotation.y", "ball.rotation.z"};
    ENSURE_TEXT(mbs_terms_independent_position_names(terms)[k], names[k]);
    ENSURE_TEXT(mbs_terms_independent_velocity_names(terms)[k], names[k]);
  }
  double p[4], v[4], alpha[3];
  ENSURE_OK(context, mbs_terms_state(context, terms, NULL, 4, p, v));
  double *omega = vector(terms, MBS_TERMS_INDEPENDENT_VELOCITIES),
         *rate = vector(terms, MBS_TERMS_INDEPENDENT_ACCELERATIONS);
  ENSURE(largest_of(3, omega) > 0.3);
  turn(p, omega, alpha);
  for (int k = 0; k < 3; ++k) {
    ENSURE_NEAR(rate[k], alpha[k], 1e-12);
  }
  // by a rotation e about each axis, p + e/2 (0, axis) p, and by omega
  const double e = 1e-5;
  double *A = matrix(terms, MBS_TERMS_INDEPENDENT_ACCELERATIONS, MBS_BY_INDEPENDENT_POSITIONS);
  double *B = matrix(terms, MBS_TERMS_INDEPENDENT_ACCELERATIONS, MBS_BY_INDEPENDENT_VELOCITIES);
  for (int k = 0; k < 3; ++k) {
    double ahead[3], behind[3], found = 0;
    for (int side = -1; side <= 1; side += 2) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      double turned[4] = {p[0], p[1], p[2], p[3]}, h = side * e / 2, length = 0;
      turned[0] -= h * p[1 + k];
      turned[1 + k] += h * p[0];
      turned[1 + i] -= h * p[1 + j];
      turned[1 + j] += h * p[1 + i];
      for (int c = 0; c < 4; ++c) {
        length += turned[c] * turned[c];
      }
      for (int c = 0; c < 4; ++c) {
        turned[c] /= sqrt(length);
      }
      turn(turned, omega, side > 0 ? ahead : behind);
    }
    for (int i = 0; i < 3; ++i) {
      ENSURE_NEAR(A[3 * i + k], (ahead[i] - behind[i]) / (2 * e), 1e-9);
      found = fmax(found, fabs(A[3 * i + k]));
    }
    ENSURE(found > 1e-3);
    for (int side = -1; side <= 1; side += 2) {
      double moved[3] = {omega[0], omega[1], omega[2]};
      moved[k] += side * e;
      turn(p, moved, side > 0 ? ahead : behind);
    }
    for (int i = 0; i < 3; ++i) {
      ENSURE_NEAR(B[3 * i + k], (ahead[i] - behind[i]) / (2 * e), 1e-9);
    }
  }
  free(omega);
  free(rate);
  free(A);
  free(B);
  mbs_terms_destroy(terms);
  mbs_model_destroy(model);
}

// ---- conversion ----
// Natural coordinates read them from what points share, relative ones from the wrenches along the tree. Of redundant
// constraints each has multipliers of its own.
static void check_reactions(const char *path, const MbsModel *model, MbsTerms *natural, MbsTerms *relative) {
  MbsRequest request;
  MbsCheck *check;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  int count = 6 * mbs_terms_reaction_count(natural), redundant = check->redundant;
  mbs_check_destroy(check);
  ENSURE(count == 6 * mbs_terms_reaction_count(relative));
  double *one = zeros(count), *other = zeros(count);
  ENSURE_OK(context, mbs_terms_reactions(context, natural, count, one));
  ENSURE_OK(context, mbs_terms_reactions(context, relative, count, other));
  for (int i = 0; i < count && redundant == 0; ++i) {
    if (!(fabs(one[i] - other[i]) <= 1e-5 * (largest_of(count, one) + 1e-3))) {
      (void)fprintf(stderr, "%s: reaction %d of joint %s is %.12g, in relative coordinates %.12g\n", path, i % 6,
                    mbs_terms_reaction_names(natural)[i / 6], one[i], other[i]);
      exit(1);
    }
  }
  free(one);
  free(other);
}

// A run of some steps leads to a state; in the other coordinates it has the same energies and the same accelerations
// of points, and back again it is the same.
static void check_conversion(const char *path, void *user) {
  (void)user;
  (void)printf("%s: converted\n", path);
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsSimulator *simulator;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  request.settings.is_kinematic = false;
  request.settings.accuracy = 0;
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "ali3p");
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "trapezoidal");
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "natural");
  (void)snprintf(request.settings.columns, sizeof request.settings.columns, "points, *''");
  request.settings.end = fmin(request.settings.end, 40 * request.settings.step);
  if (mbs_simulator_create(context, model, &request, &simulator) != MBS_OK) {
    mbs_model_destroy(model);
    return;
  }
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  for (int i = 0; i < 30 && !mbs_simulator_is_over(simulator); ++i) {
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
  }
  MbsTerms *natural = create(path, model, "natural", "points, *''"),
           *relative = create(path, model, "relative", "points, *''");
  int n = mbs_terms_width(natural, MBS_BY_POSITIONS), outputs = mbs_terms_size(natural, MBS_TERMS_OUTPUTS);
  double *q = zeros(n), *v = zeros(n), *back_q = zeros(n), *back_v = zeros(n), energy[2][2];
  ENSURE_OK(context, mbs_simulator_state(context, simulator, n, q, v, NULL));
  ENSURE_OK(context, mbs_terms_set_state(context, natural, mbs_simulator_time(simulator), n, q, v));
  ENSURE_OK(context, mbs_terms_convert(context, natural, relative));
  ENSURE_OK(context, mbs_terms_energies(context, natural, &energy[0][0], &energy[0][1]));
  ENSURE_OK(context, mbs_terms_energies(context, relative, &energy[1][0], &energy[1][1]));
  double size = fabs(energy[0][0]) + (isfinite(energy[0][1]) ? fabs(energy[0][1]) : 0);
  ENSURE_NEAR(energy[1][0], energy[0][0], 1e-8 * size);
  ENSURE(!isfinite(energy[0][1]) || fabs(energy[1][1] - energy[0][1]) <= 1e-8 * size);
  ENSURE(mbs_terms_size(relative, MBS_TERMS_OUTPUTS) == outputs);
  double *one = vector(natural, MBS_TERMS_OUTPUTS), *other = vector(relative, MBS_TERMS_OUTPUTS);
  for (int i = 0; i < outputs; ++i) {
    if (!(fabs(one[i] - other[i]) <= 1e-5 * (largest_of(outputs, one) + 1e-3))) {
      (void)fprintf(stderr, "%s: %s is %.12g, in relative coordinates %.12g\n", path,
                    mbs_terms_output_names(natural)[i], one[i], other[i]);
      exit(1);
    }
  }
  check_reactions(path, model, natural, relative);
  ENSURE_OK(context, mbs_terms_convert(context, relative, natural));
  ENSURE_OK(context, mbs_terms_state(context, natural, NULL, n, back_q, back_v));
  for (int i = 0; i < n; ++i) {
    ENSURE_NEAR(back_q[i], q[i], 1e-7 * (1 + largest_of(n, q)));
    ENSURE_NEAR(back_v[i], v[i], 1e-6 * (1 + largest_of(n, v)));
  }
  free(q);
  free(v);
  free(back_q);
  free(back_v);
  free(one);
  free(other);
  mbs_terms_destroy(natural);
  mbs_terms_destroy(relative);
  mbs_simulator_destroy(simulator);
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
  MbsTerms *terms = NULL;
  MbsRequest request;
  MbsTermsPattern pattern;
  double x[64] = {0}, nan[64] = {(double)NAN};
  const MbsTermsVector no_vector = (MbsTermsVector)99;
  const MbsTermsArgument no_argument = (MbsTermsArgument)-1;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_REFUSED(mbs_terms_create(context, NULL, &request, &terms), MBS_ERROR_INPUT, "the model is NULL");
  ENSURE(mbs_terms_vector(NULL, terms, MBS_TERMS_PHI, 1, x) == MBS_ERROR_INPUT);
  terms = create("steered", model, "natural", "");
  int n = mbs_terms_width(terms, MBS_BY_POSITIONS);
  ENSURE_REFUSED(mbs_terms_vector(context, NULL, MBS_TERMS_PHI, 1, x), MBS_ERROR_INPUT, "the terms is NULL");
  ENSURE_REFUSED(mbs_terms_vector(context, terms, MBS_TERMS_BALANCE, n + 1, x), MBS_ERROR_INPUT, "given for");
  ENSURE_REFUSED(mbs_terms_vector(context, terms, no_vector, 1, x), MBS_ERROR_INPUT, "no vector 99");
  ENSURE_REFUSED(mbs_terms_product(context, terms, MBS_TERMS_PHI, no_argument, 1, x, 1, x), MBS_ERROR_INPUT,
                 "no vector");
  ENSURE_REFUSED(mbs_terms_product(context, terms, MBS_TERMS_PHI, MBS_BY_POSITIONS, n, nan,
                                   mbs_terms_size(terms, MBS_TERMS_PHI), x),
                 MBS_ERROR_INPUT, "must be finite");
  ENSURE_REFUSED(mbs_terms_pattern(context, terms, MBS_TERMS_FORCES, MBS_BY_POSITIONS, &pattern), MBS_ERROR_NOT_OFFERED,
                 "values alone");
  ENSURE_REFUSED(mbs_terms_pattern(context, terms, MBS_TERMS_VELOCITIES, MBS_BY_POSITIONS, &pattern),
                 MBS_ERROR_NOT_OFFERED, "tangent space");
  ENSURE_REFUSED(mbs_terms_set_state(context, terms, 0, n, nan, x), MBS_ERROR_INPUT, "finite");
  ENSURE_REFUSED(mbs_terms_set_state(context, terms, 0, n - 1, x, x), MBS_ERROR_INPUT, "coordinates");
  ENSURE_REFUSED(mbs_terms_set_point(context, terms, "tipp", 2, x), MBS_ERROR_INPUT, "did you mean \"tip\"");
  ENSURE_REFUSED(mbs_terms_set_inputs(context, terms, 1, x), MBS_ERROR_INPUT, "inputs");
  x[0] = 5;
  ENSURE_OK(context, mbs_terms_set_parameters(context, terms, 1, x));
  ENSURE_REFUSED(mbs_terms_vector(context, terms, MBS_TERMS_BALANCE, n, x), MBS_ERROR_INPUT, "have no state");
  ENSURE_OK(context, mbs_terms_start(context, terms));
  ENSURE_OK(context, mbs_terms_vector(context, terms, MBS_TERMS_BALANCE, n, x));
  // a state that the joints do not allow
  MbsTerms *relative = create("steered", model, "relative", "");
  ENSURE_OK(context, mbs_terms_state(context, terms, NULL, n, x, NULL));
  x[0] += 0.2;
  double *v = zeros(n);
  ENSURE_OK(context, mbs_terms_set_state(context, terms, 0, n, x, v));
  ENSURE_REFUSED(mbs_terms_convert(context, terms, relative), MBS_ERROR_INPUT, "cannot be converted");
  ENSURE_REFUSED(mbs_terms_vector(context, relative, MBS_TERMS_BALANCE, 2, x), MBS_ERROR_INPUT, "have no state");
  free(v);
  mbs_terms_destroy(relative);
  mbs_terms_destroy(terms);
  mbs_model_destroy(model);
  mbs_terms_destroy(NULL);
  ENSURE(mbs_terms_size(NULL, MBS_TERMS_PHI) == -1);
}

int main(void) {
  static const char *const moving[] = {"models/five_bar.yaml",        "models/rssr.yaml",
                                       "models/shaken_pendulum.yaml", "models/slider_spring.yaml",
                                       "models/andrews.yaml",         "models/governor.yaml"};
  static const char *const coordinates[] = {"natural", "relative"};
  context = mbs_context_create();
  ENSURE(context);
  for (int c = 0; c < 2; ++c) {
    for (size_t i = 0; i < sizeof moving / sizeof *moving; ++i) {
      bool has_balls = c == 1 && (strstr(moving[i], "rssr") || strstr(moving[i], "governor"));
      if (!has_balls) {  // whose rotations are no coordinates: check_ball
        check_tangent(moving[i], coordinates[c]);
      }
    }
    check_time("models/driven_slider_crank.yaml", coordinates[c]);
    check_time("models/shaken_pendulum.yaml", coordinates[c]);
    check_inputs_and_points(coordinates[c]);
  }
  check_ball();
  (void)for_each_file("models/*.yaml", check_conversion, NULL);
  check_refusals();
  mbs_context_destroy(context);
  return 0;
}
