// What many numbers have in common, in one pass and in the order in which they come, so that the same numbers give the
// same bits.
#ifndef MBS_STATISTICS_H
#define MBS_STATISTICS_H

#include <stdint.h>

// B. P. Welford (1962): mean += (x - mean) / n, M += (x - old mean)(x - new mean). Zeroed at first.
typedef struct MbsMoments {
  uint64_t count;
  double mean, M, minimum, maximum;
} MbsMoments;
void mbs_moments_add(MbsMoments *moments, double x);
double mbs_moments_variance(const MbsMoments *moments);  // M / (n - 1); NaN of fewer than two

// The same of pairs. Zeroed at first.
typedef struct MbsPairMoments {
  uint64_t count;
  double mean_x, mean_y, Mxx, Mxy, Myy;
} MbsPairMoments;
void mbs_pair_moments_add(MbsPairMoments *moments, double x, double y);
double mbs_correlation(const MbsPairMoments *moments);  // Pearson's; NaN where one of the two does not vary

// At p of sorted numbers, between neighbours in proportion: x_(1 + (n - 1) p). NaN of none.
void mbs_sort(uint64_t count, double *numbers);
double mbs_sorted_quantile(uint64_t count, const double *sorted, double p);

// Sobol's indices of one input: which part of the variance is there because of it alone (first), and which would be
// gone without it (total), with their standard errors.
typedef struct MbsSobolIndex {
  double first, first_error, total, total_error;
} MbsSobolIndex;
// Of a plan of Saltelli (plan.h): y has N (d + 2) values in its order; points with one that is NaN do not count. With
// values about the mean
//     V = 1/2N sum (A^2 + B^2),  first = 1/N sum B (AB_j - A) / V,  total = 1/2N sum (A - AB_j)^2 / V
// (A. Saltelli et al., 2010; M. J. W. Jansen, 1999). Errors of these ratios to first order, as if points were
// independent: of a Sobol sequence they are less.
void mbs_sobol_indices(uint64_t points, int dimension, const double *y, MbsSobolIndex *indices);

#endif
