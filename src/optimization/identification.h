// Inside mbs_identify (mbsens/identify.h):
//   measured_runs.c    runs of the model, one for each experiment, as residuals and their derivatives
//   identify.c         the search: least squares again and again, where standard deviations are not known
//   uncertainty.c      what the derivatives at its end say: covariance, intervals, combinations that nobody knows
#ifndef MBS_IDENTIFICATION_H
#define MBS_IDENTIFICATION_H

#include <mbsens/identify.h>

#include "optimization/least_squares.h"
#include "sensitivities/selection.h"
#include "sensitivities/session.h"

// One experiment: a run, whose rows are kept.
typedef struct MbsMeasuredRun {
  const MbsExperiment *experiment;
  MbsSession *session;
  MbsArena *path_arena;  // of the path that its runs follow; NULL: none
  MbsPath path;
  double *all;       // parameters of the model
  MbsSeries series;  // rows of the last run
  MbsRecorder recorder;
  int *columns;  // by measurement: of the history
  int *fits;     // by measurement
} MbsMeasuredRun;

// What belongs to one output, of all experiments.
typedef struct MbsOutputFit {
  const char *output, *unit;
  long count;
  double spread;  // of what was measured: what a residual is measured by before anything is known
  double sigma;   // as it is now
  bool is_estimated;
  double rough;  // error of interpolation
} MbsOutputFit;

typedef struct MbsIdentify {
  MbsIdentification result;  // first: mbs_identification_destroy is given this
  MbsContext *context;
  MbsArena *arena;
  const MbsModel *model;  // with what is asked for as parameters
  const MbsIdentifyDef *def;
  MbsRequest request;
  MbsSelection selection;
  int parameter_count;
  double *lower, *upper, *scale, *x;
  int run_count;
  MbsMeasuredRun *runs;
  bool keeps_paths;  // steps find their own size
  bool is_first;     // the run at the start: what is wrong there is wrong with the input
  long residual_count;
  int *fit_of;  // by residual
  int fit_count;
  MbsOutputFit *fits;
  double *r, *J;  // at x, each residual over its sigma
  int iterations, evaluations, failures;
  int warning_capacity;
  const char **warnings;
} MbsIdentify;

// ---- measured_runs.c ----
// Sessions, and which column of a history each measurement is.
MbsStatus mbs_measured_runs_create(MbsIdentify *identify);
void mbs_measured_runs_destroy(MbsIdentify *identify);
// Residuals over sigma at x, and their derivatives (mbs_least_squares).
MbsStatus mbs_measured_runs_evaluate(void *user, MbsContext *context, const double *x, double *r, double *J);
// Runs to come follow the paths of those made last; or find their own.
MbsStatus mbs_measured_runs_keep_paths(MbsIdentify *identify);
MbsStatus mbs_measured_runs_free_paths(MbsIdentify *identify);
// Warns of data that end long before their run.
MbsStatus mbs_measured_runs_compare_ends(MbsIdentify *identify);

// ---- uncertainty.c ----
// Standard deviations that are not given, from the residuals r at the end of a search, which were over those before;
// r and J are over the new ones then. change: the largest, relative.
MbsStatus mbs_uncertainty_weigh(MbsIdentify *identify, double *change);
// All that the result says of how sure it is.
MbsStatus mbs_uncertainty_find(MbsIdentify *identify);
// A sentence among the warnings of the result.
MbsStatus mbs_identify_warn(MbsIdentify *identify, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
