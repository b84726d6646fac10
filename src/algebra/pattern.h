// The pattern of a sparse square matrix, collected entry by entry at set-up; values are then scattered
// by position. Compressed columns, rows ascending.
#ifndef MBS_PATTERN_H
#define MBS_PATTERN_H

#include "base/arena.h"

struct MbsTreeShape;

typedef struct MbsPattern {
  const struct MbsTreeShape
      *tree;  // NULL, or: the values are those of tree_solver.h, entry_count of them, and no others
  int size;
  int extra;                // of these unknowns: the last ones, which right-hand sides and solutions leave out
  const int *order;         // NULL, or: in which to eliminate the unknowns, and a solver need not look for one
  int entry_count;          // stored entries; position `entry_count` is a bin for what falls outside
  const int *column_start;  // size + 1
  const int *row;           // entry_count
  MbsBroken *broken;        // an entry that was asked for and never added; NULL: of a tree's
} MbsPattern;

typedef struct MbsPatternBuilder MbsPatternBuilder;

MbsStatus mbs_pattern_begin(MbsContext *context, MbsArena *arena, int size, MbsPatternBuilder **builder);
// An entry outside the matrix (a fixed coordinate) is ignored.
MbsStatus mbs_pattern_add(MbsContext *context, MbsPatternBuilder *builder, int row, int column);
MbsStatus mbs_pattern_finish(MbsContext *context, MbsPatternBuilder *builder, MbsPattern *pattern);

// Position of an entry in the values; the bin for one outside the matrix, or (find) of no element.
int mbs_pattern_find(const MbsPattern *pattern, int row, int column);
int mbs_pattern_position(const MbsPattern *pattern, int row, int column);
// Was every entry that was asked for (position) added before? To be asked when the maps of a matrix are made.
MbsStatus mbs_pattern_status(MbsContext *context, const MbsPattern *pattern);

#endif
