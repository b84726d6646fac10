// A simulation: model compiled, state assembled, steps taken, objectives accumulated; with columns, the
// derivatives of all of that go along (direct differentiation). One loop serves both scalars.
#ifndef MBS_SIMULATION_H
#define MBS_SIMULATION_H

#include <mbsens/mbsens.h>

#include "integrators/stepper.h"
#include "kinematics/initial.h"
#include "model/model.h"
#include "model/settings.h"
#include "simulation/continuity.h"
#include "simulation/dense_output.h"
#include "simulation/events.h"
#include "simulation/guards.h"
#include "simulation/peaks.h"
#include "simulation/step_control.h"

// settings.c
MbsStatus mbs_settings_read(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsSettings *settings);
// auto: the one of all runs but those with an accuracy, which choose theirs before.
void mbs_settings_name_formulation(MbsSettings *settings);
// Checks them and fills in what depends on the rest: the integrator, its numbers.
MbsStatus mbs_settings_complete(MbsContext *context, const MbsModel *model, MbsSettings *settings);

// what mbs_check is made of
MbsStatus mbs_check_create(MbsContext *context, const MbsModel *model, const MbsSettings *settings, MbsCheck **check);

// objectives.c: psi = integrals by the points of the steps (stepper.h), values at the end, extrema, expressions of
// these
typedef struct MbsObjective {
  MbsObjectiveKind kind;
  MbsFunction function;
  bool is_wanted;  // asked for
  bool is_needed;  // for itself or for another; else it is not evaluated
} MbsObjective;

typedef struct MbsObjectives {
  const MbsSystem *system;
  int count;           // with those that others are made of:
  int listed_count;    // those of the model, which come first
  bool has_integrals;  // that are needed
  bool has_begun;      // what has its value at the start has it
  MbsObjective *items;
  const MbsPeaks *peaks;     // extrema so far
  mbs_scalar *value;         // count: running value
  double *size;              // count: its largest magnitude so far, of integrals and values at the end
  int stride;                // of gradients: all columns
  mbs_scalar *gradient;      // count x stride: running gradient
  mbs_scalar *g, *g_column;  // integrand at the last step, count; its derivative, count x carried columns
} MbsObjectives;

MbsStatus mbs_objectives_create(MbsContext *context, MbsSystem *system, MbsObjectives *objectives);
// Those asked for (wanted, by objective; NULL: all, which they are at first) and those that they are made of.
void mbs_objectives_choose(MbsObjectives *objectives, const bool *wanted);
// Values and gradients are zero, as before a first state.
void mbs_objectives_forget(MbsObjectives *objectives);
// Running values at a state where no time has passed: the start, or after an event. columns may be NULL.
void mbs_objectives_restart(MbsObjectives *objectives, const MbsState *state, const MbsColumns *columns);
// The same at the end of a step that was made, and differentiated, last.
void mbs_objectives_advance(MbsObjectives *objectives, const MbsStepper *stepper, const MbsStep *step,
                            const MbsState *state, const MbsColumns *columns);
// Running values at a state within a step, whose size times the sums that are in g is what integrals receive.
void mbs_objectives_take_sums(MbsObjectives *objectives, const MbsState *state, const MbsColumns *columns,
                              mbs_scalar h);
// Gradients of expressions of other objectives, from those of the others.
void mbs_objectives_chain(MbsObjectives *objectives, const MbsState *state);
// Is every running value a finite number? Else the message names the objective.
MbsStatus mbs_objectives_check(MbsContext *context, const MbsObjectives *objectives, double t);

// outputs.c: signals with names, and what else was asked for as columns of histories. They are evaluated where somebody
// looks at them, never by steps.
typedef struct MbsOutput {
  const MbsOutputSpec *spec;
  int component;
  MbsFunction function;  // its name is that of the column
} MbsOutput;

typedef struct MbsOutputs {
  int count;  // of numbers
  MbsOutput *items;
  mbs_scalar *value;  // count
  mbs_scalar *slope;  // count x asked columns, of direct differentiation
} MbsOutputs;

struct MbsSimulation;
MbsStatus mbs_outputs_create(MbsContext *context, struct MbsSimulation *simulation);
// At the present state, with slopes where it has columns, each one of which a row of histories is. wanted: by output;
// NULL: all.
void mbs_outputs_evaluate(struct MbsSimulation *simulation, const bool *wanted);

// How far constraints are off: violation.c
typedef struct MbsViolation {
  MbsJacobian jacobian;
  double size;          // of the mechanism
  double *per_unit;     // n: 1/s, s what each coordinate is counted in
  double *gain;         // m: 1 / |Phi_q s| of each constraint, of some steps ago
  double fastest;       // the largest velocity so far, so counted
  double worst[2];      // so far, of positions and velocities
  double looked_at[2];  // the same when gains were last evaluated because of it
} MbsViolation;

// Energy and work so far: energy_balance.c
typedef struct MbsEnergyBalance {
  double T0, V0, work, power, largest, worst;
  double now;  // kinetic and potential; NaN where a force has no energy
} MbsEnergyBalance;

// A start of the caller's, in the place of the model's: this time, positions and velocities, which depend on nothing,
// but with one column for a direction of theirs. place.c
typedef struct MbsGivenStart {
  bool is_given;
  double t;
  mbs_scalar *q, *v, *X, *V;  // n each
  int seed;                   // which column; -1: none
} MbsGivenStart;

// Everything that a step changes. checkpoint.c
typedef struct MbsCheckpoint {
  size_t number_capacity;
  int pivot_capacity, pivot_count;
  mbs_scalar *numbers;
  int *pivots;
  bool is_started;
  long step_count;
  MbsStatistics statistics;
  MbsViolation violation;  // but its arrays
  MbsEnergyBalance energy;
  MbsStepControl control;  // but its arrays
  double largest_velocity, largest_acceleration, watched_quality, condition_start;
  long planned;
  int record_count, setting_count, since_grid, chained;
  bool is_over, is_moved;
  MbsStep last;
} MbsCheckpoint;

// What results are made of, as it was after the last row of a history. checkpoint.c
typedef struct MbsKept {
  mbs_scalar *numbers;
  MbsStatistics statistics;
  MbsViolation violation;  // but its arrays
  int record_count;
} MbsKept;

// Times at which the plan is divided, those of events of a run before, in ascending order, between the start and the
// end; and the number of steps of each span between them, at least 2.
typedef struct MbsStops {
  int count;
  const double *times;  // count
  const long *steps;    // count + 1
} MbsStops;

typedef struct MbsSimulation {
  MbsArena *arena;
  MbsSettings settings;
  MbsSystem *system;
  MbsFormulation formulation;
  MbsInitial *initial;
  MbsStepper *stepper;
  MbsPath plan;             // the steps of the settings
  MbsStops stops;           // that divide it
  const MbsPath *followed;  // what a run does: the plan, or the path of another run
  bool is_path_kept;        // that is the path of a run of this simulation, which a caller keeps
  MbsPath path;             // what it did so far
  MbsStepControl control;   // of steps that find their own size
  MbsShift shift;           // a step that moves, in the complex twin
  MbsGivenStart given;
  MbsState state;
  mbs_scalar *guess;  // nq: where the assembly begins
  MbsArena *scratch;
  bool has_columns;
  MbsColumns columns;
  MbsObjectives objectives;
  MbsOutputs outputs;
  MbsDense dense;    // rows between steps
  MbsGuards guards;  // of what jumps on the way
  MbsEvents events;
  MbsPeaks peaks;            // extrema of objectives
  long planned;              // steps of the plan that are done
  MbsContinuity continuity;  // what may not be defined
  MbsOpposition opposition;  // of the start
  bool is_new;               // the next run chooses pivots as a first one does, whatever runs there were
  bool is_started;
  mbs_scalar *levels;  // of the constraints: 3 x m
  MbsStatistics statistics;
  MbsViolation violation;
  MbsCheckpoint before;                           // room for undoing what fails
  MbsKept kept;                                   // what there is to show if the next step fails
  double largest_velocity, largest_acceleration;  // of a coordinate, so far
  double watched_quality, condition_start;        // see near_singular.c
  MbsEnergyBalance energy;
} MbsSimulation;

// The system of a model alone. Completes the settings.
MbsStatus mbs_simulation_compile(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsSettings *settings,
                                 int column_count, const int *columns, bool is_carried, const double *values,
                                 MbsSystem **system);
// Has every function of the program derivatives? Else there are none of what it stands in, but by differences.
MbsStatus mbs_simulation_check_slopes(MbsContext *context, const MbsModel *model);
// Compiles the model. Columns: parameters to differentiate with respect to. values: of all parameters, or
// NULL for the model's own.
MbsStatus mbs_simulation_create(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                int column_count, const int *columns, const double *values, MbsSimulation **simulation);
// The same for the adjoint, whose states carry no columns along.
MbsStatus mbs_simulation_create_for_sweep(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                          int column_count, const int *columns, const double *values,
                                          MbsSimulation **simulation);
void mbs_simulation_destroy(MbsSimulation *simulation);
// Whom its memory tells where it is out, from now on: the context of the call, which may be another one each time.
void mbs_simulation_tell(MbsSimulation *simulation, MbsContext *context);

// New values of all parameters, for starts to come. Nothing is compiled again: what compiling decided (coordinates,
// rows that count, what is held at the start, the penalty factor) stays. Do they have a meaning there? place.c
void mbs_simulation_set_parameters(MbsSimulation *simulation, const double *values);
MbsStatus mbs_simulation_check_parameters(MbsContext *context, const MbsSimulation *simulation);
// Goes on from another state (n positions, n velocities) at the present time; is_projected: its independent coordinates
// are kept, and all others follow; else it must meet the constraints. On failure all is as before. place.c
MbsStatus mbs_simulation_place(MbsContext *context, MbsSimulation *simulation, const double *position,
                               const double *velocity, bool is_projected);

// The start that is given: its positions and velocities are taken, accelerations and multipliers follow; and its
// columns.
MbsStatus mbs_simulation_take_given(MbsContext *context, MbsSimulation *simulation);
MbsStatus mbs_simulation_take_given_columns(MbsContext *context, MbsSimulation *simulation);

// So many steps from a time on, for starts to come. plan.c
MbsStatus mbs_simulation_plan_steps(MbsContext *context, MbsSimulation *simulation, double t, long steps);
// The steps of the settings, or between stops. And with another step, for starts to come, without compiling anything
// again; stops, which must outlive that: NULL: none. plan.c
MbsStatus mbs_simulation_plan(MbsContext *context, MbsSimulation *simulation);
MbsStatus mbs_simulation_set_step(MbsContext *context, MbsSimulation *simulation, double step, const MbsStops *stops);

// Takes memory from the simulation's arena where the checkpoint has too little: the first time, and where matrix-r has
// more sets than before.
MbsStatus mbs_simulation_save(MbsContext *context, const MbsSimulation *simulation, MbsCheckpoint *checkpoint);
MbsStatus mbs_simulation_copy_checkpoint(MbsContext *context, const MbsSimulation *simulation,
                                         const MbsCheckpoint *from, MbsCheckpoint *to);
// From there the same steps lead to the same bits.
void mbs_simulation_restore(MbsSimulation *simulation, const MbsCheckpoint *checkpoint);
// The same, but what the run has come to stays: its path, and objectives.
void mbs_simulation_return(MbsSimulation *simulation, const MbsCheckpoint *checkpoint);
// After the start, each step and each event: what a result shows, should the next step fail. It costs a copy of the
// state. Given back, it can be shown, but no step can follow.
MbsStatus mbs_simulation_create_kept(MbsContext *context, MbsSimulation *simulation);
void mbs_simulation_keep(MbsSimulation *simulation);
void mbs_simulation_give_back(MbsSimulation *simulation);
// All solvers whose pivots count, one after another; NULL: there are no more.
MbsSparseSolver *mbs_simulation_solver(const MbsSimulation *simulation, int index);

// Assembles the start: position, velocity, acceleration, and their columns. The first of a simulation or a further one,
// which is the same to the last bit where nothing has changed.
MbsStatus mbs_simulation_start(MbsContext *context, MbsSimulation *simulation);
// One step. Never allocates.
MbsStatus mbs_simulation_step(MbsContext *context, MbsSimulation *simulation);

// What the joints between points do to their second bodies at the present state, in a system of its own. reactions.c
typedef struct MbsReactions {
  int count;
  const char **joints;  // names
  mbs_scalar *values;   // count x 6: force x y z, torque x y z
  MbsSystem *system;
  MbsState state;
  MbsTape *tape;
  mbs_scalar *inputs;
} MbsReactions;
MbsStatus mbs_reactions_create(MbsContext *context, const MbsSimulation *simulation, MbsReactions *reactions);
// Takes no memory.
void mbs_reactions_evaluate(const MbsSimulation *simulation, MbsReactions *reactions);

// Is there no step left to do?
static inline bool mbs_simulation_is_over(const MbsSimulation *simulation) {
  if (simulation->settings.is_equilibrium) {
    return true;
  }
  bool is_plan = simulation->followed == &simulation->plan;
  long done = is_plan ? simulation->planned : simulation->path.step_count;
  return simulation->events.is_over || done >= simulation->followed->step_count;
}
// Do its steps find their own size? Not where it follows another run, which has found them.
static inline bool mbs_simulation_is_controlled(const MbsSimulation *simulation) {
  return simulation->control.tolerance > 0 && simulation->followed == &simulation->plan;
}
// Does a step end where that of the plan does?
static inline bool mbs_simulation_meets_plan(const MbsSimulation *simulation, const MbsStep *step) {
  return !mbs_simulation_is_controlled(simulation) ||
         !(mbs_re(step->t) < mbs_re(mbs_path_step(&simulation->plan, simulation->planned + 1).t));
}
// Decisions and times are those of another run, which must outlive this one.
void mbs_simulation_follow(MbsSimulation *simulation, const MbsPath *path);
// The dynamics of one step alone, the next one of a path.
MbsStatus mbs_simulation_repeat_step(MbsContext *context, MbsSimulation *simulation, MbsStep *step);
// Seconds on a clock that never goes back.
double mbs_simulation_now(void);

// Fills in an automatic penalty. penalty_scale.c
MbsStatus mbs_simulation_choose_penalty(MbsContext *context, MbsSimulation *simulation);

// After a step: keeps in the statistics how near to singular the equations were. near_singular.c
void mbs_simulation_watch_condition(MbsSimulation *simulation);

// After each step, whose levels of the constraints are there: their residuals, how far they are off, and an error where
// that is the mechanism's size. At the end, in the statistics, against the largest velocity there was. violation.c
MbsStatus mbs_violation_create(MbsContext *context, const MbsSystem *system, MbsViolation *violation);
void mbs_violation_start(const MbsSimulation *simulation, MbsViolation *violation);
MbsStatus mbs_violation_watch(MbsContext *context, MbsSimulation *simulation);
// The largest of each level at the present state, in the units of the constraints.
void mbs_violation_residuals(MbsSimulation *simulation, mbs_scalar residual[3]);
void mbs_violation_jump(MbsSimulation *simulation);  // other constraints act
void mbs_violation_finish(MbsSimulation *simulation);
// How far the worst position and the worst velocity are off at the present state, in the mechanism's size and its
// largest velocity so far; what is left of these constraints, and which they are.
void mbs_violation_find(MbsSimulation *simulation, double off[2], double left[2], int row[2]);

// After the start (NULL) and after each step: the balance of energy, in the statistics. energy_balance.c
void mbs_simulation_balance_energy(MbsSimulation *simulation, const MbsStep *step);

// After an event: returns how much energy it took.
double mbs_simulation_jump_energy(MbsSimulation *simulation);

// Kinematics: the freedoms without a driver become rows of the blueprint. driven_freedoms.c
MbsStatus mbs_drive_freedoms(MbsContext *context, MbsBlueprint *blueprint);

// Does every condition of the elements hold at this accepted state, whose signals are evaluated? diagnosis.c
MbsStatus mbs_simulation_check_conditions(MbsContext *context, const MbsSimulation *simulation);
// Was a table left since the last step began? Then that is what is wrong with a number that is not finite. diagnosis.c
MbsStatus mbs_simulation_check_tables(MbsContext *context, const MbsSimulation *simulation);
// Says why a start or a step failed, if it can tell: a condition of an element that does not hold, redundant
// constraints, bodies without mass, a table that was left. diagnosis.c
MbsStatus mbs_simulation_diagnose(MbsContext *context, const MbsSimulation *simulation, MbsStatus status);

// The groups of a check: what is connected, and how freely it moves. simulation/groups.c
MbsStatus mbs_check_find_groups(MbsContext *context, const MbsSimulation *simulation, MbsCheck *check);

#endif
