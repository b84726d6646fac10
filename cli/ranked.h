// Relative (logarithmic) sensitivities of an objective, (p / psi) dpsi/dp: by how many percent it changes with one
// percent of a parameter. Of an objective that is 0: p dpsi/dp, by how much it changes with a hundred percent.
#ifndef MBS_CLI_RANKED_H
#define MBS_CLI_RANKED_H

#include <mbsens/mbsens.h>
#include <stdbool.h>

typedef struct CliRanked {
  const char *name;
  double value;
} CliRanked;

// Of the parameters that are not 0 (a relative change of 0 is none), the largest first; `list` has room for all of
// them. Returns how many there are.
int cli_ranked_list(const MbsResult *result, int objective, CliRanked *list);
// Is the objective's value what they are relative to? Else it is 0.
bool cli_ranked_is_relative(const MbsResult *result, int objective);

#endif
