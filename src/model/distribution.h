// What is known of a number that is not known: the distribution of a parameter, as the model file or a command says it,
//     100, 110, 120       one of these values, each as likely as the others
//     10:20:5             the same, of so many values evenly from the first to the second
//     uniform(a, b)       loguniform(a, b): its logarithm is uniform
//     normal(m, s)        of mean m and deviation s; normal(m, s, a, b): that part of it that is between a and b
//     lognormal(m, s)     m exp(s z), z normal of deviation 1: m is the median
//     triangular(a, c, b) most likely at c
//     weibull(l, k)       scale l, shape k
// whose numbers may be expressions of parameters, which then have their values of the model. Scalar-free; what they
// are as functions is in sampling/quantile.h.
#ifndef MBS_DISTRIBUTION_H
#define MBS_DISTRIBUTION_H

#include "model/blueprint.h"

typedef enum MbsDistributionKind {
  MBS_DISTRIBUTION_VALUES,
  MBS_DISTRIBUTION_UNIFORM,
  MBS_DISTRIBUTION_LOGUNIFORM,
  MBS_DISTRIBUTION_NORMAL,
  MBS_DISTRIBUTION_LOGNORMAL,
  MBS_DISTRIBUTION_TRIANGULAR,
  MBS_DISTRIBUTION_WEIBULL
} MbsDistributionKind;

typedef struct MbsDistribution {
  MbsDistributionKind kind;
  int count;  // of its numbers: values, or what stands between the parentheses
  double *numbers;
} MbsDistribution;

// Into the blueprint's arena. `owner` stands before what is wrong.
MbsStatus mbs_distribution_read(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                                MbsDistribution *distribution);

#endif
