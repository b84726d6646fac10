// The public call: what came of all starts.
#include <math.h>
#include <mbsens/optimize.h>
#include <string.h>

#include "optimization/starts.h"

enum { MOST_WARNINGS = 20 };

typedef struct Optimum {
  MbsOptimum result;  // first: mbs_optimum_destroy is given this
  MbsArena *arena;
} Optimum;

// All of one call.
typedef struct Work {
  MbsContext *context;
  MbsArena *arena;
  MbsStarts starts;
  const MbsKnownStarts *known;  // NULL: none is
  MbsStartEnd start;            // the last one
  MbsDesignPoint first, best;   // of the model's own values; of all starts
  MbsOptimality optimality;     // of the best
  double best_value, best_violation, largest_slope;
  MbsSearchEnd end;  // of the best start
  bool has_first, has_best;
  int iterations, evaluations, failures;
  MbsOptimum *result;
  const char **warnings;
} Work;

// ---- words ----
static const char *word_of_end(const Work *work, MbsSearchEnd end) {
  const MbsDesign *design = &work->starts.problem.design;
  MbsArena *arena = work->arena;
  const char *text = "";
  switch (end) {
    case MBS_SEARCH_CONVERGED: text = "the gradient vanishes, but for what bounds and constraints hold"; break;
    case MBS_SEARCH_SMALL: text = mbs_arena_print(arena, "steps change less than %g", design->tolerance); break;
    case MBS_SEARCH_TARGET: text = mbs_arena_print(arena, "the target %g is reached", design->target); break;
    case MBS_SEARCH_EVALUATIONS:
      text = mbs_arena_print(arena, "%d evaluations were not enough", design->evaluations);
      break;
    case MBS_SEARCH_INTERRUPTED: text = "stopped: the best design so far"; break;
    case MBS_SEARCH_STUCK:
      text =
          "nothing better was found near, though first-order optimality is not reached: an objective may have kinks or "
          "noise, or designs near cannot be simulated";
      break;
    case MBS_SEARCH_GOES_ON:
    case MBS_SEARCH_REJECTED:
    case MBS_SEARCH_FAILED: text = "it failed"; break;
  }
  return text ? text : "";
}

// the worst constraint, in words
static const char *word_of_violation(const Work *work) {
  const MbsDesignProblem *problem = &work->starts.problem;
  int worst = 0;
  double largest = -1;
  for (int j = 0; j < problem->row_count; ++j) {
    double c = mbs_design_problem_row(problem, &work->best, j);
    c = problem->rows[j].is_equality ? fabs(c) : c;
    worst = c > largest ? j : worst;
    largest = fmax(largest, c);
  }
  const MbsConstraintRow *row = &problem->rows[worst];
  return mbs_arena_print(work->arena,
                         "no design was found that keeps the constraints: \"%s\" is %.6g, and is to %s %.6g",
                         problem->objectives[row->objective], work->best.values[row->objective],
                         row->is_equality ? "be"
                         : row->sign > 0  ? "stay below"
                                          : "stay above",
                         row->bound);
}

static MbsStatus warn(Work *work, const char *text) {
  if (!text) {
    return mbs_fail(work->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  if (work->result->warning_count < MOST_WARNINGS) {
    work->warnings[work->result->warning_count++] = text;
  }
  return MBS_OK;
}

// What changes nothing: a parameter, or an objective that no parameter changes.
static MbsStatus warn_of_zeros(Work *work) {
  const MbsDesignProblem *problem = &work->starts.problem;
  const MbsDesignPoint *point = &work->first;
  int n = problem->n;
  for (int i = 0; i < n && point->has_gradient; ++i) {
    bool is_zero = true;
    for (int k = 0; k < problem->objective_count; ++k) {
      is_zero = is_zero && point->gradient[k * n + i] == 0;
    }
    if (is_zero) {
      MBS_TRY(warn(work, mbs_arena_print(work->arena,
                                         "parameter \"%s\" changes none of the objectives: all derivatives by it are "
                                         "zero at the start",
                                         problem->names[i])));
    }
  }
  for (int k = 0; k < problem->objective_count && point->has_gradient; ++k) {
    bool is_zero = true;
    for (int i = 0; i < n; ++i) {
      is_zero = is_zero && point->gradient[k * n + i] == 0;
    }
    if (is_zero) {
      MBS_TRY(warn(
          work, mbs_arena_print(work->arena, "objective \"%s\" depends on no parameter that may change, at the start",
                                problem->objectives[k])));
    }
  }
  return MBS_OK;
}

// ---- all starts ----
static bool is_better(const Work *work) {
  const MbsStartEnd *start = &work->start;
  double allowed = work->starts.problem.design.feasibility;
  if (!work->has_best) {
    return true;
  }
  return start->violation <= allowed && work->best_violation <= allowed ? start->value < work->best_value
                                                                        : start->violation < work->best_violation;
}

static void take_best(Work *work) {
  const MbsDesignProblem *problem = &work->starts.problem;
  const MbsStartEnd *start = &work->start;
  mbs_design_problem_copy(problem, &start->best, &work->best);
  work->best_value = start->value;
  work->best_violation = start->violation;
  work->largest_slope = start->largest_slope;
  work->end = start->end;
  work->has_best = true;
}

static double sign_of(const Work *work) { return work->starts.problem.design.is_maximized ? -1 : 1; }

static double relative_optimality(const MbsDesignPoint *point, double residual, double largest_slope) {
  return !point->has_gradient ? (double)NAN : largest_slope > 0 ? residual / largest_slope : 0;
}

static void find_optimality(Work *work, const MbsDesignPoint *point) {
  const MbsDesignProblem *problem = &work->starts.problem;
  if (point->has_gradient) {
    mbs_optimality_find(problem, point, MBS_NEAR_LIMIT * problem->design.feasibility, &work->optimality);
  }
}

// One that is known is told as a whole.
static bool tell(Work *work, int start) {
  const MbsDesignProblem *problem = &work->starts.problem;
  const MbsOptimizeOptions *options = &work->starts.options;
  const MbsStartEnd *end = &work->start;
  find_optimality(work, &end->best);
  const MbsIterate iterate = {
      .start = start,
      .iteration = work->iterations,
      .evaluations = work->evaluations,
      .parameter_count = problem->n,
      .names = problem->names,
      .parameters = end->best.x,
      .value = sign_of(work) * end->value,
      .violation = end->violation,
      .optimality = relative_optimality(&end->best, work->optimality.residual, end->largest_slope)};
  return !options->on_iterate || options->on_iterate(options->user, &iterate);
}

static MbsStatus search(Work *work, int start) {
  const double *row = NULL;
  if (!work->known) {
    return mbs_starts_search(work->context, &work->starts, start, &work->start);
  }
  MbsStatus status = work->known->find(work->context, work->known->user, start, &row);
  work->start.end = status == MBS_ERROR_INTERRUPTED ? MBS_SEARCH_INTERRUPTED : MBS_SEARCH_FAILED;
  work->start.iterations = 0;
  work->start.evaluations = work->start.failures = status != MBS_OK && status != MBS_ERROR_INTERRUPTED;
  if (status == MBS_OK) {
    mbs_starts_unpack(&work->starts, row, &work->start);
  }
  return status;
}

static bool is_rejected(MbsStatus status) { return status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_INPUT; }

static MbsStatus take_start(Work *work, int start) {
  MbsDesignProblem *problem = &work->starts.problem;
  MbsStatus status = search(work, start);
  work->iterations += work->start.iterations;
  work->evaluations += work->start.evaluations;
  work->failures += work->start.failures;
  if (status != MBS_OK) {
    // of further starts, one that cannot be simulated is counted; and what was found stays
    bool is_stopped = status == MBS_ERROR_INTERRUPTED && (start > 0 || work->known);
    return is_stopped || (start > 0 && is_rejected(status)) ? MBS_OK : status;
  }
  if (start == 0) {
    mbs_design_problem_copy(problem, &work->start.begin, &work->first);
    mbs_design_problem_scale_rows(problem, &work->first);
    work->has_first = true;
  }
  if (is_better(work)) {
    take_best(work);
  }
  if (work->known && !tell(work, start)) {
    work->start.end = MBS_SEARCH_INTERRUPTED;
  }
  return MBS_OK;
}

static MbsStatus take_starts(Work *work) {
  MbsSearchEnd end = MBS_SEARCH_GOES_ON;
  for (int start = 0; start < work->starts.problem.design.starts; ++start) {
    MBS_TRY(take_start(work, start));
    work->result->starts = start + 1;
    if (work->start.end == MBS_SEARCH_INTERRUPTED || work->start.end == MBS_SEARCH_TARGET) {
      end = work->start.end;
      if (!work->known || end == MBS_SEARCH_TARGET) {
        break;  // of those that are known, some later ones may have been searched
      }
    }
  }
  work->end = end == MBS_SEARCH_GOES_ON ? work->end : end;
  return work->has_best ? MBS_OK
                        : mbs_fail(work->context, MBS_ERROR_INTERRUPTED, mbs_nowhere,
                                   "stopped before the search from any start was done");
}

// ---- what came out ----
static double start_of(const Work *work, int objective) {
  return work->has_first ? work->first.values[objective] : (double)NAN;
}

static MbsStatus give_parameters(Work *work) {
  const MbsDesignProblem *problem = &work->starts.problem;
  MbsOptimumParameter *parameters;
  MBS_TAKE(work->context, work->arena, parameters, problem->n);
  for (int i = 0; i < problem->n; ++i) {
    const MbsDesignVariable *variable = &problem->variables[i];
    bool is_known = work->best.has_gradient;
    // f grows by -nu / scale where the bound gives way
    parameters[i] = (MbsOptimumParameter){
        .name = problem->names[i],
        .start = variable->value,
        .value = work->best.x[i],
        .lower = variable->lower,
        .upper = variable->upper,
        .gradient = is_known ? sign_of(work) * mbs_design_problem_slope(problem, &work->best, i) : (double)NAN,
        .multiplier = is_known ? -sign_of(work) * work->optimality.bounds[i] / problem->scale[i] + 0.0 : (double)NAN};
  }
  work->result->parameter_count = problem->n;
  work->result->parameters = parameters;
  return MBS_OK;
}

// c = sign (psi - limit) / scale: where the limit moves, f changes by -lambda sign / scale
static MbsStatus give_constraints(Work *work) {
  const MbsDesignProblem *problem = &work->starts.problem;
  MbsOptimumConstraint *constraints;
  MBS_TAKE(work->context, work->arena, constraints, problem->row_count);
  for (int j = 0; j < problem->row_count; ++j) {
    const MbsConstraintRow *row = &problem->rows[j];
    double c = mbs_design_problem_row(problem, &work->best, j);
    constraints[j] = (MbsOptimumConstraint){
        .objective = problem->objectives[row->objective],
        .kind = row->is_equality ? "equals"
                : row->sign > 0  ? "below"
                                 : "above",
        .limit = row->bound,
        .start = start_of(work, row->objective),
        .value = work->best.values[row->objective],
        .violation = row->is_equality ? fabs(c) : fmax(0, c),
        .is_active = work->best.has_gradient && work->optimality.is_active[j],
        .multiplier = work->best.has_gradient
                          ? -sign_of(work) * work->optimality.multipliers[j] * row->sign / row->scale + 0.0
                          : (double)NAN};
  }
  work->result->constraint_count = problem->row_count;
  work->result->constraints = constraints;
  return MBS_OK;
}

static MbsStatus give_objectives(Work *work) {
  const MbsDesignProblem *problem = &work->starts.problem;
  MbsOptimumObjective *objectives;
  MBS_TAKE(work->context, work->arena, objectives, problem->objective_count);
  for (int k = 0; k < problem->objective_count; ++k) {
    objectives[k] =
        (MbsOptimumObjective){.name = problem->objectives[k],
                              .start = start_of(work, k),
                              .value = work->best.values[k],
                              .gradient = work->best.has_gradient ? work->best.gradient + k * problem->n : NULL};
  }
  work->result->objective_count = problem->objective_count;
  work->result->objectives = objectives;
  return MBS_OK;
}

static MbsStatus give(Work *work) {
  const MbsDesignProblem *problem = &work->starts.problem;
  MbsOptimum *result = work->result;
  bool is_kept = work->best_violation <= problem->design.feasibility;
  bool has_ended = work->end == MBS_SEARCH_CONVERGED || work->end == MBS_SEARCH_SMALL || work->end == MBS_SEARCH_TARGET;
  MBS_TRY(give_parameters(work));
  MBS_TRY(give_constraints(work));
  MBS_TRY(give_objectives(work));
  const char *name = mbs_record_text(&problem->model->root, MBS_MODEL_NAME).text;
  result->model = mbs_arena_copy_text(work->arena, name);
  result->success = is_kept && has_ended;
  result->message =
      !is_kept && (has_ended || work->end == MBS_SEARCH_STUCK) ? word_of_violation(work) : word_of_end(work, work->end);
  result->is_interrupted = work->end == MBS_SEARCH_INTERRUPTED;
  result->is_maximized = problem->design.is_maximized;
  result->algorithm = mbs_algorithm_name(problem->algorithm);
  result->method = mbs_setting_word("method", (int)problem->request.method);
  result->start_value = work->has_first ? sign_of(work) * mbs_design_problem_value(problem, &work->first) : (double)NAN;
  result->value = sign_of(work) * work->best_value;
  result->violation = work->best_violation;
  result->optimality = relative_optimality(&work->best, work->optimality.residual, work->largest_slope);
  result->iterations = work->iterations;
  result->evaluations = work->evaluations;
  result->failures = work->failures;
  return result->model && result->message ? warn_of_zeros(work)
                                          : mbs_fail(work->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// Without gradients, those of the first design and the best say what the latter is worth.
static MbsStatus judge(Work *work) {
  MbsStarts *starts = &work->starts;
  int before = starts->problem.evaluations;
  MBS_TRY(mbs_search_judge(work->context, &starts->search, &work->first, &work->best));
  mbs_design_problem_copy(&starts->problem, &starts->search.best, &work->best);
  work->best_value = starts->search.best_value;
  work->best_violation = starts->search.best_violation;
  work->largest_slope = starts->search.largest_slope;
  work->evaluations += starts->problem.evaluations - before;
  return MBS_OK;
}

static MbsStatus optimize(Work *work, const MbsModel *model, const MbsRequest *request,
                          const MbsOptimizeOptions *options) {
  const MbsOptimizeOptions none = {0};
  MbsContext *context = work->context;
  const MbsDesignProblem *problem = &work->starts.problem;
  MBS_TAKE(context, work->arena, work->warnings, MOST_WARNINGS);
  work->result->warnings = work->warnings;
  MBS_TRY(mbs_starts_create(context, work->arena, model, request, options ? options : &none, &work->starts));
  MBS_TRY(mbs_starts_end_create(context, &work->starts, &work->start));
  MBS_TRY(mbs_design_problem_point(context, problem, &work->first));
  MBS_TRY(mbs_design_problem_point(context, problem, &work->best));
  MBS_TRY(mbs_optimality_create(context, problem, &work->optimality));
  MBS_TRY(take_starts(work));
  if (!work->best.has_gradient && work->end != MBS_SEARCH_INTERRUPTED) {
    MBS_TRY(judge(work));
  }
  find_optimality(work, &work->best);
  return give(work);
}

MbsStatus mbs_optimize_known(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                             const MbsOptimizeOptions *options, const MbsKnownStarts *known, MbsOptimum **optimum) {
  MBS_CALL_BEGIN(context, "mbs_optimize", {"model", model}, {"request", request}, {"optimum", optimum});
  *optimum = NULL;
  MbsArena *arena = mbs_arena_create_for(context);
  Optimum *own = arena ? mbs_arena_take(arena, 1, sizeof *own) : NULL;
  Work *work = own ? mbs_arena_take(arena, 1, sizeof *work) : NULL;
  if (!work) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  own->arena = arena;
  *work = (Work){.context = context, .arena = arena, .known = known, .result = &own->result};
  MbsStatus status = mbs_call_end(context, optimize(work, model, request, options));
  mbs_starts_destroy(&work->starts);
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  *optimum = &own->result;
  return MBS_OK;
}

MbsStatus mbs_optimize(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                       const MbsOptimizeOptions *options, MbsOptimum **optimum) {
  return mbs_optimize_known(context, model, request, options, NULL, optimum);
}

void mbs_optimum_destroy(MbsOptimum *optimum) {
  if (optimum) {
    mbs_arena_destroy(((Optimum *)optimum)->arena);
  }
}
