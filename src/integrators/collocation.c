// Radau IIA: collocation at the zeros of the Radau polynomial and the end of the step, of order 2 s - 1, L-stable
// (E. Hairer and G. Wanner, "Solving Ordinary Differential Equations II", section IV.5, tables 5.5 and 5.6). gamma is
// the real eigenvalue of a, as in their RADAU5; with two stages, which have none, the modulus of the others.
#include "integrators/collocation.h"

#include <stddef.h>
#include <string.h>

#define ROOT 2.449489742783178098  // of 6

const MbsCollocation mbs_radau_3 = {
    .name = "radau-3",
    .order = 3,
    .stage_count = 2,
    .c = {1.0 / 3, 1},
    .a = {{5.0 / 12, -1.0 / 12}, {3.0 / 4, 1.0 / 4}},
    .gamma = 1 / ROOT,
};

const MbsCollocation mbs_radau_5 = {
    .name = "radau-5",
    .order = 5,
    .stage_count = 3,
    .c = {(4 - ROOT) / 10, (4 + ROOT) / 10, 1},
    .a = {{(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225},
          {(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225},
          {(16 - ROOT) / 36, (16 + ROOT) / 36, 1.0 / 9}},
    .gamma = 0.27488882959567736,
};

const MbsCollocation *mbs_collocation_find(const char *name) {
  const MbsCollocation *const all[] = {&mbs_radau_3, &mbs_radau_5};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (strcmp(all[i]->name, name) == 0) {
      return all[i];
    }
  }
  return NULL;
}
