// Equilibrium and steady motion, as the start of a run or by itself.
//
// The start's independent coordinates w (initial.h) are the unknowns z: q(z) from the position problem, v(z) from the
// velocity problem with rates w' that are zero (or, in a steady motion, those of the start), a(z) with w'' = 0. Of a
// state of first order the unknown is its value, which is a rate here (model/first_order.c), and its w'' its own rate.
//     F(z) = R' (M a - Q)(q(z), v(z), a(z), rho) = 0
// with R the columns of Kv^-1 that belong to independent rates: the forces along them, and the multipliers besides, are
//     Kv' [-lambda; F] = M a - Q.
// At rest F = -R' Q, in a conservative model dV/dz.
//
// Derivatives. By an unknown, with lambda as it is (R' Phi_q' = 0 takes its change away):
//     X = K^-1 e,   Kv V = -(rates)_q X (+ e),   Kv A = -(accelerations)_q X - (..)_v V,   J = R' (f_q X + f_v V + f_a
//     A)
// and the same with parameters in place of e gives F_rho; z' = -J^-1 F_rho. The adjoint is the transpose of just that.
//
// What is free without consequence (a car on its tyres: x, y, yaw) shows as dependent columns of J: those coordinates
// keep the value of the start, and are reported. Equations are chosen likewise: as many rows of J as unknowns are left;
// the others must hold all the same.
//
// Trim: parameters u are found with z, and as many conditions C(q, v, a, lambda, rho, u) = 0 with F = 0. A column of J
// for each u is what a column of parameters is, at fixed z; multipliers change by
//     Kv' [-dlambda; dF] = f_q X + f_v V + f_a A + f_rho
// and rows of J for C follow from the gradient of C. Of the results u moves with the parameters: u' of J (z', u').
#ifndef MBS_EQUILIBRIUM_H
#define MBS_EQUILIBRIUM_H

#include "algebra/dense.h"
#include "kinematics/initial.h"

// Where laws bend the side that a run holds between events has to be that of a state, between two of which a search
// goes.
typedef void MbsBendsFollow(void *user, const MbsState *state);

typedef struct MbsEquilibrium {
  bool is_found;          // the start is one: by the last call of mbs_initial_solve
  bool is_alone;          // the start is that and nothing else: its rates are not those that the model gives a run
  bool is_steady;         // rates are those of the start; else zero
  int count;              // of independent coordinates
  int solved_count;       // of parameters u, and of conditions C
  int unknown_count;      // both: z, then u; and F, then C
  MbsState state;         // at equilibrium; its velocities need not be those of the start
  mbs_scalar *z;          // unknown_count: the unknowns
  mbs_scalar *first;      // count: their values at the start
  mbs_scalar *force;      // unknown_count: F by independent coordinate; zero where the rate is not independent; then C
  mbs_scalar *J;          // unknown_count x unknown_count, by rows
  mbs_scalar *X, *V, *A;  // unknown_count columns of nq: by each unknown
  mbs_scalar *L;          // and of m: of the multipliers; where there is trim
  double *mass;           // count: X' M X, what unknowns are measured with
  double *size;           // count: of the forces that cancel in F
  bool *is_given;         // count: held because the model says so
  bool *is_free;          // unknown_count: solved for
  int free_count;
  bool *is_taken;                 // unknown_count: equations, while they are chosen
  int *free, *rows;               // free_count: unknowns, and the equations that are taken for them
  mbs_scalar *factor;             // free_count squared: J of these
  int *pivot;                     // likewise
  mbs_scalar *work;               // count x n
  mbs_scalar *slope_q, *slope_v;  // nq
  mbs_scalar *step, *trial;       // unknown_count
  mbs_scalar *kept, *kept_z;      // nq, unknown_count: to come back to
  double *kept_angles;            // of the bank of signals: angles at the start, with their turns
  double *matrix, *right;         // unknown_count squared, unknown_count: what decisions look at
  int *order;                     // 2 count
  bool has_slopes;                // J, X, V, A are those of the state
  MbsBendsFollow *follow_bends;   // NULL: nothing is held between events
  void *user;                     // of that
  MbsColumns columns;             // X, V, A of the parameters, at fixed unknowns
  mbs_scalar *slopes;             // z', count by column
  MbsStateBar bar;                // what the state of equilibrium receives
  mbs_scalar *z_bar;              // unknown_count
  int *solved, *solved_column;    // solved_count: parameters, and their columns
  MbsFunction *conditions;        // solved_count
  MbsStateBar *gradients;         // of these at the state; `gradient` is by column, explicitly
  mbs_scalar *guess;              // solved_count: values of u that the search begins with
  double *solved_size;            // and what they are measured with
  mbs_scalar *solved_slopes;      // u', solved_count by column
  bool has_last;                  // searches begin at another equilibrium, that was found before:
  mbs_scalar *last_q, *last_z;    // n, unknown_count
  bool *was_free;                 // count: solved for there
  // what is said of it
  int iterations;
  double residual;  // the largest |F| over the size of the forces
  double moved;     // how far it is from the last one: in sizes of the mechanism, or in radians
} MbsEquilibrium;

// Of a start; with trim, where the blueprint has any. It is NULL for starts that are as written.
MbsStatus mbs_equilibrium_create(MbsContext *context, MbsInitial *initial, bool is_steady, bool is_alone);
// Other values of the parameters have been set: those of u are where the search begins.
void mbs_equilibrium_take_guess(const MbsInitial *initial);
// Before a start, or another position: none has been found, and (is_first) values of unknowns are those of the model.
void mbs_equilibrium_forget(MbsInitial *initial, bool is_first);
// The equilibrium that was found is where searches to come begin, in place of the start: one is followed while numbers
// change (sensitivities/equilibrium_sweep_bridge.c). What is held keeps the value of the start all the same.
void mbs_equilibrium_go_on(const MbsInitial *initial);
// Positions of the last one to the state; false: there is none.
bool mbs_equilibrium_recall(const MbsInitial *initial, MbsState *state);
// From the assembled start, in `state`, to the equilibrium: its positions, and unknown rates, become those of the
// start.
MbsStatus mbs_equilibrium_solve(MbsContext *context, MbsInitial *initial, MbsState *state);
// Derivatives of its positions by the columns of the system: X (nq each), and in equilibrium->slopes those of unknowns.
MbsStatus mbs_equilibrium_derivative(MbsContext *context, MbsInitial *initial, mbs_scalar *X);
// The transpose, of mbs_initial_transposed: `start` is the state of the run, whose matrices must be factored.
void mbs_equilibrium_transposed(MbsInitial *initial, const MbsState *start, const MbsStateBar *bar);

// The motion about it to first order, x' = matrix x, plain numbers by rows: x has the positions w that some force
// depends on, then the independent rates, states of first order among them. order 0: some motion has no mass.
//     w' = rate,     M u' = -(J w + C u),   C, M: F by rates and by accelerations, as J by positions
MbsStatus mbs_equilibrium_linearise(MbsContext *context, MbsInitial *initial, MbsArena *arena, int *order,
                                    double **matrix);

// ---- shared by the files of equilibrium ----
// The state that belongs to z, and F; with J, X, V, A where they are wanted.
MbsStatus mbs_equilibrium_evaluate(MbsContext *context, MbsInitial *initial, bool with_slopes);
// f (n or more) becomes Kv^-T f, of which `force` has the part that belongs to each independent coordinate.
void mbs_equilibrium_reduce(const MbsInitial *initial, mbs_scalar *f, mbs_scalar *force);
// Chooses unknowns and equations at the present J. equilibrium_choice.c
void mbs_equilibrium_choose(const MbsInitial *initial);
// J of these, factored: false, if it is singular.
bool mbs_equilibrium_factor(MbsInitial *initial);
// How far a step takes the body that goes farthest: in sizes of the mechanism, or in radians.
double mbs_equilibrium_length(const MbsInitial *initial, double size, int count, const int *unknowns,
                              const double *step);

// After a step from `kept` with slopes at its end: has the mechanism moved as these say? Beyond a dead centre of a
// coordinate it is on another branch, where they say the opposite.
bool mbs_equilibrium_is_same_branch(const MbsInitial *initial, double size, int count, const int *unknowns,
                                    const double *step);

// ---- trim: equilibrium_trim.c ----
MbsStatus mbs_equilibrium_trim_create(MbsContext *context, MbsInitial *initial);
// u in the unknowns to the system, and what depends on it at once.
void mbs_equilibrium_put_solved(MbsInitial *initial);
// Conditions at the state, to `force`; their gradients; columns of J for u, and rows for conditions.
void mbs_equilibrium_evaluate_conditions(MbsInitial *initial);
void mbs_equilibrium_find_solved_slopes(MbsInitial *initial);
// X, V, A of all columns at fixed unknowns, u among them, and F_rho (R, n + m by column).
void mbs_equilibrium_find_columns(MbsInitial *initial);
// C_rho of a column, whose F_rho is reduced (f): one number for each condition.
void mbs_equilibrium_condition_slopes(const MbsInitial *initial, int column, const mbs_scalar *f, mbs_scalar *slopes);
// What u receives, of a number whose bar at the start this is, all but through z; to z_bar.
void mbs_equilibrium_collect_solved(MbsInitial *initial, const MbsStateBar *bar);
// Newton's method with steps as long as they help, from the present unknowns; is_there: to the end, but for rounding.
MbsStatus mbs_equilibrium_trim(MbsContext *context, MbsInitial *initial, double size, bool *is_there);
// A condition that tells nothing, or an unknown that nothing tells; -1: each tells one.
int mbs_equilibrium_find_idle(const MbsInitial *initial, bool *is_condition);

#endif
