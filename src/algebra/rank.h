// Which rows of a small dense matrix are independent, and which coordinates complete them.
// Gram-Schmidt with reorthogonalisation on real parts: rows are taken in order, so of two equal rows
// the later one is called redundant.
#ifndef MBS_RANK_H
#define MBS_RANK_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct MbsRank {
  int columns;
  int rank;
  double *basis;  // rank x columns, orthonormal
} MbsRank;

// Room for at most `columns` independent rows.
MbsStatus mbs_rank_create(MbsContext *context, MbsArena *arena, int columns, MbsRank **rank);

// Is the row independent of those taken so far (relative to its length)? If so it is taken.
bool mbs_rank_take(MbsRank *rank, const double *row, double tolerance);

// The coordinate whose unit vector is farthest from the rows taken so far, or -1 when they span all.
int mbs_rank_free_coordinate(const MbsRank *rank, double tolerance);

#endif
