// The table of levels, on numbers whose expansion is known: what it finds, how far that is from its estimate, and what
// it says of series that do not converge as they should.
#include "base/context.h"
#include "sensitivities/extrapolation.h"
#include "support.h"

static MbsContext *context;
static MbsArena *arena;

enum { NUMBERS = 3, TERMS = 4 };
// a value and two derivatives, the second of which is small against the first
static const double limits[NUMBERS] = {2.5, -1.75, 3e-5};
static const double terms[NUMBERS][TERMS] = {{3, -8, 11, 5}, {-7, 20, 4, -30}, {2e-4, 3e-4, -5e-4, 1e-4}};
static const double size[NUMBERS] = {0, 2, 0.5};

// a level of the expansion, with what else there is
static void add_level(MbsExtrapolation *x, int level, int order, int gap, const double *rest) {
  double h = 0.5 * ldexp(1, -level), numbers[NUMBERS];
  for (int i = 0; i < NUMBERS; ++i) {
    numbers[i] = limits[i] + (rest ? rest[i] : 0);
    for (int j = 0; j < TERMS; ++j) {
      numbers[i] += terms[i][j] * pow(h, order + j * gap);
    }
  }
  mbs_extrapolation_add(x, 3, numbers);
  mbs_extrapolation_hold_against(x);
}

static MbsExtrapolation begin(int order, int gap) {
  MbsExtrapolation x;
  ENSURE_OK(context, mbs_extrapolation_create(context, arena, NUMBERS, size, &x));
  mbs_extrapolation_forget(&x, order, gap);
  return x;
}

static double worst_ratio(const MbsExtrapolation *x, double *loosest) {
  double worst = 0;
  *loosest = HUGE_VAL;
  for (int i = 0; i < NUMBERS; ++i) {
    double ratio = fabs(x->value[i] - limits[i]) / x->error[i];
    worst = fmax(worst, ratio);
    *loosest = fmin(*loosest, ratio);
  }
  return worst;
}

static void check_expansions(void) {
  static const int expansions[][2] = {{2, 2}, {2, 1}, {1, 1}, {5, 1}, {8, 1}};
  for (int e = 0; e < (int)(sizeof expansions / sizeof expansions[0]); ++e) {
    int order = expansions[e][0], gap = expansions[e][1];
    MbsExtrapolation x = begin(order, gap);
    double before = HUGE_VAL, loosest;
    for (int level = 0; level < 12; ++level) {
      add_level(&x, level, order, gap, NULL);
      ENSURE(level < 2 ? x.reached == HUGE_VAL : isfinite(x.reached));
      if (level >= 2) {
        ENSURE(worst_ratio(&x, &loosest) <= (level == 2 ? 2 : 1));  // three coarse levels tell little
        ENSURE(x.reached <= 2 * before);
      }
      before = x.reached;
    }
    // four terms, of which the last column leaves one; rounding is what remains
    ENSURE(x.reached < (order == 1 ? 1e-10 : 3e-13));
    ENSURE_NEAR(x.value[0], limits[0], order == 1 ? 1e-11 : 1e-13);
    ENSURE_NEAR(x.value[1], limits[1], order == 1 ? 1e-11 : 1e-13);
  }
  // where the columns converge as expected, the estimate is no more than a hundred times what is left
  MbsExtrapolation x = begin(2, 2);
  for (int level = 0; level < 5; ++level) {
    double loosest;
    add_level(&x, level, 2, 2, NULL);
    ENSURE(level < 2 || (worst_ratio(&x, &loosest) > 0.01 && x.reached > 0));
  }
}

// With the wrong powers the error holds all the same. With what no power describes (kinks) it cannot know of it at the
// first level where that is felt: three quarters of the errors hold, and 95 of a hundred within a factor 5. Rounding is
// known from levels that were shaken.
typedef struct Count {
  int all, within, nearly;
} Count;

static void count(const MbsExtrapolation *x, Count *numbers) {
  for (int i = 0; i < NUMBERS; ++i) {
    numbers->all += 1;
    numbers->within += fabs(x->value[i] - limits[i]) <= x->error[i];
    numbers->nearly += fabs(x->value[i] - limits[i]) <= 5 * x->error[i];
  }
}

// the level once more, with other noise of that size
static void shake_level(MbsExtrapolation *x, uint64_t *numbers) {
  double shaken[NUMBERS];
  for (int i = 0; i < NUMBERS; ++i) {
    shaken[i] = x->levels[(x->level_count - 1) * NUMBERS + i] + 1e-9 * random_number(numbers) * limits[i];
  }
  ENSURE(mbs_extrapolation_shake(x, shaken) < 1e-8);
}

static void check_others(void) {
  Count odd = {0}, rough = {0}, noisy = {0};
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    uint64_t numbers = seed * 7919;
    MbsExtrapolation x[] = {begin(2, 2), begin(2, 2), begin(2, 2)};
    for (int level = 0; level < 10; ++level) {
      double h = 0.5 * ldexp(1, -level), kinks[NUMBERS], noise[NUMBERS];
      for (int i = 0; i < NUMBERS; ++i) {
        kinks[i] = h * h * random_number(&numbers) * limits[i];
        noise[i] = 1e-9 * random_number(&numbers) * limits[i];
      }
      add_level(&x[0], level, 2, 1, NULL);
      add_level(&x[1], level, 2, 2, kinks);
      add_level(&x[2], level, 2, 2, noise);
      shake_level(&x[2], &numbers);
      if (level >= 3) {
        count(&x[0], &odd);
        count(&x[1], &rough);
        count(&x[2], &noisy);
      }
    }
    ENSURE(x[2].reached > 1e-11 && x[2].reached < 1e-6);
    ENSURE(x[1].reached > 1e-9);
    ENSURE(x[0].reached < 1e-5);
  }
  ENSURE(odd.within >= 0.99 * odd.all);
  ENSURE(rough.within >= 0.75 * rough.all && rough.nearly >= 0.95 * rough.all);
  ENSURE(noisy.within >= 0.95 * noisy.all && noisy.nearly >= 0.99 * noisy.all);
}

// of first order, where the integrator is of second: that is seen, and extrapolated as such
static void check_first_order(void) {
  MbsExtrapolation x = begin(2, 1);
  double loosest;
  for (int level = 0; level < 10; ++level) {
    add_level(&x, level, 1, 1, NULL);
    ENSURE(level < 4 || worst_ratio(&x, &loosest) <= 1);
  }
  ENSURE(x.reached < 1e-7 && x.order == 2);
}

// a derivative near zero is measured by what the other parameters do, and a value by its size on the way
static void check_scales(void) {
  MbsExtrapolation x = begin(2, 2);
  for (int level = 0; level < 3; ++level) {
    add_level(&x, level, 2, 2, NULL);
  }
  double m = fmax(3, fabs(x.value[1]) * 2);
  ENSURE_NEAR(x.scale[0], fabs(x.value[0]), 0);
  ENSURE_NEAR(x.scale[1], fabs(x.value[1]), 0);
  ENSURE_NEAR(x.scale[2], 1e-3 * m / 0.5, 1e-15);
  // zeros are exact
  const double zeros_of[NUMBERS] = {0};
  mbs_extrapolation_forget(&x, 2, 2);
  for (int level = 0; level < 3; ++level) {
    mbs_extrapolation_add(&x, 0, zeros_of);
  }
  ENSURE(x.reached == 0 && x.error[1] == 0);
}

// Rounding that all levels share is not in their differences, but shaken parameters tell. What moved three shaken
// levels ago does not count any more.
static void check_shaken(void) {
  enum { FIRST = 1 };
  const double change = 1e-8;
  MbsExtrapolation x = begin(8, 1);
  for (int level = 0; level < 8; ++level) {
    add_level(&x, level, 8, 1, NULL);
    if (level == 2) {
      double shaken[NUMBERS];
      memcpy(shaken, x.levels + level * NUMBERS, sizeof shaken);
      shaken[FIRST] += change;
      ENSURE_NEAR(mbs_extrapolation_shake(&x, shaken), change / fabs(limits[FIRST]), 1e-12);
    } else if (level >= 5) {
      ENSURE(mbs_extrapolation_shake(&x, x.levels + level * NUMBERS) == 0);
    }
    if (level >= 3) {
      ENSURE(x.error[FIRST] >= 2.999 * change);
      ENSURE(x.error[0] >= 0.3 * change * limits[0] / fabs(limits[FIRST]) * 0.999);
    }
  }
  add_level(&x, 8, 8, 1, NULL);
  ENSURE(x.error[FIRST] < 1e-12);
}

// A coarse level may explode: its magnitude is no scale for those that do not.
static void check_explosion(void) {
  MbsExtrapolation x = begin(8, 1);
  const double exploded[NUMBERS] = {1e90, -1e92, 1e88};
  double loosest;
  mbs_extrapolation_add(&x, 1e95, exploded);
  for (int level = 0; level < 3; ++level) {
    add_level(&x, level, 8, 1, NULL);
    ENSURE(x.reached > 1e-9);
  }
  ENSURE(worst_ratio(&x, &loosest) <= 1 && x.reached < 1e-3);
}

// Differences that do not fall before they do: that is luck, and not order 8.
static void check_luck(void) {
  static const double off[] = {1.46e-3, 8.5e-4, -2e-5, -1.39e-5};
  MbsExtrapolation x = begin(8, 1);
  for (int level = 0; level < 4; ++level) {
    double numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; ++i) {
      numbers[i] = limits[i] * (1 + off[level]);
    }
    mbs_extrapolation_add(&x, 3, numbers);
  }
  ENSURE(x.error[0] > 1.39e-5 * limits[0]);
}

int main(void) {
  context = mbs_context_create();
  arena = mbs_arena_create_for(context);
  check_expansions();
  check_others();
  check_first_order();
  check_scales();
  check_shaken();
  check_explosion();
  check_luck();
  mbs_arena_destroy(arena);
  mbs_context_destroy(context);
  return 0;
}
