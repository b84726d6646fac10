// The starts of a search: the first at the model's own values, the others anywhere between bounds. What is found from
// one depends on the problem, the seed and its number alone, not on which were searched before or where: so they may be
// searched on several threads, or in several processes, and what they found is carried as a row of numbers.
#ifndef MBS_STARTS_H
#define MBS_STARTS_H

#include <stdint.h>

#include "optimization/search.h"

typedef struct MbsStarts {
  MbsArena *arena;
  MbsOptimizeOptions options;
  MbsDesignProblem problem;
  MbsJournal *journal;
  MbsSearch search;
  MbsDesignPoint begin;  // the model's own values
  double *x;             // where the present one begins; before the first: the model's own values
} MbsStarts;

// What came of a start.
typedef struct MbsStartEnd {
  MbsDesignPoint begin, best;
  double value, violation, largest_slope;
  MbsSearchEnd end;
  int iterations, evaluations, failures;
} MbsStartEnd;

// To be destroyed also when it fails; the arena lives longer.
MbsStatus mbs_starts_create(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                            const MbsOptimizeOptions *options, MbsStarts *starts);
void mbs_starts_destroy(MbsStarts *starts);
MbsStatus mbs_starts_end_create(MbsContext *context, const MbsStarts *starts, MbsStartEnd *end);
// Searches from one of them. The status of a first design that cannot be simulated is that of its run.
MbsStatus mbs_starts_search(MbsContext *context, MbsStarts *starts, int start, MbsStartEnd *end);

// As a row of numbers, and back.
size_t mbs_starts_width(const MbsStarts *starts);
void mbs_starts_pack(const MbsStarts *starts, const MbsStartEnd *end, double *row);
void mbs_starts_unpack(const MbsStarts *starts, const double *row, MbsStartEnd *end);

// mbs_optimize, where what came of starts is known already.
typedef struct MbsKnownStarts {
  // MBS_OK and the row of a start; the status, with a sentence in the context, with which it failed;
  // MBS_ERROR_INTERRUPTED: it has not been searched
  MbsStatus (*find)(MbsContext *context, void *user, int start, const double **row);
  void *user;
} MbsKnownStarts;

MbsStatus mbs_optimize_known(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                             const MbsOptimizeOptions *options, const MbsKnownStarts *known, MbsOptimum **optimum);

#endif
