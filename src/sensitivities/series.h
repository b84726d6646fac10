// Recorded rows kept in memory, for methods that need several runs before a row is complete.
#ifndef MBS_SERIES_H
#define MBS_SERIES_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "model/settings.h"

typedef struct MbsSeries {
  MbsArena *arena;
  int column_count;
  const char **names, **units, **descriptions, **groups;
  long row_count, capacity;
  double *rows;
} MbsSeries;

// Units and descriptions, and groups, if the recorder takes them, then the names.
MbsStatus mbs_recorder_begin(const MbsRecorder *recorder, int column_count, const char *const *names,
                             const char *const *units, const char *const *descriptions, const char *const *groups);
MbsRecorder mbs_series_recorder(MbsSeries *series);
// (up - down) / span, row by row; the time column stays.
MbsStatus mbs_series_difference(MbsContext *context, const MbsSeries *up, const MbsSeries *down, double span,
                                MbsSeries *difference);
// Hands series[0] with the derivative columns series[1 ... count] to a recorder.
MbsStatus mbs_series_replay(MbsContext *context, MbsArena *arena, int count, const MbsSeries *series,
                            const char *const *parameter_names, const MbsRecorder *recorder);

#endif
