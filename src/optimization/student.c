// P(|t| < x) = 1 - I_z(nu/2, 1/2), z = nu / (nu + x^2), with the regularised incomplete beta function by its continued
// fraction (Abramowitz, Stegun 26.5.8, summed as Lentz does); P(chi^2 > x) = Q(nu/2, x/2), the regularised incomplete
// gamma function, by its series or continued fraction (6.5.29, 6.5.31).
#include "optimization/student.h"

#include <float.h>
#include <math.h>

enum { MOST_TERMS = 10000 };
static const double tiny = 1e-300;

static double away_from_zero(double x) { return fabs(x) < tiny ? tiny : x; }

static double beta_fraction(double a, double b, double x) {
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < MOST_TERMS; ++m) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= c * d;
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= c * d;
    if (fabs(c * d - 1) < 2 * DBL_EPSILON) {
      break;
    }
  }
  return value;
}

static double incomplete_beta(double a, double b, double x) {
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double mbs_student_inside(double x, double freedom) {
  if (!(x > 0)) {
    return 0;
  }
  return isinf(freedom) ? erf(x / sqrt(2)) : 1 - incomplete_beta(freedom / 2, 0.5, freedom / (freedom + x * x));
}

double mbs_student_bound(double inside, double freedom) {
  double low = 0, high = 1;
  while (mbs_student_inside(high, freedom) < inside && high < 1e100) {
    high *= 2;
  }
  for (int i = 0; i < 200 && high - low > DBL_EPSILON * high; ++i) {
    double middle = (low + high) / 2;
    *(mbs_student_inside(middle, freedom) < inside ? &low : &high) = middle;
  }
  return (low + high) / 2;
}

double mbs_chi_square_above(double x, double freedom) {
  double a = freedom / 2, z = x / 2;
  if (!(z > 0)) {
    return 1;
  }
  double front = exp(a * log(z) - z - lgamma(a));
  if (z < a + 1) {
    double term = 1 / a, sum = term;
    for (int i = 1; i < MOST_TERMS && term > DBL_EPSILON * sum; ++i) {
      term *= z / (a + i);
      sum += term;
    }
    return 1 - front * sum;
  }
  double b = z + 1 - a, c = 1 / tiny, d = 1 / b, value = d;
  for (int i = 1; i < MOST_TERMS; ++i) {
    double an = -i * (i - a);
    b += 2;
    d = 1 / away_from_zero(an * d + b);
    c = away_from_zero(b + an / c);
    value *= c * d;
    if (fabs(c * d - 1) < 2 * DBL_EPSILON) {
      break;
    }
  }
  return front * value;
}
