#include "algebra/tree_solver.h"

#include <math.h>

#define KERNEL static inline __attribute__((always_inline))

struct MbsTreeSolver {
  const MbsTreeShape *shape;
  int levels;             // twists of D at hand
  mbs_scalar *b, *C;      // by unknown: twist, 3 twists
  mbs_scalar *h, *c, *d;  // by unknown: 3 twists, twist, 1
  mbs_scalar *w;          // by node: twist
  mbs_scalar *D;          // by node: 3 twists
  double quality;
};

MbsStatus mbs_tree_solver_create(MbsContext *context, MbsArena *arena, const MbsTreeShape *shape,
                                 MbsTreeSolver **result) {
  MbsTreeSolver *solver;
  size_t twist = (size_t)shape->twist, nodes = (size_t)shape->node_count, unknowns = (size_t)shape->unknown_count;
  MBS_TAKE(context, arena, solver, 1);
  solver->shape = shape;
  MBS_TAKE(context, arena, solver->b, twist * unknowns);
  MBS_TAKE(context, arena, solver->C, 3 * twist * unknowns);
  MBS_TAKE(context, arena, solver->h, 3 * twist * unknowns);
  MBS_TAKE(context, arena, solver->c, twist * unknowns);
  MBS_TAKE(context, arena, solver->d, unknowns);
  MBS_TAKE(context, arena, solver->w, twist * nodes);
  MBS_TAKE(context, arena, solver->D, 3 * twist * nodes);
  *result = solver;
  return MBS_OK;
}

// ---- factoring ----
// size: of D. h = K' b + g, c = K C; returns d = b.c
KERNEL mbs_scalar eliminate(const mbs_scalar *K, const mbs_scalar *numbers, int twist, int size, mbs_scalar *h,
                            mbs_scalar *c) {
  const mbs_scalar *b = numbers, *C = numbers + twist, *g = numbers + 4 * twist;
  mbs_scalar d = 0;
  for (int k = 0; k < size; ++k) {
    h[k] = k < twist ? g[k] : 0;
  }
  for (int i = 0; i < twist; ++i) {
    const mbs_scalar *row = K + 3 * twist * i;
    mbs_scalar sum = 0;
    for (int k = 0; k < size; ++k) {
      sum += row[k] * C[k];
      h[k] += row[k] * b[i];
    }
    c[i] = sum;
    d += b[i] * sum;
  }
  return d;
}

KERNEL bool factor(MbsTreeSolver *solver, mbs_scalar *values, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  double least = HUGE_VAL, most = 0;
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar *K = mbs_tree_shape_K(shape, values, i), *to = p < 0 ? NULL : mbs_tree_shape_K(shape, values, p);
    if (j >= 0) {
      const mbs_scalar *numbers = mbs_tree_shape_b(shape, values, j);
      mbs_scalar *h = solver->h + 3 * twist * j, *c = solver->c + twist * j;
      mbs_scalar d = eliminate(K, numbers, twist, size, h, c);
      double magnitude = mbs_re(mbs_abs(d));
      least = magnitude < least ? magnitude : least;
      most = magnitude > most ? magnitude : most;
      if (!(magnitude > 0) || !mbs_is_finite(d)) {
        return false;
      }
      solver->d[j] = 1 / d;
      for (int k = 0; k < twist; ++k) {
        solver->b[twist * j + k] = numbers[k];
      }
      for (int k = 0; k < size; ++k) {
        solver->C[3 * twist * j + k] = numbers[twist + k];
      }
      for (int r = 0; r < twist && to; ++r) {
        mbs_scalar share = c[r] * solver->d[j];
        for (int k = 0; k < size; ++k) {
          to[3 * twist * r + k] += K[3 * twist * r + k] - share * h[k];
        }
      }
    } else if (to) {
      for (int r = 0; r < twist; ++r) {
        for (int k = 0; k < size; ++k) {
          to[3 * twist * r + k] += K[3 * twist * r + k];
        }
      }
    }
  }
  solver->quality = most > 0 ? least / most : 1;
  return solver->quality > 1e-16;
}

bool mbs_tree_solver_factor(MbsTreeSolver *solver, mbs_scalar *values) {
  bool is_full = mbs_re(values[0]) > 1;
  solver->levels = is_full ? 3 : 1;
  if (solver->shape->twist == 3) {
    return is_full ? factor(solver, values, 3, 9) : factor(solver, values, 3, 3);
  }
  return is_full ? factor(solver, values, 6, 18) : factor(solver, values, 6, 6);
}

// ---- solving ----
KERNEL mbs_scalar dot(const mbs_scalar *a, const mbs_scalar *b, int size) {
  mbs_scalar sum = 0;
  for (int k = 0; k < size; ++k) {
    sum += a[k] * b[k];
  }
  return sum;
}

// b: r, then s
KERNEL void solve(MbsTreeSolver *solver, mbs_scalar *b, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  mbs_scalar *w = solver->w, *D = solver->D;
  for (int i = 0; i < shape->node_count * twist; ++i) {
    w[i] = 0;
  }
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    if (j >= 0) {
      b[j] = (b[j] - dot(solver->b + twist * j, w + twist * i, twist)) * solver->d[j];
    }
    for (int k = 0; k < twist && p >= 0; ++k) {
      w[twist * p + k] += w[twist * i + k] + (j >= 0 ? solver->c[twist * j + k] * b[j] : 0);
    }
  }
  for (int i = 0; i < shape->node_count; ++i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar *own = D + 3 * twist * i;
    const mbs_scalar *from = D + 3 * twist * p;
    for (int k = 0; k < size; ++k) {
      own[k] = p < 0 ? 0 : from[k];
    }
    if (j >= 0) {
      b[j] -= p < 0 ? 0 : dot(solver->h + 3 * twist * j, from, size) * solver->d[j];
      for (int k = 0; k < size; ++k) {
        own[k] += solver->C[3 * twist * j + k] * b[j];
      }
    }
  }
}

// the two passes of solve, transposed, in reverse order
KERNEL void solve_transposed(MbsTreeSolver *solver, mbs_scalar *b, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  mbs_scalar *w = solver->w, *D = solver->D;
  for (int i = 0; i < shape->node_count * 3 * twist; ++i) {
    D[i] = 0;
  }
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar share = 0;
    if (j >= 0) {
      b[j] += dot(solver->C + 3 * twist * j, D + 3 * twist * i, size);
      share = b[j] * solver->d[j];
    }
    for (int k = 0; k < size && p >= 0; ++k) {
      D[3 * twist * p + k] += D[3 * twist * i + k] - (j >= 0 ? solver->h[3 * twist * j + k] * share : 0);
    }
  }
  for (int i = 0; i < shape->node_count; ++i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar *own = w + twist * i;
    const mbs_scalar *from = w + twist * p;
    for (int k = 0; k < twist; ++k) {
      own[k] = p < 0 ? 0 : from[k];
    }
    if (j >= 0) {
      b[j] = (b[j] + (p < 0 ? 0 : dot(solver->c + twist * j, from, twist))) * solver->d[j];
      for (int k = 0; k < twist; ++k) {
        own[k] -= solver->b[twist * j + k] * b[j];
      }
    }
  }
}

KERNEL void solve_all(MbsTreeSolver *solver, int count, mbs_scalar *b, bool is_transposed, int twist, int size) {
  for (int k = 0; k < count; ++k) {
    mbs_scalar *one = b + (size_t)k * (size_t)solver->shape->unknown_count;
    if (is_transposed) {
      solve_transposed(solver, one, twist, size);
    } else {
      solve(solver, one, twist, size);
    }
  }
}

static void dispatch(MbsTreeSolver *solver, int count, mbs_scalar *b, bool is_transposed) {
  bool is_full = solver->levels == 3;
  if (solver->shape->twist == 3) {
    solve_all(solver, count, b, is_transposed, 3, is_full ? 9 : 3);
  } else if (is_full) {
    solve_all(solver, count, b, is_transposed, 6, 18);
  } else {
    solve_all(solver, count, b, is_transposed, 6, 6);
  }
}

void mbs_tree_solver_solve(MbsTreeSolver *solver, int count, mbs_scalar *b) { dispatch(solver, count, b, false); }

void mbs_tree_solver_solve_transposed(MbsTreeSolver *solver, int count, mbs_scalar *b) {
  dispatch(solver, count, b, true);
}

double mbs_tree_solver_quality(const MbsTreeSolver *solver) { return solver->quality; }
