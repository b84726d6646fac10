// What a session gives back. See session.h.
#include <math.h>
#include <mbsens/equilibrium.h>

#include "coordinates/placement.h"
#include "kinematics/equilibrium.h"
#include "sensitivities/session.h"

double mbs_session_number(const MbsSession *session, mbs_scalar x) {
  const MbsTwinRequest *request = &session->request;
  bool is_perturbed = request->perturbed >= 0 || request->direction || request->shift.number > 0;
  return is_perturbed ? mbs_im(x) / MBS_COMPLEX_STEP : mbs_re(x);
}

// what the start holds as placed
static MbsStatus list_held(MbsContext *context, MbsArena *arena, const MbsBlueprint *blueprint, MbsResult *result) {
  const char **held;
  MBS_TAKE(context, arena, held, blueprint->independents.count);
  result->held = held;
  for (int i = 0; i < blueprint->independents.count; ++i) {
    if (blueprint->independents.items[i].is_chosen) {
      held[result->held_count++] = mbs_arena_copy_text(arena, blueprint->independents.items[i].name);
    }
  }
  return MBS_OK;
}

static MbsStatus give_state(MbsContext *context, MbsArena *arena, const MbsSession *session, MbsResult *result) {
  const MbsSimulation *simulation = session->simulation;
  const MbsSystem *system = simulation->system;
  MbsPointState *points;
  MbsCoordinateState *coordinates;
  MbsFirstOrderState *first_order;
  double *multipliers;
  const char **names;
  result->point_count = system->point_count;
  result->coordinate_count = system->first_state - system->first_scalar;
  result->first_order_count = system->n - system->first_state;
  result->multiplier_count = system->m;
  MBS_TAKE(context, arena, points, system->point_count);
  MBS_TAKE(context, arena, coordinates, result->coordinate_count);
  MBS_TAKE(context, arena, first_order, result->first_order_count);
  MBS_TAKE(context, arena, multipliers, system->m);
  MBS_TAKE(context, arena, names, system->m);
  for (int i = 0; i < system->point_count; ++i) {
    MbsPointState *point = &points[i];
    mbs_scalar r[3], v[3], a[3];
    mbs_system_point(system, i, &simulation->state, r, v, a);
    point->name = mbs_arena_copy_text(arena, system->points[i].name);
    for (int k = 0; k < system->dimension; ++k) {
      point->position[k] = mbs_session_number(session, r[k]);
      point->velocity[k] = mbs_session_number(session, v[k]);
      point->acceleration[k] = mbs_session_number(session, a[k]);
    }
  }
  for (int i = 0; i < result->coordinate_count; ++i) {
    const MbsState *state = &simulation->state;
    int q = system->first_scalar + i;
    coordinates[i] =
        (MbsCoordinateState){.name = mbs_arena_copy_text(arena, system->blueprint->user_coordinates.items[i].name),
                             .value = mbs_session_number(session, state->q[q]),
                             .rate = mbs_session_number(session, state->v[q]),
                             .acceleration = mbs_session_number(session, state->a[q])};
  }
  for (int i = 0; i < result->first_order_count; ++i) {
    const MbsState *state = &simulation->state;
    int q = system->first_state + i;
    first_order[i] = (MbsFirstOrderState){.name = mbs_arena_copy_text(arena, system->coordinate_names[q]),
                                          .value = mbs_session_number(session, state->v[q]),
                                          .rate = mbs_session_number(session, state->a[q])};
  }
  for (int i = 0; i < system->m; ++i) {
    multipliers[i] = mbs_session_number(session, simulation->state.lambda[i]);
    names[i] = mbs_arena_copy_text(arena, system->blueprint->rows.items[i].name);
  }
  result->points = points;
  result->coordinates = coordinates;
  result->first_order = first_order;
  result->multipliers = multipliers;
  result->multiplier_names = names;
  return MBS_OK;
}

static MbsStatus give_outputs(MbsContext *context, MbsArena *arena, MbsSession *session, MbsResult *result) {
  const MbsOutputs *outputs = &session->simulation->outputs;
  MbsOutputResult *given;
  MBS_TAKE(context, arena, given, outputs->count);
  result->outputs = given;
  mbs_outputs_evaluate(session->simulation, NULL);
  for (int i = 0; i < outputs->count; ++i) {
    const MbsOutputSpec *spec = outputs->items[i].spec;
    if (spec->is_of_model && outputs->items[i].component == 0) {
      MbsOutputResult *output = &given[result->output_count++];
      output->name = mbs_arena_copy_text(arena, spec->name);
      output->unit = spec->unit ? mbs_arena_copy_text(arena, spec->unit) : NULL;
      output->description = spec->description ? mbs_arena_copy_text(arena, spec->description) : NULL;
      output->size = spec->size;
      for (int k = 0; k < spec->size; ++k) {
        output->value[k] = mbs_session_number(session, outputs->value[i + k]);
      }
    }
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

static MbsStatus give_jumps(MbsContext *context, MbsArena *arena, const MbsGuards *guards, MbsResult *result) {
  MbsJump *jumps, *kinks;
  MBS_TAKE(context, arena, jumps, 2 * guards->count);
  MBS_TAKE(context, arena, kinks, guards->count);
  for (int i = 0; i < guards->count; ++i) {
    const MbsJumpWatch *watch = &guards->watches[i];
    MbsJump moved = {.time = watch->moved_time, .count = watch->moved_count};
    MbsJump fixed = {.time = watch->fixed_time, .count = watch->fixed_count, .is_fixed = true};
    MbsJump kink = {.time = watch->kink_time, .count = watch->kink_count};
    MBS_TRY(add_jump(context, arena, watch->spec, moved, &result->jump_count, jumps));
    MBS_TRY(add_jump(context, arena, watch->spec, fixed, &result->jump_count, jumps));
    MBS_TRY(add_jump(context, arena, watch->spec, kink, &result->kink_count, kinks));
  }
  result->jumps = jumps;
  result->kinks = kinks;
  return MBS_OK;
}

static MbsStatus give_breaches(MbsContext *context, MbsArena *arena, const MbsSystem *system, MbsResult *result) {
  MbsBreach *given;
  MBS_TAKE(context, arena, given, system->condition_count);
  for (int i = 0; i < system->condition_count; ++i) {
    const MbsCondition *condition = &system->conditions[i];
    if (condition->broken_count > 0) {
      MbsBreach breach = {.owner = mbs_arena_copy_text(arena, condition->spec->owner),
                          .place = print_place(arena, condition->spec->place),
                          .message = mbs_arena_copy_text(arena, condition->spec->broken),
                          .from = condition->broken_from,
                          .to = condition->broken_to,
                          .count = condition->broken_count};
      if (!breach.owner || !breach.place || !breach.message) {
        return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
      }
      given[result->breach_count++] = breach;
    }
  }
  result->breaches = given;
  return MBS_OK;
}

static MbsStatus give_events(MbsContext *context, MbsArena *arena, const MbsSession *session, MbsResult *result) {
  const MbsSimulation *simulation = session->simulation;
  const MbsEvents *events = &simulation->events;
  int columns = simulation->has_columns ? simulation->system->asked_count : 0;
  MbsEventResult *given;
  MBS_TAKE(context, arena, given, events->record_count);
  for (int i = 0; i < events->record_count; ++i) {
    const MbsEventRecord *record = &events->records[i];
    double *gradient = NULL;
    const MbsEventSpec *spec = events->items[record->event].spec;
    if (spec->is_end || spec->is_hidden) {  // no event of the model
      continue;
    }
    if (columns > 0) {
      MBS_TAKE(context, arena, gradient, columns);
    }
    for (int k = 0; k < columns; ++k) {
      gradient[k] = mbs_session_number(session, events->gradients[i * columns + k]);
    }
    given[result->event_count++] =
        (MbsEventResult){.name = mbs_arena_copy_text(arena, events->items[record->event].spec->name),
                         .time = mbs_session_number(session, record->t),
                         .energy_lost = record->energy_lost,
                         .is_grazing = record->is_grazing,
                         .is_together = record->is_together,
                         .is_at_edge = record->is_at_edge,
                         .gradient = gradient};
  }
  result->events = given;
  const MbsEventRecord *last = events->record_count > 0 ? &events->records[events->record_count - 1] : NULL;
  result->has_ended = events->is_over && last && !events->items[last->event].spec->is_end;
  return MBS_OK;
}

// objectives without a derivative, or even a value
static MbsStatus give_unsmooth(MbsContext *context, MbsArena *arena, const MbsSimulation *simulation,
                               MbsResult *result) {
  const MbsContinuityList *objectives = &simulation->continuity.objectives;
  MbsUnsmooth *unsmooth;
  MBS_TAKE(context, arena, unsmooth, objectives->count);
  for (int i = 0; i < objectives->count; ++i) {
    const MbsFunction *function = &simulation->objectives.items[objectives->items[i].index].function;
    MbsUnsmooth item = {.objective = mbs_arena_copy_text(arena, function->name),
                        .place = print_place(arena, function->place),
                        .has_no_value = mbs_continuity_lacks(simulation, &objectives->items[i], true)};
    if (!item.objective || !item.place) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    if (item.has_no_value || mbs_continuity_lacks(simulation, &objectives->items[i], false)) {
      unsmooth[result->unsmooth_count++] = item;
    }
  }
  result->unsmooth = unsmooth;
  return MBS_OK;
}

// Of the candidates of an extremum, with the end among them, the two best: are they the same?
static bool find_tie(const MbsSimulation *simulation, const MbsPeak *peak, double time[2]) {
  const double rounding = 1e-9;
  double t = mbs_re(simulation->state.t);
  double last = peak->sign * mbs_re(simulation->objectives.g[peak->objective]);
  double values[] = {peak->best[0], peak->best[1], last}, times[] = {peak->best_time[0], peak->best_time[1], t};
  int best = 0, next = -1;
  for (int i = 1; i < MBS_COUNT(values); ++i) {
    best = values[i] > values[best] ? i : best;
  }
  for (int i = 0; i < MBS_COUNT(values); ++i) {
    bool is_other = i != best && fabs(times[i] - times[best]) > simulation->settings.step;  // real
    next = is_other && (next < 0 || values[i] > values[next]) ? i : next;
  }
  double size = fabs(values[best]) + fabs(last - values[best]);                     // real
  bool is_tie = next >= 0 && fabs(values[best] - values[next]) <= rounding * size;  // real
  time[0] = is_tie ? fmin(times[best], times[next]) : 0;                            // real
  time[1] = is_tie ? fmax(times[best], times[next]) : 0;                            // real
  return is_tie;
}

static MbsStatus give_ties(MbsContext *context, MbsArena *arena, const MbsSimulation *simulation, MbsResult *result) {
  const MbsPeaks *peaks = &simulation->peaks;
  MbsTie *ties;
  MBS_TAKE(context, arena, ties, peaks->count);
  result->ties = ties;
  for (int i = 0; i < peaks->count; ++i) {
    const MbsObjective *objective = &simulation->objectives.items[peaks->items[i].objective];
    MbsTie tie;
    if (objective->is_needed && find_tie(simulation, &peaks->items[i], tie.time)) {
      tie.objective = mbs_arena_copy_text(arena, objective->function.name);
      ties[result->tie_count++] = tie;
    }
  }
  return MBS_OK;
}

static MbsStatus give_reactions(MbsContext *context, MbsArena *arena, const MbsSession *session, MbsResult *result) {
  MbsReactions reactions;
  MbsReaction *given;
  MBS_TRY(mbs_reactions_create(context, session->simulation, &reactions));
  mbs_reactions_evaluate(session->simulation, &reactions);
  MBS_TAKE(context, arena, given, reactions.count);
  result->reactions = given;
  result->reaction_count = reactions.count;
  for (int i = 0; i < reactions.count; ++i) {
    const mbs_scalar *values = reactions.values + 6 * i;
    given[i].joint = mbs_arena_copy_text(arena, reactions.joints[i]);
    for (int k = 0; k < 3; ++k) {
      given[i].force[k] = mbs_session_number(session, values[k]);
      given[i].torque[k] = mbs_session_number(session, values[3 + k]);
    }
  }
  return MBS_OK;
}

// of the chosen objectives
static MbsStatus give_objectives(MbsContext *context, MbsArena *arena, const MbsSession *session, MbsResult *result) {
  const MbsSimulation *simulation = session->simulation;
  const MbsObjectives *objectives = &simulation->objectives;
  int columns = simulation->system->asked_count, stride = objectives->stride, states = 2 * simulation->system->n;
  // of kinematics, which starts anew at every time, there is no gradient with respect to one start
  bool has_start = session->sweep && !simulation->settings.is_kinematic;
  double *values, *gradient, *at_start;
  MBS_TAKE(context, arena, values, session->objective_count);
  MBS_TAKE(context, arena, gradient, session->objective_count * columns);
  MBS_TAKE(context, arena, at_start, has_start ? session->objective_count * states : 0);
  for (int i = 0; i < session->objective_count; ++i) {
    int o = session->objectives[i];
    values[i] = mbs_session_number(session, objectives->value[o]);
    for (int k = 0; k < columns; ++k) {
      gradient[i * columns + k] = mbs_session_number(session, objectives->gradient[o * stride + k]);
    }
    for (int k = 0; k < states && has_start; ++k) {
      at_start[i * states + k] = mbs_session_number(session, session->sweep->at_start[o * states + k]);
    }
  }
  result->objective_count = session->objective_count;
  result->parameter_count = columns;
  result->values = values;
  result->gradient = gradient;
  if (has_start) {
    const char **names;
    MBS_TAKE(context, arena, names, simulation->system->n);
    for (int i = 0; i < simulation->system->n; ++i) {
      names[i] = mbs_arena_copy_text(arena, simulation->system->coordinate_names[i]);
    }
    result->state_count = simulation->system->n;
    result->state_names = names;
    result->at_start = at_start;
  }
  return MBS_OK;
}

static MbsStatus give_solved(MbsContext *context, MbsArena *arena, const MbsSession *session,
                             MbsEquilibriumResult *given) {
  const MbsEquilibrium *equilibrium = session->simulation->initial->equilibrium;
  const MbsBlueprint *blueprint = session->simulation->system->blueprint;
  const char **names;
  double *values;
  MBS_TAKE(context, arena, names, equilibrium->solved_count);
  MBS_TAKE(context, arena, values, equilibrium->solved_count);
  for (int j = 0; j < equilibrium->solved_count; ++j) {
    names[j] = mbs_arena_copy_text(arena, blueprint->trim.unknowns.items[j].name);
    values[j] = mbs_re(equilibrium->z[equilibrium->count + j]);
  }
  given->solved_count = equilibrium->solved_count;
  given->solved = names;
  given->solved_values = values;
  return MBS_OK;
}

// coordinates that are not solved for, and what is said of the rest
static MbsStatus give_equilibrium(MbsContext *context, MbsArena *arena, const MbsSession *session, MbsResult *result) {
  MbsInitial *initial = session->simulation->initial;
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  MbsEquilibriumResult *given;
  const char **held;
  double *matrix;
  if (!equilibrium || !equilibrium->is_found) {
    return MBS_OK;
  }
  MBS_TAKE(context, arena, given, 1);
  MBS_TAKE(context, arena, held, equilibrium->count);
  *given = (MbsEquilibriumResult){.is_steady = equilibrium->is_steady,
                                  .residual = equilibrium->residual,
                                  .iterations = equilibrium->iterations,
                                  .is_stable = equilibrium->is_alone && equilibrium->count == 0,
                                  .held = held};
  for (int i = 0; i < equilibrium->count; ++i) {
    if (!equilibrium->is_free[i]) {
      held[given->held_count++] = mbs_arena_copy_text(arena, initial->set.independents[i].name);
    }
  }
  MBS_TRY(give_solved(context, arena, session, given));
  if (equilibrium->is_alone && session->request.perturbed < 0) {
    MBS_TRY(mbs_equilibrium_linearise(context, initial, arena, &given->order, &matrix));
    given->matrix = matrix;
  }
  result->equilibrium = given;
  return MBS_OK;
}

MbsStatus mbs_session_result(MbsContext *context, MbsArena *arena, MbsSession *session, MbsResult *result) {
  MbsSimulation *simulation = session->simulation;
  MbsRequest *request;
  MBS_TAKE(context, arena, request, 1);
  request->settings = simulation->settings;
  *result = (MbsResult){.request = request,
                        .final_time = mbs_re(simulation->state.t),
                        .statistics = simulation->statistics,
                        .is_complete = !session->is_cut_short};
  if (session->is_cut_short) {
    result->error = mbs_arena_copy_text(arena, mbs_context_message(context));
  }
  MBS_TRY(give_objectives(context, arena, session, result));
  MBS_TRY(list_held(context, arena, simulation->system->blueprint, result));
  MBS_TRY(give_state(context, arena, session, result));
  MBS_TRY(give_equilibrium(context, arena, session, result));
  MBS_TRY(give_outputs(context, arena, session, result));
  MBS_TRY(give_events(context, arena, session, result));
  MBS_TRY(give_jumps(context, arena, &simulation->guards, result));
  MBS_TRY(give_unsmooth(context, arena, simulation, result));
  MBS_TRY(give_ties(context, arena, simulation, result));
  MBS_TRY(give_breaches(context, arena, simulation->system, result));
  if (simulation->opposition.off > 0) {
    const MbsBlueprint *blueprint = simulation->system->blueprint;
    int parameter = simulation->system->columns[simulation->opposition.column];
    result->opposed_constraint =
        mbs_arena_copy_text(arena, blueprint->rows.items[simulation->opposition.constraint].name);
    result->opposing_parameter = mbs_arena_copy_text(arena, blueprint->parameters.items[parameter].name);
  }
  if (simulation->system->blueprint->placement->least_determined) {
    result->least_determined = mbs_arena_copy_text(arena, simulation->system->blueprint->placement->least_determined);
  }
  return session->request.with_reactions ? give_reactions(context, arena, session, result) : MBS_OK;
}

MbsStatus mbs_session_path(MbsContext *context, MbsArena *arena, MbsSession *session, MbsPath *path) {
  MbsSimulation *simulation = session->simulation;
  simulation->path.n = simulation->system->n;
  simulation->path.m = simulation->system->m;
  simulation->path.set_count = simulation->stepper->set_count;
  simulation->path.sets = simulation->stepper->sets;
  return mbs_path_copy(context, arena, &simulation->path, path);
}
