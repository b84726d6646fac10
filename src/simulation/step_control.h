// Steps that find their own size, for steppers that estimate the error of a step (MbsStepperType.error).
//
// What errors of a step count against: lengths against the size of the mechanism, or the coordinate itself where that
// is larger; angles and components of directions likewise against 1; velocities, in these units, against the largest
// one so far; states of first order against their own largest value so far. The largest of them, over the tolerance,
// is the error E of a step. It is accepted where E <= 1, and the next one has
//     h_next = h 0.9 E^-(1/p - 0.75 beta) E_before^beta,      beta = 0.04, and 0 with p = 8          p: the order
// within a fifth and six times of h, and no larger than h after a rejection; a rejected one is tried again with
// 0.9 E^-(1/p), at least a fifth, of its size (E. Hairer and G. Wanner, "Solving Ordinary Differential Equations II",
// section IV.2).
//
// With columns (settings.error_control) their errors count as well. A column X, V times the magnitude |p| of its
// parameter (1, where that is zero) is the motion by which all moves when the parameter doubles. Its errors count
// against the largest position, and the largest velocity, that it has had itself so far, in the units above; or against
// a thousandth of the mechanism's size and largest velocity, where it is smaller than that (what does not matter, and
// rounding, need not be told to so many digits). A step that would be accepted is differentiated for it, and stays so.
//
// The plan is one step, from the start to the end, or, where rows of histories are asked for at times (settings.sample)
// that the stepper does not interpolate (dense_output.h), as many as there are such times, each made in pieces. Times
// where they end are constants to all derivatives, as those of a plan are, and a run that follows has the same.
#ifndef MBS_STEP_CONTROL_H
#define MBS_STEP_CONTROL_H

#include "integrators/stepper.h"

struct MbsSimulation;

typedef struct MbsStepControl {
  double tolerance;      // 0: steps are those of the plan
  double h;              // of the next step
  double last;           // E of the last accepted one
  bool is_rejected;      // the last one that was tried
  double fastest;        // velocity of a coordinate so far, in units of its own;
  double fastest_tried;  // and with the step that is judged
  double *largest;       // n: of states of first order
  double *weights;       // 2 n: 1 over what positions and velocities count against
  // of columns, where they count; all that are asked for
  bool has_columns;
  bool is_differentiated;  // the step that was judged last, into:
  MbsColumns columns;
  double *largest_of_column;  // 2 by column: its position and velocity so far, times |p|
  double *column_weights;     // 2 n
  int worst_column;           // -1: the state itself has the largest error
} MbsStepControl;

MbsStatus mbs_control_create(MbsContext *context, struct MbsSimulation *simulation);
// At the start, whose state is there.
void mbs_control_start(struct MbsSimulation *simulation);
// The next piece: the time and the size of `step`, which goes to the next planned time.
void mbs_control_plan(const struct MbsSimulation *simulation, MbsStep *step);
// After a step was tried from `begin` on, with this status: is it accepted? If not, `step` becomes the next to try.
MbsStatus mbs_control_judge(MbsContext *context, struct MbsSimulation *simulation, mbs_scalar begin, MbsStatus status,
                            MbsStep *step, bool *is_accepted);

// Of the step that is accepted: the columns, where they are there from judging it. Taken: columns have become those of
// its end.
bool mbs_control_take_columns(struct MbsSimulation *simulation, const MbsColumns *columns);

#endif
