#include "optimization/nlopt_search.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

typedef struct Run {
  const MbsNloptSearch *search;
  nlopt_opt optimizer;
} Run;

enum { MOST_PAIRS = 50, LEAST_PAIRS = 10 };  // of steps that L-BFGS remembers

// ---- what NLopt asks for ----
static bool evaluate(const Run *run, const double *z, MbsScaledValues *values) {
  bool goes_on = run->search->evaluate(run->search->user, z, values);
  if (!goes_on) {
    (void)nlopt_force_stop(run->optimizer);
  }
  return goes_on;
}

static double objective(unsigned n, const double *z, double *gradient, void *user) {
  const Run *run = user;
  MbsScaledValues values;
  if (!evaluate(run, z, &values)) {
    return HUGE_VAL;
  }
  if (gradient) {
    memcpy(gradient, values.slope, n * sizeof *gradient);
  }
  return values.f;
}

// the rows that are, or are not, equalities, one after the other
static void give_rows(const Run *run, bool is_equality, double *result, const double *z, double *gradient) {
  const MbsNloptSearch *search = run->search;
  MbsScaledValues values = {0};
  bool is_known = evaluate(run, z, &values);
  size_t n = (size_t)search->n, count = 0;
  for (int j = 0; j < search->row_count; ++j) {
    if (search->is_equality[j] != is_equality) {
      continue;
    }
    result[count] = is_known ? values.rows[j] : HUGE_VAL;
    if (gradient && is_known) {
      memcpy(gradient + count * n, values.row_slopes + (size_t)j * n, n * sizeof *gradient);
    } else if (gradient) {
      memset(gradient + count * n, 0, n * sizeof *gradient);
    }
    ++count;
  }
}

static void inequalities(unsigned m, double *result, unsigned n, const double *z, double *gradient, void *user) {
  (void)m;
  (void)n;
  give_rows(user, false, result, z, gradient);
}

static void equalities(unsigned m, double *result, unsigned n, const double *z, double *gradient, void *user) {
  (void)m;
  (void)n;
  give_rows(user, true, result, z, gradient);
}

// ---- set-up ----
static nlopt_algorithm name_of(MbsAlgorithm algorithm) {
  switch (algorithm) {
    case MBS_ALGORITHM_LBFGS: return NLOPT_LD_LBFGS;
    case MBS_ALGORITHM_MMA: return NLOPT_LD_MMA;
    case MBS_ALGORITHM_COBYLA: return NLOPT_LN_COBYLA;
    case MBS_ALGORITHM_AUTO:
    case MBS_ALGORITHM_SLSQP: break;
  }
  return NLOPT_LD_SLSQP;
}

static int count_rows(const MbsNloptSearch *search, bool is_equality) {
  int count = 0;
  for (int j = 0; j < search->row_count; ++j) {
    count += search->is_equality[j] == is_equality;
  }
  return count;
}

// the worst of two results
static nlopt_result both(nlopt_result a, nlopt_result b) { return a < b ? a : b; }

static nlopt_result set_up(Run *run) {
  const MbsNloptSearch *search = run->search;
  nlopt_opt optimizer = run->optimizer;
  int pairs = search->n < LEAST_PAIRS ? LEAST_PAIRS : search->n > MOST_PAIRS ? MOST_PAIRS : search->n;
  unsigned equality_count = (unsigned)count_rows(search, true), inequality_count = (unsigned)count_rows(search, false);
  nlopt_result result = nlopt_set_min_objective(optimizer, objective, run);
  result = both(result, nlopt_set_lower_bounds(optimizer, search->lower));
  result = both(result, nlopt_set_upper_bounds(optimizer, search->upper));
  result = both(result, nlopt_set_ftol_rel(optimizer, search->tolerance));
  result = both(result, nlopt_set_xtol_abs1(optimizer, search->tolerance));
  result = both(result, nlopt_set_vector_storage(optimizer, (unsigned)pairs));
  if (search->algorithm == MBS_ALGORITHM_COBYLA) {
    result = both(result, nlopt_set_initial_step1(optimizer, search->first_step));
  }
  if (inequality_count > 0) {
    result = both(result,
                  nlopt_add_inequality_mconstraint(optimizer, inequality_count, inequalities, run, search->tolerances));
  }
  if (equality_count > 0) {
    result =
        both(result, nlopt_add_equality_mconstraint(optimizer, equality_count, equalities, run, search->tolerances));
  }
  return result;
}

static MbsNloptEnd end_of(nlopt_result result) {
  switch (result) {
    case NLOPT_SUCCESS:
    case NLOPT_FTOL_REACHED:
    case NLOPT_XTOL_REACHED: return MBS_NLOPT_CONVERGED;
    case NLOPT_FORCED_STOP: return MBS_NLOPT_STOPPED;
    case NLOPT_OUT_OF_MEMORY: return MBS_NLOPT_OUT_OF_MEMORY;
    case NLOPT_INVALID_ARGS: return MBS_NLOPT_REFUSED;
    default: return MBS_NLOPT_STUCK;
  }
}

MbsNloptEnd mbs_nlopt_search(const MbsNloptSearch *search, double *z) {
  Run run = {.search = search, .optimizer = nlopt_create(name_of(search->algorithm), (unsigned)search->n)};
  double value;
  if (!run.optimizer) {
    return MBS_NLOPT_OUT_OF_MEMORY;
  }
  nlopt_result result = set_up(&run);
  result = result < 0 ? result : nlopt_optimize(run.optimizer, z, &value);
  nlopt_destroy(run.optimizer);
  return end_of(result);
}
