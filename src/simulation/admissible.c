// A generic admissible position: where the constraints hold and nothing is special.
//
// Which constraints are redundant can be seen at such a position only. Three parallel cranks of equal length under
// one bar move, because one of the constraints depends on the others wherever they hold; a little beside such a
// position they are independent and seem to leave no freedom. A start drawn in a straight line is the opposite:
// dependent there, independent at every position nearby that is admissible. So: shake, then go back to Phi = 0.
//
// Phi_q may lose rank where Phi = 0, so plain Newton is of no use. Levenberg and Marquardt's step
//     (Phi_q' Phi_q + mu I) dq = -Phi_q' Phi,      mu = |Phi|^2,
// converges quadratically to a nearby zero all the same (Yamashita, Fukushima 2001).
#include <math.h>

#include "simulation/initial.h"

// beyond this many coordinates the dense matrix takes too long
enum { MOST_COORDINATES = 400, MOST_ITERATIONS = 60 };

typedef struct Projection {
  const MbsSystem *system;
  mbs_scalar *levels, *tangent;  // Phi, m; the system's matrix
  double *jacobian;              // m x n
  double *matrix, *step;         // n x n; n
} Projection;

// Phi' Phi at the state
static double square_of_residual(const Projection *p, const MbsState *state) {
  double sum = 0;
  mbs_terms_constraints(p->system, state, p->levels, NULL, NULL);
  for (int k = 0; k < p->system->m; ++k) {
    double value = mbs_re(p->levels[k]);
    sum += value * value;
  }
  return sum;
}

// the lower triangle of Phi_q' Phi_q + mu I, and step = -Phi_q' Phi; rows of Phi_q are almost empty
static void assemble(const Projection *p, const MbsState *state, double mu) {
  int n = p->system->n;
  mbs_initial_jacobian(p->system, state, p->tangent, p->jacobian);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      p->matrix[i * n + j] = i == j ? mu : 0;
    }
    p->step[i] = 0;
  }
  for (int k = 0; k < p->system->m; ++k) {
    const double *row = p->jacobian + (size_t)k * (size_t)n;
    for (int i = 0; i < n; ++i) {
      if (fabs(row[i]) > 0) {  // real
        p->step[i] -= row[i] * mbs_re(p->levels[k]);
        for (int j = 0; j <= i; ++j) {
          p->matrix[i * n + j] += row[i] * row[j];
        }
      }
    }
  }
}

// matrix = L L', then step = (L L')^-1 step; false: not positive definite (mu is lost in rounding)
static bool solve(const Projection *p) {
  int n = p->system->n;
  double *L = p->matrix, *x = p->step;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = L[i * n + j];
      for (int k = 0; k < j; ++k) {
        sum -= L[i * n + k] * L[j * n + k];
      }
      if (i == j && !(sum > 0)) {
        return false;
      }
      L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];  // real
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) {
      x[i] -= L[i * n + k] * x[k];
    }
    x[i] /= L[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) {
      x[i] -= L[k * n + i] * x[k];
    }
    x[i] /= L[i * n + i];
  }
  return true;
}

MbsStatus mbs_initial_project(MbsContext *context, const MbsSystem *system, MbsState *state, bool *is_admissible) {
  const double close = 1e-11;  // far below the tolerance of rank decisions
  int n = system->n;
  *is_admissible = false;
  if (n > MOST_COORDINATES || n == 0) {
    return MBS_OK;
  }
  Projection p = {.system = system};
  MBS_TAKE(context, system->arena, p.levels, system->m);
  MBS_TAKE(context, system->arena, p.tangent, system->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, p.jacobian, (size_t)system->m * (size_t)n);
  MBS_TAKE(context, system->arena, p.matrix, (size_t)n * (size_t)n);
  MBS_TAKE(context, system->arena, p.step, n);
  double size = mbs_state_size(system, state);
  size = size * size > size ? size * size : size;
  double square = square_of_residual(&p, state);
  for (int iteration = 0; iteration < MOST_ITERATIONS && !*is_admissible; ++iteration) {
    assemble(&p, state, square);
    if (!isfinite(square) || !solve(&p)) {
      return MBS_OK;
    }
    for (int i = 0; i < n; ++i) {
      state->q[i] += p.step[i];
    }
    square = square_of_residual(&p, state);
    *is_admissible = square <= close * close * size * size;
  }
  return MBS_OK;
}
