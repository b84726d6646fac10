#include "algebra/rank.h"

#include <math.h>

// The rows taken are those of U, upper triangular in the order of their pivots: the row with pivot i may have entries
// in the pivots of later rows, none in those of earlier ones.
typedef struct Entry {
  int column;
  double value;
} Entry;

struct MbsRank {
  MbsArena *arena;
  int rank;
  Entry *pivots;        // of each row of U
  int *start;           // rank + 1: where the other entries of each row of U begin
  int count, capacity;  // of those
  Entry *entries;
  double threshold;   // a pivot's share of the largest entry, at least
  int many;           // entries of U
  int *pivot_row;     // by column: 1 + row of U whose pivot it is
  int *uses;          // by column: rows announced and not taken yet
  double *rest;       // the row at hand, by column
  bool *is_in_rest;   // by column
  int *rest_columns;  // the columns of the row at hand
  int heap_count;
  int *heap;  // rows of U whose pivots the row at hand has, the first one on top
};

MbsStatus mbs_rank_create(MbsContext *context, MbsArena *arena, int columns, MbsRank **result) {
  MbsRank *rank;
  MBS_TAKE(context, arena, rank, 1);
  MBS_TAKE(context, arena, rank->start, columns + 1);
  MBS_TAKE(context, arena, rank->pivots, columns);
  MBS_TAKE(context, arena, rank->pivot_row, columns);
  MBS_TAKE(context, arena, rank->uses, columns);
  MBS_TAKE(context, arena, rank->rest, columns);
  MBS_TAKE(context, arena, rank->is_in_rest, columns);
  MBS_TAKE(context, arena, rank->rest_columns, columns);
  MBS_TAKE(context, arena, rank->heap, columns);
  rank->arena = arena;
  rank->threshold = 0.1;
  rank->many = 16 * columns;
  *result = rank;
  return MBS_OK;
}

void mbs_rank_measure(MbsRank *rank) { rank->threshold = 0.9; }

void mbs_rank_announce(MbsRank *rank, int count, const int *columns) {
  for (int k = 0; k < count; ++k) {
    rank->uses[columns[k]] += 1;
  }
}

bool mbs_rank_is_pivot(const MbsRank *rank, int column) { return rank->pivot_row[column] > 0; }

// ---- rows of U that are still to be taken off, the first one first ----
static void push(MbsRank *rank, int row) {
  int *heap = rank->heap, i = rank->heap_count++;
  for (; i > 0 && heap[(i - 1) / 2] > row; i = (i - 1) / 2) {
    heap[i] = heap[(i - 1) / 2];
  }
  heap[i] = row;
}

static int pop(MbsRank *rank) {
  int *heap = rank->heap, first = heap[0], last = heap[--rank->heap_count], i = 0;
  for (int child = 1; child < rank->heap_count; child = 2 * i + 1) {
    child += child + 1 < rank->heap_count && heap[child + 1] < heap[child];
    if (heap[child] >= last) {
      break;
    }
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return first;
}

// ---- the row at hand ----
// an entry, which may be a new one
static void add_to_rest(MbsRank *rank, int *count, int column, double value) {
  if (!rank->is_in_rest[column]) {
    rank->is_in_rest[column] = true;
    rank->rest[column] = 0;
    rank->rest_columns[(*count)++] = column;
    if (rank->pivot_row[column] > 0) {
      push(rank, rank->pivot_row[column] - 1);
    }
  }
  rank->rest[column] += value;
}

// rest -= what makes its entries in pivot columns vanish; reducing by one row of U may need later ones
static void reduce(MbsRank *rank, int *count) {
  while (rank->heap_count > 0) {
    int i = pop(rank);
    const Entry *pivot = &rank->pivots[i];
    double factor = rank->rest[pivot->column] / pivot->value;
    rank->rest[pivot->column] = 0;
    for (int k = rank->start[i]; k < rank->start[i + 1] && fabs(factor) > 0; ++k) {  // real
      add_to_rest(rank, count, rank->entries[k].column, -factor * rank->entries[k].value);
    }
  }
}

// of the columns whose entry is near the largest, one with the fewest uses; of those the largest
static int choose_pivot(const MbsRank *rank, int count, double largest) {
  // where fill-in has become large, sparsity is worth some digits; but none where distances are measured, by which the
  // start chooses what it holds
  bool is_measured = rank->threshold > 0.5;
  double threshold = is_measured || rank->count < rank->many ? rank->threshold : 1e-3;
  int best = -1;
  for (int k = 0; k < count; ++k) {
    int column = rank->rest_columns[k];
    double magnitude = fabs(rank->rest[column]);  // real
    if (magnitude >= threshold * largest &&
        (best < 0 || rank->uses[column] < rank->uses[best] ||
         (rank->uses[column] == rank->uses[best] && magnitude > fabs(rank->rest[best])))) {  // real
      best = column;
    }
  }
  return best;
}

// the row at hand becomes a row of U; what is rounding beside its length of one is left out
static MbsStatus keep(MbsContext *context, MbsRank *rank, int count, double largest) {
  const double rounding = 1e-15;
  int pivot = choose_pivot(rank, count, largest);
  for (int k = 0; k < count; ++k) {
    int column = rank->rest_columns[k];
    if (column != pivot && fabs(rank->rest[column]) > rounding) {  // real
      MBS_GROW(context, rank->arena, rank->entries, rank->count, rank->capacity);
      rank->entries[rank->count++] = (Entry){.column = column, .value = rank->rest[column]};
    }
  }
  rank->pivots[rank->rank] = (Entry){.column = pivot, .value = rank->rest[pivot]};
  rank->pivot_row[pivot] = ++rank->rank;
  rank->start[rank->rank] = rank->count;
  return MBS_OK;
}

// the row at hand, of unit length, reduced; returns the largest entry of what remains
static double reduce_row(MbsRank *rank, int count, const int *columns, const double *values, int *rest_count) {
  double square = 0, largest = 0;
  *rest_count = 0;
  for (int k = 0; k < count; ++k) {
    square += values[k] * values[k];
  }
  double length = sqrt(square);  // real
  for (int k = 0; k < count && length > 0; ++k) {
    if (fabs(values[k]) > 0) {  // real
      add_to_rest(rank, rest_count, columns[k], values[k] / length);
    }
  }
  reduce(rank, rest_count);
  for (int k = 0; k < *rest_count; ++k) {
    double magnitude = fabs(rank->rest[rank->rest_columns[k]]);  // real
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

static void forget_row(MbsRank *rank, int rest_count) {
  for (int k = 0; k < rest_count; ++k) {
    rank->is_in_rest[rank->rest_columns[k]] = false;
  }
}

double mbs_rank_distance(MbsRank *rank, int count, const int *columns, const double *values) {
  int rest_count;
  double largest = reduce_row(rank, count, columns, values, &rest_count);
  forget_row(rank, rest_count);
  return largest;
}

MbsStatus mbs_rank_take(MbsContext *context, MbsRank *rank, int count, const int *columns, const double *values,
                        double tolerance, bool *is_new) {
  int rest_count;
  for (int k = 0; k < count; ++k) {
    rank->uses[columns[k]] -= 1;
  }
  double largest = reduce_row(rank, count, columns, values, &rest_count);
  *is_new = isfinite(largest) && largest > tolerance;
  if (*is_new) {
    MBS_TRY(keep(context, rank, rest_count, largest));
  }
  forget_row(rank, rest_count);
  return MBS_OK;
}
