// Start and step. See implicit.h.
#include "integrators/implicit.h"

// The complex twin factors anew in each iteration, for the imaginary part (newton.c).
#ifdef MBS_COMPLEX
static const bool may_share_factors = false;
#else
static const bool may_share_factors = true;
#endif

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

MbsStatus mbs_implicit_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                              bool has_redundancy, MbsImplicit *implicit) {
  const MbsSystem *system = formulation->system;
  MbsArena *arena = system->arena;
  size_t size = (size_t)(system->n + system->m), columns = (size_t)system->carried_count;
  *implicit = (MbsImplicit){.base = {.type = &mbs_implicit_type, .carry_size = system->n, .ends = {0.5, 0.5}},
                            .formulation = formulation,
                            .tolerance = settings->tolerance,
                            .is_approximate = settings->is_tangent_approximate,
                            .has_projections = formulation->type->has_projections && settings->projections >= 0,
                            .has_redundancy = has_redundancy && formulation->type->allows_redundancy,
                            .has_reactions = has_reactions(system->blueprint)};
  implicit->at = &implicit->own;
  bool has_pieces =
      formulation->type->is_position_level && !implicit->has_projections && system->blueprint->events.count > 0;
  implicit->base.projects_pieces = has_pieces;
  implicit->has_room = implicit->has_redundancy || (formulation->other && formulation->type->allows_redundancy);
  if (formulation->other) {
    MBS_GROW(context, arena, implicit->modes, implicit->mode_count, implicit->mode_capacity);
    implicit->acting = mbs_system_acting(system);
    implicit->modes[implicit->mode_count++] =
        (MbsJointMode){.acting = implicit->acting, .has_redundancy = has_redundancy};
  }
  bool has_rule = mbs_rule_find(settings, &implicit->rule);  // none of a method with stages, which has no use for it
  implicit->keeps_factors = has_rule && !formulation->type->is_reduced;
  // a step at position level is not the same backwards: its multipliers act along Phi_q of the new position alone
  bool is_symmetric = mbs_rule_is_symmetric(&implicit->rule) && !formulation->type->is_position_level;
  implicit->base.order = mbs_rule_order(&implicit->rule);
  implicit->base.gap = is_symmetric ? 2 : 1;
  implicit->piece_rule = implicit->rule.has_auxiliary ? mbs_rule_trapezoidal : implicit->rule;
  MBS_TAKE(context, arena, implicit->r, size);
  MBS_TAKE(context, arena, implicit->correction, size);
  MBS_TAKE(context, arena, implicit->previous[0], (MBS_EXTRAPOLATED + 1) * size);
  for (int j = 1; j <= MBS_EXTRAPOLATED; ++j) {
    implicit->previous[j] = implicit->previous[0] + (size_t)j * size;
  }
  MBS_TAKE(context, arena, implicit->R, size * columns);
  MBS_TAKE(context, arena, implicit->bar_a, system->nq);
  MBS_TAKE(context, arena, implicit->bar_lambda, system->m);
  for (int i = 0; i < MBS_COUNT(implicit->old) && system->step_column >= 0; ++i) {
    MBS_TAKE(context, arena, implicit->old[i], system->n);
  }
  if (implicit->rule.has_auxiliary) {
    MBS_TAKE(context, arena, implicit->w, system->nq);
    MBS_TAKE(context, arena, implicit->W, (size_t)system->nq * columns);
  }
  implicit->base.row_size = mbs_implicit_row_size(implicit);
  return mbs_instant_create(context, implicit, settings, &implicit->own);
}

void mbs_implicit_destroy(MbsImplicit *implicit) { mbs_instant_destroy(&implicit->own); }

// q is the state's; v and a too where nothing is projected (at the start nothing is), lambda where none is redundant
MbsState *mbs_implicit_stage(MbsImplicit *implicit, const MbsState *state, bool is_start) {
  MbsState stage = *state;
  if (mbs_implicit_projects(implicit) && !is_start) {
    stage.v = implicit->at->v;
    stage.a = implicit->at->a;
  }
  if (implicit->has_redundancy) {
    stage.lambda = implicit->at->lambda;
  }
  implicit->at->stage = stage;
  return &implicit->at->stage;
}

// The multipliers of reactions. See projection.h.
static void find_total(const MbsImplicit *implicit, bool is_projected, MbsState *state) {
  if (is_projected && implicit->at->projector->is_tangent) {
    mbs_project_balance(implicit->at->projector, MBS_PROJECT_TOTAL, state, state->total);
    return;
  }
  for (int i = 0; i < implicit->formulation->system->m; ++i) {
    state->total[i] = state->lambda[i] + (is_projected ? state->kappa[i] : 0);
  }
}

MbsStatus mbs_implicit_finish(MbsContext *context, MbsImplicit *implicit, MbsState *state, mbs_scalar h) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsState *stage = &implicit->at->stage;
  bool is_projected = mbs_implicit_projects(implicit) && mbs_is_step(h);
  if (is_projected || implicit->has_redundancy) {
    MBS_TRY(mbs_projector_factor(context, implicit->at->projector, stage, mbs_implicit_rule(implicit), h));
  }
  if (implicit->has_redundancy) {
    mbs_project_balance(implicit->at->projector, MBS_PROJECT_BALANCE, stage, state->lambda);
  }
  for (int i = 0; i < system->m; ++i) {
    state->sigma[i] = state->kappa[i] = 0;
  }
  if (is_projected) {
    for (int i = 0; i < system->n; ++i) {
      state->v[i] = stage->v[i];
      state->a[i] = stage->a[i];
    }
    mbs_project_velocity(implicit->at->projector, state);
    mbs_project_acceleration(implicit->at->projector, state);
  }
  implicit->at->is_recallable = is_projected && mbs_projector_is_at_limits(implicit->at->projector);
  find_total(implicit, is_projected, state);
  return MBS_OK;
}

MbsStatus mbs_implicit_recall_limits(MbsContext *context, MbsImplicit *implicit, MbsState *state, mbs_scalar h) {
  MBS_TRY(mbs_projector_recall(context, implicit->at->projector, &implicit->at->stage, mbs_implicit_rule(implicit), h,
                               state));
  find_total(implicit, true, state);
  return MBS_OK;
}

// Where forces alone have jumped, the slopes of accelerations and multipliers have hardly: what extrapolation remembers
// jumps along. The multiplier of a step that is projected is lambda* = lambda - kappa, that of a start lambda: so the
// last kappa, of before, stays taken off. sign: -1 before, 1 after.
static void shift(MbsImplicit *implicit, int sign, const MbsState *stage) {
  int n = implicit->formulation->system->n, m = implicit->formulation->system->m;
  for (int i = 0; i < n; ++i) {  // differences stay
    implicit->previous[0][i] += sign * stage->a[i];
  }
  for (int i = 0; i < m; ++i) {
    implicit->previous[0][n + i] += sign * stage->lambda[i] - (sign < 0 ? stage->kappa[i] : 0);
  }
}

// The matrix at an instant is that of the projections, where these were made at the same position: no factors then, and
// (r is linear in a and lambda) one residual.
static bool solve_by_projector(MbsImplicit *implicit, MbsState *stage) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsProjector *projector = implicit->at->projector;
  bool may_borrow = may_share_factors && implicit->base.do_forces_jump && projector && !implicit->has_redundancy;
  if (!may_borrow || !mbs_projector_is_at(projector, stage)) {
    return false;
  }
  const MbsWeights weights = mbs_formulation_weights(implicit->formulation, 0, 0);
  bool is_finite = true;
  mbs_terms_residual(system, stage, &weights, implicit->r, NULL);
  mbs_refine(&projector->refinement, 1, implicit->r);
  for (int i = 0; i < system->n + system->m; ++i) {
    is_finite = is_finite && mbs_is_finite(implicit->r[i]);
  }
  if (!is_finite) {  // Newton's iteration says why
    return false;
  }
  for (int i = 0; i < system->n; ++i) {
    stage->a[i] -= implicit->r[i];
  }
  for (int i = 0; i < system->m; ++i) {
    stage->lambda[i] -= implicit->r[system->n + i];
  }
  implicit->base.iterations += 1;
  return true;
}

MbsStatus mbs_implicit_start(MbsContext *context, MbsImplicit *implicit, MbsState *state) {
  const MbsSystem *system = implicit->formulation->system;
  bool is_course_kept = implicit->base.do_forces_jump && implicit->base.is_even;
  MbsState *stage = mbs_implicit_stage(implicit, state, true);
  implicit->previous_count = is_course_kept && implicit->previous_count > 1 ? implicit->previous_count : 0;
  implicit->is_piece = false;
  implicit->at->kept.is_there &= implicit->base.do_forces_jump;  // else what acts, and parameters, may have changed
  if (implicit->previous_count > 0) {
    shift(implicit, -1, stage);
  }
  if (!solve_by_projector(implicit, stage)) {
    MBS_TRY(mbs_newton_solve(context, implicit, 0, 0, stage));
  }
  if (implicit->previous_count > 0) {
    shift(implicit, 1, stage);
  } else {
    mbs_implicit_remember(implicit, stage->a, stage->lambda);
  }
  for (int i = 0; i < system->n && implicit->w; ++i) {
    implicit->w[i] = state->a[i];
  }
  return mbs_implicit_finish(context, implicit, state, 0);
}

// u(n+1) by the polynomial through u(n), u(n-1), ...: the sum of their backward differences, D_0 = u(n), D_j+1(n) =
// D_j(n) - D_j(n-1), as far as these are known and become smaller, as those of a smooth motion do.
static int remember(MbsImplicit *implicit, int offset, int count, const mbs_scalar *u) {
  mbs_scalar *restrict difference = implicit->correction;
  double size[MBS_EXTRAPOLATED + 1];
  int degree = 0;
  for (int i = 0; i < count; ++i) {
    difference[i] = u[i];
  }
  for (int j = 0; j <= MBS_EXTRAPOLATED; ++j) {
    mbs_scalar *restrict known = implicit->previous[j] + offset;
    double largest = 0;
    for (int i = 0; i < count; ++i) {
      mbs_scalar now = difference[i];
      double magnitude = mbs_re(mbs_abs(now));
      difference[i] = now - known[i];
      known[i] = now;
      largest = magnitude > largest ? magnitude : largest;
    }
    size[j] = largest;
  }
  while (degree < implicit->previous_count && (degree < 1 || size[degree + 1] <= 0.5 * size[degree])) {
    ++degree;
  }
  return degree;
}

void mbs_implicit_remember(MbsImplicit *implicit, const mbs_scalar *a, const mbs_scalar *lambda) {
  const MbsSystem *system = implicit->formulation->system;
  implicit->degree[0] = remember(implicit, 0, system->n, a);
  implicit->degree[1] = remember(implicit, system->n, system->m, lambda);
  implicit->previous_count += implicit->previous_count < MBS_EXTRAPOLATED;
}

static void extrapolate(const MbsImplicit *implicit, int offset, int count, int degree, mbs_scalar *next) {
  for (int i = 0; i < count; ++i) {
    next[i] = implicit->previous[0][offset + i];
  }
  for (int j = 1; j <= degree; ++j) {
    for (int i = 0; i < count; ++i) {
      next[i] += implicit->previous[j][offset + i];
    }
  }
}

void mbs_implicit_extrapolate(const MbsImplicit *implicit, mbs_scalar *a, mbs_scalar *lambda) {
  const MbsSystem *system = implicit->formulation->system;
  extrapolate(implicit, 0, system->n, implicit->degree[0], a);
  extrapolate(implicit, system->n, system->m, implicit->degree[1], lambda);
}

// the rule's hats from the old state, then the unknowns' prediction on top of them
static void predict(MbsImplicit *implicit, const MbsRuleStep *k, MbsState *state, MbsState *stage) {
  const MbsSystem *system = implicit->formulation->system;
  const mbs_scalar *before = mbs_implicit_before(implicit, implicit->w);
  for (int i = 0; i < system->n && implicit->old[0]; ++i) {
    implicit->old[0][i] = state->v[i];
    implicit->old[1][i] = state->a[i];
    implicit->old[2][i] = before ? before[i] : state->a[i];
  }
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar v = state->v[i], a = state->a[i], w = before ? before[i] : a;
    state->q[i] += k->h * v + k->qa * a + k->qw * w;
    stage->v[i] = v + k->va * a + k->vw * w;
    if (implicit->w) {
      implicit->w[i] = k->wa * a + k->ww * w;
    }
  }
  mbs_implicit_extrapolate(implicit, stage->a, stage->lambda);
  for (int i = 0; i < system->n; ++i) {
    state->q[i] += k->c0 * stage->a[i];
    stage->v[i] += k->c1 * stage->a[i];
  }
  for (int i = system->n; i < system->nq && mbs_implicit_projects(implicit); ++i) {
    stage->v[i] = state->v[i];
    stage->a[i] = state->a[i];
  }
}

MbsStatus mbs_implicit_step(MbsContext *context, MbsImplicit *implicit, mbs_scalar h, MbsState *state) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsRuleStep k = mbs_rule_step(mbs_implicit_rule(implicit), h);
  MbsState *stage = mbs_implicit_stage(implicit, state, false);
  predict(implicit, &k, state, stage);
  stage->t = state->t;
  MBS_TRY(mbs_newton_solve(context, implicit, k.c0, k.c1, stage));
  MBS_TRY(mbs_implicit_finish(context, implicit, state, h));
  for (int i = 0; i < system->n && implicit->w; ++i) {
    implicit->w[i] += k.cw * state->a[i];
  }
  // what the next stage is like; of redundant constraints the multipliers that are meant
  mbs_implicit_remember(implicit, stage->a, state->lambda);
  return MBS_OK;
}
