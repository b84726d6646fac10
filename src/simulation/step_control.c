// See step_control.h.
#include "simulation/step_control.h"

#include <float.h>
#include <math.h>

#include "simulation/simulation.h"
#include "terms/derivative_source.h"

static const double safety = 0.9, least_factor = 0.2, most_factor = 6;

// ---- columns ----
static MbsStatus create_columns(MbsContext *context, const MbsSimulation *simulation, MbsStepControl *control) {
  const MbsSystem *system = simulation->system;
  mbs_scalar **const lists[] = {&control->columns.X, &control->columns.V, &control->columns.A, &control->columns.L,
                                &control->columns.S, &control->columns.K, &control->columns.T};
  if (!simulation->stepper->type->column_error) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "error_control sensitivities is not offered with integrator %s; use dormand-prince-5 or "
                    "dormand-prince-8",
                    simulation->settings.integrator);
  }
  for (int l = 0; l < MBS_COUNT(lists); ++l) {
    size_t length = (size_t)(l < 3 ? system->nq : system->m);
    MBS_TAKE(context, system->arena, *lists[l], length * (size_t)system->carried_count);
  }
  MBS_TAKE(context, system->arena, control->largest_of_column, 2 * system->asked_count);
  MBS_TAKE(context, system->arena, control->column_weights, 2 * system->n);
  return MBS_OK;
}

static void copy_columns(const MbsSystem *system, const MbsColumns *from, const MbsColumns *to) {
  const mbs_scalar *const sources[] = {from->X, from->V, from->A, from->L, from->S, from->K, from->T};
  mbs_scalar *const targets[] = {to->X, to->V, to->A, to->L, to->S, to->K, to->T};
  for (int l = 0; l < MBS_COUNT(sources); ++l) {
    (void)mbs_put(targets[l], (l < 3 ? system->nq : system->m) * system->carried_count, sources[l]);
  }
}

static double magnitude_of_parameter(const MbsSystem *system, int column) {
  double value = fabs(mbs_re(system->parameters[system->columns[column]]));  // real
  return value > 0 ? value : 1;
}

// the largest position and velocity of a column, times |p|, so far and now; but of states of first order
static void find_largest(const MbsSimulation *simulation, const MbsColumns *columns, int column, double largest[2]) {
  const MbsSystem *system = simulation->system;
  double p = magnitude_of_parameter(system, column);
  largest[0] = simulation->control.largest_of_column[2 * column];
  largest[1] = simulation->control.largest_of_column[2 * column + 1];
  for (int i = 0; i < system->first_state; ++i) {
    double unit = p * simulation->violation.per_unit[i];
    largest[0] = fmax(largest[0], fabs(mbs_re(columns->X[column * system->nq + i])) * unit);  // real
    largest[1] = fmax(largest[1], fabs(mbs_re(columns->V[column * system->nq + i])) * unit);  // real
  }
}

static void note_columns(const MbsSimulation *simulation, const MbsColumns *columns) {
  for (int k = 0; k < simulation->system->asked_count; ++k) {
    find_largest(simulation, columns, k, &simulation->control.largest_of_column[2 * k]);
  }
}

static double over(double x, double by) { return by > 0 ? x / by : 0; }

// from those of the state; states of first order have a scale each, and count against that of theirs
static void find_column_weights(const MbsSimulation *simulation, int column) {
  const double least = 1e-3;
  const MbsSystem *system = simulation->system;
  const MbsStepControl *control = &simulation->control;
  double p = magnitude_of_parameter(system, column), largest[2];
  find_largest(simulation, &control->columns, column, largest);
  for (int i = 0; i < system->n; ++i) {
    double unit = p * simulation->violation.per_unit[i];
    double own = p * fabs(mbs_re(control->columns.V[column * system->nq + i]));  // real
    bool is_state = mbs_system_is_state(system, i);
    control->column_weights[i] = is_state ? 0 : unit / fmax(least, largest[0]);  // real
    control->column_weights[system->n + i] =
        is_state ? over(p, fmax(least * over(1, control->weights[system->n + i]), own))  // real
                 : over(unit, fmax(least * control->fastest_tried, largest[1]));         // real
  }
}

// differentiates the step that was tried
static MbsStatus judge_columns(MbsContext *context, MbsSimulation *simulation, const MbsStep *step, double *error,
                               int *worst) {
  MbsSystem *system = simulation->system;
  MbsStepControl *control = &simulation->control;
  const MbsStepper *stepper = simulation->stepper;
  copy_columns(system, &simulation->columns, &control->columns);
  mbs_system_take_derivatives(system, true);
  MbsStatus status =
      stepper->type->derivative(context, simulation->stepper, step, &simulation->state, &control->columns);
  mbs_system_take_derivatives(system, false);
  mbs_signal_bank_evaluate(system, &simulation->state);
  for (int k = 0; k < system->asked_count && status == MBS_OK; ++k) {
    int own;
    find_column_weights(simulation, k);
    double of_column = stepper->type->column_error(stepper, step, &simulation->columns, &control->columns, k,
                                                   control->column_weights, &own) /
                       control->tolerance;
    if (!(of_column <= *error)) {
      *error = of_column;
      *worst = own;
      control->worst_column = k;
    }
  }
  control->is_differentiated = status == MBS_OK;
  return status;
}

bool mbs_control_take_columns(MbsSimulation *simulation, const MbsColumns *columns) {
  bool is_there = simulation->control.is_differentiated;
  if (is_there) {
    copy_columns(simulation->system, &simulation->control.columns, columns);
  }
  simulation->control.is_differentiated = false;
  return is_there;
}

MbsStatus mbs_control_create(MbsContext *context, MbsSimulation *simulation) {
  MbsStepControl *control = &simulation->control;
  const MbsSystem *system = simulation->system;
  *control = (MbsStepControl){.tolerance = simulation->settings.step_tolerance};
  if (control->tolerance > 0) {
    MBS_CHECK(context, simulation->stepper->type->error);  // settings were checked
    MBS_TAKE(context, system->arena, control->largest, system->n);
    MBS_TAKE(context, system->arena, control->weights, 2 * system->n);
  }
  control->has_columns = control->tolerance > 0 && simulation->settings.is_column_controlled;
  return control->has_columns ? create_columns(context, simulation, control) : MBS_OK;
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
    for (int i = 0; i < 2 * simulation->system->asked_count && control->has_columns; ++i) {
      control->largest_of_column[i] = 0;
    }
    control->is_differentiated = false;
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

// with what the tried step has come to; what rests, and has always, has no weight
static void find_weights(const MbsSimulation *simulation, MbsStepControl *control) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  double fastest = control->fastest;
  for (int i = 0; i < system->n; ++i) {
    double rate = fabs(mbs_re(state->v[i])) * simulation->violation.per_unit[i];  // real
    fastest = mbs_system_is_state(system, i) ? fastest : fmax(fastest, rate);     // real
  }
  control->fastest_tried = fastest;
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
  int column = simulation->control.worst_column;
  const char *parameter = column >= 0 ? system->blueprint->parameters.items[system->columns[column]].name : "";
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, mbs_nowhere,
      "the step size collapses at t = %.10g: %s%s%s%s%s%s%s asks for ever smaller ones; make laws that jump there "
      "smooth or let an event locate them, take a larger step tolerance than %.3g, or, of a stiff model, an "
      "implicit integrator",
      mbs_re(begin), is_known ? is_velocity ? "the velocity of " : "the position of " : "what fails there",
      is_known ? "\"" : "", name, is_known ? "\"" : "", column >= 0 ? ", in its derivative by \"" : "", parameter,
      column >= 0 ? "\"" : "", simulation->control.tolerance);
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
  control->worst_column = -1;
  if (error <= 1 && control->has_columns && simulation->has_columns) {
    MBS_TRY(judge_columns(context, simulation, step, &error, &worst));
  }
  *is_accepted = error <= 1;
  if (*is_accepted) {
    double small = fmax(error, 1e-10);                                                        // real
    double factor = safety * pow(small, 0.75 * beta - 1 / order) * pow(control->last, beta);  // real
    factor = fmax(least_factor, fmin(control->is_rejected ? 1 : most_factor, factor));        // real
    note(simulation, control);
    if (control->is_differentiated) {
      note_columns(simulation, &control->columns);
    }
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
