#include "simulation/simulation.h"

#include <math.h>
#include <time.h>

#include "coordinates/compile.h"

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// 1e7 times the largest diagonal entry of the mass matrix, to a power of ten. A number of the method, not of
// the model: it is not differentiated.
static void choose_penalty(MbsSimulation *simulation, const MbsState *state) {
  const MbsSystem *system = simulation->system;
  const MbsWeights none = {0};
  mbs_scalar *values = simulation->newmark.tangent;
  double largest = 0;
  mbs_terms_tangent(system, state, &none, 0, 0, 1, values);
  for (int i = 0; i < system->n; ++i) {
    double entry = mbs_re(values[mbs_pattern_position(&system->mode.pattern, i, i)]);
    largest = entry > largest ? entry : largest;
  }
  simulation->settings.penalty = largest > 0 ? pow(10, round(log10(1e7 * largest))) : 1e7;  // real
}

static MbsStatus create(MbsContext *context, const MbsModel *model, int column_count, const int *columns,
                        const double *values, MbsSimulation *simulation) {
  MbsArena *arena = simulation->arena;
  MbsBlueprint *blueprint;
  MBS_TRY(mbs_settings_check(context, &simulation->settings));
  MBS_TRY(mbs_compile(context, arena, model, &blueprint));
  MBS_TRY(mbs_system_create(context, arena, blueprint, column_count, columns, &simulation->system));
  MbsSystem *system = simulation->system;
  double *nominal;
  MBS_TAKE(context, arena, nominal, blueprint->parameters.count);
  for (int i = 0; i < blueprint->parameters.count; ++i) {
    nominal[i] = values ? values[i] : blueprint->parameters.items[i].nominal;
  }
  mbs_system_set_parameters(system, nominal);
  MBS_TRY(mbs_state_create(context, system, &simulation->state));
  MBS_TRY(mbs_formulation_create(context, &simulation->settings, system, &simulation->formulation));
  MBS_TRY(mbs_newmark_create(context, &simulation->formulation, &simulation->settings, &simulation->newmark));
  if (!(simulation->settings.penalty > 0)) {
    choose_penalty(simulation, &simulation->state);
    simulation->formulation.type->prepare(&simulation->settings, &simulation->formulation);
  }
  MBS_TRY(mbs_initial_create(context, system, &simulation->state, &simulation->initial));
  MBS_TRY(mbs_objectives_create(context, system, &simulation->objectives));
  simulation->has_columns = column_count > 0;
  size_t size = (size_t)system->nq * (size_t)column_count;
  MBS_TAKE(context, arena, simulation->columns.X, size);
  MBS_TAKE(context, arena, simulation->columns.V, size);
  MBS_TAKE(context, arena, simulation->columns.A, size);
  MBS_TAKE(context, arena, simulation->columns.L, (size_t)system->m * (size_t)column_count);
  // a last step shorter than a billionth of the others is rounding, not a step
  simulation->step_count = (long)ceil(simulation->settings.end / simulation->settings.step * (1 - 1e-9));  // real
  return MBS_OK;
}

MbsStatus mbs_simulation_create(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                int column_count, const int *columns, const double *values, MbsSimulation **result) {
  MbsArena *arena = mbs_arena_create();
  MbsSimulation *simulation = arena ? mbs_arena_take(arena, 1, sizeof *simulation) : NULL;
  if (!simulation) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  simulation->arena = arena;
  simulation->settings = *settings;
  MbsStatus status = create(context, model, column_count, columns, values, simulation);
  if (status != MBS_OK) {
    mbs_simulation_destroy(simulation);
    return status;
  }
  *result = simulation;
  return MBS_OK;
}

void mbs_simulation_destroy(MbsSimulation *simulation) {
  if (simulation) {
    mbs_newmark_destroy(&simulation->newmark);
    mbs_initial_destroy(simulation->initial);
    mbs_arena_destroy(simulation->arena);
  }
}

// residuals of the constraints, and the energy balance E - E0 - work of the forces without potential
static void observe(MbsSimulation *simulation, double h) {
  const MbsSystem *system = simulation->system;
  MbsStatistics *statistics = &simulation->statistics;
  for (int i = 0; i < system->m; ++i) {
    mbs_scalar level[3];
    mbs_terms_constraint(system, i, &simulation->state, level);
    double *worst[] = {&statistics->residual_position, &statistics->residual_velocity,
                       &statistics->residual_acceleration};
    for (int k = 0; k < 3; ++k) {
      double magnitude = mbs_re(mbs_abs(level[k]));
      *worst[k] = magnitude > *worst[k] ? magnitude : *worst[k];
    }
  }
  mbs_scalar total, lost;
  mbs_terms_energy(system, &simulation->state, &total, &lost);
  double energy = mbs_re(total), power = mbs_re(lost);
  if (simulation->steps_done == 0) {
    simulation->energy_start = energy;
  } else {
    simulation->energy_work += h / 2 * (simulation->energy_power + power);
  }
  simulation->energy_power = power;
  double off = fabs(energy - simulation->energy_start - simulation->energy_work);  // real
  simulation->energy_worst = off > simulation->energy_worst ? off : simulation->energy_worst;
  double magnitude = fabs(energy);  // real
  simulation->energy_largest = magnitude > simulation->energy_largest ? magnitude : simulation->energy_largest;
  statistics->energy_drift = simulation->energy_largest > 0 ? simulation->energy_worst / simulation->energy_largest : 0;
}

MbsStatus mbs_simulation_start(MbsContext *context, MbsSimulation *simulation) {
  MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  MbsColumns *columns = &simulation->columns;
  double began = now();
  mbs_state_place_fixed(system, state);
  MBS_TRY(mbs_initial_solve(context, simulation->initial, state));
  MbsStatus status = mbs_newmark_start(context, &simulation->newmark, state);
  if (status != MBS_OK) {
    return mbs_simulation_diagnose(context, simulation, status);
  }
  simulation->newmark.iterations = 0;
  mbs_signal_bank_evaluate(system, state);
  observe(simulation, 0);
  double solved = now();
  if (simulation->has_columns) {
    MBS_TRY(mbs_initial_derivative(context, simulation->initial, state, columns->X, columns->V));
    MBS_TRY(mbs_newmark_start_derivative(context, &simulation->newmark, state, columns->X, columns->V, columns->A,
                                         columns->L));
    mbs_signal_bank_evaluate(system, state);
  }
  mbs_objectives_advance(&simulation->objectives, state, simulation->has_columns ? columns : NULL, 0);
  simulation->statistics.seconds_dynamics += solved - began;
  simulation->statistics.seconds_sensitivity += simulation->has_columns ? now() - solved : 0;
  return mbs_objectives_check(context, &simulation->objectives, mbs_re(state->t));
}

MbsStatus mbs_simulation_step(MbsContext *context, MbsSimulation *simulation) {
  MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  MbsColumns *columns = &simulation->columns;
  double began = now();
  double from = (double)simulation->steps_done * simulation->settings.step;
  bool is_last = simulation->steps_done + 1 == simulation->step_count;
  double to = is_last ? simulation->settings.end : (double)(simulation->steps_done + 1) * simulation->settings.step;
  double h = is_last ? to - from : simulation->settings.step;
  state->t = to;
  MbsStatus status = mbs_newmark_step(context, &simulation->newmark, h, state);
  if (status != MBS_OK) {
    return mbs_simulation_diagnose(context, simulation, status);
  }
  simulation->steps_done += 1;
  mbs_signal_bank_accept(system, state, false);
  mbs_signal_bank_evaluate(system, state);
  observe(simulation, h);
  double solved = now();
  if (simulation->has_columns) {
    MBS_TRY(mbs_newmark_step_derivative(context, &simulation->newmark, h, state, columns->X, columns->V, columns->A,
                                        columns->L));
  }
  mbs_objectives_advance(&simulation->objectives, state, simulation->has_columns ? columns : NULL, h);
  double done = now();
  simulation->statistics.steps = simulation->steps_done;
  simulation->statistics.iterations = simulation->newmark.iterations;
  simulation->statistics.seconds_dynamics += solved - began;
  *(simulation->has_columns ? &simulation->statistics.seconds_sensitivity : &simulation->statistics.seconds_dynamics) +=
      done - solved;
  return mbs_objectives_check(context, &simulation->objectives, to);
}
