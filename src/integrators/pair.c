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
