#include "algebra/pattern.h"

#include <stdbool.h>

struct MbsPatternBuilder {
  MbsArena *arena;
  int size;
  int count, capacity;
  struct Entry {
    int row, column;
  } * entries;
};

MbsStatus mbs_pattern_begin(MbsContext *context, MbsArena *arena, int size, MbsPatternBuilder **builder) {
  MbsPatternBuilder *made;
  MBS_TAKE(context, arena, made, 1);
  made->arena = arena;
  made->size = size;
  *builder = made;
  return MBS_OK;
}

MbsStatus mbs_pattern_add(MbsContext *context, MbsPatternBuilder *builder, int row, int column) {
  if (row >= 0 && column >= 0 && row < builder->size && column < builder->size) {
    MBS_GROW(context, builder->arena, builder->entries, builder->count, builder->capacity);
    builder->entries[builder->count++] = (struct Entry){.row = row, .column = column};
  }
  return MBS_OK;
}

// Bucket by column, then keep each row once: sorting by rows first and columns after leaves the rows of
// every column ascending.
MbsStatus mbs_pattern_finish(MbsContext *context, MbsPatternBuilder *builder, MbsPattern *pattern) {
  int n = builder->size;
  MbsBroken *broken;
  MBS_TAKE(context, builder->arena, broken, 1);
  int *start, *row_start, *by_row, *sorted, *row, *column_start;
  MBS_TAKE(context, builder->arena, start, n + 1);
  MBS_TAKE(context, builder->arena, row_start, n + 1);
  MBS_TAKE(context, builder->arena, by_row, builder->count);
  MBS_TAKE(context, builder->arena, sorted, builder->count);
  MBS_TAKE(context, builder->arena, row, builder->count);
  MBS_TAKE(context, builder->arena, column_start, n + 1);
  for (int e = 0; e < builder->count; ++e) {
    row_start[builder->entries[e].row + 1] += 1;
    start[builder->entries[e].column + 1] += 1;
  }
  for (int i = 0; i < n; ++i) {
    row_start[i + 1] += row_start[i];
    start[i + 1] += start[i];
  }
  for (int e = 0; e < builder->count; ++e) {
    by_row[row_start[builder->entries[e].row]++] = e;
  }
  int *next = row_start;  // no longer needed: reuse as the fill position of each column
  for (int i = 0; i <= n; ++i) {
    next[i] = start[i];
  }
  for (int k = 0; k < builder->count; ++k) {
    sorted[next[builder->entries[by_row[k]].column]++] = builder->entries[by_row[k]].row;
  }
  int count = 0;
  for (int j = 0; j < n; ++j) {
    column_start[j] = count;
    for (int k = start[j]; k < start[j + 1]; ++k) {
      if (k == start[j] || sorted[k] != sorted[k - 1]) {
        row[count++] = sorted[k];
      }
    }
  }
  column_start[n] = count;
  *pattern = (MbsPattern){.size = n, .entry_count = count, .column_start = column_start, .row = row, .broken = broken};
  return MBS_OK;
}

int mbs_pattern_find(const MbsPattern *pattern, int row, int column) {
  if (row < 0 || column < 0 || row >= pattern->size || column >= pattern->size) {
    return pattern->entry_count;
  }
  int low = pattern->column_start[column];
  int high = pattern->column_start[column + 1] - 1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    if (pattern->row[middle] == row) {
      return middle;
    }
    if (pattern->row[middle] < row) {
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return pattern->entry_count;
}

int mbs_pattern_position(const MbsPattern *pattern, int row, int column) {
  int position = mbs_pattern_find(pattern, row, column);
  bool is_outside = row < 0 || column < 0 || row >= pattern->size || column >= pattern->size;
  if (!is_outside && position == pattern->entry_count && pattern->broken) {
    mbs_broken_keep(pattern->broken, MBS_BROKEN("every entry was added before"));
  }
  return position;
}

MbsStatus mbs_pattern_status(MbsContext *context, const MbsPattern *pattern) {
  return pattern->broken && pattern->broken->condition ? mbs_fail_broken(context, *pattern->broken) : MBS_OK;
}
