// Plans: which numbers the samples of a sweep have. A sample is a function of the plan and its index, computed when it
// is asked for, so that samples may be taken in any order, by anybody, and none need be kept.
//
//   grid             every combination of the values of all distributions, the last one varying fastest
//   list             rows that are given
//   random           Monte Carlo: each number by itself
//   latin hypercube  of N samples each number has one in every N-th of its probability (M. D. McKay, R. J. Beckman,
//                    W. J. Conover, 1979), at random there
//   sobol            Sobol's sequence with a random digital shift
//   saltelli         for Sobol's indices, A. Saltelli et al. (Comput. Phys. Commun. 181, 2010): for each of N points
//                    (a, b) of a Sobol sequence of twice the dimension the samples a, b, and for each j a with the
//                    j-th number of b: N (d + 2) samples
//
// u in (0, 1) becomes a number by the quantile of its distribution.
#ifndef MBS_PLAN_H
#define MBS_PLAN_H

#include <stdint.h>

#include "model/distribution.h"

typedef enum MbsPlanKind {
  MBS_PLAN_GRID,
  MBS_PLAN_LIST,
  MBS_PLAN_RANDOM,
  MBS_PLAN_LATIN_HYPERCUBE,
  MBS_PLAN_SOBOL,
  MBS_PLAN_SALTELLI
} MbsPlanKind;
enum { MBS_PLAN_KINDS = MBS_PLAN_SALTELLI + 1 };
extern const char *const mbs_plan_names[MBS_PLAN_KINDS];

typedef struct MbsPlan {
  MbsPlanKind kind;
  int dimension;                         // numbers of a sample
  const MbsDistribution *distributions;  // of each; not of a list
  const double *list;                    // rows of a list
  uint64_t points;                       // N; rows of a list; not of a grid
  uint64_t seed;
  uint64_t count;        // samples: found by mbs_plan_finish
  uint64_t *directions;  // of Sobol's sequence, by dimension
} MbsPlan;

// Checks what is filled in and finds the rest, in the arena.
MbsStatus mbs_plan_finish(MbsContext *context, MbsArena *arena, MbsPlan *plan);
void mbs_plan_sample(const MbsPlan *plan, uint64_t index, double *numbers);
// Do its numbers come from distributions, so that means and deviations have a meaning?
bool mbs_plan_is_random(const MbsPlan *plan);

#endif
