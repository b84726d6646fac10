// A linear form with numbers: y = sum over terms of (a I + b J) q_e. See model/blueprint.h.
#ifndef MBS_LINEAR_FORM_H
#define MBS_LINEAR_FORM_H

#include "algebra/scalar.h"

typedef struct MbsLinearForm {
  int count;
  const int *first;  // first coordinate of the entity of each term
  int offset;        // of its coefficients (a, b of each term) in the element's block
  bool is_constant;  // these are plain numbers: nothing to differentiate
} MbsLinearForm;

// These run innermost and for every element, so they are specialised: callers pass constants for `d`, the
// dimension, and `turns`, whether any b may be non-zero (in the plane only).
#define MBS_KERNEL static inline __attribute__((always_inline))

// Calls kernel(..., d, turns) with constants.
#define MBS_SPECIALISE(dimension, has_turn, kernel, ...) \
  do {                                                   \
    if ((dimension) == 3) {                              \
      kernel(__VA_ARGS__, 3, false);                     \
    } else if (has_turn) {                               \
      kernel(__VA_ARGS__, 2, true);                      \
    } else {                                             \
      kernel(__VA_ARGS__, 2, false);                     \
    }                                                    \
  } while (0)

// y += (a I + b J) e
MBS_KERNEL void mbs_turn_add(int d, bool turns, mbs_scalar a, mbs_scalar b, const mbs_scalar *e, mbs_scalar *y) {
  for (int k = 0; k < d; ++k) {
    y[k] += a * e[k];
  }
  if (turns) {
    y[0] -= b * e[1];
    y[1] += b * e[0];
  }
}

// y += form(q) with coefficients c (of the whole block)
MBS_KERNEL void mbs_form_add(const MbsLinearForm *form, const mbs_scalar *c, int d, bool turns, const mbs_scalar *q,
                             mbs_scalar *y) {
  const mbs_scalar *ab = c + form->offset;
  for (int i = 0; i < form->count; ++i) {
    mbs_turn_add(d, turns, ab[2 * i], ab[2 * i + 1], q + form->first[i], y);
  }
}

// q += scale form' y,   (a I + b J)' = a I - b J
MBS_KERNEL void mbs_form_add_transposed(const MbsLinearForm *form, const mbs_scalar *c, int d, bool turns,
                                        mbs_scalar scale, const mbs_scalar *y, mbs_scalar *q) {
  const mbs_scalar *ab = c + form->offset;
  for (int i = 0; i < form->count; ++i) {
    mbs_turn_add(d, turns, scale * ab[2 * i], -scale * ab[2 * i + 1], y, q + form->first[i]);
  }
}

// how large the terms are that a form adds up, and which may cancel
static inline double mbs_form_size(const MbsLinearForm *form, const mbs_scalar *c, int d, const mbs_scalar *q) {
  const mbs_scalar *ab = c + form->offset;
  double sum = 0;
  for (int i = 0; i < form->count; ++i) {
    double largest = 0;
    for (int k = 0; k < d; ++k) {
      double magnitude = mbs_re(mbs_abs(q[form->first[i] + k]));
      largest = magnitude > largest ? magnitude : largest;
    }
    sum += (mbs_re(mbs_abs(ab[2 * i])) + mbs_re(mbs_abs(ab[2 * i + 1]))) * largest;
  }
  return sum;
}

// derivative of y_bar.form(q) with respect to the form's coefficients: a += y_bar.e, b += y_bar.(J e)
static inline void mbs_form_add_coefficient_adjoint(const MbsLinearForm *form, const int *index, int d,
                                                    const mbs_scalar *y_bar, const mbs_scalar *q, mbs_scalar *bar) {
  const int *ab = index + form->offset;
  for (int i = 0; i < form->count && !form->is_constant; ++i) {
    const mbs_scalar *e = q + form->first[i];
    for (int k = 0; k < d; ++k) {
      bar[ab[2 * i]] += y_bar[k] * e[k];
    }
    if (d == 2) {
      bar[ab[2 * i + 1]] += y_bar[1] * e[0] - y_bar[0] * e[1];
    }
  }
}

#endif
