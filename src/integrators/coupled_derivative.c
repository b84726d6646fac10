// The tangent linear model of a step: see coupled.h.
//
// The column of the step's size, with the end's time t kept: at a stage q_i and v_i move by
//     d/dh q_i = c_i v_0 + 2 h sum_j d_ij a_j,     d/dh v_i = sum_j a_ij a_j
// with all a_j as they are, and t_i by -(1 - c_i): what the column of time has there, so many times. Once it is solved
// the columns of the stages between are those with t_i kept, as points of integrals are (stepper.h): more by 1 - c_i
// times the column of time, the projections being linear.
#include "integrators/coupled.h"

static const MbsColumns *columns_of(const MbsCoupled *coupled, int stage, const MbsColumns *columns) {
  return stage < coupled->end ? &coupled->columns[stage] : columns;
}

// Qh and Vh; those of the end, where the old ones are, last
static void place_columns(MbsCoupled *coupled, mbs_scalar h, const MbsColumns *columns) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  for (int i = 0; i <= coupled->end; ++i) {
    const MbsColumns *at = columns_of(coupled, i, columns);
    mbs_scalar ahead = coupled->method->c[i] * h;
    for (int k = 0; k < system->column_count * system->nq; ++k) {
      mbs_scalar v = columns->V[k];
      at->X[k] = columns->X[k] + ahead * v;
      at->V[k] = v;
    }
  }
}

static void place_step_column(MbsCoupled *coupled, mbs_scalar h, int stage, const MbsColumns *at) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  int own = system->step_column * system->nq;
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar q = coupled->method->c[stage] * coupled->begin_v[i], v = 0;
    for (int j = 0; j <= coupled->end; ++j) {
      mbs_scalar a = mbs_coupled_at(coupled, j)->a[i];
      q += 2 * h * coupled->position[stage][j] * a;
      v += coupled->method->a[stage][j] * a;
    }
    at->X[own + i] = q;
    at->V[own + i] = v;
  }
}

// the right-hand sides of a stage
static void put_known(MbsCoupled *coupled, const MbsWeights *weights, int stage, const MbsColumns *at) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  mbs_scalar *R = coupled->implicit.R;
  int size = system->n + system->m, length = (coupled->end + 1) * size;
  bool is_moving = system->moving.count > 0;  // whose accelerations are given
  for (int i = 0; i < size * system->column_count; ++i) {
    R[i] = 0;
  }
  for (int k = 0; k < system->column_count && is_moving; ++k) {
    for (int i = 0; i < system->n; ++i) {
      at->A[k * system->nq + i] = 0;
    }
  }
  const MbsColumns known = {.X = at->X, .V = at->V, .A = is_moving ? at->A : NULL};
  mbs_terms_derivative_of(system, mbs_coupled_at(coupled, stage), weights, MBS_PART_ALL, &known, R);
  for (int i = 0; i < size && mbs_system_has_step_column(system); ++i) {
    R[system->step_column * size + i] -= (1 - coupled->method->c[stage]) * R[system->time_column * size + i];
  }
  for (int k = 0; k < system->column_count; ++k) {
    (void)mbs_put(coupled->R + k * length + stage * size, size, R + k * size);
  }
}

// A and L of all stages, and X and V with them
static void take_solution(MbsCoupled *coupled, mbs_scalar h, const MbsColumns *columns) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  int size = system->n + system->m, length = (coupled->end + 1) * size;
  for (int i = 0; i <= coupled->end; ++i) {
    const MbsColumns *at = columns_of(coupled, i, columns);
    for (int k = 0; k < system->column_count; ++k) {
      const mbs_scalar *solved = coupled->R + k * length;
      for (int l = 0; l < system->n; ++l) {
        mbs_scalar q = 0, v = 0;
        for (int j = 0; j <= coupled->end; ++j) {
          q += coupled->position[i][j] * solved[j * size + l];
          v += coupled->method->a[i][j] * solved[j * size + l];
        }
        at->X[k * system->nq + l] -= h * h * q;
        at->V[k * system->nq + l] -= h * v;
        at->A[k * system->nq + l] = -solved[i * size + l];
      }
      for (int l = 0; l < system->m; ++l) {
        at->L[k * system->m + l] = -solved[i * size + system->n + l];
      }
    }
  }
}

static void keep_time(const MbsSystem *system, double ahead, const MbsColumns *at) {
  mbs_scalar *const coordinates[] = {at->X, at->V, at->A};
  int own = system->step_column, time = system->time_column;
  for (int l = 0; l < MBS_COUNT(coordinates); ++l) {
    for (int i = 0; i < system->n; ++i) {
      coordinates[l][own * system->nq + i] += ahead * coordinates[l][time * system->nq + i];
    }
  }
  for (int i = 0; i < system->m; ++i) {
    at->L[own * system->m + i] += ahead * at->L[time * system->m + i];
  }
}

MbsStatus mbs_coupled_derivative(MbsContext *context, MbsCoupled *coupled, const MbsStep *step, const MbsState *state,
                                 const MbsColumns *columns) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  const MbsWeights weights = mbs_coupled_weights(coupled, step->h);
  bool has_step = mbs_system_has_step_column(system);
  mbs_columns_begin_step(system, columns, NULL);
  MBS_TRY(mbs_coupled_factor(context, coupled, step->h));
  place_columns(coupled, step->h, columns);
  for (int i = 0; i <= coupled->end; ++i) {
    const MbsState *at = mbs_coupled_at(coupled, i);
    const MbsColumns *own = columns_of(coupled, i, columns);
    if (has_step) {
      place_step_column(coupled, step->h, i, own);
    }
    mbs_system_fixed_columns(system, at->t, own->X, own->V, own->A);
    mbs_signal_bank_try(system, at);
    put_known(coupled, &weights, i, own);
  }
  mbs_refine(&coupled->refinement, system->column_count, coupled->R);
  take_solution(coupled, step->h, columns);
  MbsStatus status = MBS_OK;
  for (int i = 0; i <= coupled->end && status == MBS_OK; ++i) {
    const MbsColumns *own = columns_of(coupled, i, columns);
    if (has_step && i < coupled->end) {
      keep_time(system, 1 - coupled->method->c[i], own);
    }
    status = mbs_coupled_finish_derivative(context, coupled, i, i < coupled->end ? &coupled->stages[i] : state, own);
  }
  (void)mbs_coupled_take(coupled, coupled->end);
  return status;
}
