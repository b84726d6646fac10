// The public call: starts, the method of gradients, and what came out.
#include <math.h>
#include <mbsens/optimize.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "optimization/search.h"

enum { FEW_PARAMETERS = 3, MANY_PARAMETERS = 500, MOST_WARNINGS = 20 };

typedef struct Optimum {
  MbsOptimum result;  // first: mbs_optimum_destroy is given this
  MbsArena *arena;
} Optimum;

// All of one call.
typedef struct Work {
  MbsContext *context;
  MbsArena *arena;
  MbsOptimizeOptions options;
  MbsDesignProblem problem;
  MbsJournal *journal;
  MbsSearch search;
  MbsDesignPoint first, best;  // of the model's own values; of all starts
  MbsOptimality optimality;    // of the best
  double best_value, best_violation, largest_slope;
  MbsSearchEnd end;  // of the best start
  bool has_first, has_best;
  MbsOptimum *result;
  const char **warnings;
} Work;

// ---- further starts ----
// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine
static double random_number(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void choose_start(const MbsDesignProblem *problem, int start, uint64_t *random, double *x) {
  for (int i = 0; i < problem->n; ++i) {
    const MbsDesignVariable *variable = &problem->variables[i];
    x[i] = start == 0 ? variable->value : variable->lower + random_number(random) * (variable->upper - variable->lower);
  }
}

// ---- words ----
static const char *word_of_end(const Work *work, MbsSearchEnd end) {
  const MbsDesign *design = &work->problem.design;
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
  const MbsDesignProblem *problem = &work->problem;
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
  const MbsDesignProblem *problem = &work->problem;
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

// ---- the method: direct or adjoint ----
static double seconds(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static MbsStatus measure(Work *work, MbsMethod method, double *cost) {
  MbsDesignProblem *problem = &work->problem;
  MBS_TRY(mbs_design_problem_use_method(work->context, problem, method));
  double begin = seconds();
  MBS_TRY(mbs_design_problem_evaluate(work->context, problem, &work->first));
  *cost = seconds() - begin;
  problem->evaluations -= 1;
  return MBS_OK;
}

// What a journal was begun with goes on.
static MbsStatus use_begun(Work *work, MbsMethod begun) {
  MbsDesignProblem *problem = &work->problem;
  if (begun == problem->request.method) {
    return MBS_OK;
  }
  return work->options.is_method_fixed
             ? mbs_fail(work->context, MBS_ERROR_INPUT, mbs_nowhere,
                        "%s was begun with method %s: take that one, or give the state another name",
                        work->options.state, mbs_setting_word("method", (int)begun))
             : mbs_design_problem_use_method(work->context, problem, begun);
}

// Few parameters: direct; very many: adjoint. Else both are run once, and what took less time goes on.
static MbsStatus choose_method(Work *work) {
  MbsDesignProblem *problem = &work->problem;
  MbsMethod begun = mbs_journal_method(work->journal);
  double direct, adjoint;
  if (begun != MBS_METHOD_NONE) {
    return use_begun(work, begun);
  }
  if (work->options.is_method_fixed || problem->algorithm == MBS_ALGORITHM_COBYLA || problem->n <= FEW_PARAMETERS ||
      problem->request.settings.is_column_controlled) {
    return MBS_OK;
  }
  if (problem->n >= MANY_PARAMETERS && problem->n >= MANY_PARAMETERS / 10 * problem->objective_count) {
    return mbs_design_problem_use_method(work->context, problem, MBS_METHOD_ADJOINT);
  }
  for (int i = 0; i < problem->n; ++i) {
    work->first.x[i] = problem->variables[i].value;
  }
  MBS_TRY(measure(work, MBS_METHOD_DIRECT, &direct));
  MbsStatus status = measure(work, MBS_METHOD_ADJOINT, &adjoint);
  if (status != MBS_OK && status != MBS_ERROR_NOT_OFFERED) {
    return status;
  }
  bool is_direct = status == MBS_ERROR_NOT_OFFERED || direct <= adjoint;
  return mbs_design_problem_use_method(work->context, problem, is_direct ? MBS_METHOD_DIRECT : MBS_METHOD_ADJOINT);
}

// ---- all starts ----
static bool is_better(const Work *work) {
  const MbsSearch *search = &work->search;
  double allowed = work->problem.design.feasibility;
  if (!work->has_best) {
    return true;
  }
  return search->best_violation <= allowed && work->best_violation <= allowed
             ? search->best_value < work->best_value
             : search->best_violation < work->best_violation;
}

static void take_best(Work *work) {
  const MbsSearch *search = &work->search;
  mbs_design_problem_copy(&work->problem, &search->best, &work->best);
  mbs_optimality_copy(&work->problem, &search->optimality, &work->optimality);
  work->best_value = search->best_value;
  work->best_violation = search->best_violation;
  work->largest_slope = search->largest_slope;
  work->end = search->end;
  work->has_best = true;
}

static bool is_rejected(MbsStatus status) { return status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_INPUT; }

static MbsStatus run_start(Work *work, int start, const double *x) {
  MbsSearch *search = &work->search;
  search->start = start;
  MbsStatus status = mbs_search_from(work->context, search, x);
  if (status == MBS_OK && start == 0) {
    mbs_design_problem_copy(&work->problem, &search->begin, &work->first);
  }
  if (status == MBS_OK && is_better(work)) {
    take_best(work);
  }
  // of further starts, one that cannot be simulated is counted; and what was found stays
  bool is_lost = start > 0 && (is_rejected(status) || status == MBS_ERROR_INTERRUPTED);
  return is_lost ? MBS_OK : status;
}

static MbsStatus run_starts(Work *work) {
  MbsDesignProblem *problem = &work->problem;
  uint64_t random = (uint64_t)problem->design.seed;
  double *x;
  MBS_TAKE(work->context, work->arena, x, problem->n);
  for (int start = 0; start < problem->design.starts; ++start) {
    choose_start(problem, start, &random, x);
    MBS_TRY(run_start(work, start, x));
    work->result->starts = start + 1;
    if (work->search.end == MBS_SEARCH_INTERRUPTED || work->search.end == MBS_SEARCH_TARGET) {
      work->end = work->search.end;
      break;
    }
  }
  return MBS_OK;
}

// ---- what came out ----
static double sign_of(const Work *work) { return work->problem.design.is_maximized ? -1 : 1; }

static MbsStatus give_parameters(Work *work) {
  const MbsDesignProblem *problem = &work->problem;
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
  const MbsDesignProblem *problem = &work->problem;
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
        .start = work->first.values[row->objective],
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
  const MbsDesignProblem *problem = &work->problem;
  MbsOptimumObjective *objectives;
  MBS_TAKE(work->context, work->arena, objectives, problem->objective_count);
  for (int k = 0; k < problem->objective_count; ++k) {
    objectives[k] =
        (MbsOptimumObjective){.name = problem->objectives[k],
                              .start = work->first.values[k],
                              .value = work->best.values[k],
                              .gradient = work->best.has_gradient ? work->best.gradient + k * problem->n : NULL};
  }
  work->result->objective_count = problem->objective_count;
  work->result->objectives = objectives;
  return MBS_OK;
}

static MbsStatus give(Work *work) {
  const MbsDesignProblem *problem = &work->problem;
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
  result->start_value = sign_of(work) * mbs_design_problem_value(problem, &work->first);
  result->value = sign_of(work) * work->best_value;
  result->violation = work->best_violation;
  result->optimality = !work->best.has_gradient  ? (double)NAN
                       : work->largest_slope > 0 ? work->optimality.residual / work->largest_slope
                                                 : 0;
  result->iterations = work->search.iterations;
  result->evaluations = problem->evaluations;
  result->failures = work->search.failures;
  return result->model && result->message ? warn_of_zeros(work)
                                          : mbs_fail(work->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

static MbsStatus optimize(Work *work, const MbsModel *model, const MbsRequest *request) {
  MbsContext *context = work->context;
  MbsDesignProblem *problem = &work->problem;
  MBS_TAKE(context, work->arena, work->warnings, MOST_WARNINGS);
  work->result->warnings = work->warnings;
  MBS_TRY(mbs_design_problem_create(context, work->arena, model, request, &work->options, problem));
  MBS_TRY(mbs_design_problem_point(context, problem, &work->first));
  MBS_TRY(mbs_design_problem_point(context, problem, &work->best));
  MBS_TRY(mbs_optimality_create(context, problem, &work->optimality));
  MBS_TRY(mbs_journal_open(context, work->arena, work->options.state, problem, &work->journal));
  MBS_TRY(choose_method(work));
  MBS_TRY(mbs_journal_begin(context, work->journal, problem->request.method));
  MBS_TRY(mbs_search_create(context, problem, &work->options, work->journal, &work->search));
  MBS_TRY(run_starts(work));
  if (!work->best.has_gradient && work->end != MBS_SEARCH_INTERRUPTED) {
    MBS_TRY(mbs_search_judge(context, &work->search, &work->first, &work->best));
    take_best(work);
  }
  return give(work);
}

MbsStatus mbs_optimize(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                       const MbsOptimizeOptions *options, MbsOptimum **optimum) {
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
  *work = (Work){.context = context, .arena = arena, .result = &own->result};
  work->options = options ? *options : (MbsOptimizeOptions){0};
  MbsStatus status = mbs_call_end(context, optimize(work, model, request));
  mbs_journal_close(work->journal);
  mbs_design_problem_destroy(&work->problem);
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  *optimum = &own->result;
  return MBS_OK;
}

void mbs_optimum_destroy(MbsOptimum *optimum) {
  if (optimum) {
    mbs_arena_destroy(((Optimum *)optimum)->arena);
  }
}
