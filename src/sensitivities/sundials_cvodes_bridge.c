// CVODES on y' = f(t, y; rho), y = (x, x') (sundials_flow.h).
//
// Forward: S' = f_y S + f_rho for the sensitivities S. Integrals are further states, psi' = g, so that their
// derivatives are among S, and all are under error control. (Quadratures of sensitivities, which are meant for this,
// read numbers in CVODES 6.4 that it has not set.)
//
// Adjoint: for each objective psi = w(end) + integral of g, with H = l.s + g and mu = (m, l),
//     -m' = H_x,   -l' = m + H_x',   mu(end) = w_y,   psi_rho = y_rho(0)' mu(0) + w_rho + integral of H_rho,
// backwards along the interpolated y(t); the last integral and those of psi are quadratures.
//
// Adams' methods, of order 12 at most, with Newton's iteration: mechanisms are seldom stiff, and tolerances are tight.
// Where they need too many steps (bushings, contacts), BDF.
#include <cvodes/cvodes.h>
#include <cvodes/cvodes_ls.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "sensitivities/sundials_run.h"

// The absolute tolerance: what is a hundredth of a unit (m, rad, 1/s of them) at most counts as if it were that large.
static const double absolute = 1e-2;
enum { MOST_STEPS = 20000, MOST_STIFF_STEPS = 1000000 };

typedef struct Solver {
  MbsThirdPartyRun *run;
  void *cvode;
  N_Vector y, integrals;  // forward: y has the integrals behind it
  N_Vector *S;
  SUNMatrix matrix;
  SUNLinearSolver linear;
} Solver;

// One of the adjoint's problems.
typedef struct Backward {
  MbsThirdPartyRun *run;
  int objective;     // of the simulation
  int which;         // of CVODES
  bool is_integral;  // g is its function; else w
  N_Vector mu, integral;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  double *of_end;  // by parameter: w_rho
} Backward;

static double *data(N_Vector vector) { return N_VGetArrayPointer(vector); }

// ---- what CVODES calls ----
// g, where the state is placed
static void give_integrands(MbsThirdPartyRun *run, double *g) {
  const MbsSimulation *simulation = run->flow.simulation;
  mbs_signal_bank_evaluate(run->flow.system, &simulation->state);
  for (int i = 0; i < run->integral_count; ++i) {
    const MbsFunction *function = &simulation->objectives.items[run->integrals[i]].function;
    g[i] = mbs_function_value(run->flow.system, function, &simulation->state);
  }
}

static bool has_integrals(const MbsThirdPartyRun *run, N_Vector y) { return N_VGetLength(y) > 2 * run->flow.count; }

static int rate(sunrealtype t, N_Vector y, N_Vector result, void *user) {
  MbsThirdPartyRun *run = user;
  int failed = mbs_flow_place(&run->flow, t, data(y));
  if (!failed) {
    mbs_flow_rate(&run->flow, data(result));
  }
  if (!failed && has_integrals(run, y)) {
    give_integrands(run, data(result) + 2 * run->flow.count);
  }
  return failed;
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix matrix, void *user, N_Vector a, N_Vector b,
                    N_Vector c) {
  MbsThirdPartyRun *run = user;
  int n = run->flow.count;
  (void)fy, (void)a, (void)b, (void)c;
  (void)SUNMatZero(matrix);
  int failed = mbs_flow_place(&run->flow, t, data(y));
  failed = failed ? failed : mbs_flow_jacobian(&run->flow, false, SUNDenseMatrix_Cols(matrix));
  for (int i = 0; i < run->integral_count && !failed && has_integrals(run, y); ++i) {
    failed = mbs_flow_transposed(&run->flow, NULL, run->integrals[i], NULL);
    for (int j = 0; j < n && !failed; ++j) {
      SUNDenseMatrix_Column(matrix, j)[2 * n + i] = run->flow.by_x[j];
      SUNDenseMatrix_Column(matrix, n + j)[2 * n + i] = run->flow.by_rate[j];
    }
  }
  return failed;
}

static int integrands(sunrealtype t, N_Vector y, N_Vector result, void *user) {
  MbsThirdPartyRun *run = user;
  int failed = mbs_flow_place(&run->flow, t, data(y));
  if (!failed) {
    give_integrands(run, data(result));
  }
  return failed;
}

// state and columns at (t, y, S)
static int place_columns(MbsThirdPartyRun *run, sunrealtype t, N_Vector y, int count, N_Vector *S) {
  int failed = mbs_flow_place(&run->flow, t, data(y));
  for (int k = 0; k < count && !failed; ++k) {
    run->columns[k] = data(S[k]);
  }
  return failed ? failed : mbs_flow_columns(&run->flow, run->columns);
}

static int column_rates(int count, sunrealtype t, N_Vector y, N_Vector fy, N_Vector *S, N_Vector *result, void *user,
                        N_Vector a, N_Vector b) {
  MbsThirdPartyRun *run = user;
  const MbsSimulation *simulation = run->flow.simulation;
  (void)fy, (void)a, (void)b;
  int failed = place_columns(run, t, y, count, S);
  for (int k = 0; k < count && !failed; ++k) {
    mbs_flow_column_rate(&run->flow, k, data(result[k]));
  }
  for (int i = 0; i < run->integral_count && !failed; ++i) {
    const MbsFunction *function = &simulation->objectives.items[run->integrals[i]].function;
    (void)mbs_function_evaluate(run->flow.system, function, &simulation->state, NULL);
    for (int k = 0; k < count; ++k) {
      data(result[k])[2 * run->flow.count + i] =
          mbs_function_derivative(run->flow.system, function, &simulation->state, k, &simulation->columns, NULL);
    }
  }
  return failed;
}

// ---- set-up ----
// Each call in turn, until one fails; a NULL is out of memory.
static bool is_done(int *code, int result) {
  *code = result;
  return result >= 0;
}

static bool create_matrix(MbsThirdPartyRun *run, N_Vector like, SUNMatrix *matrix, SUNLinearSolver *linear) {
  sunindextype size = N_VGetLength(like);
  *matrix = SUNDenseMatrix(size, size, run->sundials);
  *linear = *matrix ? SUNLinSol_Dense(like, *matrix, run->sundials) : NULL;
  return *linear != NULL;
}

static void destroy(Solver *solver) {
  int columns = solver->run->flow.column_count;
  CVodeFree(&solver->cvode);
  if (solver->linear) {
    (void)SUNLinSolFree(solver->linear);
  }
  SUNMatDestroy(solver->matrix);
  if (solver->S) {
    N_VDestroyVectorArray(solver->S, columns);
  }
  if (solver->integrals) {
    N_VDestroy(solver->integrals);
  }
  if (solver->y) {
    N_VDestroy(solver->y);
  }
}

// y, its equations and the integrals: as states, or as quadratures
static bool create(MbsThirdPartyRun *run, bool is_stiff, bool are_states, Solver *solver, int *code) {
  double tolerance = run->tolerance;
  *solver = (Solver){.run = run};
  *code = CV_MEM_FAIL;
  solver->y = N_VNew_Serial(2 * run->flow.count + (are_states ? run->integral_count : 0), run->sundials);
  solver->cvode = CVodeCreate(is_stiff ? CV_BDF : CV_ADAMS, run->sundials);
  if (!solver->y || !solver->cvode || !create_matrix(run, solver->y, &solver->matrix, &solver->linear)) {
    return false;
  }
  N_VConst(0, solver->y);
  mbs_flow_take_start(&run->flow, data(solver->y));
  void *cvode = solver->cvode;
  bool is_good = is_done(code, CVodeSetErrHandlerFn(cvode, mbs_sundials_listen, run)) &&
                 is_done(code, CVodeInit(cvode, rate, 0, solver->y)) &&
                 is_done(code, CVodeSStolerances(cvode, tolerance, absolute * tolerance)) &&
                 is_done(code, CVodeSetUserData(cvode, run)) &&
                 is_done(code, CVodeSetLinearSolver(cvode, solver->linear, solver->matrix)) &&
                 is_done(code, CVodeSetJacFn(cvode, jacobian)) && is_done(code, CVodeSetStopTime(cvode, run->end)) &&
                 is_done(code, CVodeSetMaxStep(cvode, run->longest)) &&
                 is_done(code, CVodeSetMaxNumSteps(cvode, is_stiff ? MOST_STIFF_STEPS : MOST_STEPS));
  if (!is_good || are_states || run->integral_count == 0) {
    return is_good;
  }
  solver->integrals = N_VNew_Serial(run->integral_count, run->sundials);
  if (!solver->integrals) {
    *code = CV_MEM_FAIL;
    return false;
  }
  N_VConst(0, solver->integrals);
  return is_done(code, CVodeQuadInit(cvode, integrands, solver->integrals)) &&
         is_done(code, CVodeSetQuadErrCon(cvode, true)) &&
         is_done(code, CVodeQuadSStolerances(cvode, tolerance, absolute * tolerance));
}

// ---- forward ----
static bool create_columns(Solver *solver, int *code) {
  MbsThirdPartyRun *run = solver->run;
  void *cvode = solver->cvode;
  int columns = run->flow.column_count;
  *code = CV_MEM_FAIL;
  solver->S = N_VCloneVectorArray(columns, solver->y);
  if (!solver->S) {
    return false;
  }
  for (int k = 0; k < columns; ++k) {
    N_VConst(0, solver->S[k]);
    mbs_flow_take_column(&run->flow, k, data(solver->S[k]));
  }
  return is_done(code, CVodeSensInit(cvode, columns, CV_STAGGERED, column_rates, solver->S)) &&
         is_done(code, CVodeSetSensParams(cvode, NULL, run->scales, NULL)) &&
         is_done(code, CVodeSensEEtolerances(cvode)) && is_done(code, CVodeSetSensErrCon(cvode, true));
}

// Step by step to the end; code: CV_TSTOP_RETURN, or what went wrong.
static void go(Solver *solver, bool is_stored, long most, int *code) {
  MbsThirdPartyRun *run = solver->run;
  sunrealtype t = 0;
  int checkpoints = 0;
  *code = CV_SUCCESS;
  for (run->steps = 0; *code == CV_SUCCESS && mbs_sundials_goes_on(run, t / run->end); ++run->steps) {
    *code = run->steps >= most ? CV_TOO_MUCH_WORK
            : is_stored        ? CVodeF(solver->cvode, run->end, solver->y, &t, CV_ONE_STEP, &checkpoints)
                               : CVode(solver->cvode, run->end, solver->y, &t, CV_ONE_STEP);
  }
}

static void observe(const Solver *solver) {
  long iterations = 0;
  (void)CVodeGetNumNonlinSolvIters(solver->cvode, &iterations);
  mbs_sundials_observe(solver->run, iterations);
}

// values and gradients at the end
static int give_forward(Solver *solver) {
  MbsThirdPartyRun *run = solver->run;
  int columns = run->flow.column_count, count = run->integral_count, code = CV_SUCCESS;
  sunrealtype t;
  bool is_good = is_done(&code, CVodeGetSens(solver->cvode, &t, solver->S));
  code = is_good ? place_columns(run, run->end, solver->y, columns, solver->S) : code;
  if (code != 0) {
    return code;
  }
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < columns; ++k) {
      run->slopes[i * columns + k] = data(solver->S[k])[2 * run->flow.count + i];
    }
  }
  mbs_sundials_give(run, data(solver->y) + 2 * run->flow.count, run->slopes);
  observe(solver);
  return CV_SUCCESS;
}

MbsStatus mbs_cvodes_forward(MbsThirdPartyRun *run, bool is_stiff, int *code) {
  Solver solver;
  if (create(run, is_stiff, true, &solver, code) && create_columns(&solver, code)) {
    go(&solver, false, is_stiff ? MOST_STIFF_STEPS : MOST_STEPS, code);
    *code = *code == CV_TSTOP_RETURN ? give_forward(&solver) : *code;
  }
  destroy(&solver);
  return *code == CV_SUCCESS ? MBS_OK : mbs_sundials_fail(run, "CVODES", *code);
}

// ---- adjoint ----
static int backward_rate(sunrealtype t, N_Vector y, N_Vector mu, N_Vector result, void *user) {
  Backward *backward = user;
  MbsFlow *flow = &backward->run->flow;
  int n = flow->count;
  const double *m = data(mu), *l = m + n;
  int failed = mbs_flow_place(flow, t, data(y));
  failed = failed ? failed : mbs_flow_transposed(flow, l, backward->is_integral ? backward->objective : -1, NULL);
  for (int i = 0; i < n && !failed; ++i) {
    data(result)[i] = -flow->by_x[i];
    data(result)[n + i] = -(m[i] + flow->by_rate[i]);
  }
  return failed;
}

static int backward_jacobian(sunrealtype t, N_Vector y, N_Vector mu, N_Vector f, SUNMatrix matrix, void *user,
                             N_Vector a, N_Vector b, N_Vector c) {
  Backward *backward = user;
  (void)mu, (void)f, (void)a, (void)b, (void)c;
  int failed = mbs_flow_place(&backward->run->flow, t, data(y));
  return failed ? failed : mbs_flow_jacobian(&backward->run->flow, true, SUNDenseMatrix_Cols(matrix));
}

// from the end to the start: -H_rho
static int backward_integrand(sunrealtype t, N_Vector y, N_Vector mu, N_Vector result, void *user) {
  Backward *backward = user;
  MbsFlow *flow = &backward->run->flow;
  int failed = mbs_flow_place(flow, t, data(y));
  failed = failed ? failed
                  : mbs_flow_transposed(flow, data(mu) + flow->count, backward->is_integral ? backward->objective : -1,
                                        data(result));
  if (!failed) {
    N_VScale(-1, result, result);
  }
  return failed;
}

// mu(end) = w_y, and w_rho
static int begin_backward(Backward *backward) {
  MbsFlow *flow = &backward->run->flow;
  N_VConst(0, backward->mu);
  N_VConst(0, backward->integral);
  if (backward->is_integral) {
    return 0;
  }
  int failed = mbs_flow_transposed(flow, NULL, backward->objective, backward->of_end);
  if (!failed) {
    memcpy(data(backward->mu), flow->by_x, (size_t)flow->count * sizeof(double));
    memcpy(data(backward->mu) + flow->count, flow->by_rate, (size_t)flow->count * sizeof(double));
  }
  return failed;
}

static bool create_backward(Solver *solver, bool is_stiff, Backward *backward, int *code) {
  MbsThirdPartyRun *run = solver->run;
  void *cvode = solver->cvode;
  double tolerance = run->tolerance;
  *code = CV_MEM_FAIL;
  backward->mu = N_VClone(solver->y);
  backward->integral = N_VNew_Serial(run->flow.column_count, run->sundials);
  if (!backward->mu || !backward->integral || !create_matrix(run, solver->y, &backward->matrix, &backward->linear) ||
      !is_done(code, begin_backward(backward))) {
    return false;
  }
  int *which = &backward->which;
  return is_done(code, CVodeCreateB(cvode, is_stiff ? CV_BDF : CV_ADAMS, which)) &&
         is_done(code, CVodeInitB(cvode, *which, backward_rate, run->end, backward->mu)) &&
         is_done(code, CVodeSetErrHandlerFn(CVodeGetAdjCVodeBmem(cvode, *which), mbs_sundials_listen, run)) &&
         is_done(code, CVodeSStolerancesB(cvode, *which, tolerance, absolute * tolerance)) &&
         is_done(code, CVodeSetUserDataB(cvode, *which, backward)) &&
         is_done(code, CVodeSetLinearSolverB(cvode, *which, backward->linear, backward->matrix)) &&
         is_done(code, CVodeSetJacFnB(cvode, *which, backward_jacobian)) &&
         is_done(code, CVodeSetMaxStepB(cvode, *which, run->longest)) &&
         is_done(code, CVodeSetMaxNumStepsB(cvode, *which, is_stiff ? MOST_STIFF_STEPS : MOST_STEPS)) &&
         is_done(code, CVodeQuadInitB(cvode, *which, backward_integrand, backward->integral)) &&
         is_done(code, CVodeSetQuadErrConB(cvode, *which, true)) &&
         is_done(code, CVodeQuadSStolerancesB(cvode, *which, tolerance, absolute * tolerance));
}

static void destroy_backward(Backward *backward) {
  if (backward->linear) {
    (void)SUNLinSolFree(backward->linear);
  }
  SUNMatDestroy(backward->matrix);
  if (backward->integral) {
    N_VDestroy(backward->integral);
  }
  if (backward->mu) {
    N_VDestroy(backward->mu);
  }
}

// the way there, with what interpolates it kept; values
static bool run_there(Solver *solver, bool is_stiff, int *code) {
  MbsThirdPartyRun *run = solver->run;
  long most = is_stiff ? MOST_STIFF_STEPS : MOST_STEPS;
  sunrealtype t;
  if (!is_done(code, CVodeAdjInit(solver->cvode, run->stored + 1, CV_POLYNOMIAL))) {
    return false;
  }
  go(solver, true, most < run->stored ? most : run->stored, code);
  bool is_good = *code == CV_TSTOP_RETURN;
  if (is_good && run->integral_count > 0) {
    is_good = is_done(code, CVodeGetQuad(solver->cvode, &t, solver->integrals));
  }
  is_good = is_good && is_done(code, mbs_flow_place(&run->flow, run->end, data(solver->y))) && *code == 0;
  if (is_good) {
    mbs_sundials_give(run, run->integral_count > 0 ? data(solver->integrals) : NULL, NULL);
    observe(solver);
    is_good = mbs_flow_keep_end(&run->flow, run->end) == MBS_OK;
  }
  return is_good;
}

static bool run_back(Solver *solver, int count, Backward *backward, int *code) {
  MbsThirdPartyRun *run = solver->run;
  sunrealtype t;
  bool is_good = is_done(code, CVodeB(solver->cvode, 0, CV_NORMAL));
  for (int o = 0; o < count && is_good; ++o) {
    is_good = is_done(code, CVodeGetB(solver->cvode, backward[o].which, &t, backward[o].mu)) &&
              is_done(code, CVodeGetQuadB(solver->cvode, backward[o].which, &t, backward[o].integral));
  }
  mbs_flow_take_start(&run->flow, data(solver->y));
  is_good = is_good && is_done(code, mbs_flow_place(&run->flow, 0, data(solver->y))) && *code == 0;
  for (int o = 0; o < count && is_good; ++o) {
    is_good = mbs_sundials_give_adjoint(run, o, data(backward[o].mu), data(backward[o].integral), backward[o].of_end) ==
              MBS_OK;
  }
  return is_good;
}

MbsStatus mbs_cvodes_adjoint(MbsThirdPartyRun *run, bool is_stiff, int *code) {
  const MbsSweep *sweep = run->flow.session->sweep;
  Solver solver;
  Backward *backward;
  MBS_TAKE(run->flow.context, run->flow.system->arena, backward, sweep->objective_count);
  for (int o = 0; o < sweep->objective_count; ++o) {
    int objective = sweep->objectives[o];
    backward[o] =
        (Backward){.run = run,
                   .objective = objective,
                   .is_integral = run->flow.simulation->objectives.items[objective].kind == MBS_OBJECTIVE_IS_INTEGRAL};
    MBS_TAKE(run->flow.context, run->flow.system->arena, backward[o].of_end, run->flow.column_count);
  }
  bool is_good = create(run, is_stiff, false, &solver, code) && run_there(&solver, is_stiff, code);
  for (int o = 0; o < sweep->objective_count && is_good; ++o) {
    is_good = create_backward(&solver, is_stiff, &backward[o], code);
  }
  is_good = is_good && run_back(&solver, sweep->objective_count, backward, code);
  destroy(&solver);
  for (int o = 0; o < sweep->objective_count; ++o) {
    destroy_backward(&backward[o]);
  }
  return is_good ? MBS_OK : mbs_sundials_fail(run, "CVODES", *code);
}
