// The objectives' values in natural and in relative coordinates, as verify compares them: the same model, so the same
// motion, but for the error of the integrator.
//
// matrix-r with the same independent coordinates all the way integrates the same numbers in both, and must agree to
// rounding (or to what rounding becomes: the run with parameters shaken, shaken_run.h). Otherwise each value is
// extrapolated from the steps h and h/2, of second order,
//     E = psi(h/2) + (psi(h/2) - psi(h)) / 3
// and the two E may differ by the sum of both |psi(h/2) - psi(h)|: more than the error of E where the step is small
// enough for its order to show, and still enough where it is of first order.
#ifndef MBS_VALUES_H
#define MBS_VALUES_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "model/settings.h"

// One formulation in one kind of coordinates, as it was run.
typedef struct MbsValueSample {
  bool is_run, has_failed;  // failed: at some time of the motion, not at its start
  MbsRequest request;
  double *values, *scales;  // by objective; below a scale a value does not count
  bool is_exact;            // matrix-r with the user's independent coordinates all the way
} MbsValueSample;

// Keeps what a run gave (of which the gradient is used for the scales), in the arena.
MbsStatus mbs_values_keep(MbsContext *context, MbsArena *arena, const MbsRequest *request, const MbsResult *result,
                          MbsValueSample *sample);

typedef struct MbsValueRows {
  int count, capacity;
  MbsVerifyValue *items;
} MbsValueRows;

// Appends a row per objective. samples: natural, relative. The objectives' names must last.
MbsStatus mbs_values_compare(MbsContext *context, MbsArena *arena, const MbsModel *model, int objective_count,
                             const char *const *objectives, const MbsValueSample samples[2], MbsValueRows *rows);

#endif
