// What a run by SUNDIALS is made of: the session that has the start, what is asked for, and where it goes.
#ifndef MBS_SUNDIALS_RUN_H
#define MBS_SUNDIALS_RUN_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>

#include "sensitivities/sundials_flow.h"

typedef struct MbsThirdPartyRun {
  MbsFlow flow;
  SUNContext sundials;
  MbsCheckpoint start;  // for trying again
  double tolerance, end;
  double longest;  // step, so that whole turns of angles can be followed
  long stored;  // steps of the way there that an adjoint has room for: it is kept whole, since whole turns are counted
                // on the way, and not from checkpoints
  int integral_count;
  int *integrals;    // objectives that are integrals, by index
  double *slopes;    // integrals x parameters
  double *scales;    // by parameter: its size, or 1
  double **columns;  // room for a pointer for each parameter
  double *mu;        // room for the longest that a stepper gives
  double *unit, *u;  // IDAS: nq + m, n + m
  double *dense;     // IDAS: n + m square,
  int *pivot;        // and its pivots
  long steps;        // of the run there
  char told[256];    // the last of its messages
} MbsThirdPartyRun;

// Values and gradients go to the simulation's objectives, but for those that are expressions of others. is_stiff: by
// BDF, not by Adams' methods. code: of the package, where it fails.
MbsStatus mbs_cvodes_forward(MbsThirdPartyRun *run, bool is_stiff, int *code);
MbsStatus mbs_cvodes_adjoint(MbsThirdPartyRun *run, bool is_stiff, int *code);
MbsStatus mbs_idas_forward(MbsThirdPartyRun *run, bool is_stiff, int *code);
MbsStatus mbs_idas_adjoint(MbsThirdPartyRun *run, bool is_stiff, int *code);

// ---- for these ----
// Values of objectives from what was integrated: integrals (by number in `integrals`), and the state of the flow at the
// end; with derivatives of the integrals (integrals x columns; NULL: none), whose columns the flow has, gradients too.
void mbs_sundials_give(MbsThirdPartyRun *run, const double *integrals, const double *slopes);
// Gradient of an objective (by number in the sweep) from its adjoint: y_rho(0)' mu(0), the integral, and what the end
// gave. The flow is at the start.
MbsStatus mbs_sundials_give_adjoint(MbsThirdPartyRun *run, int objective, const double *mu, const double *integral,
                                    const double *of_end);
// After the way there, whose state is placed: what a result says of it.
void mbs_sundials_observe(MbsThirdPartyRun *run, long iterations);
// May it go on? Else the context says that it was stopped.
bool mbs_sundials_goes_on(const MbsThirdPartyRun *run, double fraction);
// Its messages are kept, and never printed.
void mbs_sundials_listen(int code, const char *module, const char *function, char *message, void *run);
// What is left of a failure where it gave up: the library's own message, or its own.
MbsStatus mbs_sundials_fail(const MbsThirdPartyRun *run, const char *package, int code);

#endif
