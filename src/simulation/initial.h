// The state at the start: position, velocity (and, by the formulation, acceleration) problems for the
// chosen independent coordinates, with their sensitivities.
//
//   position      Phi(q) = 0,  w(q) = w0(rho)             Newton from the guess
//   velocity      Phi_q v = -Phi_t, w_q v = w0dot(rho)
//   sensitivity   [Phi_q; w_q] q' = -[Phi_rho; w_rho - w0']                    (P2 (28))
//                 [Phi_q; w_q] v' = -[(Phidot)_q q' + (Phidot)_rho; likewise]  (P2 (29))
// Of redundant constraint rows only independent ones enter; the others must hold all the same.
#ifndef MBS_INITIAL_H
#define MBS_INITIAL_H

#include "algebra/sparse_solver.h"
#include "simulation/jacobian.h"

typedef struct MbsIndependent {
  const char *name;
  MbsPlace place;
  MbsFunction w, rate;  // rate: w'
  bool is_angle;        // w counts modulo a whole turn while assembling
  bool has_value;       // else as placed: start_value
  mbs_scalar start_value;
} MbsIndependent;

typedef struct MbsInitial {
  MbsSystem *system;
  int count;  // of independent coordinates = degrees of freedom
  MbsIndependent *independents;
  bool is_automatic;   // they were chosen here
  int *automatic;      // the coordinates, when they are plain coordinates
  bool *is_redundant;  // by constraint row
  int redundant_count;
  int *rows;  // the n rows of the square problem: constraint k, or m + independent k
  MbsPattern pattern;
  MbsSparseSolver *solver;
  const int *row_of;                    // 1 + row of the square problem, by constraint; 0: not in it
  mbs_scalar *values, *tangent;         // of the square matrix; of the system's (each with its bin)
  mbs_scalar *rhs, *gradient, *levels;  // n x columns; nq; m
  mbs_scalar *R;                        // (n + m) x columns
} MbsInitial;

// `state` holds the guess. Chooses rows and checks that the independent coordinates fit.
MbsStatus mbs_initial_create(MbsContext *context, MbsSystem *system, const MbsState *state, MbsInitial **initial);
void mbs_initial_destroy(MbsInitial *initial);

// w of an independent coordinate; signals must be evaluated at the state.
mbs_scalar mbs_initial_value(const MbsInitial *initial, int index, const MbsState *state);
// dw/dq of one that the user gave, in initial->gradient; likewise.
void mbs_initial_gradient(const MbsInitial *initial, int index, const MbsState *state);

// Positions and velocities, from the guess in the state. Unless it is the first time, angles go on from where they are.
MbsStatus mbs_initial_solve(MbsContext *context, MbsInitial *initial, MbsState *state, bool is_first);
// Their derivatives: X, V (nq per column), the fixed coordinates' too, of which also A.
MbsStatus mbs_initial_derivative(MbsContext *context, MbsInitial *initial, const MbsState *state, mbs_scalar *X,
                                 mbs_scalar *V, mbs_scalar *A);

// Moves q to a position nearby where the constraints hold; is_admissible: it found one. admissible.c
MbsStatus mbs_initial_project(MbsContext *context, const MbsSystem *system, MbsState *state, bool *is_admissible);

#endif
