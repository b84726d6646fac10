// Which equations make the problem of the start square: constraints by rank, completed by the independent coordinates.
#include "kinematics/initial.h"

#include <math.h>

// the guess, shaken a little: a start that is drawn in a straight line should not look singular
static MbsStatus shaken_guess(MbsContext *context, const MbsSystem *system, const MbsState *guess,
                              MbsJacobian *jacobian, MbsState *shaken) {
  MBS_TRY(mbs_state_create(context, system, shaken));
  mbs_jacobian_evaluate(jacobian, guess);
  double size = mbs_state_size(system, guess);
  // by less than the shortest body: the gradient of its length is as long as itself
  for (int k = 0; k < system->m; ++k) {
    double length = mbs_jacobian_length(jacobian, k);
    size = length > 0 && length < size ? length : size;
  }
  unsigned random = 12345;
  for (int i = 0; i < system->nq; ++i) {
    random = random * 1664525U + 1013904223U;
    double shake = (double)(random >> 8) / (double)(1U << 24) - 0.5;
    shaken->q[i] = mbs_re(guess->q[i]) + (i < system->n ? 1e-2 * (size + 1e-3) * shake : 0);
  }
  return MBS_OK;
}

// Where some constraints are redundant there is a choice, and at the start itself one may be better than another: the
// distance of two points that coincide has components whose gradients vanish in some positions, and those of the others
// do not. So constraints that are clearly independent at the guess are preferred.
static MbsStatus find_preferred(MbsContext *context, const MbsInitial *initial, const MbsState *guess,
                                MbsJacobian *jacobian, MbsArena *scratch, bool *is_preferred) {
  const double tolerances[] = {0.1, 1e-3};
  const MbsSystem *system = initial->set.system;
  const MbsSparseRows *rows = &jacobian->rows;
  MbsRank *rank;
  MBS_TRY(mbs_rank_create(context, scratch, system->n, &rank));
  mbs_rank_measure(rank);
  mbs_jacobian_evaluate(jacobian, guess);
  mbs_rank_announce(rank, rows->start[system->m], rows->column);
  for (int i = 0; i < MBS_COUNT(tolerances) * system->m; ++i) {
    int k = i % system->m, first = rows->start[k];
    const MbsRowSpec *row = &system->blueprint->rows.items[k];
    if (!is_preferred[k] && !row->is_driver && !row->is_nonholonomic) {
      MBS_TRY(mbs_rank_take(context, rank, rows->start[k + 1] - first, rows->column + first, rows->value + first,
                            tolerances[i / system->m], &is_preferred[k]));
    }
  }
  return MBS_OK;
}

// those that are independent where nothing is special, to the position problem; the rank holds them
static MbsStatus choose_constraints(MbsContext *context, MbsInitial *initial, const MbsState *guess,
                                    const MbsState *state, MbsJacobian *jacobian, MbsArena *scratch, MbsRank **rank) {
  const MbsSystem *system = initial->set.system;
  bool *is_preferred;
  int *count = &initial->set.position.row_count;
  *count = 0;
  MBS_TRY(mbs_rank_create(context, scratch, system->n, rank));
  mbs_jacobian_evaluate(jacobian, state);
  MBS_TRY(mbs_independent_set_choose_constraints(context, &initial->set, &jacobian->rows, NULL, *rank, count));
  if (initial->set.redundant_count == 0) {
    return MBS_OK;
  }
  MBS_TAKE(context, scratch, is_preferred, system->m);
  MBS_TRY(find_preferred(context, initial, guess, jacobian, scratch, is_preferred));
  *count = 0;
  MBS_TRY(mbs_rank_create(context, scratch, system->n, rank));
  mbs_jacobian_evaluate(jacobian, state);
  return mbs_independent_set_choose_constraints(context, &initial->set, &jacobian->rows, is_preferred, *rank, count);
}

// chooses constraint rows by rank, then completes them by the independent coordinates
// guess: where the assembly begins; state: a position near it where nothing is special
static MbsStatus choose_rows(MbsContext *context, MbsInitial *initial, const MbsState *guess, const MbsState *state,
                             MbsJacobian *jacobian, MbsArena *scratch) {
  const MbsSystem *system = initial->set.system;
  MbsRank *rank;
  MBS_TRY(choose_constraints(context, initial, guess, state, jacobian, scratch, &rank));
  int count = initial->set.position.row_count, freedom = system->n - count;
  if (initial->set.count < freedom) {  // start.h has completed them: there is no position where all constraints hold
    return mbs_initial_contradiction(context, initial, guess);
  }
  MBS_TRY(mbs_independent_set_check_given(context, &initial->set, state, rank, freedom, scratch));
  initial->velocity_count = freedom;
  for (int i = 0; i < freedom; ++i) {
    initial->set.position.rows[count++] = system->m + i;
  }
  return mbs_system_is_nonholonomic(system) ? mbs_initial_find_freedom(context, initial, state, jacobian, scratch)
                                            : MBS_OK;
}

MbsStatus mbs_initial_generic_position(MbsContext *context, const MbsSystem *system, const MbsState *state,
                                       MbsJacobian *jacobian, MbsState *generic) {
  MbsState shaken;
  bool is_admissible;
  MBS_TRY(shaken_guess(context, system, state, jacobian, &shaken));
  MBS_TRY(mbs_state_create(context, system, generic));
  mbs_state_copy(system, &shaken, generic);
  MBS_TRY(mbs_initial_project(context, system, generic, &is_admissible));
  if (!is_admissible) {
    mbs_state_copy(system, &shaken, generic);
  }
  return MBS_OK;
}

static MbsStatus choose(MbsContext *context, MbsInitial *initial, const MbsState *state, MbsArena *scratch) {
  MbsJacobian jacobian;
  MbsState generic;
  MBS_TRY(mbs_jacobian_create(context, scratch, initial->set.system, &jacobian));
  MBS_TRY(mbs_initial_generic_position(context, initial->set.system, state, &jacobian, &generic));
  return choose_rows(context, initial, state, &generic, &jacobian, scratch);
}

// ---- memory ----
MbsStatus mbs_initial_begin(MbsContext *context, MbsArena *arena, MbsSystem *system, int count,
                            const MbsIndependentSpec *specs, MbsInitial **result) {
  MBS_TAKE(context, arena, *result, 1);
  return mbs_independent_set_begin(context, arena, system, count, specs, &(*result)->set);
}

static MbsStatus finish(MbsContext *context, MbsInitial *initial) {
  MbsSystem *system = initial->set.system;
  bool needs_columns = initial->set.redundant_count > 0 || system->blueprint->trim.unknowns.count > 0;
  bool has_own = needs_columns && system->carried_count < system->column_count;
  size_t n = (size_t)system->n, m = (size_t)system->m, nq = (size_t)system->nq;
  size_t columns = (size_t)(has_own ? system->column_count : system->carried_count), widest = columns > 1 ? columns : 1;
  MBS_TAKE(context, system->arena, initial->levels, m);
  MBS_TAKE(context, system->arena, initial->rhs, n * widest);
  MBS_TAKE(context, system->arena, initial->R, (n + m) * widest);
  MBS_TAKE(context, system->arena, initial->unused, system->nq > system->m ? system->nq : system->m);
  if (has_own) {
    MBS_TRY(mbs_system_allow_columns(context, system));
    MBS_TAKE(context, system->arena, initial->columns.X, nq * columns);
    MBS_TAKE(context, system->arena, initial->columns.V, nq * columns);
    MBS_TAKE(context, system->arena, initial->columns.A, nq * columns);
  }
  initial->set.position.row_count = system->n;
  return mbs_independent_set_finish(context, &initial->set);
}

MbsStatus mbs_initial_create(MbsContext *context, MbsSystem *system, const MbsState *state, MbsInitial **result) {
  const MbsBlueprint *blueprint = system->blueprint;
  MBS_TRY(mbs_initial_begin(context, system->arena, system, blueprint->independents.count,
                            blueprint->independents.items, result));
  MBS_TRY(mbs_turns_create(context, *result, state));
  MBS_TRY(mbs_initial_check_finite(context, *result, state));
  MbsArena *scratch = mbs_arena_create_for(context);
  MbsStatus status = scratch ? choose(context, *result, state, scratch)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  MBS_TRY(status);
  return finish(context, *result);
}

void mbs_initial_destroy(MbsInitial *initial) {
  if (initial) {
    mbs_independent_set_destroy(&initial->set);
  }
}
