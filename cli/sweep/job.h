// Work in many parts that know nothing of each other (samples of a sweep, starts of a search), done by threads and
// processes:
//
//   crew      threads with a worker each, tasks in and samples out
//   ranks     processes of MPI with a crew each, the first of which (rank 0) has the journal
//   journal   what is computed, in the order in which it came; it outlives whoever writes it
//   run       all of it, until everything is there
#ifndef MBS_CLI_JOB_H
#define MBS_CLI_JOB_H

#include "cli/session.h"

enum { CLI_SAMPLE_MESSAGE = 512 };

// What comes of one part.
typedef struct CliSample {
  uint64_t index;
  uint32_t status;                   // MbsStatus; not MBS_OK: it failed, and its numbers are NaN
  char message[CLI_SAMPLE_MESSAGE];  // why, if it failed
  double *numbers;                   // width
} CliSample;

typedef struct CliJob {
  CliSession *session;
  const char *name;    // "sweep"
  const char *parts;   // what it has many of: "samples"
  const char *rate;    // and how they are counted on the way: "runs"
  uint64_t total;      // how many
  size_t width;        // numbers that each gives
  uint64_t signature;  // of everything that the numbers depend on
  // A worker computes one after another; `user` says of what. What it gives depends on the index alone.
  const void *user;
  MbsStatus (*create)(MbsContext *context, const void *user, void **worker);
  void (*destroy)(void *worker);  // NULL is good
  // One that fails is a sample that says so; what is returned is none of its own: memory that is out, an interruption.
  MbsStatus (*compute)(MbsContext *context, void *worker, CliSample *sample);
} CliJob;

// For `compute`: the sample has failed, with the sentence of the context. Returns what is to be returned.
MbsStatus cli_sample_fail(const MbsContext *context, const CliJob *job, MbsStatus status, CliSample *sample);
// Of all that the session's model and the request say.
MbsStatus cli_job_sign(const CliSession *session, const MbsRequest *request, uint64_t *signature);

#endif
