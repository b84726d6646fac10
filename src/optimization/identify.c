// Parameters from measurements. Where all standard deviations are given, one search of the least sum of squares. Those
// that are not are estimated from the residuals, by output: search, estimate, search with these, ... until they stay;
// with residuals of one output alone they do not matter for the parameters, and one search does. Steps that find their
// own size are those of the first run of a search, so that it sees a smooth function; the next search finds them anew.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/design.h"
#include "optimization/identification.h"
#include "sensitivities/request.h"

enum { MOST_SEARCHES = 25 };
static const double settled = 1e-4;  // standard deviations stay, relative

MbsIdentifyDef mbs_default_identify_def(void) {
  return (MbsIdentifyDef){.confidence = 0.95, .iterations = 100, .tolerance = 1e-5};
}

// ---- what is asked for ----
static MbsStatus check_experiment(MbsContext *context, const MbsExperiment *experiment, int number) {
  if (!experiment->name || experiment->row_count < 1 || !experiment->times || experiment->measurement_count < 1 ||
      !experiment->measurements || experiment->set_count < 0 ||
      (experiment->set_count > 0 && (!experiment->set || !experiment->set_values))) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "experiment %d needs a name, rows, times and measurements",
                    number);
  }
  for (long i = 0; i < experiment->row_count; ++i) {
    if (!isfinite(experiment->times[i]) || (i > 0 && !(experiment->times[i - 1] < experiment->times[i]))) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: times must increase, and %.10g follows %.10g",
                      experiment->name, experiment->times[i], i > 0 ? experiment->times[i - 1] : 0);
    }
  }
  for (int k = 0; k < experiment->measurement_count; ++k) {
    const MbsMeasurement *measurement = &experiment->measurements[k];
    bool has_some = false;
    if (!measurement->output || !measurement->column || !measurement->values || !isfinite(measurement->sigma) ||
        measurement->sigma < 0) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                      "%s: measurement %d needs a column, an output, values, and a standard deviation of 0 or more",
                      experiment->name, k + 1);
    }
    for (long i = 0; i < experiment->row_count; ++i) {
      if (isinf(measurement->values[i])) {
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: column \"%s\" is not finite at t = %.10g",
                        experiment->name, measurement->column, experiment->times[i]);
      }
      has_some = has_some || !isnan(measurement->values[i]);
    }
    if (!has_some) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: column \"%s\" has no numbers", experiment->name,
                      measurement->column);
    }
  }
  return MBS_OK;
}

static MbsStatus check_def(MbsContext *context, const MbsRequest *request, const MbsIdentifyDef *def) {
  if (def->experiment_count < 1 || !def->experiments) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "there is no experiment");
  }
  if (!(def->confidence > 0 && def->confidence < 1)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "confidence must be between 0 and 1, got %.10g",
                    def->confidence);
  }
  if (!(def->tolerance > 0) || def->iterations < 1) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "tolerance must be positive and iterations 1 at least, got %.10g and %d", def->tolerance,
                    def->iterations);
  }
  if (request->settings.accuracy > 0 || request->settings.is_equilibrium) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere, "identification is not offered with %s",
                    request->settings.accuracy > 0 ? "an accuracy, which takes several runs: set a step"
                                                   : "an equilibrium, which has no times");
  }
  for (int e = 0; e < def->experiment_count; ++e) {
    MBS_TRY(check_experiment(context, &def->experiments[e], e + 1));
  }
  return MBS_OK;
}

// ---- parameters ----
static MbsStatus find_variables(MbsIdentify *identify) {
  int n = identify->parameter_count;
  MbsDesignVariable *variables;
  MbsBlueprint *blueprint;
  double *start;
  MBS_TAKE(identify->context, identify->arena, variables, n);
  MBS_TAKE(identify->context, identify->arena, identify->lower, n);
  MBS_TAKE(identify->context, identify->arena, identify->upper, n);
  MBS_TAKE(identify->context, identify->arena, identify->scale, n);
  MBS_TAKE(identify->context, identify->arena, identify->x, n);
  MBS_TAKE(identify->context, identify->arena, start, n);
  MBS_TRY(mbs_blueprint_create(identify->context, identify->arena, identify->model, &blueprint));
  MBS_TRY(mbs_design_variables(identify->context, blueprint, n, identify->selection.parameter_names, variables));
  for (int k = 0; k < n; ++k) {
    const MbsDesignVariable *variable = &variables[k];
    double range = variable->upper - variable->lower, size = fabs(variable->value);
    identify->lower[k] = variable->lower;
    identify->upper[k] = variable->upper;
    identify->x[k] = start[k] = variable->value;
    identify->scale[k] = variable->scale > 0            ? variable->scale
                         : size > 0                     ? size
                         : isfinite(range) && range > 0 ? range
                                                        : 1;
  }
  identify->result.parameter_count = n;
  identify->result.parameters = identify->selection.parameter_names;
  identify->result.parameter_values = identify->x;
  identify->result.start_values = start;
  return MBS_OK;
}

// Which parameters do no output depend on? They are told at the start.
static MbsStatus check_influence(MbsIdentify *identify, const double *J) {
  char list[500] = "";
  int count = 0;
  for (int k = 0; k < identify->parameter_count; ++k) {
    double largest = 0;
    for (long i = 0; i < identify->residual_count; ++i) {
      largest = fmax(largest, fabs(J[k * identify->residual_count + i]) * identify->scale[k]);
    }
    size_t used = strlen(list);
    if (!(largest > 1e-12)) {
      (void)snprintf(list + used, sizeof list - used, "%s\"%s\"", count > 0 ? ", " : "",
                     identify->result.parameters[k]);
      count += 1;
    }
  }
  return count == 0 ? MBS_OK
                    : mbs_fail(identify->context, MBS_ERROR_INPUT, mbs_nowhere,
                               "nothing that was measured depends on parameter%s %s: leave %s out, or measure more",
                               count > 1 ? "s" : "", list, count > 1 ? "them" : "it");
}

// ---- the search ----
static bool report(void *user, int iteration, const double *x, double value, bool is_accepted) {
  const MbsIdentify *identify = user;
  const MbsIdentifyStep step = {.iteration = identify->iterations + iteration,
                                .evaluations = identify->evaluations,
                                .value = value,
                                .parameter_count = identify->parameter_count,
                                .parameters = identify->result.parameters,
                                .parameter_values = x,
                                .is_accepted = is_accepted};
  return !identify->def->report || identify->def->report(identify->def->user, &step);
}

static MbsStatus evaluate(void *user, MbsContext *context, const double *x, double *r, double *J) {
  MbsIdentify *identify = user;
  identify->evaluations += 1;
  MBS_TRY(mbs_measured_runs_evaluate(identify, context, x, r, J));
  if (identify->is_first) {
    MBS_TRY(check_influence(identify, J));
    identify->is_first = false;
  }
  return MBS_OK;
}

static MbsStatus keep(MbsIdentify *identify, const MbsLeastSquaresResult *found) {
  size_t m = (size_t)identify->residual_count;
  memcpy(identify->r, found->r, m * sizeof *identify->r);
  memcpy(identify->J, found->J, m * (size_t)identify->parameter_count * sizeof *identify->J);
  identify->iterations += found->iterations;
  identify->failures += found->failures;
  return MBS_OK;
}

// One search, from x on.
static MbsStatus search(MbsIdentify *identify, MbsLeastSquaresResult *found) {
  double size = 0;
  for (int f = 0; f < identify->fit_count; ++f) {
    const MbsOutputFit *fit = &identify->fits[f];
    size += (double)fit->count * fit->spread * fit->spread / (fit->sigma * fit->sigma);
  }
  const MbsLeastSquares problem = {.parameter_count = identify->parameter_count,
                                   .residual_count = identify->residual_count,
                                   .lower = identify->lower,
                                   .upper = identify->upper,
                                   .scale = identify->scale,
                                   .tolerance = identify->def->tolerance,
                                   .rounding = 1e-12 * sqrt(size),
                                   .iterations = identify->def->iterations - identify->iterations,
                                   .evaluate = evaluate,
                                   .report = report,
                                   .user = identify};
  MbsArena *scratch = mbs_arena_create_for(identify->context);
  if (!scratch) {
    return mbs_fail(identify->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MbsStatus status = MBS_OK;
  if (identify->keeps_paths) {  // their steps are found at x
    status = mbs_measured_runs_free_paths(identify);
    status = status == MBS_OK ? evaluate(identify, identify->context, identify->x, identify->r, identify->J) : status;
    status = status == MBS_OK ? mbs_measured_runs_keep_paths(identify) : status;
  }
  if (status == MBS_OK) {
    status = mbs_least_squares(identify->context, scratch, &problem, identify->x, found);
  }
  if (status == MBS_OK) {
    status = keep(identify, found);
  }
  mbs_arena_destroy(scratch);
  return status;
}

static const char *sentence_of(MbsLeastSquaresEnd end) {
  static const char *const sentences[] = {
      [MBS_LEAST_SQUARES_FOUND] = "found: no small change of the parameters makes the sum of squares smaller",
      [MBS_LEAST_SQUARES_EXACT] = "found: the model meets the data to rounding",
      [MBS_LEAST_SQUARES_STUCK] =
          "not found: derivatives promise a smaller sum of squares, and no step has one (a jump?)",
      [MBS_LEAST_SQUARES_FAILED] = "not found: the model fails wherever the sum of squares would be smaller",
      [MBS_LEAST_SQUARES_ENOUGH] = "not found: there have been as many iterations as are allowed",
      [MBS_LEAST_SQUARES_STOPPED] = "stopped: this is the best so far"};
  return sentences[end];
}

static MbsStatus search_all(MbsIdentify *identify) {
  MbsLeastSquaresResult found = {.end = MBS_LEAST_SQUARES_FOUND};
  int unknown = 0;
  for (int f = 0; f < identify->fit_count; ++f) {
    unknown += identify->fits[f].is_estimated;
  }
  bool has_several = unknown > 0 && identify->fit_count > 1, is_done = false;
  for (int k = 0; k < MOST_SEARCHES && !is_done; ++k) {
    double change;
    MbsStatus status = search(identify, &found);
    if (status == MBS_ERROR_INTERRUPTED && k > 0) {
      found.end = MBS_LEAST_SQUARES_STOPPED;  // what the search before has found is there
      status = MBS_OK;
    } else {
      MBS_TRY(status);
      MBS_TRY(mbs_uncertainty_weigh(identify, &change));
    }
    MBS_TRY(status);
    bool is_good = found.end == MBS_LEAST_SQUARES_FOUND || found.end == MBS_LEAST_SQUARES_EXACT;
    bool is_settled = !has_several || change < settled;
    bool has_moved = identify->keeps_paths && found.iterations > 0;
    is_done = !is_good || found.end == MBS_LEAST_SQUARES_EXACT || (is_settled && !has_moved);
  }
  if (!is_done) {
    MBS_TRY(
        mbs_identify_warn(identify, "standard deviations, or steps, have not settled in %d searches", MOST_SEARCHES));
  }
  identify->result.is_found = found.end == MBS_LEAST_SQUARES_FOUND || found.end == MBS_LEAST_SQUARES_EXACT;
  identify->result.message = sentence_of(found.end);
  identify->result.iterations = identify->iterations;
  identify->result.evaluations = identify->evaluations;
  identify->result.failures = identify->failures;
  return MBS_OK;
}

static MbsStatus identify_all(MbsIdentify *identify) {
  MbsContext *context = identify->context;
  MbsRequest *asked = &identify->request;
  MBS_TRY(check_def(context, asked, identify->def));
  asked->method = MBS_METHOD_DIRECT;
  asked->objective_count = 0;
  asked->objectives = (const char *const[]){NULL};
  asked->recorder = NULL;
  MBS_TRY(mbs_model_ask(context, identify->arena, identify->model, &asked->parameter_count, &asked->parameters,
                        &identify->model));
  MBS_TRY(mbs_selection_create(context, identify->arena, identify->model, asked, &identify->selection));
  identify->parameter_count = identify->selection.parameter_count;
  if (identify->parameter_count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "there is no parameter to find in %s",
                    identify->model->file);
  }
  MBS_TRY(find_variables(identify));
  MBS_TRY(mbs_measured_runs_create(identify));
  if (identify->residual_count <= identify->parameter_count) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%ld measurements are too few for %d parameters",
                    identify->residual_count, identify->parameter_count);
  }
  MBS_TAKE(context, identify->arena, identify->r, identify->residual_count);
  MBS_TAKE(context, identify->arena, identify->J, identify->residual_count * identify->parameter_count);
  identify->result.model =
      mbs_arena_copy_text(identify->arena, mbs_record_text(&identify->model->root, MBS_MODEL_NAME).text);
  identify->is_first = true;
  MBS_TRY(search_all(identify));
  MBS_TRY(mbs_measured_runs_compare_ends(identify));
  return mbs_uncertainty_find(identify);
}

MbsStatus mbs_identify(MbsContext *context, const MbsModel *model, const MbsRequest *request, const MbsIdentifyDef *def,
                       MbsIdentification **identification) {
  MBS_CALL_BEGIN(context, "mbs_identify", {"model", model}, {"request", request}, {"def", def},
                 {"identification", identification});
  *identification = NULL;
  MBS_TRY(mbs_request_check(context, request));
  MbsArena *arena = mbs_arena_create_for(context);
  MbsIdentify *identify = arena ? mbs_arena_take(arena, 1, sizeof *identify) : NULL;
  if (!identify) {
    mbs_arena_destroy(arena);
    return mbs_call_end(context, mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory"));
  }
  *identify = (MbsIdentify){.context = context, .arena = arena, .model = model, .def = def, .request = *request};
  MbsStatus status = mbs_call_end(context, identify_all(identify));
  mbs_measured_runs_destroy(identify);
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  *identification = &identify->result;
  return MBS_OK;
}

void mbs_identification_destroy(MbsIdentification *identification) {
  if (identification) {
    mbs_arena_destroy(((MbsIdentify *)(void *)identification)->arena);
  }
}
