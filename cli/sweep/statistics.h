// What came out of all samples: of each objective its mean, deviation, extremes, quantiles, correlation with what
// varies and with other objectives; Sobol's indices of a plan for these; and beside them what the gradient at the mean
// says of the deviation, to first order:
//     sigma^2 = sum_k (d psi / d p_k  sigma_k)^2
// (parameters vary independently). Samples that failed do not count.
#ifndef MBS_CLI_SWEEP_STATISTICS_H
#define MBS_CLI_SWEEP_STATISTICS_H

#include "cli/json.h"
#include "journal.h"
#include "sampling/statistics.h"
#include "sweep.h"

enum { CLI_QUANTILES = 5 };
extern const double cli_quantile_levels[CLI_QUANTILES];

typedef struct CliObjectiveStatistics {
  MbsMoments moments;
  double deviation, quantiles[CLI_QUANTILES];
  double *correlation;     // by what varies
  double *between;         // by objective
  MbsSobolIndex *indices;  // by what varies; NULL: another plan
  double at_mean, propagated;
  double *parts;  // of the propagated variance, by what varies, together 1
} CliObjectiveStatistics;

typedef struct CliStatistics {
  int objective_count;
  CliObjectiveStatistics *objectives;
  bool is_random;  // else only moments and quantiles mean something
  bool has_indices;
  bool has_propagation;
} CliStatistics;

// Returns 0, or the exit status after a sentence on standard error; to be freed in any case.
int cli_statistics_find(CliStatistics *statistics, const CliSweep *sweep, CliJournal *journal);
void cli_statistics_free(CliStatistics *statistics);

void cli_statistics_print(const CliStatistics *statistics, const CliSweep *sweep);
void cli_statistics_put(const CliStatistics *statistics, const CliSweep *sweep, CliJson *json);
void cli_statistics_write(const CliStatistics *statistics, const CliSweep *sweep, CliHdf5 *hdf5);

#endif
