#include "sampling/plan.h"

#include <math.h>

#include "sampling/philox.h"
#include "sampling/quantile.h"
#include "sampling/sobol.h"

const char *const mbs_plan_names[MBS_PLAN_KINDS] = {"grid",  "list",    "monte-carlo", "latin-hypercube",
                                                    "sobol", "saltelli"};

static const uint64_t most_samples = (uint64_t)1 << 40;  // indices are counted with 52 digits of Sobol's sequence

bool mbs_plan_is_random(const MbsPlan *plan) { return plan->kind != MBS_PLAN_GRID && plan->kind != MBS_PLAN_LIST; }

static int sobol_dimension(const MbsPlan *plan) {
  return plan->kind == MBS_PLAN_SOBOL ? plan->dimension : plan->kind == MBS_PLAN_SALTELLI ? 2 * plan->dimension : 0;
}

static MbsStatus too_many(MbsContext *context) {
  return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "a plan of more than 2^40 samples: vary less at a time");
}

static MbsStatus find_count(MbsContext *context, MbsPlan *plan) {
  plan->count = plan->points;
  if (plan->kind == MBS_PLAN_GRID) {
    plan->count = 1;
    for (int j = 0; j < plan->dimension; ++j) {
      if (plan->distributions[j].kind != MBS_DISTRIBUTION_VALUES) {
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                        "a grid is made of values: A,B,C or FROM:TO:COUNT for every parameter");
      }
      plan->count *= (uint64_t)plan->distributions[j].count;
      if (plan->count > most_samples) {
        return too_many(context);
      }
    }
  } else if (plan->kind == MBS_PLAN_SALTELLI) {
    plan->count *= (uint64_t)plan->dimension + 2;
  }
  return plan->count > most_samples ? too_many(context) : MBS_OK;
}

MbsStatus mbs_plan_finish(MbsContext *context, MbsArena *arena, MbsPlan *plan) {
  int sobol = sobol_dimension(plan);
  MBS_TRY(find_count(context, plan));
  if (sobol > MBS_SOBOL_DIMENSIONS) {
    return mbs_fail(
        context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
        "plan %s is offered for up to %d parameters, and there are %d: latin-hypercube and monte-carlo take "
        "any number",
        mbs_plan_names[plan->kind], plan->kind == MBS_PLAN_SALTELLI ? MBS_SOBOL_DIMENSIONS / 2 : MBS_SOBOL_DIMENSIONS,
        plan->dimension);
  }
  MBS_TAKE(context, arena, plan->directions, sobol * MBS_SOBOL_DIGITS);
  for (int j = 0; j < sobol; ++j) {
    mbs_sobol_directions(j, plan->directions + (size_t)j * MBS_SOBOL_DIGITS);
  }
  return MBS_OK;
}

static double sobol_unit(const MbsPlan *plan, uint64_t point, int dimension) {
  uint64_t digits = mbs_sobol_point(plan->directions + (size_t)dimension * MBS_SOBOL_DIGITS, point);
  return mbs_unit_of_bits(digits ^ mbs_random_bits(plan->seed, 0, (uint32_t)dimension, MBS_RANDOM_SHIFT));
}

// where in (0, 1) number j of a sample is
static double unit(const MbsPlan *plan, uint64_t index, int j) {
  uint64_t samples = (uint64_t)plan->dimension + 2;
  switch (plan->kind) {
    case MBS_PLAN_LATIN_HYPERCUBE: {
      double inside = mbs_random_unit(plan->seed, index, (uint32_t)j, MBS_RANDOM_SAMPLE);
      double place = (double)mbs_random_place(plan->seed, index, plan->points, (uint32_t)j);
      return fmin((place + inside) / (double)plan->points, 1 - 0x1p-53);  // rounded, the last could be 1
    }
    case MBS_PLAN_SOBOL: return sobol_unit(plan, index, j);
    case MBS_PLAN_SALTELLI: {
      uint64_t which = index % samples;
      bool is_of_b = which == 1 || which == (uint64_t)j + 2;
      return sobol_unit(plan, index / samples, is_of_b ? plan->dimension + j : j);
    }
    default: return mbs_random_unit(plan->seed, index, (uint32_t)j, MBS_RANDOM_SAMPLE);
  }
}

void mbs_plan_sample(const MbsPlan *plan, uint64_t index, double *numbers) {
  for (int j = plan->dimension - 1; j >= 0; --j) {
    if (plan->kind == MBS_PLAN_LIST) {
      numbers[j] = plan->list[index * (uint64_t)plan->dimension + (uint64_t)j];
    } else if (plan->kind == MBS_PLAN_GRID) {
      const MbsDistribution *values = &plan->distributions[j];
      numbers[j] = values->numbers[index % (uint64_t)values->count];
      index /= (uint64_t)values->count;
    } else {
      numbers[j] = mbs_quantile(&plan->distributions[j], unit(plan, index, j));
    }
  }
}
