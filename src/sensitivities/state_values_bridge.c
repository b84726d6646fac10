// Values of the terms: see state_terms.h.
#include <math.h>
#include <string.h>

#include "sensitivities/state_terms.h"

static void clear(int count, double *numbers) { memset(numbers, 0, (size_t)count * sizeof *numbers); }

// `at` with other free velocities and accelerations; NULL: zero
const MbsState *mbs_state_terms_move(MbsTerms *terms, const double *v, const double *a) {
  const MbsState *at = &terms->at;
  mbs_state_copy(terms->system, at, &terms->moved);
  for (int i = 0; i < terms->n; ++i) {
    terms->moved.v[i] = v ? v[i] : 0;
    terms->moved.a[i] = a ? a[i] : 0;
  }
  return &terms->moved;
}

static double value_of(const MbsTerms *terms, const MbsState *state, int function) {
  return mbs_function_evaluate(terms->system, &terms->simulation->outputs.items[function].function, state, NULL);
}

// How the functions of the body's frame make the point: r = o + R s. In the plane by the angle, whose change turns.
void mbs_state_terms_weigh_point(const MbsTerms *terms, int component, bool is_slope, double *weights) {
  int first = terms->frame[terms->body], d = terms->system->dimension;
  bool has_axes = terms->system->blueprint->bodies.items[terms->body].kind == MBS_BODY_RIGID;
  weights[first + component] += 1;
  if (has_axes && d == 3) {
    for (int k = 0; k < 3; ++k) {
      weights[first + 3 + 3 * component + k] += terms->local[k];
    }
  } else if (has_axes && is_slope) {
    double angle = value_of(terms, &terms->at, first + 2), c = cos(angle), s = sin(angle);  // real
    weights[first + 2] +=
        component == 0 ? -s * terms->local[0] - c * terms->local[1] : c * terms->local[0] - s * terms->local[1];
  }
}

static void quiet_rows(const MbsTerms *terms, double *levels) {
  for (int i = 0; i < terms->m; ++i) {
    levels[i] = mbs_row_rests(&terms->system->mode.rows[i]) ? 0 : levels[i];
  }
}

static void find_levels(MbsTerms *terms, const MbsState *state, MbsTermsVector of, double *values) {
  mbs_terms_constraints(terms->system, state, of == MBS_TERMS_PHI ? values : NULL,
                        of == MBS_TERMS_PHIDOT ? values : NULL, of == MBS_TERMS_PHIDDOT ? values : NULL);
  quiet_rows(terms, values);
}

// h = J' (M x'') at a = 0, with x'' of the bodies: M is that of their points and vectors, which does not depend on
// where they are
static void find_bias(MbsTerms *terms, double *bias) {
  const MbsSystem *system = terms->system, *bodies = system->bodies;
  MbsState without = *mbs_system_follow(system, mbs_state_terms_move(terms, terms->at.v, NULL));
  double *inertia = terms->bodies_f[0], *zero = terms->bodies_f[1];
  mbs_terms_forces(bodies, &without, MBS_PART_BALANCE, inertia);
  without.a = terms->bodies_f[2];
  mbs_terms_forces(bodies, &without, MBS_PART_BALANCE, zero);
  mbs_bar_clear(system, &terms->bar);
  const MbsStateBar of_bodies = mbs_system_begin_bar(system, &terms->bar);
  for (int i = 0; i < bodies->n; ++i) {
    of_bodies.a[i] += inertia[i] - zero[i];
  }
  mbs_system_end_bar(system, &terms->bar);
  memcpy(bias, terms->bar.a, (size_t)terms->n * sizeof *bias);
}

static void find_forces(MbsTerms *terms, double *forces) {
  find_bias(terms, forces);
  mbs_terms_forces(terms->system, mbs_state_terms_move(terms, terms->at.v, NULL), MBS_PART_BALANCE, terms->mu);
  for (int i = 0; i < terms->n; ++i) {
    forces[i] -= terms->mu[i];
  }
  clear(terms->nq, terms->mu);
}

static void find_point(MbsTerms *terms, double *values) {
  int d = terms->system->dimension, first = terms->frame[terms->body], functions = terms->simulation->outputs.count;
  mbs_signal_bank_evaluate(terms->system, &terms->at);
  for (int component = 0; component < d; ++component) {
    clear(functions, terms->weights);
    mbs_state_terms_weigh_point(terms, component, false, terms->weights);
    values[component] = 0;
    for (int i = 0; i < functions; ++i) {
      if (terms->weights[i] < 0 || terms->weights[i] > 0) {
        values[component] += terms->weights[i] * value_of(terms, &terms->at, i);
      }
    }
  }
  if (d == 2 && terms->system->blueprint->bodies.items[terms->body].kind == MBS_BODY_RIGID) {
    double angle = value_of(terms, &terms->at, first + 2), c = cos(angle), s = sin(angle);  // real
    values[0] += c * terms->local[0] - s * terms->local[1];
    values[1] += s * terms->local[0] + c * terms->local[1];
  }
}

static MbsStatus find(MbsContext *context, MbsTerms *terms, MbsTermsVector of, double *values) {
  const MbsSystem *system = terms->system;
  const MbsState *motion = &terms->simulation->state;
  const MbsWeights none = {.k0 = 0}, velocity = {.k1 = 1, .n1 = 1};
  switch (of) {
    case MBS_TERMS_BALANCE:
      MBS_TRY(mbs_state_terms_complete(context, terms));
      mbs_terms_residual(system, &terms->at, &none, terms->r, NULL);
      memcpy(values, terms->r, (size_t)terms->n * sizeof *values);
      return MBS_OK;
    case MBS_TERMS_CONSTRAINT_FORCES:
      MBS_TRY(mbs_state_terms_complete(context, terms));
      mbs_terms_forces(system, &terms->at, MBS_PART_ROWS, terms->mu);
      memcpy(values, terms->mu, (size_t)terms->n * sizeof *values);
      clear(terms->nq, terms->mu);
      return MBS_OK;
    case MBS_TERMS_PHI:
    case MBS_TERMS_PHIDOT: find_levels(terms, &terms->at, of, values); return MBS_OK;
    case MBS_TERMS_PHIDDOT:
      MBS_TRY(mbs_state_terms_complete(context, terms));
      find_levels(terms, &terms->at, of, values);
      return MBS_OK;
    case MBS_TERMS_CONSTRAINT_RATES:
      mbs_terms_derivative_along(system, &terms->at, &velocity, MBS_PART_ROWS, system->zeros, terms->direction, NULL,
                                 terms->r);
      memcpy(values, terms->r + terms->n, (size_t)terms->m * sizeof *values);
      return MBS_OK;
    case MBS_TERMS_POINT: find_point(terms, values); return MBS_OK;
    case MBS_TERMS_ACCELERATIONS:
    case MBS_TERMS_MULTIPLIERS:
      MBS_TRY(mbs_state_terms_solve(context, terms));
      memcpy(values, of == MBS_TERMS_ACCELERATIONS ? motion->a : motion->total,
             (size_t)mbs_terms_size(terms, of) * sizeof *values);
      return MBS_OK;
    case MBS_TERMS_OUTPUTS:
      MBS_TRY(mbs_state_terms_solve(context, terms));
      mbs_signal_bank_evaluate(system, motion);
      for (int i = 0; i < terms->output_count; ++i) {
        values[i] = value_of(terms, motion, terms->output[i]);
      }
      return MBS_OK;
    case MBS_TERMS_POSITIONS:
    case MBS_TERMS_VELOCITIES:
      memcpy(values, of == MBS_TERMS_POSITIONS ? terms->at.q : terms->at.v, (size_t)terms->n * sizeof *values);
      return MBS_OK;
    case MBS_TERMS_INDEPENDENT_VELOCITIES:
      mbs_freedoms_apply(&terms->freedoms[1], terms->at.q, terms->at.v, values);
      return MBS_OK;
    case MBS_TERMS_INDEPENDENT_ACCELERATIONS:
      MBS_TRY(mbs_state_terms_solve(context, terms));
      mbs_freedoms_apply(&terms->freedoms[1], motion->q, motion->a, values);
      return MBS_OK;
    case MBS_TERMS_BIAS: find_bias(terms, values); return MBS_OK;
    case MBS_TERMS_FORCES: find_forces(terms, values); return MBS_OK;
    case MBS_TERMS_PHI_T:
      find_levels(terms, mbs_state_terms_move(terms, NULL, NULL), MBS_TERMS_PHIDOT, values);
      return MBS_OK;
    case MBS_TERMS_GAMMA:
      find_levels(terms, mbs_state_terms_move(terms, terms->at.v, NULL), MBS_TERMS_PHIDDOT, values);
      for (int i = 0; i < terms->m; ++i) {
        values[i] = -values[i];
      }
      return MBS_OK;
  }
  return MBS_OK;
}

MbsStatus mbs_terms_vector(MbsContext *context, MbsTerms *terms, MbsTermsVector of, int count, double *values) {
  MBS_CALL_BEGIN(context, "mbs_terms_vector", {"terms", terms}, {"values", values});
  if (mbs_terms_size(terms, of) < 0) {
    return mbs_state_terms_check_pair(context, terms, of, MBS_BY_TIME);
  }
  MBS_TRY(mbs_state_terms_need(context, terms));
  MBS_TRY(mbs_state_terms_check_count(context, "numbers", count, mbs_terms_size(terms, of)));
  mbs_simulation_tell(terms->simulation, context);
  MBS_TRY(mbs_call_end(context, find(context, terms, of, values)));
  return mbs_state_terms_check_result(context, terms, count, values);
}

MbsStatus mbs_terms_energies(MbsContext *context, MbsTerms *terms, double *kinetic, double *potential) {
  MBS_CALL_BEGIN(context, "mbs_terms_energies", {"terms", terms});
  MbsEnergy energy;
  MBS_TRY(mbs_state_terms_need(context, terms));
  mbs_signal_bank_evaluate(terms->system, &terms->at);
  mbs_terms_energy(terms->system, &terms->at, &energy);
  if (kinetic) {
    *kinetic = energy.kinetic;
  }
  if (potential) {
    *potential = energy.potential;
  }
  return MBS_OK;
}

MbsStatus mbs_terms_reactions(MbsContext *context, MbsTerms *terms, int count, double *values) {
  MBS_CALL_BEGIN(context, "mbs_terms_reactions", {"terms", terms}, {"values", values});
  MBS_TRY(mbs_state_terms_need(context, terms));
  MBS_TRY(mbs_state_terms_check_count(context, "numbers", count, 6 * terms->reactions.count));
  mbs_simulation_tell(terms->simulation, context);
  MBS_TRY(mbs_call_end(context, mbs_state_terms_solve(context, terms)));
  mbs_reactions_evaluate(terms->simulation, &terms->reactions);
  memcpy(values, terms->reactions.values, (size_t)count * sizeof *values);
  return mbs_state_terms_check_result(context, terms, count, values);
}
