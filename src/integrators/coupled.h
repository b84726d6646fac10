// One step of an implicit Runge-Kutta method (collocation.h) whose stages are solved for together.
//
// With y = (q, v), y' = (v, a) put into each other, the stages i = 1 ... s are
//     q_i = q_0 + c_i h v_0 + h^2 sum_j d_ij a_j,     v_i = v_0 + h sum_j a_ij a_j,     d_ij = sum_k a_ik a_kj
//     r(t_i, q_i, v_i, a_i, lambda_i) = 0,            t_i = t - (1 - c_i) h
// with t the time of the end, which is stage s. The unknowns are the accelerations and multipliers of all stages: added
// up, not divided by h^2, they lose no digits. r is that of the formulation (formulation.h): of penalty, index1 and
// ali1 the equations of an instant, of index3 and ali3p f with Phi = 0 at each stage, divided by (gamma h)^2. What
// follows the solution is done at each stage (coupled_finish.c): the smallest multipliers of redundant constraints;
// with ali3p, and in pieces of steps around events (implicit.h), v projected onto the constraints, and a and lambda
// that solve the equations of motion there. The end hands them on, and integrals have them at all stages; the step
// itself knows those of the collocation alone.
//
// Newton's matrix, one block of n + m rows and columns for each pair of stages, with r_x at stage i:
//     J_ij = [h^2 d_ij r_q + h a_ij r_v + delta_ij r_a,  delta_ij r_lambda]
// Derivative, coupled_derivative.c: J (A, L) = -(r_q Qh + r_v Vh + r_rho), Qh_i = Q_0 + c_i h V_0, Vh_i = V_0
// Transpose, coupled_transposed.c.
#ifndef MBS_COUPLED_H
#define MBS_COUPLED_H

#include "integrators/collocation.h"
#include "integrators/implicit.h"

typedef struct MbsCoupled {
  MbsImplicit implicit;  // the start; its own instant is that of the end
  const MbsCollocation *method;
  int end;                                              // s - 1, the number of the end among the stages, from 0
  double position[MBS_MOST_COUPLED][MBS_MOST_COUPLED];  // d
  MbsState stages[MBS_MOST_COUPLED];                    // of the stages but the end
  MbsInstant instants[MBS_MOST_COUPLED];                // likewise
  MbsColumns columns[MBS_MOST_COUPLED];                 // likewise
  MbsInstant motions[MBS_MOST_COUPLED];                 // of all stages: their own equations, where v is projected
  mbs_scalar *multipliers[MBS_MOST_COUPLED];            // m each: of the stages, where those of the states are others
  mbs_scalar *begin_q, *begin_v, *begin_a;              // n each: where the step began
  MbsPattern pattern;                                   // of J
  MbsSparseSolver *solver;
  MbsRefinement refinement;
  mbs_scalar *values;                            // of J,
  mbs_scalar *block;                             // of one of its blocks, as the terms give it, whose entries
  int *map[MBS_MOST_COUPLED][MBS_MOST_COUPLED];  // go here
  mbs_scalar *r, *correction;                    // s (n + m)
  mbs_scalar *R;                                 // s (n + m) x columns
  // accelerations and multipliers of the stages of the last step, s (n + m), and its size; 0: there was none
  mbs_scalar *last;
  double last_h;
  bool is_used;  // the matrix has been factored since the start

  // steps that find their own size: coupled_error.c
  bool estimates;
  double error[2][MBS_MOST_COUPLED + 1];  // e and e', the first one of the beginning
  mbs_scalar *estimate[2];                // 2 n each: of q and v
  mbs_scalar *moved[2], *rest;            // nq, nq, n + m
} MbsCoupled;

extern const MbsStepperType mbs_coupled_type;

MbsStatus mbs_coupled_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                             const MbsCollocation *method, bool has_redundancy, MbsStepper **stepper);

MbsStatus mbs_coupled_step(MbsContext *context, MbsCoupled *coupled, const MbsStep *step, MbsState *state);
MbsStatus mbs_coupled_derivative(MbsContext *context, MbsCoupled *coupled, const MbsStep *step, const MbsState *state,
                                 const MbsColumns *columns);
void mbs_coupled_transposed(MbsCoupled *coupled, const MbsStep *step, const MbsState *state, const MbsStateBar *bar,
                            mbs_scalar *carry);

// The instant of a stage is the one in hand; where r = 0 holds there.
MbsState *mbs_coupled_take(MbsCoupled *coupled, int stage);
static inline MbsState *mbs_coupled_at(MbsCoupled *coupled, int stage) {
  return stage < coupled->end ? &coupled->instants[stage].stage : &coupled->implicit.own.stage;
}
// A stage of the step to `state`, with its time and fixed coordinates: where it is to be solved for.
MbsState *mbs_coupled_begin_stage(MbsCoupled *coupled, const MbsStep *step, int stage, MbsState *state);
// The weights of the residual in a step of this size.
MbsWeights mbs_coupled_weights(const MbsCoupled *coupled, mbs_scalar h);

// coupled_finish.c: the state that a stage becomes; from X, V, A, L of the stage to the columns of the state; factors
// for the transpose; and that, from the state to q, v, a, lambda of the stage.
MbsStatus mbs_coupled_finish(MbsContext *context, MbsCoupled *coupled, mbs_scalar h, int stage, MbsState *state);
MbsStatus mbs_coupled_finish_derivative(MbsContext *context, MbsCoupled *coupled, int stage, const MbsState *state,
                                        const MbsColumns *columns);
MbsStatus mbs_coupled_prepare_finish(MbsContext *context, MbsCoupled *coupled);
void mbs_coupled_finish_transposed(MbsCoupled *coupled, int stage, const MbsState *state, const MbsStateBar *bar);

// coupled_newton.c: solves for accelerations and multipliers of the stages, from what they are.
MbsStatus mbs_coupled_solve(MbsContext *context, MbsCoupled *coupled, mbs_scalar h);
// The exact matrix at the stages, for solutions by coupled->refinement.
MbsStatus mbs_coupled_factor(MbsContext *context, MbsCoupled *coupled, mbs_scalar h);

// coupled_error.c
void mbs_coupled_create_error(MbsCoupled *coupled);
// After a step: its estimated errors, in `estimate`.
MbsStatus mbs_coupled_estimate(MbsContext *context, MbsCoupled *coupled, mbs_scalar h, const MbsState *state);
double mbs_coupled_error(const MbsCoupled *coupled, const double *weights, int *worst);

#endif
