// The way back to extrema over the run (simulation/peaks.h): what an objective receives at a place within a step goes
// back over a step of that size to the state where it begins, aside from the run, and is added to what that state has
// received. Its time is a constant; where the step begins at an event, its size moves with that.
#include "sensitivities/adjoint.h"
#include "sensitivities/adjoint_events.h"
#include "terms/derivative_source.h"

void mbs_sweep_find_peaks(MbsSweep *sweep) {
  const MbsSimulation *simulation = sweep->simulation;
  for (int o = 0; o < sweep->objective_count; ++o) {
    bool is_extremum = simulation->objectives.items[sweep->objectives[o]].kind == MBS_OBJECTIVE_IS_EXTREMUM;
    sweep->peaks[o] = is_extremum ? mbs_peak_place(simulation, sweep->objectives[o]) : NULL;
  }
}

bool mbs_sweep_takes_value(const MbsSweep *sweep, int objective, const MbsStep *step, bool is_end) {
  const MbsPeakPlace *place = sweep->peaks[objective];
  const MbsObjectives *objectives = &sweep->simulation->objectives;
  if (objectives->items[sweep->objectives[objective]].kind == MBS_OBJECTIVE_IS_EQUILIBRIUM) {
    return step->number == 0;
  }
  return place ? place->is_before && place->step == step->number : is_end;
}

// What the run has come to stays: times, events, settings of inputs.
static void begin_at(MbsSimulation *simulation, const MbsCheckpoint *base) {
  const MbsStatistics statistics = simulation->statistics;
  const MbsEvents events = simulation->events;
  mbs_simulation_return(simulation, base);
  simulation->statistics = statistics;
  simulation->events = events;
}

// from the present state; has_moved: that is at an event
static MbsStatus go_aside(MbsContext *context, MbsSweep *sweep, int o, bool has_moved) {
  MbsSimulation *simulation = sweep->simulation;
  MbsSystem *system = simulation->system;
  MbsStepper *stepper = simulation->stepper;
  const MbsSweepAside *aside = &sweep->aside;
  const MbsPeakPlace *place = sweep->peaks[o];
  const MbsFunction *function = &simulation->objectives.items[sweep->objectives[o]].function;
  MbsStep step = mbs_peak_step(&simulation->path, place);
  bool is_step = place->tau > 0;
  if (is_step) {
    MBS_TRY(mbs_simulation_repeat_step(context, simulation, &step));
  }
  mbs_signal_bank_evaluate(system, &simulation->state);
  mbs_system_take_derivatives(system, true);
  mbs_sweep_clear_aside(sweep);
  (void)mbs_function_evaluate(system, function, &simulation->state, NULL);
  mbs_function_transposed(system, function, &simulation->state, 1, &aside->bar);
  if (is_step) {
    if (sweep->events) {
      mbs_system_use_step_columns(system, has_moved);
    }
    MBS_TRY(stepper->type->prepare(context, stepper, &step, &simulation->state));
    stepper->type->transposed(stepper, &step, NULL, &simulation->state, &aside->bar, aside->carry);
    mbs_system_fixed_transposed(system, simulation->state.t, &aside->bar, aside->gradient);
    if (sweep->events) {
      mbs_system_use_step_columns(system, true);
    }
    mbs_scalar *of_time = aside->bar.parameters + system->blueprint->clock;  // and of size
    if (has_moved) {
      sweep->events->of_size[o] += of_time[1];
    }
    of_time[0] = of_time[1] = 0;
    for (int k = 0; k < 2 && system->time_column >= 0; ++k) {
      aside->gradient[k == 0 ? system->time_column : system->step_column] = 0;
    }
  }
  mbs_sweep_add_aside(sweep, o, 1);
  mbs_system_take_derivatives(system, false);
  return MBS_OK;
}

MbsStatus mbs_sweep_visit_peaks(MbsContext *context, MbsSweep *sweep, const MbsStep *step) {
  bool has_moved = sweep->events && mbs_step_restarts(step);
  for (int o = 0; o < sweep->objective_count; ++o) {
    const MbsPeakPlace *place = sweep->peaks[o];
    if (place && !place->is_before && place->step == step->number) {
      begin_at(sweep->simulation, mbs_peaks_find(&sweep->simulation->peaks, place->objective)->base);
      MBS_TRY(go_aside(context, sweep, o, has_moved));
      if (sweep->events) {
        mbs_sweep_events_return(sweep, step);
      }
    }
  }
  return MBS_OK;
}
