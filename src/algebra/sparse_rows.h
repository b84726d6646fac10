// A sparse matrix by rows, of plain numbers: what decisions on rank look at.
#ifndef MBS_SPARSE_ROWS_H
#define MBS_SPARSE_ROWS_H

typedef struct MbsSparseRows {
  int row_count, column_count;
  const int *start;   // row_count + 1: where each row begins in the two below
  const int *column;  // in each row every column at most once
  double *value;
} MbsSparseRows;

#endif
