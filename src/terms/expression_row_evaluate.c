// A constraint given by an expression of linear forms y = E q, evaluated.
//   holonomic      Phi(y, t, rho) = 0:     level 0 = Phi, level 1 = d/dt Phi, level 2 = d/dt level 1
//   nonholonomic   A v + b = c(y, y', t, rho) = 0, linear in y':  no level 0, level 1 = c, level 2 = d/dt c
// With g = level1_y' (for a holonomic row that is Phi_y, and Phi_x = E' g; else A = E' g), and level2_y'' = g for both:
//   f += lambda E' g,   c0 f_x = c0 lambda E' g_y E       g_y is symmetric for holonomic rows only
//   e = w2 level 2 + w1 level 1 + w0 level 0 - epsilon lambda,   w = (k0, k1, k2) or (0, n1, n2)
//   e_y = w0 g + w1 level1_y + w2 level2_y,   e_y' = w1 g + w2 level2_y',   e_y'' = w2 g
// (level2_y' is 2 level1_y for holonomic rows, and not for others.) The graph differentiates.
#include <math.h>

#include "terms/elements.h"

typedef struct RowWeights {
  mbs_scalar w0, w1, w2, epsilon;
} RowWeights;

static RowWeights weights_of(const MbsRow *row, const MbsWeights *w) {
  return row->is_nonholonomic ? (RowWeights){.w1 = w->n1, .w2 = w->n2, .epsilon = w->n_epsilon}
                              : (RowWeights){.w0 = w->k0, .w1 = w->k1, .w2 = w->k2, .epsilon = w->epsilon};
}

static void evaluate(const MbsSystem *system, const MbsRow *row, const MbsTape *tape, const MbsState *state) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension;
  const mbs_scalar *at[] = {state->q, state->v, state->a};
  for (int k = 0; k < 3; ++k) {
    mbs_clear(mbs_expression_row_size(system, x), x->y[k]);
    for (int a = 0; a < x->argument_count; ++a) {
      mbs_form_add(&x->arguments[a], row->block.value, d, x->has_turn, at[k], x->y[k] + a * d);
    }
  }
  mbs_input_values(system, state, tape->input_count, x->inputs, x->y[0], x->y[1], x->y[2], x->input_values);
  mbs_tape_evaluate(tape, x->input_values, x->level);
}

// f += scale E' y
static void add_transposed(const MbsSystem *system, const MbsRow *row, const mbs_scalar *coefficients, mbs_scalar scale,
                           const mbs_scalar *y, mbs_scalar *f) {
  const MbsExpressionRow *x = row->expression;
  for (int a = 0; a < x->argument_count; ++a) {
    mbs_form_add_transposed(&x->arguments[a], coefficients, system->dimension, x->has_turn, scale,
                            y + a * system->dimension, f);
  }
}

void mbs_expression_row_look_up(const MbsSystem *system, const MbsRow *row, const MbsState *state) {
  evaluate(system, row, row->expression->full_tape, state);
}

void mbs_expression_row_levels(const MbsSystem *system, const MbsRow *row, const MbsState *state, mbs_scalar level[3]) {
  const MbsExpressionRow *x = row->expression;
  evaluate(system, row, x->residual_tape, state);
  for (int k = 0; k < 3; ++k) {
    level[k] = x->level[k];
  }
}

// The force -lambda E' g does the work -lambda g.y' per time on all coordinates, which is lambda times what is left of
// level 1 without velocities: Phi_t, or b.
mbs_scalar mbs_expression_row_power(const MbsSystem *system, const MbsRow *row, const MbsState *state) {
  const MbsExpressionRow *x = row->expression;
  evaluate(system, row, x->residual_tape, state);
  mbs_scalar rest = x->level[1];
  for (int i = 0; i < mbs_expression_row_size(system, x); ++i) {
    rest -= x->g[i] * x->y[1][i];
  }
  return state->lambda[row->index] * rest;
}

void mbs_expression_row_residual(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                 const MbsWeights *weights, mbs_scalar *f, mbs_scalar *e, double scale[2]) {
  const MbsExpressionRow *x = row->expression;
  RowWeights w = weights_of(row, weights);
  mbs_scalar lambda = state->lambda[row->index];
  evaluate(system, row, x->residual_tape, state);
  add_transposed(system, row, row->block.value, lambda, x->g, f);
  e[row->index] += w.w2 * x->level[2] + w.w1 * x->level[1] + w.w0 * x->level[0] - w.epsilon * lambda;
  for (int i = 0; i < mbs_expression_row_size(system, x) && scale; ++i) {
    mbs_raise(&scale[0], lambda * x->g[i]);
    mbs_raise(&scale[1], w.w2 * x->g[i] * x->y[2][i]);
    mbs_raise(&scale[1], w.w2 * x->level1_y[i] * x->y[1][i]);
    mbs_raise(&scale[1], w.w1 * x->g[i] * x->y[1][i]);
    mbs_raise(&scale[1], w.w0 * x->g[i] * x->y[0][i]);
  }
}

// With S, S', S'' the sizes of the terms that y, y' and y'' add up:
//   f:  |lambda| |g_y| S,      e:  w0 |g| S + w1 (|level1_y| S + |g| S') + w2 (|level2_y| S + |level2_y'| S' + |g| S'')
void mbs_expression_row_cancelling(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                   const MbsWeights *weights, double sizes[2]) {
  const MbsExpressionRow *x = row->expression;
  RowWeights w = weights_of(row, weights);
  const mbs_scalar *at[] = {state->q, state->v, state->a};
  int d = system->dimension, size = mbs_expression_row_size(system, x);
  double lambda = mbs_re(mbs_abs(state->lambda[row->index]));
  evaluate(system, row, x->full_tape, state);
  for (int j = 0; j < size; ++j) {
    double S[3], g = mbs_re(mbs_abs(x->g[j]));
    for (int k = 0; k < 3; ++k) {
      S[k] = mbs_form_size(&x->arguments[j / d], row->block.value, d, at[k]);
    }
    for (int i = 0; i < size; ++i) {
      sizes[0] += lambda * mbs_re(mbs_abs(x->g_y[i * size + j])) * S[0];
    }
    sizes[1] +=
        mbs_re(w.w0) * g * S[0] + mbs_re(w.w1) * (mbs_re(mbs_abs(x->level1_y[j])) * S[0] + g * S[1]) +
        mbs_re(w.w2) * (mbs_re(mbs_abs(x->level2_y[j])) * S[0] + mbs_re(mbs_abs(x->level2_v[j])) * S[1] + g * S[2]);
  }
}

static void scatter(const MbsSystem *system, const MbsRow *row, const mbs_scalar *y, const int *map,
                    mbs_scalar *values) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension;
  for (int a = 0; a < x->argument_count; ++a) {
    const mbs_scalar *ab = row->block.value + x->arguments[a].offset;
    for (int i = 0; i < x->arguments[a].count; ++i) {
      mbs_scalar part[3] = {0};
      mbs_turn_add(d, x->has_turn, ab[2 * i], -ab[2 * i + 1], y + a * d, part);
      for (int k = 0; k < d; ++k) {
        values[*map++] += part[k];
      }
    }
  }
}

void mbs_expression_row_tangent(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                const MbsWeights *weights, const MbsCombination *m, mbs_scalar *values) {
  const MbsExpressionRow *x = row->expression;
  RowWeights w = weights_of(row, weights);
  int d = system->dimension, size = mbs_expression_row_size(system, x);
  mbs_scalar on_g = m->c0 * w.w0 + m->c1 * w.w1 + m->c2 * w.w2;
  evaluate(system, row, x->full_tape, state);
  values[row->diagonal] -= w.epsilon;
  scatter(system, row, x->g, x->column_map, values);
  for (int i = 0; i < size; ++i) {
    x->work[0][i] =
        on_g * x->g[i] + m->c0 * (w.w1 * x->level1_y[i] + w.w2 * x->level2_y[i]) + m->c1 * w.w2 * x->level2_v[i];
  }
  scatter(system, row, x->work[0], x->row_map, values);
  mbs_scalar scale = m->c0 * state->lambda[row->index];
  for (int i = 0; i < size * size; ++i) {
    x->g_y[i] *= scale;
  }
  const int *map = x->hessian_map;
  for (int a = 0; a < x->argument_count; ++a) {
    for (int i = 0; i < x->arguments[a].count; ++i) {
      for (int b = 0; b < x->argument_count; ++b) {
        for (int j = 0; j < x->arguments[b].count; ++j) {
          map = mbs_scatter_block(d, row->block.value + x->arguments[a].offset + 2 * i,
                                  row->block.value + x->arguments[b].offset + 2 * j, x->g_y + a * d * size + b * d,
                                  size, map, values);
        }
      }
    }
  }
}

int mbs_expression_row_slopes(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                              const MbsWeights *weights, const MbsCombination *m, bool is_exact, mbs_scalar *g,
                              mbs_scalar *const slope[3]) {
  const MbsExpressionRow *x = row->expression;
  RowWeights w = weights_of(row, weights);
  mbs_scalar on_g[3] = {m->c0 * w.w0 + m->c1 * w.w1 + m->c2 * w.w2, m->c0 * w.w1 + 2 * m->c1 * w.w2, m->c0 * w.w2};
  evaluate(system, row, is_exact ? x->full_tape : x->residual_tape, state);
  for (int i = 0; i < mbs_expression_row_size(system, x); ++i) {
    g[i] = x->g[i];
    for (int level = 0; level < 3; ++level) {
      slope[level][i] = on_g[level] * g[i];
    }
    if (is_exact) {
      slope[0][i] += m->c0 * (w.w1 * x->level1_y[i] + w.w2 * x->level2_y[i]) + m->c1 * w.w2 * x->level2_v[i];
      slope[1][i] += m->c0 * w.w2 * x->level2_v[i];
    }
  }
  return !is_exact ? 1 : !mbs_is_zero(on_g[2]) ? 3 : !mbs_is_zero(on_g[1]) ? 2 : 1;
}

// One direction, after evaluating at the state, with e_y, e_y', e_y'' in work 0, 1, 2, of as many levels as e has.
static void add_direction(const MbsSystem *system, const MbsRow *row, const MbsState *state, const RowWeights *w,
                          int levels, bool is_bent, const MbsDirectionColumn *direction, mbs_scalar *f, mbs_scalar *e) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension, size = mbs_expression_row_size(system, x);
  const mbs_scalar *slopes = direction->column < 0 ? NULL : mbs_block_slope(&row->block, direction->column);
  const mbs_scalar *directions[] = {direction->X, direction->V, direction->A}, *at[] = {state->q, state->v, state->a};
  mbs_scalar lambda = state->lambda[row->index], dlambda = direction->L ? direction->L[row->index] : 0;
  mbs_scalar change = -w->epsilon * dlambda, *onto = x->work[3], *y = x->work[4];
  for (int level = levels - 1; level >= 0; --level) {  // so that y is the change at q in the end
    mbs_clear(size, y);
    for (int a = 0; a < x->argument_count; ++a) {
      if (directions[level]) {
        mbs_form_add(&x->arguments[a], row->block.value, d, x->has_turn, directions[level], y + a * d);
      }
      if (slopes) {
        mbs_form_add(&x->arguments[a], slopes, d, x->has_turn, at[level], y + a * d);
      }
    }
    change += mbs_dot(size, x->work[level], y);
  }
  for (int i = 0; i < size; ++i) {
    onto[i] = dlambda * x->g[i] + (is_bent ? lambda * mbs_dot(size, x->g_y + i * size, y) : 0);
  }
  for (int p = 0; p < x->parameter_count; ++p) {
    int input = x->parameters[p];
    mbs_scalar step = mbs_input_column(system, x->full_tape, &x->inputs[input].signal, input, direction->column);
    if (mbs_is_zero(step)) {
      continue;
    }
    const mbs_scalar *by = x->by_parameter + p * (3 + size);
    change += step * (w->w0 * by[0] + w->w1 * by[1] + w->w2 * by[2]);
    for (int i = 0; i < size; ++i) {
      onto[i] += step * lambda * by[3 + i];
    }
  }
  add_transposed(system, row, row->block.value, 1, onto, f);
  if (slopes) {
    add_transposed(system, row, slopes, lambda, x->g, f);
  }
  e[row->index] += change;
}

void mbs_expression_row_derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                   const MbsWeights *weights, int count, const MbsDirectionColumn *directions,
                                   mbs_scalar *R, int stride) {
  const MbsExpressionRow *x = row->expression;
  RowWeights w = weights_of(row, weights);
  int size = mbs_expression_row_size(system, x), levels = !mbs_is_zero(w.w2) ? 3 : !mbs_is_zero(w.w1) ? 2 : 1;
  evaluate(system, row, x->full_tape, state);
  bool is_bent = mbs_has_entries(size * size, x->g_y);
  for (int i = 0; i < size; ++i) {
    x->work[0][i] = w.w0 * x->g[i] + w.w1 * x->level1_y[i] + w.w2 * x->level2_y[i];
    x->work[1][i] = w.w1 * x->g[i] + w.w2 * x->level2_v[i];
    x->work[2][i] = w.w2 * x->g[i];
  }
  for (int k = 0; k < count; ++k) {
    mbs_scalar *f = R + k * stride;
    add_direction(system, row, state, &w, levels, is_bent, &directions[k], f, f + system->nq);
  }
}

// S = lambda g.z + nu e with z = E mu
void mbs_expression_row_transposed(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                   const MbsWeights *weights, const MbsAdjoint *adjoint) {
  const MbsExpressionRow *x = row->expression;
  RowWeights w = weights_of(row, weights);
  int d = system->dimension, size = mbs_expression_row_size(system, x);
  mbs_scalar lambda = state->lambda[row->index], epsilon_nu = w.epsilon * adjoint->nu[2][row->index];
  const mbs_scalar nu0 = w.w0 * adjoint->nu[0][row->index], nu1 = w.w1 * adjoint->nu[1][row->index],
                   nu2 = w.w2 * adjoint->nu[2][row->index];
  evaluate(system, row, x->full_tape, state);
  mbs_scalar *z = x->work[3];
  mbs_clear(size, z);
  for (int a = 0; a < x->argument_count; ++a) {
    mbs_form_add(&x->arguments[a], row->block.value, d, x->has_turn, adjoint->mu, z + a * d);
  }
  adjoint->lambda[row->index] -= epsilon_nu;
  for (int i = 0; i < size; ++i) {
    adjoint->lambda[row->index] += x->g[i] * z[i];
    x->work[0][i] = nu0 * x->g[i] + nu1 * x->level1_y[i] + nu2 * x->level2_y[i];
    x->work[1][i] = nu1 * x->g[i] + nu2 * x->level2_v[i];
    x->work[2][i] = nu2 * x->g[i];
    for (int j = 0; j < size; ++j) {
      x->work[0][i] += lambda * x->g_y[j * size + i] * z[j];
    }
  }
  for (int p = 0; p < x->parameter_count; ++p) {
    const mbs_scalar *by = x->by_parameter + p * (3 + size);
    mbs_scalar sum = nu0 * by[0] + nu1 * by[1] + nu2 * by[2];
    for (int i = 0; i < size; ++i) {
      sum += lambda * by[3 + i] * z[i];
    }
    int input = x->parameters[p];
    mbs_input_transposed(system, x->full_tape, &x->inputs[input].signal, input, sum, adjoint->parameters,
                         adjoint->coefficients);
  }
  mbs_scalar *to[] = {adjoint->q, adjoint->v, adjoint->a};
  const mbs_scalar *at[] = {state->q, state->v, state->a};
  for (int a = 0; a < x->argument_count; ++a) {
    const MbsLinearForm *form = &x->arguments[a];
    mbs_scalar on_mu[3] = {0};
    for (int k = 0; k < 3; ++k) {
      mbs_form_add_transposed(form, row->block.value, d, x->has_turn, 1, x->work[k] + a * d, to[k]);
      mbs_form_add_coefficient_adjoint(form, row->block.index, d, x->work[k] + a * d, at[k], adjoint->coefficients);
    }
    for (int k = 0; k < d; ++k) {
      on_mu[k] = lambda * x->g[a * d + k];
    }
    mbs_form_add_coefficient_adjoint(form, row->block.index, d, on_mu, adjoint->mu, adjoint->coefficients);
  }
}
