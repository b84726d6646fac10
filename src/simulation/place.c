// New numbers from outside, checked: values of parameters, and a state to go on from.
#include <math.h>

#include "kinematics/equilibrium.h"
#include "simulation/simulation.h"

// ---- parameters ----
void mbs_simulation_set_parameters(MbsSimulation *simulation, const double *values) {
  MbsBlueprint *blueprint = simulation->system->blueprint;
  for (int i = 0; i < blueprint->clock; ++i) {
    blueprint->parameters.items[i].nominal = values[i];
  }
  blueprint->nominal.count = 0;  // to be evaluated again
  mbs_system_set_parameters(simulation->system, values);
  if (simulation->initial->equilibrium) {
    mbs_equilibrium_take_guess(simulation->initial);
  }
}

MbsStatus mbs_simulation_check_parameters(MbsContext *context, const MbsSimulation *simulation) {
  const MbsCoefficients *coefficients = &simulation->system->coefficients;
  MBS_TRY(mbs_blueprint_check_again(context, simulation->system->blueprint));
  for (int i = 0; i < coefficients->nodes.count; ++i) {
    if (!mbs_is_finite(coefficients->outputs[i])) {
      return mbs_fail(
          context, MBS_ERROR_INPUT, mbs_nowhere,
          "with these values of the parameters the model has no meaning in the coordinates that were chosen "
          "for it (a length is zero, or points of a body come into line): create a simulator of a model "
          "with these numbers");
    }
  }
  return MBS_OK;
}

// ---- a state ----
// its independent coordinates and their rates are kept, and all others follow
static MbsStatus complete(MbsContext *context, MbsSimulation *simulation) {
  const MbsSystem *system = simulation->system;
  MbsInitial *initial = simulation->initial;
  MbsState *state = &simulation->state;
  mbs_signal_bank_follow(system, state);
  for (int i = 0; i < initial->set.count; ++i) {
    system->independents.value[2 * i] = mbs_independent_set_value(&initial->set, i, state);
    system->independents.value[2 * i + 1] =
        mbs_function_evaluate(system, &initial->set.independents[i].rate, state, NULL);
  }
  MbsStatus status = mbs_initial_solve(context, initial, state, false);
  for (int i = 0; i < system->independents.count; ++i) {  // as the model has them
    system->independents.value[i] = system->coefficients.outputs[system->independents.index[i]];
  }
  return status;
}

static MbsStatus check_constraints(MbsContext *context, MbsSimulation *simulation, double most) {
  const char *const levels[] = {"position", "velocity"};
  double off[2], left[2];
  int row[2];
  mbs_violation_find(simulation, off, left, row);
  for (int l = 0; l < 2; ++l) {
    if (off[l] > most || isnan(off[l])) {
      const MbsRowSpec *spec = &simulation->system->blueprint->rows.items[row[l]];
      return mbs_fail(context, MBS_ERROR_INPUT, spec->place,
                      "the state does not meet its constraints: the %s of \"%s\" is off by %.3g, %.2g of the "
                      "mechanism's %s; give a state that does, or let it be projected",
                      levels[l], spec->name, left[l], off[l], l == 0 ? "size" : "largest velocity");
    }
  }
  return MBS_OK;
}

static MbsStatus check(MbsContext *context, MbsSimulation *simulation) {
  MBS_TRY(check_constraints(context, simulation, 1e-3));  // from there on a run warns
  mbs_signal_bank_accept(simulation->system, &simulation->state, false);
  return MBS_OK;
}

static MbsStatus place(MbsContext *context, MbsSimulation *simulation, const double *position, const double *velocity,
                       bool is_projected) {
  MbsState *state = &simulation->state;
  MbsStepper *stepper = simulation->stepper;
  for (int i = 0; i < simulation->system->n; ++i) {
    state->q[i] = position[i];
    state->v[i] = velocity[i];
  }
  if (simulation->events.do_branches_prescribe) {
    MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_POSITIONS));
  }
  MBS_TRY((is_projected ? complete : check)(context, simulation));
  MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_VELOCITIES));
  MBS_TRY(stepper->type->start(context, stepper, simulation->followed, state));
  MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_ACCELERATIONS));
  mbs_signal_bank_evaluate(simulation->system, state);
  simulation->is_started = false;  // conditions hold from here on
  MBS_TRY(mbs_simulation_check_conditions(context, simulation));
  simulation->is_started = true;
  mbs_guards_start(&simulation->guards, state);
  mbs_events_place(simulation);
  mbs_simulation_balance_energy(simulation, NULL);
  mbs_objectives_restart(&simulation->objectives, state, NULL);
  return mbs_objectives_check(context, &simulation->objectives, mbs_re(state->t));
}

MbsStatus mbs_simulation_place(MbsContext *context, MbsSimulation *simulation, const double *position,
                               const double *velocity, bool is_projected) {
  MBS_TRY(mbs_simulation_save(context, simulation, &simulation->before));
  MbsStatus status = place(context, simulation, position, velocity, is_projected);
  if (status != MBS_OK) {
    mbs_simulation_restore(simulation, &simulation->before);
  }
  return status;
}

// ---- a start ----
MbsStatus mbs_simulation_take_given(MbsContext *context, MbsSimulation *simulation) {
  const MbsGivenStart *given = &simulation->given;
  const MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  MbsStepper *stepper = simulation->stepper;
  for (int i = 0; i < system->n; ++i) {
    state->q[i] = given->q[i];
    state->v[i] = given->v[i];
  }
  if (simulation->events.do_branches_prescribe) {
    MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_POSITIONS));
  }
  mbs_turns_forget(simulation->initial);
  mbs_signal_bank_accept(system, state, true);
  mbs_violation_start(simulation, &simulation->violation);
  // what a step before has led to may be off by as much as its formulation lets it be (velocities of index3 by h^2)
  MBS_TRY(check_constraints(context, simulation, 0.1));
  mbs_signal_bank_accept(system, state, true);
  MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_VELOCITIES));
  MBS_TRY(stepper->type->start(context, stepper, simulation->followed, state));
  return mbs_events_settle(context, simulation, MBS_KNOWN_ACCELERATIONS);
}

MbsStatus mbs_simulation_take_given_columns(MbsContext *context, MbsSimulation *simulation) {
  const MbsGivenStart *given = &simulation->given;
  const MbsSystem *system = simulation->system;
  const MbsColumns *columns = &simulation->columns;
  const MbsStep start = {0};
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = 0; i < system->n; ++i) {
      columns->X[k * system->nq + i] = k == given->seed ? given->X[i] : 0;
      columns->V[k * system->nq + i] = k == given->seed ? given->V[i] : 0;
    }
  }
  mbs_system_fixed_columns(system, simulation->state.t, columns->X, columns->V, columns->A);
  return simulation->stepper->type->derivative(context, simulation->stepper, &start, &simulation->state, columns);
}
