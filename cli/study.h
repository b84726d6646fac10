// A study: runs of one model with every combination of some settings, what came out, how far that is from a reference,
// and at which order the error falls with the step.
//
// Errors. value: |psi - psi*| / |psi*| (or absolute, where psi* is 0). gradient: max_j |g_j - g*_j| / max_j |g*_j|,
// over the derivatives of one objective. The reference psi*, g* is the run of the smallest step in the same settings
// (finest), a run to an accuracy, or numbers that are given.
//
// Orders. From a step to the next smaller one, h1 > h2, with errors e1, e2: e = C h^p gives p = log(e1/e2) /
// log(h1/h2). Against the finest run, whose own error is C h3^p, what is seen is e = C (h^p - h3^p), so that p solves
//     e1 / e2 = (h1^p - h3^p) / (h2^p - h3^p).
// Errors below 1e-12 are rounding and give no order.
#ifndef MBS_CLI_STUDY_H
#define MBS_CLI_STUDY_H

#include "session.h"

typedef struct CliAxis {
  const MbsField *setting;
  int count;
  char **values;
} CliAxis;

typedef struct CliStudyRun {
  MbsStatus status;
  char *failure;  // the sentence; NULL: it went well
  int *choice;    // by axis
  double step;
  int reference;              // the run that is its reference; -1: none, or not a run
  double *values, *gradient;  // objectives, objectives x parameters; NULL: none
  double *value_errors, *value_orders, *gradient_errors, *gradient_orders;  // by objective; NaN: none
  double seconds;                                                           // of the processor, least of the repeats
  long steps, iterations;
} CliStudyRun;

typedef enum CliReferenceKind { CLI_REFERENCE_FINEST, CLI_REFERENCE_ACCURACY, CLI_REFERENCE_NUMBERS } CliReferenceKind;

typedef struct CliStudy {
  int axis_count;
  CliAxis *axes;
  CliReferenceKind reference;
  double accuracy;
  double *reference_values, *reference_gradient;  // NaN: not given
  int objective_count, parameter_count;
  char **objectives, **parameters;
  char *model;
  int run_count;
  CliStudyRun *runs;
} CliStudy;

// Reads --vary and --reference. Returns 0, or the exit status after a sentence on standard error. Free it in any case.
int cli_study_read(CliStudy *study, CliSession *session);
// All runs. A run that fails is a row that says so; if all do, that is an error.
int cli_study_run(CliStudy *study, CliSession *session);
void cli_study_judge(CliStudy *study);
void cli_study_free(CliStudy *study);

#endif
