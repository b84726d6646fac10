// What makes a step: one interface of all steppers. Simulation, direct differentiation and the adjoint see nothing
// else.
//
//   implicit.c    all coordinates, with the equations of a formulation         penalty, index1, ali1, index3, ali3p
//   reduced.c     independent coordinates alone                                matrix-r
//   explicit.c    all coordinates, by the stages of an explicit method         penalty, index1, ali1
//   coupled.c     all coordinates, by the stages of an implicit method         penalty, index1, ali1, index3, ali3p
//   kinematic.c   positions that drivers prescribe, each found anew            kinematics
//
// A stepper hands a state y = (q, v, a, multipliers) from step to step, y1 = F(y0, h, t1; rho), and what it carries
// along besides (auxiliary accelerations, the last steps for extrapolation, sets of coordinates): that it can save and
// restore. Step 0 is the start: accelerations and multipliers where positions and velocities are given. Pieces of steps
// around events may be steps of another kind, with projections (implicit.h): they start anew at their end.
//
// F's derivative takes columns Y = dy/drho along. F's transpose takes, for a number psi, the derivatives with respect
// to the new state (`bar`), and those with respect to what is carried along (`carry`), to those of the old one; what
// coefficients and parameters receive is added to those of `bar`. For it each step leaves a row on the trajectory, from
// which `recall` brings back what the transpose looks at.
//
// Integrals of what a state has, g, are sums of h w g over points of each step: both its ends, and points between them,
// where a method has such (its stages). Of the trapezoidal rule w is 1/2 at both ends, and there are none between.
#ifndef MBS_STEPPER_H
#define MBS_STEPPER_H

#include "formulations/formulation.h"
#include "integrators/path.h"

typedef struct MbsStepper {
  const struct MbsStepperType *type;
  long iterations;  // of Newton, so far
  // A start on the way, after an event: what is known of it. Forces alone jump, positions, velocities and constraints
  // stay; and the steps before and after it are of the same size.
  bool do_forces_jump, is_even;
  bool projects_pieces;  // pieces must say that they are such (MbsStep.is_projected)
  int carry_size;        // of a carry
  // Of a run with equal steps h the error of any smooth number expands in powers of h: order, order + gap, order + 2
  // gap, ...; a rule that is the same backwards has even ones alone. Measured: docs/accuracy.md
  int order, gap;
  int error_order;  // the power of h in `error`
  int row_size;     // of a row of the trajectory
  double ends[2];   // of integrals: weights of a step's beginning and of its end,
  int point_count;  // and how many points there are between them
  int set_count;    // matrix-r: of independent coordinates, as paths count them
  const MbsSetChoice *sets;
} MbsStepper;

// A point between the ends of the last step.
typedef struct MbsPoint {
  const MbsState *state;
  MbsColumns columns;  // where they are carried along; that of the step's size is one at the time of the point
  double weight;       // w
  double ahead;        // its time is that of the end of the step less `ahead` h
} MbsPoint;

// States between the ends of a step, by an interpolation of its rates: dense output.
typedef struct MbsInterpolation {
  // After a step was made (and differentiated, where columns are not NULL), before anything else is done: what it takes
  // beside the stages.
  MbsStatus (*prepare)(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                       const MbsColumns *columns);
  // The state at t_begin + theta h, 0 < theta < 1, with accelerations and multipliers that solve the equations of
  // motion there; and its columns. The size and the time of the step are constants.
  MbsStatus (*find)(MbsContext *context, MbsStepper *stepper, const MbsStep *step, double theta, MbsState *at,
                    const MbsColumns *columns);
  // Where rates count: so many states, the first one at the beginning; one of them with its columns; and what each
  // counts at theta: integrals are h sum w g.
  int (*count)(const MbsStepper *stepper);
  MbsPoint (*point)(const MbsStepper *stepper, int index);
  void (*weights)(const MbsStepper *stepper, double theta, double *weights);
} MbsInterpolation;
enum { MBS_MOST_RATES = 16 };

// Where the equations of motion have adjoint equations of their own: x'' = s(x, x') for as many coordinates x as
// `count` says, all of them or independent ones. adjoint_continuous.c
typedef struct MbsBackward {
  int (*count)(const MbsStepper *stepper);
  // Factors the equations at one instant with x = xh + c0 s, x' = xh' + c1 s.
  MbsStatus (*factor)(MbsContext *context, MbsStepper *stepper, int set, mbs_scalar c0, mbs_scalar c1,
                      const MbsState *state);
  // From what the state (`bar`, used up) and s receive to what xh and xh' do.
  void (*solve)(MbsStepper *stepper, mbs_scalar c0, mbs_scalar c1, const MbsState *state, const MbsStateBar *bar,
                const mbs_scalar *s, mbs_scalar *x, mbs_scalar *rate);
  // From what x and x' (of a set, one after the other in mu) receive to what the state does.
  void (*give)(MbsStepper *stepper, int set, const MbsState *state, const MbsStateBar *bar, mbs_scalar *mu);
} MbsBackward;

typedef struct MbsStepperType {
  void (*destroy)(MbsStepper *stepper);
  // The accelerations and multipliers of the start, and what is decided there. sets: those of a path that is followed,
  // or NULL.
  MbsStatus (*start)(MbsContext *context, MbsStepper *stepper, const MbsPath *followed, MbsState *state);
  // One step from the state to the time in it, where fixed coordinates are already; decides what is undecided. On
  // failure the state is not usable: restore. Never allocates, but where independent coordinates change.
  MbsStatus (*step)(MbsContext *context, MbsStepper *stepper, MbsStep *step, MbsState *state);
  // The derivative of the start or of a step that was made just now, with respect to the system's columns. At the start
  // X and V are given.
  MbsStatus (*derivative)(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                          const MbsColumns *columns);

  // Puts what the transpose needs of the start or of a step that was made just now into a row; and back, with the
  // state (whose time and fixed coordinates are there) as the step left it.
  void (*put_row)(const MbsStepper *stepper, const MbsState *state, mbs_scalar *row);
  MbsStatus (*recall)(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const mbs_scalar *row,
                      MbsState *state);
  // The transpose of a step, for any number of bars once it is prepared; `next`: the step after it, NULL: it is the
  // last. Signals are evaluated there (asserted). At the start it gives what q and v receive.
  MbsStatus (*prepare)(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state);
  void (*transposed)(MbsStepper *stepper, const MbsStep *step, const MbsStep *next, const MbsState *state,
                     const MbsStateBar *bar, mbs_scalar *carry);
  const MbsBackward *backward;            // NULL: not offered
  const MbsInterpolation *interpolation;  // NULL: there is none, or it was not asked for

  // A point of the step that was made (and differentiated) or recalled last; and what its state has received of a
  // number, to be added to before the step's transpose, which takes it from the carry. NULL where there are none.
  MbsPoint (*point)(const MbsStepper *stepper, int index);
  MbsStateBar (*point_bar)(const MbsStepper *stepper, int index, const MbsStateBar *bar, mbs_scalar *carry);

  // An estimate of the error of the step that was made last: the largest of those of positions and velocities, each
  // times its weight (n and n); and which one that is. NULL: there is none.
  double (*error)(const MbsStepper *stepper, const MbsStep *step, const MbsState *state, const double *weights,
                  int *worst);
  // The same of a column, of the step that was made and differentiated last: from where it was before to `end`.
  double (*column_error)(const MbsStepper *stepper, const MbsStep *step, const MbsColumns *begin, const MbsColumns *end,
                         int column, const double *weights, int *worst);

  // What the next step and its derivative depend on, beside the state and its columns; and (if bits count) pivots.
  int (*save_size)(const MbsStepper *stepper);
  void (*save)(const MbsStepper *stepper, mbs_scalar *to);
  void (*restore)(MbsStepper *stepper, const mbs_scalar *from, const MbsState *state);

  // The matrix whose condition tells how near to singular the last step was, and the power with which it counts (the
  // implicit step's has K = [Phi_q; ...] twice, and matrix-r solves with K thrice); NULL: none does.
  MbsSparseSolver *(*watched)(const MbsStepper *stepper, mbs_scalar **values, int *power);
  // The columns of what is carried along (nq each), or NULL.
  mbs_scalar *(*carried_columns)(const MbsStepper *stepper);
  // All solvers whose pivots count, one after another; NULL: there are no more.
  MbsSparseSolver *(*solver)(const MbsStepper *stepper, int index);
} MbsStepperType;

// The stepper of a formulation, or that of kinematics; everything is in the system's arena, and `destroy` gives back
// what is not.
MbsStatus mbs_stepper_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                             MbsInitial *initial, MbsStepper **stepper);
// Is there room for an interpolation? Once, before the first start, where the method has one (settings.sample).
MbsStatus mbs_stepper_interpolate(MbsContext *context, const MbsSettings *settings, MbsStepper *stepper);

// The columns of a step by itself (system->time_column, step_column) begin with zeros: the old state is as it is. W:
// those of auxiliary accelerations, or NULL.
void mbs_columns_begin_step(const MbsSystem *system, const MbsColumns *columns, mbs_scalar *W);

// The weights of both ends of a step, as it was made: what is too short for a step has none of the stepper's.
static inline const double *mbs_step_ends(const MbsStepper *stepper, const MbsStep *step) {
  static const double half[2] = {0.5, 0.5};
  return step->is_flow ? half : stepper->ends;
}
static inline int mbs_step_points(const MbsStepper *stepper, const MbsStep *step) {
  return step->is_flow || step->number == 0 ? 0 : stepper->point_count;
}

// What a state between the ends of a step has received, in a block of mbs_state_number_count numbers; coefficients,
// parameters and gradient as those of `bar`.
MbsStateBar mbs_bar_in_block(const MbsSystem *system, const MbsStateBar *bar, mbs_scalar *block);
// What the time has received so far.
mbs_scalar mbs_bar_of_time(const MbsSystem *system, const MbsStateBar *bar);

// For rows and saves: copies `count` numbers, and returns what follows behind them.
mbs_scalar *mbs_put(mbs_scalar *to, int count, const mbs_scalar *from);
const mbs_scalar *mbs_take(const mbs_scalar *from, int count, mbs_scalar *to);

#endif
