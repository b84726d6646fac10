#include "sweep.h"

#include <stdlib.h>

#include "base/checksum.h"
#include "base/names.h"
#include "cli/memory.h"
#include "cli/outcome.h"
#include "cli/plot/data.h"
#include "model/model.h"
#include "sampling/quantile.h"

enum { DEFAULT_SAMPLES = 1000, MOST_VARIED = 100000 };

// ---- what is varied ----
// One of the numbers of a sample: a parameter, and what is known of it.
typedef struct Varied {
  const char *name;
  MbsText text;  // of its distribution
} Varied;

static int fail(const CliSweep *sweep, MbsStatus status) {
  return cli_fail_library(sweep->job.session->context, status);
}

// The names that `name` stands for (an array is its elements), which the model has as parameters from now on.
static MbsStatus ask(CliSweep *sweep, const char *name, int *count, const char *const **names) {
  const char **asked;
  MBS_TAKE(sweep->job.session->context, sweep->arena, asked, 1);
  asked[0] = name;
  *count = 1;
  *names = asked;
  return mbs_model_ask(sweep->job.session->context, sweep->arena, sweep->model, count, names, &sweep->model);
}

static MbsStatus add(CliSweep *sweep, int *count, const char *name, MbsText text) {
  MbsContext *context = sweep->job.session->context;
  int new_count;
  const char *const *names;
  MBS_TRY(ask(sweep, name, &new_count, &names));
  for (int i = 0; i < new_count; ++i) {
    for (int k = 0; k < *count; ++k) {
      if (strcmp(sweep->varied[k], names[i]) == 0) {
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "--vary %s: is given twice", names[i]);
      }
    }
    if (*count == MOST_VARIED) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "more than %d parameters vary", MOST_VARIED);
    }
    sweep->varied = cli_memory_resize(sweep->varied, (size_t)*count + 1, sizeof *sweep->varied);
    sweep->texts = cli_memory_resize(sweep->texts, (size_t)*count + 1, sizeof *sweep->texts);
    sweep->varied[*count] = names[i];
    sweep->texts[*count] = text.text;
    *count += 1;
  }
  return MBS_OK;
}

static bool has_distribution(const MbsRecord *record) {
  return mbs_record_text(record, MBS_PARAMETER_DISTRIBUTION).text != NULL;
}

static bool has_bounds(const MbsRecord *record) {
  return mbs_record_text(record, MBS_PARAMETER_LOWER).text && mbs_record_text(record, MBS_PARAMETER_UPPER).text;
}

// without --vary: parameters with a distribution, or where none has one those with two bounds, evenly between these
static MbsStatus add_from_model(CliSweep *sweep, int *count, MbsText *texts) {
  MbsContext *context = sweep->job.session->context;
  const MbsValue *parameters = mbs_record_value(&sweep->model->root, MBS_MODEL_PARAMETERS);
  bool is_known = false;
  for (int i = 0; i < parameters->count; ++i) {
    is_known = is_known || has_distribution(&parameters->records[i]);
  }
  for (int i = 0; i < parameters->count; ++i) {
    const MbsRecord *record = &parameters->records[i];
    MbsText text = mbs_record_text(record, MBS_PARAMETER_DISTRIBUTION);
    if (!is_known && has_bounds(record)) {
      MbsText lower = mbs_record_text(record, MBS_PARAMETER_LOWER);
      text = (MbsText){.text = mbs_arena_print(sweep->arena, "uniform(%s, %s)", lower.text,
                                               mbs_record_text(record, MBS_PARAMETER_UPPER).text),
                       .place = lower.place};
      if (!text.text) {
        return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
      }
    }
    if (text.text) {
      texts[*count] = text;
      MBS_TRY(add(sweep, count, record->name.text, text));
    }
  }
  return *count > 0 ? MBS_OK
                    : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                               "nothing varies: say --vary NAME=normal(100,5), or =1,2,3, or =FROM:TO:COUNT; or give a "
                               "parameter of the model a distribution, or two bounds");
}

static bool is_setting(CliSweep *sweep, const char *name) {
  return mbs_setting_find(sweep->job.session->context, name) != NULL;
}

// what would be read as a parameter that is none: said with what it may have been meant as
static MbsStatus check_name(CliSweep *sweep, const MbsBlueprint *blueprint, const char *name) {
  MbsContext *context = sweep->job.session->context;
  const char *nearest = NULL, *option = sweep->job.session->options->list ? "--list: column" : "--vary";
  int index = mbs_parameters_find(blueprint, name);
  if (index >= 0 && !blueprint->parameters.items[index].is_derived) {
    return MBS_OK;
  }
  if (index >= 0) {
    const MbsParameter *parameter = &blueprint->parameters.items[index];
    return mbs_fail(context, MBS_ERROR_INPUT, parameter->text.place,
                    "%s %s: is an expression of others, \"%s\": vary those", option, name, parameter->text.text);
  }
  bool is_one = is_setting(sweep, name);
  for (int i = 0; i < blueprint->clock; ++i) {
    mbs_name_nearest(name, blueprint->parameters.items[i].name, &nearest);
  }
  return is_one ? mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                           "%s %s: a sweep varies parameters, and this is a setting: mbsens study varies those", option,
                           name)
                : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s %s: no parameter of that name in %s%s%s%s",
                           option, name, sweep->model->file, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                           nearest ? "\"?" : "");
}

static MbsStatus read_distributions(CliSweep *sweep, int count, const MbsText *of_model) {
  MbsContext *context = sweep->job.session->context;
  MbsBlueprint *blueprint;
  MbsDistribution *distributions;
  MBS_TRY(mbs_blueprint_create(context, sweep->arena, sweep->model, &blueprint));
  MBS_TAKE(context, sweep->arena, distributions, count);
  for (int k = 0; k < count; ++k) {
    const char *name = sweep->varied[k];
    MBS_TRY(check_name(sweep, blueprint, name));
    if (!sweep->texts[k]) {
      continue;  // of a list
    }
    const char *owner = of_model ? mbs_arena_print(sweep->arena, "parameter \"%s\"", name)
                                 : mbs_arena_print(sweep->arena, "--vary %s", name);
    MbsText text = of_model ? of_model[k] : (MbsText){.text = sweep->texts[k]};
    MBS_TRY(mbs_distribution_read(context, blueprint, owner ? owner : name, text, &distributions[k]));
  }
  sweep->plan.distributions = distributions;
  return MBS_OK;
}

static MbsStatus read_varied(CliSweep *sweep) {
  const CliOptions *options = sweep->job.session->options;
  MbsContext *context = sweep->job.session->context;
  const MbsValue *parameters = mbs_record_value(&sweep->model->root, MBS_MODEL_PARAMETERS);
  MbsText *of_model = NULL;
  int count = 0;
  if (options->variation_count == 0) {
    MBS_TAKE(context, sweep->arena, of_model, parameters->count);
    MBS_TRY(add_from_model(sweep, &count, of_model));
  }
  for (int i = 0; i < options->variation_count; ++i) {
    MBS_TRY(add(sweep, &count, options->variations[i].name, (MbsText){.text = options->variations[i].value}));
  }
  sweep->plan.dimension = count;
  return read_distributions(sweep, count, of_model);
}

// ---- a list ----
static int read_list(CliSweep *sweep, const char *path) {
  CliData data;
  int exit_status = cli_data_read(&data, path), count = 0;
  MbsStatus status = MBS_OK;
  for (int j = 0; j < data.column_count && !exit_status && status == MBS_OK; ++j) {
    if (data.columns[j].texts) {
      exit_status = cli_fail(MBS_ERROR_INPUT, "--list %s: column \"%s\" has texts where numbers are expected", path,
                             data.columns[j].name);
    } else {
      const char *name = mbs_arena_copy_text(sweep->arena, data.columns[j].name);
      status = name ? add(sweep, &count, name, (MbsText){.text = NULL}) : MBS_ERROR_MEMORY;
    }
  }
  sweep->plan.dimension = count;
  if (!exit_status && status == MBS_OK && count != data.column_count) {
    exit_status = cli_fail(MBS_ERROR_INPUT, "--list %s: a column is one number: name[1], not an array", path);
  }
  status = exit_status || status != MBS_OK ? status : read_distributions(sweep, count, NULL);
  double *rows = NULL;
  if (!exit_status && status == MBS_OK) {
    rows = mbs_arena_take(sweep->arena, (size_t)data.row_count * (size_t)count, sizeof *rows);
    status = rows ? MBS_OK : mbs_fail(sweep->job.session->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  for (long i = 0; rows && i < data.row_count * count && !exit_status; ++i) {
    rows[i] = data.columns[i % count].values[i / count];
    if (rows[i] - rows[i] != 0) {
      exit_status = cli_fail(MBS_ERROR_INPUT, "--list %s: row %ld has no number for %s", path, i / count + 1,
                             data.columns[i % count].name);
    }
  }
  sweep->plan.list = rows;
  sweep->plan.points = (uint64_t)data.row_count;
  if (!exit_status && status == MBS_OK && data.row_count == 0) {
    exit_status = cli_fail(MBS_ERROR_INPUT, "--list %s: has no rows", path);
  }
  cli_data_free(&data);
  return exit_status ? exit_status : status == MBS_OK ? 0 : fail(sweep, status);
}

// ---- the plan ----
static int find_kind(const char *text, MbsPlanKind *kind) {
  for (int i = 0; i < MBS_PLAN_KINDS; ++i) {
    if (strcmp(text, mbs_plan_names[i]) == 0) {
      *kind = (MbsPlanKind)i;
      return 0;
    }
  }
  return cli_fail(MBS_ERROR_INPUT,
                  "--plan: must be grid, list, monte-carlo, latin-hypercube, sobol or saltelli, got \"%s\"", text);
}

// values alone make a grid, anything else is random
static MbsPlanKind usual_kind(const CliSweep *sweep) {
  for (int k = 0; k < sweep->plan.dimension; ++k) {
    if (sweep->plan.distributions[k].kind != MBS_DISTRIBUTION_VALUES) {
      return MBS_PLAN_RANDOM;
    }
  }
  return MBS_PLAN_GRID;
}

static int read_plan(CliSweep *sweep) {
  const CliOptions *options = sweep->job.session->options;
  MbsPlan *plan = &sweep->plan;
  int exit_status = options->plan ? find_kind(options->plan, &plan->kind) : 0;
  if (exit_status) {
    return exit_status;
  }
  bool is_list = options->plan ? plan->kind == MBS_PLAN_LIST : options->list != NULL;
  if (is_list != (options->list != NULL)) {
    return cli_fail(MBS_ERROR_INPUT, "--plan list and --list FILE.csv go together, and with no other plan");
  }
  if (is_list && options->variation_count > 0) {
    return cli_fail(MBS_ERROR_INPUT, "--vary: the columns of --list say what varies");
  }
  if (is_list) {
    plan->kind = MBS_PLAN_LIST;
    exit_status = read_list(sweep, options->list);
  } else {
    MbsStatus status = read_varied(sweep);
    exit_status = status == MBS_OK ? 0 : fail(sweep, status);
  }
  if (exit_status) {
    return exit_status;
  }
  if (!is_list && !options->plan) {
    plan->kind = usual_kind(sweep);
  }
  bool counts = mbs_plan_is_random(plan);
  if (!counts && (options->samples || options->seed)) {
    return cli_fail(MBS_ERROR_INPUT, "--%s: is for random plans; this one is %s", options->samples ? "samples" : "seed",
                    plan->kind == MBS_PLAN_GRID ? "a grid" : "a list");
  }
  plan->points = counts ? (uint64_t)(options->samples ? options->samples : DEFAULT_SAMPLES) : plan->points;
  plan->seed = options->seed ? (uint64_t)options->seed : 1;
  MbsStatus status = mbs_plan_finish(sweep->job.session->context, sweep->arena, plan);
  return status == MBS_OK ? 0 : fail(sweep, status);
}

// ---- what is computed ----
static MbsStatus find_request(CliSweep *sweep) {
  sweep->request = *sweep->job.session->request;
  sweep->request.settings.has_no_outputs = true;
  if (!sweep->request.parameters) {
    sweep->request.parameters = sweep->varied;
    sweep->request.parameter_count = sweep->plan.dimension;
  }
  MbsMethod method = sweep->request.method;
  sweep->has_gradient = method != MBS_METHOD_NONE;
  return method <= MBS_METHOD_ADJOINT_CONTINUOUS
             ? MBS_OK
             : mbs_fail(sweep->job.session->context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                        "--method %s: is not offered in a sweep, whose methods are direct, adjoint, adjoint-continuous "
                        "and none",
                        cli_method_name(method));
}

static const char **copy_names(CliSweep *sweep, int count, const char *const *names) {
  const char **copies = cli_memory_take((size_t)count, sizeof *copies);
  for (int i = 0; i < count; ++i) {
    copies[i] = mbs_arena_copy_text(sweep->arena, names[i]);
  }
  return copies;
}

// the model is compiled once here, so that all mistakes in it are told, and its names are known
static MbsStatus find_names(CliSweep *sweep) {
  MbsContext *context = sweep->job.session->context;
  void *sampler = NULL;
  const char *const *names;
  MbsStatus status = cli_sampler_create(context, sweep, &sampler);
  if (status == MBS_OK) {
    sweep->objective_count = cli_sampler_objectives(sampler, &names);
    sweep->objectives = copy_names(sweep, sweep->objective_count, names);
    int count = cli_sampler_parameters(sampler, &names);
    sweep->wrt_count = sweep->has_gradient ? count : 0;
    sweep->wrt = copy_names(sweep, sweep->wrt_count, names);
  }
  cli_sampler_destroy(sampler);
  if (status == MBS_OK && sweep->objective_count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "%s has no objectives: a sweep computes those and their gradients", sweep->model->file);
  }
  return status;
}

// may its first-order propagation be computed: gradients by all that varies?
static bool is_propagated(const CliSweep *sweep) {
  if (!mbs_plan_is_random(&sweep->plan) || !sweep->has_gradient) {
    return false;
  }
  for (int k = 0; k < sweep->plan.dimension; ++k) {
    bool is_there = false;
    for (int i = 0; i < sweep->wrt_count; ++i) {
      is_there = is_there || strcmp(sweep->varied[k], sweep->wrt[i]) == 0;
    }
    if (!is_there) {
      return false;
    }
  }
  return true;
}

void cli_sweep_numbers(const CliSweep *sweep, uint64_t index, double *numbers) {
  if (index < sweep->plan.count) {
    mbs_plan_sample(&sweep->plan, index, numbers);
    return;
  }
  for (int k = 0; k < sweep->plan.dimension; ++k) {
    numbers[k] = mbs_distribution_mean(&sweep->plan.distributions[k]);
  }
}

// ---- its signature ----
static uint64_t sign_names(uint64_t sum, int count, const char **names) {
  for (int i = 0; i < count; ++i) {
    sum = mbs_checksum_text(sum, names[i]);
  }
  return mbs_checksum(sum, &count, sizeof count);
}

static MbsStatus sign(CliSweep *sweep) {
  const MbsPlan *plan = &sweep->plan;
  uint64_t sum;
  MBS_TRY(cli_job_sign(sweep->job.session, &sweep->request, &sum));
  sum = sign_names(sum, plan->dimension, sweep->varied);
  sum = sign_names(sum, sweep->objective_count, sweep->objectives);
  sum = sign_names(sum, sweep->wrt_count, sweep->wrt);
  const uint64_t numbers[] = {(uint64_t)plan->kind, plan->points, plan->seed, plan->count};
  sum = mbs_checksum(sum, numbers, sizeof numbers);
  for (int k = 0; k < plan->dimension && plan->kind != MBS_PLAN_LIST; ++k) {
    const MbsDistribution *distribution = &plan->distributions[k];
    sum = mbs_checksum(sum, &distribution->kind, sizeof distribution->kind);
    sum = mbs_checksum(sum, distribution->numbers, (size_t)distribution->count * sizeof(double));
  }
  if (plan->kind == MBS_PLAN_LIST) {
    sum = mbs_checksum(sum, plan->list, (size_t)plan->count * (size_t)plan->dimension * sizeof(double));
  }
  sweep->job.signature = sum;
  return MBS_OK;
}

int cli_sweep_open(CliSweep *sweep, CliSession *session) {
  *sweep = (CliSweep){.model = session->model, .arena = mbs_arena_create_for(session->context)};
  sweep->job = (CliJob){.session = session,
                        .name = "sweep",
                        .parts = "samples",
                        .rate = "runs",
                        .user = sweep,
                        .create = cli_sampler_create,
                        .destroy = cli_sampler_destroy,
                        .compute = cli_sampler_compute};
  if (!sweep->arena) {
    cli_memory_is_out();
  }
  int exit_status = read_plan(sweep);
  if (exit_status) {
    return exit_status;
  }
  MbsStatus status = find_request(sweep);
  status = status == MBS_OK ? find_names(sweep) : status;
  if (status == MBS_OK) {
    sweep->has_mean = is_propagated(sweep);
    sweep->job.total = sweep->plan.count + sweep->has_mean;
    sweep->job.width = (size_t)sweep->objective_count * (1 + (size_t)sweep->wrt_count);
    status = sign(sweep);
  }
  return status == MBS_OK ? 0 : fail(sweep, status);
}

void cli_sweep_close(CliSweep *sweep) {
  free(sweep->varied);
  free(sweep->texts);
  free(sweep->objectives);
  free(sweep->wrt);
  mbs_arena_destroy(sweep->arena);
  *sweep = (CliSweep){0};
}
