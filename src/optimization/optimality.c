// Non-negative least squares by the active set method (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter
// 23), the rows of the passive set orthogonalised by modified Gram-Schmidt with the right hand side. Parameters at a
// bound are left out; those that what is left would move inwards are taken in, and all is done again.
#include "optimization/optimality.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-10    // what remains of a row that follows from others, of its length
#define AT_BOUND 1e-9      // of a parameter's scale
#define LEAST_SLOPE 1e-12  // of two lengths: their product is zero

MbsStatus mbs_optimality_create(MbsContext *context, const MbsDesignProblem *problem, MbsOptimality *optimality) {
  int n = problem->n, m = problem->row_count;
  MbsArena *arena = problem->arena;
  *optimality = (MbsOptimality){.residual = (double)NAN};
  MBS_TAKE(context, arena, optimality->multipliers, m);
  MBS_TAKE(context, arena, optimality->bounds, n);
  MBS_TAKE(context, arena, optimality->is_active, m);
  MBS_TAKE(context, arena, optimality->slopes, (m + 1) * n);
  MBS_TAKE(context, arena, optimality->left, n);
  MBS_TAKE(context, arena, optimality->basis, m * n);
  MBS_TAKE(context, arena, optimality->triangle, m * m);
  MBS_TAKE(context, arena, optimality->solution, m);
  MBS_TAKE(context, arena, optimality->is_free, n);
  MBS_TAKE(context, arena, optimality->is_passive, m);
  return MBS_OK;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void add(int n, double factor, const double *a, double *to) {
  for (int i = 0; i < n; ++i) {
    to[i] += factor * a[i];
  }
}

// the entries of a row that count
static void take_free(const MbsOptimality *o, int n, const double *row, double *to) {
  for (int i = 0; i < n; ++i) {
    to[i] = o->is_free[i] ? row[i] : 0;
  }
}

// solution: the lambda of the passive set for which left = g + sum lambda a is shortest
static void solve_passive(const MbsDesignProblem *problem, MbsOptimality *o) {
  int n = problem->n, m = problem->row_count;
  take_free(o, n, o->slopes + m * n, o->left);
  for (int j = 0; j < m; ++j) {
    double *q = o->basis + j * n, *R = o->triangle + j * m;
    memset(q, 0, (size_t)n * sizeof *q);
    memset(R, 0, (size_t)m * sizeof *R);
    o->solution[j] = 0;
    if (!o->is_passive[j]) {
      continue;
    }
    take_free(o, n, o->slopes + j * n, q);
    double before = sqrt(dot(n, q, q));
    for (int k = 0; k < j; ++k) {
      R[k] = dot(n, o->basis + k * n, q);
      add(n, -R[k], o->basis + k * n, q);
    }
    double length = sqrt(dot(n, q, q));
    R[j] = length > DEPENDENT * before ? length : 0;
    for (int i = 0; i < n; ++i) {
      q[i] = R[j] > 0 ? q[i] / R[j] : 0;
    }
    o->solution[j] = -dot(n, q, o->left);
    add(n, o->solution[j], q, o->left);
  }
  // the triangle, from its last row on
  for (int j = m - 1; j >= 0; --j) {
    for (int k = j + 1; k < m; ++k) {
      o->solution[j] -= o->triangle[k * m + j] * o->solution[k];
    }
    o->solution[j] = o->triangle[j * m + j] > 0 ? o->solution[j] / o->triangle[j * m + j] : 0;
  }
}

// How far the multipliers may go towards the solution; those of inequalities that end at zero leave the passive set.
static bool go_to_solution(const MbsDesignProblem *problem, MbsOptimality *o) {
  int m = problem->row_count, last = -1;
  double part = 1;
  for (int j = 0; j < m; ++j) {
    if (o->is_passive[j] && !problem->rows[j].is_equality && o->solution[j] < 0) {
      double reach = o->multipliers[j] / (o->multipliers[j] - o->solution[j]);
      last = reach <= part ? j : last;
      part = fmin(part, reach);
    }
  }
  for (int j = 0; j < m; ++j) {
    o->multipliers[j] += part * (o->solution[j] - o->multipliers[j]);
  }
  if (last >= 0) {
    o->is_passive[last] = false;
    o->multipliers[last] = 0;
  }
  return last < 0;
}

// an inequality whose multiplier would make what is left shorter
static int next_passive(const MbsDesignProblem *problem, const MbsOptimality *o) {
  int n = problem->n, next = -1;
  double best = LEAST_SLOPE, size = sqrt(dot(n, o->left, o->left));
  for (int j = 0; j < problem->row_count; ++j) {
    const double *a = o->slopes + j * n;
    double slope = -dot(n, a, o->left), length = sqrt(dot(n, a, a));
    if (o->is_active[j] && !o->is_passive[j] && slope > best * size * length) {
      best = slope / (size * length);
      next = j;
    }
  }
  return next;
}

static void find_multipliers(const MbsDesignProblem *problem, MbsOptimality *o) {
  int m = problem->row_count;
  memset(o->multipliers, 0, (size_t)m * sizeof(double));
  for (int j = 0; j < m; ++j) {
    o->is_passive[j] = problem->rows[j].is_equality;
  }
  for (int round = 0; round <= 3 * m; ++round) {
    do {
      solve_passive(problem, o);
    } while (!go_to_solution(problem, o));
    int next = next_passive(problem, o);
    if (next < 0) {
      break;
    }
    o->is_passive[next] = true;
  }
}

// At which bounds is the parameter?
static void at_bounds(const MbsDesignProblem *problem, const double *x, int i, bool *is_low, bool *is_high) {
  double near = AT_BOUND * problem->scale[i];
  *is_low = x[i] - problem->variables[i].lower <= near;
  *is_high = problem->variables[i].upper - x[i] <= near;
}

// What is left, of all entries: what pushes against a bound is the bound's. Does anything push inwards that was left
// out?
static bool find_bounds(const MbsDesignProblem *problem, const MbsDesignPoint *point, MbsOptimality *o) {
  int n = problem->n, m = problem->row_count;
  bool is_whole = true;
  memcpy(o->left, o->slopes + m * n, (size_t)n * sizeof(double));
  for (int j = 0; j < m; ++j) {
    add(n, o->multipliers[j], o->slopes + j * n, o->left);
  }
  o->residual = 0;
  for (int i = 0; i < n; ++i) {
    bool is_low, is_high;
    at_bounds(problem, point->x, i, &is_low, &is_high);
    bool is_held = o->left[i] > 0 ? is_low : is_high;
    o->bounds[i] = is_held ? -o->left[i] : 0;
    is_whole = is_whole && (is_held || o->is_free[i]);
    o->is_free[i] = o->is_free[i] || !is_held;
    o->residual = fmax(o->residual, is_held ? 0 : fabs(o->left[i]));
  }
  return is_whole;
}

void mbs_optimality_find(const MbsDesignProblem *problem, const MbsDesignPoint *point, double near, MbsOptimality *o) {
  int n = problem->n, m = problem->row_count;
  for (int i = 0; i < n; ++i) {
    bool is_low, is_high;
    at_bounds(problem, point->x, i, &is_low, &is_high);
    o->is_free[i] = !is_low && !is_high;
    o->slopes[m * n + i] = mbs_design_problem_slope(problem, point, i) * problem->scale[i];
    for (int j = 0; j < m; ++j) {
      o->slopes[j * n + i] = mbs_design_problem_row_slope(problem, point, j, i) * problem->scale[i];
    }
  }
  for (int j = 0; j < m; ++j) {
    o->is_active[j] = problem->rows[j].is_equality || mbs_design_problem_row(problem, point, j) >= -near;
  }
  for (int round = 0; round <= n; ++round) {
    find_multipliers(problem, o);
    if (find_bounds(problem, point, o)) {
      break;
    }
  }
}
