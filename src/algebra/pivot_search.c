#include "algebra/pivot_search.h"

#include <stdlib.h>

// A pivot is at least this part of the largest entry that is left in its column: multipliers of rows are 10 at most.
static const double threshold = 0.1;

enum { MOST_LISTS = 16 };  // rows and columns that are looked at for one pivot

static bool has_room(const MbsPivotSearch *search) {
  return search->value && search->scale && search->row_count && search->column_count && search->in_row &&
         search->in_column && search->is_row_gone && search->is_column_gone;
}

static void add(MbsPivotSearch *search, int row, int column) {
  search->in_row[row * search->size + search->row_count[row]++] = (short)column;
  search->in_column[column * search->size + search->column_count[column]++] = (short)row;
}

static void drop(short *list, int *count, int index) {
  for (int k = 0; k < *count; ++k) {
    if (list[k] == index) {
      list[k] = list[--*count];
      return;
    }
  }
}

static double size_of(const MbsPivotSearch *search, int row, int column) {
  return mbs_re(mbs_abs(search->value[row * search->size + column])) * search->scale[row];
}

bool mbs_pivot_search_create(MbsPivotSearch *search, int size) {
  size_t n = (size_t)size;
  *search = (MbsPivotSearch){.size = size,
                             .value = calloc(n * n, sizeof *search->value),
                             .scale = calloc(n, sizeof *search->scale),
                             .row_count = calloc(n, sizeof *search->row_count),
                             .column_count = calloc(n, sizeof *search->column_count),
                             .in_row = calloc(n * n, sizeof *search->in_row),
                             .in_column = calloc(n * n, sizeof *search->in_column),
                             .is_row_gone = calloc(n, sizeof *search->is_row_gone),
                             .is_column_gone = calloc(n, sizeof *search->is_column_gone)};
  return has_room(search);
}

bool mbs_pivot_search_begin(MbsPivotSearch *search, const int *column_start, const int *row, const mbs_scalar *values) {
  int size = search->size;
  bool is_sound = true;
  for (int j = 0; j < size; ++j) {
    for (int k = column_start[j]; k < column_start[j + 1]; ++k) {
      int i = row[k];
      double magnitude = mbs_re(mbs_abs(values[k]));
      if (i != j || magnitude > 0) {
        add(search, i, j);
      }
      search->value[i * size + j] = values[k];
      search->scale[i] = magnitude > search->scale[i] ? magnitude : search->scale[i];
    }
  }
  for (int i = 0; i < size && is_sound; ++i) {
    is_sound = search->scale[i] > 0 && isfinite(search->scale[i]);
    search->scale[i] = 1 / search->scale[i];
  }
  return is_sound;
}

void mbs_pivot_search_destroy(MbsPivotSearch *search) {
  free(search->value);
  free(search->scale);
  free(search->row_count);
  free(search->column_count);
  free(search->in_row);
  free(search->in_column);
  free(search->is_row_gone);
  free(search->is_column_gone);
}

// Of equals the first: so the order hardly depends on the numbers, and models with other numbers keep theirs.
typedef struct Best {
  long cost;  // (entries beside it) (entries below it)
  int row, column;
} Best;

static double largest_in(const MbsPivotSearch *search, int column) {
  double largest = 0;
  for (int k = 0; k < search->column_count[column]; ++k) {
    double magnitude = size_of(search, search->in_column[column * search->size + k], column);
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

static void consider(const MbsPivotSearch *search, int row, int column, double largest, Best *best) {
  long cost = (long)(search->row_count[row] - 1) * (search->column_count[column] - 1);
  if (cost < best->cost && largest > 0 && size_of(search, row, column) >= threshold * largest) {
    *best = (Best){.cost = cost, .row = row, .column = column};
  }
}

static void consider_column(const MbsPivotSearch *search, int column, Best *best) {
  double largest = largest_in(search, column);
  for (int k = 0; k < search->column_count[column]; ++k) {
    consider(search, search->in_column[column * search->size + k], column, largest, best);
  }
}

static void consider_row(const MbsPivotSearch *search, int row, Best *best) {
  for (int k = 0; k < search->row_count[row]; ++k) {
    int column = search->in_row[row * search->size + k];
    long cost = (long)(search->row_count[row] - 1) * (search->column_count[column] - 1);
    if (cost < best->cost) {
      consider(search, row, column, largest_in(search, column), best);
    }
  }
}

// By counts of entries, the smallest first, until what is left cannot be better, or enough has been seen.
bool mbs_pivot_search_next(const MbsPivotSearch *search, int *row, int *column) {
  Best best = {.cost = 1l << 60, .row = -1};
  int seen = 0;
  for (int count = 1; count <= search->size; ++count) {
    for (int i = 0; i < search->size; ++i) {
      if (best.row >= 0 && (seen >= MOST_LISTS || best.cost <= (long)(count - 1) * (count - 1))) {
        *row = best.row;
        *column = best.column;
        return true;
      }
      if (!search->is_column_gone[i] && search->column_count[i] == count) {
        consider_column(search, i, &best);
        ++seen;
      }
      if (!search->is_row_gone[i] && search->row_count[i] == count) {
        consider_row(search, i, &best);
        ++seen;
      }
    }
  }
  *row = best.row;
  *column = best.column;
  return best.row >= 0;
}

// the row less so much of the pivot's
static void subtract(MbsPivotSearch *search, int row, int pivot_row, mbs_scalar part, bool *has_entry) {
  int n = search->size;
  for (int k = 0; k < search->row_count[row]; ++k) {
    has_entry[search->in_row[row * n + k]] = true;
  }
  for (int k = 0; k < search->row_count[pivot_row]; ++k) {
    int j = search->in_row[pivot_row * n + k];
    search->value[row * n + j] -= part * search->value[pivot_row * n + j];
    if (!has_entry[j]) {
      has_entry[j] = true;
      add(search, row, j);
    }
  }
  for (int k = 0; k < search->row_count[row]; ++k) {
    has_entry[search->in_row[row * n + k]] = false;
  }
}

void mbs_pivot_search_eliminate(MbsPivotSearch *search, int row, int column) {
  int n = search->size;
  bool has_entry[MBS_LARGEST_SEARCH] = {false};
  mbs_scalar pivot = search->value[row * n + column];
  search->is_row_gone[row] = search->is_column_gone[column] = true;
  drop(search->in_row + row * n, &search->row_count[row], column);
  drop(search->in_column + column * n, &search->column_count[column], row);
  for (int k = 0; k < search->row_count[row]; ++k) {
    int j = search->in_row[row * n + k];
    drop(search->in_column + j * n, &search->column_count[j], row);
  }
  for (int k = 0; k < search->column_count[column]; ++k) {
    int i = search->in_column[column * n + k];
    drop(search->in_row + i * n, &search->row_count[i], column);
    subtract(search, i, row, search->value[i * n + column] / pivot, has_entry);
  }
}
