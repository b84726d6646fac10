#include <math.h>
#include <mbsens/simulator.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "cli/memory.h"
#include "sensitivities/simulator.h"
#include "sweep.h"

struct CliSampler {
  const CliSweep *sweep;
  MbsSimulator *simulator;
  double *numbers;  // of a sample
};

MbsStatus cli_sampler_create(MbsContext *context, const void *user, void **result) {
  const CliSweep *sweep = user;
  CliSampler *sampler = cli_memory_take(1, sizeof *sampler);
  sampler->sweep = sweep;
  sampler->numbers = cli_memory_take((size_t)sweep->plan.dimension, sizeof *sampler->numbers);
  *result = sampler;
  return mbs_simulator_create(context, sweep->model, &sweep->request, &sampler->simulator);
}

void cli_sampler_destroy(void *worker) {
  CliSampler *sampler = worker;
  if (sampler) {
    mbs_simulator_destroy(sampler->simulator);
    free(sampler->numbers);
    free(sampler);
  }
}

int cli_sampler_objectives(const CliSampler *sampler, const char *const **names) {
  *names = mbs_simulator_objective_names(sampler->simulator);
  return mbs_simulator_objective_count(sampler->simulator);
}

int cli_sampler_parameters(const CliSampler *sampler, const char *const **names) {
  *names = mbs_simulator_parameter_names(sampler->simulator);
  return mbs_simulator_parameter_count(sampler->simulator);
}

// with pivots of its own, so that it does not matter which samples came before
static MbsStatus run(MbsContext *context, CliSampler *sampler, uint64_t index) {
  const CliSweep *sweep = sampler->sweep;
  cli_sweep_numbers(sweep, index, sampler->numbers);
  MBS_TRY(mbs_simulator_set_named(context, sampler->simulator, sweep->plan.dimension, sweep->varied, sampler->numbers));
  mbs_simulator_renew(sampler->simulator);
  return mbs_simulator_run(context, sampler->simulator);
}

static bool is_finite(size_t count, const double *numbers) {
  for (size_t i = 0; i < count; ++i) {
    if (!isfinite(numbers[i])) {
      return false;
    }
  }
  return true;
}

MbsStatus cli_sampler_compute(MbsContext *context, void *worker, CliSample *sample) {
  CliSampler *sampler = worker;
  const CliSweep *sweep = sampler->sweep;
  size_t values = (size_t)sweep->objective_count, width = sweep->job.width;
  MbsStatus status = run(context, sampler, sample->index);
  if (status != MBS_OK) {
    return cli_sample_fail(context, &sweep->job, status, sample);
  }
  memcpy(sample->numbers, mbs_simulator_values(sampler->simulator), values * sizeof(double));
  if (width > values) {
    memcpy(sample->numbers + values, mbs_simulator_gradient(sampler->simulator), (width - values) * sizeof(double));
  }
  if (!is_finite(width, sample->numbers)) {
    status = mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere, "a value or a derivative is no finite number");
    return cli_sample_fail(context, &sweep->job, status, sample);
  }
  sample->message[0] = '\0';
  sample->status = MBS_OK;
  return MBS_OK;
}
