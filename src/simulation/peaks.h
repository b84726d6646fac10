// Extrema over a run: the largest or smallest value of an expression x, between the ends of steps too.
//
// A step is a function of its size: from a state s_n it leads to s(tau) = F(s_n, tau; rho), and x has a value there.
// Where the parabola through three values in a row has its vertex within a step, tau is looked for that makes x
// extremal, by steps that are tried and taken back. The run goes on as if nobody had looked: no step is split. With tau
//     dx*/drho = x_s (F_s s_n' + F_rho) + x_rho
// since x has no rate at an extremum, and an end of the step does not move: tau is a constant, which complex step,
// differences and the adjoint read from the path. Where s_n is at an event, at t_n(rho), the time t_n + tau is kept,
// and F_h (-t_n') is added.
//
// The start, both sides of every event and the end of the run are candidates too. x may have anything in it that an
// objective may have. A stretch between two events of one step is looked at in its middle besides. What rises and falls
// again within less than two steps is not seen.
#ifndef MBS_PEAKS_H
#define MBS_PEAKS_H

#include "integrators/stepper.h"

struct MbsSimulation;
struct MbsCheckpoint;

typedef struct MbsPeak {
  int objective, sign;           // 1: the largest is wanted, -1: the smallest
  int count;                     // of values since the last event, three at most:
  double t[3], x[3];             // the last ones, times the sign
  double best[2], best_time[2];  // the two best candidates so far, times the sign, for a warning where they tie
  mbs_scalar value;              // the best, once there is one
  mbs_scalar *gradient;          // its derivatives, by column asked for
  bool has_value;
  struct MbsCheckpoint *base;  // for an adjoint: where the step to its place begins
} MbsPeak;

typedef struct MbsPeaks {
  int count;
  MbsPeak *items;
  struct MbsCheckpoint *bases;  // before the last two steps: by number of the step before, even and odd
  struct MbsCheckpoint *after;  // where the run is
  mbs_scalar *row;              // room for derivatives, by column
  int replayed;                 // of the places of a path that is followed
} MbsPeaks;

MbsStatus mbs_peaks_create(MbsContext *context, struct MbsSimulation *simulation);
// Of an objective; NULL: it is no extremum.
MbsPeak *mbs_peaks_find(const MbsPeaks *peaks, int objective);
// Is a value better than the best?
static inline bool mbs_peak_is_beaten(const MbsPeak *peak, mbs_scalar value) {
  return !peak->has_value || peak->sign * mbs_re(value) > peak->sign * mbs_re(peak->value);
}
// Before the start; at the start or after an event, with columns and objectives there; before a step; after one, whose
// derivative is still to be taken; and once that is done, if it ends with an event.
void mbs_peaks_forget(MbsPeaks *peaks);
MbsStatus mbs_peaks_begin_stretch(MbsContext *context, struct MbsSimulation *simulation);
MbsStatus mbs_peaks_before_step(MbsContext *context, struct MbsSimulation *simulation);
MbsStatus mbs_peaks_look(MbsContext *context, struct MbsSimulation *simulation, const MbsStep *step);
MbsStatus mbs_peaks_end_stretch(MbsContext *context, struct MbsSimulation *simulation);
// The step of which a place is: from the state after step place->step.
MbsStep mbs_peak_step(const MbsPath *path, const MbsPeakPlace *place);
// Where an objective has its value; NULL: at the end of the run.
const MbsPeakPlace *mbs_peak_place(const struct MbsSimulation *simulation, int objective);

#endif
