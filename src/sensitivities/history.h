// Time histories: one row per step, handed to a recorder as doubles.
//   t, then every quantity; then, for each column of direct differentiation, the derivative of every quantity.
// Quantities are outputs and objectives (running) where the model has outputs, else q, v, a, lambda and objectives; or
// those that the settings list, residuals of the constraints among them, which have no derivatives.
// The continuous adjoint runs its gradients backwards: its rows are complete when it has come back to the start.
#ifndef MBS_HISTORY_H
#define MBS_HISTORY_H

#include "sensitivities/adjoint_continuous.h"
#include "sensitivities/series.h"
#include "simulation/simulation.h"

typedef enum MbsQuantityKind {
  MBS_QUANTITY_OUTPUT,
  MBS_QUANTITY_POSITION,
  MBS_QUANTITY_VELOCITY,
  MBS_QUANTITY_ACCELERATION,
  MBS_QUANTITY_MULTIPLIER,
  MBS_QUANTITY_OBJECTIVE,
  MBS_QUANTITY_RESIDUAL  // index: of the level
} MbsQuantityKind;

typedef struct MbsQuantity {
  MbsQuantityKind kind;
  int index;
  const char *name;
  const char *unit, *description;  // NULL: none
  const char *group;
} MbsQuantity;

typedef struct MbsHistory {
  int quantity_count;
  MbsQuantity *quantities;
  bool has_outputs;      // some of them are
  bool *wanted_outputs;  // by output
  bool has_residuals;
  mbs_scalar residual[3];  // largest of the constraints of each level, at the row
  int column_count;        // of a row
  const char **names, **units, **descriptions, **groups;
  double *row;
} MbsHistory;

// Refuses a list of columns that has an unknown one. `is_differentiated`: rows have derivatives, or will get them; then
// residuals are refused, too.
MbsStatus mbs_history_create(MbsContext *context, const MbsSimulation *simulation, bool is_differentiated,
                             MbsHistory *history);
MbsStatus mbs_history_begin(const MbsRecorder *recorder, const MbsHistory *history);
// Is the present state a row? By the path that is followed, so that runs that follow it have the same rows.
bool mbs_history_has_row(const MbsSimulation *simulation);
// Those between the ends of the last step, where it may be interpolated (simulation/dense_output.h).
MbsStatus mbs_history_rows_within(MbsContext *context, MbsSimulation *simulation, const MbsRecorder *recorder,
                                  int perturbed, MbsHistory *history);
// perturbed: by a complex step, 0 or more; then derivatives are given
MbsStatus mbs_history_row(MbsSimulation *simulation, const MbsRecorder *recorder, int perturbed, MbsHistory *history);

// Hands the rows kept on the way there, one of every step, with the gradients that run backwards behind them, to a
// recorder.
MbsStatus mbs_history_replay(MbsContext *context, const MbsSimulation *simulation, const MbsRecorder *recorder,
                             const MbsSeries *series, const MbsContinuous *continuous);
// Of rows that were kept for every step: those that are rows of a history.
void mbs_history_thin(const MbsSimulation *simulation, MbsSeries *series);

#endif
