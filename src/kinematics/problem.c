// See problem.h.
#include "kinematics/problem.h"

#include "kinematics/independent_set.h"

// ---- set-up ----
// Where K(r, column) goes in the matrix that is factored: with least squares right of alpha I.
static MbsStatus add_entry(MbsContext *context, const MbsProblem *problem, int r, int column,
                           MbsPatternBuilder *builder) {
  int shift = problem->is_overcounted ? problem->row_count : 0;
  MBS_TRY(mbs_pattern_add(context, builder, r, shift + column));
  return problem->is_overcounted ? mbs_pattern_add(context, builder, shift + column, r) : MBS_OK;
}

static void place_entry(const MbsProblem *problem, int r, int column, MbsEntry *entry) {
  int shift = problem->is_overcounted ? problem->row_count : 0;
  entry->column = column;
  entry->at = mbs_pattern_position(&problem->pattern, r, shift + column);
  entry->transposed = problem->is_overcounted ? mbs_pattern_position(&problem->pattern, shift + column, r)
                                              : problem->pattern.entry_count;
}

// the free coordinates that an independent coordinate may depend on, to a row of a pattern
static MbsStatus add_own_columns(MbsContext *context, const MbsIndependentSet *set, int index, int row,
                                 MbsPatternBuilder *builder) {
  const MbsSystem *system = set->system;
  if (set->is_automatic) {
    return mbs_pattern_add(context, builder, row, set->automatic[index]);
  }
  const MbsTape *tape = set->independents[index].w.tape;
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[tape->inputs[s]];
    if (signal->kind == MBS_SIGNAL_POSITION) {
      MBS_TRY(mbs_system_add_form_pattern(context, system, &system->signals.forms[signal->index], row, builder));
    }
  }
  return MBS_OK;
}

typedef struct Columns {  // of the rows of independent coordinates
  int *start;             // by row of the problem, and one more
  int *column;
} Columns;

static MbsStatus find_own_columns(MbsContext *context, MbsArena *scratch, const MbsIndependentSet *set,
                                  const MbsProblem *problem, int *start, Columns *own) {
  const MbsSystem *system = set->system;
  MbsPatternBuilder *builder;
  MbsPattern pattern;
  int *next;
  MBS_TRY(mbs_pattern_begin(context, scratch, problem->row_count, &builder));  // which is no less than n
  for (int r = 0; r < problem->row_count; ++r) {
    if (problem->rows[r] >= system->m) {
      MBS_TRY(add_own_columns(context, set, problem->rows[r] - system->m, r, builder));
    }
  }
  MBS_TRY(mbs_pattern_finish(context, builder, &pattern));
  MBS_TAKE(context, scratch, own->column, pattern.entry_count);
  MBS_TAKE(context, scratch, next, problem->row_count);
  own->start = start;
  for (int k = 0; k < pattern.entry_count; ++k) {
    start[pattern.row[k] + 1] += 1;
  }
  for (int r = 0; r < problem->row_count; ++r) {
    next[r] = start[r];  // which is complete: start[r + 1] holds a count until now
    start[r + 1] += start[r];
  }
  for (int column = 0; column < problem->row_count; ++column) {
    for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; ++k) {
      own->column[next[pattern.row[k]]++] = column;
    }
  }
  return MBS_OK;
}

static MbsStatus create_pattern(MbsContext *context, const MbsIndependentSet *set, const Columns *own,
                                MbsProblem *problem) {
  const MbsSystem *system = set->system;
  const MbsPattern *pattern = &system->mode.pattern;
  int size = problem->is_overcounted ? problem->row_count + system->n : system->n;
  MbsPatternBuilder *builder;
  MBS_TRY(mbs_pattern_begin(context, system->arena, size, &builder));
  for (int r = 0; r < problem->row_count; ++r) {
    if (problem->is_overcounted) {
      MBS_TRY(mbs_pattern_add(context, builder, r, r));
    }
    for (int k = own->start[r]; k < own->start[r + 1]; ++k) {
      MBS_TRY(add_entry(context, problem, r, own->column[k], builder));
    }
  }
  for (int column = 0; column < system->n; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      int constraint = pattern->row[k] - system->n;
      if (constraint >= 0 && problem->row_of[constraint] > 0) {
        MBS_TRY(add_entry(context, problem, problem->row_of[constraint] - 1, column, builder));
        problem->constraint_entry_count += 1;
      }
    }
  }
  return mbs_pattern_finish(context, builder, &problem->pattern);
}

static void place_entries(const MbsIndependentSet *set, const Columns *own, const MbsProblem *problem) {
  const MbsSystem *system = set->system;
  const MbsPattern *pattern = &system->mode.pattern;
  MbsEntry *entry = problem->constraint_entries;
  for (int column = 0; column < system->n; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      int constraint = pattern->row[k] - system->n;
      if (constraint >= 0 && problem->row_of[constraint] > 0) {
        entry->below = k;
        entry->right = mbs_pattern_position(pattern, column, system->n + constraint);
        place_entry(problem, problem->row_of[constraint] - 1, column, entry++);
      }
    }
  }
  for (int r = 0; r < problem->row_count; ++r) {
    for (int k = own->start[r]; k < own->start[r + 1]; ++k) {
      place_entry(problem, r, own->column[k], &problem->own_entries[k]);
    }
  }
}

static MbsStatus create_entries(MbsContext *context, MbsArena *scratch, const MbsIndependentSet *set,
                                MbsProblem *problem) {
  const MbsSystem *system = set->system;
  Columns own = {NULL, NULL};
  int *row_of, *own_start;
  MBS_TAKE(context, system->arena, row_of, system->m);
  MBS_TAKE(context, system->arena, own_start, problem->row_count + 1);
  for (int r = 0; r < problem->row_count; ++r) {
    if (problem->rows[r] < system->m) {
      row_of[problem->rows[r]] = 1 + r;
    }
  }
  problem->row_of = row_of;
  problem->own_start = own_start;
  MBS_TRY(find_own_columns(context, scratch, set, problem, own_start, &own));
  MBS_TRY(create_pattern(context, set, &own, problem));
  MBS_TAKE(context, system->arena, problem->constraint_entries, problem->constraint_entry_count);
  MBS_TAKE(context, system->arena, problem->own_entries, own_start[problem->row_count]);
  place_entries(set, &own, problem);
  return MBS_OK;
}

static MbsStatus unfold(MbsContext *context, MbsArena *scratch, const MbsIndependentSet *set, MbsProblem *problem) {
  const MbsSystem *system = set->system;
  MbsKinematicRow *rows;
  MBS_TAKE(context, system->arena, rows, problem->row_count);
  for (int r = 0; r < problem->row_count; ++r) {
    int index = problem->rows[r] - system->m;
    rows[r] =
        (MbsKinematicRow){.constraint = problem->rows[r], .function = index >= 0 ? &set->independents[index].w : NULL};
  }
  return mbs_system_unfold(context, scratch, system, problem->row_count, rows, &problem->pattern, &problem->unfolded);
}

static MbsStatus create(MbsContext *context, MbsArena *scratch, const MbsIndependentSet *set, MbsProblem *problem) {
  const MbsSystem *system = set->system;
  problem->is_overcounted = problem->row_count > system->n;
  if (!problem->is_overcounted && !set->is_automatic) {
    MBS_TRY(unfold(context, scratch, set, problem));
  }
  MBS_TRY(problem->unfolded ? MBS_OK : create_entries(context, scratch, set, problem));
  MBS_TAKE(context, system->arena, problem->values, problem->pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, problem->work, 2 * (size_t)(problem->row_count + system->n));
  MBS_TRY(mbs_sparse_solver_create(context, system->arena, &problem->pattern, &problem->solver));
  mbs_sparse_solver_demand_digits(problem->solver);
  return MBS_OK;
}

MbsStatus mbs_problem_create(MbsContext *context, const MbsIndependentSet *set, MbsProblem *problem) {
  MbsArena *scratch = mbs_arena_create_for(context);
  MbsStatus status = scratch ? create(context, scratch, set, problem)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  return status;
}

void mbs_problem_destroy(MbsProblem *problem) {
  if (problem) {
    mbs_sparse_solver_destroy(problem->solver);
  }
}

// ---- factors ----
// alpha I: about the smallest singular value that K should have serves best (Bjorck), and keeps pivots within K
static void fill_diagonal(const MbsProblem *problem) {
  double largest = 0;
  for (int i = 0; i < problem->constraint_entry_count; ++i) {
    double magnitude = mbs_re(mbs_abs(problem->values[problem->constraint_entries[i].at]));
    largest = magnitude > largest ? magnitude : largest;
  }
  for (int r = 0; r < problem->row_count; ++r) {
    problem->values[mbs_pattern_position(&problem->pattern, r, r)] = 1e-3 * (largest > 0 ? largest : 1);
  }
}

// The ratio of the pivots comes with the factors, and where it is good so is the matrix. A poor one may be the pivots'
// alone, and new pivots need not be better (of a wheel suspension whose condition is 830, 1e-5 kept and 2e-7 chosen
// anew): then the condition number decides, so that all who look at this matrix, with whatever pivots, call it the
// same.
static bool is_regular(const MbsProblem *problem, double least_quality) {
  return mbs_sparse_solver_quality(problem->solver) > least_quality ||
         mbs_sparse_solver_condition(problem->solver, problem->values) * least_quality < 1;
}

static void fill(const MbsIndependentSet *set, const MbsProblem *problem, const MbsState *state,
                 const mbs_scalar *tangent) {
  const MbsSystem *system = set->system;
  mbs_scalar *values = problem->values;
  if (!tangent) {
    mbs_terms_jacobian(system, state, true, set->tangent);
  }
  for (int i = 0; i < problem->constraint_entry_count; ++i) {
    const MbsEntry *entry = &problem->constraint_entries[i];
    values[entry->at] = values[entry->transposed] = tangent ? tangent[entry->right] : set->tangent[entry->below];
  }
  for (int r = 0; r < problem->row_count; ++r) {
    int index = problem->rows[r] - system->m;
    if (index >= 0 && !set->is_automatic) {
      mbs_independent_set_gradient(set, index, state);
    }
    for (int k = problem->own_start[r]; k < problem->own_start[r + 1]; ++k) {
      const MbsEntry *entry = &problem->own_entries[k];
      values[entry->at] = values[entry->transposed] = set->is_automatic ? 1 : set->gradient[entry->column];
    }
  }
  if (problem->is_overcounted) {
    fill_diagonal(problem);
  }
}

bool mbs_problem_factor(const MbsIndependentSet *set, const MbsProblem *problem, const MbsState *state,
                        const mbs_scalar *tangent, double least_quality) {
  mbs_scalar *values = problem->values;
  if (problem->pattern.size == 0) {  // nothing moves
    return true;
  }
  if (problem->unfolded) {
    for (int i = 0; i <= problem->pattern.entry_count; ++i) {
      values[i] = 0;
    }
    mbs_system_fill_unfolded(set->system, problem->unfolded, state, values);
  } else {
    fill(set, problem, state, tangent);
  }
  return (mbs_sparse_solver_factor(problem->solver, values) && is_regular(problem, least_quality)) ||
         (mbs_sparse_solver_factor_anew(problem->solver, values) && is_regular(problem, least_quality));
}

// ---- solutions ----
// r -= K x, or (transposed) r -= K' x
static void subtract_product(const MbsProblem *problem, bool is_transposed, const mbs_scalar *x, mbs_scalar *r) {
  const MbsPattern *pattern = &problem->pattern;
  int rows = problem->row_count, n = pattern->size - rows;
  for (int j = 0; j < n; ++j) {
    for (int k = pattern->column_start[rows + j]; k < pattern->column_start[rows + j + 1]; ++k) {
      int i = pattern->row[k];  // all of them are of K, there is nothing below
      r[is_transposed ? j : i] -= problem->values[k] * x[is_transposed ? i : j];
    }
  }
}

// the part of the solution that is wanted, and a second time for what it leaves
static void solve_overcounted(const MbsProblem *problem, bool is_transposed, mbs_scalar *b) {
  int rows = problem->row_count, size = problem->pattern.size, n = size - rows;
  int given = is_transposed ? rows : 0, given_count = is_transposed ? n : rows;
  int wanted = is_transposed ? 0 : rows, wanted_count = is_transposed ? rows : n;
  mbs_scalar *solution = problem->work, *rest = problem->work + size;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < size; ++i) {
      rest[i] = 0;
    }
    for (int i = 0; i < given_count; ++i) {
      rest[given + i] = b[i];
    }
    if (pass > 0) {
      subtract_product(problem, is_transposed, solution, rest + given);
    }
    mbs_sparse_solver_solve(problem->solver, 1, rest);  // symmetric
    for (int i = 0; i < wanted_count; ++i) {
      solution[i] = (pass > 0 ? solution[i] : 0) + rest[wanted + i];
    }
  }
  for (int i = 0; i < wanted_count; ++i) {
    b[i] = solution[i];
  }
}

void mbs_problem_solve(const MbsProblem *problem, int count, mbs_scalar *b) {
  if (!problem->is_overcounted) {
    mbs_sparse_solver_solve(problem->solver, count, b);
    return;
  }
  for (int k = 0; k < count; ++k) {
    solve_overcounted(problem, false, b + (size_t)k * (size_t)problem->row_count);
  }
}

void mbs_problem_solve_transposed(const MbsProblem *problem, int count, mbs_scalar *c) {
  if (!problem->is_overcounted) {
    mbs_sparse_solver_solve_transposed(problem->solver, count, c);
    return;
  }
  for (int k = 0; k < count; ++k) {
    solve_overcounted(problem, true, c + (size_t)k * (size_t)problem->row_count);
  }
}
