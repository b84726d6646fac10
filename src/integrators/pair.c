#include "integrators/pair.h"

#include <stddef.h>
#include <string.h>

const MbsPair *mbs_pair_find(const char *name) {
  const MbsPair *const all[] = {&mbs_dormand_prince_5, &mbs_dormand_prince_8};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (strcmp(all[i]->name, name) == 0) {
      return all[i];
    }
  }
  return NULL;
}

void mbs_pair_weights(const MbsPair *pair, double theta, double weights[MBS_MOST_BETWEEN]) {
  enum { OF_ENDS = 3 };
  int end = pair->stage_count;
  for (int i = 0; i <= end + pair->further_count; ++i) {
    double b = i < end ? pair->b[i] : 0, first = i == 0, last = i == end;
    const double of_ends[OF_ENDS] = {b, first - b, 2 * b - last - first};
    double w = 0;
    for (int k = OF_ENDS + pair->dense_count - 1; k >= 0; --k) {
      w = (w + (k < OF_ENDS ? of_ends[k] : pair->dense[k - OF_ENDS][i])) * (k % 2 == 0 ? theta : 1 - theta);
    }
    weights[i] = w;
  }
}
