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
// A row that rests, because its joint does not act: e = -lambda, whatever the weights, and all else is zero.
// Products of Phi with differences of points are formed after the difference, so that a mechanism far
// from the origin loses no digits.
#include <math.h>

#include "terms/row_values.h"

// ---- a component of A, for coinciding rows ----
MBS_KERNEL void component_levels(const MbsRow *row, const MbsState *state, mbs_scalar level[3], bool turns) {
  const mbs_scalar *c = row->block.value;
  level[0] = state->local
                 ? mbs_row_component(row, c, state->local, turns) + mbs_row_component(row, c, state->base, turns)
                 : mbs_row_component(row, c, state->q, turns);
  level[1] = mbs_row_component(row, c, state->v, turns);
  level[2] = mbs_row_component(row, c, state->a, turns);
}

// ---- Phi, Phidot, Phiddot ----
MBS_KERNEL void levels(const MbsRow *row, const MbsState *state, int count, mbs_scalar *level, int d, bool turns) {
  if (row->kind == MBS_ROW_COINCIDE) {
    component_levels(row, state, level, turns);
  } else {
    MbsRowValues A, B;
    mbs_row_evaluate_levels(row, state, count, &A, &B, d, turns);
    level[0] = mbs_row_dot(A.at[0], B.at[0], d);
    level[1] = mbs_row_dot(A.at[1], B.at[0], d) + mbs_row_dot(A.at[0], B.at[1], d);
    level[2] =
        mbs_row_dot(A.at[2], B.at[0], d) + mbs_row_dot(A.at[0], B.at[2], d) + 2 * mbs_row_dot(A.at[1], B.at[1], d);
  }
  level[0] -= row->block.value[0];
}

void mbs_row_levels(const MbsSystem *system, const MbsRow *row, const MbsState *state, int count, mbs_scalar level[3]) {
  if (mbs_row_rests(row)) {
    level[0] = level[1] = level[2] = 0;
    return;
  }
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

__attribute__((noinline)) static double size_of_rates(const MbsRowValues *A, const MbsRowValues *B, int d) {
  double sum = 0;
  for (int k = 0; k < d; ++k) {
    sum += mbs_re(mbs_abs(A->at[1][k] * B->at[0][k])) + mbs_re(mbs_abs(A->at[0][k] * B->at[1][k]));
  }
  return sum;
}

// how large the parts of a dot row are that should cancel
MBS_KERNEL void raise_scale(const MbsWeights *w, const MbsRowValues *A, const MbsRowValues *B, mbs_scalar c, double a,
                            double *scale, int d) {
  double parts = 0, products = 0;
  for (int k = 0; k < d; ++k) {
    products += mbs_re(mbs_abs(A->at[0][k] * B->at[0][k]));
    parts += a * (mbs_re(mbs_abs(A->at[0][k])) + mbs_re(mbs_abs(B->at[0][k]))) +
             2 * mbs_re(mbs_abs(A->at[1][k] * B->at[1][k]));
  }
  double size = mbs_re(w->k2) * parts + mbs_re(w->k0) * (products + mbs_re(mbs_abs(c)));
  if (mbs_re(w->k1) > 0) {
    size += mbs_re(w->k1) * size_of_rates(A, B, d);
  }
  *scale = size > *scale ? size : *scale;
}

MBS_KERNEL void residual(const MbsRow *row, const MbsState *state, const MbsWeights *w, mbs_scalar *f, mbs_scalar *e,
                         double *scale, int d, bool turns) {
  const mbs_scalar *c = row->block.value;
  mbs_scalar lambda = state->lambda[row->index];
  mbs_scalar level[3];
  if (row->kind == MBS_ROW_COINCIDE) {
    component_levels(row, state, level, turns);
    mbs_row_component_transposed(row, c, lambda, f, turns);
    if (scale) {
      double of_a = mbs_re(w->k2) > 0 ? mbs_re(w->k2) * largest_of(row, state->a, d) : 0;
      double of_v = mbs_re(w->k1) > 0 ? mbs_re(w->k1) * largest_of(row, state->v, d) : 0;
      double of_q = mbs_re(w->k0) > 0 ? mbs_re(w->k0) * largest_of(row, state->local ? state->local : state->q, d) : 0;
      mbs_raise(&scale[0], lambda);
      mbs_raise(&scale[1], of_a + of_v + of_q);
    }
  } else {
    MbsRowValues A, B;
    mbs_row_evaluate(row, state, &A, &B, d, turns);
    level[0] = mbs_row_dot(A.at[0], B.at[0], d);
    level[1] = mbs_row_dot(A.at[1], B.at[0], d);
    level[2] = mbs_row_dot(A.at[2], B.at[0], d);
    mbs_scalar cross = 2 * mbs_row_dot(A.at[1], B.at[1], d);
    if (row->is_square) {
      level[1] *= 2;
      level[2] += level[2] + cross;
      mbs_form_add_transposed(&row->A, c, d, turns, 2 * lambda, A.at[0], f);
    } else {
      level[1] += mbs_row_dot(A.at[0], B.at[1], d);
      level[2] += mbs_row_dot(A.at[0], B.at[2], d) + cross;
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
  if (mbs_row_rests(row)) {
    e[row->index] -= state->lambda[row->index];
    return;
  }
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_residual(system, row, state, weights, f, e, scale);
    return;
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, residual, row, state, weights, f, e, scale);
}

// ---- rounding ----
static double length(const mbs_scalar *y, int d) {
  double sum = 0;
  for (int k = 0; k < d; ++k) {
    sum += mbs_re(mbs_abs(y[k]));
  }
  return sum;
}

// With S_A the size of the terms that A adds up, S_A' and S_A'' likewise:
//   f:  lambda (S_A + S_B),     e:  k0 (S_A |B| + |A| S_B) + k1 (S_A' |B| + S_A |B'| + ...) + k2 (...)
void mbs_row_cancelling(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                        double sizes[2]) {
  const mbs_scalar *at[] = {state->local ? state->local : state->q, state->v, state->a}, *c = row->block.value;
  const double binomial[3][3] = {{1}, {1, 1}, {1, 2, 1}}, k[] = {mbs_re(w->k0), mbs_re(w->k1), mbs_re(w->k2)};
  int d = system->dimension;
  if (mbs_row_rests(row)) {
    return;
  }
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_cancelling(system, row, state, w, sizes);
    return;
  }
  double S_A[3], S_B[3];
  for (int level = 0; level < 3; ++level) {
    S_A[level] = mbs_form_size(&row->A, c, d, at[level]);
    S_B[level] = row->kind == MBS_ROW_COINCIDE ? 0
                 : row->is_square              ? S_A[level]
                                               : mbs_form_size(&row->B, c, d, at[level]);
    sizes[1] += row->kind == MBS_ROW_COINCIDE ? k[level] * S_A[level] : 0;
  }
  if (row->kind == MBS_ROW_COINCIDE) {
    return;
  }
  MbsRowValues A, B;
  MBS_SPECIALISE(d, row->has_turn, mbs_row_evaluate, row, state, &A, &B);
  sizes[0] += mbs_re(mbs_abs(state->lambda[row->index])) * (S_A[0] + S_B[0]);
  for (int level = 0; level < 3; ++level) {
    for (int i = 0; i <= level; ++i) {  // d/dt^level of A.B
      int j = level - i;
      sizes[1] += k[level] * binomial[level][i] * (S_A[i] * length(B.at[j], d) + length(A.at[i], d) * S_B[j]);
    }
  }
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
  mbs_scalar g0 = m->c0 * w->k0 + m->c1 * w->k1 + m->c2 * w->k2;
  mbs_scalar g1 = m->c0 * w->k1 + 2 * m->c1 * w->k2;
  mbs_scalar g2 = m->c0 * w->k2;
  values[row->diagonal] -= w->epsilon;
  mbs_scalar y[3];
  if (row->kind == MBS_ROW_COINCIDE) {
    mbs_row_unit(row, y);
    scatter(&row->A, row->slot_A, c, y, row->column_map, values, d, turns);
    y[row->component] = g0;
    scatter(&row->A, row->slot_A, c, y, row->row_map, values, d, turns);
    return;
  }
  MbsRowValues A, B;
  int level_count = !mbs_is_zero(g2) ? 3 : !mbs_is_zero(g1) ? 2 : 1;
  mbs_row_evaluate_levels(row, state, level_count, &A, &B, d, turns);
  int sides = row->is_square ? 1 : 2;
  double twice = row->is_square ? 2 : 1;
  for (int side = 0; side < sides; ++side) {
    const MbsLinearForm *form = side ? &row->B : &row->A;
    const int *slots = side ? row->slot_B : row->slot_A;
    const MbsRowValues *other = side ? &A : &B;
    for (int k = 0; k < d; ++k) {
      y[k] = twice * other->at[0][k];
    }
    scatter(form, slots, c, y, row->column_map, values, d, turns);
    for (int k = 0; k < d; ++k) {
      y[k] = twice * (g0 * other->at[0][k] + g1 * other->at[1][k] + g2 * other->at[2][k]);
    }
    scatter(form, slots, c, y, row->row_map, values, d, turns);
  }
  if (!mbs_is_zero(m->c0)) {
    scatter_hessian(row, m->c0 * state->lambda[row->index], values, d, turns);
  }
}

void mbs_row_tangent(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                     const MbsCombination *c, mbs_scalar *values) {
  if (mbs_row_rests(row)) {
    values[row->diagonal] -= 1;
    return;
  }
  if (row->kind == MBS_ROW_EXPRESSION) {
    mbs_expression_row_tangent(system, row, state, weights, c, values);
    return;
  }
  MBS_SPECIALISE(system->dimension, row->has_turn, tangent, row, state, weights, c, values);
}

// ---- by forms ----
MBS_KERNEL void slopes(const MbsRow *row, const MbsState *state, const MbsWeights *w, const MbsCombination *m,
                       bool is_exact, int *count, mbs_scalar *g, mbs_scalar *const slope[3], int d, bool turns) {
  mbs_scalar g0 = m->c0 * w->k0 + m->c1 * w->k1 + m->c2 * w->k2;
  mbs_scalar g1 = is_exact ? m->c0 * w->k1 + 2 * m->c1 * w->k2 : 0;
  mbs_scalar g2 = is_exact ? m->c0 * w->k2 : 0;
  *count = !mbs_is_zero(g2) ? 3 : !mbs_is_zero(g1) ? 2 : 1;
  if (row->kind == MBS_ROW_COINCIDE) {
    for (int k = 0; k < d; ++k) {
      g[k] = k == row->component;
      slope[0][k] = g0 * g[k];
      slope[1][k] = g1 * g[k];
      slope[2][k] = g2 * g[k];
    }
    return;
  }
  MbsRowValues A, B;
  mbs_row_evaluate_levels(row, state, *count, &A, &B, d, turns);
  double twice = row->is_square ? 2 : 1;
  for (int side = 0; side < (row->is_square ? 1 : 2); ++side) {
    const MbsRowValues *other = side ? &A : &B;
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
