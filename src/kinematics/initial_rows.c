// Which equations make the problem of the start square: constraints by rank, completed by the independent coordinates.
#include "kinematics/initial.h"

#include <math.h>

static const double rank_tolerance = 1e-7;

// ---- independent coordinates ----
static MbsStatus create_independents(MbsContext *context, int count, const MbsIndependentSpec *specs,
                                     MbsInitial *initial) {
  MbsSystem *system = initial->system;
  initial->count = count;
  MBS_TAKE(context, system->arena, initial->independents, initial->count);
  for (int i = 0; i < initial->count; ++i) {
    const MbsIndependentSpec *spec = &specs[i];
    MbsIndependent *made = &initial->independents[i];
    made->name = spec->name;
    made->place = spec->place;
    made->has_velocity = spec->has_velocity;
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->coordinate, &made->w));
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->rate, &made->rate));
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->second, &made->second));
  }
  return MBS_OK;
}

mbs_scalar mbs_initial_value(const MbsInitial *initial, int index, const MbsState *state) {
  return initial->is_automatic ? state->q[initial->automatic[index]]
                               : mbs_function_evaluate(initial->system, &initial->independents[index].w, state, NULL);
}

void mbs_initial_gradient(const MbsInitial *initial, int index, const MbsState *state) {
  const MbsSystem *system = initial->system;
  const MbsFunction *w = &initial->independents[index].w;
  for (int i = 0; i < system->nq; ++i) {
    initial->gradient[i] = 0;
  }
  (void)mbs_function_evaluate(system, w, state, NULL);
  mbs_function_transposed(system, w, state, 1, &(MbsStateBar){.q = initial->gradient});
}

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

MbsStatus mbs_initial_misfit(MbsContext *context, const MbsSystem *system, int given, int freedom, const char *advice) {
  const MbsRecord *section = mbs_record_child(&system->blueprint->model->root, MBS_MODEL_INITIAL);
  MbsPlace place = mbs_record_value(section, MBS_INITIAL_INDEPENDENT)->place;
  return mbs_fail(context, MBS_ERROR_INPUT, place,
                  "too %s independent coordinates: %d given, the %s %d degree%s of freedom; %s",
                  given > freedom ? "many" : "few", given,
                  mbs_initial_is_nonholonomic(system) ? "positions of the model have" : "model has", freedom,
                  freedom == 1 ? "" : "s", advice);
}

MbsStatus mbs_initial_adds_nothing(MbsContext *context, const char *name, MbsPlace place) {
  return mbs_fail(
      context, MBS_ERROR_INPUT, place,
      "independent coordinate \"%s\" does not add a freedom to the constraints and the coordinates before it; "
      "choose another, such as the angle of a body",
      name);
}

MbsStatus mbs_initial_choose_constraints(MbsContext *context, MbsInitial *initial, const MbsSparseRows *rows,
                                         const bool *is_preferred, MbsRank *rank, int *count) {
  enum { PREFERRED, OTHER, DRIVER, GROUPS };
  const MbsSystem *system = initial->system;
  mbs_rank_announce(rank, rows->start[system->m], rows->column);
  initial->redundant_count = 0;
  for (int i = 0; i < GROUPS * system->m; ++i) {
    int k = i % system->m, first = rows->start[k];
    const MbsRowSpec *row = &system->blueprint->rows.items[k];
    int group = row->is_driver ? DRIVER : is_preferred && is_preferred[k] ? PREFERRED : OTHER;
    bool is_new;
    if (row->is_nonholonomic || group != i / system->m) {
      continue;
    }
    MBS_TRY(mbs_rank_take(context, rank, rows->start[k + 1] - first, rows->column + first, rows->value + first,
                          rank_tolerance, &is_new));
    if (is_new) {
      initial->position.rows[(*count)++] = k;
    } else if (row->is_driver) {
      return mbs_fail(context, MBS_ERROR_INPUT, row->place,
                      "driver \"%s\": its coordinate is not free: the joints, or another driver, determine it already",
                      row->owner);
    }
    initial->is_redundant[k] = !is_new;
    initial->redundant_count += !is_new;
  }
  return MBS_OK;
}

MbsStatus mbs_initial_take_automatic(MbsContext *context, MbsArena *arena, MbsInitial *initial, int count) {
  initial->is_automatic = true;
  initial->count = count;
  MBS_TAKE(context, arena, initial->automatic, count);
  MBS_TAKE(context, arena, initial->independents, count);
  return MBS_OK;
}

int mbs_initial_gradient_row(const MbsInitial *initial, int i, const MbsState *state, int *column, double *value) {
  int entries = 0;
  if (initial->is_automatic) {
    column[0] = initial->automatic[i];
    value[0] = 1;
    return 1;
  }
  mbs_initial_gradient(initial, i, state);
  for (int k = 0; k < initial->system->n; ++k) {
    if (mbs_re(mbs_abs(initial->gradient[k])) > 0) {
      column[entries] = k;
      value[entries++] = mbs_re(initial->gradient[k]);
    }
  }
  return entries;
}

MbsStatus mbs_initial_check_given(MbsContext *context, const MbsInitial *initial, const MbsState *state, MbsRank *rank,
                                  int freedom, MbsArena *scratch) {
  const MbsSystem *system = initial->system;
  int *column;
  double *value;
  if (initial->count != freedom) {
    return mbs_initial_misfit(context, system, initial->count, freedom, "give that many, or none to have them chosen");
  }
  MBS_TAKE(context, scratch, column, system->n);
  MBS_TAKE(context, scratch, value, system->n);
  mbs_signal_bank_evaluate(system, state);
  for (int i = 0; i < initial->count; ++i) {
    bool is_new;
    int entries = mbs_initial_gradient_row(initial, i, state, column, value);
    MBS_TRY(mbs_rank_take(context, rank, entries, column, value, rank_tolerance, &is_new));
    if (!is_new) {
      return mbs_initial_adds_nothing(context, initial->independents[i].name, initial->independents[i].place);
    }
  }
  return MBS_OK;
}

// Where some constraints are redundant there is a choice, and at the start itself one may be better than another: the
// distance of two points that coincide has components whose gradients vanish in some positions, and those of the others
// do not. So constraints that are clearly independent at the guess are preferred.
static MbsStatus find_preferred(MbsContext *context, const MbsInitial *initial, const MbsState *guess,
                                MbsJacobian *jacobian, MbsArena *scratch, bool *is_preferred) {
  const double tolerances[] = {0.1, 1e-3};
  const MbsSystem *system = initial->system;
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
  const MbsSystem *system = initial->system;
  bool *is_preferred;
  int *count = &initial->position.row_count;
  *count = 0;
  MBS_TRY(mbs_rank_create(context, scratch, system->n, rank));
  mbs_jacobian_evaluate(jacobian, state);
  MBS_TRY(mbs_initial_choose_constraints(context, initial, &jacobian->rows, NULL, *rank, count));
  if (initial->redundant_count == 0) {
    return MBS_OK;
  }
  MBS_TAKE(context, scratch, is_preferred, system->m);
  MBS_TRY(find_preferred(context, initial, guess, jacobian, scratch, is_preferred));
  *count = 0;
  MBS_TRY(mbs_rank_create(context, scratch, system->n, rank));
  mbs_jacobian_evaluate(jacobian, state);
  return mbs_initial_choose_constraints(context, initial, &jacobian->rows, is_preferred, *rank, count);
}

// chooses constraint rows by rank, then completes them by the independent coordinates
// guess: where the assembly begins; state: a position near it where nothing is special
static MbsStatus choose_rows(MbsContext *context, MbsInitial *initial, const MbsState *guess, const MbsState *state,
                             MbsJacobian *jacobian, MbsArena *scratch) {
  const MbsSystem *system = initial->system;
  MbsRank *rank;
  MBS_TRY(choose_constraints(context, initial, guess, state, jacobian, scratch, &rank));
  int count = initial->position.row_count, freedom = system->n - count;
  if (initial->count < freedom) {  // start.h has completed them: there is no position where all constraints hold
    return mbs_initial_contradiction(context, initial, guess);
  }
  MBS_TRY(mbs_initial_check_given(context, initial, state, rank, freedom, scratch));
  initial->velocity_count = freedom;
  for (int i = 0; i < freedom; ++i) {
    initial->position.rows[count++] = system->m + i;
  }
  return mbs_initial_is_nonholonomic(system) ? mbs_initial_find_freedom(context, initial, state, jacobian, scratch)
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
  MBS_TRY(mbs_jacobian_create(context, scratch, initial->system, &jacobian));
  MBS_TRY(mbs_initial_generic_position(context, initial->system, state, &jacobian, &generic));
  return choose_rows(context, initial, state, &generic, &jacobian, scratch);
}

// ---- memory ----
MbsStatus mbs_initial_begin(MbsContext *context, MbsArena *arena, MbsSystem *system, int count,
                            const MbsIndependentSpec *specs, MbsInitial **result) {
  MbsInitial *initial;
  MBS_TAKE(context, arena, initial, 1);
  initial->system = system;
  *result = initial;
  MBS_TAKE(context, arena, initial->is_redundant, system->m);
  MBS_TAKE(context, arena, initial->position.rows, system->n + system->m);
  MBS_TAKE(context, arena, initial->gradient, system->nq);
  return create_independents(context, count, specs, initial);
}

MbsStatus mbs_initial_finish(MbsContext *context, MbsInitial *initial) {
  MbsSystem *system = initial->system;
  MBS_TAKE(context, system->arena, initial->tangent, system->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, initial->levels, system->m);
  int widest = system->carried_count > 1 ? system->carried_count : 1;
  MBS_TAKE(context, system->arena, initial->rhs, (size_t)(system->n + system->m) * (size_t)widest);
  MBS_TAKE(context, system->arena, initial->R, (size_t)(system->n + system->m) * (size_t)widest);
  MBS_TAKE(context, system->arena, initial->unused, system->nq > system->m ? system->nq : system->m);
  initial->velocity = mbs_initial_is_nonholonomic(system) ? NULL : &initial->position;
  return mbs_problem_create(context, initial, &initial->position);
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
  (*result)->position.row_count = system->n;
  return mbs_initial_finish(context, *result);
}

void mbs_initial_destroy(MbsInitial *initial) {
  if (initial) {
    mbs_problem_destroy(&initial->position);
    if (initial->velocity && initial->velocity != &initial->position) {
      mbs_problem_destroy(initial->velocity);
    }
  }
}
