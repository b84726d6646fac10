// What a map of steps is made of, shared by its two files.
#ifndef MBS_STEP_STORAGE_H
#define MBS_STEP_STORAGE_H

#include <mbsens/step.h>

#include "sensitivities/selection.h"
#include "sensitivities/session.h"
#include "sensitivities/step_map.h"

struct MbsStepMap {
  MbsArena *arena;
  const MbsModel *model;     // as it is asked for
  const MbsModel *extended;  // with a parameter and an objective more, the last ones
  MbsRequest request;
  MbsSelection selection;
  double *all, *tried;  // values of all parameters and of the one more
  int *columns;         // the parameters, and the one more
  const char **output_names, **input_names;
  int n, inputs, outputs;
  MbsSession *back;                    // with an adjoint
  MbsSession *seeded, *by_parameters;  // with one column, or those of the parameters; NULL: not yet
  MbsWay way;                          // the last one, in memory of the map:
  double *q, *v, *way_inputs;
  size_t input_capacity;
  long *row_steps;  // of the last run: which step of its path each row is after
  long row_capacity;
  bool has_run;
  bool has_swept;  // and its trajectory may not be there any more
};

// Walks the last way again, as the run does, with its rows (NULL: none are wanted).
MbsStatus mbs_step_map_walk_back(MbsContext *context, MbsStepMap *map, double *times, const MbsStepResults *rows);
MbsStatus mbs_step_map_create_session(MbsContext *context, const MbsStepMap *map, bool is_adjoint, int column_count,
                                      const int *columns, MbsSession **session);
MbsStatus mbs_step_map_check_count(MbsContext *context, const char *what, int count, int expected);
MbsStatus mbs_step_map_check_finite(MbsContext *context, const char *what, size_t count, const double *numbers);
// Has there been a run that can be asked?
MbsStatus mbs_step_map_need_run(MbsContext *context, const MbsStepMap *map);

#endif
