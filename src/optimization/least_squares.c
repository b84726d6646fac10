// Levenberg and Marquardt's method, with bounds.
//
// [J r] = Q [R b; 0 rest] makes of every iteration a problem of n numbers. The step d minimises
//     |R d + b|^2 + lambda |D d|^2,      l <= x + d <= u
// with D the largest lengths so far of the columns of J, so that units do not matter. Parameters that are at a bound
// and would pass it stay there; those that the step takes past one go as far as that, and the others are solved for
// again (as often as there are parameters). How much the sum fell over what the linear model promised decides on
// lambda, which where all goes well falls by ten each time: near the end it is Gauss and Newton's method.
//
// It ends where the step without damping would bring less than
//     (tolerance)^2 |r|^2 n / (m - n),
// the offset relative to the region of confidence: Bates, Watts, "A Relative Offset Orthogonality Convergence Criterion
// for Nonlinear Least Squares", Technometrics 23 (1981).
// Moré, "The Levenberg-Marquardt algorithm: implementation and theory", LNM 630 (1978).
#include "optimization/least_squares.h"

#include <float.h>
#include <math.h>
#include <string.h>

// LAPACK, by columns
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
             int *info);
void dgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
            const int *ldb, double *work, const int *lwork, int *info);

static const double first_damping = 1e-3, least_damping = 1e-14, most_damping = 1e20;
static const double shortest = 1e-8;  // steps, relative to the parameters: shorter ones show nothing but rounding

typedef struct Search {
  MbsContext *context;
  const MbsLeastSquares *problem;
  int n;
  double *x, *tried, *d, *longest;    // n
  double *r, *J, *r_tried, *J_tried;  // at x; at what is tried
  double *R, *b;                      // of those at x
  double *small, *right, *work;       // of the damped problem
  int *free;                          // parameters that it is solved for
  double damping, growth;
  MbsArena *scratch;
} Search;

// ---- linear algebra ----
MbsStatus mbs_least_squares_triangle(MbsContext *context, MbsArena *arena, long residual_count, int n, const double *J,
                                     const double *r, double *R, double *b) {
  int columns = n + 1, rows = (int)(residual_count > columns ? residual_count : columns), info = 0, size = 32 * columns;
  double *a, *tau, *work;
  MBS_TAKE(context, arena, a, (size_t)rows * (size_t)columns);
  MBS_TAKE(context, arena, tau, columns);
  MBS_TAKE(context, arena, work, size);
  for (int k = 0; k < columns; ++k) {  // rows of zeros below, where there are few
    memcpy(a + (size_t)k * (size_t)rows, k < n ? J + (size_t)k * (size_t)residual_count : r,
           (size_t)residual_count * sizeof *a);
  }
  dgeqrf_(&rows, &columns, a, &rows, tau, work, &size, &info);
  MBS_CHECK(context, info == 0);
  for (int k = 0; k < columns; ++k) {
    for (int i = 0; i < n; ++i) {
      *(k < n ? &R[k * n + i] : &b[i]) = i <= k ? a[(size_t)k * (size_t)rows + (size_t)i] : 0;
    }
  }
  return MBS_OK;
}

// |R d + b|^2
static double linear_value(const Search *s, const double *d) {
  double sum = 0;
  for (int i = 0; i < s->n; ++i) {
    double row = s->b[i];
    for (int k = i; k < s->n; ++k) {
      row += s->R[k * s->n + i] * d[k];
    }
    sum += row * row;
  }
  return sum;
}

static double sum_of_squares(long count, const double *r) {
  double sum = 0;
  for (long i = 0; i < count; ++i) {
    sum += r[i] * r[i];
  }
  return sum;
}

// d of the free ones, where the others are given: [R_F; sqrt(lambda) D_F] d_F = -[b + R_A d_A; 0]
static MbsStatus solve_free(Search *s, int free_count, double damping, double *d) {
  const int n = s->n, rows = 2 * n, one = 1, size = 2 * 32 * n + 4 * n;
  int info = 0;
  for (int i = 0; i < n; ++i) {
    s->right[i] = -s->b[i];
    s->right[n + i] = 0;
  }
  for (int k = 0, f = 0; k < n; ++k) {
    if (f < free_count && s->free[f] == k) {
      double *column = s->small + (size_t)f * (size_t)rows;
      memcpy(column, s->R + k * n, (size_t)n * sizeof *column);
      memset(column + n, 0, (size_t)n * sizeof *column);
      column[n + k] = sqrt(damping) * s->longest[k];
      ++f;
    } else {
      for (int i = 0; i < n; ++i) {
        s->right[i] -= s->R[k * n + i] * d[k];
      }
    }
  }
  dgels_("N", &rows, &free_count, &one, s->small, &rows, s->right, &rows, s->work, &size, &info);
  MBS_CHECK(s->context, info == 0);
  for (int f = 0; f < free_count; ++f) {
    d[s->free[f]] = s->right[f];
  }
  return MBS_OK;
}

// The step between bounds.
static MbsStatus solve(Search *s, double damping, double *d) {
  const MbsLeastSquares *problem = s->problem;
  int count = 0;
  memset(d, 0, (size_t)s->n * sizeof *d);
  for (int k = 0; k < s->n; ++k) {
    double slope = 0;
    for (int i = 0; i <= k; ++i) {
      slope += s->R[k * s->n + i] * s->b[i];
    }
    bool is_held = (s->x[k] <= problem->lower[k] && slope > 0) || (s->x[k] >= problem->upper[k] && slope < 0);
    if (!is_held && s->longest[k] > 0) {
      s->free[count++] = k;
    }
  }
  for (bool is_within = false; !is_within && count > 0;) {
    int kept = 0;
    MBS_TRY(solve_free(s, count, damping, d));
    for (int f = 0; f < count; ++f) {
      int k = s->free[f];
      double to = fmin(fmax(s->x[k] + d[k], problem->lower[k]), problem->upper[k]);
      bool is_past = s->x[k] + d[k] < problem->lower[k] || s->x[k] + d[k] > problem->upper[k];
      if (is_past) {
        d[k] = to - s->x[k];
      } else {
        s->free[kept++] = k;
      }
    }
    is_within = kept == count;
    count = kept;
  }
  return MBS_OK;
}

// ---- the search ----
static MbsStatus linearize(Search *s) {
  mbs_arena_clear(s->scratch);
  MBS_TRY(mbs_least_squares_triangle(s->context, s->scratch, s->problem->residual_count, s->n, s->J, s->r, s->R, s->b));
  for (int k = 0; k < s->n; ++k) {
    s->longest[k] = fmax(s->longest[k], sqrt(sum_of_squares(s->n, s->R + k * s->n)));
  }
  return MBS_OK;
}

// the largest part of a step in the size of its parameter
static double relative_length(const Search *s, const double *d) {
  double largest = 0;
  for (int k = 0; k < s->n; ++k) {
    largest = fmax(largest, fabs(d[k]) / fmax(fabs(s->x[k]), s->problem->scale[k]));
  }
  return largest;
}

static bool is_failed_run(MbsStatus status) { return status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_INPUT; }

static void take_tried(Search *s, double value, MbsLeastSquaresResult *result) {
  double *r = s->r, *J = s->J;
  memcpy(s->x, s->tried, (size_t)s->n * sizeof *s->x);
  s->r = s->r_tried;
  s->J = s->J_tried;
  s->r_tried = r;
  s->J_tried = J;
  result->value = value;
}

typedef enum Trial { TAKEN, NOT_TAKEN, RUN_FAILED, SHORT } Trial;

// One step with the present damping, and the next damping.
static MbsStatus try_step(Search *s, MbsLeastSquaresResult *result, Trial *trial) {
  const MbsLeastSquares *problem = s->problem;
  MBS_TRY(solve(s, s->damping, s->d));
  double promised = sum_of_squares(s->n, s->b) - linear_value(s, s->d), value = HUGE_VAL;
  double length = relative_length(s, s->d);
  for (int k = 0; k < s->n; ++k) {
    s->tried[k] = fmin(fmax(s->x[k] + s->d[k], problem->lower[k]), problem->upper[k]);
  }
  MbsStatus status = problem->evaluate(problem->user, s->context, s->tried, s->r_tried, s->J_tried);
  result->evaluations += 1;
  if (status != MBS_OK && !is_failed_run(status)) {
    return status;
  }
  if (status == MBS_OK) {
    value = sum_of_squares(problem->residual_count, s->r_tried);
  }
  bool has_failed = !isfinite(value);
  double gain = !has_failed && promised > 0 ? (result->value - value) / promised : -1;
  result->failures += has_failed;
  *trial = gain > 1e-4 ? TAKEN : has_failed ? RUN_FAILED : NOT_TAKEN;
  if (*trial == TAKEN) {
    s->damping = gain > 0.75 ? fmax(s->damping / 10, least_damping) : gain > 0.25 ? s->damping : 2 * s->damping;
    s->growth = 4;
    take_tried(s, value, result);
    return linearize(s);
  }
  s->damping = fmax(s->damping, 1e-8) * s->growth;
  s->growth *= 2;
  if (length < shortest || s->damping > most_damping) {
    *trial = has_failed ? RUN_FAILED : SHORT;
    s->damping = HUGE_VAL;
  }
  return MBS_OK;
}

// Is it the minimum, up to what is asked for? length: of the step without damping.
static MbsStatus is_minimum(Search *s, const MbsLeastSquaresResult *result, bool *is_one, double *length) {
  const MbsLeastSquares *problem = s->problem;
  long freedom = problem->residual_count - s->n;
  MBS_TRY(solve(s, least_damping, s->d));
  double promised = sum_of_squares(s->n, s->b) - linear_value(s, s->d);
  *length = relative_length(s, s->d);
  double least = problem->tolerance * problem->tolerance * result->value * s->n / (double)(freedom > 1 ? freedom : 1);
  *is_one = promised <= least || *length < 1e-12;
  return MBS_OK;
}

static MbsStatus search(Search *s, MbsLeastSquaresResult *result) {
  const MbsLeastSquares *problem = s->problem;
  bool is_one = false;
  double length = 0;
  MBS_TRY(problem->evaluate(problem->user, s->context, s->x, s->r, s->J));
  result->evaluations += 1;
  result->value = sum_of_squares(problem->residual_count, s->r);
  MBS_TRY(linearize(s));
  for (;;) {
    MBS_TRY(is_minimum(s, result, &is_one, &length));
    if (is_one || result->value <= problem->rounding * problem->rounding) {
      result->end = is_one ? MBS_LEAST_SQUARES_FOUND : MBS_LEAST_SQUARES_EXACT;
      return MBS_OK;
    }
    if (result->iterations == problem->iterations) {
      result->end = MBS_LEAST_SQUARES_ENOUGH;
      return MBS_OK;
    }
    Trial trial;
    MBS_TRY(try_step(s, result, &trial));
    result->iterations += 1;
    if (problem->report && !problem->report(problem->user, result->iterations, s->x, result->value, trial == TAKEN)) {
      result->end = MBS_LEAST_SQUARES_STOPPED;
      return MBS_OK;
    }
    if (s->damping > most_damping) {  // nothing shorter is left to try: near enough, or is something wrong?
      result->end = length < 10 * shortest ? MBS_LEAST_SQUARES_FOUND
                    : trial == RUN_FAILED  ? MBS_LEAST_SQUARES_FAILED
                                           : MBS_LEAST_SQUARES_STUCK;
      return MBS_OK;
    }
  }
}

MbsStatus mbs_least_squares(MbsContext *context, MbsArena *arena, const MbsLeastSquares *problem, double *x,
                            MbsLeastSquaresResult *result) {
  int n = problem->parameter_count;
  size_t m = (size_t)problem->residual_count;
  Search s = {.context = context, .problem = problem, .n = n, .x = x, .damping = first_damping, .growth = 4};
  *result = (MbsLeastSquaresResult){.end = MBS_LEAST_SQUARES_FOUND};
  MBS_TAKE(context, arena, s.tried, n);
  MBS_TAKE(context, arena, s.d, n);
  MBS_TAKE(context, arena, s.longest, n);
  MBS_TAKE(context, arena, s.r, m);
  MBS_TAKE(context, arena, s.r_tried, m);
  MBS_TAKE(context, arena, s.J, m * (size_t)n);
  MBS_TAKE(context, arena, s.J_tried, m * (size_t)n);
  MBS_TAKE(context, arena, s.R, n * n);
  MBS_TAKE(context, arena, s.b, n);
  MBS_TAKE(context, arena, s.small, 2 * n * n);
  MBS_TAKE(context, arena, s.right, 2 * n);
  MBS_TAKE(context, arena, s.work, 2 * 32 * n + 4 * n);
  MBS_TAKE(context, arena, s.free, n);
  s.scratch = mbs_arena_create_for(context);
  if (!s.scratch) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MbsStatus status = search(&s, result);
  mbs_arena_destroy(s.scratch);
  if (status == MBS_ERROR_INTERRUPTED && result->evaluations > 0) {
    result->end = MBS_LEAST_SQUARES_STOPPED;  // x is the best so far
    status = MBS_OK;
  }
  result->r = s.r;
  result->J = s.J;
  return status;
}
