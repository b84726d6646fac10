// The terms in natural coordinates: one pass over masses, constraints and forces for each thing a formulation may ask.
// See terms.h. Their matrices: natural_matrix.c.
#include "terms/derivative_source.h"
#include "terms/elements.h"

static mbs_scalar *cleared_scratch(const MbsSystem *system, int count) {
  int size = (system->nq + system->m) * count;
  mbs_clear(size, system->work->scratch);
  return system->work->scratch;
}

const mbs_scalar *mbs_natural_accumulate(const MbsSystem *system, bool with_bodies, const MbsState *state,
                                         const MbsWeights *weights, double *scale) {
  const MbsMode *mode = &system->mode;
  mbs_scalar *f = cleared_scratch(system, 1);
  mbs_signal_bank_try(system, state);
  for (int i = 0; i < system->mass_count; ++i) {
    if (with_bodies || system->masses[i].is_scalar) {
      bool is_rate = mbs_system_is_state(system, system->masses[i].first[0]);
      mbs_mass_residual(system, &system->masses[i], state, f, is_rate ? NULL : scale);
    }
  }
  for (int i = 0; i < mode->row_count; ++i) {
    mbs_row_residual(system, &mode->rows[i], state, weights, f, f + system->nq, scale);
  }
  for (int i = 0; i < mode->force_count; ++i) {
    mbs_force_element_residual(system, mode->forces[i], state, f, mode->forces[i]->is_rate ? NULL : scale);
  }
  return f;
}

static void residual(const MbsSystem *system, bool with_bodies, const MbsState *state, const MbsWeights *weights,
                     mbs_scalar *r, double scale[2]) {
  if (scale) {
    scale[0] = scale[1] = 0;
  }
  const mbs_scalar *f = mbs_natural_accumulate(system, with_bodies, state, weights, scale);
  for (int i = 0; i < system->n; ++i) {
    r[i] = f[i];
  }
  for (int i = 0; i < system->m; ++i) {
    r[system->n + i] = f[system->nq + i];
  }
}

static void residual_of_all(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                            double scale[2]) {
  residual(system, true, state, weights, r, scale);
}

void mbs_natural_light_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                mbs_scalar *r, double scale[2]) {
  residual(system, false, state, weights, r, scale);
}

static void cancelling(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, const mbs_scalar *r,
                       double sizes[2]) {
  (void)r;
  double largest[2] = {0, 0};
  for (int i = 0; i < system->mode.row_count; ++i) {
    double own[2] = {0, 0};
    mbs_row_cancelling(system, &system->mode.rows[i], state, weights, own);
    largest[0] = own[0] > largest[0] ? own[0] : largest[0];
    largest[1] = own[1] > largest[1] ? own[1] : largest[1];
  }
  for (int i = 0; i < system->mode.force_count; ++i) {
    bool is_rate = system->mode.forces[i]->is_rate;
    double own = is_rate ? 0 : mbs_force_element_cancelling(system, system->mode.forces[i], state);
    largest[0] = own > largest[0] ? own : largest[0];
  }
  sizes[0] = largest[0];
  sizes[1] = largest[1];
}

static void forces(const MbsSystem *system, bool with_bodies, const MbsState *state, MbsParts parts, mbs_scalar *f) {
  const MbsMode *mode = &system->mode;
  const MbsWeights none = {0};
  mbs_scalar *e = cleared_scratch(system, 1);
  mbs_clear(system->nq, f);
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

static void forces_of_all(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f) {
  forces(system, true, state, parts, f);
}

void mbs_natural_light_forces(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f) {
  forces(system, false, state, parts, f);
}

// ---- products with columns ----
// R += the columns f (nq) and e (m) of the scratch, without the fixed coordinates
static void add_scratch(const MbsSystem *system, int count, mbs_scalar *R) {
  for (int k = 0; k < count; ++k) {
    const mbs_scalar *f = system->work->scratch + k * (system->nq + system->m);
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
                        MbsParts parts, int count, const MbsDirectionColumn *directions, mbs_scalar *R) {
  const MbsMode *mode = &system->mode;
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

static void columns_of_all(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                           int count, const MbsDirectionColumn *directions, mbs_scalar *R) {
  add_columns(system, true, state, weights, parts, count, directions, R);
}

void mbs_natural_light_columns(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                               MbsParts parts, int count, const MbsDirectionColumn *directions, mbs_scalar *R) {
  add_columns(system, false, state, weights, parts, count, directions, R);
}

static MbsStatus prepare_slopes(MbsContext *context, const MbsSystem *system) {
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

static void slopes_columns(const MbsSystem *system, const MbsState *state, const MbsCombination *c, const mbs_scalar *u,
                           const MbsColumns *columns, mbs_scalar *R) {
  if (system->source) {
    mbs_terms_point_at(system, columns);
    mbs_scalar *sum = cleared_scratch(system, system->column_count);
    mbs_source_slopes_columns(system, state, c->c0, c->c1, u, system->column_count, system->work->directions, sum,
                              system->nq + system->m);
    add_scratch(system, system->column_count, R);
    return;
  }
  add_mass_slopes(system, u, R);
  if (!mbs_has_tangent_of_forces(c->c0, c->c1)) {
    return;
  }
  mbs_terms_point_at(system, columns);
  mbs_scalar *work = cleared_scratch(system, system->column_count);
  for (int i = 0; i < system->mode.force_count; ++i) {
    if (!system->mode.forces[i]->is_rate) {
      mbs_force_second_columns(system, system->mode.forces[i], state, c->c0, c->c1, u, system->column_count,
                               system->work->directions, work, system->nq + system->m);
    }
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

static void transposed_of_all(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                              const mbs_scalar *mu, const mbs_scalar *const nu[3], const MbsStateBar *bar) {
  transposed(system, true, state, weights, parts, mu, nu, bar);
}

void mbs_natural_light_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                  MbsParts parts, const mbs_scalar *mu, const mbs_scalar *const nu[3],
                                  const MbsStateBar *bar) {
  transposed(system, false, state, weights, parts, mu, nu, bar);
}

static void slopes_transposed(const MbsSystem *system, const MbsState *state, const MbsCombination *c,
                              const mbs_scalar *u, const mbs_scalar *mu, const MbsStateBar *bar) {
  const MbsAdjoint adjoint = {.mu = extended(system, mu),
                              .q = bar->q,
                              .v = bar->v,
                              .coefficients = bar->coefficients,
                              .parameters = bar->parameters};
  if (system->source) {
    mbs_source_slopes_transposed(system, state, c->c0, c->c1, u, &adjoint);
    return;
  }
  for (int i = 0; i < system->mass_count; ++i) {
    mbs_mass_coefficient_adjoint(system, &system->masses[i], u, adjoint.mu, bar->coefficients);
  }
  for (int i = 0; i < system->mode.force_count && mbs_has_tangent_of_forces(c->c0, c->c1); ++i) {
    if (!system->mode.forces[i]->is_rate) {
      mbs_force_second_transposed(system, system->mode.forces[i], state, c->c0, c->c1, u, &adjoint);
    }
  }
}

// ---- the bodies are the system itself ----
static const MbsState *follow(const MbsSystem *system, const MbsState *state) {
  (void)system;
  return state;
}

static MbsColumns take_columns(const MbsSystem *system, const MbsState *state, const MbsColumns *columns) {
  (void)system, (void)state;
  return *columns;
}

static MbsStateBar begin_bar(const MbsSystem *system, const MbsStateBar *bar) {
  (void)system;
  return *bar;
}

static void end_bar(const MbsSystem *system, const MbsStateBar *bar) { (void)system, (void)bar; }

static MbsStatus add_form_pattern(MbsContext *context, const MbsSystem *system, const MbsLinearForm *form, int row,
                                  MbsPatternBuilder *builder) {
  for (int t = 0; t < form->count; ++t) {
    for (int k = 0; k < system->dimension; ++k) {
      int column = mbs_system_free_component(system, form->first[t], k);
      if (column >= 0) {
        MBS_TRY(mbs_pattern_add(context, builder, row, column));
      }
    }
  }
  return MBS_OK;
}

static MbsStatus widen(MbsContext *context, MbsSystem *system, int columns) {
  MBS_TAKE(context, system->arena, system->work->scratch, (size_t)(system->nq + system->m) * (size_t)columns);
  MBS_TAKE(context, system->arena, system->work->directions, columns);
  return MBS_OK;
}

static void guess(const MbsSystem *system, mbs_scalar *q) {
  const MbsBlueprint *blueprint = system->blueprint;
  for (int i = 0; i < blueprint->entities.count; ++i) {
    const MbsEntity *entity = &blueprint->entities.items[i];
    for (int k = 0; k < mbs_entity_size(entity, system->dimension) && !entity->is_fixed; ++k) {
      q[system->entity_first[i] + k] = entity->guess[k];
    }
  }
}

static void measure(const MbsSystem *system, const mbs_scalar *near, mbs_scalar *q) {
  (void)near;
  guess(system, q);
}

static int ball_of(const MbsSystem *system, int coordinate) {
  (void)system, (void)coordinate;
  return -1;
}

static void forget(const MbsSystem *system) { (void)system; }

const MbsTermsTable mbs_natural_terms = {.has_sources = true,
                                         .residual = residual_of_all,
                                         .cancelling = cancelling,
                                         .forces = forces_of_all,
                                         .columns = columns_of_all,
                                         .transposed = transposed_of_all,
                                         .matrix = mbs_natural_matrix,
                                         .matrix_sizes = mbs_natural_matrix_sizes,
                                         .prepare_slopes = prepare_slopes,
                                         .slopes_columns = slopes_columns,
                                         .slopes_transposed = slopes_transposed,
                                         .follow = follow,
                                         .take_columns = take_columns,
                                         .begin_bar = begin_bar,
                                         .end_bar = end_bar,
                                         .add_form_pattern = add_form_pattern,
                                         .widen = widen,
                                         .guess = guess,
                                         .measure = measure,
                                         .ball_of = ball_of,
                                         .forget = forget};
