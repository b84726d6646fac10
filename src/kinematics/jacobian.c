#include "kinematics/jacobian.h"

#include <math.h>

#include "algebra/complement.h"

MbsStatus mbs_jacobian_create(MbsContext *context, MbsArena *arena, const MbsSystem *system, MbsJacobian *jacobian) {
  const MbsPattern *pattern = &system->mode.pattern;
  int n = system->n, *start, *next, *column, *position;
  MBS_TAKE(context, arena, start, system->m + 1);
  MBS_TAKE(context, arena, next, system->m);
  for (int k = 0; k < pattern->column_start[n]; ++k) {
    if (pattern->row[k] >= n) {
      start[pattern->row[k] - n + 1] += 1;
    }
  }
  for (int i = 0; i < system->m; ++i) {
    next[i] = start[i];  // which is complete: start[i + 1] holds a count until now
    start[i + 1] += start[i];
  }
  MBS_TAKE(context, arena, column, start[system->m]);
  MBS_TAKE(context, arena, position, start[system->m]);
  for (int j = 0; j < n; ++j) {
    for (int k = pattern->column_start[j]; k < pattern->column_start[j + 1]; ++k) {
      if (pattern->row[k] >= n) {
        int at = next[pattern->row[k] - n]++;
        column[at] = j;
        position[at] = k;
      }
    }
  }
  *jacobian = (MbsJacobian){.system = system,
                            .rows = {.row_count = system->m, .column_count = n, .start = start, .column = column},
                            .position = position};
  MBS_TAKE(context, arena, jacobian->rows.value, start[system->m]);
  MBS_TAKE(context, arena, jacobian->tangent, pattern->entry_count + 1);
  return MBS_OK;
}

static void evaluate(MbsJacobian *jacobian, const MbsState *state, bool with_nonholonomic) {
  mbs_terms_jacobian(jacobian->system, state, with_nonholonomic, jacobian->tangent);
  for (int k = 0; k < jacobian->rows.start[jacobian->rows.row_count]; ++k) {
    jacobian->rows.value[k] = mbs_re(jacobian->tangent[jacobian->position[k]]);
  }
}

void mbs_jacobian_evaluate(MbsJacobian *jacobian, const MbsState *state) { evaluate(jacobian, state, false); }

void mbs_jacobian_evaluate_rates(MbsJacobian *jacobian, const MbsState *state) { evaluate(jacobian, state, true); }

double mbs_jacobian_length(const MbsJacobian *jacobian, int row) {
  double square = 0;
  for (int k = jacobian->rows.start[row]; k < jacobian->rows.start[row + 1]; ++k) {
    square += jacobian->rows.value[k] * jacobian->rows.value[k];
  }
  return sqrt(square);  // real
}

MbsStatus mbs_jacobian_complete(MbsContext *context, MbsArena *scratch, const MbsJacobian *jacobian, int row_count,
                                const int *rows, int unit_count, const int *units, int *chosen) {
  const double tolerance = 1e-7;
  const MbsSparseRows *all = &jacobian->rows;
  MbsSparseRows given = {.row_count = row_count + unit_count, .column_count = all->column_count};
  MbsRank *rank;
  int *start, *column, entries = 0;
  MBS_TAKE(context, scratch, start, given.row_count + 1);
  MBS_TAKE(context, scratch, column, all->start[all->row_count] + unit_count);
  MBS_TAKE(context, scratch, given.value, all->start[all->row_count] + unit_count);
  for (int r = 0; r < given.row_count; ++r) {
    for (int k = r < row_count ? all->start[rows[r]] : 0; r < row_count && k < all->start[rows[r] + 1]; ++k) {
      column[entries] = all->column[k];
      given.value[entries++] = all->value[k] / mbs_jacobian_length(jacobian, rows[r]);
    }
    if (r >= row_count) {
      column[entries] = units[r - row_count];
      given.value[entries++] = 1;
    }
    start[r + 1] = entries;
  }
  given.start = start;
  given.column = column;
  MBS_TRY(mbs_rank_create(context, scratch, all->column_count, &rank));
  mbs_rank_announce(rank, entries, column);
  for (int r = 0; r < given.row_count; ++r) {
    bool is_new;
    MBS_TRY(mbs_rank_take(context, rank, start[r + 1] - start[r], column + start[r], given.value + start[r], tolerance,
                          &is_new));
  }
  return mbs_complement_choose(context, &given, rank, chosen);
}
