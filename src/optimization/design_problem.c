#include "optimization/design_problem.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/names.h"
#include "model/model.h"
#include "sensitivities/request.h"
#include "sensitivities/selection.h"
#include "sensitivities/session.h"
#include "sensitivities/simulator.h"

// ---- what is asked ----
static const MbsValue *written_objectives(const MbsModel *model) {
  return mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES);
}

// the record of an objective; NULL and a sentence: there is none
static const MbsRecord *find_objective(MbsContext *context, const MbsModel *model, const char *name) {
  const MbsValue *objectives = written_objectives(model);
  const char *nearest = NULL;
  for (int i = 0; i < objectives->count; ++i) {
    if (strcmp(objectives->records[i].name.text, name) == 0) {
      return &objectives->records[i];
    }
    mbs_name_nearest(name, objectives->records[i].name.text, &nearest);
  }
  (void)mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no objective \"%s\" in %s%s%s%s", name, model->file,
                 nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  return NULL;
}

// the place of an objective in the problem's list, where it is added if it is new
static MbsStatus add_objective(MbsContext *context, MbsDesignProblem *problem, const char *name, int *index) {
  const MbsRecord *record = find_objective(context, problem->model, name);
  if (!record) {
    return MBS_ERROR_INPUT;
  }
  for (*index = 0; *index < problem->objective_count; ++*index) {
    if (strcmp(problem->objectives[*index], name) == 0) {
      return MBS_OK;
    }
  }
  problem->objectives[problem->objective_count] = record->name.text;
  problem->objective_count += 1;
  return MBS_OK;
}

static MbsStatus add_terms(MbsContext *context, const MbsRequest *request, const MbsOptimizeOptions *options,
                           MbsDesignProblem *problem) {
  MbsDesign *design = &problem->design;
  int index;
  if (request->objectives) {
    design->is_maximized = options->is_maximized;
    MBS_TAKE(context, problem->arena, design->terms, request->objective_count);
    design->term_count = request->objective_count;
    for (int i = 0; i < request->objective_count; ++i) {
      design->terms[i] = (MbsDesignTerm){.objective = request->objectives[i], .weight = 1};
    }
  }
  if (design->term_count == 0) {
    const char *first =
        written_objectives(problem->model)->count > 0 ? written_objectives(problem->model)->records[0].name.text : NULL;
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "%s says nothing to minimise or maximise: write optimization: {minimize: %s}, or name an objective",
                    problem->model->file, first ? first : "...");
  }
  for (int i = 0; i < design->term_count; ++i) {
    MBS_TRY(add_objective(context, problem, design->terms[i].objective, &index));
    problem->weights[index] += design->is_maximized ? -design->terms[i].weight : design->terms[i].weight;
  }
  return MBS_OK;
}

static MbsStatus add_rows(MbsContext *context, MbsDesignProblem *problem) {
  const MbsDesign *design = &problem->design;
  MBS_TAKE(context, problem->arena, problem->rows, 2 * design->limit_count);
  for (int i = 0; i < design->limit_count; ++i) {
    const MbsDesignLimit *limit = &design->limits[i];
    bool is_equality = limit->above >= limit->below;
    MbsConstraintRow row = {.limit = i, .is_equality = is_equality, .scale = limit->scale};
    MBS_TRY(add_objective(context, problem, limit->objective, &row.objective));
    if (isfinite(limit->below)) {
      row.sign = 1;
      row.bound = limit->below;
      problem->rows[problem->row_count++] = row;
    }
    if (isfinite(limit->above) && !is_equality) {
      row.sign = -1;
      row.bound = limit->above;
      problem->rows[problem->row_count++] = row;
    }
  }
  return MBS_OK;
}

static bool has_equality(const MbsDesignProblem *problem) {
  for (int j = 0; j < problem->row_count; ++j) {
    if (problem->rows[j].is_equality) {
      return true;
    }
  }
  return false;
}

// of bounds that both ends are needed of: where further starts can be
static MbsStatus check_bounds(MbsContext *context, const MbsDesignProblem *problem) {
  for (int i = 0; i < problem->n && problem->design.starts > 1; ++i) {
    const MbsDesignVariable *variable = &problem->variables[i];
    if (!isfinite(variable->lower) || !isfinite(variable->upper)) {
      return mbs_fail(
          context, MBS_ERROR_INPUT, variable->place,
          "parameter \"%s\" has no %s bound: %d starts are anywhere between bounds, so every parameter that "
          "may change needs both",
          variable->name, isfinite(variable->lower) ? "upper" : "lower", problem->design.starts);
    }
  }
  return MBS_OK;
}

static MbsStatus choose_algorithm(MbsContext *context, MbsDesignProblem *problem) {
  MbsPlace place = problem->row_count > 0 ? problem->design.limits[0].place : mbs_nowhere;
  MbsAlgorithm chosen = problem->design.algorithm;
  if (chosen == MBS_ALGORITHM_LBFGS && problem->row_count > 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "algorithm lbfgs takes no constraints: take slsqp, mma or cobyla");
  }
  if (chosen == MBS_ALGORITHM_MMA && has_equality(problem)) {
    return mbs_fail(context, MBS_ERROR_INPUT, place,
                    "algorithm mma takes no equality constraints: take slsqp or cobyla");
  }
  problem->algorithm = chosen != MBS_ALGORITHM_AUTO ? chosen
                       : problem->row_count == 0    ? MBS_ALGORITHM_LBFGS
                                                    : MBS_ALGORITHM_SLSQP;
  return MBS_OK;
}

// Objectives of an equilibrium alone need no run.
static bool is_static(MbsContext *context, const MbsDesignProblem *problem) {
  for (int i = 0; i < problem->objective_count; ++i) {
    const MbsRecord *record = find_objective(context, problem->model, problem->objectives[i]);
    if (!record || !mbs_record_value(record, MBS_OBJECTIVE_EQUILIBRIUM)->is_given) {
      return false;
    }
  }
  return true;
}

static double scale_of(const MbsDesignVariable *variable) {
  double range = variable->upper - variable->lower, size = fabs(variable->value);
  return variable->scale > 0 ? variable->scale : isfinite(range) && range > 0 ? range : size > 0 ? size : 1;
}

static MbsStatus read_variables(MbsContext *context, MbsBlueprint *blueprint, MbsDesignProblem *problem) {
  MbsDesignVariable *variables;
  MBS_TAKE(context, problem->arena, variables, problem->n);
  MBS_TAKE(context, problem->arena, problem->scale, problem->n);
  MBS_TRY(mbs_design_variables(context, blueprint, problem->n, problem->names, variables));
  problem->variables = variables;
  for (int i = 0; i < problem->n; ++i) {
    problem->scale[i] = scale_of(&variables[i]);
  }
  problem->request.parameter_count = problem->n;
  problem->request.parameters = problem->names;
  return check_bounds(context, problem);
}

// Names of what may change, opened: arrays are their elements.
static MbsStatus choose_parameters(MbsContext *context, const MbsRequest *request, const MbsModel *model,
                                   MbsDesignProblem *problem) {
  int count = request->parameter_count;
  const char *const *names = request->parameters;
  MbsRequest chosen;
  MbsSelection selection;
  if (!names) {
    MBS_TRY(mbs_design_names(context, problem->arena, model, &count, &names));
  }
  MBS_TRY(mbs_model_ask(context, problem->arena, model, &count, &names, &problem->model));
  chosen = (MbsRequest){.settings = request->settings, .parameter_count = count, .parameters = names};
  chosen.objectives = (const char *const[]){""};  // an empty list
  MBS_TRY(mbs_selection_create(context, problem->arena, problem->model, &chosen, &selection));
  problem->n = selection.parameter_count;
  problem->names = selection.parameter_names;
  problem->indices = selection.parameters;
  return problem->n > 0
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s has no parameters that could change", model->file);
}

static MbsMethod method_of(const MbsDesignProblem *problem, const MbsRequest *request,
                           const MbsOptimizeOptions *options) {
  return problem->algorithm == MBS_ALGORITHM_COBYLA ? MBS_METHOD_NONE
         : options->is_method_fixed                 ? request->method
                                                    : MBS_METHOD_DIRECT;
}

MbsStatus mbs_design_problem_create(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                    const MbsRequest *request, const MbsOptimizeOptions *options,
                                    MbsDesignProblem *problem) {
  MbsBlueprint *blueprint;
  *problem = (MbsDesignProblem){.arena = arena, .request = *request};
  MBS_TRY(mbs_request_check(context, request));
  MBS_TRY(choose_parameters(context, request, model, problem));
  MBS_TRY(mbs_blueprint_create(context, arena, problem->model, &blueprint));
  MBS_TRY(mbs_design_read(context, blueprint, &problem->design));
  int most = request->objective_count + problem->design.term_count + problem->design.limit_count;
  MBS_TAKE(context, arena, problem->objectives, most);
  MBS_TAKE(context, arena, problem->weights, most);
  MBS_TRY(add_terms(context, request, options, problem));
  MBS_TRY(add_rows(context, problem));
  MBS_TRY(read_variables(context, blueprint, problem));
  MBS_TRY(choose_algorithm(context, problem));
  problem->request.objective_count = problem->objective_count;
  problem->request.objectives = problem->objectives;
  problem->request.settings.is_equilibrium |= is_static(context, problem);
  problem->request.settings.has_no_outputs = true;
  problem->request.recorder = NULL;
  MbsMethod method = method_of(problem, request, options);
  if (method == MBS_METHOD_NONE && problem->algorithm != MBS_ALGORITHM_COBYLA) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "algorithm %s needs gradients: take another method than none, or algorithm cobyla",
                    mbs_algorithm_name(problem->algorithm));
  }
  return mbs_design_problem_use_method(context, problem, method);
}

void mbs_design_problem_destroy(MbsDesignProblem *problem) {
  mbs_simulator_destroy(problem->simulator);
  problem->simulator = NULL;
}

// Do runs find anything on the way that could be another one in the next run? Events of time alone are none.
static bool finds_path(const MbsRequest *request, MbsSimulator *simulator) {
  const MbsSettings *settings = &request->settings;
  const MbsBlueprint *blueprint = mbs_simulator_session(simulator)->simulation->system->blueprint;
  bool has_events = false;
  for (int i = 0; i < blueprint->events.count; ++i) {
    const MbsEventSpec *event = &blueprint->events.items[i];
    has_events = has_events || event->is_end || (!event->is_timed && !event->is_given);
  }
  return request->method != MBS_METHOD_ADJOINT_CONTINUOUS && !settings->is_equilibrium &&
         (settings->step_tolerance > 0 || has_events || strcmp(settings->formulation, "matrix-r") == 0);
}

MbsStatus mbs_design_problem_use_method(MbsContext *context, MbsDesignProblem *problem, MbsMethod method) {
  MbsSimulator *simulator = NULL;
  bool is_simulated = method <= MBS_METHOD_ADJOINT_CONTINUOUS;
  problem->request.method = method;
  if (is_simulated) {
    MBS_TRY(mbs_simulator_create(context, problem->model, &problem->request, &simulator));
  }
  mbs_simulator_destroy(problem->simulator);
  problem->simulator = simulator;
  problem->keeps_path = is_simulated && finds_path(&problem->request, simulator);
  problem->has_path = false;
  return MBS_OK;
}

// ---- points ----
MbsStatus mbs_design_problem_point(MbsContext *context, const MbsDesignProblem *problem, MbsDesignPoint *point) {
  *point = (MbsDesignPoint){0};
  MBS_TAKE(context, problem->arena, point->x, problem->n);
  MBS_TAKE(context, problem->arena, point->values, problem->objective_count);
  MBS_TAKE(context, problem->arena, point->gradient, problem->objective_count * problem->n);
  return MBS_OK;
}

void mbs_design_problem_copy(const MbsDesignProblem *problem, const MbsDesignPoint *from, MbsDesignPoint *to) {
  size_t n = (size_t)problem->n, m = (size_t)problem->objective_count;
  memcpy(to->x, from->x, n * sizeof(double));
  memcpy(to->values, from->values, m * sizeof(double));
  memcpy(to->gradient, from->gradient, m * n * sizeof(double));
  to->has_gradient = from->has_gradient;
  to->is_path_own = from->is_path_own;
  to->runs = from->runs;
}

static MbsStatus run(MbsContext *context, MbsDesignProblem *problem, MbsDesignPoint *point) {
  problem->evaluations += 1;
  point->runs += 1;
  MBS_TRY(mbs_simulator_set_parameters(context, problem->simulator, problem->n, point->x));
  return mbs_simulator_run(context, problem->simulator);
}

// A method that no simulator has: the model with other numbers, run.
static MbsStatus run_model(MbsContext *context, const MbsDesignProblem *problem, MbsArena *scratch,
                           MbsDesignPoint *point) {
  const MbsModel *model = problem->model;
  MbsResult *result;
  for (int i = 0; i < problem->n; ++i) {
    MbsModel *changed;
    MBS_TRY(mbs_model_with_number(context, scratch, model, problem->indices[i], point->x[i], &changed));
    model = changed;
  }
  MbsStatus status = mbs_run(context, model, &problem->request, &result);
  if (status == MBS_OK) {
    size_t n = (size_t)problem->n, m = (size_t)problem->objective_count;
    memcpy(point->values, result->values, m * sizeof(double));
    memcpy(point->gradient, result->gradient, m * n * sizeof(double));
    point->has_gradient = true;
  }
  mbs_result_destroy(result);
  return status;
}

static MbsStatus evaluate_anew(MbsContext *context, MbsDesignProblem *problem, MbsDesignPoint *point) {
  MbsArena *scratch = mbs_arena_create_for(context);
  if (!scratch) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  problem->evaluations += 1;
  point->runs += 1;
  MbsStatus status = run_model(context, problem, scratch, point);
  mbs_arena_destroy(scratch);
  return status;
}

static MbsStatus forget_path(MbsContext *context, MbsDesignProblem *problem) {
  if (problem->has_path) {
    problem->has_path = false;
    MBS_TRY(mbs_simulator_keep_path(context, problem->simulator, false));
  }
  return MBS_OK;
}

static MbsStatus evaluate(MbsContext *context, MbsDesignProblem *problem, MbsDesignPoint *point) {
  MbsSimulator *simulator = problem->simulator;
  size_t n = (size_t)problem->n, m = (size_t)problem->objective_count;
  if (!simulator) {
    return evaluate_anew(context, problem, point);
  }
  MbsStatus status = run(context, problem, point);
  if (status == MBS_ERROR_NUMERICAL && problem->has_path) {
    MBS_TRY(forget_path(context, problem));
    status = run(context, problem, point);
  }
  MBS_TRY(status);
  memcpy(point->values, mbs_simulator_values(simulator), m * sizeof(double));
  const double *gradient = mbs_simulator_gradient(simulator);
  point->has_gradient = gradient != NULL;
  if (gradient) {
    memcpy(point->gradient, gradient, m * n * sizeof(double));
  }
  point->is_path_own = problem->keeps_path && !problem->has_path;
  if (point->is_path_own) {
    MBS_TRY(mbs_simulator_keep_path(context, simulator, true));
    problem->has_path = true;
  }
  return MBS_OK;
}

MbsStatus mbs_design_problem_evaluate(MbsContext *context, MbsDesignProblem *problem, MbsDesignPoint *point) {
  point->runs = 0;
  point->is_path_own = false;
  return evaluate(context, problem, point);
}

MbsStatus mbs_design_problem_renew(MbsContext *context, MbsDesignProblem *problem, MbsDesignPoint *point) {
  point->runs = 0;
  MBS_TRY(forget_path(context, problem));
  return evaluate(context, problem, point);
}

MbsStatus mbs_design_problem_forget(MbsContext *context, MbsDesignProblem *problem) {
  MBS_TRY(forget_path(context, problem));
  mbs_simulator_renew(problem->simulator);
  return MBS_OK;
}

bool mbs_design_problem_lacks_scales(const MbsDesignProblem *problem) {
  for (int j = 0; j < problem->row_count; ++j) {
    if (!(problem->rows[j].scale > 0) && !(fabs(problem->rows[j].bound) > 0)) {
      return true;
    }
  }
  return false;
}

void mbs_design_problem_scale_rows(MbsDesignProblem *problem, const MbsDesignPoint *point) {
  for (int j = 0; j < problem->row_count; ++j) {
    MbsConstraintRow *row = &problem->rows[j];
    double size = fabs(row->bound) > 0 ? fabs(row->bound) : fabs(point->values[row->objective]);
    row->scale = row->scale > 0 ? row->scale : size > 0 ? size : 1;
  }
}

// ---- f and c ----
double mbs_design_problem_value(const MbsDesignProblem *problem, const MbsDesignPoint *point) {
  double f = 0;
  for (int i = 0; i < problem->objective_count; ++i) {
    f += problem->weights[i] * point->values[i];
  }
  return f;
}

double mbs_design_problem_slope(const MbsDesignProblem *problem, const MbsDesignPoint *point, int parameter) {
  double slope = 0;
  for (int i = 0; i < problem->objective_count; ++i) {
    slope += problem->weights[i] * point->gradient[i * problem->n + parameter];
  }
  return slope;
}

double mbs_design_problem_row(const MbsDesignProblem *problem, const MbsDesignPoint *point, int row) {
  const MbsConstraintRow *r = &problem->rows[row];
  return r->sign * (point->values[r->objective] - r->bound) / r->scale;
}

double mbs_design_problem_row_slope(const MbsDesignProblem *problem, const MbsDesignPoint *point, int row,
                                    int parameter) {
  const MbsConstraintRow *r = &problem->rows[row];
  return r->sign * point->gradient[r->objective * problem->n + parameter] / r->scale;
}

double mbs_design_problem_violation(const MbsDesignProblem *problem, const MbsDesignPoint *point) {
  double worst = 0;
  for (int j = 0; j < problem->row_count; ++j) {
    double c = mbs_design_problem_row(problem, point, j);
    worst = fmax(worst, problem->rows[j].is_equality ? fabs(c) : c);
  }
  return worst;
}
