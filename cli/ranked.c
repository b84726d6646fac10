#include "ranked.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *one, const void *other) {
  double a = fabs(((const CliRanked *)one)->value), b = fabs(((const CliRanked *)other)->value);
  return (a < b) - (a > b);
}

bool cli_ranked_is_relative(const MbsResult *result, int objective) {
  double value = result->values[objective];
  return value > 0 || value < 0;
}

int cli_ranked_list(const MbsResult *result, int objective, CliRanked *list) {
  double value = cli_ranked_is_relative(result, objective) ? result->values[objective] : 1;
  int count = 0;
  for (int j = 0; j < result->parameter_count; ++j) {
    double p = result->parameter_values[j], slope = result->gradient[objective * result->parameter_count + j];
    if (p > 0 || p < 0) {
      list[count++] = (CliRanked){.name = result->parameters[j], .value = p * slope / value};
    }
  }
  qsort(list, (size_t)count, sizeof *list, compare);
  return count;
}
