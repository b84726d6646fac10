// A sweep: the samples of a plan (src/sampling/plan.h), each a run of the model, for values of objectives and their
// gradients; and the words of its folder:
//
//   sampler   computes samples, one after another: a simulator, whose results depend on the sample alone
//   crew      threads with a sampler each, tasks in and samples out
//   ranks     processes of MPI with a crew each, the first of which (rank 0) has the journal
//   journal   what is computed, in the order in which it came; it outlives whoever writes it
//   results   the file of -o, in the order of the plan
#ifndef MBS_CLI_SWEEP_H
#define MBS_CLI_SWEEP_H

#include "cli/session.h"
#include "sampling/plan.h"

typedef struct CliSweep {
  CliSession *session;
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
  bool has_mean;       // one more sample, behind those of the plan: all numbers at their means, with a gradient
  uint64_t total;      // samples with it
  size_t width;        // numbers that a sample gives: values, gradient by objectives
  uint64_t signature;  // of everything that the numbers depend on
} CliSweep;

// From the options. Returns 0, or the exit status after a sentence on standard error; to be closed in any case.
int cli_sweep_open(CliSweep *sweep, CliSession *session);
void cli_sweep_close(CliSweep *sweep);
// Its numbers, of which there are as many as are varied.
void cli_sweep_numbers(const CliSweep *sweep, uint64_t index, double *numbers);

// ---- samples (sampler.c) ----
enum { CLI_SAMPLE_MESSAGE = 512 };

typedef struct CliSample {
  uint64_t index;
  uint32_t status;                   // MbsStatus; not MBS_OK: it failed, and its numbers are NaN
  char message[CLI_SAMPLE_MESSAGE];  // why, if it failed
  double *numbers;                   // width
} CliSample;

typedef struct CliSampler CliSampler;

// `keep_going`: asked now and then during a run; false ends it, and the sample is interrupted.
MbsStatus cli_sampler_create(MbsContext *context, const CliSweep *sweep, CliSampler **sampler);
void cli_sampler_destroy(CliSampler *sampler);
// Computes sample->index. A run that fails is a sample that says so; what is returned is none of its own: memory that
// is out, an interruption.
MbsStatus cli_sampler_run(MbsContext *context, CliSampler *sampler, CliSample *sample);
// After cli_sampler_create: what the model's names are.
int cli_sampler_objectives(const CliSampler *sampler, const char *const **names);
int cli_sampler_parameters(const CliSampler *sampler, const char *const **names);

#endif
