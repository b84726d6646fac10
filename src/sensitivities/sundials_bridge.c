// Runs by SUNDIALS: what they are offered for, their start, what comes out. See sundials.h.
#include "sensitivities/sundials.h"

#include <cvodes/cvodes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sundials/sundials_version.h>

#include "integrators/integrator.h"
#include "sensitivities/owned_result.h"
#include "sensitivities/sundials_run.h"

static const double default_tolerance = 1e-10;

const char *mbs_sundials_version(void) { return SUNDIALS_VERSION; }

// ---- what they are offered for ----
static bool is_idas(MbsMethod method) { return method == MBS_METHOD_IDAS_FORWARD || method == MBS_METHOD_IDAS_ADJOINT; }

static bool is_adjoint(MbsMethod method) {
  return method == MBS_METHOD_CVODES_ADJOINT || method == MBS_METHOD_IDAS_ADJOINT;
}

static MbsStatus check_formulation(MbsContext *context, const MbsSimulation *simulation, MbsMethod method) {
  const MbsFormulationType *type = simulation->formulation.type;
  const MbsModel *model = simulation->system->blueprint->model;
  MbsPlace place = mbs_model_setting_place(model, MBS_SIMULATION_FORMULATION, simulation->settings.formulation);
  if (!is_idas(method) && !type->has_backward_equations && simulation->system->m > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, place,
                    "CVODES is not offered with formulation %s where there are constraints: it takes differential "
                    "equations; use penalty or matrix-r, or IDAS with index1",
                    type->name);
  }
  if (is_idas(method) && (type->is_position_level || type->allows_redundancy)) {
    return mbs_fail(
        context, MBS_ERROR_NOT_OFFERED, place,
        "IDAS is not offered with formulation %s: it takes equations of index 1; use index1, or CVODES with "
        "penalty or matrix-r",
        type->name);
  }
  if (type->is_reduced && mbs_system_is_nonholonomic(simulation->system)) {
    return mbs_fail(
        context, MBS_ERROR_NOT_OFFERED, place,
        "CVODES is not offered with nonholonomic constraints and formulation matrix-r, whose velocities are "
        "fewer than its positions; use penalty");
  }
  return MBS_OK;
}

static MbsStatus check(MbsContext *context, const MbsSimulation *simulation, const MbsRequest *request) {
  if (simulation->settings.is_kinematic) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "CVODES and IDAS are not offered for kinematics, which has no equations of motion");
  }
  for (int i = 0; i < simulation->events.count; ++i) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, simulation->events.items[i].spec->text.place,
                    "CVODES and IDAS are not offered for models with events, nor for maxima, minima and values at a "
                    "time, which are found as events are");
  }
  if (simulation->system->blueprint->trim.unknowns.count > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, simulation->system->blueprint->trim.unknowns.items[0].place,
                    "CVODES and IDAS are not offered where the start is solved for parameters (equilibrium: solve)");
  }
  for (int i = 0; i < simulation->objectives.count; ++i) {
    if (simulation->objectives.items[i].is_wanted &&
        simulation->objectives.items[i].kind == MBS_OBJECTIVE_IS_EIGENVALUE) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, simulation->objectives.items[i].function.place,
                      "CVODES and IDAS are not offered with eigenvalues as objectives: name others");
    }
  }
  if (request->settings.derivatives != MBS_DERIVATIVES_ANALYTICAL) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "CVODES and IDAS are not offered with derivatives other than analytical ones");
  }
  if (request->recorder) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "histories are not offered by CVODES and IDAS, which have steps of their own; use method direct");
  }
  return check_formulation(context, simulation, request->method);
}

// after the start
static MbsStatus check_motion(MbsContext *context, const MbsSimulation *simulation) {
  int count = simulation->stepper->type->backward->count(simulation->stepper);
  return count > 0 ? MBS_OK
                   : mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                              "CVODES is not offered where drivers prescribe the whole motion and formulation matrix-r "
                              "has no coordinate to integrate; use penalty, or IDAS with index1");
}

// ---- what they are made of ----
void mbs_sundials_listen(int code, const char *module, const char *function, char *message, void *user) {
  MbsThirdPartyRun *run = user;
  if (code < 0) {
    (void)snprintf(run->told, sizeof run->told, "%.40s %.40s: %.160s", module, function, message);
  }
}

MbsStatus mbs_sundials_fail(const MbsThirdPartyRun *run, const char *package, int code) {
  MbsContext *context = run->flow.context;
  if (context->status != MBS_OK) {
    return context->status;
  }
  bool has_trouble = run->flow.trouble[0] != '\0';
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere, "%s gives up after %ld steps, code %d (%s%s%s)", package,
                  run->steps, code, run->told[0] ? run->told : "no message", has_trouble ? "; " : "",
                  run->flow.trouble);
}

// how far constraints are off at the end; of energy nothing is known
void mbs_sundials_observe(MbsThirdPartyRun *run, long iterations) {
  MbsSimulation *simulation = run->flow.simulation;
  MbsStatistics *statistics = &simulation->statistics;
  double *const residuals[] = {&statistics->residual_position, &statistics->residual_velocity,
                               &statistics->residual_acceleration};
  int m = run->flow.system->m;
  double *level = simulation->levels;
  mbs_terms_constraints(run->flow.system, &simulation->state, level, level + m, level + 2 * m);
  for (int i = 0; i < 3 * m; ++i) {
    *residuals[i / m] = fmax(*residuals[i / m], fabs(level[i]));
  }
  statistics->energy_drift = (double)NAN;
  statistics->steps = run->steps;
  statistics->iterations = iterations;
  statistics->segments = 0;  // of a trajectory
}

bool mbs_sundials_goes_on(const MbsThirdPartyRun *run, double fraction) {
  enum { STEPS_PER_REPORT = 64 };
  MbsContext *context = run->flow.context;
  if (context->keep_going && run->steps % STEPS_PER_REPORT == 0 && !context->keep_going(context->user, fraction)) {
    (void)mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped at t = %.6g", fraction * run->end);
    return false;
  }
  return true;
}

void mbs_sundials_give(MbsThirdPartyRun *run, const double *integrals, const double *slopes) {
  MbsObjectives *objectives = &run->flow.simulation->objectives;
  const MbsState *state = &run->flow.simulation->state;
  int columns = run->flow.column_count;
  mbs_signal_bank_evaluate(run->flow.system, state);
  if (slopes) {
    mbs_signal_bank_differentiate(run->flow.system, state, &run->flow.simulation->columns);
  }
  for (int i = 0; i < objectives->count; ++i) {
    const MbsObjective *objective = &objectives->items[i];
    if (!objective->is_needed || objective->kind != MBS_OBJECTIVE_IS_FINAL) {
      continue;
    }
    objectives->value[i] = mbs_function_evaluate(run->flow.system, &objective->function, state, NULL);
    for (int k = 0; k < columns && slopes; ++k) {
      objectives->gradient[i * objectives->stride + k] = mbs_function_derivative(
          run->flow.system, &objective->function, state, k, &run->flow.simulation->columns, NULL);
    }
  }
  for (int i = 0; i < run->integral_count; ++i) {
    objectives->value[run->integrals[i]] = integrals[i];
    for (int k = 0; k < columns && slopes; ++k) {
      objectives->gradient[run->integrals[i] * objectives->stride + k] = slopes[i * columns + k];
    }
  }
}

MbsStatus mbs_sundials_give_adjoint(MbsThirdPartyRun *run, int objective, const double *mu, const double *integral,
                                    const double *of_end) {
  MbsSimulation *simulation = run->flow.simulation;
  MbsSweep *sweep = run->flow.session->sweep;
  const MbsStateBar *bar = &sweep->bars[objective];
  double *gradient = simulation->objectives.gradient + sweep->objectives[objective] * simulation->objectives.stride;
  size_t size = 2 * (size_t)run->flow.count * sizeof *mu;
  memcpy(run->mu, mu, size);
  mbs_bar_clear(run->flow.system, bar);
  mbs_signal_bank_evaluate(run->flow.system, &simulation->state);
  simulation->stepper->type->backward->give(simulation->stepper, 0, &simulation->state, bar, run->mu);
  MBS_TRY(mbs_initial_factor(run->flow.context, simulation->initial, &simulation->state));
  mbs_initial_transposed(simulation->initial, &simulation->state, bar);
  mbs_system_fixed_transposed(run->flow.system, simulation->state.t, bar, sweep->gradient[objective]);
  mbs_sweep_chain(sweep, objective, gradient);
  for (int k = 0; k < run->flow.column_count; ++k) {
    gradient[k] += integral[k] + of_end[k];
  }
  return MBS_OK;
}

// ---- a run ----
static MbsStatus create(MbsContext *context, const MbsRequest *request, MbsSession *session, MbsThirdPartyRun *run) {
  const MbsSimulation *simulation = session->simulation;
  MbsArena *arena = simulation->arena;
  int columns = simulation->system->column_count, count = simulation->objectives.count,
      length = 2 * simulation->system->n;
  run->tolerance = request->sundials_tolerance > 0 ? request->sundials_tolerance : default_tolerance;
  run->end = simulation->settings.end;
  run->longest = 10 * simulation->settings.step;
  MBS_TAKE(context, arena, run->integrals, count);
  for (int i = 0; i < count; ++i) {
    const MbsObjective *objective = &simulation->objectives.items[i];
    if (objective->is_needed && objective->kind == MBS_OBJECTIVE_IS_INTEGRAL) {
      run->integrals[run->integral_count++] = i;
    }
  }
  MBS_TAKE(context, arena, run->slopes, run->integral_count * columns);
  MBS_TAKE(context, arena, run->scales, columns);
  MBS_TAKE(context, arena, run->columns, columns);
  MBS_TAKE(context, arena, run->mu,
           simulation->stepper->carry_size > length ? simulation->stepper->carry_size : length);
  if (is_idas(request->method)) {
    int size = simulation->system->n + simulation->system->m;
    MBS_TAKE(context, arena, run->unit, simulation->system->nq + simulation->system->m);
    MBS_TAKE(context, arena, run->u, size);
    MBS_TAKE(context, arena, run->dense, (size_t)size * (size_t)size);
    MBS_TAKE(context, arena, run->pivot, size);
  }
  for (int k = 0; k < columns; ++k) {
    double value = fabs(simulation->system->parameters[simulation->system->columns[k]]);
    run->scales[k] = value > 0 ? value : 1;
  }
  MBS_TRY(mbs_flow_create(context, session, &run->flow));
  return mbs_simulation_save(context, simulation, &run->start);
}

static MbsStatus integrate(MbsContext *context, const MbsRequest *request, MbsThirdPartyRun *run) {
  MbsSimulation *simulation = run->flow.simulation;
  bool backward = is_adjoint(request->method);
  int code = 0;
  double began = mbs_simulation_now();
  if (SUNContext_Create(NULL, &run->sundials) != 0) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  static MbsStatus (*const solvers[2][2])(MbsThirdPartyRun *, bool, int *) = {{mbs_cvodes_forward, mbs_cvodes_adjoint},
                                                                              {mbs_idas_forward, mbs_idas_adjoint}};
  MbsStatus (*const solve)(MbsThirdPartyRun *, bool, int *) = solvers[is_idas(request->method)][backward];
  const long first = 2000, most = 2000000;  // room for steps
  MbsStatus status = MBS_ERROR_NUMERICAL;
  bool is_stiff = false;
  run->stored = first;
  while (status == MBS_ERROR_NUMERICAL) {
    context->status = MBS_OK;
    mbs_simulation_restore(simulation, &run->start);
    run->flow.is_placed = false;
    run->flow.end = (double)INFINITY;
    status = solve(run, is_stiff, &code);
    bool is_too_long = code == CV_TOO_MUCH_WORK, has_room = !backward || run->steps <= run->stored;
    if (!is_too_long || (has_room && is_stiff) || (!has_room && run->stored >= most)) {
      break;
    }
    is_stiff = is_stiff || has_room;
    run->stored = has_room ? first : 8 * run->stored;
  }
  (void)SUNContext_Free(&run->sundials);
  MBS_TRY(status);
  mbs_objectives_chain(&simulation->objectives, &simulation->state);
  simulation->statistics.seconds_sensitivity = mbs_simulation_now() - began;
  return MBS_OK;
}

static MbsStatus run_session(MbsContext *context, MbsArena *arena, const MbsRequest *request, MbsSession *session,
                             MbsResult *result) {
  MbsThirdPartyRun run = {.steps = 0};
  MBS_TRY(check(context, session->simulation, request));
  MBS_TRY(mbs_session_start(context, session));
  MBS_TRY(check_motion(context, session->simulation));
  MBS_TRY(create(context, request, session, &run));
  MBS_TRY(integrate(context, request, &run));
  return mbs_session_result(context, arena, session, result);
}

MbsStatus mbs_sundials_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                           MbsResult *result) {
  MbsSelection selection;
  MbsSession *session;
  MBS_TRY(mbs_selection_create(context, arena, model, request, &selection));
  MBS_TRY(mbs_selection_check(context, model, request, &selection));
  MbsSettings settings = request->settings;
  if (mbs_integrator_has_stages(&settings)) {  // these have no equations at an instant by themselves
    (void)snprintf(settings.integrator, sizeof settings.integrator, "auto");
    settings.step_tolerance = 0;
    settings.is_column_controlled = false;
  }
  const MbsTwinRequest twin = {.settings = settings,
                               .column_count = selection.parameter_count,
                               .columns = selection.parameters,
                               .is_adjoint = is_adjoint(request->method),
                               .objective_count = selection.objective_count,
                               .objectives = selection.objectives,
                               .perturbed = -1};
  MBS_TRY(mbs_session_create(context, model, &twin, &session));
  MbsStatus status = run_session(context, arena, request, session, result);
  mbs_session_destroy(session);
  MBS_TRY(status);
  return mbs_result_describe(context, arena, model, request, &selection, result);
}
