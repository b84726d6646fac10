#include "algebra/saddle.h"

#include "algebra/sparse_solver.h"

struct MbsSaddle {
  const MbsSparseRows *rows;
  MbsPattern pattern;         // columns + rows
  int *column_map, *row_map;  // of each entry of the rows: its positions in A' and in A
  int *diagonal;              // of all
  MbsSparseSolver *solver;
  mbs_scalar *values, *rhs;
};

MbsStatus mbs_saddle_create(MbsContext *context, MbsArena *arena, const MbsSparseRows *rows, MbsSaddle **result) {
  int n = rows->column_count, size = n + rows->row_count, entries = rows->start[rows->row_count];
  MbsSaddle *saddle;
  MbsPatternBuilder *builder;
  MBS_TAKE(context, arena, saddle, 1);
  *result = saddle;
  saddle->rows = rows;
  MBS_TRY(mbs_pattern_begin(context, arena, size, &builder));
  for (int i = 0; i < size; ++i) {
    MBS_TRY(mbs_pattern_add(context, builder, i, i));
  }
  for (int r = 0; r < rows->row_count; ++r) {
    for (int k = rows->start[r]; k < rows->start[r + 1]; ++k) {
      MBS_TRY(mbs_pattern_add(context, builder, n + r, rows->column[k]));
      MBS_TRY(mbs_pattern_add(context, builder, rows->column[k], n + r));
    }
  }
  MBS_TRY(mbs_pattern_finish(context, builder, &saddle->pattern));
  MBS_TAKE(context, arena, saddle->column_map, entries);
  MBS_TAKE(context, arena, saddle->row_map, entries);
  MBS_TAKE(context, arena, saddle->diagonal, size);
  MBS_TAKE(context, arena, saddle->values, saddle->pattern.entry_count + 1);
  MBS_TAKE(context, arena, saddle->rhs, size);
  for (int i = 0; i < size; ++i) {
    saddle->diagonal[i] = mbs_pattern_position(&saddle->pattern, i, i);
  }
  for (int r = 0; r < rows->row_count; ++r) {
    for (int k = rows->start[r]; k < rows->start[r + 1]; ++k) {
      saddle->column_map[k] = mbs_pattern_position(&saddle->pattern, rows->column[k], n + r);
      saddle->row_map[k] = mbs_pattern_position(&saddle->pattern, n + r, rows->column[k]);
    }
  }
  return mbs_sparse_solver_create(context, arena, &saddle->pattern, &saddle->solver);
}

void mbs_saddle_destroy(MbsSaddle *saddle) {
  if (saddle) {
    mbs_sparse_solver_destroy(saddle->solver);
  }
}

bool mbs_saddle_factor(MbsSaddle *saddle, double mu) {
  const MbsSparseRows *rows = saddle->rows;
  int n = rows->column_count;
  for (int i = 0; i < n; ++i) {
    saddle->values[saddle->diagonal[i]] = 1;
  }
  for (int r = 0; r < rows->row_count; ++r) {
    saddle->values[saddle->diagonal[n + r]] = -mu;
    for (int k = rows->start[r]; k < rows->start[r + 1]; ++k) {
      saddle->values[saddle->column_map[k]] = rows->value[k];
      saddle->values[saddle->row_map[k]] = rows->value[k];
    }
  }
  return mbs_sparse_solver_factor(saddle->solver, saddle->values);
}

// the right-hand side in saddle->rhs to x
static void solve(MbsSaddle *saddle, double *x) {
  mbs_sparse_solver_solve(saddle->solver, 1, saddle->rhs);
  for (int i = 0; i < saddle->rows->column_count; ++i) {
    x[i] = mbs_re(saddle->rhs[i]);
  }
}

void mbs_saddle_project(MbsSaddle *saddle, const double *b, double *x) {
  int n = saddle->rows->column_count;
  for (int i = 0; i < saddle->pattern.size; ++i) {
    saddle->rhs[i] = i < n ? b[i] : 0;
  }
  solve(saddle, x);
}

void mbs_saddle_least_squares(MbsSaddle *saddle, const double *c, double *x) {
  int n = saddle->rows->column_count;
  for (int i = 0; i < saddle->pattern.size; ++i) {
    saddle->rhs[i] = i < n ? 0 : c[i - n];
  }
  solve(saddle, x);
}
