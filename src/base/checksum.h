// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo): tells whether bytes are the ones that were written, against
// accidents, not against malice.
#ifndef MBS_CHECKSUM_H
#define MBS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MBS_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t mbs_checksum(uint64_t sum, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; ++i) {
    sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
  }
  return sum;
}

// a text with its end, so that "ab", "c" and "a", "bc" differ
static inline uint64_t mbs_checksum_text(uint64_t sum, const char *text) {
  return mbs_checksum(sum, text ? text : "", text ? strlen(text) + 1 : 1);
}

#endif
