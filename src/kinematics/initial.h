// The state at the start: position, velocity (and, by the formulation, acceleration) problems for the
// chosen independent coordinates, with their sensitivities.
//
//   position      Phi(q) = 0,  w(q) = w0(rho)             Newton from the guess
//   velocity      Phi_q v = -Phi_t, A v = -b, w_q v = w0dot(rho)
//   sensitivity   [Phi_q; w_q] q' = -[Phi_rho; w_rho - w0']                            (P2 (28))
//                 [Phi_q; A; w_q] v' = -[(Phidot)_q q' + (Phidot)_rho; likewise; likewise]  (P2 (29))
// Of redundant constraint rows only independent ones enter; the others must hold all the same. Nonholonomic rows leave
// fewer velocities than positions free: some of the rates w' follow. Without such rows both problems have one matrix.
#ifndef MBS_INITIAL_H
#define MBS_INITIAL_H

#include "kinematics/independent_set.h"

// An angle whose whole turns at the start an equation tells: constraint, or m + independent coordinate. turns.c
typedef struct MbsTurnCount {
  int equation, angle;
  MbsFunction principal;  // its principal value
} MbsTurnCount;

struct MbsEquilibrium;

typedef struct MbsInitial {
  MbsIndependentSet set;
  struct MbsEquilibrium *equilibrium;  // the start is one (equilibrium.h), or NULL
  int velocity_count;                  // of independent velocities = degrees of freedom
  int turn_count;
  MbsTurnCount *turn_counts;
  mbs_scalar *rhs, *levels;  // n x columns; m
  mbs_scalar *R;             // (n + m) x columns
  mbs_scalar *unused;        // the longer of nq and m
  MbsColumns columns;        // X, V, A, where constraints are redundant, or with trim, and states carry none along
} MbsInitial;

// `state` holds the guess. Chooses rows and checks that the independent coordinates fit.
MbsStatus mbs_initial_create(MbsContext *context, MbsSystem *system, const MbsState *state, MbsInitial **initial);
void mbs_initial_destroy(MbsInitial *initial);

// Positions and velocities, from the guess in the state. Unless it is the first time, angles go on from where they are.
MbsStatus mbs_initial_solve(MbsContext *context, MbsInitial *initial, MbsState *state, bool is_first);
// Their derivatives: X, V (nq per column), the fixed coordinates' too, of which also A.
MbsStatus mbs_initial_derivative(MbsContext *context, MbsInitial *initial, const MbsState *state, mbs_scalar *X,
                                 mbs_scalar *V, mbs_scalar *A);

// The redundant constraint that a column's parameter contradicts most. off: how much of its change is left over; 0:
// none is. opposition.c
typedef struct MbsOpposition {
  double off;
  int constraint, column;
} MbsOpposition;
// carried: X and V of the start; NULL: states carry none along, and they are found here.
MbsStatus mbs_initial_find_opposition(MbsContext *context, MbsInitial *initial, const MbsState *state,
                                      const MbsColumns *carried, MbsJacobian *jacobian, MbsOpposition *worst);

// The transpose: from the derivatives of a number with respect to q and v of the start to those with respect to fixed
// coordinates, coefficients and parameters. The state's matrices must be factored, and its signals evaluated.
MbsStatus mbs_initial_factor(MbsContext *context, MbsInitial *initial, const MbsState *state);
void mbs_initial_transposed(MbsInitial *initial, const MbsState *state, const MbsStateBar *bar);

// Nonholonomic rows: initial_velocity.c
// Which of them are redundant beside the constraints of the position problem, at a position where nothing is special.
MbsStatus mbs_initial_find_freedom(MbsContext *context, MbsInitial *initial, const MbsState *state,
                                   MbsJacobian *jacobian, MbsArena *scratch);
// Chooses the rows of the velocity problem at the assembled position.
MbsStatus mbs_initial_choose_velocities(MbsContext *context, MbsInitial *initial, const MbsState *state);
// Do redundant rows hold, and velocities that the user wrote although they follow?
MbsStatus mbs_initial_check_velocities(MbsContext *context, const MbsInitial *initial, const MbsState *state);

// ---- shared by the files of initial, and with equilibrium ----
// One of the problems.
typedef enum MbsLevel { MBS_OF_POSITION, MBS_OF_VELOCITY, MBS_OF_ACCELERATION } MbsLevel;
// Which values independent coordinates have in it.
typedef enum MbsStartPart {
  MBS_START_AS_GIVEN,         // those of the model
  MBS_START_AT_UNKNOWNS,      // the equilibrium, its unknowns as they are
  MBS_START_FROM_EQUILIBRIUM  // those of the model, but for unknowns
} MbsStartPart;
MbsStatus mbs_initial_solve_position(MbsContext *context, MbsInitial *initial, MbsState *state, bool is_first);
MbsStatus mbs_initial_solve_velocity(MbsContext *context, MbsInitial *initial, MbsState *state, bool is_first);
// X, V or A of a level, from the columns of those below it, whose signals are evaluated then; matrices must be
// factored.
void mbs_initial_solve_columns(MbsInitial *initial, const MbsState *state, MbsStartPart part, MbsLevel level,
                               const MbsColumns *columns);
// The transpose: bar of a level to those below it, to coefficients and parameters. Signals must be evaluated.
void mbs_initial_transpose(MbsInitial *initial, const MbsState *state, MbsStartPart part, MbsLevel level,
                           const MbsStateBar *bar);

// Memory for choosing rows, in the arena.
MbsStatus mbs_initial_begin(MbsContext *context, MbsArena *arena, MbsSystem *system, int count,
                            const MbsIndependentSpec *specs, MbsInitial **initial);

// What to say where the constraints contradict each other: which is off most.
MbsStatus mbs_initial_contradiction(MbsContext *context, const MbsInitial *initial, const MbsState *state);
// Are all constraints numbers at the guess?
MbsStatus mbs_initial_check_finite(MbsContext *context, const MbsInitial *initial, const MbsState *state);

// ---- whole turns of angles at the start: turns.c ----
// Which equation tells the turns of which angle, and how many they are at the guess.
MbsStatus mbs_turns_create(MbsContext *context, MbsInitial *initial, const MbsState *state);
// Angles are their principal values, as before a first run.
void mbs_turns_forget(const MbsInitial *initial);
// The turns that each equation needs to be as near to zero as it can be at this position.
void mbs_turns_tell(const MbsInitial *initial, const MbsState *state);
// Takes whole turns off a step of Newton's (q - step) that would make them, and counts them instead: true, if there are
// any, and the step must be solved for again.
bool mbs_turns_take(const MbsInitial *initial, const MbsState *state, const mbs_scalar *step);

// Near the guess, a position where the constraints hold and nothing is special: see admissible.c. It lives in the
// system's arena.
MbsStatus mbs_initial_generic_position(MbsContext *context, const MbsSystem *system, const MbsState *state,
                                       MbsJacobian *jacobian, MbsState *generic);

// Moves q to a position nearby where the constraints hold; is_admissible: it found one. admissible.c
MbsStatus mbs_initial_project(MbsContext *context, const MbsSystem *system, MbsState *state, bool *is_admissible);

#endif
