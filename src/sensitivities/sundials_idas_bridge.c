// IDAS on the index-1 equations, F(t, y, y'; rho) = 0 with y = (q, v, a, lambda):
//     q' - v = 0,   v' - a = 0,   r(t, q, v, a, lambda) = 0                         r: f and Phiddot (terms.h)
// Accelerations are unknowns of their own, so that they are as exact as the rest, and not derivatives of BDF's
// polynomial; a and lambda are algebraic, and not part of the error test.
//
// Forward: F_y S + F_y' S' + F_rho = 0, and as quadratures psi' = g, psi_rho' = g_y S + g_rho.
//
// Adjoint: with multipliers p, w, u of the three equations (' of a matrix: transposed),
//     p' = r_q' u - g_q,   w' = -p + r_v' u - g_v,   w = r_a' u - g_a,   0 = r_lambda' u - g_lambda,
// a DAE of index 1 again, in (p, w, u) and without derivatives of M or Phi_q; then
//     psi_rho = q_rho(0).p(0) + v_rho(0).w(0) + integral of (g_rho - r_rho' u).
// With s: the derivatives of g less those of u.r, which are one product (mbs_terms_transposed):
//     p' + s_q = 0,   w' + p + s_v = 0,   w + s_a = 0,   s_lambda = 0,   integral of s_rho.
// A value at the end, phi: u0 with r_a' u0 = phi_a, r_lambda' u0 = phi_lambda, and p = s_q, w = s_v of these.
#include <idas/idas.h>
#include <idas/idas_ls.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "algebra/dense.h"
#include "sensitivities/sundials_run.h"

static const double absolute = 1e-2;  // see sundials_cvodes_bridge.c
enum { MOST_STEPS = 1000000 };

typedef struct Solver {
  MbsThirdPartyRun *run;
  void *ida;
  N_Vector y, rate, kinds, integrals;
  N_Vector *S, *S_rate, *integral_slopes;
  SUNMatrix matrix;
  SUNLinearSolver linear;
} Solver;

// One of the adjoint's problems.
typedef struct Backward {
  MbsThirdPartyRun *run;
  int objective, which;
  bool is_integral;
  N_Vector y, rate, kinds, integral;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  double *of_end;  // by parameter: phi_rho - r_rho' u0
} Backward;

static double *data(N_Vector vector) { return N_VGetArrayPointer(vector); }

static bool is_done(int *code, int result) {
  *code = result;
  return result >= 0;
}

static MbsWeights weights_of(const MbsThirdPartyRun *run) {
  return mbs_formulation_weights(&run->flow.simulation->formulation, 0, 0);
}

static void copy(double *to, int count, const double *from) { memcpy(to, from, (size_t)count * sizeof *to); }
static void clear(double *to, int count) { memset(to, 0, (size_t)count * sizeof *to); }

// ---- the equations ----
static void place(MbsThirdPartyRun *run, double t, N_Vector y) {
  const MbsSystem *system = run->flow.system;
  MbsState *state = &run->flow.simulation->state;
  int n = system->n, m = system->m;
  mbs_flow_return_to_end(&run->flow, t);
  state->t = t;
  mbs_state_place_fixed(system, state);
  copy(state->q, n, data(y));
  copy(state->v, n, data(y) + n);
  copy(state->a, n, data(y) + 2 * n);
  copy(state->lambda, m, data(y) + 3 * n);
  copy(state->total, m, data(y) + 3 * n);
  mbs_signal_bank_accept(system, state, false);
  mbs_signal_bank_evaluate(system, state);
}

static int residual(sunrealtype t, N_Vector y, N_Vector rate, N_Vector result, void *user) {
  MbsThirdPartyRun *run = user;
  const MbsWeights weights = weights_of(run);
  int n = run->flow.system->n;
  place(run, t, y);
  for (int i = 0; i < 2 * n; ++i) {
    data(result)[i] = data(rate)[i] - data(y)[n + i];
  }
  mbs_terms_residual(run->flow.system, &run->flow.simulation->state, &weights, data(result) + 2 * n, NULL);
  return 0;
}

// F_y + c F_y', column by column along the unit vectors
static int jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector rate, N_Vector r, SUNMatrix matrix, void *user,
                    N_Vector x1, N_Vector x2, N_Vector x3) {
  MbsThirdPartyRun *run = user;
  const MbsSystem *system = run->flow.system;
  const MbsState *state = &run->flow.simulation->state;
  const MbsWeights weights = weights_of(run);
  double *unit = run->unit;
  const double *zero = system->zeros;
  int n = system->n;
  (void)rate, (void)r, (void)x1, (void)x2, (void)x3;
  place(run, t, y);
  (void)SUNMatZero(matrix);
  clear(unit, system->nq + system->m);
  for (int i = 0; i < n; ++i) {
    SUNDenseMatrix_Column(matrix, i)[i] = SUNDenseMatrix_Column(matrix, n + i)[n + i] = c;
    SUNDenseMatrix_Column(matrix, n + i)[i] = SUNDenseMatrix_Column(matrix, 2 * n + i)[n + i] = -1;
  }
  for (int j = 0; j < 3 * n + system->m; ++j) {
    int level = j < 3 * n ? j / n : 3, i = j - level * n;
    unit[i] = 1;
    mbs_terms_derivative(system, state, &weights, 1, false, level == 0 ? unit : zero, level == 1 ? unit : zero,
                         level == 2 ? unit : NULL, level == 3 ? unit : NULL, SUNDenseMatrix_Column(matrix, j) + 2 * n);
    unit[i] = 0;
  }
  return 0;
}

static int integrands(sunrealtype t, N_Vector y, N_Vector rate, N_Vector result, void *user) {
  MbsThirdPartyRun *run = user;
  const MbsSimulation *simulation = run->flow.simulation;
  (void)rate;
  place(run, t, y);
  for (int i = 0; i < run->integral_count; ++i) {
    const MbsFunction *function = &simulation->objectives.items[run->integrals[i]].function;
    data(result)[i] = mbs_function_value(run->flow.system, function, &simulation->state);
  }
  return 0;
}

// ---- forward ----
static void place_columns(MbsThirdPartyRun *run, int count, N_Vector *S) {
  const MbsSystem *system = run->flow.system;
  const MbsColumns *columns = &run->flow.simulation->columns;
  int n = system->n, nq = system->nq, m = system->m;
  mbs_system_fixed_columns(system, run->flow.simulation->state.t, columns->X, columns->V, columns->A);
  for (int k = 0; k < count; ++k) {
    copy(columns->X + k * nq, n, data(S[k]));
    copy(columns->V + k * nq, n, data(S[k]) + n);
    copy(columns->A + k * nq, n, data(S[k]) + 2 * n);
    copy(columns->L + k * m, m, data(S[k]) + 3 * n);
    copy(columns->T + k * m, m, data(S[k]) + 3 * n);
  }
}

static int column_residuals(int count, sunrealtype t, N_Vector y, N_Vector rate, N_Vector r, N_Vector *S,
                            N_Vector *S_rate, N_Vector *result, void *user, N_Vector a, N_Vector b, N_Vector c) {
  MbsThirdPartyRun *run = user;
  const MbsSystem *system = run->flow.system;
  const MbsColumns *columns = &run->flow.simulation->columns;
  const MbsWeights weights = weights_of(run);
  int n = system->n, size = n + system->m;
  (void)rate, (void)r, (void)a, (void)b, (void)c;
  place(run, t, y);
  place_columns(run, count, S);
  clear(run->flow.R, size * count);
  mbs_terms_derivative(system, &run->flow.simulation->state, &weights, count, true, columns->X, columns->V, columns->A,
                       columns->L, run->flow.R);
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < 2 * n; ++i) {
      data(result[k])[i] = data(S_rate[k])[i] - data(S[k])[n + i];
    }
    copy(data(result[k]) + 2 * n, size, run->flow.R + k * size);
  }
  return 0;
}

static int integrand_slopes(int count, sunrealtype t, N_Vector y, N_Vector rate, N_Vector *S, N_Vector *S_rate,
                            N_Vector g, N_Vector *result, void *user, N_Vector a, N_Vector b, N_Vector c) {
  MbsThirdPartyRun *run = user;
  const MbsSimulation *simulation = run->flow.simulation;
  (void)rate, (void)S_rate, (void)g, (void)a, (void)b, (void)c;
  place(run, t, y);
  place_columns(run, count, S);
  mbs_signal_bank_differentiate(run->flow.system, &simulation->state, &simulation->columns);
  for (int i = 0; i < run->integral_count; ++i) {
    const MbsFunction *function = &simulation->objectives.items[run->integrals[i]].function;
    (void)mbs_function_evaluate(run->flow.system, function, &simulation->state, NULL);
    for (int k = 0; k < count; ++k) {
      data(result[k])[i] =
          mbs_function_derivative(run->flow.system, function, &simulation->state, k, &simulation->columns, NULL);
    }
  }
  return 0;
}

// ---- set-up ----
static void destroy(Solver *solver) {
  int columns = solver->run->flow.column_count;
  IDAFree(&solver->ida);
  if (solver->linear) {
    (void)SUNLinSolFree(solver->linear);
  }
  SUNMatDestroy(solver->matrix);
  N_Vector *const arrays[] = {solver->S, solver->S_rate, solver->integral_slopes};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    if (arrays[i]) {
      N_VDestroyVectorArray(arrays[i], columns);
    }
  }
  const N_Vector vectors[] = {solver->y, solver->rate, solver->kinds, solver->integrals};
  for (int i = 0; i < MBS_COUNT(vectors); ++i) {
    if (vectors[i]) {
      N_VDestroy(vectors[i]);
    }
  }
}

static bool create_matrix(MbsThirdPartyRun *run, N_Vector like, SUNMatrix *matrix, SUNLinearSolver *linear) {
  sunindextype size = N_VGetLength(like);
  *matrix = SUNDenseMatrix(size, size, run->sundials);
  *linear = *matrix ? SUNLinSol_Dense(like, *matrix, run->sundials) : NULL;
  return *linear != NULL;
}

// Of (q, v, a, lambda) and of (p, w, u) alike: the first 2 n are differential.
static bool create_vectors(MbsThirdPartyRun *run, N_Vector *y, N_Vector *rate, N_Vector *kinds) {
  int n = run->flow.system->n, size = 3 * n + run->flow.system->m;
  *y = N_VNew_Serial(size, run->sundials);
  *rate = N_VNew_Serial(size, run->sundials);
  *kinds = N_VNew_Serial(size, run->sundials);
  for (int i = 0; i < size && *kinds; ++i) {
    data(*kinds)[i] = i < 2 * n;
  }
  return *y && *rate && *kinds;
}

// y and y' from (q, v, a, lambda), whose algebraic part has no rate that anybody needs
static void put(const MbsSystem *system, const double *const parts[4], double *y, double *rate) {
  int n = system->n;
  for (int level = 0; level < 3; ++level) {
    copy(y + level * n, n, parts[level]);
  }
  copy(y + 3 * n, system->m, parts[3]);
  copy(rate, 2 * n, y + n);
  clear(rate + 2 * n, n + system->m);
}

static bool create(MbsThirdPartyRun *run, Solver *solver, int *code) {
  const MbsState *state = &run->flow.simulation->state;
  double tolerance = run->tolerance;
  *solver = (Solver){.run = run};
  *code = IDA_MEM_FAIL;
  solver->ida = IDACreate(run->sundials);
  if (!solver->ida || !create_vectors(run, &solver->y, &solver->rate, &solver->kinds) ||
      !create_matrix(run, solver->y, &solver->matrix, &solver->linear)) {
    return false;
  }
  put(run->flow.system, (const double *const[]){state->q, state->v, state->a, state->lambda}, data(solver->y),
      data(solver->rate));
  void *ida = solver->ida;
  bool is_good = is_done(code, IDASetErrHandlerFn(ida, mbs_sundials_listen, run)) &&
                 is_done(code, IDAInit(ida, residual, 0, solver->y, solver->rate)) &&
                 is_done(code, IDASStolerances(ida, tolerance, absolute * tolerance)) &&
                 is_done(code, IDASetUserData(ida, run)) && is_done(code, IDASetId(ida, solver->kinds)) &&
                 is_done(code, IDASetSuppressAlg(ida, true)) &&
                 is_done(code, IDASetLinearSolver(ida, solver->linear, solver->matrix)) &&
                 is_done(code, IDASetJacFn(ida, jacobian)) && is_done(code, IDASetStopTime(ida, run->end)) &&
                 is_done(code, IDASetMaxStep(ida, run->longest));
  if (!is_good || run->integral_count == 0) {
    return is_good;
  }
  solver->integrals = N_VNew_Serial(run->integral_count, run->sundials);
  if (!solver->integrals) {
    *code = IDA_MEM_FAIL;
    return false;
  }
  N_VConst(0, solver->integrals);
  return is_done(code, IDAQuadInit(ida, integrands, solver->integrals)) && is_done(code, IDASetQuadErrCon(ida, true)) &&
         is_done(code, IDAQuadSStolerances(ida, tolerance, absolute * tolerance));
}

static bool create_columns(Solver *solver, int *code) {
  MbsThirdPartyRun *run = solver->run;
  const MbsColumns *start = &run->flow.simulation->columns;
  void *ida = solver->ida;
  int columns = run->flow.column_count, nq = run->flow.system->nq, m = run->flow.system->m;
  *code = IDA_MEM_FAIL;
  solver->S = N_VCloneVectorArray(columns, solver->y);
  solver->S_rate = N_VCloneVectorArray(columns, solver->y);
  if (!solver->S || !solver->S_rate) {
    return false;
  }
  for (int k = 0; k < columns; ++k) {
    const double *const parts[] = {start->X + k * nq, start->V + k * nq, start->A + k * nq, start->L + k * m};
    put(run->flow.system, parts, data(solver->S[k]), data(solver->S_rate[k]));
  }
  bool is_good = is_done(code, IDASensInit(ida, columns, IDA_STAGGERED, column_residuals, solver->S, solver->S_rate)) &&
                 is_done(code, IDASetSensParams(ida, NULL, run->scales, NULL)) &&
                 is_done(code, IDASensEEtolerances(ida)) && is_done(code, IDASetSensErrCon(ida, true));
  if (!is_good || run->integral_count == 0) {
    return is_good;
  }
  solver->integral_slopes = N_VCloneVectorArray(columns, solver->integrals);
  if (!solver->integral_slopes) {
    *code = IDA_MEM_FAIL;
    return false;
  }
  for (int k = 0; k < columns; ++k) {
    N_VConst(0, solver->integral_slopes[k]);
  }
  return is_done(code, IDAQuadSensInit(ida, integrand_slopes, solver->integral_slopes)) &&
         is_done(code, IDASetQuadSensErrCon(ida, true)) && is_done(code, IDAQuadSensEEtolerances(ida));
}

// Step by step to the end; code: IDA_TSTOP_RETURN, or what went wrong.
static void go(Solver *solver, bool is_stored, long most, int *code) {
  MbsThirdPartyRun *run = solver->run;
  sunrealtype t = 0;
  int checkpoints = 0;
  *code = IDA_SUCCESS;
  for (run->steps = 0; *code == IDA_SUCCESS && mbs_sundials_goes_on(run, t / run->end); ++run->steps) {
    *code = run->steps >= most ? IDA_TOO_MUCH_WORK
            : is_stored ? IDASolveF(solver->ida, run->end, &t, solver->y, solver->rate, IDA_ONE_STEP, &checkpoints)
                        : IDASolve(solver->ida, run->end, &t, solver->y, solver->rate, IDA_ONE_STEP);
  }
}

static void observe(const Solver *solver) {
  long iterations = 0;
  (void)IDAGetNumNonlinSolvIters(solver->ida, &iterations);
  mbs_sundials_observe(solver->run, iterations);
}

static int give_forward(Solver *solver) {
  MbsThirdPartyRun *run = solver->run;
  int columns = run->flow.column_count, count = run->integral_count, code = IDA_SUCCESS;
  sunrealtype t;
  bool is_good = is_done(&code, IDAGetSens(solver->ida, &t, solver->S));
  if (is_good && count > 0) {
    is_good = is_done(&code, IDAGetQuad(solver->ida, &t, solver->integrals)) &&
              is_done(&code, IDAGetQuadSens(solver->ida, &t, solver->integral_slopes));
  }
  if (!is_good) {
    return code;
  }
  place(run, run->end, solver->y);
  place_columns(run, columns, solver->S);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < columns; ++k) {
      run->slopes[i * columns + k] = data(solver->integral_slopes[k])[i];
    }
  }
  mbs_sundials_give(run, count > 0 ? data(solver->integrals) : NULL, run->slopes);
  observe(solver);
  return IDA_SUCCESS;
}

MbsStatus mbs_idas_forward(MbsThirdPartyRun *run, bool is_stiff, int *code) {
  Solver solver;
  (void)is_stiff;  // BDF is all there is
  if (create(run, &solver, code) && create_columns(&solver, code)) {
    go(&solver, false, MOST_STEPS, code);
    *code = *code == IDA_TSTOP_RETURN ? give_forward(&solver) : *code;
  }
  destroy(&solver);
  return *code == IDA_SUCCESS ? MBS_OK : mbs_sundials_fail(run, "IDAS", *code);
}

// ---- adjoint ----
// s of u, and of an objective's function unless it is -1, where the state is placed: in the flow's bar
static void transposed(MbsThirdPartyRun *run, const double *u, int objective) {
  const MbsSystem *system = run->flow.system;
  const MbsState *state = &run->flow.simulation->state;
  const MbsStateBar *bar = &run->flow.bar;
  const MbsWeights weights = weights_of(run);
  int n = system->n;
  mbs_bar_clear(system, bar);
  if (objective >= 0) {
    const MbsFunction *function = &run->flow.simulation->objectives.items[objective].function;
    (void)mbs_function_evaluate(system, function, state, NULL);
    mbs_function_transposed(system, function, state, 1, bar);
  }
  for (int i = 0; i < system->m; ++i) {
    bar->lambda[i] += bar->total[i];
  }
  for (int i = 0; i < n + system->m; ++i) {
    run->u[i] = -u[i];
  }
  mbs_terms_transposed(system, state, &weights, MBS_PART_ALL, run->u, run->u + n, bar);
  mbs_signal_bank_evaluate(system, state);
}

static int backward_residual(sunrealtype t, N_Vector y, N_Vector rate, N_Vector Y, N_Vector Y_rate, N_Vector result,
                             void *user) {
  Backward *backward = user;
  const MbsStateBar *bar = &backward->run->flow.bar;
  const double *p = data(Y), *p_rate = data(Y_rate);
  int n = backward->run->flow.system->n;
  double *r = data(result);
  (void)rate;
  place(backward->run, t, y);
  transposed(backward->run, p + 2 * n, backward->is_integral ? backward->objective : -1);
  for (int i = 0; i < n; ++i) {
    r[i] = p_rate[i] + bar->q[i];
    r[n + i] = p_rate[n + i] + p[i] + bar->v[i];
    r[2 * n + i] = p[n + i] + bar->a[i];
  }
  copy(r + 3 * n, backward->run->flow.system->m, bar->lambda);
  return 0;
}

static int backward_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector rate, N_Vector Y, N_Vector Y_rate,
                             N_Vector r, SUNMatrix matrix, void *user, N_Vector x1, N_Vector x2, N_Vector x3) {
  Backward *backward = user;
  MbsThirdPartyRun *run = backward->run;
  int n = run->flow.system->n, m = run->flow.system->m;
  (void)rate, (void)Y, (void)Y_rate, (void)r, (void)x1, (void)x2, (void)x3;
  place(run, t, y);
  (void)SUNMatZero(matrix);
  for (int i = 0; i < n; ++i) {
    SUNDenseMatrix_Column(matrix, i)[i] = c;
    SUNDenseMatrix_Column(matrix, i)[n + i] = 1;
    SUNDenseMatrix_Column(matrix, n + i)[n + i] = c;
    SUNDenseMatrix_Column(matrix, n + i)[2 * n + i] = 1;
  }
  clear(run->unit, n + m);
  for (int j = 0; j < n + m; ++j) {
    double *column = SUNDenseMatrix_Column(matrix, 2 * n + j);
    run->unit[j] = 1;
    transposed(run, run->unit, -1);
    run->unit[j] = 0;
    copy(column, n, run->flow.bar.q);
    copy(column + n, n, run->flow.bar.v);
    copy(column + 2 * n, n, run->flow.bar.a);
    copy(column + 3 * n, m, run->flow.bar.lambda);
  }
  return 0;
}

// what parameters have received in the flow's bar
static void chain(MbsThirdPartyRun *run, double *by_parameter) {
  const MbsStateBar *bar = &run->flow.bar;
  clear(by_parameter, run->flow.column_count);
  mbs_system_fixed_transposed(run->flow.system, run->flow.simulation->state.t, bar, by_parameter);
  mbs_system_chain(run->flow.system, bar->coefficients, bar->parameters, by_parameter);
}

// from the end to the start: -s_rho
static int backward_integrand(sunrealtype t, N_Vector y, N_Vector rate, N_Vector Y, N_Vector Y_rate, N_Vector result,
                              void *user) {
  Backward *backward = user;
  (void)rate, (void)Y_rate;
  place(backward->run, t, y);
  transposed(backward->run, data(Y) + 2 * backward->run->flow.system->n,
             backward->is_integral ? backward->objective : -1);
  chain(backward->run, data(result));
  N_VScale(-1, result, result);
  return 0;
}

// u of w + s_a = 0, s_lambda = 0 for the matrix at hand, a backward problem's
static bool find_u(MbsThirdPartyRun *run, int objective, SUNMatrix matrix, const double *w, double *u) {
  int n = run->flow.system->n, size = n + run->flow.system->m;
  clear(u, size);
  transposed(run, u, objective);
  for (int i = 0; i < size; ++i) {
    u[i] = -(i < n ? w[i] + run->flow.bar.a[i] : run->flow.bar.lambda[i - n]);
    for (int j = 0; j < size; ++j) {
      run->dense[i * size + j] = SUNDenseMatrix_Column(matrix, 2 * n + j)[2 * n + i];
    }
  }
  bool is_regular = mbs_dense_factor(size, run->dense, run->pivot);
  if (is_regular) {
    mbs_dense_solve(size, run->dense, run->pivot, u);
  }
  return is_regular;
}

// p, w, u at the end, where the state is placed
static bool begin_backward(const Solver *solver, Backward *backward) {
  MbsThirdPartyRun *run = backward->run;
  int n = run->flow.system->n;
  double *p = data(backward->y), *w = p + n, *u = w + n, *rate = data(backward->rate);
  (void)backward_jacobian(run->end, 0, solver->y, solver->rate, NULL, NULL, NULL, backward->matrix, backward, NULL,
                          NULL, NULL);
  N_VConst(0, backward->y);
  N_VConst(0, backward->rate);
  N_VConst(0, backward->integral);
  if (!backward->is_integral) {
    if (!find_u(run, backward->objective, backward->matrix, w, u)) {
      return false;
    }
    transposed(run, u, backward->objective);
    copy(p, n, run->flow.bar.q);
    copy(w, n, run->flow.bar.v);
    chain(run, backward->of_end);
  }
  int objective = backward->is_integral ? backward->objective : -1;
  bool is_regular = find_u(run, objective, backward->matrix, w, u);
  transposed(run, u, objective);
  for (int i = 0; i < n; ++i) {
    rate[i] = -run->flow.bar.q[i];
    rate[n + i] = -p[i] - run->flow.bar.v[i];
  }
  return is_regular;
}

static bool create_backward(Solver *solver, Backward *backward, int *code) {
  MbsThirdPartyRun *run = solver->run;
  void *ida = solver->ida;
  double tolerance = run->tolerance;
  int *which = &backward->which;
  *code = IDA_MEM_FAIL;
  backward->integral = N_VNew_Serial(run->flow.column_count, run->sundials);
  if (!backward->integral || !create_vectors(run, &backward->y, &backward->rate, &backward->kinds) ||
      !create_matrix(run, backward->y, &backward->matrix, &backward->linear)) {
    return false;
  }
  if (!begin_backward(solver, backward)) {
    *code = IDA_LSETUP_FAIL;
    return false;
  }
  return is_done(code, IDACreateB(ida, which)) &&
         is_done(code, IDAInitB(ida, *which, backward_residual, run->end, backward->y, backward->rate)) &&
         is_done(code, IDASetErrHandlerFn(IDAGetAdjIDABmem(ida, *which), mbs_sundials_listen, run)) &&
         is_done(code, IDASStolerancesB(ida, *which, tolerance, absolute * tolerance)) &&
         is_done(code, IDASetUserDataB(ida, *which, backward)) &&
         is_done(code, IDASetIdB(ida, *which, backward->kinds)) &&
         is_done(code, IDASetSuppressAlgB(ida, *which, true)) &&
         is_done(code, IDASetLinearSolverB(ida, *which, backward->linear, backward->matrix)) &&
         is_done(code, IDASetJacFnB(ida, *which, backward_jacobian)) &&
         is_done(code, IDASetMaxStepB(ida, *which, run->longest)) &&
         is_done(code, IDASetMaxNumStepsB(ida, *which, MOST_STEPS)) &&
         is_done(code, IDAQuadInitB(ida, *which, backward_integrand, backward->integral)) &&
         is_done(code, IDASetQuadErrConB(ida, *which, true)) &&
         is_done(code, IDAQuadSStolerancesB(ida, *which, tolerance, absolute * tolerance));
}

static void destroy_backward(Backward *backward) {
  if (backward->linear) {
    (void)SUNLinSolFree(backward->linear);
  }
  SUNMatDestroy(backward->matrix);
  const N_Vector vectors[] = {backward->y, backward->rate, backward->kinds, backward->integral};
  for (int i = 0; i < MBS_COUNT(vectors); ++i) {
    if (vectors[i]) {
      N_VDestroy(vectors[i]);
    }
  }
}

static bool run_there(Solver *solver, int *code) {
  MbsThirdPartyRun *run = solver->run;
  sunrealtype t;
  if (!is_done(code, IDAAdjInit(solver->ida, run->stored + 1, IDA_POLYNOMIAL))) {
    return false;
  }
  go(solver, true, MOST_STEPS < run->stored ? MOST_STEPS : run->stored, code);
  bool is_good = *code == IDA_TSTOP_RETURN;
  if (is_good && run->integral_count > 0) {
    is_good = is_done(code, IDAGetQuad(solver->ida, &t, solver->integrals));
  }
  if (is_good) {
    place(run, run->end, solver->y);
    mbs_sundials_give(run, run->integral_count > 0 ? data(solver->integrals) : NULL, NULL);
    observe(solver);
    is_good = mbs_flow_keep_end(&run->flow, run->end) == MBS_OK;
  }
  return is_good;
}

static bool run_back(Solver *solver, int count, Backward *backward, int *code) {
  MbsThirdPartyRun *run = solver->run;
  sunrealtype t;
  bool is_good = is_done(code, IDASolveB(solver->ida, 0, IDA_NORMAL));
  for (int o = 0; o < count && is_good; ++o) {
    is_good = is_done(code, IDAGetB(solver->ida, backward[o].which, &t, backward[o].y, backward[o].rate)) &&
              is_done(code, IDAGetQuadB(solver->ida, backward[o].which, &t, backward[o].integral));
  }
  is_good = is_good && is_done(code, mbs_flow_place(&run->flow, 0, run->flow.start)) && *code == 0;
  for (int o = 0; o < count && is_good; ++o) {
    is_good = mbs_sundials_give_adjoint(run, o, data(backward[o].y), data(backward[o].integral), backward[o].of_end) ==
              MBS_OK;
  }
  return is_good;
}

MbsStatus mbs_idas_adjoint(MbsThirdPartyRun *run, bool is_stiff, int *code) {
  const MbsSweep *sweep = run->flow.session->sweep;
  Solver solver;
  Backward *backward;
  (void)is_stiff;
  MBS_TAKE(run->flow.context, run->flow.system->arena, backward, sweep->objective_count);
  for (int o = 0; o < sweep->objective_count; ++o) {
    int objective = sweep->objectives[o];
    backward[o] =
        (Backward){.run = run,
                   .objective = objective,
                   .is_integral = run->flow.simulation->objectives.items[objective].kind == MBS_OBJECTIVE_IS_INTEGRAL};
    MBS_TAKE(run->flow.context, run->flow.system->arena, backward[o].of_end, run->flow.column_count);
  }
  bool is_good = create(run, &solver, code) && run_there(&solver, code);
  for (int o = 0; o < sweep->objective_count && is_good; ++o) {
    is_good = create_backward(&solver, &backward[o], code);
  }
  is_good = is_good && run_back(&solver, sweep->objective_count, backward, code);
  destroy(&solver);
  for (int o = 0; o < sweep->objective_count; ++o) {
    destroy_backward(&backward[o]);
  }
  return is_good ? MBS_OK : mbs_sundials_fail(run, "IDAS", *code);
}
