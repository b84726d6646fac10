// One method of a model, run with steps that are halved from run to run (levels), and extrapolated.
//
// - The coarsest level has 16 times the step of the settings, and 64 times with methods of an order above 4, whose
// steps
//   look at a dozen points on the way.
// - A level that fails, or whose events are others than those of the one before, does not count, nor do those before
// it.
// - It ends at a 64th of that step, or at 20000 steps if that is more, or where three further levels have not halved
// the
//   largest error.
// - Newton's tolerance is a thousandth of the accuracy, if that is less than the settings'.
// - Events: the first level with a sequence of events finds their times, and is none itself; those after it have equal
//   steps between the times of the level before (simulation/plan.c). Then the error has all powers of h from its order
//   on, even ones and odd ones: the time of an event is not a constant, but steps are.
// - Levels that do not suffice are run again with all parameters shaken (extrapolation.h): the first two, and further
//   ones where that moves a number by more than 1e-5 of the accuracy, or which are worse than those before. What is
//   worse by rounding ends it.
#ifndef MBS_LEVELS_H
#define MBS_LEVELS_H

#include "sensitivities/extrapolation.h"
#include "sensitivities/session.h"
#include "sensitivities/simulator.h"

typedef struct MbsLevels {
  MbsArena *arena;
  MbsSimulator *simulator;  // NULL: could not be created
  MbsSession *session;
  double accuracy;
  double end;
  long first, last;     // steps of the coarsest and of the finest level that may be
  long steps;           // of the present level; 0: none yet
  bool is_rounded;      // further levels are worse by rounding
  bool is_over;         // the accuracy is reached, or no level follows
  long used_first;      // of the coarsest that counts
  int parameter_count;  // 0: values alone
  double *size;         // 1 + parameters: of each
  double *numbers;      // likewise, room
  int group_count;      // objectives
  MbsExtrapolation *groups;
  int order_capacity;
  int *order;       // of records of events: which comes when, of the run that was made
  int event_count;  // of those, hidden ones too
  int *events;      // which
  double *event_times;
  MbsExtrapolation *times;
  MbsStops stops;
  double *stop_times;
  long *stop_steps;
  int *stop_records;      // the record of each
  double reached;         // of objectives; infinite: no estimate yet
  double best;            // the smallest of that so far,
  int since;              // and for how many levels there was none half as large
  bool is_short_by_give;  // the accuracy was reached but for constraints that give way
  double moved;           // by shaking, the most of any level that counts, in scales
  MbsStatistics total;    // of all levels
} MbsLevels;

// Everything is in the arena, but the simulator, which whoever calls destroys.
MbsStatus mbs_levels_create(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                            MbsLevels *levels);
// The next level. A numerical failure is one of the finest level.
MbsStatus mbs_levels_advance(MbsContext *context, MbsLevels *levels);
// Steps of the next level.
long mbs_levels_next(const MbsLevels *levels);
bool mbs_levels_is_stuck(const MbsLevels *levels);
// Of a formulation whose constraints give way (mbs_formulation_gives_way) the errors that are due to that: three times
// what changes when they give way half as much, in one more run of the finest level.
bool mbs_levels_gives_way(const MbsLevels *levels);
MbsStatus mbs_levels_add_give(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsLevels *levels);

static inline const MbsEvents *mbs_levels_events(const MbsLevels *levels) {
  return &levels->session->simulation->events;
}

#endif
