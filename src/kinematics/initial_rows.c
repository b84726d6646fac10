// Which equations make the problem of the start square: constraints by rank, completed by the independent coordinates.
#include "kinematics/initial.h"

#include <math.h>

#include "algebra/complement.h"

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
    made->has_value = spec->value != MBS_NODE_NONE;
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

static MbsStatus misfit(MbsContext *context, const MbsInitial *initial, int freedom) {
  const MbsRecord *section = mbs_record_child(&initial->system->blueprint->model->root, MBS_MODEL_INITIAL);
  MbsPlace place = mbs_record_value(section, MBS_INITIAL_INDEPENDENT)->place;
  return mbs_fail(context, MBS_ERROR_INPUT, place,
                  "too %s independent coordinates: %d given, the %s %d degree%s of freedom; give that many, or none to "
                  "have them chosen",
                  initial->count > freedom ? "many" : "few", initial->count,
                  mbs_initial_is_nonholonomic(initial->system) ? "positions of the model have" : "model has", freedom,
                  freedom == 1 ? "" : "s");
}

// the constraints that are independent of those before them, to rows
static MbsStatus choose_constraints(MbsContext *context, MbsInitial *initial, const MbsSparseRows *rows, MbsRank *rank,
                                    int *count) {
  const MbsSystem *system = initial->system;
  mbs_rank_announce(rank, rows->start[system->m], rows->column);
  // drivers last, so that a motion that is prescribed twice or not free shows in them
  for (int i = 0; i < 2 * system->m; ++i) {
    int k = i % system->m, first = rows->start[k];
    const MbsRowSpec *row = &system->blueprint->rows.items[k];
    bool is_new;
    if (row->is_nonholonomic || row->is_driver != (i >= system->m)) {
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

static MbsStatus take_automatic(MbsContext *context, MbsInitial *initial, int count) {
  initial->is_automatic = true;
  initial->count = count;
  MBS_TAKE(context, initial->system->arena, initial->automatic, count);
  MBS_TAKE(context, initial->system->arena, initial->independents, count);
  return MBS_OK;
}

// the coordinates that complete the first `count` rows best, which are constraints
static MbsStatus choose_automatic(MbsContext *context, MbsInitial *initial, const MbsJacobian *jacobian, MbsRank *rank,
                                  int count, MbsArena *scratch) {
  const MbsSystem *system = initial->system;
  const MbsSparseRows *rows = &jacobian->rows;
  MbsSparseRows chosen = {.row_count = count, .column_count = system->n};
  int *start, *column, entries = 0;
  MBS_TRY(take_automatic(context, initial, system->n - count));
  MBS_TAKE(context, scratch, start, count + 1);
  MBS_TAKE(context, scratch, column, rows->start[system->m]);
  MBS_TAKE(context, scratch, chosen.value, rows->start[system->m]);
  for (int r = 0; r < count; ++r) {
    for (int k = rows->start[initial->position.rows[r]]; k < rows->start[initial->position.rows[r] + 1]; ++k) {
      column[entries] = rows->column[k];
      chosen.value[entries++] = rows->value[k] / mbs_jacobian_length(jacobian, initial->position.rows[r]);
    }
    start[r + 1] = entries;
  }
  chosen.start = start;
  chosen.column = column;
  MBS_TRY(mbs_complement_choose(context, &chosen, rank, initial->automatic));
  for (int i = 0; i < initial->count; ++i) {
    initial->independents[i].name = system->coordinate_names[initial->automatic[i]];
  }
  return MBS_OK;
}

// do the coordinates the user gave add a freedom each?
static MbsStatus check_given(MbsContext *context, const MbsInitial *initial, const MbsState *state, MbsRank *rank,
                             MbsArena *scratch) {
  const MbsSystem *system = initial->system;
  int *column;
  double *value;
  MBS_TAKE(context, scratch, column, system->n);
  MBS_TAKE(context, scratch, value, system->n);
  mbs_signal_bank_evaluate(system, state);
  for (int i = 0; i < initial->count; ++i) {
    int entries = 0;
    bool is_new;
    mbs_initial_gradient(initial, i, state);
    for (int k = 0; k < system->n; ++k) {
      if (mbs_re(mbs_abs(initial->gradient[k])) > 0) {
        column[entries] = k;
        value[entries++] = mbs_re(initial->gradient[k]);
      }
    }
    MBS_TRY(mbs_rank_take(context, rank, entries, column, value, rank_tolerance, &is_new));
    if (!is_new) {
      return mbs_fail(
          context, MBS_ERROR_INPUT, initial->independents[i].place,
          "independent coordinate \"%s\" does not add a freedom to the constraints and the coordinates before it; "
          "choose another, such as the angle of a body",
          initial->independents[i].name);
    }
  }
  return MBS_OK;
}

// chooses constraint rows by rank, then completes them by the independent coordinates
static MbsStatus choose_rows(MbsContext *context, MbsInitial *initial, const MbsState *state, MbsJacobian *jacobian,
                             MbsArena *scratch) {
  const MbsSystem *system = initial->system;
  MbsRank *rank;
  int count = 0;
  MBS_TRY(mbs_rank_create(context, scratch, system->n, &rank));
  mbs_jacobian_evaluate(jacobian, state);
  MBS_TRY(choose_constraints(context, initial, &jacobian->rows, rank, &count));
  int freedom = system->n - count;
  if (initial->count == 0) {
    MBS_TRY(choose_automatic(context, initial, jacobian, rank, count, scratch));
  } else if (initial->count != freedom) {
    return misfit(context, initial, freedom);
  } else {
    MBS_TRY(check_given(context, initial, state, rank, scratch));
  }
  initial->velocity_count = freedom;
  for (int i = 0; i < freedom; ++i) {
    initial->position.rows[count++] = system->m + i;
  }
  return mbs_initial_is_nonholonomic(system) ? mbs_initial_find_freedom(context, initial, state, jacobian, scratch)
                                             : MBS_OK;
}

// ---- the square matrix ----
// visits the free coordinates an independent coordinate may depend on
static MbsStatus add_independent_pattern(MbsContext *context, const MbsInitial *initial, int row, int index,
                                         MbsPatternBuilder *builder) {
  const MbsSystem *system = initial->system;
  if (initial->is_automatic) {
    return mbs_pattern_add(context, builder, row, initial->automatic[index]);
  }
  const MbsTape *tape = initial->independents[index].w.tape;
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[tape->inputs[s]];
    if (signal->kind != MBS_SIGNAL_POSITION) {
      continue;
    }
    MBS_TRY(mbs_system_add_form_pattern(context, system, &system->signals.forms[signal->index], row, builder));
  }
  return MBS_OK;
}

MbsStatus mbs_initial_create_matrix(MbsContext *context, const MbsInitial *initial, MbsStartProblem *problem) {
  MbsSystem *system = initial->system;
  const MbsPattern *pattern = &system->mode.pattern;
  MbsPatternBuilder *builder;
  int *row_of;  // 1 + row of the square problem, by constraint
  MBS_TAKE(context, system->arena, row_of, system->m);
  MBS_TRY(mbs_pattern_begin(context, system->arena, system->n, &builder));
  for (int r = 0; r < system->n; ++r) {
    if (problem->rows[r] < system->m) {
      row_of[problem->rows[r]] = 1 + r;
    } else {
      MBS_TRY(add_independent_pattern(context, initial, r, problem->rows[r] - system->m, builder));
    }
  }
  for (int column = 0; column < system->n; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      int constraint = pattern->row[k] - system->n;
      if (constraint >= 0 && row_of[constraint] > 0) {
        MBS_TRY(mbs_pattern_add(context, builder, row_of[constraint] - 1, column));
      }
    }
  }
  MBS_TRY(mbs_pattern_finish(context, builder, &problem->pattern));
  MBS_TAKE(context, system->arena, problem->values, problem->pattern.entry_count + 1);
  problem->row_of = row_of;
  MBS_TRY(mbs_sparse_solver_create(context, system->arena, &problem->pattern, &problem->solver));
  mbs_sparse_solver_demand_digits(problem->solver);
  return MBS_OK;
}

// at_guess: rows are chosen near the guess, at a position where nothing is special
static MbsStatus choose(MbsContext *context, MbsInitial *initial, const MbsState *state, bool at_guess,
                        MbsArena *scratch) {
  const MbsSystem *system = initial->system;
  MbsJacobian jacobian;
  MbsState shaken, admissible;
  bool is_admissible;
  MBS_TRY(mbs_jacobian_create(context, scratch, system, &jacobian));
  if (!at_guess) {
    return choose_rows(context, initial, state, &jacobian, scratch);
  }
  MBS_TRY(shaken_guess(context, system, state, &jacobian, &shaken));
  MBS_TRY(mbs_state_create(context, system, &admissible));
  mbs_state_copy(system, &shaken, &admissible);
  MBS_TRY(mbs_initial_project(context, system, &admissible, &is_admissible));
  return choose_rows(context, initial, is_admissible ? &admissible : &shaken, &jacobian, scratch);
}

// what choosing needs
static MbsStatus begin(MbsContext *context, MbsArena *arena, MbsSystem *system, int count,
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

static MbsStatus choose_in_scratch(MbsContext *context, MbsInitial *initial, const MbsState *state, bool at_guess) {
  MbsArena *scratch = mbs_arena_create();
  MbsStatus status = scratch ? choose(context, initial, state, at_guess, scratch)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  return status;
}

// what solving needs, once rows are chosen
static MbsStatus finish(MbsContext *context, MbsInitial *initial) {
  MbsSystem *system = initial->system;
  MBS_TAKE(context, system->arena, initial->tangent, system->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, initial->levels, system->m);
  int widest = system->carried_count > 1 ? system->carried_count : 1;
  MBS_TAKE(context, system->arena, initial->rhs, (size_t)system->n * (size_t)widest);
  MBS_TAKE(context, system->arena, initial->R, (size_t)(system->n + system->m) * (size_t)widest);
  MBS_TAKE(context, system->arena, initial->unused, system->nq > system->m ? system->nq : system->m);
  initial->velocity = mbs_initial_is_nonholonomic(system) ? NULL : &initial->position;
  return mbs_initial_create_matrix(context, initial, &initial->position);
}

MbsStatus mbs_initial_create(MbsContext *context, MbsSystem *system, const MbsState *state, MbsInitial **result) {
  const MbsBlueprint *blueprint = system->blueprint;
  MBS_TRY(begin(context, system->arena, system, blueprint->independents.count, blueprint->independents.items, result));
  MBS_TRY(mbs_initial_expect_turns(context, *result, state));
  MBS_TRY(choose_in_scratch(context, *result, state, true));
  MBS_TRY(finish(context, *result));
  mbs_signal_bank_follow(system, state);
  for (int i = 0; i < (*result)->count; ++i) {
    (*result)->independents[i].start_value = mbs_initial_value(*result, i, state);
  }
  return MBS_OK;
}

// those of --independent, or of the start
static const MbsIndependentSpec *given_independents(const MbsBlueprint *blueprint, int *count) {
  bool is_chosen = blueprint->chosen.count > 0;
  *count = is_chosen ? blueprint->chosen.count : blueprint->independents.count;
  return is_chosen ? blueprint->chosen.items : blueprint->independents.items;
}

MbsStatus mbs_initial_choose_set(MbsContext *context, MbsArena *arena, MbsSystem *system, const MbsState *state,
                                 bool is_automatic, MbsSetChoice *choice) {
  int count;
  const MbsIndependentSpec *specs = given_independents(system->blueprint, &count);
  MbsInitial *initial;
  MBS_TRY(begin(context, arena, system, is_automatic ? 0 : count, specs, &initial));
  MBS_TRY(choose_in_scratch(context, initial, state, false));
  *choice = mbs_initial_choice(initial);
  return MBS_OK;
}

MbsSetChoice mbs_initial_choice(const MbsInitial *initial) {
  return (MbsSetChoice){.is_automatic = initial->is_automatic,
                        .count = initial->count,
                        .coordinates = initial->automatic,
                        .rows = initial->position.rows,
                        .is_redundant = initial->is_redundant};
}

MbsStatus mbs_initial_create_set(MbsContext *context, MbsSystem *system, const MbsSetChoice *choice,
                                 MbsInitial **result) {
  int count;
  const MbsIndependentSpec *specs = given_independents(system->blueprint, &count);
  MBS_TRY(begin(context, system->arena, system, choice->is_automatic ? 0 : count, specs, result));
  MbsInitial *initial = *result;
  if (choice->is_automatic) {
    MBS_TRY(take_automatic(context, initial, choice->count));
    for (int i = 0; i < choice->count; ++i) {
      initial->automatic[i] = choice->coordinates[i];
      initial->independents[i].name = system->coordinate_names[choice->coordinates[i]];
    }
  }
  initial->velocity_count = choice->count;
  for (int r = 0; r < system->n; ++r) {
    initial->position.rows[r] = choice->rows[r];
  }
  for (int k = 0; k < system->m; ++k) {
    initial->is_redundant[k] = choice->is_redundant[k];
    initial->redundant_count += choice->is_redundant[k];
  }
  return finish(context, initial);
}

void mbs_initial_destroy(MbsInitial *initial) {
  if (initial) {
    mbs_sparse_solver_destroy(initial->position.solver);
    if (initial->velocity && initial->velocity != &initial->position) {
      mbs_sparse_solver_destroy(initial->velocity->solver);
    }
  }
}
