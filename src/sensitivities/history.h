// Time histories: one row per step, handed to a recorder as doubles.
//   t, then every quantity: q, v, a, lambda, objectives (running); then, for each column of direct
//   differentiation, the derivative of every quantity.
#ifndef MBS_HISTORY_H
#define MBS_HISTORY_H

#include "sensitivities/twin.h"
#include "simulation/simulation.h"

typedef struct MbsHistory {
  int quantity_count;
  double *row;
} MbsHistory;

MbsStatus mbs_history_begin(MbsContext *context, const MbsSimulation *simulation, const MbsTwinRequest *request,
                            MbsHistory *history);
MbsStatus mbs_history_row(const MbsSimulation *simulation, const MbsTwinRequest *request, const MbsHistory *history);

#endif
