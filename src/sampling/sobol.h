// Sobol's sequence: points that fill a cube evenly. I. M. Sobol (1967); direction numbers of S. Joe, F. Y. Kuo,
// Constructing Sobol sequences with better two-dimensional projections (SIAM J. Sci. Comput. 30, 2008), table
// new-joe-kuo-6.21201, its first dimensions. In the order of I. A. Antonov and V. M. Saleev (1979): the next point
// differs in one direction number.
#ifndef MBS_SOBOL_H
#define MBS_SOBOL_H

#include <stdint.h>

enum { MBS_SOBOL_DIMENSIONS = 128, MBS_SOBOL_DIGITS = 52 };

// The direction numbers of a dimension, from 0: binary digits behind the point, the first of weight 2^51.
void mbs_sobol_directions(int dimension, uint64_t directions[MBS_SOBOL_DIGITS]);
// The digits of point `index` in that dimension.
uint64_t mbs_sobol_point(const uint64_t directions[MBS_SOBOL_DIGITS], uint64_t index);

#endif
