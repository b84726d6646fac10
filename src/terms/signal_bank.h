// Numbers for the signals of expressions, and functions of them.
#ifndef MBS_SIGNAL_BANK_H
#define MBS_SIGNAL_BANK_H

#include "expressions/tape.h"
#include "terms/coefficients.h"
#include "terms/linear_form.h"
#include "terms/workspace.h"

struct MbsSystem;
struct MbsBodyForces;

typedef struct MbsSignalBank {
  int form_count;
  MbsLinearForm *forms;
  MbsBlock block;  // coefficients of all forms
  int turn_count;
  bool has_turning_elements;                          // some force or constraint depends on an angle
  mbs_scalar *turns;                                  // whole turns of each angle
  double *previous;                                   // angle at the last accepted step, or expected at the start
  bool *is_expected;                                  // before the start, by angle: previous says where
  MbsTape *principal;                                 // of all angles
  struct MbsBodyForces *body_forces;                  // NULL: no signal needs them
  int most_function_inputs, most_function_registers;  // of the functions made so far
} MbsSignalBank;

// A number that depends on signals: an objective's integrand, an independent coordinate, ...
typedef struct MbsFunction {
  const char *name;
  MbsPlace place;
  MbsTape *tape;        // value, then the derivative with respect to each of its inputs
  MbsTape *value_tape;  // the value alone
  mbs_scalar *inputs;
  mbs_scalar *outputs;
#ifdef MBS_ASSERTIONS
  uint64_t *stamp;  // of the state that the outputs are of
#endif
} MbsFunction;

MbsStatus mbs_signal_bank_create(MbsContext *context, struct MbsSystem *system);
// Forms (and forces that hold bodies) at a state: functions are evaluated there next, which assert it (workspace.h).
void mbs_signal_bank_evaluate(const struct MbsSystem *system, const MbsState *state);
// The same at a state between the last accepted ones, with the whole turns that angles have there.
void mbs_signal_bank_visit(const struct MbsSystem *system, const MbsState *state);
// What the columns of the state do to the bodies: functions of positions, velocities and accelerations are
// differentiated by these columns next, which they assert.
void mbs_signal_bank_take_columns(const struct MbsSystem *system, const MbsState *state, const MbsColumns *columns);
// The same, with the derivatives of the forces that hold bodies, after evaluate (asserted): for functions of any
// signals.
void mbs_signal_bank_differentiate(const struct MbsSystem *system, const MbsState *state, const MbsColumns *columns);
// Evaluates the forms and chooses whole turns so that every angle is next to its value at the last accepted step;
// `first`: to what is expected of it, or so that it is its principal value.
void mbs_signal_bank_accept(const struct MbsSystem *system, const MbsState *state, bool first);
// Before the first state is accepted: this angle is its principal value, where it was last evaluated, plus about so
// many turns.
void mbs_signal_bank_expect(const struct MbsSystem *system, int index, double turns);
// The same as accept at a state that is only tried, for positions, velocities and angles.
void mbs_signal_bank_follow(const struct MbsSystem *system, const MbsState *state);
// follow, where forces or constraints depend on angles: within a step an angle may pass from pi to -pi, and a torque
// must not see that.
void mbs_signal_bank_try(const struct MbsSystem *system, const MbsState *state);

// Values of the inputs of a tape, from the bank's forms (asserted: those that it reads are evaluated at this state),
// the parameters, the time, the multipliers and (if not NULL) the objectives. So all functions below.
void mbs_signal_bank_inputs(const struct MbsSystem *system, const MbsState *state, const MbsTape *tape,
                            const mbs_scalar *objectives, mbs_scalar *inputs);

// ---- table_terms.c ----
// Of an input of a tape that was evaluated last at the state in question, where it is a parameter or stands for a table
// (zero, or nothing, where it is another signal): its derivative for a column; and onto parameters and coefficients
// (NULL: not wanted) what `slope`, by the input, gives them.
mbs_scalar mbs_input_column(const struct MbsSystem *system, const MbsTape *tape, const MbsSignal *signal, int input,
                            int column);
void mbs_input_transposed(const struct MbsSystem *system, const MbsTape *tape, const MbsSignal *signal, int input,
                          mbs_scalar slope, mbs_scalar *parameters, mbs_scalar *coefficients);

// ---- functions ----
MbsStatus mbs_function_create(MbsContext *context, struct MbsSystem *system, const char *name, MbsPlace place,
                              MbsNode node, MbsFunction *function);
// Value; also fills the derivatives. `objectives`: values for OBJECTIVE signals; may be NULL.
mbs_scalar mbs_function_evaluate(const struct MbsSystem *system, const MbsFunction *function, const MbsState *state,
                                 const mbs_scalar *objectives);
// Value alone, at less cost; not of functions of objectives.
mbs_scalar mbs_function_value(const struct MbsSystem *system, const MbsFunction *function, const MbsState *state);
// Gradient, `scale` times, added to `bar`. Asserted: the function was evaluated at this state last.
void mbs_function_transposed(const struct MbsSystem *system, const MbsFunction *function, const MbsState *state,
                             mbs_scalar scale, const MbsStateBar *bar);
// Derivative for a column. Asserted: the function was evaluated at this state last, the columns were taken there (and
// of functions of forces that hold bodies, differentiated). Explicit dependence on the parameter (also through the
// coefficients of forms) plus the gradient times the state's columns and dO (of the objectives; may be NULL).
mbs_scalar mbs_function_derivative(const struct MbsSystem *system, const MbsFunction *function, const MbsState *state,
                                   int column, const MbsColumns *columns, const mbs_scalar *dO);

#endif
