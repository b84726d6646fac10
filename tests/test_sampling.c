// Plans of sweeps: random numbers against published ones, Sobol's sequence against scipy, quantiles against their
// distributions, plans against their definitions.
#include <math.h>

#include "sampling/philox.h"
#include "sampling/plan.h"
#include "sampling/quantile.h"
#include "sampling/sobol.h"
#include "support.h"

// kat_vectors of Random123
static void check_philox(void) {
  const struct {
    uint64_t key;
    MbsPhilox counter, expected;
  } known[] = {
      {0, {{0, 0, 0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
      {~UINT64_C(0),
       {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
       {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
      {UINT64_C(0x299f31d0a4093822),
       {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
       {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
  };
  for (int i = 0; i < 3; ++i) {
    MbsPhilox got = mbs_philox(known[i].key, known[i].counter);
    ENSURE(memcmp(&got, &known[i].expected, sizeof got) == 0);
  }
  ENSURE(mbs_unit_of_bits(0) > 0 && mbs_unit_of_bits((UINT64_C(1) << 52) - 1) < 1);
}

static void check_permutations(void) {
  const uint64_t counts[] = {1, 2, 3, 7, 64, 65, 1000};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
    bool is_taken[1000] = {false};
    int moved = 0;
    for (uint64_t i = 0; i < counts[c]; ++i) {
      uint64_t place = mbs_random_place(5, i, counts[c], 3);
      ENSURE(place < counts[c] && !is_taken[place]);
      is_taken[place] = true;
      moved += place != i;
    }
    ENSURE(counts[c] < 64 || moved > 50);
  }
}

// points of scipy.stats.qmc.Sobol(128, scramble=False), which has the same table; and each of 256 intervals of each
// dimension has one of the first 256 points, which no error in a direction number would leave so
static void check_sobol(void) {
  const struct {
    uint64_t index;
    int dimension;
    double value;
  } known[] = {{4, 2, 0.625},           {5, 0, 0.875},
               {5, 2, 0.125},           {1000, 10, 0.0849609375},
               {777, 50, 0.0830078125}, {1023, 127, 0.7001953125},
               {600, 99, 0.3642578125}};
  uint64_t directions[MBS_SOBOL_DIGITS];
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    mbs_sobol_directions(known[i].dimension, directions);
    ENSURE((double)mbs_sobol_point(directions, known[i].index) * 0x1p-52 == known[i].value);
  }
  for (int d = 0; d < MBS_SOBOL_DIMENSIONS; ++d) {
    bool is_taken[256] = {false};
    mbs_sobol_directions(d, directions);
    for (uint64_t i = 0; i < 256; ++i) {
      uint64_t interval = mbs_sobol_point(directions, i) >> (MBS_SOBOL_DIGITS - 8);
      ENSURE(!is_taken[interval]);
      is_taken[interval] = true;
    }
  }
}

// P(x < z) of its own quantile is u; the mean and the variance are the integrals of x and x^2 over u
static void check_distribution(MbsDistributionKind kind, int count, double a, double b, double c, double d) {
  enum { PARTS = 200000 };
  double numbers[] = {a, b, c, d}, sum = 0, squares = 0, before = -HUGE_VAL;
  const MbsDistribution distribution = {.kind = kind, .count = count, .numbers = numbers};
  double mean = mbs_distribution_mean(&distribution), variance = mbs_distribution_variance(&distribution);
  for (int i = 0; i < PARTS; ++i) {
    double x = mbs_quantile(&distribution, (i + 0.5) / PARTS);
    ENSURE(x >= before);
    before = x;
    sum += x;
    squares += (x - mean) * (x - mean);
  }
  // the midpoint rule misses the tails by about a part of the last interval
  ENSURE_NEAR(sum / PARTS, mean, 1e-4 * sqrt(variance));
  ENSURE_NEAR(squares / PARTS, variance, 2e-3 * variance);
}

static void check_quantiles(void) {
  for (double u = 1e-12; u < 1; u *= 1.3) {
    double z = mbs_normal_quantile(u);
    // relative in the lower tail, where erfc keeps its digits
    ENSURE_NEAR(0.5 * erfc(-z / sqrt(2)), u, 1e-13 * u);
  }
  for (double u = 0.5; u > 1e-12; u /= 2) {  // 1 - u is exact
    ENSURE(mbs_normal_quantile(1 - u) == -mbs_normal_quantile(u));
  }
  check_distribution(MBS_DISTRIBUTION_VALUES, 3, 1, 5, 9, 0);
  check_distribution(MBS_DISTRIBUTION_UNIFORM, 2, -1, 3, 0, 0);
  check_distribution(MBS_DISTRIBUTION_LOGUNIFORM, 2, 0.1, 10, 0, 0);
  check_distribution(MBS_DISTRIBUTION_NORMAL, 2, 100, 5, 0, 0);
  check_distribution(MBS_DISTRIBUTION_NORMAL, 4, 100, 5, 98, 120);
  check_distribution(MBS_DISTRIBUTION_NORMAL, 4, 0, 1, 8, 12);  // far up in the tail
  check_distribution(MBS_DISTRIBUTION_NORMAL, 4, 0, 1, -12, -8);
  check_distribution(MBS_DISTRIBUTION_LOGNORMAL, 2, 2, 0.3, 0, 0);
  check_distribution(MBS_DISTRIBUTION_TRIANGULAR, 3, 0, 1, 4, 0);
  check_distribution(MBS_DISTRIBUTION_TRIANGULAR, 3, 0, 0, 4, 0);
  check_distribution(MBS_DISTRIBUTION_WEIBULL, 2, 3, 1.5, 0, 0);
}

static void check_plans(MbsContext *context) {
  enum { N = 50, D = 3 };
  double limits[D][2] = {{0, 1}, {0, 1}, {0, 1}}, levels[2][3] = {{1, 2, 3}, {10, 20, 0}};
  const MbsDistribution unit[D] = {{MBS_DISTRIBUTION_UNIFORM, 2, limits[0]},
                                   {MBS_DISTRIBUTION_UNIFORM, 2, limits[1]},
                                   {MBS_DISTRIBUTION_UNIFORM, 2, limits[2]}};
  const MbsDistribution values[2] = {{MBS_DISTRIBUTION_VALUES, 3, levels[0]}, {MBS_DISTRIBUTION_VALUES, 2, levels[1]}};
  MbsArena *arena = mbs_arena_create();
  double x[D], y[D], z[D];
  ENSURE(arena);
  MbsPlan grid = {.kind = MBS_PLAN_GRID, .dimension = 2, .distributions = values};
  ENSURE_OK(context, mbs_plan_finish(context, arena, &grid));
  ENSURE(grid.count == 6);
  for (uint64_t i = 0; i < 6; ++i) {
    mbs_plan_sample(&grid, i, x);
    ENSURE(x[0] == levels[0][i / 2] && x[1] == levels[1][i % 2]);
  }
  for (int kind = MBS_PLAN_RANDOM; kind < MBS_PLAN_KINDS; ++kind) {
    MbsPlan plan = {.kind = (MbsPlanKind)kind, .dimension = D, .distributions = unit, .points = N, .seed = 7};
    MbsPlan other = plan;
    other.seed = 8;
    ENSURE_OK(context, mbs_plan_finish(context, arena, &plan));
    ENSURE_OK(context, mbs_plan_finish(context, arena, &other));
    ENSURE(plan.count == (kind == MBS_PLAN_SALTELLI ? N * (D + 2) : N));
    bool is_taken[D][N] = {{false}};
    for (uint64_t i = 0; i < plan.count; ++i) {
      mbs_plan_sample(&plan, i, x);
      mbs_plan_sample(&other, i, y);
      for (int j = 0; j < D; ++j) {
        ENSURE(x[j] > 0 && x[j] < 1 && x[j] != y[j]);
        if (kind == MBS_PLAN_LATIN_HYPERCUBE) {
          ENSURE(!is_taken[j][(int)(x[j] * N)]);
          is_taken[j][(int)(x[j] * N)] = true;
        }
      }
    }
    for (uint64_t i = 0; kind == MBS_PLAN_SALTELLI && i < plan.count; i += D + 2) {
      mbs_plan_sample(&plan, i, x);
      mbs_plan_sample(&plan, i + 1, y);
      for (int j = 0; j < D; ++j) {
        mbs_plan_sample(&plan, i + 2 + (uint64_t)j, z);
        for (int k = 0; k < D; ++k) {
          ENSURE(z[k] == (k == j ? y[k] : x[k]));
        }
      }
    }
  }
  MbsPlan wide = {.kind = MBS_PLAN_SALTELLI, .dimension = 65, .points = 1};
  ENSURE(mbs_plan_finish(context, arena, &wide) == MBS_ERROR_NOT_OFFERED);
  ENSURE(strstr(mbs_context_message(context), "up to 64 parameters"));
  mbs_arena_destroy(arena);
}

int main(void) {
  MbsContext *context = mbs_context_create();
  ENSURE(context);
  check_philox();
  check_permutations();
  check_sobol();
  check_quantiles();
  check_plans(context);
  mbs_context_destroy(context);
  return 0;
}
