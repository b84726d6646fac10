// Are the equations nearly singular somewhere on the way?
//
// Formulations that solve for multipliers, as index1, and matrix-r lose digits near positions where constraints become
// dependent, and every residual stays small all the same. What tells is the condition number of the matrix that is
// factored: over a run it varies by small factors, and near such a position it grows with the inverse square of the
// distance. Its estimate takes a few solves, so it is made only where the ratio of pivots, which comes with every
// factorisation (and which alone would blame old pivots, too), falls to half of what it was at the estimate before; and
// as positions are passed, that mark rises again, by a tenth per step.
#include "simulation/simulation.h"

void mbs_simulation_watch_condition(MbsSimulation *simulation) {
  MbsStatistics *statistics = &simulation->statistics;
  bool is_first = !(simulation->condition_start > 0);
  mbs_scalar *values;
  int power;
  MbsSparseSolver *solver = simulation->stepper->type->watched(simulation->stepper, &values, &power);
  if (!solver) {
    return;
  }
  double quality = mbs_sparse_solver_quality(solver);
  simulation->watched_quality *= 1.1;
  if (!is_first && !(quality < 0.5 * simulation->watched_quality)) {
    return;
  }
  double condition = mbs_sparse_solver_condition(solver, values);
  simulation->watched_quality = quality;
  simulation->condition_start = is_first ? condition : simulation->condition_start;
  double growth = simulation->condition_start > 0 ? condition / simulation->condition_start : 0;
  growth *= power > 1 ? growth : 1;
  if (growth > statistics->condition_growth) {
    statistics->condition_growth = growth;
    statistics->condition_time = mbs_re(simulation->state.t);
  }
}
