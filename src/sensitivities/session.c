// See session.h.
#include "sensitivities/session.h"

#include "sensitivities/adjoint_continuous.h"

// ---- set-up ----
static MbsStatus choose_objectives(MbsContext *context, MbsSession *session) {
  MbsSimulation *simulation = session->simulation;
  const MbsTwinRequest *request = &session->request;
  int all = simulation->objectives.count;
  bool *wanted;
  session->objective_count = request->objectives ? request->objective_count : simulation->objectives.listed_count;
  MBS_TAKE(context, simulation->arena, session->objectives, session->objective_count);
  MBS_TAKE(context, simulation->arena, wanted, all);
  for (int i = 0; i < session->objective_count; ++i) {
    session->objectives[i] = request->objectives ? request->objectives[i] : i;
    wanted[session->objectives[i]] = true;
  }
  mbs_objectives_choose(&simulation->objectives, wanted);
  return MBS_OK;
}

static MbsStatus create_sweep(MbsContext *context, MbsSession *session) {
  MbsSimulation *simulation = session->simulation;
  const MbsTwinRequest *request = &session->request;
  int count = 0, *running_of, all = simulation->objectives.count;
  if (request->is_continuous) {
    MBS_TRY(mbs_continuous_check(context, simulation));
  }
  MBS_TRY(mbs_sweep_create(context, simulation, request->memory, &session->sweep));
  MBS_TAKE(context, simulation->arena, session->gradient, all * simulation->objectives.stride);
  if (!request->is_continuous) {
    return MBS_OK;
  }
  MBS_TAKE(context, simulation->arena, running_of, all);
  for (int i = 0; i < all && request->recorder; ++i) {
    if (simulation->objectives.items[i].is_wanted) {
      running_of[count++] = i;
    }
  }
  return mbs_continuous_create(context, session->sweep, count, running_of);
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

static MbsStatus create(MbsContext *context, const MbsModel *model, MbsSession *session) {
  const MbsTwinRequest *request = &session->request;
  MbsSimulation *simulation = session->simulation;
  MBS_TRY(choose_objectives(context, session));
  if (request->followed) {
    mbs_simulation_follow(simulation, request->followed);
  }
  simulation->shift = request->shift;
  if (request->perturbed >= 0) {
    mbs_system_perturb(simulation->system, request->perturbed, MBS_COMPLEX_STEP);
  }
  if (request->direction) {
    mbs_system_perturb_along(simulation->system, request->direction, MBS_COMPLEX_STEP);
  }
  MBS_TRY(check_path(context, simulation->system, request->followed));
  if (request->source) {
    MBS_TRY(request->source->create(context, model, &request->settings, request->parameters, &session->terms));
    MBS_TRY(mbs_system_give_source(context, simulation->system, &request->source->functions, session->terms));
  }
  if (request->is_adjoint) {
    MBS_TRY(create_sweep(context, session));
  }
  session->recorder = request->recorder;
  if (request->is_adjoint && request->is_continuous && request->recorder) {
    session->keeper = mbs_series_recorder(&session->series);
    session->recorder = &session->keeper;
  }
  // rows with derivatives, or of runs whose differences these are
  bool is_differentiated = request->column_count > 0 && !request->is_adjoint;
  return session->recorder ? mbs_history_create(context, simulation, is_differentiated, &session->history) : MBS_OK;
}

MbsStatus mbs_session_create(MbsContext *context, const MbsModel *model, const MbsTwinRequest *request,
                             MbsSession **result) {
  MbsSimulation *simulation;
  *result = NULL;
  bool is_differentiated = request->column_count > 0 && !request->is_start_alone;
  if (is_differentiated && request->settings.derivatives != MBS_DERIVATIVES_NUMERICAL) {
    MBS_TRY(mbs_simulation_check_slopes(context, model));
  }
  MBS_TRY((request->is_adjoint || request->is_start_alone ? mbs_simulation_create_for_sweep : mbs_simulation_create)(
      context, model, &request->settings, request->column_count, request->columns, request->parameters, &simulation));
  MbsSession *session = mbs_arena_take(simulation->arena, 1, sizeof *session);
  if (!session) {
    mbs_simulation_destroy(simulation);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  session->request = *request;
  session->simulation = simulation;
  session->series.arena = simulation->arena;
  MbsStatus status = create(context, model, session);
  if (status != MBS_OK) {
    mbs_session_destroy(session);
    return status;
  }
  *result = session;
  return MBS_OK;
}

void mbs_session_destroy(MbsSession *session) {
  if (!session) {
    return;
  }
  const MbsSourceTable *source = session->request.source;
  struct MbsPerturbedTerms *terms = session->terms;
  mbs_simulation_destroy(session->simulation);
  if (source) {
    source->destroy(terms);
  }
}

MbsStatus mbs_session_set_step(MbsContext *context, MbsSession *session, double step, const MbsStops *stops) {
  mbs_simulation_tell(session->simulation, context);
  session->is_under_way = session->is_cut_short = false;
  MBS_TRY(mbs_simulation_set_step(context, session->simulation, step, stops));
  return session->sweep ? mbs_sweep_resize(context, session->sweep, session->request.memory) : MBS_OK;
}

MbsStatus mbs_session_plan(MbsContext *context, MbsSession *session, double t, long steps) {
  mbs_simulation_tell(session->simulation, context);
  session->is_under_way = session->is_cut_short = false;
  MBS_TRY(mbs_simulation_plan_steps(context, session->simulation, t, steps));
  return session->sweep ? mbs_sweep_resize(context, session->sweep, session->request.memory) : MBS_OK;
}

MbsStatus mbs_session_follow(MbsContext *context, MbsSession *session, const MbsPath *path) {
  MbsSimulation *simulation = session->simulation;
  mbs_simulation_tell(simulation, context);
  session->is_under_way = session->is_cut_short = false;
  mbs_simulation_follow(simulation, path ? path : &simulation->plan);
  simulation->is_path_kept = path != NULL;
  return session->sweep ? mbs_sweep_resize(context, session->sweep, session->request.memory) : MBS_OK;
}

// ---- a run ----
// of a value at a time or at an event: has it happened, as often as it takes?
static MbsStatus check_watch(MbsContext *context, const MbsSimulation *simulation, int index) {
  const MbsBlueprint *blueprint = simulation->system->blueprint;
  const MbsObjectiveSpec *objective = &blueprint->objectives.items[index];
  const MbsWatchSpec *watch = &objective->watch;
  const MbsEvents *events = &simulation->events;
  int count = 0;
  for (int i = 0; i < events->record_count && watch->needed > 0; ++i) {
    count += events->records[i].event == watch->event;
  }
  if (count >= watch->needed) {
    return MBS_OK;
  }
  if (watch->number == 0) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, objective->place,
                    "objective \"%s\": its time is not reached, for the run ends at t = %.10g", objective->name,
                    mbs_re(simulation->state.t));
  }
  return mbs_fail(context, MBS_ERROR_NUMERICAL, objective->place,
                  "objective \"%s\": event \"%s\" number %d%s has not happened when the run ends, at t = %.10g",
                  objective->name, watch->text.text, watch->number, watch->is_after ? " and what is after it" : "",
                  mbs_re(simulation->state.t));
}

// a value at the end, or an expression of such, or a derivative, that is not a number
static MbsStatus check_objectives(MbsContext *context, const MbsSimulation *simulation) {
  const MbsObjectives *objectives = &simulation->objectives;
  const MbsSystem *system = objectives->system;
  for (int i = 0; i < objectives->listed_count; ++i) {  // whose parts may be anything where they do not count
    const MbsFunction *function = &objectives->items[i].function;
    if (!objectives->items[i].is_needed) {
      continue;
    }
    MBS_TRY(check_watch(context, simulation, i));
    if (!mbs_is_finite(objectives->value[i])) {
      return mbs_fail(context, MBS_ERROR_NUMERICAL, function->place,
                      "objective \"%s\" is not a finite number (a division by zero or a domain error)", function->name);
    }
    for (int k = 0; k < system->asked_count; ++k) {
      if (!mbs_is_finite(objectives->gradient[i * objectives->stride + k])) {
        return mbs_fail(context, MBS_ERROR_NUMERICAL, function->place,
                        "objective \"%s\": its derivative with respect to \"%s\" is not a finite number (sqrt, norm "
                        "and powers have none at zero)",
                        function->name, system->blueprint->parameters.items[system->columns[k]].name);
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_session_check_objectives(MbsContext *context, const MbsSession *session) {
  return check_objectives(context, session->simulation);
}

static MbsStatus record_rows_within(MbsContext *context, MbsSession *session) {
  return session->recorder ? mbs_history_rows_within(context, session->simulation, session->recorder,
                                                     session->request.perturbed, &session->history)
                           : MBS_OK;
}

static MbsStatus record_row(MbsSession *session) {
  bool is_kept = session->recorder != session->request.recorder;  // of every step, for gradients to come
  return session->recorder && (is_kept || mbs_history_has_row(session->simulation))
             ? mbs_history_row(session->simulation, session->recorder, session->request.perturbed, &session->history)
             : MBS_OK;
}

// after the start and after each step
static MbsStatus record(MbsContext *context, MbsSession *session) {
  if (session->sweep) {
    MBS_TRY(mbs_trajectory_record(context, session->sweep->trajectory));
  }
  return record_row(session);
}

// a numerical failure on the way: what there is to show is what there was before it
static MbsStatus cut_short(MbsContext *context, MbsSession *session, MbsStatus status) {
  if (status != MBS_ERROR_NUMERICAL || !session->is_under_way) {
    return status;
  }
  mbs_simulation_give_back(session->simulation);
  session->is_under_way = false;
  session->is_cut_short = true;
  bool is_kept = session->recorder && session->recorder != session->request.recorder;
  if (is_kept) {
    mbs_history_thin(session->simulation, &session->series);
  }
  return is_kept && mbs_series_replay(context, session->simulation->arena, 0, &session->series, NULL,
                                      session->request.recorder) != MBS_OK
             ? MBS_ERROR_FILE
             : status;
}

void mbs_session_keep(MbsSession *session) {
  mbs_simulation_keep(session->simulation);
  session->is_under_way = true;
  session->is_cut_short = false;
}

MbsStatus mbs_session_start(MbsContext *context, MbsSession *session) {
  mbs_simulation_tell(session->simulation, context);
  session->is_under_way = session->is_cut_short = false;
  if (session->sweep) {
    mbs_sweep_begin(session->sweep);
  }
  if (session->recorder) {
    session->series.row_count = 0;
    MBS_TRY(mbs_history_begin(session->recorder, &session->history));
  }
  MBS_TRY(mbs_simulation_start(context, session->simulation));
  MBS_TRY(record(context, session));
  mbs_session_keep(session);
  return MBS_OK;
}

// Both sides of an event are rows of histories; the trajectory has the state before it.
static MbsStatus step(MbsContext *context, MbsSession *session) {
  MbsSimulation *simulation = session->simulation;
  MBS_TRY(mbs_simulation_step(context, simulation));
  MBS_TRY(record_rows_within(context, session));
  MBS_TRY(record(context, session));
  mbs_simulation_keep(simulation);
  if (!mbs_events_is_pending(simulation)) {
    return MBS_OK;
  }
  bool is_event = simulation->events.step.event > 0;  // or else a start anew alone
  MBS_TRY(mbs_events_happen(context, simulation));
  if (is_event) {
    MBS_TRY(record_row(session));
  }
  mbs_simulation_keep(simulation);
  return MBS_OK;
}

MbsStatus mbs_session_step(MbsContext *context, MbsSession *session) {
  mbs_simulation_tell(session->simulation, context);
  return cut_short(context, session, step(context, session));
}

// the way back, and then to the end again
MbsStatus mbs_session_sweep(MbsContext *context, MbsSession *session) {
  MbsSimulation *simulation = session->simulation;
  MbsObjectives *objectives = &simulation->objectives;
  int count = objectives->count * objectives->stride;
  MBS_TRY(mbs_simulation_save(context, simulation, &session->end));
  MBS_TRY(mbs_sweep_run(context, session->sweep));
  MbsStatistics statistics = simulation->statistics;
  (void)mbs_put(session->gradient, count, objectives->gradient);
  mbs_simulation_restore(simulation, &session->end);
  simulation->statistics = statistics;
  (void)mbs_put(objectives->gradient, count, session->gradient);
  mbs_signal_bank_evaluate(simulation->system, &simulation->state);
  return MBS_OK;
}

static MbsStatus finish(MbsContext *context, MbsSession *session) {
  MbsSimulation *simulation = session->simulation;
  const MbsStepper *stepper = simulation->stepper;
  for (int i = 0; i < stepper->set_count; ++i) {
    simulation->statistics.has_automatic_sets |= stepper->sets[i].is_automatic;
  }
  simulation->statistics.independent_sets = stepper->set_count;
  if (session->sweep) {
    MBS_TRY(mbs_session_sweep(context, session));
  }
  MBS_TRY(check_objectives(context, simulation));
  bool is_kept = session->recorder && session->recorder != session->request.recorder;
  return is_kept ? mbs_history_replay(context, simulation, session->request.recorder, &session->series,
                                      session->sweep->continuous)
                 : MBS_OK;
}

MbsStatus mbs_session_finish(MbsContext *context, MbsSession *session) {
  mbs_simulation_tell(session->simulation, context);
  return cut_short(context, session, finish(context, session));
}

MbsStatus mbs_session_run(MbsContext *context, MbsSession *session) {
  enum { STEPS_PER_REPORT = 256 };
  const MbsSimulation *simulation = session->simulation;
  MBS_TRY(mbs_session_start(context, session));
  while (!mbs_simulation_is_over(simulation)) {
    MBS_TRY(mbs_session_step(context, session));
    long done = simulation->path.step_count;
    double there = mbs_re(simulation->state.t) / simulation->settings.end;
    double fraction = session->sweep ? there / 2 : there;  // there and back
    if (context->keep_going && done % STEPS_PER_REPORT == 0 && !context->keep_going(context->user, fraction)) {
      return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped at t = %.6g of %.6g",
                      mbs_re(simulation->state.t), simulation->settings.end);
    }
  }
  return mbs_session_finish(context, session);
}

MbsStatus mbs_twin_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsTwinRequest *request,
                       MbsResult *result, MbsPath *path) {
  MbsSession *session;
  MBS_TRY(mbs_session_create(context, model, request, &session));
  MbsStatus status = mbs_session_run(context, session);
  if (status == MBS_OK || session->is_cut_short) {
    MbsStatus given = mbs_session_result(context, arena, session, result);
    status = status == MBS_OK ? given : status;
  }
  if (status == MBS_OK && path) {
    status = mbs_session_path(context, arena, session, path);
  }
  mbs_session_destroy(session);
  return status;
}
