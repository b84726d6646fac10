// Others' engines on mechanisms of N bodies and more: open chains in space, chains of four-bar loops in the plane. The
// same numbers as in benchmarks/chains.c, which derives them.
#ifndef CHAINS_H
#define CHAINS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ChainKind { CHAIN_OPEN, CHAIN_LOOPS } ChainKind;

typedef struct ChainRun {
  double seconds;      // of the processor, for all steps
  long steps;          // that were taken
  double position[3];  // at the end: of the last point of an open chain, of B_0 of a chain of loops
  double gap;          // of loops: the largest distance at the end between points that should be one
} ChainRun;

// From the start to `end`. false: it failed, and has said so.
// Classical Runge-Kutta steps of size h, soft constraints as hard as they may be. mujoco_chains.c
bool chain_mujoco(ChainKind kind, int count, double h, double end, ChainRun *run);
const char *chain_mujoco_version(void);
// Runge-Kutta-Merson with an error control of this accuracy; exact constraints, projected. simbody_chains.cpp
bool chain_simbody(ChainKind kind, int count, double accuracy, double end, ChainRun *run);
const char *chain_simbody_version(void);

#ifdef __cplusplus
}
#endif

#endif
