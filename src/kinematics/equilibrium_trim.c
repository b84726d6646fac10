// Trim: parameters u that an equilibrium is solved for, with conditions C = 0. See equilibrium.h.
//
// A search far away takes steps lambda dz of Newton's that pass the natural monotonicity test (Deuflhard 2004, 3.1.4):
// with the old matrix the next correction is shorter,
//     |J^-1 (F, C)(z + lambda dz)| <= (1 - lambda / 4) |dz|,
// which does not depend on how equations are scaled.
#include <math.h>

#include "algebra/dense.h"
#include "kinematics/equilibrium.h"

static mbs_scalar product(int count, const mbs_scalar *a, const mbs_scalar *b) {
  mbs_scalar sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void put(mbs_scalar *to, int count, const mbs_scalar *from) {
  for (int i = 0; i < count; ++i) {
    to[i] = from[i];
  }
}

// ---- u ----
void mbs_equilibrium_put_solved(MbsInitial *initial) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  MbsSystem *system = initial->set.system;
  int count = equilibrium->count;
  if (!mbs_system_change_parameters(system, equilibrium->solved_count, equilibrium->solved, equilibrium->z + count)) {
    return;
  }
  mbs_state_place_fixed(system, &equilibrium->state);
  for (int i = 0; i < count; ++i) {  // what is held may depend on it
    bool is_last = equilibrium->has_last && !equilibrium->is_given[i] && equilibrium->was_free[i];
    int coefficient = 2 * i + initial->set.independents[i].is_state;
    if (!is_last) {
      equilibrium->first[i] = system->coefficients.outputs[system->independents.index[coefficient]];
    }
    if (!equilibrium->is_free[i]) {
      equilibrium->z[i] = equilibrium->first[i];
    }
  }
}

// ---- conditions ----
void mbs_equilibrium_evaluate_conditions(MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  if (equilibrium->solved_count > 0) {
    mbs_signal_bank_evaluate(system, &equilibrium->state);  // with its multipliers
  }
  for (int i = 0; i < equilibrium->solved_count; ++i) {
    equilibrium->force[equilibrium->count + i] =
        mbs_function_evaluate(system, &equilibrium->conditions[i], &equilibrium->state, NULL);
  }
}

static void find_gradient(const MbsInitial *initial, int condition) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  const MbsStateBar *gradient = &equilibrium->gradients[condition];
  mbs_bar_clear(system, gradient);
  for (int k = 0; k < system->column_count; ++k) {
    gradient->gradient[k] = 0;
  }
  (void)mbs_function_evaluate(system, &equilibrium->conditions[condition], &equilibrium->state, NULL);
  mbs_function_transposed(system, &equilibrium->conditions[condition], &equilibrium->state, 1, gradient);
  mbs_system_chain(system, gradient->coefficients, gradient->parameters, gradient->gradient);
}

// along a direction: X, V, A (nq), L (m)
static mbs_scalar condition_along(const MbsInitial *initial, int condition, const mbs_scalar *X, const mbs_scalar *V,
                                  const mbs_scalar *A, const mbs_scalar *L) {
  const MbsSystem *system = initial->set.system;
  const MbsStateBar *gradient = &initial->equilibrium->gradients[condition];
  return product(system->nq, gradient->q, X) + product(system->nq, gradient->v, V) +
         product(system->nq, gradient->a, A) + product(system->m, gradient->lambda, L) +
         product(system->m, gradient->total, L);
}

// what multipliers change by, from a reduced f
static void take_multipliers(const MbsInitial *initial, const mbs_scalar *f, mbs_scalar *L) {
  for (int k = 0; k < initial->set.system->m; ++k) {
    int row = initial->set.velocity->row_of[k];
    L[k] = row > 0 ? -f[row - 1] : 0;
  }
}

void mbs_equilibrium_find_solved_slopes(MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  int count = equilibrium->count, unknowns = equilibrium->unknown_count;
  size_t nq = (size_t)system->nq, m = (size_t)system->m;
  mbs_scalar *const to[] = {equilibrium->X, equilibrium->V, equilibrium->A};
  mbs_scalar *const from[] = {equilibrium->columns.X, equilibrium->columns.V, equilibrium->columns.A};
  mbs_equilibrium_find_columns(initial);
  for (int j = 0; j < equilibrium->solved_count; ++j) {
    size_t k = (size_t)equilibrium->solved_column[j], unknown = (size_t)(count + j);
    mbs_scalar *f = initial->R + k * (size_t)(system->n + system->m);
    for (int l = 0; l < 3; ++l) {
      put(to[l] + unknown * nq, system->nq, from[l] + k * nq);
    }
    mbs_equilibrium_reduce(initial, f, equilibrium->step);
    take_multipliers(initial, f, equilibrium->L + unknown * m);
    for (int i = 0; i < count; ++i) {
      equilibrium->J[i * unknowns + count + j] = equilibrium->step[i];
    }
  }
  mbs_signal_bank_evaluate(system, &equilibrium->state);
  for (int i = 0; i < equilibrium->solved_count; ++i) {
    find_gradient(initial, i);
    for (int j = 0; j < unknowns; ++j) {
      size_t at = (size_t)j * nq;
      mbs_scalar of_itself = j < count ? 0 : equilibrium->gradients[i].gradient[equilibrium->solved_column[j - count]];
      equilibrium->J[(count + i) * unknowns + j] =
          of_itself + condition_along(initial, i, equilibrium->X + at, equilibrium->V + at, equilibrium->A + at,
                                      equilibrium->L + (size_t)j * m);
    }
  }
}

void mbs_equilibrium_condition_slopes(const MbsInitial *initial, int column, const mbs_scalar *f, mbs_scalar *slopes) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  size_t at = (size_t)column * (size_t)initial->set.system->nq;
  mbs_scalar *L = initial->levels;
  if (equilibrium->solved_count > 0) {
    take_multipliers(initial, f, L);
  }
  for (int i = 0; i < equilibrium->solved_count; ++i) {
    slopes[i] = equilibrium->gradients[i].gradient[column] + condition_along(initial, i, equilibrium->columns.X + at,
                                                                             equilibrium->columns.V + at,
                                                                             equilibrium->columns.A + at, L);
  }
}

void mbs_equilibrium_collect_solved(MbsInitial *initial, const MbsStateBar *bar) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  size_t nq = (size_t)system->nq, n = (size_t)system->n;
  mbs_scalar *sum = equilibrium->bar.gradient;
  for (int k = 0; k < system->column_count && equilibrium->solved_count > 0; ++k) {
    sum[k] = bar->gradient ? bar->gradient[k] : 0;
  }
  if (equilibrium->solved_count > 0) {
    mbs_system_chain(system, bar->coefficients, bar->parameters, sum);
  }
  for (int j = 0; j < equilibrium->solved_count; ++j) {
    size_t at = (size_t)(equilibrium->count + j) * nq;
    equilibrium->z_bar[equilibrium->count + j] = sum[equilibrium->solved_column[j]] +
                                                 product(system->nq, bar->q, equilibrium->X + at) +
                                                 product(system->nq - system->n, bar->v + n, equilibrium->V + at + n) +
                                                 product(system->nq - system->n, bar->a + n, equilibrium->A + at + n);
  }
}

// ---- the search ----
static bool is_failure(MbsStatus status) { return status == MBS_ERROR_INPUT || status == MBS_ERROR_NUMERICAL; }

// J^-1 of the equations that are taken, to `to`; and its length
static double correct(const MbsInitial *initial, double size, mbs_scalar *to) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  for (int i = 0; i < equilibrium->free_count; ++i) {
    to[i] = -equilibrium->force[equilibrium->rows[i]];
  }
  mbs_dense_solve(equilibrium->free_count, equilibrium->factor, equilibrium->pivot, to);
  for (int i = 0; i < equilibrium->free_count; ++i) {
    equilibrium->right[i] = mbs_re(to[i]);
  }
  return mbs_equilibrium_length(initial, size, equilibrium->free_count, equilibrium->free, equilibrium->right);
}

static void move(const MbsInitial *initial, double part) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  put(equilibrium->z, equilibrium->unknown_count, equilibrium->kept_z);
  put(equilibrium->state.q, system->nq, equilibrium->kept);
  for (int j = 0; j < equilibrium->free_count && part > 0; ++j) {
    const mbs_scalar *X = equilibrium->X + (size_t)equilibrium->free[j] * (size_t)system->nq;
    equilibrium->z[equilibrium->free[j]] += part * equilibrium->step[j];
    for (int i = 0; i < system->n; ++i) {
      equilibrium->state.q[i] += part * equilibrium->step[j] * X[i];
    }
  }
}

// a step that helps; is_made: there was one
static MbsStatus take_step(MbsContext *context, MbsInitial *initial, double size, double length, bool *is_made) {
  const double longest = 0.3, shortest = 1e-5;
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  put(equilibrium->kept_z, equilibrium->unknown_count, equilibrium->z);
  put(equilibrium->kept, initial->set.system->nq, equilibrium->state.q);
  *is_made = false;
  for (double part = length > longest ? longest / length : 1; part > shortest && !*is_made; part /= 2) {
    move(initial, part);
    MbsStatus status = mbs_equilibrium_evaluate(context, initial, false);
    if (is_failure(status)) {
      context->status = MBS_OK;
      continue;
    }
    MBS_TRY(status);
    double next = correct(initial, size, equilibrium->trial);
    *is_made = next <= (1 - part / 4) * length;
  }
  if (!*is_made) {
    move(initial, 0);
  }
  return MBS_OK;
}

// after a step
static bool is_same_branch(const MbsInitial *initial, double size) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  for (int i = 0; i < equilibrium->free_count; ++i) {
    int unknown = equilibrium->free[i];
    equilibrium->right[i] = mbs_re(equilibrium->z[unknown] - equilibrium->kept_z[unknown]);
  }
  return mbs_equilibrium_is_same_branch(initial, size, equilibrium->free_count, equilibrium->free, equilibrium->right);
}

MbsStatus mbs_equilibrium_trim(MbsContext *context, MbsInitial *initial, double size, bool *is_there) {
  enum { MOST = 100 };
  const double enough = 1e-6;
  MbsEquilibrium *equilibrium = initial->equilibrium;
  bool is_condition, is_made = true;
  *is_there = false;
  for (int iteration = 0; iteration < MOST; ++iteration) {
    MbsStatus status = mbs_equilibrium_evaluate(context, initial, true);
    if (is_failure(status)) {
      context->status = MBS_OK;
      return MBS_OK;
    }
    MBS_TRY(status);
    is_made = is_made && (iteration == 0 || is_same_branch(initial, size));
    mbs_equilibrium_choose(initial);
    if (!is_made || mbs_equilibrium_find_idle(initial, &is_condition) >= 0 || !mbs_equilibrium_factor(initial)) {
      return MBS_OK;
    }
    double length = correct(initial, size, equilibrium->step);
    if (!isfinite(length) || length <= enough) {
      *is_there = isfinite(length);
      return MBS_OK;
    }
    equilibrium->iterations += 1;
    MBS_TRY(take_step(context, initial, size, length, &is_made));
    if (context->keep_going && !context->keep_going(context->user, 0.5)) {
      return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped while looking for the equilibrium");
    }
  }
  return MBS_OK;
}

// ---- memory ----
MbsStatus mbs_equilibrium_trim_create(MbsContext *context, MbsInitial *initial) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  MbsSystem *system = initial->set.system;
  const MbsBlueprint *blueprint = system->blueprint;
  size_t solved = (size_t)equilibrium->solved_count, columns = solved > 0 ? (size_t)system->column_count : 0;
  MBS_TAKE(context, system->arena, equilibrium->solved, solved);
  MBS_TAKE(context, system->arena, equilibrium->solved_column, solved);
  MBS_TAKE(context, system->arena, equilibrium->conditions, solved);
  MBS_TAKE(context, system->arena, equilibrium->gradients, solved);
  MBS_TAKE(context, system->arena, equilibrium->guess, solved);
  MBS_TAKE(context, system->arena, equilibrium->solved_size, solved);
  MBS_TAKE(context, system->arena, equilibrium->solved_slopes, solved * (size_t)system->column_count);
  MBS_TAKE(context, system->arena, equilibrium->bar.gradient, columns);
  MBS_TAKE(context, system->arena, equilibrium->L,
           solved > 0 ? (size_t)equilibrium->unknown_count * (size_t)system->m : 0);
  for (int i = 0; i < equilibrium->solved_count; ++i) {
    const MbsTrimCondition *condition = &blueprint->trim.conditions.items[i];
    equilibrium->solved[i] = blueprint->trim.unknowns.items[i].parameter;
    equilibrium->solved_column[i] = system->column_of_parameter[equilibrium->solved[i]];
    MBS_CHECK(context, equilibrium->solved_column[i] >= 0);
    MBS_TRY(mbs_function_create(context, system, condition->name, condition->place, condition->residual,
                                &equilibrium->conditions[i]));
    MBS_TRY(mbs_bar_create(context, system, &equilibrium->gradients[i]));
    MBS_TAKE(context, system->arena, equilibrium->gradients[i].gradient, columns);
  }
  mbs_equilibrium_take_guess(initial);
  return MBS_OK;
}
