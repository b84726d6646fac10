// Which parameters and objectives a request means, by index.
#ifndef MBS_SELECTION_H
#define MBS_SELECTION_H

#include <mbsens/mbsens.h>

#include "model/model.h"
#include "model/settings.h"

typedef struct MbsSelection {
  int model_parameter_count;
  double *nominal;      // of all parameters (0 for derived ones)
  int parameter_count;  // chosen
  int *parameters;
  const char **parameter_names;
  double *parameter_values;
  int model_objective_count;
  int objective_count;  // chosen
  int *objectives;
  const char **objective_names;
} MbsSelection;

// Everything in the arena. Unknown names, names given twice and derived parameters are refused.
MbsStatus mbs_selection_create(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                               MbsSelection *selection);

#endif
