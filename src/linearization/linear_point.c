// See linear_point.h.
#include "linearization/linear_point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/perturbation.h"

// ---- the point ----
static const MbsIndependentSet *set_of(const MbsLinearPoint *point) { return point->reduced->sets[point->set]; }

static bool is_first_order(const MbsIndependentSet *set, int i) {
  return set->is_automatic ? mbs_system_is_state(set->system, set->automatic[i]) : set->independents[i].is_state;
}

// positions, velocities, states of first order, in this order
static MbsStatus number_states(MbsContext *context, MbsLinearPoint *point) {
  const MbsIndependentSet *set = set_of(point);
  MbsArena *arena = point->simulation->arena;
  int next = 0;
  MBS_TAKE(context, arena, point->position, set->count);
  MBS_TAKE(context, arena, point->rate, set->count);
  for (int i = 0; i < set->count; ++i) {
    bool is_state = is_first_order(set, i);
    point->position_count += !is_state;
    point->velocity_count += !is_state && set->rate_row[i] >= 0;
    point->state_count += is_state;
    point->position[i] = is_state ? -1 : next++;
  }
  int velocity = point->position_count, state = velocity + point->velocity_count;
  for (int i = 0; i < set->count; ++i) {
    point->rate[i] = is_first_order(set, i) ? state++ : set->rate_row[i] >= 0 ? velocity++ : -1;
  }
  point->size = state;
  if (point->size == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "the model has no degree of freedom and no state: there is nothing to linearise");
  }
  return MBS_OK;
}

static MbsStatus make_room(MbsContext *context, MbsLinearPoint *point) {
  const MbsSystem *system = point->simulation->system;
  MbsArena *arena = point->simulation->arena;
  int count = set_of(point)->count;
  MBS_TRY(mbs_bar_create(context, system, &point->bar));
  MBS_TAKE(context, arena, point->gradient, system->column_count);
  MBS_TAKE(context, arena, point->s, count);
  MBS_TAKE(context, arena, point->z, count);
  MBS_TAKE(context, arena, point->zdot, count);
  MBS_TAKE(context, arena, point->row, point->size + system->column_count);
  point->bar.gradient = point->gradient;
  return mbs_state_create(context, system, &point->along);
}

static MbsStatus run(MbsContext *context, MbsLinearPoint *point, const MbsLinearRequest *request) {
  MbsSimulation *simulation = point->simulation;
  if (request->followed) {
    mbs_simulation_follow(simulation, request->followed);
  }
  if (request->perturbed >= 0) {
    mbs_system_perturb(simulation->system, request->perturbed, MBS_COMPLEX_STEP);
  }
  MBS_TRY(mbs_simulation_start(context, simulation));
  while (request->time > 0 && !mbs_simulation_is_over(simulation)) {
    MBS_TRY(mbs_simulation_step(context, simulation));
  }
  point->reduced = (MbsReduced *)simulation->stepper;  // of matrix-r
  point->set = point->reduced->next;
  MBS_TRY(number_states(context, point));
  MBS_TRY(make_room(context, point));
  mbs_signal_bank_evaluate(simulation->system, &simulation->state);
  return mbs_reduced_prepare_instant(context, point->reduced, point->set, 0, 0, &simulation->state);
}

MbsStatus mbs_linear_point_create(MbsContext *context, const MbsModel *model, const MbsLinearRequest *request,
                                  MbsLinearPoint **result) {
  MbsSettings settings = request->settings;
  MbsSimulation *simulation;
  *result = NULL;
  (void)snprintf(settings.formulation, sizeof settings.formulation, "matrix-r");
  (void)snprintf(settings.integrator, sizeof settings.integrator, "trapezoidal");
  settings.end = request->time > 0 ? request->time : settings.end;
  settings.step_tolerance = settings.accuracy = 0;
  settings.is_kinematic = false;
  MBS_TRY(mbs_simulation_create_for_sweep(context, model, &settings, request->column_count, request->columns,
                                          request->parameters, &simulation));
  MbsLinearPoint *point = mbs_arena_take(simulation->arena, 1, sizeof *point);
  if (!point) {
    mbs_simulation_destroy(simulation);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  point->simulation = simulation;
  MbsStatus status = run(context, point, request);
  if (status != MBS_OK) {
    mbs_simulation_destroy(simulation);
    return status;
  }
  *result = point;
  return MBS_OK;
}

void mbs_linear_point_destroy(MbsLinearPoint *point) {
  if (point) {
    mbs_simulation_destroy(point->simulation);
  }
}

// ---- rows ----
// The row of a number, by what the state (the bar) and s have received of it; all of that is zero again then.
static void solve_row(MbsLinearPoint *point) {
  const MbsSimulation *simulation = point->simulation;
  const MbsSystem *system = simulation->system;
  int count = set_of(point)->count;
  mbs_scalar *row = point->row, *of_columns = row + point->size;
  mbs_reduced_instant_transposed(point->reduced, 0, 0, &simulation->state, &point->bar, point->s, point->z,
                                 point->zdot);
  mbs_system_fixed_transposed(system, simulation->state.t, &point->bar, point->gradient);
  for (int i = 0; i < point->size; ++i) {
    row[i] = 0;
  }
  for (int i = 0; i < count; ++i) {
    if (point->position[i] >= 0) {
      row[point->position[i]] = point->z[i];
    }
    if (point->rate[i] >= 0) {
      row[point->rate[i]] = point->zdot[i];
    }
    point->s[i] = 0;
  }
  for (int k = 0; k < system->column_count; ++k) {
    of_columns[k] = point->gradient[k];
    point->gradient[k] = 0;
  }
  mbs_system_chain(system, point->bar.coefficients, point->bar.parameters, of_columns);
  mbs_bar_clear(system, &point->bar);
}

// w_i'(q, v) of a coordinate whose rate follows
static void ask_rate(const MbsLinearPoint *point, int i) {
  const MbsIndependentSet *set = set_of(point);
  const MbsState *state = &point->simulation->state;
  if (set->is_automatic) {
    point->bar.v[set->automatic[i]] = 1;
    return;
  }
  const MbsFunction *rate = mbs_reduced_function(set, i, 1);
  (void)mbs_function_evaluate(set->system, rate, state, NULL);
  mbs_function_transposed(set->system, rate, state, 1, &point->bar);
}

static double plain(mbs_scalar x, bool is_perturbed) { return is_perturbed ? mbs_im(x) / MBS_COMPLEX_STEP : mbs_re(x); }

// of the system: that of an input of the model, or of a parameter behind them
static int column_of(const MbsLinearPoint *point, int input) {
  const MbsSystem *system = point->simulation->system;
  const MbsBlueprint *blueprint = system->blueprint;
  int own = blueprint->input_count;
  return input < own ? system->column_of_parameter[blueprint->variable_first + blueprint->input_first + input]
                     : input - own;
}

static void put_row(const MbsLinearPoint *point, bool is_perturbed, const MbsStateSpace *space, double *by_x,
                    double *by_u) {
  for (int i = 0; i < space->size; ++i) {
    by_x[i] = plain(point->row[i], is_perturbed);
  }
  for (int k = 0; k < space->input_count; ++k) {
    by_u[k] = plain(point->row[space->size + column_of(point, k)], is_perturbed);
  }
}

// Rounding leaves entries that are none. They would not matter, but that LAPACK balances the matrix first, where a
// column of nothing else is blown up until its rounding counts (eigenvectors of the bicycle were off by 1e-6). What is
// smaller than that beside the largest entry of its row, among coordinates, rates or states, is zero.
static void clean(const MbsStateSpace *space, double *row) {
  const double rounding = 1e-13;
  const int ends[] = {space->position_count, space->position_count + space->velocity_count, space->size};
  for (int block = 0, first = 0; block < 3; first = ends[block++]) {
    double largest = 0;
    for (int i = first; i < ends[block]; ++i) {
      largest = fabs(row[i]) > largest ? fabs(row[i]) : largest;  // real
    }
    for (int i = first; i < ends[block]; ++i) {
      row[i] = fabs(row[i]) > rounding * largest ? row[i] : 0;  // real
    }
  }
}

static void put_rates(MbsLinearPoint *point, bool is_perturbed, const MbsStateSpace *space) {
  const MbsIndependentSet *set = set_of(point);
  int size = space->size, inputs = space->input_count;
  for (int i = 0; i < set->count; ++i) {
    int z = point->position[i], u = point->rate[i];
    if (z >= 0 && u >= 0) {
      space->A[z * size + u] = is_perturbed ? 0 : 1;
    } else if (z >= 0) {
      ask_rate(point, i);
      solve_row(point);
      put_row(point, is_perturbed, space, space->A + z * size, space->B + z * inputs);
    }
    if (u >= 0) {
      point->s[i] = 1;
      solve_row(point);
      put_row(point, is_perturbed, space, space->A + u * size, space->B + u * inputs);
    }
  }
  for (int i = 0; i < size && !is_perturbed; ++i) {
    clean(space, space->A + i * size);
  }
}

static void put_outputs(MbsLinearPoint *point, bool is_perturbed, const MbsStateSpace *space) {
  const MbsSimulation *simulation = point->simulation;
  for (int k = 0; k < space->output_count; ++k) {
    const MbsFunction *function = &simulation->outputs.items[k].function;
    mbs_scalar y = mbs_function_evaluate(simulation->system, function, &simulation->state, NULL);
    space->y[k] = plain(y, is_perturbed);
    mbs_function_transposed(simulation->system, function, &simulation->state, 1, &point->bar);
    solve_row(point);
    put_row(point, is_perturbed, space, space->C + k * space->size, space->D + k * space->input_count);
  }
}

// ---- what they are ----
static MbsStatus name_states(MbsContext *context, MbsArena *arena, const MbsLinearPoint *point,
                             const MbsStateSpace *space) {
  const MbsIndependentSet *set = set_of(point);
  for (int i = 0; i < set->count; ++i) {
    const char *name = set->is_automatic ? set->system->coordinate_names[set->automatic[i]] : set->independents[i].name;
    int z = point->position[i], u = point->rate[i];
    if (z >= 0) {
      space->names[z] = mbs_arena_copy_text(arena, name);
    }
    if (u >= 0) {
      size_t length = strlen(name);
      char *rate = mbs_arena_take(arena, length + 2, 1);
      if (rate) {
        (void)snprintf(rate, length + 2, "%s%s", name, z >= 0 ? "'" : "");
      }
      space->names[u] = rate;
    }
    if ((z >= 0 && !space->names[z]) || (u >= 0 && !space->names[u])) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
  }
  return MBS_OK;
}

static void put_state(const MbsLinearPoint *point, bool is_perturbed, MbsStateSpace *space) {
  const MbsIndependentSet *set = set_of(point);
  const MbsState *state = &point->simulation->state;
  for (int i = 0; i < set->count; ++i) {
    mbs_scalar value = mbs_reduced_level(set, i, 0, state), rate = mbs_reduced_level(set, i, 1, state);
    double motion = mbs_re(mbs_abs(rate)), change = mbs_re(mbs_abs(mbs_reduced_level(set, i, 2, state)));
    if (point->position[i] >= 0) {
      space->x[point->position[i]] = plain(value, is_perturbed);
      space->motion = motion > space->motion ? motion : space->motion;
    }
    if (point->rate[i] >= 0) {
      space->x[point->rate[i]] = plain(rate, is_perturbed);
      space->imbalance = change > space->imbalance ? change : space->imbalance;
    }
  }
}

MbsStatus mbs_linear_point_matrices(MbsContext *context, MbsArena *arena, MbsLinearPoint *point, bool is_perturbed,
                                    MbsStateSpace *space) {
  const MbsSimulation *simulation = point->simulation;
  size_t size = (size_t)point->size, inputs;
  size_t outputs = (size_t)simulation->outputs.count;
  inputs = (size_t)(simulation->system->blueprint->input_count + simulation->system->asked_count);
  *space = (MbsStateSpace){.size = point->size,
                           .position_count = point->position_count,
                           .velocity_count = point->velocity_count,
                           .state_count = point->state_count,
                           .input_count = (int)inputs,
                           .output_count = (int)outputs,
                           .time = mbs_re(simulation->state.t),
                           .is_automatic = set_of(point)->is_automatic};
  MBS_TAKE(context, arena, space->names, size);
  MBS_TAKE(context, arena, space->A, size * size);
  MBS_TAKE(context, arena, space->B, size * inputs);
  MBS_TAKE(context, arena, space->C, outputs * size);
  MBS_TAKE(context, arena, space->D, outputs * inputs);
  MBS_TAKE(context, arena, space->x, size);
  MBS_TAKE(context, arena, space->y, outputs);
  put_state(point, is_perturbed, space);
  put_rates(point, is_perturbed, space);
  put_outputs(point, is_perturbed, space);
  return name_states(context, arena, point, space);
}

MbsStatus mbs_linear_point_path(MbsContext *context, MbsArena *arena, const MbsLinearPoint *point, MbsPath *path) {
  MbsSimulation *simulation = point->simulation;
  simulation->path.n = simulation->system->n;
  simulation->path.m = simulation->system->m;
  simulation->path.set_count = simulation->stepper->set_count;
  simulation->path.sets = simulation->stepper->sets;
  return mbs_path_copy(context, arena, &simulation->path, path);
}

// ---- how bodies move ----
// `along`: the state, with the deviation of the coordinates that belongs to one of z for its velocities
static void move_along(MbsLinearPoint *point, const mbs_scalar *dx) {
  const MbsReduced *reduced = point->reduced;
  const MbsSystem *system = reduced->system;
  const MbsProblem *problem = &set_of(point)->position;
  for (int r = 0; r < problem->row_count; ++r) {
    int i = problem->rows[r] - system->m;
    reduced->rhs[r] = i >= 0 && point->position[i] >= 0 ? dx[point->position[i]] : 0;
  }
  mbs_problem_solve(problem, 1, reduced->rhs);
  mbs_state_copy(system, &point->simulation->state, &point->along);
  for (int i = 0; i < system->nq; ++i) {
    point->along.v[i] = i < system->n ? reduced->rhs[i] : 0;
  }
}

void mbs_linear_point_move(MbsLinearPoint *point, const mbs_scalar *dx, mbs_scalar *displacement, mbs_scalar *energy) {
  MbsSystem *system = point->simulation->system;
  int masses = system->bodies->mass_count;
  mbs_scalar r[3], a[3];
  move_along(point, dx);
  for (int i = 0; i < system->point_count; ++i) {
    mbs_system_point(system, i, &point->along, r, displacement + i * system->dimension, a);
  }
  for (int i = 0; i < masses; ++i) {
    MbsEnergy own;
    const MbsSystemElements all = mbs_system_isolate(system, i);
    mbs_terms_energy(system, &point->along, &own);
    mbs_system_rejoin(system, &all);
    energy[i] = own.kinetic;
  }
}

MbsStatus mbs_twin_state_space(MbsContext *context, MbsArena *arena, const MbsModel *model,
                               const MbsLinearRequest *request, MbsStateSpace *space, MbsPath *path) {
  MbsLinearPoint *point;
  MBS_TRY(mbs_linear_point_create(context, model, request, &point));
  MbsStatus status = mbs_linear_point_matrices(context, arena, point, request->perturbed >= 0, space);
  if (status == MBS_OK && path) {
    status = mbs_linear_point_path(context, arena, point, path);
  }
  mbs_linear_point_destroy(point);
  return status;
}
