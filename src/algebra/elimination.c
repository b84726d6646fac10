// The numbers of the factors stand in one array, pivots first, then U by rows, then L by columns, so that the program
// is a list of places in it: for each pivot s, each i below it and each j beside it, in this order,
//     w[L_is] /= w[s];   w[target] -= w[L_is] w[U_sj].
#include "algebra/elimination.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/pivot_search.h"

#if defined(__GNUC__)
#define KERNEL static inline __attribute__((always_inline))
#else
#define KERNEL static inline
#endif

enum { LANES = 4 };  // right-hand sides that go through the factors together

struct MbsElimination {
  int size, entry_count, number_count, dropped_count;
  int *from_row, *to_column;  // by pivot
  int *upper_start, *lower_start;
  int *column, *row;              // of each number of U and of L: the pivot in that column, or row
  int *place;                     // by entry of the matrix; of what was dropped: behind all others
  int *dropped;                   // entries of the matrix
  int *pivot_column, *pivot_row;  // by entry of the matrix
  int *target;
  double *scale;  // by pivot
  mbs_scalar *w, *inverse;
  mbs_scalar *y;  // LANES each
  mbs_scalar *z;  // of the condition's estimate
};

// ---- the program ----
// what the search leaves of each pivot: rows of U and columns of L, by rows and columns of the matrix
typedef struct Record {
  MbsPivotSearch search;
  int *pivot_of_row, *pivot_of_column, *row, *column;  // by pivot the last two
  double products;
  int upper, lower;
} Record;

static bool search(Record *record, double most) {
  MbsPivotSearch *now = &record->search;
  for (int s = 0; s < now->size; ++s) {
    int row, column;
    if (!mbs_pivot_search_next(now, &row, &column)) {
      return false;
    }
    mbs_pivot_search_eliminate(now, row, column);
    record->row[s] = row;
    record->column[s] = column;
    record->pivot_of_row[row] = record->pivot_of_column[column] = s;
    record->upper += now->row_count[row];
    record->lower += now->column_count[column];
    record->products += (double)now->row_count[row] * now->column_count[column];
    if (record->products > most) {
      return false;
    }
  }
  return true;
}

static void *part(char **room, size_t *used, size_t count, size_t size) {
  void *taken = *room ? *room + *used : NULL;
  *used += (count * size + 15) / 16 * 16;
  return taken;
}

// everything behind the struct, measured first
static size_t layout(MbsElimination *e, char *room, const Record *record) {
  size_t used = 0, n = (size_t)e->size, upper = (size_t)record->upper, lower = (size_t)record->lower;
  (void)part(&room, &used, 1, sizeof *e);
  e->from_row = part(&room, &used, n, sizeof(int));
  e->to_column = part(&room, &used, n, sizeof(int));
  e->upper_start = part(&room, &used, n + 1, sizeof(int));
  e->lower_start = part(&room, &used, n + 1, sizeof(int));
  e->column = part(&room, &used, upper, sizeof(int));
  e->row = part(&room, &used, lower, sizeof(int));
  e->place = part(&room, &used, (size_t)e->entry_count, sizeof(int));
  e->dropped = part(&room, &used, n, sizeof(int));
  e->pivot_column = part(&room, &used, (size_t)e->entry_count, sizeof(int));
  e->pivot_row = part(&room, &used, (size_t)e->entry_count, sizeof(int));
  e->target = part(&room, &used, (size_t)record->products, sizeof(int));
  e->scale = part(&room, &used, n, sizeof(double));
  e->w = part(&room, &used, n + upper + lower + 1, sizeof(mbs_scalar));
  e->inverse = part(&room, &used, n, sizeof(mbs_scalar));
  e->y = part(&room, &used, LANES * n, sizeof(mbs_scalar));
  e->z = part(&room, &used, n, sizeof(mbs_scalar));
  return used;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// U by rows and L by columns, each in the order of pivots; `at` (size x size): where each number is, by pivots
static void number(MbsElimination *e, const Record *record, int *at) {
  int n = e->size, upper = 0, lower = 0;
  for (int s = 0; s < n; ++s) {
    int row = record->row[s], column = record->column[s];
    const short *beside = record->search.in_row + row * n, *below = record->search.in_column + column * n;
    e->from_row[s] = row;
    e->to_column[s] = column;
    e->scale[s] = record->search.scale[row];
    at[s * n + s] = s;
    e->upper_start[s] = upper;
    for (int k = 0; k < record->search.row_count[row]; ++k) {
      e->column[upper++] = record->pivot_of_column[beside[k]];
    }
    qsort(e->column + e->upper_start[s], (size_t)(upper - e->upper_start[s]), sizeof(int), compare);
    e->lower_start[s] = lower;
    for (int k = 0; k < record->search.column_count[column]; ++k) {
      e->row[lower++] = record->pivot_of_row[below[k]];
    }
    qsort(e->row + e->lower_start[s], (size_t)(lower - e->lower_start[s]), sizeof(int), compare);
    for (int k = e->upper_start[s]; k < upper; ++k) {
      at[s * n + e->column[k]] = n + k;
    }
    for (int k = e->lower_start[s]; k < lower; ++k) {
      at[e->row[k] * n + s] = n + record->upper + k;
    }
  }
  e->upper_start[n] = upper;
  e->lower_start[n] = lower;
  e->number_count = n + upper + lower;
}

static void write_program(MbsElimination *e, const Record *record, const int *at, const int *column_start,
                          const int *row) {
  int n = e->size, *target = e->target;
  for (int s = 0; s < n; ++s) {
    for (int p = e->lower_start[s]; p < e->lower_start[s + 1]; ++p) {
      for (int u = e->upper_start[s]; u < e->upper_start[s + 1]; ++u) {
        *target++ = at[e->row[p] * n + e->column[u]];
      }
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int k = column_start[j]; k < column_start[j + 1]; ++k) {
      e->pivot_column[k] = record->pivot_of_column[j];
      e->pivot_row[k] = record->pivot_of_row[row[k]];
      e->place[k] = at[e->pivot_row[k] * n + e->pivot_column[k]];
      if (e->place[k] < 0) {  // zero on the diagonal; where it has filled in it has a place all the same
        e->place[k] = e->number_count;
        e->dropped[e->dropped_count++] = k;
      }
    }
  }
}

static MbsElimination *program(const Record *record, int entry_count, const int *column_start, const int *row,
                               bool *is_out) {
  int n = record->search.size;
  MbsElimination sizes = {.size = n, .entry_count = entry_count};
  MbsElimination *e = calloc(1, layout(&sizes, NULL, record));
  int *at = malloc((size_t)n * (size_t)n * sizeof *at);
  if (e && at) {
    memset(at, -1, (size_t)n * (size_t)n * sizeof *at);
    *e = sizes;
    (void)layout(e, (char *)e, record);
    number(e, record, at);
    write_program(e, record, at, column_start, row);
  } else {
    free(e);
    e = NULL;
    *is_out = true;
  }
  free(at);
  return e;
}

MbsElimination *mbs_elimination_create(int size, const int *column_start, const int *row, const mbs_scalar *values,
                                       double most, bool *is_out) {
  *is_out = false;
  if (size < 1 || size > MBS_LARGEST_SEARCH) {
    return NULL;
  }
  MbsElimination *result = NULL;
  int *room = malloc(4 * (size_t)size * sizeof *room);
  Record record = {.row = room};
  *is_out = !room || !mbs_pivot_search_create(&record.search, size);
  if (!*is_out && mbs_pivot_search_begin(&record.search, column_start, row, values)) {
    record.column = room + size;
    record.pivot_of_row = room + 2 * size;
    record.pivot_of_column = room + 3 * size;
    if (search(&record, most)) {
      result = program(&record, column_start[size], column_start, row, is_out);
    }
  }
  if (room) {
    mbs_pivot_search_destroy(&record.search);
  }
  free(room);
  return result;
}

void mbs_elimination_destroy(MbsElimination *elimination) { free(elimination); }

// ---- the numbers ----
bool mbs_elimination_accepts(const MbsElimination *e, const mbs_scalar *values) {
  for (int k = 0; k < e->dropped_count; ++k) {
    if (!mbs_is_zero(values[e->dropped[k]])) {
      return false;
    }
  }
  return true;
}

bool mbs_elimination_factor(MbsElimination *e, const mbs_scalar *values) {
  mbs_scalar *restrict w = e->w;
  const int *restrict target = e->target;
  memset(w, 0, (size_t)e->number_count * sizeof *w);
  for (int k = 0; k < e->entry_count; ++k) {
    w[e->place[k]] = values[k];
  }
  for (int s = 0; s < e->size; ++s) {
    const mbs_scalar *restrict u = w + e->size + e->upper_start[s];
    int width = e->upper_start[s + 1] - e->upper_start[s];
    mbs_scalar *restrict lower = w + e->size + e->upper_start[e->size];
    mbs_scalar inverse = 1 / w[s];
    if (!mbs_is_finite(inverse) || !mbs_is_finite(w[s])) {
      return false;
    }
    e->inverse[s] = inverse;
    for (int p = e->lower_start[s]; p < e->lower_start[s + 1]; ++p) {
      mbs_scalar l = lower[p] * inverse;
      lower[p] = l;
      for (int k = 0; k < width; ++k) {
        w[target[k]] -= l * u[k];
      }
      target += width;
    }
  }
  return true;
}

double mbs_elimination_quality(const MbsElimination *e) {
  double least = HUGE_VAL, largest = 0;
  for (int s = 0; s < e->size; ++s) {
    double magnitude = mbs_re(mbs_abs(e->w[s])) * e->scale[s];
    least = magnitude < least ? magnitude : least;
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest > 0 ? least / largest : 0;
}

// rows scaled; e->y has room for both
double mbs_elimination_growth(const MbsElimination *e, const mbs_scalar *values) {
  double growth = HUGE_VAL;
  mbs_scalar *before = e->y, *after = e->y + e->size;
  for (int s = 0; s < e->size; ++s) {
    before[s] = 0;
    after[s] = mbs_re(mbs_abs(e->w[s])) * e->scale[s];
  }
  for (int s = 0; s < e->size; ++s) {
    for (int k = e->upper_start[s]; k < e->upper_start[s + 1]; ++k) {
      double magnitude = mbs_re(mbs_abs(e->w[e->size + k])) * e->scale[s];
      after[e->column[k]] = fmax(magnitude, mbs_re(after[e->column[k]]));  // real
    }
  }
  for (int k = 0; k < e->entry_count; ++k) {
    double magnitude = mbs_re(mbs_abs(values[k])) * e->scale[e->pivot_row[k]];
    before[e->pivot_column[k]] = fmax(magnitude, mbs_re(before[e->pivot_column[k]]));  // real
  }
  for (int s = 0; s < e->size; ++s) {
    double ratio = mbs_re(before[s]) / mbs_re(after[s]);
    growth = ratio < growth ? ratio : growth;
  }
  return growth;
}

KERNEL void solve(MbsElimination *e, mbs_scalar *restrict b, int lanes) {
  int n = e->size;
  const mbs_scalar *upper = e->w + n, *lower = upper + e->upper_start[n];
  mbs_scalar *restrict y = e->y;
  for (int s = 0; s < n; ++s) {
    for (int c = 0; c < lanes; ++c) {
      y[s * lanes + c] = b[c * n + e->from_row[s]];
    }
  }
  for (int s = 0; s < n; ++s) {
    for (int k = e->lower_start[s]; k < e->lower_start[s + 1]; ++k) {
      for (int c = 0; c < lanes; ++c) {
        y[e->row[k] * lanes + c] -= lower[k] * y[s * lanes + c];
      }
    }
  }
  for (int s = n - 1; s >= 0; --s) {
    mbs_scalar sum[LANES];
    for (int c = 0; c < lanes; ++c) {
      sum[c] = y[s * lanes + c];
    }
    for (int k = e->upper_start[s]; k < e->upper_start[s + 1]; ++k) {
      for (int c = 0; c < lanes; ++c) {
        sum[c] -= upper[k] * y[e->column[k] * lanes + c];
      }
    }
    for (int c = 0; c < lanes; ++c) {
      y[s * lanes + c] = sum[c] * e->inverse[s];
      b[c * n + e->to_column[s]] = y[s * lanes + c];
    }
  }
}

// U' y = b, L' x = y
KERNEL void solve_transposed(MbsElimination *e, mbs_scalar *restrict b, int lanes) {
  int n = e->size;
  const mbs_scalar *upper = e->w + n, *lower = upper + e->upper_start[n];
  mbs_scalar *restrict y = e->y;
  for (int s = 0; s < n; ++s) {
    for (int c = 0; c < lanes; ++c) {
      y[s * lanes + c] = b[c * n + e->to_column[s]];
    }
  }
  for (int s = 0; s < n; ++s) {
    for (int c = 0; c < lanes; ++c) {
      y[s * lanes + c] *= e->inverse[s];
    }
    for (int k = e->upper_start[s]; k < e->upper_start[s + 1]; ++k) {
      for (int c = 0; c < lanes; ++c) {
        y[e->column[k] * lanes + c] -= upper[k] * y[s * lanes + c];
      }
    }
  }
  for (int s = n - 1; s >= 0; --s) {
    mbs_scalar sum[LANES];
    for (int c = 0; c < lanes; ++c) {
      sum[c] = y[s * lanes + c];
    }
    for (int k = e->lower_start[s]; k < e->lower_start[s + 1]; ++k) {
      for (int c = 0; c < lanes; ++c) {
        sum[c] -= lower[k] * y[e->row[k] * lanes + c];
      }
    }
    for (int c = 0; c < lanes; ++c) {
      y[s * lanes + c] = sum[c];
      b[c * n + e->from_row[s]] = sum[c];
    }
  }
}

// each right-hand side sees the same operations, however many there are
void mbs_elimination_solve(MbsElimination *e, int count, mbs_scalar *b) {
  for (; count >= 4; count -= 4, b += 4 * e->size) {
    solve(e, b, 4);
  }
  for (; count >= 2; count -= 2, b += 2 * e->size) {
    solve(e, b, 2);
  }
  if (count > 0) {
    solve(e, b, 1);
  }
}

void mbs_elimination_solve_transposed(MbsElimination *e, int count, mbs_scalar *b) {
  for (; count >= 2; count -= 2, b += 2 * e->size) {
    solve_transposed(e, b, 2);
  }
  if (count > 0) {
    solve_transposed(e, b, 1);
  }
}

static double sum_of(int count, const mbs_scalar *z) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += mbs_re(mbs_abs(z[i]));
  }
  return sum;
}

// |A^-1 z| of vectors with |z| = 1, each the unit vector in whose direction the one before grows most (Hager, Higham);
// and of one that alternates, where signs could cancel.
static double inverse_norm(MbsElimination *e) {
  enum { MOST_VECTORS = 5 };
  int n = e->size, chosen = -1;
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    e->z[i] = 1.0 / n;
  }
  for (int k = 0; k < MOST_VECTORS; ++k) {
    mbs_elimination_solve(e, 1, e->z);
    double norm = sum_of(n, e->z);
    if (k > 0 && norm <= largest) {
      break;
    }
    largest = norm;
    for (int i = 0; i < n; ++i) {
      e->z[i] = mbs_re(e->z[i]) < 0 ? -1 : 1;
    }
    mbs_elimination_solve_transposed(e, 1, e->z);
    int steepest = 0;
    for (int i = 1; i < n; ++i) {
      steepest = mbs_re(mbs_abs(e->z[i])) > mbs_re(mbs_abs(e->z[steepest])) ? i : steepest;
    }
    if (steepest == chosen) {
      break;
    }
    chosen = steepest;
    for (int i = 0; i < n; ++i) {
      e->z[i] = i == chosen;
    }
  }
  for (int i = 0; i < n; ++i) {
    e->z[i] = (i % 2 > 0 ? -1 : 1) * (1 + (double)i / (n > 1 ? n - 1 : 1));
  }
  mbs_elimination_solve(e, 1, e->z);
  return fmax(largest, 2 * sum_of(n, e->z) / (3 * n));  // real
}

double mbs_elimination_condition(MbsElimination *e, const mbs_scalar *values) {
  double norm = 0;
  for (int s = 0; s < e->size; ++s) {
    e->z[s] = 0;
  }
  for (int k = 0; k < e->entry_count; ++k) {
    e->z[e->pivot_column[k]] += mbs_re(mbs_abs(values[k]));
  }
  for (int s = 0; s < e->size; ++s) {
    norm = fmax(norm, mbs_re(e->z[s]));  // real
  }
  return norm * inverse_norm(e);
}
