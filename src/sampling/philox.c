#include "sampling/philox.h"

enum { ROUNDS = 10, FEISTEL_ROUNDS = 6, DIGITS = 52 };

// (high, low) of a product
static uint32_t multiply(uint32_t a, uint32_t b, uint32_t *low) {
  uint64_t product = (uint64_t)a * b;
  *low = (uint32_t)product;
  return (uint32_t)(product >> 32);
}

MbsPhilox mbs_philox(uint64_t key, MbsPhilox counter) {
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < ROUNDS; ++round) {
    uint32_t low0, low1;
    uint32_t high0 = multiply(0xD2511F53u, counter.word[0], &low0);
    uint32_t high1 = multiply(0xCD9E8D57u, counter.word[2], &low1);
    counter = (MbsPhilox){{high1 ^ counter.word[1] ^ k0, low1, high0 ^ counter.word[3] ^ k1, low0}};
    k0 += 0x9E3779B9u;  // the golden ratio, and sqrt(3) - 1
    k1 += 0xBB67AE85u;
  }
  return counter;
}

static MbsPhilox draw(uint64_t seed, uint64_t index, uint32_t dimension, MbsRandomUse use) {
  return mbs_philox(seed, (MbsPhilox){{(uint32_t)index, (uint32_t)(index >> 32), dimension, (uint32_t)use}});
}

uint64_t mbs_random_bits(uint64_t seed, uint64_t index, uint32_t dimension, MbsRandomUse use) {
  MbsPhilox drawn = draw(seed, index, dimension, use);
  return (((uint64_t)drawn.word[0] << 32) | drawn.word[1]) >> (64 - DIGITS);
}

// 2^-53 (2 bits + 1), exact
double mbs_unit_of_bits(uint64_t bits) { return ((double)bits + 0.5) * 0x1p-52; }

double mbs_random_unit(uint64_t seed, uint64_t index, uint32_t dimension, MbsRandomUse use) {
  return mbs_unit_of_bits(mbs_random_bits(seed, index, dimension, use));
}

uint64_t mbs_random_place(uint64_t seed, uint64_t index, uint64_t count, uint32_t dimension) {
  int half = 1;
  while (half < 31 && ((uint64_t)1 << (2 * half)) < count) {
    ++half;
  }
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint32_t round = 0; round < FEISTEL_ROUNDS; ++round) {
      uint64_t mixed = draw(seed, right | ((uint64_t)round << 32), dimension, MBS_RANDOM_PERMUTATION).word[0] & mask;
      uint64_t next = left ^ mixed;
      left = right;
      right = next;
    }
    index = (left << half) | right;
  } while (index >= count);
  return index;
}
