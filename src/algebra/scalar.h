// The scalar of the numerical code: double, or double _Complex in the twin (-DMBS_COMPLEX).
//
// The twin serves the complex step: one number is perturbed by i*1e-30 and the imaginary part of the
// result is its derivative. So a function here must be analytic in the first order around a real
// number, and every decision (pivot, comparison, convergence) uses the real part. Products replace
// powers with integer exponents: cpow(-2 + 1e-30 i, 2) has a derivative of -9.8e14.
#ifndef MBS_SCALAR_H
#define MBS_SCALAR_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>

#ifdef MBS_COMPLEX
typedef double _Complex mbs_scalar;
static inline double mbs_re(mbs_scalar x) { return creal(x); }
static inline double mbs_im(mbs_scalar x) { return cimag(x); }
// a + i b without the imaginary unit macro, which is float in some headers
static inline mbs_scalar mbs_complex(double re, double im) {
  union {
    double part[2];
    mbs_scalar whole;
  } z = {.part = {re, im}};
  return z.whole;
}
// f(x) from its value and derivative at the real part: the first order in i h is all the complex step
// needs, the real part is then the very number the double build computes, and a domain error stays NaN
// (csqrt(-1) = i would hide it). Where x carries no perturbation an infinite derivative must not show.
static inline mbs_scalar mbs_lift(mbs_scalar x, double value, double derivative) {
  return mbs_complex(value, mbs_im(x) == 0 ? 0 : derivative * mbs_im(x));
}
static inline mbs_scalar mbs_sqrt(mbs_scalar x) {
  double value = sqrt(mbs_re(x));
  return mbs_lift(x, value, 0.5 / value);
}
static inline mbs_scalar mbs_exp(mbs_scalar x) {
  double value = exp(mbs_re(x));
  return mbs_lift(x, value, value);
}
static inline mbs_scalar mbs_log(mbs_scalar x) { return mbs_lift(x, log(mbs_re(x)), 1 / mbs_re(x)); }
static inline mbs_scalar mbs_sin(mbs_scalar x) { return mbs_lift(x, sin(mbs_re(x)), cos(mbs_re(x))); }
static inline mbs_scalar mbs_cos(mbs_scalar x) { return mbs_lift(x, cos(mbs_re(x)), -sin(mbs_re(x))); }
static inline mbs_scalar mbs_tan(mbs_scalar x) {
  double value = tan(mbs_re(x));
  return mbs_lift(x, value, 1 + value * value);
}
static inline mbs_scalar mbs_sinh(mbs_scalar x) { return mbs_lift(x, sinh(mbs_re(x)), cosh(mbs_re(x))); }
static inline mbs_scalar mbs_cosh(mbs_scalar x) { return mbs_lift(x, cosh(mbs_re(x)), sinh(mbs_re(x))); }
static inline mbs_scalar mbs_tanh(mbs_scalar x) {
  double c = cosh(mbs_re(x));  // 1 - tanh^2 would cancel
  return mbs_lift(x, tanh(mbs_re(x)), 1 / (c * c));
}
static inline mbs_scalar mbs_asin(mbs_scalar x) {
  return mbs_lift(x, asin(mbs_re(x)), 1 / sqrt((1 - mbs_re(x)) * (1 + mbs_re(x))));
}
static inline mbs_scalar mbs_acos(mbs_scalar x) {
  return mbs_lift(x, acos(mbs_re(x)), -1 / sqrt((1 - mbs_re(x)) * (1 + mbs_re(x))));
}
static inline mbs_scalar mbs_atan(mbs_scalar x) {
  return mbs_lift(x, atan(mbs_re(x)), 1 / (1 + mbs_re(x) * mbs_re(x)));
}
static inline mbs_scalar mbs_atan2(mbs_scalar y, mbs_scalar x) {
  double a = mbs_re(x), b = mbs_re(y);
  double turn = a * mbs_im(y) - b * mbs_im(x);
  return mbs_complex(atan2(b, a), turn == 0 ? 0 : turn / (a * a + b * b));
}
#else
typedef double mbs_scalar;
static inline double mbs_re(mbs_scalar x) { return x; }
static inline double mbs_im(mbs_scalar x) {
  (void)x;
  return 0;
}
static inline mbs_scalar mbs_complex(double re, double im) {
  (void)im;
  return re;
}
static inline mbs_scalar mbs_sqrt(mbs_scalar x) { return sqrt(x); }
static inline mbs_scalar mbs_exp(mbs_scalar x) { return exp(x); }
static inline mbs_scalar mbs_log(mbs_scalar x) { return log(x); }
static inline mbs_scalar mbs_sin(mbs_scalar x) { return sin(x); }
static inline mbs_scalar mbs_cos(mbs_scalar x) { return cos(x); }
static inline mbs_scalar mbs_tan(mbs_scalar x) { return tan(x); }
static inline mbs_scalar mbs_sinh(mbs_scalar x) { return sinh(x); }
static inline mbs_scalar mbs_cosh(mbs_scalar x) { return cosh(x); }
static inline mbs_scalar mbs_tanh(mbs_scalar x) { return tanh(x); }
static inline mbs_scalar mbs_asin(mbs_scalar x) { return asin(x); }
static inline mbs_scalar mbs_acos(mbs_scalar x) { return acos(x); }
static inline mbs_scalar mbs_atan(mbs_scalar x) { return atan(x); }
static inline mbs_scalar mbs_atan2(mbs_scalar y, mbs_scalar x) { return atan2(y, x); }
#endif

// x^n by products, for any integer n
static inline mbs_scalar mbs_power_integer(mbs_scalar x, int n) {
  mbs_scalar base = n < 0 ? 1 / x : x;
  mbs_scalar result = 1;
  for (unsigned k = n < 0 ? 0U - (unsigned)n : (unsigned)n; k; k >>= 1) {
    if (k & 1U) {
      result *= base;
    }
    base *= base;
  }
  return result;
}

// x^y for x > 0, and for x <= 0 where y is a whole number without perturbation
static inline mbs_scalar mbs_power(mbs_scalar x, mbs_scalar y) {
#ifdef MBS_COMPLEX
  double a = mbs_re(x), b = mbs_re(y), value = pow(a, b);
  double from_base = mbs_im(x) == 0 ? 0 : b * pow(a, b - 1) * mbs_im(x);
  double from_exponent = mbs_im(y) == 0 ? 0 : value * log(a) * mbs_im(y);
  return mbs_complex(value, from_base + from_exponent);
#else
  return pow(x, y);
#endif
}

// |x|, analytic away from 0
static inline mbs_scalar mbs_abs(mbs_scalar x) { return mbs_re(x) < 0 ? -x : x; }

// the largest whole number that is not larger; its derivative is 0
static inline mbs_scalar mbs_floor(mbs_scalar x) { return floor(mbs_re(x)); }

static inline bool mbs_is_zero(mbs_scalar x) { return mbs_re(x) == 0 && mbs_im(x) == 0; }

static inline mbs_scalar mbs_dot(int count, const mbs_scalar *a, const mbs_scalar *b) {
  mbs_scalar sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static inline void mbs_clear(int count, mbs_scalar *x) {
  for (int i = 0; i < count; ++i) {
    x[i] = 0;
  }
}

// Is any of them not zero?
static inline bool mbs_has_entries(int count, const mbs_scalar *x) {
  for (int i = 0; i < count; ++i) {
    if (!mbs_is_zero(x[i])) {
      return true;
    }
  }
  return false;
}

static inline bool mbs_is_finite(mbs_scalar x) { return isfinite(mbs_re(x)) && isfinite(mbs_im(x)); }

#endif
