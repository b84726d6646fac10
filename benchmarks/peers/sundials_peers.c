// See peers.h. CVODES: Adams' methods with fixed-point iteration, as these equations are not stiff, staggered
// sensitivities under error control; psi is one more state, so that its derivatives are among the sensitivities
// (quadratures of sensitivities of CVODES 6.4 read what is not set). IDAS: BDF, dense matrices from directions.
#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <stddef.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "algebra/dense.h"
#include "peers.h"

enum { COLUMNS = 2, MOST_STEPS = 1000000 };
static const double end = 5, absolute = 1e-2;

static double *data(N_Vector vector) { return N_VGetArrayPointer(vector); }
static void quiet(int code, const char *module, const char *function, char *message, void *user) {
  (void)code, (void)module, (void)function, (void)message, (void)user;
}

// ---- CVODES ----
static void give_psi(const double *y, int place, double *g) {
  *g = y[place] * y[place] + (y[place + 1] + 2) * (y[place + 1] + 2);
}

static int forward_rate(sunrealtype t, N_Vector y, N_Vector f, void *user) {
  const HandSystem *system = user;
  (void)t;
  system->rate(data(y), hand_parameters, data(f), 0, NULL, NULL, NULL);
  if (N_VGetLength(y) > system->size) {
    give_psi(data(y), system->place, &data(f)[system->size]);
  }
  return 0;
}

static int column_rate(int count, sunrealtype t, N_Vector y, N_Vector fy, N_Vector *S, N_Vector *result, void *user,
                       N_Vector a, N_Vector b) {
  static const double P[2 * COLUMNS] = {1, 0, 0, 1};
  const HandSystem *system = user;
  int n = system->size, place = system->place;
  double Y[COLUMNS * HAND_MOST], F[COLUMNS * HAND_MOST], f[HAND_MOST];
  (void)t, (void)fy, (void)a, (void)b;
  for (int c = 0; c < count; ++c) {
    memcpy(Y + c * n, data(S[c]), (size_t)n * sizeof *Y);
  }
  system->rate(data(y), hand_parameters, f, count, Y, P, F);
  for (int c = 0; c < count; ++c) {
    memcpy(data(result[c]), F + c * n, (size_t)n * sizeof *F);
    data(result[c])[n] = 2 * (data(y)[place] * Y[c * n + place] + (data(y)[place + 1] + 2) * Y[c * n + place + 1]);
  }
  return 0;
}

long peer_cvodes_forward(const HandSystem *system, double tolerance, double *gradient) {
  static double scales[COLUMNS];
  SUNContext context;
  long steps = -1;
  sunrealtype t = 0;
  if (SUNContext_Create(NULL, &context) != 0) {
    return -1;
  }
  void *cvode = CVodeCreate(CV_ADAMS, context);
  N_Vector y = N_VNew_Serial(system->size + 1, context), *S = N_VCloneVectorArray(COLUMNS, y);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, context);
  SUNNonlinearSolver column_solver = SUNNonlinSol_FixedPointSens(COLUMNS, y, 0, context);
  N_VConst(0, y);
  memcpy(data(y), system->start, (size_t)system->size * sizeof(double));
  for (int c = 0; c < COLUMNS; ++c) {
    N_VConst(0, S[c]);
    scales[c] = hand_parameters[c];
  }
  (void)CVodeInit(cvode, forward_rate, 0, y);
  (void)CVodeSetErrHandlerFn(cvode, quiet, NULL);
  (void)CVodeSStolerances(cvode, tolerance, absolute * tolerance);
  (void)CVodeSetUserData(cvode, (void *)system);
  (void)CVodeSetNonlinearSolver(cvode, solver);
  (void)CVodeSetMaxNumSteps(cvode, MOST_STEPS);
  (void)CVodeSetStopTime(cvode, end);
  (void)CVodeSensInit(cvode, COLUMNS, CV_STAGGERED, column_rate, S);
  (void)CVodeSetSensParams(cvode, NULL, scales, NULL);
  (void)CVodeSensEEtolerances(cvode);
  (void)CVodeSetSensErrCon(cvode, true);
  (void)CVodeSetNonlinearSolverSensStg(cvode, column_solver);
  if (CVode(cvode, end, y, &t, CV_NORMAL) >= 0 && CVodeGetSens(cvode, &t, S) >= 0) {
    (void)CVodeGetNumSteps(cvode, &steps);
    gradient[0] = data(S[0])[system->size];
    gradient[1] = data(S[1])[system->size];
  }
  CVodeFree(&cvode);
  (void)SUNNonlinSolFree(solver);
  (void)SUNNonlinSolFree(column_solver);
  N_VDestroyVectorArray(S, COLUMNS);
  N_VDestroy(y);
  (void)SUNContext_Free(&context);
  return steps;
}

// mu = (m, l): -m' = (l.s)_x + g_x, -l' = m + (l.s)_x'; its integral of (l.s)_L is psi'
static int backward_rate(sunrealtype t, N_Vector y, N_Vector mu, N_Vector result, void *user) {
  const HandSystem *system = user;
  int half = system->size / 2, place = system->place;
  double by_y[HAND_MOST], by_L[2];
  (void)t;
  system->transposed(data(y), hand_parameters, data(mu) + half, by_y, by_L);
  by_y[place] += 2 * data(y)[place];
  by_y[place + 1] += 2 * (data(y)[place + 1] + 2);
  for (int i = 0; i < half; ++i) {
    data(result)[i] = -by_y[i];
    data(result)[half + i] = -by_y[half + i] - data(mu)[i];
  }
  return 0;
}

static int backward_integrand(sunrealtype t, N_Vector y, N_Vector mu, N_Vector result, void *user) {
  const HandSystem *system = user;
  double by_y[HAND_MOST];
  (void)t;
  system->transposed(data(y), hand_parameters, data(mu) + system->size / 2, by_y, data(result));
  N_VScale(-1, result, result);
  return 0;
}

long peer_cvodes_adjoint(const HandSystem *system, double tolerance, double *gradient) {
  SUNContext context;
  long steps = -1;
  int which = 0, checkpoints = 0;
  sunrealtype t = 0;
  if (SUNContext_Create(NULL, &context) != 0) {
    return -1;
  }
  void *cvode = CVodeCreate(CV_ADAMS, context);
  N_Vector y = N_VNew_Serial(system->size, context), mu = N_VClone(y), integral = N_VNew_Serial(COLUMNS, context);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, context), back = SUNNonlinSol_FixedPoint(mu, 0, context);
  memcpy(data(y), system->start, (size_t)system->size * sizeof(double));
  N_VConst(0, mu);
  N_VConst(0, integral);
  (void)CVodeInit(cvode, forward_rate, 0, y);
  (void)CVodeSetErrHandlerFn(cvode, quiet, NULL);
  (void)CVodeSStolerances(cvode, tolerance, absolute * tolerance);
  (void)CVodeSetUserData(cvode, (void *)system);
  (void)CVodeSetNonlinearSolver(cvode, solver);
  (void)CVodeSetMaxNumSteps(cvode, MOST_STEPS);
  (void)CVodeSetStopTime(cvode, end);
  (void)CVodeAdjInit(cvode, 500, CV_POLYNOMIAL);
  bool is_good = CVodeF(cvode, end, y, &t, CV_NORMAL, &checkpoints) >= 0;
  (void)CVodeGetNumSteps(cvode, &steps);
  is_good =
      is_good && CVodeCreateB(cvode, CV_ADAMS, &which) >= 0 && CVodeInitB(cvode, which, backward_rate, end, mu) >= 0 &&
      CVodeSStolerancesB(cvode, which, tolerance, absolute * tolerance) >= 0 &&
      CVodeSetUserDataB(cvode, which, (void *)system) >= 0 && CVodeSetNonlinearSolverB(cvode, which, back) >= 0 &&
      CVodeSetMaxNumStepsB(cvode, which, MOST_STEPS) >= 0 &&
      CVodeQuadInitB(cvode, which, backward_integrand, integral) >= 0 && CVodeSetQuadErrConB(cvode, which, true) >= 0 &&
      CVodeQuadSStolerancesB(cvode, which, tolerance, absolute * tolerance) >= 0 && CVodeB(cvode, 0, CV_NORMAL) >= 0 &&
      CVodeGetQuadB(cvode, which, &t, integral) >= 0;
  gradient[0] = data(integral)[0];
  gradient[1] = data(integral)[1];
  CVodeFree(&cvode);
  (void)SUNNonlinSolFree(solver);
  (void)SUNNonlinSolFree(back);
  N_VDestroy(integral);
  N_VDestroy(mu);
  N_VDestroy(y);
  (void)SUNContext_Free(&context);
  return is_good ? steps : -1;
}

// ---- IDAS: y = (q, v, lambda, psi) ----
enum { SIZE = HAND_INDEX1 + 1, LEFT = 10 };

static int residual(sunrealtype t, N_Vector y, N_Vector rate, N_Vector result, void *user) {
  double *r = data(result), g;
  (void)t, (void)user;
  for (int i = 0; i < 6; ++i) {
    r[i] = data(rate)[i] - data(y)[6 + i];
  }
  hand_index1(data(y), data(rate) + 6, hand_parameters, r + 6, 0, NULL, NULL, NULL, NULL);
  give_psi(data(y), 2, &g);
  r[SIZE - 1] = data(rate)[SIZE - 1] - g;
  return 0;
}

static int jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector rate, N_Vector r, SUNMatrix matrix, void *user,
                    N_Vector x1, N_Vector x2, N_Vector x3) {
  static const double P[2 * HAND_INDEX1];
  double Y[HAND_INDEX1 * HAND_INDEX1] = {0}, A[HAND_INDEX1 * 6] = {0}, R[HAND_INDEX1 * LEFT], left[LEFT];
  (void)t, (void)r, (void)user, (void)x1, (void)x2, (void)x3;
  for (int j = 0; j < HAND_INDEX1; ++j) {
    Y[j * HAND_INDEX1 + j] = 1;
    if (j >= 6 && j < 12) {
      A[j * 6 + j - 6] = c;
    }
  }
  hand_index1(data(y), data(rate) + 6, hand_parameters, left, HAND_INDEX1, Y, A, P, R);
  (void)SUNMatZero(matrix);
  for (int j = 0; j < HAND_INDEX1; ++j) {
    double *column = SUNDenseMatrix_Column(matrix, j);
    memcpy(column + 6, R + j * LEFT, LEFT * sizeof *R);
    if (j < 12) {
      column[j % 6] = j < 6 ? c : -1;
    }
  }
  SUNDenseMatrix_Column(matrix, 2)[SIZE - 1] = -2 * data(y)[2];
  SUNDenseMatrix_Column(matrix, 3)[SIZE - 1] = -2 * (data(y)[3] + 2);
  SUNDenseMatrix_Column(matrix, SIZE - 1)[SIZE - 1] = c;
  return 0;
}

static int column_residual(int count, sunrealtype t, N_Vector y, N_Vector rate, N_Vector r, N_Vector *S,
                           N_Vector *S_rate, N_Vector *result, void *user, N_Vector a, N_Vector b, N_Vector c) {
  static const double P[2 * COLUMNS] = {1, 0, 0, 1};
  double Y[COLUMNS * HAND_INDEX1], A[COLUMNS * 6], R[COLUMNS * LEFT], left[LEFT];
  (void)t, (void)r, (void)user, (void)a, (void)b, (void)c;
  for (int k = 0; k < count; ++k) {
    memcpy(Y + k * HAND_INDEX1, data(S[k]), HAND_INDEX1 * sizeof *Y);
    memcpy(A + k * 6, data(S_rate[k]) + 6, 6 * sizeof *A);
  }
  hand_index1(data(y), data(rate) + 6, hand_parameters, left, count, Y, A, P, R);
  for (int k = 0; k < count; ++k) {
    double *to = data(result[k]);
    for (int i = 0; i < 6; ++i) {
      to[i] = data(S_rate[k])[i] - data(S[k])[6 + i];
    }
    memcpy(to + 6, R + k * LEFT, LEFT * sizeof *R);
    to[SIZE - 1] = data(S_rate[k])[SIZE - 1] -
                   2 * (data(y)[2] * Y[k * HAND_INDEX1 + 2] + (data(y)[3] + 2) * Y[k * HAND_INDEX1 + 3]);
  }
  return 0;
}

// a and lambda of the start, and their derivatives: [M Phi_q'; Phi_q 0] x = -r
static bool start(double *y, double *rate, N_Vector *S, N_Vector *S_rate) {
  static const double P[2 * COLUMNS] = {1, 0, 0, 1}, no_P[2 * LEFT];
  double Y[LEFT * HAND_INDEX1] = {0}, A[LEFT * 6] = {0}, R[LEFT * LEFT], K[LEFT * LEFT], left[LEFT];
  double none[COLUMNS * HAND_INDEX1] = {0}, no_A[COLUMNS * 6] = {0}, L[COLUMNS * LEFT];
  int pivot[LEFT];
  for (int j = 0; j < LEFT; ++j) {
    *(j < 6 ? &A[j * 6 + j] : &Y[j * HAND_INDEX1 + 6 + j]) = 1;
  }
  hand_index1(y, rate + 6, hand_parameters, left, LEFT, Y, A, no_P, R);
  for (int i = 0; i < LEFT * LEFT; ++i) {
    K[i % LEFT * LEFT + i / LEFT] = R[i];
  }
  bool is_regular = mbs_dense_factor(LEFT, K, pivot);
  mbs_dense_solve(LEFT, K, pivot, left);
  for (int i = 0; i < LEFT; ++i) {
    *(i < 6 ? &rate[6 + i] : &y[6 + i]) = -left[i];
  }
  hand_index1(y, rate + 6, hand_parameters, left, COLUMNS, none, no_A, P, L);
  for (int k = 0; k < COLUMNS; ++k) {
    mbs_dense_solve(LEFT, K, pivot, L + k * LEFT);
    for (int i = 0; i < LEFT; ++i) {
      *(i < 6 ? &data(S_rate[k])[6 + i] : &data(S[k])[6 + i]) = -L[k * LEFT + i];
    }
  }
  return is_regular;
}

long peer_idas_forward(double tolerance, double *gradient) {
  static double scales[COLUMNS];
  SUNContext context;
  long steps = -1;
  sunrealtype t = 0;
  if (SUNContext_Create(NULL, &context) != 0) {
    return -1;
  }
  void *ida = IDACreate(context);
  N_Vector y = N_VNew_Serial(SIZE, context), rate = N_VClone(y), kinds = N_VClone(y);
  N_Vector *S = N_VCloneVectorArray(COLUMNS, y), *S_rate = N_VCloneVectorArray(COLUMNS, y);
  SUNMatrix matrix = SUNDenseMatrix(SIZE, SIZE, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
  N_VConst(0, y);
  N_VConst(0, rate);
  memcpy(data(y), hand_index1_start, sizeof hand_index1_start);
  for (int i = 0; i < SIZE; ++i) {
    data(kinds)[i] = i < 12 || i == SIZE - 1;
  }
  for (int c = 0; c < COLUMNS; ++c) {
    N_VConst(0, S[c]);
    N_VConst(0, S_rate[c]);
    scales[c] = hand_parameters[c];
  }
  bool is_good =
      start(data(y), data(rate), S, S_rate) && IDAInit(ida, residual, 0, y, rate) >= 0 &&
      IDASetErrHandlerFn(ida, quiet, NULL) >= 0 && IDASStolerances(ida, tolerance, absolute * tolerance) >= 0 &&
      IDASetId(ida, kinds) >= 0 && IDASetSuppressAlg(ida, true) >= 0 && IDASetLinearSolver(ida, linear, matrix) >= 0 &&
      IDASetJacFn(ida, jacobian) >= 0 && IDASetMaxNumSteps(ida, MOST_STEPS) >= 0 && IDASetStopTime(ida, end) >= 0 &&
      IDASensInit(ida, COLUMNS, IDA_STAGGERED, column_residual, S, S_rate) >= 0 &&
      IDASetSensParams(ida, NULL, scales, NULL) >= 0 && IDASensEEtolerances(ida) >= 0 &&
      IDASetSensErrCon(ida, true) >= 0 && IDASolve(ida, end, &t, y, rate, IDA_NORMAL) >= 0 &&
      IDAGetSens(ida, &t, S) >= 0;
  if (is_good) {
    (void)IDAGetNumSteps(ida, &steps);
    gradient[0] = data(S[0])[SIZE - 1];
    gradient[1] = data(S[1])[SIZE - 1];
  }
  IDAFree(&ida);
  (void)SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroyVectorArray(S, COLUMNS);
  N_VDestroyVectorArray(S_rate, COLUMNS);
  N_VDestroy(kinds);
  N_VDestroy(rate);
  N_VDestroy(y);
  (void)SUNContext_Free(&context);
  return steps;
}
