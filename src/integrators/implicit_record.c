// What an implicit step leaves behind for its transpose, and what the next step depends on. See implicit.h.
#include "integrators/implicit.h"

int mbs_implicit_row_size(const MbsImplicit *implicit) {
  const MbsSystem *system = implicit->formulation->system;
  int projected = implicit->has_projections || implicit->base.projects_pieces ? 1 + 2 * (system->n + system->m) : 0;
  return 3 * system->n + system->m + projected + (implicit->old[0] ? 3 * system->n : 0);
}

// q, v*, a*, lambda of the stage; then what projections gave, and whether that says all about them
void mbs_implicit_put_row(const MbsImplicit *implicit, const MbsState *state, mbs_scalar *row) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsState *stage = &implicit->at->stage;
  row = mbs_put(row, system->n, stage->q);
  row = mbs_put(row, system->n, stage->v);
  row = mbs_put(row, system->n, stage->a);
  row = mbs_put(row, system->m, stage->lambda);
  for (int i = 0; i < MBS_COUNT(implicit->old) && implicit->old[0]; ++i) {
    row = mbs_put(row, system->n, implicit->old[i]);
  }
  if (mbs_implicit_projects(implicit)) {
    *row++ = implicit->at->is_recallable ? 1 : 0;
    row = mbs_put(row, system->n, state->v);
    row = mbs_put(row, system->n, state->a);
    row = mbs_put(row, system->m, state->sigma);
    (void)mbs_put(row, system->m, state->kappa);
  }
}

MbsStatus mbs_implicit_recall(MbsContext *context, MbsImplicit *implicit, mbs_scalar h, const mbs_scalar *row,
                              MbsState *state) {
  mbs_implicit_use_mode(implicit);
  const MbsSystem *system = implicit->formulation->system;
  MbsState *stage = mbs_implicit_stage(implicit, state, !(mbs_is_step(h)));
  row = mbs_take(row, system->n, state->q);
  row = mbs_take(row, system->n, stage->v);
  row = mbs_take(row, system->n, stage->a);
  row = mbs_take(row, system->m, stage->lambda);
  for (int i = 0; i < MBS_COUNT(implicit->old) && implicit->old[0]; ++i) {
    row = mbs_take(row, system->n, implicit->old[i]);
  }
  bool is_recallable = mbs_implicit_projects(implicit) && mbs_re(*row) > 0;
  if (is_recallable) {
    row = mbs_take(row + 1, system->n, state->v);
    row = mbs_take(row, system->n, state->a);
    row = mbs_take(row, system->m, state->sigma);
    (void)mbs_take(row, system->m, state->kappa);
  }
  for (int i = system->n; i < system->nq; ++i) {
    stage->v[i] = state->v[i];
    stage->a[i] = state->a[i];
  }
  return (is_recallable ? mbs_implicit_recall_limits : mbs_implicit_finish)(context, implicit, state, h);
}

// auxiliary accelerations with their columns, what extrapolation remembers, where a start begins with multipliers, and
// kept factors
int mbs_implicit_save_size(const MbsImplicit *implicit) {
  const MbsSystem *system = implicit->formulation->system;
  int auxiliary = implicit->w ? system->nq * (1 + system->carried_count) : 0;
  return auxiliary + (MBS_EXTRAPOLATED + 1) * (system->n + system->m) + (implicit->has_room ? system->m : 0) + 3 +
         mbs_kept_factors_save_size(&implicit->own.kept);
}

void mbs_implicit_save(const MbsImplicit *implicit, mbs_scalar *to) {
  const MbsSystem *system = implicit->formulation->system;
  if (implicit->w) {
    to = mbs_put(to, system->nq, implicit->w);
    to = mbs_put(to, system->nq * system->carried_count, implicit->W);
  }
  to = mbs_put(to, (MBS_EXTRAPOLATED + 1) * (system->n + system->m), implicit->previous[0]);
  to = implicit->has_room ? mbs_put(to, system->m, implicit->at->lambda) : to;
  *to++ = implicit->degree[0];
  *to++ = implicit->degree[1];
  *to++ = implicit->previous_count;
  (void)mbs_kept_factors_save(&implicit->own.kept, to);
}

void mbs_implicit_restore(MbsImplicit *implicit, const mbs_scalar *from) {
  const MbsSystem *system = implicit->formulation->system;
  mbs_implicit_use_mode(implicit);
  if (implicit->w) {
    from = mbs_take(from, system->nq, implicit->w);
    from = mbs_take(from, system->nq * system->carried_count, implicit->W);
  }
  from = mbs_take(from, (MBS_EXTRAPOLATED + 1) * (system->n + system->m), implicit->previous[0]);
  from = implicit->has_room ? mbs_take(from, system->m, implicit->at->lambda) : from;
  implicit->degree[0] = (int)mbs_re(*from++);
  implicit->degree[1] = (int)mbs_re(*from++);
  implicit->previous_count = (int)mbs_re(*from++);
  (void)mbs_kept_factors_restore(&implicit->own.kept, from);
}

void mbs_implicit_forget(MbsImplicit *implicit) {
  if (!implicit->base.do_forces_jump) {
    mbs_kept_factors_forget(&implicit->own.kept);
  }
  for (int i = 0; i < implicit->formulation->system->m && implicit->has_room; ++i) {
    implicit->at->lambda[i] = 0;
  }
}
