// Time histories: one row per step, handed to a recorder as doubles.
//   t, then every quantity: q, v, a, lambda, objectives (running); then, for each column of direct
//   differentiation, the derivative of every quantity.
// The continuous adjoint runs its gradients backwards: its rows are complete when it has come back to the start.
#ifndef MBS_HISTORY_H
#define MBS_HISTORY_H

#include "sensitivities/adjoint_continuous.h"
#include "sensitivities/series.h"
#include "sensitivities/twin.h"
#include "simulation/simulation.h"

typedef struct MbsHistory {
  int quantity_count;
  double *row;
} MbsHistory;

MbsStatus mbs_history_begin(MbsContext *context, const MbsSimulation *simulation, const MbsTwinRequest *request,
                            MbsHistory *history);
MbsStatus mbs_history_row(const MbsSimulation *simulation, const MbsTwinRequest *request, const MbsHistory *history);

// Hands the rows kept on the way there, with the gradients that run backwards behind them, to the request's recorder.
MbsStatus mbs_history_replay(MbsContext *context, const MbsSimulation *simulation, const MbsTwinRequest *request,
                             const MbsSeries *series, const MbsContinuous *continuous);

#endif
