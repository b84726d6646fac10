// See step_control.h.
#include "simulation/step_control.h"

#include <float.h>
#include <math.h>

#include "simulation/simulation.h"

static const double safety = 0.9, least_factor = 0.2, most_factor = 6;

MbsStatus mbs_control_create(MbsContext *context, MbsSimulation *simulation) {
  MbsStepControl *control = &simulation->control;
  const MbsSystem *system = simulation->system;
  *control = (MbsStepControl){.tolerance = simulation->settings.step_tolerance};
  if (control->tolerance > 0) {
    MBS_CHECK(context, simulation->stepper->type->error);  // settings were checked
    MBS_TAKE(context, system->arena, control->largest, system->n);
    MBS_TAKE(context, system->arena, control->weights, 2 * system->n);
  }
  return MBS_OK;
}

// velocities and states at a state that is accepted
static void note(const MbsSimulation *simulation, MbsStepControl *control) {
  const MbsSystem *system = simulation->system;
  for (int i = 0; i < system->n; ++i) {
    double v = fabs(mbs_re(simulation->state.v[i]));  // real
    if (mbs_system_is_state(system, i)) {
      control->largest[i] = fmax(control->largest[i], v);  // real
    } else {
      control->fastest = fmax(control->fastest, v * simulation->violation.per_unit[i]);  // real
    }
  }
}

void mbs_control_start(MbsSimulation *simulation) {
  MbsStepControl *control = &simulation->control;
  if (control->tolerance > 0) {
    control->h = simulation->settings.step;
    control->last = 1e-4;
    control->is_rejected = false;
    control->fastest = 0;
    for (int i = 0; i < simulation->system->n; ++i) {
      control->largest[i] = 0;
    }
    note(simulation, control);
  }
}

// the last one before a planned time is no crumb: two of them share what is left
void mbs_control_plan(const MbsSimulation *simulation, MbsStep *step) {
  const double nearly = 1.01;
  mbs_scalar left = step->t - simulation->state.t;
  double h = simulation->control.h, most = mbs_re(left);
  if (most <= nearly * h) {
    step->h = left;
    return;
  }
  step->h = most < 2 * h ? left / 2 : h;
  step->t = simulation->state.t + step->h;
}

static double over(double x, double by) { return by > 0 ? x / by : 0; }

// with what the tried step has come to; what rests, and has always, has no weight
static void find_weights(const MbsSimulation *simulation, const MbsStepControl *control) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  double fastest = control->fastest;
  for (int i = 0; i < system->n; ++i) {
    double rate = fabs(mbs_re(state->v[i])) * simulation->violation.per_unit[i];  // real
    fastest = mbs_system_is_state(system, i) ? fastest : fmax(fastest, rate);     // real
  }
  for (int i = 0; i < system->n; ++i) {
    double unit = simulation->violation.per_unit[i], q = fabs(mbs_re(state->q[i]));  // real
    double largest = fmax(control->largest[i], fabs(mbs_re(state->v[i])));           // real
    bool is_state = mbs_system_is_state(system, i);
    control->weights[i] = is_state ? 0 : unit / fmax(1, q * unit);  // real
    control->weights[system->n + i] = is_state ? over(1, largest) : over(unit, fastest);
  }
}

static MbsStatus collapse(MbsContext *context, const MbsSimulation *simulation, mbs_scalar begin, int worst) {
  const MbsSystem *system = simulation->system;
  bool is_known = worst >= 0, is_velocity = is_known && worst >= system->n;
  const char *name = is_known ? system->coordinate_names[worst % system->n] : "";
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, mbs_nowhere,
      "the step size collapses at t = %.10g: %s%s%s%s asks for ever smaller ones; make laws that jump there "
      "smooth or let an event locate them, take a larger step tolerance than %.3g, or, of a stiff model, an "
      "implicit integrator",
      mbs_re(begin), is_known ? is_velocity ? "the velocity of " : "the position of " : "what fails there",
      is_known ? "\"" : "", name, is_known ? "\"" : "", simulation->control.tolerance);
}

MbsStatus mbs_control_judge(MbsContext *context, MbsSimulation *simulation, mbs_scalar begin, MbsStatus status,
                            MbsStep *step, bool *is_accepted) {
  MbsStepControl *control = &simulation->control;
  const MbsStepper *stepper = simulation->stepper;
  double h = mbs_re(step->h), order = stepper->error_order, beta = order < 8 ? 0.04 : 0, error = HUGE_VAL;
  int worst = -1;
  if (status != MBS_OK && status != MBS_ERROR_NUMERICAL) {
    return status;
  }
  if (status == MBS_OK) {
    find_weights(simulation, control);
    error = stepper->type->error(stepper, step, &simulation->state, control->weights, &worst) / control->tolerance;
  }
  *is_accepted = error <= 1;
  if (*is_accepted) {
    double small = fmax(error, 1e-10);                                                        // real
    double factor = safety * pow(small, 0.75 * beta - 1 / order) * pow(control->last, beta);  // real
    factor = fmax(least_factor, fmin(control->is_rejected ? 1 : most_factor, factor));        // real
    note(simulation, control);
    bool is_cut = h < control->h;  // for a planned time: that says nothing about the next
    control->h = is_cut ? fmax(control->h, factor * h) : factor * h;  // real
    control->last = fmax(error, 1e-4);                                // real
    control->is_rejected = false;
    return MBS_OK;
  }
  double factor = isfinite(error) ? safety * pow(error, -1 / order) : 0;  // real
  control->is_rejected = true;
  h *= fmax(least_factor, factor);                                                              // real
  if (!(h > 16 * DBL_EPSILON * fmax(fabs(mbs_re(begin)), 1e-3 * simulation->settings.step))) {  // real
    return status == MBS_OK ? collapse(context, simulation, begin, worst) : status;
  }
  step->h = control->h = h;
  step->t = begin + h;
  return MBS_OK;
}
