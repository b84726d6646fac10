// Parameters from measurements: nonlinear least squares of outputs of the model against data, on exact sensitivities,
// with covariance and confidence intervals (docs/identification.md).
//
//   MbsMeasured *measured;
//   mbs_measured_read(context, model, request, NULL, &measured);      files of the section identification
//   MbsIdentifyDef def = mbs_default_identify_def();
//   def.experiment_count = measured->experiment_count;
//   def.experiments = measured->experiments;
//   MbsIdentification *found;
//   mbs_identify(context, model, request, &def, &found);              by the request's parameters
//   found->parameter_values[k], found->lower[k], found->upper[k]
#ifndef MBSENS_IDENTIFY_H
#define MBSENS_IDENTIFY_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// Numbers that were measured of one quantity.
typedef struct MbsMeasurement {
  const char *column;    // in messages: of the file
  const char *output;    // what that is in the model: a column of histories, such as an output, or P.x, or J'
  double sigma;          // standard deviation of a measurement; 0: estimated, for all of one output together
  const double *values;  // by row; NaN: missing
} MbsMeasurement;

// One run, and what was measured of it.
typedef struct MbsExperiment {
  const char *name;  // in messages: the file
  long row_count;
  const double *times;  // s, increasing, within the run
  int measurement_count;
  const MbsMeasurement *measurements;
  int set_count;  // parameters that are known to be others in this run
  const char *const *set;
  const double *set_values;
} MbsExperiment;

// After each iteration; false ends the search with what is the best so far.
typedef struct MbsIdentifyStep {
  int iteration, evaluations;
  double value;  // sum of squares, each residual over its sigma
  int parameter_count;
  const char *const *parameters;
  const double *parameter_values;
  bool is_accepted;  // false: the step was not taken, and all is as before
} MbsIdentifyStep;

typedef struct MbsIdentifyDef {
  int experiment_count;
  const MbsExperiment *experiments;
  double confidence;  // of intervals: 0.95
  int iterations;     // at most: 100
  double tolerance;   // how far from the minimum it may end, in radii of the region of confidence: 1e-5
  bool (*report)(void *user, const MbsIdentifyStep *step);  // NULL: none
  void *user;
} MbsIdentifyDef;

MbsIdentifyDef mbs_default_identify_def(void);

// What the residuals of one output say.
typedef struct MbsFit {
  const char *output;
  const char *unit;  // NULL: none
  long count;        // of measurements that are there
  double sigma;      // given, or estimated
  bool is_estimated;
  double rms;    // of what is left, in the output's unit
  double rough;  // estimated error of interpolation between steps at most, over sigma; 0: steps end at all times
} MbsFit;

// A combination of parameters that the data hardly know of: outputs change `condition` times less along it than along
// the one they know best (with parameters measured by what they do one by one).
typedef struct MbsUndetermined {
  double condition;          // HUGE_VAL: not at all
  const double *directions;  // by parameter: change, relative to its value; the largest is 1
  const char *sentence;      // which, in words
} MbsUndetermined;

typedef struct MbsIdentification {
  bool is_found;  // a minimum; else `message` says what ended the search, and this is the best there was
  const char *message;
  const char *model;
  int parameter_count;
  const char *const *parameters;
  const double *start_values, *parameter_values;
  const bool *is_at_bound;  // held there, and not among what is uncertain
  // NaN: at a bound, or not determined by the data
  const double *standard_errors, *lower, *upper;  // of intervals of confidence
  const double *covariance, *correlation;         // parameter_count x parameter_count
  double confidence, freedom;  // of the intervals, and their degrees of freedom; HUGE_VAL: every sigma is given
  long measurement_count;
  double value;      // sum of squares, each residual over its sigma
  double chance;     // every sigma given: the probability that it is as large or larger; else NaN
  double condition;  // of the derivatives, columns scaled to one length; HUGE_VAL: singular
  int fit_count;
  const MbsFit *fits;
  int undetermined_count;
  const MbsUndetermined *undetermined;
  int iterations, evaluations, failures;  // failures: runs that failed, so that the step was not taken
  int warning_count;
  const char *const *warnings;
} MbsIdentification;

// With the settings of the request, but for its method, objectives and histories; by its parameters, between their
// bounds in the model, from the values of the model.
MbsStatus mbs_identify(MbsContext *context, const MbsModel *model, const MbsRequest *request, const MbsIdentifyDef *def,
                       MbsIdentification **identification);
void mbs_identification_destroy(MbsIdentification *identification);

// Experiments from files of comma-separated values, with names of columns in the first line (docs/identification.md).
typedef struct MbsMeasured {
  int experiment_count;
  const MbsExperiment *experiments;
  int unused_count;  // columns that are nothing of the model
  const char *const *unused;
  int parameter_count;  // that the section names; else those of section optimization, or with bounds, or all
  const char *const *parameters;
  double confidence, tolerance;  // of the section
  int iterations;
} MbsMeasured;

// In place of what the section identification says; NULL, or 0: as it does.
typedef struct MbsMeasuredOptions {
  int file_count;  // each is a run of its own
  const char *const *files;
  int output_count;  // what was measured
  const char *const *outputs;
  const char *const *columns;  // of the files; NULL, or one that is NULL: called like the output
  const double *sigmas;        // standard deviations; NULL, or 0: as the section says, or estimated
} MbsMeasuredOptions;

// request: whose end the times must not pass. options may be NULL. The model must outlive what is read.
MbsStatus mbs_measured_read(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                            const MbsMeasuredOptions *options, MbsMeasured **measured);
void mbs_measured_destroy(MbsMeasured *measured);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
