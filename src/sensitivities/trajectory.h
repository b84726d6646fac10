// The way back through a run: the state after any step again, from the last to the first.
//
// Each step leaves a row behind (stepper.h), of which the last `row_capacity` are kept: a ring. Steps before those are
// walked again, from snapshots of the state every `spacing` steps; with spacing <= row_capacity what lies between two
// snapshots fits into the ring, so every step is taken at most twice.
//
//     bytes = row (row_capacity + 1) + snapshot snapshot_capacity          (1: the row of the start)
//
// Where the number of steps N is known, the longest ring is chosen that fits with as many snapshots as it asks for,
//     row (L + 1) + snapshot (N / L - 1) <= bytes,          least at L^2 = N snapshot / row
// Where it is not, half of the bytes are the ring and half are snapshots, which is good for as many steps as any
// division: N <= bytes^2 / (4 row snapshot). Snapshots then begin at every step; whenever there is no room for one
// more, every other one is given up and the spacing doubles.
#ifndef MBS_SENSITIVITIES_TRAJECTORY_H
#define MBS_SENSITIVITIES_TRAJECTORY_H

#include "simulation/simulation.h"

typedef struct MbsTrajectory {
  MbsSimulation *simulation;
  int row_size, snapshot_size;   // in numbers
  long row_capacity, most_rows;  // of the ring; and how far it may grow, while it holds all steps
  long snapshot_capacity, snapshot_count, spacing;
  mbs_scalar *start, *rows, *snapshots;
  long *snapshot_step;  // after which step each was taken
  long first_row;       // the first step whose row is in the ring
  long step_count;      // known beforehand; 0: not
} MbsTrajectory;

// step_count: of the run, 0: not known. memory: bytes; 0: up to 1e9, or as many as it takes at least.
MbsStatus mbs_trajectory_create(MbsContext *context, MbsSimulation *simulation, long step_count, double memory,
                                MbsTrajectory **trajectory);
// For runs of another number of steps.
MbsStatus mbs_trajectory_resize(MbsContext *context, MbsTrajectory *trajectory, long step_count, double memory);
// After the start and after each step.
MbsStatus mbs_trajectory_record(MbsContext *context, MbsTrajectory *trajectory);
// Steps after number `step` were taken back.
void mbs_trajectory_cut(MbsTrajectory *trajectory, long step);
// The simulation's state after a step, with all that the step's transpose looks at, and signals evaluated. Steps must
// be recalled from the last to the start.
MbsStatus mbs_trajectory_recall(MbsContext *context, MbsTrajectory *trajectory, const MbsStep *step);

#endif
