// A linear form with numbers: y = sum over terms of (a I + b J) q_e. See model/blueprint.h.
#ifndef MBS_LINEAR_FORM_H
#define MBS_LINEAR_FORM_H

#include "algebra/scalar.h"

typedef struct MbsLinearForm {
  int count;
  const int *first;  // first coordinate of the entity of each term
  int offset;        // of its coefficients (a, b of each term) in the element's block
} MbsLinearForm;

// y += (a I + b J) e; b is zero in space
static inline void mbs_turn_add(int dimension, mbs_scalar a, mbs_scalar b, const mbs_scalar *e, mbs_scalar *y) {
  if (dimension == 2) {
    y[0] += a * e[0] - b * e[1];
    y[1] += a * e[1] + b * e[0];
  } else {
    for (int k = 0; k < dimension; ++k) {
      y[k] += a * e[k];
    }
  }
}

// e += (a I + b J)' y
static inline void mbs_turn_add_transposed(int dimension, mbs_scalar a, mbs_scalar b, const mbs_scalar *y,
                                           mbs_scalar *e) {
  mbs_turn_add(dimension, a, -b, y, e);
}

// y += form(q) with coefficients c (of the whole block)
static inline void mbs_form_add(const MbsLinearForm *form, const mbs_scalar *c, int dimension, const mbs_scalar *q,
                                mbs_scalar *y) {
  const mbs_scalar *ab = c + form->offset;
  for (int i = 0; i < form->count; ++i) {
    mbs_turn_add(dimension, ab[2 * i], ab[2 * i + 1], q + form->first[i], y);
  }
}

// q += scale form' y
static inline void mbs_form_add_transposed(const MbsLinearForm *form, const mbs_scalar *c, int dimension,
                                           mbs_scalar scale, const mbs_scalar *y, mbs_scalar *q) {
  const mbs_scalar *ab = c + form->offset;
  for (int i = 0; i < form->count; ++i) {
    mbs_turn_add_transposed(dimension, scale * ab[2 * i], scale * ab[2 * i + 1], y, q + form->first[i]);
  }
}

#endif
