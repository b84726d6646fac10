// Redundant constraints where joints come and go: whether there are some depends on which joints act.
//
// That is found once for each set of acting joints, where it first acts, at a position nearby where nothing is special
// (kinematics/admissible.c), and remembered: the way back passes the same sets. The formulation has a version for
// either case.
#include "integrators/implicit.h"

static MbsStatus find_redundancy(MbsContext *context, const MbsSystem *system, MbsArena *scratch, const MbsState *state,
                                 bool *has_redundancy) {
  const double tolerance = 1e-7;
  MbsJacobian jacobian;
  MbsState generic;
  MbsRank *rank;
  MBS_TRY(mbs_jacobian_create(context, scratch, system, &jacobian));
  MBS_TRY(mbs_rank_create(context, scratch, system->n, &rank));
  MBS_TRY(mbs_initial_generic_position(context, system, state, &jacobian, &generic));
  mbs_jacobian_evaluate_rates(&jacobian, &generic);
  const MbsSparseRows *rows = &jacobian.rows;
  mbs_rank_announce(rank, rows->start[system->m], rows->column);
  *has_redundancy = false;
  for (int k = 0; k < system->m && !*has_redundancy; ++k) {
    int first = rows->start[k];
    bool is_new = true;
    if (!mbs_row_rests(&system->mode.rows[k])) {
      MBS_TRY(mbs_rank_take(context, rank, rows->start[k + 1] - first, rows->column + first, rows->value + first,
                            tolerance, &is_new));
    }
    *has_redundancy = !is_new;
  }
  return MBS_OK;
}

static MbsStatus visit(MbsContext *context, MbsImplicit *implicit, const MbsState *state, MbsJointMode *mode) {
  const MbsSystem *system = implicit->formulation->system;
  MbsArena *scratch = mbs_arena_create_for(context);
  *mode = (MbsJointMode){.acting = mbs_system_acting(system)};
  MbsStatus status = scratch ? find_redundancy(context, system, scratch, state, &mode->has_redundancy)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  return status;
}

static void take(MbsImplicit *implicit, const MbsJointMode *mode) {
  bool has_redundancy = mode->has_redundancy && implicit->formulation->type->allows_redundancy;
  implicit->acting = mode->acting;
  if (has_redundancy == implicit->has_redundancy) {
    return;
  }
  MbsFormulation *formulation = implicit->formulation, *other = formulation->other, now = *formulation;
  *formulation = *other;
  *other = now;
  formulation->other = other;
  formulation->has_given_way = mbs_formulation_gives_way(&now) || mbs_formulation_gives_way(formulation);
  implicit->has_redundancy = has_redundancy;
  if (implicit->at->projector) {
    implicit->at->projector->has_redundancy = has_redundancy;
    implicit->at->projector->epsilon = formulation->projection_relaxation;
  }
}

// the one that acts, among those that have been visited
static const MbsJointMode *find(const MbsImplicit *implicit) {
  uint64_t acting = mbs_system_acting(implicit->formulation->system);
  for (int i = 0; i < implicit->mode_count; ++i) {
    if (implicit->modes[i].acting == acting) {
      return &implicit->modes[i];
    }
  }
  return NULL;
}

MbsStatus mbs_implicit_enter_mode(MbsContext *context, MbsImplicit *implicit, const MbsState *state) {
  if (!implicit->formulation->other) {
    return MBS_OK;
  }
  const MbsJointMode *known = find(implicit);
  if (!known) {
    MBS_GROW(context, implicit->formulation->system->arena, implicit->modes, implicit->mode_count,
             implicit->mode_capacity);
    MBS_TRY(visit(context, implicit, state, &implicit->modes[implicit->mode_count]));
    known = &implicit->modes[implicit->mode_count++];
  }
  take(implicit, known);
  return MBS_OK;
}

void mbs_implicit_use_mode(MbsImplicit *implicit) {
  const MbsJointMode *known =
      implicit->formulation->other && implicit->acting != mbs_system_acting(implicit->formulation->system)
          ? find(implicit)
          : NULL;
  if (known) {
    take(implicit, known);
  }
}
