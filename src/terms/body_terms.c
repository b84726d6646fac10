// What is a property of the bodies, whatever the coordinates: constraints, energy, points. See terms.h.
#include "terms/elements.h"

void mbs_terms_constraint(const MbsSystem *system, int row, const MbsState *state, mbs_scalar level[3]) {
  const MbsSystem *bodies = system->bodies;
  mbs_row_levels(bodies, &bodies->mode.rows[row], mbs_system_follow(system, state), 3, level);
}

void mbs_terms_constraints(const MbsSystem *system, const MbsState *state, mbs_scalar *Phi, mbs_scalar *Phidot,
                           mbs_scalar *Phiddot) {
  const MbsSystem *bodies = system->bodies;
  const MbsState *x = mbs_system_follow(system, state);
  mbs_signal_bank_try(bodies, x);
  for (int i = 0; i < bodies->m; ++i) {
    mbs_scalar level[3];
    mbs_row_levels(bodies, &bodies->mode.rows[i], x, Phiddot ? 3 : Phidot ? 2 : 1, level);
    if (Phi) {
      Phi[i] = level[0];
    }
    if (Phidot) {
      Phidot[i] = level[1];
    }
    if (Phiddot) {
      Phiddot[i] = level[2];
    }
  }
}

static void find_energy(const MbsSystem *system, const MbsState *state, MbsEnergy *energy) {
  *energy = (MbsEnergy){0};
  MbsState balanced = *state;  // where a is projected, lambda alone does not hold M a - Q
  balanced.lambda = state->total;
  if (system->moving.count > 0) {  // f on a moving coordinate is the force that moves it
    const MbsWeights none = {0};
    const mbs_scalar *f = mbs_natural_accumulate(system, true, &balanced, &none, NULL);
    for (int i = system->n; i < system->nq; ++i) {
      energy->power += f[i] * state->v[i];
    }
  }
  for (int i = 0; i < system->mass_count; ++i) {
    if (!mbs_system_is_state(system, system->masses[i].first[0])) {
      mbs_mass_energy(system, &system->masses[i], state, energy);
    }
  }
  for (int i = 0; i < system->m; ++i) {
    const MbsRow *row = &system->mode.rows[i];
    energy->power += row->kind == MBS_ROW_EXPRESSION ? mbs_expression_row_power(system, row, &balanced) : 0;
  }
  for (int i = 0; i < system->mode.force_count; ++i) {
    mbs_scalar potential = 0, lost = 0;
    if (!system->mode.forces[i]->is_rate) {
      mbs_force_element_energy(system, system->mode.forces[i], state, &potential, &lost);
    }
    energy->potential += potential;
    energy->power += lost;
  }
}

void mbs_terms_energy(const MbsSystem *system, const MbsState *state, MbsEnergy *energy) {
  find_energy(system->bodies, mbs_system_follow(system, state), energy);
}

double mbs_terms_rate_cancelling(const MbsSystem *system, const MbsState *state, int coordinate) {
  const MbsSystem *bodies = system->bodies;  // whose last forces are the rates
  const MbsForceElement *rate = bodies->mode.forces[bodies->mode.force_count - system->n + coordinate];
  return mbs_force_element_cancelling(bodies, rate, mbs_system_follow(system, state));
}

const char *mbs_terms_find_bad_force(const MbsSystem *system, const MbsState *state) {
  const MbsSystem *bodies = system->bodies;
  const MbsState *x = mbs_system_follow(system, state);
  for (int i = 0; i < bodies->mode.force_count; ++i) {
    if (!mbs_force_element_is_finite(bodies, bodies->mode.forces[i], x)) {
      return mbs_force_element_name(bodies->mode.forces[i]);
    }
  }
  return NULL;
}

MbsStatus mbs_terms_say_bad_force(MbsContext *context, const MbsSystem *system, const MbsState *state, const char *name,
                                  const char *advice) {
  MbsPlace place = mbs_nowhere;
  for (int i = 0; i < system->blueprint->forces.count; ++i) {
    const MbsForceSpec *force = &system->blueprint->forces.items[i];
    place = force->name == name ? force->place : place;
  }
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, place,
      "%s or its derivative is not a finite number at t = %.10g: a division by zero, a domain error, an overflow, "
      "a spring whose points meet and which has no direction then, or norm() of zero%s",
      name, mbs_re(state->t), advice);
}

void mbs_terms_force(const MbsSystem *system, const MbsState *state, int i, double *F) {
  mbs_force_element_value(system->bodies, system->bodies->mode.forces[i], mbs_system_follow(system, state), F);
}

void mbs_system_point(const MbsSystem *system, int point, const MbsState *state, mbs_scalar *r, mbs_scalar *v,
                      mbs_scalar *a) {
  const MbsSystem *bodies = system->bodies;
  const MbsState *x = mbs_system_follow(system, state);
  const MbsLinearForm *form = &bodies->points[point].form;
  mbs_clear(bodies->dimension, r);
  mbs_clear(bodies->dimension, v);
  mbs_clear(bodies->dimension, a);
  mbs_form_add(form, bodies->point_block.value, bodies->dimension, bodies->dimension == 2, x->q, r);
  mbs_form_add(form, bodies->point_block.value, bodies->dimension, bodies->dimension == 2, x->v, v);
  mbs_form_add(form, bodies->point_block.value, bodies->dimension, bodies->dimension == 2, x->a, a);
}
