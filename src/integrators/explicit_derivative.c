// The tangent linear model of an explicit step: see explicit.h.
//
// The column of the step's size. At a stage d/dh with the end's time t kept has -(1 - c_i) d/dt_i in it, and with t_i
// kept it has not; the difference of the two is 1 - c_i times the column of time, for the whole problem of the instant
// is linear. So the stage is solved with t_i kept,
//     (Q, V) of h + (1 - c_i) (Q, V) of t     ->     A of h + (1 - c_i) A of t
// where the terms have nothing of their own to add, and its columns stay so, as points of integrals are (stepper.h).
#include "integrators/explicit.h"

static void add(int count, mbs_scalar times, const mbs_scalar *restrict x, mbs_scalar *restrict sum) {
  for (int i = 0; i < count; ++i) {
    sum[i] += times * x[i];
  }
}

// h sum_j a_ij A_j and h^2 sum_j d_ij A_j, which X and V have received; A: of the stages before
static void place_columns(const MbsExplicit *explicit, mbs_scalar h, int stage, const MbsColumns *begin,
                          const MbsColumns *at) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  int count = system->column_count * system->nq;
  for (int i = 0; i < count; ++i) {
    mbs_scalar v = begin->V[i];
    at->X[i] = begin->X[i] + explicit->c[stage] * h * v;
    at->V[i] = v;
  }
  for (int j = 0; j < stage; ++j) {
    const mbs_scalar *A = j == 0 ? begin->A : explicit->columns[j].A;
    mbs_scalar d = h * h * explicit->position[stage][j], a = h * explicit->velocity[stage][j];
    add(mbs_is_nonzero(explicit->position[stage][j]) ? count : 0, d, A, at->X);
    add(mbs_is_nonzero(explicit->velocity[stage][j]) ? count : 0, a, A, at->V);
  }
}

// of the step's size, which the state at the beginning does not depend on; afterwards with the stage's time kept
static void place_step_column(const MbsExplicit *explicit, mbs_scalar h, int stage, const MbsColumns *at) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  int own = system->step_column * system->nq, time = system->time_column * system->nq;
  double ahead = 1 - explicit->c[stage];
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar x = explicit->c[stage] * explicit->stages[0].v[i], v = 0;
    for (int j = 0; j < stage; ++j) {
      const mbs_scalar *A = explicit->columns[j].A;
      mbs_scalar a = explicit->stages[j].a[i];
      mbs_scalar slope = j == 0 ? 0 : A[own + i] - (1 - explicit->c[j]) * A[time + i];
      x += h * explicit->position[stage][j] * (2 * a + h * slope);
      v += explicit->velocity[stage][j] * (a + h * slope);
    }
    at->X[own + i] = x + ahead * at->X[time + i];
    at->V[own + i] = v + ahead * at->V[time + i];
  }
}

MbsStatus mbs_explicit_derivative(MbsContext *context, MbsExplicit *explicit, const MbsStep *step,
                                  const MbsState *state, const MbsColumns *columns) {
  MbsImplicit *implicit = &explicit->implicit;
  const MbsSystem *system = implicit->formulation->system;
  MbsStatus status = MBS_OK;
  bool is_independent = explicit->independent.reduced != NULL;
  mbs_columns_begin_step(system, columns, NULL);
  mbs_explicit_keep_columns(explicit, columns, &explicit->columns[0]);
  if (is_independent) {
    mbs_explicit_begin_independent_columns(explicit, columns);
  }
  for (int i = 1; i <= explicit->end && status == MBS_OK; ++i) {
    bool is_end = i == explicit->end;
    const MbsState *at = is_end ? state : &explicit->stages[i];
    const MbsColumns *own = is_end ? columns : &explicit->columns[i];
    mbs_explicit_take_instant(explicit, i);
    if (!is_independent) {
      place_columns(explicit, step->h, i, columns, own);
    }
    if (!is_independent && mbs_system_has_step_column(system)) {
      place_step_column(explicit, step->h, i, own);
    }
    mbs_system_fixed_columns(system, at->t, own->X, own->V, own->A);
    status = is_independent ? mbs_explicit_recover_columns(context, explicit, step->h, i, at, own) : MBS_OK;
    if (is_end && !is_independent && status == MBS_OK) {
      mbs_explicit_project_derivative(explicit, at, own);
    }
    mbs_signal_bank_try(system, at);
    status = status == MBS_OK ? mbs_implicit_instant_derivative(context, implicit, at, own) : status;
    if (is_independent && !is_end && status == MBS_OK) {
      mbs_explicit_note_independent_columns(explicit, i, at, own);
    }
  }
  mbs_explicit_take_instant(explicit, explicit->end);
  for (int i = 0; i < system->m * system->column_count; ++i) {
    columns->S[i] = columns->K[i] = 0;
    columns->T[i] = columns->L[i];
  }
  mbs_explicit_keep_columns(explicit, columns, &explicit->between.end_columns);
  return status;
}
