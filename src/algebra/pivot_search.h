// Markowitz's pivots for a matrix that is eliminated in full storage: see elimination.h.
#ifndef MBS_PIVOT_SEARCH_H
#define MBS_PIVOT_SEARCH_H

#include <stdbool.h>

#include "algebra/scalar.h"

enum { MBS_LARGEST_SEARCH = 600 };  // rows: full storage is room for all entries

// What is there at each moment: rows and columns that are left, in unordered lists.
typedef struct MbsPivotSearch {
  int size;
  mbs_scalar *value;  // size x size, by rows
  double *scale;      // by row: 1 / its largest entry at the beginning
  int *row_count, *column_count;
  short *in_row, *in_column;  // size x size: columns of a row, rows of a column
  bool *is_row_gone, *is_column_gone;
} MbsPivotSearch;

// False: memory is out.
bool mbs_pivot_search_create(MbsPivotSearch *search, int size);
void mbs_pivot_search_destroy(MbsPivotSearch *search);
// Once. False: a row is empty. What is exactly zero on the diagonal is no entry.
bool mbs_pivot_search_begin(MbsPivotSearch *search, const int *column_start, const int *row, const mbs_scalar *values);

// The next pivot. False: what is left is singular.
bool mbs_pivot_search_next(const MbsPivotSearch *search, int *row, int *column);
// Takes it out, with its row and column: what was beside and below it stays in in_row and in_column of these, and is
// theirs in U and L.
void mbs_pivot_search_eliminate(MbsPivotSearch *search, int row, int column);

#endif
