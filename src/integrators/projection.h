// Projections onto the constraints of velocities and accelerations, and the balance of forces: all three are
//     P u + Abar' sigma_i = p,   Abar u + s - epsilon (sigma_i - sigma_{i-1}) = 0,      i = 1, 2, ..., sigma_0 = 0
// with one matrix S = [P Abar'; Abar -epsilon], Abar holonomic and nonholonomic rows.
//
//   velocity       u = v - v*,  p = 0,        s = Abar v* + bbar               P0 (13), sigma
//   acceleration   u = a - a*,  p = 0,        s = d/dt(Abar v + bbar) at a*     P0 (15), kappa
//   balance        u -> 0,      p = Q - M a,  s = 0                             multipliers that hold the forces
//   total          the same at the projected state                              where lambda + kappa do not hold them
//
// P0's iteration (13) is this one with alpha = 1 / epsilon, sigma kept as an unknown. Each iteration shrinks the rest
// Abar u + s by a factor of the size of epsilon over Abar P^-1 Abar': two suffice. Redundant rows are no obstacle:
// sigma_i stays in the range of Abar, so it is the smallest of all that do the same. That defines multipliers as
// functions of the state where constraints are redundant.
//
// What is differentiated are the iterations, as many as there were. Where no row is redundant and they have converged,
// that is the limit, the solution with epsilon = 0: one system to differentiate instead of several, from u and sigma
// alone. (Of redundant rows the limit does not tell how sigma turns with the range of Abar; the iterations do.)
//
// P is the mass matrix (17), or M - c1 Q_v - c0 Q_x (18) with Q_v and Q_x at the converged (q, v*) of the step. P0 (18)
// also takes the nonholonomic penalty off, which moves sigma by a multiple of s and leaves v and a as they are. With
// the size h of the step it moves by P_h = -(c1_h Q_v + c0_h Q_x).
//
// With P = M the sum of the step's equations and (15) is M a + Abar' (lambda + kappa) = Q: these multipliers are the
// reactions'. With (18) that sum has (P - M)(a - a*) in it, so the reactions' multipliers are found by a balance of
// their own, at the state as it is printed.
#ifndef MBS_PROJECTION_H
#define MBS_PROJECTION_H

#include <stdint.h>

#include "algebra/sparse_solver.h"
#include "integrators/refinement.h"
#include "integrators/rule.h"
#include "terms/terms.h"

typedef enum MbsProjectionKind {
  MBS_PROJECT_VELOCITY,
  MBS_PROJECT_ACCELERATION,
  MBS_PROJECT_BALANCE,
  MBS_PROJECT_TOTAL,
  MBS_PROJECTION_KINDS
} MbsProjectionKind;

// What the iterations were: needed to differentiate them.
typedef struct MbsProjectionRecord {
  int count;
  bool is_limit;      // the last is the limit, and no row is redundant: the last alone is needed
  mbs_scalar *u;      // count x nq
  mbs_scalar *sigma;  // count x m
} MbsProjectionRecord;

typedef struct MbsProjector {
  const MbsSystem *system;
  double epsilon;
  int wanted;             // iterations of projections; 0 or less: until they converge
  bool is_tangent;        // P of (18)
  bool has_redundancy;    // of rows
  mbs_scalar c0, c1;      // of P; zero for (17)
  mbs_scalar c0_h, c1_h;  // their derivatives with respect to the size of the step
  MbsState at;            // where P was assembled
  mbs_scalar *known;      // nq + 1: q and t there, while the factors are those of P = M; and
  uint64_t epoch;         // of the parameters there (workspace.h); 0: they are not
  MbsColumns columns_at;  // X and V there; is_tangent only
  mbs_scalar *bar_at;     // nq: what v there receives in the transposes; is_tangent only
  MbsSparseSolver *solver;
  mbs_scalar *matrix;
  mbs_scalar *r;                             // n + m
  mbs_scalar *R;                             // (n + m) x columns
  MbsRefinement refinement;                  // of solutions with S, to those with epsilon = 0
  mbs_scalar *sigma_rho;                     // m x columns: of the iteration before
  mbs_scalar *moving, *work_nq, *unused_nq;  // nq
  mbs_scalar *unused_m;                      // m
  mbs_scalar *of_size[3];                    // nq, nq, n + m: see mbs_projector_by_size; NULL: not asked for
  MbsProjectionRecord records[MBS_PROJECTION_KINDS];
} MbsProjector;

// is_tangent: with P of (18); has_redundancy: of rows.
MbsStatus mbs_projector_create(MbsContext *context, const MbsSystem *system, double epsilon, int wanted,
                               bool is_tangent, bool has_redundancy, MbsProjector **projector);
void mbs_projector_destroy(MbsProjector *projector);

// Assembles and factors S at a state, which the derivatives look at again: its q and v (that is v*) must still be
// there. rule, h: of the step; they count for P of (18) alone. h = 0: the start, where P is M.
MbsStatus mbs_projector_factor(MbsContext *context, MbsProjector *projector, const MbsState *state, const MbsRule *rule,
                               mbs_scalar h);
// Are the factors at hand those of [M Abar'; Abar -epsilon] at just this position and time?
bool mbs_projector_is_at(const MbsProjector *projector, const MbsState *state);

// The state's v (or a) onto the constraints; its sigma (or kappa).
void mbs_project_velocity(MbsProjector *projector, MbsState *state);
void mbs_project_acceleration(MbsProjector *projector, MbsState *state);
// Were both at their limits? Then their transposes need no more than the stage, where S is factored again, and the
// state that came out.
bool mbs_projector_is_at_limits(const MbsProjector *projector);
MbsStatus mbs_projector_recall(MbsContext *context, MbsProjector *projector, const MbsState *stage, const MbsRule *rule,
                               mbs_scalar h, const MbsState *state);
// The smallest multipliers that balance inertia and forces at the state, into `multipliers` (m). kind:
// MBS_PROJECT_BALANCE or MBS_PROJECT_TOTAL, whose record it becomes.
void mbs_project_balance(MbsProjector *projector, MbsProjectionKind kind, const MbsState *state,
                         mbs_scalar *multipliers);

// P_h u (n), where the derivative with respect to the size of the step is asked for; else NULL, as where it is zero.
const mbs_scalar *mbs_projector_by_size(const MbsProjector *projector, const mbs_scalar *u);

// Before their derivatives: X and V of the state at which S was factored. X must stay as it is, V is copied.
void mbs_projector_take_columns(MbsProjector *projector, const MbsColumns *columns);
// Their derivatives, for the state they were computed from and S factored there. velocity: V holds that of v*, and
// becomes that of v; S that of sigma. acceleration: likewise with A and K. balance: from X, V, A to `multipliers`.
void mbs_project_velocity_derivative(MbsProjector *projector, const MbsState *state, const MbsColumns *columns);
void mbs_project_acceleration_derivative(MbsProjector *projector, const MbsState *state, const MbsColumns *columns);
void mbs_project_balance_derivative(MbsProjector *projector, MbsProjectionKind kind, const MbsState *state,
                                    const MbsColumns *columns, mbs_scalar *multipliers);

// Their transposes. velocity: from the derivatives with respect to v and sigma to those with respect to v* (in bar->v)
// and q; acceleration likewise; balance: from those of `multipliers` (used up) to q, v, a. Coefficients and parameters
// of `bar` receive theirs.
void mbs_project_velocity_transposed(MbsProjector *projector, const MbsState *state, const MbsStateBar *bar);
void mbs_project_acceleration_transposed(MbsProjector *projector, const MbsState *state, const MbsStateBar *bar);
void mbs_project_balance_transposed(MbsProjector *projector, MbsProjectionKind kind, const MbsState *state,
                                    mbs_scalar *multipliers, const MbsStateBar *bar);
// After the last of them in a step, bar->v being that of v*: adds what v* has received through P.
void mbs_projector_give_bar(MbsProjector *projector, const MbsStateBar *bar);

#endif
