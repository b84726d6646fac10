// A derivative from values alone: by the complex step in the twin, by central differences in double.
//     complex   dF/dx = Im F(x + i h) / h,  h = 1e-30: nothing is subtracted, so it is exact to rounding
//     double    dF/dx = (F(x + h) - F(x - h)) / 2h
#ifndef MBS_PERTURBATION_H
#define MBS_PERTURBATION_H

#include "algebra/scalar.h"

// The complex step: far below any rounding, so that second-order terms vanish.
#define MBS_COMPLEX_STEP 1e-30

// How many values a derivative needs, and the x of each. take_side goes through them in turn: its first result goes
// into the second call, and its last is the derivative. step: of the differences.
#ifdef MBS_COMPLEX
enum { MBS_SIDES = 1 };
static inline mbs_scalar mbs_perturbed(mbs_scalar x, double step, int side) {
  (void)step;
  (void)side;
  return x + mbs_complex(0, MBS_COMPLEX_STEP);
}
static inline double mbs_take_side(int side, mbs_scalar F, double before, mbs_scalar x, double step) {
  (void)side;
  (void)before;
  (void)x;
  (void)step;
  return mbs_im(F) / MBS_COMPLEX_STEP;
}
#else
enum { MBS_SIDES = 2 };
static inline mbs_scalar mbs_perturbed(mbs_scalar x, double step, int side) { return side == 0 ? x + step : x - step; }
static inline double mbs_take_side(int side, mbs_scalar F, double before, mbs_scalar x, double step) {
  return side == 0 ? F : (before - F) / (mbs_perturbed(x, step, 0) - mbs_perturbed(x, step, 1));
}
#endif

// Steps of the differences: truncation h^2 against rounding 1e-16 / h
static inline double mbs_difference_step(double scale) { return 6e-6 * (scale > 0 ? scale : 1); }

#endif
