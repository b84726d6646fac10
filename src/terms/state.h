// The state of a system, its derivatives with respect to the columns, and their transpose.
#ifndef MBS_STATE_H
#define MBS_STATE_H

#include "algebra/scalar.h"
#include "model/blueprint.h"

typedef struct MbsState {
  mbs_scalar t;
  mbs_scalar *q, *v, *a;           // nq: free coordinates first; v and a of the fixed ones are zero unless they move
  mbs_scalar *lambda;              // m: multipliers of the step's equations
  mbs_scalar *sigma, *kappa;       // m: of the velocity and acceleration projections; zero where there are none
  mbs_scalar *total;               // m: multipliers that balance inertia and forces at this state: the reactions' ones
  const mbs_scalar *local, *base;  // nq, or both NULL: q = local + base before it was rounded, base far away
} MbsState;

// d/drho of a state, column by column: nq each for X, V, A, and m each for the multipliers. In calls a NULL array
// stands for zeros.
typedef struct MbsColumns {
  mbs_scalar *X, *V, *A;
  mbs_scalar *L, *S, *K, *T;  // of lambda, sigma, kappa, total
} MbsColumns;

// The derivative of a number with respect to a state (nq each, m each), to every coefficient of the system, and to
// every parameter that expressions name themselves, and (gradient) to columns past all of these: see
// mbs_system_fixed_transposed. In calls a NULL array is not wanted.
typedef struct MbsStateBar {
  mbs_scalar *q, *v, *a;
  mbs_scalar *lambda, *sigma, *kappa, *total;
  mbs_scalar *coefficients, *parameters, *gradient;
} MbsStateBar;

static inline mbs_scalar *mbs_state_multipliers(const MbsState *state, MbsMultiplierKind kind) {
  mbs_scalar *const all[] = {state->lambda, state->sigma, state->kappa, state->total};
  return all[kind];
}

static inline mbs_scalar *mbs_columns_multipliers(const MbsColumns *columns, MbsMultiplierKind kind) {
  mbs_scalar *const all[] = {columns->L, columns->S, columns->K, columns->T};
  return all[kind];
}

static inline mbs_scalar *mbs_bar_multipliers(const MbsStateBar *bar, MbsMultiplierKind kind) {
  mbs_scalar *const all[] = {bar->lambda, bar->sigma, bar->kappa, bar->total};
  return all[kind];
}

#endif
