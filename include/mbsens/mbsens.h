// mbsens: constrained multibody systems and exact gradients of what they do.
//
//   MbsContext *context = mbs_context_create();
//   MbsModel *model;
//   if (mbs_model_read_file(context, "models/five_bar.yaml", &model) != MBS_OK) ... mbs_context_message(context)
//   MbsRequest *request;
//   mbs_request_create(context, model, &request);         settings of the file, all objectives and parameters
//   mbs_request_set(context, request, "step", "0.005");
//   MbsResult *result;
//   mbs_run(context, model, request, &result);
//   result->gradient[objective * result->parameter_count + parameter]
//
// SI units, radians. Every function that can fail returns a status and leaves a sentence in the
// context. The library never prints and never exits. One context per thread; a
// model may be used by several threads at once, as long as none of them changes it.
#ifndef MBSENS_H
#define MBSENS_H

#include <mbsens/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)  // what is declared here is what the library exports

#define MBS_VERSION "0.1.0"
// The version of the library that runs, and a number (64 hexadecimal digits) that tells its public declarations from
// all others: programs and bindings that bring declarations of their own compare both (docs/c-api.md).
const char *mbs_version(void);
const char *mbs_declarations(void);

typedef struct MbsContext MbsContext;
typedef struct MbsModel MbsModel;
typedef struct MbsRequest MbsRequest;

// ---- context ----
MbsContext *mbs_context_create(void);  // NULL: out of memory
void mbs_context_destroy(MbsContext *context);
// What went wrong in the last call that failed.
const char *mbs_context_message(const MbsContext *context);
// A model may be wrong in several places: the first of them is the message, at most ten are told. 1 after other errors.
int mbs_context_error_count(const MbsContext *context);
const char *mbs_context_error(const MbsContext *context, int index);
// Called now and then during long runs with the fraction done; return false to stop the run, which then
// ends with MBS_ERROR_INTERRUPTED.
void mbs_context_on_progress(MbsContext *context, bool (*keep_going)(void *user, double fraction), void *user);

// ---- model ----
MbsStatus mbs_model_read_file(MbsContext *context, const char *path, MbsModel **model);
// `name` stands for the file in messages.
MbsStatus mbs_model_read_text(MbsContext *context, const char *text, size_t length, const char *name, MbsModel **model);
// Gives a parameter another value: a number, or an expression of other parameters.
MbsStatus mbs_model_set(MbsContext *context, MbsModel *model, const char *parameter, const char *value);
void mbs_model_destroy(MbsModel *model);

// ---- what to do ----
// Receives time histories, row by row, while a run goes on (or when it is over, with methods that know a row only
// then). A status other than MBS_OK stops the run.
typedef struct MbsRecorder {
  void *user;
  // before begin, if it is not NULL: unit and description of each column; NULL: none
  MbsStatus (*describe)(void *user, int column_count, const char *const *units, const char *const *descriptions);
  MbsStatus (*begin)(void *user, int column_count, const char *const *names);
  MbsStatus (*row)(void *user, const double *values);
  // before begin, if it is not NULL: what each column is, "time", "outputs", "coordinates", "velocities",
  // "accelerations", "multipliers", "objectives", "points", "frames" or "reactions"; NULL: a derivative, parameter by
  // parameter, of all columns but the time (adjoint-continuous: of the objectives), in their order
  MbsStatus (*group)(void *user, int column_count, const char *const *groups);
} MbsRecorder;

// The settings of the model file, and the defaults of all others: method direct, all objectives, all parameters. They
// are copied: the model may go.
MbsStatus mbs_request_create(MbsContext *context, const MbsModel *model, MbsRequest **request);
void mbs_request_destroy(MbsRequest *request);
// A setting by its name, as in a model file: "step", "0.001"; "method", "adjoint"; "parameters", "L,m". All of them:
// mbs_setting_info, `mbsens list settings`, docs/settings.md. A value that is refused changes nothing.
MbsStatus mbs_request_set(MbsContext *context, MbsRequest *request, const char *setting, const char *value);
MbsStatus mbs_request_set_number(MbsContext *context, MbsRequest *request, const char *setting, double value);
// "objectives", "parameters" and other lists of names. NULL: all of them, or what the setting says of that; an empty
// list is none of them.
MbsStatus mbs_request_set_names(MbsContext *context, MbsRequest *request, const char *setting, int count,
                                const char *const *names);
// What it is, as the text that would set it; good until the next of these calls with the same context.
MbsStatus mbs_request_get(MbsContext *context, const MbsRequest *request, const char *setting, const char **value);
// A setting that is a number. One that stands for itself, such as auto, is refused.
MbsStatus mbs_request_get_number(MbsContext *context, const MbsRequest *request, const char *setting, double *value);
// Histories go to a recorder, which must outlive the runs; NULL: there are none.
MbsStatus mbs_request_record(MbsContext *context, MbsRequest *request, const MbsRecorder *recorder);

// What there is to set, one after the other: texts that live as long as the program.
typedef struct MbsSettingInfo {
  const char *name;
  const char *type;            // "number", "whole number", "bytes", "choice", "name", "names"
  const char *default_value;   // "": the summary says which
  const char *unit;            // "": none
  const char *const *choices;  // of a choice, with NULL at the end; else NULL
  bool is_in_file;             // of the section `simulation` of model files, too
  const char *summary;
} MbsSettingInfo;

int mbs_setting_count(void);
MbsStatus mbs_setting_info(MbsContext *context, int index, MbsSettingInfo *info);

// The version of SUNDIALS that is built in, or NULL: methods cvodes-... and idas-... are not offered then.
const char *mbs_sundials_version(void);

// ---- what came out ----
// A constraint that is off: 1e-3 is much.
typedef struct MbsWorst {
  double off;      // 0: none is off by more than 3e-4
  double time;     // when
  int constraint;  // which one, among the multipliers
} MbsWorst;

typedef struct MbsStatistics {
  long steps, iterations;
  long tried_steps;  // taken back: to find events, or because their error was too large
  double seconds_dynamics, seconds_sensitivity;
  double residual_position, residual_velocity, residual_acceleration;  // largest, over all steps
  double energy_drift;  // largest |E + dissipated - work - E0| over the largest of T and |V - V0|; NaN: not known
  MbsWorst worst_position, worst_velocity;  // of constraints, in the mechanism's size and in its largest velocity
  double start_moved;       // how far the start is from where the assembly began, in sizes of a body or in radians
  double start_rest;        // of an independent coordinate's gradient, beside those of constraints: 0 at a dead centre
  double condition_growth;  // largest condition number of the equations over that at the start; 0: not watched
  double condition_time;    // when that was
  double turn;  // largest acceleration times the step over the largest velocity: of a turning body the angle of a step
  long segments;            // adjoint: pieces in which the trajectory was kept; more than one: walked twice; else 0
  double trajectory_bytes;  // adjoint: what it took
  long independent_sets;    // matrix-r: of coordinates, that the run used; else 0
  bool has_automatic_sets;  // some of them were chosen, not given
  int redundant;            // constraints at the start that follow from the others
} MbsStatistics;

typedef struct MbsPointState {
  const char *name;
  double position[3], velocity[3], acceleration[3];
} MbsPointState;

// A coordinate of the model's own.
typedef struct MbsCoordinateState {
  const char *name;
  double value, rate, acceleration;
} MbsCoordinateState;

// A state of first order.
typedef struct MbsFirstOrderState {
  const char *name;
  double value, rate;
} MbsFirstOrderState;

// What a joint between two points does to its second body: the force, and the torque about the joint's point on that
// body, in global axes. In the plane force[2], torque[0] and torque[1] are zero.
typedef struct MbsReaction {
  const char *joint;
  double force[3], torque[3];
} MbsReaction;

// An output of the model: a number, or a vector of 2 or 3.
typedef struct MbsOutputResult {
  const char *name;
  const char *unit, *description;  // NULL: none
  int size;
  double value[3];
} MbsOutputResult;

// An expression that jumped on the way: a step(), sign() or atan2() whose argument passed zero. Or one with a kink, an
// abs() or max(), exactly at the end of a step.
typedef struct MbsJump {
  const char *owner;       // force "switch", objective "psi"
  const char *expression;  // as written
  const char *place;       // "model.yaml:8:31"; "": not from a file
  double time;             // when, the first time
  long count;              // how often
  bool is_fixed;           // the argument depends on time alone. If not, gradients lack what moving the jump changes.
} MbsJump;

// An objective where it has no derivative, as norm(x) has none at x = 0, up to rounding.
typedef struct MbsUnsmooth {
  const char *objective;  // its name
  const char *place;      // "model.yaml:8:31"; "": not from a file
  bool has_no_value;      // rounding decides on its value too, as on that of x^0.1 at x = 0
} MbsUnsmooth;

// Where the model does not hold though the run goes on: of its validity with `otherwise: warn`, or beyond a table.
typedef struct MbsBreach {
  const char *owner;    // validity "low"
  const char *place;    // "model.yaml:8:31"; "": not from a file
  const char *message;  // what is wrong there
  double from, to;      // times of the first and the last step after which it was so
  long count;           // of such steps
} MbsBreach;

// A maximum or minimum that is reached twice, to rounding.
typedef struct MbsTie {
  const char *objective;
  double time[2];
} MbsTie;

// How accurate the values and gradients of a result are estimated to be, where setting accuracy asked for it.
typedef struct MbsAccuracy {
  double asked;                  // 0: it was not asked for, and the rest is 0
  double reached;                // the largest error over what its number is measured by: docs/accuracy.md
  int runs;                      // that were extrapolated, with
  long first_steps, last_steps;  // so many steps, twice as many each time
  bool has_chosen_formulation;   // it was left open; so was the integrator:
  bool has_chosen_integrator;
} MbsAccuracy;

// What happened on the way, in the order of time.
typedef struct MbsEventResult {
  const char *name;
  double time;
  double time_error;             // estimated, of the time and of its gradient, with setting accuracy; else 0
  const double *gradient_error;  // and NULL
  double energy_lost;            // kinetic and potential
  const double *gradient;        // of its time, parameter_count; NULL: not computed (simulating only, adjoint)
  bool is_grazing;               // its guard hardly passed zero: its time has a large derivative, or hardly any
  bool is_together;              // it happened at the time of the one before, and both change the state
  bool is_at_edge;  // an impact with friction, between sliding and not: its derivatives are those of one side
} MbsEventResult;

// What is said of an equilibrium, or of a steady motion: include mbsens/equilibrium.h.
struct MbsEquilibriumResult;

typedef struct MbsResult {
  bool is_complete;   // false: the run failed on the way, and this is what there was before: values of objectives as if
                      // it ended there, its state and time there, the events until then
  const char *error;  // the sentence that says why; NULL: it is complete
  const char *model;
  int dimension;
  const MbsRequest *request;  // as it was done: what was automatic is filled in
  int parameter_count;
  const char *const *parameters;
  const double *parameter_values;
  int objective_count;
  const char *const *objectives;
  const double *values;
  const double *gradient;      // objective_count x parameter_count; NULL when simulating only, and where a run is not
                               // complete, except with the direct method
  const double *value_errors;  // estimated, absolute, of values and of the gradient, where setting accuracy asked
  const double *gradient_errors;  // for it; else NULL
  MbsAccuracy accuracy;
  int state_count;  // adjoint of dynamics: of coordinates; else 0
  const char *const *state_names;
  const double *at_start;   // likewise: objective_count x 2 state_count, derivatives with respect to the positions,
                            // then the velocities, of the start, each taken as free
  int held_count;           // coordinates of the start that the model does not give: held as they are placed
  const char *const *held;  // "bar: angle"
  const char
      *least_determined;  // the independent coordinate of the start with statistics.start_rest; NULL: there is none
  double final_time;
  int point_count;
  const MbsPointState *points;  // at the end
  int coordinate_count;
  const MbsCoordinateState *coordinates;  // those of the model's own, at the end
  int output_count;                       // 0 with setting outputs no
  const MbsOutputResult *outputs;         // at the end
  int first_order_count;
  const MbsFirstOrderState *first_order;  // states of first order, at the end
  int multiplier_count;
  const char *const *multiplier_names;
  const double *multipliers;                       // at the end
  const struct MbsEquilibriumResult *equilibrium;  // where the start is one; else NULL
  int reaction_count;                              // 0 unless simulating only, or in equilibrium
  const MbsReaction *reactions;                    // at the end
  int event_count;
  const MbsEventResult *events;
  bool has_ended;  // an event ended the run
  int jump_count;
  const MbsJump *jumps;
  int kink_count;
  const MbsJump *kinks;  // that move and are exactly at the end of a step: gradients have one of two one-sided slopes
  int unsmooth_count;
  const MbsUnsmooth *unsmooth;
  int tie_count;
  const MbsTie *ties;
  int breach_count;
  const MbsBreach *breaches;
  const char *opposed_constraint;  // redundant, and only at this value of a parameter of the gradient; NULL: none is
  const char *opposing_parameter;  // that parameter: its derivatives mean nothing
  MbsStatistics statistics;
  int warning_count;
  const char *const *warnings;  // sentences on how far the results can be trusted
} MbsResult;

// *result is yours to destroy. Where the run fails numerically on the way (MBS_ERROR_NUMERICAL) it is there too, but
// not complete, and so are the rows of the recorder. After any other failure it is NULL.
MbsStatus mbs_run(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsResult **result);
void mbs_result_destroy(MbsResult *result);

// ---- check: the structure of a model and its assembled start ----
typedef struct MbsCheckBody {
  const char *name;
  const char *entities;  // "A (ground), P1"
} MbsCheckBody;

// Bodies, and coordinates of the model's own, that joints and constraints connect with each other.
typedef struct MbsCheckGroup {
  int body_count, coordinate_count;
  const char *const *bodies;
  const char *const *coordinates;
  int degrees_of_freedom;
  bool is_grounded;  // connected to the ground too, or without bodies
  bool has_forces;   // forces other than gravity act on it
} MbsCheckGroup;

typedef struct MbsCheck {
  const char *model;
  int bodies, coordinates, constraints, redundant;
  int states;                           // of first order
  int inactive;                         // constraints of joints that do not act at the start, and that events add
  int degrees_of_freedom;               // independent velocities
  int position_freedoms;                // independent coordinates: as many, but for nonholonomic constraints
  int nonholonomic;                     // constraints on velocities alone
  const MbsCheckBody *body;             // bodies
  const char *const *coordinate_names;  // coordinates
  const double *position, *velocity;    // coordinates
  const char *const *constraint_names;  // constraints
  const bool *is_redundant;             // constraints
  const bool *is_inactive;              // constraints
  const bool *is_nonholonomic;          // constraints
  int independent_count;
  const char *const *independent_names;
  const bool *does_rate_follow;  // of each independent: its velocity follows from nonholonomic constraints
  bool is_independent_automatic;
  int group_count;
  const MbsCheckGroup *groups;
  double residual_position, residual_velocity, residual_acceleration;
} MbsCheck;

MbsStatus mbs_check(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsCheck **check);
void mbs_check_destroy(MbsCheck *check);

// ---- verify: every formulation and method against the complex step, and against the model run anew ----
// Rows of the method "run-anew" (of the settings' formulation) have differences of runs of the model with other
// numbers, as a user would run it, for their value, and what those may be off for their uncertainty.
typedef struct MbsVerifyRow {
  const char *formulation, *coordinates, *method, *objective, *parameter;
  double value, reference;
  double relative_error;  // |value - reference| over |reference|, or 1e-5 of the objective's largest reference
  double uncertainty;     // of the reference, relative likewise: what rounding does to it; 0: not measured
  bool pass;  // the error is below the limit, or within ten uncertainties and 1e-3; run-anew: below 1e-5, or
              // within ten uncertainties, which must be below 1e-3
} MbsVerifyRow;

// An objective's value in both coordinates, with the settings' formulation, or with matrix-r where its independent
// coordinates are the same all the way.
typedef struct MbsVerifyValue {
  const char *formulation, *objective;
  double natural, relative;  // NaN: the run fails on the way
  bool is_extrapolated;      // from two step sizes; else they are the values of the runs
  double relative_error;     // |natural - relative| over the larger, or what a thousandth of a parameter changes
  double uncertainty;  // what rounding (or, extrapolated, the step) does to them, relative likewise; 0: not needed
  double tolerance;    // of the error
  bool pass;
} MbsVerifyValue;

// An element whose derivatives, taken by itself at states along the run, are not those of the complex step.
typedef struct MbsSuspect {
  const char *coordinates;
  const char *element;     // force "spring 1", constraint "body A1: length A-P1", mass of body "A1", objective "psi1"
  const char *derivative;  // with respect to: positions, velocities, accelerations, multipliers, parameter NAME
  const char *products;    // where it shows: "direct", "adjoint", "matrix", or several of them
  double relative_error;
} MbsSuspect;

typedef struct MbsVerification {
  int row_count;
  const MbsVerifyRow *rows;
  double max_relative_error;  // of rows against the complex step
  double limit;               // what that may be
  int value_count;            // objectives in both coordinates; 0: one of them cannot run the model, or is not wanted
  const MbsVerifyValue *values;
  int warning_count;
  const char *const *warnings;  // of jumps on the way: gradients lack what moving them changes, nothing passes; and of
                                // kinks exactly at the end of a step, which the model run anew may not confirm
  const char *left_out;         // formulations that cannot run the model, with the reason; NULL: none
  int suspect_count;            // elements whose own derivatives are off, the worst first
  const MbsSuspect *suspects;
  int suspects_in_all;  // of which at most 8 are in `suspects`
  bool pass;            // every row and every value does, there is no suspect and no jump that moves
} MbsVerification;

// Uses settings, objectives and parameters of the request; its formulation and method are ignored.
MbsStatus mbs_verify(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                     MbsVerification **verification);
void mbs_verification_destroy(MbsVerification *verification);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
