// Rows of histories between the ends of steps: what a run has at a time within the last step, by the interpolation of
// its stepper (stepper.h), where settings ask for rows at times of their own.
//
// Positions, velocities and their columns are interpolated, accelerations and multipliers solve the equations of motion
// there. Integrals are psi_0 + h sum_i w_i(theta) g_i over the interpolation's rates, and everything else of objectives
// and outputs is computed from the state, as at the end of a step. Columns are those of a step by itself, whose size
// and time are constants, and what variables do to them is added up last, as in event_columns.c.
//
// So a step that begins or ends at a time which moves with parameters, that of an event, must have no such row: it ends
// at the last one before the event, and the one after an event ends at the first one. Extrema over the run have places
// of their own within steps: with such objectives all steps end at rows, which are then steps of the plan.
#ifndef MBS_DENSE_OUTPUT_H
#define MBS_DENSE_OUTPUT_H

#include "integrators/stepper.h"

struct MbsSimulation;

typedef struct MbsDense {
  bool is_wanted;
  double interval;
  // the last step: where it began, whether it may be interpolated, and is prepared for that
  double begin;
  bool is_smooth, is_prepared;
  MbsStep step;
  // what there is at a row, in the place of the simulation's own; and what there is of that meanwhile
  MbsState state;
  MbsColumns columns;
  mbs_scalar *value, *gradient, *g, *g_column;
  mbs_scalar *turns;  // and previous ones
  // objectives where the step began, and integrands at all rates
  mbs_scalar *value_before, *gradient_before, *g_before, *g_column_before;
  mbs_scalar *G, *G_column;
} MbsDense;

// Are rows between steps meant and offered? Of settings that are complete.
bool mbs_dense_is_meant(const struct MbsSimulation *simulation);
MbsStatus mbs_dense_create(MbsContext *context, struct MbsSimulation *simulation);
// Around each step.
void mbs_dense_before_step(struct MbsSimulation *simulation);
void mbs_dense_after_step(struct MbsSimulation *simulation, const MbsStep *step);

// The next time of a row within the last step, after t (or its beginning): false: there is none.
bool mbs_dense_next(const struct MbsSimulation *simulation, double *t);
// The simulation is as it was at that time, to be looked at; until it returns to the end of the step.
MbsStatus mbs_dense_go(MbsContext *context, struct MbsSimulation *simulation, double t);
void mbs_dense_return(struct MbsSimulation *simulation);

// The first time of a row after t, and the last one before it; of times closer than rounding neither.
double mbs_dense_first_after(const struct MbsSimulation *simulation, double t);
double mbs_dense_last_before(const struct MbsSimulation *simulation, double t);

#endif
