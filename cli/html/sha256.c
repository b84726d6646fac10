#include "sha256.h"

#include <stdint.h>
#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void add_block(uint32_t H[8], const unsigned char *block) {
  uint32_t W[64], s[8];
  for (int t = 0; t < 16; ++t) {
    W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
           (uint32_t)block[4 * t + 3];
  }
  for (int t = 16; t < 64; ++t) {
    uint32_t a = W[t - 15], b = W[t - 2];
    W[t] = W[t - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + W[t - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
  }
  memcpy(s, H, sizeof s);
  for (int t = 0; t < 64; ++t) {
    uint32_t a = s[0], e = s[4];
    uint32_t first = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + K[t] + W[t];
    uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; ++i) {
    H[i] += s[i];
  }
}

void cli_sha256(const unsigned char *bytes, size_t count, char text[CLI_SHA256_TEXT]) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint32_t H[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char last[128] = {0}, hash[CLI_SHA256_BYTES + 1] = {0};
  size_t whole = count / 64 * 64, rest = count - whole, room = rest < 56 ? 64 : 128;
  for (size_t i = 0; i < whole; i += 64) {
    add_block(H, bytes + i);
  }
  memcpy(last, bytes + whole, rest);
  last[rest] = 0x80;
  for (int i = 0; i < 8; ++i) {
    last[room - 1 - (size_t)i] = (unsigned char)((uint64_t)count * 8 >> 8 * i);
  }
  for (size_t i = 0; i < room; i += 64) {
    add_block(H, last + i);
  }
  for (int i = 0; i < CLI_SHA256_BYTES; ++i) {
    hash[i] = (unsigned char)(H[i / 4] >> (24 - 8 * (i % 4)));
  }
  for (int i = 0; i < 11; ++i) {  // 33 bytes, the last of which is none
    uint32_t word = (uint32_t)hash[3 * i] << 16 | (uint32_t)hash[3 * i + 1] << 8 | hash[3 * i + 2];
    for (int k = 0; k < 4; ++k) {
      text[4 * i + k] = digits[word >> (18 - 6 * k) & 63];
    }
  }
  text[CLI_SHA256_TEXT - 2] = '=';
  text[CLI_SHA256_TEXT - 1] = '\0';
}
