#include "terms/signal_bank.h"

#include <math.h>

#include "terms/derivative_source.h"
#include "terms/elements.h"

static const double two_pi = 6.283185307179586476925286766559;

MbsStatus mbs_signal_bank_create(MbsContext *context, MbsSystem *system) {
  MbsBlueprint *blueprint = system->blueprint;
  MbsSignalBank *bank = &system->signals;
  int count = blueprint->signal_forms.count;
  int terms = mbs_forms_term_count(count, blueprint->signal_forms.items);
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, nodes, 2 * terms);
  MBS_TAKE(context, system->arena, bank->forms, count);
  int used = 0;
  MBS_TRY(mbs_linear_forms_create(context, system, count, blueprint->signal_forms.items, nodes, &used, bank->forms));
  bank->form_count = count;
  MbsWorkspace *work = system->work;
  MBS_TAKE(context, system->arena, work->position, count * system->dimension);
  MBS_TAKE(context, system->arena, work->velocity, count * system->dimension);
  MBS_TAKE(context, system->arena, work->acceleration, count * system->dimension);
  bank->turn_count = blueprint->turns.count;
  MBS_TAKE(context, system->arena, bank->turns, bank->turn_count);
  MBS_TAKE(context, system->arena, bank->previous, bank->turn_count);
  MBS_TAKE(context, system->arena, bank->is_expected, bank->turn_count);
  MBS_TAKE(context, system->arena, work->principal_outputs, bank->turn_count);
  MBS_TRY(mbs_tape_create(context, system->arena, blueprint->graph, bank->turn_count, blueprint->turns.items,
                          &bank->principal));
  MBS_TAKE(context, system->arena, work->principal_inputs, bank->principal->input_count);
  return mbs_coefficients_add_block(context, &system->coefficients, used, nodes, &bank->block);
}

// ---- stamps: see workspace.h ----
#ifdef MBS_ASSERTIONS
// what a tape reads of signals
typedef struct Reading {
  bool position, velocity, acceleration, forces;
} Reading;

static Reading reading_of(const MbsSystem *system, const MbsTape *tape) {
  Reading reading = {0};
  for (int s = 0; s < tape->input_count; ++s) {
    MbsSignalKind kind = system->blueprint->signals.items[tape->inputs[s]].kind;
    reading.position |= kind == MBS_SIGNAL_POSITION;
    reading.velocity |= kind == MBS_SIGNAL_VELOCITY;
    reading.acceleration |= kind == MBS_SIGNAL_ACCELERATION;
    reading.forces |= kind == MBS_SIGNAL_BODY_FORCE;
  }
  return reading;
}

static void stamp_forms(const MbsSystem *bodies, const MbsState *x) {
  MbsStamp *stamp = &bodies->work->stamp;
  stamp->q = mbs_stamp_numbers(1, bodies->nq, x->q);
  stamp->v = mbs_stamp_numbers(1, bodies->nq, x->v);
  stamp->a = mbs_stamp_numbers(1, bodies->nq, x->a);
}

// is what a tape reads of signals in the workspace, and of this state?
static bool is_evaluated(const MbsSystem *system, const MbsState *state, const MbsTape *tape) {
  const MbsSystem *bodies = system->bodies;
  const MbsState *x = mbs_system_follow(system, state);
  const MbsStamp *stamp = &bodies->work->stamp;
  Reading reading = reading_of(system, tape);
  return (!reading.position || stamp->q == mbs_stamp_numbers(1, bodies->nq, x->q)) &&
         (!reading.velocity || stamp->v == mbs_stamp_numbers(1, bodies->nq, x->v)) &&
         (!reading.acceleration || stamp->a == mbs_stamp_numbers(1, bodies->nq, x->a)) &&
         (!reading.forces || stamp->forces == mbs_stamp_forces(bodies->nq, bodies->m, x));
}

// of what a function reads of a state
static uint64_t stamp_of(const MbsSystem *system, const MbsState *state, const MbsTape *tape) {
  const MbsSystem *bodies = system->bodies;
  const MbsState *x = mbs_system_follow(system, state);
  Reading reading = reading_of(system, tape);
  uint64_t hash = mbs_stamp_numbers(1, system->blueprint->parameters.count, system->parameters);
  hash = reading.position ? mbs_stamp_numbers(hash, bodies->nq, x->q) : hash;
  hash = reading.velocity ? mbs_stamp_numbers(hash, bodies->nq, x->v) : hash;
  hash = reading.acceleration ? mbs_stamp_numbers(hash, bodies->nq, x->a) : hash;
  hash = reading.forces ? hash ^ mbs_stamp_forces(bodies->nq, bodies->m, x) : hash;
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[tape->inputs[s]];
    if (signal->kind == MBS_SIGNAL_TIME) {
      hash = mbs_stamp_numbers(hash, 1, &x->t);
    } else if (signal->kind == MBS_SIGNAL_MULTIPLIER) {
      const mbs_scalar *of = mbs_state_multipliers(x, (MbsMultiplierKind)signal->component);
      hash = mbs_stamp_numbers(hash, 1, &of[signal->index]);
    }
  }
  return hash;
}
#endif

// ---- evaluation ----
static void evaluate_forms(const MbsSystem *system, const MbsState *state) {
  const MbsSignalBank *bank = &system->signals;
  const MbsWorkspace *work = system->work;
  int d = system->dimension;
  mbs_clear(bank->form_count * d, work->position);
  mbs_clear(bank->form_count * d, work->velocity);
  mbs_clear(bank->form_count * d, work->acceleration);
  for (int i = 0; i < bank->form_count; ++i) {
    mbs_form_add(&bank->forms[i], bank->block.value, d, d == 2, state->q, work->position + i * d);
    mbs_form_add(&bank->forms[i], bank->block.value, d, d == 2, state->v, work->velocity + i * d);
    mbs_form_add(&bank->forms[i], bank->block.value, d, d == 2, state->a, work->acceleration + i * d);
  }
  MBS_DEBUG(stamp_forms(system, state));
}

void mbs_signal_bank_evaluate(const MbsSystem *system, const MbsState *state) {
  const MbsState *x = mbs_system_follow(system, state);
  evaluate_forms(system->bodies, x);
  mbs_body_forces_evaluate(system->bodies, x);
}

void mbs_signal_bank_take_columns(const MbsSystem *system, const MbsState *state, const MbsColumns *columns) {
  MBS_DEBUG(system->work->stamp.columns =
                mbs_stamp_columns(system->bodies->nq, mbs_system_follow(system, state), columns));
  system->work->columns = mbs_system_take_columns(system, state, columns);
}

void mbs_signal_bank_differentiate(const MbsSystem *system, const MbsState *state, const MbsColumns *columns) {
  mbs_signal_bank_take_columns(system, state, columns);
  mbs_body_forces_differentiate(system->bodies, mbs_system_follow(system, state), &system->work->columns);
}

void mbs_signal_bank_inputs(const MbsSystem *system, const MbsState *state, const MbsTape *tape,
                            const mbs_scalar *objectives, mbs_scalar *inputs) {
  const MbsWorkspace *work = system->work;
  MBS_ASSERT(is_evaluated(system, state, tape));
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[tape->inputs[s]];
    int at = signal->index * system->dimension + signal->component;
    switch (signal->kind) {
      case MBS_SIGNAL_PARAMETER: inputs[s] = system->parameters[signal->index]; break;
      case MBS_SIGNAL_TIME: inputs[s] = state->t; break;
      case MBS_SIGNAL_POSITION: inputs[s] = work->position[at]; break;
      case MBS_SIGNAL_VELOCITY: inputs[s] = work->velocity[at]; break;
      case MBS_SIGNAL_ACCELERATION: inputs[s] = work->acceleration[at]; break;
      case MBS_SIGNAL_TURN: inputs[s] = system->signals.turns[signal->index]; break;
      case MBS_SIGNAL_TABLE: inputs[s] = mbs_delta_value(work, signal->index); break;
      case MBS_SIGNAL_MULTIPLIER:
        inputs[s] = mbs_state_multipliers(state, (MbsMultiplierKind)signal->component)[signal->index];
        break;
      case MBS_SIGNAL_BODY_FORCE: inputs[s] = mbs_body_force(system, signal); break;
      case MBS_SIGNAL_OBJECTIVE: inputs[s] = objectives[signal->index]; break;
      case MBS_SIGNAL_ARGUMENT: break;  // never: no expression has it
    }
  }
}

static void count_turns(const MbsSystem *system, const MbsState *state, bool first) {
  const MbsSignalBank *bank = &system->signals;
  const MbsWorkspace *work = system->work;
  mbs_signal_bank_inputs(system, state, bank->principal, NULL, work->principal_inputs);
  mbs_tape_evaluate(bank->principal, work->principal_inputs, work->principal_outputs);
  for (int i = 0; i < bank->turn_count; ++i) {
    double principal = mbs_re(work->principal_outputs[i]);
    bank->turns[i] = first && !bank->is_expected[i] ? 0 : round((bank->previous[i] - principal) / two_pi);  // real
  }
}

void mbs_signal_bank_accept(const MbsSystem *system, const MbsState *state, bool first) {
  const MbsSignalBank *bank = &system->signals;
  const MbsState *x = mbs_system_follow(system, state);
  evaluate_forms(system->bodies, x);
  if (bank->turn_count > 0) {
    count_turns(system->bodies, x, first);
  }
  for (int i = 0; i < bank->turn_count; ++i) {
    bank->previous[i] = mbs_re(system->work->principal_outputs[i]) + two_pi * mbs_re(bank->turns[i]);
  }
  mbs_body_forces_evaluate(system->bodies, x);
}

void mbs_signal_bank_expect(const MbsSystem *system, int index, double turns) {
  const MbsSignalBank *bank = &system->signals;
  bank->is_expected[index] = true;
  bank->previous[index] = mbs_re(system->work->principal_outputs[index]) + two_pi * turns;
  bank->turns[index] = round(turns);  // real
}

void mbs_signal_bank_follow(const MbsSystem *system, const MbsState *state) {
  const MbsState *x = mbs_system_follow(system, state);
  evaluate_forms(system->bodies, x);
  if (system->signals.turn_count > 0) {
    count_turns(system->bodies, x, false);
  }
}

void mbs_signal_bank_visit(const MbsSystem *system, const MbsState *state) {
  mbs_signal_bank_follow(system, state);
  mbs_body_forces_evaluate(system->bodies, mbs_system_follow(system, state));
}

void mbs_signal_bank_try(const MbsSystem *system, const MbsState *state) {
  if (system->signals.has_turning_elements) {
    mbs_signal_bank_follow(system, state);
  }
}

// ---- functions ----
MbsStatus mbs_function_create(MbsContext *context, MbsSystem *system, const char *name, MbsPlace place, MbsNode node,
                              MbsFunction *function) {
  MbsGraph *graph = system->blueprint->graph;
  int input_count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, graph, node, &input_count, &inputs));
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, nodes, 1 + input_count);
  nodes[0] = node;
  for (int s = 0; s < input_count; ++s) {
    nodes[1 + s] = mbs_graph_derivative(graph, node, inputs[s]);
  }
  MBS_TRY(mbs_graph_status(context, graph));
  MBS_TRY(mbs_tape_create(context, system->arena, graph, 1 + input_count, nodes, &function->tape));
  MBS_CHECK(context, function->tape->input_count == input_count);
  MBS_TRY(mbs_tape_create(context, system->arena, graph, 1, &node, &function->value_tape));
  MBS_TAKE(context, system->arena, function->inputs, input_count);
  MBS_TAKE(context, system->arena, function->outputs, 1 + input_count);
#ifdef MBS_ASSERTIONS
  MBS_TAKE(context, system->arena, function->stamp, 1);
#endif
  function->name = name;
  function->place = place;
  MbsSignalBank *bank = &system->signals;
  int registers = mbs_tape_register_count(function->tape);
  bank->most_function_inputs = input_count > bank->most_function_inputs ? input_count : bank->most_function_inputs;
  bank->most_function_registers = registers > bank->most_function_registers ? registers : bank->most_function_registers;
  return system->given_source ? mbs_source_reserve(context, system, input_count, registers, 1) : MBS_OK;
}

// How large the vector is that a position, velocity or acceleration is a component of: at least `least`, a thousandth
// of the mechanism (per second, per second squared); of multipliers, all of them. 0: no more than it is itself.
static double scale_of(const MbsSystem *system, const MbsState *state, const MbsSignal *signal, double least) {
  const MbsWorkspace *work = system->work;
  const mbs_scalar *of = NULL;
  int count = system->dimension;
  double largest = 0;
  if (signal->kind == MBS_SIGNAL_MULTIPLIER) {
    of = mbs_state_multipliers(state, (MbsMultiplierKind)signal->component);
    count = system->m;
  } else if (signal->kind == MBS_SIGNAL_POSITION || signal->kind == MBS_SIGNAL_VELOCITY ||
             signal->kind == MBS_SIGNAL_ACCELERATION) {
    largest = least;
    of = signal->kind == MBS_SIGNAL_POSITION   ? work->position
         : signal->kind == MBS_SIGNAL_VELOCITY ? work->velocity
                                               : work->acceleration;
    of += signal->index * system->dimension;
  } else if (signal->kind == MBS_SIGNAL_BODY_FORCE) {
    largest = 1;
  }
  for (int k = 0; of && k < count; ++k) {
    mbs_raise(&largest, of[k]);
  }
  return largest;
}

// the derivatives of a function from the source in use
static void differentiate(const MbsSystem *system, const MbsFunction *function, const MbsState *state) {
  double least = 1e-3 * mbs_state_size(system, state);
  for (int s = 0; s < function->tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[function->tape->inputs[s]];
    if (signal->kind != MBS_SIGNAL_TIME && signal->kind != MBS_SIGNAL_TURN) {
      double scale = scale_of(system, state, signal, least);
      function->outputs[1 + s] = *mbs_source_tape(system, function->tape, function->inputs, s, scale, 1);
    }
  }
}

mbs_scalar mbs_function_evaluate(const MbsSystem *system, const MbsFunction *function, const MbsState *state,
                                 const mbs_scalar *objectives) {
  mbs_signal_bank_inputs(system, state, function->tape, objectives, function->inputs);
  mbs_tape_evaluate(function->tape, function->inputs, function->outputs);
  MBS_DEBUG(*function->stamp = stamp_of(system, state, function->tape));
  if (system->source) {
    differentiate(system, function, state);
  }
  return function->outputs[0];
}

mbs_scalar mbs_function_value(const MbsSystem *system, const MbsFunction *function, const MbsState *state) {
  mbs_scalar value;
  mbs_signal_bank_inputs(system, state, function->value_tape, NULL, function->inputs);
  mbs_tape_evaluate(function->value_tape, function->inputs, &value);
  return value;
}

// a component of a form, transposed: onto the coordinates, and onto the coefficients with what they multiply
static void add_component(const MbsSystem *system, const MbsSignal *signal, mbs_scalar slope, const mbs_scalar *at,
                          mbs_scalar *onto, mbs_scalar *coefficients) {
  const MbsSignalBank *bank = &system->signals;
  const MbsLinearForm *form = &bank->forms[signal->index];
  mbs_scalar y[3] = {0};
  y[signal->component] = slope;
  if (onto) {
    mbs_form_add_transposed(form, bank->block.value, system->dimension, system->dimension == 2, 1, y, onto);
  }
  if (coefficients) {
    mbs_form_add_coefficient_adjoint(form, bank->block.index, system->dimension, y, at, coefficients);
  }
}

static void add_gradient(const MbsSystem *system, const MbsFunction *function, const MbsState *state, mbs_scalar scale,
                         const MbsStateBar *bar) {
  bool has_body_forces = false;
  for (int s = 0; s < function->tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[function->tape->inputs[s]];
    mbs_scalar slope = scale * function->outputs[1 + s];
    mbs_scalar *multipliers = NULL;
    switch (signal->kind) {
      case MBS_SIGNAL_POSITION: add_component(system, signal, slope, state->q, bar->q, bar->coefficients); break;
      case MBS_SIGNAL_VELOCITY: add_component(system, signal, slope, state->v, bar->v, bar->coefficients); break;
      case MBS_SIGNAL_ACCELERATION: add_component(system, signal, slope, state->a, bar->a, bar->coefficients); break;
      case MBS_SIGNAL_MULTIPLIER: multipliers = mbs_bar_multipliers(bar, (MbsMultiplierKind)signal->component); break;
      case MBS_SIGNAL_BODY_FORCE:
        mbs_body_force_weigh(system, signal, slope);
        has_body_forces = true;
        break;
      case MBS_SIGNAL_PARAMETER:
      case MBS_SIGNAL_TABLE:
        mbs_input_transposed(system, function->tape, signal, s, slope, bar->parameters, bar->coefficients);
        break;
      case MBS_SIGNAL_OBJECTIVE:
      case MBS_SIGNAL_TIME:
      case MBS_SIGNAL_TURN:
      case MBS_SIGNAL_ARGUMENT: break;
    }
    if (multipliers) {
      multipliers[signal->index] += slope;
    }
  }
  if (has_body_forces) {
    mbs_body_forces_transposed(system, state, bar);
  }
}

void mbs_function_transposed(const MbsSystem *system, const MbsFunction *function, const MbsState *state,
                             mbs_scalar scale, const MbsStateBar *bar) {
  MBS_ASSERT(*function->stamp == stamp_of(system, state, function->tape));
  const MbsState *x = mbs_system_follow(system, state);
  const MbsStateBar of_bodies = mbs_system_begin_bar(system, bar);
  add_gradient(system->bodies, function, x, scale, &of_bodies);
  mbs_system_end_bar(system, bar);
}

// a component of a form's derivative: the form of the direction plus its coefficients' slopes on the state
static mbs_scalar form_derivative(const MbsSystem *system, const MbsSignal *signal, const mbs_scalar *slope,
                                  const mbs_scalar *q, const mbs_scalar *direction) {
  const MbsSignalBank *bank = &system->signals;
  mbs_scalar y[3] = {0};
  if (direction) {
    mbs_form_add(&bank->forms[signal->index], bank->block.value, system->dimension, system->dimension == 2, direction,
                 y);
  }
  if (slope) {
    mbs_form_add(&bank->forms[signal->index], slope, system->dimension, system->dimension == 2, q, y);
  }
  return y[signal->component];
}

static const mbs_scalar *column_of(const mbs_scalar *columns, int column, int size) {
  return columns ? columns + (size_t)column * (size_t)size : NULL;
}

static mbs_scalar derivative(const MbsSystem *system, const MbsFunction *function, const MbsState *state, int column,
                             const MbsColumns *columns, const mbs_scalar *dO) {
  const mbs_scalar *slope = mbs_block_slope(&system->signals.block, column);
  const mbs_scalar *X = column_of(columns->X, column, system->nq), *V = column_of(columns->V, column, system->nq);
  const mbs_scalar *A = column_of(columns->A, column, system->nq);
  mbs_scalar sum = 0;
  for (int s = 0; s < function->tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[function->tape->inputs[s]];
    const mbs_scalar *L;
    mbs_scalar change = 0;
    switch (signal->kind) {
      case MBS_SIGNAL_PARAMETER:
      case MBS_SIGNAL_TABLE: change = mbs_input_column(system, function->tape, signal, s, column); break;
      case MBS_SIGNAL_POSITION: change = form_derivative(system, signal, slope, state->q, X); break;
      case MBS_SIGNAL_VELOCITY: change = form_derivative(system, signal, slope, state->v, V); break;
      case MBS_SIGNAL_ACCELERATION: change = form_derivative(system, signal, slope, state->a, A); break;
      case MBS_SIGNAL_MULTIPLIER:
        L = column_of(mbs_columns_multipliers(columns, (MbsMultiplierKind)signal->component), column, system->m);
        change = L ? L[signal->index] : 0;
        break;
      case MBS_SIGNAL_BODY_FORCE:
        MBS_ASSERT((system->work->stamp.force_columns ^ system->work->stamp.columns) ==
                   mbs_stamp_forces(system->nq, system->m, state));
        change = mbs_body_force_column(system, signal, column);
        break;
      case MBS_SIGNAL_OBJECTIVE: change = dO ? dO[signal->index] : 0; break;
      case MBS_SIGNAL_TIME:
      case MBS_SIGNAL_TURN:
      case MBS_SIGNAL_ARGUMENT: break;
    }
    sum += function->outputs[1 + s] * change;
  }
  return sum;
}

mbs_scalar mbs_function_derivative(const MbsSystem *system, const MbsFunction *function, const MbsState *state,
                                   int column, const MbsColumns *columns, const mbs_scalar *dO) {
  const MbsState *x = mbs_system_follow(system, state);
  (void)columns;  // they were taken
  MBS_ASSERT(*function->stamp == stamp_of(system, state, function->tape));
  MBS_ASSERT(system->work->stamp.columns == mbs_stamp_columns(system->bodies->nq, x, columns));
  return derivative(system->bodies, function, x, column, &system->work->columns, dO);
}
