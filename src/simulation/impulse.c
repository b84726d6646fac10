// See impulse.h.
#include "simulation/impulse.h"

#include <math.h>

#include "integrators/stepper.h"

enum { PROBES = 3, FROM_PROBES = MBS_IMPACT_E };

// d(K, r)/d(P of a probe): by input, probe and row; those of K over z
static const double shares[FROM_PROBES][PROBES][2] = {[MBS_IMPACT_K_NN] = {{1, 0}, {-1, 0}, {0, 0}},
                                                      [MBS_IMPACT_K_NS] = {{0, 1}, {0, -1}, {0, 0}},
                                                      [MBS_IMPACT_K_SS] = {{0, 1}, {0, 0}, {0, -1}},
                                                      [MBS_IMPACT_R_N] = {{1, 0}},
                                                      [MBS_IMPACT_R_S] = {{0, 1}}};

static double share(const MbsImpulse *impulse, int input, int probe, int row) {
  return shares[input][probe][row] / (input < MBS_IMPACT_R_N ? impulse->unit : 1);
}

static MbsStatus create_columns(MbsContext *context, MbsImpulse *impulse) {
  const MbsSystem *system = impulse->system;
  size_t columns = (size_t)system->carried_count;
  MBS_TAKE(context, system->arena, impulse->columns.X, (size_t)system->nq * columns);
  MBS_TAKE(context, system->arena, impulse->columns.V, (size_t)system->nq * columns);
  MBS_TAKE(context, system->arena, impulse->columns.S, (size_t)system->m * columns);
  MBS_TAKE(context, system->arena, impulse->slopes, (size_t)impulse->event->jump_count * columns);
  MBS_TAKE(context, system->arena, impulse->probed, impulse->event->has_friction ? FROM_PROBES * columns : 0);
  return MBS_OK;
}

MbsStatus mbs_impulse_create(MbsContext *context, MbsSystem *motion, const MbsEventSpec *event, double epsilon,
                             bool has_redundancy, bool is_swept, MbsImpulse **result) {
  MbsImpulse *impulse;
  MbsArena *arena = motion->arena;
  int *columns, count = motion->column_count;
  MBS_TAKE(context, arena, impulse, 1);
  MBS_TAKE(context, arena, columns, count + event->jump_count);
  MBS_TAKE(context, arena, impulse->given, event->jump_count);
  MBS_TAKE(context, arena, impulse->targets, event->jump_count);
  MBS_TAKE(context, arena, impulse->values, event->jump_count);
  for (int k = 0; k < count; ++k) {
    columns[k] = motion->columns[k];
  }
  for (int i = 0; i < event->jump_count; ++i) {
    columns[count + i] = event->jumps[i].parameter;
    MBS_TRY(mbs_function_create(context, motion, event->jumps[i].name, event->text.place, event->jumps[i].given,
                                &impulse->given[i]));
  }
  impulse->event = event;
  impulse->motion = motion;
  MBS_TRY(mbs_system_create(context, arena, motion->blueprint, count > 0 ? count + event->jump_count : 0, columns,
                            motion->carried_count > 0, event, &impulse->system));
  MbsSystem *system = impulse->system;
  MBS_TRY(mbs_state_create(context, system, &impulse->before));
  MBS_TRY(mbs_state_create(context, system, &impulse->after));
  MBS_TAKE(context, arena, impulse->rest, system->m);
  MBS_TAKE(context, arena, impulse->held, system->m);
  MBS_TRY(create_columns(context, impulse));
  if (is_swept) {
    MBS_TRY(mbs_bar_create(context, system, &impulse->bar));
    MBS_TAKE(context, arena, impulse->gradient, system->column_count);
  }
  *result = impulse;
  return mbs_projector_create(context, system, epsilon, 0, false, has_redundancy || system->m > system->n,
                              &impulse->projector);
}

void mbs_impulse_destroy(MbsImpulse *impulse) {
  if (impulse) {
    mbs_projector_destroy(impulse->projector);
  }
}

void mbs_impulse_take_given(MbsImpulse *impulse, const MbsState *state) {
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    impulse->values[i] = mbs_function_evaluate(impulse->motion, &impulse->given[i], state, NULL);
  }
  if (impulse->event->branch > 0) {
    mbs_terms_constraints(impulse->motion, state, impulse->held, NULL, NULL);
  }
}

// parameters, turns of angles, time, positions and velocities of the motion
static void begin(MbsImpulse *impulse, const MbsState *state) {
  MbsSystem *system = impulse->system, *motion = impulse->motion;
  mbs_system_follow_parameters(motion, system);
  for (int i = 0; i < motion->signals.turn_count; ++i) {
    system->signals.turns[i] = motion->signals.turns[i];
    system->signals.previous[i] = motion->signals.previous[i];
  }
  MbsState *const states[] = {&impulse->before, &impulse->after};
  for (int s = 0; s < MBS_COUNT(states); ++s) {
    states[s]->t = state->t;
    (void)mbs_put(states[s]->q, system->nq, state->q);
    (void)mbs_put(states[s]->v, system->nq, state->v);
  }
}

static void set_targets(const MbsImpulse *impulse, const mbs_scalar *targets) {
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    mbs_system_set_target(impulse->system, impulse->event->jumps[i].parameter, targets[i]);
  }
}

// v+ and P that reach these rates
static void project(MbsImpulse *impulse, const mbs_scalar *targets) {
  set_targets(impulse, targets);
  (void)mbs_put(impulse->after.v, impulse->system->nq, impulse->before.v);
  mbs_project_velocity(impulse->projector, &impulse->after);
}

static void project_probe(MbsImpulse *impulse, int probe) {
  const mbs_scalar targets[] = {probe == 1 ? impulse->unit : 0, probe == 2 ? impulse->unit : 0};
  project(impulse, targets);
}

// Every velocity constraint must hold afterwards, those of the event among them. Returns the first of these that does
// not, and by how much; -1: all do.
static int find_contradiction(const MbsImpulse *impulse, double *off) {
  const double rounding = 1e-6;
  const MbsSystem *system = impulse->system;
  const MbsEventSpec *event = impulse->event;
  double size = 0;
  for (int i = 0; i < system->n; ++i) {
    double before = mbs_re(mbs_abs(impulse->before.v[i])), after = mbs_re(mbs_abs(impulse->after.v[i]));
    size = before > size ? before : size;
    size = after > size ? after : size;
  }
  mbs_terms_constraints(system, &impulse->after, NULL, impulse->rest, NULL);
  for (int i = 0; i < event->jump_count; ++i) {
    *off = mbs_re(mbs_abs(impulse->rest[system->m - event->jump_count + i]));
    if (!(*off <= rounding * size)) {
      return i;
    }
  }
  return -1;
}

static MbsStatus check(MbsContext *context, const MbsImpulse *impulse) {
  const MbsEventSpec *event = impulse->event;
  double off = 0;
  int i = find_contradiction(impulse, &off);
  return i < 0
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_NUMERICAL, event->rows[i].place,
                        "event \"%s\" at t = %.10g: the rate of \"%s\" cannot become %.6g, which constraints or the "
                        "other rates of this event contradict by %.3g",
                        event->name, mbs_re(impulse->before.t), event->jumps[i].name, mbs_re(impulse->targets[i]), off);
}

// A branch: what is prescribed may have a kink there, but not jump. How far constraints are off by themselves does not
// count.
static MbsStatus check_jump(MbsContext *context, const MbsImpulse *impulse) {
  const double rounding = 1e-9;
  const MbsSystem *system = impulse->system;
  double size = mbs_state_size(system, &impulse->before);
  for (int i = 0; i < system->m && impulse->event->branch > 0; ++i) {
    double jump = mbs_re(mbs_abs(impulse->rest[i] - impulse->held[i]));
    if (!(jump <= rounding * (size > 1 ? size : 1))) {
      const MbsRowSpec *row = &system->blueprint->rows.items[i];
      if (!isfinite(jump)) {  // real; a table ends there, say: diagnosis.c
        return mbs_fail(context, MBS_ERROR_NUMERICAL, row->place,
                        "at t = %.10g what %s \"%s\" prescribes is not a finite number", mbs_re(impulse->before.t),
                        row->is_driver ? "driver" : "constraint", row->is_driver ? row->owner : row->name);
      }
      return mbs_fail(
          context, MBS_ERROR_NUMERICAL, impulse->event->text.place,
          "%s at t = %.10g: the position that %s \"%s\" prescribes jumps by %.3g, which nothing can follow; "
          "its rate may jump: let the pieces meet, or use step5()",
          impulse->event->name, mbs_re(impulse->before.t), row->is_driver ? "driver" : "constraint",
          row->is_driver ? row->owner : row->name, jump);
    }
  }
  return MBS_OK;
}

// is it a row of a joint that the event adds?
static bool is_new(const MbsEventSpec *event, const MbsRowSpec *row) {
  bool is_added = false;
  for (int i = 0; i < event->switch_count; ++i) {
    is_added |= event->switches[i].acts && event->switches[i].parameter == row->switched;
  }
  return is_added;
}

// What events set and add may not take the mechanism apart. drift: how far constraints have been off in this run; where
// they drift a new one cannot do much better.
static MbsStatus check_position(MbsContext *context, const MbsImpulse *impulse, double drift) {
  const double most = 1e-3, most_of_new = 1e-6;
  const MbsSystem *system = impulse->system;
  const MbsEventSpec *event = impulse->event;
  double size = mbs_state_size(system, &impulse->before), scale = size > 1 ? size : 1;
  double limit = most_of_new * scale > 10 * drift ? most_of_new * scale : 10 * drift;
  int rows = event->changes_constraints && event->branch == 0 ? system->m - event->jump_count : 0;
  mbs_terms_constraints(system, &impulse->before, impulse->rest, NULL, NULL);
  for (int i = 0; i < rows; ++i) {
    const MbsRowSpec *row = &system->blueprint->rows.items[i];
    double off = mbs_re(mbs_abs(impulse->rest[i]));
    if (is_new(event, row) && !(off <= limit)) {
      return mbs_fail(context, MBS_ERROR_NUMERICAL, row->place,
                      "event \"%s\" at t = %.10g adds joint \"%s\" where \"%s\" is off by %.3g: a joint can be "
                      "added where its points and directions are in place, an event can change velocities, not "
                      "positions; another guard, or a variable that the event sets, may say where that is",
                      event->name, mbs_re(impulse->before.t), row->owner, row->name, off);
    }
    if (!(off <= most * scale || off <= 10 * drift)) {
      return mbs_fail(
          context, MBS_ERROR_NUMERICAL, row->place,
          "event \"%s\" at t = %.10g: with what it sets constraint \"%s\" is off by %.3g: an event can change "
          "velocities, not positions",
          event->name, mbs_re(impulse->before.t), row->name, off);
    }
  }
  return MBS_OK;
}

// ---- an impact with friction ----
// z: the larger rate of the two
static double unit_of(const MbsImpulse *impulse) {
  const MbsSystem *system = impulse->system;
  const mbs_scalar zero[2] = {0};
  set_targets(impulse, zero);
  mbs_terms_constraints(system, &impulse->before, NULL, impulse->rest, NULL);
  double gap = mbs_re(mbs_abs(impulse->rest[system->m - 2])), slip = mbs_re(mbs_abs(impulse->rest[system->m - 1]));
  double larger = gap > slip ? gap : slip;
  return larger > 0 ? larger : 1;
}

static MbsStatus check_coefficients(MbsContext *context, const MbsImpulse *impulse) {
  double e = mbs_re(impulse->values[0]), mu = mbs_re(impulse->values[1]);
  return e >= 0 && e <= 1 && mu >= 0
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_NUMERICAL, impulse->event->text.place,
                        "event \"%s\" at t = %.10g: its restitution is %.6g and must be from 0 to 1, its coefficient "
                        "of friction %.6g and must not be negative",
                        impulse->event->name, mbs_re(impulse->before.t), e, mu);
}

static MbsStatus fail_dependent(MbsContext *context, const MbsImpulse *impulse) {
  const MbsEventSpec *event = impulse->event;
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, event->rows[1].place,
      "event \"%s\" at t = %.10g: an impact with friction needs a gap and a slip that can change apart, and "
      "\"%s\" and \"%s\" cannot: one is a multiple of the other there, or constraints hold it or make it "
      "one; leave the friction out, or give the velocities after the event",
      event->name, mbs_re(impulse->before.t), event->jumps[0].name, event->jumps[1].name);
}

// b
static MbsStatus find_impact(MbsContext *context, MbsImpulse *impulse) {
  const double parallel = 1e-10;
  mbs_scalar inputs[MBS_IMPACT_INPUTS] = {[MBS_IMPACT_E] = impulse->values[0], [MBS_IMPACT_MU] = impulse->values[1]};
  MBS_TRY(check_coefficients(context, impulse));
  impulse->unit = unit_of(impulse);
  for (int probe = 0; probe < PROBES; ++probe) {
    double off = 0;
    project_probe(impulse, probe);
    if (find_contradiction(impulse, &off) >= 0) {
      return fail_dependent(context, impulse);
    }
    const mbs_scalar *P = impulse->after.sigma + impulse->system->m - 2;
    for (int i = 0; i < FROM_PROBES; ++i) {
      inputs[i] += share(impulse, i, probe, 0) * P[0] + share(impulse, i, probe, 1) * P[1];
    }
  }
  double nn = mbs_re(inputs[MBS_IMPACT_K_NN]), ns = mbs_re(inputs[MBS_IMPACT_K_NS]);
  double ss = mbs_re(inputs[MBS_IMPACT_K_SS]);
  if (!(nn > 0 && ss > 0 && nn * ss - ns * ns > parallel * nn * ss)) {
    return fail_dependent(context, impulse);
  }
  impulse->impact = mbs_impact_rates(impulse->event->law, impulse->event->direction, inputs);
  (void)mbs_put(impulse->targets, 2, impulse->impact.after);
  return MBS_OK;
}

MbsStatus mbs_impulse_apply(MbsContext *context, MbsImpulse *impulse, double drift, MbsState *state) {
  begin(impulse, state);
  mbs_signal_bank_evaluate(impulse->system, &impulse->before);
  MBS_TRY(check_position(context, impulse, drift));
  MBS_TRY(check_jump(context, impulse));
  MBS_TRY(mbs_projector_factor(context, impulse->projector, &impulse->before, NULL, 0));
  if (impulse->event->has_friction) {
    MBS_TRY(find_impact(context, impulse));
  } else {
    (void)mbs_put(impulse->targets, impulse->event->jump_count, impulse->values);
  }
  project(impulse, impulse->targets);
  MBS_TRY(check(context, impulse));
  (void)mbs_put(state->v, impulse->system->n, impulse->after.v);
  return MBS_OK;
}

// ---- derivatives ----
void mbs_impulse_take_columns(MbsImpulse *impulse, const MbsState *state, const MbsColumns *columns) {
  const MbsSystem *motion = impulse->motion;
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    (void)mbs_function_evaluate(motion, &impulse->given[i], state, NULL);
    for (int k = 0; k < motion->column_count; ++k) {
      impulse->slopes[i * motion->column_count + k] =
          mbs_function_derivative(motion, &impulse->given[i], state, k, columns, NULL);
    }
  }
}

// of the last projection: v+' and P' at fixed b, and by b
static void differentiate(MbsImpulse *impulse, const MbsColumns *columns) {
  const MbsSystem *system = impulse->system;
  int nq = system->nq, count = impulse->motion->column_count;
  (void)mbs_put(impulse->columns.X, nq * count, columns->X);
  (void)mbs_put(impulse->columns.V, nq * count, columns->V);
  for (int i = nq * count; i < nq * system->column_count; ++i) {
    impulse->columns.X[i] = impulse->columns.V[i] = 0;
  }
  mbs_projector_take_columns(impulse->projector, &impulse->columns);
  mbs_project_velocity_derivative(impulse->projector, &impulse->after, &impulse->columns);
}

// slopes: from those of e and mu to those of b
static void differentiate_impact(MbsImpulse *impulse, const MbsColumns *columns) {
  int m = impulse->system->m, count = impulse->motion->column_count;
  for (int i = 0; i < FROM_PROBES * count; ++i) {
    impulse->probed[i] = 0;
  }
  for (int probe = 0; probe < PROBES; ++probe) {
    project_probe(impulse, probe);
    differentiate(impulse, columns);
    for (int k = 0; k < count; ++k) {
      const mbs_scalar *P = impulse->columns.S + k * m + m - 2;
      for (int i = 0; i < FROM_PROBES; ++i) {
        impulse->probed[i * count + k] += share(impulse, i, probe, 0) * P[0] + share(impulse, i, probe, 1) * P[1];
      }
    }
  }
  for (int k = 0; k < count; ++k) {
    mbs_scalar *const slopes[] = {&impulse->slopes[k], &impulse->slopes[count + k]};
    const mbs_scalar e = *slopes[0], mu = *slopes[1];
    for (int j = 0; j < 2; ++j) {
      const mbs_scalar *by = impulse->impact.slopes + j * MBS_IMPACT_INPUTS;
      *slopes[j] = by[MBS_IMPACT_E] * e + by[MBS_IMPACT_MU] * mu;
      for (int i = 0; i < FROM_PROBES; ++i) {
        *slopes[j] += by[i] * impulse->probed[i * count + k];
      }
    }
  }
}

void mbs_impulse_derivative(MbsImpulse *impulse, const MbsColumns *columns) {
  const MbsSystem *system = impulse->system;
  int nq = system->nq, count = impulse->motion->column_count;
  if (impulse->event->has_friction) {
    differentiate_impact(impulse, columns);
    project(impulse, impulse->targets);
  }
  differentiate(impulse, columns);
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < system->n; ++i) {
      mbs_scalar sum = impulse->columns.V[k * nq + i];
      for (int j = 0; j < impulse->event->jump_count; ++j) {
        sum += impulse->columns.V[(count + j) * nq + i] * impulse->slopes[j * count + k];
      }
      columns->V[k * nq + i] = sum;
    }
  }
}

// ---- transposes ----
// of the last projection, from v and sigma of the impulse's bar: q and v- to `bar`, what b has received to `targets`
static void transpose(const MbsImpulse *impulse, const MbsStateBar *bar, mbs_scalar *targets) {
  const MbsSystem *system = impulse->system;
  const MbsStateBar *own = &impulse->bar;
  mbs_project_velocity_transposed(impulse->projector, &impulse->after, own);
  for (int i = 0; i < system->nq; ++i) {
    bar->q[i] += own->q[i];
    bar->v[i] += own->v[i];
    own->q[i] = own->v[i] = 0;
  }
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    mbs_scalar *received = &own->parameters[impulse->event->jumps[i].parameter];
    targets[i] = *received;
    *received = 0;
  }
}

// given: from what b has received to what e and mu have
static void transpose_impact(MbsImpulse *impulse, const MbsStateBar *bar, mbs_scalar *given) {
  mbs_scalar received[MBS_IMPACT_INPUTS], fixed[2];
  for (int i = 0; i < MBS_IMPACT_INPUTS; ++i) {
    received[i] = impulse->impact.slopes[i] * given[0] + impulse->impact.slopes[MBS_IMPACT_INPUTS + i] * given[1];
  }
  given[0] = received[MBS_IMPACT_E];
  given[1] = received[MBS_IMPACT_MU];
  for (int probe = 0; probe < PROBES; ++probe) {
    project_probe(impulse, probe);
    for (int row = 0; row < 2; ++row) {
      mbs_scalar sum = 0;
      for (int i = 0; i < FROM_PROBES; ++i) {
        sum += share(impulse, i, probe, row) * received[i];
      }
      impulse->bar.sigma[impulse->system->m - 2 + row] = sum;
    }
    transpose(impulse, bar, fixed);
  }
}

void mbs_impulse_transposed(MbsImpulse *impulse, const MbsStateBar *bar, mbs_scalar *gradient, mbs_scalar *given) {
  const MbsSystem *system = impulse->system, *motion = impulse->motion;
  const MbsStateBar *own = &impulse->bar;
  mbs_bar_clear(system, own);
  for (int i = 0; i < system->n; ++i) {
    own->v[i] = bar->v[i];
    bar->v[i] = 0;
  }
  if (impulse->event->has_friction) {
    project(impulse, impulse->targets);
  }
  transpose(impulse, bar, given);
  if (impulse->event->has_friction) {
    transpose_impact(impulse, bar, given);
  }
  for (int k = 0; k < system->column_count; ++k) {
    impulse->gradient[k] = 0;
  }
  mbs_system_chain(system, own->coefficients, own->parameters, impulse->gradient);
  for (int k = 0; k < motion->column_count; ++k) {
    gradient[k] += impulse->gradient[k];
  }
}

void mbs_impulse_given_transposed(MbsImpulse *impulse, const MbsState *before, const mbs_scalar *given,
                                  const MbsStateBar *bar) {
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    (void)mbs_function_evaluate(impulse->motion, &impulse->given[i], before, NULL);
    mbs_function_transposed(impulse->motion, &impulse->given[i], before, given[i], bar);
  }
}
