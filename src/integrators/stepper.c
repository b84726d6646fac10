// See stepper.h.
#include "integrators/stepper.h"

#include <string.h>

#include "integrators/coupled.h"
#include "integrators/explicit.h"
#include "integrators/kinematic.h"
#include "integrators/reduced.h"

MbsStatus mbs_stepper_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                             MbsInitial *initial, MbsStepper **stepper) {
  MbsImplicit *implicit;
  if (settings->is_kinematic && initial->set.system->blueprint->state_count == 0) {
    return mbs_kinematic_create(context, formulation, settings, initial, stepper);
  }
  const MbsPair *pair = mbs_pair_find(settings->integrator);
  if (pair) {
    return mbs_explicit_create(context, formulation, settings, pair, initial, stepper);
  }
  const MbsCollocation *method = mbs_collocation_find(settings->integrator);
  if (method) {
    return mbs_coupled_create(context, formulation, settings, method, initial->set.redundant_count > 0, stepper);
  }
  MBS_TAKE(context, initial->set.system->arena, implicit, 1);
  *stepper = &implicit->base;
  MBS_TRY(mbs_implicit_create(context, formulation, settings, initial->set.redundant_count > 0, implicit));
  return formulation->type->is_reduced ? mbs_reduced_create(context, initial->set.system, implicit, stepper) : MBS_OK;
}

MbsStatus mbs_stepper_interpolate(MbsContext *context, const MbsSettings *settings, MbsStepper *stepper) {
  return mbs_explicit_interpolate(context, settings, (MbsExplicit *)stepper);
}

static bool is_own(const MbsSystem *system, int column) {
  return column >= system->asked_count || column == system->time_column || column == system->step_column;
}

void mbs_columns_begin_step(const MbsSystem *system, const MbsColumns *columns, mbs_scalar *W) {
  mbs_scalar *const coordinates[] = {columns->X, columns->V, columns->A, W};
  mbs_scalar *const multipliers[] = {columns->L, columns->S, columns->K, columns->T};
  for (int c = 0; c < system->column_count; ++c) {
    for (int l = 0; l < 4 && is_own(system, c); ++l) {
      for (int i = 0; i < system->nq && coordinates[l]; ++i) {
        coordinates[l][c * system->nq + i] = 0;
      }
      for (int i = 0; i < system->m; ++i) {
        multipliers[l][c * system->m + i] = 0;
      }
    }
  }
}

MbsStateBar mbs_bar_in_block(const MbsSystem *system, const MbsStateBar *bar, mbs_scalar *block) {
  mbs_scalar *multipliers = block + 3 * system->nq;
  return (MbsStateBar){.q = block,
                       .v = block + system->nq,
                       .a = block + 2 * system->nq,
                       .lambda = multipliers,
                       .sigma = multipliers + system->m,
                       .kappa = multipliers + 2 * system->m,
                       .total = multipliers + 3 * system->m,
                       .coefficients = bar->coefficients,
                       .parameters = bar->parameters,
                       .gradient = bar->gradient};
}

mbs_scalar mbs_bar_of_time(const MbsSystem *system, const MbsStateBar *bar) {
  return bar->parameters[system->blueprint->clock] +
         (system->time_column >= 0 ? bar->gradient[system->time_column] : 0);
}

mbs_scalar *mbs_put(mbs_scalar *to, int count, const mbs_scalar *from) {
  if (count > 0) {
    memcpy(to, from, (size_t)count * sizeof *to);
  }
  return to + count;
}

const mbs_scalar *mbs_take(const mbs_scalar *from, int count, mbs_scalar *to) {
  (void)mbs_put(to, count, from);
  return from + count;
}
