#include "sampling/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void mbs_moments_add(MbsMoments *moments, double x) {
  double before = x - moments->mean;
  moments->minimum = moments->count == 0 ? x : fmin(moments->minimum, x);
  moments->maximum = moments->count == 0 ? x : fmax(moments->maximum, x);
  moments->count += 1;
  moments->mean += before / (double)moments->count;
  moments->M += before * (x - moments->mean);
}

double mbs_moments_variance(const MbsMoments *moments) {
  return moments->count > 1 ? moments->M / (double)(moments->count - 1) : (double)NAN;
}

void mbs_pair_moments_add(MbsPairMoments *moments, double x, double y) {
  double dx = x - moments->mean_x, dy = y - moments->mean_y;
  moments->count += 1;
  moments->mean_x += dx / (double)moments->count;
  moments->mean_y += dy / (double)moments->count;
  moments->Mxx += dx * (x - moments->mean_x);
  moments->Myy += dy * (y - moments->mean_y);
  moments->Mxy += dx * (y - moments->mean_y);
}

double mbs_correlation(const MbsPairMoments *moments) {
  double scale = sqrt(moments->Mxx) * sqrt(moments->Myy);
  return scale > 0 ? moments->Mxy / scale : (double)NAN;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void mbs_sort(uint64_t count, double *numbers) { qsort(numbers, count, sizeof *numbers, compare); }

double mbs_sorted_quantile(uint64_t count, const double *sorted, double p) {
  if (count == 0) {
    return (double)NAN;
  }
  double place = (double)(count - 1) * p, below = floor(place);
  uint64_t i = (uint64_t)below;
  return i + 1 < count ? sorted[i] + (place - below) * (sorted[i + 1] - sorted[i]) : sorted[count - 1];
}

// ---- Sobol's indices ----
static bool is_whole(int count, const double *y) {
  for (int i = 0; i < count; ++i) {
    if (isnan(y[i])) {
      return false;
    }
  }
  return true;
}

static void find_index(uint64_t points, int dimension, const double *y, int j, double mean, double V, double count,
                       MbsSobolIndex *index) {
  int samples = dimension + 2;
  double first = 0, total = 0, first_spread = 0, total_spread = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (uint64_t i = 0; i < points; ++i) {
      const double *row = y + i * (uint64_t)samples;
      if (!is_whole(samples, row)) {
        continue;
      }
      double A = row[0] - mean, B = row[1] - mean, AB = row[2 + j] - mean;
      double v = (A * A + B * B) / 2, f = B * (AB - A), t = (A - AB) * (A - AB) / 2;
      if (pass == 0) {
        first += f;
        total += t;
      } else {
        first_spread += (f - index->first * v) * (f - index->first * v);
        total_spread += (t - index->total * v) * (t - index->total * v);
      }
    }
    index->first = first / count / V;
    index->total = total / count / V;
  }
  index->first_error = sqrt(first_spread) / count / V;
  index->total_error = sqrt(total_spread) / count / V;
}

void mbs_sobol_indices(uint64_t points, int dimension, const double *y, MbsSobolIndex *indices) {
  int samples = dimension + 2;
  MbsMoments both = {0};
  for (uint64_t i = 0; i < points; ++i) {
    if (is_whole(samples, y + i * (uint64_t)samples)) {
      mbs_moments_add(&both, y[i * (uint64_t)samples]);
      mbs_moments_add(&both, y[i * (uint64_t)samples + 1]);
    }
  }
  double V = both.count > 0 ? both.M / (double)both.count : 0;
  for (int j = 0; j < dimension; ++j) {
    indices[j] = (MbsSobolIndex){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    if (V > 0) {
      find_index(points, dimension, y, j, both.mean, V, (double)both.count / 2, &indices[j]);
    }
  }
}
