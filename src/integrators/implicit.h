// One step in time: the equations of a formulation, the rule of an integrator, and what follows.
//     q = qh + c0 a*,  v* = vh + c1 a*            rule.h
//     r(t, q, v*, a*, lambda) = 0                 Newton's iteration, newton.c
//     v, a = v*, a* projected                     projection.h, for formulations that project
// and, where constraints are redundant and the formulation allows that, lambda is the smallest that balances the
// forces.
//
// Pieces of a step around an event, where a formulation keeps Phi = 0 and projects nothing (index3). With steps of
// equal size h the velocities are off the constraints by some h^2 along M^-1 Phi_q', accelerations by h, and w_n is
// that of the time t_n + (am - af) h. A piece of size theta h begins with what is not its own, and so does the first
// step after a start, where w = a: what v, a and integrals are off by then depends on theta, as C(theta) h^2. That is
// of second order, but theta moves by t_e'/h with a parameter, so that derivatives would be off by C' t_e' h. So a
// piece is a step by the trapezoidal rule (w = a before and after it, off by h^3) whose v and a are projected with P =
// M, which takes away what is along M^-1 Phi_q': also what rounding leaves there of a short piece, eps |q| / (theta h)
// of v. The step after it begins anew with w = a, at a time and with a size that do not move.
#ifndef MBS_IMPLICIT_H
#define MBS_IMPLICIT_H

#include <stdint.h>

#include "formulations/formulation.h"
#include "integrators/projection.h"
#include "integrators/refinement.h"
#include "integrators/rule.h"
#include "integrators/stepper.h"

// What is known of a set of joints that act: implicit_mode.c.
typedef struct MbsJointMode {
  uint64_t acting;  // see mbs_system_acting
  bool has_redundancy;
} MbsJointMode;

// Factors of Newton's matrix that serve more steps than one, and what is known of how well they do: newton_factors.c
typedef struct MbsKeptFactors {
  mbs_scalar *values;  // of the matrix; NULL: never kept, of the complex twin and of instants
  int count;           // of them
  bool is_there;       // there is such a matrix
  bool is_at_hand;     // and the solver has its factors now
  bool is_new;         // it was made in the step before, or in this one
  mbs_scalar c0, c1;   // of the step that it belongs to
  double rest;         // see mbs_newton_rest
  int wait, pause;     // steps that do without them yet, and for how many the next failure means that
} MbsKeptFactors;

// What Newton's iteration goes on with.
typedef enum MbsFactors {
  MBS_FACTORS_NONE,  // nothing: before the next correction come new ones, and no solution is believed before it
  MBS_FACTORS_OLD,   // those of a step before: not solved yet, but soon
  MBS_FACTORS_LAST,  // the same, and after one more correction it is solved
  MBS_FACTORS_NEW    // those of this iteration
} MbsFactors;

// What solves the equations at one instant, and where it did so last.
typedef struct MbsInstant {
  MbsState stage;      // where r = 0 holds: q of the state, v*, a*, lambda
  mbs_scalar *lambda;  // m: of the stage where constraints are redundant, or may be later; else NULL, it is the state's
  mbs_scalar *v, *a;   // nq: of a stage that is projected; else NULL
  MbsSparseSolver *solver;  // of Newton's matrix, whose values are:
  mbs_scalar *tangent;
  MbsRefinement iteration;  // of it: whether it had to be relaxed
  MbsKeptFactors kept;
  // The same for the derivatives, at the state that solves the equations; where factors are kept and columns are
  // carried along it has a solver of its own, else Newton's
  MbsSparseSolver *exact;
  mbs_scalar *exact_tangent;
  MbsRefinement refinement;  // of solutions with it, where it is relaxed
  MbsProjector *projector;   // NULL: not needed
  bool is_recallable;        // the last solution: see mbs_implicit_recall
} MbsInstant;

enum { MBS_EXTRAPOLATED = 4 };  // degree of the polynomials that predict the next step

typedef struct MbsImplicit {
  MbsStepper base;
  MbsInstant *at;  // in hand: its own, or one of those that an explicit method has of each of its stages
  MbsInstant own;
  MbsFormulation *formulation;
  MbsRule rule, piece_rule;
  double tolerance;
  bool keeps_factors;   // of Newton's matrix from step to step: newton_factors.c
  bool is_approximate;  // Newton's matrix without the curvature of the constraints
  bool has_projections;
  bool is_piece;        // the step in hand is a projected piece
  bool has_redundancy;  // of the constraints: the smallest multipliers are meant
  bool has_room;        // for that, now or later
  uint64_t acting;      // the joints that act, where they come and go
  int mode_count, mode_capacity;
  MbsJointMode *modes;     // those that there have been
  bool has_reactions;      // some signal reads the state's total: what it costs to differentiate is worth it
  mbs_scalar *r;           // n + m
  mbs_scalar *correction;  // n + m: Newton's last
  mbs_scalar *R;           // (n + m) x columns
  // n + m each, in one block: the last accelerations and multipliers that solved r = 0, and their differences; how many
  // of these are known, and as far as they are used, of both
  mbs_scalar *previous[MBS_EXTRAPOLATED + 1];
  int previous_count, degree[2];
  mbs_scalar *old[3];              // n each: v, a and w before the step; where its size has a column, else NULL
  mbs_scalar *w, *W;               // auxiliary accelerations (nq) and their columns (nq each); NULL: a itself
  mbs_scalar *bar_a, *bar_lambda;  // nq, m: what the transpose has no use for
} MbsImplicit;

// Of the step in hand: its rule, whether it is projected, and the auxiliary accelerations before it (or their columns),
// NULL where they are a itself.
static inline const MbsRule *mbs_implicit_rule(const MbsImplicit *implicit) {
  return implicit->is_piece ? &implicit->piece_rule : &implicit->rule;
}
static inline bool mbs_implicit_projects(const MbsImplicit *implicit) {
  return implicit->has_projections || implicit->is_piece;
}
static inline mbs_scalar *mbs_implicit_before(const MbsImplicit *implicit, mbs_scalar *auxiliary) {
  return implicit->is_piece ? NULL : auxiliary;
}

extern const MbsStepperType mbs_implicit_type;

// has_redundancy: some constraints are redundant.
MbsStatus mbs_implicit_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                              bool has_redundancy, MbsImplicit *implicit);
void mbs_implicit_destroy(MbsImplicit *implicit);

// An instant for the implicit step, whose formulation and redundancy are known. instant.c
MbsStatus mbs_instant_create(MbsContext *context, const MbsImplicit *implicit, const MbsSettings *settings,
                             MbsInstant *instant);
// Where equations are solved that another matrix than its own belongs to: without solver, tangent and refinement.
MbsStatus mbs_instant_create_place(MbsContext *context, const MbsImplicit *implicit, const MbsSettings *settings,
                                   MbsInstant *instant);
void mbs_instant_destroy(MbsInstant *instant);
// It is the one in hand from now on.
void mbs_implicit_take_instant(MbsImplicit *implicit, MbsInstant *instant);
// Solves for a and all multipliers where q and v are given, as the start does, with factors that stay with the instant.
MbsStatus mbs_implicit_solve_instant(MbsContext *context, MbsImplicit *implicit, MbsState *state);

// Which joints act may have changed: before a start, whose position this is; and before anything else.
MbsStatus mbs_implicit_enter_mode(MbsContext *context, MbsImplicit *implicit, const MbsState *state);
void mbs_implicit_use_mode(MbsImplicit *implicit);
// Solves for a and the multipliers with q and v given: the start.
MbsStatus mbs_implicit_start(MbsContext *context, MbsImplicit *implicit, MbsState *state);
// One step of size h, to the time in the state. On failure the state is not usable.
MbsStatus mbs_implicit_step(MbsContext *context, MbsImplicit *implicit, mbs_scalar h, MbsState *state);

// The two halves of a step around Newton's iteration: where r = 0 is to hold, with the state's q (at the start also its
// v and a); and from there to the state, projected and with all its multipliers. h: of the step; 0: the start.
MbsState *mbs_implicit_stage(MbsImplicit *implicit, const MbsState *state, bool is_start);
MbsStatus mbs_implicit_finish(MbsContext *context, MbsImplicit *implicit, MbsState *state, mbs_scalar h);

// The second half again, for the transpose of a step whose projections were at their limits: the state has v, a, sigma
// and kappa as they were.
MbsStatus mbs_implicit_recall_limits(MbsContext *context, MbsImplicit *implicit, MbsState *state, mbs_scalar h);

// implicit_record.c: rows of the trajectory, where r = 0 holds and what projections gave; h: of the step, or 0. And
// what the next step depends on.
int mbs_implicit_row_size(const MbsImplicit *implicit);
void mbs_implicit_put_row(const MbsImplicit *implicit, const MbsState *state, mbs_scalar *row);
MbsStatus mbs_implicit_recall(MbsContext *context, MbsImplicit *implicit, mbs_scalar h, const mbs_scalar *row,
                              MbsState *state);
int mbs_implicit_save_size(const MbsImplicit *implicit);
void mbs_implicit_save(const MbsImplicit *implicit, mbs_scalar *to);
void mbs_implicit_restore(MbsImplicit *implicit, const mbs_scalar *from);
// As before the first run.
void mbs_implicit_forget(MbsImplicit *implicit);

// The derivatives of what start and step computed, with respect to the system's columns: exact, since they
// differentiate the discrete equations. start takes X and V and gives A and the multipliers' columns; step takes those
// of the old state and gives those of the new.
MbsStatus mbs_implicit_start_derivative(MbsContext *context, MbsImplicit *implicit, const MbsState *state,
                                        const MbsColumns *columns);
MbsStatus mbs_implicit_step_derivative(MbsContext *context, MbsImplicit *implicit, mbs_scalar h, const MbsState *state,
                                       const MbsColumns *columns);

// Their second half: from X, V, A, L of the stage, whose projector is factored, to the columns of the state.
void mbs_implicit_finish_derivative(const MbsImplicit *implicit, const MbsState *state, const MbsColumns *columns);

// Of an instant, by the factors that its solution has left: from X and V to A and L.
MbsStatus mbs_implicit_instant_derivative(MbsContext *context, MbsImplicit *implicit, const MbsState *state,
                                          const MbsColumns *columns);

// The transpose of these, implicit_transposed.c: from the derivatives of a number with respect to the new state (`bar`,
// and w of the auxiliary accelerations) to those with respect to the old one, or from A's to X's and V's at the start;
// what coefficients and parameters receive on the way is added to those of `bar`. `prepare` factors what all numbers
// need: the stage must be set and the state finished (as step leaves them).
MbsStatus mbs_implicit_prepare_transposed(MbsContext *context, MbsImplicit *implicit, mbs_scalar h);
void mbs_implicit_start_transposed(MbsImplicit *implicit, const MbsState *state, const MbsStateBar *bar, mbs_scalar *w);
void mbs_implicit_step_transposed(MbsImplicit *implicit, mbs_scalar h, const MbsState *state, const MbsStateBar *bar,
                                  mbs_scalar *w);
// The first half of a step's: from the derivatives with respect to the state to those with respect to q, v, a, lambda
// of its stage.
void mbs_implicit_finish_transposed(const MbsImplicit *implicit, const MbsState *state, const MbsStateBar *bar);
// The same of the equations at one instant alone, without projections: a and the multipliers solve r = 0 with
// q = qh + c0 a, v = vh + c1 a; from the derivatives with respect to the state to those with respect to qh and vh (in q
// and v of `bar`). Newton's matrix must be factored for c0 and c1.
void mbs_implicit_instant_transposed(MbsImplicit *implicit, mbs_scalar c0, mbs_scalar c1, const MbsState *state,
                                     const MbsStateBar *bar);

// Remembers a and lambda of a start or a step; those of the next step by the polynomials through the last ones.
void mbs_implicit_remember(MbsImplicit *implicit, const mbs_scalar *a, const mbs_scalar *lambda);
void mbs_implicit_extrapolate(const MbsImplicit *implicit, mbs_scalar *a, mbs_scalar *lambda);

// ---- newton.c ----
// How many units in the last place of the terms that cancel within f and e (mbs_terms_cancelling) their rounding may
// be: some tens of operations on each.
#define MBS_ROUNDINGS 16
enum { MBS_MOST_ITERATIONS = 40 };
// What is left of the equations of states of first order, each of which has a unit of its own, the largest; what is
// rounding of its rate counts as nothing.
double mbs_newton_states_left(const MbsSystem *system, const MbsState *state, mbs_scalar c1, const mbs_scalar *r,
                              double tolerance);
// What is left of the residual at a state, and how much that is.
typedef struct MbsNewtonLeft {
  double scale[2], part[2];  // of f and e: what they are made of, and the largest that is left, over that
  double states;             // of states of first order
  double largest;            // of all
  int worst;                 // the constraint of the largest e
} MbsNewtonLeft;
// c1 = dv/da; rest: see mbs_newton_rest. r (n + m) is set.
MbsNewtonLeft mbs_newton_measure(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                 mbs_scalar c1, double rest, double tolerance, mbs_scalar *r);
// Is what is left rounding, where it is not within the tolerance?
bool mbs_newton_is_rounding(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                            const MbsNewtonLeft *left, double tolerance, const mbs_scalar *r);
// Where nothing that is constrained accelerates, e is made of rounding alone: that of accelerations which forces of the
// size of f would give. So e counts against a thousandth of |Phi_q| / M times f at least, this factor; not where
// multipliers are a large number times e. values: of Newton's matrix.
double mbs_newton_rest(const MbsSystem *system, const MbsWeights *weights, const mbs_scalar *values);
// How far Newton's matrix, which has the weights of the residual else, is relaxed in each row where these are not.
void mbs_newton_set_relaxation(const MbsFormulation *formulation, const MbsWeights *weights, double *epsilon);
// Names the force that is not a finite number at the state.
MbsStatus mbs_newton_not_finite(MbsContext *context, const MbsSystem *system, const MbsState *state, bool is_step);
// What to say of the constraint (-1: none) that holds least where the iteration failed: nothing, unless it is a driver.
// Returns where that stands in the model.
// The matrix is singular: names what is not finite there, or says that.
MbsStatus mbs_newton_singular(MbsContext *context, const MbsSystem *system, const MbsState *state, bool is_step);
MbsPlace mbs_newton_suspect(const MbsSystem *system, int constraint, size_t size, char *text);
// The iteration has not come down to the tolerance.
MbsStatus mbs_newton_fails(MbsContext *context, const MbsSystem *system, int constraint, double t, double residual,
                           double tolerance);
// Assembles and factors the exact matrix at a state, for solutions by implicit->refinement.
MbsStatus mbs_newton_factor_exact(MbsContext *context, MbsImplicit *implicit, const MbsState *state, mbs_scalar c0,
                                  mbs_scalar c1);
// The same with other weights than the formulation's.
MbsStatus mbs_newton_factor_weighted(MbsContext *context, MbsImplicit *implicit, const MbsState *state,
                                     const MbsWeights *weights, mbs_scalar c0, mbs_scalar c1);
// ---- newton_factors.c ----
MbsStatus mbs_kept_factors_create(MbsContext *context, const MbsImplicit *implicit, MbsInstant *instant);
int mbs_kept_factors_save_size(const MbsKeptFactors *kept);
mbs_scalar *mbs_kept_factors_save(const MbsKeptFactors *kept, mbs_scalar *to);
const mbs_scalar *mbs_kept_factors_restore(MbsKeptFactors *kept, const mbs_scalar *from);
void mbs_kept_factors_forget(MbsKeptFactors *kept);
// Before the solver factors instant->tangent: for this step and those that follow.
void mbs_kept_factors_take(MbsInstant *instant, mbs_scalar c0, mbs_scalar c1);
// At the beginning of an iteration: with factors of old, which the solver then has, or with none.
MbsFactors mbs_kept_factors_begin(MbsInstant *instant, mbs_scalar c0, mbs_scalar c1);
// After so many corrections by factors of old, of which the last has left `residual` of `before`: with what to go on.
MbsFactors mbs_kept_factors_judge(MbsKeptFactors *kept, int corrections, double before, double residual,
                                  double tolerance);

// Newton's iteration on the residual; c0 = dq/da, c1 = dv/da.
MbsStatus mbs_newton_solve(MbsContext *context, MbsImplicit *implicit, mbs_scalar c0, mbs_scalar c1, MbsState *state);

#endif
