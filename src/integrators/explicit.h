// One step of an explicit Runge-Kutta method (pair.h), for formulations whose accelerations and multipliers follow from
// positions and velocities at each instant: penalty, index1, ali1.
//
// With y = (q, v), y' = (v, s(t, q, v)) where s solves the equations of motion at one instant, [f; e] = 0, linear in
// (a, lambda). Stages are numbered from 0, and the end of the step is one more, s, with c_s = 1, a_sj = b_j. Stage 0 is
// the state where the step begins: its acceleration is there already, as is that of every state that a step ends with
// or that starts anew. Put into each other the equations of q and v of the stages are
//     q_i = q_0 + c_i h v_0 + h^2 sum_j d_ij a_j,     v_i = v_0 + h sum_j a_ij a_j,     d_ij = sum_k a_ik a_kj
//     r(t_i, q_i, v_i, a_i, lambda_i) = 0,            t_i = t - (1 - c_i) h
// with t the time of the end, so that accelerations of the stages are all that is added up. Fixed coordinates are
// where they are at t_i. Integrals have the stages' weights b_i at points (q_i, v_i, a_i, lambda_i): stepper.h.
// Of matrix-r independent coordinates are added up so, and q_i and v_i recovered from them: explicit_reduced.c. Of the
// others q and v of the end may be projected onto their constraints, before its accelerations: explicit_projection.c.
//
// Derivative, explicit_derivative.c: with r_i' what is known of r at stage i and S its matrix, factored in the step,
//     Q_i = Q_0 + c_i h V_0 + h^2 sum_j d_ij A_j,  V_i likewise,  S (A_i, L_i) = -(r_q Q_i + r_v V_i + r_rho)
// Transpose, explicit_transposed.c: the same backwards, from the end to stage 1.
#ifndef MBS_EXPLICIT_H
#define MBS_EXPLICIT_H

#include "integrators/implicit.h"
#include "integrators/pair.h"
#include "integrators/reduced.h"

// Independent coordinates of the stages, by coordinate of the set that the step is made in: explicit_reduced.c. Arrays
// of n, or of n for each stage one after another; columns likewise of n x carried columns.
typedef struct MbsStageCoordinates {
  MbsReduced *reduced;                         // their sets and problems; NULL: steps are not made in such
  mbs_scalar *z0, *z, *u;                      // w where the step begins; z_i and u_i of the stage in hand
  mbs_scalar *rate, *second;                   // w' and w'' of the stages
  mbs_scalar *Z0, *Z, *U, *Rate, *Second;      // their columns
  mbs_scalar *z0_bar, *rate_bar, *second_bar;  // what they have received
} MbsStageCoordinates;

// The end of a step onto its constraints, where settings ask for it: explicit_projection.c.
typedef struct MbsEndProjection {
  int count;                 // of iterations; 0: nothing is projected
  MbsProjector **positions;  // of each iteration: its factors, its u and sigma
  MbsProjector *velocity;
  MbsState *places;  // where each iteration began: q and t alone
  MbsState again;    // of the way back
} MbsEndProjection;

// Between the ends of a step, where rows are asked for there: explicit_dense.c.
typedef struct MbsBetween {
  bool is_wanted;
  MbsState end;                        // of the step, as it was left
  MbsColumns end_columns;              // and as it was differentiated, before events move them
  MbsState further[MBS_MOST_FURTHER];  // stages
  MbsColumns columns[MBS_MOST_FURTHER];
  MbsInstant instants[MBS_MOST_FURTHER + 1];  // of these, and of what is found
} MbsBetween;

typedef struct MbsExplicit {
  MbsImplicit implicit;  // solves the equations of an instant; its own one is that of the state
  MbsStepperType type;   // the implicit step's, but for what is different
  const MbsPair *pair;
  MbsStageCoordinates independent;  // of matrix-r
  MbsEndProjection projection;
  MbsBetween between;
  int end;                                                // s, the number of the end among stages
  double c[MBS_MOST_STAGES + 1];                          // of stages and end,
  double velocity[MBS_MOST_STAGES + 1][MBS_MOST_STAGES];  // a
  double position[MBS_MOST_STAGES + 1][MBS_MOST_STAGES];  // d
  MbsState stages[MBS_MOST_STAGES];                       // the first one is the state where the step began
  MbsInstant instants[MBS_MOST_STAGES];                   // of the stages but the first
  MbsColumns columns[MBS_MOST_STAGES];                    // likewise; of the first where there is an interpolation
  int points[MBS_MOST_STAGES];                            // the stages that are points of integrals
  mbs_scalar *bars_a;                                     // stages x n: what their accelerations have received
  mbs_scalar *bar;                                        // 3 nq + 4 m: what a stage has that is no point
} MbsExplicit;

// The table of an explicit method: explicit_stepper.c
void mbs_explicit_fill_type(const MbsExplicit *explicit, MbsStepperType *type);

MbsStatus mbs_explicit_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                              const MbsPair *pair, const MbsInitial *initial, MbsStepper **stepper);

MbsStatus mbs_explicit_step(MbsContext *context, MbsExplicit *explicit, MbsStep *step, MbsState *state);
// From stage 0 on, which is there, to the end.
MbsStatus mbs_explicit_make_stages(MbsContext *context, MbsExplicit *explicit, const MbsStep *step, MbsState *state);
MbsStatus mbs_explicit_derivative(MbsContext *context, MbsExplicit *explicit, const MbsStep *step,
                                  const MbsState *state, const MbsColumns *columns);
void mbs_explicit_transposed(MbsExplicit *explicit, const MbsStep *step, const MbsState *state, const MbsStateBar *bar,
                             mbs_scalar *carry);

// The estimated error of the step that was made last, and that of a column: see stepper.h.
double mbs_explicit_error(const MbsExplicit *explicit, mbs_scalar h, const MbsState *state, const double *weights,
                          int *worst);

double mbs_explicit_column_error(const MbsExplicit *explicit, mbs_scalar h, const MbsColumns *begin,
                                 const MbsColumns *end, int column, const double *weights, int *worst);

// The instant of a stage, or of the end, is the one in hand.
void mbs_explicit_take_instant(MbsExplicit *explicit, int stage);
// Where q and v of a stage lead from: its time, fixed coordinates, q and v, with the accelerations of those before it.
void mbs_explicit_place(const MbsExplicit *explicit, const MbsStep *step, int stage, MbsState *at);
// In a carry, the blocks of points, behind what independent coordinates hand back.
static inline mbs_scalar *mbs_explicit_blocks(const MbsExplicit *explicit, mbs_scalar *carry) {
  const MbsReduced *reduced = explicit->independent.reduced;
  return carry + (reduced ? mbs_reduced_hat_size(reduced->system) : 0);
}

// ---- explicit_projection.c: q and v of the end onto the constraints, from where the method leads ----
MbsStatus mbs_explicit_create_projection(MbsContext *context, MbsExplicit *explicit, int iterations);  // once
void mbs_explicit_destroy_projection(MbsExplicit *explicit);
MbsStatus mbs_explicit_project(MbsContext *context, MbsExplicit *explicit, MbsState *state);
// The same again after a step was recalled: its stages are there, and q and v of its end.
MbsStatus mbs_explicit_recall_projection(MbsContext *context, MbsExplicit *explicit, const MbsStep *step,
                                         const MbsState *state);
// X and V, in place; and from what q and v of the state have received to what the method's have.
void mbs_explicit_project_derivative(MbsExplicit *explicit, const MbsState *state, const MbsColumns *columns);
void mbs_explicit_project_transposed(MbsExplicit *explicit, const MbsState *state, const MbsStateBar *bar);
// Its solvers, one after another; NULL: there are no more.
MbsSparseSolver *mbs_explicit_projection_solver(const MbsExplicit *explicit, int index);

// ---- explicit_dense.c: between the ends of a step ----
MbsStatus mbs_explicit_interpolate(MbsContext *context, const MbsSettings *settings, MbsExplicit *explicit);
void mbs_explicit_destroy_between(MbsExplicit *explicit);
// Columns of the beginning, whose own are zero by then, and of the end, where they are of use.
void mbs_explicit_keep_columns(const MbsExplicit *explicit, const MbsColumns *from, const MbsColumns *to);
MbsSparseSolver *mbs_explicit_between_solver(const MbsExplicit *explicit, int index);
MbsStatus mbs_explicit_create_columns(MbsContext *context, const MbsSystem *system, MbsColumns *columns);

// ---- explicit_reduced.c: independent coordinates ----
MbsStatus mbs_explicit_create_independent(MbsContext *context, MbsExplicit *explicit);
// A step in the set of the path, or in that which suits.
MbsStatus mbs_explicit_step_independent(MbsContext *context, MbsExplicit *explicit, MbsStep *step, MbsState *state);
// What rows of the trajectory have of the stages, and of it what is theirs.
int mbs_explicit_independent_row_size(const MbsExplicit *explicit);
mbs_scalar *mbs_explicit_put_independent(const MbsExplicit *explicit, mbs_scalar *row);
const mbs_scalar *mbs_explicit_take_independent(MbsExplicit *explicit, int set, const mbs_scalar *row);
// q and v of a stage, from where the method without constraints leads; and, when its accelerations are known, what
// later stages are made of.
MbsStatus mbs_explicit_recover(MbsContext *context, MbsExplicit *explicit, mbs_scalar h, int stage, MbsState *at);
void mbs_explicit_note_independent(const MbsExplicit *explicit, int stage, const MbsState *at);
// The same of columns.
void mbs_explicit_begin_independent_columns(MbsExplicit *explicit, const MbsColumns *columns);
MbsStatus mbs_explicit_recover_columns(MbsContext *context, MbsExplicit *explicit, mbs_scalar h, int stage,
                                       const MbsState *at, const MbsColumns *columns);
void mbs_explicit_note_independent_columns(const MbsExplicit *explicit, int stage, const MbsState *at,
                                           const MbsColumns *columns);
// The transpose. check: is K regular at all stages? begin: nothing has been received; give: what w' and w'' of a stage
// have received goes to its state, whose signals are visited; then its q and v hand on to z_0 and the stages before;
// hand_back: what is left for the state where the step began, to the carry.
MbsStatus mbs_explicit_check_independent(MbsContext *context, const MbsExplicit *explicit, const MbsState *state);
void mbs_explicit_begin_independent_bars(const MbsExplicit *explicit);
void mbs_explicit_give_independent(const MbsExplicit *explicit, int stage, const MbsState *at, const MbsStateBar *bar);
void mbs_explicit_recover_transposed(const MbsExplicit *explicit, mbs_scalar h, int stage, const MbsState *at,
                                     const MbsStateBar *bar);
void mbs_explicit_hand_back(const MbsExplicit *explicit, mbs_scalar *hats);

static inline bool mbs_is_nonzero(double x) { return x < 0 || x > 0; }

#endif
