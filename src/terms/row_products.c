// Constraint rows: products with directions and with the transpose. The rows are those of row_evaluate.c.
#include <math.h>

#include "terms/row_values.h"

// ---- product with a direction ----
// value of a form's derivative: the form of the directions plus its coefficients' slopes on the state
MBS_KERNEL void evaluate_derivative(const MbsLinearForm *form, const mbs_scalar *c, const mbs_scalar *slope,
                                    const MbsState *state, int levels, const MbsDirectionColumn *direction,
                                    MbsRowValues *values, int d, bool turns) {
  const mbs_scalar *const at[] = {state->q, state->v, state->a};
  const mbs_scalar *const along[] = {direction->X, direction->V, direction->A};
  for (int level = 0; level < levels; ++level) {
    for (int k = 0; k < 3; ++k) {
      values->at[level][k] = 0;
    }
    if (along[level]) {
      mbs_form_add(form, c, d, turns, along[level], values->at[level]);
    }
    if (slope) {
      mbs_form_add(form, slope, d, turns, at[level], values->at[level]);
    }
  }
}

// Of a coinciding row; levels: of e, as below.
MBS_KERNEL void add_to_component(const MbsRow *row, const MbsState *state, int levels,
                                 const MbsDirectionColumn *direction, const mbs_scalar *slope, mbs_scalar dlambda,
                                 mbs_scalar level[3], mbs_scalar *f, bool turns) {
  const mbs_scalar *const at[] = {state->q, state->v, state->a};
  const mbs_scalar *const along[] = {direction->X, direction->V, direction->A};
  const mbs_scalar *c = row->block.value;
  for (int k = 0; k < levels; ++k) {
    level[k] = along[k] ? mbs_row_component(row, c, along[k], turns) : 0;
    level[k] += slope ? mbs_row_component(row, slope, at[k], turns) : 0;
  }
  if (slope) {
    mbs_row_component_transposed(row, slope, state->lambda[row->index], f, turns);
  }
  if (direction->L) {
    mbs_row_component_transposed(row, c, dlambda, f, turns);
  }
}

// One direction, with the forms' values at the state at hand; levels: 1 where e has Phi alone, 2 with Phidot, 3 with
// Phiddot.
MBS_KERNEL void add_direction(const MbsRow *row, const MbsState *state, const MbsWeights *w, int levels,
                              const MbsRowValues *A, const MbsRowValues *B, const MbsDirectionColumn *direction,
                              mbs_scalar *f, mbs_scalar *e, int d, bool turns) {
  const mbs_scalar *c = row->block.value;
  const mbs_scalar *slope = direction->column < 0 ? NULL : mbs_block_slope(&row->block, direction->column);
  mbs_scalar lambda = state->lambda[row->index];
  mbs_scalar dlambda = direction->L ? direction->L[row->index] : 0;
  mbs_scalar dc = slope ? slope[0] : 0;
  mbs_scalar level[3] = {0};
  if (row->kind == MBS_ROW_COINCIDE) {
    add_to_component(row, state, levels, direction, slope, dlambda, level, f, turns);
  } else {
    MbsRowValues dA, dB;
    evaluate_derivative(&row->A, c, slope, state, levels, direction, &dA, d, turns);
    if (row->is_square) {
      dB = dA;
    } else {
      evaluate_derivative(&row->B, c, slope, state, levels, direction, &dB, d, turns);
    }
    // f' = lambda (E_A' B' + E_B' A' + dE_A' B + dE_B' A) + lambda' (E_A' B + E_B' A)
    mbs_scalar onto_A[3], onto_B[3];
    for (int k = 0; k < d; ++k) {
      onto_A[k] = lambda * dB.at[0][k] + dlambda * B->at[0][k];
      onto_B[k] = lambda * dA.at[0][k] + dlambda * A->at[0][k];
    }
    mbs_form_add_transposed(&row->A, c, d, turns, 1, onto_A, f);
    mbs_form_add_transposed(&row->B, c, d, turns, 1, onto_B, f);
    if (slope) {
      mbs_form_add_transposed(&row->A, slope, d, turns, lambda, B->at[0], f);
      mbs_form_add_transposed(&row->B, slope, d, turns, lambda, A->at[0], f);
    }
    level[0] = mbs_row_dot(dA.at[0], B->at[0], d) + mbs_row_dot(A->at[0], dB.at[0], d);
    if (levels > 1) {
      level[1] = mbs_row_dot(dA.at[1], B->at[0], d) + mbs_row_dot(A->at[1], dB.at[0], d) +
                 mbs_row_dot(dA.at[0], B->at[1], d) + mbs_row_dot(A->at[0], dB.at[1], d);
    }
    if (levels > 2) {
      level[2] = mbs_row_dot(dA.at[2], B->at[0], d) + mbs_row_dot(A->at[2], dB.at[0], d) +
                 mbs_row_dot(dA.at[0], B->at[2], d) + mbs_row_dot(A->at[0], dB.at[2], d) +
                 2 * (mbs_row_dot(dA.at[1], B->at[1], d) + mbs_row_dot(A->at[1], dB.at[1], d));
    }
  }
  level[0] -= dc;
  e[row->index] += w->k2 * level[2] + w->k1 * level[1] + w->k0 * level[0] - w->epsilon * dlambda;
}

static int levels_of(const MbsWeights *w) { return !mbs_is_zero(w->k2) ? 3 : !mbs_is_zero(w->k1) ? 2 : 1; }

MBS_KERNEL void derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                           int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride, int d,
                           bool turns) {
  MbsRowValues A = {{{0}}}, B = {{{0}}};
  int levels = levels_of(w);
  if (row->kind != MBS_ROW_COINCIDE) {
    mbs_row_evaluate_levels(row, state, levels, &A, &B, d, turns);
  }
  for (int k = 0; k < count; ++k) {
    mbs_scalar *f = R + k * stride;
    add_direction(row, state, w, levels, &A, &B, &directions[k], f, f + system->nq, d, turns);
  }
}

void mbs_row_derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride) {
  if (mbs_row_rests(row)) {
    for (int k = 0; k < count; ++k) {
      R[k * stride + system->nq + row->index] -= directions[k].L ? directions[k].L[row->index] : 0;
    }
    return;
  }
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_derivative(system, row, state, weights, count, directions, R, stride);
    return;
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, derivative, system, row, state, weights, count, directions, R,
                 stride);
}

// ---- transposed product ----
// Derivatives of S = lambda (E_A mu . B + A . E_B mu) + nu e with respect to the values of a form at q, v, a and mu.
typedef struct FormAdjoint {
  mbs_scalar at[3][3], at_mu[3];
} FormAdjoint;

// levels: 1 where e has Phi alone, 2 with Phidot, 3 with Phiddot; the rest of `bar` is zero
MBS_KERNEL void add_form_adjoint(const MbsLinearForm *form, const MbsBlock *block, const MbsState *state, int levels,
                                 const FormAdjoint *bar, const MbsAdjoint *adjoint, int d, bool turns) {
  const mbs_scalar *at[] = {state->q, state->v, state->a};
  mbs_scalar *onto[] = {adjoint->q, adjoint->v, adjoint->a};
  for (int level = 0; level < levels; ++level) {
    mbs_form_add_transposed(form, block->value, d, turns, 1, bar->at[level], onto[level]);
    mbs_form_add_coefficient_adjoint(form, block->index, d, bar->at[level], at[level], adjoint->coefficients);
  }
  mbs_form_add_coefficient_adjoint(form, block->index, d, bar->at_mu, adjoint->mu, adjoint->coefficients);
}

// what form A receives when B is the other form, and the other way round; nu: of Phi, Phidot, Phiddot; `times`: once,
// or twice where they are one
MBS_KERNEL FormAdjoint form_adjoint(double times, mbs_scalar lambda, const mbs_scalar nu[3], const MbsRowValues *other,
                                    const mbs_scalar *other_mu, int d) {
  FormAdjoint bar = {{{0}}, {0}};
  lambda *= times;
  const mbs_scalar nu0 = times * nu[0], nu1 = times * nu[1], nu2 = times * nu[2];
  for (int k = 0; k < d; ++k) {
    const mbs_scalar y = other->at[0][k], yd = other->at[1][k], ydd = other->at[2][k];
    bar.at[0][k] = lambda * other_mu[k] + nu0 * y + nu1 * yd + nu2 * ydd;
    bar.at[1][k] = nu1 * y + 2 * nu2 * yd;
    bar.at[2][k] = nu2 * y;
    bar.at_mu[k] = lambda * y;
  }
  return bar;
}

MBS_KERNEL void transposed(const MbsRow *row, const MbsState *state, const MbsWeights *w, const MbsAdjoint *adjoint,
                           int d, bool turns) {
  const mbs_scalar *c = row->block.value;
  mbs_scalar lambda = state->lambda[row->index];
  const mbs_scalar *const given[] = {adjoint->nu[0] + row->index, adjoint->nu[1] + row->index,
                                     adjoint->nu[2] + row->index};
  const mbs_scalar nu[] = {w->k0 * *given[0], w->k1 * *given[1], w->k2 * *given[2]};
  int levels = levels_of(w);
  mbs_scalar A_mu[3] = {0}, B_mu[3] = {0};
  mbs_form_add(&row->A, c, d, turns, adjoint->mu, A_mu);
  adjoint->lambda[row->index] -= w->epsilon * *given[2];
  adjoint->coefficients[row->block.index[0]] -= nu[0];
  if (row->kind == MBS_ROW_COINCIDE) {
    FormAdjoint bar = {{{0}}, {0}};
    for (int level = 0; level < 3; ++level) {
      bar.at[level][row->component] = nu[level];
    }
    bar.at_mu[row->component] = lambda;
    adjoint->lambda[row->index] += A_mu[row->component];
    add_form_adjoint(&row->A, &row->block, state, levels, &bar, adjoint, d, turns);
    return;
  }
  MbsRowValues A, B;
  mbs_row_evaluate_levels(row, state, levels, &A, &B, d, turns);
  if (row->is_square) {
    FormAdjoint bar = form_adjoint(2, lambda, nu, &A, A_mu, d);
    adjoint->lambda[row->index] += 2 * mbs_row_dot(A_mu, A.at[0], d);
    add_form_adjoint(&row->A, &row->block, state, levels, &bar, adjoint, d, turns);
    return;
  }
  mbs_form_add(&row->B, c, d, turns, adjoint->mu, B_mu);
  adjoint->lambda[row->index] += mbs_row_dot(A_mu, B.at[0], d) + mbs_row_dot(A.at[0], B_mu, d);
  FormAdjoint bar_A = form_adjoint(1, lambda, nu, &B, B_mu, d);
  FormAdjoint bar_B = form_adjoint(1, lambda, nu, &A, A_mu, d);
  add_form_adjoint(&row->A, &row->block, state, levels, &bar_A, adjoint, d, turns);
  add_form_adjoint(&row->B, &row->block, state, levels, &bar_B, adjoint, d, turns);
}

void mbs_row_transposed(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        const MbsAdjoint *adjoint) {
  if (mbs_row_rests(row)) {
    adjoint->lambda[row->index] -= adjoint->nu[2][row->index];
    return;
  }
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_transposed(system, row, state, weights, adjoint);
    return;
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, transposed, row, state, weights, adjoint);
}
