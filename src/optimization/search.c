#include "optimization/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "optimization/nlopt_search.h"

#define LEAST_STEP 0.01  // of the first one, in scales of parameters
#define LARGEST_STEP 0.3
#define OPTIMAL 1e-4  // what may be left of the gradient where NLopt ended by itself
#define FIRST_COBYLA_STEP 0.1
enum { MOST_CYCLES = 100, MOST_VAIN_CYCLES = 2 };

// ---- set-up ----
MbsStatus mbs_search_create(MbsContext *context, MbsDesignProblem *problem, const MbsOptimizeOptions *options,
                            MbsJournal *journal, MbsSearch *search) {
  int n = problem->n, m = problem->row_count;
  MbsArena *arena = problem->arena;
  *search = (MbsSearch){.problem = problem, .options = options, .journal = journal};
  MBS_TRY(mbs_design_problem_point(context, problem, &search->here));
  MBS_TRY(mbs_design_problem_point(context, problem, &search->best));
  MBS_TRY(mbs_design_problem_point(context, problem, &search->begin));
  MBS_TRY(mbs_design_problem_point(context, problem, &search->path));
  MBS_TRY(mbs_optimality_create(context, problem, &search->optimality));
  MBS_TAKE(context, arena, search->row_shift, m);
  MBS_TAKE(context, arena, search->slope, n);
  MBS_TAKE(context, arena, search->rows, m);
  MBS_TAKE(context, arena, search->row_slopes, m * n);
  MBS_TAKE(context, arena, search->x, n);
  MBS_TAKE(context, arena, search->z, n);
  MBS_TAKE(context, arena, search->lower, n);
  MBS_TAKE(context, arena, search->upper, n);
  MBS_TAKE(context, arena, search->failed, n);
  MBS_TAKE(context, arena, search->tolerances, m);
  MBS_TAKE(context, arena, search->is_equality, m);
  for (int j = 0; j < m; ++j) {
    search->tolerances[j] = problem->design.feasibility;
    search->is_equality[j] = problem->rows[j].is_equality;
  }
  return MBS_OK;
}

static bool stop(MbsSearch *search, MbsSearchEnd end) {
  search->end = end;
  return false;
}

// ---- telling ----
static bool tell(MbsSearch *search, const char *failure) {
  const MbsDesignProblem *problem = search->problem;
  double sign = problem->design.is_maximized ? -1 : 1;
  const MbsIterate iterate = {.start = search->start,
                              .iteration = search->iterations,
                              .evaluations = problem->evaluations,
                              .failure = failure,
                              .parameter_count = problem->n,
                              .names = problem->names,
                              .parameters = search->best.x,
                              .value = sign * search->best_value,
                              .violation = search->best_violation,
                              .optimality = search->best.has_gradient && search->largest_slope > 0
                                                ? search->optimality.residual / search->largest_slope
                                                : search->optimality.residual};
  const MbsOptimizeOptions *options = search->options;
  return !options->on_iterate || options->on_iterate(options->user, &iterate) || stop(search, MBS_SEARCH_INTERRUPTED);
}

// ---- evaluations ----
static bool is_rejected(MbsStatus status) { return status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_INPUT; }

// Is it the model of the journal? The first design tells.
static MbsStatus check_recalled(MbsSearch *search, const MbsDesignPoint *point) {
  const MbsDesignProblem *problem = search->problem;
  size_t m = (size_t)problem->objective_count, n = (size_t)problem->n;
  memcpy(search->best.x, point->x, n * sizeof(double));
  search->is_fresh = false;
  MBS_TRY(mbs_design_problem_evaluate(search->context, search->problem, &search->best));
  search->problem->evaluations -= search->best.runs;  // they are counted
  bool is_same = memcmp(search->best.values, point->values, m * sizeof(double)) == 0 &&
                 search->best.has_gradient == point->has_gradient &&
                 (!point->has_gradient || memcmp(search->best.gradient, point->gradient, m * n * sizeof(double)) == 0);
  return is_same ? MBS_OK
                 : mbs_fail(search->context, MBS_ERROR_INPUT, mbs_nowhere,
                            "%s is the state of another model, whose objectives have other values or gradients at the "
                            "start: give the state another name, or remove the file to begin anew",
                            search->options->state);
}

// Runs follow a journal: the path that they would have kept, found again.
static MbsStatus find_path(MbsSearch *search) {
  MbsDesignProblem *problem = search->problem;
  if (!search->has_path_point) {
    return MBS_OK;
  }
  search->has_path_point = false;
  MBS_TRY(mbs_design_problem_renew(search->context, problem, &search->path));
  problem->evaluations -= search->path.runs;  // they are counted
  return MBS_OK;
}

// The first run from a start follows a journal: the order of pivots is that of the first design's.
static MbsStatus run_begin(MbsSearch *search, MbsDesignPoint *point) {
  MbsDesignProblem *problem = search->problem;
  bool is_due = search->is_fresh && search->has_best;
  size_t n = (size_t)problem->n;
  search->is_fresh = false;
  if (!is_due) {
    return MBS_OK;
  }
  memcpy(search->failed, point->x, n * sizeof(double));  // which is free now
  memcpy(point->x, search->begin.x, n * sizeof(double));
  MBS_TRY(mbs_design_problem_evaluate(search->context, problem, point));
  problem->evaluations -= point->runs;  // they are counted
  memcpy(point->x, search->failed, n * sizeof(double));
  return MBS_OK;
}

// From the journal, as long as it has some; then by a run.
static MbsStatus compute(MbsSearch *search, MbsDesignPoint *point, bool is_renewed) {
  MbsContext *context = search->context;
  MbsDesignProblem *problem = search->problem;
  bool is_known, is_first = !search->is_checked;
  MbsStatus status;
  MBS_TRY(mbs_journal_recall(context, search->journal, problem, point, &is_known, &status));
  search->is_checked = true;
  if (is_known) {
    problem->evaluations += point->runs;
    if (problem->keeps_path && (status != MBS_OK || point->is_path_own)) {
      search->has_path_point = status == MBS_OK;
      memcpy(search->path.x, point->x, (size_t)problem->n * sizeof(double));
    }
    return is_first && status == MBS_OK ? check_recalled(search, point) : status;
  }
  double part = (double)problem->evaluations / search->most_evaluations;
  if (context->keep_going && !context->keep_going(context->user, part)) {
    return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped after %d evaluations", problem->evaluations);
  }
  MBS_TRY(run_begin(search, point));
  MBS_TRY(find_path(search));
  status = is_renewed ? mbs_design_problem_renew(context, problem, point)
                      : mbs_design_problem_evaluate(context, problem, point);
  if (status == MBS_OK || is_rejected(status)) {
    MbsStatus kept = mbs_journal_keep(context, search->journal, problem, point, status);
    status = kept == MBS_OK ? status : kept;
  }
  return status;
}

// ---- the best design ----
static double push(double price, double off) { return price * fmax(0, off); }

// f, and what violations are worth by the multipliers: among designs that keep the constraints to their tolerance, one
// gains nothing by leaning on it
static double worth(const MbsSearch *search, const MbsDesignPoint *point) {
  const MbsDesignProblem *problem = search->problem;
  double sum = mbs_design_problem_value(problem, point);
  for (int j = 0; j < problem->row_count; ++j) {
    double c = mbs_design_problem_row(problem, point, j);
    sum += push(2 * fabs(search->optimality.multipliers[j]), problem->rows[j].is_equality ? fabs(c) : c);
  }
  return sum;
}

static bool is_better(const MbsSearch *search, const MbsDesignPoint *point) {
  double allowed = search->problem->design.feasibility;
  double violation = mbs_design_problem_violation(search->problem, point);
  if (!search->has_best) {
    return true;
  }
  if (violation <= allowed && search->best_violation <= allowed) {
    return worth(search, point) < worth(search, &search->best);
  }
  return violation < search->best_violation;
}

static bool is_feasible(const MbsSearch *search) {
  return search->best_violation <= search->problem->design.feasibility;
}

// the best design's own numbers
static void judge(MbsSearch *search) {
  const MbsDesignProblem *problem = search->problem;
  search->best_value = mbs_design_problem_value(problem, &search->best);
  search->best_violation = mbs_design_problem_violation(problem, &search->best);
  if (!search->best.has_gradient) {
    return;
  }
  for (int i = 0; i < problem->n; ++i) {
    double slope = fabs(mbs_design_problem_slope(problem, &search->best, i)) * problem->scale[i];
    search->largest_slope = fmax(search->largest_slope, slope);
  }
  mbs_optimality_find(problem, &search->best, MBS_NEAR_LIMIT * problem->design.feasibility, &search->optimality);
}

static bool is_optimal(const MbsSearch *search, double part) {
  return search->best.has_gradient && is_feasible(search) &&
         search->optimality.residual <= part * search->largest_slope;
}

// The best design on a path of its own, which those near it repeat. What that changes is taken from what NLopt is
// given.
static MbsStatus renew(MbsSearch *search) {
  const MbsDesignProblem *problem = search->problem;
  if (!problem->keeps_path || search->best.is_path_own) {
    return MBS_OK;
  }
  MbsStatus status = compute(search, &search->here, true);
  if (status != MBS_OK) {
    return is_rejected(status) ? MBS_OK : status;  // it stays as it was found
  }
  search->value_shift += mbs_design_problem_value(problem, &search->best);
  search->value_shift -= mbs_design_problem_value(problem, &search->here);
  for (int j = 0; j < problem->row_count; ++j) {
    search->row_shift[j] += mbs_design_problem_row(problem, &search->best, j);
    search->row_shift[j] -= mbs_design_problem_row(problem, &search->here, j);
  }
  mbs_design_problem_copy(problem, &search->here, &search->best);
  return MBS_OK;
}

// Adopts the point that was just evaluated. False: the search ends.
static bool adopt(MbsSearch *search) {
  const MbsDesign *design = &search->problem->design;
  double sign = design->is_maximized ? -1 : 1;
  search->iterations += search->has_best;
  mbs_design_problem_copy(search->problem, &search->here, &search->best);
  search->has_best = true;
  search->status = renew(search);
  judge(search);
  if (search->status != MBS_OK) {
    return stop(search, search->status == MBS_ERROR_INTERRUPTED ? MBS_SEARCH_INTERRUPTED : MBS_SEARCH_FAILED);
  }
  if (!tell(search, NULL)) {
    return false;
  }
  if (is_feasible(search) && search->best_value <= sign * design->target) {
    return stop(search, MBS_SEARCH_TARGET);
  }
  return !is_optimal(search, design->tolerance) || stop(search, MBS_SEARCH_CONVERGED);
}

// ---- points that NLopt asks for ----
static bool reject(MbsSearch *search, const double *z) {
  (void)snprintf(search->failure, sizeof search->failure, "%s", mbs_context_message(search->context));
  search->failures += 1;
  memcpy(search->failed, z, (size_t)search->problem->n * sizeof *z);
  return search->has_best && tell(search, search->failure) ? stop(search, MBS_SEARCH_REJECTED) : false;
}

// to rounding, which z x scale has
static bool is_same(const MbsDesignProblem *problem, const double *x, const double *other) {
  for (int i = 0; i < problem->n; ++i) {
    if (fabs(x[i] - other[i]) > 4e-16 * fabs(x[i])) {
      return false;
    }
  }
  return true;
}

// The point at z, evaluated. False: the search ends, and `end` says why.
static bool visit(MbsSearch *search, const double *z) {
  MbsDesignProblem *problem = search->problem;
  for (int i = 0; i < problem->n; ++i) {
    const MbsDesignVariable *variable = &problem->variables[i];
    search->x[i] = fmin(fmax(z[i] * problem->scale[i], variable->lower), variable->upper);
    if (!isfinite(z[i])) {
      return stop(search, MBS_SEARCH_STUCK);
    }
  }
  if (search->has_here && is_same(problem, search->x, search->here.x)) {
    return true;
  }
  search->has_here = true;
  if (is_same(problem, search->x, search->best.x)) {
    mbs_design_problem_copy(problem, &search->best, &search->here);
    return true;
  }
  search->has_here = false;
  memcpy(search->here.x, search->x, (size_t)problem->n * sizeof(double));
  if (problem->evaluations >= search->most_evaluations) {
    return stop(search, MBS_SEARCH_EVALUATIONS);
  }
  search->status = compute(search, &search->here, false);
  if (is_rejected(search->status)) {
    return reject(search, z);
  }
  if (search->status != MBS_OK) {
    return stop(search, search->status == MBS_ERROR_INTERRUPTED ? MBS_SEARCH_INTERRUPTED : MBS_SEARCH_FAILED);
  }
  search->has_here = true;
  return true;
}

// what NLopt is given of the point
static void give(const MbsSearch *search, MbsScaledValues *values) {
  const MbsDesignProblem *problem = search->problem;
  const MbsDesignPoint *here = &search->here;
  int n = problem->n;
  for (int i = 0; i < n && here->has_gradient; ++i) {
    search->slope[i] = mbs_design_problem_slope(problem, here, i) * problem->scale[i] * search->value_scale;
  }
  for (int j = 0; j < problem->row_count; ++j) {
    search->rows[j] = mbs_design_problem_row(problem, here, j) + search->row_shift[j];
    for (int i = 0; i < n && here->has_gradient; ++i) {
      search->row_slopes[j * n + i] = mbs_design_problem_row_slope(problem, here, j, i) * problem->scale[i];
    }
  }
  *values =
      (MbsScaledValues){.f = (mbs_design_problem_value(problem, here) + search->value_shift) * search->value_scale,
                        .slope = search->slope,
                        .rows = search->rows,
                        .row_slopes = search->row_slopes};
}

static bool evaluate(void *user, const double *z, MbsScaledValues *values) {
  MbsSearch *search = user;
  if (search->end != MBS_SEARCH_GOES_ON || !visit(search, z)) {
    return false;
  }
  give(search, values);
  return !is_better(search, &search->here) || adopt(search);
}

// ---- cycles: one after the other, of NLopt ----
static double first_factor(const MbsSearch *search) {
  const MbsDesignProblem *problem = search->problem;
  double sum = 0;
  for (int i = 0; i < problem->n && search->best.has_gradient; ++i) {
    double slope = mbs_design_problem_slope(problem, &search->best, i) * problem->scale[i];
    sum += slope * slope;
  }
  double g = sqrt(sum), f = fabs(search->best_value);
  if (!(g > 0)) {
    return f > 0 ? 1 / f : 1;
  }
  return fmin(fmax(2 * f / g, LEAST_STEP), LARGEST_STEP) / g;
}

// z of the best design, and the box around it
static void set_box(MbsSearch *search, double radius) {
  const MbsDesignProblem *problem = search->problem;
  for (int i = 0; i < problem->n; ++i) {
    const MbsDesignVariable *variable = &problem->variables[i];
    double lower = variable->lower / problem->scale[i], upper = variable->upper / problem->scale[i];
    double z = fmin(fmax(search->best.x[i] / problem->scale[i], lower), upper);
    search->z[i] = z;
    search->lower[i] = fmax(lower, z - radius);
    search->upper[i] = fmin(upper, z + radius);
  }
}

static double distance_of_failure(const MbsSearch *search) {
  double largest = 0;
  for (int i = 0; i < search->problem->n; ++i) {
    double z = search->best.x[i] / search->problem->scale[i];
    largest = fmax(largest, fabs(search->failed[i] - z));
  }
  return largest;
}

// Is the best design at a wall of the box that is none of the problem?
static bool is_at_wall(const MbsSearch *search, double radius) {
  const MbsDesignProblem *problem = search->problem;
  for (int i = 0; i < problem->n && isfinite(radius); ++i) {
    const MbsDesignVariable *variable = &problem->variables[i];
    double z = search->best.x[i] / problem->scale[i], near = 1e-3 * radius;
    bool is_low = z - search->lower[i] < near && search->lower[i] > variable->lower / problem->scale[i];
    bool is_high = search->upper[i] - z < near && search->upper[i] < variable->upper / problem->scale[i];
    if (is_low || is_high) {
      return true;
    }
  }
  return false;
}

static MbsNloptEnd run_cycle(MbsSearch *search, double radius) {
  const MbsDesignProblem *problem = search->problem;
  const MbsNloptSearch nlopt = {.algorithm = problem->algorithm,
                                .n = problem->n,
                                .row_count = problem->row_count,
                                .is_equality = search->is_equality,
                                .lower = search->lower,
                                .upper = search->upper,
                                .tolerance = problem->design.tolerance,
                                .tolerances = search->tolerances,
                                .first_step = fmin(FIRST_COBYLA_STEP, radius / 2),
                                .evaluate = evaluate,
                                .user = search};
  search->value_scale = first_factor(search);
  search->value_shift = 0;
  memset(search->row_shift, 0, (size_t)problem->row_count * sizeof(double));
  return mbs_nlopt_search(&nlopt, search->z);
}

static void run_cycles(MbsSearch *search) {
  const MbsDesign *design = &search->problem->design;
  double radius = HUGE_VAL;
  int vain = 0;
  for (int cycle = 0; cycle < MOST_CYCLES && search->end == MBS_SEARCH_GOES_ON; ++cycle) {
    int before = search->iterations;
    set_box(search, radius);
    MbsNloptEnd end = run_cycle(search, radius);
    if (end == MBS_NLOPT_OUT_OF_MEMORY || end == MBS_NLOPT_REFUSED) {
      search->status = mbs_fail(search->context, end == MBS_NLOPT_REFUSED ? MBS_ERROR_INTERNAL : MBS_ERROR_MEMORY,
                                mbs_nowhere, end == MBS_NLOPT_REFUSED ? "NLopt refuses the problem" : "out of memory");
      search->end = MBS_SEARCH_FAILED;
      return;
    }
    if (search->end == MBS_SEARCH_REJECTED) {
      radius = fmin(radius, distance_of_failure(search)) / 2;
      search->end = radius > design->tolerance ? MBS_SEARCH_GOES_ON : MBS_SEARCH_STUCK;
      continue;
    }
    if (search->end != MBS_SEARCH_GOES_ON) {
      return;
    }
    if (is_at_wall(search, radius)) {
      radius *= 2;
      continue;
    }
    // steps became small: at an optimum, or because the line search failed
    bool is_good = !search->best.has_gradient ? end == MBS_NLOPT_CONVERGED : is_optimal(search, OPTIMAL);
    vain = search->iterations > before ? 0 : vain + 1;
    if (is_good) {
      search->end = MBS_SEARCH_SMALL;
    } else if (vain == MOST_VAIN_CYCLES) {
      search->end = MBS_SEARCH_STUCK;
    }
  }
  search->end = search->end == MBS_SEARCH_GOES_ON ? MBS_SEARCH_STUCK : search->end;
}

MbsStatus mbs_search_from(MbsContext *context, MbsSearch *search, const double *x) {
  MbsDesignProblem *problem = search->problem;
  search->context = context;
  search->has_here = search->has_best = search->has_path_point = false;
  search->end = MBS_SEARCH_GOES_ON;
  search->status = mbs_design_problem_forget(context, problem);
  if (search->status != MBS_OK) {
    return search->status;
  }
  search->is_fresh = true;
  search->largest_slope = 0;
  search->most_evaluations = problem->evaluations + problem->design.evaluations;
  for (int i = 0; i < problem->n; ++i) {
    search->z[i] = x[i] / problem->scale[i];
    search->here.x[i] = x[i];
  }
  search->status = compute(search, &search->here, false);
  if (search->status != MBS_OK) {
    search->failures += is_rejected(search->status);
    search->end = search->status == MBS_ERROR_INTERRUPTED ? MBS_SEARCH_INTERRUPTED : MBS_SEARCH_FAILED;
    return search->status;
  }
  mbs_design_problem_scale_rows(problem, &search->here);
  mbs_design_problem_copy(problem, &search->here, &search->begin);
  search->has_here = true;
  if (adopt(search)) {
    run_cycles(search);
  }
  return search->end == MBS_SEARCH_FAILED ? search->status : MBS_OK;
}

MbsStatus mbs_search_judge(MbsContext *context, MbsSearch *search, const MbsDesignPoint *first,
                           const MbsDesignPoint *point) {
  const MbsDesignPoint *const points[] = {first, point};
  search->context = context;
  search->largest_slope = 0;
  search->is_fresh = false;
  MBS_TRY(mbs_design_problem_use_method(context, search->problem, MBS_METHOD_DIRECT));
  for (int i = 0; i < MBS_COUNT(points); ++i) {
    mbs_design_problem_copy(search->problem, points[i], &search->here);
    MBS_TRY(compute(search, &search->here, false));
    mbs_design_problem_copy(search->problem, &search->here, &search->best);
    judge(search);
  }
  return MBS_OK;
}
