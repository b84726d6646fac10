// The functions of terms.h, by the table of the system's coordinates.
#include "terms/terms.h"

#include "terms/elements.h"

void mbs_terms_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                        double scale[2]) {
  system->terms->residual(system, state, weights, r, scale);
}

void mbs_terms_cancelling(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                          const mbs_scalar *r, double sizes[2]) {
  system->terms->cancelling(system, state, weights, r, sizes);
}

void mbs_terms_forces(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f) {
  system->terms->forces(system, state, parts, f);
}

// ---- products with columns ----
static void add_columns(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                        int count, mbs_scalar *R) {
  system->terms->columns(system, state, weights, parts, count, system->work->directions, R);
}

void mbs_terms_derivative(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, int count,
                          bool with_parameters, const mbs_scalar *X, const mbs_scalar *V, const mbs_scalar *A,
                          const mbs_scalar *L, mbs_scalar *R) {
  for (int k = 0; k < count; ++k) {
    system->work->directions[k] = (MbsDirectionColumn){.column = with_parameters ? k : -1,
                                                       .X = X + k * system->nq,
                                                       .V = V + k * system->nq,
                                                       .A = A ? A + k * system->nq : NULL,
                                                       .L = L ? L + k * system->m : NULL};
  }
  add_columns(system, state, weights, MBS_PART_ALL, count, R);
}

void mbs_terms_derivative_along(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                MbsParts parts, const mbs_scalar *X, const mbs_scalar *V, const mbs_scalar *A,
                                mbs_scalar *R) {
  system->work->directions[0] = (MbsDirectionColumn){.column = -1, .X = X, .V = V, .A = A};
  mbs_clear(system->n + system->m, R);
  add_columns(system, state, weights, parts, 1, R);
}

void mbs_terms_point_at(const MbsSystem *system, const MbsColumns *columns) {
  for (int k = 0; k < system->column_count; ++k) {
    system->work->directions[k] = (MbsDirectionColumn){.column = k,
                                                       .X = columns->X ? columns->X + k * system->nq : system->zeros,
                                                       .V = columns->V ? columns->V + k * system->nq : system->zeros,
                                                       .A = columns->A ? columns->A + k * system->nq : NULL,
                                                       .L = columns->L ? columns->L + k * system->m : NULL};
  }
}

void mbs_terms_derivative_of(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                             const MbsColumns *columns, mbs_scalar *R) {
  mbs_terms_point_at(system, columns);
  add_columns(system, state, weights, parts, system->column_count, R);
}

MbsStatus mbs_terms_prepare_tangent_slopes(MbsContext *context, const MbsSystem *system) {
  MBS_CHECK(context, system->terms->prepare_slopes);  // settings refuse it
  return system->terms->prepare_slopes(context, system);
}

void mbs_terms_tangent_slopes(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                              const mbs_scalar *u, const MbsColumns *columns, mbs_scalar *R) {
  system->terms->slopes_columns(system, state, &(MbsCombination){.c0 = c0, .c1 = c1}, u, columns, R);
}

// ---- products with the transpose ----
void mbs_terms_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                          const mbs_scalar *mu, const mbs_scalar *nu, const MbsStateBar *bar) {
  mbs_terms_transposed_levels(system, state, weights, parts, mu, (const mbs_scalar *const[]){nu, nu, nu}, bar);
}

void mbs_terms_transposed_levels(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                 MbsParts parts, const mbs_scalar *mu, const mbs_scalar *const nu[3],
                                 const MbsStateBar *bar) {
  system->terms->transposed(system, state, weights, parts, mu, nu, bar);
}

void mbs_terms_tangent_transposed(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                                  const mbs_scalar *u, const mbs_scalar *mu, const MbsStateBar *bar) {
  system->terms->slopes_transposed(system, state, &(MbsCombination){.c0 = c0, .c1 = c1}, u, mu, bar);
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

// ---- matrices ----
bool mbs_system_has_tangent(const MbsSystem *system) {
  return !system->mode.pattern.tree && system->mode.factored.extra == 0;
}

void mbs_terms_tangent(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar c0,
                       mbs_scalar c1, mbs_scalar c2, mbs_scalar *values) {
  mbs_terms_factorable(system, true, state, weights, c0, c1, c2, values);
}

void mbs_terms_factorable(const MbsSystem *system, bool is_exact, const MbsState *state, const MbsWeights *weights,
                          mbs_scalar c0, mbs_scalar c1, mbs_scalar c2, mbs_scalar *values) {
  system->terms->matrix(system, is_exact ? MBS_MATRIX_TANGENT : MBS_MATRIX_APPROXIMATE, state, weights,
                        &(MbsCombination){.c0 = c0, .c1 = c1, .c2 = c2}, values);
}

void mbs_terms_factorable_sizes(const MbsSystem *system, const mbs_scalar *values, double *mass, double *longest) {
  *mass = *longest = 0;
  system->terms->matrix_sizes(system, values, mass, longest);
}

void mbs_terms_jacobian(const MbsSystem *system, const MbsState *state, bool with_nonholonomic, mbs_scalar *values) {
  const MbsWeights weights = {.k1 = 1, .n1 = with_nonholonomic};  // e_v is Phi_x, and A
  if (system->m > 0) {
    system->terms->matrix(system, MBS_MATRIX_JACOBIAN, state, &weights, &(MbsCombination){.c1 = 1}, values);
  }
}

void mbs_terms_projection_matrix(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                                 double epsilon, mbs_scalar *values) {
  const MbsWeights weights = {.k2 = 1, .n2 = 1, .epsilon = epsilon, .n_epsilon = epsilon};
  system->terms->matrix(system, MBS_MATRIX_PROJECTION, state, &weights, &(MbsCombination){.c0 = c0, .c1 = c1, .c2 = 1},
                        values);
}

// ---- the bodies ----
const MbsState *mbs_system_follow(const MbsSystem *system, const MbsState *state) {
  return system->terms->follow(system, state);
}

MbsColumns mbs_system_take_columns(const MbsSystem *system, const MbsState *state, const MbsColumns *columns) {
  return system->terms->take_columns(system, state, columns);
}

MbsStateBar mbs_system_begin_bar(const MbsSystem *system, const MbsStateBar *bar) {
  return system->terms->begin_bar(system, bar);
}

void mbs_system_end_bar(const MbsSystem *system, const MbsStateBar *bar) { system->terms->end_bar(system, bar); }

int mbs_system_movers(const MbsSystem *system, int first, bool is_point, MbsMover *movers) {
  return system->terms->movers(system, first, is_point, movers);
}

void mbs_system_measure(const MbsSystem *system, const mbs_scalar *near, mbs_scalar *q) {
  system->terms->measure(system, near, q);
}

int mbs_system_ball_of(const MbsSystem *system, int coordinate) { return system->terms->ball_of(system, coordinate); }

MbsStatus mbs_system_add_form_pattern(MbsContext *context, const MbsSystem *system, const MbsLinearForm *form, int row,
                                      MbsPatternBuilder *builder) {
  return system->terms->add_form_pattern(context, system, form, row, builder);
}

MbsStatus mbs_system_unfold(MbsContext *context, MbsArena *scratch, const MbsSystem *system, int row_count,
                            const MbsKinematicRow *rows, MbsPattern *pattern, MbsUnfolded **unfolded) {
  *unfolded = NULL;
  return system->terms->unfold ? system->terms->unfold(context, scratch, system, row_count, rows, pattern, unfolded)
                               : MBS_OK;
}

void mbs_system_fill_unfolded(const MbsSystem *system, const MbsUnfolded *unfolded, const MbsState *state,
                              mbs_scalar *values) {
  system->terms->fill_unfolded(system, unfolded, state, values);
}
