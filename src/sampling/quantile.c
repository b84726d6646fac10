#include "sampling/quantile.h"

#include <math.h>

static double polynomial(const double *coefficients, double x) {
  double sum = coefficients[7];
  for (int i = 6; i >= 0; --i) {
    sum = sum * x + coefficients[i];
  }
  return sum;
}

double mbs_normal_quantile(double u) {
  static const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                             1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                             3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[] = {1.0,
                             4.2313330701600911252e+1,
                             6.8718700749205790830e+2,
                             5.3941960214247511077e+3,
                             2.1213794301586595867e+4,
                             3.9307895800092710610e+4,
                             2.8729085735721942674e+4,
                             5.2264952788528545610e+3};
  static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                             3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[] = {1.0,
                             2.05319162663775882187e0,
                             1.67638483018380384940e0,
                             6.89767334985100004550e-1,
                             1.48103976427480074590e-1,
                             1.51986665636164571966e-2,
                             5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
  static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[] = {1.0,
                             5.99832206555887937690e-1,
                             1.36929880922735805310e-1,
                             1.48753612908506148525e-2,
                             7.86869131145613259100e-4,
                             1.84631831751005468180e-5,
                             1.42151175831644588870e-7,
                             2.04426310338993978564e-15};
  double q = u - 0.5;
  if (fabs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  double r = sqrt(-log(q < 0 ? u : 1 - u));
  double z = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -z : z;
}

// ---- one number of each kind ----
// P(x < z), accurate in the lower tail
static double below(double z) { return 0.5 * erfc(-z / sqrt(2)); }
static double density(double z) { return exp(-z * z / 2) / sqrt(2 * acos(-1)); }

// a normal number between limits: those of its distribution in units of the deviation, turned so that the part is not
// far up in the upper tail, where probabilities are all 1
typedef struct Part {
  double lower, upper, sign;
} Part;

static Part part_of(const double *numbers) {
  double lower = (numbers[2] - numbers[0]) / numbers[1], upper = (numbers[3] - numbers[0]) / numbers[1];
  return lower > 0 ? (Part){-upper, -lower, -1} : (Part){lower, upper, 1};
}

static double normal_part(const double *numbers, double u) {
  Part part = part_of(numbers);
  double from = below(part.sign > 0 ? part.lower : part.upper), to = below(part.sign > 0 ? part.upper : part.lower);
  double p = from + u * (to - from);
  double x = numbers[0] + numbers[1] * part.sign * mbs_normal_quantile(p);
  return fmin(fmax(x, numbers[2]), numbers[3]);
}

static double triangular(double lower, double mode, double upper, double u) {
  double range = upper - lower;
  return u * range < mode - lower ? lower + sqrt(u * range * (mode - lower))
                                  : upper - sqrt((1 - u) * range * (upper - mode));
}

double mbs_quantile(const MbsDistribution *distribution, double u) {
  const double *n = distribution->numbers;
  int count = distribution->count;
  switch (distribution->kind) {
    case MBS_DISTRIBUTION_VALUES: {
      int place = (int)(u * count);
      return n[place < count ? place : count - 1];
    }
    case MBS_DISTRIBUTION_UNIFORM: return n[0] + u * (n[1] - n[0]);
    case MBS_DISTRIBUTION_LOGUNIFORM: return n[0] * pow(n[1] / n[0], u);
    case MBS_DISTRIBUTION_NORMAL: return count == 4 ? normal_part(n, u) : n[0] + n[1] * mbs_normal_quantile(u);
    case MBS_DISTRIBUTION_LOGNORMAL: return n[0] * exp(n[1] * mbs_normal_quantile(u));
    case MBS_DISTRIBUTION_TRIANGULAR: return triangular(n[0], n[1], n[2], u);
    case MBS_DISTRIBUTION_WEIBULL: return n[0] * pow(-log1p(-u), 1 / n[1]);
  }
  return (double)NAN;
}

// ---- moments ----
static double mean_of(int count, const double *values) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += values[i];
  }
  return sum / count;
}

static double variance_of(int count, const double *values) {
  double mean = mean_of(count, values), sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += (values[i] - mean) * (values[i] - mean);
  }
  return sum / count;
}

// of the part in units of the deviation: m = (phi(a) - phi(b)) / P, and 1 + (a phi(a) - b phi(b)) / P - m^2
static void part_moments(const double *numbers, double *mean, double *variance) {
  Part part = part_of(numbers);
  double P = below(part.upper) - below(part.lower), at_lower = density(part.lower), at_upper = density(part.upper);
  *mean = (at_lower - at_upper) / P;
  *variance = 1 + (part.lower * at_lower - part.upper * at_upper) / P - *mean * *mean;
  *mean *= part.sign;
}

double mbs_distribution_mean(const MbsDistribution *distribution) {
  const double *n = distribution->numbers;
  double mean, variance;
  switch (distribution->kind) {
    case MBS_DISTRIBUTION_VALUES: return mean_of(distribution->count, n);
    case MBS_DISTRIBUTION_UNIFORM: return (n[0] + n[1]) / 2;
    case MBS_DISTRIBUTION_LOGUNIFORM: return (n[1] - n[0]) / log(n[1] / n[0]);
    case MBS_DISTRIBUTION_NORMAL:
      if (distribution->count == 2) {
        return n[0];
      }
      part_moments(n, &mean, &variance);
      return n[0] + n[1] * mean;
    case MBS_DISTRIBUTION_LOGNORMAL: return n[0] * exp(n[1] * n[1] / 2);
    case MBS_DISTRIBUTION_TRIANGULAR: return (n[0] + n[1] + n[2]) / 3;
    case MBS_DISTRIBUTION_WEIBULL: return n[0] * tgamma(1 + 1 / n[1]);
  }
  return (double)NAN;
}

double mbs_distribution_variance(const MbsDistribution *distribution) {
  const double *n = distribution->numbers;
  double mean = mbs_distribution_mean(distribution), variance;
  switch (distribution->kind) {
    case MBS_DISTRIBUTION_VALUES: return variance_of(distribution->count, n);
    case MBS_DISTRIBUTION_UNIFORM: return (n[1] - n[0]) * (n[1] - n[0]) / 12;
    case MBS_DISTRIBUTION_LOGUNIFORM: return (n[1] * n[1] - n[0] * n[0]) / (2 * log(n[1] / n[0])) - mean * mean;
    case MBS_DISTRIBUTION_NORMAL:
      if (distribution->count == 2) {
        return n[1] * n[1];
      }
      part_moments(n, &mean, &variance);
      return n[1] * n[1] * variance;
    case MBS_DISTRIBUTION_LOGNORMAL: return expm1(n[1] * n[1]) * mean * mean;
    case MBS_DISTRIBUTION_TRIANGULAR:
      return (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - n[0] * n[1] - n[0] * n[2] - n[1] * n[2]) / 18;
    case MBS_DISTRIBUTION_WEIBULL: return n[0] * n[0] * tgamma(1 + 2 / n[1]) - mean * mean;
  }
  return (double)NAN;
}
