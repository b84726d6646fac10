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
#include "terms/elements.h"

typedef struct Values {  // of a form at q, v, a
  mbs_scalar at[3][3];
} Values;

// ---- set-up ----
static MbsStatus make_form(MbsContext *context, const MbsSystem *system, const MbsForm *spec, int offset,
                           MbsNode *nodes, MbsLinearForm *form) {
  int *first;
  MBS_TAKE(context, system->arena, first, spec->count);
  for (int i = 0; i < spec->count; ++i) {
    first[i] = system->entity_first[spec->terms[i].entity];
    nodes[offset + 2 * i] = spec->terms[i].a;
    nodes[offset + 2 * i + 1] = spec->terms[i].b;
  }
  *form = (MbsLinearForm){.count = spec->count, .first = first, .offset = offset};
  return MBS_OK;
}

static MbsStatus place_terms(MbsContext *context, const MbsSystem *system, const MbsLinearForm *form, int *first,
                             int *count, const int **slots) {
  int *slot;
  MBS_TAKE(context, system->arena, slot, form->count);
  for (int i = 0; i < form->count; ++i) {
    int s = 0;
    while (s < *count && first[s] != form->first[i]) {
      ++s;
    }
    if (s == *count) {
      first[(*count)++] = form->first[i];
    }
    slot[i] = s;
  }
  *slots = slot;
  return MBS_OK;
}

MbsStatus mbs_row_create(MbsContext *context, MbsSystem *system, const MbsRowSpec *spec, int index, MbsRow *row) {
  MbsNode *nodes;
  int *first;
  int size = 1 + 2 * (spec->A.count + spec->B.count);
  MBS_TAKE(context, system->arena, nodes, size);
  MBS_TAKE(context, system->arena, first, spec->A.count + spec->B.count);
  row->kind = spec->kind;
  row->body = spec->body;
  row->index = index;
  row->component = spec->component;
  row->is_square = spec->kind == MBS_ROW_DOT && spec->A.terms == spec->B.terms;
  nodes[0] = spec->c;
  MBS_TRY(make_form(context, system, &spec->A, 1, nodes, &row->A));
  if (row->is_square) {
    row->B = row->A;
    size = 1 + 2 * spec->A.count;
  } else {
    MBS_TRY(make_form(context, system, &spec->B, 1 + 2 * spec->A.count, nodes, &row->B));
  }
  MBS_TRY(place_terms(context, system, &row->A, first, &row->count, &row->slot_A));
  MBS_TRY(place_terms(context, system, &row->B, first, &row->count, &row->slot_B));
  row->first = first;
  for (int i = 2; i < size; i += 2) {
    row->has_turn |= !mbs_graph_is_constant(system->blueprint->graph, nodes[i], 0);
  }
  return mbs_coefficients_add_block(context, &system->coefficients, size, nodes, &row->block);
}

// how many entries of the matrix a pair of terms touches, in one order
static int pair_entries(const MbsSystem *system, const MbsRow *row) {
  return row->has_turn ? 2 * system->dimension : system->dimension;
}

// Entry k of the block of (entity e, entity f), in the order diagonal, then (row 0, 1), (row 1, 0).
static void pair_entry(const MbsSystem *system, int e, int f, int k, int *r, int *c) {
  int d = system->dimension;
  *r = e + k % d;
  *c = f + (k < d ? k : 1 - k % d);
  if (*r >= system->n || *c >= system->n) {
    *r = *c = -1;
  }
}

MbsStatus mbs_row_add_pattern(MbsContext *context, const MbsSystem *system, const MbsRow *row,
                              MbsPatternBuilder *builder) {
  int multiplier = system->n + row->index;
  MBS_TRY(mbs_pattern_add(context, builder, multiplier, multiplier));
  for (int i = 0; i < row->count * system->dimension; ++i) {
    int q = row->first[i / system->dimension] + i % system->dimension;
    if (q < system->n) {
      MBS_TRY(mbs_pattern_add(context, builder, q, multiplier));
      MBS_TRY(mbs_pattern_add(context, builder, multiplier, q));
    }
  }
  for (int i = 0; i < row->A.count; ++i) {
    for (int j = 0; j < row->B.count; ++j) {
      for (int k = 0; k < pair_entries(system, row); ++k) {
        int r, c;
        pair_entry(system, row->A.first[i], row->B.first[j], k, &r, &c);
        MBS_TRY(mbs_pattern_add(context, builder, r, c));
        pair_entry(system, row->B.first[j], row->A.first[i], k, &r, &c);
        MBS_TRY(mbs_pattern_add(context, builder, r, c));
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_row_map(MbsContext *context, const MbsSystem *system, MbsRow *row) {
  const MbsPattern *pattern = &system->mode.pattern;
  int d = system->dimension, multiplier = system->n + row->index;
  int entries = pair_entries(system, row);
  int *columns, *rows, *hessian;
  MBS_TAKE(context, system->arena, columns, row->count * d);
  MBS_TAKE(context, system->arena, rows, row->count * d);
  MBS_TAKE(context, system->arena, hessian, 2 * row->A.count * row->B.count * entries);
  row->column_map = columns;
  row->row_map = rows;
  row->hessian_map = hessian;
  row->diagonal = mbs_pattern_position(pattern, multiplier, multiplier);
  for (int i = 0; i < row->count * d; ++i) {
    int q = row->first[i / d] + i % d;
    q = q < system->n ? q : -1;
    columns[i] = mbs_pattern_position(pattern, q, multiplier);
    rows[i] = mbs_pattern_position(pattern, multiplier, q);
  }
  for (int i = 0; i < row->A.count; ++i) {
    for (int j = 0; j < row->B.count; ++j) {
      for (int order = 0; order < (row->is_square ? 1 : 2); ++order) {
        for (int k = 0; k < entries; ++k) {
          int r, c;
          pair_entry(system, order ? row->B.first[j] : row->A.first[i], order ? row->A.first[i] : row->B.first[j], k,
                     &r, &c);
          *hessian++ = mbs_pattern_position(pattern, r, c);
        }
      }
    }
  }
  return MBS_OK;
}

// ---- evaluation ----
static mbs_scalar dot(int d, const mbs_scalar *a, const mbs_scalar *b) {
  mbs_scalar sum = a[0] * b[0];
  for (int k = 1; k < d; ++k) {
    sum += a[k] * b[k];
  }
  return sum;
}

static void evaluate(const MbsLinearForm *form, const mbs_scalar *c, int d, const mbs_scalar *q, const mbs_scalar *v,
                     const mbs_scalar *a, Values *values) {
  *values = (Values){{{0}}};
  mbs_form_add(form, c, d, q, values->at[0]);
  mbs_form_add(form, c, d, v, values->at[1]);
  mbs_form_add(form, c, d, a, values->at[2]);
}

static void evaluate_both(const MbsSystem *system, const MbsRow *row, const MbsState *state, Values *A, Values *B) {
  evaluate(&row->A, row->block.value, system->dimension, state->q, state->v, state->a, A);
  if (row->is_square) {
    *B = *A;
  } else {
    evaluate(&row->B, row->block.value, system->dimension, state->q, state->v, state->a, B);
  }
}

void mbs_row_levels(const MbsSystem *system, const MbsRow *row, const MbsState *state, mbs_scalar level[3]) {
  int d = system->dimension;
  Values A, B;
  evaluate_both(system, row, state, &A, &B);
  if (row->kind == MBS_ROW_COINCIDE) {
    for (int k = 0; k < 3; ++k) {
      level[k] = A.at[k][row->component];
    }
    level[0] -= row->block.value[0];
    return;
  }
  level[0] = dot(d, A.at[0], B.at[0]) - row->block.value[0];
  level[1] = dot(d, A.at[1], B.at[0]) + dot(d, A.at[0], B.at[1]);
  level[2] = dot(d, A.at[2], B.at[0]) + dot(d, A.at[0], B.at[2]) + 2 * dot(d, A.at[1], B.at[1]);
}

// f += scale E_A' y, in the slots of the row or in q
static void add_force(const MbsSystem *system, const MbsLinearForm *form, const mbs_scalar *c, mbs_scalar scale,
                      const mbs_scalar *y, mbs_scalar *f, double *largest) {
  mbs_form_add_transposed(form, c, system->dimension, scale, y, f);
  for (int k = 0; k < system->dimension && largest; ++k) {
    mbs_raise(largest, scale * y[k]);
  }
}

// the unit vector of a coinciding row's component
static void unit(const MbsRow *row, mbs_scalar *y) {
  for (int k = 0; k < 3; ++k) {
    y[k] = k == row->component ? 1 : 0;
  }
}

void mbs_row_residual(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                      mbs_scalar *f, mbs_scalar *e, double scale[2]) {
  int d = system->dimension;
  const mbs_scalar *c = row->block.value;
  mbs_scalar lambda = state->lambda[row->index];
  Values A, B;
  mbs_scalar level[3];
  evaluate_both(system, row, state, &A, &B);
  if (row->kind == MBS_ROW_COINCIDE) {
    mbs_scalar y[3];
    unit(row, y);
    add_force(system, &row->A, c, lambda, y, f, scale);
    for (int k = 0; k < 3; ++k) {
      level[k] = A.at[k][row->component];
    }
    level[0] -= c[0];
  } else {
    mbs_scalar cross = dot(d, A.at[0], B.at[0]), twice = dot(d, A.at[1], B.at[1]);
    level[0] = cross - c[0];
    level[1] = dot(d, A.at[1], B.at[0]);
    level[2] = dot(d, A.at[2], B.at[0]);
    if (row->is_square) {
      level[1] += level[1];
      level[2] += level[2] + 2 * twice;
      add_force(system, &row->A, c, 2 * lambda, A.at[0], f, scale);
    } else {
      level[1] += dot(d, A.at[0], B.at[1]);
      level[2] += dot(d, A.at[0], B.at[2]) + 2 * twice;
      add_force(system, &row->A, c, lambda, B.at[0], f, scale);
      add_force(system, &row->B, c, lambda, A.at[0], f, scale);
    }
    if (scale) {
      mbs_raise(&scale[1], w->k2 * twice);
      mbs_raise(&scale[1], w->k0 * c[0]);
      for (int k = 0; k < d; ++k) {
        mbs_raise(&scale[1], w->k2 * A.at[2][k] * B.at[0][k]);
        mbs_raise(&scale[1], w->k0 * A.at[0][k] * B.at[0][k]);
      }
    }
  }
  if (scale) {
    mbs_raise(&scale[1], w->k2 * level[2]);
    mbs_raise(&scale[1], w->k1 * level[1]);
  }
  e[row->index] += w->k2 * level[2] + w->k1 * level[1] + w->k0 * level[0] - w->epsilon * lambda;
}

// adds E_form' y to the entries of one block (column or row of the multiplier)
static void scatter(int d, const MbsLinearForm *form, const int *slots, const mbs_scalar *c, const mbs_scalar *y,
                    const int *map, mbs_scalar *values) {
  const mbs_scalar *ab = c + form->offset;
  for (int i = 0; i < form->count; ++i) {
    mbs_scalar part[3] = {0};
    mbs_turn_add_transposed(d, ab[2 * i], ab[2 * i + 1], y, part);
    const int *position = map + slots[i] * d;
    for (int k = 0; k < d; ++k) {
      values[position[k]] += part[k];
    }
  }
}

// values += scale (E_A' E_B + E_B' E_A)
static void scatter_hessian(int d, const MbsRow *row, mbs_scalar scale, mbs_scalar *values) {
  const mbs_scalar *A = row->block.value + row->A.offset;
  const mbs_scalar *B = row->block.value + row->B.offset;
  const int *map = row->hessian_map;
  if (row->is_square) {
    scale *= 2;
  }
  for (int i = 0; i < row->A.count; ++i) {
    for (int j = 0; j < row->B.count; ++j) {
      // (a I + b J)' (a' I + b' J) = (a a' + b b') I + (a b' - b a') J
      mbs_scalar same = A[2 * i] * B[2 * j];
      mbs_scalar turn = 0;
      if (row->has_turn) {
        same += A[2 * i + 1] * B[2 * j + 1];
        turn = scale * (A[2 * i] * B[2 * j + 1] - A[2 * i + 1] * B[2 * j]);
      }
      same *= scale;
      for (int order = 0; order < (row->is_square ? 1 : 2); ++order) {
        for (int k = 0; k < d; ++k) {
          values[*map++] += same;
        }
        if (row->has_turn) {
          values[*map++] -= turn;
          values[*map++] += turn;
          turn = -turn;
        }
      }
    }
  }
}

void mbs_row_tangent(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                     const MbsCombination *m, mbs_scalar *values) {
  int d = system->dimension;
  const mbs_scalar *c = row->block.value;
  double g0 = m->c0 * w->k0 + m->c1 * w->k1 + m->c2 * w->k2;
  double g1 = m->c0 * w->k1 + 2 * m->c1 * w->k2;
  double g2 = m->c0 * w->k2;
  values[row->diagonal] -= w->epsilon;
  mbs_scalar y[3];
  if (row->kind == MBS_ROW_COINCIDE) {
    unit(row, y);
    scatter(d, &row->A, row->slot_A, c, y, row->column_map, values);
    y[row->component] = g0;
    scatter(d, &row->A, row->slot_A, c, y, row->row_map, values);
    return;
  }
  Values A, B;
  evaluate_both(system, row, state, &A, &B);
  double twice = row->is_square ? 2 : 1;
  for (int side = 0; side < (row->is_square ? 1 : 2); ++side) {
    const MbsLinearForm *form = side ? &row->B : &row->A;
    const int *slots = side ? row->slot_B : row->slot_A;
    const Values *other = side ? &A : &B;
    for (int k = 0; k < d; ++k) {
      y[k] = twice * other->at[0][k];
    }
    scatter(d, form, slots, c, y, row->column_map, values);
    for (int k = 0; k < d; ++k) {
      y[k] = twice * (g0 * other->at[0][k] + g1 * other->at[1][k] + g2 * other->at[2][k]);
    }
    scatter(d, form, slots, c, y, row->row_map, values);
  }
  scatter_hessian(d, row, m->c0 * state->lambda[row->index], values);
}

// value of a form's derivative: the form of the directions plus its coefficients' slopes on the state
static void evaluate_derivative(const MbsLinearForm *form, const mbs_scalar *c, const mbs_scalar *slope, int d,
                                const MbsState *state, const MbsDirectionColumn *direction, Values *values) {
  *values = (Values){{{0}}};
  mbs_form_add(form, c, d, direction->X, values->at[0]);
  mbs_form_add(form, c, d, direction->V, values->at[1]);
  if (direction->A) {
    mbs_form_add(form, c, d, direction->A, values->at[2]);
  }
  if (slope) {
    mbs_form_add(form, slope, d, state->q, values->at[0]);
    mbs_form_add(form, slope, d, state->v, values->at[1]);
    mbs_form_add(form, slope, d, state->a, values->at[2]);
  }
}

void mbs_row_derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                        const MbsDirectionColumn *direction, mbs_scalar *f, mbs_scalar *e) {
  int d = system->dimension;
  const mbs_scalar *c = row->block.value;
  const mbs_scalar *slope = direction->column < 0 ? NULL : mbs_block_slope(&row->block, direction->column);
  mbs_scalar lambda = state->lambda[row->index];
  mbs_scalar dlambda = direction->L ? direction->L[row->index] : 0;
  mbs_scalar dc = slope ? slope[0] : 0;
  mbs_scalar level[3];
  Values dA, dB;
  evaluate_derivative(&row->A, c, slope, d, state, direction, &dA);
  if (row->kind == MBS_ROW_COINCIDE) {
    mbs_scalar y[3];
    unit(row, y);
    if (slope) {
      mbs_form_add_transposed(&row->A, slope, d, lambda, y, f);
    }
    if (direction->L) {
      mbs_form_add_transposed(&row->A, c, d, dlambda, y, f);
    }
    for (int k = 0; k < 3; ++k) {
      level[k] = dA.at[k][row->component];
    }
  } else {
    Values A, B;
    evaluate_both(system, row, state, &A, &B);
    if (row->is_square) {
      dB = dA;
    } else {
      evaluate_derivative(&row->B, c, slope, d, state, direction, &dB);
    }
    // f' = lambda (E_A' B' + E_B' A' + dE_A' B + dE_B' A) + lambda' (E_A' B + E_B' A)
    mbs_scalar onto_A[3], onto_B[3];
    for (int k = 0; k < d; ++k) {
      onto_A[k] = lambda * dB.at[0][k] + dlambda * B.at[0][k];
      onto_B[k] = lambda * dA.at[0][k] + dlambda * A.at[0][k];
    }
    mbs_form_add_transposed(&row->A, c, d, 1, onto_A, f);
    mbs_form_add_transposed(&row->B, c, d, 1, onto_B, f);
    if (slope) {
      mbs_form_add_transposed(&row->A, slope, d, lambda, B.at[0], f);
      mbs_form_add_transposed(&row->B, slope, d, lambda, A.at[0], f);
    }
    level[0] = dot(d, dA.at[0], B.at[0]) + dot(d, A.at[0], dB.at[0]);
    level[1] =
        dot(d, dA.at[1], B.at[0]) + dot(d, A.at[1], dB.at[0]) + dot(d, dA.at[0], B.at[1]) + dot(d, A.at[0], dB.at[1]);
    level[2] = dot(d, dA.at[2], B.at[0]) + dot(d, A.at[2], dB.at[0]) + dot(d, dA.at[0], B.at[2]) +
               dot(d, A.at[0], dB.at[2]) + 2 * (dot(d, dA.at[1], B.at[1]) + dot(d, A.at[1], dB.at[1]));
  }
  level[0] -= dc;
  e[row->index] += w->k2 * level[2] + w->k1 * level[1] + w->k0 * level[0] - w->epsilon * dlambda;
}
