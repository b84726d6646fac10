// Eigenvalues of x' = A x with their shapes, and how they move with a parameter. Plain doubles.
#ifndef MBS_MODES_H
#define MBS_MODES_H

#include <complex.h>
#include <mbsens/linearize.h>

#include "base/arena.h"

typedef struct MbsModes {
  int size;
  const double *A;
  double _Complex *value, *left, *right;  // eigenvalues.h
  int *group;                             // of each: the first one that it is equal to
  int *repeated;                          // how many are
  bool *is_defective;
  int *normal;  // the entry of each shape that is 1
} MbsModes;

// position_count: the entries among which a shape's largest is 1, if any of them moves.
MbsStatus mbs_modes_create(MbsContext *context, MbsArena *arena, int size, int position_count, const double *A,
                           MbsModes *modes);
// What dA does to all eigenvalues (2 x size: real part, imaginary part; NaN of defective ones) and to shapes (size x
// size x 2; NaN of repeated and of defective ones).
MbsStatus mbs_modes_differentiate(MbsContext *context, MbsArena *scratch, const MbsModes *modes, const double *dA,
                                  double *values, double *shapes);

#endif
