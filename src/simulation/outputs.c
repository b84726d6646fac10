// Outputs y(t, s; rho, d) of a state s, and how they move with the parameters.
//
// The columns of a state are those of the row of a history that it is: at an event its time t' moves too, and has moved
// them already. What an output says of time and of variables d itself comes on top:
//     y' = y_s s' + y_rho + y_d d' + y_t t'
// where y_d and y_t are its derivatives by the columns of a step by itself, with a state that stays.
#include "simulation/simulation.h"

#include "terms/derivative_source.h"

MbsStatus mbs_outputs_create(MbsContext *context, MbsSimulation *simulation) {
  MbsSystem *system = simulation->system;
  const MbsBlueprint *blueprint = system->blueprint;
  MbsOutputs *outputs = &simulation->outputs;
  int count = 0;
  for (int i = 0; i < blueprint->outputs.count; ++i) {
    count += blueprint->outputs.items[i].size;
  }
  MBS_TAKE(context, system->arena, outputs->items, count);
  MBS_TAKE(context, system->arena, outputs->value, count);
  MBS_TAKE(context, system->arena, outputs->slope,
           (size_t)count * (size_t)(system->carried_count > 0 ? system->asked_count : 0));
  for (int i = 0; i < blueprint->outputs.count; ++i) {
    const MbsOutputSpec *spec = &blueprint->outputs.items[i];
    for (int k = 0; k < spec->size; ++k) {
      MbsOutput *output = &outputs->items[outputs->count++];
      output->spec = spec;
      output->component = k;
      MBS_TRY(mbs_function_create(context, system, spec->columns[k], spec->place, spec->node[k], &output->function));
    }
  }
  return MBS_OK;
}

static void differentiate(MbsSimulation *simulation, int output) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  const MbsColumns *columns = &simulation->columns;
  const MbsEvents *events = &simulation->events;
  const MbsFunction *function = &simulation->outputs.items[output].function;
  int asked = system->asked_count;
  mbs_scalar *slope = simulation->outputs.slope + output * asked;
  for (int k = 0; k < asked; ++k) {
    slope[k] = mbs_function_derivative(system, function, state, k, columns, NULL);
  }
  for (int d = 0; d < events->moving_count; ++d) {
    int own = events->moving_column[d];
    mbs_scalar y_d = mbs_function_derivative(system, function, state, own, columns, NULL);
    for (int k = 0; k < asked; ++k) {
      slope[k] += y_d * events->variable_columns[d * asked + k];
    }
  }
  if (events->is_moved) {
    mbs_scalar y_t = mbs_function_derivative(system, function, state, system->time_column, columns, NULL);
    for (int k = 0; k < asked; ++k) {
      slope[k] += y_t * events->t_columns[k];
    }
  }
}

void mbs_outputs_evaluate(MbsSimulation *simulation, const bool *wanted) {
  MbsSystem *system = simulation->system;
  const MbsOutputs *outputs = &simulation->outputs;
  bool has_columns = simulation->has_columns, is_moved = simulation->events.is_moved;
  if (outputs->count == 0) {
    return;
  }
  mbs_signal_bank_evaluate(system, &simulation->state);
  mbs_system_take_derivatives(system, has_columns);
  if (has_columns) {
    if (simulation->events.count > 0) {  // steps, and what happens at their ends, begin these anew
      mbs_system_use_step_columns(system, is_moved);
      mbs_columns_begin_step(system, &simulation->columns, NULL);
    }
    mbs_signal_bank_differentiate(system, &simulation->state, &simulation->columns);
  }
  for (int i = 0; i < outputs->count; ++i) {
    if (!wanted || wanted[i]) {
      outputs->value[i] = mbs_function_evaluate(system, &outputs->items[i].function, &simulation->state, NULL);
    }
    if (has_columns && (!wanted || wanted[i])) {
      differentiate(simulation, i);
    }
  }
  if (has_columns && simulation->events.count > 0) {
    mbs_system_use_step_columns(system, false);
  }
  mbs_system_take_derivatives(system, false);
}
