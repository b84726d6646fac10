// Random numbers by counting: Philox4x32-10, J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random
// numbers: as easy as 1, 2, 3 (SC11, 2011). A number is a function of a key and a counter, so that a sample has its
// numbers wherever and whenever it is drawn.
#ifndef MBS_PHILOX_H
#define MBS_PHILOX_H

#include <stdint.h>

typedef struct MbsPhilox {
  uint32_t word[4];
} MbsPhilox;

MbsPhilox mbs_philox(uint64_t key, MbsPhilox counter);

// What a number is for; the counter's last word, so that no two uses share numbers.
typedef enum MbsRandomUse {
  MBS_RANDOM_SAMPLE = 1,   // of a sample and a dimension
  MBS_RANDOM_PERMUTATION,  // of a place and a round, by dimension
  MBS_RANDOM_SHIFT,        // of a dimension
  MBS_RANDOM_RESAMPLE      // of the bootstrap
} MbsRandomUse;

// 52 random bits of a seed, an index, a dimension.
uint64_t mbs_random_bits(uint64_t seed, uint64_t index, uint32_t dimension, MbsRandomUse use);
// The middle of one of 2^52 equal parts of (0, 1): never 0 or 1, and 1 - u is another.
double mbs_unit_of_bits(uint64_t bits);
// (index, dimension) -> (0, 1)
double mbs_random_unit(uint64_t seed, uint64_t index, uint32_t dimension, MbsRandomUse use);

// Where `index` of 0 .. count - 1 goes in a random permutation of these, which is computed and not kept: a Feistel
// network over the next even power of two, walked until it is inside again.
uint64_t mbs_random_place(uint64_t seed, uint64_t index, uint64_t count, uint32_t dimension);

#endif
