// What residual, matrix and products of a row begin with: its forms A and B at q, v and a. See row_evaluate.c.
#ifndef MBS_ROW_VALUES_H
#define MBS_ROW_VALUES_H

#include "terms/elements.h"

typedef struct MbsRowValues {  // of a form at q, v, a
  mbs_scalar at[3][3];
} MbsRowValues;

MBS_KERNEL mbs_scalar mbs_row_dot(const mbs_scalar *a, const mbs_scalar *b, int d) {
  mbs_scalar sum = a[0] * b[0];
  for (int k = 1; k < d; ++k) {
    sum += a[k] * b[k];
  }
  return sum;
}

// y += form(q). Positions along a tree that stands far from the origin come in parts, local + base, which are summed
// apart: what is subtracted here is close together.
MBS_KERNEL void mbs_row_add_position(const MbsLinearForm *form, const mbs_scalar *c, const MbsState *state,
                                     mbs_scalar *y, int d, bool turns) {
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
MBS_KERNEL void mbs_row_evaluate_form(const MbsLinearForm *form, const mbs_scalar *c, const MbsState *state,
                                      int level_count, MbsRowValues *values, int d, bool turns) {
  *values = (MbsRowValues){{{0}}};
  mbs_row_add_position(form, c, state, values->at[0], d, turns);
  if (level_count > 1) {
    mbs_form_add(form, c, d, turns, state->v, values->at[1]);
  }
  if (level_count > 2) {
    mbs_form_add(form, c, d, turns, state->a, values->at[2]);
  }
}

MBS_KERNEL void mbs_row_evaluate_levels(const MbsRow *row, const MbsState *state, int level_count, MbsRowValues *A,
                                        MbsRowValues *B, int d, bool turns) {
  mbs_row_evaluate_form(&row->A, row->block.value, state, level_count, A, d, turns);
  if (row->is_square) {
    *B = *A;
  } else {
    mbs_row_evaluate_form(&row->B, row->block.value, state, level_count, B, d, turns);
  }
}

MBS_KERNEL void mbs_row_evaluate(const MbsRow *row, const MbsState *state, MbsRowValues *A, MbsRowValues *B, int d,
                                 bool turns) {
  mbs_row_evaluate_levels(row, state, 3, A, B, d, turns);
}

// ---- a component of A, for coinciding rows; c: coefficients of the block, or their slopes ----
MBS_KERNEL mbs_scalar mbs_row_component(const MbsRow *row, const mbs_scalar *c, const mbs_scalar *q, bool turns) {
  const mbs_scalar *ab = c + row->A.offset;
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
MBS_KERNEL void mbs_row_component_transposed(const MbsRow *row, const mbs_scalar *c, mbs_scalar scale, mbs_scalar *q,
                                             bool turns) {
  const mbs_scalar *ab = c + row->A.offset;
  int own = row->component, other = 1 - own;
  for (int i = 0; i < row->A.count; ++i) {
    q[row->A.first[i] + own] += scale * ab[2 * i];
    if (turns) {
      q[row->A.first[i] + other] += (own == 0 ? -1 : 1) * scale * ab[2 * i + 1];
    }
  }
}

// the unit vector of a coinciding row's component
MBS_KERNEL void mbs_row_unit(const MbsRow *row, mbs_scalar *y) {
  for (int k = 0; k < 3; ++k) {
    y[k] = k == row->component ? 1 : 0;
  }
}

#endif
