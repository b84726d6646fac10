// A sweep: the samples of a plan (src/sampling/plan.h), each a run of the model, for values of objectives and their
// gradients; and the words of its folder, beside those of job.h:
//
//   sampler   computes samples, one after another: a simulator, whose results depend on the sample alone
//   results   the file of -o, in the order of the plan
#ifndef MBS_CLI_SWEEP_H
#define MBS_CLI_SWEEP_H

#include "job.h"
#include "sampling/plan.h"

typedef struct CliSweep {
  CliJob job;  // its samples give values, gradient by objectives
  MbsArena *arena;
  const MbsModel *model;  // with parameters for all names below
  MbsRequest request;
  MbsPlan plan;
  const char **varied;  // by number of the plan
  const char **texts;   // their distributions as they were written; of a list NULL
  const char *list;     // the file of a list
  int objective_count, wrt_count;
  const char **objectives, **wrt;
  bool has_gradient;
  bool has_mean;  // one more sample, behind those of the plan: all numbers at their means, with a gradient
} CliSweep;

// From the options. Returns 0, or the exit status after a sentence on standard error; to be closed in any case.
int cli_sweep_open(CliSweep *sweep, CliSession *session);
void cli_sweep_close(CliSweep *sweep);
// Its numbers, of which there are as many as are varied.
void cli_sweep_numbers(const CliSweep *sweep, uint64_t index, double *numbers);

// ---- samples (sampler.c) ----
typedef struct CliSampler CliSampler;

// As a job wants it.
MbsStatus cli_sampler_create(MbsContext *context, const void *sweep, void **sampler);
void cli_sampler_destroy(void *sampler);
MbsStatus cli_sampler_compute(MbsContext *context, void *sampler, CliSample *sample);
// After cli_sampler_create: what the model's names are.
int cli_sampler_objectives(const CliSampler *sampler, const char *const **names);
int cli_sampler_parameters(const CliSampler *sampler, const char *const **names);

#endif
