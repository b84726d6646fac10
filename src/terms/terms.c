// One pass over masses, rows and forces for each thing a formulation may ask. See terms.h.
#include "terms/terms.h"

#include "terms/derivative_source.h"
#include "terms/elements.h"
#include "terms/tree.h"

static mbs_scalar *cleared_scratch(const MbsSystem *system, int count) {
  int size = (system->nq + system->m) * count;
  for (int i = 0; i < size; ++i) {
    system->scratch[i] = 0;
  }
  return system->scratch;
}

// f (nq, fixed coordinates too) and behind it e (m), in the scratch
static mbs_scalar *accumulate_residual(const MbsSystem *system, bool with_bodies, const MbsState *state,
                                       const MbsWeights *weights, double *scale) {
  const MbsMode *mode = &system->mode;
  mbs_scalar *f = cleared_scratch(system, 1);
  mbs_signal_bank_try(system, state);
  for (int i = 0; i < system->mass_count; ++i) {
    if (with_bodies || system->masses[i].is_scalar) {
      mbs_mass_residual(system, &system->masses[i], state, f, scale);
    }
  }
  for (int i = 0; i < mode->row_count; ++i) {
    mbs_row_residual(system, &mode->rows[i], state, weights, f, f + system->nq, scale);
  }
  for (int i = 0; i < mode->force_count; ++i) {
    mbs_force_element_residual(system, mode->forces[i], state, f, scale);
  }
  return f;
}

static void residual(const MbsSystem *system, bool with_bodies, const MbsState *state, const MbsWeights *weights,
                     mbs_scalar *r, double scale[2]) {
  if (scale) {
    scale[0] = scale[1] = 0;
  }
  const mbs_scalar *f = accumulate_residual(system, with_bodies, state, weights, scale);
  for (int i = 0; i < system->n; ++i) {
    r[i] = f[i];
  }
  for (int i = 0; i < system->m; ++i) {
    r[system->n + i] = f[system->nq + i];
  }
}

void mbs_terms_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                        double scale[2]) {
  if (system->tree) {
    mbs_tree_residual(system, state, weights, r, scale);
  } else {
    residual(system, true, state, weights, r, scale);
  }
}

void mbs_terms_cancelling(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                          const mbs_scalar *r, double sizes[2]) {
  if (system->tree) {
    mbs_tree_cancelling(system, state, weights, r, sizes);
    return;
  }
  double largest[2] = {0, 0};
  for (int i = 0; i < system->mode.row_count; ++i) {
    double own[2] = {0, 0};
    mbs_row_cancelling(system, &system->mode.rows[i], state, weights, own);
    largest[0] = own[0] > largest[0] ? own[0] : largest[0];
    largest[1] = own[1] > largest[1] ? own[1] : largest[1];
  }
  for (int i = 0; i < system->mode.force_count; ++i) {
    double own = mbs_force_element_cancelling(system, system->mode.forces[i], state);
    largest[0] = own > largest[0] ? own : largest[0];
  }
  sizes[0] = largest[0];
  sizes[1] = largest[1];
}

void mbs_terms_light_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                              double scale[2]) {
  residual(system, false, state, weights, r, scale);
}

static void forces(const MbsSystem *system, bool with_bodies, const MbsState *state, MbsParts parts, mbs_scalar *f) {
  const MbsMode *mode = &system->mode;
  const MbsWeights none = {0};
  mbs_scalar *e = cleared_scratch(system, 1);
  for (int i = 0; i < system->nq; ++i) {
    f[i] = 0;
  }
  mbs_signal_bank_try(system, state);
  for (int i = 0; i < system->mass_count && (parts & MBS_PART_BALANCE); ++i) {
    if (with_bodies || system->masses[i].is_scalar) {
      mbs_mass_residual(system, &system->masses[i], state, f, NULL);
    }
  }
  for (int i = 0; i < mode->row_count && (parts & MBS_PART_ROWS); ++i) {
    mbs_row_residual(system, &mode->rows[i], state, &none, f, e, NULL);
  }
  for (int i = 0; i < mode->force_count && (parts & MBS_PART_BALANCE); ++i) {
    mbs_force_element_residual(system, mode->forces[i], state, f, NULL);
  }
}

void mbs_terms_forces(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f) {
  if (system->tree) {
    mbs_tree_forces(system, state, parts, f);
  } else {
    forces(system, true, state, parts, f);
  }
}

void mbs_terms_light_forces(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f) {
  forces(system, false, state, parts, f);
}

// ---- products with columns ----
// R += the columns f (nq) and e (m) of the scratch, without the fixed coordinates
static void add_scratch(const MbsSystem *system, int count, mbs_scalar *R) {
  for (int k = 0; k < count; ++k) {
    const mbs_scalar *f = system->scratch + k * (system->nq + system->m);
    mbs_scalar *r = R + k * (system->n + system->m);
    for (int i = 0; i < system->n; ++i) {
      r[i] += f[i];
    }
    for (int i = 0; i < system->m; ++i) {
      r[system->n + i] += f[system->nq + i];
    }
  }
}

static void add_columns(const MbsSystem *system, bool with_bodies, const MbsState *state, const MbsWeights *weights,
                        MbsParts parts, int count, mbs_scalar *R) {
  const MbsMode *mode = &system->mode;
  const MbsDirectionColumn *directions = system->directions;
  int stride = system->nq + system->m;
  mbs_scalar *work = cleared_scratch(system, count);
  if (system->source) {
    mbs_source_columns(system, false, state, weights, parts, count, directions, work, stride);
    add_scratch(system, count, R);
    return;
  }
  for (int i = 0; i < system->mass_count && (parts & MBS_PART_BALANCE); ++i) {
    for (int k = 0; k < count && (with_bodies || system->masses[i].is_scalar); ++k) {
      mbs_mass_derivative(system, &system->masses[i], state, &directions[k], work + k * stride);
    }
  }
  for (int i = 0; i < mode->row_count && (parts & MBS_PART_ROWS); ++i) {
    mbs_row_derivative(system, &mode->rows[i], state, weights, count, directions, work, stride);
  }
  for (int i = 0; i < mode->force_count && (parts & MBS_PART_BALANCE); ++i) {
    mbs_force_element_derivative(system, mode->forces[i], state, count, directions, work, stride);
  }
  add_scratch(system, count, R);
}

void mbs_terms_add_columns(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                           int count, mbs_scalar *R) {
  if (system->tree) {
    mbs_tree_derivative(system, state, weights, parts, count, system->directions, R);
  } else {
    add_columns(system, true, state, weights, parts, count, R);
  }
}

void mbs_terms_add_light_columns(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                 MbsParts parts, int count, mbs_scalar *R) {
  add_columns(system, false, state, weights, parts, count, R);
}

void mbs_terms_derivative(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, int count,
                          bool with_parameters, const mbs_scalar *X, const mbs_scalar *V, const mbs_scalar *A,
                          const mbs_scalar *L, mbs_scalar *R) {
  for (int k = 0; k < count; ++k) {
    system->directions[k] = (MbsDirectionColumn){.column = with_parameters ? k : -1,
                                                 .X = X + k * system->nq,
                                                 .V = V + k * system->nq,
                                                 .A = A ? A + k * system->nq : NULL,
                                                 .L = L ? L + k * system->m : NULL};
  }
  mbs_terms_add_columns(system, state, weights, MBS_PART_ALL, count, R);
}

void mbs_terms_derivative_along(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                MbsParts parts, const mbs_scalar *X, const mbs_scalar *V, const mbs_scalar *A,
                                mbs_scalar *R) {
  system->directions[0] = (MbsDirectionColumn){.column = -1, .X = X, .V = V, .A = A};
  for (int i = 0; i < system->n + system->m; ++i) {
    R[i] = 0;
  }
  mbs_terms_add_columns(system, state, weights, parts, 1, R);
}

static void point_at_columns(const MbsSystem *system, const MbsColumns *columns) {
  for (int k = 0; k < system->column_count; ++k) {
    system->directions[k] = (MbsDirectionColumn){.column = k,
                                                 .X = columns->X ? columns->X + k * system->nq : system->zeros,
                                                 .V = columns->V ? columns->V + k * system->nq : system->zeros,
                                                 .A = columns->A ? columns->A + k * system->nq : NULL,
                                                 .L = columns->L ? columns->L + k * system->m : NULL};
  }
}

void mbs_terms_derivative_of(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                             const MbsColumns *columns, mbs_scalar *R) {
  point_at_columns(system, columns);
  mbs_terms_add_columns(system, state, weights, parts, system->column_count, R);
}

MbsStatus mbs_terms_prepare_tangent_slopes(MbsContext *context, const MbsSystem *system) {
  MBS_CHECK(context, !system->tree);  // settings refuse it
  for (int i = 0; i < system->mode.force_count; ++i) {
    MBS_TRY(mbs_force_second_prepare(context, system, system->mode.forces[i]));
  }
  return MBS_OK;
}

// R += dM/drho y
static void add_mass_slopes(const MbsSystem *system, const mbs_scalar *y, mbs_scalar *R) {
  for (int k = 0; k < system->column_count; ++k) {
    mbs_scalar *f = cleared_scratch(system, 1);
    for (int i = 0; i < system->mass_count; ++i) {
      mbs_mass_slope_product(system, &system->masses[i], k, y, f);
    }
    for (int i = 0; i < system->n; ++i) {
      R[k * (system->n + system->m) + i] += f[i];
    }
  }
}

void mbs_terms_tangent_slopes(const MbsSystem *system, const MbsState *state, double c0, double c1, const mbs_scalar *u,
                              const MbsColumns *columns, mbs_scalar *R) {
  if (system->tree) {
    mbs_tree_mass_slopes(system, state, u, columns, R);
    return;
  }
  if (system->source) {
    point_at_columns(system, columns);
    mbs_scalar *sum = cleared_scratch(system, system->column_count);
    mbs_source_slopes_columns(system, state, c0, c1, u, system->column_count, system->directions, sum,
                              system->nq + system->m);
    add_scratch(system, system->column_count, R);
    return;
  }
  add_mass_slopes(system, u, R);
  if (!mbs_has_tangent_of_forces(c0, c1)) {
    return;
  }
  point_at_columns(system, columns);
  mbs_scalar *work = cleared_scratch(system, system->column_count);
  for (int i = 0; i < system->mode.force_count; ++i) {
    mbs_force_second_columns(system, system->mode.forces[i], state, c0, c1, u, system->column_count, system->directions,
                             work, system->nq + system->m);
  }
  add_scratch(system, system->column_count, R);
}

// ---- products with the transpose ----
// mu of the free coordinates, zero for the fixed ones, in the scratch
static const mbs_scalar *extended(const MbsSystem *system, const mbs_scalar *mu) {
  mbs_scalar *all = cleared_scratch(system, 1);
  for (int i = 0; i < system->n; ++i) {
    all[i] = mu[i];
  }
  return all;
}

static void transposed(const MbsSystem *system, bool with_bodies, const MbsState *state, const MbsWeights *weights,
                       MbsParts parts, const mbs_scalar *mu, const mbs_scalar *const nu[3], const MbsStateBar *bar) {
  const MbsMode *mode = &system->mode;
  const MbsAdjoint adjoint = {.mu = extended(system, mu),
                              .nu = {nu[0], nu[1], nu[2]},
                              .q = bar->q,
                              .v = bar->v,
                              .a = bar->a,
                              .lambda = bar->lambda,
                              .coefficients = bar->coefficients,
                              .parameters = bar->parameters};
  if (system->source) {
    mbs_source_transposed(system, false, state, weights, parts, &adjoint);
    return;
  }
  for (int i = 0; i < system->mass_count && (parts & MBS_PART_BALANCE); ++i) {
    if (with_bodies || system->masses[i].is_scalar) {
      mbs_mass_transposed(system, &system->masses[i], state, &adjoint);
    }
  }
  for (int i = 0; i < mode->row_count && (parts & MBS_PART_ROWS); ++i) {
    mbs_row_transposed(system, &mode->rows[i], state, weights, &adjoint);
  }
  for (int i = 0; i < mode->force_count && (parts & MBS_PART_BALANCE); ++i) {
    mbs_force_element_transposed(system, mode->forces[i], state, &adjoint);
  }
}

void mbs_terms_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                          const mbs_scalar *mu, const mbs_scalar *nu, const MbsStateBar *bar) {
  mbs_terms_transposed_levels(system, state, weights, parts, mu, (const mbs_scalar *const[]){nu, nu, nu}, bar);
}

void mbs_terms_transposed_levels(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                 MbsParts parts, const mbs_scalar *mu, const mbs_scalar *const nu[3],
                                 const MbsStateBar *bar) {
  if (system->tree) {
    mbs_tree_transposed(system, state, weights, parts, mu, nu, bar);
  } else {
    transposed(system, true, state, weights, parts, mu, nu, bar);
  }
}

void mbs_terms_light_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                MbsParts parts, const mbs_scalar *mu, const mbs_scalar *const nu[3],
                                const MbsStateBar *bar) {
  transposed(system, false, state, weights, parts, mu, nu, bar);
}

void mbs_terms_tangent_transposed(const MbsSystem *system, const MbsState *state, double c0, double c1,
                                  const mbs_scalar *u, const mbs_scalar *mu, const MbsStateBar *bar) {
  if (system->tree) {
    mbs_tree_mass_transposed(system, state, u, mu, bar);
    return;
  }
  const MbsAdjoint adjoint = {.mu = extended(system, mu),
                              .q = bar->q,
                              .v = bar->v,
                              .coefficients = bar->coefficients,
                              .parameters = bar->parameters};
  if (system->source) {
    mbs_source_slopes_transposed(system, state, c0, c1, u, &adjoint);
    return;
  }
  for (int i = 0; i < system->mass_count; ++i) {
    mbs_mass_coefficient_adjoint(system, &system->masses[i], u, adjoint.mu, bar->coefficients);
  }
  for (int i = 0; i < system->mode.force_count && mbs_has_tangent_of_forces(c0, c1); ++i) {
    mbs_force_second_transposed(system, system->mode.forces[i], state, c0, c1, u, &adjoint);
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
  if (system->tree) {
    mbs_terms_constraint(system->tree->inner, row, mbs_tree_follow(system->tree, state, false), level);
    return;
  }
  mbs_row_levels(system, &system->mode.rows[row], state, 3, level);
}

void mbs_terms_constraints(const MbsSystem *system, const MbsState *state, mbs_scalar *Phi, mbs_scalar *Phidot,
                           mbs_scalar *Phiddot) {
  if (system->tree) {
    mbs_terms_constraints(system->tree->inner, mbs_tree_follow(system->tree, state, false), Phi, Phidot, Phiddot);
    return;
  }
  mbs_signal_bank_try(system, state);
  for (int i = 0; i < system->m; ++i) {
    mbs_scalar level[3];
    mbs_row_levels(system, &system->mode.rows[i], state, Phiddot ? 3 : Phidot ? 2 : 1, level);
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

void mbs_terms_energy(const MbsSystem *system, const MbsState *state, MbsEnergy *energy) {
  if (system->tree) {
    mbs_terms_energy(system->tree->inner, mbs_tree_follow(system->tree, state, false), energy);
    return;
  }
  *energy = (MbsEnergy){0};
  MbsState balanced = *state;  // where a is projected, lambda alone does not hold M a - Q
  balanced.lambda = state->total;
  if (system->moving.count > 0) {  // f on a moving coordinate is the force that moves it
    const MbsWeights none = {0};
    mbs_scalar *f = accumulate_residual(system, true, &balanced, &none, NULL);
    for (int i = system->n; i < system->nq; ++i) {
      energy->power += f[i] * state->v[i];
    }
  }
  for (int i = 0; i < system->mass_count; ++i) {
    mbs_mass_energy(system, &system->masses[i], state, energy);
  }
  for (int i = 0; i < system->m; ++i) {
    const MbsRow *row = &system->mode.rows[i];
    energy->power += row->kind == MBS_ROW_EXPRESSION ? mbs_expression_row_power(system, row, &balanced) : 0;
  }
  for (int i = 0; i < system->mode.force_count; ++i) {
    mbs_scalar potential, lost;
    mbs_force_element_energy(system, system->mode.forces[i], state, &potential, &lost);
    energy->potential += potential;
    energy->power += lost;
  }
}

const char *mbs_terms_find_bad_force(const MbsSystem *system, const MbsState *state) {
  if (system->tree) {
    return mbs_terms_find_bad_force(system->tree->inner, mbs_tree_follow(system->tree, state, false));
  }
  for (int i = 0; i < system->mode.force_count; ++i) {
    if (!mbs_force_element_is_finite(system, system->mode.forces[i], state)) {
      return mbs_force_element_name(system->mode.forces[i]);
    }
  }
  return NULL;
}
