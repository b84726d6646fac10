// See step_map.h.
#include "sensitivities/step_map.h"

#include "sensitivities/session.h"

// value + i eps direction; in double the value
static mbs_scalar along(const double *values, const double *direction, long i) {
  return values[i] + mbs_complex(0, direction ? MBS_COMPLEX_STEP * direction[i] : 0);
}

static void take_start(MbsSimulation *simulation, const MbsWay *way, const MbsWay *direction, int seed) {
  MbsGivenStart *given = &simulation->given;
  given->is_given = way->q != NULL;
  given->t = way->q ? way->t : 0;
  given->seed = seed;
  for (int i = 0; i < simulation->system->n && given->is_given; ++i) {
    given->q[i] = along(way->q, direction ? direction->q : NULL, i);
    given->v[i] = along(way->v, direction ? direction->v : NULL, i);
    given->X[i] = seed >= 0 && direction && direction->q ? direction->q[i] : 0;
    given->V[i] = seed >= 0 && direction && direction->v ? direction->v[i] : 0;
  }
}

// what is still to follow at the present time comes first
static MbsStatus settle(MbsContext *context, MbsSession *session) {
  while (session->simulation->events.chained > 0) {
    MBS_TRY(mbs_session_step(context, session));
  }
  return MBS_OK;
}

static MbsStatus set_inputs(MbsContext *context, MbsSession *session, const double *inputs, const double *direction) {
  MbsSimulation *simulation = session->simulation;
  MbsEvents *events = &simulation->events;
  int count = simulation->system->blueprint->input_count;
  MBS_TRY(settle(context, session));
  MBS_TRY(mbs_events_give(context, simulation, inputs));
  mbs_scalar *last = events->settings + (events->setting_count - 1) * count;
  for (int i = 0; i < count; ++i) {
    last[i] = along(inputs, direction, i);
  }
  events->setting_slopes = simulation->given.seed >= 0 ? direction : NULL;
  MbsStatus status = mbs_session_step(context, session);
  events->setting_slopes = NULL;
  return status;
}

static MbsStatus walk_step(MbsContext *context, MbsSession *session, const MbsWay *way, const MbsWay *direction,
                           long k) {
  const MbsSimulation *simulation = session->simulation;
  int inputs = simulation->system->blueprint->input_count;
  if (way->inputs && inputs > 0) {
    const double *slopes = direction && direction->inputs ? direction->inputs + k * inputs : NULL;
    MBS_TRY(set_inputs(context, session, way->inputs + k * inputs, slopes));
  }
  while (simulation->planned <= k && !mbs_simulation_is_over(simulation)) {
    MBS_TRY(mbs_session_step(context, session));
  }
  return settle(context, session);
}

static void look(MbsSession *session, MbsWayRows rows, long row) {
  if (rows.take) {
    rows.take(rows.user, session, row);
  }
}

MbsStatus mbs_way_walk(MbsContext *context, MbsSession *session, const MbsWay *way, const MbsWay *direction, int seed,
                       MbsWayRows rows) {
  MbsSimulation *simulation = session->simulation;
  take_start(simulation, way, direction, seed);
  MBS_TRY(mbs_session_plan(context, session, simulation->given.t, way->steps));
  MBS_TRY(mbs_session_start(context, session));
  MBS_TRY(settle(context, session));
  look(session, rows, 0);
  for (long k = 0; k < way->steps; ++k) {
    if (!mbs_simulation_is_over(simulation)) {
      MBS_TRY(walk_step(context, session, way, direction, k));
    }
    look(session, rows, k + 1);
  }
  return MBS_OK;
}

// ---- the twin's ----
static void put(int count, const mbs_scalar *from, bool is_derivative, double *to) {
  for (int i = 0; i < count; ++i) {
    to[i] = is_derivative ? mbs_im(from[i]) / MBS_COMPLEX_STEP : mbs_re(from[i]);
  }
}

MbsStatus mbs_twin_way(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                       const double *parameters, const double *parameter_direction, const MbsWay *way,
                       const MbsWay *direction, int count, double *q, double *v, double *a) {
  const MbsTwinRequest request = {.settings = *settings, .parameters = parameters, .perturbed = -1};
  MbsSession *session;
  MBS_TRY(mbs_session_create(context, model, &request, &session));
  MbsSystem *system = session->simulation->system;
  if (parameter_direction) {
    mbs_system_perturb_along(system, parameter_direction, MBS_COMPLEX_STEP);
  }
  MbsStatus status = count == system->n
                         ? mbs_way_walk(context, session, way, direction, -1, (MbsWayRows){.take = NULL})
                         : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the way has other coordinates");
  if (status == MBS_OK) {
    const MbsState *state = &session->simulation->state;
    put(count, state->q, direction != NULL, q);
    put(count, state->v, direction != NULL, v);
    put(count, state->a, direction != NULL, a);
  }
  mbs_session_destroy(session);
  return status;
}
