#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "algebra/perturbation.h"
#include "coordinates/compile.h"
#include "expressions/external.h"
#include "integrators/integrator.h"
#include "kinematics/equilibrium.h"
#include "kinematics/start.h"
#include "model/trim.h"
#include "terms/derivative_source.h"

double mbs_simulation_now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// sigma and kappa where nothing is projected are no zeros but mistakes
static MbsStatus refuse_projection_signals(MbsContext *context, const MbsSimulation *simulation) {
  const MbsBlueprint *blueprint = simulation->system->blueprint;
  bool has_projections = simulation->formulation.type->has_projections && simulation->settings.projections >= 0;
  bool is_coupled = mbs_integrator_kind(&simulation->settings) == MBS_INTEGRATOR_COUPLED;
  for (int i = 0; i < blueprint->signals.count; ++i) {
    const MbsSignal *signal = &blueprint->signals.items[i];
    bool is_sigma = signal->kind == MBS_SIGNAL_MULTIPLIER && signal->component == MBS_MULTIPLIER_SIGMA;
    bool is_kappa = signal->kind == MBS_SIGNAL_MULTIPLIER && signal->component == MBS_MULTIPLIER_KAPPA;
    if (is_kappa && has_projections && is_coupled) {
      return mbs_fail(
          context, MBS_ERROR_INPUT, mbs_nowhere,
          "%s: kappa() is the multiplier of a projection of accelerations, which integrator %s does not do: "
          "its accelerations solve the equations of motion, and lambda() is all of the multiplier",
          blueprint->model->file, simulation->settings.integrator);
    }
    if ((is_sigma || is_kappa) && !has_projections) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                      "%s: sigma() and kappa() are multipliers of the projections, which formulation %s%s does not do; "
                      "use ali3p",
                      blueprint->model->file, simulation->settings.formulation,
                      simulation->formulation.type->has_projections ? " with projections none" : "");
    }
  }
  return MBS_OK;
}

// A program's function without derivatives can be stepped with, not differentiated.
MbsStatus mbs_simulation_check_slopes(MbsContext *context, const MbsModel *model) {
  for (int i = 0; i < model->external_count; ++i) {
    if (!mbs_external_has_slopes(&model->externals[i])) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                      "function \"%s\" of the program has no derivatives: let it fill slopes, or give it in complex "
                      "arithmetic too; or take finite differences, of runs or (derivatives numerical) of terms",
                      model->externals[i].name);
    }
  }
  return MBS_OK;
}

// Coupled stages need one, and the steps of matrix-r form J of it, instead of one product for each direction.
static bool wants_plain_matrix(const MbsSettings *settings) {
  const char *nearest = NULL;
  const MbsFormulationType *type = mbs_formulation_find(settings->formulation, &nearest);
  MbsIntegratorKind kind = mbs_integrator_kind(settings);
  return kind == MBS_INTEGRATOR_COUPLED || (kind == MBS_INTEGRATOR_RULE && type && type->is_reduced);
}

MbsStatus mbs_simulation_compile(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsSettings *settings,
                                 int column_count, const int *columns, bool is_carried, const double *values,
                                 MbsSystem **system) {
  MbsBlueprint *blueprint;
  if (settings
          ->is_kinematic) {  // accelerations that meet the constraints exactly, and their forces; see driven_freedoms.c
    bool has_states = mbs_record_value(&model->root, MBS_MODEL_STATES)->count > 0;
    (void)snprintf(settings->formulation, MBS_NAME_LENGTH, has_states ? "ali3p" : "index1");
    settings->is_stabilised = false;
    if (mbs_integrator_has_stages(settings)) {  // nothing is integrated but objectives
      (void)snprintf(settings->integrator, MBS_NAME_LENGTH, "trapezoidal");
      settings->step_tolerance = 0;
      settings->is_column_controlled = false;
    }
  }
  MBS_TRY(mbs_settings_complete(context, model, settings));
#ifdef MBS_COMPLEX
  MBS_TRY(mbs_simulation_check_slopes(context, model));
#endif
  // above the second one, by themselves or extrapolated
  bool has_order = mbs_integrator_has_stages(settings) || (settings->accuracy > 0 && !settings->is_kinematic);
  const MbsCoordinateChoice choice = {.is_relative = strcmp(settings->coordinates, "relative") == 0,
                                      .keeps_jumps = settings->is_kinematic,
                                      .splits_at_kinks = has_order,
                                      .has_plain_matrix = wants_plain_matrix(settings),
                                      .has_end = settings->end_in_model > 0 && settings->end == settings->end_in_model,
                                      .has_trim = mbs_trim_is_active(model, settings->is_equilibrium),
                                      .has_no_outputs = settings->has_no_outputs,
                                      .columns = settings->columns[0] ? settings->columns : NULL,
                                      .tree = settings->tree,
                                      .cut = settings->cut};
  MBS_TRY(mbs_compile(context, arena, model, &choice, &blueprint));
  MBS_TRY(mbs_start_complete(context, model, blueprint));
  double *nominal;
  MBS_TAKE(context, arena, nominal, blueprint->parameters.count);
  for (int i = 0; i < blueprint->parameters.count; ++i) {
    nominal[i] = values && i < blueprint->clock ? values[i] : blueprint->parameters.items[i].nominal;
  }
  if (settings->is_kinematic) {
    MBS_TRY(mbs_drive_freedoms(context, blueprint));
  }
  MBS_TRY(mbs_compile_choose_independents(context, blueprint, settings->independent));
  int *all, count = column_count;
  bool has_own = column_count > 0 || !is_carried;  // a sweep may be for these alone
  int solved_count = blueprint->trim.unknowns.count;
  MBS_TAKE(context, arena, all, column_count + 2 + blueprint->variable_count + solved_count);
  for (int k = 0; k < column_count; ++k) {
    all[k] = columns[k];
  }
  for (int k = 0; k < solved_count; ++k) {  // of what an equilibrium is solved for, by itself
    int parameter = blueprint->trim.unknowns.items[k].parameter;
    if (parameter < blueprint->clock || !has_own) {  // else it is one of the variables
      all[count++] = parameter;
    }
  }
  for (int k = 0; k < blueprint->variable_count && has_own; ++k) {
    all[count++] = blueprint->variable_first + k;
  }
  bool asks_for_time = false;  // who does so himself makes no steps
  for (int k = 0; k < column_count; ++k) {
    asks_for_time = asks_for_time || columns[k] == blueprint->clock;
  }
  for (int k = 0; k < 2 && has_own && blueprint->events.count > 0 && !asks_for_time; ++k) {  // of a step by itself
    all[count++] = blueprint->clock + k;
  }
  MBS_TRY(mbs_system_create(context, arena, blueprint, count, all, is_carried && column_count > 0, NULL, system));
  (*system)->asked_count = column_count;
  (*system)->own_count = count - column_count;
  mbs_system_set_parameters(*system, nominal);
  return MBS_OK;
}

static MbsStatus create_equilibrium(MbsContext *context, const MbsModel *model, MbsSimulation *simulation) {
  const MbsRecord *section = mbs_record_child(&model->root, MBS_MODEL_EQUILIBRIUM);
  bool is_steady = section && strcmp(mbs_record_text(section, MBS_EQUILIBRIUM_STEADY).text, "yes") == 0;
  if (!mbs_trim_is_active(model, simulation->settings.is_equilibrium)) {
    return MBS_OK;
  }
  MBS_TRY(mbs_equilibrium_create(context, simulation->initial, is_steady, simulation->settings.is_equilibrium));
  if (simulation->system->blueprint->branches.count > 0) {
    simulation->initial->equilibrium->follow_bends = mbs_events_follow_bends;
    simulation->initial->equilibrium->user = simulation;
  }
  return MBS_OK;
}

static MbsStatus create(MbsContext *context, const MbsModel *model, int column_count, const int *columns,
                        bool is_carried, const double *values, MbsSimulation *simulation) {
  MbsArena *arena = simulation->arena;
  MBS_TRY(mbs_simulation_compile(context, arena, model, &simulation->settings, column_count, columns, is_carried,
                                 values, &simulation->system));
  MbsSystem *system = simulation->system;
  if (simulation->settings.is_about_mass_centres) {
    MBS_TRY(mbs_system_refer_to_mass_centres(context, system));
  }
  MBS_TRY(mbs_state_create(context, system, &simulation->state));
  MBS_TAKE(context, arena, simulation->guess, system->nq);
  mbs_scalar **const given[] = {&simulation->given.q, &simulation->given.v, &simulation->given.X, &simulation->given.V};
  for (int i = 0; i < MBS_COUNT(given); ++i) {
    MBS_TAKE(context, arena, *given[i], system->n);
  }
  (void)mbs_put(simulation->guess, system->nq, simulation->state.q);
  MBS_TRY(mbs_events_create(context, simulation));
  if (simulation->events.do_branches_prescribe) {
    mbs_events_begin(simulation);
    MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_POSITIONS));
  }
  MBS_TRY(mbs_formulation_create(context, &simulation->settings, system, &simulation->formulation));
  MBS_TRY(mbs_initial_create(context, system, &simulation->state, &simulation->initial));
  MBS_TRY(create_equilibrium(context, model, simulation));
  MBS_TRY(refuse_projection_signals(context, simulation));
  MBS_TRY(mbs_simulation_choose_penalty(context, simulation));
  MBS_TRY(mbs_stepper_create(context, &simulation->formulation, &simulation->settings, simulation->initial,
                             &simulation->stepper));
  simulation->followed = &simulation->plan;
  MBS_TRY(mbs_objectives_create(context, system, &simulation->objectives));
  MBS_TRY(mbs_peaks_create(context, simulation));
  simulation->objectives.peaks = &simulation->peaks;
  MBS_TRY(mbs_outputs_create(context, simulation));
  MBS_TRY(mbs_guards_create(context, system, &simulation->guards));
  MBS_TRY(mbs_control_create(context, simulation));
  MBS_TRY(mbs_events_prepare(context, simulation, !is_carried));
  MBS_TRY(mbs_dense_create(context, simulation));
  MBS_TRY(mbs_simulation_plan(context, simulation));
  simulation->has_columns = system->carried_count > 0;
  MBS_TRY(mbs_columns_create(context, system, &simulation->columns));
  MBS_TAKE(context, arena, simulation->levels, 3 * (size_t)system->m);
  MBS_TRY(mbs_violation_create(context, system, &simulation->violation));
  MBS_TRY(mbs_continuity_create(context, simulation));
  if (simulation->has_columns && simulation->events.count > 0 && system->time_column >= system->asked_count) {
    mbs_system_use_step_columns(system, false);
  }
  return mbs_simulation_create_kept(context, simulation);
}

static MbsStatus create_in_arena(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                 int column_count, const int *columns, bool is_carried, const double *values,
                                 MbsSimulation **result) {
  MbsArena *arena = mbs_arena_create_for(context);
  MbsSimulation *simulation = arena ? mbs_arena_take(arena, 1, sizeof *simulation) : NULL;
  if (!simulation) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  simulation->arena = arena;
  simulation->settings = *settings;
  simulation->scratch = mbs_arena_create_for(context);
  MbsStatus status = simulation->scratch ? create(context, model, column_count, columns, is_carried, values, simulation)
                                         : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  if (status != MBS_OK) {
    mbs_simulation_destroy(simulation);
    return status;
  }
  *result = simulation;
  return MBS_OK;
}

MbsStatus mbs_simulation_create(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                int column_count, const int *columns, const double *values, MbsSimulation **result) {
  return create_in_arena(context, model, settings, column_count, columns, true, values, result);
}

MbsStatus mbs_simulation_create_for_sweep(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                          int column_count, const int *columns, const double *values,
                                          MbsSimulation **result) {
  return create_in_arena(context, model, settings, column_count, columns, false, values, result);
}

void mbs_simulation_tell(MbsSimulation *simulation, MbsContext *context) {
  mbs_arena_tell(simulation->arena, context);
  mbs_arena_tell(simulation->scratch, context);
}

void mbs_simulation_destroy(MbsSimulation *simulation) {
  if (simulation) {
    if (simulation->stepper) {
      simulation->stepper->type->destroy(simulation->stepper);
    }
    mbs_events_destroy(&simulation->events);
    mbs_initial_destroy(simulation->initial);
    mbs_arena_destroy(simulation->scratch);
    mbs_arena_destroy(simulation->arena);
  }
}

// h |a| / |v|, of a body that turns the angle of a step: the rule makes 2 atan(x / 2) of that angle x, so that beyond a
// radian the motion has little to do with that of the equations, however well constraints and energy are kept. What is
// at rest but for rounding does not count.
static void watch_turn(MbsSimulation *simulation) {
  const MbsState *state = &simulation->state;
  double h = simulation->settings.step;
  for (int i = 0; i < simulation->system->n; ++i) {
    double v = fabs(mbs_re(state->v[i])), a = fabs(mbs_re(state->a[i]));  // real
    simulation->largest_velocity = v > simulation->largest_velocity ? v : simulation->largest_velocity;
    simulation->largest_acceleration = a > simulation->largest_acceleration ? a : simulation->largest_acceleration;
  }
  bool is_moving = h * simulation->largest_velocity > 1e-9 * mbs_state_size(simulation->system, state);
  simulation->statistics.turn = is_moving ? h * simulation->largest_acceleration / simulation->largest_velocity : 0;
}

// residuals of the constraints, and the energy balance
static MbsStatus observe(MbsContext *context, MbsSimulation *simulation, const MbsStep *step) {
  double h = step ? mbs_re(step->h) : 0;
  mbs_scalar *level = simulation->levels;
  int m = simulation->system->m;
  mbs_terms_constraints(simulation->system, &simulation->state, level, level + m, level + 2 * m);
  mbs_simulation_watch_condition(simulation);
  if (h > 0 && !simulation->settings.is_kinematic && !(simulation->control.tolerance > 0)) {
    watch_turn(simulation);
  }
  if (simulation->path.step_count == 0) {
    mbs_guards_start(&simulation->guards, &simulation->state);
  } else {
    mbs_guards_accept(&simulation->guards, &simulation->state, mbs_re(simulation->state.t) - h);
  }
  mbs_simulation_balance_energy(simulation, step);
  return mbs_violation_watch(context, simulation);
}

// Is what jumps on another side than the start was solved with? (Where laws bend an equilibrium has sides of its own.)
static bool is_on_another_side(MbsSimulation *simulation) {
  if (simulation->initial->equilibrium) {
    mbs_events_follow_bends(simulation, &simulation->state);
  }
  return mbs_events_settle_once(simulation, NULL, MBS_KNOWN_VELOCITIES);
}

// position and velocity from constraints, drivers and independent coordinates; acceleration and multipliers from the
// equations of motion
static MbsStatus assemble(MbsContext *context, MbsSimulation *simulation) {
  bool do_branches_prescribe = simulation->events.do_branches_prescribe;
  if (do_branches_prescribe) {
    MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_POSITIONS));
  }
  MBS_TRY(mbs_initial_solve(context, simulation->initial, &simulation->state, true));
  // constraints that bend with the position: where that is on the other side, the start is another one
  bool does_move = do_branches_prescribe || simulation->initial->equilibrium;
  for (int round = 0; does_move && is_on_another_side(simulation); ++round) {
    if (round > simulation->system->blueprint->branches.count + 2) {
      return mbs_events_never_settle(context, simulation);
    }
    MBS_TRY(mbs_initial_solve(context, simulation->initial, &simulation->state, true));
  }
  mbs_violation_start(simulation, &simulation->violation);
  MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_VELOCITIES));
  MBS_TRY(mbs_continuity_check_start(context, simulation));
  MBS_TRY(simulation->stepper->type->start(context, simulation->stepper, simulation->followed, &simulation->state));
  return mbs_events_settle(context, simulation, MBS_KNOWN_ACCELERATIONS);
}

static MbsStatus assemble_columns(MbsContext *context, MbsSimulation *simulation) {
  const MbsColumns *columns = &simulation->columns;
  const MbsStep start = {0};
  if (simulation->given.is_given) {
    return mbs_simulation_take_given_columns(context, simulation);
  }
  MBS_TRY(mbs_initial_derivative(context, simulation->initial, &simulation->state, columns->X, columns->V, columns->A));
  return simulation->stepper->type->derivative(context, simulation->stepper, &start, &simulation->state, columns);
}

MbsSparseSolver *mbs_simulation_solver(const MbsSimulation *simulation, int index) {
  const MbsInitial *initial = simulation->initial;
  return index == 0   ? initial->set.position.solver
         : index == 1 ? (initial->set.velocity ? initial->set.velocity : &initial->set.position)->solver
                      : simulation->stepper->type->solver(simulation->stepper, index - 2);
}

// as before the first run
static void forget(MbsSimulation *simulation) {
  const MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  MbsSparseSolver *solver;
  mbs_path_clear(&simulation->path);
  simulation->planned = 0;
  for (int i = 0; (solver = mbs_simulation_solver(simulation, i)); ++i) {
    if (simulation->is_new) {
      mbs_sparse_solver_forget(solver);
    } else {
      mbs_sparse_solver_use_pivots(solver, 0);
    }
  }
  simulation->is_new = false;
  for (int i = 0; i < system->nq; ++i) {
    state->q[i] = simulation->guess[i];
    state->v[i] = state->a[i] = 0;
  }
  for (int i = 0; i < system->m; ++i) {
    state->lambda[i] = state->sigma[i] = state->kappa[i] = state->total[i] = 0;
  }
  simulation->path.t_start = simulation->given.is_given ? simulation->given.t : 0;
  state->t = simulation->path.t_start;
  mbs_objectives_forget(&simulation->objectives);
  mbs_peaks_forget(&simulation->peaks);
  simulation->is_started = false;
  simulation->statistics = (MbsStatistics){0};
  simulation->energy = (MbsEnergyBalance){0};
  for (int i = 0; i < simulation->continuity.objectives.count; ++i) {
    MbsContinuityItem *item = &simulation->continuity.objectives.items[i];
    item->without_derivative = item->without_value = 0;
  }
  simulation->largest_velocity = simulation->largest_acceleration = 0;
  simulation->watched_quality = simulation->condition_start = 0;
}

void mbs_simulation_follow(MbsSimulation *simulation, const MbsPath *path) { simulation->followed = path; }

static MbsStatus check_objectives(MbsContext *context, const MbsSimulation *simulation) {
  MbsStatus status = mbs_objectives_check(context, &simulation->objectives, mbs_re(simulation->state.t));
  return status == MBS_OK ? MBS_OK : mbs_simulation_diagnose(context, simulation, status);
}

MbsStatus mbs_simulation_start(MbsContext *context, MbsSimulation *simulation) {
  MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  double began = mbs_simulation_now();
  forget(simulation);
  mbs_tables_forget_left(system);
  if (simulation->events.end > 0) {  // which moves with the parameters
    MBS_TRY(mbs_simulation_plan(context, simulation));
  }
  mbs_events_begin(simulation);
  mbs_state_place_fixed(system, state);
  bool is_given = simulation->given.is_given;
  if (is_given && simulation->initial->equilibrium) {
    mbs_equilibrium_forget(simulation->initial, true);
  }
  MbsStatus status = (is_given ? mbs_simulation_take_given : assemble)(context, simulation);
  if (status != MBS_OK) {
    return mbs_simulation_diagnose(context, simulation, status);
  }
  mbs_arena_clear(simulation->scratch);
  if (!is_given) {
    MBS_TRY(mbs_start_check(context, simulation->scratch, system, state, &simulation->statistics.start_moved));
  }
  if (simulation->initial->equilibrium) {  // which is meant to be elsewhere
    simulation->statistics.start_moved = 0;
  }
  simulation->statistics.redundant = simulation->initial->set.redundant_count;
  simulation->statistics.start_rest = system->blueprint->placement->least_rest;
  simulation->stepper->iterations = 0;
  mbs_signal_bank_evaluate(system, state);
  MBS_TRY(mbs_simulation_check_conditions(context, simulation));
  simulation->is_started = true;
  mbs_control_start(simulation);
  mbs_events_start(simulation);
  MBS_TRY(observe(context, simulation, NULL));
  double solved = mbs_simulation_now();
  mbs_system_take_derivatives(system, simulation->has_columns);
  if (simulation->has_columns) {
    MBS_TRY(assemble_columns(context, simulation));
  }
  if (!is_given) {
    MBS_TRY(mbs_initial_find_opposition(context, simulation->initial, state,
                                        simulation->has_columns ? &simulation->columns : NULL,
                                        &simulation->violation.jacobian, &simulation->opposition));
  }
  mbs_objectives_restart(&simulation->objectives, state, simulation->has_columns ? &simulation->columns : NULL);
  if (simulation->has_columns) {
    mbs_events_start_columns(simulation);
  }
  mbs_system_take_derivatives(system, false);
  MBS_TRY(mbs_peaks_begin_stretch(context, simulation));
  simulation->statistics.seconds_dynamics += solved - began;
  simulation->statistics.seconds_sensitivity += simulation->has_columns ? mbs_simulation_now() - solved : 0;
  return check_objectives(context, simulation);
}

MbsStatus mbs_simulation_repeat_step(MbsContext *context, MbsSimulation *simulation, MbsStep *step) {
  MbsState *state = &simulation->state;
  state->t = step->t;
  mbs_state_place_fixed(simulation->system, state);
  MbsStatus status = simulation->stepper->type->step(context, simulation->stepper, step, state);
  if (status != MBS_OK) {
    return mbs_simulation_diagnose(context, simulation, status);
  }
  mbs_signal_bank_accept(simulation->system, state, false);
  return MBS_OK;
}

// the next one of the plan, or of the path that is followed; from where an event was, a piece of it
static MbsStep next_step(const MbsSimulation *simulation) {
  bool is_plan = simulation->followed == &simulation->plan;
  MbsStep step =
      mbs_path_step(simulation->followed, is_plan ? simulation->planned + 1 : simulation->path.step_count + 1);
  step.number = simulation->path.step_count + 1;
  if (is_plan && simulation->events.chained > 0) {
    return (MbsStep){.number = step.number,
                     .t = simulation->state.t,
                     .set = step.set,
                     .event = simulation->events.chained,
                     .is_flow = true,
                     .is_chained = true};
  }
  if (mbs_simulation_is_controlled(simulation)) {
    mbs_control_plan(simulation, &step);
  }
  if (step.is_chained) {
    step.t = simulation->state.t;
    step.h = 0;
  } else if (simulation->events.is_moved) {
    if (simulation->dense.is_wanted && is_plan) {  // from an event to the next row
      step.t = fmin(mbs_re(step.t), mbs_dense_first_after(simulation, mbs_re(simulation->state.t)));  // real
    }
    step.h = step.t - simulation->state.t;
    step.is_flow = is_plan ? mbs_re(step.h) < MBS_SHORTEST_STEP * simulation->settings.step : step.is_flow;
    step.is_projected = is_plan ? simulation->stepper->projects_pieces : step.is_projected;
  }
  return step;
}

static MbsStatus add_to_path(MbsContext *context, MbsSimulation *simulation, const MbsStep *step) {
  bool is_plan = simulation->followed == &simulation->plan;
  long planned = is_plan ? simulation->planned + 1 : step->number;
  simulation->planned += step->event == 0 ? mbs_simulation_meets_plan(simulation, step) : step->is_planned;
  return mbs_step_restarts(step) || simulation->events.is_moved || mbs_simulation_is_controlled(simulation)
             ? mbs_path_add_piece(context, simulation->arena, &simulation->path, step)
             : mbs_path_add_planned(context, simulation->arena, &simulation->path, simulation->followed, planned, step);
}

MbsStatus mbs_simulation_step(MbsContext *context, MbsSimulation *simulation) {
  const MbsColumns *columns = simulation->has_columns ? &simulation->columns : NULL;
  MbsStatistics *statistics = &simulation->statistics;
  double began = mbs_simulation_now();
  if (mbs_events_is_pending(simulation)) {
    MBS_TRY(mbs_events_happen(context, simulation));
  }
  mbs_tables_forget_left(simulation->system);
  MBS_TRY(mbs_peaks_before_step(context, simulation));
  mbs_dense_before_step(simulation);
  MbsStep step = next_step(simulation);
  bool has_events = simulation->events.count > 0;
  if (step.number == simulation->shift.number) {
    step.h += mbs_complex(0, MBS_COMPLEX_STEP * simulation->shift.h);
    step.t += mbs_complex(0, MBS_COMPLEX_STEP * simulation->shift.t);
  }
  bool is_searched = has_events || mbs_simulation_is_controlled(simulation);
  MBS_TRY((is_searched ? mbs_events_step : mbs_simulation_repeat_step)(context, simulation, &step));
  MBS_TRY(add_to_path(context, simulation, &step));
  MBS_TRY(mbs_simulation_check_conditions(context, simulation));
  MBS_TRY(observe(context, simulation, &step));
  mbs_continuity_watch(simulation);
  MBS_TRY(mbs_peaks_look(context, simulation, &step));
  double solved = mbs_simulation_now();
  mbs_system_take_derivatives(simulation->system, columns != NULL);
  if (columns && (mbs_step_restarts(&step) || simulation->events.is_moved)) {
    mbs_system_use_step_columns(simulation->system, true);
  }
  if (columns && step.is_flow) {
    mbs_events_flow_columns(simulation, &step);
  } else if (columns && (mbs_step_restarts(&step) || simulation->events.is_moved ||
                         !mbs_control_take_columns(simulation, columns))) {
    MBS_TRY(simulation->stepper->type->derivative(context, simulation->stepper, &step, &simulation->state, columns));
  }
  mbs_objectives_advance(&simulation->objectives, simulation->stepper, &step, &simulation->state, columns);
  if (columns && has_events) {
    MBS_TRY(mbs_events_move_columns(context, simulation, &step));
    mbs_system_use_step_columns(simulation->system, false);
  } else if (columns && simulation->events.moving_count > 0) {
    mbs_events_shift(simulation, NULL, NULL);
  }
  mbs_dense_after_step(simulation, &step);
  simulation->events.is_moved = step.event > 0;
  mbs_system_take_derivatives(simulation->system, false);
  if (step.event > 0) {
    MBS_TRY(mbs_peaks_end_stretch(context, simulation));
  }
  double done = mbs_simulation_now();
  statistics->steps = simulation->path.step_count;
  bool is_last = step.event > 0 && simulation->events.items[step.event - 1].spec->is_last;
  simulation->events.is_over = is_last && !mbs_events_is_pending(simulation);
  if (is_last || mbs_simulation_is_over(simulation)) {
    mbs_violation_finish(simulation);
  }
  statistics->iterations = simulation->stepper->iterations;
  statistics->tried_steps = simulation->events.trials;
  statistics->seconds_dynamics += solved - began;
  *(columns ? &statistics->seconds_sensitivity : &statistics->seconds_dynamics) += done - solved;
  return check_objectives(context, simulation);
}
