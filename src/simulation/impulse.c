// See impulse.h.
#include "simulation/impulse.h"

#include "integrators/stepper.h"

static MbsStatus create_columns(MbsContext *context, MbsImpulse *impulse) {
  const MbsSystem *system = impulse->system;
  size_t columns = (size_t)system->carried_count;
  MBS_TAKE(context, system->arena, impulse->columns.X, (size_t)system->nq * columns);
  MBS_TAKE(context, system->arena, impulse->columns.V, (size_t)system->nq * columns);
  MBS_TAKE(context, system->arena, impulse->columns.S, (size_t)system->m * columns);
  MBS_TAKE(context, system->arena, impulse->slopes, (size_t)impulse->event->jump_count * columns);
  return MBS_OK;
}

MbsStatus mbs_impulse_create(MbsContext *context, MbsSystem *motion, const MbsEventSpec *event, double epsilon,
                             bool has_redundancy, bool is_swept, MbsImpulse **result) {
  MbsImpulse *impulse;
  MbsArena *arena = motion->arena;
  int *columns, count = motion->column_count;
  MBS_TAKE(context, arena, impulse, 1);
  MBS_TAKE(context, arena, columns, count + event->jump_count);
  MBS_TAKE(context, arena, impulse->targets, event->jump_count);
  MBS_TAKE(context, arena, impulse->values, event->jump_count);
  for (int k = 0; k < count; ++k) {
    columns[k] = motion->columns[k];
  }
  for (int i = 0; i < event->jump_count; ++i) {
    columns[count + i] = event->jumps[i].parameter;
    MBS_TRY(mbs_function_create(context, motion, event->jumps[i].name, event->text.place, event->jumps[i].target,
                                &impulse->targets[i]));
  }
  impulse->event = event;
  impulse->motion = motion;
  MBS_TRY(mbs_system_create(context, arena, motion->blueprint, count > 0 ? count + event->jump_count : 0, columns,
                            motion->carried_count > 0, event, &impulse->system));
  MbsSystem *system = impulse->system;
  MBS_TRY(mbs_state_create(context, system, &impulse->before));
  MBS_TRY(mbs_state_create(context, system, &impulse->after));
  MBS_TAKE(context, arena, impulse->rest, system->m);
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

void mbs_impulse_take_targets(MbsImpulse *impulse, const MbsState *state) {
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    impulse->values[i] = mbs_function_evaluate(impulse->motion, &impulse->targets[i], state, NULL);
    impulse->motion->parameters[impulse->event->jumps[i].parameter] = impulse->values[i];
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

// every velocity constraint must hold afterwards, those of the event among them
static MbsStatus check(MbsContext *context, const MbsImpulse *impulse) {
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
    double off = mbs_re(mbs_abs(impulse->rest[system->m - event->jump_count + i]));
    if (!(off <= rounding * size)) {
      return mbs_fail(
          context, MBS_ERROR_NUMERICAL, event->rows[i].place,
          "event \"%s\" at t = %.10g: the rate of \"%s\" cannot become %.6g, which constraints or the other "
          "rates of this event contradict by %.3g",
          event->name, mbs_re(impulse->before.t), event->jumps[i].name, mbs_re(impulse->values[i]), off);
    }
  }
  return MBS_OK;
}

// what events set may not take the mechanism apart
static MbsStatus check_position(MbsContext *context, const MbsImpulse *impulse) {
  const double most = 1e-3;
  const MbsSystem *system = impulse->system;
  double size = mbs_state_size(system, &impulse->before);
  mbs_terms_constraints(system, &impulse->before, impulse->rest, NULL, NULL);
  for (int i = 0; i < system->m && impulse->event->assignment_count > 0; ++i) {
    double off = mbs_re(mbs_abs(impulse->rest[i]));
    if (!(off <= most * (size > 1 ? size : 1))) {
      const MbsRowSpec *row = &system->blueprint->rows.items[i];
      return mbs_fail(
          context, MBS_ERROR_NUMERICAL, row->place,
          "event \"%s\" at t = %.10g: with what it sets constraint \"%s\" is off by %.3g: an event can change "
          "velocities, not positions",
          impulse->event->name, mbs_re(impulse->before.t), row->name, off);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_impulse_apply(MbsContext *context, MbsImpulse *impulse, MbsState *state) {
  begin(impulse, state);
  mbs_signal_bank_evaluate(impulse->system, &impulse->before);
  MBS_TRY(check_position(context, impulse));
  MBS_TRY(mbs_projector_factor(context, impulse->projector, &impulse->before, NULL, 0));
  mbs_project_velocity(impulse->projector, &impulse->after);
  MBS_TRY(check(context, impulse));
  (void)mbs_put(state->v, impulse->system->n, impulse->after.v);
  return MBS_OK;
}

void mbs_impulse_take_columns(MbsImpulse *impulse, const MbsState *state, const MbsColumns *columns) {
  const MbsSystem *motion = impulse->motion;
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    (void)mbs_function_evaluate(motion, &impulse->targets[i], state, NULL);
    for (int k = 0; k < motion->column_count; ++k) {
      impulse->slopes[i * motion->column_count + k] =
          mbs_function_derivative(motion, &impulse->targets[i], state, k, columns, NULL);
    }
  }
}

void mbs_impulse_derivative(MbsImpulse *impulse, const MbsColumns *columns) {
  const MbsSystem *system = impulse->system, *motion = impulse->motion;
  int nq = system->nq, count = motion->column_count;
  (void)mbs_put(impulse->columns.X, nq * count, columns->X);
  (void)mbs_put(impulse->columns.V, nq * count, columns->V);
  for (int i = nq * count; i < nq * system->column_count; ++i) {
    impulse->columns.X[i] = impulse->columns.V[i] = 0;
  }
  mbs_projector_take_columns(impulse->projector, &impulse->columns);
  mbs_project_velocity_derivative(impulse->projector, &impulse->after, &impulse->columns);
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

void mbs_impulse_transposed(MbsImpulse *impulse, const MbsStateBar *bar, mbs_scalar *gradient, mbs_scalar *targets) {
  const MbsSystem *system = impulse->system, *motion = impulse->motion;
  const MbsStateBar *own = &impulse->bar;
  mbs_bar_clear(system, own);
  (void)mbs_put(own->v, system->n, bar->v);
  mbs_project_velocity_transposed(impulse->projector, &impulse->after, own);
  for (int i = 0; i < system->nq; ++i) {
    bar->q[i] += own->q[i];
    bar->v[i] = own->v[i] + (i < system->n ? 0 : bar->v[i]);
  }
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    mbs_scalar *received = &own->parameters[impulse->event->jumps[i].parameter];
    targets[i] = *received;
    *received = 0;
  }
  for (int k = 0; k < system->column_count; ++k) {
    impulse->gradient[k] = 0;
  }
  mbs_system_chain(system, own->coefficients, own->parameters, impulse->gradient);
  for (int k = 0; k < motion->column_count; ++k) {
    gradient[k] += impulse->gradient[k];
  }
}

void mbs_impulse_targets_transposed(MbsImpulse *impulse, const MbsState *before, const mbs_scalar *targets,
                                    const MbsStateBar *bar) {
  for (int i = 0; i < impulse->event->jump_count; ++i) {
    (void)mbs_function_evaluate(impulse->motion, &impulse->targets[i], before, NULL);
    mbs_function_transposed(impulse->motion, &impulse->targets[i], before, targets[i], bar);
  }
}
