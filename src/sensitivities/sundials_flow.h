// The equations of motion as SUNDIALS wants them, y' = f(t, y; rho) with y = (x, x'), and all their derivatives.
//
// x are all coordinates q (penalty, and open trees with any formulation), or the independent coordinates z of matrix-r,
// from which q and v follow by the position and velocity problems. f = (x', s), and the acceleration s = x'' and the
// multipliers are what the formulation finds at an instant, as it does at the start of a run:
//     place           q, v, a, lambda at (t, y)
//     columns         f_y S + f_rho, for S = dy/drho: the columns of an instant (mbs_terms_derivative)
//     transposed      l.s + g for a vector l and an integrand g, derived by x, x' and rho (mbs_terms_transposed);
//                     the rows of f_y are those of l = e_i, the adjoint's right-hand side is that of its own l
// Functions that SUNDIALS calls return 0, 1 where it may try another step, and -1 where all is lost.
#ifndef MBS_SUNDIALS_FLOW_H
#define MBS_SUNDIALS_FLOW_H

#include "integrators/reduced.h"
#include "sensitivities/session.h"

typedef struct MbsFlow {
  MbsContext *context;
  MbsSession *session;
  MbsSimulation *simulation;
  MbsSystem *system;
  MbsReduced *reduced;  // matrix-r: its independent coordinates are those of the start, all along; else NULL
  MbsPath sets;         // which, to follow
  int count;            // of x
  int column_count;     // of parameters
  double *start;        // y of the start
  double *at;           // y where the state is placed,
  double time;          // and when
  bool is_placed, is_factored;
  double end;          // when each of the adjoint's problems begins; not yet: infinite
  MbsCheckpoint last;  // the state there
  MbsStateBar bar;
  double *s, *by_x, *by_rate;  // count each
  double *rhs;                 // matrix-r: the longer of n and the problems' rows
  double *levels;              // matrix-r: m
  double *R;                   // matrix-r: (n + m) x columns
  double *unit;                // nq
  char trouble[256];           // the last failure at an instant that SUNDIALS was told of
} MbsFlow;

// Of a session that has been started.
MbsStatus mbs_flow_create(MbsContext *context, MbsSession *session, MbsFlow *flow);
// y of the start; and (before any other state was placed) its columns, by parameter.
void mbs_flow_take_start(const MbsFlow *flow, double *y);
void mbs_flow_take_column(const MbsFlow *flow, int column, double *y);

int mbs_flow_place(MbsFlow *flow, double t, const double *y);
// The state at hand is the last one, where each of the adjoint's problems begins: whole turns of angles and the
// iteration of positions go on from it, and not from where the problem before came to its end.
MbsStatus mbs_flow_keep_end(MbsFlow *flow, double t);
void mbs_flow_return_to_end(MbsFlow *flow, double t);
// f where the state is placed
void mbs_flow_rate(const MbsFlow *flow, double *rate);
// Takes the columns of the state from those of y (one for each parameter), with those of accelerations and multipliers.
int mbs_flow_columns(MbsFlow *flow, double *const *S);
// f_y S + f_rho of the columns that were taken last
void mbs_flow_column_rate(const MbsFlow *flow, int column, double *rate);
// Derivatives of l.s + g in by_x, by_rate of the flow, and (not NULL) by parameter. l: NULL for zero; objective: of the
// simulation, whose function is g, or -1.
int mbs_flow_transposed(MbsFlow *flow, const double *l, int objective, double *by_parameter);
// f_y, 2 count x 2 count by columns; is_adjoint: -f_y'
int mbs_flow_jacobian(MbsFlow *flow, bool is_adjoint, double *const *columns);

#endif
