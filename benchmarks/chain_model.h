// The chains that benchmarks/chains.c and tests/test_growth.c are about, as text of model files.
#ifndef CHAIN_MODEL_H
#define CHAIN_MODEL_H

#include <stdio.h>

#define CHAIN_PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)

// N links in space from the ground, straight along x at rest, hinges about three axes in turn. Needs 2,000 and 300 for
// each link; returns how long the text is.
static inline size_t chain_write_open(int count, char *text, size_t size) {
  static const char *const axes[] = {"0, 1, 0", "0, 0, 1", "0.6, 0.8, 0"};
  size_t used = 0;
  CHAIN_PUT("mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\nbodies:\n");
  for (int i = 0; i < count; ++i) {
    CHAIN_PUT("  b%d: {mass: 1, com: [0.15, 0.01, 0.02], inertia: [0.005, 0.02, 0.022], ", i);
    CHAIN_PUT("points: {A: [0, 0, 0], B: [0.3, 0, 0]}}\n");
  }
  CHAIN_PUT("joints:\n  - {revolute: [ground.O, b0.A], axis: [0, 1, 0]}\n");
  for (int i = 1; i < count; ++i) {
    CHAIN_PUT("  - {revolute: [b%d.B, b%d.A], axis: [%s]}\n", i - 1, i, axes[i % 3]);
  }
  CHAIN_PUT("objectives: {x: {final: r(b%d.B).x}, y: {final: r(b%d.B).y}, z: {final: r(b%d.B).z}}\n", count - 1,
            count - 1, count - 1);
  CHAIN_PUT("simulation: {end: 1, step: 0.001}\n");
  return used;
}

// N four-bar loops in the plane, of models/n_four_bar.yaml, from the root of the sources.
static inline size_t chain_write_loops(int count, char *text, size_t size) {
  size_t used = 0;
  CHAIN_PUT("mbsens: 1\ninclude: models/n_four_bar.yaml\nname: loops\nconstants: {N: %d}\n", count);
  return used;
}

#undef CHAIN_PUT

#endif
