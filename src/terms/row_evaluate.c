// Constraint rows, quadratic in natural coordinates.
//
// Dot row: with A, B linear forms of q, A' their value at v, A'' at a (forms are constant in time):
//   Phi     = A.B - c
//   Phidot  = A'.B + A.B'
//   Phiddot = A''.B + A.B'' + 2 A'.B'
//   J = Phi_x = E_A' B + E_B' A,   (J' lambda)_x = lambda (E_A' E_B + E_B' E_A)
// so that e = k2 Phiddot + k1 Phidot + k0 Phi - epsilon lambda has
//   c0 e_x + c1 e_v + c2 e_a = E_A' (g0 B + g1 B' + g2 B'') + E_B' (g0 A + g1 A' + g2 A''),
//   g0 = c0 k0 + c1 k1 + c2 k2,  g1 = c0 k1 + 2 c1 k2,  g2 = c0 k2.
// Coinciding row: Phi = a component of A; linear, so only g0 acts.
// Products of Phi with differences of points are formed after the difference, so that a mechanism far
// from the origin loses no digits.
#include <math.h>

#include "terms/elements.h"

typedef struct Values {  // of a form at q, v, a
  mbs_scalar at[3][3];
} Values;

MBS_KERNEL mbs_scalar dot(const mbs_scalar *a, const mbs_scalar *b, int d) {
  mbs_scalar sum = a[0] * b[0];
  for (int k = 1; k < d; ++k) {
    sum += a[k] * b[k];
  }
  return sum;
}

// y += form(q). Positions along a tree that stands far from the origin come in parts, local + base, which are summed
// apart: what is subtracted here is close together.
MBS_KERNEL void add_position(const MbsLinearForm *form, const mbs_scalar *c, const MbsState *state, mbs_scalar *y,
                             int d, bool turns) {
  if (!state->local) {
    mbs_form_add(form, c, d, turns, state->q, y);
    return;
  }
  mbs_scalar base[3] = {0};
  mbs_form_add(form, c, d, turns, state->local, y);
  mbs_form_add(form, c, d, turns, state->base, base);
  for (int k = 0; k < d; ++k) {
    y[k] += base[k];
  }
}

// at q, with two levels at v and with three at a too; the others are zero
MBS_KERNEL void evaluate(const MbsLinearForm *form, const mbs_scalar *c, const MbsState *state, int level_count,
                         Values *values, int d, bool turns) {
  *values = (Values){{{0}}};
  add_position(form, c, state, values->at[0], d, turns);
  if (level_count > 1) {
    mbs_form_add(form, c, d, turns, state->v, values->at[1]);
  }
  if (level_count > 2) {
    mbs_form_add(form, c, d, turns, state->a, values->at[2]);
  }
}

MBS_KERNEL void evaluate_levels(const MbsRow *row, const MbsState *state, int level_count, Values *A, Values *B, int d,
                                bool turns) {
  evaluate(&row->A, row->block.value, state, level_count, A, d, turns);
  if (row->is_square) {
    *B = *A;
  } else {
    evaluate(&row->B, row->block.value, state, level_count, B, d, turns);
  }
}

MBS_KERNEL void evaluate_both(const MbsRow *row, const MbsState *state, Values *A, Values *B, int d, bool turns) {
  evaluate_levels(row, state, 3, A, B, d, turns);
}

// ---- a component of A, for coinciding rows ----
MBS_KERNEL mbs_scalar component(const MbsRow *row, const mbs_scalar *q, bool turns) {
  const mbs_scalar *ab = row->block.value + row->A.offset;
  int own = row->component, other = 1 - own;
  mbs_scalar sum = 0;
  for (int i = 0; i < row->A.count; ++i) {
    sum += ab[2 * i] * q[row->A.first[i] + own];
    if (turns) {  // J = [0 -1; 1 0]
      sum += (own == 0 ? -1 : 1) * ab[2 * i + 1] * q[row->A.first[i] + other];
    }
  }
  return sum;
}

// q += scale E' of the component's unit vector
MBS_KERNEL void add_component_transposed(const MbsRow *row, mbs_scalar scale, mbs_scalar *q, bool turns) {
  const mbs_scalar *ab = row->block.value + row->A.offset;
  int own = row->component, other = 1 - own;
  for (int i = 0; i < row->A.count; ++i) {
    q[row->A.first[i] + own] += scale * ab[2 * i];
    if (turns) {
      q[row->A.first[i] + other] += (own == 0 ? -1 : 1) * scale * ab[2 * i + 1];
    }
  }
}

MBS_KERNEL void component_levels(const MbsRow *row, const MbsState *state, mbs_scalar level[3], bool turns) {
  level[0] = state->local ? component(row, state->local, turns) + component(row, state->base, turns)
                          : component(row, state->q, turns);
  level[1] = component(row, state->v, turns);
  level[2] = component(row, state->a, turns);
}

// its unit vector
MBS_KERNEL void unit(const MbsRow *row, mbs_scalar *y) {
  for (int k = 0; k < 3; ++k) {
    y[k] = k == row->component ? 1 : 0;
  }
}

// ---- Phi, Phidot, Phiddot ----
MBS_KERNEL void levels(const MbsRow *row, const MbsState *state, int count, mbs_scalar *level, int d, bool turns) {
  if (row->kind == MBS_ROW_COINCIDE) {
    component_levels(row, state, level, turns);
  } else {
    Values A, B;
    evaluate_levels(row, state, count, &A, &B, d, turns);
    level[0] = dot(A.at[0], B.at[0], d);
    level[1] = dot(A.at[1], B.at[0], d) + dot(A.at[0], B.at[1], d);
    level[2] = dot(A.at[2], B.at[0], d) + dot(A.at[0], B.at[2], d) + 2 * dot(A.at[1], B.at[1], d);
  }
  level[0] -= row->block.value[0];
}

void mbs_row_levels(const MbsSystem *system, const MbsRow *row, const MbsState *state, int count, mbs_scalar level[3]) {
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_levels(system, row, state, level);
    return;
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, levels, row, state, count, level);
}

// ---- residual ----
// The forms are differences: of a body that falls freely the accelerations cancel in them but for rounding, which
// is measured against the accelerations themselves; likewise the positions of points that coincide.
MBS_KERNEL double largest_of(const MbsRow *row, const mbs_scalar *level, int d) {
  double largest = 0;
  for (int i = 0; i < row->count; ++i) {
    for (int k = 0; k < d; ++k) {
      mbs_raise(&largest, level[row->first[i] + k]);
    }
  }
  return largest;
}

// how large the parts of a dot row are that should cancel
MBS_KERNEL void raise_scale(const MbsWeights *w, const Values *A, const Values *B, mbs_scalar c, double a,
                            double *scale, int d) {
  double parts = 0, products = 0;
  for (int k = 0; k < d; ++k) {
    products += mbs_re(mbs_abs(A->at[0][k] * B->at[0][k]));
    parts += a * (mbs_re(mbs_abs(A->at[0][k])) + mbs_re(mbs_abs(B->at[0][k]))) +
             2 * mbs_re(mbs_abs(A->at[1][k] * B->at[1][k]));
  }
  double size = w->k2 * parts + w->k0 * (products + mbs_re(mbs_abs(c)));
  *scale = size > *scale ? size : *scale;
}

MBS_KERNEL void residual(const MbsRow *row, const MbsState *state, const MbsWeights *w, mbs_scalar *f, mbs_scalar *e,
                         double *scale, int d, bool turns) {
  const mbs_scalar *c = row->block.value;
  mbs_scalar lambda = state->lambda[row->index];
  mbs_scalar level[3];
  if (row->kind == MBS_ROW_COINCIDE) {
    component_levels(row, state, level, turns);
    add_component_transposed(row, lambda, f, turns);
    if (scale) {
      double of_a = w->k2 > 0 ? w->k2 * largest_of(row, state->a, d) : 0;
      double of_q = w->k0 > 0 ? w->k0 * largest_of(row, state->local ? state->local : state->q, d) : 0;
      mbs_raise(&scale[0], lambda);
      mbs_raise(&scale[1], of_a + of_q);
    }
  } else {
    Values A, B;
    evaluate_both(row, state, &A, &B, d, turns);
    level[0] = dot(A.at[0], B.at[0], d);
    level[1] = dot(A.at[1], B.at[0], d);
    level[2] = dot(A.at[2], B.at[0], d);
    mbs_scalar cross = 2 * dot(A.at[1], B.at[1], d);
    if (row->is_square) {
      level[1] *= 2;
      level[2] += level[2] + cross;
      mbs_form_add_transposed(&row->A, c, d, turns, 2 * lambda, A.at[0], f);
    } else {
      level[1] += dot(A.at[0], B.at[1], d);
      level[2] += dot(A.at[0], B.at[2], d) + cross;
      mbs_form_add_transposed(&row->A, c, d, turns, lambda, B.at[0], f);
      mbs_form_add_transposed(&row->B, c, d, turns, lambda, A.at[0], f);
    }
    if (scale) {
      for (int k = 0; k < d; ++k) {
        mbs_raise(&scale[0], lambda * B.at[0][k]);
      }
      raise_scale(w, &A, &B, c[0], largest_of(row, state->a, d), &scale[1], d);
    }
  }
  level[0] -= c[0];
  e[row->index] += w->k2 * level[2] + w->k1 * level[1] + w->k0 * level[0] - w->epsilon * lambda;
}

void mbs_row_residual(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                      mbs_scalar *f, mbs_scalar *e, double scale[2]) {
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_residual(system, row, state, weights, f, e, scale);
    return;
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, residual, row, state, weights, f, e, scale);
}

// ---- tangent ----
// adds E_form' y to the entries of one block (column or row of the multiplier)
MBS_KERNEL void scatter(const MbsLinearForm *form, const int *slots, const mbs_scalar *c, const mbs_scalar *y,
                        const int *map, mbs_scalar *values, int d, bool turns) {
  const mbs_scalar *ab = c + form->offset;
  for (int i = 0; i < form->count; ++i) {
    mbs_scalar part[3] = {0};
    mbs_turn_add(d, turns, ab[2 * i], -ab[2 * i + 1], y, part);
    const int *position = map + slots[i] * d;
    for (int k = 0; k < d; ++k) {
      values[position[k]] += part[k];
    }
  }
}

// values += scale (E_A' E_B + E_B' E_A)
MBS_KERNEL void scatter_hessian(const MbsRow *row, mbs_scalar scale, mbs_scalar *values, int d, bool turns) {
  const mbs_scalar *A = row->block.value + row->A.offset;
  const mbs_scalar *B = row->block.value + row->B.offset;
  const int *map = row->hessian_map;
  int orders = row->is_square ? 1 : 2;
  scale *= row->is_square ? 2 : 1;
  for (int i = 0; i < row->A.count; ++i) {
    for (int j = 0; j < row->B.count; ++j) {
      // (a I + b J)' (a' I + b' J) = (a a' + b b') I + (a b' - b a') J
      mbs_scalar same = A[2 * i] * B[2 * j];
      mbs_scalar turn = 0;
      if (turns) {
        same += A[2 * i + 1] * B[2 * j + 1];
        turn = scale * (A[2 * i] * B[2 * j + 1] - A[2 * i + 1] * B[2 * j]);
      }
      same *= scale;
      for (int order = 0; order < orders; ++order) {
        for (int k = 0; k < d; ++k) {
          values[*map++] += same;
        }
        if (turns) {
          values[*map++] -= turn;
          values[*map++] += turn;
          turn = -turn;
        }
      }
    }
  }
}

MBS_KERNEL void tangent(const MbsRow *row, const MbsState *state, const MbsWeights *w, const MbsCombination *m,
                        mbs_scalar *values, int d, bool turns) {
  const mbs_scalar *c = row->block.value;
  double g0 = m->c0 * w->k0 + m->c1 * w->k1 + m->c2 * w->k2;
  double g1 = m->c0 * w->k1 + 2 * m->c1 * w->k2;
  double g2 = m->c0 * w->k2;
  values[row->diagonal] -= w->epsilon;
  mbs_scalar y[3];
  if (row->kind == MBS_ROW_COINCIDE) {
    unit(row, y);
    scatter(&row->A, row->slot_A, c, y, row->column_map, values, d, turns);
    y[row->component] = g0;
    scatter(&row->A, row->slot_A, c, y, row->row_map, values, d, turns);
    return;
  }
  Values A, B;
  int level_count = fabs(g2) > 0 ? 3 : fabs(g1) > 0 ? 2 : 1;  // real
  evaluate_levels(row, state, level_count, &A, &B, d, turns);
  int sides = row->is_square ? 1 : 2;
  double twice = row->is_square ? 2 : 1;
  for (int side = 0; side < sides; ++side) {
    const MbsLinearForm *form = side ? &row->B : &row->A;
    const int *slots = side ? row->slot_B : row->slot_A;
    const Values *other = side ? &A : &B;
    for (int k = 0; k < d; ++k) {
      y[k] = twice * other->at[0][k];
    }
    scatter(form, slots, c, y, row->column_map, values, d, turns);
    for (int k = 0; k < d; ++k) {
      y[k] = twice * (g0 * other->at[0][k] + g1 * other->at[1][k] + g2 * other->at[2][k]);
    }
    scatter(form, slots, c, y, row->row_map, values, d, turns);
  }
  if (fabs(m->c0) > 0) {  // real
    scatter_hessian(row, m->c0 * state->lambda[row->index], values, d, turns);
  }
}

void mbs_row_tangent(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                     const MbsCombination *c, mbs_scalar *values) {
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_tangent(system, row, state, weights, c, values);
    return;
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, tangent, row, state, weights, c, values);
}

// ---- by forms ----
MBS_KERNEL void slopes(const MbsRow *row, const MbsState *state, const MbsWeights *w, const MbsCombination *m,
                       bool is_exact, int *count, mbs_scalar *g, mbs_scalar *const slope[3], int d, bool turns) {
  double g0 = m->c0 * w->k0 + m->c1 * w->k1 + m->c2 * w->k2;
  double g1 = is_exact ? m->c0 * w->k1 + 2 * m->c1 * w->k2 : 0;
  double g2 = is_exact ? m->c0 * w->k2 : 0;
  *count = fabs(g2) > 0 ? 3 : fabs(g1) > 0 ? 2 : 1;  // real
  if (row->kind == MBS_ROW_COINCIDE) {
    for (int k = 0; k < d; ++k) {
      g[k] = k == row->component;
      slope[0][k] = g0 * g[k];
      slope[1][k] = g1 * g[k];
      slope[2][k] = g2 * g[k];
    }
    return;
  }
  Values A, B;
  evaluate_levels(row, state, *count, &A, &B, d, turns);
  double twice = row->is_square ? 2 : 1;
  for (int side = 0; side < (row->is_square ? 1 : 2); ++side) {
    const Values *other = side ? &A : &B;
    for (int k = 0; k < d; ++k) {
      g[side * d + k] = twice * other->at[0][k];
      slope[0][side * d + k] = twice * (g0 * other->at[0][k] + g1 * other->at[1][k] + g2 * other->at[2][k]);
      slope[1][side * d + k] = twice * (g1 * other->at[0][k] + 2 * g2 * other->at[1][k]);
      slope[2][side * d + k] = twice * g2 * other->at[0][k];
    }
  }
}

int mbs_row_slopes(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                   const MbsCombination *c, bool is_exact, mbs_scalar *g, mbs_scalar *const slope[3]) {
  int count;
  if (row->kind == MBS_ROW_EXPRESSION) {
    return mbs_expression_row_slopes(system, row, state, weights, c, is_exact, g, slope);
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, slopes, row, state, weights, c, is_exact, &count, g, slope);
  return count;
}

void mbs_row_bend(const MbsSystem *system, const MbsRow *row, mbs_scalar scale, const mbs_scalar *y,
                  mbs_scalar *result) {
  int d = system->dimension;
  if (row->kind == MBS_ROW_EXPRESSION) {
    int size = mbs_expression_row_size(system, row->expression);
    for (int i = 0; i < size; ++i) {
      result[i] = 0;
      for (int j = 0; j < size; ++j) {
        result[i] += scale * row->expression->g_y[i * size + j] * y[j];
      }
    }
    return;
  }
  for (int k = 0; k < d; ++k) {
    result[k] = row->is_square ? 2 * scale * y[k] : scale * y[d + k];
    if (!row->is_square) {
      result[d + k] = scale * y[k];
    }
  }
}

// ---- product with a direction ----
// value of a form's derivative: the form of the directions plus its coefficients' slopes on the state
MBS_KERNEL void evaluate_derivative(const MbsLinearForm *form, const mbs_scalar *c, const mbs_scalar *slope,
                                    const MbsState *state, const MbsDirectionColumn *direction, Values *values, int d,
                                    bool turns) {
  *values = (Values){{{0}}};
  mbs_form_add(form, c, d, turns, direction->X, values->at[0]);
  mbs_form_add(form, c, d, turns, direction->V, values->at[1]);
  if (direction->A) {
    mbs_form_add(form, c, d, turns, direction->A, values->at[2]);
  }
  if (slope) {
    mbs_form_add(form, slope, d, turns, state->q, values->at[0]);
    mbs_form_add(form, slope, d, turns, state->v, values->at[1]);
    mbs_form_add(form, slope, d, turns, state->a, values->at[2]);
  }
}

// one direction, with the forms' values at the state at hand
MBS_KERNEL void add_direction(const MbsRow *row, const MbsState *state, const MbsWeights *w, const Values *A,
                              const Values *B, const MbsDirectionColumn *direction, mbs_scalar *f, mbs_scalar *e, int d,
                              bool turns) {
  const mbs_scalar *c = row->block.value;
  const mbs_scalar *slope = direction->column < 0 ? NULL : mbs_block_slope(&row->block, direction->column);
  mbs_scalar lambda = state->lambda[row->index];
  mbs_scalar dlambda = direction->L ? direction->L[row->index] : 0;
  mbs_scalar dc = slope ? slope[0] : 0;
  mbs_scalar level[3];
  Values dA, dB;
  evaluate_derivative(&row->A, c, slope, state, direction, &dA, d, turns);
  if (row->kind == MBS_ROW_COINCIDE) {
    mbs_scalar y[3];
    unit(row, y);
    if (slope) {
      mbs_form_add_transposed(&row->A, slope, d, turns, lambda, y, f);
    }
    if (direction->L) {
      mbs_form_add_transposed(&row->A, c, d, turns, dlambda, y, f);
    }
    for (int k = 0; k < 3; ++k) {
      level[k] = dA.at[k][row->component];
    }
  } else {
    if (row->is_square) {
      dB = dA;
    } else {
      evaluate_derivative(&row->B, c, slope, state, direction, &dB, d, turns);
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
    level[0] = dot(dA.at[0], B->at[0], d) + dot(A->at[0], dB.at[0], d);
    level[1] = dot(dA.at[1], B->at[0], d) + dot(A->at[1], dB.at[0], d) + dot(dA.at[0], B->at[1], d) +
               dot(A->at[0], dB.at[1], d);
    level[2] = dot(dA.at[2], B->at[0], d) + dot(A->at[2], dB.at[0], d) + dot(dA.at[0], B->at[2], d) +
               dot(A->at[0], dB.at[2], d) + 2 * (dot(dA.at[1], B->at[1], d) + dot(A->at[1], dB.at[1], d));
  }
  level[0] -= dc;
  e[row->index] += w->k2 * level[2] + w->k1 * level[1] + w->k0 * level[0] - w->epsilon * dlambda;
}

MBS_KERNEL void derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                           int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride, int d,
                           bool turns) {
  Values A, B;
  evaluate_both(row, state, &A, &B, d, turns);
  for (int k = 0; k < count; ++k) {
    mbs_scalar *f = R + k * stride;
    add_direction(row, state, w, &A, &B, &directions[k], f, f + system->nq, d, turns);
  }
}

void mbs_row_derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride) {
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
MBS_KERNEL FormAdjoint form_adjoint(double times, mbs_scalar lambda, const mbs_scalar nu[3], const Values *other,
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
  int levels = fabs(w->k2) > 0 ? 3 : fabs(w->k1) > 0 ? 2 : 1;  // real
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
  Values A, B;
  evaluate_levels(row, state, levels, &A, &B, d, turns);
  if (row->is_square) {
    FormAdjoint bar = form_adjoint(2, lambda, nu, &A, A_mu, d);
    adjoint->lambda[row->index] += 2 * dot(A_mu, A.at[0], d);
    add_form_adjoint(&row->A, &row->block, state, levels, &bar, adjoint, d, turns);
    return;
  }
  mbs_form_add(&row->B, c, d, turns, adjoint->mu, B_mu);
  adjoint->lambda[row->index] += dot(A_mu, B.at[0], d) + dot(A.at[0], B_mu, d);
  FormAdjoint bar_A = form_adjoint(1, lambda, nu, &B, B_mu, d);
  FormAdjoint bar_B = form_adjoint(1, lambda, nu, &A, A_mu, d);
  add_form_adjoint(&row->A, &row->block, state, levels, &bar_A, adjoint, d, turns);
  add_form_adjoint(&row->B, &row->block, state, levels, &bar_B, adjoint, d, turns);
}

void mbs_row_transposed(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        const MbsAdjoint *adjoint) {
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_transposed(system, row, state, weights, adjoint);
    return;
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, transposed, row, state, weights, adjoint);
}
