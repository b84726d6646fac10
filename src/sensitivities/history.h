// Time histories: one row per step, handed to a recorder as doubles.
//   t, then every quantity: q, v, a, lambda, objectives (running); then, for each column of direct
//   differentiation, the derivative of every quantity.
// The continuous adjoint runs its gradients backwards: its rows are complete when it has come back to the start.
#ifndef MBS_HISTORY_H
#define MBS_HISTORY_H

#include "sensitivities/adjoint_continuous.h"
#include "sensitivities/series.h"
#include "simulation/simulation.h"

typedef struct MbsHistory {
  int quantity_count, column_count;  // column_count: of a row
  const char **names;
  double *row;
} MbsHistory;

MbsStatus mbs_history_create(MbsContext *context, const MbsSimulation *simulation, MbsHistory *history);
MbsStatus mbs_history_begin(const MbsRecorder *recorder, const MbsHistory *history);
// perturbed: by a complex step, 0 or more; then derivatives are given
MbsStatus mbs_history_row(const MbsSimulation *simulation, const MbsRecorder *recorder, int perturbed,
                          const MbsHistory *history);

// Hands the rows kept on the way there, with the gradients that run backwards behind them, to a recorder.
MbsStatus mbs_history_replay(MbsContext *context, const MbsSimulation *simulation, const MbsRecorder *recorder,
                             const MbsSeries *series, const MbsContinuous *continuous);

#endif
