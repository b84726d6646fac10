#include "algebra/tree_solver.h"

#include <math.h>

#define KERNEL static inline __attribute__((always_inline))

enum { MOST_OF_D = 18 };

struct MbsTreeSolver {
  const MbsTreeShape *shape;
  int levels;             // twists of D at hand
  mbs_scalar *b, *C;      // by unknown: twist, and as D
  mbs_scalar *h, *c, *d;  // by unknown: as D, twist, 1 / d
  mbs_scalar *l, *m;      // by unknown: as D, twist; of couples
  mbs_scalar *w, *x;      // by node: twist
  mbs_scalar *D;          // by node: as many twists as there are levels
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
  MBS_TAKE(context, arena, solver->l, 3 * twist * unknowns);
  MBS_TAKE(context, arena, solver->m, twist * unknowns);
  MBS_TAKE(context, arena, solver->w, twist * nodes);
  MBS_TAKE(context, arena, solver->x, twist * nodes);
  MBS_TAKE(context, arena, solver->D, 3 * twist * nodes);
  *result = solver;
  return MBS_OK;
}

// ---- factoring ----
// size: of D, and of rows of K. In two sums, for processors that add two at a time.
KERNEL mbs_scalar dot(const mbs_scalar *a, const mbs_scalar *b, int size) {
  mbs_scalar even = a[0] * b[0], odd = a[1] * b[1];
  for (int k = 2; k < size - 1; k += 2) {
    even += a[k] * b[k];
    odd += a[k + 1] * b[k + 1];
  }
  return size % 2 == 0 ? even + odd : even + odd + a[size - 1] * b[size - 1];
}

// y = K' b
KERNEL void transposed_times(const mbs_scalar *K, const mbs_scalar *b, int twist, int size, mbs_scalar *restrict y) {
  mbs_scalar sum[MOST_OF_D];
  for (int k = 0; k < size; ++k) {
    sum[k] = K[k] * b[0];
  }
  for (int i = 1; i < twist; ++i) {
    for (int k = 0; k < size; ++k) {
      sum[k] += K[size * i + k] * b[i];
    }
  }
  for (int k = 0; k < size; ++k) {
    y[k] = sum[k];
  }
}

// h = K' b + g, c = K C of unknown j, whose b and C are kept; returns d = b.c
KERNEL mbs_scalar eliminate(MbsTreeSolver *solver, const mbs_scalar *K, const mbs_scalar *numbers, int j, int twist,
                            int size) {
  mbs_scalar *b = solver->b + twist * j, *c = solver->c + twist * j;
  for (int k = 0; k < twist; ++k) {
    b[k] = numbers[k];
  }
  if (size == twist) {
    transposed_times(K, b, twist, size, c);
    return dot(b, c, twist);
  }
  mbs_scalar *C = solver->C + size * j, *h = solver->h + size * j;
  for (int k = 0; k < size; ++k) {
    C[k] = numbers[twist + k];
  }
  for (int i = 0; i < twist; ++i) {
    c[i] = dot(K + size * i, C, size);
  }
  transposed_times(K, b, twist, size, h);
  for (int k = 0; k < twist; ++k) {
    h[k] += numbers[4 * twist + k];
  }
  return dot(b, c, twist);
}

// to += from, less a b' scale
KERNEL void take_along(const mbs_scalar *from, const mbs_scalar *a, const mbs_scalar *b, mbs_scalar scale, int twist,
                       int size, mbs_scalar *restrict to) {
  for (int r = 0; r < twist; ++r) {
    mbs_scalar share = a[r] * scale;
    for (int k = 0; k < size; ++k) {
      to[size * r + k] += from[size * r + k] - share * b[k];
    }
  }
}

// C and h of the unknowns, which one twist has as b and c
KERNEL const mbs_scalar *all_C(const MbsTreeSolver *solver, int twist, int size) {
  return size == twist ? solver->b : solver->C;
}

KERNEL const mbs_scalar *all_h(const MbsTreeSolver *solver, int twist, int size) {
  return size == twist ? solver->c : solver->h;
}

// L, M, N of node i to the node before it
KERNEL void factor_couple(MbsTreeSolver *solver, mbs_scalar *values, int i, int twist, int size) {
  static const mbs_scalar nothing[MOST_OF_D] = {0};
  const MbsTreeShape *shape = solver->shape;
  int j = shape->unknown[i], p = shape->parent[i];
  const mbs_scalar *L = mbs_tree_shape_couple(shape, values, i, 0), *M = mbs_tree_shape_couple(shape, values, i, 1);
  const mbs_scalar *N = mbs_tree_shape_couple(shape, values, i, 2);
  const mbs_scalar *c = nothing, *h = nothing, *l = nothing, *m = nothing;
  if (j >= 0) {
    const mbs_scalar *b = mbs_tree_shape_b(shape, values, j), *C = b + twist;
    mbs_scalar *own_l = solver->l + size * j, *own_m = solver->m + twist * j;
    transposed_times(L, b, twist, size, own_l);
    for (int r = 0; r < twist; ++r) {
      own_m[r] = dot(M + size * r, C, size);
    }
    c = solver->c + twist * j;
    h = solver->h + size * j;
    l = own_l;
    m = own_m;
  }
  bool is_there = p == shape->partner[i];
  mbs_scalar *K_p = mbs_tree_shape_K(shape, values, p), scale = j >= 0 ? solver->d[j] : 0;
  take_along(L, c, l, scale, twist, size, is_there ? K_p : mbs_tree_shape_couple(shape, values, p, 0));
  take_along(M, m, h, scale, twist, size, is_there ? K_p : mbs_tree_shape_couple(shape, values, p, 1));
  take_along(N, m, l, scale, twist, size, is_there ? K_p : mbs_tree_shape_couple(shape, values, p, 2));
}

KERNEL bool has_couple(const MbsTreeShape *shape, int i, int twist, int size) {
  return size > twist && shape->partner && shape->partner[i] >= 0;
}

KERNEL bool factor(MbsTreeSolver *solver, mbs_scalar *values, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  mbs_scalar *all_b = mbs_tree_shape_b(shape, values, 0), *all_K = mbs_tree_shape_K(shape, values, 0);
  double least = HUGE_VAL, most = 0;
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar *K = all_K + twist * size * i, *to = p < 0 ? NULL : all_K + twist * size * p;
    if (j >= 0) {
      mbs_scalar d = eliminate(solver, K, all_b + (size == twist ? 1 : 5) * twist * j, j, twist, size);
      double magnitude = mbs_re(mbs_abs(d));
      least = magnitude < least ? magnitude : least;
      most = magnitude > most ? magnitude : most;
      if (!(magnitude > 0) || !mbs_is_finite(d)) {
        return false;
      }
      solver->d[j] = 1 / d;
      if (to) {
        take_along(K, solver->c + twist * j, all_h(solver, twist, size) + size * j, solver->d[j], twist, size, to);
      }
    }
    for (int k = 0; k < twist * size && j < 0 && to; ++k) {
      to[k] += K[k];
    }
    if (has_couple(shape, i, twist, size)) {
      factor_couple(solver, values, i, twist, size);
    }
  }
  solver->quality = most > 0 ? least / most : 1;
  return solver->quality > 1e-16;
}

bool mbs_tree_solver_factor(MbsTreeSolver *solver, mbs_scalar *values) {
  solver->levels = mbs_tree_shape_levels(values);
  bool is_full = solver->levels == 3;
  if (solver->shape->twist == 3) {
    return is_full ? factor(solver, values, 3, 9) : factor(solver, values, 3, 3);
  }
  return is_full ? factor(solver, values, 6, 18) : factor(solver, values, 6, 6);
}

// ---- solving ----
// b: r, then s
KERNEL void solve(MbsTreeSolver *solver, mbs_scalar *restrict b, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  const mbs_scalar *C = all_C(solver, twist, size), *h = all_h(solver, twist, size);
  mbs_scalar *restrict w = solver->w, *restrict x = solver->x, *restrict D = solver->D;
  for (int i = 0; i < shape->node_count * twist; ++i) {
    w[i] = 0;
  }
  for (int i = 0; i < shape->node_count * twist && size > twist && shape->partner; ++i) {
    x[i] = 0;
  }
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar s = 0;
    if (j >= 0) {
      s = b[j] = (b[j] - dot(solver->b + twist * j, w + twist * i, twist)) * solver->d[j];
    }
    for (int k = 0; k < twist && p >= 0; ++k) {
      w[twist * p + k] += w[twist * i + k] + (j >= 0 ? solver->c[twist * j + k] * s : 0);
    }
    if (has_couple(shape, i, twist, size)) {
      mbs_scalar *to = (p == shape->partner[i] ? w : x) + twist * p;
      for (int k = 0; k < twist; ++k) {
        to[k] += x[twist * i + k] + (j >= 0 ? solver->m[twist * j + k] * s : 0);
      }
    }
  }
  for (int i = 0; i < shape->node_count; ++i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar s = 0;
    if (j >= 0) {
      s = b[j] - (p < 0 ? 0 : dot(h + size * j, D + size * p, size) * solver->d[j]);
      if (has_couple(shape, i, twist, size)) {
        s -= dot(solver->l + size * j, D + size * shape->partner[i], size) * solver->d[j];
      }
      b[j] = s;
    }
    for (int k = 0; k < size; ++k) {
      D[size * i + k] = (p < 0 ? 0 : D[size * p + k]) + (j >= 0 ? C[size * j + k] * s : 0);
    }
  }
}

// the two passes of solve, transposed, in reverse order
KERNEL void solve_transposed(MbsTreeSolver *solver, mbs_scalar *restrict b, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  const mbs_scalar *C = all_C(solver, twist, size), *h = all_h(solver, twist, size);
  mbs_scalar *restrict w = solver->w, *restrict D = solver->D;
  for (int i = 0; i < shape->node_count * size; ++i) {
    D[i] = 0;
  }
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar share = 0;
    if (j >= 0) {
      b[j] += dot(C + size * j, D + size * i, size);
      share = b[j] * solver->d[j];
    }
    for (int k = 0; k < size && p >= 0; ++k) {
      D[size * p + k] += D[size * i + k] - (j >= 0 ? h[size * j + k] * share : 0);
    }
    for (int k = 0; k < size && j >= 0 && has_couple(shape, i, twist, size); ++k) {
      D[size * shape->partner[i] + k] -= solver->l[size * j + k] * share;
    }
  }
  for (int i = 0; i < shape->node_count; ++i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar s = 0;
    if (j >= 0) {
      s = b[j] + (p < 0 ? 0 : dot(solver->c + twist * j, w + twist * p, twist));
      if (has_couple(shape, i, twist, size)) {  // what x receives is what w of the partner does
        s += dot(solver->m + twist * j, w + twist * shape->partner[i], twist);
      }
      s *= solver->d[j];
      b[j] = s;
    }
    for (int k = 0; k < twist; ++k) {
      w[twist * i + k] = (p < 0 ? 0 : w[twist * p + k]) - (j >= 0 ? solver->b[twist * j + k] * s : 0);
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
  if (solver->shape->twist == 3 && is_full) {
    solve_all(solver, count, b, is_transposed, 3, 9);
  } else if (solver->shape->twist == 3) {
    solve_all(solver, count, b, is_transposed, 3, 3);
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
