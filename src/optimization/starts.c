#include "optimization/starts.h"

#include <string.h>

#include "simulation/simulation.h"
enum { FEW_PARAMETERS = 3, MANY_PARAMETERS = 500 };
enum { FOR_EACH_OBJECTIVE = 10 };  // parameters, from which on the adjoint is taken unmeasured, of several starts

// ---- where they are ----
// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine
static double random_number(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void choose(const MbsDesignProblem *problem, int start, double *x) {
  uint64_t state = (uint64_t)problem->design.seed;
  for (int i = 0; i < problem->n; ++i) {
    x[i] = problem->variables[i].value;
  }
  for (int k = 1; k <= start; ++k) {
    for (int i = 0; i < problem->n; ++i) {
      const MbsDesignVariable *variable = &problem->variables[i];
      x[i] = variable->lower + random_number(&state) * (variable->upper - variable->lower);
    }
  }
}

// ---- the method: direct or adjoint ----
static MbsStatus measure(MbsContext *context, MbsStarts *starts, MbsMethod method, double *cost) {
  MbsDesignProblem *problem = &starts->problem;
  MBS_TRY(mbs_design_problem_use_method(context, problem, method));
  double begin = mbs_simulation_now();
  MBS_TRY(mbs_design_problem_evaluate(context, problem, &starts->begin));
  *cost = mbs_simulation_now() - begin;
  problem->evaluations -= 1;
  return MBS_OK;
}

// Both are run once, and what took less time goes on.
static MbsStatus choose_by_time(MbsContext *context, MbsStarts *starts) {
  double direct, adjoint;
  choose(&starts->problem, 0, starts->begin.x);
  MBS_TRY(measure(context, starts, MBS_METHOD_DIRECT, &direct));
  MbsStatus status = measure(context, starts, MBS_METHOD_ADJOINT, &adjoint);
  if (status != MBS_OK && status != MBS_ERROR_NOT_OFFERED) {
    return status;
  }
  bool is_direct = status == MBS_ERROR_NOT_OFFERED || direct <= adjoint;
  return mbs_design_problem_use_method(context, &starts->problem, is_direct ? MBS_METHOD_DIRECT : MBS_METHOD_ADJOINT);
}

static MbsStatus use_adjoint(MbsContext *context, MbsDesignProblem *problem) {
  MbsStatus status = mbs_design_problem_use_method(context, problem, MBS_METHOD_ADJOINT);
  return status == MBS_ERROR_NOT_OFFERED ? mbs_design_problem_use_method(context, problem, MBS_METHOD_DIRECT) : status;
}

// What a journal was begun with goes on.
static MbsStatus use_begun(MbsContext *context, MbsStarts *starts, MbsMethod begun) {
  MbsDesignProblem *problem = &starts->problem;
  if (begun == problem->request.method) {
    return MBS_OK;
  }
  return starts->options.is_method_fixed
             ? mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                        "%s was begun with method %s: take that one, or give the state another name",
                        starts->options.state, mbs_setting_word("method", (int)begun))
             : mbs_design_problem_use_method(context, problem, begun);
}

// Few parameters: direct; very many: adjoint; else by a measurement, but of several starts, which may be searched in
// several places that must agree, by counts alone.
static MbsStatus choose_method(MbsContext *context, MbsStarts *starts) {
  MbsDesignProblem *problem = &starts->problem;
  MbsMethod begun = mbs_journal_method(starts->journal);
  int n = problem->n, m = problem->objective_count;
  if (begun != MBS_METHOD_NONE) {
    return use_begun(context, starts, begun);
  }
  if (starts->options.is_method_fixed || problem->algorithm == MBS_ALGORITHM_COBYLA || n <= FEW_PARAMETERS ||
      problem->request.settings.is_column_controlled) {
    return MBS_OK;
  }
  if (problem->design.starts > 1) {
    return n >= FOR_EACH_OBJECTIVE * m ? use_adjoint(context, problem) : MBS_OK;
  }
  return n >= MANY_PARAMETERS && n >= MANY_PARAMETERS / 10 * m ? use_adjoint(context, problem)
                                                               : choose_by_time(context, starts);
}

MbsStatus mbs_starts_create(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                            const MbsOptimizeOptions *options, MbsStarts *starts) {
  MbsDesignProblem *problem = &starts->problem;
  *starts = (MbsStarts){.arena = arena, .options = *options};
  MBS_TRY(mbs_design_problem_create(context, arena, model, request, &starts->options, problem));
  MBS_TRY(mbs_design_problem_point(context, problem, &starts->begin));
  MBS_TAKE(context, arena, starts->x, problem->n);
  choose(problem, 0, starts->x);
  MBS_TRY(mbs_journal_open(context, arena, starts->options.state, problem, &starts->journal));
  MBS_TRY(choose_method(context, starts));
  MBS_TRY(mbs_journal_begin(context, starts->journal, problem->request.method));
  return mbs_search_create(context, problem, &starts->options, starts->journal, &starts->search);
}

void mbs_starts_destroy(MbsStarts *starts) {
  mbs_journal_close(starts->journal);
  mbs_design_problem_destroy(&starts->problem);
}

// ---- one of them ----
MbsStatus mbs_starts_end_create(MbsContext *context, const MbsStarts *starts, MbsStartEnd *end) {
  *end = (MbsStartEnd){.end = MBS_SEARCH_GOES_ON};
  MBS_TRY(mbs_design_problem_point(context, &starts->problem, &end->begin));
  return mbs_design_problem_point(context, &starts->problem, &end->best);
}

// Violations of all starts are measured alike.
static MbsStatus find_scales(MbsContext *context, MbsStarts *starts) {
  MbsDesignProblem *problem = &starts->problem;
  if (!mbs_design_problem_lacks_scales(problem)) {
    return MBS_OK;
  }
  choose(problem, 0, starts->begin.x);
  MBS_TRY(mbs_design_problem_evaluate(context, problem, &starts->begin));
  problem->evaluations -= starts->begin.runs;
  mbs_design_problem_scale_rows(problem, &starts->begin);
  return MBS_OK;
}

MbsStatus mbs_starts_search(MbsContext *context, MbsStarts *starts, int start, MbsStartEnd *end) {
  MbsDesignProblem *problem = &starts->problem;
  MbsSearch *search = &starts->search;
  int iterations = search->iterations, evaluations = problem->evaluations, failures = search->failures;
  if (start > 0) {
    MBS_TRY(find_scales(context, starts));
  }
  choose(problem, start, starts->x);
  search->start = start;
  MbsStatus status = mbs_search_from(context, search, starts->x);
  end->iterations = search->iterations - iterations;
  end->evaluations = problem->evaluations - evaluations;
  end->failures = search->failures - failures;
  end->end = search->end;
  MBS_TRY(status);
  mbs_design_problem_copy(problem, &search->begin, &end->begin);
  mbs_design_problem_copy(problem, &search->best, &end->best);
  end->value = search->best_value;
  end->violation = search->best_violation;
  end->largest_slope = search->largest_slope;
  return MBS_OK;
}

// ---- rows of numbers ----
enum { HEAD = 7 };

static size_t numbers_of_point(const MbsDesignProblem *problem) {
  size_t n = (size_t)problem->n, m = (size_t)problem->objective_count;
  return 1 + n + m + m * n;
}

size_t mbs_starts_width(const MbsStarts *starts) { return HEAD + 2 * numbers_of_point(&starts->problem); }

static void pack_point(const MbsDesignProblem *problem, const MbsDesignPoint *point, double *to) {
  size_t n = (size_t)problem->n, m = (size_t)problem->objective_count;
  *to++ = point->has_gradient;
  memcpy(to, point->x, n * sizeof *to);
  memcpy(to + n, point->values, m * sizeof *to);
  memcpy(to + n + m, point->gradient, m * n * sizeof *to);
}

static void unpack_point(const MbsDesignProblem *problem, const double *from, MbsDesignPoint *point) {
  size_t n = (size_t)problem->n, m = (size_t)problem->objective_count;
  point->has_gradient = *from++ != 0;
  memcpy(point->x, from, n * sizeof *from);
  memcpy(point->values, from + n, m * sizeof *from);
  memcpy(point->gradient, from + n + m, m * n * sizeof *from);
}

void mbs_starts_pack(const MbsStarts *starts, const MbsStartEnd *end, double *row) {
  const double head[HEAD] = {end->value,      end->violation,   end->largest_slope, end->end,
                             end->iterations, end->evaluations, end->failures};
  memcpy(row, head, sizeof head);
  pack_point(&starts->problem, &end->begin, row + HEAD);
  pack_point(&starts->problem, &end->best, row + HEAD + numbers_of_point(&starts->problem));
}

void mbs_starts_unpack(const MbsStarts *starts, const double *row, MbsStartEnd *end) {
  end->value = row[0];
  end->violation = row[1];
  end->largest_slope = row[2];
  end->end = (MbsSearchEnd)row[3];
  end->iterations = (int)row[4];
  end->evaluations = (int)row[5];
  end->failures = (int)row[6];
  unpack_point(&starts->problem, row + HEAD, &end->begin);
  unpack_point(&starts->problem, row + HEAD + numbers_of_point(&starts->problem), &end->best);
}
