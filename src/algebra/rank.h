// Which rows of a sparse matrix are independent of the rows before them.
//
// Elimination row by row: a row, scaled to unit length, is reduced by the rows taken before, and is independent if more
// than the tolerance remains of it. The pivot is a column where that rest is large; of those the one that the fewest
// rows to come use, so that chains and trees fill in little; from 16 entries per column on a thousandth of the largest
// counts as large, which keeps the rows of chains of thousands of bodies short. Rows are taken in the caller's order:
// of two equal ones the later is called redundant.
#ifndef MBS_RANK_H
#define MBS_RANK_H

#include <stdbool.h>

#include "algebra/sparse_rows.h"
#include "base/arena.h"

typedef struct MbsRank MbsRank;

// For rows of that many columns. `arena` must live as long.
MbsStatus mbs_rank_create(MbsContext *context, MbsArena *arena, int columns, MbsRank **rank);

// From now on pivots are nearly the largest entries, at the price of more fill-in: then what remains of a row says how
// far it is from the rows before, and not only whether it depends on them.
void mbs_rank_measure(MbsRank *rank);

// Says that a row of this pattern will be taken; it need not be said, but keeps elimination sparse.
void mbs_rank_announce(MbsRank *rank, int count, const int *columns);

// Is the row independent of those taken so far (relative to its length)? If so it is taken.
MbsStatus mbs_rank_take(MbsContext *context, MbsRank *rank, int count, const int *columns, const double *values,
                        double tolerance, bool *is_new);

// What would remain of such a row, largest entry; it is not taken.
double mbs_rank_distance(MbsRank *rank, int count, const int *columns, const double *values);

// Is the column a pivot of the rows taken so far? The others, as unit vectors, complete those rows.
bool mbs_rank_is_pivot(const MbsRank *rank, int column);

#endif
