// One run from start to end, in the scalar of the build.
#include "simulation/simulation.h"

#include "coordinates/placement.h"
#include "sensitivities/adjoint.h"
#include "sensitivities/history.h"
#include "sensitivities/twin.h"

// what a run gives back of a number: its value, or (perturbed) its derivative
static double outcome(const MbsTwinRequest *request, mbs_scalar x) {
  return request->perturbed >= 0 ? mbs_im(x) / MBS_COMPLEX_STEP : mbs_re(x);
}

// what the start holds as placed
static MbsStatus list_held(MbsContext *context, MbsArena *arena, const MbsBlueprint *blueprint, MbsTwinResult *result) {
  MBS_TAKE(context, arena, result->held, blueprint->independents.count);
  for (int i = 0; i < blueprint->independents.count; ++i) {
    if (blueprint->independents.items[i].is_chosen) {
      result->held[result->held_count++] = mbs_arena_copy_text(arena, blueprint->independents.items[i].name);
    }
  }
  return MBS_OK;
}

static MbsStatus give_back(MbsContext *context, MbsArena *arena, const MbsSimulation *simulation,
                           const MbsTwinRequest *request, MbsTwinResult *result) {
  const MbsSystem *system = simulation->system;
  const MbsObjectives *objectives = &simulation->objectives;
  *result = (MbsTwinResult){.settings = simulation->settings,
                            .objective_count = objectives->count,
                            .final_time = mbs_re(simulation->state.t),
                            .point_count = system->point_count,
                            .coordinate_count = system->n - system->first_scalar,
                            .multiplier_count = system->m,
                            .statistics = simulation->statistics};
  MBS_TAKE(context, arena, result->values, objectives->count);
  MBS_TAKE(context, arena, result->points, system->point_count);
  MBS_TAKE(context, arena, result->coordinates, result->coordinate_count);
  MBS_TAKE(context, arena, result->multipliers, system->m);
  MBS_TAKE(context, arena, result->multiplier_names, system->m);
  for (int i = 0; i < objectives->count; ++i) {
    result->values[i] = outcome(request, objectives->value[i]);
  }
  MBS_TRY(list_held(context, arena, system->blueprint, result));
  if (system->blueprint->placement->least_determined) {
    result->least_determined = mbs_arena_copy_text(arena, system->blueprint->placement->least_determined);
  }
  for (int i = 0; i < system->point_count; ++i) {
    MbsPointState *point = &result->points[i];
    mbs_scalar r[3], v[3], a[3];
    mbs_system_point(system, i, &simulation->state, r, v, a);
    point->name = mbs_arena_copy_text(arena, system->points[i].name);
    for (int k = 0; k < system->dimension; ++k) {
      point->position[k] = outcome(request, r[k]);
      point->velocity[k] = outcome(request, v[k]);
      point->acceleration[k] = outcome(request, a[k]);
    }
  }
  for (int i = 0; i < result->coordinate_count; ++i) {
    const MbsState *state = &simulation->state;
    int q = system->first_scalar + i;
    result->coordinates[i] =
        (MbsCoordinateState){.name = mbs_arena_copy_text(arena, system->blueprint->user_coordinates.items[i].name),
                             .value = outcome(request, state->q[q]),
                             .rate = outcome(request, state->v[q]),
                             .acceleration = outcome(request, state->a[q])};
  }
  for (int i = 0; i < system->m; ++i) {
    result->multipliers[i] = outcome(request, simulation->state.lambda[i]);
    result->multiplier_names[i] = mbs_arena_copy_text(arena, system->blueprint->rows.items[i].name);
  }
  return MBS_OK;
}

static const char *print_place(MbsArena *arena, MbsPlace place) {
  return place.line > 0 ? mbs_arena_print(arena, "%s:%d:%d", place.file, place.line, place.column) : "";
}

// to a list, if there are any; what: its time, count and is_fixed
static MbsStatus add_jump(MbsContext *context, MbsArena *arena, const MbsJumpSpec *spec, MbsJump what, int *count,
                          MbsJump *list) {
  what.owner = mbs_arena_copy_text(arena, spec->owner);
  what.expression = mbs_arena_copy_text(arena, spec->text.text);
  what.place = print_place(arena, spec->text.place);
  if (!what.owner || !what.expression || !what.place) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  if (what.count > 0) {
    list[(*count)++] = what;
  }
  return MBS_OK;
}

static MbsStatus give_jumps(MbsContext *context, MbsArena *arena, const MbsGuards *guards, MbsTwinResult *result) {
  MBS_TAKE(context, arena, result->jumps, 2 * guards->count);
  MBS_TAKE(context, arena, result->kinks, guards->count);
  for (int i = 0; i < guards->count; ++i) {
    const MbsJumpWatch *watch = &guards->watches[i];
    MbsJump moved = {.time = watch->moved_time, .count = watch->moved_count};
    MbsJump fixed = {.time = watch->fixed_time, .count = watch->fixed_count, .is_fixed = true};
    MbsJump kink = {.time = watch->kink_time, .count = watch->kink_count};
    MBS_TRY(add_jump(context, arena, watch->spec, moved, &result->jump_count, result->jumps));
    MBS_TRY(add_jump(context, arena, watch->spec, fixed, &result->jump_count, result->jumps));
    MBS_TRY(add_jump(context, arena, watch->spec, kink, &result->kink_count, result->kinks));
  }
  return MBS_OK;
}

static MbsStatus give_unsmooth(MbsContext *context, MbsArena *arena, const MbsSimulation *simulation,
                               MbsTwinResult *result) {
  const MbsContinuityList *objectives = &simulation->continuity.objectives;
  MBS_TAKE(context, arena, result->unsmooth, objectives->count);
  for (int i = 0; i < objectives->count; ++i) {
    const MbsFunction *function = &simulation->objectives.items[objectives->items[i].index].function;
    MbsUnsmooth item = {.objective = mbs_arena_copy_text(arena, function->name),
                        .place = print_place(arena, function->place),
                        .has_no_value = mbs_continuity_lacks(simulation, &objectives->items[i], true)};
    if (!item.objective || !item.place) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    if (item.has_no_value || mbs_continuity_lacks(simulation, &objectives->items[i], false)) {
      result->unsmooth[result->unsmooth_count++] = item;
    }
  }
  return MBS_OK;
}

static MbsStatus give_reactions(MbsContext *context, MbsArena *arena, const MbsSimulation *simulation,
                                const MbsTwinRequest *request, MbsTwinResult *result) {
  MbsReactions reactions;
  MBS_TRY(mbs_simulation_reactions(context, simulation, &reactions));
  MBS_TAKE(context, arena, result->reactions, reactions.count);
  result->reaction_count = reactions.count;
  for (int i = 0; i < reactions.count; ++i) {
    const mbs_scalar *values = reactions.values + 6 * i;
    result->reactions[i].joint = mbs_arena_copy_text(arena, reactions.joints[i]);
    for (int k = 0; k < 3; ++k) {
      result->reactions[i].force[k] = outcome(request, values[k]);
      result->reactions[i].torque[k] = outcome(request, values[3 + k]);
    }
  }
  return MBS_OK;
}

// a value at the end, or an expression of such, or a derivative, that is not a number
static MbsStatus check_objectives(MbsContext *context, const MbsObjectives *objectives) {
  const MbsSystem *system = objectives->system;
  for (int i = 0; i < objectives->count; ++i) {
    const MbsFunction *function = &objectives->items[i].function;
    if (!objectives->items[i].is_needed) {
      continue;
    }
    if (!mbs_is_finite(objectives->value[i])) {
      return mbs_fail(context, MBS_ERROR_NUMERICAL, function->place,
                      "objective \"%s\" is not a finite number (a division by zero or a domain error)", function->name);
    }
    for (int k = 0; k < system->column_count; ++k) {
      if (!mbs_is_finite(objectives->gradient[i * system->column_count + k])) {
        return mbs_fail(context, MBS_ERROR_NUMERICAL, function->place,
                        "objective \"%s\": its derivative with respect to \"%s\" is not a finite number (sqrt, norm "
                        "and powers have none at zero)",
                        function->name, system->blueprint->parameters.items[system->columns[k]].name);
      }
    }
  }
  return MBS_OK;
}

static MbsStatus create_sweep(MbsContext *context, MbsSimulation *simulation, const MbsTwinRequest *request,
                              MbsSweep **sweep) {
  int count = 0, *running_of;
  if (request->is_continuous) {
    MBS_TRY(mbs_continuous_check(context, simulation));
  }
  MBS_TRY(mbs_sweep_create(context, simulation, request->memory, sweep));
  if (!request->is_continuous) {
    return MBS_OK;
  }
  MBS_TAKE(context, simulation->arena, running_of, simulation->objectives.count);
  for (int i = 0; i < simulation->objectives.count && request->recorder; ++i) {
    if (simulation->objectives.items[i].is_wanted) {
      running_of[count++] = i;
    }
  }
  return mbs_continuous_create(context, *sweep, count, running_of);
}

static MbsStatus walk(MbsContext *context, MbsSimulation *simulation, const MbsTwinRequest *request, MbsSweep **sweep) {
  enum { STEPS_PER_REPORT = 256 };
  MbsHistory history;
  bool is_recorded = request->recorder != NULL;
  *sweep = NULL;
  if (request->is_adjoint) {
    MBS_TRY(create_sweep(context, simulation, request, sweep));
  }
  if (is_recorded) {
    MBS_TRY(mbs_history_begin(context, simulation, request, &history));
  }
  MBS_TRY(mbs_simulation_start(context, simulation));
  if (*sweep) {
    MBS_TRY(mbs_trajectory_record(context, (*sweep)->trajectory));
  }
  if (is_recorded) {
    MBS_TRY(mbs_history_row(simulation, request, &history));
  }
  while (!mbs_simulation_is_over(simulation)) {
    MBS_TRY(mbs_simulation_step(context, simulation));
    if (*sweep) {
      MBS_TRY(mbs_trajectory_record(context, (*sweep)->trajectory));
    }
    if (is_recorded) {
      MBS_TRY(mbs_history_row(simulation, request, &history));
    }
    long done = simulation->path.step_count;
    double there = (double)done / (double)simulation->followed->step_count;
    double fraction = *sweep ? there / 2 : there;  // there and back
    if (context->keep_going && done % STEPS_PER_REPORT == 0 && !context->keep_going(context->user, fraction)) {
      return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped at t = %.6g of %.6g",
                      mbs_re(simulation->state.t), simulation->settings.end);
    }
  }
  return MBS_OK;
}

static MbsStatus give_gradient(MbsContext *context, MbsArena *arena, const MbsSimulation *simulation,
                               const MbsTwinRequest *request, const MbsSweep *sweep, MbsTwinResult *result) {
  const MbsSystem *system = simulation->system;
  int count = simulation->objectives.count * system->column_count;
  MBS_TAKE(context, arena, result->gradient, count);
  for (int i = 0; i < count; ++i) {
    result->gradient[i] = outcome(request, simulation->objectives.gradient[i]);
  }
  result->statistics = simulation->statistics;
  if (!sweep || simulation->settings.is_kinematic) {  // which starts anew at every time
    return MBS_OK;
  }
  size_t size = (size_t)simulation->objectives.count * 2 * (size_t)system->n;
  result->state_count = system->n;
  MBS_TAKE(context, arena, result->state_names, system->n);
  MBS_TAKE(context, arena, result->at_start, size);
  for (int i = 0; i < system->n; ++i) {
    result->state_names[i] = mbs_arena_copy_text(arena, system->coordinate_names[i]);
  }
  for (size_t i = 0; i < size; ++i) {
    result->at_start[i] = outcome(request, sweep->at_start[i]);
  }
  return MBS_OK;
}

// what it did; and how many sets of independent coordinates there were
static MbsStatus give_path(MbsContext *context, MbsArena *arena, MbsSimulation *simulation, MbsPath *path) {
  const MbsStepper *stepper = simulation->stepper;
  for (int i = 0; i < stepper->set_count; ++i) {
    simulation->statistics.has_automatic_sets |= stepper->sets[i].is_automatic;
  }
  simulation->statistics.independent_sets = stepper->set_count;
  simulation->path.n = simulation->system->n;
  simulation->path.m = simulation->system->m;
  simulation->path.set_count = stepper->set_count;
  simulation->path.sets = stepper->sets;
  return mbs_path_copy(context, arena, &simulation->path, path);
}

// a run of a simulation that is ready to start, and what it gives back
static MbsStatus run(MbsContext *context, MbsArena *arena, MbsSimulation *simulation, const MbsTwinRequest *request,
                     MbsTwinResult *result) {
  MbsSweep *sweep;
  MbsSeries series = {.arena = simulation->arena};
  MbsRecorder keeper = mbs_series_recorder(&series);
  MbsTwinRequest forward = *request;
  bool is_kept = request->is_adjoint && request->is_continuous && request->recorder;  // until the gradients are there
  forward.recorder = is_kept ? &keeper : request->recorder;
  MBS_TRY(walk(context, simulation, &forward, &sweep));
  MBS_TRY(give_back(context, arena, simulation, request, result));
  MBS_TRY(give_jumps(context, arena, &simulation->guards, result));
  MBS_TRY(give_unsmooth(context, arena, simulation, result));
  MBS_TRY(give_path(context, arena, simulation, &result->path));
  if (request->with_reactions) {
    MBS_TRY(give_reactions(context, arena, simulation, request, result));
  }
  if (sweep) {
    MBS_TRY(mbs_sweep_run(context, sweep));
  }
  MBS_TRY(check_objectives(context, &simulation->objectives));
  if (is_kept) {
    MBS_TRY(mbs_history_replay(context, simulation, request, &series, sweep->continuous));
  }
  return give_gradient(context, arena, simulation, request, sweep, result);
}

// other numbers may lead to other coordinates, if a body's points come to lie in line, say
static MbsStatus check_path(MbsContext *context, const MbsSystem *system, const MbsPath *path) {
  if (!path || (path->n == system->n && path->m == system->m)) {
    return MBS_OK;
  }
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, mbs_nowhere,
      "with slightly different parameters the model has %d coordinates and %d constraints instead of %d and "
      "%d, so that no difference can be taken; move the model away from this special position",
      system->n, system->m, path->n, path->m);
}

MbsStatus mbs_twin_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsTwinRequest *request,
                       MbsTwinResult *result) {
  MbsSimulation *simulation;
  const MbsSourceTable *source = request->source;
  struct MbsPerturbedTerms *terms = NULL;
  MBS_TRY((request->is_adjoint ? mbs_simulation_create_for_sweep : mbs_simulation_create)(
      context, model, &request->settings, request->column_count, request->columns, request->parameters, &simulation));
  if (request->followed) {
    mbs_simulation_follow(simulation, request->followed);
  }
  mbs_objectives_choose(&simulation->objectives, request->wanted);
  if (request->perturbed >= 0) {
    mbs_system_perturb(simulation->system, request->perturbed, MBS_COMPLEX_STEP);
  }
  MbsStatus status = check_path(context, simulation->system, request->followed);
  if (status == MBS_OK && source) {
    status = source->create(context, model, &request->settings, request->parameters, &terms);
  }
  if (status == MBS_OK && source) {
    status = mbs_system_give_source(context, simulation->system, &source->functions, terms);
  }
  if (status == MBS_OK) {
    status = run(context, arena, simulation, request, result);
  }
  mbs_simulation_destroy(simulation);
  if (source) {
    source->destroy(terms);
  }
  return status;
}
