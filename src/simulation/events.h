// Events of a run: guards located inside steps, what happens there, and how all of that moves with the parameters.
//
// A step that passes a guard is split where the guard is zero: a piece up to there, the event, and a piece from there
// back to the grid of planned times, which are constants (theory: section 7). Of a piece from t_a to t_b,
//     s_b = F(s_a, h, t_b; rho), h = t_b - t_a,     s_b' = F_s s_a' + F_rho + F_h (t_b' - t_a') + F_t t_b'
// where F_h and F_t are the columns of a step by itself (stepper.h). An event is where g(t_b, s_b; rho) = 0:
//     t_b' = -(g' at fixed t_b) / (g_s (F_h + F_t) + g_t)
// Afterwards velocities jump (impulse.h), and accelerations and multipliers start anew. Integrals split with the step.
//
// Where guards are. A guard is on a side of zero, above or below. It passes zero where an accepted state is on the
// other side, and then the event happens if the direction is right. A guard that is exactly zero at the start is on the
// side to which its rate takes it, and so is one whose event has just happened; a rate of zero leaves it on no side
// until it has left zero. What passes zero twice within a step is not seen.
//
// Jumps in expressions are events, too (model/branch.c): what an event switches is a branch, a number that holds until
// the next one, and after each event all branches are settled, for one may depend on another, or on velocities that
// have jumped. So may an event of the model, which then follows from the one before it, at the same time.
//
// Joints that come and go (model/joint_switch.c) act or do not act between events. An event that adds or removes joints
// waits only while one of them is not as it would make it, and none waits whose guard constraints keep at zero: a
// string that is taut does not become so again. Where an event that waits for a reaction begins to wait and the
// reaction is beyond zero already (a string that is taut and shall push), it follows at once.
//
// Variables are numbers that events set: d+ = f(t, s-, d-). They are parameters of the system, each with a column of a
// step by itself, F_d, and s_b' has F_d d' besides. Inputs are variables that the caller sets between steps: an event
// that follows from nothing, at the time that is reached, and d+ are his numbers.
//
// Several in one step happen in the order of their times; those that no rounding tells apart in the order of the model.
// Each has a time of its own that moves in its own way, so that there is a piece between them even if it has no length.
// Such a piece, and any other below 1e-9 of a step, is no step: the state flows along its rates,
//     q_b = q_a + h v_a,   v_b = v_a + h a_a
// and starts anew at its end.
#ifndef MBS_EVENTS_H
#define MBS_EVENTS_H

#include "integrators/stepper.h"
#include "simulation/impulse.h"

struct MbsSimulation;

// Of a planned step: what is shorter flows.
#define MBS_SHORTEST_STEP 1e-9

// How much of the present state is known. Branches in constraints, whose guards depend on positions, are settled first,
// for velocities depend on them; all others need velocities, and their rates accelerations.
// (NOTHING: of what bends alone, where no force jumps.)
typedef enum MbsKnown {
  MBS_KNOWN_NOTHING,
  MBS_KNOWN_POSITIONS,
  MBS_KNOWN_VELOCITIES,
  MBS_KNOWN_ACCELERATIONS
} MbsKnown;

typedef struct MbsEvent {
  const MbsEventSpec *spec;
  MbsFunction guard, rate;  // rate: if it is known (spec->rate)
  bool is_counted;          // its branch is the piece of a table of steps, whose number, not whole, is:
  MbsFunction number;
  mbs_scalar tried;       // the guard at the end of the step that was tried last,
  bool is_tried;          // if it is known: see mbs_event_guard
  MbsFunction *assigned;  // of each assignment
  mbs_scalar *slopes;     // of these: assignments x columns
  MbsImpulse *impulse;    // NULL: velocities stay
  double due, pace;       // of one that is linear in time (spec->is_uniform): when it is zero, and its rate
  int side;               // of zero: -1, 1; 0: none yet
  bool is_armed;          // it waits: its joints are not yet as it would make them
  bool is_held;           // constraints keep its guard at zero
  double value, slope;    // at the last accepted state, and (where it is at zero) its rate
  double trend;           // the rate of the guard over the last step
  bool is_at_zero;        // it happened there
  bool is_near;           // to zero, so that it may turn within the next step: its rate is known
  double largest;         // that it has been so far
  double fastest;         // the largest rate at which it has passed zero
  double since;           // the largest since it happened last, or since the start
  double happened;        // when it happened last; before the start: never
} MbsEvent;

// What has happened.
typedef struct MbsEventRecord {
  int event;
  mbs_scalar t;
  double energy_lost;
  bool is_grazing;   // its guard passed zero hardly faster than it stands still
  bool is_together;  // it happened with the one before, and both change the state
  bool is_at_edge;   // an impact whose friction is at the edge between two of its cases
} MbsEventRecord;

typedef struct MbsEvents {
  int count;
  MbsEvent *items;
  bool is_over;                // the last one ended the run
  int end;                     // 1 + the end of the run, where it depends on parameters; 0: it is a constant
  MbsFunction end_time;        // of that
  bool is_moved;               // the present piece began at a time that moves with the parameters:
  mbs_scalar *t_columns;       // its derivative, by column
  int chained;                 // 1 + the one that follows at once; 0: none
  bool do_branches_prescribe;  // some of them are in constraints, which the start has to meet
  int hidden_count;            // variables, then branches
  mbs_scalar *hidden;          // room for their values
  int variable_count;
  MbsFunction *initial;          // of each variable: its value at the start
  int moving_count;              // variables, and behind them parameters that an equilibrium is solved for
  int *moving_column;            // of each: its own column; -1: columns are not carried along
  mbs_scalar *variable_columns;  // of each x columns asked for
  int since_grid;                // how many happened since the last planned time
  MbsStep step;                  // the last one, for what is still to happen at its end
  mbs_scalar *before;            // what a step changes
  int record_count, record_capacity, gradient_capacity;
  MbsEventRecord *records;
  mbs_scalar *gradients;  // of their times: records x columns asked for
  mbs_scalar *hiddens;    // variables and branches before each: records x hidden
  mbs_scalar *began;      // the integrands of objectives where the piece before each began: records x objectives
  long trials;            // steps that were tried and taken back
  int given;              // 1 + the one that sets inputs; 0: there are none
  int setting_count, setting_capacity;
  long *setting_steps;           // of each time that inputs were set: the step at whose end
  mbs_scalar *settings;          // and their values: settings x inputs
  const double *setting_slopes;  // of the inputs that are being set, by the column of a start that is given; NULL: zero
} MbsEvents;

// Guards and variables, as soon as there is a state; then what else they need, is_swept: an adjoint will come back.
MbsStatus mbs_events_create(MbsContext *context, struct MbsSimulation *simulation);
MbsStatus mbs_events_prepare(MbsContext *context, struct MbsSimulation *simulation, bool is_swept);
void mbs_events_destroy(MbsEvents *events);
// Before the start: variables as they begin. Then, where positions and velocities are known, branches (and again once
// accelerations are, for a guard at zero goes where its rate takes it: then the stepper starts anew).
void mbs_events_begin(struct MbsSimulation *simulation);
// Would its branch be another one on this side of zero?
bool mbs_events_does_switch(const struct MbsSimulation *simulation, const MbsEvent *event, int side);
MbsStatus mbs_events_settle(MbsContext *context, struct MbsSimulation *simulation, MbsKnown known);
// At the start, whose signals are evaluated; and its columns, with those of variables.
void mbs_events_start(struct MbsSimulation *simulation);
void mbs_events_start_columns(struct MbsSimulation *simulation);
// What variables, and what an equilibrium was solved for, move with at the start: to variable_columns. columns: those
// that signals have taken; variables depend on parameters alone.
void mbs_events_find_moving(struct MbsSimulation *simulation, const MbsColumns *columns);
// Sides of guards anew, at a state that is another one than steps have led to; its signals are evaluated.
void mbs_events_place(struct MbsSimulation *simulation);
// After one, that has taken effect. Then: does what it has hit come off again? And before it takes effect: was there a
// flight since it happened last?
void mbs_events_find_sides(struct MbsSimulation *simulation, MbsEvent *fired);
MbsStatus mbs_event_check_leaving(MbsContext *context, const struct MbsSimulation *simulation, const MbsEvent *event);
MbsStatus mbs_event_check_flight(MbsContext *context, const struct MbsSimulation *simulation, const MbsEvent *event,
                                 const MbsStep *step);
// The dynamics of the next step, to its end or to the first event on the way; a path that is followed says which.
MbsStatus mbs_events_step(MbsContext *context, struct MbsSimulation *simulation, MbsStep *step);
// Flow instead of a step.
void mbs_events_flow(struct MbsSimulation *simulation, const MbsStep *step);
// Its derivative.
void mbs_events_flow_columns(struct MbsSimulation *simulation, const MbsStep *step);
// After the columns of that step, and objectives, were brought along as if its times stayed where they are: the time of
// its event, and all columns with their times.
MbsStatus mbs_events_move_columns(MbsContext *context, struct MbsSimulation *simulation, const MbsStep *step);
// Inputs have other values from now on: the next step has no length, and they are set at its end.
MbsStatus mbs_events_give(MbsContext *context, struct MbsSimulation *simulation, const double *inputs);
// Is there something left to happen at the end of the last step?
bool mbs_events_is_pending(const struct MbsSimulation *simulation);
// It happens: the state after it, with columns, and objectives there.
MbsStatus mbs_events_happen(MbsContext *context, struct MbsSimulation *simulation);
// The state alone: velocities after the event, and accelerations and multipliers anew.
MbsStatus mbs_events_restart(MbsContext *context, struct MbsSimulation *simulation, const MbsStep *step);

// Its guard at the end of the step that is being tried or accepted, evaluated once; and where another one is tried.
mbs_scalar mbs_event_guard(const struct MbsSimulation *simulation, MbsEvent *event);
static inline void mbs_events_forget_values(const MbsEvents *events) {
  for (int i = 0; i < events->count; ++i) {
    events->items[i].is_tried = false;
  }
}
// d/dt of its guard at the present state; where that is not known, over the last step.
double mbs_event_rate(const struct MbsSimulation *simulation, const MbsEvent *event);

// ---- event_variables.c ----
// Values of variables and branches as the system has them; and what the event of a step makes of them at the state
// before it (in events->hidden).
void mbs_events_read_hidden(const struct MbsSimulation *simulation, mbs_scalar *to);
void mbs_events_find_hidden(struct MbsSimulation *simulation, const MbsEvent *event, const MbsStep *step);
// Branches as the present state has them; returns whether one changed. fired: an event that has switched its own; NULL:
// the start, where guards at zero go where their rates take them, if these are known.
bool mbs_events_settle_once(struct MbsSimulation *simulation, const MbsEvent *fired, MbsKnown known);
// Those of what bends as they are at a state; user: the simulation. A search for an equilibrium sees laws as written.
void mbs_events_follow_bends(void *user, const MbsState *state);
MbsStatus mbs_events_never_settle(MbsContext *context, const struct MbsSimulation *simulation);

// ---- event_columns.c ----
// What the size and the time of the last step (by column, NULL: they stay), and variables, do to all columns.
void mbs_events_shift(struct MbsSimulation *simulation, const mbs_scalar *by_h, const mbs_scalar *by_t);
// A row of derivatives, by column, of a number at a time that stays, within a step from the present state on.
void mbs_events_keep_time(const struct MbsSimulation *simulation, mbs_scalar *row);
// Before an event: what its targets and assignments depend on. And after it, before objectives: of the state.
void mbs_events_take_columns(struct MbsSimulation *simulation, const MbsEvent *event);
MbsStatus mbs_events_restart_columns(MbsContext *context, struct MbsSimulation *simulation, const MbsEvent *event);

#endif
