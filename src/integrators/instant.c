// What solves the equations at one instant: its factors, and the projector where there is use for one. See implicit.h.
#include "integrators/implicit.h"

static MbsStatus create_projector(MbsContext *context, const MbsImplicit *implicit, const MbsSettings *settings,
                                  MbsInstant *instant) {
  const MbsFormulation *formulation = implicit->formulation;
  bool has_pieces = implicit->base.projects_pieces;
  int wanted = has_pieces ? 0 : settings->projections;  // pieces: to the limit
  MBS_TRY(mbs_projector_create(context, formulation->system, formulation->projection_relaxation, wanted,
                               settings->is_projection_tangent && !has_pieces, implicit->has_room,
                               &instant->projector));
  instant->projector->has_redundancy = implicit->has_redundancy;
  return MBS_OK;
}

MbsStatus mbs_instant_create_place(MbsContext *context, const MbsImplicit *implicit, const MbsSettings *settings,
                                   MbsInstant *instant) {
  const MbsSystem *system = implicit->formulation->system;
  bool is_projected = implicit->has_projections || implicit->base.projects_pieces;
  if (implicit->has_room) {
    MBS_TAKE(context, system->arena, instant->lambda, system->m);
  }
  if (is_projected) {
    MBS_TAKE(context, system->arena, instant->v, system->nq);
    MBS_TAKE(context, system->arena, instant->a, system->nq);
  }
  return is_projected || implicit->has_room ? create_projector(context, implicit, settings, instant) : MBS_OK;
}

MbsStatus mbs_instant_create(MbsContext *context, const MbsImplicit *implicit, const MbsSettings *settings,
                             MbsInstant *instant) {
  const MbsSystem *system = implicit->formulation->system;
  MbsArena *arena = system->arena;
  MBS_TRY(mbs_instant_create_place(context, implicit, settings, instant));
  MBS_TAKE(context, arena, instant->tangent, system->mode.factored.entry_count + 1);
  MBS_TRY(mbs_sparse_solver_create(context, arena, &system->mode.factored, &instant->solver));
  MBS_TRY(mbs_kept_factors_create(context, implicit, instant));
  instant->exact = instant->solver;
  instant->exact_tangent = instant->tangent;
  if (instant->kept.values && system->carried_count > 0) {
    MBS_TAKE(context, arena, instant->exact_tangent, system->mode.factored.entry_count + 1);
    MBS_TRY(mbs_sparse_solver_create(context, arena, &system->mode.factored, &instant->exact));
  }
  if (implicit->has_room) {  // multipliers and columns lose them otherwise
    mbs_sparse_solver_demand_digits(instant->solver);
    mbs_sparse_solver_demand_digits(instant->exact);
  }
  MBS_TRY(mbs_refinement_create(context, system, 1, &system->mode.factored, instant->solver, &instant->iteration));
  return mbs_refinement_create(context, system, 1, &system->mode.factored, instant->exact, &instant->refinement);
}

void mbs_instant_destroy(MbsInstant *instant) {
  if (instant->exact != instant->solver) {
    mbs_sparse_solver_destroy(instant->exact);
  }
  mbs_sparse_solver_destroy(instant->solver);
  mbs_projector_destroy(instant->projector);
}

void mbs_implicit_take_instant(MbsImplicit *implicit, MbsInstant *instant) {
  implicit->at = instant;
  if (instant->projector) {  // which joints act may have changed since
    instant->projector->has_redundancy = implicit->has_redundancy;
    instant->projector->epsilon = implicit->formulation->projection_relaxation;
  }
}

// r is linear in a and lambda, whose matrix does not depend on them: one solution, from whatever they are.
MbsStatus mbs_implicit_solve_instant(MbsContext *context, MbsImplicit *implicit, MbsState *state) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsWeights weights = mbs_formulation_weights(implicit->formulation, 0, 0);
  const MbsState *stage = mbs_implicit_stage(implicit, state, true);
  bool is_finite = true;
  mbs_terms_residual(system, stage, &weights, implicit->r, NULL);
  MBS_TRY(mbs_newton_factor_exact(context, implicit, stage, 0, 0));
  mbs_refine(&implicit->at->refinement, 1, implicit->r);
  for (int i = 0; i < system->n; ++i) {
    stage->a[i] -= implicit->r[i];
    is_finite = is_finite && mbs_is_finite(stage->a[i]);
  }
  for (int i = 0; i < system->m; ++i) {
    stage->lambda[i] -= implicit->r[system->n + i];
    is_finite = is_finite && mbs_is_finite(stage->lambda[i]);
  }
  implicit->base.iterations += 1;
  return is_finite ? mbs_implicit_finish(context, implicit, state, 0)
                   : mbs_newton_not_finite(context, system, state, true);
}
