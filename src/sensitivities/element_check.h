// The derivatives of each element by itself, against the complex step: where verify looks for what is wrong.
//
// Elements are the masses, constraints and forces of a system (mbs_system_isolate) and behind them the objectives. At a
// state, along a direction (c0 u, c1 u, c2 u, l, s) of q, v, a, lambda and total and p of all parameters, the complex
// step gives r' of an element's part of the residual; three products must give the same:
//     direct     r_q c0 u + r_v c1 u + r_a c2 u + r_lambda l + r_rho p      product with columns
//     adjoint    y.r' = what the bars of y give times the direction         transposed product
//     matrix     T (u, l) + r_rho p                                         assembled, T = c0 r_q + c1 r_v + c2 r_a
// Double only: it calls the complex twin.
#ifndef MBS_ELEMENT_CHECK_H
#define MBS_ELEMENT_CHECK_H

#include <stdint.h>

#include "sensitivities/twin.h"
#include "simulation/simulation.h"

typedef enum MbsProduct { MBS_PRODUCT_DIRECT, MBS_PRODUCT_ADJOINT, MBS_PRODUCT_MATRIX, MBS_PRODUCTS } MbsProduct;

// The largest difference, and the largest number it is a difference of.
typedef struct MbsMismatch {
  double error, size;
} MbsMismatch;

// Parts of a direction; from MBS_DIRECTION_COLUMN on, one for each column of the system.
typedef enum MbsDirectionPart {
  MBS_DIRECTION_ALL = -1,
  MBS_DIRECTION_POSITIONS,
  MBS_DIRECTION_VELOCITIES,
  MBS_DIRECTION_ACCELERATIONS,
  MBS_DIRECTION_MULTIPLIERS,
  MBS_DIRECTION_TOTALS,
  MBS_DIRECTION_COLUMN
} MbsDirectionPart;

// A direction of the state and of all parameters.
typedef struct MbsProbeDirection {
  double c[3], *u;  // n: c0 u of q, c1 u of v, c2 u of a
  double *l, *s;    // m: of lambda, and of total
  double *p;        // by parameter
} MbsProbeDirection;

typedef struct MbsElementCheck {
  const MbsSimulation *simulation;  // with the parameters to differentiate by, one at least, as its columns
  MbsProbe *twin;
  int element_count;  // objectives included
  MbsState at;
  MbsProbeDirection whole, along;  // along: what is compared, the whole or a part of it
  int part;                        // which
  double *dq, *dv, *da;            // nq: of q, v, a
  MbsColumns fixed;                // the fixed coordinates' columns
  double *R;                       // (n + m) x columns
  double *r, *y;                   // n + m
  double *reference;               // likewise, by the complex step
  double *matrix;
  MbsStateBar bar;
  double *gradient;  // columns
} MbsElementCheck;

// The simulation must not have started: at each state its angles have the whole turns that bring them next to where the
// start expects them, like those of the twin, which has not started either.
MbsStatus mbs_element_check_create(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                   const MbsSimulation *simulation, MbsElementCheck *check);
void mbs_element_check_destroy(MbsElementCheck *check);

// A random state near one of a run, off the constraints too, and a random direction. Each call uses up the seed.
void mbs_element_check_choose(MbsElementCheck *check, const MbsState *near, uint64_t *seed);
// What is compared from now on: MBS_DIRECTION_ALL, or one part.
void mbs_element_check_take_part(MbsElementCheck *check, int part);
// How far each product of an element is off; nothing, where the complex step has no finite value.
void mbs_element_check_compare(const MbsElementCheck *check, int element, MbsMismatch off[MBS_PRODUCTS]);

#endif
