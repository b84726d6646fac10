// One pass over masses, rows and forces for each thing a formulation may ask. See terms.h.
#include "terms/terms.h"

#include "terms/elements.h"

static mbs_scalar *cleared_scratch(const MbsSystem *system, int count) {
  int size = (system->nq + system->m) * count;
  for (int i = 0; i < size; ++i) {
    system->scratch[i] = 0;
  }
  return system->scratch;
}

// f (nq, fixed coordinates too) and behind it e (m), in the scratch
static mbs_scalar *accumulate_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                       double *scale) {
  const MbsMode *mode = &system->mode;
  mbs_scalar *f = cleared_scratch(system, 1);
  mbs_signal_bank_try(system, state);
  for (int i = 0; i < system->mass_count; ++i) {
    mbs_mass_residual(system, &system->masses[i], state, f, scale);
  }
  for (int i = 0; i < mode->row_count; ++i) {
    mbs_row_residual(system, &mode->rows[i], state, weights, f, f + system->nq, scale);
  }
  for (int i = 0; i < mode->force_count; ++i) {
    mbs_force_element_residual(system, mode->forces[i], state, f, scale);
  }
  return f;
}

void mbs_terms_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                        double scale[2]) {
  if (scale) {
    scale[0] = scale[1] = 0;
  }
  const mbs_scalar *f = accumulate_residual(system, state, weights, scale);
  for (int i = 0; i < system->n; ++i) {
    r[i] = f[i];
  }
  for (int i = 0; i < system->m; ++i) {
    r[system->n + i] = f[system->nq + i];
  }
}

void mbs_terms_tangent(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, double c0, double c1,
                       double c2, mbs_scalar *values) {
  const MbsMode *mode = &system->mode;
  MbsCombination c = {.c0 = c0, .c1 = c1, .c2 = c2};
  for (int i = 0; i <= mode->pattern.entry_count; ++i) {
    values[i] = 0;
  }
  for (int i = 0; i < system->mass_count; ++i) {
    mbs_mass_tangent(system, &system->masses[i], c2, values);
  }
  for (int i = 0; i < mode->row_count; ++i) {
    mbs_row_tangent(system, &mode->rows[i], state, weights, &c, values);
  }
  for (int i = 0; i < mode->force_count; ++i) {
    mbs_force_element_tangent(system, mode->forces[i], state, &c, values);
  }
}

void mbs_terms_derivative(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, int count,
                          bool with_parameters, const mbs_scalar *X, const mbs_scalar *V, const mbs_scalar *A,
                          const mbs_scalar *L, mbs_scalar *R) {
  const MbsMode *mode = &system->mode;
  int stride = system->nq + system->m;
  mbs_scalar *work = cleared_scratch(system, count);
  MbsDirectionColumn *directions = system->directions;
  for (int k = 0; k < count; ++k) {
    directions[k] = (MbsDirectionColumn){.column = with_parameters ? k : -1,
                                         .X = X + k * system->nq,
                                         .V = V + k * system->nq,
                                         .A = A ? A + k * system->nq : NULL,
                                         .L = L ? L + k * system->m : NULL};
  }
  for (int i = 0; i < system->mass_count; ++i) {
    for (int k = 0; k < count; ++k) {
      mbs_mass_derivative(system, &system->masses[i], state, &directions[k], work + k * stride);
    }
  }
  for (int i = 0; i < mode->row_count; ++i) {
    mbs_row_derivative(system, &mode->rows[i], state, weights, count, directions, work, stride);
  }
  for (int i = 0; i < mode->force_count; ++i) {
    mbs_force_element_derivative(system, mode->forces[i], state, count, directions, work, stride);
  }
  for (int k = 0; k < count; ++k) {
    const mbs_scalar *f = work + k * stride;
    mbs_scalar *r = R + k * (system->n + system->m);
    for (int i = 0; i < system->n; ++i) {
      r[i] += f[i];
    }
    for (int i = 0; i < system->m; ++i) {
      r[system->n + i] += f[system->nq + i];
    }
  }
}

void mbs_terms_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                          const mbs_scalar *mu, const mbs_scalar *nu, mbs_scalar *q, mbs_scalar *v, mbs_scalar *a,
                          mbs_scalar *lambda, mbs_scalar *coefficients, mbs_scalar *parameters) {
  const MbsMode *mode = &system->mode;
  mbs_scalar *extended = cleared_scratch(system, 1);
  for (int i = 0; i < system->n; ++i) {
    extended[i] = mu[i];
  }
  MbsAdjoint adjoint = {.mu = extended,
                        .nu = nu,
                        .q = q,
                        .v = v,
                        .a = a,
                        .lambda = lambda,
                        .coefficients = coefficients,
                        .parameters = parameters};
  for (int i = 0; i < system->mass_count; ++i) {
    mbs_mass_transposed(system, &system->masses[i], state, &adjoint);
  }
  for (int i = 0; i < mode->row_count; ++i) {
    mbs_row_transposed(system, &mode->rows[i], state, weights, &adjoint);
  }
  for (int i = 0; i < mode->force_count; ++i) {
    mbs_force_element_transposed(system, mode->forces[i], state, &adjoint);
  }
}

void mbs_system_chain(const MbsSystem *system, const mbs_scalar *coefficients, const mbs_scalar *parameters,
                      mbs_scalar *gradient) {
  const MbsCoefficients *all = &system->coefficients;
  const mbs_scalar *slopes = all->outputs + all->nodes.count;
  for (int c = 0; c < all->nodes.count; ++c) {
    for (int d = all->derivative_start[c]; d < all->derivative_start[c + 1]; ++d) {
      gradient[all->derivative_column[d]] += coefficients[c] * slopes[d];
    }
  }
  for (int k = 0; k < system->column_count; ++k) {
    gradient[k] += parameters[system->columns[k]];
  }
}

void mbs_terms_constraint(const MbsSystem *system, int row, const MbsState *state, mbs_scalar level[3]) {
  mbs_row_levels(system, &system->mode.rows[row], state, level);
}

void mbs_terms_constraints(const MbsSystem *system, const MbsState *state, mbs_scalar *Phi, mbs_scalar *Phidot,
                           mbs_scalar *Phiddot) {
  mbs_signal_bank_try(system, state);
  for (int i = 0; i < system->m; ++i) {
    mbs_scalar level[3];
    mbs_terms_constraint(system, i, state, level);
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

void mbs_terms_body_residual(const MbsSystem *system, const MbsState *state, int body, mbs_scalar *f) {
  const MbsMode *mode = &system->mode;
  const MbsWeights none = {0};
  mbs_scalar *e = cleared_scratch(system, 1);
  for (int i = 0; i < system->nq; ++i) {
    f[i] = 0;
  }
  for (int i = 0; i < system->mass_count; ++i) {
    if (system->masses[i].body == body) {
      mbs_mass_residual(system, &system->masses[i], state, f, NULL);
    }
  }
  for (int i = 0; i < mode->row_count; ++i) {
    if (mode->rows[i].body == body) {
      mbs_row_residual(system, &mode->rows[i], state, &none, f, e, NULL);
    }
  }
  for (int i = 0; i < mode->force_count; ++i) {
    mbs_force_element_body_residual(system, mode->forces[i], state, body, f);
  }
}

void mbs_terms_energy(const MbsSystem *system, const MbsState *state, mbs_scalar *energy, mbs_scalar *power) {
  *energy = *power = 0;
  if (system->moving.count > 0) {  // f on a moving coordinate is the force that moves it
    const MbsWeights none = {0};
    mbs_scalar *f = accumulate_residual(system, state, &none, NULL);
    for (int i = system->n; i < system->nq; ++i) {
      *power += f[i] * state->v[i];
    }
  }
  for (int i = 0; i < system->mass_count; ++i) {
    *energy += mbs_mass_energy(system, &system->masses[i], state);
  }
  for (int i = 0; i < system->m; ++i) {
    const MbsRow *row = &system->mode.rows[i];
    *power += row->kind == MBS_ROW_EXPRESSION ? mbs_expression_row_power(system, row, state) : 0;
  }
  for (int i = 0; i < system->mode.force_count; ++i) {
    mbs_scalar potential, lost;
    mbs_force_element_energy(system, system->mode.forces[i], state, &potential, &lost);
    *energy += potential;
    *power += lost;
  }
}

const char *mbs_terms_find_bad_force(const MbsSystem *system, const MbsState *state) {
  for (int i = 0; i < system->mode.force_count; ++i) {
    if (!mbs_force_element_is_finite(system, system->mode.forces[i], state)) {
      return mbs_force_element_name(system->mode.forces[i]);
    }
  }
  return NULL;
}
