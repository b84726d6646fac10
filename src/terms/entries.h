// Entries of an assembled matrix and where an element finds its own, by the same code in two passes: the first makes
// the pattern, the second finds positions in it.
#ifndef MBS_ENTRIES_H
#define MBS_ENTRIES_H

#include "algebra/pattern.h"

typedef struct MbsEntries {
  MbsContext *context;
  MbsArena *arena;
  MbsPatternBuilder *builder;  // NULL: positions are wanted,
  const MbsPattern *pattern;   // in this one
} MbsEntries;

// row or column -1: it is outside the matrix
static inline MbsStatus mbs_entry(const MbsEntries *entries, int row, int column, int *position) {
  if (entries->builder) {
    return mbs_pattern_add(entries->context, entries->builder, row, column);
  }
  *position = mbs_pattern_position(entries->pattern, row, column);
  return MBS_OK;
}

// A list for positions: the first pass makes it, the second one fills it.
static inline MbsStatus mbs_entries_take(const MbsEntries *entries, int count, const int **list, int **filled) {
  if (entries->builder) {
    MBS_TAKE(entries->context, entries->arena, *filled, count);
    *list = *filled;
  }
  *filled = (int *)*list;
  return MBS_OK;
}

#endif
