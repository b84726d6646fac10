// What follows the solution of a stage: from where r = 0 holds to the state that it becomes, with derivative and
// transpose. See coupled.h.
//
// Where velocities are projected (ali3p; pieces of steps, see implicit.h),
//     M (v - v*) + Abar' sigma = 0,  Abar v + bbar = 0                             projection.h
//     M a + Abar' lambda = Q(t, q, v),  d/dt (Abar v + bbar) = 0                   the instant's own equations
// v* is of order s alone across the constraints, and a* and lambda* of order s - 1: they go no further than this step.
// What is projected is of the order of the method, and so is what follows from it. (P0's projection of a* would keep
// the forces of v*, of order s where they depend on velocities.) Else v = v*, a = a*, lambda = lambda*, of redundant
// constraints the smallest.
#include "integrators/coupled.h"

static void take_motion(MbsCoupled *coupled, int stage) {
  mbs_implicit_take_instant(&coupled->implicit, &coupled->motions[stage]);
}

MbsStatus mbs_coupled_finish(MbsContext *context, MbsCoupled *coupled, mbs_scalar h, int stage, MbsState *state) {
  MbsImplicit *implicit = &coupled->implicit;
  const MbsSystem *system = implicit->formulation->system;
  const MbsState *at = mbs_coupled_take(coupled, stage);
  if (!mbs_implicit_projects(implicit)) {
    return mbs_implicit_finish(context, implicit, state, h);
  }
  MbsProjector *projector = implicit->at->projector;
  const MbsProjectionRecord *record = &projector->records[MBS_PROJECT_VELOCITY];
  long iterations = implicit->base.iterations;
  MBS_TRY(mbs_projector_factor(context, projector, at, mbs_implicit_rule(implicit), h));
  (void)mbs_put(state->v, system->n, at->v);
  (void)mbs_put(state->a, system->n, at->a);
  mbs_project_velocity(projector, state);
  take_motion(coupled, stage);  // begins with what the stage has
  (void)mbs_put(implicit->has_redundancy ? implicit->at->lambda : state->lambda, system->m, at->lambda);
  MbsStatus status = mbs_implicit_solve_instant(context, implicit, state);
  (void)mbs_put(state->sigma, system->m, record->sigma + (record->count - 1) * system->m);
  implicit->base.iterations = iterations;
  (void)mbs_coupled_take(coupled, stage);
  return status;
}

MbsStatus mbs_coupled_finish_derivative(MbsContext *context, MbsCoupled *coupled, int stage, const MbsState *state,
                                        const MbsColumns *columns) {
  MbsImplicit *implicit = &coupled->implicit;
  const MbsSystem *system = implicit->formulation->system;
  int count = system->m * system->column_count;
  mbs_signal_bank_try(system, mbs_coupled_take(coupled, stage));
  if (!mbs_implicit_projects(implicit)) {
    for (int i = 0; i < count; ++i) {
      columns->S[i] = columns->K[i] = 0;
    }
    mbs_implicit_finish_derivative(implicit, state, columns);
    return MBS_OK;
  }
  mbs_projector_take_columns(implicit->at->projector, columns);
  mbs_project_velocity_derivative(implicit->at->projector, state, columns);
  take_motion(coupled, stage);
  mbs_signal_bank_try(system, state);
  MbsStatus status = mbs_implicit_instant_derivative(context, implicit, state, columns);
  for (int i = 0; i < count; ++i) {
    columns->K[i] = 0;
    columns->T[i] = columns->L[i];
  }
  (void)mbs_coupled_take(coupled, stage);
  return status;
}

MbsStatus mbs_coupled_prepare_finish(MbsContext *context, MbsCoupled *coupled) {
  MbsStatus status = MBS_OK;
  for (int i = 0; i <= coupled->end && status == MBS_OK && mbs_implicit_projects(&coupled->implicit); ++i) {
    take_motion(coupled, i);
    status = mbs_implicit_prepare_transposed(context, &coupled->implicit, 0);
  }
  (void)mbs_coupled_take(coupled, coupled->end);
  return status;
}

void mbs_coupled_finish_transposed(MbsCoupled *coupled, int stage, const MbsState *state, const MbsStateBar *bar) {
  MbsImplicit *implicit = &coupled->implicit;
  const MbsSystem *system = implicit->formulation->system;
  mbs_signal_bank_visit(system, state);
  if (!mbs_implicit_projects(implicit)) {
    (void)mbs_coupled_take(coupled, stage);
    mbs_implicit_finish_transposed(implicit, state, bar);
    return;
  }
  take_motion(coupled, stage);
  mbs_implicit_instant_transposed(implicit, 0, 0, state, bar);
  (void)mbs_coupled_take(coupled, stage);
  mbs_project_velocity_transposed(implicit->at->projector, state, bar);
  mbs_projector_give_bar(implicit->at->projector, bar);
  for (int i = 0; i < system->m; ++i) {
    bar->kappa[i] = 0;  // which is zero
  }
}
