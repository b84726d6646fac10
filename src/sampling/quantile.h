// Distributions of one number as functions: where it is below with probability u, its mean and its variance.
#ifndef MBS_QUANTILE_H
#define MBS_QUANTILE_H

#include "model/distribution.h"

// Of the normal distribution of mean 0 and deviation 1, for 0 < u < 1: M. J. Wichura, algorithm AS 241 (Applied
// Statistics 37, 1988), to sixteen digits.
double mbs_normal_quantile(double u);
double mbs_quantile(const MbsDistribution *distribution, double u);
double mbs_distribution_mean(const MbsDistribution *distribution);
double mbs_distribution_variance(const MbsDistribution *distribution);

#endif
