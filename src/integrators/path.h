// The path of a run: what it did and decided, step by step, as plain numbers. It is the only source of times: the way
// back of the adjoint, histories, and every run that must walk the same way (complex step, differences) read it. What a
// run is to do is a path, too: the plan, whose steps leave open what is decided on the way.
//
// Most steps are like the one before. So a path is kept in stretches of equal steps, at times
//     t = t_anchor + (number - anchor) h
// which is exact where a run starts at zero (anchor 0) and where it has to meet its end (anchor: the last step).
#ifndef MBS_PATH_H
#define MBS_PATH_H

#include "kinematics/initial.h"

enum { MBS_UNDECIDED = -1 };

// One step of a path, in the scalar of the build.
typedef struct MbsStep {
  long number;        // from 1; 0: the start
  mbs_scalar t, h;    // the time at its end, and its size; h = 0 at the start
  int set;            // matrix-r: which of the path's independent coordinates; or MBS_UNDECIDED. Of other steppers 0
  int event;          // 1 + that which happens at its end; 0: none
  int side;           // of zero, to which its guard goes
  bool is_flow;       // too short for a step: the state moves along its rates, and starts anew
  bool is_chained;    // of no length: its event follows from that before it, at the same time
  bool is_projected;  // a piece of a step that is projected where steps are not: stepper.h
  bool is_planned;    // its event happens at a planned time, where the next step begins as without it
} MbsStep;

static inline bool mbs_step_restarts(const MbsStep *step) {
  return step->event > 0 || step->is_flow || step->is_projected;
}

// One step of a path that moves: by how much its size and its time do, with some number. (An event's time will be such
// a number.) The steps after it stay where they are.
typedef struct MbsShift {
  long number;  // of the step; 0: none moves
  double h, t;
} MbsShift;

// Where an extremum over the run was found: simulation/peaks.h.
typedef struct MbsPeakPlace {
  int objective;
  long step;  // at the state after this one, or so much further into the next:
  double tau;
  bool is_before;  // at the end of the step, before its event
  long found;      // how many steps there were then
} MbsPeakPlace;

typedef struct MbsStretch {
  long last;    // number of its last step
  long anchor;  // times: see above
  double t_anchor, h;
  double t_imaginary, h_imaginary;  // complex twin: of a piece up to an event or from there, whose time is perturbed
  int set, event, side;
  bool is_flow, is_chained, is_projected, is_planned;
} MbsStretch;

typedef struct MbsPath {
  int n, m;        // coordinates and constraints: a run that follows must have as many
  double t_start;  // of the start: 0, but where a caller begins elsewhere
  long step_count;
  int stretch_count, stretch_capacity;
  MbsStretch *stretches;
  int peak_count, peak_capacity;
  MbsPeakPlace *peaks;  // in the order in which they were found, each better than the one before
  int set_count;        // of independent coordinates that matrix-r chose; 0: none
  const MbsSetChoice *sets;
} MbsPath;

// Step `number`, or the start.
MbsStep mbs_path_step(const MbsPath *path, long number);

// A path of no steps yet.
void mbs_path_clear(MbsPath *path);
// Adds steps up to number `last`.
MbsStatus mbs_path_add_stretch(MbsContext *context, MbsArena *arena, MbsPath *path, const MbsStretch *stretch);
// Adds a step: as a step of `from` is (the planned one; its number there may be another), but with what was decided.
MbsStatus mbs_path_add_planned(MbsContext *context, MbsArena *arena, MbsPath *path, const MbsPath *from, long planned,
                               const MbsStep *step);
// Adds a step of a time and a size of its own.
MbsStatus mbs_path_add_piece(MbsContext *context, MbsArena *arena, MbsPath *path, const MbsStep *step);
MbsStatus mbs_path_add_peak(MbsContext *context, MbsArena *arena, MbsPath *path, const MbsPeakPlace *place);
// Takes back all steps after number `last`.
void mbs_path_cut(MbsPath *path, long last);
// The path in another arena.
MbsStatus mbs_path_copy(MbsContext *context, MbsArena *arena, const MbsPath *from, MbsPath *to);

#endif
