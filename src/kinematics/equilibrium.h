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
#ifndef MBS_EQUILIBRIUM_H
#define MBS_EQUILIBRIUM_H

#include "algebra/dense.h"
#include "kinematics/initial.h"

typedef struct MbsEquilibrium {
  bool is_found;          // the start is one: by the last call of mbs_initial_solve
  bool is_alone;          // the start is that and nothing else: its rates are not those that the model gives a run
  bool is_steady;         // rates are those of the start; else zero
  bool may_hold;          // what is held may need a force: it is looked at by the caller, who moves parameters (trim)
  int count;              // of independent coordinates
  MbsState state;         // at equilibrium; its velocities need not be those of the start
  mbs_scalar *z;          // count: the unknowns
  mbs_scalar *first;      // count: their values at the start
  mbs_scalar *force;      // count: F by independent coordinate; zero where the rate is not independent
  mbs_scalar *J;          // count x count, by rows: dF/dz
  mbs_scalar *X, *V, *A;  // count columns of nq: by each unknown
  double *mass;           // count: X' M X, what unknowns are measured with
  double *size;           // count: of the forces that cancel in F
  bool *is_given;         // count: held because the model says so
  bool *is_free;          // count: solved for
  int free_count;
  bool *is_taken;                 // count: equations, while they are chosen
  int *free, *rows;               // free_count: unknowns, and the equations that are taken for them
  mbs_scalar *factor;             // free_count squared: J of these
  int *pivot;                     // likewise
  mbs_scalar *work;               // count x n
  mbs_scalar *slope_q, *slope_v;  // nq
  mbs_scalar *step, *trial;       // count
  mbs_scalar *kept;               // nq: positions to come back to
  double *matrix, *right;         // count squared, count: what decisions look at
  int *order;                     // 2 count
  bool has_slopes;                // J, X, V, A are those of the state
  MbsColumns columns;             // X, V, A of the parameters, at fixed unknowns
  mbs_scalar *slopes;             // z', count by column
  MbsStateBar bar;                // what the state of equilibrium receives
  mbs_scalar *z_bar;              // count
  bool has_last;                  // searches begin at another equilibrium, that was found before:
  mbs_scalar *last_q, *last_z;    // n, count
  bool *was_free;                 // count: solved for there
  // what is said of it
  int iterations;
  double residual;  // the largest |F| over the size of the forces
  double moved;     // how far it is from the last one: in sizes of the mechanism, or in radians
} MbsEquilibrium;

// Of a start. It is NULL for starts that are as written.
MbsStatus mbs_equilibrium_create(MbsContext *context, MbsInitial *initial, bool is_steady, bool is_alone);
// Before a start, or another position: none has been found, and (is_first) values of unknowns are those of the model.
void mbs_equilibrium_forget(const MbsInitial *initial, bool is_first);
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

#endif
