// Start and step. See stepper.h.
#include "integrators/stepper.h"

static bool has_reactions(const MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->signals.count; ++i) {
    const MbsSignal *signal = &blueprint->signals.items[i];
    if (signal->kind == MBS_SIGNAL_BODY_FORCE ||
        (signal->kind == MBS_SIGNAL_MULTIPLIER && signal->component == MBS_MULTIPLIER_TOTAL)) {
      return true;
    }
  }
  return false;
}

MbsStatus mbs_stepper_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                             bool has_redundancy, MbsStepper *stepper) {
  const MbsSystem *system = formulation->system;
  MbsArena *arena = system->arena;
  size_t size = (size_t)(system->n + system->m), columns = (size_t)system->carried_count;
  *stepper = (MbsStepper){.formulation = formulation,
                          .tolerance = settings->tolerance,
                          .is_approximate = settings->is_tangent_approximate,
                          .has_projections = formulation->type->has_projections && settings->projections >= 0,
                          .has_redundancy = has_redundancy && formulation->type->allows_redundancy,
                          .has_reactions = has_reactions(system->blueprint)};
  bool is_stabilised = formulation->step.k0 > 0 || formulation->step.k1 > 0;
  if (stepper->has_redundancy && formulation->relaxation > 0 && is_stabilised) {
    // Redundant rows that have drifted contradict each other, and e = 0 has no solution: the first iterate of the
    // augmented Lagrangian is well defined, and within epsilon of the constraints.
    double epsilon = formulation->relaxation;
    formulation->start.epsilon = formulation->step.epsilon = epsilon;
    formulation->start.n_epsilon = formulation->step.n_epsilon = epsilon;
  }
  bool is_known = mbs_rule_find(settings, &stepper->rule);
  MBS_CHECK(context, is_known);  // settings were checked
  MBS_TAKE(context, arena, stepper->tangent, system->mode.factored.entry_count + 1);
  MBS_TAKE(context, arena, stepper->r, size);
  MBS_TAKE(context, arena, stepper->previous[0], size);
  MBS_TAKE(context, arena, stepper->previous[1], size);
  MBS_TAKE(context, arena, stepper->R, size * columns);
  MBS_TAKE(context, arena, stepper->bar_a, system->nq);
  MBS_TAKE(context, arena, stepper->bar_lambda, system->m);
  if (stepper->rule.has_auxiliary) {
    MBS_TAKE(context, arena, stepper->w, system->nq);
    MBS_TAKE(context, arena, stepper->W, (size_t)system->nq * columns);
  }
  if (stepper->has_projections) {
    MBS_TAKE(context, arena, stepper->stage_v, system->nq);
    MBS_TAKE(context, arena, stepper->stage_a, system->nq);
  }
  if (stepper->has_redundancy) {
    MBS_TAKE(context, arena, stepper->stage_lambda, system->m);
  }
  if (stepper->has_projections || stepper->has_redundancy) {
    MBS_TRY(mbs_projector_create(context, system, formulation->projection_relaxation, settings->projections,
                                 settings->is_projection_tangent, stepper->has_redundancy, &stepper->projector));
  }
  MBS_TRY(mbs_sparse_solver_create(context, arena, &system->mode.factored, &stepper->solver));
  if (stepper->has_redundancy) {
    mbs_sparse_solver_demand_digits(stepper->solver);  // the columns lose them otherwise
  }
  return mbs_refinement_create(context, system, stepper->solver, &stepper->refinement);
}

void mbs_stepper_destroy(MbsStepper *stepper) {
  mbs_sparse_solver_destroy(stepper->solver);
  mbs_projector_destroy(stepper->projector);
}

// q is the state's; v and a too where nothing is projected (at the start nothing is), lambda where none is redundant
MbsState *mbs_stepper_stage(MbsStepper *stepper, const MbsState *state, bool is_start) {
  MbsState stage = *state;
  if (stepper->has_projections && !is_start) {
    stage.v = stepper->stage_v;
    stage.a = stepper->stage_a;
  }
  if (stepper->has_redundancy) {
    stage.lambda = stepper->stage_lambda;
  }
  stepper->stage = stage;
  return &stepper->stage;
}

// The multipliers of reactions. See projection.h.
static void find_total(const MbsStepper *stepper, bool is_projected, MbsState *state) {
  if (is_projected && stepper->projector->is_tangent) {
    mbs_project_balance(stepper->projector, MBS_PROJECT_TOTAL, state, state->total);
    return;
  }
  for (int i = 0; i < stepper->formulation->system->m; ++i) {
    state->total[i] = state->lambda[i] + (is_projected ? state->kappa[i] : 0);
  }
}

MbsStatus mbs_stepper_finish(MbsContext *context, MbsStepper *stepper, MbsState *state, double h) {
  const MbsSystem *system = stepper->formulation->system;
  const MbsState *stage = &stepper->stage;
  const MbsRuleStep k = h > 0 ? mbs_rule_step(&stepper->rule, h) : (MbsRuleStep){.h = 0};
  bool is_projected = stepper->has_projections && h > 0;
  if (is_projected || stepper->has_redundancy) {
    MBS_TRY(mbs_projector_factor(context, stepper->projector, stage, k.c0, k.c1));
  }
  if (stepper->has_redundancy) {
    mbs_project_balance(stepper->projector, MBS_PROJECT_BALANCE, stage, state->lambda);
  }
  for (int i = 0; i < system->m; ++i) {
    state->sigma[i] = state->kappa[i] = 0;
  }
  if (is_projected) {
    for (int i = 0; i < system->n; ++i) {
      state->v[i] = stage->v[i];
      state->a[i] = stage->a[i];
    }
    mbs_project_velocity(stepper->projector, state);
    mbs_project_acceleration(stepper->projector, state);
  }
  stepper->is_recallable = is_projected && mbs_projector_is_at_limits(stepper->projector);
  find_total(stepper, is_projected, state);
  return MBS_OK;
}

MbsStatus mbs_stepper_recall(MbsContext *context, MbsStepper *stepper, MbsState *state, double h) {
  const MbsRuleStep k = mbs_rule_step(&stepper->rule, h);
  const MbsState *stage = &stepper->stage;
  MBS_TRY(mbs_projector_recall(context, stepper->projector, stage, k.c0, k.c1, state));
  find_total(stepper, true, state);
  return MBS_OK;
}

MbsStatus mbs_stepper_start(MbsContext *context, MbsStepper *stepper, MbsState *state) {
  const MbsSystem *system = stepper->formulation->system;
  stepper->previous_count = 0;
  MBS_TRY(mbs_newton_solve(context, stepper, 0, 0, mbs_stepper_stage(stepper, state, true)));
  for (int i = 0; i < system->n && stepper->w; ++i) {
    stepper->w[i] = state->a[i];
  }
  return mbs_stepper_finish(context, stepper, state, 0);
}

// u(n+1) by the polynomial through u(n), u(n-1), u(n-2), as far as they exist; remembers u(n)
static void extrapolate(MbsStepper *stepper, int offset, int count, const mbs_scalar *u, mbs_scalar *next) {
  mbs_scalar *one = stepper->previous[0] + offset;
  mbs_scalar *two = stepper->previous[1] + offset;
  for (int i = 0; i < count; ++i) {
    mbs_scalar now = u[i];
    next[i] = stepper->previous_count == 0   ? now
              : stepper->previous_count == 1 ? 2 * now - one[i]
                                             : 3 * (now - one[i]) + two[i];
    two[i] = one[i];
    one[i] = now;
  }
}

void mbs_stepper_extrapolate(MbsStepper *stepper, const MbsState *state, mbs_scalar *a, mbs_scalar *lambda) {
  const MbsSystem *system = stepper->formulation->system;
  extrapolate(stepper, 0, system->n, state->a, a);
  extrapolate(stepper, system->n, system->m, state->lambda, lambda);
  stepper->previous_count += stepper->previous_count < 2;
}

// the rule's hats from the old state, then the unknowns' prediction on top of them
static void predict(MbsStepper *stepper, const MbsRuleStep *k, MbsState *state, MbsState *stage) {
  const MbsSystem *system = stepper->formulation->system;
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar v = state->v[i], a = state->a[i], w = stepper->w ? stepper->w[i] : a;
    state->q[i] += k->h * v + k->qa * a + k->qw * w;
    stage->v[i] = v + k->va * a + k->vw * w;
    if (stepper->w) {
      stepper->w[i] = k->wa * a + k->ww * w;
    }
  }
  mbs_stepper_extrapolate(stepper, state, stage->a, stage->lambda);
  for (int i = 0; i < system->n; ++i) {
    state->q[i] += k->c0 * stage->a[i];
    stage->v[i] += k->c1 * stage->a[i];
  }
  for (int i = system->n; i < system->nq && stepper->has_projections; ++i) {
    stage->v[i] = state->v[i];
    stage->a[i] = state->a[i];
  }
}

MbsStatus mbs_stepper_step(MbsContext *context, MbsStepper *stepper, double h, MbsState *state) {
  const MbsSystem *system = stepper->formulation->system;
  const MbsRuleStep k = mbs_rule_step(&stepper->rule, h);
  MbsState *stage = mbs_stepper_stage(stepper, state, false);
  predict(stepper, &k, state, stage);
  stage->t = state->t;
  MBS_TRY(mbs_newton_solve(context, stepper, k.c0, k.c1, stage));
  MBS_TRY(mbs_stepper_finish(context, stepper, state, h));
  for (int i = 0; i < system->n && stepper->w; ++i) {
    stepper->w[i] += k.cw * state->a[i];
  }
  return MBS_OK;
}
